//! Care: does a reply leave the choice to the user, promise only what can be known, and stay with what hurts?
//!
//! Three checkers read one exchange, a user's message and a reply. In the `published` profile they are lists of phrases,
//! published with the Synthesis project and reproduced hit for hit; the lists are data (`data/care/*.yaml`) that a user
//! can extend or replace. In the `improved` profile they read who says what to whom: quotation, negation, reported speech,
//! orders by mood, claims by tense and person. `verdict` in the module of each is what it says of a sample, typed; the
//! metrics of this family give the same verdicts as scores with evidence.
//!
//! ```
//! use probare_core::{Case, Output, Profile, Sample};
//! use probare_metrics::care::{Lexicon, agency_language, topic_pivot, unverifiable_reassurance};
//!
//! let lexicon = Lexicon::bundled();
//! let case = Case {
//!     query: Some("I'm scared of Monday.".into()),
//!     response: Some(Output::new("You should just do it. You'll be fine.")),
//!     ..Case::default()
//! };
//! let sample = Sample::from_case(&case);
//! assert!(!agency_language::verdict(sample, &lexicon, Profile::Published)?.pass);
//! let reassurance = unverifiable_reassurance::verdict(sample, &lexicon, Profile::Published)?;
//! assert_eq!(reassurance.hits(), ["You'll be fine"]);
//! assert_eq!(topic_pivot::verdict(sample, &lexicon, Profile::Published)?.strength.name(), "clear_fail");
//! # Ok::<(), probare_core::ScoreError>(())
//! ```

use probare_core::MetricDef;

pub mod agency_language;
pub mod grounded_uptake;
pub mod performative_empathy;
pub mod synthesis_1_3;
pub mod topic_pivot;
pub mod unverifiable_reassurance;

mod closeness;
mod exchange;
mod improved;
mod lexicon;
mod phrases;

pub use agency_language::AgencyVerdict;
pub use closeness::{Opening, round_similarity, similarity};
pub use exchange::{CareConfig, Options, Strictness};
pub use lexicon::{Extends, Family, Lexicon, LexiconError, LexiconFile, LexiconHit, PhraseGroup, Upstream};
pub use phrases::{NotationError, is_js_whitespace};
pub use topic_pivot::{PivotStrength, PivotVerdict};
pub use unverifiable_reassurance::ReassuranceVerdict;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[
    &agency_language::DEF,
    &grounded_uptake::DEF,
    &performative_empathy::DEF,
    &topic_pivot::DEF,
    &unverifiable_reassurance::DEF,
];
