//! Readers: what every format gives, what every kind of damage is called, and that nothing panics.

#![expect(clippy::disallowed_methods, reason = "the readers are tested without a runner, on files that are made here")]

mod foreign;
mod formats;
mod fuzz_readers;
mod hostile;
mod openai_import;
mod traces;
mod transcripts;
mod values;

use probare_core::{Case, Problem};
use probare_formats::{CaseFormat, CaseReader, FieldMap, ReadOptions};

/// All rows of a text in one format.
fn read(text: &[u8], format: CaseFormat) -> Vec<Result<Case, Problem>> {
    read_with(text, format, &ReadOptions::default())
}

fn read_with(text: &[u8], format: CaseFormat, options: &ReadOptions) -> Vec<Result<Case, Problem>> {
    let reader = std::io::Cursor::new(text.to_vec());
    let rows = CaseReader::from_reader(reader, "test", format, options).expect("the format can be started");
    rows.flat_map(|batch| batch.expect("memory can be read").cases()).collect()
}

fn mapped(mapping: &str) -> ReadOptions {
    ReadOptions { fields: FieldMap::parse(&[mapping]).expect("a good mapping"), ..ReadOptions::default() }
}
