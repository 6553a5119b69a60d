//! [`compare`]: files of results held against each other.
//!
//! The results are read from the files; the cases behind them, for their questions, tags and texts, from the inputs that the
//! manifests lead to, where those can still be found.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use probare_core::{
    Case, ErrorKind, Event, Job, Manifest, MetricInfo, Named, Outcome, ResultLine, Score, ScoreError, Sink, Value,
};
use probare_report::comparison::{Asked, Comparison, ComparisonError, Evidences, Identity, Seen, Side};
use probare_report::recorded::{Content, Recorded};
use probare_report::{By, Status, escape};

use crate::labels::answer_digest;
use crate::look;
use crate::verify::{VerifyError, reopened};

/// A comparison, and what the runs say of the cases that changed most.
#[derive(Debug)]
pub struct Compared {
    /// The numbers.
    pub comparison: Comparison,
    /// Results and texts of the cases that changed.
    pub evidences: Evidences,
}

/// One of the runs that are compared: a file of results, or the part of it that is of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// What the comparison calls it.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Only the outputs of this model, which then stand for the run.
    pub model: Option<String>,
}

impl Results {
    /// A whole file.
    pub fn whole(path: &Path) -> Self {
        Self { name: path.display().to_string(), path: path.to_owned(), model: None }
    }

    /// The row as it is compared: nothing where it is of another model. One model needs no name to be told apart by.
    fn part(&self, row: Row) -> Option<Row> {
        match &self.model {
            None => Some(row),
            Some(model) => (row.model.as_ref() == Some(model)).then_some(Row { model: None, ..row }),
        }
    }
}

/// Files cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A file cannot be read, or does not say how it was made.
    #[error(transparent)]
    Results(#[from] VerifyError),
    /// A row is no result.
    #[error("`{}`, row {number}: {reason}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Which row, counted from 1.
        number: u64,
        /// What is wrong.
        reason: String,
    },
    /// No row is of the model that was asked for.
    #[error("{name}: there are no results of the model `{model}`, but of {known}")]
    NoModel {
        /// What the results are called.
        name: String,
        /// The model.
        model: String,
        /// Those that it has.
        known: String,
    },
    /// It does not say which outputs belong to the same case.
    #[error("`{name}` cannot be aligned with another run: {why}")]
    Unaligned {
        /// What the results are called.
        name: String,
        /// What is missing.
        why: String,
    },
    /// One output of each case is wanted.
    #[error("{name}: the case `{id}` has several outputs, and one of each case is needed")]
    Several {
        /// What the results are called.
        name: String,
        /// The case.
        id: String,
    },
    /// What the files hold cannot be compared.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
}

/// Compares files of results with the first of them. At most `shown` changed cases of each metric are looked up.
pub fn compare(files: &[Results], asked: &Asked, shown: usize) -> Result<Compared, CompareError> {
    let mut sides = Vec::new();
    for file in files {
        let mut side = Side::new(file.name.clone(), Vec::new());
        let mut notes = Vec::new();
        let mut models = BTreeSet::new();
        let mut nameless = Nameless::default();
        read(file, &mut notes, |manifest, row, case| {
            models.extend(row.model.clone());
            nameless.see(manifest, &row);
            let Some(row) = file.part(row) else { return };
            if side.metrics.is_empty() {
                side.metrics.clone_from(&manifest.metrics);
            }
            side.add((&row.id, row.model.as_deref(), row.repeat), &row.named, case, asked);
        })?;
        if let Some(why) = nameless.why() {
            return Err(CompareError::Unaligned { name: file.name.clone(), why });
        }
        if let Some(model) = file.model.as_ref().filter(|model| !models.contains(*model)) {
            let known = models.into_iter().collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "no model that is named".to_owned() } else { known };
            return Err(CompareError::NoModel { name: file.name.clone(), model: model.clone(), known });
        }
        side.notes = notes;
        sides.push(side);
    }
    let by_texts = asked.by.as_ref().is_some_and(|by| *by != By::Model);
    if by_texts
        && sides.iter().all(|side| !side.notes.is_empty())
        && let Some(side) = sides.first_mut()
    {
        side.notes.push("slices need the cases of one of the runs, which are not at hand".to_owned());
    }
    let with_models = sides.iter().any(Side::has_several_models);
    let comparison = Comparison::of(&sides, asked)?;
    let wanted = comparison.changed(shown);
    let mut evidences = Evidences::new();
    for (at, file) in files.iter().enumerate() {
        let mut again = Side::new("", Vec::new());
        read(file, &mut Vec::new(), |manifest, row, case| {
            let Some(row) = file.part(row) else { return };
            let identity = again.add((&row.id, row.model.as_deref(), row.repeat), &[], None, &Asked::default());
            let identity = Identity { model: identity.model.filter(|_| with_models), ..identity };
            keep(&wanted, identity, &mut evidences, (at, files.len()), || Seen {
                case: case.cloned(),
                named: (manifest.metrics.iter().cloned().zip(row.named))
                    .filter_map(|(info, named)| Some((info, named?)))
                    .collect(),
            });
        })?;
    }
    Ok(Compared { comparison, evidences })
}

