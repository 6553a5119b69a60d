//! Whether the right calls are there, with the right arguments, in the right order.

use std::collections::BTreeMap;

use probare_core::{
    BuildError, CaseToolCall, ErrorKind, Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric,
};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::trace::{
    ArgumentDifference, ArgumentRules, Equality, FULL_SHARE, FieldLocation, NameFit, Pairing, PlacedCall,
    argument_share, assignment, check_patterns, compare_arguments, expected_calls, in_order_pairing, matches_glob,
    mcp_tool, name_fit, no_expectation, require_trace, strict_pairing, value_excerpt,
};
pub use super::trace::{ArgumentMode, NumberTolerance, TextEquality};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `tool_calls`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolCalls {
    /// How calls may pair.
    pub order: CallOrder,
    /// Whether calls that pair with nothing lower the precision.
    pub extra: ExtraCalls,
    /// Relation of the called arguments to the expected ones.
    pub arguments: ArgumentMode,
    /// Whether a pair counts by its share of right arguments, and not as 0 or 1.
    pub partial: bool,
    /// Globs of arguments that are left out on both sides.
    pub ignore: Vec<String>,
    /// The only arguments that are compared.
    pub keys: Option<Vec<String>>,
    /// An argument that is missing is taken as this, on both sides.
    pub defaults: Map<String, Json>,
    /// How far numbers may differ.
    pub numbers: NumberTolerance,
    /// When two texts are equal.
    pub texts: TextEquality,
    /// Whether a text that holds a number equals that number.
    pub text_numbers: bool,
    /// The options from `arguments` on for single tools, by name or glob; the last that fits counts.
    pub tools: Map<String, Json>,
}

/// How calls may pair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallOrder {
    /// In any order.
    #[default]
    Any,
    /// Pairs must not cross.
    InOrder,
    /// The n-th with the n-th.
    Strict,
}

/// Whether calls that pair with nothing count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtraCalls {
    /// They lower the precision.
    #[default]
    Counted,
    /// They cost nothing.
    Allowed,
}

/// The options of one tool: those that are absent are as for all.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolOptions {
    arguments: Option<ArgumentMode>,
    partial: Option<bool>,
    ignore: Option<Vec<String>>,
    keys: Option<Vec<String>>,
    defaults: Option<Map<String, Json>>,
    numbers: Option<NumberTolerance>,
    texts: Option<TextEquality>,
    text_numbers: Option<bool>,
}

metric!(ToolCalls as Pure {
    summary: "F1 of the calls that were made and expected, in the best pairing",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| {
        let (precision, recall) = (parts.get("precision")?, parts.get("recall")?);
        Some(f1(precision, recall))
    },
    prepare: CallMatcher::new,
    since: "0.3",
    version: 2,
    page: "tool_calls.md",
});

