//! Edit distance by bit vectors: 64 cells of a column at once.
//!
//! Myers, *A fast bit-vector algorithm for approximate string matching based on dynamic programming*, JACM 46.3, 1999.
//! Neighbouring cells of the table differ by at most one, so a column is two bit vectors: where it goes up and where it
//! goes down. A pattern longer than 64 takes several blocks; the step between two columns passes from block to block.

use rustc_hash::FxHashMap;

/// Rows of a block.
pub(crate) const ROWS: usize = 64;

/// What texts are made of here: something with a number.
pub(crate) trait Symbol: Copy + Eq {
    /// The number.
    fn code(self) -> u32;
}

impl Symbol for u8 {
    fn code(self) -> u32 {
        u32::from(self)
    }
}

impl Symbol for char {
    fn code(self) -> u32 {
        u32::from(self)
    }
}

impl Symbol for u32 {
    fn code(self) -> u32 {
        self
    }
}

/// For each symbol the rows of the pattern that hold it, one bit vector per block.
pub(crate) struct Masks {
    blocks: usize,
    rows: usize,
    /// Symbols below this number have their vectors in `low`, one after the other.
    low: Vec<u64>,
    high_places: FxHashMap<u32, usize>,
    high: Vec<u64>,
    none: Vec<u64>,
}

const LOW_CODES: u32 = 128;

impl Masks {
    pub(crate) fn new<S: Symbol>(pattern: impl ExactSizeIterator<Item = S>) -> Self {
        Self::with_free_rows(pattern, 0)
    }

    /// With so many free rows above the pattern, less than a block, which every symbol matches.
    pub(crate) fn with_free_rows<S: Symbol>(pattern: impl ExactSizeIterator<Item = S>, free: usize) -> Self {
        let rows = pattern.len();
        let blocks = (free + rows).div_ceil(ROWS);
        let mut none = vec![0; blocks];
        if let Some(first) = none.first_mut() {
            *first = (1 << free) - 1;
        }
        let mut masks = Self {
            blocks,
            rows,
            low: none.repeat(LOW_CODES as usize),
            high_places: FxHashMap::default(),
            high: Vec::new(),
            none,
        };
        for (row, symbol) in (free..).zip(pattern) {
            masks.mask_mut(symbol.code())[row / ROWS] |= 1 << (row % ROWS);
        }
        masks
    }

    fn mask_mut(&mut self, code: u32) -> &mut [u64] {
        if code < LOW_CODES {
            let start = code as usize * self.blocks;
            return &mut self.low[start..start + self.blocks];
        }
        let start = *self.high_places.entry(code).or_insert(self.high.len());
        if start == self.high.len() {
            self.high.extend_from_slice(&self.none);
        }
        &mut self.high[start..start + self.blocks]
    }

    /// The rows that hold `symbol`.
    #[inline]
    pub(crate) fn rows_of<S: Symbol>(&self, symbol: S) -> &[u64] {
        let code = symbol.code();
        if code < LOW_CODES {
            let start = code as usize * self.blocks;
            return &self.low[start..start + self.blocks];
        }
        match self.high_places.get(&code) {
            Some(&start) => &self.high[start..start + self.blocks],
            None => &self.none,
        }
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Length of the pattern.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Rows of this block: all, or for the last one what is left.
    #[inline]
    pub(crate) fn rows_in(&self, block: usize) -> usize {
        (self.rows - block * ROWS).min(ROWS)
    }
}

/// The step from one column to the next at the edge of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnStep {
    Down,
    Same,
    Up,
}

impl ColumnStep {
    /// `value` after this step. Cells never fall below zero.
    #[inline]
    pub(crate) fn apply(self, value: usize) -> usize {
        match self {
            Self::Down => value.saturating_sub(1),
            Self::Same => value,
            Self::Up => value + 1,
        }
    }

    /// `value` before this step.
    #[inline]
    pub(crate) fn undo(self, value: usize) -> usize {
        match self {
            Self::Down => value + 1,
            Self::Same => value,
            Self::Up => value.saturating_sub(1),
        }
    }
}

/// A block of a column: bit i says how row i + 1 differs from row i.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BitBlock {
    pub(crate) up: u64,
    pub(crate) down: u64,
}

impl BitBlock {
    /// The first column: every row is one more than the row above.
    pub(crate) const FIRST: Self = Self { up: u64::MAX, down: 0 };

    /// Goes to the next column. `equal` are the rows that hold its symbol, `above` the step of the row above the block;
    /// gives the step of row `last` of the block.
    #[inline]
    pub(crate) fn advance(&mut self, equal: u64, above: ColumnStep, last: usize) -> ColumnStep {
        let vertical = equal | self.down;
        let equal = equal | u64::from(above == ColumnStep::Down);
        let horizontal = ((equal & self.up).wrapping_add(self.up) ^ self.up) | equal;
        let rises = self.down | !(horizontal | self.up);
        let falls = self.up & horizontal;
        let step = match (rises >> last & 1, falls >> last & 1) {
            (1, _) => ColumnStep::Up,
            (_, 1) => ColumnStep::Down,
            _ => ColumnStep::Same,
        };
        let rises = rises << 1 | u64::from(above == ColumnStep::Up);
        let falls = falls << 1 | u64::from(above == ColumnStep::Down);
        self.up = falls | !(vertical | rises);
        self.down = rises & vertical;
        step
    }
}

