//! One row a sample: its key, where it stands, how it ended, and the value and label of every metric in columns of their
//! own, so that whoever filters and sorts reads nothing else.

use std::collections::BTreeMap;
use std::sync::Arc;

use probare_core::{ErrorKind, MetricResult, Outcome, ResponseCost, SampleKey};
use probare_report::comparison::ContentHash;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::checksum::{Checksum, RowTally, TallyKey};
use super::error::StoreFault;

/// The status of a sample that is not finished.
pub(super) const OPEN: &str = "open";

/// What stands in place of the label of a metric that does not apply.
pub(super) const NOT_APPLICABLE: &str = "not_applicable";

/// In place of the number of a model where the response of the file is scored, and of a prompt where the run has one.
pub(super) const NOBODY: i64 = 0;

/// Where a sample stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct SampleRowKey {
    pub dataset: String,
    pub id: String,
    pub occurrence: u32,
    /// The model under test; empty where the response of the file is scored.
    pub model: String,
    /// The prompt that the model was asked with; empty where the run has one.
    pub prompt: String,
    pub repeat: u32,
    /// The order of exports.
    pub order: SampleOrder,
}

impl SampleRowKey {
    /// The same by numbers.
    pub fn sample_key(&self) -> SampleKey {
        SampleKey {
            dataset: self.order.dataset,
            row: self.order.row.unsigned_abs(),
            occurrence: self.occurrence,
            model: (!self.model.is_empty()).then_some(self.order.model),
            prompt: (!self.prompt.is_empty()).then_some(self.order.prompt),
            repeat: self.repeat,
        }
    }
}

/// Numbers in the run of what a sample belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct SampleOrder {
    pub dataset: u32,
    pub row: i64,
    pub model: u32,
    pub prompt: u32,
}

/// What an output took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OutputUsage {
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub cost_usd: Option<f64>,
    pub latency_ms: Option<i64>,
    pub attempts: Option<i64>,
}

impl OutputUsage {
    /// Whether a model was asked for the output; how many tokens it took may be unknown all the same.
    pub const fn is_known(&self) -> bool {
        self.attempts.is_some() || self.input_tokens.is_some()
    }
}

impl From<&ResponseCost> for OutputUsage {
    fn from(spent: &ResponseCost) -> Self {
        let count = |number: u64| Some(i64::try_from(number).unwrap_or(i64::MAX));
        Self {
            input_tokens: count(spent.usage.input_tokens),
            output_tokens: count(spent.usage.output_tokens),
            cost_usd: spent.cost_usd,
            latency_ms: spent.latency_ms.and_then(count),
            attempts: None,
        }
    }
}

/// What a metric said, as far as it can be filtered by. Without a value the label is the kind of the error, or that the
/// metric does not apply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MetricValue {
    pub metric: Arc<str>,
    pub value: Option<f64>,
    pub label: Option<String>,
}

impl MetricValue {
    pub fn new(metric: &str, named: &MetricResult) -> Self {
        let (value, label) = match named {
            Ok(Outcome::Scored(score)) => (Some(score.value.get()), score.label.as_deref()),
            Ok(Outcome::Labelled(label)) => (None, Some(&*label.label)),
            Ok(Outcome::NotApplicable { .. }) => (None, Some(NOT_APPLICABLE)),
            Err(error) => (None, Some(error.kind().name())),
        };
        Self { metric: metric.into(), value, label: label.map(str::to_owned) }
    }

    /// The kind of error, if it is one.
    fn error(&self) -> Option<&str> {
        // A label without a value is never one of these words.
        self.label.as_deref().filter(|label| self.value.is_none() && ErrorKind::from_name(label).is_some())
    }

    /// Whether there is a value, or a label alone.
    fn is_scored(&self) -> bool {
        self.value.is_some()
            || self.label.as_deref().is_some_and(|label| label != NOT_APPLICABLE && self.error().is_none())
    }
}

