//! The stop reasons that vendors document, and what each of them means for a reply. This is the one list: replies are read
//! with it, and the guide shows it.
//!
//! At a vendor's own address the list is closed: a word that is not in it fails the reply. Behind a `base_url` anybody may
//! answer; an unknown word there is counted, and the reply is whole only if it has text.

use probare_core::StopReason;

use crate::{Fault, ModelRequest, Provider};

/// What a stop reason means: how the reply ended, or the fault that it is.
pub type StopMeaning = Result<StopReason, Fault>;

const COMPLETE: StopMeaning = Ok(StopReason::End);
const STOP_TEXT: StopMeaning = Ok(StopReason::StopText);
const TOOLS: StopMeaning = Ok(StopReason::ToolCalls);
const TRUNCATED: StopMeaning = Ok(StopReason::Length);
const REFUSED: StopMeaning = Ok(StopReason::Refusal);
/// The provider failed; the next attempt may not.
const FAILED: StopMeaning = Err(Fault::FailedReply);
/// The model gave nothing that can be used, and will hardly do better.
const UNUSABLE: StopMeaning = Err(Fault::UnusableReply);

/// Stop reasons with their meanings.
pub type StopReasons = &'static [(&'static str, StopMeaning)];

const ANTHROPIC: StopReasons = &[
    ("end_turn", COMPLETE),
    ("stop_sequence", STOP_TEXT),
    ("tool_use", TOOLS),
    ("max_tokens", TRUNCATED),
    ("model_context_window_exceeded", TRUNCATED),
    ("refusal", REFUSED),
    // The vendor's own tools took too many steps; the reply would have to be continued.
    ("pause_turn", UNUSABLE),
];

const BEDROCK: StopReasons = &[
    ("end_turn", COMPLETE),
    ("stop_sequence", STOP_TEXT),
    ("tool_use", TOOLS),
    ("max_tokens", TRUNCATED),
    ("model_context_window_exceeded", TRUNCATED),
    ("guardrail_intervened", REFUSED),
    ("content_filtered", REFUSED),
    ("malformed_model_output", UNUSABLE),
    ("malformed_tool_use", UNUSABLE),
];

const GEMINI: StopReasons = &[
    ("STOP", COMPLETE),
    ("MAX_TOKENS", TRUNCATED),
    ("CONTINUATION", TRUNCATED),
    ("SAFETY", REFUSED),
    ("RECITATION", REFUSED),
    ("BLOCKLIST", REFUSED),
    ("PROHIBITED_CONTENT", REFUSED),
    ("SPII", REFUSED),
    ("IMAGE_SAFETY", REFUSED),
    ("IMAGE_RECITATION", REFUSED),
    ("MODEL_ARMOR", REFUSED),
    ("ESCALATION", REFUSED),
    ("FINISH_REASON_UNSPECIFIED", FAILED),
    ("OTHER", FAILED),
    ("IMAGE_OTHER", FAILED),
    ("LANGUAGE", UNUSABLE),
    ("MALFORMED_FUNCTION_CALL", UNUSABLE),
    ("MALFORMED_RESPONSE", UNUSABLE),
    ("UNEXPECTED_TOOL_CALL", UNUSABLE),
    ("TOO_MANY_TOOL_CALLS", UNUSABLE),
    ("MISSING_THOUGHT_SIGNATURE", UNUSABLE),
    ("IMAGE_PROHIBITED_CONTENT", UNUSABLE),
    ("NO_IMAGE", UNUSABLE),
    // The account is limited.
    ("PUP_LIMITED_DISABLED", UNUSABLE),
];

const OPENAI: StopReasons = &[
    ("stop", COMPLETE),
    ("length", TRUNCATED),
    ("tool_calls", TOOLS),
    ("function_call", TOOLS),
    ("content_filter", REFUSED),
];

const GROQ: StopReasons = OPENAI;

const MISTRAL: StopReasons = &[
    ("stop", COMPLETE),
    ("length", TRUNCATED),
    ("model_length", TRUNCATED),
    ("tool_calls", TOOLS),
    ("content_filter", REFUSED),
    ("error", FAILED),
];

const OPENROUTER: StopReasons =
    &[("stop", COMPLETE), ("length", TRUNCATED), ("tool_calls", TOOLS), ("content_filter", REFUSED), ("error", FAILED)];

const OLLAMA: StopReasons = &[
    ("stop", COMPLETE),
    ("length", TRUNCATED),
    ("tool_calls", TOOLS),
    ("content_filter", REFUSED),
    // The model was only loaded, or taken out of memory.
    ("load", FAILED),
    ("unload", FAILED),
];

const OLLAMA_NATIVE: StopReasons = &[("stop", COMPLETE), ("length", TRUNCATED), ("load", FAILED), ("unload", FAILED)];

const LLAMA_CPP: StopReasons =
    &[("stop", COMPLETE), ("length", TRUNCATED), ("tool_calls", TOOLS), ("content_filter", REFUSED)];

