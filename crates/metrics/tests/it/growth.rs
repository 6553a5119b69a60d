//! The work of every metric grows with its input and not with its square, whatever the input looks like.
//!
//! Texts of sixteen shapes that have made programs hang are given to every metric in every profile, at two sizes, and
//! conversations and lists of calls of two lengths to those that read them. The steps are counted that the work takes note of (`probare_cancellation::counted`): the same number on every machine, however
//! busy it is. Work that takes no note of itself is not seen; which metrics count less than they are given is a list.

use std::collections::BTreeSet;

use probare_cancellation::with_step_count;
use probare_core::{Case, CaseToolCall, MetricDef, Output, Passage, Profile, Sample, Scorer};
use probare_testing::page_examples;
use serde_json::json;

use crate::case;
use crate::registry;

/// How much larger the second text is.
const GROWTH: usize = 8;

/// Bytes of the first text.
const SMALL: usize = 4_000;

/// What eight times the text may take: n log n with room. A square takes 64 times as much.
const MOST_STEPS: f64 = 12.0;

/// Metrics that count less than they are given: those that read ids, numbers and lists in JSON, that ask others, or whose whole work is a
/// search by a library in time linear in the text.
const COUNT_LESS: [&str; 21] = [
    "average_precision",
    "code_tests",
    "contains",
    "deep_research",
    "dry_experiment",
    "embedding_similarity",
    "idea_generation",
    "judge_context_precision",
    "judge_pairwise",
    "judge_rubric",
    "judge_steps",
    "list_contains",
    "ndcg",
    "numeric_diff",
    "openai_model_grader",
    "precision_at_k",
    "promptfoo_judged_test",
    "recall_at_k",
    "reciprocal_rank",
    "regex_match",
    "source_precision",
];

/// A text of about so many bytes.
type Shape = fn(usize) -> String;

/// All shapes by their names.
const SHAPES: [(&str, Shape); 16] = [
    ("round brackets around each other", |size| "(".repeat(size / 2) + &")".repeat(size / 2)),
    ("brackets that were never opened", |size| ")".repeat(size)),
    ("brackets of all kinds", |size| "([{".repeat(size / 6) + &"}])".repeat(size / 6)),
    ("ones and dashes", |size| "1-".repeat(size / 2)),
    ("stars", |size| "*".repeat(size)),
    ("French quotation marks", |size| "«".repeat(size / 2)),
    ("quotation marks", |size| "\"a' ".repeat(size / 4)),
    ("dates", |size| "12 March 1999, 1/2/2003; ".repeat(size / 25)),
    ("one sentence again and again", |size| "Cats drink milk. ".repeat(size / 17)),
    ("one sentence without an end", |size| "the cat and Anna saw 5 dogs that ".repeat(size / 33)),
    ("one word without an end", |size| "a".repeat(size)),
    ("digits with signs", |size| "1,1.1 $%".repeat(size / 8)),
    ("lists", |size| "- a\n1. b\n\n".repeat(size / 10)),
    ("marks above nothing", |size| "\u{301}".repeat(size / 2)),
    ("spaces", |size| " \t\n".repeat(size / 3)),
    ("names", |size| "Mr. Anna-Maria O'Brien, ".repeat(size / 24)),
];

/// Every metric in every profile, with the options of its first example that can be built, and a case that it scores.
fn subjects() -> Vec<(String, &'static MetricDef, Scorer, Case)> {
    let mut subjects = Vec::new();
    for definition in registry().iter() {
        let examples = page_examples(definition.page);
        let with_value =
            || examples.iter().map(|(_, example)| example).filter(|example| example.get("expect").is_some());
        for profile in definition.profiles {
            let built = with_value().find_map(|example| {
                let mut params = example.get("params").cloned().unwrap_or_else(|| json!({}));
                if let Some(params) = params.as_object_mut() {
                    params.shift_remove("profile");
                }
                let scorer = definition.build(params, *profile).ok()?;
                Some((scorer, case::read(&example["case"])))
            });
            let (scorer, case) = built.unwrap_or_else(|| panic!("{}: no example can be built", definition.id));
            subjects.push((format!("{} ({profile})", definition.id), definition, scorer, case));
        }
    }
    for (query, reference) in QUESTIONS {
        let Ok(definition) = registry().get("answer_match") else { continue };
        let scorer = definition.build(json!({}), Profile::Published).expect("it needs no options");
        let case = case::read(&json!({"query": query, "response": "", "reference": reference}));
        subjects.push((format!("answer_match to `{query}`"), definition, scorer, case));
    }
    subjects
}

/// Questions whose answers are read in other ways.
const QUESTIONS: [(&str, &str); 4] = [
    ("When did it open?", "12 March 1999"),
    ("How many cats are there?", "5"),
    ("Is it open?", "yes"),
    ("Who saw the dogs?", "Anna-Maria O'Brien"),
];

