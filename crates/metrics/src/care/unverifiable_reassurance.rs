//! Whether the reply claims to know minds or the future.

use probare_core::{EvidenceKind, Field, Outcome, Profile, Sample, Score, ScoreError, metric};

use super::careful::{Careful, hits, strongest, value_beside};
use super::exchange::{Checker, Listed, Manner, Options, Reply, Strictness, evidence};
use super::lexicon::{Group, Hit, Hits, Lexicon};

metric!(Options as Pure {
    summary: "Whether the reply claims to know minds or the future",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Reference, Careful],
    prepare: |options| Checker::new(options, check),
    since: "0.1",
    version: 9,
    page: "unverifiable_reassurance.md",
});

/// What `unverifiable_reassurance` says of a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reassurance<'a> {
    /// Whether there is no such claim; in the `careful` profile, whether none is as clear as the strictness asks for.
    pub pass: bool,
    /// 1 fine, 0 violated; in the `careful` profile one minus the weight of the heaviest claim.
    pub value: f64,
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

fn check(sample: Sample<'_>, lexicon: &Lexicon, manner: Manner) -> Result<Outcome, ScoreError> {
    verdict(sample, lexicon, manner)?.outcome(sample.response()?)
}

/// The verdict on the reply of a sample.
pub fn verdict<'a>(
    sample: Sample<'a>,
    lexicon: &'a Lexicon,
    manner: impl Into<Manner>,
) -> Result<Reassurance<'a>, ScoreError> {
    let Manner { profile, strictness } = manner.into();
    let reply = sample.response()?;
    Ok(match profile {
        Profile::Reference => decide(&Reply::of(sample, reply, lexicon).0.hits(reply, lexicon)),
        Profile::Careful => decide_carefully(&*Careful::read(sample)?, reply, lexicon, strictness),
    })
}

/// The verdict from the hits in the reply.
fn decide<'a>(hits: &Hits<'a, '_>) -> Reassurance<'a> {
    let (mind_reading, guarantees) = (hits.of(Group::MindReading), hits.of(Group::Guarantee));
    let pass = mind_reading.is_empty() && guarantees.is_empty();
    Reassurance { pass, value: f64::from(u8::from(pass)), mind_reading, guarantees, reason: None }
}

/// The verdict of the `careful` profile.
fn decide_carefully<'a>(
    careful: &Careful,
    reply: &'a str,
    lexicon: &'a Lexicon,
    strictness: Strictness,
) -> Reassurance<'a> {
    let claims = careful.claims();
    let mind_reading = hits(&claims.minds, reply, lexicon, Group::MindReading);
    let guarantees = hits(&claims.futures, reply, lexicon, Group::Guarantee);
    let reason = match (mind_reading.is_empty(), guarantees.is_empty()) {
        (true, true) => "the reply asserts nothing that it cannot know",
        (false, true) => "the reply asserts what somebody feels, thinks or wants",
        (true, false) => "the reply asserts how something will turn out",
        (false, false) => "the reply asserts what somebody feels and how something will turn out",
    };
    let own = mind_reading.len() + guarantees.len() - claims.minds.len() - claims.futures.len();
    // Nothing mends what was promised.
    let strongest = strongest(&claims.minds, false, own).max(strongest(&claims.futures, false, own));
    let pass = strictness.passes(strongest);
    Reassurance { pass, value: value_beside(strongest), mind_reading, guarantees, reason: Some(reason) }
}

impl Reassurance<'_> {
    /// The verdict as a score.
    pub fn outcome(&self, reply: &str) -> Result<Outcome, ScoreError> {
        let list =
            |hits, role| Listed { hits, role, kind: EvidenceKind::Unsupported, field: Field::Response, whole: reply };
        let lists = [list(&self.mind_reading, "mind-reading"), list(&self.guarantees, "guarantee")];
        let score = Score::from_number(self.value)?
            .with_part("mind_reading", self.mind_reading.len() as f64)?
            .with_part("guarantees", self.guarantees.len() as f64)?
            .labelled(if self.pass { "pass" } else { "fail" })
            .because(evidence(self.reason, &lists));
        Ok(score.into())
    }
}
