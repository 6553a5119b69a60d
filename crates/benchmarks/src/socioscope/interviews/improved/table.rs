//! [`AssertionTable`]: the values of a question in all forms in which an answer may assert them.

use probare_english::text_analysis::ClauseGap;
use probare_text::number_words::canonical;
use probare_text::wordnet::{PartOfSpeech, WordNet};
use rustc_hash::FxHashMap;

use super::negation::{denials, universal_with_exception};
use super::opposites::negated_forms;
use super::senses::other_sense;
use super::slips::{is_slip, possible_slips};
use super::spellings::{expand_letters, without_spaces};
use super::words::{SpokenWord, spoken_words};
use crate::socioscope::interviews::grading::QuestionType;
use crate::socioscope::interviews::inputs::{AnswerItem, ValueWeights};
use crate::socioscope::interviews::matching::{MatchReason, Mention, MentionStatus, SurfaceOrigin, surface_reason};

/// Senses of a value whose synonyms stand for it; rarer ones mislead more often than they help.
const SENSES: usize = 3;

/// Most words of a surface; longer ones are compared as a whole by nobody.
const LONGEST: usize = 12;

/// Most words that may be one word of a value: `co-operation`.
const JOINED: usize = 3;

/// Words of a question that ask what was not there.
const LACKING: [&str; 6] = ["lack", "missing", "go without", "do without", "short of", "absent"];

/// Words of a clause that say something was there.
const HAVING: [&str; 7] = ["had", "have", "has", "got", "plenty", "enough", "there"];

/// How a surface stands for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    Value,
    Inflected,
    Spelling,
    Synonym,
}

/// Values with their forms.
#[derive(Debug)]
pub struct AssertionTable {
    values: Vec<String>,
    /// The words of each value in canonical form.
    forms: Vec<Vec<String>>,
    surfaces: FxHashMap<String, (usize, Link)>,
    /// Forms without spaces.
    compact: FxHashMap<String, usize>,
    longest: usize,
    /// Whether some value holds a comma, over which it may then reach.
    has_commas: bool,
    slips: bool,
}

/// A stretch of words that stands for a value.
struct Hit {
    at: usize,
    length: usize,
    value: usize,
    reason: MatchReason,
}

impl AssertionTable {
    /// The values of `weights`, with their synonyms and with slips of the pen where these are wanted.
    pub fn new(weights: &ValueWeights, synonyms: bool, slips: bool, wordnet: &WordNet) -> Self {
        let values: Vec<String> = weights.values().map(str::to_owned).collect();
        let canonical_values: Vec<String> = values.iter().map(|value| canonical(value)).collect();
        let mut surfaces = FxHashMap::default();
        let mut compacted = FxHashMap::default();
        let mut add = |form: String, value: usize, link: Link| {
            if !form.is_empty() {
                surfaces.entry(form).or_insert((value, link));
            }
        };
        for (index, form) in canonical_values.iter().enumerate() {
            add(form.clone(), index, Link::Value);
        }
        for (index, (value, form)) in values.iter().zip(&canonical_values).enumerate() {
            if let Some(spelled) = expand_letters(value) {
                add(spelled, index, Link::Spelling);
            }
            for base in bases(form, wordnet) {
                add(base, index, Link::Inflected);
            }
            if let Some(positive) = form.strip_prefix("not ").or_else(|| form.strip_prefix("non ")) {
                for single in negated_forms(positive, wordnet) {
                    add(single, index, Link::Synonym);
                }
            }
            if let Some(form) = without_spaces(form) {
                compacted.entry(form).or_insert(index);
            }
        }
        if synonyms {
            for (index, (value, form)) in values.iter().zip(&canonical_values).enumerate() {
                for synonym in usual_synonyms(value, form, wordnet) {
                    add(synonym, index, Link::Synonym);
                }
            }
        }
        let longest = surfaces.keys().map(|form: &String| form.split(' ').count()).max().unwrap_or(1).min(LONGEST);
        Self {
            has_commas: values.iter().any(|value| value.contains(',')),
            forms: canonical_values.iter().map(|form| form.split(' ').map(str::to_owned).collect()).collect(),
            values,
            surfaces,
            compact: compacted,
            longest,
            slips,
        }
    }

