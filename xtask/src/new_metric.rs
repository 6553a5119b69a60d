//! `cargo x new-metric FAMILY NAME`: the two files of a metric and its line in the family's table.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::process::{self, root};

/// Write the files of a new metric.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Family: an existing folder with a table of metrics, below crates/metrics/src or in a benchmark
    family: String,
    /// Name in snake case: a noun phrase for what is measured
    name: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { family, name } = arguments;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        bail!("`{name}` is no name for a metric: use lower-case letters, digits and underscores");
    }
    let folder = family_folder(family)?;
    let table = folder.join("mod.rs");
    write_new(
        &folder.join(format!("{name}.rs")),
        &filled(include_str!("../../crates/metrics/template/new_metric.rs"), name),
    )?;
    write_new(
        &folder.join(format!("{name}.md")),
        &filled(include_str!("../../crates/metrics/template/new_metric.md"), name),
    )?;
    let text = fs::read_to_string(&table)?;
    fs::write(&table, register(&text, name).with_context(|| format!("cannot extend {}", table.display()))?)?;
    println!("extended {}", table.display());
    let of_benchmark = folder.starts_with(root().join("crates/benchmarks"));
    let package = if of_benchmark { "probare-benchmarks" } else { "probare-metrics" };
    process::run(&mut process::cargo(&["fmt", "--package", package]))?;
    println!("next: the code, the page, `cargo x test -- -p {package}`, `cargo x gen`");
    Ok(())
}

/// The folder of a family, where a new metric goes: that of the benchmark, if the benchmark has one.
fn family_folder(family: &str) -> Result<PathBuf> {
    let found = folders_of_family(family).next();
    found.with_context(|| format!("there is no family `{family}`: make its folder and mod.rs first"))
}

/// The page of a metric.
pub fn metric_page(family: &str, id: &str) -> Result<PathBuf> {
    let found = folders_of_family(family).map(|folder| folder.join(format!("{id}.md"))).find(|page| page.is_file());
    found.with_context(|| format!("the metric `{id}` of the family `{family}` has no page"))
}

/// Folders with a table of metrics that are called as the family is, or `metrics` in a folder of that name.
fn folders_of_family(family: &str) -> impl Iterator<Item = PathBuf> {
    family_folders().into_iter().filter(move |folder| {
        let named = if folder.ends_with("metrics") { folder.parent().unwrap_or(folder) } else { folder };
        named.ends_with(family)
    })
}

/// All folders with a table of metrics.
fn family_folders() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join("crates/metrics/src"), root().join("crates/benchmarks/src")];
    while let Some(folder) = open.pop() {
        let inner = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in inner.filter(|path| path.is_dir()) {
            let is_family =
                fs::read_to_string(path.join("mod.rs")).is_ok_and(|text| text.contains("FAMILY: &[&MetricDef]"));
            if is_family { found.push(path) } else { open.push(path) }
        }
    }
    found
}

fn write_new(path: &Path, content: &str) -> Result<()> {
    if path.exists() {
        bail!("{} is there already", path.display());
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Adds the module line and the table entry, each in its alphabetical place among those of the family's metrics.
fn register(text: &str, name: &str) -> Result<String> {
    const TABLE: &str = "pub static FAMILY: &[&MetricDef] =";
    let start = text.find(TABLE).with_context(|| format!("there is no `{TABLE}`"))?;
    let end = start + text[start..].find("];").context("the table of the family has no end")?;
    let mut metrics: Vec<&str> = text[start..end]
        .split(&['[', ',', ']'][..])
        .filter_map(|entry| entry.trim().strip_prefix('&')?.strip_suffix("::DEF"))
        .collect();
    let module_of = |metric: &str| format!("pub mod {metric};");
    let modules: Vec<String> = metrics.iter().map(|metric| module_of(metric)).collect();
    metrics.push(name);
    metrics.sort_unstable();
    let entries: String = metrics.iter().map(|metric| format!("\n    &{metric}::DEF,")).collect();
    let table = format!("{TABLE} &[{entries}\n{}", &text[end..]);

    let mut lines: Vec<String> = text[..start].lines().map(str::to_owned).collect();
    insert_sorted(&mut lines, &module_of(name), |line| modules.iter().any(|module| module == line))
        .context("there is no `pub mod` line of a metric")?;
    Ok(lines.join("\n") + "\n" + &table)
}

/// Puts a line into its alphabetical place among those that belong together.
pub fn insert_sorted(lines: &mut Vec<String>, new: &str, belongs: impl Fn(&str) -> bool) -> Option<()> {
    let places: Vec<usize> = (0..lines.len()).filter(|at| belongs(&lines[*at])).collect();
    let at = places.iter().copied().find(|at| lines[*at].as_str() > new).or_else(|| places.last().map(|at| at + 1))?;
    lines.insert(at, new.to_owned());
    Some(())
}

/// `vowel_share` is a file, `VowelShare` its type.
pub fn type_name(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
        })
        .collect()
}

/// The template, which is compiled and tested with the metrics, under another name.
fn filled(template: &str, name: &str) -> String {
    let release = env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("0.1", |(release, _)| release);
    template
        .replace("new_metric", name)
        .replace("NewMetric", &type_name(name))
        .replace("since: \"0.0\"", &format!("since: \"{release}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_registered_in_its_alphabetical_place() {
        let table =
            "pub mod a;\npub mod c;\npub mod helper;\n\npub static FAMILY: &[&MetricDef] = &[&a::DEF, &c::DEF];\n";
        let text = register(table, "b").unwrap();
        assert_eq!(
            text,
            "pub mod a;\npub mod b;\npub mod c;\npub mod helper;\n\npub static FAMILY: &[&MetricDef] = &[\n    &a::DEF,\n    &b::DEF,\n    &c::DEF,\n];\n"
        );
        assert!(register("nothing", "b").is_err());
    }

    #[test]
    fn every_family_takes_a_new_metric() {
        let mut families = 0;
        for folder in family_folders() {
            let table = folder.join("mod.rs");
            let text = fs::read_to_string(&table).unwrap();
            let extended = register(&text, "zebra_crossing").unwrap();
            assert!(extended.contains("\npub mod zebra_crossing;\n"), "{}", table.display());
            assert!(extended.contains("    &zebra_crossing::DEF,\n];"), "{}", table.display());
            assert_eq!(extended.matches("::DEF").count(), text.matches("::DEF").count() + 1, "{}", table.display());
            families += 1;
        }
        assert!(families >= 10, "{families}");
    }

    #[test]
    fn a_type_is_called_after_the_metric() {
        assert_eq!(type_name("vowel_share"), "VowelShare");
    }
}
