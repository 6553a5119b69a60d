//! Vectors of a build that is under way, by the digest of their text. They are written down as they are computed, so that a
//! build that was killed goes on where it was, however long the texts take.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use probare_core::Sha256;

use crate::{Embedder, RetrievalError};

/// Texts that are embedded together.
pub(super) const BATCH: usize = 128;

/// Longest digest in the file.
const DIGEST: usize = 64;

/// Vectors that are known, and the file in which further ones are noted.
pub(super) struct PartialVectors {
    path: PathBuf,
    file: File,
    known: HashMap<[u8; DIGEST], Vec<f32>>,
}

impl PartialVectors {
    /// Reads what a killed build left: digest, number of numbers, numbers. What is cut short at the end is left out.
    pub(super) fn open(path: PathBuf, mut file: File) -> Result<Self, RetrievalError> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(RetrievalError::io("read", &path))?;
        let mut known = HashMap::new();
        let mut rest = bytes.as_slice();
        while let Some((digest, after)) = rest.split_first_chunk::<DIGEST>() {
            let Some((count, after)) = after.split_first_chunk::<4>() else { break };
            let count = u32::from_le_bytes(*count) as usize;
            let Some((numbers, after)) = count.checked_mul(4).and_then(|length| after.split_at_checked(length)) else {
                break;
            };
            let (numbers, _) = numbers.as_chunks::<4>();
            known.insert(*digest, numbers.iter().map(|number| f32::from_le_bytes(*number)).collect());
            rest = after;
        }
        // What follows must not be read as the rest of a vector that was cut short.
        let whole = (bytes.len() - rest.len()) as u64;
        file.set_len(whole).map_err(RetrievalError::io("write", &path))?;
        Ok(Self { path, file, known })
    }

    /// One vector for each text; those that are not known are computed and noted.
    pub(super) fn vectors(&mut self, texts: &[String], embedder: &Embedder) -> Result<Vec<Vec<f32>>, RetrievalError> {
        let digests: Vec<[u8; DIGEST]> = texts.iter().map(|text| digest(text)).collect();
        let missing: Vec<usize> = (0..texts.len()).filter(|at| !self.known.contains_key(&digests[*at])).collect();
        let missing_texts: Vec<&str> = missing.iter().map(|at| texts[*at].as_str()).collect();
        let computed = if missing_texts.is_empty() { Vec::new() } else { embedder.embed(&missing_texts)? };
        let mut line = Vec::new();
        for (at, vector) in missing.iter().zip(&computed) {
            line.extend_from_slice(&digests[*at]);
            line.extend_from_slice(&u32::try_from(vector.len()).unwrap_or(0).to_le_bytes());
            line.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        }
        self.file.write_all(&line).map_err(RetrievalError::io("write", &self.path))?;
        let mut computed: HashMap<usize, Vec<f32>> = missing.into_iter().zip(computed).collect();
        let vector = |at: usize| computed.remove(&at).or_else(|| self.known.get(&digests[at]).cloned());
        Ok((0..texts.len()).map(vector).map(Option::unwrap_or_default).collect())
    }
}

fn digest(text: &str) -> [u8; DIGEST] {
    let mut digest = [0; DIGEST];
    let hex = Sha256::hex_digest(text);
    digest.iter_mut().zip(hex.bytes()).for_each(|(place, byte)| *place = byte);
    digest
}
