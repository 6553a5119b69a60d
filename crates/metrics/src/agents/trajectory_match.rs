//! Whether the messages go the way of the expected ones: AgentEvals' trajectory match.

use std::collections::BTreeMap;

use probare_core::{
    BuildError, CaseMessage, ErrorKind, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError,
    Speaker, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::trace::{LEGACY_CALL, PlacedCall, assistant_calls, can_cover, check_read, check_usable, python_equal};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `trajectory_match`, by the names of the original.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrajectoryMatch {
    /// How the two sides are compared.
    pub trajectory_match_mode: TrajectoryMode,
    /// When the arguments of two calls fit.
    pub tool_args_match_mode: ToolArgsMatchMode,
    /// For single tools: another mode, or a list of arguments (with dots into objects) that alone are compared.
    pub tool_args_match_overrides: BTreeMap<String, Json>,
}

/// How the two sides are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrajectoryMode {
    /// Message by message.
    #[default]
    Strict,
    /// The same calls in any order.
    Unordered,
    /// No call that is not expected.
    Subset,
    /// All expected calls, and perhaps more.
    Superset,
}

/// When the arguments of two calls fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolArgsMatchMode {
    /// They are equal.
    #[default]
    Exact,
    /// Always.
    Ignore,
    /// All that are called are expected.
    Subset,
    /// All that are expected are called.
    Superset,
}

metric!(TrajectoryMatch as Pure {
    summary: "Whether messages and calls follow the expected ones (AgentEvals)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Messages, ExpectedMessages],
    prepare: TrajectoryMatcher::new,
    per_turn: false,
    since: "0.3",
    version: 2,
    page: "trajectory_match.md",
});

/// Calls up to which a better pairing is looked for, for the remark alone.
const MOST_REMARKED: usize = 300;

/// How the arguments of one tool are compared.
enum ArgumentRule {
    Mode(ToolArgsMatchMode),
    Keys(Vec<String>),
}

struct TrajectoryMatcher {
    mode: TrajectoryMode,
    arguments: ToolArgsMatchMode,
    overrides: BTreeMap<String, ArgumentRule>,
}

impl TrajectoryMatcher {
    fn new(options: TrajectoryMatch) -> Result<Self, BuildError> {
        let mut overrides = BTreeMap::new();
        for (tool, value) in options.tool_args_match_overrides {
            let fit = match &value {
                Json::String(word) => ArgumentRule::Mode(match word.as_str() {
                    "exact" => ToolArgsMatchMode::Exact,
                    "subset" => ToolArgsMatchMode::Subset,
                    "superset" => ToolArgsMatchMode::Superset,
                    // As in the original, an unknown word compares nothing.
                    _ => ToolArgsMatchMode::Ignore,
                }),
                Json::Array(keys) if keys.iter().all(Json::is_string) => {
                    ArgumentRule::Keys(keys.iter().filter_map(Json::as_str).map(str::to_owned).collect())
                }
                _ => {
                    let reason =
                        format!("`tool_args_match_overrides` of `{tool}` must be a mode or a list of arguments");
                    return Err(BuildError::Options(reason));
                }
            };
            overrides.insert(tool, fit);
        }
        Ok(Self { mode: options.trajectory_match_mode, arguments: options.tool_args_match_mode, overrides })
    }

    fn arguments_match(&self, name: &str, left: &Map<String, Json>, right: &Map<String, Json>) -> bool {
        let within = |inner: &Map<String, Json>, outer: &Map<String, Json>| {
            inner.iter().all(|(key, value)| outer.get(key).is_some_and(|other| python_equal(value, other)))
        };
        let mode = match self.overrides.get(name) {
            Some(ArgumentRule::Keys(keys)) if !keys.is_empty() => {
                return keys.iter().all(|key| python_equal(value_at_path(left, key), value_at_path(right, key)));
            }
            Some(ArgumentRule::Mode(mode)) => *mode,
            _ => self.arguments,
        };
        match mode {
            ToolArgsMatchMode::Exact => left.len() == right.len() && within(left, right),
            ToolArgsMatchMode::Subset => within(left, right),
            ToolArgsMatchMode::Superset => within(right, left),
            ToolArgsMatchMode::Ignore => true,
        }
    }

    fn calls_match(&self, had: &PlacedCall<'_>, needed: &PlacedCall<'_>) -> bool {
        had.call.name == needed.call.name
            && self.arguments_match(&had.call.name, had.call.arguments(), needed.call.arguments())
    }

