//! Samples found by what their rows say: which cases fit a filter, and all samples of some cases. Nothing is unpacked but what
//! is shown.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use probare_core::{
    CaseResult, ErrorKind, LabelOnly, MetricInfo, MetricResult, Outcome, Score, ScoreError, ScoreParts,
};
use probare_report::comparison::{ContentHash, case_order_key, question_hash};
use probare_report::{Rank, shortfall};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, params, params_from_iter};
use serde::Deserialize;

use super::body::{PackedTable, body};
use super::lookup::{CasePosition, stored_sample};
use super::samples::{MetricValue, NOBODY, NOT_APPLICABLE, OPEN, OutputUsage, SampleRow, SampleRowKey, SampleTable};
use super::text_index::{TextIndex, TextMatches};
use super::{Store, StoreError, StoreFault, each_row};
use crate::{CaseFilter, FilterCondition, NumericField};

/// Tags and labels that are looked through for one that is similar.
const MOST_KNOWN: usize = 2_000;

/// In which order cases come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CaseOrder {
    /// As the run reads them.
    #[default]
    Input,
    /// By a number.
    Field {
        /// Which one.
        by: NumericField,
        /// Whether the largest comes first.
        is_down: bool,
    },
    /// The worst first, over all metrics, as reports rank them.
    Worst,
}

/// One sample with what it took.
#[derive(Debug)]
pub struct FoundSample {
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
pub struct ComparedSample<'a> {
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
    /// By which its case is known in other runs, where that was asked for and the case asks something.
    pub question: Option<ContentHash>,
    /// Whether its case is there.
    pub has_case: bool,
    /// The case as JSON, where that was asked for and it is there.
    pub text: Option<&'a str>,
}

/// How much of the cases is read beside their samples. To unpack their texts takes most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseReading {
    /// Nothing.
    Nothing,
    /// By what they are known in other runs.
    Question,
    /// That and the text.
    Text,
}

/// What a case asks and what would be right, without the rest of it.
#[derive(Deserialize)]
struct CaseQuestion<'a> {
    #[serde(borrow, default)]
    query: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    reference: Option<Vec<Cow<'a, str>>>,
}

/// What makes a text of SQL with what is put into it.
#[derive(Default)]
struct Condition {
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
    /// The cases that have a finished sample that fits, in order. A filter that asks for words needs the texts of the run.
    pub fn fitting(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        filter: &CaseFilter,
        order: &CaseOrder,
        texts: Option<&TextIndex>,
    ) -> Result<Vec<CasePosition>, StoreError> {
        self.read(|connection| {
            let samples = SampleTable::open(connection, run)?;
            let mut condition = Condition::default();
            let wanted = match filter_sql(&mut condition, &samples, metrics, filter, texts)? {
                Some(sql) => format!(" AND {sql}"),
                None => String::new(),
            };
            let values = params_from_iter(std::iter::once(Value::Integer(run)).chain(condition.values));
            let column = match order {
                CaseOrder::Worst => return worst_first(connection, &samples, metrics, &wanted, values),
                CaseOrder::Field { by, is_down } => column(&samples, by).map(|column| (column, *is_down)),
                CaseOrder::Input => None,
            };
            let order = match column {
                Some((column, is_down)) => {
                    let (extreme, way) = if is_down { ("max", "DESC") } else { ("min", "ASC") };
                    format!("{extreme}({column}) IS NULL, {extreme}({column}) {way}, place, position")
                }
                None => "place, position".to_owned(),
            };
            let mut statement = connection.prepare(&format!(
                "SELECT place, position FROM samples WHERE run = ?1 AND status <> '{OPEN}'{wanted} \
                 GROUP BY place, position ORDER BY {order}"
            ))?;
            let places = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(places.collect::<Result<_, _>>()?)
        })
    }

    /// Tags of the cases of a run, each once.
    pub fn tags(&self, run: i64) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(&format!(
                "SELECT DISTINCT tag.value FROM samples, json_each(samples.tags) AS tag \
                 WHERE run = ?1 AND tags IS NOT NULL ORDER BY 1 LIMIT {MOST_KNOWN}"
            ))?;
            let found = statement.query_map(params![run], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }

    /// Labels that a metric gave in a run, each once.
    pub fn labels_of(&self, run: i64, metric: &str) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let Some(slot) = SampleTable::open(connection, run)?.slot_of(metric) else { return Ok(Vec::new()) };
            let mut statement = connection.prepare(&format!(
                "SELECT DISTINCT label_{slot} FROM samples \
                 WHERE run = ?1 AND value_{slot} IS NOT NULL AND label_{slot} IS NOT NULL ORDER BY 1 LIMIT {MOST_KNOWN}"
            ))?;
            let found = statement.query_map(params![run], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
    }

