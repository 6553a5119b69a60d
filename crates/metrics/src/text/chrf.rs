//! Sentence-level chrF and chrF++, equal to sacreBLEU's.

use probare_core::{BuildError, Evidence, Field, Metric, Outcome, Sample, Score, ScoreError, ScoreParts, metric};
use probare_text::ngrams::{NgramOverlap, overlaps};
use probare_text::python::{is_space, lower, split};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::references::{best_reference, chosen_reference_note};

/// Highest order that can be asked for.
const HIGHEST_ORDER: usize = 32;

/// Stands for a precision, a recall or an F that has no n-grams to be computed from, with `eps_smoothing`.
const EPSILON: f64 = 1e-16;

/// Options of `chrf`, called as in sacreBLEU.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Chrf {
    /// Longest n-grams of characters that are counted.
    pub char_order: usize,
    /// Longest n-grams of words that are counted; 0 for chrF, 2 for chrF++.
    pub word_order: usize,
    /// How many times as much recall weighs as precision.
    pub beta: f64,
    /// Whether texts are lower-cased first.
    pub lowercase: bool,
    /// Whether white space is a character among others.
    pub whitespace: bool,
    /// Whether orders without n-grams count as almost 0, and not at all otherwise.
    pub eps_smoothing: bool,
}

impl Default for Chrf {
    fn default() -> Self {
        Self { char_order: 6, word_order: 0, beta: 2.0, lowercase: false, whitespace: false, eps_smoothing: false }
    }
}

metric!(Chrf as Pure {
    summary: "N-grams of characters that response and reference share, 0 to 100 (chrF)",
    range: (0.0, 100.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: whole,
    prepare: prepare,
    since: "0.1",
    version: 1,
    page: "chrf.md",
});

fn prepare(options: Chrf) -> Result<Chrf, BuildError> {
    let highest = options.char_order.max(options.word_order);
    if !(1..=HIGHEST_ORDER).contains(&highest) {
        return Err(BuildError::Options(format!(
            "`char_order` and `word_order` are 0 to {HIGHEST_ORDER}, and one of them is at least 1"
        )));
    }
    if !(options.beta >= 0.0 && options.beta <= 1e6) {
        return Err(BuildError::Options(format!("`beta` is {}, and must be 0 to 1000000", options.beta)));
    }
    Ok(options)
}

/// F of the parts `precision` and `recall`, or the mean of the F of all orders where those are the parts.
fn whole(parts: &ScoreParts) -> Option<f64> {
    let Some(precision) = parts.get("precision") else {
        return mean(parts.iter().map(|(_, value)| value));
    };
    Some(f_score(precision, parts.get("recall")?, parts.get("beta")?))
}

/// Mean in per cent, kept by the minimum from going past the end by rounding; nothing of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| (100.0 * sum / count as f64).min(100.0))
}

/// 0 to 100. The minimum keeps rounding from going past the end.
fn f_score(precision: f64, recall: f64, beta: f64) -> f64 {
    if precision + recall == 0.0 {
        return 0.0;
    }
    let factor = beta * beta;
    (100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall))).min(100.0)
}

/// A text, ready to be counted.
struct Line {
    characters: Vec<char>,
    words: Vec<String>,
}

impl Line {
    fn new(options: &Chrf, text: &str) -> Self {
        let lowered = options.lowercase.then(|| lower(text));
        let text = lowered.as_deref().unwrap_or(text);
        Self {
            characters: text.chars().filter(|character| options.whitespace || !is_space(*character)).collect(),
            words: if options.word_order > 0 { words(text) } else { Vec::new() },
        }
    }
}

/// Words between white space, of which one mark of punctuation is cut off: the last character or else the first. So does
/// the original, also where both ends have one.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in split(text) {
        let (mut front, mut back) = (word.chars(), word.chars());
        let (Some(first), Some(last)) = (front.next(), back.next_back()) else { continue };
        if front.as_str().is_empty() {
            words.push(word.to_owned());
        } else if last.is_ascii_punctuation() {
            words.extend([back.as_str().to_owned(), last.to_string()]);
        } else if first.is_ascii_punctuation() {
            words.extend([first.to_string(), front.as_str().to_owned()]);
        } else {
            words.push(word.to_owned());
        }
    }
    words
}

