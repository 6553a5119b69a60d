//! Nothing is lost: inputs are never written to, files appear whole or not at all, a closed pipe or a signal ends what it
//! should and nothing else.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::{PROGRAM, code, command, run, stderr};

fn rows(count: usize) -> String {
    let row = |number| format!("{{\"id\":\"{number}\",\"response\":\"a b\",\"reference\":\"a\"}}\n");
    (0..count).map(row).collect::<Vec<_>>().concat()
}

fn folder_with_rows(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.jsonl"), rows(count)).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_output_that_is_an_input_is_refused_before_anything_is_opened() {
    let folder = folder_with_rows(3);
    let at = |name: &str| folder.path().join(name);
    fs::hard_link(at("in.jsonl"), at("hard.jsonl")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("in.jsonl", at("soft.jsonl")).unwrap();
    for output in ["in.jsonl", "./in.jsonl", "hard.jsonl", "soft.jsonl"] {
        let run = run(folder.path(), &["score", "in.jsonl", "-m", "token_f1", "-o", output]);
        assert_eq!(code(&run), 64, "{output}: {}", stderr(&run));
        assert!(stderr(&run).contains("it is an input"), "{}", stderr(&run));
        assert_eq!(fs::read_to_string(at("in.jsonl")).unwrap(), rows(3));
    }
}

#[test]
fn a_manifest_does_not_overwrite_an_input_either() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.jsonl.run.json"), rows(3)).unwrap();
    let arguments = ["score", "r.jsonl.run.json", "--format", "jsonl", "-m", "token_f1", "-o", "r.jsonl"];
    let run = run(folder.path(), &arguments);
    assert_eq!(code(&run), 64, "{}", stderr(&run));
    assert_eq!(fs::read_to_string(folder.path().join("r.jsonl.run.json")).unwrap(), rows(3));
}

#[test]
fn an_input_under_the_name_of_a_partial_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.jsonl.partial"), rows(3)).unwrap();
    let arguments = ["score", "r.jsonl.partial", "--format", "jsonl", "-m", "token_f1", "-o", "r.jsonl"];
    let run = run(folder.path(), &arguments);
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    assert_eq!(fs::read_to_string(folder.path().join("r.jsonl.partial")).unwrap(), rows(3));
    assert_eq!(names(folder.path()), ["r.jsonl", "r.jsonl.partial", "r.jsonl.run.json"]);
}

