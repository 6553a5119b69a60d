//! What was paid for is kept: when a run is ended, when the disk is full, where nobody may write. And old records stay found.

use std::path::Path;
use std::time::{Duration, Instant};

use probare_core::{ChatRequest, ErrorKind, Message, ReplyContent};
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings, list_cached_models};
use probare_testing::{ServerBehaviour, TestServer};

use crate::support::{open, options, question, questions, settings};

/// The record that release 0.2 made; no server is there any more.
fn old_record() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/record-0.2/replies.db")
}

#[test]
fn replies_that_an_old_program_paid_for_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("replies.db");
    #[expect(clippy::disallowed_methods, reason = "a test copies its own input")]
    std::fs::copy(old_record(), &copy).unwrap();
    let base_url = Some("http://127.0.0.1:18765/v1".to_owned());
    let mut old = ModelSettings {
        api_model_name: Some("old-model".into()),
        base_url: base_url.clone(),
        temperature: Some(0.5),
        max_tokens: Some(40),
        seed: Some(3),
        ..ModelSettings::from_name("old")
    };
    old.extra_body.insert("a".into(), 1.into());
    let plain =
        ModelSettings { api_model_name: Some("old-model".into()), base_url, ..ModelSettings::from_name("plain") };
    let house = ModelSettings {
        provider: Some(probare_models::Provider::Command),
        command: ["sh", "-c", r#"cat > /dev/null; echo '{"text": "from a program"}'"#].map(String::from).to_vec(),
        ..ModelSettings::from_name("house")
    };
    let requests = ["What is the capital of Norway?", "Größe von „Ω“?", ""].map(|text| ChatRequest {
        messages: vec![Message::system("Answer."), Message::user(text)],
        ..ChatRequest::default()
    });
    for offline in [true, false] {
        let shared = ModelContext::open(ModelOptions { offline, ..options(Some(&copy)) }).unwrap();
        for (model, prefix) in [(&old, "reply to "), (&plain, "reply to "), (&house, "from a program")] {
            for reply in Client::open(model.clone(), &shared).unwrap().ask(&requests) {
                assert!(reply.response_text().unwrap().starts_with(prefix), "{reply:?}");
            }
        }
        let counts = shared.counts();
        assert_eq!((counts.replayed, counts.attempts), (9, 0), "offline {offline}");
    }
}

#[test]
fn offline_a_record_is_read_where_nobody_may_write_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    open(&server, Some(&record)).0.ask(&questions(5));
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (before, bytes) = (names(), std::fs::read(&record).unwrap());
    assert_eq!(before, ["replies.db"]);
    let mut rights = std::fs::metadata(folder.path()).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(folder.path(), rights.clone()).unwrap();
    let shared = ModelContext::open(ModelOptions { offline: true, ..options(Some(&record)) }).unwrap();
    let client = Client::open(settings(&server), &shared).unwrap();
    let replies = client.ask(&questions(6));
    assert_eq!(names(), before, "also while it is open");
    assert_eq!(list_cached_models(&record).unwrap()[0].replies, 5);
    drop((client, shared));
    #[expect(clippy::permissions_set_readonly_false, reason = "the folder is the test's own")]
    rights.set_readonly(false);
    std::fs::set_permissions(folder.path(), rights).unwrap();
    assert_eq!(replies.iter().filter(|reply| reply.response_text().is_ok()).count(), 5);
    assert!(matches!(replies[5].content, ReplyContent::Failed { kind: ErrorKind::Missing, .. }), "{:?}", replies[5]);
    assert_eq!((names(), std::fs::read(&record).unwrap()), (before, bytes), "not a byte was written");
}

#[test]
fn offline_replies_in_the_journal_of_somebody_who_writes_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let (writing, _shared) = open(&server, Some(&record));
    writing.ask(&questions(4));
    let shared = ModelContext::open(ModelOptions { offline: true, ..options(Some(&record)) }).unwrap();
    let replies = Client::open(settings(&server), &shared).unwrap().ask(&questions(4));
    assert!(replies.iter().all(|reply| reply.response_text().is_ok()), "{replies:?}");
}

