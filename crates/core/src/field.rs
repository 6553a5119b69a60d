//! [`Field`]: the fields of a case by name.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A field of a [`Case`](crate::Case); evidence points into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// `query`
    Query,
    /// `response`
    Response,
    /// `context`
    Context,
    /// `reference`
    Reference,
    /// `citations`
    Citations,
    /// `retrieved`
    Retrieved,
    /// `relevant`
    Relevant,
    /// `messages`
    Messages,
    /// `tools`
    Tools,
    /// `tool_calls`
    ToolCalls,
    /// `expected_tool_calls`
    ExpectedToolCalls,
    /// `expected_messages`
    ExpectedMessages,
    /// `turns`
    Turns,
    /// `tags`
    Tags,
    /// `metadata`
    Metadata,
}

impl Field {
    /// All fields, in the order of the documentation.
    pub const ALL: [Self; 15] = [
        Self::Query,
        Self::Response,
        Self::Context,
        Self::Reference,
        Self::Citations,
        Self::Retrieved,
        Self::Relevant,
        Self::Messages,
        Self::Tools,
        Self::ToolCalls,
        Self::ExpectedToolCalls,
        Self::ExpectedMessages,
        Self::Turns,
        Self::Tags,
        Self::Metadata,
    ];

    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Response => "response",
            Self::Context => "context",
            Self::Reference => "reference",
            Self::Citations => "citations",
            Self::Retrieved => "retrieved",
            Self::Relevant => "relevant",
            Self::Messages => "messages",
            Self::Tools => "tools",
            Self::ToolCalls => "tool_calls",
            Self::ExpectedToolCalls => "expected_tool_calls",
            Self::ExpectedMessages => "expected_messages",
            Self::Turns => "turns",
            Self::Tags => "tags",
            Self::Metadata => "metadata",
        }
    }

    /// Other names under which files of other tools hold this field, in order of preference.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Query => &["input", "question", "user", "user_input", "prompt"],
            Self::Response => &[
                "output",
                "answer",
                "assistant",
                "actual_output",
                "prediction",
                "predicted_answer",
                "completion",
                "model_output",
                "generated_text",
                "pred",
            ],
            Self::Context => &["contexts", "retrieval_context", "retrieved_contexts"],
            Self::Reference => &[
                "expected_output",
                "ideal",
                "ground_truth",
                "golden_answer",
                "references",
                "target",
                "expected",
                "gold",
            ],
            Self::Retrieved => &["retrieved_docs"],
            Self::Messages => &["conversation", "trajectory", "transcript", "contents", "chat_history"],
            Self::Tools => &["functions", "tool_definitions", "available_tools"],
            Self::ToolCalls => &["tools_called", "actual_tool_calls", "predicted_tool_calls"],
            Self::ExpectedToolCalls => {
                &["expected_tools", "reference_tool_calls", "expected_tool_use", "ground_truth_tool_calls"]
            }
            Self::ExpectedMessages => &["reference_trajectory", "expected_trajectory", "reference_outputs"],
            Self::Citations | Self::Relevant | Self::Turns | Self::Tags | Self::Metadata => &[],
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
