//! `probare synthesis`: the three care checkers over a file of exchanges, with the report of the published tool.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::Profile;
use probare_metrics::care::Lexicon;
use probare_report::{Format, Gate, Gates, Options};
use probare_suites::synthesis::{
    Case, Check, Checker, Events, ExpectedFailures, Report, Schema, console, evaluate, load,
};

use super::score::profile;
use super::{print, remark};
use crate::failure::{Done, Failure};
use probare_runner::Exit;

/// The schema that is looked for where none is named; the built-in one is used where it is absent.
const DEFAULT_SCHEMA: &str = "schemas/eval_case.schema.json";

/// Check empathy, trust and care in replies, with the evidence.
///
/// Reads exchanges (one JSON object a line: id, user, assistant, checks, and optionally expected, tags, notes), writes a
/// JSON report and prints a summary. Ends with 2 when more cases fail unexpectedly than --fail-on allows. Cases tagged
/// `negative_example`, or with a tag that ends in -fail, are meant to fail.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Exchanges to check
    #[arg(
        long,
        value_name = "FILE",
        default_value = "data/evals.jsonl",
        allow_hyphen_values = true,
        overrides_with = "cases"
    )]
    cases: PathBuf,

    /// JSON Schema of the exchanges; the built-in one where the default file is absent
    #[arg(long, value_name = "FILE", default_value = DEFAULT_SCHEMA, allow_hyphen_values = true, overrides_with = "schema")]
    schema: PathBuf,

    /// JSON report; folders are made if needed
    #[arg(
        long,
        value_name = "FILE",
        default_value = "out/report.json",
        allow_hyphen_values = true,
        overrides_with = "out"
    )]
    out: PathBuf,

    /// Unexpected failures that are allowed
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_hyphen_values = true,
        overrides_with = "fail_on",
        value_parser = whole_number
    )]
    fail_on: i64,

    /// Which reading: reference (the published phrases) or careful (ours, by the structure of sentences)
    #[arg(long, value_name = "PROFILE", value_parser = profile, default_value = "reference", env = "PROBARE_PROFILE")]
    profile: Profile,

    /// Families of phrases to add to the built-in ones, or to use in their place (YAML or JSON)
    #[arg(long, value_name = "FILE", env = "PROBARE_LEXICON")]
    lexicon: Option<PathBuf>,

    /// Further report beside --out: junit, html, markdown, csv, jsonl or parquet (repeatable)
    #[arg(long, value_name = "FORMAT", value_parser = extension, env = "PROBARE_REPORT_FORMAT")]
    format: Vec<&'static str>,

    /// Further report; its extension says what is written (repeatable)
    #[arg(short, long = "output", value_name = "OUT", env = "PROBARE_OUTPUT")]
    output: Vec<PathBuf>,
}

/// The extension of a report format by its name.
fn extension(name: &str) -> Result<&'static str, String> {
    match name {
        "junit" | "xml" => Ok("xml"),
        "html" => Ok("html"),
        "markdown" | "md" => Ok("md"),
        "csv" => Ok("csv"),
        "jsonl" => Ok("jsonl"),
        "parquet" => Ok("parquet"),
        _ => Err("known formats are junit, html, markdown, csv, jsonl and parquet".to_owned()),
    }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let schema = schema(&arguments.schema)?;
    let checker = Checker { profile: arguments.profile, lexicon: lexicon(arguments.lexicon.as_deref())? };
    let reports = further_reports(arguments);
    for path in &reports {
        Format::of_path(path)?;
    }
    print(&format!(
        "Synthesis: empathy, trust and care in replies\n\nLoading cases from: {}\nUsing schema: {}\n",
        arguments.cases.display(),
        schema.0
    ))?;
    let Some(content) = content(&arguments.cases) else { return Ok(Exit::Error) };
    let Some(cases) = cases(&content, &schema.1) else { return Ok(Exit::Error) };
    print(&format!("Loaded {} cases\n\nRunning evaluations...\n", cases.len()))?;
    let report = evaluate(&cases, &checker);
    let warnings = report.warnings();
    for warning in &warnings {
        remark(&format!("warning: {warning}"));
    }
    if let Err(error) = write(&arguments.out, &report) {
        remark(&format!("Fatal error: cannot write `{}`: {error}", arguments.out.display()));
        return Ok(Exit::Error);
    }
    let source = arguments.cases.display().to_string();
    let expected_failures = ExpectedFailures::Shown;
    let events = Events { source: &source, cases: &cases, checker: &checker, warnings: &warnings, expected_failures };
    for path in &reports {
        further_report(path, &events)?;
    }
    let done = conclude(arguments, &report);
    // The program ends here, and the system takes back a million small pieces faster than we do.
    std::mem::forget(report);
    std::mem::forget(cases);
    done
}

