//! What a store holds of single samples: looked up by their key while a run goes on, and one after the other for exports.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use probare_core::{AgentConversation, Case, CaseToolCall, MetricInfo, MetricResult, Output, ResponseCost, Usage};
use rusqlite::Connection;

use super::body::{PackedTable, SampleBody, body};
use super::packing::Unpacker;
use super::samples::{OutputUsage, SampleRow, SampleRowKey, SampleTable};
use super::schema::Access;
use super::writer::RunNames;
use super::{Store, StoreError, StoreFault};

/// A case of a run: the numbers of its data set and of its row.
pub type CasePosition = (i64, i64);

/// What is known of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SampleLookup {
    /// Whether there is such a sample.
    pub is_known: bool,
    /// What the model answered.
    pub output: Option<String>,
    /// The model that gave it: the one that was asked, or one that answered in its place.
    pub answered_by: Option<String>,
    /// Calls that it answered with; nothing where it had no tools.
    pub calls: Option<Vec<CaseToolCall>>,
    /// What an agent said and did, also where that led to no output.
    pub conversation: Option<AgentConversation>,
    /// What that took.
    pub spent: Option<ResponseCost>,
    /// All results, in the order of the metrics, where the sample is finished.
    pub results: Option<Vec<MetricResult>>,
}

/// A connection with the names that its rows use.
struct SampleReader {
    connection: Connection,
    samples: SampleTable,
}

/// Looks samples up, from any thread.
pub struct StoredSamples {
    path: PathBuf,
    access: Access,
    run: i64,
    names: RunNames,
    metrics: Vec<String>,
    /// Nothing was there when the run began.
    is_empty: bool,
    unpacker: Unpacker,
    readers: Mutex<Vec<SampleReader>>,
}

impl StoredSamples {
    /// Prepares to look up samples of a run.
    pub fn open(store: &Store, run: i64, names: RunNames, metrics: &[MetricInfo]) -> Result<Self, StoreError> {
        let connection = store.connect()?;
        let at = |fault: StoreFault| fault.in_store(store.path());
        let samples = SampleTable::open(&connection, run).map_err(at)?;
        Ok(Self {
            path: store.path().to_owned(),
            access: store.access.clone(),
            run,
            names,
            metrics: metrics.iter().map(|metric| metric.name.clone()).collect(),
            is_empty: samples.tally().rows == 0,
            unpacker: Unpacker::from_connection(&connection).map_err(|error| at(error.into()))?,
            readers: Mutex::new(vec![SampleReader { connection, samples }]),
        })
    }

    /// What is known of the sample of a case.
    pub fn find(&self, case: &Case) -> io::Result<SampleLookup> {
        let Some(place) = self.names.sample_key(case).filter(|_| !self.is_empty) else {
            return Ok(SampleLookup::default());
        };
        let mut reader = self.reader().map_err(io::Error::other)?;
        let mut kept = self.lookup(&reader, &place);
        if matches!(kept, Err(StoreFault::Damaged(_))) {
            // Another process may have added a metric or a name since.
            kept = SampleTable::open(&reader.connection, self.run).and_then(|samples| {
                reader.samples = samples;
                self.lookup(&reader, &place)
            });
        }
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        kept.map_err(|fault| io::Error::other(fault.in_store(&self.path)))
    }

    /// The same for a sample that was read from the store: that it is not found means that the store is damaged.
    pub fn find_again(&self, case: &Case) -> io::Result<SampleLookup> {
        let kept = self.find(case)?;
        if kept.is_known {
            return Ok(kept);
        }
        let reason = format!("the sample of case `{}` is not found by its key", case.id);
        Err(io::Error::other(StoreError::Damaged { path: self.path.clone(), reason }))
    }

    fn reader(&self) -> Result<SampleReader, StoreError> {
        if let Some(reader) = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(reader);
        }
        let connection = self.access.connect()?;
        let samples = SampleTable::open(&connection, self.run).map_err(|fault| fault.in_store(&self.path))?;
        Ok(SampleReader { connection, samples })
    }

    fn lookup(
        &self,
        SampleReader { connection, samples }: &SampleReader,
        place: &SampleRowKey,
    ) -> Result<SampleLookup, StoreFault> {
        let Some(row) = samples.find(connection, place)? else { return Ok(SampleLookup::default()) };
        let body = content(connection, &self.unpacker, &row)?;
        let wrong = |reason| StoreFault::Damaged(format!("case `{}`: {reason}", place.id));
        let results = if row.is_finished() { body.results_for(&self.metrics).map_err(wrong)? } else { None };
        // A response of the file is read from the file.
        let output = body.output.filter(|_| !place.model.is_empty()).map(|output| output.text);
        let spent = output.is_some().then(|| to_spent(&row.taken));
        let answered_by = row.answered_by.filter(|_| output.is_some());
        let SampleBody { calls, conversation, .. } = body;
        Ok(SampleLookup { is_known: true, output, answered_by, calls, conversation, spent, results })
    }
}

/// The body of a sample, finished or not.
fn content(connection: &Connection, unpacker: &Unpacker, row: &SampleRow) -> Result<SampleBody, StoreFault> {
    if row.is_finished() {
        return body(connection, unpacker, row.sample);
    }
    let text = PackedTable::Outputs.text(connection, unpacker, row.sample)?;
    text.map_or_else(|| Ok(SampleBody::default()), |text| SampleBody::from_text(&text).map_err(StoreFault::Damaged))
}

/// What an output took.
fn to_spent(taken: &OutputUsage) -> ResponseCost {
    let count = |count: Option<i64>| count.unwrap_or_default().unsigned_abs();
    let usage = Usage::new(count(taken.input_tokens), count(taken.output_tokens));
    ResponseCost { usage, cost_usd: taken.cost_usd, latency_ms: taken.latency_ms.map(i64::unsigned_abs) }
}

/// A sample on its way out of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSample {
    /// Data set.
    pub dataset: String,
    /// The case with the output; nothing else of its row where the store is from before 0.3.
    pub case: Case,
}

impl StoredSample {
    /// Where its case stands in the run.
    pub fn position(&self) -> Option<CasePosition> {
        let key = self.case.sample?;
        Some((key.dataset.into(), i64::try_from(key.row).ok()?))
    }
}

/// A finished sample with its texts.
pub(super) fn stored_sample(
    connection: &Connection,
    unpacker: &Unpacker,
    row: SampleRow,
) -> Result<StoredSample, StoreFault> {
    let damaged =
        |reason: String| StoreFault::Damaged(format!("case {} of sample {}: {reason}", row.place.id, row.sample));
    let mut case = match row.case {
        Some(number) => {
            let text = PackedTable::Cases.text(connection, unpacker, number)?;
            let text = text.ok_or_else(|| damaged("it is missing".to_owned()))?;
            serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?
        }
        None => Case { id: row.place.id.clone(), ..Case::default() },
    };
    let SampleBody { output, calls, conversation, .. } = content(connection, unpacker, &row)?;
    let SampleRowKey { dataset, model, repeat, .. } = row.place.clone();
    let key = row.place.sample_key();
    let is_asked = !model.is_empty();
    let answered_by = row.answered_by.or(Some(model));
    match output {
        Some(output) if is_asked => case.put_answer(Output { model: answered_by, repeat, ..output }, calls),
        output => case.response = output,
    }
    if let Some(conversation) = conversation {
        case.put_conversation(conversation);
    }
    case.spent = row.taken.is_known().then(|| to_spent(&row.taken));
    case.sample = Some(key);
    Ok(StoredSample { dataset, case })
}
