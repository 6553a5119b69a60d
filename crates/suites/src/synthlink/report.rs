//! What a page shows beside the cases: the categories of a system, and several systems side by side.

use std::fmt::Write as _;

use probare_report::escape::html;
use probare_report::svg::{Bar, bars};
use probare_stats::PairedDifference;
use probare_text::python::fixed;

use super::catalogue::PUBLISHED_CATEGORIES;
use super::comparison::Difference;
use super::files::{COLUMNS, INTERVAL, interval, shown};
use super::{Group, Summary};

/// Systems side by side: means with the interval of the aggregate, and the differences of all pairs.
pub fn comparison(systems: &[(&str, &Summary)], differences: &[Difference]) -> String {
    let mut page = String::from("<h2>Systems</h2>\n");
    let list: Vec<Bar> = systems
        .iter()
        .map(|(name, summary)| Bar { label: (*name).to_owned(), value: summary.overall.aggregate() })
        .collect();
    let _ = writeln!(
        page,
        "<article class=\"card chart-card\"><header><h3>{}</h3></header>{}</article>",
        COLUMNS[5],
        bars(&list, (0.0, 1.0), "aggregate by system")
    );
    page.push_str(&head("System", &["Answered"], Some(INTERVAL)));
    for (name, summary) in systems {
        let Group { answered, total, intervals, .. } = &summary.overall;
        let _ = write!(page, "<tr><td><bdi>{}</bdi></td><td class=\"right\">{answered}/{total}</td>", html(name));
        for at in 0..6 {
            page.push_str(&cell(&shown(summary.overall.mean(at), 3)));
        }
        let _ = writeln!(page, "{}</tr>", cell(&interval(intervals[5])));
    }
    page.push_str("</tbody></table></div>\n<h3>Paired differences</h3>\n");
    page.push_str(
        "<p class=\"soft\">First minus second, over the questions that both have. Intervals are 95 % intervals of the mean \
         difference.</p>\n",
    );
    page.push_str(
        "<div class=\"summary card scroll\"><table><thead><tr><th scope=\"col\">First</th><th scope=\"col\">Second</th>\
         <th scope=\"col\">Measure</th>",
    );
    for name in ["Pairs", "Difference", "95 % interval", "p"] {
        let _ = write!(page, "<th scope=\"col\" class=\"right\">{name}</th>");
    }
    page.push_str("</tr></thead><tbody>\n");
    for line in differences {
        let _ = write!(
            page,
            "<tr><td><bdi>{}</bdi></td><td><bdi>{}</bdi></td><td>{}</td>",
            html(&line.first),
            html(&line.second),
            line.measure
        );
        let cells = match &line.difference {
            Some(PairedDifference { pairs, mean, interval: ends, p_value }) => {
                [pairs.to_string(), format!("{mean:+.4}"), interval(*ends), fixed(*p_value, 4)]
            }
            None => ["0", "-", "-", "-"].map(str::to_owned),
        };
        for words in cells {
            page.push_str(&cell(&words));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
    page
}

fn cell(words: &str) -> String {
    format!("<td class=\"right\">{words}</td>")
}

/// The head of a table with the six columns, some before them and perhaps one behind.
fn head(first: &str, before: &[&str], behind: Option<&str>) -> String {
    let mut table = format!(
        "<div class=\"summary card scroll\" style=\"margin-top:16px\"><table><thead><tr><th scope=\"col\">{first}</th>"
    );
    for name in before.iter().chain(&COLUMNS).copied().chain(behind) {
        let _ = write!(table, "<th scope=\"col\" class=\"right\">{name}</th>");
    }
    table.push_str("</tr></thead><tbody>\n");
    table
}

/// The categories of a run as bars and as a table, for a page; with the careful reading beside the published one.
///
/// `system` names whose they are, where there are several systems.
pub fn section(system: Option<&str>, summary: &Summary, careful: Option<&Summary>) -> String {
    let of = system.map(|name| format!(" of <bdi>{}</bdi>", html(name))).unwrap_or_default();
    let mut page = format!("<h2>Categories{of}</h2>\n");
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
    let bar = |group: &Group| Bar { label: name(group).to_owned(), value: group.mean(at) };
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
    // The column before the last is the aggregate, whose interval it is.
    let mut table = head("Category", &["Answered"], Some(INTERVAL));
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
            for at in 0..6 {
                let _ = write!(table, "<td class=\"right\">{}</td>", shown(group.mean(at), 3));
            }
            let _ = writeln!(table, "<td class=\"right\">{}</td></tr>", interval(group.intervals[5]));
        }
    }
    table.push_str("</tbody></table></div>\n");
    table
}
