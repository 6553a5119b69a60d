//! Whether the response gives the same answer as a reference: by rule where that is certain, by a model where it is not.

use probare_core::{
    BackendAnswer, BuildError, Evidence, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError, UNSURE, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::judge_rubric::all_agree;
use super::prompting::{
    JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PanelVerdict, PromptTemplate, QuotedTexts,
    bool_field, judge_evidence, read_verdict, text_field,
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

#[derive(Debug, Clone)]
struct SameAnswerVerdict {
    same: bool,
    reason: String,
}

impl PartialEq for SameAnswerVerdict {
    fn eq(&self, other: &Self) -> bool {
        self.same == other.same
    }
}

fn read(reply: &JudgeReply<'_>) -> Result<SameAnswerVerdict, String> {
    read_verdict(reply, "same", &|object| {
        Ok(SameAnswerVerdict {
            same: bool_field(object, "same")?,
            reason: text_field(object, "reason").unwrap_or_default().to_owned(),
        })
    })
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
    fn outcome(&self, seats: &[JudgeReplies<SameAnswerVerdict>]) -> Result<Outcome, ScoreError> {
        let mut values = Vec::new();
        let mut evidence = Vec::new();
        for (seat, heard) in seats.iter().enumerate() {
            let name = self.panel.name(seat);
            match heard.verdicts.first() {
                Some(Ok(told)) => {
                    evidence.push(judge_evidence(
                        format!("{name}: {}", if told.same { "same" } else { "other" }),
                        &told.reason,
                    ));
                    values.push(Ok(f64::from(told.same)));
                }
                Some(Err(error)) => {
                    evidence.push(judge_evidence(format!("{name}: no verdict"), &error.to_string()));
                    values.push(Err(error.clone()));
                }
                None => {}
            }
        }
        let PanelVerdict { value, .. } = self.panel.vote(&values)?;
        let mut score = scored(value >= 0.5, "judge", evidence)?;
        // Half of the judges say one thing, half the other.
        if value == 0.5 {
            score = score.labelled(UNSURE);
        }
        score.value = probare_core::Value::new(value)?;
        if values.len() > 1 {
            for (seat, value) in values.iter().enumerate() {
                if let Ok(value) = value {
                    score = score.with_part(format!("judge {}", seat + 1), *value)?;
                }
            }
        }
        Ok(score.into())
    }
}

impl Judge for SameAnswerJudge {
    fn next_action(&self, sample: Sample<'_>, heard: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        if self.rule_first && heard.is_empty() {
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
        match self.panel.advance(heard, 1, &messages, &|_, reply| read(reply), &|seats| all_agree(seats))? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => Ok(JudgeAction::Done(self.outcome(&seats)?)),
        }
    }
}
