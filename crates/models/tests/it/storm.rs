//! Many questions, a tenth of them in trouble: nothing is lost, nothing is asked twice, the counts add up.

use std::time::Duration;

use probare_core::{ErrorKind, ReplyContent};
use probare_models::ModelSettings;
use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::support::{open, options, questions, settings};

#[test]
fn every_question_ends_and_the_second_run_asks_nothing() {
    let count = 2000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replies.db");
    let behaviour =
        ServerBehaviour { share: 0.1, slow: Duration::from_secs(20), retry_after: 0, ..ServerBehaviour::default() };
    let server = TestServer::start(behaviour).unwrap();
    let requests = questions(count);
    let (client, shared) = {
        let shared = probare_models::ModelContext::open(options(Some(&path))).unwrap();
        let settings = ModelSettings { timeout: Some(6.0), concurrency: Some(64), ..settings(&server) };
        (probare_models::Client::open(settings, &shared).unwrap(), shared)
    };
    let replies = client.ask(&requests);

    assert_eq!(replies.len(), count);
    let mut failed = 0;
    for (number, reply) in replies.iter().enumerate() {
        match &reply.content {
            ReplyContent::Text(text) => assert_eq!(text, &format!("reply to question {number}")),
            ReplyContent::Truncated(text) => panic!("{text}"),
            ReplyContent::Refused(words) => assert_eq!(words, "I will not answer"),
            ReplyContent::Failed { kind, reason } => {
                failed += 1;
                assert!(matches!(kind, ErrorKind::Failed | ErrorKind::TimedOut), "{reason}");
                assert!(reason.contains("`test`"), "{reason}");
            }
        }
    }
    let counts = shared.counts();
    assert_eq!(counts.asked, count as u64);
    assert_eq!(counts.replayed, 0);
    assert_eq!(counts.failed, failed);
    assert_eq!(counts.replied + counts.refused + counts.failed, counts.asked);
    // Every attempt reached the server, and every good reply of the server reached somebody, once.
    assert_eq!(counts.attempts, server.requests());
    let seen = server.question_stats();
    assert_eq!(seen.len(), count);
    assert!(seen.values().all(|seen| seen.answered <= 1), "a reply was asked for twice");
    let answered: u64 = seen.values().map(|seen| seen.answered).sum();
    assert_eq!(answered, counts.replied + counts.refused);
    let troubles = server.troubles();
    assert!(Trouble::ALL.iter().all(|kind| troubles.contains_key(kind)), "{troubles:?}");
    // Only a reply that is too long is given up at once; six troubles in a row are rare.
    assert!(failed <= troubles[&Trouble::Huge] + 2, "{failed} failed: {troubles:?}");

    drop((client, shared));
    let before = server.requests();
    let (client, shared) = open(&server, Some(&path));
    let lasting: Vec<_> = requests.iter().zip(&replies).filter(|(_, reply)| !failed_reply(reply)).collect();
    let again = client.ask(&lasting.iter().map(|(question, _)| (*question).clone()).collect::<Vec<_>>());
    assert!(again.iter().zip(&lasting).all(|(again, (_, first))| again == *first));
    assert_eq!(server.requests(), before, "the second run asks nothing");
    assert_eq!(shared.counts().replayed, lasting.len() as u64);
}

fn failed_reply(reply: &probare_core::ModelReply) -> bool {
    matches!(reply.content, ReplyContent::Failed { .. })
}
