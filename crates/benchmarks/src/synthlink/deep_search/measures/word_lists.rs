//! [`WordLists`]: several lists of words, one behind the other.

use super::vocabulary::{WordId, WordInterner};

/// Lists of words that are read together and forgotten together. The room is used again.
#[derive(Debug, Clone, Default)]
pub(super) struct WordLists {
    words: Vec<WordId>,
    /// Where each list ends among the words.
    ends: Vec<usize>,
    /// The texts one behind the other, which is faster than one at a time.
    text: String,
    /// Where each ends.
    text_ends: Vec<usize>,
}

impl WordLists {
    /// Reads a list of words from each text, in place of those before.
    pub fn read<S: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = S>, vocabulary: &mut WordInterner) {
        self.text.clear();
        self.text_ends.clear();
        for text in texts {
            probare_cancellation::count_steps(1);
            self.text.push_str(text.as_ref());
            // What no word goes across.
            self.text.push('\n');
            self.text_ends.push(self.text.len());
        }
        self.words.clear();
        self.ends.clear();
        let mut open = self.text_ends.iter();
        let mut end = open.next().copied().unwrap_or(usize::MAX);
        vocabulary.read_placed(&self.text, &mut self.words, |index, start, _| {
            while start >= end {
                probare_cancellation::count_steps(1);
                self.ends.push(index);
                end = open.next().copied().unwrap_or(usize::MAX);
            }
        });
        self.ends.resize(self.text_ends.len(), self.words.len());
    }

    /// Keeps of every list what `keep` makes of its words. It is told whether a word is the first of its list.
    pub fn retain_map(&mut self, mut keep: impl FnMut(bool, WordId) -> Option<WordId>) {
        let (mut start, mut length) = (0, 0);
        for end in &mut self.ends {
            for at in start..*end {
                probare_cancellation::count_steps(1);
                if let Some(word) = keep(at == start, self.words[at]) {
                    self.words[length] = word;
                    length += 1;
                }
            }
            start = std::mem::replace(end, length);
        }
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
        let (mut lists, mut vocabulary) = (WordLists::default(), WordInterner::default());
        lists.read(["one two", "", "Two, one’", "’s"], &mut vocabulary);
        let [one, two, s] = vocabulary.read("one two s").ids[..] else { panic!("three words") };
        assert_eq!(lists.iter().collect::<Vec<_>>(), [[one, two].as_slice(), &[], &[two, one], &[s]]);
        assert_eq!((lists.len(), lists.get(4)), (4, [].as_slice()));
        lists.retain_map(|is_first, word| (is_first || word == one).then_some(word + 7));
        assert_eq!(lists.iter().collect::<Vec<_>>(), [[one + 7].as_slice(), &[], &[two + 7, one + 7], &[s + 7]]);
        lists.read([""; 0], &mut vocabulary);
        assert_eq!(lists.len(), 0);
    }
}
