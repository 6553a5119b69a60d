//! [`PackedMatrix`]: a matrix laid out once for multiplication, and the product of rows with it.
//!
//! Each number of a product is one chain of fused multiplications and additions along the shared dimension, first to last.
//! How many rows there are, in which block a row stands and how wide the registers are changes only what is computed at the
//! same time, never a bit of the outcome.

#![expect(clippy::inline_always, reason = "code has the registers of the function that it is inlined into")]

use pulp::{Arch, Simd, WithSimd};

use crate::arithmetic::gelu;

/// Columns of a panel: two of the widest registers, and whole numbers of all others.
pub(super) const PANEL: usize = 32;

/// Rows that are multiplied at once where there are 32 registers.
const MANY: usize = 12;
/// Where there are half as many.
const HALF: usize = 6;
/// In what is left over.
const FEW: usize = 4;

/// Numbers of rows that are laid out at once: half a megabyte, so that they stay near while panel after panel comes by.
const IN_CACHE: usize = 128 << 10;

/// Steps along the shared dimension that are made with all rows before the next are: so much of a panel, 16 kB, stays in the
/// nearest cache. In between sums rest in the product, which changes no bit of them.
const STEPS: usize = 128;

/// A matrix of `depth` rows in panels of [`PANEL`] columns, the last one filled up with zeros.
#[derive(Debug, Clone, Default)]
pub(super) struct PackedMatrix {
    depth: usize,
    panels: Vec<f32>,
}

impl PackedMatrix {
    /// Lays out a matrix of `depth` rows and `columns` columns, whose numbers `at(row, column)` gives.
    pub(super) fn new(depth: usize, columns: usize, at: impl Fn(usize, usize) -> f32) -> Self {
        let mut packed = Self::default();
        packed.fill(depth, columns, at);
        packed
    }

    /// The same in the place of another matrix.
    pub(super) fn fill(&mut self, depth: usize, columns: usize, at: impl Fn(usize, usize) -> f32) {
        self.depth = depth;
        self.panels.clear();
        self.panels.resize(columns.div_ceil(PANEL) * PANEL * depth, 0.0);
        for (number, panel) in self.panels.chunks_exact_mut(PANEL * depth.max(1)).enumerate() {
            let first = number * PANEL;
            let filled = PANEL.min(columns - first);
            for (row, places) in panel.as_chunks_mut::<PANEL>().0.iter_mut().enumerate() {
                for (column, place) in places[..filled].iter_mut().enumerate() {
                    *place = at(row, first + column);
                }
            }
        }
    }

    /// Columns, those that fill up the last panel included.
    pub(super) fn width(&self) -> usize {
        self.panels.len() / self.depth.max(1)
    }
}

/// Rows in blocks, each laid out column by column; made again for every product.
#[derive(Debug, Clone, Default)]
pub(super) struct RowBlocks {
    numbers: Vec<f32>,
}

/// What becomes of a product before it is stored.
#[derive(Clone, Copy)]
pub(super) enum Epilogue<'a> {
    /// Nothing.
    Plain,
    /// A bias is added.
    Bias(&'a [f32]),
    /// A bias is added, then GELU.
    Gelu(&'a [f32]),
    /// A bias and another matrix of the same form are added.
    Residual(&'a [f32], &'a [f32]),
}

/// Multiplies `rows`, each at a distance of `stride` from the next and `matrix`'s depth long, with the matrix. Rows of
/// `product` are as wide as the matrix.
pub(super) fn multiply(
    arch: Arch,
    (rows, stride): (&[f32], usize),
    matrix: &PackedMatrix,
    finish: Epilogue<'_>,
    blocks: &mut RowBlocks,
    product: &mut [f32],
) {
    let (width, depth) = (matrix.width(), matrix.depth);
    if width == 0 || depth == 0 {
        return;
    }
    let at_once = (IN_CACHE / depth / MANY * MANY).max(MANY);
    for (number, product) in product.chunks_mut(at_once * width).enumerate() {
        let first = number * at_once;
        let rows = rows.get(first * stride..).unwrap_or_default();
        let rows = rows.get(..at_once * stride).unwrap_or(rows);
        let finish = match finish {
            Epilogue::Residual(bias, other) => Epilogue::Residual(bias, &other[first * width..]),
            other => other,
        };
        arch.dispatch(Multiply { rows, stride, matrix, finish, blocks: &mut *blocks, product });
    }
}

struct Multiply<'a> {
    rows: &'a [f32],
    stride: usize,
    matrix: &'a PackedMatrix,
    finish: Epilogue<'a>,
    blocks: &'a mut RowBlocks,
    product: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, stride, matrix, finish, blocks, product } = self;
        let (depth, width) = (matrix.depth, matrix.width());
        let count = product.len() / width;
        let large = if S::REGISTER_COUNT >= 32 { MANY } else { HALF };
        let in_large = count / large * large;
        blocks.numbers.clear();
        blocks.numbers.resize(depth * (in_large + (count - in_large).div_ceil(FEW) * FEW), 0.0);
        let (whole, rest) = blocks.numbers.split_at_mut(depth * in_large);
        let (whole_rows, rest_rows) = rows.split_at((in_large * stride).min(rows.len()));
        match large {
            MANY => lay_out::<MANY>(whole_rows, stride, whole),
            _ => lay_out::<HALF>(whole_rows, stride, whole),
        }
        lay_out::<FEW>(rest_rows, stride, rest);
        for (number, panel) in matrix.panels.chunks_exact(PANEL * depth).enumerate() {
            for from in (0..depth).step_by(STEPS) {
                let steps = from..depth.min(from + STEPS);
                let place = PanelTask { first: number * PANEL, width, depth, steps, finish };
                let (in_whole, in_rest) = product.split_at_mut(in_large * width);
                match large {
                    MANY => panel_by_blocks::<S, MANY>(simd, whole, panel, &place, 0, in_whole),
                    _ => panel_by_blocks::<S, HALF>(simd, whole, panel, &place, 0, in_whole),
                }
                panel_by_blocks::<S, FEW>(simd, rest, panel, &place, in_large, in_rest);
            }
        }
    }
}

