//! Where the runs of the viewer come from: stores, files of results, files of other tools, folders with any of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use probare_core::{Case, CaseResult, ErrorKind, Manifest, ModelRecord, NamedPromptRecord, SampleKey, ScoreError};
use probare_engine::{EXPECTATIONS, RunOptions, expectations};
use probare_formats::results::ResultsFile;
use probare_report::{GateVerdict, Gates, escape, manifest};
use probare_store::{PlannedDataset, RunNames, RunPlan, RunState, STORE, Store, StoreWriter, StoredRun};
use serde_json::Value as Json;

use super::{OpenRun, RunViewer, ViewerError};
use crate::compare::{self, EarlyStop, ResultsSource, RowSelection};
use crate::verify::{CaseScan, reopen_results};
use crate::{ImportRequest, import_file};

/// Something that was given.
pub(super) enum ViewerSource {
    /// A store: one run of it, or all that it has by now.
    Store { path: PathBuf, only: Option<i64>, prefix: String },
    /// A file, which is brought into a store when somebody looks at it, and again when it has changed.
    File { path: PathBuf, kept: Mutex<CachedFile> },
}

/// What became of a file when somebody looked at it.
#[derive(Default)]
pub(super) struct CachedFile {
    written: FileStamp,
    /// How often it was read.
    readings: u64,
    loaded: Option<Result<LoadedFile, String>>,
}

/// When a file and its manifest were written, and how long they are.
type FileStamp = [Option<(SystemTime, u64)>; 2];

fn file_stamp(path: &Path) -> FileStamp {
    let of = |path: &Path| {
        let found = std::fs::metadata(path).ok()?;
        Some((found.modified().ok()?, found.len()))
    };
    [of(path), of(&manifest::manifest_path(path))]
}

/// A file that was brought into a store.
#[derive(Clone)]
pub(super) struct LoadedFile {
    store: PathBuf,
    gates: Gates,
    notes: Vec<String>,
    /// The results, where the file is of another tool.
    results: PathBuf,
    /// Whether there are texts of its cases.
    has_texts: bool,
}

/// Extensions of files of results that hold every result, without what compresses them.
const RESULTS: [&str; 5] = ["jsonl", "json", "csv", "parquet", "html"];

/// Most files of a folder that are looked at.
const MOST_FILES: usize = 2000;

pub(super) fn find_sources(store: &Path, given: &[String]) -> Result<Vec<ViewerSource>, ViewerError> {
    let mut found = Vec::new();
    if given.is_empty() {
        let folder = Path::new(".");
        if store.exists() {
            found.push(ViewerSource::Store { path: store.to_owned(), only: None, prefix: "r".to_owned() });
        }
        files_of(folder, &mut found)?;
        if found.is_empty() {
            return Err(ViewerError::Nothing { stores: vec![store.to_owned()], folders: vec![folder.to_owned()] });
        }
        return Ok(found);
    }
    for name in given {
        let path = Path::new(name);
        let number = name.parse::<i64>().ok().filter(|run| *run > 0 && !path.exists());
        if let Some(run) = number {
            Store::open_existing(store)?.run(run)?;
            found.push(ViewerSource::Store { path: store.to_owned(), only: Some(run), prefix: "r".to_owned() });
        } else if path.is_dir() {
            let own = path.join(STORE);
            if own.exists() {
                let prefix = format!("s{}r", found.len());
                found.push(ViewerSource::Store { path: own, only: None, prefix });
            }
            files_of(path, &mut found)?;
        } else if is_store(path) {
            let prefix = format!("s{}r", found.len());
            found.push(ViewerSource::Store { path: path.to_owned(), only: None, prefix });
        } else if path.is_file() {
            found.push(ViewerSource::File { path: path.to_owned(), kept: Mutex::default() });
        } else {
            return Err(ViewerError::Unknown { name: name.clone() });
        }
    }
    if found.is_empty() {
        // What is named and is there is a folder.
        let folders: Vec<PathBuf> = given.iter().map(PathBuf::from).collect();
        let stores = folders.iter().map(|folder| folder.join(STORE)).collect();
        return Err(ViewerError::Nothing { stores, folders });
    }
    Ok(found)
}

