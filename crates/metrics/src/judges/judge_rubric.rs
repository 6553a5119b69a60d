//! How a model grades the response by a rubric with levels.

use std::borrow::Cow;

use probare_core::{
    BackendAnswer, BuildError, Evidence, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError, UNSURE, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::prompting::{
    ConversationText, JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PanelVerdict, PromptTemplate,
    QuotedTexts, ReasonedVerdict, Rubric, RubricLevel, all_agree, option_error, text_field, with_judge_parts,
};
use crate::agents::transcript_gap;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/rubric.txt");

/// Options of `judge_rubric`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeRubric {
    /// A rubric in place of `question` and `levels`: the name of one that comes with the program (`correctness`, `helpfulness`,
    /// …; `probare list judges` names them), or a file of your own that ends in `.yaml`.
    pub rubric: Option<String>,
    /// What is asked about the response. Whether it answers the query rightly, completely and clearly, if absent.
    pub question: Option<String>,
    /// The levels, from the worst to the best; three if absent: `poor`, `fair`, `good`.
    pub levels: Vec<RubricLevel>,
    /// Whether the references are shown. Default true.
    pub references: Option<bool>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeRubric as Judge {
    summary: "How a model grades the response by a rubric with levels",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: RubricJudge::new,
    since: "0.2",
    version: 3,
    page: "judge_rubric.md",
});

/// A rubric that is ready to be asked about.
struct RubricJudge {
    question: String,
    /// Name and value.
    levels: Vec<(String, f64)>,
    shown: String,
    form: String,
    with_references: bool,
    /// Fields without which the rubric does not apply. `messages` stands for what an agent did, which calls alone may tell, too.
    needs: Vec<Field>,
    panel: JudgePanel,
    template: PromptTemplate,
}

const QUESTION: &str = "Does the response answer the query rightly, completely and clearly?";

fn default_levels() -> Vec<RubricLevel> {
    let level =
        |label: &str, means: &str| RubricLevel { label: label.to_owned(), means: means.to_owned(), value: None };
    vec![
        level("poor", "it misses the query, or says something false that matters"),
        level("fair", "it answers in the main, but leaves out or blurs something that was asked for"),
        level("good", "it answers everything that was asked, rightly and so that it can be followed"),
    ]
}

impl RubricJudge {
    fn new(options: JudgeRubric) -> Result<Self, BuildError> {
        let rubric = options.rubric.as_deref().map(Rubric::from_option).transpose()?;
        if rubric.is_some() && (options.question.is_some() || !options.levels.is_empty()) {
            return Err(option_error("`rubric` has a question and levels; leave `question` and `levels` out"));
        }
        let given = match &rubric {
            Some(rubric) => rubric.levels.clone(),
            None if options.levels.is_empty() => default_levels(),
            None => options.levels,
        };
        if given.len() < 2 {
            return Err(option_error("`levels` needs at least two levels"));
        }
        let last = (given.len() - 1) as f64;
        let mut levels: Vec<(String, f64)> = Vec::new();
        for (at, level) in given.iter().enumerate() {
            let label = level.label.trim().to_owned();
            let value = level.value.unwrap_or(at as f64 / last);
            if label.is_empty() || levels.iter().any(|(known, _)| known.eq_ignore_ascii_case(&label)) {
                return Err(option_error("every level needs a label of its own"));
            }
            if !(0.0..=1.0).contains(&value) {
                return Err(option_error(format!("the value of level `{label}` is not between 0 and 1")));
            }
            levels.push((label, value));
        }
        let shown: Vec<String> = given
            .iter()
            .map(|level| {
                if level.means.is_empty() {
                    format!("- {}", level.label)
                } else {
                    format!("- {}: {}", level.label, level.means)
                }
            })
            .collect();
        let names: Vec<&str> = levels.iter().map(|(label, _)| label.as_str()).collect();
        let schema = json!({
            "type": "object",
            "properties": {"reason": {"type": "string"}, "level": {"type": "string", "enum": names}},
            "required": ["reason", "level"],
            "additionalProperties": false,
        });
        let form = "Reply with one JSON object and nothing else: {\"reason\": \"one or two sentences\", \"level\": \"the name of \
                    the level\"}."
            .to_owned();
        Ok(Self {
            question: match &rubric {
                Some(rubric) => rubric.question.clone(),
                None => options.question.unwrap_or_else(|| QUESTION.to_owned()),
            },
            shown: shown.join("\n") + &rubric.as_ref().map(Rubric::examples_text).unwrap_or_default(),
            needs: rubric.map(|rubric| rubric.needs).unwrap_or_default(),
            form,
            with_references: options.references.unwrap_or(true),
            panel: JudgePanel::new(options.judges, options.panel, options.schema.unwrap_or(true).then_some(schema))?,
            template: PromptTemplate::new(
                options.prompt.as_deref().unwrap_or(PROMPT),
                &["question", "levels", "form", "data"],
            )?,
            levels,
        })
    }

    /// The level that a reply names, by its place, and why.
    fn read(&self, reply: &JudgeReply<'_>) -> Result<ReasonedVerdict<usize>, String> {
        ReasonedVerdict::read(reply, "level", |object| {
            let name = text_field(object, "level")?.trim();
            let level = self.levels.iter().position(|(label, _)| label.eq_ignore_ascii_case(name));
            level.ok_or_else(|| "`level` is none of the levels".to_owned())
        })
    }

    fn outcome(
        &self,
        seats: &[JudgeReplies<ReasonedVerdict<usize>>],
        omitted: Option<String>,
    ) -> Result<Outcome, ScoreError> {
        let tally = self.panel.tally(seats, |level| self.levels.get(*level).cloned().unwrap_or_default())?;
        let PanelVerdict { value, is_tied } = tally.verdict;
        let score = with_judge_parts(Score::from_number(value)?, &tally.values)?;
        let label = self.levels.iter().find(|(_, known)| *known == value).map(|(label, _)| label.clone());
        let score = match label {
            _ if is_tied => score.labelled(UNSURE),
            Some(label) => score.labelled(Cow::Owned(label)),
            None => score,
        };
        Ok(score.because(omitted.map(Evidence::note).into_iter().chain(tally.evidence)).into())
    }
}

impl Judge for RubricJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let is_about_transcript = self.needs.contains(&Field::Messages);
        if is_about_transcript && let Some(outcome) = transcript_gap(sample)? {
            return Ok(JudgeAction::Done(outcome));
        }
        if let Some(field) = self.needs.iter().find(|field| **field != Field::Messages && !sample.has(**field)) {
            return Ok(JudgeAction::Done(Outcome::not_applicable(format!("the case has no `{field}`"))));
        }
        let conversation = if is_about_transcript {
            Some(ConversationText::of_transcript(sample))
        } else {
            ConversationText::from_sample(sample)
        };
        let messages = |_| {
            let mut data = QuotedTexts::default();
            data.add_case_fields(sample, self.with_references)
                .add_conversation(conversation.as_ref())
                .add_block("response", response);
            self.template.messages(&[
                ("question", &self.question),
                ("levels", &self.shown),
                ("form", &self.form),
                ("data", data.text()),
            ])
        };
        match self.panel.advance(answers, 1, &messages, &|_, reply| self.read(reply), &all_agree)? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => {
                let omitted = conversation.and_then(|shown| shown.omitted);
                Ok(JudgeAction::Done(self.outcome(&seats, omitted)?))
            }
        }
    }
}
