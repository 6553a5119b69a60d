//! How runs end early, and how they go on: signals, threads that the system refuses, limits that are kept before anybody is
//! paid, and runs that somebody else began.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use probare_models::list_cached_models;
#[cfg(unix)]
use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::program::{self, PROGRAM, stderr};

/// Cases, and a judge that notes each question and takes its time.
fn project(cases: usize, seconds: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let case = |number: usize| {
        format!("{{\"id\": \"{number}\", \"query\": \"q{number}\", \"response\": \"a\", \"reference\": \"b\"}}\n")
    };
    write("cases.jsonl", &(0..cases).map(case).collect::<String>());
    write(
        "judge.sh",
        &format!(
            "cat > /dev/null; echo asked >> asked.log; sleep {seconds}; echo '{{\"text\": \"{{\\\"reason\\\": \\\"x\\\", \\\"same\\\": true}}\"}}'\n"
        ),
    );
    let model = |name: &str| format!("{{name: {name}, provider: command, command: [sh, judge.sh], concurrency: 4}}");
    write(
        "probare.yaml",
        &format!(
            "datasets: [{{path: cases.jsonl}}]\nmodels: [{}]\njudges: [house]\nmetrics: [judge_same_answer]\n",
            model("house")
        ),
    );
    write(
        "run.yaml",
        &format!(
            "datasets: [{{path: cases.jsonl}}]\nmodels: [{}]\nmetrics: [contains]\ngates: [{{metric: contains, fail_under: 1}}]\n",
            model("slow")
        ),
    );
    folder
}

fn start(folder: &Path, words: &[&str]) -> Child {
    Command::new(PROGRAM)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
}

