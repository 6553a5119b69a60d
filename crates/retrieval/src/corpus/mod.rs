//! Corpora: which files there are, and the documents in them.
//!
//! A corpus is one file or a folder of files, also in folders below it. A text or Markdown file and a PDF file are one document
//! each. JSON holds transcripts in the shapes of [`probare_formats::Corpus`], JSON lines one record a line. A table (CSV or TSV)
//! holds one record a row where it has a column FILE, `document_id` or `_id`; otherwise its rows are the utterances of one
//! document. What a document of its own file is about is read from its name where that is `PROJECT_type_language.format`.

mod document;
mod error;
mod pdf;
mod tables;

pub use document::Document;
pub use error::CorpusError;
pub use pdf::{PdfError, PdfReader};

use std::path::{Path, PathBuf};

use probare_core::InputFile;
use probare_formats::{Corpus, DataError, JsonNode, LARGEST_DOCUMENT, Transcript, files_below, parse_json, read_whole};
use serde_json::{Map, Value as Json, json};

use document::LONGEST_DOCUMENT;

/// Bytes of the largest file of rows: 2 GiB.
const LARGEST_ROWS: u64 = 2 << 30;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorpusFileKind {
    /// Plain text or Markdown.
    Text,
    /// Transcripts in JSON.
    Transcripts,
    /// One record a line.
    Lines,
    /// A table with this sign between its cells.
    Table(u8),
    /// Through whoever is given to read it.
    Pdf,
}

/// Extensions that are read.
pub const EXTENSIONS: &str = "txt, text, md, markdown, json, jsonl, ndjson, csv, tsv, pdf";

impl CorpusFileKind {
    /// By the extension, in small letters.
    fn from_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "txt" | "text" | "md" | "markdown" => Self::Text,
            "json" => Self::Transcripts,
            "jsonl" | "ndjson" => Self::Lines,
            "csv" => Self::Table(b','),
            "tsv" => Self::Table(b'\t'),
            "pdf" => Self::Pdf,
            _ => return None,
        })
    }
}

/// A file of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusFile {
    pub path: PathBuf,
    /// Its path in the corpus, with `/` between folders.
    pub name: String,
    /// How it is read.
    pub kind: CorpusFileKind,
}

/// The files of a corpus, sorted by name: the file itself, or all that can be read below a folder, but for those in the folder
/// `except`.
pub fn list_files(corpus: &Path, except: Option<&Path>) -> Result<Vec<CorpusFile>, CorpusError> {
    let metadata = std::fs::metadata(corpus).map_err(|source| CorpusError::Io { path: corpus.to_owned(), source })?;
    let empty = || CorpusError::Empty { path: corpus.to_owned() };
    let extension = |path: &Path| {
        path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
    };
    if metadata.is_file() {
        let kind = CorpusFileKind::from_extension(&extension(corpus)).ok_or_else(empty)?;
        let name = corpus.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(vec![CorpusFile { path: corpus.to_owned(), name, kind }]);
    }
    let except = except.and_then(|path| path.canonicalize().ok());
    let is_wanted = &mut |path: &Path, extension: &str| {
        let is_inside = || {
            let whole = path.canonicalize().ok();
            except.as_ref().zip(whole).is_some_and(|(except, path)| path.starts_with(except))
        };
        CorpusFileKind::from_extension(extension).is_some() && !is_inside()
    };
    let paths = files_below(corpus, is_wanted).map_err(|(path, source)| CorpusError::Io { path, source })?;
    let mut files: Vec<CorpusFile> = paths
        .into_iter()
        .filter_map(|path| {
            let kind = CorpusFileKind::from_extension(&extension(&path))?;
            let name = path.strip_prefix(corpus).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            Some(CorpusFile { path, name, kind })
        })
        .collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    if files.is_empty() { Err(empty()) } else { Ok(files) }
}

impl CorpusFile {
    /// Its bytes and digest.
    pub fn read(&self) -> Result<(Vec<u8>, InputFile), CorpusError> {
        let limit = match self.kind {
            CorpusFileKind::Lines | CorpusFileKind::Table(_) => LARGEST_ROWS,
            _ => LARGEST_DOCUMENT,
        };
        Ok(read_whole(&self.path.display().to_string(), limit)?)
    }

    /// The documents in these bytes, in order. A PDF file is read by `pdf`.
    pub fn documents(&self, bytes: Vec<u8>, pdf: Option<&dyn PdfReader>) -> Result<Vec<Document>, CorpusError> {
        let file = self.path.display().to_string();
        let documents = match self.kind {
            CorpusFileKind::Text => vec![self.whole_document(utf8(bytes, &file)?)],
            CorpusFileKind::Transcripts => {
                let corpus = Corpus::read(&bytes, &file)?;
                corpus.transcripts().iter().cloned().map(Document::from).collect()
            }
            CorpusFileKind::Lines => lines(&bytes, &file)?,
            CorpusFileKind::Table(sign) => match tables::read(&bytes, sign, &file)? {
                tables::TableContent::Records(documents) => documents,
                tables::TableContent::Utterances(text) => vec![self.whole_document(text)],
            },
            CorpusFileKind::Pdf => vec![self.whole_document(pdf::text(&file, &bytes, pdf)?)],
        };
        match documents.iter().find(|document| document.text.len() > LONGEST_DOCUMENT) {
            Some(document) => Err(CorpusError::Invalid(format!(
                "`{file}`: document `{}` is longer than {LONGEST_DOCUMENT} bytes",
                document.key
            ))),
            None => Ok(documents),
        }
    }

