//! [`ProgramOptions`]: how programs of metrics are run. [`ProgramBackend`]: the same, opened: it answers what metrics want to be run,
//! from the record where that knows the outcome, else in the sandbox.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use probare_core::{
    Backend, BackendAnswer, BuildError, ErrorKind, JudgeAction, Program, ProgramResult, SandboxRecord, Submission,
    Trust,
};
use probare_models::{CacheError, CacheFile, ProgramCache};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits, folder_digest};

/// How programs are run.
#[derive(Debug, Clone, Default)]
pub struct ProgramOptions {
    /// By what they are shut in.
    pub choice: SandboxChoice,
    /// The file in which their outcomes are recorded; nothing for none.
    pub record: Option<CacheFile>,
    /// Whether they are run although their outcome is recorded.
    pub again: bool,
    /// Whether a sandbox is looked for only when a program is not recorded.
    pub offline: bool,
    /// Whether nothing is run at all: outcomes come from the record or are missing.
    pub recorded_only: bool,
}

/// Programs cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The sandbox cannot be used.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The record cannot be used.
    #[error(transparent)]
    Record(#[from] CacheError),
    /// A file of recorded replies cannot be read.
    #[error("`{path}` cannot be read")]
    Cassette {
        path: String,
        #[source]
        source: std::io::Error,
    },
}

/// What became of the programs of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramCounts {
    /// Programs that were run.
    pub run: u64,
    /// Programs whose outcome was recorded.
    pub recorded: u64,
    /// Programs that could not be run.
    pub failed: u64,
    /// Recorded outcomes that were ignored, since they carry no owner tag of this user.
    pub ignored: u64,
}

/// Runs programs.
pub struct ProgramBackend<'a> {
    settings: ProgramOptions,
    record: Option<ProgramCache>,
    sandbox: OnceLock<Result<Sandbox, String>>,
    interrupted: Arc<AtomicBool>,
    rest: &'a dyn Backend,
    run: AtomicU64,
    recorded: AtomicU64,
    failed: AtomicU64,
    unrecorded: Mutex<BTreeSet<String>>,
    /// What folders hold that programs are given, looked at once a run.
    digests: Mutex<BTreeMap<String, Option<String>>>,
}

impl<'a> ProgramBackend<'a> {
    /// Opens the record and, unless it may not be needed, the sandbox. `cassettes` are files of recorded replies, which may
    /// hold programs too.
    pub fn open(
        settings: &ProgramOptions,
        cassettes: &[PathBuf],
        environments: &[String],
        interrupted: Arc<AtomicBool>,
        rest: &'a dyn Backend,
    ) -> Result<Self, ProgramError> {
        let mut record = match &settings.record {
            Some(cache) => Some(ProgramCache::open(cache, !settings.recorded_only && !settings.offline)?),
            None => None,
        };
        for path in cassettes {
            let wrong = |source| ProgramError::Cassette { path: path.display().to_string(), source };
            let file = probare_files::open_plain(path).map_err(wrong)?;
            if let Some(record) = &mut record {
                record.add_cassette(&mut BufReader::new(file))?;
            } else {
                let mut none = ProgramCache::open(&CacheFile::default(), false)?;
                none.add_cassette(&mut BufReader::new(file))?;
                record = Some(none);
            }
        }
        let running = Self {
            settings: settings.clone(),
            record,
            sandbox: OnceLock::new(),
            interrupted,
            rest,
            run: AtomicU64::new(0),
            recorded: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            unrecorded: Mutex::default(),
            digests: Mutex::default(),
        };
        if !settings.recorded_only && !settings.offline {
            let sandbox = Sandbox::open(settings.choice, SandboxLimits::default(), Arc::clone(&running.interrupted))?;
            for environment in environments {
                sandbox.interpreter(environment)?;
            }
            let _ = running.sandbox.set(Ok(sandbox));
        }
        Ok(running)
    }

    /// The sandbox, opened when it is first needed.
    fn sandbox(&self) -> Result<&Sandbox, String> {
        let open = || {
            Sandbox::open(self.settings.choice, SandboxLimits::default(), Arc::clone(&self.interrupted))
                .map_err(|error| error.to_string())
        };
        self.sandbox.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    fn one(&self, metric: &str, program: &Program) -> BackendAnswer {
        match self.outcome(metric, program) {
            Ok(ran) => BackendAnswer::ProgramResult(ran),
            Err((kind, reason)) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                BackendAnswer::Failed { kind, reason }
            }
        }
    }