    /// All samples of these cases, with their texts; with everything that metrics said if `whole`, else with their values and
    /// labels alone.
    pub fn samples_at(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        places: &[CasePosition],
        whole: bool,
    ) -> Result<Vec<FoundSample>, StoreError> {
        self.read(|connection| self.find_samples(connection, run, metrics, places, whole))
    }

    /// All samples of the cases with these ids, with everything that metrics said, one id after the other.
    pub fn samples_of<'a>(
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
                    from_columns(&row, &names).collect()
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
    pub fn for_each_result(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        mut visit: impl FnMut(&CaseResult),
    ) -> Result<(), StoreError> {
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        // A case is large: each sample is put in the place of the one before it.
        let (mut result, mut tags) = (CaseResult::default(), None);
        self.read(|connection| {
            each_row(connection, run, |row| {
                probare_cancellation::count_steps(1);
                if !row.is_finished() {
                    return Ok(());
                }
                result.results.clear();
                result.results.extend(from_columns(&row, &names));
                if row.tags != tags {
                    result.case.tags = row.tags.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
                    tags = row.tags;
                }
                result.case.sample = Some(row.place.sample_key());
                let SampleRowKey { id, model, prompt, repeat, .. } = row.place;
                (result.case.id, result.repeat) = (id, repeat);
                result.model = Some(model).filter(|model| !model.is_empty()).or(row.answered_by);
                result.prompt = Some(prompt).filter(|prompt| !prompt.is_empty());
                visit(&result);
                Ok(())
            })
        })
    }

