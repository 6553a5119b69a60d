//! `is-sql` and `contains-sql`: what can be said without the parser of the original.
//!
//! promptfoo asks `node-sql-parser`, which no parser here agrees with. Where the rules around it decide, there is a verdict;
//! else the assertion is not run.

use serde_json::Value;

use crate::assertion::{Answer, Assertion, Fault, Judged, Verdict, error};
use crate::js;

/// Dialects that the original knows.
const DIALECTS: [&str; 16] = [
    "athena",
    "bigquery",
    "db2",
    "flinksql",
    "hive",
    "mariadb",
    "mysql",
    "noql",
    "postgresql",
    "redshift",
    "snowflake",
    "sqlite",
    "transactsql",
    "trino",
    "postgresqls",
    "bigquerys",
];

pub(crate) fn is_sql(assertion: &Assertion, answer: &Answer<'_>) -> Judged {
    let dialect = dialect(assertion)?;
    statement(&answer.text, &dialect)
}

fn dialect(assertion: &Assertion) -> Result<String, Fault> {
    match &assertion.value {
        Some(Value::Object(value)) => {
            let name = value.get("databaseType").and_then(Value::as_str).filter(|name| !name.is_empty());
            Ok(name.unwrap_or("mysql").to_lowercase())
        }
        Some(value) if js::is_truthy(value) => error(format!("`{}` needs an object, or nothing", assertion.name())),
        _ => Ok("mysql".to_owned()),
    }
}

fn statement(text: &str, dialect: &str) -> Judged {
    let fails = |reason: &str| Ok(Verdict::new(false).because(reason));
    if js::trim(text).is_empty() {
        return fails("the answer is blank");
    }
    if !DIALECTS.contains(&dialect) {
        return fails("the dialect is not known to promptfoo");
    }
    if text.matches('`').count() % 2 == 1 {
        return fails("the number of backticks is odd");
    }
    if dialect == "mysql" && text.to_lowercase().contains("generate_series(") {
        return fails("MySQL has no `generate_series`");
    }
    Err(Fault::NotRun("SQL is not parsed here: promptfoo's answer depends on the parser `node-sql-parser`".to_owned()))
}

pub(crate) fn contains_sql(assertion: &Assertion, answer: &Answer<'_>) -> Judged {
    let dialect = dialect(assertion)?;
    let blocks = fenced_blocks(&answer.text);
    if blocks.is_empty() {
        return statement(&answer.text, &dialect);
    }
    let mut undecided = None;
    for block in blocks.iter().filter(|block| !js::trim(block).is_empty()) {
        match statement(block, &dialect) {
            Ok(verdict) if verdict.pass => return Ok(verdict),
            Ok(_) => {}
            Err(fault) => undecided = Some(fault),
        }
    }
    match undecided {
        Some(fault) => Err(fault),
        None => Ok(Verdict::new(false).because("no block of SQL")),
    }
}

/// Fenced blocks of SQL, or without a language.
fn fenced_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        let Some((mark, length, language)) = fence(line) else { continue };
        let is_sql = language.is_empty() || language.eq_ignore_ascii_case("sql");
        let mut block = Vec::new();
        for line in lines.by_ref() {
            if fence(line).is_some_and(|(other, size, rest)| other == mark && size >= length && rest.is_empty()) {
                if is_sql {
                    blocks.push(block.join("\n"));
                }
                break;
            }
            block.push(line);
        }
    }
    blocks
}

/// A line that opens or closes a block: its sign, how many, and what follows.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let rest = &line[indent..];
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~') && indent <= 3)?;
    let length = rest.len() - rest.trim_start_matches(mark).len();
    (length >= 3).then(|| (mark, length, js::trim(&rest[length..])))
}
