//! The example corpus: every verdict that its page names, the same bytes for any number of threads, safe pages.

use std::fs;
use std::path::Path;

use probare_benchmarks::socioscope::SocioscopeSummary;
use probare_metrics::interviews::quotations::QuotationStatus;
use serde_json::json;

use super::{SuiteRun, run_suite};

fn example(options: &serde_json::Value, jobs: usize) -> SuiteRun {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/socioscope");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    run_suite((&read("questions.json"), &read("corpus.json")), options, jobs).unwrap()
}

#[test]
fn every_verdict_of_the_page_occurs_as_often_as_it_says() {
    let SuiteRun { fixture, evaluation, conclusion, .. } = example(&json!({}), 1);
    assert_eq!(conclusion.driven.cases, 120);
    let summary = SocioscopeSummary::new(&fixture, &evaluation);
    let expected = [
        (QuotationStatus::Exact, 89),
        (QuotationStatus::Normalised, 7),
        (QuotationStatus::Elided, 3),
        (QuotationStatus::WrongSource, 4),
        (QuotationStatus::Fuzzy, 7),
        (QuotationStatus::NumberMismatch, 4),
        (QuotationStatus::NotFound, 10),
        (QuotationStatus::EmptyQuote, 2),
        (QuotationStatus::InvalidIndex, 1),
    ];
    assert_eq!(summary.statuses, expected);
    assert_eq!((fixture.pairs.len(), summary.overall.values.len(), summary.transcripts.len()), (60, 120, 12));
    assert_eq!(summary.verbatim.nulls, 2, "answers without citations");
    let fjord = summary.models["hypothetical:fjord-large"].mean().unwrap();
    let brook = summary.models["hypothetical:brook-mini"].mean().unwrap();
    assert!(fjord > 0.9 && brook < 0.5, "{fjord} {brook}");
}

#[test]
fn threads_change_nothing_and_both_readings_are_there() {
    let options = json!({"profile": "improved"});
    let (one, four) = (example(&options, 1), example(&options, 4));
    assert_eq!(one.evaluation, four.evaluation);
    for name in ["results_T.json", "summary.csv", "report.html", "transcript_scores.svg"] {
        assert_eq!(one.file(name), four.file(name), "{name}");
    }
    let json: serde_json::Value = serde_json::from_str(&one.file("results_T.json")).unwrap();
    assert!(json.to_string().contains("\"differs_because\":[\"the whole answer says yes"));
    assert!(one.file("summary.csv").contains("\nimproved_score,overall,,"));
    let rows = example(&json!({"profile": "improved", "format": "csv"}), 2);
    assert_eq!(rows.file("results_T.csv").lines().count(), 121);
}

#[test]
fn the_metrics_say_what_the_published_files_say() {
    let SuiteRun { fixture, evaluation, conclusion, .. } = example(&json!({"profile": "improved"}), 2);
    let summary = SocioscopeSummary::new(&fixture, &evaluation);
    let mean = |name: &str| {
        let metrics = &conclusion.summary.metrics;
        metrics.iter().find(|metric| metric.info.name == name).and_then(probare_report::MetricSummary::mean).unwrap()
    };
    for (name, metric) in [("Yes/No", "yes_no"), ("ListMany", "list_many"), ("PickOne", "pick_one")] {
        let (_, group) = summary.types.iter().find(|(kind, _)| kind == name).unwrap();
        assert!((group.mean().unwrap() - mean(metric)).abs() < 1e-12, "{name}");
    }
    // Means are over answers here as they are there: a limit holds for the number that is printed.
    assert!((summary.verbatim.mean().unwrap() - mean("verbatim")).abs() < 1e-12);
    assert!(conclusion.summary.no_intervals.is_some(), "answers of several models to one question are not independent");
    assert!(mean("improved verbatim") >= mean("verbatim"));
}

#[test]
fn a_redacted_report_names_nobody_and_quotes_nothing() {
    let open = example(&json!({"profile": "improved"}), 2);
    let page = open.file("report.html");
    assert!(page.contains("Kjærgaard") && page.contains("We grow mussels on long lines"));
    let hidden = example(&json!({"profile": "improved", "redact": true}), 2);
    for redacted in [hidden.file("report.html"), hidden.file("results_T.json")] {
        for hidden in ["Kjærgaard", "Søren", "Birgit", "We grow mussels on long lines out in the Limfjord"] {
            assert!(!redacted.contains(hidden), "{hidden}");
        }
    }
}

#[test]
fn text_of_others_is_never_markup() {
    let hostile = "<script>alert(1)</script>\u{202e}\u{1b}[31m";
    let fixture = serde_json::json!([{"id": hostile, "question": {"text": hostile, "type": "ListOne", "metric": [hostile]},
        "answers": [{"answer": hostile, "source": hostile, "model": hostile, "citations": [{"source_index": 0, "quote": hostile}]}]}]);
    let corpus = serde_json::json!([{"FILE": hostile, "text": format!("before {hostile} after")}]);
    let files = (fixture.to_string(), corpus.to_string());
    let ran = run_suite((files.0.as_bytes(), files.1.as_bytes()), &json!({"profile": "improved"}), 1).unwrap();
    let page = ran.file("report.html");
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn the_colour_of_an_answer_follows_its_verdict() {
    let page = |answer: &str| {
        let fixture = serde_json::json!([{"id": "Q", "question": {"text": "Where? Options: Paris, Odense.", "type": "PickOne",
            "metric": {"Paris": 1.0, "Odense": 0.0}}, "answers": [{"answer": answer, "source": "A", "citations": []}]}]);
        let corpus = serde_json::json!([{"FILE": "A", "text": "In Paris, and never in Odense."}]);
        let files = (fixture.to_string(), corpus.to_string());
        run_suite((files.0.as_bytes(), files.1.as_bytes()), &json!({}), 1).unwrap().file("report.html")
    };
    let (right, wrong) = (page("Paris"), page("Odense"));
    let body = |page: &str| page.split("<details class=\"answer\">").nth(1).unwrap_or_default().to_owned();
    assert!(body(&right).contains("<mark class=\"good\"") && !body(&right).contains("class=\"bad"), "{}", body(&right));
    assert!(body(&wrong).contains("class=\"bad") && !body(&wrong).contains("class=\"good"), "{}", body(&wrong));
    assert!(!right.contains("class=\"opener\""), "it opens without scripts");
}
