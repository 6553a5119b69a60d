//! Runs that are killed at random moments, and disks that are too small: whatever happens, a file under its final name is
//! the old one or the whole new one, and no input changes. `cargo x torture` does the same many more times.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::program::PROGRAM;

/// A verb that writes: its arguments, in a folder beside the inputs in `../in`.
struct Verb(&'static [&'static str]);

const VERBS: &[Verb] = &[
    Verb(&["score", "../in/rows.jsonl", "-m", "token_f1", "-o", "r.jsonl", "-o", "r.csv.gz"]),
    Verb(&["score", "../in/rows.jsonl", "-m", "token_f1", "-o", "r.json.zst", "-o", "r.parquet"]),
    Verb(&["score", "../in/rows.jsonl", "-m", "token_f1", "-o", "r.html", "-o", "r.md", "-o", "r.xml"]),
    Verb(&["rag", "eval", "--cases", "../in/rag.jsonl", "--out", "rag.jsonl"]),
    Verb(&["synthesis", "--cases", "../in/care.jsonl", "--out", "care.json", "--format", "html", "-o", "care.csv"]),
    Verb(&[
        "synthlink",
        "--catalog",
        "../in/synthlink",
        "--predictions",
        "../in/synthlink/system_a.json",
        "../in/synthlink/system_b.json",
        "--output-dir",
        "deep",
    ]),
    Verb(&[
        "socioscope",
        "../in/socioscope/questions.json",
        "../in/socioscope/corpus.json",
        "--out",
        "interviews",
        "--timestamp",
        "20240131_120000",
    ]),
    Verb(&["init", "project", "--force"]),
    Verb(&["man", "manual"]),
];

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Small numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides.max(1)
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Every file below a folder with its bytes. What we write under temporary names and what was kept of an interrupted run
/// stands under no final name.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                collect(root, &path, found);
            } else if !name.starts_with(".probare-") && !name.ends_with(".partial") {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

struct Ground {
    folder: tempfile::TempDir,
    inputs: BTreeMap<PathBuf, Vec<u8>>,
    /// What each verb writes when it is left alone, and how long that takes.
    whole: Vec<(BTreeMap<PathBuf, Vec<u8>>, Duration)>,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in");
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        for name in ["socioscope", "synthlink"] {
            copy_folder(&examples.join(name), &input.join(name));
        }
        let mut rows = String::new();
        let mut rag = String::new();
        let mut care = String::new();
        for number in 0..1500 {
            let words = format!("word{} and {} more", number % 7, number % 11);
            rows.push_str(&format!(
                "{{\"id\":\"{number}\",\"query\":\"q\",\"response\":\"{words}\",\"reference\":\"word{} more\"}}\n",
                number % 5
            ));
            rag.push_str(&format!(
                "{{\"id\":\"{number}\",\"query\":\"How many?\",\"response\":\"There are {number} boats.\",\"context\":[\"The club has {} boats.\"]}}\n",
                number % 3
            ));
            care.push_str(&format!(
                "{{\"id\":\"A-{number}\",\"user\":\"I am scared of {number}.\",\"assistant\":\"You should rest. It will be fine.\",\"checks\":[\"agency_language\",\"topic_pivot\"]}}\n"
            ));
        }
        fs::write(input.join("rows.jsonl"), rows).unwrap();
        fs::write(input.join("rag.jsonl"), rag).unwrap();
        fs::write(input.join("care.jsonl"), care).unwrap();
        let inputs = files(&input);
        let mut ground = Self { folder, inputs, whole: Vec::new() };
        for (number, verb) in VERBS.iter().enumerate() {
            let place = ground.place(&format!("whole{number}"));
            let start = Instant::now();
            let status = command(verb, &place).status().unwrap();
            let written = files(&place);
            assert!(status.code().is_some() && !written.is_empty(), "{:?} wrote nothing", verb.0);
            ground.whole.push((written, start.elapsed()));
        }
        ground
    }

    fn place(&self, name: &str) -> PathBuf {
        let place = self.folder.path().join(name);
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).unwrap();
        place
    }

    /// Puts an older file under every final name.
    fn lay_old(&self, number: usize, place: &Path) {
        for name in self.whole[number].0.keys() {
            let path = place.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "old").unwrap();
        }
    }

    /// How many files are whole and new; anything else than old or whole is a failure.
    fn check(&self, number: usize, place: &Path) -> usize {
        let mut new = 0;
        for (name, bytes) in files(place) {
            if bytes == b"old" {
                continue;
            }
            let expected = self.whole[number].0.get(&name);
            // Where an old file stands, a results file of the same second gets a number behind its name.
            let is_whole = expected.is_some_and(|expected| *expected == bytes)
                || self.whole[number].0.values().any(|expected| *expected == bytes);
            assert!(
                is_whole,
                "{:?} left {} bytes under the final name {}",
                VERBS[number].0,
                bytes.len(),
                name.display()
            );
            new += 1;
        }
        assert!(files(&self.folder.path().join("in")) == self.inputs, "{:?} changed an input", VERBS[number].0);
        new
    }
}

