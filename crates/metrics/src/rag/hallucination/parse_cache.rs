//! [`ParseCache`]: parsed texts, kept for a while: the same passage comes again in the next case.

use std::collections::VecDeque;
use std::rc::Rc;

use probare_english::{ParsedText, Parser};

/// Bytes of text whose trees a worker keeps; a tree takes some fifty times as many.
const MOST_BYTES: usize = 256 * 1024;

/// Texts whose trees a worker keeps.
const MOST_TEXTS: usize = 64;

/// Texts with their trees, the latest last.
#[derive(Debug, Default)]
pub(crate) struct ParseCache {
    texts: VecDeque<(String, Rc<ParsedText>)>,
    bytes: usize,
}

impl ParseCache {
    /// The parsed text. A tree depends on nothing but its text, so it does not matter whether it was kept.
    pub(crate) fn parse(&mut self, text: &str) -> Rc<ParsedText> {
        if let Some((_, document)) = self.texts.iter().rev().find(|(known, _)| known == text) {
            return Rc::clone(document);
        }
        let document = Rc::new(Parser::english().parse_uncorrected(text));
        if text.len() <= MOST_BYTES {
            self.bytes += text.len();
            self.texts.push_back((text.to_owned(), Rc::clone(&document)));
        }
        while self.bytes > MOST_BYTES || self.texts.len() > MOST_TEXTS {
            let Some((oldest, _)) = self.texts.pop_front() else { break };
            self.bytes -= oldest.len();
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once_and_forgotten_in_time() {
        let mut trees = ParseCache::default();
        let first = trees.parse("The pass costs $5.");
        assert!(Rc::ptr_eq(&first, &trees.parse("The pass costs $5.")));
        for number in 0..70 {
            trees.parse(&format!("It costs {number}."));
        }
        let again = trees.parse("The pass costs $5.");
        assert!(!Rc::ptr_eq(&first, &again) && first == again);
    }
}