#[cfg(unix)]
#[test]
fn a_link_under_the_name_of_a_partial_file_harms_nobody() {
    let folder = folder_with_rows(3);
    let victim = folder.path().join("victim.txt");
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink("victim.txt", folder.path().join("s.jsonl.partial")).unwrap();
    assert_eq!(code(&run(folder.path(), &["score", "in.jsonl", "-m", "token_f1", "-o", "s.jsonl"])), 0);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn the_same_report_twice_is_a_clear_mistake() {
    let folder = folder_with_rows(3);
    let run = run(folder.path(), &["score", "in.jsonl", "-m", "token_f1", "-o", "r.html", "-o", "./r.html"]);
    assert_eq!(code(&run), 64);
    assert!(stderr(&run).contains("would be written twice"), "{}", stderr(&run));
    assert_eq!(names(folder.path()), ["in.jsonl"]);
}

/// Reads the first bytes of what the program prints and closes the pipe.
fn after_a_glance(mut child: Child) -> i32 {
    let mut first = [0; 64];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    child.wait().unwrap().code().expect("it ends by itself")
}

#[test]
fn a_closed_pipe_ends_the_printing_and_not_the_run() {
    let folder = folder_with_rows(20_000);
    let arguments = ["score", "in.jsonl", "-m", "token_f1", "-q", "--fail-under", "token_f1=0.99"];
    let child = command(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(after_a_glance(child), 2, "the gate holds");

    let arguments = ["score", "in.jsonl", "-m", "token_f1", "-q", "-o", "a.jsonl.gz", "-o", "-"];
    let child = command(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(after_a_glance(child), 0);
    assert_eq!(names(folder.path()), ["a.jsonl.gz", "a.jsonl.gz.run.json", "in.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_standard_output_that_is_closed_from_the_start_harms_no_file() {
    let folder = folder_with_rows(50);
    let script = format!("'{PROGRAM}' score in.jsonl -m token_f1 -o a.csv -o - --fail-under token_f1=0.99 >&-");
    let status = Command::new("sh").current_dir(folder.path()).args(["-c", &script]).stderr(Stdio::null()).status();
    assert_eq!(status.unwrap().code(), Some(2));
    assert_eq!(names(folder.path()), ["a.csv", "a.csv.run.json", "in.jsonl"]);
}

#[test]
fn an_absurd_number_of_threads_is_a_usage_error() {
    let folder = folder_with_rows(3);
    for jobs in ["4611686018427387904", "0", "1025", "-1"] {
        let run = run(folder.path(), &["score", "in.jsonl", "-m", "token_f1", &format!("--jobs={jobs}")]);
        assert_eq!(code(&run), 64, "{jobs}: {}", stderr(&run));
    }
    assert_eq!(code(&run(folder.path(), &["score", "in.jsonl", "-m", "token_f1", "-j", "300"])), 0);
}

/// Starts a run that reads from a pipe, waits until it has begun, and sends a signal.
#[cfg(unix)]
fn signalled(folder: &Path, signal: &str) -> Output {
    use std::io::Write;
    let mut child = command(folder, &["score", "-", "-m", "token_f1", "-o", "r.jsonl", "-j", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(rows(3000).as_bytes()).unwrap();
    let start = Instant::now();
    while names(folder).is_empty() && start.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    thread::sleep(Duration::from_millis(50));
    // The run ends at the next case.
    let _ = input.write_all(rows(3000).as_bytes());
    drop(input);
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn every_signal_that_asks_to_end_keeps_what_was_computed() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("x")).unwrap();
        let place = folder.path().join("x");
        let ended = signalled(&place, signal);
        assert_eq!(ended.status.code(), Some(130), "{signal}: {}", stderr(&ended));
        assert_eq!(names(&place), ["r.jsonl.partial"], "{signal}");
        let kept = fs::read_to_string(place.join("r.jsonl.partial")).unwrap();
        assert!(kept.ends_with("}\n") || kept.is_empty(), "{signal}: the last line is whole");
    }
}

/// Starts a run that waits for something that does not come, sends a signal, and says how long its end took.
#[cfg(unix)]
fn woken(folder: &Path, arguments: &[&str], signal: &str) -> (Output, Duration) {
    let mut child =
        command(folder, arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    thread::sleep(Duration::from_millis(800));
    assert!(child.try_wait().unwrap().is_none(), "{arguments:?} did not wait");
    let since = Instant::now();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    drop(input);
    (ended, since.elapsed())
}

#[cfg(unix)]
#[test]
fn a_signal_ends_whatever_waits_for_the_other_end_of_a_pipe() {
    let folder = folder_with_rows(3);
    assert!(Command::new("mkfifo").arg(folder.path().join("p.jsonl")).status().unwrap().success());
    for arguments in [
        ["score", "in.jsonl", "-m", "token_f1", "-o", "p.jsonl"],
        ["score", "p.jsonl", "-m", "token_f1", "-o", "out.jsonl"],
        ["score", "-", "-m", "token_f1", "-o", "out.jsonl"],
    ] {
        for signal in ["-INT", "-TERM"] {
            let (ended, took) = woken(folder.path(), &arguments, signal);
            // Before a run begins nothing is there to be kept, and the signal itself ends the program.
            assert!(matches!(ended.status.code(), Some(130) | None), "{arguments:?} {signal}: {}", stderr(&ended));
            assert!(took < Duration::from_secs(2), "{arguments:?} {signal}: {took:?}");
            let _ = fs::remove_file(folder.path().join("out.jsonl.partial"));
        }
    }
}

/// A case that takes minutes: the run ends at once, and what was not finished is in no file.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_case_that_is_being_scored() {
    let folder = tempfile::tempdir().unwrap();
    let text = "The cat that Anna saw in 1999 was not the dog that Peter sold for 5 dollars. ".repeat(60_000);
    let row = serde_json::json!({"id": "1", "response": text, "context": [text]});
    fs::write(folder.path().join("in.jsonl"), format!("{row}\n")).unwrap();
    let arguments = ["score", "in.jsonl", "-m", "hallucination", "--profile", "improved", "-o", "out.jsonl"];
    let (ended, took) = woken(folder.path(), &arguments, "-INT");
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    assert!(took < Duration::from_secs(5), "{took:?}");
    let kept = fs::read(folder.path().join("out.jsonl.partial")).unwrap_or_default();
    assert!(kept.is_empty(), "{}", String::from_utf8_lossy(&kept));
}

/// What lies beside a report is not overwritten through a link, nor is the report itself.
#[cfg(unix)]
#[test]
fn no_planted_link_is_followed() {
    use std::os::unix::fs::symlink;
    let folder = folder_with_rows(3);
    let at = |name: &str| folder.path().join(name);
    fs::write(at("victim"), "precious").unwrap();
    for planted in ["r.jsonl.run.json", "r.jsonl", "r.jsonl.partial"] {
        let _ = fs::remove_file(at(planted));
        symlink("victim", at(planted)).unwrap();
        let run = run(folder.path(), &["score", "in.jsonl", "-m", "token_f1", "-o", "r.jsonl"]);
        assert_eq!(fs::read_to_string(at("victim")).unwrap(), "precious", "{planted}");
        if planted != "r.jsonl.partial" {
            assert_eq!(code(&run), 1, "{planted}: {}", stderr(&run));
            assert!(stderr(&run).contains("it is a link"), "{planted}: {}", stderr(&run));
        }
        fs::remove_file(at(planted)).unwrap();
    }
    fs::create_dir(at(".probare")).unwrap();
    for planted in ["store.db", "replies.db"] {
        symlink("../new-victim", at(".probare").join(planted)).unwrap();
    }
    fs::write(at("p.yaml"), "datasets:\n  - path: in.jsonl\nmetrics:\n  - token_f1\n").unwrap();
    run(folder.path(), &["run", "p.yaml"]);
    assert!(!at("new-victim").exists());
}

#[cfg(unix)]
#[test]
fn an_endless_configuration_is_an_error() {
    let folder = folder_with_rows(1);
    let run = run(folder.path(), &["score", "in.jsonl", "-c", "/dev/zero"]);
    assert_eq!(code(&run), 1, "{}", stderr(&run));
    assert!(stderr(&run).contains("longer than"), "{}", stderr(&run));
}

#[test]
fn an_interrupted_or_failed_run_leaves_an_older_report_as_it_was() {
    let folder = folder_with_rows(3);
    fs::write(folder.path().join("old.jsonl"), "old").unwrap();
    let run = run(folder.path(), &["score", "missing.jsonl", "-m", "token_f1", "-o", "old.jsonl"]);
    assert_eq!(code(&run), 1);
    assert_eq!(fs::read_to_string(folder.path().join("old.jsonl")).unwrap(), "old");
}
