//! Whether the agent goes round in circles: the same call with the same result, or the same words, again and again.

use std::borrow::Cow;

use probare_core::{
    BuildError, CaseMessage, Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Role, Sample, Score,
    ScoreError, metric,
};
use probare_english::text_analysis::TextAnalysis;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::conversation::asks_to_repeat;
use super::trace::{EqualityKind, PlacedCall, canonical, loose_text, matches_glob, require_trace, turn_numbers};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `loops`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Loops {
    /// How often the same thing makes a loop.
    pub at_least: usize,
    /// Tools that may be called again and again, by name or glob.
    #[serde(alias = "except")]
    pub polled: Vec<String>,
    /// Whether texts are looked at too.
    pub texts: bool,
}

impl Default for Loops {
    fn default() -> Self {
        Self { at_least: 3, polled: Vec::new(), texts: true }
    }
}

metric!(Loops as Pure {
    summary: "Share of calls and texts that are not empty repetitions",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(1.0 - parts.get("wasted")? / (parts.get("calls")? + parts.get("texts")?)),
    prepare: validate,
    since: "0.3",
    version: 1,
    page: "loops.md",
});

fn validate(options: Loops) -> Result<Loops, BuildError> {
    if options.at_least < 2 {
        return Err(BuildError::Options("`at_least` must be 2 or more: once is no repetition".to_owned()));
    }
    Ok(options)
}

/// Words of a text from which on it is looked at.
const FEWEST_WORDS: usize = 5;

/// Different calls that a cycle may have.
const LONGEST_CYCLE: usize = 100;

impl Metric for Loops {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let messages = sample.case.messages.as_deref().unwrap_or_default();
        let texts = if self.texts { long_texts(messages) } else { Vec::new() };
        let calls = &trace.calls;
        if calls.len() + texts.len() < 2 {
            return Ok(Outcome::not_applicable("fewer than two calls and texts: nothing can repeat"));
        }
        let keys: Vec<String> = calls.iter().map(key).collect();
        let mut longest = 0;
        let mut wasted: Vec<(usize, usize)> = Vec::new();
        for series in series(calls, &keys).into_iter().filter(|series| !self.is_polled(&calls[series[0]])) {
            // Only the last run of a series went nowhere: an earlier one ended with another result.
            let mut start = 0;
            for at in 1..series.len() {
                if !same_result(&calls[series[at - 1]], &calls[series[at]]) {
                    start = at;
                }
            }
            let run = &series[start..];
            if run.len() >= self.at_least {
                longest = longest.max(run.len());
                wasted.extend(run[1..].iter().map(|at| (*at, run[0])));
            }
        }
        wasted.sort_unstable();
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        for (at, first) in &wasted {
            evidence.push(|| {
                calls[*at]
                    .name_evidence(EvidenceKind::Matched)
                    .with_note("the same call with the same result")
                    .with_support(calls[*first].name_place())
            });
        }
        let cycle = if wasted.is_empty() { None } else { self.cycle(calls, &keys) };
        let repeated = self.repeated(messages, &texts);
        longest = longest.max(repeated.iter().map(Vec::len).max().unwrap_or(0));
        for group in &repeated {
            let first = &texts[group[0]];
            for at in &group[1..] {
                evidence.push(|| texts[*at].evidence().with_support(first.place()));
            }
        }
        let count = wasted.len() + repeated.iter().map(|group| group.len() - 1).sum::<usize>();
        let whole = calls.len() + texts.len();
        let mut score = Score::from_number(1.0 - count as f64 / whole as f64)?
            .labelled(if count > 0 { "loop" } else { "none" })
            .with_part("calls", calls.len() as f64)?
            .with_part("texts", texts.len() as f64)?
            .with_part("wasted", count as f64)?
            .with_part("longest", longest as f64)?;
        if let Some(cycle) = cycle {
            score = score.with_part("cycle", cycle as f64)?;
        }
        Ok(score.because(evidence.finish()).into())
    }
}

/// Name and arguments as one text, the same for equal calls.
fn key(made: &PlacedCall<'_>) -> String {
    let mut key = Json::from(made.call.name.as_str()).to_string();
    match &made.call.arguments_text {
        Some(text) => key.push_str(text),
        None => canonical(&Json::Object(made.call.arguments().clone()), EqualityKind::Strict, &mut key),
    }
    key
}

