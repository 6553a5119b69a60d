//! [`ModelName`] and [`Provider`]: whom a name speaks of.
//!
//! `openai:gpt-4.1-mini` and `openai/gpt-4.1-mini` are the same model: a name is split at its first `:` or `/` when the
//! left side is a provider we know. Where a base URL is given, the name is what that server calls the model and stays as
//! it is (`llama3:8b`, `anthropic/claude-sonnet-4.5`).

use std::fmt;

use probare_core::closest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SettingsError;

/// The variable of a key for Bedrock that needs no signature.
pub(crate) const BEARER: &str = "AWS_BEARER_TOKEN_BEDROCK";

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Anthropic's messages.
    Anthropic,
    /// Models of `OpenAI` in Azure.
    Azure,
    /// Amazon's Bedrock.
    Bedrock,
    /// A program that reads JSON from its standard input.
    Command,
    /// Google's Gemini.
    Gemini,
    /// Groq.
    Groq,
    /// A server of llama.cpp.
    LlamaCpp,
    /// Mistral.
    Mistral,
    /// Ollama, asked the way that `OpenAI` is.
    Ollama,
    /// Ollama, asked through its own interface.
    #[serde(rename = "ollama-native")]
    OllamaNative,
    /// `OpenAI`, or any server that speaks like it when a base URL is given.
    OpenAi,
    /// `OpenAI`, asked through its `/responses`.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// `OpenRouter`.
    OpenRouter,
    /// A server that retrieves passages and answers from them; its own model follows the colon.
    Prompt,
    /// A file of recorded replies.
    Replay,
    /// A server of vLLM.
    Vllm,
}

impl Provider {
    /// All of them, by name.
    pub const ALL: [Self; 16] = [
        Self::Anthropic,
        Self::Azure,
        Self::Bedrock,
        Self::Command,
        Self::Gemini,
        Self::Groq,
        Self::LlamaCpp,
        Self::Mistral,
        Self::Ollama,
        Self::OllamaNative,
        Self::OpenAi,
        Self::OpenAiResponses,
        Self::OpenRouter,
        Self::Prompt,
        Self::Replay,
        Self::Vllm,
    ];

