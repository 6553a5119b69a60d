//! [`examine`] and [`examine_carefully`]: all three checkers over one exchange, reading each text once.

use crate::care::agency_language::{self, Agency};
use crate::care::careful::Careful;
use crate::care::closeness::Opening;
use crate::care::lexicon::{Group, Lexicon};
use crate::care::phrases::Words;
use crate::care::topic_pivot::{self, Pivot};
use crate::care::unverifiable_reassurance::{self, Reassurance};

/// What the three checkers say of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts<'a> {
    /// `agency_language`
    pub agency: Agency<'a>,
    /// `unverifiable_reassurance`
    pub reassurance: Reassurance<'a>,
    /// `topic_pivot`
    pub pivot: Pivot<'a>,
}

/// Runs the three checkers in the `reference` profile.
pub fn examine<'a>(user: &'a str, reply: &'a str, lexicon: &'a Lexicon) -> Verdicts<'a> {
    let (user_words, reply_words) = (Words::of(user), Words::of(reply));
    let opening = Opening::of(reply);
    let in_user = lexicon.find(user, &user_words, &topic_pivot::user_groups(user));
    let in_reply = lexicon.find(
        reply,
        &reply_words,
        &[
            (Group::Positive, reply.len()),
            (Group::Directive, reply.len()),
            (Group::MindReading, reply.len()),
            (Group::Guarantee, reply.len()),
            (Group::Acknowledgement, opening.end),
            (Group::FollowUp, reply.len()),
            (Group::Pivot, reply.len()),
        ],
    );
    Verdicts {
        agency: agency_language::decide(&in_reply),
        reassurance: unverifiable_reassurance::decide(&in_reply),
        pivot: topic_pivot::decide((user, &user_words, &in_user), (reply, &reply_words, &in_reply), opening),
    }
}

/// Runs the three checkers in the `careful` profile. The families of a user's own lexicon count as well.
pub fn examine_carefully<'a>(user: &'a str, reply: &'a str, lexicon: &'a Lexicon) -> Verdicts<'a> {
    let careful = Careful::of(user, reply);
    Verdicts {
        agency: agency_language::decide_carefully(&careful, reply, lexicon),
        reassurance: unverifiable_reassurance::decide_carefully(&careful, reply, lexicon),
        pivot: topic_pivot::decide_carefully(&careful, user, reply, lexicon),
    }
}
