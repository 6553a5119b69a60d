//! A scored run for the renderers of reports: one case per question, and a section with the categories.

use std::fmt::Write as _;
use std::io;

use probare_core::{BuildError, CaseResult, Event, Finish, MetricInfo, Profile, Sample, Sink, Stop};
use probare_metrics::registry;
use probare_report::escape::html;
use probare_report::svg::{Bar, bars};
use probare_text::python::fixed;
use serde_json::{Value as Json, json};

use super::cases::case;
use super::catalogue::PUBLISHED_CATEGORIES;
use super::files::{COLUMNS, INTERVAL, interval};
use super::{Catalogue, Group, Prediction, Scores, Summary, Weights};

/// The metrics of a report, by the names of their columns.
const METRICS: [(&str, &str); 6] = [
    ("f1", "answer_f1"),
    ("p_at_5", "source_precision"),
    ("rqs", "step_coverage"),
    ("fcs", "claim_verification"),
    ("ie", "iteration_efficiency"),
    ("aggregate_score", "deep_search_aggregate"),
];

/// Sends every answered question through the six metrics in `profile`, with their evidence, to `sink`.
///
/// In the careful profile the published aggregate comes along under its own name.
pub fn emit(
    sink: &mut dyn Sink,
    source: &str,
    (catalogue, predictions, scores): (&Catalogue, &[Prediction<'_>], &Scores),
    weights: Weights,
    profile: Profile,
) -> io::Result<()> {
    let metrics = metrics(weights, profile).map_err(io::Error::other)?;
    let infos: Vec<MetricInfo> = metrics.iter().map(|(info, _)| info.clone()).collect();
    sink.event(&Event::Started { source, metrics: &infos })?;
    for row in &scores.rows {
        let Some(prediction) = row.prediction else { continue };
        let case = case(&catalogue.questions()[row.question], &predictions[prediction]);
        let results = metrics.iter().map(|(_, metric)| metric.score(Sample::of(&case))).collect();
        sink.event(&Event::Scored(&CaseResult::new(case, results)))?;
    }
    sink.event(&Event::Finished(&Finish::by(Stop::Complete)))
}

type Ready = (MetricInfo, probare_core::Scorer);

fn metrics(weights: Weights, profile: Profile) -> Result<Vec<Ready>, BuildError> {
    let [f1, p_at_5, rqs, fcs, ie] = weights.list();
    let weights = json!({"weights": {"f1": f1, "p_at_5": p_at_5, "rqs": rqs, "fcs": fcs, "ie": ie}});
    let ready = |name: String, id: &str, profile: Profile| {
        let definition = registry().get(id).map_err(|error| BuildError::Options(error.to_string()))?;
        let options = if id == METRICS[5].1 { weights.clone() } else { Json::Null };
        let metric = definition.build(options.clone(), profile)?;
        Ok((MetricInfo::new(name, definition, profile).with_options(options), metric))
    };
    let prefix = if profile == Profile::Careful { "careful " } else { "" };
    let mut metrics = Vec::new();
    if profile == Profile::Careful {
        metrics.push(ready(METRICS[5].0.to_owned(), METRICS[5].1, Profile::Reference)?);
    }
    for (name, id) in METRICS {
        metrics.push(ready(format!("{prefix}{name}"), id, profile)?);
    }
    Ok(metrics)
}

/// The categories of a run as bars and as a table, for a page; with the careful reading beside the published one.
pub fn section(summary: &Summary, careful: Option<&Summary>) -> String {
    let mut page = String::from("<h2>Categories</h2>\n");
    let _ = writeln!(page, "<p class=\"soft\">{}</p>", coverage(&summary.overall));
    // Wider than the cards of distributions: a bar has a name before it and a number behind it.
    page.push_str(
        "<div class=\"charts\" style=\"grid-template-columns:repeat(auto-fill,minmax(min(380px,100%),1fr))\">",
    );
    let readings = [("published reading", Some(summary)), ("careful reading", careful)];
    for at in [5, 0, 1, 2, 3, 4] {
        let column = COLUMNS[at];
        for (words, summary) in readings.iter().filter_map(|(words, summary)| Some((words, (*summary)?))) {
            if careful.is_some() && at < 5 && *words == readings[0].0 {
                // Six charts of one reading and the aggregate of the other are enough to compare.
                continue;
            }
            let label = format!("{column}, {words}");
            let _ = write!(
                page,
                "<article class=\"card chart-card\"><header><h3>{column}</h3><span class=\"small soft\">{words}</span>\
                 </header>{}</article>",
                bars(&columns(summary, at), (0.0, 1.0), &label)
            );
        }
    }
    page.push_str("</div>\n");
    page.push_str(&table(summary, careful));
    page
}

fn coverage(overall: &Group) -> String {
    let Group { rows, answered, total, .. } = overall;
    let zero = if rows > answered { ", the others count as zero" } else { "" };
    format!("{answered} of {total} questions are answered{zero}. Intervals are 95 % bootstrap intervals of the mean.")
}

fn columns(summary: &Summary, at: usize) -> Vec<Bar> {
    let bar = |group: &Group| Bar { label: name(group).to_owned(), value: (group.rows > 0).then_some(group.means[at]) };
    summary.categories.iter().chain([&summary.overall]).map(bar).collect()
}

fn name(group: &Group) -> &str {
    group.category.as_deref().unwrap_or("overall")
}

/// What a published category stands for, as a line below its name.
fn full_name(group: &Group) -> String {
    let known = PUBLISHED_CATEGORIES.iter().find(|(name, _)| group.category.as_deref() == Some(*name));
    known.map(|(_, words)| format!("<span class=\"small\">{words}</span>")).unwrap_or_default()
}

fn table(summary: &Summary, careful: Option<&Summary>) -> String {
    let mut table = String::from(
        "<div class=\"summary card scroll\" style=\"margin-top:16px\"><table><thead><tr><th scope=\"col\">Category</th>\
         <th scope=\"col\" class=\"right\">Answered</th>",
    );
    for column in COLUMNS {
        let _ = write!(table, "<th scope=\"col\" class=\"right\">{column}</th>");
    }
    // The column before it is the aggregate, whose interval it is.
    let _ = writeln!(table, "<th scope=\"col\" class=\"right\">{INTERVAL}</th></tr></thead><tbody>");
    for (prefix, summary) in [("", Some(summary)), ("careful: ", careful)] {
        let Some(summary) = summary else { continue };
        for group in summary.categories.iter().chain([&summary.overall]) {
            let _ = write!(
                table,
                "<tr><td><span class=\"metric-name\">{prefix}<bdi>{}</bdi></span>{}</td><td class=\"right\">{}/{}</td>",
                html(name(group)),
                full_name(group),
                group.answered,
                group.total
            );
            for mean in group.means {
                let _ = write!(table, "<td class=\"right\">{}</td>", fixed(mean, 3));
            }
            let _ = writeln!(table, "<td class=\"right\">{}</td></tr>", interval(group.intervals[5]));
        }
    }
    table.push_str("</tbody></table></div>\n");
    table
}