    /// Takes for each that is needed the first that fits; the first that found none, where there is one.
    fn first_fit_partners(&self, had: &[PlacedCall<'_>], needed: &[PlacedCall<'_>]) -> Result<Vec<usize>, usize> {
        let mut is_taken = vec![false; had.len()];
        let mut partners = Vec::with_capacity(needed.len());
        for (number, call) in needed.iter().enumerate() {
            probare_cancellation::count_steps(had.len());
            match (0..had.len()).find(|at| !is_taken[*at] && self.calls_match(&had[*at], call)) {
                Some(at) => {
                    is_taken[at] = true;
                    partners.push(at);
                }
                None => return Err(number),
            }
        }
        Ok(partners)
    }
}

/// The value along the dots; null wherever the way ends.
fn value_at_path<'a>(arguments: &'a Map<String, Json>, key: &str) -> &'a Json {
    const NULL: &Json = &Json::Null;
    let mut steps = key.split('.');
    let first = steps.next().and_then(|step| arguments.get(step)).unwrap_or(NULL);
    steps.fold(first, |here, step| here.as_object().and_then(|object| object.get(step)).unwrap_or(NULL))
}

/// The calls that the original sees: not those in the form from before there were tools (`function_call`).
fn seen_calls(messages: &[CaseMessage], field: Field) -> Vec<PlacedCall<'_>> {
    let is_seen = |placed: &PlacedCall<'_>| placed.call.kind.as_deref() != Some(LEGACY_CALL);
    assistant_calls(messages, field).into_iter().filter(is_seen).collect()
}

/// The role as this metric tells roles apart.
fn role(message: &CaseMessage) -> Result<&str, ScoreError> {
    match (&message.role, message.role_given.as_deref()) {
        (Speaker::Other(name), _) => {
            Err(ScoreError::other(ErrorKind::Failed, format!("a message has the unknown role `{name}`")))
        }
        (_, Some(given @ ("developer" | "function"))) => Ok(given),
        (role, _) => Ok(role.name()),
    }
}

impl Metric for TrajectoryMatcher {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let (Some(messages), Some(expected_messages)) = (&case.messages, &case.expected_messages) else {
            return Ok(Outcome::not_applicable("the case lacks `messages` or `expected_messages`"));
        };
        for message in messages.iter().chain(expected_messages) {
            probare_cancellation::count_steps(1);
            role(message)?;
        }
        check_read(messages, Field::Messages)?;
        check_read(expected_messages, Field::ExpectedMessages)?;
        let called = seen_calls(messages, Field::Messages);
        let expected = seen_calls(expected_messages, Field::ExpectedMessages);
        check_usable(&called, ErrorKind::Unparseable)?;
        check_usable(&expected, ErrorKind::Failed)?;
        let mut evidence = BoundedEvidence::default();
        let holds = match self.mode {
            TrajectoryMode::Superset => self.all_expected_called(&called, &expected, &mut evidence),
            TrajectoryMode::Subset => self.all_called_expected(&called, &expected, &mut evidence),
            TrajectoryMode::Unordered => {
                self.all_expected_called(&called, &expected, &mut evidence)
                    && self.all_called_expected(&called, &expected, &mut evidence)
            }
            TrajectoryMode::Strict => self.strict(messages, expected_messages, &called, &expected, &mut evidence)?,
        };
        Ok(Score::from_bool(holds).because(evidence.finish()).into())
    }
}

