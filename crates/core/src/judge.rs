//! [`Judge`]: a metric that needs something from outside, without any I/O.
//!
//! What a metric may need is asked, not called: a [`JudgeAction`] names questions to a model, texts to embed or programs to run,
//! and whoever drives the judge owns the network, the sandbox, the clock, the budget and the record of replies. So a judge
//! is tested with literal answers and a recorded run can be scored again offline.

use serde::{Deserialize, Serialize};

use crate::{BuildError, ChatRequest, ErrorKind, ModelReply, Outcome, Sample, ScoreError, Trust};

/// A program for the sandbox: some steps, one after another, in a folder of their own that nobody else sees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Which interpreter `python3` means: nothing for that of the machine, `conda:NAME`, `venv:FOLDER` or `python:PATH`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub environment: String,
    /// Files by name, in the folder in which the steps run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, String)>,
    /// Folders in that folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<ProgramFolder>,
    /// What is run. The first step that does not end with code 0 is the last.
    pub steps: Vec<ProgramStep>,
    /// Names of files to bring back after the last step, where they are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wanted: Vec<String>,
    /// Most memory of all its processes together, in MiB.
    pub mebibytes: u32,
    /// Whether it may run beside the next program of its turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beside: bool,
    /// A program in a sandbox of its own that runs at the same time. All that the two share is a pipe each way: either
    /// reads from descriptor 7 what the other writes to descriptor 8. It is ended with the last step of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_test: Option<Box<Program>>,
}

/// A folder of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFolder {
    /// Where it is, in the folder of the steps.
    pub path: String,
    /// The folder of this machine that is copied there; an empty folder if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// SHA-256 of what that folder holds, set by whoever runs or recalls the program: a record tells a repaired file from the
    /// one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether it is an empty folder where that of the machine is not there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// One step of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramStep {
    /// What to run, with its arguments.
    pub command: Vec<String>,
    /// What it reads from standard input.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub input: String,
    /// Milliseconds after which it is ended.
    pub milliseconds: u64,
}

impl ProgramStep {
    /// A step that reads nothing.
    pub fn new(command: &[&str], seconds: u32) -> Self {
        let command = command.iter().map(|&part| part.to_owned()).collect();
        Self { command, input: String::new(), milliseconds: u64::from(seconds) * 1000 }
    }
}

/// What became of a program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramResult {
    /// The steps that were started.
    pub steps: Vec<StepResult>,
    /// The wanted files that were there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<(String, String)>,
    /// The wanted files that were there and were larger than what is brought back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub oversized: Vec<String>,
    /// What became of the program under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under_test: Option<Box<ProgramResult>>,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEnd {
    /// By itself.
    #[default]
    Exited,
    /// Its time was over.
    TimedOut,
    /// Its processes took more memory than they may.
    OutOfMemory,
    /// It printed more than it may.
    TooMuchOutput,
    /// It made more files than it may.
    TooManyFiles,
}

/// What became of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepResult {
    /// How it ended.
    pub end: StepEnd,
    /// Its exit code, 128 and the number of the signal where a signal ended it; nothing where it was ended from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// What it printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// What it complained about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub errors: String,
    /// Whether `output` or `errors` is only the beginning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// Seconds that it took.
    pub seconds: f64,
}

impl StepResult {
    /// Whether it ended by itself with code 0.
    pub fn is_fine(&self) -> bool {
        self.end == StepEnd::Exited && self.code == Some(0)
    }
}

/// What a judge wants next.
#[derive(Debug, Clone, PartialEq)]
pub enum JudgeAction {
    /// Ask a model these questions; they do not depend on each other.
    Ask(Vec<ChatRequest>),
    /// Turn these texts into vectors.
    Embed {
        /// The model whose vectors are wanted.
        model: String,
        /// The texts.
        texts: Vec<String>,
    },
    /// Run these programs in the sandbox, one after another, unless they say that they may run beside each other.
    Run(Vec<Program>),
    /// Enough was heard.
    Done(Outcome),
}

/// The answer to one question, text or program of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum BackendAnswer {
    /// To a question.
    Reply(ModelReply),
    /// To a text.
    Vector(Vec<f32>),
    /// To a program.
    ProgramResult(ProgramResult),
    /// To a text or program that nobody could answer.
    Failed {
        /// What kind of failure.
        kind: ErrorKind,
        /// What happened.
        reason: String,
    },
}

impl BackendAnswer {
    /// The reply; an error where this is another answer.
    pub fn reply(&self) -> Result<&ModelReply, ScoreError> {
        match self {
            Self::Reply(reply) => Ok(reply),
            Self::Failed { kind, reason } => Err(ScoreError::other(*kind, reason.clone())),
            _ => Err(ScoreError::Internal { reason: "a reply is expected, but something else was answered".into() }),
        }
    }

    /// The vector; an error where this is another answer.
    pub fn vector(&self) -> Result<&[f32], ScoreError> {
        match self {
            Self::Vector(vector) => Ok(vector),
            Self::Failed { kind, reason } => Err(ScoreError::other(*kind, reason.clone())),
            _ => Err(ScoreError::Internal { reason: "a vector is expected, but something else was answered".into() }),
        }
    }

