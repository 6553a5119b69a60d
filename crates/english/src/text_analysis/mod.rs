//! One analysis of English for all who ask: sentences of words in lower case, each leading back to its bytes, with what a
//! reader takes in without thinking about it.
//!
//! [`TextAnalysis::new`] cuts Markdown, lists, headings and tables before it cuts sentences, writes out chat spellings, and sets
//! quotations and code apart. Each sentence knows its [`BlockKind`], its [`Mood`] and its [`BoilerplateKind`]: talk about the answer itself, a
//! formula of politeness, or a word of declining. A [`Scope`] tells what is said at a place from what is denied, supposed,
//! asked, reported or taken back there. The words that decide are those of the [`lexicon`](crate::lexicon).
//!
//! Reading needs neither tags nor trees and takes time in proportion to the text.
//!
//! ```
//! use probare_english::text_analysis::{BoilerplateKind, Mood, TextAnalysis};
//!
//! let analysis = TextAnalysis::new("Based on the passages, it opened in 1911.\n\n- Maybe ask the office?\n\nI hope this helps!");
//! let [first, second, third] = &analysis.sentences[..] else { panic!() };
//! assert_eq!(analysis.word(first.content_start), "it");
//! assert_eq!((second.mood, second.is_item()), (Mood::Question, true));
//! assert_eq!(third.boilerplate, Some(BoilerplateKind::Courtesy));
//! ```

mod analysis;
mod boilerplate;
mod clause;
mod denial;
mod mood;
mod quotations;
mod scope;
mod text_reader;
mod yes_no;

pub use analysis::{AnalysisSentence, AnalysisToken, BlockKind, BoilerplateKind, Mood, TextAnalysis};
pub use clause::Clause;
pub use denial::{Denial, denial, denies_by_meaning};
pub use scope::Scope;
pub use yes_no::{ClauseGap, YesNoAnswer};
