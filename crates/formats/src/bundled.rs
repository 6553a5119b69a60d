//! Example data that the program carries, so that the plain command of every benchmark has something to show.
//!
//! They are read like files under names that begin with `bundled:`; a manifest names them so, too.

use std::path::Path;

/// What their names begin with.
const PREFIX: &str = "bundled:";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../../examples/", $name)).as_slice())),*]
    };
}

/// The files by their names below `examples/`.
static FILES: [(&str, &[u8]); 18] = files![
    "quotes/quotes.csv",
    "quotes/texts/ferry.txt",
    "quotes/texts/orchard.txt",
    "rag/cases.jsonl",
    "sgi/data/wet_experiment.jsonl",
    "sgi/outputs.jsonl",
    "socioscope/corpus.json",
    "socioscope/questions.json",
    "synthesis/cases.jsonl",
    "synthlink/catalog.jsonl",
    "synthlink/system_a.json",
    "synthlink60/LICENSE",
    "synthlink60/SynthLink_Economic_Industrial_Shifts.md",
    "synthlink60/SynthLink_Environmental_Ecological_Consequences.md",
    "synthlink60/SynthLink_Historical_Impact_Analysis.md",
    "synthlink60/SynthLink_Policy_Social_Movements.md",
    "synthlink60/SynthLink_STEM_Future_Tech.md",
    "synthlink60/SynthLink_Scientific_Technological_Evolution.md",
];

/// Whether a path names something that the program carries: a file, or a folder of such files.
pub fn is_bundled(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// The bytes behind a path; nothing where it names no file that the program carries.
pub(crate) fn bytes(path: &str) -> Option<&'static [u8]> {
    let name = path.strip_prefix(PREFIX)?;
    FILES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// The files below a folder that the program carries, in the order of their names.
pub fn bundled_below(folder: &str) -> Vec<String> {
    let Some(folder) = folder.strip_prefix(PREFIX) else { return Vec::new() };
    let below = FILES.iter().filter(|(name, _)| Path::new(name).starts_with(folder) && *name != folder);
    below.map(|(name, _)| format!("{PREFIX}{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CaseFileError, CaseReader, LARGEST_DOCUMENT, ReadOptions, read_whole};

    #[test]
    fn what_is_carried_is_read_like_a_file() {
        let (bytes, input) = read_whole("bundled:quotes/texts/ferry.txt", LARGEST_DOCUMENT).unwrap();
        assert_eq!((input.path.as_str(), input.bytes), ("bundled:quotes/texts/ferry.txt", bytes.len() as u64));
        assert!(CaseReader::open("bundled:rag/cases.jsonl", &ReadOptions::default()).is_ok());
        assert!(CaseReader::open("bundled:quotes/quotes.csv", &ReadOptions::default()).is_ok());
        assert_eq!(
            bundled_below("bundled:quotes/texts"),
            ["bundled:quotes/texts/ferry.txt", "bundled:quotes/texts/orchard.txt"]
        );
        for unknown in ["bundled:", "bundled:../README.md", "bundled:quotes"] {
            assert!(matches!(read_whole(unknown, 10), Err(CaseFileError::Io { .. })), "{unknown}");
        }
    }
}
