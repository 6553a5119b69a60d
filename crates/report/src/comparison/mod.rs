//! Two or more runs over the same cases, held against each other.
//!
//! A [`RunScores`] is a run as a comparison needs it: what each metric said about each case. [`RunComparison::of`] pairs the cases of
//! the first side, the baseline, with those of every other one, by id, occurrence and content, and says for each metric how
//! much the other is ahead, how sure that is, and what the number of cases could have shown. Where the results come from,
//! a file or a store, is no matter of this module.

mod cases;
mod columns;
mod csv;
mod gate;
mod html;
mod markdown;
mod measure;
mod phrases;
mod prefix;
mod request;
mod side;
mod terminal;
mod viewer;

pub use self::cases::{CaseEvidence, CaseIdentity, EvidenceByCase, Pairing};
pub use self::gate::NonInferiorityVerdict;
pub use self::measure::{CaseChange, MetricComparison, MetricDifference, Slice};
pub(crate) use self::phrases::{ends, p_value, signed};
pub use self::prefix::{PrefixComparedRun, PrefixComparison, PrefixDifference, PrefixGate, PrefixRun, case_order_key};
pub use self::request::{ComparisonRequest, NonInferiorityGate, POWER};
pub use self::side::{CaseMean, ComparedOutput, ContentHash, RunScores, case_content_hash, question_hash};
pub use self::viewer::{
    CaseChangeView, ComparedRunView, ComparisonView, DifferenceView, MetricComparisonView, SliceView,
};

use std::collections::{BTreeMap, BTreeSet};

use probare_stats::{benjamini_hochberg, holm};
use serde::Serialize;

use crate::PassAt;

/// Runs against a baseline.
#[derive(Debug, Clone, Serialize)]
pub struct RunComparison {
    /// The run that the others are held against.
    pub baseline: String,
    /// By what slices were cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The column that says which cases hang together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Which of the numbers decides, in a sentence.
    pub rule: String,
    /// One for each other run.
    pub others: Vec<ComparedRun>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// A run against the baseline.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedRun {
    /// The run.
    pub name: String,
    /// How cases were paired.
    pub pairing: Pairing,
    /// What each metric says.
    pub metrics: Vec<MetricComparison>,
    /// What became of the limits.
    pub gates: Vec<NonInferiorityVerdict>,
}

/// A comparison that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// There is nothing to hold against each other.
    #[error("`{first}` and `{second}` have no metric in common")]
    NoMetric {
        /// The baseline.
        first: String,
        second: String,
    },
    /// A metric that was asked for is not in all runs.
    #[error("`{run}` has no metric `{metric}`; its metrics are {known}")]
    UnknownMetric { run: String, metric: String, known: String },
    /// One run has outputs of several models, and the other of others.
    #[error("`{several}` has outputs of several models ({models}), and `{other}` has {others}")]
    Models {
        /// The run with several models.
        several: String,
        models: String,
        other: String,
        /// Its models.
        others: String,
    },
    /// No case has what cases are to be clustered by.
    #[error("no case that `{run}` shares with the baseline has a column `{column}`, or its inputs are not available")]
    NoCluster { run: String, column: String },
    /// No case of the runs is the same.
    #[error("`{first}` and `{second}` have no case in common")]
    NoCase {
        /// The baseline.
        first: String,
        second: String,
    },
}

/// How often all outputs of a case pass in each run, where cases have several.
fn pass_notes(sides: &[&RunScores], metrics: &[MetricComparison]) -> Vec<String> {
    let passes: Vec<BTreeMap<&str, PassAt>> = sides.iter().map(|side| side.pass_all()).collect();
    let note = |metric: &MetricComparison| {
        let each: Option<Vec<String>> = (sides.iter().zip(&passes))
            .map(|(side, passes)| {
                let pass = passes.get(metric.metric.as_str())?;
                Some(format!("pass^{} is {:.4} in `{}`", pass.k, pass.mean, side.name))
            })
            .collect();
        Some(format!("`{}`: {}", metric.metric, each?.join(", ")))
    };
    metrics.iter().filter_map(note).collect()
}

