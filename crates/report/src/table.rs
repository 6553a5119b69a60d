//! A table of text that fits into a width: columns go before names are shortened, and nothing is ever broken in two.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Spaces between two columns.
const GAP: usize = 3;

/// Least width of a column that is shortened.
const SHORTEST: usize = 8;

/// One column: its head and its cells, all of them safe for a terminal.
#[derive(Debug, Clone)]
pub(crate) struct TextColumn {
    cells: Vec<String>,
    is_right: bool,
    /// In which round it goes where there is no room: 1 goes first, 0 stays.
    goes: u8,
}

impl TextColumn {
    /// Words.
    pub(crate) fn left(head: &str) -> Self {
        Self { cells: vec![head.to_owned()], is_right: false, goes: 0 }
    }

    /// Numbers.
    pub(crate) fn right(head: &str) -> Self {
        Self { is_right: true, ..Self::left(head) }
    }

    /// The same, but it goes in this round where there is no room.
    pub(crate) fn goes(self, round: u8) -> Self {
        Self { goes: round, ..self }
    }

    /// Adds a cell.
    pub(crate) fn push<'a>(&mut self, cell: impl Into<Cow<'a, str>>) {
        self.cells.push(cell.into().into_owned());
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
    }
}

/// A column that a terminal and other forms of a table show.
pub(crate) struct SharedColumn<T> {
    pub(crate) head: &'static str,
    /// In which round it goes where a terminal has no room; 0 stays.
    goes: u8,
    /// Whether tables with less room have it, too.
    pub(crate) is_brief: bool,
    /// What it says of a row.
    pub(crate) cell: fn(&T) -> String,
}

impl<T> SharedColumn<T> {
    pub(crate) const fn new(head: &'static str, goes: u8, is_brief: bool, cell: fn(&T) -> String) -> Self {
        Self { head, goes, is_brief, cell }
    }

    /// Fills a column for a terminal; `empty` stands where there is no row.
    pub(crate) fn fill<'a>(
        &self,
        column: TextColumn,
        empty: &str,
        rows: impl Iterator<Item = Option<&'a T>>,
    ) -> TextColumn
    where
        T: 'a,
    {
        let mut column = column.goes(self.goes);
        for row in rows {
            column.push(row.map_or_else(|| empty.to_owned(), self.cell));
        }
        column
    }
}

/// Columns of the same length.
#[derive(Debug, Clone)]
pub(crate) struct TextTable {
    columns: Vec<TextColumn>,
}

impl TextTable {
    pub(crate) fn new(columns: Vec<TextColumn>) -> Self {
        Self { columns }
    }

    /// The table in at most `most` columns of characters, if there is any way to do so.
    pub(crate) fn render(mut self, most: usize) -> String {
        let most = most.saturating_sub(2);
        let rounds = self.columns.iter().map(|column| column.goes).max().unwrap_or(0);
        for round in 1..=rounds {
            if self.width() > most {
                self.columns.retain(|column| column.goes != round);
            }
        }
        // The last resort: the widest column of words gives way, again and again.
        while self.width() > most {
            let excess = self.width() - most;
            let widest = self.columns.iter_mut().filter(|column| !column.is_right).max_by_key(|column| column.width());
            let Some(column) = widest else { break };
            let width = column.width();
            let narrowed = width.saturating_sub(excess).max(SHORTEST);
            if narrowed >= width {
                break;
            }
            for cell in &mut column.cells {
                *cell = shortened(cell, narrowed);
            }
        }
        self.lines()
    }

    fn width(&self) -> usize {
        let gaps = GAP * self.columns.len().saturating_sub(1);
        self.columns.iter().map(TextColumn::width).sum::<usize>() + gaps
    }

    fn lines(&self) -> String {
        let full = self.width() + 2;
        let rows = self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
        let mut text = format!("{}\n", "─".repeat(full));
        for row in 0..rows {
            let mut line = String::from(" ");
            for (at, column) in self.columns.iter().enumerate() {
                if at > 0 {
                    line.push_str(&" ".repeat(GAP));
                }
                let cell = column.cells.get(row).map_or("", String::as_str);
                let space = " ".repeat(column.width().saturating_sub(cell.width()));
                let (before, after) = if column.is_right { (space.as_str(), "") } else { ("", space.as_str()) };
                line.push_str(before);
                line.push_str(cell);
                line.push_str(after);
            }
            text.push_str(line.trim_end());
            text.push('\n');
            if row == 0 {
                text.push_str(&format!("{}\n", "═".repeat(full)));
            }
        }
        text.push_str(&format!("{}\n", "─".repeat(full)));
        text
    }
}

/// The text in at most `most` columns, with `…` where something was cut.
fn shortened(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut width = 1;
    for character in text.chars() {
        width += character.width().unwrap_or(0);
        if width > most {
            break;
        }
        short.push(character);
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut name = TextColumn::left("name");
        name.push("a_rather_long_name_of_something");
        name.push("語語語語語語語語語語");
        let mut value = TextColumn::right("value");
        value.push("0.5");
        value.push("-");
        let mut extra = TextColumn::left("extra").goes(1);
        extra.push("··········█·······█·");
        extra.push("");
        TextTable::new(vec![name, value, extra])
    }

    #[test]
    fn columns_go_first_and_names_are_shortened_last() {
        for width in 14..100 {
            let text = table().render(width);
            assert!(text.lines().all(|line| line.width() <= width.max(18)), "{width}:\n{text}");
            assert_eq!(text.contains('█'), width >= 64, "{width}:\n{text}");
            assert_eq!(text.contains('…'), width < 41, "{width}:\n{text}");
        }
    }

    #[test]
    fn wide_characters_are_measured() {
        assert_eq!(shortened("語語語", 4), "語…");
        assert_eq!(shortened("abc", 3), "abc");
    }
}