/// The calls of one turn that are equal, in order.
fn series(calls: &[PlacedCall<'_>], keys: &[String]) -> Vec<Vec<usize>> {
    let mut place: FxHashMap<(Option<usize>, &str), usize> = FxHashMap::default();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (at, made) in calls.iter().enumerate() {
        let group = *place.entry((made.turn, keys[at].as_str())).or_insert_with(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[group].push(at);
    }
    all
}

/// Whether two calls came to the same; no result equals no result.
fn same_result(one: &PlacedCall<'_>, other: &PlacedCall<'_>) -> bool {
    match (&one.result, &other.result) {
        (Some(one), Some(other)) => one.text == other.text && one.error == other.error,
        (None, None) => true,
        _ => false,
    }
}

/// A text of the assistant that is long enough.
struct LongText<'a> {
    message: usize,
    turn: Option<usize>,
    path: Cow<'static, str>,
    text: &'a str,
    loose: String,
}

impl LongText<'_> {
    fn place(&self) -> FieldSpan {
        FieldSpan::inside(Field::Messages, self.message, self.path.clone(), 0..self.text.len())
    }

    fn evidence(&self) -> Evidence {
        Evidence::at(EvidenceKind::Matched, Field::Messages, 0..self.text.len(), self.text)
            .in_item(self.message)
            .at_path(self.path.clone())
            .with_note("the same words again")
    }
}

fn long_texts(messages: &[CaseMessage]) -> Vec<LongText<'_>> {
    let turns = turn_numbers(messages);
    let mut texts = Vec::new();
    for (message, spoken) in messages.iter().enumerate().filter(|(_, message)| message.has_role(Role::Assistant)) {
        for (path, text) in spoken.spoken_texts().filter(|(_, text)| text.split_whitespace().count() >= FEWEST_WORDS) {
            texts.push(LongText { message, turn: turns[message], path, text, loose: loose_text(text) });
        }
    }
    texts
}

impl Loops {
    fn is_polled(&self, made: &PlacedCall<'_>) -> bool {
        self.polled.iter().any(|tool| matches_glob(tool, &made.call.name))
    }

    /// Texts that are said too often, the first one first. Those that the user asked for do not count.
    fn repeated(&self, messages: &[CaseMessage], texts: &[LongText<'_>]) -> Vec<Vec<usize>> {
        let mut questions: FxHashMap<Option<usize>, String> = FxHashMap::default();
        for (message, turn) in
            messages.iter().zip(turn_numbers(messages)).filter(|(message, _)| message.has_role(Role::User))
        {
            let question = questions.entry(turn).or_default();
            question.push_str(&loose_text(&message.spoken_text().unwrap_or_default()));
            question.push('\n');
        }
        let asked_again =
            |turn: Option<usize>| questions.get(&turn).is_some_and(|text| asks_to_repeat(&TextAnalysis::new(text)));
        let mut place: FxHashMap<&str, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            match place.get(text.loose.as_str()) {
                None => {
                    place.insert(&text.loose, groups.len());
                    groups.push(vec![at]);
                }
                Some(group) => {
                    let first = &texts[groups[*group][0]];
                    let is_other_turn = first.turn != text.turn;
                    let is_same_question =
                        questions.get(&first.turn).is_some_and(|question| questions.get(&text.turn) == Some(question));
                    if !(is_other_turn && (is_same_question || asked_again(text.turn))) {
                        groups[*group].push(at);
                    }
                }
            }
        }
        groups.retain(|group| group.len() >= self.at_least);
        groups
    }

    /// Length of the shortest block of different calls that repeats often enough in a row.
    fn cycle(&self, calls: &[PlacedCall<'_>], keys: &[String]) -> Option<usize> {
        let longest = (calls.len() / self.at_least).min(LONGEST_CYCLE);
        (2..=longest).find(|length| {
            let needed = length * (self.at_least - 1);
            let mut run = 0;
            (*length..calls.len()).any(|at| {
                let is_same = keys[at] == keys[at - length] && calls[at].turn == calls[at - length].turn;
                run = if is_same { run + 1 } else { 0 };
                run >= needed && {
                    let block = &keys[at + 1 - length..=at];
                    (0..block.len()).all(|one| !block[..one].contains(&block[one]))
                }
            })
        })
    }
}
