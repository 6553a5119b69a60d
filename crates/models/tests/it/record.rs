//! The record: nobody pays twice, whoever asks and whenever.

use std::time::{Duration, Instant};

use probare_core::{ChatRequest, ErrorKind, ReplyContent};
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings, OpenError, list_cached_models};
use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::support::{open, options, question, questions, settings};

#[test]
fn two_who_need_the_same_replies_ask_once() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(30), ..ServerBehaviour::default() }).unwrap();
    // Two records on one file are what two processes have.
    let (first, _one) = open(&server, Some(&record));
    let (second, _two) = open(&server, Some(&record));
    let requests = questions(100);
    let (left, right) = std::thread::scope(|scope| {
        let left = scope.spawn(|| first.ask(&requests));
        let right = scope.spawn(|| second.ask(&requests));
        (left.join().unwrap(), right.join().unwrap())
    });
    assert_eq!(left, right);
    assert!(left.iter().all(|reply| reply.response_text().is_ok()));
    assert_eq!(server.requests(), 100);
    assert!(server.question_stats().values().all(|seen| seen.requests == 1));
}

#[test]
fn the_same_question_twice_in_one_breath_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(30), ..ServerBehaviour::default() }).unwrap();
    let (client, shared) = open(&server, Some(&folder.path().join("replies.db")));
    let replies = client.ask(&vec![question("same"); 40]);
    assert!(replies.iter().all(|reply| reply == &replies[0]));
    assert_eq!(server.requests(), 1);
    assert_eq!((shared.counts().replied, shared.counts().replayed), (1, 39));
}

#[test]
fn another_attempt_seat_or_parameter_is_another_reply() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let (client, _shared) = open(&server, Some(&folder.path().join("replies.db")));
    let mut warm = question("a");
    warm.parameters.temperature = Some(1.0);
    let ask_again =
        [question("a"), ChatRequest { attempt: 1, ..question("a") }, ChatRequest { seat: 1, ..question("a") }, warm];
    client.ask(&ask_again);
    client.ask(&ask_again);
    assert_eq!(server.requests(), 4);
}

#[test]
fn failures_are_not_recorded_and_refusals_are() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let script = vec![Trouble::BadRequest, Trouble::Refusal];
    let server = TestServer::start(ServerBehaviour { script, ..ServerBehaviour::default() }).unwrap();
    let (client, _shared) = open(&server, Some(&record));
    assert!(matches!(client.ask(&[question("a")])[0].content, ReplyContent::Failed { .. }));
    assert!(matches!(client.ask(&[question("a")])[0].content, ReplyContent::Refused(_)), "asked again");
    assert!(matches!(client.ask(&[question("a")])[0].content, ReplyContent::Refused(_)), "from the record");
    assert_eq!(server.requests(), 2);
    assert_eq!(list_cached_models(&record).unwrap()[0].replies, 1);
}

#[test]
fn offline_the_record_answers_and_what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let address = settings(&server);
    open(&server, Some(&record)).0.ask(&questions(3));
    drop(server);
    let shared = ModelContext::open(ModelOptions { offline: true, ..options(Some(&record)) }).unwrap();
    // No key is needed offline.
    let keyed = ModelSettings { api_key: Some("NO_SUCH_KEY".into()), ..address };
    let client = Client::open(keyed, &shared).unwrap();
    let replies = client.ask(&questions(5));
    assert_eq!(replies.iter().filter(|reply| reply.response_text().is_ok()).count(), 3);
    assert!(matches!(replies[4].content, ReplyContent::Failed { kind: ErrorKind::Missing, .. }), "{:?}", replies[4]);
    let missing = shared.missing_replies();
    assert_eq!(missing.len(), 2);
    assert!(
        format!("{:?}", replies[3..].iter().map(|reply| reply.response_text()).collect::<Vec<_>>())
            .contains(&missing[0].1.short())
    );
    assert_eq!(shared.counts().attempts, 0);
    let shared = ModelContext::open(ModelOptions { offline: true, ..options(None) }).unwrap();
    let error = Client::open(ModelSettings::from_name("ollama:m"), &shared).err().unwrap();
    assert!(matches!(error, OpenError::OfflineWithoutRecord));
}

