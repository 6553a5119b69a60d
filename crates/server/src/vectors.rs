//! [`LocalVectors`]: what metrics may ask of a server. Vectors that are computed on this machine, and nothing else: a
//! client must not make the server call others with its keys.

use probare_benchmarks::registry;
use probare_core::{Backend, BackendAnswer, BuildError, JudgeAction, Submission, Trust};
use probare_engine::{ModelAccess, ModelAccessError, ModelBackend};
use probare_models::embedding::LocalModel;

/// Answers metrics that want vectors of a model on this machine. What a client is told names nothing of the machine.
pub(crate) struct LocalVectors(ModelBackend);

impl LocalVectors {
    pub fn new() -> Result<Self, ModelAccessError> {
        ModelAccess::local().open(&mut [], registry()).map(Self)
    }
}

impl Backend for LocalVectors {
    fn answer(&self, metric: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        self.0.answer(metric, turn)
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        self.0.submit(metric, turn)
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        let what = format!("the embedding model `{model}`");
        if LocalModel::from_name(model).is_err() {
            let remedy = "a server computes vectors only with models on its own machine".to_owned();
            return Err(BuildError::Missing { what, remedy });
        }
        // Why it cannot be used may name a path; that is for the operator.
        self.0.can_embed(model).map_err(|_| BuildError::Missing {
            what,
            remedy: "the operator of this server can fetch it with `probare models pull`".to_owned(),
        })
    }

    fn model_digest(&self, model: &str) -> Option<String> {
        self.0.model_digest(model)
    }

    fn can_run(&self, environment: &str) -> Result<(), BuildError> {
        self.0.can_run(environment)
    }

    fn max_concurrent_cases(&self) -> usize {
        self.0.max_concurrent_cases()
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn trust(&self) -> Trust {
        self.0.trust()
    }
}
