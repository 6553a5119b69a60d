//! What the originals promise, through the command line: examples without data, graders that are down, variables, published forms.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{self, both_streams, code};

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = program::command(folder, arguments);
    for name in ["GRADER_BASE_URL", "GRADER_API_KEY", "SGI_DATA_DIR", "SGI_EXECUTION_TIMEOUT"] {
        command.env_remove(name);
    }
    program::name_config(&mut command, folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program starts")
}

fn put(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn every_plain_command_runs_on_the_example_that_the_program_carries() {
    for arguments in [
        &["synthesis"][..],
        &["socioscope", "--out", "results"],
        &["synthlink", "--output-dir", "results"],
        &["quotes"],
        &["rag", "eval"],
        &["sgi", "score"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output = run(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", both_streams(&output));
        let remark = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(remark.contains("this is the example that the program carries (bundled:"), "{arguments:?}: {remark}");
        let mut with_report = arguments.to_vec();
        with_report.extend(["-o", "report.jsonl"]);
        let output = run(folder.path(), &with_report);
        assert_eq!(code(&output), 0, "{with_report:?}: {}", both_streams(&output));
        let verified = run(folder.path(), &["verify", "report.jsonl"]);
        assert_eq!(code(&verified), 0, "{arguments:?}: {}", both_streams(&verified));
    }
    // A file that is named and not there is an error as before.
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["synthesis", "--cases", "mine.jsonl"])), 1);
    assert_eq!(code(&run(folder.path(), &["synthlink", "--predictions", "mine.json"])), 1);
}

const ROWS: &str = "{\"idx\": \"a\", \"question\": \"Q?\", \"answer\": \"7\", \"steps\": [\"s\"]}\n{\"idx\": \"b\", \"question\": \"R?\", \"answer\": \"8\", \"steps\": [\"s\"]}\n";
const OUTPUTS: &str =
    "{\"idx\": \"a\", \"response\": \"<answer>7</answer>\"}\n{\"idx\": \"b\", \"response\": \"<answer>9</answer>\"}\n";

/// A grader that does not answer while a file `down` is there, says nothing of use while there is `garbage`, and calls every
/// step correct otherwise.
const GRADER: &str = r#"cat >/dev/null
[ -e down ] && { echo "status 401: no such key" >&2; exit 1; }
[ -e garbage ] && { echo '{"text": "I would rather not say."}'; exit; }
echo '{"text": "[{\"solution_step\": \"s\", \"reason\": \"r\", \"judge\": \"correct\"}]"}'
"#;

const PROJECT: &str = "models:\n  - {name: grader, provider: command, command: [sh, grader.sh]}\njudges: [grader]\n";

fn research() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "rows.jsonl", ROWS);
    put(folder.path(), "outputs.jsonl", OUTPUTS);
    put(folder.path(), "grader.sh", GRADER);
    folder
}

const SCORE: [&str; 7] = ["sgi", "score", "deep", "--data", "rows.jsonl", "--predictions", "outputs.jsonl"];

#[test]
fn graders_come_from_the_variables_of_the_guide_or_from_the_configuration() {
    let folder = research();
    let nobody = run(folder.path(), &SCORE);
    assert_eq!(code(&nobody), 64, "{}", both_streams(&nobody));
    assert!(both_streams(&nobody).contains("GRADER_BASE_URL, GRADER_API_KEY"), "{}", both_streams(&nobody));
    put(folder.path(), "probare.yaml", PROJECT);
    let configured = run(folder.path(), &SCORE);
    assert_eq!(code(&configured), 0, "{}", both_streams(&configured));
    assert!(both_streams(&configured).contains("50.00   2 scored, 0 failed"), "{}", both_streams(&configured));
    // The variables come before the configuration: nobody is at that address.
    let mut by_variables = command(folder.path(), &SCORE);
    by_variables.env("SGI_DR_GRADER_MODEL", "replay:nowhere.jsonl");
    let by_variables = by_variables.output().unwrap();
    assert!(
        code(&by_variables) != 0 && both_streams(&by_variables).contains("nowhere.jsonl"),
        "{}",
        both_streams(&by_variables)
    );
}

