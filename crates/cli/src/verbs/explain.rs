//! `probare explain`: the page of a metric, on the terminal.

use std::io;

use probare_metrics::{cascade, registry};
use probare_report::Look;
use probare_runner::PlanError;

use super::print;
use crate::failure::Done;
use crate::page;

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
pub fn run(arguments: &Arguments) -> Done {
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
    let judge = if cascade::metrics().any(|known| known == metric.id) {
        "takes `judge`: never, when_unsure or always; a judge then decides what it is unsure about (docs/guides/cascade.md)\n\n"
    } else {
        ""
    };
    print(&(facts + judge + &page::render(metric.page, Look::of(&io::stdout()))))
}
