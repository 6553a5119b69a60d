//! The value of a model grader of OpenAI Evals: a label or a number, given by the judges of the run.

use std::borrow::Cow;

use probare_core::{
    BackendAnswer, BuildError, ErrorKind, Judge, JudgeAction, Outcome, Sample, Score, ScoreError, UNSURE, metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::grading::{GraderTemplate, text_content, unreadable_content, value};
use crate::judges::TemplatePiece;
use crate::judges::prompting::{
    JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PanelVerdict, PromptTemplate, QuotedTexts,
    ReasonedVerdict, all_agree, number_field, option_error, text_field, with_judge_parts,
};

/// The prompt, unless another is given.
pub(crate) const PROMPT: &str = include_str!("prompts/model_grader.txt");

/// Options of `openai_model_grader`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OpenaiModelGrader {
    /// The entry of `testing_criteria` as it stands in the eval, of type `label_model` or `score_model`.
    pub grader: Json,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(OpenaiModelGrader as Judge {
    summary: "A label or score model grader of OpenAI Evals, asked of the judges of the run",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: ModelGrader::new,
    since: "0.4",
    version: 1,
    page: "openai_model_grader.md",
});

/// The fields that count here. `model` and `sampling_params` are the business of whoever names the judges.
#[derive(Deserialize)]
struct GraderFields {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    input: Vec<Json>,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    passing_labels: Vec<String>,
    range: Option<[f64; 2]>,
    pass_threshold: Option<f64>,
}

/// What a model says about a sample.
enum Scale {
    Labels { labels: Vec<String>, passing: Vec<String> },
    Numbers { least: f64, most: f64, threshold: Option<f64> },
}

struct ModelGrader {
    /// Who speaks, and what.
    messages: Vec<(String, GraderTemplate)>,
    scale: Scale,
    form: String,
    panel: JudgePanel,
    template: PromptTemplate,
    not_run: Option<String>,
}

impl ModelGrader {
    fn new(options: OpenaiModelGrader) -> Result<Self, BuildError> {
        if options.grader.is_null() {
            return Err(option_error(
                "`grader` is missing: the entry of `testing_criteria`, of type `label_model` or `score_model`",
            ));
        }
        let not_run = unreadable_content(&options.grader);
        let fields =
            GraderFields::deserialize(&options.grader).map_err(|error| option_error(format!("`grader`: {error}")))?;
        let mut messages = Vec::with_capacity(fields.input.len());
        for message in &fields.input {
            let role = message.get("role").and_then(Json::as_str).unwrap_or("user").to_owned();
            if let Some(text) = message.get("content").and_then(text_content) {
                messages.push((role, GraderTemplate::new(&text)?));
            }
        }
        if messages.is_empty() && not_run.is_none() {
            return Err(option_error("`grader.input` is a list of messages with `role` and `content`"));
        }
        let scale = Scale::new(&fields)?;
        let (form, schema) = scale.reply_form();
        Ok(Self {
            messages,
            form,
            panel: JudgePanel::new(options.judges, options.panel, options.schema.unwrap_or(true).then_some(schema))?,
            template: PromptTemplate::new(options.prompt.as_deref().unwrap_or(PROMPT), &["task", "form", "data"])?,
            scale,
            not_run,
        })
    }

    /// The messages of the grader as the task of a judge, and the texts that they speak of, quoted.
    fn task(&self, sample: Sample<'_>) -> Result<(String, QuotedTexts), ScoreError> {
        let (mut task, mut data) = (String::new(), QuotedTexts::default());
        let mut known: Vec<&str> = Vec::new();
        for (role, template) in &self.messages {
            task.push_str(&format!("{}[{role}]\n", if task.is_empty() { "" } else { "\n\n" }));
            for piece in template.pieces() {
                match piece {
                    TemplatePiece::Text(text) => task.push_str(text),
                    TemplatePiece::Name(name) => {
                        if !known.contains(&name.as_str()) {
                            data.add_block(name, &value(sample, name)?);
                            known.push(name);
                        }
                        task.push_str(&format!("<the text `{name}` below>"));
                    }
                }
            }
        }
        if known.is_empty() {
            data.add_block("sample.output_text", sample.response()?);
        }
        Ok((task, data))
    }

    fn outcome(&self, seats: &[JudgeReplies<ReasonedVerdict<Verdict>>]) -> Result<Outcome, ScoreError> {
        let tally = self.panel.tally(seats, |verdict| (self.scale.shown(verdict), self.scale.value(verdict)))?;
        let PanelVerdict { value, is_tied } = tally.verdict;
        let mut score = with_judge_parts(Score::from_number(value)?, &tally.values)?;
        if let Scale::Numbers { least, most, .. } = &self.scale {
            score = score.with_part("score", least + value * (most - least))?;
        }
        let label = if is_tied { Some(Cow::Borrowed(UNSURE)) } else { self.scale.label(value, seats) };
        Ok(match label {
            Some(label) => score.labelled(label),
            None => score,
        }
        .because(tally.evidence)
        .into())
    }
}

impl Scale {
    fn new(fields: &GraderFields) -> Result<Self, BuildError> {
        match fields.kind.as_str() {
            "label_model" => {
                let is_known = |label: &String| fields.labels.contains(label);
                if fields.labels.len() < 2 || fields.passing_labels.is_empty() {
                    return Err(option_error("`grader` needs two or more `labels`, and `passing_labels` among them"));
                }
                if let Some(unknown) = fields.passing_labels.iter().find(|label| !is_known(label)) {
                    return Err(option_error(format!("the passing label `{unknown}` is none of the labels")));
                }
                Ok(Self::Labels { labels: fields.labels.clone(), passing: fields.passing_labels.clone() })
            }
            "score_model" => {
                let [least, most] = fields.range.unwrap_or([0.0, 1.0]);
                if !(least < most && (most - least).is_finite()) {
                    return Err(option_error("`grader.range` is a list of two numbers, the smaller one first"));
                }
                Ok(Self::Numbers { least, most, threshold: fields.pass_threshold })
            }
            other => {
                Err(option_error(format!("a grader of type `{other}` asks no model: use the metric `openai_grader`")))
            }
        }
    }

    /// How a judge is to reply: in words, and as a schema.
    fn reply_form(&self) -> (String, Json) {
        let (words, key, property) = match self {
            Self::Labels { labels, .. } => {
                let named: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
                let words = format!("\"label\": one of {}", named.join(", "));
                (words, "label", json!({"type": "string", "enum": labels}))
            }
            Self::Numbers { least, most, .. } => {
                (format!("\"score\": a number from {least} to {most}"), "score", json!({"type": "number"}))
            }
        };
        let form =
            format!("Reply with one JSON object and nothing else: {{\"reason\": \"one or two sentences\", {words}}}.");
        let schema = json!({
            "type": "object",
            "properties": {"reason": {"type": "string"}, key: property},
            "required": ["reason", key],
            "additionalProperties": false,
        });
        (form, schema)
    }

    fn read(&self, reply: &JudgeReply<'_>) -> Result<ReasonedVerdict<Verdict>, String> {
        let key = if matches!(self, Self::Labels { .. }) { "label" } else { "score" };
        ReasonedVerdict::read(reply, key, |object| match self {
            Self::Labels { labels, .. } => {
                let name = text_field(object, "label")?.trim();
                let place = labels.iter().position(|label| label == name);
                let place = place.or_else(|| labels.iter().position(|label| label.eq_ignore_ascii_case(name)));
                Ok(Verdict::Label(place.ok_or_else(|| "`label` is none of the labels".to_owned())?))
            }
            Self::Numbers { .. } => Ok(Verdict::Number(number_field(object, "score")?)),
        })
    }

    /// From 0 to 1: whether a label passes, or where a number lies in its range. A number outside of it is cut to it.
    fn value(&self, verdict: &Verdict) -> f64 {
        match (self, verdict) {
            (Self::Labels { labels, passing }, Verdict::Label(place)) => {
                f64::from(labels.get(*place).is_some_and(|label| passing.contains(label)))
            }
            (Self::Numbers { least, most, .. }, Verdict::Number(number)) => {
                (number.clamp(*least, *most) - least) / (most - least)
            }
            _ => 0.0,
        }
    }

    fn shown(&self, verdict: &Verdict) -> String {
        match (self, verdict) {
            (Self::Labels { labels, .. }, Verdict::Label(place)) => labels.get(*place).cloned().unwrap_or_default(),
            (_, Verdict::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// The label of all judges where they agree; else, and for numbers, whether the value passes.
    fn label(&self, value: f64, seats: &[JudgeReplies<ReasonedVerdict<Verdict>>]) -> Option<Cow<'static, str>> {
        let word = |is_passed: bool| Cow::Borrowed(if is_passed { "pass" } else { "fail" });
        match self {
            Self::Labels { .. } => {
                let mut given = seats.iter().filter_map(|seat| seat.verdicts.first()?.as_ref().ok());
                Some(match given.next() {
                    Some(first) if given.all(|other| other == first) => Cow::Owned(self.shown(&first.verdict)),
                    _ => word(value >= 0.5),
                })
            }
            Self::Numbers { least, most, threshold } => {
                threshold.map(|threshold| word(least + value * (most - least) >= threshold))
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    /// The place of the label in the list.
    Label(usize),
    Number(f64),
}

impl Judge for ModelGrader {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        if let Some(reason) = &self.not_run {
            return Err(ScoreError::other(ErrorKind::NotRun, reason.clone()));
        }
        let (task, data) = self.task(sample)?;
        let messages = |_| self.template.messages(&[("task", &task), ("form", &self.form), ("data", data.text())]);
        match self.panel.advance(answers, 1, &messages, &|_, reply| self.scale.read(reply), &all_agree)? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => Ok(JudgeAction::Done(self.outcome(&seats)?)),
        }
    }
}
