//! [`Program`]: a phrase compiled for matching at a given place, by trying the choices in order and stepping back.

use std::ops::Range;

use super::notation::Piece;
use super::space::{ends_line, is_free_space, is_word_byte};
use super::words::block;

/// A compiled phrase.
#[derive(Debug, Clone)]
pub(super) struct Program {
    steps: Vec<Step>,
    /// How many unbounded gaps it has; each keeps a [`DeadEnd`] during a search.
    pub(super) open_gaps: usize,
}

#[derive(Debug, Clone)]
enum Step {
    /// These bytes, ASCII letters in either case.
    Literal(Literal),
    /// Try the first place, then the second.
    Either(usize, usize),
    /// Go on there.
    Jump(usize),
    /// At least and at most so many UTF-16 units of one line.
    Gap { least: usize, most: usize },
    /// Any number of characters of one line; the number names its dead end.
    OpenGap(usize),
    /// White space or nothing.
    Space,
    /// The end of the text.
    End,
    /// Matched.
    Done,
}

/// Bytes to be found, eight at a time.
#[derive(Debug, Clone)]
struct Literal {
    first: u8,
    length: usize,
    /// The bytes, and which of their bits count: all but the one that tells capitals from small letters.
    blocks: Box<[(u64, u64)]>,
}

impl Literal {
    /// From a text that is not empty, its ASCII letters in lower case.
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let counts: Vec<u8> =
            bytes.iter().map(|byte| if byte.is_ascii_alphabetic() { !0x20 } else { u8::MAX }).collect();
        let starts = (0..bytes.len()).step_by(8);
        Self {
            first: bytes.first().copied().unwrap_or_default(),
            length: bytes.len(),
            blocks: starts.map(|start| (block(bytes, start), block(&counts, start))).collect(),
        }
    }

    /// Whether it stands at this place.
    #[inline]
    fn stands_at(&self, bytes: &[u8], position: usize) -> bool {
        let mut at = position;
        let same = |(wanted, counts): &(u64, u64)| {
            let found = block(bytes, at);
            at += 8;
            (found ^ wanted) & counts == 0
        };
        self.blocks.iter().all(same) && position + self.length <= bytes.len()
    }
}

/// Where an unbounded gap is known to lead nowhere: from here to the end of its line nothing of what follows it was found,
/// so a later start need not look again. This keeps the search linear in the length of a line.
pub(super) type DeadEnd = Option<Range<usize>>;

impl Program {
    /// Compiles the pieces of a phrase.
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let mut program = Self { steps: Vec::new(), open_gaps: 0 };
        program.sequence(pieces);
        program.steps.push(Step::Done);
        program
    }

    fn sequence(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Literal(text) => self.steps.push(Step::Literal(Literal::new(text))),
                Piece::Choice(choices) => self.choice(choices),
                Piece::Gap { least: 0, most: None } => {
                    self.steps.push(Step::OpenGap(self.open_gaps));
                    self.open_gaps += 1;
                }
                Piece::Gap { least, most } => {
                    self.steps.push(Step::Gap { least: *least, most: most.unwrap_or(usize::MAX) });
                }
                Piece::Space => self.steps.push(Step::Space),
                Piece::End => self.steps.push(Step::End),
            }
        }
    }

    fn choice(&mut self, choices: &[Vec<Piece>]) {
        let mut leaving = Vec::new();
        for (number, choice) in choices.iter().enumerate() {
            let last = number + 1 == choices.len();
            let fork = self.steps.len();
            if !last {
                self.steps.push(Step::Either(fork + 1, 0));
            }
            self.sequence(choice);
            if !last {
                leaving.push(self.steps.len());
                self.steps.push(Step::Jump(0));
                self.steps[fork] = Step::Either(fork + 1, self.steps.len());
            }
        }
        let after = self.steps.len();
        for jump in leaving {
            self.steps[jump] = Step::Jump(after);
        }
    }

    /// The span of the match that starts at `start`, if there is one. Both ends lie on word boundaries wherever the matched
    /// text has a word character there.
    pub(super) fn run(&self, text: &str, start: usize, dead_ends: &mut [DeadEnd]) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        if start > 0 && is_word_byte(*bytes.get(start)?) && is_word_byte(bytes[start - 1]) {
            return None;
        }
        self.step(text, 0, start, dead_ends).map(|end| start..end)
    }

    fn step(&self, text: &str, mut at: usize, mut position: usize, dead_ends: &mut [DeadEnd]) -> Option<usize> {
        let bytes = text.as_bytes();
        loop {
            match &self.steps[at] {
                Step::Literal(literal) => {
                    if !literal.stands_at(bytes, position) {
                        return None;
                    }
                    position += literal.length;
                    at += 1;
                }
                Step::Either(first, second) => {
                    // Most choices are words, and most of them do not stand here.
                    let absent = matches!(&self.steps[*first], Step::Literal(word) if !word.stands_at(bytes, position));
                    if !absent && let Some(end) = self.step(text, *first, position, dead_ends) {
                        return Some(end);
                    }
                    at = *second;
                }
                Step::Jump(to) => at = *to,
                Step::Gap { least, most } => return self.gap(text, at + 1, position, (*least, *most), dead_ends),
                Step::OpenGap(number) => return self.open_gap(text, at + 1, position, *number, dead_ends),
                Step::Space => {
                    position = skip_space(text, position);
                    at += 1;
                }
                Step::End => {
                    if position < text.len() {
                        return None;
                    }
                    at += 1;
                }
                Step::Done => {
                    let inside = position > 0
                        && is_word_byte(bytes[position - 1])
                        && bytes.get(position).copied().is_some_and(is_word_byte);
                    return (!inside).then_some(position);
                }
            }
        }
    }

    /// Takes as many characters as allowed, then one less at a time.
    fn gap(
        &self,
        text: &str,
        next: usize,
        position: usize,
        (least, most): (usize, usize),
        dead_ends: &mut [DeadEnd],
    ) -> Option<usize> {
        let rest = text.get(position..)?;
        let mut units = 0;
        let mut lengths = rest.chars().map_while(|character| {
            units += character.len_utf16();
            (units <= most && !ends_line(character)).then_some((units, character.len_utf8()))
        });
        let mut taken = 0;
        let mut first = if least == 0 { Some(position) } else { None };
        let mut end = position;
        for (units, length) in lengths.by_ref() {
            probare_cancellation::steps(1);
            end += length;
            taken = units;
            if first.is_none() && units >= least {
                first = Some(end);
            }
        }
        let first = first.filter(|_| taken >= least)?;
        loop {
            probare_cancellation::steps(1);
            if let Some(found) = self.step(text, next, end, dead_ends) {
                return Some(found);
            }
            if end <= first {
                return None;
            }
            end = text.floor_char_boundary(end - 1);
        }
    }

    fn open_gap(
        &self,
        text: &str,
        next: usize,
        position: usize,
        number: usize,
        dead_ends: &mut [DeadEnd],
    ) -> Option<usize> {
        if dead_ends[number].as_ref().is_some_and(|dead| dead.contains(&position)) {
            return None;
        }
        let line_end = line_end(text, position);
        let mut end = line_end;
        // Only places where the first byte of what follows stands can match, so the others are jumped over.
        let opening = match &self.steps[next] {
            Step::Literal(literal) => Some(literal.first),
            _ => None,
        };
        loop {
            probare_cancellation::steps(1);
            if let Some(found) = self.step(text, next, end, dead_ends) {
                return Some(found);
            }
            let before = &text.as_bytes()[position..end];
            let earlier = match opening {
                Some(byte) => memchr::memrchr2(byte, byte.to_ascii_uppercase(), before),
                None if before.is_empty() => None,
                None => Some(text.floor_char_boundary(end - 1) - position),
            };
            let Some(earlier) = earlier else {
                dead_ends[number] = Some(position..line_end + 1);
                return None;
            };
            end = position + earlier;
        }
    }
}

