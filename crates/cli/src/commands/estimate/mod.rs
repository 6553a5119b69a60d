//! `probare estimate`: what people would say on average, from a few of their labels and a judge's score of every case.

mod draw;
mod mean;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probare_analysis::{CaseValues, NextCase, RunValues, read_values};
use probare_core::{Better, MetricInfo};
use probare_engine::Exit;
use probare_report::number::{count_with_noun, three_decimals};
use probare_report::{OutputWriter, escape, refuse_overlap};
use serde_json::{Value as Json, json};

use self::draw::{Draw, DrawMethod, LabelledCases};
use self::mean::{EstimateInput, HumanMean, Target};
use super::flags::{ForReading, OptionFlags, parse_share};
use super::labelled_results::{LabelSource, find_metric};
use super::store_flags::StoreFlag;
use super::{compare, print, remark};
use crate::failure::{CommandResult, Failure};

/// Estimate what people would say on average, from a few of their labels and a judge's score of every case.
///
/// The estimate does not trust the judge: its scores shorten the interval, and the labels correct its errors (prediction-powered
/// inference). The labelled cases must be drawn for this purpose: `--next 40` lists the cases to label next, with their
/// probabilities, and labels of other cases are refused. With several results it also estimates each model's difference from
/// the first.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Results in .jsonl .json .csv .parquet or .html, or the number of a run in the store, with the judge's score of every
    /// case; append @MODEL for the outputs of one model. Several: models on the same cases
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<String>,

    /// File with the labels: rows with an `id` and a label, or the labels file of `probare view` (repeatable: one for each of
    /// several results, if the labels do not name the model)
    #[arg(long, value_name = "FILE", required_unless_present = "next")]
    labels: Vec<String>,

    /// Metric of the results that is the judge; not needed if there is only one
    #[arg(short, long, value_name = "NAME")]
    metric: Option<String>,

    /// Column with a label, or the name of an annotator in a labels file (repeatable: several annotators, whose mean counts)
    #[arg(long = "label", value_name = "COLUMN", default_value = "label")]
    columns: Vec<String>,

    /// List this many cases to label next, instead of an estimate
    #[arg(long, value_name = "N", value_parser = count)]
    next: Option<usize>,

    /// How the labelled cases were drawn, or how --next draws them; strata for one result file and order for several by
    /// default; detected from the labelled cases
    #[arg(long, value_name = "METHOD", value_enum)]
    drawn: Option<DrawMethod>,

    /// With --drawn chances: the number of labels that you planned with --next
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "next")]
    budget: Option<usize>,

    /// Seed of the order in which cases are drawn; the same for --next and for the estimate
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Which mean to estimate
    #[arg(long, value_name = "TARGET", value_enum, default_value_t)]
    target: Target,

    /// Confidence of the intervals
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = parse_share)]
    confidence: f64,

    /// With --next: a file for the labels, with a column that people fill in: .csv
    #[arg(short, long = "output", value_name = "OUT.csv", requires = "next")]
    output: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    reading: OptionFlags<ForReading>,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "Examples:
  probare estimate results.jsonl --metric judge_rubric --next 40 -o labels.csv
  probare estimate results.jsonl --metric judge_rubric --labels labels.csv
  probare estimate a.jsonl b.jsonl --labels labels-a.csv --labels labels-b.csv";

fn count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=1_000_000) => Ok(count),
        _ => Err("a number from 1 to 1000000 is expected".to_owned()),
    }
}

