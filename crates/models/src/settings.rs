//! [`ModelSettings`]: one model of a configuration, and what is wrong with it before anything is sent.
//!
//! A key never stands in a configuration: `api_key` is the name of an environment variable. What looks like a key is
//! refused without being shown. Whoever reads these settings from YAML reads without snippets of the source, since an error
//! in another field would show the lines around it.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use probare_core::{ChatRequest, ModelRecord, Parameters, Sha256};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::dialects::{azure, chat};
use crate::prices::Pricing;
use crate::{Feature, ModelName, ModelRequest, Provider, REDACTED};

/// What the digest of a program begins with where others have an address.
const PROGRAM: &str = "sha256";

/// One model: who it is, how it is asked, and how hard.
#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// Name in this project. Without `api_model_name` it is also `provider:model`, or, with `base_url`, the name that the
    /// server knows.
    pub name: String,
    /// What the provider calls the model, where that is not the name: `provider:model`, or with `base_url` as the server
    /// knows it.
    pub api_model_name: Option<String>,
    /// Who answers, where the name does not say. With `base_url` alone a server that speaks like `OpenAI`.
    pub provider: Option<Provider>,
    /// Where the server is found, up to the part before `/chat/completions`.
    pub base_url: Option<String>,
    /// Version of the interface, for Azure; `2024-10-21` if absent.
    pub api_version: Option<String>,
    /// Name of the environment variable that holds the key. Never the key itself.
    pub api_key: Option<String>,
    /// Further headers. `${NAME}` is replaced by that environment variable; a header for a key must be such a reference.
    pub headers: BTreeMap<String, String>,
    /// The program of the provider `command`, with its arguments.
    pub command: Vec<String>,

    /// How freely the model chooses its words.
    pub temperature: Option<f64>,
    /// Share of the likeliest words that it chooses from.
    pub top_p: Option<f64>,
    /// Most tokens of a reply.
    pub max_tokens: Option<u32>,
    /// The field in which `max_tokens` is sent to a server that speaks like `OpenAI`: `max_tokens`, which older servers know,
    /// or `max_completion_tokens`, which reasoning models of `OpenAI` want behind a `base_url` too.
    pub max_tokens_field: Option<MaxTokensField>,
    /// Seed, for models that take one.
    pub seed: Option<u64>,
    /// How long a reasoning model thinks: `low`, `medium`, `high`.
    pub reasoning_effort: Option<String>,
    /// Further fields of the request, as the provider wants them. Objects are merged field by field; a field that is sent
    /// already, or that a setting decides, is refused.
    pub extra_body: Map<String, Json>,

    /// Whether replies come piece by piece, so that a long one is not taken for a dead one.
    pub stream: bool,
    /// With `stream`: seconds of silence after which an attempt ends, also before the first byte; 60 if absent.
    pub idle_timeout: Option<f64>,
    /// Seconds that one attempt may take; 120 if absent. With `stream` only its silences are limited.
    pub timeout: Option<f64>,
    /// Seconds that a question may take in all, with every attempt and every wait; 900 if absent.
    pub timeout_total: Option<f64>,
    /// Attempts in all; 6 if absent.
    pub max_attempts: Option<u32>,
    /// Seconds before the second attempt, doubled before each further one; 0.5 if absent.
    pub retry_wait: Option<f64>,
    /// Most requests under way at once; 64 if absent. Fewer when the provider asks for patience.
    pub concurrency: Option<u32>,
    /// Most requests a minute.
    pub requests_per_minute: Option<u32>,
    /// Most tokens a minute, sent and received.
    pub tokens_per_minute: Option<u64>,
    /// Who shares the limits a minute, and the pauses that the provider asks for: `model` if absent, or `key`: all models of
    /// the same provider, address and key that say so.
    pub limits_by: Option<LimitScope>,
    /// Whether a reply that is an empty text is asked for once more and fails where it comes again; without it an empty text is an
    /// answer.
    pub retry_empty: bool,
    /// Failures in a row after which the provider is left alone for a while; 20 if absent.
    pub breaker_failures: Option<u32>,
    /// Seconds for which it is left alone; 15 if absent.
    pub breaker_wait: Option<f64>,
    /// Models that answer in its place, in this order, where it fails for a reason that is not the question's: names of
    /// models of the configuration, or `provider:model`. Results stay those of this model and name who answered.
    pub fallback: Vec<String>,

    /// Price of the model, where the list does not know it or is out of date.
    pub pricing: Option<Pricing>,
    /// How the answer is made, in the configurations of SGI-Bench: `direct`, `multimodal` or `embedding`.
    pub generator_type: Option<GeneratorType>,
    /// Fields of the raw reply to keep, by name and path, in the configurations of SGI-Bench.
    pub extract_fields: BTreeMap<String, String>,
    /// What decided the replies of a finished run, beside the fields above.
    #[serde(skip)]
    pub also: Option<BTreeMap<String, String>>,
}

