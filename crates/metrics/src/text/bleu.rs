//! Sentence-level BLEU, equal to sacreBLEU's.

use std::ops::Range;

use probare_core::{
    BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, ScoreParts, metric,
};
use probare_text::ngrams::clipped_overlaps;
use probare_text::python::{LowercaseText, split_spans, strip_end};
use probare_text::tokens::{Tokens, sacrebleu};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::BoundedEvidence;
use crate::words::{SpannedWords, unsupported_evidence, word_runs};

/// Highest order that can be asked for; sentences do not share longer n-grams without sharing these.
const HIGHEST_ORDER: usize = 32;

/// Options of `bleu`, called as in sacreBLEU.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bleu {
    /// How texts are cut into words.
    pub tokenize: Tokenizer,
    /// What replaces a precision of 0.
    pub smooth_method: Smoothing,
    /// The value of `floor` (0.1 where it is not given) or `add-k` (1).
    pub smooth_value: Option<f64>,
    /// Whether texts are lower-cased first.
    pub lowercase: bool,
    /// Longest n-grams that are counted.
    pub max_ngram_order: usize,
    /// Whether a response shorter than the longest n-grams is judged by those it can have.
    pub effective_order: bool,
}

impl Default for Bleu {
    fn default() -> Self {
        Self {
            tokenize: Tokenizer::default(),
            smooth_method: Smoothing::default(),
            smooth_value: None,
            lowercase: false,
            max_ngram_order: 4,
            effective_order: true,
        }
    }
}

/// How texts are cut into words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Tokenizer {
    /// The rules of the WMT evaluations, for Western languages.
    #[default]
    #[serde(rename = "13a")]
    Wmt,
    /// Punctuation and symbols of all of Unicode stand alone.
    #[serde(rename = "intl")]
    International,
    /// Every character is a word.
    #[serde(rename = "char")]
    Characters,
    /// Words between white space.
    #[serde(rename = "none")]
    None,
}

/// What replaces a precision of 0 (Chen and Cherry 2014).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Smoothing {
    /// Half of one match for the first order without one, a quarter for the next, and so on.
    #[default]
    #[serde(rename = "exp")]
    Exponential,
    /// `smooth_value` matches.
    #[serde(rename = "floor")]
    Floor,
    /// From order 2 on, `smooth_value` more matches and n-grams than there are.
    #[serde(rename = "add-k")]
    AddK,
    /// Nothing: the value is 0.
    #[serde(rename = "none")]
    None,
}

metric!(Bleu as Pure {
    summary: "N-grams that the response shares with the references, 0 to 100 (BLEU)",
    range: (0.0, 100.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: whole,
    prepare: prepare,
    since: "0.1",
    version: 2,
    page: "bleu.md",
});

fn prepare(options: Bleu) -> Result<Bleu, BuildError> {
    if !(1..=HIGHEST_ORDER).contains(&options.max_ngram_order) {
        let order = options.max_ngram_order;
        return Err(BuildError::Options(format!("`max_ngram_order` is {order}, and must be 1 to {HIGHEST_ORDER}")));
    }
    if let Some(value) = options.smooth_value
        && !(value >= 0.0 && value.is_finite())
    {
        return Err(BuildError::Options(format!("`smooth_value` is {value}, and must not be negative")));
    }
    Ok(options)
}

/// Brevity penalty times the geometric mean of the precisions up to the order that counts.
fn whole(parts: &ScoreParts) -> Option<f64> {
    let order = parts.get("order")?;
    // Named `precision_1`, `precision_2` and so on, in this order and before the others.
    let precisions: Vec<f64> =
        parts.iter().take_while(|(name, _)| name.starts_with("precision_")).map(|(_, value)| value).collect();
    Some(value(&precisions, order, parts.get("brevity_penalty")?))
}

fn value(precisions: &[f64], order: f64, brevity_penalty: f64) -> f64 {
    if precisions.contains(&0.0) || order == 0.0 {
        return 0.0;
    }
    let logarithms: f64 = precisions.iter().map(|precision| precision.ln()).sum();
    // Rounding carries the value of identical texts past 100 by some units of the last place.
    (brevity_penalty * (logarithms / order).exp()).min(100.0)
}

/// A tokenized text together with the way back to the field.
struct Line {
    lowered: Option<LowercaseText>,
    tokens: Option<Tokens>,
    text: String,
}

impl Line {
    fn new(options: &Bleu, field: &str) -> Self {
        let lowered = options.lowercase.then(|| LowercaseText::new(field));
        let text = strip_end(lowered.as_ref().map_or(field, LowercaseText::text)).to_owned();
        let tokens = match options.tokenize {
            Tokenizer::Wmt => Some(sacrebleu::tokens_13a(&text)),
            Tokenizer::International => Some(sacrebleu::tokens_international(&text)),
            Tokenizer::Characters => Some(sacrebleu::characters(&text)),
            Tokenizer::None => None,
        };
        Self { lowered, tokens, text }
    }

    fn words(&self) -> SpannedWords<'_> {
        let original = |span: Range<usize>| match &self.lowered {
            Some(lowered) => lowered.original_span(span),
            None => span,
        };
        if let Some(tokens) = &self.tokens {
            return SpannedWords::new(tokens, original);
        }
        let spans: Vec<Range<usize>> = split_spans(&self.text).collect();
        SpannedWords {
            texts: spans.iter().map(|span| &self.text[span.clone()]).collect(),
            spans: spans.into_iter().map(original).collect(),
        }
    }
}

