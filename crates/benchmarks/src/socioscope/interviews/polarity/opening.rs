//! Yes or no by the opening words, as the published question types define it.

use probare_text::aligned_text::AlignedText;
use probare_text::normalise::normalise_aligned;

use super::phrases::{BOTH, NO_PHRASES, NO_WORDS, ONLY_ALONE, YES_PHRASES, YES_WORDS, opens_with};
use super::{Polarity, PolarityAnalysis};

/// The polarity of an answer by its opening words.
///
/// ```
/// use probare_benchmarks::socioscope::interviews::polarity::{Polarity, opening_polarity};
///
/// assert_eq!(opening_polarity("Of course not.").polarity, Some(Polarity::No));
/// assert_eq!(opening_polarity("The short answer is: ja!").polarity, Some(Polarity::Yes));
/// assert_eq!(opening_polarity("Yes and no").polarity, None);
/// ```
pub fn opening_polarity(text: &str) -> PolarityAnalysis {
    let normal = normalise_aligned(text);
    let start = introduction_length(normal.text());
    let answer = &normal.text()[start..];
    if BOTH.iter().any(|phrase| opens_with(answer, phrase)) {
        return PolarityAnalysis::undecided("says both yes and no");
    }
    let decided = |polarity, length: usize| {
        PolarityAnalysis::decided(polarity, original(&normal, start, length), "by its opening words")
    };
    if YES_WORDS.contains(&answer) {
        return decided(Polarity::Yes, answer.len());
    }
    if NO_WORDS.contains(&answer) {
        return decided(Polarity::No, answer.len());
    }
    if let Some(phrase) = NO_PHRASES.iter().find(|phrase| opens_with(answer, phrase)) {
        return decided(Polarity::No, phrase.len());
    }
    if let Some(phrase) = YES_PHRASES.iter().find(|phrase| opens_with(answer, phrase)) {
        return decided(Polarity::Yes, phrase.len());
    }
    let first = answer.split(' ').next().unwrap_or_default();
    if !ONLY_ALONE.contains(&first) {
        if YES_WORDS.contains(&first) {
            return decided(Polarity::Yes, first.len());
        }
        if NO_WORDS.contains(&first) {
            return decided(Polarity::No, first.len());
        }
    }
    PolarityAnalysis::undecided("does not open with yes or no")
}

/// The length of "the short answer is" and the like at the start of a normal form.
pub(super) fn introduction_length(normal: &str) -> usize {
    let rest = normal.strip_prefix("the ").unwrap_or(normal);
    let rest = ["short ", "final ", "correct "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let Some(rest) = rest.strip_prefix("answer ") else { return 0 };
    match ["is ", "would be "].iter().find_map(|verb| rest.strip_prefix(verb)) {
        Some(answer) => normal.len() - answer.len(),
        None => 0,
    }
}

fn original(normal: &AlignedText, start: usize, length: usize) -> std::ops::Range<usize> {
    normal.original_span(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_is_what_decided() {
        let text = "The answer would be: of course, since 1990";
        let opening = opening_polarity(text);
        assert_eq!(opening.polarity, Some(Polarity::Yes));
        assert_eq!(&text[opening.marker.unwrap()], "of course");
        assert_eq!(opening_polarity("").polarity, None);
        assert_eq!(opening_polarity("the answer is").polarity, None);
    }

    #[test]
    fn some_words_count_alone_only() {
        assert_eq!(opening_polarity("Sí").polarity, Some(Polarity::Yes));
        assert_eq!(opening_polarity("Si on veut").polarity, None);
        assert_eq!(opening_polarity("negative").polarity, Some(Polarity::No));
        assert_eq!(opening_polarity("Negative effects were seen").polarity, None);
        assert_eq!(opening_polarity("1 of them").polarity, None);
        assert_eq!(opening_polarity("Nothing").polarity, None);
    }
}
