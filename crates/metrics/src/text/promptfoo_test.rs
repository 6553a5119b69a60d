//! The assertions of a promptfoo test, with the verdict and score of the original.

use std::cell::RefCell;
use std::sync::Arc;

use probare_core::{
    BuildError, ErrorKind, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, Scorer, metric,
};
use probare_json_schema::SchemaChecker;
use probare_promptfoo::{
    Answer, Assertion, AssertionResult, Fault, Grade, GradeError, Part, SchemaValidator, TypeSupport, Verdict,
    grade_with, max_score, script_verdict, type_support,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::bounded_evidence::BoundedEvidence;

/// Where a case keeps its part of a test.
const KEY: &str = "promptfoo";

/// Options of `promptfoo_test`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptfooTest {
    /// Assertions of every case, as promptfoo writes them: `{type: contains, value: Paris}`. Those of the case
    /// (`metadata.promptfoo.assert`) come behind them.
    pub assert: Vec<Value>,
    /// Score from which on a test passes, whatever its assertions say; that of the case wins.
    pub threshold: Option<f64>,
    /// Name of a `metric`: the value is then its score rather than that of the test.
    pub metric: Option<String>,
    /// Functions that the model could call, for `is-valid-function-call`.
    pub functions: Option<Value>,
    /// Tools that the model could call, for `is-valid-openai-tools-call`; those of the case where absent.
    pub tools: Option<Value>,
}

metric!(PromptfooTest as Pure {
    summary: "The score of a promptfoo test: its assertions, weights and thresholds",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    prepare: prepare,
    since: "0.4",
    version: 1,
    page: "promptfoo_test.md",
});

fn prepare(options: PromptfooTest) -> Result<PromptfooTest, BuildError> {
    for entry in &options.assert {
        Assertion::from_json(entry).map_err(BuildError::Options)?;
    }
    Ok(options)
}

/// Checks schemas and counts the work.
struct Schemas;

impl SchemaValidator for Schemas {
    fn fits(&self, schema: &Value, value: &Value) -> Result<bool, String> {
        let checker = SchemaChecker::new(schema.clone(), Some(true))?;
        Ok(checker.violations(value)?.next().is_none())
    }
}

/// Code of the user's own that a test refers to by number. A case never brings code: it says which of the configuration's.
pub trait TestScripts: Send + Sync {
    /// What the code makes of an output.
    fn call(&self, number: u64, output: &Value, context: &Value) -> Result<Value, ScoreError>;
}

/// The metric with code of the user's own.
pub fn with_scripts(options: Value, scripts: Arc<dyn TestScripts>) -> Result<Scorer, BuildError> {
    let test = prepare(read_options(options)?)?;
    Ok(Scorer::Pure(Box::new(ScriptedTest { test, scripts })))
}

/// Options as a type; `null` is none.
pub(crate) fn read_options<T: serde::de::DeserializeOwned>(options: Value) -> Result<T, BuildError> {
    let options = if options.is_null() { json!({}) } else { options };
    serde_json::from_value(options).map_err(|error| BuildError::Options(error.to_string()))
}

struct ScriptedTest {
    test: PromptfooTest,
    scripts: Arc<dyn TestScripts>,
}

impl Metric for ScriptedTest {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        self.test.score_with(&sample, Some(&*self.scripts))
    }
}

/// The code of a test, as one sample calls it.
pub(crate) struct ScriptCalls<'a> {
    scripts: Option<&'a dyn TestScripts>,
    sample: Sample<'a>,
    /// Vectors by their text, for `similar`.
    pub(crate) vectors: Option<Map<String, Value>>,
    /// Why the code gave nothing, where it did not: the sample fails with that.
    fault: RefCell<Option<ScoreError>>,
}

impl<'a> ScriptCalls<'a> {
    pub(crate) fn new(sample: Sample<'a>, scripts: Option<&'a dyn TestScripts>) -> Self {
        Self { scripts, sample, vectors: None, fault: RefCell::default() }
    }

    /// What code is told beside the output, under promptfoo's names.
    fn context(&self, config: Option<&Value>) -> Value {
        let case = self.sample.case;
        let field = |key: &str| case.metadata.get(key);
        let vars = field("vars").cloned().unwrap_or_else(|| json!({}));
        let test = json!({"description": field("description"), "vars": vars, "metadata": field("test")});
        let mut context = json!({"prompt": case.query, "vars": vars, "test": test});
        if let Some(config) = config {
            context["config"] = config.clone();
        }
        context
    }

    /// What the code makes of an output. The code is one of the configuration's, by its number.
    fn call(&self, number: &Value, output: &Value, config: Option<&Value>) -> Result<Value, Fault> {
        let (Some(scripts), Some(number)) = (self.scripts, number.as_u64()) else {
            return Err(Fault::NotRun("is code of the configuration, which is not run".to_owned()));
        };
        scripts.call(number, output, &self.context(config)).map_err(|error| {
            let reason = error.to_string();
            self.fault.borrow_mut().get_or_insert(error);
            Fault::Error(reason)
        })
    }

