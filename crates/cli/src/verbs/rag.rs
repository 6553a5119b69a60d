//! `probare rag`: evaluates responses against the query and the passages they were based on.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Subcommand, ValueEnum};
use probare_core::{Case, Profile};
use probare_metrics::rag::hallucination::Hallucination;
use probare_metrics::rag::verdict::{Judgement, Status, Thresholds};
use probare_report::escape;
use probare_suites::rag::{Evaluator, Exchange, read, report};
use serde_json::{Value as Json, json};

use super::score::profile;
use super::{Reading, print, remark};
use crate::failure::{Done, Failure};
use probare_runner::Exit;

/// Evaluate responses against the query and the passages they were based on.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Eval(Box<Eval>),
}

/// Relevance, completeness, hallucination, time, cost and a verdict for one conversation, or for every row of a file.
///
/// A conversation has `query` (or `user_message`) and `response` (or `assistant_message`), or it is a chat log with
/// `conversation_turns`. Passages are a list under `context`, `chunks` or `data.vector_data`.
#[derive(Debug, clap::Args)]
struct Eval {
    /// Conversation, a JSON file
    #[arg(long, value_name = "FILE", requires = "ctx")]
    conv: Option<PathBuf>,

    /// Passages, a JSON file
    #[arg(long, value_name = "FILE", requires = "conv")]
    ctx: Option<PathBuf>,

    /// Cases with query, response and context in place of the two files; one JSON object a line comes out
    #[arg(long, value_name = "FILE", conflicts_with_all = ["conv", "ctx"])]
    cases: Option<String>,

    /// File for the report; standard output without it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Which reading of hallucination: reference (the published rules), or careful
    #[arg(long, value_name = "PROFILE", value_parser = profile, default_value = "reference", env = "PROBARE_PROFILE")]
    profile: Profile,

    /// Weights of numbers, dates and claims; 1,1,0.5 is what the published code used
    #[arg(long, value_name = "N,N,N", value_parser = weights)]
    anchor_weights: Option<Weights>,

    /// Test claims by the distance of subject and object in characters; 300 is what the published code did
    #[arg(long, value_name = "CHARACTERS")]
    claim_window: Option<usize>,

    /// Limit of the verdict, for example `relevance_fail=0.1` (repeatable); `probare explain verdict` lists them
    #[arg(long, value_name = "NAME=NUMBER", value_parser = threshold)]
    threshold: Vec<(String, f64)>,

    /// Start from the limits of the first published version
    #[arg(long)]
    first_version: bool,

    /// End with exit code 2 when a verdict is this bad
    #[arg(long, value_name = "STATUS", value_enum)]
    gate: Option<Gate>,

    #[command(flatten)]
    reading: Reading,
}

/// Verdicts that fail a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Gate {
    /// FAIL only
    Fail,
    /// WARN and FAIL
    Warn,
}

/// Three weights of anchors.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Weights([f64; 3]);

fn weights(text: &str) -> Result<Weights, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    let numbers = numbers.ok().and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    numbers.map(Weights).ok_or_else(|| "three numbers with commas between them are expected, as in 1,1,0.5".to_owned())
}

fn threshold(text: &str) -> Result<(String, f64), String> {
    let (name, number) = text.split_once('=').ok_or("a threshold is NAME=NUMBER")?;
    let number = number.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    Ok((name.trim().to_owned(), number.ok_or("a threshold is NAME=NUMBER")?))
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match &arguments.action {
        Action::Eval(eval) => eval.run(),
    }
}

impl Eval {
    fn run(&self) -> Done {
        let evaluator = self.evaluator()?;
        match (&self.cases, &self.conv, &self.ctx) {
            (Some(cases), _, _) => self.batch(&evaluator, cases),
            (None, Some(conversation), Some(context)) => self.single(&evaluator, conversation, context),
            _ => Err(Failure::usage("there is nothing to evaluate")
                .hint("name two files with --conv and --ctx, or a file of cases with --cases")),
        }
    }

    fn evaluator(&self) -> Result<Evaluator, Failure> {
        let mut thresholds = if self.first_version { Thresholds::first_version() } else { Thresholds::default() };
        for (name, number) in &self.threshold {
            let place = thresholds.get_mut(name).ok_or_else(|| {
                Failure::usage(format!("there is no threshold `{name}`"))
                    .hint(format!("known are {}", Thresholds::NAMES.join(", ")))
            })?;
            *place = *number;
        }
        let mut options =
            Hallucination { profile: self.profile, claim_window: self.claim_window, ..Hallucination::default() };
        if let Some(Weights(weights)) = self.anchor_weights {
            options.anchor_weights = weights;
        }
        Evaluator::new(thresholds, options).map_err(|error| Failure::usage(error.to_string()))
    }

