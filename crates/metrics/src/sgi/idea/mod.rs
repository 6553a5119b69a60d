//! Research ideas: reading them, preparing what they are held against, objective scores, and votes of judges.

mod finish;
mod graph;
mod objective;
mod parse;
mod reference;
mod shown;
mod votes;

pub use finish::{Dimension, Final, NAMES, Subjective, finish, won};
pub use graph::{GraphOptions, graph_similarity};
pub use objective::{Embedder, Objective, ObjectiveOptions, objective, texts};
pub use parse::parse;
pub use reference::{NotIterable, Reference, mapping_field, order_field};
pub use shown::{context_text, idea_text};
pub use votes::{Count, RESPECTS, Verdicts, Vote, VoteOptions, count, gate, parse_vote};

/// The six fields of an idea, in their order.
pub const FIELDS: [&str; 6] =
    ["Idea", "ImplementationSteps", "ImplementationOrder", "Dataset", "EvaluationMetrics", "ExpectedOutcome"];
