//! The labels of `answer_match` on natural answers with people's verdicts, and on written minimal pairs beside them.
//!
//! Neither set is part of the repository. `PROBARE_NATURAL_DIR` names a folder with `short_answers.jsonl.gz`: `query`, `reference`,
//! `response`, `right`; `PROBARE_LABELLED_DIR` one with `answers.jsonl` and `more/answers.jsonl`. A question belongs to the half
//! that thresholds were chosen on if the SHA-256 of its text in lower case begins with an even number of 32 bits.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use probare_core::{Case, Output, Profile, Sample};
use probare_metrics::registry;
use probare_stats::{ConfidenceLevel, clopper_pearson};
use probare_testing::external_data;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// An answer with the value and the label of the metric, and whether people accept it.
struct Judged {
    value: f64,
    label: String,
    is_right: bool,
}

/// Both halves of a set: the one for development, and the one that is kept apart.
type Halves = [Vec<Judged>; 2];

fn is_held_out(question: &str) -> bool {
    !Sha256::digest(question.to_lowercase())[3].is_multiple_of(2)
}

/// Judges each row; the names are those of its columns.
fn judged(
    rows: impl Iterator<Item = String>,
    [question, references, answer]: [&str; 3],
    is_right: fn(&Value) -> bool,
) -> Halves {
    let metric = registry().get("answer_match").unwrap().build(Value::Null, Profile::Published).unwrap();
    let mut halves = Halves::default();
    for line in rows.filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(&line).unwrap();
        let query = row[question].as_str().unwrap();
        let case = Case {
            query: Some(query.to_owned()),
            response: Some(Output::new(row[answer].as_str().unwrap())),
            reference: Some(serde_json::from_value(row[references].clone()).unwrap()),
            ..Case::default()
        };
        let outcome = metric.score(Sample::from_case(&case)).unwrap();
        let score = outcome.score().unwrap();
        let label = score.label.clone().unwrap().into_owned();
        halves[usize::from(is_held_out(query))].push(Judged {
            value: score.value.get(),
            label,
            is_right: is_right(&row),
        });
    }
    halves
}

/// Of the cases with a label, how many have it rightly.
#[derive(Debug, Clone, Copy)]
struct Share {
    right: usize,
    all: usize,
}

impl Share {
    fn of(self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }

    fn words(self) -> String {
        let interval =
            clopper_pearson(self.right, self.all, ConfidenceLevel::NINETY_FIVE).expect("something is decided");
        format!(
            "{} of {}: {:.1} % [{:.1}, {:.1}]",
            self.right,
            self.all,
            100.0 * self.of(),
            100.0 * interval.low,
            100.0 * interval.high
        )
    }
}

/// What one half of a set says.
struct Figures {
    decided: Share,
    right: Share,
    wrong: Share,
}

impl Figures {
    fn new(name: &str, cases: &[Judged]) -> Self {
        let labelled = |label: &str, truth: bool| {
            let with_label = || cases.iter().filter(|case| case.label == label);
            Share { right: with_label().filter(|case| case.is_right == truth).count(), all: with_label().count() }
        };
        let (right, wrong) = (labelled("right", true), labelled("wrong", false));
        let figures = Self { decided: Share { right: right.all + wrong.all, all: cases.len() }, right, wrong };
        let errors = Share { right: figures.errors(), all: right.all + wrong.all };
        println!("{name}: decided {}", figures.decided.words());
        println!("{name}: error among the decided {}", errors.words());
        println!("{name}: `right` is right in {}; `wrong` in {}", right.words(), wrong.words());
        println!(
            "{name}: ROC AUC {:.3}, wrong among all {:.1} %",
            auc(cases),
            100.0 * figures.errors() as f64 / cases.len() as f64
        );
        figures
    }

    fn errors(&self) -> usize {
        self.right.all - self.right.right + self.wrong.all - self.wrong.right
    }
}

/// The share of pairs of a right and a wrong answer in which the right one has the higher value.
fn auc(cases: &[Judged]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0_usize);
    for right in cases.iter().filter(|case| case.is_right) {
        for wrong in cases.iter().filter(|case| !case.is_right) {
            pairs += 1;
            sum += match right.value.total_cmp(&wrong.value) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    sum / pairs.max(1) as f64
}

/// How the values lie, in steps of a twentieth: people accept, people do not.
fn print_values(name: &str, cases: &[Judged]) {
    for step in 0..=20 {
        let inside = || cases.iter().filter(|case| (case.value * 20.0).floor() == f64::from(step));
        let right = inside().filter(|case| case.is_right).count();
        println!("{name}: from {:.2}: {right} right, {} wrong", f64::from(step) / 20.0, inside().count() - right);
    }
}

fn lines(path: &Path) -> Vec<String> {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    content.lines().map(str::to_owned).collect()
}

#[test]
fn labelled_natural_answers_are_decided() {
    let Some(folder) = external_data("PROBARE_NATURAL_DIR", "natural", "`answer_match` on natural answers") else {
        return;
    };
    let file = File::open(folder.join("short_answers.jsonl.gz")).unwrap();
    let rows = BufReader::new(GzDecoder::new(file)).lines().map(Result::unwrap);
    let [development, held_out] =
        judged(rows, ["query", "reference", "response"], |row| row["right"].as_bool().unwrap());
    print_values("development", &development);
    Figures::new("development", &development);
    let figures = Figures::new("held out", &held_out);
    // The aims of the thresholds.
    assert!(figures.decided.of() >= 0.7 && figures.right.of() >= 0.95 && figures.wrong.of() >= 0.85);
}

#[test]
fn labelled_minimal_pairs_are_seldom_decided_wrongly() {
    let Some(folder) = external_data("PROBARE_LABELLED_DIR", "labelled", "`answer_match` on written minimal pairs")
    else {
        return;
    };
    let rows = [lines(&folder.join("answers.jsonl")), lines(&folder.join("more/answers.jsonl"))].concat();
    let [development, held_out] =
        judged(rows.into_iter(), ["question", "references", "answer"], |row| row["label"] == "right");
    print_values("pairs, development", &development);
    Figures::new("pairs, development", &development);
    let figures = Figures::new("pairs, held out", &held_out);
    assert!(figures.errors() as f64 <= 0.05 * held_out.len() as f64, "of all pairs at most 5 % are wrong");
}