    /// What the answer names, each with its standing, in the order of the text.
    pub fn mentions(
        &self,
        items: &[AnswerItem<'_>],
        query: Option<&str>,
        kind: QuestionType,
        wordnet: &WordNet,
    ) -> Vec<Mention> {
        let mut found = Vec::new();
        for item in items {
            let words = spoken_words(item.text());
            let hits = self.hits(&words, item.text(), wordnet);
            let mut covered = vec![false; words.len()];
            for hit in &hits {
                covered[hit.at..hit.at + hit.length].fill(true);
            }
            let denied = denials(&words, &|at| covered.get(at).copied().unwrap_or(false), query);
            for hit in &hits {
                let (first, last) = (&words[hit.at], &words[hit.at + hit.length - 1]);
                let place = first.span.start..last.span.end.max(first.span.start);
                let written = item.text().get(place.clone()).unwrap_or_default();
                let value = &self.values[hit.value];
                let sense = other_sense(&words, hit.at, hit.length, value, &hit.reason, written, wordnet);
                let status = match sense {
                    Some(sense) => MentionStatus::OtherSense(sense),
                    None => mention_status(denied[hit.at].as_ref(), &words, hit.at, query),
                };
                found.push(Mention {
                    value: hit.value,
                    span: item.span(place),
                    surface: join_forms(&words[hit.at..hit.at + hit.length]),
                    reason: hit.reason.clone(),
                    status,
                });
            }
            if !kind.is_one()
                && let Some(at) = universal_with_exception(&words)
            {
                self.add_remaining(item.span(words[at].span.clone()), &mut found);
            }
        }
        found
    }

    /// Everything is named with exceptions: what is not mentioned is meant.
    fn add_remaining(&self, span: std::ops::Range<usize>, found: &mut Vec<Mention>) {
        let mentioned: Vec<usize> = found.iter().map(|mention| mention.value).collect();
        for value in (0..self.values.len()).filter(|value| !mentioned.contains(value)) {
            found.push(Mention {
                value,
                span: span.clone(),
                surface: String::new(),
                reason: MatchReason::Remaining,
                status: MentionStatus::Asserted,
            });
        }
    }

    /// Stretches of words that stand for a value: the longest from left to right, then slips in what is left.
    fn hits(&self, words: &[SpokenWord], text: &str, wordnet: &WordNet) -> Vec<Hit> {
        let mut hits = Vec::new();
        // A word ends several stretches; its dictionary forms are looked up once.
        let word_bases: Vec<Vec<String>> = words.iter().map(|word| bases(&word.form, wordnet)).collect();
        let mut at = 0;
        while at < words.len() {
            match self.longest_at(words, &word_bases, at, text, wordnet) {
                Some(hit) => {
                    at += hit.length;
                    hits.push(hit);
                }
                None => at += 1,
            }
        }
        if self.slips {
            self.add_slips(words, wordnet, &mut hits);
            hits.sort_by_key(|hit| hit.at);
        }
        hits
    }

    fn longest_at(
        &self,
        words: &[SpokenWord],
        word_bases: &[Vec<String>],
        at: usize,
        text: &str,
        wordnet: &WordNet,
    ) -> Option<Hit> {
        (1..=self.longest.max(JOINED).min(words.len() - at)).rev().find_map(|length| {
            let stretch = &words[at..at + length];
            if !self.is_together(stretch) {
                return None;
            }
            let (value, reason) = self.lookup(stretch, &word_bases[at + length - 1], text, wordnet)?;
            Some(Hit { at, length, value, reason })
        })
    }

    fn is_together(&self, stretch: &[SpokenWord]) -> bool {
        let widest = if self.has_commas { ClauseGap::Comma } else { ClauseGap::Nothing };
        stretch.iter().skip(1).all(|word| word.gap <= widest)
    }

    /// What a stretch of words stands for, and why.
    fn lookup(
        &self,
        stretch: &[SpokenWord],
        last_bases: &[String],
        text: &str,
        wordnet: &WordNet,
    ) -> Option<(usize, MatchReason)> {
        let form = join_forms(stretch);
        let written = text.get(stretch.first()?.span.start..stretch.last()?.span.end).unwrap_or_default();
        let reason = |value: usize, link: Link, form: &str| match link {
            Link::Value => surface_reason(SurfaceOrigin::Value, form, written, &self.values[value], Some(wordnet)),
            Link::Inflected => MatchReason::BaseForm { base: form.to_owned() },
            Link::Spelling => MatchReason::Spelling,
            Link::Synonym => surface_reason(SurfaceOrigin::Synonym, form, written, &self.values[value], Some(wordnet)),
        };
        if let Some((value, link)) = self.surfaces.get(&form) {
            return Some((*value, reason(*value, *link, &form)));
        }
        if let Some(spelled) = expand_letters(written)
            && let Some((value, _)) = self.surfaces.get(&spelled)
        {
            return Some((*value, MatchReason::Spelling));
        }
        let head = &form[..form.len() - stretch.last()?.form.len()];
        for base in last_bases.iter().map(|base| [head, base].concat()) {
            if let Some((value, link)) = self.surfaces.get(&base) {
                let reason = match link {
                    Link::Synonym => reason(*value, *link, &base),
                    _ => MatchReason::BaseForm { base },
                };
                return Some((*value, reason));
            }
        }
        let compacted = (stretch.len() <= JOINED).then(|| without_spaces(&form)).flatten()?;
        self.compact.get(&compacted).map(|value| (*value, MatchReason::Spelling))
    }

    /// Adds what is a slip of the pen for some value.
    fn add_slips(&self, words: &[SpokenWord], wordnet: &WordNet, hits: &mut Vec<Hit>) {
        let mut covered = vec![false; words.len()];
        for hit in hits.iter() {
            covered[hit.at..hit.at + hit.length].fill(true);
        }
        let forms: Vec<&str> = words.iter().map(|word| word.form.as_str()).collect();
        for (value, at) in possible_slips(&forms, &self.forms, wordnet) {
            let form_words: Vec<&str> = self.forms[value].iter().map(String::as_str).collect();
            let end = at + form_words.len();
            if end > words.len() || covered[at..end].contains(&true) || !self.is_together(&words[at..end]) {
                continue;
            }
            let written = &forms[at..end];
            if is_slip(written, &form_words, wordnet) {
                let similarity = probare_text::distance::similarity(&written.join(" "), &form_words.join(" "));
                covered[at..end].fill(true);
                hits.push(Hit { at, length: form_words.len(), value, reason: MatchReason::Fuzzy { similarity } });
            }
        }
    }
}

/// The forms of some words with single spaces between them.
fn join_forms(words: &[SpokenWord]) -> String {
    words.iter().map(|word| word.form.as_str()).collect::<Vec<_>>().join(" ")
}

/// Whether a word counts, given what denies it and what was asked.
fn mention_status(denied: Option<&String>, words: &[SpokenWord], at: usize, query: Option<&str>) -> MentionStatus {
    let asks_for_lack = query.is_some_and(|query| {
        let query = query.to_lowercase();
        LACKING.iter().any(|word| query.contains(word))
    });
    if !asks_for_lack {
        return denied.map_or(MentionStatus::Asserted, |word| MentionStatus::Denied(word.clone()));
    }
    // Asked what was lacking, an answer names it by denying it; what was there does not count.
    let start = words[..=at].iter().rposition(|word| word.gap > ClauseGap::Nothing || word.form == "but").unwrap_or(0);
    let having = words[start..at].iter().find(|word| HAVING.contains(&word.form.as_str()));
    match (denied, having) {
        (None, Some(word)) => MentionStatus::Denied(word.form.clone()),
        _ => MentionStatus::Asserted,
    }
}

/// A form with its last word in the dictionary forms of nouns and verbs, where these differ.
fn bases(form: &str, wordnet: &WordNet) -> Vec<String> {
    let (head, last) = form.rsplit_once(' ').map_or(("", form), |(head, last)| (head, last));
    let mut found = Vec::new();
    for part in [PartOfSpeech::Noun, PartOfSpeech::Verb] {
        for base in wordnet.base_forms(last, part) {
            if base != last && !base.contains(' ') {
                let whole = if head.is_empty() { base } else { format!("{head} {base}") };
                if !found.contains(&whole) {
                    found.push(whole);
                }
            }
        }
    }
    found
}

/// Synonyms of the usual senses of a value in the part of speech in which it is most likely meant.
fn usual_synonyms(value: &str, form: &str, wordnet: &WordNet) -> Vec<String> {
    let mut found = Vec::new();
    for spelling in [value, form] {
        let allowed = wordnet.scoring_synonyms(spelling);
        // Lists are lists of things: a noun wherever the value can be one.
        let parts = [PartOfSpeech::Noun, PartOfSpeech::Verb, PartOfSpeech::Adjective, PartOfSpeech::Adverb];
        let meanings = parts.into_iter().map(|part| wordnet.synsets(spelling, part)).find(|found| !found.is_empty());
        for meaning in meanings.unwrap_or_default().into_iter().take(SENSES) {
            for word in wordnet.words(meaning) {
                let synonym = canonical(&word);
                if allowed.contains(&synonym) && !found.contains(&synonym) {
                    found.push(synonym);
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::socioscope::interviews::inputs::InterviewAnswer;
    use crate::socioscope::interviews::matching::asserted_values;

    fn named(values: &serde_json::Value, answer: &str, pick: bool) -> Vec<String> {
        let weights = ValueWeights::read(values).unwrap();
        let table = AssertionTable::new(&weights, !pick, pick, WordNet::embedded());
        let kind = if pick { QuestionType::PickMany } else { QuestionType::ListMany };
        let found = table.mentions(&InterviewAnswer::read(answer).items, None, kind, WordNet::embedded());
        asserted_values(&found).into_iter().map(|value| weights.value(value).to_owned()).collect()
    }

    #[test]
    fn spellings_and_inflections_meet() {
        assert_eq!(named(&json!(["Aarhus"]), "Århus", false), ["Aarhus"]);
        assert_eq!(named(&json!(["København"]), "Copenhagen", false), ["København"]);
        assert_eq!(named(&json!(["cooperation"]), "co-operation", true), ["cooperation"]);
        assert_eq!(named(&json!(["music", "dance"]), "Dancing and music", false), ["dance", "music"]);
        assert_eq!(named(&json!(["agree"]), "He agrees.", true), ["agree"]);
        assert_eq!(named(&json!(["yes, partly", "no"]), "Yes, partly.", true), ["yes, partly"]);
        assert_eq!(named(&json!(["employed", "not employed"]), "unemployed", true), ["not employed"]);
    }

    #[test]
    fn other_senses_and_opposites_do_not_count() {
        assert!(named(&json!(["United States"]), "He told us about Canada.", false).is_empty());
        assert!(named(&json!(["legal advice"]), "illegal advice", true).is_empty());
        assert!(named(&json!(["formal"]), "informal", true).is_empty());
    }

    #[test]
    fn everything_with_exceptions_names_the_rest() {
        let values = json!(["Denmark", "Sweden", "Norway"]);
        assert_eq!(named(&values, "Everywhere except Norway and Sweden", true), ["Denmark"]);
    }
}
