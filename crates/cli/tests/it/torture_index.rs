//! Indexing that is killed at random moments: what was there answers all the while, and the next start completes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::torture::{Dice, setting};

use crate::program::PROGRAM;

/// A corpus with a word that tells which one it is.
fn write_corpus(folder: &Path, round: u64) {
    let mut lines = String::new();
    for document in 0..2000 {
        let text = format!(
            "Document {document} of the harbour. The boats came back late. It rained for {} days. ",
            document % 97
        );
        lines.push_str(&format!(
            "{{\"FILE\": \"d{document}\", \"YEAR\": {}, \"text\": \"{}\"}}\n",
            2000 + document % 20,
            text.repeat(3)
        ));
    }
    fs::write(folder.join("many.jsonl"), lines).unwrap();
    // This one changes, and with it what is found.
    fs::write(folder.join("token.txt"), format!("The word of this round is zanzibar{round}.")).unwrap();
}

fn index(folder: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["rag", "index", "corpus", "-o", "index", "--no-vectors"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The round whose word is found; a search that fails is a failure of the test.
fn round_found(folder: &Path, rounds: u64) -> u64 {
    let words: Vec<String> = (0..=rounds).map(|round| format!("zanzibar{round}")).collect();
    let searched = Command::new(PROGRAM)
        .args(["rag", "search", "index", &words.join(" "), "-k", "1", "--mode", "words", "--json"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(searched.status.success(), "{}", String::from_utf8_lossy(&searched.stderr));
    let json: serde_json::Value = serde_json::from_slice(&searched.stdout).unwrap();
    let text = json["hits"][0]["text"].as_str().unwrap();
    text.rsplit("zanzibar").next().unwrap().trim_end_matches('.').parse().unwrap()
}

#[test]
fn torture_of_indexes() {
    let kills = setting("PROBARE_TORTURE_KILLS", 8).min(50);
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    fs::create_dir(&corpus).unwrap();
    write_corpus(&corpus, 0);
    let started = Instant::now();
    assert!(index(folder.path()).status().unwrap().success());
    let whole = started.elapsed();
    let mut dice = Dice(31);
    let (mut killed, mut answered_meanwhile) = (0, 0);
    for round in 1..=kills {
        write_corpus(&corpus, round);
        let mut child = index(folder.path()).spawn().unwrap();
        let is_over = AtomicBool::new(false);
        let answered = AtomicU64::new(0);
        thread::scope(|scope| {
            // Somebody searches all the while.
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let found = round_found(folder.path(), kills);
                    assert!(found == round - 1 || found == round, "round {round} answered {found}");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
            let moment = whole.mul_f64(dice.roll(1000) as f64 / 1000.0);
            thread::sleep(moment.max(Duration::from_millis(1)));
            let is_running = child.try_wait().unwrap().is_none();
            killed += u64::from(is_running);
            let _ = child.kill();
            let _ = child.wait();
            is_over.store(true, Ordering::Relaxed);
        });
        answered_meanwhile += answered.load(Ordering::Relaxed);
        let found = round_found(folder.path(), kills);
        assert!(found == round - 1 || found == round, "after the kill of round {round} the word of {found} was found");
        assert!(index(folder.path()).status().unwrap().success(), "the start after the kill of round {round} failed");
        assert_eq!(round_found(folder.path(), kills), round);
    }
    let left: Vec<_> =
        fs::read_dir(folder.path().join("index")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "CURRENT, LOCK and one generation: {left:?}");
    println!("{kills} builds, {killed} of them killed; {answered_meanwhile} searches answered meanwhile");
    assert!(killed > 0);
}
