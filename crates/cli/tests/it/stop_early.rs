//! `probare run --stop-when-decided`: the verdict is that of the prefix, however fast, interrupted or repeated the run is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use probare_analysis::RunViewer;
use probare_benchmarks::registries;
use probare_testing::ReplyServer;
use serde_json::{Value as Json, json};

use crate::program::{both_streams, command, run, run_expecting};

/// What a model was asked, in order.
#[derive(Clone, Default)]
struct Questions(Arc<Mutex<Vec<String>>>, Arc<AtomicU64>);

impl Questions {
    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// A model that knows the answer unless the question says `HARD`, takes longer for some questions, and fails where it says `FAIL`.
fn server(questions: &Questions, delay: u64) -> ReplyServer {
    let questions = questions.clone();
    ReplyServer::start(move |asked| {
        let body = asked["messages"].to_string();
        let number = questions.1.fetch_add(1, Ordering::Relaxed);
        questions.0.lock().unwrap().push(body.clone());
        thread::sleep(Duration::from_millis(delay * (1 + number % 3)));
        if body.contains("FAIL") {
            return (400, json!({"error": {"message": "no"}}));
        }
        let answer = if body.contains("HARD") { "It is wrong." } else { "It is so." };
        (
            200,
            json!({"choices": [{"message": {"content": answer}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 10}}),
        )
    })
    .unwrap()
}

/// A project of so many cases, of which those are marked that `mark` names.
fn project(server: &ReplyServer, cases: usize, mark: impl Fn(usize) -> &'static str, more: &Json) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let line = |at| json!({"id": format!("c{at}"), "query": format!("Question {at} {}", mark(at)), "reference": "so"});
    let lines: String = (0..cases).map(|at| format!("{}\n", line(at))).collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    let mut config = json!({"datasets": [{"path": "cases.jsonl"}],
        "models": [{"name": "house", "base_url": format!("{}/v1", server.url()), "max_tokens": 40, "max_attempts": 1,
            "concurrency": 4, "pricing": {"prompt_price_per_million": 100, "completion_price_per_million": 100}}],
        "metrics": [{"id": "contains"}]});
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    fs::write(folder.path().join("run.yaml"), config.to_string()).unwrap();
    folder
}

fn nine_of_ten(at: usize) -> &'static str {
    if at % 10 == 3 { "HARD" } else { "" }
}

/// The line about a gate.
fn decision(text: &str) -> String {
    let is_decision =
        |line: &&str| ["pass  ", "fail  ", "open  ", "undecided  "].iter().any(|word| line.starts_with(word));
    text.lines().find(is_decision).unwrap_or_else(|| panic!("no gate is decided: {text}")).to_owned()
}

const RUN: [&str; 5] = ["run", "run.yaml", "--stop-when-decided", "--fail-under", "contains=0.7"];

#[test]
fn a_run_ends_once_its_gate_is_decided_and_says_so_everywhere() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let folder = project(&server, 300, nine_of_ten, &json!({}));
    let place = folder.path();
    let text = run_expecting(place, 0, &[&RUN[..], &["--dry-run"]].concat());
    assert!(text.contains("300 calls") && text.contains("ends as soon as its gates are decided"), "{text}");
    let text = run_expecting(place, 0, &[&RUN[..], &["-o", "out.json", "-o", "out.html", "--seed", "7"]].concat());
    let line = decision(&text);
    assert!(line.starts_with("pass  contains >= 0.7   mean so far 0."), "{line}");
    assert!(line.contains("at least 0.7") && line.contains("(95 %, holds at any stop)"), "{line}");
    assert!(text.contains("of 300 cases; about 0."), "{text}");
    assert!(text.contains("no interval") || text.contains("stopped early"), "{text}");
    let asked = questions.count();
    assert!((20..200).contains(&asked), "{asked}");
    let report: Json = serde_json::from_str(&fs::read_to_string(place.join("out.json")).unwrap()).unwrap();
    let panel = report.to_string();
    assert!(panel.contains("Gates decided case by case") && panel.contains("stopped early"), "{panel}");
    assert!(fs::read_to_string(place.join("out.html")).unwrap().contains("Gates decided case by case"));

