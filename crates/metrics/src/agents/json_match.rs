//! A JSON answer against the expected one, leaf by leaf.

use probare_core::{
    BuildError, ErrorKind, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric,
    pointer_step,
};
use probare_text::distance::similarity;
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::trace::{Equality, Numbers, TextEquality, answer, assignment, expected_values, shown};
use crate::bounded::Bounded;
use crate::json_text::{PathStep, Within, find, locate};
use crate::text::json_valid::at_mistake;

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
    prepare: Matcher::new,
    since: "0.3",
    version: 1,
    page: "json_match.md",
});

/// How the items of lists find each other.
enum Lists {
    Assignment,
    Position,
    Key(String),
}

/// How a leaf is compared.
enum How {
    Equal(Equality),
    Ignore,
    Levenshtein,
    OneOf(Vec<Json>),
    Pattern(Regex),
    Set,
}

struct Matcher {
    find: bool,
    at_path: Option<String>,
    expected: Option<Json>,
    lists: Lists,
    compare: Vec<(Vec<String>, How)>,
    extra: ExtraLeaves,
    null_is_missing: bool,
}

/// Bytes of a compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;

/// Items of a list that are paired with those of another.
const MOST_ITEMS: usize = 500;

/// Values that are compared with each other before it is too much.
const MOST_COMPARISONS: usize = 4_000_000;

fn how(value: &Json) -> Result<How, String> {
    let unknown = || "is none of exact, ignore, loose, levenshtein, set, {abs, rel}, {one_of}, {pattern}".to_owned();
    match value {
        Json::String(word) => Ok(match word.as_str() {
            "exact" => How::Equal(Equality::default()),
            "loose" => How::Equal(Equality { texts: TextEquality::Loose, ..Equality::default() }),
            "ignore" => How::Ignore,
            "levenshtein" => How::Levenshtein,
            "set" => How::Set,
            _ => return Err(unknown()),
        }),
        Json::Object(object) => match (object.get("one_of"), object.get("pattern")) {
            (Some(Json::Array(values)), None) if object.len() == 1 => Ok(How::OneOf(values.clone())),
            (None, Some(Json::String(pattern))) if object.len() == 1 => {
                let built = regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(LARGEST_PATTERN).build();
                built.map(How::Pattern).map_err(|error| error.to_string())
            }
            _ => {
                let numbers: Numbers = serde_json::from_value(value.clone()).map_err(|_| unknown())?;
                if numbers.abs >= 0.0 && numbers.rel >= 0.0 {
                    Ok(How::Equal(Equality { numbers, ..Equality::default() }))
                } else {
                    Err("must have `abs` and `rel` of 0 or more".to_owned())
                }
            }
        },
        _ => Err(unknown()),
    }
}

