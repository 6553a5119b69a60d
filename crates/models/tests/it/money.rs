//! Budgets: never exceeded by more than what was under way, whether the provider says what a call took or not.

use std::time::Duration;

use probare_models::prices::Pricing;
use probare_models::{Client, GeneratorType, ModelSettings, Options, Shared, list};
use probare_testing::{Behaviour, Server, Trouble};

use crate::support::{options, question, questions, settings};

fn priced(server: &Server) -> ModelSettings {
    ModelSettings {
        max_tokens: Some(100),
        concurrency: Some(64),
        pricing: Some(Pricing { prompt_price_per_million: 10.0, completion_price_per_million: 20.0 }),
        ..settings(server)
    }
}

/// Asks 400 questions with a budget; requests that were sent, dollars that were booked, dollars of one call at most.
fn asked(budget: f64, trouble: Option<Trouble>) -> (u64, f64, f64, usize) {
    let troubles = trouble.into_iter().collect::<Vec<_>>();
    let share = if troubles.is_empty() { 0.0 } else { 1.0 };
    let delay = Duration::from_millis(5);
    let server = Server::start(Behaviour { delay, share, troubles, ..Behaviour::default() }).unwrap();
    let shared = Shared::open(Options { budget_usd: Some(budget), ..options(None) }).unwrap();
    let client = Client::open(priced(&server), &shared).unwrap();
    let replies = client.ask(&questions(400));
    let good = replies.iter().filter(|reply| reply.read().is_ok()).count();
    let reached = replies.iter().filter(|reply| format!("{reply:?}").contains("budget is reached")).count();
    assert_eq!(good + reached, 400);
    // A token for every byte of the body, and the longest reply.
    let bytes = server.arrived().iter().map(|request| request.split("\r\n\r\n").nth(1).unwrap().len()).max().unwrap();
    let most = bytes as f64 * 10.0 / 1e6 + 100.0 * 20.0 / 1e6;
    (server.requests(), shared.budget().spent().money.in_dollars(), most, good)
}

#[test]
fn a_budget_holds_with_usage_and_without_64_at_once() {
    for budget in [0.02, 0.05] {
        let (with, spent, _, good) = asked(budget, None);
        assert!(spent <= budget && with == good as u64, "{with} requests, {spent} of {budget}");
        let (without, booked, most, good) = asked(budget, Some(Trouble::NoUsage));
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
    let server = Server::start(Behaviour { script: vec![Trouble::NullContent], ..Behaviour::default() }).unwrap();
    let shared = Shared::open(options(Some(&folder.path().join("replies.db")))).unwrap();
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
    let server = Server::start(Behaviour { script: vec![Trouble::NoUsage], ..Behaviour::default() }).unwrap();
    let shared = Shared::open(options(None)).unwrap();
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
        let behaviour = Behaviour { share, troubles: vec![Trouble::NoUsage], ..Behaviour::default() };
        let (server, folder) = (Server::start(behaviour).unwrap(), tempfile::tempdir().unwrap());
        let record = folder.path().join("replies.db");
        let shared = Shared::open(Options { budget_usd: Some(1.0), ..options(Some(&record)) }).unwrap();
        let vectors =
            ModelSettings { generator_type: Some(GeneratorType::Embedding), max_tokens: None, ..priced(&server) };
        let replies = Client::open(vectors, &shared).unwrap().embed(&texts);
        assert!(replies.iter().all(|reply| reply.read().is_ok()), "{replies:?}");
        assert_eq!(server.requests(), 1, "one request for all");
        let spent = shared.budget().spent();
        let most = bytes as f64 * 10.0 / 1e6;
        assert_eq!(list(&record).unwrap()[0].replies, 20, "each has its own");
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
    let server = Server::start(Behaviour::default()).unwrap();
    let limited = || ModelSettings { requests_per_minute: Some(600), ..settings(&server) };
    let start = std::time::Instant::now();
    std::thread::scope(|scope| {
        for number in 0..3 {
            scope.spawn(move || {
                let shared = Shared::open(options(None)).unwrap();
                let asked: Vec<_> = (0..9).map(|at| question(format!("{number} {at}"))).collect();
                Client::open(limited(), &shared).unwrap().ask(&asked);
            });
        }
    });
    // Ten at once, then ten a second: 27 take 1.7 seconds, whoever asks.
    assert!(start.elapsed() >= Duration::from_millis(1600), "{:?}", start.elapsed());
}
