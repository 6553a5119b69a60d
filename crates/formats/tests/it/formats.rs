//! The same rows come out of every format.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use probare_core::Case;
use probare_formats::{CaseFormat, CaseReader, ReadOptions};

use super::{mapped, read, read_with};

fn good(rows: Vec<Result<Case, probare_core::Problem>>) -> Vec<Case> {
    rows.into_iter().map(|row| row.expect("a good row")).collect()
}

#[test]
fn lines_arrays_and_values_one_after_the_other_are_the_same() {
    let lines =
        good(read(b"{\"id\":\"a\",\"response\":\"x\"}\r\n\n{\"id\":\"b\",\"response\":\"y\"}", CaseFormat::JsonLines));
    let array =
        good(read(b" [ {\"id\":\"a\",\"response\":\"x\"} ,\n{\"id\":\"b\",\"response\":\"y\"} ] ", CaseFormat::Json));
    let values = good(read(b"{\"id\":\"a\",\"response\":\"x\"}\n{\"id\":\"b\",\"response\":\"y\"}", CaseFormat::Json));
    assert_eq!(lines, array);
    assert_eq!(lines, values);
    assert_eq!(lines.len(), 2);
}

#[test]
fn aliases_of_other_tools_are_understood() {
    let rows = good(read(
        br#"{"question_id":7,"user_input":"q","actual_output":"r","retrieved_contexts":["c",{"page_content":"d","metadata":{"p":1}}],"ground_truth":"g","extra":true}"#,
        CaseFormat::JsonLines,
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
    let rows = good(read(b"\n\n{\"response\":\"x\"}\n", CaseFormat::JsonLines));
    assert_eq!(rows[0].id, "3");
}

#[test]
fn a_mapping_moves_a_column() {
    let rows = good(read_with(
        br#"{"answer":"gold","model_output":"x"}"#,
        CaseFormat::JsonLines,
        &mapped("response=model_output"),
    ));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "x");
    assert_eq!(rows[0].metadata["answer"], "gold");
}

#[test]
fn csv_cells_may_hold_lists_and_line_ends() {
    let text =
        b"\xEF\xBB\xBFid,query,answer,context,reference\n1,\"a\nb\",\"[1]\",\"[\"\"c\"\",\"\"d\"\"]\",g\n2,,,,\n";
    let rows = good(read(text, CaseFormat::Csv));
    assert_eq!(rows[0].query.as_deref(), Some("a\nb"));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "[1]");
    assert_eq!(rows[0].context.as_ref().unwrap().len(), 2);
    assert_eq!(rows[1].response.as_ref().unwrap().text, "");
    assert!(rows[1].reference.is_none());
}

#[test]
fn an_empty_cell_is_an_empty_query_or_response_however_its_column_is_called() {
    for (header, mapping) in
        [("query,response", "tags=t"), ("question,answer", "tags=t"), ("q,out", "response=out"), ("q,out", "query=q")]
    {
        let text = format!("id,{header},reference\n,,,\n");
        let rows = good(read_with(text.as_bytes(), CaseFormat::Csv, &mapped(mapping)));
        let case = &rows[0];
        assert_eq!(case.id, "2", "{header}");
        assert!(case.reference.is_none() && case.metadata.is_empty(), "{header}: {case:?}");
        if mapping != "query=q" {
            assert_eq!(case.response.as_ref().unwrap().text, "", "{header} {mapping}");
        }
        if mapping != "response=out" {
            assert_eq!(case.query.as_deref(), Some(""), "{header} {mapping}");
        }
    }
    // The column that becomes the response is the one, whatever another one would have held.
    let rows = good(read(b"response,output\n,x\ny,\n", CaseFormat::Csv));
    assert_eq!((&*rows[0].response.as_ref().unwrap().text, &rows[0].metadata["output"]), ("", &"x".into()));
    assert_eq!((&*rows[1].response.as_ref().unwrap().text, rows[1].metadata.len()), ("y", 0));
}

