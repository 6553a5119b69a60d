//! The same rows come out of every format.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use probare_cases::{Format, ReadOptions, Rows};
use probare_core::Case;

use super::{mapped, read, read_with};

fn good(rows: Vec<Result<Case, probare_core::Problem>>) -> Vec<Case> {
    rows.into_iter().map(|row| row.expect("a good row")).collect()
}

#[test]
fn lines_arrays_and_values_one_after_the_other_are_the_same() {
    let lines =
        good(read(b"{\"id\":\"a\",\"response\":\"x\"}\r\n\n{\"id\":\"b\",\"response\":\"y\"}", Format::JsonLines));
    let array =
        good(read(b" [ {\"id\":\"a\",\"response\":\"x\"} ,\n{\"id\":\"b\",\"response\":\"y\"} ] ", Format::Json));
    let values = good(read(b"{\"id\":\"a\",\"response\":\"x\"}\n{\"id\":\"b\",\"response\":\"y\"}", Format::Json));
    assert_eq!(lines, array);
    assert_eq!(lines, values);
    assert_eq!(lines.len(), 2);
}

#[test]
fn aliases_of_other_tools_are_understood() {
    let rows = good(read(
        br#"{"question_id":7,"user_input":"q","actual_output":"r","retrieved_contexts":["c",{"page_content":"d","metadata":{"p":1}}],"ground_truth":"g","extra":true}"#,
        Format::JsonLines,
    ));
    let case = &rows[0];
    assert_eq!(case.id, "7");
    assert_eq!(case.query.as_deref(), Some("q"));
    assert_eq!(case.response.as_ref().unwrap().text, "r");
    let context = case.context.as_ref().unwrap();
    assert_eq!((context[0].text.as_str(), context[1].text.as_str()), ("c", "d"));
    assert_eq!(context[1].metadata["p"], 1);
    assert_eq!(case.reference.as_deref().unwrap(), ["g"]);
    assert_eq!(case.metadata["extra"], true);
}

#[test]
fn a_row_without_id_is_called_by_its_line() {
    let rows = good(read(b"\n\n{\"response\":\"x\"}\n", Format::JsonLines));
    assert_eq!(rows[0].id, "3");
}

#[test]
fn a_mapping_moves_a_column() {
    let rows = good(read_with(
        br#"{"answer":"gold","model_output":"x"}"#,
        Format::JsonLines,
        &mapped("response=model_output"),
    ));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "x");
    assert_eq!(rows[0].metadata["answer"], "gold");
}

#[test]
fn csv_cells_may_hold_lists_and_line_ends() {
    let text =
        b"\xEF\xBB\xBFid,query,answer,context,reference\n1,\"a\nb\",\"[1]\",\"[\"\"c\"\",\"\"d\"\"]\",g\n2,,,,\n";
    let rows = good(read(text, Format::Csv));
    assert_eq!(rows[0].query.as_deref(), Some("a\nb"));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "[1]");
    assert_eq!(rows[0].context.as_ref().unwrap().len(), 2);
    assert_eq!(rows[1].response.as_ref().unwrap().text, "");
    assert!(rows[1].reference.is_none());
}

#[test]
fn tsv_is_csv_with_tabs() {
    let rows = good(read(b"id\tresponse\n1\ta,b\n", Format::Tsv));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "a,b");
}

#[test]
fn parquet_rows_are_read_and_streams_too() {
    let schema = Arc::new(
        parse_message_type("message m { required binary id (UTF8); optional binary response (UTF8); }").unwrap(),
    );
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (values, levels) in [(vec!["a", "b"], None), (vec!["x"], Some(vec![1, 0]))] {
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = values.into_iter().map(ByteArray::from).collect();
        column.typed::<ByteArrayType>().write_batch(&values, levels.as_deref(), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();

    let rows = good(read(&bytes, Format::Parquet));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].response.as_ref().unwrap().text, "x");
    assert!(rows[1].response.is_none());

    bytes.truncate(bytes.len() / 2);
    let cut = Rows::from_reader(std::io::Cursor::new(bytes), "cut.parquet", Format::Parquet, &ReadOptions::default());
    assert!(cut.unwrap_err().to_string().contains("cut.parquet"));
}

#[test]
fn compression_is_told_by_the_extension() {
    let folder = tempfile::tempdir().unwrap();
    let row = b"{\"id\":\"a\"}\n";
    let gzip = folder.path().join("cases.jsonl.gz");
    let mut encoder = flate2::write::GzEncoder::new(std::fs::File::create(&gzip).unwrap(), flate2::Compression::fast());
    encoder.write_all(row).unwrap();
    encoder.finish().unwrap();
    let zstandard = folder.path().join("cases.jsonl.zst");
    std::fs::write(&zstandard, zstd::encode_all(&row[..], 1).unwrap()).unwrap();
    for path in [gzip, zstandard] {
        let rows = Rows::open(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        let cases: Vec<_> = rows.flat_map(|batch| batch.unwrap().cases()).collect();
        assert_eq!(cases[0].as_ref().unwrap().id, "a");
    }
}

#[test]
fn opening_says_what_is_wrong() {
    let options = ReadOptions::default();
    let missing = Rows::open("no/such/file.jsonl", &options).unwrap_err();
    assert_eq!(missing.to_string(), "cannot read `no/such/file.jsonl`");
    let unknown = Rows::open("cases.xyz", &options).unwrap_err();
    assert!(unknown.to_string().contains("--format"), "{unknown}");
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("cases.jsonl");
    std::fs::create_dir(&named).unwrap();
    assert!(Rows::open(named.to_str().unwrap(), &options).is_err());
}