fn f1(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

/// How a pair of calls of one tool is compared, and whether it counts in part.
struct ToolComparison {
    rules: ArgumentRules,
    is_partial: bool,
}

struct CallMatcher {
    order: CallOrder,
    extra: ExtraCalls,
    all: ToolComparison,
    tools: Vec<(String, ToolComparison)>,
}

/// Calls of one name on one side that are paired; more take too long.
const MOST_OF_A_NAME: usize = 500;

/// Pairs of calls that are compared where their order counts.
const MOST_IN_ORDER: usize = 4_000_000;

impl CallMatcher {
    fn new(options: ToolCalls) -> Result<Self, BuildError> {
        let is_wrong = |numbers: &NumberTolerance| !(numbers.abs >= 0.0 && numbers.rel >= 0.0);
        if is_wrong(&options.numbers) {
            return Err(BuildError::Options("`numbers` must have `abs` and `rel` of 0 or more".to_owned()));
        }
        let mut tools = Vec::with_capacity(options.tools.len());
        for (name, own) in &options.tools {
            let broken = |reason: String| BuildError::Options(format!("`tools` of `{name}`: {reason}"));
            let own: ToolOptions = serde_json::from_value(own.clone()).map_err(|error| broken(error.to_string()))?;
            let numbers = own.numbers.unwrap_or(options.numbers);
            if is_wrong(&numbers) {
                return Err(broken("`numbers` must have `abs` and `rel` of 0 or more".to_owned()));
            }
            let equality = Equality {
                numbers,
                texts: own.texts.unwrap_or(options.texts),
                text_numbers: own.text_numbers.unwrap_or(options.text_numbers),
            };
            let rules = ArgumentRules {
                arguments: own.arguments.unwrap_or(options.arguments),
                ignore: own.ignore.unwrap_or_else(|| options.ignore.clone()),
                keys: own.keys.or_else(|| options.keys.clone()),
                defaults: own.defaults.unwrap_or_else(|| options.defaults.clone()),
                equality,
            };
            tools.push((name.clone(), ToolComparison { rules, is_partial: own.partial.unwrap_or(options.partial) }));
        }
        let equality = Equality { numbers: options.numbers, texts: options.texts, text_numbers: options.text_numbers };
        let rules = ArgumentRules {
            arguments: options.arguments,
            ignore: options.ignore,
            keys: options.keys,
            defaults: options.defaults,
            equality,
        };
        let all = ToolComparison { rules, is_partial: options.partial };
        Ok(Self { order: options.order, extra: options.extra, all, tools })
    }

    /// The rules of a tool, by the name of the call or by that of the expected one, which may lack the prefix of a server.
    fn rules_for_pair(&self, made: &str, expected: &str) -> &ToolComparison {
        let is_fit = |pattern: &str| matches_glob(pattern, made) || made != expected && matches_glob(pattern, expected);
        let own = self.tools.iter().rev().find(|(pattern, _)| is_fit(pattern));
        own.map_or(&self.all, |(_, rules)| rules)
    }

    /// The partner of each expected call.
    fn pairing(&self, called: &[PlacedCall<'_>], expected: &[PlacedCall<'_>]) -> Result<Pairing, ScoreError> {
        match self.order {
            CallOrder::Strict if expected.iter().all(|expected_call| !expected_call.call.is_optional()) => {
                let is_pair =
                    |at: &usize| *at < called.len() && best_name_fit(&called[*at], &expected[*at]) > NameFit::None;
                Ok((0..expected.len()).map(|at| Some(at).filter(is_pair)).collect())
            }
            CallOrder::Strict | CallOrder::InOrder => {
                if called.len().saturating_mul(expected.len()) > MOST_IN_ORDER {
                    let reason =
                        format!("{} calls against {} are too many to compare in order", called.len(), expected.len());
                    return Err(ScoreError::other(ErrorKind::Failed, reason));
                }
                let (rows, columns): (Vec<usize>, Vec<usize>) =
                    ((0..expected.len()).collect(), (0..called.len()).collect());
                let weights = self.weights(called, &columns, expected, &rows);
                Ok(if self.order == CallOrder::InOrder {
                    in_order_pairing(expected.len(), called.len(), weights)
                } else {
                    strict_pairing(expected.len(), called.len(), |row| expected[row].call.is_optional(), weights)
                })
            }
            CallOrder::Any => self.pair_by_name(called, expected),
        }
    }

    /// Calls pair with those of their own name, so each name is a question of its own; names that stand for one another in
    /// some expected call are a question together.
    fn pair_by_name(&self, called: &[PlacedCall<'_>], expected: &[PlacedCall<'_>]) -> Result<Pairing, ScoreError> {
        let groups = NameGroups::new(expected);
        let mut of_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, made) in called.iter().enumerate() {
            of_name.entry(groups.first_name(&made.call.name)).or_default().push(at);
        }
        // In the order of names, so that an error names the same one everywhere.
        let mut wanted_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, expected_call) in expected.iter().enumerate() {
            wanted_of.entry(groups.first_name(&expected_call.call.name)).or_default().push(at);
        }
        let mut pairing = vec![None; expected.len()];
        for (name, rows) in &wanted_of {
            let Some(columns) = of_name.get(name) else { continue };
            if rows.len().max(columns.len()) > MOST_OF_A_NAME {
                let reason = format!("more than {MOST_OF_A_NAME} calls of `{name}` are not paired");
                return Err(ScoreError::other(ErrorKind::Failed, reason));
            }
            let weights = self.weights(called, columns, expected, rows);
            for (row, column) in assignment(rows.len(), columns.len(), weights).into_iter().enumerate() {
                pairing[rows[row]] = column.map(|column| columns[column]);
            }
        }
        Ok(pairing)
    }

    /// What the pairs of these calls are worth. Calls that say the same are compared once.
    fn weights(
        &self,
        called: &[PlacedCall<'_>],
        columns: &[usize],
        expected: &[PlacedCall<'_>],
        rows: &[usize],
    ) -> impl Fn(usize, usize) -> i64 + use<> {
        let (made_of, made) = distinct(columns.iter().map(|at| &called[*at]));
        let (wanted_of, wanted) = distinct(rows.iter().map(|at| &expected[*at]));
        let table: Vec<i64> =
            wanted.iter().flat_map(|wanted| made.iter().map(|made| self.weight(made, wanted))).collect();
        let width = made.len();
        move |row, column| table[wanted_of[row] * width + made_of[column]]
    }

    /// What a pair is worth: a full match above all, then its share, then that it is one. Of several calls that are as right
    /// the best counts.
    fn weight(&self, made: &PlacedCall<'_>, expected_call: &PlacedCall<'_>) -> i64 {
        expected_call
            .call
            .alternatives()
            .map(|expected_call| self.alternative_weight(made.call, expected_call))
            .max()
            .unwrap_or_default()
    }

    fn alternative_weight(&self, made: &CaseToolCall, expected_call: &CaseToolCall) -> i64 {
        const FULL: i64 = 10_000_000_000_000;
        let worth_of_name = match name_fit(made, &expected_call.name) {
            NameFit::None => return 0,
            NameFit::Mcp => 1,
            NameFit::Exact => 2,
        };
        let share = argument_share(made, expected_call, &self.rules_for_pair(&made.name, &expected_call.name).rules);
        let is_full = i64::from(share == FULL_SHARE);
        is_full * FULL + share * 2_000 + worth_of_name
    }

    /// The one of several calls that are as right which a pair is compared by; the first of the best.
    fn chosen_alternative<'a>(&self, made: &CaseToolCall, expected_call: &PlacedCall<'a>) -> PlacedCall<'a> {
        let weights =
            expected_call.call.alternatives().map(|expected_call| self.alternative_weight(made, expected_call));
        let best = weights.enumerate().max_by_key(|(at, weight)| (*weight, std::cmp::Reverse(*at)));
        match best.and_then(|(at, _)| at.checked_sub(1)) {
            None => expected_call.clone(),
            Some(at) => PlacedCall {
                call: &expected_call.call.one_of[at],
                location: FieldLocation {
                    path: format!("{}/one_of/{at}", expected_call.location.path),
                    ..expected_call.location.clone()
                },
                ..expected_call.clone()
            },
        }
    }
}

