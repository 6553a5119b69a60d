//! Whether calls keep to rules: allowed and denied tools, order, number, arguments.

use probare_core::{BuildError, ErrorKind, Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::tool_errors::{ErrorTexts, is_error};
use super::trace::{Equality, PlacedCall, Trace, matches_glob, require_trace, value_excerpt};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `tool_rules`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolRules {
    /// The rules; those that a case has in `metadata.rules` come after them.
    pub rules: Vec<CallRule>,
}

/// One rule. A tool is named by name or glob.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CallRule {
    /// Every call fits one of these.
    pub allow: Option<Vec<String>>,
    /// No call fits any of these.
    pub deny: Option<Vec<String>>,
    /// Before every call of a later one there is, in an earlier message, a call of the one just before it.
    pub order: Option<Vec<String>>,
    /// With `order`: whether that earlier call must have come to a result that is no error (default true).
    pub succeeded: Option<bool>,
    /// At most so many calls of `of`; with `argument`, the greatest value.
    pub at_most: Option<Json>,
    /// At least so many calls of `of`; with `argument`, the least value.
    pub at_least: Option<Json>,
    /// The tool that the rule speaks of.
    pub of: Option<String>,
    /// No call of this one in a message after a call of `after`.
    pub never: Option<String>,
    /// With `never`: the tool after which it may not be called.
    pub after: Option<String>,
    /// JSON Pointer to the argument of `of` that is checked.
    pub argument: Option<String>,
    /// With `argument`: the values that it may have.
    pub one_of: Option<Vec<Json>>,
    /// With `argument`: a pattern that its whole text fits.
    pub matches: Option<String>,
}

metric!(ToolRules as Pure {
    summary: "Share of the rules on calls that the agent kept",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(parts.get("kept")? / parts.get("rules")?),
    prepare: RuleChecker::new,
    since: "0.3",
    version: 1,
    page: "tool_rules.md",
});

/// A rule, checked.
enum CompiledRule {
    Allow(Vec<String>),
    Deny(Vec<String>),
    Order { tools: Vec<String>, succeeded: bool },
    Count { tool: String, at_least: Option<u64>, at_most: Option<u64> },
    Never { tool: String, after: String },
    Argument(ArgumentRule),
}

/// What an argument of a tool may be.
struct ArgumentRule {
    tool: String,
    pointer: String,
    at_least: Option<f64>,
    at_most: Option<f64>,
    one_of: Option<Vec<Json>>,
    matches: Option<Regex>,
}

impl ArgumentRule {
    fn new(pointer: String, rule: CallRule) -> Result<Self, String> {
        if !pointer.starts_with('/') {
            return Err(format!("`argument` is a JSON Pointer: `/{pointer}`"));
        }
        let pattern = |text: String| {
            regex::RegexBuilder::new(&format!("^(?:{text})$"))
                .size_limit(LARGEST_PATTERN)
                .build()
                .map_err(|error| error.to_string())
        };
        Ok(Self {
            tool: rule.of.ok_or(NO_TOOL)?,
            pointer,
            at_least: limit("at_least", rule.at_least.as_ref(), "a number", Json::as_f64)?,
            at_most: limit("at_most", rule.at_most.as_ref(), "a number", Json::as_f64)?,
            one_of: rule.one_of,
            matches: rule.matches.map(pattern).transpose()?,
        })
    }

    /// Why a value is none that it may be.
    fn breach(&self, value: &Json) -> Option<String> {
        let number = value.as_f64();
        if let Some(least) = self.at_least.filter(|least| number.is_none_or(|number| number < *least)) {
            return Some(format!("at least {least} is wanted"));
        }
        if let Some(most) = self.at_most.filter(|most| number.is_none_or(|number| number > *most)) {
            return Some(format!("at most {most} is wanted"));
        }
        let is_among = |values: &Vec<Json>| values.iter().any(|known| Equality::default().equal(value, known));
        if self.one_of.as_ref().is_some_and(|values| !is_among(values)) {
            return Some("it is none of the values that are wanted".to_owned());
        }
        let fits = |pattern: &Regex| value.as_str().is_some_and(|text| pattern.is_match(text));
        let misfit = self.matches.as_ref().filter(|pattern| !fits(pattern));
        misfit.map(|_| "it does not match the pattern".to_owned())
    }
}

