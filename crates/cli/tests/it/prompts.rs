//! Several prompts beside several models: every case is asked with each of them, nothing is asked twice, and results, comparisons,
//! exports and the store tell them apart.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use probare_testing::{ServerBehaviour, TestServer};
use serde_json::Value as Json;

use crate::program::{both_streams, command, run, run_expecting, run_successfully};

const CASES: usize = 100;

/// Two models at servers of their own, three prompts, two repeats.
fn project(servers: &[&TestServer], cases: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..cases)
        .map(|at| format!("{{\"id\":\"c{at}\",\"query\":\"Q{at:03}\",\"style\":\"brief\",\"reference\":\"reply to A Q{at:03}\"}}\n"))
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    fs::write(folder.path().join("short.txt"), "A {{query}}\n").unwrap();
    let models: String = ["small", "large"]
        .iter()
        .zip(servers)
        .map(|(name, server)| {
            format!(
                "  - {{name: {name}, base_url: {}/v1, max_tokens: 100, concurrency: 4, retry_wait: 0.01, \
                 pricing: {{prompt_price_per_million: 10, completion_price_per_million: 20}}}}\n",
                server.url()
            )
        })
        .collect();
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]\nmodels:\n{models}generate:\n  repeats: 2\n  prompts:\n    - {{name: short, file: \
         short.txt}}\n    - {{name: polite, system: 'Be {{{{style}}}}.', prompt: 'B {{{{query}}}}', parameters: {{temperature: \
         0.25, max_tokens: 50}}}}\n    - {{name: shots, prompt: 'C {{{{query}}}}', examples: [{{prompt: D, response: E}}]}}\nmetrics: \
         [{{id: exact_match}}, {{id: token_f1}}]\n"
    );
    fs::write(folder.path().join("probare.yaml"), config).unwrap();
    folder
}

fn results(path: &Path) -> Vec<Json> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How often each question was asked, and of how many questions.
fn asked(server: &TestServer) -> (usize, u64) {
    let stats = server.question_stats();
    (stats.len(), stats.values().map(|stats| stats.requests).max().unwrap_or_default())
}