/// Which texts have the shape; the others stay as short as they are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Everywhere,
    Response,
}

/// The case with some of its texts in one shape.
fn shaped(seed: &Case, shape: Shape, size: usize, place: Place) -> Case {
    let text = shape(size);
    let mut case = seed.clone();
    case.response = Some(Output::new(text.clone()));
    if place == Place::Response {
        return case;
    }
    if let Some(query) = &mut case.query {
        query.clone_from(&text);
    }
    if let Some(references) = &mut case.reference {
        *references = vec![text.clone()];
    }
    if let Some(context) = &mut case.context {
        *context = vec![Passage { text: text.clone(), ..Passage::default() }];
    }
    for citation in case.citations.iter_mut().flatten() {
        citation.quote = text.clone().into();
    }
    for message in case.messages.iter_mut().flatten() {
        if let Some(spoken) = &mut message.text {
            spoken.clone_from(&text);
        }
    }
    for argument in calls(&mut case).filter_map(|call| call.arguments.as_mut()).flat_map(|all| all.values_mut()) {
        if argument.is_string() {
            *argument = json!(text);
        }
    }
    case
}

/// All calls that were made.
fn calls(case: &mut Case) -> impl Iterator<Item = &mut CaseToolCall> {
    let message_calls = case.messages.iter_mut().flatten().flat_map(|message| &mut message.tool_calls);
    message_calls.chain(case.tool_calls.iter_mut().flatten())
}

/// Conversations, one after the other, and lists of calls: how often the second stands there, and the first.
const TURNS: [usize; 2] = [4_000, 500];

/// The case with its conversation and its calls so many times; nothing where it has neither.
fn repeated(seed: &Case, times: usize) -> Option<Case> {
    (seed.messages.is_some() || seed.tool_calls.is_some()).then_some(())?;
    let mut case = seed.clone();
    let renamed = |id: &mut Option<String>, round: usize| {
        *id = id.take().map(|id| format!("{id} of {round}"));
    };
    case.messages = seed.messages.as_ref().map(|messages| {
        rounds(messages, times, |message, round| {
            renamed(&mut message.id, round);
            message.tool_calls.iter_mut().for_each(|call| renamed(&mut call.id, round));
        })
    });
    let calls = |calls: &Vec<CaseToolCall>| rounds(calls, times, |call, round| renamed(&mut call.id, round));
    case.tool_calls = seed.tool_calls.as_ref().map(calls);
    Some(case)
}

/// A list one time after the other, each changed a little.
fn rounds<T: Clone>(list: &[T], times: usize, change: impl Fn(&mut T, usize)) -> Vec<T> {
    let rounds = (0..times).flat_map(|round| list.iter().cloned().map(move |item| (item, round)));
    rounds
        .map(|(mut item, round)| {
            change(&mut item, round);
            item
        })
        .collect()
}

fn steps(scorer: &Scorer, case: &Case) -> u64 {
    with_step_count(|| scorer.score(Sample::from_case(case))).1
}

#[test]
fn work_grows_with_the_input_and_not_with_its_square() {
    let (mut faults, mut silent) = (Vec::new(), BTreeSet::new());
    for (name, definition, scorer, seed) in subjects() {
        // Tables and models are loaded before.
        let _ = scorer.score(Sample::from_case(&seed));
        let places = [Place::Everywhere, Place::Response];
        let mut most = 0;
        for ((shape_name, shape), place) in SHAPES.into_iter().flat_map(|shape| places.map(|place| (shape, place))) {
            let (small, large) = (shaped(&seed, shape, SMALL, place), shaped(&seed, shape, SMALL * GROWTH, place));
            if definition.missing_input(Sample::from_case(&small)).is_some() {
                continue;
            }
            let (few, many) = (steps(&scorer, &small), steps(&scorer, &large));
            most = most.max(many);
            if many > 20_000 && many as f64 > MOST_STEPS * few as f64 {
                faults.push(format!("{name}: {shape_name} ({place:?}): {few} steps, then {many}"));
            }
        }
        if let [Some(many), Some(few)] = TURNS.map(|times| repeated(&seed, times)) {
            let (few, many) = (steps(&scorer, &few), steps(&scorer, &many));
            most = most.max(many);
            if many as f64 > MOST_STEPS * few as f64 && many > 20_000 {
                faults.push(format!("{name}: turns: {few} steps, then {many}"));
            }
        }
        if most < (SMALL * GROWTH / 4) as u64 {
            silent.insert(definition.id);
        }
    }
    assert!(faults.is_empty(), "{GROWTH} times the text takes far more:\n{}", faults.join("\n"));
    let counting_less: BTreeSet<_> = COUNT_LESS.into_iter().filter(|id| registry().get(id).is_ok()).collect();
    assert_eq!(silent, counting_less, "metrics that count less than they are given");
}
