//! The assertions of a promptfoo test of which a model decides some: `llm-rubric` and the like, asked of the judges of the run.

use std::collections::BTreeSet;
use std::sync::Arc;

use probare_core::{
    BackendAnswer, BuildError, Evidence, Judge, JudgeAction, Outcome, Sample, ScoreError, Scorer, UNSURE, metric,
};
use probare_promptfoo::{
    Answer, Assertion, AssertionResult, Fault, TypeSupport, Verdict, expected_texts, js, type_support,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::judges::prompting::{
    JudgePanel, JudgeReplies, JudgeReply, PanelOptions, PanelProgress, PromptTemplate, QuotedTexts, bool_field,
    judge_evidence, number_field, read_verdict, text_field,
};
use crate::text::promptfoo_test::{PromptfooTest, ScriptCalls, TestScripts, judged_output, read_options};

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/promptfoo_judged_test.txt");

/// Score from which on `g-eval` passes where no threshold is given, as in promptfoo.
const G_EVAL_THRESHOLD: f64 = 0.7;

/// Options of `promptfoo_judged_test`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptfooJudgedTest {
    /// Assertions of every case, as promptfoo writes them: `{type: llm-rubric, value: is polite}`. Those of the case
    /// (`metadata.promptfoo.assert`) come behind them.
    pub assert: Vec<Json>,
    /// Score from which on a test passes, whatever its assertions say; that of the case wins.
    pub threshold: Option<f64>,
    /// Name of a `metric`: the value is then its score rather than that of the test.
    pub metric: Option<String>,
    /// Functions that the model could call, for `is-valid-function-call`.
    pub functions: Option<Json>,
    /// Tools that the model could call, for `is-valid-openai-tools-call`; those of the case where absent.
    pub tools: Option<Json>,
    /// Model whose vectors `similar` compares: `all-MiniLM-L6-v2`, computed on this machine, or `provider:model`.
    pub embedding: Option<String>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(PromptfooJudgedTest as Judge {
    summary: "The score of a promptfoo test with assertions that a model decides, asked of the judges of the run",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: JudgedTest::new,
    since: "0.4",
    version: 1,
    page: "promptfoo_judged_test.md",
});

/// The metric with code of the user's own.
pub fn with_scripts(options: Json, scripts: Arc<dyn TestScripts>) -> Result<Scorer, BuildError> {
    Ok(Scorer::Judge(Box::new(JudgedTest { scripts: Some(scripts), ..JudgedTest::new(read_options(options)?)? })))
}

struct JudgedTest {
    test: PromptfooTest,
    embedding: Option<String>,
    scripts: Option<Arc<dyn TestScripts>>,
    panel: JudgePanel,
    template: PromptTemplate,
}

/// What a judge says about one question.
#[derive(Debug, Clone)]
struct JudgeGrade {
    pass: bool,
    score: f64,
    reason: String,
}

/// Two grades are the same where their verdicts are, whatever the words.
impl PartialEq for JudgeGrade {
    fn eq(&self, other: &Self) -> bool {
        self.pass == other.pass && self.score == other.score
    }
}

/// How the verdict of an assertion comes from what a judge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VerdictRule {
    /// Both count: `llm-rubric`.
    PassAndScore,
    /// Whether it passes: `model-graded-closedqa`, `factuality`.
    Pass,
    /// The score and the threshold: `g-eval`.
    Score,
}

/// One question to every judge.
struct Question {
    task: String,
    /// What the response is held against, to be quoted.
    expected: Option<String>,
}

/// An assertion that a model decides.
struct JudgedAssertion {
    name: String,
    metric: Option<String>,
    rule: VerdictRule,
    negated: bool,
    threshold: Option<f64>,
    is_forced: bool,
    questions: Vec<Question>,
}

