//! Every flag arrives. The verbs that score and their flags are taken from the command line itself; each flag is set on each of
//! them, and has to be found among the settings of the run, with its origin. Where a flag shows in what is printed, written or
//! answered, the run is made with and without it and the two differ. A flag without a probe fails, and so does a probe that no
//! flag needs any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::program::PROGRAM;

/// A verb with words with which it runs in a folder.
struct Scene {
    verb: &'static str,
    folder: &'static str,
    words: &'static str,
    /// A metric that it computes, for gates.
    metric: &'static str,
    /// Whether it is cheap and repeatable enough to be run with and without each flag.
    is_run: bool,
    /// An input without a case.
    empty: Option<&'static str>,
}

const SCENES: [Scene; 13] = [
    Scene {
        verb: "score",
        folder: "plain",
        words: "cases.jsonl -m token_f1",
        metric: "token_f1",
        is_run: true,
        empty: Some("score empty.jsonl -m token_f1"),
    },
    Scene {
        verb: "run",
        folder: "plain",
        words: "run.yaml",
        metric: "token_f1",
        is_run: true,
        empty: Some("run empty.yaml"),
    },
    Scene { verb: "resume", folder: "plain", words: "1", metric: "token_f1", is_run: false, empty: None },
    Scene { verb: "rescore", folder: "plain", words: "1 -m token_f1", metric: "token_f1", is_run: false, empty: None },
    Scene {
        verb: "rag eval",
        folder: "rag",
        words: "--cases cases.jsonl --threshold latency_warn_ms=1000000",
        metric: "relevance",
        is_run: true,
        empty: Some("rag eval --cases empty.jsonl"),
    },
    Scene {
        verb: "rag test",
        folder: "plain",
        words: "index --questions cases.jsonl",
        metric: "reciprocal_rank",
        is_run: false,
        empty: None,
    },
    Scene {
        verb: "synthesis",
        folder: "synthesis",
        words: "--cases cases.jsonl",
        metric: "agency_language",
        is_run: true,
        empty: Some("synthesis --cases empty.jsonl"),
    },
    Scene {
        verb: "socioscope",
        folder: "socioscope",
        words: "questions.json corpus.json --timestamp 20240131_120000 --no-plots",
        metric: "yes_no",
        is_run: true,
        empty: None,
    },
    Scene {
        verb: "socioscope evaluate",
        folder: "socioscope",
        words: "questions.json corpus.json --timestamp 20240131_120000 --no-plots",
        metric: "yes_no",
        is_run: false,
        empty: None,
    },
    Scene {
        verb: "synthlink",
        folder: "synthlink",
        words: "--predictions system_a.json",
        metric: "f1",
        is_run: true,
        empty: None,
    },
    Scene {
        verb: "quotes",
        folder: "quotes",
        words: "quotes.csv texts",
        metric: "verbatim",
        is_run: true,
        empty: Some("quotes empty.csv texts"),
    },
    Scene {
        verb: "sgi score",
        folder: "sgi",
        words: "wet --data data/wet_experiment.jsonl --predictions outputs.jsonl",
        metric: "wet_experiment",
        is_run: true,
        empty: None,
    },
    Scene {
        verb: "sgi run",
        folder: "sgi",
        words: "two.yaml --overwrite",
        metric: "wet_experiment",
        is_run: false,
        empty: None,
    },
];

