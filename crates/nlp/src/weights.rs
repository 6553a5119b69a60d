//! A linear model over hashed features: for every feature a short list of (class, integer weight).
//!
//! Integers make the sum independent of its order and of the machine, hence the same tree everywhere.

use crate::ModelError;
use crate::bytes::Reader;
#[cfg(any(test, feature = "train"))]
use crate::bytes::Writer;
use crate::index::{self, BATCH, Index};

/// Most classes a model may have.
pub(crate) const MOST_CLASSES: usize = 127;

/// One score for each class; the fixed size spares a check at every addition.
pub(crate) type Scores = [i32; MOST_CLASSES + 1];

/// Something that gives every class a score for a set of features. The finished model and the one being learnt both
/// do, so that training and use run the same search.
pub(crate) trait Scorer {
    /// Adds the weights of the features to the scores of the classes.
    fn add(&self, features: &[u32], scores: &mut Scores);
}

/// One weight, in two bytes so that the model stays near the processor. A weight beyond a byte is written as several
/// cells of the same class.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// The class; the top bit marks the last cell of its row, so that rows need no length.
    class: u8,
    weight: i8,
}

const LAST: u8 = 0x80;

/// A row that adds nothing.
const END: Cell = Cell { class: LAST, weight: 0 };

/// A row with a weight for every class, four of them in one number. The few features that occur everywhere have nearly
/// all classes, and adding four weights at a time is several times as fast as adding cell by cell.
///
/// A weight takes 16 bits and is stored with [`BIAS`] added, so that it is never negative and rows can be added as plain
/// numbers: [`BATCH`] rows fit before a sum could touch the one above it.
type DenseRow = [u64; (MOST_CLASSES + 1) / LANES];

/// Weights in one number of a dense row.
const LANES: usize = 4;

/// What is added to the weights of dense rows; a row with a weight as large as this, or larger, is kept as a list.
const BIAS: i32 = 1024;

/// Weights of zero.
const DENSE_ZERO: DenseRow = [0x0001_0001_0001_0001 * BIAS as u64; (MOST_CLASSES + 1) / LANES];

/// The row of some cells, unless one of its weights is too large.
fn dense(cells: impl Iterator<Item = Cell>) -> Option<DenseRow> {
    let mut weights = [0_i32; MOST_CLASSES + 1];
    for cell in cells {
        weights[usize::from(cell.class & !LAST)] += i32::from(cell.weight);
    }
    let mut row: DenseRow = [0; (MOST_CLASSES + 1) / LANES];
    for (class, weight) in weights.into_iter().enumerate() {
        let biased = u64::try_from(weight + BIAS).ok().filter(|_| weight.abs() < BIAS)?;
        row[class / LANES] |= biased << (16 * (class % LANES));
    }
    Some(row)
}

/// Adds the sums of so many dense rows to the scores.
fn add_dense(sums: &DenseRow, rows: usize, scores: &mut Scores) {
    let bias = i32::try_from(rows).unwrap_or(0) * BIAS;
    for (scores, sums) in scores.chunks_exact_mut(LANES).zip(sums) {
        for (lane, score) in scores.iter_mut().enumerate() {
            let sum = (sums >> (16 * lane)) & 0xFFFF;
            *score += i32::try_from(sum).expect("16 bits fit into 32") - bias;
        }
    }
}

/// Rows with more cells than this become dense when a model is read.
const MOST_CELLS: usize = 20;

/// The value of a key says in its two top bits what the others are: the place of a row's first cell, ...
const LISTED: u32 = 0;
/// ... the number of a dense row, ...
const DENSE: u32 = 1 << 30;
/// ... or the row itself. Half of all rows have one or two cells, and those cost no second look at far memory.
const INLINE: u32 = 2 << 30;
/// The bits that say it. With both set a value would be that of an empty slot.
const KIND: u32 = 3 << 30;