impl RunComparison {
    /// Holds every further side against the first. Fewer than two sides have no others.
    pub fn compare(sides: &[RunScores], request: &ComparisonRequest) -> Result<Self, ComparisonError> {
        Self::between(&sides.iter().collect::<Vec<_>>(), request)
    }

    /// The same of sides that stand apart.
    pub(crate) fn between(sides: &[&RunScores], request: &ComparisonRequest) -> Result<Self, ComparisonError> {
        let Some((baseline, others)) = sides.split_first() else {
            return Ok(Self {
                baseline: String::new(),
                by: None,
                cluster: None,
                rule: String::new(),
                others: Vec::new(),
                notes: Vec::new(),
            });
        };
        let requested = request.metrics.iter().chain(request.not_worse.iter().map(|gate| &gate.metric));
        for (name, side) in requested.flat_map(|name| sides.iter().map(move |side| (name, side))) {
            if side.metrics.iter().all(|metric| metric.name != *name) {
                let known: Vec<&str> = side.metrics.iter().map(|metric| metric.name.as_str()).collect();
                let (run, metric) = (side.name.clone(), name.clone());
                return Err(ComparisonError::UnknownMetric { run, metric, known: known.join(", ") });
            }
        }
        let with_models = sides.iter().any(|side| side.has_several_models());
        let first = baseline.cases(with_models);
        let mut notes: Vec<String> = sides.iter().flat_map(|side| side.notes.iter().cloned()).collect();
        let mut found = Vec::new();
        for side in others {
            let error = || (baseline.name.clone(), side.name.clone());
            if with_models && baseline.models() != side.models() {
                return Err(different_models(baseline, side));
            }
            let second = side.cases(with_models);
            let (pairing, paired) = side::pair(&first, &second);
            if pairing.matched == 0 {
                let (first, second) = error();
                return Err(ComparisonError::NoCase { first, second });
            }
            if let Some(cluster) = &request.cluster
                && !paired.iter().any(|pair| pair.cluster().is_some())
            {
                let (run, column) = (side.name.clone(), cluster.to_string());
                return Err(ComparisonError::NoCluster { run, column });
            }
            let metrics = measure::metrics(baseline, side, &paired, request, &mut notes);
            if metrics.is_empty() {
                let (first, second) = error();
                return Err(ComparisonError::NoMetric { first, second });
            }
            found.push(ComparedRun { name: side.name.clone(), pairing, metrics, gates: Vec::new() });
        }
        let tests = adjust(&mut found, request.seed);
        for other in &mut found {
            other.gates =
                request.not_worse.iter().map(|gate| NonInferiorityVerdict::evaluate(gate, &other.metrics)).collect();
        }
        if with_models {
            notes.push(
                "the runs have several models: the first table has one pair a case, the mean over its models; each model \
                 has a row of its own"
                    .to_owned(),
            );
        }
        notes.extend(found.first().map(|other| pass_notes(sides, &other.metrics)).into_iter().flatten());
        notes.dedup();
        let by = request.by.as_ref().map(ToString::to_string);
        let cluster = request.cluster.as_ref().map(ToString::to_string);
        Ok(Self { baseline: baseline.name.clone(), by, cluster, rule: rule(tests), others: found, notes })
    }

    /// What is told apart beside the whole: models, where the runs have several, and slices.
    fn parts(&self) -> impl Iterator<Item = (&str, fn(&MetricComparison) -> &[Slice])> {
        let models: fn(&MetricComparison) -> &[Slice] = |metric| &metric.models;
        let slices: fn(&MetricComparison) -> &[Slice] = |metric| &metric.slices;
        [("model", models)].into_iter().chain(self.by.as_deref().map(|by| (by, slices)))
    }

    /// Whether every limit is kept.
    pub fn passes(&self) -> bool {
        self.others.iter().flat_map(|other| &other.gates).all(|gate| gate.passed)
    }

