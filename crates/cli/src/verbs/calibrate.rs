//! `probare calibrate`: from where on the value of a metric is a verdict that people would share.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use probare_core::{Better, Event, Job, MetricInfo, Sink, closest};
use probare_report::number::{counted, percent, rounded};
use probare_report::{Output, escape, refuse_overlap};
use probare_runner::{BANDS_FORMAT, BandsFile, Exit, LABEL, LabelledOutput, Levels, Valued, ValuedCase, valued};
use probare_stats::{Band, Bands, End, Promise, bands, mean};
use serde_json::json;

use super::compare;
use super::judge::{Sheet, people};
use super::stored::StoreFlag;
use super::{Reading, print, remark};
use crate::failure::{Done, Failure};

/// Say from where on the value of a metric is a verdict that people would share, and promise how often.
///
/// Finished results are held against labels of people: a value that is good enough passes, one that is bad enough fails, and
/// in between nothing is decided. The two bounds are chosen so that at most a given share of the verdicts is wrong, with a
/// given confidence, for cases that are drawn like the labelled ones (an exact binomial test for one threshold after the
/// other, each end with half of the doubt). The file that is written goes with --bands into `score` and `run`, where labels
/// are then pass, fail and unsure.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results in .jsonl .json .csv .parquet or .html, or the number of a run in the store; with @MODEL behind it the outputs of
    /// one model alone
    #[arg(value_name = "RESULTS")]
    results: String,

    /// File with the labels: rows with an `id` and a label, or the file of labels of `probare view`
    #[arg(long, value_name = "FILE")]
    labels: String,

    /// Metric of the results; not needed where there is one
    #[arg(short, long, value_name = "NAME")]
    metric: Option<String>,

    /// Column with a label, or the name of a person in a file of labels (repeatable: several people, whose mean counts)
    #[arg(long = "label", value_name = "COLUMN", default_value = "label")]
    columns: Vec<String>,

    /// A label of this value or above is a pass
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5)]
    pass: f64,

    /// Largest share of wrong verdicts
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    error: f64,

    /// Confidence with which that is promised
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = share)]
    confidence: f64,

    /// File to write, for --bands: .json
    #[arg(short, long = "output", value_name = "OUT.json")]
    output: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    reading: Reading,

    /// Everything as JSON
    #[arg(long)]
    json: bool,
}

/// Reads a share that is neither nothing nor everything.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a number between 0 and 1 is expected".to_owned()),
    }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    if let Some(path) = &arguments.output {
        if path.extension().is_none_or(|extension| extension != "json") {
            return Err(
                Failure::usage(format!("bands cannot be written to `{}`", path.display())).hint("name a .json file")
            );
        }
        let inputs = [PathBuf::from(&arguments.results), PathBuf::from(&arguments.labels)];
        refuse_overlap(&inputs, std::slice::from_ref(path))
            .map_err(|error| Failure::usage(error.to_string()).hint("name another file to write"))?;
    }
    let results = compare::results(&arguments.results, &arguments.store)?;
    let Valued { metrics, cases } = valued(&results)?;
    let (at, info) = metric(arguments, &metrics)?;
    let labels = labels(arguments, info)?;
    let mut held = Held::default();
    for case in &cases {
        let all = labels.get(&case.id).map(Vec::as_slice).unwrap_or_default();
        let label = all.iter().find(|label| label.is_of(case)).map(|label| label.passes);
        match (label, case.values.get(at).copied().flatten()) {
            (Some(label), Some(value)) => held.cases.push((value, label)),
            (Some(_), None) => held.without_value += 1,
            (None, _) if all.is_empty() => held.without_label += 1,
            (None, _) => held.of_another += 1,
        }
    }
    if held.cases.is_empty() {
        return Err(Failure::new(format!(
            "no case has both a label in `{}` and a value of `{}` in {}",
            arguments.labels, info.name, results.name
        ))
        .hint("cases and labels are matched by their `id`, and by model and answer where the labels say them"));
    }
    let calibration = Calibration::new(arguments, info, held);
    print(&if arguments.json { format!("{:#}\n", calibration.json()) } else { calibration.text() })?;
    let Some(file) = calibration.file() else { return Err(calibration.refusal()) };
    if let Some(path) = &arguments.output {
        let text = file.text().map_err(|error| Failure::new(error.to_string()))?;
        Output::write_file(path, text.as_bytes())
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
        remark(&format!("wrote {}", escape::terminal(&path.display().to_string())));
    }
    Ok(Exit::Fine)
}

