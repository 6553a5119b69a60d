//! Whether what the user said comes back unchanged.

use std::collections::VecDeque;
use std::ops::Range;

use probare_core::{
    Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, escape_pointer_key, metric,
};
use probare_english::lexicon::{LexicalRole, LexicalRoles};
use probare_english::text_analysis::{AnalysisSentence, Mood, Scope, TextAnalysis};
use probare_text::dates::DateFields;
use probare_text::distance::levenshtein;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Deserialize;

use super::conversation::{
    Conversation, ConversationText, ExtractedValue, NO_MESSAGES, ValueKind, ValueMeaning, argument_values, is_related,
    is_same_value, name_words, slot_name, values, values_in,
};
use super::trace::{PlacedCall, Trace, loose_text};
use crate::bounded_evidence::BoundedEvidence;

/// `fact_kept` has no options.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FactKept {}

metric!(FactKept as Pure {
    summary: "Share of the user's facts that come back as the user said them, in calls and answers",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(parts.get("kept")? / (parts.get("kept")? + parts.get("changed")?)),
    per_turn: false,
    since: "0.3",
    version: 5,
    page: "fact_kept.md",
});

/// A value that the user gave.
struct Fact<'t> {
    value: ExtractedValue,
    text: &'t ConversationText,
    /// Words that say what it is: the noun behind or before it, its unit.
    words: Vec<String>,
    /// The words as written.
    written: String,
    /// Whether a call has had it. Later calls may try something else.
    has_arrived: bool,
}

/// Facts and texts of the user that are looked back at.
const MOST_FACTS: usize = 200;
const MOST_TEXTS: usize = 50;

/// Everything that came before a use.
#[derive(Default)]
struct PriorContext<'t> {
    facts: VecDeque<Fact<'t>>,
    /// What the user wrote, in small letters with single blanks.
    user: VecDeque<(&'t ConversationText, String)>,
    /// Words and values of the results.
    results: FxHashSet<String>,
}

/// What a use is.
enum FactUse {
    /// As the user said it.
    Kept(FieldSpan),
    /// Otherwise than the user said it.
    Changed { support: FieldSpan, written: String },
}

/// Counts uses and shows them.
#[derive(Default)]
struct UseRecorder {
    kept: usize,
    changed: usize,
    evidence: BoundedEvidence,
}

impl UseRecorder {
    fn record(&mut self, found: FactUse, place: impl FnOnce(EvidenceKind) -> Option<Evidence>) {
        let (kind, support, remark) = match found {
            FactUse::Kept(support) => {
                self.kept += 1;
                (EvidenceKind::Matched, support, None)
            }
            FactUse::Changed { support, written } => {
                self.changed += 1;
                (EvidenceKind::Compared, support, Some(format!("the user said `{written}`")))
            }
        };
        if let Some(mut piece) = place(kind) {
            piece.support = Some(support);
            piece.note = remark.map(Into::into);
            self.evidence.push(|| piece);
        }
    }
}

