//! What a run asks, what it asks again, and what it says about questions that were not asked.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use probare_testing::{FixedReply, ServerBehaviour, TestServer, Trouble};

use crate::program::{both_streams, command, run};
use crate::replies::project;

fn errors(place: &Path) -> serde_json::Value {
    let runs: serde_json::Value = serde_json::from_slice(&run(place, &["runs", "list", "--json"]).stdout).unwrap();
    runs[0]["errors"].clone()
}

#[test]
fn every_kind_of_error_is_done_again_and_really_asked_again() {
    for (trouble, kind, then) in [
        (Trouble::Refusal, "refused", "--retry=refused"),
        (Trouble::Length, "truncated", "--retry=truncated,refused"),
        (Trouble::BadRequest, "failed", "--retry=failed"),
        (Trouble::Moderated, "refused", "--retry=all"),
    ] {
        let server = TestServer::start(ServerBehaviour { first: Some(trouble), ..ServerBehaviour::default() }).unwrap();
        let folder = project(&server, 4, "concurrency: 4");
        let place = folder.path();
        let first = run(place, &["run", "probare.yaml"]);
        assert_eq!(errors(place), serde_json::json!({ kind: 4 }), "{}", both_streams(&first));
        let other = run(place, &["resume", "1", "--retry", "unparseable"]);
        assert!(both_streams(&other).contains(&format!("errors of other kinds: 4 {kind}")), "{}", both_streams(&other));
        assert_eq!(server.requests(), 4, "{trouble:?}");
        let again = run(place, &["resume", "1", then]);
        assert!(both_streams(&again).contains("4 samples again"), "{trouble:?}: {}", both_streams(&again));
        assert_eq!((again.status.code(), server.requests()), (Some(0), 8), "{trouble:?}: {}", both_streams(&again));
        // The new replies count from now on.
        let later = run(place, &["run", "probare.yaml"]);
        assert_eq!((later.status.code(), server.requests()), (Some(0), 8), "{trouble:?}: {}", both_streams(&later));
    }
}

#[test]
fn refresh_asks_again_once_and_the_new_reply_counts() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 3, "concurrency: 3");
    let place = folder.path();
    for (arguments, requests) in [
        (&["run", "probare.yaml"][..], 3),
        (&["run", "probare.yaml"], 3),
        (&["run", "probare.yaml", "--refresh"], 6),
        (&["run", "probare.yaml"], 6),
        (&["run", "probare.yaml", "--offline"], 6),
    ] {
        let ended = run(place, arguments);
        assert_eq!(
            (ended.status.code(), server.requests()),
            (Some(0), requests),
            "{arguments:?}: {}",
            both_streams(&ended)
        );
    }
}

#[test]
fn a_provider_that_wants_a_long_pause_ends_the_run_so_that_it_can_go_on() {
    let behaviour = ServerBehaviour {
        script: vec![Trouble::None, Trouble::TooManyWithDelay],
        retry_after: 3600,
        ..ServerBehaviour::default()
    };
    let server = TestServer::start(behaviour).unwrap();
    let folder = project(&server, 20, "concurrency: 1");
    let place = folder.path();
    let ended = run(place, &["run", "probare.yaml"]);
    let text = both_streams(&ended);
    assert_eq!(ended.status.code(), Some(3), "{text}");
    assert!(text.contains("house: the provider asks to wait 3600 seconds"), "{text}");
    assert!(text.contains("probare resume 1") && text.contains("18 not sent"), "{text}");
    assert_eq!(server.requests(), 2);
    let resumed = run(place, &["resume"]);
    assert_eq!((resumed.status.code(), server.requests()), (Some(0), 21), "{}", both_streams(&resumed));
}

#[test]
fn questions_that_the_budget_did_not_allow_were_not_asked() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 20, "concurrency: 9000");
    let ended = run(folder.path(), &["run", "probare.yaml", "--budget-usd", "0.000001"]);
    let text = both_streams(&ended);
    assert!(text.contains("asked: 0 questions; 20 not sent"), "{text}");
    assert!(text.contains("`concurrency` allows 9000 requests at once; a run makes at most 8192"), "{text}");
    assert_eq!((ended.status.code(), server.requests()), (Some(4), 0), "{text}");
}

#[test]
fn a_variable_that_no_case_has_is_an_error_before_the_run() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 3, "concurrency: 1");
    let place = folder.path();
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    fs::write(place.join("probare.yaml"), config.replace("{{query}}", "Be brief.\\n{{qery}}")).unwrap();
    for arguments in [&["run", "probare.yaml"][..], &["run", "probare.yaml", "--dry-run"]] {
        let ended = run(place, arguments);
        let text = both_streams(&ended);
        assert_eq!(ended.status.code(), Some(64), "{text}");
        assert!(text.contains("no case of `cases.jsonl` has `{{qery}}`, which line 2 of `prompt` wants"), "{text}");
        assert!(
            text.contains("the cases have query, reference") && text.contains("did you mean `{{query}}`?"),
            "{text}"
        );
    }
    assert_eq!(server.requests(), 0);
}

#[test]
fn what_would_end_a_run_at_once_is_told_before_it_begins() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 3, "concurrency: 1");
    let place = folder.path();
    for (flag, value, part) in [
        ("-o", "out.foo", "`out.foo` has no known extension"),
        ("-o", "cases.jsonl", "is an input"),
        ("--fail-under", "nothing=0.5", "which is not a metric of this run"),
    ] {
        for more in [&["--dry-run"][..], &[]] {
            let ended = run(place, &[&["run", "probare.yaml", flag, value][..], more].concat());
            let text = both_streams(&ended);
            assert!(ended.status.code() == Some(64) && text.contains(part), "{flag} {value} {more:?}: {text}");
        }
    }
    assert!(!run(place, &["runs", "show", "1"]).status.success(), "no run is begun");
    assert_eq!(server.requests(), 0);
}

#[test]
fn an_unknown_stop_reason_is_told() {
    let body = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"tired"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let server =
        TestServer::start(ServerBehaviour { fixed: Some(FixedReply::ok(body)), ..ServerBehaviour::default() }).unwrap();
    let folder = project(&server, 3, "concurrency: 1");
    let ended = run(folder.path(), &["run", "probare.yaml"]);
    assert!(
        both_streams(&ended).contains("warning: 3 replies of house ended with `tired`"),
        "{}",
        both_streams(&ended)
    );
}

#[test]
fn waiting_for_a_killed_process_is_told() {
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_secs(4), ..ServerBehaviour::default() }).unwrap();
    let folder = project(&server, 4, "concurrency: 4");
    let place = folder.path();
    let mut killed =
        command(place, &["run", "probare.yaml"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while server.requests() < 4 {
        std::thread::sleep(Duration::from_millis(50));
    }
    let signal = Command::new("kill").args(["-KILL", &killed.id().to_string()]).status().unwrap();
    assert!(signal.success() && !killed.wait().unwrap().success());
    let ended = run(place, &["resume"]);
    assert_eq!(ended.status.code(), Some(0), "{}", both_streams(&ended));
    assert!(
        both_streams(&ended).contains("4 questions begun by another process: waiting for it"),
        "{}",
        both_streams(&ended)
    );
}
