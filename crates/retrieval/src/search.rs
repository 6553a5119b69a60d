//! [`SearchRequest`]: a question to an index; [`Hit`]: a passage with how its score came about.
//!
//! Words are ranked by BM25 (k1 1.2, b 0.75), vectors by their cosine. Both together are ranked by a weighted mean of the two
//! scores, each as a share of the best one (a convex combination: Bruch, Gai and Ingber 2023), or by reciprocal rank fusion
//! (Cormack, Clarke and Büttcher 2009): a passage gets 1 / (60 + its rank) from each ranking that it is in. Equal scores are
//! ranked in the order of the corpus.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::document_filter::scalar_text;
use crate::{Condition, Embedder, Filter, Index, IndexedPassage, RetrievalError};

/// What is added to a rank before it is turned over.
const FUSION: f64 = 60.0;

/// What vectors weigh beside words, whose weight is the rest.
const VECTOR_WEIGHT: f64 = 0.8;

/// Passages of each ranking that are put together, at least.
const DEPTH: usize = 100;

/// How passages are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By words and by vectors: a weighted mean of both scores.
    #[default]
    Hybrid,
    /// By words and by vectors: the sum of the reciprocal ranks.
    HybridRanks,
    /// By words: BM25.
    Words,
    /// By vectors.
    Vectors,
}

impl Mode {
    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::HybridRanks => "hybrid_ranks",
            Self::Words => "words",
            Self::Vectors => "vectors",
        }
    }

    /// Whether words are asked.
    pub const fn has_words(self) -> bool {
        !matches!(self, Self::Vectors)
    }

    /// Whether vectors are asked.
    pub const fn has_vectors(self) -> bool {
        !matches!(self, Self::Words)
    }

    const fn is_hybrid(self) -> bool {
        self.has_words() && self.has_vectors()
    }
}

/// A question to an index.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRequest {
    /// What is asked.
    pub question: String,
    /// Most passages.
    pub k: usize,
    /// Which documents are searched.
    pub filter: Filter,
    /// How they are ranked.
    pub mode: Mode,
}

impl SearchRequest {
    /// The ten best passages of all documents.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into(), k: 10, filter: Filter::default(), mode: Mode::default() }
    }
}

/// What a term of the question is worth to a passage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermShare {
    /// The term, as words are compared.
    pub term: String,
    /// What it adds to the score.
    pub score: f64,
}

/// The part of the words in a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordShare {
    /// Its rank by words, from 1.
    pub rank: usize,
    /// Its BM25 score.
    pub score: f64,
    /// What that adds to the score of the hit.
    pub part: f64,
    /// The terms that make the score.
    pub terms: Vec<TermShare>,
}

/// The part of the vectors in a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VectorShare {
    /// Its rank by vectors, from 1; nothing where it is not among the best by vectors.
    pub rank: Option<usize>,
    /// The cosine of question and passage.
    pub cosine: f64,
    /// What that adds to the score of the hit.
    pub part: f64,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The passage.
    pub passage: IndexedPassage,
    /// What it is ranked by: BM25, cosine, or the sum of the parts of words and vectors.
    pub score: f64,
    /// How words speak for it; nothing where it is not among the best by words.
    pub words: Option<WordShare>,
    /// How vectors speak for it; nothing where they were not asked.
    pub vectors: Option<VectorShare>,
}

impl std::ops::Deref for Hit {
    type Target = IndexedPassage;

    fn deref(&self) -> &IndexedPassage {
        &self.passage
    }
}

impl Hit {
    /// The hit in JSON, for whoever reads results.
    pub fn to_json(&self) -> Json {
        let IndexedPassage { id, document, span, line, page, text, metadata, .. } = &self.passage;
        json!({
            "id": id, "document": document, "start": span.start, "end": span.end, "line": line, "page": page,
            "score": self.score, "words": self.words, "vectors": self.vectors, "text": text, "metadata": metadata,
        })
    }