    // It is complete, and nobody is asked again, neither for other metrics of what was answered.
    run_expecting(place, 0, &["resume", "1"]);
    assert_eq!(questions.count(), asked);
    let rescored = both_streams(&run(place, &["rescore", "1", "-m", "exact_match"]));
    assert!(rescored.contains("no model under test is asked") && rescored.contains("exact_match"), "{rescored}");
    assert!(rescored.contains("run 1 stopped early: only its first "), "{rescored}");
    assert_eq!(questions.count(), asked);
    // What holds for a number of cases that is fixed before is said nowhere about it.
    let told = run_expecting(place, 0, &["runs", "export", "1", "-o", "whole.json"]);
    assert!(!told.contains("is open"), "{told}");
    let told = run_expecting(place, 0, &["runs", "show", "1"]);
    assert!(told.contains("complete") && told.contains("\ndecided after "), "{told}");
    let whole: Json = serde_json::from_str(&fs::read_to_string(place.join("whole.json")).unwrap()).unwrap();
    let reason = whole["summary"]["no_intervals"].as_str().unwrap_or_default();
    assert!(reason.contains("the run stopped early"), "{whole}");
    let viewer = RunViewer::open(&place.join(".probare/store.db"), &["1".to_owned()], registries()).unwrap();
    let shown = serde_json::to_value(&*viewer.summary("r1", "").unwrap()).unwrap();
    assert!(shown["whole"][0]["mean"].is_number() && shown["whole"][0]["ends"].is_null(), "{shown}");
    assert_eq!((&shown["gates"], &shown["panels"][0]["title"]), (&json!([]), &json!("Gates decided case by case")));
    let told: Json =
        serde_json::from_slice(&run(place, &["history", "--metric", "contains", "--json"]).stdout).unwrap();
    let series = told["series"].as_array().unwrap();
    let points: Vec<&Json> = series.iter().flat_map(|series| series["points"].as_array().unwrap()).collect();
    assert!(points.len() > 1, "the run and files of it: {told}");
    assert!(points.iter().all(|point| point["interval"].is_null() && point.get("step").is_none()), "{told}");
    // Another seed takes other cases first.
    let other = run(place, &[&RUN[..], &["--seed", "8", "--json"]].concat());
    let other: Json = serde_json::from_slice(&other.stdout).unwrap_or_else(|_| panic!("{}", both_streams(&other)));
    let found = &other["decided_early"]["decisions"][0];
    assert_eq!((&found["verdict"], &found["seed"], &found["cases"]), (&json!("pass"), &json!(8), &json!(300)));
    assert_eq!(found["alpha_pass"], 0.05);
    assert!(found["bound"].as_f64().unwrap() >= 0.7 && found["not_run"].as_u64().unwrap() > 100, "{found}");
    assert!(questions.count() > asked, "cases that were not asked before");
}

#[test]
fn other_metrics_of_a_run_that_stopped_are_those_of_its_cases_up_to_the_verdict() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let more =
        json!({"gates": [{"metric": "contains", "fail_under": 0.7}], "run": {"stop_when_decided": true, "seed": 7}});
    let folder = project(&server, 300, nine_of_ten, &more);
    let place = folder.path();
    run_expecting(place, 0, &["run", "run.yaml", "-o", "first.jsonl"]);
    let asked = questions.count();
    let ids = |name: &str| -> Vec<Json> {
        let text = fs::read_to_string(place.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()["id"].clone()).collect()
    };
    let first = ids("first.jsonl");
    let cases = first.len();
    assert!((10..200).contains(&cases), "{cases}");
    // Nothing is missing, so it ends well.
    let words = ["-m", "exact_match", "-m", "rouge_l", "-o", "second.jsonl"];
    let said = run_expecting(place, 0, &[&["rescore", "1"], &words[..]].concat());
    let expected = format!("only its first {cases} of 300 cases are scored, and their means have no intervals");
    assert!(said.contains(&expected), "{said}");
    assert_eq!(ids("second.jsonl"), first, "the same cases in the same order");
    assert!(run_expecting(place, 0, &["runs", "show", "2"]).contains(&format!("complete, {cases} of {cases} samples")));
    // The gates of the configuration are not about these metrics, neither now nor when the run is resumed.
    run_expecting(place, 0, &["resume", "2", "-o", "again.jsonl"]);
    assert_eq!(fs::read(place.join("again.jsonl")).unwrap(), fs::read(place.join("second.jsonl")).unwrap());
    run_expecting(place, 0, &["rescore", "2", "-m", "exact_match", "-o", "third.jsonl"]);
    assert_eq!((ids("third.jsonl"), questions.count()), (first, asked));
    // No interval for a fixed number of cases is given, wherever one looks.
    run_expecting(place, 0, &["runs", "export", "2", "-o", "second.json"]);
    let whole: Json = serde_json::from_str(&fs::read_to_string(place.join("second.json")).unwrap()).unwrap();
    let reason = whole["summary"]["no_intervals"].as_str().unwrap_or_default();
    assert!(reason.contains("the run stopped early"), "{whole}");
    let viewer = RunViewer::open(&place.join(".probare/store.db"), &["2".to_owned()], registries()).unwrap();
    let shown = serde_json::to_value(&*viewer.summary("r2", "").unwrap()).unwrap();
    assert!(shown["whole"][0]["mean"].is_number() && shown["whole"][0]["ends"].is_null(), "{shown}");
    run_expecting(place, 0, &["rescore", "1", "-m", "contains"]);
    let told = run_expecting(place, 0, &["compare", "1", "4"]);
    assert!(told.contains("from the beginning of the order in both"), "{told}");
}

