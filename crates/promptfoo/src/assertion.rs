//! One assertion held against one answer.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::sql::SqlParser;
use crate::{
    html, js, json, meteor, refusal, response, similar, similarity, sql, text, tools, traces, trajectory, xml,
};

/// An assertion as it stands in a configuration, its texts rendered.
#[derive(Debug, Clone)]
pub struct Assertion {
    /// The type without `not-`.
    pub kind: String,
    /// Whether it stands behind `not-`.
    pub negated: bool,
    /// What is expected; absent is not the same as null.
    pub value: Option<Value>,
    /// All its keys.
    pub options: Map<String, Value>,
}

/// What the original would say.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether it passes.
    pub pass: bool,
    pub score: f64,
    /// What a reader should know beside them.
    pub reason: Option<String>,
    /// Where in the text of the answer it was found, in bytes.
    pub found: Option<Range<usize>>,
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The original throws: the whole test is an error.
    Error(String),
    /// It cannot be decided here: it needs a model, code or a program of others.
    NotRun(String),
}

/// A verdict, or why there is none.
pub type AssertionResult = Result<Verdict, Fault>;

/// Checks values against JSON Schema (draft 7 with formats).
pub trait SchemaValidator {
    /// Whether the value fits; the reason where the schema cannot be used.
    fn fits(&self, schema: &Value, value: &Value) -> Result<bool, String>;
}

/// Refuses every schema.
#[derive(Debug, Clone, Copy)]
pub struct NoSchemas;

impl SchemaValidator for NoSchemas {
    fn fits(&self, _: &Value, _: &Value) -> Result<bool, String> {
        Err("schemas are not checked here".to_owned())
    }
}

/// What a provider answered, with what is known about it.
#[derive(Clone)]
pub struct Answer<'a> {
    /// The output: a text, or JSON.
    pub output: &'a Value,
    /// Its text form.
    pub text: String,
    /// Other fields of the answer, under promptfoo's names: `cost`, `latencyMs`, `finishReason`, `logProbs`, `guardrails`,
    /// `metadata`.
    pub response: Option<&'a Map<String, Value>>,
    /// Functions that the provider knows (`config.functions`).
    pub functions: Option<&'a Value>,
    /// Tools that the provider knows (`config.tools`).
    pub tools: Option<&'a Value>,
    /// Vectors of an embedding model by their text, where somebody made them.
    pub embeddings: Option<&'a Map<String, Value>>,
    /// `spans`, and perhaps `metadata`.
    pub trace: Option<&'a Value>,
    /// Who checks schemas.
    pub schemas: &'a dyn SchemaValidator,
    /// Who asks promptfoo's parser of SQL, where it may be run.
    pub sql: Option<SqlParser<'a>>,
}

impl<'a> Answer<'a> {
    /// An answer of which nothing but the output is known.
    pub fn new(output: &'a Value, schemas: &'a dyn SchemaValidator) -> Self {
        Self {
            output,
            text: text_form(output),
            response: None,
            functions: None,
            tools: None,
            embeddings: None,
            trace: None,
            schemas,
            sql: None,
        }
    }

    /// The answer with another output.
    #[must_use]
    pub fn with_output(&self, output: &'a Value) -> Self {
        Self { output, text: text_form(output), ..self.clone() }
    }

    /// A field of the answer that is there and not null.
    pub(crate) fn field(&self, name: &str) -> Option<&'a Value> {
        self.response.and_then(|response| response.get(name)).filter(|value| !value.is_null())
    }
}

fn text_form(output: &Value) -> String {
    output.as_str().map_or_else(|| js::json(output, 0), str::to_owned)
}

impl Verdict {
    pub(crate) fn new(pass: bool) -> Self {
        Self::scored(pass, f64::from(u8::from(pass)))
    }

    pub(crate) fn scored(pass: bool, score: f64) -> Self {
        Self { pass, score, reason: None, found: None }
    }

    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    pub(crate) fn found_at(mut self, span: Option<Range<usize>>) -> Self {
        self.found = span;
        self
    }
}

