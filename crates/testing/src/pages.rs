//! The examples on the pages of metrics, for every test that runs them.

use serde_json::Value;

/// The examples of a page: the JSON of its blocks marked `case`, with the line each starts at.
pub fn page_examples(page: &str) -> Vec<(usize, Value)> {
    let mut examples = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in page.lines().enumerate() {
        match &mut open {
            None if line == "```case" => open = Some((number + 1, String::new())),
            None => {}
            Some((start, content)) if line == "```" => {
                let example = serde_json::from_str(content)
                    .unwrap_or_else(|error| panic!("the example at line {start} is not JSON: {error}"));
                examples.push((*start, example));
                open = None;
            }
            Some((_, content)) => content.push_str(line),
        }
    }
    assert!(open.is_none(), "an example is not closed");
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_other_kinds_are_no_examples() {
        let page = "# x\n```json\n{}\n```\n\n```case\n{\"expect\":\n1}\n```\n";
        assert_eq!(page_examples(page), [(6, serde_json::json!({"expect": 1}))]);
    }
}