    /// Hands the values of every finished sample of a run to a visitor, in the order of the run.
    pub fn for_each_compared_sample(
        &self,
        run: i64,
        metrics: &[MetricInfo],
        reading: CaseReading,
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
                values.extend(metrics.iter().enumerate().map(|(at, metric)| row.value_of(at, &metric.name)?.value));
                let SampleRowKey { id, model, prompt, repeat, order, .. } = &row.place;
                let repeat = if has_repeats && model.is_empty() {
                    body(connection, &self.unpacker, row.sample)?.output.map_or(0, |output| output.repeat)
                } else {
                    *repeat
                };
                let mut question = row.question.filter(|_| reading != CaseReading::Nothing);
                let is_unpacked = match reading {
                    CaseReading::Nothing => false,
                    // Stores before the seventh form have nothing but the text.
                    CaseReading::Question => question.is_none(),
                    CaseReading::Text => true,
                };
                let text = match row.case.filter(|_| is_unpacked) {
                    Some(case) => PackedTable::Cases.text(connection, &self.unpacker, case)?,
                    None => None,
                };
                if let (None, Some(text)) = (question, &text) {
                    let CaseQuestion { query, reference } = serde_json::from_str(text)?;
                    question = question_hash(query.as_deref(), reference.as_deref());
                }
                Ok(visit(ComparedSample {
                    place: (i64::from(order.dataset), order.row),
                    id,
                    model: Some(model.as_str()).filter(|model| !model.is_empty()).or(row.answered_by.as_deref()),
                    prompt: Some(prompt.as_str()).filter(|prompt| !prompt.is_empty()),
                    repeat,
                    tags: row.tags.as_deref(),
                    values: &values,
                    question,
                    has_case: row.case.is_some(),
                    text: text.as_deref().filter(|_| reading == CaseReading::Text),
                })?)
            })
        })
    }

    /// The first cases of a run in the order of a seed, among those that it has.
    pub fn first_cases(&self, run: i64, seed: u64, count: usize) -> Result<HashSet<CasePosition>, StoreError> {
        let mut keys: BTreeMap<CasePosition, [u8; 32]> = BTreeMap::new();
        self.read(|connection| {
            each_row(connection, run, |row| {
                let SampleRowKey { id, occurrence, order, .. } = &row.place;
                let place = (i64::from(order.dataset), order.row);
                keys.entry(place).or_insert_with(|| case_order_key(seed, id, *occurrence));
                Ok(())
            })
        })?;
        let mut cases: Vec<(CasePosition, [u8; 32])> = keys.into_iter().collect();
        cases.sort_by_key(|(_, key)| *key);
        Ok(cases.into_iter().take(count).map(|(place, _)| place).collect())
    }

    /// Where a case stands.
    pub fn place_of(&self, run: i64, id: &str, occurrence: u32) -> Result<Option<CasePosition>, StoreError> {
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
fn from_columns(row: &SampleRow, names: &[String]) -> impl Iterator<Item = MetricResult> {
    let named = move |(at, name): (usize, &String)| {
        let Some(MetricValue { value, label, .. }) = row.value_of(at, name) else { return missing_result() };
        match (value, label.as_deref()) {
            (Some(value), label) => {
                let score = Score::from_number(*value)
                    .map_err(|error| ScoreError::other(ErrorKind::Failed, error.to_string()))?;
                Ok(Outcome::Scored(Score { label: label.map(|label| label.to_owned().into()), ..score }))
            }
            (None, Some(NOT_APPLICABLE)) => Ok(Outcome::not_applicable("")),
            (None, Some(label)) => match ErrorKind::from_name(label) {
                Some(kind) => Err(ScoreError::other(kind, "")),
                None => Ok(Outcome::Labelled(LabelOnly {
                    label: label.to_owned().into(),
                    by: None,
                    parts: ScoreParts::EMPTY,
                    evidence: Vec::new(),
                })),
            },
            (None, None) => Err(ScoreError::other(ErrorKind::Failed, "")),
        }
    };
    names.iter().enumerate().map(named)
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

/// The cases that have a finished sample that fits, by the worst of these samples. How far a value falls short is computed here,
/// since the rule is that of reports: the values of all these samples are read, and nothing else of them.
fn worst_first(
    connection: &Connection,
    samples: &SampleTable,
    metrics: &[MetricInfo],
    wanted: &str,
    values: impl Params,
) -> Result<Vec<CasePosition>, StoreFault> {
    let columns = metrics.iter().map(|metric| match samples.slot_of(&metric.name) {
        Some(slot) => format!(", value_{slot}, CASE WHEN value_{slot} IS NULL THEN label_{slot} END"),
        None => ", NULL, NULL".to_owned(),
    });
    // In the order of an index, so that the samples of a case stand together.
    let mut statement = connection.prepare(&format!(
        "SELECT place, position{} FROM samples WHERE run = ?1 AND status <> '{OPEN}'{wanted} ORDER BY place, position",
        columns.collect::<String>()
    ))?;
    let mut rows = statement.query(values)?;
    let mut cases: Vec<(Rank, CasePosition)> = Vec::new();
    let mut shortfalls = Vec::with_capacity(metrics.len());
    while let Some(row) = rows.next()? {
        probare_cancellation::count_steps(1);
        shortfalls.clear();
        for (at, metric) in metrics.iter().enumerate() {
            let value: Option<f64> = row.get(2 + 2 * at)?;
            let label: Option<String> = row.get(3 + 2 * at)?;
            match (value, label) {
                (Some(value), _) => shortfalls.push(shortfall(metric, value)),
                // It does not apply, or the metric gave a label alone.
                (None, Some(label)) if ErrorKind::from_name(&label).is_none() => {}
                (None, _) => shortfalls.push(1.0),
            }
        }
        let rank = Rank::from_shortfalls(shortfalls.iter().copied(), 0);
        let place: CasePosition = (row.get(0)?, row.get(1)?);
        match cases.last_mut() {
            Some((worst, last)) if *last == place => *worst = rank.min(*worst),
            _ => cases.push((rank, place)),
        }
    }
    // Those that are alike stay in the order of the run.
    cases.sort_by_key(|(rank, _)| *rank);
    Ok(cases.into_iter().map(|(_, place)| place).collect())
}

/// A filter as SQL; nothing where it is empty.
fn filter_sql(
    condition: &mut Condition,
    samples: &SampleTable,
    metrics: &[MetricInfo],
    filter: &CaseFilter,
    texts: Option<&TextIndex>,
) -> Result<Option<String>, StoreFault> {
    let (parts, between) = match filter {
        CaseFilter::Is(question) => return sql(condition, samples, metrics, question, texts).map(Some),
        CaseFilter::Not(part) => {
            let part = filter_sql(condition, samples, metrics, part, texts)?;
            return Ok(part.map(|sql| format!("NOT coalesce({sql}, 0)")));
        }
        CaseFilter::All(parts) => (parts, " AND "),
        CaseFilter::Any(parts) => (parts, " OR "),
    };
    let mut all = Vec::new();
    for part in parts {
        all.extend(filter_sql(condition, samples, metrics, part, texts)?);
    }
    Ok((!all.is_empty()).then(|| format!("({})", all.join(between))))
}

/// A condition as SQL. What no sample of the run has holds for none.
fn sql(
    condition: &mut Condition,
    samples: &SampleTable,
    metrics: &[MetricInfo],
    question: &FilterCondition,
    texts: Option<&TextIndex>,
) -> Result<String, StoreFault> {
    let numbers = |numbers: Vec<String>| format!("IN ({})", numbers.join(", "));
    Ok(match question {
        FilterCondition::Text(words) => {
            let texts = texts.ok_or_else(|| StoreFault::Other("the texts of the run were not read".to_owned()))?;
            let TextMatches { cases, samples } = texts.find(words)?;
            let mut list = |numbers: Vec<i64>| condition.put(serde_json::Value::from(numbers).to_string());
            let (samples, cases) = (list(samples), list(cases));
            format!(
                "(sample IN (SELECT value FROM json_each({samples})) \
                 OR coalesce(case_number IN (SELECT value FROM json_each({cases})), 0))"
            )
        }
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
            flipped_sql(condition, samples, meant)
        }
    })
}

/// Cases whose samples lie on both sides of the middle of a metric's range, or have several labels of it.
fn flipped_sql<'a>(
    condition: &mut Condition,
    samples: &SampleTable,
    metrics: impl Iterator<Item = &'a MetricInfo>,
) -> String {
    let mut having = Vec::new();
    for info in metrics {
        let Some(slot) = samples.slot_of(&info.name) else { continue };
        let (low, high) = info.range;
        if low.is_finite() && high.is_finite() {
            let middle = condition.put(f64::midpoint(low, high));
            having.push(format!("(min(value_{slot}) < {middle} AND max(value_{slot}) >= {middle})"));
        }
        having.push(format!("count(DISTINCT CASE WHEN value_{slot} IS NOT NULL THEN label_{slot} END) > 1"));
    }
    if having.is_empty() {
        return "0".to_owned();
    }
    format!(
        "((place, position) IN (SELECT place, position FROM samples WHERE run = ?1 AND status <> '{OPEN}' \
         GROUP BY place, position HAVING {}))",
        having.join(" OR ")
    )
}

