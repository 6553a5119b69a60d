//! Many ranges of bytes, asked about again and again: whether one of them holds a range or meets it.

use std::ops::Range;

/// Ranges in the order of their starts, each with the greatest end up to it, so that a question takes two comparisons
/// after a search by halves.
#[derive(Debug, Default)]
pub(crate) struct SpanSet {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl SpanSet {
    /// Takes the ranges in any order.
    pub fn new(ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let mut ranges: Vec<Range<usize>> = ranges.collect();
        ranges.sort_by_key(|range| range.start);
        let mut greatest = 0;
        let ends = ranges
            .iter()
            .map(|range| {
                greatest = greatest.max(range.end);
                greatest
            })
            .collect();
        Self { starts: ranges.into_iter().map(|range| range.start).collect(), ends }
    }

    /// Whether one of the ranges holds all of this one.
    pub fn contains(&self, range: &Range<usize>) -> bool {
        let before = self.starts.partition_point(|start| *start <= range.start);
        before.checked_sub(1).is_some_and(|last| self.ends[last] >= range.end)
    }

    /// Whether one of the ranges has a byte in common with this one.
    pub fn overlaps(&self, range: &Range<usize>) -> bool {
        let before = self.starts.partition_point(|start| *start < range.end);
        before.checked_sub(1).is_some_and(|last| self.ends[last] > range.start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn answers_equal_those_of_asking_each(
            ranges in proptest::collection::vec((0_usize..40, 1_usize..9), 0..12),
            start in 0_usize..45,
            length in 1_usize..9,
        ) {
            let ranges: Vec<_> = ranges.into_iter().map(|(start, length)| start..start + length).collect();
            let probe = start..start + length;
            let spans = SpanSet::new(ranges.iter().cloned());
            let holds = ranges.iter().any(|range| range.start <= probe.start && probe.end <= range.end);
            let meets = ranges.iter().any(|range| range.start < probe.end && probe.start < range.end);
            prop_assert_eq!((spans.contains(&probe), spans.overlaps(&probe)), (holds, meets));
        }
    }
}