/// Writes a report in one of the common formats. In test results a violation is a failure, unless it is expected.
fn further_report(path: &Path, events: &Events<'_>) -> Result<(), Failure> {
    let mut options = Options { title: Some("Synthesis: care in replies".to_owned()), ..Options::default() };
    let mut expected_failures = events.expected_failures;
    if Format::of_path(path)?.0 == Format::Junit {
        let fine = Check::ALL.map(|check| Gate::fail_if_any(&format!("{}<1", check.name())));
        options.case_limits = Gates::new(fine.into_iter().collect::<Result<_, _>>()?);
        expected_failures = ExpectedFailures::SetAside;
    }
    let mut sink = probare_report::open(path, &options)?;
    let events = Events { expected_failures, ..*events };
    events.send(sink.as_mut()).map_err(|error| Failure::file("write", &path.display().to_string(), &error))
}

/// Prints the summary and tells how the program ends.
fn conclude(arguments: &Arguments, report: &Report<'_>) -> Done {
    let mut text = format!("Report written to: {}\n{}", arguments.out.display(), console::block(report));
    if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        text = without_colour(&text);
    }
    if env::var("MCP_OUTPUT").is_ok_and(|value| value == "json") {
        text.push_str(&console::artifact(&report.summary, &arguments.out.display().to_string()));
        text.push('\n');
    }
    text.push_str(&console::last_line(&report.summary, arguments.fail_on));
    text.push('\n');
    print(&text)?;
    Ok(if console::exceeds(&report.summary, arguments.fail_on) { Exit::Gate } else { Exit::Fine })
}

/// The text of the file of cases; `None` after saying why it cannot be read.
fn content(path: &Path) -> Option<String> {
    match fs::read(path) {
        // Nearly every file is UTF-8; only one that is not needs a second look.
        Ok(content) => Some(
            String::from_utf8(content).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        ),
        Err(error) => {
            remark(&format!("Failed to load cases: cannot read `{}`: {error}", path.display()));
            remark("hint: --cases names a file of exchanges, one JSON object a line");
            None
        }
    }
}

/// The cases of a file; `None` after saying what is wrong with it, in the words that users of the published tool know.
fn cases<'a>(content: &'a str, schema: &Schema) -> Option<Vec<Case<'a>>> {
    match load(content, schema) {
        Ok(cases) => Some(cases),
        Err(error) => {
            for line in error.messages() {
                remark(&line);
            }
            remark(&format!("Failed to load cases: {error}"));
            None
        }
    }
}

/// The schema with its name: the file, or the built-in one where the default file is absent.
fn schema(path: &Path) -> Result<(String, Schema), Failure> {
    let name = path.display().to_string();
    if path == Path::new(DEFAULT_SCHEMA) && !path.exists() {
        return Ok(("built in".to_owned(), Schema::bundled()));
    }
    let text = fs::read_to_string(path).map_err(|error| Failure::file("read", &name, &error))?;
    let schema = Schema::read(&text).map_err(|error| Failure::new(format!("`{name}`: {error}")))?;
    Ok((name, schema))
}

fn lexicon(path: Option<&Path>) -> Result<Arc<Lexicon>, Failure> {
    let Some(path) = path else { return Ok(Lexicon::bundled()) };
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| Failure::file("read", &name, &error))?;
    Lexicon::read(&text).map(Arc::new).map_err(|error| {
        Failure::usage(format!("`{name}`: {error}")).hint("`probare schema lexicon` prints the form of a lexicon")
    })
}

fn further_reports(arguments: &Arguments) -> Vec<PathBuf> {
    let beside = arguments.format.iter().map(|extension| arguments.out.with_extension(extension));
    beside.chain(arguments.output.iter().cloned()).collect()
}

fn whole_number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "a whole number is expected")
}

fn write(path: &Path, report: &Report<'_>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    report.write(File::create(path)?)
}

/// The text without its ANSI colours.
fn without_colour(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, behind)| behind);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_can_be_left_out() {
        assert_eq!(without_colour("a \u{1b}[32m✓\u{1b}[0m b"), "a ✓ b");
    }

    #[test]
    fn formats_are_known_by_name() {
        assert_eq!(extension("junit"), Ok("xml"));
        assert!(extension("pdf").is_err());
    }
}
