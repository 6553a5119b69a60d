//! [`ReportFormat`]: which renderer a file name asks for, and [`open`], which makes it.

use std::io;
use std::path::Path;

use probare_core::Sink;

use crate::output::Compression;
use crate::{Csv, Html, Json, Jsonl, Junit, Markdown, OutputWriter, Parquet, RendererOptions};

/// A kind of report file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportFormat {
    /// One result line per case.
    Jsonl,
    /// One JSON object.
    Json,
    /// A table for spreadsheets.
    Csv,
    /// A table for data tools.
    Parquet,
    /// A Markdown page.
    Markdown,
    /// A page for a browser, in one file.
    Html,
    /// Test results for CI systems.
    Junit,
}

/// A report cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The name of the file does not say what to write, or asks to compress what is read plain.
    #[error("{0}")]
    FileName(String),
    /// The file cannot be written; the message names it.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ReportFormat {
    /// All formats with their extensions, the usual one first.
    pub const ALL: [(Self, &'static [&'static str]); 7] = [
        (Self::Jsonl, &["jsonl", "ndjson"]),
        (Self::Json, &["json"]),
        (Self::Csv, &["csv"]),
        (Self::Parquet, &["parquet"]),
        (Self::Markdown, &["md", "markdown"]),
        (Self::Html, &["html", "htm"]),
        (Self::Junit, &["xml"]),
    ];

    /// The format and the compression that a file name asks for. Case does not matter.
    pub fn from_path(path: &Path) -> Result<(Self, Compression), ReportError> {
        let unknown = || {
            let known = Self::known_extensions();
            ReportError::FileName(format!("`{}` has no known extension; known are {known}", path.display()))
        };
        let name = path.file_name().ok_or_else(unknown)?.to_string_lossy().to_ascii_lowercase();
        let (stem, compression) = if let Some(stem) = name.strip_suffix(".gz") {
            (stem, Compression::Gzip)
        } else if let Some(stem) = name.strip_suffix(".zst") {
            (stem, Compression::Zstd)
        } else {
            (name.as_str(), Compression::None)
        };
        let extension = stem.rsplit_once('.').map(|(_, extension)| extension).ok_or_else(unknown)?;
        let (format, _) =
            Self::ALL.into_iter().find(|(_, extensions)| extensions.contains(&extension)).ok_or_else(unknown)?;
        let compressible = matches!(format, Self::Jsonl | Self::Json | Self::Csv);
        if compression != Compression::None && !compressible {
            return Err(ReportError::FileName(format!(
                "`{}` cannot be compressed; only .jsonl, .json and .csv can",
                path.display()
            )));
        }
        Ok((format, compression))
    }

    /// The renderer of this format.
    pub fn sink(self, output: OutputWriter, options: RendererOptions) -> Box<dyn Sink> {
        match self {
            Self::Jsonl => Box::new(Jsonl::new(output)),
            Self::Json => Box::new(Json::new(output)),
            Self::Csv => Box::new(Csv::new(output)),
            Self::Parquet => Box::new(Parquet::new(output)),
            Self::Markdown => Box::new(Markdown::new(output, options)),
            Self::Html => Box::new(Html::new(output, options)),
            Self::Junit => Box::new(Junit::new(output, options)),
        }
    }

    /// Whether the manifest of the run stands beside files of this format rather than in them.
    pub const fn has_manifest_beside(self) -> bool {
        matches!(self, Self::Jsonl | Self::Csv)
    }

    fn known_extensions() -> String {
        let usual: Vec<String> =
            Self::ALL.iter().filter_map(|(_, extensions)| extensions.first()).map(|name| format!(".{name}")).collect();
        format!("{}, and .jsonl, .json, .csv with .gz or .zst behind", usual.join(", "))
    }
}

/// Opens a report file; its extension says what is written.
///
/// The file appears under its name when the run is complete; see [`OutputWriter`].
pub fn open(path: &Path, options: &RendererOptions) -> Result<Box<dyn Sink>, ReportError> {
    let (format, compression) = ReportFormat::from_path(path)?;
    let output = OutputWriter::to_file(path, compression)?;
    Ok(format.sink(output, options.clone()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::testing::{events, metrics, result};

    use super::*;

    #[test]
    fn the_extension_says_what_is_written() {
        let of = |name: &str| ReportFormat::from_path(Path::new(name)).unwrap();
        assert_eq!(of("a/b.jsonl"), (ReportFormat::Jsonl, Compression::None));
        assert_eq!(of("b.JSONL.GZ"), (ReportFormat::Jsonl, Compression::Gzip));
        assert_eq!(of("b.csv.zst"), (ReportFormat::Csv, Compression::Zstd));
        assert_eq!(of("report.v2.html"), (ReportFormat::Html, Compression::None));
        let error = |name: &str| ReportFormat::from_path(Path::new(name)).unwrap_err().to_string();
        insta::assert_snapshot!(error("out.docx"), @"`out.docx` has no known extension; known are .jsonl, .json, .csv, .parquet, .md, .html, .xml, and .jsonl, .json, .csv with .gz or .zst behind");
        insta::assert_snapshot!(error("out.html.gz"), @"`out.html.gz` cannot be compressed; only .jsonl, .json and .csv can");
        assert!(error("out").contains("no known extension"));
        assert!(error("..").contains("no known extension"));
    }

    #[test]
    fn every_format_writes_a_file() {
        let folder = tempfile::tempdir().unwrap();
        for (_, extensions) in ReportFormat::ALL {
            let path = folder.path().join(format!("out.{}", extensions[0]));
            let mut sink = open(&path, &RendererOptions::default()).unwrap();
            events(sink.as_mut(), &metrics(), &[result("a", 0.5)]);
            assert!(fs::metadata(&path).unwrap().len() > 0, "{}", path.display());
        }
        let manifests = ReportFormat::ALL.iter().filter(|(format, _)| format.has_manifest_beside()).count();
        let found = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(found, ReportFormat::ALL.len() + manifests, "nothing partial is left");
    }
}
