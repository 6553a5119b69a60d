//! A linear model over hashed features: for every feature a short list of (class, integer weight).
//!
//! Integers make the sum independent of its order and of the machine, hence the same tree everywhere.

use crate::ModelFileError;
use crate::bytes::ByteReader;
use crate::bytes::ByteWriter;
use crate::index::{self, BATCH, KeyIndex};

/// Most classes a model may have.
pub const MOST_CLASSES: usize = 127;

/// One score for each class; the fixed size spares a check at every addition.
pub type ClassScores = [i32; MOST_CLASSES + 1];

/// Something that gives every class a score for a set of features. The finished model and the one being learnt both
/// do, so that training and use run the same search.
pub trait FeatureScorer {
    /// Adds the weights of the features to the scores of the classes.
    fn add(&self, features: &[u32], scores: &mut ClassScores);
}

/// One weight, in two bytes so that the model stays near the processor. A weight beyond a byte is written as several
/// cells of the same class.
#[derive(Debug, Clone, Copy)]
struct Cell {
    class: u8,
    weight: i8,
}

/// Marks the last class of a row on disk, so that rows need no length there.
const LAST: u8 = 0x80;

/// The largest weight of a model; its opposite is the smallest.
pub const LARGEST: i16 = 2300;

/// So many weights can be added in 16 bits.
const MAX_SUMMED_ROWS: usize = (i16::MAX / LARGEST) as usize;

/// A row with a weight for every class, in halves. The few features that occur everywhere have nearly all classes, and
/// adding whole rows takes eight or more classes at a time, which is many times as fast as adding cell by cell. The sums
/// of a half stay in the registers of a processor, those of a whole row do not.
type DenseRow = [[i16; HALF]; 2];

const HALF: usize = MOST_CLASSES.div_ceil(2);

/// Rows with more cells than this become dense when a model is read.
const MOST_CELLS: usize = 12;

/// The value of a key says in its two top bits what the others are: the place of a row's first cell and, above it, how
/// many cells there are, ...
const LISTED: u32 = 0;
/// ... the number of a dense row, ...
const DENSE: u32 = 1 << 30;
/// ... or the row itself. Most rows have one or two cells, and those cost no second look at far memory.
const INLINE: u32 = 2 << 30;
/// The bits that say it. Both are set in what the index gives for a key that is not there.
const KIND: u32 = 3 << 30;

/// Bits of the place of a first cell.
const PLACE_BITS: u32 = 24;

/// An inline cell takes 15 bits: eight for the weight, seven for the class above them.
fn inline_cell(cell: Cell) -> u32 {
    u32::from(cell.weight.cast_unsigned()) | u32::from(cell.class) << 8
}

/// The class and the weight of an inline cell; whatever is above its 15 bits is ignored.
#[inline]
fn read_inline(bits: u32) -> (usize, i32) {
    let [weight, class, ..] = bits.to_le_bytes();
    (usize::from(class) & MOST_CLASSES, i32::from(weight.cast_signed()))
}

/// The finished model.
#[derive(Debug, Clone, Default)]
pub struct LinearWeights {
    /// For every feature its row, or where to find it.
    rows: KeyIndex,
    cells: Vec<Cell>,
    dense: Vec<DenseRow>,
}

/// The values of up to [`BATCH`] keys by their kind; those of absent keys are a kind of their own.
#[derive(Debug, Default)]
struct Kinds {
    lists: [[u32; BATCH]; 4],
    /// How many there are of each kind, in a byte each.
    counts: u32,
}

impl Kinds {
    /// Kinds alternate at random, so nothing here branches on them.
    #[inline]
    fn push(&mut self, value: u32) {
        let kind = value >> 30;
        self.lists[kind as usize][self.count(kind) % BATCH] = value & !KIND;
        self.counts += 1 << (8 * kind);
    }

    #[inline]
    fn count(&self, kind: u32) -> usize {
        (self.counts >> (8 * kind)) as usize & 0xFF
    }

