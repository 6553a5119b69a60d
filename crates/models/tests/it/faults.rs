//! Retries, limits, budgets, the breaker and cancellation.

use std::time::{Duration, Instant};

use probare_core::{ErrorKind, ReplyContent};
use probare_models::prices::Pricing;
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings, Provider};
use probare_testing::{FixedReply, ServerBehaviour, TestServer, Trouble};

use crate::support::{open, options, question, questions, settings};

fn scripted(script: &[Trouble]) -> TestServer {
    TestServer::start(ServerBehaviour { script: script.to_vec(), ..ServerBehaviour::default() }).unwrap()
}

#[test]
fn what_is_worth_another_attempt_gets_one() {
    let worth = [
        Trouble::TooMany,
        Trouble::ServerError,
        Trouble::Overloaded,
        Trouble::CutBody,
        Trouble::WrongContentType,
        Trouble::InvalidJson,
        Trouble::EmptyChoices,
        Trouble::Reset,
        Trouble::Closed,
    ];
    for trouble in worth {
        let server = scripted(&[trouble]);
        let reply = open(&server, None).0.ask(&[question("a")]).remove(0);
        assert_eq!(reply.response_text().unwrap(), "reply to a", "{trouble:?}");
        assert_eq!(server.requests(), 2, "{trouble:?}");
    }
    for trouble in [Trouble::BadRequest, Trouble::Unauthorized, Trouble::Huge, Trouble::Redirect] {
        let server = scripted(&[trouble]);
        let reply = open(&server, None).0.ask(&[question("a")]).remove(0);
        assert!(matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::Failed, .. }), "{trouble:?}");
        assert_eq!(server.requests(), 1, "{trouble:?}");
    }
}

