//! [`panel`]: what a benchmark says about a run, as a piece of a page.

use std::fmt::Write as _;

use probare_core::{Chip, Panel, PanelCell, PanelChart, PanelTable, Tone};

use super::overview::tag;
use crate::escape::{address, html};
use crate::number::count;
use crate::svg::{Bar, bars};

/// The panel in HTML: all its texts are escaped, and cells that are about a case lead to it.
pub fn panel(panel: &Panel) -> String {
    let title = html(&panel.title);
    let mut page = format!("<section class=\"suite\" aria-label=\"{title}\">\n<h2><bdi>{title}</bdi></h2>\n");
    for words in &panel.says {
        let _ = writeln!(page, "<p class=\"soft\"><bdi>{}</bdi></p>", html(words));
    }
    if !panel.chips.is_empty() {
        let chip =
            |Chip { words, tone }: &Chip| format!("<li class=\"{}\"><bdi>{}</bdi></li>", tag(*tone), html(words));
        let chips: String = panel.chips.iter().map(chip).collect();
        let _ = writeln!(page, "<ul class=\"chips\">{chips}</ul>");
    }
    if !panel.charts.is_empty() {
        let charts: String = panel.charts.iter().map(chart).collect();
        let _ = writeln!(page, "<div class=\"charts wide\">{charts}</div>");
    }
    panel.tables.iter().for_each(|one| page.push_str(&table(&panel.title, one)));
    page.push_str("</section>\n");
    page
}

fn chart(chart: &PanelChart) -> String {
    let list: Vec<Bar> = chart.bars.iter().map(|(label, value)| Bar { label: label.clone(), value: *value }).collect();
    let label = if chart.note.is_empty() { chart.title.clone() } else { format!("{}, {}", chart.title, chart.note) };
    format!(
        "<article class=\"card chart-card\"><header><h3>{}</h3><span class=\"small soft\">{}</span></header>{}</article>",
        html(&chart.title),
        html(&chart.note),
        bars(&list, chart.range, &label)
    )
}

fn table(panel: &str, table: &PanelTable) -> String {
    let PanelTable { title, columns, words, rows, more } = table;
    let mut text = String::new();
    if !title.is_empty() {
        let _ = writeln!(text, "<h3>{}</h3>", html(title));
    }
    let name = html(if title.is_empty() { panel } else { title });
    let class = |at: usize| if at < *words { "" } else { " class=\"right\"" };
    let heads: String = columns
        .iter()
        .enumerate()
        .map(|(at, column)| format!("<th scope=\"col\"{}>{}</th>", class(at), html(column)))
        .collect();
    let _ = writeln!(
        text,
        "<div class=\"figures card scroll\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\"><table><caption class=\"sr\">{name}\
         </caption><thead><tr>{heads}</tr></thead><tbody>"
    );
    for row in rows {
        text.push_str("<tr>");
        for (at, one) in row.iter().enumerate() {
            let _ = match at {
                0 => write!(text, "<th scope=\"row\">{}</th>", cell(one)),
                _ => write!(text, "<td{}>{}</td>", class(at), cell(one)),
            };
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table></div>\n");
    if *more > 0 {
        let _ = writeln!(text, "<p class=\"small soft\">and {} more</p>", count(*more));
    }
    text
}

fn cell(cell: &PanelCell) -> String {
    let PanelCell { words, tone, note, case } = cell;
    let mut text = format!("<bdi>{}</bdi>", html(words));
    if *tone != Tone::Plain {
        text = format!("<span class=\"{}\">{text}</span>", tag(*tone));
    }
    if let Some(id) = case {
        text = format!("<a href=\"#case={}\">{text}</a>", address(id));
    }
    if !note.is_empty() {
        let _ = write!(text, "<span class=\"small soft\"><bdi>{}</bdi></span>", html(note));
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::testing::HOSTILE;

    use super::*;

    fn hostile() -> Panel {
        let mut table = PanelTable::new(HOSTILE, [HOSTILE, "N"], 1);
        table.push(vec![PanelCell::case(HOSTILE, HOSTILE).with_tone(Tone::Bad).with_note(HOSTILE), "0".into()]);
        let bars = vec![(HOSTILE.to_owned(), Some(0.5)), (HOSTILE.to_owned(), None)];
        let chart = PanelChart { title: HOSTILE.into(), note: HOSTILE.into(), range: (0.0, 1.0), bars };
        Panel {
            title: HOSTILE.into(),
            says: vec![HOSTILE.into()],
            chips: vec![Chip::new(HOSTILE, Tone::Good)],
            charts: vec![chart],
            tables: vec![table],
        }
    }

    #[test]
    fn text_of_others_is_never_markup() {
        let page = panel(&hostile());
        assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
        assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{0}']), "{page}");
        let address = page.split("<a href=\"#case=").nth(1).unwrap().split('"').next().unwrap();
        assert!(address.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"%-._~".contains(&byte)), "{address}");
    }

    #[test]
    fn a_panel_says_what_it_holds() {
        let mut table = PanelTable::new("", ["Case", "Score"], 1);
        table.push(vec![PanelCell::case("a b", "a b").with_note("so"), "0.000".into()]);
        table.more = 1200;
        let made = Panel {
            title: "Verdict".into(),
            says: vec!["One of two.".into()],
            chips: vec![Chip::new("exact 1", Tone::Good), Chip::new("other 2", Tone::Plain)],
            tables: vec![table],
            ..Panel::default()
        };
        insta::assert_snapshot!(panel(&made), @r##"
        <section class="suite" aria-label="Verdict">
        <h2><bdi>Verdict</bdi></h2>
        <p class="soft"><bdi>One of two.</bdi></p>
        <ul class="chips"><li class="tag good"><bdi>exact 1</bdi></li><li class="tag"><bdi>other 2</bdi></li></ul>
        <div class="figures card scroll" role="region" aria-label="Verdict" tabindex="0"><table><caption class="sr">Verdict</caption><thead><tr><th scope="col">Case</th><th scope="col" class="right">Score</th></tr></thead><tbody>
        <tr><th scope="row"><a href="#case=a%20b"><bdi>a b</bdi></a><span class="small soft"><bdi>so</bdi></span></th><td class="right"><bdi>0.000</bdi></td></tr>
        </tbody></table></div>
        <p class="small soft">and 1200 more</p>
        </section>
        "##);
    }
}
