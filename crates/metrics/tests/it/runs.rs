//! Programs for tests of metrics that run some: what became of them is what an example says.

use probare_core::{BackendAnswer, JudgeAction, ProgramResult};
use serde_json::Value;

use crate::vectors::Vectors;

/// Answers programs by the files that they have, and texts with vectors.
#[derive(Default)]
pub struct Runs {
    known: Vec<(String, ProgramResult)>,
    vectors: Vectors,
}

impl Runs {
    /// Those of an example.
    pub fn of(example: &Value) -> Self {
        let list = example.get("ran").cloned().unwrap_or(Value::Array(Vec::new()));
        let list = list.as_array().expect("`ran` is a list").iter().map(|entry| {
            let mut entry = entry.clone();
            let file = entry.as_object_mut().and_then(|entry| entry.remove("file")).expect("a program has a file");
            (file.as_str().expect("it is a name").to_owned(), serde_json::from_value(entry).expect("what became of it"))
        });
        Self { known: list.collect(), vectors: Vectors::of(example) }
    }
}

impl Runs {
    /// Of several outcomes for one file the first program of a turn has the first, and so on around.
    pub fn answer(&self, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Run(programs) = turn else { return self.vectors.answer(turn) };
        let answer = |(at, program): (usize, &probare_core::Program)| {
            let fitting: Vec<&ProgramResult> = self
                .known
                .iter()
                .filter(|(file, _)| program.files.iter().any(|(name, _)| name == file))
                .map(|(_, ran)| ran)
                .collect();
            if fitting.is_empty() {
                let reason = "the example says nothing of this program".to_owned();
                return BackendAnswer::Failed { kind: probare_core::ErrorKind::Missing, reason };
            }
            BackendAnswer::ProgramResult(fitting[at % fitting.len()].clone())
        };
        programs.iter().enumerate().map(answer).collect()
    }
}
