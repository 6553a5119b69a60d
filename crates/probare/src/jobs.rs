//! Jobs: cases through metrics, from a file or from memory, run to their end; and finished runs computed again.

use std::path::{Path, PathBuf};

use probare_analysis::{Verdict, VerifyRequest};
use probare_benchmarks::registries;
use probare_core::{Case, InputFile, Job, MemorySource, MetricRequest, Sink};
use probare_engine::{Conclusion, ConfiguredGates, RunOptions, RunRequest, SettingOrigin};
use probare_formats::{CaseReader, ReadOptions};
use probare_report::Gate;

use crate::Error;

/// The cases of a file through these metrics. The extension says how it is read: `.jsonl`, `.json`, `.csv`, `.tsv`,
/// `.parquet`, also compressed.
pub fn job(path: impl AsRef<Path>, metrics: &[&str]) -> Result<Job, Error> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let rows = CaseReader::open(&name, &ReadOptions::default())?;
    let mut job = Job::new(name, Box::new(rows), requests(metrics)?);
    job.reads = vec![path.to_owned()];
    Ok(job)
}

/// These cases through these metrics. Reports call them `name`; nobody but the caller can verify them, since there is no file
/// to read again.
pub fn job_of(name: &str, cases: Vec<Case>, metrics: &[&str]) -> Result<Job, Error> {
    // What a manifest says of standard input, too: there is nothing to open.
    let input = InputFile { path: "-".to_owned(), rows: Some(cases.len() as u64), ..InputFile::default() };
    Ok(Job::new(name, Box::new(MemorySource::new(cases, vec![input])), requests(metrics)?))
}

/// Runs a job to its end: reports are written, gates are held against the summary. [`Conclusion::exit`] is the code with which
/// the command line would end; a case that failed is in the summary and no error of this function.
pub fn run(job: Job, settings: RunOptions) -> Result<Conclusion, Error> {
    Ok(probare_engine::run(job, registries(), RunRequest::from(settings))?)
}

/// The same, with somebody who hears of every case as it is finished, in input order.
pub fn run_with(job: Job, settings: RunOptions, watcher: &mut dyn Sink) -> Result<Conclusion, Error> {
    let wanted = RunRequest { watcher: Some(Box::new(watcher)), ..RunRequest::from(settings) };
    Ok(probare_engine::run(job, registries(), wanted)?)
}

/// Options with these gates beside those that they have.
#[must_use]
pub fn with_gates(mut settings: RunOptions, gates: impl IntoIterator<Item = Gate>) -> RunOptions {
    settings.gates.0.extend(ConfiguredGates::new(gates, &SettingOrigin::Caller).0);
    settings
}

/// Computes a finished run again from its manifest and compares everything that its file says. `inputs` stand for the files
/// that the manifest names; with none they are looked for beside the results, then here. What was judged is computed from the
/// record of replies; [`Verdict::unchecked`] names what could not be.
pub fn verify(results: impl AsRef<Path>, inputs: &[PathBuf]) -> Result<Verdict, Error> {
    Ok(probare_analysis::verify(&VerifyRequest { inputs, ..VerifyRequest::new(results.as_ref(), registries()) })?)
}

pub fn requests(metrics: &[&str]) -> Result<Vec<MetricRequest>, Error> {
    Ok(metrics.iter().map(|metric| metric.parse()).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use probare_core::{Event, Output};
    use probare_engine::Exit;
    use probare_report::Relation;

    use super::*;

    const ROWS: &str = concat!(
        r#"{"id": "a", "response": "Canberra", "reference": ["Canberra"]}"#,
        "\n",
        r#"{"id": "b", "response": "It is Sydney", "reference": ["Canberra"]}"#,
        "\n"
    );

    #[derive(Default)]
    struct Ids(Vec<String>);

    impl Sink for Ids {
        fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
            if let Event::Scored(result) = event {
                self.0.push(result.case.id.clone());
            }
            Ok(())
        }
    }

    #[test]
    fn a_job_writes_what_verify_agrees_with_and_a_changed_file_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (cases, results) = (folder.path().join("cases.jsonl"), folder.path().join("results.jsonl"));
        fs::write(&cases, ROWS).unwrap();
        let settings = RunOptions { output: vec![results.clone()], ..RunOptions::default() };
        let gate = Gate::Mean { metric: "token_f1".into(), relation: Relation::Under, limit: 0.9 };
        let mut ids = Ids::default();
        let conclusion = run_with(job(&cases, &["token_f1"]).unwrap(), with_gates(settings, [gate]), &mut ids).unwrap();
        assert_eq!((conclusion.exit, ids.0), (Exit::Gate, vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(conclusion.written, std::slice::from_ref(&results));
        let verdict = verify(&results, &[]).unwrap();
        assert!(verdict.agrees(), "{:?}", verdict.disagreements);
        assert_eq!((verdict.cases, verdict.scores), (2, 2));

        let text = fs::read_to_string(&results).unwrap().replacen("\"value\":0.0", "\"value\":0.5", 1);
        fs::write(&results, text).unwrap();
        assert!(!verify(&results, &[]).unwrap().agrees());
    }

    #[test]
    fn cases_in_memory_are_a_job_too() {
        let case = |id: &str, response: Option<&str>| Case {
            id: id.to_owned(),
            response: response.map(Output::new),
            reference: Some(vec!["Canberra".into()]),
            ..Case::default()
        };
        let cases = vec![case("a", Some("Canberra")), case("b", None)];
        let conclusion = run(job_of("mine", cases, &["exact_match"]).unwrap(), RunOptions::default()).unwrap();
        assert_eq!(conclusion.driven.cases, 2);
        assert_eq!(conclusion.summary.failed(), 1, "a missing response is no zero");
        assert_eq!(conclusion.exit, Exit::Error);
    }
}