/// How a flag is seen.
enum Probe {
    /// The setting of this name has the value of the flag: no output may depend on it, or it takes a model or a sandbox to see.
    Setting(&'static str, &'static str),
    /// The same, and what comes out differs with it. `M` is the metric.
    Effect(&'static str, &'static str),
    /// The same in a run that already has further words.
    Beside(&'static str, &'static str, &'static str),
    /// The same where there is not a single case.
    Empty(&'static str, &'static str),
}

/// Flags that are settings, on every verb that lists them.
const PROBES: [(&str, Probe); 49] = [
    ("output", Probe::Effect("output", "--output=out.jsonl")),
    ("fail-under", Probe::Effect("gate", "--fail-under=M=2")),
    ("fail-if", Probe::Effect("gate", "--fail-if=M>-1")),
    ("fail-if-any", Probe::Effect("gate", "--fail-if-any=M>-1")),
    ("fail-pass-rate", Probe::Effect("gate", "--fail-pass-rate=M>=2:90%")),
    ("fail-labels", Probe::Effect("gate", "--fail-labels=M:NOBODY<1")),
    ("max-unsure", Probe::Effect("gate", "--max-unsure=M=0%")),
    ("fail-quantile", Probe::Effect("gate", "--fail-quantile=M@90%>-1")),
    ("significant", Probe::Beside("significant", "--significant", "--fail-under=M=0.01")),
    ("per-group", Probe::Beside("per_group", "--per-group", "--by=tags --fail-under=M=2 -o out.json")),
    ("github", Probe::Beside("github", "--github", "--fail-under=M=2")),
    ("by", Probe::Beside("by", "--by=tags", "-o out.json")),
    ("decision-thresholds", Probe::Beside("decision_thresholds", "--decision-thresholds=nobody.json", "-o out.json")),
    ("bands", Probe::Beside("decision_thresholds", "--bands=nobody.json", "-o out.json")),
    ("cluster", Probe::Beside("cluster", "--cluster=nobody", "-o out.json")),
    ("jobs", Probe::Setting("jobs", "--jobs=3")),
    ("judge", Probe::Setting("judges", "--judge=openai:x")),
    ("offline", Probe::Setting("offline", "--offline")),
    ("refresh", Probe::Setting("refresh", "--refresh")),
    ("batch", Probe::Setting("batch", "--batch")),
    ("budget-usd", Probe::Setting("budget_usd", "--budget-usd=1.5")),
    ("budget-tokens", Probe::Setting("budget_tokens", "--budget-tokens=7")),
    ("score-truncated", Probe::Setting("score_truncated", "--score-truncated")),
    ("cache", Probe::Setting("cache", "--cache=elsewhere.db")),
    ("sandbox", Probe::Setting("sandbox", "--sandbox=bubblewrap")),
    ("run-again", Probe::Setting("run_again", "--run-again")),
    ("limit", Probe::Effect("limit", "--limit=1")),
    ("allow-empty", Probe::Empty("allow_empty", "--allow-empty")),
    ("allow-not-run", Probe::Setting("allow_not_run", "--allow-not-run")),
    ("title", Probe::Beside("title", "--title=Heading", "-o out.html")),
    ("quiet", Probe::Effect("quiet", "--quiet")),
    ("json", Probe::Effect("json", "--json")),
    ("color", Probe::Effect("color", "--color=always")),
    ("prompt", Probe::Setting("prompts", "--prompt=nobody")),
    ("profile", Probe::Setting("profile", "--profile=improved")),
    ("strict", Probe::Setting("strict", "--strict")),
    ("stop-when-decided", Probe::Beside("stop_when_decided", "--stop-when-decided", "--fail-under=M=0.01 -o out.json")),
    ("seed", Probe::Setting("seed", "--seed=7")),
    ("baseline", Probe::Setting("baseline", "--baseline=old.jsonl")),
    ("not-worse", Probe::Setting("gate", "--not-worse=M=0.1")),
    ("metric", Probe::Setting("metrics", "--metric=exact_match")),
    ("config", Probe::Setting("config", "--config=other.yaml")),
    ("map", Probe::Setting("map", "--map=query=id")),
    ("format", Probe::Setting("format", "--format=json")),
    ("delimiter", Probe::Setting("delimiter", "--delimiter=;")),
    ("group", Probe::Setting("group", "--group=conversation")),
    ("max-row-size", Probe::Setting("max_row_size", "--max-row-size=1")),
    ("store", Probe::Setting("", "")),
    ("yes", Probe::Setting("", "")),
];

/// Flags that are no settings of a run: what the verb itself is told. Each is seen by the test that is named.
const OWN: [(&str, &str, &str); 50] = [
    ("run", "dry-run", "run.trycmd"),
    ("run", "embedding", "promptfoo::similar_is_decided_by_vectors_of_the_model_that_is_named"),
    ("run", "allow-code", "promptfoo::code_of_a_configuration_runs_where_the_user_allows_it_and_only_there"),
    ("resume", "wait", "batches::resume_waits_for_batches_until_none_is_left"),
    ("resume", "accept-changes", "torture_runs::a_changed_case_prompt_or_setting_is_named_and_refused"),
    ("resume", "retry", "torture_runs"),
    ("rag test", "k", "retrieval"),
    ("rag test", "filter", "retrieval"),
    ("rag test", "postgres", "refused"),
    ("rag test", "mode", "retrieval"),
    ("rag test", "embedding", "retrieval"),
    ("rag test", "config", "words::an_index_is_tested_with_the_gates_of_the_configuration_that_is_there"),
    ("rag test", "metric", "retrieval"),
    ("rag test", "questions", "retrieval"),
    ("rag test", "model", "retrieval"),
    ("rag eval", "conv", "rag.trycmd"),
    ("rag eval", "ctx", "rag.trycmd"),
    ("rag eval", "cases", "rag.trycmd"),
    ("rag eval", "out", "rag.trycmd"),
    ("rag eval", "anchor-weights", "suites rag"),
    ("rag eval", "claim-window", "suites rag"),
    ("rag eval", "threshold", "rag.trycmd"),
    ("rag eval", "first-version", "suites rag"),
    ("rag eval", "gate", "rag.trycmd"),
    ("rag eval", "map", "suites rag"),
    ("rag eval", "format", "suites rag"),
    ("rag eval", "max-row-size", "suites rag"),
    ("synthesis", "cases", "synthesis.trycmd"),
    ("synthesis", "schema", "synthesis_problems.trycmd"),
    ("synthesis", "out", "synthesis.trycmd"),
    ("synthesis", "fail-on", "suites synthesis"),
    ("synthesis", "lexicon", "synthesis.trycmd"),
    ("synthesis", "format", "synthesis.trycmd"),
    ("synthlink", "predictions", "synthlink.trycmd"),
    ("synthlink", "output-dir", "synthlink.trycmd"),
    ("synthlink", "catalog", "synthlink.trycmd"),
    ("synthlink", "missing", "synthlink.trycmd"),
    ("synthlink", "weights", "suites synthlink"),
    ("synthlink", "seed", "suites synthlink"),
    ("quotes", "quote", "suites quotes"),
    ("quotes", "source", "suites quotes"),
    ("sgi score", "data", "sgi.trycmd"),
    ("sgi score", "predictions", "sgi.trycmd"),
    ("sgi score", "discipline", "suites sgi"),
    ("sgi score", "output-dir", "suites sgi"),
    ("sgi score", "embedding-model", "suites sgi"),
    ("sgi score", "upstream", "original_sgi"),
    ("sgi score", "prompts", "original_sgi"),
    ("sgi score", "text-only", "original_sgi"),
    ("sgi run", "overwrite", "sgi.trycmd"),
];

/// Flags of the suites that stand under one heading and are seen together.
const TOGETHER: [(&str, &[&str], &str); 6] = [
    (
        "synthesis",
        &["upstream", "explain", "planted", "no-color", "concreteness"],
        "originals/synthesis.sh, cli synthesis_1_3",
    ),
    ("sgi score", &["environment", "timeout", "fixtures"], "metrics dry"),
    (
        "socioscope",
        &[
            "out",
            "format",
            "no-plots",
            "strict-yes-no",
            "fuzzy-threshold",
            "rationale-weight",
            "wordnet",
            "timestamp",
            "redact",
            "index",
            "embedding",
            "url",
            "model",
            "k",
            "filter",
        ],
        "socioscope.trycmd, suites socioscope, retrieval",
    ),
    (
        "socioscope evaluate",
        &[
            "out",
            "format",
            "no-plots",
            "strict-yes-no",
            "fuzzy-threshold",
            "rationale-weight",
            "wordnet",
            "timestamp",
            "redact",
            "index",
            "embedding",
            "url",
            "model",
            "k",
            "filter",
        ],
        "socioscope.trycmd, suites socioscope, retrieval",
    ),
    ("rescore", &["config"], "resume"),
    ("resume", &["config"], "torture_runs::a_run_goes_on_as_it_began_and_a_foreign_one_wants_its_configuration"),
];

/// Suites whose own option of this name says something else than the setting of every run.
fn is_own(verb: &str, flag: &str) -> bool {
    OWN.iter().any(|(of, name, _)| *of == verb && *name == flag)
        || TOGETHER.iter().any(|(of, names, _)| *of == verb && names.contains(&flag))
}

fn words(text: &str, metric: &str) -> Vec<String> {
    // The metric stands in place of a letter that no flag has alone.
    let put = |word: &str| match word.split_once("=M") {
        Some((flag, rest)) => format!("{flag}={metric}{rest}"),
        None => word.to_owned(),
    };
    text.split_whitespace().map(put).collect()
}

/// The flags of a verb, by their long names.
fn flags(verb: &str) -> BTreeSet<String> {
    let mut command = probare_cli::command();
    command.build();
    let found = verb.split(' ').fold(&command, |command, word| command.find_subcommand(word).expect("a verb"));
    let flags = found.get_arguments().filter_map(clap_long);
    flags.filter(|flag| !["help", "version"].contains(&flag.as_str())).collect()
}

fn clap_long(argument: &clap::Arg) -> Option<String> {
    argument.get_long().map(str::to_owned)
}

fn prepare(scene: &Scene) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
    if scene.folder == "plain" {
        let case = |number: usize| {
            let answer = if number.is_multiple_of(2) { "a b" } else { "c d" };
            format!(
                "{{\"id\": \"{number}\", \"query\": \"q\", \"response\": \"{answer}\", \"reference\": \"a c\", \"tags\": [\"t{}\"]}}\n",
                number % 3
            )
        };
        write("cases.jsonl", &(0..9).map(case).collect::<String>());
        write("run.yaml", "datasets: [{path: cases.jsonl}]\nmetrics: [token_f1]\n");
        write("empty.yaml", "datasets: [{path: empty.jsonl}]\nmetrics: [token_f1]\n");
        write("other.yaml", "datasets: [{path: cases.jsonl}]\nmetrics: [token_f1]\n");
    } else {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(scene.folder), root);
        write("other.yaml", "run: {seed: 5}\n");
    }
    write("empty.jsonl", "");
    write("empty.csv", "quote,source\n");
    if ["resume", "rescore"].contains(&scene.verb) {
        let made = run(root, &words("run run.yaml", ""));
        assert_eq!(made.code, Some(0), "{made:?}");
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, &target).map(drop).unwrap() }
    }
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct RunOutput {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    files: BTreeMap<String, Vec<u8>>,
}