/// Who shares the limits a minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitScope {
    /// Everybody who asks the same model at the same address.
    #[default]
    Model,
    /// All models of the same provider, address and key.
    Key,
}

/// The field of the longest reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// The field.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How an answer is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GeneratorType {
    /// Text to text.
    #[default]
    Direct,
    /// Text and images to text.
    Multimodal,
    /// Text to vectors.
    Embedding,
}

/// What is wrong with the settings of a model. No value of a secret field is ever part of the text.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The variable is not set.
    #[error("the environment variable `{variable}` with the key of model `{model}` is not set")]
    NoKey { model: String, variable: String },
    /// The name does not say who answers, a secret stands where it would be kept or shown, or a setting is out of range.
    #[error("{0}")]
    Invalid(String),
}

impl SettingsError {
    /// A setting is out of range; `reason` is the rest of the sentence.
    pub(crate) fn value(model: &str, field: &str, reason: &str) -> Self {
        Self::Invalid(format!("`{field}` of model `{model}` {reason}"))
    }

    /// A secret stands in a header or address; `place` names it without its value.
    fn literal_secret(model: &str, place: &str) -> Self {
        Self::Invalid(format!(
            "{place} of model `{model}` holds a secret; put it into an environment variable and write `${{NAME}}`"
        ))
    }
}

/// Beginnings of keys of well-known services.
const KEY_BEGINNINGS: &[&str] = &["sk-", "sk_", "gsk_", "aiza", "xai-", "hf_", "pk-", "rk-", "nvapi-", "bearer "];

/// Whether a text can be the name of an environment variable and does not look like a key.
pub fn looks_like_a_variable(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let one_case = text == lower || text == text.to_ascii_uppercase();
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    // Keys of letters and digits in one case (often hexadecimal) have a long piece with digits in it, names do not.
    let key_like = text.split('_').any(|piece| piece.len() >= 16 && piece.bytes().any(|byte| byte.is_ascii_digit()));
    let known = KEY_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning));
    one_case && plain && starts && !key_like && !known && text.len() <= 64
}

/// A text without what looks like a key: for messages about a configuration in which one may stand in the wrong place.
pub fn without_keys(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut clean = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        clean.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        let lower = word.to_ascii_lowercase();
        let known = word.len() >= 8 && KEY_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning));
        let mixed = word.len() >= 20 && word.bytes().any(|byte| byte.is_ascii_digit()) && !looks_like_a_variable(word);
        clean.push_str(if known || mixed { REDACTED } else { word });
        rest = &rest[end..];
    }
    clean.push_str(rest);
    clean
}

/// Whether a text looks like a key: the beginning of a known kind, or a long piece of letters and digits in both cases.
fn looks_like_a_key(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let has = |word: &str, is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    text.split(|c| !is_part(c)).any(|word| {
        let lower = word.to_ascii_lowercase();
        let is_known = word.len() >= 16 && KEY_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning));
        let is_mixed =
            has(word, u8::is_ascii_digit) && has(word, u8::is_ascii_lowercase) && has(word, u8::is_ascii_uppercase);
        is_known || (word.len() >= 32 && is_mixed)
    })
}

/// Whether a field of this name holds a secret: one of its words says so. `max_tokens` and `token_budget` count tokens.
fn is_secret_field(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let joined: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_word = |secret: &str| lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == secret);
    ["apikey", "accesskey", "secretkey", "privatekey", "authtoken", "accesstoken", "bearertoken"]
        .iter()
        .any(|secret| joined.contains(secret))
        || ["authorization", "password", "passwd", "secret", "credential", "credentials"].into_iter().any(is_word)
        || ["token", "key"].contains(&lower.as_str())
}