/// The results of one model: what the judge says of every case.
struct JudgedResults {
    name: String,
    info: MetricInfo,
    cases: Vec<CaseValues>,
    /// The judge's scores from 0 to 1, more being better; nothing where a case has none.
    scores: Vec<Option<f64>>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let results: Vec<JudgedResults> =
        arguments.results.iter().map(|name| read_results(name, arguments)).collect::<Result<_, _>>()?;
    let is_one_each = arguments.labels.len() == results.len();
    if arguments.labels.len() > 1 && results.len() > 1 && !is_one_each {
        return Err(Failure::usage(format!(
            "there are {} and {}",
            count_with_noun(results.len() as u64, "file of results", "files of results"),
            count_with_noun(arguments.labels.len() as u64, "file of labels", "files of labels")
        ))
        .hint("name one file of labels for all of them, or one for each, in their order"));
    }
    if let Some(other) = results.iter().find(|other| !is_same_judge(&results[0].info, &other.info)) {
        return Err(Failure::new(format!(
            "`{}` of {} is another judge than in {}",
            other.info.name, other.name, results[0].name
        ))
        .hint("compare models by the same metric with the same version and options"));
    }
    let ids = shared_ids(&results)?;
    let mut scores = Vec::new();
    let mut labels = Vec::new();
    for (at, judged) in results.iter().enumerate() {
        scores.push(judged.scores_of(&ids));
        let files = if is_one_each && results.len() > 1 { &arguments.labels[at..=at] } else { &arguments.labels[..] };
        let needs_output = results.len() > 1 && !is_one_each;
        labels.push(judged.labels_of(&ids, files, needs_output, arguments)?);
    }
    same_labels(&results, &ids, &labels)?;
    match arguments.next {
        Some(wanted) => next(arguments, &results, &ids, &scores, &labels, wanted),
        None => estimate(arguments, &results, &ids, &scores, &labels),
    }
}

fn read_results(name: &str, arguments: &Arguments) -> Result<JudgedResults, Failure> {
    let results = compare::open_results(name, &arguments.store)?;
    let RunValues { metrics, cases } = read_values(&results, None)?;
    let (at, info) = find_metric(arguments.metric.as_deref(), &metrics)?;
    let (low, high) = info.range;
    if !low.is_finite() || !high.is_finite() || low >= high {
        return Err(Failure::usage(format!(
            "`{}` has no fixed range, so its values cannot stand beside labels",
            info.name
        ))
        .hint("take a metric whose values lie between two ends, as `probare explain` says"));
    }
    let mut scores = Vec::new();
    for case in &cases {
        let value = case.values.get(at).copied().flatten();
        if let Some(value) = value.filter(|value| !(low..=high).contains(value)) {
            return Err(Failure::new(format!(
                "{}: case `{}` has {value} of `{}`, which lies from {low} to {high}",
                results.name, case.id, info.name
            )));
        }
        let share = |value: f64| (value - low) / (high - low);
        scores.push(value.map(|value| if info.better == Better::Lower { 1.0 - share(value) } else { share(value) }));
    }
    Ok(JudgedResults { name: results.name, info: info.clone(), cases, scores })
}

fn is_same_judge(one: &MetricInfo, other: &MetricInfo) -> bool {
    (&one.id, one.version, one.profile, &one.options) == (&other.id, other.version, other.profile, &other.options)
}

/// Cases that the judge scored in all of the results, in the order of their ids: that of the file has no part in what is drawn.
fn shared_ids(results: &[JudgedResults]) -> Result<Vec<String>, Failure> {
    let scored = |judged: &JudgedResults| -> BTreeSet<String> {
        let cases = judged.cases.iter().zip(&judged.scores).filter(|(_, score)| score.is_some());
        cases.map(|(case, _)| case.id.clone()).collect()
    };
    let sets: Vec<BTreeSet<String>> = results.iter().map(scored).collect();
    let ids: Vec<String> = sets[0].iter().filter(|id| sets.iter().all(|set| set.contains(*id))).cloned().collect();
    let all: BTreeSet<&str> = results.iter().flat_map(|judged| &judged.cases).map(|case| case.id.as_str()).collect();
    if ids.is_empty() {
        return Err(Failure::new(format!("no case has a score of `{}` in all of the results", results[0].info.name)));
    }
    let without = all.len() - ids.len();
    if without > 0 {
        remark(&format!(
            "left out of the mean: {} without a score of the judge",
            count_with_noun(without as u64, "case", "cases")
        ));
    }
    Ok(ids)
}

impl JudgedResults {
    fn scores_of(&self, ids: &[String]) -> Vec<f64> {
        let scores: BTreeMap<&str, f64> = self
            .cases
            .iter()
            .zip(&self.scores)
            .filter_map(|(case, score)| Some((case.id.as_str(), (*score)?)))
            .collect();
        ids.iter().filter_map(|id| scores.get(id.as_str()).copied()).collect()
    }