fn drain_output(child: &mut Child) -> String {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

fn count_questions(folder: &Path) -> usize {
    fs::read_to_string(folder.join("asked.log")).unwrap_or_default().lines().count()
}

#[test]
fn a_limit_holds_before_anybody_is_asked() {
    let folder = project(200, "0");
    let output = Command::new(PROGRAM)
        .args(["score", "-c", "probare.yaml", "--limit", "5"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    // Five cases, and each once more, since this judge does not say the code that it is told.
    assert_eq!(count_questions(folder.path()), 10);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_that_waits_for_its_input_within_a_second() {
    let folder = project(1, "0");
    for name in ["INT", "TERM"] {
        let mut child = start(folder.path(), &["score", "-", "-m", "token_f1", "-c", "/dev/null", "-o", "out.jsonl"]);
        // Kept open: who waits for a child closes what it reads from.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"{\"id\": \"1\", ").unwrap();
        thread::sleep(Duration::from_secs(2));
        let begun = Instant::now();
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(begun.elapsed() < Duration::from_secs(1), "{name}: {:?}", begun.elapsed());
        let text = drain_output(&mut child);
        assert!(text.contains("nothing was computed, so no file was written") && !text.contains("partial"), "{text}");
        assert!(!folder.path().join("out.jsonl").exists());
        assert!(!folder.path().join("out.jsonl.partial").exists());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_what_it_waits_for_and_judges_no_gate() {
    let folder = project(40, "2");
    let mut child = start(folder.path(), &["run", "run.yaml", "-o", "out.jsonl"]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    while count_questions(folder.path()) < 4 {
        thread::sleep(Duration::from_millis(20));
    }
    let begun = Instant::now();
    signal(&child, "INT");
    let mut text = String::new();
    while !text.contains("interrupted") {
        assert!(stderr.read_line(&mut text).unwrap() > 0, "{text}");
    }
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert!(
        text.contains("waiting for 4 requests to slow, sent already and perhaps paid, at most 30 seconds"),
        "{text}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(3));
    stderr.read_to_string(&mut text).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(count_questions(folder.path()), 4, "nothing further is asked");
    assert!(!text.contains("failed:") && text.contains("probare resume 1"), "{text}");
    // What was paid is kept: four samples are there, and none of them is asked again.
    let lines = fs::read_to_string(folder.path().join("out.jsonl.partial")).unwrap().lines().count();
    assert_eq!(lines, 4);
    assert!(text.contains("out.jsonl.partial"), "{text}");
}

/// The program as another user, who may have only so many processes; nothing where this user cannot become another.
#[cfg(target_os = "linux")]
fn with_few_threads(folder: &Path, processes: u32, words: &str) -> Option<Output> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let has_tool = Command::new("setpriv").arg("--version").output().is_ok();
    if !is_root || !has_tool {
        probare_testing::report_skipped("only root can become a user with few processes");
        return None;
    }
    // A copy that this user can reach and run.
    let program = folder.join("probare");
    fs::copy(PROGRAM, &program).unwrap();
    assert!(Command::new("chmod").args(["-R", "a+rwX"]).arg(folder).status().unwrap().success());
    let script = format!("cd '{}' && ulimit -u {processes} && exec ./probare {words}", folder.display());
    let output = Command::new("timeout")
        .args(["60", "setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "bash", "-c", &script])
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .output();
    Some(output.unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_the_system_refuses_end_in_fewer_threads_or_an_error_and_never_in_a_hang() {
    // Recorded replies, so that no process is started beside the threads.
    let folder = project(300, "0");
    let yaml = "datasets: [{path: cases.jsonl}]\nmodels: [{name: house, api_model_name: 'replay:none.jsonl', concurrency: 200}]\n\
                judges: [house]\nmetrics: [judge_same_answer]\n";
    fs::write(folder.path().join("probare.yaml"), yaml).unwrap();
    fs::write(folder.path().join("none.jsonl"), "").unwrap();
    let mut ended = Vec::new();
    for processes in [1, 2, 3, 4, 6, 8, 12, 20, 60] {
        for words in
            ["score --limit 250 -q -o out.jsonl", "score cases.jsonl -m token_f1 -c /dev/null -q -o plain.jsonl"]
        {
            let Some(output) = with_few_threads(folder.path(), processes, words) else { return };
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let code = output.status.code();
            assert!(code.is_some_and(|code| [0, 1].contains(&code)), "{processes} {words}: {code:?} {text}");
            ended.push((processes, code));
        }
    }
    // With room for a few threads the work is done.
    assert!(ended.iter().any(|(processes, code)| *processes == 60 && *code == Some(0)), "{ended:?}");
}

#[test]
fn a_run_goes_on_as_it_began_and_a_foreign_one_wants_its_configuration() {
    let folder = project(9, "0");
    let (at, home, other) = (folder.path(), folder.path().join("home"), folder.path().join("other"));
    let run = |words: &[&str], home: &Path| {
        Command::new(PROGRAM).args(words).current_dir(at).env("XDG_CONFIG_HOME", home).output().unwrap()
    };
    let show = |words: &[&str], home: &Path| {
        let output = run(words, home);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output))
    };
    let mut rows = fs::read_to_string(at.join("cases.jsonl")).unwrap();
    rows.push_str("this is no row\n");
    fs::write(at.join("cases.jsonl"), rows).unwrap();
    fs::write(
        at.join("plain.yaml"),
        "datasets: [{path: cases.jsonl}]\nmetrics: [agency_language]\nrun: {strict: true}\n",
    )
    .unwrap();
    let begun = run(
        &["run", "plain.yaml", "--profile", "improved", "--limit", "9", "-q", "--fail-under", "agency_language=2"],
        &home,
    );
    assert_eq!(begun.status.code(), Some(2), "{}", stderr(&begun));
    // Nothing need be said again.
    let (code, text) = show(&["config", "show", "resume", "1"], &home);
    assert_eq!(code, Some(0), "{text}");
    let words: Vec<String> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for wanted in ["profile improved (", "gate agency_language < 2 (", "strict true (", "limit 9 ("] {
        assert!(words.iter().any(|line| line.starts_with(wanted)), "{wanted}: {text}");
    }
    let gone = at.join("gone.yaml");
    fs::rename(at.join("plain.yaml"), &gone).unwrap();
    let (code, text) = show(&["resume", "1", "-o", "again.jsonl"], &home);
    assert_eq!(code, Some(2), "the gate still holds, without the file: {text}");
    assert_eq!(fs::read_to_string(at.join("again.jsonl")).unwrap().lines().count(), 9);
    // Whoever has not begun it is not asked to trust it.
    let (code, text) = show(&["resume", "1", "-o", "again.jsonl"], &other);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("does not carry your owner tag") && text.contains("--config FILE"), "{text}");
    let (code, text) = show(&["resume", "1", "-o", "again.jsonl", "--config", "gone.yaml"], &other);
    assert_eq!(code, Some(2), "profile and gate hold: {text}");
    let manifest = fs::read_to_string(at.join("again.jsonl.run.json")).unwrap();
    assert!(manifest.contains("improved"), "{manifest}");
}

#[test]
fn nothing_evaluated_is_not_a_pass() {
    let folder = project(0, "0");
    let run = |words: &[&str]| {
        let output = Command::new(PROGRAM).args(words).current_dir(folder.path()).output().unwrap();
        (output.status.code(), stderr(&output))
    };
    let (code, text) = run(&["score", "cases.jsonl", "-m", "token_f1", "-c", "/dev/null"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("nothing was evaluated") && text.contains("--allow-empty"), "{text}");
    assert_eq!(run(&["score", "cases.jsonl", "-m", "token_f1", "-c", "/dev/null", "--allow-empty"]).0, Some(0));
}

#[test]
fn the_rows_of_a_manifest_are_those_that_were_read() {
    let folder = project(7, "0");
    let replay = "datasets: [{path: cases.jsonl}]\nmodels: [{name: a, api_model_name: 'replay:none.jsonl'}, {name: b, api_model_name: 'replay:none.jsonl'}]\nmetrics: [contains]\n";
    fs::write(folder.path().join("two.yaml"), replay).unwrap();
    fs::write(folder.path().join("none.jsonl"), "").unwrap();
    let output = Command::new(PROGRAM)
        .args(["run", "two.yaml", "--limit", "5", "-q", "-o", "out.jsonl"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "no reply is recorded: {}", stderr(&output));
    let manifest = fs::read_to_string(folder.path().join("out.jsonl.run.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["inputs"][0]["rows"], 5, "{}", manifest["inputs"]);
}

#[test]
fn a_prompt_in_a_file_lies_beside_the_configuration_that_names_it() {
    let folder = project(1, "0");
    let at = folder.path();
    fs::create_dir(at.join("inner")).unwrap();
    fs::write(at.join("prompt.md"), "[system]\nHere: {{form}}\n[user]\n{{data}}\n").unwrap();
    fs::write(at.join("inner/prompt.md"), "[system]\nBeside: {{form}}\n[user]\n{{data}}\n").unwrap();
    let yaml = "models: [{name: house, api_model_name: 'replay:none.jsonl'}]\njudges: [house]\n\
                metrics: [{id: judge_same_answer, options: {prompt: '@prompt.md'}}]\n";
    fs::write(at.join("inner/p.yaml"), yaml).unwrap();
    fs::write(at.join("inner/none.jsonl"), "").unwrap();
    let output = Command::new(PROGRAM)
        .args(["score", "cases.jsonl", "-c", "inner/p.yaml", "-q", "-o", "out.jsonl"])
        .current_dir(at)
        .output()
        .unwrap();
    let manifest = fs::read_to_string(at.join("out.jsonl.run.json")).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    assert!(manifest.contains("Beside: "), "{manifest}");
    assert!(!manifest.contains("Here: "));
}

/// A project whose judge is a server of ours.
#[cfg(unix)]
fn project_with_server(server: &TestServer, cases: usize, more: &str) -> tempfile::TempDir {
    let folder = project(cases, "0");
    let model = format!(
        "{{name: far, base_url: '{}/v1', concurrency: 4, pricing: \
         {{prompt_price_per_million: 1, completion_price_per_million: 1}}, max_tokens: 50{more}}}",
        server.url()
    );
    let judged =
        format!("datasets: [{{path: cases.jsonl}}]\nmodels: [{model}]\njudges: [far]\nmetrics: [judge_same_answer]\n");
    fs::write(folder.path().join("probare.yaml"), judged).unwrap();
    let run = format!("datasets: [{{path: cases.jsonl}}]\nmodels: [{model}]\nmetrics: [contains]\n");
    fs::write(folder.path().join("run.yaml"), run).unwrap();
    folder
}

/// Interrupts the program once so many requests have come; gives its code, how long it took to end, and what it said.
#[cfg(unix)]
fn run_and_interrupt(
    server: &TestServer,
    requests: u64,
    folder: &Path,
    words: &[&str],
) -> (Option<i32>, Duration, String) {
    let mut child = start(folder, words);
    let patience = Instant::now() + Duration::from_secs(30);
    while server.requests() < requests {
        assert!(Instant::now() < patience, "{}", drain_output(&mut child));
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    signal(&child, "INT");
    let code = child.wait().unwrap().code();
    (code, begun.elapsed(), drain_output(&mut child))
}

#[cfg(unix)]
#[test]
fn requests_under_way_are_named_waited_for_and_kept() {
    for (words, code) in [(&["score", "-c", "probare.yaml"][..], 130), (&["run", "run.yaml"], 3)] {
        let behaviour = ServerBehaviour { delay: Duration::from_secs(3), ..ServerBehaviour::default() };
        let server = TestServer::start(behaviour).unwrap();
        let folder = project_with_server(&server, 40, ", timeout: 20");
        let (ended, took, text) = run_and_interrupt(&server, 4, folder.path(), words);
        assert_eq!(ended, Some(code), "{words:?}: {text}");
        assert!(text.contains("waiting for 4 requests to far, sent already and perhaps paid, at most"), "{text}");
        let most: u64 = text.split("at most ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((15..=20).contains(&most), "no longer than the model's own limit: {text}");
        assert!(took > Duration::from_secs(1) && took < Duration::from_secs(12), "{words:?}: {took:?}");
        assert_eq!(server.requests(), 4, "nothing further is sent");
        // Whatever was paid is in the record.
        assert_eq!(list_cached_models(&folder.path().join(".probare/cache.db")).unwrap()[0].replies, 4);
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_waits_to_ask_again_and_pays_nothing_ends_within_a_second() {
    for (words, code) in [(&["score", "-c", "probare.yaml"][..], 130), (&["run", "run.yaml"], 3)] {
        // Everybody is told to come back in a minute.
        let behaviour = ServerBehaviour {
            share: 1.0,
            troubles: vec![Trouble::TooManyWithDelay],
            retry_after: 60,
            ..ServerBehaviour::default()
        };
        let server = TestServer::start(behaviour).unwrap();
        let folder = project_with_server(&server, 40, "");
        let (ended, took, text) = run_and_interrupt(&server, 1, folder.path(), words);
        assert_eq!(ended, Some(code), "{words:?}: {text}");
        assert!(took < Duration::from_secs(1), "{words:?}: {took:?}: {text}");
        assert!(text.contains("nobody is being asked"), "{text}");
    }
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_others_whole() {
    let folder = project(5, "0");
    // A folder is in the place of its manifest.
    fs::create_dir(folder.path().join("a.jsonl.run.json")).unwrap();
    let reports = ["-o", "a.jsonl", "-o", "b.jsonl", "-o", "c.html"];
    let words = [&["score", "cases.jsonl", "-c", "/dev/null", "-m", "exact_match"][..], &reports].concat();
    let output = program::run(folder.path(), &words);
    let text = program::both_streams(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("a.jsonl.run.json`: it is a folder"), "{text}");
    assert!(text.contains("the others are whole: `b.jsonl`, `c.html`"), "{text}");
    for name in ["b.jsonl", "c.html"] {
        assert!(program::run_successfully(folder.path(), &["verify", name]).contains("all agree"), "{name}");
    }
}

#[test]
fn show_finds_no_case_beyond_the_limit_of_its_run() {
    let folder = project(5, "0");
    for file in ["few.jsonl", "few.csv"] {
        program::run_successfully(
            folder.path(),
            &["score", "cases.jsonl", "-c", "/dev/null", "-m", "exact_match", "--limit", "2", "-o", file],
        );
        assert!(program::run_successfully(folder.path(), &["show", file, "--id", "1"]).contains("q1"));
        let output = program::run(folder.path(), &["show", file, "--id", "2"]);
        assert!(
            !output.status.success() && !program::both_streams(&output).contains("q2"),
            "{}",
            program::both_streams(&output)
        );
    }
}

/// What a manifest says cannot pass for a line of ours, nor for a command of GitHub's runner.
#[test]
fn a_manifest_forges_no_line() {
    let folder = project(1, "0");
    let at = |name: &str| folder.path().join(name);
    program::run_successfully(
        folder.path(),
        &["score", "cases.jsonl", "-c", "/dev/null", "-m", "exact_match", "-o", "r.jsonl"],
    );
    let manifest = fs::read_to_string(at("r.jsonl.run.json")).unwrap();
    let forged = "x\\n::error title=forged::mine\\n1 score computed again: all agree\\n";
    let places = [("\"better\": \"higher\"", "\"better\": \""), ("\"stop\": \"complete\"", "\"stop\": \"")];
    for (honest, start) in places.map(|(honest, start)| {
        // Manifests are written with or without blanks.
        if manifest.contains(honest) {
            (honest.to_owned(), start.to_owned())
        } else {
            (honest.replace(": ", ":"), start.to_owned())
        }
    }) {
        assert!(manifest.contains(&honest), "{honest} is not in {manifest}");
        fs::write(at("r.jsonl.run.json"), manifest.replacen(&honest, &format!("{start}{forged}\""), 1)).unwrap();
        for words in [
            &["verify", "r.jsonl"][..],
            &["show", "r.jsonl", "--id", "0"],
            &["compare", "r.jsonl", "r.jsonl"],
            &["history", "r.jsonl"],
            &["export", "r.jsonl", "--to", "promptfoo", "-o", "p.json"],
        ] {
            let output = program::command(folder.path(), words).env("GITHUB_ACTIONS", "true").output().unwrap();
            let text = program::both_streams(&output);
            let is_forged =
                |line: &str| line.trim_start().starts_with("::error title=forged") || line.starts_with("1 score");
            assert!(!text.lines().any(is_forged), "{words:?}: {text}");
        }
    }
}
