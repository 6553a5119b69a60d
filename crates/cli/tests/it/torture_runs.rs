//! Runs with a store that are killed at random moments and resumed, and disks that are too small or not to be written: what
//! comes out in the end is what an undisturbed run gives, byte for byte. `cargo x torture` does the same many more times.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use probare_core::{Message, ModelReply, Parameters, Usage};
use probare_models::{CacheEntry, CacheKey, ModelRequest, Provider};
use probare_store::{RunPlan, RunState, Store};
use serde_json::json;

use crate::torture::{Dice, setting};

use crate::program::{PROGRAM, run};

/// Cases, recorded replies of two models, and a configuration.
struct Ground {
    folder: tempfile::TempDir,
    samples: u64,
    /// The exports of a run that was left alone, and how long it took.
    whole: (Vec<u8>, Vec<u8>),
    took: Duration,
    /// What a run begins with; a resumed one is told nothing.
    flags: Vec<String>,
}

fn line(messages: Vec<Message>, text: String) -> String {
    let request = ModelRequest {
        provider: Provider::OpenAi,
        base_url: "https://example.org/v1".to_owned(),
        model: "m".to_owned(),
        parameters: Parameters::default(),
        reasoning_effort: None,
        extra_body: serde_json::Map::new(),
        embedding: false,
        also: std::collections::BTreeMap::new(),
        messages,
        repeat: 0,
        seat: 0,
        attempt: 0,
    };
    let usage = Usage::new(7, 3);
    let reply = ModelReply { usage: Some(usage), ..ModelReply::text(text) };
    let entry = CacheEntry { latency_ms: 1, made: 1, ..CacheEntry::new(request, reply) };
    format!("{}\n", json!({"format": 1, "key": CacheKey::from_request(&entry.request).to_string(), "entry": entry}))
}

fn good(place: &Path, words: &[&str]) -> Output {
    let output = run(place, words);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {text}");
    output
}

/// Both exports of the run.
fn exports(place: &Path) -> (Vec<u8>, Vec<u8>) {
    good(place, &["runs", "export", "1", "-o", "e.jsonl", "--outputs", "o.jsonl"]);
    (fs::read(place.join("e.jsonl")).unwrap(), fs::read(place.join("o.jsonl")).unwrap())
}

impl Ground {
    fn new(cases: u64) -> Self {
        Self::with(cases, cases, &[])
    }

    /// The same with flags, by which so many cases are looked at.
    fn with(cases: u64, looked_at: u64, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut rows, mut first, mut second) = (String::new(), String::new(), String::new());
        for number in 0..cases {
            // Some ids stand there twice: they are two cases all the same.
            let id = if number % 50 == 1 { number - 1 } else { number };
            let question = format!("What is {number} and {}?", number % 7);
            rows.push_str(&format!(
                "{}\n",
                json!({"id": id.to_string(), "query": question, "reference": [(number + number % 7).to_string()]})
            ));
            let messages = || vec![Message::system("Add."), Message::user(question.clone())];
            first.push_str(&line(messages(), format!("It is {}.", number + number % 7)));
            second.push_str(&line(messages(), (number + number % 5).to_string()));
        }
        let root = folder.path();
        fs::write(root.join("cases.jsonl"), rows).unwrap();
        fs::write(root.join("first.jsonl"), first).unwrap();
        fs::write(root.join("second.jsonl"), second).unwrap();
        let config = "datasets: [{path: cases.jsonl}]\n\
                      models: [{name: first, api_model_name: 'replay:first.jsonl'}, {name: second, api_model_name: 'replay:second.jsonl'}]\n\
                      generate: {system: Add.}\n\
                      metrics: [{id: contains}, {id: token_f1}METRIC]\n";
        let more = if flags.is_empty() { "" } else { ", {id: agency_language}" };
        let config = config.replace("METRIC", more);
        fs::write(root.join("probare.yaml"), config).unwrap();
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let mut ground =
            Self { folder, samples: looked_at * 2, whole: Default::default(), took: Duration::ZERO, flags };
        let place = ground.place("whole");
        let start = Instant::now();
        good(&place, &ground.begin());
        ground.took = start.elapsed();
        ground.whole = exports(&place);
        let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
        assert_eq!((lines(&ground.whole.0), lines(&ground.whole.1)), (ground.samples, ground.samples));
        ground
    }

    /// The words that begin a run.
    fn begin(&self) -> Vec<&str> {
        ["run", "../probare.yaml", "-q"].into_iter().chain(self.flags.iter().map(String::as_str)).collect()
    }

    fn place(&self, name: &str) -> PathBuf {
        let place = self.folder.path().join(name);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        place
    }

    /// Whether the run in a place is what it is when it is left alone.
    fn check(&self, place: &Path) {
        let (results, outputs) = exports(place);
        assert!(results == self.whole.0, "the results differ from those of an undisturbed run");
        assert!(outputs == self.whole.1, "the outputs differ from those of an undisturbed run");
    }
}

