//! Golden vectors of SGI-Bench: the pieces of its scores, and the metrics with the replies of the vectors.

use std::collections::BTreeMap;

use probare_benchmarks::registry;
use probare_benchmarks::sgi::metrics::answer::{answer_text, prediction};
use probare_benchmarks::sgi::metrics::deep_research::parser_example;
use probare_benchmarks::sgi::metrics::idea::{
    DIMENSION_NAMES, GraphOptions, IdeaReference, ObjectiveOptions, ObjectiveScores, RESPECTS, TextVectors,
    VoteOptions, context_text, count_votes, final_score, graph_similarity, idea_text, mapping_field, objective_scores,
    order_field, parse_idea, parse_vote, texts_to_embed, win_threshold, won_respects,
};
use probare_benchmarks::sgi::metrics::protocol::{ProtocolStep, Variables};
use probare_benchmarks::sgi::metrics::replies::{ReplyParseOptions, step_level_accuracy};
use probare_benchmarks::sgi::metrics::wet_experiment::ProtocolComparison;
use probare_core::{
    Backend, BackendAnswer, Case, ErrorKind, FnBackend, JudgeAction, ModelReply, Outcome, Output, Profile, Sample,
    ScoreError,
};
use probare_testing::{all_close, close, golden, list, number, same, text};
use probare_text::python;
use serde_json::{Map, Value, json};

const TOLERANCE: f64 = 1e-9;

#[test]
fn golden_answer_extraction() {
    golden("sgi", "answer_extraction.jsonl", |vector| {
        let expected = &vector["expected"];
        let Some(given) = vector["text"].as_str() else {
            return same("extracted", &expected["extracted"], &Value::Null);
        };
        same("extracted", &expected["extracted"].as_str(), &answer_text(given))?;
        same("prediction", &expected["prediction"].as_str(), &Some(prediction(given).1))
    });
}

/// A Python value in the notation of the vectors.
fn noted(value: &python::PyValue, non_finite: [&str; 3]) -> Value {
    let all = |items: &[python::PyValue]| items.iter().map(|item| noted(item, non_finite)).collect::<Vec<_>>();
    match value {
        python::PyValue::None => Value::Null,
        python::PyValue::Bool(yes) => json!(yes),
        python::PyValue::Int(digits) => serde_json::from_str(digits).unwrap_or_default(),
        python::PyValue::Float(number) if number.is_nan() => json!({"$float": non_finite[0]}),
        python::PyValue::Float(number) if number.is_infinite() => {
            json!({"$float": non_finite[if *number > 0.0 { 1 } else { 2 }]})
        }
        python::PyValue::Float(number) => json!(number),
        python::PyValue::Complex(real, imaginary) => json!({"$complex": [real, imaginary]}),
        python::PyValue::Text(text) => json!(text),
        python::PyValue::Bytes(bytes) => json!({"$bytes": bytes}),
        python::PyValue::List(items) => json!(all(items)),
        python::PyValue::Tuple(items) => json!({"$tuple": all(items)}),
        python::PyValue::Set(items) => json!({"$set": items.iter().map(python::PyValue::repr).collect::<Vec<_>>()}),
        python::PyValue::Dict(pairs) => {
            let pair = |(key, value): &(python::PyValue, python::PyValue)| {
                json!([noted(key, non_finite), noted(value, non_finite)])
            };
            json!({"$dict": pairs.iter().map(pair).collect::<Vec<_>>()})
        }
        python::PyValue::Ellipsis => json!({"$ellipsis": true}),
    }
}

#[test]
fn golden_python_literal() {
    let names = ["nan", "inf", "-inf"];
    golden("sgi", "python_literal.jsonl", |vector| {
        let expected = &vector["expected"];
        let order = order_field(&vector["value"]);
        if expected.get("raises").is_some() {
            return same("raises", &true, &order.is_err());
        }
        let mapping = noted(&mapping_field(&vector["value"]), names);
        same("mapping", &expected["as_mapping_field"], &mapping)?;
        let order = order.map_err(|error| error.to_string())?;
        let order: Vec<Value> = order.iter().map(|item| noted(item, names)).collect();
        same("order", &expected["as_order_field"], &json!(order))
    });
}

