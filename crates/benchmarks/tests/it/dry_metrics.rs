//! Golden vectors of SGI-Bench's dry experiments. Programs are run: in the sandbox, or without one where bubblewrap is not
//! installed, since nobody but us wrote them.

use std::collections::BTreeMap;
use std::sync::Arc;

use probare_benchmarks::sgi::metrics::answer::prediction;
use probare_benchmarks::sgi::metrics::dry::assembly::{self, AssemblyRequest, AssemblyResult};
use probare_benchmarks::sgi::metrics::dry::comparison::{ComparisonMethod, read_judgment};
use probare_benchmarks::sgi::metrics::dry::measures::ExperimentMeasures;
use probare_benchmarks::sgi::metrics::dry::trial::{Trial, TrialSettings};
use probare_benchmarks::sgi::metrics::replies::ReplyParseOptions;
use probare_core::{BackendAnswer, ErrorKind, ModelReply, Profile, Program, ProgramResult};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxLimits};
use probare_testing::{close, golden, list, number, same, text};
use serde_json::{Value, json};

/// A place to run programs; nothing, after saying so, where there is no Python.
fn sandbox() -> Option<Sandbox> {
    let open = |choice| Sandbox::open(choice, SandboxLimits::default(), Arc::default());
    let sandbox = open(SandboxChoice::Auto).or_else(|error| {
        eprintln!("without a sandbox, since {error}");
        open(SandboxChoice::None)
    });
    let sandbox = sandbox.expect("programs can be run");
    if let Err(error) = sandbox.interpreter("") {
        probare_testing::report_skipped(&format!("vectors that run programs ({error})"));
        return None;
    }
    Some(sandbox)
}

fn run(sandbox: &Sandbox, program: &Program) -> Result<ProgramResult, String> {
    sandbox.run(program).map_err(|error| error.to_string())
}

fn assembled(sandbox: &Sandbox, main: &str, names: &[String], texts: Vec<&str>) -> Result<AssemblyResult, String> {
    let request = AssemblyRequest { main, names, texts, final_newline: false, python_lines: false };
    assembly::read_result(&run(sandbox, &request.program(""))?).map_err(|error| error.to_string())
}

#[test]
fn golden_function_replacement() {
    let Some(sandbox) = sandbox() else { return };
    golden("sgi", "function_replacement.jsonl", |vector| {
        let expected = &vector["expected"];
        let names = vec![text(vector, "function_name")?.to_owned()];
        let found = assembled(&sandbox, text(vector, "main_code")?, &names, vec![text(vector, "new_code")?])?;
        same("code", &expected["code"].as_str(), &found.code.as_deref())?;
        same("ok", &expected["ok"], &json!(found.code.is_some()))?;
        let kind = found.functions[0].errors.first().map(|(kind, _)| kind.as_str());
        same("error", &expected["error"].as_str(), &kind)?;
        same("main compiles", &expected["main_syntax_ok"], &json!(found.seen.main.compiles))?;
        same("new compiles", &expected["new_syntax_ok"], &json!(found.seen.texts[0].compiles))?;
        let lines: Option<BTreeMap<String, (usize, usize)>> =
            serde_json::from_value(expected["new_function_lines"].clone()).map_err(|error| error.to_string())?;
        same("lines", &lines, &found.seen.texts[0].functions)
    });
}

#[test]
fn golden_dry_assembly() {
    let Some(sandbox) = sandbox() else { return };
    golden("sgi", "dry_assembly.jsonl", |vector| {
        let expected = &vector["expected"];
        let (_, answer) = prediction(text(vector, "output_text")?);
        same("prediction", &expected["prediction"].as_str(), &Some(answer))?;
        let names: Vec<String> =
            serde_json::from_value(vector["incomplete_functions"].clone()).map_err(|error| error.to_string())?;
        let parsed = vector["parser_reply"].as_str().map(probare_text::python::strip).filter(|text| !text.is_empty());
        let texts = std::iter::once(answer).chain(parsed).collect();
        let found = assembled(&sandbox, text(vector, "incomplete_main_code")?, &names, texts)?;
        same("code", &expected["code"].as_str(), &found.code.as_deref())?;
        same("replaced", &expected["replaced"], &json!(found.code.is_some()))?;
        same("error", &expected["error"].is_null(), &found.code.is_some())
    });
}

