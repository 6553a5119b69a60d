//! Yes and no, said or meant.

use std::ops::Range;

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
        matches!(
            answer.word(*at),
            "not"
                | "never"
                | "no"
                | "false"
                | "untrue"
                | "myth"
                | "hardly"
                | "incorrect"
                | "isnt"
                | "wasnt"
                | "arent"
                | "werent"
                | "doesnt"
                | "didnt"
                | "dont"
                | "cannot"
                | "cant"
                | "neither"
                | "nor"
                | "without"
                | "outside"
                | "instead"
                | "rather"
        )
    });
    match place {
        Some(at) => Some((false, at..at + 1)),
        None if answer.words.is_empty() => None,
        None => Some((true, 0..1)),
    }
}
