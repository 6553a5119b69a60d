//! Whether the answer to a research question is the right one, and how many steps on the way a judge calls correct.

use probare_core::{
    BackendAnswer, BuildError, ChatRequest, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Parameters,
    Profile, Sample, Score, ScoreError, metric,
};
use probare_metrics::bounded_evidence::{BoundedEvidence, truncate_for_note};
use probare_metrics::judges::prompting::{PromptTemplate, QuotedTexts, TextPlaces, judge_evidence};
use probare_text::python::{self, strip};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::extraction::answer::prediction;
use super::extraction::replies::{
    AnswerJudgment, JudgedStep, ReplyParseOptions, UNREADABLE, answer_judgment, official_step_accuracy, reply_list,
    reply_text, step_level_accuracy,
};
use super::upstream::Upstream;

/// The options with prompts and what is asked without them, for whoever takes their digest.
fn prompts(options: &Json) -> Vec<(&'static str, &'static str)> {
    let mut prompts = vec![("prompt", PROMPT), ("parser_prompt", PARSER_PROMPT)];
    if options.get("upstream").and_then(Json::as_str) == Some(Upstream::Official2026.name()) {
        prompts.push(("answer_prompt", ANSWER_PROMPT));
    }
    prompts
}

/// The prompt of the judge, unless another is given.
const PROMPT: &str = include_str!("prompts/steps.txt");

/// The prompt of the answer parser, unless another is given.
const PARSER_PROMPT: &str = include_str!("prompts/answer_parser.txt");

/// The prompt of the judge of whole answers, unless another is given.
pub(crate) const ANSWER_PROMPT: &str = include_str!("prompts/answer.txt");

const ANSWER_FORM: &str = "Reply with one JSON object and nothing else: {\"judge\": 1 for right or 0 for wrong, \"reason\": \"why, in one \
     sentence\"}.";

/// Places of the answer parser's prompt.
pub(super) const PARSER_PLACES: TextPlaces<'_> = TextPlaces { known: &["text"], needed: &["text"] };

/// Places of the prompt about steps.
const STEP_PLACES: TextPlaces<'_> = TextPlaces {
    known: &["question", "reference_steps", "reference_answer", "solution", "answer"],
    needed: &["solution"],
};

/// Places of the prompt about the whole answer.
const ANSWER_PLACES: TextPlaces<'_> = TextPlaces {
    known: &["question", "reference_answer", "answer", "parsed_answer"],
    needed: &["reference_answer", "answer"],
};

const FORM: &str = "Reply with one JSON list and nothing else: [{\"solution_step\": \"the step, in short\", \"reason\": \"why\", \
     \"judge\": \"correct\" or \"incorrect\"}, …], with every step once.";

/// Options of `deep_research`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DeepResearch {
    /// Which definition: `published` (the published scores) or `improved` (every flag below switched on, and no score where a judge's
    /// reply cannot be read).
    pub profile: Profile,
    /// Names of the models that are asked: the one that judges steps and, if there is a second, the one that brings the answer into
    /// form; else the first does both. The judges of the run if absent.
    pub judges: Vec<String>,
    /// Read bare `true`, `false` and `null` in a judge's list; the published reader voids such a reply.
    pub lenient_json_constants: Option<bool>,
    /// Take the last list of objects in a judge's reply; the published reader takes all from the first to the last bracket, so that a
    /// citation such as `[1]` voids the reply.
    pub last_list: Option<bool>,
    /// The judge's prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// The answer parser's prompt in place of ours.
    pub parser_prompt: Option<String>,
    /// The prompt of the judge of whole answers in place of ours; it is asked only with `upstream: official-2026`.
    pub answer_prompt: Option<String>,
    /// Which implementation is followed. `llmrouterbench` (default), or `official-2026`, which also asks the judge whether the answer as a
    /// whole is right (part `llm_judge`) and reads its list of steps more strictly.
    pub upstream: Upstream,
}

