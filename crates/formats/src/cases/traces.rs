//! Traces: the whole file is read before the first case is known, since a span may stand anywhere.

use std::sync::Arc;

use probare_core::{Case, Problem};

use crate::json_splitter::{JsonSplitter, SplitItem};
use crate::row::{CaseBatch, FileContext, RawRows};
use crate::tools::cause;
use crate::traces::{Grouping, Traces, summary};
use crate::values::check_utf8;
use crate::{CaseFileError, LARGEST_DOCUMENT};

/// Cases of a batch.
const CASES_IN_BATCH: usize = 64;

/// Reads a file of traces.
pub(crate) struct TraceReader {
    /// What is read, until it was.
    unread: Option<(JsonSplitter, Grouping)>,
    made: std::vec::IntoIter<Result<Case, Problem>>,
    shared: Arc<FileContext>,
}

impl TraceReader {
    pub(crate) fn new(cutter: JsonSplitter, grouping: Grouping, shared: Arc<FileContext>) -> Self {
        Self { unread: Some((cutter, grouping)), made: Vec::new().into_iter(), shared }
    }

    /// The next batch.
    pub(crate) fn next(&mut self) -> Option<Result<CaseBatch, CaseFileError>> {
        if let Some((cutter, grouping)) = self.unread.take() {
            match self.read(cutter, grouping) {
                Ok(made) => self.made = made.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let rows: Vec<_> = self.made.by_ref().take(CASES_IN_BATCH).collect();
        (!rows.is_empty()).then(|| Ok(CaseBatch { shared: Arc::clone(&self.shared), rows: RawRows::Made(rows) }))
    }

    /// What could not be read, what was lost, and the cases.
    fn read(&self, mut cutter: JsonSplitter, grouping: Grouping) -> Result<Vec<Result<Case, Problem>>, CaseFileError> {
        let mut traces = Traces::default();
        let mut made = Vec::new();
        let mut total = 0;
        loop {
            let mut bytes = Vec::new();
            let place = match cutter.next(&mut bytes)? {
                SplitItem::End => break,
                SplitItem::Bad(problem) => {
                    made.push(Err(*problem));
                    continue;
                }
                SplitItem::Value(place) => place,
            };
            total += bytes.len() as u64;
            if total > LARGEST_DOCUMENT {
                return Err(CaseFileError::TooLarge { file: self.shared.file.clone(), limit: LARGEST_DOCUMENT });
            }
            let read = check_utf8(bytes, place, &self.shared.file).map_err(|problem| *problem).and_then(|value| {
                let text = String::from_utf8_lossy(&value.bytes);
                traces.add(&text).map_err(|error| self.unreadable(value.place_of(&error), &error))
            });
            made.extend(read.err().map(Err));
        }
        let (cases, lost) = traces.cases(grouping);
        made.extend(summary(&lost).into_iter().map(|reason| {
            let hint = "`probare import FILE --verbose` lists them one by one".to_owned();
            Err(Problem { lost: false, hint: Some(hint), ..self.shared.lost(None, None, reason) })
        }));
        made.extend(cases.into_iter().map(Ok));
        Ok(made)
    }

    fn unreadable(&self, (line, column): (u64, u64), error: &serde_json::Error) -> Problem {
        let reason = cause(error);
        let hint = if reason.contains("recursion limit") {
            "values may be nested 128 deep at most"
        } else {
            "one object of OTLP/JSON a line, or one in the file, is expected, as a collector's file exporter writes it"
        };
        let problem = self.shared.lost(Some(line), Some(column), format!("the traces cannot be read: {reason}"));
        Problem { hint: Some(hint.to_owned()), ..problem }
    }
}
