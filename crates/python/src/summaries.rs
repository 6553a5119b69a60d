//! [`Summary`]: a run in a few numbers, put together from parts that were computed anywhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use probare_core::{
    CaseResult, Decider, ErrorKind, Event, LabelOnly, MetricInfo, MetricResult, Outcome, RunEnd, SampleDimensions,
    Score, ScoreError, ScoreParts, Sink, Stop,
};
use probare_engine::Plan;
use probare_report::{
    Group, MetricColumns, PartialSummary, ResultStatus, Summary as Counted, TerminalStyle, columns, terminal,
};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use crate::failure::PyFailure;
use crate::metrics::{profile, requests};

/// Counts, means and distributions. Parts are put together exactly: the result does not depend on how a run was cut.
#[pyclass(frozen, module = "probare._probare")]
#[derive(Debug)]
pub struct Summary(Mutex<Counted>);

impl Summary {
    /// What a run came to.
    pub const fn from_counted(counted: Counted) -> Self {
        Self(Mutex::new(counted))
    }

    /// No case yet.
    pub fn empty(source: &str, infos: &[MetricInfo]) -> Counted {
        let mut counted = Counted::default();
        // A summary keeps everything in memory and cannot fail.
        let _ = counted.event(&Event::Started { source, metrics: infos, dimensions: SampleDimensions::default() });
        let _ = counted.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete)));
        counted
    }

    fn locked(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This summary as a part of a larger one.
    pub fn partial(&self) -> PartialSummary {
        self.locked().partial()
    }

    /// Takes in a part.
    pub fn add_part(&self, part: &PartialSummary) -> Result<(), PyFailure> {
        self.locked().merge(part).map_err(|error| PyFailure::usage(error.to_string()))
    }
}

#[pymethods]
impl Summary {
    /// A summary of these metrics without a case.
    #[new]
    fn new(metrics: &Bound<'_, PyAny>, profile_name: &str, source: &str) -> PyResult<Self> {
        let list = requests(metrics)?;
        let plan = Plan::new(&list.requests, profile(profile_name)?, &list.registry()?).map_err(PyFailure::from)?;
        Ok(Self::from_counted(Self::empty(source, plan.infos())))
    }

    /// Takes in the rows of a scored batch.
    fn add(&self, py: Python<'_>, batch: PyRecordBatch) -> PyResult<()> {
        let batch = batch.into_inner();
        Ok(py.detach(|| self.add_rows(&batch))?)
    }

    /// Takes in a part, as text.
    fn merge(&self, part: &str) -> PyResult<()> {
        let part: PartialSummary = serde_json::from_str(part)
            .map_err(|error| PyFailure::usage(format!("this is not part of a summary: {error}")))?;
        Ok(self.add_part(&part)?)
    }

    /// This summary as a part of a larger one, as text.
    fn part(&self) -> PyResult<String> {
        let text = serde_json::to_string(&self.partial());
        Ok(text.map_err(|error| PyFailure::data(error.to_string()))?)
    }

    /// The summary as JSON.
    fn json(&self) -> String {
        summary_json(&self.locked())
    }

    /// The summary as a table.
    fn text(&self) -> String {
        terminal::render(&self.locked(), &[], TerminalStyle::PLAIN)
    }
}

/// A summary as a report holds it, with what a frame shows beyond that: standard deviations, and all counts of groups.
pub fn summary_json(counted: &Counted) -> String {
    // Counts, numbers and texts always have a JSON form.
    let mut told = serde_json::to_value(counted).unwrap_or_default();
    for (metric, known) in counted.metrics.iter().enumerate() {
        told["metrics"][metric]["std"] = known.deviation().into();
    }
    if let Some(groups) = &counted.groups {
        let mut add = |place: &str, name: Option<&str>, group: &Group| {
            let found = match name {
                Some(name) => &mut told["groups"][place][name],
                None => &mut told["groups"][place],
            };
            for metric in 0..counted.metrics.len() {
                let row = &mut found["metrics"][metric];
                row["std"] = group.deviation(metric).into();
                row["unsure"] = group.unsure(metric).into();
                row["not_applicable"] = group.not_applicable(metric).into();
                row["failed"] = group.failed(metric).into();
            }
        };
        for (name, group) in &groups.kept {
            add("groups", Some(name), group);
        }
        for (place, group) in [("without", &groups.without), ("others", &groups.others)] {
            if let Some(group) = group {
                add(place, None, group);
            }
        }
    }
    told.to_string()
}

