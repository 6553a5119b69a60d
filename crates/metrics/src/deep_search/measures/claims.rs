//! Which statements of an answer one of its sources holds.

use std::ops::Range;

use probare_text::python;

use super::vocabulary::{Vocabulary, WordId, Words};

/// Words that end in a full stop without ending a claim.
const ABBREVIATIONS: [&str; 14] =
    ["e.g.", "i.e.", "u.s.", "u.k.", "dr.", "mr.", "mrs.", "ms.", "st.", "vs.", "etc.", "no.", "ca.", "approx."];

/// What was found about one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimFinding {
    /// Bytes of the answer.
    pub span: Range<usize>,
    /// How many content words the claim has.
    pub content: usize,
    /// The first source that holds the claim; without one, the source that holds most of it.
    pub source: Option<SourceFinding>,
    /// Whether that source holds enough of it.
    pub verified: bool,
}

/// How much of a claim one source holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFinding {
    /// Index of the source.
    pub index: usize,
    /// How many content words it has.
    pub found: usize,
    /// Tokens of the answer that are content words of the claim and not in the source; at most [`MOST_MISSING`].
    pub missing: Vec<usize>,
}

/// How many words of a claim a finding lists as missing.
const MOST_MISSING: usize = 8;

/// The bytes of each claim of `answer`, from its first word to its last.
///
/// Newlines and semicolons divide, and so does the end of a sentence; commas do not.
pub fn claim_spans(answer: &str) -> Vec<Range<usize>> {
    let mut claims = Vec::new();
    let mut offset = 0;
    for segment in answer.split(['\n', ';']) {
        let mut open: Option<Range<usize>> = None;
        for word in python::split_spans(segment) {
            let start = open.take().map_or(offset + word.start, |claim| claim.start);
            let claim = start..offset + word.end;
            if ends_claim(&segment[word]) {
                claims.push(claim);
            } else {
                open = Some(claim);
            }
        }
        claims.extend(open);
        offset += segment.len() + 1;
    }
    claims
}

/// Whether a claim ends with this word.
fn ends_claim(word: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', ']', '”', '’']);
    if !bare.ends_with(['.', '!', '?']) {
        return false;
    }
    let plain = bare.trim_start_matches(['(', '"', '\'', '[', '“', '‘']);
    // The longest abbreviation has seven characters, none of which grows beyond three bytes.
    plain.len() > 21 || !ABBREVIATIONS.contains(&python::lower(plain).as_str())
}

/// What was found about every claim of `answer` that has content. `words` are those of `answer`.
///
/// A claim is verified when a single source has at least three fifths of its content words and all of those that hold
/// a digit. Words are compared by their stems.
pub fn verify<S: AsRef<str>>(
    answer: &str,
    words: &Words,
    sources: &[S],
    vocabulary: &mut Vocabulary,
) -> Vec<ClaimFinding> {
    let mut claims = claims(answer, words, vocabulary);
    let mut read = Words::default();
    for (index, source) in sources.iter().enumerate() {
        if claims.iter().all(|claim| claim.finding.verified) {
            break;
        }
        vocabulary.read_into(source.as_ref(), &mut read);
        vocabulary.marks.begin();
        for id in &read.ids {
            let stem = vocabulary.stem(*id);
            vocabulary.marks.set(stem, 0);
        }
        for claim in claims.iter_mut().filter(|claim| !claim.finding.verified) {
            claim.look_into(index, vocabulary);
        }
    }
    claims.into_iter().map(|claim| claim.finding).collect()
}

struct Claim {
    finding: ClaimFinding,
    /// The stem of each distinct content word, and the token it first stood as.
    words: Vec<(WordId, usize)>,
}

/// The claims that have content.
fn claims(answer: &str, words: &Words, vocabulary: &mut Vocabulary) -> Vec<Claim> {
    let mut rest = words.ids.iter().zip(&words.spans).enumerate().peekable();
    let mut claims = Vec::new();
    for span in claim_spans(answer) {
        vocabulary.marks.begin();
        let mut found = Vec::new();
        while let Some((index, (id, _))) = rest.next_if(|(_, (_, token))| token.start < span.end) {
            let stem = vocabulary.stem(*id);
            if !vocabulary.is_stop_word(*id) && vocabulary.marks.get(stem).is_none() {
                vocabulary.marks.set(stem, 0);
                found.push((stem, index));
            }
        }
        if !found.is_empty() {
            let finding = ClaimFinding { span, content: found.len(), source: None, verified: false };
            claims.push(Claim { finding, words: found });
        }
    }
    claims
}