/// The step at an edge as two bits, which a loop over many blocks passes on without a branch.
#[derive(Debug, Clone, Copy)]
struct Carry {
    up: u64,
    down: u64,
}

impl From<ColumnStep> for Carry {
    #[inline]
    fn from(step: ColumnStep) -> Self {
        Self { up: u64::from(step == ColumnStep::Up), down: u64::from(step == ColumnStep::Down) }
    }
}

impl From<Carry> for ColumnStep {
    #[inline]
    fn from(carry: Carry) -> Self {
        match (carry.up, carry.down) {
            (1, _) => Self::Up,
            (_, 1) => Self::Down,
            _ => Self::Same,
        }
    }
}

impl BitBlock {
    /// [`BitBlock::advance`] for a block all of whose rows are used.
    #[inline]
    fn advance_whole(&mut self, equal: u64, above: Carry) -> Carry {
        let vertical = equal | self.down;
        let equal = equal | above.down;
        let horizontal = ((equal & self.up).wrapping_add(self.up) ^ self.up) | equal;
        let rises = self.down | !(horizontal | self.up);
        let falls = self.up & horizontal;
        let below = Carry { up: rises >> (ROWS - 1), down: falls >> (ROWS - 1) };
        let rises = rises << 1 | above.up;
        let falls = falls << 1 | above.down;
        self.up = falls | !(vertical | rises);
        self.down = rises & vertical;
        below
    }
}

/// Reads a text against a strip of whole blocks. `steps` are those of the row above the strip, one for each symbol, and
/// become those of its last row.
///
/// Two symbols are under way at once, the second a block behind the first: neither waits for the other, so the processor
/// works on both.
pub(crate) fn pass_strip<S: Symbol>(masks: &Masks, text: &[S], steps: &mut [ColumnStep]) {
    let count = masks.blocks();
    if count == 0 {
        return;
    }
    let mut blocks = vec![BitBlock::FIRST; count];
    let blocks = &mut blocks[..count];
    for (symbols, steps) in text.chunks_exact(2).zip(steps.chunks_exact_mut(2)) {
        let (first, second) = (&masks.rows_of(symbols[0])[..count], &masks.rows_of(symbols[1])[..count]);
        let (mut ahead, mut behind) = (Carry::from(steps[0]), Carry::from(steps[1]));
        // The second symbol enters a block when the first has left it.
        let mut last = blocks[0];
        ahead = last.advance_whole(first[0], ahead);
        for at in 1..count {
            let mut block = blocks[at];
            ahead = block.advance_whole(first[at], ahead);
            behind = last.advance_whole(second[at - 1], behind);
            blocks[at - 1] = last;
            last = block;
        }
        behind = last.advance_whole(second[count - 1], behind);
        blocks[count - 1] = last;
        (steps[0], steps[1]) = (ahead.into(), behind.into());
    }
    if text.len() % 2 == 1
        && let (Some(symbol), Some(step)) = (text.last(), steps.last_mut())
    {
        let mut carry = Carry::from(*step);
        for (block, &equal) in blocks.iter_mut().zip(masks.rows_of(*symbol)) {
            carry = block.advance_whole(equal, carry);
        }
        *step = carry.into();
    }
}

/// All blocks of a column, with the value of its last row.
pub(crate) struct BitColumn<'m> {
    masks: &'m Masks,
    blocks: Vec<BitBlock>,
    last: usize,
}

impl<'m> BitColumn<'m> {
    /// The first column: nothing of the text read.
    pub(crate) fn first(masks: &'m Masks) -> Self {
        Self { masks, blocks: vec![BitBlock::FIRST; masks.blocks()], last: masks.rows() }
    }

    /// Reads one symbol of the text; gives the value of the last row. The row of the empty pattern steps up: the text is
    /// compared from its start on.
    #[inline]
    pub(crate) fn advance<S: Symbol>(&mut self, symbol: S) -> usize {
        self.advance_below(symbol, ColumnStep::Up);
        self.last
    }

    /// The same where the pattern is a strip of a longer one: `above` is the step of the row above it, and the step of its
    /// last row is what the strip below needs.
    #[inline]
    pub(crate) fn advance_below<S: Symbol>(&mut self, symbol: S, above: ColumnStep) -> ColumnStep {
        let mut step = above;
        let equal = self.masks.rows_of(symbol);
        for (index, (block, &equal)) in self.blocks.iter_mut().zip(equal).enumerate() {
            step = block.advance(equal, step, self.masks.rows_in(index) - 1);
        }
        self.last = step.apply(self.last);
        step
    }

    /// The values of all rows, from that of the empty pattern, which is `columns`, the symbols read so far.
    pub(crate) fn values(&self, columns: usize) -> Vec<usize> {
        let mut value = columns;
        let mut values = Vec::with_capacity(self.masks.rows() + 1);
        values.push(value);
        for row in 0..self.masks.rows() {
            let block = self.blocks[row / ROWS];
            value += (block.up >> (row % ROWS) & 1) as usize;
            value -= (block.down >> (row % ROWS) & 1) as usize;
            values.push(value);
        }
        values
    }
}
