//! The database itself: opening it, and asking about single lemmas and synsets.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::decode::{PLAIN, SynsetReader, skip_lemma};
use super::entries::{DictionaryWord, Lemma, Pointer, Synset};
use super::reader::VarintReader;
use super::table::WordNetTable;
use super::{Category, PartOfSpeech, PartsOfSpeech, Senses, TableError};
use crate::python;

/// The table of WordNet 3.0, as `build/` writes it from the files of Princeton University.
static EMBEDDED: &[u8] = include_bytes!("../../data/wordnet.bin");

/// WordNet: words, their meanings and how these hang together.
#[derive(Debug, Clone)]
pub struct WordNet {
    pub(super) table: WordNetTable,
}

/// What a synset's record holds.
#[derive(Debug)]
pub(super) struct SynsetRecord {
    pub(super) category: Category,
    pub(super) is_satellite: bool,
    pub(super) words: Vec<DictionaryWord>,
    pub(super) pointers: Vec<Pointer>,
}

impl WordNet {
    /// WordNet 3.0 as it is in the binary.
    pub fn embedded() -> &'static Self {
        static WORDNET: OnceLock<WordNet> = OnceLock::new();
        WORDNET.get_or_init(|| {
            let table =
                WordNetTable::open(Cow::Borrowed(EMBEDDED)).expect("a test opens and checks the embedded table");
            Self { table }
        })
    }

    /// A WordNet from the bytes of a table, whose checksum is compared.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, TableError> {
        let table = WordNetTable::open(Cow::Owned(bytes))?;
        table.check()?;
        Ok(Self { table })
    }

    /// How many different lemmas there are; `Turkey` and `turkey` are one.
    pub fn lemma_count(&self) -> u32 {
        self.table.lemma_count
    }

    /// How many meanings there are.
    pub fn synset_count(&self) -> u32 {
        self.table.synset_count
    }

    /// All meanings, in the order of their first words.
    pub fn all_synsets(&self) -> impl Iterator<Item = Synset> {
        (0..self.synset_count()).map(Synset)
    }

    /// The meanings of exactly this lemma, most usual first; inflected forms are not led back to it. Nothing for a word
    /// that is no lemma of this part of speech.
    pub fn senses(&self, lemma: &str, part: PartOfSpeech) -> Senses<'_> {
        match self.find_lemma(&key(lemma)) {
            Some(lemma) => self.senses_of(lemma, part),
            None => Senses::none(),
        }
    }

    /// The words of a meaning with their capitals, spaces between the parts of a collocation, in WordNet's order.
    pub fn words(&self, synset: Synset) -> Vec<String> {
        self.words_of(synset).iter().map(|word| self.name(word)).collect()
    }

    /// The pointers that leave a meaning or one of its words.
    pub fn pointers(&self, synset: Synset) -> Vec<Pointer> {
        self.record(synset).map(|record| record.pointers).unwrap_or_default()
    }

    /// The broad category of a meaning; `None` only for a handle of another WordNet.
    pub fn category(&self, synset: Synset) -> Option<Category> {
        self.find_record(synset).and_then(|record| record.class()).map(|(category, _)| category)
    }

    /// The name of the broad category, such as `noun.person`; empty for a handle of another WordNet.
    pub fn lexname(&self, synset: Synset) -> &'static str {
        self.category(synset).map_or("", Category::name)
    }

    /// Whether the meaning is a satellite: an adjective whose opposite is that of the head it is similar to.
    pub fn is_satellite(&self, synset: Synset) -> bool {
        self.find_record(synset).and_then(|record| record.class()).is_some_and(|(_, is_satellite)| is_satellite)
    }

    /// A name for people: first word, part of speech and number of the sense, as in `car.n.01`.
    pub fn synset_name(&self, synset: Synset) -> Option<String> {
        let record = self.record(synset)?;
        let part = record.category.part_of_speech();
        let lemma = record.words.first()?.lemma;
        let place = self.senses_of(lemma, part).position(|sense| sense.synset == synset)?;
        let letter = if record.is_satellite { 's' } else { part.letter() };
        Some(format!("{}.{letter}.{:02}", self.table.lemma_names().get(lemma.0), place + 1))
    }

    /// The lemma of that key.
    pub(super) fn find_lemma(&self, key: &str) -> Option<Lemma> {
        self.table.lemma_names().find(key).map(Lemma)
    }

    /// The spelling of a lemma, with spaces.
    pub(super) fn lemma_name(&self, lemma: Lemma) -> String {
        self.table.lemma_names().get(lemma.0).replace('_', " ")
    }

    /// The spelling of a synset's word, with spaces.
    pub(super) fn name(&self, word: &DictionaryWord) -> String {
        word.case.apply(&self.table.lemma_names().get(word.lemma.0)).replace('_', " ")
    }

    /// The parts of speech in which a lemma has meanings.
    pub(super) fn parts_of(&self, lemma: Lemma) -> PartsOfSpeech {
        let parts = self.lemma_record(lemma).and_then(|(mut reader, _)| reader.byte());
        PartsOfSpeech::from_bits(parts.unwrap_or(0))
    }

    /// The meanings of a lemma as one part of speech.
    pub(super) fn senses_of(&self, lemma: Lemma, part: PartOfSpeech) -> Senses<'_> {
        self.find_senses(lemma, part).unwrap_or_else(Senses::none)
    }

    fn find_senses(&self, lemma: Lemma, part: PartOfSpeech) -> Option<Senses<'_>> {
        let (mut reader, base) = self.lemma_record(lemma)?;
        let header = reader.byte()?;
        let parts = PartsOfSpeech::from_bits(header);
        for here in parts.iter() {
            let senses = Senses::read(&mut reader, header & PLAIN != 0, base)?;
            if here == part {
                return Some(senses);
            }
        }
        None
    }

    /// A reader at a lemma's record, and the synset from which its references count.
    fn lemma_record(&self, lemma: Lemma) -> Option<(VarintReader<'_>, u32)> {
        if lemma.0 >= self.table.lemma_count {
            return None;
        }
        let (mut reader, before) = self.table.lemmas().block_of(lemma.0)?;
        let base = reader.number()?;
        for _ in 0..before {
            skip_lemma(&mut reader)?;
        }
        Some((reader, base))
    }

    /// The words of a synset.
    pub(super) fn words_of(&self, synset: Synset) -> Vec<DictionaryWord> {
        self.find_record(synset).and_then(|mut record| record.words()).unwrap_or_default()
    }

    /// All that the record of a synset holds.
    pub(super) fn record(&self, synset: Synset) -> Option<SynsetRecord> {
        let mut record = self.find_record(synset)?;
        let (category, is_satellite) = record.class()?;
        Some(SynsetRecord { category, is_satellite, words: record.words()?, pointers: record.pointers(synset)? })
    }

    /// Goes to the record of a synset, passing over those before it in its block.
    fn find_record(&self, synset: Synset) -> Option<SynsetReader<'_>> {
        if synset.0 >= self.table.synset_count {
            return None;
        }
        let (reader, before) = self.table.synsets().block_of(synset.0)?;
        SynsetReader::new(reader, before)
    }
}

/// The form in which words are looked up: trimmed, lower case, underscores for spaces.
pub(super) fn key(word: &str) -> Cow<'_, str> {
    // Most words are in that form already; space of any kind is no graphic character.
    if word.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(python::lower(python::strip(word)).replace(' ', "_"))
}
