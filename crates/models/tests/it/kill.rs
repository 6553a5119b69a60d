//! A process that is killed again and again loses no reply that it recorded, and asks for none of them again.
//!
//! `cargo x torture --only of_replies --kills 200` kills it two hundred times instead of ten.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use probare_models::{CacheFile, ModelContext, ModelOptions, ModelSettings};
use probare_testing::{ServerBehaviour, TestServer};

use crate::support::questions;

const COUNT: usize = 2000;

fn kills() -> u64 {
    std::env::var("PROBARE_TORTURE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10)
}

/// The process that is killed. Without its variables it is an empty test.
#[test]
fn child_that_asks() {
    let (Ok(url), Ok(record)) = (std::env::var("PROBARE_TEST_CHILD_URL"), std::env::var("PROBARE_TEST_CHILD_RECORD"))
    else {
        return;
    };
    let options = ModelOptions {
        record: Some(CacheFile::named(record)),
        lease: Duration::from_millis(600),
        ..ModelOptions::new(probare_core::Trust::Trusted)
    };
    let shared = ModelContext::open(options).unwrap();
    let settings = ModelSettings {
        base_url: Some(url),
        concurrency: Some(8),
        retry_wait: Some(0.01),
        ..ModelSettings::from_name("test")
    };
    let client = probare_models::Client::open(settings, &shared).unwrap();
    let replies = client.ask(&questions(COUNT));
    assert!(replies.iter().all(|reply| reply.response_text().is_ok()));
}

fn child(server: &TestServer, record: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "kill::child_that_asks", "--nocapture"])
        .env("PROBARE_TEST_CHILD_URL", format!("{}/v1", server.url()))
        .env("PROBARE_TEST_CHILD_RECORD", record)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Questions whose reply is recorded.
fn recorded(record: &Path) -> Vec<String> {
    let mut text = Vec::new();
    probare_models::export_cache(&record.into(), &mut text).unwrap();
    let entries = probare_models::read_cassette(&mut text.as_slice()).unwrap();
    entries.into_iter().map(|(_, entry)| entry.request.messages[0].text.clone()).collect()
}

#[test]
fn torture_of_replies_a_killed_process_loses_nothing_that_it_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    // So slow that the work outlasts the kills.
    let delay = Duration::from_millis((3 * kills()).max(60));
    let server = TestServer::start(ServerBehaviour { delay, ..ServerBehaviour::default() }).unwrap();
    // Kills that hit a question in flight, and how often a question had been asked when its reply was recorded.
    let mut hits: BTreeMap<String, u64> = BTreeMap::new();
    let mut settled: BTreeMap<String, u64> = BTreeMap::new();
    let mut random = 0x5EED_u64;
    let mut killed = 0;
    for _ in 0..kills() {
        let mut running = child(&server, &record).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(150 + (random >> 33) % 500));
        if running.try_wait().unwrap().is_none() {
            killed += 1;
        }
        running.kill().unwrap();
        running.wait().unwrap();
        // What the server still writes is written before its count is read.
        std::thread::sleep(delay + Duration::from_millis(40));
        let stored = if record.exists() { recorded(&record) } else { Vec::new() };
        for (question, seen) in server.question_stats() {
            if stored.contains(&question) {
                let first = *settled.entry(question.clone()).or_insert(seen.requests);
                assert_eq!(first, seen.requests, "`{question}` was asked again after its reply was recorded");
            } else {
                *hits.entry(question).or_default() += 1;
            }
        }
    }
    assert!(child(&server, &record).status().unwrap().success());
    assert_eq!(recorded(&record).len(), COUNT);
    let seen = server.question_stats();
    assert_eq!(seen.len(), COUNT);
    for (question, seen) in &seen {
        let allowed = 1 + hits.get(question).copied().unwrap_or_default();
        assert!(seen.answered <= allowed, "`{question}` was answered {} times, {allowed} are allowed", seen.answered);
        if let Some(first) = settled.get(question) {
            assert_eq!(*first, seen.requests, "`{question}` was asked again after its reply was recorded");
        }
    }
    let before = server.requests();
    assert!(child(&server, &record).status().unwrap().success());
    assert_eq!(server.requests(), before, "a finished record asks nothing");
    assert_eq!(killed, kills(), "a kill came after the end of the work");
    println!("{killed} kills, {} requests for {COUNT} questions, {} hit in flight", before, hits.len());
}
