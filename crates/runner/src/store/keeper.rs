//! [`StoreKeeper`]: takes outputs and results from many threads and writes them on one, a few in each transaction.

use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use probare_core::{Case, CaseResult, ErrorKind, MetricInfo, Named, Told};
use probare_models::Answered;
use rusqlite::{Connection, Statement, TransactionBehavior, params};

use super::{StoreError, schema};

/// Most samples of a transaction, and of those that wait for one.
const MOST: usize = 500;

/// How long a transaction waits for company.
const PATIENCE: Duration = Duration::from_millis(20);

/// Where a sample stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub dataset: String,
    pub id: String,
    pub occurrence: u32,
    pub model: String,
    pub repeat: u32,
    /// Numbers of data set, row and model in the run: the order of exports.
    pub order: (u32, i64, u32),
}

struct Taken {
    text: String,
    usage: probare_core::Usage,
    cost_usd: Option<f64>,
    latency_ms: u64,
    attempts: u32,
}

struct Stored {
    metric: String,
    kind: Option<&'static str>,
    outcome: String,
}

enum Wish {
    Output(Place, Taken),
    Results(Place, Vec<Stored>),
    /// Says when everything before it is in the store.
    Settle(mpsc::Sender<()>),
}

/// Names by which samples are kept.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Data sets, in order.
    pub datasets: Vec<String>,
    /// Models under test, in order.
    pub models: Vec<String>,
}

impl Names {
    /// Where the sample of a case stands; nothing for a case that is no sample of a run.
    pub(super) fn place(&self, case: &Case) -> Option<Place> {
        let key = case.sample?;
        let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Some(Place {
            dataset: self.datasets.get(at(key.dataset))?.clone(),
            id: case.id.clone(),
            occurrence: key.occurrence,
            model: key.model.and_then(|model| self.models.get(at(model)).cloned()).unwrap_or_default(),
            repeat: key.repeat,
            order: (key.dataset, i64::try_from(key.row).unwrap_or(i64::MAX), key.model.unwrap_or_default()),
        })
    }
}

/// Writes samples of one run. What it was given is in the store when it is closed, or closing says why not.
pub struct StoreKeeper {
    names: Names,
    wishes: Option<SyncSender<Wish>>,
    failed: Arc<Mutex<Option<StoreError>>>,
    thread: Option<JoinHandle<()>>,
}

impl StoreKeeper {
    /// Begins to write.
    pub fn open(path: &Path, run: i64, names: Names) -> Result<Self, StoreError> {
        let connection = schema::connect(path)?;
        let (wishes, received) = mpsc::sync_channel(MOST);
        let failed = Arc::new(Mutex::new(None));
        let (path, told) = (path.to_owned(), Arc::clone(&failed));
        let thread = thread::spawn(move || {
            if let Err(error) = serve(connection, run, &received) {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(schema::wrong(&path)(error));
            }
        });
        Ok(Self { names, wishes: Some(wishes), failed, thread: Some(thread) })
    }

    /// Keeps an output before it is scored.
    pub fn output(&self, case: &Case, text: &str, answered: &Answered) -> io::Result<()> {
        let Some(place) = self.names.place(case) else { return Ok(()) };
        let entry = &answered.entry;
        self.wish(Wish::Output(
            place,
            Taken {
                text: text.to_owned(),
                usage: entry.reply.usage.unwrap_or_default(),
                cost_usd: entry.cost_usd,
                latency_ms: entry.latency_ms,
                attempts: entry.attempts,
            },
        ))
    }

    /// Keeps the results of a sample. A sample that the user ended is not finished.
    pub fn results(&self, result: &CaseResult, metrics: &[MetricInfo]) -> io::Result<()> {
        let is_cancelled = |named: &Named| named.as_ref().is_err_and(|error| error.kind() == ErrorKind::Cancelled);
        if result.results.iter().any(is_cancelled) {
            return Ok(());
        }
        let Some(place) = self.names.place(&result.case) else { return Ok(()) };
        let results = metrics.iter().zip(&result.results).map(|(metric, named)| {
            let kind = named.as_ref().err().map(|error| error.kind().name());
            // Written as files hold it, so that it is read back as it was.
            let outcome = serde_json::to_string(&Told(named.clone()))?;
            Ok(Stored { metric: metric.name.clone(), kind, outcome })
        });
        self.wish(Wish::Results(place, results.collect::<io::Result<_>>()?))
    }

