//! Results of promptfoo: what `promptfoo eval -o results.json` and `promptfoo export` write (version 3 and later), and the
//! lines of `-o results.jsonl`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use probare_core::{Case, CaseMessage, Field, Output, Passage, Role};
use probare_report::number::count_with_noun;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

use crate::tools::document::{SourceDocument, as_text, as_texts};
use crate::tools::{ImportError, ImportFormat, ImportedCases, ORIGIN, content, put, scores};

use super::read_csv as promptfoo_csv;
use crate::agents;
use crate::fields::names;

const FORMAT: ImportFormat = ImportFormat::Promptfoo;

/// The first version of its files that holds every sample with its scores.
const FIRST_VERSION: u64 = 3;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptfooFile<'a> {
    eval_id: Option<String>,
    #[serde(borrow)]
    results: Summary<'a>,
}

#[derive(Deserialize)]
struct Summary<'a> {
    version: Option<u64>,
    #[serde(borrow)]
    results: Vec<&'a RawValue>,
}

/// One output of one provider for one prompt and test.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sample {
    prompt_idx: Option<u64>,
    test_idx: Option<u64>,
    #[serde(default)]
    prompt: Prompt,
    #[serde(default)]
    provider: Json,
    response: Option<Response>,
    error: Option<String>,
    failure_reason: Option<u64>,
    success: Option<bool>,
    score: Option<f64>,
    grading_result: Option<Grading>,
    #[serde(default)]
    test_case: TestCase,
    vars: Option<Map<String, Json>>,
    latency_ms: Option<f64>,
    cost: Option<f64>,
}

#[derive(Default, Deserialize)]
struct Prompt {
    raw: Option<String>,
    label: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    output: Json,
    error: Option<String>,
    token_usage: Option<Json>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Grading {
    reason: Option<String>,
    component_results: Option<Vec<Component>>,
    named_scores: Option<Map<String, Json>>,
}

#[derive(Deserialize)]
struct Component {
    pass: Option<bool>,
    score: Option<f64>,
    reason: Option<String>,
    assertion: Option<Assertion>,
}

#[derive(Default, Deserialize)]
struct TestCase {
    description: Option<String>,
    #[serde(default)]
    vars: Option<Map<String, Json>>,
    #[serde(rename = "assert")]
    assertions: Option<Vec<Json>>,
    metadata: Option<Map<String, Json>>,
}

#[derive(Deserialize)]
struct Assertion {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    value: Json,
    metric: Option<String>,
}

/// Kinds of assertion whose value is a right answer.
const WITH_REFERENCE: [&str; 9] =
    ["equals", "similar", "levenshtein", "rouge-n", "bleu", "gleu", "meteor", "factuality", "model-graded-factuality"];

/// An output that failed, in promptfoo's numbers for why something was no success.
const FAILED: u64 = 2;

pub(in crate::tools) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    if !text.trim_start().starts_with('{') && promptfoo_csv::is_promptfoo_csv(&text) {
        return promptfoo_csv::read(document);
    }
    let mut imported = ImportedCases::default();
    let values = document.values(&text, FORMAT)?;
    let mut eval = None;
    let mut parts: Vec<&RawValue> = Vec::new();
    let mut whole_values = Vec::new();
    for value in values {
        if is_sample(value) {
            parts.push(value);
        } else {
            whole_values.push(value);
        }
    }
    for value in whole_values {
        let whole: PromptfooFile<'_> = document.parse_part(&text, value, FORMAT)?;
        let version = whole.results.version;
        if version.is_some_and(|version| version < FIRST_VERSION) {
            let version = version.unwrap_or_default();
            let reason = format!("it has version {version}, but only {FIRST_VERSION} and later are read");
            return Err(document.broken(FORMAT, "results.version", reason));
        }
        eval = eval.or(whole.eval_id);
        // Each is looked for again, so that its place is known in the whole text.
        parts.extend(whole.results.results);
    }
    let samples: Vec<Sample> =
        parts.iter().map(|part| document.parse_part(&text, part, FORMAT)).collect::<Result<_, ImportError>>()?;
    let first = samples.first().and_then(|sample| sample.prompt_idx);
    let has_prompts = samples.iter().any(|sample| sample.prompt.label != samples[0].prompt.label)
        && samples.iter().any(|sample| sample.prompt_idx != first);
    let mut filling = TemplateFiller::default();
    for (number, sample) in samples.into_iter().enumerate() {
        let (case, scores) = sample.case(number, has_prompts, eval.as_deref(), &mut filling);
        imported.push(case, scores);
    }
    imported.notes.extend(filling.notes());
    Ok(imported)
}