#[test]
fn torture_of_runs_by_kills_loses_and_doubles_nothing() {
    kill(&Ground::new(setting("PROBARE_TORTURE_CASES", 400)), setting("PROBARE_TORTURE_KILLS", 50));
}

#[test]
fn torture_of_runs_by_kills_goes_on_with_profile_strictness_and_limit_as_it_began() {
    let cases = setting("PROBARE_TORTURE_CASES", 400);
    let limit = cases * 3 / 4;
    let ground = Ground::with(cases, limit, &["--profile", "improved", "--strict", "--limit", &limit.to_string()]);
    let said = String::from_utf8(ground.whole.0.clone()).unwrap();
    assert!(said.contains("agency_language"));
    kill(&ground, setting("PROBARE_TORTURE_KILLS", 50));
}

/// Kills runs at random moments, resumes them, and compares.
fn kill(ground: &Ground, kills: u64) {
    let mut dice = Dice(20_261_116);
    let whole = u64::try_from(ground.took.as_micros()).unwrap();
    let (mut killed, mut completed, mut starts) = (0, 0, 0_u64);
    while killed < kills {
        let place = ground.place("place");
        let mut words = ground.begin();
        loop {
            starts += 1;
            let mut child = Command::new(PROGRAM)
                .args(&words)
                .current_dir(&place)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Mostly early, so that a run is killed many times; now and then anywhere.
            let longest = if dice.roll(4) == 0 { whole } else { whole / 3 };
            thread::sleep(Duration::from_micros(dice.roll(longest)));
            child.kill().unwrap();
            let status = child.wait().unwrap();
            killed += u64::from(status.code().is_none());
            // A store that was not begun is begun anew; one that is there goes on.
            let listed = run(&place, &["runs", "list", "--json"]);
            let runs: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap_or_default();
            let first = runs.get(0);
            if first.is_some_and(|run| run["state"] == "complete") {
                break;
            }
            if killed >= kills {
                break;
            }
            words = if first.is_some() { vec!["resume", "1", "-q"] } else { ground.begin() };
        }
        if !place.join(".probare/store.db").exists() || run(&place, &["runs", "show", "1"]).status.code() != Some(0) {
            continue;
        }
        good(&place, &["resume", "1", "-q"]);
        ground.check(&place);
        completed += 1;
    }
    println!(
        "{killed} kills in {starts} starts over runs of {} samples, {completed} runs brought to their end: all exports equal",
        ground.samples
    );
    assert!(completed > 0);
}

