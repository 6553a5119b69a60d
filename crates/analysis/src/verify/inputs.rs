//! Where the inputs of a run are now.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use probare_core::{InputFile, Manifest, Problem};
use probare_files::{UntrustedFile, file_digest, is_below};

use super::error::VerifyError;
use super::score_dependencies;

/// Where an input is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InputLocation {
    /// Under this path.
    File(PathBuf),
    /// The benchmark finds it by itself, from its other inputs.
    FromBenchmark,
}

/// Finds every input: as given, or under its path from the folder of the results, from here, or from a folder above the
/// results.
pub(super) fn resolve(
    manifest: &Manifest,
    given: &[PathBuf],
    folder: &Path,
) -> Result<Vec<InputLocation>, VerifyError> {
    let recorded = &manifest.inputs;
    if given.len() > recorded.len() {
        return Err(VerifyError::TooManyInputs { given: given.len(), recorded: recorded.len() });
    }
    let mut places: Vec<Option<&PathBuf>> = vec![None; recorded.len()];
    let mut nameless = Vec::new();
    for path in given {
        let same_name = |input: &InputFile| Path::new(&input.path).file_name() == path.file_name();
        let by_name = (0..recorded.len()).find(|at| places[*at].is_none() && same_name(&recorded[*at]));
        match by_name {
            Some(at) if given.len() < recorded.len() => places[at] = Some(path),
            _ => nameless.push(path),
        }
    }
    // All are given in their order, or these have other names now.
    let free = places.iter_mut().filter(|place| place.is_none());
    free.zip(nameless).for_each(|(place, path)| *place = Some(path));
    recorded
        .iter()
        .zip(places)
        .map(|(input, given)| match given {
            Some(path) => Ok(InputLocation::File(path.clone())),
            None if manifest.benchmark.is_some()
                && input.option.is_none()
                && !score_dependencies::is_replies(manifest, &input.path) =>
            {
                Ok(InputLocation::FromBenchmark)
            }
            None if input.path == "-" => Err(VerifyError::StandardInput),
            None => match find(input, folder) {
                // Without them judged scores are left unchecked; everything else can be computed.
                Err(_) if score_dependencies::is_replies(manifest, &input.path) => Ok(InputLocation::FromBenchmark),
                found => found.map(InputLocation::File),
            },
        })
        .collect()
}

/// Where an input is that a stranger's manifest may have named: with the digest of the manifest wherever it lies, else below the
/// folder of the results. A folder has no digest before its files are read: the benchmark that reads it is held against the
/// manifest before anything is shown.
fn find(input: &InputFile, folder: &Path) -> Result<PathBuf, VerifyError> {
    let here = PathBuf::from(&input.path);
    if probare_formats::is_bundled(&input.path) {
        return Ok(here);
    }
    let mut places = vec![folder.join(&here), here];
    places.dedup();
    // Results often lie in a folder of their own below the one in which the program was called.
    let whole = if folder == Path::new("") { Path::new(".") } else { folder };
    let above = whole.canonicalize().unwrap_or_default();
    places.extend(above.ancestors().skip(1).map(|folder| folder.join(&input.path)));
    // A pipe or a device that a stranger's file names would keep us waiting.
    places.retain(|place| place.is_file() || place.is_dir());
    let foreign = UntrustedFile { folder };
    // Another file of the same name may lie beside the results: length and digest tell.
    let fits = |place: &&PathBuf| {
        fs::metadata(place).is_ok_and(|found| found.is_file() && found.len() == input.bytes)
            && foreign.check_path(place, Some(&input.sha256)).is_ok()
    };
    let is_usable = |place: &&PathBuf| place.is_dir() || is_below(folder, place);
    match places.iter().find(fits).or_else(|| places.iter().take(2).find(is_usable)) {
        Some(place) => Ok(place.clone()),
        None if places.is_empty() => Err(VerifyError::InputMissing { path: input.path.clone() }),
        None => Err(VerifyError::InputRefused { path: input.path.clone() }),
    }
}

/// An input as it is now, where nothing else reads it.
pub(super) fn with_digest(input: &InputFile, place: &Path) -> io::Result<InputFile> {
    let stored = file_digest(place)?;
    Ok(InputFile { sha256: stored.sha256, bytes: stored.bytes, ..input.clone() })
}

/// Paths as they are now, and as the manifest calls them.
#[derive(Debug, Clone, Default)]
pub(super) struct InputNames(Vec<(String, String)>);

impl InputNames {
    pub(super) fn new(manifest: &Manifest, resolved: &[InputLocation]) -> Self {
        let pairs = manifest.inputs.iter().zip(resolved).filter_map(|(input, place)| match place {
            InputLocation::File(path) => Some((path.display().to_string(), input.path.clone())),
            InputLocation::FromBenchmark => None,
        });
        Self(pairs.collect())
    }

    /// The path that the manifest has for this one.
    pub(super) fn recorded_path(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|(now, _)| now == path).map(|(_, recorded)| recorded.as_str())
    }

    /// A text that may name several paths.
    pub(super) fn in_text(&self, text: &str) -> String {
        let differ = self.0.iter().filter(|(now, recorded)| now != recorded);
        differ.fold(text.to_owned(), |text, (now, recorded)| text.replace(now, recorded))
    }

    /// A remark about the input, as the first run made it.
    pub(super) fn in_problem(&self, problem: &Problem) -> Problem {
        let file = match self.recorded_path(&problem.file) {
            Some("-") => "standard input".to_owned(),
            Some(path) => path.to_owned(),
            None => problem.file.clone(),
        };
        Problem { file, ..problem.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(paths: &[&str]) -> Manifest {
        let inputs = paths.iter().map(|path| InputFile { path: (*path).to_owned(), ..InputFile::default() }).collect();
        Manifest { inputs, ..Manifest::default() }
    }

    fn files(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn inputs_given_win_by_position_or_by_name() {
        let run = manifest(&["a/x.jsonl", "b/y.json"]);
        let resolve = |given: &[&str]| resolve(&run, &files(given), Path::new("nowhere"));
        let file = |path: &str| InputLocation::File(path.into());
        assert_eq!(resolve(&["1", "2"]).unwrap(), [file("1"), file("2")]);
        assert_eq!(resolve(&["c/y.json", "c/x.jsonl"]).unwrap(), [file("c/y.json"), file("c/x.jsonl")]);
        assert!(matches!(resolve(&["c/y.json"]), Err(VerifyError::InputMissing { path }) if path == "a/x.jsonl"));
        assert!(matches!(resolve(&["other"]), Err(VerifyError::InputMissing { path }) if path == "b/y.json"));
        assert!(matches!(resolve(&["1", "2", "3"]), Err(VerifyError::TooManyInputs { given: 3, recorded: 2 })));
    }

    #[test]
    fn standard_input_must_be_given() {
        let run = manifest(&["-"]);
        assert!(matches!(resolve(&run, &[], Path::new("")), Err(VerifyError::StandardInput)));
        assert!(resolve(&run, &files(&["kept.jsonl"]), Path::new("")).is_ok());
    }
}
