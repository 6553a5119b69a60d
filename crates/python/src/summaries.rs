//! [`Summary`]: a run in a few numbers, put together from parts that were computed anywhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use probare_core::{
    CaseResult, Decider, ErrorKind, Event, Finish, MetricInfo, Named, Outcome, Score, ScoreError, Sink, Stop,
};
use probare_metrics::registry;
use probare_report::{Columns, Look, Partial, Status, Summary as Counted, columns, terminal};
use probare_runner::Plan;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use crate::fault::Fault;
use crate::metrics::{profile, requests};

/// Counts, means and distributions. Parts are put together exactly: the result does not depend on how a run was cut.
#[pyclass(frozen, module = "probare._probare")]
#[derive(Debug)]
pub struct Summary(Mutex<Counted>);

impl Summary {
    /// What a run came to.
    pub const fn of(counted: Counted) -> Self {
        Self(Mutex::new(counted))
    }

    /// No case yet.
    pub fn empty(source: &str, infos: &[MetricInfo]) -> Counted {
        let mut counted = Counted::default();
        // A summary keeps everything in memory and cannot fail.
        let _ = counted.event(&Event::Started { source, metrics: infos });
        let _ = counted.event(&Event::Finished(&Finish::by(Stop::Complete)));
        counted
    }

    fn locked(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This summary as a part of a larger one.
    pub fn partial(&self) -> Partial {
        self.locked().partial()
    }

    /// Takes in a part.
    pub fn add_part(&self, part: &Partial) -> Result<(), Fault> {
        self.locked().merge(part).map_err(|error| Fault::usage(error.to_string()))
    }
}

#[pymethods]
impl Summary {
    /// A summary of these metrics without a case.
    #[new]
    fn new(metrics: &Bound<'_, PyAny>, profile_name: &str, source: &str) -> PyResult<Self> {
        let plan = Plan::new(&requests(metrics)?, profile(profile_name)?, registry()).map_err(Fault::from)?;
        Ok(Self::of(Self::empty(source, plan.infos())))
    }

    /// Takes in the rows of a scored batch.
    fn add(&self, py: Python<'_>, batch: PyRecordBatch) -> PyResult<()> {
        let batch = batch.into_inner();
        Ok(py.detach(|| self.add_rows(&batch))?)
    }

    /// Takes in a part, as text.
    fn merge(&self, part: &str) -> PyResult<()> {
        let part: Partial = serde_json::from_str(part)
            .map_err(|error| Fault::usage(format!("this is no part of a summary: {error}")))?;
        Ok(self.add_part(&part)?)
    }

    /// This summary as a part of a larger one, as text.
    fn part(&self) -> PyResult<String> {
        let text = serde_json::to_string(&self.partial());
        Ok(text.map_err(|error| Fault::data(error.to_string()))?)
    }

    /// The summary as JSON.
    fn json(&self) -> PyResult<String> {
        let text = serde_json::to_string(&*self.locked());
        Ok(text.map_err(|error| Fault::data(error.to_string()))?)
    }

    /// The summary as a table.
    fn text(&self) -> String {
        terminal::render(&self.locked(), &[], Look::PLAIN)
    }
}

impl Summary {
    fn add_rows(&self, batch: &RecordBatch) -> Result<(), Fault> {
        let mut counted = self.locked();
        let infos: Vec<MetricInfo> = counted.metrics.iter().map(|metric| metric.info.clone()).collect();
        let metrics: Vec<Cells> =
            columns(&infos).iter().map(|names| Cells::new(batch, names)).collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            let results = metrics.iter().map(|cells| cells.named(row)).collect::<Result<_, _>>()?;
            counted.add(&CaseResult { results, ..CaseResult::default() });
        }
        Ok(())
    }
}

/// The columns of one metric.
struct Cells {
    value: ArrayRef,
    status: ArrayRef,
    note: ArrayRef,
    label: ArrayRef,
    kind: ArrayRef,
    by: ArrayRef,
}

impl Cells {
    fn new(batch: &RecordBatch, names: &Columns) -> Result<Self, Fault> {
        let column = |name: &str, wanted: &DataType| {
            let found = batch.column_by_name(name).ok_or_else(|| {
                Fault::usage(format!("there is no column `{name}`"))
                    .hint("give the frame that `score` gave, with all its columns")
            })?;
            cast(found, wanted).map_err(|error| Fault::usage(format!("column `{name}`: {error}")))
        };
        let text = |name: &str| column(name, &DataType::Utf8);
        Ok(Self {
            value: column(&names.value, &DataType::Float64)?,
            status: text(&names.status)?,
            note: text(&names.note)?,
            label: text(&names.label)?,
            kind: text(&names.kind)?,
            by: text(&names.by)?,
        })
    }

    /// What the metric said, as far as a summary counts it.
    fn named(&self, row: usize) -> Result<Named, Fault> {
        let text = |array: &ArrayRef| array.is_valid(row).then(|| array.as_string::<i32>().value(row).to_owned());
        let status = text(&self.status).unwrap_or_default();
        if status == Status::Scored.name() && self.value.is_valid(row) {
            let value = self.value.as_primitive::<Float64Type>().value(row);
            let mut score = Score::from_number(value).map_err(|error| Fault::data(error.to_string()))?;
            let by = text(&self.by).unwrap_or_default();
            score.by = [Decider::Reading, Decider::Judge].into_iter().find(|known| known.name() == by);
            return Ok(Ok(match text(&self.label) {
                Some(label) => score.labelled(label).into(),
                None => score.into(),
            }));
        }
        let note = text(&self.note).unwrap_or_default();
        if status == Status::NotApplicable.name() {
            return Ok(Ok(Outcome::not_applicable(note)));
        }
        if status == Status::Failed.name() {
            let kind = text(&self.kind).unwrap_or_default();
            let kind = ErrorKind::ALL.into_iter().find(|known| known.name() == kind).unwrap_or(ErrorKind::Failed);
            return Ok(Err(ScoreError::other(kind, note)));
        }
        Err(Fault::data(format!("a row has the status `{status}`")).hint("give the frame that `score` gave, as it is"))
    }
}
