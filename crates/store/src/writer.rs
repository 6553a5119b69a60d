//! [`StoreWriter`]: takes outputs and results from many threads, which pack them, and writes them on one, a few in each
//! transaction.

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use probare_core::{Case, CaseResult, MetricInfo, Output, SerializedResult};
use probare_models::CallReply;
use probare_report::comparison::{ContentHash, question_hash};
use rusqlite::{Connection, TransactionBehavior};

use super::body::{PackedTable, SampleBody, body};
use super::packing::{Packer, Unpacker};
use super::samples::{MetricValue, OPEN, OutputUsage, SampleOrder, SampleRow, SampleRowKey, SampleTable};
use super::{Store, StoreError, StoreFault};

/// Most samples of a transaction, and of those that wait for one.
const MOST: usize = 500;

/// How long a transaction waits for company.
const GROUPING_TIME: Duration = Duration::from_millis(20);

/// A sample with all its results.
struct FinishedSample {
    place: SampleRowKey,
    answered_by: Option<String>,
    tags: Option<String>,
    /// The case without its response, packed.
    case: Vec<u8>,
    question: Option<ContentHash>,
    body: SampleBody,
    /// The body, packed.
    packed: Vec<u8>,
    values: Vec<MetricValue>,
    /// What the output took, where no model was asked and the case says it.
    taken: OutputUsage,
}

/// An output that waits to be scored.
struct WaitingOutput {
    place: SampleRowKey,
    answered_by: Option<String>,
    taken: OutputUsage,
    /// The body, which is packed only if its results are not in the same transaction.
    text: String,
}

enum WriteRequest {
    Output(Box<WaitingOutput>),
    Results(Box<FinishedSample>),
}

/// Names by which samples are kept.
#[derive(Debug, Clone, Default)]
pub struct RunNames {
    /// Data sets, in order.
    pub datasets: Vec<String>,
    /// Models under test, in order.
    pub models: Vec<String>,
    /// Prompts in order, where the run has several.
    pub prompts: Vec<String>,
}

impl RunNames {
    /// Where the sample of a case stands; nothing for a case that is no sample of a run.
    pub(super) fn sample_key(&self, case: &Case) -> Option<SampleRowKey> {
        let key = case.sample?;
        let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Some(SampleRowKey {
            dataset: self.datasets.get(at(key.dataset))?.clone(),
            id: case.id.clone(),
            occurrence: key.occurrence,
            model: key.model.and_then(|model| self.models.get(at(model)).cloned()).unwrap_or_default(),
            prompt: key.prompt.and_then(|prompt| self.prompts.get(at(prompt)).cloned()).unwrap_or_default(),
            repeat: key.repeat,
            order: SampleOrder {
                dataset: key.dataset,
                row: i64::try_from(key.row).unwrap_or(i64::MAX),
                model: key.model.unwrap_or_default(),
                prompt: key.prompt.unwrap_or_default(),
            },
        })
    }
}

