//! Which of two responses a model prefers, asked in both orders.

use probare_core::{
    BackendAnswer, BuildError, Evidence, Judge, JudgeAction, Outcome, Sample, Score, ScoreError, UNSURE, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::prompting::{
    ConversationText, JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PanelVerdict, PromptTemplate,
    QuotedTexts, ReasonedVerdict, all_agree, judge_evidence, option_error, text_field, with_judge_parts,
};

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/pairwise.txt");

/// Options of `judge_pairwise`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgePairwise {
    /// Where the other response is: `reference`, or `metadata.KEY`. `metadata.other` if absent.
    pub against: Option<String>,
    /// What makes a response the better one. Which serves whoever asked better, if absent.
    pub question: Option<String>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgePairwise as Judge {
    summary: "Whether a model prefers the response to another one, asked in both orders",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: PairwiseJudge::new,
    since: "0.2",
    version: 3,
    page: "judge_pairwise.md",
});

struct PairwiseJudge {
    against: OtherResponse,
    question: String,
    panel: JudgePanel,
    template: PromptTemplate,
}

enum OtherResponse {
    Reference,
    Metadata(String),
}

const QUESTION: &str = "which response serves the person who asked better: right, to the point, complete, easy to use";

const FORM: &str = "Reply with one JSON object and nothing else: {\"reason\": \"one or two sentences\", \"better\": \"A\" or \"B\" or \"tie\"}.";

impl PairwiseJudge {
    fn new(options: JudgePairwise) -> Result<Self, BuildError> {
        let against = match options.against.as_deref().unwrap_or("metadata.other") {
            "reference" => OtherResponse::Reference,
            other => match other.strip_prefix("metadata.").filter(|key| !key.is_empty()) {
                Some(key) => OtherResponse::Metadata(key.to_owned()),
                None => return Err(option_error("`against` is `reference` or `metadata.KEY`")),
            },
        };
        let schema = json!({
            "type": "object",
            "properties": {"reason": {"type": "string"}, "better": {"type": "string", "enum": ["A", "B", "tie"]}},
            "required": ["reason", "better"],
            "additionalProperties": false,
        });
        Ok(Self {
            against,
            question: options.question.unwrap_or_else(|| QUESTION.to_owned()),
            panel: JudgePanel::new(options.judges, options.panel, options.schema.unwrap_or(true).then_some(schema))?,
            template: PromptTemplate::new(options.prompt.as_deref().unwrap_or(PROMPT), &["question", "form", "data"])?,
        })
    }

    fn other_response<'a>(&self, sample: Sample<'a>) -> Option<&'a str> {
        match &self.against {
            OtherResponse::Reference => sample.case.reference.as_ref()?.first().map(String::as_str),
            OtherResponse::Metadata(key) => sample.case.metadata.get(key).and_then(Json::as_str),
        }
    }

    fn outcome(
        &self,
        seats: &[JudgeReplies<ReasonedVerdict<Preference>>],
        omitted: Option<String>,
    ) -> Result<Outcome, ScoreError> {
        let mut values = Vec::new();
        let mut evidence: Vec<Evidence> = omitted.map(Evidence::note).into_iter().collect();
        let mut flips = 0;
        for (seat, replies) in seats.iter().enumerate() {
            let name = self.panel.name(seat);
            let orders = ["response first", "response second"];
            for (order, verdict) in orders.iter().zip(&replies.verdicts) {
                evidence.push(match verdict {
                    Ok(verdict) => {
                        judge_evidence(format!("{name}, {order}: {}", verdict.verdict.description()), &verdict.reason)
                    }
                    Err(error) => judge_evidence(format!("{name}, {order}: no verdict"), &error.to_string()),
                });
            }
            let value = match replies.verdicts.as_slice() {
                [Ok(first), Ok(second)] => {
                    flips += usize::from(first != second);
                    Ok(f64::midpoint(first.verdict.value(), second.verdict.value()))
                }
                // One order alone would carry its bias.
                [Err(error), _] | [_, Err(error)] => Err(error.clone()),
                _ => Err(ScoreError::Internal { reason: "two orders are expected".to_owned() }),
            };
            values.push(value);
        }
        let PanelVerdict { value, is_tied } = self.panel.vote(&values)?;
        let judged = values.iter().filter(|value| value.is_ok()).count();
        let label = match value {
            _ if is_tied => UNSURE,
            value if value > 0.5 => "better",
            value if value < 0.5 => "worse",
            _ if flips > 0 => "undecided, flipped",
            _ => "equal",
        };
        let score = Score::from_number(value)?.with_part("flipped", flips as f64 / judged.max(1) as f64)?;
        let score = with_judge_parts(score, &values)?;
        Ok(score.labelled(label).because(evidence).into())
    }
}

/// Whom a verdict favours, whatever the order was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preference {
    Response,
    Other,
    Neither,
}

impl Preference {
    const fn value(self) -> f64 {
        match self {
            Self::Response => 1.0,
            Self::Other => 0.0,
            Self::Neither => 0.5,
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::Response => "the response is better",
            Self::Other => "the other is better",
            Self::Neither => "a tie",
        }
    }
}

/// Reads a reply; in the second order the response is B.
fn read(order: usize, reply: &JudgeReply<'_>) -> Result<ReasonedVerdict<Preference>, String> {
    ReasonedVerdict::read(reply, "better", |object| {
        let better = text_field(object, "better")?.trim().to_ascii_lowercase();
        match (better.as_str(), order) {
            ("a", 0) | ("b", 1) => Ok(Preference::Response),
            ("b", 0) | ("a", 1) => Ok(Preference::Other),
            ("tie", _) => Ok(Preference::Neither),
            _ => Err("`better` is none of A, B and tie".to_owned()),
        }
    })
}

impl Judge for PairwiseJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let Some(other) = self.other_response(sample) else {
            let place = match &self.against {
                OtherResponse::Reference => "reference".to_owned(),
                OtherResponse::Metadata(key) => format!("metadata.{key}"),
            };
            return Ok(JudgeAction::Done(Outcome::not_applicable(format!(
                "the case has no text `{place}` to compare with"
            ))));
        };
        let conversation = ConversationText::from_sample(sample);
        let messages = |order: usize| {
            let (first, second) = if order == 0 { (response, other) } else { (other, response) };
            let mut data = QuotedTexts::default();
            data.add_case_fields(sample, false)
                .add_conversation(conversation.as_ref())
                .add_block("response A", first)
                .add_block("response B", second);
            self.template.messages(&[("question", &self.question), ("form", FORM), ("data", data.text())])
        };
        // The first judges agree where nobody flips and all favour the same.
        match self.panel.advance(answers, 2, &messages, &read, &all_agree)? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => {
                let omitted = conversation.and_then(|shown| shown.omitted);
                Ok(JudgeAction::Done(self.outcome(&seats, omitted)?))
            }
        }
    }
}
