//! Samples found by what their rows say: which cases fit a filter, and all samples of some cases. Nothing is unpacked but what
//! is shown, and what is searched for words.

use std::collections::HashSet;

use probare_core::{Case, CaseResult, ErrorKind, MetricInfo, MetricResult, Outcome, Score, ScoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde_json::Value as Json;

use super::body::{PackedTable, body};
use super::lookup::stored_sample;
use super::samples::{MetricValue, NOBODY, NOT_APPLICABLE, OPEN, OutputUsage, SampleRow, SampleRowKey, SampleTable};
use super::{Store, StoreError, StoreFault, each_row};
use crate::viewer::{CaseFilter, FilterCondition, FilterTerm, NumericField};

/// A case of a run: the numbers of its data set and of its row.
pub(crate) type CasePosition = (i64, i64);

/// In which order cases come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CaseOrder {
    /// By what; as the run reads them where it is nothing.
    pub by: Option<NumericField>,
    /// Whether the largest comes first.
    pub is_down: bool,
}

/// One sample with what it took.
#[derive(Debug)]
pub(crate) struct FoundSample {
    pub sample: i64,
    pub place: CasePosition,
    pub dataset: String,
    pub occurrence: u32,
    pub status: String,
    pub taken: OutputUsage,
    pub result: CaseResult,
}

/// A finished sample as a comparison needs it.
#[derive(Debug)]
pub(crate) struct ComparedSample<'a> {
    pub place: CasePosition,
    pub id: &'a str,
    /// Whose output it is, where that is known.
    pub model: Option<&'a str>,
    /// The prompt, where the run has several.
    pub prompt: Option<&'a str>,
    pub repeat: u32,
    /// A list of texts as JSON.
    pub tags: Option<&'a str>,
    /// In the order of the metrics.
    pub values: &'a [Option<f64>],
    /// The number of its case, where the case is there.
    pub case: Option<i64>,
    /// The case, as far as it was asked for and is there.
    pub read: CaseContent<'a>,
}

/// How much of the cases is read beside their samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaseReadMode {
    /// Nothing.
    Nothing,
    /// The packed bytes, by which the same text is known; to unpack them takes most of the time.
    Bytes,
    /// The text.
    Text,
}

/// A case that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CaseContent<'a> {
    /// It was not asked for, or is not there.
    Nothing,
    /// As it is packed: the same text has the same bytes.
    Bytes(&'a [u8]),
    /// As JSON.
    Text(&'a str),
}

impl<'a> CaseContent<'a> {
    /// The text, where it was asked for and is there.
    pub const fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Nothing | Self::Bytes(_) => None,
        }
    }
}

