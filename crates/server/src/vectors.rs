//! [`LocalVectors`]: what metrics may ask of a server. Vectors that are computed on this machine, and nothing else: a
//! client must not make the server call others with its keys.

use probare_core::{Answer, BuildError, Outside, Trust, Turn};
use probare_metrics::registry;
use probare_models::embedding::KnownModel;
use probare_runner::{AskError, Asked, Asking};

/// Answers metrics that want vectors of a model on this machine. What a client is told names nothing of the machine.
pub(crate) struct LocalVectors(Asked);

impl LocalVectors {
    pub fn new() -> Result<Self, AskError> {
        Asking::local().open(&mut [], registry()).map(Self)
    }
}

impl Outside for LocalVectors {
    fn answer(&self, metric: &str, turn: &Turn) -> Vec<Answer> {
        self.0.answer(metric, turn)
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

    fn digest(&self, model: &str) -> Option<String> {
        self.0.digest(model)
    }

    fn can_run(&self, environment: &str) -> Result<(), BuildError> {
        self.0.can_run(environment)
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn trust(&self) -> Trust {
        self.0.trust()
    }
}
