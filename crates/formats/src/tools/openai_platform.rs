//! The hosted Evals of OpenAI: evals, runs and output items as its API gives them, the results that its dashboard downloads, and data
//! sources with `item` and `sample`. An eval becomes a configuration, the rest becomes cases.

use probare_core::{Case, Output};
use probare_report::number::count_with_noun;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text};
use super::promptfoo::read as promptfoo;
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, content, put, scores};
use crate::agents;

const FORMAT: ImportFormat = ImportFormat::OpenaiPlatform;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Eval,
    Run,
    OutputItem,
    /// A line of the results that the dashboard downloads.
    Download,
    /// A row of a data source.
    Row,
    /// A page of a list.
    Page,
}

impl Kind {
    fn from_object(object: &Map<String, Json>) -> Option<Self> {
        let has = |key: &str| object.contains_key(key);
        let named = object.get("object").and_then(Json::as_str).unwrap_or_default();
        Some(match named {
            "eval" => Self::Eval,
            "eval.run" => Self::Run,
            "eval.run.output_item" => Self::OutputItem,
            "list" => {
                let first = object.get("data")?.as_array()?.first()?.as_object()?;
                return Self::from_object(first).filter(|kind| *kind != Self::Row).map(|_| Self::Page);
            }
            _ if object.get("testing_criteria").is_some_and(Json::is_array) => Self::Eval,
            _ if has("data_source_idx") && has("item") => Self::Download,
            _ if object.get("data_source").is_some_and(Json::is_object) && has("eval_id") => Self::Run,
            _ if object.get("datasource_item").is_some_and(Json::is_object) => Self::OutputItem,
            _ if object.get("item").is_some_and(Json::is_object)
                && object.keys().all(|key| matches!(key.as_str(), "item" | "sample")) =>
            {
                Self::Row
            }
            _ => return None,
        })
    }
}

/// Whether an object is one of the hosted Evals.
pub(super) fn is_platform_object(object: &Map<String, Json>) -> bool {
    Kind::from_object(object).is_some()
}

/// What is gathered from all files.
#[derive(Default)]
struct PlatformFiles {
    evals: Vec<Json>,
    runs: Vec<Json>,
    rows: Vec<Json>,
    items: Vec<Json>,
    downloads: Vec<Json>,
}

impl PlatformFiles {
    fn take(&mut self, value: Json) -> Result<(), String> {
        let Json::Object(object) = &value else { return Err("an object is expected".to_owned()) };
        let kind = Kind::from_object(object);
        match kind.ok_or("it is no eval, run, output item or row with `item`")? {
            Kind::Eval => self.evals.push(value),
            Kind::Run => self.runs.push(value),
            Kind::OutputItem => self.items.push(value),
            Kind::Download => self.downloads.push(value),
            Kind::Row => self.rows.push(value),
            Kind::Page => {
                let mut page = value;
                let Some(Json::Array(listed)) = page.get_mut("data").map(Json::take) else { return Ok(()) };
                listed.into_iter().try_for_each(|inner| match &inner {
                    Json::Object(object) if Kind::from_object(object) != Some(Kind::Page) => self.take(inner),
                    _ => Err("a list holds something that is none of its items".to_owned()),
                })?;
            }
        }
        Ok(())
    }
}

pub(super) fn read(documents: &[SourceDocument]) -> Result<ImportedCases, ImportError> {
    let mut files = PlatformFiles::default();
    for document in documents {
        let text = document.text(FORMAT)?;
        for (number, value) in document.values(&text, FORMAT)?.into_iter().enumerate() {
            let read: Json = document.parse_part(&text, value, FORMAT)?;
            files.take(read).map_err(|reason| document.broken(FORMAT, &format!("value {}", number + 1), reason))?;
        }
    }
    let first = documents.first();
    let broken = |reason: &str| {
        first.map_or_else(
            || ImportError::Broken {
                file: String::new(),
                format: FORMAT.name(),
                place: String::new(),
                reason: reason.to_owned(),
            },
            |document| document.broken(FORMAT, "", reason),
        )
    };
    let PlatformFiles { evals, runs, mut rows, items, downloads } = files;
    if evals.len() > 1 {
        return Err(broken("there are several evals; import one at a time, with the files of its runs"));
    }
    let mut imported = ImportedCases::default();
    let inline = runs.iter().filter_map(|run| run.pointer("/data_source/source/content")?.as_array()).flatten();
    let inline: Vec<Json> = inline.cloned().collect();
    if !(items.is_empty() && downloads.is_empty()) {
        let left = rows.len() + inline.len();
        rows.clear();
        if left > 0 {
            let rows = count_with_noun(left as u64, "row of a data source is", "rows of data sources are");
            imported.notes.push(format!("{rows} left out: the output items have the same"));
        }
    } else if rows.is_empty() {
        rows = inline;
    }
    let eval_name = evals.first().and_then(|eval| eval.get("name")).and_then(Json::as_str);
    for row in &rows {
        let (case, told) = row_case(row, imported.cases.len() + 1, eval_name);
        imported.push(case, told);
    }
    for item in &items {
        let (case, told) = output_item_case(item, eval_name);
        imported.push(case, told);
    }
    for line in &downloads {
        let (case, told) = download_case(line);
        imported.push(case, told);
    }
    let mut configuration = evals.first().map(eval_configuration).unwrap_or_default();
    if let Some(run) = runs.first() {
        if runs.len() > 1 {
            imported.notes.push(format!("of {} runs the first one gives the prompt and the model", runs.len()));
        }
        generation(run, &mut configuration, &mut imported);
    }
    if imported.cases.is_empty() {
        let reason = if evals.is_empty() && runs.is_empty() {
            "it holds no samples"
        } else {
            "it holds an eval or a run and no samples; name the file of its output items or of its data source too"
        };
        return Err(broken(reason));
    }
    if !configuration.is_empty() {
        imported.configuration = Some(configuration);
    }
    Ok(imported)
}

