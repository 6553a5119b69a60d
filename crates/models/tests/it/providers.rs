//! Every provider gives the same reply to the same question, as far as a test can tell without the real ones.

use std::collections::BTreeMap;

use probare_core::{Backend, BackendAnswer, ChatRequest, ErrorKind, JudgeAction, ReplyContent};
use probare_models::{
    Client, Feature, GeneratorType, ModelContext, ModelOptions, ModelSettings, Models, OpenError, Provider,
    export_cache,
};
use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::support::{open, options, question, questions, settings};

/// Keys that no provider would take.
fn environment() -> BTreeMap<String, String> {
    let names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"];
    names.iter().map(|name| ((*name).to_owned(), "test-0123456789abcdef".to_owned())).collect()
}

#[test]
fn every_way_of_asking_answers_alike() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let shared = ModelContext::open(ModelOptions { environment: Some(environment()), ..options(None) }).unwrap();
    let spoken = |provider: &Provider| !matches!(provider, Provider::Command | Provider::Prompt | Provider::Replay);
    for provider in Provider::ALL.into_iter().filter(spoken) {
        let open = |trouble: &str| {
            let settings = ModelSettings { provider: Some(provider), name: trouble.into(), ..settings(&server) };
            Client::open(settings, &shared).unwrap()
        };
        let reply = open("test").ask(&[question("Why?")]).remove(0);
        assert_eq!(reply.response_text().unwrap(), "reply to Why?", "{provider}");
        assert!(reply.model.is_none() || reply.model.as_deref() == Some("test"));
        assert!(reply.usage.is_some_and(|usage| usage.input_tokens > 0 && usage.output_tokens > 0), "{provider}");
        assert_eq!(reply.stop, Some(probare_core::StopReason::End), "{provider}");
    }
    let signed = server.raw_requests().into_iter().find(|request| request.contains("/converse")).unwrap();
    assert!(signed.contains("AWS4-HMAC-SHA256 Credential=test-0123456789abcdef/"), "{signed}");
}

#[test]
fn every_way_of_asking_tells_cuts_refusals_and_empty_replies_apart() {
    let spoken = |provider: &Provider| !matches!(provider, Provider::Command | Provider::Prompt | Provider::Replay);
    for provider in Provider::ALL.into_iter().filter(spoken) {
        let marks = [
            ("cut", Trouble::Length),
            ("dreams", Trouble::LengthInThoughts),
            ("declined", Trouble::Refusal),
            ("filtered", Trouble::Filtered),
            ("thoughts", Trouble::ThoughtsOnly),
            ("tool", Trouble::ToolCall),
            ("blank", Trouble::EmptyText),
        ];
        let marked = marks.iter().map(|(mark, trouble)| ((*mark).to_owned(), *trouble)).collect();
        let server = TestServer::start(ServerBehaviour { marked, ..ServerBehaviour::default() }).unwrap();
        let shared = ModelContext::open(ModelOptions { environment: Some(environment()), ..options(None) }).unwrap();
        let client = Client::open(ModelSettings { provider: Some(provider), ..settings(&server) }, &shared).unwrap();
        let requests: Vec<ChatRequest> = marks.iter().map(|(mark, _)| question(*mark)).collect();
        let replies = client.ask(&requests);
        assert_eq!(replies[0].content, ReplyContent::Truncated("reply to cut".into()), "{provider}");
        assert_eq!(replies[1].content, ReplyContent::Truncated(String::new()), "{provider}");
        assert!(matches!(replies[2].content, ReplyContent::Refused(_)), "{provider}: {:?}", replies[2]);
        assert!(matches!(replies[3].content, ReplyContent::Refused(_)), "{provider}: {:?}", replies[3]);
        assert!(matches!(replies[4].content, ReplyContent::Failed { kind: ErrorKind::Failed, .. }), "{provider}");
        assert_eq!(replies[5].tool_calls().next().map(|call| call.name.as_str()), Some("look"), "{provider}");
        assert_eq!(replies[6].response_text().unwrap(), "", "{provider}: an empty text is an answer");
        assert_eq!(server.requests(), 8, "{provider}: only the one without an answer is asked again");
    }
}

