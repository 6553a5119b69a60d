//! `probare judge calibrate`: a judge beside human labels.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use probare_analysis::{LABEL, Levels};
use probare_benchmarks::registries;
use probare_core::{Case, CaseSource, Event, Job, MemorySource, MetricRequest, Outcome, ScoreParts, Sink, closest};
use probare_engine::{Config, Exit, RunRequest, read_rubric_file};

use super::super::flags::{ForModelCalls, ForReading, MODEL_CALLS, OptionFlags};
use super::super::model_call_flags;
use super::super::run_driver::interrupt_flag;
use super::super::{open_cases, print};
use super::comparison::{JudgeComparison, JudgedCase};
use super::label_sheet::LabelSheet;
use crate::failure::{CommandResult, Failure};

/// Measure a judge's agreement with people, and from which value on its score means a pass.
///
/// Scores labelled cases with a metric and compares. A label is a number, true or false, or the name of a level of the rubric;
/// it stands in a column of its own, which is checked before any request is sent. With several labels the judge is compared with
/// each person, and the people against each other, which is as well as any judge can do.
///
/// The labels file of `probare view` is read as it is: its annotators are the columns, all of them unless --label names some.
/// Deferred cases are skipped.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases with human labels, or the labels file of `probare view`
    #[arg(value_name = "LABELLED")]
    file: String,

    /// Metric to calibrate: a name from the configuration, ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE
    #[arg(short, long, value_name = "METRIC", env = "PROBARE_METRIC")]
    metric: Option<String>,

    /// Column with a human label, or the name of an annotator in a labels file (repeatable: several annotators)
    #[arg(long = "label", value_name = "COLUMN", default_value = "label")]
    labels: Vec<String>,

    /// Human label value from which on a case passes
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5)]
    pass: f64,

    #[command(flatten)]
    asking: OptionFlags<ForModelCalls>,

    #[command(flatten)]
    reading: OptionFlags<ForReading>,

    /// The configuration; ./probare.yaml is read if it exists
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let config = Config::load(arguments.config.as_deref())?;
    let mut request = request(arguments, &config)?;
    read_rubric_file(&mut request)?;
    let options = arguments.reading.reading()?;
    let names = Levels::for_metric(&request.id, &request.options);
    let sheet = LabelSheet::read(&arguments.file, &request.name, &arguments.labels)?;
    let columns = sheet.as_ref().map_or(&arguments.labels, |sheet| &sheet.columns);
    let rows = || -> Result<Box<dyn CaseSource>, Failure> {
        Ok(match &sheet {
            Some(sheet) => Box::new(MemorySource::new(sheet.cases()?, Vec::new())),
            None => Box::new(open_cases(&arguments.file, &options)?),
        })
    };
    // Standard input can be read once only.
    if arguments.file != "-" {
        let mut labels = LabelCheck::new(columns, &names);
        probare_engine::scan_cases(Job::new(&arguments.file, rows()?, Vec::new()), None, &mut labels)?;
        labels.check(&arguments.file)?;
    }
    let job = Job::new(&arguments.file, rows()?, vec![request.clone()]);
    let mut seen =
        JudgementCollector { labels: columns, names: &names, rows: Vec::new(), without: BTreeMap::new(), bad: None };
    // Of a configuration the models and the terms count; cases, limits and reports are those of the calibration.
    let terms = ["config", "models", "profile", "seed", "sandbox", "jobs"];
    let terms = config.file_options().retain(|name| terms.contains(&name) || MODEL_CALLS.contains(&name));
    let settings = arguments.asking.options().combine(terms);
    let wanted =
        RunRequest { interrupted: interrupt_flag(), watcher: Some(Box::new(&mut seen)), ..RunRequest::from(settings) };
    let conclusion = probare_engine::run(job, registries(), wanted)?;
    if let Some(hearing) = &conclusion.hearing {
        model_call_flags::print_model_usage(hearing, false);
    }
    if let Some(bad) = seen.bad {
        return Err(Failure::new(bad).hint(LABEL));
    }
    if seen.rows.is_empty() {
        let failure = Failure::new(format!("no case of `{}` has both a label and a verdict", arguments.file));
        return Err(match seen.without.iter().next() {
            Some((reason, count)) => failure.hint(format!("{count} times: {reason}")),
            None => failure.hint(format!(
                "labels are looked for in `{}`; name another column with --label",
                arguments.labels.join("`, `")
            )),
        });
    }
    let people = sheet.as_ref().map_or(&arguments.labels, |sheet| &sheet.labelled.people);
    let comparison = JudgeComparison::new(&request.name, people, &seen.rows, seen.without, arguments.pass);
    if arguments.json {
        print(&format!("{:#}\n", comparison.json()))?;
    } else {
        print(&comparison.text())?;
    }
    Ok(match conclusion.exit {
        Exit::Budget | Exit::Interrupted => conclusion.exit,
        _ => Exit::Fine,
    })
}

