//! Every kind of trouble ends in exactly one kind of reply, after a known number of requests; what was charged is recorded or
//! counted.

use probare_core::{ErrorKind, ModelReply, ReplyContent};
use probare_models::prices::Pricing;
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings, list_cached_models};
use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::support::{options, question, settings};

/// How a question ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Text,
    Truncated,
    Refused,
    Failed(ErrorKind),
}

pub fn end(reply: &ModelReply) -> End {
    match &reply.content {
        ReplyContent::Text(_) => End::Text,
        ReplyContent::Truncated(_) => End::Truncated,
        ReplyContent::Refused(_) => End::Refused,
        ReplyContent::Failed { kind, .. } => End::Failed(*kind),
    }
}

/// Attempts that the settings of this test allow.
const MOST: u64 = 3;

/// What trouble that does not end comes to, and after how many requests.
pub fn expected(trouble: Trouble) -> (End, u64) {
    let failed = End::Failed(ErrorKind::Failed);
    match trouble {
        Trouble::None
        | Trouble::OddContentType
        | Trouble::NoContentType
        | Trouble::NoLength
        | Trouble::Gzip
        | Trouble::GzipUnannounced
        | Trouble::EmptyText
        | Trouble::NoUsage
        | Trouble::ToolCall
        // Without a stream these are ordinary replies; the test of streams has them.
        | Trouble::SlowStream
        | Trouble::SilentStream
        | Trouble::CutStream => (End::Text, 1),
        Trouble::Length | Trouble::LengthInThoughts => (End::Truncated, 1),
        Trouble::Refusal | Trouble::Filtered => (End::Refused, 1),
        Trouble::Moderated | Trouble::ModeratedAs400 => (End::Failed(ErrorKind::Refused), 1),
        Trouble::EmptyChoices | Trouble::NullContent | Trouble::ThoughtsOnly | Trouble::OddJson => (failed, 2),
        Trouble::SlowHead | Trouble::SlowBody => (End::Failed(ErrorKind::TimedOut), MOST),
        Trouble::TooMany
        | Trouble::TooManyWithDelay
        | Trouble::TooManyWithMilliseconds
        | Trouble::TooManyWithDelayInBody
        | Trouble::RequestTimeout
        | Trouble::Conflict
        | Trouble::ServerError
        | Trouble::BadGateway
        | Trouble::Overloaded
        | Trouble::GatewayTimeout
        | Trouble::SiteOverloaded
        | Trouble::CutBody
        | Trouble::WrongContentType
        | Trouble::GzipCut
        | Trouble::Brotli
        | Trouble::InvalidJson
        | Trouble::EmptyBody
        | Trouble::ErrorInBody
        | Trouble::Reset
        | Trouble::Closed => (failed, MOST),
        Trouble::NoCredit
        | Trouble::PaymentRequired
        | Trouble::Huge
        | Trouble::TwentyMegabytes
        | Trouble::NoContent
        | Trouble::Redirect
        | Trouble::BadRequest
        | Trouble::WrongKeyAs400
        | Trouble::WrongKeyAs403
        | Trouble::Unauthorized
        | Trouble::Forbidden
        | Trouble::NotFound
        | Trouble::TooLargeRequest
        | Trouble::Unprocessable => (failed, 1),
    }
}

fn priced(server: &TestServer) -> ModelSettings {
    ModelSettings {
        max_tokens: Some(100),
        timeout: Some(0.4),
        max_attempts: Some(3),
        pricing: Some(Pricing::new(10.0, 20.0)),
        ..settings(server)
    }
}

#[test]
fn every_kind_of_trouble_ends_in_one_kind_and_what_was_charged_is_recorded_or_counted() {
    assert!(Trouble::EVERY.len() >= 50, "{}", Trouble::EVERY.len());
    std::thread::scope(|scope| {
        for troubles in Trouble::EVERY.chunks(Trouble::EVERY.len().div_ceil(4)) {
            scope.spawn(|| troubles.iter().for_each(|trouble| one_kind(*trouble)));
        }
    });
}

