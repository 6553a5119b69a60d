//! A JSON answer against the expected one, leaf by leaf.

use std::ops::Range;

use probare_core::{
    BuildError, ErrorKind, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError,
    escape_pointer_key, metric,
};
use probare_text::distance::similarity;
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::trace::{Equality, NumberTolerance, TextEquality, assignment, expected_values, json_answer, value_excerpt};
use crate::bounded_evidence::BoundedEvidence;
use crate::json_text::{JsonScope, PathStep, find_json, locate_value};
use crate::text::json_valid::malformed_evidence;

/// Options of `json_match`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JsonMatch {
    /// Whether the first JSON value in the text of the answer is taken, and not the answer as a whole.
    pub find: bool,
    /// JSON Pointer to the value in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
    pub at_path: Option<String>,
    /// The expected value in place of the reference.
    pub expected: Option<Json>,
    /// How the items of lists find each other: `assignment`, `position`, or an object `{"key": NAME}`.
    pub lists: Option<Json>,
    /// How leaves are compared, by JSON Pointer with `*` for one step: `exact`, `ignore`, `loose`, `levenshtein`, `set`,
    /// `{"abs", "rel"}`, `{"one_of"}`, `{"pattern"}`.
    pub compare: Map<String, Json>,
    /// Whether leaves of the answer that nobody expects count.
    pub extra: ExtraLeaves,
    /// Whether null and absent are the same.
    pub null_is_missing: bool,
}

/// Whether leaves that nobody expects count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtraLeaves {
    /// They lower the value.
    #[default]
    Counted,
    /// They cost nothing.
    Allowed,
}

metric!(JsonMatch as Pure {
    summary: "Share of the leaves of an expected JSON value that are right",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    prepare: JsonMatcher::new,
    since: "0.3",
    version: 2,
    page: "json_match.md",
});

/// How the items of lists find each other.
enum ListPairing {
    Assignment,
    Position,
    Key(String),
}

/// How a leaf is compared.
enum LeafComparison {
    Equal(Equality),
    Ignore,
    Levenshtein,
    OneOf(Vec<Json>),
    Pattern(Regex),
    Set,
}

struct JsonMatcher {
    find: bool,
    at_path: Option<String>,
    expected: Option<Json>,
    lists: ListPairing,
    compare: Vec<(Vec<String>, LeafComparison)>,
    extra: ExtraLeaves,
    null_is_missing: bool,
}

/// Bytes of a compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;

/// Items of a list that are paired with those of another.
const MOST_ITEMS: usize = 500;

/// Values that are compared with each other before it is too much.
const MOST_COMPARISONS: usize = 4_000_000;

fn parse_leaf_comparison(value: &Json) -> Result<LeafComparison, String> {
    let unknown = || "is none of exact, ignore, loose, levenshtein, set, {abs, rel}, {one_of}, {pattern}".to_owned();
    match value {
        Json::String(word) => Ok(match word.as_str() {
            "exact" => LeafComparison::Equal(Equality::default()),
            "loose" => LeafComparison::Equal(Equality { texts: TextEquality::Loose, ..Equality::default() }),
            "ignore" => LeafComparison::Ignore,
            "levenshtein" => LeafComparison::Levenshtein,
            "set" => LeafComparison::Set,
            _ => return Err(unknown()),
        }),
        Json::Object(object) => match (object.get("one_of"), object.get("pattern")) {
            (Some(Json::Array(values)), None) if object.len() == 1 => Ok(LeafComparison::OneOf(values.clone())),
            (None, Some(Json::String(pattern))) if object.len() == 1 => {
                let built = regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(LARGEST_PATTERN).build();
                built.map(LeafComparison::Pattern).map_err(|error| error.to_string())
            }
            _ => {
                let numbers: NumberTolerance = serde_json::from_value(value.clone()).map_err(|_| unknown())?;
                if numbers.abs >= 0.0 && numbers.rel >= 0.0 {
                    Ok(LeafComparison::Equal(Equality { numbers, ..Equality::default() }))
                } else {
                    Err("must have `abs` and `rel` of 0 or more".to_owned())
                }
            }
        },
        _ => Err(unknown()),
    }
}

