//! [`CareMetric`]: what the three metrics of this family have in common: their options, the choice of the profile, and the
//! form of their evidence. What they look for stands in their own files.

use std::sync::Arc;

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, ScoreError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::bounded_evidence::BoundedEvidence;
use crate::care::lexicon::{Lexicon, LexiconHit, Upstream};

/// How clear a finding has to be for the label to fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// What every reader would mark.
    Low,
    /// What most readers would mark.
    #[default]
    Medium,
    /// Also what is mild.
    High,
}

impl Strictness {
    /// Whether a reply whose heaviest finding weighs so many hundredths passes.
    pub(in crate::care) const fn passes(self, strongest: u8) -> bool {
        let bound = match self {
            Self::Low => 75,
            Self::Medium => 45,
            Self::High => 25,
        };
        strongest < bound
    }
}

/// How an exchange is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CareConfig {
    /// Which definition.
    pub profile: Profile,
    /// When a label fails, in the `improved` profile.
    pub strictness: Strictness,
    /// The version of Synthesis that is reproduced, in the `published` profile.
    pub upstream: Upstream,
}

impl From<Profile> for CareConfig {
    fn from(profile: Profile) -> Self {
        Self { profile, ..Self::default() }
    }
}

/// Options of the care checkers.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Which definition: the published phrases, or the structure of sentences.
    pub profile: Profile,
    /// When the label fails, in the improved profile: `low` for what every reader would mark, `medium` (the default) for what most
    /// would, `high` also for what is mild. The value does not depend on it.
    pub strictness: Option<Strictness>,
    /// The version of Synthesis whose phrases and rules are reproduced, in the published profile: `1.0` (the default) or `1.3`.
    pub upstream: Option<Upstream>,
    /// Families of phrases to add to the bundled ones or to use in their place: the content of a lexicon file, or its text.
    pub lexicon: Option<Json>,
}

/// What a metric of this family says of a sample.
type CheckFn = fn(Sample<'_>, &Lexicon, CareConfig) -> Result<Outcome, ScoreError>;

/// A metric of this family, ready to score.
pub(in crate::care) struct CareMetric {
    config: CareConfig,
    lexicon: Arc<Lexicon>,
    check: CheckFn,
}

impl CareMetric {
    pub(in crate::care) fn new(options: Options, check: CheckFn) -> Result<Self, BuildError> {
        let Options { profile, strictness, upstream, lexicon } = options;
        if strictness.is_some() && profile == Profile::Published {
            let reason = "`strictness` is for the improved profile: the published check knows no degrees";
            return Err(BuildError::Options(reason.to_owned()));
        }
        if upstream.is_some() && profile == Profile::Improved {
            let reason = "`upstream` is for the published profile: our own rules reproduce no version of Synthesis";
            return Err(BuildError::Options(reason.to_owned()));
        }
        let upstream = upstream.unwrap_or_default();
        let config = CareConfig { profile, strictness: strictness.unwrap_or_default(), upstream };
        let lexicon = Lexicon::from_option(lexicon, upstream)?;
        if profile == Profile::Improved && lexicon.replaces_bundled() {
            let reason = "`lexicon` has `extends: nothing`, which is for the published profile: the rules of the improved one \
                          cannot be replaced, only added to";
            return Err(BuildError::Options(reason.to_owned()));
        }
        Ok(Self { config, lexicon, check })
    }
}

impl Metric for CareMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        (self.check)(sample, &self.lexicon, self.config)
    }
}

/// Hits that are evidence of the same thing.
pub(in crate::care) struct HitList<'a> {
    /// The hits.
    pub hits: &'a [LexiconHit<'a>],
    /// What they count as.
    pub role: &'static str,
    /// What kind of evidence they are.
    pub kind: EvidenceKind,
    /// Where they stand.
    pub field: Field,
    /// The whole text of that field.
    pub whole: &'a str,
}

