//! Whether the response gives the same answer as a reference: by rule where that is certain, by a model where it is not.

use probare_core::{
    BackendAnswer, BuildError, Evidence, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError, UNSURE, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::prompting::{
    JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PromptTemplate, QuotedTexts, ReasonedVerdict,
    all_agree, bool_field, with_judge_parts,
};
use crate::answers::matching::verdict::{AnswerVerdict, judge_answer};

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/same_answer.txt");

/// Options of `judge_same_answer`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeSameAnswer {
    /// Whether a certain verdict of the rule spares the question to the model. Default true.
    pub rule_first: Option<bool>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeSameAnswer as Judge {
    summary: "Whether the response gives the same answer as a reference: by rule where certain, else by a model",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: SameAnswerJudge::new,
    since: "0.2",
    version: 5,
    page: "judge_same_answer.md",
});

struct SameAnswerJudge {
    rule_first: bool,
    panel: JudgePanel,
    template: PromptTemplate,
}

const FORM: &str =
    "Reply with one JSON object and nothing else: {\"reason\": \"one or two sentences\", \"same\": true or false}.";

impl SameAnswerJudge {
    fn new(options: JudgeSameAnswer) -> Result<Self, BuildError> {
        let schema = json!({
            "type": "object",
            "properties": {"reason": {"type": "string"}, "same": {"type": "boolean"}},
            "required": ["reason", "same"],
            "additionalProperties": false,
        });
        Ok(Self {
            rule_first: options.rule_first.unwrap_or(true),
            panel: JudgePanel::new(options.judges, options.panel, options.schema.unwrap_or(true).then_some(schema))?,
            template: PromptTemplate::new(options.prompt.as_deref().unwrap_or(PROMPT), &["form", "data"])?,
        })
    }
}

/// What the rule of `answer_match` says where it cannot well err: right where nothing takes away from a full match, wrong where the
/// value is 0. The labels of `answer_match` are chosen for people who have no judge, and decide more.
pub(crate) fn certain_verdict(verdict: &AnswerVerdict) -> Option<bool> {
    const NEARLY_ONE: f64 = 0.95;
    match verdict.value() {
        value if value >= NEARLY_ONE => Some(true),
        0.0 => Some(false),
        _ => None,
    }
}

fn read(reply: &JudgeReply<'_>) -> Result<ReasonedVerdict<bool>, String> {
    ReasonedVerdict::read(reply, "same", |object| bool_field(object, "same"))
}

fn scored(same: bool, by: &'static str, evidence: Vec<Evidence>) -> Result<Score, ScoreError> {
    let label = match (same, by) {
        (true, "rule") => "same, by rule",
        (false, "rule") => "other, by rule",
        (true, _) => "same, by judge",
        (false, _) => "other, by judge",
    };
    let score = Score::from_bool(same).with_part("by rule", f64::from(by == "rule"))?;
    Ok(score.labelled(label).because(evidence))
}

impl SameAnswerJudge {
    fn outcome(&self, seats: &[JudgeReplies<ReasonedVerdict<bool>>]) -> Result<Outcome, ScoreError> {
        let tally =
            self.panel.tally(seats, |same| (if *same { "same" } else { "other" }.to_owned(), f64::from(*same)))?;
        let value = tally.verdict.value;
        let mut score = scored(value >= 0.5, "judge", tally.evidence)?;
        // Half of the judges say one thing, half the other.
        if value == 0.5 {
            score = score.labelled(UNSURE);
        }
        score.value = probare_core::Value::new(value)?;
        Ok(with_judge_parts(score, &tally.values)?.into())
    }
}

impl Judge for SameAnswerJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        if self.rule_first && answers.is_empty() {
            let query = sample.case.query.as_deref().unwrap_or_default();
            let verdict =
                judge_answer(query, references, response).ok_or(ScoreError::MissingField(Field::Reference))?;
            if let Some(same) = certain_verdict(&verdict) {
                let evidence = crate::answers::answer_match::verdict_evidence(&verdict, response, references);
                return Ok(JudgeAction::Done(scored(same, "rule", evidence)?.into()));
            }
        }
        let messages = |_| {
            let mut data = QuotedTexts::default();
            if let Some(query) = &sample.case.query {
                data.add_block("query", query);
            }
            for (at, reference) in references.iter().enumerate() {
                data.add_block(&format!("reference {}", at + 1), reference);
            }
            data.add_block("response", response);
            self.template.messages(&[("form", FORM), ("data", data.text())])
        };
        match self.panel.advance(answers, 1, &messages, &|_, reply| read(reply), &all_agree)? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => Ok(JudgeAction::Done(self.outcome(&seats)?)),
        }
    }
}
