//! Where a page differs from the one that would be written now.

use super::differences::short;

/// Bytes that are shown of both pages.
const SHOWN: usize = 80;

/// The case in which the first difference stands, if it stands in one, and both texts.
pub(super) fn difference(recorded: &[u8], now: &[u8]) -> Option<(Option<String>, String)> {
    let at = recorded.iter().zip(now).position(|(left, right)| left != right);
    let at = match at {
        Some(at) => at,
        None if recorded.len() == now.len() => return None,
        None => recorded.len().min(now.len()),
    };
    // A little before it, so that the reader knows the place.
    let from = at.saturating_sub(24);
    let excerpt = |page: &[u8]| {
        let end = page.len().min(at + SHOWN);
        let text = String::from_utf8_lossy(page.get(from..end).unwrap_or_default()).into_owned();
        if text.is_empty() { "nothing".to_owned() } else { format!("{:?}", short(&text)) }
    };
    let reason = format!("the page shows {} in the file and {} now", excerpt(recorded), excerpt(now));
    Some((case_at(now, at), reason))
}

/// The id of the case whose row in the table, entry in the index or record holds this byte.
fn case_at(page: &[u8], at: usize) -> Option<String> {
    let page = String::from_utf8_lossy(page.get(..page.len().min(at + 4096))?).into_owned();
    let before = page.floor_char_boundary(at);
    in_row(&page, before).or_else(|| in_data(&page, before))
}

/// The table for who has no scripts: the id of a case is the first thing in its row.
fn in_row(page: &str, before: usize) -> Option<String> {
    const OPENING: &str = "<tr><td><b><bdi>";
    let row = page[..before].rfind(OPENING).filter(|row| !page[*row..before].contains("</tr>"))?;
    page[row + OPENING.len()..].split_once("</bdi>").map(|(id, _)| id.to_owned())
}

/// Records stand in comments, one a line; entries of the index in elements, one a line as well.
fn in_data(page: &str, before: usize) -> Option<String> {
    const NAME: &str = "\"id\":\"";
    let open = |opening: &str, closing: &str| {
        let data = page[..before].rfind(opening)?;
        (!page[data..before].contains(closing)).then_some(data + opening.len())
    };
    let data =
        open("<!--\n", "\n-->").or_else(|| open("<script type=\"application/json\" class=\"index\">", "</script>"))?;
    let line = page[data..before].rfind('\n').map_or(data, |at| data + at + 1);
    let line = page[line..].split('\n').next()?;
    // Inside of a text of JSON a quotation mark has a backslash before it, so this finds the name of the field alone.
    let text = line.split_once(NAME)?.1.split('"').next()?;
    serde_json::from_str(&format!("\"{text}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use probare_core::{BenchmarkData, Case, CaseResult, Event, RunEnd, SampleDimensions, Score, Sink, Stop};
    use probare_report::{Html, OutputWriter, RendererOptions, Summary};

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A page as the report writes it, of two cases.
    fn page() -> String {
        let infos = [probare_engine::expectations::info("m")];
        let mut summary = Summary::new(&RendererOptions::default());
        let page = Page::default();
        let mut html = Html::new(OutputWriter::to_writer(Box::new(page.clone())), RendererOptions::default());
        let mut send = |event: &Event<'_>| {
            summary.event(event).unwrap();
            html.event(event).unwrap();
        };
        send(&Event::Started { source: "c.jsonl", metrics: &infos, dimensions: SampleDimensions::default() });
        for (id, value) in [("first", 0.25), ("second", 0.75)] {
            let case = Case { id: id.into(), query: Some(format!("what is {id}")), ..Case::default() };
            send(&Event::Scored(&CaseResult::new(case, vec![Ok(Score::from_number(value).unwrap().into())])));
        }
        summary.conclude(Stop::Complete);
        let finish = RunEnd { summary: Some(BenchmarkData::new(summary)), ..RunEnd::with_stop(Stop::Complete) };
        html.event(&Event::Finished(&finish)).unwrap();
        String::from_utf8(page.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn the_case_that_differs_is_named_wherever_it_stands_on_a_real_page() {
        let page = page();
        assert_eq!(difference(page.as_bytes(), page.as_bytes()), None);
        let value = if page.contains("0.750") { "0.750" } else { "0.75" };
        for (what, with) in [
            (value, "0.999"),
            ("[0.75,", "[0.99,"),
            ("\"value\":0.75", "\"value\":0.99"),
            ("\"text\":\"what is second", "\"text\":\"what was second"),
        ] {
            let at = page.rfind(what).unwrap_or_else(|| panic!("{what} is on the page"));
            let mut changed = page.clone();
            changed.replace_range(at..at + what.len(), with);
            let (case, reason) = difference(changed.as_bytes(), page.as_bytes()).unwrap();
            assert_eq!(case.as_deref(), Some("second"), "{what}: {reason}");
        }
        let changed = page.replacen("first", "other", 1);
        assert!(difference(changed.as_bytes(), page.as_bytes()).is_some());
        let longer = page.clone() + "more";
        assert!(difference(longer.as_bytes(), page.as_bytes()).is_some());
        let (case, _) = difference(b"<q>", page.as_bytes()).unwrap();
        assert_eq!(case, None);
    }
}
