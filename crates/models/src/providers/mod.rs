//! What is sent to a provider and how its answer is read. Everything here is pure: bytes in, bytes out.

pub(crate) mod anthropic;
pub(crate) mod command;
pub(crate) mod gemini;
pub(crate) mod openai;
pub(crate) mod prompt;
pub(crate) mod replay;

use probare_core::{Message, Parameters, Question, Reply, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{Fault, ModelName};

/// A question with everything that decides its answer. Its JSON, byte for byte, is what the record's key is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Who answers.
    pub provider: crate::Provider,
    /// Where.
    pub base_url: String,
    /// The model, as the provider calls it.
    pub model: String,
    /// How it is asked, settings and question together.
    pub parameters: Parameters,
    /// How long a reasoning model thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Further fields of the body.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Json>,
    /// Whether a vector of the last message is wanted in place of a reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub embedding: bool,
    /// The conversation.
    pub messages: Vec<Message>,
    /// Which repetition of the run.
    pub repeat: u32,
    /// Which judge of a panel.
    pub seat: usize,
    /// Which attempt of the judge.
    pub attempt: u32,
}

impl Request {
    /// The question as it is asked of this model.
    pub(crate) fn new(
        name: &ModelName,
        base_url: &str,
        settings: &crate::ModelSettings,
        question: &Question,
        repeat: u32,
    ) -> Self {
        let asked = &question.parameters;
        let parameters = Parameters {
            temperature: asked.temperature.or(settings.temperature),
            top_p: asked.top_p.or(settings.top_p),
            max_tokens: asked.max_tokens.or(settings.max_tokens),
            seed: asked.seed.or(settings.seed),
            stop: asked.stop.clone(),
            schema: asked.schema.clone(),
            logprobs: asked.logprobs,
            tools: asked.tools.clone(),
        };
        Self {
            provider: name.provider,
            base_url: base_url.to_owned(),
            model: name.model.clone(),
            parameters,
            reasoning_effort: settings.reasoning_effort.clone(),
            extra_body: settings.extra_body.clone(),
            embedding: settings.generator_type == Some(crate::GeneratorType::Embedding),
            messages: question.messages.clone(),
            repeat,
            seat: question.seat,
            attempt: question.attempt,
        }
    }
}

/// A reply as a provider gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Text or refusal, usage and the model's own name.
    pub reply: Reply,
    /// What the provider says that the call cost, in dollars.
    pub cost: Option<f64>,
    /// Probabilities of the tokens, in the provider's form.
    pub logprobs: Option<Json>,
}

/// Why a body is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheard {
    /// What went wrong.
    pub fault: Fault,
    /// In words.
    pub reason: String,
}

impl Unheard {
    pub(crate) fn new(fault: Fault, reason: impl Into<String>) -> Self {
        Self { fault, reason: reason.into() }
    }
}

/// Where a request goes and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parcel {
    /// Address.
    pub url: String,
    /// The exact bytes of the body.
    pub body: Vec<u8>,
}

/// Sets a field where a value is there.
pub(crate) fn set<T: Serialize>(body: &mut Map<String, Json>, name: &str, value: Option<T>) {
    if let Some(value) = value
        && let Ok(json) = serde_json::to_value(value)
    {
        body.insert(name.to_owned(), json);
    }
}

/// The system messages as one text, and the others in their order.
pub(crate) fn parted(messages: &[Message]) -> (Option<String>, Vec<&Message>) {
    let (system, others): (Vec<&Message>, Vec<&Message>) =
        messages.iter().partition(|message| message.role == probare_core::Role::System);
    let system: Vec<&str> = system.iter().map(|message| message.text.as_str()).collect();
    ((!system.is_empty()).then(|| system.join("\n\n")), others)
}

/// The address of a path below the base URL, whether that ends in a slash or not.
pub(crate) fn address(base_url: &str, path: &str) -> String {
    format!("{}{path}", base_url.trim_end_matches('/'))
}

