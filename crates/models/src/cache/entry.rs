//! [`CacheKey`] and [`CacheEntry`]: a request by its content, and what is kept of its reply.

use std::fmt;

use probare_core::{ModelReply, Sha256, hex};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::ModelRequest;

/// SHA-256 of everything that decides a reply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey(pub(crate) [u8; 32]);

impl CacheKey {
    /// The key of a request: of its compact JSON, in the order of its fields.
    pub fn from_request(request: &ModelRequest) -> Self {
        let text = serde_json::to_vec(request).unwrap_or_default();
        let mut hash = Sha256::default();
        hash.update(b"probare request 1\n");
        hash.update(&text);
        Self(hash.digest())
    }

    /// The first eight bytes as a number: a seed of its own for every request.
    pub(crate) fn seed(self) -> u64 {
        self.0.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }

    /// Enough of the key to find it.
    pub fn short(self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// What attempts took that came to nothing, at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostAttempts {
    /// Tokens sent and received.
    pub tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
}

/// A request and its reply, with what the call took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheEntry {
    /// What was asked.
    pub request: ModelRequest,
    /// What came back.
    pub reply: ModelReply,
    /// The exact body that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// The body that came back, keys taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// Probabilities of the tokens, in the provider's form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<Json>,
    /// What the call cost, in US dollars, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Whether `cost_usd` is the most that the call can have cost, since nobody said what it took.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_bound: bool,
    /// What the attempts before it took that came to nothing, where they may have been charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostAttempts>,
    /// Milliseconds from sending to the last byte, of the attempt that succeeded.
    #[serde(default)]
    pub latency_ms: u64,
    /// Attempts, this one included.
    #[serde(default)]
    pub attempts: u32,
    /// When the reply came, in seconds since 1970.
    #[serde(default)]
    pub made: u64,
}

impl CacheEntry {
    /// A reply of which nothing more is known than that it came at the first attempt.
    pub fn new(request: ModelRequest, reply: ModelReply) -> Self {
        Self {
            request,
            reply,
            sent: None,
            received: None,
            logprobs: None,
            cost_usd: None,
            is_bound: false,
            lost: None,
            latency_ms: 0,
            attempts: 1,
            made: 0,
        }
    }

    /// What the reply cost with all its attempts, in US dollars, where that is known.
    pub fn cost_in_all(&self) -> Option<f64> {
        let lost = self.lost.map(|lost| lost.cost_usd).filter(|cost| *cost > 0.0);
        match (self.cost_usd, lost) {
            (None, None) => None,
            (cost, lost) => Some(cost.unwrap_or_default() + lost.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::dialects::tests_support::request;

    #[test]
    fn everything_that_decides_a_reply_is_in_the_key() {
        let first = request(Provider::OpenAi);
        let mut others = vec![ModelRequest { base_url: "http://x".into(), ..first.clone() }];
        others.push(ModelRequest { model: "n".into(), ..first.clone() });
        others.push(ModelRequest { provider: Provider::Groq, ..first.clone() });
        others.push(ModelRequest { repeat: 1, ..first.clone() });
        others.push(ModelRequest { seat: 1, ..first.clone() });
        others.push(ModelRequest { attempt: 1, ..first.clone() });
        others.push(ModelRequest { reasoning_effort: Some("low".into()), ..first.clone() });
        others.push(ModelRequest { also: [("header x-route".into(), "b".into())].into(), ..first.clone() });
        let mut tools = first.clone();
        tools.parameters.tools = vec![probare_core::Tool { name: "t".into(), ..probare_core::Tool::default() }];
        others.push(tools);
        let mut seen = first.clone();
        let image = |last: u8| probare_core::Image::new([&b"\x89PNG\r\n\x1a\n"[..], &[last]].concat()).unwrap();
        seen.messages[1].parts = vec![probare_core::MessagePart::Image(image(1))];
        others.push(seen.clone());
        seen.messages[1].parts = vec![probare_core::MessagePart::Image(image(2))];
        others.push(seen);
        let mut warmer = first.clone();
        warmer.parameters.temperature = Some(0.1);
        others.push(warmer);
        let mut longer = first.clone();
        longer.messages[1].text.push(' ');
        others.push(longer);
        let mut keys: Vec<CacheKey> = others.iter().map(CacheKey::from_request).collect();
        keys.push(CacheKey::from_request(&first));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), others.len() + 1);
        assert_eq!(CacheKey::from_request(&first), CacheKey::from_request(&first.clone()));
    }

    #[test]
    fn the_key_of_a_request_stays_the_same_between_versions() {
        // `sha256sum` of the line `probare request 1` and the JSON of the request, without a newline at its end.
        assert_eq!(CacheKey::from_request(&request(Provider::OpenAi)).short(), "d861df6b4d04");
    }
}