/// The values of a finished run, case by case.
#[derive(Debug, Default)]
pub struct Valued {
    /// The metrics.
    pub metrics: Vec<MetricInfo>,
    /// The cases.
    pub cases: Vec<ValuedCase>,
}

/// A case with what the metrics came to.
#[derive(Debug)]
pub struct ValuedCase {
    /// Its id.
    pub id: String,
    /// Whose output it is, where that is known.
    pub model: Option<String>,
    /// Which of several.
    pub repeat: u32,
    /// By what labels know the answer, where it is at hand.
    pub answer: Option<String>,
    /// A value for each metric that has one here.
    pub values: Vec<Option<f64>>,
}

/// Reads the values of a run that has one output of each case. Several outputs of a case are no cases of their own.
pub fn valued(file: &Results) -> Result<Valued, CompareError> {
    let (mut found, mut models, mut twice) = (Valued::default(), BTreeSet::new(), None);
    let mut seen = BTreeSet::new();
    read(file, &mut Vec::new(), |manifest, row, case| {
        models.extend(row.model.clone());
        let model = row.model.clone();
        let Some(row) = file.part(row) else { return };
        if found.metrics.is_empty() {
            found.metrics.clone_from(&manifest.metrics);
        }
        if !seen.insert(row.id.clone()) {
            twice.get_or_insert_with(|| row.id.clone());
        }
        let value = |named: &Option<Named>| match named {
            Some(Ok(Outcome::Scored(score))) => Some(score.value.get()),
            _ => None,
        };
        let said = case.and_then(|case| case.response.as_ref()).filter(|said| said.model == model);
        found.cases.push(ValuedCase {
            answer: said.map(|said| answer_digest(&said.text)),
            values: row.named.iter().map(value).collect(),
            id: row.id,
            model,
            repeat: row.repeat,
        });
    })?;
    match (twice, &file.model) {
        (_, Some(model)) if found.cases.is_empty() => {
            let known = models.into_iter().collect::<Vec<_>>().join(", ");
            Err(CompareError::NoModel { name: file.name.clone(), model: model.clone(), known })
        }
        (Some(id), _) => Err(CompareError::Several { name: file.name.clone(), id }),
        (None, _) => Ok(found),
    }
}

/// Rows that do not say whose output they are: nothing can be said about them where a case has several.
#[derive(Default)]
struct Nameless {
    has_several: bool,
    /// How often an id came.
    ids: BTreeMap<String, u32>,
    twice: Option<String>,
}

impl Nameless {
    fn see(&mut self, manifest: &Manifest, row: &Row) {
        if row.is_named {
            return;
        }
        let generation = manifest.generation.as_ref();
        self.has_several |= generation.is_some_and(|made| made.repeats > 1 || made.models.len() > 1);
        let count = self.ids.entry(row.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            self.twice.get_or_insert_with(|| row.id.clone());
        }
    }

