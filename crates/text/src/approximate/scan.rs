//! One pass over a text for the best match of a pattern.
//!
//! The table of Sellers (1980), by the blocks of [`bit_vectors`](crate::bit_vectors). Only blocks that can still lead to
//! a match within the limit are kept up; the limit falls as better matches are found.

use crate::bit_vectors::{BitBlock, ColumnStep, Masks, ROWS, Symbol};

/// The least distance up to `limit` and the end of the first match that has it, counted from `offset` on.
pub(super) fn scan<S: Symbol>(text: &[S], offset: usize, masks: &Masks, limit: usize) -> Option<(usize, usize)> {
    // Before the first symbol only the empty stretch is there.
    let mut best = (masks.rows() <= limit).then_some((masks.rows(), offset));
    let mut limit = match best {
        Some((distance, _)) => distance.checked_sub(1)?,
        None => limit,
    };
    let last = masks.blocks() - 1;
    let mut column = ActiveColumn::new(masks, limit);
    for (read, &symbol) in text.iter().enumerate() {
        probare_cancellation::count_steps(1 + column.active);
        column.advance(masks, symbol, limit);
        if column.active == last && column.values[last] <= limit {
            let distance = column.values[last];
            best = Some((distance, offset + read + 1));
            match distance.checked_sub(1) {
                Some(smaller) => limit = smaller,
                None => break,
            }
        }
    }
    best
}

/// The blocks of a column down to the last that can matter.
struct ActiveColumn {
    blocks: Vec<BitBlock>,
    /// Value of the last row of each block.
    values: Vec<usize>,
    /// Index of the last block that is kept up.
    active: usize,
}

impl ActiveColumn {
    fn new(masks: &Masks, limit: usize) -> Self {
        let last = masks.blocks() - 1;
        Self {
            blocks: vec![BitBlock::FIRST; masks.blocks()],
            values: (0..=last).map(|block| (block * ROWS + masks.rows_in(block)).min(masks.rows())).collect(),
            // The first column holds its row number in each row, so rows beyond the limit do not matter yet.
            active: (limit / ROWS).min(last),
        }
    }

    fn advance<S: Symbol>(&mut self, masks: &Masks, symbol: S, limit: usize) {
        let equal = masks.rows_of(symbol);
        // A match may start anywhere: the row of the empty pattern stays zero.
        let mut step = ColumnStep::Same;
        for (index, block) in self.blocks[..=self.active].iter_mut().enumerate() {
            step = block.advance(equal[index], step, masks.rows_in(index) - 1);
            self.values[index] = step.apply(self.values[index]);
        }
        let next = self.active + 1;
        if next < self.blocks.len() {
            // The value in the column before: from there the diagonal enters the next block.
            let before = step.undo(self.values[self.active]);
            if before <= limit && (equal[next] & 1 == 1 || step == ColumnStep::Down) {
                self.blocks[next] = BitBlock::FIRST;
                let rows = masks.rows_in(next);
                let value = before + rows;
                self.values[next] = self.blocks[next].advance(equal[next], step, rows - 1).apply(value);
                self.active = next;
                return;
            }
        }
        // Rows differ by one at most, so such a block holds nothing within the limit.
        while self.active > 0 && self.values[self.active] >= limit + masks.rows_in(self.active) {
            self.active -= 1;
        }
    }
}