/// What makes a text of SQL with what is put into it.
#[derive(Default)]
struct Condition {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Condition {
    fn put(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        // The first one is the run.
        format!("?{}", self.values.len() + 1)
    }
}

impl Store {
    /// The cases that have a finished sample that fits, in order.
    pub(crate) fn fitting(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        filter: &CaseFilter,
        order: &CaseOrder,
    ) -> Result<Vec<CasePosition>, StoreError> {
        self.read(|connection| {
            let samples = SampleTable::open(connection, run)?;
            let mut condition = Condition::default();
            for FilterTerm { is_not, question } in &filter.terms {
                if let Some(sql) = sql(&mut condition, &samples, metrics, question) {
                    condition.sql.push(if *is_not { format!("NOT coalesce({sql}, 0)") } else { sql });
                }
            }
            let needles: Vec<(bool, String)> = (filter.terms.iter())
                .filter_map(|term| match &term.question {
                    FilterCondition::Text(words) => Some((term.is_not, words.to_lowercase())),
                    _ => None,
                })
                .collect();
            let wanted: String = condition.sql.iter().map(|sql| format!(" AND {sql}")).collect();
            let base = format!("FROM samples WHERE run = ?1 AND status <> '{OPEN}'{wanted}");
            let values = || params_from_iter(std::iter::once(Value::Integer(run)).chain(condition.values.clone()));
            let order = match order.by.as_ref().and_then(|by| column(&samples, by)) {
                Some(column) => {
                    let (extreme, way) = if order.is_down { ("max", "DESC") } else { ("min", "ASC") };
                    format!("{extreme}({column}) IS NULL, {extreme}({column}) {way}, place, position")
                }
                None => format!("place, position{}", if order.is_down { " DESC" } else { "" }),
            };
            let mut statement = connection
                .prepare(&format!("SELECT place, position {base} GROUP BY place, position ORDER BY {order}"))?;
            let mut places: Vec<CasePosition> =
                statement.query_map(values(), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
            if !needles.is_empty() {
                let mut statement =
                    connection.prepare(&format!("SELECT place, position, sample, case_number {base}"))?;
                let mut rows = statement.query(values())?;
                let mut kept: HashSet<CasePosition> = HashSet::new();
                while let Some(row) = rows.next()? {
                    let place = (row.get(0)?, row.get(1)?);
                    if !kept.contains(&place) && self.contains_words(connection, row.get(2)?, row.get(3)?, &needles)? {
                        kept.insert(place);
                    }
                }
                places.retain(|place| kept.contains(place));
            }
            Ok(places)
        })
    }

    /// Whether the texts of a sample and of its case have all these words, and none of those that they must not have.
    fn contains_words(
        &self,
        connection: &Connection,
        sample: i64,
        case: Option<i64>,
        needles: &[(bool, String)],
    ) -> Result<bool, StoreFault> {
        probare_cancellation::count_steps(1);
        let case =
            case.map(|number| PackedTable::Cases.text(connection, &self.unpacker, number)).transpose()?.flatten();
        let said = PackedTable::Bodies.text(connection, &self.unpacker, sample)?.unwrap_or_default();
        // The first line of a body is the output; what metrics said comes behind it.
        let said = said.lines().next().unwrap_or_default();
        let texts = [case.as_deref().unwrap_or_default(), said];
        Ok(needles.iter().all(|(is_not, needle)| {
            let has = texts.iter().any(|text| {
                // Most texts do not have the word at all; of the others it is looked whether it is no name of a field.
                is_near(text, needle)
                    && serde_json::from_str::<Json>(text).is_ok_and(|json| value_contains(&json, needle))
            });
            has != *is_not
        }))
    }

    /// All samples of these cases, with their texts; with everything that metrics said if `whole`, else with their values and
    /// labels alone.
    pub(crate) fn samples_at(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        places: &[CasePosition],
        whole: bool,
    ) -> Result<Vec<FoundSample>, StoreError> {
        self.read(|connection| self.find_samples(connection, run, metrics, places, whole))
    }

    /// All samples of the cases with these ids, with everything that metrics said, one id after the other.
    pub(crate) fn samples_of<'a>(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<FoundSample>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT place, position FROM samples WHERE run = ?1 AND id = ?2")?;
            let mut all = Vec::new();
            for id in ids {
                // Sorted here: there the order would be had from an index of the whole run.
                let places = statement.query_map(params![run, id], |row| Ok((row.get(0)?, row.get(1)?)))?;
                let mut places: Vec<CasePosition> = places.collect::<Result<_, _>>()?;
                places.sort_unstable();
                places.dedup();
                all.append(&mut places);
            }
            self.find_samples(connection, run, metrics, &all, true)
        })
    }

    /// Reads the text of a case by its number; nothing where it is not there.
    pub(crate) fn read_case<T>(
        &self,
        number: i64,
        read: impl FnOnce(Option<&str>) -> serde_json::Result<T>,
    ) -> Result<T, StoreError> {
        self.read(|connection| {
            let text = PackedTable::Cases.text(connection, &self.unpacker, number)?;
            Ok(read(text.as_deref())?)
        })
    }

    fn find_samples(
        &self,
        connection: &Connection,
        run: i64,
        metrics: &[MetricInfo],
        places: &[CasePosition],
        whole: bool,
    ) -> Result<Vec<FoundSample>, StoreFault> {
        let samples = SampleTable::open(connection, run)?;
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        let mut found = Vec::new();
        for place in places {
            for row in samples.samples_of_case(connection, *place)?.into_iter().filter(SampleRow::is_finished) {
                let wrong = |reason: String| StoreFault::Damaged(format!("sample {}: {reason}", row.sample));
                let results = if whole {
                    let said = body(connection, &self.unpacker, row.sample)?;
                    said.named_or(&names, missing_result).map_err(wrong)?
                } else {
                    from_columns(&row, &names)
                };
                let (sample, status, taken) = (row.sample, row.status.clone(), row.taken.clone());
                let SampleRowKey { dataset, occurrence, model, prompt, repeat, .. } = row.place.clone();
                let case = stored_sample(connection, &self.unpacker, row)?.case;
                let mut result = CaseResult::new(case, results);
                if !model.is_empty() {
                    (result.model, result.repeat) = (Some(model), repeat);
                    result.prompt = Some(prompt).filter(|prompt| !prompt.is_empty());
                }
                let place = *place;
                found.push(FoundSample { sample, place, dataset, occurrence, status, taken, result });
            }
        }
        Ok(found)
    }

    /// Hands every finished sample of a run to a visitor, with values and labels, and no texts.
    pub(crate) fn for_each_result(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        mut visit: impl FnMut(CaseResult),
    ) -> Result<(), StoreError> {
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        self.read(|connection| {
            each_row(connection, run, |row| {
                probare_cancellation::count_steps(1);
                if !row.is_finished() {
                    return Ok(());
                }
                let results = from_columns(&row, &names);
                let tags = row.tags.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
                let key = row.place.sample_key();
                let SampleRowKey { id, model, prompt, repeat, .. } = row.place;
                let case = Case { id, tags, sample: Some(key), ..Case::default() };
                let model = Some(model).filter(|model| !model.is_empty()).or(row.answered_by);
                let prompt = Some(prompt).filter(|prompt| !prompt.is_empty());
                visit(CaseResult { model, prompt, repeat, ..CaseResult::new(case, results) });
                Ok(())
            })
        })
    }

    /// Hands the values of every finished sample of a run to a visitor, in the order of the run.
    pub(crate) fn for_each_compared_sample(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        reading: CaseReadMode,
        mut visit: impl FnMut(ComparedSample<'_>) -> serde_json::Result<()>,
    ) -> Result<(), StoreError> {
        self.read(|connection| {
            // Which of several answers one of the file is stands with the answer. It matters where a case is there twice.
            let has_repeats = connection
                .prepare("SELECT 1 FROM samples WHERE run = ?1 AND model = ?2 AND occurrence > 0")?
                .exists(params![run, NOBODY])?;
            let mut values = Vec::new();
            each_row(connection, run, |row| {
                probare_cancellation::count_steps(1);
                if !row.is_finished() {
                    return Ok(());
                }
                values.clear();
                values.extend(metrics.iter().enumerate().map(|(at, metric)| {
                    // Most runs have their columns in the order of their metrics.
                    let is_it = |value: &&MetricValue| *value.metric == *metric.name;
                    row.values.get(at).filter(is_it).or_else(|| row.values.iter().find(is_it))?.value
                }));
                let SampleRowKey { id, model, prompt, repeat, order, .. } = &row.place;
                let repeat = if has_repeats && model.is_empty() {
                    body(connection, &self.unpacker, row.sample)?.output.map_or(0, |output| output.repeat)
                } else {
                    *repeat
                };
                let (mut text, mut bytes) = (None, None);
                match (reading, row.case) {
                    (CaseReadMode::Text, Some(case)) => {
                        text = PackedTable::Cases.text(connection, &self.unpacker, case)?;
                    }
                    (CaseReadMode::Bytes, Some(case)) => bytes = PackedTable::Cases.packed(connection, case)?,
                    (CaseReadMode::Nothing, _) | (_, None) => {}
                }
                let read = match (&text, &bytes) {
                    (Some(text), _) => CaseContent::Text(text),
                    (None, Some(bytes)) => CaseContent::Bytes(bytes),
                    (None, None) => CaseContent::Nothing,
                };
                Ok(visit(ComparedSample {
                    place: (i64::from(order.dataset), order.row),
                    id,
                    model: Some(model.as_str()).filter(|model| !model.is_empty()).or(row.answered_by.as_deref()),
                    prompt: Some(prompt.as_str()).filter(|prompt| !prompt.is_empty()),
                    repeat,
                    tags: row.tags.as_deref(),
                    values: &values,
                    case: row.case,
                    read,
                })?)
            })
        })
    }

    /// Where a case stands.
    pub(crate) fn place_of(&self, run: i64, id: &str, occurrence: u32) -> Result<Option<CasePosition>, StoreError> {
        self.read(|connection| {
            let found = connection
                .prepare_cached(
                    "SELECT place, position FROM samples WHERE run = ?1 AND id = ?2 AND occurrence = ?3 LIMIT 1",
                )?
                .query_row(params![run, id, occurrence], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            Ok(found)
        })
    }
}

/// What stands in place of a result that was not computed.
fn missing_result() -> MetricResult {
    Err(ScoreError::other(ErrorKind::Missing, "this metric was not computed for this sample"))
}

/// Values and labels as results: what they were made from is not there.
fn from_columns(row: &SampleRow, names: &[String]) -> Vec<MetricResult> {
    let named = |name: &String| {
        let Some(MetricValue { value, label, .. }) = row.values.iter().find(|value| *value.metric == **name) else {
            return missing_result();
        };
        match (value, label.as_deref()) {
            (Some(value), label) => {
                let score = Score::from_number(*value)
                    .map_err(|error| ScoreError::other(ErrorKind::Failed, error.to_string()))?;
                Ok(Outcome::Scored(Score { label: label.map(|label| label.to_owned().into()), ..score }))
            }
            (None, Some(NOT_APPLICABLE)) => Ok(Outcome::not_applicable("")),
            (None, kind) => {
                let kind = ErrorKind::ALL.into_iter().find(|known| Some(known.name()) == kind);
                Err(ScoreError::other(kind.unwrap_or(ErrorKind::Failed), ""))
            }
        }
    };
    names.iter().map(named).collect()
}

/// The column of a number; nothing where no sample of the run has it.
fn column(samples: &SampleTable, quantity: &NumericField) -> Option<String> {
    Some(match quantity {
        NumericField::Metric(metric) => format!("value_{}", samples.slot_of(metric)?),
        NumericField::Cost => "cost_usd".to_owned(),
        NumericField::Latency => "latency_ms".to_owned(),
        NumericField::Tokens => "output_tokens".to_owned(),
        NumericField::Repeat => "repeat".to_owned(),
    })
}

/// A question as SQL; nothing where it is about texts. What no sample of the run has holds for none.
fn sql(
    condition: &mut Condition,
    samples: &SampleTable,
    metrics: &[MetricInfo],
    question: &FilterCondition,
) -> Option<String> {
    let numbers = |numbers: Vec<String>| format!("IN ({})", numbers.join(", "));
    Some(match question {
        FilterCondition::Text(_) => return None,
        FilterCondition::Number(quantity, relation, limit) => match column(samples, quantity) {
            Some(column) => format!("({column} {} {})", relation.sign(), condition.put(*limit)),
            None => "0".to_owned(),
        },
        FilterCondition::Label(metric, word) => match samples.slot_of(metric) {
            Some(slot) => format!("(label_{slot} = {})", condition.put(word.clone())),
            None => "0".to_owned(),
        },
        FilterCondition::Status(word) if word == ErrorKind::Failed.name() => {
            format!("(status NOT IN ('scored', '{NOT_APPLICABLE}', '{OPEN}'))")
        }
        FilterCondition::Status(word) => format!("(status = {})", condition.put(word.clone())),
        FilterCondition::Tag(word) => {
            let exact = condition.put(word.clone());
            format!(
                "(tags IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(tags) WHERE value = {exact} \
                 OR substr(value, -length({exact}) - 1) IN (':' || {exact}, '=' || {exact})))"
            )
        }
        FilterCondition::Model(words) => {
            let mut found = samples.numbers_like(words);
            if words == "none" {
                found.push(NOBODY.to_string());
            }
            format!("(model {0} OR answered_by {0})", numbers(found))
        }
        FilterCondition::Prompt(words) => format!("(prompt {})", numbers(samples.numbers_like(words))),
        FilterCondition::Dataset(words) => format!("(dataset {})", numbers(samples.numbers_like(words))),
        FilterCondition::Id(id) => format!("(id = {})", condition.put(id.clone())),
        FilterCondition::IdHas(words) => format!("(instr(lower(id), {}) > 0)", condition.put(words.to_lowercase())),
        FilterCondition::Flipped(metric) => {
            let meant = metrics.iter().filter(|info| metric.as_ref().is_none_or(|metric| *metric == info.name));
            let mut having = Vec::new();
            for info in meant {
                let Some(slot) = samples.slot_of(&info.name) else { continue };
                let (low, high) = info.range;
                if low.is_finite() && high.is_finite() {
                    let middle = condition.put(f64::midpoint(low, high));
                    having.push(format!("(min(value_{slot}) < {middle} AND max(value_{slot}) >= {middle})"));
                }
                having.push(format!("count(DISTINCT CASE WHEN value_{slot} IS NOT NULL THEN label_{slot} END) > 1"));
            }
            if having.is_empty() {
                return Some("0".to_owned());
            }
            format!(
                "((place, position) IN (SELECT place, position FROM samples WHERE run = ?1 AND status <> '{OPEN}' \
                 GROUP BY place, position HAVING {}))",
                having.join(" OR ")
            )
        }
    })
}

/// Whether a text of JSON may have these words, whatever the size of their letters.
fn is_near(text: &str, needle: &str) -> bool {
    // Inside JSON some signs are written in another way: then only a closer look can tell.
    needle.contains(['"', '\\', '\n', '\t']) || contains_lower(text, needle)
}

/// Whether a text has these words, which are in small letters.
fn contains_lower(text: &str, needle: &str) -> bool {
    text.to_lowercase().contains(needle)
}

/// Whether a text in a value has these words. Names of fields are not what anybody said.
fn value_contains(json: &Json, needle: &str) -> bool {
    match json {
        Json::String(text) => contains_lower(text, needle),
        Json::Array(items) => items.iter().any(|item| value_contains(item, needle)),
        Json::Object(fields) => fields.iter().any(|(name, value)| name != "id" && value_contains(value, needle)),
        Json::Number(number) => number.to_string().contains(needle),
        _ => false,
    }
}