    /// How the score came about, in a line.
    pub fn explanation(&self) -> String {
        let mut parts = Vec::new();
        // Where one ranking makes the whole score there is nothing to add up.
        let added = |part: f64| if part < self.score { format!(", adds {part:.3}") } else { String::new() };
        if let Some(WordShare { rank, score, part, terms }) = &self.words {
            let mut terms = terms.clone();
            terms.sort_by(|one, other| other.score.total_cmp(&one.score));
            let each: Vec<String> = terms.iter().map(|share| format!("{} {:.2}", share.term, share.score)).collect();
            parts.push(format!("words: rank {rank}, BM25 {score:.2} = {}{}", each.join(" + "), added(*part)));
        }
        if let Some(VectorShare { rank, cosine, part }) = &self.vectors {
            let rank = rank.map(|rank| format!("rank {rank}, ")).unwrap_or_default();
            parts.push(format!("vectors: {rank}cosine {cosine:.3}{}", added(*part)));
        }
        parts.join("; ")
    }
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResults {
    /// Passages, best first.
    pub hits: Vec<Hit>,
    /// How they were ranked.
    pub mode: Mode,
    /// What the reader should know, such as why vectors were not used.
    pub remarks: Vec<String>,
}

/// What is known of a passage before it is fetched.
#[derive(Default)]
struct Candidate {
    words: Option<WordShare>,
    vectors: Option<VectorShare>,
}

impl Candidate {
    fn score(&self) -> f64 {
        self.words.as_ref().map_or(0.0, |share| share.part) + self.vectors.as_ref().map_or(0.0, |share| share.part)
    }
}

impl Index {
    /// The best passages for a question. Without an embedder, or in an index without vectors, a hybrid search goes by words
    /// alone and says so; a search by vectors is then an error.
    pub fn search(&self, search: &SearchRequest, embedder: Option<&Embedder>) -> Result<SearchResults, RetrievalError> {
        let mut remarks = Vec::new();
        let mode = self.available_mode(search.mode, embedder, &mut remarks)?;
        let vector = match (mode, embedder) {
            (mode, Some(embedder)) if mode.has_vectors() => embedder.embed(&[&search.question])?.into_iter().next(),
            _ => None,
        };
        let hits = self.search_with(search, mode, vector.as_deref())?;
        if hits.is_empty() {
            remarks.extend(self.empty_search_reasons(search)?);
        }
        Ok(SearchResults { hits, mode, remarks })
    }

    /// The same with a vector of the question that is there already.
    pub fn search_with(
        &self,
        search: &SearchRequest,
        mode: Mode,
        vector: Option<&[f32]>,
    ) -> Result<Vec<Hit>, RetrievalError> {
        let allowed = self.matching_documents(&search.filter)?;
        // A ranking that is put together with another one has to be deeper than what is wanted of both.
        let depth = if mode.is_hybrid() { search.k.saturating_mul(2).max(DEPTH) } else { search.k };
        let depth = depth.min(usize::try_from(self.header().passages).unwrap_or(usize::MAX));
        let mut candidates: BTreeMap<u64, Candidate> = BTreeMap::new();
        if mode.has_words() {
            let mut found = self.search_words(&search.question, depth, allowed.as_ref())?;
            if mode == Mode::Words && found.len() < depth {
                self.add_field_matches(&search.question, depth, allowed.as_deref(), &mut found)?;
            }
            let best = found.first().map_or(0.0, |scored| scored.score);
            for (at, scored) in found.into_iter().enumerate() {
                let part = match mode {
                    Mode::Hybrid => (1.0 - VECTOR_WEIGHT) * relative_score(scored.score, best),
                    Mode::HybridRanks => reciprocal_rank(at),
                    Mode::Words | Mode::Vectors => scored.score,
                };
                let terms = scored.terms.into_iter().map(|(term, score)| TermShare { term, score }).collect();
                let words = WordShare { rank: at + 1, score: scored.score, part, terms };
                candidates.entry(scored.number).or_default().words = Some(words);
            }
        }
        if mode.has_vectors() {
            let vector = vector.unwrap_or_default();
            let nearest = self
                .search_vectors(vector, depth, allowed.as_ref())?
                .ok_or_else(|| RetrievalError::NoVectors(self.folder().to_owned()))?;
            let best = nearest.first().map_or(0.0, |(_, cosine)| f64::from(*cosine));
            let part = |at: Option<usize>, cosine: f64| match mode {
                Mode::Hybrid => VECTOR_WEIGHT * relative_score(cosine, best),
                Mode::HybridRanks => at.map_or(0.0, reciprocal_rank),
                Mode::Words | Mode::Vectors => cosine,
            };
            for (at, (number, cosine)) in nearest.into_iter().enumerate() {
                let cosine = f64::from(cosine);
                let vectors = VectorShare { rank: Some(at + 1), cosine, part: part(Some(at), cosine) };
                candidates.entry(number).or_default().vectors = Some(vectors);
            }
            // What words found may be near too without being among the nearest.
            for (number, candidate) in candidates.iter_mut().filter(|(_, candidate)| candidate.vectors.is_none()) {
                let cosine = self.cosine(*number, vector).map(f64::from);
                candidate.vectors = cosine.map(|cosine| VectorShare { rank: None, cosine, part: part(None, cosine) });
            }
        }
        let mut ranked: Vec<(u64, Candidate)> = candidates.into_iter().collect();
        // The order before is that of the corpus, and equals keep it.
        ranked.sort_by(|(_, one), (_, other)| other.score().total_cmp(&one.score()));
        ranked.truncate(search.k);
        let hit = |(number, candidate): (u64, Candidate)| {
            let score = candidate.score();
            Ok(Hit { passage: self.passage(number)?, score, words: candidate.words, vectors: candidate.vectors })
        };
        ranked.into_iter().map(hit).collect()
    }

