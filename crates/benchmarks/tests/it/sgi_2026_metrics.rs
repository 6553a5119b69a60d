//! Golden vectors of what the official scripts of SGI-Bench have since 2026: the soft wet score, the judge of whole answers, the
//! stricter list of steps, choices and their reasoning.

use std::mem;
use std::sync::{Arc, Mutex};

use probare_benchmarks::registry;
use probare_benchmarks::sgi::metrics::protocol::SoftScore;
use probare_benchmarks::sgi::metrics::reasoning::{CasePictures, boxed_letter, key_letter};
use probare_benchmarks::sgi::metrics::reasoning_validity::published_validity;
use probare_benchmarks::sgi::metrics::replies::{answer_judgment, official_step_accuracy};
use probare_benchmarks::sgi::metrics::wet_experiment::ProtocolComparison;
use probare_core::{
    AnalysisCache, Backend, BackendAnswer, Case, ChatRequest, ErrorKind, FnBackend, Image, JudgeAction, MessagePart,
    ModelReply, NoBackend, Outcome, Output, Profile, Sample, ScoreError,
};
use probare_testing::{close, golden, number, same, text};
use serde_json::{Map, Value, json};

const TOLERANCE: f64 = 1e-12;

fn scored(metric: &str, options: Value, case: &Case, outside: &dyn Backend) -> Result<Outcome, ScoreError> {
    let definition = registry().get(metric).expect("the metric is there");
    let built = definition.build(options, Profile::Published).expect("the options are good");
    built.score_with(metric, Sample::from_case(case), outside)
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[test]
fn golden_wet_soft() {
    golden("sgi_2026", "wet_soft.jsonl", |vector| {
        let (reference, response) = (text(vector, "ground_truth")?, text(vector, "output_text")?);
        let expected = &vector["expected"];
        let strict = ProtocolComparison::new(reference, response, false);
        let soft = SoftScore::new(&strict.reference, &strict.predicted).ok_or("too long")?;
        let pairs: Vec<Value> = soft.pairs.iter().map(|pair| json!([pair.reference, pair.predicted])).collect();
        same("pairs", &expected["aligned_pairs"], &json!(pairs))?;
        for (name, got) in soft.parts() {
            close(name, number(expected, name)?, got, TOLERANCE)?;
        }
        let case = Case {
            id: "x".into(),
            reference: Some(vec![reference.to_owned()]),
            response: Some(Output::new(response)),
            ..Case::default()
        };
        let outcome = scored("wet_experiment", json!({"upstream": "official-2026"}), &case, &NoBackend);
        let outcome = outcome.map_err(|error| error.to_string())?;
        let score = outcome.score().ok_or("it is scored")?;
        let names = expected.as_object().ok_or("no parts")?.keys();
        for name in names.filter(|name| !["aligned_pairs", "strict"].contains(&name.as_str())) {
            let part = score.parts.get(name).ok_or_else(|| format!("there is no part `{name}`"))?;
            close(name, number(expected, name)?, part, TOLERANCE)?;
        }
        // Of two sides without a step the script divides by zero; the value stays that of LLMRouterBench.
        let value =
            if expected["strict"]["error"].is_string() { 0.0 } else { number(&expected["strict"], "final_score")? };
        close("strict", value, score.value.get(), TOLERANCE)
    });
}

#[test]
fn golden_mca() {
    golden("sgi_2026", "mca.jsonl", |vector| {
        let expected = &vector["expected"];
        let response = vector["response"].as_str();
        let letter = response.and_then(|response| boxed_letter(response, false).map(|span| &response[span]));
        same("letter", &expected["letter"].as_str(), &letter)?;
        let key = key_letter(&vector["answer"], None);
        same("error", &expected["error"].is_string(), &key.is_err())?;
        let Some(response) = response else { return close("MCA", number(expected, "MCA")?, 0.0, 0.0) };
        let metadata = object(&json!({"answer": vector["answer"]}));
        let case = Case { id: "x".into(), response: Some(Output::new(response)), metadata, ..Case::default() };
        match scored("experimental_reasoning", Value::Null, &case, &NoBackend) {
            Err(error) => {
                same("error of the row", &expected["error"].is_string(), &(error.kind() == ErrorKind::Failed))
            }
            // No answer at all is not applicable; the script's error comes from the same row.
            Ok(Outcome::NotApplicable { .. }) => same("no answer", &vector["answer"], &Value::Null),
            Ok(outcome) => {
                let value = outcome.score().ok_or("it is scored")?.value.get();
                close("MCA", number(expected, "MCA")?, value, 0.0)
            }
        }
    });
}

#[test]
fn golden_rv() {
    golden("sgi_2026", "rv.jsonl", |vector| {
        let expected = number(&vector["expected"], "RV")?;
        let reply = vector["reply"].as_str();
        close("RV", expected, reply.and_then(published_validity).unwrap_or(0.0), TOLERANCE)?;
        let case = Case { id: "x".into(), response: Some(Output::new("r")), ..Case::default() };
        let answered = FnBackend(|_: &str, _: &JudgeAction| vec![backend_answer(reply)]);
        match scored("reasoning_validity", Value::Null, &case, &answered) {
            // The script counts 0 where nobody answered; here that is an error of the case.
            Err(error) => same("outage", &(true, ErrorKind::Failed), &(reply.is_none(), error.kind())),
            Ok(outcome) => close("value", expected, outcome.score().ok_or("it is scored")?.value.get(), TOLERANCE),
        }
    });
}

fn backend_answer(reply: Option<&str>) -> BackendAnswer {
    BackendAnswer::Reply(match reply {
        Some(reply) => ModelReply::text(reply),
        None => ModelReply::failed(ErrorKind::Failed, "down"),
    })
}

/// Answers question after question with these replies, and keeps what was asked.
struct Answering<'a> {
    replies: &'a [Option<&'a str>],
    asked: Mutex<Vec<ChatRequest>>,
}