#[test]
fn numbers_keep_their_digits_as_written() {
    let rows = good(read(
        b"{\"id\":123456789012345678901,\"response\":1.50,\"reference\":[1e3,-0,true],\"context\":{\"text\":0.10}}\n{\"id\":123456789012345678902}\n",
        CaseFormat::JsonLines,
    ));
    assert_eq!((&*rows[0].id, &*rows[1].id), ("123456789012345678901", "123456789012345678902"));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "1.50");
    assert_eq!(rows[0].reference.as_deref().unwrap(), ["1e3", "-0", "true"]);
    assert_eq!(rows[0].context.as_ref().unwrap()[0].text, "0.10");
    let nested = br#"{"meta":{"key":123456789012345678901}}"#;
    assert_eq!(good(read_with(nested, CaseFormat::JsonLines, &mapped("id=meta.key")))[0].id, "123456789012345678901");
}

#[test]
fn the_separator_is_found_or_given() {
    let rows = CaseReader::from_reader(&b"id;response\n1;a,b\n"[..], "a.csv", CaseFormat::Csv, &ReadOptions::default())
        .unwrap();
    assert_eq!(rows.separator(), Some(b';'));
    let rows = good(read(b"id;response\n1;a,b\n2;c\n", CaseFormat::Csv));
    assert_eq!((&*rows[0].response.as_ref().unwrap().text, rows.len()), ("a,b", 2));
    let given = ReadOptions { separator: Some(b':'), ..ReadOptions::default() };
    let rows = good(read_with(b"id:response\n1:a,b;c\n", CaseFormat::Csv, &given));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "a,b;c");
    let quote = ReadOptions { separator: Some(b'"'), ..ReadOptions::default() };
    assert!(CaseReader::from_reader(&b"a"[..], "a.csv", CaseFormat::Csv, &quote).is_err());
}

#[test]
fn the_columns_of_every_format_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, &[u8], &[&str]); 6] = [
        ("a.csv", b"a;b\n1;2\n", &["a", "b"]),
        ("a.tsv", b"a\tb;c\n", &["a", "b;c"]),
        ("a.jsonl", b"\n{\"a\":1,\"b\":{\"c\":2}}\n{\"d\":1}\n", &["a", "b"]),
        ("a.json", b"[{\"b\":1,\"a\":1}]", &["b", "a"]),
        ("b.json", b"[]", &[]),
        ("b.csv", b"", &[]),
    ];
    for (name, text, expected) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let columns = probare_formats::columns(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!(columns, expected, "{name}");
    }
    let path = folder.path().join("c.json");
    std::fs::write(&path, "[3]").unwrap();
    let error = probare_formats::columns(path.to_str().unwrap(), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("is not an object"), "{error}");
}

#[test]
fn an_answer_in_a_cell_stays_as_written() {
    let rows = good(read_with(b"id,out\n1,\"[1, 2]\"\n", CaseFormat::Csv, &mapped("response=out")));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "[1, 2]");
}

#[test]
fn tsv_is_csv_with_tabs() {
    let rows = good(read(b"id\tresponse\n1\ta,b\n", CaseFormat::Tsv));
    assert_eq!(rows[0].response.as_ref().unwrap().text, "a,b");
}

