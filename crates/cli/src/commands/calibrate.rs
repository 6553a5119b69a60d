//! `probare calibrate`: from which value on a metric decides as people would, with a guarantee.

use std::collections::BTreeMap;
use std::path::PathBuf;

use probare_analysis::{RunValues, read_values};
use probare_core::{Better, DecisionThresholds, MetricInfo, UNSURE};
use probare_engine::{DecisionThresholdsFile, Exit, THRESHOLDS_FORMAT};
use probare_report::number::{count_with_noun, percent, rounded};
use probare_report::{GroupBy, OutputWriter, escape, refuse_overlap};
use probare_stats::{
    CalibratedThreshold, CalibratedThresholds, Guarantee, LabelOutlook, NextThreshold, decision_thresholds,
    label_outlook,
};
use serde_json::json;

use super::compare;
use super::flags::{ForReading, OptionFlags, parse_share};
use super::labelled_results::{LabelSource, find_metric};
use super::store_flags::StoreFlag;
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Calibrate a metric's decision thresholds against human labels.
///
/// Finished results are compared with human labels: a value that is good enough passes, one that is bad enough fails, and
/// in between the metric abstains (`unsure`). The two thresholds are chosen so that at most a given share of the decisions is
/// wrong, with a given confidence, for cases that are drawn like the labelled ones (an exact binomial test for one threshold
/// after the other; α is split between both ends). The file that is written goes with --decision-thresholds into `score` and
/// `run`, where labels are then pass, fail and unsure.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Results in .jsonl .json .csv .parquet or .html, or the number of a run in the store; append @MODEL for the outputs
    /// of one model
    #[arg(value_name = "RESULTS")]
    results: String,

    /// File with human labels: rows with an `id` and a label, or the labels file of `probare view`
    #[arg(long, value_name = "FILE")]
    labels: String,

    /// Metric of the results; not needed if there is only one
    #[arg(short, long, value_name = "NAME")]
    metric: Option<String>,

    /// Column with a label, or the name of an annotator in a labels file (repeatable: several annotators, whose mean counts)
    #[arg(long = "label", value_name = "COLUMN", default_value = "label")]
    columns: Vec<String>,

    /// Label value from which on a case passes
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5)]
    pass: f64,

    /// Maximum share of wrong decisions
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = parse_share)]
    error: f64,

    /// Confidence of the guarantee
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = parse_share)]
    confidence: f64,

    /// Also check the error within each group of cases: tags, a tag (lang for lang:en), or metadata.KEY
    #[arg(long, value_name = "TAG|tags|metadata.KEY")]
    by: Option<String>,

    /// File to write, for use with --decision-thresholds: .json
    #[arg(short, long = "output", value_name = "OUT.json")]
    output: Option<PathBuf>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    reading: OptionFlags<ForReading>,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    if let Some(path) = &arguments.output {
        if path.extension().is_none_or(|extension| extension != "json") {
            return Err(Failure::usage(format!("decision thresholds cannot be written to `{}`", path.display()))
                .hint("name a .json file"));
        }
        let inputs = [PathBuf::from(&arguments.results), PathBuf::from(&arguments.labels)];
        refuse_overlap(&inputs, std::slice::from_ref(path))
            .map_err(|error| Failure::usage(error.to_string()).hint("name another file to write"))?;
    }
    let results = compare::open_results(&arguments.results, &arguments.store)?;
    // Any text is something to group by.
    let by: Option<GroupBy> = arguments.by.as_ref().and_then(|by| by.parse().ok());
    let RunValues { metrics, cases } = read_values(&results, by.as_ref())?;
    let (at, info) = find_metric(arguments.metric.as_deref(), &metrics)?;
    let source =
        LabelSource { file: &arguments.labels, columns: &arguments.columns, reading: arguments.reading.reading()? };
    let labels = source.read(info)?;
    let mut held = LabelledValues::default();
    for case in &cases {
        let all = labels.get(&case.id).map(Vec::as_slice).unwrap_or_default();
        let label = all.iter().find(|label| label.is_for(case)).map(|label| label.value >= arguments.pass);
        match (label, case.values.get(at).copied().flatten()) {
            (Some(label), Some(value)) => {
                held.groups.push(case.groups.clone());
                held.cases.push((value, label));
            }
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
    if let Some(by) = by.filter(|_| held.groups.iter().all(Vec::is_empty)) {
        return Err(Failure::new(format!("no labelled case has a group by `{by}`"))
            .hint("the results have to hold their cases (.json, .html, .parquet, a run), or their input has to be where it was"));
    }
    let calibration = Calibration::new(arguments, info, held);
    if let Some(same) = calibration.uniform_labels(arguments.pass) {
        remark(&same);
    }
    print(&if arguments.json { format!("{:#}\n", calibration.json()) } else { calibration.text() })?;
    let Some(file) = calibration.file() else { return Err(calibration.undecided_failure()) };
    if let Some(path) = &arguments.output {
        let text = file.text().map_err(|error| Failure::new(error.to_string()))?;
        OutputWriter::write_file(path, text.as_bytes())
            .map_err(|error| Failure::new(format!("cannot write `{}`: {error}", path.display())))?;
        remark(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Fine)
}

/// Values and labels side by side.
#[derive(Default)]
struct LabelledValues {
    cases: Vec<(f64, bool)>,
    /// The groups of each case.
    groups: Vec<Vec<String>>,
    without_value: usize,
    without_label: usize,
    /// Their labels are of other outputs.
    of_another: usize,
}

/// How the decisions do in one group of cases.
struct GroupError {
    name: String,
    cases: usize,
    decided: usize,
    wrong: usize,
    /// Whether more are wrong than the guarantee lets one expect, with all groups taken together.
    is_broken: bool,
}

/// What was found.
struct Calibration<'a> {
    info: &'a MetricInfo,
    guarantee: Guarantee,
    held: LabelledValues,
    found: CalibratedThresholds,
    outlook: LabelOutlook,
    groups: Vec<GroupError>,
}

impl<'a> Calibration<'a> {
    fn new(arguments: &Arguments, info: &'a MetricInfo, held: LabelledValues) -> Self {
        let guarantee = Guarantee { error: arguments.error, confidence: arguments.confidence };
        // The sequence goes from the best value on.
        let sign = if info.better == Better::Higher { 1.0 } else { -1.0 };
        let oriented: Vec<(f64, bool)> = held.cases.iter().map(|(value, passes)| (sign * value, *passes)).collect();
        let turn = |end: CalibratedThreshold| CalibratedThreshold { at: sign * end.at, ..end };
        let CalibratedThresholds { pass, fail } = decision_thresholds(&oriented, guarantee);
        let found = CalibratedThresholds { pass: pass.map(turn), fail: fail.map(turn) };
        let outlook = label_outlook(&oriented, guarantee);
        let mut calibration = Self { info, guarantee, held, found, outlook, groups: Vec::new() };
        calibration.groups = calibration.errors_by_group();
        calibration
    }

    fn decided(&self) -> usize {
        self.found.decided()
    }

    /// Labelled cases that people pass.
    fn passes(&self) -> usize {
        self.held.cases.iter().filter(|(_, passes)| *passes).count()
    }

    /// What to look at where all labels say the same: from these nothing can be learnt about the other kind.
    fn uniform_labels(&self, pass: f64) -> Option<String> {
        let verdict = match self.passes() {
            0 => "fail",
            passes if passes == self.held.cases.len() => "pass",
            _ => return None,
        };
        Some(format!(
            "warning: people {verdict} every labelled case; check the column of labels, and that a label passes from {pass} on (--pass)"
        ))
    }

    /// The thresholds as a metric takes them; nothing where nothing is decided.
    fn thresholds(&self) -> Option<DecisionThresholds> {
        let at = |end: Option<CalibratedThreshold>| end.map(|threshold| threshold.at);
        let (pass, fail) = (at(self.found.pass), at(self.found.fail));
        let Guarantee { error, confidence } = self.guarantee;
        let values = || self.held.cases.iter().map(|(value, _)| *value);
        let range = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        (pass.is_some() || fail.is_some()).then_some(DecisionThresholds {
            pass,
            fail,
            error,
            confidence,
            range: Some(range),
        })
    }

    fn errors_by_group(&self) -> Vec<GroupError> {
        let Some(thresholds) = self.thresholds() else { return Vec::new() };
        let mut groups: BTreeMap<&str, GroupError> = BTreeMap::new();
        for ((value, passes), names) in self.held.cases.iter().zip(&self.held.groups) {
            let label = thresholds.label(*value, self.info.better);
            for name in names {
                let group = groups.entry(name).or_insert_with(|| GroupError {
                    name: name.clone(),
                    cases: 0,
                    decided: 0,
                    wrong: 0,
                    is_broken: false,
                });
                group.cases += 1;
                group.decided += usize::from(label != UNSURE);
                group.wrong += usize::from(label != UNSURE && (label == "pass") != *passes);
            }
        }
        let count = groups.len();
        let mut groups: Vec<GroupError> = groups.into_values().collect();
        for group in &mut groups {
            group.is_broken = self.guarantee.is_exceeded(group.wrong, group.decided, count);
        }
        groups
    }

    /// What --decision-thresholds takes; nothing where nothing is decided.
    fn file(&self) -> Option<DecisionThresholdsFile> {
        let decision_thresholds = self.thresholds()?;
        let mut options = self.info.options.clone();
        let _ = DecisionThresholds::take_from_options(&mut options);
        Some(DecisionThresholdsFile {
            format: THRESHOLDS_FORMAT,
            metric: self.info.name.clone(),
            id: self.info.id.clone().into_owned(),
            version: self.info.version,
            profile: self.info.profile.unwrap_or_default(),
            options,
            decision_thresholds,
            cases: self.held.cases.len(),
            decided: self.decided(),
        })
    }

    /// For a reader.
    fn text(&self) -> String {
        let total = self.held.cases.len();
        let mut text = format!(
            "{}: {} with a label and a value, of which people pass {}\n",
            escape::terminal(&self.info.name),
            count_with_noun(total as u64, "case", "cases"),
            self.passes(),
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
        let ends = [
            ("passes", self.found.pass, self.outlook.pass, is_higher),
            ("fails", self.found.fail, self.outlook.fail, !is_higher),
        ];
        for (verdict, end, _, upwards) in ends {
            let Some(CalibratedThreshold { at, cases, wrong, bound }) = end else { continue };
            let side = if upwards { "or more" } else { "or less" };
            text.push_str(&format!(
                "{verdict} at {} {side}: {}, {wrong} wrong, true error at most {}\n",
                rounded(at),
                count_with_noun(cases as u64, "case", "cases"),
                percent(bound),
            ));
        }
        if self.decided() > 0 {
            text.push_str(&format!(
                "coverage: {}, {} of {total} decided; {} unsure\nguarantee: at most {} of such decisions are wrong, with {} confidence\n",
                percent(self.decided() as f64 / total as f64),
                self.decided(),
                total - self.decided(),
                percent(self.guarantee.error),
                percent(self.guarantee.confidence),
            ));
        }
        for group in &self.groups {
            text.push_str(&format!(
                "group {}: {} of {} decided, {} of them wrong{}\n",
                escape::terminal(&group.name),
                group.decided,
                count_with_noun(group.cases as u64, "case", "cases"),
                group.wrong,
                if group.is_broken { "; more than guaranteed, so calibrate this group by itself" } else { "" },
            ));
        }
        for (verdict, end, next, _) in ends {
            text.push_str(&self.outlook_words(verdict, end, next));
        }
        for step in self.outlook.steps.iter().take(MOST_STEPS) {
            text.push_str(&format!(
                "with about {}: {} decided\n",
                count_with_noun(step.more as u64, "more label", "more labels"),
                percent(step.coverage)
            ));
        }
        text
    }

    /// What it would take to decide more at one end.
    fn outlook_words(&self, verdict: &str, end: Option<CalibratedThreshold>, next: Option<NextThreshold>) -> String {
        if self.decided() == self.held.cases.len() {
            return String::new();
        }
        match next {
            Some(NextThreshold { cases, wrong, more_here, more, .. }) => format!(
                "{} where it {verdict}: {} of {cases} right there; {} there, about {more} in all, if as few are wrong\n",
                if end.is_some() { "to decide more" } else { "to decide anything" },
                cases - wrong,
                count_with_noun(more_here as u64, "more label is needed", "more labels are needed"),
            ),
            None => {
                format!(
                    "where it {verdict}: more labels like these would decide no more, since {}too many are wrong\n",
                    if end.is_some() { "beyond that " } else { "" }
                )
            }
        }
    }

    fn json(&self) -> serde_json::Value {
        let end = |end: Option<CalibratedThreshold>, next: Option<NextThreshold>| {
            json!({
                "threshold": end.map(|threshold| json!({
                    "at": threshold.at, "cases": threshold.cases, "wrong": threshold.wrong, "bound": threshold.bound,
                })),
                "next": next.map(|next| json!({
                    "cases": next.cases, "wrong": next.wrong, "more_labels_here": next.more_here, "more_labels": next.more,
                })),
            })
        };
        let steps = self.outlook.steps.iter().map(|step| json!({"more_labels": step.more, "coverage": step.coverage}));
        let groups = self.groups.iter().map(|group| {
            json!({
                "group": group.name, "cases": group.cases, "decided": group.decided, "wrong": group.wrong,
                "more_than_guaranteed": group.is_broken,
            })
        });
        json!({
            "metric": self.info.name,
            "error": self.guarantee.error,
            "confidence": self.guarantee.confidence,
            "cases": self.held.cases.len(),
            "decided": self.decided(),
            "coverage": self.decided() as f64 / self.held.cases.len().max(1) as f64,
            "without_value": self.held.without_value,
            "without_label": self.held.without_label,
            "label_of_another_output": self.held.of_another,
            "pass": end(self.found.pass, self.outlook.pass),
            "fail": end(self.found.fail, self.outlook.fail),
            "with_more_labels": steps.collect::<Vec<_>>(),
            "groups": groups.collect::<Vec<_>>(),
        })
    }

    /// Why nothing is decided.
    fn undecided_failure(&self) -> Failure {
        let (total, fewest) = (self.held.cases.len(), self.guarantee.min_cases());
        let guarantee =
            format!("{} wrong with {} confidence", percent(self.guarantee.error), percent(self.guarantee.confidence));
        if total < fewest {
            return Failure::new(format!(
                "{} are too few: {fewest} at one end of the scale have to be right to guarantee at most {guarantee}",
                count_with_noun(total as u64, "labelled case", "labelled cases")
            ))
            .hint(format!(
                "label at least {} more, or allow more with --error, or ask for less with --confidence",
                fewest - total
            ));
        }
        let failure =
            Failure::new(format!("at neither end of `{}` can at most {guarantee} be guaranteed", self.info.name));
        match self.outlook.steps.first() {
            Some(step) => failure.hint(format!(
                "label about {} more cases like these, or allow more with --error, or ask for less with --confidence",
                step.more
            )),
            None => failure.hint("allow more with --error, or ask for less with --confidence, or take another metric"),
        }
    }
}

/// Lines about more labels.
const MOST_STEPS: usize = 4;
