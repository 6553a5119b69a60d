//! The published JSON of an evaluation, with the unrounded values and the anchors beside it.

use probare_core::{Passage, Profile};
use probare_metrics::rag::hallucination::{AnchorFinding, ContextPlace};
use probare_metrics::rag::verdict::ScoredVerdict;
use probare_text::python;
use serde_json::{Map, Value as Json, json};

/// Decimals of relevance, completeness and hallucination.
const SCORE_DECIMALS: i32 = 4;
/// Decimals of the time in milliseconds.
const LATENCY_DECIMALS: i32 = 2;
/// Decimals of the cost in dollars.
const COST_DECIMALS: i32 = 6;

/// The report of one exchange. Rounding is half to even on the binary value, as Python's `round`.
pub fn json(judged: &ScoredVerdict, context: &[Passage], profile: Profile) -> Json {
    let ScoredVerdict { relevance, coverage, examination, latency_ms, cost_usd, judgement } = judged;
    let score = |value: f64| python::round(value, SCORE_DECIMALS);
    let anchors: Vec<Json> = examination.findings.iter().map(|finding| anchor(finding, context)).collect();
    json!({
        "metrics": {
            "relevance": score(*relevance),
            "completeness": score(coverage.value),
            "hallucination": score(examination.value()),
            "latency_ms": latency_ms.map(|latency| python::round(latency, LATENCY_DECIMALS)),
            "estimated_cost_usd": python::round(*cost_usd, COST_DECIMALS),
        },
        "verdict": {"status": judgement.status.name(), "reasons": judgement.reasons},
        "profile": profile.name(),
        "unrounded": {
            "relevance": relevance,
            "completeness": coverage.value,
            "hallucination": examination.value(),
            "claim_error": examination.claim_error,
            "drift": examination.drift,
            "overlap": examination.overlap,
            "latency_ms": latency_ms,
            "estimated_cost_usd": cost_usd,
        },
        "anchors": anchors,
    })
}

fn anchor(finding: &AnchorFinding, context: &[Passage]) -> Json {
    let mut object = Map::new();
    let mut put = |name: &str, value: Json| {
        object.insert(name.to_owned(), value);
    };
    put("type", json!(finding.kind.name()));
    put("text", json!(finding.text));
    if let Some(span) = &finding.span {
        put("start", json!(span.start));
        put("end", json!(span.end));
    }
    if let Some(components) = &finding.components {
        put("components", json!(components));
        put("negated", json!(finding.is_negated));
    }
    put("supported", json!(finding.is_supported()));
    if finding.is_contradicted() {
        put("contradicted", json!(true));
    }
    if let Some(ContextPlace { chunk, span }) = finding.source() {
        let text = context.get(*chunk).and_then(|passage| passage.text.get(span.clone())).unwrap_or_default();
        put("evidence", json!({"chunk": chunk, "start": span.start, "end": span.end, "text": text}));
    }
    if let Some(reason) = finding.reason() {
        put("reason", json!(reason));
    }
    Json::Object(object)
}

#[cfg(test)]
mod tests {
    use super::super::{Exchange, ExchangeEvaluator};
    use super::*;
    use probare_core::Sample;

    fn report(exchange: Exchange, latency_ms: Option<f64>) -> Json {
        let mut case = exchange.into_case("x");
        if let Some(latency) = latency_ms {
            case.metadata.insert("latency_ms".to_owned(), json!(latency));
        }
        ExchangeEvaluator::default().report(Sample::from_case(&case)).unwrap()
    }

    #[test]
    fn values_are_rounded_as_python_rounds_and_kept_unrounded() {
        let exchange = Exchange {
            query: "Which boats can the club sell?".into(),
            response: "The club has 2 boats.".into(),
            context: vec!["The club has two boats.".into()],
        };
        let report = report(exchange, Some(0.125));
        assert_eq!(report["metrics"]["completeness"], 0.6667);
        assert_eq!(report["unrounded"]["completeness"], 2.0 / 3.0);
        // Halfway between 0.12 and 0.13; the even one is taken.
        assert_eq!(report["metrics"]["latency_ms"], 0.12);
        let anchor = &report["anchors"][0];
        assert_eq!(
            (&anchor["type"], &anchor["text"], &anchor["supported"]),
            (&json!("numeric"), &json!("2"), &json!(true))
        );
        assert_eq!(anchor["evidence"], json!({"chunk": 0, "start": 13, "end": 16, "text": "two"}));
    }

    #[test]
    fn a_missing_context_is_an_anchor_without_a_place() {
        let exchange = Exchange { query: "q".into(), response: "Hello.".into(), context: Vec::new() };
        let report = report(exchange, None);
        assert_eq!(report["metrics"]["hallucination"], 1.0);
        assert_eq!(report["metrics"]["latency_ms"], Json::Null);
        assert_eq!(
            report["anchors"],
            json!([{"type": "context", "text": "No context provided", "supported": false, "reason": "Cannot verify claims without context"}])
        );
    }
}
