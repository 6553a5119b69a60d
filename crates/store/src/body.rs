//! [`SampleBody`]: what a sample said and was told, as the text that is packed; and the tables of packed texts.

use probare_core::{AgentConversation, CaseToolCall, MetricResult, Outcome, Output, Score, SerializedResult};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::checksum::Checksum;
use super::error::StoreFault;
use super::packing::Unpacker;

/// The output of a sample and what each metric said about it, as files hold it.
///
/// A line with the output (`null` where there is none; `{"output", "tool_calls"}` where a model had tools; `{"output",
/// "conversation"}` of an agent), then two lines
/// for each metric: its name and its result. All of them are JSON, which has no line breaks of its own, so that evidence is
/// written in the very bytes that it quotes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SampleBody {
    pub output: Option<Output>,
    /// Calls that a model answered with; nothing where it had no tools.
    pub calls: Option<Vec<CaseToolCall>>,
    /// What an agent said and did.
    pub conversation: Option<AgentConversation>,
    pub results: Vec<(String, String)>,
}

/// An output with its calls or with its conversation, as the first line holds it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputWithCalls<O, C, A> {
    output: O,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_calls: Option<C>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<A>,
}

/// How such a line begins; an output by itself begins otherwise.
const CALLED: &str = "{\"output\":";

impl SampleBody {
    pub fn text(&self) -> serde_json::Result<String> {
        let Self { output, calls: tool_calls, conversation, .. } = self;
        let mut text = if tool_calls.is_some() || conversation.is_some() {
            let (tool_calls, conversation) = (tool_calls.as_ref(), conversation.as_ref());
            serde_json::to_string(&OutputWithCalls { output, tool_calls, conversation })?
        } else {
            serde_json::to_string(output)?
        };
        text.push('\n');
        for (metric, result) in &self.results {
            text.push_str(&serde_json::to_string(metric)?);
            text.push('\n');
            text.push_str(result);
            text.push('\n');
        }
        Ok(text)
    }

    /// Reads the text again.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let wrong = |error: serde_json::Error| error.to_string();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or("null");
        let (output, calls, conversation) = if first.starts_with(CALLED) {
            let OutputWithCalls { output, tool_calls, conversation } = serde_json::from_str(first).map_err(wrong)?;
            (output, tool_calls, conversation)
        } else {
            (serde_json::from_str(first).map_err(wrong)?, None, None)
        };
        let mut results = Vec::new();
        while let Some(metric) = lines.next() {
            let result = lines.next().ok_or("a metric has no result")?;
            results.push((serde_json::from_str(metric).map_err(wrong)?, result.to_owned()));
        }
        Ok(Self { output, calls, conversation, results })
    }

    /// The scores among the results.
    pub fn scores(&self) -> impl Iterator<Item = Score> {
        self.results.iter().filter_map(|(_, result)| match serde_json::from_str(result) {
            Ok(SerializedResult(Ok(Outcome::Scored(score)))) => Some(score),
            _ => None,
        })
    }

    /// Whether there is a result of this metric.
    pub fn has(&self, metric: &str) -> bool {
        self.results.iter().any(|(name, _)| name == metric)
    }

    /// The results in the order of these metrics; nothing where one of them is not there.
    pub fn results_for(&self, metrics: &[String]) -> Result<Option<Vec<MetricResult>>, String> {
        metrics.iter().map(|metric| self.result(metric)).collect()
    }

    /// The results in the order of these metrics, with something else for those that are not there.
    pub fn named_or(&self, metrics: &[String], other: fn() -> MetricResult) -> Result<Vec<MetricResult>, String> {
        metrics.iter().map(|metric| Ok(self.result(metric)?.unwrap_or_else(other))).collect()
    }

    fn result(&self, metric: &str) -> Result<Option<MetricResult>, String> {
        let Some((_, result)) = self.results.iter().find(|(name, _)| name == metric) else { return Ok(None) };
        let SerializedResult(named) = serde_json::from_str(result).map_err(|error| format!("`{metric}`: {error}"))?;
        Ok(Some(named))
    }
}