#[test]
fn torture_of_runs_two_processes_work_in_one_store() {
    let ground = Ground::new(120);
    let place = ground.place("both");
    let start = |words: &[&str]| {
        Command::new(PROGRAM)
            .args(words)
            .current_dir(&place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut one = start(&["run", "../probare.yaml", "-q"]);
    let mut other = start(&["run", "../probare.yaml", "-q"]);
    assert_eq!((one.wait().unwrap().code(), other.wait().unwrap().code()), (Some(0), Some(0)));
    ground.check(&place);
    good(&place, &["runs", "export", "2", "-o", "other.jsonl"]);
    assert!(fs::read(place.join("other.jsonl")).unwrap() == ground.whole.0);
}

#[test]
fn torture_of_runs_two_processes_go_on_with_one_run() {
    let ground = Ground::new(200);
    let place = ground.place("one");
    // Samples of which nothing but the beginning is there: half of them by a limit that is then lifted.
    let config = ground.folder.path().join("probare.yaml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}run: {{limit: 100}}\n")).unwrap();
    good(&place, &["run", "../probare.yaml", "-q"]);
    let store = Store::open(&place.join(".probare/store.db")).unwrap();
    store.replan(1, &RunPlan { limit: None, ..store.run(1).unwrap().plan }).unwrap();
    store.set_state(1, RunState::Open).unwrap();
    drop(store);
    fs::write(&config, text).unwrap();
    let start = || {
        let mut command = Command::new(PROGRAM);
        // A plan that was changed by hand does not carry the mark any more.
        command.args(["resume", "1", "-q", "--config", "../probare.yaml"]);
        command.current_dir(&place).stdin(Stdio::null()).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let (mut one, mut other) = (start(), start());
    assert_eq!((one.wait().unwrap().code(), other.wait().unwrap().code()), (Some(0), Some(0)));
    ground.check(&place);
}

#[cfg(target_os = "linux")]
#[test]
fn torture_of_runs_by_disks_ends_with_a_message_and_can_be_resumed() {
    let probe = Command::new("unshare").args(["-Urm", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        probare_testing::report_skipped("`unshare -Urm` does not work here, so no small disk can be had");
        return;
    }
    let ground = Ground::new(400);
    let place = ground.place("disk");
    let kept = ground.place("kept");
    let shell = |script: String| {
        Command::new("unshare").args(["-Urm", "sh", "-c", &script]).stdin(Stdio::null()).output().unwrap()
    };
    let (place, kept) = (place.display(), kept.display());
    // A disk that is too small for the beginning: nothing is begun, and whoever finds what is left there is told so.
    let output = shell(format!(
        "mount -t tmpfs -o size=100k none '{place}' && cd '{place}' && '{PROGRAM}' run ../probare.yaml -q; echo $? && \
         mount -o remount,ro '{place}' && '{PROGRAM}' runs list"
    ));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((&*output.stdout, output.status.code()), (&b"3\n"[..], Some(3)), "{text}");
    assert!(text.contains("disk is full") && text.contains("nothing is in it yet"), "{text}");
    // A disk that is too small for the run, but not for its beginning.
    let output = shell(format!(
        "mount -t tmpfs -o size=600k none '{place}' && cd '{place}' && '{PROGRAM}' run ../probare.yaml -q; code=$?; \
         cp -r '{place}/.' '{kept}'; exit $code"
    ));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("full") && text.contains("probare resume 1"), "{text}");
    let kept_path = ground.folder.path().join("kept");
    // A store that may not be written.
    let output = shell(format!(
        "mount -t tmpfs none '{place}' && cp -r '{kept}/.' '{place}' && mount -o remount,ro '{place}' && cd '{place}' && \
         '{PROGRAM}' resume 1 -q"
    ));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("store.db"), "{text}");
    good(&kept_path, &["resume", "1", "-q"]);
    ground.check(&kept_path);
}

#[test]
fn a_changed_case_prompt_or_setting_is_named_and_refused() {
    let ground = Ground::new(20);
    let place = ground.place("changed");
    good(&place, &["run", "../probare.yaml", "-q", "--limit", "5"]);
    let config = ground.folder.path().join("probare.yaml");
    let before = fs::read_to_string(&config).unwrap();
    let refused = |text: &str, part: &str| {
        fs::write(&config, text).unwrap();
        let output = run(&place, &["resume", "1", "-q"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(part) && said.contains("--accept-changes"), "{said}");
    };
    refused(&before.replace("system: Add.", "system: Subtract."), "the prompt of the models under test changed");
    refused(
        &before.replace("{name: first,", "{name: first, temperature: 0.5,"),
        "the settings of model `first` changed",
    );
    refused(&before.replace("{id: token_f1}", "{id: rouge_l}"), "metric `token_f1` is gone; metric `rouge_l` is new");
    refused(&before.replace("{id: contains}", "{id: contains, options: {ignore_case: true}}"), "`contains`");
    fs::write(&config, &before).unwrap();
    let cases = ground.folder.path().join("cases.jsonl");
    let rows = fs::read_to_string(&cases).unwrap();
    fs::write(&cases, rows.replacen("What is 0", "What was 0", 1)).unwrap();
    refused(&before, "the cases of `cases` changed");
    fs::write(&cases, rows).unwrap();
    // A metric more is computed for what is finished, from the outputs in the store.
    fs::write(&config, before.replace("{id: token_f1}", "{id: token_f1}, {id: rouge_l}")).unwrap();
    good(&place, &["resume", "1", "-q", "--accept-changes"]);
    good(&place, &["runs", "export", "1", "-o", "more.csv"]);
    let table = fs::read_to_string(place.join("more.csv")).unwrap();
    assert_eq!(table.lines().count(), 11, "{table}");
    assert!(table.lines().next().unwrap().contains("rouge_l"), "{table}");
}

/// A model that answers after a while, through a program.
fn slow(root: &Path, name: &str, seconds: &str) {
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]\n\
         models: [{{name: slow, api_model_name: 'command:sh', command: [sh, -c, 'cat > /dev/null; sleep {seconds}; echo \"{{\\\"text\\\": \\\"7\\\"}}\"'], concurrency: 2}}]\n\
         metrics: [{{id: contains}}]\n"
    );
    fs::write(root.join(name), config).unwrap();
}

