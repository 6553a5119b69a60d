//! `probare metric`: metrics of the user's own.

use probare_core::{CodeSource, MetricCode, MetricRequest};
use probare_engine::{Exit, PlanError, check_conformance};
use probare_report::escape;
use probare_report::number::count_with_noun;
use serde_json::{Map, Value as Json};

use super::print;
use crate::failure::{CommandResult, Failure};

/// Work on metrics of your own: check that one keeps to the protocol.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: MetricCommand,
}

#[derive(Debug, clap::Subcommand)]
enum MetricCommand {
    Check(CheckArguments),
}

/// Check that a metric of your own keeps to the protocol of workers.
///
/// Starts it, tries the handshake, cases with little and with much text, the same case twice, a second process, and the end.
/// Exit code 1 if anything is wrong. docs/own-metric.md describes the protocol.
#[derive(Debug, clap::Args)]
struct CheckArguments {
    /// A function or class of a Python file, FILE.py:NAME[:OPTION=VALUE,…]
    #[arg(value_name = "METRIC", required_unless_present = "command", conflicts_with = "command")]
    metric: Option<MetricRequest>,

    /// Options of a program, as a JSON object
    #[arg(long, value_name = "JSON", requires = "command")]
    options: Option<String>,

    /// A program and its arguments, behind `--`
    #[arg(last = true, value_name = "PROGRAM")]
    command: Vec<String>,
}

impl CheckArguments {
    /// The metric that is to be checked.
    fn request(&self) -> Result<MetricRequest, Failure> {
        if let Some(metric) = &self.metric {
            return Ok(metric.clone());
        }
        let options: Option<Map<String, Json>> =
            self.options.as_deref().map(serde_json::from_str).transpose().map_err(|error| {
                Failure::usage(format!("--options is not a JSON object: {error}"))
                    .hint("for example --options '{\"k\": 3}'")
            })?;
        let name = self.command.first().map_or("", String::as_str);
        Ok(MetricRequest {
            code: Some(MetricCode::new(CodeSource::Command(self.command.clone()))),
            options: options.map_or(Json::Null, Json::Object),
            ..MetricRequest::plain(name)
        })
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let MetricCommand::Check(asked) = &arguments.command;
    let request = asked.request()?;
    let checks = check_conformance(&request).map_err(PlanError::from)?;
    let mut text = String::new();
    for check in &checks {
        let (sign, told) = check.fault.as_ref().map_or(("ok    ", &check.outcome), |fault| ("failed", fault));
        text.push_str(&format!("{sign}  {}: {}\n", check.what, escape::terminal(told)));
    }
    let failed = checks.iter().filter(|check| check.fault.is_some()).count();
    text.push_str(&if failed == 0 {
        format!("{}, all passed\n", count_with_noun(checks.len() as u64, "check", "checks"))
    } else {
        "it does not keep to the protocol (docs/own-metric.md)\n".to_owned()
    });
    print(&text)?;
    Ok(if failed == 0 { Exit::Fine } else { Exit::Error })
}