/// Writes samples of one run. What it was given is in the store when it is closed, or closing says why not.
pub struct StoreWriter {
    names: RunNames,
    packer: Packer,
    wishes: Option<SyncSender<WriteRequest>>,
    failed: Arc<Mutex<Option<StoreError>>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    /// Begins to write.
    pub fn open(store: &Store, run: i64, names: RunNames) -> Result<Self, StoreError> {
        store.writable()?;
        let connection = store.connect()?;
        let (wishes, received) = mpsc::sync_channel(MOST);
        let failed = Arc::new(Mutex::new(None));
        let (path, told) = (store.path().to_owned(), Arc::clone(&failed));
        let thread = thread::spawn(move || {
            if let Err(fault) = serve(connection, run, &received) {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault.in_store(&path));
            }
        });
        Ok(Self { names, packer: Packer::default(), wishes: Some(wishes), failed, thread: Some(thread) })
    }

    /// Keeps an output before it is scored.
    pub fn output(&self, case: &Case, answered: &CallReply) -> io::Result<()> {
        let entry = &answered.entry;
        let count = |number: u64| Some(i64::try_from(number).unwrap_or(i64::MAX));
        let taken = OutputUsage {
            input_tokens: entry.reply.usage.and_then(|usage| count(usage.input_tokens)),
            output_tokens: entry.reply.usage.and_then(|usage| count(usage.output_tokens)),
            cost_usd: entry.cost_in_all(),
            latency_ms: count(entry.latency_ms),
            attempts: Some(i64::from(entry.attempts)),
        };
        self.output_with_usage(case, taken)
    }

    /// Keeps an output before it is scored, with what all the calls took that led to it.
    pub fn output_with_usage(&self, case: &Case, taken: OutputUsage) -> io::Result<()> {
        let Some(place) = self.names.sample_key(case) else { return Ok(()) };
        let text = sample_body(case, true).text()?;
        let named = case.response.as_ref().and_then(|output| output.model.clone());
        let answered_by = named.or_else(|| Some(place.model.clone()).filter(|model| !model.is_empty()));
        self.send(WriteRequest::Output(Box::new(WaitingOutput { place, answered_by, taken, text })))
    }

    /// Keeps the results of a sample. A sample that the user ended is not finished.
    pub fn results(&self, result: &CaseResult, metrics: &[MetricInfo]) -> io::Result<()> {
        if result.is_cancelled() {
            return Ok(());
        }
        let case = &result.case;
        let Some(place) = self.names.sample_key(case) else { return Ok(()) };
        let is_asked = !place.model.is_empty();
        let mut body = sample_body(case, is_asked);
        let mut values = Vec::with_capacity(metrics.len());
        for (metric, named) in metrics.iter().zip(&result.results) {
            values.push(MetricValue::new(&metric.name, named));
            // Written as files hold it, so that it is read back as it was.
            body.results.push((metric.name.clone(), serde_json::to_string(&SerializedResult(named.clone()))?));
        }
        let named = case.response.as_ref().and_then(|output| output.model.clone());
        let answered_by = named.or_else(|| is_asked.then(|| place.model.clone()));
        let packed = self.packer.pack(&body.text()?)?;
        let taken = case.spent.as_ref().filter(|_| !is_asked).map(OutputUsage::from).unwrap_or_default();
        let tags = if case.tags.is_empty() { None } else { Some(serde_json::to_string(&case.tags)?) };
        let mut bare = Case { response: None, ..case.clone() };
        if is_asked {
            bare.take_answer();
        }
        let question = question_hash(bare.query.as_deref(), bare.reference.as_deref());
        let case = self.packer.pack(&serde_json::to_string(&bare)?)?;
        self.send(WriteRequest::Results(Box::new(FinishedSample {
            place,
            answered_by,
            tags,
            case,
            question,
            body,
            packed,
            values,
            taken,
        })))
    }

    fn send(&self, wish: WriteRequest) -> io::Result<()> {
        match &self.wishes {
            Some(wishes) if wishes.send(wish).is_ok() => Ok(()),
            _ => Err(self.failure()),
        }
    }

    fn failure(&self) -> io::Error {
        // The thread says why before the channel is gone for everybody.
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                return io::Error::other(error);
            }
            if Instant::now() > deadline {
                return io::Error::other("the store was closed, which is a bug");
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Writes what is left.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.end();
        match self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn end(&mut self) {
        self.wishes = None;
        if let Some(thread) = self.thread.take() {
            // A panic there is told by the missing results.
            let _ = thread.join();
        }
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        self.end();
    }
}

/// The answer of a case. Of one that a model of the run gave, its calls too; which model and repeat it is stands in the row.
fn sample_body(case: &Case, is_asked: bool) -> SampleBody {
    let output = case.response.as_ref();
    SampleBody {
        output: output.map(|output| if is_asked { Output::new(output.text.clone()) } else { output.clone() }),
        calls: case.tool_calls.clone().filter(|_| is_asked),
        conversation: case.agent_conversation(),
        results: Vec::new(),
    }
}

/// Writes until nobody wishes any more.
fn serve(mut connection: Connection, run: i64, wishes: &Receiver<WriteRequest>) -> Result<(), StoreFault> {
    let unpacker = Unpacker::from_connection(&connection)?;
    let packer = Packer::default();
    while let Ok(first) = wishes.recv() {
        let mut batch = vec![first];
        let until = Instant::now() + GROUPING_TIME;
        while batch.len() < MOST {
            match wishes.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(wish) => batch.push(wish),
                Err(_) => break,
            }
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut writing = WriteTransaction {
            connection: &transaction,
            unpacker: &unpacker,
            packer: &packer,
            samples: SampleTable::open(&transaction, run)?,
        };
        // An output whose results come in the same transaction is written with them.
        let mut waiting: HashMap<SampleRowKey, (usize, WaitingOutput)> = HashMap::new();
        for (number, wish) in batch.into_iter().enumerate() {
            match wish {
                WriteRequest::Output(output) => {
                    waiting.entry(output.place.clone()).or_insert((number, *output));
                }
                WriteRequest::Results(finished) => {
                    let output = waiting.remove(&finished.place).map(|(_, output)| output);
                    writing.results(*finished, output)?;
                }
            }
        }
        let mut waiting: Vec<_> = waiting.into_values().collect();
        waiting.sort_unstable_by_key(|(number, _)| *number);
        for (_, output) in waiting {
            writing.output(output)?;
        }
        writing.samples.close(&transaction)?;
        transaction.commit()?;
    }
    Ok(())
}

