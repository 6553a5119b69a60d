//! Every provider gives the same reply to the same question, as far as a test can tell without the real ones.

use std::collections::BTreeMap;

use probare_core::{Answer, Content, ErrorKind, Outside, Question, Turn};
use probare_models::{Client, ModelSettings, Models, OpenError, Options, Provider, Shared, export};
use probare_testing::{Behaviour, Server};

use crate::support::{open, options, question, questions, settings};

#[test]
fn the_three_ways_of_asking_answer_alike() {
    let server = Server::start(Behaviour::default()).unwrap();
    let shared = Shared::open(options(None)).unwrap();
    for provider in [Provider::OpenAi, Provider::Ollama, Provider::Anthropic, Provider::Gemini] {
        let client = Client::open(ModelSettings { provider: Some(provider), ..settings(&server) }, &shared).unwrap();
        let reply = client.ask(&[question("Why?")]).remove(0);
        assert_eq!(reply.read().unwrap(), "reply to Why?", "{provider}");
        assert_eq!(reply.model.as_deref(), Some("test"));
        assert!(reply.usage.is_some_and(|usage| usage.input_tokens > 0 && usage.output_tokens > 0));
    }
}

#[test]
fn a_program_answers_is_stopped_in_time_and_leaves_nobody_behind() {
    let shared = Shared::open(options(None)).unwrap();
    let script = |script: &str, timeout: f64| {
        let command = ["sh", "-c", script].map(String::from).to_vec();
        let settings = ModelSettings {
            command,
            timeout: Some(timeout),
            max_attempts: Some(1),
            ..ModelSettings::named("command:sh")
        };
        Client::open(settings, &shared).unwrap().ask(&[question("Why?")]).remove(0)
    };
    let reply = script(r#"read line; case "$line" in *Why*) echo '{"text":"because"}';; esac"#, 20.0);
    assert_eq!(reply.read().unwrap(), "because");
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let late = script(&format!("(sleep 1.5; touch {}) & cat > /dev/null; sleep 30", mark.display()), 0.3);
    assert!(matches!(late.content, Content::Failed { kind: ErrorKind::TimedOut, .. }), "{late:?}");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(!mark.exists(), "what the program started goes with it");
    let failed = script("echo no >&2; exit 7", 20.0);
    assert!(failed.read().unwrap_err().to_string().contains("no"), "{failed:?}");
}

#[test]
fn a_cassette_answers_without_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = Server::start(Behaviour::default()).unwrap();
    let replies = open(&server, Some(&record)).0.ask(&questions(20));
    let mut text = Vec::new();
    export(&record, &mut text).unwrap();
    let cassette = folder.path().join("replies.jsonl");
    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    std::fs::write(&cassette, text).unwrap();
    drop(server);
    let shared = Shared::open(options(None)).unwrap();
    let client = Client::open(ModelSettings::named(format!("replay:{}", cassette.display())), &shared).unwrap();
    assert_eq!(client.ask(&questions(20)), replies);
    let unknown = client.ask(&[question("something else")]).remove(0);
    assert!(matches!(unknown.content, Content::Failed { kind: ErrorKind::Missing, .. }), "{unknown:?}");
}

#[test]
fn seats_of_a_panel_are_different_models() {
    let server = Server::start(Behaviour::default()).unwrap();
    let named = |name: &str| ModelSettings { name: name.into(), ..settings(&server) };
    let models = Models::open(vec![named("first"), named("second")], Vec::new(), options(None))
        .unwrap()
        .seat("panel", &["first", "second"])
        .unwrap()
        .seat_others(&["second"])
        .unwrap();
    let turn = Turn::Ask((0..3).map(|seat| Question { seat, ..question(format!("seat {seat}")) }).collect());
    let answers = models.answer("panel", &turn);
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[1].reply().unwrap().read().unwrap(), "reply to seat 1");
    let missing = answers[2].reply().unwrap().read().unwrap_err().to_string();
    assert!(missing.contains("only 2 are named"), "{missing}");
    let other = models.answer("other", &Turn::Ask(vec![question("a")]));
    assert_eq!(other[0].reply().unwrap().read().unwrap(), "reply to a");
    let embedded = models.answer("panel", &Turn::Embed { model: "m".into(), texts: vec!["a".into()] });
    assert!(matches!(embedded[0], Answer::Failed { kind: ErrorKind::Missing, .. }));
    let error =
        Models::open(vec![named("first")], Vec::new(), options(None)).unwrap().seat("m", &["frist"]).err().unwrap();
    assert!(matches!(error, OpenError::UnknownModel { .. }));
}

#[test]
fn asking_from_inside_a_runtime_does_not_stop_it() {
    let server = Server::start(Behaviour::default()).unwrap();
    let (client, shared) = open(&server, None);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        assert_eq!(client.ask(&[question("a")])[0].read().unwrap(), "reply to a");
        drop((client, shared));
    });
}

#[test]
fn with_a_budget_in_money_a_model_needs_a_price() {
    let shared = Shared::open(Options {
        budget_usd: Some(1.0),
        environment: Some(BTreeMap::new()),
        ..Options::new(probare_core::Trust::Trusted)
    })
    .unwrap();
    let server = Server::start(Behaviour::default()).unwrap();
    let error = Client::open(settings(&server), &shared).err().unwrap();
    assert!(matches!(error, OpenError::NoPrice { .. }));
    assert!(error.to_string().contains("prompt_price_per_million"), "{error}");
}
