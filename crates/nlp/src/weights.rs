//! A linear model over hashed features: for every feature a short list of (class, integer weight).
//!
//! Integers make the sum independent of its order and of the machine, hence the same tree everywhere.

use crate::ModelError;
use crate::bytes::Reader;
#[cfg(any(test, feature = "train"))]
use crate::bytes::Writer;
use crate::index::{self, Index};

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

/// The finished model.
#[derive(Debug, Clone, Default)]
pub(crate) struct Weights {
    rows: Index,
    cells: Vec<Cell>,
}

impl Scorer for Weights {
    fn add(&self, features: &[u32], scores: &mut Scores) {
        // Looking up a batch before reading its rows lets the processor wait for many cache lines at once.
        let mut starts = [0_u32; 16];
        for batch in features.chunks(starts.len()) {
            let mut found = 0;
            for &feature in batch {
                if let Some(start) = self.rows.get(feature) {
                    starts[found] = start;
                    found += 1;
                }
            }
            for &start in &starts[..found] {
                for cell in self.cells.get(start as usize..).unwrap_or_default() {
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
        let cells: Vec<Cell> = reader
            .raw(count)?
            .iter()
            .zip(reader.raw(count)?)
            .map(|(&class, &weight)| Cell { class, weight: weight.cast_signed() })
            .collect();
        if let Some(cell) = cells.iter().find(|cell| usize::from(cell.class & !LAST) >= classes) {
            return Err(ModelError::UnknownClass { class: u32::from(cell.class & !LAST) });
        }
        let lasts = || cells.iter().zip(1_u32..).filter(|(cell, _)| cell.class & LAST != 0).map(|(_, next)| next);
        if lasts().count() != keys.len() || lasts().last().unwrap_or(0) as usize != cells.len() {
            return Err(ModelError::RowsAndKeysDiffer);
        }
        let starts = std::iter::once(0).chain(lasts());
        let rows = Index::from_sorted(keys.len(), keys.iter().copied().zip(starts));
        Ok(Self { rows, cells })
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
        let rows = [(3, vec![(0, 5), (2, -7)]), (900, vec![(2, 1000)])];
        let weights = Weights::from_rows(&rows, 3).unwrap();
        let mut scores = [0; MOST_CLASSES + 1];
        scores[1] = 9;
        weights.add(&[3, 900, 17], &mut scores);
        assert_eq!(scores[..3], [5, 9, 993]);
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
