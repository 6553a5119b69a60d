//! What a run costs: a budget over kills and resumes, and the same sum wherever it is shown.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use probare_testing::ReplyServer;
use serde_json::{Value as Json, json};

use crate::program::{both_streams, command, run, run_expecting, run_successfully};
use crate::torture::{Dice, setting};

/// Prices of the models under test and of the judge, in millionths of a dollar a token.
const SENT: u64 = 10;
const RECEIVED: u64 = 20;

/// What a server has charged, in millionths of a dollar.
#[derive(Clone, Default)]
struct Bill(Arc<AtomicU64>);

impl Bill {
    fn dollars(&self) -> f64 {
        self.0.load(Ordering::SeqCst) as f64 / 1e6
    }
}

/// A server that charges for every reply as it begins to write it: a token for four bytes of the question and 25 back. Marks in a
/// question make it cut its reply, decline or give none; a judge gets its verdict.
fn server(bill: &Bill, delay: Duration) -> ReplyServer {
    let bill = bill.clone();
    ReplyServer::start(move |asked| {
        thread::sleep(delay);
        let body = asked.to_string();
        let (sent, received) = (body.len() as u64 / 4, 25);
        bill.0.fetch_add(sent * SENT + received * RECEIVED, Ordering::SeqCst);
        let nonce =
            body.split("a text: ").nth(1).and_then(|rest| rest.split('.').next()).unwrap_or_default().to_owned();
        let (content, ended) = match () {
            () if asked["model"] == "judge" => {
                (json!(json!({"reason": "fine", "level": "good", "code": nonce}).to_string()), "stop")
            }
            () if body.contains("CUT") => (json!("It is"), "length"),
            () if body.contains("DECLINE") => (Json::Null, "content_filter"),
            () if body.contains("NOTHING") => (Json::Null, "stop"),
            () => (json!("It is so."), "stop"),
        };
        let usage = json!({"prompt_tokens": sent, "completion_tokens": received});
        (200, json!({"choices": [{"message": {"content": content}, "finish_reason": ended}], "usage": usage}))
    })
    .unwrap()
}

/// Cases, a model and a judge at a server.
fn project(server: &ReplyServer, cases: &[String], concurrency: u32, judge: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (cases.iter().enumerate())
        .map(|(number, query)| format!("{}\n", json!({"id": number.to_string(), "query": query, "reference": "so"})))
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    let pricing = json!({"prompt_price_per_million": SENT, "completion_price_per_million": RECEIVED});
    let model = |name: &str| {
        json!({"name": name, "api_model_name": name, "base_url": format!("{}/v1", server.url()), "max_tokens": 40,
            "concurrency": concurrency, "retry_wait": 0.01, "pricing": pricing})
    };
    let metrics = if judge {
        json!([{"id": "contains"}, {"id": "judge_rubric", "options": {"judges": ["judge"]}}])
    } else {
        json!([{"id": "contains"}])
    };
    let config = json!({"datasets": [{"path": "cases.jsonl"}], "models": [model("house"), model("judge")],
        "generate": {"prompt": "{{query}}", "models": ["house"]}, "metrics": metrics});
    fs::write(folder.path().join("probare.yaml"), config.to_string()).unwrap();
    folder
}

/// The costs of the first run, as `runs show --json` has them.
fn costs(folder: &Path) -> Json {
    let shown = run(folder, &["runs", "show", "1", "--json"]);
    serde_json::from_slice::<Json>(&shown.stdout).map(|run| run["cost"].clone()).unwrap_or_default()
}

fn of_outcome(costs: &Json, outcome: &str) -> f64 {
    let lines = costs["lines"].as_array().cloned().unwrap_or_default();
    lines.iter().filter(|line| line["outcome"] == outcome).filter_map(|line| line["cost_usd"].as_f64()).sum()
}