#[test]
fn retry_after_is_waited_for() {
    let server = scripted(&[Trouble::TooManyWithDelay]);
    let start = Instant::now();
    open(&server, None).0.ask(&[question("a")])[0].response_text().unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn a_wait_beyond_the_time_in_all_is_not_begun_and_nobody_else_is_sent() {
    let behaviour =
        ServerBehaviour { script: vec![Trouble::TooManyWithDelay], retry_after: 3600, ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour).unwrap();
    let start = Instant::now();
    let shared = ModelContext::open(options(None)).unwrap();
    let one = ModelSettings { concurrency: Some(1), ..settings(&server) };
    let replies = Client::open(one, &shared).unwrap().ask(&questions(20));
    for reply in &replies {
        let ReplyContent::Failed { kind: ErrorKind::Failed, reason } = &reply.content else { panic!("{reply:?}") };
        assert!(reason.contains("asks to wait 3") && reason.contains("`timeout_total` (900 seconds)"), "{reason}");
    }
    assert!(replies.iter().any(|reply| format!("{reply:?}").contains("status 429")), "what the provider said");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!((server.requests(), shared.counts().unsent), (1, 19));
    assert_eq!(shared.postponed_models().get("test"), Some(&Duration::from_hours(1)));
}

#[test]
fn a_date_to_wait_for_is_one_of_the_server_s_clock() {
    // A server ten minutes behind wants two seconds.
    let now = std::time::SystemTime::now() - Duration::from_mins(10);
    let date = |at| httpdate::fmt_http_date(at);
    let headers = format!("Date: {}\r\nRetry-After: {}\r\n", date(now), date(now + Duration::from_secs(2)));
    let fixed = FixedReply { status: "429 Too Many Requests".into(), headers, ..FixedReply::ok("{}") };
    let server = TestServer::start(ServerBehaviour { fixed: Some(fixed), ..ServerBehaviour::default() }).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let start = Instant::now();
    let twice = ModelSettings { max_attempts: Some(2), ..settings(&server) };
    Client::open(twice, &shared).unwrap().ask(&[question("a")]);
    let taken = start.elapsed();
    assert!(taken >= Duration::from_secs(2) && taken < Duration::from_secs(20), "{taken:?}");
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_stream_that_never_begins_ends_after_its_longest_silence() {
    let server = scripted(&[Trouble::SlowHead]);
    let shared = ModelContext::open(options(None)).unwrap();
    let streamed = ModelSettings {
        stream: true,
        idle_timeout: Some(0.5),
        max_attempts: Some(1),
        timeout: Some(60.0),
        ..settings(&server)
    };
    let start = Instant::now();
    let reply = Client::open(streamed, &shared).unwrap().ask(&[question("a")]).remove(0);
    assert!(matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::TimedOut, .. }), "{reply:?}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn settings_that_cannot_be_sent_together_are_refused_before_anything_is_sent() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let extra = |json: serde_json::Value| json.as_object().unwrap().clone();
    let model = |provider, extra_body| ModelSettings { provider: Some(provider), extra_body, ..settings(&server) };
    let conflicts = [
        (model(Provider::OpenAi, extra(serde_json::json!({"max_tokens": 9}))), "`max_tokens`"),
        (model(Provider::OpenAi, extra(serde_json::json!({"messages": []}))), "`messages`, which is sent already"),
        (
            ModelSettings {
                temperature: Some(0.0),
                ..model(Provider::Gemini, extra(serde_json::json!({"generationConfig": {"temperature": 1}})))
            },
            "`generationConfig.temperature`",
        ),
        (
            ModelSettings {
                reasoning_effort: Some("low".into()),
                ..model(Provider::OpenAiResponses, extra(serde_json::json!({"reasoning": {"effort": "high"}})))
            },
            "`reasoning.effort`",
        ),
        (
            ModelSettings {
                temperature: Some(0.0),
                ..model(
                    Provider::Anthropic,
                    extra(serde_json::json!({"thinking": {"type": "enabled", "budget_tokens": 1024}})),
                )
            },
            "refuses `temperature`",
        ),
        (
            ModelSettings {
                reasoning_effort: Some("low".into()),
                ..model(Provider::Azure, extra(serde_json::json!({})))
            },
            "2024-12-01-preview",
        ),
    ];
    for (settings, part) in conflicts {
        let error = Client::open(settings, &shared).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(part), "{part}: {error}");
    }
    let merged = ModelSettings {
        max_tokens: Some(50),
        ..model(
            Provider::Gemini,
            extra(serde_json::json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}})),
        )
    };
    Client::open(merged, &shared).unwrap().ask(&[question("a")])[0].response_text().unwrap();
    let sent = server.raw_requests().join("");
    assert!(
        sent.contains(r#""generationConfig":{"maxOutputTokens":50,"thinkingConfig":{"thinkingBudget":0}}"#),
        "{sent}"
    );
    assert_eq!(server.requests(), 1);
    let chosen = ModelSettings {
        max_tokens: Some(50),
        max_tokens_field: Some(probare_models::MaxTokensField::MaxCompletionTokens),
        ..settings(&server)
    };
    Client::open(chosen, &shared).unwrap().ask(&[question("b")])[0].response_text().unwrap();
    assert!(server.raw_requests().join("").contains(r#""max_completion_tokens":50"#));
}

#[test]
fn a_slow_body_ends_with_the_attempt_and_all_attempts_with_the_time_in_all() {
    let behaviour = ServerBehaviour { script: vec![Trouble::SlowBody; 20], ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let limited =
        ModelSettings { timeout: Some(0.2), timeout_total: Some(1.0), max_attempts: Some(20), ..settings(&server) };
    let start = Instant::now();
    let reply = Client::open(limited, &shared).unwrap().ask(&[question("a")]).remove(0);
    assert!(matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::TimedOut, .. }), "{reply:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(server.requests() >= 2);
}

#[test]
fn nobody_at_the_address_is_an_error_and_soon_nobody_tries_twice() {
    let shared = ModelContext::open(options(None)).unwrap();
    let settings = ModelSettings {
        // The port of a server that is gone.
        base_url: Some(format!("{}/v1", TestServer::start(ServerBehaviour::default()).unwrap().url())),
        retry_wait: Some(0.001),
        max_attempts: Some(2),
        breaker_failures: Some(4),
        breaker_wait: Some(0.02),
        concurrency: Some(4),
        ..ModelSettings::from_name("gone")
    };
    std::thread::sleep(Duration::from_millis(100));
    let replies = Client::open(settings, &shared).unwrap().ask(&questions(200));
    assert_eq!(replies.iter().filter(|reply| reply.response_text().is_err()).count(), 200);
    let attempts = shared.counts().attempts;
    assert!((200..300).contains(&attempts), "each is tried, hardly any twice: {attempts}");
}

#[test]
fn a_server_that_does_not_speak_tls_is_an_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        // Until the other side has gone.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let shared = ModelContext::open(options(None)).unwrap();
    let tls = ModelSettings { base_url: Some(address), max_attempts: Some(1), ..ModelSettings::from_name("plain") };
    let reply = Client::open(tls, &shared).unwrap().ask(&[question("a")]).remove(0);
    answering.join().unwrap();
    assert!(matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::Failed, .. }), "{reply:?}");
}