    /// The same of what has to be an output again.
    fn transformed(&self, number: &Value, output: &Value) -> Result<Value, Fault> {
        let made = self.call(number, output, None)?;
        if made.is_null() {
            return Err(Fault::Error("a transform returned nothing".to_owned()));
        }
        Ok(made)
    }

    /// A verdict on one assertion by computing and by code; an importer may have found that it cannot be had.
    pub(crate) fn decide(&self, assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
        let reason = |key: &str| assertion.options.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(reason) = reason("not_run") {
            return Err(Fault::NotRun(reason));
        }
        if let Some(reason) = reason("template_error") {
            return Err(Fault::Error(reason));
        }
        if let Some(number) = assertion.options.get("transform_script") {
            let output = self.transformed(number, answer.output)?;
            // A place in another text is none in the response.
            return self
                .judge(assertion, &answer.with_output(&output))
                .map(|verdict| Verdict { found: None, ..verdict });
        }
        self.judge(assertion, answer)
    }

    fn judge(&self, assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
        if let Some(number) = assertion.options.get("parser_script") {
            let parse = |text: &str, options: &Value| {
                let complaint = self.call(number, &json!(text), Some(options))?;
                Ok(complaint.as_str().map(str::to_owned))
            };
            return self.judge_value(assertion, &Answer { sql: Some(&parse), ..answer.clone() });
        }
        self.judge_value(assertion, answer)
    }

    /// The verdict where code gives the value, or is all of the assertion.
    fn judge_value(&self, assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
        let Some(number) = assertion.options.get("script") else {
            return match (&self.vectors, type_support(&assertion.kind)) {
                (Some(vectors), TypeSupport::Embedded) => {
                    let answer = Answer { embeddings: Some(vectors), ..Answer::new(answer.output, answer.schemas) };
                    assertion.judge(&answer)
                }
                _ => assertion.judge(answer),
            };
        };
        let returned = self.call(number, answer.output, assertion.options.get("config"))?;
        if matches!(assertion.kind.as_str(), "javascript" | "python") {
            return script_verdict(assertion, &returned);
        }
        if returned.is_boolean() || returned.get("pass").is_some() {
            let reason = format!("the code of `{}` returned a verdict, where a value is expected", assertion.name());
            return Err(Fault::Error(reason));
        }
        Assertion { value: Some(returned), ..assertion.clone() }.judge(answer)
    }
}

/// What a case says about its test.
struct TestParts<'a> {
    parts: Option<&'a Map<String, Value>>,
}

impl<'a> TestParts<'a> {
    fn new(sample: &Sample<'a>) -> Self {
        Self { parts: sample.case.metadata.get(KEY).and_then(Value::as_object) }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.parts?.get(key).filter(|value| !value.is_null())
    }
}

impl PromptfooTest {
    fn score_with(&self, sample: &Sample<'_>, scripts: Option<&dyn TestScripts>) -> Result<Outcome, ScoreError> {
        let calls = ScriptCalls::new(*sample, scripts);
        let grade = self.grade(sample, &calls, &mut |assertion, answer| calls.decide(assertion, answer))?;
        self.outcome(&grade, sample.response()?, Vec::new())
    }