#[test]
fn the_sum_is_what_the_server_charged_wherever_it_is_shown() {
    let bill = Bill::default();
    let server = server(&bill, Duration::ZERO);
    let cases: Vec<String> = ["Why?", "CUT", "DECLINE", "NOTHING", "Who?"].map(String::from).to_vec();
    let folder = project(&server, &cases, 4, true);
    let place = folder.path();
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    let first = run(place, &["run", "probare.yaml", "-o", "page.html", "-o", "r.json", "-o", "r.md"]);
    let sum = format!("{:.6} US dollars", bill.dollars());
    assert!(
        bill.dollars() > 0.0 && both_streams(&first).contains(&format!("cost of the run: {sum}")),
        "{sum}: {}",
        both_streams(&first)
    );
    assert!(run_successfully(place, &["runs", "show", "1"]).contains(&format!("cost of the run: {sum}")));
    for file in ["page.html", "r.md"] {
        assert!(fs::read_to_string(place.join(file)).unwrap().contains(&sum), "{file}");
    }
    let json: Json = serde_json::from_slice(&fs::read(place.join("r.json")).unwrap()).unwrap();
    let kept = json.pointer("/run/cost").or_else(|| json.pointer("/manifest/cost")).unwrap_or(&json["cost"]);
    assert!((kept["total"].as_f64().unwrap() - bill.dollars()).abs() < 1e-9, "{kept}");
    let shown = costs(place);
    assert_eq!(&shown, kept);
    for outcome in ["replied", "truncated", "refused", "failed"] {
        assert!(of_outcome(&shown, outcome) > 0.0, "{outcome}: {shown}");
    }
    assert!(shown["lines"].as_array().unwrap().iter().any(|line| line["purpose"] == "judge"), "{shown}");
    run_successfully(place, &["runs", "export", "1", "-o", "e.html"]);
    assert!(fs::read_to_string(place.join("e.html")).unwrap().contains(&sum));
    // A second run is answered by what was recorded, and pays only for what never came.
    let before = bill.dollars();
    let second = run(place, &["run", "probare.yaml"]);
    let paid = format!("{:.6} US dollars", bill.dollars() - before);
    assert!(both_streams(&second).contains(&format!("cost of the run: {paid}")), "{paid}: {}", both_streams(&second));

    // A model without a price is named beside the sum.
    fs::remove_dir_all(place.join(".probare")).unwrap();
    let mut unpriced: Json = serde_json::from_str(&config).unwrap();
    unpriced["models"][1].as_object_mut().unwrap().remove("pricing");
    fs::write(place.join("probare.yaml"), unpriced.to_string()).unwrap();
    let ended = both_streams(&run(place, &["run", "probare.yaml", "-o", "page.html", "-o", "r.md", "-o", "r.json"]));
    let words = "no price is known for judge, whose cost is not included";
    assert!(ended.contains(words), "{ended}");
    assert!(run_successfully(place, &["runs", "show", "1"]).contains(words));
    for file in ["page.html", "r.md"] {
        assert!(fs::read_to_string(place.join(file)).unwrap().contains(words), "{file}");
    }
    assert_eq!(costs(place)["unpriced"], json!(["judge"]));
}

#[test]
fn a_budget_is_one_of_the_run_and_not_of_the_process() {
    let bill = Bill::default();
    let server = server(&bill, Duration::ZERO);
    let cases: Vec<String> = (0..200).map(|number| format!("Question {number}?")).collect();
    let folder = project(&server, &cases, 16, false);
    let place = folder.path();
    let text = run_expecting(place, 4, &["run", "probare.yaml", "--budget-usd", "0.05"]);
    assert!(text.contains("the budget is reached") && text.contains("probare resume 1"), "{text}");
    let after = bill.dollars();
    assert!(after > 0.04 && after <= 0.05, "{after}");
    for _ in 0..3 {
        run_expecting(place, 4, &["resume", "1"]);
    }
    assert_eq!(bill.dollars(), after, "nothing is left to be spent");
    let sum = format!("cost of the run: {after:.6} US dollars");
    assert!(run_successfully(place, &["runs", "show", "1"]).contains(&sum));
    // A larger budget is the new total.
    run_expecting(place, 4, &["resume", "1", "--budget-usd", "0.08"]);
    assert!(bill.dollars() > 0.07 && bill.dollars() <= 0.08, "{}", bill.dollars());
    println!("0.05 dollars in four processes: {after} charged; 0.08 afterwards: {} charged", bill.dollars());
}