impl Summary {
    fn add_rows(&self, batch: &RecordBatch) -> Result<(), PyFailure> {
        let mut counted = self.locked();
        let infos: Vec<MetricInfo> = counted.metrics.iter().map(|metric| metric.info.clone()).collect();
        let metrics: Vec<MetricArrays> =
            columns(&infos).iter().map(|names| MetricArrays::new(batch, names)).collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            let results = metrics.iter().map(|cells| cells.result_at(row)).collect::<Result<_, _>>()?;
            counted.add(&CaseResult { results, ..CaseResult::default() });
        }
        Ok(())
    }
}

/// The columns of one metric.
struct MetricArrays {
    value: ArrayRef,
    status: ArrayRef,
    note: ArrayRef,
    label: ArrayRef,
    kind: ArrayRef,
    by: ArrayRef,
}

impl MetricArrays {
    fn new(batch: &RecordBatch, names: &MetricColumns) -> Result<Self, PyFailure> {
        let column = |name: &str, wanted: &DataType| {
            let found = batch.column_by_name(name).ok_or_else(|| {
                PyFailure::usage(format!("there is no column `{name}`"))
                    .hint("pass the frame that `score` returned, with all its columns")
            })?;
            cast(found, wanted).map_err(|error| PyFailure::usage(format!("column `{name}`: {error}")))
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

    fn decided_by(&self, row: usize) -> Option<Decider> {
        let by = self.by.as_string::<i32>();
        let by = by.is_valid(row).then(|| by.value(row));
        [Decider::Rule, Decider::Judge].into_iter().find(|known| Some(known.name()) == by)
    }

    /// What the metric said, as far as a summary counts it.
    fn result_at(&self, row: usize) -> Result<MetricResult, PyFailure> {
        let text = |array: &ArrayRef| array.is_valid(row).then(|| array.as_string::<i32>().value(row).to_owned());
        let status = text(&self.status).unwrap_or_default();
        if status == ResultStatus::Scored.name() && self.value.is_valid(row) {
            let value = self.value.as_primitive::<Float64Type>().value(row);
            let mut score = Score::from_number(value).map_err(|error| PyFailure::data(error.to_string()))?;
            score.by = self.decided_by(row);
            return Ok(Ok(match text(&self.label) {
                Some(label) => score.labelled(label).into(),
                None => score.into(),
            }));
        }
        if let Some(label) = text(&self.label).filter(|_| status == ResultStatus::Scored.name()) {
            let by = self.decided_by(row);
            return Ok(Ok(Outcome::Labelled(LabelOnly {
                label: label.into(),
                by,
                parts: ScoreParts::default(),
                evidence: Vec::new(),
            })));
        }
        let note = text(&self.note).unwrap_or_default();
        if status == ResultStatus::NotApplicable.name() {
            return Ok(Ok(Outcome::not_applicable(note)));
        }
        if status == ResultStatus::Failed.name() {
            let kind = text(&self.kind).unwrap_or_default();
            let kind = ErrorKind::ALL.into_iter().find(|known| known.name() == kind).unwrap_or(ErrorKind::Failed);
            return Ok(Err(ScoreError::other(kind, note)));
        }
        Err(PyFailure::data(format!("a row has the status `{status}`"))
            .hint("pass the frame that `score` returned, unchanged"))
    }
}
