//! What a near quotation changed: letter by letter, and whether it added or dropped a negation.

use probare_text::distance::{EditKind, edits};

/// One stretch of a quotation held against its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// In both.
    Same(String),
    /// In the source only.
    Dropped(String),
    /// In the quotation only.
    Added(String),
}

/// A quotation against the nearest stretch of its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// From left to right.
    pub changes: Vec<Change>,
    /// A negation that only one of them has, in words for the reader.
    pub negation: Option<String>,
}

impl Difference {
    /// On one line: `[-…-]` is in the source only, `{+…+}` in the quotation only.
    pub fn line(&self) -> String {
        let mut line = String::new();
        for change in &self.changes {
            match change {
                Change::Same(text) => line.push_str(text),
                Change::Dropped(text) => line.extend(["[-", text, "-]"]),
                Change::Added(text) => line.extend(["{+", text, "+}"]),
            }
        }
        line
    }
}

/// Words that make a sentence say the opposite.
const NEGATIONS: [&str; 9] = ["not", "no", "never", "nobody", "none", "nothing", "without", "neither", "nor"];

/// Holds a normalised quotation against a stretch of the normal form of its source.
pub fn difference(source: &str, quote: &str) -> Difference {
    let mut changes = Vec::new();
    for edit in edits(source, quote) {
        let (left, right) = (&source[edit.left], &quote[edit.right]);
        match edit.kind {
            EditKind::Keep => changes.push(Change::Same(left.to_owned())),
            EditKind::Delete => changes.push(Change::Dropped(left.to_owned())),
            EditKind::Insert => changes.push(Change::Added(right.to_owned())),
            EditKind::Replace => {
                changes.push(Change::Dropped(left.to_owned()));
                changes.push(Change::Added(right.to_owned()));
            }
        }
    }
    Difference { changes, negation: negation(source, quote) }
}

/// The negation that only one side has.
fn negation(source: &str, quote: &str) -> Option<String> {
    let (in_source, in_quote) = (negations(source), negations(quote));
    if in_source.len() == in_quote.len() {
        return None;
    }
    let (more, fewer, is_dropped) =
        if in_source.len() > in_quote.len() { (in_source, in_quote, true) } else { (in_quote, in_source, false) };
    let word = more.iter().find(|word| !fewer.contains(word)).or(more.last())?;
    Some(if is_dropped {
        format!("the source says `{word}`, the quotation leaves it out")
    } else {
        format!("the quotation says `{word}`, the source does not")
    })
}

fn negations(text: &str) -> Vec<&str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '\'')
        .filter(|word| NEGATIONS.contains(word) || word.ends_with("n't") || *word == "cannot")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_shown_once_for_each_side() {
        let found = difference("nobody believed it", "nobody belived it");
        assert_eq!(found.line(), "nobody bel[-ie-]{+i+}ved it".replace("[-ie-]{+i+}", "i[-e-]"));
        assert_eq!(found.negation, None);
    }

    #[test]
    fn a_dropped_not_is_named() {
        let dropped = difference("we do not sell oysters", "we do sell oysters");
        assert_eq!(dropped.negation.as_deref(), Some("the source says `not`, the quotation leaves it out"));
        let added = difference("we can go", "we can't go");
        assert_eq!(added.negation.as_deref(), Some("the quotation says `can't`, the source does not"));
    }
}