impl Matcher {
    fn new(options: JsonMatch) -> Result<Self, BuildError> {
        let lists = match &options.lists {
            None => Lists::Assignment,
            Some(Json::String(word)) if word == "assignment" => Lists::Assignment,
            Some(Json::String(word)) if word == "position" => Lists::Position,
            Some(Json::Object(object)) if object.len() == 1 && object.get("key").is_some_and(Json::is_string) => {
                Lists::Key(object["key"].as_str().unwrap_or_default().to_owned())
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
            compare.push((steps.split('/').map(str::to_owned).collect(), how(value).map_err(broken)?));
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
    fn how(&self, path: &[PathStep]) -> Option<&How> {
        let is_fit = |steps: &[String]| {
            steps.len() == path.len()
                && steps.iter().zip(path).all(|(step, here)| match here {
                    _ if step == "*" => true,
                    PathStep::Key(key) => *step == *pointer_step(key),
                    PathStep::Item(number) => step.parse::<usize>() == Ok(*number),
                })
        };
        self.compare.iter().rev().find(|(steps, _)| is_fit(steps)).map(|(_, how)| how)
    }
}

/// What is wrong at a leaf.
enum Finding {
    /// Another value: where it stands, and what was expected.
    Wrong(Vec<PathStep>, String),
    /// Expected at this path and not there.
    Missing(Vec<PathStep>),
    /// There and not expected.
    Extra(Vec<PathStep>),
}

/// Leaves that were looked at.
#[derive(Default)]
struct Counts {
    sum: f64,
    right: usize,
    wrong: usize,
    missing: usize,
    extra: usize,
    findings: Vec<Finding>,
}

impl Counts {
    fn leaf(&mut self, score: f64, finding: impl FnOnce() -> Finding) {
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

/// Leaves of a value: what holds nothing is one.
fn leaves(value: &Json) -> usize {
    match value {
        Json::Object(map) if !map.is_empty() => map.values().map(leaves).sum(),
        Json::Array(items) if !items.is_empty() => items.iter().map(leaves).sum(),
        _ => 1,
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
    matcher: &'a Matcher,
    left: usize,
}

impl Comparison<'_> {
    fn values(
        &mut self,
        given: &Json,
        expected: &Json,
        at: &mut Vec<PathStep>,
        wanted: &mut Vec<PathStep>,
    ) -> Result<Counts, ScoreError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            ScoreError::other(ErrorKind::Failed, format!("more than {MOST_COMPARISONS} comparisons would be needed"))
        })?;
        let mut counts = Counts::default();
        let matcher = self.matcher;
        if let Some(how) = matcher.how(wanted) {
            if let Some(score) = leaf_score(how, given, expected) {
                counts.leaf(score, || Finding::Wrong(at.clone(), shown(expected)));
            }
            return Ok(counts);
        }
        match (given, expected) {
            (Json::Object(given), Json::Object(expected)) if !given.is_empty() && !expected.is_empty() => {
                self.objects(given, expected, at, wanted, &mut counts)?;
            }
            (Json::Array(given), Json::Array(expected)) if !given.is_empty() && !expected.is_empty() => {
                self.lists(given, expected, at, wanted, &mut counts)?;
            }
            _ if is_leaf(given) && is_leaf(expected) => {
                let is_equal = Equality::default().equal(given, expected);
                counts.leaf(f64::from(u8::from(is_equal)), || Finding::Wrong(at.clone(), shown(expected)));
            }
            _ => {
                counts.wrong += leaves(given).max(leaves(expected));
                counts.findings.push(Finding::Wrong(at.clone(), shown(expected)));
            }
        }
        Ok(counts)
    }

    fn objects(
        &mut self,
        given: &Map<String, Json>,
        expected: &Map<String, Json>,
        at: &mut Vec<PathStep>,
        wanted: &mut Vec<PathStep>,
        counts: &mut Counts,
    ) -> Result<(), ScoreError> {
        let matcher = self.matcher;
        let is_absent = |value: Option<&Json>| match value {
            None => true,
            Some(value) => matcher.null_is_missing && value.is_null(),
        };
        for (key, value) in expected {
            at.push(PathStep::Key(key.clone()));
            wanted.push(PathStep::Key(key.clone()));
            match given.get(key) {
                found if is_absent(found) && is_absent(Some(value)) => {
                    counts.leaf(1.0, || Finding::Missing(Vec::new()));
                }
                Some(found) if !is_absent(Some(found)) => {
                    let inner = self.values(found, value, at, wanted)?;
                    counts.add(inner);
                }
                _ if matches!(matcher.how(wanted), Some(How::Ignore)) => {}
                _ => {
                    counts.missing += leaves(value);
                    counts.findings.push(Finding::Missing(wanted.clone()));
                }
            }
            at.pop();
            wanted.pop();
        }
        for (key, value) in given.iter().filter(|(key, _)| !expected.contains_key(*key)) {
            at.push(PathStep::Key(key.clone()));
            wanted.push(PathStep::Key(key.clone()));
            if !is_absent(Some(value)) && !matches!(matcher.how(wanted), Some(How::Ignore)) {
                counts.extra += leaves(value);
                counts.findings.push(Finding::Extra(at.clone()));
            }
            at.pop();
            wanted.pop();
        }
        Ok(())
    }

    fn lists(
        &mut self,
        given: &[Json],
        expected: &[Json],
        at: &mut Vec<PathStep>,
        wanted: &mut Vec<PathStep>,
        counts: &mut Counts,
    ) -> Result<(), ScoreError> {
        let matcher = self.matcher;
        let partners: Vec<Option<usize>> = match &matcher.lists {
            Lists::Position => (0..expected.len()).map(|number| (number < given.len()).then_some(number)).collect(),
            Lists::Key(name) => {
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
            Lists::Assignment => {
                if given.len().max(expected.len()) > MOST_ITEMS {
                    let reason = format!("lists of more than {MOST_ITEMS} items are not paired; use `lists: position`");
                    return Err(ScoreError::other(ErrorKind::Failed, reason));
                }
                let mut weights = Vec::with_capacity(given.len() * expected.len());
                for (row, value) in expected.iter().enumerate() {
                    wanted.push(PathStep::Item(row));
                    for (column, other) in given.iter().enumerate() {
                        at.push(PathStep::Item(column));
                        let pair = self.values(other, value, at, wanted)?;
                        #[expect(clippy::cast_possible_truncation, reason = "leaves are counted below 2^40")]
                        let millionths = (pair.sum * 1e6) as i64;
                        // The score, and then that it is a pair.
                        weights.push(millionths * 1_000 + 1);
                        at.pop();
                    }
                    wanted.pop();
                }
                assignment(expected.len(), given.len(), |row, column| weights[row * given.len() + column])
            }
        };
        let mut is_paired = vec![false; given.len()];
        for (row, partner) in partners.iter().enumerate() {
            wanted.push(PathStep::Item(row));
            if let Some(column) = partner {
                is_paired[*column] = true;
                at.push(PathStep::Item(*column));
                let inner = self.values(&given[*column], &expected[row], at, wanted)?;
                counts.add(inner);
                at.pop();
            } else {
                counts.missing += leaves(&expected[row]);
                counts.findings.push(Finding::Missing(wanted.clone()));
            }
            wanted.pop();
        }
        for (column, value) in given.iter().enumerate().filter(|(column, _)| !is_paired[*column]) {
            at.push(PathStep::Item(column));
            counts.extra += leaves(value);
            counts.findings.push(Finding::Extra(at.clone()));
            at.pop();
        }
        Ok(())
    }
}

/// The score of a leaf that is compared in a way of its own; nothing where it does not count.
fn leaf_score(how: &How, given: &Json, expected: &Json) -> Option<f64> {
    let of = |yes: bool| Some(f64::from(u8::from(yes)));
    match how {
        How::Ignore => None,
        How::Equal(equality) => of(equality.equal(given, expected)),
        How::OneOf(values) => of(values.iter().any(|value| Equality::default().equal(given, value))),
        How::Pattern(pattern) => of(given.as_str().is_some_and(|text| pattern.is_match(text))),
        How::Levenshtein => match (given, expected) {
            (Json::String(given), Json::String(expected)) => Some(similarity(given, expected)),
            _ => of(Equality::default().equal(given, expected)),
        },
        How::Set => match (given, expected) {
            (Json::Array(given), Json::Array(expected)) => {
                let equality = Equality::default();
                let within = |one: &[Json], other: &[Json]| {
                    one.iter().all(|value| other.iter().any(|known| equality.equal(value, known)))
                };
                of(given.len().saturating_mul(expected.len()) <= MOST_COMPARISONS
                    && within(given, expected)
                    && within(expected, given))
            }
            _ => of(Equality::default().equal(given, expected)),
        },
    }
}

fn pointer(path: &[PathStep]) -> String {
    path.iter()
        .map(|step| match step {
            PathStep::Key(key) => format!("/{}", pointer_step(key)),
            PathStep::Item(number) => format!("/{number}"),
        })
        .collect()
}

impl Metric for Matcher {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let expected = match expected_values(sample, self.expected.as_ref()) {
            Ok(values) => values,
            Err(outcome) => return Ok(outcome),
        };
        // A reference that is no JSON is a text, and no answer key.
        let is_key = |value: &&Json| self.expected.is_some() || !value.is_string();
        let expected: Vec<&Json> = expected.iter().filter(is_key).collect();
        if expected.is_empty() {
            return Ok(Outcome::not_applicable("no reference is JSON"));
        }
        let (given, written) = if let Some(path) = &self.at_path {
            match answer(sample, Some(path))? {
                Ok(answer) => (answer.value.into_owned(), None),
                Err(outcome) => return Ok(outcome),
            }
        } else {
            let response = sample.response()?;
            let within = if self.find { Within::Anywhere } else { Within::Response };
            match find(response, within) {
                Ok(span) => {
                    let value: Json = serde_json::from_str(&response[span.clone()]).map_err(|error| {
                        ScoreError::BadField { field: Field::Response, reason: format!("cannot be read: {error}") }
                    })?;
                    (value, Some((response, span)))
                }
                Err(problem) => {
                    return Ok(Score::from_bool(false).because([at_mistake(response, &problem)]).into());
                }
            }
        };
        let mut best: Option<(f64, Counts)> = None;
        for value in expected {
            let mut comparison = Comparison { matcher: self, left: MOST_COMPARISONS };
            let counts = comparison.values(&given, value, &mut Vec::new(), &mut Vec::new())?;
            let extra = if self.extra == ExtraLeaves::Allowed { 0 } else { counts.extra };
            let whole = counts.right + counts.wrong + counts.missing + extra;
            let share = if whole == 0 { 1.0 } else { (counts.sum / whole as f64).min(1.0) };
            if best.as_ref().is_none_or(|(most, _)| share > *most) {
                best = Some((share, counts));
            }
        }
        let Some((share, counts)) = best else { return Ok(Outcome::not_applicable("nothing is expected")) };
        let at = |kind: EvidenceKind, path: &[PathStep]| {
            let (response, span) = written.clone()?;
            let place = locate(&response[span.clone()], path)?;
            Some(Evidence::at(kind, Field::Response, span.start + place.start..span.start + place.end, response))
        };
        let mut evidence = Bounded::default();
        for finding in &counts.findings {
            evidence.push(|| match finding {
                Finding::Wrong(path, wanted) => {
                    let note = format!("{}: expected {wanted}", named(path));
                    at(EvidenceKind::Compared, path).unwrap_or_else(|| Evidence::note(named(path))).with_note(note)
                }
                Finding::Missing(path) => Evidence::missing(named(path)),
                Finding::Extra(path) => {
                    let piece = at(EvidenceKind::Unsupported, path).unwrap_or_else(|| Evidence::note(named(path)));
                    piece.with_note(format!("{}: nobody expects it", named(path)))
                }
            });
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
fn named(path: &[PathStep]) -> String {
    if path.is_empty() { "the root".to_owned() } else { pointer(path) }
}
