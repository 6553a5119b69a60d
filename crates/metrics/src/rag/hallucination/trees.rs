//! Parsed texts, kept for a moment: two metrics of one sample, or the same passage in the next one, ask for the same tree.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use probare_nlp::{Document, Parser};

/// Bytes of text whose trees a thread keeps; a tree takes some fifty times as many.
const MOST_BYTES: usize = 256 * 1024;

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Texts with their trees, the latest last.
#[derive(Debug, Default)]
struct Kept {
    texts: VecDeque<(String, Rc<Document>)>,
    bytes: usize,
}

/// The parsed text. A tree depends on nothing but its text, so it does not matter whether it was kept.
pub(crate) fn parsed(text: &str) -> Rc<Document> {
    KEPT.with_borrow_mut(|kept| {
        if let Some((_, document)) = kept.texts.iter().rev().find(|(known, _)| known == text) {
            return Rc::clone(document);
        }
        let document = Rc::new(Parser::english().parse(text));
        if text.len() <= MOST_BYTES {
            kept.bytes += text.len();
            kept.texts.push_back((text.to_owned(), Rc::clone(&document)));
        }
        while kept.bytes > MOST_BYTES || kept.texts.len() > 64 {
            let Some((oldest, _)) = kept.texts.pop_front() else { break };
            kept.bytes -= oldest.len();
        }
        document
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once_and_forgotten_in_time() {
        let first = parsed("The pass costs $5.");
        assert!(Rc::ptr_eq(&first, &parsed("The pass costs $5.")));
        for number in 0..70 {
            parsed(&format!("It costs {number}."));
        }
        let again = parsed("The pass costs $5.");
        assert!(!Rc::ptr_eq(&first, &again) && first == again);
    }
}
