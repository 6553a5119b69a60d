//! [`ProgramCache`]: what became of programs, in the same file as replies and by the same rule: by the content of the program,
//! and the first outcome stays. So a finished run can be scored again where no program is run, with the times that were
//! measured then.
//!
//! The digest of folders that a program is given is part of what it is known by: a repaired file is another program. Where a
//! folder is not there, on another machine, what was recorded with it is found by the rest.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use probare_core::{Program, ProgramFolder, ProgramResult};
use rusqlite::{Connection, params};

use super::cassette::read_lines;
use super::ownership::for_each_entry;
use super::program_entry::{ProgramEntry, insert};
use super::schema::{database_error, open, open_reading};
use super::{CacheError, CacheFile, CacheKey, EntryKind, Ownership};

/// The record of programs, open.
pub struct ProgramCache {
    path: PathBuf,
    connection: Mutex<Connection>,
    is_written: bool,
    ownership: Ownership,
    /// Outcomes from files of recorded replies; the file of the record comes first.
    given: HashMap<CacheKey, ProgramResult>,
    /// Outcomes by programs without the content of their folders, made when a folder is not there.
    loose: OnceLock<HashMap<CacheKey, ProgramResult>>,
}

impl ProgramCache {
    /// Opens the record; `is_made` says whether it may be written, and made where there is none.
    pub fn open(cache: &CacheFile, is_made: bool) -> Result<Self, CacheError> {
        let path = &cache.path;
        let connection = if is_made { open(path) } else { open_reading(path) };
        Ok(Self {
            ownership: Ownership::open(cache, is_made)?,
            path: path.to_owned(),
            connection: Mutex::new(connection?),
            is_written: is_made,
            given: HashMap::new(),
            loose: OnceLock::new(),
        })
    }

    /// Adds the outcomes of a file of recorded replies, for reading.
    pub fn add_cassette(&mut self, input: &mut dyn BufRead) -> Result<(), CacheError> {
        for line in read_lines(input)? {
            if let (key, None, Some(entry)) = line {
                self.given.insert(key, entry.ran);
            }
        }
        Ok(())
    }

    /// What became of a program, where that is recorded.
    pub fn recall(&self, program: &Program) -> Result<Option<ProgramResult>, CacheError> {
        let key = CacheKey::from_program(program);
        let found =
            self.ownership.find(&self.connection(), EntryKind::Program, key).map_err(database_error(&self.path))?;
        if let Some(text) = found {
            let entry: ProgramEntry = serde_json::from_str(&text)
                .map_err(|error| CacheError::Database { path: self.path.clone(), reason: error.to_string() })?;
            return Ok(Some(entry.ran));
        }
        if let Some(ran) = self.given.get(&key) {
            return Ok(Some(ran.clone()));
        }
        let is_there = |folder: &ProgramFolder| folder.from.is_none() || folder.sha256.is_some() || folder.optional;
        if program.folders.iter().all(is_there) {
            return Ok(None);
        }
        Ok(self.loose()?.get(&CacheKey::from_program(&without_content(program))).cloned())
    }

    /// Everything that is recorded, by programs without the content of their folders; of several the last counts.
    fn loose(&self) -> Result<&HashMap<CacheKey, ProgramResult>, CacheError> {
        if let Some(made) = self.loose.get() {
            return Ok(made);
        }
        let mut found = HashMap::new();
        let connection = self.connection();
        let wrong = database_error(&self.path);
        for_each_entry(&connection, EntryKind::Program, |key, text, tag| {
            if self.ownership.accepts(EntryKind::Program, key, text, tag)
                && let Ok(entry) = serde_json::from_str::<ProgramEntry>(text)
            {
                found.insert(CacheKey::from_program(&without_content(&entry.program)), entry.ran);
            }
        })
        .map_err(&wrong)?;
        Ok(self.loose.get_or_init(|| found))
    }

