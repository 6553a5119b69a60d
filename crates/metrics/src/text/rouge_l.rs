//! ROUGE-L: the longest sequence of words that response and reference share in the same order, as F1.

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::subsequence::CommonSubsequence;
use probare_text::tokens::{Tokens, rouge};
use schemars::JsonSchema;
use serde::Deserialize;

use super::token_f1::{harmonic_mean, whole};
use crate::bounded_evidence::BoundedEvidence;
use crate::references::{LONGEST, best_reference, check_length, chosen_reference_note};
use crate::words::{SpannedWords, word_runs};

/// Options of `rouge_l`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RougeL {
    /// Whether words of more than three letters are cut to their Porter stem.
    pub use_stemmer: bool,
    /// Length, in words, up to which two texts that differ are compared: the work grows with the product of both lengths.
    pub longest: usize,
}

impl Default for RougeL {
    fn default() -> Self {
        Self { use_stemmer: false, longest: LONGEST }
    }
}

metric!(RougeL as Pure {
    summary: "Longest common sequence of words, as F1 (ROUGE-L)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: whole,
    since: "0.1",
    version: 2,
    page: "rouge_l.md",
});

/// The longest common sequence as shares of both texts.
struct Shares {
    precision: f64,
    recall: f64,
    longest: CommonSubsequence,
    reference_tokens: Tokens,
}

impl Metric for RougeL {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let response_tokens = rouge::tokens(response, self.use_stemmer);
        let response_words = SpannedWords::new(&response_tokens, |span| span);
        let other: usize = references
            .iter()
            .filter(|reference| *reference != response)
            // A word takes at least two bytes with the space behind it: most texts need not be read to know that they fit.
            .map(|reference| reference.len() / 2 + 1)
            .sum();
        if response_words.texts.len().saturating_mul(other) > self.longest.saturating_mul(self.longest) {
            let other = references
                .iter()
                .filter(|reference| *reference != response)
                .map(|reference| rouge::tokens(reference, false).iter().count())
                .sum();
            let lengths = (response_words.texts.len(), other);
            check_length(lengths, self.longest, "words", "`token_f1` takes longer texts")?;
        }
        let compare = |reference: &str| {
            let tokens = rouge::tokens(reference, self.use_stemmer);
            let texts: Vec<&str> = tokens.texts().collect();
            let longest = CommonSubsequence::longest(&response_words.texts, &texts);
            let share = |whole: usize| if whole == 0 { 0.0 } else { longest.length as f64 / whole as f64 };
            let (precision, recall) = (share(response_words.texts.len()), share(texts.len()));
            Shares { precision, recall, longest, reference_tokens: tokens }
        };
        let Some((index, best)) =
            best_reference(references, compare, |best| harmonic_mean(best.precision, best.recall))
        else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let mut evidence = BoundedEvidence::for_sample(&sample);
        if let Some(pairs) = best.longest.pairs.as_ref().filter(|_| evidence.is_wanted()) {
            let reference = &references[index];
            let reference_words = SpannedWords::new(&best.reference_tokens, |span| span);
            let mut in_response = vec![false; response_words.texts.len()];
            let mut in_reference = vec![false; reference_words.texts.len()];
            for (left, right) in pairs {
                probare_cancellation::count_steps(1);
                in_response[*left] = true;
                in_reference[*right] = true;
            }
            for span in word_runs(&response_words.spans, |word| in_response[word]) {
                evidence.push(|| Evidence::at(EvidenceKind::Matched, Field::Response, span, response));
            }
            for span in word_runs(&reference_words.spans, |word| !in_reference[word]) {
                evidence.push(|| Evidence::at(EvidenceKind::Missing, Field::Reference, span, reference).in_item(index));
            }
        } else {
            let note = format!("{} words in common, too many to show where", best.longest.length);
            evidence.push(|| Evidence::note(note));
        }
        let score = Score::from_number(harmonic_mean(best.precision, best.recall))?
            .with_part("precision", best.precision)?
            .with_part("recall", best.recall)?;
        Ok(score.because(chosen_reference_note(references, index)).because(evidence.finish()).into())
    }
}
