//! How each provider is spoken to, and what follows from it: the tables of the guide about which provider supports what and by what
//! it is known how a reply ended. A test compares them with the page.

use probare_core::StopReason;

use super::stop::{StopMeaning, stop_reasons};
use super::{Dialect, Feature, anthropic, azure, bedrock, chat, command, gemini, ollama, prompt, replay, responses};
use crate::Provider;

impl Provider {
    /// How it is spoken to.
    pub(crate) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::Anthropic => &anthropic::Anthropic,
            Self::Azure => &azure::Azure,
            Self::Bedrock => &bedrock::Bedrock,
            Self::Command => &command::Command,
            Self::Gemini => &gemini::Gemini,
            Self::Groq => &chat::GROQ,
            Self::LlamaCpp => &chat::LLAMA_CPP,
            Self::Mistral => &chat::MISTRAL,
            Self::Ollama => &chat::OLLAMA,
            Self::OllamaNative => &ollama::Ollama,
            Self::OpenAi => &chat::OPENAI,
            Self::OpenAiResponses => &responses::Responses,
            Self::OpenRouter => &chat::OPENROUTER,
            Self::Prompt => &prompt::Prompt,
            Self::Replay => &replay::Replay,
            Self::Vllm => &chat::VLLM,
        }
    }

    /// Whether a setting can be expressed.
    pub fn supports(self, feature: Feature) -> bool {
        self.dialect().supports(feature)
    }
}

/// Providers and what each supports, in Markdown.
pub fn providers_table() -> String {
    let mut text = String::from("| provider | key |");
    for feature in Feature::ALL {
        text.push_str(&format!(" `{}` |", feature.name()));
    }
    text.push_str(&format!("\n|---|---|{}\n", "---|".repeat(Feature::ALL.len())));
    for provider in Provider::ALL {
        let key = provider.key_variable().map(|variable| format!("`{variable}`")).unwrap_or_default();
        text.push_str(&format!("| `{provider}` | {key} |"));
        for feature in Feature::ALL {
            text.push_str(if provider.supports(feature) { " yes |" } else { " – |" });
        }
        text.push('\n');
    }
    text
}

/// By what the end of a reply is known, in Markdown. Providers that speak alike share a line.
pub fn reply_endings_table() -> String {
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for provider in Provider::ALL {
        let signs = provider.dialect().end_indicators();
        let words = |further: &str, is_meant: fn(&StopMeaning) -> bool| {
            let meant = stop_reasons(provider).iter().filter(|(_, meaning)| is_meant(meaning));
            let words: Vec<String> = meant.map(|(word, _)| format!("`{word}`")).collect();
            let further = Some(further).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
            further
                .into_iter()
                .chain(Some(words.join(", ")).filter(|text| !text.is_empty()))
                .collect::<Vec<_>>()
                .join("; ")
        };
        let cells = [
            signs.field.to_owned(),
            words("", |meaning| matches!(meaning, Ok(StopReason::End | StopReason::StopText | StopReason::ToolCalls))),
            words(signs.truncated, |meaning| *meaning == Ok(StopReason::Length)),
            words(signs.refused, |meaning| *meaning == Ok(StopReason::Refusal)),
            words("", Result::is_err),
            signs.empty.to_owned(),
        ];
        let line = cells.join(" | ");
        match lines.iter_mut().find(|(_, known)| *known == line) {
            Some((names, _)) => names.push(format!("`{provider}`")),
            None => lines.push((vec![format!("`{provider}`")], line)),
        }
    }
    let mut text = String::from("| provider | stop reason | complete | `truncated` | `refused` | `failed` | empty |\n");
    text.push_str(&format!("{}|\n", "|---".repeat(7)));
    for (names, line) in lines {
        text.push_str(&format!("| {} | {line} |\n", names.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_shows_what_every_provider_supports_and_how_replies_end() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/models.md");
        let text = std::fs::read_to_string(page).unwrap();
        for table in [providers_table(), reply_endings_table()] {
            assert!(text.contains(&table), "docs/guides/models.md should hold this table:\n\n{table}");
        }
    }
}
