//! One pass over a long text for the best match of a pattern, in four places at once.
//!
//! Each step of [`bit_vectors`](crate::bit_vectors) waits for the one before, so a single pass leaves most of the
//! processor idle. Here the text is cut into four parts that are read side by side, symbol by symbol: steps in
//! different parts do not wait for each other, and the compiler puts them into vector registers. The parts overlap by
//! as much as a match can be long.

use crate::bit_vectors::{Masks, ROWS, Symbol};

/// Parts that are read side by side.
const LANES: usize = 4;
/// Symbols that are read before it is asked whether a better match has come by.
const CHUNK: usize = 16;

/// One number for each part.
type Lanes = [u64; LANES];

/// Whether a text is so long that the overlap of its parts does not matter.
pub(super) fn is_long_enough(symbols: usize, pattern: usize) -> bool {
    2 * part_length(symbols, pattern) <= symbols
}

/// Symbols of each part. What is no further away than the pattern is long is at most twice as long as the pattern.
fn part_length(symbols: usize, pattern: usize) -> usize {
    (symbols.div_ceil(LANES) + 2 * pattern).next_multiple_of(CHUNK)
}

/// The least distance up to `limit` and the end of the first match that has it, in a text that [`is_long_enough`].
pub(super) fn scan<S: Symbol>(text: &[S], pattern: &[u32], limit: usize) -> Option<(usize, usize)> {
    let length = part_length(text.len(), pattern.len());
    let starts: [usize; LANES] = std::array::from_fn(|lane| (text.len() * (lane + 1) / LANES).saturating_sub(length));
    let parts = starts.map(|start| &text[start..start + length]);
    // The empty stretch is as far away as the pattern is long; only what is nearer than that counts in the parts.
    let empty = (pattern.len() <= limit).then_some((pattern.len(), 0));
    let below = pattern.len().min(limit + 1);
    let found = best_in_parts(parts, pattern, below);
    let placed =
        found.into_iter().zip(starts).filter_map(|(best, start)| best.map(|(distance, end)| (distance, start + end)));
    empty.into_iter().chain(placed).min()
}

/// For each part the least distance that is smaller than `below`, and where the first match that has it ends.
fn best_in_parts<S: Symbol>(parts: [&[S]; LANES], pattern: &[u32], below: usize) -> [Option<(usize, usize)>; LANES] {
    // Free rows above the pattern bring its last row to the highest bit of the last block.
    let free = pattern.len().next_multiple_of(ROWS) - pattern.len();
    let masks = Masks::with_free_rows(pattern.iter().copied(), free);
    let mut column = Column::first(&masks, free);
    let mut earlier = column.clone();
    let mut bests = [None; LANES];
    let mut least: Lanes = [below as u64; LANES];
    let chunks = parts[0].len() / CHUNK;
    for chunk in 0..chunks {
        probare_cancellation::count_steps(LANES * pattern.len().div_ceil(ROWS));
        let symbols = chunk * CHUNK..(chunk + 1) * CHUNK;
        earlier.clone_from(&column);
        // The highest bit of a difference says that it is negative: the distance fell below the least one.
        let mut differences: Lanes = [0; LANES];
        for at in symbols.clone() {
            column.advance(rows_at(&masks, parts, at));
            for lane in 0..LANES {
                differences[lane] |= column.distances[lane].wrapping_sub(least[lane]);
            }
        }
        if differences.iter().all(|difference| difference >> (u64::BITS - 1) == 0) {
            continue;
        }
        column.clone_from(&earlier);
        for at in symbols {
            column.advance(rows_at(&masks, parts, at));
            for lane in 0..LANES {
                if column.distances[lane] < least[lane] {
                    least[lane] = column.distances[lane];
                    let distance = usize::try_from(least[lane]).expect("smaller than the length of the pattern");
                    bests[lane] = Some((distance, at + 1));
                }
            }
        }
    }
    bests
}