#[cfg(unix)]
#[test]
fn the_second_interruption_ends_at_once_and_can_be_resumed_all_the_same() {
    let ground = Ground::new(12);
    let place = ground.place("impatient");
    slow(ground.folder.path(), "impatient.yaml", "4");
    let mut child = Command::new(PROGRAM)
        .args(["run", "../impatient.yaml", "--limit", "2"])
        .current_dir(&place)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let process = child.id().to_string();
    let interrupt = || assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    thread::sleep(Duration::from_millis(1500));
    let start = Instant::now();
    interrupt();
    thread::sleep(Duration::from_millis(300));
    interrupt();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    slow(ground.folder.path(), "impatient.yaml", "0");
    let resumed = run(&place, &["resume", "1", "-q", "--accept-changes"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
}

#[test]
fn a_dry_run_needs_neither_keys_nor_a_record_and_leaves_nothing() {
    let ground = Ground::new(3);
    let place = ground.place("dry");
    let config = "datasets: [{path: cases.jsonl}]\n\
                  models: [{name: far, api_model_name: 'openai:gpt-4o-mini', api_key: NO_SUCH_KEY_IS_SET}]\n\
                  metrics: [{id: contains}]\n";
    fs::write(ground.folder.path().join("far.yaml"), config).unwrap();
    for more in [&[][..], &["--offline"]] {
        let words: Vec<&str> = ["run", "../far.yaml", "--dry-run"].iter().chain(more).copied().collect();
        let text = String::from_utf8(good(&place, &words).stdout).unwrap();
        assert!(text.contains("far answers: 3 calls") && text.contains("US dollars"), "{text}");
    }
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "nothing is made");
    let wet = run(&place, &["run", "../far.yaml"]);
    assert_eq!(wet.status.code(), Some(1), "{}", String::from_utf8_lossy(&wet.stderr));
    assert!(String::from_utf8_lossy(&wet.stderr).contains("NO_SUCH_KEY_IS_SET"));
}

/// The state of the first run, its finished samples and its errors.
fn listed(place: &Path) -> (String, u64) {
    let runs: serde_json::Value = serde_json::from_slice(&run(place, &["runs", "list", "--json"]).stdout).unwrap();
    (runs[0]["state"].as_str().unwrap().to_owned(), runs[0]["finished"].as_u64().unwrap())
}

#[cfg(unix)]
#[test]
fn a_run_whose_budget_is_reached_ends_with_4_and_goes_on_with_more() {
    let ground = Ground::new(8);
    let place = ground.place("poor");
    let config = "datasets: [{path: cases.jsonl}]\n\
                  models: [{name: m, api_model_name: 'command:sh', max_tokens: 20, concurrency: 1, command: [sh, -c, 'cat > /dev/null; echo \"{\\\"text\\\": \\\"7\\\", \\\"usage\\\": {\\\"input_tokens\\\": 30, \\\"output_tokens\\\": 20}}\"']}]\n\
                  metrics: [{id: contains}]\n\
                  run: {budget_tokens: 250}\n";
    let file = ground.folder.path().join("poor.yaml");
    fs::write(&file, config).unwrap();
    let output = run(&place, &["run", "../poor.yaml", "-j", "1"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("go on with: probare resume 1"), "{text}");
    let (state, finished) = listed(&place);
    assert!(state == "open" && finished > 0 && finished < 8, "{state}, {finished}");
    fs::write(&file, config.replace("250", "100000")).unwrap();
    good(&place, &["resume", "1", "-q"]);
    assert_eq!(listed(&place), ("complete".to_owned(), 8));
}

#[cfg(unix)]
#[test]
fn what_failed_or_could_not_be_read_is_done_again_where_that_is_asked() {
    let ground = Ground::new(4);
    let place = ground.place("again");
    // The model fails, and the judge says what is no verdict, until a file says that all is well. The models say different
    // things, since a judge that was asked about one output is not asked about the same again.
    let script = |good: &str, bad: &str| {
        format!("cat > /dev/null; if [ -e {}/well ]; then echo '{good}'; else echo '{bad}'; fi", place.display())
    };
    let judge = place.join("judge.sh");
    let verdict = r#"q=$(cat); c=${q##*a text: }; c=${c%%.*}
if [ -e "${0%/*}/well" ]; then
    printf '{"text": "{\\"reason\\": \\"fine\\", \\"level\\": \\"good\\", \\"code\\": \\"%s\\"}"}\n' "$c"
else
    echo '{"text": "well, who knows"}'
fi
"#;
    fs::write(&judge, verdict).unwrap();
    let config = json!({
        "datasets": [{"path": "cases.jsonl"}],
        "models": [
            {"name": "m", "api_model_name": "command:sh", "max_attempts": 1,
             "command": ["sh", "-c", script(r#"{"text": "8"}"#, r#"{"error": "down"}"#)]},
            {"name": "steady", "api_model_name": "command:sh", "command": ["sh", "-c", "cat > /dev/null; echo '{\"text\": \"7\"}'"]},
            {"name": "judge", "api_model_name": "command:sh",
             "command": ["sh", judge]},
        ],
        "generate": {"models": ["m", "steady"]},
        "metrics": [{"id": "contains"}, {"id": "judge_rubric", "options": {"judges": ["judge"]}}],
    });
    fs::write(ground.folder.path().join("again.yaml"), config.to_string()).unwrap();
    let errors = || -> serde_json::Value {
        let runs: serde_json::Value = serde_json::from_slice(&run(&place, &["runs", "list", "--json"]).stdout).unwrap();
        runs[0]["errors"].clone()
    };
    let first = run(&place, &["run", "../again.yaml", "-q"]);
    assert_eq!(first.status.code(), Some(1), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(errors(), json!({"failed": 8, "unparseable": 4}), "{}", String::from_utf8_lossy(&first.stderr));
    fs::write(place.join("well"), "").unwrap();
    // Nothing is done again by itself.
    run(&place, &["resume", "1", "-q"]);
    assert_eq!(errors(), json!({"failed": 8, "unparseable": 4}));
    let failed = run(&place, &["resume", "1", "-q", "--retry", "failed"]);
    assert_eq!(errors(), json!({"unparseable": 4}), "{}", String::from_utf8_lossy(&failed.stderr));
    good(&place, &["resume", "1", "-q", "--retry", "unparseable"]);
    assert_eq!(errors(), json!({}));
}

#[cfg(unix)]
#[test]
fn the_first_interruption_finishes_what_is_under_way_and_can_be_resumed() {
    let ground = Ground::new(60);
    let place = ground.place("slow");
    slow(ground.folder.path(), "slow.yaml", "0.3");
    let child =
        Command::new(PROGRAM).args(["run", "../slow.yaml"]).current_dir(&place).stderr(Stdio::piped()).spawn().unwrap();
    let process = child.id().to_string();
    thread::sleep(Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("go on with: probare resume 1"), "{text}");
    let listed: serde_json::Value = serde_json::from_slice(&run(&place, &["runs", "list", "--json"]).stdout).unwrap();
    let finished = listed[0]["finished"].as_u64().unwrap();
    assert!(finished > 0 && finished < 60, "{listed}");
    assert_eq!(listed[0]["state"], "open");
    let output = run(&place, &["resume"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let listed: serde_json::Value = serde_json::from_slice(&run(&place, &["runs", "list", "--json"]).stdout).unwrap();
    assert_eq!((&listed[0]["finished"], &listed[0]["state"]), (&json!(60), &json!("complete")));
}