#[test]
fn the_lease_of_a_dead_owner_expires_and_that_of_a_live_one_is_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(2500), ..ServerBehaviour::default() })
            .unwrap();
    let brief =
        |record| ModelContext::open(ModelOptions { lease: Duration::from_secs(1), ..options(Some(record)) }).unwrap();
    // Alive: the reply takes far longer than a lease, and is still asked for once.
    let (one, two) = (brief(&record), brief(&record));
    let clients = [&one, &two].map(|shared| Client::open(settings(&server), shared).unwrap());
    std::thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| client.ask(&[question("slow")])[0].response_text().unwrap().to_owned());
        }
    });
    assert_eq!(server.requests(), 1);
    // Dead: a lease that nobody renews.
    let request_key = probare_models::CacheKey::from_request(&probare_models::ModelRequest {
        provider: probare_models::Provider::OpenAi,
        base_url: format!("{}/v1", server.url()),
        model: "test".into(),
        parameters: probare_core::Parameters::default(),
        reasoning_effort: None,
        extra_body: serde_json::Map::new(),
        embedding: false,
        also: std::collections::BTreeMap::new(),
        messages: question("left").messages,
        repeat: 0,
        seat: 0,
        attempt: 0,
    });
    let database = rusqlite::Connection::open(&record).unwrap();
    let soon =
        std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap().as_millis() + 700;
    let bytes: Vec<u8> =
        (0..32).map(|at| u8::from_str_radix(&request_key.to_string()[2 * at..2 * at + 2], 16).unwrap()).collect();
    database
        .execute("INSERT INTO leases VALUES (?1, 'dead', ?2)", rusqlite::params![bytes, i64::try_from(soon).unwrap()])
        .unwrap();
    let start = Instant::now();
    clients[0].ask(&[question("left")])[0].response_text().unwrap();
    assert!(start.elapsed() >= Duration::from_millis(2900), "the lease was not waited for: {:?}", start.elapsed());
}

#[test]
fn a_code_is_sent_and_kept_with_the_reply_and_is_no_part_of_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let script = r#"c=$(sed -n 's/.*a text: \([0-9a-f]*\)\..*/\1/p'); printf '{"text": "%s"}\n' "$c""#;
    let settings = ModelSettings {
        command: ["sh", "-c", script].map(String::from).to_vec(),
        ..ModelSettings::from_name("command:sh")
    };
    let open = |offline| {
        let shared = ModelContext::open(ModelOptions { offline, ..options(Some(&record)) }).unwrap();
        Client::open(settings.clone(), &shared).unwrap()
    };
    let plain = open(false).ask_once(&question("same"), 0).unwrap().entry;
    assert_eq!((plain.reply.response_text().unwrap(), &plain.reply.code), ("", &None), "nobody asked for a code");
    let coded = ChatRequest { coded: true, ..question("other") };
    let first = open(false).ask_once(&coded, 0).unwrap();
    let code = first.entry.reply.code.clone().unwrap();
    assert_eq!(code.len(), 16);
    assert_eq!(first.entry.reply.response_text().unwrap(), code, "the model was told it");
    assert_eq!(first.entry.request.messages, coded.messages, "what is recorded is the question");
    assert!(first.entry.sent.as_ref().unwrap().contains(&code));
    let again = open(true).ask_once(&coded, 0).unwrap();
    assert!(again.replayed);
    assert_eq!(again.entry.reply.code, Some(code.clone()));
    // A reply that was recorded before there were codes is found by the same question, and has none.
    let old = open(true).ask_once(&ChatRequest { coded: true, ..question("same") }, 0).unwrap();
    assert_eq!((old.replayed, old.entry.reply.code), (true, None));
    let third = open(false).ask_once(&ChatRequest { attempt: 1, ..coded }, 0).unwrap();
    assert_ne!(third.entry.reply.code, Some(code), "every question has its own");
}

#[test]
fn at_a_lower_level_nobody_is_asked_whatever_is_named() {
    use probare_core::{Backend as _, JudgeAction, Trust};
    let folder = tempfile::tempdir().unwrap();
    let (mark, record) = (folder.path().join("mark"), folder.path().join("replies.db"));
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let program = vec!["touch".to_owned(), mark.display().to_string()];
    let named = [
        ModelSettings { command: program, ..ModelSettings::from_name("command:touch") },
        ModelSettings::from_name(format!("replay:{}", mark.display())),
        settings(&server),
    ];
    for settings in named {
        let name = settings.name.clone();
        let open = |trust| {
            let options = ModelOptions { record: Some(record.clone().into()), ..ModelOptions::new(trust) };
            probare_models::Models::open(vec![settings.clone()], vec![settings.clone()], options)
        };
        let error = open(Trust::LocalOnly).err().expect("it is not opened").to_string();
        assert!(error.contains("is not a local model, and no other may be asked here"), "{error}");
        let models = open(Trust::RecordedOnly).unwrap().assign_judges("m", &[&name]).unwrap();
        let answered = models.answer("m", &JudgeAction::Ask(vec![question("q")]));
        let refused = answered[0].reply().unwrap().response_text().unwrap_err().to_string();
        assert!(refused.contains("the response cache has no reply"), "{refused}");
        let embedded = models.answer("m", &JudgeAction::Embed { model: name, texts: vec!["a".into()] });
        assert_eq!(embedded[0].vector().unwrap_err().kind(), ErrorKind::Missing);
        assert!(!record.exists(), "looking makes no record");
    }
    assert!(!mark.exists(), "no program was started");
    assert_eq!(server.requests(), 0);
}
