//! Passages from an index, put into every case of a run: what was retrieved, what should have been, and what a model answers
//! from it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use probare_core::{Backend, Case, ChatRequest, ErrorKind, Message, Output, ScoreError, Sha256};
use probare_retrieval::{Embedder, Filter, Index, Mode, RetrievalError, SearchRequest, answer};
use probare_store::PlannedRetrieval;
use serde_json::{Value as Json, json};

use crate::config::Retrieval;

/// Passages where no number is named.
const USUAL_K: usize = 10;

/// Key in the metadata of a case: how its passages were found.
const MARK: &str = "retrieval";

/// Key in the metadata of a question: quotations that its answer rests on.
const EVIDENCE: &str = "evidence";

/// Key in the metadata of a question: the documents that are searched for it.
const FILTER: &str = "filter";

/// An index that is ready.
pub(super) struct CaseRetriever {
    index: Index,
    embedder: Option<Embedder>,
    planned: PlannedRetrieval,
    filter: Filter,
    documents: OnceLock<Result<HashMap<String, u64>, String>>,
    /// Questions whose vectors are known: a case comes once for each model and repeat.
    vectors: Mutex<HashMap<String, Vec<f32>>>,
}

/// Vectors of questions that are remembered.
const REMEMBERED: usize = 20_000;

impl CaseRetriever {
    /// Opens the index, and the model of its vectors where they are wanted. A run that would go by words alone because the
    /// model is missing does not start: its numbers would be those of another retriever.
    pub fn open(entry: &Retrieval, folder: &Path, outside: &Arc<dyn Backend>) -> Result<Self, RetrievalError> {
        let path = folder.join(&entry.index);
        let index = Index::open(&path)?;
        let filter = Filter::from_json(&Json::Object(entry.filter.clone()))?;
        filter.check(index.fields())?;
        let embedder = match (&index.header().vectors, entry.mode) {
            (_, Mode::Words) | (None, Mode::Hybrid | Mode::HybridRanks) => None,
            (None, Mode::Vectors) => return Err(RetrievalError::NoVectors(path)),
            (Some(info), _) => Some(Embedder::for_index(&info.model, entry.embedding.as_deref(), outside)?),
        };
        let mode = if embedder.is_none() { Mode::Words } else { entry.mode };
        let planned = PlannedRetrieval {
            index: path.display().to_string(),
            digest: index.header().digest(),
            k: entry.k.map_or(USUAL_K, std::num::NonZeroUsize::get),
            filter: entry.filter.clone(),
            mode,
        };
        Ok(Self { index, embedder, planned, filter, documents: OnceLock::new(), vectors: Mutex::default() })
    }

    /// How passages are found.
    pub const fn planned(&self) -> &PlannedRetrieval {
        &self.planned
    }

    /// Bytes of the passages that a model is given for a case, on average.
    pub fn bytes(&self) -> u64 {
        let header = self.index.header();
        let texts = header.sizes.get("texts").copied().unwrap_or_default();
        texts.checked_div(header.passages).unwrap_or_default() * self.planned.k as u64
    }

