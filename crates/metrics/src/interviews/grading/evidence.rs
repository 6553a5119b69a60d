//! The evidence behind a grade: what the answer names and why, what it lacks, what decided yes or no.

use probare_core::{Evidence, EvidenceKind, Field};

use super::{Flag, Grade};
use crate::bounded::{Bounded, beginning, excerpt};
use crate::interviews::inputs::Weights;
use crate::interviews::matching::{Mention, Standing};

/// The evidence of a grade of `response` to a question with these values, where it has any.
pub(crate) fn evidence(grade: &Grade, weights: Option<&Weights>, response: &str) -> Vec<Evidence> {
    let mut pieces = Bounded::default();
    if let Some(decision) = &grade.decision {
        let says = decision.polarity.map_or("neither yes nor no", |polarity| polarity.name());
        let note = format!("read as {says}: {}", decision.why);
        pieces.push(|| match &decision.span {
            Some(span) => excerpt(EvidenceKind::Found, Field::Response, span.clone(), response).with_note(note),
            None => Evidence::note(note),
        });
    }
    for mention in &grade.mentions {
        pieces.push(|| named(mention, grade, weights, response));
    }
    if let Some(weights) = weights {
        let is_open = |value: &usize| !grade.matched.contains(value) && weights.weight(*value) > 0.0;
        for value in (0..weights.len()).filter(is_open) {
            pieces.push(|| {
                let note = format!("worth {}", weights.weight(value));
                Evidence::missing(beginning(weights.value(value))).with_note(note)
            });
        }
    }
    for flag in &grade.flags {
        let text = match flag {
            Flag::Blank => "nothing is answered",
            Flag::Ambiguous => "one value is asked for and several are named; the first counts",
            Flag::Everything => "everything on offer is named, so nothing is selected",
            Flag::Undecided => continue,
        };
        pieces.push(|| Evidence::note(text));
    }
    pieces.finish()
}

fn named(mention: &Mention, grade: &Grade, weights: Option<&Weights>, response: &str) -> Evidence {
    let value = beginning(weights.map_or("", |weights| weights.value(mention.value)));
    let why = mention.reason.describe();
    let (kind, note) = match &mention.standing {
        Standing::Asserted if grade.matched.contains(&mention.value) => {
            (EvidenceKind::Found, format!("names `{value}`: {why}"))
        }
        Standing::Asserted => (EvidenceKind::Note, format!("names `{value}` ({why}), which does not count")),
        Standing::Denied(word) => (EvidenceKind::Note, format!("names `{value}` ({why}), denied by `{word}`")),
        Standing::OtherSense(sense) => (EvidenceKind::Note, format!("looks like `{value}`, but {sense}")),
    };
    excerpt(kind, Field::Response, mention.span.clone(), response).with_note(note)
}