impl JsonMatcher {
    fn new(options: JsonMatch) -> Result<Self, BuildError> {
        let lists = match &options.lists {
            None => ListPairing::Assignment,
            Some(Json::String(word)) if word == "assignment" => ListPairing::Assignment,
            Some(Json::String(word)) if word == "position" => ListPairing::Position,
            Some(Json::Object(object)) if object.len() == 1 && object.get("key").is_some_and(Json::is_string) => {
                ListPairing::Key(object["key"].as_str().unwrap_or_default().to_owned())
            }
            Some(_) => {
                let reason = "`lists` must be `assignment`, `position` or `{\"key\": NAME}`";
                return Err(BuildError::Options(reason.to_owned()));
            }
        };
        let mut compare = Vec::with_capacity(options.compare.len());
        for (pattern, value) in &options.compare {
            let broken = |reason: String| BuildError::Options(format!("`compare` of `{pattern}` {reason}"));
            let Some(steps) = pattern.strip_prefix('/') else {
                return Err(broken("is under no JSON Pointer: it begins with `/`".to_owned()));
            };
            compare
                .push((steps.split('/').map(str::to_owned).collect(), parse_leaf_comparison(value).map_err(broken)?));
        }
        Ok(Self {
            find: options.find,
            at_path: options.at_path,
            expected: options.expected,
            lists,
            compare,
            extra: options.extra,
            null_is_missing: options.null_is_missing,
        })
    }

    /// How the value at the end of this path is compared; the last pattern that fits counts.
    fn comparison_at(&self, path: &[PathStep]) -> Option<&LeafComparison> {
        let is_fit = |steps: &[String]| {
            steps.len() == path.len()
                && steps.iter().zip(path).all(|(step, here)| match here {
                    _ if step == "*" => true,
                    PathStep::Key(key) => *step == *escape_pointer_key(key),
                    PathStep::Item(number) => step.parse::<usize>() == Ok(*number),
                })
        };
        self.compare.iter().rev().find(|(steps, _)| is_fit(steps)).map(|(_, how)| how)
    }

    /// The value that is compared, and where the response has it; the outcome where there is none.
    fn given_value<'a>(&self, sample: Sample<'a>) -> Result<Result<GivenJson<'a>, Outcome>, ScoreError> {
        if let Some(path) = &self.at_path {
            return Ok(json_answer(sample, Some(path))?.map(|answer| (answer.value.into_owned(), None)));
        }
        let response = sample.response()?;
        let within = if self.find { JsonScope::Anywhere } else { JsonScope::Response };
        let span = match find_json(response, within) {
            Ok(span) => span,
            Err(problem) => {
                let malformed = malformed_evidence(response, &problem);
                return Ok(Err(Score::from_bool(false).because([malformed]).into()));
            }
        };
        let value = serde_json::from_str(&response[span.clone()]).map_err(|error| ScoreError::BadField {
            field: Field::Response,
            reason: format!("cannot be read: {error}"),
        })?;
        Ok(Ok((value, Some((response, span)))))
    }

    /// The share of leaves that are right, and all of them.
    fn rate(&self, given: &Json, expected: &Json) -> Result<(f64, Counts), ScoreError> {
        let mut comparison = Comparison { matcher: self, left: MOST_COMPARISONS };
        let counts = comparison.values(given, expected, &mut Vec::new(), &mut Vec::new())?;
        let extra = if self.extra == ExtraLeaves::Allowed { 0 } else { counts.extra };
        let whole = counts.right + counts.wrong + counts.missing + extra;
        let share = if whole == 0 { 1.0 } else { (counts.sum / whole as f64).min(1.0) };
        Ok((share, counts))
    }
}

/// What is wrong at a leaf.
enum LeafFinding {
    /// Another value: where it stands, and what was expected.
    Wrong(Vec<PathStep>, String),
    /// Expected at this path and not there.
    Missing(Vec<PathStep>),
    /// There and not expected.
    Extra(Vec<PathStep>),
}

/// A response and the place of its JSON.
type WrittenJson<'a> = (&'a str, Range<usize>);

/// The value that is compared, and where a response has it.
type GivenJson<'a> = (Json, Option<WrittenJson<'a>>);

