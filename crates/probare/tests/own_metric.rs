//! Metrics of one's own from a Rust program: registered beside ours, with options, in jobs, and the same as in Python.

#![allow(clippy::disallowed_methods, reason = "tests make the files that they need")]

use std::path::Path;
use std::sync::Arc;
use std::{fs, iter};

use probare::{
    Case, Error, Evidence, EvidenceKind, Field, Gate, LabelOnly, Outcome, Output, OwnMetric, Relation, RunOptions,
    Score, ScoreParts, Scorer,
};

/// `brand_voice` of `examples/own_metrics/checks.py`.
fn brand_voice() -> Arc<OwnMetric> {
    Arc::new(OwnMetric::new("brand_voice_rust", |sample| {
        let response = sample.response()?;
        let mut evidence = Vec::new();
        for word in ["we", "our", "you"] {
            evidence.push(match response.find(word) {
                Some(at) => Evidence::found(Field::Response, at..at + word.len(), response),
                None => Evidence::missing(word),
            });
        }
        let found = evidence.iter().filter(|piece| piece.is_found()).count();
        for word in ["cheap", "guarantee"] {
            if let Some(at) = response.find(word) {
                let span = at..at + word.len();
                let piece = Evidence::at(EvidenceKind::Contradicted, Field::Response, span, response);
                evidence.push(piece.with_note("a banned word"));
            }
        }
        let banned = evidence.len() - 3;
        let value = if banned > 0 { 0.0 } else { found as f64 / 3.0 };
        let label = if value >= 0.5 { "on brand" } else { "off brand" };
        let score = Score::from_number(value)?.labelled(label).because(evidence);
        Ok(score.with_part("found", found as f64)?.with_part("banned", banned as f64)?.into())
    }))
}

/// The cases on which the command line's tests hold the Python function against a program of node, so that all three are the same.
fn cases(count: usize) -> Vec<Case> {
    let pieces =
        ["we ship", "our team", "you get it", "cheap", "Grüße", "東京", "😀 fast", "guarantee", "", "Dear customer"];
    let response = |number: usize| {
        let words = (0..number % 5).map(|at| pieces[(number * 7 + at * 3 + number / 10) % pieces.len()]);
        words.collect::<Vec<_>>().join(" ")
    };
    let case = |number: usize| Case {
        id: format!("c{number}"),
        query: Some("Where is my parcel?".to_owned()),
        response: Some(Output::new(response(number))),
        ..Case::default()
    };
    (0..count).map(case).collect()
}

#[test]
fn a_rust_metric_and_a_python_function_give_the_same_results_on_1000_cases() {
    let checks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own_metrics/checks.py");
    let python = format!("python={}:brand_voice", checks.display());
    let metrics = ["brand_voice_rust", python.as_str(), "token_f1"];
    let scorer = Scorer::with_own_metrics(&metrics, &[brand_voice()], &RunOptions::default()).unwrap();
    let mut differ = 0;
    for case in cases(1000) {
        let results = scorer.score(case).results;
        assert_eq!(results[0], results[1]);
        differ += u64::from(results[0].as_ref().unwrap().score().unwrap().value.get() > 0.0);
    }
    assert!((100..900).contains(&differ), "{differ} cases have a value");
    let refused = Scorer::new(&["brand_voice_rust"], &RunOptions::default()).map(drop).unwrap_err();
    assert!(refused.to_string().contains("unknown metric `brand_voice_rust`"), "{refused}");
}

#[test]
fn a_job_has_reports_gates_and_a_label_alone() {
    let folder = tempfile::tempdir().unwrap();
    let results = folder.path().join("out.jsonl");
    let tone = OwnMetric {
        summary: "How it greets".to_owned(),
        ..OwnMetric::new("tone", |sample| {
            let label = if sample.response()?.starts_with("Dear") { "formal" } else { "casual" };
            let (parts, evidence) = (ScoreParts::EMPTY, Vec::new());
            Ok(Outcome::Labelled(LabelOnly { label: label.into(), by: None, parts, evidence }))
        })
    };
    let mut job = probare::job_of("mine", cases(20), &["brand_voice_rust", "tone"]).unwrap();
    job.own_metrics = vec![brand_voice(), Arc::new(tone)];
    let settings = RunOptions { output: vec![results.clone()], ..RunOptions::default() };
    let gates = [
        Gate::Mean { metric: "brand_voice_rust".into(), relation: Relation::Under, limit: 0.99 },
        Gate::fail_labels("tone:casual>80%").unwrap(),
    ];
    let conclusion = probare::run(job, probare::with_gates(settings, gates)).unwrap();
    assert!(conclusion.verdicts.iter().all(|verdict| !verdict.passed), "{:?}", conclusion.verdicts);
    let tone = &conclusion.summary.metrics[1];
    assert_eq!((tone.scored, tone.labelled, tone.mean()), (20, 20, None));
    assert_eq!(tone.denominator(), "20 labelled");
    let text = fs::read_to_string(&results).unwrap();
    assert!(text.contains(r#""tone":{"label":"casual"}"#), "{text}");
    let manifest = fs::read_to_string(folder.path().join("out.jsonl.run.json")).unwrap();
    assert!(manifest.contains(r#""source": "rust""#) || manifest.contains(r#""source":"rust""#), "{manifest}");
}

#[test]
fn an_id_of_ours_and_options_that_nobody_takes_are_refused() {
    let scorer = |own: OwnMetric, metric: &str| {
        Scorer::with_own_metrics(&[metric], &[Arc::new(own)], &RunOptions::default()).map(drop).unwrap_err()
    };
    let ours = OwnMetric::new("token_f1", |_| Ok(Score::from_bool(true).into()));
    let taken: Error = scorer(ours, "token_f1");
    assert!(taken.to_string().contains("a metric with the id `token_f1` exists"), "{taken}");
    let plain = OwnMetric::new("mine", |_| Ok(Score::from_bool(true).into()));
    let error = scorer(plain, "mine:k=3");
    let told: Vec<String> = iter::successors(Some(&error as &dyn std::error::Error), |error| error.source())
        .map(ToString::to_string)
        .collect();
    assert!(told.join(": ").contains("`mine` takes no options"), "{told:?}");
}
