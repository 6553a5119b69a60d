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

/// The blocks of a language on a page.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coming-from").join(format!("{page}.md"));
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split(&format!("```{language}\n")).skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The cases of a file.
fn cases(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(read).collect()
}

/// Whether all that is shown is there: a page may leave fields out.
fn shows(shown: &Value, whole: &Value) -> bool {
    match (shown, whole) {
        (Value::Object(shown), Value::Object(whole)) => {
            shown.iter().all(|(key, value)| whole.get(key).is_some_and(|whole| shows(value, whole)))
        }
        (shown, whole) => shown == whole,
    }
}

/// The rows before and after on the pages, as an import gives them.
#[test]
fn pages_show_what_an_import_gives() {
    for page in ["deepeval", "ragas", "langsmith", "lm-eval"] {
        let folder = tempfile::tempdir().unwrap();
        let blocks = blocks(page, "json");
        let (before, after) = (&blocks[0], &blocks[1]);
        // A file of goldens is a list.
        let before = if page == "deepeval" { format!("[{before}]") } else { before.clone() };
        fs::write(folder.path().join("theirs.jsonl"), before).unwrap();
        run_successfully(folder.path(), &["import", "theirs.jsonl", "-o", "cases.jsonl"]);
        let case = fs::read_to_string(folder.path().join("cases.jsonl")).unwrap();
        assert_eq!(read(&case), read(after), "{page}");
    }
}

#[test]
fn the_page_on_inspect_shows_a_sample_of_a_log_and_its_case() {
    let folder = tempfile::tempdir().unwrap();
    let file = fixture("inspect.eval").display().to_string();
    run_successfully(folder.path(), &["import", &file, "-o", "cases.jsonl"]);
    let cases = cases(&folder.path().join("cases.jsonl"));
    let shown = read(&blocks("inspect", "json")[1]);
    assert!(cases.iter().any(|case| shows(&shown, case)), "{cases:?}");
}

#[test]
fn the_page_on_openai_evals_shows_the_configuration_and_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["eval.json", "run.json", "output_items.jsonl"]
        .map(|name| fixture("openai_platform").join(name).display().to_string());
    let mut words = vec!["import"];
    words.extend(files.iter().map(String::as_str));
    words.extend(["-o", "probare.yaml"]);
    run_successfully(folder.path(), &words);
    let written = fs::read_to_string(folder.path().join("probare.yaml")).unwrap();
    for line in blocks("openai-evals", "yaml")[0].lines() {
        assert!(written.lines().any(|other| other == line), "`{line}` is not in {written}");
    }
    let grader = read(&blocks("openai-evals", "json")[0]);
    let eval = read(&fs::read_to_string(fixture("openai_platform").join("eval.json")).unwrap());
    assert!(shows(&grader, &eval["testing_criteria"][0]), "{eval}");
    let cases = cases(&folder.path().join("probare.cases.jsonl"));
    let shown = read(&blocks("openai-evals", "json")[1]);
    assert!(shows(&shown, &cases[0]), "{}", cases[0]);
}

#[test]
fn the_page_on_promptfoo_shows_a_configuration_and_what_becomes_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let (before, after) = {
        let mut blocks = blocks("promptfoo", "yaml").into_iter();
        (blocks.next().unwrap(), blocks.next().unwrap())
    };
    fs::write(folder.path().join("promptfooconfig.yaml"), before).unwrap();
    run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "-o", "probare.yaml"]);
    let written = fs::read_to_string(folder.path().join("probare.yaml")).unwrap();
    assert_eq!(written.split_once('\n').unwrap().1, after);
    let cases = cases(&folder.path().join("probare.cases/echo-1-prompt-2.jsonl"));
    assert_eq!(cases, [read(&blocks("promptfoo", "json")[0])]);
}
