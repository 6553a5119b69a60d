//! Part-of-speech tagger: one linear classifier over joint (UPOS, XPOS) tags, from left to right, that sees the two
//! tags it gave last.

use crate::ModelFileError;
use crate::bytes::ByteReader;
use crate::hash;
use crate::index::{self, KeyIndex};
use crate::labels::{self, Upos};
use crate::weights::{ClassScores, FeatureScorer, LinearWeights, MOST_CLASSES};
use crate::word::HashedWord;

/// A joint tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag {
    pub upos: Upos,
    pub xpos: &'static str,
}

/// Number of a tag in the model's list.
pub type TagId = u8;

/// The tag "before" the first word.
const NO_TAG: u64 = 255;

/// For frequent words the set of tags they take, as a number. It tells the tagger what a neighbour may be.
#[derive(Debug, Clone, Default)]
pub struct AmbiguityClasses {
    index: KeyIndex,
}

impl AmbiguityClasses {
    /// From pairs of [`key`](Self::key) and class, ascending.
    pub fn from_sorted(entries: &[(u32, u32)]) -> Self {
        Self { index: KeyIndex::from_sorted(entries.len(), entries.iter().copied()) }
    }

    /// Under which key a word is found.
    pub fn key(word: &HashedWord) -> u32 {
        hash::key(word.lower)
    }

    /// The class of a word, 0 for one that was not frequent.
    fn class(&self, word: &HashedWord) -> u64 {
        self.index.get(Self::key(word)).map_or(0, |class| u64::from(class) + 1)
    }

    /// Reads what `write_classes` wrote.
    pub fn read(reader: &mut ByteReader<'_>) -> Result<Self, ModelFileError> {
        let keys = index::read_keys(reader)?;
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let value = reader.small()?;
            if value == u32::MAX {
                return Err(ModelFileError::NumberTooLarge);
            }
            entries.push((key, value));
        }
        Ok(Self::from_sorted(&entries))
    }
}

/// Writes pairs of key and class, ascending.
pub fn write_classes(writer: &mut crate::bytes::ByteWriter, entries: &[(u32, u32)]) {
    index::write_keys(writer, entries.iter().map(|entry| entry.0));
    for entry in entries {
        writer.number(u64::from(entry.1));
    }
}

/// The tagger.
#[derive(Debug, Clone)]
pub struct Tagger<S = LinearWeights> {
    pub tags: Vec<Tag>,
    pub classes: AmbiguityClasses,
    pub scorer: S,
}

/// A sentence as the tagger sees it.
pub struct TaggerInput<'w> {
    words: &'w [HashedWord],
    classes: Vec<u64>,
    shouting: bool,
}

impl<'w> TaggerInput<'w> {
    /// Looks up what does not depend on tags.
    pub fn new(words: &'w [HashedWord], classes: &AmbiguityClasses) -> Self {
        let capitals = words.iter().filter(|word| word.capitals == crate::word::Capitals::All).count();
        Self {
            words,
            classes: words.iter().map(|word| classes.class(word)).collect(),
            // In a headline or a shout capitals say nothing about names.
            shouting: words.len() > 2 && capitals * 2 > words.len(),
        }
    }