#[test]
fn the_number_of_requests_at_once_has_no_part_in_the_verdict() {
    let mut lines = Vec::new();
    for concurrency in [1, 8, 64] {
        let questions = Questions::default();
        let server = server(&questions, 2);
        let folder = project(&server, 300, nine_of_ten, &json!({}));
        let config = fs::read_to_string(folder.path().join("run.yaml")).unwrap();
        let config = config.replace("\"concurrency\":4", &format!("\"concurrency\":{concurrency}"));
        fs::write(folder.path().join("run.yaml"), config).unwrap();
        let text = run_expecting(folder.path(), 0, &RUN);
        lines.push(decision(&text));
        // A question costs 0.002 dollars; those that were asked before the verdict and answered after it are paid for.
        let told = text.split("cases; about ").nth(1).and_then(|rest| rest.split(' ').next());
        let told: f64 = told.and_then(|usd| usd.parse().ok()).unwrap_or_else(|| panic!("{text}"));
        let true_usd = 0.002 * (300 - questions.count()) as f64;
        assert!((told - true_usd).abs() < 0.02, "{concurrency} at once: {told} for {true_usd}");
    }
    assert!(lines.iter().all(|line| *line == lines[0]), "{lines:#?}");
}

/// How often a run is killed before it may end.
const KILLS: usize = 50;

/// How long a run may wait for something to ask before it is killed all the same.
const PATIENCE: Duration = Duration::from_millis(400);

