//! [`Searched`]: a text of an exchange with the phrases that were found in it.

use std::rc::Rc;

use probare_core::Sample;

use crate::care::closeness::Opening;
use crate::care::lexicon::{Group, Hits, Lexicon};
use crate::care::phrases::Found;

/// A text that has been searched.
#[derive(Debug)]
pub(in crate::care) struct Searched {
    found: Vec<Found>,
}

impl Searched {
    /// What was found, in the text and by the lexicon of the search.
    pub(in crate::care) fn hits<'a>(&self, text: &'a str, lexicon: &'a Lexicon) -> Hits<'a, '_> {
        lexicon.hits(text, &self.found)
    }
}

/// The user's message, searched.
#[derive(Debug)]
pub(in crate::care) struct Message(pub Searched);

/// The reply, searched for what any of the checkers asks.
#[derive(Debug)]
pub(in crate::care) struct Reply(pub Searched);

impl Message {
    /// The message of a case, searched once for each lexicon.
    pub(in crate::care) fn of(sample: Sample<'_>, user: &str, lexicon: &Lexicon) -> Rc<Self> {
        sample.reading(lexicon.mark(), || {
            let found = lexicon.search(user, &[(Group::Vulnerability, user.len())]);
            Self(Searched { found })
        })
    }
}

impl Reply {
    /// The reply of a case, searched once for each lexicon.
    pub(in crate::care) fn of(sample: Sample<'_>, reply: &str, lexicon: &Lexicon) -> Rc<Self> {
        sample.reading(lexicon.mark(), || {
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
            let found = lexicon.search(reply, &groups);
            Self(Searched { found })
        })
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output, Readings};

    use super::*;

    #[test]
    fn a_reply_is_searched_once_for_each_lexicon() {
        let (bundled, text) = (Lexicon::bundled(), "You must go.");
        let own = Lexicon::read("{\"extends\": \"nothing\"}").unwrap();
        let case = Case { response: Some(Output::new(text)), ..Case::default() };
        let readings = Readings::default();
        let sample = Sample::of(&case).sharing(&readings);
        let first = Reply::of(sample, text, &bundled);
        assert!(Rc::ptr_eq(&first, &Reply::of(sample, text, &bundled)));
        assert!(first.0.hits(text, &bundled).any(Group::Directive));
        assert!(!Reply::of(sample, text, &own).0.hits(text, &own).any(Group::Directive));
    }
}