impl JudgedAssertion {
    /// The questions of an assertion; nothing where no model decides it.
    fn new(assertion: &Assertion) -> Option<Result<Self, Fault>> {
        let stopped = ["not_run", "template_error"].iter().any(|key| assertion.options.contains_key(*key));
        if stopped || type_support(&assertion.kind) != TypeSupport::Judged {
            return None;
        }
        if ["script", "transform_script"].iter().any(|key| assertion.options.contains_key(*key)) {
            return Some(Err(Fault::NotRun("takes code to ask a model, which is not done here".to_owned())));
        }
        let texts: Vec<String> = match &assertion.value {
            Some(Json::Array(items)) if assertion.kind == "g-eval" => items.iter().map(js::text).collect(),
            Some(value @ (Json::Array(_) | Json::Object(_))) => vec![js::json(value, 0)],
            Some(value) if !value.is_null() => vec![js::text(value)],
            _ => Vec::new(),
        };
        if texts.is_empty() || texts.iter().any(|text| js::trim(text).is_empty()) {
            let reason = format!("`{}` needs a text that says what is judged", assertion.name());
            return Some(Err(Fault::Error(reason)));
        }
        let (rule, ask): (_, fn(String) -> Question) = match assertion.kind.as_str() {
            "llm-rubric" => (VerdictRule::PassAndScore, |rubric| Question {
                task: format!(
                    "`pass` says whether the response meets the rubric, `score` how well. The rubric: {rubric}"
                ),
                expected: None,
            }),
            "model-graded-closedqa" => (VerdictRule::Pass, |criterion| Question {
                task: format!(
                    "`pass` says whether the response meets the criterion; `score` is 1 if it does, else 0. The criterion: \
                     {criterion}"
                ),
                expected: None,
            }),
            "g-eval" => (VerdictRule::Score, |criteria| Question {
                task: format!(
                    "`score` says how well the response meets the criteria, from 0 (not at all) to 1 (fully); `pass` is true \
                     where it does so on the whole. The criteria: {criteria}"
                ),
                expected: None,
            }),
            _ => (VerdictRule::Pass, |expected| {
                Question {
                task: "Compare the facts of the response with those of the expert answer, and with those alone. `pass` is false \
                       where the response contradicts the expert answer; it is true where it says the same, less, or more, or \
                       differs only in what does not matter to the facts. `score` is 1 if it passes, else 0."
                    .to_owned(),
                expected: Some(expected),
            }
            }),
        };
        Some(Ok(Self {
            name: assertion.name(),
            metric: assertion.options.get("metric").and_then(Json::as_str).map(str::to_owned),
            rule,
            negated: assertion.negated,
            threshold: assertion.threshold(),
            is_forced: assertion.weight() == 0.0,
            questions: texts.into_iter().map(ask).collect(),
        }))
    }

    /// The verdict where the judges say this.
    fn verdict(&self, pass: bool, score: f64) -> Verdict {
        let (pass, score) = match self.rule {
            VerdictRule::PassAndScore => (pass && self.threshold.is_none_or(|threshold| score >= threshold), score),
            VerdictRule::Pass => (pass, f64::from(u8::from(pass))),
            VerdictRule::Score => (score >= self.threshold.unwrap_or(G_EVAL_THRESHOLD), score),
        };
        let (pass, score) = if self.negated { (!pass, 1.0 - score) } else { (pass, score) };
        Verdict { pass: pass || self.is_forced, score, reason: None, found: None }
    }
}