#[test]
fn a_run_that_is_killed_fifty_times_has_the_same_verdict_and_pays_for_nothing_twice() {
    let words = ["run", "run.yaml", "--stop-when-decided", "--fail-under", "contains=0.86"];
    let questions = Questions::default();
    let whole = server(&questions, 0);
    let folder = project(&whole, 400, nine_of_ten, &json!({}));
    let place = folder.path();
    let expected = decision(&run_expecting(place, 0, &words));
    // A part of the file says which cases the verdict rests on.
    let prefix = |place: &Path| {
        let text = run_expecting(place, 0, &["resume", "1", "-o", "whole.jsonl"]);
        assert_eq!(decision(&text), expected);
        fs::read_to_string(place.join("whole.jsonl")).unwrap()
    };
    let expected_prefix = prefix(place);
    assert!(expected_prefix.lines().count() > 3 * KILLS, "long enough to be killed so often: {expected}");

    let questions = Questions::default();
    let slow = server(&questions, 4);
    let folder = project(&slow, 400, nine_of_ten, &json!({}));
    let place = folder.path();
    let mut is_begun = false;
    for kill in 0..KILLS {
        is_begun = is_begun || kill > 0 && has_run(place);
        let words = if is_begun { &["resume", "1"][..] } else { &words };
        let before = questions.count();
        let mut child = command(place, words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Killed while it asks, after one to three questions more, or while it waits for what was under way at the last kill.
        let started = Instant::now();
        while questions.count() <= before + kill % 3 && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(child.try_wait().unwrap().is_none(), "it has ended before kill {kill}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(decision(&run_expecting(place, 0, &["resume", "1"])), expected);
    assert_eq!(prefix(place), expected_prefix);
    // What was under way at a kill is lost, four requests at most; nothing that had come is asked for again.
    let asked = questions.0.lock().unwrap().clone();
    let again = asked.len() - asked.iter().collect::<BTreeSet<_>>().len();
    println!("{KILLS} kills: {} questions, {again} of them for the second time", asked.len());
    assert!(again <= 4 * KILLS, "{again} questions again");
}

fn has_run(place: &Path) -> bool {
    run(place, &["runs", "show", "1"]).status.success()
}

#[test]
fn several_gates_stop_at_the_first_that_fails_and_leave_the_others_open() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let more = json!({"metrics": [{"id": "contains"}, {"id": "exact_match"}],
        "gates": [{"metric": "contains", "fail_under": 0.88}, {"metric": "exact_match", "fail_under": 0.5}],
        "run": {"stop_when_decided": true, "seed": 3}});
    let folder = project(&server, 300, nine_of_ten, &more);
    let text = run_expecting(folder.path(), 2, &["run", "run.yaml"]);
    assert!(text.contains("open  contains >= 0.88") && text.contains("fail  exact_match >= 0.5"), "{text}");
    assert!(questions.count() < 60, "{}", questions.count());
    // Gates are fixed when the run starts.
    let other = run_expecting(folder.path(), 64, &["resume", "1", "--fail-under", "contains=0.5", "-o", "out.json"]);
    assert!(other.contains("this run was started with other gates; start a new one"), "{other}");
    let folder = project(&server, 300, nine_of_ten, &json!({"metrics": [{"id": "contains"}, {"id": "exact_match"}]}));
    let run = |words: &[&str]| {
        decision(&run_expecting(folder.path(), 0, &[&["run", "run.yaml", "--stop-when-decided"], words].concat()))
    };
    // A limit from above is decided as one from below.
    let upper = run(&["--fail-if", "exact_match>0.3"]);
    assert!(upper.starts_with("pass  exact_match <= 0.3") && upper.contains("at most 0."), "{upper}");
    // The share of cases beyond a value is a mean, too.
    let share = run(&["--fail-pass-rate", "contains>=1:60%"]);
    assert!(share.starts_with("pass  share of contains >= 1 >= 0.6"), "{share}");
}

#[test]
fn failed_cases_count_against_either_verdict_and_repeats_are_no_cases() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let mark = |at| match at {
        0 | 1 => "HARD",
        2 | 3 => "FAIL",
        _ => "",
    };
    let folder = project(&server, 20, mark, &json!({}));
    let words = ["run", "run.yaml", "--stop-when-decided", "--fail-under", "contains=0.85"];
    let text = run_expecting(folder.path(), 1, &words);
    assert!(text.contains("undecided  contains >= 0.85") && text.contains("2 failed cases decide it"), "{text}");
    assert!(!text.contains("of 20 cases;"), "{text}");

    let folder = project(&server, 40, nine_of_ten, &json!({"generate": {"repeats": 3}}));
    let text = run_expecting(folder.path(), 0, &[&words[..4], &["contains=0.5"]].concat());
    assert!(decision(&text).ends_with("of 40"), "{text}");
}

#[test]
fn what_cannot_be_decided_early_is_refused_before_anybody_is_asked() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let folder = project(&server, 20, nine_of_ten, &json!({"metrics": [{"id": "contains"}, {"id": "steps"}]}));
    let refused = |words: &[&str], part: &str| {
        let said = run_expecting(folder.path(), 64, &[&["run", "run.yaml", "--stop-when-decided"], words].concat());
        assert!(said.contains(part), "{words:?}: {said}");
    };
    refused(&[], "no gate says what is to be decided");
    refused(&["--fail-if", "steps>3"], "`steps` has no fixed range, so no gate on it can be decided early");
    refused(&["--fail-if-any", "contains<1"], "does not limit a mean over cases, so it needs the complete run");
    refused(&["--fail-quantile", "contains@90%<1"], "it needs the complete run");
    refused(&["--fail-under", "contains=0.5", "--significant"], "`significant` looks at intervals or groups");
    refused(&["--fail-under", "contains=0"], "passes or fails whatever the values of its metric are");
    refused(&["--fail-under", "contains=0.5", "--limit", "1"], "1 case cannot be decided early");
    refused(&["--fail-under", "contain=0.5"], "which is not a metric of this run; a similar name is `contains`");
    for more in [&["--dry-run"][..], &[]] {
        let words = [&["run", "run.yaml", "--fail-under", "contain=0.5"][..], more].concat();
        let said = run_expecting(folder.path(), 64, &words);
        assert!(said.contains("a similar name is `contains`"), "{words:?}: {said}");
    }
    assert_eq!(questions.count(), 0);
    assert!(!has_run(folder.path()), "no run is begun");
}

/// The JSON that a run prints.
fn decided_early(place: &Path, code: i32, words: &[&str]) -> Json {
    let output = run(place, words);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}", both_streams(&output));
    let told: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", both_streams(&output)));
    told["decided_early"].clone()
}

