//! Damaged input: the message says line, column, reason and remedy, and the rows around it survive.

use std::io::Cursor;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use probare_core::Problem;
use probare_formats::{CaseFormat, CaseReader, ReadOptions};

use super::{read, read_with};

fn problems(text: &[u8], format: CaseFormat) -> Vec<Problem> {
    read(text, format).into_iter().filter_map(Result::err).collect()
}

#[test]
fn a_bad_line_is_named_and_the_others_survive() {
    let rows = read(b"{\"id\":1}\n{\"id\": oops}\n{\"id\":3}\n", CaseFormat::JsonLines);
    assert_eq!(rows.len(), 3);
    let problem = rows[1].as_ref().unwrap_err();
    assert_eq!((problem.line, problem.column), (Some(2), Some(8)));
    assert!(problem.reason.contains("is not valid JSON"), "{}", problem.reason);
    assert!(rows[2].is_ok());
}

#[test]
fn invalid_utf8_has_a_column() {
    let problem = &problems(b"{\"id\":\"a\xFF\"}\n", CaseFormat::JsonLines)[0];
    assert_eq!((problem.line, problem.column), (Some(1), Some(9)));
    assert!(problem.hint.as_ref().unwrap().contains("UTF-8"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    assert!(read(b"\xEF\xBB\xBF{\"id\":1}", CaseFormat::JsonLines)[0].is_ok());
    assert!(read(b"\xEF\xBB\xBF[{\"id\":1}]", CaseFormat::Json)[0].is_ok());
}

#[test]
fn empty_files_have_no_rows() {
    for format in [CaseFormat::JsonLines, CaseFormat::Json, CaseFormat::Csv] {
        assert!(read(b"", format).is_empty());
        assert!(read(b"\n \n", format).is_empty());
    }
    assert!(read(b"[]", CaseFormat::Json).is_empty());
}

#[test]
fn a_nesting_bomb_is_refused() {
    let bomb = format!("{{\"id\":1,\"x\":{}1{}}}\n{{\"id\":2}}", "[".repeat(100_000), "]".repeat(100_000));
    let rows = read(bomb.as_bytes(), CaseFormat::JsonLines);
    assert!(rows[0].as_ref().unwrap_err().hint.as_ref().unwrap().contains("128"));
    assert!(rows[1].is_ok());
}

#[test]
fn a_row_beyond_the_limit_is_passed_over() {
    let options = ReadOptions { longest_row: 1024 * 1024, ..ReadOptions::default() };
    let long = format!("{{\"id\":\"{}\"}}\n{{\"id\":\"b\"}}\n", "a".repeat(2 * 1024 * 1024));
    let rows = read_with(long.as_bytes(), CaseFormat::JsonLines, &options);
    assert!(rows[0].as_ref().unwrap_err().reason.contains("longer than 1 MiB"));
    assert_eq!(rows[1].as_ref().unwrap().id, "b");
}

#[test]
fn an_element_of_an_array_beyond_the_limit_loses_only_itself() {
    let options = ReadOptions { longest_row: 1024 * 1024, ..ReadOptions::default() };
    let long = format!("[{{\"id\":\"{}\"}},\n{{\"id\":\"b\"}},{{\"id\":\"c\"}}]", "],".repeat(1024 * 1024));
    let rows = read_with(long.as_bytes(), CaseFormat::Json, &options);
    assert_eq!(rows.len(), 3);
    assert!(rows[0].as_ref().unwrap_err().reason.contains("longer than 1 MiB"));
    assert_eq!((&*rows[1].as_ref().unwrap().id, &*rows[2].as_ref().unwrap().id), ("b", "c"));
}

#[test]
fn a_line_of_fifty_megabytes_is_read() {
    let long = format!("{{\"id\":\"big\",\"response\":\"{}\"}}", "a".repeat(50 * 1024 * 1024));
    let rows = read(long.as_bytes(), CaseFormat::JsonLines);
    assert_eq!(rows[0].as_ref().unwrap().response.as_ref().unwrap().text.len(), 50 * 1024 * 1024);
}

#[test]
fn half_characters_in_escapes_are_named() {
    let problem = &problems(br#"{"id":1,"response":"\ud800"}"#, CaseFormat::JsonLines)[0];
    assert!(problem.hint.as_ref().unwrap().contains("half a character"), "{problem:?}");
}

#[test]
fn a_cut_array_loses_its_last_row_only() {
    let rows = read(b"[{\"id\":1},\n{\"id\":2}", CaseFormat::Json);
    assert!(rows[0].is_ok());
    assert!(rows[1].as_ref().unwrap_err().reason.contains("cut off"));
    assert_eq!(rows.len(), 2);
}

#[test]
fn an_array_under_a_wrong_name_gets_a_hint() {
    let problem = &problems(b"[{\"id\":1}]", CaseFormat::JsonLines)[0];
    assert!(problem.hint.as_ref().unwrap().contains(".json"), "{problem:?}");
}

#[test]
fn garbage_after_an_array_is_reported() {
    let rows = read(b"[{\"id\":1}] x", CaseFormat::Json);
    assert_eq!(rows.len(), 2);
    assert!(rows[1].as_ref().unwrap_err().reason.contains("closing bracket"));
}

#[test]
fn a_wrong_type_names_the_column() {
    let problem = &problems(br#"{"answer":["a"]}"#, CaseFormat::JsonLines)[0];
    assert_eq!(problem.reason, "`answer` must be a text, but it is a list");
    let problem = &problems(br#"{"context":["a",[1]]}"#, CaseFormat::JsonLines)[0];
    assert!(problem.reason.contains("`context[1]`"), "{}", problem.reason);
    let problem = &problems(b"3", CaseFormat::JsonLines)[0];
    assert!(problem.reason.contains("must be an object"), "{}", problem.reason);
}

#[test]
fn a_ragged_csv_row_is_named_and_the_others_survive() {
    let rows = read(b"id,response\n1,a\n2\n3,c\n", CaseFormat::Csv);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1].as_ref().unwrap_err().line, Some(3));
    assert_eq!(rows[2].as_ref().unwrap().id, "3");
}

#[test]
fn a_csv_row_after_blank_lines_has_its_own_line() {
    let rows = read(b"id,response\r\n\r\n\r\n1,\"a\nb\"\r\n2\r\n", CaseFormat::Csv);
    assert_eq!(rows[0].as_ref().unwrap().id, "1");
    assert_eq!(rows[1].as_ref().unwrap_err().line, Some(6));
}

#[test]
fn a_csv_row_beyond_the_limit_is_passed_over() {
    let options = ReadOptions { longest_row: 1024 * 1024, ..ReadOptions::default() };
    let long = format!("id,response\n1,a\n2,\"{}\"\n3,c\n", "a\"\"\n,".repeat(1024 * 1024));
    let rows = read_with(long.as_bytes(), CaseFormat::Csv, &options);
    assert_eq!(rows.len(), 3);
    let problem = rows[1].as_ref().unwrap_err();
    assert_eq!((problem.line, problem.reason.as_str()), (Some(3), "the row is longer than 1 MiB"));
    assert_eq!(rows[2].as_ref().unwrap().id, "3");
    let cells = format!("id,response\n{}\n3,c\n", ",".repeat(1024 * 1024 - 1));
    let rows = read_with(cells.as_bytes(), CaseFormat::Csv, &options);
    assert!(rows[0].as_ref().unwrap_err().reason.contains("1048576 cells"));
    assert!(rows[1].is_ok());
}

#[test]
fn a_csv_file_without_an_end_is_given_up() {
    let options = ReadOptions { longest_row: 1024, ..ReadOptions::default() };
    let start = |text: &'static [u8]| {
        use std::io::Read as _;
        CaseReader::from_reader(text.chain(std::io::repeat(0)), "zeros.csv", CaseFormat::Csv, &options)
    };
    let error = start(b"").unwrap_err().to_string();
    assert!(error.contains("at line 1 longer than 1 KiB"), "{error}");
    let mut rows = start(b"id,response\n1,a\n2,\"").unwrap();
    let error = rows.find_map(Result::err).unwrap().to_string();
    assert!(error.contains("at line 3 longer than 64 MiB"), "{error}");
}

#[test]
fn two_halves_of_a_character_in_two_cells_are_no_text() {
    let problem = &problems(b"id,response\n\xC3,\xA9\n", CaseFormat::Csv)[0];
    assert!(problem.reason.contains("`id` is not valid UTF-8"), "{}", problem.reason);
}

#[test]
fn a_csv_row_that_is_no_utf8_names_its_column() {
    let problem = &problems(b"id,response\n1,\xFF\n", CaseFormat::Csv)[0];
    assert!(problem.reason.contains("`response`"), "{}", problem.reason);
}

/// One value of 16 MiB in the dictionary of a column, and rows that name it: a hundred of them are 6 kB on the disk and 1.6 GB in
/// rows.
fn one_value_in_all_rows(rows: usize) -> Vec<u8> {
    let schema = Arc::new(parse_message_type("message m { required binary response (UTF8); }").unwrap());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(64 << 20)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let value = ByteArray::from(vec![b'a'; 16 << 20]);
    for _ in 0..rows {
        column.typed::<ByteArrayType>().write_batch(std::slice::from_ref(&value), None, None).unwrap();
    }
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn a_batch_of_parquet_is_bounded_by_its_bytes() {
    let bytes = one_value_in_all_rows(100);
    assert!(bytes.len() < 64 * 1024, "{}", bytes.len());
    let mut rows =
        CaseReader::from_reader(Cursor::new(bytes.clone()), "x.parquet", CaseFormat::Parquet, &ReadOptions::default())
            .unwrap();
    for _ in 0..10 {
        assert_eq!(rows.next().unwrap().unwrap().len(), 1);
    }
    // Most memory that this program ever had, in KiB.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        let most: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(most < 400 * 1024, "{most} KiB");
    }
    // A row beyond the limit for rows is passed over, and named.
    let options = ReadOptions { longest_row: 1 << 20, ..ReadOptions::default() };
    let problem = read_with(&one_value_in_all_rows(3), CaseFormat::Parquet, &options).remove(1).unwrap_err();
    assert_eq!(problem.reason, "row 2: the row is longer than 1 MiB");
    assert!(problem.lost);
}
