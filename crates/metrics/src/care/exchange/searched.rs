//! [`Searched`]: a text of an exchange with its words and the phrases that were found in it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::care::closeness::Opening;
use crate::care::lexicon::{Group, Hits, Lexicon};
use crate::care::phrases::{Found, Words};

/// A text that has been searched.
#[derive(Debug)]
pub(in crate::care) struct Searched {
    /// Its words.
    pub words: Words,
    found: Vec<Found>,
}

impl Searched {
    /// Searches a user's message.
    pub(in crate::care) fn message(user: &str, lexicon: &Lexicon) -> Self {
        let words = Words::of(user);
        let found = lexicon.search(user, &words, &[(Group::Vulnerability, user.len())]);
        Self { words, found }
    }

    /// Searches a reply for what any of the checkers asks.
    pub(in crate::care) fn reply(reply: &str, lexicon: &Lexicon) -> Self {
        let words = Words::of(reply);
        let whole = reply.len();
        let groups = [
            (Group::Positive, whole),
            (Group::Directive, whole),
            (Group::MindReading, whole),
            (Group::Guarantee, whole),
            (Group::Acknowledgement, Opening::of(reply).end),
            (Group::FollowUp, whole),
            (Group::Pivot, whole),
        ];
        let found = lexicon.search(reply, &words, &groups);
        Self { words, found }
    }

    /// What was found, in the text and by the lexicon of the search.
    pub(in crate::care) fn hits<'a>(&self, text: &'a str, lexicon: &'a Lexicon) -> Hits<'a, '_> {
        lexicon.hits(text, &self.found)
    }
}

/// A reply that has been searched, and by which lexicon.
struct Kept {
    reply: String,
    lexicon: Arc<Lexicon>,
    searched: Rc<Searched>,
}

thread_local! {
    static LAST: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// The reply as [`Searched::reply`] gives it. A thread keeps the last one, since the metrics of this family are asked one
/// after the other about the same case; it depends on nothing but the two arguments, so it does not matter whether it was
/// kept.
pub(in crate::care) fn searched_reply(reply: &str, lexicon: &Arc<Lexicon>) -> Rc<Searched> {
    LAST.with_borrow_mut(|last| match last {
        Some(kept) if kept.reply == reply && Arc::ptr_eq(&kept.lexicon, lexicon) => Rc::clone(&kept.searched),
        _ => {
            let searched = Rc::new(Searched::reply(reply, lexicon));
            let (reply, lexicon) = (reply.to_owned(), Arc::clone(lexicon));
            *last = Some(Kept { reply, lexicon, searched: Rc::clone(&searched) });
            searched
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_searched_once_for_each_lexicon() {
        let (bundled, reply) = (Lexicon::bundled(), "You must go.");
        let first = searched_reply(reply, &bundled);
        assert!(Rc::ptr_eq(&first, &searched_reply(reply, &bundled)));
        let own = Arc::new(Lexicon::read("{\"extends\": \"nothing\"}").unwrap());
        assert!(!searched_reply(reply, &own).hits(reply, &own).any(Group::Directive));
        assert!(!searched_reply("Go on.", &bundled).hits("Go on.", &bundled).any(Group::Directive));
        assert!(searched_reply(reply, &bundled).hits(reply, &bundled).any(Group::Directive));
    }
}
