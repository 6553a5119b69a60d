//! Measures of `text_similarity`: how close a text is to another one, from 0 to 1.

use probare_core::{Case, Evidence, Metric, Outcome, Output, Sample, ScoreError};
use probare_text::ngrams::overlaps;
use probare_text::subsequence::CommonSubsequence;
use probare_text::tokens::rouge;
use serde_json::Value as Json;

use crate::references::{LONGEST, check_length};
use crate::text::bleu::Bleu;
use crate::text::rouge_l::RougeL;
use crate::text::token_f1::harmonic_mean;

/// Which measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::graders) enum Similarity {
    /// `ratio` of rapidfuzz: characters in common in the same order, as a share of both texts.
    FuzzyMatch,
    Bleu,
    /// A metric of ours of this id.
    Own(&'static str),
    /// N-grams of words in common, as F1.
    RougeN(usize),
    RougeL,
}

impl Similarity {
    /// The measure of this name; an error says why there is none here.
    pub fn from_name(name: &str) -> Result<Self, String> {
        Ok(match name {
            "fuzzy_match" => Self::FuzzyMatch,
            "bleu" => Self::Bleu,
            "gleu" => Self::Own("gleu"),
            "meteor" => Self::Own("meteor"),
            "rouge_l" => Self::RougeL,
            "rouge_1" => Self::RougeN(1),
            "rouge_2" => Self::RougeN(2),
            "rouge_3" => Self::RougeN(3),
            "rouge_4" => Self::RougeN(4),
            "rouge_5" => Self::RougeN(5),
            "cosine" => {
                return Err("`cosine` compares vectors of `text-embedding-3-large`; `embedding_similarity` is the metric for that"
                    .to_owned());
            }
            other => return Err(format!("`{other}` is no measure of text similarity that is known here")),
        })
    }

    /// Why it cannot be computed here; nothing where it can.
    pub fn not_run_reason(&self) -> Option<String> {
        match self {
            Self::Own(id) if crate::registry().get(id).is_err() => Some(format!("`{id}` is not computed here")),
            _ => None,
        }
    }

    /// The value for two texts, and evidence about the first of them.
    pub fn value(&self, input: &str, reference: &str) -> Result<(f64, Vec<Evidence>), ScoreError> {
        let case = || Case {
            response: Some(Output::new(input)),
            reference: Some(vec![reference.to_owned()]),
            ..Case::default()
        };
        let scored = |outcome: Outcome, scale: f64| match outcome {
            Outcome::Scored(score) => Ok((score.value.get() / scale, score.evidence)),
            Outcome::Labelled(_) | Outcome::NotApplicable { .. } => Ok((0.0, Vec::new())),
        };
        match self {
            Self::FuzzyMatch => Ok((ratio(input, reference)?, Vec::new())),
            Self::Bleu => scored(Bleu::default().score(Sample::from_case(&case()))?, 100.0),
            Self::RougeL => scored(RougeL::default().score(Sample::from_case(&case()))?, 1.0),
            Self::RougeN(order) => Ok((rouge_n(input, reference, *order), Vec::new())),
            Self::Own(id) => {
                let internal = |reason: String| ScoreError::Internal { reason };
                let definition = crate::registry().get(id).map_err(|error| internal(error.to_string()))?;
                let metric = definition.build(Json::Null, probare_core::Profile::Published);
                let metric = metric.map_err(|error| internal(error.to_string()))?;
                scored(metric.score(Sample::from_case(&case()))?, definition.range.1)
            }
        }
    }
}

/// `rapidfuzz.fuzz.ratio` as a share; two empty texts are alike.
fn ratio(input: &str, reference: &str) -> Result<f64, ScoreError> {
    let (left, right): (Vec<char>, Vec<char>) = (input.chars().collect(), reference.chars().collect());
    check_length((left.len(), right.len()), LONGEST, "characters", "`rouge_l` takes longer texts")?;
    let whole = left.len() + right.len();
    let common = CommonSubsequence::longest(&left, &right).length;
    Ok(if whole == 0 { 1.0 } else { 2.0 * common as f64 / whole as f64 })
}

/// ROUGE-N of the package `rouge-score`, without stemming.
fn rouge_n(input: &str, reference: &str, order: usize) -> f64 {
    let (left, right) = (rouge::tokens(input, false), rouge::tokens(reference, false));
    let (left, right): (Vec<&str>, Vec<&str>) = (left.texts().collect(), right.texts().collect());
    let last = overlaps(&left, &right, order).pop();
    last.map_or(0.0, |overlap| harmonic_mean(overlap.left_share(), overlap.right_share()))
}