/// The same for ideas, whose mappings have texts for keys and are written as objects.
fn plainly(value: &python::PyValue) -> Value {
    match value {
        python::PyValue::Dict(pairs) => {
            Value::Object(pairs.iter().map(|(key, value)| (key.to_text(), plainly(value))).collect())
        }
        python::PyValue::List(items) => Value::Array(items.iter().map(plainly).collect()),
        other => noted(other, ["NaN", "Infinity", "-Infinity"]),
    }
}

#[test]
fn golden_idea_parse() {
    golden("sgi", "idea_parse.jsonl", |vector| {
        let got = parse_idea(text(vector, "text")?);
        same("idea", &vector["expected"]["idea"], &got.as_ref().map_or(Value::Null, plainly))
    });
}

#[test]
fn golden_judge_text() {
    golden("sgi", "judge_text.jsonl", |vector| {
        let idea = python::PyValue::from(&vector["idea"]);
        let row = vector["context_data"].as_object().ok_or("no context")?;
        same("idea", text(&vector["expected"], "idea_text")?, idea_text(&idea).as_str())?;
        same("context", text(&vector["expected"], "context_text")?, context_text(row).as_str())
    });
}

#[test]
fn golden_graph_similarity() {
    golden("sgi", "graph_similarity.jsonl", |vector| {
        let side = |name: &str| python::PyValue::from(&vector[name]);
        let options = GraphOptions { alpha: number(vector, "alpha")?, ..GraphOptions::default() };
        let got = graph_similarity(&side("generated"), &side("reference"), options);
        close("similarity", number(&vector["expected"], "similarity")?, got, TOLERANCE)
    });
}

#[test]
fn golden_vote_parse() {
    golden("sgi", "vote_parse.jsonl", |vector| {
        let got = parse_vote(text(vector, "reply")?, VoteOptions::default());
        let shown = |verdicts: &probare_benchmarks::sgi::metrics::idea::RespectVotes| {
            let pair = |(respect, vote): (&&str, &probare_benchmarks::sgi::metrics::idea::IdeaVote)| {
                let judgment = if vote.is_b { "win_B" } else { "win_A" };
                ((*respect).to_owned(), json!({"judgment": judgment, "reason": vote.reason}))
            };
            Value::Object(RESPECTS.iter().zip(&verdicts.0).map(pair).collect())
        };
        let parsed = got.as_ref().map_or(Value::Null, shown);
        same("parsed", &vector["expected"]["parsed"], &parsed)?;
        let flipped =
            got.map(probare_benchmarks::sgi::metrics::idea::RespectVotes::flipped).as_ref().map_or(Value::Null, shown);
        same("flipped", &vector["expected"]["flipped"], &flipped)
    });
}

#[test]
fn golden_vote_count() {
    golden("sgi", "vote_count.jsonl", |vector| {
        let expected = &vector["expected"];
        let votes: Vec<_> = list(vector, "replies")?
            .iter()
            .enumerate()
            .map(|(slot, reply)| {
                let votes = parse_vote(reply.as_str()?, VoteOptions::default())?;
                Some(if slot % 2 == 0 { votes } else { votes.flipped() })
            })
            .collect();
        close("valid votes", number(expected, "valid_votes")?, votes.iter().flatten().count() as f64, 0.0)?;
        let counts = count_votes(&votes);
        for (at, respect) in RESPECTS.iter().enumerate() {
            let expected_counts = &expected["vote_counts"][respect];
            close(respect, number(expected_counts, "original")?, f64::from(counts[at].original), 0.0)?;
            close(respect, number(expected_counts, "generated")?, f64::from(counts[at].generated), 0.0)?;
            same(respect, text(&expected["results"], respect)?, counts[at].result(win_threshold(at)))?;
        }
        let subjective = final_score(&ObjectiveScores::default(), won_respects(&counts)).dimensions;
        DIMENSION_NAMES.iter().zip(subjective).try_for_each(|(name, dimension)| {
            close(name, number(&expected["subjective"], name)?, dimension.subjective, 0.0)
        })
    });
}

