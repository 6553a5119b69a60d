//! Whether what the user said comes back unchanged.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use probare_core::{
    Evidence, EvidenceKind, Field, Metric, Outcome, Place, Sample, Score, ScoreError, metric, pointer_step,
};
use probare_nlp::lexicon::{self, Sort, Sorts};
use probare_nlp::reading::{Mood, Reading, Scope, Sentence};
use probare_text::dates::Fields;
use probare_text::distance::levenshtein;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Deserialize;

use super::said::{
    Kind, Meaning, NO_MESSAGES, Talk, TalkText, Value, argument_values, is_related, is_same, name_words, senses, slot,
    values, within,
};
use super::trace::{PlacedCall, Trace, loose};
use crate::bounded::Bounded;

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
    version: 2,
    page: "fact_kept.md",
});

/// A value that the user gave.
struct Fact<'t> {
    value: Value,
    text: &'t TalkText,
    /// Words that say what it is: the noun behind or before it, its unit.
    words: Vec<String>,
    /// What the words of content of its sentence stand for.
    around: Rc<FxHashSet<String>>,
    /// The words as written.
    written: String,
}

/// Facts and texts of the user that are looked back at.
const MOST_FACTS: usize = 200;
const MOST_TEXTS: usize = 50;

/// Everything that came before a use.
#[derive(Default)]
struct Before<'t> {
    facts: VecDeque<Fact<'t>>,
    /// What the user wrote, in small letters with single blanks.
    user: VecDeque<(&'t TalkText, String)>,
    /// Words and values of the results.
    results: FxHashSet<String>,
}

/// What a use is.
enum Use {
    /// As the user said it.
    Kept(Place),
    /// Otherwise than the user said it.
    Changed { support: Place, written: String },
}

impl Metric for FactKept {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let Some(talk) = Talk::of(sample) else { return Ok(Outcome::not_applicable(NO_MESSAGES)) };
        let trace = Trace::of(case).unwrap_or_default();
        let (mut kept, mut changed) = (0_usize, 0_usize);
        let mut evidence = Bounded::default();
        let mut note = |found: Use, place: &dyn Fn(EvidenceKind) -> Option<Evidence>| {
            let (kind, support, remark) = match found {
                Use::Kept(support) => {
                    kept += 1;
                    (EvidenceKind::Found, support, None)
                }
                Use::Changed { support, written } => {
                    changed += 1;
                    (EvidenceKind::Compared, support, Some(format!("the user said `{written}`")))
                }
            };
            if let Some(mut piece) = place(kind) {
                piece.support = Some(support);
                piece.note = remark.map(Into::into);
                evidence.push(|| piece);
            }
        };
        let (mut before, mut count) = (Before::default(), 0_usize);
        let mut calls = trace.calls.iter().filter(|made| made.spot.field == Field::Messages).peekable();
        let mut results = trace
            .calls
            .iter()
            .filter_map(|made| made.result.as_ref())
            .map(|result| (result.spot.as_ref().map_or(0, |spot| spot.index), &result.text))
            .collect::<Vec<_>>();
        results.sort_by_key(|(at, _)| *at);
        let mut results = results.into_iter().peekable();
        let mut texts = talk.texts.iter().peekable();
        for message in 0..case.messages.as_deref().unwrap_or_default().len() {
            while let Some((_, text)) = results.next_if(|(at, _)| *at < message) {
                before.results.extend(name_words(text));
                before.results.extend(values(text, &Reading::of(text)).iter().flat_map(Value::keys));
            }
            while let Some(text) = texts.next_if(|text| text.message <= message) {
                let whole = text.text(case);
                if text.is_user {
                    let found = facts(text, &whole);
                    count += found.len();
                    before.facts.extend(found);
                    before.user.push_back((text, loose(&whole)));
                    let over = before.facts.len().saturating_sub(MOST_FACTS);
                    before.facts.drain(..over);
                    let over = before.user.len().saturating_sub(MOST_TEXTS);
                    before.user.drain(..over);
                    continue;
                }
                for (span, found) in of_text(text, &whole, &before) {
                    note(found, &|kind| Some(text.evidence(case, kind, span.clone())));
                }
            }
            while let Some(made) = calls.next_if(|made| made.message <= message) {
                for (pointer, found) in of_call(made, &before) {
                    note(found, &|kind| made.argument(kind, &pointer));
                }
            }
        }
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
fn facts<'t>(text: &'t TalkText, whole: &str) -> Vec<Fact<'t>> {
    let reading = &text.reading;
    let all = values(whole, reading);
    let mut found = Vec::new();
    for sentence in &reading.sentences {
        let inside = within(&all, &reading.place(sentence));
        if inside.is_empty() {
            continue;
        }
        let around = Rc::new(content(reading, sentence));
        found.extend(inside.iter().map(|value| {
            let (words, written) = (words_of(reading, whole, value), whole[value.span.clone()].to_owned());
            Fact { value: value.clone(), text, words, around: Rc::clone(&around), written }
        }));
    }
    found
}