#[test]
fn two_entries_that_are_one_model_share_its_limits() {
    let behaviour = ServerBehaviour { share: 1.0, troubles: vec![Trouble::TooMany], ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let named = |name: &str| ModelSettings { name: name.into(), api_model_name: Some("m".into()), ..settings(&server) };
    let [first, second] = ["first", "second"].map(|name| Client::open(named(name), &shared).unwrap());
    let before = second.concurrency();
    first.ask(&questions(1));
    assert!(second.concurrency() < before);
}

#[test]
fn fewer_requests_are_under_way_when_the_provider_asks_for_patience() {
    let behaviour = ServerBehaviour { share: 1.0, troubles: vec![Trouble::TooMany], ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour).unwrap();
    let (client, _shared) = open(&server, None);
    let before = client.concurrency();
    client.ask(&questions(8));
    assert!(client.concurrency() < before, "{} {before}", client.concurrency());
    assert_eq!(client.concurrency(), 1.0);
}

#[test]
fn a_minute_holds_no_more_requests_than_allowed() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let limited = ModelSettings { requests_per_minute: Some(600), ..settings(&server) };
    let start = Instant::now();
    Client::open(limited, &shared).unwrap().ask(&questions(25));
    // Ten at once, then ten a second.
    assert!(start.elapsed() >= Duration::from_millis(1400), "{:?}", start.elapsed());
}

#[test]
fn a_budget_is_never_exceeded() {
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(5), ..ServerBehaviour::default() }).unwrap();
    let shared = ModelContext::open(ModelOptions { budget_usd: Some(0.02), ..options(None) }).unwrap();
    let priced = ModelSettings { max_tokens: Some(100), pricing: Some(Pricing::new(10.0, 20.0)), ..settings(&server) };
    let client = Client::open(priced, &shared).unwrap();
    let replies = client.ask(&questions(400));
    let good = replies.iter().filter(|reply| reply.response_text().is_ok()).count();
    let reached = replies.iter().filter(|reply| format!("{reply:?}").contains("budget is reached")).count();
    assert_eq!(good + reached, 400);
    assert!(good > 20 && reached > 20, "{good} {reached}");
    assert!(shared.budget().is_reached());
    let spent = shared.budget().spent().money.in_dollars();
    assert!(spent <= 0.02 && spent > 0.01, "{spent}");
}

#[test]
fn a_budget_needs_a_longest_reply() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let shared = ModelContext::open(ModelOptions { budget_tokens: Some(1000), ..options(None) }).unwrap();
    let error = Client::open(settings(&server), &shared).err().unwrap();
    assert!(error.to_string().contains("set `max_tokens`"), "{error}");
    assert!(Client::open(ModelSettings { max_tokens: Some(50), ..settings(&server) }, &shared).is_ok());
    assert_eq!(server.requests(), 0);
}

#[test]
fn cancelling_ends_everything_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_secs(3), ..ServerBehaviour::default() }).unwrap();
    let (client, shared) = open(&server, Some(&record));
    let stopper = shared.clone();
    let stopping = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stopper.cancel();
    });
    let start = Instant::now();
    let replies = client.ask(&questions(50));
    stopping.join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    let sent = usize::try_from(server.requests()).unwrap();
    for reply in replies.iter().filter(|reply| reply.response_text().is_err()) {
        assert!(matches!(reply.content, ReplyContent::Failed { kind: ErrorKind::Cancelled, .. }), "{reply:?}");
    }
    assert_eq!(
        replies.iter().filter(|reply| reply.response_text().is_ok()).count(),
        sent,
        "what was sent is waited for"
    );
    assert_eq!(shared.counts().failed, 50 - sent as u64);
    // The leases are free at once: another process need not wait for them.
    let (second, _other) = open(&TestServer::start(ServerBehaviour::default()).unwrap(), Some(&record));
    drop(second);
    let database = rusqlite::Connection::open(&record).unwrap();
    let patience = Instant::now() + Duration::from_secs(5);
    let leases = || database.query_row("SELECT count(*) FROM leases", [], |row| row.get::<_, i64>(0)).unwrap();
    while leases() > 0 {
        assert!(Instant::now() < patience, "leases are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_empty_reply_is_asked_for_once_more_where_that_is_wanted() {
    let ask = |script: &[Trouble], retry_empty: bool| {
        let server = scripted(script);
        let shared = ModelContext::open(options(None)).unwrap();
        let client = Client::open(ModelSettings { retry_empty, ..settings(&server) }, &shared).unwrap();
        let reply = client.ask(&[question("one")]).remove(0);
        (reply.response_text().map(str::to_owned).map_err(|error| error.kind()), server.requests())
    };
    let empty = Trouble::EmptyText;
    assert_eq!(ask(&[empty], false), (Ok(String::new()), 1), "an empty text is an answer");
    assert_eq!(ask(&[empty], true), (Ok("reply to one".to_owned()), 2));
    assert_eq!(ask(&[empty, empty, empty], true), (Err(ErrorKind::Failed), 2));
}
