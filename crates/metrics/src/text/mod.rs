//! Text: a response against a reference or against a form, by the text alone.

use probare_core::MetricDef;

pub mod bleu;
pub mod chrf;
pub mod contains;
pub mod embedding_similarity;
pub mod exact_match;
pub mod jaccard;
pub mod json_schema;
pub mod json_valid;
pub mod levenshtein;
pub mod numeric_close;
pub mod regex_match;
pub mod rouge_l;
pub mod tfidf_cosine;
pub mod token_f1;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &bleu::DEF,
    &chrf::DEF,
    &contains::DEF,
    &embedding_similarity::DEF,
    &exact_match::DEF,
    &jaccard::DEF,
    &json_schema::DEF,
    &json_valid::DEF,
    &levenshtein::DEF,
    &numeric_close::DEF,
    &regex_match::DEF,
    &rouge_l::DEF,
    &tfidf_cosine::DEF,
    &token_f1::DEF,
];
