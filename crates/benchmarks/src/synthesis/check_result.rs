//! [`CheckResult`]: what the report shows of one check.

use probare_metrics::care::{self, AgencyVerdict, LexiconHit, PivotStrength, PivotVerdict, ReassuranceVerdict};
use serde::Serialize;

use super::javascript::JsNumber;

/// The result of one check as the report shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CheckResult {
    /// Of `agency_language`.
    Agency {
        /// Whether invitations outweigh orders.
        pass: bool,
        /// Families of invitations less families of orders.
        score: i64,
        /// Ids of the families of invitations.
        pos_hits: Vec<String>,
        /// Ids of the families of orders.
        neg_hits: Vec<String>,
        /// Whether the reply directs or invites at all; shown where it does neither.
        #[serde(skip_serializing_if = "is_true")]
        applicable: bool,
        /// The verdict in one sentence, in the `improved` profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
        /// What was matched, and what for; beside the published report.
        #[serde(skip)]
        matches: Vec<ReportedMatch>,
    },
    /// Of `unverifiable_reassurance`.
    Reassurance {
        /// Whether nothing was claimed.
        pass: bool,
        /// All claims, each text once.
        hits: Vec<String>,
        /// Claims about minds.
        mind_reading_hits: Vec<String>,
        /// Claims about the future.
        guarantee_hits: Vec<String>,
        /// The verdict in one sentence, in the `improved` profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
        /// What was matched, and what for; beside the published report.
        #[serde(skip)]
        matches: Vec<ReportedMatch>,
    },
    /// Of `topic_pivot`.
    Pivot {
        /// Whether the reply stays, or nobody is vulnerable.
        pass: bool,
        /// Whether the user is vulnerable.
        applicable: bool,
        /// How clearly it stays or leaves.
        pass_strength: PivotStrength,
        /// Similarity of the message and the whole reply, to two decimals.
        anchor_similarity: JsNumber,
        /// Whether the opening takes in what the user said.
        ack_present: bool,
        /// The opening.
        anchor_text: String,
        /// Signs of vulnerability.
        vuln_hits: Vec<String>,
        /// Signs of acknowledgement.
        ack_hits: Vec<String>,
        /// The verdict in one sentence, in the `improved` profile.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str>,
        /// What was matched, and what for; beside the published report.
        #[serde(skip)]
        matches: Vec<ReportedMatch>,
    },
}

/// A phrase that was matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedMatch {
    /// What it is evidence of, by the name of the list that it stands in.
    pub kind: &'static str,
    /// Id of its family, as the published report lists it.
    pub family: String,
    /// What the family is for, in a few words.
    pub meaning: String,
    /// The matched text.
    pub text: String,
}

/// The hits of several lists, each under its kind.
fn matches<'a>(lists: &[(&'static str, &[LexiconHit<'a>])]) -> Vec<ReportedMatch> {
    let of = |kind: &'static str, hit: &LexiconHit<'a>| ReportedMatch {
        kind,
        family: hit.family.to_owned(),
        meaning: hit.meaning.to_owned(),
        text: hit.text.to_owned(),
    };
    lists.iter().flat_map(|(kind, hits)| hits.iter().map(|hit| of(kind, hit))).collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_true(flag: &bool) -> bool {
    *flag
}

fn families(hits: &[LexiconHit<'_>]) -> Vec<String> {
    hits.iter().map(|hit| hit.family.to_owned()).collect()
}

fn texts(hits: &[LexiconHit<'_>]) -> Vec<String> {
    hits.iter().map(|hit| hit.text.to_owned()).collect()
}

impl From<&AgencyVerdict<'_>> for CheckResult {
    fn from(verdict: &AgencyVerdict<'_>) -> Self {
        Self::Agency {
            pass: verdict.pass,
            score: verdict.score,
            pos_hits: families(&verdict.invitations),
            neg_hits: families(&verdict.violations),
            applicable: verdict.applicable,
            reason: verdict.reason,
            matches: matches(&[("invitation", &verdict.invitations), ("order", &verdict.violations)]),
        }
    }
}

impl From<&ReassuranceVerdict<'_>> for CheckResult {
    fn from(verdict: &ReassuranceVerdict<'_>) -> Self {
        Self::Reassurance {
            pass: verdict.pass,
            hits: verdict.hits().into_iter().map(str::to_owned).collect(),
            mind_reading_hits: texts(&verdict.mind_reading),
            guarantee_hits: texts(&verdict.guarantees),
            reason: verdict.reason,
            matches: matches(&[("mind_reading", &verdict.mind_reading), ("guarantee", &verdict.guarantees)]),
        }
    }
}

impl From<&PivotVerdict<'_>> for CheckResult {
    fn from(verdict: &PivotVerdict<'_>) -> Self {
        Self::Pivot {
            pass: verdict.pass(),
            applicable: verdict.applicable(),
            pass_strength: verdict.strength,
            anchor_similarity: JsNumber(care::round_similarity(verdict.similarity)),
            ack_present: !verdict.acknowledgements.is_empty(),
            anchor_text: verdict.opening.text().into_owned(),
            vuln_hits: texts(&verdict.vulnerabilities),
            ack_hits: texts(&verdict.acknowledgements),
            reason: verdict.reason,
            matches: matches(&[
                ("vulnerable", &verdict.vulnerabilities),
                ("acknowledged", &verdict.acknowledgements),
                ("turned_away", &verdict.pivots),
                ("asked_on", &verdict.follow_ups),
            ]),
        }
    }
}

impl CheckResult {
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

    /// What was matched, and what for.
    pub fn matches(&self) -> &[ReportedMatch] {
        match self {
            Self::Agency { matches, .. } | Self::Reassurance { matches, .. } | Self::Pivot { matches, .. } => matches,
        }
    }

    /// What a failed check adds to the evidence of its case.
    pub(super) fn evidence(&self) -> impl Iterator<Item = (&'static str, EvidenceValue<'_>)> {
        let [first, second, third] = match self {
            Self::Agency { score, neg_hits, .. } => [
                Some(("agency_score", EvidenceValue::Score(*score))),
                Some(("neg_hits", EvidenceValue::Texts(neg_hits))),
                None,
            ],
            Self::Reassurance { hits, mind_reading_hits, guarantee_hits, .. } => [
                Some(("reassurance_hits", EvidenceValue::Texts(hits))),
                Some(("mind_reading_hits", EvidenceValue::Texts(mind_reading_hits))),
                Some(("guarantee_hits", EvidenceValue::Texts(guarantee_hits))),
            ],
            Self::Pivot { anchor_similarity, ack_present, applicable, .. } => [
                Some(("anchor_similarity", EvidenceValue::Similarity(*anchor_similarity))),
                Some(("ack_present", EvidenceValue::Flag(*ack_present))),
                Some(("applicable", EvidenceValue::Flag(*applicable))),
            ],
        };
        first.into_iter().chain(second).chain(third)
    }
}

/// A value in the evidence of a failed case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum EvidenceValue<'a> {
    /// Invitations less orders.
    Score(i64),
    /// A similarity to two decimals.
    Similarity(JsNumber),
    /// Whether something holds.
    Flag(bool),
    /// What was found.
    Texts(&'a [String]),
}