    /// The values of a kind, without the bits that tell it.
    #[inline]
    fn values(&self, kind: u32) -> &[u32] {
        let kind = kind >> 30;
        &self.lists[kind as usize][..self.count(kind).min(BATCH)]
    }
}

impl FeatureScorer for LinearWeights {
    fn add(&self, features: &[u32], scores: &mut ClassScores) {
        let mut rows = Kinds::default();
        for batch in features.chunks(BATCH) {
            rows.counts = 0;
            self.rows.for_each_value(batch, |row| rows.push(row));
            for &row in rows.values(INLINE) {
                for bits in [row, row >> 15] {
                    let (class, weight) = read_inline(bits);
                    scores[class] += weight;
                }
            }
            for &row in rows.values(LISTED) {
                let (start, count) = ((row & ((1 << PLACE_BITS) - 1)) as usize, (row >> PLACE_BITS) as usize);
                for cell in self.cells.get(start..start + count).unwrap_or_default() {
                    scores[usize::from(cell.class) & MOST_CLASSES] += i32::from(cell.weight);
                }
            }
            for rows in rows.values(DENSE).chunks(MAX_SUMMED_ROWS) {
                self.add_dense(rows, scores);
            }
        }
    }
}

impl LinearWeights {
    /// Adds up to [`MAX_SUMMED_ROWS`] dense rows.
    #[inline]
    fn add_dense(&self, rows: &[u32], scores: &mut ClassScores) {
        for (half, scores) in scores.chunks_exact_mut(HALF).enumerate() {
            let mut sums = [0_i16; HALF];
            for row in rows.iter().filter_map(|row| self.dense.get(*row as usize)) {
                for (sum, weight) in sums.iter_mut().zip(&row[half]) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
            for (score, sum) in scores.iter_mut().zip(sums) {
                *score += i32::from(sum);
            }
        }
    }
}

impl LinearWeights {
    /// Reads a model with so many classes: the keys, then the classes of all cells, then their weights.
    pub fn read(reader: &mut ByteReader<'_>, classes: usize) -> Result<Self, ModelFileError> {
        if classes > MOST_CLASSES {
            return Err(ModelFileError::NumberTooLarge);
        }
        let keys = index::read_keys(reader)?;
        let count = reader.count()?;
        let (cell_classes, cell_weights) = (reader.raw(count)?, reader.raw(count)?);
        if let Some(class) = cell_classes.iter().map(|class| class & !LAST).find(|class| usize::from(*class) >= classes)
        {
            return Err(ModelFileError::UnknownClass { class: u32::from(class) });
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
            return Err(ModelFileError::RowsAndKeysDiffer);
        }
        weights.rows = KeyIndex::from_sorted(keys.len(), keys.into_iter().zip(places));
        Ok(weights)
    }

    /// Stores a row where its length says and returns the value of its key.
    fn push_row(&mut self, classes: &[u8], weights: &[u8]) -> Result<u32, ModelFileError> {
        const NOTHING: Cell = Cell { class: 0, weight: 0 };
        let mut cells = classes
            .iter()
            .zip(weights)
            .map(|(&class, &weight)| Cell { class: class & !LAST, weight: weight.cast_signed() });
        let (kind, place) = match u32::try_from(classes.len()).unwrap_or(u32::MAX) {
            ..=2 => {
                let (first, second) = (cells.next().unwrap_or(NOTHING), cells.next().unwrap_or(NOTHING));
                return Ok(INLINE | inline_cell(second) << 15 | inline_cell(first));
            }
            count if classes.len() <= MOST_CELLS => {
                self.cells.extend(cells);
                (LISTED | count << PLACE_BITS, self.cells.len() - classes.len())
            }
            _ => {
                self.dense.push(dense(cells)?);
                (DENSE, self.dense.len() - 1)
            }
        };
        let place = u32::try_from(place).ok().filter(|place| *place < 1 << PLACE_BITS);
        Ok(kind | place.ok_or(ModelFileError::NumberTooLarge)?)
    }

