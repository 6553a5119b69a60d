//! Budgets: never exceeded by more than what was under way, whether the provider says what a call took or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use probare_core::{CallOutcome, CallPurpose, CostLine};
use probare_models::prices::Pricing;
use probare_models::{
    Client, GeneratorType, LimitScope, ModelContext, ModelOptions, ModelSettings, Provider, list_cached_models,
};
use probare_testing::{ReplyServer, ServerBehaviour, TestServer, Trouble};
use serde_json::json;

use crate::support::{options, question, questions, settings};

fn priced(server: &TestServer) -> ModelSettings {
    ModelSettings {
        max_tokens: Some(100),
        concurrency: Some(64),
        pricing: Some(Pricing::new(10.0, 20.0)),
        ..settings(server)
    }
}

/// Asks 400 questions with a budget; requests that were sent, dollars that were booked, dollars of one call at most.
fn ask_with_budget(budget: f64, trouble: Option<Trouble>) -> (u64, f64, f64, usize) {
    let troubles = trouble.into_iter().collect::<Vec<_>>();
    let share = if troubles.is_empty() { 0.0 } else { 1.0 };
    let delay = Duration::from_millis(5);
    let server = TestServer::start(ServerBehaviour { delay, share, troubles, ..ServerBehaviour::default() }).unwrap();
    let shared = ModelContext::open(ModelOptions { budget_usd: Some(budget), ..options(None) }).unwrap();
    let client = Client::open(priced(&server), &shared).unwrap();
    let replies = client.ask(&questions(400));
    let good = replies.iter().filter(|reply| reply.response_text().is_ok()).count();
    let reached = replies.iter().filter(|reply| format!("{reply:?}").contains("budget is reached")).count();
    assert_eq!(good + reached, 400);
    // A token for every byte of the body, and the longest reply.
    let bytes =
        server.raw_requests().iter().map(|request| request.split("\r\n\r\n").nth(1).unwrap().len()).max().unwrap();
    let most = bytes as f64 * 10.0 / 1e6 + 100.0 * 20.0 / 1e6;
    (server.requests(), shared.budget().spent().money.in_dollars(), most, good)
}

#[test]
fn a_budget_holds_with_usage_and_without_64_at_once() {
    for budget in [0.02, 0.05] {
        let (with, spent, _, good) = ask_with_budget(budget, None);
        assert!(spent <= budget && with == good as u64, "{with} requests, {spent} of {budget}");
        let (without, booked, most, good) = ask_with_budget(budget, Some(Trouble::NoUsage));
        assert!(booked <= budget && without == good as u64, "{without} requests, {booked} of {budget}");
        // What the server would have charged at most is within the budget too: the bound was booked for each.
        assert!(without as f64 * most <= budget + most, "{without} requests at {most} at most, {budget} allowed");
        assert!(without > 0 && without < with, "{without} without usage, {with} with it");
        println!(
            "budget {budget}: {with} requests with usage ({spent:.4} spent), {without} without ({booked:.4} booked)"
        );
    }
}

#[test]
fn attempts_that_came_to_nothing_are_part_of_what_a_reply_cost() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        TestServer::start(ServerBehaviour { script: vec![Trouble::NullContent], ..ServerBehaviour::default() })
            .unwrap();
    let shared = ModelContext::open(options(Some(&folder.path().join("replies.db")))).unwrap();
    let client = Client::open(priced(&server), &shared).unwrap();
    let entry = client.ask_once(&question("a"), 0).unwrap().entry;
    assert_eq!((entry.attempts, server.requests()), (2, 2));
    let (own, lost) = (entry.cost_usd.unwrap(), entry.lost.unwrap());
    // Both replies have the same text, so that both take the same: the first was empty, but its usage is known.
    assert!(lost.tokens > 0 && (lost.cost_usd - own).abs() < 1e-12, "{lost:?} {own}");
    assert_eq!(entry.cost_in_all(), Some(own + lost.cost_usd));
    let counts = shared.counts();
    assert_eq!((counts.lost_attempts, counts.lost.tokens), (1, lost.tokens));
}

