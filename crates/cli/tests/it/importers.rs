//! `probare import` on a file of every tool: what would be lost is listed, and nothing is written.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::run_successfully;

/// A file of each tool, and words of what its import says to lose.
const FILES: [(&str, &str, &str); 10] = [
    ("deepeval.json", "deepeval: 3 cases", "lost: traces, spans, prompts, thresholds"),
    ("deepeval_goldens.json", "deepeval: 3 cases, 3 without a response", "lost: traces"),
    ("ragas_results.jsonl", "ragas: 3 cases; its scores: faithfulness", "lost: which metric had which settings"),
    ("langsmith_runs.jsonl", "langsmith: 3 cases", "lost: runs inside of other runs"),
    ("langfuse_observations.jsonl", "langfuse: 3 cases", "lost: observations inside of others"),
    ("inspect.eval", "inspect: 6 cases", "lost: events, store, plan"),
    ("samples_own_words.jsonl", "lm-eval: 3 cases", "lost: results of the whole set"),
    ("openai_evals.jsonl", "openai-evals: 2 cases", "lost: the final report"),
    ("every_eval_ever.jsonl", "every-eval-ever: 3 cases, 1 without a response; its scores: score", ""),
    ("promptfoo.json", "promptfoo: 3 cases", "lost: configuration, prompts as templates"),
];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(name)
}

#[test]
fn a_dry_run_lists_what_would_be_lost_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, cases, lost) in FILES {
        let file = fixture(name).display().to_string();
        let said = run_successfully(folder.path(), &["import", &file, "-o", "cases.jsonl", "--dry-run"]);
        assert!(said.contains(cases) && said.contains(lost), "{name}: {said}");
        assert!(said.contains("nothing was written"), "{name}: {said}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// The rows before and after on the pages, as an import gives them.
#[test]
fn pages_show_what_an_import_gives() {
    for page in ["deepeval", "ragas", "langsmith", "lm-eval"] {
        let folder = tempfile::tempdir().unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coming-from").join(format!("{page}.md"));
        let text = fs::read_to_string(path).unwrap();
        let mut blocks =
            text.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default().trim());
        let (before, after) = (blocks.next().unwrap(), blocks.next().unwrap());
        // A file of goldens is a list.
        let before = if page == "deepeval" { format!("[{before}]") } else { before.to_owned() };
        fs::write(folder.path().join("theirs.jsonl"), before).unwrap();
        run_successfully(folder.path(), &["import", "theirs.jsonl", "-o", "cases.jsonl"]);
        let case = fs::read_to_string(folder.path().join("cases.jsonl")).unwrap();
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(read(&case), read(after), "{page}");
    }
}
