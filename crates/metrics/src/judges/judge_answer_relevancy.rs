//! Share of the statements of a response that a model finds relevant to the query.

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompting::{Checklist, ChecklistQuestion, MOST_STEPS, PanelOptions, QuotedTexts, statement_spans};
use crate::bounded_evidence::BoundedEvidence;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/answer_relevancy.txt");

/// Options of `judge_answer_relevancy`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeAnswerRelevancy {
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, statement by statement.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeAnswerRelevancy as Judge {
    summary: "Share of the statements of a response that a model finds relevant to the query",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Query],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: AnswerJudge::new,
    since: "0.4",
    version: 1,
    page: "judge_answer_relevancy.md",
});

struct AnswerJudge(Checklist);

impl AnswerJudge {
    fn new(options: JudgeAnswerRelevancy) -> Result<Self, BuildError> {
        let prompt = options.prompt.as_deref().unwrap_or(PROMPT);
        Ok(Self(Checklist::new(options.judges, options.panel, prompt, options.schema)?))
    }
}

impl Judge for AnswerJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let statements = statement_spans(response);
        if statements.len() > MOST_STEPS {
            let reason = format!("the response has {} statements, at most {MOST_STEPS} are judged", statements.len());
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        }
        if statements.is_empty() {
            let note = Evidence::note("the response says nothing");
            return Ok(JudgeAction::Done(Score::from_number(0.0)?.because([note]).into()));
        }
        let count = statements.len();
        let mut data = QuotedTexts::default();
        data.add_block("query", sample.query()?);
        for (number, span) in statements.iter().enumerate() {
            data.add_block(&format!("item {}", number + 1), &response[span.clone()]);
        }
        let questions = [ChecklistQuestion { data, task: String::new(), items: count }];
        self.0.judge(answers, &questions, |seats| {
            let mut evidence = BoundedEvidence::default();
            let mut relevant = 0.0;
            for (verdict, span) in self.0.verdicts(seats, 0, count)?.iter().zip(&statements) {
                relevant += verdict.value;
                let (kind, note) = match verdict.value {
                    value if value < 0.5 => (EvidenceKind::Unsupported, "does not bear on the query"),
                    _ => (EvidenceKind::Matched, "bears on the query"),
                };
                evidence.push(|| Evidence::at(kind, Field::Response, span.clone(), response).with_note(note));
            }
            self.0.add_missing_verdicts(seats, &mut evidence);
            let score = Score::from_number(relevant / count as f64)?
                .with_part("relevant", relevant)?
                .with_part("statements", count as f64)?;
            Ok(JudgeAction::Done(score.because(evidence.finish()).into()))
        })
    }
}