#[test]
fn an_absent_record_is_not_made_offline() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("none/replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let shared = ModelContext::open(ModelOptions { offline: true, ..options(Some(&record)) }).unwrap();
    let reply = Client::open(settings(&server), &shared).unwrap().ask(&[question("a")]).remove(0);
    assert!(matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::Missing, .. }), "{reply:?}");
    assert!(!record.exists() && !folder.path().join("none").exists());
}

#[test]
fn what_was_sent_is_waited_for_and_recorded_when_a_run_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(700), ..ServerBehaviour::default() }).unwrap();
    let (client, shared) = open(&server, Some(&record));
    let stopper = shared.clone();
    let stopping = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(900));
        stopper.cancel();
    });
    let replies = client.ask(&questions(200));
    stopping.join().unwrap();
    let received = server.requests();
    assert!(received > 0 && received < 200, "{received}");
    let good = replies.iter().filter(|reply| reply.response_text().is_ok()).count() as u64;
    assert_eq!(good, received, "every reply that was asked for is there");
    assert_eq!(list_cached_models(&record).unwrap()[0].replies, received, "and recorded");
    assert_eq!(shared.counts().failed, 200 - received);
    assert_eq!(shared.awaited_requests(), [], "nothing is under way any more");
}

#[test]
fn whoever_does_not_want_to_wait_need_not() {
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_secs(20), ..ServerBehaviour::default() }).unwrap();
    let (client, shared) = open(&server, None);
    let stopper = shared.clone();
    let stopping = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stopper.cancel();
        std::thread::sleep(Duration::from_millis(100));
        stopper.abandon();
    });
    let start = Instant::now();
    let replies = client.ask(&questions(20));
    stopping.join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(replies.iter().all(|reply| reply.response_text().unwrap_err().kind() == ErrorKind::Cancelled));
    assert_eq!(shared.counts().lost_attempts, server.requests(), "what may be charged is counted");
}

#[test]
fn a_reply_that_cannot_be_written_is_held_told_and_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(400), ..ServerBehaviour::default() }).unwrap();
    let (client, shared) = open(&server, Some(&record));
    // A trigger that refuses every reply stands for a full disk: the lease can be written, the reply cannot.
    let database = rusqlite::Connection::open(&record).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON replies BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END";
    database.execute_batch(full).unwrap();
    let answered = client.ask_once(&question("a"), 0).unwrap();
    assert_eq!(answered.entry.reply.response_text().unwrap(), "reply to a", "it was paid for and is used");
    assert!(answered.unrecorded.as_ref().unwrap().contains("disk is full"), "{answered:?}");
    assert_eq!(shared.counts().unrecorded, 1);
    // The same question is answered from what is held.
    assert!(client.ask_once(&question("a"), 0).unwrap().replayed);
    // Nothing new is asked as long as nothing can be written.
    let other = client.ask_once(&question("b"), 0).unwrap_err();
    assert!(other.reply().response_text().unwrap_err().to_string().contains("disk is full"), "{other}");
    assert_eq!(server.requests(), 1);
    database.execute_batch("DROP TRIGGER full").unwrap();
    let patience = Instant::now() + Duration::from_secs(10);
    while list_cached_models(&record).unwrap().first().map_or(0, |cached| cached.replies) < 1 {
        assert!(Instant::now() < patience, "the reply is not written");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(client.ask_once(&question("b"), 0).unwrap().unrecorded, None);
    drop((client, shared));
    assert_eq!(list_cached_models(&record).unwrap()[0].replies, 2);
}