metric!(DeepResearch as Judge {
    summary: "Whether the answer to a research question is right, and how many of its steps a judge calls correct",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    profiles: [Published, Improved],
    prompts: prompts,
    prepare: ResearchJudge::new,
    since: "0.2",
    version: 2,
    page: "deep_research.md",
});

struct ResearchJudge {
    profile: Profile,
    judges: Vec<String>,
    reply_options: ReplyParseOptions,
    judge: PromptTemplate,
    parser: PromptTemplate,
    answer: PromptTemplate,
    upstream: Upstream,
}

impl ResearchJudge {
    fn new(options: DeepResearch) -> Result<Self, BuildError> {
        let fair = options.profile == Profile::Improved;
        Ok(Self {
            profile: options.profile,
            judges: options.judges,
            reply_options: ReplyParseOptions {
                accepts_constants: options.lenient_json_constants.unwrap_or(fair),
                takes_last: options.last_list.unwrap_or(fair),
            },
            judge: PromptTemplate::with_places(
                options.prompt.as_deref().unwrap_or(PROMPT),
                &["form", "data"],
                STEP_PLACES,
            )?,
            parser: PromptTemplate::with_places(
                options.parser_prompt.as_deref().unwrap_or(PARSER_PROMPT),
                &["type", "example", "data"],
                PARSER_PLACES,
            )?,
            answer: PromptTemplate::with_places(
                options.answer_prompt.as_deref().unwrap_or(ANSWER_PROMPT),
                &["form", "data"],
                ANSWER_PLACES,
            )?,
            upstream: options.upstream,
        })
    }

    fn questions(&self, sample: Sample<'_>, task: &Task<'_>) -> Result<Vec<ChatRequest>, ScoreError> {
        let response = sample.response()?;
        let mut text = QuotedTexts::default();
        text.add_block("text", task.prediction);
        let form = [("type", "text"), ("example", task.example), ("data", text.text()), ("text", task.prediction)];
        let answer_text = task.answer_text();
        let mut data = QuotedTexts::default();
        data.add_block("question", task.question)
            .add_block("reference steps", &task.steps)
            .add_block("reference answer", &answer_text)
            .add_block("solution", response)
            .add_block("final answer of the solution", task.prediction);
        let judged = [
            ("form", FORM),
            ("data", data.text()),
            ("question", task.question),
            ("reference_steps", &task.steps),
            ("reference_answer", &answer_text),
            ("solution", response),
            ("answer", task.prediction),
        ];
        Ok(vec![
            question(self.parser.messages(&form), usize::from(self.judges.len() > 1)),
            question(self.judge.messages(&judged), 0),
        ])
    }

    /// Asks whether the answer as a whole is right.
    fn answer_question(&self, task: &Task<'_>, parsed: &str) -> ChatRequest {
        let answer_text = task.answer_text();
        let mut data = QuotedTexts::default();
        data.add_block("question", task.question)
            .add_block("reference answer", &answer_text)
            .add_block("extracted answer", task.prediction)
            .add_block("answer of the parser", parsed);
        let judged = [
            ("form", ANSWER_FORM),
            ("data", data.text()),
            ("question", task.question),
            ("reference_answer", &answer_text),
            ("answer", task.prediction),
            ("parsed_answer", parsed),
        ];
        question(self.answer.messages(&judged), 0)
    }

    /// Whether the answer as a whole has to be judged: the official scripts ask nobody where it is right letter by letter.
    fn needs_answer_judge(&self, task: &Task<'_>, parser: &BackendAnswer) -> Option<ChatRequest> {
        if !self.upstream.is_official() || task.is_right(task.prediction) {
            return None;
        }
        // A parser that did not answer fails the sample; nothing more is asked.
        let parsed = strip(reply_text(parser, self.profile).ok()?);
        (!task.is_right(parsed)).then(|| self.answer_question(task, parsed))
    }

