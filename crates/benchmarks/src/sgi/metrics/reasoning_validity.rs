//! How valid the reasoning behind an answer about an experiment is, by a judge that sees its images.

use probare_core::{
    BackendAnswer, BuildError, ChatRequest, ErrorKind, Judge, JudgeAction, MessagePart, Parameters, Profile, Role,
    Sample, Score, ScoreError, metric,
};
use probare_metrics::judges::prompting::{PromptTemplate, QuotedTexts, TextPlaces, judge_evidence};
use probare_text::python::{float, is_decimal, strip};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::extraction::replies::{ReplyParseOptions, UNREADABLE, reply_object, reply_text};
use super::reasoning::{CasePictures, options_text};

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/reasoning.txt");

const FORM: &str = "Reply with one number from 0 to 10 and nothing else.";

const JSON_FORM: &str = "Reply with one JSON object and nothing else: {\"score\": a number from 0 to 10, \"reason\": \"why, in one sentence\"}.";

/// Places of the prompt.
const PLACES: TextPlaces<'_> =
    TextPlaces { known: &["question", "options", "reference_steps", "solution"], needed: &["solution"] };

/// Options of `reasoning_validity`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReasoningValidity {
    /// Which definition: the published score (the first number of the reply, without a limit), or a JSON object with a number from 0
    /// to 10, and an error where there is none.
    pub profile: Profile,
    /// The name of the model that judges; the judge of the run if absent.
    pub judges: Vec<String>,
    /// Send no pictures, for judges that read text alone. The label then says that the judge saw none: it is not the official score.
    pub text_only: bool,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
}

metric!(ReasoningValidity as Judge {
    summary: "How valid the reasoning behind an answer about an experiment is, by a judge that sees its images",
    range: (0.0, f64::INFINITY),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: ValidityJudge::new,
    since: "0.4",
    version: 1,
    page: "reasoning_validity.md",
});

/// The label of a score whose judge saw no pictures, though there are some.
pub const NO_PICTURES: &str = "judge saw no pictures";

struct ValidityJudge {
    profile: Profile,
    text_only: bool,
    template: PromptTemplate,
}

impl ValidityJudge {
    fn new(options: ReasoningValidity) -> Result<Self, BuildError> {
        // The judges of the options are found by whoever asks.
        let ReasoningValidity { profile, text_only, prompt, judges: _ } = options;
        let template = PromptTemplate::with_places(prompt.as_deref().unwrap_or(PROMPT), &["form", "data"], PLACES)?;
        Ok(Self { profile, text_only, template })
    }

    fn is_careful(&self) -> bool {
        self.profile == Profile::Improved
    }

    fn question(&self, sample: Sample<'_>) -> Result<ChatRequest, ScoreError> {
        let metadata = &sample.case.metadata;
        let texts = |name: &str| -> Vec<&str> {
            metadata.get(name).and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
        };
        let question =
            metadata.get("question").and_then(Json::as_str).or(sample.case.query.as_deref()).unwrap_or_default();
        let options = options_text(&texts("options"));
        let steps: Vec<String> =
            texts("steps").iter().zip(1..).map(|(step, number)| format!("{number}. {step}")).collect();
        let (steps, solution) = (steps.join("\n"), sample.response()?);
        let mut data = QuotedTexts::default();
        data.add_block("question", question)
            .add_block("options", &options)
            .add_block("reference steps", &steps)
            .add_block("solution", solution);
        let mut messages = self.template.messages(&[
            ("form", if self.is_careful() { JSON_FORM } else { FORM }),
            ("data", data.text()),
            ("question", question),
            ("options", &options),
            ("reference_steps", &steps),
            ("solution", solution),
        ]);
        if !self.text_only
            && let Some(last) = messages.iter_mut().rfind(|message| message.role == Role::User)
        {
            for path in pictures(sample)? {
                last.parts.push(MessagePart::Image(read_picture(sample, path)?));
            }
        }
        let parameters = Parameters { temperature: Some(0.0), ..Parameters::default() };
        Ok(ChatRequest { messages, parameters, seat: 0, attempt: 0, coded: false })
    }

    /// The validity; nothing where the reply holds none.
    fn read(&self, reply: &str) -> Option<f64> {
        if !self.is_careful() {
            return published_validity(reply);
        }
        let options = ReplyParseOptions { accepts_constants: true, ..ReplyParseOptions::default() };
        let score = reply_object(reply, options)?.get("score").and_then(Json::as_f64)?;
        (0.0..=10.0).contains(&score).then_some(score / 10.0)
    }
}

/// The first run of decimal digits of the reply, by ten; nothing where there is none. Signs and fractions are no part of it, and nothing
/// limits it.
pub fn published_validity(reply: &str) -> Option<f64> {
    let reply = strip(reply);
    let start = reply.find(is_decimal)?;
    let digits = reply[start..].split(|sign: char| !is_decimal(sign)).next().unwrap_or_default();
    float(digits).filter(|number| number.is_finite()).map(|number| number / 10.0)
}

/// The paths of the pictures of a case.
fn pictures(sample: Sample<'_>) -> Result<Vec<&str>, ScoreError> {
    match sample.case.metadata.get("images") {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(paths)) => {
            let paths: Option<Vec<&str>> = paths.iter().map(Json::as_str).collect();
            paths.ok_or_else(|| ScoreError::other(ErrorKind::Failed, "`images` is not a list of paths".to_owned()))
        }
        Some(_) => Err(ScoreError::other(ErrorKind::Failed, "`images` is not a list of paths".to_owned())),
    }
}

fn read_picture(sample: Sample<'_>, path: &str) -> Result<probare_core::Image, ScoreError> {
    let failed = |reason: String| ScoreError::other(ErrorKind::Missing, reason);
    let source = CasePictures::from_run(sample).ok_or_else(|| {
        failed(format!(
            "the picture `{path}` is not at hand: `probare sgi` reads pictures, and `text_only` does without"
        ))
    })?;
    source.read(path).map_err(failed)
}

impl Judge for ValidityJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let Some(answer) = answers.first() else { return Ok(JudgeAction::Ask(vec![self.question(sample)?])) };
        let reply = reply_text(answer, self.profile)?;
        let is_blind = self.text_only && !pictures(sample)?.is_empty();
        let saw = if is_blind { "the judge saw no pictures" } else { "judge" };
        let score = match self.read(reply) {
            Some(value) => Score::from_number(value)?.because(vec![judge_evidence(saw.to_owned(), reply)]),
            None if self.is_careful() => {
                let reason = "the judge's reply holds no `score` from 0 to 10".to_owned();
                return Err(ScoreError::UnreadableReply { reason });
            }
            None => {
                let note = format!("{saw}: the reply holds no number, so it counts 0");
                Score::from_number(0.0)?.with_part(UNREADABLE, 1.0)?.because(vec![judge_evidence(note, reply)])
            }
        };
        let score = if is_blind { score.labelled(NO_PICTURES) } else { score };
        Ok(JudgeAction::Done(score.into()))
    }
}
