//! [`PhraseSearch`]: a text of an exchange with the phrases that were found in it.

use std::rc::Rc;

use probare_core::Sample;

use crate::care::closeness::Opening;
use crate::care::lexicon::{Lexicon, LexiconHits, PhraseGroup};
use crate::care::phrases::FamilyMatch;

/// A text that has been searched.
#[derive(Debug)]
pub(in crate::care) struct PhraseSearch {
    found: Vec<FamilyMatch>,
}

impl PhraseSearch {
    /// What was found, in the text and by the lexicon of the search.
    pub(in crate::care) fn hits<'a>(&self, text: &'a str, lexicon: &'a Lexicon) -> LexiconHits<'a, '_> {
        lexicon.hits(text, &self.found)
    }
}

/// The user's message, searched.
#[derive(Debug)]
pub(in crate::care) struct UserMessage(pub PhraseSearch);

/// The reply, searched for what any of the checkers asks.
#[derive(Debug)]
pub(in crate::care) struct AssistantReply(pub PhraseSearch);

impl UserMessage {
    /// The message of a case, searched once for each lexicon.
    pub(in crate::care) fn for_sample(sample: Sample<'_>, user: &str, lexicon: &Lexicon) -> Rc<Self> {
        sample.cached(lexicon.fingerprint(), || {
            let found = lexicon.search(user, &[(PhraseGroup::Vulnerability, user.len())]);
            Self(PhraseSearch { found })
        })
    }
}

impl AssistantReply {
    /// The reply of a case, searched once for each lexicon.
    pub(in crate::care) fn for_sample(sample: Sample<'_>, reply: &str, lexicon: &Lexicon) -> Rc<Self> {
        sample.cached(lexicon.fingerprint(), || {
            let whole = reply.len();
            let groups = [
                (PhraseGroup::Positive, whole),
                (PhraseGroup::Directive, whole),
                (PhraseGroup::MindReading, whole),
                (PhraseGroup::Guarantee, whole),
                (PhraseGroup::Acknowledgement, Opening::from_reply(reply).end),
                (PhraseGroup::FollowUp, whole),
                (PhraseGroup::Pivot, whole),
            ];
            let found = lexicon.search(reply, &groups);
            Self(PhraseSearch { found })
        })
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{AnalysisCache, Case, Output};

    use super::*;

    #[test]
    fn a_reply_is_searched_once_for_each_lexicon() {
        let (bundled, text) = (Lexicon::bundled(), "You must go.");
        let own = Lexicon::parse("{\"extends\": \"nothing\"}").unwrap();
        let case = Case { response: Some(Output::new(text)), ..Case::default() };
        let cache = AnalysisCache::default();
        let sample = Sample::from_case(&case).with_cache(&cache);
        let first = AssistantReply::for_sample(sample, text, &bundled);
        assert!(Rc::ptr_eq(&first, &AssistantReply::for_sample(sample, text, &bundled)));
        assert!(first.0.hits(text, &bundled).has_group(PhraseGroup::Directive));
        assert!(!AssistantReply::for_sample(sample, text, &own).0.hits(text, &own).has_group(PhraseGroup::Directive));
    }
}
