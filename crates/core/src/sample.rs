//! [`Sample`]: a case together with the output under test.

use std::rc::Rc;
use std::sync::Arc;

use crate::{AnalysisCache, Case, CaseMessage, Citation, Field, Output, Passage, RunAnalysisCache, ScoreError};

/// A case together with the output under test: what a metric is given.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The row.
    pub case: &'a Case,
    output: Option<&'a Output>,
    cache: Option<&'a AnalysisCache>,
    earlier: &'a [CaseMessage],
}

impl<'a> Sample<'a> {
    /// The case with the response that its file recorded. Nothing is shared: every metric reads it afresh.
    pub const fn from_case(case: &'a Case) -> Self {
        Self { case, output: case.response.as_ref(), cache: None, earlier: &[] }
    }

    /// The same, with a cache that the metrics of this case share.
    #[must_use]
    pub const fn with_cache(mut self, cache: &'a AnalysisCache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The same as a turn of a conversation, with the messages of the turns before it.
    #[must_use]
    pub const fn with_earlier_messages(mut self, earlier: &'a [CaseMessage]) -> Self {
        self.earlier = earlier;
        self
    }

    /// The messages of earlier turns, where the sample is a turn; those of the case are its own.
    pub const fn earlier_messages(&self) -> &'a [CaseMessage] {
        self.earlier
    }

    /// An analysis of this case, made once for all metrics that ask for the same type under the same key. It must depend on
    /// nothing but the case and the key.
    pub fn cached<T: 'static>(&self, key: u64, make: impl FnOnce() -> T) -> Rc<T> {
        match self.cache {
            Some(cache) => cache.case_value(key, make),
            None => Rc::new(make()),
        }
    }

    /// A value that lives as long as the run and is shared by all workers: made once for each type and key.
    pub fn run_cached<T: Send + Sync + 'static>(&self, key: u64, make: impl FnOnce() -> T) -> Arc<T> {
        match self.cache {
            Some(cache) => cache.run_value(key, make),
            None => Arc::new(make()),
        }
    }

    /// Lends the worker's own value of a type: buffers to be used again, or what was read for earlier cases. What comes
    /// out must not depend on what is in it.
    pub fn with_scratch<T: Default + 'static, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        match self.cache {
            Some(cache) => cache.with_worker_value(work),
            None => work(&mut T::default()),
        }
    }

    /// Whether evidence is of use. A metric may leave it out where it is not; the value must not depend on it.
    pub const fn wants_evidence(&self) -> bool {
        match self.cache {
            Some(cache) => cache.wants_evidence(),
            None => true,
        }
    }

    /// The cache of the run, for a sample that is made of a part of this one.
    pub(crate) fn run_cache(&self) -> RunAnalysisCache {
        self.cache.map(AnalysisCache::run_cache).unwrap_or_default()
    }

    /// The output under test, if something was answered.
    pub const fn output(&self) -> Option<&'a Output> {
        self.output
    }

    /// The response; an error where nothing was answered.
    pub fn response(&self) -> Result<&'a str, ScoreError> {
        self.output.map(|output| output.text.as_str()).ok_or(ScoreError::MissingField(Field::Response))
    }

    /// The query.
    pub fn query(&self) -> Result<&'a str, ScoreError> {
        self.case.query.as_deref().ok_or(ScoreError::MissingField(Field::Query))
    }

    /// The passages.
    pub fn context(&self) -> Result<&'a [Passage], ScoreError> {
        self.case.context.as_deref().ok_or(ScoreError::MissingField(Field::Context))
    }

    /// The right answers; an error where there is none.
    pub fn references(&self) -> Result<&'a [String], ScoreError> {
        match self.case.reference.as_deref() {
            Some(list) if !list.is_empty() => Ok(list),
            _ => Err(ScoreError::MissingField(Field::Reference)),
        }
    }

    /// The quotations.
    pub fn citations(&self) -> Result<&'a [Citation], ScoreError> {
        self.case.citations.as_deref().ok_or(ScoreError::MissingField(Field::Citations))
    }

    /// The documents that were retrieved.
    pub fn retrieved(&self) -> Result<&'a [String], ScoreError> {
        self.case.retrieved.as_deref().ok_or(ScoreError::MissingField(Field::Retrieved))
    }

    /// The documents that should have been retrieved.
    pub fn relevant(&self) -> Result<&'a [String], ScoreError> {
        self.case.relevant.as_deref().ok_or(ScoreError::MissingField(Field::Relevant))
    }

    /// Whether the field is there, the output under test included.
    pub fn has(&self, field: Field) -> bool {
        match field {
            Field::Response => self.output.is_some(),
            Field::Reference => self.case.reference.as_ref().is_some_and(|list| !list.is_empty()),
            other => self.case.has(other),
        }
    }
}
