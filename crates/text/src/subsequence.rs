//! The longest common subsequence: the most items that two texts have in common in the same order.
//!
//! Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004: 64 cells of a column at once. Bit `i` of a column is 0
//! where one more item of the left text raises the length, so the zeros of the last column are the length, and the kept
//! columns lead back to the pairs.
//!
//! ```
//! use probare_text::subsequence::CommonSubsequence;
//!
//! let (left, right) = (["the", "cat", "sat"], ["the", "dog", "sat", "down"]);
//! let longest = CommonSubsequence::longest(&left, &right);
//! assert_eq!(longest.length, 2);
//! assert_eq!(longest.pairs, Some(vec![(0, 0), (2, 2)]));
//! ```

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Words of all columns together that are kept to find the pairs: 8 MiB.
const MOST_WORDS: usize = 1 << 20;

/// Length of the longest common subsequence, and one such subsequence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommonSubsequence {
    /// How many items it has.
    pub length: usize,
    /// Left and right index of each item, ascending; `None` where the texts are so long (about 8,000 items each) that
    /// finding them would take more memory than the length is worth.
    pub pairs: Option<Vec<(usize, usize)>>,
}

impl CommonSubsequence {
    /// Compares two lists of items, such as words.
    pub fn longest<T: Eq + Hash>(left: &[T], right: &[T]) -> Self {
        // What both texts begin and end with is part of some longest subsequence.
        let start = left.iter().zip(right).take_while(|(left, right)| left == right).count();
        let (left_rest, right_rest) = (&left[start..], &right[start..]);
        let end = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(left, right)| left == right).count();
        let middle_left = &left_rest[..left_rest.len() - end];
        let middle_right = &right_rest[..right_rest.len() - end];
        let middle = Table::build(middle_left, middle_right);
        let pairs = middle.pairs().map(|middle| {
            let before = (0..start).map(|index| (index, index));
            let after = (0..end).map(|index| (left.len() - end + index, right.len() - end + index));
            before.chain(middle.into_iter().map(|(left, right)| (left + start, right + start))).chain(after).collect()
        });
        Self { length: start + middle.length() + end, pairs }
    }
}

/// The table: a row per item of the left text, a column per item of the right one.
struct Table {
    rows: usize,
    columns: usize,
    /// Words per column.
    width: usize,
    last: Vec<u64>,
    /// All columns one after the other, when they are few enough.
    bit_rows: Option<Vec<u64>>,
}

impl Table {
    fn build<T: Eq + Hash>(left: &[T], right: &[T]) -> Self {
        let width = left.len().div_ceil(64);
        let mut numbers: FxHashMap<&T, usize> = FxHashMap::default();
        for item in left {
            let next = numbers.len();
            numbers.entry(item).or_insert(next);
        }
        // For each distinct item of the left text the rows that hold it. Rows of an item are sparse, so a list of
        // (word, bits) is small where a full vector per item would be quadratic.
        let mut places: Vec<Vec<(usize, u64)>> = vec![Vec::new(); numbers.len()];
        for (row, item) in left.iter().enumerate() {
            let (word, bit) = (row / 64, 1_u64 << (row % 64));
            let list = &mut places[numbers[item]];
            match list.last_mut() {
                Some((last, bits)) if *last == word => *bits |= bit,
                _ => list.push((word, bit)),
            }
        }
        let places: Vec<ItemRows> = places.into_iter().map(|list| ItemRows::from_list(list, width)).collect();
        let keep = width.checked_mul(right.len()).is_some_and(|words| words <= MOST_WORDS);
        let mut bit_rows = keep.then(|| Vec::with_capacity(width * right.len()));
        let mut column = vec![u64::MAX; width];
        for item in right {
            probare_cancellation::count_steps(1 + width / 4);
            if let Some(number) = numbers.get(item) {
                places[*number].step(&mut column);
            }
            if let Some(bit_rows) = &mut bit_rows {
                bit_rows.extend_from_slice(&column);
            }
        }
        Self { rows: left.len(), columns: right.len(), width, last: column, bit_rows }
    }

    /// Zeros of the last column; the bits past the last row stay 1 or are not counted.
    fn length(&self) -> usize {
        (0..self.rows).filter(|row| self.last[row / 64] & (1 << (row % 64)) == 0).count()
    }

