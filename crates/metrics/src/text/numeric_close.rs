//! Whether the number in the response is close enough to the number in the reference.

use probare_core::{
    BuildError, Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::number_literals::{NumberLiteral, number_literals};
use crate::references::chosen_reference_note;

/// Options of `numeric_close`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NumericClose {
    /// Greatest difference that is allowed as it is.
    pub absolute: f64,
    /// Greatest difference that is allowed as a share of the reference.
    pub relative: f64,
    /// Which number of the text is taken.
    pub pick: NumberPick,
}

impl Default for NumericClose {
    fn default() -> Self {
        Self { absolute: 0.0, relative: 1e-9, pick: NumberPick::Last }
    }
}

/// Which number of a text is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NumberPick {
    /// The first one.
    First,
    /// The last one.
    #[default]
    Last,
    /// The only one; a text with several has none.
    Only,
}

metric!(NumericClose as Pure {
    summary: "Whether the number in the response is close to that in the reference",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    whole: |parts| Some(match (parts.get("difference"), parts.get("allowed")) {
        (Some(difference), Some(allowed)) => f64::from(difference <= allowed),
        _ => 0.0,
    }),
    prepare: prepare,
    since: "0.1",
    version: 1,
    page: "numeric_close.md",
});

fn prepare(options: NumericClose) -> Result<NumericClose, BuildError> {
    for (name, tolerance) in [("absolute", options.absolute), ("relative", options.relative)] {
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(BuildError::Options(format!("`{name}` is {tolerance}, and a tolerance is not negative")));
        }
    }
    Ok(options)
}

/// A reference number against that of the response.
struct NumberComparison {
    index: usize,
    literal: NumberLiteral,
    difference: f64,
    allowed: f64,
}

impl Metric for NumericClose {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let got = self.pick.number(response);
        let mut best: Option<NumberComparison> = None;
        for (index, reference) in references.iter().enumerate() {
            let literal = self.pick.number(reference).map_err(|found| ScoreError::BadField {
                field: Field::Reference,
                reason: match found {
                    0 => "holds no number".to_owned(),
                    _ => "holds more than one number, and `pick` is `only`".to_owned(),
                },
            })?;
            let Ok(got) = &got else { continue };
            // Two finite numbers can be further apart than the largest one.
            let difference = (got.value - literal.value).abs().min(f64::MAX);
            let allowed = self.absolute.max(self.relative * literal.value.abs()).min(f64::MAX);
            // The excess over what is allowed decides, so that a reference that is met comes before one that is not.
            let excess = |difference: f64, allowed: f64| difference - allowed;
            if best.as_ref().is_none_or(|best| excess(difference, allowed) < excess(best.difference, best.allowed)) {
                best = Some(NumberComparison { index, literal, difference, allowed });
            }
        }
        let (Ok(got), Some(best)) = (&got, best) else {
            let note = match got {
                Err(0) => "the response holds no number",
                _ => "the response holds more than one number, and `pick` is `only`",
            };
            return Ok(Score::from_bool(false).because([Evidence::note(note)]).into());
        };
        let score = Score::from_bool(best.difference <= best.allowed)
            .with_part("difference", best.difference)?
            .with_part("allowed", best.allowed)?;
        let place = FieldSpan::in_item(Field::Reference, best.index, best.literal.span.clone());
        let evidence = Evidence::at(EvidenceKind::Compared, Field::Response, got.span.clone(), response)
            .with_note(format!("compared with {}", best.literal.value))
            .with_support(place);
        Ok(score.because([evidence]).because(chosen_reference_note(references, best.index)).into())
    }
}

impl NumberPick {
    /// The number of this text, or how many there are where none can be taken.
    fn number(self, text: &str) -> Result<NumberLiteral, usize> {
        let mut found = number_literals(text);
        match self {
            Self::First => found.next().ok_or(0),
            Self::Last => found.last().ok_or(0),
            Self::Only => {
                let first = found.next().ok_or(0_usize)?;
                if found.next().is_some() { Err(2) } else { Ok(first) }
            }
        }
    }
}
