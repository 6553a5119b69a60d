//! What a gold answer is by its form: alternatives in one text, a number with its unit, a list of items.

use std::ops::Range;

use probare_text::quantities::{Amount, AmountSense};

use super::amounts;
use super::lexicon::is_function_word;
use super::phrase::ReferencePhrase;
use super::question::{OpenQuestion, QuestionKind, is_content};
use super::spans::SpanSet;
use super::words::{AnswerWord, WordGap, answer_words};

/// The golds, and the alternatives that a slash or `or` separates in one of them: `14 December 1972/December 1972`.
pub(crate) fn reference_forms(references: &[String]) -> impl Iterator<Item = (usize, &str)> {
    references.iter().enumerate().flat_map(|(index, gold)| {
        let alternatives = alternatives(gold, "/").or_else(|| alternatives(gold, " or ")).unwrap_or_default();
        std::iter::once(gold.as_str()).chain(alternatives).map(move |form| (index, form))
    })
}

/// The parts of a gold, if each could stand alone: `AC/DC` and `9/11` have none.
fn alternatives<'g>(reference: &'g str, separator: &str) -> Option<Vec<&'g str>> {
    let parts: Vec<&str> = reference.split(separator).map(str::trim).collect();
    let stands_alone = |part: &&str| {
        part.chars().filter(|character| character.is_alphanumeric()).count() >= 3
            && part.chars().any(char::is_alphabetic)
    };
    (parts.len() > 1 && parts.iter().all(stands_alone)).then_some(parts)
}

/// Where a reference stands run together with other words or with the number of a footnote, as text that lost its links has it:
/// `inParis`, `19661.` for 1966.
pub(crate) fn find_run_together(text: &str, form: &str) -> Option<Range<usize>> {
    const SHORTEST: usize = 4;
    const MOST: usize = 20;
    let form = form.trim();
    if form.len() < SHORTEST || !form.starts_with(|first: char| first.is_uppercase() || first.is_ascii_digit()) {
        return None;
    }
    let ends_in_digit = form.ends_with(|last: char| last.is_ascii_digit());
    text.match_indices(form).take(MOST).map(|(at, _)| at..at + form.len()).find(|range| {
        let (before, behind) = (&text[..range.start], &text[range.end..]);
        let head = &before[before.trim_end_matches(char::is_alphabetic).len()..];
        let number = behind.bytes().take_while(u8::is_ascii_digit).count();
        let rest = &behind[number..];
        let tail = &rest[..rest.len() - rest.trim_start_matches(char::is_lowercase).len()];
        let is_footnote = number <= 2 && !rest.starts_with(char::is_alphabetic);
        let is_joined = |part: &str| part.is_empty() || is_function_word(&part.to_lowercase());
        let is_cut = ends_in_digit || tail.is_empty() || rest[tail.len()..].starts_with(char::is_uppercase);
        !before.ends_with(|last: char| last.is_ascii_digit())
            && (number == 0 || is_footnote)
            && is_joined(head)
            && is_joined(tail)
            && is_cut
    })
}

/// The number that a gold is, with words around it that only hedge or name what is counted.
pub(crate) fn reference_amounts(form: &str, question: &OpenQuestion) -> Vec<Amount> {
    let words = answer_words(form);
    let mut found = amounts::numbers(form, false);
    if found.is_empty() {
        found = amounts::numbers(form, true);
    }
    let spans = SpanSet::new(found.iter().map(|amount| amount.span.clone()));
    let outside: Vec<&AnswerWord> = words
        .iter()
        .filter(|word| is_content(word) && !is_hedge(&word.text))
        .filter(|word| !spans.overlaps(&word.span))
        .collect();
    // One word may name what is counted, or a unit: `27 states`, `54 Mbit/s`. A name with a number in it is a name:
    // `Apollo 11`, `50 Cent`.
    let is_counted = |word: &&AnswerWord| {
        let is_name = word.is_capitalised && !word.is_upper && question.kind != QuestionKind::Number;
        !is_name && found.first().is_some_and(|amount| amount.span.end <= word.span.start)
    };
    if outside.len() > 1 || !outside.iter().all(is_counted) {
        return Vec::new();
    }
    // `8 minutes 20 seconds` is one length of time.
    let unit = |sense: &AmountSense| match sense {
        AmountSense::Number { value, unit: Some(unit), .. } if unit.dimension == "time" => Some((*value, *unit)),
        _ => None,
    };
    if let [first, second] = &mut found[..]
        && let (Some((whole, larger)), Some((rest, smaller))) = (unit(first.sense()), unit(second.sense()))
        && larger.to_base(1.0) > smaller.to_base(rest)
    {
        let value = smaller.from_base(larger.to_base(whole)) + rest;
        let AmountSense::Number { scale, unit, .. } = second.sense().clone() else { return Vec::new() };
        second.senses = vec![AmountSense::Number { scale, value, unit }];
        second.span.start = first.span.start;
        found.remove(0);
    }
    found
}

/// Words that say that a number is not exact.
fn is_hedge(word: &str) -> bool {
    matches!(word, "approximately" | "around" | "roughly" | "nearly" | "almost" | "least" | "degrees")
}

/// The items of a gold that lists several: `red, green and blue`.
pub(crate) fn list_items<'g>(form: &'g str, phrase: &ReferencePhrase, question: &OpenQuestion) -> Option<Vec<&'g str>> {
    let is_listed = |word: &AnswerWord| matches!(word.text.as_str(), "and");
    let has_and = phrase.words.iter().any(is_listed);
    let commas = phrase.words.iter().skip(1).filter(|word| word.gap == WordGap::Comma).count();
    let has_semicolon = form.contains(';');
    // `Johannesburg, Gauteng, South Africa` is one place.
    let asks_place = question.has_any(&["where", "city", "town", "place", "located", "country", "state", "village"]);
    if !has_and && !has_semicolon && (commas < 2 || asks_place) {
        return None;
    }
    let mut items = Vec::new();
    let mut start = 0;
    for (at, word) in phrase.words.iter().enumerate() {
        let is_break = (at > 0 && matches!(word.gap, WordGap::Comma | WordGap::Clause)) || is_listed(word);
        if is_break {
            let end = word.span.start;
            items.push(form.get(start..end).unwrap_or_default());
            start = if is_listed(word) { word.span.end } else { word.span.start };
        }
    }
    items.push(form.get(start..).unwrap_or_default());
    let items: Vec<&str> = items
        .into_iter()
        .map(|item| item.trim_matches(|character: char| !character.is_alphanumeric()))
        .filter(|item| !item.is_empty())
        .collect();
    // Items are short; longer stretches are clauses of a description.
    let is_short = |item: &&str| answer_words(item).iter().filter(|word| is_content(word)).count() <= 4;
    ((2..=12).contains(&items.len()) && items.iter().all(is_short)).then_some(items)
}
