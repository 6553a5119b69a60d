//! What a single case expects of its results: `"expect": [{"metric": "token_f1", "at_least": 0.5}]`.
//!
//! The metric `expectations` looks at the results of the others. Its value is the share of a case's expectations that hold. What an
//! item of `turns` expects is held against the part `turn.N` of a metric that is taken `per: turn`.

use std::borrow::Cow;

use probare_core::{
    Better, Case, ErrorKind, Evidence, EvidenceKind, MetricInfo, MetricResult, Outcome, Score, ScoreError,
};
use probare_report::number::{rounded, rounded_against};
use probare_report::{Gate, Gates, Relation};
use serde::Deserialize;
use serde_json::Value as Json;

/// Id of the metric, and its usual name.
pub const EXPECTATIONS: &str = "expectations";

/// Where a case says what it expects.
const KEY: &str = "expect";

/// One expectation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectation {
    /// Name of the metric in the run.
    pub metric: String,
    /// The value is this or above.
    at_least: Option<f64>,
    /// The value is this or below.
    at_most: Option<f64>,
    /// The value is this number, or its label this word.
    equals: Option<Json>,
    /// It holds when the rest does not.
    #[serde(default)]
    not: bool,
    /// The turn that it speaks of, where it is not the case.
    #[serde(skip)]
    turn: Option<usize>,
}

/// All expectations have to hold.
pub fn gates() -> Gates {
    let all = Gate::Any { metric: EXPECTATIONS.to_owned(), relation: Relation::Under, limit: 1.0 };
    Gates::new(vec![all])
}

/// Whether a case says what it expects.
pub(crate) fn has_expectations(case: &Case) -> bool {
    case.metadata.contains_key(KEY) || case.turns.iter().flatten().any(|turn| turn.expect.is_some())
}

/// What a case expects; an error says what is wrong with it.
pub(crate) fn read(case: &Case) -> Result<Vec<Expectation>, String> {
    let mut expectations = match case.metadata.get(KEY) {
        Some(json) => parse_expectations(json, KEY)?,
        None => Vec::new(),
    };
    for (number, turn) in case.turns.iter().flatten().enumerate() {
        let Some(json) = &turn.expect else { continue };
        let number = turn.turn.unwrap_or(number);
        let of_turn = parse_expectations(json, &format!("{KEY} of turn {number}"))?;
        expectations.extend(of_turn.into_iter().map(|one| Expectation { turn: Some(number), ..one }));
    }
    for one in &expectations {
        if one.at_least.is_none() && one.at_most.is_none() && one.equals.is_none() {
            let name = &one.metric;
            return Err(format!("what is expected of `{name}` has none of `at_least`, `at_most` and `equals`"));
        }
    }
    Ok(expectations)
}

fn parse_expectations(json: &Json, name: &str) -> Result<Vec<Expectation>, String> {
    // Cells of a table hold JSON as text.
    let parsed = match json {
        Json::String(text) => serde_json::from_str(text),
        json => serde_json::from_value(json.clone()),
    };
    parsed.map_err(|error| format!("`{name}` is not a list of expectations: {error}"))
}

/// What sinks are told about the metric.
pub fn info(name: &str) -> MetricInfo {
    MetricInfo {
        name: name.to_owned(),
        id: EXPECTATIONS.into(),
        summary: "Share of what the case expects of its results that holds".into(),
        better: Better::Higher,
        range: (0.0, 1.0),
        version: 1,
        profile: None,
        options: Json::Null,
        decision_thresholds: None,
        is_descriptive: false,
        code: None,
    }
}