impl Metric for FactKept {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let Some(talk) = Conversation::for_sample(sample) else { return Ok(Outcome::not_applicable(NO_MESSAGES)) };
        let trace = Trace::from_case(case).unwrap_or_default();
        let mut uses = UseRecorder::default();
        let (mut before, mut count) = (PriorContext::default(), 0_usize);
        let mut calls = trace.calls.iter().filter(|made| made.location.field == Field::Messages).peekable();
        let mut results = trace
            .calls
            .iter()
            .filter_map(|made| made.result.as_ref())
            .map(|result| (result.location.as_ref().map_or(0, |spot| spot.index), &result.text))
            .collect::<Vec<_>>();
        results.sort_by_key(|(at, _)| *at);
        let mut results = results.into_iter().peekable();
        let mut texts = talk.texts.iter().peekable();
        for message in 0..case.messages.as_deref().unwrap_or_default().len() {
            while let Some((_, text)) = results.next_if(|(at, _)| *at < message) {
                before.add_result(text);
            }
            while let Some(text) = texts.next_if(|text| text.message <= message) {
                let whole = text.text(case);
                if text.is_user {
                    count += before.add_user_text(text, &whole);
                    continue;
                }
                for (span, found) in text_uses(text, &whole, &before) {
                    uses.record(found, |kind| Some(text.evidence(case, kind, span)));
                }
            }
            while let Some(made) = calls.next_if(|made| made.message <= message) {
                for (pointer, found) in call_uses(made, &mut before) {
                    uses.record(found, |kind| made.argument_evidence(kind, &pointer));
                }
            }
        }
        let UseRecorder { kept, changed, evidence } = uses;
        if kept + changed == 0 {
            return Ok(Outcome::not_applicable("nothing that the user said comes back"));
        }
        let score = Score::ratio(kept, kept + changed)?
            .labelled(if changed > 0 { "changed" } else { "kept" })
            .with_part("facts", count as f64)?
            .with_part("kept", kept as f64)?
            .with_part("changed", changed as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// The facts of a text of the user. Questions hold facts too: "Is there a train at 9:40?"
fn facts<'t>(text: &'t ConversationText, whole: &str) -> Vec<Fact<'t>> {
    let fact = |value: ExtractedValue| {
        let (words, written) = (descriptive_words(&text.analysis, whole, &value), whole[value.span.clone()].to_owned());
        Fact { value, text, words, written, has_arrived: false }
    };
    values(whole, &text.analysis).into_iter().map(fact).collect()
}

/// Words that say what a value is.
fn descriptive_words(analysis: &TextAnalysis, whole: &str, value: &ExtractedValue) -> Vec<String> {
    let mut words: Vec<String> = value.noun.iter().cloned().collect();
    if value.kind == ValueKind::Number {
        // Of "40 euros" the euros; the words of "five" say nothing more.
        let own = whole[value.span.clone()].split(|sign: char| !sign.is_alphabetic()).filter(|word| word.len() > 1);
        words.extend(own.filter(|_| value.unit.is_some()).map(str::to_lowercase));
        // "For four": people.
        let end = analysis.tokens.partition_point(|token| token.origin.start < value.span.start);
        if value.noun.is_none() && value.unit.is_none() && end > 0 && analysis.word(end - 1) == "for" {
            words.push("people".to_owned());
        }
        return words;
    }
    let end = analysis.tokens.partition_point(|token| token.origin.start < value.span.start);
    for token in (end.saturating_sub(4)..end).rev() {
        let word = analysis.word(token);
        if !analysis.tokens[token].is_word && word != ":" && word != "#" {
            break;
        }
        if matches!(word, "from" | "to" | "in" | "at") {
            words.push(word.to_owned());
            break;
        }
        if !analysis.has_role(token, LexicalRole::Function) {
            words.push(word.to_owned());
            if slot_name(word) != Some("identifier") {
                break;
            }
        }
    }
    words
}

/// What the arguments of a call say of facts, each with its JSON Pointer.
fn call_uses(made: &PlacedCall<'_>, before: &mut PriorContext<'_>) -> Vec<(String, FactUse)> {
    let mut found = Vec::new();
    let mut all: Vec<(String, ExtractedValue)> = Vec::new();
    for (key, value) in made.call.arguments() {
        argument_values(value, &format!("/{}", escape_pointer_key(key)), &mut all);
    }
    let mut arrived = Vec::new();
    for (at, (pointer, value)) in all.iter().enumerate() {
        let whole = argument_text(made, pointer);
        let is_part = value.span.end - value.span.start < whole.trim().len();
        let part = if is_part { whole.get(value.span.clone()).map(str::to_owned) } else { None };
        let written = part.unwrap_or(whole);
        // Of a number that was given twice the last one counts.
        let fact = before.facts.iter().rposition(|fact| is_fact(fact, value, &name_words(pointer)));
        if let Some(fact) = fact {
            arrived.push(fact);
            // Several values in one text are one use of it.
            if all[..at].iter().all(|(other, _)| other != pointer) || value.kind != ValueKind::Name {
                let fact = &before.facts[fact];
                found.push((pointer.clone(), FactUse::Kept(fact.text.place(fact.value.span.clone()))));
            }
            continue;
        }
        // Words of the user that are no value are passed on and say nothing. In a longer text only the address of a house is compared.
        if before.has_words(&written)
            || before.in_results(value, &written)
            || is_part && value.kind != ValueKind::Address
        {
            continue;
        }
        if let Some(fact) = changed_fact(made, &all, (pointer.as_str(), value), (written.as_str(), is_part), before) {
            let support = fact.text.place(fact.value.span.clone());
            found.push((pointer.clone(), FactUse::Changed { support, written: fact.written.clone() }));
        }
    }
    for fact in arrived {
        before.facts[fact].has_arrived = true;
    }
    found
}

