//! Yes and no, said or meant.

use std::ops::Range;

use probare_nlp::reading::{Sort, denial, sorts};

use super::answer::Answer;

/// Yes or no as a gold answer.
pub(crate) fn gold_sense(text: &str) -> Option<bool> {
    match text.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// Whether an answer means yes or no, and the words that tell. Without a word that denies, a statement affirms.
pub(crate) fn sense(answer: &Answer<'_>) -> Option<(bool, Range<usize>)> {
    let limit = answer.words.len().min(200);
    match answer.word(0) {
        "yes" | "true" | "correct" | "indeed" | "certainly" | "absolutely" => return Some((true, 0..1)),
        "no" | "false" | "incorrect" | "hardly" | "nope" | "neither" => return Some((false, 0..1)),
        _ => {}
    }
    let place = (0..limit).find(|at| {
        let word = answer.word(*at);
        let next = Some(answer.word(at + 1)).filter(|next| !next.is_empty());
        denial(word, next).is_some()
            || sorts(word).has(Sort::Denying)
            || matches!(word, "false" | "untrue" | "myth" | "incorrect" | "outside")
    });
    match place {
        Some(at) => Some((false, at..at + 1)),
        None if answer.words.is_empty() => None,
        None => Some((true, 0..1)),
    }
}
