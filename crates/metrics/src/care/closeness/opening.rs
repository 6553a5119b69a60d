//! [`Opening`]: the first two sentences of a reply, cut as the published checker cuts them.

use std::borrow::Cow;

use crate::care::phrases::is_js_whitespace;

/// The beginning of a reply up to the second cut. A cut is white space directly after `.`, `!` or `?`, so `Dr. ` cuts
/// and `." ` does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening<'a> {
    reply: &'a str,
    /// Start and end of the white space at the first cut.
    between: Option<(usize, usize)>,
    /// Where the second piece ends in the reply.
    pub end: usize,
}

impl<'a> Opening<'a> {
    /// The opening of a reply.
    pub fn from_reply(reply: &'a str) -> Self {
        let between = cut(reply, 0);
        let second_cut = between.and_then(|(_, second)| cut(reply, second));
        Self { reply, between, end: second_cut.map_or(reply.len(), |(end, _)| end) }
    }

    /// Its text: both pieces with one space between, white space at the ends removed.
    pub fn text(&self) -> Cow<'a, str> {
        match self.between {
            Some((first_end, second)) if &self.reply[first_end..second] != " " => {
                let joined = [&self.reply[..first_end], &self.reply[second..self.end]].join(" ");
                Cow::Owned(joined.trim_matches(is_js_whitespace).to_owned())
            }
            // The pieces stand in the reply as they are shown.
            _ => Cow::Borrowed(self.reply[..self.end].trim_matches(is_js_whitespace)),
        }
    }
}

/// Start and end of the first run of white space after a full stop, from `from` on.
fn cut(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(offset) = memchr::memchr3(b'.', b'!', b'?', &bytes[at..]) {
        probare_cancellation::count_steps(1);
        at += offset + 1;
        let rest = &text[at..];
        let space = rest.find(|character| !is_js_whitespace(character)).unwrap_or(rest.len());
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
        Opening::from_reply(reply).text().into_owned()
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