    /// The cases whose change is worth a look: at most `most` of each metric of each run.
    pub fn changed_cases(&self, most: usize) -> BTreeSet<CaseIdentity> {
        let metrics = self.others.iter().flat_map(|other| &other.metrics);
        metrics.flat_map(|metric| metric.changes.iter().take(most)).map(|change| change.case.clone()).collect()
    }
}

/// Two runs with outputs of different models: whose are to be compared is for the user to say.
fn different_models(first: &RunScores, second: &RunScores) -> ComparisonError {
    let (several, other) = if first.has_several_models() { (first, second) } else { (second, first) };
    let others = other.models();
    ComparisonError::Models {
        several: several.name.clone(),
        models: several.models().join(", "),
        other: other.name.clone(),
        others: if others.is_empty() {
            "outputs that name no model".to_owned()
        } else {
            format!("those of {}", others.join(", "))
        },
    }
}

/// Which of the numbers decides.
fn rule(tests: usize) -> String {
    match tests {
        0 | 1 => "the verdict goes by p, below 0.05; limits go by the interval".to_owned(),
        several => format!(
            "the verdict goes by the adjusted p, below 0.05, which takes all {several} tests into account (Holm); an \
             interval of one metric alone may exclude 0 where the adjusted one does not; limits go by the interval alone"
        ),
    }
}

