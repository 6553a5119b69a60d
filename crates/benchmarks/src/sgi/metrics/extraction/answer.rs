//! The answer inside a response: what stands between the last `<answer>` and the next `</answer>`.

use std::ops::Range;

use probare_text::python::{strip, strip_start};

const OPEN: &str = "<answer>";
const CLOSE: &str = "</answer>";

/// Where the answer stands in the response, without space around it; nothing where there is no complete block. A later
/// block that is not closed hides an earlier one that is.
pub fn answer_span(response: &str) -> Option<Range<usize>> {
    let start = response.rfind(OPEN)? + OPEN.len();
    let inside = &response[start..start + response[start..].find(CLOSE)?];
    let start = start + (inside.len() - strip_start(inside).len());
    Some(start..start + strip(inside).len())
}

/// The answer; nothing where there is no complete block.
pub fn answer_text(response: &str) -> Option<&str> {
    answer_span(response).map(|span| &response[span])
}

/// What is scored: the answer, or the whole response as it is where there is none.
pub fn prediction(response: &str) -> (Range<usize>, &str) {
    let span = answer_span(response).unwrap_or(0..response.len());
    (span.clone(), &response[span])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_open_block_hides_an_earlier_answer() {
        assert_eq!(answer_text("<answer> 7 </answer>"), Some("7"));
        assert_eq!(answer_text("<answer>7</answer> or <answer>8"), None);
        assert_eq!(answer_text("<answer>\u{a0}</answer>"), Some(""));
        assert_eq!(prediction(" 7 "), (0..3, " 7 "));
    }
}