#[test]
fn what_is_not_spent_leaves_out_answers_that_came_after_the_verdict() {
    let questions = Questions::default();
    let server = server(&questions, 12);
    let folder = project(&server, 300, nine_of_ten, &json!({}));
    let config = fs::read_to_string(folder.path().join("run.yaml")).unwrap();
    fs::write(folder.path().join("run.yaml"), config.replace("\"concurrency\":4", "\"concurrency\":64")).unwrap();
    let text = run_expecting(folder.path(), 0, &RUN);
    let number = |before: &str, after: &str| -> f64 {
        let rest = text.split(before).nth(1).unwrap_or_else(|| panic!("{text}"));
        rest.split(after).next().unwrap().parse().unwrap()
    };
    let (at, told) = (number("decided after ", " of 300"), number("cases; about ", " US dollars"));
    let asked = questions.count() as f64;
    assert!(asked >= at + 10.0, "with 64 requests at once some are under way at the verdict: {asked} for {at}");
    // A question costs 0.002 dollars, whether its answer counted or came too late.
    assert!((told - 0.002 * (300.0 - asked)).abs() < 1e-3, "{told} with {asked} asked: {text}");
}

#[test]
fn answers_that_came_after_the_verdict_have_no_part_in_means() {
    let questions = Questions::default();
    let server = server(&questions, 12);
    let folder = project(&server, 300, nine_of_ten, &json!({}));
    let place = folder.path();
    let config = fs::read_to_string(place.join("run.yaml")).unwrap();
    fs::write(place.join("run.yaml"), config.replace("\"concurrency\":4", "\"concurrency\":64")).unwrap();
    run_expecting(place, 0, &[&RUN[..], &["-o", "own.json", "-o", "own.jsonl"]].concat());
    let lines = |name: &str| fs::read_to_string(place.join(name)).unwrap().lines().count();
    let read = |name: &str| -> Json { serde_json::from_str(&fs::read_to_string(place.join(name)).unwrap()).unwrap() };
    let seen = lines("own.jsonl");
    run_expecting(
        place,
        0,
        &["runs", "export", "1", "-o", "all.json", "-o", "all.jsonl", "--outputs", "outputs.jsonl"],
    );
    assert!(lines("outputs.jsonl") > seen, "with 64 requests at once some are under way at the verdict");
    assert_eq!(lines("all.jsonl"), seen);
    let mean = |metric: &Json| metric["mean"].as_f64().unwrap_or_else(|| panic!("{metric}"));
    let own = read("own.json");
    assert_eq!(read("all.json")["summary"]["cases"], json!(seen));
    assert_eq!(read("all.json")["summary"]["metrics"], own["summary"]["metrics"]);
    for given in ["1", "own.jsonl"] {
        let given = if given == "1" { given.to_owned() } else { place.join(given).display().to_string() };
        let viewer = RunViewer::open(&place.join(".probare/store.db"), &[given], registries()).unwrap();
        let key = viewer.runs().unwrap().runs[0].key.clone();
        let shown = serde_json::to_value(&*viewer.summary(&key, "").unwrap()).unwrap();
        assert_eq!(shown["whole"][0]["cases"], json!(seen), "{shown}");
        assert!((mean(&shown["whole"][0]) - mean(&own["summary"]["metrics"][0])).abs() < 1e-12, "{shown}");
    }
    let told: Json =
        serde_json::from_slice(&run(place, &["history", "--metric", "contains", "--json"]).stdout).unwrap();
    let series = told["series"].as_array().unwrap();
    let mut points = series.iter().flat_map(|series| series["points"].as_array().unwrap());
    assert!(points.clone().count() > 1 && points.all(|point| point["cases"] == json!(seen)), "{told}");
}

#[test]
fn what_is_not_spent_is_not_less_because_the_beginning_came_from_the_response_cache() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let folder = project(&server, 300, nine_of_ten, &json!({}));
    run_expecting(folder.path(), 0, &[&RUN[..], &["--seed", "7"]].concat());
    let first = questions.count();
    let words = ["run", "run.yaml", "--stop-when-decided", "--fail-under", "contains=0.82", "--seed", "7"];
    let text = run_expecting(folder.path(), 0, &words);
    let asked = questions.count();
    assert!(first >= 20 && asked >= first + 20, "{first} of {asked} come from the cache");
    let told = text.split("cases; about ").nth(1).and_then(|rest| rest.split(' ').next());
    let told: f64 = told.and_then(|usd| usd.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    // A question costs 0.002 dollars.
    assert!(
        (told - 0.002 * (300 - asked) as f64).abs() < 0.02,
        "{told} with {first} of {asked} from the cache: {text}"
    );
}

