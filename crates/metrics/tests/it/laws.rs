//! Laws that every registered metric keeps, whatever the input: in range, deterministic, spans inside the text and equal
//! to what they show, the best value on identity where declared, parts that recompute the value, evidence that stays
//! small. They run with the default options and with those of each example page.

use std::sync::LazyLock;

use probare_core::{Case, Citation, Evidence, MetricDef, Outcome, Output, Passage, Place, Profile, Sample, Scorer};
use probare_metrics::registry;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::pages::examples;

/// Most pieces of evidence that a score may carry, the note on the rest included.
const MOST_EVIDENCE: usize = 60;

/// A metric with one set of options.
struct Subject {
    definition: &'static MetricDef,
    params: Value,
    metric: Scorer,
}

/// Every metric with its defaults, where they suffice, and with the options of its page, in every profile it has.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let mut subjects = Vec::new();
    for definition in registry().iter() {
        let mut sets = vec![Value::Null];
        for (_, example) in examples(definition.page) {
            if let Some(params) = example.get("params").filter(|params| !sets.contains(params)) {
                sets.push(params.clone());
            }
        }
        let before = subjects.len();
        for params in sets {
            for profile in definition.profiles {
                if let Ok(metric) = definition.build(params.clone(), *profile) {
                    subjects.push(Subject { definition, params: params.clone(), metric });
                }
            }
        }
        assert!(subjects.len() > before, "{}: neither the defaults nor any example can be built", definition.id);
    }
    subjects
});

/// Checks all laws that hold for any case.
fn check(subject: &Subject, case: &Case) -> Result<(), String> {
    let sample = Sample::of(case);
    if subject.definition.lacks(sample).is_some() {
        return Ok(());
    }
    let result = subject.metric.score(sample);
    if subject.metric.score(sample) != result {
        return Err("the second call gives something else".into());
    }
    let Ok(Outcome::Scored(score)) = result else { return Ok(()) };
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
    Ok(())
}

fn spans(piece: &Evidence, case: &Case) -> Result<(), String> {
    if let Some(place) = &piece.place {
        let shown = at(place, case)?;
        if !piece.quotes(shown) {
            return Err(format!("{place:?} holds {shown:?}, not {:?}", piece.text));
        }
    }
    piece.support.as_ref().map_or(Ok(()), |place| at(place, case).map(|_| ()))
}

fn at<'a>(place: &Place, case: &'a Case) -> Result<&'a str, String> {
    let text = case.text_at(place).ok_or_else(|| format!("{place:?} points at no text"))?;
    text.get(place.start..place.end).ok_or_else(|| format!("{place:?} is no span of {text:?}"))
}

fn check_named(subject: &Subject, case: &Case) -> Result<(), String> {
    check(subject, case).map_err(|law| format!("{} with {}: {law}", subject.definition.id, subject.params))
}

fn check_all(case: &Case) -> Result<(), String> {
    SUBJECTS.iter().try_for_each(|subject| check_named(subject, case))
}

/// Texts of every sort: anything at all, words that meet each other often, numbers, JSON, and what breaks programs.
fn text() -> impl Strategy<Value = String> {
    let words = select(vec![
        "the",
        "The",
        "cat",
        "cats",
        "sat",
        "on",
        "mat",
        "mat.",
        "a",
        "42",
        "-3.5",
        "1,000",
        "Straße",
        "naïve",
        "猫",
        "😀",
        "don't",
        "(yes)",
        "\n",
        "running",
        "2024-05-01",
        "$5",
        "ΟΔΟΣ",
    ]);
    prop_oneof![
        3 => proptest::collection::vec(words, 0..12).prop_map(|words| words.join(" ")),
        2 => "\\PC{0,30}",
        1 => "[\\x00-\\x20a-c\u{202e}\u{200d}\u{301}\u{feff}İΣſK]{0,20}",
        1 => select(vec!["", " ", "{\"a\": [1, {\"b\": null}]}", "```json\n[1]\n```", "[[[[", "{\"a\":", "&quot;&amp;lt;"])
            .prop_map(str::to_owned),
    ]
}

fn ids() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(select(vec!["a", "b", "c", "d", "é", ""]).prop_map(str::to_owned), 0..7)
}

prop_compose! {
    fn case()(
        query in text(),
        response in text(),
        context in proptest::collection::vec(text(), 0..3),
        reference in proptest::collection::vec(text(), 1..3),
        quote in text(),
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
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_metric_keeps_its_laws(case in case()) {
        if let Err(law) = check_all(&case) {
            return Err(TestCaseError::fail(law));
        }
    }

    #[test]
    fn a_response_equal_to_the_reference_gets_the_best_value_where_declared(
        text in "[A-Z][a-z]{3,8}( [a-z]{2,8}){3,10}[.!]?"
    ) {
        let case = Case {
            response: Some(Output::new(text.clone())),
            reference: Some(vec!["something else entirely".into(), text]),
            ..Case::default()
        };
        for definition in registry().iter().filter(|definition| definition.identity) {
            let metric = definition.build(Value::Null, Profile::Reference).expect("identity is declared for defaults");
            let outcome = metric.score(Sample::of(&case)).expect("it can be scored");
            let value = outcome.score().expect("it applies").value.get();
            prop_assert!((value - definition.best()).abs() < 1e-9, "{}: {value}", definition.id);
        }
    }
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
    for text in texts {
        check_all(&everywhere(text)).unwrap();
        let mut case = everywhere(text);
        case.reference = Some(vec!["The cat sat on the mat.".into(), text.into()]);
        check_all(&case).unwrap();
        case.response = Some(Output::new("The cat sat on the mat in 1999."));
        case.reference = Some(vec![text.into()]);
        check_all(&case).unwrap();
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
            subjects.iter().try_for_each(|subject| check_named(subject, &case)).unwrap();
        }
    }
}

#[test]
fn ten_thousand_documents_leave_the_evidence_small() {
    let ids: Vec<String> = (0..10_000).map(|number| format!("document-{number}")).collect();
    let mut case = everywhere("x");
    case.relevant = Some(ids.iter().rev().cloned().collect());
    case.retrieved = Some(ids);
    check_all(&case).unwrap();
}
