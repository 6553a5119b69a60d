//! [`Phrase`]: a phrase read from its notation and written as a regular expression.

use std::fmt;

use probare_english::lexicon;

/// Deepest nesting of choices and options.
const MOST_NESTING: usize = 8;

/// Longest gap that has an end.
const LONGEST_GAP: usize = 500;

/// Any character of a line.
const IN_LINE: &str = "[^\\n\\r\\u{2028}\\u{2029}]";

/// White space as JavaScript's patterns know it; see [`super::is_free_space`].
const FREE_SPACE: &str =
    "[\\t-\\r \\u{a0}\\u{1680}\\u{2000}-\\u{200a}\\u{2028}\\u{2029}\\u{202f}\\u{205f}\\u{3000}\\u{feff}]*";

/// A phrase in the notation of [`super`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// As a regular expression in which letters are small.
    pub(super) pattern: String,
    /// Whether a gap in it has no end.
    pub(super) is_open: bool,
}

/// A phrase that breaks the rules of its notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{phrase}`: {problem}")]
pub struct NotationError {
    /// The phrase as written.
    pub phrase: String,
    /// What is wrong with it.
    pub problem: NotationProblem,
}

/// What is wrong with a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotationProblem {
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
}

impl fmt::Display for NotationProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("the phrase may be empty, so it would be found everywhere"),
            Self::Unbalanced(bracket) => write!(formatter, "`{bracket}` has no counterpart"),
            Self::UnknownMark => write!(
                formatter,
                "between `<` and `>` stands `*`, `~`, `end`, `edge`, `word`, `digits`, `letters 0-20`, a class of the lexicon as `copula`, or a range as `0-20` or `0-20?` up to {LONGEST_GAP}"
            ),
            Self::TooDeep => write!(formatter, "choices are nested more than {MOST_NESTING} deep"),
            Self::BeginsWithGap => formatter.write_str("a phrase begins with a word or a mark of punctuation"),
        }
    }
}

