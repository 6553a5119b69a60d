//! The road that every case goes: read, scored by a metric that costs next to nothing, written as a result line. Bytes of
//! the input per CPU-second, beside what `serde_json` needs to parse the same rows into a type made for them.

use std::error::Error;
use std::hint::black_box;
use std::io::{Cursor, Write as _, sink};

use probare_benchmarks::registry;
use probare_core::{
    AnalysisCache, Case, DefaultCasePolicy, MetricRequest, NoBackend, Output, Problem, Profile, RunAnalysisCache,
};
use probare_engine::Plan;
use probare_formats::{CaseFormat, CaseReader, ReadOptions};
use probare_stats::Random;
use serde::Deserialize;

use crate::corpus;
use crate::processor_time;

/// Rows in one pass.
const ROWS: usize = 20_000;
/// Bytes of a row, about.
const ROW_BYTES: usize = 330;

/// A row as somebody would declare it who knows these rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedRow {
    id: String,
    query: String,
    response: String,
    reference: Vec<String>,
}

/// Prints a line for each part of the road.
pub fn print() -> Result<(), Box<dyn Error>> {
    let text = rows(ROWS)?;
    println!("\n{:48} {:>16} {:>12}", "road", "MB/CPU-second", "µs/row");
    let bytes = text.len();
    let parse = || {
        for line in text.lines() {
            black_box(serde_json::from_str::<TypedRow>(line).is_ok_and(|row| is_whole(&row)));
        }
    };
    print_rate("serde_json into a type for these rows", bytes, parse)?;
    print_rate("read into cases", bytes, || {
        black_box(read(&text, |case| drop(black_box(case))));
    })?;
    let plan = Plan::new(&[MetricRequest::plain("exact_match")], Profile::default(), registry())?;
    let mut readings = AnalysisCache::new(RunAnalysisCache::default());
    print_rate("read, exact_match, write .jsonl", bytes, || {
        let mut out = sink();
        read(&text, |case| {
            let Ok(case) = case else { return };
            let result = plan.score(case, &mut readings, &DefaultCasePolicy, &NoBackend);
            // Nothing can go wrong with a sink.
            let _ = writeln!(out, "{}", black_box(result.line_text(plan.infos())));
        });
    })?;
    println!("({ROWS} rows of {} bytes; one thread, cases dropped)", bytes / ROWS);
    Ok(())
}

fn is_whole(row: &TypedRow) -> bool {
    !row.id.is_empty() && !row.query.is_empty() && !row.response.is_empty() && !row.reference.is_empty()
}

fn print_rate(name: &str, bytes: usize, mut work: impl FnMut()) -> Result<(), Box<dyn Error>> {
    // The first pass fills caches and loads tables.
    work();
    let rate = processor_time::rate(bytes, work).ok_or("this system does not tell the processor time")?;
    println!("{name:48} {:>16.1} {:>12.2}", rate / 1e6, bytes as f64 / ROWS as f64 / rate * 1e6);
    Ok(())
}

/// Reads all rows and gives how many there were.
#[expect(clippy::disallowed_methods, reason = "the parts of the runner's loop are measured one by one, on one thread")]
fn read(text: &str, mut take: impl FnMut(Result<Case, Problem>)) -> usize {
    let reader = Cursor::new(text.to_owned().into_bytes());
    let Ok(rows) = CaseReader::from_reader(reader, "rows.jsonl", CaseFormat::JsonLines, &ReadOptions::default()) else {
        return 0;
    };
    let mut count = 0;
    for batch in rows.map_while(Result::ok) {
        for case in batch.cases() {
            count += 1;
            take(case);
        }
    }
    count
}

/// Rows of JSON lines, each of about [`ROW_BYTES`].
fn rows(count: usize) -> serde_json::Result<String> {
    let mut random = Random::new(5);
    let cases: Vec<Case> = (0..count)
        .map(|number| {
            let mut response = corpus::text(&mut random, 60);
            response.truncate(ROW_BYTES - 150);
            Case {
                id: format!("case-{number}"),
                query: Some(corpus::text(&mut random, 8)),
                response: Some(Output::new(response)),
                reference: Some(vec![corpus::text(&mut random, 4)]),
                ..Case::default()
            }
        })
        .collect();
    corpus::lines(&cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_read_by_both_sides_and_as_long_as_they_are_said_to_be() {
        let text = rows(500).unwrap();
        assert_eq!(read(&text, |case| assert!(case.is_ok())), 500);
        assert!(text.lines().all(|line| serde_json::from_str::<TypedRow>(line).is_ok_and(|row| is_whole(&row))));
        let mean = text.len() / 500;
        assert!(mean.abs_diff(ROW_BYTES) < 20, "{mean}");
    }
}