    /// What the judge of the whole answer said: 1 without a question where the answer is right letter by letter.
    fn answer_judgment(
        &self,
        exact: bool,
        reply: Option<&BackendAnswer>,
    ) -> Result<Result<AnswerJudgment, String>, ScoreError> {
        if exact {
            return Ok(Ok(AnswerJudgment { judge: 1.0, reason: "Exact match.".into() }));
        }
        let missing = || ScoreError::Internal { reason: "the answer as a whole was not judged".to_owned() };
        let text = reply_text(reply.ok_or_else(missing)?, self.profile)?;
        let judgment = answer_judgment(text);
        if self.profile != Profile::Improved {
            return Ok(judgment);
        }
        match judgment {
            Ok(judgment) if judgment.judge == 0.0 || judgment.judge == 1.0 => Ok(Ok(judgment)),
            Ok(other) => Err(ScoreError::UnreadableReply {
                reason: format!("the judge says {} of the answer, where 0 or 1 is expected", other.judge),
            }),
            Err(reason) => Err(ScoreError::UnreadableReply { reason }),
        }
    }

    /// The list of steps by the implementation that is followed.
    fn steps(&self, judged: &str) -> Option<(f64, Vec<JudgedStep>)> {
        if self.upstream.is_official() && self.profile != Profile::Improved {
            official_step_accuracy(judged)
        } else {
            step_level_accuracy(judged, self.reply_options)
        }
    }

    fn outcome(&self, sample: Sample<'_>, task: &Task<'_>, answers: &[BackendAnswer]) -> Result<Outcome, ScoreError> {
        let (parser, judge, whole) = match answers {
            [parser, judge] => (parser, judge, None),
            [parser, judge, whole] => (parser, judge, Some(whole)),
            other => {
                let reason = format!("two or three answers are expected, {} came", other.len());
                return Err(ScoreError::Internal { reason });
            }
        };
        let parsed = reply_text(parser, self.profile).map(|text| strip(text).to_owned());
        // Without its reply nobody knows; what the answer alone shows is enough where it is right.
        if !task.is_right(task.prediction) {
            parsed.as_ref().map_err(ScoreError::clone)?;
        }
        let judged = reply_text(judge, self.profile)?;
        let mut evidence = BoundedEvidence::default();
        let exact = task.is_right(task.prediction) || parsed.as_deref().is_ok_and(|parsed| task.is_right(parsed));
        task.note_answer(sample, exact, &parsed, &mut evidence);
        let other = ReplyParseOptions {
            accepts_constants: !self.reply_options.accepts_constants,
            takes_last: !self.reply_options.takes_last,
        };
        let (steps, fair) = (self.steps(judged), step_level_accuracy(judged, other));
        if self.profile == Profile::Improved && steps.is_none() {
            return Err(ScoreError::UnreadableReply { reason: "the judge's reply holds no list of steps".to_owned() });
        }
        note_steps(steps.as_ref().map(|(_, steps)| steps.as_slice()), judged, &mut evidence);
        let accuracy = steps.as_ref().map_or(0.0, |(accuracy, _)| *accuracy);
        let mut score = Score::from_bool(exact)
            .with_part("exact_match", f64::from(u8::from(exact)))?
            .with_part("step_level_acc", accuracy)?;
        if self.upstream.is_official() {
            let routed = step_level_accuracy(judged, self.reply_options).map_or(0.0, |(accuracy, _)| accuracy);
            if (routed - accuracy).abs() > 1e-12 {
                score = score.with_part("step_level_acc_llmrouterbench", routed)?;
            }
        }
        let whole = self.upstream.is_official().then(|| self.answer_judgment(exact, whole)).transpose()?;
        if let Some(judgment) = &whole {
            score = add_answer_judgment(score, judgment, &mut evidence)?;
        }
        let unreadable = u8::from(steps.is_none()) + u8::from(matches!(whole, Some(Err(_))));
        if unreadable > 0 {
            score = score.with_part(UNREADABLE, f64::from(unreadable))?;
        }
        let fair = fair.map_or(0.0, |(accuracy, _)| accuracy);
        if (fair - accuracy).abs() > 1e-12 {
            let name =
                if self.profile == Profile::Improved { "step_level_acc_published" } else { "step_level_acc_improved" };
            score = score.with_part(name, fair)?;
            evidence.push(|| Evidence::note(format!(
                "as the other profile reads the judge's reply (constants, citations in brackets), the share of correct steps is {fair:.4}"
            )));
        }
        let record = PublishedResearch {
            parsed: parsed.ok(),
            judge: Some(judged.to_owned()),
            prediction: task.prediction.to_owned(),
            official: whole.map(|judgment| OfficialReplies {
                steps: official_step_accuracy(judged).and(reply_list(judged, ReplyParseOptions::default())),
                reason: judgment
                    .map_or_else(|reason| format!("Judge error: {reason}").into(), |judgment| judgment.reason),
            }),
        };
        let _ = sample.cached(PUBLISHED, || Some(record));
        let label = if exact { "right" } else { "wrong" };
        Ok(score.labelled(label).because(evidence.finish()).into())
    }
}

