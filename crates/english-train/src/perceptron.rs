//! Averaged perceptron with integer arithmetic: the same weights on every machine, to the last bit.

use probare_english::index::BATCH;
use probare_english::weights::{ClassScores, FeatureScorer, MOST_CLASSES};

/// What scoring reads: kept small and together.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    class: u8,
    weight: i16,
}

/// What averaging needs: the sum of the weight over all steps up to `since`.
#[derive(Debug, Clone, Copy, Default)]
struct WeightHistory {
    total: i64,
    since: u32,
}

/// A feature with the place of its weights: all that a look-up needs in one piece of memory.
#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u32,
    /// [`EMPTY`] where there is no feature.
    start: u32,
    length: u16,
    capacity: u16,
}

const EMPTY: u32 = u32::MAX;
const FREE: Slot = Slot { key: 0, start: EMPTY, length: 0, capacity: 0 };

impl Slot {
    fn cells(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + usize::from(self.length)
    }
}

/// A feature's key and its averaged weights, before they are brought to their unit.
pub(crate) type AverageRow = (u32, Vec<(u8, i64)>);

/// A linear model that is being learnt. Its features are fixed beforehand; others are ignored.
#[derive(Debug)]
pub(crate) struct Perceptron {
    /// Open addressing, at most half full.
    slots: Vec<Slot>,
    cells: Vec<Cell>,
    past: Vec<WeightHistory>,
    steps: u32,
}

impl Perceptron {
    /// A model with weight zero for each of these features, which are distinct.
    pub(crate) fn new(features: &[u32]) -> Self {
        let size = (features.len() * 2 + 2).next_power_of_two();
        let mut perceptron = Self { slots: vec![FREE; size], cells: Vec::new(), past: Vec::new(), steps: 1 };
        for &key in features {
            if let Err(place) = perceptron.find(key) {
                perceptron.slots[place] = Slot { key, start: 0, ..FREE };
            }
        }
        perceptron
    }

    /// Counts one step of the average.
    pub(crate) fn step(&mut self) {
        self.steps += 1;
    }

    fn home_place(&self, key: u32) -> usize {
        // Keys are hashes already; their upper bits are the place.
        ((u64::from(key) * self.slots.len() as u64) >> 32) as usize
    }

    /// The place of a feature, or the free place where it would be.
    fn find(&self, key: u32) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut place = self.home_place(key);
        loop {
            let slot = self.slots[place];
            if slot.start == EMPTY {
                return Err(place);
            }
            if slot.key == key {
                return Ok(place);
            }
            place = (place + 1) & mask;
        }
    }

    /// Adds `change` to the weight of every feature for a class.
    pub(crate) fn update(&mut self, features: &[u32], class: usize, change: i16) {
        let class = u8::try_from(class).expect("a model has at most 127 classes");
        for &feature in features {
            let Ok(slot) = self.find(feature) else { continue };
            let cells = self.slots[slot].cells();
            let start = cells.start;
            let place = match self.cells[cells].iter().position(|cell| cell.class == class) {
                Some(offset) => start + offset,
                None => self.append(slot, class),
            };
            let (cell, past) = (&mut self.cells[place], &mut self.past[place]);
            past.total += i64::from(self.steps - past.since) * i64::from(cell.weight);
            past.since = self.steps;
            cell.weight = cell.weight.saturating_add(change);
        }
    }

    /// Makes room for one more class of a feature, moving its weights to the end when there is none.
    fn append(&mut self, slot: usize, class: u8) -> usize {
        let old = self.slots[slot];
        if old.length == old.capacity {
            let moved = self.cells.len();
            let capacity = (old.capacity * 2).max(2);
            self.cells.extend_from_within(old.cells());
            self.past.extend_from_within(old.cells());
            self.cells.resize(moved + usize::from(capacity), Cell::default());
            self.past.resize(moved + usize::from(capacity), WeightHistory::default());
            let start = u32::try_from(moved).expect("fewer than four billion weights");
            self.slots[slot] = Slot { start, capacity, ..old };
        }
        let slot = &mut self.slots[slot];
        let place = slot.start as usize + usize::from(slot.length);
        slot.length += 1;
        self.cells[place] = Cell { class, weight: 0 };
        self.past[place] = WeightHistory { total: 0, since: self.steps };
        place
    }

    /// The averaged weights times `scale`, rounded, as (key, class, weight); weights that round to zero are absent.
    pub(crate) fn averages(&self, scale: i64) -> Vec<AverageRow> {
        let mut rows: Vec<AverageRow> = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.start != EMPTY) {
            let mut cells = Vec::with_capacity(usize::from(slot.length));
            for (cell, past) in self.cells[slot.cells()].iter().zip(&self.past[slot.cells()]) {
                let total = past.total + i64::from(self.steps - past.since) * i64::from(cell.weight);
                let weight = divide_rounding(total * scale, i64::from(self.steps));
                if weight != 0 {
                    cells.push((cell.class, weight));
                }
            }
            if !cells.is_empty() {
                rows.push((slot.key, cells));
            }
        }
        rows.sort_unstable_by_key(|row| row.0);
        rows
    }
}

