//! `probare init`: a small commented project to start from.

use std::path::{Path, PathBuf};

use probare_report::OutputWriter;

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

const FILES: [(&str, &str); 3] = [
    ("cases.jsonl", include_str!("init/cases.jsonl")),
    ("probare.yaml", include_str!("init/probare.yaml")),
    (".github/workflows/probare.yml", include_str!("init/workflow.yml")),
];

/// Write a small commented project to start from: cases, configuration, CI workflow.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write into; it is made if it is missing
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// Replace files that are there already
    #[arg(long)]
    force: bool,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> CommandResult {
    let existing: Vec<String> = FILES
        .iter()
        .map(|(name, _)| arguments.folder.join(name))
        .filter(|path| path.exists())
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if !existing.is_empty() && !arguments.force {
        return Err(Failure::new(format!("{} would be overwritten; nothing was written", existing.join(", ")))
            .hint("choose another folder, or use --force"));
    }
    for (name, content) in FILES {
        let path = arguments.folder.join(name);
        OutputWriter::write_file(&path, content.as_bytes()).map_err(|error| Failure::from_error(&error))?;
        remark(&format!("wrote {}", path.display()));
    }
    let enter = if arguments.folder == Path::new(".") {
        String::new()
    } else {
        format!("cd {} && ", arguments.folder.display())
    };
    print(&format!("next: {enter}probare score\n"))
}
