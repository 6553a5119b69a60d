//! [`LocalVectors`]: what metrics may ask of a server. Vectors that are computed on this machine, and nothing else: a
//! client must not make the server call others with its keys.

use probare_core::{Answer, BuildError, Nobody, Outside, Turn};
use probare_models::Options;
use probare_models::embedding::{Embeddings, KnownModel};

/// Answers metrics that want vectors of a model on this machine.
pub(crate) struct LocalVectors(Embeddings);

impl LocalVectors {
    pub fn new() -> Self {
        Self(Embeddings::new(Vec::new(), Options::default()))
    }
}

impl Outside for LocalVectors {
    fn answer(&self, metric: &str, turn: &Turn) -> Vec<Answer> {
        match turn {
            Turn::Embed { model, .. } if KnownModel::named(model).is_ok() => self.0.answer(metric, turn),
            _ => Nobody.answer(metric, turn),
        }
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        let what = format!("the embedding model `{model}`");
        if KnownModel::named(model).is_err() {
            let remedy = "a server computes vectors of models on its own machine alone".to_owned();
            return Err(BuildError::Missing { what, remedy });
        }
        // Why it cannot be used may name a path; that is for the operator.
        self.0.can_embed(model).map_err(|_| BuildError::Missing {
            what,
            remedy: "the operator of this server can fetch it with `probare models pull`".to_owned(),
        })
    }
}