#[test]
fn vectors_come_in_lists_and_each_is_recorded_by_itself() {
    for provider in Provider::ALL.into_iter().filter(|provider| provider.supports(Feature::Embeddings)) {
        if matches!(provider, Provider::Command | Provider::Replay) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("replies.db");
        let marked = vec![("bad".to_owned(), Trouble::BadRequest)];
        let server = TestServer::start(ServerBehaviour { marked, ..ServerBehaviour::default() }).unwrap();
        let open = || {
            let shared = ModelContext::open(options(Some(&record))).unwrap();
            let embeds = Some(GeneratorType::Embedding);
            let settings = ModelSettings { provider: Some(provider), generator_type: embeds, ..settings(&server) };
            (Client::open(settings, &shared).unwrap(), shared)
        };
        let texts: Vec<String> = (0..50).map(|number| format!("text {number}")).collect();
        let (client, shared) = open();
        let replies = client.embed(&texts);
        assert!(replies.iter().all(|reply| reply.response_text().unwrap().starts_with('[')), "{provider}");
        assert!(server.requests() <= 5, "{provider}: {} requests for 50 texts", server.requests());
        assert_eq!(shared.counts().replied, 50);
        drop((client, shared));
        // A single text is found in the record, whichever list it came in.
        let (client, shared) = open();
        let before = server.requests();
        assert_eq!(client.embed(&texts[7..8])[0], replies[7]);
        assert_eq!((server.requests(), shared.counts().replayed), (before, 1), "{provider}");
        // One bad text is its own.
        let mixed = ["good one", "bad one", "good two"].map(String::from);
        let replies = client.embed(&mixed);
        let good: Vec<bool> = replies.iter().map(|reply| reply.response_text().is_ok()).collect();
        assert_eq!(good, [true, false, true], "{provider}");
    }
}

#[test]
fn an_image_is_sent_and_the_record_keeps_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let (client, shared) = open(&server, Some(&record));
    let image = probare_core::Image::new([&b"\x89PNG\r\n\x1a\n"[..], &[7; 300]].concat()).unwrap();
    let message = probare_core::Message::user("What is it?").with_part(probare_core::MessagePart::Image(image.clone()));
    let request = ChatRequest { messages: vec![message], ..ChatRequest::default() };
    assert_eq!(client.ask(std::slice::from_ref(&request))[0].response_text().unwrap(), "reply to What is it?");
    assert!(
        server.raw_requests()[0].contains("data:image/png;base64,iVBORw0KGgoHBwcH"),
        "{}",
        server.raw_requests()[0]
    );
    client.ask(&[request]);
    assert_eq!(server.requests(), 1, "the same image is found in the record");
    drop((client, shared));
    let mut text = Vec::new();
    export_cache(&record.clone().into(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(image.sha256()) && !text.contains("iVBORw0KGgo"), "{text}");
}

#[test]
fn a_program_answers_is_stopped_in_time_and_leaves_nobody_behind() {
    let shared = ModelContext::open(options(None)).unwrap();
    let script = |script: &str, timeout: f64| {
        let command = ["sh", "-c", script].map(String::from).to_vec();
        let settings = ModelSettings {
            command,
            timeout: Some(timeout),
            max_attempts: Some(1),
            ..ModelSettings::from_name("command:sh")
        };
        Client::open(settings, &shared).unwrap().ask(&[question("Why?")]).remove(0)
    };
    let reply = script(r#"read line; case "$line" in *Why*) echo '{"text":"because"}';; esac"#, 20.0);
    assert_eq!(reply.response_text().unwrap(), "because");
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let late = script(&format!("(sleep 1.5; touch {}) & cat > /dev/null; sleep 30", mark.display()), 0.3);
    assert!(matches!(late.content, ReplyContent::Failed { kind: ErrorKind::TimedOut, .. }), "{late:?}");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(!mark.exists(), "what the program started goes with it");
    let failed = script("echo no >&2; exit 7", 20.0);
    assert!(failed.response_text().unwrap_err().to_string().contains("no"), "{failed:?}");
}

#[test]
fn a_cassette_answers_without_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let replies = open(&server, Some(&record)).0.ask(&questions(20));
    let mut text = Vec::new();
    export_cache(&record.clone().into(), &mut text).unwrap();
    let cassette = folder.path().join("replies.jsonl");
    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    std::fs::write(&cassette, text).unwrap();
    drop(server);
    let shared = ModelContext::open(options(None)).unwrap();
    let client = Client::open(ModelSettings::from_name(format!("replay:{}", cassette.display())), &shared).unwrap();
    assert_eq!(client.ask(&questions(20)), replies);
    let unknown = client.ask(&[question("something else")]).remove(0);
    assert!(matches!(unknown.content, ReplyContent::Failed { kind: ErrorKind::Missing, .. }), "{unknown:?}");
}