fn run(folder: &Path, words: &[String]) -> RunOutput {
    let output = Command::new(PROGRAM)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("GITHUB_ACTIONS")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    let mut files = BTreeMap::new();
    gather(folder, folder, &mut files);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    RunOutput { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr), files }
}

/// Files that a run leaves, but for stores and what tells the time.
fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if name.starts_with(".probare") {
            continue;
        }
        if path.is_dir() {
            gather(root, &path, files);
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// What `config show` says.
fn config_shown(folder: &Path, scene: &Scene, more: &[String]) -> Json {
    let mut all = words("config show --json", "");
    all.extend(words(scene.verb, ""));
    all.extend(words(scene.words, scene.metric));
    all.extend_from_slice(more);
    let seen = run(folder, &all);
    assert_eq!(seen.code, Some(0), "{all:?}: {}", seen.stderr);
    serde_json::from_str(&seen.stdout).unwrap()
}

/// What it says of a setting: its values, and which flags are named as the origin of one.
fn values_and_flags(shown: &Json, setting: &str) -> (Vec<Json>, BTreeSet<String>) {
    let of = shown.as_array().unwrap().iter().filter(|entry| entry["setting"] == setting);
    let (mut values, mut origins) = (Vec::new(), BTreeSet::new());
    for entry in of {
        values.push(entry["value"].clone());
        origins.extend(entry["from"]["flag"].as_str().map(str::to_owned));
    }
    (values, origins)
}

/// What the flags of one verb were seen to do.
fn check(scene: &Scene) -> ((usize, usize, usize), Vec<String>) {
    let (mut counts, mut wrong) = ((0, 0, 0), Vec::new());
    let place = prepare(scene);
    // What is so without the flag under test, by the words that stand beside it: most flags need none.
    let (mut settings, mut runs) = (BTreeMap::new(), BTreeMap::new());
    for flag in flags(scene.verb) {
        if is_own(scene.verb, &flag) {
            counts.2 += 1;
            continue;
        }
        let Some((_, probe)) = PROBES.iter().find(|(name, _)| *name == flag) else {
            wrong.push(format!("{} --{flag} has no probe", scene.verb));
            continue;
        };
        let (setting, word, beside) = match probe {
            Probe::Setting(setting, word) | Probe::Effect(setting, word) | Probe::Empty(setting, word) => {
                (*setting, *word, "")
            }
            Probe::Beside(setting, word, beside) => (*setting, *word, *beside),
        };
        if setting.is_empty() {
            counts.2 += 1;
            continue;
        }
        let (more, beside) = (words(word, scene.metric), words(beside, scene.metric));
        // This guide is prepared when its settings are shown, and so the thresholds are looked for.
        if matches!((scene.verb, flag.as_str()), ("sgi run", "decision-thresholds" | "bands")) {
            let seen = run(place.path(), &[words(scene.verb, ""), words(scene.words, scene.metric), more].concat());
            if !seen.stderr.contains("cannot read the decision thresholds in `nobody.json`") {
                wrong.push(format!("sgi run --decision-thresholds does not arrive: {}", seen.stderr));
            }
            counts.0 += 1;
            continue;
        }
        let before = settings.entry(beside.clone()).or_insert_with(|| config_shown(place.path(), scene, &beside));
        let before = values_and_flags(before, setting);
        let after =
            values_and_flags(&config_shown(place.path(), scene, &[beside.clone(), more.clone()].concat()), setting);
        // What a benchmark settles by itself, and the file that the others come from, have another origin.
        let is_named = flag == "config" || scene.verb == "sgi run" || after.1.contains(&format!("--{flag}"));
        if before.0 == after.0 || !is_named {
            wrong.push(format!("{} --{flag} does not arrive: {before:?} {after:?}", scene.verb));
        }
        counts.0 += 1;
        if !scene.is_run || matches!(probe, Probe::Setting(..)) {
            continue;
        }
        let base = match (probe, scene.empty) {
            (Probe::Empty(..), None) => continue,
            (Probe::Empty(..), Some(empty)) => words(empty, scene.metric),
            _ => [words(scene.verb, ""), words(scene.words, scene.metric), beside].concat(),
        };
        // The flag is the only difference: without it the same comes twice.
        let without = runs.entry(base.clone()).or_insert_with(|| {
            let (once, again) = (run(prepare(scene).path(), &base), run(prepare(scene).path(), &base));
            if once != again {
                wrong.push(format!("{} is not the same twice: {once:?} {again:?}", scene.verb));
            }
            once
        });
        let with = run(prepare(scene).path(), &[base, more].concat());
        counts.1 += 1;
        if with == *without {
            wrong.push(format!("{} --{flag} has no effect", scene.verb));
        }
    }
    (counts, wrong)
}

#[test]
fn every_flag_of_every_verb_that_scores_arrives() {
    let checked: Vec<_> = std::thread::scope(|scope| {
        let scenes: Vec<_> = SCENES.iter().map(|scene| scope.spawn(move || check(scene))).collect();
        scenes.into_iter().map(|scene| scene.join().unwrap()).collect()
    });
    let (mut settings, mut effects, mut own, mut wrong) = (0, 0, 0, Vec::new());
    for (counts, found) in checked {
        (settings, effects, own) = (settings + counts.0, effects + counts.1, own + counts.2);
        wrong.extend(found);
    }
    println!(
        "{} verbs: {settings} pairs of verb and flag arrive in the settings, {effects} of them change what comes out; {own} flags are no settings of a run",
        SCENES.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What nobody needs any more is taken out.
    for (verb, flag, _) in OWN {
        assert!(flags(verb).contains(flag), "{verb} has no flag --{flag}");
    }
    for (name, _) in PROBES {
        assert!(SCENES.iter().any(|scene| flags(scene.verb).contains(name)), "no verb has a flag --{name}");
    }
}

#[test]
fn every_verb_that_has_settings_is_among_the_scenes() {
    fn walk(command: &clap::Command, path: &str, found: &mut BTreeSet<String>) {
        if command.get_arguments().any(|argument| argument.get_id() == "allow_empty") {
            found.insert(path.trim().to_owned());
        }
        for inner in command.get_subcommands() {
            walk(inner, &format!("{path} {}", inner.get_name()), found);
        }
    }
    let mut found = BTreeSet::new();
    walk(&probare_cli::command(), "", &mut found);
    let known: BTreeSet<String> = SCENES.iter().map(|scene| scene.verb.to_owned()).collect();
    assert_eq!(found, known);
}

#[test]
fn variables_of_the_environment_arrive_and_are_named() {
    let place = prepare(&SCENES[0]);
    let show = |verb: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(PROGRAM);
        command.args(["config", "show"]).args(verb).current_dir(place.path());
        String::from_utf8(command.envs(variables.iter().copied()).output().unwrap().stdout).unwrap()
    };
    let text = show(&["score"], &[("PROBARE_LIMIT", "7"), ("PROBARE_FAIL_UNDER", "token_f1=0.5")]);
    assert!(text.contains("(PROBARE_LIMIT)") && text.contains("token_f1 < 0.5  (PROBARE_FAIL_UNDER)"), "{text}");
    let text = show(&["quotes", "a", "b"], &[("PROBARE_LIMIT", "7")]);
    assert!(text.contains("(PROBARE_LIMIT)"), "{text}");
    // A variable switches off what the configuration switches on.
    fs::write(place.path().join("probare.yaml"), "run: {strict: true}\n").unwrap();
    let strict = |text: &str| text.lines().find(|line| line.starts_with("strict ")).unwrap_or_default().to_owned();
    assert!(strict(&show(&["score"], &[])).ends_with("true  (probare.yaml)"), "{}", show(&["score"], &[]));
    let text = show(&["score"], &[("PROBARE_STRICT", "false")]);
    assert!(strict(&text).ends_with("false  (PROBARE_STRICT)"), "{text}");
    fs::remove_file(place.path().join("probare.yaml")).unwrap();
    // The option of a suite takes its variable; what every run has under that name does not.
    assert!(!show(&["score"], &[]).contains("PROBARE_"));
}

#[test]
fn how_a_file_is_read_is_honoured() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("odd.csv"), "id^response^reference\n1^a b^a\n").unwrap();
    fs::write(at.join("rows.txt"), "{\"id\": \"1\", \"response\": \"a\", \"reference\": \"a\"}\n").unwrap();
    let long = format!("{{\"id\": \"1\", \"response\": \"{}\", \"reference\": \"a\"}}\n", "a ".repeat(700_000));
    fs::write(at.join("long.jsonl"), long).unwrap();
    let said = |text: &str| {
        let seen = run(at, &words(text, ""));
        (seen.code, seen.stdout + &seen.stderr)
    };
    assert_eq!(said("score odd.csv -m token_f1").0, Some(1));
    assert_eq!(said("score odd.csv -m token_f1 --delimiter ^").0, Some(0));
    assert!(said("validate odd.csv --delimiter ^").1.contains("with `^` between them"));
    assert_eq!(said("score rows.txt -m token_f1").0, Some(1));
    assert_eq!(said("score rows.txt -m token_f1 --format jsonl").0, Some(0));
    assert_eq!(said("score long.jsonl -m token_f1").0, Some(0));
    assert_eq!(said("score long.jsonl -m token_f1 --max-row-size 1").0, Some(1));
    let output = Command::new(PROGRAM)
        .args(["score", "odd.csv", "-m", "token_f1"])
        .env("PROBARE_DELIMITER", "^")
        .current_dir(at)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    // A configuration says the same for `score` and for `run`, and what comes out can be verified.
    let text = "datasets: [{path: odd.csv}]\nmetrics: [token_f1]\nrun: {delimiter: '^', map: [query=id], output: [out.jsonl]}\n";
    fs::write(at.join("odd.yaml"), text).unwrap();
    for verb in ["score -c odd.yaml", "run odd.yaml"] {
        let (code, text) = said(verb);
        assert_eq!(code, Some(0), "{verb}: {text}");
        let (code, text) = said("verify out.jsonl");
        assert_eq!(code, Some(0), "{verb}: {text}");
        let manifest = fs::read_to_string(at.join("out.jsonl.run.json")).unwrap();
        assert!(manifest.contains("\"query\": \"id\"") || manifest.contains("\"query\":\"id\""), "{manifest}");
        fs::remove_file(at.join("out.jsonl")).unwrap();
    }
    let (code, text) = said("quotes a b -c odd.yaml");
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("`map`, `delimiter`, which `probare quotes` says itself"), "{text}");
}

