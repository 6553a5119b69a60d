//! `cargo x new-benchmark NAME`: the folder of a published benchmark and its line in the table of benchmarks.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::new_metric::{insert_sorted, type_name};
use crate::process::root;

/// Write the folder of a new benchmark.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Name in snake case, which is also its command
    name: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let name = &arguments.name;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
        bail!("`{name}` is no name for a benchmark: use lower-case letters and underscores");
    }
    let folder = root().join("crates/benchmarks/src").join(name);
    if folder.exists() {
        bail!("{} is there already", folder.display());
    }
    let table = root().join("crates/benchmarks/src/lib.rs");
    let text = fs::read_to_string(&table)?;
    let extended = register(&text, name).with_context(|| format!("cannot extend {}", table.display()))?;
    fs::create_dir_all(&folder)?;
    for (file, template) in [
        ("mod.rs", include_str!("../../crates/benchmarks/template/mod.rs")),
        ("publisher.rs", include_str!("../../crates/benchmarks/template/publisher.rs")),
    ] {
        let path = folder.join(file);
        fs::write(&path, filled(template, name)).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    fs::write(&table, extended)?;
    println!("extended {}", table.display());
    Ok(())
}

/// Adds the module and its line in the table, each in its alphabetical place.
fn register(text: &str, name: &str) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    insert_sorted(&mut lines, &format!("pub mod {name};"), |line| line.starts_with("pub mod "))
        .context("there is no `pub mod` line")?;
    let entry = format!("    &{name}::{},", type_name(name));
    insert_sorted(&mut lines, &entry, |line| line.starts_with("    &") && line.contains("::") && line.ends_with(','))
        .context("there is no table of `&name::Name,` lines")?;
    Ok(lines.join("\n") + "\n")
}

/// The template, which is compiled and tested with the benchmarks, under another name.
fn filled(template: &str, name: &str) -> String {
    template.replace("new_benchmark", name).replace("NewBenchmark", &type_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_benchmark_is_registered_in_its_alphabetical_place() {
        let table = "pub mod rag;\npub mod synthesis;\n\n[\n    &rag::Rag,\n    &synthesis::Synthesis,\n];\n";
        let text = register(table, "sgi").unwrap();
        assert_eq!(
            text,
            "pub mod rag;\npub mod sgi;\npub mod synthesis;\n\n[\n    &rag::Rag,\n    &sgi::Sgi,\n    &synthesis::Synthesis,\n];\n"
        );
        assert!(register("nothing", "sgi").is_err());
    }
}
