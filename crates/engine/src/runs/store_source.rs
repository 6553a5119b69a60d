//! [`StoreSource`]: the samples of a run as a source of cases.

use std::collections::HashSet;

use probare_core::{Case, CaseBatch, CaseSource, InputFile, Problem, SourceError};
use probare_store::{CasePosition, Cursor, Store, StoredSample};

/// Samples that are read at once.
const AT_ONCE: usize = 256;

/// The samples of a run, from its store.
pub(super) struct StoreSource {
    pub store: Store,
    pub run: i64,
    pub cursor: Cursor,
    pub inputs: Vec<InputFile>,
    /// Only the samples of these cases.
    pub only: Option<HashSet<CasePosition>>,
}

impl CaseSource for StoreSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        loop {
            let mut samples = match self.store.samples(self.run, &mut self.cursor, AT_ONCE) {
                Ok(samples) if samples.is_empty() => return None,
                Ok(samples) => samples,
                Err(error) => return Some(Err(error.into())),
            };
            if let Some(only) = &self.only {
                samples.retain(|sample| sample.position().is_some_and(|position| only.contains(&position)));
            }
            if !samples.is_empty() {
                return Some(Ok(Box::new(StoredBatch(samples))));
            }
        }
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(std::mem::take(&mut self.inputs))
    }
}

struct StoredBatch(Vec<StoredSample>);

impl CaseBatch for StoredBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.0.iter().map(|sample| Ok(sample.case.clone())).collect()
    }
}
