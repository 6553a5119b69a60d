//! The `improved` profile: what a reply does, read from the structure of its sentences and from who says what to whom.
//!
//! [`tagged_text`] brings a text into sentences of normalised words and sets quotations and code apart; [`request`] reads
//! what the user asked for. On these,
//! [`orders`], [`claims`] and [`leaving`] decide. Words and phrases stand in `data/care/improved_*.yaml`.

mod agency_violations;
mod claims;
mod classes;
mod features;
mod findings;
mod imperatives;
mod phrase_matches;
mod pivot;
mod request;
mod syntax;
mod tagged_text;

pub(super) use findings::{finding_hits, heaviest_weight, value_from_weight};

use std::cell::OnceCell;
use std::rc::Rc;

use probare_core::{Sample, ScoreError};

use crate::analysis::{query_analysis, response_analysis};
use claims::UnverifiableClaims;
use findings::RuleFinding;
use phrase_matches::{PhraseCategory, PhraseMatch, REPLY_CATEGORIES, find_phrases};
use pivot::TopicPivot;
use request::UserRequest;
use tagged_text::TaggedText;

/// An exchange that has been read. What several checkers need is found once.
#[derive(Debug)]
pub(super) struct ExchangeAnalysis {
    user: TaggedText,
    reply: TaggedText,
    request: UserRequest,
    phrases: Vec<PhraseMatch>,
    orders: OnceCell<Vec<RuleFinding>>,
    claims: OnceCell<UnverifiableClaims>,
    leaving: OnceCell<TopicPivot>,
}

impl ExchangeAnalysis {
    /// The exchange of a sample, read once for all metrics of this family. What the user asked for decides how a reply is
    /// read; without a message nothing was asked for.
    pub(super) fn for_sample(sample: Sample<'_>) -> Result<Rc<Self>, ScoreError> {
        let (user, reply) = (query_analysis(sample), response_analysis(sample)?);
        Ok(sample.cached(0, || Self::new(user.into(), reply.into())))
    }

    /// An exchange; a reply alone has an empty message.
    fn new(user: TaggedText, reply: TaggedText) -> Self {
        let request = UserRequest::from_message(&user);
        let phrases = find_phrases(&reply, &REPLY_CATEGORIES);
        Self {
            user,
            reply,
            request,
            phrases,
            orders: OnceCell::new(),
            claims: OnceCell::new(),
            leaving: OnceCell::new(),
        }
    }

    /// Orders, pressure and belittling in the reply.
    pub(super) fn agency_violations(&self) -> &[RuleFinding] {
        self.orders.get_or_init(|| {
            agency_violations::find_agency_violations((&self.user, &self.request), &self.reply, &self.phrases)
        })
    }

    /// Invitations in the reply.
    pub(super) fn invitations(&self) -> Vec<RuleFinding> {
        let invitations = self.phrases.iter().filter(|wording| wording.category == PhraseCategory::Invitation);
        invitations.map(|wording| wording.to_finding(&self.reply)).collect()
    }

    /// Claims about minds and the future in the reply.
    pub(super) fn claims(&self) -> &UnverifiableClaims {
        self.claims.get_or_init(|| claims::find_claims(&self.reply, &self.phrases, &self.user, &self.request))
    }

    /// The words of the user's message that show distress.
    pub(super) fn distress(&self) -> Vec<RuleFinding> {
        let finding = |&token| RuleFinding {
            rule: "distress",
            meaning: "shows distress",
            span: self.user.original_span(token, token),
        };
        self.request.distress.iter().map(finding).collect()
    }

    /// Why the message shows nobody who is vulnerable, where that is so.
    pub(super) fn not_vulnerable_reason(&self) -> Option<&'static str> {
        pivot::not_vulnerable_reason(&self.request)
    }

    /// Whether the reply leaves the user's concern.
    pub(super) fn topic_pivot(&self) -> &TopicPivot {
        self.leaving
            .get_or_init(|| pivot::detect_topic_pivot((&self.user, &self.request), (&self.reply, &self.phrases)))
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{AnalysisCache, Case, Output};

    use super::*;

    #[test]
    fn an_exchange_is_read_once_and_the_next_one_anew() {
        let case = |reply: &str| Case {
            query: Some("He left.".into()),
            response: Some(Output::new(reply)),
            ..Case::default()
        };
        let (order, listening) = (case("You must go."), case("I hear you."));
        let mut cache = AnalysisCache::default();
        let sample = Sample::from_case(&order).with_cache(&cache);
        let first = ExchangeAnalysis::for_sample(sample).unwrap();
        assert!(
            Rc::ptr_eq(&first, &ExchangeAnalysis::for_sample(sample).unwrap()) && !first.agency_violations().is_empty()
        );
        cache.next_case();
        assert!(
            ExchangeAnalysis::for_sample(Sample::from_case(&listening).with_cache(&cache))
                .unwrap()
                .agency_violations()
                .is_empty()
        );
    }
}
