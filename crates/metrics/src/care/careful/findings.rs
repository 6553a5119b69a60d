//! [`Finding`]: one thing that a rule found, ready to become evidence.

use std::ops::Range;

use crate::care::lexicon::{Group, Hit, Lexicon};

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::care) struct Finding {
    /// Short name of the rule.
    pub rule: &'static str,
    /// What it says, in a few words.
    pub meaning: &'static str,
    /// The bytes in the text as given.
    pub span: Range<usize>,
}

impl Finding {
    /// The finding as a hit in the text it was found in.
    pub fn hit<'a>(&self, text: &'a str) -> Hit<'a> {
        let start = text.floor_char_boundary(self.span.start);
        let end = text.floor_char_boundary(self.span.end).max(start);
        Hit { family: self.rule, meaning: self.meaning, text: &text[start..end], start }
    }
}

/// The findings as hits, and after them those of the families that a user's lexicon has in the group.
pub(in crate::care) fn hits<'a>(
    findings: &[Finding],
    text: &'a str,
    lexicon: &'a Lexicon,
    group: Group,
) -> Vec<Hit<'a>> {
    findings.iter().map(|finding| finding.hit(text)).chain(lexicon.find_own(text, group)).collect()
}