/// The path to a value of a request that is a secret; nothing where none is.
fn secret_in(name: &str, value: &Json) -> Option<String> {
    match value {
        Json::String(text) if looks_like_a_key(text) || (is_secret_field(name) && text.len() >= 8) => {
            Some(name.to_owned())
        }
        Json::Object(map) => {
            map.iter().find_map(|(field, value)| secret_in(field, value)).map(|inner| format!("{name}.{inner}"))
        }
        Json::Array(list) => list.iter().find_map(|value| secret_in(name, value)),
        _ => None,
    }
}

/// The argument of a command line that is a secret: by its look, or since the flag before it says so.
fn secret_argument(command: &[String]) -> Option<usize> {
    (0..command.len()).find(|at| {
        let word = command[*at].as_str();
        let flag = at.checked_sub(1).map(|before| command[before].as_str()).filter(|flag| flag.starts_with('-'));
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with('-')) {
            Some((name, value)) => (Some(name), value),
            None => (flag.filter(|_| !word.starts_with('-')), word),
        };
        looks_like_a_key(word)
            || name.is_some_and(|name| is_secret_field(name.trim_start_matches('-')))
                && value.len() >= 8
                && !looks_like_a_variable(value)
                && !std::path::Path::new(value).exists()
    })
}

/// Whether a header of this name carries a secret.
fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "cookie", "password"].iter().any(|word| name.contains(word))
}

/// Bytes of a file up to which its content is read; beyond it size and time of its last change stand for it.
const LARGEST_HASHED: u64 = 64 << 20;

/// What tells a file from what it was before; nothing where a word of a command names none.
fn content_digest(word: &str) -> Option<String> {
    // A bare name is a program of the path, unless a file of that name lies here.
    let path = std::path::Path::new(word);
    let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    if about.len() > LARGEST_HASHED {
        let changed = about.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        return Some(format!("{} bytes, {}", about.len(), changed.unwrap_or_default().as_nanos()));
    }
    let mut digest = Sha256::default();
    let mut file = probare_files::open_plain(path).ok()?;
    std::io::copy(&mut file, &mut digest).ok()?;
    Some(digest.hex())
}

impl fmt::Debug for ModelSettings {
    /// The name alone: other fields may hold a key that was written in the wrong place.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ModelSettings").field("name", &self.display_name()).finish_non_exhaustive()
    }
}

