//! Decodes the records of lemmas and synsets.
//!
//! A lemma's record says for each of its parts of speech which synsets it belongs to. A synset's record has its
//! category, its words and its pointers:
//!
//! ```text
//! block of lemmas   number: the synset around which the block's references lie
//!   lemma           byte: parts of speech (4 bits), plain (1 bit)
//!                   plain: one signed distance for each part of speech
//!                   else, for each: number = senses * 2 + tagged; if tagged, how many counts and the counts; distances
//! block of synsets
//!   synset          byte: category code * 4 + has a hypernym (1) + has pointers (2)
//!                   words: number = reference * 8 + case * 2 + another follows; mask if the case has one; the
//!                   reference of a first word counts from that of the synset before, others are lemma numbers
//!                   hypernym: signed distance
//!                   pointers: byte = relation + 16 another follows + 32 between words; pair of word places if between
//!                   words; signed distance
//! ```

use super::entries::{DictionaryWord, Lemma, Pointer, Sense, Synset};
use super::letter_case::LetterCase;
use super::reader::VarintReader;
use super::{Category, PartsOfSpeech, SynsetRelation};

/// Bit of a lemma's header: one sense for each part of speech, none counted.
pub(super) const PLAIN: u8 = 1 << 4;
/// Bit of a synset's header: a hypernym follows the words.
pub(super) const HAS_HYPERNYM: u8 = 1;
/// Bit of a synset's header: pointers follow.
pub(super) const HAS_POINTERS: u8 = 1 << 1;
/// Bit of a pointer: another one follows.
pub(super) const MORE: u8 = 1 << 4;
/// Bit of a pointer: it leads from one word to another rather than from synset to synset.
pub(super) const BETWEEN_WORDS: u8 = 1 << 5;

/// The meanings of a lemma, most usual first.
#[derive(Debug, Clone)]
pub struct Senses<'a> {
    remaining: u32,
    base: u32,
    distances: VarintReader<'a>,
    remaining_counts: u32,
    counts: VarintReader<'a>,
}

impl<'a> Senses<'a> {
    /// No meanings, as of a word that is no lemma.
    pub(super) fn none() -> Self {
        let nothing = VarintReader::new(&[]);
        Self { remaining: 0, base: 0, distances: nothing, remaining_counts: 0, counts: nothing }
    }

    /// Reads the senses of one part of speech and leaves the reader behind them.
    pub(super) fn read(reader: &mut VarintReader<'a>, is_plain: bool, base: u32) -> Option<Self> {
        let size = if is_plain { 2 } else { reader.number()? };
        let remaining = size >> 1;
        let remaining_counts = if size & 1 == 1 { reader.number()? } else { 0 };
        let counts = *reader;
        reader.skip_numbers(remaining_counts)?;
        let distances = *reader;
        reader.skip_numbers(remaining)?;
        Some(Self { remaining, base, distances, remaining_counts, counts })
    }
}

impl Iterator for Senses<'_> {
    type Item = Sense;

    fn next(&mut self) -> Option<Sense> {
        self.remaining = self.remaining.checked_sub(1)?;
        let synset = relative(&mut self.distances, self.base)?;
        let count = match self.remaining_counts.checked_sub(1) {
            Some(remaining) => {
                self.remaining_counts = remaining;
                self.counts.number()?
            }
            None => 0,
        };
        Some(Sense { synset, count })
    }
}

/// A reference to a synset by its distance from another.
fn relative(reader: &mut VarintReader<'_>, base: u32) -> Option<Synset> {
    let number = i64::from(base).checked_add(reader.signed()?)?;
    u32::try_from(number).ok().map(Synset)
}

/// Reads a synset's record: first its words, then its pointers.
pub(super) struct SynsetReader<'a> {
    header: u8,
    reader: VarintReader<'a>,
    /// The lemma of the first word of the synset before it in its block.
    previous_head: u32,
}

impl<'a> SynsetReader<'a> {
    /// Goes to the record that `before` others stand in front of in its block.
    pub(super) fn new(mut reader: VarintReader<'a>, before: u32) -> Option<Self> {
        let mut previous_head = 0;
        for _ in 0..before {
            previous_head = skip_synset(&mut reader, previous_head)?;
        }
        Some(Self { header: reader.byte()?, reader, previous_head })
    }

    /// The category, and whether the synset is a satellite.
    pub(super) fn class(&self) -> Option<(Category, bool)> {
        Category::from_code(self.header >> 2)
    }

    pub(super) fn words(&mut self) -> Option<Vec<DictionaryWord>> {
        let mut words = Vec::new();
        let mut base = self.previous_head;
        loop {
            let number = self.reader.number()?;
            let case = LetterCase::read((number >> 1) & 3, &mut self.reader)?;
            words.push(DictionaryWord { lemma: Lemma(base.checked_add(number >> 3)?), case });
            base = 0;
            if number & 1 == 0 {
                return Some(words);
            }
        }
    }

    /// The pointers, once the words are read.
    pub(super) fn pointers(&mut self, synset: Synset) -> Option<Vec<Pointer>> {
        let mut pointers = Vec::new();
        if self.header & HAS_HYPERNYM != 0 {
            let target = relative(&mut self.reader, synset.0)?;
            pointers.push(Pointer { relation: SynsetRelation::Hypernym, target, words: None });
        }
        let mut more = self.header & HAS_POINTERS != 0;
        while more {
            let byte = self.reader.byte()?;
            more = byte & MORE != 0;
            let relation = SynsetRelation::from_code(byte & 15)?;
            let words = if byte & BETWEEN_WORDS == 0 { None } else { Some(self.reader.pair()?) };
            pointers.push(Pointer { relation, target: relative(&mut self.reader, synset.0)?, words });
        }
        Some(pointers)
    }
}

/// Passes over a lemma's record.
pub(super) fn skip_lemma(reader: &mut VarintReader<'_>) -> Option<()> {
    let header = reader.byte()?;
    let parts = PartsOfSpeech::from_bits(header);
    if header & PLAIN != 0 {
        return reader.skip_numbers(parts.len());
    }
    for _ in 0..parts.len() {
        Senses::read(reader, false, 0)?;
    }
    Some(())
}

/// Passes over a synset's record and gives the lemma of its first word.
fn skip_synset(reader: &mut VarintReader<'_>, previous_head: u32) -> Option<u32> {
    let header = reader.byte()?;
    let mut head = None;
    loop {
        let number = reader.number()?;
        if (number >> 1) & 3 == 3 {
            let length = usize::try_from(reader.number()?).ok()?;
            reader.bytes(length)?;
        }
        if head.is_none() {
            head = Some(previous_head.checked_add(number >> 3)?);
        }
        if number & 1 == 0 {
            break;
        }
    }
    if header & HAS_HYPERNYM != 0 {
        reader.skip_numbers(1)?;
    }
    let mut more = header & HAS_POINTERS != 0;
    while more {
        let byte = reader.byte()?;
        more = byte & MORE != 0;
        if byte & BETWEEN_WORDS != 0 {
            reader.pair()?;
        }
        reader.skip_numbers(1)?;
    }
    head
}
