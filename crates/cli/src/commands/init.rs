//! `probare init`: a small commented project to start from.

use std::path::{Path, PathBuf};

use probare_report::OutputWriter;

use super::{print, remark};
use crate::failure::{CommandResult, Failure};

const FILES: [(&str, &str); 2] =
    [("cases.jsonl", include_str!("init/cases.jsonl")), ("probare.yaml", include_str!("init/probare.yaml"))];

/// `{folder}` stands for the project's folder below that of the repository, `{branch}` for its default branch.
const GITHUB: &str = include_str!("init/workflow.yml");

/// The same for GitLab.
const GITLAB: &str = include_str!("init/gitlab.yml");

/// What the job of GitLab runs. The action brings its own copy.
const GATE_SCRIPT: &str = include_str!("../../../../ci/gate.py");

/// A system that runs jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CiSystem {
    /// A workflow of GitHub Actions.
    Github,
    /// A job of GitLab, with the script that it runs.
    Gitlab,
    /// No job.
    None,
}

/// Create a small commented project: cases, configuration, CI workflow.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write to; created if it does not exist
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// Job to write: a workflow of GitHub Actions, a job of GitLab, or none
    #[arg(long, value_name = "SYSTEM", value_enum, default_value = "github")]
    ci: CiSystem,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let (repository, below) = repository_of(&arguments.folder);
    // A name with quotes stays a name.
    let fill = |text: &str| {
        let folder = below.replace('\\', "\\\\").replace('"', "\\\"");
        text.replace("{folder}", &folder).replace("{branch}", &default_branch(&repository))
    };
    let mut files: Vec<(PathBuf, String)> =
        FILES.iter().map(|(name, content)| (arguments.folder.join(name), (*content).to_owned())).collect();
    match arguments.ci {
        CiSystem::Github => files.push((repository.join(".github/workflows/probare.yml"), fill(GITHUB))),
        CiSystem::Gitlab => files.extend([
            (repository.join(".gitlab-ci.yml"), fill(GITLAB)),
            (arguments.folder.join("ci/gate.py"), GATE_SCRIPT.to_owned()),
        ]),
        CiSystem::None => {}
    }
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

/// The default branch of the remote, else the branch that is checked out, else `main`.
fn default_branch(repository: &Path) -> String {
    let read = |file: &str, start: &str| {
        let text = probare_files::read_plain_text(&repository.join(".git").join(file), 64 * 1024).ok()?;
        text.trim().strip_prefix(start).map(str::to_owned)
    };
    let found =
        read("refs/remotes/origin/HEAD", "ref: refs/remotes/origin/").or_else(|| read("HEAD", "ref: refs/heads/"));
    let name = found.as_deref().unwrap_or("main");
    let is_plain = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || "-_./".contains(sign));
    if is_plain { name } else { "main" }.to_owned()
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
