//! [`Values`]: the raw JSON values of a file, for readers that know what is in them.

use std::fmt;
use std::io::Read;
use std::path::Path;

use probare_core::{InputFile, Problem};

use crate::comments::Uncommented;
use crate::json_splitter::{JsonSplitter, Layout, SplitItem, ValuePosition};
use crate::stored_file::{self, STANDARD_INPUT, StoredFile, format_from_name};
use crate::{CaseFileError, CaseFormat, ReadOptions};

/// The values of a JSON file (an array, values one after the other, or lines), cut out one by one and not looked into.
///
/// Memory depends on the longest value, never on the length of the file. A value that is damaged inside comes as it is;
/// what could not be cut, or is not UTF-8, is a [`Problem`], and the values behind it follow.
///
/// ```
/// use probare_formats::{ReadOptions, JsonValues};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("predictions.json");
/// # std::fs::write(&file, "[{\"a\": 1},\n {\"a\": 2}]")?;
/// # let path = file.to_str().expect("a temporary folder has a plain name");
/// let mut values = JsonValues::open(path, &ReadOptions::default())?;
/// let second = values.by_ref().nth(1).expect("there are two")?;
/// assert_eq!((second.bytes.as_slice(), second.line, second.column), (b"{\"a\": 2}".as_slice(), 2, 2));
/// assert_eq!(values.input()?.bytes, 21);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JsonValues {
    cutter: JsonSplitter,
    stored: StoredFile,
    is_array: bool,
    count: u64,
    has_ended: bool,
}

/// One value as it is written in the file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedValue {
    /// Its text, which is UTF-8.
    pub bytes: Vec<u8>,
    /// Line of its first byte, counted from 1.
    pub line: u64,
    /// Byte in that line, counted from 1.
    pub column: u64,
    /// Its line where there is one value a line, else which value it is, counted from 1.
    pub number: u64,
}

impl LocatedValue {
    /// Line and column in the file where an error of `serde_json` in this value stands.
    pub fn place_of(&self, error: &serde_json::Error) -> (u64, u64) {
        let place = ValuePosition { line: self.line, column: self.column, number: self.number };
        place.position_in_file(error.line() as u64, error.column() as u64)
    }
}

/// A value that is not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// One value could not be cut out of the file; others may follow.
    #[error("{}", problem_text(.0))]
    Lost(Box<Problem>),
    /// The file cannot be read on.
    #[error(transparent)]
    Open(#[from] CaseFileError),
}

fn problem_text(problem: &Problem) -> String {
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    let column = problem.column.map(|column| format!(":{column}")).unwrap_or_default();
    format!("{}{line}{column}: {}", problem.file, problem.reason)
}

impl fmt::Debug for JsonValues {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Values").finish_non_exhaustive()
    }
}

impl JsonValues {
    /// Opens a file, or standard input for `-`. JSON lines are told by the extension or the format in the options, as for
    /// cases; a file with any other name is taken for one array, or for values one after the other.
    pub fn open(path: &str, options: &ReadOptions) -> Result<Self, CaseFileError> {
        Self::open_with(path, options, |reader| reader)
    }

    /// The same, with remarks behind `//` passed over.
    pub fn with_remarks(path: &str, options: &ReadOptions) -> Result<Self, CaseFileError> {
        Self::open_with(path, options, |reader| Box::new(Uncommented::new(reader)))
    }

    fn open_with(
        path: &str,
        options: &ReadOptions,
        through: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Result<Self, CaseFileError> {
        let name = if path == "-" { STANDARD_INPUT } else { path };
        let named = if path == "-" { Some(CaseFormat::JsonLines) } else { format_from_name(Path::new(path)).0 };
        let format = options.format.or(named).unwrap_or(CaseFormat::Json);
        if !matches!(format, CaseFormat::Json | CaseFormat::JsonLines) {
            let reason = format!("it is taken for {}, which holds rows and no values", format.name());
            return Err(CaseFileError::broken(name, "JSON", &reason));
        }
        let opened = stored_file::open(path)?;
        let mut cutter =
            JsonSplitter::new(through(opened.reader), Layout::for_format(format, name), options.longest_row, name)?;
        let is_array = cutter.is_array()?;
        Ok(Self { cutter, stored: opened.stored, is_array, count: 0, has_ended: false })
    }

    /// Whether the file is one array.
    pub const fn is_array(&self) -> bool {
        self.is_array
    }

    /// The file as a manifest names it, with the number of values so far. What is left of it is read for the digest, so
    /// no values come after this. A file that could not be read on is not tried again: its digest is worth nothing.
    pub fn input(&mut self) -> Result<InputFile, CaseFileError> {
        self.has_ended = true;
        self.stored.input(self.count)
    }
}

impl Iterator for JsonValues {
    type Item = Result<LocatedValue, ValueError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let mut bytes = Vec::new();
        match self.cutter.next(&mut bytes) {
            Ok(SplitItem::End) => None,
            Ok(SplitItem::Bad(problem)) => {
                self.count += 1;
                Some(Err(ValueError::Lost(problem)))
            }
            Ok(SplitItem::Value(place)) => {
                self.count += 1;
                Some(check_utf8(bytes, place, self.cutter.file()).map_err(ValueError::Lost))
            }
            Err(error) => {
                self.has_ended = true;
                self.stored.give_up();
                Some(Err(error.into()))
            }
        }
    }
}

pub(crate) fn check_utf8(bytes: Vec<u8>, place: ValuePosition, file: &str) -> Result<LocatedValue, Box<Problem>> {
    match simdutf8::compat::from_utf8(&bytes) {
        Ok(_) => Ok(LocatedValue { bytes, line: place.line, column: place.column, number: place.number }),
        Err(error) => {
            Err(Box::new(no_text(file, place.byte_position_in_file(&bytes, error.valid_up_to()), "the value")))
        }
    }
}

/// What stands in a file and is not UTF-8.
pub(crate) fn no_text(file: &str, (line, column): (u64, u64), what: &str) -> Problem {
    Problem {
        file: file.to_owned(),
        line: Some(line),
        column: Some(column),
        reason: format!("{what} is not valid UTF-8"),
        hint: Some("save the file as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`".to_owned()),
        lost: true,
        id: None,
    }
}