/// Several tests were made: over metrics, runs and models after Holm, over slices after Benjamini and Hochberg. Gives the number of
/// the former.
fn adjust(others: &mut [ComparedRun], seed: u64) -> usize {
    let metrics = || others.iter().flat_map(|other| &other.metrics);
    let tested = |metric: &MetricComparison| {
        let models = metric.models.iter().map(|model| &model.finding);
        metric.whole.iter().chain(models).map(|finding| finding.contrast.p_value).collect::<Vec<f64>>()
    };
    let all: Vec<f64> = metrics().flat_map(tested).collect();
    let slices: Vec<f64> =
        metrics().flat_map(|metric| &metric.slices).map(|slice| slice.finding.contrast.p_value).collect();
    let tests = all.len();
    let (mut all, mut slices) = (holm(&all).into_iter(), benjamini_hochberg(&slices).into_iter());
    for metric in others.iter_mut().flat_map(|other| &mut other.metrics) {
        let models = metric.models.iter_mut().map(|model| &mut model.finding);
        for finding in metric.whole.iter_mut().chain(models) {
            finding.adjust(all.next().unwrap_or(1.0), seed);
        }
        for slice in &mut metric.slices {
            slice.finding.adjust(slices.next().unwrap_or(1.0), seed);
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use probare_core::{Better, Case, MetricResult, Outcome, Score};

    use super::*;
    use crate::testing::metrics;

    fn side(name: &str, values: &[(&str, Option<&str>, f64)]) -> RunScores {
        let mut side = RunScores::new(name, metrics()[..1].to_vec());
        for (id, query, value) in values {
            let case = query.map(|query| Case { query: Some(query.to_owned()), ..Case::default() });
            let named: MetricResult = Ok(Outcome::Scored(Score::from_number(*value).unwrap()));
            side.add((id, None, 0), &[Some(named)], case.as_ref(), &ComparisonRequest::default());
        }
        side
    }

    fn compared(first: &RunScores, second: &RunScores, request: &ComparisonRequest) -> RunComparison {
        RunComparison::compare(&[first.clone(), second.clone()], request).unwrap()
    }

    #[test]
    fn cases_are_paired_by_id_occurrence_and_content() {
        let first = side("a", &[("1", Some("q"), 0.0), ("1", Some("q"), 1.0), ("2", Some("r"), 0.5), ("3", None, 1.0)]);
        let second =
            side("b", &[("1", Some("q"), 1.0), ("1", Some("q"), 1.0), ("2", Some("x"), 0.5), ("4", None, 1.0)]);
        let found = compared(&first, &second, &ComparisonRequest::default());
        let expected = Pairing { matched: 2, only_baseline: 1, only_other: 1, different_content: 1 };
        assert_eq!(found.others[0].pairing, expected);
        let changes = &found.others[0].metrics[0].changes;
        assert_eq!((changes.len(), changes[0].case.occurrence, changes[0].improved), (1, 0, true));
    }

    #[test]
    fn repeats_are_averaged_within_their_case_first() {
        let mut first = RunScores::new("a", metrics()[..1].to_vec());
        let named = |value: f64| Some(Ok(Outcome::Scored(Score::from_number(value).unwrap())));
        for (repeat, value) in [(0, 0.0), (1, 1.0), (2, 0.5)] {
            first.add(("1", Some("m"), repeat), &[named(value)], None, &ComparisonRequest::default());
        }
        let found = compared(&first, &side("b", &[("1", None, 1.0)]), &ComparisonRequest::default());
        let whole = found.others[0].metrics[0].whole.as_ref().unwrap();
        assert_eq!((whole.contrast.pairs, whole.baseline, whole.contrast.mean), (1, 0.5, 0.5));
    }

    #[test]
    fn a_run_without_a_value_is_counted_and_never_a_zero() {
        let mut second = RunScores::new("b", metrics()[..1].to_vec());
        second.add(("1", None, 0), &[None], None, &ComparisonRequest::default());
        second.add(("2", None, 0), &[Some(Ok(Outcome::not_applicable("no")))], None, &ComparisonRequest::default());
        let found = compared(&side("a", &[("1", None, 1.0), ("2", None, 1.0)]), &second, &ComparisonRequest::default());
        let metric = &found.others[0].metrics[0];
        assert!(metric.whole.is_none());
        assert_eq!((metric.only_baseline_scored, metric.worsened), (2, 0));
    }

    #[test]
    fn the_interval_that_decides_agrees_with_the_verdict() {
        let mut metrics = metrics();
        metrics[0].name = "a".into();
        let rows = |shift: f64, name: &str| {
            let mut side = RunScores::new(name, metrics.clone());
            for at in 0..12_u32 {
                let value = f64::from(at % 5) / 10.0;
                let nudge = if at % 3 == 0 { 0.0 } else { shift };
                let cells: Vec<Option<MetricResult>> = (0..3)
                    .map(|_| Some(Ok(Outcome::Scored(Score::from_number(value + nudge * f64::from(at % 4)).unwrap()))))
                    .collect();
                side.add((&at.to_string(), None, 0), &cells, None, &ComparisonRequest::default());
            }
            side
        };
        let found = compared(&rows(0.0, "x"), &rows(0.05, "y"), &ComparisonRequest::default());
        let whole = found.others[0].metrics[0].whole.as_ref().unwrap();
        assert!(whole.adjusted > whole.contrast.p_value, "{whole:?}");
        let (raw, adjusted) = (whole.contrast.interval.unwrap(), whole.interval_adjusted.unwrap());
        assert!(adjusted.low < raw.low && raw.high < adjusted.high, "{raw:?} {adjusted:?}");
        assert!(found.rule.contains("adjusted p") && found.rule.contains("3 tests"), "{}", found.rule);
        for text in [
            found.to_terminal(&EvidenceByCase::new(), crate::TerminalStyle { width: 160, colour: false }),
            found.to_markdown(&EvidenceByCase::new()),
            found.to_html(&EvidenceByCase::new(), None),
        ] {
            assert!(text.contains("adjusted"), "{text}");
        }
        assert!(found.to_csv().starts_with(
            "run,metric,slice,pairs,baseline,other,difference,low,high,low_adjusted,high_adjusted,p_value,"
        ));
    }

    #[test]
    fn what_several_models_said_is_not_paired_with_what_nobody_signed() {
        let mut several = RunScores::new("a", metrics()[..1].to_vec());
        let named = || Some(Ok(Outcome::Scored(Score::from_number(0.5).unwrap())));
        for model in ["m", "n"] {
            several.add(("1", Some(model), 0), &[named()], None, &ComparisonRequest::default());
        }
        let error = RunComparison::compare(&[several, side("b", &[("1", None, 1.0)])], &ComparisonRequest::default())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a` has outputs of several models (m, n), and `b` has outputs that name no model"
        );
    }

    /// A run of three models over 60 cases; `good` says which outputs are right.
    fn of_models(name: &str, good: impl Fn(u32, &str) -> bool) -> RunScores {
        let mut side = RunScores::new(name, metrics()[..1].to_vec());
        for at in 0..60_u32 {
            for model in ["m", "n", "o"] {
                let value = f64::from(u8::from(good(at, model)));
                let named = Some(Ok(Outcome::Scored(Score::from_number(value).unwrap())));
                side.add((&at.to_string(), Some(model), 0), &[named], None, &ComparisonRequest::default());
            }
        }
        side
    }

    #[test]
    fn models_of_one_case_are_no_independent_cases() {
        // Four cases are right afterwards, whichever model answers: four improvements of 60, not twelve of 180.
        let first = of_models("a", |at, _| at >= 30);
        let second = of_models("b", |at, _| at >= 26);
        let found = compared(&first, &second, &ComparisonRequest::default());
        let other = &found.others[0];
        assert_eq!(other.pairing.matched, 60);
        let metric = &other.metrics[0];
        let whole = metric.whole.as_ref().unwrap();
        assert_eq!((whole.contrast.pairs, metric.models.len()), (60, 3));
        assert!(whole.contrast.p_value > 0.05, "{whole:?}");
        for model in &metric.models {
            let contrast = &model.finding.contrast;
            assert!(contrast.pairs == 60 && (contrast.p_value - 0.125).abs() < 1e-9, "{}", model.slice);
            assert!(model.finding.adjusted > 0.125, "four tests were made");
        }
        assert!(found.rule.contains("4 tests"), "{}", found.rule);
        let models: Vec<&str> = metric.models.iter().map(|model| model.slice.as_str()).collect();
        assert_eq!(models, ["m", "n", "o"]);
        // Every form names the models, in their table and beside the outputs that changed.
        let evidences = EvidenceByCase::new();
        for text in [
            found.to_terminal(&evidences, crate::TerminalStyle { width: 160, colour: false }),
            found.to_markdown(&evidences),
            found.to_html(&evidences, None),
            found.to_csv(),
            serde_json::to_string(&found.to_view(&evidences)).unwrap(),
            serde_json::to_string(&found).unwrap(),
        ] {
            let has_number =
                |number: &str| text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == number);
            assert!(has_number("60") && !has_number("180"), "{text}");
            assert!(["m", "n", "o"].iter().all(|model| text.contains(model)), "{text}");
        }
        assert!(found.to_terminal(&evidences, crate::TerminalStyle { width: 160, colour: false }).contains("26 (m)"));
        assert!(found.to_markdown(&evidences).contains(r"26 \(m\)"));
        assert!(found.to_html(&evidences, None).contains("26 (m)"));
        assert!(found.to_csv().contains(",better,") || found.to_csv().contains("no difference shown,m\n"));
    }

    #[test]
    fn a_difference_of_one_model_is_found_in_its_row() {
        let first = of_models("a", |at, _| at % 2 == 0);
        let second = of_models("b", |at, model| at % 2 == 0 || model == "n");
        let found = compared(&first, &second, &ComparisonRequest::default());
        let verdicts: Vec<&str> =
            found.others[0].metrics[0].models.iter().map(|model| model.finding.verdict()).collect();
        assert_eq!(verdicts, ["no difference shown", "better", "no difference shown"]);
        let whole = found.others[0].metrics[0].whole.as_ref().unwrap();
        assert!((whole.contrast.mean - 1.0 / 6.0).abs() < 1e-12, "a third of half of the cases: {whole:?}");
    }

    #[test]
    fn slices_have_one_pair_a_case_too() {
        let request = ComparisonRequest { by: Some("lang".parse().unwrap()), ..ComparisonRequest::default() };
        let of = |name: &str| {
            let mut side = RunScores::new(name, metrics()[..1].to_vec());
            for at in 0..10_u32 {
                let case = Case { tags: vec!["lang:en".to_owned()], ..Case::default() };
                for model in ["m", "n"] {
                    let named = Some(Ok(Outcome::Scored(Score::from_number(0.5).unwrap())));
                    side.add((&at.to_string(), Some(model), 0), &[named], Some(&case), &request);
                }
            }
            side
        };
        let found = compared(&of("a"), &of("b"), &request);
        let metric = &found.others[0].metrics[0];
        assert_eq!(metric.slices[0].finding.contrast.pairs, 10);
    }

    #[test]
    fn runs_of_different_models_want_a_name() {
        let only = |name: &str, models: &[&str]| {
            let mut side = RunScores::new(name, metrics()[..1].to_vec());
            for model in models {
                let named = Some(Ok(Outcome::Scored(Score::from_number(0.5).unwrap())));
                side.add(("1", Some(model), 0), &[named], None, &ComparisonRequest::default());
            }
            side
        };
        let error =
            RunComparison::compare(&[only("a", &["m", "n"]), only("b", &["m", "o"])], &ComparisonRequest::default())
                .unwrap_err();
        assert_eq!(error.to_string(), "`a` has outputs of several models (m, n), and `b` has those of m, o");
        // One model each is compared whatever the models are called.
        assert!(RunComparison::compare(&[only("a", &["m"]), only("b", &["o"])], &ComparisonRequest::default()).is_ok());
    }

    #[test]
    fn a_missed_limit_says_how_many_pairs_would_do() {
        let of = |name: &str, cases: usize| {
            let rows: Vec<(String, f64)> =
                (0..cases).map(|at| (at.to_string(), f64::from(u8::from(at % 2 == 0)))).collect();
            side(name, &rows.iter().map(|(id, value)| (id.as_str(), None, *value)).collect::<Vec<_>>())
        };
        let request = ComparisonRequest {
            not_worse: vec![NonInferiorityGate { metric: metrics()[0].name.clone(), margin: 0.05, confident: false }],
            ..ComparisonRequest::default()
        };
        let gate = |cases: usize| compared(&of("a", cases), &of("b", cases), &request).others[0].gates[0].clone();
        let missed = gate(30);
        let needed = missed.pairs_needed.unwrap();
        assert!(!missed.passed && missed.to_string().contains(&format!("about {needed} pairs like these")), "{missed}");
        let enough = usize::try_from(needed).unwrap();
        assert!(gate(enough).passed && !gate(enough - 1).passed, "{needed}");
        assert_eq!(gate(enough).pairs_needed, None);
        // Where the other run is worse by more than the margin, no number of pairs helps.
        let worse = compared(&of("a", 30), &side("b", &[("0", None, 0.0), ("2", None, 0.0)]), &request);
        assert_eq!(worse.others[0].gates[0].pairs_needed, None);
    }

    #[test]
    fn cases_of_one_source_bring_less_confidence() {
        let request =
            |column: &str| ComparisonRequest { cluster: Some(column.parse().unwrap()), ..ComparisonRequest::default() };
        let of = |name: &str, shift: f64, request: &ComparisonRequest| {
            let mut side = RunScores::new(name, metrics()[..1].to_vec());
            for at in 0..40_u32 {
                let mut case = Case::default();
                case.metadata.insert("source".into(), (at / 10).into());
                let value = f64::from(at / 10) / 10.0 * shift;
                let named = Some(Ok(Outcome::Scored(Score::from_number(value).unwrap())));
                side.add((&at.to_string(), None, 0), &[named], Some(&case), request);
            }
            side
        };
        let p = |request: &ComparisonRequest| {
            let found = RunComparison::compare(&[of("a", 1.0, request), of("b", 1.5, request)], request)?;
            Ok::<_, ComparisonError>(found.others[0].metrics[0].whole.as_ref().unwrap().contrast)
        };
        let (plain, clustered) = (p(&ComparisonRequest::default()).unwrap(), p(&request("source")).unwrap());
        assert!(plain.p_value < 0.001 && clustered.p_value > 0.05, "{plain:?} {clustered:?}");
        assert_eq!(clustered.p_value_by.name(), "cluster-robust t");
        let error = p(&request("author")).unwrap_err().to_string();
        assert!(error.contains("has a column `author`"), "{error}");
    }

    #[test]
    fn limits_ask_for_certainty_and_confident_ones_for_certain_harm() {
        let values = |good: usize| -> Vec<(String, f64)> {
            (0..100).map(|at| (at.to_string(), if at < good { 1.0 } else { 0.0 })).collect()
        };
        let of = |name: &str, good: usize| {
            let values = values(good);
            let rows: Vec<(&str, Option<&str>, f64)> =
                values.iter().map(|(id, value)| (id.as_str(), None, *value)).collect();
            side(name, &rows)
        };
        let request = |margin, confident| ComparisonRequest {
            not_worse: vec![NonInferiorityGate { metric: metrics()[0].name.clone(), margin, confident }],
            ..ComparisonRequest::default()
        };
        let passes =
            |good, margin, confident| compared(&of("a", 50), &of("b", good), &request(margin, confident)).passes();
        assert_eq!(metrics()[0].better, Better::Higher);
        assert!(
            passes(50, 0.05, false) && !passes(50, 0.01, false),
            "the same answers are sure to five points of a hundred"
        );
        assert!(passes(49, 0.0, true) && !passes(30, 0.05, true));
        assert!(!passes(48, 0.02, false) && passes(70, 0.0, false));
    }

    #[test]
    fn what_cannot_be_compared_is_explained() {
        let (first, second) = (side("a", &[("1", None, 1.0)]), side("b", &[("2", None, 1.0)]));
        let error = |request: &ComparisonRequest| {
            RunComparison::compare(&[first.clone(), second.clone()], request).unwrap_err().to_string()
        };
        assert_eq!(error(&ComparisonRequest::default()), "`a` and `b` have no case in common");
        let request = ComparisonRequest { metrics: vec!["x".to_owned()], ..ComparisonRequest::default() };
        assert_eq!(error(&request), "`a` has no metric `x`; its metrics are relevance");
    }

    #[test]
    fn a_narrow_terminal_keeps_the_verdict() {
        let found =
            compared(&side("a", &[("1", None, 1.0)]), &side("b", &[("1", None, 0.0)]), &ComparisonRequest::default());
        let text = found.to_terminal(&EvidenceByCase::new(), crate::TerminalStyle { width: 80, colour: false });
        assert!(text.contains("verdict") && text.contains("no difference shown"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn markdown_fits_into_a_comment() {
        let long = |at: usize| format!("{at} {}", "case & more ".repeat(20));
        let ids: Vec<String> = (0..60).map(long).collect();
        let row = |value: f64| ids.iter().map(|id| (id.as_str(), None, value)).collect::<Vec<_>>();
        let baseline = side("a", &row(1.0));
        let others: Vec<RunScores> = (0..90).map(|at| side(&format!("{at} {}", "b".repeat(80)), &row(0.0))).collect();
        let sides: Vec<RunScores> = std::iter::once(baseline).chain(others).collect();
        let text =
            RunComparison::compare(&sides, &ComparisonRequest::default()).unwrap().to_markdown(&EvidenceByCase::new());
        assert!(text.len() < 65_536, "{}", text.len());
        assert!(text.contains("would not fit into a comment"), "{}", &text[text.len() - 200..]);
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }

    #[test]
    fn names_of_others_are_no_markup() {
        let evil = "<b>|\u{1b}[31m";
        let found = compared(
            &side(evil, &[(evil, None, 1.0)]),
            &side(evil, &[(evil, None, 0.0)]),
            &ComparisonRequest::default(),
        );
        let evidences = EvidenceByCase::new();
        assert!(!found.to_html(&evidences, None).contains("<b>|"));
        assert!(!found.to_markdown(&evidences).contains("<b>|"));
        assert!(!found.to_terminal(&evidences, crate::TerminalStyle::PLAIN).contains('\u{1b}'));
    }
}