/// Whether a file is a database.
fn is_store(path: &Path) -> bool {
    let mut start = [0; 15];
    probare_files::open_plain(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *b"SQLite format 3"
}

/// The files of results of a folder, and logs of Inspect and lm-eval, which are known by their names.
fn files_of(folder: &Path, found: &mut Vec<ViewerSource>) -> Result<(), ViewerError> {
    let wrong = |error: std::io::Error| ViewerError::in_file(folder, &error.to_string());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)?.take(MOST_FILES) {
        paths.push(entry.map_err(wrong)?.path());
    }
    paths.sort();
    let is_wanted = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let extension = plain.rsplit_once('.').map_or("", |(_, extension)| extension);
        if !path.is_file() || plain.ends_with(".run.json") {
            return false;
        }
        let is_other = extension == "eval" || (plain.starts_with("samples_") && extension == "jsonl");
        let is_ours = || ResultsFile::new(path).and_then(|recorded| recorded.manifest_text()).is_ok();
        is_other || (RESULTS.contains(&extension) && is_ours())
    };
    let path_as_named = |path: PathBuf| path.strip_prefix("./").map(Path::to_owned).unwrap_or(path);
    let given = |path| ViewerSource::File { path: path_as_named(path), kept: Mutex::default() };
    // A run that was written in several forms is shown once, by its page where it has one, since that has all texts.
    let mut seen: Vec<(PathBuf, Json)> = Vec::new();
    paths.sort_by_key(|path| path.extension().is_none_or(|extension| extension != "html"));
    let mut shown: Vec<PathBuf> = (paths.into_iter().filter(is_wanted))
        .filter(|path| {
            let Some(run) = described_run(path) else { return true };
            let stem = path.with_extension("");
            let is_new = !seen.iter().any(|(known, other)| *known == stem && *other == run);
            seen.push((stem, run));
            is_new
        })
        .collect();
    shown.sort();
    found.extend(shown.into_iter().map(given));
    Ok(())
}

/// What a whole file says about its run, without what it says about itself.
fn described_run(path: &Path) -> Option<Json> {
    let text = ResultsFile::new(path).ok()?.manifest_text().ok()?.manifest;
    let mut manifest: Json = serde_json::from_str(&text).ok()?;
    let own = manifest.as_object_mut()?;
    let results = own.remove("results");
    own.remove("seal");
    let bytes = results.as_ref().and_then(|results| results["bytes"].as_u64());
    let is_whole = bytes.is_none_or(|bytes| std::fs::metadata(path).is_ok_and(|found| found.len() == bytes));
    is_whole.then_some(manifest)
}

impl RunViewer {
    /// Keys and names of everything that there is, in order; those of files that nobody has looked at are there too.
    pub(super) fn keys(&self) -> Result<Vec<(String, String)>, ViewerError> {
        let mut keys = Vec::new();
        for (number, given) in self.given.iter().enumerate() {
            match given {
                ViewerSource::Store { path, only, prefix } => {
                    let runs = self.with(path, Store::runs)?;
                    let meant = runs.iter().filter(|run| only.is_none_or(|only| only == run.run));
                    keys.extend(meant.map(|run| (format!("{prefix}{}", run.run), format!("run {}", run.run))));
                }
                ViewerSource::File { path, .. } => keys.push((format!("f{number}"), path.display().to_string())),
            }
        }
        Ok(keys)
    }

