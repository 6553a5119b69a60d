//! Finds the JSON text within a model's answer and checks its form.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// Brackets at which a search for JSON inside prose starts at most, since each start reads on to the first mistake.
const MOST_STARTS: usize = 16;

/// Where in the response the JSON is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JsonScope {
    /// The response is JSON and nothing else, white space aside.
    #[default]
    Response,
    /// The first fenced code block; the whole response where there is none.
    Fence,
    /// The first fenced code block; else the first object or array in the running text.
    Anywhere,
}

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedJson {
    /// Byte of the response at which it stops being JSON.
    pub at: usize,
    /// What is wrong there.
    pub reason: String,
}

/// The bytes of the response that are one JSON value.
pub fn find_json(response: &str, within: JsonScope) -> Result<Range<usize>, MalformedJson> {
    let fenced = if within == JsonScope::Response { None } else { fenced(response) };
    let range = fenced.clone().unwrap_or(0..response.len());
    match check(response, range) {
        Err(problem) if within == JsonScope::Anywhere && fenced.is_none() => embedded(response).ok_or(problem),
        other => other,
    }
}

/// The content of the first fenced block, without its info string; up to the end where the fence is never closed.
fn fenced(text: &str) -> Option<Range<usize>> {
    let open = text.find("```")? + 3;
    let start = open + text[open..].find('\n').map_or(0, |line| line + 1);
    let end = text[start..].find("```").map_or(text.len(), |close| start + close);
    Some(start..end)
}

/// The first object or array that is well formed, wherever it stands.
fn embedded(text: &str) -> Option<Range<usize>> {
    text.match_indices(['{', '[']).take(MOST_STARTS).find_map(|(start, _)| {
        probare_cancellation::count_steps(text.len() - start);
        let mut values = Deserializer::from_str(&text[start..]).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        Some(start..start + values.byte_offset())
    })
}

/// The range without surrounding white space, when it is one JSON value. Nesting is not limited.
fn check(response: &str, range: Range<usize>) -> Result<Range<usize>, MalformedJson> {
    probare_cancellation::count_steps(range.len());
    let text = &response[range.clone()];
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => {
            let start = range.start + (text.len() - text.trim_start().len());
            Ok(start..start + text.trim().len())
        }
        Err(error) => {
            let line_start = match error.line() {
                0 | 1 => 0,
                line => text.match_indices('\n').nth(line - 2).map_or(0, |(at, _)| at + 1),
            };
            let offset = text.floor_char_boundary(line_start + error.column().saturating_sub(1));
            let reason = error.to_string();
            // The library appends its own line and column; the span says it better.
            let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
            Err(MalformedJson { at: range.start + offset, reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_response_may_have_space_around_it() {
        assert_eq!(find_json(" {\"a\": 1}\n", JsonScope::Response), Ok(1..9));
        assert_eq!(find_json("", JsonScope::Response).unwrap_err().at, 0);
    }

    #[test]
    fn a_fence_is_opened_and_need_not_be_closed() {
        let text = "Here:\n```json\n[1]\n```\nDone.";
        assert_eq!(find_json(text, JsonScope::Fence).map(|range| &text[range]), Ok("[1]"));
        let text = "```\n[1]";
        assert_eq!(find_json(text, JsonScope::Fence).map(|range| &text[range]), Ok("[1]"));
        assert!(find_json("```json\n[1]\n```", JsonScope::Response).is_err());
    }

    #[test]
    fn running_text_is_searched_from_its_first_brackets() {
        let text = "The set {a, b} is {\"a\": [1, 2]} in JSON";
        assert_eq!(find_json(text, JsonScope::Anywhere).map(|range| &text[range]), Ok("{\"a\": [1, 2]}"));
        assert!(find_json("no brackets", JsonScope::Anywhere).is_err());
        assert!(find_json(&"[".repeat(100_000), JsonScope::Anywhere).is_err());
    }

    #[test]
    fn the_place_of_a_mistake_is_a_byte_of_the_response() {
        let text = "{\"é\": 1,\n \"b\": x}";
        let problem = find_json(text, JsonScope::Response).unwrap_err();
        assert_eq!(&text[problem.at..=problem.at], "x");
        assert_eq!(problem.reason, "expected value");
    }

    #[test]
    fn deep_nesting_is_well_formed() {
        let depth = 100_000;
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(find_json(&text, JsonScope::Response), Ok(0..2 * depth));
    }
}
