//! All that was learnt, in one file.

use crate::ModelFileError;
use crate::bytes::ByteReader;
use crate::labels;
use crate::lemma::Lemmatizer;
use crate::search::{BeamLimits, Grammar};
use crate::tagger::Tagger;
use crate::transition::{LabelId, MoveSet};
use crate::weights::LinearWeights;

/// The first bytes of a model file.
const MAGIC: &[u8; 8] = b"PROBNLP\0";

/// Goes up when an older program could not read a newer file, or when features change their meaning.
const FORMAT: u8 = 2;

/// No model is larger than this when unpacked; a broken length must not ask for all memory.
const LARGEST: usize = 1 << 27;

/// Tagger, lemmatiser and parser.
#[derive(Debug)]
pub struct ParserModel {
    pub tagger: Tagger,
    pub lemmatizer: Lemmatizer,
    /// Relations by number.
    pub labels: Vec<&'static str>,
    pub grammar: Grammar,
    /// How many hypotheses the parser follows.
    pub beam: BeamLimits,
    pub parser: LinearWeights,
}

impl ParserModel {
    pub fn read(bytes: &[u8]) -> Result<Self, ModelFileError> {
        Self::from_content(&decompress(bytes)?)
    }

    /// Reads the content of a model file, unpacked.
    pub fn from_content(content: &[u8]) -> Result<Self, ModelFileError> {
        let mut reader = ByteReader::new(content);
        let tagger = Tagger::read(&mut reader)?;
        let lemmatizer = Lemmatizer::read(&mut reader)?;
        let count = reader.count()?;
        if count > usize::from(LabelId::MAX) {
            return Err(ModelFileError::NumberTooLarge);
        }
        let mut names = Vec::with_capacity(count);
        for _ in 0..count {
            let name = reader.string()?;
            let unknown = || ModelFileError::unknown_name("relation", name);
            names.push(labels::relation(name).ok_or_else(unknown)?);
        }
        let grammar = grammar(&names)?;
        let width = reader.count()?.clamp(1, 64);
        let lag = i32::try_from(reader.small()?).map_err(|_| ModelFileError::NumberTooLarge)?;
        let beam = BeamLimits { width, lag };
        let parser = LinearWeights::read(&mut reader, grammar.moves.len())?;
        reader.end()?;
        Ok(Self { tagger, lemmatizer, labels: names, grammar, beam, parser })
    }
}

/// What a file holds behind its head: the length of the content, and the content, compressed.
fn decompress(bytes: &[u8]) -> Result<Vec<u8>, ModelFileError> {
    let mut reader = ByteReader::new(bytes);
    let wrong = || ModelFileError::Damaged(format!("not a model of format version {FORMAT}"));
    if reader.raw(MAGIC.len()).map_err(|_| wrong())? != MAGIC || reader.raw(1)? != [FORMAT] {
        return Err(wrong());
    }
    let length = usize::try_from(reader.number()?).map_err(|_| ModelFileError::NumberTooLarge)?;
    if length > LARGEST {
        return Err(ModelFileError::NumberTooLarge);
    }
    let content = zstd::bulk::decompress(reader.rest(), length)
        .map_err(|_| ModelFileError::Damaged("the content of the model cannot be unpacked".to_owned()))?;
    if content.len() == length { Ok(content) } else { Err(ModelFileError::Truncated) }
}

/// A file as [`ParserModel::read`] expects it.
pub fn compress(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut writer = crate::bytes::ByteWriter::default();
    writer.raw(MAGIC);
    writer.raw(&[FORMAT]);
    writer.count(content.len());
    writer.raw(&zstd::bulk::compress(content, 19)?);
    Ok(writer.finish())
}

/// The moves that a list of relations makes possible.
pub fn grammar(labels: &[&'static str]) -> Result<Grammar, ModelFileError> {
    let root = labels.iter().position(|name| *name == "root").and_then(|place| LabelId::try_from(place).ok());
    let missing = || ModelFileError::unknown_name("relation", "root");
    Ok(Grammar { moves: MoveSet { labels: labels.len() }, root_label: root.ok_or_else(missing)? })
}
