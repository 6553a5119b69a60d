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
mod mood;
mod orders;
mod reading;
mod request;
mod scope;
mod wording;

pub(super) use findings::hits;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

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

thread_local! {
    static LAST: RefCell<Option<(String, String, Rc<Careful>)>> = const { RefCell::new(None) };
}

/// The exchange as [`Careful::of`] reads it. A thread keeps the last one, since the metrics of this family are asked one
/// after the other about the same case; it depends on nothing but its texts, so it does not matter whether it was kept.
pub(super) fn read(user: &str, reply: &str) -> Rc<Careful> {
    LAST.with_borrow_mut(|last| match last {
        Some((known_user, known_reply, careful)) if known_user == user && known_reply == reply => Rc::clone(careful),
        _ => {
            let careful = Rc::new(Careful::of(user, reply));
            *last = Some((user.to_owned(), reply.to_owned(), Rc::clone(&careful)));
            careful
        }
    })
}

impl Careful {
    /// Reads an exchange; a reply alone is read with an empty message.
    pub(super) fn of(user: &str, reply: &str) -> Self {
        let (user, reply) = (Reading::of(user), Reading::of(reply));
        let request = Request::of(&user);
        let found = wordings(&reply, &IN_REPLIES);
        Self { user, reply, request, found, orders: OnceCell::new(), claims: OnceCell::new(), leaving: OnceCell::new() }
    }

    /// Orders, pressure and belittling in the reply.
    pub(super) fn orders(&self) -> &[Finding] {
        self.orders.get_or_init(|| orders::orders(&self.reply, &self.found, &self.request))
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
    use super::*;

    #[test]
    fn an_exchange_is_read_once_and_the_next_one_anew() {
        let first = read("He left.", "You must go.");
        assert!(Rc::ptr_eq(&first, &read("He left.", "You must go.")));
        assert!(read("He left.", "I hear you.").orders().is_empty());
        assert_eq!(read("He left.", "You must go.").orders(), first.orders());
    }
}