impl LeafFinding {
    fn evidence(&self, written: Option<&WrittenJson<'_>>) -> Evidence {
        let shown = |kind: EvidenceKind, path: &[PathStep]| {
            evidence_at(kind, path, written).unwrap_or_else(|| Evidence::note(path_label(path)))
        };
        match self {
            Self::Wrong(path, expected) => {
                let note = format!("{}: expected {expected}", path_label(path));
                shown(EvidenceKind::Compared, path).with_note(note)
            }
            Self::Missing(path) => Evidence::missing(path_label(path)),
            Self::Extra(path) => {
                let note = format!("{}: nobody expects it", path_label(path));
                shown(EvidenceKind::Unsupported, path).with_note(note)
            }
        }
    }
}

fn evidence_at(kind: EvidenceKind, path: &[PathStep], written: Option<&WrittenJson<'_>>) -> Option<Evidence> {
    let (response, span) = written?;
    let place = locate_value(&response[span.clone()], path)?;
    Some(Evidence::at(kind, Field::Response, span.start + place.start..span.start + place.end, response))
}

/// Leaves that were looked at.
#[derive(Default)]
struct Counts {
    sum: f64,
    right: usize,
    wrong: usize,
    missing: usize,
    extra: usize,
    findings: Vec<LeafFinding>,
}

impl Counts {
    fn leaf(&mut self, score: f64, finding: impl FnOnce() -> LeafFinding) {
        self.sum += score;
        if score == 1.0 {
            self.right += 1;
        } else {
            self.wrong += 1;
            self.findings.push(finding());
        }
    }

    fn add(&mut self, other: Self) {
        self.sum += other.sum;
        self.right += other.right;
        self.wrong += other.wrong;
        self.missing += other.missing;
        self.extra += other.extra;
        self.findings.extend(other.findings);
    }
}

fn is_leaf(value: &Json) -> bool {
    match value {
        Json::Object(map) => map.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => true,
    }
}

/// One comparison, which ends when it takes too long.
struct Comparison<'a> {
    matcher: &'a JsonMatcher,
    left: usize,
}

