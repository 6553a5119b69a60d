//! `probare explain`: the page of a metric, on the terminal.

use std::io;

use probare_engine::PlanError;
use probare_metrics::{cascade, registry};
use probare_report::{TerminalStyle, describe_thresholds};

use super::print;
use crate::failure::CommandResult;
use crate::markdown_page;

/// Show the page of a metric: what it measures, formula, options, examples.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Id of the metric
    #[arg(value_name = "METRIC")]
    metric: String,

    /// As the Markdown it is written in
    #[arg(long)]
    markdown: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> CommandResult {
    let metric = registry().get(&arguments.metric).map_err(PlanError::from)?;
    if arguments.markdown {
        return print(metric.page);
    }
    let needs: Vec<_> = metric.needs.iter().map(|field| field.name()).collect();
    let profiles: Vec<_> = metric.profiles.iter().map(|profile| profile.name()).collect();
    let facts = format!(
        "family {}; values from {} to {}, {} is better; needs {}; profiles: {}; version {}, since {}\n\n",
        metric.family,
        metric.range.0,
        metric.range.1,
        metric.better.name(),
        if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") },
        profiles.join(", "),
        metric.version,
        metric.since
    );
    let judge = if cascade::metric_ids().any(|known| known == metric.id) {
        "takes `judge`: never, when_unsure or always; a judge then decides what it is unsure about (docs/guides/cascade.md)\n\n"
    } else {
        ""
    };
    let thresholds = metric.thresholds.and_then(|thresholds| describe_thresholds(&thresholds.to_json()));
    let thresholds = thresholds.map(|words| format!("thresholds: {words}\n\n")).unwrap_or_default();
    print(
        &(facts + judge + &thresholds + &markdown_page::render(metric.page, TerminalStyle::for_stream(&io::stdout()))),
    )
}
