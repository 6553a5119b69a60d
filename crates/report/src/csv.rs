//! [`Csv`]: one row an output: id, model and repeat, and three columns a metric (value, status, note).
//!
//! Values are written with all digits. Text is quoted where needed and never read as a formula by a spreadsheet.

use std::fmt::Write as _;
use std::io::{self, Write};

use probare_core::{CaseResult, Event, FORMAT, MetricInfo, SampleDimensions, Sink};

use crate::columns::{columns, keys};
use crate::status::{ResultStatus, note, score};
use crate::{OutputWriter, escape, manifest};

/// Writes a CSV file with a header row and `\n` line ends.
#[derive(Debug)]
pub struct Csv {
    output: OutputWriter,
    metrics: usize,
    dimensions: SampleDimensions,
    /// Reused for every row.
    row: String,
}

impl Csv {
    /// Rows go to `output`.
    pub fn new(output: OutputWriter) -> Self {
        Self { output, metrics: 0, dimensions: SampleDimensions::default(), row: String::new() }
    }

    fn header(&mut self, metrics: &[MetricInfo], dimensions: SampleDimensions) -> io::Result<()> {
        (self.metrics, self.dimensions) = (metrics.len(), dimensions);
        self.row.clear();
        for (index, name) in column_names(metrics, FORMAT, dimensions).iter().enumerate() {
            if index > 0 {
                self.row.push(',');
            }
            self.row.push_str(&escape::csv(name));
        }
        self.end_row()
    }

    fn case(&mut self, result: &CaseResult) -> io::Result<()> {
        self.row.clear();
        push_row(&mut self.row, result, self.metrics, FORMAT, self.dimensions)?;
        self.end_row()
    }

    fn end_row(&mut self) -> io::Result<()> {
        self.row.push('\n');
        self.output.write_all(self.row.as_bytes())
    }
}

/// Whether tables of this format of files say whose output a row is about.
const fn names_models(format: u32) -> bool {
    format >= 3
}

/// Names of all columns in a file of this format, in their order, as they are before a cell is made harmless.
pub fn column_names(metrics: &[MetricInfo], format: u32, dimensions: SampleDimensions) -> Vec<String> {
    let most = if names_models(format) { usize::MAX } else { 1 };
    let mut names: Vec<String> = keys(dimensions).take(most).map(str::to_owned).collect();
    for of in columns(metrics) {
        names.extend([of.value, of.status, of.note]);
    }
    names
}

/// The row of an output in a file of this format, without its line break.
pub fn row(result: &CaseResult, metrics: usize, format: u32, dimensions: SampleDimensions) -> io::Result<String> {
    let mut row = String::new();
    push_row(&mut row, result, metrics, format, dimensions)?;
    Ok(row)
}

fn push_row(
    row: &mut String,
    result: &CaseResult,
    metrics: usize,
    format: u32,
    dimensions: SampleDimensions,
) -> io::Result<()> {
    row.push_str(&escape::csv(&result.case.id));
    if names_models(format) {
        row.push(',');
        row.push_str(&escape::csv(result.model.as_deref().unwrap_or("")));
        let answered_by = dimensions.has_fallbacks.then(|| result.answered_by());
        let prompt = dimensions.has_prompts.then_some(result.prompt.as_deref());
        for cell in answered_by.into_iter().chain(prompt) {
            row.push(',');
            row.push_str(&escape::csv(cell.unwrap_or("")));
        }
        write!(row, ",{}", result.repeat).map_err(io::Error::other)?;
    }
    for index in 0..metrics {
        row.push(',');
        let Some(result) = result.results.get(index) else {
            row.push_str(",,");
            continue;
        };
        if let Some(score) = score(result) {
            // `{:?}` gives the shortest digits that read back as the same number.
            write!(row, "{:?}", score.value.get()).map_err(io::Error::other)?;
        }
        row.push(',');
        row.push_str(ResultStatus::from_result(result).name());
        row.push(',');
        row.push_str(&escape::csv(&note(result)));
    }
    Ok(())
}

impl Sink for Csv {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, dimensions, .. } => self.header(metrics, *dimensions),
            Event::Scored(result) => self.case(result),
            Event::Finished(finish) => manifest::finish(&mut self.output, finish),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{HOSTILE, MemoryOutput, events, hostile, metrics, result};

    use super::*;

    #[test]
    fn a_row_has_value_status_and_note() {
        let written = MemoryOutput::default();
        events(&mut Csv::new(written.output()), &metrics(), &[result("a", 0.5)]);
        insta::assert_snapshot!(written.text(), @r#"
        id,model,repeat,relevance,relevance.status,relevance.note,topic_pivot,topic_pivot.status,topic_pivot.note,hallucination,hallucination.status,hallucination.note
        a,,0,0.5,scored,,,not_applicable,the query has one topic,,failed,the case has no `reference`
        "#);
    }

    #[test]
    fn hostile_cells_read_back_and_start_no_formula() {
        let written = MemoryOutput::default();
        let mut formula = result("=1+1", -0.5);
        formula.case.id = "=HYPERLINK(\"http://x\")".into();
        events(&mut Csv::new(written.output()), &metrics(), &[hostile(), formula]);
        let bytes = written.bytes();
        let mut reader = ::csv::Reader::from_reader(bytes.as_slice());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(&rows[0][0], HOSTILE);
        assert_eq!(&rows[0][5], HOSTILE);
        assert_eq!(&rows[1][0], "'=HYPERLINK(\"http://x\")");
        assert_eq!(&rows[1][3], "-0.5");
    }
}