const VLLM: StopReasons = &[
    ("stop", COMPLETE),
    ("length", TRUNCATED),
    ("tool_calls", TOOLS),
    ("function_call", TOOLS),
    ("content_filter", REFUSED),
    ("abort", FAILED),
    ("error", FAILED),
    ("repetition", UNUSABLE),
];

/// `incomplete_details.reason`, else `status`.
const RESPONSES: StopReasons = &[
    ("completed", COMPLETE),
    ("max_output_tokens", TRUNCATED),
    ("content_filter", REFUSED),
    ("max_messages", UNUSABLE),
    ("steered", UNUSABLE),
    ("incomplete", FAILED),
    ("failed", FAILED),
    ("cancelled", FAILED),
    ("queued", FAILED),
    ("in_progress", FAILED),
];

/// What servers that speak like `OpenAI` say beyond that.
const COMPATIBLE: StopReasons = &[
    ("eos", COMPLETE),
    ("end_turn", COMPLETE),
    ("stop_sequence", STOP_TEXT),
    ("max_tokens", TRUNCATED),
    // DeepSeek.
    ("insufficient_system_resource", FAILED),
];

/// The documented stop reasons of a provider.
pub const fn stop_reasons(provider: Provider) -> StopReasons {
    match provider {
        Provider::Anthropic => ANTHROPIC,
        Provider::Azure | Provider::OpenAi => OPENAI,
        Provider::Bedrock => BEDROCK,
        Provider::Gemini => GEMINI,
        Provider::Groq => GROQ,
        Provider::LlamaCpp => LLAMA_CPP,
        Provider::Mistral => MISTRAL,
        Provider::Ollama => OLLAMA,
        Provider::OllamaNative => OLLAMA_NATIVE,
        Provider::OpenAiResponses => RESPONSES,
        Provider::OpenRouter => OPENROUTER,
        Provider::Vllm => VLLM,
        Provider::Command | Provider::Prompt | Provider::Replay => &[],
    }
}

/// Whether the vendor itself answers, and not whoever a `base_url` names. Azure and Bedrock have an address for every customer.
fn is_vendor(request: &ModelRequest) -> bool {
    match request.provider.base_url() {
        Some(own) => request.base_url == own,
        None => matches!(request.provider, Provider::Azure | Provider::Bedrock),
    }
}

/// What a stop reason of a reply means.
pub(crate) fn stop_meaning(request: &ModelRequest, word: &str) -> StopMeaning {
    let known = |list: StopReasons| list.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    let is_vendor = is_vendor(request);
    let elsewhere = || [MISTRAL, OPENAI, OPENROUTER, VLLM, COMPATIBLE].into_iter().find_map(known);
    let found = known(stop_reasons(request.provider)).or_else(|| if is_vendor { None } else { elsewhere() });
    found.unwrap_or(if is_vendor { UNUSABLE } else { Ok(StopReason::Other) })
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::request;
    use super::*;

    #[test]
    fn the_list_is_closed_at_a_vendor_and_open_behind_an_address() {
        for provider in Provider::ALL.into_iter().filter(|provider| !stop_reasons(*provider).is_empty()) {
            let own = request(provider);
            let elsewhere = ModelRequest { base_url: "http://127.0.0.1:9/v1".into(), ..own.clone() };
            for (word, expected) in stop_reasons(provider) {
                assert_eq!(stop_meaning(&own, word), *expected, "{provider} {word}");
                assert_eq!(stop_meaning(&elsewhere, word), *expected, "{provider} {word}");
            }
            assert_eq!(stop_meaning(&own, "never_heard_of"), UNUSABLE, "{provider}");
            let has_own_address = matches!(provider, Provider::Azure | Provider::Bedrock);
            let open = if has_own_address { UNUSABLE } else { Ok(StopReason::Other) };
            assert_eq!(stop_meaning(&elsewhere, "never_heard_of"), open, "{provider}");
        }
    }

    #[test]
    fn the_list_for_the_test_with_the_vendors_packages_is_this_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdk/stop_reasons.json");
        let mut lists = serde_json::Map::new();
        for provider in Provider::ALL.into_iter().filter(|provider| !stop_reasons(*provider).is_empty()) {
            let mut words = serde_json::Map::new();
            for (word, meaning) in stop_reasons(provider) {
                let meaning = meaning.map_or_else(|_| serde_json::json!("failed"), |reason| serde_json::json!(reason));
                words.insert((*word).to_owned(), meaning);
            }
            lists.insert(provider.name().to_owned(), words.into());
        }
        let text = format!("{:#}\n", serde_json::Value::Object(lists));
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert!(found == text, "{path} should hold:\n{text}");
    }

    #[test]
    fn a_word_is_listed_once() {
        for provider in Provider::ALL {
            let mut words: Vec<&str> = stop_reasons(provider).iter().map(|(word, _)| *word).collect();
            words.sort_unstable();
            let count = words.len();
            words.dedup();
            assert_eq!(words.len(), count, "{provider}");
        }
    }
}
