//! Versions of data sets: `compare` and `history` say where two runs are not over the same one.

use std::fs;
use std::path::Path;

use probare_testing::{ServerBehaviour, TestServer};
use serde_json::Value as Json;

use crate::program::run_successfully;
use crate::replies::project;

fn set(place: &Path, file: &str, from: &str, to: &str) {
    let path = place.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn another_version_of_a_data_set_is_told_with_name_and_digest() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 6, "temperature: 0");
    let place = folder.path();
    set(place, "probare.yaml", "{path: cases.jsonl}", "{path: cases.jsonl, version: spring}");
    run_successfully(place, &["run", "probare.yaml", "-o", "1.jsonl"]);
    run_successfully(place, &["run", "probare.yaml", "-o", "2.jsonl"]);
    set(place, "cases.jsonl", "Q003", "Q903");
    set(place, "probare.yaml", "version: spring", "version: summer");
    run_successfully(place, &["run", "probare.yaml", "-o", "3.jsonl"]);
    let another = "is over another version of the data set `cases` than the baseline: version `summer` (sha256 ";
    for (same, other) in [(["1", "2"], ["1", "3"]), (["1.jsonl", "2.jsonl"], ["1.jsonl", "3.jsonl"])] {
        let text = run_successfully(place, &["compare", same[0], same[1]]);
        assert!(!text.contains("another version"), "{text}");
        let text = run_successfully(place, &["compare", other[0], other[1], "-o", "c.md"]);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(another) && words.contains("instead of version `spring` (sha256 "), "{text}");
        // The file of the first run's cases is not there any more; its store has them.
        let pairs = if other[0] == "1" { "5 cases in both" } else { "6 cases in both" };
        assert!(words.contains(pairs), "the case that was changed is not paired: {text}");
        assert!(fs::read_to_string(place.join("c.md")).unwrap().contains("another version of the data set"));
    }
    let text = run_successfully(place, &["history", "--json"]);
    let history: Json = serde_json::from_str(&text).unwrap();
    let versions: Vec<&str> =
        (0..3).filter_map(|run| history["runs"][run]["datasets"][0]["version"].as_str()).collect();
    assert_eq!(versions, ["spring", "spring", "summer"], "{text}");
    let notes: Vec<&str> = history["notes"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    let told = notes.iter().filter(|note| note.contains("another version of the data set `cases` than run 2")).count();
    assert_eq!(told, 1, "{notes:?}");
    // The digest alone tells it, too.
    set(place, "cases.jsonl", "Q903", "Q803");
    run_successfully(place, &["run", "probare.yaml"]);
    let text = run_successfully(place, &["compare", "3", "4"]);
    assert!(text.contains("another version"), "{text}");
}