/// Where in the product a panel's columns stand, which steps of how many are made, and how the last of them is finished.
struct PanelTask<'a> {
    first: usize,
    width: usize,
    depth: usize,
    steps: std::ops::Range<usize>,
    finish: Epilogue<'a>,
}

/// Writes rows into blocks, column by column. Rows that are missing in the last block stay zero.
#[inline(always)]
fn lay_out<const ROWS: usize>(rows: &[f32], stride: usize, blocks: &mut [f32]) {
    let columns = blocks.as_chunks_mut::<ROWS>().0;
    let count = rows.len().div_ceil(stride);
    if count == 0 {
        return;
    }
    let depth = columns.len() / count.div_ceil(ROWS);
    for (block, rows) in columns.chunks_exact_mut(depth).zip(rows.chunks(ROWS * stride)) {
        for (at, row) in rows.chunks(stride).enumerate() {
            for (column, number) in block.iter_mut().zip(row) {
                column[at] = *number;
            }
        }
    }
}

/// One panel with all blocks of rows.
#[inline(always)]
fn panel_by_blocks<S: Simd, const ROWS: usize>(
    simd: S,
    blocks: &[f32],
    panel: &[f32],
    place: &PanelTask<'_>,
    first_row: usize,
    product: &mut [f32],
) {
    let panel = &panel[place.steps.start * PANEL..place.steps.end * PANEL];
    let blocks = blocks.as_chunks::<ROWS>().0.chunks_exact(place.depth);
    for (number, (block, rows)) in blocks.zip(product.chunks_mut(ROWS * place.width)).enumerate() {
        let row = first_row + number * ROWS;
        let block = &block[place.steps.clone()];
        // A panel is as many pairs of registers as it takes.
        match PANEL / (2 * S::F32_LANES) {
            1 => multiply_register_pair::<S, ROWS, 1>(simd, block, panel, 0, place, row, rows),
            2 => (0..2).for_each(|at| multiply_register_pair::<S, ROWS, 2>(simd, block, panel, at, place, row, rows)),
            4 => (0..4).for_each(|at| multiply_register_pair::<S, ROWS, 4>(simd, block, panel, at, place, row, rows)),
            _ => (0..16).for_each(|at| multiply_register_pair::<S, ROWS, 16>(simd, block, panel, at, place, row, rows)),
        }
    }
}

