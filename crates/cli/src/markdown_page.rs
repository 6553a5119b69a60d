//! A page in Markdown on a terminal: headings stand out, lists and tables keep their form, code and formulas stand as they
//! are, the rest is wrapped.

use probare_report::{TerminalStyle, wrap};

/// Renders a page for this width. Without colour the text reads the same.
pub fn render(markdown: &str, look: TerminalStyle) -> String {
    let width = usize::from(look.width.clamp(40, 100));
    let mut page = Page { text: String::new(), block: Block::None, width };
    let mut code: Option<&str> = None;
    for line in markdown.lines() {
        let fence = line.trim_start().starts_with("```").then(|| line.trim_start());
        match (code, fence) {
            (Some(_), Some(_)) => code = None,
            (Some(_), None) => page.text.push_str(format!("    {line}").trim_end()),
            (None, Some(opened)) => {
                page.flush();
                code = Some(opened);
                continue;
            }
            (None, None) => {
                page.line(line, look);
                continue;
            }
        }
        if code.is_some() {
            page.text.push('\n');
        }
    }
    page.flush();
    page.text
}

/// What a line of a formula begins with: such lines stay lines.
const FORMULA: &str = "    ";

struct Page {
    text: String,
    block: Block,
    width: usize,
}

/// What is being put together.
enum Block {
    None,
    Paragraph(String),
    /// An item of a list: its mark with the indent before it, and its words.
    Item {
        mark: String,
        words: String,
    },
    Table(Vec<Vec<String>>),
}

impl Page {
    fn line(&mut self, line: &str, look: TerminalStyle) {
        let trimmed = line.trim();
        if let Some(heading) = line.strip_prefix('#') {
            self.flush();
            self.text.push_str(&look.strong(&plain(heading.trim_start_matches('#').trim())));
            self.text.push('\n');
        } else if trimmed.is_empty() {
            self.flush();
            self.text.push('\n');
        } else if trimmed.starts_with('|') {
            self.row(trimmed);
        } else if let Some((mark, words)) = item(line) {
            self.flush();
            self.block = Block::Item { mark, words: words.to_owned() };
        } else if line.starts_with(FORMULA) && matches!(self.block, Block::None) {
            if line.trim_end().chars().count() <= self.width {
                self.text.push_str(line.trim_end());
                self.text.push('\n');
            } else {
                wrap(trimmed, FORMULA, &FORMULA.repeat(2), self.width, &mut self.text);
            }
        } else {
            match &mut self.block {
                Block::Paragraph(words) | Block::Item { words, .. } => {
                    words.push(' ');
                    words.push_str(trimmed);
                }
                Block::None | Block::Table(_) => {
                    self.flush();
                    self.block = Block::Paragraph(trimmed.to_owned());
                }
            }
        }
    }

    fn row(&mut self, line: &str) {
        let cells: Vec<String> = cells(line);
        let is_rule = cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':')));
        match &mut self.block {
            Block::Table(rows) if !is_rule => rows.push(cells),
            Block::Table(_) => {}
            _ => {
                self.flush();
                self.block = Block::Table(vec![cells]);
            }
        }
    }

    fn flush(&mut self) {
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None => {}
            Block::Paragraph(words) => wrap(&plain(&words), "", "", self.width, &mut self.text),
            Block::Item { mark, words } => {
                let hang = " ".repeat(mark.chars().count());
                wrap(&plain(&words), &mark, &hang, self.width, &mut self.text);
            }
            Block::Table(rows) => table(&rows, self.width, &mut self.text),
        }
    }
}

/// The mark of a list item with its indent, and its words: `- x`, `* x`, `1. x`.
fn item(line: &str) -> Option<(String, &str)> {
    let words = line.trim_start();
    let indent = " ".repeat(line.len() - words.len());
    if let Some(rest) = words.strip_prefix("- ").or_else(|| words.strip_prefix("* ")) {
        return Some((format!("{indent}- "), rest));
    }
    let digits = words.len() - words.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = words[digits..].strip_prefix(". ").filter(|_| (1..=3).contains(&digits))?;
    Some((format!("{indent}{}. ", &words[..digits]), rest))
}

