//! The questions of the catalogue as cases, once for each system, with what the system predicted.

use std::collections::BTreeMap;
use std::sync::Arc;

use probare_core::{BenchmarkError, Case, CaseBatch, CaseSource, InputFile, Problem, SourceError};
use probare_formats::LocatedValue;

use super::cases::{case, unanswered};
use super::predictions::{PredictionError, PredictionReader, parse};
use super::{Catalogue, CatalogueQuestion};

/// Questions that travel together.
const IN_BATCH: usize = 64;

/// One file of predictions.
pub(super) struct SystemFile {
    /// As given.
    pub(super) path: String,
    /// The name of the system where there are several.
    pub(super) name: Option<Arc<str>>,
    pub(super) predictions: PredictionReader,
}

/// Cases in the order of the catalogue. A prediction that comes before its turn is held as it is written, so memory is
/// flat where the file has the order of the catalogue.
pub(super) struct QuestionSource {
    catalogue: Arc<Catalogue>,
    systems: Vec<SystemFile>,
    /// The system whose turn it is.
    at: usize,
    turn: FileProgress,
}

/// How far the reading of one file has come.
struct FileProgress {
    /// The next question to hand out.
    next: usize,
    /// The question behind that of the last prediction.
    likely: usize,
    seen: Vec<bool>,
    early: BTreeMap<usize, LocatedValue>,
    has_ended: bool,
}

impl FileProgress {
    fn new(questions: usize) -> Self {
        Self { next: 0, likely: 0, seen: vec![false; questions], early: BTreeMap::new(), has_ended: false }
    }
}

enum QuestionItem {
    Question(usize, Option<LocatedValue>),
    Remark(Problem),
}

impl QuestionSource {
    pub(super) fn new(catalogue: Arc<Catalogue>, systems: Vec<SystemFile>) -> Self {
        let turn = FileProgress::new(catalogue.questions().len());
        Self { catalogue, systems, at: 0, turn }
    }

    /// The next question of this system, or a remark about its file; nothing when both are at their end.
    fn next_item(&mut self) -> Result<Option<QuestionItem>, PredictionError> {
        let (turn, system) = (&mut self.turn, &mut self.systems[self.at]);
        let questions = self.catalogue.questions().len();
        loop {
            if let Some(raw) = turn.early.remove(&turn.next) {
                turn.next += 1;
                return Ok(Some(QuestionItem::Question(turn.next - 1, Some(raw))));
            }
            if turn.has_ended {
                if turn.next == questions {
                    return Ok(None);
                }
                turn.next += 1;
                return Ok(Some(QuestionItem::Question(turn.next - 1, None)));
            }
            let Some((raw, id)) = system.predictions.next().transpose()? else {
                turn.has_ended = true;
                continue;
            };
            let Some(question) = self.catalogue.place_near(&id, turn.likely) else {
                return Ok(Some(QuestionItem::Remark(remark(system, &raw, format!("unknown question_id: {id}")))));
            };
            turn.likely = question + 1;
            if turn.seen[question] {
                return Ok(Some(QuestionItem::Remark(remark(
                    system,
                    &raw,
                    format!("duplicate prediction ignored: {id}"),
                ))));
            }
            turn.seen[question] = true;
            turn.early.insert(question, raw);
        }
    }
}

fn remark(system: &SystemFile, raw: &LocatedValue, reason: String) -> Problem {
    let (line, column) = (Some(raw.line), Some(raw.column));
    Problem { file: system.path.clone(), line, column, reason, hint: None, lost: false, id: None }
}

impl CaseSource for QuestionSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        while self.at < self.systems.len() {
            let mut items = Vec::with_capacity(IN_BATCH);
            while items.len() < IN_BATCH {
                match self.next_item() {
                    Ok(Some(item)) => items.push(item),
                    Ok(None) => break,
                    Err(error) => return Some(Err(Box::new(prediction_failure(&error)))),
                }
            }
            if !items.is_empty() {
                let system = &self.systems[self.at];
                let (catalogue, name) = (Arc::clone(&self.catalogue), system.name.clone());
                return Some(Ok(Box::new(QuestionBatch { catalogue, name, path: system.path.clone(), items })));
            }
            self.at += 1;
            self.turn = FileProgress::new(self.catalogue.questions().len());
        }
        None
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        let systems = self.systems.iter_mut().enumerate();
        systems
            .map(|(at, system)| {
                let input = system.predictions.input().map_err(|error| prediction_failure(&error))?;
                Ok(InputFile { option: Some(format!("/predictions/{at}")), ..input })
            })
            .collect()
    }
}

struct QuestionBatch {
    catalogue: Arc<Catalogue>,
    name: Option<Arc<str>>,
    path: String,
    items: Vec<QuestionItem>,
}

impl QuestionBatch {
    fn case(&self, question: &CatalogueQuestion, raw: Option<&LocatedValue>) -> Result<Case, Problem> {
        let Some(raw) = raw else { return Ok(unanswered(question, self.name.as_deref())) };
        // It has been read before, so this does not happen.
        let prediction = parse(&raw.bytes).map_err(|error| Problem {
            file: self.path.clone(),
            line: Some(raw.line),
            column: Some(raw.column),
            reason: error.to_string(),
            hint: None,
            lost: true,
            id: None,
        })?;
        Ok(case(question, &prediction, self.name.as_deref()))
    }
}

impl CaseBatch for QuestionBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let case = |item: &QuestionItem| match item {
            QuestionItem::Question(place, raw) => self.case(&self.catalogue.questions()[*place], raw.as_ref()),
            QuestionItem::Remark(problem) => Err(problem.clone()),
        };
        self.items.iter().map(case).collect()
    }
}

/// The error for a file of predictions, with what to do where the message does not name one wrong value.
pub(super) fn prediction_failure(error: &PredictionError) -> BenchmarkError {
    let failure = BenchmarkError::from_error(error);
    match error {
        PredictionError::Shape { path, .. } if path.starts_with('[') => failure,
        _ => failure.hint(
            "--predictions names a file with one JSON array: [{\"question_id\": \"…\", \"predicted_answer\": \"…\"}, …]",
        ),
    }
}
