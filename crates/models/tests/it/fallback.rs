//! Models that answer in place of another: after which failures, under which name, and what is kept.

use probare_core::ErrorKind;
use probare_models::{CallError, Client, ModelContext, ModelOptions, ModelSettings, list_cached_models};
use probare_testing::{ReplyServer, ServerBehaviour, TestServer, Trouble};
use serde_json::{Value as Json, json};

use crate::support::{options, question};

fn model(name: &str, url: &str, fallback: &[&str]) -> ModelSettings {
    ModelSettings {
        api_model_name: Some(name.to_owned()),
        base_url: Some(format!("{url}/v1")),
        max_attempts: Some(2),
        retry_wait: Some(0.01),
        fallback: fallback.iter().map(|name| (*name).to_owned()).collect(),
        ..ModelSettings::from_name(name)
    }
}

fn answers(text: &'static str) -> ReplyServer {
    ReplyServer::start(move |_| (200, json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})))
        .unwrap()
}

fn fails(status: u16, body: Json) -> ReplyServer {
    ReplyServer::start(move |_| (status, body.clone())).unwrap()
}

fn ask(client: &Client) -> Result<(String, Option<String>), CallError> {
    let reply = client.ask_once(&question("Why?"), 0)?;
    Ok((format!("{:?}", reply.entry.reply.content), reply.answered_by))
}

#[test]
fn another_model_answers_after_failures_that_are_not_the_question_s() {
    let good = answers("from the spare");
    let stopped = |word: &str| json!({"choices": [{"message": {"content": "half"}, "finish_reason": word}]});
    let error = |kind: &str| json!({"error": {"message": "no", "code": kind, "type": kind}});
    for (status, body, is_spared) in [
        (500, error("server_error"), true),
        (429, error("rate_limit"), true),
        (429, error("insufficient_quota"), true),
        (402, error("billing"), true),
        (503, error("overloaded"), true),
        (200, json!({"choices": []}), true),
        (200, stopped("error"), true),
        (401, error("invalid_api_key"), false),
        (400, error("bad"), false),
        (400, error("content_filter"), false),
        (403, error("no"), false),
        (404, error("model_not_found"), false),
        (200, stopped("content_filter"), false),
        (200, stopped("length"), false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("cache.db");
        let first = fails(status, body.clone());
        let shared = ModelContext::open(options(Some(&record))).unwrap();
        let spare = Client::open(model("spare", &good.url(), &[]), &shared).unwrap();
        let client = Client::open(model("house", &first.url(), &["spare"]), &shared).unwrap();
        match ask(&client) {
            Ok((content, answered_by)) => {
                assert_eq!(answered_by.as_deref(), is_spared.then_some("spare"), "{status} {body}: {content}");
            }
            Err(error) => assert!(!is_spared, "{status} {body}: {error}"),
        }
        assert_eq!(shared.counts().asked, 1, "a question is counted once");
        let cached: Vec<String> = list_cached_models(&record).unwrap().into_iter().map(|cached| cached.model).collect();
        assert_eq!(cached.contains(&"spare".to_owned()), is_spared, "{status} {body}: {cached:?}");
        // A reply is recorded as that of the model that gave it.
        assert_eq!(cached.contains(&"house".to_owned()), status == 200 && !is_spared, "{status} {body}: {cached:?}");
        drop((client, spare, shared));
        if is_spared {
            let offline = ModelOptions { offline: true, ..options(Some(&record)) };
            let shared = ModelContext::open(offline).unwrap();
            let spare = Client::open(model("spare", &good.url(), &[]), &shared).unwrap();
            let client = Client::open(model("house", &first.url(), &["spare"]), &shared).unwrap();
            assert_eq!(ask(&client).unwrap().1.as_deref(), Some("spare"), "{status} {body}");
            drop(spare);
        }
    }
}

#[test]
fn where_all_fail_the_error_names_all_and_has_the_kind_of_the_first() {
    let (broken, busy) = (fails(500, json!({"error": "broken"})), fails(503, json!({"error": "busy"})));
    let shared = ModelContext::open(options(None)).unwrap();
    let others: Vec<Client> = [model("one", &busy.url(), &[]), model("two", &busy.url(), &["house"])]
        .into_iter()
        .map(|settings| Client::open(settings, &shared).unwrap())
        .collect();
    let client = Client::open(model("house", &broken.url(), &["one", "two"]), &shared).unwrap();
    let error = ask(&client).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Failed);
    for words in ["model `house`: status 500: broken", "in its place: model `one`: status 503", "model `two`"] {
        assert!(text.contains(words), "{text}");
    }
    assert_eq!(shared.counts().failed, 1);
    // Two that answer in place of each other ask nobody twice, and nobody waits for ever.
    assert!(ask(&others[1]).is_err());
}

#[test]
fn a_long_pause_does_not_end_the_run_where_another_model_answers() {
    let good = answers("from the spare");
    let patient = TestServer::start(ServerBehaviour {
        script: vec![Trouble::TooManyWithDelay],
        retry_after: 3600,
        ..ServerBehaviour::default()
    })
    .unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let _spare = Client::open(model("spare", &good.url(), &[]), &shared).unwrap();
    let settings = ModelSettings { timeout_total: Some(5.0), ..model("house", &patient.url(), &["spare"]) };
    let client = Client::open(settings, &shared).unwrap();
    for _ in 0..2 {
        assert_eq!(ask(&client).unwrap().1.as_deref(), Some("spare"));
    }
    assert_eq!(patient.requests(), 1, "the pause is kept");
    assert!(shared.postponed_models().is_empty());
}

#[test]
fn a_model_cannot_answer_in_its_own_place() {
    let error = model("house", "http://127.0.0.1:9", &["house"]).check().unwrap_err().to_string();
    assert!(error.contains("`fallback` of model `house` names the model itself"), "{error}");
}