/// One sample.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SampleRow {
    pub sample: i64,
    pub place: SampleRowKey,
    /// The model that gave the output, where it is known.
    pub answered_by: Option<String>,
    /// Number of the case; nothing for samples of stores of the first form.
    pub case: Option<i64>,
    /// By which the case is known in other runs; nothing where it asks nothing, and in stores before the seventh form.
    pub question: Option<ContentHash>,
    /// `open`, `scored`, `not_applicable`, or the kind of the first error.
    pub status: String,
    /// A list of texts as JSON.
    pub tags: Option<String>,
    pub taken: OutputUsage,
    pub values: Vec<MetricValue>,
}

impl SampleRow {
    /// Whether all its results are there.
    pub fn is_finished(&self) -> bool {
        self.status != OPEN
    }

    /// Sets the status by what the metrics said.
    pub fn finish(&mut self) {
        let error = self.values.iter().find_map(MetricValue::error);
        let is_scored = self.values.is_empty() || self.values.iter().any(MetricValue::is_scored);
        self.status = error.unwrap_or(if is_scored { "scored" } else { NOT_APPLICABLE }).to_owned();
    }

    /// What a metric said, by its place among those of the run and its name.
    pub fn value_of(&self, place: usize, metric: &str) -> Option<&MetricValue> {
        // Most runs have their columns in the order of their metrics.
        let is_it = |value: &&MetricValue| *value.metric == *metric;
        self.values.get(place).filter(is_it).or_else(|| self.values.iter().find(is_it))
    }

    /// Kinds of the errors among its results.
    pub fn errors(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(MetricValue::error)
    }

    fn checksum(&self, run: i64) -> i64 {
        let SampleRowKey { dataset, id, occurrence, model, prompt, repeat, order } = &self.place;
        let mut checksum = Checksum::for_table("samples").integer(self.sample).integer(run).text(dataset).text(id);
        // Rows without a prompt keep the checksum that they had before there were any.
        if !prompt.is_empty() {
            checksum = checksum.text(prompt).integer(i64::from(order.prompt));
        }
        // As do rows from before there were questions.
        if let Some(question) = &self.question {
            checksum = checksum.bytes(question);
        }
        for number in [*occurrence, *repeat, order.dataset, order.model] {
            checksum = checksum.integer(i64::from(number));
        }
        let OutputUsage { input_tokens, output_tokens, cost_usd, latency_ms, attempts } = self.taken;
        checksum = checksum
            .text(model)
            .integer(order.row)
            .optional(self.answered_by.as_deref(), Checksum::text)
            .optional(self.case, Checksum::integer)
            .text(&self.status)
            .optional(self.tags.as_deref(), Checksum::text)
            .optional(cost_usd, Checksum::real);
        for count in [input_tokens, output_tokens, latency_ms, attempts] {
            checksum = checksum.optional(count, Checksum::integer);
        }
        for MetricValue { metric, value, label } in &self.values {
            checksum =
                checksum.text(metric).optional(*value, Checksum::real).optional(label.as_deref(), Checksum::text);
        }
        checksum.end()
    }
}

/// Adds a row to a tally, or takes it out again.
fn tally(tally: &mut RowTally, row: &SampleRow, checksum: i64, is_added: bool) {
    let count = |all: &mut u64, some: u64| {
        *all = if is_added { all.saturating_add(some) } else { all.saturating_sub(some) };
    };
    count(&mut tally.rows, 1);
    tally.sum ^= checksum;
    count(&mut tally.finished, u64::from(row.is_finished()));
    count(&mut tally.input_tokens, row.taken.input_tokens.unwrap_or_default().unsigned_abs());
    count(&mut tally.output_tokens, row.taken.output_tokens.unwrap_or_default().unsigned_abs());
    #[expect(clippy::cast_possible_truncation, reason = "a price beyond nine thousand million dollars is cut there")]
    let nano = (row.taken.cost_usd.unwrap_or_default() * 1e9).round() as i64;
    tally.nano_usd = if is_added { tally.nano_usd.saturating_add(nano) } else { tally.nano_usd.saturating_sub(nano) };
    for kind in row.errors() {
        count(tally.errors.entry(kind.to_owned()).or_default(), 1);
    }
    tally.errors.retain(|_, count| *count > 0);
}

