//! Numbers lemmas and synsets and writes the records that `decode.rs` and `morphology.rs` describe and read.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{FileLocation, WordNetBuildError};
use super::files::{DataLine, IndexLine, WordNetFiles};
use crate::wordnet::decode::{BETWEEN_WORDS, HAS_HYPERNYM, HAS_POINTERS, MORE, PLAIN};
use crate::wordnet::letter_case::LetterCase;
use crate::wordnet::reader::{write_difference, write_number, write_pair};
use crate::wordnet::records::RecordWriter;
use crate::wordnet::table::{LEMMAS_PER_BLOCK, SYNSETS_PER_BLOCK, TableParts, assemble};
use crate::wordnet::{PartOfSpeech, SynsetRelation, dictionary, symbols};

/// Writes the table.
pub(super) fn encode(source: &WordNetFiles) -> Result<Vec<u8>, WordNetBuildError> {
    let numbering = Numbering::new(source)?;
    let (exception_names, exceptions) = exceptions(source, &numbering);
    let lemma_names: Vec<&str> = numbering.lemmas.keys().map(String::as_str).collect();
    let lemma_differences = dictionary::differences(&lemma_names);
    let exception_differences = dictionary::differences(&exception_names);
    let symbols = symbols::learn(lemma_differences.iter().chain(&exception_differences).map(|(_, suffix)| *suffix));
    let parts = TableParts {
        lemma_count: count(numbering.lemmas.len()),
        synset_count: count(numbering.order.len()),
        exception_count: count(exception_names.len()),
        lemma_names: dictionary::write(&lemma_differences, &symbols),
        lemmas: lemmas(source, &numbering)?,
        synsets: synsets(&numbering)?,
        exception_names: dictionary::write(&exception_differences, &symbols),
        exceptions,
        lemma_heads: dictionary::write_heads(&lemma_names),
        exception_heads: dictionary::write_heads(&exception_names),
        symbols,
    };
    Ok(assemble(&parts))
}

/// Which number stands for which lemma and synset.
struct Numbering<'a> {
    /// Lemmas in byte order.
    lemmas: BTreeMap<String, u32>,
    /// Synsets in the order of their numbers, with the lemma of their first word.
    order: Vec<(u32, &'a DataLine)>,
    /// Synsets by part of speech and offset in the data file.
    synsets: BTreeMap<(PartOfSpeech, u32), u32>,
}

impl<'a> Numbering<'a> {
    fn new(source: &'a WordNetFiles) -> Result<Self, WordNetBuildError> {
        let names: BTreeSet<String> = source
            .synsets
            .iter()
            .flat_map(|synset| synset.words.iter().map(|word| word.to_lowercase()))
            .chain(source.lemmas.iter().map(|line| line.lemma.clone()))
            .collect();
        let lemmas: BTreeMap<String, u32> = names.into_iter().zip(0..).collect();
        let mut order = source
            .synsets
            .iter()
            .map(|synset| Ok((lemma_number(&lemmas, &synset.words[0], &synset.place)?, synset)))
            .collect::<Result<Vec<_>, WordNetBuildError>>()?;
        order.sort_by_key(|(head, synset)| (*head, synset.part, synset.offset));
        let synsets = (0..).zip(&order).map(|(number, (_, synset))| ((synset.part, synset.offset), number)).collect();
        Ok(Self { lemmas, order, synsets })
    }

    fn synset(&self, part: PartOfSpeech, offset: u32, place: &FileLocation) -> Result<u32, WordNetBuildError> {
        let unknown = || place.error(format!("there is no synset {offset} in `data.{}`", part.file_suffix()));
        self.synsets.get(&(part, offset)).copied().ok_or_else(unknown)
    }
}

fn lemma_number(lemmas: &BTreeMap<String, u32>, word: &str, place: &FileLocation) -> Result<u32, WordNetBuildError> {
    lemmas.get(&word.to_lowercase()).copied().ok_or_else(|| place.expected("a word of the list of lemmas"))
}

fn count(length: usize) -> u32 {
    u32::try_from(length).expect("a WordNet has far fewer than four thousand million entries")
}

/// Writes the lemmas: for each part of speech the synsets, and how often each was met.
fn lemmas(source: &WordNetFiles, numbering: &Numbering<'_>) -> Result<RecordWriter, WordNetBuildError> {
    let mut lines: BTreeMap<&str, BTreeMap<PartOfSpeech, &IndexLine>> = BTreeMap::new();
    for line in &source.lemmas {
        lines.entry(&line.lemma).or_default().insert(line.part, line);
    }
    let mut writer = RecordWriter::new(LEMMAS_PER_BLOCK);
    let mut base = 0;
    for (lemma, number) in &numbering.lemmas {
        if writer.begin() {
            // Synsets are ordered by first word, so those of a block's lemmas lie around here.
            base = count(numbering.order.partition_point(|(head, _)| head < number));
            write_number(&mut writer.bytes, base);
        }
        let lines: Vec<&IndexLine> =
            lines.get(lemma.as_str()).map(|lines| lines.values().copied().collect()).unwrap_or_default();
        let counts: Vec<Vec<u32>> = lines.iter().map(|line| sense_counts(source, line)).collect();
        let parts = lines.iter().fold(0, |bits, line| bits | line.part.bit());
        let is_plain = lines.iter().all(|line| line.offsets.len() == 1) && counts.iter().all(Vec::is_empty);
        writer.bytes.push(if is_plain { parts | PLAIN } else { parts });
        for (line, counts) in lines.iter().zip(counts) {
            if !is_plain {
                write_number(&mut writer.bytes, count(line.offsets.len()) << 1 | u32::from(!counts.is_empty()));
                if !counts.is_empty() {
                    write_number(&mut writer.bytes, count(counts.len()));
                    for count in counts {
                        write_number(&mut writer.bytes, count);
                    }
                }
            }
            for offset in &line.offsets {
                let synset = numbering.synset(line.part, *offset, &line.place)?;
                write_difference(&mut writer.bytes, synset, base);
            }
        }
    }
    Ok(writer)
}