/// Where the line ends that holds `position`.
fn line_end(text: &str, position: usize) -> usize {
    let bytes = text.as_bytes();
    let mut from = position;
    // The line and paragraph separators start with 0xE2.
    while let Some(offset) = memchr::memchr3(b'\n', b'\r', 0xe2, &bytes[from..]) {
        probare_cancellation::steps(1);
        let at = from + offset;
        if text[at..].starts_with(ends_line) {
            return at;
        }
        from = at + 1;
    }
    text.len()
}

fn skip_space(text: &str, position: usize) -> usize {
    let rest = text.get(position..).unwrap_or_default();
    position + rest.find(|character| !is_free_space(character)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::super::Phrase;
    use super::*;

    fn first<'a>(phrase: &str, text: &'a str) -> Option<&'a str> {
        let program = Program::new(&Phrase::read(phrase).unwrap().0);
        let mut dead_ends = vec![None; program.open_gaps];
        (0..text.len()).find_map(|start| program.run(text, start, &mut dead_ends)).map(|span| &text[span])
    }

    #[test]
    fn outer_ends_are_ends_of_words() {
        assert_eq!(first("do you want", "_do you want_"), None);
        assert_eq!(first("do you want", "édo you want\u{301}"), Some("do you want"));
        assert_eq!(first("do you want", "do you wanted, do you WANT"), Some("do you WANT"));
        assert_eq!(first("do you want", "do  you want"), None);
    }

    #[test]
    fn gaps_count_utf16_units_and_stay_in_the_line() {
        assert_eq!(first("a<0-2>b", "a😀b"), Some("a😀b"));
        assert_eq!(first("a<0-1>b", "a😀b"), None);
        assert_eq!(first("a<*>b", "a\nb a..b"), Some("a..b"));
        assert_eq!(first("a<*>b", "a\u{85}b"), Some("a\u{85}b"));
        assert_eq!(first("what <*> to you", "what  to you, or to you"), Some("what  to you, or to you"));
        assert_eq!(first("trust me<0-20>(will|be fine)", "trust me, goodwill"), Some("trust me, goodwill"));
    }

    #[test]
    fn the_tail_of_a_text_belongs_to_the_match() {
        assert_eq!(first("I'm sure[.]<~><end>", "Well, I'm sure. \u{feff}\n"), Some("I'm sure. \u{feff}\n"));
        assert_eq!(first("I'm sure[.]<~><end>", "I'm sure. Yes"), None);
        assert_eq!(first(",<~>I'm sure", "so,I'm sure of"), Some(",I'm sure"));
    }

    #[test]
    fn a_long_line_of_starts_is_searched_once() {
        let program = Program::new(&Phrase::read("what <*> to you").unwrap().0);
        let text = "what ".repeat(40_000);
        let mut dead_ends = vec![None; program.open_gaps];
        assert!((0..text.len()).step_by(5).all(|start| program.run(&text, start, &mut dead_ends).is_none()));
    }
}