/// What the words of content of a sentence stand for.
fn content(reading: &Reading, sentence: &Sentence) -> FxHashSet<String> {
    let is_content = |token: &usize| {
        let found = &reading.tokens[*token];
        found.is_word
            && !found.sorts.has(Sort::Function)
            && !reading.word(*token).bytes().any(|byte| byte.is_ascii_digit())
    };
    sentence.tokens.clone().filter(is_content).flat_map(|token| senses(reading.word(token))).collect()
}

/// Words that say what a value is.
fn words_of(reading: &Reading, whole: &str, value: &Value) -> Vec<String> {
    let mut words: Vec<String> = value.noun.iter().cloned().collect();
    if value.kind == Kind::Number {
        let own = whole[value.span.clone()].split(|sign: char| !sign.is_alphabetic()).filter(|word| word.len() > 1);
        words.extend(own.map(str::to_lowercase));
        // "For four": people.
        let end = reading.tokens.partition_point(|token| token.origin.start < value.span.start);
        if value.noun.is_none() && value.unit.is_none() && end > 0 && reading.word(end - 1) == "for" {
            words.push("people".to_owned());
        }
        return words;
    }
    let end = reading.tokens.partition_point(|token| token.origin.start < value.span.start);
    for token in (end.saturating_sub(4)..end).rev() {
        let word = reading.word(token);
        if !reading.tokens[token].is_word && word != ":" && word != "#" {
            break;
        }
        if matches!(word, "from" | "to" | "in" | "at") {
            words.push(word.to_owned());
            break;
        }
        if !reading.is_sort(token, Sort::Function) {
            words.push(word.to_owned());
            if slot(word) != Some("identifier") {
                break;
            }
        }
    }
    words
}

/// What the arguments of a call say of facts, each with its JSON Pointer.
fn of_call(made: &PlacedCall<'_>, before: &Before<'_>) -> Vec<(String, Use)> {
    let mut found = Vec::new();
    let mut all: Vec<(String, Value)> = Vec::new();
    for (key, value) in made.call.arguments() {
        argument_values(value, &format!("/{}", pointer_step(key)), &mut all);
    }
    let text_at = |pointer: &str| made.call.text_at(&format!("/arguments{pointer}")).unwrap_or_default().into_owned();
    for (at, (pointer, value)) in all.iter().enumerate() {
        let written = text_at(pointer);
        let fact = before.facts.iter().find(|fact| is_fact(fact, value, &name_words(pointer)));
        if let Some(fact) = fact {
            // Several values in one text are one use of it.
            if all[..at].iter().all(|(other, _)| other != pointer) || value.kind != Kind::Name {
                found.push((pointer.clone(), Use::Kept(fact.text.place(fact.value.span.clone()))));
            }
            continue;
        }
        // Words of the user that are no value are passed on and say nothing.
        if before.has_words(&written)
            || before.in_results(value, &written)
            || value.span.end - value.span.start < written.trim().len()
        {
            continue;
        }
        // A fact of the same kind that no argument of this call has.
        let is_held =
            |fact: &Fact<'_>| all.iter().any(|(_, other)| is_same(&fact.value, other) && covers(other, &fact.value));
        let open = all.iter().filter(|(other_pointer, other)| {
            other.kind == value.kind
                && !before.facts.iter().any(|fact| is_same(&fact.value, other))
                && !before.has_words(&text_at(other_pointer))
        });
        let is_only = open.count() == 1;
        let key = pointer.rsplit('/').find(|part| part.parse::<usize>().is_err()).map(name_words).unwrap_or_default();
        let changed = before.facts.iter().rev().find(|fact| {
            let names_it = key.iter().any(|word| fact.words.iter().any(|known| is_related(word, known)));
            fact.value.kind == value.kind
                && !is_held(fact)
                && is_comparable(&fact.value, value)
                && match value.kind {
                    Kind::Number => names_it,
                    Kind::Name => names_it || is_misspelt(&fact.written, &written),
                    Kind::Code => (names_it || is_only) && is_shaped_alike(&fact.written, &written),
                    Kind::Email | Kind::Address => is_only,
                    Kind::Date | Kind::Time => names_it || is_only,
                }
        });
        if let Some(fact) = changed {
            let support = fact.text.place(fact.value.span.clone());
            found.push((pointer.clone(), Use::Changed { support, written: fact.written.clone() }));
        }
    }
    found
}

