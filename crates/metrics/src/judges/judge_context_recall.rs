//! Share of the statements of the reference answer that a model finds in the retrieved passages.

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompting::{Checklist, ChecklistQuestion, MOST_STEPS, PanelOptions, QuotedTexts, statement_spans};
use crate::bounded_evidence::BoundedEvidence;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/context_recall.txt");

/// Options of `judge_context_recall`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeContextRecall {
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, statement by statement.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeContextRecall as Judge {
    summary: "Share of the statements of the reference answer that a model finds in the retrieved passages",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Reference, Context],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: RecallJudge::new,
    since: "0.4",
    version: 1,
    page: "judge_context_recall.md",
});

struct RecallJudge(Checklist);

impl RecallJudge {
    fn new(options: JudgeContextRecall) -> Result<Self, BuildError> {
        let prompt = options.prompt.as_deref().unwrap_or(PROMPT);
        Ok(Self(Checklist::new(options.judges, options.panel, prompt, options.schema)?))
    }
}

impl Judge for RecallJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let reference = sample.references()?.first().map_or("", String::as_str);
        let passages = sample.context()?;
        let statements = statement_spans(reference);
        if statements.is_empty() || statements.len() > MOST_STEPS {
            let reason =
                format!("the reference has {} statements; from 1 to {MOST_STEPS} are judged", statements.len());
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        }
        let count = statements.len();
        let score = |found: f64| -> Result<Score, ScoreError> {
            Score::from_number(found / count as f64)?.with_part("found", found)?.with_part("statements", count as f64)
        };
        if passages.iter().all(|passage| passage.text.trim().is_empty()) {
            return Ok(JudgeAction::Done(score(0.0)?.because([Evidence::note("no passage was retrieved")]).into()));
        }
        let mut data = QuotedTexts::default();
        data.add_passages(sample);
        for (at, span) in statements.iter().enumerate() {
            data.add_block(&format!("item {}", at + 1), &reference[span.clone()]);
        }
        let questions = [ChecklistQuestion { data, task: String::new(), items: count }];
        self.0.judge(answers, &questions, |seats| {
            let mut evidence = BoundedEvidence::default();
            let mut found = 0.0;
            for (at, (verdict, span)) in self.0.verdicts(seats, 0, count)?.into_iter().zip(&statements).enumerate() {
                found += verdict.value;
                let kind = if verdict.value < 0.5 { EvidenceKind::Missing } else { EvidenceKind::Matched };
                let note = verdict.note("passage", passages.iter().map(|passage| passage.text.as_str()));
                evidence.push(|| {
                    Evidence::at(kind, Field::Reference, span.clone(), reference)
                        .in_item(0)
                        .with_note(format!("statement {}: {note}", at + 1))
                });
            }
            self.0.add_missing_verdicts(seats, &mut evidence);
            Ok(JudgeAction::Done(score(found)?.because(evidence.finish()).into()))
        })
    }
}
