//! [`RuleFinding`]: one thing that a rule found, ready to become evidence, and how much it weighs.

use std::ops::Range;

use super::phrase_matches::rule_strength;
use crate::care::lexicon::{Lexicon, LexiconHit, PhraseGroup};

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::care) struct RuleFinding {
    /// Short name of the rule.
    pub rule: &'static str,
    /// What it says, in a few words.
    pub meaning: &'static str,
    /// The bytes in the text as given.
    pub span: Range<usize>,
}

impl RuleFinding {
    /// How much it weighs, in hundredths, from `data/care/improved_phrases.yaml` and `improved_rules.yaml`.
    pub fn weight(&self) -> u8 {
        rule_strength(self.rule)
    }

    /// The finding as a hit in the text it was found in.
    pub fn to_hit<'a>(&self, text: &'a str) -> LexiconHit<'a> {
        let start = text.floor_char_boundary(self.span.start);
        let end = text.floor_char_boundary(self.span.end).max(start);
        LexiconHit { family: self.rule, meaning: self.meaning, text: &text[start..end], start }
    }
}

/// The strongest of some findings, as they stand in the reply. What is not firm weighs less where something mends it; families of
/// a user's own lexicon, of which there are `own`, are firm.
pub(in crate::care) fn heaviest_weight(findings: &[RuleFinding], is_mended: bool, own: usize) -> u8 {
    let weigh = |finding: &RuleFinding| {
        let strength = finding.weight();
        if is_mended && strength < FIRM { strength.saturating_sub(MENDED) } else { strength }
    };
    if own > 0 { 100 } else { findings.iter().map(weigh).max().unwrap_or_default() }
}

/// What remains of a whole value.
pub(in crate::care) fn value_from_weight(weight: u8) -> f64 {
    f64::from(100 - weight.min(100)) / 100.0
}

/// From here on nothing mends what was said.
const FIRM: u8 = 70;

/// What an invitation in the same reply takes off.
const MENDED: u8 = 20;

/// The findings as hits, and after them those of the families that a user's lexicon has in the group.
pub(in crate::care) fn finding_hits<'a>(
    findings: &[RuleFinding],
    text: &'a str,
    lexicon: &'a Lexicon,
    group: PhraseGroup,
) -> Vec<LexiconHit<'a>> {
    findings.iter().map(|finding| finding.to_hit(text)).chain(lexicon.find_user_families(text, group)).collect()
}