#[test]
fn a_budget_in_tokens_holds_over_resumes_too() {
    let bill = Bill::default();
    let server = server(&bill, Duration::ZERO);
    let cases: Vec<String> = (0..40).map(|number| format!("Question {number}?")).collect();
    let folder = project(&server, &cases, 4, false);
    let place = folder.path();
    for words in [&["run", "probare.yaml", "--budget-tokens", "1000"][..], &["resume", "1"], &["resume", "1"]] {
        run_expecting(place, 4, words);
        let costs = costs(place);
        let tokens: u64 = (costs["lines"].as_array().unwrap().iter())
            .map(|line| {
                line["usage"]["input_tokens"].as_u64().unwrap() + line["usage"]["output_tokens"].as_u64().unwrap()
            })
            .sum();
        assert!(tokens <= 1000 && tokens > 700, "{costs}");
    }
}

#[test]
fn torture_of_budgets_by_kills_never_spends_more_than_is_allowed() {
    let bill = Bill::default();
    let server = server(&bill, Duration::from_millis(30));
    let cases: Vec<String> = (0..600).map(|number| format!("Question {number}?")).collect();
    let folder = project(&server, &cases, 8, false);
    let place = folder.path();
    let (budget, mut dice) = (0.3, Dice(20_261_118));
    let kills = setting("PROBARE_TORTURE_KILLS", 30);
    let mut words = vec!["run", "probare.yaml", "--budget-usd", "0.3"];
    let (mut killed, mut most_lost) = (0, 0.0_f64);
    while killed < kills {
        let mut child = command(place, &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(300 + dice.roll(500)));
        child.kill().unwrap();
        killed += u64::from(child.wait().unwrap().code().is_none());
        // What the server is still writing is charged too.
        thread::sleep(Duration::from_millis(60));
        let costs = costs(place);
        let (total, lost) = (costs["total"].as_f64().unwrap_or_default(), of_outcome(&costs, "interrupted"));
        most_lost = most_lost.max(lost);
        assert!(total <= budget, "{total} of {budget} after {killed} kills");
        assert!(bill.dollars() <= total + 1e-9, "{} charged, {total} counted after {killed} kills", bill.dollars());
        if costs != Json::Null {
            words = vec!["resume", "1"];
        }
        if run(place, &["runs", "list"]).stdout.windows(8).any(|window| window == b"complete") {
            break;
        }
    }
    let text = both_streams(&run(place, &["resume", "1", "-o", "page.html"]));
    let costs = costs(place);
    let (total, lost) = (costs["total"].as_f64().unwrap(), of_outcome(&costs, "interrupted"));
    assert!(
        bill.dollars() <= budget && total <= budget,
        "{} charged, {total} counted, {budget} allowed",
        bill.dollars()
    );
    // All that is not certain is what was under way when a process was killed, and that is said with its bound.
    let known = total - lost;
    assert!(known <= bill.dollars() + 1e-9 && bill.dollars() <= total + 1e-9, "{known} {} {total}", bill.dollars());
    let sum = format!("{total:.6} US dollars");
    assert!(text.contains(&format!("cost of the run: {sum}")), "{text}");
    assert!(run_successfully(place, &["runs", "show", "1"]).contains(&sum));
    if let Ok(page) = fs::read_to_string(place.join("page.html")) {
        assert!(page.contains(&sum));
    }
    println!(
        "{killed} kills: {:.6} charged, {known:.6} settled and at most {lost:.6} of calls without a reply, {budget} allowed",
        bill.dollars()
    );
    assert!(killed >= kills.min(20), "{killed}");
}

