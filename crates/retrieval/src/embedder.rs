//! [`Embedder`]: turns texts into vectors of unit length.

use std::num::NonZeroUsize;
use std::sync::Arc;

use probare_core::{Backend, BackendAnswer, BuildError, JudgeAction};
use probare_models::embedding::{LocalModel, MiniLm, ModelError};

use crate::RetrievalError;

/// The model that is used where none is named.
pub(crate) const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2";

/// A model that gives vectors.
pub struct Embedder {
    model: String,
    kind: EmbedderKind,
}

enum EmbedderKind {
    Local(Box<MiniLm>),
    Server(Arc<dyn Backend>),
    Given(Box<EmbedFunction>),
}

/// A function from texts to vectors.
type EmbedFunction = dyn Fn(&[&str]) -> Vec<Vec<f32>> + Send + Sync;

impl Embedder {
    /// The model that is used where none is named.
    pub const DEFAULT_MODEL: &'static str = DEFAULT_MODEL;

    /// The model of the vectors that an index has. Its name stands in a file that may be anybody's, so it is compared and
    /// never resolved: a model of this machine is known by its name, any other must be the one that the user names.
    pub fn for_index(index: &str, named: Option<&str>, outside: &Arc<dyn Backend>) -> Result<Self, RetrievalError> {
        let wrong = |reason: String, remedy: &str| {
            Err(RetrievalError::Vectors { model: index.to_owned(), reason, remedy: Some(remedy.to_owned()) })
        };
        match named {
            Some(named) if named == index => Self::open(named, outside),
            Some(named) => wrong(
                format!("the index has vectors of this model, and `{named}` is named"),
                "name the model that the index was made with, or make it anew",
            ),
            None if LocalModel::from_name(index).is_ok() => Self::open(index, outside),
            None => wrong(
                "it is not computed on this machine, and an index does not decide who is asked".to_owned(),
                "if you know and trust the model, name it yourself: --embedding MODEL, or `retrieval: {embedding: MODEL}` in \
                 probare.yaml",
            ),
        }
    }

    /// Opens a model that the user names: one that is computed here, or one that `outside` asks.
    pub fn open(model: &str, outside: &Arc<dyn Backend>) -> Result<Self, RetrievalError> {
        let wrong = |reason: String, remedy| RetrievalError::Vectors { model: model.to_owned(), reason, remedy };
        let kind = if let Ok(known) = LocalModel::from_name(model) {
            let local = MiniLm::open().map_err(|error| match error {
                ModelError::NotFetched { .. } => {
                    wrong("the model is not on this machine".to_owned(), Some(known.remedy()))
                }
                other => wrong(other.to_string(), Some(known.remedy())),
            })?;
            EmbedderKind::Local(Box::new(local))
        } else {
            outside.can_embed(model).map_err(|error| match error {
                BuildError::Missing { what, remedy } => wrong(format!("{what} is missing"), Some(remedy)),
                other => wrong(other.to_string(), None),
            })?;
            EmbedderKind::Server(Arc::clone(outside))
        };
        Ok(Self { model: model.to_owned(), kind })
    }

    /// A model that is a function, under a name of its own.
    pub fn from_function(model: &str, function: impl Fn(&[&str]) -> Vec<Vec<f32>> + Send + Sync + 'static) -> Self {
        Self { model: model.to_owned(), kind: EmbedderKind::Given(Box::new(function)) }
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// One vector for each text, in their order, each of length one.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, RetrievalError> {
        let mut vectors = match &self.kind {
            EmbedderKind::Local(model) => {
                model.embed(texts, std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
            }
            EmbedderKind::Given(function) => function(texts),
            EmbedderKind::Server(server) => {
                let texts = texts.iter().map(|text| (*text).to_owned()).collect();
                let answers = server.answer("retrieval", &JudgeAction::Embed { model: self.model.clone(), texts });
                let vector = |answer: &BackendAnswer| answer.vector().map(<[f32]>::to_vec);
                answers.iter().map(vector).collect::<Result<_, _>>().map_err(|error| self.wrong(error.to_string()))?
            }
        };
        if vectors.len() != texts.len() {
            return Err(self.wrong(format!("it gave {} vectors for {} texts", vectors.len(), texts.len())));
        }
        let dimensions = vectors.first().map_or(0, Vec::len);
        for vector in &mut vectors {
            if vector.len() != dimensions || dimensions == 0 {
                return Err(self.wrong("its vectors have different lengths".to_owned()));
            }
            normalise(vector);
        }
        Ok(vectors)
    }

    fn wrong(&self, reason: String) -> RetrievalError {
        RetrievalError::Vectors { model: self.model.clone(), reason, remedy: None }
    }
}

/// Brings a vector to length one. One that has it within rounding is left as it is, so that what was computed stays.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum::<f64>().sqrt();
    if length > 0.0 && (length - 1.0).abs() > 1e-5 {
        for number in vector {
            #[expect(clippy::cast_possible_truncation, reason = "a vector is kept in single precision")]
            let shorter = (f64::from(*number) / length) as f32;
            *number = shorter;
        }
    }
}