    /// What is known of it: its name, where it is found, and which variables hold its key and its address.
    const fn info(self) -> ProviderInfo {
        match self {
            Self::Anthropic => {
                info("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
            }
            // Azure and Bedrock have an address for every resource and region.
            Self::Azure => info("azure", "", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
            Self::Bedrock => info("bedrock", "", BEARER, ""),
            Self::Command => info("command", "", "", ""),
            Self::Gemini => {
                let address = "https://generativelanguage.googleapis.com";
                info("gemini", address, "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")
            }
            Self::Groq => info("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "GROQ_BASE_URL"),
            Self::LlamaCpp => info("llamacpp", "http://127.0.0.1:8080/v1", "", ""),
            Self::Mistral => info("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", ""),
            Self::Ollama => info("ollama", "http://127.0.0.1:11434/v1", "", "OLLAMA_HOST"),
            Self::OllamaNative => info("ollama-native", "http://127.0.0.1:11434", "", "OLLAMA_HOST"),
            Self::OpenAi => info("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
            Self::OpenAiResponses => ProviderInfo { name: "openai-responses", ..Self::OpenAi.info() },
            Self::OpenRouter => info("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", ""),
            Self::Prompt => info("prompt", "", "EVALUATION_API_AUTH", ""),
            Self::Replay => info("replay", "", "", ""),
            Self::Vllm => info("vllm", "http://127.0.0.1:8000/v1", "", ""),
        }
    }

    /// The word before the colon.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The provider of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// Where it is found when no base URL is given; nothing for what is not a server.
    pub const fn base_url(self) -> Option<&'static str> {
        self.info().base_url
    }

    /// Whether it is asked by `/chat/completions` at an address of its own.
    pub const fn speaks_chat(self) -> bool {
        matches!(
            self,
            Self::Groq | Self::LlamaCpp | Self::Mistral | Self::Ollama | Self::OpenAi | Self::OpenRouter | Self::Vllm
        )
    }

    /// The variable that holds its key when the settings name none; nothing where no key is needed.
    pub const fn key_variable(self) -> Option<&'static str> {
        self.info().key_variable
    }

    /// The variable that holds its address when the settings name none: the one that the vendor's own package reads.
    pub const fn address_variable(self) -> Option<&'static str> {
        self.info().address_variable
    }

    /// The address that the value of this variable means, up to where ours ends: some packages leave out what comes behind
    /// the host.
    pub(crate) fn address(self, value: &str) -> String {
        let value = value.trim().trim_end_matches('/');
        match self {
            Self::Groq if !value.ends_with("/openai/v1") => format!("{value}/openai/v1"),
            Self::Ollama => format!("{}/v1", ollama_host(value)),
            Self::OllamaNative => ollama_host(value),
            _ => value.to_owned(),
        }
    }

    /// Whether a call costs nothing by the token unless a price is given.
    pub const fn is_free(self) -> bool {
        matches!(self, Self::LlamaCpp | Self::Ollama | Self::OllamaNative | Self::Prompt | Self::Replay | Self::Vllm)
    }
}

struct ProviderInfo {
    name: &'static str,
    base_url: Option<&'static str>,
    key_variable: Option<&'static str>,
    address_variable: Option<&'static str>,
}

/// A row of the table of providers; an empty text is nothing.
const fn info(
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
    address_variable: &'static str,
) -> ProviderInfo {
    const fn non_empty(text: &'static str) -> Option<&'static str> {
        if text.is_empty() { None } else { Some(text) }
    }
    ProviderInfo {
        name,
        base_url: non_empty(base_url),
        key_variable: non_empty(key_variable),
        address_variable: non_empty(address_variable),
    }
}

/// `OLLAMA_HOST` as Ollama reads it: scheme and port may be left out, and the address on which a server listens everywhere is
/// this machine.
fn ollama_host(value: &str) -> String {
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let (authority, path) =
        rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (
            authority.trim_end_matches(':'),
            if scheme == "https" {
                "443"
            } else if value.contains("://") {
                "80"
            } else {
                "11434"
            },
        ),
    };
    let host = if matches!(host, "" | "0.0.0.0") { "127.0.0.1" } else { host };
    format!("{scheme}://{host}:{port}{path}")
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A provider and what it calls the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelName {
    /// Who answers.
    pub provider: Provider,
    /// The model, as the provider calls it.
    pub model: String,
}

impl ModelName {
    /// Reads `provider:model` or `provider/model`.
    pub fn parse(name: &str) -> Result<Self, SettingsError> {
        let Some((left, model)) = name.split_once([':', '/']) else {
            return Err(SettingsError::Invalid(format!(
                "`{name}` names no provider; write `openai:{name}`, or give a `base_url`"
            )));
        };
        let Some(provider) = Provider::from_name(left) else {
            let near = closest(left, Provider::ALL.iter().map(|provider| provider.name()));
            let hint = near.map(|near| format!(", perhaps `{near}`")).unwrap_or_default();
            let known: Vec<String> = Provider::ALL.iter().map(|provider| format!("`{provider}`")).collect();
            return Err(SettingsError::Invalid(format!(
                "`{left}` in `{name}` is not a provider{hint}; known are {}",
                known.join(", ")
            )));
        };
        if model.trim().is_empty() {
            return Err(SettingsError::Invalid(format!("`{name}` names no model")));
        }
        Ok(Self { provider, model: model.to_owned() })
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_separator_divides_provider_and_model() {
        for name in ["openai:gpt-4.1-mini", "openai/gpt-4.1-mini"] {
            let parsed = ModelName::parse(name).unwrap();
            assert_eq!((parsed.provider, parsed.model.as_str()), (Provider::OpenAi, "gpt-4.1-mini"));
        }
        assert_eq!(
            ModelName::parse("openrouter/anthropic/claude-sonnet-4.5").unwrap().model,
            "anthropic/claude-sonnet-4.5"
        );
        assert_eq!(ModelName::parse("ollama/llama3:8b").unwrap().model, "llama3:8b");
        assert_eq!(ModelName::parse("groq:openai/gpt-oss-20b").unwrap().provider, Provider::Groq);
    }

    #[test]
    fn a_name_without_a_known_provider_says_what_to_write() {
        let text = ModelName::parse("gpt-4o").unwrap_err().to_string();
        assert!(text.contains("openai:gpt-4o") && text.contains("base_url"), "{text}");
        let text = ModelName::parse("opnai:gpt-4o").unwrap_err().to_string();
        assert!(text.contains("perhaps `openai`"), "{text}");
        assert_eq!(ModelName::parse("openai:").unwrap_err().to_string(), "`openai:` names no model");
    }

    #[test]
    fn an_address_of_the_environment_is_read_as_the_vendors_package_reads_it() {
        let address = |provider: Provider, value: &str| provider.address(value);
        assert_eq!(address(Provider::OpenAi, " http://127.0.0.1:8000/v1/ "), "http://127.0.0.1:8000/v1");
        assert_eq!(address(Provider::Groq, "https://groq.example"), "https://groq.example/openai/v1");
        for (value, expected) in [
            ("127.0.0.1", "http://127.0.0.1:11434"),
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            (":5000", "http://127.0.0.1:5000"),
            ("https://models.example", "https://models.example:443"),
            ("http://models.example/path/", "http://models.example:80/path"),
        ] {
            assert_eq!(address(Provider::OllamaNative, value), expected);
            assert_eq!(address(Provider::Ollama, value), format!("{expected}/v1"));
        }
    }

    #[test]
    fn every_provider_is_found_by_its_own_name() {
        for provider in Provider::ALL {
            assert_eq!(Provider::from_name(provider.name()), Some(provider));
            assert_eq!(serde_json::to_value(provider).unwrap(), provider.name());
        }
    }
}