#[test]
fn golden_idea_final() {
    golden("sgi", "idea_final.jsonl", |vector| {
        let (raw, votes, expected) = (&vector["raw_objective_0_10"], &vector["candidate_votes"], &vector["expected"]);
        let (similarity, edge) = (number(raw, "novelty_similarity")?, number(raw, "cutting_edge")?);
        let objective = ObjectiveScores {
            effectiveness: number(raw, "effectiveness")?,
            novelty: 0.5 * similarity + 0.5 * edge,
            detailedness: number(raw, "detailedness")?,
            feasibility: number(raw, "feasibility")?,
            ..ObjectiveScores::default()
        };
        let mut counts = [probare_benchmarks::sgi::metrics::idea::VoteCount::default(); 5];
        for (count, name) in counts.iter_mut().zip(DIMENSION_NAMES) {
            let generated =
                u32::try_from(votes[name].as_u64().ok_or("no votes")?).map_err(|error| error.to_string())?;
            *count = probare_benchmarks::sgi::metrics::idea::VoteCount { original: 6 - generated, generated };
        }
        let finished = final_score(&objective, won_respects(&counts));
        for (name, dimension) in DIMENSION_NAMES.iter().zip(finished.dimensions) {
            close(name, number(expected, name)?, dimension.value, TOLERANCE)?;
            close(name, number(expected, &format!("{name}_objective"))?, dimension.objective, TOLERANCE)?;
            close(name, number(expected, &format!("{name}_subjective"))?, dimension.subjective, TOLERANCE)?;
        }
        close("final", number(expected, "final_score")?, finished.score, TOLERANCE)?;
        close("is correct", number(expected, "is_correct")?, finished.score / 100.0, TOLERANCE)
    });
}

#[test]
fn golden_idea_objective_fixed() {
    golden("sgi", "idea_objective_fixed.jsonl", |vector| {
        let row = vector["data"].as_object().ok_or("no row")?;
        let reference = IdeaReference::new(row).map_err(|error| error.to_string())?;
        let idea = python::PyValue::from(&vector["generated_idea"]);
        let given: BTreeMap<String, Vec<f32>> =
            serde_json::from_value(vector["embeddings"].clone()).map_err(|error| error.to_string())?;
        let options = ObjectiveOptions::default();
        let unknown: Vec<String> =
            texts_to_embed(&idea, &reference, options).into_iter().filter(|text| !given.contains_key(text)).collect();
        same("texts without a vector", &Vec::<String>::new(), &unknown)?;
        let vectors: TextVectors<'_> = given.iter().map(|(text, vector)| (text.as_str(), vector.as_slice())).collect();
        all_close(&vector["expected"], &json!(objective_scores(&idea, &reference, &vectors, options)), 1e-4)
    });
}

#[test]
fn golden_step_level_accuracy() {
    golden("sgi", "step_level_accuracy.jsonl", |vector| {
        let got = step_level_accuracy(text(vector, "judge_output")?, ReplyParseOptions::default());
        let got = got.map_or(0.0, |(accuracy, _)| accuracy);
        close("step_level_acc", number(&vector["expected"], "step_level_acc")?, got, TOLERANCE)
    });
}

/// Answers the parser and the judge; nothing is a call that failed.
struct Said([Option<String>; 2]);

impl Said {
    fn answer(&self, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Ask(questions) = turn else { return Vec::new() };
        let reply = |text: &Option<String>| match text {
            Some(text) => BackendAnswer::Reply(ModelReply::text(text)),
            None => BackendAnswer::Reply(ModelReply::failed(ErrorKind::Failed, "down")),
        };
        self.0.iter().take(questions.len()).map(reply).collect()
    }
}

fn answering(replies: &Said) -> impl Backend + '_ {
    FnBackend(|_: &str, turn: &JudgeAction| replies.answer(turn))
}