/// The metric that is meant, and its place.
fn metric<'a>(arguments: &Arguments, metrics: &'a [MetricInfo]) -> Result<(usize, &'a MetricInfo), Failure> {
    let names = || metrics.iter().map(|metric| metric.name.as_str());
    let known = || names().collect::<Vec<_>>().join(", ");
    match (&arguments.metric, metrics) {
        (Some(name), _) => {
            let found = metrics.iter().enumerate().find(|(_, metric)| metric.name == *name);
            found.ok_or_else(|| {
                let failure = Failure::usage(format!("the results have no metric `{name}`"));
                match closest(name, names()) {
                    Some(similar) => failure.hint(format!("a similar name exists: `{similar}`")),
                    None => failure.hint(format!("they have {}", known())),
                }
            })
        }
        (None, [metric]) => Ok((0, metric)),
        (None, _) => Err(Failure::usage("it is not said which metric is to be calibrated")
            .hint(format!("name one of {} with --metric", known()))),
    }
}

/// What people say of an output.
struct Passes {
    /// Which output of its case; any where the labels do not say.
    output: Option<LabelledOutput>,
    passes: bool,
}

impl Passes {
    fn is_of(&self, case: &ValuedCase) -> bool {
        let ValuedCase { id, model, repeat, answer, .. } = case;
        self.output.as_ref().is_none_or(|output| output.is_of(id, model.as_deref(), *repeat, answer.as_deref()))
    }
}

/// What people say of each case: whether it passes.
fn labels(arguments: &Arguments, info: &MetricInfo) -> Result<BTreeMap<String, Vec<Passes>>, Failure> {
    let levels = Levels::of(&info.id, &info.options);
    let passes = |values: &[f64]| mean(values).map(|mean| mean >= arguments.pass);
    let mut labels: BTreeMap<String, Vec<Passes>> = BTreeMap::new();
    if let Some(sheet) = Sheet::read(&arguments.labels, &info.name, &arguments.columns)? {
        for output in sheet.labelled.outputs {
            let words = output.said.iter().flatten();
            let read = |word: &String| {
                let bad = || format!("case `{}`: `{word}` is no label of `{}`", output.id, info.name);
                levels.word(word).ok_or_else(|| Failure::new(bad()).hint(LABEL))
            };
            let values: Vec<f64> = words.map(read).collect::<Result<_, _>>()?;
            if let Some(passes) = passes(&values) {
                labels.entry(output.id.clone()).or_default().push(Passes { output: Some(output), passes });
            }
        }
    } else {
        let rows = Reading::open(&arguments.labels, &arguments.reading.options()?)?;
        let mut said = Said { columns: &arguments.columns, levels, values: BTreeMap::new(), bad: None };
        probare_runner::look(Job::new(&arguments.labels, Box::new(rows), Vec::new()), None, &mut said)?;
        if let Some(bad) = said.bad {
            return Err(Failure::new(bad).hint(LABEL));
        }
        for (id, values) in said.values {
            if let Some(passes) = passes(&values) {
                labels.insert(id, vec![Passes { output: None, passes }]);
            }
        }
    }
    if labels.is_empty() {
        return Err(Failure::new(format!("no row of `{}` has a label", arguments.labels)).hint(format!(
            "labels are looked for in `{}`; name another column with --label",
            arguments.columns.join("`, `")
        )));
    }
    Ok(labels)
}

/// Gathers labels by case.
struct Said<'a> {
    columns: &'a [String],
    levels: Levels,
    values: BTreeMap<String, Vec<f64>>,
    bad: Option<String>,
}

impl Sink for Said<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        match people(&result.case, self.columns, &self.levels) {
            Ok(people) => {
                self.values.entry(result.case.id.clone()).or_default().extend(people.into_iter().flatten());
            }
            Err(bad) => {
                self.bad.get_or_insert(bad);
            }
        }
        Ok(())
    }
}

/// Values and labels side by side.
#[derive(Default)]
struct Held {
    cases: Vec<(f64, bool)>,
    without_value: usize,
    without_label: usize,
    /// Their labels are of other outputs.
    of_another: usize,
}

/// What was found.
struct Calibration<'a> {
    info: &'a MetricInfo,
    promise: Promise,
    held: Held,
    found: Bands,
}

impl<'a> Calibration<'a> {
    fn new(arguments: &Arguments, info: &'a MetricInfo, held: Held) -> Self {
        let promise = Promise { error: arguments.error, confidence: arguments.confidence };
        // The sequence goes from the best value on.
        let sign = if info.better == Better::Higher { 1.0 } else { -1.0 };
        let oriented: Vec<(f64, bool)> = held.cases.iter().map(|(value, passes)| (sign * value, *passes)).collect();
        let turn = |end: End| End { band: end.band.map(|band| Band { at: sign * band.at, ..band }), ..end };
        let Bands { pass, fail } = bands(&oriented, promise);
        Self { info, promise, held, found: Bands { pass: turn(pass), fail: turn(fail) } }
    }

