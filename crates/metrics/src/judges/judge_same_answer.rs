//! Whether the response gives the same answer as a reference: by rule where that is certain, by a model where it is not.

use probare_core::{Answer, BuildError, Evidence, Field, Judge, Outcome, Sample, Score, ScoreError, Turn, metric};
use probare_text::stopwords;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::asking::{Bench, Held, JudgeReply, Panel, Quoted, Seat, Template, flag, said, text, verdict};
use super::judge_rubric::agreed;
use crate::answers::judging::answer::Way;
use crate::answers::judging::verdict::{Against, Verdict, judge};

/// The prompt, unless another is given.
pub(super) const PROMPT: &str = include_str!("prompts/same_answer.txt");

/// Options of `judge_same_answer`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeSameAnswer {
    /// Whether a certain verdict of the rule spares the question to the model. Default true.
    pub rule_first: Option<bool>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one.
    pub panel: Panel,
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
    prepare: SameAnswer::new,
    since: "0.2",
    version: 3,
    page: "judge_same_answer.md",
});

struct SameAnswer {
    rule_first: bool,
    bench: Bench,
    template: Template,
}

const FORM: &str =
    "Reply with one JSON object and nothing else: {\"reason\": \"one or two sentences\", \"same\": true or false}.";

impl SameAnswer {
    fn new(options: JudgeSameAnswer) -> Result<Self, BuildError> {
        let schema = json!({
            "type": "object",
            "properties": {"reason": {"type": "string"}, "same": {"type": "boolean"}},
            "required": ["reason", "same"],
            "additionalProperties": false,
        });
        Ok(Self {
            rule_first: options.rule_first.unwrap_or(true),
            bench: Bench::new(options.judges, options.panel, options.schema.unwrap_or(true).then_some(schema))?,
            template: Template::new(options.prompt.as_deref().unwrap_or(PROMPT), &["form", "data"])?,
        })
    }
}

/// What the rule of `answer_match` says where it cannot well err: right where the response is the gold, in the same words, by value
/// or by another name of it, and next to nothing else; wrong where the gold is mentioned and taken back.
pub(crate) fn certain(verdict: &Verdict, response: &str) -> Option<bool> {
    if verdict.is_right {
        let mut outside = String::new();
        let mut from = 0;
        let mut spans: Vec<_> = verdict.met.iter().map(|(span, _)| span.clone()).collect();
        spans.sort_by_key(|span| span.start);
        for span in spans {
            outside.push_str(response.get(from..span.start).unwrap_or_default());
            outside.push(' ');
            from = from.max(span.end);
        }
        outside.push_str(response.get(from..).unwrap_or_default());
        let is_filler = |word: &str| {
            stopwords::nltk().contains(&word.to_lowercase()) || PLAIN.contains(&word.to_lowercase().as_str())
        };
        let mut words = outside.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
        let is_plain = |way: &Way| matches!(way, Way::Exact | Way::Number | Way::Date | Way::Alias | Way::Initials);
        let is_bare = !verdict.met.is_empty()
            && verdict.met.iter().all(|(_, way)| is_plain(way))
            && words.all(|word| is_filler(word) && !TURNS.contains(&word.to_lowercase().as_str()));
        return is_bare.then_some(true);
    }
    let taken_back = |against: &Against| matches!(against, Against::Mention(_));
    verdict.against.iter().any(|(_, against)| taken_back(against)).then_some(false)
}

/// Words that add nothing to an answer.
const PLAIN: &[&str] = &["answer", "it's", "called", "named", "known", "exactly", "about"];

/// Stop words that can turn an answer round.
const TURNS: &[&str] = &[
    "not", "no", "nor", "or", "but", "than", "before", "after", "against", "don't", "didn't", "isn't", "wasn't", "and",
];

#[derive(Debug, Clone)]
struct Said {
    same: bool,
    reason: String,
}

impl PartialEq for Said {
    fn eq(&self, other: &Self) -> bool {
        self.same == other.same
    }
}

fn read(reply: &JudgeReply<'_>) -> Result<Said, String> {
    verdict(reply, "same", &|object| {
        Ok(Said { same: flag(object, "same")?, reason: text(object, "reason").unwrap_or_default().to_owned() })
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

impl SameAnswer {
    fn outcome(&self, seats: &[Seat<Said>]) -> Result<Outcome, ScoreError> {
        let mut values = Vec::new();
        let mut evidence = Vec::new();
        for (seat, heard) in seats.iter().enumerate() {
            let name = self.bench.name(seat);
            match heard.said.first() {
                Some(Ok(told)) => {
                    evidence.push(said(format!("{name}: {}", if told.same { "same" } else { "other" }), &told.reason));
                    values.push(Ok(f64::from(told.same)));
                }
                Some(Err(error)) => {
                    evidence.push(said(format!("{name}: no verdict"), &error.to_string()));
                    values.push(Err(error.clone()));
                }
                None => {}
            }
        }
        let value = self.bench.vote(&values)?;
        let mut score = scored(value >= 0.5, "judge", evidence)?;
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

impl Judge for SameAnswer {
    fn next(&self, sample: Sample<'_>, heard: &[Answer]) -> Result<Turn, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        if self.rule_first && heard.is_empty() {
            let query = sample.case.query.as_deref().unwrap_or_default();
            let verdict = judge(query, references, response).ok_or(ScoreError::MissingField(Field::Reference))?;
            if let Some(same) = certain(&verdict, response) {
                let evidence = crate::answers::answer_match::evidence(&verdict.shown(), response, references);
                return Ok(Turn::Done(scored(same, "rule", evidence)?.into()));
            }
        }
        let messages = |_| {
            let mut data = Quoted::new();
            if let Some(query) = &sample.case.query {
                data.block("query", query);
            }
            for (at, reference) in references.iter().enumerate() {
                data.block(&format!("reference {}", at + 1), reference);
            }
            data.block("response", response);
            self.template.messages(&[("form", FORM), ("data", data.text())])
        };
        match self.bench.hold(heard, 1, &messages, &|_, reply| read(reply), &|seats| agreed(seats))? {
            Held::Ask(turn) => Ok(turn),
            Held::Heard(seats) => Ok(Turn::Done(self.outcome(&seats)?)),
        }
    }
}