    fn single(&self, evaluator: &Evaluator, conversation: &Path, context: &Path) -> Done {
        let content = |path: &Path, hint: &str| {
            let failed = |error| Failure::file("read", &path.display().to_string(), &error).hint(hint);
            fs::read_to_string(path).map_err(failed)
        };
        let (conversation_text, context_text) = (
            content(conversation, "--conv names a JSON file with the question and the answer")?,
            content(context, "--ctx names a JSON file with the passages that the answer rests on")?,
        );
        let names = (conversation.display().to_string(), context.display().to_string());
        let exchange = read::exchange((&names.0, &conversation_text), (&names.1, &context_text))
            .map_err(|error| Failure::from_error(&error))?;
        let (report, judgement) = evaluated(evaluator, &exchange);
        let text = format!("{report:#}\n");
        match &self.out {
            Some(path) => {
                fs::write(path, text).map_err(|error| Failure::file("write", &path.display().to_string(), &error))?;
                remark(judgement.status.name());
                for reason in &judgement.reasons {
                    remark(&format!("  {}", escape::terminal(reason)));
                }
                remark(&format!("wrote {}", path.display()));
            }
            None => {
                print(&text)?;
            }
        }
        Ok(self.exit(judgement.status))
    }

    /// One line a case, in input order. A row that cannot be evaluated is a line with its error and makes the exit
    /// code 1.
    fn batch(&self, evaluator: &Evaluator, cases: &str) -> Done {
        let mut out: Box<dyn Write> = match &self.out {
            Some(path) => {
                let file = fs::File::create(path)
                    .map_err(|error| Failure::file("write", &path.display().to_string(), &error))?;
                Box::new(BufWriter::new(file))
            }
            None => Box::new(BufWriter::new(io::stdout().lock())),
        };
        let (mut counts, mut failed) = ([0_usize; 3], 0_usize);
        let mut worst = Status::Pass;
        for batch in self.reading.open(cases, &self.reading.options(&probare_cases::FieldMap::default())?)? {
            for case in batch?.cases() {
                let line = match case {
                    Ok(case) => match row(evaluator, &case) {
                        Ok((line, status)) => {
                            worst = worst.max(status);
                            counts[status as usize] += 1;
                            line
                        }
                        Err(reason) => {
                            failed += 1;
                            json!({"id": case.id, "error": reason})
                        }
                    },
                    Err(problem) => {
                        failed += 1;
                        json!({"line": problem.line, "error": problem.reason})
                    }
                };
                writeln!(out, "{line}").map_err(|error| cannot_write(&error))?;
            }
        }
        out.flush().map_err(|error| cannot_write(&error))?;
        let [passed, warned, rejected] = counts;
        remark(&format!("{passed} PASS, {warned} WARN, {rejected} FAIL, {failed} not evaluated"));
        if failed > 0 {
            remark("what could not be evaluated has a line with its `error` in the report");
        }
        if let Some(path) = &self.out {
            remark(&format!("wrote {}", path.display()));
        }
        Ok(if failed > 0 { Exit::Error } else { self.exit(worst) })
    }

    fn exit(&self, worst: Status) -> Exit {
        let limit = match self.gate {
            None => return Exit::Fine,
            Some(Gate::Fail) => Status::Fail,
            Some(Gate::Warn) => Status::Warn,
        };
        if worst >= limit { Exit::Gate } else { Exit::Fine }
    }
}

fn cannot_write(error: &io::Error) -> Failure {
    Failure::new(format!("cannot write the report: {error}"))
}

/// The report of an exchange, with the time that the evaluation took.
fn evaluated(evaluator: &Evaluator, exchange: &Exchange) -> (Json, Judgement) {
    let start = Instant::now();
    let evaluation = evaluator.evaluate(exchange);
    let latency = Some(start.elapsed().as_secs_f64() * 1000.0);
    (report::json(exchange, &evaluation, latency), evaluation.judgement(latency))
}

fn row(evaluator: &Evaluator, case: &Case) -> Result<(Json, Status), String> {
    let exchange = read::case(case)?;
    let (report, judgement) = evaluated(evaluator, &exchange);
    let mut line = serde_json::Map::new();
    line.insert("id".to_owned(), json!(case.id));
    if let Json::Object(report) = report {
        line.extend(report);
    }
    Ok((Json::Object(line), judgement.status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_three_numbers() {
        assert_eq!(weights("1, 1,0.5"), Ok(Weights([1.0, 1.0, 0.5])));
        assert!(weights("1,1").is_err() && weights("1,1,x").is_err() && weights("1,1,1,1").is_err());
    }

    #[test]
    fn thresholds_are_named_numbers() {
        assert_eq!(threshold("relevance_fail=0.1"), Ok(("relevance_fail".into(), 0.1)));
        assert!(threshold("relevance_fail").is_err() && threshold("x=nan").is_err());
    }
}
