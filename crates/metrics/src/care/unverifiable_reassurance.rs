//! Whether the reply claims to know minds or the future.

use std::sync::Arc;

use probare_core::{
    BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::careful::{Careful, hits};
use super::lexicon::{Group, Hit, Hits, Lexicon};
use super::phrases::Words;
use crate::bounded::Bounded;

/// Options of `unverifiable_reassurance`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UnverifiableReassurance {
    /// Which reading: the published phrases, or the structure of sentences.
    pub profile: Profile,
    /// Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
}

metric!(UnverifiableReassurance as Pure {
    summary: "Whether the reply claims to know minds or the future",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Reference, Careful],
    prepare: Checker::new,
    since: "0.1",
    version: 1,
    page: "unverifiable_reassurance.md",
});

/// What `unverifiable_reassurance` says of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reassurance<'a> {
    /// Whether there is no such claim.
    pub pass: bool,
    /// Claims about minds, in the order of the families.
    pub mind_reading: Vec<Hit<'a>>,
    /// Claims about the future, in the order of the families.
    pub guarantees: Vec<Hit<'a>>,
    /// The verdict in one sentence, in the `careful` profile.
    pub reason: Option<&'static str>,
}

impl<'a> Reassurance<'a> {
    /// The matched texts, claims about minds first, each text once.
    pub fn hits(&self) -> Vec<&'a str> {
        let mut texts = Vec::new();
        for hit in self.mind_reading.iter().chain(&self.guarantees) {
            if !texts.contains(&hit.text) {
                texts.push(hit.text);
            }
        }
        texts
    }
}

/// The verdict from the hits in the reply.
pub(super) fn decide<'a>(hits: &Hits<'a>) -> Reassurance<'a> {
    let (mind_reading, guarantees) = (hits.of(Group::MindReading), hits.of(Group::Guarantee));
    Reassurance { pass: mind_reading.is_empty() && guarantees.is_empty(), mind_reading, guarantees, reason: None }
}

/// The verdict of the `careful` profile.
pub(super) fn decide_carefully<'a>(careful: &Careful, reply: &'a str, lexicon: &'a Lexicon) -> Reassurance<'a> {
    let assertion = careful.assertion();
    let mut mind_reading = hits(&assertion.minds, reply);
    mind_reading.extend(lexicon.find_own(reply, Group::MindReading));
    let mut guarantees = hits(&assertion.futures, reply);
    guarantees.extend(lexicon.find_own(reply, Group::Guarantee));
    let reason = match (mind_reading.is_empty(), guarantees.is_empty()) {
        (true, true) => "the reply asserts nothing that it cannot know",
        (false, true) => "the reply asserts what somebody feels, thinks or wants",
        (true, false) => "the reply asserts how something will turn out",
        (false, false) => "the reply asserts what somebody feels and how something will turn out",
    };
    let pass = mind_reading.is_empty() && guarantees.is_empty();
    Reassurance { pass, mind_reading, guarantees, reason: Some(reason) }
}

struct Checker {
    profile: Profile,
    lexicon: Arc<Lexicon>,
}

impl Checker {
    fn new(options: UnverifiableReassurance) -> Result<Self, BuildError> {
        Ok(Self { profile: options.profile, lexicon: Lexicon::from_option(options.lexicon)? })
    }
}

impl Metric for Checker {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let reply = sample.response()?;
        if self.profile == Profile::Careful {
            let user = sample.case.query.as_deref().unwrap_or_default();
            return decide_carefully(&Careful::of(user, reply), reply, &self.lexicon).outcome(reply);
        }
        let groups = [(Group::MindReading, reply.len()), (Group::Guarantee, reply.len())];
        let verdict = decide(&self.lexicon.find(reply, &Words::of(reply), &groups));
        verdict.outcome(reply)
    }
}

impl Reassurance<'_> {
    /// The verdict as a score: 1 fine, 0 violated.
    pub fn outcome(&self, reply: &str) -> Result<Outcome, ScoreError> {
        let mut evidence = Bounded::default();
        if let Some(reason) = self.reason {
            evidence.push(|| Evidence::note(reason));
        }
        for (hits, role) in [(&self.mind_reading, "mind-reading"), (&self.guarantees, "guarantee")] {
            for hit in hits {
                evidence.push(|| hit.evidence(EvidenceKind::Unsupported, Field::Response, reply, role));
            }
        }
        let score = Score::from_bool(self.pass)
            .with_part("mind_reading", self.mind_reading.len() as f64)?
            .with_part("guarantees", self.guarantees.len() as f64)?
            .labelled(if self.pass { "pass" } else { "fail" })
            .because(evidence.finish());
        Ok(score.into())
    }
}
