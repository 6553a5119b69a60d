//! How each provider is spoken to. Tests compare the tables of the guide with it: which provider supports what, and what its stop
//! reasons mean.

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

#[cfg(test)]
mod tests {
    use probare_core::StopReason;

    use super::super::stop::{StopMeaning, stop_reasons};
    use super::*;

    fn guide() -> String {
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/models.md")).unwrap()
    }

    #[test]
    fn the_guide_shows_what_every_provider_supports() {
        let mut table = String::from("| provider | key |");
        for feature in Feature::ALL {
            table.push_str(&format!(" `{}` |", feature.name()));
        }
        table.push_str(&format!("\n|---|---|{}\n", "---|".repeat(Feature::ALL.len())));
        for provider in Provider::ALL {
            let key = provider.key_variable().map(|variable| format!("`{variable}`")).unwrap_or_default();
            table.push_str(&format!("| `{provider}` | {key} |"));
            for feature in Feature::ALL {
                table.push_str(if provider.supports(feature) { " yes |" } else { " – |" });
            }
            table.push('\n');
        }
        assert!(guide().contains(&table), "docs/guides/models.md should hold this table:\n\n{table}");
    }

    #[test]
    fn the_guide_shows_every_stop_reason_in_the_column_of_its_meaning() {
        let guide = guide();
        let rows: Vec<Vec<&str>> = guide
            .lines()
            .skip_while(|line| !line.starts_with("| provider | stop reason |"))
            .take_while(|line| line.starts_with('|'))
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        let columns: [fn(&StopMeaning) -> bool; 4] = [
            |meaning| matches!(meaning, Ok(StopReason::End | StopReason::StopText | StopReason::ToolCalls)),
            |meaning| *meaning == Ok(StopReason::Length),
            |meaning| *meaning == Ok(StopReason::Refusal),
            Result::is_err,
        ];
        for provider in Provider::ALL {
            let name = format!("`{provider}`");
            let row = rows.iter().find(|row| row[0].split(", ").any(|known| known == name));
            let row = row.unwrap_or_else(|| panic!("the table of stop reasons in docs/guides/models.md lacks {name}"));
            for (is_meant, cell) in columns.iter().zip(&row[2..]) {
                let words = stop_reasons(provider).iter().filter(|(_, meaning)| is_meant(meaning));
                let words = words.map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
                // Before the words may stand what else shows it.
                let listed = cell.rsplit("; ").next().unwrap_or_default();
                assert!(words.is_empty() || listed == words, "{name}: {words} in place of `{cell}`");
            }
        }
    }
}