fn one_kind(trouble: Trouble) {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let behaviour =
        ServerBehaviour { share: 1.0, troubles: vec![trouble], retry_after: 0, ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour).unwrap();
    let shared = ModelContext::open(ModelOptions { budget_usd: Some(10.0), ..options(Some(&record)) }).unwrap();
    let client = Client::open(priced(&server), &shared).unwrap();
    let reply = client.ask(&[question("a")]).remove(0);
    let (kind, requests) = expected(trouble);
    assert_eq!(end(&reply), kind, "{trouble:?}: {reply:?}");
    assert_eq!(server.requests(), requests, "{trouble:?}");
    let counts = shared.counts();
    assert_eq!(counts.asked, 1, "{trouble:?}");
    assert_eq!(counts.replied + counts.refused + counts.truncated + counts.failed, 1, "{trouble:?}");
    assert_eq!(counts.attempts, requests, "{trouble:?}");
    // What the server has answered whole is in the record, or among what is counted as lost.
    let answered = server.question_stats().values().map(|seen| seen.answered).sum::<u64>();
    let is_kept = matches!(kind, End::Text | End::Truncated | End::Refused);
    let recorded = list_cached_models(&record).unwrap().iter().map(|cached| cached.replies).sum::<u64>();
    assert_eq!(recorded, u64::from(is_kept), "{trouble:?}");
    assert!(answered <= recorded + counts.lost_attempts, "{trouble:?}: {answered} {counts:?}");
    let spent = shared.budget().spent();
    assert_eq!(spent.tokens > 0, recorded + counts.lost_attempts > 0, "{trouble:?}: {spent:?} {counts:?}");
    // From the record the same kind comes back, and nothing is sent.
    if is_kept {
        assert_eq!(client.ask(&[question("a")])[0], reply, "{trouble:?}");
        assert_eq!(server.requests(), requests, "{trouble:?}");
    }
}

#[test]
fn a_stream_may_be_slow_but_not_silent_and_a_cut_one_is_asked_again() {
    for (trouble, kind, requests) in [
        (Trouble::None, End::Text, 1),
        (Trouble::SlowStream, End::Text, 1),
        (Trouble::SilentStream, End::Failed(ErrorKind::TimedOut), 3),
        (Trouble::CutStream, End::Failed(ErrorKind::Failed), 3),
        (Trouble::TooMany, End::Failed(ErrorKind::Failed), 3),
    ] {
        let slow = std::time::Duration::from_millis(250);
        let behaviour = ServerBehaviour { share: 1.0, troubles: vec![trouble], slow, ..ServerBehaviour::default() };
        let slow_stream = trouble == Trouble::SlowStream;
        let server = TestServer::start(if slow_stream {
            behaviour
        } else {
            ServerBehaviour { slow: std::time::Duration::from_secs(20), ..behaviour }
        })
        .unwrap();
        let shared = ModelContext::open(options(None)).unwrap();
        // The whole of the slow stream takes longer than `timeout`.
        let streamed = ModelSettings { stream: true, idle_timeout: Some(1.0), timeout: Some(1.2), ..priced(&server) };
        let reply = Client::open(streamed, &shared).unwrap().ask(&[question("a")]).remove(0);
        assert_eq!(end(&reply), kind, "{trouble:?}: {reply:?}");
        assert_eq!(server.requests(), requests, "{trouble:?}");
        if kind == End::Text {
            assert_eq!(reply.response_text().unwrap(), "reply to a");
            assert!(reply.usage.is_some_and(|usage| usage.output_tokens > 0), "{trouble:?}");
        }
    }
}

#[test]
fn one_prompt_that_is_refused_is_its_own() {
    for trouble in [Trouble::Forbidden, Trouble::Moderated] {
        let behaviour = ServerBehaviour { marked: vec![("question 7".into(), trouble)], ..ServerBehaviour::default() };
        let server = TestServer::start(behaviour).unwrap();
        let shared = ModelContext::open(options(None)).unwrap();
        let client = Client::open(ModelSettings { concurrency: Some(1), ..settings(&server) }, &shared).unwrap();
        let requests: Vec<_> = (0..40).map(|number| question(format!("question {number:02}"))).collect();
        let marked = question("question 7");
        let replies = client.ask(&[requests, vec![marked]].concat());
        assert_eq!(replies.iter().filter(|reply| reply.response_text().is_err()).count(), 1, "{trouble:?}");
        assert_eq!(server.requests(), 41);
    }
}

