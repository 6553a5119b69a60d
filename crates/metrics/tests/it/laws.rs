//! Laws that every registered metric keeps, whatever the input: in range, deterministic, the same with readings that a worker
//! shares, spans inside the text and equal to what they show, the best value on identity where declared, parts that
//! recompute the value, evidence that stays small.
//!
//! A law that scores nothing says nothing. So the cases are made from the examples of each page, with their options and
//! metadata, and changed step by step; what was really scored is counted for each metric and profile.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use probare_core::{
    AnalysisCache, Backend, Case, Citation, Evidence, FieldSpan, FnBackend, JudgeAction, MetricDef, Outcome, Output,
    Passage, Profile, Sample, ScoreError, Scorer,
};
use probare_testing::page_examples;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::registry;
use crate::runs::Runs;
use crate::scripted::Repeating;
use crate::vectors::Vectors;
use crate::{case, changes};

/// Most pieces of evidence that a score may carry, the note on the rest included.
const MOST_EVIDENCE: usize = 60;

/// Changed examples that each metric is given in each of its profiles.
const CHANGED: u32 = 240;

/// Of these, how many must really be scored. Changes break JSON, empty fields and drop what a metric needs; most leave
/// something to score. The improved definition of `agency_language` sets the most aside: some 90.
const SCORED: usize = 70;

/// A metric with one set of options.
struct Subject {
    definition: &'static MetricDef,
    profile: Profile,
    params: Value,
    metric: Scorer,
    judge: Repeating,
    runs: Runs,
}

impl Subject {
    fn name(&self) -> String {
        format!("{} ({}) with {}", self.definition.id, self.profile, self.params)
    }
}

/// Every metric with its defaults, where they suffice, and with the options of its page, in every profile it has.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let mut subjects = Vec::new();
    for definition in registry().iter() {
        let mut sets = vec![(json!({}), replies(definition, &json!({})))];
        for (_, example) in page_examples(definition.page) {
            let mut params = example.get("params").cloned().unwrap_or_else(|| json!({}));
            // Each set of options is tried in every profile.
            if let Some(params) = params.as_object_mut() {
                params.shift_remove("profile");
            }
            if !sets.iter().any(|(known, _)| *known == params) {
                let replies = replies(definition, &params);
                sets.push((params, replies));
            }
        }
        let before = subjects.len();
        for (params, replies) in sets {
            for profile in definition.profiles {
                if let Ok(metric) = definition.build(params.clone(), *profile) {
                    let judge = Repeating(replies.clone());
                    let runs = runs(definition, &params);
                    subjects.push(Subject {
                        definition,
                        profile: *profile,
                        params: params.clone(),
                        metric,
                        judge,
                        runs,
                    });
                }
            }
        }
        assert!(subjects.len() > before, "{}: neither the defaults nor any example can be built", definition.id);
    }
    subjects
});

