//! [`Opening`]: the first two sentences of a reply, cut as the published checker cuts them.

use crate::care::phrases::is_free_space;

/// The beginning of a reply up to the second cut. A cut is white space directly after `.`, `!` or `?`, so `Dr. ` cuts
/// and `." ` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening<'a> {
    first: &'a str,
    second: Option<&'a str>,
    /// Where the second piece ends in the reply.
    pub end: usize,
}

impl<'a> Opening<'a> {
    /// The opening of a reply.
    pub fn of(reply: &'a str) -> Self {
        let Some((first_end, second_start)) = cut(reply, 0) else {
            return Self { first: reply, second: None, end: reply.len() };
        };
        let end = cut(reply, second_start).map_or(reply.len(), |(end, _)| end);
        Self { first: &reply[..first_end], second: Some(&reply[second_start..end]), end }
    }

    /// Its text: both pieces with one space between, white space at the ends removed.
    pub fn text(&self) -> String {
        let joined = match self.second {
            None => return self.first.trim_matches(is_free_space).to_owned(),
            Some(second) => [self.first, second].join(" "),
        };
        joined.trim_matches(is_free_space).to_owned()
    }
}

/// Start and end of the first run of white space after a full stop, from `from` on.
fn cut(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(offset) = memchr::memchr3(b'.', b'!', b'?', &bytes[at..]) {
        at += offset + 1;
        let rest = &text[at..];
        let space = rest.find(|character| !is_free_space(character)).unwrap_or(rest.len());
        if space > 0 {
            return Some((at, at + space));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(reply: &str) -> String {
        Opening::of(reply).text()
    }

    #[test]
    fn two_sentences_are_kept() {
        assert_eq!(opening("One.  Two!\nThree?"), "One. Two!");
        assert_eq!(opening("  Dr. No. Yes."), "Dr. No.");
        assert_eq!(opening("He said \"no.\" Then. Left."), "He said \"no.\" Then. Left.");
        assert_eq!(opening("one\ntwo"), "one\ntwo");
        assert_eq!(opening("One. "), "One.");
        assert_eq!(opening(""), "");
    }
}