    /// What people say of each case; a label of a case without a score is refused. `needs_output`: a label has to say whose
    /// answer it is about.
    fn labels_of(
        &self,
        ids: &[String],
        files: &[String],
        needs_output: bool,
        arguments: &Arguments,
    ) -> Result<Vec<Option<f64>>, Failure> {
        let places: BTreeMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        let cases: BTreeMap<&str, &CaseValues> = self.cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let mut labels = vec![None; ids.len()];
        for file in files {
            let said = LabelSource { file, columns: &arguments.columns, reading: arguments.reading.reading()? }
                .read(&self.info)?;
            let mut of_another = 0;
            for (id, given) in &said {
                // A sheet holds ids so that no spreadsheet runs them.
                let id = if cases.contains_key(id.as_str()) { id.as_str() } else { escape::from_csv(id) };
                let found = match cases.get(id) {
                    Some(case) => given.iter().find(|label| label.is_for(case)),
                    None => given.first(),
                };
                let Some(label) = found else {
                    of_another += 1;
                    continue;
                };
                if needs_output && !label.names_output() {
                    return Err(Failure::usage(format!("`{file}` does not say whose answer a label is about")).hint(
                        "name one file of labels for each of the results, in their order: --labels A --labels B",
                    ));
                }
                if !(0.0..=1.0).contains(&label.value) {
                    let words = format!("`{file}`: the label {} of case `{id}` is not from 0 to 1", label.value);
                    return Err(Failure::new(words).hint("labels are numbers from 0 (bad) to 1 (good)"));
                }
                let Some(place) = places.get(id) else {
                    let words =
                        format!("case `{id}` has a label and no score of `{}` in {}", self.info.name, self.name);
                    return Err(Failure::new(words).hint("judge the case first"));
                };
                if labels[*place].replace(label.value).is_some() {
                    return Err(Failure::new(format!("case `{id}` has a label in `{file}` and in another file"))
                        .hint("several people have a column each in one file: --label ada --label ben"));
                }
            }
            if of_another > 0 {
                remark(&format!(
                    "{} of another model or answer than in {}",
                    count_with_noun(of_another, "label is", "labels are"),
                    self.name
                ));
            }
        }
        Ok(labels)
    }
}

/// Models are compared on the same labelled cases.
fn same_labels(results: &[JudgedResults], ids: &[String], labels: &[Vec<Option<f64>>]) -> Result<(), Failure> {
    for (other, own) in labels.iter().enumerate().skip(1) {
        let differing = (0..ids.len()).find(|place| own[*place].is_some() != labels[0][*place].is_some());
        if let Some(place) = differing {
            let (with, without) = if own[place].is_some() { (other, 0) } else { (0, other) };
            return Err(Failure::new(format!(
                "case `{}` has a label for {} and none for {}",
                ids[place], results[with].name, results[without].name
            ))
            .hint("label the answers of all models to the same cases"));
        }
    }
    Ok(())
}

fn estimate(
    arguments: &Arguments,
    results: &[JudgedResults],
    ids: &[String],
    scores: &[Vec<f64>],
    labels: &[Vec<Option<f64>>],
) -> CommandResult {
    let alpha = 1.0 - arguments.confidence;
    let draw = |scores: &[f64], labels: &[Option<f64>]| -> Result<Draw, Failure> {
        LabelledCases { ids, scores, labels }.draw(arguments.drawn, arguments.seed, arguments.budget)
    };
    let of = |scores: &[f64], labels: &[Option<f64>], scale, draw: &Draw| -> Result<HumanMean, Failure> {
        EstimateInput { scores, labels, scale, target: arguments.target, alpha }.estimate(draw)
    };
    let mut means = Vec::new();
    for (scores, labels) in scores.iter().zip(labels) {
        means.push(of(scores, labels, (0.0, 1.0), &draw(scores, labels)?)?);
    }
    let mut differences = Vec::new();
    for (scores_of, labels_of) in scores.iter().zip(labels).skip(1) {
        let drawn = draw(scores_of, labels_of)?;
        if matches!(drawn, Draw::Strata(_) | Draw::Chances(_)) {
            return Err(Failure::usage("a difference of models needs labels in the seeded order")
                .hint("draw the cases with --next for all of the results together"));
        }
        let minus = |(one, other): (&f64, &f64)| one - other;
        let scores: Vec<f64> = scores_of.iter().zip(&scores[0]).map(minus).collect();
        let labels: Vec<Option<f64>> =
            labels_of.iter().zip(&labels[0]).map(|(one, other)| Some((*one)? - (*other)?)).collect();
        differences.push(of(&scores, &labels, (-1.0, 1.0), &drawn)?);
    }
    if arguments.json {
        return print(&format!("{:#}\n", estimate_json(arguments, results, &means, &differences)));
    }
    print(&estimate_text(results, &means, &differences))
}

