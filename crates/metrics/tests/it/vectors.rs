//! Vectors for tests of metrics that embed: those that an example gives, and else counts of neighbouring letters.

use std::collections::BTreeMap;

use probare_core::{Backend as _, BackendAnswer, JudgeAction, NoBackend};
use serde_json::Value;

/// Answers texts with vectors.
#[derive(Default)]
pub struct Vectors(BTreeMap<String, Vec<f32>>);

impl Vectors {
    /// Those of an example.
    pub fn of(example: &Value) -> Self {
        let given = example.get("vectors").cloned().unwrap_or_default();
        Self(serde_json::from_value(given).unwrap_or_default())
    }
}

impl Vectors {
    pub fn answer(&self, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Embed { texts, .. } = turn else { return NoBackend.answer("", turn) };
        texts
            .iter()
            .map(|text| BackendAnswer::Vector(self.0.get(text).cloned().unwrap_or_else(|| counted(text))))
            .collect()
    }
}

fn counted(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; 64];
    // Also the empty text has a direction.
    counts[0] = 1.0;
    for pair in text.as_bytes().windows(2) {
        counts[(usize::from(pair[0]) * 31 + usize::from(pair[1])) % 64] += 1.0;
    }
    counts
}
