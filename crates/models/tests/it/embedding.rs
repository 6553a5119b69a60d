//! Vectors: the golden ones, those of a batch beside those alone, those of servers.

use std::path::PathBuf;
use std::sync::LazyLock;

use probare_core::{Backend, BackendAnswer, JudgeAction};
use probare_models::embedding::{LocalModel, MAX_TOKENS, MiniLm, ModelFile, fetch, models_folder};
use probare_models::{ModelOptions, ModelSettings, Models};
use probare_testing::{ServerBehaviour, TestServer, Trouble, golden, list, number, text};

use crate::support::{options, settings};

/// The folder of the model, where it is there; else it is said that what needs it is left out.
fn folder() -> Option<PathBuf> {
    let known = LocalModel::from_name("all-MiniLM-L6-v2").unwrap();
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let folders = [models_folder().ok(), Some(own)].into_iter().flatten().map(|models| known.folder(&models));
    let found = folders.into_iter().find(|folder| known.is_in(folder));
    if found.is_none() {
        probare_testing::report_skipped(
            "all-MiniLM-L6-v2 is not there (`probare models pull` fetches it, so does `cargo x test`)",
        );
    }
    found
}

static MODEL: LazyLock<Option<MiniLm>> = LazyLock::new(|| folder().map(|folder| MiniLm::read(&folder).unwrap()));

#[test]
fn golden_token_ids_are_equal_and_vectors_near() {
    let Some(model) = &*MODEL else { return };
    golden("sgi", "embedding_minilm.jsonl", |case| {
        let expected = case.get("expected").ok_or("no `expected`")?;
        let given = text(case, "text")?;
        let ids: Vec<f64> = model.tokenizer().tokens(given).into_iter().map(f64::from).collect();
        let expected_ids: Vec<f64> =
            list(expected, "token_ids")?.iter().filter_map(serde_json::Value::as_f64).collect();
        if ids != expected_ids {
            return Err(format!("token ids {expected_ids:?} are expected, these came: {ids:?}"));
        }
        let vector = model.embed(&[given], 1).remove(0);
        let expected_ids: Vec<f64> =
            list(expected, "embedding")?.iter().filter_map(serde_json::Value::as_f64).collect();
        if expected_ids.len() != vector.len() {
            return Err(format!("{} numbers are expected, {} came", expected_ids.len(), vector.len()));
        }
        let apart = expected_ids
            .iter()
            .zip(&vector)
            .map(|(expected_ids, got)| (expected_ids - f64::from(*got)).abs())
            .fold(0.0, f64::max);
        // The vectors are written with six digits.
        let tolerance = number(case, "tolerance")?;
        if apart > tolerance { Err(format!("{apart} apart, {tolerance} is allowed")) } else { Ok(()) }
    });
}

/// Texts of all lengths, with all kinds of characters.
fn texts() -> Vec<String> {
    let words =
        ["river", "Ångström", "温度", "x", "12.5", "unbelievably", "—", "🧪", "don't", "[SEP]", "\u{200b}", "Straße"];
    let mut texts: Vec<String> = (0..12)
        .map(|at| (0..at * at).map(|word| words[(word * 7 + at) % words.len()]).collect::<Vec<_>>().join(" "))
        .collect();
    texts.push("a".repeat(5000));
    texts.push("word ".repeat(3000));
    texts
}

fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
    vectors.iter().map(|vector| vector.iter().map(|number| number.to_bits()).collect()).collect()
}

#[test]
fn a_vector_depends_on_its_text_alone_to_the_last_bit() {
    let Some(model) = &*MODEL else { return };
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = bits(&model.embed(&texts, 1));
    assert_eq!(together, bits(&model.embed(&texts, 3)), "on three threads");
    let mut backwards = texts.clone();
    backwards.reverse();
    let mut reversed = bits(&model.embed(&backwards, 2));
    reversed.reverse();
    assert_eq!(together, reversed, "in another order");
    for (at, text) in texts.iter().enumerate() {
        assert_eq!(together[at], bits(&model.embed(&[text], 1))[0], "alone: {at}");
    }
    assert!(texts.iter().any(|text| model.tokenizer().tokens(text).len() == MAX_TOKENS), "one is cut");
    assert!(model.embed(&[], 4).is_empty());
}

#[test]
fn every_width_of_register_gives_the_same_vector() {
    let (Some(folder), Some(model)) = (folder(), &*MODEL) else { return };
    let narrow = MiniLm::read(&folder).unwrap().without_wide_registers();
    let texts = ["Seven tokens are quickly computed.", "温度 naïve"];
    assert_eq!(bits(&narrow.embed(&texts, 1)), bits(&model.embed(&texts, 1)));
}

fn vectors(answers: &[BackendAnswer]) -> Vec<Vec<f32>> {
    answers.iter().map(|answer| answer.vector().unwrap().to_vec()).collect()
}

fn turn(texts: &[&str]) -> JudgeAction {
    JudgeAction::Embed { model: "test".into(), texts: texts.iter().map(|text| (*text).to_owned()).collect() }
}

