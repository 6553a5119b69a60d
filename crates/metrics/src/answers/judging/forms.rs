//! What a gold answer is by its form: alternatives in one text, a number with its unit, a list of items.

use probare_text::quantities::{Amount, Sense};

use super::amounts;
use super::phrase::Phrase;
use super::question::{Asked, Question, is_content};
use super::spans::Spans;
use super::words::{AnswerWord, Gap, words};

/// The golds, and the alternatives that a slash or `or` separates in one of them: `14 December 1972/December 1972`.
pub(crate) fn forms(golds: &[String]) -> impl Iterator<Item = (usize, &str)> {
    golds.iter().enumerate().flat_map(|(index, gold)| {
        let alternatives = alternatives(gold, "/").or_else(|| alternatives(gold, " or ")).unwrap_or_default();
        std::iter::once(gold.as_str()).chain(alternatives).map(move |form| (index, form))
    })
}

/// The parts of a gold, if each could stand alone: `AC/DC` and `9/11` have none.
fn alternatives<'g>(gold: &'g str, separator: &str) -> Option<Vec<&'g str>> {
    let parts: Vec<&str> = gold.split(separator).map(str::trim).collect();
    let stands_alone = |part: &&str| {
        part.chars().filter(|character| character.is_alphanumeric()).count() >= 3
            && part.chars().any(char::is_alphabetic)
    };
    (parts.len() > 1 && parts.iter().all(stands_alone)).then_some(parts)
}

/// The number that a gold is, with words around it that only hedge or name what is counted.
pub(crate) fn amounts_of(form: &str, question: &Question) -> Vec<Amount> {
    let words = words(form);
    let mut found = amounts::numbers(form, false);
    if found.is_empty() {
        found = amounts::numbers(form, true);
    }
    let spans = Spans::new(found.iter().map(|amount| amount.span.clone()));
    let outside: Vec<&AnswerWord> = words
        .iter()
        .filter(|word| is_content(word) && !is_hedge(&word.text))
        .filter(|word| !spans.meet(&word.span))
        .collect();
    // One word may name what is counted, or a unit: `27 states`, `54 Mbit/s`. A name with a number in it is a name:
    // `Apollo 11`, `50 Cent`.
    let is_counted = |word: &&AnswerWord| {
        let is_name = word.is_capitalised && !word.is_upper && question.asked != Asked::Number;
        !is_name && found.first().is_some_and(|amount| amount.span.end <= word.span.start)
    };
    if outside.len() > 1 || !outside.iter().all(is_counted) {
        return Vec::new();
    }
    // `8 minutes 20 seconds` is one length of time.
    let unit = |sense: &Sense| match sense {
        Sense::Number { value, unit: Some(unit), .. } if unit.dimension == "time" => Some((*value, *unit)),
        _ => None,
    };
    if let [first, second] = &mut found[..]
        && let (Some((whole, larger)), Some((rest, smaller))) = (unit(first.sense()), unit(second.sense()))
        && larger.to_base(1.0) > smaller.to_base(rest)
    {
        let value = smaller.from_base(larger.to_base(whole)) + rest;
        let Sense::Number { scale, unit, .. } = second.sense().clone() else { return Vec::new() };
        second.senses = vec![Sense::Number { scale, value, unit }];
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
pub(crate) fn list_items<'g>(form: &'g str, phrase: &Phrase, question: &Question) -> Option<Vec<&'g str>> {
    let is_listed = |word: &AnswerWord| matches!(word.text.as_str(), "and");
    let has_and = phrase.words.iter().any(is_listed);
    let commas = phrase.words.iter().skip(1).filter(|word| word.gap == Gap::Comma).count();
    let has_semicolon = form.contains(';');
    // `Johannesburg, Gauteng, South Africa` is one place.
    let asks_place = question.has_any(&["where", "city", "town", "place", "located", "country", "state", "village"]);
    if !has_and && !has_semicolon && (commas < 2 || asks_place) {
        return None;
    }
    let mut items = Vec::new();
    let mut start = 0;
    for (at, word) in phrase.words.iter().enumerate() {
        let is_break = (at > 0 && matches!(word.gap, Gap::Comma | Gap::Clause)) || is_listed(word);
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
    let is_short = |item: &&str| words(item).iter().filter(|word| is_content(word)).count() <= 4;
    ((2..=12).contains(&items.len()) && items.iter().all(is_short)).then_some(items)
}
