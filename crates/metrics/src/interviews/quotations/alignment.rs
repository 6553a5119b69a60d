//! Where a quotation lies in the words around the nearest stretch of its source, and which words went or came.
//!
//! The nearest stretch in letters may begin inside a word: `we cut the hedge` is nearest to `er cut the hedge` of `we never
//! cut the hedge`. A reader wants the passage in whole words with the quotation's own words in it, so words are aligned
//! anew: the passage may begin and end anywhere, a word that stays is worth a gap of a few dropped ones.

use std::ops::Range;

use probare_text::distance::{Edit, EditKind, edits_of_items};
use probare_text::words::{is_word, words};

/// Words on each side of the nearest stretch that the passage may reach into.
const AROUND: usize = 16;

/// Bytes that are read for them.
const REACH: usize = 16 * AROUND;

/// Costs of a word that the source does not have, of one in another's place, of the first and of each further word of a
/// gap. A quoted word at the edge is thereby worth a gap of four words, two are worth more.
const ADDED: u32 = 8;
const REPLACED: u32 = 7;
const FIRST_DROPPED: u32 = 4;
const DROPPED: u32 = 1;

/// Marks weigh less than words, and never stand for one.
const MARK: u32 = 2;
const WORD_FOR_MARK: u32 = 20;

/// Cells of the table beyond which words are compared within the nearest stretch only.
const MOST_CELLS: usize = 1 << 20;

/// One piece of the text or the quotation, or one of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum QuoteStep {
    /// The same word at these places.
    Same(Range<usize>),
    /// In the text only.
    Dropped(Range<usize>),
    /// In the quotation only.
    Added(Range<usize>),
}

/// Aligns the words of `quote` with those of `text` around the stretch `nearest`; spans are bytes.
pub(super) fn align(text: &str, nearest: &Range<usize>, quote: &str) -> Vec<QuoteStep> {
    let quoted = words(quote);
    let (window, inner) = words_around(text, nearest);
    if quoted.len().saturating_mul(window.len()) <= MOST_CELLS {
        return Table::new(text, &window, quote, &quoted).steps();
    }
    let window = &window[inner];
    let left: Vec<&str> = window.iter().map(|span| &text[span.clone()]).collect();
    let right: Vec<&str> = quoted.iter().map(|span| &quote[span.clone()]).collect();
    let mut steps = Vec::new();
    for Edit { kind, left, right } in edits_of_items(&left, &right) {
        probare_cancellation::count_steps(1);
        if kind == EditKind::Keep {
            steps.extend(window[left].iter().cloned().map(QuoteStep::Same));
        } else {
            steps.extend(window[left].iter().cloned().map(QuoteStep::Dropped));
            steps.extend(quoted[right].iter().cloned().map(QuoteStep::Added));
        }
    }
    steps
}

/// The words of and around a stretch, and which of them touch it.
fn words_around(text: &str, nearest: &Range<usize>) -> (Vec<Range<usize>>, Range<usize>) {
    // More letters than so many words take, cut back to a space so that no word is cut.
    let left = text.floor_char_boundary(nearest.start.saturating_sub(REACH));
    let right = text.ceil_char_boundary((nearest.end + REACH).min(text.len()));
    let before = text[left..nearest.start].find(char::is_whitespace).filter(|_| left > 0);
    let behind = text[nearest.end..right].rfind(char::is_whitespace).filter(|_| right < text.len());
    let start = before.map_or(left, |at| left + at);
    let end = behind.map_or(right, |at| nearest.end + at);
    let spans: Vec<Range<usize>> =
        words(&text[start..end]).into_iter().map(|span| start + span.start..start + span.end).collect();
    let first = spans.partition_point(|span| span.end <= nearest.start);
    let last = spans.partition_point(|span| span.start < nearest.end).max(first);
    let from = first.saturating_sub(AROUND);
    let to = (last + AROUND).min(spans.len());
    (spans[from..to].to_vec(), first - from..last - from)
}