/// What the judge says in the first example that has these options and a value.
fn replies(definition: &MetricDef, params: &Value) -> Vec<String> {
    let examples = page_examples(definition.page);
    let of = |example: &Value| example.get("params").cloned().unwrap_or_else(|| json!({})) == *params;
    let found = examples
        .iter()
        .find(|(_, example)| example.get("expect").is_some() && of(example) && example["replies"][0].is_string());
    let list = found.and_then(|(_, example)| example["replies"].as_array()).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What becomes of programs in the first example that has these options and runs any.
fn runs(definition: &MetricDef, params: &Value) -> Runs {
    let examples = page_examples(definition.page);
    let of = |example: &Value| example.get("params").cloned().unwrap_or_else(|| json!({})) == *params;
    let found = examples.iter().find(|(_, example)| of(example) && example.get("ran").is_some());
    found.map(|(_, example)| Runs::of(example)).unwrap_or_default()
}

/// Whoever gives vectors, and nothing else.
fn counting() -> impl Backend {
    FnBackend(|_: &str, turn: &JudgeAction| Vectors::default().answer(turn))
}

/// The cases of a page's examples that have a value.
fn seeds(definition: &MetricDef) -> Vec<Case> {
    page_examples(definition.page)
        .iter()
        .filter(|(_, example)| example.get("expect").is_some())
        .map(|(_, example)| case::read(&example["case"]))
        .collect()
}

/// A worker that has seen all cases before this one.
#[derive(Default)]
struct Worker(RefCell<AnalysisCache>);

/// Checks all laws that hold for any case; whether the metric gave a score.
fn check(subject: &Subject, case: &Case, worker: &Worker) -> Result<bool, String> {
    let sample = Sample::from_case(case);
    if subject.definition.missing_input(sample).is_some() {
        return Ok(false);
    }
    let outside = FnBackend(|_: &str, turn: &JudgeAction| match turn {
        JudgeAction::Ask(_) => subject.judge.answer(turn),
        _ => subject.runs.answer(turn),
    });
    let score = |sample| subject.metric.score_with("", sample, &outside);
    let result = score(sample);
    if score(sample) != result {
        return Err("the second call gives something else".into());
    }
    let cache = worker.0.borrow();
    for turn in ["first", "second"] {
        let shared = score(sample.with_cache(&cache));
        if shared != result {
            return Err(format!("shared readings give {shared:?} the {turn} time, fresh ones {result:?}"));
        }
    }
    lawful(subject, case, result)
}

/// Checks the laws about a single result; whether it is a score.
fn lawful(subject: &Subject, case: &Case, result: Result<Outcome, ScoreError>) -> Result<bool, String> {
    let Ok(Outcome::Scored(score)) = result else { return Ok(false) };
    let (value, (least, most)) = (score.value.get(), subject.definition.range);
    if !(least..=most).contains(&value) {
        return Err(format!("{value} is outside of {least} … {most}"));
    }
    if score.evidence.len() > MOST_EVIDENCE {
        return Err(format!("{} pieces of evidence", score.evidence.len()));
    }
    score.evidence.iter().try_for_each(|piece| spans(piece, case))?;
    if let Some(whole) = subject.definition.whole {
        let again = whole(&score.parts).ok_or_else(|| format!("no value from {:?}", score.parts))?;
        if (again - value).abs() > 1e-9 {
            return Err(format!("{:?} give {again}, not {value}", score.parts));
        }
    }
    Ok(true)
}

fn spans(piece: &Evidence, case: &Case) -> Result<(), String> {
    if let Some(place) = &piece.place {
        let shown = at(place, case)?;
        if !piece.quotes(&shown) {
            return Err(format!("{place:?} holds {shown:?}, not {:?}", piece.text));
        }
    }
    piece.support.as_ref().map_or(Ok(()), |place| at(place, case).map(|_| ()))
}

fn at<'a>(place: &FieldSpan, case: &'a Case) -> Result<Cow<'a, str>, String> {
    let text = case.text_at(place).ok_or_else(|| format!("{place:?} points at no text"))?;
    case.words_at(place).ok_or_else(|| format!("{place:?} is no span of {text:?}"))
}

/// All subjects on one case, whose readings they share as in a run; how many gave a score.
fn check_these<'s>(
    subjects: impl IntoIterator<Item = &'s Subject>,
    case: &Case,
    worker: &Worker,
) -> Result<usize, String> {
    worker.0.borrow_mut().next_case();
    let mut scored = 0;
    for subject in subjects {
        let is_scored = check(subject, case, worker).map_err(|law| format!("{}: {law}", subject.name()))?;
        scored += usize::from(is_scored);
    }
    Ok(scored)
}

