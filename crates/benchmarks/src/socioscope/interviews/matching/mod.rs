//! Which values an answer names, and why it is said to name them.
//!
//! A [`SurfaceTable`] holds the values of a question with everything they may look like in an answer. [`mentions`] cuts an
//! answer into segments, scans each for the longest surfaces, and holds what is left against the values by spelling
//! where that is asked for.

mod mention;
mod near_spelling;
mod scan;
mod segments;
mod table;

pub use mention::{MatchReason, Mention, MentionStatus, asserted_values, surface_reason};
pub use near_spelling::similarity;
pub use scan::{FormToken, form_tokens};
pub use segments::{items, segments, without_numbering};
pub use table::{SurfaceOrigin, SurfaceTable};

use probare_text::number_words::canonical;
use probare_text::wordnet::WordNet;

use super::inputs::AnswerItem;

/// What counts as a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchOptions {
    /// Whether synonyms of WordNet stand for a value, and nouns for their plurals.
    pub synonyms: bool,
    /// Least similarity of an item in which nothing matched to a value; nothing where spelling must be right.
    pub fuzzy: Option<f64>,
    /// Whether the whole answer is one item when spellings are compared.
    pub whole: bool,
}

/// What the answer names, in order: what was found by scanning, then what was found by spelling. Denied values are among
/// them with their standing.
pub fn mentions(
    answer: &[AnswerItem<'_>],
    table: &SurfaceTable,
    matching: MatchOptions,
    wordnet: &WordNet,
) -> Vec<Mention> {
    let mut found = Vec::new();
    for item in answer {
        for segment in segments(item.text(), table.kept_separators()) {
            probare_cancellation::count_steps(1);
            scan::scan(item, segment, table, matching.synonyms.then_some(wordnet), &mut found);
        }
    }
    if let Some(threshold) = matching.fuzzy {
        let scanned = found.len();
        for item in answer {
            let pieces = if matching.whole {
                vec![without_numbering(item.text(), 0..item.text().len())]
            } else {
                items(item.text(), table.kept_separators())
            };
            for piece in pieces {
                probare_cancellation::count_steps(1);
                let span = item.span(piece.clone());
                let taken = |mention: &Mention| mention.span.start < span.end && span.start < mention.span.end;
                if found[..scanned].iter().any(taken) {
                    continue;
                }
                let form = canonical(&item.text()[piece]);
                if let Some((value, similarity)) = near_spelling::nearest_value(&form, table, threshold) {
                    found.push(Mention {
                        value,
                        span,
                        surface: form,
                        reason: MatchReason::Fuzzy { similarity },
                        status: MentionStatus::Asserted,
                    });
                }
            }
        }
    }
    found
}