    /// Why the rows cannot be told apart, where they cannot.
    fn why(&self) -> Option<String> {
        let words = "a .csv of release 0.2 does not say which row is of which model and repeat";
        if self.has_several {
            return Some(format!("the run has several outputs of a case, and {words}"));
        }
        self.twice.as_ref().map(|id| format!("the id `{id}` stands there several times, and {words}"))
    }
}

/// Keeps what a run says of a case that is wanted; of several outputs the first.
fn keep(
    wanted: &BTreeSet<Identity>,
    identity: Identity,
    evidences: &mut Evidences,
    (at, runs): (usize, usize),
    seen: impl FnOnce() -> Seen,
) {
    if !wanted.contains(&identity) {
        return;
    }
    let places = evidences.entry(identity).or_insert_with(|| vec![None; runs]);
    if let Some(place) = places.get_mut(at).filter(|place| place.is_none()) {
        *place = Some(seen());
    }
}

/// A row of a file.
pub(crate) struct Row {
    pub id: String,
    pub model: Option<String>,
    pub repeat: u32,
    /// Whether the file says whose output it is, and which of several.
    pub is_named: bool,
    /// In the order of the manifest's metrics.
    pub named: Vec<Option<Named>>,
}

/// The models that the rows of a file name, in the order in which they come.
pub(crate) fn models(file: &Results) -> Result<Vec<String>, CompareError> {
    let (recorded, manifest, _) = reopened(&file.path, &[])?;
    let (mut rows, mut number) = (Rows::new(&recorded)?, 0);
    let mut models: Vec<String> = Vec::new();
    while let Some(row) = rows.next(&manifest) {
        number += 1;
        let row = row.map_err(|reason| CompareError::Row { path: file.path.clone(), number, reason })?;
        models.extend(row.model.filter(|model| !models.contains(model)));
    }
    Ok(models)
}

/// Reads the rows of a file one after the other, each with its case where that is at hand.
pub(crate) fn read(
    file: &Results,
    notes: &mut Vec<String>,
    visit: impl FnMut(&Manifest, Row, Option<&Case>) + Send,
) -> Result<(), CompareError> {
    let Results { name, path, .. } = file;
    let (recorded, manifest, job) = reopened(path, &[])?;
    let rows = Rows::new(&recorded)?;
    let mut joined = Joined { rows, manifest: &manifest, visit, number: 0, failed: None, apart: false };
    match job {
        Ok(job) => joined.with_cases(job)?,
        Err(error) => {
            notes.push(format!("the cases of `{name}` are not at hand, so its content was not compared: {error}"));
        }
    }
    joined.rest();
    if joined.apart {
        notes.push(format!("the inputs of `{name}` are not those that it was made from; their texts are left out"));
    }
    match joined.failed {
        Some(reason) => Err(CompareError::Row { path: path.to_owned(), number: joined.number, reason }),
        None => Ok(()),
    }
}

/// Rows beside their cases. Both come in input order.
struct Joined<'a, V> {
    rows: Rows,
    manifest: &'a Manifest,
    visit: V,
    number: u64,
    failed: Option<String>,
    /// Whether rows and cases are not of the same run.
    apart: bool,
}

impl<V: FnMut(&Manifest, Row, Option<&Case>) + Send> Joined<'_, V> {
    fn with_cases(&mut self, job: Job) -> Result<(), CompareError> {
        Ok(look(job, self.manifest.reading.limit, self).map_err(VerifyError::from)?)
    }

    fn next(&mut self) -> Option<Row> {
        if self.failed.is_some() {
            return None;
        }
        self.number += 1;
        match self.rows.next(self.manifest)? {
            Ok(row) => Some(row),
            Err(reason) => {
                self.failed = Some(reason);
                None
            }
        }
    }

    fn rest(&mut self) {
        while let Some(row) = self.next() {
            (self.visit)(self.manifest, row, None);
        }
    }
}

impl<V: FnMut(&Manifest, Row, Option<&Case>) + Send> Sink for Joined<'_, V> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Scored(result) = event
            && let Some(row) = self.next()
        {
            self.apart |= row.id != result.case.id;
            let case = Some(&result.case).filter(|_| !self.apart);
            (self.visit)(self.manifest, row, case);
        }
        Ok(())
    }
}