#[cfg(test)]
mod tests {
    use probare_core::{Better, Case, SampleKey};

    use super::*;
    use crate::{RunNames, RunPlan, StoreWriter};

    fn metric(name: &str, better: Better) -> MetricInfo {
        MetricInfo {
            name: name.to_owned(),
            id: name.to_owned().into(),
            summary: "".into(),
            better,
            range: (0.0, 1.0),
            version: 1,
            profile: None,
            options: serde_json::Value::Null,
            decision_thresholds: None,
            is_descriptive: false,
            code: None,
        }
    }

    #[test]
    fn the_worst_over_all_metrics_comes_first_as_in_reports() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db")).unwrap();
        let run = store.begin(&RunPlan::default()).unwrap();
        let metrics = [metric("correct", Better::Higher), metric("invented", Better::Lower)];
        let names = RunNames {
            datasets: vec!["facts".to_owned()],
            models: vec!["swift".to_owned(), "steady".to_owned()],
            ..RunNames::default()
        };
        let writer = StoreWriter::open(&store, run, names).unwrap();
        let value = |value: f64| -> MetricResult { Ok(Score::from_number(value).unwrap().into()) };
        let label = LabelOnly { label: "ok".into(), by: None, parts: ScoreParts::EMPTY, evidence: Vec::new() };
        let samples = [
            (0, 0, [value(1.0), value(0.0)]),
            (1, 0, [value(0.5), value(0.5)]),
            (2, 0, [value(0.5), value(0.0)]),
            (3, 0, [value(1.0), missing_result()]),
            (4, 0, [value(1.0), value(0.0)]),
            (4, 1, [value(0.2), value(0.0)]),
            (5, 0, [Ok(Outcome::not_applicable("no reference")), value(0.1)]),
            (6, 0, [Ok(Outcome::Labelled(label)), value(0.0)]),
        ];
        for (row, model, results) in samples {
            let sample = SampleKey { row, model: Some(model), ..SampleKey::default() };
            let case = Case { id: format!("case-{row}"), sample: Some(sample), ..Case::default() };
            writer.results(&CaseResult::new(case, results.into()), &metrics).unwrap();
        }
        writer.close().unwrap();
        let rows = |filter: &str, order: &CaseOrder| -> Vec<i64> {
            let filter = CaseFilter::parse(filter, &[]).unwrap();
            let found = store.fitting(run, &metrics, &filter, order, None).unwrap();
            found.into_iter().map(|(_, row)| row).collect()
        };
        assert_eq!(rows("", &CaseOrder::Worst), [3, 4, 1, 2, 5, 0, 6]);
        assert_eq!(rows("model:swift", &CaseOrder::Worst), [3, 1, 2, 5, 0, 4, 6], "by the outputs that fit alone");
        assert_eq!(rows("", &CaseOrder::Input), [0, 1, 2, 3, 4, 5, 6]);
        let by = NumericField::Metric("correct".to_owned());
        assert_eq!(rows("", &CaseOrder::Field { by, is_down: false }), [4, 1, 2, 0, 3, 5, 6]);
    }
}
