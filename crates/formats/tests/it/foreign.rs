//! Files of other tools, as the tools wrote them: what becomes of them, and that no damage makes a panic.

use std::path::{Path, PathBuf};

use probare_core::Case;
use probare_formats::{
    CaseReader, FieldMap, ImportError, ImportFormat, ImportedCases, ReadOptions, import, import_together, read_foreign,
};

const FILES: [(&str, ImportFormat); 21] = [
    ("inspect.eval", ImportFormat::Inspect),
    ("inspect.json", ImportFormat::Inspect),
    ("promptfoo.json", ImportFormat::Promptfoo),
    ("promptfoo.jsonl", ImportFormat::Promptfoo),
    ("samples_own_words.jsonl", ImportFormat::LmEval),
    ("samples_own_choice.jsonl", ImportFormat::LmEval),
    ("openai_evals.jsonl", ImportFormat::OpenaiEvals),
    ("promptfoo_vars.json", ImportFormat::Promptfoo),
    ("promptfoo.csv", ImportFormat::Promptfoo),
    ("deepeval.json", ImportFormat::Deepeval),
    ("deepeval_goldens.json", ImportFormat::Deepeval),
    ("ragas.jsonl", ImportFormat::Ragas),
    ("ragas_turns.jsonl", ImportFormat::Ragas),
    ("ragas_results.jsonl", ImportFormat::Ragas),
    ("langsmith_examples.jsonl", ImportFormat::Langsmith),
    ("langsmith_runs.jsonl", ImportFormat::Langsmith),
    ("langfuse_items.jsonl", ImportFormat::Langfuse),
    ("langfuse_observations.jsonl", ImportFormat::Langfuse),
    ("openai_platform/output_items.jsonl", ImportFormat::OpenaiPlatform),
    ("every_eval_ever.jsonl", ImportFormat::Eee),
    ("chat.jsonl", ImportFormat::Chat),
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/foreign").join(name)
}

fn imported(name: &str) -> ImportedCases {
    import(path(name).to_str().unwrap(), None, None).unwrap().1
}

fn text(case: &Case) -> &str {
    case.response.as_ref().map_or("", |output| output.text.as_str())
}

fn value(case: &Case, name: &str) -> Option<f64> {
    case.metadata["scores"].get(name)?.get("value")?.as_f64()
}

#[test]
fn every_file_is_known_by_its_content() {
    for (name, format) in FILES {
        let bytes = std::fs::read(path(name)).unwrap();
        let (found, imported) = read_foreign(bytes, name, None, None).unwrap();
        assert_eq!(found, format, "{name}");
        for case in &imported.cases {
            assert!(case.query.as_ref().is_some_and(|query| !query.is_empty()), "{name}: {case:?}");
            assert_eq!(case.metadata["imported"]["from"], format.name(), "{name}");
        }
    }
}

