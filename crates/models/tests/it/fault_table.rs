//! The fault table: every fault, in every dialect, ends in exactly one kind, and nothing that failed is kept.

use std::collections::BTreeMap;

use probare_core::{ErrorKind, ModelReply, ReplyContent, StopReason};
use probare_models::prices::Pricing;
use probare_models::{
    Client, Fault, ModelContext, ModelOptions, ModelSettings, Provider, list_cached_models, stop_reasons,
};
use probare_testing::{FixedReply, ServerBehaviour, TestServer, Trouble};
use serde_json::{Value as Json, json};

use crate::kinds::{End, end, expected};
use crate::support::{options, question, settings};

/// Attempts that the settings allow.
const MOST: u64 = 3;

/// The dialects that speak over HTTP.
fn dialects() -> impl Iterator<Item = Provider> {
    let spoken = |provider: &Provider| !matches!(provider, Provider::Command | Provider::Prompt | Provider::Replay);
    Provider::ALL.into_iter().filter(spoken)
}

/// What came of one question.
struct Outcome {
    reply: ModelReply,
    requests: u64,
    recorded: u64,
    unknown_stops: u64,
    lost_attempts: u64,
}

fn ask(provider: Provider, behaviour: ServerBehaviour) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("cache.db");
    let server = TestServer::start(behaviour).unwrap();
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"];
    let environment: BTreeMap<String, String> =
        names.iter().map(|name| ((*name).to_owned(), "test-0123456789abcdef".to_owned())).collect();
    let shared = ModelContext::open(ModelOptions { environment: Some(environment), ..options(Some(&record)) }).unwrap();
    let settings = ModelSettings {
        provider: Some(provider),
        max_tokens: Some(100),
        timeout: Some(0.4),
        max_attempts: Some(3),
        pricing: Some(Pricing::new(10.0, 20.0)),
        ..settings(&server)
    };
    let client = Client::open(settings, &shared).unwrap();
    let reply = client.ask(&[question("a")]).remove(0);
    let counts = shared.counts();
    assert_eq!((counts.asked, counts.attempts), (1, server.requests()), "{provider}");
    Outcome {
        reply,
        requests: server.requests(),
        recorded: list_cached_models(&record).unwrap().iter().map(|cached| cached.replies).sum(),
        unknown_stops: shared.unknown_stops().values().sum(),
        lost_attempts: counts.lost_attempts,
    }
}

fn fixed(provider: Provider, body: impl Into<Vec<u8>>) -> Outcome {
    ask(provider, ServerBehaviour { fixed: Some(FixedReply::ok(body)), ..ServerBehaviour::default() })
}

/// A whole reply with a text and this stop reason, as the dialect has it.
fn stopped(provider: Provider, word: &str) -> Json {
    let text = "half an answer";
    match provider {
        Provider::Anthropic => json!({"model": "m", "type": "message", "content": [{"type": "text", "text": text}],
            "stop_reason": word, "usage": {"input_tokens": 3, "output_tokens": 4}}),
        Provider::Bedrock => json!({"output": {"message": {"role": "assistant", "content": [{"text": text}]}},
            "stopReason": word, "usage": {"inputTokens": 3, "outputTokens": 4}}),
        Provider::Gemini => json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": word}],
            "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4}}),
        Provider::OllamaNative => json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": true,
            "done_reason": word, "prompt_eval_count": 3, "eval_count": 4}),
        Provider::OpenAiResponses => {
            let is_status =
                matches!(word, "completed" | "incomplete" | "failed" | "cancelled" | "queued" | "in_progress");
            let (status, details) =
                if is_status { (word, Json::Null) } else { ("incomplete", json!({"reason": word})) };
            json!({"status": status, "incomplete_details": details, "error": null, "output": [{"type": "message",
                "content": [{"type": "output_text", "text": text}]}], "usage": {"input_tokens": 3, "output_tokens": 4}})
        }
        _ => {
            json!({"model": "m", "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": word}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4}})
        }
    }
}

/// Runs a check on all dialects, four at a time.
fn in_every_dialect(check: impl Fn(Provider) + Sync) {
    let all: Vec<Provider> = dialects().collect();
    std::thread::scope(|scope| {
        for part in all.chunks(all.len().div_ceil(4)) {
            scope.spawn(|| part.iter().for_each(|provider| check(*provider)));
        }
    });
}

fn is_kept(end: End) -> bool {
    matches!(end, End::Text | End::Truncated | End::Refused)
}

