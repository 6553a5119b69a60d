//! The planted pack, where everything has to fail: rows that no case may look like, and hollow replies that some check must catch.

use std::io;
use std::sync::Arc;

use probare_core::{BenchmarkStatus, Case, Event, Publisher, Sink, Stop};
use probare_metrics::care::is_js_whitespace;
use probare_report::escape;
use serde_json::{Value as Json, json};

use crate::printing::remark;
use crate::synthesis::{CaseSchema, Check, read_case};

use super::{CaseVerdict, Streams};

/// A row of the pack.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::synthesis) enum PlantedRow {
    /// It is not JSON; its number, and what the parser says.
    NoJson(usize, String),
    /// It has both tags, or neither.
    Class(String, &'static str),
    /// It must be invalid, and whether it is.
    Schema(String, bool),
    /// It must be a case, and what is wrong with it.
    Invalid(String, String),
    /// A case that some check must catch.
    Theatre(String, Box<Case>),
}

const BOTH: &str = "tags include both 'schema' and 'theater'";
const NEITHER: &str = "missing tag 'schema' or 'theater'";

/// The rows of a pack.
pub(in crate::synthesis) fn rows(content: &str, schema: &CaseSchema) -> Vec<PlantedRow> {
    let lines = content.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let lines = lines.enumerate().filter(|(_, line)| !line.trim_matches(is_js_whitespace).is_empty());
    lines.map(|(at, line)| row(line, at + 1, schema)).collect()
}

fn row(line: &str, number: usize, schema: &CaseSchema) -> PlantedRow {
    let value: Json = match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => return PlantedRow::NoJson(number, error.to_string()),
    };
    let id = value.get("id").and_then(Json::as_str).filter(|id| !id.is_empty());
    let id = id.map_or_else(|| format!("line-{number}"), str::to_owned);
    let has = |tag: &str| {
        value.get("tags").and_then(Json::as_array).is_some_and(|tags| tags.iter().any(|one| one.as_str() == Some(tag)))
    };
    match (has("schema"), has("theater")) {
        (true, true) => PlantedRow::Class(id, BOTH),
        (false, false) => PlantedRow::Class(id, NEITHER),
        (true, false) => PlantedRow::Schema(id, !schema.problems(&value).is_empty()),
        (false, true) => {
            let problems = schema.problems(&value);
            match read_case(line.trim_matches(is_js_whitespace), number, schema) {
                Ok(case) if problems.is_empty() => PlantedRow::Theatre(id, Box::new(case.into_case())),
                Err(bad) if problems.is_empty() => PlantedRow::Invalid(id, bad.to_string()),
                _ => PlantedRow::Invalid(id, problems.join(", ")),
            }
        }
    }
}

/// Says of every row whether it failed as it must.
pub(in crate::synthesis) struct PlantedPublisher {
    /// The pack, as named.
    pub(in crate::synthesis) cases: String,
    /// The schema, as named.
    pub(in crate::synthesis) schema: String,
    pub(in crate::synthesis) rows: Vec<PlantedRow>,
    /// Where texts go.
    pub(in crate::synthesis) streams: Streams,
    /// The verdicts on the hollow replies, in order.
    pub(in crate::synthesis) verdicts: Vec<Option<Arc<CaseVerdict>>>,
    /// How it ended.
    pub(in crate::synthesis) ending: BenchmarkStatus,
}

/// How often what happened.
#[derive(Default)]
struct Counts {
    schema_red: usize,
    schema_green: usize,
    theatre_flag: usize,
    theatre_green: usize,
    theatre_invalid: usize,
    other: usize,
}

