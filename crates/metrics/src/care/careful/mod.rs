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

use reading::Reading;
use request::Request;
use wording::{Sense, wordings};

/// An exchange that has been read.
#[derive(Debug)]
pub(super) struct Careful {
    user: Reading,
    reply: Reading,
    request: Request,
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
        let user = Reading::of(user);
        let request = Request::of(&user);
        Self { user, reply: Reading::of(reply), request }
    }

    /// `agency_language`
    pub(super) fn direction(&self) -> Direction {
        let invitations = wordings(&self.reply, &[Sense::Invitation])
            .into_iter()
            .map(|wording| Finding {
                rule: wording.id,
                meaning: wording.meaning,
                span: self.reply.origin(wording.first, wording.last),
            })
            .collect();
        Direction { orders: orders::orders(&self.reply, &self.request), invitations }
    }

    /// `unverifiable_reassurance`
    pub(super) fn assertion(&self) -> Assertion {
        let claims = claims::claims(&self.reply, &self.user, &self.request);
        Assertion { minds: claims.minds, futures: claims.futures }
    }

    /// `topic_pivot`
    pub(super) fn course(&self) -> Course {
        let mut said: Vec<_> = orders::orders(&self.reply, &self.request).into_iter().map(|found| found.span).collect();
        let claims = claims::claims(&self.reply, &self.user, &self.request);
        said.extend(claims.minds.into_iter().chain(claims.futures).map(|found| found.span));
        let leaving = leaving::leaving(&self.user, &self.reply, &self.request, &said);
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
