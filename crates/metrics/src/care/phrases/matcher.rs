//! [`Matcher`]: finds the leftmost match of every family of phrases in one pass over the words of a text.
//!
//! Every phrase begins with a whole word or a mark. The first word, together with the second where the phrase fixes it,
//! is the key under which its program waits; only where the text has that key is the program run. Keys are hashes: a
//! collision costs a run that fails, never a wrong match.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::notation::{NotationError, Phrase, Piece, Problem};
use super::program::{DeadEnd, Program};
use super::space::is_word_byte;
use super::words::{Words, hash};

/// Most beginnings that the choices of one phrase may give.
const MOST_BEGINNINGS: usize = 4_096;

/// The phrases of a matcher could not be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct MatcherError(#[from] pub NotationError);

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
    /// First words, to the phrases that fix no more than that and to whether any fixes a second one.
    firsts: FxHashMap<u64, First>,
    /// First word, byte between, second word.
    pairs: FxHashMap<u64, Vec<usize>>,
    /// Phrases that begin with a mark, by its first byte.
    marks: Vec<(u8, usize)>,
    open_gaps: usize,
}

#[derive(Debug)]
struct Compiled {
    program: Program,
    family: usize,
    group: usize,
    /// Where its dead ends stand in the scratch memory of a search.
    dead_ends: usize,
}

#[derive(Debug, Default)]
struct First {
    alone: Vec<usize>,
    paired: bool,
}

impl Matcher {
    /// Adds a family; its phrases are alternatives in order. Gives its number.
    pub fn add(&mut self, group: usize, phrases: &[Phrase], written: &[&str]) -> Result<usize, MatcherError> {
        let family = self.families;
        for (number, phrase) in phrases.iter().enumerate() {
            let fail = |problem| NotationError {
                phrase: written.get(number).map_or_else(String::new, |text| (*text).to_owned()),
                problem,
            };
            let beginnings = beginnings(&phrase.0).map_err(fail)?;
            let index = self.phrases.len();
            let program = Program::new(&phrase.0);
            let dead_ends = self.open_gaps;
            self.open_gaps += program.open_gaps;
            self.phrases.push(Compiled { program, family, group, dead_ends });
            for beginning in beginnings {
                self.file(&beginning, index).map_err(fail)?;
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
            if !self.marks.contains(&(initial, phrase)) {
                self.marks.push((initial, phrase));
            }
            return Ok(());
        }
        let end = text.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(text.len());
        if end == text.len() && !beginning.complete {
            return Err(Problem::BeginsWithPartOfWord);
        }
        let first = hash(&beginning.text[..end]);
        let entry = self.firsts.entry(first).or_default();
        let second = text.get(end + 1..).unwrap_or_default();
        let length = second.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(second.len());
        let whole = length > 0 && (length < second.len() || beginning.complete);
        if whole && text[end].is_ascii() {
            entry.paired = true;
            let key = pair(first, text[end], hash(&beginning.text[end + 1..end + 1 + length]));
            push_once(self.pairs.entry(key).or_default(), phrase);
        } else {
            push_once(&mut entry.alone, phrase);
        }
        Ok(())
    }

    /// The leftmost match of every family that has one, in the order of the families. `limits` gives for each group the
    /// length of the text that is searched for it; 0 leaves the group out.
    pub fn find(&self, text: &str, words: &Words, limits: &[usize]) -> Vec<Found> {
        let mut search = Search { matcher: self, text, limits, found: Vec::new(), dead_ends: Vec::new() };
        let bytes = text.as_bytes();
        for (number, word) in words.list.iter().enumerate() {
            let Some(first) = self.firsts.get(&word.hash) else { continue };
            for &phrase in &first.alone {
                search.attempt(phrase, word.start);
            }
            if first.paired
                && let Some(next) = words.list.get(number + 1)
                && next.start == word.end + 1
                && let Some(phrases) = self.pairs.get(&pair(word.hash, bytes[word.end], next.hash))
            {
                for &phrase in phrases {
                    search.attempt(phrase, word.start);
                }
            }
        }
        for &(byte, phrase) in &self.marks {
            if self.limits_of(phrase, limits) > 0 {
                for start in memchr::memchr_iter(byte, bytes) {
                    search.attempt(phrase, start);
                }
            }
        }
        let mut found = search.found;
        found.sort_unstable_by_key(|hit| hit.family);
        found
    }

    fn limits_of(&self, phrase: usize, limits: &[usize]) -> usize {
        limits.get(self.phrases[phrase].group).copied().unwrap_or(0)
    }
}

struct Search<'a> {
    matcher: &'a Matcher,
    text: &'a str,
    limits: &'a [usize],
    found: Vec<Found>,
    dead_ends: Vec<DeadEnd>,
}

impl Search<'_> {
    /// Tries a phrase at a place and keeps the match if it is better than what its family has: further left, or at the
    /// same place by an earlier phrase.
    fn attempt(&mut self, phrase: usize, start: usize) {
        let compiled = &self.matcher.phrases[phrase];
        let limit = self.limits.get(compiled.group).copied().unwrap_or(0);
        if start >= limit {
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

fn push_once(list: &mut Vec<usize>, phrase: usize) {
    if list.last() != Some(&phrase) {
        list.push(phrase);
    }
}

const fn pair(first: u64, between: u8, second: u64) -> u64 {
    first.rotate_left(17) ^ second.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ ((between as u64) << 3)
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

/// As much of a beginning as its key needs, if it has that much: a mark, or two words and the byte that ends the second.
fn settled(beginning: &str) -> Option<&str> {
    let bytes = beginning.as_bytes();
    let initial = *bytes.first()?;
    if !is_word_byte(initial) {
        return beginning.chars().next().map(|mark| &beginning[..mark.len_utf8()]);
    }
    let first = bytes.iter().position(|byte| !is_word_byte(*byte))?;
    let rest = bytes.get(first + 1..)?;
    let second = rest.iter().position(|byte| !is_word_byte(*byte))?;
    beginning.get(..first + 1 + second + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(families: &[&[&str]]) -> Result<Matcher, MatcherError> {
        let mut matcher = Matcher::default();
        for written in families {
            let phrases: Result<Vec<Phrase>, NotationError> = written.iter().map(|text| Phrase::read(text)).collect();
            matcher.add(0, &phrases?, written)?;
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
    fn a_phrase_must_begin_with_something_fixed() {
        let problem = |written: &str| matcher(&[&[written]]).unwrap_err().0.problem;
        assert_eq!(problem("<*>a"), Problem::BeginsWithGap);
        assert_eq!(problem("ca<0-3>t"), Problem::BeginsWithPartOfWord);
        assert_eq!(problem(&"(a|b)".repeat(14)), Problem::TooManyBeginnings);
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
