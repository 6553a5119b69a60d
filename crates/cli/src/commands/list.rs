//! `probare list`: all metrics.

use std::io;

use probare_benchmarks::registry;
use probare_core::{Better, MetricDef};
use probare_metrics::judges::Rubric;
use probare_report::{TerminalStyle, wrap};

use super::print;
use crate::failure::{CommandResult, Failure};

/// List all metrics.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// List only metrics of this family
    #[arg(value_name = "FAMILY")]
    family: Option<String>,

    /// Print JSON, with range, direction, needed fields and options
    #[arg(long)]
    json: bool,
}

/// Families that most people look for, before those of single benchmarks; further ones follow by name.
const FAMILIES: [&str; 8] = ["text", "answers", "rag", "retrieval", "judges", "agents", "code", "care"];

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let mut metrics: Vec<&MetricDef> = registry()
        .iter()
        .filter(|metric| arguments.family.as_deref().is_none_or(|family| family == metric.family))
        .collect();
    metrics.sort_by_key(|metric| FAMILIES.iter().position(|family| *family == metric.family).unwrap_or(FAMILIES.len()));
    if metrics.is_empty() {
        let mut families: Vec<_> = registry().iter().map(|metric| metric.family).collect();
        families.dedup();
        let family = arguments.family.as_deref().unwrap_or_default();
        return Err(
            Failure::usage(format!("there is no family `{family}`")).hint(format!("families: {}", families.join(", ")))
        );
    }
    if arguments.json {
        let list: serde_json::Value = metrics.iter().map(|metric| metric.to_json()).collect();
        return print(&format!("{list:#}\n"));
    }
    print(&table(&metrics, TerminalStyle::for_stream(&io::stdout())))
}

fn table(metrics: &[&MetricDef], look: TerminalStyle) -> String {
    let width = metrics.iter().map(|metric| metric.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut family = "";
    for metric in metrics {
        if metric.family != family {
            if !family.is_empty() {
                text.push('\n');
            }
            family = metric.family;
            text.push_str(&look.strong(family));
            text.push('\n');
        }
        let direction = match metric.better {
            Better::Higher => "↑",
            Better::Lower => "↓",
        };
        let first = format!("  {:width$}  {direction}  ", metric.id);
        wrap(metric.summary, &first, &" ".repeat(width + 7), look.width.into(), &mut text);
    }
    if metrics.iter().any(|metric| metric.id == "judge_rubric") {
        text.push('\n');
        text.push_str(&look.strong("rubrics of judge_rubric"));
        text.push('\n');
        let rubrics: Vec<Rubric> = Rubric::library().collect();
        let width = rubrics.iter().map(|rubric| rubric.name.len()).max().unwrap_or(0);
        for rubric in &rubrics {
            let first = format!("  {:width$}  ", rubric.name);
            wrap(&rubric.summary, &first, &" ".repeat(width + 4), look.width.into(), &mut text);
        }
    }
    text.push('\n');
    let legend = "↑ higher is better, ↓ lower is better. `probare explain METRIC` shows formula, options and examples.";
    wrap(legend, "", "", look.width.into(), &mut text);
    text
}