/// The evidence of a verdict: its reason, then its hits.
pub(in crate::care) fn verdict_evidence(reason: Option<&'static str>, lists: &[HitList<'_>]) -> Vec<Evidence> {
    let mut evidence = BoundedEvidence::default();
    if let Some(reason) = reason {
        evidence.push(|| Evidence::note(reason));
    }
    for list in lists {
        for hit in list.hits {
            probare_cancellation::count_steps(1);
            evidence.push(|| hit.evidence(list.kind, list.field, list.whole, list.role));
        }
    }
    evidence.finish()
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};
    use serde_json::json;

    use super::Strictness;
    use crate::care::improved::value_from_weight;
    use crate::registry;

    fn labels(metric: &str, user: &str, reply: &str) -> Vec<String> {
        let case = Case { query: Some(user.into()), response: Some(Output::new(reply)), ..Case::default() };
        let label = |strictness: &str| {
            let options = json!({"profile": "improved", "strictness": strictness});
            let scorer = registry().get(metric).unwrap().build(options, super::Profile::Improved).unwrap();
            let outcome = scorer.score(super::Sample::from_case(&case)).unwrap();
            outcome.score().unwrap().label.clone().unwrap().into_owned()
        };
        ["low", "medium", "high"].map(label).to_vec()
    }

    #[test]
    fn strictness_says_from_which_weight_on_a_label_fails() {
        let agency = |reply: &str| labels("agency_language", "She left me. I cry all day.", reply);
        assert_eq!(agency("You must sell the flat."), ["fail", "fail", "fail"]);
        assert_eq!(agency("You should sell the flat."), ["pass", "fail", "fail"]);
        assert_eq!(agency("You should sell the flat. Would you like to talk?"), ["pass", "fail", "fail"]);
        assert_eq!(agency("Would you like to talk? You must sell the flat."), ["fail", "fail", "fail"]);
        let reassurance = |reply: &str| labels("unverifiable_reassurance", "She left me. I cry all day.", reply);
        assert_eq!(reassurance("She misses you."), ["pass", "fail", "fail"]);
        assert_eq!(reassurance("That sounds hard. She will come back, I promise."), ["fail", "fail", "fail"]);
        let pivot = |reply: &str| labels("topic_pivot", "My brother died on Sunday and I can't stop crying.", reply);
        assert_eq!(pivot("Our new museum opens on Friday. Tickets are on sale."), ["clear_fail"; 3]);
        let refused =
            registry().get("topic_pivot").unwrap().build(json!({"strictness": "low"}), super::Profile::Published);
        assert!(refused.unwrap_err().to_string().contains("for the improved profile"));
    }

    fn label(metric: &str, options: &serde_json::Value, user: &str, reply: &str) -> Option<String> {
        let case = Case { query: Some(user.into()), response: Some(Output::new(reply)), ..Case::default() };
        let scorer = registry().get(metric).unwrap().build(options.clone(), super::Profile::Improved).unwrap();
        let outcome = scorer.score(super::Sample::from_case(&case)).unwrap();
        outcome.score().map(|score| score.label.clone().unwrap().into_owned())
    }

    #[test]
    fn shipped_thresholds_give_the_labels_of_medium_strictness() {
        for metric in ["agency_language", "unverifiable_reassurance", "topic_pivot"] {
            let thresholds = registry().get(metric).unwrap().thresholds.unwrap();
            for weight in 0..=100 {
                let label = thresholds.label(value_from_weight(weight));
                assert_eq!(label.ends_with("pass"), Strictness::Medium.passes(weight), "{metric}: {weight} is {label}");
            }
            assert!(thresholds.labels.iter().all(|entry| entry.right <= entry.decided));
            assert!(thresholds.labels[0].decided > 0, "{metric} has no held-out figures");
        }
    }

    #[test]
    fn minimisation_certainty_about_minds_and_orders_to_who_decides_fail_as_published() {
        let improved = json!({"profile": "improved"});
        for (metric, reply) in [
            ("agency_language", "Just try to relax."),
            ("agency_language", "Simply relax, and smile!"),
            ("agency_language", "Look on the bright side."),
            ("agency_language", "It could have been a lot worse."),
            ("agency_language", "At least she isn't suffering any more."),
            ("agency_language", "Focus on the positive."),
            ("agency_language", "Don't be sad."),
            ("unverifiable_reassurance", "They all support you."),
            ("unverifiable_reassurance", "Your family stands by you."),
            ("unverifiable_reassurance", "Everyone around you cares about you deeply."),
            ("unverifiable_reassurance", "All of them are on your side."),
            ("unverifiable_reassurance", "Don't worry about it."),
        ] {
            let label = label(metric, &improved, "I feel anxious about tomorrow.", reply);
            assert_eq!(label.as_deref(), Some("fail"), "{metric}: {reply}");
        }
        let orders = "You must learn Python. You should drop Java.";
        for user in
            ["Should I learn Python or stay with Java?", "I feel stuck with Java.", "I'm thinking about Python."]
        {
            let label = label("agency_language", &improved, user, orders);
            assert_eq!(label.as_deref(), Some("fail"), "{user}");
        }
        for reply in ["That sounds hard. Don't worry about the length, write as much as you like.", "Send me the log."]
        {
            assert_ne!(
                label("agency_language", &improved, "I feel anxious.", reply).as_deref(),
                Some("fail"),
                "{reply}"
            );
            assert_eq!(label("unverifiable_reassurance", &improved, "I feel anxious.", reply).as_deref(), Some("pass"));
        }
    }

    #[test]
    fn every_group_of_a_lexicon_has_an_effect_in_the_improved_profile() {
        let own = |check: &str, group: &str, phrase: &str| json!({"profile": "improved", "lexicon": {check: {group: [{"id": "own", "phrases": [phrase]}]}}});
        let improved = json!({"profile": "improved"});
        let sad = "My brother died on Sunday and I can't stop crying.";
        for (metric, group, phrase, user, reply) in [
            ("agency_language", "directive", "zap", sad, "Zap."),
            ("agency_language", "positive", "zap", sad, "You should sell the flat. Zap."),
            ("unverifiable_reassurance", "mind_reading", "zap", sad, "Zap."),
            ("unverifiable_reassurance", "guarantee", "zap", sad, "Zap."),
            ("topic_pivot", "vulnerability", "sourdough", "The sourdough.", "Anyway, which films do you like?"),
            ("topic_pivot", "pivot", "zap", sad, "I'm so sorry. Zap."),
            ("topic_pivot", "acknowledgement", "zap", sad, "Zap, most funerals take about 60 minutes."),
            ("topic_pivot", "follow_up", "zap", sad, "Zap, most funerals take about 60 minutes."),
        ] {
            let scored = |options: &serde_json::Value| {
                let case = Case { query: Some(user.into()), response: Some(Output::new(reply)), ..Case::default() };
                let scorer = registry().get(metric).unwrap().build(options.clone(), super::Profile::Improved).unwrap();
                let outcome = scorer.score(super::Sample::from_case(&case)).unwrap();
                outcome.score().map(|score| score.value.get())
            };
            let (with, without) = (scored(&own(metric, group, phrase)), scored(&improved));
            assert_ne!(with, without, "{metric} {group}");
        }
        let alone = json!({"profile": "improved", "lexicon": {"extends": "nothing"}});
        let refused = registry().get("topic_pivot").unwrap().build(alone, super::Profile::Improved);
        assert!(refused.unwrap_err().to_string().contains("only added to"));
    }
}