impl<'a> Answering<'a> {
    fn with(replies: &'a [Option<&'a str>]) -> Self {
        Self { replies, asked: Mutex::default() }
    }

    fn take(&self) -> Vec<ChatRequest> {
        mem::take(&mut self.asked.lock().unwrap())
    }

    fn answer(&self, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Ask(questions) = turn else { return Vec::new() };
        let mut requests = self.asked.lock().unwrap();
        questions
            .iter()
            .map(|question| {
                let reply = backend_answer(self.replies[requests.len()]);
                requests.push(question.clone());
                reply
            })
            .collect()
    }
}

const STEPS: &str = r#"[{"solution_step": "s", "reason": "r", "judge": "correct"}]"#;

fn research(answer: &str) -> Case {
    Case {
        id: "x".into(),
        response: Some(Output::new(format!("<answer>{answer}</answer>"))),
        metadata: object(&json!({"question": "Q?", "answer": "0.5", "steps": ["Find it."]})),
        ..Case::default()
    }
}

fn official(case: &Case, replies: &[Option<&str>], profile: &str) -> (Result<Outcome, ScoreError>, Vec<ChatRequest>) {
    let answering = Answering::with(replies);
    let outside = FnBackend(|_: &str, turn: &JudgeAction| answering.answer(turn));
    let options = json!({"upstream": "official-2026", "profile": profile});
    let outcome = scored("deep_research", options, case, &outside);
    let requests = answering.take();
    (outcome, requests)
}

