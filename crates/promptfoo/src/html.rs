//! `is-html` and `contains-html`. The names of elements are those of promptfoo 0.123.1 (MIT, copyright Promptfoo 2025).

use crate::assertion::{Answer, Verdict};
use crate::js;

/// Elements that count for `is-html`.
#[rustfmt::skip]
const ELEMENTS: [&str; 113] = [
    "a", "abbr", "address", "area", "article", "aside", "audio", "b", "base", "bdi", "bdo", "blockquote", "body",
    "br", "button", "canvas", "caption", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del",
    "details", "dfn", "dialog", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "i", "iframe", "img", "input", "ins",
    "kbd", "label", "legend", "li", "link", "main", "map", "mark", "math", "menu", "meta", "meter", "nav", "noscript",
    "object", "ol", "optgroup", "option", "output", "p", "param", "picture", "pre", "progress", "q", "rp", "rt",
    "ruby", "s", "samp", "script", "section", "select", "slot", "small", "source", "span", "strong", "style", "sub",
    "summary", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title",
    "tr", "track", "u", "ul", "var", "video", "wbr",
];

/// Names that count for `contains-html`.
#[rustfmt::skip]
const COMMON: [&str; 30] = [
    "a", "body", "br", "button", "div", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "ol", "p", "script", "span", "style", "table", "td", "th", "tr", "ul",
];

/// Bytes of the longest answer that is looked at.
const LONGEST: usize = 10 * 1024 * 1024;

/// Elements without content.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Elements whose content is text, whatever it looks like.
const RAW: [&str; 9] = ["iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp"];

/// Elements that stay in the head where nothing of the body came before.
const OF_HEAD: [&str; 9] = ["base", "link", "meta", "noframes", "noscript", "script", "style", "template", "title"];

/// Start tags that mean something in tables alone.
const OF_TABLE: [&str; 9] = ["caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"];

/// Elements that are opened again behind a block that ended them.
const FORMATTING: [&str; 14] =
    ["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Start tags that end a paragraph.
const ENDS_PARAGRAPH: [&str; 41] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
    "xmp",
];

/// What a document came to.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Default)]
struct Document {
    /// Open elements inside of the body, with whether they are foreign (SVG, mathematics).
    open: Vec<(String, bool)>,
    /// Formatting elements whose end did not come.
    formatting: Vec<String>,
    has_html: bool,
    has_head: bool,
    has_body: bool,
    /// Something of the author's counts as an element.
    has_element: bool,
    /// The body has text of its own.
    has_bare_text: bool,
}

impl Document {
    fn text(&mut self, text: &str) {
        if js::trim(text).is_empty() {
            return;
        }
        let is_bare = match self.open.last() {
            None => self.formatting.is_empty(),
            // Text right in a table moves in front of it.
            Some((name, false)) if is_table_part(name) => {
                let table = self.open.iter().rposition(|(name, _)| name == "table");
                table.is_none_or(|at| at == 0) && self.formatting.is_empty()
            }
            Some(_) => false,
        };
        (self.has_html, self.has_head, self.has_body) = (true, true, true);
        self.has_bare_text |= is_bare;
    }

    fn count(&mut self, name: &str) {
        self.has_element |= ELEMENTS.binary_search(&name).is_ok() || name.contains('-');
    }

    /// A start tag; whether what follows is raw text up to its end tag.
    fn start(&mut self, name: &str, is_self_closing: bool) -> bool {
        let name = if name == "image" { "img" } else { name };
        match name {
            "html" => {
                self.has_element |= !self.has_html;
                self.has_html = true;
                return false;
            }
            "head" => {
                self.has_element |= !self.has_head && !self.has_body;
                (self.has_html, self.has_head) = (true, true);
                return false;
            }
            "body" => {
                self.has_element |= !self.has_body;
                (self.has_html, self.has_head, self.has_body) = (true, true, true);
                return false;
            }
            "frame" | "frameset" => return false,
            _ => {}
        }
        let is_foreign = self.open.last().is_some_and(|(_, is_foreign)| *is_foreign);
        let has_table = self.open.iter().any(|(name, _)| name == "table");
        if !is_foreign && OF_TABLE.contains(&name) && !has_table {
            return false;
        }
        self.has_html = true;
        self.has_head = true;
        self.count(name);
        if self.has_body || !OF_HEAD.contains(&name) {
            self.has_body = true;
        }
        if !is_foreign && ENDS_PARAGRAPH.contains(&name) {
            self.end_paragraph();
        }
        if VOID.contains(&name) && !is_foreign || is_foreign && is_self_closing {
            return false;
        }
        let opens_foreign = matches!(name, "svg" | "math");
        if opens_foreign && is_self_closing {
            return false;
        }
        if !is_foreign && (RAW.contains(&name) || name == "plaintext") {
            return true;
        }
        if !is_foreign && FORMATTING.contains(&name) {
            self.formatting.push(name.to_owned());
        }
        self.open.push((name.to_owned(), is_foreign || opens_foreign));
        false
    }

