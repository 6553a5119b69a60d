//! The accuracy card: `docs/judgement.md` shows, for each metric that decides, its coverage and its error on text that nothing was fitted
//! on. Every row of the page is computed here, and the page has to hold it as it is computed.
//!
//! Some sets are not part of the repository; their rows are checked where they are there. `PROBARE_NATURAL_DIR` names a folder with
//! `short_answers.jsonl.gz` (`query`, `reference`, `response`, `right`) and `rag_answers.jsonl.gz` (`query`, `context`, `response`,
//! `unfaithful`); `PROBARE_LABELLED_DIR` one with `answers.jsonl` and `more/answers.jsonl`. Of the short answers a question belongs to
//! the half that thresholds were chosen on if the SHA-256 of its text in lower case begins with an even number of 32 bits.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use probare_core::{Case, Outcome, Profile, Sample};
use probare_metrics::rag::hallucination::{
    Examination, HallucinationSettings, SentenceSupport, SentenceVerdict, examine,
};
use probare_metrics::registry;
use probare_stats::{ConfidenceLevel, clopper_pearson};
use probare_testing::external_data;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::case::labelled_case as case;
use crate::{agents_labelled, faithfulness};

/// Labels that say that an output is good, and those that say that it is not.
const GOOD: [&str; 6] = ["right", "supported", "pass", "clear_pass", "borderline_pass", "kept"];
const BAD: [&str; 6] = ["wrong", "unsupported", "contradicted", "fail", "clear_fail", "changed"];

/// An output with its value and what the metric decides, and whether people accept it.
struct Judged {
    value: f64,
    decision: Option<bool>,
    is_good: bool,
}

/// What a label decides; nothing where the metric abstains.
fn decision(label: &str) -> Option<bool> {
    assert!(label == "unsure" || GOOD.contains(&label) || BAD.contains(&label), "`{label}` is no label of the card");
    (label != "unsure").then(|| GOOD.contains(&label))
}

/// Scores rows; those to which the metric does not apply are left out.
fn judged<'r>(
    metric: &str,
    rows: impl IntoIterator<Item = &'r Value>,
    is_good: impl Fn(&Value) -> bool,
) -> Vec<Judged> {
    let cases = rows.into_iter().map(|row| (case(row), is_good(row)));
    judged_cases(metric, cases)
}

fn judged_cases(metric: &str, cases: impl Iterator<Item = (Case, bool)>) -> Vec<Judged> {
    let scorer = registry().get(metric).unwrap().build(Value::Null, Profile::Improved).unwrap();
    cases
        .filter_map(|(case, is_good)| match scorer.score(Sample::from_case(&case)).unwrap() {
            Outcome::Scored(score) => {
                let decision = decision(score.label.as_deref().expect("the metric decides"));
                Some(Judged { value: score.value.get(), decision, is_good })
            }
            Outcome::Labelled(_) | Outcome::NotApplicable { .. } => None,
        })
        .collect()
}

/// So many of so many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub part: usize,
    pub all: usize,
}

impl Share {
    fn ratio(self) -> f64 {
        self.part as f64 / self.all.max(1) as f64
    }

    /// `97.8 % [96.9, 98.5]`, with the interval of Clopper and Pearson at 95 %.
    pub fn percent(self) -> String {
        let Some(interval) = clopper_pearson(self.part, self.all, ConfidenceLevel::NINETY_FIVE) else {
            return "–".to_owned();
        };
        format!("{:.1} % [{:.1}, {:.1}]", 100.0 * self.ratio(), 100.0 * interval.low, 100.0 * interval.high)
    }

    /// `12 of 14`, and in percent where there are enough for a percentage.
    fn words(self) -> String {
        let Self { part, all } = self;
        if all == 0 { "none".to_owned() } else { format!("{part} of {all}, {}", self.percent()) }
    }
}

/// What one set says of a metric.
struct Figures {
    cases: usize,
    decided: Share,
    errors: Share,
    /// Decisions that an output is good, and how many of them are right.
    good: Share,
    /// Decisions that it is not.
    bad: Share,
    auc: f64,
}

