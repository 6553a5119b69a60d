//! `probare list`: all metrics.

use std::io;

use probare_core::{Better, MetricDef};
use probare_metrics::registry;
use probare_report::{TerminalStyle, wrap};

use super::print;
use crate::failure::{CommandResult, Failure};

/// List all metrics.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only metrics of this family
    #[arg(value_name = "FAMILY")]
    family: Option<String>,

    /// As JSON, with range, direction, needed fields and options
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> CommandResult {
    let metrics: Vec<&MetricDef> = registry()
        .iter()
        .filter(|metric| arguments.family.as_deref().is_none_or(|family| family == metric.family))
        .collect();
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
    text.push('\n');
    let legend = "↑ higher is better, ↓ lower is better. `probare explain METRIC` shows formula, options and examples.";
    wrap(legend, "", "", look.width.into(), &mut text);
    text
}