#[test]
fn prices_are_shown_with_their_date_and_how_to_override_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let one = run_successfully(place, &["models", "prices", "openai-responses:gpt-5-mini"]);
    assert!(
        one.contains("openai:gpt-5-mini: sent 0.25, received 2, cache read 0.025") && one.contains("pricing: {"),
        "{one}"
    );
    let all: Json = serde_json::from_slice(&run(place, &["models", "prices", "--json"]).stdout).unwrap();
    let date = all["date"].as_str().unwrap();
    assert!(all["models"].as_array().unwrap().len() > 300 && all["source"].as_str().unwrap().starts_with("litellm "));
    assert!(one.contains(date));
    let doctor = run_successfully(place, &["doctor"]);
    assert!(doctor.contains("prices of models") && doctor.contains(date), "{doctor}");
    let many = run_successfully(place, &["models", "prices", "claude-sonnet"]);
    assert!(
        many.lines().count() > 3
            && many.lines().skip(1).all(|line| line.contains("claude-sonnet") || line.contains("override"))
    );
    let none = run_expecting(place, 1, &["models", "prices", "nobody:nothing"]);
    assert!(none.contains("no price is known for `nobody:nothing`") && none.contains("to override"), "{none}");
}

#[test]
fn a_price_of_the_configuration_is_what_a_run_is_charged_with() {
    let bill = Bill::default();
    let server = server(&bill, Duration::ZERO);
    let folder = project(&server, &["Why?".to_owned()], 1, false);
    let place = folder.path();
    let text = fs::read_to_string(place.join("probare.yaml")).unwrap();
    let twice = text.replace("\"completion_price_per_million\":20", "\"completion_price_per_million\":40");
    assert_ne!(text, twice);
    fs::write(place.join("probare.yaml"), twice).unwrap();
    run_successfully(place, &["run", "probare.yaml", "-q"]);
    let cost = costs(place)["total"].as_f64().unwrap();
    assert!((cost - bill.dollars() - 25.0 * 20.0 / 1e6).abs() < 1e-9, "{cost} {}", bill.dollars());
}

#[test]
fn models_of_two_runs_are_compared_case_by_case() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    // The second run is right in four cases more, whichever of the three models answers.
    for (name, from) in [("a", 30), ("b", 26)] {
        let lines: String = (0..60)
            .flat_map(|at| ["m", "n", "o"].map(|model| (at, model)))
            .map(|(at, model)| {
                let response = if at >= from { "yes" } else { "no" };
                format!("{}\n", json!({"id": at.to_string(), "query": "q", "reference": "yes", "response": response, "model": model}))
            })
            .collect();
        fs::write(place.join(format!("{name}.jsonl")), lines).unwrap();
        run_successfully(
            place,
            &["score", &format!("{name}.jsonl"), "-m", "exact_match", "-o", &format!("r{name}.jsonl")],
        );
    }
    let found: Json =
        serde_json::from_slice(&run(place, &["compare", "ra.jsonl", "rb.jsonl", "--json"]).stdout).unwrap();
    let other = &found["others"][0];
    assert_eq!(other["pairing"]["matched"], 60, "{other}");
    let metric = &other["metrics"][0];
    assert_eq!((&metric["whole"]["pairs"], &metric["models"][2]["slice"]), (&json!(60), &json!("o")));
    assert!((metric["models"][0]["p_value"].as_f64().unwrap() - 0.125).abs() < 1e-9, "{metric}");
    assert!(metric["whole"]["p_value"].as_f64().unwrap() > 0.05, "{metric}");
    let text = run_successfully(place, &["compare", "ra.jsonl", "rb.jsonl"]);
    assert!(text.contains("60 cases in both") && text.contains("26 (m)"), "{text}");
    run_successfully(place, &["compare", "ra.jsonl@m", "rb.jsonl@n"]);
    // Sets of models that differ are for the user to choose from.
    let fewer: String = fs::read_to_string(place.join("b.jsonl"))
        .unwrap()
        .lines()
        .filter(|line| !line.contains("\"o\""))
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(place.join("c.jsonl"), fewer).unwrap();
    run_successfully(place, &["score", "c.jsonl", "-m", "exact_match", "-o", "rc.jsonl"]);
    let refused = run_expecting(place, 64, &["compare", "ra.jsonl", "rc.jsonl"]);
    assert!(refused.contains("several models (m, n, o)") && refused.contains("RESULTS@MODEL"), "{refused}");
    let short = run_expecting(
        place,
        2,
        &["compare", "ra.jsonl@m", "ra.jsonl@m", "--not-worse", "exact_match", "--margin", "0.02"],
    );
    assert!(short.contains("pairs like these would be enough"), "{short}");
}
