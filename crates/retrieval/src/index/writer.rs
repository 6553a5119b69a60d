//! [`IndexBuilder`]: makes an index of a corpus, or brings one up to date.
//!
//! Files whose digest is unchanged are neither read into documents nor cut nor embedded again: their texts, places and vectors
//! are taken over. The index of words is written anew each time, since what a word counts depends on all passages: an index
//! that was brought up to date answers exactly as one that was made afresh.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::columns::ColumnBuilder;
use super::folder::{GenerationFile, NewGeneration};
use super::header::FORMAT;
use super::lexical::LexicalWriter;
use super::partial_vectors::{BATCH, PartialVectors};
use super::{CODES, COLUMNS, DOCUMENTS, HEADER, HEADS, Index, PASSAGES, TEXTS, VECTORS, WORDS};
use crate::corpus::PdfReader;
use crate::passages::passages;
use crate::{
    CorpusError, CorpusFile, Document, Embedder, Header, IndexSettings, IndexedFile, RetrievalError, SkippedFile,
    VectorsInfo,
};

/// Most documents and most passages of an index.
const MOST: u64 = u32::MAX as u64 - 1;

/// How far a build has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildStage {
    /// Files are looked at.
    Looking {
        /// Files so far.
        files: u64,
        /// Files in all.
        of: u64,
    },
    /// Documents are read, cut and embedded.
    Reading {
        /// Files so far.
        files: u64,
        /// Files in all.
        of: u64,
        /// Passages so far.
        passages: u64,
    },
    /// The index of words is put together.
    Writing {
        /// Passages in all.
        passages: u64,
    },
}

/// What a build came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildReport {
    /// Documents in the index.
    pub documents: u64,
    /// Passages in the index.
    pub passages: u64,
    /// Files in the index.
    pub files: u64,
    /// Files that were read, because they are new or changed.
    pub read: u64,
    /// Files that were there before and are gone.
    pub removed: u64,
    /// Passages that were given vectors now.
    pub embedded: u64,
    /// The model of the vectors, if there are any.
    pub model: Option<String>,
    /// Files that could not be read for want of a program.
    pub left_out: Vec<SkippedFile>,
    /// Whether nothing had to be done.
    pub is_unchanged: bool,
}

/// Makes an index, or brings one up to date.
pub struct IndexBuilder<'a> {
    folder: PathBuf,
    settings: IndexSettings,
    embedder: Option<&'a Embedder>,
    pdf: Option<&'a dyn PdfReader>,
    cancelled: Arc<AtomicBool>,
}

impl<'a> IndexBuilder<'a> {
    /// In this folder.
    pub fn new(folder: &Path, settings: IndexSettings) -> Self {
        Self { folder: folder.to_owned(), settings, embedder: None, pdf: None, cancelled: Arc::default() }
    }