/// An error of the original.
pub(crate) fn error<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Error(reason.into()))
}

impl Assertion {
    /// Reads an assertion; the reason where it is none.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        let options = value.as_object().ok_or("an assertion is an object with `type`")?;
        let name = options.get("type").and_then(Value::as_str).ok_or("an assertion has no `type`")?;
        for key in ["threshold", "weight"] {
            if options.get(key).is_some_and(|value| !value.is_number() && !value.is_null()) {
                return Err(format!("`{key}` of the assertion `{name}` is not a number"));
            }
        }
        let (kind, negated) = name.strip_prefix("not-").map_or((name, false), |kind| (kind, true));
        Ok(Self { kind: kind.to_owned(), negated, value: options.get("value").cloned(), options: options.clone() })
    }

    /// The type as it stands in the configuration.
    pub fn name(&self) -> String {
        format!("{}{}", if self.negated { "not-" } else { "" }, self.kind)
    }

    /// `threshold`, where it is given.
    pub fn threshold(&self) -> Option<f64> {
        self.number("threshold")
    }

    /// `weight`, or 1.
    pub fn weight(&self) -> f64 {
        self.number("weight").unwrap_or(1.0)
    }

    /// A number among its keys.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.options.get(key).and_then(Value::as_f64)
    }

    /// The verdict on an answer. A weight of 0 makes it pass, as in the original; the score stays.
    pub fn judge(&self, answer: &Answer<'_>) -> AssertionResult {
        let mut verdict = self.judge_unweighted(answer)?;
        if self.weight() == 0.0 {
            verdict.pass = true;
        }
        Ok(verdict)
    }

    /// The verdict, turned round where the type stands behind `not-` and heeds it.
    fn judge_unweighted(&self, answer: &Answer<'_>) -> AssertionResult {
        let flipped = |verdict: AssertionResult| verdict.map(|verdict| self.flip(verdict));
        match self.kind.as_str() {
            "equals" => flipped(text::equals(self, answer)),
            "contains" => flipped(text::contains(self, answer, false)),
            "icontains" => flipped(text::contains(self, answer, true)),
            "contains-any" => flipped(text::contains_list(self, answer, false, false)),
            "contains-all" => flipped(text::contains_list(self, answer, false, true)),
            "icontains-any" => flipped(text::contains_list(self, answer, true, false)),
            "icontains-all" => flipped(text::contains_list(self, answer, true, true)),
            "starts-with" => flipped(text::starts_with(self, answer)),
            "regex" => text::regex(self, answer),
            "levenshtein" => flipped(text::levenshtein(self, answer)),
            "word-count" => flipped(text::word_count(self, answer)),
            "is-refusal" => Ok(refusal::judge(self, answer)),
            "is-json" => json::is_json(self, answer),
            "contains-json" => json::contains_json(self, answer),
            "is-xml" => flipped(xml::is_xml(self, answer)),
            "contains-xml" => flipped(xml::contains_xml(self, answer)),
            "is-html" => flipped(Ok(html::is_html(answer))),
            "contains-html" => flipped(Ok(html::contains_html(answer))),
            "is-sql" => flipped(sql::is_sql(self, answer)),
            "contains-sql" => flipped(sql::contains_sql(self, answer)),
            "bleu" | "gleu" | "rouge-n" => similarity::judge(self, answer),
            "meteor" => meteor::judge(self, answer),
            "cost" | "latency" | "finish-reason" | "perplexity" | "perplexity-score" | "guardrails" => {
                response::judge(self, answer)
            }
            "skill-used" => response::skill_used(self, answer),
            "is-valid-function-call" | "is-valid-openai-function-call" => tools::function_call(answer),
            "is-valid-openai-tools-call" => tools::tools_call(answer),
            "tool-call-f1" => tools::tool_call_f1(self, answer),
            "trace-span-count" | "trace-span-duration" | "trace-error-spans" => traces::judge(self, answer),
            "trajectory:tool-used"
            | "trajectory:tool-sequence"
            | "trajectory:tool-args-match"
            | "trajectory:step-count" => flipped(trajectory::judge(self, answer)),
            "similar" | "similar:cosine" | "similar:dot" | "similar:euclidean" => similar::judge(self, answer),
            kind => match type_support(kind) {
                TypeSupport::Judged => Err(Fault::NotRun(format!("`{}` asks a model", self.name()))),
                TypeSupport::NotRun(reason) => Err(Fault::NotRun(format!("`{}` {reason}", self.name()))),
                _ => error(format!("`{}` is no type of promptfoo 0.123.1", self.name())),
            },
        }
    }

    /// Turns a verdict of 1 or 0 round.
    fn flip(&self, verdict: Verdict) -> Verdict {
        if !self.negated {
            return verdict;
        }
        Verdict { reason: verdict.reason, found: verdict.found, ..Verdict::new(!verdict.pass) }
    }
}