/// One transaction. Another process may have been first: what is there stays.
struct WriteTransaction<'a> {
    connection: &'a Connection,
    unpacker: &'a Unpacker,
    packer: &'a Packer,
    samples: SampleTable,
}

impl WriteTransaction<'_> {
    fn output(&mut self, output: WaitingOutput) -> Result<(), StoreFault> {
        let WaitingOutput { place, answered_by, taken, text } = output;
        let row = SampleRow { answered_by, status: OPEN.to_owned(), taken, ..SampleRow::default() };
        let sample = match self.samples.find(self.connection, &place)? {
            None => self.samples.insert(self.connection, &mut SampleRow { place, ..row })?,
            Some(before) => {
                if before.is_finished() || PackedTable::Outputs.packed(self.connection, before.sample)?.is_some() {
                    return Ok(());
                }
                let mut row =
                    SampleRow { sample: before.sample, place: before.place.clone(), case: before.case, ..row };
                self.samples.replace(self.connection, &before, &mut row)?;
                before.sample
            }
        };
        PackedTable::Outputs.put(self.connection, sample, &self.packer.pack(&text)?)?;
        Ok(())
    }

    /// Writes the results of a sample; its `output`, if it is not in the store yet.
    fn results(&mut self, finished: FinishedSample, output: Option<WaitingOutput>) -> Result<(), StoreFault> {
        let FinishedSample { place, answered_by, tags, case, question, mut body, mut packed, values, taken } = finished;
        let mut before = self.samples.find(self.connection, &place)?;
        let mut taken = taken;
        let mut answered_by = answered_by;
        match output {
            // Of a sample that was there the store decides what stays.
            Some(output) if before.is_some() => {
                self.output(output)?;
                before = self.samples.find(self.connection, &place)?;
            }
            Some(output) => (taken, answered_by) = (output.taken, output.answered_by),
            None => {}
        }
        let kept = match &before {
            Some(before) if before.is_finished() => Some(self::body(self.connection, self.unpacker, before.sample)?),
            Some(before) => self.waiting(before.sample)?,
            None => None,
        };
        let mut row = SampleRow { place, answered_by, question, tags, taken, values, ..SampleRow::default() };
        if let (Some(before), Some(kept)) = (&before, kept) {
            if before.is_finished() && body.results.iter().all(|(metric, _)| kept.has(metric)) {
                return Ok(());
            }
            if kept.output.is_some() {
                row.answered_by.clone_from(&before.answered_by);
            }
            if merge(&mut body, kept) {
                packed = self.packer.pack(&body.text()?)?;
            }
            row.values.retain(|value| before.values.iter().all(|known| known.metric != value.metric));
            row.values.extend(before.values.iter().cloned());
        }
        row.case = Some(self.case(&row.place, &case)?);
        row.finish();
        let sample = match &before {
            Some(before) => {
                (row.sample, row.taken) = (before.sample, before.taken.clone());
                self.samples.replace(self.connection, before, &mut row)?;
                PackedTable::Outputs.remove(self.connection, before.sample)?;
                before.sample
            }
            None => self.samples.insert(self.connection, &mut row)?,
        };
        PackedTable::Bodies.put(self.connection, sample, &packed)?;
        Ok(())
    }

    /// The output that waits to be scored.
    fn waiting(&self, sample: i64) -> Result<Option<SampleBody>, StoreFault> {
        let text = PackedTable::Outputs.text(self.connection, self.unpacker, sample)?;
        text.map(|text| SampleBody::from_text(&text).map_err(StoreFault::Damaged)).transpose()
    }

    /// The number of a case, which samples of one row share.
    fn case(&self, place: &SampleRowKey, packed: &[u8]) -> Result<i64, StoreFault> {
        if let Some(number) = self.samples.sibling_case(self.connection, place)?
            && PackedTable::Cases.packed(self.connection, number)?.as_deref() == Some(packed)
        {
            return Ok(number);
        }
        let next: i64 =
            self.connection.query_row("SELECT coalesce(max(number), 0) + 1 FROM cases", [], |row| row.get(0))?;
        PackedTable::Cases.put(self.connection, next, packed)?;
        Ok(next)
    }
}

/// Puts what was kept before in the place of what came later; says whether that is different.
fn merge(body: &mut SampleBody, kept: SampleBody) -> bool {
    let mut is_changed = false;
    if kept.output.is_some()
        && (&kept.output, &kept.calls, &kept.conversation) != (&body.output, &body.calls, &body.conversation)
    {
        (body.output, body.calls, body.conversation) = (kept.output, kept.calls, kept.conversation);
        is_changed = true;
    }
    for (metric, result) in kept.results {
        is_changed = true;
        match body.results.iter_mut().find(|(known, _)| *known == metric) {
            Some(entry) => entry.1 = result,
            None => body.results.push((metric, result)),
        }
    }
    is_changed
}
