//! Two or more runs over the same cases, held against each other.
//!
//! A [`Side`] is a run as a comparison needs it: what each metric said about each case. [`Comparison::of`] pairs the cases of
//! the first side, the baseline, with those of every other one, by id, occurrence and content, and says for each metric how
//! much the other is ahead, how sure that is, and what the number of cases could have shown. Where the results come from,
//! a file or a store, is no matter of this module.

mod csv;
mod desk;
mod gate;
mod html;
mod markdown;
mod measure;
mod side;
mod terminal;
mod told;

pub use self::gate::{NotWorse, Standing};
pub use self::measure::{Change, Finding, Measured, Slice};
pub use self::side::{Compared, Content, Side, content, content_of};
pub(crate) use self::told::{ends, p_value, signed};

use std::collections::{BTreeMap, BTreeSet};

use probare_core::{Case, MetricInfo, Named};
use probare_stats::{benjamini_hochberg, holm};
use serde::Serialize;

use crate::{By, Cluster};

/// The chance of finding a difference of the size that is told as the least detectable one.
pub const POWER: f64 = 0.8;

/// What is asked of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Only these metrics; all that the runs share where it is empty.
    pub metrics: Vec<String>,
    /// By what the differences are told apart.
    pub by: Option<By>,
    /// The column that says which cases hang together.
    pub cluster: Option<Cluster>,
    /// What the other runs must not be worse in.
    pub not_worse: Vec<NotWorse>,
    /// Where random numbers start.
    pub seed: u64,
}

/// Runs against a baseline.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
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
    pub others: Vec<Other>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// A run against the baseline.
#[derive(Debug, Clone, Serialize)]
pub struct Other {
    /// The run.
    pub name: String,
    /// How cases were paired.
    pub pairing: Pairing,
    /// What each metric says.
    pub metrics: Vec<Measured>,
    /// What became of the limits.
    pub gates: Vec<Standing>,
}

/// How many cases have a counterpart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// Cases of both runs.
    pub matched: u64,
    /// Cases of the baseline alone.
    pub only_baseline: u64,
    /// Cases of the other run alone.
    pub only_other: u64,
    /// Cases of the same id whose question or reference is another one; they are not compared.
    pub different_content: u64,
}

/// What identifies a case in all runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Identity {
    /// Id of the case.
    pub id: String,
    /// The model, where a run has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Which case of this id, counted from 0.
    pub occurrence: u32,
}

/// What a run says of a case that changed, for who wants to see why.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The case, where its texts are at hand.
    pub case: Option<Case>,
    /// What each metric of the run said.
    pub named: Vec<(MetricInfo, Named)>,
}

/// What all runs say of the cases that changed, in the order of the runs.
pub type Evidences = BTreeMap<Identity, Vec<Option<Seen>>>;

/// A comparison that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComparisonError {
    /// There is nothing to hold against each other.
    #[error("`{first}` and `{second}` have no metric in common")]
    NoMetric {
        /// The baseline.
        first: String,
        /// The other run.
        second: String,
    },
    /// A metric that was asked for is not in all runs.
    #[error("`{run}` has no metric `{metric}`; it has {known}")]
    UnknownMetric {
        /// The run.
        run: String,
        /// The metric.
        metric: String,
        /// What there is.
        known: String,
    },
    /// One run has outputs of several models, and the other has none of them.
    #[error("`{several}` has outputs of several models ({models}), of which `{other}` has none")]
    Models {
        /// The run with several models.
        several: String,
        /// Those models.
        models: String,
        /// The other run.
        other: String,
    },
    /// No case has what cases are to be clustered by.
    #[error("no case that `{run}` shares with the baseline has a column `{column}`, or its inputs are not at hand")]
    NoCluster {
        /// The run.
        run: String,
        /// The column.
        column: String,
    },
    /// No case of the runs is the same.
    #[error("`{first}` and `{second}` have no case in common")]
    NoCase {
        /// The baseline.
        first: String,
        /// The other run.
        second: String,
    },
}

impl Comparison {
    /// Holds every further side against the first. Fewer than two sides have no others.
    pub fn of(sides: &[Side], asked: &Asked) -> Result<Self, ComparisonError> {
        Self::between(&sides.iter().collect::<Vec<_>>(), asked)
    }

