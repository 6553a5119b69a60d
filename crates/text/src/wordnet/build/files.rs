//! Reads the files of a WordNet distribution, whose format is on the manual page `wndb(5WN)`.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::error::{FileLocation, WordNetBuildError};
use crate::wordnet::{Category, PartOfSpeech, SynsetRelation};

/// What the files say.
#[derive(Debug, Default)]
pub(super) struct WordNetFiles {
    pub(super) lemmas: Vec<IndexLine>,
    pub(super) synsets: Vec<DataLine>,
    /// Base forms by inflected form and part of speech. The last line of a word that is repeated counts.
    pub(super) exceptions: BTreeMap<(String, PartOfSpeech), Vec<String>>,
    /// How often a sense was met, by lemma, part of speech and number of the sense, which counts from 1.
    pub(super) counts: BTreeMap<(String, PartOfSpeech, u32), u32>,
}

/// A line of an index file: a lemma and the synsets it belongs to, most usual first.
#[derive(Debug)]
pub(super) struct IndexLine {
    pub(super) place: FileLocation,
    pub(super) lemma: String,
    pub(super) part: PartOfSpeech,
    pub(super) offsets: Vec<u32>,
}

/// A line of a data file: a synset.
#[derive(Debug)]
pub(super) struct DataLine {
    pub(super) place: FileLocation,
    pub(super) part: PartOfSpeech,
    pub(super) offset: u32,
    pub(super) category: Category,
    pub(super) is_satellite: bool,
    pub(super) words: Vec<String>,
    pub(super) pointers: Vec<DataPointer>,
}

/// A pointer in a data file.
#[derive(Debug)]
pub(super) struct DataPointer {
    pub(super) relation: SynsetRelation,
    pub(super) part: PartOfSpeech,
    pub(super) offset: u32,
    /// Places of the two words, counted from 0, for a pointer between words.
    pub(super) words: Option<(u32, u32)>,
}

/// Reads all files of a folder.
pub(super) fn read(dir: &Path) -> Result<WordNetFiles, WordNetBuildError> {
    let mut source = WordNetFiles::default();
    for part in PartOfSpeech::ALL {
        let suffix = part.file_suffix();
        for_each_line(&dir.join(format!("data.{suffix}")), |line| {
            source.synsets.push(data_line(line, part)?);
            Ok(())
        })?;
        for_each_line(&dir.join(format!("index.{suffix}")), |line| {
            source.lemmas.push(index_line(line, part)?);
            Ok(())
        })?;
        for_each_line(&dir.join(format!("{suffix}.exc")), |line| {
            let mut words = line.text.split_whitespace().map(str::to_lowercase);
            let inflected = words.next().ok_or_else(|| line.place.expected("an inflected form and its base forms"))?;
            source.exceptions.insert((inflected, part), words.collect());
            Ok(())
        })?;
    }
    let counts = dir.join("cntlist.rev");
    match for_each_line(&counts, |line| count_line(&mut source, line)) {
        // Distributions exist without this file; senses are then in order all the same, but not counted.
        Err(WordNetBuildError::Read { source: error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(source),
        Err(error) => Err(error),
        Ok(()) => Ok(source),
    }
}

/// A line that is not empty and does not belong to the licence, which is indented.
struct Line<'a> {
    place: FileLocation,
    text: &'a str,
}

fn for_each_line(
    path: &Path,
    mut act: impl FnMut(&Line<'_>) -> Result<(), WordNetBuildError>,
) -> Result<(), WordNetBuildError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| WordNetBuildError::Read { path: path.to_path_buf(), source })?;
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with(' ') && !line.is_empty() {
            act(&Line { place: FileLocation { path: path.to_path_buf(), line: number }, text: line })?;
        }
    }
    Ok(())
}

/// The fields of a line from left to right, each with the name it has in an error.
struct Fields<'a> {
    place: &'a FileLocation,
    fields: std::str::SplitWhitespace<'a>,
}

