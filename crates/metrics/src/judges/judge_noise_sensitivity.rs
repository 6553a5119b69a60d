//! Share of the statements of a response that are wrong and that a retrieved passage led to.

use std::ops::Range;

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Passage, Sample, Score,
    ScoreError, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompting::{
    Checklist, ChecklistQuestion, ChecklistReplies, MOST_STEPS, PanelOptions, QuotedTexts, statement_spans,
};
use crate::bounded_evidence::BoundedEvidence;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/noise_sensitivity.txt");

/// Most passages of a case: each is a question of its own.
const MOST_PASSAGES: usize = 50;

/// Options of `judge_noise_sensitivity`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeNoiseSensitivity {
    /// Which passages count: `relevant` (default), those that support the reference, or `irrelevant`, all others.
    pub mode: NoiseMode,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, statement by statement.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

/// Which passages can be blamed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoiseMode {
    /// Those that support a statement of the reference.
    #[default]
    Relevant,
    /// Those that support none.
    Irrelevant,
}

metric!(JudgeNoiseSensitivity as Judge {
    summary: "Share of the statements of a response that are wrong and that a retrieved passage led to",
    range: (0.0, 1.0),
    better: Lower,
    needs: [Response, Reference, Context],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: NoiseJudge::new,
    since: "0.4",
    version: 1,
    page: "judge_noise_sensitivity.md",
});

struct NoiseJudge {
    checklist: Checklist,
    mode: NoiseMode,
}

/// The statements of a text.
struct Statements<'a> {
    text: &'a str,
    spans: Vec<Range<usize>>,
}

impl<'a> Statements<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, spans: statement_spans(text) }
    }

    /// The question which of them a source supports.
    fn question(&self, source: &str, what: &str) -> ChecklistQuestion {
        let mut data = QuotedTexts::default();
        data.add_block("source", source);
        for (at, span) in self.spans.iter().enumerate() {
            data.add_block(&format!("item {}", at + 1), &self.text[span.clone()]);
        }
        ChecklistQuestion { data, task: what.to_owned(), items: self.spans.len() }
    }
}

impl NoiseJudge {
    fn new(options: JudgeNoiseSensitivity) -> Result<Self, BuildError> {
        let prompt = options.prompt.as_deref().unwrap_or(PROMPT);
        let checklist = Checklist::new(options.judges, options.panel, prompt, options.schema)?;
        Ok(Self { checklist, mode: options.mode })
    }

    /// Questions come in the order: the response by the reference; then for each passage the reference, and the response.
    fn outcome(
        &self,
        response_statements: &Statements<'_>,
        right: &Statements<'_>,
        passages: &[Passage],
        seats: &ChecklistReplies,
    ) -> Result<Outcome, ScoreError> {
        let holds = |list: usize, items: usize| -> Result<Vec<bool>, ScoreError> {
            let verdicts = self.checklist.verdicts(seats, list, items)?;
            Ok(verdicts.into_iter().map(|verdict| verdict.value > 0.5).collect())
        };
        let is_right = holds(0, response_statements.spans.len())?;
        let mut supports: Vec<(bool, Vec<bool>)> = Vec::new();
        for at in 0..passages.len() {
            let is_relevant = holds(1 + 2 * at, right.spans.len())?.contains(&true);
            supports.push((is_relevant, holds(2 + 2 * at, response_statements.spans.len())?));
        }
        let mut evidence = BoundedEvidence::default();
        let mut wrong = 0_u32;
        for (at, span) in response_statements.spans.iter().enumerate() {
            let by = |relevant: bool| {
                let mut found = supports.iter().enumerate();
                found
                    .find(|(_, (is_relevant, holds))| *is_relevant == relevant && holds[at])
                    .map(|(passage, _)| passage)
            };
            // A statement that a relevant passage supports is not put down to the others.
            let led_by = match self.mode {
                NoiseMode::Relevant => by(true),
                NoiseMode::Irrelevant => by(false).filter(|_| by(true).is_none()),
            };
            let (kind, note) = match (is_right[at], led_by) {
                (true, _) => (EvidenceKind::Matched, "the reference supports it".to_owned()),
                (false, None) => (EvidenceKind::Unverified, "wrong, but no such passage says it".to_owned()),
                (false, Some(passage)) => {
                    wrong += 1;
                    (EvidenceKind::Contradicted, format!("wrong, and passage {} says it", passage + 1))
                }
            };
            evidence
                .push(|| Evidence::at(kind, Field::Response, span.clone(), response_statements.text).with_note(note));
        }
        self.checklist.add_missing_verdicts(seats, &mut evidence);
        let score = Score::from_number(f64::from(wrong) / response_statements.spans.len() as f64)?
            .with_part("wrong", f64::from(wrong))?
            .with_part("statements", response_statements.spans.len() as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

impl Judge for NoiseJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response_statements = Statements::new(sample.response()?);
        let right = Statements::new(sample.references()?.first().map_or("", String::as_str));
        let passages = sample.context()?;
        for (what, count, most) in [
            ("statements in the response", response_statements.spans.len(), MOST_STEPS),
            ("statements in the reference", right.spans.len(), MOST_STEPS),
            ("passages", passages.len(), MOST_PASSAGES),
        ] {
            if count == 0 || count > most {
                let reason = format!("there are {count} {what}; from 1 to {most} are judged");
                return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
            }
        }
        let mut questions = vec![response_statements.question(right.text, "The source is the right answer.")];
        for passage in passages {
            questions.push(right.question(&passage.text, "The source is a retrieved passage."));
            questions.push(response_statements.question(&passage.text, "The source is a retrieved passage."));
        }
        self.checklist.judge(answers, &questions, |seats| {
            Ok(JudgeAction::Done(self.outcome(&response_statements, &right, passages, seats)?))
        })
    }
}