impl Phrase {
    /// Reads the notation.
    pub fn parse(text: &str) -> Result<Self, NotationError> {
        let fail = |problem| NotationError { phrase: text.to_owned(), problem };
        let mut reader = Reader { rest: text, depth: 0, pattern: String::new(), is_open: false };
        let may_be_empty = reader.sequence().map_err(fail)?;
        if let Some(bracket) = reader.rest.chars().next() {
            return Err(fail(NotationProblem::Unbalanced(bracket)));
        }
        if may_be_empty {
            return Err(fail(NotationProblem::Empty));
        }
        Ok(Self { pattern: reader.pattern, is_open: reader.is_open })
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    pattern: String,
    is_open: bool,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Writes what stands up to the end or to a bracket or bar that belongs to the caller; tells whether it may be empty.
    fn sequence(&mut self) -> Result<bool, NotationProblem> {
        let mut may_be_empty = true;
        while !self.rest.is_empty() && !self.rest.starts_with([')', ']', '|']) {
            let Some(character) = self.next() else { break };
            may_be_empty &= match character {
                '(' => self.choice(')')?,
                '[' => self.choice(']')?,
                '<' => self.mark()?,
                other => {
                    let mut buffer = [0; 4];
                    let escaped = regex_syntax::escape(other.to_ascii_lowercase().encode_utf8(&mut buffer));
                    // Beyond ASCII a letter is itself alone.
                    let is_plain = other.is_ascii();
                    self.pattern.push_str(&if is_plain { escaped } else { format!("(?u-i:{escaped})") });
                    false
                }
            };
        }
        Ok(may_be_empty)
    }

    fn choice(&mut self, close: char) -> Result<bool, NotationProblem> {
        self.depth += 1;
        if self.depth > MOST_NESTING {
            return Err(NotationProblem::TooDeep);
        }
        self.pattern.push_str("(?:");
        let mut may_be_empty = self.sequence()?;
        loop {
            match self.next() {
                None => return Err(NotationProblem::Unbalanced(if close == ')' { '(' } else { '[' })),
                Some('|') => {
                    self.pattern.push('|');
                    may_be_empty |= self.sequence()?;
                }
                Some(found) if found == close => break,
                Some(other) => return Err(NotationProblem::Unbalanced(other)),
            }
        }
        self.depth -= 1;
        self.pattern.push_str(if close == ']' { ")?" } else { ")" });
        Ok(may_be_empty || close == ']')
    }

    fn mark(&mut self) -> Result<bool, NotationProblem> {
        let (mark, rest) = self.rest.split_once('>').ok_or(NotationProblem::Unbalanced('<'))?;
        self.rest = rest;
        match mark {
            "*" => {
                self.is_open = true;
                self.pattern.push_str(&[IN_LINE, "*"].concat());
            }
            "~" => self.pattern.push_str(FREE_SPACE),
            "end" => self.pattern.push_str("\\z"),
            "word" => {
                self.pattern.push_str("[a-z0-9'-]+");
                return Ok(false);
            }
            "edge" => self.pattern.push_str("\\b"),
            "digits" => {
                self.pattern.push_str("[0-9]+");
                return Ok(false);
            }
            letters if letters.starts_with("letters ") => {
                let (least, most) = bounds(&letters["letters ".len()..])?;
                // Letters of ASCII alone, as everywhere.
                self.pattern.push_str(&format!("(?-i:[A-Za-z' ]){{{least},{most}}}"));
                return Ok(least == 0);
            }
            name if name.starts_with(|first: char| first.is_ascii_lowercase()) => {
                let words = lexicon::words_with_role(name).ok_or(NotationProblem::UnknownMark)?;
                let words: Vec<String> = words.iter().map(|word| regex_syntax::escape(word)).collect();
                self.pattern.push_str(&format!("(?:{})", words.join("|")));
                return Ok(false);
            }
            range => {
                let (range, shortest) = range.strip_suffix('?').map_or((range, ""), |range| (range, "?"));
                let (least, most) = bounds(range)?;
                self.pattern.push_str(&format!("{IN_LINE}{{{least},{most}}}{shortest}"));
                return Ok(least == 0);
            }
        }
        Ok(true)
    }
}

/// The ends of a range such as `0-20`.
fn bounds(range: &str) -> Result<(usize, usize), NotationProblem> {
    let (least, most) = range.split_once('-').ok_or(NotationProblem::UnknownMark)?;
    let bound = |text: &str| text.parse().ok().filter(|bound: &usize| *bound <= LONGEST_GAP);
    let ends = bound(least).zip(bound(most)).filter(|(least, most)| least <= most);
    ends.ok_or(NotationProblem::UnknownMark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_letters_are_small() {
        let phrase = Phrase::parse("Trust me<0-20>(will|be [so ]fine).").unwrap();
        assert_eq!(phrase.pattern, format!("trust me{IN_LINE}{{0,20}}(?:will|be (?:so )?fine)\\."));
        assert!(!phrase.is_open && Phrase::parse("a<*>b").unwrap().is_open);
        let copula = Phrase::parse("it <copula> so").unwrap().pattern;
        assert!(copula.contains("|is)") && copula.contains("wasn't"), "{copula}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let problem = |text: &str| Phrase::parse(text).unwrap_err().problem;
        assert_eq!(problem("(a|b"), NotationProblem::Unbalanced('('));
        assert_eq!(problem("a)"), NotationProblem::Unbalanced(')'));
        assert_eq!(problem("(a]"), NotationProblem::Unbalanced(']'));
        assert_eq!(problem("[a]"), NotationProblem::Empty);
        assert_eq!(problem(""), NotationProblem::Empty);
        assert_eq!(problem("a <5-2>"), NotationProblem::UnknownMark);
        assert_eq!(problem("a <0-100000>"), NotationProblem::UnknownMark);
        assert_eq!(problem("a <nouns>"), NotationProblem::UnknownMark);
        assert_eq!(problem("a <*"), NotationProblem::Unbalanced('<'));
        assert_eq!(problem(&"(".repeat(100)), NotationProblem::TooDeep);
    }
}
