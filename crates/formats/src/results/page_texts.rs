//! [`PageTexts`]: the texts of the cases on a page, for who looks at a run of which only its page is left.

use std::collections::VecDeque;

use probare_core::{Case, Field, Output, Passage};
use serde::Deserialize;

use super::rows::{LineRows, Rows};

/// The cases of a page, one for each of its records, in the same order. A case has the texts that the page shows; a text that was
/// too long for the page ends where it was cut. Its tags are those of the index of the page, which stands before the records.
pub struct PageTexts<R> {
    lines: Rows<LineRows<R>>,
    /// Tags of the cases whose records follow.
    tags: VecDeque<Vec<String>>,
}

impl<R> PageTexts<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { lines: Rows::new(LineRows::new(reader)), tags: VecDeque::new() }
    }
}

/// How the first item of a part of the index opens.
const INDEX: &str = "<script type=\"application/json\" class=\"index\">[";

/// An item of the index; up to release 0.3 its fields had one letter.
#[derive(Deserialize)]
struct IndexItem {
    #[serde(default, alias = "t")]
    tags: Vec<String>,
    entry: Option<Box<IndexItem>>,
}

/// The tags of a line of the index; nothing where it is none.
fn index_tags(line: &str) -> Option<Vec<String>> {
    let item = line.strip_prefix(INDEX).unwrap_or(line);
    if !["{\"part\":", "{\"c\":"].iter().any(|opening| item.starts_with(opening)) {
        return None;
    }
    let item = item.trim_end_matches("]</script>").trim_end_matches(',');
    let IndexItem { tags, entry } = serde_json::from_str(item).ok()?;
    Some(entry.map_or(tags, |entry| entry.tags))
}

/// The texts of a record.
#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    texts: Vec<ShownText>,
}

#[derive(Deserialize)]
struct ShownText {
    field: Field,
    #[serde(default)]
    index: Option<usize>,
    #[serde(default)]
    path: Option<String>,
    text: String,
}

/// Items of a list that a page may have; a larger number is no page of ours.
const MOST_ITEMS: usize = 100_000;

impl<R: std::io::BufRead> Iterator for PageTexts<R> {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        let record = loop {
            let line = self.lines.next()?.ok()?;
            if line.starts_with("{\"line\":") {
                break line;
            }
            self.tags.extend(index_tags(&line));
        };
        // A record that cannot be read is told where its results are read.
        let Record { texts } = serde_json::from_str(&record).unwrap_or(Record { texts: Vec::new() });
        let mut case = Case { tags: self.tags.pop_front().unwrap_or_default(), ..Case::default() };
        for text in texts.into_iter().filter(|text| text.path.is_none()) {
            add(&mut case, text);
        }
        Some(case)
    }
}

fn add(case: &mut Case, ShownText { field, index, text: shown, .. }: ShownText) {
    let at = index.unwrap_or_default();
    match field {
        Field::Query => case.query = Some(shown),
        Field::Response => case.response = Some(Output::new(shown)),
        Field::Reference => put(case.reference.get_or_insert_default(), at, shown),
        Field::Retrieved => put(case.retrieved.get_or_insert_default(), at, shown),
        Field::Relevant => put(case.relevant.get_or_insert_default(), at, shown),
        Field::Context => put(case.context.get_or_insert_default(), at, Passage::from(shown.as_str())),
        _ => {}
    }
}

/// Puts an item where it stood: a page leaves some out.
fn put<T: Default>(items: &mut Vec<T>, at: usize, item: T) {
    if at < MOST_ITEMS {
        items.resize_with(items.len().max(at + 1), T::default);
        items[at] = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_record_become_those_of_its_case() {
        let page = "<p>\n{\"line\":{},\"texts\":[{\"field\":\"query\",\"text\":\"q\"},{\"field\":\"response\",\"text\":\"r\"},\
                    {\"field\":\"context\",\"index\":1,\"text\":\"c\"}]}\n{\"line\":{}}\n{\"line\": broken\n";
        let cases: Vec<Case> = PageTexts::new(page.as_bytes()).collect();
        assert_eq!(cases.len(), 3);
        assert_eq!((cases[0].query.as_deref(), cases[0].response.as_ref().unwrap().text.as_str()), (Some("q"), "r"));
        assert_eq!(cases[0].context.as_ref().unwrap()[1].text, "c");
        assert_eq!((&cases[1], &cases[2]), (&Case::default(), &Case::default()));
    }

    #[test]
    fn tags_of_the_index_are_those_of_the_records_behind_it() {
        let records = "<!--\n{\"line\":{}}\n{\"line\":{}}\n-->\n<!--\n{\"line\":{}}\n-->\n";
        for index in [
            r#"[{"part":0,"line":0,"entry":{"id":"a","tags":["x","]</script>"]}},
{"part":0,"line":1,"entry":{"id":"b"}}]</script>
<script type="application/json" class="index">[{"part":1,"line":0,"entry":{"id":"c","tags":["y"]}}]</script>"#,
            r#"[{"c":0,"p":0,"id":"a","t":["x","]</script>"]},
{"c":0,"p":1,"id":"b"},
{"c":1,"p":0,"id":"c","t":["y"]}]</script>"#,
        ] {
            let page = format!("{}{index}\n{records}", INDEX.trim_end_matches('['));
            let tags: Vec<Vec<String>> = PageTexts::new(page.as_bytes()).map(|case| case.tags).collect();
            assert_eq!(tags, [vec!["x".to_owned(), "]</script>".to_owned()], Vec::new(), vec!["y".to_owned()]]);
        }
    }
}