/// Response against one reference.
struct Comparison {
    value: f64,
    /// Characters first, then words.
    orders: Vec<NgramOverlap>,
    parts: Vec<(String, f64)>,
}

impl Metric for Chrf {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = Line::new(self, sample.response()?);
        let references = sample.references()?;
        let compare = |reference: &str| self.compare(&response, &Line::new(self, reference));
        let Some((index, best)) = best_reference(references, compare, |comparison| comparison.value) else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let mut score = Score::from_number(best.value)?;
        for (name, part) in best.parts {
            score = score.with_part(name, part)?;
        }
        let notes = best.orders.iter().enumerate().map(|(index, overlap)| {
            let (order, unit) = if index < self.char_order {
                (index + 1, "characters")
            } else {
                (index + 1 - self.char_order, "words")
            };
            let NgramOverlap { matched, left, right } = overlap;
            Evidence::note(format!(
                "order {order} of {unit}: {matched} n-grams shared, {left} in the response, {right} in the reference"
            ))
        });
        Ok(score.because(chosen_reference_note(references, index)).because(notes).into())
    }
}

impl Chrf {
    fn compare(&self, response: &Line, reference: &Line) -> Comparison {
        let mut orders = overlaps(&response.characters, &reference.characters, self.char_order);
        orders.extend(overlaps(&response.words, &reference.words, self.word_order));
        let parts = if self.eps_smoothing { self.smoothed(&orders) } else { self.averaged(&orders) };
        let value = match parts.as_slice() {
            [(_, precision), (_, recall), ..] if !self.eps_smoothing => f_score(*precision, *recall, self.beta),
            _ => mean(parts.iter().map(|(_, f)| *f)).unwrap_or(0.0),
        };
        Comparison { value, orders, parts }
    }

    /// Mean precision and recall over the orders for which both texts have n-grams.
    fn averaged(&self, orders: &[NgramOverlap]) -> Vec<(String, f64)> {
        let (mut precision, mut recall, mut count) = (0.0, 0.0, 0_usize);
        for overlap in orders.iter().filter(|overlap| overlap.left > 0 && overlap.right > 0) {
            precision += overlap.left_share();
            recall += overlap.right_share();
            count += 1;
        }
        let divisor = count.max(1) as f64;
        vec![
            ("precision".to_owned(), precision / divisor),
            ("recall".to_owned(), recall / divisor),
            ("beta".to_owned(), self.beta),
        ]
    }

    /// F of each order, with an epsilon for what cannot be computed.
    fn smoothed(&self, orders: &[NgramOverlap]) -> Vec<(String, f64)> {
        let factor = self.beta * self.beta;
        orders
            .iter()
            .enumerate()
            .map(|(index, overlap)| {
                // N-grams of the response do not count against a reference that has none of this order.
                let precision = if overlap.left > 0 && overlap.right > 0 { overlap.left_share() } else { EPSILON };
                let recall = if overlap.right > 0 { overlap.right_share() } else { EPSILON };
                let divisor = factor * precision + recall;
                let f = if divisor > 0.0 { (1.0 + factor) * precision * recall / divisor } else { EPSILON };
                (format!("f_{}", index + 1), f)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_is_cut_off_each_word() {
        assert_eq!(words("(hi) \"ok well... , é!"), ["(hi", ")", "\"", "ok", "well..", ".", ",", "é", "!"]);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        assert!(prepare(Chrf { char_order: 0, ..Chrf::default() }).is_err());
        assert!(prepare(Chrf { beta: f64::NAN, ..Chrf::default() }).is_err());
        assert!(prepare(Chrf { char_order: 0, word_order: 2, ..Chrf::default() }).is_ok());
    }
}