    fn end_paragraph(&mut self) {
        let last = self.open.iter().rposition(|(name, _)| name == "p");
        let scope = self.open.iter().rposition(|(name, _)| matches!(name.as_str(), "button" | "table" | "td" | "th"));
        if let Some(at) = last.filter(|at| scope.is_none_or(|scope| scope < *at)) {
            self.open.truncate(at);
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(at) = self.formatting.iter().rposition(|open| open == name) {
            self.formatting.remove(at);
            if let Some(at) = self.open.iter().rposition(|(open, _)| open == name) {
                self.open.remove(at);
            }
            return;
        }
        let is_heading = |name: &str| matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        let matches = |open: &str| open == name || is_heading(open) && is_heading(name);
        if let Some(at) = self.open.iter().rposition(|(open, _)| matches(open)) {
            self.open.truncate(at);
        }
    }
}

fn is_table_part(name: &str) -> bool {
    matches!(name, "table" | "tbody" | "thead" | "tfoot" | "tr" | "colgroup")
}

/// Reads a document as a browser does, as far as elements and bare text go.
fn read_document(text: &str) -> Document {
    let mut document = Document::default();
    let mut rest = text;
    while !rest.is_empty() {
        probare_cancellation::count_steps(1);
        let Some(at) = rest.find('<') else {
            document.text(rest);
            break;
        };
        let (before, from) = rest.split_at(at);
        document.text(before);
        let after = &from[1..];
        if let Some(comment) = after.strip_prefix("!--") {
            let comment_end = comment.find("-->").map(|at| at + 3);
            rest = comment_end.map_or("", |at| &comment[at..]);
        } else if after.starts_with(['!', '?']) || after.starts_with('/') && !is_letter(after[1..].chars().next()) {
            if after == "/" {
                document.text(from);
                break;
            }
            rest = after.split_once('>').map_or("", |(_, rest)| rest);
        } else if is_letter(after.strip_prefix('/').unwrap_or(after).chars().next()) {
            let Some((tag, after)) = read_tag(after) else { break };
            rest = after;
            let (is_end, name) = tag.strip_prefix('/').map_or((false, tag), |name| (true, name));
            let length = name.find(|letter: char| js::is_space(letter) || letter == '/').unwrap_or(name.len());
            let lower = name[..length].to_ascii_lowercase();
            if is_end {
                document.end(&lower);
            } else if document.start(&lower, name.ends_with('/')) {
                rest = skip_raw(rest, &lower);
            }
        } else {
            document.text("<");
            rest = after;
        }
    }
    document
}

fn is_letter(letter: Option<char>) -> bool {
    letter.is_some_and(|letter| letter.is_ascii_alphabetic())
}

/// What stands in a tag behind its `<`, and what follows; nothing where the tag has no end.
fn read_tag(text: &str) -> Option<(&str, &str)> {
    let (mut quote, mut is_value) = (None, false);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(mark), letter) if mark == letter => (quote, is_value) = (None, false),
            (Some(_), _) => {}
            (None, '"' | '\'') if is_value => quote = Some(letter),
            (None, '>') => return Some((&text[..at], &text[at + 1..])),
            (None, '=') => is_value = true,
            (None, letter) if js::is_space(letter) => {}
            _ => is_value = false,
        }
    }
    None
}