fn scored(metric: &str, case: &Case, outside: &dyn Backend) -> Result<Outcome, ScoreError> {
    let definition = registry().get(metric).expect("the metric is there");
    let built = definition.build(Value::Null, Profile::Published).expect("the defaults are good");
    built.score_with(metric, Sample::from_case(case), outside)
}

#[test]
fn golden_deep_research() {
    golden("sgi", "deep_research.jsonl", |vector| {
        let expected = &vector["expected"];
        let response = text(vector, "output_text")?;
        same("example", text(expected, "parser_example")?, parser_example(&vector["answer"]))?;
        same("parser's text", text(expected, "parser_input_text")?, prediction(response).1)?;
        let mut metadata = Map::new();
        for name in ["answer", "steps"] {
            metadata.insert(name.to_owned(), vector[name].clone());
        }
        let case = Case { id: "x".into(), response: Some(Output::new(response)), metadata, ..Case::default() };
        let reply = |name: &str| vector[name].as_str().map(str::to_owned);
        let outcome = scored("deep_research", &case, &answering(&Said([reply("parser_reply"), reply("judge_reply")])));
        if expected["raises"].is_string() {
            return same("raises", &true, &outcome.is_err());
        }
        // A judge that is down counts as "all steps wrong" in the original. Here an outage is no verdict, in any profile.
        if vector["judge_reply"].is_null() {
            return same("outage", &Some(ErrorKind::Failed), &outcome.err().map(|error| error.kind()));
        }
        let outcome = outcome.map_err(|error| error.to_string())?;
        let score = outcome.score().ok_or("it is scored")?;
        let result = &expected["result"];
        close("exact match", number(result, "exact_match")?, score.value.get(), 0.0)?;
        same("is correct", &result["is_correct"].as_bool(), &Some(score.value.get() == 1.0))?;
        let accuracy = score.parts.get("step_level_acc").ok_or("no part")?;
        close("steps", number(result, "step_level_acc")?, accuracy, TOLERANCE)
    });
}

fn shown_steps(steps: &[ProtocolStep]) -> Value {
    let shown = |step: &ProtocolStep| {
        let input: Map<String, Value> = step.input.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({"action": step.action, "input": input, "output": step.output})
    };
    steps.iter().map(shown).collect()
}

#[test]
fn golden_wet() {
    golden("sgi", "wet.jsonl", |vector| {
        let expected = &vector["expected"];
        let got = ProtocolComparison::new(text(vector, "ground_truth")?, text(vector, "output_text")?, false);
        same("steps of the reference", &expected["gt_steps"], &shown_steps(&got.reference))?;
        same("steps of the response", &expected["pred_steps"], &shown_steps(&got.predicted))?;
        for (prefix, steps) in [("gt", &got.reference), ("pred", &got.predicted)] {
            let variables = Variables::from_steps(steps);
            let list = |set: &std::collections::BTreeSet<&str>| json!(set.iter().collect::<Vec<_>>());
            same("raw", &expected[format!("{prefix}_raw_vars")], &list(&variables.raw))?;
            same("generated", &expected[format!("{prefix}_generated_vars")], &list(&variables.generated))?;
        }
        close(
            "similarity",
            number(expected, "action_sequence_similarity")?,
            got.action_sequence_similarity,
            TOLERANCE,
        )?;
        close("accuracy", number(expected, "parameter_accuracy")?, got.fit.accuracy, TOLERANCE)?;
        close("final", number(expected, "final_score")?, got.final_score, TOLERANCE)?;
        let statuses: Vec<&str> =
            got.fit.steps.iter().map(|step| if step.is_some() { "error" } else { "success" }).collect();
        same("statuses", &expected["step_statuses"], &json!(statuses))?;
        same("error", &expected["error"].is_string(), &got.is_unread())?;
        same("type", text(expected, "score_type")?, if got.is_unread() { "bool_false" } else { "float" })?;
        let case = Case {
            id: "x".into(),
            reference: Some(vec![text(vector, "ground_truth")?.to_owned()]),
            response: Some(Output::new(text(vector, "output_text")?)),
            ..Case::default()
        };
        let outcome = scored("wet_experiment", &case, &probare_core::NoBackend).map_err(|error| error.to_string())?;
        let score = outcome.score().ok_or("it is scored")?;
        close("metric", number(expected, "final_score")?, score.value.get(), TOLERANCE)
    });
}

