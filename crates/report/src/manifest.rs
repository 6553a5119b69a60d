//! The manifest of a run beside a file of results.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::{Finish, Manifest, Stop};

use crate::Output;

/// Where the manifest of a file stands: `results.jsonl.gz.run.json` beside `results.jsonl.gz`.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".run.json");
    path.with_file_name(name)
}

/// Finishes a file of results and writes its manifest beside it. The manifest gets its name last, so that it vouches for a
/// finished file.
pub(crate) fn finish(output: &mut Output, finish: &Finish) -> io::Result<()> {
    let path = output.path().map(Path::to_owned);
    let stored = output.finish(finish.stop)?;
    if let (Some(path), Some(stored), Stop::Complete) = (path, stored, finish.stop) {
        let manifest = Manifest { results: Some(stored), ..finish.manifest.clone() };
        let mut text = serde_json::to_string_pretty(&manifest)?;
        text.push('\n');
        Output::write_file(&beside(&path), text.as_bytes())?;
    }
    Ok(())
}
