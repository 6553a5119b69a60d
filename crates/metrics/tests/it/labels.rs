//! The labels of the improved `hallucination`: how often each is right where it speaks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use probare_metrics::rag::hallucination::{HallucinationSettings, examine};
use probare_testing::external_data;
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    id: String,
    context: Vec<String>,
    response: String,
    label: String,
    #[serde(default)]
    cell: String,
}

fn read(path: &Path) -> Vec<Labelled> {
    let content = fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn label(response: &str, context: &[String]) -> &'static str {
    let chunks: Vec<&str> = context.iter().map(String::as_str).collect();
    examine(response, &chunks, &HallucinationSettings { is_improved: true, ..HallucinationSettings::default() }).label()
}

/// How often a reading is right, wrong and unsure.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    unsure: usize,
}

impl Tally {
    fn add(&mut self, label: &str, is_true: bool) {
        match label {
            "unsure" => self.unsure += 1,
            _ if (label == "supported") == is_true => self.right += 1,
            _ => self.wrong += 1,
        }
    }

    fn all(self) -> f64 {
        (self.right + self.wrong + self.unsure) as f64
    }

    fn wrong_share(self) -> f64 {
        self.wrong as f64 / self.all()
    }

    /// Share that is right of what was said.
    fn precision(self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }
}

/// Tallies by label, and of all, with what a case counts as true for.
fn tallied(cases: &[Labelled], show: bool) -> BTreeMap<&'static str, Tally> {
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for case in cases {
        let verdict = label(&case.response, &case.context);
        let is_true = matches!(case.label.as_str(), "supported" | "faithful");
        tallies.entry(verdict).or_default().add(verdict, is_true);
        tallies.entry("all").or_default().add(verdict, is_true);
        if show && verdict != "unsure" && (verdict == "supported") != is_true {
            println!("{}: `{}` is {}, said {verdict}", case.id, case.response, case.label);
        }
    }
    tallies
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled/labels")
}

#[test]
fn written_cases_are_right_or_unsure() {
    let files = [
        ("development.jsonl", 0.45, true),
        ("heldout.jsonl", 0.4, false),
        // Who does what to whom is not decided: the rules by a parser were deleted, since they decided nothing on natural text.
        ("roles_development.jsonl", 0.0, true),
        ("roles_heldout.jsonl", 0.0, false),
    ];
    for (file, least_right, show) in files {
        let tallies = tallied(&read(&folder().join(file)), show);
        println!("{file}: {tallies:?}");
        let all = tallies["all"];
        assert!(all.all() >= 25.0 && all.wrong_share() <= 0.05, "{file}: {all:?}");
        assert!(all.right as f64 >= least_right * all.all(), "{file}: {all:?}");
    }
}

#[test]
fn another_voice_is_left_open_and_answers_are_read() {
    for (context, response, expected) in [
        ("Queen Ada opened the bridge in 1901.", "The bridge was opened by Queen Ada in 1901.", "unsure"),
        ("The bridge was opened by Queen Ada in 1901.", "The bridge opened Queen Ada in 1901.", "unsure"),
        ("Marta hired Jonas in 2019.", "Marta was hired by Jonas in 2019.", "unsure"),
        ("Anna taught Ben and Carl taught Dora.", "Carl was taught by Anna.", "unsure"),
        ("The cat chased the dog. The dog chased the mouse.", "The mouse was chased by the cat.", "unsure"),
        ("Ida met Nora in Paris in May.", "Nora met Ida in Paris in May.", "unsure"),
        ("The farm sells apples at the gate.", "The farm apples sells at the gate.", "unsure"),
        // An answer's own no is none of the sentence.
        ("We don't sell new bikes in this shop.", "No, they dont sell new bikes in this shop.", "supported"),
        ("Double opt-in is supported for all lists.", "Yes, double opt-in is supported for all lists.", "supported"),
        (
            "The ferry carries bicycles to the islands on Sundays.",
            "No, the ferry does not carry bicycles to the islands on Sundays.",
            "contradicted",
        ),
    ] {
        assert_eq!(label(response, &[context.to_owned()]), expected, "`{response}` of `{context}`");
    }
}

