//! Nothing is lost by `synthesis` and `rag eval`: outputs are no inputs, older reports stay, devices end in an error.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probare"));
    command.current_dir(folder).env_remove("NO_COLOR").args(arguments).output().expect("the program starts")
}

const EXCHANGE: &str = "{\"id\": \"A-1\", \"user\": \"I'm scared.\", \"assistant\": \"You'll be fine.\", \
                        \"checks\": [\"unverifiable_reassurance\"]}\n";
const ROW: &str = "{\"id\": \"1\", \"query\": \"What does it cost?\", \"response\": \"It costs $5.\", \
                   \"context\": [\"It costs $5.\"]}\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("exchanges.jsonl", EXCHANGE);
    write("rows.jsonl", ROW);
    write("conv.json", "{\"query\": \"What does it cost?\", \"response\": \"It costs $5.\"}");
    write("ctx.json", "{\"context\": [\"It costs $5.\"]}");
    folder
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Runs that must be refused, with the input that must stay.
fn refused(folder: &Path, arguments: &[&str], input: &str) {
    let before = text(folder, input);
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(64), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text(folder, input), before, "{arguments:?}");
}

#[test]
fn a_report_of_a_suite_is_never_one_of_its_inputs() {
    let folder = folder();
    let at = folder.path();
    refused(at, &["synthesis", "--cases", "exchanges.jsonl", "--out", "exchanges.jsonl"], "exchanges.jsonl");
    refused(at, &["rag", "eval", "--cases", "rows.jsonl", "--out", "rows.jsonl"], "rows.jsonl");
    refused(at, &["rag", "eval", "--conv", "conv.json", "--ctx", "ctx.json", "--out", "conv.json"], "conv.json");
    refused(at, &["rag", "eval", "--conv", "conv.json", "--ctx", "ctx.json", "--out", "ctx.json"], "ctx.json");
}

#[cfg(unix)]
#[test]
fn a_link_to_an_input_is_that_input() {
    let folder = folder();
    let at = folder.path();
    std::os::unix::fs::symlink("exchanges.jsonl", at.join("report.json")).unwrap();
    std::os::unix::fs::symlink("rows.jsonl", at.join("reports.jsonl")).unwrap();
    refused(at, &["synthesis", "--cases", "exchanges.jsonl", "--out", "report.json"], "exchanges.jsonl");
    refused(at, &["rag", "eval", "--cases", "rows.jsonl", "--out", "reports.jsonl"], "rows.jsonl");
}

#[test]
fn a_missing_input_leaves_the_older_report() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("old.json"), "old").unwrap();
    for arguments in [
        ["synthesis", "--cases", "nothing.jsonl", "--out", "old.json"].as_slice(),
        &["rag", "eval", "--cases", "nothing.jsonl", "--out", "old.json"],
        &["rag", "eval", "--conv", "conv.json", "--ctx", "nothing.json", "--out", "old.json"],
    ] {
        assert_eq!(run(at, arguments).status.code(), Some(1), "{arguments:?}");
        assert_eq!(text(at, "old.json"), "old", "{arguments:?}");
    }
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let folder = folder();
    let colours = |more: &[&str]| {
        let arguments = [&["synthesis", "--cases", "exchanges.jsonl"], more].concat();
        run(folder.path(), &arguments).stdout.contains(&0x1b)
    };
    assert!(!colours(&[]) && !colours(&["--color", "never"]) && colours(&["--color", "always"]));
}

#[test]
fn the_time_of_an_exchange_is_what_its_case_says() {
    let folder = folder();
    let at = folder.path();
    let row = ROW.replace("\"id\"", "\"metadata\": {\"latency_ms\": 2500.0}, \"id\"");
    fs::write(at.join("slow.jsonl"), row).unwrap();
    let slow = run(at, &["rag", "eval", "--cases", "slow.jsonl"]).stdout;
    let report: serde_json::Value = serde_json::from_slice(&slow).unwrap();
    assert_eq!(report["metrics"]["latency_ms"], 2500.0);
    let reasons = report["verdict"]["reasons"].as_array().unwrap();
    assert!(reasons.contains(&"Latency > 2000ms".into()), "{reasons:?}");
    let unknown = run(at, &["rag", "eval", "--cases", "rows.jsonl"]).stdout;
    let report: serde_json::Value = serde_json::from_slice(&unknown).unwrap();
    assert_eq!(report["metrics"]["latency_ms"], serde_json::Value::Null);
    let reasons = report["verdict"]["reasons"].as_array().unwrap();
    assert!(!reasons.contains(&"Latency > 2000ms".into()), "{reasons:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_without_an_end_is_a_clear_error() {
    let folder = folder();
    for arguments in
        [["synthesis", "--cases", "/dev/zero"].as_slice(), &["rag", "eval", "--conv", "/dev/zero", "--ctx", "ctx.json"]]
    {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("longer than 256 MiB"), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn recorded_replies_lie_beside_the_guide_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let guides = folder.path().join("guides");
    fs::create_dir_all(guides.join("sgi")).unwrap();
    fs::copy(examples.join("sgi.yaml"), guides.join("sgi.yaml")).unwrap();
    for name in ["data", "replies"] {
        std::os::unix::fs::symlink(examples.join("sgi").join(name), guides.join("sgi").join(name)).unwrap();
    }
    let output = run(folder.path(), &["sgi", "run", "guides/sgi.yaml", "--offline", "--limit", "1"]);
    let told = String::from_utf8_lossy(&output.stderr);
    // Without the embedding model one of the four is left out, which the run says and ends with.
    let wanted = i32::from(told.contains("probare models pull"));
    assert_eq!(output.status.code(), Some(wanted), "{told}");
    assert!(guides.join("sgi/out").is_dir(), "{told}");
    assert!(!folder.path().join("sgi").exists(), "{told}");
}
