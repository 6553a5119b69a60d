//! Ten gates as projects have them, on recorded replies: what they cost with and without `--stop-when-decided`. The guide shows
//! this table; `cargo nextest run -p probare-cli --all-features ten_gates --no-capture` prints it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use probare_testing::ReplyServer;
use serde_json::{Value as Json, json};

use crate::program::{both_streams, run};

/// What a prompt of a judge ends with, up to the nonce.
const NONCE: &str = "\n\nThe JSON object of your verdict has one more field, `nonce`, a text: ";

/// Replies by model and question.
type Replies = BTreeMap<(String, String), Json>;

fn recorded_replies() -> Replies {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/run/replies");
    let mut replies = Replies::new();
    for name in ["steady", "swift", "judges"] {
        for line in fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap().lines() {
            let entry: Json = serde_json::from_str(line).unwrap();
            let request = &entry["entry"]["request"];
            let question = request["messages"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
            let model = request["model"].as_str().unwrap();
            replies.insert((model.to_owned(), question.to_owned()), entry["entry"]["reply"].clone());
        }
    }
    replies
}

/// A server that answers as the recorded models did, with the tokens that they took.
fn server() -> ReplyServer {
    let replies = Arc::new(recorded_replies());
    ReplyServer::start(move |asked| {
        let question =
            asked["messages"].as_array().and_then(|all| all.last()).and_then(|last| last["content"].as_str());
        // A judge has to repeat a nonce, which no recording has.
        let (question, nonce) = match question.unwrap_or_default().split_once(NONCE) {
            Some((question, rest)) => (question, rest.split('.').next()),
            None => (question.unwrap_or_default(), None),
        };
        let key = (asked["model"].as_str().unwrap_or_default().to_owned(), question.to_owned());
        let Some(reply) = replies.get(&key) else {
            return (400, json!({"error": {"message": format!("no recorded reply to {key:?}")}}));
        };
        let mut text = reply["content"]["text"].as_str().unwrap_or_default().to_owned();
        if let Some(nonce) = nonce {
            let mut verdict: Json = serde_json::from_str(&text).unwrap();
            verdict["nonce"] = nonce.into();
            text = verdict.to_string();
        }
        let tokens = |kind: &str| reply["usage"][kind].as_u64().unwrap_or_default();
        (
            200,
            json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": tokens("input_tokens"), "completion_tokens": tokens("output_tokens")}}),
        )
    })
    .unwrap()
}

/// The configuration: models at prices of a small model, and of a large one for the judges.
fn config(server: &ReplyServer, model: &str, metrics: &[&str]) -> Json {
    let cases =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/decide_early/cases.jsonl").canonicalize().unwrap();
    let priced = |name: &str, prompt: f64, completion: f64| {
        json!({"name": name, "base_url": format!("{}/v1", server.url()), "max_tokens": 300, "concurrency": 4,
            "pricing": {"prompt_price_per_million": prompt, "completion_price_per_million": completion}})
    };
    let metric = |id: &&str| match *id {
        "same_answer" => json!({"id": "judge_same_answer", "name": "same_answer",
            "options": {"judges": ["judge_a", "judge_b", "judge_c"], "panel": {"vote": "majority", "first": 2}}}),
        id => json!({"id": id}),
    };
    let mut models = vec![priced(model, 0.4, 1.6)];
    models.extend(["judge_a", "judge_b", "judge_c"].map(|name| priced(name, 2.0, 8.0)));
    json!({"datasets": [{"path": cases}], "models": models, "generate": {"system": "Answer the question.", "models": [model]},
        "metrics": metrics.iter().map(metric).collect::<Vec<Json>>()})
}

/// Dollars that a run cost, its exit code, and what was decided.
fn cost_of(place: &Path, config: &Json, words: &[&str]) -> (f64, Option<i32>, Json) {
    let folder = tempfile::tempdir_in(place).unwrap();
    fs::write(folder.path().join("run.yaml"), config.to_string()).unwrap();
    let output = run(folder.path(), &[&["run", "run.yaml", "--json", "-o", "out.json"], words].concat());
    let told: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", both_streams(&output)));
    let report: Json = serde_json::from_str(&fs::read_to_string(folder.path().join("out.json")).unwrap()).unwrap();
    let usd = report["cost"]["total"].as_f64().unwrap_or_else(|| panic!("{}", report["cost"]));
    (usd, output.status.code(), told["decided_early"].clone())
}

#[test]
fn ten_gates_cost_less_and_say_the_same() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for model in ["swift", "steady"] {
        let of_model = place.join(model);
        fs::create_dir(&of_model).unwrap();
        fs::write(of_model.join("run.yaml"), config(&server, model, &["answer_match", "token_f1"]).to_string())
            .unwrap();
        let out = place.join(format!("{model}.jsonl")).display().to_string();
        let output = run(&of_model, &["run", "run.yaml", "-q", "-o", &out]);
        assert!(output.status.success(), "{}", both_streams(&output));
    }
    let [swift, steady] = ["swift", "steady"].map(|model| place.join(format!("{model}.jsonl")).display().to_string());
    let gates: [(&str, &str, &[&str], &[&str]); 10] = [
        ("steady: answers right, at least 0.75", "steady", &["answer_match"], &["--fail-under", "answer_match=0.75"]),
        ("steady: answers right, at least 0.9", "steady", &["answer_match"], &["--fail-under", "answer_match=0.9"]),
        ("swift: answers right, at least 0.7", "swift", &["answer_match"], &["--fail-under", "answer_match=0.7"]),
        ("steady: names the answer in 70 %", "steady", &["contains"], &["--fail-pass-rate", "contains>=1:70%"]),
        ("steady: overlap, at least 0.2", "steady", &["token_f1"], &["--fail-under", "token_f1=0.2"]),
        ("steady: a panel of judges, at least 0.7", "steady", &["same_answer"], &["--fail-under", "same_answer=0.7"]),
        ("swift: a panel of judges, at least 0.9", "swift", &["same_answer"], &["--fail-under", "same_answer=0.9"]),
        (
            "steady: right, named and judged, at least 0.6 each",
            "steady",
            &["answer_match", "contains", "same_answer"],
            &["--fail-under", "answer_match=0.6", "--fail-under", "contains=0.6", "--fail-under", "same_answer=0.6"],
        ),
        (
            "steady not worse than swift by 0.05",
            "steady",
            &["answer_match"],
            &["--baseline", &swift, "--not-worse", "answer_match=0.05"],
        ),
        (
            "swift not worse than steady by 0.05",
            "swift",
            &["answer_match"],
            &["--baseline", &steady, "--not-worse", "answer_match=0.05"],
        ),
    ];
    let (mut with, mut without) = (0.0, 0.0);
    for (name, model, metrics, words) in gates {
        let config = config(&server, model, metrics);
        let (early, code, decided) =
            cost_of(place, &config, &[&["--stop-when-decided", "--seed", "7"], words].concat());
        // The mean of all cases, by which a complete run would be judged; a difference is that of complete runs.
        let whole = if words[0] == "--baseline" { &[][..] } else { words };
        let (complete, whole_code, _) = cost_of(place, &config, whole);
        let verdict = if code == Some(0) { "pass" } else { "fail" };
        let at = decided["decisions"].as_array().unwrap().iter().map(|one| one["at"].as_u64().unwrap()).max();
        println!("| {name} | {verdict} | {} | {:.2} | {:.2} |", at.unwrap(), early * 100.0, complete * 100.0);
        if !whole.is_empty() {
            assert_eq!(code, whole_code, "{name}: {decided}");
        }
        assert!(early <= complete + 1e-9, "{name}: {early} of {complete}");
        with += early;
        without += complete;
    }
    println!("| together | | | {:.2} | {:.2} |", with * 100.0, without * 100.0);
    assert!(with < 0.3 * without, "{with} of {without}");
}