#[test]
fn a_run_is_compared_with_a_baseline_while_it_goes_on() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let folder = project(&server, 300, nine_of_ten, &json!({}));
    let place = folder.path();
    run_expecting(place, 0, &["run", "run.yaml", "-o", "old.jsonl"]);
    // The new model fails where the old one did, and in one case more.
    let worse = |at: usize| if at % 10 == 3 || at == 50 { "HARD" } else { "" };
    let line = |at| json!({"id": format!("c{at}"), "query": format!("Question {at} {}", worse(at)), "reference": "so"});
    let lines: String = (0..300).map(|at| format!("{}\n", line(at))).collect();
    fs::write(place.join("new.jsonl"), lines.replace("Question 50 HARD", "Question 50 ")).unwrap();
    let config = fs::read_to_string(place.join("run.yaml")).unwrap().replace("cases.jsonl", "new.jsonl");
    fs::write(place.join("new.yaml"), &config).unwrap();
    let asked = questions.count();
    let flags = ["--stop-when-decided", "--baseline", "old.jsonl", "--not-worse", "contains=0.1", "--seed", "4"];
    let found =
        decided_early(place, 0, &[&["run", "new.yaml", "--refresh", "--json", "-o", "new.json"], &flags[..]].concat());
    let decision = &found["decisions"][0];
    assert_eq!((&decision["verdict"], &decision["mean"]), (&json!("pass"), &json!(0.0)), "{found}");
    assert!(decision["gate"].as_str().unwrap().contains("worse than old.jsonl by at most 0.1"), "{found}");
    assert!(decision["bound"].as_f64().unwrap() >= -0.1 && decision["not_run"].as_u64().unwrap() > 50, "{found}");
    assert!(questions.count() - asked < 250, "{}", questions.count() - asked);
    // The run of the store is the same baseline, and a gate of the configuration the same gate.
    let gated = config.replacen('{', "{\"gates\": [{\"metric\": \"contains\", \"not_worse_by\": 0.1}], \"run\": {\"stop_when_decided\": true, \"baseline\": \"1\", \"seed\": 4}, ", 1);
    fs::write(place.join("gated.yaml"), gated).unwrap();
    let again = decided_early(place, 0, &["run", "gated.yaml", "--json"]);
    assert_eq!((&again["decisions"][0]["at"], &again["decisions"][0]["mean"]), (&decision["at"], &decision["mean"]));
    let text = run_expecting(place, 0, &["resume", "3", "-o", "again.json"]);
    // What is printed is what the run was asked to print.
    assert!(text.contains("contains worse than run 1 by at most 0.1") && text.contains("\"bound\": -0."), "{text}");
    let report = fs::read_to_string(place.join("new.json")).unwrap().replace(": ", ":");
    assert!(
        report.contains("\"kind\":\"not_worse\"") && report.contains("\"stopped_early\""),
        "the gate is in the manifest"
    );
}

#[test]
fn a_worse_run_fails_and_cases_without_a_counterpart_have_no_part() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // Half of the questions are other ones under the same ids, and of the rest every fourth is answered wrongly now.
    let write = |name: &str, is_new: bool| {
        let line = |at: usize| {
            let words = if is_new && at % 2 == 1 { "Other question" } else { "Question" };
            let response = if is_new && (at % 2 == 1 || at.is_multiple_of(8)) { "It is wrong." } else { "It is so." };
            json!({"id": format!("c{at}"), "query": format!("{words} {at}"), "reference": "so", "response": response})
        };
        fs::write(place.join(name), (0..200).map(|at| format!("{}\n", line(at))).collect::<String>()).unwrap();
    };
    write("old-cases.jsonl", false);
    write("new-cases.jsonl", true);
    run_expecting(place, 0, &["score", "old-cases.jsonl", "-m", "contains", "-q", "-o", "old.jsonl"]);
    let words = ["score", "new-cases.jsonl", "-m", "contains", "--stop-when-decided", "--baseline", "old.jsonl"];
    let words = [&words[..], &["--not-worse", "contains=0.05", "--json", "-o", "out.jsonl"]].concat();
    let found = decided_early(place, 2, &words);
    let decision = &found["decisions"][0];
    assert_eq!(decision["verdict"], "fail", "{found}");
    let mean = decision["mean"].as_f64().unwrap();
    assert!(decision["not_applicable"].as_u64().unwrap() > 10 && (-0.5..-0.1).contains(&mean), "{found}");
    assert!(run_expecting(place, 0, &["verify", "out.jsonl"]).contains("agree"), "the baseline is read again");
}