/// Data set, row, model, prompt and repeat by number, and the number of the sample where two stand in one place.
type SamplePosition = (i64, i64, i64, i64, i64, i64);

/// How far the samples of a run were read, and what they came to.
#[derive(Debug, Clone)]
pub struct Cursor {
    last: SamplePosition,
    place: SampleRowKey,
    rows: u64,
    sum: i64,
    pub(super) is_begun: bool,
    pub(super) is_done: bool,
}

impl Cursor {
    /// Before every sample.
    pub fn start() -> Self {
        Self {
            last: (-1, 0, 0, 0, 0, 0),
            place: SampleRowKey::default(),
            rows: 0,
            sum: 0,
            is_begun: false,
            is_done: false,
        }
    }
}

/// The samples of a run, with the names that stand for numbers in their rows. It is opened in the transaction in which it
/// is used.
pub(super) struct SampleTable {
    run: i64,
    names: BTreeMap<i64, String>,
    /// The metric of each pair of columns.
    slots: Vec<Arc<str>>,
    next: i64,
    tally: RowTally,
}

/// Columns before those of the metrics.
const COLUMNS: &str = "sample, dataset, id, occurrence, model, repeat, place, position, seat, answered_by, case_number, \
                       status, tags, input_tokens, output_tokens, cost_usd, latency_ms, attempts, checksum, prompt, \
                       prompt_seat, question";
const BEFORE_VALUES: usize = 22;

impl SampleTable {
    pub fn open(connection: &Connection, run: i64) -> Result<Self, StoreFault> {
        let mut statement = connection.prepare_cached("SELECT number, name FROM names")?;
        let names = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        let mut statement =
            connection.prepare_cached("SELECT slot, metric FROM metrics WHERE run = ?1 ORDER BY slot")?;
        let mut slots = Vec::new();
        let mut rows = statement.query(params![run])?;
        while let Some(row) = rows.next()? {
            if usize::try_from(row.get::<_, i64>(0)?) != Ok(slots.len()) {
                return Err(StoreFault::Damaged(format!("the metrics of run {run} have a gap")));
            }
            slots.push(row.get(1)?);
        }
        let next = connection.query_row("SELECT coalesce(max(sample), 0) + 1 FROM samples", [], |row| row.get(0))?;
        let damaged = || StoreFault::Damaged(format!("the tally of run {run} is not as it was written"));
        let tally = TallyKey::Samples(run).read(connection)?.ok_or_else(damaged)?;
        Ok(Self { run, names, slots, next, tally })
    }

    /// Writes what was counted; the last thing of a transaction that changed something.
    pub fn close(self, connection: &Connection) -> rusqlite::Result<()> {
        TallyKey::Samples(self.run).write(connection, &self.tally)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.names.iter().find(|(_, known)| *known == name).map(|(number, _)| *number)
    }

    /// The number of a name, which is given where there is none.
    fn name_number(&mut self, connection: &Connection, name: &str) -> rusqlite::Result<i64> {
        if let Some(number) = self.number(name) {
            return Ok(number);
        }
        connection.prepare_cached("INSERT INTO names (name) VALUES (?1)")?.execute(params![name])?;
        let number = connection.last_insert_rowid();
        self.names.insert(number, name.to_owned());
        Ok(number)
    }

    /// The columns of a metric, which are made where there are none.
    fn slot(&mut self, connection: &Connection, metric: &str) -> rusqlite::Result<usize> {
        if let Some(slot) = self.slot_of(metric) {
            return Ok(slot);
        }
        let slot = self.slots.len();
        connection.execute(
            "INSERT INTO metrics (run, slot, metric) VALUES (?1, ?2, ?3)",
            params![self.run, i64::try_from(slot).unwrap_or(i64::MAX), metric],
        )?;
        let known = connection
            .prepare("SELECT name FROM pragma_table_info('samples') WHERE name = ?1")?
            .exists([&format!("value_{slot}")])?;
        if !known {
            connection.execute_batch(&format!(
                "ALTER TABLE samples ADD COLUMN value_{slot} REAL; ALTER TABLE samples ADD COLUMN label_{slot} TEXT;"
            ))?;
        }
        self.slots.push(metric.into());
        Ok(slot)
    }

