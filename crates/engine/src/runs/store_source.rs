//! [`StoreSource`]: the samples of a run as a source of cases.

use probare_core::{Case, CaseBatch, CaseSource, InputFile, Problem, SourceError};
use probare_store::{Cursor, Store, StoredSample};

/// Samples that are read at once.
const AT_ONCE: usize = 256;

/// The samples of a run, from its store.
pub(super) struct StoreSource {
    pub store: Store,
    pub run: i64,
    pub cursor: Cursor,
    pub inputs: Vec<InputFile>,
}

impl CaseSource for StoreSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let samples = match self.store.samples(self.run, &mut self.cursor, AT_ONCE) {
            Ok(samples) => samples,
            Err(error) => return Some(Err(error.into())),
        };
        (!samples.is_empty()).then(|| Ok(Box::new(StoredBatch(samples)) as Box<dyn CaseBatch>))
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
