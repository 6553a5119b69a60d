//! The quick start from Rust: a file of cases through two metrics, a page with every case, and the results verified.
//!
//! `cargo run --package probare --example quickstart`, in the root of the project.

use std::error::Error;
use std::io;

use probare::{Event, RunOptions, Sink};

/// Prints what was found of every answer.
struct Printed;

impl Sink for Printed {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Scored(result) = event {
            for told in &result.results {
                match told {
                    Ok(outcome) => match outcome.score() {
                        Some(score) => println!("{}: {}", result.case.id, score.value.get()),
                        None => println!("{}: does not apply", result.case.id),
                    },
                    Err(error) => println!("{}: {error}", result.case.id),
                }
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let job = probare::job("examples/quickstart.jsonl", &["token_f1", "rouge_l"])?;
    let output = vec!["report.html".into(), "results.jsonl".into()];
    let conclusion = probare::run_with(job, RunOptions { output, ..RunOptions::default() }, &mut Printed)?;
    println!("{} cases, exit code {}", conclusion.driven.cases, conclusion.exit.code());
    let verdict = probare::verify("results.jsonl", &[])?;
    println!("computed again: {}", if verdict.agrees() { "everything agrees" } else { "something differs" });
    Ok(())
}