    /// A model out of rows, for a learner that needs one right away.
    pub fn from_rows(rows: &[WeightRow], classes: usize) -> Result<Self, ModelFileError> {
        let mut writer = ByteWriter::default();
        write(&mut writer, rows);
        Self::read(&mut ByteReader::new(&writer.finish()), classes)
    }
}

/// The row of some cells.
fn dense(cells: impl Iterator<Item = Cell>) -> Result<DenseRow, ModelFileError> {
    let mut row = [[0_i16; HALF]; 2];
    for Cell { class, weight } in cells {
        let place = &mut row[usize::from(class) / HALF % 2][usize::from(class) % HALF];
        let sum = *place + i16::from(weight);
        *place = if (-LARGEST..=LARGEST).contains(&sum) { sum } else { return Err(ModelFileError::NumberTooLarge) };
    }
    Ok(row)
}

/// A row as the trainer hands it over: the feature's key and its weights, never empty and none beyond [`LARGEST`].
pub type WeightRow = (u32, Vec<(u8, i16)>);

/// Writes rows in ascending order of their keys.
pub fn write(writer: &mut ByteWriter, rows: &[WeightRow]) {
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
        let weights = LinearWeights::from_rows(&rows, 30).unwrap();
        let mut scores = [0; MOST_CLASSES + 1];
        scores[1] = 9;
        weights.add(&[3, 900, 17, 950], &mut scores);
        assert_eq!(scores[..8], [5, 9, 993, 0, 0, 0, 0, -1]);
        weights.add(&[1000], &mut scores);
        assert_eq!(scores[..3], [305, 309, 1293]);
        assert_eq!(scores[29..31], [300, 0]);
    }

    #[test]
    fn more_large_rows_than_sixteen_bits_can_add_are_added() {
        let row = |weight| (0..100).map(|class| (class, weight)).collect();
        let rows: Vec<WeightRow> = (0..70).map(|key| (key, row(if key < 60 { LARGEST } else { -LARGEST }))).collect();
        let weights = LinearWeights::from_rows(&rows, 100).unwrap();
        assert_eq!(weights.dense.len(), 70);
        let mut scores = [0; MOST_CLASSES + 1];
        weights.add(&(0..70).collect::<Vec<u32>>(), &mut scores);
        assert!(scores[..100].iter().all(|score| *score == 50 * i32::from(LARGEST)));
        assert!(scores[100..].iter().all(|score| *score == 0));
    }

    #[test]
    fn a_row_of_any_length_is_added_and_one_that_is_too_large_is_refused() {
        for length in 1..=100_u8 {
            let row: Vec<(u8, i16)> =
                (0..length).map(|class| (class, 3 - i16::from(class))).filter(|cell| cell.1 != 0).collect();
            let weights = LinearWeights::from_rows(&[(7, row.clone())], 100).unwrap();
            let mut scores = [0; MOST_CLASSES + 1];
            weights.add(&[7, 8], &mut scores);
            for class in 0..length {
                assert_eq!(scores[usize::from(class)], 3 - i32::from(class), "{length}");
            }
        }
        let rows = [(1, vec![(0, LARGEST + 1)])];
        assert!(matches!(LinearWeights::from_rows(&rows, 4), Err(ModelFileError::NumberTooLarge)));
    }

    #[test]
    fn a_class_outside_the_model_is_refused() {
        let rows = [(1, vec![(4, 1)])];
        assert!(matches!(LinearWeights::from_rows(&rows, 4), Err(ModelFileError::UnknownClass { class: 4 })));
    }

    #[test]
    fn a_row_too_few_is_refused() {
        let mut writer = ByteWriter::default();
        write(&mut writer, &[(1, vec![(0, 1)]), (2, vec![])]);
        let bytes = writer.finish();
        assert!(matches!(LinearWeights::read(&mut ByteReader::new(&bytes), 4), Err(ModelFileError::RowsAndKeysDiffer)));
    }
}
