//! [`SandboxedPdfReader`]: `pdftotext` of Poppler, in the sandbox and without a network.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_core::{Program, ProgramFolder, ProgramStep, StepEnd, StepResult};
use probare_report::OutputWriter;
use probare_retrieval::corpus::{PdfError, PdfReader};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxLimits};

/// Where programs of the system are in the sandbox.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Seconds and mebibytes that one file may take.
const SECONDS: u32 = 120;
const MEBIBYTES: u32 = 1024;

/// Bytes of the longest text that is brought back.
const LONGEST_TEXT: usize = 64 << 20;

/// What to do where PDF files are left out.
pub const REMEDY: &str = "install what is missing (Debian: poppler-utils, bubblewrap) and index again to have the PDF files too; \
     `probare doctor` shows what the sandbox lacks";

/// Reads PDF files. The sandbox is opened with the first of them.
pub struct SandboxedPdfReader {
    sandbox: OnceCell<Result<Sandbox, PdfError>>,
    interrupted: Arc<AtomicBool>,
}

impl SandboxedPdfReader {
    /// Ends when the flag is set.
    pub const fn new(interrupted: Arc<AtomicBool>) -> Self {
        Self { sandbox: OnceCell::new(), interrupted }
    }

    fn open(&self) -> Result<Sandbox, PdfError> {
        let missing = |reason: String| PdfError { reason, is_missing: true };
        if !FOLDERS.iter().any(|folder| Path::new(folder).join("pdftotext").is_file()) {
            return Err(missing("`pdftotext` is not installed".to_owned()));
        }
        let limits = SandboxLimits { wanted_bytes: LONGEST_TEXT, ..SandboxLimits::default() };
        Sandbox::open(SandboxChoice::Auto, limits, Arc::clone(&self.interrupted))
            .map_err(|error| missing(format!("`pdftotext` is run in a sandbox alone, and there is none: {error}")))
    }
}

impl PdfReader for SandboxedPdfReader {
    fn text(&self, bytes: &[u8]) -> Result<String, PdfError> {
        let sandbox = self.sandbox.get_or_init(|| self.open()).as_ref().map_err(Clone::clone)?;
        let failed = |reason: String| PdfError { reason, is_missing: false };
        let folder =
            tempfile::tempdir().map_err(|error| failed(format!("no temporary folder can be made: {error}")))?;
        OutputWriter::write_file(&folder.path().join("file.pdf"), bytes).map_err(|error| failed(error.to_string()))?;
        let given = ProgramFolder {
            path: "given".to_owned(),
            from: Some(folder.path().display().to_string()),
            optional: false,
            ..ProgramFolder::default()
        };
        let step = ProgramStep::new(&["pdftotext", "-q", "-enc", "UTF-8", "given/file.pdf", "text"], SECONDS);
        let program = Program {
            folders: vec![given],
            steps: vec![step],
            wanted: vec!["text".to_owned()],
            mebibytes: MEBIBYTES,
            ..Program::default()
        };
        let ran = sandbox.run_plain(&program).map_err(|error| failed(error.to_string()))?;
        let step = ran.steps.last().cloned().unwrap_or_default();
        match ran.files.into_iter().next() {
            Some((_, text)) if step.is_fine() => Ok(text),
            _ => Err(failed(format!("`pdftotext` cannot read it: {}", step_failure(&step)))),
        }
    }
}

/// How it ended, in words.
fn step_failure(step: &StepResult) -> String {
    match step.end {
        StepEnd::TimedOut => format!("it took more than {SECONDS} s"),
        StepEnd::OutOfMemory => format!("it took more than {MEBIBYTES} MiB of memory"),
        StepEnd::TooMuchOutput => "it complained without end".to_owned(),
        StepEnd::TooManyFiles => "it made files without end".to_owned(),
        StepEnd::Exited if step.is_fine() => format!("its text is longer than {} MiB", LONGEST_TEXT >> 20),
        // The codes of Poppler's programs.
        StepEnd::Exited => match step.code {
            Some(1) => "it is no PDF file, or a damaged one, or it wants a password".to_owned(),
            Some(3) => "its owner does not permit that its text is taken out".to_owned(),
            code => format!("it ended with code {}", code.unwrap_or(-1)),
        },
    }
}