#[test]
fn an_inspect_log_is_the_same_as_an_archive_and_as_a_document() {
    let by_id = |name: &str| {
        let mut cases = imported(name).cases;
        cases.sort_by_key(|case| (case.id.clone(), case.response.as_ref().map_or(0, |output| output.repeat)));
        cases
    };
    let (archive, document) = (by_id("inspect.eval"), by_id("inspect.json"));
    assert_eq!(archive, document);
    assert_eq!(archive.len(), 6);
    let boil = archive.iter().find(|case| case.id == "boil").unwrap();
    assert_eq!((text(boil), boil.reference.as_deref()), ("At 100 degrees.", Some(&["100".to_owned()][..])));
    assert_eq!((value(boil, "includes"), value(boil, "match")), (Some(1.0), Some(0.0)));
    assert_eq!(boil.metadata["scores"]["includes"]["label"], "C");
    assert_eq!(boil.metadata["category"], "physics");
    assert_eq!(boil.response.as_ref().unwrap().model.as_deref(), Some("mockllm/model"));
    let repeats: Vec<_> = archive.iter().map(|case| case.response.as_ref().unwrap().repeat).collect();
    assert_eq!(repeats, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn promptfoo_results_keep_their_assertions_as_scores() {
    for name in ["promptfoo.json", "promptfoo.jsonl"] {
        let ImportedCases { cases, scores, .. } = imported(name);
        assert_eq!(cases.len(), 3, "{name}");
        let capital = cases.iter().find(|case| case.metadata["imported"]["description"] == "capital-fr").unwrap();
        assert_eq!(capital.query.as_deref(), Some("What is the capital of France?"));
        assert_eq!(text(capital), "The capital is Paris.");
        assert_eq!(capital.reference.as_deref(), Some(&["Paris".to_owned()][..]));
        assert_eq!((value(capital, "contains"), value(capital, "equals")), (Some(1.0), Some(0.0)));
        assert_eq!((value(capital, "pass"), value(capital, "score")), (Some(0.0), Some(0.5)));
        assert_eq!(capital.metadata["category"], "geography");
        let boil = cases.iter().find(|case| case.metadata["imported"]["description"] == "boil").unwrap();
        assert_eq!(value(boil, "number"), Some(1.0));
        let names: Vec<&str> = scores.iter().map(|score| score.name.as_str()).collect();
        assert!(names.starts_with(&["pass", "score"]) && names.contains(&"number"), "{names:?}");
    }
}

#[test]
fn lm_eval_samples_have_what_was_generated_or_what_was_likeliest() {
    let words = imported("samples_own_words.jsonl").cases;
    assert_eq!((words.len(), text(&words[0])), (3, "lol"));
    assert_eq!(words[0].reference.as_deref(), Some(&["Paris".to_owned()][..]));
    assert_eq!(value(&words[0], "exact_match"), Some(0.0));
    let choice = imported("samples_own_choice.jsonl").cases;
    for case in &choice {
        let is_right = text(case) == case.reference.as_ref().unwrap()[0];
        assert_eq!(value(case, "acc"), Some(f64::from(u8::from(is_right))), "{case:?}");
    }
    assert_eq!(choice[0].metadata["choices"], serde_json::json!(["Paris", "Rome", "42"]));
}

#[test]
fn openai_records_are_gathered_by_sample() {
    let cases = imported("openai_evals.jsonl").cases;
    assert_eq!(cases.iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["questions.test.0", "questions.test.1"]);
    assert_eq!((text(&cases[0]), value(&cases[0], "match")), ("Paris", Some(1.0)));
    assert_eq!((text(&cases[1]), value(&cases[1], "match")), ("Schiller", Some(0.0)));
    assert_eq!(cases[1].reference.as_ref().unwrap().len(), 2);
    assert_eq!(cases[0].query.as_deref(), Some("What is the capital of France?"));
}

#[test]
fn an_eval_of_openai_keeps_the_grades_of_the_service_and_becomes_metrics() {
    let items = imported("openai_platform/output_items.jsonl");
    assert_eq!(items.cases.len(), 4);
    let (first, third) = (&items.cases[0], &items.cases[2]);
    assert_eq!((first.query.as_deref(), text(first)), (Some("My monitor stays black since this morning."), "Hardware"));
    assert_eq!(first.response.as_ref().unwrap().model.as_deref(), Some("gpt-4.1-nano-2025-04-14"));
    assert_eq!((value(first, "Exact label-1"), value(third, "Exact label-1")), (Some(1.0), Some(0.0)));
    assert_eq!(third.metadata["scores"]["Close label-2"]["label"], "fail");
    assert_eq!(first.metadata["item"]["correct_label"], "Hardware");

    let names =
        ["eval.json", "run.json", "data.jsonl"].map(|name| path("openai_platform").join(name).display().to_string());
    let (format, whole, inputs) = import_together(&names, None).unwrap();
    assert_eq!((format, whole.cases.len(), inputs.len()), (ImportFormat::OpenaiPlatform, 4, 3));
    assert!(whole.cases.iter().all(|case| case.response.is_none()));
    let configuration = serde_json::Value::Object(whole.configuration.unwrap());
    let ids: Vec<&str> =
        configuration["metrics"].as_array().unwrap().iter().map(|metric| metric["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["openai_grader", "openai_grader", "openai_model_grader", "openai_grader"]);
    assert_eq!(configuration["judges"], serde_json::json!(["tone_judge"]));
    assert_eq!(configuration["models"][1]["max_tokens"], 50);
    let mixed = [names[0].clone(), path("chat.jsonl").display().to_string()];
    let error = import_together(&mixed, None).unwrap_err().to_string();
    assert!(error.contains("for the hosted Evals of OpenAI alone"), "{error}");
}

#[test]
fn data_sets_of_other_tools_bring_question_passages_and_right_answer() {
    for name in ["deepeval_goldens.json", "ragas.jsonl", "langsmith_examples.jsonl", "langfuse_items.jsonl"] {
        let cases = imported(name).cases;
        assert_eq!(cases.len(), 3, "{name}");
        assert_eq!(cases[0].query.as_deref(), Some("What is the capital of France?"), "{name}");
        assert_eq!(cases[0].reference.as_deref(), Some(&["Paris".to_owned()][..]), "{name}");
    }
    assert_eq!(imported("deepeval_goldens.json").cases[0].metadata["category"], "geography");
    assert_eq!(imported("deepeval_goldens.json").cases[0].id, "capital-fr");
    assert_eq!(imported("ragas.jsonl").cases[0].context.as_ref().unwrap()[0].text, "A passage about it.");
    assert_eq!(imported("langsmith_examples.jsonl").cases[0].metadata["split"], "test");
}

#[test]
fn runs_and_results_of_other_tools_bring_answers_and_scores() {
    let runs = imported("langsmith_runs.jsonl");
    assert_eq!((runs.cases.len(), text(&runs.cases[0])), (3, "The capital is Paris."));
    assert_eq!(value(&runs.cases[0], "correct"), Some(1.0));
    assert_eq!(runs.notes, ["3 runs inside of other runs are skipped"]);
    let traced = imported("langfuse_observations.jsonl");
    assert_eq!((traced.cases.len(), text(&traced.cases[0])), (3, "The capital is Paris."));
    assert_eq!(traced.notes, ["3 observations inside of others are skipped"]);
    let rows = imported("ragas_results.jsonl").cases;
    assert_eq!((value(&rows[0], "faithfulness"), value(&rows[1], "faithfulness")), (Some(0.5), None));
    assert_eq!(rows[1].metadata["scores"]["faithfulness"]["kind"], "failed");
    let turns = &imported("ragas_turns.jsonl").cases[0];
    assert_eq!((turns.query.as_deref(), text(turns)), (Some("Rain in Rome?"), "It is dry."));
    assert_eq!(turns.messages.as_ref().unwrap()[1].tool_calls[0].name, "weather");
    assert_eq!(turns.expected_tool_calls.as_ref().unwrap()[0].name, "weather");
}

#[test]
fn records_of_every_eval_ever_bring_answers_turns_and_errors() {
    let cases = imported("every_eval_ever.jsonl").cases;
    assert_eq!((text(&cases[0]), value(&cases[0], "score")), ("The capital is Paris.", Some(1.0)));
    assert_eq!(cases[0].metadata["token_usage"]["total_tokens"], 14);
    assert_eq!((text(&cases[1]), value(&cases[1], "score")), ("No, it is dry.", Some(0.5)));
    assert_eq!(cases[1].messages.as_ref().unwrap()[1].tool_calls[0].name, "weather");
    // The 0 that stands beside an error is no score.
    assert_eq!((cases[2].response.is_none(), value(&cases[2], "score")), (true, None));
    assert_eq!(cases[2].metadata["scores"]["score"]["kind"], "failed");
}

#[test]
fn parquet_needs_no_import_and_answers_of_hugging_face_are_references() {
    let error = import(path("squad.parquet").to_str().unwrap(), None, None).unwrap_err();
    assert!(error.to_string().contains("it is Parquet"), "{error}");
    assert!(error.hint().unwrap().contains("a file of rows needs no import"));
    let fields = FieldMap::parse(&["reference=answers.text"]).unwrap();
    let options = ReadOptions { fields, ..ReadOptions::default() };
    let mut rows = CaseReader::open(path("squad.parquet").to_str().unwrap(), &options).unwrap();
    let cases: Vec<Case> = rows.next().unwrap().unwrap().cases().into_iter().map(Result::unwrap).collect();
    assert_eq!(cases[0].reference.as_deref(), Some(&["Paris".to_owned()][..]), "{:?}", cases[0]);
    assert_eq!(text(&cases[0]), "The capital is Paris.");
}

#[test]
fn a_chat_is_its_last_question_and_answer() {
    let cases = imported("chat.jsonl").cases;
    assert_eq!((cases[0].id.as_str(), text(&cases[0])), ("greeting", "Paris."));
    assert_eq!(cases[0].reference.as_deref(), Some(&["Paris".to_owned()][..]));
    assert_eq!((cases[0].tags.as_slice(), &cases[0].metadata["lang"]), (&["geography".to_owned()][..], &"en".into()));
    assert_eq!((cases[1].query.as_deref(), text(&cases[1])), (Some("Yes."), "Goethe."));
    assert!(cases[2].response.is_none());
    assert_eq!(cases[1].messages.as_ref().unwrap().len(), 4);
}

#[test]
fn a_file_that_is_cut_off_is_an_error_with_a_place_and_never_a_panic() {
    for (name, format) in FILES {
        let bytes = std::fs::read(path(name)).unwrap();
        let whole = imported(name).cases.len();
        let step = (bytes.len() / 400).max(1);
        for end in (0..bytes.len()).step_by(step) {
            for told in [None, Some(format)] {
                match read_foreign(bytes[..end].to_vec(), name, told, None) {
                    // Between two lines nothing shows that lines are missing.
                    Ok((_, imported)) => assert!(imported.cases.len() <= whole, "{name} at {end}"),
                    Err(ImportError::Broken { reason, .. }) => assert!(!reason.is_empty()),
                    Err(error) => assert!(matches!(error, ImportError::Unknown { .. }), "{name} at {end}: {error}"),
                }
            }
        }
    }
}

#[test]
fn a_changed_byte_in_an_archive_is_noticed_or_harmless_and_never_a_panic() {
    let bytes = std::fs::read(path("inspect.eval")).unwrap();
    let whole = imported("inspect.eval").cases;
    let mut noticed = 0;
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        match read_foreign(damaged, "inspect.eval", Some(ImportFormat::Inspect), None) {
            // Times, flags and members that are not read may change; a sample may be lost with its name, never altered.
            Ok((_, imported)) => assert!(imported.cases.iter().all(|case| whole.contains(case)), "at {at}"),
            Err(_) => noticed += 1,
        }
    }
    assert!(noticed > bytes.len() / 2, "{noticed} of {}", bytes.len());
}

#[test]
fn fuzz_files_of_other_tools() {
    bolero::check!().for_each(|bytes: &[u8]| {
        for format in [None].into_iter().chain(ImportFormat::ALL.map(Some)) {
            let _ = read_foreign(bytes.to_vec(), "fuzz", format, None);
        }
        let mut archive = b"PK\x03\x04".to_vec();
        archive.extend_from_slice(bytes);
        archive.extend_from_slice(b"PK\x05\x06");
        archive.extend_from_slice(bytes);
        let _ = read_foreign(archive, "fuzz", None, None);
    });
}

#[test]
fn what_fails_in_the_other_tool_is_an_error_and_no_score() {
    let line = r#"{"testCase":{},"promptIdx":0,"testIdx":4,"success":false,"score":0,"error":"no key","failureReason":2,"prompt":{"raw":"Who?"}}"#;
    let (_, imported) = read_foreign(line.into(), "x.jsonl", None, None).unwrap();
    assert_eq!(imported.cases[0].id, "4");
    assert!(imported.cases[0].response.is_none());
    let told = &imported.cases[0].metadata["scores"];
    assert_eq!(told, &serde_json::json!({"pass": {"error": "no key", "kind": "failed"}}));
}

#[test]
fn a_value_that_is_no_number_is_not_applicable() {
    let log = r#"{"version":2,"status":"error","eval":{"task":"t","model":"m"},"samples":[
        {"id":1,"epoch":1,"input":"Who is it?","target":"","output":{"choices":[{"message":{"role":"assistant","content":"Me."}}]},
         "scores":{"word":{"value":"maybe"},"none":{"value":NaN},"two":{"value":{"a":1,"b":false}}}}]}"#;
    let (_, imported) = read_foreign(log.into(), "log.json", None, None).unwrap();
    let told = &imported.cases[0].metadata["scores"];
    assert!(told["word"]["not_applicable"].is_string() && told["none"]["not_applicable"].is_string(), "{told}");
    assert_eq!((&told["two.a"]["value"], &told["two.b"]["value"]), (&1.0.into(), &0.0.into()));
    assert_eq!(imported.notes, ["the log has the status `error`"]);
    assert_eq!(imported.cases[0].reference, None);
}

#[test]
fn samples_of_one_id_are_told_apart() {
    let line = r#"{"messages":[{"role":"user","content":"a b"}],"id":"x"}"#;
    let (_, imported) = read_foreign(format!("{line}\n{line}\n").into(), "x.jsonl", None, None).unwrap();
    assert_eq!((imported.cases[0].id.as_str(), imported.cases[1].id.as_str()), ("x", "x~2"));
    assert_eq!(imported.notes.len(), 1);
}

#[test]
fn an_old_version_and_a_file_without_samples_are_refused() {
    let error = read_foreign(r#"{"results":{"version":2,"results":[]}}"#.into(), "f.json", None, None).unwrap_err();
    let expected =
        "`f.json` is not a valid promptfoo file: results.version: it has version 2, but only 3 and later are read";
    assert_eq!(error.to_string(), expected);
    let error = read_foreign(r#"{"results":{"version":3,"results":[]}}"#.into(), "f.json", None, None).unwrap_err();
    assert_eq!(error.to_string(), "`f.json` is not a valid promptfoo file: it holds no samples");
}

/// A zip archive with one stored member whose directory tells a lie about its length.
fn archive(said: u32) -> Vec<u8> {
    let (name, content) = (b"header.json", b"{}");
    let mut crc = flate2::Crc::new();
    crc.update(content);
    let mut bytes = b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0".to_vec();
    let mut sizes = crc.sum().to_le_bytes().to_vec();
    sizes.extend(2_u32.to_le_bytes());
    sizes.extend(said.to_le_bytes());
    bytes.extend(&sizes);
    bytes.extend([11, 0, 0, 0]);
    bytes.extend(name);
    bytes.extend(content);
    let directory = u32::try_from(bytes.len()).unwrap();
    bytes.extend(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0");
    bytes.extend(&sizes);
    bytes.extend([11, 0]);
    bytes.extend([0; 16]);
    bytes.extend(name);
    let length = u32::try_from(bytes.len()).unwrap() - directory;
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend(length.to_le_bytes());
    bytes.extend(directory.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

#[test]
fn an_archive_that_would_unpack_to_too_much_is_refused_before_it_does() {
    let error = |said| read_foreign(archive(said), "a.eval", None, None).unwrap_err().to_string();
    assert!(error(2).contains("it holds no samples"), "{}", error(2));
    assert!(error(3).contains("`header.json`: its content is not what the directory says"), "{}", error(3));
    let large = error(u32::MAX - 1);
    assert!(large.contains("`header.json`: it has 4294967294 bytes, more than the 268435456"), "{large}");
}

#[test]
fn promptfoo_fills_in_variables_and_an_error_is_no_answer() {
    let references = |name: &str| -> Vec<Option<String>> {
        let echoed = imported(name).cases.into_iter().filter(|case| case.response.is_some());
        echoed.map(|case| case.reference.and_then(|texts| texts.first().cloned())).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(references("promptfoo_vars.json"), [text("Paris"), text("100"), text("Goethe wrote it.")]);
    // A table has no assertions.
    assert_eq!(references("promptfoo.csv"), [text("Paris"), text("100"), None]);
    for name in ["promptfoo_vars.json", "promptfoo.csv"] {
        let cases = imported(name).cases;
        assert_eq!(cases.len(), 6, "{name}");
        let broken: Vec<&Case> = cases.iter().filter(|case| case.response.is_none()).collect();
        assert_eq!(broken.len(), 3, "{name}");
        for case in broken {
            assert_eq!(case.metadata["scores"]["pass"]["kind"], "failed", "{name}");
        }
        let boil = cases.iter().find(|case| case.id == "1" && case.response.is_some()).unwrap();
        assert_eq!((self::text(boil), value(boil, "number")), ("=100", Some(1.0)), "{name}");
    }
}

#[test]
fn deepeval_has_a_score_for_every_metric_that_did_not_fail() {
    let cases = imported("deepeval.json").cases;
    let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["capital-fr", "boil", "author"]);
    assert_eq!(
        (text(&cases[0]), cases[0].reference.as_deref()),
        ("The capital is Paris.", Some(&["Paris".to_owned()][..]))
    );
    assert_eq!((value(&cases[0], "Contains"), value(&cases[0], "success")), (Some(1.0), Some(1.0)));
    assert_eq!(cases[2].metadata["scores"]["Contains"]["error"], "this metric fails on purpose");
    assert_eq!(cases[0].context.as_ref().unwrap()[0].text, "A passage about it.");
    assert_eq!(cases[0].tags, ["made"]);
}