/// What the judge said of every step.
fn note_steps(steps: Option<&[JudgedStep]>, judged: &str, evidence: &mut BoundedEvidence) {
    let Some(steps) = steps else {
        return evidence.push(|| judge_evidence("judge: unreadable, so its steps count 0".to_owned(), judged));
    };
    for step in steps {
        let verdict = if step.is_correct { "correct" } else { "incorrect" };
        evidence.push(|| judge_evidence(format!("judge: {verdict}: {}", truncate_for_note(&step.step)), &step.reason));
    }
}

/// What the judge said of the whole answer, or why its reply cannot be read.
fn add_answer_judgment(
    score: Score,
    judgment: &Result<AnswerJudgment, String>,
    evidence: &mut BoundedEvidence,
) -> Result<Score, ScoreError> {
    match judgment {
        Ok(judgment) => {
            evidence.push(|| {
                let verdict = if judgment.judge == 1.0 { "right" } else { "not right" };
                judge_evidence(format!("judge of the whole answer: {verdict}"), &reason_text(&judgment.reason))
            });
            score.with_part("llm_judge", judgment.judge)
        }
        Err(reason) => {
            evidence
                .push(|| judge_evidence("judge of the whole answer: unreadable, so it counts 0".to_owned(), reason));
            score.with_part("llm_judge", 0.0)
        }
    }
}

/// Key of what is published of a case.
const PUBLISHED: u64 = 0x5347_4944;

/// What the published record holds beyond scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedResearch {
    /// What the answer parser made of the answer.
    pub parsed: Option<String>,
    /// What the judge said.
    pub judge: Option<String>,
    /// The answer that was compared.
    pub prediction: String,
    /// What the official scripts of 2026 publish beside it, where they are followed.
    pub official: Option<OfficialReplies>,
}

/// What the official scripts of 2026 publish of a judge's replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfficialReplies {
    /// The judged steps (`step_llm_judge`); nothing where they could not be read.
    pub steps: Option<Vec<Json>>,
    /// Why the answer as a whole is right or not (`llm_judge_reason`).
    pub reason: Json,
}

/// A reason as text, whatever the judge wrote there.
fn reason_text(reason: &Json) -> String {
    reason.as_str().map_or_else(|| reason.to_string(), str::to_owned)
}

/// A question that is asked as coolly as can be.
pub(super) fn question(messages: Vec<probare_core::Message>, seat: usize) -> ChatRequest {
    let parameters = Parameters { temperature: Some(0.0), ..Parameters::default() };
    ChatRequest { messages, parameters, seat, attempt: 0, coded: false }
}

/// What is published of a case that was scored just now; nothing of one that was scored before.
pub fn published_record(sample: Sample<'_>) -> std::rc::Rc<Option<PublishedResearch>> {
    sample.cached(PUBLISHED, || None)
}