#[test]
fn seats_of_a_panel_are_different_models() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let named = |name: &str| ModelSettings { name: name.into(), ..settings(&server) };
    let models = Models::open(vec![named("first"), named("second")], Vec::new(), options(None))
        .unwrap()
        .assign_judges("panel", &["first", "second"])
        .unwrap()
        .assign_judges("other", &["second"])
        .unwrap();
    let turn = JudgeAction::Ask((0..3).map(|seat| ChatRequest { seat, ..question(format!("seat {seat}")) }).collect());
    let answers = models.answer("panel", &turn);
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[1].reply().unwrap().response_text().unwrap(), "reply to seat 1");
    let missing = answers[2].reply().unwrap().response_text().unwrap_err().to_string();
    assert!(missing.contains("only 2 are named"), "{missing}");
    let other = models.answer("other", &JudgeAction::Ask(vec![question("a")]));
    assert_eq!(other[0].reply().unwrap().response_text().unwrap(), "reply to a");
    let embedded = models.answer("panel", &JudgeAction::Embed { model: "m".into(), texts: vec!["a".into()] });
    assert!(matches!(embedded[0], BackendAnswer::Failed { kind: ErrorKind::Missing, .. }));
    let error = Models::open(vec![named("first")], Vec::new(), options(None))
        .unwrap()
        .assign_judges("m", &["frist"])
        .err()
        .unwrap();
    assert_eq!(error.to_string(), "`m` needs the model `frist`, which is not among the models");
}

#[test]
fn asking_from_inside_a_runtime_does_not_stop_it() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let (client, shared) = open(&server, None);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        assert_eq!(client.ask(&[question("a")])[0].response_text().unwrap(), "reply to a");
        drop((client, shared));
    });
}

#[test]
fn a_provider_is_found_where_the_variable_of_its_vendor_says() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let ask = |provider: Provider, address: String, key: bool| {
        let variable = provider.address_variable().unwrap().to_owned();
        let key = provider.key_variable().filter(|_| key).map(|name| (name.to_owned(), "test-0123456789".to_owned()));
        let environment: BTreeMap<String, String> = [(variable, address)].into_iter().chain(key).collect();
        let shared = ModelContext::open(ModelOptions { environment: Some(environment), ..options(None) }).unwrap();
        let settings = ModelSettings { provider: Some(provider), ..ModelSettings::from_name("test") };
        Client::open(settings, &shared).map(|client| client.ask(&[question("Why?")]).remove(0))
    };
    let root = server.url().trim_end_matches("/v1").to_owned();
    for provider in [
        Provider::Anthropic,
        Provider::Gemini,
        Provider::Groq,
        Provider::Ollama,
        Provider::OllamaNative,
        Provider::OpenAi,
        Provider::OpenAiResponses,
    ] {
        let is_openai = matches!(provider, Provider::OpenAi | Provider::OpenAiResponses);
        let address = if is_openai { format!("{root}/v1") } else { root.clone() };
        let reply = ask(provider, address, true).unwrap();
        assert_eq!(reply.response_text().unwrap(), "reply to Why?", "{provider}");
    }
    let sent = server.raw_requests();
    assert!(sent[0].contains("test-0123456789"), "the provider's usual key goes there: {}", sent[0]);
    let missing = ask(Provider::OpenAi, root, false).unwrap_err().to_string();
    assert!(missing.contains("OPENAI_API_KEY"), "{missing}");
    for wrong in ["ftp://x", "https://user:secret-word@x", "nowhere at all"] {
        let error = ask(Provider::OpenAi, wrong.to_owned(), true).unwrap_err().to_string();
        assert!(error.contains("`OPENAI_BASE_URL`") && !error.contains("secret-word"), "{error}");
    }
}

