//! The record: nobody pays twice, whoever asks and whenever.

use std::time::{Duration, Instant};

use probare_core::{Content, ErrorKind, Question};
use probare_models::{Client, ModelSettings, OpenError, Options, Shared, list};
use probare_testing::{Behaviour, Server, Trouble};

use crate::support::{open, options, question, questions, settings};

#[test]
fn two_who_need_the_same_replies_ask_once() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = Server::start(Behaviour { delay: Duration::from_millis(30), ..Behaviour::default() }).unwrap();
    // Two records on one file are what two processes have.
    let (first, _one) = open(&server, Some(&record));
    let (second, _two) = open(&server, Some(&record));
    let asked = questions(100);
    let (left, right) = std::thread::scope(|scope| {
        let left = scope.spawn(|| first.ask(&asked));
        let right = scope.spawn(|| second.ask(&asked));
        (left.join().unwrap(), right.join().unwrap())
    });
    assert_eq!(left, right);
    assert!(left.iter().all(|reply| reply.read().is_ok()));
    assert_eq!(server.requests(), 100);
    assert!(server.seen().values().all(|seen| seen.requests == 1));
}

#[test]
fn the_same_question_twice_in_one_breath_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Behaviour { delay: Duration::from_millis(30), ..Behaviour::default() }).unwrap();
    let (client, shared) = open(&server, Some(&folder.path().join("replies.db")));
    let replies = client.ask(&vec![question("same"); 40]);
    assert!(replies.iter().all(|reply| reply == &replies[0]));
    assert_eq!(server.requests(), 1);
    assert_eq!((shared.counts().replied, shared.counts().replayed), (1, 39));
}

#[test]
fn another_attempt_seat_or_parameter_is_another_reply() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(Behaviour::default()).unwrap();
    let (client, _shared) = open(&server, Some(&folder.path().join("replies.db")));
    let mut warm = question("a");
    warm.parameters.temperature = Some(1.0);
    let asked = [question("a"), Question { attempt: 1, ..question("a") }, Question { seat: 1, ..question("a") }, warm];
    client.ask(&asked);
    client.ask(&asked);
    assert_eq!(server.requests(), 4);
}

#[test]
fn failures_are_not_recorded_and_refusals_are() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let script = vec![Trouble::BadRequest, Trouble::Refusal];
    let server = Server::start(Behaviour { script, ..Behaviour::default() }).unwrap();
    let (client, _shared) = open(&server, Some(&record));
    assert!(matches!(client.ask(&[question("a")])[0].content, Content::Failed { .. }));
    assert!(matches!(client.ask(&[question("a")])[0].content, Content::Refused(_)), "asked again");
    assert!(matches!(client.ask(&[question("a")])[0].content, Content::Refused(_)), "from the record");
    assert_eq!(server.requests(), 2);
    assert_eq!(list(&record).unwrap()[0].replies, 1);
}

#[test]
fn offline_the_record_answers_and_what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = Server::start(Behaviour::default()).unwrap();
    let address = settings(&server);
    open(&server, Some(&record)).0.ask(&questions(3));
    drop(server);
    let shared = Shared::open(Options { offline: true, ..options(Some(&record)) }).unwrap();
    // No key is needed offline.
    let keyed = ModelSettings { api_key: Some("NO_SUCH_KEY".into()), ..address };
    let client = Client::open(keyed, &shared).unwrap();
    let replies = client.ask(&questions(5));
    assert_eq!(replies.iter().filter(|reply| reply.read().is_ok()).count(), 3);
    assert!(matches!(replies[4].content, Content::Failed { kind: ErrorKind::Missing, .. }), "{:?}", replies[4]);
    let missing = shared.missing();
    assert_eq!(missing.len(), 2);
    assert!(
        format!("{:?}", replies[3..].iter().map(|reply| reply.read()).collect::<Vec<_>>())
            .contains(&missing[0].1.short())
    );
    assert_eq!(shared.counts().attempts, 0);
    let shared = Shared::open(Options { offline: true, ..options(None) }).unwrap();
    let error = Client::open(ModelSettings::named("ollama:m"), &shared).err().unwrap();
    assert!(matches!(error, OpenError::OfflineWithoutRecord));
}

#[test]
fn the_lease_of_a_dead_owner_expires_and_that_of_a_live_one_is_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = Server::start(Behaviour { delay: Duration::from_millis(2500), ..Behaviour::default() }).unwrap();
    let brief = |record| Shared::open(Options { lease: Duration::from_secs(1), ..options(Some(record)) }).unwrap();
    // Alive: the reply takes far longer than a lease, and is still asked for once.
    let (one, two) = (brief(&record), brief(&record));
    let clients = [&one, &two].map(|shared| Client::open(settings(&server), shared).unwrap());
    std::thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| client.ask(&[question("slow")])[0].read().unwrap().to_owned());
        }
    });
    assert_eq!(server.requests(), 1);
    // Dead: a lease that nobody renews.
    let request_key = probare_models::Key::of(&probare_models::Request {
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
    clients[0].ask(&[question("left")])[0].read().unwrap();
    assert!(start.elapsed() >= Duration::from_millis(2900), "the lease was not waited for: {:?}", start.elapsed());
}