    /// The grade of a sample; `decide` gives the verdict on each assertion. An error where promptfoo throws, or where something
    /// cannot be run.
    pub(crate) fn grade(
        &self,
        sample: &Sample<'_>,
        calls: &ScriptCalls<'_>,
        decide: &mut dyn FnMut(&Assertion, &Answer<'_>) -> AssertionResult,
    ) -> Result<Grade, ScoreError> {
        let parts = TestParts::new(sample);
        // Without a response an importer may know why there is none.
        for (key, kind) in [("not_run", ErrorKind::NotRun), ("error", ErrorKind::Failed)] {
            if let Some(reason) = parts.get(key).and_then(Value::as_str) {
                return Err(ScoreError::other(kind, reason));
            }
        }
        let response = sample.response()?;
        let output = transformed(&parts, response, calls);
        let output = output.map_err(|fault| calls.fault.take().unwrap_or_else(|| fault_error(fault)))?;
        let graded = self.grade_output(&parts, &output, calls, decide);
        let mut grade = graded.map_err(|error| {
            let (GradeError::Error(reason) | GradeError::Refused(reason)) = error;
            calls.fault.take().unwrap_or_else(|| ScoreError::other(ErrorKind::Failed, reason))
        })?;
        if parts.get("transforms").is_some() {
            // A place in another text is none in the response.
            grade.parts.iter_mut().for_each(|part| part.found = None);
        }
        if grade.not_run.is_empty() {
            return Ok(grade);
        }
        let reasons: Vec<String> = grade.not_run.iter().map(|(kind, reason)| format!("`{kind}`: {reason}")).collect();
        Err(ScoreError::other(ErrorKind::NotRun, format!("not run: {}", reasons.join("; "))))
    }

    fn grade_output(
        &self,
        parts: &TestParts<'_>,
        output: &Value,
        calls: &ScriptCalls<'_>,
        decide: &mut dyn FnMut(&Assertion, &Answer<'_>) -> AssertionResult,
    ) -> Result<Grade, GradeError> {
        let mut list = self.assert.clone();
        list.extend(parts.get("assert").and_then(Value::as_array).into_iter().flatten().cloned());
        let threshold = parts.get("threshold").and_then(Value::as_f64).or(self.threshold);
        let tools = self.tools.clone().or_else(|| parts.get("tools").cloned());
        let answer = Answer {
            response: parts.get("response").and_then(Value::as_object),
            functions: self.functions.as_ref().or_else(|| parts.get("functions")),
            tools: tools.as_ref(),
            trace: parts.get("trace"),
            ..Answer::new(output, &Schemas)
        };
        let Some(across) = list.iter().find(|entry| entry.get("type").and_then(Value::as_str) == Some("max-score"))
        else {
            return grade_with(&list, threshold, &answer, &mut |assertion| decide(assertion, &answer));
        };
        // The outputs of others are graded by computing alone.
        let own = |answer: &Answer<'_>| {
            grade_with(&list, threshold, answer, &mut |assertion| calls.decide(assertion, answer))
        };
        let mut grade = own(&answer)?;
        let Some(outputs) = parts.get("outputs").and_then(Value::as_array) else {
            let reason = "`max-score` compares all outputs of a test, which are not known together".to_owned();
            grade.not_run.push(("max-score".to_owned(), reason));
            return Ok(grade);
        };
        let place = parts.get("column").and_then(Value::as_u64).and_then(|place| usize::try_from(place).ok());
        let mut grades =
            outputs.iter().map(|output| own(&Answer::new(output, &Schemas))).collect::<Result<Vec<_>, _>>()?;
        max_score(across.get("value"), &mut grades).map_err(GradeError::Refused)?;
        let found = place.and_then(|place| grades.into_iter().nth(place));
        found.ok_or_else(|| {
            GradeError::Refused("the place of this output among all of its test is not known".to_owned())
        })
    }

    /// The score of a grade: that of the test, or of the one metric that the options name.
    pub(crate) fn outcome(&self, grade: &Grade, response: &str, more: Vec<Evidence>) -> Result<Outcome, ScoreError> {
        let mut evidence = BoundedEvidence::default();
        let value = match &self.metric {
            Some(name) => {
                let Some(named) = grade.named.iter().find(|named| named.name == *name) else {
                    return Ok(Outcome::not_applicable(format!("no assertion of the test has the metric `{name}`")));
                };
                named.score
            }
            None => grade.score,
        };
        let is_own = |part: &&Part| self.metric.is_none() || part.metric == self.metric;
        for part in grade.parts.iter().filter(is_own) {
            evidence.push(|| part_evidence(part, response));
        }
        for piece in more {
            evidence.push(|| piece);
        }
        if grade.parts.is_empty() {
            evidence
                .push(|| Evidence::note("nothing was checked: the test has no assertions, and passes in promptfoo"));
        }
        let mut score = Score::from_number(value)?.because(evidence.finish());
        if self.metric.is_none() {
            score.label = Some(if grade.pass { "pass" } else { "fail" }.into());
        }
        Ok(score.into())
    }
}

impl Metric for PromptfooTest {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        self.score_with(&sample, None)
    }
}

/// The output that is judged: the response, or what is kept beside it, after the transforms of the test.
pub(crate) fn judged_output(sample: &Sample<'_>, calls: &ScriptCalls<'_>) -> Result<Value, ScoreError> {
    let made = transformed(&TestParts::new(sample), sample.response()?, calls);
    made.map_err(|fault| calls.fault.take().unwrap_or_else(|| fault_error(fault)))
}

fn transformed(parts: &TestParts<'_>, response: &str, calls: &ScriptCalls<'_>) -> Result<Value, Fault> {
    // What is not text is kept beside its text form.
    let mut output = parts.get("output").cloned().unwrap_or_else(|| Value::from(response));
    for number in parts.get("transforms").and_then(Value::as_array).into_iter().flatten() {
        output = calls.transformed(number, &output)?;
    }
    Ok(output)
}

fn fault_error(fault: Fault) -> ScoreError {
    match fault {
        Fault::Error(reason) => ScoreError::other(ErrorKind::Failed, reason),
        Fault::NotRun(reason) => ScoreError::other(ErrorKind::NotRun, format!("not run: a transform {reason}")),
    }
}

/// What one assertion said.
fn part_evidence(part: &Part, response: &str) -> Evidence {
    let verdict = if part.pass { "passes" } else { "fails" };
    let mut note = format!("{} {verdict} with {}", part.kind, probare_promptfoo::js::number_text(part.score));
    if let Some(reason) = &part.reason {
        note.push_str(&format!(": {reason}"));
    }
    match &part.found {
        Some(span) if response.get(span.clone()).is_some() => {
            Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response).with_note(note)
        }
        _ => Evidence::note(note),
    }
}