impl Metric for Bleu {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let line = Line::new(self, response);
        let words = line.words();
        let reference_lines: Vec<Line> = references.iter().map(|reference| Line::new(self, reference)).collect();
        let reference_words: Vec<SpannedWords<'_>> = reference_lines.iter().map(Line::words).collect();
        let reference_texts: Vec<&[&str]> = reference_words.iter().map(|words| words.texts.as_slice()).collect();

        let length = words.texts.len();
        let closest = closest_length(length, reference_texts.iter().map(|texts| texts.len()));
        let counts: Vec<(usize, usize)> = clipped_overlaps(&words.texts, &reference_texts, self.max_ngram_order)
            .into_iter()
            .map(|overlap| (overlap.matched, overlap.left))
            .collect();
        let (precisions, order) = self.precisions(&counts);
        let brevity_penalty = match length {
            _ if length >= closest => 1.0,
            0 => 0.0,
            _ => (1.0 - closest as f64 / length as f64).exp(),
        };

        let mut score = Score::from_number(value(&precisions, order as f64, brevity_penalty))?;
        for (index, precision) in precisions.iter().enumerate() {
            score = score.with_part(format!("precision_{}", index + 1), *precision)?;
        }
        let score = score
            .with_part("order", order as f64)?
            .with_part("brevity_penalty", brevity_penalty)?
            .with_part("response_length", length as f64)?
            .with_part("reference_length", closest as f64)?;
        if !sample.wants_evidence() {
            return Ok(score.into());
        }
        Ok(score.because(overlap_evidence((response, &words), references, &reference_words, &counts)).into())
    }
}

impl Bleu {
    /// Precisions in per cent of the orders that count, and how many orders that is. Follows sacreBLEU step by step,
    /// also where no n-gram matches at all: no smoothing then.
    fn precisions(&self, counts: &[(usize, usize)]) -> (Vec<f64>, usize) {
        if counts.iter().all(|(matched, _)| *matched == 0) {
            let order = if self.effective_order {
                counts.iter().take_while(|(_, total)| *total > 0).count()
            } else {
                self.max_ngram_order
            };
            return (vec![0.0; order], order);
        }
        let mut precisions = vec![0.0; counts.len()];
        let mut order = self.max_ngram_order;
        let mut halvings = 1.0;
        for (index, (matched, total)) in counts.iter().enumerate() {
            let (mut matched, mut total) = (*matched as f64, *total as f64);
            if self.smooth_method == Smoothing::AddK && index > 0 {
                let added = self.smooth_value.unwrap_or(1.0);
                matched += added;
                total += added;
            }
            if total == 0.0 {
                break;
            }
            if self.effective_order {
                order = index + 1;
            }
            precisions[index] = match self.smooth_method {
                _ if matched > 0.0 => 100.0 * matched / total,
                Smoothing::Exponential => {
                    halvings *= 2.0;
                    100.0 / (halvings * total)
                }
                Smoothing::Floor => 100.0 * self.smooth_value.unwrap_or(0.1) / total,
                Smoothing::AddK | Smoothing::None => 0.0,
            };
        }
        precisions.truncate(order);
        (precisions, order)
    }
}

