//! `probare explain`: the page of a metric, on the terminal.

use std::io;

use probare_benchmarks::registry;
use probare_engine::PlanError;
use probare_metrics::cascade;
use probare_metrics::judges::Rubric;
use probare_report::{TerminalStyle, describe_thresholds};

use super::print;
use crate::failure::{CommandResult, Failure};
use crate::markdown_page;

/// Explain a metric: what it measures, options, examples, formula, limits.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Id of the metric; `judge_rubric:rubric=NAME` prints a rubric of the library as a file
    #[arg(value_name = "METRIC")]
    metric: String,

    /// Print the Markdown source
    #[arg(long)]
    markdown: bool,
}

/// The page with what most readers want first: when to use the metric, its options, examples; then formula, figures, references.
fn in_reading_order(page: &str) -> String {
    let mut sections = page.split("\n## ");
    let opening = sections.next().unwrap_or_default().trim_end();
    let mut sections: Vec<&str> = sections.map(str::trim_end).collect();
    sections.sort_by_key(|section| match section.split_whitespace().next() {
        Some("When") => 0,
        Some("Options") => 1,
        Some("Examples") => 2,
        _ => 3,
    });
    let pieces: Vec<String> = sections.iter().map(|section| format!("\n\n## {section}")).collect();
    format!("{opening}{}\n", pieces.concat())
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    if let Some(name) = arguments.metric.strip_prefix("judge_rubric:rubric=") {
        let text = Rubric::option_text(name).map_err(|error| Failure::usage(error.to_string()))?;
        return print(&text);
    }
    let metric = registry().get(&arguments.metric).map_err(PlanError::from)?;
    if arguments.markdown {
        return print(metric.page);
    }
    let needs: Vec<_> = metric.needs.iter().map(|field| field.name()).collect();
    let profiles: Vec<_> = metric.profiles.iter().map(|profile| profile.name()).collect();
    let profiles =
        if profiles.len() > 1 { format!("profiles: {}", profiles.join(", ")) } else { "one definition".to_owned() };
    let facts = format!(
        "family {}; values from {} to {}, {} is better; needs {}; {profiles}; version {}, since {}\n\n",
        metric.family,
        metric.range.0,
        metric.range.1,
        metric.better.name(),
        if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") },
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
        &(facts
            + judge
            + &thresholds
            + &markdown_page::render(&in_reading_order(metric.page), TerminalStyle::for_stream(&io::stdout()))),
    )
}
