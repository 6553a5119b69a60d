//! [`compare`]: files of results held against each other.
//!
//! The results are read from the files; the cases behind them, for their questions, tags and texts, from the inputs that the
//! manifests lead to, where those can still be found. A run of a store is read from there, with its cases.

mod early_stop;
mod stored;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use probare_cancellation::on_other_thread;
use probare_core::{
    Case, ErrorKind, Event, InputFile, Job, Manifest, MetricInfo, MetricResult, Outcome, ResultLine, Score, ScoreError,
    Sink, Value, output_source_name,
};
use probare_engine::{Registries, scan_cases};
use probare_formats::results::{ResultsFile, RowContent};
use probare_report::comparison::{
    CaseEvidence, CaseIdentity, ComparedOutput, ComparisonError, ComparisonRequest, EvidenceByCase, RunComparison,
    RunScores,
};
use probare_report::{DatasetVersion, GroupBy, ResultStatus, escape};
use probare_store::{CaseReading, Store, StoreError};

pub use self::early_stop::{EarlyStop, compare_prefixes, read_baseline, read_case_means};
use crate::labels::answer_digest;
use crate::verify::{CaseScan, VerifyError, has_a_case_a_row, reopen_results};

/// A comparison, and what the runs say of the cases that changed most.
#[derive(Debug)]
pub struct ComparisonReport {
    /// The numbers.
    pub comparison: RunComparison,
    /// Results and texts of the cases that changed.
    pub evidences: EvidenceByCase,
}

/// One of the runs that are compared: a file of results or a run of a store, or the part of it that is of one model.
#[derive(Debug, Clone)]
pub struct ResultsSource {
    /// What the comparison calls it.
    pub name: String,
    /// The file, or the store.
    pub path: PathBuf,
    /// The number of the run, where `path` is a store.
    pub run: Option<i64>,
    /// Only the outputs of this model, which then stand for the run.
    pub model: Option<String>,
    /// Only the outputs to this prompt.
    pub prompt: Option<String>,
    /// What its run may have been computed with.
    pub registries: Registries,
}

/// Before the name of a prompt where a part of a run is named: `3@prompt:short`.
const PROMPT: &str = "prompt:";

impl ResultsSource {
    /// A whole file.
    pub fn from_file(path: &Path, registries: Registries) -> Self {
        Self {
            name: path.display().to_string(),
            path: path.to_owned(),
            run: None,
            model: None,
            prompt: None,
            registries,
        }
    }

    /// A file as it is named; with @MODEL, @prompt:NAME or both behind it a part of its outputs.
    pub fn from_name(name: &str, registries: Registries) -> Self {
        let (place, part) = if Path::new(name).exists() { (name, None) } else { Self::split_part(name) };
        let whole = Self { name: name.to_owned(), ..Self::from_file(Path::new(place), registries) };
        match part {
            Some(part) => whole.with_part(part),
            None => whole,
        }
    }

    /// A whole run of a store.
    pub fn from_store(store: &Path, run: i64, registries: Registries) -> Self {
        Self {
            name: format!("run {run}"),
            path: store.to_owned(),
            run: Some(run),
            model: None,
            prompt: None,
            registries,
        }
    }

    /// Only a part of the run: of a model, of a prompt (`prompt:NAME`), or of both (`MODEL@prompt:NAME`).
    #[must_use]
    pub fn with_part(self, part: &str) -> Self {
        let (model, prompt) = match part.strip_prefix(PROMPT) {
            Some(prompt) => (None, Some(prompt)),
            None => match part.split_once(&format!("@{PROMPT}")) {
                Some((model, prompt)) => (Some(model), Some(prompt)),
                None => (Some(part), None),
            },
        };
        Self { model: model.map(str::to_owned), prompt: prompt.map(str::to_owned), ..self }
    }

    /// Cuts `RUN@PART` into both.
    fn split_part(name: &str) -> (&str, Option<&str>) {
        let last = name.rfind(&format!("@{PROMPT}"));
        // A model may stand before the prompt.
        let whole = &name[..last.unwrap_or(name.len())];
        match (whole.rsplit_once('@'), last) {
            (Some((place, _)), _) => (place, Some(&name[place.len() + 1..])),
            (None, Some(at)) => (whole, Some(&name[at + 1..])),
            (None, None) => (name, None),
        }
    }

