//! [`Panel`]: what a benchmark says about a run as a whole, as data: a heading, sentences, words with a tone, bars and tables.
//!
//! It stands in the manifest, so whoever shows a run can show it: pages, Markdown, the viewer. All texts are plain; who writes
//! them into a page makes them safe.

use serde::{Deserialize, Serialize};

/// Rows of a table of a panel; of more it says how many there are.
const MOST_ROWS: usize = 100;

/// Whether something speaks for a case or a run, or against it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// For it.
    Good,
    /// In between: a warning.
    Warn,
    /// Against it.
    Bad,
    /// Neither.
    #[default]
    Plain,
}

impl Tone {
    /// Its name in files and style sheets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
            Self::Plain => "plain",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    const fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }
}

/// What a benchmark says about a run as a whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// What it says, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<String>,
    /// Verdicts and counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chips: Vec<Chip>,
    /// Numbers to be seen at a glance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<PanelChart>,
    /// Numbers and texts to be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<PanelTable>,
}

/// A few words with a tone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// The words.
    pub words: String,
    /// What they mean for the run.
    #[serde(default, skip_serializing_if = "Tone::is_plain")]
    pub tone: Tone,
}

impl Chip {
    /// A chip.
    pub fn new(words: impl Into<String>, tone: Tone) -> Self {
        Self { words: words.into(), tone }
    }
}

/// Bars on a common scale.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelChart {
    /// What is measured.
    pub title: String,
    /// What the reader should know of it, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Ends of the scale.
    pub range: (f64, f64),
    /// Names and values; nothing where there is no value.
    pub bars: Vec<(String, Option<f64>)>,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelTable {
    /// Heading of the table; empty where that of the panel says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// How many columns, from the first, hold words; all behind them hold numbers.
    pub words: usize,
    /// Cells, row by row.
    pub rows: Vec<Vec<PanelCell>>,
    /// Rows that are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl PanelTable {
    /// A table whose first `words` columns hold words.
    pub fn new<'a>(title: &str, columns: impl IntoIterator<Item = &'a str>, words: usize) -> Self {
        let columns = columns.into_iter().map(str::to_owned).collect();
        Self { title: title.to_owned(), columns, words, ..Self::default() }
    }

    /// Adds a row; of a table that is full it counts it.
    pub fn push(&mut self, row: Vec<PanelCell>) {
        self.fill([row], |row| row);
    }

    /// Adds a row for each item. Those for which there is no room are counted, and their rows are not made.
    pub fn fill<T>(&mut self, items: impl IntoIterator<Item = T>, row: impl Fn(T) -> Vec<PanelCell>) {
        for item in items {
            if self.rows.len() < MOST_ROWS {
                self.rows.push(row(item));
            } else {
                self.more += 1;
            }
        }
    }
}

/// One cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelCell {
    /// What it says.
    pub words: String,
    /// What that means for the run.
    #[serde(default, skip_serializing_if = "Tone::is_plain")]
    pub tone: Tone,
    /// A remark below it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The id of the case that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
}

impl PanelCell {
    /// A cell that leads to a case.
    pub fn case(id: &str, words: impl Into<String>) -> Self {
        Self { words: words.into(), case: Some(id.to_owned()), ..Self::default() }
    }

    /// The same with a tone.
    #[must_use]
    pub fn with_tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// The same with a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

impl<T: Into<String>> From<T> for PanelCell {
    fn from(words: T) -> Self {
        Self { words: words.into(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_full_counts_what_it_leaves_out() {
        let mut table = PanelTable::new("", ["a"], 1);
        (0..MOST_ROWS + 7).for_each(|row| table.push(vec![row.to_string().into()]));
        assert_eq!((table.rows.len(), table.more), (MOST_ROWS, 7));
    }

    #[test]
    fn a_panel_comes_back_from_its_json_which_holds_nothing_that_is_empty() {
        let mut table = PanelTable::new("", ["Case"], 1);
        table.push(vec![PanelCell::case("a", "a").with_tone(Tone::Bad).with_note("so")]);
        let panel = Panel { title: "T".into(), tables: vec![table], ..Panel::default() };
        let json = serde_json::to_string(&panel).unwrap();
        assert_eq!(
            json,
            r#"{"title":"T","tables":[{"columns":["Case"],"words":1,"rows":[[{"words":"a","tone":"bad","note":"so","case":"a"}]]}]}"#
        );
        assert_eq!(serde_json::from_str::<Panel>(&json).unwrap(), panel);
    }
}