    pub(super) fn find_run(&self, key: &str) -> Result<OpenRun, ViewerError> {
        let unknown = || ViewerError::NoRun { key: key.chars().take(40).collect() };
        for (number, given) in self.given.iter().enumerate() {
            match given {
                ViewerSource::Store { path, only, prefix } => {
                    let run = key.strip_prefix(prefix.as_str()).and_then(|run| run.parse::<i64>().ok());
                    let Some(run) = run.filter(|run| only.is_none_or(|only| only == *run)) else { continue };
                    let stored = self.with(path, |store| store.run(run))?;
                    let early_stop = self.early_stop(path, &stored)?;
                    let (gates, notes) = gates_of(&stored.plan);
                    let named = if *path == self.store && path.as_path() == Path::new(STORE) {
                        String::new()
                    } else {
                        format!(" --store {}", shell_quote(&path.display().to_string()))
                    };
                    let file = format!("run-{run}.jsonl");
                    let command = format!("probare runs export {run}{named} -o {file} && probare show {file} --id ");
                    let name = format!("run {run}");
                    return Ok(OpenRun {
                        key: key.to_owned(),
                        name,
                        store: path.clone(),
                        stored,
                        gates,
                        notes,
                        command,
                        results: None,
                        readings: 0,
                        has_texts: true,
                        early_stop,
                    });
                }
                ViewerSource::File { path, kept } if key == format!("f{number}") => {
                    let (LoadedFile { store, gates, notes, results, has_texts }, readings) =
                        self.cached_file(number, path, kept)?;
                    let stored = self.with(&store, |store| store.run(1))?;
                    let early_stop = self.early_stop(&store, &stored)?;
                    let name = path.display().to_string();
                    let command = if results == *path {
                        format!("probare show {} --id ", shell_quote(&name))
                    } else {
                        format!(
                            "probare import {} -o cases.jsonl --results theirs.jsonl && probare show theirs.jsonl --id ",
                            shell_quote(&name)
                        )
                    };
                    let results = Some(results);
                    let key = key.to_owned();
                    return Ok(OpenRun {
                        key,
                        name,
                        store,
                        stored,
                        gates,
                        notes,
                        command,
                        results,
                        readings,
                        has_texts,
                        early_stop,
                    });
                }
                ViewerSource::File { .. } => {}
            }
        }
        Err(unknown())
    }

    /// How a run of a store ended, where it ended before its last case, once its gates were decided.
    fn early_stop(&self, store: &Path, stored: &StoredRun) -> Result<Option<EarlyStop>, ViewerError> {
        // What it published says where it ended, and is read of no other run.
        if EarlyStop::from_plan(&stored.plan, &[]).is_none() {
            return Ok(None);
        }
        let panels = self.with(store, |store| store.panels(stored.run))?;
        Ok(EarlyStop::from_plan(&stored.plan, &panels).filter(EarlyStop::is_stopped))
    }

    /// A file in its store, and how often it was read: one that has changed since somebody looked at it is read again.
    fn cached_file(
        &self,
        number: usize,
        path: &Path,
        kept: &Mutex<CachedFile>,
    ) -> Result<(LoadedFile, u64), ViewerError> {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = file_stamp(path);
        if now[0].is_none() {
            return Err(ViewerError::in_file(path, "it is not there any more"));
        }
        if kept.loaded.is_none() || kept.written != now {
            kept.readings += 1;
            kept.written = now;
            kept.loaded =
                Some(self.load(&format!("{number}-{}", kept.readings), path).map_err(|error| error_chain(&error)));
        }
        match &kept.loaded {
            Some(Ok(loaded)) => Ok((loaded.clone(), kept.readings)),
            Some(Err(reason)) => Err(ViewerError::File(reason.clone())),
            None => Err(ViewerError::NoRun { key: format!("f{number}") }),
        }
    }