impl<'a> Fields<'a> {
    fn text(&mut self, expected: &'static str) -> Result<&'a str, WordNetBuildError> {
        self.fields.next().ok_or_else(|| self.place.expected(expected))
    }

    fn decimal(&mut self, expected: &'static str) -> Result<u32, WordNetBuildError> {
        self.text(expected)?.parse().map_err(|_| self.place.expected(expected))
    }

    fn hexadecimal(&mut self, expected: &'static str) -> Result<u32, WordNetBuildError> {
        u32::from_str_radix(self.text(expected)?, 16).map_err(|_| self.place.expected(expected))
    }

    /// A number of a synset: its offset in the data file, at most eight digits.
    fn offset(&mut self) -> Result<u32, WordNetBuildError> {
        self.decimal("the offset of a synset")
    }

    fn part_of_speech(&mut self) -> Result<PartOfSpeech, WordNetBuildError> {
        PartOfSpeech::from_letter(self.text("a part of speech")?)
            .ok_or_else(|| self.place.expected("a part of speech: n, v, a, s or r"))
    }
}

/// `lemma pos synset_cnt p_cnt [symbol …] sense_cnt tagsense_cnt offset …`
fn index_line(line: &Line<'_>, part: PartOfSpeech) -> Result<IndexLine, WordNetBuildError> {
    let mut fields = Fields { place: &line.place, fields: line.text.split_whitespace() };
    let lemma = fields.text("a lemma")?.to_lowercase();
    fields.part_of_speech()?;
    let synset_count = fields.decimal("how many synsets there are")?;
    for _ in 0..fields.decimal("how many pointer symbols there are")? {
        fields.text("a pointer symbol")?;
    }
    fields.decimal("how many senses there are")?;
    fields.decimal("how many senses are tagged")?;
    let offsets = (0..synset_count).map(|_| fields.offset()).collect::<Result<_, _>>()?;
    Ok(IndexLine { place: line.place.clone(), lemma, part, offsets })
}

/// `offset lex_filenum ss_type w_cnt word lex_id … p_cnt [symbol offset pos source/target] … [frames] | gloss`
fn data_line(line: &Line<'_>, part: PartOfSpeech) -> Result<DataLine, WordNetBuildError> {
    let mut fields = Fields { place: &line.place, fields: line.text.split_whitespace() };
    let offset = fields.offset()?;
    let number = fields.decimal("the number of a lexicographer file")?;
    let category = u8::try_from(number)
        .ok()
        .and_then(Category::from_number)
        .filter(|category| category.part_of_speech() == part)
        .ok_or_else(|| line.place.expected("a lexicographer file of this part of speech"))?;
    let is_satellite = fields.text("the type of the synset")? == "s";
    let word_count = fields.hexadecimal("how many words there are")?;
    if word_count == 0 {
        return Err(line.place.expected("at least one word"));
    }
    let mut words = Vec::new();
    for _ in 0..word_count {
        words.push(without_marker(fields.text("a word")?).to_owned());
        fields.text("the number of a sense in its lexicographer file")?;
    }
    let mut pointers = Vec::new();
    for _ in 0..fields.decimal("how many pointers there are")? {
        pointers.extend(data_pointer(&mut fields)?);
    }
    Ok(DataLine { place: line.place.clone(), part, offset, category, is_satellite, words, pointers })
}

/// One pointer; `None` for a relation that the table leaves out.
fn data_pointer(fields: &mut Fields<'_>) -> Result<Option<DataPointer>, WordNetBuildError> {
    let relation = SynsetRelation::from_symbol(fields.text("a pointer symbol")?);
    let offset = fields.offset()?;
    let part = fields.part_of_speech()?;
    let words = fields.hexadecimal("the words of a pointer as four hexadecimal digits")?;
    let words = match (words >> 8, words & 0xff) {
        (0, 0) => None,
        (source, target) => {
            let expected = "both words of a pointer, or none";
            let place = |number: u32| number.checked_sub(1).ok_or_else(|| fields.place.expected(expected));
            Some((place(source)?, place(target)?))
        }
    };
    Ok(relation.map(|relation| DataPointer { relation, part, offset, words }))
}

/// An adjective without the mark of where it may stand: `(a)` before the noun, `(p)` in a predicate, `(ip)` right
/// behind it.
fn without_marker(word: &str) -> &str {
    ["(a)", "(p)", "(ip)"].iter().find_map(|marker| word.strip_suffix(marker)).unwrap_or(word)
}

/// `lemma%ss_type:lex_filenum:lex_id:head_word:head_id sense_number tag_cnt`
fn count_line(source: &mut WordNetFiles, line: &Line<'_>) -> Result<(), WordNetBuildError> {
    let mut fields = Fields { place: &line.place, fields: line.text.split_whitespace() };
    let key = fields.text("the key of a sense")?;
    let number = fields.decimal("the number of a sense")?;
    let count = fields.decimal("how often a sense was met")?;
    let part = key.rsplit_once('%').and_then(|(lemma, rest)| {
        let part = match rest.split(':').next()? {
            "1" => PartOfSpeech::Noun,
            "2" => PartOfSpeech::Verb,
            "3" | "5" => PartOfSpeech::Adjective,
            "4" => PartOfSpeech::Adverb,
            _ => return None,
        };
        Some((lemma.to_lowercase(), part))
    });
    let (lemma, part) =
        part.ok_or_else(|| line.place.expected("the key of a sense: lemma, `%`, type from 1 to 5, `:`"))?;
    source.counts.insert((lemma, part, number), count);
    Ok(())
}