/// An inline cell takes 15 bits: eight for the weight, seven for the class above them.
fn inline_cell(cell: Cell) -> u32 {
    u32::from(cell.weight.cast_unsigned()) | u32::from(cell.class & !LAST) << 8
}

/// The class and the weight of an inline cell; whatever is above its 15 bits is ignored.
#[inline]
fn read_inline(bits: u32) -> (usize, i32) {
    let [weight, class, ..] = bits.to_le_bytes();
    (usize::from(class & !LAST), i32::from(weight.cast_signed()))
}

/// The finished model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Weights {
    /// For every feature its row, or where to find it.
    rows: Index,
    cells: Vec<Cell>,
    dense: Vec<DenseRow>,
}

impl Scorer for Weights {
    fn add(&self, features: &[u32], scores: &mut Scores) {
        let (mut rows, mut lists) = ([0_u32; BATCH], [0_u32; BATCH]);
        let (mut dense, mut firsts) = ([0_u32; BATCH], [END; BATCH]);
        for batch in features.chunks(BATCH) {
            let found = self.rows.find_all(batch, &mut rows);
            let (mut list_count, mut dense_count) = (0, 0);
            // Kinds alternate at random, so nothing here branches on them: a row of another kind adds a zero, and a
            // place written in vain is written again.
            for &row in &rows[..found] {
                let cells = if row & KIND == INLINE { row } else { 0 };
                for bits in [cells, cells >> 15] {
                    let (class, weight) = read_inline(bits);
                    scores[class] += weight;
                }
                lists[list_count] = row;
                list_count += usize::from(row & KIND == LISTED);
                dense[dense_count] = row & !KIND;
                dense_count += usize::from(row & KIND == DENSE);
            }
            // As with the keys, all rows are touched before any is read.
            for (first, &start) in firsts.iter_mut().zip(&lists[..list_count]) {
                *first = self.cells.get(start as usize).copied().unwrap_or(END);
            }
            if dense_count > 0 {
                let mut sums: DenseRow = [0; (MOST_CLASSES + 1) / LANES];
                for &number in &dense[..dense_count] {
                    let row = self.dense.get(number as usize).unwrap_or(&DENSE_ZERO);
                    for (sum, weights) in sums.iter_mut().zip(row) {
                        *sum += weights;
                    }
                }
                add_dense(&sums, dense_count, scores);
            }
            for (&first, &start) in firsts.iter().zip(&lists[..list_count]) {
                scores[usize::from(first.class & !LAST)] += i32::from(first.weight);
                if first.class & LAST != 0 {
                    continue;
                }
                for cell in self.cells.get(start as usize + 1..).unwrap_or_default() {
                    scores[usize::from(cell.class & !LAST)] += i32::from(cell.weight);
                    if cell.class & LAST != 0 {
                        break;
                    }
                }
            }
        }
    }
}

impl Weights {
    /// Reads a model with so many classes: the keys, then the classes of all cells, then their weights.
    pub(crate) fn read(reader: &mut Reader<'_>, classes: usize) -> Result<Self, ModelError> {
        if classes > MOST_CLASSES {
            return Err(ModelError::NumberTooLarge);
        }
        let keys = index::read_keys(reader)?;
        let count = reader.count()?;
        let (cell_classes, cell_weights) = (reader.raw(count)?, reader.raw(count)?);
        if let Some(class) = cell_classes.iter().map(|class| class & !LAST).find(|class| usize::from(*class) >= classes)
        {
            return Err(ModelError::UnknownClass { class: u32::from(class) });
        }
        let mut weights = Self { cells: Vec::with_capacity(count), ..Self::default() };
        let mut places = Vec::with_capacity(keys.len());
        let mut rest = cell_weights;
        for row in cell_classes.split_inclusive(|class| class & LAST != 0) {
            let (row_weights, after) = rest.split_at(row.len());
            rest = after;
            places.push(weights.push_row(row, row_weights)?);
        }
        let is_closed = cell_classes.last().is_none_or(|class| class & LAST != 0);
        if places.len() != keys.len() || !is_closed {
            return Err(ModelError::RowsAndKeysDiffer);
        }
        weights.rows = Index::from_sorted(keys.len(), keys.into_iter().zip(places));
        Ok(weights)
    }

