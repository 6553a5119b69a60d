//! [`Checklist`]: numbered items of a text, each of which a judge decides with yes or no and the words that it rests on.

use std::ops::Range;

use probare_core::{BackendAnswer, BuildError, JudgeAction, ScoreError};
use serde_json::{Map, Value as Json, json};

use super::{
    JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PromptTemplate, QuotedTexts, bool_field,
    number_field, read_verdict, text_field,
};
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};
use crate::claim_spans::claim_spans;

/// The statements of a text, cut by rule, so that they are the same for every judge.
pub(crate) fn statement_spans(text: &str) -> Vec<Range<usize>> {
    let has_words = |span: &Range<usize>| text[span.clone()].chars().any(char::is_alphanumeric);
    claim_spans(text).filter(has_words).collect()
}

/// Most items that a judge is asked about at once.
pub(crate) const MOST_STEPS: usize = 200;

/// The judges of a metric that goes through lists.
pub(crate) struct Checklist {
    panel: JudgePanel,
    template: PromptTemplate,
}

/// One list with the texts that it is judged by.
pub(crate) struct ChecklistQuestion {
    pub data: QuotedTexts,
    /// What is asked, in a sentence.
    pub task: String,
    /// Items in it.
    pub items: usize,
}

/// What the judges together say about an item.
#[derive(Debug, Clone)]
pub(crate) struct ItemVerdict {
    /// 1 for yes, 0 for no; between them where the judges are split.
    pub value: f64,
    /// The first words that a judge gives for a yes.
    pub quote: Option<String>,
}

impl ItemVerdict {
    /// What is said about it in a note: where the words of the judge stand, among these texts.
    pub fn note<'a>(&self, what: &str, mut texts: impl Iterator<Item = &'a str>) -> String {
        match &self.quote {
            _ if self.value < 0.5 => format!("no {what} says it"),
            Some(quote) => match texts.position(|text| text.contains(quote.as_str())) {
                Some(at) => format!("{what} {} says `{}`", at + 1, truncate_for_note(quote)),
                None => format!("called supported; the words that the judge gives stand in no {what}"),
            },
            None => "called supported, without words to show for it".to_owned(),
        }
    }

    /// The words of the judge in a text, for a note, and their place; the whole text where they are not there.
    pub fn place_in(&self, text: &str) -> (String, Range<usize>) {
        let found = self.quote.as_ref().and_then(|quote| Some((quote, text.find(quote.as_str())?)));
        match found {
            Some((quote, start)) => (format!(", with `{}`", truncate_for_note(quote)), start..start + quote.len()),
            None => (String::new(), 0..text.len()),
        }
    }
}

/// What the judges said to every list.
pub(crate) type ChecklistReplies = Vec<JudgeReplies<Vec<StepVerdict>>>;

impl Checklist {
    /// The judges with the prompt of the metric, or the one that its options give. `schema` says whether the form of the reply
    /// is sent along.
    pub fn new(
        judges: Vec<String>,
        panel: PanelOptions,
        prompt: &str,
        schema: Option<bool>,
    ) -> Result<Self, BuildError> {
        Ok(Self {
            panel: JudgePanel::new(judges, panel, schema.unwrap_or(true).then(steps_schema))?,
            template: PromptTemplate::new(prompt, &["task", "form", "data"])?,
        })
    }