impl ModelSettings {
    /// Settings of a model by its name alone.
    pub fn from_name(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The question as it is asked of this model.
    pub(crate) fn request(
        &self,
        name: &ModelName,
        base_url: &str,
        also: &BTreeMap<String, String>,
        question: &ChatRequest,
        repeat: u32,
    ) -> ModelRequest {
        let per_request = &question.parameters;
        let parameters = Parameters {
            temperature: per_request.temperature.or(self.temperature),
            top_p: per_request.top_p.or(self.top_p),
            max_tokens: per_request.max_tokens.or(self.max_tokens),
            seed: per_request.seed.or(self.seed),
            stop: per_request.stop.clone(),
            schema: per_request.schema.clone(),
            logprobs: per_request.logprobs,
            tools: per_request.tools.clone(),
        };
        ModelRequest {
            provider: name.provider,
            base_url: base_url.to_owned(),
            model: name.model.clone(),
            parameters,
            reasoning_effort: self.reasoning_effort.clone(),
            extra_body: self.extra_body.clone(),
            embedding: self.generator_type == Some(GeneratorType::Embedding),
            also: also.clone(),
            messages: question.messages.clone(),
            repeat,
            seat: question.seat,
            attempt: question.attempt,
        }
    }

    /// The settings of a model of a finished run, to be asked the same again.
    pub fn from_used_model(used: &ModelRecord) -> Self {
        Self {
            api_model_name: Some(used.model.clone()),
            provider: Provider::from_name(&used.provider),
            base_url: (!used.base_url.is_empty()).then(|| used.base_url.clone()),
            temperature: used.parameters.temperature,
            top_p: used.parameters.top_p,
            max_tokens: used.parameters.max_tokens,
            seed: used.parameters.seed,
            reasoning_effort: used.reasoning_effort.clone(),
            extra_body: used.extra_body.as_object().cloned().unwrap_or_default(),
            also: Some(used.also.clone()),
            fallback: used.fallback.clone(),
            ..Self::from_name(&used.name)
        }
    }

    /// Who answers, and under which name.
    pub fn model_name(&self) -> Result<ModelName, SettingsError> {
        let name = self.api_model_name.as_deref().unwrap_or(&self.name);
        if name.trim().is_empty() {
            return Err(SettingsError::Invalid("a model has no `name`".to_owned()));
        }
        match (self.provider, &self.base_url) {
            (Some(provider), Some(_)) => Ok(ModelName { provider, model: name.to_owned() }),
            // A name may repeat the provider that is given beside it.
            (Some(provider), None) => Ok(match ModelName::parse(name) {
                Ok(parsed) if parsed.provider == provider => parsed,
                _ => ModelName { provider, model: name.to_owned() },
            }),
            (None, Some(_)) => Ok(ModelName { provider: Provider::OpenAi, model: name.to_owned() }),
            (None, None) => ModelName::parse(name),
        }
    }

    /// What tells a program from another of the same name, in place of an address: the digest of its command line, which may
    /// hold what is nobody's business.
    pub(crate) fn program_digest(&self, name: &ModelName) -> Option<String> {
        let is_named = name.provider == Provider::Command && !self.command.is_empty();
        is_named.then(|| format!("{PROGRAM}:{}", Sha256::hex_digest(self.command.join("\0").as_bytes())))
    }

    /// What else decides a reply, and nothing secret: headers, the version of an interface, the content of files that a
    /// program names. A finished run knows its own.
    pub(crate) fn other_inputs(&self, name: &ModelName) -> BTreeMap<String, String> {
        if let Some(known) = &self.also {
            return known.clone();
        }
        let mut also = BTreeMap::new();
        for (header, value) in self.headers.iter().filter(|(header, _)| !is_secret_header(header)) {
            if !value.contains("${") {
                also.insert(format!("header {}", header.to_ascii_lowercase()), value.clone());
            }
        }
        if let Some(version) = self.api_version.as_ref().filter(|_| name.provider == Provider::Azure) {
            also.insert(azure::VERSION_NAME.to_owned(), version.clone());
        }
        if let Some(field) = self.max_tokens_field {
            also.insert(chat::MAX_TOKENS_FIELD.to_owned(), field.name().to_owned());
        }
        if name.provider == Provider::Command {
            let own = [name.model.clone()];
            let words = if self.command.is_empty() { own.as_slice() } else { self.command.as_slice() };
            also.extend(words.iter().filter_map(|word| Some((format!("file {word}"), content_digest(word)?))));
        }
        also
    }

    /// The variable that holds the key: the one that is named, else the provider's own. With a `base_url` a provider's own
    /// key is not sent unless it is named, since the server may be anybody's.
    pub fn key_variable(&self) -> Result<Option<String>, SettingsError> {
        let provider = self.model_name()?.provider;
        let Some(named) = &self.api_key else {
            let own = provider
                .key_variable()
                // A server of prompts has no address of its own: its variable is for the one that is named.
                .filter(|_| self.base_url.is_none() || provider == Provider::Prompt);
            return Ok(own.map(ToOwned::to_owned));
        };
        if looks_like_a_variable(named) {
            return Ok(Some(named.to_ascii_uppercase()));
        }
        Err(SettingsError::Invalid(format!(
            "`api_key` of model `{}` holds what looks like a key; put the key into an environment variable and write the \
             variable's name: `api_key: {}`",
            self.display_name(),
            provider.key_variable().unwrap_or("MODEL_API_KEY")
        )))
    }

    /// The name for messages. A key that was written in the wrong place is not shown.
    pub fn display_name(&self) -> String {
        let key_like = |text: &str| {
            let lower = text.to_ascii_lowercase();
            KEY_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
        };
        if key_like(&self.name) { "(a name that looks like a key)".to_owned() } else { self.name.clone() }
    }

    /// Whether the address is one, and holds no secret.
    pub(crate) fn check_address(&self) -> Result<(), SettingsError> {
        let Some(url) = &self.base_url else { return Ok(()) };
        let Ok(parsed) = reqwest::Url::parse(url) else { return self.refuse("base_url", "is not an address") };
        if !parsed.username().is_empty() || parsed.password().is_some() || parsed.query().is_some() {
            return Err(SettingsError::literal_secret(&self.display_name(), "`base_url`"));
        }
        // A finished run has the digest of a program there.
        let is_program = parsed.scheme() == PROGRAM && self.provider == Some(Provider::Command);
        if !is_program && !matches!(parsed.scheme(), "http" | "https") {
            return self.refuse("base_url", "begins with neither `http://` nor `https://`");
        }
        Ok(())
    }

    /// Everything that can be said without the environment and the network.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.key_variable()?;
        self.check_headers()?;
        // What a finished run was asked with is looked for, not sent, and stands in its file already.
        if self.also.is_none() {
            self.check_stored_secrets(&self.display_name())?;
        }
        self.check_address()?;
        if self.base_url.is_none() && self.model_name().is_ok_and(|name| name.provider == Provider::Prompt) {
            return self.refuse("base_url", "is missing: it is the address that questions are posted to");
        }
        self.check_limits()?;
        self.check_provider()?;
        let is_plain = |text: &String| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        if self.api_version.as_ref().is_some_and(|version| !is_plain(version)) {
            return self.refuse("api_version", "is not a version such as `2024-10-21`");
        }
        if self.tokens_per_minute == Some(0) {
            return self.refuse("tokens_per_minute", "is 0, and 1 is the least");
        }
        if self.temperature.is_some_and(|number| !(0.0..=10.0).contains(&number)) {
            return self.refuse("temperature", "is not a number from 0 to 10");
        }
        if self.top_p.is_some_and(|number| !(0.0..=1.0).contains(&number)) {
            return self.refuse("top_p", "is not a number from 0 to 1");
        }
        if !self.fallback.is_empty() && self.generator_type == Some(GeneratorType::Embedding) {
            return self.refuse(
                "fallback",
                "is for models that answer: vectors of two models cannot be compared; leave it out",
            );
        }
        if self.fallback.contains(&self.name) {
            return self.refuse("fallback", "names the model itself; name others, or leave it out");
        }
        if self.pricing.is_some_and(|pricing| !pricing.is_sound()) {
            return self.refuse("pricing", "holds a negative price");
        }
        Ok(())
    }