/// Answers every question alike, and every text with the same vector.
fn always(reply: ModelReply) -> impl Backend {
    FnBackend(move |_: &str, turn: &JudgeAction| match turn {
        JudgeAction::Ask(questions) => questions.iter().map(|_| BackendAnswer::Reply(reply.clone())).collect(),
        JudgeAction::Embed { texts, .. } => texts.iter().map(|_| BackendAnswer::Vector(vec![1.0, 0.0])).collect(),
        _ => Vec::new(),
    })
}

fn research(answer: &str) -> Case {
    let metadata = json!({"question": "Q?", "answer": "0.5", "steps": ["Find it."]});
    Case {
        id: "x".into(),
        response: Some(Output::new(format!("<answer>{answer}</answer>"))),
        metadata: metadata.as_object().unwrap().clone(),
        ..Case::default()
    }
}

fn an_idea() -> Case {
    let metadata = json!({"core_idea": "Old idea.", "keywords": ["a"]});
    let response = r#"<answer>{"Idea": "A new idea."}</answer>"#;
    Case {
        id: "x".into(),
        response: Some(Output::new(response)),
        metadata: metadata.as_object().unwrap().clone(),
        ..Case::default()
    }
}

#[test]
fn an_outage_of_a_grader_fails_the_sample_in_every_profile() {
    for profile in [Profile::Published, Profile::Improved] {
        for (metric, case) in
            [("deep_research", research("0.5")), ("deep_research", research("0.6")), ("idea_generation", an_idea())]
        {
            let built = registry().get(metric).unwrap().build(Value::Null, profile).unwrap();
            for kind in [ErrorKind::Failed, ErrorKind::TimedOut, ErrorKind::Missing] {
                let down = always(ModelReply::failed(kind, "connection refused"));
                let error = built.score_with(metric, Sample::from_case(&case), &down).unwrap_err();
                assert_eq!(error.kind(), kind, "{metric}: {error}");
            }
        }
    }
}

#[test]
fn garbage_of_a_grader_is_what_the_published_rule_says_and_is_counted() {
    let refused = ModelReply {
        content: probare_core::ReplyContent::Refused("I would rather not.".into()),
        ..ModelReply::text("")
    };
    for reply in [ModelReply::text("no list at all"), ModelReply::text(""), refused] {
        let outcome = scored("deep_research", &research("0.5"), &always(reply.clone())).unwrap();
        let score = outcome.score().unwrap();
        let part = |name: &str| score.parts.get(name);
        assert_eq!(
            (score.value.get(), part("step_level_acc"), part("unreadable_replies")),
            (1.0, Some(0.0), Some(1.0))
        );
        let outcome = scored("idea_generation", &an_idea(), &always(reply)).unwrap();
        let score = outcome.score().unwrap();
        assert_eq!(score.parts.get("valid_votes"), Some(0.0));
    }
    let list = r#"[{"solution_step": "s", "reason": "r", "judge": "correct"}]"#;
    let outcome = scored("deep_research", &research("0.5"), &always(ModelReply::text(list))).unwrap();
    assert_eq!(outcome.score().unwrap().parts.get("unreadable_replies"), None);
}

#[test]
fn a_verdict_without_its_colon_is_read() {
    let read = |reply: &str| step_level_accuracy(reply, ReplyParseOptions::default()).map(|(accuracy, _)| accuracy);
    assert_eq!(read(r#"[{"judge" "correct"}]"#), Some(1.0));
    assert_eq!(read(r#"[{"solution_step": "s", "judge" "correct"}, {"judge" "incorrect"}]"#), Some(0.5));
}