#[test]
fn a_server_is_asked_once_for_each_text_through_all_trouble() {
    let script = vec![Trouble::ServerError, Trouble::InvalidJson, Trouble::TooMany, Trouble::CutBody];
    let server = TestServer::start(ServerBehaviour { script, ..ServerBehaviour::default() }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let open = |offline| {
        Models::open(Vec::new(), vec![settings(&server)], ModelOptions { offline, ..options(Some(&record)) }).unwrap()
    };
    let first = open(false);
    first.can_embed("test").unwrap();
    assert_eq!(server.requests(), 0, "nothing is sent before the run");
    let first_vectors = vectors(&first.answer("m", &turn(&["one", "two", "one"])));
    assert_eq!(first_vectors[0], first_vectors[2]);
    assert_ne!(first_vectors[0], first_vectors[1]);
    let answered: Vec<String> =
        server.question_stats().into_iter().filter(|(_, seen)| seen.answered > 0).map(|(text, _)| text).collect();
    // Whichever comes first stands first.
    let mut texts: Vec<&str> = answered.iter().flat_map(|request| request.lines()).collect();
    texts.sort_unstable();
    assert_eq!(
        (answered.len(), texts),
        (1, vec!["one", "two"]),
        "one request for all, in which equal texts stand once"
    );
    let before = server.requests();
    drop(first);
    let again = open(true);
    assert_eq!(
        vectors(&again.answer("m", &turn(&["two", "one"]))),
        [first_vectors[1].clone(), first_vectors[0].clone()]
    );
    assert_eq!(server.requests(), before, "the response cache answers");
    let missing = again.answer("m", &turn(&["three"]));
    assert!(missing[0].vector().unwrap_err().to_string().contains("the response cache has no reply"), "{missing:?}");
}

#[test]
fn a_chat_reply_and_a_vector_of_the_same_text_are_different_requests() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("replies.db");
    let (client, _shared) = crate::support::open(&server, Some(&record));
    assert_eq!(client.ask(&[crate::support::question("one")])[0].response_text().unwrap(), "reply to one");
    let embeddings = Models::open(Vec::new(), vec![settings(&server)], options(Some(&record))).unwrap();
    assert_eq!(vectors(&embeddings.answer("m", &turn(&["one"])))[0].len(), 4);
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_model_that_cannot_be_had_is_said_before_the_run() {
    let embeddings = Models::open(Vec::new(), Vec::new(), options(None)).unwrap();
    let refusal = |model: &str| embeddings.can_embed(model).unwrap_err().to_string();
    assert!(refusal("all-minilm").contains("`provider:model`"), "{}", refusal("all-minilm"));
    let message = refusal("BAAI/bge-small-en");
    assert!(
        message.starts_with("no embedding server is named for `BAAI/bge-small-en`")
            && !message.contains("not a provider"),
        "{message}"
    );
    assert!(message.contains("`vllm:BAAI/bge-small-en`"), "{message}");
    assert!(refusal("opnai:x").contains("perhaps `openai`"), "{}", refusal("opnai:x"));
    assert!(refusal("openai:x").contains("OPENAI_API_KEY"), "{}", refusal("openai:x"));
    assert!(refusal("anthropic:x").contains("generator_type"), "{}", refusal("anthropic:x"));
    let program = vec!["sh".into(), "-c".into(), r#"cat > /dev/null; echo '{"text": "[1, 2]"}'"#.into()];
    let settings = ModelSettings { command: program, ..ModelSettings::from_name("command:sh") };
    let embeddings = Models::open(Vec::new(), vec![settings], options(None)).unwrap();
    let answer = embeddings.answer("m", &JudgeAction::Embed { model: "command:sh".into(), texts: vec!["a".into()] });
    assert_eq!(answer, [BackendAnswer::Vector(vec![1.0, 2.0])], "a program can embed too");
}

#[test]
fn a_file_is_fetched_whole_or_not_at_all() {
    let files = [("/m/a".to_owned(), b"abc".to_vec())].into();
    let server = TestServer::start(ServerBehaviour { files, ..ServerBehaviour::default() }).unwrap();
    let file =
        ModelFile { name: "a", sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", size: 3 };
    let bytes = fetch(&format!("{}/m/a", server.url()), &file).unwrap();
    file.check(&bytes).unwrap();
    let small = ModelFile { size: 2, ..file };
    assert!(fetch(&format!("{}/m/a", server.url()), &small).unwrap_err().contains("more than the 2 bytes"));
    let script = vec![Trouble::ServerError];
    let broken = TestServer::start(ServerBehaviour { script, ..ServerBehaviour::default() }).unwrap();
    assert!(fetch(&broken.url(), &file).unwrap_err().contains("500"));
    assert!(fetch("http://127.0.0.1:9/a", &file).is_err());
}

#[test]
fn texts_are_counted_and_not_computed_when_nobody_waits() {
    use probare_cancellation::{Cancellation, CancelledError, with_step_count};
    let Some(model) = &*MODEL else { return };
    let texts = vec!["a river in spring"; 200];
    for threads in [1, 2] {
        let (vectors, steps) = with_step_count(|| model.embed(&texts, threads));
        let tokens: usize = texts.iter().map(|text| model.tokenizer().tokens(text).len()).sum();
        assert_eq!((vectors.len(), steps), (200, 16 * tokens as u64), "on {threads} threads");
        let nobody = Cancellation::default();
        nobody.cancel();
        assert_eq!(nobody.run(|| model.embed(&texts, threads)), Err(CancelledError), "on {threads} threads");
    }
}