fn argument_text(made: &PlacedCall<'_>, pointer: &str) -> String {
    made.call.text_at(&format!("/arguments{pointer}")).unwrap_or_default().into_owned()
}

/// The fact that an argument has in another form, where no argument of this call has it.
fn changed_fact<'b, 't>(
    made: &PlacedCall<'_>,
    all: &[(String, ExtractedValue)],
    (pointer, value): (&str, &ExtractedValue),
    (written, is_part): (&str, bool),
    before: &'b PriorContext<'t>,
) -> Option<&'b Fact<'t>> {
    let is_held =
        |fact: &Fact<'_>| all.iter().any(|(_, other)| is_same_value(&fact.value, other) && covers(other, &fact.value));
    let open = all.iter().filter(|(other_pointer, other)| {
        other.kind == value.kind
            && !before.facts.iter().any(|fact| is_same_value(&fact.value, other))
            && !before.has_words(&argument_text(made, other_pointer))
    });
    let is_only = open.count() == 1;
    let key = pointer.rsplit('/').find(|part| part.parse::<usize>().is_err()).map(name_words).unwrap_or_default();
    let names = |fact: &Fact<'_>| {
        let is_sum = fact.value.unit.is_some() && key.iter().any(|word| slot_name(word) == Some("amount"));
        is_sum || key.iter().any(|word| fact.words.iter().any(|known| is_related(word, known)))
    };
    let is_changed = |fact: &Fact<'_>| {
        let fills_its_place = match value.kind {
            ValueKind::Number => names(fact),
            // "HAM" may be Hamburg: a code for a name is not compared.
            ValueKind::Name => false,
            ValueKind::Code => (names(fact) || is_only) && is_shaped_alike(&fact.written, written),
            ValueKind::Email | ValueKind::Address => is_only && !is_part,
            ValueKind::Date | ValueKind::Time => names(fact) || is_only,
        };
        fills_its_place || is_slip(fact, value, written)
    };
    // The last value that the user gave for it; where another one of its kind is on its way, that may be the one.
    let mut open = before.facts.iter().rev().filter(|fact| !fact.has_arrived && is_of_a_kind(fact, value, written));
    open.find(|fact| is_changed(fact)).filter(|fact| !is_held(fact))
}

/// Whether an argument has a fact: it means the same, and a number counts the same things.
fn is_fact(fact: &Fact<'_>, value: &ExtractedValue, key: &[String]) -> bool {
    if !is_same_value(&fact.value, value) {
        return false;
    }
    let nouns = value.noun.iter().chain(key);
    // A number of something else is another fact, unless nothing says what it counts.
    value.kind != ValueKind::Number
        || fact.words.is_empty()
        || key.is_empty()
        || nouns.clone().any(|word| fact.words.iter().any(|known| is_related(word, known)))
        || nouns.clone().all(|word| slot_name(word).is_none())
}

/// Whether a value has all days of another.
fn covers(value: &ExtractedValue, other: &ExtractedValue) -> bool {
    match (&value.meaning, &other.meaning) {
        (ValueMeaning::Days(one), ValueMeaning::Days(required)) => required.len() <= one.len(),
        _ => true,
    }
}

