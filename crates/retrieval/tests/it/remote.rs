//! A server with the published interface: retries, the record, and a word that is shown nowhere.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use probare_core::ErrorKind;
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings, export_cache};
use probare_retrieval::answer::{AnswerError, PromptRequest, remote};
use probare_testing::{HttpRequest, write_json_response};
use serde_json::{Value as Json, json};

const WORD: &str = "open-sesame-4711-canary";

/// Answers with these statuses in turn, 200 with the reply; notes the bodies.
fn serve(statuses: Vec<u16>, reply: String) -> (String, Arc<Mutex<Vec<Json>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/evaluation-prompt", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    std::thread::spawn(move || {
        for status in statuses {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let Some(request) = HttpRequest::read(&mut stream).unwrap() else { return };
            noted.lock().unwrap().push(serde_json::from_slice(&request.body).unwrap());
            // A server that complains about the word it was given.
            let text = if status == 200 {
                reply.clone()
            } else {
                json!({"error": format!("no luck with {WORD}")}).to_string()
            };
            let _ = write_json_response(&mut stream, status, &text);
        }
    });
    (url, seen)
}

fn reply() -> String {
    json!({
        "question": "Who?", "context": [{"page_content": "We grow mussels", "metadata": {"PROJECT": "DK-101"}}],
        "answer": {"answer": "They do.", "citations": [{"source_index": 0, "quote": "grow mussels"}]},
    })
    .to_string()
}

fn request(filter: Json) -> PromptRequest {
    let Json::Object(filter) = filter else { unreachable!() };
    PromptRequest { k: 3, filter, question: "Who?".into(), model: "openai:gpt-4o-mini".into() }
}

fn client(url: &str, record: &Path, word: &str) -> Client {
    let environment = Some(BTreeMap::from([("EVALUATION_API_AUTH".to_owned(), word.to_owned())]));
    let shared = ModelContext::open(ModelOptions {
        record: Some(record.into()),
        environment,
        ..ModelOptions::new(probare_core::Trust::Trusted)
    })
    .unwrap();
    let settings = ModelSettings { retry_wait: Some(0.01), ..remote::settings(url, "openai:gpt-4o-mini") };
    Client::open(settings, &shared).unwrap()
}

fn assert_clean(folder: &Path) {
    let runs: Vec<&[u8]> = WORD.as_bytes().windows(8).collect();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(8).any(|window| runs.contains(&window)), "{} holds the word", path.display());
    }
}

#[test]
fn it_is_asked_again_when_it_is_busy_and_never_twice_for_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let (url, seen) = serve(vec![429, 503, 200, 200], reply());
    let first = remote::ask(&client(&url, &record, WORD), &request(json!({"YEAR": 2019}))).unwrap();
    assert_eq!((first.answer.answer.as_str(), first.context[0].page_content.as_str()), ("They do.", "We grow mussels"));
    assert_eq!(
        seen.lock().unwrap()[2],
        json!({"k": 3, "filter": {"YEAR": 2019}, "question": "Who?", "model": "openai:gpt-4o-mini", "auth": WORD})
    );
    // Another word, the same question: the record answers, since the word is no part of its key.
    let again =
        remote::ask(&client(&url, &record, "another-word-altogether"), &request(json!({"YEAR": 2019}))).unwrap();
    assert_eq!((again, seen.lock().unwrap().len()), (first, 3));
    // Another filter is another question.
    remote::ask(&client(&url, &record, WORD), &request(json!({}))).unwrap();
    assert_eq!(seen.lock().unwrap().len(), 4);
    assert_clean(folder.path());
    let mut exported = Vec::new();
    export_cache(&record.clone().into(), &mut exported).unwrap();
    assert!(!String::from_utf8_lossy(&exported).contains("sesame"));
    // The recorded stand-in tells the two questions apart.
    let cassette = folder.path().join("replies.jsonl");
    fs::write(&cassette, exported).unwrap();
    let shared = ModelContext::open(ModelOptions::new(probare_core::Trust::Trusted)).unwrap();
    let stand_in = Client::open(ModelSettings::from_name(format!("replay:{}", cassette.display())), &shared).unwrap();
    assert_eq!(remote::ask(&stand_in, &request(json!({}))).unwrap().answer.answer, "They do.");
    let unknown = remote::ask(&stand_in, &request(json!({"YEAR": 1066}))).unwrap_err();
    assert!(matches!(unknown, AnswerError::Model { kind: ErrorKind::Missing, .. }), "{unknown:?}");
}

#[test]
fn a_refusal_is_final_and_says_nothing_of_the_word() {
    let folder = tempfile::tempdir().unwrap();
    let (url, seen) = serve(vec![403, 200], reply());
    let error = remote::ask(&client(&url, &folder.path().join("r.db"), WORD), &request(json!({}))).unwrap_err();
    assert!(error.to_string().contains("403") && !error.to_string().contains("sesame"), "{error}");
    assert_eq!(seen.lock().unwrap().len(), 1);
    assert_clean(folder.path());
}

#[test]
fn a_reply_of_another_form_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let many = json!({"question": "Who?", "context": vec![json!({"page_content": "x"}); 4], "answer": {"answer": "a", "citations": []}});
    for (at, body) in [many, json!({"answer": "x"})].into_iter().enumerate() {
        let (url, _) = serve(vec![200; 8], body.to_string());
        let error =
            remote::ask(&client(&url, &folder.path().join(format!("{at}.db")), WORD), &request(json!({}))).unwrap_err();
        assert!(matches!(error, AnswerError::Model { .. }), "{error:?}");
    }
    let error = remote::ask(
        &client("http://127.0.0.1:1/", &folder.path().join("x.db"), WORD),
        &PromptRequest { k: 0, ..request(json!({})) },
    );
    assert!(matches!(error, Err(AnswerError::Request(_))));
}

#[test]
fn an_address_elsewhere_needs_the_word() {
    let shared = ModelContext::open(ModelOptions {
        environment: Some(BTreeMap::new()),
        ..ModelOptions::new(probare_core::Trust::Trusted)
    })
    .unwrap();
    let error =
        Client::open(remote::settings("https://example.org/evaluation-prompt", "groq:llama"), &shared).err().unwrap();
    assert!(error.to_string().contains("EVALUATION_API_AUTH"), "{error}");
    assert!(Client::open(remote::settings("http://127.0.0.1:9/prompt", "groq:llama"), &shared).is_ok());
}