/// How the name of a call fits the best of those that are as right.
fn best_name_fit(made: &PlacedCall<'_>, expected_call: &PlacedCall<'_>) -> NameFit {
    let fits = expected_call.call.alternatives().map(|expected_call| name_fit(made.call, &expected_call.name));
    fits.max().unwrap_or(NameFit::None)
}

/// Names of tools that may stand for one another: with and without the prefix of a server, and within one expected call.
struct NameGroups<'a> {
    /// For each name that belongs to others the first of them; any other stands for itself.
    first: FxHashMap<&'a str, &'a str>,
}

impl<'a> NameGroups<'a> {
    fn new(expected: &'a [PlacedCall<'_>]) -> Self {
        let mut groups = Self { first: FxHashMap::default() };
        for expected_call in expected.iter().filter(|expected_call| !expected_call.call.one_of.is_empty()) {
            let mut names: Vec<&str> =
                expected_call.call.alternatives().map(|call| groups.first_name(&call.name)).collect();
            names.sort_unstable();
            for name in names[1..].iter().copied() {
                groups.first.insert(name, names[0]);
            }
        }
        groups
    }

    fn first_name<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let mut name = mcp_tool(name).unwrap_or(name);
        while let Some(first) = self.first.get(name).filter(|first| **first != name) {
            name = *first;
        }
        name
    }
}

/// The calls that say different things, the first of each, and for every call the number of its own.
fn distinct<'p, 'c: 'p>(calls: impl Iterator<Item = &'p PlacedCall<'c>>) -> (Vec<usize>, Vec<&'p PlacedCall<'c>>) {
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    let mut different = Vec::new();
    let number = |placed: &'p PlacedCall<'c>| {
        // All of it has a JSON form.
        let call = CaseToolCall { id: None, output: None, signature: None, ..placed.call.clone() };
        let json = serde_json::to_string(&call).unwrap_or_default();
        *known.entry(json).or_insert_with(|| {
            different.push(placed);
            different.len() - 1
        })
    };
    (calls.map(number).collect(), different)
}