impl JudgedTest {
    fn new(options: PromptfooJudgedTest) -> Result<Self, BuildError> {
        let schema = json!({
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "pass": {"type": "boolean"},
                "score": {"type": "number"},
            },
            "required": ["reason", "pass", "score"],
            "additionalProperties": false,
        });
        let schema = options.schema.unwrap_or(true).then_some(schema);
        let PromptfooJudgedTest { assert, threshold, metric, functions, tools, embedding, .. } = options;
        for entry in &assert {
            Assertion::from_json(entry).map_err(BuildError::Options)?;
        }
        Ok(Self {
            test: PromptfooTest { assert, threshold, metric, functions, tools },
            embedding,
            scripts: None,
            panel: JudgePanel::new(options.judges, options.panel, schema)?,
            template: PromptTemplate::new(options.prompt.as_deref().unwrap_or(PROMPT), &["task", "data"])?,
        })
    }

    fn calls<'a>(&'a self, sample: &Sample<'a>) -> ScriptCalls<'a> {
        ScriptCalls::new(*sample, self.scripts.as_deref())
    }

    /// The texts of a sample whose vectors `similar` compares, each once; none where no model of vectors is named.
    fn embedded_texts(&self, sample: &Sample<'_>, output: &str) -> Result<Vec<String>, ScoreError> {
        let mut found = BTreeSet::new();
        if self.embedding.is_none() {
            return Ok(Vec::new());
        }
        self.test.grade(sample, &self.calls(sample), &mut |assertion, _| {
            if is_embedded(assertion)
                && let Some(texts) = expected_texts(assertion)
            {
                found.extend(texts.into_iter().map(str::to_owned));
                found.insert(output.to_owned());
            }
            Ok(Verdict { pass: true, score: 0.0, reason: None, found: None })
        })?;
        Ok(found.into_iter().collect())
    }

    /// The assertions of a sample that a model decides, in order. What can be computed is: where promptfoo throws, or where
    /// something cannot be run, nobody is asked.
    fn judged_assertions(&self, sample: &Sample<'_>) -> Result<Vec<JudgedAssertion>, ScoreError> {
        let mut found = Vec::new();
        let calls = self.calls(sample);
        self.test.grade(sample, &calls, &mut |assertion, answer| match JudgedAssertion::new(assertion) {
            // Its vectors are asked for once everything else is known to be decided.
            None if is_embedded(assertion) && self.embedding.is_some() => {
                Ok(Verdict { pass: true, score: 0.0, reason: None, found: None })
            }
            None => calls.decide(assertion, answer),
            Some(Err(fault)) => Err(fault),
            Some(Ok(judged)) => {
                found.push(judged);
                Ok(Verdict { pass: true, score: 0.0, reason: None, found: None })
            }
        })?;
        Ok(found)
    }

    fn outcome(
        &self,
        sample: &Sample<'_>,
        judged: &[JudgedAssertion],
        seats: &[JudgeReplies<JudgeGrade>],
        vectors: &Map<String, Json>,
    ) -> Result<Outcome, ScoreError> {
        let (mut verdicts, mut evidence, mut is_tied) = (Vec::new(), Vec::new(), false);
        let mut place = 0;
        for assertion in judged {
            let (mut pass, mut score) = (true, 0.0);
            for _ in &assertion.questions {
                let seat_verdicts = || seats.iter().map(|seat| seat.verdicts.get(place)).enumerate();
                let is_shown = self.test.metric.is_none() || self.test.metric == assertion.metric;
                for (seat, verdict) in seat_verdicts().filter(|_| is_shown) {
                    let name = self.panel.name(seat);
                    evidence.extend(verdict.map(|verdict| reply_evidence(&assertion.name, &name, verdict)));
                }
                let values = |value: fn(&JudgeGrade) -> f64| -> Vec<Result<f64, ScoreError>> {
                    let given = seat_verdicts().filter_map(|(_, verdict)| verdict);
                    given.map(|verdict| verdict.as_ref().map(value).map_err(ScoreError::clone)).collect()
                };
                let passes = self.panel.vote(&values(|grade| f64::from(u8::from(grade.pass))))?;
                let scores = self.panel.vote(&values(|grade| grade.score))?;
                is_tied |= if assertion.rule == VerdictRule::Score { scores.is_tied } else { passes.is_tied };
                pass &= passes.value > 0.5;
                score += scores.value;
                place += 1;
            }
            verdicts.push(assertion.verdict(pass, score / assertion.questions.len() as f64));
        }
        let mut verdicts = verdicts.into_iter();
        let mut calls = self.calls(sample);
        calls.vectors = self.embedding.is_some().then(|| vectors.clone());
        let mut next = |assertion: &Assertion, answer: &Answer<'_>| -> AssertionResult {
            if JudgedAssertion::new(assertion).is_none() {
                return calls.decide(assertion, answer);
            }
            verdicts.next().ok_or_else(|| Fault::Error("an assertion was not asked about".to_owned()))
        };
        let grade = self.test.grade(sample, &calls, &mut next)?;
        let mut outcome = self.test.outcome(&grade, sample.response()?, evidence)?;
        // Judges that contradict each other decide nothing.
        if let Outcome::Scored(score) = &mut outcome
            && is_tied
            && score.label.is_some()
        {
            score.label = Some(UNSURE.into());
        }
        Ok(outcome)
    }
}

