//! [`Tones`]: whether evidence speaks for a case or against it.
//!
//! The kind of evidence alone does not tell: a keyword that is found is good, a violation that is found is bad. What the
//! metric came to does: its label where it says pass or fail, else its value and its direction.

use probare_core::{Better, EvidenceKind, MetricInfo, Score, Tone};
use serde::Serialize;

use crate::shortfall;

/// The tones of one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Tones {
    /// Of what was looked for and is there.
    pub(super) found: Tone,
    /// Of what is missing or unsupported.
    pub(super) lacking: Tone,
}

/// What a label says by itself: `PASS`, `fail`, `clear_fail`.
pub(super) fn label_tone(label: &str) -> Option<Tone> {
    let last = label.rsplit(['_', ' ', '-']).next().unwrap_or(label);
    [("pass", Tone::Good), ("warn", Tone::Warn), ("fail", Tone::Bad)]
        .into_iter()
        .find(|(word, _)| last.eq_ignore_ascii_case(word))
        .map(|(_, tone)| tone)
}

impl Tones {
    /// The tones of a score.
    pub(super) fn for_score(metric: &MetricInfo, score: &Score) -> Self {
        let distance = shortfall(metric, score.value.get());
        let is_lacking =
            |kind| matches!(kind, EvidenceKind::Unsupported | EvidenceKind::Contradicted | EvidenceKind::Missing);
        let lacks = score.evidence.iter().any(|piece| is_lacking(piece.kind));
        let found = match (score.label.as_deref().and_then(label_tone), metric.better) {
            (Some(Tone::Good), _) => Tone::Good,
            // Beside what is lacking, what is found speaks for the case even where the whole fails.
            (_, _) if lacks => Tone::Good,
            (Some(tone), _) => tone,
            // Beside the best value nothing that was found can be bad.
            (None, Better::Lower) if distance > 0.0 => Tone::Bad,
            (None, Better::Higher) if distance >= 1.0 => Tone::Bad,
            (None, _) => Tone::Good,
        };
        Self { found, lacking: if distance > 0.0 { Tone::Bad } else { Tone::Plain } }
    }
}

/// How far a value is from the best one, in five steps.
pub(super) fn step(metric: &MetricInfo, value: f64) -> usize {
    let distance = shortfall(metric, value);
    [0.2, 0.4, 0.6, 0.8].iter().filter(|edge| distance > **edge).count()
}

#[cfg(test)]
mod tests {
    use probare_core::{Evidence, Field};

    use crate::testing::metrics;

    use super::*;

    fn found(value: f64) -> Score {
        Score::from_number(value).unwrap().because([Evidence::found(Field::Response, 0..1, "x")])
    }

    #[test]
    fn a_violation_that_is_found_is_bad() {
        let (higher, lower) = (&metrics()[0], &metrics()[2]);
        assert_eq!(Tones::for_score(higher, &found(0.0)).found, Tone::Bad);
        assert_eq!(Tones::for_score(higher, &found(0.0).labelled("fail")).found, Tone::Bad);
        assert_eq!(Tones::for_score(higher, &found(0.4).labelled("clear_fail")).found, Tone::Bad);
        assert_eq!(Tones::for_score(lower, &found(0.3)).found, Tone::Bad);
        assert_eq!(Tones::for_score(lower, &found(0.0)).found, Tone::Good);
    }

    #[test]
    fn what_was_wanted_and_found_is_good() {
        let higher = &metrics()[0];
        assert_eq!(Tones::for_score(higher, &found(0.5)).found, Tone::Good);
        assert_eq!(Tones::for_score(higher, &found(1.0)).found, Tone::Good);
        assert_eq!(Tones::for_score(higher, &found(0.0).labelled("PASS")).found, Tone::Good);
        let partly = found(0.4).because([Evidence::missing("y")]);
        assert_eq!(Tones::for_score(&metrics()[2], &partly), Tones { found: Tone::Good, lacking: Tone::Bad });
    }

    #[test]
    fn labels_speak_in_any_case() {
        assert_eq!(label_tone("PASS"), Some(Tone::Good));
        assert_eq!(label_tone("Warn"), Some(Tone::Warn));
        assert_eq!(label_tone("unsupported"), None);
    }
}
