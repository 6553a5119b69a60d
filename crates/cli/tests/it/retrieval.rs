//! `probare rag index`, `search`, `ask`, `test` and `probare socioscope --index`, as their users see them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_probare");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A folder with an index of the interviews, without vectors.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let corpus = root().join("examples/socioscope/corpus.json");
    let output = run(folder.path(), &["rag", "index", corpus.to_str().unwrap(), "-o", "index", "--no-vectors"]);
    let text = said(&output);
    assert!(text.starts_with("index: 1 file, 12 documents, "), "{text}");
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder).env_remove("PROBARE_MODELS").env("XDG_CACHE_HOME", folder);
    command.output().unwrap()
}

/// What a command printed; it has to end well.
fn said(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn complained(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A model that always says the same.
fn write_config(folder: &Path, reply: &Json) {
    let text = serde_json::json!({"text": reply.to_string()}).to_string();
    fs::write(folder.join("reply.json"), text).unwrap();
    let config = "models:\n  - {name: parrot, api_model_name: 'command:parrot', command: [sh, -c, 'cat > /dev/null; cat reply.json']}\n";
    fs::write(folder.join("probare.yaml"), config).unwrap();
}

#[test]
fn passages_are_found_with_filters_and_explained() {
    let folder = place();
    let text = said(&run(folder.path(), &["rag", "search", "index", "Who paid for the second-hand boat?", "-k", "3"]));
    assert!(text.contains("DK-101_interview_english.txt") && text.contains("BM25"), "{text}");
    let json = said(&run(
        folder.path(),
        &["rag", "search", "index", "winter", "--filter", "COUNTRY=Poland", "--filter", "YEAR=2022..", "--json"],
    ));
    let json: Json = serde_json::from_str(&json).unwrap();
    let hits = json["hits"].as_array().unwrap();
    assert!(
        !hits.is_empty()
            && hits
                .iter()
                .all(|hit| hit["metadata"]["COUNTRY"] == "Poland" && hit["metadata"]["YEAR"].as_u64() >= Some(2022))
    );
    let error = complained(&run(folder.path(), &["rag", "search", "index", "winter", "--filter", "CONTRY=Poland"]));
    assert!(error.contains("hint: a field with a similar name exists: `COUNTRY`"), "{error}");
    let error = complained(&run(folder.path(), &["rag", "search", "nothing", "winter"]));
    assert!(error.contains("`nothing` is no index") && error.contains("probare rag index"), "{error}");
    let error = complained(&run(folder.path(), &["rag", "search", "index", "winter", "--mode", "vectors"]));
    assert!(error.contains("holds no vectors"), "{error}");
}

#[test]
fn an_index_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("corpus")).unwrap();
    fs::write(folder.path().join("corpus/a.txt"), "The ferry leaves at six.").unwrap();
    let index = || run(folder.path(), &["rag", "index", "corpus", "-o", "index"]);
    let first = index();
    assert!(String::from_utf8_lossy(&first.stderr).contains("probare models pull"), "a missing model is said");
    assert_eq!(said(&first), "index: 1 file, 1 document, 1 passage, without vectors (1 file read)\n");
    assert_eq!(said(&index()), "index is up to date: 1 file, 1 document, 1 passage, without vectors\n");
    fs::write(folder.path().join("corpus/b.md"), "# Orchard\n\nPears are picked in August.").unwrap();
    assert_eq!(said(&index()), "index: 2 files, 2 documents, 2 passages, without vectors (1 file read, 1 unchanged)\n");
    let error = complained(&run(folder.path(), &["rag", "index", "corpus", "-o", "corpus"]));
    assert!(error.contains("the index and the corpus are the same folder"), "{error}");
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/notes.txt"), "mine").unwrap();
    let error = complained(&run(folder.path(), &["rag", "index", "corpus", "-o", "other"]));
    assert!(error.contains("holds files that are no part of an index"), "{error}");
}

#[test]
fn citations_of_an_answer_are_checked_at_once() {
    let folder = place();
    let reply = serde_json::json!({"answer": "A grant of the fisheries fund paid.", "citations": [
        {"source_index": 0, "quote": "It paid for the second-hand boat"},
        {"source_index": 0, "quote": "it paid for the brand-new boat"},
        {"source_index": 99, "quote": "It paid for the second-hand boat"}]});
    write_config(folder.path(), &reply);
    let asked = ["rag", "ask", "index", "Who paid for the second-hand boat?", "-k", "3", "--model", "parrot"];
    let text = said(&run(folder.path(), &asked));
    assert!(text.starts_with("A grant of the fisheries fund paid.\n"), "{text}");
    assert!(text.contains("[0] exact in DK-101_interview_english.txt:"), "{text}");
    assert!(text.contains("[99] invalid_index"), "{text}");
    assert!(text.contains("of 3 citations 1 stands word for word"), "{text}");
    let json: Json = serde_json::from_str(&said(&run(folder.path(), &[&asked[..], &["--json"]].concat()))).unwrap();
    let first = &json["citations"][0];
    let corpus: Json =
        serde_json::from_str(&fs::read_to_string(root().join("examples/socioscope/corpus.json")).unwrap()).unwrap();
    let transcript = corpus["transcripts"][0]["text"].as_str().unwrap();
    let place = |name: &str| usize::try_from(first[name].as_u64().unwrap()).unwrap();
    assert_eq!(&transcript[place("start")..place("end")], "It paid for the second-hand boat");
    write_config(folder.path(), &serde_json::json!("no object"));
    // The record still answers what was asked before; another question gets the new reply.
    let error = complained(&run(folder.path(), &["rag", "ask", "index", "Who else?", "--model", "parrot"]));
    assert!(error.contains("the reply holds no object with a text `answer`"), "{error}");
}