/// Whether a value is one line of results, rather than all of them.
fn is_sample(value: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct TestCaseMarker {
        #[serde(rename = "testCase")]
        test_case: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str::<TestCaseMarker>(value.get()).is_ok_and(|marked| marked.test_case.is_some())
}

impl Sample {
    fn case(
        self,
        number: usize,
        has_prompts: bool,
        eval: Option<&str>,
        filling: &mut TemplateFiller,
    ) -> (Case, Map<String, Json>) {
        let vars = self.vars.or(self.test_case.vars).unwrap_or_default();
        let test = self.test_idx.unwrap_or(number as u64);
        let id = match self.prompt_idx.filter(|_| has_prompts) {
            Some(prompt) => format!("{test}/{prompt}"),
            None => test.to_string(),
        };
        let failure = self.error.or_else(|| self.response.as_ref().and_then(|response| response.error.clone()));
        let has_output = self.response.as_ref().is_some_and(|response| !response.output.is_null());
        let has_failed = self.failure_reason == Some(FAILED) || failure.is_some() && !has_output;
        let failure = failure.filter(|_| has_failed);

        let mut told = Map::new();
        if let Some(reason) = &failure {
            scores::add(&mut told, "pass", scores::failed(reason.clone()));
        } else {
            let reason = self.grading_result.as_ref().and_then(|grading| grading.reason.as_deref());
            if let Some(success) = self.success {
                scores::add(&mut told, "pass", scores::passed(success, reason));
            }
            if let Some(score) = self.score {
                scores::add(&mut told, "score", scores::value(score, None, None));
            }
            if let Some(grading) = self.grading_result {
                grading.add_to(&mut told);
            }
        }

        let assertions = self.test_case.assertions.unwrap_or_default();
        let mut metadata = self.test_case.metadata.unwrap_or_default();
        let context = as_passages(&vars);
        let reference = references(&assertions, &vars, filling).or_else(|| reference_of(&vars));
        let origin = json!({
            "from": FORMAT.name(),
            "eval": eval,
            "description": self.test_case.description,
            "prompt": self.prompt.raw,
            "prompt_label": self.prompt.label,
            "error": failure,
            "latency_ms": self.latency_ms,
            "cost_usd": self.cost,
            "usage": self.response.as_ref().and_then(|response| response.token_usage.as_ref()),
            "assert": Some(assertions).filter(|assertions| !assertions.is_empty()),
        });
        put(&mut metadata, ORIGIN, origin);
        let output = self.response.as_ref().filter(|_| has_output).map(|response| &response.output);
        let messages = transcript(self.prompt.raw.as_deref(), output);
        let asked = messages.as_ref().filter(|_| self.prompt.raw.as_deref().is_some_and(|raw| raw.starts_with('[')));
        let asked = asked
            .and_then(|messages| messages.iter().rev().find(|message| message.has_role(Role::User))?.spoken_text());
        let query = question(&vars).or_else(|| asked.map(Cow::into_owned)).or(self.prompt.raw);
        put(&mut metadata, "vars", Json::Object(vars));
        let model = provider(&self.provider);
        let response = self.response.filter(|_| has_output).map(|response| Output {
            text: as_text(&response.output),
            model,
            repeat: 0,
        });
        let case = Case { id, query, response, context, reference, messages, metadata, ..Case::default() };
        (case, told)
    }
}

/// The conversation, where there is more to it than a text and an answer: messages in the prompt, or calls in the output.
fn transcript(prompt: Option<&str>, output: Option<&Json>) -> Option<Vec<CaseMessage>> {
    let asked = prompt.filter(|prompt| prompt.trim_start().starts_with('['));
    let asked = asked.and_then(|prompt| serde_json::from_str(prompt).ok()).filter(content::is_messages);
    let made = output.and_then(calls);
    if asked.is_none() && made.is_none() {
        return None;
    }
    let mut list = match (asked, prompt) {
        (Some(Json::Array(list)), _) => list,
        (_, Some(prompt)) => vec![json!({"role": "user", "content": prompt})],
        _ => Vec::new(),
    };
    list.extend(made.or_else(|| output.map(|output| json!({"role": "assistant", "content": as_text(output)}))));
    agents::parse_conversation(&Json::Array(list))?.ok()
}

/// The assistant's message of an output that calls tools: a message of OpenAI's, its list of calls, the blocks of Anthropic or
/// Gemini, or one of them; as JSON, or as the text of it.
fn calls(output: &Json) -> Option<Json> {
    let read = match output {
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => serde_json::from_str(text).ok()?,
        Json::String(_) => return None,
        other => other.clone(),
    };
    let is_call = |value: &Json| {
        let kind = value.get("type").and_then(Json::as_str);
        value.get("function").is_some_and(|function| function.get("name").is_some_and(Json::is_string))
            || matches!(kind, Some("tool_use" | "function_call")) && value.get("name").is_some_and(Json::is_string)
            || value.get("functionCall").is_some_and(Json::is_object)
    };
    let is_text =
        |value: &Json| value.get("type").and_then(Json::as_str) == Some("text") || value.get("text").is_some();
    match &read {
        Json::Object(message)
            if message
                .get("tool_calls")
                .is_some_and(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty())) =>
        {
            Some(json!({"role": "assistant", "content": message.get("content"), "tool_calls": message["tool_calls"]}))
        }
        Json::Object(message) if message.get("function_call").is_some_and(Json::is_object) => Some(
            json!({"role": "assistant", "content": message.get("content"), "function_call": message["function_call"]}),
        ),
        Json::Object(_) if is_call(&read) => Some(of_calls(vec![read])),
        Json::Array(list) if list.iter().any(is_call) && list.iter().all(|item| is_call(item) || is_text(item)) => {
            Some(of_calls(list.clone()))
        }
        _ => None,
    }
}