/// Whether an argument has a fact: it means the same, and a number counts the same things.
fn is_fact(fact: &Fact<'_>, value: &Value, key: &[String]) -> bool {
    if !is_same(&fact.value, value) {
        return false;
    }
    let nouns = value.noun.iter().chain(key);
    // A number of something else is another fact, unless nothing says what it counts.
    value.kind != Kind::Number
        || fact.words.is_empty()
        || key.is_empty()
        || nouns.clone().any(|word| fact.words.iter().any(|known| is_related(word, known)))
        || nouns.clone().all(|word| slot(word).is_none())
}

/// Whether a value has all days of another.
fn covers(value: &Value, other: &Value) -> bool {
    match (&value.meaning, &other.meaning) {
        (Meaning::Days(one), Meaning::Days(wanted)) => wanted.len() <= one.len(),
        _ => true,
    }
}

/// Whether two values say something of the same kind, so that they can differ.
fn is_comparable(left: &Value, right: &Value) -> bool {
    match (&left.meaning, &right.meaning) {
        (Meaning::Days(one), Meaning::Days(other)) => {
            let is_full = |days: &[Fields]| days.iter().all(|day| day.day.is_some() && day.month.is_some());
            let is_weekday = |days: &[Fields]| days.iter().all(|day| day.weekday.is_some() && day.day.is_none());
            is_full(one) && is_full(other) || is_weekday(one) && is_weekday(other)
        }
        (Meaning::Amount(_), Meaning::Amount(_)) => left.unit.zip(right.unit).is_none_or(|(one, other)| one == other),
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

impl Before<'_> {
    /// Whether the user wrote these words as they stand.
    fn has_words(&self, words: &str) -> bool {
        let wanted = loose(words);
        wanted.chars().filter(|sign| sign.is_alphabetic()).count() >= 2
            && self.user.iter().any(|(_, said)| {
                let mut from = 0;
                while let Some(found) = said.get(from..).and_then(|rest| rest.find(&wanted)) {
                    let (start, end) = (from + found, from + found + wanted.len());
                    let is_whole = |sign: Option<char>| sign.is_none_or(|sign| !sign.is_alphanumeric());
                    // An item in the singular was said in the plural: "red mug", "red mugs".
                    let rest = said[end..].strip_prefix('s').unwrap_or(&said[end..]);
                    if is_whole(said[..start].chars().next_back()) && is_whole(rest.chars().next()) {
                        return true;
                    }
                    from = end;
                }
                false
            })
    }

    /// Whether a result before it has a value.
    fn in_results(&self, value: &Value, written: &str) -> bool {
        let words = name_words(written);
        value.is_among(|key| self.results.contains(key))
            || value.kind != Kind::Number && !words.is_empty() && words.iter().all(|word| self.results.contains(word))
    }
}

/// What a text of the assistant says of facts, each with its bytes. Questions, offers and orders say nothing.
fn of_text(text: &TalkText, whole: &str, before: &Before<'_>) -> Vec<(Range<usize>, Use)> {
    let reading = &text.reading;
    let all = values(whole, reading);
    let mut found = Vec::new();
    for sentence in reading.sentences.iter().filter(|sentence| matches!(sentence.mood, Mood::Statement)) {
        let span = reading.place(sentence);
        let around = content(reading, sentence);
        let inside = within(&all, &span);
        for value in inside {
            probare_cancellation::steps(1);
            let written = &whole[value.span.clone()];
            let words = words_of(reading, whole, value);
            let is_kept = |fact: &&Fact<'_>| {
                is_same(&fact.value, value)
                    && (value.kind != Kind::Number
                        || fact.value.unit.is_some()
                        || fact.words.iter().any(|known| words.iter().any(|word| is_related(word, known)))
                        || fact.words.is_empty() && words.is_empty())
            };
            if let Some(fact) = before.facts.iter().find(|fact| is_kept(fact)) {
                found.push((value.span.clone(), Use::Kept(fact.text.place(fact.value.span.clone()))));
                continue;
            }
            let token = reading.tokens.partition_point(|token| token.origin.end <= value.span.start);
            if is_offered(reading, sentence, token) || before.in_results(value, written) {
                continue;
            }
            let changed = before.facts.iter().rev().find(|fact| {
                fact.value.kind == value.kind
                    && is_comparable(&fact.value, value)
                    && !is_same(&fact.value, value)
                    && is_same_slot(fact, value, &words, &around, written)
                    // What the sentence says rightly is not also said wrongly.
                    && !inside.iter().any(|other| is_same(&fact.value, other))
            });
            if let Some(fact) = changed {
                let support = fact.text.place(fact.value.span.clone());
                found.push((value.span.clone(), Use::Changed { support, written: fact.written.clone() }));
            }
        }
        found.extend(choices(reading, sentence, before));
    }
    found
}

