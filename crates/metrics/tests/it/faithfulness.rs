//! `hallucination` against people's judgements of responses: area under the ROC curve, set by set.
//!
//! The sets are not part of the repository. `PROBARE_FAITHFULNESS_DIR` names a folder of `NAME.jsonl.gz`, each line with
//! `response`, `context` (a list of texts) and `label` (1: something is not borne out).

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use probare_metrics::rag::hallucination::{HallucinationSettings, ReversalKind, examine};
use probare_testing::external_data;
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    response: String,
    context: Vec<String>,
    label: u8,
}

/// Area under the ROC curve: how often an unfaithful response has the greater value, ties half.
pub(crate) fn area(values: &[(f64, u8)]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|left, right| left.0.total_cmp(&right.0));
    let (mut below, mut sum) = (0.0, 0.0);
    for group in sorted.chunk_by(|left, right| left.0 == right.0) {
        let unfaithful = group.iter().filter(|(_, label)| *label == 1).count() as f64;
        let faithful = group.len() as f64 - unfaithful;
        sum += unfaithful * (below + faithful / 2.0);
        below += faithful;
    }
    sum / (below * (values.len() as f64 - below))
}

/// Share of the pairs of neighbouring words that the context lacks: the plainest count there is.
fn new_bigrams(response: &str, chunks: &[&str]) -> f64 {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let pairs = |text: &str| -> Vec<(String, String)> {
        words(text).windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
    };
    let had: std::collections::HashSet<_> = chunks.iter().flat_map(|chunk| pairs(chunk)).collect();
    let response_pairs = pairs(response);
    let new = response_pairs.iter().filter(|pair| !had.contains(*pair)).count();
    if response_pairs.is_empty() { 0.0 } else { new as f64 / response_pairs.len() as f64 }
}

/// Reads responses, whether packed or not.
fn read(path: &Path) -> Vec<Labelled> {
    let file = File::open(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn BufRead> =
        if is_packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(BufReader::new(file)) };
    let parse =
        |line: String| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    reader.lines().map(|line| parse(line.unwrap())).collect()
}

/// Areas for the published profile, the improved one, and the count of new pairs of words.
fn areas(rows: &[Labelled]) -> [f64; 3] {
    let mut values: [Vec<(f64, u8)>; 3] = Default::default();
    for row in rows {
        let chunks: Vec<&str> = row.context.iter().map(String::as_str).collect();
        let value = |is_improved| {
            examine(&row.response, &chunks, &HallucinationSettings { is_improved, ..HallucinationSettings::default() })
                .value()
        };
        let all = [value(false), value(true), new_bigrams(&row.response, &chunks)];
        values.iter_mut().zip(all).for_each(|(list, value)| list.push((value, row.label)));
    }
    values.map(|values| area(&values))
}

/// How many responses have a turn of each kind, and how many of these people find unfaithful.
#[derive(Debug, Default)]
struct Turns {
    rows: usize,
    unfaithful: usize,
    hits: [(usize, usize); ReversalKind::ALL.len()],
}

impl Turns {
    fn of(rows: &[Labelled]) -> Self {
        let mut turns = Self { rows: rows.len(), ..Self::default() };
        for row in rows {
            let chunks: Vec<&str> = row.context.iter().map(String::as_str).collect();
            let found = examine(
                &row.response,
                &chunks,
                &HallucinationSettings { is_improved: true, ..HallucinationSettings::default() },
            );
            let is_right = usize::from(row.label == 1);
            turns.unfaithful += is_right;
            for (kind, (hits, right)) in ReversalKind::ALL.iter().zip(&mut turns.hits) {
                if found.sentences.iter().flat_map(|sentence| &sentence.reversals).any(|turned| turned.kind == *kind) {
                    *hits += 1;
                    *right += is_right;
                }
            }
        }
        turns
    }

    /// Share of the responses that a guess would get right.
    fn chance(&self) -> f64 {
        self.unfaithful as f64 / self.rows as f64
    }

    fn print(&self) {
        print!("    unfaithful {:.2};", self.chance());
        for (kind, (hits, right)) in ReversalKind::ALL.iter().zip(self.hits) {
            print!(" {kind:?} {right}/{hits}");
        }
        println!();
    }

    /// Right hits of a kind beyond those that a guess would have.
    fn beyond_chance(&self, kind: ReversalKind) -> f64 {
        let found = ReversalKind::ALL.iter().zip(self.hits).find(|(other, _)| **other == kind);
        found.map_or(0.0, |(_, (hits, right))| right as f64 - hits as f64 * self.chance())
    }
}

/// Sets that rules were tried on, each with a floor just under what is measured there.
const KNOWN: [(&str, f64); 4] = [("bump", 0.611), ("defacto", 0.805), ("summedits", 0.644), ("wice", 0.766)];

/// The least mean on any other sets: better than what counting and an equal guess reach on sets of that kind.
const LEAST_MEAN: f64 = 0.65;

fn print_head() {
    println!("{:24} {:>5} {:>9} {:>9} {:>12}", "set", "rows", "reference", "improved", "new bigrams");
}

fn print_row(name: &str, rows: usize, [reference, improved, counted]: [f64; 3]) {
    println!("{name:24} {rows:>5} {reference:>9.3} {improved:>9.3} {counted:>12.3}");
}

#[test]
fn labelled_responses_are_ranked_better_than_by_counting() {
    let Some(folder) =
        external_data("PROBARE_FAITHFULNESS_DIR", "faithfulness", "`hallucination` against labelled responses")
    else {
        return;
    };
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(".jsonl.gz"));
    paths.sort();
    assert!(!paths.is_empty(), "the folder has no `.jsonl.gz`");
    print_head();
    let mut means = [0.0; 3];
    let mut beyond = [0.0; ReversalKind::ALL.len()];
    let mut all = 0;
    for path in &paths {
        let rows = read(path);
        let areas = areas(&rows);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        print_row(&name, rows.len(), areas);
        if let Some((set, floor)) = KNOWN.iter().find(|(set, _)| name.split('.').next() == Some(*set)) {
            assert!(areas[1] >= *floor, "{set}: {areas:?}");
        }
        let turns = Turns::of(&rows);
        turns.print();
        for (sum, kind) in beyond.iter_mut().zip(ReversalKind::ALL) {
            *sum += turns.beyond_chance(kind);
        }
        means.iter_mut().zip(areas).for_each(|(mean, area)| *mean += area / paths.len() as f64);
        all += rows.len();
    }
    print_row("mean", all, means);
    // A kind of turn is part of the value because its hits are right more often than a guess is.
    for (kind, beyond) in ReversalKind::ALL.iter().zip(beyond) {
        assert!(beyond > 0.0, "{kind:?}: {beyond:.1} right hits beyond chance");
    }
    let [reference, improved, counted] = means;
    assert!(improved > counted && improved > reference, "{means:?}");
    assert!(improved >= LEAST_MEAN, "{means:?}");
}

/// Responses as people and models write them; `tests/labelled/ordinary/README.md` says how they are labelled.
#[test]
fn labelled_ordinary_responses_are_ranked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/ordinary");
    // Just under what is measured.
    for (file, floor) in [("responses_development.jsonl", 0.67), ("responses_heldout.jsonl", 0.66)] {
        let rows = read(&folder.join(file));
        print_head();
        let areas = areas(&rows);
        print_row(file, rows.len(), areas);
        Turns::of(&rows).print();
        assert!(areas[1] >= floor && areas[1] > areas[0], "{file}: {areas:?}");
    }
}