/// Costs of every beginning of the quotation (rows) against every stretch that ends at a word of the window (columns).
struct Table<'a> {
    text: &'a str,
    window: &'a [Range<usize>],
    quote: &'a str,
    quoted: &'a [Range<usize>],
    /// Row by row, with the last word of the window used or replaced, or nothing of it used yet.
    used: Vec<u32>,
    /// The same with the last word of the window dropped.
    dropped: Vec<u32>,
}

/// More than any alignment costs.
const NEVER: u32 = u32::MAX / 2;

impl<'a> Table<'a> {
    fn new(text: &'a str, window: &'a [Range<usize>], quote: &'a str, quoted: &'a [Range<usize>]) -> Self {
        let cells = (quoted.len() + 1) * (window.len() + 1);
        let mut table = Self { text, window, quote, quoted, used: vec![0; cells], dropped: vec![NEVER; cells] };
        for row in 1..=quoted.len() {
            probare_cancellation::count_steps(1 + window.len());
            for column in 0..=window.len() {
                let at = table.cell(row, column);
                let added = table.best(row - 1, column) + table.added(row);
                table.used[at] = match column {
                    0 => added,
                    _ => added.min(table.best(row - 1, column - 1) + table.paired(row, column)),
                };
                if column > 0 {
                    table.dropped[at] = (table.used[at - 1] + FIRST_DROPPED).min(table.dropped[at - 1] + DROPPED);
                }
            }
        }
        table
    }

    fn cell(&self, row: usize, column: usize) -> usize {
        row * (self.window.len() + 1) + column
    }

    fn best(&self, row: usize, column: usize) -> u32 {
        let at = self.cell(row, column);
        self.used[at].min(self.dropped[at])
    }

    fn added(&self, row: usize) -> u32 {
        if is_word(&self.quote[self.quoted[row - 1].clone()]) { ADDED } else { MARK }
    }

    /// Cost of a word of the quotation in the place of a word of the window.
    fn paired(&self, row: usize, column: usize) -> u32 {
        let quoted = &self.quote[self.quoted[row - 1].clone()];
        let source = &self.text[self.window[column - 1].clone()];
        match (is_word(quoted), is_word(source)) {
            _ if quoted == source => 0,
            (true, true) => REPLACED,
            (false, false) => MARK,
            _ => WORD_FOR_MARK,
        }
    }

    /// The way back from the cheapest end; of equal ways the one that keeps more words.
    fn steps(&self) -> Vec<QuoteStep> {
        let (mut row, mut column) = (self.quoted.len(), 0);
        for end in 0..=self.window.len() {
            probare_cancellation::count_steps(1);
            if self.used[self.cell(row, end)] < self.used[self.cell(row, column)] {
                column = end;
            }
        }
        let mut steps = Vec::new();
        let mut is_dropping = false;
        while row > 0 {
            probare_cancellation::count_steps(1);
            let at = self.cell(row, column);
            if is_dropping {
                steps.push(QuoteStep::Dropped(self.window[column - 1].clone()));
                is_dropping = self.dropped[at] != self.used[at - 1] + FIRST_DROPPED;
                column -= 1;
                continue;
            }
            let is_paired = column > 0 && self.used[at] == self.best(row - 1, column - 1) + self.paired(row, column);
            if is_paired {
                column -= 1;
                let (source, quoted) = (self.window[column].clone(), self.quoted[row - 1].clone());
                if self.text[source.clone()] == self.quote[quoted.clone()] {
                    steps.push(QuoteStep::Same(source));
                } else {
                    steps.extend([QuoteStep::Added(quoted), QuoteStep::Dropped(source)]);
                }
            } else {
                steps.push(QuoteStep::Added(self.quoted[row - 1].clone()));
            }
            row -= 1;
            let at = self.cell(row, column);
            is_dropping = self.dropped[at] <= self.used[at];
        }
        steps.reverse();
        steps
    }
}