#[test]
fn golden_dry_run() {
    let Some(sandbox) = sandbox() else { return };
    golden("sgi", "dry_run.jsonl", |vector| {
        let expected = &vector["expected"];
        let limit = vector["timeout_s"].as_u64().and_then(|limit| u32::try_from(limit).ok()).ok_or("no time limit")?;
        let seconds = f64::from(limit);
        let terms = TrialSettings { seconds: limit, mebibytes: 1024, ..TrialSettings::default() };
        let program = terms.program(None, text(vector, "main_code")?, text(vector, "data_code")?);
        let program = program.map_err(|error| error.to_string())?;
        let trial = terms.read(&run(&sandbox, &program)?).map_err(|error| error.to_string())?;
        same("returncode", &expected["returncode"], &json!(trial.returncode))?;
        same("stdout", &expected["stdout"].as_str(), &Some(trial.stdout.as_str()))?;
        same("stderr", &expected["stderr_is_empty"], &json!(trial.stderr.is_empty()))?;
        if let Some(output) = expected["model_output"].as_str() {
            same("model_output", output, &trial.text())?;
        }
        same("error", &expected["error_empty"], &json!(trial.error.is_empty()))?;
        let prefix = text(expected, "error_prefix")?;
        same("prefix of the error", &true, &trial.error.starts_with(prefix))?;
        let is_data = trial.error.starts_with("[WRONG] data_en.py failed:");
        same("data failure", &expected["error_is_data_failure"], &json!(is_data))?;
        let kind = match trial.runtime {
            -1.0 => "minus_one",
            runtime if runtime == seconds => "timeout_value",
            _ => "measured",
        };
        same("kind of runtime", &expected["runtime_kind"], &json!(kind))
    });
}

/// The judge's reply of a vector; a null means that the call failed.
fn reply(vector: &Value) -> BackendAnswer {
    BackendAnswer::Reply(match vector["judge_reply"].as_str() {
        Some(text) => ModelReply::text(text),
        None => ModelReply::failed(ErrorKind::Failed, "the call failed"),
    })
}

/// Whether a test passes, how that is decided, and how often the judge is asked.
fn decided(trial: &Trial, expected: &str, vector: &Value) -> (bool, ComparisonMethod, usize) {
    if !trial.is_fine() {
        return (false, ComparisonMethod::ExecutionFailed, 0);
    }
    if trial.text() == expected {
        return (true, ComparisonMethod::ExactMatch, 0);
    }
    let (pass, method, _) = read_judgment(&reply(vector), ReplyParseOptions::default(), Profile::Published);
    (pass, method, 1)
}

#[test]
fn golden_dry_compare() {
    golden("sgi", "dry_compare.jsonl", |vector| {
        let (expected_output, printed) = (text(vector, "expected_output")?, text(vector, "model_output")?);
        let (pass, method, judged) = if expected_output == printed {
            (true, ComparisonMethod::ExactMatch, 0)
        } else {
            let (pass, method, _) = read_judgment(&reply(vector), ReplyParseOptions::default(), Profile::Published);
            (pass, method, 1)
        };
        let expected = &vector["expected"];
        same("pass", &expected["pass"], &json!(pass))?;
        same("method", &expected["method"], &json!(method.name()))?;
        same("calls", &expected["judge_called"], &json!(judged))
    });
}

