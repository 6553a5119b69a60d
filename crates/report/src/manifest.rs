//! The manifest of a run in and beside files of results.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::{Manifest, RunEnd, Sha256, Stop};

use crate::OutputWriter;

/// Key of the manifest in the footer of a Parquet file.
pub const KEY: &str = "probare.run";

/// What stands before the manifest in a page. Text of others never has a `<`, so it stands there once.
pub const OPENING: &str = "<script type=\"application/json\" id=\"probare-run\">";

/// What stands behind it.
pub const CLOSING: &str = "</script>";

/// Where the manifest of a file stands: `results.jsonl.gz.run.json` beside `results.jsonl.gz`.
pub fn manifest_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".run.json");
    path.with_file_name(name)
}

/// The digest that a manifest carries of itself.
pub fn seal(manifest: &Manifest) -> String {
    let bare = Manifest { seal: None, ..manifest.clone() };
    // Texts and numbers always have a JSON form.
    Sha256::hex_digest(serde_json::to_vec(&bare).unwrap_or_default())
}

/// The manifest with its digest, as every file carries it.
pub fn with_seal(manifest: Manifest) -> Manifest {
    Manifest { seal: Some(seal(&manifest)), ..manifest }
}

/// The text of the file that stands beside others.
pub fn text(manifest: Manifest) -> String {
    let mut text = serde_json::to_string_pretty(&with_seal(manifest)).unwrap_or_default();
    text.push('\n');
    text
}

/// The manifest as a line of a page: data that no browser runs, in which no element can begin or end.
pub(crate) fn to_html_element(manifest: Manifest) -> String {
    let json = serde_json::to_string(&with_seal(manifest)).unwrap_or_default();
    // Outside of texts JSON has neither sign; other invisible characters are written by their code, as everywhere.
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' => safe.push_str(&format!("\\u{:04x}", u32::from(character))),
            plain if crate::escape::is_hidden(plain) => {
                let mut units = [0; 2];
                for unit in plain.encode_utf16(&mut units) {
                    safe.push_str(&format!("\\u{unit:04x}"));
                }
            }
            plain => safe.push(plain),
        }
    }
    format!("{OPENING}{safe}{CLOSING}\n")
}

/// Finishes a file of results and writes its manifest beside it. The manifest gets its name last, so that it vouches for a
/// finished file.
pub(crate) fn finish(output: &mut OutputWriter, finish: &RunEnd) -> io::Result<()> {
    let path = output.path().map(Path::to_owned);
    let stored = output.finish(finish.stop)?;
    if let (Some(path), Some(mut stored), Stop::Complete) = (path, stored, finish.stop) {
        if stored.sha256.is_empty() {
            stored.sha256.clone_from(&finish.manifest.lines);
        }
        let manifest = Manifest { results: Some(stored), ..finish.manifest.clone() };
        OutputWriter::write_file(&manifest_path(&path), text(manifest).as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_in_a_page_is_data_and_reads_back() {
        let title = Some("</script><!-- \u{202e}\u{e0041} & \u{1f600}".to_owned());
        let line = to_html_element(Manifest { title: title.clone(), ..Manifest::default() });
        let inner = line.trim_end().strip_prefix(OPENING).unwrap().strip_suffix(CLOSING).unwrap();
        assert!(!inner.contains(['<', '>', '&', '\u{202e}', '\u{e0041}']), "{inner}");
        assert_eq!(serde_json::from_str::<Manifest>(inner).unwrap().title, title);
    }

    #[test]
    fn a_seal_is_of_everything_but_itself() {
        let once = with_seal(Manifest::default());
        assert_eq!(with_seal(once.clone()), once);
        let other = with_seal(Manifest { title: Some("t".into()), ..Manifest::default() });
        assert_ne!(other.seal, once.seal);
    }
}
