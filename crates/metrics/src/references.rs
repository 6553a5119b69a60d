//! Several right answers: the best one counts, and the evidence says which.

use probare_core::{Evidence, Field, ScoreError};
use probare_text::tokens::Tokens;

/// Length up to which metrics compare two texts whose comparison is quadratic: about two seconds of work.
pub const LONGEST: usize = 200_000;

/// An error where the product of both lengths is beyond that of two texts of the `longest` length: a row that takes minutes
/// helps nobody.
pub fn check_length(
    (response, references): (usize, usize),
    longest: usize,
    unit: &str,
    instead: &str,
) -> Result<(), ScoreError> {
    if response.saturating_mul(references) <= longest.saturating_mul(longest) {
        return Ok(());
    }
    let reason = format!(
        "has {response} {unit} and is to be compared with {references} {unit} of reference; the work grows with the product, \
         and the limit is that of two texts of {longest} {unit}: raise the option `longest`, or shorten the texts; {instead}"
    );
    Err(ScoreError::BadField { field: Field::Response, reason })
}

/// The reference with the greatest value and what was computed for it; the first of equals. `references` is not empty.
pub fn best_reference<T>(
    references: &[String],
    mut compare: impl FnMut(&str) -> T,
    value: impl Fn(&T) -> f64,
) -> Option<(usize, T)> {
    let mut best: Option<(usize, T)> = None;
    for (index, reference) in references.iter().enumerate() {
        let candidate = compare(reference);
        if best.as_ref().is_none_or(|(_, known)| value(&candidate) > value(known)) {
            best = Some((index, candidate));
        }
    }
    best
}

/// Says which of several references counted; nothing where there is one.
pub fn chosen_reference_note(references: &[String], index: usize) -> Option<Evidence> {
    (references.len() > 1)
        .then(|| Evidence::note(format!("the best of {} references is `reference[{index}]`", references.len())))
}

/// Whether an empty response is held against a reference that is not empty. The SQuAD script takes the one for the other
/// where the reference is an article or a sign (`A`, `the`, `?`), since nothing is left of either; that is right for
/// questions without an answer, whose reference is empty, and wrong for a choice among letters.
pub fn is_nothing_for_something(response: &str, reference: &str) -> bool {
    response.trim().is_empty() && !reference.trim().is_empty()
}

/// Says how two texts without words in SQuAD's sense were compared; nothing where one of them has some.
pub fn wordless_note(
    response: &str,
    response_tokens: &Tokens,
    reference: &str,
    reference_tokens: &Tokens,
) -> Option<Evidence> {
    if response_tokens.texts().next().is_some() || reference_tokens.texts().next().is_some() {
        return None;
    }
    Some(Evidence::note(if is_nothing_for_something(response, reference) {
        "the response is empty and the reference is not; the SQuAD script would call this a match, since articles and \
         punctuation are no words"
    } else {
        "neither text has words once articles and punctuation are dropped, which the SQuAD script calls a match"
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_beyond_the_limit_is_an_error_that_says_it() {
        assert_eq!(check_length((10, 10), 10, "words", ""), Ok(()));
        assert_eq!(check_length((1, 100), 10, "words", ""), Ok(()), "a short text may meet a long one");
        let error = check_length((10, 11), 10, "words", "`token_f1` takes longer texts").unwrap_err().to_string();
        assert!(error.contains("two texts of 10 words") && error.contains("`longest`"), "{error}");
        assert!(check_length((usize::MAX, 2), LONGEST, "words", "").is_err());
    }

    #[test]
    fn the_first_of_equal_references_counts() {
        let references = ["a", "bb", "cc"].map(String::from);
        assert_eq!(best_reference(&references, str::len, |length| *length as f64), Some((1, 2)));
        assert_eq!(chosen_reference_note(&references, 1).unwrap().text, "the best of 3 references is `reference[1]`");
        assert_eq!(chosen_reference_note(&references[..1], 0), None);
    }
}
