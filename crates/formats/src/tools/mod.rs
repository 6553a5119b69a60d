//! Files of other tools, read as cases of ours: promptfoo, Inspect, lm-eval, OpenAI evals (logs and the hosted ones), DeepEval, Ragas,
//! LangSmith, Langfuse, Every Eval Ever, chats, traces.
//!
//! [`import`] tells the format by what is in the file and not by its name. The other tool's own scores are kept, in
//! `metadata.scores`, in the form of our result lines; what the file says beyond a case's fields is in `metadata` too.
//! `docs/exchange.md` has the table of what is lost.

mod chat;
mod content;
mod deepeval;
mod detection;
mod document;
mod every_eval_ever;
mod export;
mod import_format;
mod inspect;
mod langfuse;
mod langsmith;
mod lm_eval;
mod openai_evals;
mod openai_platform;
mod otlp;
mod promptfoo;
mod ragas;
mod record;
mod scores;
mod spool;
mod zip;

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use probare_core::{Better, Case, InputFile};
use probare_report::number::count_with_noun;
use serde_json::{Map, Value as Json};

use self::document::SourceDocument;
use crate::stored_file::{self, STANDARD_INPUT};
use crate::{CaseFileError, Grouping, LARGEST_DOCUMENT, TraceLoss};

pub(crate) use self::document::{cause, string_end};
pub use self::export::{DatasetUsed, ExportMetadata, ExportTarget};
pub use self::import_format::{ImportError, ImportFormat};
pub(crate) use self::scores::add_evaluation;

/// A score that another tool gave, over all cases of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedScore {
    pub name: String,
    /// Least and greatest value, as far as the format says: 0 to 1 where all values are, else without an end.
    pub range: (f64, f64),
    /// Which direction is better.
    pub better: Better,
}

/// What was in a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportedCases {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// The other tool's scores, in the order in which they first came.
    pub scores: Vec<ImportedScore>,
    /// What the reader should know: what is missing, what was guessed.
    pub notes: Vec<String>,
    /// Of traces, all that could not be used, one by one; the notes count it.
    pub lost: Vec<TraceLoss>,
    /// What the file says beside its cases, as a configuration of ours: metrics, models, judges, `generate`.
    pub configuration: Option<Map<String, Json>>,
    /// Where each score stands in the list, by its name.
    places: HashMap<String, usize>,
}

impl ImportedCases {
    /// Takes a case in, with the scores that it was given.
    fn push(&mut self, mut case: Case, scores: Map<String, Json>) {
        for (name, told) in &scores {
            let value = told.get("value").and_then(Json::as_f64);
            let is_share = value.is_none_or(|value| (0.0..=1.0).contains(&value));
            match self.places.get(name) {
                Some(at) if !is_share => self.scores[*at].range = (f64::NEG_INFINITY, f64::INFINITY),
                Some(_) => {}
                None => {
                    self.places.insert(name.clone(), self.scores.len());
                    let range = if is_share { (0.0, 1.0) } else { (f64::NEG_INFINITY, f64::INFINITY) };
                    self.scores.push(ImportedScore { name: name.clone(), range, better: scores::better(name) });
                }
            }
        }
        if !scores.is_empty() {
            put(&mut case.metadata, SCORES, Json::Object(scores));
        }
        self.cases.push(case);
    }
}

/// Samples times scores of a file at most.
const MOST_RESULTS: usize = 20_000_000;

/// Where the scores of an imported case stand in its metadata.
pub const SCORES: &str = "scores";

/// Where an imported case says in its metadata what it comes from, and what went wrong.
pub const ORIGIN: &str = "imported";

/// Puts one of our own entries into the metadata; one of that name that the file has is called `row.NAME`, as for columns.
fn put(metadata: &mut Map<String, Json>, name: &str, mut value: Json) {
    // What a file does not say about where it came from is left out.
    if let (ORIGIN, Json::Object(origin)) = (name, &mut value) {
        origin.retain(|_, value| !value.is_null());
    }
    if let Some(other) = metadata.insert(name.to_owned(), value) {
        metadata.insert(format!("row.{name}"), other);
    }
}

/// Reads a file of another tool, or standard input for `-`; where no format is given, it is told by the content. Of traces
/// `group` says what becomes one case; of anything else nothing can be grouped.
pub fn import(
    path: &str,
    format: Option<ImportFormat>,
    group: Option<Grouping>,
) -> Result<(ImportFormat, ImportedCases, InputFile), ImportError> {
    let (document, mut opened) = open_document(path)?;
    let (format, imported) = read_document(&document, format, group)?;
    let input = opened.stored.input(imported.cases.len() as u64)?;
    Ok((format, imported, input))
}

/// The whole of a file, or of standard input for `-`.
fn open_document(path: &str) -> Result<(SourceDocument, stored_file::OpenedFile), ImportError> {
    let name = if path == "-" { STANDARD_INPUT } else { path };
    let mut opened = stored_file::open(path)?;
    let mut bytes = Vec::new();
    let read = opened.reader.by_ref().take(LARGEST_DOCUMENT + 1).read_to_end(&mut bytes);
    read.map_err(|source| CaseFileError::Io { file: name.to_owned(), source })?;
    if bytes.len() as u64 > LARGEST_DOCUMENT {
        return Err(CaseFileError::TooLarge { file: name.to_owned(), limit: LARGEST_DOCUMENT }.into());
    }
    Ok((SourceDocument::new(bytes, name), opened))
}