    fn refuse(&self, field: &'static str, reason: &str) -> Result<(), SettingsError> {
        Err(SettingsError::value(&self.display_name(), field, reason))
    }

    /// Headers hold no secret as text.
    fn check_headers(&self) -> Result<(), SettingsError> {
        for (name, value) in &self.headers {
            let literal = !value.contains("${");
            let lower = value.to_ascii_lowercase();
            let known = KEY_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning));
            if literal && (is_secret_header(name) || known) {
                return Err(SettingsError::literal_secret(&self.display_name(), &format!("header `{name}`")));
            }
        }
        Ok(())
    }

    /// Times and counts are above 0.
    fn check_limits(&self) -> Result<(), SettingsError> {
        let seconds = [
            ("timeout", self.timeout),
            ("idle_timeout", self.idle_timeout),
            ("timeout_total", self.timeout_total),
            ("retry_wait", self.retry_wait),
            ("breaker_wait", self.breaker_wait),
        ];
        for (field, given) in seconds {
            if given.is_some_and(|number| !(number > 0.0 && number <= 1e6)) {
                return self.refuse(field, "is not a number of seconds above 0");
            }
        }
        let counts = [
            ("concurrency", self.concurrency),
            ("max_attempts", self.max_attempts),
            ("requests_per_minute", self.requests_per_minute),
            ("breaker_failures", self.breaker_failures),
            ("max_tokens", self.max_tokens),
        ];
        for (field, given) in counts {
            if given == Some(0) {
                return self.refuse(field, "is 0, and 1 is the least");
            }
        }
        Ok(())
    }

    /// What is set can be expressed to the provider.
    fn check_provider(&self) -> Result<(), SettingsError> {
        let provider = self.model_name()?.provider;
        let features = [
            (Feature::Temperature, "temperature", self.temperature.is_some()),
            (Feature::TopP, "top_p", self.top_p.is_some()),
            (Feature::MaxTokens, "max_tokens", self.max_tokens.is_some()),
            (Feature::Seed, "seed", self.seed.is_some()),
            (Feature::ReasoningEffort, "reasoning_effort", self.reasoning_effort.is_some()),
            (Feature::Images, "generator_type", self.generator_type == Some(GeneratorType::Multimodal)),
            (Feature::Embeddings, "generator_type", self.generator_type == Some(GeneratorType::Embedding)),
            (Feature::Streaming, "stream", self.stream),
        ];
        for (feature, field, is_wanted) in features {
            // What a finished run was asked with is looked for, not sent.
            if is_wanted && self.also.is_none() && !provider.supports(feature) {
                let what = if field == feature.name() { String::new() } else { format!(" ({})", feature.name()) };
                let reason = format!("cannot be expressed{what}: `{provider}` knows nothing of the kind; leave it out");
                return self.refuse(field, &reason);
            }
        }
        if self.api_version.is_some() && provider != Provider::Azure {
            return self.refuse("api_version", "is for `azure` only");
        }
        let first = azure::FIRST_WITH_REASONING;
        let version = self.api_version.as_deref().unwrap_or(azure::VERSION);
        if provider == Provider::Azure && self.reasoning_effort.is_some() && self.also.is_none() && version < first {
            let reason = format!("needs `api_version: {first}` or later; `{version}` does not know it");
            return self.refuse("reasoning_effort", &reason);
        }
        if self.max_tokens_field.is_some() && !provider.speaks_chat() {
            return self.refuse("max_tokens_field", "is for servers that speak like `openai`; leave it out");
        }
        if self.idle_timeout.is_some() && !self.stream {
            return self.refuse("idle_timeout", "is for replies that come in pieces: set `stream: true` too");
        }
        Ok(())
    }

    /// Further fields of the request stand in manifests, and so does what a program is called with.
    fn check_stored_secrets(&self, model: &str) -> Result<(), SettingsError> {
        let stored_secret = |place: String, remedy: String| {
            SettingsError::Invalid(format!(
                "{place} of model `{model}` holds what looks like a secret, and would be kept in manifests and stores; {remedy}"
            ))
        };
        let variable = self.model_name().ok().and_then(|name| name.provider.key_variable()).unwrap_or("MODEL_API_KEY");
        if let Some(path) = self.extra_body.iter().find_map(|(field, value)| secret_in(field, value)) {
            let remedy = format!(
                "put it into an environment variable and name that: `api_key: {variable}`, or a header with `${{NAME}}`"
            );
            return Err(stored_secret(format!("`extra_body.{path}`"), remedy));
        }
        let name = self.api_model_name.as_deref().unwrap_or(&self.name);
        let words: Vec<String> = if self.command.is_empty() && name.starts_with("command:") {
            name.split_whitespace().map(str::to_owned).collect()
        } else {
            self.command.clone()
        };
        if let Some(at) = secret_argument(&words) {
            let remedy =
                format!("put it into an environment variable such as `{variable}`, which the program inherits");
            return Err(stored_secret(format!("argument {at} of `command`"), remedy));
        }
        Ok(())
    }

    /// Seconds as a duration, or what holds without them.
    pub(crate) fn seconds(given: Option<f64>, otherwise: f64) -> Duration {
        Duration::try_from_secs_f64(given.unwrap_or(otherwise)).unwrap_or(Duration::from_mins(15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_key_is_refused_and_not_shown() {
        let keys = [
            "sk-proj-AbCdEfGh0123456789",
            "gsk_abcdefgh0123456789abcdefgh",
            "AIzaSyA0123456789abcdefghij",
            "0f3c9a7be1d24c58a6b7c8d9e0f1a2b3",
            "a0f3c9a7be1d24c58a6b7c8d9e0f1a2b",
            "AbCdEfGhIjKlMnOp",
            "with space",
            "",
        ];
        for key in keys {
            let settings = ModelSettings { api_key: Some(key.into()), ..ModelSettings::from_name("openai:gpt-4o") };
            let text = settings.check().unwrap_err().to_string();
            assert!(text.contains("OPENAI_API_KEY"), "{text}");
            assert!(key.is_empty() || !text.contains(key), "{text}");
        }
    }

    #[test]
    fn names_of_variables_pass_in_either_case() {
        for (name, variable) in [
            ("GRADER_API_KEY", "GRADER_API_KEY"),
            ("my_key_2", "MY_KEY_2"),
            ("SGI_JUDGE_API_KEY_1", "SGI_JUDGE_API_KEY_1"),
        ] {
            let settings = ModelSettings { api_key: Some(name.into()), ..ModelSettings::from_name("openai:gpt-4o") };
            assert_eq!(settings.key_variable().unwrap().as_deref(), Some(variable));
        }
    }

    #[test]
    fn secrets_in_headers_and_addresses_are_refused() {
        let mut settings = ModelSettings::from_name("openai:gpt-4o");
        settings.headers.insert("Authorization".into(), "Bearer abcdefgh".into());
        let text = settings.check().unwrap_err().to_string();
        assert!(text.contains("Authorization") && !text.contains("abcdefgh"), "{text}");
        settings.headers = BTreeMap::from([("Authorization".into(), "Bearer ${MY_TOKEN}".into())]);
        settings.check().unwrap();
        settings.base_url = Some("https://me:abcdefgh@example.org/v1".into());
        let text = settings.check().unwrap_err().to_string();
        assert!(!text.contains("abcdefgh"), "{text}");
    }

    #[test]
    fn programs_of_one_name_are_told_apart_and_recognised_in_a_finished_run() {
        let settings = |script: &str| ModelSettings {
            command: vec!["sh".into(), "-c".into(), script.into()],
            ..ModelSettings::from_name("command:sh")
        };
        let digest = |settings: &ModelSettings| settings.program_digest(&settings.model_name().unwrap());
        let (one, other) = (settings("echo 1"), settings("echo 2"));
        assert_ne!(digest(&one), digest(&other));
        assert_eq!(digest(&ModelSettings::from_name("command:sh")), None);
        let shared = crate::ModelContext::open(crate::ModelOptions::new(probare_core::Trust::Trusted)).unwrap();
        let used = crate::Client::open(one.clone(), &shared).unwrap().model_used();
        assert_eq!(Some(&used.base_url), digest(&one).as_ref());
        let again = crate::Client::open(ModelSettings::from_used_model(&used), &shared).unwrap();
        assert_eq!(again.model_used(), used);
        let strange = ModelSettings { base_url: digest(&one), ..ModelSettings::from_name("openai:gpt-4o") };
        assert!(strange.check().is_err(), "a server has an address");
    }

    #[test]
    fn with_a_base_url_the_name_is_opaque_and_no_own_key_is_sent() {
        let settings = ModelSettings {
            base_url: Some("http://127.0.0.1:1/v1".into()),
            ..ModelSettings::from_name("anthropic/claude-sonnet-4.5")
        };
        assert_eq!(settings.model_name().unwrap().model, "anthropic/claude-sonnet-4.5");
        assert_eq!(settings.model_name().unwrap().provider, Provider::OpenAi);
        assert_eq!(settings.key_variable().unwrap(), None);
    }

    #[test]
    fn a_model_of_the_sgi_guide_loads() {
        let text = "name: gpt-4.1\napi_model_name: gpt-4.1\nbase_url: https://example.org/v1\napi_key: MY_KEY\n\
                    temperature: 0.0\ntop_p: 1.0\ntimeout: 500\ngenerator_type: direct\nreasoning_effort: high\n\
                    extra_body: {a: 1}\npricing: {prompt_price_per_million: 2.0, completion_price_per_million: 8.0}\n\
                    extract_fields: {reasoning: choices.0.message.reasoning}\n";
        let settings: ModelSettings = serde_saphyr::from_str(text).unwrap();
        settings.check().unwrap();
        let error = serde_saphyr::from_str::<ModelSettings>("name: a\ntemprature: 1\n").err().unwrap();
        assert!(error.to_string().contains("temprature"), "{error}");
    }

    #[test]
    fn values_out_of_range_are_named() {
        let settings = ModelSettings { timeout: Some(f64::NAN), ..ModelSettings::from_name("openai:gpt-4o") };
        assert!(settings.check().unwrap_err().to_string().contains("`timeout`"));
        let settings = ModelSettings { concurrency: Some(0), ..ModelSettings::from_name("openai:gpt-4o") };
        let error = settings.check().unwrap_err().to_string();
        assert!(error.contains("`concurrency`") && error.ends_with("is 0, and 1 is the least"), "{error}");
    }

    #[test]
    fn neither_a_misspelt_field_nor_debugging_shows_a_literal_key() {
        let text = "name: a\napi_key: sk-proj-AbCdEfGh0123456789\ntemprature: 1\n";
        // The reader of YAML shows lines of the file beside an error unless it is told not to.
        let options = serde_saphyr::options! { with_snippet: false };
        let error = serde_saphyr::from_str_with_options::<ModelSettings>(text, options).err().unwrap();
        assert!(!error.to_string().contains("AbCdEfGh"), "{error}");
        let settings: ModelSettings = serde_saphyr::from_str(&text.replace("temprature", "temperature")).unwrap();
        assert!(!format!("{settings:?}").contains("AbCdEfGh"));
    }

    #[test]
    fn a_message_does_not_show_a_key_that_stands_in_the_wrong_place() {
        let text = "invalid type: string \"sk-proj-AbCdEfGh0123456789\", expected f64 at `models[0].temperature`";
        assert_eq!(without_keys(text), "invalid type: string \"[redacted]\", expected f64 at `models[0].temperature`");
        let plain =
            "unknown field `api_model_naming`, expected one of `name`, `requests_per_minute` at line 12 column 3";
        assert_eq!(without_keys(plain), plain);
        assert!(!without_keys("x 0f3c9a7be1d24c58a6b7c8d9e0f1a2b3 y").contains("9a7be1d2"));
    }

    #[test]
    fn the_settings_of_a_finished_run_ask_the_same() {
        let mut settings = ModelSettings { temperature: Some(0.5), ..ModelSettings::from_name("openai:gpt-4o") };
        settings.extra_body.insert("a".into(), 1.into());
        let options = crate::ModelOptions {
            environment: Some(BTreeMap::from([("OPENAI_API_KEY".into(), "k".into())])),
            ..crate::ModelOptions::new(probare_core::Trust::Trusted)
        };
        let shared = crate::ModelContext::open(options).unwrap();
        let used = crate::Client::open(settings, &shared).unwrap().model_used();
        assert_eq!((used.provider.as_str(), used.model.as_str()), ("openai", "gpt-4o"));
        let again = ModelSettings { api_key: Some("OPENAI_API_KEY".into()), ..ModelSettings::from_used_model(&used) };
        assert_eq!(crate::Client::open(again, &shared).unwrap().model_used(), used);
    }

    #[test]
    fn the_schema_allows_no_unknown_field() {
        let schema = serde_json::to_value(schemars::schema_for!(ModelSettings)).unwrap();
        assert_eq!(schema["additionalProperties"], false);
        assert!(schema["properties"]["api_key"]["description"].as_str().unwrap().contains("Never the key itself"));
    }

    #[test]
    fn a_secret_that_would_be_kept_is_refused_with_the_variable_to_use() {
        let body = |text: &str| ModelSettings {
            extra_body: serde_json::from_str(text).unwrap(),
            ..ModelSettings::from_name("openai:gpt-4o")
        };
        let command = |words: &[&str]| ModelSettings {
            provider: Some(Provider::Command),
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            ..ModelSettings::from_name("m")
        };
        for (settings, place) in [
            (body(r#"{"api_key": "hunter2-hunter2"}"#), "`extra_body.api_key`"),
            (body(r#"{"auth": {"apiKey": "hunter2-hunter2"}}"#), "`extra_body.auth.apiKey`"),
            (body(r#"{"provider": [{"password": "hunter2-hunter2"}]}"#), "`extra_body.provider.password`"),
            (body(r#"{"x": "sk-proj-AbCdEfGh0123456789"}"#), "`extra_body.x`"),
            (body(r#"{"x": "Bearer AbCdEfGh0123456789aBcDeFgH01234567"}"#), "`extra_body.x`"),
            (command(&["./judge", "--api-key", "hunter2-Hunter2"]), "argument 2"),
            (command(&["./judge", "--token=hunter2-Hunter2"]), "argument 1"),
            (command(&["./judge", "sk-proj-AbCdEfGh0123456789"]), "argument 1"),
        ] {
            let error = settings.check().unwrap_err().to_string();
            assert!(error.contains(place) && error.contains("_API_KEY"), "{place}: {error}");
            assert!(!error.to_ascii_lowercase().contains("hunter2") && !error.contains("AbCdEfGh"), "{error}");
        }
        for settings in [
            body(
                r#"{"max_tokens": 5, "token_budget": "unlimited", "thinking": {"type": "enabled"}, "user": "somebody-else"}"#,
            ),
            body(
                r#"{"cache_key": "projects-a-and-b", "stop": ["key", "token"], "response_format": {"type": "json_object"}}"#,
            ),
            command(&["./judge", "--model", "meta-llama/Llama-3.1-8B-Instruct", "--key-file", "path/to/key"]),
            command(&["./judge", "--api-key", "OPENAI_API_KEY"]),
        ] {
            assert_eq!(settings.check(), Ok(()));
        }
    }
}
