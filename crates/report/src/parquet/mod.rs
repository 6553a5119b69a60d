//! [`Parquet`]: one row an output: id, model and repeat, and eight columns a metric (value, status, note, evidence, label,
//! parts, kind of failure, who decided).
//!
//! Rows are gathered into row groups of bounded size, so memory stays flat however long the run is. The manifest of the
//! run stands in the footer, under [`manifest::KEY`].

mod cells;

use std::io;
use std::sync::Arc;

pub use self::cells::MetricCells;
pub use self::cells::{column_names, texts};

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use probare_core::{CaseResult, Event, MetricInfo, RunEnd, SampleDimensions, Sink, Stop};

use crate::columns::columns;
use crate::{OutputWriter, manifest};

/// Most rows of a row group.
const GROUP_ROWS: usize = 65_536;

/// Bytes of text after which a row group is written even if it has fewer rows.
const GROUP_BYTES: usize = 16 << 20;

/// Writes a Parquet file, compressed with Snappy.
#[derive(Debug)]
pub struct Parquet {
    state: State,
}

#[derive(Debug)]
enum State {
    /// The columns are not known yet.
    Waiting(Box<OutputWriter>),
    Writing(Box<OpenWriter>),
    Done,
}

struct OpenWriter {
    writer: SerializedFileWriter<OutputWriter>,
    group: Group,
}

impl std::fmt::Debug for OpenWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Writing").field("rows", &self.group.ids.len()).finish_non_exhaustive()
    }
}

/// The rows that wait for being written.
#[derive(Default)]
struct Group {
    ids: Vec<ByteArray>,
    models: Optional<ByteArray>,
    /// Nothing where nobody may answer in place of another.
    answered_by: Option<Optional<ByteArray>>,
    /// Nothing where the run has one prompt.
    prompts: Option<Optional<ByteArray>>,
    repeats: Vec<i64>,
    metrics: Vec<MetricGroup>,
    bytes: usize,
}

/// The columns of one metric; cells without a value are missing from `cells` and 0 in `levels`.
#[derive(Default)]
struct MetricGroup {
    values: Optional<f64>,
    status: Vec<ByteArray>,
    /// In the order of [`MetricCells::texts`].
    texts: [Optional<ByteArray>; 6],
}

struct Optional<T> {
    cells: Vec<T>,
    levels: Vec<i16>,
}

impl<T> Default for Optional<T> {
    fn default() -> Self {
        Self { cells: Vec::new(), levels: Vec::new() }
    }
}

impl<T> Optional<T> {
    fn push(&mut self, cell: Option<T>) {
        self.levels.push(i16::from(cell.is_some()));
        self.cells.extend(cell);
    }
}

impl Parquet {
    /// The file goes to `output`.
    pub fn new(output: OutputWriter) -> Self {
        Self { state: State::Waiting(Box::new(output)) }
    }

    fn start(&mut self, metrics: &[MetricInfo], dimensions: SampleDimensions) -> io::Result<()> {
        if let State::Waiting(output) = std::mem::replace(&mut self.state, State::Done) {
            let (schema, properties) = schema(metrics, dimensions).map_err(io_error)?;
            let writer =
                SerializedFileWriter::new(*output, Arc::new(schema), Arc::new(properties)).map_err(io_error)?;
            let group = Group::new(metrics.len(), dimensions);
            self.state = State::Writing(Box::new(OpenWriter { writer, group }));
        }
        Ok(())
    }

    fn finish(&mut self, finish: &RunEnd) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Waiting(mut output) => output.finish(finish.stop).map(|_| ()),
            State::Writing(mut writing) => {
                writing.write_group()?;
                if finish.stop == Stop::Complete {
                    let text = serde_json::to_string(&manifest::with_seal(finish.manifest.clone()))?;
                    writing.writer.append_key_value_metadata(KeyValue::new(manifest::KEY.to_owned(), text));
                }
                writing.writer.into_inner().map_err(io_error)?.finish(finish.stop).map(|_| ())
            }
            State::Done => Ok(()),
        }
    }
}

impl Sink for Parquet {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match (event, &mut self.state) {
            (Event::Started { metrics, dimensions, .. }, _) => self.start(metrics, *dimensions),
            (Event::Scored(result), State::Writing(writing)) => writing.add(result),
            (Event::Finished(finish), _) => self.finish(finish),
            _ => Ok(()),
        }
    }
}

