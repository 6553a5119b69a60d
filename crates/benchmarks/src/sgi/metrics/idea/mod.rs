//! Research ideas: reading them, preparing what they are held against, objective scores, and votes of judges.

mod final_score;
mod graph;
mod judge_texts;
mod objective;
mod parse;
mod reference;
mod votes;

pub use final_score::{DIMENSION_NAMES, Dimension, FinalScore, RespectWins, final_score, won_respects};
pub use graph::{GraphOptions, graph_similarity};
pub use judge_texts::{context_text, idea_text};
pub use objective::{ObjectiveOptions, ObjectiveScores, TextVectors, objective_scores, texts_to_embed};
pub use parse::{FIELDS, parse_idea};
pub use reference::{IdeaReference, NotIterable, mapping_field, order_field};
pub use votes::{IdeaVote, RESPECTS, RespectVotes, VoteCount, VoteOptions, count_votes, parse_vote, win_threshold};
