//! [`PdfReader`]: who reads the text of a PDF file.
//!
//! A reader of PDF is a large program in an unsafe language, and a corpus may come from anybody. This crate starts no
//! program; whoever builds an index hands in one that is shut in, or PDF files are left out.

use super::error::CorpusError;

/// Reads the text of PDF files.
pub trait PdfReader {
    /// The text of a file with these bytes; pages end in a form feed.
    fn text(&self, bytes: &[u8]) -> Result<String, PdfError>;
}

/// Why a PDF file has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfError {
    /// What happened.
    pub reason: String,
    /// Whether something is not there that all of them need, so that they are left out.
    pub is_missing: bool,
}

/// The text of a file.
pub(super) fn text(file: &str, bytes: &[u8], reader: Option<&dyn PdfReader>) -> Result<String, CorpusError> {
    let read = reader.map_or_else(
        || Err(PdfError { reason: "nothing here can read PDF files".to_owned(), is_missing: true }),
        |reader| reader.text(bytes),
    );
    read.map_err(|PdfError { reason, is_missing }| CorpusError::Pdf { file: file.to_owned(), reason, is_missing })
}