/// How many of a case's expectations hold. A metric that failed leaves open whether they do: that is an error of the same
/// kind. One that does not apply does not hold, negated or not.
pub(crate) fn score(case: &Case, metrics: &[MetricInfo], results: &[MetricResult]) -> MetricResult {
    let expectations = read(case).map_err(|reason| ScoreError::other(ErrorKind::Failed, reason))?;
    if expectations.is_empty() {
        return Ok(Outcome::not_applicable("the case expects nothing"));
    }
    let mut held = 0;
    let mut evidence = Vec::with_capacity(expectations.len());
    for expectation in &expectations {
        let at = metrics.iter().position(|metric| metric.name == expectation.metric);
        let Some(named) = at.and_then(|at| results.get(at)) else {
            let reason = format!("`{}` is expected, but not computed in this run", expectation.metric);
            return Err(ScoreError::other(ErrorKind::Failed, reason));
        };
        let (holds, found) = match named {
            Err(error) => {
                let reason = format!("`{}` has no result to be held to: {error}", expectation.metric);
                return Err(ScoreError::other(error.kind(), reason));
            }
            Ok(Outcome::NotApplicable { reason }) => (false, format!("does not apply: {reason}")),
            Ok(Outcome::Labelled(label)) => {
                (expectation.holds_of(None, Some(&label.label)) != expectation.not, label.label.to_string())
            }
            Ok(Outcome::Scored(score)) => match expectation.of_turn(score)? {
                Some(score) => (expectation.holds(&score) != expectation.not, expectation.score_text(&score)),
                None => (false, "does not apply to this turn".to_owned()),
            },
        };
        held += usize::from(holds);
        let kind = if holds { EvidenceKind::Compared } else { EvidenceKind::Missing };
        let note = format!("{} {}", if holds { "holds:" } else { "does not hold:" }, found);
        evidence.push(Evidence {
            kind,
            place: None,
            text: expectation.to_text(),
            cut: false,
            note: Some(note.into()),
            support: None,
        });
    }
    let label = if held == expectations.len() { "PASS" } else { "FAIL" };
    Ok(Score::ratio(held, expectations.len())?.labelled(label).because(evidence).into())
}

impl Expectation {
    /// A value with its label, in as many digits as show on which side of each limit it lies.
    fn score_text(&self, score: &Score) -> String {
        let value = score.value.get();
        let limits = [self.at_least, self.at_most, self.equals.as_ref().and_then(Json::as_f64)];
        let texts = limits.into_iter().flatten().map(|limit| rounded_against(value, limit));
        let text = texts.max_by_key(String::len).unwrap_or_else(|| rounded(value));
        match &score.label {
            Some(label) => format!("{label} ({text})"),
            None => text,
        }
    }