/// A case with what its item says.
fn item_case(item: Option<&Json>, id: String) -> Case {
    let Some(Json::Object(item)) = item else { return Case { id, ..Case::default() } };
    let mut metadata = Map::new();
    metadata.insert("item".to_owned(), Json::Object(item.clone()));
    let texts = || ["input", "messages"].iter().find_map(|key| content::prompt(item.get(*key)?));
    Case {
        id: item.get("id").filter(|id| !id.is_null()).map_or(id, as_text),
        query: promptfoo::question(item).or_else(texts),
        reference: promptfoo::reference_of(item),
        context: promptfoo::as_passages(item),
        metadata,
        ..Case::default()
    }
}

/// The text of the last message of an answer, and its calls in the form of chat completions.
fn answer_of(messages: Option<&Json>) -> (Option<String>, Option<Json>) {
    let last = messages.and_then(Json::as_array).and_then(|messages| messages.last());
    let message = last.map(|last| last.get("message").unwrap_or(last));
    let text = message.and_then(|message| content::text(message.get("content")?));
    (text, message.and_then(|message| message.get("tool_calls")).filter(|calls| calls.is_array()).cloned())
}

/// Puts in what a model said. An answer of calls alone is an empty text.
fn put_response(case: &mut Case, (text, calls): (Option<String>, Option<Json>), model: Option<&str>) {
    if text.is_none() && calls.is_none() {
        return;
    }
    if let Some(calls) = calls {
        let message = json!([{"role": "assistant", "content": text, "tool_calls": calls}]);
        let parsed = agents::parse_conversation(&message).and_then(Result::ok);
        case.tool_calls = parsed.and_then(|messages| Some(messages.into_iter().next()?.tool_calls));
    }
    case.response = Some(Output { text: text.unwrap_or_default(), model: model.map(str::to_owned), repeat: 0 });
}

/// What went wrong while sampling, if anything did.
fn sample_error(sample: &Json) -> Option<String> {
    match sample.get("error")? {
        Json::Null => None,
        Json::Object(error) => {
            let text = |key: &str| error.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
            text("message").or_else(|| text("code")).map(str::to_owned)
        }
        other => Some(as_text(other)).filter(|text| !text.is_empty()),
    }
}

/// A row of a data source: `item`, and the answer where there is a `sample`.
fn row_case(row: &Json, number: usize, eval: Option<&str>) -> (Case, Map<String, Json>) {
    let mut case = item_case(row.get("item"), number.to_string());
    if let Some(sample) = row.get("sample").filter(|sample| sample.is_object()) {
        let text = sample.get("output_text").and_then(Json::as_str).map(str::to_owned);
        let (listed, calls) = answer_of(sample.get("choices").or_else(|| sample.get("outputs")));
        let calls = sample.get("output_tools").filter(|calls| calls.is_array()).cloned().or(calls);
        put_response(&mut case, (text.or(listed), calls), sample.get("model").and_then(Json::as_str));
        put(&mut case.metadata, "sample", sample.clone());
    }
    put(&mut case.metadata, ORIGIN, json!({"from": FORMAT.name(), "eval": eval}));
    (case, Map::new())
}