#[test]
fn without_usage_the_bound_is_what_a_reply_cost_and_says_so() {
    let server =
        TestServer::start(ServerBehaviour { script: vec![Trouble::NoUsage], ..ServerBehaviour::default() }).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let client = Client::open(priced(&server), &shared).unwrap();
    let entry = client.ask_once(&question("a"), 0).unwrap().entry;
    assert!(entry.is_bound && entry.cost_usd.unwrap() > 0.002, "{entry:?}");
    assert_eq!(entry.reply.usage, None);
    assert_eq!(shared.counts().unmeasured, 1);
    let known = client.ask_once(&question("b"), 0).unwrap().entry;
    assert!(!known.is_bound && known.cost_usd < entry.cost_usd, "{known:?}");
}

#[test]
fn without_usage_a_list_of_vectors_is_booked_with_the_bound_of_all_its_texts() {
    let texts: Vec<String> = (0..20).map(|number| format!("{number} {}", "a long text ".repeat(50))).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    for share in [0.0, 1.0] {
        let behaviour = ServerBehaviour { share, troubles: vec![Trouble::NoUsage], ..ServerBehaviour::default() };
        let (server, folder) = (TestServer::start(behaviour).unwrap(), tempfile::tempdir().unwrap());
        let record = folder.path().join("replies.db");
        let shared = ModelContext::open(ModelOptions { budget_usd: Some(1.0), ..options(Some(&record)) }).unwrap();
        let vectors =
            ModelSettings { generator_type: Some(GeneratorType::Embedding), max_tokens: None, ..priced(&server) };
        let replies = Client::open(vectors, &shared).unwrap().embed(&texts);
        assert!(replies.iter().all(|reply| reply.response_text().is_ok()), "{replies:?}");
        assert_eq!(server.requests(), 1, "one request for all");
        let spent = shared.budget().spent();
        let most = bytes as f64 * 10.0 / 1e6;
        assert_eq!(list_cached_models(&record).unwrap()[0].replies, 20, "each has its own");
        if share > 0.0 {
            assert!(spent.tokens >= bytes as u64 && spent.money.in_dollars() >= most, "{spent:?} for {bytes} bytes");
            assert_eq!(shared.counts().unmeasured, 20);
        } else {
            assert!(spent.tokens < bytes as u64 && spent.money.in_dollars() < most, "{spent:?} for {bytes} bytes");
            assert_eq!(shared.counts().unmeasured, 0);
        }
    }
}

#[test]
fn limits_a_minute_are_shared_by_all_clients_of_a_process() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let limited = || ModelSettings { requests_per_minute: Some(600), ..settings(&server) };
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for number in 0..3 {
            scope.spawn(move || {
                let shared = ModelContext::open(options(None)).unwrap();
                let requests: Vec<_> = (0..9).map(|at| question(format!("{number} {at}"))).collect();
                Client::open(limited(), &shared).unwrap().ask(&requests);
            });
        }
    });
    // Ten at once, then ten a second: 27 take 1.7 seconds, whoever asks.
    assert!(start.elapsed() >= Duration::from_millis(1600), "{:?}", start.elapsed());
}

#[test]
fn limits_a_minute_may_be_those_of_a_key() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let limited = |name: &str, limits_by| ModelSettings {
        name: name.to_owned(),
        requests_per_minute: Some(600),
        limits_by: Some(limits_by),
        ..settings(&server)
    };
    let ask = |limits_by, names: [&'static str; 3]| {
        let start = std::time::Instant::now();
        let shared = ModelContext::open(options(None)).unwrap();
        std::thread::scope(|scope| {
            for name in names {
                let client = Client::open(limited(name, limits_by), &shared).unwrap();
                let requests: Vec<_> = (0..9).map(|at| question(format!("{name} {at}"))).collect();
                scope.spawn(move || client.ask(&requests));
            }
        });
        start.elapsed()
    };
    // Each model has ten at once.
    let apart = ask(LimitScope::Model, ["a", "b", "c"]);
    assert!(apart < Duration::from_millis(1400), "{apart:?}");
    let together = ask(LimitScope::Key, ["d", "e", "f"]);
    assert!(together >= Duration::from_millis(1600), "{together:?}");
}

