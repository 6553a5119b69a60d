//! [`Phrase`]: a phrase read from its notation.

use std::fmt;

/// Deepest nesting of choices and options.
const MOST_NESTING: usize = 8;

/// A phrase in the notation of [`super`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase(pub(super) Vec<Piece>);

/// A piece of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// These characters, ASCII letters in lower case.
    Literal(String),
    /// One of these, in order.
    Choice(Vec<Vec<Piece>>),
    /// Any characters within the line: at least and at most so many UTF-16 units.
    Gap { least: usize, most: Option<usize> },
    /// White space or nothing.
    Space,
    /// The end of the text.
    End,
}

/// A phrase that breaks the rules of its notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{phrase}`: {problem}")]
pub struct NotationError {
    /// The phrase as written.
    pub phrase: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It matches the empty text.
    Empty,
    /// A bracket has no counterpart.
    Unbalanced(char),
    /// A `<…>` that means nothing.
    UnknownMark,
    /// Choices within choices go too deep.
    TooDeep,
    /// It begins with something that varies without bound.
    BeginsWithGap,
    /// Its choices multiply to too many beginnings.
    TooManyBeginnings,
    /// It begins with a part of a word.
    BeginsWithPartOfWord,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("the phrase may be empty, so it would be found everywhere"),
            Self::Unbalanced(bracket) => write!(formatter, "`{bracket}` has no counterpart"),
            Self::UnknownMark => formatter.write_str("between `<` and `>` stands `*`, `~`, `end` or a range as `0-20`"),
            Self::TooDeep => write!(formatter, "choices are nested more than {MOST_NESTING} deep"),
            Self::BeginsWithGap => formatter.write_str("a phrase begins with a word or a mark of punctuation"),
            Self::TooManyBeginnings => formatter.write_str("its choices give too many beginnings; split it in two"),
            Self::BeginsWithPartOfWord => formatter.write_str("its first word must be whole before a gap begins"),
        }
    }
}

impl Phrase {
    /// Reads the notation.
    pub fn read(text: &str) -> Result<Self, NotationError> {
        let fail = |problem| NotationError { phrase: text.to_owned(), problem };
        let mut reader = Reader { rest: text, depth: 0 };
        let pieces = reader.sequence().map_err(fail)?;
        if let Some(bracket) = reader.rest.chars().next() {
            return Err(fail(Problem::Unbalanced(bracket)));
        }
        if may_be_empty(&pieces) {
            return Err(fail(Problem::Empty));
        }
        Ok(Self(pieces))
    }
}

fn may_be_empty(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| match piece {
        Piece::Literal(text) => text.is_empty(),
        Piece::Choice(choices) => choices.iter().any(|choice| may_be_empty(choice)),
        Piece::Gap { least, .. } => *least == 0,
        Piece::Space | Piece::End => true,
    })
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl Reader<'_> {
    /// Pieces up to the end or to a bracket or bar that belongs to the caller.
    fn sequence(&mut self) -> Result<Vec<Piece>, Problem> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        while let Some(character) = self.rest.chars().next() {
            if matches!(character, ')' | ']' | '|') {
                break;
            }
            self.rest = &self.rest[character.len_utf8()..];
            let piece = match character {
                '(' => self.choice(')')?,
                '[' => {
                    let Piece::Choice(mut choices) = self.choice(']')? else { unreachable!("a choice gives a choice") };
                    choices.push(Vec::new());
                    Piece::Choice(choices)
                }
                '<' => self.mark()?,
                other => {
                    literal.push(other.to_ascii_lowercase());
                    continue;
                }
            };
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(piece);
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(pieces)
    }

    fn choice(&mut self, close: char) -> Result<Piece, Problem> {
        self.depth += 1;
        if self.depth > MOST_NESTING {
            return Err(Problem::TooDeep);
        }
        let mut choices = vec![self.sequence()?];
        loop {
            let Some(next) = self.rest.chars().next() else {
                return Err(Problem::Unbalanced(if close == ')' { '(' } else { '[' }));
            };
            self.rest = &self.rest[next.len_utf8()..];
            match next {
                '|' => choices.push(self.sequence()?),
                found if found == close => break,
                other => return Err(Problem::Unbalanced(other)),
            }
        }
        self.depth -= 1;
        Ok(Piece::Choice(choices))
    }

    fn mark(&mut self) -> Result<Piece, Problem> {
        let (mark, rest) = self.rest.split_once('>').ok_or(Problem::Unbalanced('<'))?;
        self.rest = rest;
        match mark {
            "*" => Ok(Piece::Gap { least: 0, most: None }),
            "~" => Ok(Piece::Space),
            "end" => Ok(Piece::End),
            range => {
                let (least, most) = range.split_once('-').ok_or(Problem::UnknownMark)?;
                let least = least.parse().map_err(|_| Problem::UnknownMark)?;
                let most = most.parse().map_err(|_| Problem::UnknownMark)?;
                if least > most { Err(Problem::UnknownMark) } else { Ok(Piece::Gap { least, most: Some(most) }) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_letters_are_small() {
        let phrase = Phrase::read("Trust me<0-20>(will|be [so ]fine)<~><end>").unwrap();
        assert_eq!(phrase.0.len(), 5);
        assert_eq!(phrase.0[0], Piece::Literal("trust me".into()));
        assert_eq!(phrase.0[1], Piece::Gap { least: 0, most: Some(20) });
    }

    #[test]
    fn what_is_wrong_is_said() {
        let problem = |text: &str| Phrase::read(text).unwrap_err().problem;
        assert_eq!(problem("(a|b"), Problem::Unbalanced('('));
        assert_eq!(problem("a)"), Problem::Unbalanced(')'));
        assert_eq!(problem("(a]"), Problem::Unbalanced(']'));
        assert_eq!(problem("[a]"), Problem::Empty);
        assert_eq!(problem(""), Problem::Empty);
        assert_eq!(problem("a <5-2>"), Problem::UnknownMark);
        assert_eq!(problem("a <x>"), Problem::UnknownMark);
        assert_eq!(problem("a <*"), Problem::Unbalanced('<'));
        assert_eq!(problem(&"(".repeat(100)), Problem::TooDeep);
    }
}