    /// Number of words.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The features of the word at `position` after the tags `last` and `before_last`.
    pub fn features(&self, position: usize, last: u64, before_last: u64, features: &mut Vec<u32>) {
        features.clear();
        let word = &self.words[position];
        let at = |offset: isize| position.checked_add_signed(offset).and_then(|index| self.words.get(index));
        let lower = |offset: isize| at(offset).map_or(1, |word| word.lower);
        let shape = |offset: isize| at(offset).map_or(1, |word| word.shape);
        let ending = |offset: isize, length: usize| at(offset).map_or(1, |word| word.suffixes[length - 1]);
        let class = |offset: isize| {
            position.checked_add_signed(offset).and_then(|index| self.classes.get(index)).copied().unwrap_or(u64::MAX)
        };
        let mut template = 0_u64;
        macro_rules! feature {
            ($($atom:expr),*) => {{
                template += 1;
                let state = template;
                $( let state = hash::mix(state, $atom); )*
                features.push(hash::key(state));
            }};
        }
        let first = u64::from(position == 0);
        let shouting = u64::from(self.shouting);
        feature!();
        feature!(word.form);
        feature!(word.lower);
        for suffix in word.suffixes {
            feature!(suffix);
        }
        for prefix in word.prefixes {
            feature!(prefix);
        }
        feature!(word.shape, first);
        feature!(word.shape, shouting);
        feature!(word.shape, word.suffixes[1]);
        feature!(word.shape, word.suffixes[2], first);
        feature!(lower(-1));
        feature!(lower(-2));
        feature!(lower(1));
        feature!(lower(2));
        feature!(lower(-1), word.lower);
        feature!(word.lower, lower(1));
        feature!(lower(-1), lower(1));
        feature!(lower(-2), lower(-1));
        feature!(lower(1), lower(2));
        feature!(ending(-1, 3));
        feature!(ending(1, 3));
        feature!(ending(1, 2));
        feature!(ending(2, 3));
        feature!(word.suffixes[2], ending(1, 2));
        feature!(shape(-1), word.shape);
        feature!(word.shape, shape(1));
        feature!(shape(-1), word.shape, shape(1));
        feature!(class(0));
        feature!(class(1));
        feature!(class(2));
        feature!(class(-1), class(0));
        feature!(class(0), class(1));
        feature!(class(1), class(2));
        feature!(class(-1), class(0), class(1));
        feature!(class(0), class(1), class(2));
        feature!(word.lower, class(1));
        feature!(word.suffixes[2], class(1));
        feature!(class(0), lower(1));
        feature!(last);
        feature!(last, before_last);
        feature!(last, word.lower);
        feature!(before_last, word.lower);
        feature!(last, before_last, word.lower);
        feature!(last, class(0));
        feature!(last, class(0), class(1));
        feature!(last, before_last, class(0));
        feature!(last, lower(1));
        feature!(last, class(1));
        feature!(last, word.suffixes[2]);
        feature!(last, word.suffixes[1], word.shape);
        feature!(last, word.shape, first);
        feature!(before_last, lower(-1), class(0));
    }
}

/// The class with the highest score, the first of equals.
pub fn best(scores: &[i32]) -> usize {
    let mut best = 0;
    for (class, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = class;
        }
    }
    best
}

/// The number of a class as a tag number. There are at most 127 tags; reading and training check it.
pub fn tag_id(class: usize) -> TagId {
    TagId::try_from(class).expect("the number of tags is checked when a model is read or trained")
}

impl<S: FeatureScorer> Tagger<S> {
    /// Tags a sentence.
    pub fn tag(&self, words: &[HashedWord]) -> Vec<TagId> {
        let input = TaggerInput::new(words, &self.classes);
        let mut features = Vec::with_capacity(64);
        let (mut last, mut before_last) = start();
        let mut tags = Vec::with_capacity(words.len());
        for position in 0..input.len() {
            input.features(position, last, before_last, &mut features);
            let mut scores: ClassScores = [0; MOST_CLASSES + 1];
            self.scorer.add(&features, &mut scores);
            let tag = tag_id(best(&scores[..self.tags.len()]));
            tags.push(tag);
            (last, before_last) = (u64::from(tag), last);
        }
        tags
    }
}

/// The two tags before the first word.
pub fn start() -> (u64, u64) {
    (NO_TAG, NO_TAG)
}

impl Tagger {
    /// Reads a tagger.
    pub fn read(reader: &mut ByteReader<'_>) -> Result<Self, ModelFileError> {
        let count = reader.count()?;
        if count == 0 || count > MOST_CLASSES {
            return Err(ModelFileError::NumberTooLarge);
        }
        let mut tags = Vec::with_capacity(count);
        for _ in 0..count {
            let (upos, xpos) = (reader.string()?, reader.string()?);
            tags.push(Tag {
                upos: Upos::from_name(upos).ok_or_else(|| ModelFileError::unknown_name("universal tag", upos))?,
                xpos: labels::xpos(xpos).ok_or_else(|| ModelFileError::unknown_name("Penn tag", xpos))?,
            });
        }
        let classes = AmbiguityClasses::read(reader)?;
        let scorer = LinearWeights::read(reader, count)?;
        Ok(Self { tags, classes, scorer })
    }
}