#[test]
fn golden_llm_judge() {
    golden("sgi_2026", "llm_judge.jsonl", |vector| {
        let expected = &vector["expected"];
        let (exact, reply) = (number(vector, "exact_match")? == 1.0, vector["reply"].as_str());
        let judgment = reply.map(answer_judgment);
        if !exact {
            let judge = judgment.as_ref().and_then(|judgment| judgment.as_ref().ok());
            same("error", &expected["error"], &json!(judge.is_none()))?;
            if let Some(judge) = judge {
                close("llm_judge", number(expected, "llm_judge")?, judge.judge, 0.0)?;
                same("reason", &expected["llm_judge_reason"], &judge.reason)?;
            }
        }
        let case = research(if exact { "0.5" } else { "0.6" });
        let (outcome, requests) = official(&case, &[Some("0.6"), Some(STEPS), reply], "reference");
        same("questions", &(if exact { 2 } else { 3 }), &requests.len())?;
        // A judge that is down fails the sample in every profile; the script counts 0.
        if !exact && reply.is_none() {
            return same("outage", &Some(ErrorKind::Failed), &outcome.err().map(|error| error.kind()));
        }
        let outcome = outcome.map_err(|error| error.to_string())?;
        let score = outcome.score().ok_or("it is scored")?;
        close("part", number(expected, "llm_judge")?, score.parts.get("llm_judge").ok_or("no part")?, 0.0)?;
        close("exact match", f64::from(u8::from(exact)), score.value.get(), 0.0)?;
        let is_unreadable = score.parts.get("unreadable_replies").is_some();
        same("counted", &expected["error"], &json!(is_unreadable))
    });
}

#[test]
fn golden_step_llm_judge() {
    golden("sgi_2026", "step_llm_judge.jsonl", |vector| {
        let expected = &vector["expected"];
        let reply = vector["reply"].as_str();
        let read = reply.and_then(official_step_accuracy);
        same("null", &expected["step_llm_judge_is_null"], &json!(read.is_none()))?;
        let accuracy = read.map_or(0.0, |(accuracy, _)| accuracy);
        close("step_level_acc", number(expected, "step_level_acc")?, accuracy, TOLERANCE)?;
        let (outcome, _) = official(&research("0.5"), &[Some("0.5"), reply], "reference");
        if reply.is_none() {
            return same("outage", &Some(ErrorKind::Failed), &outcome.err().map(|error| error.kind()));
        }
        let outcome = outcome.map_err(|error| error.to_string())?;
        let part = outcome.score().and_then(|score| score.parts.get("step_level_acc")).ok_or("no part")?;
        close("part", number(expected, "step_level_acc")?, part, TOLERANCE)
    });
}