#[test]
fn every_trouble_ends_in_one_kind_in_every_dialect_and_no_failure_is_kept() {
    in_every_dialect(|provider| {
        for trouble in Trouble::EVERY {
            let behaviour =
                ServerBehaviour { share: 1.0, troubles: vec![*trouble], retry_after: 0, ..ServerBehaviour::default() };
            let Outcome { reply, requests, recorded, .. } = ask(provider, behaviour);
            let (kind, _) = expected(*trouble);
            assert_eq!(end(&reply), kind, "{provider} {trouble:?}: {reply:?}");
            assert!((1..=MOST).contains(&requests), "{provider} {trouble:?}: {requests} requests");
            assert_eq!(recorded, u64::from(is_kept(kind)), "{provider} {trouble:?}");
        }
    });
}

#[test]
fn every_documented_stop_reason_ends_in_its_kind_and_no_failure_is_kept() {
    in_every_dialect(|provider| {
        for (word, meaning) in stop_reasons(provider) {
            let Outcome { reply, requests, recorded, unknown_stops, lost_attempts } =
                fixed(provider, stopped(provider, word).to_string());
            let (kind, most) = match meaning {
                Ok(StopReason::Length) => (End::Truncated, 1),
                Ok(StopReason::Refusal) => (End::Refused, 1),
                Ok(_) => (End::Text, 1),
                Err(Fault::UnusableReply) => (End::Failed(ErrorKind::Failed), 2),
                Err(_) => (End::Failed(ErrorKind::Failed), MOST),
            };
            assert_eq!((end(&reply), requests), (kind, most), "{provider} {word}: {reply:?}");
            assert_eq!(recorded, u64::from(is_kept(kind)), "{provider} {word}");
            assert_eq!(unknown_stops, 0, "{provider} {word}");
            assert_eq!(
                lost_attempts,
                if is_kept(kind) { 0 } else { most },
                "{provider} {word}: what it took is counted"
            );
        }
    });
}

#[test]
fn an_unknown_stop_reason_behind_an_address_is_counted_and_needs_a_text() {
    in_every_dialect(|provider| {
        let outcome = fixed(provider, stopped(provider, "never_heard_of").to_string());
        // Azure and Bedrock have no address that is not a customer's own, and Responses say that they are incomplete.
        if matches!(provider, Provider::Azure | Provider::Bedrock | Provider::OpenAiResponses) {
            assert_eq!((end(&outcome.reply), outcome.recorded), (End::Failed(ErrorKind::Failed), 0), "{provider}");
            return;
        }
        assert_eq!(outcome.reply.content, ReplyContent::Text("half an answer".into()), "{provider}");
        assert_eq!((outcome.requests, outcome.recorded, outcome.unknown_stops), (1, 1, 1), "{provider}");
        let silent = stopped(provider, "never_heard_of").to_string().replace("half an answer", "");
        let outcome = fixed(provider, silent);
        assert_eq!((end(&outcome.reply), outcome.recorded), (End::Failed(ErrorKind::Failed), 0), "{provider}");
        assert!(format!("{:?}", outcome.reply).contains("never_heard_of"), "{provider}: {:?}", outcome.reply);
    });
}