#[test]
fn a_program_that_was_edited_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("gen.sh");
    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    let write =
        |text: &str| std::fs::write(&script, format!("cat > /dev/null; echo '{{\"text\": \"{text}\"}}'")).unwrap();
    let record = folder.path().join("replies.db");
    let ask = || {
        let shared = ModelContext::open(options(Some(&record))).unwrap();
        let settings = ModelSettings {
            command: vec!["sh".into(), script.display().to_string()],
            ..ModelSettings::from_name("command:house")
        };
        let client = Client::open(settings, &shared).unwrap();
        let reply = client.ask(&[question("Why?")]).remove(0);
        (reply.response_text().unwrap().to_owned(), shared.counts().replayed, client.model_used())
    };
    write("old");
    let (text, _, used) = ask();
    assert_eq!(text, "old");
    assert_eq!(ask().1, 1, "unchanged, the record answers");
    write("new");
    assert_eq!((ask().0.as_str(), ask().1), ("new", 1));
    // A finished run knows what it was asked with: its own replies are found, whatever the file holds now.
    let shared = ModelContext::open(ModelOptions { offline: true, ..options(Some(&record)) }).unwrap();
    let again =
        Client::open(ModelSettings::from_used_model(&used), &shared).unwrap().ask(&[question("Why?")]).remove(0);
    assert_eq!(again.response_text().unwrap(), "old");
}

#[test]
fn a_header_that_is_no_secret_decides_and_a_secret_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let ask = |name: &str, value: &str| {
        let environment = [("ROUTE".to_owned(), value.to_owned())].into();
        let shared =
            ModelContext::open(ModelOptions { environment: Some(environment), ..options(Some(&record)) }).unwrap();
        let value = if name == "X-Auth" { "${ROUTE}".to_owned() } else { value.to_owned() };
        let settings = ModelSettings { headers: [(name.to_owned(), value)].into(), ..settings(&server) };
        Client::open(settings, &shared).unwrap().ask(&[question("a")])[0].response_text().unwrap();
        server.requests()
    };
    assert_eq!([ask("X-Route", "a"), ask("X-Route", "a"), ask("X-Route", "b")], [1, 1, 2]);
    assert_eq!([ask("X-Auth", "one"), ask("X-Auth", "two")], [3, 3], "another key gets the same replies");
    let seen = server.raw_requests();
    assert!(seen[0].to_ascii_lowercase().contains("x-route: a"), "{}", seen[0]);
}

#[test]
fn a_prompt_is_sent_as_it_is_whatever_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let environment = [("HOUSE_KEY".to_owned(), "sk-no-key-required".to_owned())].into();
    let shared = ModelContext::open(ModelOptions { environment: Some(environment), ..options(Some(&record)) }).unwrap();
    let keyed = ModelSettings { api_key: Some("HOUSE_KEY".into()), ..settings(&server) };
    let client = Client::open(keyed, &shared).unwrap();
    let words = "Is there a visa with no-key-required for a passport?";
    let whole = "What is sk-no-key-required good for?";
    let replies = client.ask(&[question(words), question(whole)]);
    assert_eq!(replies[0].response_text().unwrap(), format!("reply to {words}"));
    assert_eq!(
        replies[1].response_text().unwrap(),
        "reply to What is [redacted] good for?",
        "a whole key is not handed on"
    );
    let sent = server.raw_requests().join("\n");
    assert!(sent.contains(words) && sent.contains(whole), "prompts are sent as they are: {sent}");
    drop((client, shared));
    let mut text = Vec::new();
    probare_models::export_cache(&record.clone().into(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(words) && !text.contains("sk-no-key-required"), "{text}");
}

#[test]
fn a_program_that_complains_at_length_is_read_to_its_end() {
    let shared = ModelContext::open(options(None)).unwrap();
    let script = r#"cat > /dev/null; head -c 1000000 /dev/zero | tr '\0' 'x' >&2; echo '{"text": "done"}'"#;
    let settings = ModelSettings {
        command: ["sh", "-c", script].map(String::from).to_vec(),
        timeout: Some(20.0),
        ..ModelSettings::from_name("command:sh")
    };
    let start = Instant::now();
    let reply = Client::open(settings, &shared).unwrap().ask(&[question("a")]).remove(0);
    assert_eq!(reply.response_text().unwrap(), "done");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}