impl OpenWriter {
    fn add(&mut self, result: &CaseResult) -> io::Result<()> {
        self.group.add(result)?;
        if self.group.ids.len() >= GROUP_ROWS || self.group.bytes >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.group.ids.is_empty() {
            return Ok(());
        }
        let Group { metrics, prompts, answered_by, .. } = &self.group;
        let dimensions = SampleDimensions { has_prompts: prompts.is_some(), has_fallbacks: answered_by.is_some() };
        let next = Group::new(metrics.len(), dimensions);
        let group = std::mem::replace(&mut self.group, next);
        group.write(&mut self.writer).map_err(io_error)
    }
}

impl Group {
    fn new(metrics: usize, dimensions: SampleDimensions) -> Self {
        let answered_by = dimensions.has_fallbacks.then(Optional::default);
        let prompts = dimensions.has_prompts.then(Optional::default);
        Self {
            answered_by,
            prompts,
            metrics: (0..metrics).map(|_| MetricGroup::default()).collect(),
            ..Self::default()
        }
    }

    fn add(&mut self, result: &CaseResult) -> io::Result<()> {
        let mut bytes = result.case.id.len();
        self.ids.push(result.case.id.as_str().into());
        bytes += result.model.as_ref().map_or(0, String::len);
        self.models.push(result.model.as_deref().map(ByteArray::from));
        let answered_by = self.answered_by.as_mut().map(|column| (column, result.answered_by()));
        let prompt = self.prompts.as_mut().map(|column| (column, result.prompt.as_deref()));
        for (column, name) in answered_by.into_iter().chain(prompt) {
            bytes += name.map_or(0, str::len);
            column.push(name.map(ByteArray::from));
        }
        self.repeats.push(i64::from(result.repeat));
        for (index, metric) in self.metrics.iter_mut().enumerate() {
            let MetricCells { value, status, texts } = MetricCells::for_result(result.results.get(index), true)?;
            metric.values.push(value);
            metric.status.push(status.into());
            for (column, text) in metric.texts.iter_mut().zip(texts) {
                bytes += text.as_ref().map_or(0, |text| text.len());
                column.push(text.map(|text| text.as_ref().into()));
            }
            // Cells themselves take room too, so that a run of empty rows is bounded as well.
            bytes += 64;
        }
        self.bytes += bytes;
        Ok(())
    }

    fn write(self, writer: &mut SerializedFileWriter<OutputWriter>) -> Result<(), ParquetError> {
        let mut group = writer.next_row_group()?;
        let mut column = |write: &dyn Fn(&mut SerializedColumnWriter<'_>) -> Result<usize, ParquetError>| {
            let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            write(&mut column)?;
            column.close()
        };
        column(&|column| column.typed::<ByteArrayType>().write_batch(&self.ids, None, None))?;
        for Optional { cells, levels } in std::iter::once(&self.models).chain(&self.answered_by).chain(&self.prompts) {
            column(&|column| column.typed::<ByteArrayType>().write_batch(cells, Some(levels), None))?;
        }
        column(&|column| column.typed::<Int64Type>().write_batch(&self.repeats, None, None))?;
        for MetricGroup { values, status, texts } in &self.metrics {
            column(&|column| column.typed::<DoubleType>().write_batch(&values.cells, Some(&values.levels), None))?;
            column(&|column| column.typed::<ByteArrayType>().write_batch(status, None, None))?;
            for text in texts {
                column(&|column| column.typed::<ByteArrayType>().write_batch(&text.cells, Some(&text.levels), None))?;
            }
        }
        group.close().map(|_| ())
    }
}

/// The columns, and how they are stored. Statistics help a reader to skip on ids and values; on long texts they would
/// only repeat them.
fn schema(metrics: &[MetricInfo], dimensions: SampleDimensions) -> Result<(Type, WriterProperties), ParquetError> {
    let repeat =
        Type::primitive_type_builder("repeat", Physical::INT64).with_repetition(Repetition::REQUIRED).build()?;
    let mut fields = vec![text("id", Repetition::REQUIRED)?, text("model", Repetition::OPTIONAL)?];
    for (is_named, name) in [(dimensions.has_fallbacks, "answered_by"), (dimensions.has_prompts, "prompt")] {
        if is_named {
            fields.push(text(name, Repetition::OPTIONAL)?);
        }
    }
    fields.push(Arc::new(repeat));
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for names in columns(metrics) {
        let value = Type::primitive_type_builder(&names.value, Physical::DOUBLE)
            .with_repetition(Repetition::OPTIONAL)
            .build()?;
        fields.push(Arc::new(value));
        fields.push(text(&names.status, Repetition::REQUIRED)?);
        for name in [names.note, names.evidence, names.label, names.parts, names.kind, names.by] {
            fields.push(text(&name, Repetition::OPTIONAL)?);
            properties = properties.set_column_statistics_enabled(vec![name].into(), EnabledStatistics::None);
        }
    }
    let schema = Type::group_type_builder("probare").with_fields(fields).build()?;
    Ok((schema, properties.build()))
}