/// What a judge said to one question.
fn reply_evidence(assertion: &str, judge: &str, judged: &Result<JudgeGrade, ScoreError>) -> Evidence {
    match judged {
        Ok(grade) => {
            let word = if grade.pass { "pass" } else { "fail" };
            let note = format!("{assertion}, {judge}: {word} with {}", js::number_text(grade.score));
            judge_evidence(note, &grade.reason)
        }
        Err(error) => judge_evidence(format!("{assertion}, {judge}: no verdict"), &error.to_string()),
    }
}

fn read(reply: &JudgeReply<'_>) -> Result<JudgeGrade, String> {
    read_verdict(reply, "pass", &|object| {
        let score = number_field(object, "score")?;
        if !(0.0..=1.0).contains(&score) {
            return Err("`score` is not between 0 and 1".to_owned());
        }
        let reason = text_field(object, "reason").unwrap_or_default().to_owned();
        Ok(JudgeGrade { pass: bool_field(object, "pass")?, score, reason })
    })
}

impl Judge for JudgedTest {
    fn embedding_model(&self) -> Option<&str> {
        self.embedding.as_deref()
    }

    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let judged = self.judged_assertions(&sample)?;
        let output = judged_output(&sample, &self.calls(&sample))?;
        let response = output.as_str().map_or_else(|| js::json(&output, 0), str::to_owned);
        let texts = self.embedded_texts(&sample, &response)?;
        if let (Some(model), true) = (&self.embedding, answers.len() < texts.len()) {
            return Ok(JudgeAction::Embed { model: model.clone(), texts });
        }
        let (given, answers) = answers.split_at(texts.len());
        let mut vectors = Map::new();
        for (text, answer) in texts.into_iter().zip(given) {
            vectors.insert(text, answer.vector()?.iter().map(|number| f64::from(*number)).collect());
        }
        let questions: Vec<&Question> = judged.iter().flat_map(|assertion| &assertion.questions).collect();
        if questions.is_empty() {
            return Ok(JudgeAction::Done(self.outcome(&sample, &judged, &[], &vectors)?));
        }
        let messages = |at: usize| {
            let mut data = QuotedTexts::default();
            data.add_case_fields(sample, false);
            let question = questions.get(at);
            if let Some(expected) = question.and_then(|question| question.expected.as_deref()) {
                data.add_block("expert answer", expected);
            }
            data.add_block("response", &response);
            let task = question.map_or("", |question| question.task.as_str());
            self.template.messages(&[("task", task), ("data", data.text())])
        };
        let agree = |seats: &[JudgeReplies<JudgeGrade>]| {
            (seats.iter()).all(|seat| seat.verdicts.iter().all(Result::is_ok)) && seats.windows(2).all(all_say_the_same)
        };
        match self.panel.advance(answers, questions.len(), &messages, &|_, reply| read(reply), &agree)? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => Ok(JudgeAction::Done(self.outcome(&sample, &judged, &seats, &vectors)?)),
        }
    }
}

/// Whether an assertion compares vectors.
fn is_embedded(assertion: &Assertion) -> bool {
    let stopped = ["not_run", "template_error", "script", "transform_script"];
    type_support(&assertion.kind) == TypeSupport::Embedded
        && !stopped.iter().any(|key| assertion.options.contains_key(*key))
}

/// Whether two judges said the same to every question.
fn all_say_the_same(seats: &[JudgeReplies<JudgeGrade>]) -> bool {
    let grades = |seat: &JudgeReplies<JudgeGrade>| -> Vec<JudgeGrade> {
        seat.verdicts.iter().filter_map(|verdict| verdict.as_ref().ok().cloned()).collect()
    };
    let [first, second] = seats else { return true };
    grades(first) == grades(second)
}