/// The rows of a file in whatever format.
struct Rows {
    inner: probare_report::recorded::Rows,
    columns: Option<Vec<String>>,
}

impl Rows {
    fn new(recorded: &Recorded) -> Result<Self, VerifyError> {
        let inner = recorded.results()?;
        let columns = inner.columns().map(<[String]>::to_vec);
        Ok(Self { inner, columns })
    }

    fn next(&mut self, manifest: &Manifest) -> Option<Result<Row, String>> {
        let content = match self.inner.next()? {
            Ok(content) => content,
            Err(reason) => return Some(Err(reason)),
        };
        Some(match (&self.columns, content) {
            (None, Content::Text(text)) => line(&text, manifest),
            (Some(columns), content) => cells(columns, &content, manifest),
            (None, Content::Cells(_)) => Err("it is no result line".to_owned()),
        })
    }
}

/// A result line.
fn line(text: &str, manifest: &Manifest) -> Result<Row, String> {
    let ResultLine { id, model, repeat, mut scores } = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let named = (manifest.metrics.iter())
        .map(|metric| {
            let at = scores.iter().position(|(name, _)| *name == metric.name)?;
            Some(scores.swap_remove(at).1.0)
        })
        .collect();
    Ok(Row { id, model, repeat, is_named: true, named })
}

/// A row of a table: what its columns hold of each metric.
fn cells(columns: &[String], content: &Content, manifest: &Manifest) -> Result<Row, String> {
    let cells: Vec<Option<String>> = match content {
        Content::Cells(cells) => cells.clone(),
        // A cell is written so that no spreadsheet runs it.
        Content::Text(text) => {
            let cells = probare_report::recorded::cells(text)?;
            cells.iter().map(|cell| Some(escape::from_csv(cell).to_owned())).collect()
        }
    };
    if cells.len() != columns.len() {
        return Err(format!("it has {} cells, but there are {} columns", cells.len(), columns.len()));
    }
    let cell = |name: &str| {
        let at = columns.iter().position(|column| column == name)?;
        cells.get(at).cloned().flatten().filter(|text| !text.is_empty())
    };
    let of = |metric: &str| -> Result<Option<Named>, String> {
        let note = || cell(&format!("{metric}.note")).unwrap_or_default();
        Ok(match cell(&format!("{metric}.status")).as_deref() {
            Some(status) if status == Status::Scored.name() => {
                let text = cell(metric).ok_or_else(|| format!("`{metric}` is scored but has no value"))?;
                let number = text.parse::<f64>().ok().and_then(|number| Value::new(number).ok());
                let value = number.ok_or_else(|| format!("`{text}` is no value of `{metric}`"))?;
                let evidence = cell(&format!("{metric}.evidence")).and_then(|json| serde_json::from_str(&json).ok());
                let score = Score { evidence: evidence.unwrap_or_default(), ..Score::new(value) };
                Some(Ok(Outcome::Scored(score)))
            }
            Some(status) if status == Status::NotApplicable.name() => Some(Ok(Outcome::not_applicable(note()))),
            Some(_) => {
                let named = cell(&format!("{metric}.kind"));
                let kind = ErrorKind::ALL.into_iter().find(|kind| Some(kind.name()) == named.as_deref());
                Some(Err(ScoreError::other(kind.unwrap_or(ErrorKind::Failed), note())))
            }
            None => None,
        })
    };
    // Tables of format 2 in text have no such columns; one of that name is then of a metric.
    if columns.iter().all(|column| column != "id") {
        return Err("it has no `id`".to_owned());
    }
    let is_named = columns.get(1).map(String::as_str) == Some("model");
    let own = |name: &str| if is_named { cell(name) } else { None };
    Ok(Row {
        id: cell("id").unwrap_or_default(),
        model: own("model"),
        repeat: own("repeat").and_then(|text| text.parse().ok()).unwrap_or(0),
        is_named,
        named: manifest.metrics.iter().map(|metric| of(&metric.name)).collect::<Result<_, _>>()?,
    })
}