#[test]
fn the_other_profile_takes_no_judgment_but_0_and_1() {
    let parts = |reply: &str, profile: &str| {
        let (outcome, _) = official(&research("0.6"), &[Some("0.6"), Some(STEPS), Some(reply)], profile);
        outcome.map(|outcome| outcome.score().and_then(|score| score.parts.get("llm_judge")))
    };
    assert_eq!(parts(r#"{"judge": 2}"#, "reference").unwrap(), Some(2.0));
    for reply in [r#"{"judge": 2}"#, r#"{"judge": -1}"#, "no object"] {
        assert_eq!(parts(reply, "improved").unwrap_err().kind(), ErrorKind::Unparseable, "{reply}");
    }
    assert_eq!(parts(r#"{"judge": 1}"#, "improved").unwrap(), Some(1.0));
    // Without the option nobody is asked about the whole answer.
    let answering = Answering::with(&[Some("0.6"), Some(STEPS)]);
    let outside = FnBackend(|_: &str, turn: &JudgeAction| answering.answer(turn));
    let outcome = scored("deep_research", Value::Null, &research("0.6"), &outside).unwrap();
    assert_eq!(outcome.score().unwrap().parts.get("llm_judge"), None);
}

#[test]
fn a_prompt_may_be_one_message_with_a_place_for_each_text() {
    let answering = Answering::with(&[Some("0.6"), Some(STEPS), Some(r#"{"judge": 0}"#)]);
    let outside = FnBackend(|_: &str, turn: &JudgeAction| answering.answer(turn));
    let options = json!({
        "upstream": "official-2026",
        "prompt": "Steps: {{reference_steps}} / {{reference_answer}} / {{question}} / {{answer}} / {{solution}}",
        "parser_prompt": "[system]\nLike {{example}} ({{type}})\n[user]\n{{text}}",
        "answer_prompt": "{{question}}: {{reference_answer}} or {{answer}} or {{parsed_answer}}?",
    });
    scored("deep_research", options, &research("0.7"), &outside).unwrap();
    let requests = answering.take();
    let texts = |at: usize| requests[at].messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>();
    assert_eq!(texts(0), ["Like 0.25 (text)", "0.7"]);
    assert_eq!(texts(1), ["Steps: Find it. / 0.5 / Q? / 0.7 / <answer>0.7</answer>"]);
    assert_eq!(texts(2), ["Q?: 0.5 or 0.7 or 0.6?"]);
    let definition = registry().get("deep_research").unwrap();
    let built = definition.build(json!({"answer_prompt": "Is {{answer}} right?"}), Profile::Published);
    assert!(built.err().unwrap().to_string().contains("put `{{reference_answer}}` there"));
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

#[test]
fn the_judge_of_reasoning_sees_the_pictures_that_the_run_lends() {
    let case = Case {
        id: "x".into(),
        response: Some(Output::new("\\boxed{A}")),
        metadata: object(&json!({"question": "Q?", "options": ["a", "b"], "steps": ["See."], "images": ["gel.png"]})),
        ..Case::default()
    };
    let ask = |options: Value, lent: bool| {
        let answering = Answering::with(&[Some("7")]);
        let outside = FnBackend(|_: &str, turn: &JudgeAction| answering.answer(turn));
        let cache = AnalysisCache::default();
        let sample = Sample::from_case(&case).with_cache(&cache);
        if lent {
            let read =
                |path: &str| (path == "gel.png").then(|| Image::new(PNG).unwrap()).ok_or("no such picture".into());
            CasePictures::share_with_run(&Arc::new(CasePictures::new(read)), sample);
        }
        let built = registry().get("reasoning_validity").unwrap().build(options, Profile::Published).unwrap();
        let outcome = built.score_with("reasoning_validity", sample, &outside);
        (outcome, answering.take())
    };
    let (outcome, requests) = ask(Value::Null, true);
    let score = outcome.unwrap();
    assert_eq!(score.score().unwrap().label, None);
    let message = requests[0].messages.last().unwrap();
    assert!(matches!(message.parts.as_slice(), [MessagePart::Image(image)] if image.bytes() == PNG));
    assert!(message.text.contains("| A. a") && message.text.contains("| 1. See."), "{}", message.text);
    let (outcome, requests) = ask(json!({"text_only": true}), true);
    assert_eq!(outcome.unwrap().score().unwrap().label.as_deref(), Some("judge saw no pictures"));
    assert!(requests[0].messages.iter().all(|message| message.parts.is_empty()));
    let (outcome, requests) = ask(Value::Null, false);
    let error = outcome.unwrap_err();
    assert!(error.kind() == ErrorKind::Missing && error.to_string().contains("gel.png"), "{error}");
    assert!(requests.is_empty());
}

#[test]
fn more_options_than_the_key_knows_is_an_error_of_the_row() {
    let case = |answer: Value| Case {
        id: "x".into(),
        response: Some(Output::new("\\boxed{B}")),
        metadata: object(&json!({"answer": answer, "options": ["a", "b"]})),
        ..Case::default()
    };
    let value = |answer: Value| {
        scored("experimental_reasoning", Value::Null, &case(answer), &NoBackend)
            .map(|outcome| outcome.score().map(|score| score.value.get()))
    };
    assert_eq!(value(json!(1)).unwrap(), Some(1.0));
    for answer in [json!(2), json!(33), json!(-1), json!("B")] {
        assert_eq!(value(answer.clone()).unwrap_err().kind(), ErrorKind::Failed, "{answer}");
    }
}
