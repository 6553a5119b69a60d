//! The plain text files of a folder.

use std::path::{Path, PathBuf};

use probare_core::{BenchmarkError, InputFile};
use probare_formats::{LARGEST_DOCUMENT, bundled_below, files_below, folder_input, read_whole};

/// Extensions of plain text.
const PLAIN: [&str; 3] = ["txt", "md", "text"];

/// Files by their path in the folder, with their texts.
pub(super) struct Texts {
    pub(super) files: Vec<(String, String)>,
    pub(super) paths: Vec<PathBuf>,
    pub(super) input: InputFile,
}

/// Reads all of them, in the order of their names.
pub(super) fn read(folder: &str) -> Result<Texts, BenchmarkError> {
    let root = Path::new(folder);
    let bundled = bundled_below(folder);
    let paths = if !bundled.is_empty() {
        bundled.into_iter().map(PathBuf::from).collect()
    } else if root.is_file() {
        vec![root.to_owned()]
    } else {
        let below = files_below(root, &mut |_, extension| PLAIN.contains(&extension));
        below.map_err(|(folder, error)| {
            BenchmarkError::data(format!("cannot read `{}`: {error}", folder.display()))
                .hint("FOLDER names a folder with plain text files, or one such file")
        })?
    };
    if paths.is_empty() {
        return Err(BenchmarkError::data(format!("`{folder}` holds no plain text file"))
            .hint("files that end in .txt, .md or .text are read, in folders below it too"));
    }
    let (mut files, mut inputs) = (Vec::new(), Vec::new());
    for path in &paths {
        let shown = path.display().to_string();
        let (bytes, input) =
            read_whole(&shown, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            BenchmarkError::data(format!("`{shown}` is not valid UTF-8 at byte {}", error.utf8_error().valid_up_to()))
                .hint("save it as UTF-8, for example with `iconv -f WINDOWS-1252 -t utf-8`")
        })?;
        let name = path.strip_prefix(root).ok().filter(|name| *name != Path::new(""));
        let name = name.unwrap_or_else(|| Path::new(path.file_name().unwrap_or_default()));
        files.push((name.display().to_string().replace('\\', "/"), text.trim_start_matches('\u{feff}').to_owned()));
        inputs.push(input);
    }
    let whole = match inputs.as_slice() {
        [one] if root.is_file() => one.clone(),
        _ => folder_input(folder, &inputs),
    };
    Ok(Texts { files, paths, input: InputFile { option: Some("/folder".to_owned()), ..whole } })
}
