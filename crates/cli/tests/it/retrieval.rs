//! `probare rag index`, `search`, `ask`, `test` and `probare socioscope --index`, as their users see them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use probare_sandbox::{Sandbox, SandboxChoice, SandboxLimits};
use serde_json::{Value as Json, json};

use crate::program::{PROGRAM, root};

/// A folder with an index of the interviews, without vectors.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let corpus = root().join("examples/socioscope/corpus.json");
    let output = run(folder.path(), &["rag", "index", corpus.to_str().unwrap(), "-o", "index", "--no-vectors"]);
    let text = successful_stdout(&output);
    assert!(text.starts_with("index: 1 file, 12 documents, "), "{text}");
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder).env_remove("PROBARE_MODELS").env("XDG_CACHE_HOME", folder);
    crate::program::name_config(&mut command, folder);
    command.output().unwrap()
}

/// What a command printed; it has to end well.
fn successful_stdout(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn failed_stderr(output: &Output) -> String {
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
    let text = successful_stdout(&run(
        folder.path(),
        &["rag", "search", "index", "Who paid for the second-hand boat?", "-k", "3"],
    ));
    assert!(text.contains("DK-101_interview_english.txt") && text.contains("BM25"), "{text}");
    let json = successful_stdout(&run(
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
    let error = failed_stderr(&run(folder.path(), &["rag", "search", "index", "winter", "--filter", "CONTRY=Poland"]));
    assert!(error.contains("hint: a field with a similar name exists: `COUNTRY`"), "{error}");
    let error = failed_stderr(&run(folder.path(), &["rag", "search", "nothing", "winter"]));
    assert!(error.contains("`nothing` is not an index") && error.contains("probare rag index"), "{error}");
    let error = failed_stderr(&run(folder.path(), &["rag", "search", "index", "winter", "--mode", "vectors"]));
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
    assert_eq!(successful_stdout(&first), "index: 1 file, 1 document, 1 passage, without vectors (1 file read)\n");
    assert_eq!(successful_stdout(&index()), "index is up to date: 1 file, 1 document, 1 passage, without vectors\n");
    fs::write(folder.path().join("corpus/b.md"), "# Orchard\n\nPears are picked in August.").unwrap();
    assert_eq!(
        successful_stdout(&index()),
        "index: 2 files, 2 documents, 2 passages, without vectors (1 file read, 1 unchanged)\n"
    );
    let error = failed_stderr(&run(folder.path(), &["rag", "index", "corpus", "-o", "corpus"]));
    assert!(error.contains("the index and the corpus are the same folder"), "{error}");
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/notes.txt"), "mine").unwrap();
    let error = failed_stderr(&run(folder.path(), &["rag", "index", "corpus", "-o", "other"]));
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
    let text = successful_stdout(&run(folder.path(), &asked));
    assert!(text.starts_with("A grant of the fisheries fund paid.\n"), "{text}");
    assert!(text.contains("[0] exact in DK-101_interview_english.txt:"), "{text}");
    assert!(text.contains("[99] invalid_index"), "{text}");
    assert!(text.contains("of 3 citations 1 stands word for word"), "{text}");
    let json: Json =
        serde_json::from_str(&successful_stdout(&run(folder.path(), &[&asked[..], &["--json"]].concat()))).unwrap();
    let first = &json["citations"][0];
    let corpus: Json =
        serde_json::from_str(&fs::read_to_string(root().join("examples/socioscope/corpus.json")).unwrap()).unwrap();
    let transcript = corpus["transcripts"][0]["text"].as_str().unwrap();
    let place = |name: &str| usize::try_from(first[name].as_u64().unwrap()).unwrap();
    assert_eq!(&transcript[place("start")..place("end")], "It paid for the second-hand boat");
    write_config(folder.path(), &serde_json::json!("no object"));
    // The record still answers what was asked before; another question gets the new reply.
    let error = failed_stderr(&run(folder.path(), &["rag", "ask", "index", "Who else?", "--model", "parrot"]));
    assert!(error.contains("the reply holds no object with a text `answer`"), "{error}");
}

#[test]
fn retrieval_is_tested_as_a_run() {
    let folder = place();
    let questions = root().join("examples/retrieval/questions.jsonl");
    fs::copy(&questions, folder.path().join("questions.jsonl")).unwrap();
    let test = ["rag", "test", "index", "--questions", "questions.jsonl", "--mode", "words", "--json"];
    let json: Json = serde_json::from_str(&successful_stdout(&run(folder.path(), &test))).unwrap();
    let metrics = json["summary"]["metrics"].as_array().unwrap();
    let names: Vec<&str> = metrics.iter().map(|metric| metric["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["recall@10", "ndcg@10", "reciprocal_rank"]);
    assert!(metrics.iter().all(|metric| metric["scored"] == 60 && metric["interval"].is_object()), "{json:#}");
    assert!(metrics[0]["mean"].as_f64().unwrap() > 0.5, "{json:#}");
    // A run like any other.
    let listed = successful_stdout(&run(folder.path(), &["runs", "list"]));
    assert!(listed.contains("questions:"), "{listed}");
    let resumed = run(folder.path(), &["resume", "1", "-o", "again.jsonl"]);
    successful_stdout(&resumed);
    successful_stdout(&run(folder.path(), &["runs", "export", "1", "-o", "export.jsonl"]));
    let (again, export) = (folder.path().join("again.jsonl"), folder.path().join("export.jsonl"));
    assert_eq!(fs::read(again).unwrap(), fs::read(export).unwrap());
    // Evidence that stands nowhere is an error of its case, not a zero.
    fs::write(folder.path().join("wrong.jsonl"), "{\"question\": \"Who?\", \"evidence\": [{\"source\": \"DK-101_interview_english.txt\", \"quote\": \"no such words\"}]}\n").unwrap();
    let output = run(folder.path(), &["rag", "test", "index", "--questions", "wrong.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
}

/// Review 0.3, V9.
#[test]
fn every_quote_of_the_evidence_counts_and_old_passages_are_searched_for_again() {
    let folder = place();
    let quote = |words: &str| json!({"source": "DK-101_interview_english.txt", "quote": words});
    let question =
        |evidence: &[Json]| json!({"id": "a", "question": "What do they grow on long lines?", "evidence": evidence});
    let found = quote("We grow mussels on long lines");
    let half = question(&[found.clone(), quote("no such words")]);
    fs::write(folder.path().join("half.jsonl"), format!("{half}\n")).unwrap();
    let output = run(folder.path(), &["rag", "test", "index", "--questions", "half.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(words.contains("the evidence `no such words` does not stand in"), "{words}");

    let mut stale = question(&[found]);
    stale["retrieval"] = json!({"mode": "words", "k": 10});
    stale["retrieved"] = json!(["old#1"]);
    stale["context"] = json!(["An old passage."]);
    fs::write(folder.path().join("stale.jsonl"), format!("{stale}\n")).unwrap();
    let told =
        successful_stdout(&run(folder.path(), &["rag", "test", "index", "--questions", "stale.jsonl", "--json"]));
    let told: Json = serde_json::from_str(&told).unwrap();
    let recall = told["summary"]["metrics"].as_array().unwrap().iter().find(|metric| metric["name"] == "recall@10");
    assert_eq!(recall.unwrap()["mean"], 1.0, "{told:#}");
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
    let json: Json = serde_json::from_str(&successful_stdout(&run(folder.path(), &test))).unwrap();
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
    successful_stdout(&output);
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
    let error = failed_stderr(&run(
        folder.path(),
        &["socioscope", "fixture.json", corpus.to_str().unwrap(), "--model", "parrot"],
    ));
    assert!(error.contains("add --index INDEX or --url URL"), "{error}");
    let prompted = successful_stdout(&run(
        folder.path(),
        &["socioscope", "prompt", "What grows on long lines?", "--index", "index", "--model", "parrot", "-k", "2"],
    ));
    let prompted: Json = serde_json::from_str(&prompted).unwrap();
    assert_eq!(
        (prompted["context"].as_array().unwrap().len(), &prompted["answer"]["answer"]),
        (2, &serde_json::json!("Mussels"))
    );
}

/// A PDF file of one page with one line.
fn pdf(line: &str) -> Vec<u8> {
    let content = format!("BT /F 12 Tf 20 100 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), "0000000000 65535 f \n".to_owned());
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file.push_str(&format!(
        "xref\n0 {size}\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    file.into_bytes()
}

/// Whether PDF files can be read here at all; what is missing is said.
fn has_pdftotext() -> bool {
    let is_there =
        ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|folder| Path::new(folder).join("pdftotext").is_file());
    if !is_there {
        probare_testing::report_skipped("pdftotext is not installed (Debian: poppler-utils)");
    }
    is_there
}

/// A folder with a corpus of a PDF file and a text.
fn papers() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("corpus")).unwrap();
    fs::write(folder.path().join("corpus/timetable.pdf"), pdf("The ferry leaves at six.")).unwrap();
    fs::write(folder.path().join("corpus/orchard.txt"), "Pears are picked in August.").unwrap();
    folder
}

const INDEX_PAPERS: [&str; 6] = ["rag", "index", "corpus", "-o", "index", "--no-vectors"];

#[test]
fn a_pdf_file_is_read_in_the_sandbox() {
    if !has_pdftotext() {
        return;
    }
    if let Err(error) = Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), Arc::default()) {
        probare_testing::report_skipped(&format!("no sandbox can be had here: {error}"));
        return;
    }
    let folder = papers();
    let made = run(folder.path(), &INDEX_PAPERS);
    assert_eq!(successful_stdout(&made), "index: 2 files, 2 documents, 2 passages, without vectors (2 files read)\n");
    let found =
        successful_stdout(&run(folder.path(), &["rag", "search", "index", "When does the ferry leave?", "--json"]));
    let found: Json = serde_json::from_str(&found).unwrap();
    let hit = &found["hits"][0];
    assert_eq!((hit["document"].as_str(), hit["page"].as_u64()), (Some("timetable.pdf"), Some(1)), "{hit}");
    assert_eq!(hit["text"].as_str().map(str::trim), Some("The ferry leaves at six."));

    fs::write(folder.path().join("corpus/broken.pdf"), "%PDF-1.4\nnothing of the kind").unwrap();
    let error = failed_stderr(&run(folder.path(), &INDEX_PAPERS));
    assert!(error.contains("broken.pdf") && error.contains("it is no PDF file, or a damaged one"), "{error}");
    // The index that was there answers as before.
    assert!(successful_stdout(&run(folder.path(), &["rag", "search", "index", "pears"])).contains("orchard.txt"));
}

#[test]
fn without_a_sandbox_a_pdf_file_is_refused_and_pdftotext_is_not_started() {
    if !has_pdftotext() {
        return;
    }
    let folder = papers();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let strace = std::env::split_paths(&path).map(|place| place.join("strace"));
    let works = |strace: &PathBuf| {
        let tried = Command::new(strace).args(["-f", "-qq", "-o", "/dev/null", "true"]).status();
        tried.is_ok_and(|status| status.success())
    };
    let strace = strace.into_iter().find(works);
    if strace.is_none() {
        probare_testing::report_skipped("strace is not here or may not trace, so started programs are not counted");
    }
    let bare = |arguments: &[&str]| {
        let trace = folder.path().join("trace");
        let mut command = Command::new(strace.as_deref().unwrap_or(Path::new(PROGRAM)));
        if strace.is_some() {
            command.args(["-f", "-qq", "-e", "trace=execve", "-o"]).arg(&trace).arg(PROGRAM);
        }
        // Nowhere on this path is bubblewrap.
        command.args(arguments).current_dir(folder.path()).env("PATH", folder.path().join("empty"));
        let output = command.env("XDG_CACHE_HOME", folder.path()).output().unwrap();
        if strace.is_some() {
            let started = fs::read_to_string(&trace).unwrap();
            assert!(started.contains("execve") && !started.contains("pdftotext"), "{started}");
        }
        output
    };
    let made = bare(&INDEX_PAPERS);
    let text = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(
        text.contains("skipped: timetable.pdf: `pdftotext` is run in a sandbox alone, and there is none"),
        "{text}"
    );
    assert!(text.contains("poppler-utils, bubblewrap"), "{text}");
    assert_eq!(successful_stdout(&made), "index: 1 file, 1 document, 1 passage, without vectors (1 file read)\n");

    fs::remove_file(folder.path().join("corpus/orchard.txt")).unwrap();
    let error = failed_stderr(&bare(&["rag", "index", "corpus", "-o", "second", "--no-vectors"]));
    assert!(error.contains("timetable.pdf") && error.contains("in a sandbox alone, and there is none"), "{error}");
    assert!(error.contains("hint: install what is missing"), "{error}");
    assert!(failed_stderr(&run(folder.path(), &["rag", "search", "second", "ferry"])).contains("is not an index"));
}
