//! Where the text holds which four characters in a row, and what follows from it for a pattern with few errors.

use std::ops::Range;

use crate::bit_vectors::Symbol;

/// Characters of an indexed stretch.
const GRAM: usize = 4;

/// Windows are worth looking into up to this part of the text: symbol by symbol they take several times as long as a
/// pass over all of it.
const MIN_SAVING: usize = 8;

/// Places of all stretches of four characters, by a hash of them. Several stretches may share a bucket; a place is
/// compared before it counts.
#[derive(Debug)]
pub(super) struct GramIndex {
    /// Start of each bucket among the places, and the end of the last.
    buckets: Vec<u32>,
    places: Vec<u32>,
    /// How far a hash is shifted to give a bucket.
    shift: u32,
}

impl GramIndex {
    /// Indexes `text`; nothing for a text that is too long for 32-bit places.
    pub(super) fn new<S: Symbol>(text: &[S]) -> Option<Self> {
        let length = u32::try_from(text.len()).ok()?;
        // About as many buckets as places, but not below 256.
        let bits = (u32::BITS - length.leading_zeros()).clamp(8, 24);
        let shift = u64::BITS - bits;
        let mut buckets = vec![0_u32; (1 << bits) + 1];
        for gram in text.windows(GRAM) {
            buckets[bucket(gram, shift) + 1] += 1;
        }
        let mut total = 0;
        for start in &mut buckets {
            total += *start;
            *start = total;
        }
        let mut next = buckets.clone();
        let mut places = vec![0_u32; text.len().saturating_sub(GRAM - 1)];
        for (place, gram) in (0..length).zip(text.windows(GRAM)) {
            let slot = &mut next[bucket(gram, shift)];
            places[*slot as usize] = place;
            *slot += 1;
        }
        Some(Self { buckets, places, shift })
    }

    /// Stretches of the text, in order and apart, that hold every match of `pattern` with at most `errors` errors.
    /// Nothing if they cannot be told, or would not save work.
    pub(super) fn windows<S: Symbol>(&self, text: &[S], pattern: &[u32], errors: usize) -> Option<Vec<Range<usize>>> {
        let pieces = errors + 1;
        if pattern.len() / pieces < GRAM {
            return None;
        }
        let mut windows: Vec<Range<usize>> = Vec::new();
        let mut work = 0;
        for piece in 0..pieces {
            let span = pattern.len() * piece / pieces..pattern.len() * (piece + 1) / pieces;
            let (offset, candidates) = self.rarest(pattern, &span)?;
            work += candidates.len();
            if work > text.len() {
                return None;
            }
            for &place in candidates {
                // Where the whole pattern would start if nothing before the piece was changed.
                let Some(start) = (place as usize).checked_sub(offset - span.start) else { continue };
                if !holds(text, start, &pattern[span.clone()]) {
                    continue;
                }
                let first = start.saturating_sub(span.start + errors);
                let last = (start + pattern.len() - span.start + errors).min(text.len());
                windows.push(first..last);
            }
        }
        let windows = merge_windows(windows);
        let covered: usize = windows.iter().map(ExactSizeIterator::len).sum();
        (covered <= text.len() / MIN_SAVING).then_some(windows)
    }

    /// The stretch of four in `span` of the pattern with the fewest places, and these.
    fn rarest(&self, pattern: &[u32], span: &Range<usize>) -> Option<(usize, &[u32])> {
        (span.start..=span.end - GRAM)
            .map(|offset| {
                let bucket = bucket(&pattern[offset..offset + GRAM], self.shift);
                (offset, &self.places[self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize])
            })
            .min_by_key(|(_, places)| places.len())
    }
}

fn bucket<S: Symbol>(gram: &[S], shift: u32) -> usize {
    let mixed = gram.iter().fold(0_u64, |hash, symbol| {
        // An odd constant near 2^64 divided by the golden ratio spreads the bits upwards.
        (hash.rotate_left(5) ^ u64::from(symbol.code())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    usize::try_from(mixed >> shift).expect("a bucket has at most 24 bits")
}

/// Whether `piece` stands in `text` at `start`.
fn holds<S: Symbol>(text: &[S], start: usize, piece: &[u32]) -> bool {
    text.get(start..start + piece.len())
        .is_some_and(|stretch| stretch.iter().zip(piece).all(|(symbol, &code)| symbol.code() == code))
}

/// Sorts the windows and makes one of those that touch.
fn merge_windows(mut windows: Vec<Range<usize>>) -> Vec<Range<usize>> {
    windows.sort_unstable_by_key(|window| (window.start, window.end));
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(windows.len());
    for window in windows {
        match joined.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => joined.push(window),
        }
    }
    joined
}
