//! [`Matcher`]: finds the leftmost match of every family of phrases in one pass over the words of a text.
//!
//! Every phrase begins with a whole word or a mark. The first word, together with the second where the phrase fixes it,
//! is the key under which its program waits; only where the text has that key is the program run. Keys are hashes: a
//! collision costs a run that fails, never a wrong match.

use std::collections::BTreeSet;
use std::ops::Range;

use super::notation::{Phrase, Piece, Problem};
use super::program::{DeadEnd, Program};
use super::space::is_word_byte;
use super::waiting::{Groups, Waiting};
use super::words::{Traces, Words, hash_of};

/// Most beginnings that the choices of one phrase may give.
const MOST_BEGINNINGS: usize = 4_096;

/// How much is looked at before a phrase that begins with a mark is tried: the mark, a space, a letter.
const MARK_BYTES: usize = 3;

/// A family that was found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Number of the family, in the order in which families were added.
    pub family: usize,
    /// The bytes of its leftmost match.
    pub span: Range<usize>,
    /// Number of the phrase, for ties.
    phrase: usize,
}

/// Compiled families of phrases, each in a group that can be searched or left out.
#[derive(Debug, Default)]
pub struct Matcher {
    phrases: Vec<Compiled>,
    families: usize,
    /// First words, with the phrases that fix no more than that.
    firsts: Waiting,
    /// First word, byte between, second word.
    pairs: Waiting,
    /// Phrases that begin with a mark of punctuation, by its first byte.
    marks: Vec<(u8, Vec<Mark>)>,
    open_gaps: usize,
}

#[derive(Debug)]
struct Compiled {
    program: Program,
    family: usize,
    group: usize,
    /// Words that every match holds.
    needed: Traces,
    /// Where its dead ends stand in the scratch memory of a search.
    dead_ends: usize,
}

/// A phrase that begins with a mark.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    /// The first bytes, as many as are fixed, up to [`MARK_BYTES`].
    opening: Box<[u8]>,
    phrase: usize,
}

impl Matcher {
    /// Adds a family; its phrases are alternatives in order. Gives its number, or the number of the first phrase that
    /// cannot be looked for and why.
    pub fn add(&mut self, group: usize, phrases: &[Phrase]) -> Result<usize, (usize, Problem)> {
        let family = self.families;
        for (number, phrase) in phrases.iter().enumerate() {
            let beginnings = beginnings(&phrase.0).map_err(|problem| (number, problem))?;
            let index = self.phrases.len();
            let program = Program::new(&phrase.0);
            let dead_ends = self.open_gaps;
            self.open_gaps += program.open_gaps;
            self.phrases.push(Compiled { program, family, group, needed: needed(&phrase.0), dead_ends });
            for beginning in beginnings {
                self.file(&beginning, index).map_err(|problem| (number, problem))?;
            }
        }
        self.families += 1;
        Ok(family)
    }

    /// Puts a phrase under the key of one of its beginnings.
    fn file(&mut self, beginning: &Beginning, phrase: usize) -> Result<(), Problem> {
        let text = beginning.text.as_bytes();
        let Some(&initial) = text.first() else { return Err(Problem::BeginsWithGap) };
        if !is_word_byte(initial) {
            let mark = Mark { opening: text.into(), phrase };
            match self.marks.iter_mut().find(|(byte, _)| *byte == initial) {
                Some((_, marks)) if marks.contains(&mark) => {}
                Some((_, marks)) => marks.push(mark),
                None => self.marks.push((initial, vec![mark])),
            }
            return Ok(());
        }
        let end = text.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(text.len());
        if end == text.len() && !beginning.complete {
            return Err(Problem::BeginsWithPartOfWord);
        }
        let first = hash_of(&beginning.text[..end]);
        let group = self.phrases[phrase].group;
        let second = text.get(end + 1..).unwrap_or_default();
        let length = second.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(second.len());
        let whole = length > 0 && (length < second.len() || beginning.complete);
        if whole && text[end].is_ascii() {
            let second = hash_of(&beginning.text[end + 1..end + 1 + length]);
            self.pairs.add(pair(first, text[end], second), group, phrase);
        } else {
            self.firsts.add(first, group, phrase);
        }
        Ok(())
    }