impl Claim {
    /// Holds the claim against the source whose words are marked.
    fn look_into(&mut self, index: usize, vocabulary: &Vocabulary) {
        let has = |stem: WordId| vocabulary.marks.get(stem).is_some();
        let found = self.words.iter().filter(|(stem, _)| has(*stem)).count();
        let numbers_found = self.words.iter().all(|(stem, _)| has(*stem) || !vocabulary.has_digit(*stem));
        let verified = numbers_found && 5 * found >= 3 * self.words.len();
        if verified || self.finding.source.as_ref().is_none_or(|best| found > best.found) {
            let absent = self.words.iter().filter(|(stem, _)| !has(*stem)).map(|(_, token)| *token);
            let missing = absent.take(MOST_MISSING).collect();
            self.finding.source = Some(SourceFinding { index, found, missing });
            self.finding.verified = verified;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claims(answer: &str) -> Vec<&str> {
        claim_spans(answer).into_iter().map(|span| &answer[span]).collect()
    }

    fn verdicts(answer: &str, sources: &[&str]) -> Vec<bool> {
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.read(answer);
        verify(answer, &words, sources, &mut vocabulary).iter().map(|claim| claim.verified).collect()
    }

    #[test]
    fn sentences_newlines_and_semicolons_divide() {
        assert_eq!(
            claims(
                "Shops (e.g. Sears) closed, etc. in the U.S. alone. \"Why?\" It grew\nStores adapted; retail changed."
            ),
            [
                "Shops (e.g. Sears) closed, etc. in the U.S. alone.",
                "\"Why?\"",
                "It grew",
                "Stores adapted",
                "retail changed."
            ]
        );
        assert_eq!(claims(" ;\n; "), [""; 0]);
        assert_eq!(claims("(U.S.) and 3.5 m"), ["(U.S.) and 3.5 m"]);
    }

    #[test]
    fn three_fifths_of_the_words_in_one_source_are_enough() {
        assert_eq!(verdicts("Canals drained marshes near cities.", &["A canal, marshes and a city"]), [true]);
        assert_eq!(verdicts("Canals drained marshes near cities.", &["canal marsh", "city drained"]), [false]);
        assert_eq!(verdicts("Canals drained marshes near cities.", &[]), [false]);
    }

    #[test]
    fn every_number_must_be_in_that_source() {
        assert_eq!(verdicts("The canal opened in 1869.", &["The canal opened in 1896"]), [false]);
        assert_eq!(verdicts("The canal opened in 1869.", &["It was 1869 when the canal opened"]), [true]);
    }

    #[test]
    fn claims_without_content_are_dropped() {
        assert_eq!(verdicts("It is. And to what? Rivers rose.", &["rivers rose"]), [true]);
    }

    #[test]
    fn a_finding_names_the_best_source_and_what_it_lacks() {
        let answer = "Salt lakes dried and fishing ports died.";
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.read(answer);
        let found = verify(answer, &words, &["ports", "salt lakes", "lakes and salt"], &mut vocabulary);
        let best = found[0].source.as_ref().unwrap();
        assert_eq!((best.index, best.found, found[0].content), (1, 2, 6));
        let missing: Vec<&str> = best.missing.iter().map(|index| vocabulary.text(words.ids[*index])).collect();
        assert_eq!(missing, ["dried", "fishing", "ports", "died"]);
    }

    proptest! {
        #[test]
        fn claims_are_in_order_and_hold_every_word(answer in "[a-c.;\n \"é’!]{0,40}") {
            let spans = claim_spans(&answer);
            prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
            let words: Vec<&str> = spans.iter().flat_map(|span| python::split(&answer[span.clone()])).collect();
            let expected: Vec<&str> = answer.split(['\n', ';']).flat_map(python::split).collect();
            prop_assert_eq!(words, expected);
        }
    }
}
