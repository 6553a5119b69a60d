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
    for (file, content) in [("mod.rs", code(name)), ("publisher.rs", publisher(name))] {
        let path = folder.join(file);
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
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

fn code(name: &str) -> String {
    let kind = type_name(name);
    format!(
        r#"//! {kind}: one sentence about what this benchmark evaluates.

mod publisher;

use clap::Args;
use probare_core::{{Benchmark, BenchmarkCall, BenchmarkError, Console, Job, MetricRequest, Profile}};
use probare_formats::{{CaseReader, ReadOptions}};
use serde::{{Deserialize, Serialize}};
use serde_json::{{Map, Value as Json}};

use crate::command::CommandOptions;

use self::publisher::Publisher;

/// Options of `{name}`; their comments are the help of the command.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {{
    /// Cases to evaluate
    #[arg(value_name = "FILE")]
    cases: String,

    /// Which profile.
    #[serde(default)]
    #[arg(skip)]
    profile: Profile,
}}

/// The benchmark.
#[derive(Debug)]
pub struct {kind};

impl CommandOptions for {kind} {{
    type Options = Options;

    const PROFILES: &'static str = "Which definition: published (the default) or improved";

    const TAKES: &'static [&'static str] = &["json"];
}}

impl Benchmark for {kind} {{
    fn id(&self) -> &'static str {{
        "{name}"
    }}

    fn command(&self) -> &'static [&'static str] {{
        &["{name}"]
    }}

    fn about(&self) -> &'static str {{
        "One line for the list of commands.\n\nWhat else a user should know."
    }}

    fn example(&self, _: &Map<String, Json>) -> Map<String, Json> {{
        // Options that name data which the program carries (crates/formats/src/bundled.rs), if there are any.
        Map::new()
    }}

    fn open(&self, options: Json, console: Console) -> Result<Job, BenchmarkError> {{
        let call = BenchmarkCall {{ id: self.id().to_owned(), options: options.clone() }};
        let options: Options =
            serde_json::from_value(options).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let rows = CaseReader::open(&options.cases, &ReadOptions::default())
            .map_err(|error| BenchmarkError::from_error(&error))?
            .named_by("/cases");
        let request = MetricRequest {{ profile: Some(options.profile), ..MetricRequest::plain("exact_match") }};
        let mut job = Job::new(&options.cases, Box::new(rows), vec![request]);
        job.reads.push(options.cases.into());
        job.publisher = Some(Box::new(Publisher::new(console)));
        job.benchmark = Some(call);
        Ok(job)
    }}
}}
"#
    )
}

fn publisher(name: &str) -> String {
    format!(
        r#"//! What `{name}` publishes.

use std::io::{{self, Write}};

use probare_core::{{Console, Event, Sink, Stop}};
use probare_report::{{OutputWriter, Summary}};

/// Prints the published text when the run ends.
#[derive(Debug)]
pub(super) struct Publisher {{
    console: Console,
    summary: Summary,
}}

impl Publisher {{
    pub(super) fn new(console: Console) -> Self {{
        Self {{ console, summary: Summary::default() }}
    }}
}}

impl Sink for Publisher {{
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {{
        self.summary.event(event)?;
        match event {{
            Event::Finished(finish) if finish.stop == Stop::Complete && !self.console.quiet => {{
                let mut out = OutputWriter::to_stdout();
                writeln!(out, "{{}} cases", self.summary.cases)?;
                out.finish(finish.stop).map(|_| ())
            }}
            _ => Ok(()),
        }}
    }}
}}

impl probare_core::Publisher for Publisher {{}}
"#
    )
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
