//! Which statements of an answer one of its sources holds.

use std::ops::Range;

use probare_metrics::claim_spans::claim_spans;

use super::vocabulary::{WordId, WordInterner, WordSequence};

/// The claims of an answer that have content, and what was found about each.
///
/// The room is used again for the next answer.
#[derive(Debug, Default)]
pub struct ClaimChecker {
    findings: Vec<ClaimFinding>,
    /// The content words of all claims, one claim after the other, and others behind them that are left from longer answers.
    words: Vec<ClaimWord>,
    /// The words of the source at hand.
    source: Vec<WordId>,
}

/// What was found about one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimFinding {
    /// Bytes of the answer.
    pub span: Range<usize>,
    /// The first source that holds the claim; without one, the source that holds most of it.
    pub source: Option<SourceFinding>,
    /// Whether that source holds enough of it.
    pub verified: bool,
    /// Places in [`ClaimChecker::words`].
    words: Range<usize>,
}

/// How much of a claim one source holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFinding {
    /// Index of the source.
    pub index: usize,
    /// How many content words it has.
    pub found: usize,
}

/// A content word of a claim.
#[derive(Debug, Clone, Default)]
struct ClaimWord {
    stem: WordId,
    /// The token it first stood as.
    token: usize,
    has_digit: bool,
    /// Whether the source of the finding has it.
    is_held: bool,
}

impl ClaimFinding {
    /// How many content words the claim has.
    pub fn content(&self) -> usize {
        self.words.len()
    }
}

impl ClaimChecker {
    /// What was found about every claim, in the order of the answer.
    pub fn findings(&self) -> &[ClaimFinding] {
        &self.findings
    }

    /// How many claims a source holds.
    pub fn verified(&self) -> usize {
        self.findings.iter().filter(|claim| claim.verified).count()
    }

    /// FCS: verified claims among all; 0 where there are none.
    pub fn share(&self) -> f64 {
        if self.findings.is_empty() { 0.0 } else { self.verified() as f64 / self.findings.len() as f64 }
    }

    /// Tokens of the answer that are content words of the claim and not in the source of its finding.
    pub fn missing(&self, claim: &ClaimFinding) -> impl Iterator<Item = usize> {
        self.words[claim.words.clone()].iter().filter(|word| !word.is_held).map(|word| word.token)
    }

    /// Holds every claim of `answer` that has content against the sources. `words` are those of `answer`.
    ///
    /// A claim is verified when a single source has at least three fifths of its content words and all of those that
    /// hold a digit. Words are compared by their stems.
    pub fn verify<S: AsRef<str>>(
        &mut self,
        answer: &str,
        words: &WordSequence,
        sources: &[S],
        vocabulary: &mut WordInterner,
    ) {
        self.read(answer, words, vocabulary);
        for (index, source) in sources.iter().enumerate() {
            probare_cancellation::count_steps(1);
            if self.findings.iter().all(|claim| claim.verified) {
                break;
            }
            self.source.clear();
            vocabulary.read_ids(source.as_ref(), &mut self.source);
            vocabulary.mark_stems(&self.source);
            for claim in self.findings.iter_mut().filter(|claim| !claim.verified) {
                probare_cancellation::count_steps(1);
                claim.check_against(index, &mut self.words[claim.words.clone()], vocabulary);
            }
        }
    }

    /// Takes the claims of an answer in place of those before.
    fn read(&mut self, answer: &str, words: &WordSequence, vocabulary: &mut WordInterner) {
        self.findings.clear();
        if self.words.len() < words.ids.len() {
            self.words.resize(words.ids.len(), ClaimWord::default());
        }
        let (mut token, mut next) = (0, 0);
        for span in claim_spans(answer) {
            probare_cancellation::count_steps(1);
            vocabulary.marks.begin();
            let start = next;
            let inside = words.spans[token..].iter().take_while(|place| place.start < span.end).count();
            for (token, id) in (token..).zip(&words.ids[token..token + inside]) {
                probare_cancellation::count_steps(1);
                let stem = vocabulary.stem(*id);
                // Written in any case, and written over by the next word unless it is new content: a guess that fails, as
                // every fifth would, costs more.
                self.words[next] = ClaimWord { stem, token, has_digit: vocabulary.has_digit(stem), is_held: false };
                next += usize::from(vocabulary.marks.add(stem, !vocabulary.is_stop_word(*id)));
            }
            token += inside;
            if start < next {
                self.findings.push(ClaimFinding { span, source: None, verified: false, words: start..next });
            }
        }
    }
}

impl ClaimFinding {
    /// Holds the claim against the source whose words are marked.
    fn check_against(&mut self, index: usize, words: &mut [ClaimWord], vocabulary: &WordInterner) {
        let has = |word: &ClaimWord| vocabulary.marks.has(word.stem);
        let (mut found, mut numbers_missing) = (0, 0);
        for word in &*words {
            probare_cancellation::count_steps(1);
            let hit = usize::from(has(word));
            found += hit;
            numbers_missing += usize::from(word.has_digit) * (1 - hit);
        }
        let verified = numbers_missing == 0 && 5 * found >= 3 * words.len();
        if verified || self.source.is_none_or(|best| found > best.found) {
            for word in words {
                probare_cancellation::count_steps(1);
                word.is_held = has(word);
            }
            self.source = Some(SourceFinding { index, found });
            self.verified = verified;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(answer: &str, sources: &[&str]) -> Vec<bool> {
        let mut vocabulary = WordInterner::default();
        let words = vocabulary.read(answer);
        let mut claims = ClaimChecker::default();
        claims.verify(answer, &words, sources, &mut vocabulary);
        claims.findings().iter().map(|claim| claim.verified).collect()
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
        let mut vocabulary = WordInterner::default();
        let words = vocabulary.read(answer);
        let mut claims = ClaimChecker::default();
        claims.verify("Other claims. Were here before.", &WordSequence::default(), &[""], &mut vocabulary);
        claims.verify(answer, &words, &["ports", "salt lakes", "lakes and salt"], &mut vocabulary);
        let [claim] = claims.findings() else { panic!("one claim") };
        assert_eq!((claim.source, claim.content()), (Some(SourceFinding { index: 1, found: 2 }), 6));
        let missing: Vec<&str> = claims.missing(claim).map(|token| vocabulary.text(words.ids[token])).collect();
        assert_eq!(missing, ["dried", "fishing", "ports", "died"]);
        assert_eq!((claims.verified(), claims.share()), (0, 0.0));
    }
}