/// What a failed call says in its body: the message where it has the usual form, else the beginning of the text.
pub(crate) fn complaint(body: &str) -> String {
    let said = serde_json::from_str::<Json>(body).ok().and_then(|json| {
        let error = json.get("error").or_else(|| json.get(0).and_then(|first| first.get("error")))?;
        let text = error.get("message").and_then(Json::as_str).or_else(|| error.as_str())?;
        Some(text.to_owned())
    });
    let text = said.unwrap_or_else(|| body.trim().to_owned());
    let end = text.floor_char_boundary(300);
    if end < text.len() { format!("{}…", text.get(..end).unwrap_or_default()) } else { text }
}

/// JSON from a body, or the fault.
pub(crate) fn json(body: &[u8]) -> Result<Json, Unheard> {
    serde_json::from_slice(body)
        .map_err(|error| Unheard::new(Fault::InvalidJson, format!("the reply is not valid JSON: {error}")))
}

/// A count of tokens at a path.
pub(crate) fn count(json: &Json, pointer: &str) -> u64 {
    json.pointer(pointer).and_then(Json::as_u64).unwrap_or_default()
}

/// A usage from two paths.
pub(crate) fn usage(json: &Json, input: &str, output: &str) -> Usage {
    Usage::new(count(json, input), count(json, output))
}

#[cfg(test)]
pub(crate) mod tests_support {
    //! One request that uses every parameter.
    use super::*;

    pub(crate) fn request(provider: crate::Provider) -> Request {
        Request {
            provider,
            base_url: provider.base_url().unwrap_or_default().to_owned(),
            model: "m".into(),
            parameters: Parameters {
                temperature: Some(0.0),
                top_p: Some(0.9),
                max_tokens: Some(50),
                seed: Some(7),
                stop: vec!["END".into()],
                schema: Some(serde_json::json!({"type": "object"})),
                logprobs: true,
                tools: Vec::new(),
            },
            reasoning_effort: None,
            extra_body: Map::new(),
            embedding: false,
            messages: vec![Message::system("Be brief."), Message::user("Why?")],
            repeat: 0,
            seat: 0,
            attempt: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// JSON with the names that replies have, in places where they do not belong.
    fn odd() -> impl Strategy<Value = Json> {
        let names = prop::sample::select(vec![
            "choices",
            "data",
            "embedding",
            "message",
            "content",
            "refusal",
            "text",
            "parts",
            "candidates",
            "usage",
            "error",
            "code",
            "logprobs",
            "promptFeedback",
            "blockReason",
            "finishReason",
            "type",
            "input",
            "prompt_tokens",
            "cost",
        ]);
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<u64>().prop_map(Json::from),
            "\\PC{0,8}".prop_map(Json::from),
            Just(Json::from("tool_use")),
        ];
        leaf.prop_recursive(6, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::vec((names.clone(), inner), 0..5).prop_map(|pairs| Json::Object(
                    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_body_is_a_reply_or_a_fault(json in odd(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let text = json.to_string();
            for body in [text.as_bytes(), bytes.as_slice()] {
                let _ = (openai::heard(body), openai::heard_vector(body), anthropic::heard(body), gemini::heard(body), command::heard(body), prompt::heard(body));
                let _ = complaint(&String::from_utf8_lossy(body));
            }
        }

        #[test]
        fn a_cleaned_text_holds_no_run_of_the_key(key in "[a-z0-9é-]{8,20}", before in "\\PC{0,12}", cut in 0_usize..8) {
            let redactor = crate::Redactor::default();
            redactor.learn(&crate::Secret::new(&key));
            let part: String = key.chars().skip(cut).collect();
            let clean = redactor.clean(format!("{before}{part}{key}{before}"));
            let held = key.as_bytes().windows(crate::RUN).any(|run| clean.as_bytes().windows(crate::RUN).any(|window| window == run));
            prop_assert!(!held, "{clean}");
        }
    }
}