    /// Finds passages for a case and puts them there, in place of those that it had.
    pub fn fill(&self, case: &mut Case) -> Result<(), ScoreError> {
        let question = case
            .query
            .clone()
            .filter(|query| !query.trim().is_empty())
            .ok_or_else(|| ScoreError::other(ErrorKind::Missing, "the case has no question to search for"))?;
        let failed = |error: RetrievalError| ScoreError::other(ErrorKind::Failed, error.to_string());
        let filter = match case.metadata.get(FILTER) {
            None => self.filter.clone(),
            Some(own) => Filter::from_json(own).map_err(|error| failed(error.into()))?,
        };
        let PlannedRetrieval { k, mode, .. } = self.planned;
        let vector = self.vector(&question).map_err(failed)?;
        let search = SearchRequest { question, k, filter, mode };
        let hits = self.index.search_with(&search, mode, vector.as_deref()).map_err(failed)?;
        let wanted = self.relevant(case)?;
        let is_by_document = wanted.as_ref().is_some_and(|wanted| wanted.by_document);
        let mut retrieved: Vec<String> = Vec::new();
        for hit in &hits {
            let id = if is_by_document { &hit.document } else { &hit.id };
            if !retrieved.contains(id) {
                retrieved.push(id.clone());
            }
        }
        case.relevant = wanted.map(|wanted| wanted.ids);
        case.retrieved = Some(retrieved);
        case.context = Some(answer::context_passages(&hits));
        case.metadata.insert(MARK.to_owned(), json!({"mode": mode, "k": k}));
        Ok(())
    }

    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, RetrievalError> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let known = || self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = known().get(question) {
            return Ok(Some(vector.clone()));
        }
        let vector = embedder.embed(&[question])?.into_iter().next();
        if let Some(vector) = vector.as_ref().filter(|_| known().len() < REMEMBERED) {
            known().insert(question.to_owned(), vector.clone());
        }
        Ok(vector)
    }

    /// Numbers of documents by their keys.
    fn documents(&self) -> Result<&HashMap<String, u64>, ScoreError> {
        let read = || {
            let head = |document: u64| {
                let head = self.index.head(document).map_err(|error| error.to_string());
                head.map(|(key, _)| (key, document))
            };
            (0..self.index.header().documents).map(head).collect::<Result<HashMap<String, u64>, String>>()
        };
        self.documents.get_or_init(read).as_ref().map_err(|reason| ScoreError::other(ErrorKind::Failed, reason.clone()))
    }

    /// The ids of what should be found: those that the case names, or all passages that hold one of its quotations.
    fn relevant(&self, case: &Case) -> Result<Option<RelevantIds>, ScoreError> {
        let wrong = |reason: String| ScoreError::other(ErrorKind::Failed, reason);
        if let Some(ids) = &case.relevant {
            let documents = self.documents()?;
            let by_document = !ids.is_empty() && ids.iter().all(|id| documents.contains_key(id));
            if let Some(id) = ids.iter().find(|id| !by_document && self.is_passage(id, documents) != Some(true)) {
                return Err(wrong(format!(
                    "`relevant` names `{id}`, which is neither a passage nor a document of the index"
                )));
            }
            return Ok(Some(RelevantIds { ids: ids.clone(), by_document }));
        }
        let Some(evidence) = case.metadata.get(EVIDENCE) else { return Ok(None) };
        let list = evidence.as_array().ok_or_else(|| wrong("`evidence` is not a list".to_owned()))?;
        let mut ids = Vec::new();
        for item in list {
            let text = |name: &str| {
                let found = item.get(name).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
                found.ok_or_else(|| wrong(format!("an item of `evidence` has no text `{name}`")))
            };
            let (source, quote) = (text("source")?, text("quote")?);
            let documents = self.documents()?;
            let document =
                documents.get(source).ok_or_else(|| wrong(format!("the index holds no document `{source}`")))?;
            let holding = self.passages_with_quote(*document, quote).map_err(|error| wrong(error.to_string()))?;
            if holding.is_empty() {
                return Err(wrong(format!("the evidence `{quote}` does not stand in `{source}`")));
            }
            for id in holding {
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
        }
        Ok(Some(RelevantIds { ids, by_document: false }))
    }

    fn is_passage(&self, id: &str, documents: &HashMap<String, u64>) -> Option<bool> {
        let (key, number) = id.rsplit_once('#')?;
        let number: u64 = number.parse().ok()?;
        let passages = self.index.passages_of(*documents.get(key)?).ok()?;
        Some((1..=passages.end - passages.start).contains(&number))
    }

    /// Ids of the passages of a document that hold a quotation; of one that no passage holds whole, those with a part of it.
    fn passages_with_quote(&self, document: u64, quote: &str) -> Result<Vec<String>, RetrievalError> {
        let text = self.index.text(document)?;
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        for (start, _) in text.match_indices(quote) {
            let end = start + quote.len();
            for passage in self.index.passages_of(document)? {
                let span = self.index.span(passage)?;
                if span.start <= start && end <= span.end {
                    whole.push(self.index.passage(passage)?.id);
                } else if span.start < end && start < span.end {
                    parts.push(self.index.passage(passage)?.id);
                }
            }
        }
        Ok(if whole.is_empty() { parts } else { whole })
    }
}

/// What should be found.
struct RelevantIds {
    ids: Vec<String>,
    /// Whether the ids are those of documents.
    by_document: bool,
}

/// What a model is asked about the passages of a case.
pub(super) fn question(case: &Case) -> ChatRequest {
    let context = case.context.as_deref().unwrap_or_default();
    answer::question(case.query.as_deref().unwrap_or_default(), context)
}

/// SHA-256 of what models are asked, passages and question aside.
pub(super) fn prompt_digest() -> String {
    let messages: Vec<Message> = answer::question("", &[]).messages;
    Sha256::hex_digest(serde_json::to_string(&messages).unwrap_or_default())
}

/// Puts the answer and the citations of a reply into the case; once, since an answer that was read holds no reply any more.
pub(super) fn read_grounded_answer(case: &mut Case) -> Result<(), ScoreError> {
    let Some(Output { text, .. }) = &case.response else { return Ok(()) };
    if case.citations.is_some() {
        return Ok(());
    }
    let grounded =
        answer::parse_reply(text).map_err(|error| ScoreError::other(ErrorKind::Unparseable, error.to_string()))?;
    case.citations = Some(grounded.citations());
    if let Some(response) = &mut case.response {
        response.text = grounded.answer;
    }
    Ok(())
}
