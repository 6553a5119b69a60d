//! [`Checker`]: runs the requested checks on a case and keeps what the report shows of each.

use std::borrow::Cow;
use std::sync::Arc;

use probare_core::Profile;
use probare_metrics::care::{self, Agency, Hit, Lexicon, Pivot, Reassurance, Strength, Verdicts};
use serde::Serialize;

use super::javascript::Number;
use super::{Case, Check};

/// How cases are checked: in which profile and by which phrases.
#[derive(Debug, Clone)]
pub struct Checker {
    /// The published reading, or ours.
    pub profile: Profile,
    /// The phrases.
    pub lexicon: Arc<Lexicon>,
}

impl Default for Checker {
    fn default() -> Self {
        Self { profile: Profile::Reference, lexicon: Lexicon::bundled() }
    }
}

impl Checker {
    /// What the three checkers say of a case, whether it asks for them or not.
    pub fn verdicts<'a>(&'a self, case: &'a Case<'_>) -> Verdicts<'a> {
        match self.profile {
            Profile::Reference => care::examine(&case.user, &case.assistant, &self.lexicon),
            Profile::Careful => care::examine_carefully(&case.user, &case.assistant, &self.lexicon),
        }
    }

    /// Runs the checks of a case, in the order in which it names them.
    pub fn check<'a>(&'a self, case: &'a Case<'_>) -> Vec<(Check, Checked<'a>)> {
        let verdicts = self.verdicts(case);
        case.checks
            .iter()
            .map(|check| {
                let checked = match check {
                    Check::AgencyLanguage => Checked::from(&verdicts.agency),
                    Check::UnverifiableReassurance => Checked::from(&verdicts.reassurance),
                    Check::TopicPivot => Checked::from(&verdicts.pivot),
                };
                (*check, checked)
            })
            .collect()
    }
}

/// The result of one check as the report shows it, in the words of the case and of the lexicon.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Checked<'a> {
    /// Of `agency_language`.
    Agency {
        /// Whether invitations outweigh orders.
        pass: bool,
        /// Families of invitations less families of orders.
        score: i64,
        /// Ids of the families of invitations.
        pos_hits: Vec<&'a str>,
        /// Ids of the families of orders.
        neg_hits: Vec<&'a str>,
        /// Whether the reply directs or invites at all; shown where it does neither.
        #[serde(skip_serializing_if = "is_true")]
        applicable: bool,
        /// The verdict in one sentence, in the `careful` profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
    },
    /// Of `unverifiable_reassurance`.
    Reassurance {
        /// Whether nothing was claimed.
        pass: bool,
        /// All claims, each text once.
        hits: Vec<&'a str>,
        /// Claims about minds.
        mind_reading_hits: Vec<&'a str>,
        /// Claims about the future.
        guarantee_hits: Vec<&'a str>,
        /// The verdict in one sentence, in the `careful` profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
    },
    /// Of `topic_pivot`.
    Pivot {
        /// Whether the reply stays, or nobody is vulnerable.
        pass: bool,
        /// Whether the user is vulnerable.
        applicable: bool,
        /// How clearly it stays or leaves.
        pass_strength: Strength,
        /// Similarity of the message and the whole reply, to two decimals.
        anchor_similarity: Number,
        /// Whether the opening takes in what the user said.
        ack_present: bool,
        /// The opening.
        anchor_text: Cow<'a, str>,
        /// Signs of vulnerability.
        vuln_hits: Vec<&'a str>,
        /// Signs of acknowledgement.
        ack_hits: Vec<&'a str>,
        /// The verdict in one sentence, in the `careful` profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_true(flag: &bool) -> bool {
    *flag
}

fn families<'a>(hits: &[Hit<'a>]) -> Vec<&'a str> {
    hits.iter().map(|hit| hit.family).collect()
}

fn texts<'a>(hits: &[Hit<'a>]) -> Vec<&'a str> {
    hits.iter().map(|hit| hit.text).collect()
}

impl<'a> From<&Agency<'a>> for Checked<'a> {
    fn from(verdict: &Agency<'a>) -> Self {
        Self::Agency {
            pass: verdict.pass,
            score: verdict.score,
            pos_hits: families(&verdict.invitations),
            neg_hits: families(&verdict.orders),
            applicable: verdict.applicable,
            reason: verdict.reason,
        }
    }
}

impl<'a> From<&Reassurance<'a>> for Checked<'a> {
    fn from(verdict: &Reassurance<'a>) -> Self {
        Self::Reassurance {
            pass: verdict.pass,
            hits: verdict.hits(),
            mind_reading_hits: texts(&verdict.mind_reading),
            guarantee_hits: texts(&verdict.guarantees),
            reason: verdict.reason,
        }
    }
}

impl<'a> From<&Pivot<'a>> for Checked<'a> {
    fn from(verdict: &Pivot<'a>) -> Self {
        Self::Pivot {
            pass: verdict.pass(),
            applicable: verdict.applicable(),
            pass_strength: verdict.strength,
            anchor_similarity: Number(care::rounded(verdict.similarity)),
            ack_present: !verdict.acknowledged.is_empty(),
            anchor_text: verdict.opening.text(),
            vuln_hits: texts(&verdict.vulnerable),
            ack_hits: texts(&verdict.acknowledged),
            reason: verdict.reason,
        }
    }
}

impl Checked<'_> {
    /// Whether the check is fine; what does not apply is.
    pub const fn pass(&self) -> bool {
        match self {
            Self::Agency { pass, .. } | Self::Reassurance { pass, .. } | Self::Pivot { pass, .. } => *pass,
        }
    }

    /// Whether the question applies to the case.
    pub const fn applicable(&self) -> bool {
        match self {
            Self::Pivot { applicable, .. } | Self::Agency { applicable, .. } => *applicable,
            Self::Reassurance { .. } => true,
        }
    }

    /// What a failed check adds to the evidence of its case.
    pub(super) fn evidence(&self) -> impl Iterator<Item = (&'static str, Shown<'_>)> {
        let [first, second, third] = match self {
            Self::Agency { score, neg_hits, .. } => {
                [Some(("agency_score", Shown::Score(*score))), Some(("neg_hits", Shown::Texts(neg_hits))), None]
            }
            Self::Reassurance { hits, mind_reading_hits, guarantee_hits, .. } => [
                Some(("reassurance_hits", Shown::Texts(hits))),
                Some(("mind_reading_hits", Shown::Texts(mind_reading_hits))),
                Some(("guarantee_hits", Shown::Texts(guarantee_hits))),
            ],
            Self::Pivot { anchor_similarity, ack_present, applicable, .. } => [
                Some(("anchor_similarity", Shown::Similarity(*anchor_similarity))),
                Some(("ack_present", Shown::Flag(*ack_present))),
                Some(("applicable", Shown::Flag(*applicable))),
            ],
        };
        first.into_iter().chain(second).chain(third)
    }
}

/// A value in the evidence of a failed case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shown<'a> {
    /// Invitations less orders.
    Score(i64),
    /// A similarity to two decimals.
    Similarity(Number),
    /// Whether something holds.
    Flag(bool),
    /// What was found.
    Texts(&'a [&'a str]),
}
