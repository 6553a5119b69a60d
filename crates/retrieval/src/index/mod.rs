//! [`Index`]: a corpus on disk, ready to be searched.
//!
//! | file of a generation | what it holds |
//! |---|---|
//! | `index.json` | [`Header`]: settings, files of the corpus with their digests, counts |
//! | `texts` | the texts of all documents, one after the other |
//! | `heads.jsonl` | key and metadata of each document |
//! | `documents` | for each document where its text, its head and its passages end: three numbers of 8 bytes |
//! | `passages` | for each passage its document, start and end: three numbers of 4 bytes |
//! | `vectors` | for each passage its vector, numbers of 4 bytes |
//! | `columns.json`, `columns` | the values of each field of the metadata, and for each document the number of its value |
//! | `words/` | the index of words (tantivy) |
//!
//! Numbers are written with the lowest byte first.

mod columns;
mod folder;
mod header;
mod lexical;
mod mapped;
mod partial_vectors;
mod vectors;
mod writer;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_cancellation::count_steps;
use serde_json::{Map, Value as Json};

use self::columns::MetadataColumns;
use self::header::FORMAT;
use self::lexical::LexicalIndex;
use self::mapped::MappedFile;
use self::vectors::VectorRows;
use crate::stores::VectorStore;
use crate::tokenizer::terms;
use crate::{Filter, RetrievalError};

pub use header::{Header, IndexSettings, IndexedFile, SkippedFile, VectorsInfo};
pub(crate) use lexical::ScoredPassage;
pub use writer::{BuildReport, BuildStage, IndexBuilder};

const HEADER: &str = "index.json";
const TEXTS: &str = "texts";
const HEADS: &str = "heads.jsonl";
const DOCUMENTS: &str = "documents";
const PASSAGES: &str = "passages";
const VECTORS: &str = "vectors";
const COLUMNS: &str = "columns.json";
const CODES: &str = "columns";
const WORDS: &str = "words";

/// How often an index is opened again when another generation took its place in the meantime.
const OPENINGS: usize = 5;

/// A passage of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedPassage {
    /// Its number in the index, from 0: the order of the corpus.
    pub number: u64,
    /// Its id: the key of the document, `#`, and its number in the document, from 1.
    pub id: String,
    /// Key of the document.
    pub document: String,
    /// Where it stands in the text of the document, in bytes.
    pub span: Range<usize>,
    /// Line at which it starts, from 1.
    pub line: usize,
    /// Page at which it starts, from 1, where the document has pages.
    pub page: Option<usize>,
    pub text: String,
    /// The metadata of its document.
    pub metadata: Map<String, Json>,
}

/// A corpus on disk, ready to be searched by any number of threads.
pub struct Index {
    folder: PathBuf,
    generation: PathBuf,
    header: Header,
    texts: MappedFile,
    heads: MappedFile,
    ends: MappedFile,
    places: MappedFile,
    vectors: Option<VectorRows>,
    columns: MetadataColumns,
    words: LexicalIndex,
    store: Option<Arc<dyn VectorStore>>,
}

/// Numbers of a record of `documents` and of `passages`.
const RECORD: usize = 3;

/// Bytes of the largest header of an index.
const LARGEST_HEADER: u64 = 1 << 30;