    fn columns(&self) -> String {
        let mut columns = COLUMNS.to_owned();
        for slot in 0..self.slots.len() {
            columns.push_str(&format!(", value_{slot}, label_{slot}"));
        }
        columns
    }

    fn read(&self, row: &Row<'_>) -> Result<(SampleRow, i64), StoreFault> {
        let damaged = |sample: i64, reason: &str| StoreFault::Damaged(format!("sample {sample}: {reason}"));
        let sample: i64 = row.get(0)?;
        let name = |at: usize| -> Result<Option<String>, StoreFault> {
            let number = row.get::<_, Option<i64>>(at)?.filter(|number| *number != NOBODY);
            let Some(number) = number else { return Ok(None) };
            let found = self.names.get(&number).cloned();
            found.map(Some).ok_or_else(|| damaged(sample, "it has a name that is not there"))
        };
        let mut values = Vec::with_capacity(self.slots.len());
        for (slot, metric) in self.slots.iter().enumerate() {
            let value: Option<f64> = row.get(BEFORE_VALUES + 2 * slot)?;
            let label: Option<String> = row.get(BEFORE_VALUES + 2 * slot + 1)?;
            if value.is_some() || label.is_some() {
                values.push(MetricValue { metric: Arc::clone(metric), value, label });
            }
        }
        let found = SampleRow {
            sample,
            place: SampleRowKey {
                dataset: name(1)?.unwrap_or_default(),
                id: row.get(2)?,
                occurrence: row.get(3)?,
                model: name(4)?.unwrap_or_default(),
                prompt: name(19)?.unwrap_or_default(),
                repeat: row.get(5)?,
                order: SampleOrder { dataset: row.get(6)?, row: row.get(7)?, model: row.get(8)?, prompt: row.get(20)? },
            },
            answered_by: name(9)?,
            case: row.get(10)?,
            question: row.get(21)?,
            status: row.get(11)?,
            tags: row.get(12)?,
            taken: OutputUsage {
                input_tokens: row.get(13)?,
                output_tokens: row.get(14)?,
                cost_usd: row.get(15)?,
                latency_ms: row.get(16)?,
                attempts: row.get(17)?,
            },
            values,
        };
        let checksum = row.get(18)?;
        if found.checksum(self.run) != checksum {
            return Err(damaged(sample, "its row is not as it was written"));
        }
        Ok((found, checksum))
    }

