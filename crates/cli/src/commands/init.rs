//! `probare init`: a small commented project to start from.

use std::path::{Path, PathBuf};

use probare_report::OutputWriter;

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

const FILES: [(&str, &str); 2] =
    [("cases.jsonl", include_str!("init/cases.jsonl")), ("probare.yaml", include_str!("init/probare.yaml"))];

/// `{folder}` stands for the project's folder below that of the repository.
const WORKFLOW: &str = include_str!("init/workflow.yml");

/// Where GitHub looks for it, from the folder of the repository.
const WORKFLOW_PATH: &str = ".github/workflows/probare.yml";

/// Create a small commented project: cases, configuration, CI workflow.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write to; created if it does not exist
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let (repository, below) = repository_of(&arguments.folder);
    // A name with quotes stays a name.
    let workflow = WORKFLOW.replace("{folder}", &below.replace('\\', "\\\\").replace('"', "\\\""));
    let files: Vec<(PathBuf, &str)> = FILES
        .iter()
        .map(|(name, content)| (arguments.folder.join(name), *content))
        .chain([(repository.join(WORKFLOW_PATH), workflow.as_str())])
        .collect();
    let existing: Vec<String> =
        (files.iter()).filter(|(path, _)| path.exists()).map(|(path, _)| format!("`{}`", path.display())).collect();
    if !existing.is_empty() && !arguments.force {
        return Err(Failure::new(format!("{} would be overwritten; nothing was written", existing.join(", ")))
            .hint("choose another folder, or use --force"));
    }
    for (path, content) in &files {
        OutputWriter::write_file(path, content.as_bytes()).map_err(|error| Failure::from_error(&error))?;
        remark(&format!("wrote {}", path.display()));
    }
    let enter = if arguments.folder == Path::new(".") {
        String::new()
    } else {
        format!("cd {} && ", arguments.folder.display())
    };
    print(&format!("next: {enter}probare score\n"))
}

/// The folder of the Git repository that a folder is in, and the folder from there, since GitHub reads workflows nowhere else; the
/// folder itself where there is no repository.
fn repository_of(folder: &Path) -> (PathBuf, String) {
    let itself = || (folder.to_owned(), ".".to_owned());
    let Ok(whole) = std::path::absolute(folder) else { return itself() };
    let Some(repository) = whole.ancestors().find(|folder| folder.join(".git").exists()) else { return itself() };
    match whole.strip_prefix(repository) {
        Ok(below) if below != Path::new("") => {
            let names: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            (repository.to_owned(), names.join("/"))
        }
        _ => itself(),
    }
}
