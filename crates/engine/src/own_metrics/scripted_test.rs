//! Tests of promptfoo with code of the user's own: our metric grades, workers run the code that its assertions refer to.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{BuildError, MetricDef, OwnMetric, ScoreError, Scorer, Sha256};
use probare_metrics::graders::promptfoo_judged_test;
use probare_metrics::text::promptfoo_test::{self, TestScripts};
use serde_json::Value as Json;

use super::pool::WorkerPool;
use super::protocol::{call_line, read_return};

/// Results that are remembered: the metrics of a run each grade a sample, one that asks judges again after each reply.
const REMEMBERED: usize = 1000;

/// Bytes of the largest of them.
const LARGEST_REMEMBERED: usize = 1 << 16;

type Build = fn(Json, Arc<dyn TestScripts>) -> Result<Scorer, BuildError>;

/// Metrics that take the help of a worker.
const SCRIPTED: [(&str, Build); 2] =
    [("promptfoo_judged_test", promptfoo_judged_test::with_scripts), ("promptfoo_test", promptfoo_test::with_scripts)];

/// Whether a metric of ours takes the help of a worker.
pub fn takes_scripts(id: &str) -> bool {
    SCRIPTED.iter().any(|(known, _)| *known == id)
}

/// A metric of ours with the workers that run its code; nothing where it takes none.
pub fn scripted_metric(definition: &'static MetricDef, scripts: Arc<WorkerScripts>) -> Option<OwnMetric> {
    let (_, build) = SCRIPTED.iter().find(|(known, _)| *known == definition.id)?;
    let made = OwnMetric::from_builder(definition.id, move |options| build(options, Arc::clone(&scripts) as _));
    Some(OwnMetric {
        summary: definition.summary.to_owned(),
        better: definition.better,
        // The score of code is any number.
        range: (f64::NEG_INFINITY, f64::INFINITY),
        version: definition.version,
        needs: Vec::new(),
        options: definition.options().to_value(),
        page: definition.page.to_owned(),
        ..made
    })
}

/// The code of tests, run by workers. The metrics of a run that name the same program share them.
pub struct WorkerScripts {
    pool: WorkerPool,
    known: Mutex<HashMap<String, Json>>,
}

impl WorkerScripts {
    /// The code that the workers of a pool know.
    pub fn new(pool: WorkerPool) -> Self {
        Self { pool, known: Mutex::default() }
    }
}

impl TestScripts for WorkerScripts {
    fn call(&self, number: u64, output: &Json, context: &Json) -> Result<Json, ScoreError> {
        let key = Sha256::hex_digest(call_line(0, number, output, context).as_bytes());
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Ok(known.clone());
        }
        let made = self.pool.exchange(|seq| Ok(call_line(seq, number, output, context)), read_return)?;
        if made.as_str().map_or_else(|| made.to_string().len(), str::len) > LARGEST_REMEMBERED {
            return Ok(made);
        }
        let mut known = lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key, made.clone());
        Ok(made)
    }
}