    /// A program with what its folders hold, which is part of what is recorded: a repaired fixture is another program.
    fn with_folder_digests<'p>(&self, program: &'p Program) -> Result<Cow<'p, Program>, (ErrorKind, String)> {
        let mut program = Cow::Borrowed(program);
        let given: Vec<(usize, String)> = program
            .folders
            .iter()
            .enumerate()
            .filter_map(|(at, folder)| folder.from.clone().map(|from| (at, from)))
            .collect();
        for (at, from) in given {
            let mut known = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
            if !known.contains_key(&from) {
                let is_there = Path::new(&from).is_dir();
                let digest = is_there.then(|| folder_digest(Path::new(&from))).transpose();
                let wrong = |error| (ErrorKind::Failed, format!("the folder `{from}` cannot be read: {error}"));
                known.insert(from.clone(), digest.map_err(wrong)?);
            }
            let digest = known.get(&from).cloned().flatten();
            drop(known);
            if digest.is_some() {
                program.to_mut().folders[at].sha256 = digest;
            } else if !program.folders[at].optional && !self.settings.recorded_only && !self.settings.offline {
                // What was recorded with it counts only where nothing is run: on another machine, or offline.
                let reason = format!("the folder `{from}`, which the program needs, is not there");
                return Err((ErrorKind::Missing, reason));
            }
        }
        Ok(program)
    }

    fn outcome(&self, metric: &str, program: &Program) -> Result<ProgramResult, (ErrorKind, String)> {
        let program = &*self.with_folder_digests(program)?;
        let unreadable = |error: CacheError| (ErrorKind::Failed, error.to_string());
        if let Some(record) = self.record.as_ref().filter(|_| !self.settings.again)
            && let Some(ran) = record.recall(program).map_err(unreadable)?
        {
            self.recorded.fetch_add(1, Ordering::Relaxed);
            return Ok(ran);
        }
        if self.settings.recorded_only {
            self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner).insert(metric.to_owned());
            return Err((ErrorKind::Missing, "what became of the program is not recorded".to_owned()));
        }
        let sandbox = self.sandbox().map_err(|reason| {
            (ErrorKind::Missing, format!("what became of the program is not recorded, and it cannot be run: {reason}"))
        })?;
        let ran = sandbox.run(program).map_err(|error| match error {
            SandboxError::Cancelled => (ErrorKind::Cancelled, error.to_string()),
            _ => (ErrorKind::Failed, error_with_cause(&error)),
        })?;
        if let Some(record) = &self.record {
            record.store(program, &ran, self.settings.again).map_err(unreadable)?;
        }
        self.run.fetch_add(1, Ordering::Relaxed);
        Ok(ran)
    }

    /// What a manifest says about the sandbox, where one was used.
    pub fn used(&self) -> Option<SandboxRecord> {
        self.sandbox.get().and_then(|sandbox| sandbox.as_ref().ok()).map(Sandbox::record)
    }

    /// How the programs ended.
    pub fn counts(&self) -> ProgramCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let ignored = self.record.as_ref().map_or(0, ProgramCache::ignored);
        ProgramCounts { run: read(&self.run), recorded: read(&self.recorded), failed: read(&self.failed), ignored }
    }

    /// Metrics that miss an outcome in the record.
    pub fn unrecorded(&self) -> BTreeSet<String> {
        self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn error_with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

impl Backend for ProgramBackend<'_> {
    fn answer(&self, metric: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Run(programs) = turn else { return self.rest.answer(metric, turn) };
        let mut answers = Vec::with_capacity(programs.len());
        let mut left = programs.as_slice();
        while let Some(first) = left.first() {
            // Those that may run beside each other, and the one after them.
            let beside = left.iter().take_while(|program| program.beside).count().min(left.len() - 1);
            if beside == 0 {
                answers.push(self.one(metric, first));
                left = &left[1..];
                continue;
            }
            let (group, rest) = left.split_at(beside + 1);
            left = rest;
            thread::scope(|scope| {
                let threads: Vec<_> =
                    group.iter().map(|program| scope.spawn(move || self.one(metric, program))).collect();
                for thread in threads {
                    let stopped =
                        |_| BackendAnswer::Failed { kind: ErrorKind::Failed, reason: "a thread stopped".to_owned() };
                    answers.push(thread.join().unwrap_or_else(stopped));
                }
            });
        }
        answers
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        match turn {
            // A program runs on the thread that wants it: there are no more of them at once than computing threads.
            JudgeAction::Run(_) => Submission::Answered(self.answer(metric, &turn)),
            other => self.rest.submit(metric, other),
        }
    }

    fn can_embed(&self, model: &str) -> Result<(), BuildError> {
        self.rest.can_embed(model)
    }

    fn model_digest(&self, model: &str) -> Option<String> {
        self.rest.model_digest(model)
    }

    fn can_run(&self, _environment: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn max_concurrent_cases(&self) -> usize {
        self.rest.max_concurrent_cases()
    }

    fn threads(&self) -> usize {
        self.rest.threads()
    }

    fn trust(&self) -> Trust {
        self.rest.trust()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use std::fs;

    use probare_core::{NoBackend, ProgramFolder, ProgramStep};

    use super::*;

    #[test]
    fn a_repaired_fixture_is_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = folder.path().join("fixtures");
        fs::create_dir(&fixtures).unwrap();
        let program = Program {
            folders: vec![ProgramFolder {
                path: "data".to_owned(),
                from: Some(fixtures.display().to_string()),
                optional: true,
                ..ProgramFolder::default()
            }],
            steps: vec![ProgramStep::new(&["/bin/sh", "-c", "cat data/x; date +%N"], 20)],
            mebibytes: 64,
            ..Program::default()
        };
        let settings = ProgramOptions {
            choice: SandboxChoice::None,
            record: Some(CacheFile::named(folder.path().join("replies.db"))),
            ..ProgramOptions::default()
        };
        // Each run of ours looks at the folder once.
        let printed = || {
            let running = ProgramBackend::open(&settings, &[], &[], Arc::default(), &NoBackend).unwrap();
            match running.one("m", &program) {
                BackendAnswer::ProgramResult(ran) => ran.steps[0].output.clone(),
                other => panic!("{other:?}"),
            }
        };
        fs::write(fixtures.join("x"), "broken ").unwrap();
        let first = printed();
        assert!(first.starts_with("broken "), "{first}");
        assert_eq!(printed(), first, "the record is used");
        fs::write(fixtures.join("x"), "repaired ").unwrap();
        let second = printed();
        assert!(second.starts_with("repaired "), "{second}");
        fs::write(fixtures.join("x"), "broken ").unwrap();
        assert_eq!(printed(), first, "what was recorded of it is found again");
    }

    #[test]
    fn a_fixture_that_was_removed_fails_where_programs_run_and_is_recalled_where_none_does() {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = folder.path().join("fixtures");
        fs::create_dir(&fixtures).unwrap();
        fs::write(fixtures.join("x"), "whole").unwrap();
        let given = ProgramFolder {
            path: "data".to_owned(),
            from: Some(fixtures.display().to_string()),
            ..ProgramFolder::default()
        };
        let program = Program {
            folders: vec![given],
            steps: vec![ProgramStep::new(&["/bin/sh", "-c", "cat data/x"], 20)],
            mebibytes: 64,
            ..Program::default()
        };
        let settings = ProgramOptions {
            choice: SandboxChoice::None,
            record: Some(CacheFile::named(folder.path().join("replies.db"))),
            ..ProgramOptions::default()
        };
        let run = |settings: &ProgramOptions| {
            ProgramBackend::open(settings, &[], &[], Arc::default(), &NoBackend).unwrap().one("m", &program)
        };
        let printed = |answer: BackendAnswer| match answer {
            BackendAnswer::ProgramResult(ran) => ran.steps[0].output.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(printed(run(&settings)), "whole");
        fs::remove_dir_all(&fixtures).unwrap();
        match run(&settings) {
            BackendAnswer::Failed { kind: ErrorKind::Missing, reason } => {
                assert!(reason.contains("fixtures"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
        for elsewhere in [
            ProgramOptions { recorded_only: true, ..settings.clone() },
            ProgramOptions { offline: true, ..settings.clone() },
        ] {
            assert_eq!(printed(run(&elsewhere)), "whole", "as on another machine");
        }
    }

    /// Whoever is behind, with an answer of its own to everything.
    struct Behind;

    impl Backend for Behind {
        fn answer(&self, _: &str, _: &JudgeAction) -> Vec<BackendAnswer> {
            vec![BackendAnswer::Vector(vec![1.0])]
        }

        fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
            Submission::Answered(self.answer(metric, &turn))
        }

        fn can_embed(&self, model: &str) -> Result<(), BuildError> {
            Err(BuildError::Options(model.to_owned()))
        }

        fn model_digest(&self, model: &str) -> Option<String> {
            Some(format!("digest of {model}"))
        }

        fn can_run(&self, environment: &str) -> Result<(), BuildError> {
            Err(BuildError::Options(environment.to_owned()))
        }

        fn max_concurrent_cases(&self) -> usize {
            7
        }

        fn threads(&self) -> usize {
            1
        }

        fn trust(&self) -> Trust {
            Trust::RecordedOnly
        }
    }

    #[test]
    fn all_but_programs_is_handed_on() {
        let settings = ProgramOptions { recorded_only: true, ..ProgramOptions::default() };
        let running = ProgramBackend::open(&settings, &[], &[], Arc::default(), &Behind).unwrap();
        let embed = JudgeAction::Embed { model: "m".to_owned(), texts: vec!["a".to_owned()] };
        assert_eq!(running.answer("x", &embed), [BackendAnswer::Vector(vec![1.0])]);
        assert_eq!(running.model_digest("m").as_deref(), Some("digest of m"));
        assert_eq!(running.can_embed("m"), Err(BuildError::Options("m".to_owned())));
        assert_eq!((running.max_concurrent_cases(), running.trust()), (7, Trust::RecordedOnly));
        assert!(running.can_run("").is_ok(), "programs are its own");
        let run = running.answer("x", &JudgeAction::Run(vec![Program::default()]));
        assert!(matches!(run[..], [BackendAnswer::Failed { kind: ErrorKind::Missing, .. }]), "nothing is run: {run:?}");
    }
}