    /// Asks every judge about every list.
    pub fn advance(
        &self,
        answers: &[BackendAnswer],
        questions: &[ChecklistQuestion],
    ) -> Result<PanelProgress<Vec<StepVerdict>>, ScoreError> {
        let messages = |at: usize| {
            let (task, data) =
                questions.get(at).map_or(("", ""), |question| (question.task.as_str(), question.data.text()));
            self.template.messages(&[("task", task), ("form", FORM), ("data", data)])
        };
        let read = |at: usize, reply: &JudgeReply<'_>| {
            parse_step_verdicts(reply, questions.get(at).map_or(0, |question| question.items))
        };
        self.panel.advance(answers, questions.len(), &messages, &read, &|seats| agree_on_each(seats))
    }

    /// What the judges together say about each item of a list.
    pub fn verdicts(
        &self,
        seats: &ChecklistReplies,
        list: usize,
        items: usize,
    ) -> Result<Vec<ItemVerdict>, ScoreError> {
        (0..items).map(|item| self.verdict(seats, list, item)).collect()
    }

    fn verdict(&self, seats: &ChecklistReplies, list: usize, item: usize) -> Result<ItemVerdict, ScoreError> {
        let replies = || seats.iter().filter_map(|seat| seat.verdicts.get(list));
        let votes: Vec<Result<f64, ScoreError>> = replies()
            .map(|reply| match reply {
                Ok(verdicts) => Ok(verdicts.get(item).map_or(0.0, |verdict| f64::from(verdict.met))),
                Err(error) => Err(error.clone()),
            })
            .collect();
        let value = self.panel.vote(&votes)?.value;
        let quotes = replies().filter_map(|reply| reply.as_ref().ok()?.get(item));
        let quote =
            quotes.filter(|verdict| verdict.met).map(|verdict| verdict.quote.trim()).find(|quote| !quote.is_empty());
        Ok(ItemVerdict { value, quote: quote.map(str::to_owned) })
    }

    /// Says which judges gave no verdict.
    pub fn add_missing_verdicts(&self, seats: &ChecklistReplies, evidence: &mut BoundedEvidence) {
        self.panel.add_missing_verdicts(seats, evidence);
    }

    /// Asks, or hands what was said to whoever computes the score of it.
    pub fn judge(
        &self,
        answers: &[BackendAnswer],
        questions: &[ChecklistQuestion],
        score: impl FnOnce(&ChecklistReplies) -> Result<JudgeAction, ScoreError>,
    ) -> Result<JudgeAction, ScoreError> {
        match self.advance(answers, questions)? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => score(&seats),
        }
    }
}

/// Whether all judges gave one and the same verdict on every list.
fn agree_on_each(seats: &[JudgeReplies<Vec<StepVerdict>>]) -> bool {
    let Some((first, others)) = seats.split_first() else { return false };
    let is_same = |other: &JudgeReplies<Vec<StepVerdict>>| {
        let pairs = first.verdicts.iter().zip(&other.verdicts);
        pairs.into_iter().all(|pair| matches!(pair, (Ok(one), Ok(other)) if one == other))
    };
    first.verdicts.iter().all(Result::is_ok) && others.iter().all(is_same)
}

const FORM: &str = "Reply with one JSON object and nothing else: {\"steps\": [{\"step\": number of the item, \"quote\": \"the words that \
     your verdict rests on, letter by letter, or an empty text\", \"met\": true or false}, …]}, with every item once.";

/// The form of a reply that goes through a numbered list.
pub(crate) fn steps_schema() -> Json {
    let step = json!({
        "type": "object",
        "properties": {"step": {"type": "integer"}, "quote": {"type": "string"}, "met": {"type": "boolean"}},
        "required": ["step", "quote", "met"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {"steps": {"type": "array", "items": step}},
        "required": ["steps"],
        "additionalProperties": false,
    })
}

/// What a judge says about one step.
#[derive(Debug, Clone)]
pub(crate) struct StepVerdict {
    /// Whether it is met.
    pub met: bool,
    /// The words for it.
    pub quote: String,
}

impl PartialEq for StepVerdict {
    fn eq(&self, other: &Self) -> bool {
        self.met == other.met
    }
}

/// Reads a verdict on every step; one that is missing, there twice or unknown makes the reply unreadable.
pub(crate) fn parse_step_verdicts(reply: &JudgeReply<'_>, count: usize) -> Result<Vec<StepVerdict>, String> {
    read_verdict(reply, "met", &|object| {
        let list = object.get("steps").and_then(Json::as_array).ok_or("it has no list `steps`")?;
        let mut verdicts: Vec<Option<StepVerdict>> = vec![None; count];
        for item in list {
            let item: &Map<String, Json> = item.as_object().ok_or("an item of `steps` is not an object")?;
            let step = number_field(item, "step")?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "out of range becomes no place"
            )]
            let place =
                verdicts.get_mut((step as usize).wrapping_sub(1)).filter(|_| step.fract() == 0.0 && step >= 1.0);
            match place {
                Some(place @ None) => {
                    *place = Some(StepVerdict {
                        met: bool_field(item, "met")?,
                        quote: text_field(item, "quote").unwrap_or_default().to_owned(),
                    });
                }
                Some(Some(_)) => return Err(format!("step {step} is there twice")),
                None => return Err(format!("there is no step {step}")),
            }
        }
        let missing = verdicts.iter().position(Option::is_none);
        match missing {
            Some(at) => Err(format!("step {} is missing", at + 1)),
            None => Ok(verdicts.into_iter().flatten().collect()),
        }
    })
}
