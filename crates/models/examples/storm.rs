//! Asks a local server many questions, a tenth of which meet trouble, and says what became of them.
//!
//! `cargo run -p probare-models --release --example storm -- [QUESTIONS] [CONCURRENCY] [SHARE OF TROUBLE]`

use std::time::{Duration, Instant};

use probare_core::{ChatRequest, Message, ModelReply, ReplyContent};
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings};
use probare_testing::{ServerBehaviour, TestServer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let concurrency: u32 = arguments.next().map_or(Ok(256), |text| text.parse())?;
    let share: f64 = arguments.next().map_or(Ok(0.1), |text| text.parse())?;
    let folder = tempfile::tempdir()?;
    let record = folder.path().join("replies.db");
    let behaviour =
        ServerBehaviour { share, slow: Duration::from_mins(1), retry_after: 0, ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour)?;
    let questions: Vec<ChatRequest> = (0..count)
        .map(|number| ChatRequest {
            messages: vec![Message::user(format!("question {number}"))],
            ..ChatRequest::default()
        })
        .collect();

    let first = run(&server, &record, concurrency, &questions)?;
    println!("troubles: {:?}", server.troubles());
    let seen = server.question_stats();
    let answered: u64 = seen.values().map(|seen| seen.answered).sum();
    let twice = seen.values().filter(|seen| seen.answered > 1).count();
    println!(
        "the server answered {answered} of {count} questions in {} requests, {twice} of them twice",
        server.requests()
    );

    let lasting: Vec<(ChatRequest, ModelReply)> = questions
        .into_iter()
        .zip(first)
        .filter(|(_, reply)| !matches!(reply.content, ReplyContent::Failed { .. }))
        .collect();
    let before = server.requests();
    let again: Vec<ChatRequest> = lasting.iter().map(|(question, _)| question.clone()).collect();
    let second = run(&server, &record, concurrency, &again)?;
    let same = second.iter().zip(&lasting).filter(|(again, (_, first))| *again == first).count();
    let sent = server.requests() - before;
    println!("second run: {same} of {} replies are the same, {sent} requests were sent", lasting.len());
    if twice > 0 || sent > 0 || same != lasting.len() || seen.len() != count {
        return Err("a promise was broken".into());
    }
    Ok(())
}

fn run(
    server: &TestServer,
    record: &std::path::Path,
    concurrency: u32,
    questions: &[ChatRequest],
) -> Result<Vec<ModelReply>, Box<dyn std::error::Error>> {
    let shared = ModelContext::open(ModelOptions {
        record: Some(record.into()),
        ..ModelOptions::new(probare_core::Trust::Trusted)
    })?;
    let settings = ModelSettings {
        base_url: Some(format!("{}/v1", server.url())),
        concurrency: Some(concurrency),
        timeout: Some(8.0),
        retry_wait: Some(0.02),
        ..ModelSettings::from_name("test")
    };
    let client = Client::open(settings, &shared)?;
    let start = Instant::now();
    let replies = client.ask(questions);
    let counts = shared.counts();
    println!("{counts:?} in {:.1} s", start.elapsed().as_secs_f64());
    if counts.asked != questions.len() as u64 || replies.len() != questions.len() {
        return Err("the counts do not add up".into());
    }
    Ok(replies)
}