impl TrajectoryMatcher {
    fn all_expected_called(
        &self,
        called: &[PlacedCall<'_>],
        expected: &[PlacedCall<'_>],
        evidence: &mut BoundedEvidence,
    ) -> bool {
        match self.first_fit_partners(called, expected) {
            Ok(partners) => {
                for (expected_call, at) in expected.iter().zip(partners) {
                    evidence.push(|| {
                        called[at].name_evidence(EvidenceKind::Matched).with_support(expected_call.name_place())
                    });
                }
                true
            }
            Err(number) => {
                let expected_call = &expected[number];
                evidence.push(|| Evidence::missing(&expected_call.call.name).with_support(expected_call.name_place()));
                self.remark_on_greed(called, expected, evidence);
                false
            }
        }
    }

    /// The sides are exchanged, and with them the modes of arguments.
    fn all_called_expected(
        &self,
        called: &[PlacedCall<'_>],
        expected: &[PlacedCall<'_>],
        evidence: &mut BoundedEvidence,
    ) -> bool {
        match self.first_fit_partners(expected, called) {
            Ok(_) => true,
            Err(number) => {
                evidence.push(|| {
                    called[number].name_evidence(EvidenceKind::Unsupported).with_note("no expected call fits it")
                });
                self.remark_on_greed(expected, called, evidence);
                false
            }
        }
    }

    fn remark_on_greed(&self, had: &[PlacedCall<'_>], needed: &[PlacedCall<'_>], evidence: &mut BoundedEvidence) {
        if had.len() <= MOST_REMARKED
            && needed.len() <= had.len()
            && can_cover(needed.len(), had.len(), |had_at, needed_at| {
                self.calls_match(&had[had_at], &needed[needed_at])
            })
        {
            evidence.push(|| {
                Evidence::note("in another order of pairing every call finds one; the original takes the first")
            });
        }
    }

    fn strict(
        &self,
        messages: &[CaseMessage],
        expected_messages: &[CaseMessage],
        called: &[PlacedCall<'_>],
        expected: &[PlacedCall<'_>],
        evidence: &mut BoundedEvidence,
    ) -> Result<bool, ScoreError> {
        if messages.len() != expected_messages.len() {
            let reason = format!("{} messages where {} are expected", messages.len(), expected_messages.len());
            evidence.push(|| Evidence::note(reason));
            return Ok(false);
        }
        for (number, (message, other)) in messages.iter().zip(expected_messages).enumerate() {
            let (given, expected_role) = (role(message)?, role(other)?);
            if given != expected_role {
                let reason = format!("message {} is of `{given}`, expected is `{expected_role}`", number + 1);
                evidence.push(|| Evidence::note(reason));
                return Ok(false);
            }
            let of = |calls: &[PlacedCall<'_>]| {
                let start = calls.partition_point(|made| made.message < number);
                start..calls.partition_point(|made| made.message <= number)
            };
            let (had, needed) = (&called[of(called)], &expected[of(expected)]);
            if had.len() != needed.len() {
                let reason = format!("message {} has {} calls, expected are {}", number + 1, had.len(), needed.len());
                evidence.push(|| Evidence::note(reason));
                return Ok(false);
            }
            // Each called one takes the first free expected one.
            let mut is_taken = vec![false; needed.len()];
            for made in had {
                if let Some(at) = (0..needed.len()).find(|at| !is_taken[*at] && self.calls_match(made, &needed[*at])) {
                    is_taken[at] = true;
                    evidence.push(|| made.name_evidence(EvidenceKind::Matched).with_support(needed[at].name_place()));
                } else {
                    evidence.push(|| {
                        made.name_evidence(EvidenceKind::Unsupported)
                            .with_note("no expected call of this message fits it")
                    });
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::trace::case;

    fn score(options: &str, case: &probare_core::Case) -> f64 {
        let matcher = TrajectoryMatcher::new(serde_json::from_str(options).unwrap()).unwrap();
        matcher.score(Sample::from_case(case)).unwrap().score().unwrap().value.get()
    }

    #[test]
    fn a_greedy_choice_is_told() {
        let case = case(
            r#"{"id":"a","messages":[{"role":"assistant","tool_calls":[{"name":"f","arguments":{"a":1}},{"name":"f","arguments":{}}]}],
                "expected_messages":[{"role":"assistant","tool_calls":[{"name":"f","arguments":{}},{"name":"f","arguments":{"a":1}}]}]}"#,
        );
        let options = r#"{"trajectory_match_mode":"superset","tool_args_match_mode":"superset"}"#;
        assert_eq!(score(options, &case), 0.0);
        let matcher = TrajectoryMatcher::new(serde_json::from_str(options).unwrap()).unwrap();
        let outcome = matcher.score(Sample::from_case(&case)).unwrap();
        let notes: Vec<&str> = outcome.score().unwrap().evidence.iter().map(|piece| piece.text.as_str()).collect();
        assert!(notes.iter().any(|note| note.contains("another order of pairing")), "{notes:?}");
    }

    #[test]
    fn an_override_of_another_kind_is_refused() {
        let options = serde_json::from_str(r#"{"tool_args_match_overrides":{"f":3}}"#).unwrap();
        assert!(TrajectoryMatcher::new(options).is_err());
    }
}