    /// Walks back from the last cell.
    fn pairs(&self) -> Option<Vec<(usize, usize)>> {
        let bit_rows = self.bit_rows.as_ref()?;
        let raises = |column: usize, row: usize| bit_rows[column * self.width + row / 64] & (1 << (row % 64)) == 0;
        let mut pairs = Vec::new();
        let (mut row, mut column) = (self.rows, self.columns);
        while row > 0 && column > 0 {
            if raises(column - 1, row - 1) {
                column -= 1;
                // Raised already in the column before: this item of the right text was not needed.
                if column == 0 || !raises(column - 1, row - 1) {
                    row -= 1;
                    pairs.push((row, column));
                }
            } else {
                row -= 1;
            }
        }
        pairs.reverse();
        Some(pairs)
    }
}

/// The rows that hold an item, as bits.
enum ItemRows {
    /// The words that are not 0, in order.
    Some(Vec<(usize, u64)>),
    /// All words: an item that is nearly everywhere needs no look at where it is.
    All(Vec<u64>),
}

impl ItemRows {
    /// So few items can be that frequent that their full vectors take no more than a few columns.
    fn from_list(list: Vec<(usize, u64)>, width: usize) -> Self {
        if width < 8 || list.len() < width / 4 {
            return Self::Some(list);
        }
        let mut all = vec![0; width];
        for (word, bits) in list {
            all[word] = bits;
        }
        Self::All(all)
    }

    /// One column further: `V = (V + (V & M)) | (V & !M)`, with the carry going from word to word.
    fn step(&self, column: &mut [u64]) {
        match self {
            Self::Some(list) => step_sparse(column, list),
            Self::All(all) => {
                let mut carry = false;
                for (word, matches) in column.iter_mut().zip(all) {
                    (*word, carry) = step_word(*word, *matches, carry);
                }
            }
        }
    }
}

fn step_word(word: u64, matches: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = word.overflowing_add(word & matches);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum | (word & !matches), first || second)
}

fn step_sparse(column: &mut [u64], places: &[(usize, u64)]) {
    let mut carry = false;
    let mut next = places.iter().peekable();
    let Some((first, _)) = places.first() else { return };
    let mut at = *first;
    while at < column.len() {
        let matches = next.next_if(|(word, _)| *word == at).map_or(0, |(_, bits)| *bits);
        (column[at], carry) = step_word(column[at], matches, carry);
        at += 1;
        // Without a carry nothing changes up to the next word that holds the item.
        if !carry {
            match next.peek() {
                Some((word, _)) => at = *word,
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table.
    fn slow(left: &[u8], right: &[u8]) -> usize {
        let mut row = vec![0; right.len() + 1];
        for a in left {
            let mut diagonal = 0;
            for (index, b) in right.iter().enumerate() {
                let above = row[index + 1];
                row[index + 1] = if a == b { diagonal + 1 } else { above.max(row[index]) };
                diagonal = above;
            }
        }
        row[right.len()]
    }

    #[test]
    fn nothing_is_in_common_with_nothing() {
        assert_eq!(
            CommonSubsequence::longest::<u8>(&[], &[]),
            CommonSubsequence { length: 0, pairs: Some(Vec::new()) }
        );
        assert_eq!(CommonSubsequence::longest(b"abc", b"").length, 0);
        assert_eq!(CommonSubsequence::longest(b"", b"abc").length, 0);
    }

    #[test]
    fn very_long_texts_have_a_length_and_no_pairs() {
        let left: Vec<usize> = (0..20_000).collect();
        let right: Vec<usize> =
            (0..20_000).map(|number| if number % 2 == 0 { number } else { number + 50_000 }).collect();
        let longest = CommonSubsequence::longest(&left, &right[1..]);
        assert_eq!((longest.length, longest.pairs), (9_999, None));
    }

    proptest! {
        #[test]
        fn long_texts_of_few_and_of_many_words_equal_the_textbook_table(
            left in "[ab]{600,900}([ab]|[c-z]){0,300}", right in "[ab]{500,700}[a-z]{0,100}",
        ) {
            prop_assert_eq!(CommonSubsequence::longest(left.as_bytes(), right.as_bytes()).length, slow(left.as_bytes(), right.as_bytes()));
        }

        #[test]
        fn equals_the_textbook_table(left in "[abcd]{0,200}", right in "[abcd]{0,200}") {
            let longest = CommonSubsequence::longest(left.as_bytes(), right.as_bytes());
            prop_assert_eq!(longest.length, slow(left.as_bytes(), right.as_bytes()));
            let pairs = longest.pairs.unwrap();
            prop_assert_eq!(pairs.len(), longest.length);
            prop_assert!(pairs.is_sorted_by(|before, after| before.0 < after.0 && before.1 < after.1));
            for (left_index, right_index) in pairs {
                prop_assert_eq!(left.as_bytes()[left_index], right.as_bytes()[right_index]);
            }
        }
    }
}