/// A server whose replies have this usage, with a budget for ten calls; requests that it got, and what was booked.
fn ask_with_usage(usage: &serde_json::Value) -> (usize, f64) {
    let (seen, reported) = (Arc::new(AtomicUsize::new(0)), usage.clone());
    let counted = Arc::clone(&seen);
    let server = ReplyServer::start(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        (200, json!({"choices": [{"message": {"content": "an answer"}, "finish_reason": "stop"}], "usage": reported}))
    })
    .unwrap();
    let model = ModelSettings {
        base_url: Some(format!("{}/v1", server.url())),
        max_tokens: Some(100),
        pricing: Some(Pricing::new(10.0, 20.0)),
        ..ModelSettings::from_name("test")
    };
    // A body of some 90 bytes and a hundred tokens back are not quite 0.003 dollars.
    let shared = ModelContext::open(ModelOptions { budget_usd: Some(0.03), ..options(None) }).unwrap();
    Client::open(model, &shared).unwrap().ask(&questions(60));
    (seen.load(Ordering::Relaxed), shared.budget().spent().money.in_dollars())
}

#[test]
fn a_server_that_says_nothing_was_taken_is_not_believed() {
    for usage in [
        json!({"prompt_tokens": 0, "completion_tokens": 0}),
        json!({"prompt_tokens": 20, "completion_tokens": 0}),
        json!({"prompt_tokens": 0, "completion_tokens": 0, "cost": 0}),
        json!({"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0001}),
    ] {
        let (sent, spent) = ask_with_usage(&usage);
        assert!((8..=11).contains(&sent) && spent <= 0.03, "{sent} sent, {spent} booked: {usage}");
    }
    // The user's prices win over a cost that the server states.
    let (sent, spent) = ask_with_usage(&json!({"prompt_tokens": 20, "completion_tokens": 3, "cost": 0.01}));
    assert!(sent == 60 && (spent - 60.0 * 0.00026).abs() < 1e-9, "{sent} sent, {spent} booked");
}

#[test]
fn judges_refusals_cuts_and_failures_are_part_of_what_a_run_cost() {
    let marked = vec![("one".to_owned(), Trouble::Length), ("two".to_owned(), Trouble::Refusal)];
    let first =
        ServerBehaviour { marked, script: vec![Trouble::None, Trouble::NullContent], ..ServerBehaviour::default() };
    let server = TestServer::start(first).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let client = Client::open(priced(&server), &shared).unwrap();
    client.ask_once(&question("zero"), 0).unwrap();
    // The first attempt gives no answer, and is charged.
    client.ask_once(&question("again"), 0).unwrap();
    for text in ["one", "two"] {
        client.ask_once(&question(text), 0).unwrap();
    }
    client.ask(&[question("judged")]);
    let unpriced = ModelSettings { name: "unpriced".into(), pricing: None, ..priced(&server) };
    Client::open(unpriced, &shared).unwrap().ask_once(&question("five"), 0).unwrap();
    let costs = shared.budget().costs();
    let calls = |purpose, outcome| {
        let is_meant = |line: &&CostLine| line.model == "test" && (line.purpose, line.outcome) == (purpose, outcome);
        costs.lines.iter().find(is_meant).map(|line| (line.calls, line.cost_usd.unwrap() > 0.0))
    };
    assert_eq!(calls(CallPurpose::Answer, CallOutcome::Replied), Some((2, true)));
    assert_eq!(calls(CallPurpose::Answer, CallOutcome::Failed), Some((1, true)));
    assert_eq!(calls(CallPurpose::Answer, CallOutcome::Truncated), Some((1, true)));
    assert_eq!(calls(CallPurpose::Answer, CallOutcome::Refused), Some((1, true)));
    assert_eq!(calls(CallPurpose::Judge, CallOutcome::Replied), Some((1, true)));
    assert_eq!((costs.calls(), costs.unpriced.as_slice()), (server.requests(), &["unpriced".to_owned()][..]));
    // A token for four letters of what was said, in and out, at 10 and 20 dollars a million.
    let tokens: u64 = costs.lines.iter().filter(|line| line.model == "test").map(|line| line.usage.input_tokens).sum();
    assert!((costs.total_usd - tokens as f64 * 30.0 / 1e6).abs() < 1e-12, "{costs:?}");
}

#[test]
fn cached_tokens_cost_what_the_cache_costs() {
    let server = ReplyServer::start(|_| {
        let usage = json!({"input_tokens": 100, "cache_read_input_tokens": 9_000, "cache_creation_input_tokens": 900,
            "cache_creation": {"ephemeral_1h_input_tokens": 400}, "output_tokens": 10});
        (200, json!({"content": [{"type": "text", "text": "yes"}], "stop_reason": "end_turn", "usage": usage}))
    })
    .unwrap();
    let pricing = Pricing {
        cached_prompt_price_per_million: Some(1.0),
        cache_write_price_per_million: Some(12.5),
        hour_cache_write_price_per_million: Some(20.0),
        ..Pricing::new(10.0, 50.0)
    };
    let model = ModelSettings {
        pricing: Some(pricing),
        base_url: Some(server.url()),
        provider: Some(Provider::Anthropic),
        ..ModelSettings::from_name("claude")
    };
    let shared = ModelContext::open(ModelOptions {
        environment: Some([("ANTHROPIC_API_KEY".to_owned(), "key-of-a-test-server".to_owned())].into()),
        ..options(None)
    })
    .unwrap();
    let entry = Client::open(model, &shared).unwrap().ask_once(&question("a"), 0).unwrap().entry;
    let expected = (100.0 * 10.0 + 9_000.0 + 500.0 * 12.5 + 400.0 * 20.0 + 10.0 * 50.0) / 1e6;
    assert!((entry.cost_usd.unwrap() - expected).abs() < 1e-10, "{entry:?}");
}

#[test]
fn thirteen_budgets_hold_whatever_they_are() {
    // Dollars, tokens, requests at once.
    let budgets = [
        (Some(0.0), None, 8),
        (Some(0.0001), None, 8),
        (Some(0.003), None, 1),
        (Some(0.003), None, 64),
        (Some(0.01), None, 8),
        (Some(0.02), None, 64),
        (Some(0.05), None, 16),
        (Some(1.0), None, 64),
        (None, Some(0), 8),
        (None, Some(150), 1),
        (None, Some(1_000), 8),
        (None, Some(5_000), 64),
        (Some(0.01), Some(600), 16),
    ];
    for (dollars, tokens, at_once) in budgets {
        let server =
            TestServer::start(ServerBehaviour { delay: Duration::from_millis(2), ..ServerBehaviour::default() })
                .unwrap();
        let shared =
            ModelContext::open(ModelOptions { budget_usd: dollars, budget_tokens: tokens, ..options(None) }).unwrap();
        let client = Client::open(ModelSettings { concurrency: Some(at_once), ..priced(&server) }, &shared).unwrap();
        let requests = questions(100);
        let good = client.ask(&requests).iter().filter(|reply| reply.response_text().is_ok()).count();
        // A token for four letters of what is said, in and out.
        let of_reply = |text: &str| (format!("reply to {text}").len() / 4 + 1) as u64;
        let most = of_reply("question 99") * 2;
        let spent = shared.budget().spent();
        assert_eq!(good as u64, server.requests(), "{dollars:?} {tokens:?}: what is sent is answered");
        assert!(spent.tokens <= good as u64 * most, "{spent:?}");
        assert!(dollars.is_none_or(|most| spent.money.in_dollars() <= most), "{dollars:?}: {spent:?}");
        assert!(tokens.is_none_or(|most| spent.tokens <= most), "{tokens:?}: {spent:?}");
        assert_eq!(shared.budget().is_reached(), good < 100, "{dollars:?} {tokens:?}: {good}");
        println!("{dollars:?} dollars, {tokens:?} tokens, {at_once} at once: {good} of 100 sent, {spent:?}");
    }
}