struct RuleChecker {
    rules: Vec<CompiledRule>,
}

/// Bytes of a compiled pattern.
const LARGEST_PATTERN: usize = 1 << 20;

fn compile_rule(rule: CallRule) -> Result<CompiledRule, String> {
    let given = [
        rule.allow.is_some(),
        rule.deny.is_some(),
        rule.order.is_some(),
        rule.never.is_some(),
        rule.argument.is_some(),
        rule.argument.is_none() && (rule.at_most.is_some() || rule.at_least.is_some()),
    ];
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        return Err(
            "a rule has exactly one of `allow`, `deny`, `order`, `never`, `argument`, and `at_most` or `at_least`"
                .to_owned(),
        );
    }
    if rule.succeeded.is_some() && rule.order.is_none() {
        return Err("`succeeded` belongs to `order`".to_owned());
    }
    if rule.after.is_some() && rule.never.is_none() {
        return Err("`after` belongs to `never`".to_owned());
    }
    if rule.argument.is_none() && (rule.one_of.is_some() || rule.matches.is_some()) {
        return Err("`one_of` and `matches` belong to `argument`".to_owned());
    }
    if let Some(pointer) = rule.argument.clone() {
        return ArgumentRule::new(pointer, rule).map(CompiledRule::Argument);
    }
    if let Some(tools) = rule.allow {
        return Ok(CompiledRule::Allow(tools));
    }
    if let Some(tools) = rule.deny {
        return Ok(CompiledRule::Deny(tools));
    }
    if let Some(tools) = rule.order {
        return Ok(CompiledRule::Order { tools, succeeded: rule.succeeded.unwrap_or(true) });
    }
    if let Some(tool) = rule.never {
        return Ok(CompiledRule::Never {
            tool,
            after: rule.after.ok_or("`after` says after which tool it may not be called")?,
        });
    }
    Ok(CompiledRule::Count {
        tool: rule.of.ok_or(NO_TOOL)?,
        at_least: limit("at_least", rule.at_least.as_ref(), "a whole number of calls", Json::as_u64)?,
        at_most: limit("at_most", rule.at_most.as_ref(), "a whole number of calls", Json::as_u64)?,
    })
}

const NO_TOOL: &str = "`of` names the tool that the rule speaks of";

/// A limit that a rule may have.
fn limit<T>(name: &str, value: Option<&Json>, form: &str, read: fn(&Json) -> Option<T>) -> Result<Option<T>, String> {
    value.map(|value| read(value).ok_or_else(|| format!("`{name}` must be {form}"))).transpose()
}

impl RuleChecker {
    fn new(options: ToolRules) -> Result<Self, BuildError> {
        let numbered = options.rules.into_iter().enumerate();
        let of = |(number, rule): (usize, CallRule)| {
            compile_rule(rule).map_err(|reason| BuildError::Options(format!("rule {}: {reason}", number + 1)))
        };
        Ok(Self { rules: numbered.map(of).collect::<Result<_, _>>()? })
    }
}

impl Metric for RuleChecker {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let mut own = Vec::new();
        if let Some(rules) = sample.case.metadata.get("rules") {
            let bad = |reason: String| ScoreError::other(ErrorKind::Failed, format!("`metadata.rules`: {reason}"));
            let rules: Vec<CallRule> = serde_json::from_value(rules.clone()).map_err(|error| bad(error.to_string()))?;
            for (number, rule) in rules.into_iter().enumerate() {
                own.push(compile_rule(rule).map_err(|reason| bad(format!("rule {}: {reason}", number + 1)))?);
            }
        }
        let rules: Vec<&CompiledRule> = self.rules.iter().chain(&own).collect();
        if rules.is_empty() {
            return Ok(Outcome::not_applicable("there are no rules, neither as an option nor in `metadata.rules`"));
        }
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        let (mut followed, mut breaches) = (0_usize, 0_usize);
        for (number, rule) in rules.iter().enumerate() {
            let mut breaks = BreachRecorder { number: number + 1, count: 0, evidence: &mut evidence };
            breaks.check(rule, &trace);
            followed += usize::from(breaks.count == 0);
            breaches += breaks.count;
        }
        let label = if followed == rules.len() { "kept" } else { "broken" };
        let score = Score::ratio(followed, rules.len())?
            .labelled(label)
            .with_part("rules", rules.len() as f64)?
            .with_part("kept", followed as f64)?
            .with_part("breaches", breaches as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// Counts the breaches of one rule.
struct BreachRecorder<'e> {
    number: usize,
    count: usize,
    evidence: &'e mut BoundedEvidence,
}

impl BreachRecorder<'_> {
    fn record(&mut self, made: &PlacedCall<'_>, reason: &str, support: Option<&PlacedCall<'_>>) {
        self.count += 1;
        let note = format!("rule {}: {reason}", self.number);
        self.evidence.push(|| {
            let piece = made.name_evidence(EvidenceKind::Unsupported).with_note(note);
            support.map_or(piece.clone(), |other| piece.with_support(other.name_place()))
        });
    }

