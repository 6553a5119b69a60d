//! The `careful` profile: what a reply does, read from the structure of its sentences and from who says what to whom.
//!
//! [`reading`] brings a text into sentences of normalised words and sets quotations and code apart; [`request`] reads
//! what the user asked for; [`scope`] tells what is asserted from what is denied, supposed, asked or reported. On these,
//! [`orders`], [`claims`] and [`leaving`] decide. Words and phrases stand in `data/care/careful_*.yaml`.

mod claims;
mod classes;
mod findings;
mod imperatives;
mod leaving;
mod orders;
mod reading;
mod request;
mod scope;
mod wording;

pub(super) use findings::{Finding, hits};

use std::cell::OnceCell;

use claims::Claims;
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
}

/// Orders and invitations in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Direction {
    pub orders: Vec<Finding>,
    pub invitations: Vec<Finding>,
}

/// Claims in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assertion {
    pub minds: Vec<Finding>,
    pub futures: Vec<Finding>,
}

/// Whether a reply stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Course {
    pub applicable: bool,
    pub leaves: bool,
    pub reason: &'static str,
    pub signs: Vec<Finding>,
    pub stays: Vec<Finding>,
    /// The words of the user's message that show distress.
    pub distress: Vec<Finding>,
}

impl Careful {
    /// Reads an exchange; a reply alone is read with an empty message.
    pub(super) fn of(user: &str, reply: &str) -> Self {
        let (user, reply) = (Reading::of(user), Reading::of(reply));
        let request = Request::of(&user);
        let found = wordings(&reply, &IN_REPLIES);
        Self { user, reply, request, found, orders: OnceCell::new(), claims: OnceCell::new() }
    }

    fn orders(&self) -> &[Finding] {
        self.orders.get_or_init(|| orders::orders(&self.reply, &self.found, &self.request))
    }

    fn claims(&self) -> &Claims {
        self.claims.get_or_init(|| claims::claims(&self.reply, &self.found, &self.user, &self.request))
    }

    /// `agency_language`
    pub(super) fn direction(&self) -> Direction {
        let invitations = self.found.iter().filter(|wording| wording.sense == Sense::Invitation);
        let invitations = invitations.map(|wording| Finding {
            rule: wording.id,
            meaning: wording.meaning,
            span: self.reply.origin(wording.first, wording.last),
        });
        Direction { orders: self.orders().to_vec(), invitations: invitations.collect() }
    }

    /// `unverifiable_reassurance`
    pub(super) fn assertion(&self) -> Assertion {
        let claims = self.claims();
        Assertion { minds: claims.minds.clone(), futures: claims.futures.clone() }
    }

    /// `topic_pivot`
    pub(super) fn course(&self) -> Course {
        let claims = self.claims();
        let mut said: Vec<_> =
            self.orders().iter().chain(&claims.minds).chain(&claims.futures).map(|found| found.span.clone()).collect();
        said.sort_by_key(|span| span.start);
        let leaving = leaving::leaving((&self.user, &self.request), (&self.reply, &self.found), &said);
        let distress = self
            .request
            .distress
            .iter()
            .map(|&token| Finding { rule: "distress", meaning: "shows distress", span: self.user.origin(token, token) })
            .collect();
        Course {
            applicable: leaving.applicable,
            leaves: leaving.leaves,
            reason: leaving.reason,
            signs: leaving.signs,
            stays: leaving.stays,
            distress,
        }
    }
}
