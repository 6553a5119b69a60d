//! Every reader on arbitrary bytes: a row or a problem, never a panic, never an endless loop.

use probare_formats::{CaseFormat, CaseReader, ReadOptions};

fn drain(bytes: &[u8], format: CaseFormat) {
    let options = ReadOptions { longest_row: 4096, ..ReadOptions::default() };
    let Ok(rows) = CaseReader::from_reader(std::io::Cursor::new(bytes.to_vec()), "fuzz", format, &options) else {
        return;
    };
    // Each row takes at least one byte, so a reader that makes more batches than that is stuck.
    for (count, batch) in rows.enumerate() {
        assert!(count <= bytes.len() + 1, "the reader does not end");
        let Ok(batch) = batch else { return };
        batch.cases();
    }
}

#[test]
fn fuzz_json_lines() {
    bolero::check!().for_each(|bytes: &[u8]| drain(bytes, CaseFormat::JsonLines));
}

#[test]
fn fuzz_json_values() {
    bolero::check!().for_each(|bytes: &[u8]| drain(bytes, CaseFormat::Json));
}

/// Plain bytes seldom make an array; these pieces often do.
#[test]
fn fuzz_json_pieces() {
    const PIECES: [&str; 16] =
        ["[", "]", "{", "}", "\"", "\\", ",", ":", "\"id\"", "1", "null", " ", "\n", "\u{feff}", "\"a\":\"b\"", "é"];
    bolero::check!().with_type::<Vec<u8>>().for_each(|picks| {
        let text: String = picks.iter().map(|pick| PIECES[usize::from(pick % 16)]).collect();
        drain(text.as_bytes(), CaseFormat::Json);
        drain(text.as_bytes(), CaseFormat::JsonLines);
        drain(text.as_bytes(), CaseFormat::Csv);
    });
}

#[test]
fn fuzz_csv() {
    bolero::check!().for_each(|bytes: &[u8]| {
        drain(bytes, CaseFormat::Csv);
        drain(bytes, CaseFormat::Tsv);
    });
}

#[test]
fn fuzz_parquet() {
    bolero::check!().for_each(|bytes: &[u8]| {
        drain(bytes, CaseFormat::Parquet);
        let framed = [b"PAR1", bytes, b"PAR1"].concat();
        drain(&framed, CaseFormat::Parquet);
    });
}
