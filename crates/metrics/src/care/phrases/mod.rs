//! Phrases as data: a small notation for regular expressions, and a matcher that finds the phrases of many families at once.
//!
//! A phrase is written as it reads. Letters match without regard to ASCII case, a space is exactly one space, and an outer
//! end that is a word character must be the end of a word. These marks stand for what varies:
//!
//! | mark | meaning |
//! |---|---|
//! | `(a\|b)` | one of these, tried in this order |
//! | `[a]` | this or nothing, tried in this order |
//! | `<*>`, `<0-20>` | any characters within the line; so many of them, counted in UTF-16 units, as many as possible |
//! | `<0-20?>` | the same, as few as possible |
//! | `<letters 0-20>` | so many letters, apostrophes and spaces |
//! | `<~>`, `<end>`, `<edge>` | white space or nothing; the end of the text; the edge of a word |
//! | `<word>`, `<digits>` | one word; a whole number |
//! | `<copula>` | a word of this class of the shared lexicon (`crates/english/data/lexicon.yaml`) |

mod matcher;
mod notation;
mod whitespace;

pub use matcher::{FamilyMatch, PhraseContext, PhraseFamilies, PhraseMatcher, PlainPhrases};
pub use notation::{NotationError, Phrase};
pub use whitespace::is_js_whitespace;
