//! The `careful` profile: what a reply does, read from the structure of its sentences and from who says what to whom.
//!
//! [`reading`] brings a text into sentences of normalised words and sets quotations and code apart; [`request`] reads
//! what the user asked for. On these,
//! [`orders`], [`claims`] and [`leaving`] decide. Words and phrases stand in `data/care/careful_*.yaml`.

mod claims;
mod classes;
mod features;
mod findings;
mod imperatives;
mod leaving;
mod mood;
mod orders;
mod reading;
mod request;
mod wording;

pub(super) use findings::{hits, strongest, value_beside};

use std::cell::OnceCell;
use std::rc::Rc;

use probare_core::{Sample, ScoreError};

use crate::reading::{of_query, of_response};
use claims::Claims;
use findings::Finding;
use leaving::Leaving;
use reading::Reading;
use request::Request;
use wording::{IN_REPLIES, Sense, Wording, wordings};

/// An exchange that has been read. What several checkers need is found once.
#[derive(Debug)]
pub(super) struct Careful {
    user: Reading,
    reply: Reading,
    request: Request,
    found: Vec<Wording>,
    orders: OnceCell<Vec<Finding>>,
    claims: OnceCell<Claims>,
    leaving: OnceCell<Leaving>,
}

impl Careful {
    /// The exchange of a sample, read once for all metrics of this family. What the user asked for decides how a reply is
    /// read; without a message nothing was asked for.
    pub(super) fn read(sample: Sample<'_>) -> Result<Rc<Self>, ScoreError> {
        let (user, reply) = (of_query(sample), of_response(sample)?);
        Ok(sample.reading(0, || Self::of(user.into(), reply.into())))
    }

    /// An exchange; a reply alone has an empty message.
    fn of(user: Reading, reply: Reading) -> Self {
        let request = Request::of(&user);
        let found = wordings(&reply, &IN_REPLIES);
        Self { user, reply, request, found, orders: OnceCell::new(), claims: OnceCell::new(), leaving: OnceCell::new() }
    }

    /// Orders, pressure and belittling in the reply.
    pub(super) fn orders(&self) -> &[Finding] {
        self.orders.get_or_init(|| orders::orders((&self.user, &self.request), &self.reply, &self.found))
    }

    /// Invitations in the reply.
    pub(super) fn invitations(&self) -> Vec<Finding> {
        let invitations = self.found.iter().filter(|wording| wording.sense == Sense::Invitation);
        invitations.map(|wording| wording.finding(&self.reply)).collect()
    }

    /// Claims about minds and the future in the reply.
    pub(super) fn claims(&self) -> &Claims {
        self.claims.get_or_init(|| claims::claims(&self.reply, &self.found, &self.user, &self.request))
    }

    /// The words of the user's message that show distress.
    pub(super) fn distress(&self) -> Vec<Finding> {
        let finding =
            |&token| Finding { rule: "distress", meaning: "shows distress", span: self.user.origin(token, token) };
        self.request.distress.iter().map(finding).collect()
    }

    /// Whether the reply leaves the user's concern.
    pub(super) fn leaving(&self) -> &Leaving {
        self.leaving.get_or_init(|| {
            let claims = self.claims();
            let found = self.orders().iter().chain(&claims.minds).chain(&claims.futures);
            let mut said: Vec<_> = found.map(|found| found.span.clone()).collect();
            said.sort_by_key(|span| span.start);
            leaving::leaving((&self.user, &self.request), (&self.reply, &self.found), &said)
        })
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output, Readings};

    use super::*;

    #[test]
    fn an_exchange_is_read_once_and_the_next_one_anew() {
        let case = |reply: &str| Case {
            query: Some("He left.".into()),
            response: Some(Output::new(reply)),
            ..Case::default()
        };
        let (order, listening) = (case("You must go."), case("I hear you."));
        let mut readings = Readings::default();
        let sample = Sample::of(&order).sharing(&readings);
        let first = Careful::read(sample).unwrap();
        assert!(Rc::ptr_eq(&first, &Careful::read(sample).unwrap()) && !first.orders().is_empty());
        readings.next_case();
        assert!(Careful::read(Sample::of(&listening).sharing(&readings)).unwrap().orders().is_empty());
    }
}