#[test]
fn baselines_that_cannot_be_used_are_refused_before_anybody_is_asked() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let folder = project(&server, 40, nine_of_ten, &json!({"metrics": [{"id": "contains"}, {"id": "steps"}]}));
    let place = folder.path();
    let early = ["run", "run.yaml", "--stop-when-decided"];
    let refused = |words: &[&str], part: &str| {
        let said = run_expecting(place, 64, words);
        assert!(said.contains(part), "{words:?}: {said}");
    };
    fs::write(place.join("other.jsonl"), "{\"id\":\"x\",\"response\":\"so\",\"reference\":\"so\"}\n").unwrap();
    run_expecting(place, 0, &["score", "other.jsonl", "-m", "contains", "-q", "-o", "other-results.jsonl"]);
    run_expecting(place, 0, &["score", "other.jsonl", "-m", "exact_match", "-q", "-o", "exact.jsonl"]);
    refused(&["run", "run.yaml", "--not-worse", "contains"], "is decided case by case, while the run goes on");
    refused(&[&early[..], &["--not-worse", "contains"]].concat(), "needs a baseline to compare with");
    refused(
        &[&early[..], &["--fail-under", "contains=0.5", "--baseline", "exact.jsonl"]].concat(),
        "no gate compares the run with it",
    );
    refused(
        &[&early[..], &["--not-worse", "contains", "--baseline", "exact.jsonl"]].concat(),
        "it has no metric `contains`",
    );
    refused(
        &[&early[..], &["--not-worse", "contains", "--baseline", "nowhere.jsonl"]].concat(),
        "the baseline `nowhere.jsonl` cannot be used: cannot read `nowhere.jsonl`: No such file",
    );
    refused(
        &[&early[..], &["--not-worse", "steps", "--baseline", "other-results.jsonl"]].concat(),
        "`steps` has no fixed range",
    );
    refused(
        &[&early[..], &["--fail-under", "contains=0.5", "--batch"]].concat(),
        "a batch sends all questions at once",
    );
    let shared = ["--not-worse", "contains", "--baseline", "other-results.jsonl"];
    let said = both_streams(&run(place, &[&early[..], &shared].concat()));
    assert!(said.contains("the two runs share no cases; only paired runs can be compared early"), "{said}");
    assert_eq!(questions.count(), 0);
}

#[test]
fn score_stops_asking_its_judge_and_its_results_verify() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cascade/probare.yaml");
    let config = config.canonicalize().unwrap().display().to_string();
    let words =
        ["score", "--config", &config, "--stop-when-decided", "--seed", "5", "--fail-under", "answer_match=0.5"];
    for jobs in ["1", "4"] {
        let name = format!("early-{jobs}.jsonl");
        let found = decided_early(place, 0, &[&words[..], &["--json", "-j", jobs, "-o", &name]].concat());
        let at = found["decisions"][0]["at"].as_u64().unwrap();
        assert!((3..100).contains(&at) && found["decisions"][0]["cases"] == 120, "{found}");
        assert_eq!(fs::read_to_string(place.join(&name)).unwrap().lines().count() as u64, at);
        let verified = run_expecting(place, 0, &["verify", &name]);
        assert!(!verified.contains("differ"), "{verified}");
    }
    assert_eq!(
        fs::read(place.join("early-1.jsonl")).unwrap(),
        fs::read(place.join("early-4.jsonl")).unwrap(),
        "threads have no part in it"
    );
    // Another seed, other cases; a changed verdict is found.
    let manifest = fs::read_to_string(place.join("early-1.jsonl.run.json")).unwrap();
    fs::write(
        place.join("early-1.jsonl.run.json"),
        manifest.replace("\"seed\": 5", "\"seed\": 6").replace("\"seed\":5", "\"seed\":6"),
    )
    .unwrap();
    assert_eq!(run(place, &["verify", "early-1.jsonl"]).status.code(), Some(1));
}

#[test]
fn score_asks_nobody_in_batches_and_stops_whatever_the_configuration_says_about_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let line = |at| json!({"id": format!("c{at}"), "response": "so", "reference": "so"});
    fs::write(place.join("cases.jsonl"), (0..40).map(|at| format!("{}\n", line(at))).collect::<String>()).unwrap();
    let config = json!({"metrics": ["contains"], "gates": [{"metric": "contains", "fail_under": 0.5}],
        "run": {"batch": true, "stop_when_decided": true}});
    fs::write(place.join("run.yaml"), config.to_string()).unwrap();
    let text = run_expecting(place, 0, &["score", "cases.jsonl", "--config", "run.yaml", "-o", "out.jsonl"]);
    assert!(decision(&text).starts_with("pass  contains >= 0.5"), "{text}");
}