impl Metric for CallMatcher {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let Some(expected) = expected_calls(sample.case)? else { return Ok(no_expectation()) };
        for expected_call in &expected {
            check_patterns(expected_call.call)?;
        }
        let called = &trace.calls;
        let pairing = self.pairing(called, &expected)?;
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        let mut counts = MatchCounts::default();
        let mut is_paired = vec![false; called.len()];
        for (expected_call, partner) in expected.iter().zip(&pairing) {
            let Some(at) = *partner else {
                if !expected_call.call.is_optional() {
                    counts.expected += 1;
                    evidence.push(|| missing_call(expected_call));
                }
                continue;
            };
            counts.expected += 1;
            let made = &called[at];
            let expected_call = &self.chosen_alternative(made.call, expected_call);
            is_paired[at] = true;
            counts.pairs += 1;
            let tool = self.rules_for_pair(&made.call.name, &expected_call.call.name);
            let (share, differences) = compare_arguments(made.call, expected_call.call, &tool.rules);
            counts.shares += share;
            if share == FULL_SHARE {
                counts.full.push(at);
            }
            if share == FULL_SHARE || tool.is_partial {
                counts.credit += share;
            }
            evidence.push(|| made.name_evidence(EvidenceKind::Matched).with_support(expected_call.name_place()));
            if made.call.problem.is_some() && share == 0 {
                evidence.push(|| made.unusable_evidence(EvidenceKind::Unsupported));
            }
            for difference in differences {
                push_difference(made, expected_call, &difference, &mut evidence);
            }
        }
        for (made, _) in called.iter().zip(&is_paired).filter(|(_, is_paired)| !**is_paired) {
            evidence.push(|| {
                let note = match self.extra {
                    ExtraCalls::Counted => "no expected call is left for it",
                    ExtraCalls::Allowed => "not expected, which costs nothing here",
                };
                made.name_evidence(EvidenceKind::Unsupported).with_note(note)
            });
        }
        if called.is_empty() && counts.expected == 0 {
            evidence.push(|| Evidence::note("nothing was expected and nothing was called"));
        }
        Ok(self.rate(&counts, called.len())?.because(evidence.finish()).into())
    }
}

/// Pairs of a made and an expected call.
#[derive(Default)]
struct MatchCounts {
    /// What counts of the shares.
    credit: i64,
    /// The shares of arguments that are right.
    shares: i64,
    pairs: i64,
    /// Expected calls; one that may be left out counts where it was made.
    expected: usize,
    /// Made calls of which every argument is right.
    full: Vec<usize>,
}

impl CallMatcher {
    fn rate(&self, counts: &MatchCounts, called: usize) -> Result<Score, ScoreError> {
        let (precision, recall) = self.precision_and_recall(counts, called);
        let mut score = Score::from_number(f1(precision, recall))?
            .with_part("precision", precision)?
            .with_part("recall", recall)?;
        let full = &counts.full;
        if counts.pairs > 0 {
            score = score.with_part("arguments", counts.shares as f64 / (counts.pairs * FULL_SHARE) as f64)?;
        }
        if full.len() > 1 {
            score = score.with_part("order", longest_rise(full) as f64 / full.len() as f64)?;
        }
        score
            .with_part("called", called as f64)?
            .with_part("expected", counts.expected as f64)?
            .with_part("matched", full.len() as f64)
    }

    fn precision_and_recall(&self, counts: &MatchCounts, called: usize) -> (f64, f64) {
        let is_allowed = self.extra == ExtraCalls::Allowed;
        if counts.expected == 0 {
            let value = f64::from(u8::from(called == 0 || is_allowed));
            return (value, value);
        }
        let credit = counts.credit as f64 / FULL_SHARE as f64;
        let base = if is_allowed { counts.pairs as f64 } else { called as f64 };
        (if base == 0.0 { 0.0 } else { credit / base }, credit / counts.expected as f64)
    }
}