/// The value of a setting and where it comes from, of what `config show` says.
fn value_and_origin(shown: &Json, setting: &str) -> (Json, Json) {
    let entry = shown.as_array().unwrap().iter().find(|entry| entry["setting"] == setting);
    entry.map(|entry| (entry["value"].clone(), entry["from"].clone())).unwrap_or_default()
}

#[test]
fn every_suite_reads_the_configuration_that_is_there() {
    let mut suites = 0;
    for scene in SCENES.iter().filter(|scene| flags(scene.verb).contains("config") && scene.folder != "plain") {
        suites += 1;
        let place = prepare(scene);
        fs::write(place.path().join("probare.yaml"), "run: {limit: 7, concurrency: 3}\nprofile: improved\n").unwrap();
        let (told, from) = (config_shown(place.path(), scene, &[]), json!({"file": "probare.yaml"}));
        for (setting, value) in [("limit", json!(7)), ("jobs", json!(3)), ("profile", json!("improved"))] {
            assert_eq!(value_and_origin(&told, setting), (value, from.clone()), "{} {setting}", scene.verb);
        }
        // What the command line says is stronger.
        let told = config_shown(place.path(), scene, &["--limit=2".to_owned()]);
        assert_eq!(value_and_origin(&told, "limit"), (json!(2), json!({"flag": "--limit"})), "{}", scene.verb);
    }
    assert_eq!(suites, 7, "rag eval, synthesis, socioscope (twice), synthlink, quotes, sgi score");
}

