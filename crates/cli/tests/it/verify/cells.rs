//! Cells of a Parquet file, written anew by somebody else.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Type as Physical;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;

use super::Project;

type Cells = Vec<Vec<(String, Field)>>;

/// Reads a file, changes its rows and its manifest, and writes it again with the same columns.
fn rewrite(path: &Path, change: impl FnOnce(&mut Cells, &mut String)) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let about = reader.metadata().file_metadata();
    let schema = about.schema_descr().root_schema_ptr();
    let pairs = about.key_value_metadata().unwrap();
    let mut manifest = pairs.iter().find(|pair| pair.key == "probare.run").unwrap().value.clone().unwrap();
    let mut rows: Cells = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns()).collect();
    change(&mut rows, &mut manifest);
    let file = File::options().write(true).truncate(true).open(path).unwrap();
    let mut writer =
        SerializedFileWriter::new(file, Arc::clone(&schema), Arc::new(WriterProperties::builder().build())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (at, column) in schema.get_fields().iter().enumerate() {
        let cells: Vec<&Field> = rows.iter().map(|row| &row[at].1).collect();
        let levels: Option<Vec<i16>> =
            column.is_optional().then(|| cells.iter().map(|cell| i16::from(!matches!(cell, Field::Null))).collect());
        let levels = levels.as_deref();
        let mut out = group.next_column().unwrap().unwrap();
        match column.get_physical_type() {
            Physical::DOUBLE => {
                let values: Vec<f64> = cells
                    .iter()
                    .filter_map(|cell| if let Field::Double(value) = cell { Some(*value) } else { None })
                    .collect();
                out.typed::<DoubleType>().write_batch(&values, levels, None).unwrap();
            }
            Physical::INT64 => {
                let values: Vec<i64> = cells
                    .iter()
                    .filter_map(|cell| if let Field::Long(value) = cell { Some(*value) } else { None })
                    .collect();
                out.typed::<Int64Type>().write_batch(&values, levels, None).unwrap();
            }
            _ => {
                let values: Vec<ByteArray> = cells
                    .iter()
                    .filter_map(|cell| if let Field::Str(text) = cell { Some(text.as_str().into()) } else { None })
                    .collect();
                out.typed::<ByteArrayType>().write_batch(&values, levels, None).unwrap();
            }
        }
        out.close().unwrap();
    }
    group.close().unwrap();
    writer.append_key_value_metadata(KeyValue::new("probare.run".to_owned(), manifest));
    writer.close().unwrap();
}

fn set(rows: &mut Cells, row: usize, column: &str, value: Field) {
    let cell = rows[row].iter_mut().find(|(name, _)| name == column).unwrap();
    assert_ne!(cell.1, value);
    cell.1 = value;
}

#[test]
fn every_change_of_a_cell_is_named() {
    let project = Project::new();
    let path = project.path().join("r.parquet");
    let before = std::fs::read(&path).unwrap();
    let text = |text: &str| Field::Str(text.to_owned());
    let changes: [(&str, Field, &str); 7] = [
        (
            "token_f1",
            Field::Double(0.25),
            "case `a`, token_f1: `token_f1` is \"0.25\" in the file and \"0.2222222222222222\" now",
        ),
        ("token_f1", Field::Null, "case `a`, token_f1: `token_f1` is nothing in the file"),
        ("token_f1.status", text("failed"), "`token_f1.status` is \"failed\" in the file and \"scored\" now"),
        ("hallucination.label", text("made up"), "`hallucination.label` is \"made up\" in the file and \"unsure\" now"),
        ("token_f1.parts", text("{}"), "`token_f1.parts` is \"{}\" in the file"),
        ("token_f1.kind", text("failed"), "`token_f1.kind` is \"failed\" in the file and nothing now"),
        (
            "token_f1.evidence",
            text(r#"[{"kind":"matched","field":"response","start":0,"end":3,"text":"Canberra"}]"#),
            "the evidence says \"Canberra\", but at its place stands \"The\"",
        ),
    ];
    for (column, value, named) in changes {
        rewrite(&path, |rows, _| set(rows, 0, column, value));
        project.verify(&["r.parquet"]).differs(column, named);
        std::fs::write(&path, &before).unwrap();
    }
}

#[test]
fn every_change_of_rows_and_footer_is_named() {
    let project = Project::new();
    let path = project.path().join("r.parquet");
    let before = std::fs::read(&path).unwrap();
    let check = |what: &str, change: &dyn Fn(&mut Cells, &mut String), named: &str| {
        rewrite(&path, change);
        project.verify(&["r.parquet"]).differs(what, named);
        std::fs::write(&path, &before).unwrap();
    };
    check("removed row", &|rows, _| drop(rows.remove(2)), "case `c`: the row is missing from the file");
    check("swapped rows", &|rows, _| rows.swap(1, 2), "row 3 was moved");
    check("model", &|rows, _| set(rows, 1, "model", Field::Str("m2".into())), "case `b, model m2`: row 2 was added");
    check("repeat", &|rows, _| set(rows, 1, "repeat", Field::Long(1)), "case `b, repeat 1`: row 2 was added");
    check("nothing but the writer", &|_, _| (), "the file says the same, but is written differently");
    check(
        "manifest",
        &|_, manifest| *manifest = manifest.replacen("\"cases\":5", "\"cases\":6", 1),
        "`summary.cases` is 6 in the file and 5 now",
    );
    let mut damaged = before.clone();
    let middle = damaged.len() / 3;
    damaged[4..middle].fill(0xff);
    std::fs::write(&path, &damaged).unwrap();
    let said = project.verify(&["r.parquet"]);
    assert_eq!(said.code, Some(1), "{}", said.text);
}