/// Evidence that an expected call is not there, with the others that would have been as right.
fn missing_call(expected_call: &PlacedCall<'_>) -> Evidence {
    let piece = Evidence::missing(&expected_call.call.name).with_support(expected_call.name_place());
    if expected_call.call.one_of.is_empty() {
        return piece;
    }
    let names: Vec<String> = expected_call.call.one_of.iter().map(|call| format!("`{}`", call.name)).collect();
    piece.with_note(format!("{} would have done as well", names.join(", ")))
}

fn push_difference(
    made: &PlacedCall<'_>,
    expected_call: &PlacedCall<'_>,
    difference: &ArgumentDifference,
    evidence: &mut BoundedEvidence,
) {
    let supported = |piece: Evidence, pointer: &str| match expected_call.argument_place(pointer) {
        Some(place) => piece.with_support(place),
        None => piece,
    };
    // A value that comes from `defaults` stands nowhere in the case.
    let at_default =
        |kind, pointer: &str| made.argument_evidence(kind, pointer).unwrap_or_else(|| made.name_evidence(kind));
    match difference {
        ArgumentDifference::Wrong(pointer) => evidence.push(|| {
            let arguments = Json::Object(expected_call.call.arguments().clone());
            let pattern = expected_call.call.regex.as_ref().and_then(|regex| regex.get(pointer));
            let note = match (arguments.pointer(pointer), pattern) {
                (_, Some(pattern)) => format!("expected what fits {}", value_excerpt(pattern)),
                (Some(value), None) => format!("expected {}", value_excerpt(value)),
                (None, None) => "differs from the default".to_owned(),
            };
            supported(at_default(EvidenceKind::Compared, pointer).with_note(note), pointer)
        }),
        ArgumentDifference::Missing(pointer) => evidence.push(|| {
            let note =
                format!("in the call of `{}`, {} {}", made.call.name, made.location.field, made.location.index + 1);
            supported(Evidence::missing(pointer).with_note(note), pointer)
        }),
        ArgumentDifference::Extra(pointer) => {
            evidence.push(|| at_default(EvidenceKind::Unsupported, pointer).with_note("the argument is not expected"));
        }
    }
}

