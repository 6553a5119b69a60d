//! How well the retrieved passages are ranked, by a model that says of each whether it helps to the answer.

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompting::{Checklist, ChecklistQuestion, MOST_STEPS, PanelOptions, QuotedTexts};
use crate::bounded_evidence::BoundedEvidence;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/context_precision.txt");

/// Options of `judge_context_precision`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeContextPrecision {
    /// Which answer the passages have to help to: `reference` (default) or `response`, where there is no reference.
    pub against: AnswerField,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, passage by passage.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

/// An answer that passages can help to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerField {
    /// The first reference answer.
    #[default]
    Reference,
    /// The response that is evaluated.
    Response,
}

metric!(JudgeContextPrecision as Judge {
    summary: "Average precision of the retrieved passages, by a model that says which of them help to the answer",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Context],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: PrecisionJudge::new,
    since: "0.4",
    version: 1,
    page: "judge_context_precision.md",
});

struct PrecisionJudge {
    checklist: Checklist,
    against: AnswerField,
}

impl PrecisionJudge {
    fn new(options: JudgeContextPrecision) -> Result<Self, BuildError> {
        let prompt = options.prompt.as_deref().unwrap_or(PROMPT);
        let checklist = Checklist::new(options.judges, options.panel, prompt, options.schema)?;
        Ok(Self { checklist, against: options.against })
    }
}

/// The mean of the precision at each place with a passage that helps; 0 where none does.
fn average_precision(helps: &[f64]) -> f64 {
    let (mut so_far, mut sum) = (0.0, 0.0);
    for (at, help) in helps.iter().enumerate() {
        so_far += help;
        sum += so_far / (at + 1) as f64 * help;
    }
    if so_far > 0.0 { sum / so_far } else { 0.0 }
}

impl Judge for PrecisionJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let answer = match self.against {
            AnswerField::Reference if sample.has(Field::Reference) => sample.references()?.first().map(String::as_str),
            AnswerField::Response if sample.has(Field::Response) => Some(sample.response()?),
            _ => None,
        };
        let Some(answer) = answer else {
            let field = if self.against == AnswerField::Reference { "reference" } else { "response" };
            return Ok(JudgeAction::Done(Outcome::not_applicable(format!("the case has no `{field}`"))));
        };
        let passages = sample.context()?;
        if passages.is_empty() || passages.len() > MOST_STEPS {
            let reason = format!("there are {} passages; from 1 to {MOST_STEPS} are judged", passages.len());
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        }
        let mut data = QuotedTexts::default();
        data.add_block("query", sample.query()?).add_block("answer", answer);
        for (at, passage) in passages.iter().enumerate() {
            data.add_block(&format!("item {}", at + 1), &passage.text);
        }
        let questions = [ChecklistQuestion { data, task: String::new(), items: passages.len() }];
        self.checklist.judge(answers, &questions, |seats| {
            let mut evidence = BoundedEvidence::default();
            let verdicts = self.checklist.verdicts(seats, 0, passages.len())?;
            for (at, (verdict, passage)) in verdicts.iter().zip(passages).enumerate() {
                let kind = if verdict.value < 0.5 { EvidenceKind::Unsupported } else { EvidenceKind::Matched };
                let (words, place) = verdict.place_in(&passage.text);
                let what = if verdict.value < 0.5 { "does not help" } else { "helps" };
                evidence.push(|| {
                    Evidence::at(kind, Field::Context, place, &passage.text)
                        .in_item(at)
                        .with_note(format!("passage {}: {what}{words}", at + 1))
                });
            }
            self.checklist.add_missing_verdicts(seats, &mut evidence);
            let helps: Vec<f64> = verdicts.iter().map(|verdict| verdict.value).collect();
            let score = Score::from_number(average_precision(&helps))?
                .with_part("useful", helps.iter().sum::<f64>())?
                .with_part("passages", helps.len() as f64)?;
            Ok(JudgeAction::Done(score.because(evidence.finish()).into()))
        })
    }
}