impl Comparison<'_> {
    /// Counts comparisons. Too many are an error and no score.
    fn spend(&mut self, comparisons: usize) -> Result<(), ScoreError> {
        self.left = self.left.checked_sub(comparisons).ok_or_else(|| {
            ScoreError::other(ErrorKind::Failed, format!("more than {MOST_COMPARISONS} comparisons would be needed"))
        })?;
        Ok(())
    }

    /// The score of a leaf that is compared in a way of its own; nothing where it does not count.
    fn leaf_score(&mut self, how: &LeafComparison, given: &Json, expected: &Json) -> Result<Option<f64>, ScoreError> {
        let equality = Equality::default();
        let is_right = match (how, given, expected) {
            (LeafComparison::Ignore, ..) => return Ok(None),
            (LeafComparison::Levenshtein, Json::String(given), Json::String(expected)) => {
                return Ok(Some(similarity(given, expected)));
            }
            (LeafComparison::Equal(equality), ..) => equality.equal(given, expected),
            (LeafComparison::OneOf(values), ..) => values.iter().any(|value| equality.equal(given, value)),
            (LeafComparison::Pattern(pattern), ..) => given.as_str().is_some_and(|text| pattern.is_match(text)),
            (LeafComparison::Set, Json::Array(given), Json::Array(expected)) => {
                self.is_within(given, expected)? && self.is_within(expected, given)?
            }
            (LeafComparison::Set | LeafComparison::Levenshtein, ..) => equality.equal(given, expected),
        };
        Ok(Some(f64::from(u8::from(is_right))))
    }

    /// Whether every value is among others. Those in the same place are looked at first, so equal lists take one comparison
    /// for each item.
    fn is_within(&mut self, values: &[Json], others: &[Json]) -> Result<bool, ScoreError> {
        let equality = Equality::default();
        for (at, value) in values.iter().enumerate() {
            let place = at.min(others.len());
            let mut found = false;
            for other in others[place..].iter().chain(&others[..place]) {
                self.spend(1)?;
                found = equality.equal(value, other);
                if found {
                    break;
                }
            }
            if !found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Leaves of a value that nothing stands against: those that are compared at all.
    fn counted_leaves(&self, value: &Json, path: &mut Vec<PathStep>) -> usize {
        match (self.matcher.comparison_at(path), value) {
            (Some(LeafComparison::Ignore), _) => 0,
            (None, Json::Object(map)) if !map.is_empty() => {
                map.iter().map(|(key, value)| self.counted_below(PathStep::Key(key.clone()), value, path)).sum()
            }
            (None, Json::Array(items)) if !items.is_empty() => items
                .iter()
                .enumerate()
                .map(|(number, value)| self.counted_below(PathStep::Item(number), value, path))
                .sum(),
            _ => 1,
        }
    }

    fn counted_below(&self, step: PathStep, value: &Json, path: &mut Vec<PathStep>) -> usize {
        path.push(step);
        let count = self.counted_leaves(value, path);
        path.pop();
        count
    }

    /// What is expected and not there.
    fn missing(&self, value: &Json, expected_path: &mut Vec<PathStep>, counts: &mut Counts) {
        let leaves = self.counted_leaves(value, expected_path);
        if leaves > 0 {
            counts.missing += leaves;
            counts.findings.push(LeafFinding::Missing(expected_path.clone()));
        }
    }

    /// What is there and not expected.
    fn extra(&self, value: &Json, at: &[PathStep], expected_path: &mut Vec<PathStep>, counts: &mut Counts) {
        let leaves = self.counted_leaves(value, expected_path);
        if leaves > 0 {
            counts.extra += leaves;
            counts.findings.push(LeafFinding::Extra(at.to_vec()));
        }
    }

    fn values(
        &mut self,
        given: &Json,
        expected: &Json,
        at: &mut Vec<PathStep>,
        expected_path: &mut Vec<PathStep>,
    ) -> Result<Counts, ScoreError> {
        self.spend(1)?;
        let mut counts = Counts::default();
        let matcher = self.matcher;
        if let Some(how) = matcher.comparison_at(expected_path) {
            if let Some(score) = self.leaf_score(how, given, expected)? {
                counts.leaf(score, || LeafFinding::Wrong(at.clone(), value_excerpt(expected)));
            }
            return Ok(counts);
        }
        match (given, expected) {
            (Json::Object(given), Json::Object(expected)) if !given.is_empty() && !expected.is_empty() => {
                self.objects(given, expected, at, expected_path, &mut counts)?;
            }
            (Json::Array(given), Json::Array(expected)) if !given.is_empty() && !expected.is_empty() => {
                self.lists(given, expected, at, expected_path, &mut counts)?;
            }
            _ if is_leaf(given) && is_leaf(expected) => {
                let is_equal = Equality::default().equal(given, expected);
                counts.leaf(f64::from(u8::from(is_equal)), || LeafFinding::Wrong(at.clone(), value_excerpt(expected)));
            }
            _ => {
                let leaves =
                    self.counted_leaves(given, expected_path).max(self.counted_leaves(expected, expected_path));
                if leaves > 0 {
                    counts.wrong += leaves;
                    counts.findings.push(LeafFinding::Wrong(at.clone(), value_excerpt(expected)));
                }
            }
        }
        Ok(counts)
    }

    fn objects(
        &mut self,
        given: &Map<String, Json>,
        expected: &Map<String, Json>,
        at: &mut Vec<PathStep>,
        expected_path: &mut Vec<PathStep>,
        counts: &mut Counts,
    ) -> Result<(), ScoreError> {
        let matcher = self.matcher;
        let is_absent = |value: Option<&Json>| match value {
            None => true,
            Some(value) => matcher.null_is_missing && value.is_null(),
        };
        for (key, value) in expected {
            at.push(PathStep::Key(key.clone()));
            expected_path.push(PathStep::Key(key.clone()));
            match given.get(key) {
                found if is_absent(found) && is_absent(Some(value)) => {
                    counts.leaf(1.0, || LeafFinding::Missing(Vec::new()));
                }
                Some(found) if !is_absent(Some(found)) => {
                    let inner = self.values(found, value, at, expected_path)?;
                    counts.add(inner);
                }
                _ => self.missing(value, expected_path, counts),
            }
            at.pop();
            expected_path.pop();
        }
        for (key, value) in given.iter().filter(|(key, _)| !expected.contains_key(*key)) {
            at.push(PathStep::Key(key.clone()));
            expected_path.push(PathStep::Key(key.clone()));
            if !is_absent(Some(value)) {
                self.extra(value, at, expected_path, counts);
            }
            at.pop();
            expected_path.pop();
        }
        Ok(())
    }

    fn lists(
        &mut self,
        given: &[Json],
        expected: &[Json],
        at: &mut Vec<PathStep>,
        expected_path: &mut Vec<PathStep>,
        counts: &mut Counts,
    ) -> Result<(), ScoreError> {
        let matcher = self.matcher;
        let partners: Vec<Option<usize>> = match &matcher.lists {
            ListPairing::Position => {
                (0..expected.len()).map(|number| (number < given.len()).then_some(number)).collect()
            }
            ListPairing::Key(name) => pair_by_key(name, given, expected),
            ListPairing::Assignment => self.assign(given, expected, at, expected_path)?,
        };
        let mut is_paired = vec![false; given.len()];
        for (row, partner) in partners.iter().enumerate() {
            expected_path.push(PathStep::Item(row));
            if let Some(column) = partner {
                is_paired[*column] = true;
                at.push(PathStep::Item(*column));
                let inner = self.values(&given[*column], &expected[row], at, expected_path)?;
                counts.add(inner);
                at.pop();
            } else {
                self.missing(&expected[row], expected_path, counts);
            }
            expected_path.pop();
        }
        for (column, value) in given.iter().enumerate().filter(|(column, _)| !is_paired[*column]) {
            at.push(PathStep::Item(column));
            expected_path.push(PathStep::Item(column));
            self.extra(value, at, expected_path, counts);
            expected_path.pop();
            at.pop();
        }
        Ok(())
    }

    /// The given item for each expected one, so that most leaves are right.
    fn assign(
        &mut self,
        given: &[Json],
        expected: &[Json],
        at: &mut Vec<PathStep>,
        expected_path: &mut Vec<PathStep>,
    ) -> Result<Vec<Option<usize>>, ScoreError> {
        if given.len().max(expected.len()) > MOST_ITEMS {
            let reason = format!("lists of more than {MOST_ITEMS} items are not paired; use `lists: position`");
            return Err(ScoreError::other(ErrorKind::Failed, reason));
        }
        let mut weights = Vec::with_capacity(given.len() * expected.len());
        for (row, value) in expected.iter().enumerate() {
            expected_path.push(PathStep::Item(row));
            for (column, other) in given.iter().enumerate() {
                at.push(PathStep::Item(column));
                let pair = self.values(other, value, at, expected_path)?;
                #[expect(clippy::cast_possible_truncation, reason = "leaves are counted below 2^40")]
                let millionths = (pair.sum * 1e6) as i64;
                // The score, and then that it is a pair.
                weights.push(millionths * 1_000 + 1);
                at.pop();
            }
            expected_path.pop();
        }
        Ok(assignment(expected.len(), given.len(), |row, column| weights[row * given.len() + column]))
    }
}

/// The first given item for each expected one that has the same under a key.
fn pair_by_key(name: &str, given: &[Json], expected: &[Json]) -> Vec<Option<usize>> {
    let mut is_taken = vec![false; given.len()];
    let equality = Equality::default();
    let mut partners = Vec::with_capacity(expected.len());
    for value in expected {
        let key = value.get(name);
        let is_same = |other: &Json| match (key, other.get(name)) {
            (Some(key), Some(other)) => equality.equal(other, key),
            _ => false,
        };
        let found = (0..given.len()).find(|number| !is_taken[*number] && is_same(&given[*number]));
        if let Some(number) = found {
            is_taken[number] = true;
        }
        partners.push(found);
    }
    partners
}

fn pointer(path: &[PathStep]) -> String {
    path.iter()
        .map(|step| match step {
            PathStep::Key(key) => format!("/{}", escape_pointer_key(key)),
            PathStep::Item(number) => format!("/{number}"),
        })
        .collect()
}

impl Metric for JsonMatcher {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let expected = match expected_values(sample, self.expected.as_ref()) {
            Ok(values) => values,
            Err(outcome) => return Ok(outcome),
        };
        // A reference that is not JSON is a text, and no answer key.
        let is_key = |value: &&Json| self.expected.is_some() || !value.is_string();
        let expected: Vec<&Json> = expected.iter().filter(is_key).collect();
        if expected.is_empty() {
            return Ok(Outcome::not_applicable("no reference is JSON"));
        }
        let (given, written) = match self.given_value(sample)? {
            Ok(found) => found,
            Err(outcome) => return Ok(outcome),
        };
        let mut best: Option<(f64, Counts)> = None;
        for value in expected {
            let rated = self.rate(&given, value)?;
            if best.as_ref().is_none_or(|(most, _)| rated.0 > *most) {
                best = Some(rated);
            }
        }
        let Some((share, counts)) = best else { return Ok(Outcome::not_applicable("nothing is expected")) };
        let mut evidence = BoundedEvidence::default();
        for finding in &counts.findings {
            evidence.push(|| finding.evidence(written.as_ref()));
        }
        if counts.findings.is_empty() {
            evidence.push(|| Evidence::note("every leaf is as expected"));
        }
        let leaves = counts.right + counts.wrong + counts.missing;
        let score = Score::from_number(share)?
            .with_part("leaves", leaves as f64)?
            .with_part("right", counts.right as f64)?
            .with_part("wrong", counts.wrong as f64)?
            .with_part("missing", counts.missing as f64)?
            .with_part("extra", counts.extra as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// A path for readers: the empty one is the root.
fn path_label(path: &[PathStep]) -> String {
    if path.is_empty() { "the root".to_owned() } else { pointer(path) }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};
    use serde_json::json;

    use super::*;

    fn score(options: Json, given: &Json, expected: &Json) -> Result<f64, ScoreError> {
        let mut options: JsonMatch = serde_json::from_value(options).unwrap();
        options.expected = Some(expected.clone());
        let case = Case { response: Some(Output::new(given.to_string())), ..Case::default() };
        let outcome = JsonMatcher::new(options).unwrap().score(Sample::from_case(&case))?;
        Ok(outcome.score().unwrap().value.get())
    }

    #[test]
    fn long_sets_are_compared_or_an_error_and_never_0() {
        let set = || json!({"compare": {"/a": "set"}});
        let list = |items: Vec<u32>| json!({ "a": items });
        assert_eq!(score(set(), &list((0..2_001).collect()), &list((0..2_001).collect())), Ok(1.0));
        assert_eq!(score(set(), &list((0..100_000).collect()), &list((0..100_000).collect())), Ok(1.0));
        assert_eq!(score(set(), &list((0..1_500).rev().collect()), &list((0..1_500).collect())), Ok(1.0));
        assert_eq!(score(set(), &list(vec![1, 2, 2]), &list(vec![2, 1])), Ok(1.0));
        assert_eq!(score(set(), &list(vec![1, 2]), &list(vec![2, 1, 3])), Ok(0.0));
        let error = score(set(), &list((0..9_000).rev().collect()), &list((0..9_000).collect())).unwrap_err();
        assert!(error.to_string().contains("comparisons"), "{error}");
    }

    #[test]
    fn what_is_ignored_is_so_in_items_and_objects_that_have_no_partner() {
        let ignoring = |path: &str| json!({ "compare": { path: "ignore" } });
        let items = |ids: &[u32]| ids.iter().map(|id| json!({"id": id, "note": "x"})).collect::<Json>();
        assert_eq!(score(ignoring("/*/note"), &items(&[1]), &items(&[1, 2])), Ok(0.5), "a missing item");
        assert_eq!(score(ignoring("/*/note"), &items(&[1, 2]), &items(&[1])), Ok(0.5), "an item too many");
        let (whole, part) = (json!({"a": 1, "b": {"id": 2, "note": "x"}}), json!({"a": 1}));
        assert_eq!(score(ignoring("/b/note"), &part, &whole), Ok(0.5), "a missing object");
        assert_eq!(score(ignoring("/b/note"), &whole, &part), Ok(0.5), "an object too many");
        assert_eq!(score(ignoring("/b/*"), &part, &whole), Ok(1.0), "nothing of it counts");
        assert_eq!(score(ignoring("/b/note"), &json!({"a": 1, "b": 5}), &whole), Ok(0.5), "another kind of value");
    }
}
