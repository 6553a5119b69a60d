//! The published checker's own test of a claim: subject and object near each other, whatever stands between. It joins the chunks
//! by one space first, so that a claim may lean on two of them.

use std::ops::Range;

use super::claim_support::ClaimStatement;
use super::component::ClaimComponent;
use super::context::IndexedContext;

/// Where subject and object stand at most `window` characters apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WindowMatch {
    /// The chunk of the subject.
    pub chunk: usize,
    /// From the one to the other where both are in that chunk, else the subject: bytes of the chunk.
    pub span: Range<usize>,
    /// The chunk of the object, where it is another.
    pub other: Option<usize>,
}

/// A place in the chunks and in their joined text.
struct ChunkSpan {
    chunk: usize,
    span: Range<usize>,
    joined: Range<usize>,
}

/// The first such place.
pub(crate) fn find_in_window(
    statement: &ClaimStatement,
    context: &IndexedContext<'_>,
    window: usize,
) -> Option<WindowMatch> {
    let mut starts = Vec::with_capacity(context.chunks.len());
    let mut length = 0;
    for chunk in context.chunks {
        starts.push(length);
        length += chunk.len() + 1;
    }
    let subjects = places(&statement.subject, context, &starts);
    let objects = places(&statement.object, context, &starts);
    let text = context.chunks.join(" ");
    // Characters have at most four bytes, so places further apart than that are out of reach and both lists can be walked
    // together.
    let reach = window.saturating_mul(4);
    let mut from = 0;
    for subject in &subjects {
        while objects.get(from).is_some_and(|object| object.joined.end.saturating_add(reach) < subject.joined.start) {
            probare_cancellation::count_steps(1);
            from += 1;
        }
        let near =
            objects[from..].iter().take_while(|object| object.joined.start <= subject.joined.end.saturating_add(reach));
        for object in near {
            probare_cancellation::count_steps(1);
            let gap = subject.joined.end.min(object.joined.end)..subject.joined.start.max(object.joined.start);
            if text.get(gap).map_or(0, |between| between.chars().count()) <= window {
                let is_one = subject.chunk == object.chunk;
                let whole = subject.span.start.min(object.span.start)..subject.span.end.max(object.span.end);
                return Some(WindowMatch {
                    chunk: subject.chunk,
                    span: if is_one { whole } else { subject.span.clone() },
                    other: (!is_one).then_some(object.chunk),
                });
            }
        }
    }
    None
}

/// All places of a component, in order.
fn places(component: &ClaimComponent, context: &IndexedContext<'_>, starts: &[usize]) -> Vec<ChunkSpan> {
    let Some(sought) = context.search_target(component) else { return Vec::new() };
    let mut places = Vec::new();
    for index in context.candidates(&sought) {
        probare_cancellation::count_steps(1);
        let sentence = &context.sentences[index];
        for words in context.occurrences(&sought, sentence) {
            probare_cancellation::count_steps(1);
            if let Some(words) = sentence.words.get(words)
                && let (Some(first), Some(last)) = (words.first(), words.last())
            {
                let (chunk, span) = (sentence.chunk, first.span.start..last.span.end);
                let start = starts.get(chunk).copied().unwrap_or_default();
                places.push(ChunkSpan { chunk, joined: start + span.start..start + span.end, span });
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rag::hallucination::verbs::VerbClass;

    #[test]
    fn only_the_distance_counts() {
        let statement = ClaimStatement {
            subject: ClaimComponent::from_text("YouTube"),
            verb: VerbClass::of_form("acquired"),
            object: ClaimComponent::from_text("Google"),
            is_negated: true,
        };
        let near = ["Nothing here.", "Google said: no. éé YouTube"];
        let found = |chunks: &[&str], window| find_in_window(&statement, &IndexedContext::new(chunks), window);
        assert_eq!(found(&near, 14), Some(WindowMatch { chunk: 1, span: 0..29, other: None }));
        assert_eq!(found(&near, 13), None);
        // The chunks are joined by one space.
        let apart = ["Well, Google", "YouTube."];
        assert_eq!(found(&apart, 1), Some(WindowMatch { chunk: 1, span: 0..7, other: Some(0) }));
        assert_eq!(found(&apart, 0), None);
        assert_eq!(found(&["YouTube", "é", "Google"], 3), Some(WindowMatch { chunk: 0, span: 0..7, other: Some(2) }));
    }
}
