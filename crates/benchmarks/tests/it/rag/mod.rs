//! The rag benchmark: its examples, its readers on any bytes, and texts of every kind and size.

mod examples;
mod extremes;
mod fuzz;

use probare_benchmarks::rag::{Exchange, ExchangeEvaluator};
use probare_core::{Profile, Sample};
use probare_metrics::rag::verdict::Verdict;
use serde_json::Value as Json;

/// The report of an exchange in a profile, after a look at what every report must keep to.
fn evaluated(exchange: &Exchange, profile: Profile) -> Json {
    let judging = ExchangeEvaluator::new(Verdict { profile, ..Verdict::default() }).unwrap();
    let report = judging.report(Sample::from_case(&exchange.clone().into_case("1"))).unwrap();
    for name in ["relevance", "completeness", "hallucination"] {
        let value = report["unrounded"][name].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&value), "{name} is {value}");
    }
    assert!(["PASS", "WARN", "FAIL"].contains(&report["verdict"]["status"].as_str().unwrap()));
    for anchor in report["anchors"].as_array().unwrap() {
        spans_show_their_text(anchor, exchange);
    }
    report
}

/// The span of an anchor is in the response, that of its evidence in a passage; both show the text they stand for.
fn spans_show_their_text(anchor: &Json, exchange: &Exchange) {
    let number = |value: &Json| usize::try_from(value.as_u64().unwrap()).unwrap();
    if anchor.get("start").is_some() {
        let shown = exchange.response.get(number(&anchor["start"])..number(&anchor["end"]));
        assert!(shown.is_some(), "{anchor}");
        if anchor["type"] == "numeric" || anchor["type"] == "date" {
            assert_eq!(shown, anchor["text"].as_str());
        }
    }
    if let Some(evidence) = anchor.get("evidence") {
        let passage = &exchange.context[number(&evidence["chunk"])];
        let shown = passage.get(number(&evidence["start"])..number(&evidence["end"]));
        assert_eq!(shown, evidence["text"].as_str());
    }
}