/// The cells of a row; a bar inside code or behind a backslash belongs to its cell.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let (mut cells, mut cell, mut in_code, mut escaped) = (Vec::new(), String::new(), false, false);
    for character in inner.chars() {
        match character {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '|' if !in_code && !escaped => {
                cells.push(plain(cell.trim()));
                cell.clear();
            }
            other => {
                in_code ^= other == '`';
                if escaped && other != '|' {
                    cell.push('\\');
                }
                cell.push(other);
            }
        }
        escaped = false;
    }
    cells.push(plain(cell.trim()));
    cells
}

/// Columns that stand below each other; the last one is wrapped where it does not fit.
fn table(rows: &[Vec<String>], width: usize, text: &mut String) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let before: usize = widths.iter().take(columns.saturating_sub(1)).map(|width| width + 2).sum();
    let fits = before + 16 <= width;
    for (number, row) in rows.iter().enumerate() {
        let mut head = String::from("  ");
        for (cell, width) in row.iter().zip(&widths).take(columns.saturating_sub(1)) {
            let gap = if fits { width.saturating_sub(cell.chars().count()) + 2 } else { 2 };
            head.push_str(cell);
            head.push_str(&" ".repeat(gap));
        }
        let hang = if fits { " ".repeat(before + 2) } else { "      ".to_owned() };
        let last = row.get(columns.saturating_sub(1)).map(String::as_str).unwrap_or_default();
        wrap(last, &head, &hang, width, text);
        if number == 0 && rows.len() > 1 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat((*width).min(24))).collect();
            if fits {
                text.push_str(&format!("  {}\n", rule.join("  ")));
            }
        }
    }
}

/// Without the marks that only a browser needs. A link keeps its words.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(middle) = rest[open..].find("](").map(|at| open + at) else { break };
        let Some(close) = rest[middle..].find(')').map(|at| middle + at) else { break };
        plain.push_str(&rest[..open]);
        plain.push_str(&rest[open + 1..middle]);
        rest = &rest[close + 1..];
    }
    plain.push_str(rest);
    plain.replace("**", "").replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: TerminalStyle = TerminalStyle { width: 40, colour: false };

    #[test]
    fn a_page_is_wrapped_and_code_is_kept() {
        let page =
            "# Title\n\nOne `two` three four five six seven eight nine ten.\n\n- item\n\n```case\n{\"a\":  1}\n```\n";
        let text = render(page, NARROW);
        assert!(text.starts_with("Title\n"));
        assert!(text.contains("    {\"a\":  1}\n"));
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        assert!(text.contains("two") && !text.contains('`'));
    }

    #[test]
    fn lines_of_a_formula_stay_lines() {
        let page = "Text\n\n    a     = b / c\n    value = 1 - the share of all the words that are there\n\nMore\n";
        let text =
            "Text\n\n    a     = b / c\n    value = 1 - the share of all the\n        words that are there\n\nMore\n";
        assert_eq!(render(page, NARROW), text);
    }

    #[test]
    fn lists_keep_their_form() {
        let page =
            "1. first of all there is something to say here\n2. second\n   - inner item\n- outer\nthat goes on\n";
        assert_eq!(
            render(page, NARROW),
            "1. first of all there is something to\n   say here\n2. second\n   - inner item\n- outer that goes on\n"
        );
    }

    #[test]
    fn tables_have_columns() {
        let page =
            "| option | meaning |\n|---|---:|\n| `k` | how many of `a|b` |\n| longer \\| name | [words](https://x) |\n";
        assert_eq!(
            render(page, NARROW),
            "  option         meaning\n  ─────────────  ───────────────\n  k              how many of a|b\n  longer | name  words\n"
        );
    }

    #[test]
    fn formulas_stand_as_they_are() {
        let page = "```\nF1 = 2PR / (P + R)\n\n  indented\n```\n";
        assert_eq!(render(page, NARROW), "    F1 = 2PR / (P + R)\n\n      indented\n");
    }
}
