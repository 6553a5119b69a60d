//! Which of two responses a model prefers, asked in both orders.

use probare_core::{Answer, BuildError, Judge, Outcome, Sample, Score, ScoreError, Turn, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::asking::{Bench, Held, JudgeReply, Panel, Quoted, Seat, Template, said, text, verdict, wrong};

/// The prompt, unless another is given.
pub(super) const PROMPT: &str = include_str!("prompts/pairwise.txt");

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
    pub panel: Panel,
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
    prepare: Pairwise::new,
    since: "0.2",
    version: 1,
    page: "judge_pairwise.md",
});

struct Pairwise {
    against: Against,
    question: String,
    bench: Bench,
    template: Template,
}

enum Against {
    Reference,
    Metadata(String),
}

const QUESTION: &str = "which response serves the person who asked better: right, to the point, complete, easy to use";

const FORM: &str = "Reply with one JSON object and nothing else: {\"reason\": \"one or two sentences\", \"better\": \"A\" or \"B\" or \"tie\"}.";

impl Pairwise {
    fn new(options: JudgePairwise) -> Result<Self, BuildError> {
        let against = match options.against.as_deref().unwrap_or("metadata.other") {
            "reference" => Against::Reference,
            other => match other.strip_prefix("metadata.").filter(|key| !key.is_empty()) {
                Some(key) => Against::Metadata(key.to_owned()),
                None => return Err(wrong("`against` is `reference` or `metadata.KEY`")),
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
            bench: Bench::new(options.judges, options.panel, options.schema.unwrap_or(true).then_some(schema))?,
            template: Template::new(options.prompt.as_deref().unwrap_or(PROMPT), &["question", "form", "data"])?,
        })
    }

    fn other<'a>(&self, sample: Sample<'a>) -> Option<&'a str> {
        match &self.against {
            Against::Reference => sample.case.reference.as_ref()?.first().map(String::as_str),
            Against::Metadata(key) => sample.case.metadata.get(key).and_then(Json::as_str),
        }
    }

    fn outcome(&self, seats: &[Seat<Said>]) -> Result<Outcome, ScoreError> {
        let mut values = Vec::new();
        let mut evidence = Vec::new();
        let mut flips = 0;
        for (seat, heard) in seats.iter().enumerate() {
            let name = self.bench.name(seat);
            let orders = ["response first", "response second"];
            for (order, told) in orders.iter().zip(&heard.said) {
                evidence.push(match told {
                    Ok(told) => said(format!("{name}, {order}: {}", told.favours.word()), &told.reason),
                    Err(error) => said(format!("{name}, {order}: no verdict"), &error.to_string()),
                });
            }
            let value = match heard.said.as_slice() {
                [Ok(first), Ok(second)] => {
                    flips += usize::from(first.favours != second.favours);
                    Ok(f64::midpoint(first.favours.value(), second.favours.value()))
                }
                // One order alone would carry its bias.
                [Err(error), _] | [_, Err(error)] => Err(error.clone()),
                _ => Err(ScoreError::Internal { reason: "two orders are expected".to_owned() }),
            };
            values.push(value);
        }
        let value = self.bench.vote(&values)?;
        let judged = values.iter().filter(|value| value.is_ok()).count();
        let label = match value {
            value if value > 0.5 => "better",
            value if value < 0.5 => "worse",
            _ if flips > 0 => "undecided, flipped",
            _ => "equal",
        };
        let mut score = Score::from_number(value)?.with_part("flipped", flips as f64 / judged.max(1) as f64)?;
        if values.len() > 1 {
            for (seat, value) in values.iter().enumerate() {
                if let Ok(value) = value {
                    score = score.with_part(format!("judge {}", seat + 1), *value)?;
                }
            }
        }
        Ok(score.labelled(label).because(evidence).into())
    }
}

/// Whom a verdict favours, whatever the order was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Favour {
    Response,
    Other,
    Neither,
}

impl Favour {
    const fn value(self) -> f64 {
        match self {
            Self::Response => 1.0,
            Self::Other => 0.0,
            Self::Neither => 0.5,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Response => "the response is better",
            Self::Other => "the other is better",
            Self::Neither => "a tie",
        }
    }
}

#[derive(Debug, Clone)]
struct Said {
    favours: Favour,
    reason: String,
}

impl PartialEq for Said {
    fn eq(&self, other: &Self) -> bool {
        self.favours == other.favours
    }
}

/// Reads a reply; in the second order the response is B.
fn read(order: usize, reply: &JudgeReply<'_>) -> Result<Said, String> {
    verdict(reply, "better", &|object| {
        let better = text(object, "better")?.trim().to_ascii_lowercase();
        let favours = match (better.as_str(), order) {
            ("a", 0) | ("b", 1) => Favour::Response,
            ("b", 0) | ("a", 1) => Favour::Other,
            ("tie", _) => Favour::Neither,
            _ => return Err("`better` is none of A, B and tie".to_owned()),
        };
        Ok(Said { favours, reason: text(object, "reason").unwrap_or_default().to_owned() })
    })
}

impl Judge for Pairwise {
    fn next(&self, sample: Sample<'_>, heard: &[Answer]) -> Result<Turn, ScoreError> {
        let response = sample.response()?;
        let Some(other) = self.other(sample) else {
            let place = match &self.against {
                Against::Reference => "reference".to_owned(),
                Against::Metadata(key) => format!("metadata.{key}"),
            };
            return Ok(Turn::Done(Outcome::not_applicable(format!("the case has no text `{place}` to compare with"))));
        };
        let messages = |order: usize| {
            let (first, second) = if order == 0 { (response, other) } else { (other, response) };
            let mut data = Quoted::new();
            data.surroundings(sample, false).block("response A", first).block("response B", second);
            self.template.messages(&[("question", &self.question), ("form", FORM), ("data", data.text())])
        };
        // The first judges agree where nobody flips and all favour the same.
        let agree = |seats: &[Seat<Said>]| super::judge_rubric::agreed(seats);
        match self.bench.hold(heard, 2, &messages, &read, &agree)? {
            Held::Ask(turn) => Ok(turn),
            Held::Heard(seats) => Ok(Turn::Done(self.outcome(&seats)?)),
        }
    }
}
