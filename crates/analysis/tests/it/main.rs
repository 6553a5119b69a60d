//! Results of a benchmark are verified as those of any run: opened again by its id, with its options.

#![expect(clippy::disallowed_methods, reason = "tests make the files that they look at")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use probare_analysis::{ResultsSource, Verdict, VerifyError, VerifyRequest, compare, verify};
use probare_core::{
    Benchmark, BenchmarkCall, BenchmarkError, Case, Console, Event, InputFile, Job, MemorySource, MetricRequest,
    Output, Panel, Profile, Publisher, Sha256, Sink,
};
use probare_engine::{Registries, RunOptions, run};
use probare_formats::{CaseReader, ReadOptions};
use probare_report::comparison::ComparisonRequest;
use serde_json::{Value as Json, json};

/// Lines `question|answer|right answer`.
struct Toy;

static TOY: Toy = Toy;

fn toys(id: &str) -> Option<&'static dyn Benchmark> {
    (id == "toy").then_some(&TOY as &'static dyn Benchmark)
}

fn registries() -> Registries {
    Registries { benchmark: toys, ..Registries::without_benchmarks() }
}

/// Writes how many cases there were, and says so on pages.
struct Count {
    cases: usize,
    out: PathBuf,
}

impl Sink for Count {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(_) => self.cases += 1,
            Event::Finished(_) => {
                probare_report::OutputWriter::write_file(&self.out, self.cases.to_string().as_bytes())?;
            }
            _ => {}
        }
        Ok(())
    }
}

impl Publisher for Count {
    fn panels(&self) -> Vec<Panel> {
        vec![Panel { title: format!("{} toys", self.cases), ..Panel::default() }]
    }
}

impl Benchmark for Toy {
    fn id(&self) -> &'static str {
        "toy"
    }

    fn command(&self) -> &'static [&'static str] {
        &["toy"]
    }

    fn about(&self) -> &'static str {
        "Toys"
    }

    fn example(&self, _: &serde_json::Map<String, serde_json::Value>) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::new()
    }

    fn open(&self, options: Json, _: Console) -> Result<Job, BenchmarkError> {
        let path = options["files"][0].as_str().ok_or_else(|| BenchmarkError::usage("`files` is missing"))?.to_owned();
        let text = fs::read_to_string(&path).map_err(|error| BenchmarkError::from_error(&error))?;
        let cases = text.lines().enumerate().map(|(number, line)| {
            let mut cells = line.split('|').map(str::to_owned);
            Case {
                id: number.to_string(),
                query: cells.next(),
                response: cells.next().map(Output::new),
                reference: cells.next().map(|text| vec![text]),
                ..Case::default()
            }
        });
        let input = InputFile {
            path: path.clone(),
            option: Some("/files/0".into()),
            sha256: Sha256::hex_digest(text.as_bytes()),
            bytes: text.len() as u64,
            ..InputFile::default()
        };
        let cases = MemorySource::new(cases.collect(), vec![input]);
        let mut job = Job::new(format!("toys of {path}"), Box::new(cases), vec![MetricRequest::plain("hallucination")]);
        job.requests.push(MetricRequest::plain("token_f1"));
        let out = PathBuf::from(options["out"].as_str().unwrap_or("count.txt"));
        job.writes = vec![out.clone()];
        job.publisher = Some(Box::new(Count { cases: 0, out }));
        job.benchmark = Some(BenchmarkCall { id: "toy".into(), options });
        Ok(job)
    }
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

fn verified(results: &str, inputs: &[PathBuf]) -> Result<Verdict, VerifyError> {
    verify(&VerifyRequest { inputs, ..VerifyRequest::new(Path::new(results), registries()) })
}

#[test]
fn results_of_a_benchmark_are_verified_and_nothing_is_published_again() {
    let folder = tempfile::tempdir().unwrap();
    let (toys, moved, count) =
        (path(folder.path(), "toys.txt"), path(folder.path(), "moved.txt"), path(folder.path(), "count.txt"));
    fs::write(&toys, "Who?|Ada did.|Ada\nWhat?|Nothing.|An engine\n").unwrap();
    let outputs: Vec<PathBuf> =
        ["r.jsonl", "r.json", "r.csv", "r.parquet", "r.html"].map(|name| folder.path().join(name)).into();
    let job = TOY.open(json!({"files": [toys], "out": count}), Console::default()).unwrap();
    let settings = RunOptions { output: outputs.clone(), profile: Some(Profile::Improved), ..RunOptions::default() };
    run(job, registries(), settings.into()).unwrap();
    assert_eq!(fs::read_to_string(&count).unwrap(), "2");
    fs::remove_file(&count).unwrap();
    assert!(fs::read_to_string(folder.path().join("r.html")).unwrap().contains("<h2><bdi>2 toys</bdi></h2>"));

    let agrees = |inputs: &[PathBuf]| {
        for output in &outputs {
            let verdict = verified(output.to_str().unwrap(), inputs).unwrap();
            assert_eq!(verdict.disagreements, [], "{}", output.display());
            assert_eq!((verdict.cases, verdict.scores, verdict.inputs), (2, 4, 1));
        }
    };
    agrees(&[]);
    // What the benchmark says about the whole stands in the manifest, and is held against what it says now.
    let beside = folder.path().join("r.jsonl.run.json");
    let manifest = fs::read_to_string(&beside).unwrap();
    fs::write(&beside, manifest.replace("2 toys", "3 toys")).unwrap();
    let said: Vec<String> =
        verified(outputs[0].to_str().unwrap(), &[]).unwrap().disagreements.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|line| line.contains("panels[0].title") && line.contains("3 toys")), "{said:#?}");
    fs::write(&beside, manifest).unwrap();
    fs::rename(&toys, &moved).unwrap();
    assert!(matches!(verified(outputs[0].to_str().unwrap(), &[]), Err(VerifyError::InputMissing { .. })));
    agrees(&[moved.clone().into()]);
    assert!(!Path::new(&count).exists(), "nothing is published by a verification");

    fs::write(&moved, "Who?|Ada did.|Ada\nWhat?|An engine.|An engine\n").unwrap();
    let verdict = verified(outputs[0].to_str().unwrap(), &[moved.into()]).unwrap();
    let said: Vec<String> = verdict.disagreements.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|line| line.contains("toys.txt` has changed")), "{said:#?}");
    assert!(said.iter().any(|line| line.starts_with("case `1`, token_f1: `value` is 0.0")), "{said:#?}");
}