    /// Stores a row where its length says and returns the value of its key.
    fn push_row(&mut self, classes: &[u8], weights: &[u8]) -> Result<u32, ModelError> {
        let mut cells =
            classes.iter().zip(weights).map(|(&class, &weight)| Cell { class, weight: weight.cast_signed() });
        if classes.len() <= 2 {
            let (first, second) = (cells.next().unwrap_or(END), cells.next().unwrap_or(END));
            return Ok(INLINE | inline_cell(second) << 15 | inline_cell(first));
        }
        let row = if classes.len() > MOST_CELLS { dense(cells.clone()) } else { None };
        let (place, kind) = if let Some(row) = row {
            self.dense.push(row);
            (self.dense.len() - 1, DENSE)
        } else {
            let place = self.cells.len();
            self.cells.extend(cells);
            (place, LISTED)
        };
        let place = u32::try_from(place).ok().filter(|place| *place < DENSE).ok_or(ModelError::NumberTooLarge)?;
        Ok(place | kind)
    }

    /// A model out of rows, for a learner that needs one right away.
    #[cfg(any(test, feature = "train"))]
    pub(crate) fn from_rows(rows: &[Row], classes: usize) -> Result<Self, ModelError> {
        let mut writer = Writer::default();
        write(&mut writer, rows);
        Self::read(&mut Reader::new(&writer.finish()), classes)
    }
}

/// A row as the trainer hands it over: the feature's key and its weights, never empty.
#[cfg(any(test, feature = "train"))]
pub(crate) type Row = (u32, Vec<(u8, i16)>);

/// Writes rows in ascending order of their keys.
#[cfg(any(test, feature = "train"))]
pub(crate) fn write(writer: &mut Writer, rows: &[Row]) {
    let (mut classes, mut weights) = (Vec::new(), Vec::new());
    for (_, row) in rows {
        for &(class, weight) in row {
            let mut rest = weight;
            while rest != 0 {
                let part = rest.clamp(-127, 127);
                classes.push(class);
                weights.push(i8::try_from(part).expect("clamped to a byte").cast_unsigned());
                rest -= part;
            }
        }
        if let Some(last) = classes.last_mut() {
            *last |= LAST;
        }
    }
    index::write_keys(writer, rows.iter().map(|row| row.0));
    writer.count(classes.len());
    writer.raw(&classes);
    writer.raw(&weights);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_sums_of_the_rows() {
        let dense = (0..30).map(|class| (class, 300)).collect();
        let rows = [(3, vec![(0, 5), (2, -7)]), (900, vec![(2, 1000)]), (950, vec![(7, -1)]), (1000, dense)];
        let weights = Weights::from_rows(&rows, 30).unwrap();
        let mut scores = [0; MOST_CLASSES + 1];
        scores[1] = 9;
        weights.add(&[3, 900, 17, 950], &mut scores);
        assert_eq!(scores[..8], [5, 9, 993, 0, 0, 0, 0, -1]);
        weights.add(&[1000], &mut scores);
        assert_eq!(scores[..3], [305, 309, 1293]);
        assert_eq!(scores[29..31], [300, 0]);
    }

    #[test]
    fn a_class_outside_the_model_is_refused() {
        let rows = [(1, vec![(4, 1)])];
        assert!(matches!(Weights::from_rows(&rows, 4), Err(ModelError::UnknownClass { class: 4 })));
    }

    #[test]
    fn a_row_too_few_is_refused() {
        let mut writer = Writer::default();
        write(&mut writer, &[(1, vec![(0, 1)]), (2, vec![])]);
        let bytes = writer.finish();
        assert!(matches!(Weights::read(&mut Reader::new(&bytes), 4), Err(ModelError::RowsAndKeysDiffer)));
    }
}