/// A message of calls, and of texts between them.
fn of_calls(list: Vec<Json>) -> Json {
    let (listed, blocks): (Vec<Json>, Vec<Json>) = list.into_iter().partition(|item| item.get("function").is_some());
    json!({"role": "assistant", "content": blocks, "tool_calls": listed})
}

impl Grading {
    fn add_to(self, told: &mut Map<String, Json>) {
        let mut given = BTreeSet::new();
        for component in self.component_results.unwrap_or_default() {
            let assertion = component.assertion.as_ref();
            let name = assertion
                .and_then(|assertion| assertion.metric.as_deref().or(assertion.kind.as_deref()))
                .unwrap_or("assertion");
            let reason = component.reason.as_deref();
            let expected = assertion.map(|assertion| &assertion.value).filter(|value| !value.is_null());
            let reason = match (reason, expected) {
                (Some(reason), Some(value)) => Some(Cow::Owned(format!("{reason} ({name}: {})", as_text(value)))),
                (reason, _) => reason.map(Cow::Borrowed),
            };
            if let Some(outcome) = scores::graded(component.score, component.pass, reason.as_deref()) {
                scores::add(told, name, outcome);
                given.insert(name.to_owned());
            }
        }
        for (name, value) in self.named_scores.unwrap_or_default() {
            // Most are those of an assertion that is there already.
            if let Some(number) = value.as_f64().filter(|_| !given.contains(&name)) {
                scores::add(told, &name, scores::value(number, None, None));
            }
        }
    }
}

/// The question among the variables, by the names that a query has.
pub(in crate::tools) fn question(vars: &Map<String, Json>) -> Option<String> {
    names(Some(Field::Query)).into_iter().find_map(|name| vars.get(name).and_then(Json::as_str)).map(str::to_owned)
}

/// The right answers among the variables, by the names that a reference has.
pub(in crate::tools) fn reference_of(vars: &Map<String, Json>) -> Option<Vec<String>> {
    let texts = |name: &str| -> Option<Vec<String>> {
        let texts = as_texts(vars.get(name)?)?.into_iter().filter(|text| !text.is_empty());
        Some(texts.collect()).filter(|texts: &Vec<String>| !texts.is_empty())
    };
    names(Some(Field::Reference)).into_iter().chain(["expected"]).find_map(texts)
}

/// The passages among the variables.
pub(in crate::tools) fn as_passages(vars: &Map<String, Json>) -> Option<Vec<Passage>> {
    let texts = names(Some(Field::Context)).into_iter().find_map(|name| as_texts(vars.get(name)?))?;
    Some(texts.iter().map(|text| Passage::from(text.as_str())).collect())
}