#[test]
fn what_a_suite_reads_in_a_configuration_has_an_effect_and_the_rest_is_refused() {
    let scene = SCENES.iter().find(|scene| scene.verb == "synthesis").unwrap();
    let place = prepare(scene);
    let at = place.path();
    let rest = "gates: [{metric: agency_language, fail_under: 2}]\nrun: {limit: 2, output: [out.jsonl]}\n";
    fs::write(at.join("c.yaml"), rest).unwrap();
    let said = |text: &str| {
        let seen = run(at, &words(text, ""));
        (seen.code, seen.stdout + &seen.stderr)
    };
    let lines = || fs::read_to_string(at.join("out.jsonl")).unwrap().lines().count();
    let (code, text) = said("synthesis --cases cases.jsonl -c c.yaml");
    assert_eq!((code, lines()), (Some(2), 2), "{text}");
    assert!(text.contains("agency_language") && text.contains("c.yaml"), "the gate and where it was set: {text}");
    // A file that is named is meant: what cannot be honoured is refused.
    fs::write(at.join("d.yaml"), format!("datasets: [{{path: x.jsonl}}]\nmetrics: [token_f1]\n{rest}")).unwrap();
    let (code, text) = said("synthesis --cases cases.jsonl -c d.yaml");
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("`d.yaml` has `datasets`, `metrics`, which `probare synthesis` says itself"), "{text}");
    // One that lies there is read as far as it is about this run, and it is told.
    fs::rename(at.join("d.yaml"), at.join("probare.yaml")).unwrap();
    fs::remove_file(at.join("out.jsonl")).unwrap();
    let (code, text) = said("synthesis --cases cases.jsonl");
    assert_eq!((code, lines()), (Some(2), 2), "{text}");
    assert!(text.contains("`probare.yaml` has `datasets`, `metrics`, which `probare synthesis` says itself"), "{text}");
    // A gate that could never gate is an error, wherever it stands.
    fs::write(at.join("probare.yaml"), "gates: [{metric: token_f1, fail_under: 2}]\n").unwrap();
    let (code, text) = said("synthesis --cases cases.jsonl");
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("token_f1"), "{text}");
    assert_eq!(
        said("synthesis --cases cases.jsonl -c /dev/null -q").0,
        said("synthesis --cases cases.jsonl -c other.yaml -q").0
    );
    // The profile of the file is that of the suite.
    fs::write(at.join("probare.yaml"), "profile: improved\n").unwrap();
    said("synthesis --cases cases.jsonl -o improved.json -q");
    let whole: Json = serde_json::from_slice(&fs::read(at.join("improved.json")).unwrap()).unwrap();
    assert!(whole.to_string().contains("\"profile\":\"improved\""), "{whole}");
}
