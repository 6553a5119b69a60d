//! [`wrap`]: words in lines of a width.

/// Appends `words` as a paragraph: `first` stands before the first line, `hang` before the others. A word that is longer
/// than a line is not cut.
pub fn wrap(words: &str, first: &str, hang: &str, width: usize, text: &mut String) {
    text.push_str(first);
    let mut column = first.chars().count();
    let mut is_start = true;
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if !is_start && column + 1 + length > width {
            text.push('\n');
            text.push_str(hang);
            column = hang.chars().count();
        } else if !is_start {
            text.push(' ');
            column += 1;
        }
        is_start = false;
        text.push_str(word);
        column += length;
    }
    let trimmed = text.trim_end_matches(' ').len();
    text.truncate(trimmed);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_cut_and_no_line_too_long() {
        let mut text = String::new();
        wrap("one two three four", "- ", "  ", 9, &mut text);
        assert_eq!(text, "- one two\n  three\n  four\n");
    }
}
