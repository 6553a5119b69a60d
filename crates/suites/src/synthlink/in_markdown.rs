//! What a page says of systems and categories, in Markdown: the tables of [`super::report`] without the charts.

use probare_report::escape::markdown;
use probare_report::markdown::table;
use probare_stats::PairedDifference;
use probare_text::python::fixed;

use super::comparison::Difference;
use super::files::{COLUMNS, INTERVAL, interval, shown};
use super::{Group, Summary};

fn head(first: &'static str) -> Vec<&'static str> {
    [first, "Answered"].into_iter().chain(COLUMNS).chain([INTERVAL]).collect()
}

fn row(name: String, group: &Group) -> Vec<String> {
    let mut row = vec![name, format!("{}/{}", group.answered, group.total)];
    row.extend((0..6).map(|at| shown(group.mean(at), 3)));
    row.push(interval(group.intervals[5]));
    row
}

/// Systems side by side, and the differences of all pairs.
pub(super) fn comparison(systems: &[(&str, &Summary)], differences: &[Difference]) -> String {
    let rows = systems.iter().map(|(name, summary)| row((*name).to_owned(), &summary.overall));
    let mut text = format!("## Systems\n\n{}", table(&head("System"), rows));
    let rows = differences.iter().map(|line| {
        let numbers = match &line.difference {
            Some(PairedDifference { pairs, mean, interval: ends, p_value }) => {
                [pairs.to_string(), format!("{mean:+.4}"), interval(*ends), fixed(*p_value, 4)]
            }
            None => ["0", "-", "-", "-"].map(str::to_owned),
        };
        let names = [format!("{} - {}", line.first, line.second), line.measure.to_owned()];
        names.into_iter().chain(numbers).collect()
    });
    text.push_str("Differences over the questions that both have, with 95 % intervals of the mean difference.\n\n");
    text.push_str(&table(&["Systems", "Measure", "Pairs", "Difference", "95 % interval", "p"], rows));
    text
}

/// The categories of a system.
pub(super) fn categories(system: Option<&str>, summary: &Summary, careful: Option<&Summary>) -> String {
    let of = system.map(|name| format!(" of {}", markdown(name))).unwrap_or_default();
    let readings = [("", Some(summary)), ("careful: ", careful)];
    let readings = readings.into_iter().filter_map(|(prefix, summary)| Some((prefix, summary?)));
    let rows = readings.flat_map(|(prefix, summary)| {
        let groups = summary.categories.iter().chain([&summary.overall]);
        groups.map(move |group| row(format!("{prefix}{}", group.category.as_deref().unwrap_or("overall")), group))
    });
    format!("## Categories{of}\n\n{}", table(&head("Category"), rows))
}