fn command(verb: &Verb, place: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(verb.0).current_dir(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn torture_by_kills_leaves_no_half_file_and_changes_no_input() {
    let ground = Ground::new();
    let mut dice = Dice(20_261_116);
    let kills = setting("PROBARE_TORTURE_KILLS", 30);
    let (mut hit, mut whole) = (0_u64, 0_usize);
    for round in 0..kills {
        let number = usize::try_from(round).unwrap() % VERBS.len();
        let place = ground.place("place");
        if dice.roll(2) == 0 {
            ground.lay_old(number, &place);
        }
        let mut child = command(&VERBS[number], &place).spawn().unwrap();
        let longest = u64::try_from(ground.whole[number].1.as_micros()).unwrap();
        thread::sleep(Duration::from_micros(dice.roll(longest + longest / 10)));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        hit += u64::from(status.code().is_none());
        whole += ground.check(number, &place);
        // The next run finds nothing in its way.
        if round % 10 == 0 {
            let status = command(&VERBS[number], &place).status().unwrap();
            assert!(status.code().is_some());
            assert!(ground.check(number, &place) > 0, "{:?} did not recover", VERBS[number].0);
        }
    }
    println!("{kills} runs, {hit} of them killed before their end, {whole} whole files, no half one, no input changed");
    assert!(hit > 0, "no run was killed before its end");
}

#[cfg(target_os = "linux")]
#[test]
fn torture_by_full_disks_leaves_no_half_file_and_changes_no_input() {
    let probe = Command::new("unshare").args(["-Urm", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        probare_testing::report_skipped("`unshare -Urm` does not work here, so no small disk can be had");
        return;
    }
    let ground = Ground::new();
    let mut dice = Dice(7);
    let disks = setting("PROBARE_TORTURE_DISKS", 10);
    let (mut failed, mut tried) = (0, 0);
    for round in 0..disks {
        let number = usize::try_from(round).unwrap() % VERBS.len();
        let (place, kept) = (ground.place("place"), ground.place("kept"));
        let need: usize = ground.whole[number].0.values().map(Vec::len).sum();
        let kibibytes = 8 + dice.roll(need as u64 / 1024 + 8);
        let mut old = String::new();
        for name in ground.whole[number].0.keys() {
            old.push_str(&format!("mkdir -p \"$(dirname '{0}')\" && printf old > '{0}' || exit 77; ", name.display()));
        }
        let old = if dice.roll(2) == 0 { old } else { String::new() };
        let words: Vec<String> = VERBS[number].0.iter().map(|word| format!("'{word}'")).collect();
        // The disk covers the folder, so the inputs beside it stay where they are.
        let script = format!(
            "mount -t tmpfs -o size={kibibytes}k none '{place}' && cd '{place}' && {old} '{PROGRAM}' {words}; code=$?; cp -r '{place}/.' '{kept}'; exit $code",
            place = place.display(),
            kept = kept.display(),
            words = words.join(" ")
        );
        let status = Command::new("unshare")
            .args(["-Urm", "sh", "-c", &script])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        if status.code() == Some(77) {
            // Too small even for the old files: the run never started.
            continue;
        }
        failed += u64::from(!status.success());
        tried += 1;
        ground.check(number, &kept);
    }
    println!("{tried} runs on small disks, {failed} of them did not end well, no half file, no input changed");
    assert!(failed > 0, "no disk was too small");
}
