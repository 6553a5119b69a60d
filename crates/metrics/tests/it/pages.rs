//! The page of every metric: its headings, its options, and its examples, which are run.

use probare_core::{FnBackend, JudgeAction, MetricDef, Outcome, Profile, Sample};
use probare_testing::page_examples;
use serde_json::Value;

use crate::case;
use crate::documented;
use crate::runs::Runs;
use crate::scripted::Scripted;

const HEADINGS: [&str; 8] = [
    "What it measures",
    "When to use it",
    "When not to",
    "Formula",
    "Options",
    "Examples",
    "Differences from other tools",
    "References",
];

/// The text under a heading, up to the next one.
fn section<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let start = page.find(&format!("\n## {heading}\n"))? + heading.len() + 5;
    let rest = &page[start..];
    Some(rest.find("\n## ").map_or(rest, |end| &rest[..end]))
}

#[test]
fn every_page_has_its_headings_in_order_and_text_under_each() {
    for metric in documented() {
        assert!(metric.page.starts_with(&format!("# {}\n", metric.id)), "{}: the title is the id", metric.id);
        let found: Vec<&str> = metric.page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(found, HEADINGS, "{}", metric.id);
        for heading in HEADINGS {
            let text = section(metric.page, heading).unwrap_or_default();
            assert!(!text.trim().is_empty(), "{}: nothing under `{heading}`", metric.id);
        }
    }
}

#[test]
fn every_page_names_all_options_of_its_metric() {
    for metric in documented() {
        let schema = (metric.schema)();
        let options = section(metric.page, "Options").unwrap_or_default();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { continue };
        for option in properties.keys() {
            assert!(options.contains(&format!("`{option}`")), "{}: `{option}` is not under Options", metric.id);
        }
    }
}

#[test]
fn every_example_of_every_page_holds() {
    let mut failures = Vec::new();
    for metric in documented() {
        let examples = page_examples(metric.page);
        if examples.is_empty() {
            failures.push(format!("{}: the page has no example", metric.id));
        }
        for (line, example) in examples {
            if let Err(reason) = run(metric, &example) {
                failures.push(format!("{}.md, line {line}: {reason}", metric.id));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn run(metric: &MetricDef, example: &Value) -> Result<(), String> {
    const FIELDS: [&str; 11] = [
        "params",
        "case",
        "replies",
        "vectors",
        "ran",
        "expect",
        "label",
        "parts",
        "tolerance",
        "expect_not_applicable",
        "expect_error",
    ];
    let object = example.as_object().ok_or("an example is an object")?;
    if let Some(unknown) = object.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(format!("an example has no field `{unknown}`"));
    }
    let outcome = outcome(metric, example);
    if let Some(expected) = object.get("expect_error").and_then(Value::as_str) {
        return match outcome {
            Err(error) if error.contains(expected) => Ok(()),
            other => Err(format!("expected an error with `{expected}`, got {other:?}")),
        };
    }
    let outcome = outcome?;
    if object.get("expect_not_applicable") == Some(&Value::Bool(true)) {
        return match outcome {
            Outcome::NotApplicable { .. } => Ok(()),
            other => Err(format!("expected to be not applicable, got {other:?}")),
        };
    }
    let expected = object.get("expect").and_then(Value::as_f64);
    if expected.is_none() && object.get("label").is_none() {
        return Err("an example expects something".to_owned());
    }
    let tolerance = object.get("tolerance").and_then(Value::as_f64).unwrap_or(1e-9);
    let Outcome::Scored(score) = outcome else {
        return Err(format!("expected a score, got {outcome:?}"));
    };
    // An example may stand for its label alone.
    if let Some(expected) = expected {
        probare_testing::close("value", expected, score.value.get(), tolerance)?;
    }
    if let Some(label) =
        object.get("label").and_then(Value::as_str).filter(|label| score.label.as_deref() != Some(*label))
    {
        return Err(format!("expected the label {label}, got {:?}", score.label));
    }
    for (name, part) in object.get("parts").and_then(Value::as_object).into_iter().flatten() {
        let part = part.as_f64().ok_or("a part is a number")?;
        let got = score.parts.get(name).ok_or_else(|| format!("there is no part `{name}`"))?;
        probare_testing::close(name, part, got, 1e-9)?;
    }
    Ok(())
}

fn outcome(metric: &MetricDef, example: &Value) -> Result<Outcome, String> {
    let params = example.get("params").cloned().unwrap_or(Value::Null);
    let built = metric.build(params, Profile::Published).map_err(|error| error.to_string())?;
    let case = case::read(example.get("case").ok_or("an example has a case")?);
    let sample = Sample::from_case(&case);
    if let Some(field) = metric.missing_input(sample) {
        return Err(format!("the case has no `{field}`"));
    }
    let judge = Scripted::of(example);
    let runs = Runs::of(example);
    let outside = FnBackend(|_: &str, turn: &JudgeAction| match turn {
        JudgeAction::Ask(_) => judge.answer(turn),
        _ => runs.answer(turn),
    });
    let outcome = built.score_with(metric.id, sample, &outside).map_err(|error| error.to_string());
    if judge.is_over() { outcome } else { Err("the example has replies that nobody asked for".to_owned()) }
}
