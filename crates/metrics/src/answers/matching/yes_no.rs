//! Yes and no as gold answers; what an answer says, the shared analysis tells.

/// Yes or no as a gold answer.
pub(crate) fn reference_polarity(text: &str) -> Option<bool> {
    // *No, it is a mammal* says no.
    match text.split([',', '.', ';']).next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}