    /// Brings a file into a store of its own.
    fn load(&self, number: &str, path: &Path) -> Result<LoadedFile, ViewerError> {
        let is_ours = ResultsFile::new(path).and_then(|recorded| recorded.manifest_text()).is_ok();
        let mut notes = Vec::new();
        let results = if is_ours {
            path.to_owned()
        } else {
            let cases = self.folder.path().join(format!("cases-{number}.jsonl"));
            let results = self.folder.path().join(format!("results-{number}.jsonl"));
            let file = path.display().to_string();
            let asked = ImportRequest {
                file: &file,
                cases: Some(&cases),
                results: vec![results.clone()],
                ..ImportRequest::default()
            };
            let made = import_file(&asked)?;
            notes.push(format!("read as a file of {}", made.format));
            notes.extend(made.notes);
            results
        };
        let whole = ResultsSource::from_file(&results, self.registries);
        let (_, manifest, _) = reopen_results(&results, &[], self.registries, CaseScan::Cases)?;
        // Rows that are whole say nothing about those that were behind them.
        if let (Some(then), Ok(now)) = (&manifest.results, std::fs::metadata(&results))
            && then.bytes != now.len()
        {
            let (then, now) = (then.bytes, now.len());
            notes.push(format!(
                "the file has {now} bytes and had {then} when it was written: it was cut or changed since"
            ));
        }
        let store = self.folder.path().join(format!("file-{number}.db"));
        let opened = Store::open(&store)?;
        let has_texts = fill(&opened, &manifest, &whole, path, &mut notes)?;
        let verdicts: Vec<GateVerdict> = serde_json::from_value(manifest.gates.clone()).unwrap_or_default();
        let is_whole = |verdict: &GateVerdict| verdict.group.is_none() && !verdict.confident;
        let early = manifest.early_stop.as_ref();
        // What was decided case by case is not what the mean of the cases so far says; a panel has it.
        let whole = verdicts.into_iter().filter(|verdict| early.is_none() && is_whole(verdict));
        let gates = Gates::new(whole.map(|verdict| verdict.gate).collect());
        Ok(LoadedFile { store, gates, notes, results, has_texts })
    }
}

/// An error with what lies behind it.
pub(super) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

/// The results of a file as the first run of a store; whether there are texts of its cases. Those of a run with models are neither in
/// its file of results nor in its inputs, but on its page.
fn fill(
    store: &Store,
    manifest: &Manifest,
    whole: &ResultsSource,
    path: &Path,
    notes: &mut Vec<String>,
) -> Result<bool, ViewerError> {
    let (models, prompts) = compare::models_and_prompts(whole)?;
    let mut page_texts = ResultsFile::new(&whole.path)
        .and_then(|results| results.page_texts())
        .map_err(|error| ViewerError::in_file(&whole.path, &error_chain(&error)))?;
    let (mut has_texts, mut told) = (false, Vec::new());
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let datasets = vec![PlannedDataset {
        name: name.clone(),
        input: manifest.inputs.first().cloned().unwrap_or_default(),
        ..PlannedDataset::default()
    }];
    let used = |name: &String| ModelRecord { name: name.clone(), ..ModelRecord::default() };
    let plan = RunPlan {
        probare: manifest.probare.clone(),
        config: path.display().to_string(),
        benchmark: manifest.benchmark.as_ref().map(|benchmark| benchmark.id.clone()),
        datasets,
        models: models.iter().map(used).collect(),
        repeats: 1,
        generation_prompts: (prompts.iter())
            .map(|name| NamedPromptRecord { name: name.clone(), ..NamedPromptRecord::default() })
            .collect(),
        metrics: manifest.metrics.clone(),
        ..RunPlan::default()
    };
    let run = store.begin(&plan)?;
    let keeper = StoreWriter::open(
        store,
        run,
        RunNames { datasets: vec![name], models: models.clone(), prompts: prompts.clone() },
    )?;
    let seats: HashMap<&str, u32> = models.iter().map(String::as_str).zip(0..).collect();
    let prompt_seats: HashMap<&str, u32> = prompts.iter().map(String::as_str).zip(0..).collect();
    let mut seen: HashMap<(String, Option<String>, Option<String>, u32), u32> = HashMap::new();
    let mut rows: HashMap<(String, u32), u64> = HashMap::new();
    let (mut cases, mut samples, mut failed) = (0, 0, None);
    compare::read_rows(whole, RowSelection::Whole, &mut told, |manifest, row, case| {
        let from_page = page_texts.as_mut().and_then(Iterator::next);
        let occurrence = seen.entry((row.id.clone(), row.model.clone(), row.prompt.clone(), row.repeat)).or_default();
        let number = *rows.entry((row.id.clone(), *occurrence)).or_insert_with(|| {
            cases += 1;
            cases - 1
        });
        let key = SampleKey {
            dataset: 0,
            row: number,
            occurrence: *occurrence,
            model: row.model.as_deref().and_then(|model| seats.get(model).copied()),
            prompt: row.prompt.as_deref().and_then(|prompt| prompt_seats.get(prompt).copied()),
            repeat: row.repeat,
        };
        *occurrence += 1;
        samples += 1;
        let mut case = match (case, from_page) {
            (Some(case), _) => case.clone(),
            (None, Some(shown)) => Case { id: row.id.clone(), ..shown },
            (None, None) => Case { id: row.id.clone(), ..Case::default() },
        };
        case.sample = Some(key);
        has_texts |= case.query.is_some() || case.response.is_some();
        let absent = || Err(ScoreError::other(ErrorKind::Missing, "the file has no result of this metric"));
        let results = row.named.into_iter().map(|named| named.unwrap_or_else(absent)).collect();
        let result = CaseResult::new(case, results);
        if failed.is_none() {
            failed = keeper.results(&result, &manifest.metrics).err();
        }
    })?;
    if let Some(error) = failed {
        return Err(ViewerError::in_file(path, &error.to_string()));
    }
    // Where the page has the texts, it does not matter that nothing else has them.
    if page_texts.is_none() || !has_texts {
        notes.append(&mut told);
    }
    keeper.close()?;
    // How many cases there are is known only now.
    let mut plan = plan;
    plan.repeats = u32::try_from(samples / cases.max(1) / (models.len() as u64).max(1) / (prompts.len() as u64).max(1))
        .unwrap_or(1)
        .max(1);
    plan.datasets[0].cases = cases;
    plan.early_stop.clone_from(&manifest.early_stop);
    store.replan(run, &plan)?;
    store.keep_panels(run, &manifest.panels)?;
    store.keep_costs(run, manifest.costs.as_ref())?;
    store.set_state(run, RunState::Complete)?;
    Ok(has_texts)
}