fn estimate_json(
    arguments: &Arguments,
    results: &[JudgedResults],
    means: &[HumanMean],
    differences: &[HumanMean],
) -> Json {
    let named = |(judged, mean): (&JudgedResults, &HumanMean)| {
        let mut json = mean.json();
        json["results"] = judged.name.clone().into();
        json
    };
    let minus = |pair: (&JudgedResults, &HumanMean)| {
        let mut json = named(pair);
        json["baseline"] = results[0].name.clone().into();
        json
    };
    json!({
        "metric": results[0].info.name,
        "target": if arguments.target == Target::DataSet { "data_set" } else { "population" },
        "confidence": arguments.confidence,
        "seed": arguments.seed,
        "means": results.iter().zip(means).map(named).collect::<Vec<Json>>(),
        "differences": results.iter().skip(1).zip(differences).map(minus).collect::<Vec<Json>>(),
    })
}

fn estimate_text(results: &[JudgedResults], means: &[HumanMean], differences: &[HumanMean]) -> String {
    let info = &results[0].info;
    let mut text = String::new();
    if info.better == Better::Lower {
        text.push_str(&format!(
            "`{}` is better where it is lower: one minus its value stands beside the labels\n",
            escape::terminal(&info.name)
        ));
    }
    for (judged, mean) in results.iter().zip(means) {
        let name = if results.len() > 1 { format!("{}: ", escape::terminal(&judged.name)) } else { String::new() };
        text.push_str(&format!("{name}people's mean {}\n", mean.text()));
    }
    for (judged, difference) in results.iter().skip(1).zip(differences) {
        text.push_str(&format!(
            "{} minus {}: people's difference {}\n",
            escape::terminal(&judged.name),
            escape::terminal(&results[0].name),
            difference.text()
        ));
    }
    text
}

fn next(
    arguments: &Arguments,
    results: &[JudgedResults],
    ids: &[String],
    scores: &[Vec<f64>],
    labels: &[Vec<Option<f64>>],
    wanted: usize,
) -> CommandResult {
    let usual = if results.len() == 1 { DrawMethod::Strata } else { DrawMethod::Order };
    let method = arguments.drawn.unwrap_or(usual);
    if results.len() > 1 && matches!(method, DrawMethod::Strata | DrawMethod::Chances) {
        return Err(Failure::usage("cases for several models are drawn in the seeded order").hint("--drawn order"));
    }
    let cases = LabelledCases { ids, scores: &scores[0], labels: &labels[0] };
    let found = cases.next(method, arguments.seed, wanted)?;
    if let Some(path) = &arguments.output {
        write_sheet(arguments, path, ids, &found)?;
    }
    let case = |case: &NextCase| json!({"id": ids[case.place], "probability": case.probability});
    if arguments.json {
        let document = json!({"seed": arguments.seed, "next": found.iter().map(case).collect::<Vec<Json>>()});
        return print(&format!("{document:#}\n"));
    }
    let mut text = String::new();
    for case in &found {
        text.push_str(&format!("{}  {}\n", three_decimals(case.probability), escape::terminal(&ids[case.place])));
    }
    let exit = print(&text)?;
    if let Some(path) = &arguments.output {
        remark(&format!("wrote {}", path.display()));
    }
    Ok(exit)
}

/// Writes the cases with an empty column for the labels. The judge's score is not there: it would tell people what to say.
fn write_sheet(arguments: &Arguments, path: &Path, ids: &[String], next: &[NextCase]) -> Result<Exit, Failure> {
    if path.extension().is_none_or(|extension| extension != "csv") {
        return Err(Failure::usage(format!("cases to label cannot be written to `{}`", path.display()))
            .hint("name a .csv file"));
    }
    let inputs: Vec<PathBuf> = arguments.results.iter().chain(&arguments.labels).map(PathBuf::from).collect();
    refuse_overlap(&inputs, &[path.to_owned()])
        .map_err(|error| Failure::usage(error.to_string()).hint("name another file to write"))?;
    let mut text = format!("id,probability,{}\n", arguments.columns.first().map_or("label", String::as_str));
    for case in next {
        text.push_str(&format!("{},{},\n", escape::csv(&ids[case.place]), case.probability));
    }
    OutputWriter::write_file(path, text.as_bytes())
        .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
    Ok(Exit::Fine)
}