#[test]
fn with_a_budget_in_money_a_model_needs_a_price() {
    let shared = ModelContext::open(ModelOptions {
        budget_usd: Some(1.0),
        environment: Some(BTreeMap::new()),
        ..ModelOptions::new(probare_core::Trust::Trusted)
    })
    .unwrap();
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let error = Client::open(settings(&server), &shared).err().unwrap();
    assert!(matches!(error, OpenError::NoPrice { .. }));
    assert!(error.to_string().contains("prompt_price_per_million"), "{error}");
}

#[test]
fn a_setting_that_a_provider_cannot_express_is_refused_before_anything_is_opened() {
    type Change = fn(ModelSettings) -> ModelSettings;
    let changes: [(Feature, Change); 8] = [
        (Feature::Temperature, |model| ModelSettings { temperature: Some(0.5), ..model }),
        (Feature::TopP, |model| ModelSettings { top_p: Some(0.5), ..model }),
        (Feature::MaxTokens, |model| ModelSettings { max_tokens: Some(5), ..model }),
        (Feature::Seed, |model| ModelSettings { seed: Some(5), ..model }),
        (Feature::ReasoningEffort, |model| ModelSettings { reasoning_effort: Some("low".to_owned()), ..model }),
        (Feature::Images, |model| ModelSettings { generator_type: Some(GeneratorType::Multimodal), ..model }),
        (Feature::Embeddings, |model| ModelSettings { generator_type: Some(GeneratorType::Embedding), ..model }),
        (Feature::Streaming, |model| ModelSettings { stream: true, ..model }),
    ];
    let (mut refused, mut accepted) = (0, 0);
    for provider in Provider::ALL {
        let plain = ModelSettings {
            provider: Some(provider),
            api_model_name: Some("m".to_owned()),
            base_url: (provider == Provider::Prompt).then(|| "https://example.org/ask".to_owned()),
            // The default version does not know `reasoning_effort`.
            api_version: (provider == Provider::Azure).then(|| "2025-04-01-preview".to_owned()),
            command: if provider == Provider::Command { vec!["true".to_owned()] } else { Vec::new() },
            ..ModelSettings::from_name("house")
        };
        plain.check().unwrap_or_else(|error| panic!("{provider}: {error}"));
        for (feature, change) in changes {
            let (checked, what) = (change(plain.clone()).check(), format!("{provider} {}", feature.name()));
            assert_eq!(checked.is_ok(), provider.supports(feature), "{what}: {checked:?}");
            if let Err(error) = checked {
                let text = error.to_string();
                assert!(text.contains("cannot be expressed") && text.contains(&provider.to_string()), "{what}: {text}");
                refused += 1;
            } else {
                accepted += 1;
            }
        }
    }
    let old_azure = ModelSettings { reasoning_effort: Some("low".to_owned()), ..ModelSettings::from_name("azure:m") };
    let text = old_azure.check().unwrap_err().to_string();
    assert!(text.contains("needs `api_version: 2024-12-01-preview` or later"), "{text}");
    println!("{refused} wishes are refused, {accepted} accepted");
    let streaming = ModelSettings { stream: true, ..ModelSettings::from_name("bedrock:m") };
    let text = streaming.check().unwrap_err().to_string();
    assert!(text.contains("`stream` of model `bedrock:m` cannot be expressed"), "{text}");
}