#[test]
fn three_prompts_and_two_models_are_ended_resumed_and_compared_and_nothing_is_asked_twice() {
    let slow = || ServerBehaviour { delay: Duration::from_millis(4), ..ServerBehaviour::default() };
    let servers = [TestServer::start(slow()).unwrap(), TestServer::start(slow()).unwrap()];
    let folder = project(&[&servers[0], &servers[1]], CASES);
    let place = folder.path();
    let samples = CASES * 3 * 2 * 2;
    let requests = || servers.iter().map(TestServer::requests).sum::<u64>();

    let mut child = command(place, &["run", "probare.yaml", "-q"]);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while requests() < samples as u64 / 4 && Instant::now() < until {
        thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(3), "it keeps what is finished");
    let before = requests();
    assert!(before >= samples as u64 / 4 && before < samples as u64, "{before} requests");

    run_successfully(
        place,
        &["resume", "1", "-q", "-o", "all.jsonl", "-o", "all.csv", "-o", "all.parquet", "-o", "all.html"],
    );
    assert_eq!(requests(), samples as u64, "nothing is asked twice");
    for server in &servers {
        assert_eq!(asked(server), (CASES * 3, 2), "each question once for each repeat");
    }
    let lines = results(&place.join("all.jsonl"));
    assert_eq!(lines.len(), samples);
    let seat = |at: usize| {
        let line = &lines[at];
        (line["model"].as_str().unwrap(), line["prompt"].as_str().unwrap(), line["repeat"].as_u64().unwrap_or(0))
    };
    assert_eq!(
        [seat(0), seat(1), seat(2), seat(5), seat(6)],
        [
            ("small", "short", 0),
            ("small", "short", 1),
            ("small", "polite", 0),
            ("small", "shots", 1),
            ("large", "short", 0)
        ]
    );
    for line in &lines {
        let expected = f64::from(u8::from(line["prompt"] == "short"));
        assert_eq!(line["scores"]["exact_match"]["value"].as_f64(), Some(expected), "{line}");
    }
    let head = fs::read_to_string(place.join("all.csv")).unwrap();
    assert!(head.starts_with("id,model,prompt,repeat,exact_match,"), "{}", head.lines().next().unwrap());
    let manifest: Json = serde_json::from_slice(&fs::read(place.join("all.jsonl.run.json")).unwrap()).unwrap();
    let names: Vec<&str> = manifest["generation"]["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["short", "polite", "shots"]);

    // The same results, from the store and from files, with every form of selection.
    run_successfully(place, &["runs", "export", "1", "-o", "again.jsonl", "--outputs", "outputs.jsonl"]);
    assert_eq!(fs::read(place.join("again.jsonl")).unwrap(), fs::read(place.join("all.jsonl")).unwrap());
    let outputs = results(&place.join("outputs.jsonl"));
    let name = |line: &Json| line["metadata"]["prompt"].as_str().map(str::to_owned);
    assert_eq!(outputs.iter().filter(|line| name(line).as_deref() == Some("polite")).count(), samples / 3);
    assert!(outputs.iter().all(|line| line.get("prompt").is_none()), "a case without a query would take it for one");
    let score = ["score", "outputs.jsonl", "-c", "/dev/null", "-m", "exact_match", "--by", "prompt", "-o", "scored.md"];
    let scored = run_successfully(place, &score);
    assert!(scored.contains("polite") && scored.contains("shots"), "{scored}");
    for sides in [
        ["1@prompt:short", "1@prompt:polite"],
        ["all.jsonl@prompt:short", "all.csv@prompt:polite"],
        ["all.parquet@small@prompt:short", "1@large@prompt:polite"],
    ] {
        let text = run_successfully(place, &["compare", sides[0], sides[1], "--json"]);
        let compared: Json =
            serde_json::from_str(text.split_once("\nhint").map_or(text.as_str(), |(json, _)| json)).unwrap();
        let whole = &compared["others"][0]["metrics"][0]["whole"];
        let mean = |side: &str| whole[side].as_f64().unwrap();
        assert!((mean("baseline") - 1.0).abs() < 1e-12 && mean("other").abs() < 1e-12, "{sides:?}: {whole}");
    }
    let text = run_successfully(place, &["compare", "1@small", "1@large"]);
    assert!(text.contains("prompt polite"), "prompts are told apart where one model is left: {text}");
    let shown = run_successfully(place, &["show", "all.jsonl", "--id", "c1"]);
    assert!(shown.contains("\n\ncase c1, model small, prompt polite, repeat 1\n"), "{shown}");
    let shown = run_successfully(place, &["runs", "show", "1"]);
    assert!(shown.contains("\nprompt short: SHA-256 ") && shown.contains("\nprompt shots: SHA-256 "), "{shown}");
    let missing = run_expecting(place, 64, &["compare", "1@prompt:shrot", "1@prompt:short"]);
    assert!(missing.contains("no results of the prompt `shrot`, but of polite, short, shots"), "{missing}");

    // What is shown by default are the cells of the matrix; a single dimension on demand.
    let text = both_streams(&run(place, &["run", "probare.yaml"]));
    for cell in ["small, prompt short", "large, prompt shots"] {
        assert!(text.contains(cell), "{cell}: {text}");
    }
    let text = both_streams(&run(place, &["run", "probare.yaml", "--by", "prompt"]));
    assert!(text.contains("polite") && !text.contains("small, prompt"), "{text}");
    assert_eq!(requests(), samples as u64);
}

#[test]
fn a_run_that_is_killed_asks_again_only_what_was_under_way() {
    let slow = || ServerBehaviour { delay: Duration::from_millis(4), ..ServerBehaviour::default() };
    let servers = [TestServer::start(slow()).unwrap(), TestServer::start(slow()).unwrap()];
    let folder = project(&[&servers[0], &servers[1]], 30);
    let place = folder.path();
    let samples = 30 * 3 * 2 * 2;
    let requests = || servers.iter().map(TestServer::requests).sum::<u64>();
    let mut child = command(place, &["run", "probare.yaml", "-q"]);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while requests() < samples / 3 && Instant::now() < until {
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    run_successfully(place, &["resume", "1", "-q", "-o", "all.jsonl"]);
    // Four at once for each model, and those whose reply came and was not written yet.
    let twice = requests() - samples;
    assert!(twice <= 16, "{twice} questions were asked twice");
    assert_eq!(results(&place.join("all.jsonl")).len() as u64, samples);
    // A run that was left alone has the same results, from the cache.
    run_successfully(place, &["run", "probare.yaml", "-q", "-o", "other.jsonl"]);
    assert_eq!(fs::read(place.join("other.jsonl")).unwrap(), fs::read(place.join("all.jsonl")).unwrap());
}

#[test]
fn one_prompt_of_several_is_a_run_without_that_dimension_and_costs_nothing_again() {
    let servers = [
        TestServer::start(ServerBehaviour::default()).unwrap(),
        TestServer::start(ServerBehaviour::default()).unwrap(),
    ];
    let folder = project(&[&servers[0], &servers[1]], 5);
    let place = folder.path();
    let requests = || servers.iter().map(TestServer::requests).sum::<u64>();
    let dry = run_successfully(place, &["run", "probare.yaml", "--dry-run"]);
    assert!(dry.contains("60 samples"), "{dry}");
    for (model, prompt) in [("small", "short"), ("small", "polite"), ("large", "shots")] {
        assert!(dry.contains(&format!("{model} answers to prompt {prompt}: 10 calls")), "{dry}");
    }
    let line = |prompt: &str| {
        dry.lines().find(|line| line.contains(&format!("small answers to prompt {prompt}"))).unwrap().to_owned()
    };
    assert!(line("short").contains(" 1000 out") && line("polite").contains(" 500 out"), "its own `max_tokens`: {dry}");
    assert_eq!(requests(), 0);

    run_successfully(place, &["run", "probare.yaml", "-q", "--prompt", "short", "-o", "short.jsonl"]);
    assert_eq!(requests(), 20);
    let lines = results(&place.join("short.jsonl"));
    assert!(lines.len() == 20 && lines.iter().all(|line| line.get("prompt").is_none()), "{}", lines[0]);
    let resumed = run_successfully(place, &["resume", "1"]);
    assert!(!resumed.contains("changed"), "{resumed}");
    run_successfully(place, &["run", "probare.yaml", "-q", "-o", "all.jsonl"]);
    assert_eq!(requests(), 60, "what the first run asked is in the cache");
    run_successfully(place, &["compare", "2@prompt:short", "1"]);
    // The question of a prompt with a name is that of one without.
    let plain = "datasets: [{path: cases.jsonl}]\nmodels: [{name: small, base_url: BASE/v1, max_tokens: 100}]\ngenerate: {prompt: '@short.txt', repeats: 2}\n\
                 metrics: [{id: exact_match}]\n";
    fs::write(place.join("plain.yaml"), plain.replace("BASE", &servers[0].url())).unwrap();
    run_successfully(place, &["run", "plain.yaml", "-q"]);
    assert_eq!(requests(), 60, "a name is no part of a question");

    let unknown = run_expecting(place, 64, &["run", "probare.yaml", "--prompt", "shrot"]);
    assert!(unknown.contains("no prompt `shrot`") && unknown.contains("a similar name exists: `short`"), "{unknown}");
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    fs::write(place.join("slip.yaml"), config.replace("C {{query}}", "C {{qery}}")).unwrap();
    let slip = run_expecting(place, 64, &["run", "slip.yaml"]);
    assert!(
        slip.contains("`{{qery}}`, which line 1 of `prompt` of prompt `shots` wants") && slip.contains("`{{query}}`"),
        "{slip}"
    );
    fs::write(place.join("twice.yaml"), config.replace("name: polite", "name: short")).unwrap();
    assert!(run_expecting(place, 64, &["run", "twice.yaml"]).contains("two prompts are called `short`"));
    fs::write(place.join("gone.yaml"), config.replace("short.txt", "gone.txt")).unwrap();
    let gone = run_expecting(place, 1, &["run", "gone.yaml"]);
    assert!(gone.contains("prompt `short`: cannot read `") && gone.contains("gone.txt`: "), "{gone}");
    fs::write(place.join("both.yaml"), config.replace("  repeats: 2", "  repeats: 2\n  prompt: x")).unwrap();
    assert!(run_expecting(place, 64, &["run", "both.yaml"]).contains("`prompt` and `prompts` exclude each other"));
    assert_eq!(requests(), 60);
}

#[test]
fn other_tools_get_prompts_as_they_know_them() {
    let servers = [
        TestServer::start(ServerBehaviour::default()).unwrap(),
        TestServer::start(ServerBehaviour::default()).unwrap(),
    ];
    let folder = project(&[&servers[0], &servers[1]], 2);
    let place = folder.path();
    run_successfully(place, &["run", "probare.yaml", "-q", "-o", "all.jsonl", "-o", "all.xml", "-o", "all.md"]);
    for what in ["1", "all.jsonl"] {
        run_successfully(place, &["export", what, "--to", "promptfoo", "-o", "promptfoo.json"]);
        let file: Json = serde_json::from_slice(&fs::read(place.join("promptfoo.json")).unwrap()).unwrap();
        let columns: Vec<(String, String)> = (file["results"]["prompts"].as_array().unwrap().iter())
            .map(|prompt| {
                (prompt["provider"].as_str().unwrap().to_owned(), prompt["label"].as_str().unwrap().to_owned())
            })
            .collect();
        assert_eq!(columns.len(), 6, "{columns:?}");
        assert!(columns[1].0.contains("small") && columns[1].1 == "polite", "{columns:?}");
        let refused =
            run_expecting(place, 64, &["export", what, "--to", "inspect", "--model", "small", "-o", "log.json"]);
        assert!(refused.contains("3 prompts") && refused.contains("--prompt: polite, short, shots"), "{refused}");
        run_successfully(
            place,
            &["export", what, "--to", "inspect", "--model", "small", "--prompt", "short", "-o", "log.json"],
        );
        let log: Json = serde_json::from_slice(&fs::read(place.join("log.json")).unwrap()).unwrap();
        assert_eq!(log["samples"].as_array().unwrap().len(), 4, "2 cases, 2 repeats");
    }
    let junit = fs::read_to_string(place.join("all.xml")).unwrap();
    assert!(
        junit.contains("c0 (small, prompt polite)") && junit.contains("<property name=\"prompt\" value=\"polite\"/>")
    );
    assert!(fs::read_to_string(place.join("all.md")).unwrap().contains("small, prompt polite"));
}
