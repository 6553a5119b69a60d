//! When naming is not choosing.

use probare_english::text_analysis::ClauseGap;

use super::words::spoken_words;
use crate::socioscope::interviews::grading::QuestionType;
use crate::socioscope::interviews::inputs::{AnswerItem, ValueWeights};

/// Items of an enumeration that are too many for a question that asks for one.
const ENUMERATION: usize = 4;

/// Whether an answer names so much that it selects nothing: all options of a choice, wrong ones among them, or a long
/// enumeration where one thing was asked for.
pub fn names_everything(
    kind: QuestionType,
    weights: &ValueWeights,
    matched: &[usize],
    items: &[AnswerItem<'_>],
) -> bool {
    let all = weights.len() > 1 && matched.len() == weights.len();
    match kind {
        QuestionType::PickOne => all,
        QuestionType::PickMany => all && weights.has_wrong_values(),
        QuestionType::ListOne => {
            (all && weights.len() > 2)
                || (matched.len() > 1 && items.iter().any(|item| enumeration_length(item.text()) >= ENUMERATION))
        }
        _ => false,
    }
}

/// Items of an enumeration: stretches of at most three words between commas.
fn enumeration_length(text: &str) -> usize {
    let words = spoken_words(text);
    let mut longest = 0;
    let mut items = 0;
    let mut length = 0;
    for word in &words {
        match word.gap {
            ClauseGap::Nothing => length += 1,
            ClauseGap::Comma => {
                items = if length <= 3 { items + 1 } else { 0 };
                length = 1;
            }
            ClauseGap::Clause | ClauseGap::Question => {
                longest = longest.max(items + 1);
                (items, length) = (0, 1);
            }
        }
    }
    if words.is_empty() { 0 } else { longest.max(items + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enumerations_are_counted() {
        assert_eq!(enumeration_length("Drought, flood, hail, pests, frost and disease"), 5);
        assert_eq!(enumeration_length("A drought, and before that a flood"), 2);
        assert_eq!(enumeration_length(""), 0);
    }
}