impl FeatureScorer for Perceptron {
    fn add(&self, features: &[u32], scores: &mut ClassScores) {
        let mut found = [FREE; BATCH];
        for batch in features.chunks(BATCH) {
            // All homes are read before any is looked at, as in the finished model.
            for (slot, &feature) in found.iter_mut().zip(batch) {
                *slot = self.slots[self.home_place(feature)];
            }
            for (slot, &feature) in found.iter_mut().zip(batch) {
                if slot.start != EMPTY && slot.key != feature {
                    *slot = self.find(feature).map_or(FREE, |place| self.slots[place]);
                }
            }
            for slot in found.iter().take(batch.len()).filter(|slot| slot.start != EMPTY) {
                for cell in &self.cells[slot.cells()] {
                    scores[usize::from(cell.class) & MOST_CLASSES] += i32::from(cell.weight);
                }
            }
        }
    }
}

/// Division that rounds to nearest, halves away from zero.
pub(crate) fn divide_rounding(value: i64, by: i64) -> i64 {
    let half = by / 2;
    if value >= 0 { (value + half) / by } else { (value - half) / by }
}

/// The features that occur at least `least` times, ascending. A feature seen once is more likely a memory of one
/// sentence than knowledge of the language, and most features are seen once.
pub(crate) fn frequent(mut occurrences: Vec<u32>, least: usize) -> Vec<u32> {
    occurrences.sort_unstable();
    occurrences.chunk_by(|left, right| left == right).filter(|run| run.len() >= least).map(|run| run[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_is_over_all_steps() {
        let mut perceptron = Perceptron::new(&[7]);
        perceptron.update(&[7, 8], 3, 1);
        perceptron.step();
        perceptron.step();
        perceptron.update(&[7], 3, 1);
        perceptron.step();
        // Weight 1 during two steps and 2 during one, out of four: the first step ended before any update.
        assert_eq!(perceptron.averages(400), [(7, vec![(3, 400)])]);
    }

    #[test]
    fn many_features_and_classes_are_kept_apart() {
        let features: Vec<u32> = (0..100_000_u32).map(|number| number.wrapping_mul(2_654_435_761)).collect();
        let mut perceptron = Perceptron::new(&features);
        for (number, feature) in (0_i16..7).cycle().zip(&features) {
            for class in 0..3 {
                perceptron.update(&[*feature], class, number + 1);
            }
            perceptron.update(&[*feature], 1, 1);
        }
        let mut scores = [0; MOST_CLASSES + 1];
        perceptron.add(&features[5..6], &mut scores);
        assert_eq!(scores[..3], [6, 7, 6]);
    }

    #[test]
    fn rare_features_are_left_out() {
        assert_eq!(frequent(vec![5, 3, 5, 9, 3, 5], 2), [3, 5]);
    }
}