#[test]
fn a_wrong_key_stops_at_once_whatever_its_status() {
    for trouble in [Trouble::Unauthorized, Trouble::WrongKeyAs400, Trouble::WrongKeyAs403, Trouble::NoCredit] {
        let behaviour = ServerBehaviour { share: 1.0, troubles: vec![trouble], ..ServerBehaviour::default() };
        let server = TestServer::start(behaviour).unwrap();
        let shared = ModelContext::open(options(None)).unwrap();
        let client = Client::open(ModelSettings { concurrency: Some(1), ..settings(&server) }, &shared).unwrap();
        let replies = client.ask(&crate::support::questions(50));
        assert!(replies.iter().all(|reply| reply.response_text().is_err()));
        assert_eq!(server.requests(), 1, "{trouble:?}");
    }
}

#[test]
fn a_server_that_fails_every_first_attempt_answers_everything() {
    for trouble in
        [Trouble::ServerError, Trouble::BadGateway, Trouble::Overloaded, Trouble::SiteOverloaded, Trouble::CutBody]
    {
        let server = TestServer::start(ServerBehaviour { first: Some(trouble), ..ServerBehaviour::default() }).unwrap();
        let shared = ModelContext::open(options(None)).unwrap();
        for concurrency in [1, 64] {
            let settings = ModelSettings { concurrency: Some(concurrency), ..settings(&server) };
            let client = Client::open(settings, &shared).unwrap();
            let requests: Vec<_> = (0..100).map(|number| question(format!("{concurrency} {number}"))).collect();
            let replies = client.ask(&requests);
            let failed: Vec<_> = replies.iter().filter_map(|reply| reply.response_text().err()).collect();
            assert!(
                failed.is_empty(),
                "{trouble:?}, {concurrency} at once: {} failed, {:?}",
                failed.len(),
                failed.first()
            );
        }
        assert_eq!(server.requests(), 400, "{trouble:?}: each is asked twice");
    }
}

#[test]
fn a_storm_passes_and_nothing_is_given_up_that_was_never_tried() {
    // Every request fails for a while: more failures in a row than the breaker bears.
    let script = vec![Trouble::ServerError; 60];
    let server = TestServer::start(ServerBehaviour { script, ..ServerBehaviour::default() }).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let settings = ModelSettings { breaker_failures: Some(5), max_attempts: Some(30), ..settings(&server) };
    let client = Client::open(settings, &shared).unwrap();
    let replies = client.ask(&crate::support::questions(150));
    let tried = server.question_stats();
    for (number, reply) in replies.iter().enumerate() {
        assert!(
            reply.response_text().is_ok() || tried.contains_key(&format!("question {number}")),
            "{number} was never tried"
        );
    }
    assert_eq!(tried.len(), 150, "every question reached the server");
    assert!(replies.iter().filter(|reply| reply.response_text().is_ok()).count() > 100);
}

#[test]
fn a_pause_that_one_question_is_asked_for_holds_back_the_model() {
    for trouble in [Trouble::TooManyWithDelay, Trouble::TooManyWithMilliseconds, Trouble::TooManyWithDelayInBody] {
        let server =
            TestServer::start(ServerBehaviour { script: vec![trouble], ..ServerBehaviour::default() }).unwrap();
        let provider = (trouble == Trouble::TooManyWithDelayInBody).then_some(probare_models::Provider::Gemini);
        let shared = ModelContext::open(options(None)).unwrap();
        let settings = ModelSettings { provider, concurrency: Some(1), ..settings(&server) };
        let client = Client::open(settings, &shared).unwrap();
        let start = std::time::Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| client.ask(&[question("first")]));
            std::thread::sleep(std::time::Duration::from_millis(300));
            // Another question, of another client of the same model.
            let other = Client::open(
                ModelSettings { provider, concurrency: Some(1), ..crate::support::settings(&server) },
                &ModelContext::open(options(None)).unwrap(),
            )
            .unwrap();
            other.ask(&[question("second")])[0].response_text().unwrap();
        });
        assert!(start.elapsed() >= std::time::Duration::from_millis(950), "{trouble:?}: {:?}", start.elapsed());
        assert_eq!(server.requests(), 3);
    }
}
