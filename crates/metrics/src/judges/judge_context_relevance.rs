//! Share of the statements in the retrieved passages that a model finds relevant to the query.

use std::ops::Range;

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompting::{Checklist, ChecklistQuestion, MOST_STEPS, PanelOptions, QuotedTexts, statement_spans};
use crate::bounded_evidence::BoundedEvidence;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/context_relevance.txt");

/// Options of `judge_context_relevance`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeContextRelevance {
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, statement by statement.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeContextRelevance as Judge {
    summary: "Share of the statements in the retrieved passages that a model finds relevant to the query",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Query, Context],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: RelevanceJudge::new,
    since: "0.4",
    version: 1,
    page: "judge_context_relevance.md",
});

struct RelevanceJudge(Checklist);

impl RelevanceJudge {
    fn new(options: JudgeContextRelevance) -> Result<Self, BuildError> {
        let prompt = options.prompt.as_deref().unwrap_or(PROMPT);
        Ok(Self(Checklist::new(options.judges, options.panel, prompt, options.schema)?))
    }
}

impl Judge for RelevanceJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let passages = sample.context()?;
        let spans = |(at, text): (usize, &str)| statement_spans(text).into_iter().map(move |span| (at, span));
        let texts = passages.iter().map(|passage| passage.text.as_str()).enumerate();
        let statements: Vec<(usize, Range<usize>)> = texts.flat_map(|text| spans(text).collect::<Vec<_>>()).collect();
        if statements.len() > MOST_STEPS {
            let reason = format!("the passages have {} statements, at most {MOST_STEPS} are judged", statements.len());
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        }
        if statements.is_empty() {
            let note = Evidence::note("no passage says anything");
            return Ok(JudgeAction::Done(Score::from_number(0.0)?.because([note]).into()));
        }
        let mut data = QuotedTexts::default();
        data.add_block("query", sample.query()?);
        for (number, (passage, span)) in statements.iter().enumerate() {
            data.add_block(&format!("item {}", number + 1), &passages[*passage].text[span.clone()]);
        }
        let count = statements.len();
        let questions = [ChecklistQuestion { data, task: String::new(), items: count }];
        self.0.judge(answers, &questions, |seats| {
            let mut evidence = BoundedEvidence::default();
            let mut relevant = 0.0;
            for (verdict, (passage, span)) in self.0.verdicts(seats, 0, count)?.iter().zip(&statements) {
                relevant += verdict.value;
                let (kind, note) = match verdict.value {
                    value if value < 0.5 => (EvidenceKind::Unsupported, "not relevant to the query"),
                    _ => (EvidenceKind::Matched, "relevant to the query"),
                };
                evidence.push(|| {
                    Evidence::at(kind, Field::Context, span.clone(), &passages[*passage].text)
                        .in_item(*passage)
                        .with_note(note)
                });
            }
            self.0.add_missing_verdicts(seats, &mut evidence);
            let score = Score::from_number(relevant / count as f64)?
                .with_part("relevant", relevant)?
                .with_part("statements", count as f64)?;
            Ok(JudgeAction::Done(score.because(evidence.finish()).into()))
        })
    }
}