/// Whether two values say something of the same kind, so that they can differ.
fn is_comparable(left: &ExtractedValue, right: &ExtractedValue) -> bool {
    match (&left.meaning, &right.meaning) {
        (ValueMeaning::Days(one), ValueMeaning::Days(other)) => {
            let is_full = |days: &[DateFields]| days.iter().all(|day| day.day.is_some() && day.month.is_some());
            let is_weekday = |days: &[DateFields]| days.iter().all(|day| day.weekday.is_some() && day.day.is_none());
            is_full(one) && is_full(other) || is_weekday(one) && is_weekday(other)
        }
        (ValueMeaning::Amount(_), ValueMeaning::Amount(_)) => {
            left.unit.zip(right.unit).is_none_or(|(one, other)| one == other)
        }
        _ => true,
    }
}

/// Whether two codes have the same shape: digits where the other has digits.
fn is_shaped_alike(left: &str, right: &str) -> bool {
    let shape = |text: &str| -> String {
        let plain = text.chars().filter(|sign| sign.is_alphanumeric());
        plain.map(|sign| if sign.is_numeric() { '0' } else { 'a' }).collect()
    };
    shape(left) == shape(right)
}

impl<'t> PriorContext<'t> {
    fn add_result(&mut self, text: &str) {
        self.results.extend(name_words(text));
        self.results.extend(values(text, &TextAnalysis::new(text)).iter().flat_map(ExtractedValue::keys));
    }

    /// Adds what the user wrote; how many facts it holds.
    fn add_user_text(&mut self, text: &'t ConversationText, whole: &str) -> usize {
        let found = facts(text, whole);
        let count = found.len();
        self.facts.extend(found);
        self.user.push_back((text, loose_text(whole)));
        self.facts.drain(..self.facts.len().saturating_sub(MOST_FACTS));
        self.user.drain(..self.user.len().saturating_sub(MOST_TEXTS));
        count
    }

    /// Whether the user wrote these words as they stand.
    fn has_words(&self, words: &str) -> bool {
        let needle = loose_text(words);
        needle.chars().filter(|sign| sign.is_alphabetic()).count() >= 2
            && self.user.iter().any(|(_, user_text)| {
                let mut from = 0;
                while let Some(found) = user_text.get(from..).and_then(|rest| rest.find(&needle)) {
                    let (start, end) = (from + found, from + found + needle.len());
                    let is_whole = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
                    // An item in the singular was said in the plural: "red mug", "red mugs".
                    let rest = user_text[end..].strip_prefix('s').unwrap_or(&user_text[end..]);
                    if is_whole(user_text[..start].chars().next_back()) && is_whole(rest.chars().next()) {
                        return true;
                    }
                    from = end;
                }
                false
            })
    }

    /// Whether a result before it has a value.
    fn in_results(&self, value: &ExtractedValue, written: &str) -> bool {
        let words = name_words(written);
        value.is_among(|key| self.results.contains(key))
            || value.kind != ValueKind::Number
                && !words.is_empty()
                && words.iter().all(|word| self.results.contains(word))
    }
}

/// What a text of the assistant says of facts, each with its bytes. Questions, offers and orders say nothing.
fn text_uses(text: &ConversationText, whole: &str, before: &PriorContext<'_>) -> Vec<(Range<usize>, FactUse)> {
    let analysis = &text.analysis;
    let all = values(whole, analysis);
    let mut found = Vec::new();
    for sentence in analysis.sentences.iter().filter(|sentence| matches!(sentence.mood, Mood::Statement)) {
        let inside = values_in(&all, &analysis.sentence_span(sentence));
        for value in inside {
            probare_cancellation::count_steps(1);
            let written = &whole[value.span.clone()];
            let words = descriptive_words(analysis, whole, value);
            let is_kept = |fact: &&Fact<'_>| {
                is_same_value(&fact.value, value)
                    && (value.kind != ValueKind::Number
                        || fact.value.unit.is_some()
                        || fact.words.iter().any(|known| words.iter().any(|word| is_related(word, known)))
                        || fact.words.is_empty() && words.is_empty())
            };
            if let Some(fact) = before.facts.iter().rev().find(is_kept) {
                found.push((value.span.clone(), FactUse::Kept(fact.text.place(fact.value.span.clone()))));
                continue;
            }
            let token = analysis.tokens.partition_point(|token| token.origin.end <= value.span.start);
            if is_offered(analysis, sentence, token) || before.in_results(value, written) {
                continue;
            }
            let changed = before.facts.iter().rev().find(|fact| {
                is_of_a_kind(fact, value, written)
                    && is_slip(fact, value, written)
                    // What the sentence says rightly is not also said wrongly.
                    && !inside.iter().any(|other| is_same_value(&fact.value, other))
            });
            if let Some(fact) = changed {
                let support = fact.text.place(fact.value.span.clone());
                found.push((value.span.clone(), FactUse::Changed { support, written: fact.written.clone() }));
            }
        }
    }
    found
}

