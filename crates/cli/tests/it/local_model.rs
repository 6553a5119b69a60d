//! A real model on this machine, asked through the program: recorded once, then answered from the record, to the same bytes.
//! It is plumbing that is tested here: what a model of this size says is nothing to go by.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::program::run_successfully;

/// The Python that has the model, where `cargo x local-model` has installed it.
fn python() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("PROBARE_TEST_LOCAL_MODEL").map(PathBuf::from);
    let found = named.unwrap_or_else(|| root.join("target/local-model/bin/python"));
    found.exists().then_some(found)
}

/// A server that ends with the test.
struct LocalModelServer {
    process: Child,
    url: String,
}

impl LocalModelServer {
    fn start(python: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testing/python/local_model.py");
        let mut process = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("http://127.0.0.1:"), "the server does not start: `{url}`");
        Self { process, url: url.trim().to_owned() }
    }
}

impl Drop for LocalModelServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_local_model_is_recorded_once_and_answers_offline_to_the_same_bytes() {
    let Some(python) = python() else {
        probare_testing::report_skipped("no local model is installed (`cargo x local-model` installs one)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let cases = "{\"id\":\"sum\",\"query\":\"What is two plus two?\",\"reference\":[\"4\",\"four\"]}\n\
                 {\"id\":\"capital\",\"query\":\"What is the capital of France?\",\"reference\":\"Paris\"}\n";
    fs::write(place.join("cases.jsonl"), cases).unwrap();
    let serving = LocalModelServer::start(&python);
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]\n\
         models: [{{name: small, api_model_name: smollm2, provider: openai, base_url: '{}/v1', temperature: 0, seed: 1, max_tokens: 12, timeout: 300, concurrency: 1}}]\n\
         generate: {{system: Answer in a few words.}}\n\
         metrics: [{{id: contains}}, {{id: token_f1}}]\n",
        serving.url
    );
    fs::write(place.join("probare.yaml"), config).unwrap();
    let first = run_successfully(place, &["run", "probare.yaml", "-o", "first.jsonl"]);
    assert!(first.contains("asked: 2 questions"), "{first}");
    let outputs = |run: &str, file: &str| {
        run_successfully(place, &["runs", "export", run, "--outputs", file]);
        fs::read_to_string(place.join(file)).unwrap()
    };
    let said = outputs("1", "first_outputs.jsonl");
    assert_eq!(said.matches("\"model\":\"small\"").count(), 2, "{said}");
    drop(serving);
    // The server is gone.
    let second = run_successfully(place, &["run", "probare.yaml", "--offline", "-o", "second.jsonl"]);
    assert!(second.contains("from the response cache"), "{second}");
    let bytes = |name: &str| fs::read(place.join(name)).unwrap();
    assert!(bytes("first.jsonl") == bytes("second.jsonl"), "the results differ");
    assert_eq!(outputs("2", "second_outputs.jsonl"), said);
    print!("the local model said:\n{said}");
}
