//! [`EvaluationError`]: why a run cannot be made of a configuration, or not be brought to its end.

use probare_core::BuildError;
use probare_formats::{CaseFileError, MapError};
use probare_models::CallError;
use probare_retrieval::RetrievalError;
use probare_store::StoreError;

use crate::decide_early::EarlyDecisionError;
use crate::drive::DriveError;
use crate::{ModelAccessError, PlanError, RunError};

/// A run cannot be made of a configuration, or not be brought to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// There is nothing to look at.
    #[error("`{config}` names no data set")]
    NoDataset { config: String },
    /// Two data sets of one name.
    #[error("two data sets are called `{name}`")]
    SameDataset { name: String },
    /// A data set cannot be read.
    #[error(transparent)]
    Open(#[from] CaseFileError),
    /// A mapping cannot be used.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A mapped column is not there.
    #[error("`{path}` has no column `{column}`, which {field} is mapped to; its columns are {columns}")]
    NoColumn { path: String, field: String, column: String, columns: String },
    /// The prompt of the models under test cannot be used.
    #[error("`generate`: {0}")]
    Prompt(BuildError),
    /// A text of one of several prompts cannot be read.
    #[error("prompt `{prompt}`")]
    PromptFile { prompt: String, source: CaseFileError },
    /// No case has what the prompt of the models under test wants.
    #[error("`generate`: no case of `{dataset}` has `{{{{{name}}}}}`, which {place} wants; the cases have {columns}")]
    UnknownVariable {
        dataset: String,
        /// The name in the prompt.
        name: String,
        /// Where it stands.
        place: String,
        /// What cases have.
        columns: String,
        /// One of those with a similar name.
        similar: Option<String>,
    },
    /// A prompt that is asked for is not there.
    #[error("there is no prompt `{prompt}` in `generate.prompts`")]
    UnknownPrompt { prompt: String, known: Vec<String>, similar: Option<String> },
    /// A model under test is not among the models.
    #[error("`generate.models` names `{model}`, which is not among `models`")]
    UnknownModel { model: String, similar: Option<String> },
    /// The agent of the run cannot be used.
    #[error("`agent`: {0}")]
    Agent(String),
    /// Cases have tools, and a model cannot be given them.
    #[error("case `{id}` of `{dataset}` has tools, and {who} cannot be given any")]
    NoTools {
        dataset: String,
        id: String,
        /// Who cannot.
        who: String,
    },
    /// What a case expects cannot be used.
    #[error("case `{id}` of `{dataset}`: {reason}")]
    Expectation { dataset: String, id: String, reason: String },
    /// Something is expected of a metric that is not computed.
    #[error("cases of `{dataset}` have expectations about `{metric}`, which is not among the metrics")]
    NotComputed {
        dataset: String,
        metric: String,
        /// A metric with a similar name.
        similar: Option<String>,
    },
    /// The models cannot be asked.
    #[error(transparent)]
    Ask(#[from] ModelAccessError),
    /// The batches of the run cannot be used.
    #[error("the batches of the run cannot be used")]
    Batch(#[source] CallError),
    /// The index cannot be searched.
    #[error(transparent)]
    Retrieval(#[from] RetrievalError),
    /// The metrics cannot be used.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its gates cannot be decided before its last case.
    #[error(transparent)]
    Early(#[from] EarlyDecisionError),
    /// It is to go on with other gates than those that it began with.
    #[error("this run was started with other gates; start a new one")]
    OtherGates,
    /// The store refused. What it holds can be resumed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run broke off.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<DriveError> for EvaluationError {
    fn from(error: DriveError) -> Self {
        Self::Run(error.into())
    }
}