fn text(name: &str, repetition: Repetition) -> Result<Arc<Type>, ParquetError> {
    Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
        .with_repetition(repetition)
        .with_logical_type(Some(LogicalType::String))
        .build()
        .map(Arc::new)
}

fn io_error(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use crate::testing::{HOSTILE, MemoryOutput, events, hostile, metrics, result};

    use super::*;

    fn read(written: &MemoryOutput) -> (usize, Vec<Vec<(String, Field)>>) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&written.bytes()).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let groups = reader.num_row_groups();
        let rows = reader.get_row_iter(None).unwrap();
        (groups, rows.map(|row| row.unwrap().into_columns()).collect())
    }

    fn cell<'a>(row: &'a [(String, Field)], name: &str) -> &'a Field {
        &row.iter().find(|(known, _)| known == name).unwrap().1
    }

    #[test]
    fn rows_read_back_with_nulls_where_there_is_no_score() {
        let written = MemoryOutput::default();
        events(&mut Parquet::new(written.output()), &metrics(), &[result("a", 0.25), hostile()]);
        let (_, rows) = read(&written);
        assert_eq!(rows.len(), 2);
        assert_eq!(cell(&rows[0], "id"), &Field::Str("a".into()));
        assert_eq!(cell(&rows[0], "relevance"), &Field::Double(0.25));
        assert_eq!(cell(&rows[0], "relevance.status"), &Field::Str("scored".into()));
        let Field::Str(evidence) = cell(&rows[0], "relevance.evidence") else { panic!("evidence is text") };
        let evidence: Vec<probare_core::Evidence> = serde_json::from_str(evidence).unwrap();
        assert_eq!(evidence[0].text, "press");
        assert_eq!(cell(&rows[0], "relevance.parts"), &Field::Str(r#"{"cosine":0.125}"#.into()));
        assert_eq!(cell(&rows[0], "relevance.label"), &Field::Null);
        assert_eq!(cell(&rows[0], "hallucination.kind"), &Field::Str("failed".into()));
        assert_eq!(cell(&rows[0], "model"), &Field::Null);
        assert_eq!(cell(&rows[0], "repeat"), &Field::Long(0));
        assert_eq!(cell(&rows[0], "topic_pivot"), &Field::Null);
        assert_eq!(cell(&rows[0], "topic_pivot.status"), &Field::Str("not_applicable".into()));
        assert_eq!(cell(&rows[0], "hallucination.status"), &Field::Str("failed".into()));
        assert_eq!(cell(&rows[0], "hallucination.note"), &Field::Str("the case has no `reference`".into()));
        assert_eq!(cell(&rows[1], "id"), &Field::Str(HOSTILE.into()));
    }

    #[test]
    fn rows_name_who_answered_and_the_prompt_where_a_run_has_them() {
        let mut asked = result("a", 0.25);
        (asked.model, asked.prompt) = (Some("house".to_owned()), Some("short".to_owned()));
        let mut answered = asked.clone();
        answered.case.response.as_mut().unwrap().model = Some("spare".to_owned());
        let written = MemoryOutput::default();
        let mut file = Parquet::new(written.output());
        let dimensions = SampleDimensions { has_prompts: true, has_fallbacks: true };
        file.event(&Event::Started { source: "cases.jsonl", metrics: &metrics(), dimensions }).unwrap();
        for result in [&asked, &answered] {
            file.event(&Event::Scored(result)).unwrap();
        }
        file.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete))).unwrap();
        let (_, rows) = read(&written);
        let names: Vec<&str> = rows[0].iter().take(5).map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["id", "model", "answered_by", "prompt", "repeat"]);
        assert_eq!(cell(&rows[0], "answered_by"), &Field::Null);
        for (name, text) in [("model", "house"), ("answered_by", "spare"), ("prompt", "short")] {
            assert_eq!(cell(&rows[1], name), &Field::Str(text.into()), "{name}");
        }
    }

    #[test]
    fn long_runs_are_cut_into_row_groups() {
        let written = MemoryOutput::default();
        let results = vec![result("a", 0.25); GROUP_ROWS + 1];
        events(&mut Parquet::new(written.output()), &metrics(), &results);
        let (groups, rows) = read(&written);
        assert!(groups >= 2);
        assert_eq!(rows.len(), GROUP_ROWS + 1);
    }
}
