//! The key under which the collector of `LLMRouterBench` caches a reply.
//!
//! Probare has a record of its own with a key of its own; this one lets an export of such a cache be matched with questions.

use blake2::digest::Output;
use blake2::digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
use blake2::{Blake2bVarCore, Digest};
use probare_core::{Sha256, hex};
use serde_json::{Map, Value as Json, json};

/// What goes into a key where the settings do not say.
const PARAMETERS: [&str; 5] = ["model", "temperature", "top_p", "messages", "reasoning_effort"];

/// The key of a question: `settings` may hold `cached_parameters`, `hash_algorithm` and `hash_digest_size`.
pub fn cache_key(settings: &Map<String, Json>, model: &str, question: &str, parameters: &Map<String, Json>) -> String {
    let named = settings.get("cached_parameters").and_then(Json::as_array);
    let chosen: Vec<&str> = match named {
        Some(names) => names.iter().filter_map(Json::as_str).collect(),
        None => PARAMETERS.to_vec(),
    };
    let mut whole = Map::new();
    for name in chosen {
        let value = match name {
            "model" => json!(model),
            "messages" => json!([{"role": "user", "content": question}]),
            "input" => json!(question),
            other => parameters.get(other).cloned().unwrap_or_default(),
        };
        if !value.is_null() {
            whole.insert(name.to_owned(), value);
        }
    }
    if let Some(images) = parameters.get("images").filter(|images| !images.is_null()) {
        whole.insert("images".to_owned(), images.clone());
    }
    let mut text = String::new();
    super::fingerprint::push(&mut text, &Json::Object(whole), (",", ":"));
    let bytes = text.as_bytes();
    match settings.get("hash_algorithm").and_then(Json::as_str).unwrap_or("blake2b") {
        "blake2b" => {
            let size = settings.get("hash_digest_size").and_then(Json::as_u64).unwrap_or(16);
            blake2b(bytes, usize::try_from(size).unwrap_or(16))
        }
        "md5" => hex(&md5::Md5::digest(bytes)),
        "sha1" => hex(&sha1::Sha1::digest(bytes)),
        _ => Sha256::hex_digest(bytes),
    }
}

/// Bytes of the longest digest of `BLAKE2b`.
const LONGEST: usize = 64;

fn blake2b(bytes: &[u8], size: usize) -> String {
    // A size that the algorithm does not have is the default.
    let size = if size > LONGEST { 16 } else { size };
    let Ok(mut hasher) = Blake2bVarCore::new(size) else { return String::new() };
    let mut buffer = Buffer::<Blake2bVarCore>::default();
    buffer.digest_blocks(bytes, |blocks| hasher.update_blocks(blocks));
    let mut digest = Output::<Blake2bVarCore>::default();
    hasher.finalize_variable_core(&mut buffer, &mut digest);
    hex(&digest[..size])
}