    /// The part of the run, in words; nothing where it is the whole.
    pub fn part_name(&self) -> Option<Cow<'_, str>> {
        output_source_name(self.model.as_deref(), self.prompt.as_deref())
    }

    /// What of its model and prompt tells an output apart here; nothing where it is of another part of the run. One model
    /// needs no name to be told apart by.
    fn select<'a>(
        &self,
        model: Option<&'a str>,
        prompt: Option<&'a str>,
    ) -> Option<(Option<&'a str>, Option<&'a str>)> {
        let is_other = |wanted: &Option<String>, found| wanted.is_some() && wanted.as_deref() != found;
        if is_other(&self.model, model) || is_other(&self.prompt, prompt) {
            return None;
        }
        Some((model.filter(|_| self.model.is_none()), prompt.filter(|_| self.prompt.is_none())))
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
        path: PathBuf,
        /// Which row, counted from 1.
        number: u64,
        reason: String,
    },
    /// No row is of the model that was asked for.
    #[error("{name}: there are no results of the model `{model}`, but of {known}")]
    NoModel { name: String, model: String, known: String },
    /// No row was asked for with the prompt.
    #[error("{name}: there are no results of the prompt `{prompt}`, but of {known}")]
    NoPrompt { name: String, prompt: String, known: String },
    /// It does not say which outputs belong to the same case.
    #[error("`{name}` cannot be aligned with another run: {why}")]
    Unaligned { name: String, why: String },
    /// One output of each case is wanted.
    #[error("{name}: the case `{id}` has several outputs, and one of each case is needed")]
    Several { name: String, id: String },
    /// Tests for a fixed number of cases do not hold for a run that may have stopped before.
    #[error("`{name}` stopped early, so tests for a fixed number of cases do not hold for it")]
    Stopped { name: String },
    /// Two runs took their cases in different orders, and one of them stopped.
    #[error(
        "`{stopped}` stopped early in the order of seed {seed} of {cases} cases, and `{other}` was made {}; the beginning that both \
         have is compared only where the seed was settled for both",
        other_seed.map_or_else(|| "without a seed that is known".to_owned(), |seed| format!("with seed {seed}"))
    )]
    OtherOrder {
        stopped: String,
        seed: u64,
        /// Cases of the complete run.
        cases: usize,
        other: String,
        /// Its seed, where it is known.
        other_seed: Option<u64>,
    },
    /// A metric says nothing about runs that stopped early.
    #[error("nothing can be said about `{metric}`: the runs do not both have it, or it has no fixed range")]
    NotInBoth { metric: String },
    /// One model is wanted.
    #[error("`{name}` has outputs of several models or prompts, and those of one are needed")]
    SeveralModels { name: String },
    /// A store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the files hold cannot be compared.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
}

/// Compares runs with the first of them. At most `shown` changed cases of each metric are looked up.
pub fn compare(
    files: &[ResultsSource],
    asked: &ComparisonRequest,
    shown: usize,
) -> Result<ComparisonReport, CompareError> {
    let ends = files.iter().map(ResultsSource::early_stop).collect::<Result<Vec<_>, _>>()?;
    if let Some((stopped, _)) = early_stop::find_stopped(files, &ends) {
        return Err(CompareError::Stopped { name: stopped.name.clone() });
    }
    let found = for_each_file(files, |_, file| side(file, asked))?;
    let (mut sides, lines): (Vec<RunScores>, Vec<OutputRows>) = found.into_iter().unzip();
    let by_texts = asked.by.as_ref().is_some_and(|by| !by.is_by_source());
    if by_texts
        && sides.iter().all(|side| !side.notes.is_empty())
        && let Some(side) = sides.first_mut()
    {
        side.notes.push("slices need the cases of one of the runs, which are not at hand".to_owned());
    }
    note_versions(&mut sides, &lines);
    let with_models = sides.iter().any(RunScores::has_several_models);
    let comparison = RunComparison::compare(&sides, asked)?;
    let wanted = comparison.changed_cases(shown);
    let found = for_each_file(files, |at, file| {
        let (place, mut evidences) = ((at, files.len()), EvidenceByCase::new());
        let (side, lines) = (&sides[at], &lines[at]);
        if let Some(run) = file.run {
            stored::evidence(file, run, &wanted, with_models, &mut evidences, place)?;
            return Ok(evidences);
        }
        let found = side.rows_of(&wanted, with_models).into_iter();
        let rows: BTreeMap<u64, CaseIdentity> =
            found.filter_map(|(row, identity)| Some((*lines.numbers.get(row)?, identity))).collect();
        if rows.is_empty() {
            return Ok(evidences);
        }
        read_rows(file, RowSelection::Rows(&rows), &mut Vec::new(), |manifest, row, case| {
            let Some(identity) = rows.get(&row.number) else { return };
            keep(&wanted, identity.clone(), &mut evidences, place, || CaseEvidence {
                case: case.filter(|_| !lines.are_apart).cloned(),
                named: (manifest.metrics.iter().cloned().zip(row.named))
                    .filter_map(|(info, named)| Some((info, named?)))
                    .collect(),
            });
        })?;
        Ok(evidences)
    })?;
    let mut evidences = EvidenceByCase::new();
    for (identity, places) in found.into_iter().flatten() {
        let known = evidences.entry(identity).or_insert_with(|| vec![None; files.len()]);
        known.iter_mut().zip(places).for_each(|(known, place)| *known = known.take().or(place));
    }
    Ok(ComparisonReport { comparison, evidences })
}

