//! [`RowFormat`]: what the row of a case looks like in a file of some format.

use std::borrow::Cow;
use std::io;

use probare_core::{CaseResult, FORMAT, MetricInfo, SampleDimensions};
use serde::Deserialize;

use super::{csv_table, format_3};
use probare_report::{ReportFormat, csv, escape, parquet};

/// Prompts and fallbacks are named in files of runs that asked models, which are not computed again.
const NOTHING_MORE: SampleDimensions = SampleDimensions { has_prompts: false, has_fallbacks: false };

/// What a row holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowContent {
    /// Its text: a result line, or a record of a table.
    Text(String),
    /// Its cells as texts.
    Cells(Vec<Option<String>>),
}

/// What tells rows apart. Two rows may have the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Deserialize)]
pub struct RowKey {
    /// Id of the case, as the file writes it.
    pub id: String,
    /// The model, where the file says it.
    #[serde(default)]
    pub model: Option<String>,
    /// The prompt, where the run has several.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Which of several outputs of that model.
    #[serde(default)]
    pub repeat: u64,
}

/// A row of a file with its place.
#[derive(Debug, Clone)]
pub struct KeyedRow {
    /// Which row it is, counted from 1.
    pub number: u64,
    /// What tells it apart.
    pub key: RowKey,
    /// What it holds.
    pub content: RowContent,
}

/// How rows are written in a file.
#[derive(Debug, Clone)]
pub struct RowFormat {
    format: ReportFormat,
    /// Version of the form of the file.
    version: u32,
    metrics: Vec<MetricInfo>,
    columns: Option<Vec<String>>,
}

impl RowFormat {
    /// The form of a file of this format, written in this version of the form, for a run with these metrics that asked no
    /// models under test.
    pub fn new(format: ReportFormat, version: u32, metrics: &[MetricInfo]) -> Self {
        let columns = match format {
            ReportFormat::Csv => {
                // As they read back: a name that a spreadsheet might run is made harmless.
                let names = csv::column_names(metrics, version, NOTHING_MORE);
                let header: Vec<_> = names.iter().map(|name| escape::csv(name)).collect();
                Some(csv_table::cells(&header.join(",")).unwrap_or(names))
            }
            ReportFormat::Parquet => Some(parquet::column_names(metrics, version, NOTHING_MORE)),
            _ => None,
        };
        Self { format, version, metrics: metrics.to_vec(), columns }
    }

    /// Whether the file is of a format before that of now.
    pub const fn is_earlier(&self) -> bool {
        self.version < FORMAT
    }

    /// Names of the columns, where it is a table.
    pub fn columns(&self) -> Option<&[String]> {
        self.columns.as_deref()
    }

    /// The metric whose column this is.
    pub fn metric_of(&self, column: &str) -> Option<&str> {
        let metrics = self.metrics.iter().rev();
        let belongs =
            |name: &str| column.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        metrics.map(|metric| metric.name.as_str()).find(|name| belongs(name))
    }

    /// Whether a row is, byte for byte, what is written for this result.
    pub fn is_written_as(&self, content: &RowContent, result: &CaseResult) -> io::Result<bool> {
        Ok(match content {
            RowContent::Text(text) if self.format == ReportFormat::Csv => {
                *text == csv::row(result, self.metrics.len(), self.version, NOTHING_MORE)?
            }
            RowContent::Text(text) => *text == self.line_text(result),
            RowContent::Cells(cells) => *cells == self.table_cells(result)?,
        })
    }

    /// What is written for this result.
    pub fn format_row(&self, result: &CaseResult) -> io::Result<RowContent> {
        Ok(match self.format {
            ReportFormat::Csv => RowContent::Text(csv::row(result, self.metrics.len(), self.version, NOTHING_MORE)?),
            ReportFormat::Parquet => RowContent::Cells(self.table_cells(result)?),
            _ => RowContent::Text(self.line_text(result).into_owned()),
        })
    }

    /// The result line, in the words of this version.
    fn line_text<'a>(&'a self, result: &'a CaseResult) -> Cow<'a, str> {
        let line = result.line_text(&self.metrics);
        if self.is_earlier() { Cow::Owned(format_3::line(&line)) } else { line }
    }

    /// The cells of a row, in the words of this version.
    fn table_cells(&self, result: &CaseResult) -> io::Result<Vec<Option<String>>> {
        let mut cells = parquet::texts(result, self.metrics.len(), self.version, NOTHING_MORE)?;
        if self.is_earlier() {
            for (name, cell) in self.columns.iter().flatten().zip(&mut cells) {
                let Some(text) = cell.as_mut().filter(|_| self.metric_of(name).is_some()) else { continue };
                match name.rsplit('.').next() {
                    Some("evidence") => *text = format_3::evidence(text),
                    Some("parts") => *text = format_3::parts(text),
                    Some("by") => *text = format_3::decider(text).to_owned(),
                    _ => {}
                }
            }
        }
        Ok(cells)
    }

    /// What tells the row of this result apart.
    pub fn key_of(&self, result: &CaseResult) -> RowKey {
        let key = RowKey {
            id: result.case.id.clone(),
            model: result.model.clone(),
            prompt: result.prompt.clone(),
            repeat: u64::from(result.repeat),
        };
        if self.format != ReportFormat::Csv {
            return key;
        }
        // As it reads back.
        let cell = |text: &str| csv_table::cells(&escape::csv(text)).ok().and_then(|cells| cells.into_iter().next());
        let id = cell(&key.id).unwrap_or_default();
        if self.has_column("model") {
            let known = |text: Option<&str>| text.and_then(cell).filter(|text| !text.is_empty());
            let (model, prompt) = (known(key.model.as_deref()), known(key.prompt.as_deref()));
            return RowKey { id, model, prompt, ..key };
        }
        RowKey { id, ..RowKey::default() }
    }

    fn has_column(&self, name: &str) -> bool {
        self.columns.iter().flatten().any(|column| column == name)
    }

    /// What tells a row of a file with these columns apart.
    pub fn key(&self, content: &RowContent, columns: Option<&[String]>) -> Result<RowKey, String> {
        let Some(columns) = columns else {
            let RowContent::Text(text) = content else { return Err("it is no result line".to_owned()) };
            return serde_json::from_str(text).map_err(|error| error.to_string());
        };
        let cells = self.cells(content)?;
        if cells.len() != columns.len() {
            return Err(format!("it has {} cells, but there are {} columns", cells.len(), columns.len()));
        }
        let cell = |name: &str| {
            let at = columns.iter().position(|column| column == name)?;
            cells.get(at).cloned().flatten()
        };
        // A column of that name in a table that does not say whose outputs it holds is of a metric.
        let own = |name: &str| cell(name).filter(|text| self.has_column(name) && !text.is_empty());
        Ok(RowKey {
            id: cell("id").ok_or_else(|| "it has no `id`".to_owned())?,
            model: own("model"),
            prompt: own("prompt"),
            repeat: own("repeat").and_then(|text| text.parse().ok()).unwrap_or(0),
        })
    }

    /// The cells of a row of a table.
    pub fn cells(&self, content: &RowContent) -> Result<Vec<Option<String>>, String> {
        match content {
            RowContent::Cells(cells) => Ok(cells.clone()),
            RowContent::Text(text) => Ok(csv_table::cells(text)?.into_iter().map(Some).collect()),
        }
    }
}
