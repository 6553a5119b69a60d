//! [`Scorer`]: metrics that are made once and asked for one batch after the other.

use std::io;
use std::num::NonZeroUsize;

use arrow_array::RecordBatch;
use probare_cases::FieldMap;
use probare_core::{Event, NoRules, Sink};
use probare_metrics::registry;
use probare_report::Summary as Counted;
use probare_runner::{Asked, DriveOptions, Plan, PlanError, Surroundings, drive, put_bands};
use pyo3::prelude::*;
use pyo3_arrow::{PyRecordBatch, PySchema};

use crate::fault::Fault;
use crate::heard::{Interrupt, attentive};
use crate::kept::{self, Keeper, Layout};
use crate::metrics::requests;
use crate::scoring::Settings;
use crate::summaries::Summary;

/// Metrics that are ready to score.
#[pyclass(frozen, module = "probare._probare")]
pub struct Scorer {
    plan: Plan,
    asked: Asked,
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
    fn new(metrics: Option<&Bound<'_, PyAny>>, settings: Settings, evidence: bool) -> PyResult<Self> {
        let settled = settings.settled(false)?;
        let mut requests = match metrics {
            Some(metrics) => requests(metrics)?,
            None => settled.settings.requests(),
        };
        let asked = settled.settings.asking().open(&mut requests, registry()).map_err(Fault::from)?;
        let (files, profile) = (&settled.settings.bands, settled.settings.profile);
        put_bands(files, &mut requests, profile, registry()).map_err(PlanError::from).map_err(Fault::from)?;
        let plan = Plan::new(&requests, settled.settings.profile, registry()).map_err(Fault::from)?;
        plan.check_models(&asked).map_err(Fault::from)?;
        let summary = Summary::of(Summary::empty(NAME, plan.infos()));
        let (jobs, fields) = (settled.jobs(), settled.fields);
        Ok(Self { plan, asked, fields, jobs, evidence, summary })
    }

    /// The columns that scored batches have.
    #[getter]
    fn schema(&self) -> PyResult<PySchema> {
        Ok(PySchema::new(kept::schema(self.plan.infos(), self.evidence)?))
    }

    /// Names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.plan.infos().iter().map(|info| info.name.clone()).collect()
    }

    /// All batches so far.
    #[getter]
    fn summary(&self) -> PyResult<Summary> {
        let whole = Summary::of(Summary::empty(NAME, self.plan.infos()));
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
        let options = DriveOptions { jobs: self.jobs, interrupted: interrupted.clone(), ..DriveOptions::default() };
        let batch = batch.into_inner();
        attentive(py, &interrupted, || self.scored(batch, &options)).map(PyRecordBatch::new)
    }
}

impl Scorer {
    fn scored(&self, batch: RecordBatch, options: &DriveOptions) -> Result<RecordBatch, Fault> {
        let source = Box::new(crate::sources::Streamed::one(batch, NAME, &self.fields));
        let around = Surroundings { rules: &NoRules, outside: &self.asked, sampler: None };
        let mut both = Both { keeper: Keeper::default(), counted: Counted::default() };
        drive(source, NAME, &self.plan, around, options, Box::new(&mut both))?;
        let scored = kept::batch(self.plan.infos(), &both.keeper.rows, 0, &Layout::Beside, self.evidence)?;
        self.summary.add_part(&both.counted.partial())?;
        Ok(scored)
    }
}

/// Keeps and counts.
struct Both {
    keeper: Keeper,
    counted: Counted,
}

impl Sink for Both {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.counted.event(event)?;
        self.keeper.event(event)
    }
}