/// An output item of a run, as the API gives it.
fn output_item_case(item: &Json, eval: Option<&str>) -> (Case, Map<String, Json>) {
    let text = |key: &str| item.get(key).and_then(Json::as_str);
    let id = item.get("datasource_item_id").filter(|id| !id.is_null()).map(as_text);
    let mut case =
        item_case(item.get("datasource_item"), id.or_else(|| text("id").map(str::to_owned)).unwrap_or_default());
    let sample = item.get("sample").cloned().unwrap_or_default();
    let error = sample_error(&sample);
    if error.is_none() {
        put_response(&mut case, answer_of(sample.get("output")), sample.get("model").and_then(Json::as_str));
    }
    if case.query.is_none() {
        case.query = sample.get("input").and_then(content::prompt);
    }
    let mut told = Map::new();
    for result in item.get("results").and_then(Json::as_array).into_iter().flatten() {
        let name = result.get("name").and_then(Json::as_str).unwrap_or("grade");
        let score = result.get("score").and_then(Json::as_f64);
        if let Some(outcome) = scores::graded(score, result.get("passed").and_then(Json::as_bool), None) {
            scores::add(&mut told, name, outcome);
        }
    }
    let origin = json!({
        "from": FORMAT.name(), "eval": eval, "run": text("run_id"), "output_item": text("id"), "status": text("status"),
        "finish_reason": sample.get("finish_reason"), "usage": sample.get("usage"), "error": error,
    });
    put(&mut case.metadata, ORIGIN, origin);
    (case, told)
}

/// A line of the results that the dashboard downloads. Where it has no `passes` nothing passed.
fn download_case(line: &Json) -> (Case, Map<String, Json>) {
    let id = line.get("data_source_idx").map(as_text).unwrap_or_default();
    let mut case = item_case(line.get("item"), id);
    let sample = line.get("sample").cloned().unwrap_or_default();
    let error = sample_error(&sample);
    if error.is_none() {
        let model = sample.get("sampled_model_name").and_then(Json::as_str);
        put_response(&mut case, answer_of(sample.get("outputs")), model);
    }
    if case.query.is_none() {
        case.query = sample.get("trajectory").and_then(content::prompt);
    }
    let of = |key: &str| line.get(key).and_then(Json::as_object);
    let (grades, passes) = (of("grades"), of("passes"));
    let mut told = Map::new();
    let empty = Map::new();
    for (name, value) in grades.unwrap_or(&empty) {
        let passed = passes.and_then(|passes| passes.get(name)?.as_bool());
        if let Some(outcome) = scores::graded(value.as_f64(), passed, None) {
            scores::add(&mut told, name, outcome);
        }
    }
    for (name, passed) in passes.unwrap_or(&empty) {
        let is_alone = grades.is_none_or(|grades| !grades.contains_key(name));
        if let Some(outcome) = scores::graded(None, passed.as_bool(), None).filter(|_| is_alone) {
            scores::add(&mut told, name, outcome);
        }
    }
    let origin = json!({
        "from": FORMAT.name(), "run": line.get("run_id"), "finish_reason": sample.get("finish_reason"),
        "usage": sample.get("token_usage"), "error": error,
    });
    put(&mut case.metadata, ORIGIN, origin);
    (case, told)
}

/// The name of a grader as results have it: small letters, digits and `_`.
fn metric_name(grader: &Json, known: &[Json]) -> String {
    let given = grader.get("name").and_then(Json::as_str).unwrap_or("grader");
    let mut name = String::new();
    for letter in given.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            name.push(letter);
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    let name = if name.is_empty() { "grader" } else { name };
    let is_taken = |name: &str| known.iter().any(|entry| entry.get("name").and_then(Json::as_str) == Some(name));
    let numbered = (2_usize..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// A value without the fields that say nothing: exports write all that a grader could have.
fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), without_nulls(value)))
            .collect(),
        Json::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// The settings of a model, by the fields of `sampling_params`.
fn model_settings(name: &str, model: &str, sampling: Option<&Json>) -> Map<String, Json> {
    const SAME: [(&str, &str); 6] = [
        ("temperature", "temperature"),
        ("top_p", "top_p"),
        ("seed", "seed"),
        ("reasoning_effort", "reasoning_effort"),
        ("max_completion_tokens", "max_tokens"),
        ("max_completions_tokens", "max_tokens"),
    ];
    let mut settings = Map::new();
    settings.insert("name".to_owned(), json!(name));
    // Whatever the file calls it, it is a model of this provider: a file names no program and no address.
    settings.insert("api_model_name".to_owned(), json!(format!("openai:{model}")));
    for (theirs, ours) in SAME {
        if let Some(value) = sampling.and_then(|sampling| sampling.get(theirs)).filter(|value| !value.is_null()) {
            settings.insert(ours.to_owned(), value.clone());
        }
    }
    settings
}