    /// How many outcomes were looked up and ignored, since they carry no owner tag of this user.
    pub fn ignored(&self) -> u64 {
        self.ownership.ignored()
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what became of a program. `is_new` lets it take the place of what was recorded before.
    pub fn store(&self, program: &Program, ran: &ProgramResult, is_new: bool) -> Result<(), CacheError> {
        if !self.is_written {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let key = CacheKey::from_program(program);
        let entry = ProgramEntry { program: program.clone(), ran: ran.clone(), made: now };
        let connection = self.connection();
        if is_new {
            connection
                .execute("DELETE FROM programs WHERE key = ?1", params![key.0])
                .map_err(database_error(&self.path))?;
        }
        insert(&connection, &self.ownership, &entry).map(|_| ()).map_err(database_error(&self.path))
    }
}

fn without_content(program: &Program) -> Program {
    let mut program = program.clone();
    program.folders.iter_mut().for_each(|folder| folder.sha256 = None);
    program
}

#[cfg(test)]
mod tests {
    use probare_core::{ProgramStep, StepResult};

    use super::super::{export_cache, import_cassette};
    use super::*;

    fn program(code: &str) -> Program {
        Program {
            files: vec![("main.py".into(), code.into())],
            steps: vec![ProgramStep::new(&["python3", "main.py"], 5)],
            mebibytes: 64,
            ..Program::default()
        }
    }

    fn ran(output: &str, seconds: f64) -> ProgramResult {
        let step = StepResult { code: Some(0), output: output.into(), seconds, ..StepResult::default() };
        ProgramResult { steps: vec![step], ..ProgramResult::default() }
    }

    #[test]
    fn the_first_outcome_stays_until_a_new_one_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.db");
        let record = ProgramCache::open(&CacheFile::named(&path), true).unwrap();
        assert_eq!(record.recall(&program("a")).unwrap(), None);
        record.store(&program("a"), &ran("1", 0.5), false).unwrap();
        record.store(&program("a"), &ran("2", 0.7), false).unwrap();
        assert_eq!(record.recall(&program("a")).unwrap(), Some(ran("1", 0.5)));
        assert_eq!(record.recall(&program("b")).unwrap(), None);
        record.store(&program("a"), &ran("3", 0.9), true).unwrap();
        assert_eq!(record.recall(&program("a")).unwrap(), Some(ran("3", 0.9)));
    }

    #[test]
    fn a_cassette_carries_programs_too_and_can_stand_beside_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.db");
        let record = ProgramCache::open(&CacheFile::named(&path), true).unwrap();
        record.store(&program("a"), &ran("1", 0.25), false).unwrap();
        let mut text = Vec::new();
        assert_eq!(export_cache(&CacheFile::named(&path), &mut text).unwrap().written, 1);
        let other = folder.path().join("other.db");
        assert_eq!(import_cassette(&other, &mut text.as_slice()).unwrap().added, 1);
        assert_eq!(
            ProgramCache::open(&CacheFile::named(&other), false).unwrap().recall(&program("a")).unwrap(),
            Some(ran("1", 0.25))
        );
        let mut beside = ProgramCache::open(&CacheFile::named(folder.path().join("none.db")), false).unwrap();
        beside.add_cassette(&mut text.as_slice()).unwrap();
        assert_eq!(beside.recall(&program("a")).unwrap(), Some(ran("1", 0.25)));
        assert!(!folder.path().join("none.db").exists());
    }

    #[test]
    fn a_repaired_fixture_is_another_program_and_an_absent_one_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let given = |sha256: Option<&str>| ProgramFolder {
            path: "data".into(),
            from: Some("fixtures/1".into()),
            sha256: sha256.map(str::to_owned),
            ..ProgramFolder::default()
        };
        let program = |sha256| Program { folders: vec![given(sha256)], ..program("a") };
        let record = ProgramCache::open(&CacheFile::named(folder.path().join("replies.db")), true).unwrap();
        record.store(&program(Some("1")), &ran("old", 0.5), false).unwrap();
        assert_eq!(record.recall(&program(Some("1"))).unwrap(), Some(ran("old", 0.5)));
        assert_eq!(record.recall(&program(Some("2"))).unwrap(), None, "the file was repaired");
        assert_eq!(record.recall(&program(None)).unwrap(), Some(ran("old", 0.5)), "as on another machine");
    }

    #[test]
    fn programs_that_were_recorded_before_folders_had_digests_are_found() {
        let hex = probare_core::hex(&CacheKey::from_program(&program("a")).0);
        assert_eq!(hex, "5cd6d3f9455c5c6462c84a79a4337c022c14100e99f2aef12d67cf1dc32ffbef");
    }

    #[test]
    fn the_key_of_a_program_is_of_all_of_it() {
        let first = program("a");
        let mut others = vec![Program { mebibytes: 65, ..first.clone() }, program("b")];
        others.push(Program { environment: "conda:x".into(), ..first.clone() });
        let mut longer = first.clone();
        longer.steps[0].milliseconds += 1;
        others.push(longer);
        let mut keys: Vec<CacheKey> = others.iter().map(CacheKey::from_program).collect();
        keys.push(CacheKey::from_program(&first));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), others.len() + 1);
    }
}