impl PlantedPublisher {
    fn publish(&mut self) -> io::Result<()> {
        let streams = self.streams;
        let mut text = format!(
            "Synthesis - Planted inverted-oracle\nLoading planted rows from: {}\nUsing schema: {}\n",
            self.cases, self.schema
        );
        let (mut counts, mut bugs) = (Counts::default(), Vec::new());
        let mut verdicts = self.verdicts.iter();
        for row in &self.rows {
            let (line, bug) = outcome(row, &mut verdicts, &mut counts);
            text.push_str(&format!("{}\n", escape::terminal(&line)));
            bugs.extend(bug);
        }
        if self.rows.is_empty() {
            bugs.push(format!("no rows in {}", self.cases));
        }
        for (number, class) in [
            (counts.schema_red + counts.schema_green, "schema"),
            (counts.theatre_flag + counts.theatre_green + counts.theatre_invalid, "theater"),
        ] {
            if number == 0 {
                bugs.push(format!("planted pack has no {class}-tagged rows"));
            }
        }
        let Counts { schema_red, schema_green, theatre_flag, theatre_green, theatre_invalid, other } = counts;
        text.push_str(&format!(
            "eval:planted: schema RED {schema_red} GREEN {schema_green}; theater FLAG {theatre_flag} GREEN {theatre_green} \
             Ajv-RED {theatre_invalid}; other {other}\n"
        ));
        if bugs.is_empty() {
            text.push_str("eval:planted: all planted rows RED (ok)\n");
        }
        streams.say(&text)?;
        if !bugs.is_empty() {
            remark("eval:planted: planted GREEN / pack errors:");
            for bug in &bugs {
                remark(&escape::terminal(&format!("  - {bug}")));
            }
            self.ending = BenchmarkStatus::Failed;
            return streams.fatal(&format!("eval:planted: {} planted GREEN / pack error(s)", bugs.len()));
        }
        streams.artifact(&json!({
            "type": "planted-oracle", "ok": true, "cases": self.cases, "schemaRed": schema_red,
            "schemaGreen": schema_green, "theaterFlag": theatre_flag, "theaterGreen": theatre_green,
            "theaterAjvRed": theatre_invalid, "other": other, "bugs": [],
        }))
    }
}

/// The line of a row, and what is wrong with it.
fn outcome<'a>(
    row: &PlantedRow,
    verdicts: &mut impl Iterator<Item = &'a Option<Arc<CaseVerdict>>>,
    counts: &mut Counts,
) -> (String, Option<String>) {
    match row {
        PlantedRow::NoJson(number, problem) => {
            counts.other += 1;
            let bug = format!("line {number}: invalid JSON ({problem})");
            (format!("line-{number} invalid JSON ({problem})"), Some(bug))
        }
        PlantedRow::Class(id, problem) => {
            counts.other += 1;
            (format!("{id} {problem}"), Some(format!("{id}: {problem}")))
        }
        PlantedRow::Schema(id, true) => {
            counts.schema_red += 1;
            (format!("{id} schema RED (ok)"), None)
        }
        PlantedRow::Schema(id, false) => {
            counts.schema_green += 1;
            let bug = format!("{id}: schema-tagged row Ajv GREEN (harness bug)");
            (format!("{id} schema GREEN (harness bug)"), Some(bug))
        }
        PlantedRow::Invalid(id, problems) => {
            counts.theatre_invalid += 1;
            let bug = format!("{id}: theater-tagged row Ajv RED; theater must be schema-valid first ({problems})");
            (format!("{id} theater Ajv RED (harness bug)"), Some(bug))
        }
        PlantedRow::Theatre(id, _) => {
            let verdict = verdicts.next().and_then(Option::as_ref);
            let mut fired: Vec<Check> =
                verdict.iter().flat_map(|verdict| verdict.failed()).map(|(check, _)| *check).collect();
            fired.sort_by_key(|check| *check != Check::PerformativeEmpathy);
            if fired.is_empty() {
                counts.theatre_green += 1;
                let bug = format!("{id}: theater-tagged row checker GREEN (harness bug; planted must FLAG)");
                return (format!("{id} theater GREEN (harness bug)"), Some(bug));
            }
            counts.theatre_flag += 1;
            let names: Vec<&str> = fired.iter().map(|check| check.name()).collect();
            (format!("{id} theater FLAG {} (ok)", names.join(",")), None)
        }
    }
}

impl Sink for PlantedPublisher {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(scored) => {
                let verdict = scored.detail.as_ref().and_then(|detail| detail.get::<Arc<CaseVerdict>>());
                self.verdicts.push(verdict.cloned());
                Ok(())
            }
            Event::Finished(finish) if finish.stop == Stop::Complete => self.publish(),
            _ => Ok(()),
        }
    }
}

impl Publisher for PlantedPublisher {
    fn status(&self) -> BenchmarkStatus {
        self.ending
    }
}
