//! [`Search`]: a question to an index; [`Hit`]: a passage with how its score came about.
//!
//! Words are ranked by BM25 (k1 1.2, b 0.75), vectors by their cosine. Both together are ranked by reciprocal rank fusion
//! (Cormack, Clarke and Büttcher 2009): a passage gets 1 / (60 + its rank) from each ranking that it is in. Equal scores are
//! ranked in the order of the corpus.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::filter::plain;
use crate::{Condition, Embedder, Filter, Index, Passage, RetrievalError};

/// What is added to a rank before it is turned over.
const FUSION: f64 = 60.0;

/// Passages of each ranking that are put together, at least.
const DEPTH: usize = 100;

/// How passages are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By words and by vectors.
    #[default]
    Hybrid,
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
            Self::Words => "words",
            Self::Vectors => "vectors",
        }
    }
}

/// A question to an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// What is asked.
    pub question: String,
    /// Most passages.
    pub k: usize,
    /// Which documents are searched.
    pub filter: Filter,
    /// How they are ranked.
    pub mode: Mode,
}

impl Search {
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
    /// The terms that make the score.
    pub terms: Vec<TermShare>,
}

/// The part of the vectors in a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VectorShare {
    /// Its rank by vectors, from 1.
    pub rank: usize,
    /// The cosine of question and passage.
    pub cosine: f64,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The passage.
    pub passage: Passage,
    /// What it is ranked by: BM25, cosine, or the sum of the reciprocal ranks.
    pub score: f64,
    /// How words speak for it; nothing where it is not among the best by words.
    pub words: Option<WordShare>,
    /// How vectors speak for it; nothing where it is not among the best by vectors.
    pub vectors: Option<VectorShare>,
}

impl std::ops::Deref for Hit {
    type Target = Passage;

    fn deref(&self) -> &Passage {
        &self.passage
    }
}

impl Hit {
    /// The hit in JSON, for whoever reads results.
    pub fn to_json(&self) -> Json {
        let Passage { id, document, span, line, page, text, metadata, .. } = &self.passage;
        json!({
            "id": id, "document": document, "start": span.start, "end": span.end, "line": line, "page": page,
            "score": self.score, "words": self.words, "vectors": self.vectors, "text": text, "metadata": metadata,
        })
    }

    /// How the score came about, in a line.
    pub fn explanation(&self) -> String {
        let mut parts = Vec::new();
        if let Some(WordShare { rank, score, terms }) = &self.words {
            let mut terms = terms.clone();
            terms.sort_by(|one, other| other.score.total_cmp(&one.score));
            let each: Vec<String> = terms.iter().map(|share| format!("{} {:.2}", share.term, share.score)).collect();
            parts.push(format!("words: rank {rank}, BM25 {score:.2} = {}", each.join(" + ")));
        }
        if let Some(VectorShare { rank, cosine }) = &self.vectors {
            parts.push(format!("vectors: rank {rank}, cosine {cosine:.3}"));
        }
        parts.join("; ")
    }
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
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
    score: f64,
    words: Option<WordShare>,
    vectors: Option<VectorShare>,
}

impl Index {
    /// The best passages for a question. Without an embedder, or in an index without vectors, a hybrid search goes by words
    /// alone and says so; a search by vectors is then an error.
    pub fn search(&self, search: &Search, embedder: Option<&Embedder>) -> Result<Found, RetrievalError> {
        let mut remarks = Vec::new();
        let mode = self.possible(search.mode, embedder, &mut remarks)?;
        let vector = match (mode, embedder) {
            (Mode::Hybrid | Mode::Vectors, Some(embedder)) => embedder.embed(&[&search.question])?.into_iter().next(),
            _ => None,
        };
        let hits = self.search_with(search, mode, vector.as_deref())?;
        if hits.is_empty() {
            remarks.extend(self.why_empty(&search.filter)?);
        }
        Ok(Found { hits, mode, remarks })
    }

    /// The same with a vector of the question that is there already.
    pub fn search_with(&self, search: &Search, mode: Mode, vector: Option<&[f32]>) -> Result<Vec<Hit>, RetrievalError> {
        let allowed = self.allowed(&search.filter)?;
        // A ranking that is put together with another one has to be deeper than what is wanted of both.
        let depth = if mode == Mode::Hybrid { search.k.saturating_mul(2).max(DEPTH) } else { search.k };
        let depth = depth.min(usize::try_from(self.header().passages).unwrap_or(usize::MAX));
        let mut candidates: BTreeMap<u64, Candidate> = BTreeMap::new();
        if matches!(mode, Mode::Hybrid | Mode::Words) {
            for (at, scored) in self.by_words(&search.question, depth, allowed.as_ref())?.into_iter().enumerate() {
                let candidate = candidates.entry(scored.number).or_default();
                candidate.score += if mode == Mode::Hybrid { reciprocal(at) } else { scored.score };
                let terms = scored.terms.into_iter().map(|(term, score)| TermShare { term, score }).collect();
                candidate.words = Some(WordShare { rank: at + 1, score: scored.score, terms });
            }
        }
        if matches!(mode, Mode::Hybrid | Mode::Vectors) {
            let vector = vector.unwrap_or_default();
            let nearest = self
                .by_vector(vector, depth, allowed.as_ref())?
                .ok_or_else(|| RetrievalError::NoVectors(self.folder().to_owned()))?;
            for (at, (number, cosine)) in nearest.into_iter().enumerate() {
                let cosine = f64::from(cosine);
                let candidate = candidates.entry(number).or_default();
                candidate.score += if mode == Mode::Hybrid { reciprocal(at) } else { cosine };
                candidate.vectors = Some(VectorShare { rank: at + 1, cosine });
            }
        }
        let mut ranked: Vec<(u64, Candidate)> = candidates.into_iter().collect();
        // The order before is that of the corpus, and equals keep it.
        ranked.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
        ranked.truncate(search.k);
        let hit = |(number, Candidate { score, words, vectors }): (u64, Candidate)| {
            Ok(Hit { passage: self.passage(number)?, score, words, vectors })
        };
        ranked.into_iter().map(hit).collect()
    }

    /// How passages can be ranked; what cannot be done is said.
    fn possible(
        &self,
        wanted: Mode,
        embedder: Option<&Embedder>,
        remarks: &mut Vec<String>,
    ) -> Result<Mode, RetrievalError> {
        if wanted == Mode::Words {
            return Ok(wanted);
        }
        let Some(info) = &self.header().vectors else {
            if wanted == Mode::Vectors {
                return Err(RetrievalError::NoVectors(self.folder().to_owned()));
            }
            remarks.push("searched by words alone: the index holds no vectors".to_owned());
            return Ok(Mode::Words);
        };
        match embedder {
            Some(embedder) if embedder.model() == info.model => Ok(wanted),
            _ if wanted == Mode::Vectors => Err(RetrievalError::Vectors {
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

    /// Why a filter lets nothing through, where it does.
    fn why_empty(&self, filter: &Filter) -> Result<Vec<String>, RetrievalError> {
        let is_empty = self.allowed(filter)?.is_some_and(|allowed| !allowed.contains(&true));
        if !is_empty {
            return Ok(Vec::new());
        }
        let mut remarks = Vec::new();
        for (field, condition) in filter.conditions() {
            let values = self.values(field);
            if !values.iter().any(|value| Condition::holds(condition, value)) {
                let mut some: Vec<String> = values.iter().take(SHOWN).filter_map(plain).collect();
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

fn reciprocal(at: usize) -> f64 {
    1.0 / (FUSION + (at + 1) as f64)
}