/// A table of packed texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackedTable {
    /// Cases without their responses, by the number of the case.
    Cases,
    /// Outputs that wait to be scored, by the number of the sample.
    Outputs,
    /// Bodies of finished samples, by the number of the sample.
    Bodies,
    /// Scores that wait to be exported.
    Exports,
}

impl PackedTable {
    const fn table(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::Outputs => "outputs",
            Self::Bodies => "bodies",
            Self::Exports => "exports",
        }
    }

    fn checksum(self, number: i64, packed: &[u8]) -> i64 {
        Checksum::for_table(self.table()).integer(number).bytes(packed).end()
    }

    pub fn put(self, connection: &Connection, number: i64, packed: &[u8]) -> rusqlite::Result<()> {
        let table = self.table();
        connection
            .prepare_cached(&format!("INSERT OR REPLACE INTO {table} (number, packed, checksum) VALUES (?1, ?2, ?3)"))?
            .execute(params![number, packed, self.checksum(number, packed)])?;
        Ok(())
    }

    /// The packed bytes, if they are there.
    pub fn packed(self, connection: &Connection, number: i64) -> Result<Option<Vec<u8>>, StoreFault> {
        let table = self.table();
        let mut statement =
            connection.prepare_cached(&format!("SELECT packed, checksum FROM {table} WHERE number = ?1"))?;
        let found: Option<(Vec<u8>, i64)> =
            statement.query_row(params![number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        match found {
            Some((packed, checksum)) if self.checksum(number, &packed) == checksum => Ok(Some(packed)),
            Some(_) => Err(StoreFault::Damaged(format!("row {number} of `{table}` is not as it was written"))),
            None => Ok(None),
        }
    }

    /// The text, if it is there.
    pub fn text(self, connection: &Connection, unpacker: &Unpacker, number: i64) -> Result<Option<String>, StoreFault> {
        let Some(packed) = self.packed(connection, number)? else { return Ok(None) };
        let wrong = |reason| StoreFault::Damaged(format!("row {number} of `{}`: {reason}", self.table()));
        unpacker.unpack(&packed).map(Some).map_err(wrong)
    }

    pub fn remove(self, connection: &Connection, number: i64) -> rusqlite::Result<()> {
        let table = self.table();
        connection.prepare_cached(&format!("DELETE FROM {table} WHERE number = ?1"))?.execute(params![number])?;
        Ok(())
    }
}

/// The body of a finished sample.
pub(super) fn body(connection: &Connection, unpacker: &Unpacker, sample: i64) -> Result<SampleBody, StoreFault> {
    let wrong = |reason: String| StoreFault::Damaged(format!("the body of sample {sample}: {reason}"));
    let text =
        PackedTable::Bodies.text(connection, unpacker, sample)?.ok_or_else(|| wrong("it is missing".to_owned()))?;
    SampleBody::from_text(&text).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_read_as_it_was_written() {
        let results =
            vec![("a\nb".to_owned(), r#"{"value":0.5}"#.to_owned()), ("c".to_owned(), r#"{"error":"x"}"#.to_owned())];
        for output in [None, Some(Output::new("two\nlines \u{2028} and \"quotes\""))] {
            let call = CaseToolCall { id: Some("1".into()), name: String::new(), ..CaseToolCall::default() }
                .with_arguments("{\n".into());
            for calls in [None, Some(Vec::new()), Some(vec![call])] {
                let conversation = calls.is_none().then(AgentConversation::default);
                let body = SampleBody { output: output.clone(), calls, conversation, results: results.clone() };
                assert_eq!(SampleBody::from_text(&body.text().unwrap()).unwrap(), body);
            }
        }
        assert_eq!(SampleBody::from_text("").unwrap(), SampleBody::default());
        assert!(SampleBody::from_text("null\n\"a\"\n").is_err());
        let body = SampleBody { results, ..SampleBody::default() };
        assert_eq!(body.results_for(&["x".to_owned()]).unwrap(), None);
        assert_eq!(body.results_for(&["c".to_owned(), "a\nb".to_owned()]).unwrap().unwrap().len(), 2);
    }
}