/// Does the same with every file, all of them at once; what was made comes in their order.
fn for_each_file<T: Send>(
    files: &[ResultsSource],
    work: impl Fn(usize, &ResultsSource) -> Result<T, CompareError> + Sync,
) -> Result<Vec<T>, CompareError> {
    let work = &work;
    std::thread::scope(|scope| {
        let start = |(at, file)| scope.spawn(on_other_thread(move || work(at, file)));
        let started: Vec<_> = files.iter().enumerate().map(start).collect();
        let made = started.into_iter().map(|thread| match thread.join() {
            Ok(made) => made.join(),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        made.collect()
    })
}

/// Says where a run is over another version of a data set than the baseline.
fn note_versions(sides: &mut [RunScores], lines: &[OutputRows]) {
    let Some((baseline, others)) = lines.split_first() else { return };
    for (side, other) in sides.iter_mut().skip(1).zip(others) {
        for set in &other.datasets {
            let Some(same) = set.counterpart(&baseline.datasets, other.datasets.len() == 1) else { continue };
            if set.differs(same) {
                let (name, now, then) = (&set.name, set.describe(), same.describe());
                side.notes.push(format!(
                    "`{}` is over another version of the data set `{name}` than the baseline: {now} instead of {then}; \
                     as far as the cases are at hand, only those with the same question and reference are paired",
                    side.name
                ));
            }
        }
    }
}

/// The data sets of a file of results with their versions. A file whose responses were scored is another one in every run.
fn file_datasets(manifest: &Manifest) -> Vec<DatasetVersion> {
    let is_asked = manifest.generation.as_ref().is_some_and(|generation| !generation.models.is_empty());
    let names = manifest.generation.as_ref().map(|generation| generation.datasets.as_slice()).unwrap_or_default();
    let stem = |path: &str| Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let read = manifest.inputs.iter().filter(|input| input.rows.is_some() && input.option.is_none()).enumerate();
    let version = |(at, input): (usize, &InputFile)| DatasetVersion {
        name: names.get(at).cloned().or_else(|| stem(&input.path)).unwrap_or_default(),
        version: input.version.clone(),
        sha256: Some(input.sha256.clone()).filter(|sha256| is_asked && !sha256.is_empty()),
    };
    read.map(version).collect()
}

/// Where the outputs of a side come from.
#[derive(Default)]
struct OutputRows {
    /// The data sets of the run.
    datasets: Vec<DatasetVersion>,
    /// For each output the number of its row in the file.
    numbers: Vec<u64>,
    /// Whether the inputs at hand are not those that the file was made from.
    are_apart: bool,
}

/// What a comparison needs of one run.
fn side(file: &ResultsSource, asked: &ComparisonRequest) -> Result<(RunScores, OutputRows), CompareError> {
    let mut lines = OutputRows::default();
    let (side, sources) = match file.run {
        Some(run) => stored::read_stored_side(file, run, asked, &mut lines)?,
        None => read_results_file(file, asked, &mut lines)?,
    };
    sources.check(file)?;
    Ok((side, lines))
}

/// Whose outputs a run has: names of models and of prompts.
#[derive(Debug, Default)]
struct OutputSources {
    models: BTreeSet<String>,
    prompts: BTreeSet<String>,
}

impl OutputSources {
    fn add(&mut self, model: Option<&str>, prompt: Option<&str>) {
        for (known, name) in [(&mut self.models, model), (&mut self.prompts, prompt)] {
            if let Some(name) = name.filter(|name| !known.contains(*name)) {
                known.insert(name.to_owned());
            }
        }
    }

    /// Fails where the part of the run that is wanted is not there.
    fn check(&self, file: &ResultsSource) -> Result<(), CompareError> {
        let names = |known: &BTreeSet<String>| known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        if let Some(model) = file.model.clone().filter(|model| !self.models.contains(model)) {
            let none = "no model that is named".to_owned();
            let known = if self.models.is_empty() { none } else { names(&self.models) };
            return Err(CompareError::NoModel { name: file.name.clone(), model, known });
        }
        if let Some(prompt) = file.prompt.clone().filter(|prompt| !self.prompts.contains(prompt)) {
            let none = "one prompt alone".to_owned();
            let known = if self.prompts.is_empty() { none } else { names(&self.prompts) };
            return Err(CompareError::NoPrompt { name: file.name.clone(), prompt, known });
        }
        Ok(())
    }
}

/// The same of a file, and whose outputs it has.
fn read_results_file(
    file: &ResultsSource,
    asked: &ComparisonRequest,
    lines: &mut OutputRows,
) -> Result<(RunScores, OutputSources), CompareError> {
    let mut side = RunScores::new(file.name.clone(), Vec::new());
    let mut notes = Vec::new();
    let mut sources = OutputSources::default();
    let mut nameless = UnnamedRows::default();
    lines.are_apart = read_rows(file, RowSelection::Values, &mut notes, |manifest, row, case| {
        sources.add(row.model.as_deref(), row.prompt.as_deref());
        nameless.add_row(manifest, &row);
        let Some((model, prompt)) = file.select(row.model.as_deref(), row.prompt.as_deref()) else { return };
        lines.numbers.push(row.number);
        if side.metrics.is_empty() {
            side.metrics.clone_from(&manifest.metrics);
            lines.datasets = file_datasets(manifest);
        }
        let output = ComparedOutput { id: &row.id, model, prompt, repeat: row.repeat, case, content: None };
        side.add_output(output, &row.named, asked);
    })?;
    if let Some(why) = nameless.ambiguity() {
        return Err(CompareError::Unaligned { name: file.name.clone(), why });
    }
    side.notes = notes;
    Ok((side, sources))
}

/// The values of a finished run, case by case.
#[derive(Debug, Default)]
pub struct RunValues {
    pub metrics: Vec<MetricInfo>,
    pub cases: Vec<CaseValues>,
}

/// A case with what the metrics came to.
#[derive(Debug)]
pub struct CaseValues {
    pub id: String,
    /// Whose output it is, where that is known: the model, and the prompt where the run has several.
    pub source: Option<String>,
    /// Which of several.
    pub repeat: u32,
    /// By what labels know the answer, where it is at hand.
    pub answer: Option<String>,
    /// A value for each metric that has one here.
    pub values: Vec<Option<f64>>,
    /// The groups that it belongs to, where that was asked for and the case is at hand.
    pub groups: Vec<String>,
}

/// Reads the values of a run that has one output of each case. Several outputs of a case are no cases of their own.
pub fn read_values(file: &ResultsSource, by: Option<&GroupBy>) -> Result<RunValues, CompareError> {
    let (mut found, mut sources, mut twice) = (RunValues::default(), OutputSources::default(), None);
    let mut seen = BTreeSet::new();
    let mut add = |valued: CaseValues, model: Option<&str>, prompt: Option<&str>| {
        sources.add(model, prompt);
        if file.select(model, prompt).is_none() {
            return;
        }
        if !seen.insert(valued.id.clone()) {
            twice.get_or_insert_with(|| valued.id.clone());
        }
        found.cases.push(valued);
    };
    let answer = |case: Option<&Case>, model: Option<&str>| {
        let said = case.and_then(|case| case.response.as_ref()).filter(|said| said.model.as_deref() == model);
        said.map(|said| answer_digest(&said.text))
    };
    let groups = |case: Option<&Case>, model: Option<&str>, prompt: Option<&str>| -> Vec<String> {
        let names = by.zip(case).map(|(by, case)| by.groups(case, model, prompt)).unwrap_or_default();
        names.into_iter().map(Cow::into_owned).collect()
    };
    let mut metrics = Vec::new();
    if let Some(run) = file.run {
        let store = Store::open_existing(&file.path)?;
        metrics = store.run(run)?.plan.metrics;
        store.for_each_compared_sample(run, &metrics, CaseReading::Text, |sample| {
            let case: Option<Case> = sample.text.map(serde_json::from_str).transpose()?;
            let source = output_source_name(sample.model, sample.prompt);
            let valued = CaseValues {
                answer: answer(case.as_ref(), sample.model),
                groups: groups(case.as_ref(), sample.model, sample.prompt),
                values: sample.values.to_vec(),
                id: sample.id.to_owned(),
                source: source.map(Cow::into_owned),
                repeat: sample.repeat,
            };
            add(valued, sample.model, sample.prompt);
            Ok(())
        })?;
    } else {
        read_rows(file, RowSelection::Values, &mut Vec::new(), |manifest, row, case| {
            if metrics.is_empty() {
                metrics.clone_from(&manifest.metrics);
            }
            let value = |named: &Option<MetricResult>| match named {
                Some(Ok(Outcome::Scored(score))) => Some(score.value.get()),
                _ => None,
            };
            let source = output_source_name(row.model.as_deref(), row.prompt.as_deref());
            let valued = CaseValues {
                answer: answer(case, row.model.as_deref()),
                groups: groups(case, row.model.as_deref(), row.prompt.as_deref()),
                values: row.named.iter().map(value).collect(),
                id: row.id,
                source: source.map(Cow::into_owned),
                repeat: row.repeat,
            };
            add(valued, row.model.as_deref(), row.prompt.as_deref());
        })?;
    }
    found.metrics = metrics;
    sources.check(file)?;
    match twice {
        Some(id) => Err(CompareError::Several { name: file.name.clone(), id }),
        None => Ok(found),
    }
}

/// Rows that do not say whose output they are: nothing can be said about them where a case has several.
#[derive(Default)]
struct UnnamedRows {
    has_several: bool,
    /// How often an id came.
    ids: BTreeMap<String, u32>,
    twice: Option<String>,
}

impl UnnamedRows {
    fn add_row(&mut self, manifest: &Manifest, row: &ResultRow) {
        if row.is_named {
            return;
        }
        let generation = manifest.generation.as_ref();
        self.has_several |=
            generation.is_some_and(|made| made.repeats > 1 || made.models.len() > 1 || made.names_prompts());
        let count = self.ids.entry(row.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            self.twice.get_or_insert_with(|| row.id.clone());
        }
    }

    /// Why the rows cannot be told apart, where they cannot.
    fn ambiguity(&self) -> Option<String> {
        let words = "a .csv of release 0.2 does not say which row is of which model and repeat";
        if self.has_several {
            return Some(format!("the run has several outputs of a case, and {words}"));
        }
        self.twice.as_ref().map(|id| format!("the id `{id}` occurs several times, and {words}"))
    }
}

/// Keeps what a run says of a case that is wanted; of several outputs the first.
fn keep(
    wanted: &BTreeSet<CaseIdentity>,
    identity: CaseIdentity,
    evidences: &mut EvidenceByCase,
    (at, runs): (usize, usize),
    seen: impl FnOnce() -> CaseEvidence,
) {
    if !wanted.contains(&identity) {
        return;
    }
    let places = evidences.entry(identity).or_insert_with(|| vec![None; runs]);
    if let Some(place) = places.get_mut(at).filter(|place| place.is_none()) {
        *place = Some(seen());
    }
}

/// How much of a file is read.
#[derive(Clone, Copy)]
pub(crate) enum RowSelection<'a> {
    /// Everything.
    Whole,
    /// Values and labels; parts and evidence, which are most of a file, are passed over.
    Values,
    /// Everything of these rows, by their numbers; the others are passed over.
    Rows(&'a BTreeMap<u64, CaseIdentity>),
}

/// A row of a file.
pub(crate) struct ResultRow {
    /// Its place in the file, counted from 0.
    pub number: u64,
    pub id: String,
    pub model: Option<String>,
    pub prompt: Option<String>,
    pub repeat: u32,
    /// Whether the file says whose output it is, and which of several.
    pub is_named: bool,
    /// In the order of the manifest's metrics.
    pub named: Vec<Option<MetricResult>>,
}

/// The models and prompts that the rows of a file name, in the order in which they come.
pub(crate) fn models_and_prompts(file: &ResultsSource) -> Result<(Vec<String>, Vec<String>), CompareError> {
    let (recorded, manifest, _) = reopen_results(&file.path, &[], file.registries, CaseScan::Cases)?;
    let mut rows = ResultRows::new(&recorded, RowSelection::Values)?;
    let (mut models, mut prompts): (Vec<String>, Vec<String>) = Default::default();
    while let Some(row) = rows.next(&manifest) {
        let number = rows.number;
        let row = row.map_err(|reason| CompareError::Row { path: file.path.clone(), number, reason })?;
        let Some(row) = row else { continue };
        models.extend(row.model.filter(|model| !models.contains(model)));
        prompts.extend(row.prompt.filter(|prompt| !prompts.contains(prompt)));
    }
    Ok((models, prompts))
}

/// Reads the rows of a file that are wanted one after the other, each with its case where that is at hand. Says whether the inputs
/// at hand are not those that the file was made from; of rows that are passed over that is not seen.
pub(crate) fn read_rows(
    file: &ResultsSource,
    wanted: RowSelection<'_>,
    notes: &mut Vec<String>,
    visit: impl FnMut(&Manifest, ResultRow, Option<&Case>) + Send,
) -> Result<bool, CompareError> {
    let ResultsSource { name, path, registries, .. } = file;
    let numbers: Option<BTreeSet<u64>> = match wanted {
        RowSelection::Rows(rows) => Some(rows.keys().copied().collect()),
        RowSelection::Whole | RowSelection::Values => None,
    };
    let scan = numbers.as_ref().map_or(CaseScan::Cases, CaseScan::Rows);
    let (recorded, manifest, job) = reopen_results(path, &[], *registries, scan)?;
    let rows = ResultRows::new(&recorded, wanted)?;
    let are_selected = numbers.is_some() && has_a_case_a_row(&manifest);
    let mut joined = RowsWithCases { rows, manifest: &manifest, visit, are_selected, failed: None, apart: false };
    match job {
        Ok(job) => joined.with_cases(job)?,
        Err(error) => {
            notes.push(format!("the cases of `{name}` are not at hand, so its content was not compared: {error}"));
        }
    }
    joined.drain();
    if joined.apart {
        notes.push(format!("the inputs of `{name}` are not those that it was made from; their texts are not shown"));
    }
    match joined.failed {
        Some(reason) => Err(CompareError::Row { path: path.to_owned(), number: joined.rows.number, reason }),
        None => Ok(joined.apart),
    }
}

/// What comes next of a file.
enum NextRow {
    Row(ResultRow),
    /// A row that is not wanted.
    Skipped,
    End,
}

/// Rows beside their cases. Both come in input order.
struct RowsWithCases<'a, V> {
    rows: ResultRows<'a>,
    manifest: &'a Manifest,
    visit: V,
    /// Whether the cases are those of the rows that are wanted alone.
    are_selected: bool,
    failed: Option<String>,
    /// Whether rows and cases are not of the same run.
    apart: bool,
}

impl<V: FnMut(&Manifest, ResultRow, Option<&Case>) + Send> RowsWithCases<'_, V> {
    fn with_cases(&mut self, job: Job) -> Result<(), CompareError> {
        Ok(scan_cases(job, self.manifest.reading.limit, self).map_err(VerifyError::from)?)
    }

    fn next(&mut self) -> NextRow {
        if self.failed.is_some() {
            return NextRow::End;
        }
        match self.rows.next(self.manifest) {
            Some(Ok(Some(row))) => NextRow::Row(row),
            Some(Ok(None)) => NextRow::Skipped,
            Some(Err(reason)) => {
                self.failed = Some(reason);
                NextRow::End
            }
            None => NextRow::End,
        }
    }

    fn drain(&mut self) {
        loop {
            match self.next() {
                NextRow::Row(row) => (self.visit)(self.manifest, row, None),
                NextRow::Skipped => {}
                NextRow::End => return,
            }
        }
    }
}

