//! Which sign stands between the cells of a CSV file, found in its first lines.

use std::io::{BufRead, BufReader, Cursor, Read};

use memchr::memchr_iter;

use crate::CaseFileError;
use crate::case_file::BUFFER;

/// Signs that are looked for, in order of preference.
const CANDIDATES: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines that are looked at: the header and four more, …
const LINES: usize = 5;
/// … and never more than this many bytes, so that the answer does not depend on how a pipe hands them over.
const MOST: usize = 64 * 1024;

/// The separator of a file, and the file from its start.
pub(crate) fn detect_separator(
    mut reader: Box<dyn BufRead + Send>,
    file: &str,
) -> Result<(u8, Box<dyn BufRead + Send>), CaseFileError> {
    let mut head = Vec::new();
    let mut has_ended = false;
    while !has_ended && head.len() < MOST && memchr_iter(b'\n', &head).nth(LINES - 1).is_none() {
        let before = head.len();
        let read = reader.by_ref().take((MOST - before) as u64).read_until(b'\n', &mut head);
        has_ended = read.map_err(|source| CaseFileError::Io { file: file.to_owned(), source })? == 0;
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        let reason = format!(
            "it is UTF-16 text, as Excel saves \"Unicode text\"; `iconv -f UTF-16 -t UTF-8 {file} > utf8.csv` converts it"
        );
        return Err(CaseFileError::broken(file, "CSV", &reason));
    }
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.len() <= 6 && first.to_ascii_lowercase().starts_with(b"sep=") {
        let reason = "its first line, `sep=`, is an instruction for Excel: delete it, the delimiter is detected";
        return Err(CaseFileError::broken(file, "CSV", reason));
    }
    let separator = told_by(&head, has_ended);
    Ok((separator, Box::new(BufReader::with_capacity(BUFFER, Cursor::new(head).chain(reader)))))
}

/// The sign that stands as often in the first rows as in the header, outside of quotes; of several, the one that stands
/// there most often; where none does, the one that the header has most of; a comma where the header has none.
fn told_by(head: &[u8], is_whole: bool) -> u8 {
    let rows = counts(head, is_whole);
    let Some((header, rows)) = rows.split_first() else { return CANDIDATES[0] };
    let rank = |at: usize| {
        let is_even = rows.iter().all(|row| row[at] == header[at]);
        // Earlier candidates win where everything else is equal.
        (is_even && header[at] > 0, header[at], CANDIDATES.len() - at)
    };
    let best = (0..CANDIDATES.len()).max_by_key(|at| rank(*at)).unwrap_or(0);
    if header[best] == 0 { CANDIDATES[0] } else { CANDIDATES[best] }
}

/// How often each candidate stands in each row. A row that is cut off counts only where it is the first.
fn counts(head: &[u8], is_whole: bool) -> Vec<[usize; CANDIDATES.len()]> {
    let mut rows = Vec::new();
    let (mut row, mut in_quotes, mut is_blank) = ([0; CANDIDATES.len()], false, true);
    for byte in head {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'\n' | b'\r' if !in_quotes => {
                if !is_blank {
                    rows.push(std::mem::take(&mut row));
                }
                is_blank = true;
                continue;
            }
            _ if in_quotes => {}
            _ => {
                if let Some(at) = CANDIDATES.iter().position(|candidate| candidate == byte) {
                    row[at] += 1;
                }
            }
        }
        is_blank = false;
    }
    if !is_blank && (is_whole || rows.is_empty()) {
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(text: &str) -> char {
        char::from(told_by(text.as_bytes(), true))
    }

    #[test]
    fn an_instruction_for_excel_is_named() {
        let error =
            detect_separator(Box::new(Cursor::new(b"sep=;\r\nid;response\r\n")), "a.csv").map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("`sep=`, is an instruction for Excel: delete it"), "{error}");
    }

    #[test]
    fn utf_16_is_named() {
        for mark in [[0xff, 0xfe], [0xfe, 0xff]] {
            let error = detect_separator(Box::new(Cursor::new([&mark[..], b"i\0d\0"].concat())), "a.csv")
                .map(|_| ())
                .unwrap_err();
            assert!(
                error.to_string().contains("it is UTF-16 text") && error.to_string().contains("iconv -f UTF-16"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_sign_of_the_header_that_the_rows_have_as_often() {
        assert_eq!(sign("id,response\n1,a;b;c\n"), ',');
        assert_eq!(sign("id;response\n1;a, b\n2;c, d, e\n"), ';');
        assert_eq!(sign("id\tresponse, in words, as given\n1\ta\n"), '\t');
        assert_eq!(sign("id|response\n1|a\n"), '|');
        assert_eq!(sign("\"id;x;y\",response\n1,a\n"), ',');
        assert_eq!(sign("id,response\n1,\"a\nb;c\"\n"), ',');
    }

    #[test]
    fn ragged_rows_and_single_columns_do_not_confuse() {
        assert_eq!(sign("id,response\n1,a\n2\n3,c\n"), ',');
        assert_eq!(sign("response\na;b\n"), ',');
        assert_eq!(sign(""), ',');
        assert_eq!(sign("a;b,c"), ',');
    }

    #[test]
    fn the_answer_depends_on_the_first_lines_alone() {
        let text = format!("id;response\n{}", "1;a\n".repeat(100_000));
        let (separator, mut reader) = detect_separator(Box::new(Cursor::new(text.clone())), "a.csv").unwrap();
        assert_eq!(separator, b';');
        let mut again = String::new();
        reader.read_to_string(&mut again).unwrap();
        assert_eq!(again, text);
        let (separator, _) = detect_separator(Box::new(Cursor::new(vec![0; 2 * MOST])), "zeros.csv").unwrap();
        assert_eq!(separator, b',');
    }
}
