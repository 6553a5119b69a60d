//! [`Random`]: numbers from a seed, the same on every machine.

/// The generator `SplitMix64` (Steele, Lea and Flood 2014): small, fast, and good enough to draw resamples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

/// What the state grows by with each number: the golden ratio.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A stream of its own for each number of a series: what resample 17 draws depends on the seed and on 17, and not on
    /// how many numbers other resamples took, nor on the order or the thread in which they are made.
    pub fn substream(seed: u64, number: u64) -> Self {
        // Both pass through the mixer, so that neighbouring seeds and numbers lie far apart.
        let place = Self::new(seed).next_u64();
        Self::new(Self::new(place ^ number).next_u64())
    }

    /// Starts from a seed as if so many numbers had been drawn.
    pub(crate) const fn at_position(seed: u64, drawn: u64) -> Self {
        let mut random = Self::new(seed);
        random.skip(drawn);
        random
    }

    /// Leaves out so many numbers.
    pub(crate) const fn skip(&mut self, numbers: u64) {
        self.state = self.state.wrapping_add(STEP.wrapping_mul(numbers));
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.skip(1);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, 0 where `bound` is 0. The high part of a product stands in for the remainder, which is
    /// off by less than one in 2^32 for any list that fits into memory.
    pub fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.next_u64()) * (bound as u128);
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// Puts items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbered_streams_are_apart_and_do_not_depend_on_each_other() {
        let first = |seed, number| Random::substream(seed, number).next_u64();
        let mut seen: Vec<u64> = (0..50).flat_map(|seed| (0..50).map(move |number| first(seed, number))).collect();
        assert_eq!(first(3, 17), seen[3 * 50 + 17]);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 2_500);
    }

    #[test]
    fn numbers_below_a_bound_are_below_it_and_all_of_them_come() {
        let mut random = Random::new(7);
        let mut seen = [0; 5];
        for _ in 0..5_000 {
            seen[random.below(5)] += 1;
        }
        assert!(seen.iter().all(|count| (900..1_100).contains(count)), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }
}
