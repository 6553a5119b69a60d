//! The nouns of Probare.
//!
//! Data flows one way: a file holds [`Case`]s; a model may add an [`Output`]; a [`Metric`] looks at the [`Sample`]
//! (case and output together) and returns an [`Outcome`]: a [`Score`] with its [`Evidence`], or the reason why the
//! question does not apply. What cannot be scored is a [`ScoreError`] and never a number. A [`Judge`] asks for what it
//! needs in [`Turn`]s. [`Event`]s carry results to [`Sink`]s, which write reports; a [`Manifest`] describes the finished
//! run. A published benchmark is a [`Suite`], which opened gives a [`Job`] for the runner.
//!
//! Everything here is synchronous and pure: no files, no network, no clock, no randomness.
//!
//! ```
//! use probare_core::{Case, Evidence, Field, Outcome, Output, Sample, Score};
//!
//! let case = Case { id: "1".into(), response: Some(Output::new("The press made books cheap.")), ..Case::default() };
//! let sample = Sample::of(&case);
//! let text = sample.response()?;
//! let at = text.find("press").expect("the word is there");
//! let score = Score::ratio(1, 2)?.because([Evidence::found(Field::Response, at..at + 5, text)]);
//! assert_eq!(score.value.get(), 0.5);
//! assert_eq!(score.evidence[0].text, "press");
//! # let _: Outcome = score.into();
//! # Ok::<(), probare_core::ScoreError>(())
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod bands;
mod case;
mod code;
mod conversation;
mod digest;
mod event;
mod evidence;
mod job;
mod judge;
mod manifest;
mod metric;
mod panel;
mod per_turn;
mod readings;
mod registry;
mod request;
mod sample;
mod score;
mod suggest;
mod transcript;
mod trust;
mod value;

pub use bands::Bands;
pub use case::{Case, Citation, Field, Passage, SampleKey, Spent};
pub use code::{CODE, has_code, tell_code};
pub use conversation::{
    Content, Image, ImageKind, Message, Parameters, Part, Question, Reply, Role, StopReason, Tool, ToolCall, Usage,
};
pub use digest::Sha256;
pub use event::{Awaited, CaseResult, Detail, Event, Finish, MetricInfo, Named, Problem, ResultLine, Sink, Stop};
pub use evidence::{Evidence, EvidenceKind, LONGEST_TEXT, Place};
pub use job::{
    Batch, CaseLimit, Console, Ending, Given, Job, NoRules, Progress, Publisher, Rules, Source, SourceError, Suite,
    SuiteError,
};
pub use judge::{Answer, End, Folder, Function, Judge, Nobody, Outside, Program, Ran, RanStep, Step, Turn};
pub use manifest::{
    EmbeddingUsed, FORMAT, Generation, Input, Maker, Manifest, MeansOver, ModelUsed, OLDEST_FORMAT, PromptUsed,
    Reading, SandboxUsed, Stored, SuiteCall,
};
pub use metric::{
    Better, BuildError, Lack, Metric, MetricDef, MetricKind, Profile, Scorer, last_segment, parent_segment,
};
pub use panel::{Chip, Panel, PanelCell, PanelChart, PanelTable, Tone};
pub use per_turn::is_per_turn;
pub use readings::{Readings, RunReadings};
pub use registry::{Registry, UnknownMetric};
pub use request::{MetricRequest, RequestError, TRAJECTORY};
pub use sample::{Output, Sample};
pub use score::{Decider, ErrorKind, Outcome, Parts, Score, ScoreError, Told, ToldValue, UNSURE};
pub use suggest::closest;
pub use transcript::{
    Call, CallProblem, CaseMessage, ResultError, SaidPart, Speaker, TurnExpectation, pointer_step, text_of,
};
pub use trust::Trust;
pub use value::{NotFinite, Value};

#[doc(hidden)]
pub mod reexport {
    //! What the `metric!` macro needs at its call site.
    pub use schemars;
    pub use serde_json;
}