    /// With vectors of this model.
    #[must_use]
    pub fn with_vectors(mut self, embedder: &'a Embedder) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// With somebody who reads PDF files; without one they are left out.
    #[must_use]
    pub fn with_pdf(mut self, reader: &'a dyn PdfReader) -> Self {
        self.pdf = Some(reader);
        self
    }

    /// Ends when the flag is set.
    #[must_use]
    pub fn with_cancellation(mut self, cancelled: Arc<AtomicBool>) -> Self {
        self.cancelled = cancelled;
        self
    }

    /// Indexes these files. What was there before answers until all is done; where something goes wrong it stays.
    pub fn build(
        &self,
        files: &[CorpusFile],
        progress: &mut dyn FnMut(BuildStage),
    ) -> Result<BuildReport, RetrievalError> {
        let building = NewGeneration::begin(&self.folder)?;
        match self.write(&building, files, progress) {
            Ok(built) if built.is_unchanged => {
                building.abandon();
                Ok(built)
            }
            Ok(built) => {
                building.finish()?;
                Ok(built)
            }
            Err(error) => {
                building.abandon();
                Err(error)
            }
        }
    }

    fn write(
        &self,
        building: &NewGeneration,
        files: &[CorpusFile],
        progress: &mut dyn FnMut(BuildStage),
    ) -> Result<BuildReport, RetrievalError> {
        let before = self.earlier_index()?;
        let of = files.len() as u64;
        let mut digests = Vec::with_capacity(files.len());
        for (at, file) in files.iter().enumerate() {
            self.check_cancelled()?;
            progress(BuildStage::Looking { files: at as u64, of });
            digests.push(file.read()?.1.sha256);
        }
        if let Some(report) = before.as_ref().and_then(|index| self.unchanged_report(index, files, &digests)) {
            return Ok(report);
        }
        let known = before.as_ref().map(Index::ranges).unwrap_or_default();
        let mut writer = GenerationWriter::new(building, self.settings, self.embedder)?;
        for (at, (file, digest)) in files.iter().zip(&digests).enumerate() {
            self.check_cancelled()?;
            progress(BuildStage::Reading { files: at as u64, of, passages: writer.passages });
            let taken = known.get(file.name.as_str()).filter(|(sha256, _)| sha256 == digest);
            if let (Some((sha256, documents)), Some(index)) = (taken, &before) {
                writer.copy_documents(file, sha256, index, documents.clone())?;
                continue;
            }
            self.read_file(&mut writer, file, &mut |passages| {
                progress(BuildStage::Reading { files: at as u64, of, passages });
            })?;
        }
        if let Some(SkippedFile { name, reason }) = writer.left_out.first().filter(|_| writer.files.is_empty()) {
            return Err(CorpusError::Pdf { file: name.clone(), reason: reason.clone(), is_missing: true }.into());
        }
        if writer.files.is_empty() {
            let path = files.first().map(|file| file.path.clone()).unwrap_or_default();
            return Err(CorpusError::Empty { path }.into());
        }
        writer.flush()?;
        self.check_cancelled()?;
        progress(BuildStage::Writing { passages: writer.passages });
        let is_gone = |name: &&str| !files.iter().any(|file| file.name == **name);
        let built = BuildReport {
            documents: writer.documents,
            passages: writer.passages,
            files: writer.files.len() as u64,
            read: writer.read_now,
            removed: known.keys().filter(|name| is_gone(name)).count() as u64,
            embedded: writer.embedded_now,
            model: self.embedder.map(|embedder| embedder.model().to_owned()),
            left_out: writer.left_out.clone(),
            is_unchanged: false,
        };
        writer.finish(building, self.settings)?;
        Ok(built)
    }

    /// The index that is there, where it was made with the same settings and the same model.
    fn earlier_index(&self) -> Result<Option<Index>, RetrievalError> {
        let index = match Index::open(&self.folder) {
            Ok(index) => index,
            // What cannot be read is made anew.
            Err(RetrievalError::NoIndex(_) | RetrievalError::Format { .. } | RetrievalError::Damaged { .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let its_model = index.header().vectors.as_ref().map(|vectors| vectors.model.as_str());
        let is_same = index.header().settings == self.settings && its_model == self.embedder.map(Embedder::model);
        Ok(is_same.then_some(index))
    }

    /// What a build comes to where an index holds these very files.
    fn unchanged_report(&self, index: &Index, files: &[CorpusFile], digests: &[String]) -> Option<BuildReport> {
        let (header, known) = (index.header(), index.ranges());
        let is_same = |(file, digest): (&CorpusFile, &String)| {
            known.get(file.name.as_str()).is_some_and(|(sha256, _)| sha256 == digest)
        };
        let is_unchanged =
            header.left_out.is_empty() && header.files.len() == files.len() && files.iter().zip(digests).all(is_same);
        is_unchanged.then(|| BuildReport {
            documents: header.documents,
            passages: header.passages,
            files: files.len() as u64,
            model: self.embedder.map(|embedder| embedder.model().to_owned()),
            is_unchanged: true,
            ..BuildReport::default()
        })
    }

    /// Reads a file into documents. A PDF file is left out where nobody reads those.
    fn read_file(
        &self,
        writer: &mut GenerationWriter<'_>,
        file: &CorpusFile,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), RetrievalError> {
        let (bytes, input) = file.read()?;
        let documents = match file.documents(bytes, self.pdf) {
            Ok(documents) => documents,
            Err(CorpusError::Pdf { reason, is_missing: true, .. }) => {
                writer.left_out.push(SkippedFile { name: file.name.clone(), reason });
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        writer.read_now += 1;
        let count = documents.len() as u64;
        for document in documents {
            self.check_cancelled()?;
            writer.add(&file.name, &document, progress)?;
        }
        let (name, sha256, bytes) = (file.name.clone(), input.sha256, input.bytes);
        writer.files.push(IndexedFile { name, sha256, bytes, documents: count });
        Ok(())
    }

    fn check_cancelled(&self) -> Result<(), RetrievalError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(RetrievalError::Cancelled) } else { Ok(()) }
    }
}

/// The files of a generation while they are written.
struct GenerationWriter<'a> {
    settings: IndexSettings,
    embedder: Option<&'a Embedder>,
    texts: CountedFile,
    heads: CountedFile,
    ends: CountedFile,
    places: CountedFile,
    vectors: Option<CountedFile>,
    dimensions: usize,
    words: LexicalWriter,
    columns: ColumnBuilder,
    embedded: Option<PartialVectors>,
    /// Passages whose vectors are still to be computed.
    waiting: Vec<String>,
    /// Keys of documents with the numbers of their files.
    keys: HashMap<String, usize>,
    names: Vec<String>,
    files: Vec<IndexedFile>,
    left_out: Vec<SkippedFile>,
    documents: u64,
    passages: u64,
    read_now: u64,
    embedded_now: u64,
}

/// A file with the number of its bytes.
struct CountedFile {
    name: &'static str,
    out: GenerationFile,
    bytes: u64,
}

impl CountedFile {
    fn create(building: &NewGeneration, name: &'static str) -> Result<Self, RetrievalError> {
        Ok(Self { name, out: building.create(name)?, bytes: 0 })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RetrievalError> {
        self.bytes += bytes.len() as u64;
        self.out.write(bytes)
    }
}

impl<'a> GenerationWriter<'a> {
    fn new(
        building: &NewGeneration,
        settings: IndexSettings,
        embedder: Option<&'a Embedder>,
    ) -> Result<Self, RetrievalError> {
        let file = |name| CountedFile::create(building, name);
        let embedded = match embedder {
            None => None,
            Some(embedder) => {
                let (path, file) = building.partial_vectors_file(embedder.model())?;
                Some(PartialVectors::open(path, file)?)
            }
        };
        Ok(Self {
            settings,
            embedder,
            texts: file(TEXTS)?,
            heads: file(HEADS)?,
            ends: file(DOCUMENTS)?,
            places: file(PASSAGES)?,
            vectors: embedder.map(|_| file(VECTORS)).transpose()?,
            dimensions: 0,
            words: LexicalWriter::create(&building.folder(WORDS)?)?,
            columns: ColumnBuilder::default(),
            embedded,
            waiting: Vec::new(),
            keys: HashMap::new(),
            names: Vec::new(),
            files: Vec::new(),
            left_out: Vec::new(),
            documents: 0,
            passages: 0,
            read_now: 0,
            embedded_now: 0,
        })
    }

    /// Takes in a document: its text, its metadata, its passages.
    fn add(&mut self, file: &str, document: &Document, progress: &mut dyn FnMut(u64)) -> Result<(), RetrievalError> {
        let spans = passages(&document.text, self.settings.split);
        self.begin(file, &document.key, &document.metadata)?;
        let number = self.document_number()?;
        self.texts.write(document.text.as_bytes())?;
        for span in spans {
            let text = &document.text[span.clone()];
            self.write_span(number, span)?;
            self.words.add(self.passages - 1, text)?;
            if self.embedder.is_some() {
                self.waiting.push(text.to_owned());
                if self.waiting.len() >= BATCH {
                    self.flush()?;
                    progress(self.passages);
                }
            }
        }
        self.end()
    }

    /// Takes over the documents of a file from the index before.
    fn copy_documents(
        &mut self,
        file: &CorpusFile,
        sha256: &str,
        index: &Index,
        documents: Range<u64>,
    ) -> Result<(), RetrievalError> {
        self.flush()?;
        for document in documents.clone() {
            let (key, metadata) = index.head(document)?;
            self.begin(&file.name, &key, &metadata)?;
            let number = self.document_number()?;
            let text = index.text(document)?;
            self.texts.write(text.as_bytes())?;
            let passages = index.passages_of(document)?;
            for passage in passages.clone() {
                let span = index.span(passage)?;
                self.words.add(self.passages, text.get(span.clone()).unwrap_or_default())?;
                self.write_span(number, span)?;
            }
            if let (Some(vectors), Some((rows, dimensions))) = (&mut self.vectors, index.vector_rows(passages)) {
                vectors.write(rows)?;
                self.dimensions = dimensions;
            }
            self.end()?;
        }
        let known = index.header().files.iter().find(|known| known.name == file.name);
        let bytes = known.map_or(0, |known| known.bytes);
        let (name, sha256) = (file.name.clone(), sha256.to_owned());
        self.files.push(IndexedFile { name, sha256, bytes, documents: documents.end - documents.start });
        Ok(())
    }

    fn document_number(&self) -> Result<u32, RetrievalError> {
        let too_large = RetrievalError::TooLarge { what: "documents", limit: MOST };
        u32::try_from(self.documents).ok().filter(|number| u64::from(*number) < MOST).ok_or(too_large)
    }

    fn begin(
        &mut self,
        file: &str,
        key: &str,
        metadata: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<(), RetrievalError> {
        if self.names.last().is_none_or(|last| last != file) {
            self.names.push(file.to_owned());
        }
        if let Some(first) = self.keys.insert(key.to_owned(), self.names.len() - 1) {
            let first = self.names.get(first).cloned().unwrap_or_default();
            return Err(RetrievalError::SameKey { key: key.to_owned(), first, second: file.to_owned() });
        }
        self.columns.add(metadata);
        self.heads.write(format!("{}\n", json!([key, metadata])).as_bytes())
    }

    fn write_span(&mut self, document: u32, span: Range<usize>) -> Result<(), RetrievalError> {
        if self.passages >= MOST {
            return Err(RetrievalError::TooLarge { what: "passages", limit: MOST });
        }
        // Documents are shorter than 1 GiB.
        for number in [document, u32::try_from(span.start).unwrap_or(0), u32::try_from(span.end).unwrap_or(0)] {
            self.places.write(&number.to_le_bytes())?;
        }
        self.passages += 1;
        Ok(())
    }

    fn end(&mut self) -> Result<(), RetrievalError> {
        for end in [self.texts.bytes, self.heads.bytes, self.passages] {
            self.ends.write(&end.to_le_bytes())?;
        }
        self.documents += 1;
        Ok(())
    }

    /// Computes the vectors that are still missing.
    fn flush(&mut self) -> Result<(), RetrievalError> {
        let (Some(embedder), Some(embedded), Some(vectors)) = (self.embedder, &mut self.embedded, &mut self.vectors)
        else {
            return Ok(());
        };
        let waiting = std::mem::take(&mut self.waiting);
        for vector in embedded.vectors(&waiting, embedder)? {
            if self.dimensions == 0 {
                self.dimensions = vector.len();
            }
            if vector.len() != self.dimensions {
                return Err(RetrievalError::Vectors {
                    model: embedder.model().to_owned(),
                    reason: format!("a vector has {} numbers, others have {}", vector.len(), self.dimensions),
                    remedy: None,
                });
            }
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            vectors.write(&bytes)?;
        }
        self.embedded_now += waiting.len() as u64;
        Ok(())
    }

    fn finish(self, building: &NewGeneration, settings: IndexSettings) -> Result<(), RetrievalError> {
        self.words.finish()?;
        let (values, codes) = self.columns.finish();
        let mut sizes = BTreeMap::new();
        for (name, bytes) in [(COLUMNS, values), (CODES, codes)] {
            let mut file = CountedFile::create(building, name)?;
            file.write(&bytes)?;
            sizes.insert(name.to_owned(), file.bytes);
            file.out.finish()?;
        }
        let files = [self.texts, self.heads, self.ends, self.places];
        for file in files.into_iter().chain(self.vectors) {
            sizes.insert(file.name.to_owned(), file.bytes);
            file.out.finish()?;
        }
        let vectors = self
            .embedder
            .map(|embedder| VectorsInfo { model: embedder.model().to_owned(), dimensions: self.dimensions });
        let header = Header {
            format: FORMAT,
            settings,
            vectors,
            files: self.files,
            left_out: self.left_out,
            documents: self.documents,
            passages: self.passages,
            sizes,
        };
        // Its own shape cannot fail to be written.
        let text = serde_json::to_string_pretty(&header).unwrap_or_default();
        let mut file = building.create(HEADER)?;
        file.write(text.as_bytes())?;
        file.write(b"\n")?;
        file.finish()
    }
}
