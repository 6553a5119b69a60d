//! What a near quotation changed, word by word, and whether it added or dropped a negation.

use std::ops::Range;

use probare_english::lexicon::{LexicalRole, LexicalRoles, lexical_roles};
use probare_text::distance::{EditKind, edits};
use probare_text::words::words;

use super::alignment::{QuoteStep, align};

/// One stretch of a quotation held against its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextChange {
    /// In both.
    Same(String),
    /// In the source only.
    Dropped(String),
    /// In the quotation only.
    Added(String),
}

/// A quotation against the nearest passage of its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotationDifference {
    /// From left to right, in whole words. Put together, what is the same and what was dropped are the passage, what is
    /// the same and what was added are the quotation, spaces around changes aside.
    pub changes: Vec<TextChange>,
    /// A negation that only one of them has, in words for the reader.
    pub negation: Option<String>,
}

/// Characters of an unchanged stretch that are shown beside a change.
const BESIDE: usize = 60;

impl QuotationDifference {
    /// Holds a normalised quotation against the normal form of its source, around the stretch that comes nearest in
    /// letters. The passage in whole words comes with it.
    pub(super) fn new(source: &str, nearest: &Range<usize>, quote: &str) -> (Range<usize>, Self) {
        let steps = align(source, nearest, quote);
        let of_source = steps.iter().filter_map(|step| match step {
            QuoteStep::Same(span) | QuoteStep::Dropped(span) => Some(span),
            QuoteStep::Added(_) => None,
        });
        let (mut spans, mut passage) = (of_source, nearest.start..nearest.start);
        if let Some(first) = spans.next() {
            passage = first.start..spans.next_back().unwrap_or(first).end;
        }
        let mut changes = changes(&steps, source, quote);
        if changes.iter().all(|change| matches!(change, TextChange::Same(_))) {
            // The words are the same: what differs is how they are spaced.
            changes = by_letters(&source[passage.clone()], quote);
        }
        let negation = negation(&changes);
        (passage, Self { changes, negation })
    }

    /// On one line: `[-…-]` is in the source only, `{+…+}` in the quotation only. Of what is the same the words beside a
    /// change are shown.
    pub fn to_line(&self) -> String {
        let mut line = String::new();
        let last = self.changes.len().saturating_sub(1);
        for (place, change) in self.changes.iter().enumerate() {
            probare_cancellation::count_steps(1);
            match change {
                TextChange::Same(text) => push_beside(&mut line, text, place > 0, place < last),
                TextChange::Dropped(text) => line.extend(["[-", text, "-]"]),
                TextChange::Added(text) => line.extend(["{+", text, "+}"]),
            }
        }
        line
    }
}

/// Appends an unchanged stretch, without the middle of a long one, or the far end of one at the edge.
fn push_beside(line: &mut String, text: &str, is_behind: bool, is_before: bool) {
    let shown = BESIDE * (usize::from(is_behind) + usize::from(is_before)).max(1);
    if text.chars().count() <= shown + BESIDE / 2 {
        line.push_str(text);
        return;
    }
    let at = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let (head, tail) = (at(BESIDE), at(text.chars().count() - BESIDE));
    if is_behind || !is_before {
        line.push_str(text[..head].rsplit_once(' ').map_or(&text[..head], |(words, _)| words));
        line.push_str(" …");
    }
    if is_before {
        line.push_str(if is_behind { " " } else { "… " });
        line.push_str(text[tail..].split_once(' ').map_or(&text[tail..], |(_, words)| words));
    }
}

/// Steps of one kind joined, with the spaces between them; where words stand in the place of others, the source's first.
fn changes(steps: &[QuoteStep], source: &str, quote: &str) -> Vec<TextChange> {
    let mut changes: Vec<TextChange> = Vec::new();
    let mut rest = steps;
    while !rest.is_empty() {
        probare_cancellation::count_steps(1);
        let same = rest.iter().take_while(|step| matches!(step, QuoteStep::Same(_))).count();
        let changed = rest[same..].iter().take_while(|step| !matches!(step, QuoteStep::Same(_))).count();
        let (common, others) = (&rest[..same], &rest[same..same + changed]);
        rest = &rest[same + changed..];
        let span = |select: fn(&QuoteStep) -> Option<&Range<usize>>, steps: &[QuoteStep]| {
            let mut spans = steps.iter().filter_map(select);
            let first = spans.next()?;
            Some(first.start..spans.next_back().unwrap_or(first).end)
        };
        let common = span(|step| if let QuoteStep::Same(span) = step { Some(span) } else { None }, common);
        let dropped = span(|step| if let QuoteStep::Dropped(span) = step { Some(span) } else { None }, others);
        let added = span(|step| if let QuoteStep::Added(span) = step { Some(span) } else { None }, others);
        if let Some(common) = common {
            let mut text = source[common.clone()].to_owned();
            let is_spaced = |span: &Option<Range<usize>>, text: &str| {
                span.as_ref().is_some_and(|span| text[..span.start].ends_with(char::is_whitespace))
            };
            if !changes.is_empty() && source[..common.start].ends_with(char::is_whitespace) {
                text.insert(0, ' ');
            }
            if is_spaced(&dropped, source) || is_spaced(&added, quote) {
                text.push(' ');
            }
            changes.push(TextChange::Same(text));
        }
        changes.extend(dropped.map(|span| TextChange::Dropped(source[span].to_owned())));
        changes.extend(added.map(|span| TextChange::Added(quote[span].to_owned())));
    }
    changes
}