/// The configuration of an eval: a metric for each of its testing criteria, and the models that judge.
fn eval_configuration(eval: &Json) -> Map<String, Json> {
    let mut metrics: Vec<Json> = Vec::new();
    let mut models: Vec<Json> = Vec::new();
    for grader in eval.get("testing_criteria").and_then(Json::as_array).into_iter().flatten() {
        let name = metric_name(grader, &metrics);
        let kind = grader.get("type").and_then(Json::as_str).unwrap_or_default();
        let mut options = json!({"grader": without_nulls(grader)});
        let id = if matches!(kind, "label_model" | "score_model") {
            if let Some(model) = grader.get("model").and_then(Json::as_str) {
                let judge = format!("{name}_judge");
                models.push(Json::Object(model_settings(&judge, model, grader.get("sampling_params"))));
                options["judges"] = json!([judge]);
            }
            "openai_model_grader"
        } else {
            "openai_grader"
        };
        metrics.push(json!({"id": id, "name": name, "options": options}));
    }
    let mut configuration = Map::new();
    configuration.insert("metrics".to_owned(), Json::Array(metrics));
    if !models.is_empty() {
        let names: Vec<Json> = models.iter().map(|model| model["name"].clone()).collect();
        configuration.insert("models".to_owned(), Json::Array(models));
        configuration.insert("judges".to_owned(), Json::Array(names));
    }
    configuration
}

/// What a run asked its model, as `generate`.
fn generation(run: &Json, configuration: &mut Map<String, Json>, imported: &mut ImportedCases) {
    let Some(source) = run.get("data_source") else { return };
    let messages = source.get("input_messages");
    let mut generate = Map::new();
    if let Some(path) = messages.and_then(|messages| messages.get("item_reference")).and_then(Json::as_str) {
        let pointer = format!("/{}", path.replace('.', "/"));
        for case in &mut imported.cases {
            let Some(list) = Json::Object(case.metadata.clone()).pointer(&pointer).cloned() else { continue };
            if let Some(Ok(parsed)) = agents::parse_conversation(&list) {
                case.query = list.as_array().and_then(|list| content::question(list)).or(case.query.take());
                case.messages = Some(parsed);
            }
        }
    } else if let Some(template) = messages.and_then(|messages| messages.get("template")).and_then(Json::as_array) {
        template_settings(template, &mut generate, &mut imported.notes);
    }
    let model =
        source.get("model").or_else(|| run.get("model")).and_then(Json::as_str).filter(|model| !model.is_empty());
    if let Some(model) = model {
        let name = format!("openai:{model}");
        let mut settings = model_settings(&name, model, source.get("sampling_params"));
        settings.shift_remove("api_model_name");
        let sampling = source.get("sampling_params").and_then(Json::as_object);
        for key in ["tools", "response_format", "text"] {
            if sampling.is_some_and(|sampling| sampling.get(key).is_some_and(|value| !value.is_null())) {
                imported.notes.push(format!("`sampling_params.{key}` of the run is not taken over"));
            }
        }
        if let Json::Array(models) = configuration.entry("models").or_insert_with(|| json!([])) {
            models.push(Json::Object(settings));
        }
        generate.insert("models".to_owned(), json!([name]));
    }
    if !generate.is_empty() {
        configuration.insert("generate".to_owned(), Json::Object(generate));
    }
}

/// A template of messages: instructions, pairs of question and answer, and the question.
fn template_settings(template: &[Json], generate: &mut Map<String, Json>, notes: &mut Vec<String>) {
    #[derive(Deserialize)]
    struct Message {
        role: String,
        content: Json,
    }
    let (mut system, mut users, mut examples) = (Vec::new(), Vec::<String>::new(), Vec::new());
    let mut is_other = false;
    for message in template {
        let Ok(Message { role, content }) = Message::deserialize(message) else { continue };
        // Nothing in the file may name one of the reader's own: a text that begins with `@` would.
        let text = content::text(&content).or_else(|| content.get("text").and_then(Json::as_str).map(str::to_owned));
        let Some(text) = text.map(|text| if text.starts_with('@') { format!(" {text}") } else { text }) else {
            is_other = true;
            continue;
        };
        match role.as_str() {
            "system" | "developer" => system.push(text),
            "assistant" => match users.pop() {
                Some(prompt) => examples.push(json!({"prompt": prompt, "response": text})),
                None => is_other = true,
            },
            _ => users.push(text),
        }
    }
    if is_other {
        notes.push("the messages of the run hold more than texts of a conversation; look at `generate`".to_owned());
    }
    let joined = |texts: Vec<String>| (!texts.is_empty()).then(|| json!(texts.join("\n\n")));
    generate.extend(joined(system).map(|text| ("system".to_owned(), text)));
    if !examples.is_empty() {
        generate.insert("examples".to_owned(), Json::Array(examples));
    }
    generate.extend(joined(users).map(|text| ("prompt".to_owned(), text)));
}
