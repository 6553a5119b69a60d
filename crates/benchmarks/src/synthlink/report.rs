//! What a page says beside the cases: the categories of a system, and several systems side by side.

use probare_core::{Panel, PanelCell, PanelChart, PanelTable};
use probare_stats::PairedDifference;
use probare_text::python::fixed;

use super::catalogue::PUBLISHED_CATEGORIES;
use super::comparison::SystemDifference;
use super::files::{COLUMNS, INTERVAL, format_interval, format_mean};
use super::{CategoryMeans, SynthLinkSummary};

/// The columns of a table of groups.
fn columns(first: &'static str) -> impl Iterator<Item = &'static str> {
    [first, "Answered"].into_iter().chain(COLUMNS).chain([INTERVAL])
}

/// A row of such a table; the last column is the interval of the aggregate.
fn row(name: PanelCell, group: &CategoryMeans) -> Vec<PanelCell> {
    let mut row = vec![name, format!("{}/{}", group.answered, group.total).into()];
    row.extend((0..6).map(|at| format_mean(group.mean(at), 3).into()));
    row.push(format_interval(group.intervals[5]).into());
    row
}

fn chart(title: &str, note: &str, bars: Vec<(String, Option<f64>)>) -> PanelChart {
    PanelChart { title: title.to_owned(), note: note.to_owned(), range: (0.0, 1.0), bars }
}

/// Systems side by side: means with the interval of the aggregate, and the differences of all pairs.
pub fn comparison(systems: &[(&str, &SynthLinkSummary)], differences: &[SystemDifference]) -> Panel {
    let bars = systems.iter().map(|(name, summary)| ((*name).to_owned(), summary.overall.aggregate())).collect();
    let mut means = PanelTable::new("", columns("System"), 1);
    means.fill(systems, |(name, summary)| row((*name).into(), &summary.overall));
    let heads = ["Systems", "Measure", "Pairs", "Difference", "95 % interval", "p"];
    let mut paired = PanelTable::new("Paired differences", heads, 2);
    paired.fill(differences, |line| {
        let numbers = match &line.difference {
            Some(PairedDifference { pairs, mean, interval: ends, p_value }) => {
                [pairs.to_string(), format!("{mean:+.4}"), format_interval(*ends), fixed(*p_value, 4)]
            }
            None => ["0", "-", "-", "-"].map(str::to_owned),
        };
        let names = [format!("{} - {}", line.first, line.second), line.measure.to_owned()];
        names.into_iter().chain(numbers).map(PanelCell::from).collect()
    });
    Panel {
        title: "Systems".to_owned(),
        says: vec![
            "Differences are first minus second, over the questions that both have, with 95 % intervals of the mean \
             difference."
                .to_owned(),
        ],
        charts: vec![chart(COLUMNS[5], "by system", bars)],
        tables: vec![means, paired],
        ..Panel::default()
    }
}

/// The categories of a system as bars and as a table, with the improved definition beside the published one.
///
/// `system` names whose they are, where there are several systems.
pub fn categories(system: Option<&str>, summary: &SynthLinkSummary, improved: Option<&SynthLinkSummary>) -> Panel {
    let definitions = [("published definition", Some(summary)), ("improved definition", improved)];
    let mut charts = Vec::new();
    for at in [5, 0, 1, 2, 3, 4] {
        for (words, summary) in definitions.iter().filter_map(|(words, summary)| Some((*words, (*summary)?))) {
            if improved.is_some() && at < 5 && words == definitions[0].0 {
                // Six charts of one profile and the aggregate of the other are enough to compare.
                continue;
            }
            let groups = summary.categories.iter().chain([&summary.overall]);
            charts.push(chart(
                COLUMNS[at],
                words,
                groups.map(|group| (name(group).to_owned(), group.mean(at))).collect(),
            ));
        }
    }
    let mut table = PanelTable::new("", columns("Category"), 1);
    for (prefix, summary) in [("", Some(summary)), ("improved: ", improved)] {
        let groups = summary.into_iter().flat_map(|summary| summary.categories.iter().chain([&summary.overall]));
        table.fill(groups, |group| {
            row(PanelCell::from(format!("{prefix}{}", name(group))).with_note(full_name(group)), group)
        });
    }
    Panel {
        title: system.map_or_else(|| "Categories".to_owned(), |name| format!("Categories of {name}")),
        says: vec![coverage(&summary.overall)],
        charts,
        tables: vec![table],
        ..Panel::default()
    }
}

fn coverage(overall: &CategoryMeans) -> String {
    let CategoryMeans { rows, answered, total, .. } = overall;
    let zero = if rows > answered { ", the others count as zero" } else { "" };
    format!("{answered} of {total} questions are answered{zero}. Intervals are 95 % bootstrap intervals of the mean.")
}

fn name(group: &CategoryMeans) -> &str {
    group.category.as_deref().unwrap_or("overall")
}

/// What a published category stands for.
fn full_name(group: &CategoryMeans) -> &'static str {
    let known = PUBLISHED_CATEGORIES.iter().find(|(name, _)| group.category.as_deref() == Some(*name));
    known.map_or("", |(_, words)| words)
}