    /// The leftmost match of every family that has one, in the order of the families. `limits` gives for each group the
    /// length of the text that is searched for it; 0 leaves the group out.
    pub fn find(&self, text: &str, words: &Words, limits: &[usize]) -> Vec<Found> {
        let mut search =
            Search { matcher: self, text, traces: words.traces, limits, found: Vec::new(), dead_ends: Vec::new() };
        let bytes = text.as_bytes();
        let wanted = Groups::with_limits(limits);
        for (number, word) in words.list.iter().enumerate() {
            probare_cancellation::steps(1);
            let Range { start, end } = word.span();
            let next = words.list.get(number + 1).filter(|next| next.span().start == end + 1);
            let pair = next.map_or(0, |next| pair(word.hash, bytes[end], next.hash));
            if self.firsts.may_have(word.hash, wanted) {
                search.attempt_all(self.firsts.under(word.hash), start);
            }
            if self.pairs.may_have(pair, wanted) {
                search.attempt_all(self.pairs.under(pair), start);
            }
        }
        for (byte, marks) in &self.marks {
            if marks.iter().any(|mark| self.limit_of(mark.phrase, limits) > 0) {
                for start in memchr::memchr_iter(*byte, bytes) {
                    probare_cancellation::steps(1);
                    let opens = |mark: &&Mark| {
                        let here = bytes.get(start..start + mark.opening.len());
                        here.is_some_and(|here| here.eq_ignore_ascii_case(&mark.opening))
                    };
                    marks.iter().filter(opens).for_each(|mark| search.attempt(mark.phrase, start));
                }
            }
        }
        let mut found = search.found;
        found.sort_unstable_by_key(|hit| hit.family);
        found
    }

    fn limit_of(&self, phrase: usize, limits: &[usize]) -> usize {
        limits.get(self.phrases[phrase].group).copied().unwrap_or(0)
    }
}

struct Search<'a> {
    matcher: &'a Matcher,
    text: &'a str,
    traces: Traces,
    limits: &'a [usize],
    found: Vec<Found>,
    dead_ends: Vec<DeadEnd>,
}

impl Search<'_> {
    fn attempt_all(&mut self, phrases: &[usize], start: usize) {
        for &phrase in phrases {
            probare_cancellation::steps(1);
            self.attempt(phrase, start);
        }
    }

    /// Tries a phrase at a place and keeps the match if it is better than what its family has: further left, or at the
    /// same place by an earlier phrase.
    fn attempt(&mut self, phrase: usize, start: usize) {
        let compiled = &self.matcher.phrases[phrase];
        let limit = self.limits.get(compiled.group).copied().unwrap_or(0);
        if start >= limit || !self.traces.may_hold(compiled.needed) {
            return;
        }
        let known = self.found.iter().position(|hit| hit.family == compiled.family);
        if known.is_some_and(|at| (self.found[at].span.start, self.found[at].phrase) <= (start, phrase)) {
            return;
        }
        if compiled.program.open_gaps > 0 && self.dead_ends.is_empty() {
            self.dead_ends = vec![None; self.matcher.open_gaps];
        }
        let dead_ends = self.dead_ends.get_mut(compiled.dead_ends..).unwrap_or_default();
        let text = self.text.get(..limit).unwrap_or(self.text);
        let Some(span) = compiled.program.run(text, start, dead_ends) else { return };
        let hit = Found { family: compiled.family, span, phrase };
        match known {
            Some(at) => self.found[at] = hit,
            None => self.found.push(hit),
        }
    }
}