    /// Waits until everything that it was given is in the store.
    pub fn settle(&self) -> io::Result<()> {
        let (settled, heard) = mpsc::channel();
        self.wish(Wish::Settle(settled))?;
        heard.recv().map_err(|_| self.failure())
    }

    fn wish(&self, wish: Wish) -> io::Result<()> {
        match &self.wishes {
            Some(wishes) if wishes.send(wish).is_ok() => Ok(()),
            _ => Err(self.failure()),
        }
    }

    fn failure(&self) -> io::Error {
        // The thread says why before the channel is gone for everybody.
        let patience = Instant::now() + Duration::from_secs(5);
        loop {
            if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                return io::Error::other(error);
            }
            if Instant::now() > patience {
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

impl Drop for StoreKeeper {
    fn drop(&mut self) {
        self.end();
    }
}

/// Writes until nobody wishes any more.
fn serve(mut connection: Connection, run: i64, wishes: &Receiver<Wish>) -> rusqlite::Result<()> {
    while let Ok(first) = wishes.recv() {
        let mut batch = vec![first];
        let until = Instant::now() + PATIENCE;
        while batch.len() < MOST {
            match wishes.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(wish) => batch.push(wish),
                Err(_) => break,
            }
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut output = transaction.prepare_cached(
                "INSERT INTO samples (run, dataset, id, occurrence, model, repeat, place, position, seat, finished,
                                      output, input_tokens, output_tokens, cost_usd, latency_ms, attempts)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10, ?11, ?12, ?13, ?14, ?15)
                 ON CONFLICT (run, dataset, id, occurrence, model, repeat) DO UPDATE
                 SET output = excluded.output, input_tokens = excluded.input_tokens,
                     output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd,
                     latency_ms = excluded.latency_ms, attempts = excluded.attempts
                 WHERE output IS NULL",
            )?;
            let mut sample = transaction.prepare_cached(
                "INSERT INTO samples (run, dataset, id, occurrence, model, repeat, place, position, seat, finished)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1)
                 ON CONFLICT (run, dataset, id, occurrence, model, repeat) DO UPDATE
                 SET finished = 1, place = excluded.place, position = excluded.position, seat = excluded.seat
                 RETURNING sample",
            )?;
            // Another process may have been first: what is there stays.
            let mut result = transaction.prepare_cached(
                "INSERT OR IGNORE INTO results (sample, metric, kind, outcome) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for wish in &batch {
                match wish {
                    Wish::Output(place, taken) => keep_output(&mut output, run, place, taken)?,
                    Wish::Results(place, results) => {
                        let Place { dataset, id, occurrence, model, repeat, order: (number, row, seat) } = place;
                        let values = params![run, dataset, id, occurrence, model, repeat, number, row, seat];
                        let sample: i64 = sample.query_row(values, |row| row.get(0))?;
                        for Stored { metric, kind, outcome } in results {
                            result.execute(params![sample, metric, kind, outcome])?;
                        }
                    }
                    Wish::Settle(_) => {}
                }
            }
        }
        transaction.commit()?;
        for wish in &batch {
            if let Wish::Settle(settled) = wish {
                // Whoever asked may have gone.
                let _ = settled.send(());
            }
        }
    }
    Ok(())
}

fn keep_output(statement: &mut Statement<'_>, run: i64, place: &Place, taken: &Taken) -> rusqlite::Result<()> {
    let Place { dataset, id, occurrence, model, repeat, order: (number, row, seat) } = place;
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    statement.execute(params![
        run,
        dataset,
        id,
        occurrence,
        model,
        repeat,
        number,
        row,
        seat,
        taken.text,
        count(taken.usage.input_tokens),
        count(taken.usage.output_tokens),
        taken.cost_usd,
        count(taken.latency_ms),
        taken.attempts
    ])?;
    Ok(())
}