/// What follows the end tag of an element of raw text.
fn skip_raw<'a>(text: &'a str, name: &str) -> &'a str {
    let is_end = |after: &str| {
        after.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && after[name.len()..].starts_with(|letter: char| js::is_space(letter) || matches!(letter, '/' | '>'))
    };
    match text.match_indices("</").find(|(at, _)| is_end(&text[at + 2..])) {
        Some((at, _)) if name != "plaintext" => text[at..].split_once('>').map_or("", |(_, rest)| rest),
        _ => "",
    }
}

pub(crate) fn is_html(answer: &Answer<'_>) -> Verdict {
    let text = js::trim(&answer.text);
    let is_candidate = !text.is_empty()
        && text.len() <= LONGEST
        && !text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("<?xml"));
    if !is_candidate {
        return Verdict::new(false).because("the answer is empty, too long or XML");
    }
    let document = read_document(text);
    if document.has_bare_text && !has_tag(text, "body") {
        return Verdict::new(false).because("there is text outside of elements");
    }
    Verdict::new(document.has_element)
}

/// Whether a tag of this name stands in the text, in letters.
fn has_tag(text: &str, name: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.match_indices('<').any(|(at, _)| {
        let after = lower[at + 1..].strip_prefix(name).map(|rest| rest.chars().next());
        after.is_some_and(|next| next.is_none_or(|next| js::is_space(next) || matches!(next, '>' | '/')))
    })
}

/// Whether a text behind `&` goes on as an entity does.
fn is_entity(after: &str) -> bool {
    after.split_once(';').is_some_and(|(name, _)| match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix('x') {
            Some(digits) => !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
            None => !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()),
        },
        None => !name.is_empty() && name.bytes().all(|letter| letter.is_ascii_alphabetic()),
    })
}

/// Points from which on a text contains HTML.
const ENOUGH: usize = 2;

pub(crate) fn contains_html(answer: &Answer<'_>) -> Verdict {
    let text = answer.text.as_str();
    let (mut opening, mut closing, mut self_closing, mut common, mut attribute, mut comment, mut doctype) =
        (false, false, false, false, false, false, false);
    let mut tag_end = text.find('>');
    for (at, _) in text.match_indices('<') {
        probare_cancellation::count_steps(1);
        while tag_end.is_some_and(|end| end < at) {
            tag_end = text[at..].find('>').map(|end| at + end);
        }
        let after = &text[at + 1..];
        let name = after.strip_prefix('/').unwrap_or(after);
        let end = name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(name.len());
        let (name, rest) = name.split_at(end);
        let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if is_name && after.starts_with('/') {
            closing |= rest.trim_start_matches(js::is_space).starts_with('>');
        } else if is_name {
            let inside = tag_end.and_then(|end| text.get(text.len() - rest.len()..end));
            opening |= inside.is_some_and(|inside| inside.is_empty() || inside.starts_with(js::is_space));
            self_closing |= inside
                .and_then(|inside| inside.strip_suffix('/'))
                .is_some_and(|inside| inside.is_empty() || inside.starts_with(js::is_space));
            let word = name.split('-').next().unwrap_or_default().to_ascii_lowercase();
            let is_word_end = name.len() > word.len() || !rest.starts_with('_');
            common |= is_word_end && COMMON.contains(&word.as_str());
        }
        comment |= after
            .strip_prefix("!--")
            .and_then(|inside| inside.split_once("--"))
            .is_some_and(|(_, after)| after.starts_with('>'));
        doctype |= after.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("!doctype")) && {
            let rest = &after[8..];
            let name = rest.trim_start_matches(js::is_space);
            name.len() < rest.len() && name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"))
        };
    }
    let entity = text.split('&').skip(1).any(is_entity);
    for (at, _) in text.match_indices('=') {
        let name = text[..at].trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '-');
        let after = text[at + 1..].trim_start_matches(js::is_space);
        let is_marked = |text: &str| text.starts_with(['"', '\'']);
        attribute |=
            name.len() < at && name.ends_with(js::is_space) && is_marked(after) && after[1..].contains(['"', '\'']);
    }
    let points = match (opening, closing) {
        (true, true) => 2,
        (false, false) => 0,
        _ => 1,
    } + usize::from(self_closing)
        + usize::from(entity)
        + 2 * usize::from(doctype)
        + usize::from(comment)
        + usize::from(attribute)
        + 2 * usize::from(common);
    Verdict::new(points >= ENOUGH).because(format!("{points} signs of HTML"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(ELEMENTS.is_sorted());
    }
}
