//! Text: a response against a reference or against a form, by the text alone.

use probare_core::MetricDef;

pub mod bleu;
pub mod chrf;
pub mod contains;
pub mod embedding_similarity;
pub mod exact_match;
pub mod gleu;
pub mod jaccard;
pub mod json_schema;
pub mod json_valid;
pub mod levenshtein;
pub mod meteor;
pub mod numeric_close;
pub mod promptfoo_test;
pub mod refusal;
pub mod regex_match;
pub mod rouge_l;
pub mod starts_with;
pub mod tfidf_cosine;
pub mod token_f1;
pub mod word_count;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &bleu::DEF,
    &chrf::DEF,
    &contains::DEF,
    &embedding_similarity::DEF,
    &exact_match::DEF,
    &gleu::DEF,
    &jaccard::DEF,
    &json_schema::DEF,
    &json_valid::DEF,
    &levenshtein::DEF,
    &meteor::DEF,
    &numeric_close::DEF,
    &promptfoo_test::DEF,
    &refusal::DEF,
    &regex_match::DEF,
    &rouge_l::DEF,
    &starts_with::DEF,
    &tfidf_cosine::DEF,
    &token_f1::DEF,
    &word_count::DEF,
];
