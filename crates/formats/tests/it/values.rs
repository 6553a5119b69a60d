//! Raw values: the same cuts as rows, and what cannot be cut is named.

use probare_core::Problem;
use probare_formats::{CaseFormat, JsonValues, ReadOptions, ValueError};

/// Values and problems of a file with this name and text.
fn values(name: &str, text: &[u8], options: &ReadOptions) -> Vec<Result<String, Problem>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    JsonValues::open(path.to_str().unwrap(), options)
        .unwrap()
        .map(|value| match value {
            Ok(value) => Ok(format!(
                "{}:{} #{} {}",
                value.line,
                value.column,
                value.number,
                String::from_utf8(value.bytes).unwrap()
            )),
            Err(ValueError::Lost(problem)) => Err(*problem),
            Err(other) => panic!("{other}"),
        })
        .collect()
}

fn texts(name: &str, text: &[u8]) -> Vec<String> {
    values(name, text, &ReadOptions::default())
        .into_iter()
        .map(|value| {
            value.unwrap_or_else(|problem| {
                format!("{}:{} {}", problem.line.unwrap(), problem.column.unwrap_or(0), problem.reason)
            })
        })
        .collect()
}

#[test]
fn arrays_lines_and_values_one_after_the_other_are_cut() {
    assert_eq!(
        texts("a.json", b"\xEF\xBB\xBF [1 ,\n \"a,]\" , {\"b\":[2]}]\n"),
        ["1:3 #1 1 ", "2:2 #2 \"a,]\" ", "2:10 #3 {\"b\":[2]}"]
    );
    assert_eq!(
        texts("a.json", b"{\"a\":1}{\"b\":2}\n3 \"x y\" [4]"),
        ["1:1 #1 {\"a\":1}", "1:8 #2 {\"b\":2}", "2:1 #3 3", "2:3 #4 \"x y\"", "2:9 #5 [4]"]
    );
    assert_eq!(texts("a.jsonl", b"{\"a\":1}\n\n[2]\n"), ["1:1 #1 {\"a\":1}", "3:1 #3 [2]"]);
    assert_eq!(texts("predictions.txt", b"[1]"), ["1:2 #1 1"]);
    assert!(texts("a.json", b"[ ]").is_empty());
    assert!(texts("a.json", b"").is_empty());
}

#[test]
fn what_cannot_be_cut_has_line_and_column() {
    assert_eq!(texts("a.json", b"[1,\n2"), ["1:2 #1 1", "2:2 the array has no closing bracket: the file is cut off"]);
    assert_eq!(texts("a.json", b"[1]\n x"), ["1:2 #1 1", "2:2 something follows the closing bracket"]);
    assert_eq!(texts("a.json", b"[] x"), ["1:4 something follows the closing bracket"]);
    assert_eq!(texts("a.json", b"[1,\n ]"), ["1:2 #1 1", "2:2 a value is missing before the closing bracket"]);
    assert_eq!(texts("a.json", b"[\"\n\xFF\", 2]"), ["2:1 the value is not valid UTF-8", "2:5 #2 2"]);
}

#[test]
fn a_value_beyond_the_limit_loses_only_itself() {
    let options = ReadOptions { longest_row: 1024, ..ReadOptions::default() };
    let long = "a\\\",]}".repeat(100_000);
    for text in [format!("[1,\n\"{long}\", 3]"), format!("1\n\"{long}\" 3")] {
        let found = values("a.json", text.as_bytes(), &options);
        assert_eq!(found.len(), 3);
        let problem = found[1].as_ref().unwrap_err();
        assert_eq!((problem.line, problem.reason.as_str()), (Some(2), "the row is longer than 1 KiB"));
        assert!(found[2].as_ref().unwrap().ends_with("#3 3"));
    }
}

#[test]
fn whether_there_is_an_array_and_what_was_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, "[1, 2, 3]").unwrap();
    let path = path.to_str().unwrap();
    let mut values = JsonValues::open(path, &ReadOptions::default()).unwrap();
    assert!(values.is_array());
    assert_eq!(values.next().unwrap().unwrap().bytes, b"1");
    let input = values.input().unwrap();
    assert_eq!((input.path.as_str(), input.bytes, input.rows), (path, 9, Some(1)));
    let (_, whole) = probare_formats::read_whole(path, 100).unwrap();
    assert_eq!(input.sha256, whole.sha256);
    assert!(values.next().is_none());
    let options = ReadOptions { format: Some(CaseFormat::Csv), ..ReadOptions::default() };
    assert!(JsonValues::open(path, &options).unwrap_err().to_string().contains("csv"));
}

#[test]
fn an_error_inside_a_value_is_placed_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, "[1,\n  {\"a\": oops}, {\n\"b\" 1}]").unwrap();
    let values = JsonValues::open(path.to_str().unwrap(), &ReadOptions::default()).unwrap();
    let places: Vec<(u64, u64)> = values
        .map(Result::unwrap)
        .filter_map(|value| {
            let error = serde_json::from_slice::<serde_json::Value>(&value.bytes).err()?;
            Some(value.place_of(&error))
        })
        .collect();
    assert_eq!(places, [(2, 9), (3, 5)]);
}

/// A device without an end costs neither memory nor eternity.
#[cfg(target_os = "linux")]
#[test]
fn a_device_without_an_end_is_given_up() {
    for format in [CaseFormat::Json, CaseFormat::JsonLines] {
        let options = ReadOptions { longest_row: 1024, format: Some(format), ..ReadOptions::default() };
        let error = JsonValues::open("/dev/zero", &options).unwrap().next().unwrap().unwrap_err().to_string();
        assert!(error.contains("at line 1 longer than 64 MiB"), "{error}");
    }
}