#[test]
fn a_benchmark_that_is_not_known_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let toys = path(folder.path(), "toys.txt");
    fs::write(&toys, "Who?|Ada did.|Ada\n").unwrap();
    let results = folder.path().join("r.json");
    let job = TOY.open(json!({"files": [toys], "out": path(folder.path(), "c")}), Console::default()).unwrap();
    run(job, registries(), RunOptions { output: vec![results.clone()], ..RunOptions::default() }.into()).unwrap();
    let verdict = verify(&VerifyRequest::new(&results, Registries::without_benchmarks())).unwrap();
    assert_eq!(verdict.different, 1);
    assert!(verdict.disagreements[0].reason.contains("the benchmark `toy` is unknown"), "{verdict:?}");
}

/// Results of 3,000 cases, of which those in `wrong` have a wrong answer; one row is no case where `is_torn`.
fn results_of(folder: &Path, name: &str, wrong: &[usize], is_torn: bool) -> ResultsSource {
    let row = |number: usize| match number {
        5 if is_torn => "{torn\n".to_owned(),
        _ => {
            let answer = if wrong.contains(&number) { format!("{name} {number}") } else { "yes".to_owned() };
            format!("{{\"id\":\"{number}\",\"query\":\"q{number}\",\"response\":\"{answer}\",\"reference\":\"yes\"}}\n")
        }
    };
    let cases = path(folder, &format!("{name}-cases.jsonl"));
    fs::write(&cases, (0..3000).map(row).collect::<String>()).unwrap();
    let results = folder.join(format!("{name}.jsonl"));
    let source = CaseReader::open(&cases, &ReadOptions::default()).unwrap();
    let job = Job::new(cases, Box::new(source), vec![MetricRequest::plain("exact_match")]);
    run(job, registries(), RunOptions { output: vec![results.clone()], ..RunOptions::default() }.into()).unwrap();
    ResultsSource::from_file(&results, registries())
}

#[test]
fn the_texts_of_changed_cases_are_found_wherever_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let first = results_of(folder.path(), "a", &[1, 2000, 2999], false);
    for is_torn in [false, true] {
        let second = results_of(folder.path(), "b", &[2, 1000, 2999], is_torn);
        let found = compare(&[first.clone(), second], &ComparisonRequest::default(), 10).unwrap();
        let other = &found.comparison.others[0];
        assert_eq!(
            (other.pairing.matched, other.pairing.only_baseline),
            (if is_torn { 2999 } else { 3000 }, u64::from(is_torn))
        );
        assert_eq!((other.metrics[0].improved, other.metrics[0].worsened), (2, 2));
        let texts: Vec<(&str, Vec<&str>)> = found
            .evidences
            .iter()
            .map(|(identity, runs)| {
                let texts = runs.iter().flatten().filter_map(|run| run.case.as_ref()?.response.as_ref());
                (identity.id.as_str(), texts.map(|output| output.text.as_str()).collect())
            })
            .collect();
        let expected =
            [("1", ["a 1", "yes"]), ("1000", ["yes", "b 1000"]), ("2", ["yes", "b 2"]), ("2000", ["a 2000", "yes"])];
        assert_eq!(texts, expected.map(|(id, texts)| (id, texts.to_vec())));
    }
}

#[test]
fn texts_of_inputs_that_are_other_ones_now_are_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let sources = [results_of(folder.path(), "a", &[2000], false), results_of(folder.path(), "b", &[], false)];
    let cases = folder.path().join("a-cases.jsonl");
    let text = fs::read_to_string(&cases).unwrap();
    fs::write(&cases, text.replace("\"id\":\"2000\"", "\"id\":\"2OOO\"")).unwrap();
    let found = compare(&sources, &ComparisonRequest::default(), 10).unwrap();
    assert!(found.comparison.notes.iter().any(|note| note.contains("not those that it was made from")));
    let [runs] = found.evidences.values().collect::<Vec<_>>()[..] else { panic!("one case changed") };
    let has_case: Vec<bool> = runs.iter().map(|run| run.as_ref().is_some_and(|run| run.case.is_some())).collect();
    assert_eq!(has_case, [false, true]);
}
