//! The pieces of a composite score: a table where they are weighted, one line otherwise.
//!
//! A piece is weighted where another one has its name with `_weight` behind it. The table multiplies the two, so that a
//! reader sees what each piece adds to the value.

use probare_core::Parts;

use crate::escape::html;
use crate::number::{column, rounded};

/// What stands behind the name of a piece in the name of its weight.
const WEIGHT: &str = "_weight";

/// The pieces as HTML; nothing where there are none.
pub(super) fn parts(parts: &Parts) -> String {
    let mut rows = String::new();
    let mut line: Vec<String> = Vec::new();
    for (name, value) in parts.iter() {
        let is_weight = name.strip_suffix(WEIGHT).is_some_and(|piece| parts.get(piece).is_some());
        if let Some(weight) = parts.get(&format!("{name}{WEIGHT}")) {
            rows.push_str(&format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
                html(name),
                column(value),
                rounded(weight),
                column(value * weight),
            ));
        } else if !is_weight {
            line.push(format!("{}\u{a0}{}", html(name), rounded(value)));
        }
    }
    let mut body = String::new();
    if !rows.is_empty() {
        body.push_str(&format!(
            "<table class=\"weighted\"><thead><tr><th scope=\"col\">Part</th><th scope=\"col\">Value</th>\
             <th scope=\"col\">Weight</th><th scope=\"col\">Adds</th></tr></thead><tbody>{rows}</tbody></table>"
        ));
    }
    if !line.is_empty() {
        body.push_str(&format!("<p class=\"parts\">{}</p>", line.join(" · ")));
    }
    body
}

#[cfg(test)]
mod tests {
    use probare_core::Value;

    use super::*;

    fn made_of(list: &[(&'static str, f64)]) -> String {
        let mut pieces = Parts::default();
        for (name, number) in list {
            pieces.push(*name, Value::new(*number).unwrap());
        }
        parts(&pieces)
    }

    #[test]
    fn weighted_pieces_show_what_they_add() {
        let body = made_of(&[("f1", 0.5), ("rest", 2.0), ("f1_weight", 0.3), ("lonely_weight", 1.0)]);
        assert!(body.contains("<th scope=\"row\">f1</th><td>0.500</td><td>0.3</td><td>0.150</td>"), "{body}");
        assert!(body.ends_with("<p class=\"parts\">rest\u{a0}2 · lonely_weight\u{a0}1</p>"), "{body}");
    }

    #[test]
    fn pieces_without_weights_are_one_line() {
        assert_eq!(made_of(&[("a", 0.25), ("<b>", 1.0)]), "<p class=\"parts\">a\u{a0}0.25 · &lt;b&gt;\u{a0}1</p>");
        assert_eq!(made_of(&[]), "");
    }
}