fn request(arguments: &Arguments, config: &Config) -> Result<MetricRequest, Failure> {
    if let Some(text) = &arguments.metric {
        // A metric of the configuration is known by its name, with its options.
        let known = config.requests().into_iter().find(|request| request.name == *text);
        return known.map_or_else(|| Ok(text.parse()?), Ok);
    }
    let mut requests = config.requests();
    match (requests.pop(), requests.pop()) {
        (Some(one), None) => Ok(one),
        _ => Err(Failure::usage("no metric to calibrate is named").hint("name it: --metric judge_rubric")),
    }
}

/// What people say of a case: one value a column, nothing where it has none; an error in words where it is no label.
pub fn human_labels(case: &Case, labels: &[String], names: &Levels) -> Result<Vec<Option<f64>>, String> {
    // An empty cell is a label that nobody has given yet.
    let is_empty =
        |value: &serde_json::Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
    let read = |label: &String| match case.metadata.get(label).filter(|value| !is_empty(value)) {
        None => Ok(None),
        Some(value) => {
            let bad = || format!("case `{}`: `{label}` is {value}, which is no label", case.id);
            names.label_value(value).map(Some).ok_or_else(bad)
        }
    };
    labels.iter().map(read).collect()
}

/// Looks at the labels before anybody is asked and paid.
struct LabelCheck<'a> {
    wanted: &'a [String],
    names: &'a Levels,
    /// Cases with each of the labels.
    found: Vec<u64>,
    columns: BTreeSet<String>,
    bad: Option<String>,
}

impl<'a> LabelCheck<'a> {
    fn new(wanted: &'a [String], names: &'a Levels) -> Self {
        Self { wanted, names, found: vec![0; wanted.len()], columns: BTreeSet::new(), bad: None }
    }

    fn check(self, file: &str) -> Result<(), Failure> {
        if let Some(bad) = self.bad {
            return Err(Failure::new(bad).hint(LABEL));
        }
        let Some((label, _)) = self.wanted.iter().zip(&self.found).find(|(_, found)| **found == 0) else {
            return Ok(());
        };
        let failure = Failure::new(format!("no case of `{file}` has a label `{label}`; nobody was asked"));
        Err(match closest(label, self.columns.iter().map(String::as_str)) {
            Some(similar) => failure.hint(format!("a similar column exists: --label {similar}")),
            None => failure.hint("name the column with the labels: --label COLUMN"),
        })
    }
}

impl Sink for LabelCheck<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        match human_labels(&result.case, self.wanted, self.names) {
            Ok(people) => {
                self.found.iter_mut().zip(people).for_each(|(found, label)| *found += u64::from(label.is_some()));
            }
            Err(bad) => {
                self.bad.get_or_insert(bad);
            }
        }
        for column in result.case.metadata.keys() {
            if !self.columns.contains(column) {
                self.columns.insert(column.clone());
            }
        }
        Ok(())
    }
}

/// Gathers what judges and people say.
struct JudgementCollector<'a> {
    labels: &'a [String],
    names: &'a Levels,
    rows: Vec<JudgedCase>,
    /// Cases with a label and without a verdict, by reason.
    without: BTreeMap<String, usize>,
    bad: Option<String>,
}

impl Sink for JudgementCollector<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        let people = match human_labels(&result.case, self.labels, self.names) {
            Ok(people) => people,
            Err(bad) => {
                self.bad.get_or_insert(bad);
                return Ok(());
            }
        };
        if people.iter().all(Option::is_none) {
            return Ok(());
        }
        match result.results.first() {
            Some(Ok(Outcome::Scored(score))) => self.rows.push(JudgedCase {
                value: score.value.get(),
                judges: judges(&score.parts),
                flipped: score.parts.get("flipped"),
                people,
            }),
            Some(Ok(Outcome::Labelled(_))) => *self.without.entry("no value".to_owned()).or_default() += 1,
            Some(Ok(Outcome::NotApplicable { reason })) => {
                *self.without.entry(format!("not applicable: {reason}")).or_default() += 1;
            }
            Some(Err(error)) => *self.without.entry(error.kind().name().to_owned()).or_default() += 1,
            None => {}
        }
        Ok(())
    }
}

fn judges(parts: &ScoreParts) -> Vec<(String, f64)> {
    let is_judge = |name: &str| name.strip_prefix("judge ").is_some_and(|number| number.parse::<usize>().is_ok());
    parts.iter().filter(|(name, _)| is_judge(name)).map(|(name, value)| (name.to_owned(), value)).collect()
}
