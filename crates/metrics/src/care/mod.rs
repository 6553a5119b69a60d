//! Care: does a reply leave the choice to the user, promise only what can be known, and stay with what hurts?
//!
//! Three checkers read one exchange, a user's message and a reply. In the `reference` profile they are lists of phrases,
//! published with the Synthesis project and reproduced hit for hit; the lists are data (`data/care/*.yaml`) that a user
//! can extend or replace. In the `careful` profile they read who says what to whom: quotation, negation, reported speech,
//! orders by mood, claims by tense and person. [`examine`] and [`examine_carefully`] run all three in one pass and give
//! typed verdicts; the metrics of this family give the same verdicts as scores with evidence.
//!
//! ```
//! use probare_metrics::care::{self, Lexicon};
//!
//! let lexicon = Lexicon::bundled();
//! let verdicts = care::examine("I'm scared of Monday.", "You should just do it. You'll be fine.", &lexicon);
//! assert!(!verdicts.agency.pass);
//! assert_eq!(verdicts.reassurance.hits(), ["You'll be fine"]);
//! assert_eq!(verdicts.pivot.strength.name(), "clear_fail");
//! ```

use probare_core::MetricDef;

pub mod agency_language;
pub mod topic_pivot;
pub mod unverifiable_reassurance;

mod careful;
mod closeness;
mod exchange;
mod lexicon;
mod phrases;

pub use agency_language::Agency;
pub use closeness::{Opening, rounded, similarity};
pub use exchange::{Options, Verdicts, examine, examine_carefully};
pub use lexicon::{Extends, Family, Group, Hit, Lexicon, LexiconError, LexiconFile};
pub use phrases::{NotationError, is_free_space};
pub use topic_pivot::{Pivot, Strength};
pub use unverifiable_reassurance::Reassurance;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&agency_language::DEF, &topic_pivot::DEF, &unverifiable_reassurance::DEF];
