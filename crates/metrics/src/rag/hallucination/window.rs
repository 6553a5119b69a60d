//! The published checker's own test of a claim: subject and object near each other, whatever stands between.

use std::ops::Range;

use super::claim_support::Statement;
use super::component::Component;
use super::context::Context;

/// Where subject and object stand at most `window` characters apart in one chunk: chunk and bytes.
pub(crate) fn support(statement: &Statement, context: &Context<'_>, window: usize) -> Option<(usize, Range<usize>)> {
    let subjects = places(&statement.subject, context);
    let objects = places(&statement.object, context);
    let mut from = 0;
    for (chunk, subject) in &subjects {
        // Characters have at most four bytes, so places further apart than that are out of reach and both lists can be
        // walked together.
        let reach = window.saturating_mul(4);
        while objects
            .get(from)
            .is_some_and(|(other, object)| (other, object.end.saturating_add(reach)) < (chunk, subject.start))
        {
            from += 1;
        }
        let near = objects[from..]
            .iter()
            .take_while(|(other, object)| (other, object.start) <= (chunk, subject.end.saturating_add(reach)));
        let text = context.chunks.get(*chunk).copied().unwrap_or_default();
        for (_, object) in near {
            let gap = subject.end.min(object.end)..subject.start.max(object.start);
            let characters = text.get(gap).map_or(0, |between| between.chars().count());
            if characters <= window {
                return Some((*chunk, subject.start.min(object.start)..subject.end.max(object.end)));
            }
        }
    }
    None
}

/// All places of a component, in order.
fn places(component: &Component, context: &Context<'_>) -> Vec<(usize, Range<usize>)> {
    let Some(sought) = context.seek(component) else { return Vec::new() };
    let mut places = Vec::new();
    for index in context.candidates(&sought) {
        let sentence = &context.sentences[index];
        for words in context.occurrences(&sought, sentence) {
            if let Some(words) = sentence.words.get(words)
                && let (Some(first), Some(last)) = (words.first(), words.last())
            {
                places.push((sentence.chunk, first.span.start..last.span.end));
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
        let statement = Statement {
            subject: Component::alone("YouTube"),
            verb: VerbClass::of_form("acquired"),
            object: Component::alone("Google"),
            is_negated: true,
        };
        let near = ["Nothing here.", "Google said: no. éé YouTube"];
        assert_eq!(support(&statement, &Context::new(&near), 14), Some((1, 0..29)));
        assert_eq!(support(&statement, &Context::new(&near), 13), None);
        assert_eq!(support(&statement, &Context::new(&["Google", "YouTube"]), 300), None);
    }
}