/// The task of a case.
struct Task<'a> {
    question: &'a str,
    answer: &'a Json,
    steps: String,
    span: std::ops::Range<usize>,
    prediction: &'a str,
    example: &'static str,
}

/// Examples by the kind of the right answer; the answer itself is never shown to the parser.
const EXAMPLES: [&str; 2] = ["0.25", "T cell and B cell"];

/// The example of the form that a right answer has: a number where Python's `float` takes it.
pub fn parser_example(answer: &Json) -> &'static str {
    let is_number = match answer {
        Json::String(text) => python::float(text).is_some(),
        Json::Number(_) | Json::Bool(_) => true,
        _ => false,
    };
    EXAMPLES[usize::from(!is_number)]
}

impl<'a> Task<'a> {
    fn new(sample: Sample<'a>, first: &'a Json) -> Result<Self, ScoreError> {
        let metadata = &sample.case.metadata;
        let answer = metadata.get("answer").unwrap_or(first);
        let steps = match metadata.get("steps") {
            None | Some(Json::Null) => String::new(),
            Some(Json::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(Json::as_str).collect();
                let reason =
                    "`steps` holds something that is not text; the published scorer fails on it too".to_owned();
                texts.ok_or(ScoreError::other(probare_core::ErrorKind::Failed, reason))?.join("\n")
            }
            Some(other) => python::PyValue::from(other).to_text(),
        };
        let question =
            metadata.get("question").and_then(Json::as_str).or(sample.case.query.as_deref()).unwrap_or_default();
        let (span, prediction) = prediction(sample.response()?);
        Ok(Self { question, answer, steps, span, prediction, example: parser_example(answer) })
    }

    /// Letter by letter: no trimming, no case, no arithmetic.
    fn is_right(&self, given: &str) -> bool {
        self.answer.as_str() == Some(given)
    }

    /// Whether the answer is right, and what the parser made of it.
    fn note_answer(
        &self,
        sample: Sample<'_>,
        exact: bool,
        parsed: &Result<String, ScoreError>,
        evidence: &mut BoundedEvidence,
    ) {
        evidence.push(|| {
            let kind = if exact { EvidenceKind::Matched } else { EvidenceKind::Compared };
            Evidence::at(kind, Field::Response, self.span.clone(), sample.response().unwrap_or_default())
                .with_note(format!("{} {}", if exact { "equals" } else { "is not" }, self.shown_answer()))
        });
        evidence.push(|| match parsed {
            Ok(parsed) => judge_evidence("answer parser: the answer in the form of the reference".to_owned(), parsed),
            Err(error) => judge_evidence(
                "answer parser: no reply, and none is needed: the answer as it stands is right".to_owned(),
                &error.to_string(),
            ),
        });
    }

    fn answer_text(&self) -> String {
        python::PyValue::from(self.answer).to_text()
    }

    fn shown_answer(&self) -> String {
        match self.answer {
            Json::String(text) => format!("the reference answer {}", python::repr_str(&truncate_for_note(text))),
            other => format!("the reference answer, which is {other} and no text: it equals nothing"),
        }
    }
}

impl Judge for ResearchJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let first = sample.case.reference.as_ref().and_then(|list| list.first());
        if first.is_none() && !sample.case.metadata.contains_key("answer") {
            return Ok(JudgeAction::Done(Outcome::not_applicable(
                "the case has neither a reference nor `metadata.answer`",
            )));
        }
        let first = first.map_or(Json::Null, |text| Json::String(text.clone()));
        let task = Task::new(sample, &first)?;
        if answers.is_empty() {
            return Ok(JudgeAction::Ask(self.questions(sample, &task)?));
        }
        if let [parser, judge] = answers
            && reply_text(judge, self.profile).is_ok()
            && let Some(question) = self.needs_answer_judge(&task, parser)
        {
            return Ok(JudgeAction::Ask(vec![question]));
        }
        Ok(JudgeAction::Done(self.outcome(sample, &task, answers)?))
    }
}