#[test]
fn runs_that_stopped_are_compared_on_the_cases_that_both_have() {
    let questions = Questions::default();
    let server = server(&questions, 0);
    let folder = project(&server, 300, nine_of_ten, &json!({"models": []}));
    let place = folder.path();
    let cases = |wrong: usize| -> String {
        let answer = |at: usize| if at % 10 < wrong { "It is wrong." } else { "It is so." };
        let line = |at| json!({"id": format!("c{at}"), "query": format!("Question {at}"), "response": answer(at), "reference": "so"});
        (0..300).map(|at| format!("{}\n", line(at))).collect()
    };
    for (name, wrong) in [("old", 4), ("new", 1)] {
        fs::write(place.join(format!("{name}-cases.jsonl")), cases(wrong)).unwrap();
    }
    let score = |name: &str, words: &[&str]| {
        let (cases, out) = (format!("{name}-cases.jsonl"), format!("{name}.jsonl"));
        run(place, &[&["score", &cases, "-m", "contains", "-q", "-o", &out], words].concat());
    };
    let gate = |limit: &'static str| ["--stop-when-decided", "--seed", "3", "--fail-under", limit];
    score("old", &gate("contains=0.5"));
    score("new", &gate("contains=0.83"));
    let compare = ["compare", "old.jsonl", "new.jsonl"];
    let text = run_expecting(
        place,
        0,
        &[&compare[..], &["--not-worse", "contains", "--margin", "0.3", "-o", "c.md", "-o", "c.json"]].concat(),
    );
    assert!(
        text.contains("from the beginning of the order in both")
            && text.contains("pass: contains worse by at most 0.3"),
        "{text}"
    );
    let told: Json = serde_json::from_str(&fs::read_to_string(place.join("c.json")).unwrap()).unwrap();
    let metric = &told["others"][0]["metrics"][0];
    let (low, high) = (metric["interval"]["low"].as_f64().unwrap(), metric["interval"]["high"].as_f64().unwrap());
    assert!(low < 0.3 && 0.3 < high && metric.get("p_value").is_none(), "{told}");
    assert!(fs::read_to_string(place.join("c.md")).unwrap().contains("at any stop"));
    assert!(run_expecting(place, 64, &[&compare[..], &["-o", "c.html"]].concat()).contains("stopped early"));
    assert!(run_expecting(place, 64, &[&compare[..], &["--by", "tags"]].concat()).contains("--by has no intervals"));
    // A complete run counts where the same seed was settled for it, and not otherwise.
    score("new", &["--stop-when-decided", "--seed", "3", "--fail-under", "contains=0.9"]);
    run_expecting(place, 0, &compare);
    score("new", &[]);
    assert!(run_expecting(place, 64, &compare).contains("without a seed that is known"));
    score("new", &["--stop-when-decided", "--seed", "4", "--fail-under", "contains=0.5"]);
    assert!(run_expecting(place, 64, &compare).contains("with seed 4"));
}

#[test]
fn outputs_of_a_case_count_once_in_a_file_as_they_do_in_its_mean() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // Ten repeats of each case, which say the same: as cases of their own they would be evidence ten times.
    let line = |case: usize, repeat: usize| {
        let response = if case.is_multiple_of(5) { "no" } else { "so" };
        json!({"id": format!("c{case}"), "repeat": repeat, "response": response, "reference": "so"})
    };
    let lines: String =
        (0..10).flat_map(|repeat| (0..60).map(move |case| format!("{}\n", line(case, repeat)))).collect();
    fs::write(place.join("cases.jsonl"), lines).unwrap();
    let words = ["score", "cases.jsonl", "-m", "contains", "--stop-when-decided", "--seed", "3", "--json"];
    let found = decided_early(place, 0, &[&words[..], &["--fail-under", "contains=0.5", "-o", "out.jsonl"]].concat());
    let decision = &found["decisions"][0];
    let at = decision["at"].as_u64().unwrap();
    assert_eq!((&decision["verdict"], &decision["cases"]), (&json!("pass"), &json!(60)), "{found}");
    assert!((5..60).contains(&at), "{found}");
    assert_eq!(fs::read_to_string(place.join("out.jsonl")).unwrap().lines().count() as u64, 10 * at);
    assert!(run_expecting(place, 0, &["verify", "out.jsonl"]).contains("agree"));
    // One output of each case decides at the same case.
    let one: String = (0..60).map(|case| format!("{}\n", line(case, 0))).collect();
    fs::write(place.join("cases.jsonl"), one).unwrap();
    let found = decided_early(place, 0, &[&words[..], &["--fail-under", "contains=0.5", "-o", "one.jsonl"]].concat());
    assert_eq!(found["decisions"][0]["at"].as_u64().unwrap(), at, "{found}");
}