impl<V: FnMut(&Manifest, ResultRow, Option<&Case>) + Send> Sink for RowsWithCases<'_, V> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        let mut next = self.next();
        while self.are_selected && matches!(next, NextRow::Skipped) {
            next = self.next();
        }
        if let NextRow::Row(row) = next {
            self.apart |= row.id != result.case.id;
            let case = Some(&result.case).filter(|_| !self.apart);
            (self.visit)(self.manifest, row, case);
        }
        Ok(())
    }
}

/// The rows of a file in whatever format.
struct ResultRows<'a> {
    inner: probare_formats::results::FileRows,
    columns: Option<Vec<String>>,
    wanted: RowSelection<'a>,
    /// Rows that were read or passed over.
    number: u64,
}

impl<'a> ResultRows<'a> {
    fn new(recorded: &ResultsFile, wanted: RowSelection<'a>) -> Result<Self, VerifyError> {
        let inner = recorded.results()?;
        let columns = inner.columns().map(<[String]>::to_vec);
        Ok(Self { inner, columns, wanted, number: 0 })
    }

    /// The next row, or that it is passed over; nothing at the end.
    fn next(&mut self, manifest: &Manifest) -> Option<Result<Option<ResultRow>, String>> {
        let number = self.number;
        if let RowSelection::Rows(rows) = self.wanted
            && rows.last_key_value().is_none_or(|(last, _)| *last < number)
        {
            return None;
        }
        let content = self.inner.next()?;
        self.number += 1;
        if let RowSelection::Rows(rows) = self.wanted
            && !rows.contains_key(&number)
        {
            return Some(content.map(|_| None));
        }
        let row = content.and_then(|content| match (&self.columns, content) {
            (None, RowContent::Text(text)) => match self.wanted {
                RowSelection::Values => line(ResultLine::without_evidence(&text), manifest, |found| found.0),
                RowSelection::Whole | RowSelection::Rows(_) => {
                    line(ResultLine::from_json(&text), manifest, |found| found.0)
                }
            },
            (Some(columns), content) => cells(columns, &content, manifest),
            (None, RowContent::Cells(_)) => Err("it is no result line".to_owned()),
        });
        Some(row.map(|row| Some(ResultRow { number, ..row })))
    }
}