/// Right answers that the assertions name, with the variables filled in.
fn references(assertions: &[Json], vars: &Map<String, Json>, filling: &mut TemplateFiller) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for assertion in assertions {
        let kind = assertion.get("type").and_then(Json::as_str).unwrap_or_default();
        if WITH_REFERENCE.contains(&kind) {
            let texts = assertion.get("value").and_then(as_texts).into_iter().flatten();
            found.extend(texts.filter_map(|text| filling.fill(&text, vars)));
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Puts variables into templates, and counts what that could not do.
#[derive(Default)]
struct TemplateFiller {
    undefined: BTreeSet<String>,
    /// Templates with more than names, and values that stand in files.
    left_out: u64,
}

impl TemplateFiller {
    /// The template with its variables; nothing where it has more than their names, or nothing is left of it. A variable
    /// that is not there is empty, as in promptfoo.
    fn fill(&mut self, template: &str, vars: &Map<String, Json>) -> Option<String> {
        if template.starts_with("file://") || template.contains("{%") {
            self.left_out += 1;
            return None;
        }
        let (mut filled, mut rest) = (String::new(), template);
        while let Some((before, from)) = rest.split_once("{{") {
            filled.push_str(before);
            let Some((name, after)) = from.split_once("}}").filter(|(name, _)| is_path(name.trim())) else {
                self.left_out += 1;
                return None;
            };
            let mut path = name.trim().split('.');
            let first = path.next().and_then(|first| vars.get(first));
            let value = path.fold(first, |value, part| value?.get(part));
            match value {
                Some(value) if !value.is_null() => filled.push_str(&as_text(value)),
                _ => {
                    self.undefined.insert(name.trim().to_owned());
                }
            }
            rest = after;
        }
        filled.push_str(rest);
        (!filled.trim().is_empty() || template.trim().is_empty()).then_some(filled)
    }

    fn notes(self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.undefined.is_empty() {
            let names: Vec<String> = self.undefined.iter().map(|name| format!("`{name}`")).collect();
            notes.push(format!("assertions use variables that are not there, which are empty: {}", names.join(", ")));
        }
        if self.left_out > 0 {
            let answers = count_with_noun(self.left_out, "right answer is", "right answers are");
            notes.push(format!("{answers} skipped: a file, or a template with more than variables"));
        }
        notes
    }
}

/// Whether a text is the name of a variable, or a path of names.
fn is_path(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    text.split('.').all(is_name)
}

/// The name of a provider: its label, else its id.
fn provider(provider: &Json) -> Option<String> {
    let text = |key: &str| provider.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    provider.as_str().or_else(|| text("label")).or_else(|| text("id")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_an_output_and_messages_in_a_prompt_are_a_transcript() {
        let arguments = "{\"city\": \"Rome\"}";
        let openai = json!([{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": arguments}}]);
        let call = json!({"id": "c1", "name": "weather", "arguments": {"city": "Rome"}});
        let shapes = [
            openai.clone(),
            Json::from(openai.to_string()),
            json!({"role": "assistant", "content": null, "tool_calls": openai}),
            json!({"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome"}}),
        ];
        for output in shapes {
            let messages = transcript(Some("Rain in Rome?"), Some(&output)).unwrap();
            let told = serde_json::to_value(&messages).unwrap();
            assert_eq!(
                told,
                json!([{"role": "user", "text": "Rain in Rome?"}, {"role": "assistant", "tool_calls": [call]}])
            );
        }
        let prompt = r#"[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]"#;
        let messages = transcript(Some(prompt), Some(&json!("Hello"))).unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message.role.name()).collect();
        assert_eq!(roles, ["system", "user", "assistant"]);
        for plain in [json!("Hello"), json!({"name": "x"}), json!([1, 2]), json!("[1]"), json!({"tool_calls": []})] {
            assert_eq!(transcript(Some("Hi"), Some(&plain)), None, "{plain}");
        }
    }

    #[test]
    fn templates_are_filled_in_and_what_is_missing_is_told() {
        let vars = json!({"reference": "Paris", "n": 4, "a": {"b": "deep"}, "empty": ""});
        let vars = vars.as_object().unwrap();
        let mut filling = TemplateFiller::default();
        let mut fill = |text: &str| filling.fill(text, vars);
        assert_eq!(fill("{{reference}}").as_deref(), Some("Paris"));
        assert_eq!(fill("It is {{ reference }}, {{n}} and {{a.b}}.").as_deref(), Some("It is Paris, 4 and deep."));
        assert_eq!(fill("plain").as_deref(), Some("plain"));
        assert_eq!(fill("{{gone}}"), None, "nothing is left of it");
        assert_eq!(fill("x {{gone.too}}").as_deref(), Some("x "));
        assert_eq!(fill("{{reference | upper}}"), None);
        assert_eq!(fill("{{reference"), None);
        assert_eq!(fill("file://answer.txt"), None);
        let notes = filling.notes();
        assert_eq!(notes[0], "assertions use variables that are not there, which are empty: `gone`, `gone.too`");
        assert!(notes[1].starts_with("3 right answers"), "{notes:?}");
    }
}