    /// What became of a program; an error where this is another answer.
    pub fn program_result(&self) -> Result<&ProgramResult, ScoreError> {
        match self {
            Self::ProgramResult(ran) => Ok(ran),
            Self::Failed { kind, reason } => Err(ScoreError::other(*kind, reason.clone())),
            _ => Err(ScoreError::Internal {
                reason: "a program's end is expected, but something else was answered".into(),
            }),
        }
    }
}

/// A metric that asks. `next_action` is called with all answers so far, in the order of asking, until it is done.
pub trait Judge: Send + Sync {
    /// What to do after these answers. An unreadable reply is an error, not a zero.
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError>;

    /// The model whose vectors it wants, where it rests on nothing else from outside: the same texts have the same vectors,
    /// so such a metric can be computed again.
    fn sole_embedding_model(&self) -> Option<&str> {
        None
    }

    /// The model whose vectors it wants, whatever else it asks for: whether there is one is looked at before a run starts.
    fn embedding_model(&self) -> Option<&str> {
        self.sole_embedding_model()
    }

    /// The environment of the programs that it wants to be run, where it wants any; asked before a run starts.
    fn program_environment(&self) -> Option<&str> {
        None
    }
}

/// Answers what judges ask: models, embeddings, a sandbox, or a record of what they said before. Every method is required:
/// one that hands questions on hands on all of them.
pub trait Backend: Send + Sync {
    /// One answer for each question, text or program of the turn, in its order. `metric` is the name in this run.
    fn answer(&self, metric: &str, turn: &JudgeAction) -> Vec<BackendAnswer>;

    /// The same for whoever does not want to wait on this thread: the answers, or how to get them later.
    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission;

    /// Whether it can give vectors of this model; asked before a run starts, so that nobody waits for a run without any.
    fn can_embed(&self, model: &str) -> Result<(), BuildError>;

    /// What identifies a model that is computed here; nothing for one that a server computes.
    fn model_digest(&self, model: &str) -> Option<String>;

    /// Whether it can run programs in this environment; asked before a run starts.
    fn can_run(&self, environment: &str) -> Result<(), BuildError>;

    /// How many cases may wait for answers at once; with one, cases are as fast as threads.
    fn max_concurrent_cases(&self) -> usize;

    /// How many threads are of use beyond those that compute, since [`submit`](Self::submit) waits on its thread.
    fn threads(&self) -> usize;

    /// Whose word it follows.
    fn trust(&self) -> Trust;
}

/// Takes the answers to a turn, once, on any thread.
pub type AnswerSender = Box<dyn FnOnce(Vec<BackendAnswer>) + Send>;

/// What became of a turn that was submitted.
pub enum Submission {
    /// The answers are there.
    Answered(Vec<BackendAnswer>),
    /// They come later, to whoever is named here; where that is dropped, they never come.
    Pending(Box<dyn FnOnce(AnswerSender) + Send>),
}

/// Nobody is there to ask: every answer is missing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBackend;

impl Backend for NoBackend {
    fn answer(&self, _: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let (count, what) = match turn {
            JudgeAction::Ask(questions) => (questions.len(), "no model is named to ask"),
            JudgeAction::Embed { texts, .. } => (texts.len(), "no embedding model is named"),
            JudgeAction::Run(programs) => (programs.len(), "no sandbox is there to run programs"),
            JudgeAction::Done(_) => (0, ""),
        };
        vec![BackendAnswer::Failed { kind: ErrorKind::Missing, reason: what.to_owned() }; count]
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        Submission::Answered(self.answer(metric, &turn))
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        Err(BuildError::Missing {
            what: format!("the embedding model `{model}`"),
            remedy: "nothing here can compute vectors".to_owned(),
        })
    }

    fn model_digest(&self, _: &str) -> Option<String> {
        None
    }

    fn can_run(&self, _: &str) -> Result<(), BuildError> {
        Err(BuildError::Missing {
            what: "a sandbox for programs".to_owned(),
            remedy: "nothing here can run them".to_owned(),
        })
    }

    fn max_concurrent_cases(&self) -> usize {
        1
    }

    fn threads(&self) -> usize {
        1
    }

    fn trust(&self) -> Trust {
        Trust::LocalOnly
    }
}

/// A function that answers, and nothing else: one case at a time, with vectors and programs as the function gives them.
pub struct FnBackend<F>(pub F);

impl<F: Fn(&str, &JudgeAction) -> Vec<BackendAnswer> + Send + Sync> Backend for FnBackend<F> {
    fn answer(&self, metric: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        (self.0)(metric, turn)
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        Submission::Answered(self.answer(metric, &turn))
    }

    fn can_embed(&self, _: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn model_digest(&self, _: &str) -> Option<String> {
        None
    }

    fn can_run(&self, _: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn max_concurrent_cases(&self) -> usize {
        1
    }

    fn threads(&self) -> usize {
        1
    }

    fn trust(&self) -> Trust {
        Trust::LocalOnly
    }
}
