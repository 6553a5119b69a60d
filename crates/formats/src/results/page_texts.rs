//! [`PageTexts`]: the texts of the cases on a page, for who looks at a run of which only its page is left.

use probare_core::{Case, Field, Output, Passage};
use serde::Deserialize;

use super::rows::LineRows;

/// The cases of a page, one for each of its records, in the same order. A case has the texts that the page shows; a text that was
/// too long for the page ends where it was cut.
pub struct PageTexts<R>(pub(super) LineRows<R>);

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
        let record = self.0.by_ref().map_while(Result::ok).find(|line| line.starts_with("{\"line\":"))?;
        // A record that cannot be read is told where its results are read.
        let Record { texts } = serde_json::from_str(&record).unwrap_or(Record { texts: Vec::new() });
        let mut case = Case::default();
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
        let cases: Vec<Case> = PageTexts(LineRows::new(page.as_bytes())).collect();
        assert_eq!(cases.len(), 3);
        assert_eq!((cases[0].query.as_deref(), cases[0].response.as_ref().unwrap().text.as_str()), (Some("q"), "r"));
        assert_eq!(cases[0].context.as_ref().unwrap()[1].text, "c");
        assert_eq!((&cases[1], &cases[2]), (&Case::default(), &Case::default()));
    }
}