    /// How passages can be ranked; what cannot be done is said.
    fn available_mode(
        &self,
        mode: Mode,
        embedder: Option<&Embedder>,
        remarks: &mut Vec<String>,
    ) -> Result<Mode, RetrievalError> {
        if mode == Mode::Words {
            return Ok(mode);
        }
        let Some(info) = &self.header().vectors else {
            if mode == Mode::Vectors {
                return Err(RetrievalError::NoVectors(self.folder().to_owned()));
            }
            remarks.push("searched by words alone: the index holds no vectors".to_owned());
            return Ok(Mode::Words);
        };
        match embedder {
            Some(embedder) if embedder.model() == info.model => Ok(mode),
            _ if mode == Mode::Vectors => Err(RetrievalError::Vectors {
                model: info.model.clone(),
                reason: "the model of the index is not there to embed the question".to_owned(),
                remedy: None,
            }),
            _ => {
                remarks.push(format!("searched by words alone: `{}` is not there to embed the question", info.model));
                Ok(Mode::Words)
            }
        }
    }

    /// Why a search found nothing: the filter lets nothing through, or no word of the question occurs.
    pub(crate) fn empty_search_reasons(&self, search: &SearchRequest) -> Result<Vec<String>, RetrievalError> {
        let mut reasons = self.empty_filter_reasons(&search.filter)?;
        if reasons.is_empty() {
            let which = if search.filter.is_empty() { "" } else { " that the filter lets through" };
            reasons.push(format!("no passage{which} holds a word of the question, in its text or in a field"));
        }
        Ok(reasons)
    }

    /// Why a filter lets nothing through, where it does.
    fn empty_filter_reasons(&self, filter: &Filter) -> Result<Vec<String>, RetrievalError> {
        let is_empty = self.matching_documents(filter)?.is_some_and(|allowed| !allowed.contains(&true));
        if !is_empty {
            return Ok(Vec::new());
        }
        let mut remarks = Vec::new();
        for (field, condition) in filter.conditions() {
            let values = self.values(field);
            if !values.iter().any(|value| Condition::holds(condition, value)) {
                let mut some: Vec<String> = values.iter().take(SHOWN).filter_map(scalar_text).collect();
                if values.len() > SHOWN {
                    some.push("…".to_owned());
                }
                remarks.push(format!("no document has such a `{field}`; there are {}", some.join(", ")));
            }
        }
        if remarks.is_empty() {
            remarks.push("no document fulfils all conditions of the filter at once".to_owned());
        }
        Ok(remarks)
    }
}

/// Values of a field that are named.
const SHOWN: usize = 12;

/// A score as a share of the best one; what is not above zero speaks for nothing.
fn relative_score(score: f64, best: f64) -> f64 {
    if best > 0.0 { score.max(0.0) / best } else { 0.0 }
}

fn reciprocal_rank(at: usize) -> f64 {
    1.0 / (FUSION + (at + 1) as f64)
}
