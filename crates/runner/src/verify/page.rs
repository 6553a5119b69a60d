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

fn in_row(page: &str, before: usize) -> Option<String> {
    let row = page[..before].rfind("<tbody data-is=")?;
    if page[row..before].contains("</tbody>") {
        return None;
    }
    let inner = page[row..].split_once("<bdi>")?.1;
    Some(inner.split_once("</bdi>")?.0.to_owned())
}

/// Inside of a text of JSON a quotation mark has a backslash before it, so this finds names of fields alone.
fn in_data(page: &str, before: usize) -> Option<String> {
    const NAME: &str = "\"id\":\"";
    let open = |opening: &str, closing: &str| {
        page[..before].rfind(opening).filter(|data| !page[*data..before].contains(closing))
    };
    let data =
        open("<!--", "-->").or_else(|| open("<script type=\"application/json\" class=\"index\"", "</script>"))?;
    // An entry begins with its id or a few numbers before it.
    let start = data + page[data..before].rfind(NAME)? + NAME.len();
    let text = page[start..].split('"').next()?;
    serde_json::from_str(&format!("\"{text}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_that_differs_is_named() {
        let page = |value: &str| {
            format!(
                "<p><tbody data-is=\"x\"><bdi>a</bdi>0.5</tbody><tbody data-is=\"x\"><bdi>b</bdi>{value}</tbody></p>"
            )
        };
        assert_eq!(difference(page("1").as_bytes(), page("1").as_bytes()), None);
        let (case, reason) = difference(page("2").as_bytes(), page("1").as_bytes()).unwrap();
        assert_eq!(case.as_deref(), Some("b"));
        assert!(reason.contains("<bdi>b</bdi>2"), "{reason}");
        let (case, _) = difference(b"<q>", page("1").as_bytes()).unwrap();
        assert_eq!(case, None);
        let records = |value: &str| {
            format!("<!--\n{{\"line\":{{\"id\":\"a\"}}}}\n{{\"line\":{{\"id\":\"b\",\"value\":{value}}}}}\n-->")
        };
        let (case, _) = difference(records("2").as_bytes(), records("1").as_bytes()).unwrap();
        assert_eq!(case.as_deref(), Some("b"));
        let longer = page("1") + "more";
        assert!(difference(longer.as_bytes(), page("1").as_bytes()).is_some());
    }
}