/// The reference length nearest to `length`, the shorter of two that are equally near.
fn closest_length(length: usize, lengths: impl Iterator<Item = usize>) -> usize {
    lengths.min_by_key(|reference| (length.abs_diff(*reference), *reference)).unwrap_or(0)
}

/// How many n-grams of each order matched; stretches of the response whose words a reference has, and those that no
/// reference has; with one reference also what of it is missing.
fn overlap_evidence(
    (response, words): (&str, &SpannedWords<'_>),
    references: &[String],
    reference_words: &[SpannedWords<'_>],
    counts: &[(usize, usize)],
) -> Vec<Evidence> {
    let mut evidence = BoundedEvidence::default();
    for (index, (matched, total)) in counts.iter().enumerate().take_while(|(_, (_, total))| *total > 0) {
        evidence.push(|| Evidence::note(format!("{matched} of {total} n-grams of order {} matched", index + 1)));
    }
    let mut open: FxHashMap<&str, usize> = FxHashMap::default();
    for reference in reference_words {
        let mut here: FxHashMap<&str, usize> = FxHashMap::default();
        for word in &reference.texts {
            probare_cancellation::count_steps(1);
            let count = here.entry(word).or_default();
            *count += 1;
            let most = open.entry(word).or_default();
            *most = (*most).max(*count);
        }
    }
    let mut take = |word: &str| match open.get_mut(word) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let found: Vec<bool> = words.texts.iter().map(|word| take(word)).collect();
    for span in word_runs(&words.spans, |word| found[word]) {
        evidence.push(|| Evidence::at(EvidenceKind::Matched, Field::Response, span, response));
    }
    for span in word_runs(&words.spans, |word| !found[word]) {
        evidence.push(|| unsupported_evidence(span, response));
    }
    if let ([reference], [reference_words]) = (references, reference_words) {
        // What is still open was not used up by the response.
        let missing: Vec<bool> = reference_words.texts.iter().rev().map(|word| take(word)).collect();
        let last = missing.len().saturating_sub(1);
        for span in word_runs(&reference_words.spans, |word| missing[last - word]) {
            evidence.push(|| Evidence::at(EvidenceKind::Missing, Field::Reference, span, reference).in_item(0));
        }
    }
    evidence.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_equally_near_lengths_the_shorter_counts() {
        assert_eq!(closest_length(5, [7, 3, 9].into_iter()), 3);
        assert_eq!(closest_length(5, [6, 9].into_iter()), 6);
    }

    #[test]
    fn each_further_order_without_a_match_counts_half() {
        let (precisions, order) = Bleu::default().precisions(&[(2, 4), (0, 3), (0, 2), (0, 1)]);
        assert_eq!(precisions, [50.0, 100.0 / 6.0, 12.5, 12.5]);
        assert_eq!(order, 4);
    }

    #[test]
    fn a_short_response_is_judged_by_the_orders_it_has() {
        let (precisions, order) = Bleu::default().precisions(&[(2, 2), (1, 1), (0, 0), (0, 0)]);
        assert_eq!((precisions.as_slice(), order), ([100.0, 100.0].as_slice(), 2));
        let all = Bleu { effective_order: false, ..Bleu::default() };
        assert_eq!(all.precisions(&[(2, 2), (1, 1), (0, 0), (0, 0)]).0, [100.0, 100.0, 0.0, 0.0]);
    }
}
