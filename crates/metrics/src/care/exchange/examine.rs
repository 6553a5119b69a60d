//! [`examine`] and [`examine_carefully`]: all three checkers over one exchange, reading each text once.

use crate::care::agency_language::{self, Agency};
use crate::care::careful::Careful;
use crate::care::lexicon::Lexicon;
use crate::care::topic_pivot::{self, Pivot};
use crate::care::unverifiable_reassurance::{self, Reassurance};

use super::Searched;

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
    let (in_user, in_reply) = (Searched::message(user, lexicon), Searched::reply(reply, lexicon));
    let hits = in_reply.hits(reply, lexicon);
    Verdicts {
        agency: agency_language::decide(&hits),
        reassurance: unverifiable_reassurance::decide(&hits),
        pivot: topic_pivot::decide((user, &in_user), (reply, &in_reply), lexicon),
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
