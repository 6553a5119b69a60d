//! Yes and no as gold answers; what an answer says, the shared reading tells.

/// Yes or no as a gold answer.
pub(crate) fn gold_sense(text: &str) -> Option<bool> {
    match text.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}
