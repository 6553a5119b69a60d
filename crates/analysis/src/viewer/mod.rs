//! [`RunViewer`]: runs of a store and files of results, laid out to be read: what all cases came to, which cases fit a filter, and
//! one case with everything that was said about it.
//!
//! A file is brought into a store of its own, in a folder that goes with the viewer, so that everything is looked up in one way.
//! Nothing here changes a score, and nothing that a file names is opened but the inputs that its manifest leads to.

mod comparison;
mod contract;
mod history;
mod labels;
mod model_calls;
mod pages;
mod sources;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use probare_report::Gates;
use tempfile::TempDir;

pub use self::contract::{
    CaseDetail, CasePage, Comparison, LabelState, ModelCalls, RunDescription, RunList, RunSummary,
};
pub use self::history::HistoryQuery;
use self::labels::CachedCandidates;
pub use self::labels::{LabellingOrder, LabelsQuery, NewLabel, OutputPosition};
pub use self::pages::CasesQuery;
use probare_engine::{EvaluationError, Registries};
use probare_store::{CaseFilterError, CasePosition, Store, StoreError, StoredRun, TextIndex};

use self::sources::ViewerSource;
use crate::compare::EarlyStop;
use crate::labels::{LabelError, LabelFile};
use crate::{CompareError, ExchangeError, VerifyError};

/// What cannot be laid out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewerError {
    /// There is no run and no file.
    #[error(
        "no run was found: there is no store {}, and no file of results in {}",
        join_paths(stores),
        join_paths(folders)
    )]
    Nothing { stores: Vec<PathBuf>, folders: Vec<PathBuf> },
    /// A name is neither a run nor a file nor a folder.
    #[error("`{name}` is not a run, a file or a folder")]
    Unknown { name: String },
    /// The viewer has no such run.
    #[error("there is no run `{key}` in this viewer")]
    NoRun { key: String },
    /// The run has no such case.
    #[error("the run has no such case")]
    NoCase,
    /// The filter cannot be read.
    #[error(transparent)]
    Filter(#[from] CaseFilterError),
    /// The order is of nothing that the run has.
    #[error("cases cannot be sorted by `{by}`")]
    Sort { by: String },
    /// No run has such a metric.
    #[error("no run has a metric `{metric}`; their metrics are {known}")]
    NoMetric { metric: String, known: String },
    /// A file cannot be read, or is not what it should be; the words name it.
    #[error("{0}")]
    File(String),
    /// A store refuses.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Results cannot be read.
    #[error(transparent)]
    Results(#[from] CompareError),
    /// Results cannot be opened.
    #[error(transparent)]
    Manifest(#[from] VerifyError),
    /// A file of another tool cannot be read.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// Labels cannot be read or kept.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// A run cannot be written to a file.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

impl ViewerError {
    fn in_file(path: &Path, reason: &str) -> Self {
        Self::File(format!("`{}`: {reason}", path.display()))
    }
}

/// Paths as a sentence names them.
fn join_paths(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    names.join(", ")
}

/// A comparison that was asked for, and what it was of.
type CachedComparison = (Vec<Version>, Arc<Comparison>);

/// A list of cases that was asked for, and where they stand.
type CachedCaseList = (ListKey, Arc<Vec<CasePosition>>);

/// The texts of a run that were read so far; nothing before somebody searches.
#[derive(Default)]
struct RunTexts {
    version: Version,
    index: Option<TextIndex>,
}

/// Runs and files, laid out to be read.
pub struct RunViewer {
    registries: Registries,
    given: Vec<ViewerSource>,
    /// The store of runs that numbers are of.
    store: PathBuf,
    /// Stores of files.
    folder: TempDir,
    /// Stores as they were opened first.
    origins: Mutex<HashMap<PathBuf, Store>>,
    /// Connections that nobody uses at the moment.
    stores: Mutex<HashMap<PathBuf, Vec<Store>>>,
    summaries: Mutex<HashMap<String, (Version, Arc<RunSummary>)>>,
    comparisons: Mutex<HashMap<String, CachedComparison>>,
    lists: Mutex<VecDeque<CachedCaseList>>,
    texts: Mutex<HashMap<String, Arc<Mutex<RunTexts>>>>,
    history: Mutex<Option<history::CachedHistory>>,
    labels: LabelFile,
    labelling: Mutex<VecDeque<CachedCandidates>>,
}

/// What changes when a run goes on.
type Version = (u64, u64, u32, u64);

/// A list of cases by run, version, filter and order.
type ListKey = (String, Version, String, String);

/// The file of labels beside the store.
const LABELS: &str = "labels.jsonl";

/// Lists of cases that are kept, so that a page behind the first needs no search.
const LISTS: usize = 16;

/// A run that was found.
struct OpenRun {
    key: String,
    /// What readers call it.
    name: String,
    store: PathBuf,
    stored: StoredRun,
    gates: Gates,
    notes: Vec<String>,
    /// The words that show a case on a terminal, before its id.
    command: String,
    /// The results as a file, where they are one.
    results: Option<PathBuf>,
    /// How often the file was read, since it may change.
    readings: u64,
    /// Whether questions and answers are known: a file of results may hold neither, and its inputs may be gone.
    has_texts: bool,
    /// How it ended before its last case, once its gates were decided: what holds for a fixed number of cases does not hold for
    /// it, and its means are over the cases up to the verdict.
    early_stop: Option<EarlyStop>,
}

impl OpenRun {
    fn version(&self) -> Version {
        let errors = self.stored.errors.iter().map(|(_, count)| count).sum();
        (self.stored.finished, errors, self.stored.rounds, self.readings)
    }

    /// The cases up to the verdict; nothing where all of them count.
    fn counted_cases(&self, store: &Store) -> Result<Option<HashSet<CasePosition>>, StoreError> {
        self.early_stop.map(|early| store.first_cases(self.stored.run, early.seed, early.seen)).transpose()
    }
}

impl RunViewer {
    /// Lays out what was given: numbers of runs in `store`, files and folders. Without anything it is the store and the files of
    /// results of the working folder.
    pub fn open(store: &Path, given: &[String], registries: Registries) -> Result<Self, ViewerError> {
        let found = sources::find_sources(store, given)?;
        let folder = tempfile::tempdir()
            .map_err(|error| ViewerError::in_file(&std::env::temp_dir(), &format!("no folder can be made: {error}")))?;
        Ok(Self {
            registries,
            given: found,
            store: store.to_owned(),
            folder,
            origins: Mutex::default(),
            stores: Mutex::default(),
            summaries: Mutex::default(),
            comparisons: Mutex::default(),
            lists: Mutex::default(),
            texts: Mutex::default(),
            history: Mutex::default(),
            labels: LabelFile::new(store.with_file_name(LABELS)),
            labelling: Mutex::default(),
        })
    }

    /// A further connection to a store. What is opened first stays open, so that an older store is copied once.
    fn open_store(&self, path: &Path) -> Result<Store, StoreError> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(origin) = origins.get(path) {
            return origin.try_clone();
        }
        let origin = Store::open_existing(path)?;
        let store = origin.try_clone();
        origins.insert(path.to_owned(), origin);
        store
    }

    /// Does something with a store. One that was opened before is used again.
    fn with<T>(&self, path: &Path, work: impl FnOnce(&Store) -> Result<T, StoreError>) -> Result<T, ViewerError> {
        let lock = || self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lock().get_mut(path).and_then(Vec::pop);
        let store = match kept {
            Some(store) => store,
            None => self.open_store(path)?,
        };
        let made = work(&store)?;
        lock().entry(path.to_owned()).or_default().push(store);
        Ok(made)
    }
}