#[test]
fn every_metric_keeps_its_laws_on_changed_examples_and_scores_them() {
    let worker = Worker::default();
    let mut scored: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for definition in registry().iter() {
        let seeds = seeds(definition);
        let subjects: Vec<&Subject> =
            SUBJECTS.iter().filter(|subject| std::ptr::eq(subject.definition, definition)).collect();
        let mut runner =
            TestRunner::new(ProptestConfig { cases: CHANGED, source_file: Some(file!()), ..ProptestConfig::default() });
        let strategy = (any::<Index>(), proptest::collection::vec(changes::change(), 0..4), any::<Index>());
        let counts = RefCell::new(&mut scored);
        let outcome = runner.run(&strategy, |(seed, changes, options)| {
            let mut case = seed.get(&seeds).clone();
            for change in &changes {
                change.apply(&mut case);
            }
            // One set of options in every profile.
            let params = &options.get(&subjects).params;
            worker.0.borrow_mut().next_case();
            for subject in subjects.iter().filter(|subject| subject.params == *params) {
                match check(subject, &case, &worker) {
                    Ok(is_scored) => {
                        let key = (definition.id, subject.profile.name());
                        *counts.borrow_mut().entry(key).or_default() += usize::from(is_scored);
                    }
                    Err(law) => return Err(TestCaseError::fail(format!("{}: {law}", subject.name()))),
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{failure}"));
        for profile in definition.profiles {
            let count = *scored.entry((definition.id, profile.name())).or_default();
            println!("{} ({profile}): {count} of {CHANGED} scored", definition.id);
        }
    }
    let few: Vec<_> = scored.iter().filter(|(_, count)| **count < SCORED).collect();
    assert!(few.is_empty(), "fewer than {SCORED} of {CHANGED} were scored: {few:?}");
}

fn ids() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(select(vec!["a", "b", "c", "d", "é", ""]).prop_map(str::to_owned), 0..7)
}

prop_compose! {
    fn any_case()(
        query in changes::text(),
        response in changes::text(),
        context in proptest::collection::vec(changes::text(), 0..3),
        reference in proptest::collection::vec(changes::text(), 1..3),
        quote in changes::text(),
        source in -1_i64..4,
        retrieved in ids(),
        relevant in ids(),
    ) -> Case {
        Case {
            id: "law".into(),
            query: Some(query),
            response: Some(Output::new(response)),
            context: Some(context.iter().map(|text| Passage::from(text.as_str())).collect()),
            reference: Some(reference),
            citations: Some(vec![Citation { source_index: json!(source), quote: json!(quote), source: None }]),
            retrieved: Some(retrieved),
            relevant: Some(relevant),
            ..Case::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_metric_keeps_its_laws_on_any_text(cases in proptest::collection::vec(any_case(), 2)) {
        // The second case meets a worker that has read the first one.
        let worker = Worker::default();
        for case in &cases {
            if let Err(law) = check_these(SUBJECTS.iter(), case, &worker) {
                return Err(TestCaseError::fail(law));
            }
        }
    }

    #[test]
    fn a_response_equal_to_the_reference_gets_the_best_value_where_declared(
        words in "[A-Z][a-z]{3,8}( [a-z]{2,8}){3,10}[.!]?",
        statements in statements(),
    ) {
        // A improved definition may set aside what states nothing; the published ones take any words.
        for (text, profiles) in [(words, &[Profile::Published][..]), (statements, &[Profile::Published, Profile::Improved])] {
            let case = Case {
                response: Some(Output::new(text.clone())),
                reference: Some(vec!["something else entirely".into(), text]),
                ..Case::default()
            };
            for definition in registry().iter().filter(|definition| definition.identity) {
                for profile in profiles.iter().filter(|profile| definition.profiles.contains(profile)) {
                    let metric = definition.build(Value::Null, *profile).expect("identity is declared for defaults");
                    let outcome =
                        metric.score_with("law", Sample::from_case(&case), &counting()).expect("it can be scored");
                    let value = outcome.score().expect("it applies").value.get();
                    prop_assert!((value - definition.best()).abs() < 1e-9, "{} ({profile}): {value}", definition.id);
                }
            }
        }
    }
}

/// One to three plain sentences that state something.
fn statements() -> impl Strategy<Value = String> {
    let subject =
        select(vec!["The river", "A canal", "The engineers", "The old press", "Railways", "The treaty of 1869"]);
    let verb = select(vec!["changed", "flooded", "supported", "opened", "weakened"]);
    let object = select(vec!["the harbour", "new markets in the north", "many small towns", "the laws on labour"]);
    let sentence = (subject, verb, object).prop_map(|(subject, verb, object)| format!("{subject} {verb} {object}."));
    proptest::collection::vec(sentence, 1..4).prop_map(|sentences| sentences.join(" "))
}

/// A case in which every text is the same.
fn everywhere(text: &str) -> Case {
    Case {
        id: "hostile".into(),
        query: Some(text.into()),
        response: Some(Output::new(text)),
        context: Some(vec![text.into()]),
        reference: Some(vec![text.into()]),
        citations: Some(vec![Citation { source_index: json!(0), quote: json!(text), source: None }]),
        retrieved: Some(vec![text.into(); 3]),
        relevant: Some(vec![text.into()]),
        ..Case::default()
    }
}

#[test]
fn hostile_texts_break_no_law() {
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    let texts = [
        "",
        " \t\r\n\u{b}\u{c}\u{85}\u{2028}",
        "\0\u{1}\u{7f}\u{1b}[31m",
        "\u{202e}اختبار\u{202c} שלום",
        "👩‍👩‍👧‍👦🏳️‍🌈👍🏽",
        "e\u{301}\u{301}\u{301}\u{301}",
        "\u{feff}\u{200b}\u{ad}",
        "İİİ ẞß ſK ΑΣ ﬁﬂ",
        "\u{10ffff}\u{fffd}",
        "....,,,,----''''\"\"\"\"((((",
        "1e999 -1e999 0.0.0.0 1,000,000,000,000,000,000,000",
        "日本語のテキスト。句読点、も。",
        "a",
        "the a an",
        deep.as_str(),
    ];
    let worker = Worker::default();
    for text in texts {
        check_these(SUBJECTS.iter(), &everywhere(text), &worker).unwrap();
        let mut case = everywhere(text);
        case.reference = Some(vec!["The cat sat on the mat.".into(), text.into()]);
        check_these(SUBJECTS.iter(), &case, &worker).unwrap();
        case.response = Some(Output::new("The cat sat on the mat in 1999."));
        case.reference = Some(vec![text.into()]);
        check_these(SUBJECTS.iter(), &case, &worker).unwrap();
    }
    // In the place of one text of an example, the others as they were: each text in another place. Most of these
    // cannot be scored, and may not do harm.
    let mut subjects: Vec<&Subject> = SUBJECTS.iter().collect();
    subjects.dedup_by_key(|subject| (subject.definition.id, subject.profile.name()));
    for subject in subjects {
        let mut seed = seeds(subject.definition).swap_remove(0);
        let places = changes::texts(&mut seed).len();
        for (number, text) in texts.into_iter().filter(|text| text.len() < 100).enumerate().filter(|_| places > 0) {
            let mut case = seed.clone();
            text.clone_into(changes::texts(&mut case)[number % places]);
            check_these([subject], &case, &worker).unwrap();
        }
    }
}

#[test]
fn a_hundred_kilobytes_break_no_law() {
    let words = "The quick brown fox, aged 7, jumps over 13 lazy dogs (twice). ".repeat(1_613);
    let one_word = "x".repeat(100_000);
    let no_space = "é,".repeat(33_334);
    let short = "The quick brown fox jumps over the lazy dog.";
    // The first set of options of each metric: the size is the point here, and unoptimised code is slow.
    let mut subjects: Vec<&Subject> = SUBJECTS.iter().collect();
    subjects.dedup_by_key(|subject| subject.definition.id);
    for long in [words, one_word, no_space] {
        assert!(long.len() >= 100_000);
        for (response, reference) in [(long.as_str(), short), (short, long.as_str()), (&long[..], &long[..])] {
            let mut case = everywhere(short);
            case.response = Some(Output::new(response));
            case.reference = Some(vec![reference.into()]);
            for subject in
                subjects.iter().filter(|subject| subject.definition.missing_input(Sample::from_case(&case)).is_none())
            {
                let result = subject.metric.score_with("law", Sample::from_case(&case), &counting());
                lawful(subject, &case, result).unwrap_or_else(|law| panic!("{}: {law}", subject.name()));
            }
        }
    }
}

#[test]
fn ten_thousand_documents_leave_the_evidence_small() {
    let ids: Vec<String> = (0..10_000).map(|number| format!("document-{number}")).collect();
    let mut case = everywhere("x");
    case.relevant = Some(ids.iter().rev().cloned().collect());
    case.retrieved = Some(ids);
    check_these(SUBJECTS.iter(), &case, &Worker::default()).unwrap();
}