#[test]
fn a_grader_that_is_down_is_loud_and_its_garbage_is_counted() {
    let folder = research();
    put(folder.path(), "probare.yaml", PROJECT);
    put(folder.path(), "down", "");
    let down = run(folder.path(), &SCORE);
    assert_eq!(code(&down), 1, "{}", both_streams(&down));
    let text = both_streams(&down);
    assert!(text.contains("–   0 scored, 2 failed") && text.contains("2 failed: ") && text.contains("401"), "{text}");
    assert!(text.contains("SGI-4 incomplete"), "{text}");
    fs::remove_file(folder.path().join("down")).unwrap();
    put(folder.path(), "garbage", "");
    let garbage = run(folder.path(), &SCORE);
    assert_eq!(code(&garbage), 0, "{}", both_streams(&garbage));
    let text = both_streams(&garbage);
    assert!(text.contains("2 scored, 0 failed; 2 replies of graders could not be read and count 0"), "{text}");
}

const GUIDE: &str = "models:\n  - {name: tested, provider: command, command: [sh, tested.sh]}\ndatasets:\n  - {dataset_id: sgibench-deepresearch}\nrun: {output_dir: out}\ngraders:\n  models:\n    - {name: grader, provider: command, command: [sh, grader.sh]}\n  deep_research: grader\n";

#[test]
fn a_guide_is_run_and_resumed_like_any_configuration() {
    let folder = research();
    let place = folder.path();
    put(place, "guide.yaml", GUIDE);
    put(place, "tested.sh", "cat >/dev/null; echo '{\"text\": \"<answer>7</answer>\"}'\n");
    let nowhere = run(place, &["run", "guide.yaml"]);
    assert!(
        code(&nowhere) == 1 && both_streams(&nowhere).contains("deep_research/test.jsonl"),
        "{}",
        both_streams(&nowhere)
    );
    put(place, "data/sgibench/deep_research/test.jsonl", ROWS);
    let valid = run(place, &["validate", "guide.yaml"]);
    assert_eq!(code(&valid), 0, "{}", both_streams(&valid));
    assert!(
        both_streams(&valid).contains("configuration of SGI-Bench, 1 model, 1 subtask"),
        "{}",
        both_streams(&valid)
    );
    let planned = run(place, &["run", "guide.yaml", "--dry-run"]);
    assert!(
        code(&planned) == 0 && both_streams(&planned).contains("2 samples through 1 metric"),
        "{}",
        both_streams(&planned)
    );
    put(place, "down", "");
    let down = run(place, &["run", "guide.yaml"]);
    assert_eq!(code(&down), 1, "{}", both_streams(&down));
    assert!(both_streams(&down).contains("0 scored, 2 failed"), "{}", both_streams(&down));
    fs::remove_file(place.join("down")).unwrap();
    let again = run(place, &["resume", "--retry", "failed"]);
    assert_eq!(code(&again), 0, "{}", both_streams(&again));
    assert!(
        both_streams(&again).contains("2 samples again") && both_streams(&again).contains("2 scored, 0 failed"),
        "{}",
        both_streams(&again)
    );
    // A grader that answers garbage counts 0 by the published rule, and can be asked again.
    put(place, "garbage", "");
    let garbage = run(place, &["sgi", "run", "guide.yaml", "--overwrite"]);
    assert!(both_streams(&garbage).contains("2 replies of graders could not be read"), "{}", both_streams(&garbage));
    fs::remove_file(place.join("garbage")).unwrap();
    let again = run(place, &["resume", "2", "--retry", "unparseable"]);
    assert!(both_streams(&again).contains("2 samples again"), "{}", both_streams(&again));
    assert!(!both_streams(&again).contains("could not be read"), "{}", both_streams(&again));
    put(place, "garbage", "");
    run(place, &["sgi", "run", "guide.yaml", "--overwrite"]);
    fs::remove_file(place.join("garbage")).unwrap();
    let again = run(place, &["sgi", "run", "guide.yaml", "--overwrite"]);
    assert!(!both_streams(&again).contains("could not be read"), "{}", both_streams(&again));
    let mut wrong = command(place, &["run", "guide.yaml"]);
    wrong.env("SGI_EXECUTION_TIMEOUT", "abc");
    let wrong = wrong.output().unwrap();
    assert_eq!(code(&wrong), 64, "{}", both_streams(&wrong));
    assert!(both_streams(&wrong).contains("`SGI_EXECUTION_TIMEOUT` is `abc`"), "{}", both_streams(&wrong));
    let mut wrong = command(place, &SCORE);
    wrong.env("SGI_EXECUTION_TIMEOUT", "abc");
    let wrong = wrong.output().unwrap();
    assert!(code(&wrong) == 64 && both_streams(&wrong).contains("SGI_EXECUTION_TIMEOUT"), "{}", both_streams(&wrong));
}

