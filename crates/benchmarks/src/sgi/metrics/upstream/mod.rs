//! [`Upstream`]: which implementation of the benchmark a score follows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which implementation of SGI-Bench is followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Upstream {
    /// The SGI part of `LLMRouterBench`.
    #[default]
    #[serde(rename = "llmrouterbench")]
    LlmRouterBench,
    /// The official scripts as of 2026: the same scores, and further ones beside them.
    #[serde(rename = "official-2026")]
    Official2026,
}

impl Upstream {
    /// The word in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LlmRouterBench => "llmrouterbench",
            Self::Official2026 => "official-2026",
        }
    }

    /// Whether the official scripts of 2026 are followed.
    pub fn is_official(self) -> bool {
        self == Self::Official2026
    }
}