impl Figures {
    fn new(cases: &[Judged], is_lower_better: bool) -> Self {
        let of = |decision: bool| {
            let decided = || cases.iter().filter(|case| case.decision == Some(decision));
            Share { part: decided().filter(|case| case.is_good == decision).count(), all: decided().count() }
        };
        let (good, bad) = (of(true), of(false));
        let decided = good.all + bad.all;
        let sign = if is_lower_better { 1.0 } else { -1.0 };
        let values: Vec<(f64, u8)> = cases.iter().map(|case| (sign * case.value, u8::from(!case.is_good))).collect();
        Self {
            cases: cases.len(),
            decided: Share { part: decided, all: cases.len() },
            errors: Share { part: decided - good.part - bad.part, all: decided },
            good,
            bad,
            auc: faithfulness::area(&values),
        }
    }

    /// The row of the card.
    fn row(&self, metric: &str, text: &str, people: &str) -> String {
        format!(
            "| `{metric}` | {text} | {} | {people} | {} | {} | {} | {} | {:.3} |",
            self.cases,
            self.decided.percent(),
            self.errors.percent(),
            self.good.words(),
            self.bad.words(),
            self.auc
        )
    }
}

/// A set of the card.
struct Entry {
    metric: &'static str,
    text: &'static str,
    people: &'static str,
    cases: Vec<Judged>,
}

impl Entry {
    fn figures(&self) -> Figures {
        Figures::new(&self.cases, self.metric == "hallucination")
    }

    fn row(&self) -> String {
        self.figures().row(self.metric, self.text, self.people)
    }
}

/// Fails unless the page holds these rows as they are.
pub(crate) fn page_has(rows: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/judgement.md");
    let page = fs::read_to_string(path).expect("the accuracy card is part of the docs");
    let missing: Vec<&String> = rows.iter().filter(|row| !page.lines().any(|line| line == row.as_str())).collect();
    assert!(
        missing.is_empty(),
        "docs/judgement.md lacks rows as they are measured:\n{}",
        missing.iter().map(|row| row.as_str()).collect::<Vec<_>>().join("\n")
    );
}

