//! Which statements of an answer one of its sources holds.

use std::borrow::Cow;
use std::ops::Range;

use probare_text::python;
use probare_text::tokens::{Tokens, synthlink};
use rustc_hash::{FxBuildHasher, FxHashMap};

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
    let plain = python::lower(bare.trim_start_matches(['(', '"', '\'', '[', '“', '‘']));
    !ABBREVIATIONS.contains(&plain.as_str())
}

/// What was found about every claim of `answer` that has content. `tokens` are those of `answer`.
///
/// A claim is verified when a single source has at least three fifths of its content words and all of those that hold
/// a digit. Words are compared by their stems.
pub fn verify<S: AsRef<str>>(answer: &str, tokens: &Tokens, sources: &[S]) -> Vec<ClaimFinding> {
    let mut words = Words::with_capacity(tokens.len());
    let mut claims = content(answer, tokens, &mut words);
    for (index, source) in sources.iter().enumerate() {
        if claims.iter().all(|claim| claim.finding.verified) {
            break;
        }
        words.mark(source.as_ref(), index);
        for claim in claims.iter_mut().filter(|claim| !claim.finding.verified) {
            claim.look_into(index, &words);
        }
    }
    claims.into_iter().map(|claim| claim.finding).collect()
}

/// The distinct content words of an answer, with the source that last had each.
struct Words<'t> {
    places: FxHashMap<Cow<'t, str>, usize>,
    entries: Vec<Word>,
}

struct Word {
    has_digit: bool,
    /// The last claim that uses the word, counted from 1.
    claim: usize,
    /// The last source that has the word, counted from 1.
    source: usize,
}

impl<'t> Words<'t> {
    fn with_capacity(capacity: usize) -> Self {
        Self { places: FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher), entries: Vec::new() }
    }

    /// The place of a token's stem, and whether this claim uses it for the first time.
    fn add(&mut self, token: &'t str, claim: usize) -> (usize, bool) {
        let entries = &mut self.entries;
        let place = *self.places.entry(synthlink::stem(token).into()).or_insert_with(|| {
            entries.push(Word { has_digit: token.chars().any(python::is_digit), claim: 0, source: 0 });
            entries.len() - 1
        });
        let first = self.entries[place].claim != claim;
        self.entries[place].claim = claim;
        (place, first)
    }

    /// Notes which words the source has.
    fn mark(&mut self, source: &str, index: usize) {
        for token in synthlink::tokens(source).texts() {
            if let Some(place) = self.places.get(&*synthlink::stem(token)) {
                self.entries[*place].source = index + 1;
            }
        }
    }
}

struct Claim {
    finding: ClaimFinding,
    /// Place of each distinct content word, and the token it first stood as.
    words: Vec<(usize, usize)>,
}

/// The claims that have content.
fn content<'t>(answer: &str, tokens: &'t Tokens, words: &mut Words<'t>) -> Vec<Claim> {
    let mut rest = tokens.iter().enumerate().peekable();
    let mut claims = Vec::new();
    for (number, span) in claim_spans(answer).into_iter().enumerate() {
        let mut found = Vec::new();
        while let Some((index, token)) = rest.next_if(|(_, token)| token.span.start < span.end) {
            if synthlink::is_stop_word(token.text) {
                continue;
            }
            let (place, first) = words.add(token.text, number + 1);
            if first {
                found.push((place, index));
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
    /// Holds the claim against the source that was marked last.
    fn look_into(&mut self, index: usize, words: &Words<'_>) {
        let has = |place: usize| words.entries[place].source == index + 1;
        let found = self.words.iter().filter(|(place, _)| has(*place)).count();
        let numbers_found = self.words.iter().all(|(place, _)| has(*place) || !words.entries[*place].has_digit);
        let verified = numbers_found && 5 * found >= 3 * self.words.len();
        if verified || self.finding.source.as_ref().is_none_or(|best| found > best.found) {
            let absent = self.words.iter().filter(|(place, _)| !has(*place)).map(|(_, token)| *token);
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
        verify(answer, &synthlink::tokens(answer), sources).iter().map(|claim| claim.verified).collect()
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
        let tokens = synthlink::tokens(answer);
        let found = verify(answer, &tokens, &["ports", "salt lakes", "lakes and salt"]);
        let best = found[0].source.as_ref().unwrap();
        assert_eq!((best.index, best.found, found[0].content), (1, 2, 6));
        let missing: Vec<&str> = best.missing.iter().map(|index| tokens.get(*index).unwrap().text).collect();
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