    /// The same of sides that stand apart.
    pub(crate) fn between(sides: &[&Side], asked: &Asked) -> Result<Self, ComparisonError> {
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
        let wanted = asked.metrics.iter().chain(asked.not_worse.iter().map(|gate| &gate.metric));
        for (name, side) in wanted.flat_map(|name| sides.iter().map(move |side| (name, side))) {
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
            let second = side.cases(with_models);
            let (pairing, paired) = side::pair(&first, &second);
            if pairing.matched == 0 {
                let (first, second) = error();
                return Err(unpaired(baseline, side).unwrap_or(ComparisonError::NoCase { first, second }));
            }
            if let Some(cluster) = &asked.cluster
                && !paired.iter().any(|pair| pair.cluster().is_some())
            {
                let (run, column) = (side.name.clone(), cluster.to_string());
                return Err(ComparisonError::NoCluster { run, column });
            }
            let metrics = measure::metrics(baseline, side, &paired, asked, &mut notes);
            if metrics.is_empty() {
                let (first, second) = error();
                return Err(ComparisonError::NoMetric { first, second });
            }
            found.push(Other { name: side.name.clone(), pairing, metrics, gates: Vec::new() });
        }
        let tests = adjust(&mut found, asked.seed);
        for other in &mut found {
            other.gates = asked.not_worse.iter().map(|gate| Standing::of(gate, &other.metrics)).collect();
        }
        notes.dedup();
        let by = asked.by.as_ref().map(ToString::to_string);
        let cluster = asked.cluster.as_ref().map(ToString::to_string);
        Ok(Self { baseline: baseline.name.clone(), by, cluster, rule: rule(tests), others: found, notes })
    }

    /// Whether every limit is kept.
    pub fn passes(&self) -> bool {
        self.others.iter().flat_map(|other| &other.gates).all(|gate| gate.passed)
    }

    /// The cases whose change is worth a look: at most `most` of each metric of each run.
    pub fn changed(&self, most: usize) -> BTreeSet<Identity> {
        let metrics = self.others.iter().flat_map(|other| &other.metrics);
        metrics.flat_map(|metric| metric.changes.iter().take(most)).map(|change| change.case.clone()).collect()
    }
}