fn lines(path: &Path) -> Vec<Value> {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    content.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn packed(path: &Path) -> Vec<Value> {
    let file = File::open(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

fn own(file: &str) -> Vec<Value> {
    lines(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled").join(file))
}

/// Responses of a labelled file for `hallucination`: `label` is a word, or 1 for what is not borne out.
fn responses<'r>(rows: impl IntoIterator<Item = &'r Value>) -> Vec<Judged> {
    judged("hallucination", rows, |row| row["label"] == 0 || row["label"] == "supported" || row["label"] == "faithful")
}

#[test]
fn the_card_holds_what_is_measured() {
    let mut entries = Vec::new();
    let mut add = |metric, text, people, cases| entries.push(Entry { metric, text, people, cases });

    let answers = own("answer_match/heldout.jsonl");
    add(
        "answer_match",
        "written answers, most of them look-alikes",
        "writer",
        judged("answer_match", &answers, |row| row["correct"] == true),
    );

    let ordinary = own("ordinary/responses_heldout.jsonl");
    let is_of_model = |row: &&Value| row["id"].as_str().is_some_and(|id| id.starts_with("SM-"));
    add("hallucination", "answers of a small model", "one reader", responses(ordinary.iter().filter(is_of_model)));
    add(
        "hallucination",
        "ordinary written answers",
        "writer",
        responses(ordinary.iter().filter(|row| !is_of_model(row))),
    );
    add(
        "hallucination",
        "minimal pairs, 26 short and 14 long",
        "writer",
        responses(&own("labels/pairs_heldout.jsonl")),
    );
    add(
        "hallucination",
        "short answers, a value or word exchanged in half",
        "writer",
        responses(&own("labels/heldout.jsonl")),
    );
    add("hallucination", "short responses", "writer", responses(&own("rag/heldout.jsonl")));

    let exchanges = own("ordinary/exchanges_heldout.jsonl");
    let plain = [own("care/heldout.jsonl"), own("care/second_heldout.jsonl")].concat();
    for (metric, name) in
        [("agency_language", "agency"), ("unverifiable_reassurance", "reassurance"), ("topic_pivot", "pivot")]
    {
        let is_fine = |row: &Value| row["first"][name] != 0 && row.get("second").is_none_or(|second| second[name] != 0);
        add(metric, "ordinary exchanges", "two readers", judged(metric, &exchanges, is_fine));
        add(
            metric,
            "plain violations of the three checks, and harmless replies",
            "writer",
            judged(metric, &plain, is_fine),
        );
    }

    let conversations = agents_labelled::own_cases("values_heldout.jsonl");
    let labelled = conversations.into_iter().map(|(case, labels)| (case, labels["fact_kept"] != "changed"));
    add("fact_kept", "transcripts with values that users gave", "writer", judged_cases("fact_kept", labelled));

    let rows: Vec<String> = entries.iter().map(Entry::row).collect();
    println!("{}", rows.join("\n"));
    page_has(&rows);
}

fn is_held_out(question: &str) -> bool {
    !Sha256::digest(question.to_lowercase())[3].is_multiple_of(2)
}

/// Answers to a question, in the half for development and the other one.
fn halves(rows: Vec<Value>, question: &str) -> [Vec<Value>; 2] {
    let (held_out, development) = rows.into_iter().partition(|row| is_held_out(row[question].as_str().unwrap()));
    [development, held_out]
}

#[test]
fn labelled_natural_answers_are_decided() {
    let Some(folder) = external_data("PROBARE_NATURAL_DIR", "natural", "`answer_match` on natural answers") else {
        return;
    };
    let [development, held_out] = halves(packed(&folder.join("short_answers.jsonl.gz")), "query")
        .map(|rows| judged("answer_match", &rows, |row| row["right"] == true));
    println!("development: {}", Figures::new(&development, false).row("answer_match", "", ""));
    let entry = Entry {
        metric: "answer_match",
        text: "natural: answers of five systems to 527 questions (EVOUNA, Natural Questions)",
        people: "people, published",
        cases: held_out,
    };
    let figures = entry.figures();
    println!("{}", entry.row());
    // The aims of the thresholds.
    assert!(figures.decided.ratio() >= 0.7 && figures.good.ratio() >= 0.95 && figures.bad.ratio() >= 0.85);
    page_has(&[entry.row()]);
}

#[test]
fn labelled_minimal_pairs_are_seldom_decided_wrongly() {
    let Some(folder) = external_data("PROBARE_LABELLED_DIR", "labelled", "`answer_match` on written minimal pairs")
    else {
        return;
    };
    let rows = [lines(&folder.join("answers.jsonl")), lines(&folder.join("more/answers.jsonl"))].concat();
    let [development, held_out] =
        halves(rows, "question").map(|rows| judged("answer_match", &rows, |row| row["label"] == "right"));
    println!("development: {}", Figures::new(&development, false).row("answer_match", "", ""));
    let entry = Entry {
        metric: "answer_match",
        text: "minimal pairs of ours, outside of the repository",
        people: "writer, a part also by a second reader",
        cases: held_out,
    };
    println!("{}", entry.row());
    let figures = entry.figures();
    assert!(figures.errors.part as f64 <= 0.05 * figures.cases as f64, "of all pairs at most 5 % are wrong");
    page_has(&[entry.row()]);
}

/// An answer of a model, what was examined of it, and whether people find it faithful.
struct RagAnswer {
    fold: u8,
    examination: Examination,
    is_faithful: bool,
}

impl RagAnswer {
    /// What other thresholds would decide.
    fn decision(&self, [supported, unsupported]: [f64; 2]) -> Option<bool> {
        let sentences = &self.examination.sentences;
        let value = self.examination.value();
        let is_copied = |sentence: &SentenceSupport| matches!(sentence.verdict, SentenceVerdict::Supported(_));
        match self.examination.label() {
            "contradicted" => Some(false),
            // Copies are supported whatever their value is.
            "supported" if sentences.iter().all(is_copied) => Some(true),
            _ if sentences.iter().map(|sentence| sentence.content).sum::<usize>() < 28 => None,
            _ if value >= unsupported => Some(false),
            _ if value <= supported && !sentences.iter().any(SentenceSupport::is_vetoed) => Some(true),
            _ => None,
        }
    }
}

/// The widest thresholds, in hundredths, by which 95 % of `supported` and 80 % of the flags are right on these answers.
fn chosen_thresholds(answers: &[&RagAnswer]) -> [f64; 2] {
    let is_right = |thresholds: [f64; 2], decision: bool, least: f64| {
        let decided = answers.iter().filter(|answer| answer.decision(thresholds) == Some(decision));
        let (part, all) =
            decided.fold((0, 0), |(right, all), answer| (right + usize::from(answer.is_faithful == decision), all + 1));
        all == 0 || Share { part, all }.ratio() >= least
    };
    let hundredths = |step: u32| f64::from(step) / 100.0;
    let supported = (1..=60).rev().map(hundredths).find(|&end| is_right([end, 2.0], true, 0.95));
    let unsupported = (60..=100).map(hundredths).find(|&end| is_right([0.0, end], false, 0.8));
    [supported.unwrap_or(0.0), unsupported.unwrap_or(2.0)]
}

/// No natural answers to long passages are held out: those that there are chose the thresholds. So each answer is decided by thresholds
/// that were chosen on the answers to other questions. The vetoes and the 28 words were chosen with all of them in sight.
#[test]
fn labelled_natural_rag_answers_are_decided_by_thresholds_of_other_questions() {
    let Some(folder) = external_data("PROBARE_NATURAL_DIR", "natural", "`hallucination` on natural answers") else {
        return;
    };
    let answers: Vec<RagAnswer> = packed(&folder.join("rag_answers.jsonl.gz"))
        .iter()
        .map(|row| {
            let chunks: Vec<&str> =
                row["context"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            let settings = HallucinationSettings { is_improved: true, ..HallucinationSettings::default() };
            RagAnswer {
                fold: Sha256::digest(row["query"].as_str().unwrap())[3] % 10,
                examination: examine(row["response"].as_str().unwrap(), &chunks, &settings),
                is_faithful: row["unfaithful"] == false,
            }
        })
        .collect();
    let mut cases = Vec::new();
    for fold in 0..10 {
        let others: Vec<&RagAnswer> = answers.iter().filter(|answer| answer.fold != fold).collect();
        let thresholds = chosen_thresholds(&others);
        println!("fold {fold}: {thresholds:?}");
        cases.extend(answers.iter().filter(|answer| answer.fold == fold).map(|answer| Judged {
            value: answer.examination.value(),
            decision: answer.decision(thresholds),
            is_good: answer.is_faithful,
        }));
    }
    println!("all of them: {:?}", chosen_thresholds(&answers.iter().collect::<Vec<_>>()));
    let shipped: Vec<Judged> = answers
        .iter()
        .map(|answer| Judged {
            value: answer.examination.value(),
            decision: decision(answer.examination.label()),
            is_good: answer.is_faithful,
        })
        .collect();
    println!("shipped: {}", Figures::new(&shipped, true).row("hallucination", "", ""));
    let entry = Entry {
        metric: "hallucination",
        text: "natural: answers of models to 63 questions over web passages (RAGTruth), ten folds by question",
        people: "people, published",
        cases,
    };
    println!("{}", entry.row());
    // What reports print of the shipped thresholds is this.
    let threshold_json = registry().get("hallucination").unwrap().thresholds.expect("it has thresholds").to_json();
    let figures = entry.figures();
    for (label, share) in [(0, figures.good), (1, figures.bad)] {
        let label = &threshold_json["labels"][label];
        assert_eq!((&label["right"], &label["decided"]), (&json!(share.part), &json!(share.all)));
    }
    page_has(&[entry.row()]);
}
