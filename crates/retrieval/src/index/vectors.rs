//! Vectors of passages, one row of numbers after the other, and the rows that are nearest to a vector.

use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;

use probare_cancellation::{count_steps, on_other_thread};

use super::mapped::MappedFile;

/// Rows that are looked at by one thread at a time.
const ROWS_OF_A_THREAD: usize = 16_384;

/// Bytes of a row that are multiplied in a step.
const BYTES_OF_A_STEP: usize = 512;

/// The vectors of an index.
pub(super) struct VectorRows {
    rows: MappedFile,
    dimensions: usize,
}

/// Numbers that are multiplied side by side. Sums are formed lane by lane in one order, whatever registers there are.
const LANES: usize = 16;

impl VectorRows {
    /// Rows of so many numbers.
    pub(super) const fn new(rows: MappedFile, dimensions: usize) -> Self {
        Self { rows, dimensions }
    }

    pub(super) const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The bytes of some rows.
    pub(super) fn rows(&self, rows: std::ops::Range<usize>) -> Option<&[u8]> {
        let width = self.dimensions * 4;
        self.rows.bytes().get(rows.start * width..rows.end * width)
    }

    /// The `k` rows among those of `spans` with the largest product with `vector`, best first; of equals the earlier row.
    pub(super) fn nearest(&self, vector: &[f32], k: usize, spans: &[std::ops::Range<usize>]) -> Vec<(usize, f32)> {
        let mut pieces = Vec::new();
        for span in spans {
            let mut start = span.start;
            while start < span.end {
                let end = span.end.min(start + ROWS_OF_A_THREAD);
                pieces.push(start..end);
                start = end;
            }
        }
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(pieces.len()).max(1);
        let share = pieces.len().div_ceil(threads).max(1);
        let best_of = |pieces: &[std::ops::Range<usize>]| {
            let mut best = TopRows::new(k);
            for piece in pieces {
                let rows = self.rows(piece.clone()).unwrap_or_default();
                for (row, bytes) in piece.clone().zip(rows.chunks_exact((self.dimensions * 4).max(1))) {
                    count_steps(1 + bytes.len() / BYTES_OF_A_STEP);
                    best.offer(row, dot_product(bytes, vector));
                }
            }
            best
        };
        let mut all = TopRows::new(k);
        let rest = std::thread::scope(|scope| {
            let mut chunks = pieces.chunks(share);
            let mine = chunks.next();
            let others: Vec<_> = chunks.map(|pieces| scope.spawn(on_other_thread(move || best_of(pieces)))).collect();
            let mut found: Vec<TopRows> = mine.map(best_of).into_iter().collect();
            found.extend(others.into_iter().map(|other| match other.join() {
                Ok(best) => best.join(),
                Err(panic) => resume_unwind(panic),
            }));
            found
        });
        for best in rest {
            best.rows.into_iter().for_each(|(row, score)| all.offer(row, score));
        }
        all.sorted()
    }
}

/// The scalar product of a row, as it stands in the file, and a vector.
pub(super) fn dot_product(row: &[u8], vector: &[f32]) -> f32 {
    let (rows, rest) = row.as_chunks::<{ LANES * 4 }>();
    let (vectors, tail) = vector.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (row, vector) in rows.iter().zip(vectors) {
        let (numbers, _) = row.as_chunks::<4>();
        for ((sum, number), other) in sums.iter_mut().zip(numbers).zip(vector) {
            *sum += f32::from_le_bytes(*number) * other;
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        width /= 2;
    }
    let (numbers, _) = rest.as_chunks::<4>();
    numbers.iter().zip(tail).fold(sums[0], |sum, (number, other)| sum + f32::from_le_bytes(*number) * other)
}

/// The best rows so far: a heap whose first element is the one to go next.
struct TopRows {
    k: usize,
    rows: Vec<(usize, f32)>,
    worst: f32,
}

/// Best first: the larger product, of equals the earlier row.
fn rank(one: &(usize, f32), other: &(usize, f32)) -> Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

impl TopRows {
    const fn new(k: usize) -> Self {
        Self { k, rows: Vec::new(), worst: f32::NEG_INFINITY }
    }

    fn offer(&mut self, row: usize, score: f32) {
        // Most rows are not among the best.
        if self.k == 0 || score < self.worst || score.is_nan() {
            return;
        }
        self.rows.push((row, score));
        // Cut now and then rather than keep a heap in order: each cut pays for many offers.
        if self.rows.len() >= self.k * 2 + 64 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.rows.len() > self.k {
            self.rows.select_nth_unstable_by(self.k - 1, rank);
            self.rows.truncate(self.k);
            self.worst = self.rows[self.k - 1].1;
        }
    }

    fn sorted(mut self) -> Vec<(usize, f32)> {
        if self.k > 0 {
            self.cut();
        }
        self.rows.sort_unstable_by(rank);
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use probare_cancellation::{Cancellation, CancelledError, with_step_count};

    use super::*;

    #[test]
    fn every_row_is_a_step_and_whatever_thread_looks_at_it_ends_with_the_search() {
        let count = ROWS_OF_A_THREAD * 3 + 5;
        let rows: Vec<u8> = (0..count)
            .flat_map(|row| [if row % 1000 == 7 { 1.0_f32 } else { 0.5 }, 0.0])
            .flat_map(f32::to_le_bytes)
            .collect();
        let vectors = VectorRows::new(MappedFile::from_bytes(rows), 2);
        let all = 0..count;
        let search = || vectors.nearest(&[1.0, 0.0], 2, std::slice::from_ref(&all));
        let (found, steps) = with_step_count(search);
        assert_eq!(found, [(7, 1.0), (1007, 1.0)]);
        assert_eq!(usize::try_from(steps), Ok(count));
        let nobody = Cancellation::default();
        nobody.cancel();
        assert_eq!(nobody.run(search), Err(CancelledError));
    }

    #[test]
    fn a_product_is_that_of_its_numbers() {
        for length in [1_u8, 3, 16, 17, 40] {
            let one: Vec<f32> = (0..length).map(f32::from).collect();
            let other: Vec<f32> = (0..length).map(|at| f32::from(at % 5) - 2.0).collect();
            let bytes: Vec<u8> = one.iter().flat_map(|number| number.to_le_bytes()).collect();
            let expected: f32 = one.iter().zip(&other).map(|(one, other)| one * other).sum();
            assert_eq!(dot_product(&bytes, &other), expected);
        }
    }

    #[test]
    fn the_best_are_kept_and_of_equals_the_earlier_ones() {
        let mut best = TopRows::new(3);
        for row in 0..1000 {
            best.offer(row, if row % 100 == 7 { 1.0 } else { 0.5 });
        }
        assert_eq!(best.sorted(), [(7, 1.0), (107, 1.0), (207, 1.0)]);
        let mut few = TopRows::new(10);
        few.offer(2, 0.1);
        few.offer(1, 0.1);
        few.offer(3, f32::NAN);
        assert_eq!(few.sorted(), [(1, 0.1), (2, 0.1)]);
        let mut none = TopRows::new(0);
        none.offer(1, 1.0);
        assert!(none.sorted().is_empty());
    }
}
