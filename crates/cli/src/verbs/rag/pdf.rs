//! [`Sandboxed`]: `pdftotext` of Poppler, in the sandbox and without a network.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_core::{Folder, Program, Step};
use probare_report::Output;
use probare_retrieval::corpus::{PdfError, PdfText};
use probare_sandbox::{Choice, Limits, Sandbox};

/// Where programs of the system are in the sandbox.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Seconds and mebibytes that one file may take.
const SECONDS: u32 = 120;
const MEBIBYTES: u32 = 1024;

/// Reads PDF files. The sandbox is opened with the first of them.
pub struct Sandboxed {
    sandbox: OnceCell<Result<Sandbox, PdfError>>,
    interrupted: Arc<AtomicBool>,
}

impl Sandboxed {
    /// Ends when the flag is set.
    pub const fn new(interrupted: Arc<AtomicBool>) -> Self {
        Self { sandbox: OnceCell::new(), interrupted }
    }

    fn open(&self) -> Result<Sandbox, PdfError> {
        let missing = |reason: String| PdfError { reason, is_missing: true };
        if !FOLDERS.iter().any(|folder| Path::new(folder).join("pdftotext").is_file()) {
            return Err(missing("`pdftotext` is not installed".to_owned()));
        }
        Sandbox::open(Choice::Auto, Limits::default(), Arc::clone(&self.interrupted))
            .map_err(|error| missing(format!("`pdftotext` is run in a sandbox alone, and there is none: {error}")))
    }
}

impl PdfText for Sandboxed {
    fn text(&self, bytes: &[u8]) -> Result<String, PdfError> {
        let sandbox = self.sandbox.get_or_init(|| self.open()).as_ref().map_err(Clone::clone)?;
        let failed = |reason: String| PdfError { reason, is_missing: false };
        let folder =
            tempfile::tempdir().map_err(|error| failed(format!("no temporary folder can be made: {error}")))?;
        Output::write_file(&folder.path().join("file.pdf"), bytes).map_err(|error| failed(error.to_string()))?;
        let given = Folder {
            path: "given".to_owned(),
            from: Some(folder.path().display().to_string()),
            optional: false,
            ..Folder::default()
        };
        let step = Step::new(&["pdftotext", "-q", "-enc", "UTF-8", "given/file.pdf", "text"], SECONDS);
        let program = Program {
            folders: vec![given],
            steps: vec![step],
            wanted: vec!["text".to_owned()],
            mebibytes: MEBIBYTES,
            ..Program::default()
        };
        let ran = sandbox.run(&program).map_err(|error| failed(error.to_string()))?;
        let is_fine = ran.steps.last().is_some_and(probare_core::RanStep::is_fine);
        match ran.files.into_iter().next() {
            Some((_, text)) if is_fine => Ok(text),
            _ => {
                let said = ran.steps.last().and_then(|step| step.errors.lines().next()).unwrap_or("it said nothing");
                Err(failed(format!("`pdftotext` cannot read it: {}", said.trim())))
            }
        }
    }
}
