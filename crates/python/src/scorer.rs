//! [`Scorer`]: metrics that are made once and asked for one batch after the other.

use std::io;
use std::num::NonZeroUsize;

use arrow_array::RecordBatch;
use probare_core::{DefaultCasePolicy, Event, Sink};
use probare_engine::{DriveOptions, ModelBackend, Plan, PlanError, RunContext, apply_decision_thresholds, drive};
use probare_formats::FieldMap;
use probare_report::Summary as Counted;
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PySchema};

use crate::failure::PyFailure;
use crate::interrupt::{Interrupt, run_interruptibly};
use crate::metrics::requests;
use crate::own_metrics::MetricList;
use crate::row_results::{self, ColumnLayout, RowCollector};
use crate::scoring::{jobs, read_options, resolve};
use crate::summaries::Summary;

/// Metrics that are ready to score.
#[pyclass(frozen, module = "probare._probare")]
pub struct Scorer {
    plan: Plan,
    asked: ModelBackend,
    fields: FieldMap,
    jobs: NonZeroUsize,
    evidence: bool,
    summary: Summary,
}

/// What messages call the rows of a batch.
const NAME: &str = "batch";

#[pymethods]
impl Scorer {
    #[new]
    fn new(metrics: Option<&Bound<'_, PyAny>>, options: &Bound<'_, PyAny>, evidence: bool) -> PyResult<Self> {
        let options = resolve(read_options(options)?, false)?;
        let mut list = match metrics {
            Some(metrics) => requests(metrics)?,
            None => MetricList { requests: options.requests(), own: Vec::new() },
        };
        let registry = list.registry()?;
        let asked = options.model_access().open(&mut list.requests, &registry).map_err(PyFailure::from)?;
        let (files, profile) = (&options.decision_thresholds, options.profile());
        apply_decision_thresholds(files, &mut list.requests, profile, &registry)
            .map_err(PlanError::from)
            .map_err(PyFailure::from)?;
        let plan = Plan::new(&list.requests, profile, &registry).map_err(PyFailure::from)?;
        plan.check_models(&asked).map_err(PyFailure::from)?;
        let summary = Summary::from_counted(Summary::empty(NAME, plan.infos()));
        let fields = FieldMap::parse(&options.map).map_err(PyFailure::from)?;
        Ok(Self { plan, asked, fields, jobs: jobs(&options), evidence, summary })
    }

    /// The columns that scored batches have.
    #[getter]
    fn schema(&self) -> PyResult<PySchema> {
        Ok(PySchema::new(row_results::schema(self.plan.infos(), self.evidence)?))
    }

    /// Names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.plan.infos().iter().map(|info| info.name.clone()).collect()
    }

    /// All batches so far.
    #[getter]
    fn summary(&self) -> PyResult<Summary> {
        let whole = Summary::from_counted(Summary::empty(NAME, self.plan.infos()));
        whole.add_part(&self.summary.partial())?;
        Ok(whole)
    }

    /// One row of results for each row of the batch, in its order.
    #[pyo3(signature = (batch, interrupt=None))]
    fn score_batch(
        &self,
        py: Python<'_>,
        batch: PyRecordBatch,
        interrupt: Option<&Bound<'_, Interrupt>>,
    ) -> PyResult<PyRecordBatch> {
        let interrupted = Interrupt::flag(interrupt);
        let options = DriveOptions {
            jobs: self.jobs,
            evidence: self.evidence,
            lost_rows_fail: true,
            interrupted: interrupted.clone(),
            ..DriveOptions::default()
        };
        let batch = batch.into_inner();
        let columns: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        crate::column_checks::refuse_duplicates(&columns)?;
        run_interruptibly(py, &interrupted, None, || self.score_record_batch(batch, &options)).map(PyRecordBatch::new)
    }
}

impl Scorer {
    fn score_record_batch(&self, batch: RecordBatch, options: &DriveOptions) -> Result<RecordBatch, PyFailure> {
        let source = Box::new(crate::sources::ArrowSource::from_batch(batch, NAME, &self.fields));
        let around = RunContext { rules: &DefaultCasePolicy, backend: &self.asked, sampler: None };
        let mut both = CollectAndCount {
            keeper: RowCollector { evidence: self.evidence, ..RowCollector::default() },
            counted: Counted::default(),
        };
        drive(source, NAME, &self.plan, around, options, Box::new(&mut both))?;
        let scored =
            row_results::batch(self.plan.infos(), &both.keeper.rows, 0, &ColumnLayout::WithRows, self.evidence)?;
        self.summary.add_part(&both.counted.partial())?;
        Ok(scored)
    }
}

/// Keeps and counts.
struct CollectAndCount {
    keeper: RowCollector,
    counted: Counted,
}

impl Sink for CollectAndCount {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.counted.event(event)?;
        self.keeper.event(event)
    }
}