/// Length of the longest run of rising numbers, gaps allowed.
fn longest_rise(numbers: &[usize]) -> usize {
    // The least number at which a run of each length can end.
    let mut ends: Vec<usize> = Vec::new();
    for number in numbers {
        let at = ends.partition_point(|end| end < number);
        if at == ends.len() { ends.push(*number) } else { ends[at] = *number }
    }
    ends.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::trace::case;
    use probare_core::Case;
    use proptest::prelude::*;

    fn score(options: &str, case: &Case) -> Score {
        let matcher = CallMatcher::new(serde_json::from_str(options).unwrap()).unwrap();
        matcher.score(Sample::from_case(case)).unwrap().score().unwrap().clone()
    }

    #[test]
    fn a_wrong_argument_is_named_with_its_place() {
        let case = case(
            r#"{"id":"a","messages":[{"role":"user","text":"q"},{"role":"assistant","tool_calls":[{"name":"w","arguments":{"city":"Rome","x":1}}]}],
                "expected_tool_calls":[{"name":"w","arguments":{"city":"Paris","days":2}}]}"#,
        );
        let evidence = score("{}", &case).evidence;
        let json = serde_json::to_string(&evidence[1]).unwrap();
        assert_eq!(
            json,
            r#"{"kind":"compared","field":"messages","index":1,"path":"/tool_calls/0/arguments/city","start":0,"end":4,"text":"Rome","note":"expected \"Paris\"","support":{"field":"expected_tool_calls","index":0,"path":"/arguments/city","start":0,"end":5}}"#
        );
        assert_eq!((evidence[2].kind, evidence[2].text.as_str()), (EvidenceKind::Missing, "/days"));
        assert_eq!((evidence[3].kind, evidence[3].text.as_str()), (EvidenceKind::Unsupported, "1"));
    }

    #[test]
    fn options_of_a_tool_count_for_it_alone() {
        let case = case(
            r#"{"id":"a","tool_calls":[{"name":"get_a","arguments":{"n":1.01}},{"name":"set_b","arguments":{"n":1.01}}],
                "expected_tool_calls":[{"name":"get_a","arguments":{"n":1}},{"name":"set_b","arguments":{"n":1}}]}"#,
        );
        assert_eq!(score(r#"{"tools":{"get_*":{"numbers":{"abs":0.1}}}}"#, &case).parts.get("matched"), Some(1.0));
        assert_eq!(
            score(r#"{"numbers":{"rel":0.02},"tools":{"get_*":{"numbers":{}}}}"#, &case).parts.get("matched"),
            Some(1.0)
        );
        let unknown = CallMatcher::new(serde_json::from_str(r#"{"tools":{"f":{"order":"any"}}}"#).unwrap());
        assert!(unknown.is_err());
    }

    #[test]
    fn a_call_that_cannot_be_read_was_made_and_is_wrong() {
        let case = case(
            r#"{"id":"a","tool_calls":[{"name":"f","arguments_text":"{a","problem":"unparseable","fault":1}],"expected_tool_calls":[{"name":"f"}]}"#,
        );
        let score = score("{}", &case);
        assert_eq!((score.value.get(), score.parts.get("called")), (0.0, Some(1.0)));
        assert_eq!(score.evidence[1].text, "a");
    }

    fn value(options: &str, called: &str, expected: &str) -> (f64, Option<f64>) {
        let text = format!(r#"{{"id":"a","tool_calls":{called},"expected_tool_calls":{expected}}}"#);
        let score = score(options, &case(&text));
        (score.value.get(), score.parts.get("expected"))
    }

    #[test]
    fn one_of_several_calls_is_right_and_each_call_answers_one_expectation() {
        let either = r#"{"name":"search","arguments":{"q":"x"},"one_of":[{"name":"lookup","any":[""]}]}"#;
        let (search, lookup) =
            (r#"{"name":"search","arguments":{"q":"x"}}"#, r#"{"name":"lookup","arguments":{"id":7}}"#);
        for called in [search, lookup] {
            assert_eq!(value("{}", &format!("[{called}]"), &format!("[{either}]")), (1.0, Some(1.0)));
        }
        assert_eq!(value("{}", "[]", &format!("[{either}]")), (0.0, Some(1.0)));
        // The plain expectation needs `search`, so `lookup` has to answer the other one.
        for order in ["any", "in_order", "strict"] {
            let options = format!(r#"{{"order":"{order}"}}"#);
            let found = value(&options, &format!("[{lookup},{search}]"), &format!("[{either},{search}]"));
            assert_eq!(found, (1.0, Some(2.0)), "{order}");
        }
        assert_eq!(value("{}", &format!("[{search},{lookup}]"), &format!("[{either},{search}]")), (1.0, Some(2.0)));
        assert_eq!(value("{}", &format!("[{search}]"), &format!("[{either},{search}]")).1, Some(2.0));
        // Evidence of the alternative leads to it.
        let case = case(
            r#"{"id":"a","tool_calls":[{"name":"g","arguments":{"n":1}}],"expected_tool_calls":[{"name":"f","one_of":[{"name":"g","arguments":{"n":2}}]}]}"#,
        );
        let evidence = score("{}", &case).evidence;
        assert_eq!(evidence[1].support.as_ref().unwrap().path.as_deref(), Some("/one_of/0/arguments/n"));
    }

    #[test]
    fn an_optional_call_may_be_left_out_in_every_order() {
        let (login, pay) = (r#"{"name":"login"}"#, r#"{"name":"pay"}"#);
        let expected = r#"[{"name":"login","optional":[""]},{"name":"pay"}]"#;
        for order in ["any", "in_order", "strict"] {
            let options = format!(r#"{{"order":"{order}"}}"#);
            assert_eq!(value(&options, &format!("[{pay}]"), expected), (1.0, Some(1.0)), "{order}");
            assert_eq!(value(&options, &format!("[{login},{pay}]"), expected), (1.0, Some(2.0)), "{order}");
            assert_eq!(value(&options, &format!("[{login}]"), expected).1, Some(2.0), "{order}");
            assert_eq!(value(&options, "[]", expected), (0.0, Some(1.0)), "{order}");
        }
        // In a strict order `login` comes too late, so it is one call too many.
        assert_eq!(value(r#"{"order":"strict"}"#, &format!("[{pay},{login}]"), expected).0, 2.0 / 3.0);
        assert_eq!(value("{}", "[]", r#"[{"name":"login","optional":[""]}]"#), (1.0, Some(0.0)));
    }

    #[test]
    fn a_tool_of_a_server_is_known_with_its_prefix() {
        let called = r#"[{"name":"mcp__files__read","arguments":{"path":"a"}}]"#;
        assert_eq!(value("{}", called, r#"[{"name":"read","arguments":{"path":"a"}}]"#).0, 1.0);
        assert_eq!(value("{}", called, r#"[{"name":"mcp__other__read","arguments":{"path":"a"}}]"#).0, 0.0);
        let options = r#"{"tools":{"read":{"texts":"loose"}}}"#;
        assert_eq!(value(options, called, r#"[{"name":"read","arguments":{"path":"A"}}]"#).0, 1.0);
        // The call of the very name is the better one.
        let both = r#"[{"name":"mcp__files__read"},{"name":"read"}]"#;
        let case = case(&format!(r#"{{"id":"a","tool_calls":{both},"expected_tool_calls":[{{"name":"read"}}]}}"#));
        assert_eq!(score("{}", &case).evidence[0].place.as_ref().unwrap().index, Some(1));
    }

    #[test]
    fn a_pattern_is_compared_and_shown() {
        let expected = r#"[{"name":"f","regex":{"/q":"par.*"}}]"#;
        assert_eq!(value("{}", r#"[{"name":"f","arguments":{"q":"paris"}}]"#, expected).0, 1.0);
        let case = case(
            r#"{"id":"a","tool_calls":[{"name":"f","arguments":{"q":"rome"}}],"expected_tool_calls":[{"name":"f","regex":{"/q":"par.*"}}]}"#,
        );
        let found = score("{}", &case);
        assert_eq!(found.value.get(), 0.0);
        assert_eq!(found.evidence[1].note.as_deref(), Some("expected what fits \"par.*\""));
        let broken = expected.replace("par.*", "(");
        let text = format!(r#"{{"id":"a","tool_calls":[],"expected_tool_calls":{broken}}}"#);
        let matcher = CallMatcher::new(ToolCalls::default()).unwrap();
        assert!(matcher.score(Sample::from_case(&crate::agents::trace::case(&text))).is_err());
    }

    #[test]
    fn too_many_calls_of_one_name_are_an_error() {
        let calls = Some(vec![CaseToolCall::new("f", Map::new()); MOST_OF_A_NAME + 1]);
        let case = Case { tool_calls: calls.clone(), expected_tool_calls: calls, ..Case::default() };
        let matcher = CallMatcher::new(ToolCalls::default()).unwrap();
        assert!(matcher.score(Sample::from_case(&case)).is_err());
        let in_order = CallMatcher::new(ToolCalls { order: CallOrder::InOrder, ..ToolCalls::default() }).unwrap();
        assert_eq!(in_order.score(Sample::from_case(&case)).unwrap().score().unwrap().value.get(), 1.0);
    }

    fn calls() -> impl Strategy<Value = Vec<CaseToolCall>> {
        let call = ("[fg]", 0_i64..3, proptest::option::of(0_i64..2)).prop_map(|(name, a, b)| {
            let mut arguments = Map::new();
            arguments.insert("a".into(), a.into());
            arguments.extend(b.map(|b| ("b".to_owned(), b.into())));
            CaseToolCall::new(name, arguments)
        });
        proptest::collection::vec(call, 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_order_of_calls_does_not_change_the_value(
            (called, shuffled) in calls().prop_flat_map(|calls| (Just(calls.clone()), Just(calls).prop_shuffle())),
            expected in calls(),
            partial in any::<bool>(),
        ) {
            let matcher = CallMatcher::new(ToolCalls { partial, ..ToolCalls::default() }).unwrap();
            let value = |calls: Vec<CaseToolCall>| {
                let case = Case { tool_calls: Some(calls), expected_tool_calls: Some(expected.clone()), ..Case::default() };
                let outcome = matcher.score(Sample::from_case(&case)).unwrap();
                let score = outcome.score().unwrap();
                (score.value.get(), score.parts.get("precision"), score.parts.get("recall"), score.parts.get("arguments"))
            };
            prop_assert_eq!(value(called), value(shuffled));
        }
    }
}