/// Why no case has a counterpart, where that is a matter of models.
fn unpaired(first: &Side, second: &Side) -> Option<ComparisonError> {
    [(first, second), (second, first)].into_iter().find(|(several, _)| several.has_several_models()).map(
        |(several, other)| ComparisonError::Models {
            several: several.name.clone(),
            models: several.models().join(", "),
            other: other.name.clone(),
        },
    )
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

/// Several tests were made: over metrics and runs after Holm, over slices after Benjamini and Hochberg. Gives the number of
/// the former.
fn adjust(others: &mut [Other], seed: u64) -> usize {
    let metrics = || others.iter().flat_map(|other| &other.metrics);
    let all: Vec<f64> = metrics().filter_map(|metric| Some(metric.whole.as_ref()?.contrast.p_value)).collect();
    let slices: Vec<f64> =
        metrics().flat_map(|metric| &metric.slices).map(|slice| slice.finding.contrast.p_value).collect();
    let tests = all.len();
    let (mut all, mut slices) = (holm(&all).into_iter(), benjamini_hochberg(&slices).into_iter());
    for metric in others.iter_mut().flat_map(|other| &mut other.metrics) {
        if let Some(whole) = &mut metric.whole {
            whole.adjust(all.next().unwrap_or(1.0), seed);
        }
        for slice in &mut metric.slices {
            slice.finding.adjust(slices.next().unwrap_or(1.0), seed);
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use probare_core::{Better, Outcome, Score};

    use super::*;
    use crate::testing::metrics;

    fn side(name: &str, values: &[(&str, Option<&str>, f64)]) -> Side {
        let mut side = Side::new(name, metrics()[..1].to_vec());
        for (id, query, value) in values {
            let case = query.map(|query| Case { query: Some(query.to_owned()), ..Case::default() });
            let named: Named = Ok(Outcome::Scored(Score::from_number(*value).unwrap()));
            side.add((id, None, 0), &[Some(named)], case.as_ref(), &Asked::default());
        }
        side
    }

    fn compared(first: &Side, second: &Side, asked: &Asked) -> Comparison {
        Comparison::of(&[first.clone(), second.clone()], asked).unwrap()
    }

    #[test]
    fn cases_are_paired_by_id_occurrence_and_content() {
        let first = side("a", &[("1", Some("q"), 0.0), ("1", Some("q"), 1.0), ("2", Some("r"), 0.5), ("3", None, 1.0)]);
        let second =
            side("b", &[("1", Some("q"), 1.0), ("1", Some("q"), 1.0), ("2", Some("x"), 0.5), ("4", None, 1.0)]);
        let found = compared(&first, &second, &Asked::default());
        let expected = Pairing { matched: 2, only_baseline: 1, only_other: 1, different_content: 1 };
        assert_eq!(found.others[0].pairing, expected);
        let changes = &found.others[0].metrics[0].changes;
        assert_eq!((changes.len(), changes[0].case.occurrence, changes[0].improved), (1, 0, true));
    }

    #[test]
    fn repeats_are_averaged_within_their_case_first() {
        let mut first = Side::new("a", metrics()[..1].to_vec());
        let named = |value: f64| Some(Ok(Outcome::Scored(Score::from_number(value).unwrap())));
        for (repeat, value) in [(0, 0.0), (1, 1.0), (2, 0.5)] {
            first.add(("1", Some("m"), repeat), &[named(value)], None, &Asked::default());
        }
        let found = compared(&first, &side("b", &[("1", None, 1.0)]), &Asked::default());
        let whole = found.others[0].metrics[0].whole.as_ref().unwrap();
        assert_eq!((whole.contrast.pairs, whole.baseline, whole.contrast.mean), (1, 0.5, 0.5));
    }

    #[test]
    fn a_run_without_a_value_is_counted_and_never_a_zero() {
        let mut second = Side::new("b", metrics()[..1].to_vec());
        second.add(("1", None, 0), &[None], None, &Asked::default());
        second.add(("2", None, 0), &[Some(Ok(Outcome::not_applicable("no")))], None, &Asked::default());
        let found = compared(&side("a", &[("1", None, 1.0), ("2", None, 1.0)]), &second, &Asked::default());
        let metric = &found.others[0].metrics[0];
        assert!(metric.whole.is_none());
        assert_eq!((metric.only_baseline_scored, metric.worsened), (2, 0));
    }

    #[test]
    fn the_interval_that_decides_agrees_with_the_verdict() {
        let mut metrics = metrics();
        metrics[0].name = "a".into();
        let rows = |shift: f64, name: &str| {
            let mut side = Side::new(name, metrics.clone());
            for at in 0..12_u32 {
                let value = f64::from(at % 5) / 10.0;
                let nudge = if at % 3 == 0 { 0.0 } else { shift };
                let cells: Vec<Option<Named>> = (0..3)
                    .map(|_| Some(Ok(Outcome::Scored(Score::from_number(value + nudge * f64::from(at % 4)).unwrap()))))
                    .collect();
                side.add((&at.to_string(), None, 0), &cells, None, &Asked::default());
            }
            side
        };
        let found = compared(&rows(0.0, "x"), &rows(0.05, "y"), &Asked::default());
        let whole = found.others[0].metrics[0].whole.as_ref().unwrap();
        assert!(whole.adjusted > whole.contrast.p_value, "{whole:?}");
        let (raw, adjusted) = (whole.contrast.interval.unwrap(), whole.interval_adjusted.unwrap());
        assert!(adjusted.low < raw.low && raw.high < adjusted.high, "{raw:?} {adjusted:?}");
        assert!(found.rule.contains("adjusted p") && found.rule.contains("3 tests"), "{}", found.rule);
        for text in [
            found.to_terminal(&Evidences::new(), crate::Look { width: 160, colour: false }),
            found.to_markdown(&Evidences::new()),
            found.to_html(&Evidences::new(), None),
        ] {
            assert!(text.contains("adjusted"), "{text}");
        }
        assert!(found.to_csv().starts_with(
            "run,metric,slice,pairs,baseline,other,difference,low,high,low_adjusted,high_adjusted,p_value,"
        ));
    }

    #[test]
    fn what_several_models_said_is_not_paired_with_what_nobody_signed() {
        let mut several = Side::new("a", metrics()[..1].to_vec());
        let named = || Some(Ok(Outcome::Scored(Score::from_number(0.5).unwrap())));
        for model in ["m", "n"] {
            several.add(("1", Some(model), 0), &[named()], None, &Asked::default());
        }
        let error = Comparison::of(&[several, side("b", &[("1", None, 1.0)])], &Asked::default()).unwrap_err();
        assert_eq!(error.to_string(), "`a` has outputs of several models (m, n), of which `b` has none");
    }

    #[test]
    fn cases_of_one_source_bring_less_confidence() {
        let asked = |column: &str| Asked { cluster: Some(column.parse().unwrap()), ..Asked::default() };
        let of = |name: &str, shift: f64, asked: &Asked| {
            let mut side = Side::new(name, metrics()[..1].to_vec());
            for at in 0..40_u32 {
                let mut case = Case::default();
                case.metadata.insert("source".into(), (at / 10).into());
                let value = f64::from(at / 10) / 10.0 * shift;
                let named = Some(Ok(Outcome::Scored(Score::from_number(value).unwrap())));
                side.add((&at.to_string(), None, 0), &[named], Some(&case), asked);
            }
            side
        };
        let p = |asked: &Asked| {
            let found = Comparison::of(&[of("a", 1.0, asked), of("b", 1.5, asked)], asked)?;
            Ok::<_, ComparisonError>(found.others[0].metrics[0].whole.as_ref().unwrap().contrast)
        };
        let (plain, clustered) = (p(&Asked::default()).unwrap(), p(&asked("source")).unwrap());
        assert!(plain.p_value < 0.001 && clustered.p_value > 0.05, "{plain:?} {clustered:?}");
        assert_eq!(clustered.p_value_by.name(), "cluster-robust t");
        let error = p(&asked("author")).unwrap_err().to_string();
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
        let asked = |margin, confident| Asked {
            not_worse: vec![NotWorse { metric: metrics()[0].name.clone(), margin, confident }],
            ..Asked::default()
        };
        let passes =
            |good, margin, confident| compared(&of("a", 50), &of("b", good), &asked(margin, confident)).passes();
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
        let error = |asked: &Asked| Comparison::of(&[first.clone(), second.clone()], asked).unwrap_err().to_string();
        assert_eq!(error(&Asked::default()), "`a` and `b` have no case in common");
        let asked = Asked { metrics: vec!["x".to_owned()], ..Asked::default() };
        assert_eq!(error(&asked), "`a` has no metric `x`; it has relevance");
    }

    #[test]
    fn a_narrow_terminal_keeps_the_verdict() {
        let found = compared(&side("a", &[("1", None, 1.0)]), &side("b", &[("1", None, 0.0)]), &Asked::default());
        let text = found.to_terminal(&Evidences::new(), crate::Look { width: 80, colour: false });
        assert!(text.contains("verdict") && text.contains("no difference shown"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn markdown_fits_into_a_comment() {
        let long = |at: usize| format!("{at} {}", "case & more ".repeat(20));
        let ids: Vec<String> = (0..60).map(long).collect();
        let row = |value: f64| ids.iter().map(|id| (id.as_str(), None, value)).collect::<Vec<_>>();
        let baseline = side("a", &row(1.0));
        let others: Vec<Side> = (0..90).map(|at| side(&format!("{at} {}", "b".repeat(80)), &row(0.0))).collect();
        let sides: Vec<Side> = std::iter::once(baseline).chain(others).collect();
        let text = Comparison::of(&sides, &Asked::default()).unwrap().to_markdown(&Evidences::new());
        assert!(text.len() < 65_536, "{}", text.len());
        assert!(text.contains("would not fit into a comment"), "{}", &text[text.len() - 200..]);
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }

    #[test]
    fn names_of_others_are_no_markup() {
        let evil = "<b>|\u{1b}[31m";
        let found = compared(&side(evil, &[(evil, None, 1.0)]), &side(evil, &[(evil, None, 0.0)]), &Asked::default());
        let evidences = Evidences::new();
        assert!(!found.to_html(&evidences, None).contains("<b>|"));
        assert!(!found.to_markdown(&evidences).contains("<b>|"));
        assert!(!found.to_terminal(&evidences, crate::Look::PLAIN).contains('\u{1b}'));
    }
}