#[test]
fn golden_dry_metrics() {
    golden("sgi", "dry_metrics.jsonl", |vector| {
        let expected = &vector["expected"];
        let (mut trials, mut outputs, mut methods) = (Vec::new(), Vec::new(), Vec::new());
        for test in list(vector, "tests")? {
            let trial = Trial {
                returncode: test["returncode"].as_i64().and_then(|code| i32::try_from(code).ok()).ok_or("no code")?,
                runtime: number(test, "runtime")?,
                stdout: text(test, "stdout")?.to_owned(),
                stderr: text(test, "stderr")?.to_owned(),
                error: String::new(),
                ..Trial::default()
            };
            let (pass, method, _) = decided(&trial, text(test, "expected_output")?, test);
            outputs.push(trial.text());
            methods.push(method.name());
            trials.push((trial, pass));
        }
        same("outputs", &expected["model_outputs"], &json!(outputs))?;
        same("methods", &expected["methods"], &json!(methods))?;
        let trials: Vec<(&Trial, bool)> = trials.iter().map(|(trial, pass)| (trial, *pass)).collect();
        let measures = ExperimentMeasures::from_trials(&trials);
        for (name, least) in [("PassAll@5", 5), ("PassAll@3", 3), ("PassAll@1", 1)] {
            same(name, &expected[name], &json!(u8::from(measures.pass_all(least))))?;
        }
        same("pass_count", &expected["pass_count"], &json!(measures.passed))?;
        same("is_correct", &expected["is_correct"], &json!(measures.pass_all(5)))?;
        close("SER", number(expected, "SER")?, measures.ser, 1e-9)?;
        close("AET", number(expected, "AET")?, measures.aet.unwrap_or(-1.0), 1e-9)?;
        close("official AET", number(&vector["official"], "AET")?, measures.aet_all.unwrap_or(-1.0), 1e-9)
    });
}

#[test]
fn a_row_that_names_a_way_and_no_name_is_an_error_before_anything_is_run() {
    let metric = probare_benchmarks::registry().get("dry_experiment").unwrap();
    let built = metric.build(json!({ "fixtures": "/fixtures" }), Profile::Published).unwrap();
    let mut row = json!({
        "response": "def f():\n    return 1\n",
        "metadata": { "incomplete_functions": ["f"], "incomplete_main_code": "", "data_code": "" },
    });
    for number in 0..5 {
        row["metadata"][format!("unit_test_{number}_output")] = json!("1");
    }
    let error_text = |idx: &str| {
        let mut row = row.clone();
        row["metadata"]["idx"] = json!(idx);
        let case = crate::case::read(&row);
        built
            .score_with("dry", probare_core::Sample::from_case(&case), &probare_core::NoBackend)
            .unwrap_err()
            .to_string()
    };
    let error = error_text("../home/private-0200");
    assert!(error.contains("one plain name is expected"), "{error}");
    assert!(error_text("SGI_DryExperiment_0200").contains("no sandbox"));
}

#[test]
fn a_sample_whose_files_nobody_has_is_an_error() {
    let terms = TrialSettings { seconds: 1, mebibytes: 64, ..TrialSettings::default() };
    let error = terms.program(Some("SGI_DryExperiment_0206"), "", "").unwrap_err();
    assert!(error.kind() == ErrorKind::Missing && error.to_string().contains("`SGI_DryExperiment_0206`"), "{error}");
    let with = TrialSettings { fixtures: Some("f/".to_owned()), ..terms.clone() };
    let program = with.program(Some("SGI_DryExperiment_0206"), "", "").unwrap();
    let folder = program.folders.last().unwrap();
    assert_eq!((folder.path.as_str(), folder.from.as_deref()), ("data/mnist_raw", Some("f/SGI_DryExperiment_0206")));
    assert!(!folder.optional, "an absent folder is an error of the sandbox");
    // Nothing but the published samples has fixtures, whatever their ids end in.
    for other in ["mine_0206", "../SGI_DryExperiment_0206", "SGI_DryExperiment_0207"] {
        assert_eq!(terms.program(Some(other), "", "").unwrap().folders.len(), 1, "{other}");
    }
}