#[test]
fn an_error_inside_of_a_200_is_a_failure() {
    let whole = |error: Json| {
        let mut body = stopped(Provider::OpenRouter, "error");
        body["choices"][0]["error"] = error;
        body
    };
    let failed = End::Failed(ErrorKind::Failed);
    let rows = [
        (Provider::OpenRouter, whole(json!({"code": 502, "message": "behind us"})), failed, MOST),
        (Provider::OpenRouter, whole(json!({"code": "rate", "message": "behind us"})), failed, MOST),
        (Provider::OpenRouter, whole(json!({"code": 429, "message": "slower"})), failed, MOST),
        (Provider::OpenRouter, whole(json!({"code": 402, "message": "credits"})), failed, 1),
        (
            Provider::OpenRouter,
            whole(json!({"code": 403, "message": "no", "metadata": {"reasons": ["violence"]}})),
            End::Failed(ErrorKind::Refused),
            1,
        ),
        (
            Provider::OpenAi,
            json!({"error": {"message": "x", "code": 503}, "choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}),
            failed,
            MOST,
        ),
        (Provider::OpenAi, stopped(Provider::OpenAi, "insufficient_system_resource"), failed, MOST),
        (Provider::OpenAi, stopped(Provider::OpenAi, "abort"), failed, MOST),
        (
            Provider::OpenAiResponses,
            json!({"status": "failed", "error": {"code": "server_error", "message": "x"}, "output": []}),
            failed,
            MOST,
        ),
        (
            Provider::Anthropic,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
            failed,
            MOST,
        ),
        (Provider::OllamaNative, json!({"error": "the runner ended"}), failed, MOST),
        (
            Provider::Gemini,
            json!({"candidates": [{"content": {"parts": [{"text": "a"}]}}], "promptFeedback": {}}),
            failed,
            MOST,
        ),
    ];
    for (provider, body, kind, requests) in rows {
        let outcome = fixed(provider, body.to_string());
        assert_eq!((end(&outcome.reply), outcome.requests), (kind, requests), "{provider} {body}: {:?}", outcome.reply);
        assert_eq!(outcome.recorded, 0, "{provider} {body}");
    }
}

#[test]
fn a_byte_order_mark_half_a_surrogate_pair_and_unasked_events_are_read() {
    in_every_dialect(|provider| {
        let complete = stop_reasons(provider)[0].0;
        let body = stopped(provider, complete).to_string();
        let marked = [&b"\xEF\xBB\xBF"[..], body.as_bytes()].concat();
        let outcome = fixed(provider, marked);
        assert_eq!((outcome.reply.response_text().unwrap(), outcome.requests), ("half an answer", 1), "{provider}");
        let halved = body.replace("half an answer", "a\\ud83d b\\ude00\\ud83d\\ude00\\\\ud83d");
        let outcome = fixed(provider, halved);
        let text = "a\u{fffd} b\u{fffd}\u{1F600}\\ud83d";
        assert_eq!((outcome.reply.response_text().unwrap(), outcome.requests), (text, 1), "{provider}");
    });
    let chunk = r#"data: {"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}"#;
    let events = format!("{chunk}\n\ndata: [DONE]\n\n");
    for content_type in ["text/event-stream", "application/json"] {
        let reply = FixedReply { content_type: content_type.into(), ..FixedReply::ok(events.clone()) };
        let outcome =
            ask(Provider::OpenAi, ServerBehaviour { fixed: Some(reply.clone()), ..ServerBehaviour::default() });
        assert_eq!((outcome.reply.response_text().unwrap(), outcome.requests), ("Yes", 1), "{content_type}");
        // Who does not stream fails at once.
        let outcome = ask(Provider::Bedrock, ServerBehaviour { fixed: Some(reply), ..ServerBehaviour::default() });
        assert_eq!((end(&outcome.reply), outcome.requests), (End::Failed(ErrorKind::Failed), 1), "{content_type}");
    }
}

#[test]
fn a_complaint_is_known_by_its_type_and_not_by_its_words() {
    let says = |provider, status: &str, body: Json| {
        let fixed = FixedReply { status: status.into(), ..FixedReply::ok(body.to_string()) };
        end(&ask(provider, ServerBehaviour { fixed: Some(fixed), ..ServerBehaviour::default() }).reply)
    };
    let failed = End::Failed(ErrorKind::Failed);
    let refused = End::Failed(ErrorKind::Refused);
    for (provider, body, kind) in [
        (
            Provider::OpenAi,
            json!({"error": {"type": "invalid_request_error", "message": "the field was flagged; see moderation"}}),
            failed,
        ),
        (Provider::OpenAi, json!({"error": {"code": "content_policy_violation", "message": "no"}}), refused),
        (
            Provider::Azure,
            json!({"error": {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
            refused,
        ),
        (Provider::Bedrock, json!({"message": "guardrail identifier is not valid"}), failed),
        (
            Provider::Anthropic,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}}),
            refused,
        ),
    ] {
        assert_eq!(says(provider, "400 Bad Request", body.clone()), kind, "{provider} {body}");
    }
}

#[test]
fn an_empty_account_stops_all_requests() {
    let message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.";
    let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}}).to_string();
    let fixed = FixedReply { status: "400 Bad Request".into(), ..FixedReply::ok(body) };
    let server = TestServer::start(ServerBehaviour { fixed: Some(fixed), ..ServerBehaviour::default() }).unwrap();
    let shared = ModelContext::open(options(None)).unwrap();
    let settings = ModelSettings { provider: Some(Provider::Anthropic), concurrency: Some(1), ..settings(&server) };
    let replies = Client::open(settings, &shared).unwrap().ask(&crate::support::questions(20));
    assert!(replies.iter().all(|reply| reply.response_text().is_err()));
    assert_eq!(server.requests(), 1);
    assert_eq!((shared.counts().failed, shared.counts().unsent), (20, 19), "what was not sent is counted as that");
}