    fn decided(&self) -> usize {
        [self.found.pass, self.found.fail].iter().filter_map(|end| end.band).map(|band| band.cases).sum()
    }

    /// What --bands takes; nothing where nothing is decided.
    fn file(&self) -> Option<BandsFile> {
        let at = |end: End| end.band.map(|band| band.at);
        let (pass, fail) = (at(self.found.pass), at(self.found.fail));
        if pass.is_none() && fail.is_none() {
            return None;
        }
        let mut options = self.info.options.clone();
        let _ = probare_core::Bands::take(&mut options);
        Some(BandsFile {
            format: BANDS_FORMAT,
            metric: self.info.name.clone(),
            id: self.info.id.clone().into_owned(),
            version: self.info.version,
            profile: self.info.profile,
            options,
            bands: probare_core::Bands { pass, fail, error: self.promise.error, confidence: self.promise.confidence },
            cases: self.held.cases.len(),
            decided: self.decided(),
        })
    }

    /// For a reader.
    fn text(&self) -> String {
        let total = self.held.cases.len();
        let passes = self.held.cases.iter().filter(|(_, passes)| *passes).count();
        let mut text = format!(
            "{}: {} with a label and a value, of which people pass {passes}\n",
            escape::terminal(&self.info.name),
            counted(total as u64, "case", "cases"),
        );
        for (count, what) in [
            (self.held.without_value, "have a label and no value"),
            (self.held.without_label, "have no label"),
            (self.held.of_another, "have a label of another model or answer"),
        ] {
            if count > 0 {
                text.push_str(&format!("  {count} further ones {what}\n"));
            }
        }
        let is_higher = self.info.better == Better::Higher;
        let ends = [("passes", self.found.pass, is_higher), ("fails", self.found.fail, !is_higher)];
        for (verdict, end, upwards) in ends {
            let Some(Band { at, cases, wrong, bound }) = end.band else { continue };
            let side = if upwards { "or more" } else { "or less" };
            text.push_str(&format!(
                "{verdict} at {} {side}: {}, {wrong} wrong, at most {} in truth\n",
                rounded(at),
                counted(cases as u64, "case", "cases"),
                percent(bound),
            ));
        }
        if self.decided() > 0 {
            text.push_str(&format!(
                "decided: {} of {total}, {}; {} unsure\npromised: at most {} of such verdicts are wrong, with {} confidence\n",
                self.decided(),
                percent(self.decided() as f64 / total as f64),
                total - self.decided(),
                percent(self.promise.error),
                percent(self.promise.confidence),
            ));
        }
        for (verdict, end, _) in ends {
            let Some(next) = end.next else { continue };
            let seen = format!("{} of {} would be wrong", next.wrong, next.cases);
            text.push_str(&match next.more {
                Some(more) => format!(
                    "to go on where it {verdict} ({seen}): about {}, if as few are wrong\n",
                    counted(more as u64, "further label", "further labels")
                ),
                None => format!("no further labels would widen where it {verdict}: {seen}\n"),
            });
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let end = |end: End| {
            json!({
                "band": end.band.map(|band| json!({
                    "at": band.at, "cases": band.cases, "wrong": band.wrong, "bound": band.bound,
                })),
                "next": end.next.map(|next| json!({
                    "cases": next.cases, "wrong": next.wrong, "more_labels": next.more,
                })),
            })
        };
        json!({
            "metric": self.info.name,
            "error": self.promise.error,
            "confidence": self.promise.confidence,
            "cases": self.held.cases.len(),
            "decided": self.decided(),
            "without_value": self.held.without_value,
            "without_label": self.held.without_label,
            "label_of_another_output": self.held.of_another,
            "pass": end(self.found.pass),
            "fail": end(self.found.fail),
        })
    }

    /// Why nothing is decided.
    fn refusal(&self) -> Failure {
        let (total, fewest) = (self.held.cases.len(), self.promise.fewest());
        let promise =
            format!("{} wrong with {} confidence", percent(self.promise.error), percent(self.promise.confidence));
        if total < fewest {
            return Failure::new(format!(
                "{} are too few: {fewest} at one end of the scale have to be right to promise at most {promise}",
                counted(total as u64, "labelled case", "labelled cases")
            ))
            .hint(format!("label at least {} more, or promise less with --error and --confidence", fewest - total));
        }
        Failure::new(format!("at neither end of `{}` can at most {promise} be promised", self.info.name))
            .hint("promise less with --error and --confidence, or take another metric")
    }
}