/// One block of rows with two registers' columns of a panel.
#[inline(always)]
fn multiply_register_pair<S: Simd, const ROWS: usize, const PAIRS: usize>(
    simd: S,
    block: &[[f32; ROWS]],
    panel: &[f32],
    at: usize,
    place: &PanelTask<'_>,
    first_row: usize,
    product: &mut [f32],
) {
    let columns = S::as_simd_f32s(panel).0.as_chunks::<2>().0.as_chunks::<PAIRS>().0;
    let pair = 2 * S::F32_LANES;
    let start = place.first + at * pair;
    let mut sums = [[simd.splat_f32s(0.0); 2]; ROWS];
    if place.steps.start > 0 {
        for (sum, stored) in sums.iter_mut().zip(product.chunks_exact(place.width)) {
            sum.copy_from_slice(S::as_simd_f32s(&stored[start..start + pair]).0);
        }
    }
    for (left, right) in block.iter().zip(columns) {
        let [first, second] = right[at];
        for (sum, number) in sums.iter_mut().zip(left) {
            let number = simd.splat_f32s(*number);
            sum[0] = simd.mul_add_f32s(number, first, sum[0]);
            sum[1] = simd.mul_add_f32s(number, second, sum[1]);
        }
    }
    let finish = if place.steps.end == place.depth { place.finish } else { Epilogue::Plain };
    for (row, (sum, stored)) in sums.iter().zip(product.chunks_exact_mut(place.width)).enumerate() {
        let stored = S::as_mut_simd_f32s(&mut stored[start..start + pair]).0;
        let taken = |numbers: &[f32], from: usize, half: usize| S::as_simd_f32s(&numbers[from..from + pair]).0[half];
        for half in 0..2 {
            stored[half] = match finish {
                Epilogue::Plain => sum[half],
                Epilogue::Bias(bias) => simd.add_f32s(sum[half], taken(bias, start, half)),
                Epilogue::Gelu(bias) => gelu(simd, simd.add_f32s(sum[half], taken(bias, start, half))),
                Epilogue::Residual(bias, other) => {
                    let before = taken(other, (first_row + row) * place.width + start, half);
                    simd.add_f32s(simd.add_f32s(sum[half], taken(bias, start, half)), before)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test_numbers(count: usize, seed: usize) -> Vec<f32> {
        let number = |at: usize| ((at.wrapping_mul(2_654_435_761).wrapping_add(seed * 977)) % 2003) as f32;
        (0..count).map(|at| number(at) / 1000.0 - 1.0).collect()
    }

    fn product(arch: Arch, rows: &[f32], matrix: &PackedMatrix, finish: Epilogue<'_>) -> Vec<f32> {
        let mut out = vec![0.0; rows.len() / matrix.depth * matrix.width()];
        multiply(arch, (rows, matrix.depth), matrix, finish, &mut RowBlocks::default(), &mut out);
        out
    }

    #[test]
    fn a_product_is_the_sum_of_products() {
        for (count, depth, columns) in [(1, 1, 1), (5, 7, 33), (13, 64, 96), (40, 10, 32), (3, 256, 5), (100, 1536, 64)]
        {
            let (rows, numbers) = (test_numbers(count * depth, 1), test_numbers(depth * columns, 2));
            let matrix = PackedMatrix::new(depth, columns, |row, column| numbers[row * columns + column]);
            let (bias, other) = (test_numbers(matrix.width(), 3), test_numbers(count * matrix.width(), 4));
            let got = product(Arch::new(), &rows, &matrix, Epilogue::Residual(&bias, &other));
            for row in 0..count {
                for column in 0..columns {
                    let sum: f64 = (0..depth)
                        .map(|at| f64::from(rows[row * depth + at]) * f64::from(numbers[at * columns + column]))
                        .sum();
                    let at = row * matrix.width() + column;
                    let expected = sum + f64::from(bias[column]) + f64::from(other[at]);
                    assert!(
                        (f64::from(got[at]) - expected).abs() < 1e-5 * (depth as f64).sqrt(),
                        "{count} {depth} {columns}: {row} {column}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_in_every_company_and_every_width_of_register() {
        let (depth, columns) = (48, 64);
        let (rows, numbers) = (test_numbers(50 * depth, 5), test_numbers(depth * columns, 6));
        let matrix = PackedMatrix::new(depth, columns, |row, column| numbers[row * columns + column]);
        let bias = test_numbers(columns, 7);
        let bits = |arch, rows: &[f32]| -> Vec<u32> {
            product(arch, rows, &matrix, Epilogue::Gelu(&bias)).into_iter().map(f32::to_bits).collect()
        };
        let together = bits(Arch::new(), &rows);
        assert_eq!(together, bits(Arch::Scalar, &rows));
        for count in [1, 2, 3, 4, 5, 11, 12, 13, 25] {
            let alone = bits(Arch::new(), &rows[..count * depth]);
            assert_eq!(alone, together[..count * columns], "{count} rows");
        }
        assert_eq!(bits(Arch::new(), &rows[17 * depth..18 * depth]), together[17 * columns..18 * columns]);
    }
}