    fn check(&mut self, rule: &CompiledRule, trace: &Trace<'_>) {
        let calls = &trace.calls;
        let of = |tool: &str| calls.iter().filter(|made| matches_glob(tool, &made.call.name)).collect::<Vec<_>>();
        match rule {
            CompiledRule::Allow(tools) => {
                for made in calls.iter().filter(|made| !tools.iter().any(|tool| matches_glob(tool, &made.call.name))) {
                    self.record(made, "the tool is not allowed", None);
                }
            }
            CompiledRule::Deny(tools) => {
                for made in calls.iter().filter(|made| tools.iter().any(|tool| matches_glob(tool, &made.call.name))) {
                    self.record(made, "the tool is denied", None);
                }
            }
            CompiledRule::Order { tools, succeeded } => {
                for pair in tools.windows(2) {
                    self.order(&of(&pair[0]), &of(&pair[1]), &pair[0], *succeeded);
                }
            }
            CompiledRule::Count { tool, at_least, at_most } => {
                let found = of(tool);
                if let Some(most) = at_most {
                    let most = usize::try_from(*most).unwrap_or(usize::MAX);
                    for made in found.iter().skip(most) {
                        self.record(made, &format!("called more than {most} times"), found.first().copied());
                    }
                }
                if let Some(least) = at_least.filter(|least| (found.len() as u64) < *least) {
                    self.count += 1;
                    let note =
                        format!("rule {}: called {} times, at least {least} are wanted", self.number, found.len());
                    self.evidence.push(|| Evidence::missing(tool).with_note(note));
                }
            }
            CompiledRule::Never { tool, after } => {
                if let Some(first) = of(after).first().copied() {
                    for made in of(tool).into_iter().filter(|made| made.message > first.message) {
                        self.record(made, &format!("called after `{}`", first.call.name), Some(first));
                    }
                }
            }
            CompiledRule::Argument(rule) => {
                for made in of(&rule.tool) {
                    let Some(value) = argument(made, &rule.pointer) else { continue };
                    if let Some(reason) = rule.breach(&value) {
                        self.count += 1;
                        let (pointer, shown) = (&rule.pointer, value_excerpt(&value));
                        let note = format!("rule {}: `{pointer}` is {shown}, but {reason}", self.number);
                        let piece = made.argument_evidence(EvidenceKind::Unsupported, pointer);
                        self.evidence.push(|| {
                            piece.unwrap_or_else(|| made.name_evidence(EvidenceKind::Unsupported)).with_note(note)
                        });
                    }
                }
            }
        }
    }

    fn order(&mut self, earlier: &[&PlacedCall<'_>], later: &[&PlacedCall<'_>], name: &str, succeeded: bool) {
        let is_good = |made: &PlacedCall<'_>| {
            !succeeded || made.result.as_ref().is_none_or(|result| !is_error(result, ErrorTexts::Json))
        };
        let first_good = earlier.iter().find(|other| is_good(other));
        for made in later {
            if first_good.is_some_and(|other| other.message < made.message) {
                continue;
            }
            let before = earlier.partition_point(|other| other.message < made.message);
            if let Some(other) = earlier[..before].last() {
                self.record(
                    made,
                    &format!("`{}` came before it, and its result is an error", other.call.name),
                    Some(*other),
                );
            } else {
                let beside = earlier.get(before).filter(|other| other.message == made.message).copied();
                self.record(made, &format!("`{name}` was not called in an earlier message"), beside);
            }
        }
    }
}

fn argument(made: &PlacedCall<'_>, pointer: &str) -> Option<Json> {
    Json::Object(made.call.arguments.clone()?).pointer(pointer).cloned()
}