/// Whether what stands at a place is offered, supposed or denied in its clause.
fn is_offered(reading: &Reading, sentence: &Sentence, token: usize) -> bool {
    let start = Scope::new(reading, sentence, token).clause_start();
    (start..token).any(|at| {
        matches!(
            reading.word(at),
            "can" | "could" | "would" | "shall" | "should" | "may" | "might" | "or" | "if" | "than"
        ) || reading.is_any(at, Sorts::DENYING)
    }) || reading.word(token + 1) == "or"
}

/// Whether one name is the other with a slip of the pen: as many words, and one or two letters in them are others.
fn is_misspelt(left: &str, right: &str) -> bool {
    let words = |text: &str| text.split_whitespace().count();
    let distance = levenshtein(&left.to_lowercase(), &right.to_lowercase());
    words(left) == words(right) && (1..=2).contains(&distance) && left.chars().count() >= 4 + 2 * distance
}

/// Whether two numbers of at least four digits have the same digits in another order.
fn is_swapped(left: &str, right: &str) -> bool {
    let digits = |text: &str| -> Vec<u8> {
        let mut digits: Vec<u8> = text.bytes().collect();
        digits.sort_unstable();
        digits
    };
    let is_plain = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain(left) && is_plain(right) && left != right && digits(left) == digits(right)
}