    /// The sample of a place.
    pub fn find(&self, connection: &Connection, place: &SampleRowKey) -> Result<Option<SampleRow>, StoreFault> {
        let number = |name: &str| if name.is_empty() { Some(NOBODY) } else { self.number(name) };
        let Some(dataset) = self.number(&place.dataset) else { return Ok(None) };
        let (Some(model), Some(prompt)) = (number(&place.model), number(&place.prompt)) else { return Ok(None) };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM samples WHERE run = ?1 AND id = ?2 AND occurrence = ?3 AND dataset = ?4 AND model = ?5
             AND prompt = ?6 AND repeat = ?7",
            self.columns()
        ))?;
        let key = params![self.run, place.id, place.occurrence, dataset, model, prompt, place.repeat];
        let mut rows = statement.query(key)?;
        rows.next()?.map(|row| self.read(row).map(|(row, _)| row)).transpose()
    }

    /// All samples of a trace: its own, and those of the agents in it (`TRACE/SPAN`).
    pub fn of_trace(&self, connection: &Connection, trace: &str) -> Result<Vec<SampleRow>, StoreFault> {
        // One range of the index, since a slash is followed by the digit 0; other ids in it only begin alike.
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM samples WHERE run = ?1 AND id >= ?2 AND id < ?3",
            self.columns()
        ))?;
        let mut rows = statement.query(params![self.run, trace, format!("{trace}0")])?;
        let is_meant = |id: &str| id.strip_prefix(trace).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (row, _) = self.read(row)?;
            if is_meant(&row.place.id) {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// All samples of a case, by the numbers of its data set and its row.
    pub fn samples_of_case(
        &self,
        connection: &Connection,
        (place, position): (i64, i64),
    ) -> Result<Vec<SampleRow>, StoreFault> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM samples WHERE run = ?1 AND place = ?2 AND position = ?3
             ORDER BY seat, prompt_seat, repeat, sample",
            self.columns()
        ))?;
        let mut rows = statement.query(params![self.run, place, position])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(self.read(row)?.0);
        }
        Ok(found)
    }

    /// The number in the names of a metric's columns.
    pub fn slot_of(&self, metric: &str) -> Option<usize> {
        self.slots.iter().position(|known| **known == *metric)
    }

    /// Numbers of the names that have these words, whatever the size of their letters.
    pub fn numbers_like(&self, words: &str) -> Vec<String> {
        let words = words.to_lowercase();
        let is_meant = |(_, name): &(&i64, &String)| name.to_lowercase().contains(&words);
        self.names.iter().filter(is_meant).map(|(number, _)| number.to_string()).collect()
    }

    /// The next samples in the order of the run. When there are no more, what was read is held against what was kept.
    pub fn after(
        &self,
        connection: &Connection,
        cursor: &mut Cursor,
        most: usize,
    ) -> Result<Vec<SampleRow>, StoreFault> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM samples
             WHERE run = ?1 AND (place, position, seat, prompt_seat, repeat, sample) > (?2, ?3, ?4, ?5, ?6, ?7)
             ORDER BY place, position, seat, prompt_seat, repeat, sample LIMIT ?8",
            self.columns()
        ))?;
        let (last, limit) = (cursor.last, i64::try_from(most).unwrap_or(i64::MAX));
        let mut rows = statement.query(params![self.run, last.0, last.1, last.2, last.3, last.4, last.5, limit])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(self.read_next(row, cursor)?);
        }
        cursor.is_done = found.len() < most;
        if cursor.is_done {
            self.check_whole(cursor)?;
        }
        Ok(found)
    }

    /// Hands all samples in the order of the run to a visitor. What was read is held against what was kept.
    pub fn for_each(
        &self,
        connection: &Connection,
        mut visit: impl FnMut(SampleRow) -> Result<(), StoreFault>,
    ) -> Result<(), StoreFault> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {} FROM samples WHERE run = ?1 ORDER BY place, position, seat, prompt_seat, repeat, sample",
            self.columns()
        ))?;
        let mut rows = statement.query(params![self.run])?;
        let mut cursor = Cursor::start();
        while let Some(row) = rows.next()? {
            visit(self.read_next(row, &mut cursor)?)?;
        }
        self.check_whole(&cursor)
    }

    /// The sample that comes behind those that were read.
    fn read_next(&self, row: &Row<'_>, cursor: &mut Cursor) -> Result<SampleRow, StoreFault> {
        let (row, checksum) = self.read(row)?;
        let SampleOrder { dataset, row: position, model, prompt } = row.place.order;
        let repeat = row.place.repeat.into();
        cursor.last = (dataset.into(), position, model.into(), prompt.into(), repeat, row.sample);
        if cursor.rows > 0 && cursor.place == row.place {
            return Err(StoreFault::Damaged(format!("case `{}` of run {} is there twice", row.place.id, self.run)));
        }
        cursor.place.clone_from(&row.place);
        cursor.rows += 1;
        cursor.sum ^= checksum;
        Ok(row)
    }

    /// Whether the samples that were read are all that were kept.
    fn check_whole(&self, cursor: &Cursor) -> Result<(), StoreFault> {
        if (cursor.rows, cursor.sum) != (self.tally.rows, self.tally.sum) {
            let (run, kept) = (self.run, self.tally.rows);
            return Err(StoreFault::Damaged(if cursor.rows == kept {
                format!("the samples of run {run} are not those that were kept")
            } else {
                format!("of run {run} {kept} samples were kept, and {} are found", cursor.rows)
            }));
        }
        Ok(())
    }

    /// The case of a sample that stands beside this one: the same row of the same data set.
    pub fn sibling_case(&self, connection: &Connection, place: &SampleRowKey) -> rusqlite::Result<Option<i64>> {
        let mut statement = connection.prepare_cached(
            "SELECT case_number FROM samples WHERE run = ?1 AND place = ?2 AND position = ?3
             AND case_number IS NOT NULL LIMIT 1",
        )?;
        statement.query_row(params![self.run, place.order.dataset, place.order.row], |row| row.get(0)).optional()
    }

    /// Adds a sample; gives its number.
    pub fn insert(&mut self, connection: &Connection, row: &mut SampleRow) -> rusqlite::Result<i64> {
        row.sample = self.next;
        self.next += 1;
        self.write(connection, row, "INSERT INTO")
    }

    /// Writes a sample anew that was found before.
    pub fn replace(
        &mut self,
        connection: &Connection,
        before: &SampleRow,
        row: &mut SampleRow,
    ) -> rusqlite::Result<()> {
        tally(&mut self.tally, before, before.checksum(self.run), false);
        self.write(connection, row, "REPLACE INTO").map(|_| ())
    }

    fn write(&mut self, connection: &Connection, row: &mut SampleRow, verb: &str) -> rusqlite::Result<i64> {
        let run = self.run;
        let dataset = self.name_number(connection, &row.place.dataset)?;
        let mut number = |name: &str| match name {
            "" => Ok(NOBODY),
            name => self.name_number(connection, name),
        };
        let (model, prompt) = (number(&row.place.model)?, number(&row.place.prompt)?);
        let answered_by = match &row.answered_by {
            Some(name) => Some(self.name_number(connection, name)?),
            None => None,
        };
        let mut slots =
            row.values.iter().map(|value| self.slot(connection, &value.metric)).collect::<Result<Vec<_>, _>>()?;
        // In the order of the columns, as they are read again.
        slots.sort_unstable();
        row.values.sort_by_key(|value| self.slots.iter().position(|known| *known == value.metric));
        let checksum = row.checksum(run);
        let integer = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
        let text = |text: Option<&String>| text.map_or(Value::Null, |text| Value::Text(text.clone()));
        let SampleRowKey { id, occurrence, repeat, order, .. } = &row.place;
        let taken = &row.taken;
        let mut values = vec![
            Value::Integer(row.sample),
            Value::Integer(dataset),
            Value::Text(id.clone()),
            Value::Integer(i64::from(*occurrence)),
            Value::Integer(model),
            Value::Integer(i64::from(*repeat)),
            Value::Integer(i64::from(order.dataset)),
            Value::Integer(order.row),
            Value::Integer(i64::from(order.model)),
            integer(answered_by),
            integer(row.case),
            Value::Text(row.status.clone()),
            text(row.tags.as_ref()),
            integer(taken.input_tokens),
            integer(taken.output_tokens),
            taken.cost_usd.map_or(Value::Null, Value::Real),
            integer(taken.latency_ms),
            integer(taken.attempts),
            Value::Integer(checksum),
            Value::Integer(prompt),
            Value::Integer(i64::from(order.prompt)),
            row.question.map_or(Value::Null, |question| Value::Blob(question.to_vec())),
            Value::Integer(run),
        ];
        let mut columns = format!("{COLUMNS}, run");
        for (slot, value) in slots.iter().zip(&row.values) {
            columns.push_str(&format!(", value_{slot}, label_{slot}"));
            values.push(value.value.map_or(Value::Null, Value::Real));
            values.push(text(value.label.as_ref()));
        }
        let marks = vec!["?"; values.len()].join(", ");
        let mut statement = connection.prepare_cached(&format!("{verb} samples ({columns}) VALUES ({marks})"))?;
        statement.execute(params_from_iter(values))?;
        tally(&mut self.tally, row, checksum, true);
        Ok(row.sample)
    }

    /// Takes samples out, by their numbers.
    pub fn remove(&mut self, connection: &Connection, row: &SampleRow) -> rusqlite::Result<()> {
        connection.prepare_cached("DELETE FROM samples WHERE sample = ?1")?.execute(params![row.sample])?;
        tally(&mut self.tally, row, row.checksum(self.run), false);
        Ok(())
    }

    /// What all samples of the run come to.
    pub const fn tally(&self) -> &RowTally {
        &self.tally
    }
}
