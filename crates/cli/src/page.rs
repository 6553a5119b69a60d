//! A metric's Markdown page on a terminal: headings stand out, code is indented, the rest is wrapped.

use probare_report::Look;

/// Renders a page for this width. Without colour the text reads the same.
pub fn render(markdown: &str, look: Look) -> String {
    let width = usize::from(look.width.clamp(40, 100));
    let mut text = String::new();
    let mut paragraph = String::new();
    let mut in_code = false;
    let flush = |paragraph: &mut String, text: &mut String| {
        if !paragraph.is_empty() {
            wrap(paragraph, width, "", text);
            paragraph.clear();
        }
    };
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            flush(&mut paragraph, &mut text);
            in_code = !in_code;
        } else if in_code {
            text.push_str(&format!("    {line}\n"));
        } else if let Some(heading) = line.strip_prefix('#') {
            flush(&mut paragraph, &mut text);
            text.push_str(&look.strong(heading.trim_start_matches('#').trim()));
            text.push('\n');
        } else if line.trim().is_empty() {
            flush(&mut paragraph, &mut text);
            text.push('\n');
        } else if line.starts_with('|') {
            flush(&mut paragraph, &mut text);
            text.push_str(&format!("{}\n", plain(line)));
        } else if let Some(item) = line.trim_start().strip_prefix("- ") {
            flush(&mut paragraph, &mut text);
            paragraph = format!("- {item}");
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line.trim());
        }
    }
    flush(&mut paragraph, &mut text);
    text
}

/// Without the marks that only a browser needs.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

fn wrap(paragraph: &str, width: usize, indent: &str, text: &mut String) {
    let plain = plain(paragraph);
    let hang = if plain.starts_with("- ") { "  " } else { "" };
    let mut column = 0;
    for word in plain.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            text.push_str(indent);
            text.push_str(hang);
            column = hang.len();
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_wrapped_and_code_is_kept() {
        let look = Look { width: 40, colour: false };
        let page =
            "# Title\n\nOne `two` three four five six seven eight nine ten.\n\n- item\n\n```case\n{\"a\":  1}\n```\n";
        let text = render(page, look);
        assert!(text.starts_with("Title\n"));
        assert!(text.contains("    {\"a\":  1}\n"));
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(text.contains("two") && !text.contains('`'));
    }
}
