//! What responses and replies hold: the answer between its tags, and the list or object in a judge's reply.

pub mod answer;
pub mod replies;