const fn pair(first: u64, between: u8, second: u64) -> u64 {
    (first.rotate_left(17) ^ second ^ ((between as u64) << 3)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

/// The words that every match of a phrase holds whole: those that stand in its literals between bytes that end a word, or
/// at its outer ends. A word beside anything that varies may go on there and does not count.
fn needed(pieces: &[Piece]) -> Traces {
    let mut traces = Traces::default();
    for (number, piece) in pieces.iter().enumerate() {
        let Piece::Literal(text) = piece else { continue };
        let words = Words::of(text).list;
        let whole = words.iter().map(|word| (word.span(), word.hash)).filter(|(span, _)| {
            (span.start > 0 || number == 0) && (span.end < text.len() || number + 1 == pieces.len())
        });
        whole.for_each(|(_, hash)| traces.add(hash));
    }
    traces
}

/// The literal text with which a match may begin.
#[derive(Debug, Clone)]
struct Beginning {
    text: String,
    /// Whether the match ends there.
    complete: bool,
}

/// All literal beginnings of a phrase, each up to its first gap or, where that comes first, past its second word.
fn beginnings(pieces: &[Piece]) -> Result<Vec<Beginning>, Problem> {
    let mut open = vec![String::new()];
    let mut closed = BTreeSet::new();
    extend(pieces, &mut open, &mut closed)?;
    let complete = open.into_iter().map(|text| Beginning { text, complete: true });
    Ok(closed.into_iter().map(|text| Beginning { text, complete: false }).chain(complete).collect())
}

/// Appends the pieces to every open beginning; those that meet a gap or have two whole words are closed.
fn extend(pieces: &[Piece], open: &mut Vec<String>, closed: &mut BTreeSet<String>) -> Result<(), Problem> {
    for piece in pieces {
        match piece {
            Piece::Literal(text) => open.iter_mut().for_each(|beginning| beginning.push_str(text)),
            Piece::Choice(choices) => {
                let before = std::mem::take(open);
                for choice in choices {
                    let mut branch = before.clone();
                    extend(choice, &mut branch, closed)?;
                    open.append(&mut branch);
                }
            }
            Piece::Gap { .. } | Piece::Space => closed.extend(open.drain(..)),
            Piece::End => {}
        }
        open.retain(|beginning| match settled(beginning) {
            Some(enough) => {
                closed.insert(enough.to_owned());
                false
            }
            None => true,
        });
        if open.len() + closed.len() > MOST_BEGINNINGS {
            return Err(Problem::TooManyBeginnings);
        }
    }
    Ok(())
}

/// As much of a beginning as its key needs, if it has that much: a mark with what follows it, or two words and the byte
/// that ends the second.
fn settled(beginning: &str) -> Option<&str> {
    let bytes = beginning.as_bytes();
    let initial = *bytes.first()?;
    if !is_word_byte(initial) {
        return (beginning.len() >= MARK_BYTES).then(|| &beginning[..beginning.ceil_char_boundary(MARK_BYTES)]);
    }
    let first = bytes.iter().position(|byte| !is_word_byte(*byte))?;
    let rest = bytes.get(first + 1..)?;
    let second = rest.iter().position(|byte| !is_word_byte(*byte))?;
    beginning.get(..first + 1 + second + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(families: &[&[&str]]) -> Result<Matcher, (usize, Problem)> {
        let mut matcher = Matcher::default();
        for written in families {
            let phrases: Vec<Phrase> = written.iter().map(|text| Phrase::read(text).unwrap()).collect();
            matcher.add(0, &phrases)?;
        }
        Ok(matcher)
    }

    fn found(families: &[&[&str]], text: &str) -> Vec<(usize, String)> {
        let hits = matcher(families).unwrap().find(text, &Words::of(text), &[text.len()]);
        hits.into_iter().map(|hit| (hit.family, text[hit.span].to_owned())).collect()
    }

    #[test]
    fn every_family_gives_its_leftmost_match() {
        let families: &[&[&str]] = &[&["tell me", "me"], &[",<~>I'm sure"], &["you('ll| will) be", "you"]];
        let text = "For me, I'm sure you will be fine. Tell me.";
        let expected = [(0, "me"), (1, ", I'm sure"), (2, "you will be")];
        assert_eq!(found(families, text), expected.map(|(family, text)| (family, text.to_owned())));
    }

    #[test]
    fn a_second_word_that_may_go_on_is_no_key() {
        assert_eq!(found(&[&["trust me<0-9>will"]], "trust metal will"), [(0, "trust metal will".to_owned())]);
    }

    #[test]
    fn only_words_that_are_surely_whole_are_needed() {
        let needed = |written: &str| needed(&Phrase::read(written).unwrap().0);
        let traces = |text: &str| Words::of(text).traces;
        assert_eq!(needed("what <*> means (to|for) you"), traces("what means you"));
        assert_eq!(needed("trust me<0-9>will"), traces("trust"));
        assert_eq!(needed("do[ not] worry"), traces("worry"));
    }

    #[test]
    fn a_phrase_must_begin_with_something_fixed() {
        let problem = |written: &str| matcher(&[&["you", written]]).unwrap_err();
        assert_eq!(problem("<*>a"), (1, Problem::BeginsWithGap));
        assert_eq!(problem("ca<0-3>t"), (1, Problem::BeginsWithPartOfWord));
        assert_eq!(problem(&"(a|b)".repeat(14)), (1, Problem::TooManyBeginnings));
    }

    #[test]
    fn a_group_is_searched_up_to_its_limit() {
        let matcher = matcher(&[&["you"]]).unwrap();
        let text = "to you and you";
        assert!(matcher.find(text, &Words::of(text), &[0]).is_empty());
        assert!(matcher.find(text, &Words::of(text), &[4]).is_empty());
        assert_eq!(matcher.find(text, &Words::of(text), &[6])[0].span, 3..6);
    }
}