/// For each part the rows that hold its symbol at a place.
#[inline]
fn rows_at<'m, S: Symbol>(masks: &'m Masks, parts: [&[S]; LANES], at: usize) -> [&'m [u64]; LANES] {
    let [first, second, third, fourth] = parts;
    [masks.rows_of(first[at]), masks.rows_of(second[at]), masks.rows_of(third[at]), masks.rows_of(fourth[at])]
}

/// A block of a column in each part: bit i says how row i + 1 differs from row i.
#[derive(Debug, Clone, Copy)]
struct Block {
    up: Lanes,
    down: Lanes,
}

/// A column in each part, with the value of its last row.
#[derive(Debug, Clone)]
struct Column {
    blocks: Vec<Block>,
    distances: Lanes,
}

impl Column {
    /// The first column: the free rows are zero, from there every row is one more than the row above.
    fn first(masks: &Masks, free: usize) -> Self {
        let mut blocks = vec![Block { up: [u64::MAX; LANES], down: [0; LANES] }; masks.blocks()];
        if let Some(first) = blocks.first_mut() {
            first.up = [u64::MAX << free; LANES];
        }
        Self { blocks, distances: [masks.rows() as u64; LANES] }
    }

    /// Reads one symbol of each part, given by the rows that hold it.
    #[inline]
    fn advance(&mut self, equal: [&[u64]; LANES]) {
        let count = self.blocks.len();
        let [first, second, third, fourth] = equal;
        // Cut to the same length, so that the loop need not look at it again.
        let (first, second, third, fourth) = (&first[..count], &second[..count], &third[..count], &fourth[..count]);
        let mut steps = ([0; LANES], [0; LANES]);
        for (index, block) in self.blocks.iter_mut().enumerate() {
            steps = block.advance([first[index], second[index], third[index], fourth[index]], steps);
        }
        let (rises, falls) = steps;
        for lane in 0..LANES {
            self.distances[lane] = self.distances[lane].wrapping_add(rises[lane]).wrapping_sub(falls[lane]);
        }
    }
}

impl Block {
    /// Goes to the next column: [`bit_vectors::Block::advance`](crate::bit_vectors::Block::advance) without branches.
    /// `above` says where the row above the block rises (1, else 0) and where it falls; gives the same for its last row.
    #[inline]
    fn advance(&mut self, equal: Lanes, above: (Lanes, Lanes)) -> (Lanes, Lanes) {
        let mut below = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let (up, down) = (self.up[lane], self.down[lane]);
            let vertical = equal[lane] | down;
            let equal = equal[lane] | above.1[lane];
            let horizontal = ((equal & up).wrapping_add(up) ^ up) | equal;
            let rises = down | !(horizontal | up);
            let falls = up & horizontal;
            below.0[lane] = rises >> (u64::BITS - 1);
            below.1[lane] = falls >> (u64::BITS - 1);
            let rises = rises << 1 | above.0[lane];
            let falls = falls << 1 | above.1[lane];
            self.up[lane] = falls | !(vertical | rises);
            self.down[lane] = rises & vertical;
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::scan::scan as single_pass;
    use super::*;

    proptest! {
        #[test]
        fn four_places_find_what_one_finds(
            text in "[abcdé ]{600,900}",
            pattern in "[abcdé ]{1,70}",
            start in 0_usize..500,
            length in 1_usize..90,
            is_piece in any::<bool>(),
            limit in 0_usize..100,
        ) {
            let text: Vec<char> = text.chars().collect();
            let mut pattern: Vec<u32> = pattern.chars().map(u32::from).collect();
            if is_piece {
                // A piece of the text with a change at its end.
                pattern.splice(.., text[start..start + length].iter().map(|symbol| u32::from(*symbol)).chain([120]));
            }
            prop_assume!(is_long_enough(text.len(), pattern.len()));
            let limit = limit.min(pattern.len());
            let masks = Masks::new(pattern.iter().copied());
            prop_assert_eq!(scan(&text, &pattern, limit), single_pass(&text, 0, &masks, limit));
        }
    }
}