/// Reads several files of one tool as one: the eval of OpenAI, its runs and its samples.
pub fn import_together(
    paths: &[String],
    format: Option<ImportFormat>,
) -> Result<(ImportFormat, ImportedCases, Vec<InputFile>), ImportError> {
    let (mut documents, mut inputs) = (Vec::new(), Vec::new());
    for path in paths {
        let (document, opened) = open_document(path)?;
        let found = match format {
            Some(format) => format,
            None => detection::format(&document)?,
        };
        if found != ImportFormat::OpenaiPlatform {
            let wish =
                "several files are read as one for the hosted Evals of OpenAI alone, and this is of another tool";
            return Err(CaseFileError::unfit(&document.name, wish).into());
        }
        documents.push(document);
        inputs.push(opened);
    }
    let mut imported = openai_platform::read(&documents)?;
    let format = ImportFormat::OpenaiPlatform;
    if let Some(document) = documents.first() {
        check_and_number(&mut imported, document, format)?;
    }
    let rows = imported.cases.len() as u64;
    let inputs: Result<Vec<InputFile>, _> = inputs.into_iter().map(|mut opened| opened.stored.input(rows)).collect();
    Ok((format, imported, inputs?))
}

/// The same of bytes that are at hand; `name` is what messages call them.
pub fn read_foreign(
    bytes: Vec<u8>,
    name: &str,
    format: Option<ImportFormat>,
    group: Option<Grouping>,
) -> Result<(ImportFormat, ImportedCases), ImportError> {
    read_document(&SourceDocument::new(bytes, name), format, group)
}

fn read_document(
    document: &SourceDocument,
    format: Option<ImportFormat>,
    group: Option<Grouping>,
) -> Result<(ImportFormat, ImportedCases), ImportError> {
    let format = match format {
        Some(format) => format,
        None => detection::format(document)?,
    };
    if group.is_some() && format != ImportFormat::Otlp {
        let wish = "a grouping is for traces (otlp), and this is none";
        return Err(CaseFileError::unfit(&document.name, wish).into());
    }
    let mut imported = match format {
        ImportFormat::Promptfoo => promptfoo::read::read(document),
        ImportFormat::Inspect => inspect::read::read(document),
        ImportFormat::LmEval => lm_eval::read(document),
        ImportFormat::OpenaiEvals => openai_evals::read(document),
        ImportFormat::OpenaiPlatform => openai_platform::read(std::slice::from_ref(document)),
        ImportFormat::Deepeval => deepeval::read(document),
        ImportFormat::Ragas => ragas::read(document),
        ImportFormat::Langsmith => langsmith::read(document),
        ImportFormat::Langfuse => langfuse::read(document),
        ImportFormat::Eee => every_eval_ever::read::read(document),
        ImportFormat::Chat => chat::read(document),
        ImportFormat::Otlp => otlp::read::read(document, group.unwrap_or_default()),
    }?;
    check_and_number(&mut imported, document, format)?;
    Ok((format, imported))
}

/// Refuses what is empty or too much, and tells samples apart that have the same id.
fn check_and_number(
    imported: &mut ImportedCases,
    document: &SourceDocument,
    format: ImportFormat,
) -> Result<(), ImportError> {
    if imported.cases.is_empty() && format == ImportFormat::Otlp && !imported.notes.is_empty() {
        return Err(ImportError::NoSamples { file: document.name.clone(), reason: imported.notes.join("; ") });
    }
    if imported.cases.is_empty() {
        return Err(document.broken(format, "", "it holds no samples"));
    }
    // Every sample has a result of every score, if only that there is none.
    let (samples, scores) = (imported.cases.len(), imported.scores.len());
    if samples.saturating_mul(scores) > MOST_RESULTS {
        let reason = format!("{samples} samples with {scores} different scores are too many results; split it");
        return Err(document.broken(format, "", reason));
    }
    same_ids(imported);
    // Of traces all that is lost is told one by one.
    if format != ImportFormat::Otlp {
        imported.notes.extend(unread_note(&imported.cases));
    }
    Ok(())
}

/// The remark on parts of messages that could not be read: how many, of which types, and where the first stands.
fn unread_note(cases: &[Case]) -> Option<String> {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    let mut first = None;
    for case in cases {
        for (number, message) in case.messages.iter().flatten().enumerate() {
            for (part, kind) in message.unread_parts() {
                first.get_or_insert((&case.id, number + 1, part + 1));
                *kinds.entry(kind).or_default() += 1;
            }
        }
    }
    let (id, message, part) = first?;
    let parts = count_with_noun(kinds.values().sum(), "part of a message", "parts of messages");
    let names: Vec<String> =
        kinds.keys().take(10).map(|kind| format!("`{}`", kind.chars().take(80).collect::<String>())).collect();
    let names = names.join(", ");
    Some(format!(
        "{parts} cannot be read ({names}; the first is message {message}, part {part} of case `{id}`); \
         metrics on calls give an error there, since a part may be a call"
    ))
}

/// Tells samples apart that have one id, model and repeat: the second of `a` is `a~2`.
fn same_ids(imported: &mut ImportedCases) {
    let mut seen: BTreeMap<(String, Option<String>, u32), u32> = BTreeMap::new();
    let mut renamed = 0;
    for case in &mut imported.cases {
        let (model, repeat) = case.response.as_ref().map_or((None, 0), |output| (output.model.clone(), output.repeat));
        let count = seen.entry((case.id.clone(), model, repeat)).or_default();
        *count += 1;
        if *count > 1 {
            case.id.push_str(&format!("~{count}"));
            renamed += 1;
        }
    }
    if renamed > 0 {
        let samples = count_with_noun(renamed, "sample", "samples");
        imported.notes.push(format!("{samples} had the id of another one: a number was put behind it"));
    }
}