#[derive(Deserialize)]
struct Moved {
    id: String,
    kind: String,
    context: Vec<String>,
    r#false: String,
    r#true: String,
}

/// "For adults the dose is 5 mg." of "5 mg for children and 10 mg for adults": fronted, coordinated, passive, dative, and where the
/// second value leaves out its unit.
#[test]
fn values_that_were_moved_to_something_else_are_not_supported() {
    let content = fs::read_to_string(folder().join("moved.jsonl")).unwrap();
    let mut tallies: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for line in content.lines() {
        let row: Moved = serde_json::from_str(line).unwrap();
        let [of_false, of_true] = [&row.r#false, &row.r#true].map(|response| label(response, &row.context));
        assert_ne!(of_false, "supported", "{}: `{}` of {:?}", row.id, row.r#false, row.context);
        assert!(matches!(of_true, "supported" | "unsure"), "{}: `{}` is {of_true}", row.id, row.r#true);
        let tally = tallies.entry(row.kind).or_default();
        tally[0] += 1;
        tally[1] += usize::from(of_true == "supported");
        tally[2] += usize::from(of_false == "contradicted");
    }
    println!("templates, true ones supported, false ones contradicted: {tallies:?}");
    assert!(tallies.values().map(|tally| tally[0]).sum::<usize>() >= 22 && tallies.len() == 5);
}

/// Text as tokenisers leave it, denials by meaning, ranges and questions: none is a contradiction.
#[test]
fn other_forms_of_the_same_are_not_contradicted() {
    for (context, response) in [
        ("The firm has n't sold its plant in Lyon .", "The firm hasn't sold its plant in Lyon."),
        ("The grant was $ 10, 000 for each school .", "The grant was $10,000 for each school."),
        ("The team won the league in 2007 -- 08 under Marsh .", "The team won the league in 2007-08 under Marsh."),
        (
            "Customers can't change the address after the order.",
            "Customers are unable to change the address after the order.",
        ),
        (
            "Heat the oven to 325-350 degrees and bake the cake for an hour.",
            "Heat the oven to 350 degrees and bake the cake for an hour.",
        ),
        ("Cover the pipes so they do not become brittle.", "Cover the pipes to avoid becoming brittle."),
        (
            "Why won't my car start in winter? The battery is cold.",
            "Your car will start in winter if the battery is warm.",
        ),
        ("The library charges no fee for cards.", "According to passage 1, the library charges no fee for cards [1]."),
    ] {
        assert_ne!(label(response, &[context.to_owned()]), "contradicted", "`{response}` of `{context}`");
    }
    let context = ["The prize was 1.000.000 pesos for the first three teams.".to_owned()];
    assert_eq!(label("The prize was 2.000.000 pesos for the first three teams.", &context), "contradicted");
    assert_eq!(label("The prize was 1.000.000 pesos for the first three teams.", &context), "supported");
}

/// "Lack of rain" is no rain, and who tried to land has not landed: what is left of a context without the word on which it depends there
/// is no copy.
#[test]
fn what_depends_on_a_word_left_out_is_not_supported() {
    for (context, response) in [
        ("The vaccine failed to prevent infection in mice.", "The vaccine prevented infection in mice."),
        ("The pilot tried to land the plane at the airport.", "The pilot landed the plane at the airport."),
        ("The pilot was unable to land the plane at the airport.", "The pilot landed the plane at the airport."),
        ("The pilot avoided landing the plane at the airport.", "The pilot landed the plane at the airport."),
        ("The pilot was prevented from landing at the airport.", "The pilot landed at the airport."),
        ("The pilot almost landed the plane at the airport.", "The pilot landed the plane at the airport."),
        ("The firm denied that it had polluted the river.", "The firm had polluted the river."),
        ("The study ruled out that coffee causes gout.", "Coffee causes gout."),
        ("It is a myth that bats are blind.", "Bats are blind."),
        ("It is unclear whether the tunnel will open in May.", "The tunnel will open in May."),
        ("The lack of rain damaged the harvest.", "Rain damaged the harvest."),
        ("The ban on plastic bags starts in May.", "Plastic bags start in May."),
        ("The brother of the queen visited the camp.", "The queen visited the camp."),
        ("Half of the fleet was sold in May.", "The fleet was sold in May."),
        ("The former mayor opened the fair in Dunford.", "The mayor opened the fair in Dunford."),
    ] {
        assert_ne!(label(response, &[context.to_owned()]), "supported", "`{response}` of `{context}`");
    }
    for (context, response) in [
        ("The library in Oslo opened in 1901 and has 40 rooms.", "The library in Oslo opened in 1901."),
        ("The crew tried to land in Bergen, but the fog was thick.", "The crew tried to land in Bergen."),
        ("In winter the museum opens at 10 for members.", "The museum opens at 10 for members in winter."),
    ] {
        assert_eq!(label(response, &[context.to_owned()]), "supported", "`{response}` of `{context}`");
    }
}

/// "Not … if" says what "unless" says.
#[test]
fn turns_that_cancel_each_other_contradict_nothing() {
    let (unless, not_if) =
        ("The fee is refunded unless you cancel on the day.", "The fee is not refunded if you cancel on the day.");
    for (context, response) in [(unless, not_if), (not_if, unless)] {
        assert_ne!(label(response, &[context.to_owned()]), "contradicted", "`{response}` of `{context}`");
    }
    assert_eq!(label("The fee is refunded if you cancel on the day.", &[unless.to_owned()]), "contradicted");
}

/// Fifteen answers as users meet them, written before the rules of version 11.
#[test]
fn nobody_is_told_the_opposite_of_what_holds() {
    for case in read(&folder().join("../rag/told.jsonl")) {
        let given = label(&case.response, &case.context);
        println!("{} {}: {given}, `{}`", case.id, case.label, case.response);
        match case.label.as_str() {
            "faithful" => assert!(matches!(given, "supported" | "unsure"), "{}: {given}", case.id),
            _ => assert_ne!(given, "supported", "{}", case.id),
        }
    }
}

/// 1,180 answers in twins that differ by a word or two; not part of the repository.
#[test]
fn twins_are_told_apart_or_left_open() {
    let Some(folder) = external_data("PROBARE_LABELLED_DIR", "labelled", "labels of `hallucination` on twins") else {
        return;
    };
    let cases = read(&folder.join("faith.jsonl"));
    let tallies = tallied(&cases, false);
    println!("all: {tallies:?}");
    for cell in ["near_true", "near_false", "free_true", "free_false", "far_true", "far_false"] {
        let of_cell = cases.iter().filter(|case| case.cell == cell);
        let mut tally = Tally::default();
        of_cell.for_each(|case| tally.add(label(&case.response, &case.context), case.label == "faithful"));
        println!("{cell}: {tally:?}");
    }
    assert!(tallies["all"].wrong_share() <= 0.05, "{tallies:?}");
    // Thresholds follow natural text, where nine of ten answers with a low value hold; of these pairs half are false by design.
    assert!(tallies["contradicted"].precision() >= 0.85, "{tallies:?}");
}

#[derive(Deserialize)]
pub(crate) struct NaturalAnswer {
    pub context: Vec<String>,
    pub response: String,
    pub unfaithful: bool,
}

pub(crate) fn natural_answers() -> Option<Vec<NaturalAnswer>> {
    let folder = external_data("PROBARE_NATURAL_DIR", "natural", "labels of `hallucination` on natural answers")?;
    let file = fs::File::open(folder.join("rag_answers.jsonl.gz")).unwrap();
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    Some(lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect())
}

/// Answers of models to questions over web passages with marks by people, on which the thresholds were calibrated; not part of the
/// repository.
#[test]
fn natural_answers_are_decided_and_seldom_wrongly() {
    let Some(answers) = natural_answers() else { return };
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for answer in &answers {
        let given = label(&answer.response, &answer.context);
        tallies.entry(given).or_default().add(given, !answer.unfaithful);
    }
    println!("{tallies:?}");
    let decided = answers.len() - tallies["unsure"].unsure;
    assert!(decided as f64 >= 0.4 * answers.len() as f64, "{decided} decided: {tallies:?}");
    assert!(tallies["supported"].precision() >= 0.95, "{tallies:?}");
    assert!(tallies["unsupported"].precision() >= 0.8, "{tallies:?}");
}
