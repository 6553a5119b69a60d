//! The nouns of Probare.
//!
//! Data flows one way: a file holds [`Case`]s; a model may add an [`Output`]; a [`Metric`] looks at the [`Sample`]
//! (case and output together) and returns an [`Outcome`]: a [`Score`] with its [`Evidence`], or the reason why the
//! question does not apply. What cannot be scored is a [`ScoreError`] and never a number. [`Event`]s carry results to
//! [`Sink`]s, which write reports.
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

mod case;
mod event;
mod evidence;
mod judge;
mod metric;
mod registry;
mod sample;
mod score;
mod suggest;
mod value;

pub use case::{Case, Citation, Field, Passage};
pub use event::{CaseResult, Event, MetricInfo, Named, Problem, Sink, Stop};
pub use evidence::{Evidence, EvidenceKind, Place};
pub use judge::{Judge, Message, Question, Reply, Role, Turn};
pub use metric::{Better, BuildError, Metric, MetricDef, MetricKind, Profile, last_segment, parent_segment};
pub use registry::{Registry, UnknownMetric};
pub use sample::{Output, Sample};
pub use score::{Outcome, Parts, Score, ScoreError};
pub use suggest::closest;
pub use value::{NotFinite, Value};

#[doc(hidden)]
pub mod reexport {
    //! What the `metric!` macro needs at its call site.
    pub use schemars;
    pub use serde_json;
}