/// Whether a value in a statement speaks of what a fact speaks of.
fn is_same_slot(fact: &Fact<'_>, value: &Value, words: &[String], around: &FxHashSet<String>, written: &str) -> bool {
    let is_named = fact.words.iter().any(|known| {
        !matches!(known.as_str(), "from" | "to" | "in" | "at") && words.iter().any(|word| is_related(word, known))
    });
    // A word of content in common beside what both count.
    let shares = || {
        let counted: Vec<String> = words.iter().chain(&fact.words).flat_map(|word| senses(word)).collect();
        fact.around.iter().any(|sense| around.contains(sense) && !counted.contains(sense))
    };
    match value.kind {
        Kind::Code => is_named && is_shaped_alike(&fact.written, written),
        Kind::Email | Kind::Address => levenshtein(&fact.written.to_lowercase(), &written.to_lowercase()) <= 3,
        Kind::Date => match (&fact.value.meaning, &value.meaning) {
            (Meaning::Days(one), Meaning::Days(other)) => {
                let is_range = one.len() > 1 && other.len() > 1;
                is_near(one, other) && (is_range || is_named || shares())
            }
            _ => false,
        },
        Kind::Time => shares(),
        Kind::Number => {
            let is_measured = fact.value.unit.is_some() && fact.value.unit == value.unit;
            let is_counted =
                words.iter().any(|word| matches!(slot(word), Some("people" | "adult" | "child" | "temperature")));
            let same_things = match (&fact.value.noun, &value.noun) {
                (Some(one), Some(other)) => is_related(one, other),
                (None, None) => true,
                _ => false,
            };
            is_swapped(&fact.written, written) || (is_measured && same_things || is_counted && is_named) && shares()
        }
        Kind::Name => is_misspelt(&fact.written, written),
    }
}

/// Whether two stretches of days differ in one thing only: the month, or a day.
fn is_near(one: &[Fields], other: &[Fields]) -> bool {
    let share =
        |same: &dyn Fn(&Fields, &Fields) -> bool| one.iter().any(|left| other.iter().any(|right| same(left, right)));
    share(&|left, right| left.month.is_some() && left.month == right.month)
        || share(&|left, right| left.day.is_some() && left.day == right.day)
        || share(&|left, right| left.weekday.is_some() && right.weekday.is_some())
}

/// Wishes of a closed kind that come back: a window seat, a double room.
fn choices(reading: &Reading, sentence: &Sentence, before: &Before<'_>) -> Vec<(Range<usize>, Use)> {
    let kind = |reading: &Reading, token: usize| {
        lexicon::lemma(Sort::Choice, |ahead| if ahead == 0 { reading.word(token) } else { "" })
    };
    let is_thing = |reading: &Reading, token: usize| {
        reading.tokens.get(token).is_some_and(|found| found.is_word && !found.sorts.has(Sort::Function))
    };
    let mut found = Vec::new();
    let stated = |token: &usize| is_thing(reading, token + 1) && !is_offered(reading, sentence, *token);
    for token in sentence.tokens.clone().filter(stated) {
        let Some(wish) = kind(reading, token) else { continue };
        let (word, noun) = (reading.word(token), reading.word(token + 1));
        // The last wish for the same thing.
        let wished = before.user.iter().rev().find_map(|(text, _)| {
            let said = &text.reading;
            let at = (0..said.tokens.len()).rev().find(|at| {
                kind(said, *at) == Some(wish) && is_thing(said, at + 1) && is_related(said.word(at + 1), noun)
            })?;
            Some((*text, at, said.word(at).to_owned()))
        });
        let Some((text, at, said)) = wished else { continue };
        let support = text.place(text.reading.origin(at, at));
        if said == word {
            found.push((reading.origin(token, token), Use::Kept(support)));
        } else if !before.results.contains(word) {
            found.push((reading.origin(token, token), Use::Changed { support, written: said }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::trace::case;
    use super::*;

    fn label(json: &serde_json::Value) -> Option<String> {
        let case = case(&json.to_string());
        let outcome = FactKept {}.score(Sample::of(&case)).unwrap();
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
        assert_eq!(said("I'd like a window seat.", "You have an aisle seat on DY1.").as_deref(), Some("changed"));
        assert_eq!(called("born 4 May 2019", &json(r#"{"born":"2019-05-04"}"#)).as_deref(), Some("kept"));
        assert_eq!(called("born 4 May 2019", &json(r#"{"born":"2019-04-05"}"#)).as_deref(), Some("changed"));
        assert_eq!(called("Write to Ines Vara", &json(r#"{"contact":"Ines Vera"}"#)).as_deref(), Some("changed"));
        assert_eq!(
            said("I moved to 5 Birch Road, 40210.", "Your address in 40120 is registered.").as_deref(),
            Some("changed")
        );
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
    }
}