#[test]
fn parquet_rows_are_read_and_streams_too() {
    let schema = Arc::new(
        parse_message_type(
            "message m { required binary id (UTF8); optional binary response (UTF8);
             required group made { optional binary city (UTF8); optional binary seats (UTF8); } }",
        )
        .unwrap(),
    );
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let columns = [
        (vec!["a", "b"], None),
        (vec!["x"], Some(vec![1, 0])),
        (vec!["Oslo", "Bonn"], Some(vec![1, 1])),
        (vec!["2"], Some(vec![0, 1])),
    ];
    for (values, levels) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        let values: Vec<ByteArray> = values.into_iter().map(ByteArray::from).collect();
        column.typed::<ByteArrayType>().write_batch(&values, levels.as_deref(), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();

    let rows = good(read(&bytes, CaseFormat::Parquet));
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].response.as_ref().unwrap().text, "x");
    assert!(rows[1].response.is_none());
    // All rows of a file have the same members, so one that is not set is absent.
    let made = |row: usize| serde_json::to_string(&rows[row].metadata["made"]).unwrap();
    assert_eq!((made(0), made(1)), (r#"{"city":"Oslo"}"#.to_owned(), r#"{"city":"Bonn","seats":"2"}"#.to_owned()));

    bytes.truncate(bytes.len() / 2);
    let cut = CaseReader::from_reader(
        std::io::Cursor::new(bytes),
        "cut.parquet",
        CaseFormat::Parquet,
        &ReadOptions::default(),
    );
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
        let rows = CaseReader::open(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
        let cases: Vec<_> = rows.flat_map(|batch| batch.unwrap().cases()).collect();
        assert_eq!(cases[0].as_ref().unwrap().id, "a");
    }
}

#[test]
fn opening_says_what_is_wrong() {
    let options = ReadOptions::default();
    let missing = CaseReader::open("no/such/file.jsonl", &options).unwrap_err();
    assert_eq!(missing.to_string(), "cannot read `no/such/file.jsonl`");
    let unknown = CaseReader::open("cases.xyz", &options).unwrap_err();
    assert!(unknown.to_string().contains("known are jsonl"), "{unknown}");
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("cases.jsonl");
    std::fs::create_dir(&named).unwrap();
    assert!(CaseReader::open(named.to_str().unwrap(), &options).is_err());
}

#[test]
fn a_response_may_say_whose_it_is() {
    let text = br#"{"id":"a","response":{"text":"yes","model":"m","repeat":2}}
{"id":"b","response":{"text":"no"}}
{"id":"c","response":{"words":"no"}}
"#;
    let rows = read(text, CaseFormat::JsonLines);
    let first = rows[0].as_ref().unwrap().response.clone().unwrap();
    assert_eq!((first.text.as_str(), first.model.as_deref(), first.repeat), ("yes", Some("m"), 2));
    assert_eq!(rows[1].as_ref().unwrap().response.as_ref().unwrap().text, "no");
    let reason = &rows[2].as_ref().unwrap_err().reason;
    assert_eq!(
        reason,
        "`response` must be a text, or an object with `text`, `model` and `repeat`, but it is another object"
    );
    // In a table the text stays as it is written.
    let rows = read(b"id,response\na,\"{\"\"text\"\":1}\"\n", CaseFormat::Csv);
    assert_eq!(rows[0].as_ref().unwrap().response.as_ref().unwrap().text, "{\"text\":1}");
}

#[test]
fn without_a_digest_a_file_is_read_as_far_as_its_rows_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cases.jsonl");
    let row = format!("{{\"id\":\"a\",\"response\":\"{}\"}}\n", "x".repeat(1000));
    std::fs::write(&path, row.repeat(2000)).unwrap();
    let path = path.to_str().unwrap();
    let open = || CaseReader::open(path, &ReadOptions::default()).unwrap();
    let read = |mut rows: CaseReader| {
        assert!(rows.next().unwrap().unwrap().cases().iter().all(Result::is_ok));
        probare_core::CaseSource::inputs(&mut rows).unwrap().remove(0)
    };
    let (whole, part) = (read(open()), read(open().without_digest()));
    assert_eq!((whole.sha256.len(), whole.bytes), (64, 2000 * row.len() as u64));
    assert_eq!(part.sha256, "");
    assert!(part.bytes < whole.bytes / 2, "{} of {} bytes", part.bytes, whole.bytes);
    assert_eq!(part.rows, whole.rows);
}

#[test]
fn only_the_rows_that_are_wanted_are_looked_into() {
    let row = |number: usize| match number {
        7 | 600 => "{broken\n".to_owned(),
        _ => format!("{{\"id\":\"{number}\",\"response\":\"x\"}}\n"),
    };
    let lines: String = (0..2000).map(row).collect();
    let table: String =
        std::iter::once("id,response\n".to_owned()).chain((0..2000).map(|number| format!("{number},x\n"))).collect();
    for (text, format) in [(lines, CaseFormat::JsonLines), (table, CaseFormat::Csv)] {
        let reader = std::io::Cursor::new(text.into_bytes());
        let rows = CaseReader::from_reader(reader, "cases", format, &ReadOptions::default()).unwrap();
        let mut rows = rows.only_rows([3, 600, 601, 1500].into());
        let mut found = Vec::new();
        while let Some(batch) = probare_core::CaseSource::next_batch(&mut rows) {
            found.extend(batch.unwrap().cases().into_iter().map(|row| row.map_or("lost".to_owned(), |case| case.id)));
        }
        let second = if format == CaseFormat::Csv { "600" } else { "lost" };
        assert_eq!(found, ["3", second, "601", "1500"]);
    }
}