#[test]
fn retrieval_is_tested_as_a_run() {
    let folder = place();
    let questions = root().join("examples/retrieval/questions.jsonl");
    fs::copy(&questions, folder.path().join("questions.jsonl")).unwrap();
    let test = ["rag", "test", "index", "--questions", "questions.jsonl", "--mode", "words", "--json"];
    let json: Json = serde_json::from_str(&said(&run(folder.path(), &test))).unwrap();
    let metrics = json["summary"]["metrics"].as_array().unwrap();
    let names: Vec<&str> = metrics.iter().map(|metric| metric["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall@10", "ndcg@10", "reciprocal_rank"]);
    assert!(metrics.iter().all(|metric| metric["scored"] == 60 && metric["interval"].is_object()), "{json:#}");
    assert!(metrics[0]["mean"].as_f64().unwrap() > 0.5, "{json:#}");
    // A run like any other.
    let listed = said(&run(folder.path(), &["runs", "list"]));
    assert!(listed.contains("questions:"), "{listed}");
    let resumed = run(folder.path(), &["resume", "1", "-o", "again.jsonl"]);
    said(&resumed);
    said(&run(folder.path(), &["runs", "export", "1", "-o", "export.jsonl"]));
    let (again, export) = (folder.path().join("again.jsonl"), folder.path().join("export.jsonl"));
    assert_eq!(fs::read(again).unwrap(), fs::read(export).unwrap());
    // Evidence that stands nowhere is an error of its case, not a zero.
    fs::write(folder.path().join("wrong.jsonl"), "{\"question\": \"Who?\", \"evidence\": [{\"source\": \"DK-101_interview_english.txt\", \"quote\": \"no such words\"}]}\n").unwrap();
    let output = run(folder.path(), &["rag", "test", "index", "--questions", "wrong.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn answers_are_tested_too() {
    let folder = place();
    let reply = serde_json::json!({"answer": "Mussels", "citations": [{"source_index": 0, "quote": "We grow mussels on long lines"}]});
    write_config(folder.path(), &reply);
    fs::write(
        folder.path().join("questions.jsonl"),
        "{\"id\": \"a\", \"question\": \"What do they grow on long lines?\", \"reference\": \"Mussels\", \"evidence\": [{\"source\": \"DK-101_interview_english.txt\", \"quote\": \"We grow mussels on long lines\"}]}\n",
    )
    .unwrap();
    let test = [
        "rag",
        "test",
        "index",
        "--questions",
        "questions.jsonl",
        "--model",
        "parrot",
        "--config",
        "probare.yaml",
        "--json",
        "-o",
        "r.jsonl",
    ];
    let json: Json = serde_json::from_str(&said(&run(folder.path(), &test))).unwrap();
    let mean = |name: &str| {
        let metrics = json["summary"]["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == name).unwrap()["mean"].as_f64().unwrap()
    };
    assert_eq!((mean("recall@10"), mean("verbatim"), mean("token_f1")), (1.0, 1.0, 1.0));
}

#[test]
fn questions_of_a_fixture_are_asked_and_graded_in_one_go() {
    let folder = place();
    let reply = serde_json::json!({"answer": "Mussels", "citations": [{"source_index": 0, "quote": "We grow mussels on long lines"}]});
    write_config(folder.path(), &reply);
    let corpus = root().join("examples/socioscope/corpus.json");
    let fixture = serde_json::json!([
        {"question": {"text": "What do they grow on long lines?", "type": "ListOne", "metric": {"mussels": 1}},
         "answers": [{"answer": "?", "source": "DK-101_interview_english.txt"}]}]);
    fs::write(folder.path().join("fixture.json"), fixture.to_string()).unwrap();
    let output = run(
        folder.path(),
        &[
            "socioscope",
            "fixture.json",
            corpus.to_str().unwrap(),
            "--index",
            "index",
            "--model",
            "parrot",
            "--out",
            "results",
            "--timestamp",
            "20240131_120000",
        ],
    );
    said(&output);
    let results: Json =
        serde_json::from_str(&fs::read_to_string(folder.path().join("results/results_20240131_120000.json")).unwrap())
            .unwrap();
    let answer = &results["qa_pairs"][0]["answers"][0];
    assert_eq!(
        (&answer["score"], &answer["existence_score"]),
        (&serde_json::json!(1.0), &serde_json::json!(1.0)),
        "{answer:#}"
    );
    assert_eq!(answer["context"][0]["metadata"]["FILE"], "DK-101_interview_english.txt");
    let error =
        complained(&run(folder.path(), &["socioscope", "fixture.json", corpus.to_str().unwrap(), "--model", "parrot"]));
    assert!(error.contains("add --index INDEX or --url URL"), "{error}");
    let prompted = said(&run(
        folder.path(),
        &["socioscope", "prompt", "What grows on long lines?", "--index", "index", "--model", "parrot", "-k", "2"],
    ));
    let prompted: Json = serde_json::from_str(&prompted).unwrap();
    assert_eq!(
        (prompted["context"].as_array().unwrap().len(), &prompted["answer"]["answer"]),
        (2, &serde_json::json!("Mussels"))
    );
}
