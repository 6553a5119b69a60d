//! A corpus in a folder of the test's own, and an embedder that needs no model.

use std::fs;
use std::path::PathBuf;

use probare_retrieval::{BuildReport, Embedder, Index, IndexBuilder, IndexSettings, RetrievalError, corpus};
use tempfile::TempDir;

/// A folder with a corpus and an index.
pub struct TestCorpus {
    folder: TempDir,
}

impl TestCorpus {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.corpus()).unwrap();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    /// The twelve invented interviews.
    pub fn interviews() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/socioscope/corpus.json");
        Self::new(&[("corpus.json", &fs::read_to_string(path).unwrap())])
    }

    pub fn corpus(&self) -> PathBuf {
        self.folder.path().join("corpus")
    }

    pub fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.corpus().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn build(&self, embedder: Option<&Embedder>) -> Result<BuildReport, RetrievalError> {
        let files = corpus::list_files(&self.corpus(), Some(&self.index()))?;
        let builder = IndexBuilder::new(&self.index(), IndexSettings::default());
        match embedder {
            Some(embedder) => builder.with_vectors(embedder),
            None => builder,
        }
        .build(&files, &mut |_| ())
    }

    pub fn open(&self) -> Index {
        Index::open(&self.index()).unwrap()
    }
}

/// Vectors of 32 numbers that count letters: texts with the same letters are near each other.
pub fn letters() -> Embedder {
    Embedder::from_function("letters", |texts| {
        let vector = |text: &&str| {
            let mut counts = vec![0.0_f32; 32];
            for byte in text.bytes().filter(u8::is_ascii_alphabetic) {
                counts[usize::from(byte.to_ascii_lowercase() - b'a')] += 1.0;
            }
            counts[31] = 0.01;
            counts
        };
        texts.iter().map(vector).collect()
    })
}