    /// The score that it speaks of: that of its turn, where it has one.
    fn of_turn<'s>(&self, score: &'s Score) -> Result<Option<Cow<'s, Score>>, ScoreError> {
        let Some(turn) = self.turn else { return Ok(Some(Cow::Borrowed(score))) };
        if score.parts.get("turns").is_none() {
            let reason = format!(
                "turn {turn} expects something of `{}`, which is not taken per turn: add `per=turn`",
                self.metric
            );
            return Err(ScoreError::other(ErrorKind::Failed, reason));
        }
        score.parts.get(&format!("turn.{turn}")).map(Score::from_number).transpose().map(|found| found.map(Cow::Owned))
    }

    fn holds(&self, score: &Score) -> bool {
        self.holds_of(Some(score.value.get()), score.label.as_deref())
    }

    /// Whether it holds of a value and a label, of which one may be missing.
    fn holds_of(&self, value: Option<f64>, label: Option<&str>) -> bool {
        self.at_least.is_none_or(|limit| value.is_some_and(|value| value >= limit))
            && self.at_most.is_none_or(|limit| value.is_some_and(|value| value <= limit))
            && self.equals.as_ref().is_none_or(|wanted| match wanted {
                Json::String(wanted) => label == Some(wanted),
                Json::Bool(yes) => value == Some(f64::from(u8::from(*yes))),
                number => value.is_some() && number.as_f64() == value,
            })
    }

    /// In words: `token_f1 at least 0.5`.
    fn to_text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.at_least.map(|limit| format!("at least {limit}")));
        parts.extend(self.at_most.map(|limit| format!("at most {limit}")));
        parts.extend(self.equals.as_ref().map(|wanted| format!("equals {wanted}")));
        let turn = self.turn.map(|turn| format!("turn {turn}: ")).unwrap_or_default();
        format!("{turn}{} {}{}", self.metric, if self.not { "not " } else { "" }, parts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(expect: &str) -> Case {
        let expect: Json = serde_json::from_str(expect).unwrap();
        Case { metadata: [("expect".to_owned(), expect)].into_iter().collect(), ..Case::default() }
    }

    fn value(expect: &str) -> Result<f64, String> {
        let metrics = [info("a"), info("b"), info("c"), info("d")];
        let results = [
            Ok(Score::from_number(0.5).unwrap().labelled("WARN").into()),
            Ok(Score::from_number(1.0).unwrap().into()),
            Ok(Outcome::not_applicable("no context")),
            Err(ScoreError::other(ErrorKind::TimedOut, "slow")),
        ];
        match score(&case(expect), &metrics, &results) {
            Ok(Outcome::Scored(score)) => Ok(score.value.get()),
            Ok(Outcome::NotApplicable { reason }) => Err(reason.into_owned()),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(format!("{}: {error}", error.kind().name())),
        }
    }

    #[test]
    fn expectations_are_held_against_results() {
        assert_eq!(value(r#"[{"metric":"a","at_least":0.5},{"metric":"a","at_most":0.4}]"#), Ok(0.5));
        assert_eq!(value(r#"[{"metric":"a","at_most":0.4,"not":true},{"metric":"a","equals":"WARN"}]"#), Ok(1.0));
        assert_eq!(value(r#"[{"metric":"b","equals":1},{"metric":"b","equals":true}]"#), Ok(1.0));
        assert_eq!(value(r#"[{"metric":"c","at_least":0,"not":true}]"#), Ok(0.0), "what does not apply does not hold");
        assert_eq!(value("[]"), Err("the case expects nothing".into()));
    }

    #[test]
    fn a_note_rounds_the_value_but_shows_its_side_of_the_limit() {
        let note = |expect: &str, value: f64| {
            let results = [Ok(Score::from_number(value).unwrap().into())];
            let found = score(&case(expect), &[info("a")], &results).unwrap();
            found.score().unwrap().evidence[0].note.as_deref().unwrap().to_owned()
        };
        let at_least = r#"[{"metric":"a","at_least":0.5}]"#;
        assert_eq!(note(at_least, 0.559_999_999_999_999_9), "holds: 0.56");
        assert_eq!(note(at_least, 1.0 / 3.0), "does not hold: 0.3333");
        assert_eq!(note(r#"[{"metric":"a","equals":"WARN"}]"#, 1.0 / 3.0), "does not hold: 0.3333");
        let between = r#"[{"metric":"a","at_least":0.2,"at_most":0.5}]"#;
        assert_eq!(note(between, 0.500_000_1), "does not hold: 0.5000001");
    }

    #[test]
    fn a_turn_is_held_against_its_part() {
        let turns: Json = serde_json::from_str(
            r#"[{"expect":[{"metric":"a","at_least":0.5}]},{"turn":3,"expect":[{"metric":"a","at_least":0.5},{"metric":"b","at_least":1}]}]"#,
        )
        .unwrap();
        let case = Case { turns: serde_json::from_value(turns).unwrap(), ..Case::default() };
        assert!(has_expectations(&case));
        let by_turn = |values: [f64; 2]| {
            let score = Score::from_number(0.5).unwrap().with_part("turn.0", values[0]).unwrap();
            score.with_part("turn.3", values[1]).unwrap().with_part("turns", 4.0).unwrap()
        };
        let results = [Ok(by_turn([0.5, 0.2]).into()), Ok(by_turn([0.0, 1.0]).into())];
        let found = score(&case, &[info("a"), info("b")], &results).unwrap();
        let found = found.score().unwrap();
        assert_eq!((found.value.get(), found.evidence[1].text.as_str()), (2.0 / 3.0, "turn 3: a at least 0.5"));
        let plain = [Ok(Score::from_number(1.0).unwrap().into()), Ok(by_turn([1.0, 1.0]).into())];
        let error = score(&case, &[info("a"), info("b")], &plain).unwrap_err().to_string();
        assert!(error.contains("per=turn"), "{error}");
    }

    #[test]
    fn a_failure_is_no_verdict() {
        let text = value(r#"[{"metric":"d","at_least":0.5}]"#).unwrap_err();
        assert_eq!(text, "timed_out: `d` has no result to be held to: slow");
        assert!(value(r#"[{"metric":"z","at_least":0.5}]"#).unwrap_err().contains("not computed"));
        assert!(value(r#"[{"metric":"a"}]"#).unwrap_err().contains("none of `at_least`"));
        assert!(value(r#"[{"metric":"a","atleast":1}]"#).unwrap_err().contains("atleast"));
    }
}
