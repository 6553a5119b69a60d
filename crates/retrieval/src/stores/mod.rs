//! Stores of vectors outside of the index, behind one trait.
//!
//! An index keeps its vectors in a file of its own. Where a database is to hold and search them, [`crate::Index::with_store`] sends
//! every question there. Filters are settled by the columns of the index before, so that they mean the same everywhere; a
//! ranking is that of the index, equals in the order of the corpus.

mod postgres;

pub use self::postgres::{Postgres, redacted_url};

use crate::RetrievalError;

/// Holds the vectors of an index and finds the nearest ones.
pub trait VectorStore: Send + Sync {
    /// The `k` passages whose vectors have the largest product with this one, best first, of equals the earlier passage; only
    /// those of these documents, or of all.
    fn nearest(&self, vector: &[f32], k: usize, documents: Option<&[u64]>) -> Result<Vec<(u64, f32)>, RetrievalError>;
}
