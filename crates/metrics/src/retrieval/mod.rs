//! Retrieval: how good is a ranked list of documents, given which ones are relevant?
//!
//! Relevance is yes or no. The metrics share their reading of duplicates and of empty lists; each page says the rest.

use probare_core::MetricDef;

pub mod average_precision;
pub mod ndcg;
pub mod precision_at_k;
pub mod recall_at_k;
pub mod reciprocal_rank;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] =
    &[&average_precision::DEF, &ndcg::DEF, &precision_at_k::DEF, &recall_at_k::DEF, &reciprocal_rank::DEF];
