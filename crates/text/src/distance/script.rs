//! A shortest edit script in little memory.
//!
//! Hirschberg, *A linear space algorithm for computing maximal common subsequences*, CACM 18.6, 1975: where a best way
//! crosses the middle of the table is known from its upper half, read forwards, and its lower half, read backwards. Both
//! halves are then solved on their own, down to tables that are small enough to be written out.

use std::ops::Range;

use crate::bit_vectors::{BitColumn, Masks, Symbol};

/// What happens to a stretch of the left text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// It stays.
    Keep,
    /// It is replaced by as many other items.
    Replace,
    /// It is deleted.
    Delete,
    /// Items of the right text are inserted here.
    Insert,
}

/// One stretch of an edit script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What happens.
    pub kind: EditKind,
    /// Where in the left text; empty for an insertion.
    pub left: Range<usize>,
    /// Where in the right text; empty for a deletion.
    pub right: Range<usize>,
}

/// Cells of a table that is written out.
const MAX_TABLE_CELLS: usize = 1 << 14;

/// A shortest edit script. In a table that is written out, among equal ones the replacements come first: `cafe au`
/// becomes `café` by a replaced letter and a deleted end.
pub(super) fn edits<S: Symbol>(left: &[S], right: &[S]) -> Vec<Edit> {
    let mut script = Script { left, right, edits: Vec::new() };
    script.solve(0..left.len(), 0..right.len());
    script.edits
}

/// Lengths of the common start and of the common end of two lists, which do not overlap.
pub(super) fn common_ends<S: Eq>(left: &[S], right: &[S]) -> (usize, usize) {
    let start = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let end =
        left[start..].iter().rev().zip(right[start..].iter().rev()).take_while(|(left, right)| left == right).count();
    (start, end)
}

struct Script<'t, S> {
    left: &'t [S],
    right: &'t [S],
    edits: Vec<Edit>,
}

impl<S: Symbol> Script<'_, S> {
    fn solve(&mut self, left: Range<usize>, right: Range<usize>) {
        let (start, end) = common_ends(&self.left[left.clone()], &self.right[right.clone()]);
        self.push(EditKind::Keep, left.start..left.start + start, right.start..right.start + start);
        self.solve_different(left.start + start..left.end - end, right.start + start..right.end - end);
        self.push(EditKind::Keep, left.end - end..left.end, right.end - end..right.end);
    }

    fn solve_different(&mut self, left: Range<usize>, right: Range<usize>) {
        if left.is_empty() {
            self.push(EditKind::Insert, left, right);
        } else if right.is_empty() {
            self.push(EditKind::Delete, left, right);
        } else if left.len().saturating_mul(right.len()) <= MAX_TABLE_CELLS || left.len().min(right.len()) < 2 {
            self.write_out(left, right);
        } else {
            let (left_middle, right_middle) = self.crossing(&left, &right);
            self.solve(left.start..left_middle, right.start..right_middle);
            self.solve(left_middle..left.end, right_middle..right.end);
        }
    }

    /// A point that a best way passes, in the middle of the right text.
    fn crossing(&self, left: &Range<usize>, right: &Range<usize>) -> (usize, usize) {
        let middle = right.start + right.len() / 2;
        let rows = &self.left[left.clone()];
        let before = last_column(rows.iter().copied(), self.right[right.start..middle].iter().copied());
        let after = last_column(rows.iter().rev().copied(), self.right[middle..right.end].iter().rev().copied());
        let costs = before.iter().zip(after.iter().rev()).map(|(before, after)| before + after);
        let row = costs.enumerate().min_by_key(|&(_, cost)| cost).map_or(0, |(row, _)| row);
        (left.start + row, middle)
    }

    /// Fills the whole table and walks back through it.
    fn write_out(&mut self, left: Range<usize>, right: Range<usize>) {
        probare_cancellation::count_steps(left.len() + left.len() * right.len() / 16);
        let (rows, columns) = (&self.left[left.clone()], &self.right[right.clone()]);
        let width = columns.len() + 1;
        let mut table = vec![0_usize; (rows.len() + 1) * width];
        for (column, cell) in table.iter_mut().enumerate().take(width) {
            *cell = column;
        }
        for row in 1..=rows.len() {
            table[row * width] = row;
            for column in 1..width {
                let at = row * width + column;
                let replaced = table[at - width - 1] + usize::from(rows[row - 1] != columns[column - 1]);
                table[at] = replaced.min(table[at - width] + 1).min(table[at - 1] + 1);
            }
        }
        let mut way = Vec::with_capacity(rows.len() + columns.len());
        let (mut row, mut column) = (rows.len(), columns.len());
        while row > 0 || column > 0 {
            let value = table[row * width + column];
            let is_equal = row > 0 && column > 0 && rows[row - 1] == columns[column - 1];
            let kind = if is_equal && table[(row - 1) * width + column - 1] == value {
                EditKind::Keep
            } else if row > 0 && table[(row - 1) * width + column] + 1 == value {
                EditKind::Delete
            } else if column > 0 && table[row * width + column - 1] + 1 == value {
                EditKind::Insert
            } else {
                EditKind::Replace
            };
            way.push(kind);
            row -= usize::from(kind != EditKind::Insert);
            column -= usize::from(kind != EditKind::Delete);
        }
        let (mut left_at, mut right_at) = (left.start, right.start);
        for kind in way.into_iter().rev() {
            let left_end = left_at + usize::from(kind != EditKind::Insert);
            let right_end = right_at + usize::from(kind != EditKind::Delete);
            self.push(kind, left_at..left_end, right_at..right_end);
            (left_at, right_at) = (left_end, right_end);
        }
    }

    /// Adds an edit, or makes the last one longer.
    fn push(&mut self, kind: EditKind, left: Range<usize>, right: Range<usize>) {
        if left.is_empty() && right.is_empty() {
            return;
        }
        match self.edits.last_mut() {
            Some(last) if last.kind == kind => {
                last.left.end = left.end;
                last.right.end = right.end;
            }
            _ => self.edits.push(Edit { kind, left, right }),
        }
    }
}

/// Distances of every start of `pattern` to the whole of `text`.
fn last_column<S: Symbol>(
    pattern: impl ExactSizeIterator<Item = S>,
    text: impl ExactSizeIterator<Item = S>,
) -> Vec<usize> {
    let masks = Masks::new(pattern);
    let mut column = BitColumn::first(&masks);
    let columns = text.len();
    for symbol in text {
        probare_cancellation::count_steps(masks.blocks());
        column.advance(symbol);
    }
    column.values(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::levenshtein_items;

    #[test]
    fn long_texts_are_halved() {
        let left: Vec<u32> = (0..3_000).map(|number| number * 7 % 13).collect();
        let right: Vec<u32> = (0..2_500).map(|number| number * 5 % 13).collect();
        let cost: usize = edits(&left, &right)
            .iter()
            .filter(|edit| edit.kind != EditKind::Keep)
            .map(|edit| edit.left.len().max(edit.right.len()))
            .sum();
        assert_eq!(cost, levenshtein_items(&left, &right));
    }
}