/// Whether what stands at a place is offered, supposed or denied in its clause.
fn is_offered(analysis: &TextAnalysis, sentence: &AnalysisSentence, token: usize) -> bool {
    let start = Scope::new(analysis, sentence, token).clause_start();
    (start..token).any(|at| {
        matches!(
            analysis.word(at),
            "can" | "could" | "would" | "shall" | "should" | "may" | "might" | "or" | "if" | "than"
        ) || analysis.has_any_role(at, LexicalRoles::DENYING)
    }) || analysis.word(token + 1) == "or"
}

/// Whether a fact and a value can differ. A number may come back as a text of digits.
fn is_of_a_kind(fact: &Fact<'_>, value: &ExtractedValue, written: &str) -> bool {
    let is_digits = |kind| matches!(kind, ValueKind::Number | ValueKind::Code);
    fact.value.kind == value.kind && is_comparable(&fact.value, value)
        || is_digits(fact.value.kind) && is_digits(value.kind) && is_swapped(&fact.written, written)
}

/// Whether a value is a fact with a slip of the pen: digits in another order, a letter or digit more, less or other, day and month
/// exchanged, one end of a stretch of days moved. Two things that the user might both mean are seldom so near.
fn is_slip(fact: &Fact<'_>, value: &ExtractedValue, written: &str) -> bool {
    let (left, right) = (fact.written.to_lowercase(), written.to_lowercase());
    match (&fact.value.meaning, &value.meaning) {
        (ValueMeaning::Days(one), ValueMeaning::Days(other)) => is_near(one, other),
        (ValueMeaning::Amount(_), ValueMeaning::Amount(_)) => {
            value.kind == ValueKind::Number && is_swapped(&left, &right)
        }
        _ => {
            let distance = levenshtein(&left, &right);
            match value.kind {
                ValueKind::Code | ValueKind::Number => is_swapped(&left, &right),
                ValueKind::Email | ValueKind::Address => distance <= 3,
                _ => {
                    let words = |text: &str| text.split_whitespace().count();
                    words(&left) == words(&right)
                        && (1..=2).contains(&distance)
                        && left.chars().count() >= 4 + 2 * distance
                }
            }
        }
    }
}

/// Whether two numbers or codes with at least three digits have the same digits in another order. 1520.00 is 1,520.
fn is_swapped(left: &str, right: &str) -> bool {
    let digits = |text: &str| -> Vec<u8> {
        let plain: String = text.chars().filter(|sign| sign.is_ascii_digit() || *sign == '.').collect();
        let whole = if plain.contains('.') { plain.trim_end_matches('0') } else { plain.as_str() };
        whole.bytes().filter(u8::is_ascii_digit).collect()
    };
    let (left, right) = (digits(left), digits(right));
    let sorted = |digits: &[u8]| {
        let mut digits = digits.to_vec();
        digits.sort_unstable();
        digits
    };
    left.len() >= 3 && left != right && sorted(&left) == sorted(&right)
}