/// The limits that a run began with.
fn gates_of(plan: &RunPlan) -> (Gates, Vec<String>) {
    let Some(settings) = RunOptions::from_plan(plan).ok().flatten() else { return (Gates::default(), Vec::new()) };
    if settings.per_group == Some(true) {
        let note = "limits on groups of cases are judged in the reports of the run".to_owned();
        return (Gates::default(), vec![note]);
    }
    if settings.stop_when_decided == Some(true) {
        let note = "limits are decided case by case, in the order of the run".to_owned();
        return (Gates::default(), vec![note]);
    }
    let expects = plan.metrics.iter().any(|metric| metric.id == EXPECTATIONS);
    let gates = settings.limits();
    (if expects { gates.join(expectations::gates()) } else { gates }, Vec::new())
}

/// A word as a shell reads it. What a terminal would act on when the command is pasted (control characters, such as the end of a
/// bracketed paste) is spelt out, as bash, zsh and ksh read it: `$'\033'`.
pub(super) fn shell_quote(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-._/:@+=".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    let is_seen = |sign: &str| matches!(escape::terminal(sign), Cow::Borrowed(_));
    if is_seen(word) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let mut text = "$'".to_owned();
    for sign in word.chars() {
        let mut bytes = [0; 4];
        let sign = &*sign.encode_utf8(&mut bytes);
        match sign {
            "'" | "\\" => text.extend(["\\", sign]),
            _ if is_seen(sign) => text.push_str(sign),
            // Three digits, so that a digit behind it is no part of it.
            _ => text.extend(sign.bytes().map(|byte| format!("\\{byte:03o}"))),
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_quote("a-1.jsonl"), "a-1.jsonl");
        assert_eq!(shell_quote("it's"), "'it'\\''s'");
        assert_eq!(shell_quote("$(x)"), "'$(x)'");
        assert_eq!(shell_quote("-x"), "'-x'");
    }

    #[test]
    fn a_pasted_command_holds_nothing_that_a_terminal_acts_on() {
        let id = "a\u{1b}[201~\nrm -rf '\\' \u{202e}\u{9b}7\r";
        let word = shell_quote(id);
        assert_eq!(word, "$'a\\033[201~\\012rm -rf \\'\\\\\\' \\342\\200\\256\\302\\2337\\015'");
        assert!(!word.chars().any(char::is_control));
        let Ok(output) = std::process::Command::new("bash").args(["-c", &format!("printf %s {word}")]).output() else {
            eprintln!("left out: there is no bash");
            return;
        };
        assert_eq!(String::from_utf8(output.stdout).unwrap(), id, "bash reads it as it was");
    }
}
