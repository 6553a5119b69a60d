//! One pass over a segment: the longest surfaces from left to right, without overlap.

use std::ops::Range;

use probare_text::aligned_text::AlignedText;
use probare_text::number_words::canonical_aligned;
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::{MatchReason, Mention, MentionStatus, SurfaceTable, surface_reason};
use crate::socioscope::interviews::inputs::AnswerItem;

/// Words before a value that deny it.
const NEGATORS: [&str; 17] = [
    "not", "no", "never", "without", "nor", "neither", "non", "cannot", "dont", "doesnt", "didnt", "isnt", "arent",
    "wasnt", "werent", "wont", "cant",
];

/// A word of a canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormToken {
    /// Where it starts in the canonical form.
    pub start: usize,
    /// One past its end.
    pub end: usize,
}

/// The words of a canonical form.
pub fn form_tokens(form: &str) -> Vec<FormToken> {
    let mut found = Vec::new();
    let mut start = 0;
    for word in form.split(' ') {
        probare_cancellation::count_steps(1);
        if !word.is_empty() {
            found.push(FormToken { start, end: start + word.len() });
        }
        start += word.len() + 1;
    }
    found
}

/// Words that may stand between a negator and a value.
fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an" | "the" | "any")
}

/// Adds what `segment` of the item names. With a WordNet, the last word of a surface may be a plural.
pub(super) fn scan(
    item: &AnswerItem<'_>,
    segment: Range<usize>,
    table: &SurfaceTable,
    wordnet: Option<&WordNet>,
    found: &mut Vec<Mention>,
) {
    let form = canonical_aligned(&item.text()[segment.clone()]);
    let words = form_tokens(form.text());
    let bases: Vec<Option<String>> = match wordnet {
        Some(wordnet) => words.iter().map(|word| noun_base(wordnet, &form.text()[word.start..word.end])).collect(),
        None => vec![None; words.len()],
    };
    let mut at = 0;
    while at < words.len() {
        probare_cancellation::count_steps(1);
        let Some((length, hit)) = longest(form.text(), &words[at..], &bases[at..], table) else {
            at += 1;
            continue;
        };
        let range = words[at].start..words[at + length - 1].end;
        let inner = form.original_span(range.clone());
        let place = segment.start + inner.start..segment.start + inner.end;
        let surface = form.text()[range].to_owned();
        let written = &item.text()[place.clone()];
        let reason = match hit.base {
            Some(base) => MatchReason::BaseForm { base },
            None => surface_reason(hit.origin, &surface, written, table.value(hit.value), wordnet),
        };
        let status =
            denied_by(&form, &words[..at]).map_or(MentionStatus::Asserted, |word| MentionStatus::Denied(word.into()));
        found.push(Mention { value: hit.value, span: item.span(place), surface, reason, status });
        at += length;
    }
}

struct Hit {
    value: usize,
    origin: super::SurfaceOrigin,
    base: Option<String>,
}

/// The longest surface that starts with the first of these words, and how many words it takes.
fn longest(form: &str, words: &[FormToken], bases: &[Option<String>], table: &SurfaceTable) -> Option<(usize, Hit)> {
    let first = &words[0];
    let may_begin = table.begins_with(&form[first.start..first.end]);
    for &length in table.lengths().iter().filter(|length| **length <= words.len()) {
        probare_cancellation::count_steps(1);
        let last = &words[length - 1];
        if may_begin && let Some((value, origin)) = table.get(&form[first.start..last.end]) {
            return Some((length, Hit { value, origin, base: None }));
        }
        if let Some(base) = &bases[length - 1]
            && (may_begin || length == 1)
        {
            let surface = [&form[first.start..last.start], base].concat();
            if let Some((value, origin)) = table.get(&surface) {
                return Some((length, Hit { value, origin, base: Some(surface) }));
            }
        }
    }
    None
}

/// The dictionary form of a noun, where it differs from the word.
fn noun_base(wordnet: &WordNet, word: &str) -> Option<String> {
    let base = wordnet.base_forms(word, PartOfSpeech::Noun).into_iter().next()?;
    (base != word).then_some(base)
}

/// The negator right before a hit, an article in between aside.
fn denied_by(form: &AlignedText, before: &[FormToken]) -> Option<&'static str> {
    let word = |back: usize| before.len().checked_sub(back).map(|at| &form.text()[before[at].start..before[at].end]);
    let nearest = word(1)?;
    let candidate = if is_article(nearest) { word(2)? } else { nearest };
    NEGATORS.into_iter().find(|negator| *negator == candidate)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::socioscope::interviews::inputs::{InterviewAnswer, ValueWeights};
    use crate::socioscope::interviews::matching::{MatchOptions, mentions};

    fn named(values: &serde_json::Value, answer: &str) -> Vec<(String, bool)> {
        let wordnet = WordNet::embedded();
        let weights = ValueWeights::read(values).unwrap();
        let table = SurfaceTable::new(&weights, Some(wordnet));
        let matching = MatchOptions { synonyms: true, fuzzy: None, whole: false };
        mentions(&InterviewAnswer::read(answer).items, &table, matching, wordnet)
            .into_iter()
            .map(|mention| (answer[mention.span.clone()].to_owned(), mention.is_asserted()))
            .collect()
    }

    #[test]
    fn the_longest_surface_wins_and_nothing_overlaps() {
        let values = json!(["wind farm", "farm"]);
        assert_eq!(named(&values, "Two wind farms, one farm"), [("wind farms".into(), true), ("farm".into(), true)]);
    }

    #[test]
    fn a_denied_value_is_consumed() {
        let values = json!(["car", "bicycle"]);
        assert_eq!(named(&values, "Not a car, but the bike"), [("car".into(), false), ("bike".into(), true)]);
        assert_eq!(named(&values, "not only a car"), [("car".into(), true)]);
    }

    #[test]
    fn spans_lead_back_through_json_and_number_words() {
        let values = json!(["21", "café"]);
        let answer = r#"["twenty-one boats", "caf\u00e9"]"#;
        assert_eq!(named(&values, answer), [("twenty-one".into(), true), (r"caf\u00e9".into(), true)]);
    }
}
