//! Responses to a query in a context: relevant, complete, borne out by the context?
//!
//! [`relevance`] and [`completeness`] hold the response against the query, [`hallucination`] against the context;
//! [`verdict`] puts the three into one word with its reasons. The values are those of scikit-learn, of NLTK and of the
//! published rules; the evidence says which words, numbers, dates and claims they rest on.
//!
//! ```
//! use probare_metrics::rag::{completeness, relevance};
//!
//! let (query, response) = ("What is the capital of France?", "The capital of France is Paris.");
//! assert!((relevance::compare(query, response).value() - 0.604648633303137).abs() < 1e-12);
//! assert_eq!(completeness::keyword_coverage(query, response).value, 1.0);
//! ```

use probare_core::MetricDef;

pub mod completeness;
pub mod hallucination;
pub mod relevance;
pub mod verdict;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&completeness::DEF, &hallucination::DEF, &relevance::DEF, &verdict::DEF];