/// How often the senses of a lemma were met, without the zeros at the end.
fn sense_counts(source: &WordNetFiles, line: &IndexLine) -> Vec<u32> {
    let mut counts: Vec<u32> = (1..=count(line.offsets.len()))
        .map(|sense| source.counts.get(&(line.lemma.clone(), line.part, sense)).copied().unwrap_or(0))
        .collect();
    while counts.last() == Some(&0) {
        counts.pop();
    }
    counts
}

/// Writes the synsets: category, words, pointers.
fn synsets(numbering: &Numbering<'_>) -> Result<RecordWriter, WordNetBuildError> {
    let mut writer = RecordWriter::new(SYNSETS_PER_BLOCK);
    let mut previous_head = 0;
    for (number, (head, synset)) in (0..).zip(&numbering.order) {
        if writer.begin() {
            previous_head = 0;
        }
        let mut pointers = Vec::new();
        for pointer in &synset.pointers {
            pointers.push((pointer, numbering.synset(pointer.part, pointer.offset, &synset.place)?));
        }
        // Most nouns and verbs have one hypernym; kept apart it needs no byte for its relation.
        let hypernym = pointers
            .iter()
            .position(|(pointer, _)| pointer.relation == SynsetRelation::Hypernym && pointer.words.is_none())
            .map(|place| pointers.remove(place).1);
        let code = synset
            .category
            .code(synset.is_satellite)
            .ok_or_else(|| synset.place.expected("an adjective, as satellites are"))?;
        let mut header = code << 2;
        if hypernym.is_some() {
            header |= HAS_HYPERNYM;
        }
        if !pointers.is_empty() {
            header |= HAS_POINTERS;
        }
        writer.bytes.push(header);
        write_words(&mut writer.bytes, synset, numbering, previous_head)?;
        previous_head = *head;
        if let Some(target) = hypernym {
            write_difference(&mut writer.bytes, target, number);
        }
        for (place, (pointer, target)) in pointers.iter().enumerate() {
            let more = if place + 1 < pointers.len() { MORE } else { 0 };
            let between_words = if pointer.words.is_some() { BETWEEN_WORDS } else { 0 };
            writer.bytes.push(pointer.relation.code() | more | between_words);
            if let Some((here, there)) = pointer.words {
                write_pair(&mut writer.bytes, here, there);
            }
            write_difference(&mut writer.bytes, *target, number);
        }
    }
    Ok(writer)
}

/// Writes the words of a synset, the first as its distance from that of the synset before.
fn write_words(
    bytes: &mut Vec<u8>,
    synset: &DataLine,
    numbering: &Numbering<'_>,
    previous_head: u32,
) -> Result<(), WordNetBuildError> {
    let mut base = previous_head;
    for (place, word) in synset.words.iter().enumerate() {
        let lemma = lemma_number(&numbering.lemmas, word, &synset.place)?;
        let case = LetterCase::from_spelling(word, &word.to_lowercase())
            .ok_or_else(|| synset.place.expected("words that keep their letters in lower case"))?;
        let more = u32::from(place + 1 < synset.words.len());
        write_number(bytes, (lemma - base) << 3 | case.code() << 1 | more);
        case.write(bytes);
        base = 0;
    }
    Ok(())
}

/// Writes the exceptions: for each part of speech the base forms that are lemmas. Others could never be a result; the
/// word stays in the list without them, because being there keeps the rules away from it.
fn exceptions<'a>(source: &'a WordNetFiles, numbering: &Numbering<'_>) -> (Vec<&'a str>, RecordWriter) {
    let mut words: BTreeMap<&str, Vec<(PartOfSpeech, Vec<u32>)>> = BTreeMap::new();
    for ((word, part), bases) in &source.exceptions {
        let lemmas = bases.iter().filter_map(|base| numbering.lemmas.get(base).copied()).collect();
        words.entry(word).or_default().push((*part, lemmas));
    }
    let mut writer = RecordWriter::new(LEMMAS_PER_BLOCK);
    for lists in words.values() {
        writer.begin();
        writer.bytes.push(lists.iter().fold(0, |bits, (part, _)| bits | part.bit()));
        for (_, lemmas) in lists {
            write_number(&mut writer.bytes, count(lemmas.len()));
            for lemma in lemmas {
                write_number(&mut writer.bytes, *lemma);
            }
        }
    }
    (words.into_keys().collect(), writer)
}
