//! The nouns of Probare.
//!
//! Data flows one way: a file holds [`Case`]s; a model may add an [`Output`]; a [`Metric`] looks at the [`Sample`]
//! (case and output together) and returns an [`Outcome`]: a [`Score`] with its [`Evidence`], or the reason why the
//! question does not apply. What cannot be scored is a [`ScoreError`] and never a number. A [`Judge`] asks for what it
//! needs in [`JudgeAction`]s. [`Event`]s carry results to [`Sink`]s, which write reports; a [`Manifest`] describes the finished
//! run. A published benchmark is a [`Benchmark`], which opened gives a [`Job`] for the runner.
//!
//! Everything here is synchronous and pure: no files, no network, no clock, no randomness.
//!
//! ```
//! use probare_core::{Case, Evidence, Field, Outcome, Output, Sample, Score};
//!
//! let case = Case { id: "1".into(), response: Some(Output::new("The press made books cheap.")), ..Case::default() };
//! let sample = Sample::from_case(&case);
//! let text = sample.response()?;
//! let at = text.find("press").expect("the word is there");
//! let score = Score::ratio(1, 2)?.because([Evidence::found(Field::Response, at..at + 5, text)]);
//! assert_eq!(score.value.get(), 0.5);
//! assert_eq!(score.evidence[0].text, "press");
//! # let _: Outcome = score.into();
//! # Ok::<(), probare_core::ScoreError>(())
//! ```

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod analysis_cache;
mod build_error;
mod case;
mod conversation;
mod costs;
mod decision_thresholds;
mod digest;
mod event;
mod evidence;
mod field;
mod job;
mod judge;
mod manifest;
mod metric;
mod metric_info;
mod nonce;
mod output;
mod own_metric;
mod panel;
mod passage;
mod per_turn;
mod registry;
mod request;
mod sample;
mod score;
mod seeded_order;
mod shipped_thresholds;
mod suggest;
mod transcript;
mod trust;
mod utc;
mod value;

pub use analysis_cache::{AnalysisCache, RunAnalysisCache};
pub use build_error::BuildError;
pub use case::{AgentConversation, Case, ResponseCost, STATE, SampleKey};
pub use conversation::{
    ChatRequest, Image, ImageKind, Message, MessagePart, ModelReply, Parameters, ReplyContent, Role, StopReason, Tool,
    ToolCall, Usage,
};
pub use costs::{CallOutcome, CallPurpose, CostLine, RunCosts};
pub use decision_thresholds::DecisionThresholds;
pub use digest::{FileDigest, Sha256, hex};
pub use event::{
    BenchmarkData, CaseResult, Event, MetricResult, PendingRequests, Problem, ResultLine, RunEnd, SampleDimensions,
    Sink, output_source_name,
};
pub use evidence::{Evidence, EvidenceKind, FieldSpan, LONGEST_TEXT};
pub use field::Field;
pub use job::{
    Benchmark, BenchmarkError, BenchmarkStatus, CaseBatch, CaseLimit, CasePolicy, CaseSource, Console,
    DefaultCasePolicy, Job, MemorySource, Publisher, ReadProgress, SourceError,
};
pub use judge::{
    AnswerSender, Backend, BackendAnswer, FnBackend, Judge, JudgeAction, NoBackend, Program, ProgramFolder,
    ProgramResult, ProgramStep, StepEnd, StepResult, Submission,
};
pub use manifest::{
    AgentRecord, AgentToolRecord, AgentUserRecord, BenchmarkCall, EarlyStopRecord, EmbeddingRecord, FORMAT,
    GenerationRecord, InputFile, Manifest, MeansOver, ModelRecord, NamedPromptRecord, OLDEST_FORMAT, ProgramVersion,
    PromptRecord, ReadSettings, SandboxRecord, Stop,
};
pub use metric::{
    Better, Metric, MetricDef, MetricKind, MissingInput, OwnPrompts, Profile, Scorer, last_segment, parent_segment,
    read_options,
};
pub use metric_info::MetricInfo;
pub use nonce::{add_nonce, has_nonce};
pub use output::Output;
pub use own_metric::{CodeSource, MetricBuilder, MetricCode, OwnMetric};
pub use panel::{Chip, Panel, PanelCell, PanelChart, PanelTable, Tone};
pub use passage::{Citation, Passage};
pub use per_turn::is_per_turn;
pub use registry::{Registry, RetiredMetric, UnknownMetric};
pub use request::{MetricRequest, RequestError, TRAJECTORY};
pub use sample::Sample;
pub use score::{
    Decider, ErrorKind, LabelOnly, Outcome, ResultWithoutEvidence, Score, ScoreError, ScoreParts, SerializedResult,
    UNSURE,
};
pub use seeded_order::{order_key, seeded_order};
pub use shipped_thresholds::{LabelThreshold, ScaleCutoff, ShippedThresholds};
pub use suggest::closest;
pub use transcript::{
    ArgumentsProblem, CaseMessage, CaseMessagePart, CaseToolCall, Speaker, ToolResultError, TurnExpectation,
    escape_pointer_key, json_to_text,
};
pub use trust::Trust;
pub use utc::Utc;
pub use value::{NotFinite, Value};

#[doc(hidden)]
pub mod reexport {
    //! What the `metric!` macro needs at its call site.
    pub use schemars;
    pub use serde_json;
}
