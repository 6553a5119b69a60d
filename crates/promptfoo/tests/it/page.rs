//! The page on promptfoo counts the vectors that the tests compare.

use std::fs;
use std::path::Path;

#[test]
fn the_page_counts_the_vectors_of_every_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/coming-from/promptfoo.md")).unwrap();
    let (_, types) = page.split_once("\n## Types\n").unwrap();
    let (types, _) = types.split_once("\n## ").unwrap();
    let mut total = 0;
    for entry in fs::read_dir(root.join("tests/golden/promptfoo")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let words = match stem.as_str() {
            "aggregate" => "named scores".to_owned(),
            "csv" => "cells of CSV files".to_owned(),
            "expansion" => "expansion of variables".to_owned(),
            "max_score" => "`max-score`".to_owned(),
            "openai_import" => "results of OpenAI Evals".to_owned(),
            "scalars" => "YAML scalars".to_owned(),
            "template" => "templates".to_owned(),
            kind => format!("`{}`", kind.replace('_', ":")),
        };
        let count = fs::read_to_string(&path).unwrap().lines().count();
        let is_counted = [",", ";", " |"].iter().any(|end| types.contains(&format!("{words} {count}{end}")));
        assert!(is_counted, "`{words} {count}` is not on the page");
        total += count;
    }
    let total = format!("{},{:03} vectors", total / 1000, total % 1000);
    assert!(types.contains(&total), "`{total}` is not on the page");
}