fn by_letters(source: &str, quote: &str) -> Vec<TextChange> {
    let mut changes = Vec::new();
    for edit in edits(source, quote) {
        probare_cancellation::count_steps(1);
        let (left, right) = (source[edit.left].to_owned(), quote[edit.right].to_owned());
        match edit.kind {
            EditKind::Keep => changes.push(TextChange::Same(left)),
            EditKind::Delete => changes.push(TextChange::Dropped(left)),
            EditKind::Insert => changes.push(TextChange::Added(right)),
            EditKind::Replace => changes.extend([TextChange::Dropped(left), TextChange::Added(right)]),
        }
    }
    changes
}

/// Whether a word makes a sentence say the opposite, in English or a neighbouring language.
pub(super) fn is_negation(word: &str) -> bool {
    let negations = LexicalRoles::from_roles(&[
        LexicalRole::Negation,
        LexicalRole::Contraction,
        LexicalRole::NounNegation,
        LexicalRole::ForeignNegation,
    ]);
    let plain = word.to_lowercase().replace('’', "'");
    lexical_roles(&plain).has_any(negations) || plain.starts_with("n'")
}

/// The negation that only one side of a change has.
fn negation(changes: &[TextChange]) -> Option<String> {
    let negations = |text: &str| -> Vec<String> {
        words(text).into_iter().map(|span| text[span].to_owned()).filter(|word| is_negation(word)).collect()
    };
    for (place, change) in changes.iter().enumerate() {
        probare_cancellation::count_steps(1);
        let (dropped, added) =
            match (change, place.checked_sub(1).and_then(|before| changes.get(before)), changes.get(place + 1)) {
                (TextChange::Dropped(source), _, Some(TextChange::Added(quote))) => {
                    (negations(source), negations(quote))
                }
                (TextChange::Dropped(source), ..) => (negations(source), Vec::new()),
                (TextChange::Added(_), Some(TextChange::Dropped(_)), _) | (TextChange::Same(_), ..) => continue,
                (TextChange::Added(quote), ..) => (Vec::new(), negations(quote)),
            };
        match (dropped.len(), added.len()) {
            (more, fewer) if more > fewer => {
                return Some(format!("the source says `{}`, the quotation leaves it out", dropped[0]));
            }
            (fewer, more) if more > fewer => {
                return Some(format!("the quotation says `{}`, the source does not", added[0]));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(source: &str, quote: &str) -> QuotationDifference {
        QuotationDifference::new(source, &(0..source.len()), quote).1
    }

    #[test]
    fn words_are_whole_and_shown_once_for_each_side() {
        let found = difference("nobody believed it", "nobody belived it");
        assert_eq!(found.to_line(), "nobody [-believed-]{+belived+} it");
        assert_eq!(found.negation, None);
        assert_eq!(
            difference("since 1998, at 3.5%", "since 1999, at 3.6%").to_line(),
            "since [-1998-]{+1999+}, at [-3.5%-]{+3.6%+}"
        );
    }

    #[test]
    fn a_dropped_not_is_named() {
        let dropped = difference("we do not sell oysters", "we do sell oysters");
        assert_eq!(dropped.to_line(), "we do [-not-] sell oysters");
        assert_eq!(dropped.negation.as_deref(), Some("the source says `not`, the quotation leaves it out"));
        let added = difference("we can go", "we can't go");
        assert_eq!(added.negation.as_deref(), Some("the quotation says `can't`, the source does not"));
        assert_eq!(difference("we don't go", "we do not go").negation, None, "another way to say it");
    }

    #[test]
    fn the_passage_reaches_back_to_the_words_of_the_quotation() {
        let source = "here, she says, we never cut the hedge before the birds have left. it looks untidy";
        let nearest = source.find("er cut").unwrap()..source.find(". it").unwrap();
        let (passage, found) =
            QuotationDifference::new(source, &nearest, "we cut the hedge before the birds have left");
        assert_eq!(&source[passage], "we never cut the hedge before the birds have left");
        assert_eq!(found.to_line(), "we [-never-] cut the hedge before the birds have left");
        assert_eq!(found.negation.as_deref(), Some("the source says `never`, the quotation leaves it out"));
    }

    #[test]
    fn spaces_alone_are_shown_by_letters() {
        assert_eq!(difference("from 1990-1995 on", "from 1990 - 1995 on").to_line(), "from 1990{+ +}-{+ +}1995 on");
    }

    #[test]
    fn a_long_unchanged_stretch_leaves_the_change_in_sight() {
        let source = format!("{}we never go", "a word and another ".repeat(20));
        let line = difference(&source, &source.replace("never ", "")).to_line();
        assert!(line.ends_with("we [-never-] go") && line.starts_with("… ") && line.len() < 90, "{line}");
    }
}
