//! Models learnt with different seeds, added up. The sum of linear models gives the sum of their scores: a vote among
//! them at the cost of one.

use crate::perceptron::{AverageRow, Perceptron, divide_rounding};
use probare_english::weights::{LARGEST, WeightRow};

/// Averages are computed in thousandths of an update.
const SCALE: i64 = 1000;

/// How averages become weights, in thousandths of an update.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precision {
    /// What a weight of one stands for.
    unit: i64,
    /// Smaller averages are left out: they are many, and the trees are as good without them.
    least: i64,
}

impl Precision {
    /// So many updates of a weight, in whole units.
    pub(crate) fn units(self, updates: i64) -> usize {
        usize::try_from(divide_rounding(updates * SCALE, self.unit)).unwrap_or(0)
    }
}

/// The tagger corrects word by word; its averages are small.
pub(crate) const TAGGER: Precision = Precision { unit: 25, least: 290 };

/// The parser corrects whole sentences; its averages are large.
pub(crate) const PARSER: Precision = Precision { unit: 160, least: 1900 };

/// A sum of models.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    models: i64,
    /// In ascending order of their keys.
    rows: Vec<AverageRow>,
}

impl Sum {
    /// Adds one model.
    pub(crate) fn add(&mut self, model: &Perceptron) {
        self.models += 1;
        self.rows.extend(model.averages(SCALE));
        self.rows.sort_by_key(|row| row.0);
        self.rows.dedup_by(|later, earlier| {
            if later.0 != earlier.0 {
                return false;
            }
            for &(class, weight) in &later.1 {
                match earlier.1.iter_mut().find(|cell| cell.0 == class) {
                    Some(cell) => cell.1 += weight,
                    None => earlier.1.push((class, weight)),
                }
            }
            true
        });
    }

    /// The mean of the models in whole units.
    pub(crate) fn rows(&self, precision: Precision) -> Vec<WeightRow> {
        let models = self.models.max(1);
        let mut rows = Vec::with_capacity(self.rows.len());
        for (key, cells) in &self.rows {
            let mut cells: Vec<(u8, i16)> = cells
                .iter()
                .filter(|(_, weight)| weight.abs() >= precision.least * models)
                .map(|&(class, weight)| (class, in_units(weight, precision.unit * models)))
                .filter(|(_, weight)| *weight != 0)
                .collect();
            cells.sort_unstable();
            if !cells.is_empty() {
                rows.push((*key, cells));
            }
        }
        rows
    }
}

fn in_units(weight: i64, divisor: i64) -> i16 {
    let largest = i64::from(LARGEST);
    i16::try_from(divide_rounding(weight, divisor).clamp(-largest, largest)).expect("clamped to the range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_two_models_in_units() {
        let mut sum = Sum::default();
        for (feature, class) in [(7, 1), (9, 0)] {
            let mut model = Perceptron::new(&[7, 9]);
            model.update(&[feature], class, 2);
            model.update(&[7], 0, 1);
            model.step();
            sum.add(&model);
        }
        // After one of two steps: averages 1 and 0.5; halved again where only one model has the weight.
        let precision = Precision { unit: 125, least: 0 };
        assert_eq!(sum.rows(precision), [(7, vec![(0, 4), (1, 4)]), (9, vec![(0, 4)])]);
        assert_eq!(sum.rows(Precision { least: 501, ..precision }), []);
    }
}