impl Index {
    /// Opens the index in a folder.
    pub fn open(folder: &Path) -> Result<Self, RetrievalError> {
        let mut last = None;
        for _ in 0..OPENINGS {
            let generation =
                folder::current_generation(folder)?.ok_or_else(|| RetrievalError::NoIndex(folder.to_owned()))?;
            match Self::open_generation(folder, &generation) {
                Ok(index) => return Ok(index),
                // Another generation may have taken its place since its name was read.
                Err(error) if folder::current_generation(folder)?.as_ref() != Some(&generation) => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(last.unwrap_or_else(|| RetrievalError::NoIndex(folder.to_owned())))
    }

    fn open_generation(folder: &Path, generation: &Path) -> Result<Self, RetrievalError> {
        let path = generation.join(HEADER);
        folder::refuse_special_files(generation)?;
        let bytes = probare_files::read_plain(&path, LARGEST_HEADER).map_err(|error| match error.kind() {
            ErrorKind::NotFound => RetrievalError::Damaged { path: path.clone(), reason: "it is gone".to_owned() },
            _ => RetrievalError::io("read", &path)(error),
        })?;
        let damaged = |reason: String| RetrievalError::Damaged { path: path.clone(), reason };
        let json: Json = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        let found = json.get("format").and_then(Json::as_u64).and_then(|format| u32::try_from(format).ok());
        match found {
            Some(FORMAT) => {}
            Some(found) => return Err(RetrievalError::Format { path: folder.to_owned(), found, known: FORMAT }),
            None => return Err(damaged("it names no format".to_owned())),
        }
        let header: Header = serde_json::from_value(json).map_err(|error| damaged(error.to_string()))?;
        let mapped = |name: &str| {
            let size = header.sizes.get(name).ok_or_else(|| damaged(format!("it has no size of `{name}`")))?;
            MappedFile::open(generation, name, *size)
        };
        let count = |number: u64| usize::try_from(number).map_err(|_| damaged("it has too many documents".to_owned()));
        let (documents, passages) = (count(header.documents)?, count(header.passages)?);
        let (ends, places) = (mapped(DOCUMENTS)?, mapped(PASSAGES)?);
        if ends.bytes().len() != documents * RECORD * 8 || places.bytes().len() != passages * RECORD * 4 {
            return Err(damaged("its counts and its files do not agree".to_owned()));
        }
        let vectors = match &header.vectors {
            None => None,
            Some(info) => {
                let rows = mapped(VECTORS)?;
                if rows.bytes().len() != passages * info.dimensions * 4 {
                    return Err(damaged("its vectors and its passages do not agree".to_owned()));
                }
                Some(VectorRows::new(rows, info.dimensions))
            }
        };
        let columns = MetadataColumns::open(mapped(COLUMNS)?.bytes(), mapped(CODES)?, documents).map_err(damaged)?;
        Ok(Self {
            folder: folder.to_owned(),
            generation: generation.to_owned(),
            texts: mapped(TEXTS)?,
            heads: mapped(HEADS)?,
            ends,
            places,
            vectors,
            columns,
            words: LexicalIndex::open(&generation.join(WORDS))?,
            store: None,
            header,
        })
    }

    /// The same with its vectors searched elsewhere.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn VectorStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// What it says about itself.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The fields that a filter may name.
    pub fn fields(&self) -> impl Iterator<Item = &str> + Clone {
        self.columns.names()
    }

    /// The values of a field, in the order of the corpus.
    pub fn values(&self, field: &str) -> &[Json] {
        self.columns.values(field)
    }

    fn damaged(&self, name: &str, reason: &str) -> RetrievalError {
        RetrievalError::Damaged { path: self.generation.join(name), reason: reason.to_owned() }
    }

    /// Where a part of a document starts and ends: its text (0), its head (1), its passages (2).
    fn part(&self, document: u64, part: usize) -> Result<Range<usize>, RetrievalError> {
        let end = |document: usize| {
            let end = self.ends.u64(document.checked_mul(RECORD)?.checked_add(part)?)?;
            usize::try_from(end).ok()
        };
        let wrong = || self.damaged(DOCUMENTS, "it lacks a document");
        let document = usize::try_from(document).map_err(|_| wrong())?;
        let start = if document == 0 { Some(0) } else { end(document - 1) };
        match (start, end(document)) {
            (Some(start), Some(end)) if start <= end => Ok(start..end),
            _ => Err(wrong()),
        }
    }

    /// The text of a document.
    pub fn text(&self, document: u64) -> Result<&str, RetrievalError> {
        let bytes = self.texts.bytes().get(self.part(document, 0)?);
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.ok_or_else(|| self.damaged(TEXTS, "it lacks the text of a document"))
    }

    /// Key and metadata of a document.
    pub fn head(&self, document: u64) -> Result<(String, Map<String, Json>), RetrievalError> {
        let bytes = self.heads.bytes().get(self.part(document, 1)?).unwrap_or_default();
        serde_json::from_slice(bytes).map_err(|error| self.damaged(HEADS, &error.to_string()))
    }

    /// The numbers of the passages of a document.
    pub fn passages_of(&self, document: u64) -> Result<Range<u64>, RetrievalError> {
        let Range { start, end } = self.part(document, 2)?;
        Ok(start as u64..end as u64)
    }

    fn record(&self, passage: u64) -> Result<[u32; RECORD], RetrievalError> {
        let wrong = || self.damaged(PASSAGES, "it lacks a passage");
        let at = usize::try_from(passage).ok().and_then(|passage| passage.checked_mul(RECORD)).ok_or_else(wrong)?;
        let number = |part: usize| self.places.u32(at + part).ok_or_else(wrong);
        Ok([number(0)?, number(1)?, number(2)?])
    }

    /// The document of a passage.
    pub fn document_of(&self, passage: u64) -> Result<u64, RetrievalError> {
        Ok(u64::from(self.record(passage)?[0]))
    }

    /// Where a passage stands in its document.
    pub fn span(&self, passage: u64) -> Result<Range<usize>, RetrievalError> {
        let [_, start, end] = self.record(passage)?;
        Ok(start as usize..end as usize)
    }

    /// A passage by its number.
    pub fn passage(&self, number: u64) -> Result<IndexedPassage, RetrievalError> {
        let document = self.document_of(number)?;
        let (span, text) = (self.span(number)?, self.text(document)?);
        let words =
            text.get(span.clone()).ok_or_else(|| self.damaged(PASSAGES, "a passage lies outside of its text"))?;
        let (key, metadata) = self.head(document)?;
        let before = &text[..span.start];
        // Lines and pages are counted from the start of the text.
        count_steps(1 + text.len() / 512);
        Ok(IndexedPassage {
            number,
            id: format!("{key}#{}", number - self.passages_of(document)?.start.min(number) + 1),
            line: before.matches('\n').count() + 1,
            page: text.contains('\u{c}').then(|| before.matches('\u{c}').count() + 1),
            text: words.to_owned(),
            document: key,
            span,
            metadata,
        })
    }

    /// The number of the document with this key.
    pub fn document(&self, key: &str) -> Result<Option<u64>, RetrievalError> {
        for document in 0..self.header.documents {
            count_steps(1);
            if self.head(document)?.0 == key {
                return Ok(Some(document));
            }
        }
        Ok(None)
    }

    /// Digest and documents of each file of the corpus.
    fn ranges(&self) -> HashMap<&str, (&str, Range<u64>)> {
        let mut start = 0;
        let mut found = HashMap::new();
        for file in &self.header.files {
            found.insert(file.name.as_str(), (file.sha256.as_str(), start..start + file.documents));
            start += file.documents;
        }
        found
    }

    /// The vectors of some passages as bytes, and the numbers of each.
    fn vector_rows(&self, passages: Range<u64>) -> Option<(&[u8], usize)> {
        let vectors = self.vectors.as_ref()?;
        let place = |number: u64| usize::try_from(number).ok();
        Some((vectors.rows(place(passages.start)?..place(passages.end)?)?, vectors.dimensions()))
    }

    /// The vector of a passage, where the index has any.
    pub fn vector(&self, passage: u64) -> Option<Vec<f32>> {
        let (bytes, _) = self.vector_rows(passage..passage + 1)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Some(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    /// The cosine of a passage and a vector; nothing where the index holds none.
    pub(crate) fn cosine(&self, passage: u64, vector: &[f32]) -> Option<f32> {
        let (bytes, _) = self.vector_rows(passage..passage + 1)?;
        Some(vectors::dot_product(bytes, vector))
    }

    /// For each document whether a filter lets it through; nothing for a filter that lets everything through.
    pub(crate) fn matching_documents(&self, filter: &Filter) -> Result<Option<Arc<[bool]>>, RetrievalError> {
        if filter.is_empty() {
            return Ok(None);
        }
        filter.check(self.columns.names())?;
        Ok(Some(self.columns.matching_documents(filter).into()))
    }

    /// The best passages by their words.
    pub(crate) fn search_words(
        &self,
        question: &str,
        k: usize,
        allowed: Option<&Arc<[bool]>>,
    ) -> Result<Vec<ScoredPassage>, RetrievalError> {
        let allowed = allowed.map(|documents| {
            let (documents, places) = (Arc::clone(documents), self.places.clone());
            let is_allowed = move |number: u64| {
                let at = usize::try_from(number).ok().and_then(|number| number.checked_mul(RECORD));
                let document = at.and_then(|at| places.u32(at));
                document.is_some_and(|document| documents.get(document as usize).copied().unwrap_or(false))
            };
            Arc::new(is_allowed) as Arc<dyn Fn(u64) -> bool + Send + Sync>
        });
        self.words.search(question, k, allowed.as_ref())
    }

    /// Adds passages whose metadata hold a term of the question, where the texts of too few do: those of the documents with
    /// the most terms first, then in the order of the corpus. Fields add nothing to a score, so that BM25 stays what it is.
    pub(crate) fn add_field_matches(
        &self,
        question: &str,
        k: usize,
        allowed: Option<&[bool]>,
        found: &mut Vec<ScoredPassage>,
    ) -> Result<(), RetrievalError> {
        let query_terms: BTreeSet<String> = terms(question).into_iter().collect();
        let mut matches = self.columns.term_matches(&query_terms);
        matches.retain(|document, _| allowed.is_none_or(|allowed| allowed.get(*document).copied().unwrap_or(false)));
        let mut documents: Vec<(usize, Vec<String>)> = matches.into_iter().collect();
        documents.sort_by_key(|(_, terms)| std::cmp::Reverse(terms.len()));
        let known: HashSet<u64> = found.iter().map(|scored| scored.number).collect();
        for (document, terms) in documents {
            for number in self.passages_of(document as u64)?.filter(|number| !known.contains(number)) {
                if found.len() >= k {
                    return Ok(());
                }
                count_steps(1);
                let terms = terms.iter().map(|term| (term.clone(), 0.0)).collect();
                found.push(ScoredPassage { number, score: 0.0, terms });
            }
        }
        Ok(())
    }

    /// The best passages by their vectors; nothing where there are none.
    pub(crate) fn search_vectors(
        &self,
        vector: &[f32],
        k: usize,
        allowed: Option<&Arc<[bool]>>,
    ) -> Result<Option<Vec<(u64, f32)>>, RetrievalError> {
        let Some(vectors) = &self.vectors else { return Ok(None) };
        if self.header.passages == 0 {
            return Ok(Some(Vec::new()));
        }
        if vector.len() != vectors.dimensions() {
            return Err(RetrievalError::Vectors {
                model: self.header.vectors.as_ref().map(|info| info.model.clone()).unwrap_or_default(),
                reason: format!(
                    "the index has {} numbers a vector, the question has {}",
                    vectors.dimensions(),
                    vector.len()
                ),
                remedy: None,
            });
        }
        if let Some(store) = &self.store {
            let documents: Option<Vec<u64>> = allowed.map(|allowed| {
                allowed.iter().zip(0_u64..).filter(|(is_allowed, _)| **is_allowed).map(|(_, number)| number).collect()
            });
            return store.nearest(vector, k, documents.as_deref()).map(Some);
        }
        let mut spans: Vec<Range<usize>> = Vec::new();
        let all = usize::try_from(self.header.passages).unwrap_or(usize::MAX);
        match allowed {
            None => spans.push(0..all),
            Some(allowed) => {
                for (document, _) in allowed.iter().enumerate().filter(|(_, is_allowed)| **is_allowed) {
                    count_steps(1);
                    let span = self.part(document as u64, 2)?;
                    match spans.last_mut() {
                        Some(last) if last.end == span.start => last.end = span.end,
                        _ => spans.push(span),
                    }
                }
            }
        }
        let nearest = vectors.nearest(vector, k, &spans);
        Ok(Some(nearest.into_iter().map(|(row, product)| (row as u64, product)).collect()))
    }
}