/// Whether days differ as by a slip: day and month exchanged, or two stretches that share a day or their months.
fn is_near(one: &[DateFields], other: &[DateFields]) -> bool {
    let share = |same: &dyn Fn(&DateFields, &DateFields) -> bool| {
        one.iter().any(|left| other.iter().any(|right| same(left, right)))
    };
    let are_exchanged = |left: &DateFields, right: &DateFields| {
        left.day.is_some() && left.day != left.month && (left.day, left.month) == (right.month, right.day)
    };
    let are_stretches = one.len() > 1 && other.len() > 1;
    share(&are_exchanged)
        || are_stretches
            && (share(&|left, right| left.month.is_some() && left.month == right.month)
                || share(&|left, right| left.day.is_some() && left.day == right.day))
}

#[cfg(test)]
mod tests {
    use super::super::trace::case;
    use super::*;

    fn label(json: &serde_json::Value) -> Option<String> {
        let case = case(&json.to_string());
        let outcome = FactKept {}.score(Sample::from_case(&case)).unwrap();
        outcome.score().and_then(|score| score.label.clone()).map(std::borrow::Cow::into_owned)
    }

    fn said(user: &str, assistant: &str) -> Option<String> {
        label(
            &serde_json::json!({"id": "a", "messages": [{"role": "user", "text": user}, {"role": "assistant", "text": assistant}]}),
        )
    }

    fn called(user: &str, arguments: &serde_json::Value) -> Option<String> {
        label(&serde_json::json!({"id": "a", "messages": [{"role": "user", "text": user},
            {"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": arguments}]}]}))
    }

    #[test]
    fn what_is_said_otherwise_is_changed() {
        let json = |value: &str| -> serde_json::Value { serde_json::from_str(value).unwrap() };
        assert_eq!(
            said("A hotel from 4 to 7 June, please.", "Ribeira Inn is free from 4 to 7 July.").as_deref(),
            Some("changed")
        );
        assert_eq!(said("My account is 40-22133.", "Account 40-21233 is closed.").as_deref(), Some("changed"));
        assert_eq!(called("Send 1,250.00 euros", &json(r#"{"amount":1520.0}"#)).as_deref(), Some("changed"));
        assert_eq!(called("My card ends in 4402", &json(r#"{"last4":"4420"}"#)).as_deref(), Some("changed"));
        assert_eq!(called("born 4 May 2019", &json(r#"{"born":"2019-05-04"}"#)).as_deref(), Some("kept"));
        assert_eq!(called("born 4 May 2019", &json(r#"{"born":"2019-04-05"}"#)).as_deref(), Some("changed"));
        assert_eq!(called("Write to Ines Vara", &json(r#"{"contact":"Ines Vera"}"#)).as_deref(), Some("changed"));
        assert_eq!(
            said("I moved to 5 Birch Road, 40210.", "Your address in 40120 is registered.").as_deref(),
            Some("changed")
        );
        let address = "Please send it to 14 Elm Street, flat 3.";
        for (given, expected) in [("14 Elm Street, flat 3", "kept"), ("41 Elm Street, flat 3", "changed")] {
            let arguments = serde_json::json!({"address": given});
            assert_eq!(called(address, &arguments).as_deref(), Some(expected), "{given}");
        }
        assert_eq!(
            called("Two-room flats in Ghent", &json(r#"{"city":"Ghent","rooms":3}"#)).as_deref(),
            Some("changed")
        );
    }

    #[test]
    fn what_comes_from_elsewhere_is_not() {
        let json = |value: &str| -> serde_json::Value { serde_json::from_str(value).unwrap() };
        assert_eq!(called("Flats under 900", &json(r#"{"max":900,"limit":10}"#)).as_deref(), Some("kept"));
        assert_eq!(said("I need 3 chairs by Friday.", "We have 12 tables in stock."), None);
        assert_eq!(said("I was born on 4 May.", "Would 5 May suit you?"), None);
        assert_eq!(called("A flight from Hamburg", &json(r#"{"origin":"HAM"}"#)), None);
        assert_eq!(called("On Friday", &json(r#"{"date":"2026-11-20"}"#)), None);
        assert_eq!(
            called("A table for four. Actually we'll be five.", &json(r#"{"people":5}"#)).as_deref(),
            Some("kept")
        );
    }
}
