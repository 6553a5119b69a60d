//! `probare explain`: the page of a metric, on the terminal.

use std::io;

use probare_benchmarks::registry;
use probare_core::{MetricRequest, OwnMetric, Trust};
use probare_engine::{Config, PlanError, read_rubric_file, with_own_metrics};
use probare_metrics::cascade;
use probare_metrics::judges::Rubric;
use probare_report::{TerminalStyle, describe_thresholds, escape};
use serde_json::Value as Json;

use super::print;
use crate::failure::{CommandResult, Failure};
use crate::markdown_page;

/// Explain a metric: what it measures, options, examples, formula, limits.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Id of the metric, FILE.py:NAME for a function of a Python file, or the name of a metric of your configuration;
    /// `judge_rubric:rubric=NAME` prints a rubric of the library as a file
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

/// The metric of the user's own that is meant: code that the argument names, or a metric of the configuration that is found.
fn own_metric(named: &str) -> Result<Option<OwnMetric>, Failure> {
    let request: MetricRequest = match named.parse() {
        Ok(request) => request,
        // What is no request is no id either, and the registry says so.
        Err(_) => return Ok(None),
    };
    let request = match request.code {
        Some(_) => Some(request),
        None if registry().get(named).is_ok() => None,
        None => {
            // One that is not trusted names nothing here.
            let requests = Config::load(None).map(|config| config.requests()).unwrap_or_default();
            requests.into_iter().find(|known| known.code.is_some() && known.name == named)
        }
    };
    let Some(request) = request else { return Ok(None) };
    let registry =
        with_own_metrics(registry(), std::slice::from_ref(&request), Trust::Trusted).map_err(PlanError::from)?;
    Ok(registry.own(&request).cloned())
}

/// The facts of a metric of the user's own, its options, and what its author wrote about it.
fn explain_own(metric: &OwnMetric, markdown: bool) -> CommandResult {
    let end = |end: f64| if end.is_finite() { end.to_string() } else { "no end".to_owned() };
    let needs: Vec<_> = metric.needs.iter().map(|field| field.name()).collect();
    let mut page = format!("# {}\n\n{}\n", metric.id, metric.summary);
    let page_text = metric.page.trim();
    if !page_text.is_empty() && page_text != metric.summary {
        let rest = page_text.strip_prefix(&metric.summary).unwrap_or(page_text).trim();
        page.push_str(&format!("\n{rest}\n"));
    }
    let options = metric.options.get("properties").and_then(Json::as_object);
    if let Some(options) = options.filter(|options| !options.is_empty()) {
        page.push_str("\n## Options\n\n| option | type | default |\n|---|---|---|\n");
        for (name, schema) in options {
            let kind = type_names(schema.get("type"));
            let default = schema.get("default").map_or_else(|| "needed".to_owned(), |value| format!("`{value}`"));
            page.push_str(&format!("| `{name}` | {kind} | {default} |\n"));
        }
    }
    if markdown {
        return print(&page);
    }
    let facts = format!(
        "your own, computed by {}; values from {} to {}, {} is better; needs {}; version {}",
        metric.code.source,
        end(metric.range.0),
        end(metric.range.1),
        metric.better.name(),
        if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") },
        metric.version,
    );
    let look = TerminalStyle::for_stream(&io::stdout());
    print(&format!("{}\n\n{}", escape::terminal(&facts), markdown_page::render(&page, look)))
}

/// The types of an option, as its JSON Schema has them: one, or several.
fn type_names(kind: Option<&Json>) -> String {
    match kind {
        Some(Json::String(kind)) => kind.clone(),
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    }
}

/// Prints a rubric as a file: one of the library, or the user's own once it can be used.
fn explain_rubric(name: &str) -> CommandResult {
    let mut request =
        MetricRequest { options: serde_json::json!({"rubric": name}), ..MetricRequest::plain("judge_rubric") };
    read_rubric_file(&mut request)?;
    let rubric = request.options.get("rubric").and_then(Json::as_str).unwrap_or(name);
    let text = Rubric::option_text(rubric).map_err(|error| Failure::usage(error.to_string()))?;
    print(&text)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    if let Some(name) = arguments.metric.strip_prefix("judge_rubric:rubric=") {
        return explain_rubric(name);
    }
    if let Some(own) = own_metric(&arguments.metric)? {
        return explain_own(&own, arguments.markdown);
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