/// Whether a type can be decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeSupport {
    /// By computing.
    Computed,
    /// Over all outputs of a test at once.
    AcrossOutputs,
    /// A group of assertions.
    Set,
    /// By asking a model one question that the assertion alone says.
    Judged,
    /// By the vectors of an embedding model.
    Embedded,
    /// It needs something that is not there; what.
    NotRun(&'static str),
    /// promptfoo has no such type.
    Unknown,
}

/// Types that are decided by computing.
const COMPUTED: &[&str] = &[
    "bleu",
    "contains",
    "contains-all",
    "contains-any",
    "contains-html",
    "contains-json",
    "contains-sql",
    "contains-xml",
    "cost",
    "equals",
    "finish-reason",
    "gleu",
    "guardrails",
    "icontains",
    "icontains-all",
    "icontains-any",
    "is-html",
    "is-json",
    "is-refusal",
    "is-sql",
    "is-valid-function-call",
    "is-valid-openai-function-call",
    "is-valid-openai-tools-call",
    "is-xml",
    "latency",
    "levenshtein",
    "meteor",
    "perplexity",
    "perplexity-score",
    "regex",
    "rouge-n",
    "skill-used",
    "starts-with",
    "tool-call-f1",
    "trace-error-spans",
    "trace-span-count",
    "trace-span-duration",
    "trajectory:step-count",
    "trajectory:tool-args-match",
    "trajectory:tool-sequence",
    "trajectory:tool-used",
    "word-count",
];

/// Types that ask a model one question, which the assertion says.
const JUDGED: &[&str] = &["factuality", "g-eval", "llm-rubric", "model-graded-closedqa", "model-graded-factuality"];

/// Types that need more of a model: tools, searches, classes, vectors, several outputs or several rounds.
const ELSEWHERE: &[&str] = &[
    "agent-rubric",
    "answer-relevance",
    "classifier",
    "context-faithfulness",
    "context-recall",
    "context-relevance",
    "conversation-relevance",
    "moderation",
    "pi",
    "search-rubric",
    "select-best",
    "trajectory:goal-success",
];

/// What is known of a type without `not-`.
pub fn type_support(kind: &str) -> TypeSupport {
    match kind {
        "assert-set" => TypeSupport::Set,
        "max-score" => TypeSupport::AcrossOutputs,
        "javascript" | "python" => TypeSupport::NotRun("is code of the configuration, which is not run"),
        "ruby" => TypeSupport::NotRun("is Ruby, which is not run here"),
        "webhook" => TypeSupport::NotRun("contacts an address of the configuration"),
        "similar" | "similar:cosine" | "similar:dot" | "similar:euclidean" => TypeSupport::Embedded,
        kind if COMPUTED.binary_search(&kind).is_ok() => TypeSupport::Computed,
        kind if JUDGED.binary_search(&kind).is_ok() => TypeSupport::Judged,
        kind if ELSEWHERE.binary_search(&kind).is_ok() || kind.starts_with("promptfoo:redteam:") => {
            TypeSupport::NotRun("asks a model in a way that is not known here")
        }
        _ => TypeSupport::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(COMPUTED.is_sorted() && JUDGED.is_sorted() && ELSEWHERE.is_sorted());
    }
}