    /// A document that is the whole file; its name says what it is about.
    fn whole_document(&self, text: String) -> Document {
        let mut metadata = metadata_from_name(&self.name);
        metadata.insert("FILE".to_owned(), json!(self.name));
        Document { key: self.name.clone(), text, metadata }
    }
}

/// The bytes as text; the error says where they are none.
fn utf8(bytes: Vec<u8>, file: &str) -> Result<String, CorpusError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        CorpusError::Invalid(format!(
            "`{file}` is not valid UTF-8 at byte {at}; save it as UTF-8, for example with `iconv -f WINDOWS-1252 -t utf-8`"
        ))
    })
}

fn lines(bytes: &[u8], file: &str) -> Result<Vec<Document>, CorpusError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut documents = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let in_line = |mut error: DataError| {
            let path = if error.path.is_empty() { String::new() } else { format!(" at `{}`", error.path) };
            error.reason = format!("line {}{path}: {}", index + 1, error.reason);
            error.path = String::new();
            error
        };
        let record = parse_json(line, file).map_err(in_line)?;
        documents.push(Transcript::read(&JsonNode::root(file, &record)).map_err(in_line)?.into());
    }
    Ok(documents)
}

/// What a name `PROJECT_type_language.format` tells, such as `DK-019_interview_english.txt`.
fn metadata_from_name(name: &str) -> Map<String, Json> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let parts: Vec<&str> = file.split('_').collect();
    let mut metadata = Map::new();
    let [project, kind, rest] = parts.as_slice() else { return metadata };
    let is_project = project.split_once('-').is_some_and(|(letters, digits)| {
        !letters.is_empty()
            && letters.bytes().all(|byte| byte.is_ascii_uppercase())
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !is_project {
        return metadata;
    }
    metadata.insert("PROJECT".to_owned(), json!(project));
    metadata.insert("TYPE".to_owned(), json!(kind));
    // `audio.m4a.csv` names a recording, not a language.
    if let Some((language, format)) = rest.split_once('.')
        && !format.contains('.')
    {
        metadata.insert("RECORD LANG".to_owned(), json!(language));
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(name: &str, text: &str) -> Result<Vec<Document>, CorpusError> {
        let extension = name.rsplit('.').next().unwrap();
        let kind = CorpusFileKind::from_extension(extension).unwrap();
        CorpusFile { path: name.into(), name: name.into(), kind }.documents(text.as_bytes().to_vec(), None)
    }

    #[test]
    fn every_format_is_read() {
        let text = documents("DK-019_interview_english.txt", "\u{feff}Hello").unwrap();
        assert_eq!((text[0].key.as_str(), text[0].text.as_str()), ("DK-019_interview_english.txt", "\u{feff}Hello"));
        assert_eq!(Json::Object(text[0].metadata.clone())["RECORD LANG"], "english");
        let records = documents(
            "a.jsonl",
            "{\"FILE\":\"x\",\"text\":\"one\",\"YEAR\":2019}\n\n{\"_id\":7,\"page_content\":\"two\"}",
        )
        .unwrap();
        assert_eq!((records[0].metadata["YEAR"].clone(), records[1].key.as_str()), (json!(2019), "7"));
        let transcripts =
            documents("a.json", r#"{"transcripts":[{"FILE":"b","segments":[{"text":"1"},{"text":"2"}]}]}"#).unwrap();
        assert_eq!(transcripts[0].text, "1\n2");
        let rows = documents("a.csv", "FILE,COUNTRY,YEAR,text\nx,France,2019,\"Good, day\"\n").unwrap();
        assert_eq!(
            (rows[0].key.as_str(), rows[0].text.as_str(), &rows[0].metadata["YEAR"]),
            ("x", "Good, day", &json!(2019))
        );
        let utterances =
            documents("DK-019_interview_audio.m4a.csv", "start,speaker,text\n0,A,Hello\n1,B,Yes.\n").unwrap();
        assert_eq!((utterances.len(), utterances[0].text.as_str()), (1, "A: Hello\nB: Yes."));
        assert_eq!(utterances[0].metadata["PROJECT"], "DK-019");
        assert!(!utterances[0].metadata.contains_key("RECORD LANG"));
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |name: &str, text: &str| documents(name, text).unwrap_err().to_string();
        assert!(
            error("a.jsonl", "{\"FILE\":\"x\",\"text\":\"one\"}\n{\"text\":\"two\"}")
                .contains("line 2: has none of FILE")
        );
        assert!(error("a.jsonl", "{").contains("`a.jsonl`: line 1: is not valid JSON"));
        assert!(error("a.csv", "FILE,YEAR\nx,2019\n").contains("no column"));
        assert!(error("a.csv", "FILE,text\n,hello\n").contains("line 2"));
        let bytes = CorpusFile { path: "a.txt".into(), name: "a.txt".into(), kind: CorpusFileKind::Text }
            .documents(b"ab\xff".to_vec(), None);
        assert!(bytes.unwrap_err().to_string().contains("UTF-8 at byte 2"));
    }

    #[test]
    fn an_index_inside_the_corpus_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("index")).unwrap();
        for name in ["a.txt", "index/b.txt", "c.bin"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        let files = list_files(folder.path(), Some(&folder.path().join("index"))).unwrap();
        assert_eq!(files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["a.txt"]);
        assert!(matches!(list_files(&folder.path().join("c.bin"), None), Err(CorpusError::Empty { .. })));
    }
}
