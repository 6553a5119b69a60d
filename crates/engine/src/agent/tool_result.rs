//! [`ToolResult`]: what a call of a tool gave.

/// Bytes of a result that a model is given.
const LONGEST_RESULT: usize = 1 << 18;

/// What a call gave, as the model is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToolResult {
    pub text: String,
    pub is_error: bool,
}

impl ToolResult {
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }

    /// Not more of it than a model can take.
    pub fn cut(mut self) -> Self {
        if self.text.len() > LONGEST_RESULT {
            let end = self.text.floor_char_boundary(LONGEST_RESULT);
            let rest = self.text.len() - end;
            self.text.truncate(end);
            self.text.push_str(&format!("\n[{rest} bytes more]"));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_without_end_is_cut_at_a_character() {
        let cut = ToolResult { text: "é".repeat(LONGEST_RESULT), is_error: false }.cut();
        assert!(cut.text.len() < LONGEST_RESULT + 40 && cut.text.ends_with("bytes more]"));
    }
}