/// A result line as a row.
fn line<T>(
    read: serde_json::Result<ResultLine<T>>,
    manifest: &Manifest,
    result: fn(T) -> MetricResult,
) -> Result<ResultRow, String> {
    let ResultLine { id, model, prompt, repeat, mut scores, answered_by: _ } =
        read.map_err(|error| error.to_string())?;
    let named = (manifest.metrics.iter())
        .map(|metric| {
            let at = scores.iter().position(|(name, _)| *name == metric.name)?;
            Some(result(scores.swap_remove(at).1))
        })
        .collect();
    Ok(ResultRow { number: 0, id, model, prompt, repeat, is_named: true, named })
}

/// A row of a table: what its columns hold of each metric.
fn cells(columns: &[String], content: &RowContent, manifest: &Manifest) -> Result<ResultRow, String> {
    let cells: Vec<Option<String>> = match content {
        RowContent::Cells(cells) => cells.clone(),
        // A cell is written so that no spreadsheet runs it.
        RowContent::Text(text) => {
            let cells = probare_formats::results::cells(text)?;
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
    let of = |metric: &str| -> Result<Option<MetricResult>, String> {
        let note = || cell(&format!("{metric}.note")).unwrap_or_default();
        Ok(match cell(&format!("{metric}.status")).as_deref() {
            Some(status) if status == ResultStatus::Scored.name() => {
                let text = cell(metric).ok_or_else(|| format!("`{metric}` is scored but has no value"))?;
                let number = text.parse::<f64>().ok().and_then(|number| Value::new(number).ok());
                let value = number.ok_or_else(|| format!("`{text}` is no value of `{metric}`"))?;
                let evidence = cell(&format!("{metric}.evidence")).and_then(|json| serde_json::from_str(&json).ok());
                let score = Score { evidence: evidence.unwrap_or_default(), ..Score::new(value) };
                Some(Ok(Outcome::Scored(score)))
            }
            Some(status) if status == ResultStatus::NotApplicable.name() => Some(Ok(Outcome::not_applicable(note()))),
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
    Ok(ResultRow {
        number: 0,
        id: cell("id").unwrap_or_default(),
        model: own("model"),
        prompt: if columns.get(2).map(String::as_str) == Some("prompt") { own("prompt") } else { None },
        repeat: own("repeat").and_then(|text| text.parse().ok()).unwrap_or(0),
        is_named,
        named: manifest.metrics.iter().map(|metric| of(&metric.name)).collect::<Result<_, _>>()?,
    })
}
