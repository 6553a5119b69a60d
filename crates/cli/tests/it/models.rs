//! `probare models pull` and runs that need what it fetches.

use std::path::Path;
use std::process::Command;

use probare_testing::{ServerBehaviour, TestServer};

use crate::program::stderr;

/// A command in a folder, with models in the folder `models` there.
fn probare(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probare"));
    command.current_dir(folder).args(arguments).env("PROBARE_MODELS", folder.join("models")).env_remove("HF_ENDPOINT");
    crate::program::name_config(&mut command, folder);
    command
}

const CASES: &str = "{\"id\":\"a\",\"response\":\"It is Canberra.\",\"reference\":\"Canberra\"}\n";

#[test]
fn a_run_without_its_model_does_not_start_and_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cases.jsonl"), CASES).unwrap();
    let arguments = ["score", "cases.jsonl", "-m", "embedding_similarity", "-o", "r.jsonl"];
    let output = probare(folder.path(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    let expected = "error: metric `embedding_similarity`: the model `all-MiniLM-L6-v2` is missing\n\n\
                    hint: fetch it once with `probare models pull all-MiniLM-L6-v2`\n";
    assert_eq!(stderr(&output), expected);
    assert!(!folder.path().join("r.jsonl").exists());
}

#[test]
fn what_is_not_the_published_file_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("given")).unwrap();
    std::fs::write(folder.path().join("given/vocab.txt"), "[PAD]\n").unwrap();
    let pull = |from: &str| probare(folder.path(), &["models", "pull", "--from", from]);
    let output = pull("given").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("`given/vocab.txt` is damaged: it has 6 bytes, 231508 are expected"),
        "{}",
        stderr(&output)
    );

    let path = "/sentence-transformers/all-MiniLM-L6-v2/resolve/main/vocab.txt".to_owned();
    let files = [(path, vec![b'x'; 231_508])].into();
    let server = TestServer::start(ServerBehaviour { files, ..ServerBehaviour::default() }).unwrap();
    let output = pull("hub").env("HF_ENDPOINT", server.url()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is not the published file: its SHA-256 is"), "{}", stderr(&output));
    assert!(!folder.path().join("models").exists(), "nothing is kept");

    let output = pull("nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    let output = probare(folder.path(), &["models", "pull", "all-MiniLM-L6"]).output().unwrap();
    assert!(stderr(&output).contains("perhaps `all-MiniLM-L6-v2`"), "{}", stderr(&output));
}

#[test]
fn a_model_from_a_folder_scores_and_its_run_is_verified() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models/all-MiniLM-L6-v2");
    if !own.join("model.safetensors").is_file() {
        probare_testing::report_skipped("all-MiniLM-L6-v2 is not in target/models (`cargo x test` fetches it)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cases.jsonl"), CASES).unwrap();
    let run = |arguments: &[&str]| probare(folder.path(), arguments).output().unwrap();
    let pulled = run(&["models", "pull", "--from", own.to_str().unwrap()]);
    assert!(pulled.status.success(), "{}", stderr(&pulled));
    let again = run(&["models", "pull"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("is already in"), "{}", stderr(&again));
    let scored = run(&["score", "cases.jsonl", "-m", "embedding_similarity", "-o", "r.jsonl", "--quiet"]);
    assert!(scored.status.success(), "{}", stderr(&scored));
    let verified = run(&["verify", "r.jsonl"]);
    let text = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success() && text.contains("all agree\n"), "{text}{}", stderr(&verified));

    let damaged = folder.path().join("models/all-MiniLM-L6-v2/model.safetensors");
    let mut bytes = std::fs::read(&damaged).unwrap();
    bytes[50_000_000] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    let output = run(&["score", "cases.jsonl", "-m", "embedding_similarity"]);
    assert_eq!(output.status.code(), Some(64));
    assert!(stderr(&output).contains("is damaged: its SHA-256 is"), "{}", stderr(&output));
}

#[test]
fn vectors_of_a_server_have_the_record_the_budget_and_the_silence_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    std::fs::write(folder.path().join("cases.jsonl"), CASES).unwrap();
    let config = format!("models:\n  - {{name: served, base_url: '{}/v1'}}\n", server.url());
    std::fs::write(folder.path().join("probare.yaml"), config).unwrap();
    let score = |more: &[&str]| {
        let metric = ["score", "cases.jsonl", "-m", "embedding_similarity:model=served", "-o", "r.jsonl"];
        let output = probare(folder.path(), &[&metric, more].concat()).env_remove("PROBARE_RECORD").output().unwrap();
        (output.status.code().unwrap(), stderr(&output))
    };
    let (code, text) = score(&["--offline", "--record", "other.db"]);
    assert_ne!(code, 0, "{text}");
    assert_eq!((server.requests(), folder.path().join("other.db").exists()), (0, false), "{text}");
    let (code, text) = score(&["--record", "other.db", "--budget-tokens", "1"]);
    assert_eq!(code, 4, "{text}");
    assert_eq!(server.requests(), 0, "{text}");
    let (code, text) = score(&["--record", "other.db", "--budget-tokens", "100000"]);
    assert!(code == 0 && text.contains("asked: 2 questions, 2 answered"), "{text}");
    assert!(folder.path().join("other.db").exists() && !folder.path().join(".probare").exists());
    assert_eq!(server.requests(), 1, "both texts in one request");
    let (code, text) = score(&["--offline", "--record", "other.db"]);
    assert!(code == 0 && text.contains("2 from the response cache"), "{text}");
    let verify = |record: &str| {
        let verify = ["verify", "r.jsonl", "--record", record];
        probare(folder.path(), &verify).output().unwrap()
    };
    let verified = verify("other.db");
    assert_eq!(verified.status.code(), Some(0), "{}", stderr(&verified));
    let unchecked = verify("nowhere.db");
    assert_eq!(unchecked.status.code(), Some(1));
    assert!(stderr(&unchecked).contains("served: not checked"), "{}", stderr(&unchecked));
    assert_eq!(server.requests(), 1, "nobody is asked to verify");
}
