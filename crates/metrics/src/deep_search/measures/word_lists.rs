//! [`WordLists`]: several lists of words, one behind the other.

use super::vocabulary::WordId;

/// Lists of words that are read together and forgotten together. The room is used again.
#[derive(Debug, Clone, Default)]
pub(super) struct WordLists {
    words: Vec<WordId>,
    /// Where each list ends.
    ends: Vec<usize>,
}

impl WordLists {
    /// Forgets all lists.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }

    /// Adds a list: `fill` gets all words so far and puts those of the list behind them.
    pub fn add(&mut self, fill: impl FnOnce(&mut Vec<WordId>)) {
        fill(&mut self.words);
        self.ends.push(self.words.len());
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The list of this index; an empty one where there is none.
    pub fn get(&self, index: usize) -> &[WordId] {
        let Some(end) = self.ends.get(index) else { return &[] };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..*end]
    }

    /// All lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[WordId]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_apart() {
        let mut lists = WordLists::default();
        for list in [vec![1, 2], Vec::new(), vec![3]] {
            lists.add(|words| words.extend(&list));
        }
        assert_eq!(lists.iter().collect::<Vec<_>>(), [[1, 2].as_slice(), &[], &[3]]);
        assert_eq!((lists.len(), lists.get(3)), (3, [].as_slice()));
        lists.clear();
        assert_eq!(lists.len(), 0);
    }
}