#[test]
fn published_forms_keep_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    put(place, "empty.jsonl", "\n");
    let nothing = run(place, &["synthesis", "--cases", "empty.jsonl"]);
    assert_eq!(code(&nothing), 1, "{}", both_streams(&nothing));
    assert!(
        !both_streams(&nothing).contains("passed!") && both_streams(&nothing).contains("holds no case"),
        "{}",
        both_streams(&nothing)
    );
    assert!(!place.join("out/report.json").exists());
    let checked = run(place, &["synthesis"]);
    assert!(both_streams(&checked).contains("Matched in cases that failed:"), "{}", both_streams(&checked));
    assert!(place.join("out/report.matches.json").exists());
    put(place, "conv.json", "{\"query\": \"What does it cost?\", \"response\": \"It costs $5.\"}");
    put(place, "ctx.json", "{\"context\": [\"It costs $5.\"]}");
    let printed = run(place, &["rag", "eval", "--conv", "conv.json", "--ctx", "ctx.json", "--out", "-"]);
    assert_eq!(code(&printed), 0, "{}", both_streams(&printed));
    assert!(serde_json::from_slice::<serde_json::Value>(&printed.stdout).is_ok(), "{}", both_streams(&printed));
    assert!(!place.join("-").exists());
}

#[test]
fn a_model_judges_beside_the_published_measures_and_never_in_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let plain = run(place, &["synthlink", "--output-dir", "plain"]);
    assert_eq!(code(&plain), 0, "{}", both_streams(&plain));
    let cassette = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/synthlink/judge.jsonl");
    let judge = format!("replay:{}", cassette.display());
    let judged = run(place, &["synthlink", "--output-dir", "judged", "--judge", &judge, "-o", "r.jsonl"]);
    assert_eq!(code(&judged), 0, "{}", both_streams(&judged));
    assert!(
        both_streams(&judged).contains("Judged by a model (beside the published measures):"),
        "{}",
        both_streams(&judged)
    );
    for name in ["synthlink_scores.csv", "synthlink_category_scores.csv", "synthlink_overall_score.txt"] {
        let read = |folder: &str| fs::read(place.join(folder).join(name)).unwrap();
        assert_eq!(read("plain"), read("judged"), "{name}");
    }
    let rows = fs::read_to_string(place.join("judged/synthlink_judged_scores.csv")).unwrap();
    assert!(
        rows.starts_with("question_id,category,rqs,judged_rqs,fcs,judged_fcs\n") && rows.lines().count() == 13,
        "{rows}"
    );
    let verified = run(place, &["verify", "r.jsonl"]);
    assert_eq!(code(&verified), 0, "{}", both_streams(&verified));
}
