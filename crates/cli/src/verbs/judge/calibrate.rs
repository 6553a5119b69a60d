//! `probare judge calibrate`: a judge beside human labels.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use probare_core::{Case, Event, Job, MetricRequest, Outcome, Parts, Sink, closest};
use probare_metrics::registry;
use probare_runner::{Config, Exit, Settings, Wanted};
use serde_json::Value as Json;

use super::super::asking::{self, Asking};
use super::super::flags::{Layered, TERMS, of_config};
use super::super::running::interrupt_flag;
use super::super::{Reading, print};
use super::trust::Comparison;
use crate::failure::{Done, Failure};

/// Say how far a judge agrees with people, and from which value on its score means a pass.
///
/// Scores labelled cases with a metric and compares. A label is a number, true or false, or the name of a level of the rubric;
/// it stands in a column of its own, which is looked at before anybody is asked. With several labels the judge is held against
/// each person, and the people against each other, which is as well as any judge can do.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases with human labels
    #[arg(value_name = "LABELLED")]
    file: String,

    /// Metric to calibrate: a name from the configuration, ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE
    #[arg(short, long, value_name = "METRIC", env = "PROBARE_METRIC")]
    metric: Option<String>,

    /// Column with a human label (repeatable: several people)
    #[arg(long = "label", value_name = "COLUMN", default_value = "label")]
    labels: Vec<String>,

    /// A human label of this value or above is a pass
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5)]
    pass: f64,

    #[command(flatten)]
    asking: Layered<Asking>,

    #[command(flatten)]
    reading: Reading,

    /// Settings; ./probare.yaml is read if it is there
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    /// Everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let config = Config::load(arguments.config.as_deref())?;
    let request = request(arguments, &config)?;
    let options = arguments.reading.options()?;
    let names = Levels::of(&request);
    let rows = || Reading::open(&arguments.file, &options);
    // Standard input can be read once only.
    if arguments.file != "-" {
        let mut labels = Labels::new(&arguments.labels, &names);
        probare_runner::look(Job::new(&arguments.file, Box::new(rows()?), Vec::new()), None, &mut labels)?;
        labels.check(&arguments.file)?;
    }
    let job = Job::new(&arguments.file, Box::new(rows()?), vec![request.clone()]);
    let mut seen =
        Seen { labels: &arguments.labels, names: &names, rows: Vec::new(), without: BTreeMap::new(), bad: None };
    // Of a configuration the models and the terms count; cases, limits and reports are those of the calibration.
    let terms = of_config(&config).only(&TERMS);
    let settings = Settings::merge([arguments.asking.layer(), terms])?;
    let wanted = Wanted { interrupted: interrupt_flag(), watcher: Some(Box::new(&mut seen)), ..Wanted::from(settings) };
    let conclusion = probare_runner::run(job, wanted)?;
    if let Some(hearing) = &conclusion.hearing {
        asking::say(hearing, false);
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
    let comparison = Comparison::new(&request.name, &arguments.labels, &seen.rows, seen.without, arguments.pass);
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
        _ => {
            Err(Failure::usage("it is not said which metric is to be calibrated")
                .hint("name it: --metric judge_rubric"))
        }
    }
}

/// One case: what the judges say and what people say.
pub struct Row {
    /// The value of the metric.
    pub value: f64,
    /// Values of the judges of a panel, by their names; `flipped` apart.
    pub judges: Vec<(String, f64)>,
    /// Share of judges that changed their mind with the order.
    pub flipped: Option<f64>,
    /// What each person says.
    pub people: Vec<Option<f64>>,
}

/// The names of levels and what they are worth.
#[derive(Default)]
pub struct Levels(BTreeMap<String, f64>);

impl Levels {
    /// The levels of a rubric, in its options or its own.
    fn of(request: &MetricRequest) -> Self {
        let own = ["poor", "fair", "good"].map(|label| serde_json::json!({"label": label})).to_vec();
        let has_levels = registry()
            .get(&request.id)
            .is_ok_and(|metric| (metric.schema)().to_value()["properties"].get("levels").is_some());
        let given = request.options.get("levels").and_then(Json::as_array).cloned().filter(|list| !list.is_empty());
        let list = if has_levels { given.unwrap_or(own) } else { Vec::new() };
        let last = list.len().saturating_sub(1).max(1) as f64;
        let level = |(at, level): (usize, &Json)| {
            let label = level.get("label")?.as_str()?.trim().to_lowercase();
            Some((label, level.get("value").and_then(Json::as_f64).unwrap_or(at as f64 / last)))
        };
        Self(list.iter().enumerate().filter_map(level).collect())
    }

    /// The number that a label stands for.
    fn read(&self, label: &Json) -> Option<f64> {
        match label {
            Json::Number(number) => number.as_f64(),
            Json::Bool(yes) => Some(f64::from(*yes)),
            Json::String(text) => {
                let word = text.trim().to_lowercase();
                let known = self.0.get(&word).copied().or_else(|| word.parse().ok());
                known.or(match word.as_str() {
                    "true" | "yes" | "pass" => Some(1.0),
                    "false" | "no" | "fail" => Some(0.0),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

/// What a label may be.
pub const LABEL: &str = "a label is a number, true or false, pass or fail, or the name of a level";

/// What people say of a case: one value a column, nothing where it has none; an error in words where it is no label.
pub fn people(case: &Case, labels: &[String], names: &Levels) -> Result<Vec<Option<f64>>, String> {
    let read = |label: &String| match case.metadata.get(label).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => {
            let bad = || format!("case `{}`: `{label}` is {value}, which is no label", case.id);
            names.read(value).map(Some).ok_or_else(bad)
        }
    };
    labels.iter().map(read).collect()
}

/// Looks at the labels before anybody is asked and paid.
struct Labels<'a> {
    wanted: &'a [String],
    names: &'a Levels,
    /// Cases with each of the labels.
    found: Vec<u64>,
    columns: BTreeSet<String>,
    bad: Option<String>,
}

impl<'a> Labels<'a> {
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

impl Sink for Labels<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        match people(&result.case, self.wanted, self.names) {
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
struct Seen<'a> {
    labels: &'a [String],
    names: &'a Levels,
    rows: Vec<Row>,
    /// Cases with a label and without a verdict, by reason.
    without: BTreeMap<String, usize>,
    bad: Option<String>,
}

impl Sink for Seen<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        let people = match people(&result.case, self.labels, self.names) {
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
            Some(Ok(Outcome::Scored(score))) => self.rows.push(Row {
                value: score.value.get(),
                judges: judges(&score.parts),
                flipped: score.parts.get("flipped"),
                people,
            }),
            Some(Ok(Outcome::NotApplicable { reason })) => {
                *self.without.entry(format!("not applicable: {reason}")).or_default() += 1;
            }
            Some(Err(error)) => *self.without.entry(error.kind().name().to_owned()).or_default() += 1,
            None => {}
        }
        Ok(())
    }
}

fn judges(parts: &Parts) -> Vec<(String, f64)> {
    let is_judge = |name: &str| name.strip_prefix("judge ").is_some_and(|number| number.parse::<usize>().is_ok());
    parts.iter().filter(|(name, _)| is_judge(name)).map(|(name, value)| (name.to_owned(), value)).collect()
}
