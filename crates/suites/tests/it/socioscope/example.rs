//! The example corpus: every verdict that its page names, the same bytes for any number of threads, safe pages.

use std::fs;
use std::path::Path;

use probare_core::Profile;
use probare_metrics::interviews::Settings;
use probare_metrics::interviews::quotations::Status;
use probare_suites::socioscope::input::{Corpus, Fixture};
use probare_suites::socioscope::output::{answers_csv, results, summary_csv};
use probare_suites::socioscope::page::{Shown, page};
use probare_suites::socioscope::{Evaluation, Options, Redaction, Summary, evaluate};
use probare_text::wordnet::WordNet;

fn load() -> (Fixture, Corpus) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/socioscope");
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    let fixture = Fixture::read(&read("questions.json"), "questions.json").unwrap();
    (fixture, Corpus::read(&read("corpus.json"), "corpus.json").unwrap())
}

fn options(profile: Profile, jobs: usize) -> Options<'static> {
    Options { settings: Settings { profile, ..Settings::default() }, wordnet: WordNet::embedded(), jobs }
}

fn text(fixture: &Fixture, evaluation: &Evaluation, redaction: Option<&Redaction>) -> String {
    let (summary, careful) = (Summary::new(fixture, evaluation), Summary::careful(fixture, evaluation));
    results(fixture, evaluation, Settings::default(), (&summary, Some(&careful)), redaction).to_string()
}

#[test]
fn every_verdict_of_the_page_occurs_as_often_as_it_says() {
    let (fixture, corpus) = load();
    let evaluation = evaluate(&fixture, &corpus, options(Profile::Reference, 1)).unwrap();
    assert_eq!(evaluation.warnings().count(), 0);
    let summary = Summary::new(&fixture, &evaluation);
    let expected = [
        (Status::Exact, 89),
        (Status::Normalised, 7),
        (Status::Elided, 3),
        (Status::WrongSource, 4),
        (Status::Fuzzy, 7),
        (Status::NumberMismatch, 4),
        (Status::NotFound, 10),
        (Status::EmptyQuote, 2),
        (Status::InvalidIndex, 1),
    ];
    assert_eq!(summary.statuses, expected);
    assert_eq!((fixture.pairs.len(), summary.overall.values.len(), summary.transcripts.len()), (60, 120, 12));
    assert_eq!(summary.verbatim.nulls, 2, "answers without citations");
    let fjord = summary.models["hypothetical:fjord-large"].mean().unwrap();
    let brook = summary.models["hypothetical:brook-mini"].mean().unwrap();
    assert!(fjord > 0.9 && brook < 0.5, "{fjord} {brook}");
}

#[test]
fn threads_change_nothing_and_both_readings_are_there() {
    let (fixture, corpus) = load();
    let one = evaluate(&fixture, &corpus, options(Profile::Careful, 1)).unwrap();
    let four = evaluate(&fixture, &corpus, options(Profile::Careful, 4)).unwrap();
    assert_eq!(one, four);
    let json = text(&fixture, &one, None);
    assert_eq!(json, text(&fixture, &four, None));
    assert!(json.contains("\"differs_because\":[\"the whole answer says yes"));
    let careful = Summary::careful(&fixture, &one);
    let csv = summary_csv(&Summary::new(&fixture, &one), Some(&careful));
    assert!(csv.contains("\ncareful_score,overall,,"));
    assert_eq!(answers_csv(&fixture, &one).lines().count(), 121);
}

#[test]
fn a_redacted_report_names_nobody_and_quotes_nothing() {
    let (fixture, corpus) = load();
    let evaluation = evaluate(&fixture, &corpus, options(Profile::Careful, 2)).unwrap();
    let (summary, careful) = (Summary::new(&fixture, &evaluation), Summary::careful(&fixture, &evaluation));
    let redaction = Redaction::new(&corpus);
    let shown = Shown {
        fixture: &fixture,
        corpus: &corpus,
        evaluation: &evaluation,
        summary: &summary,
        careful: Some(&careful),
        redaction: Some(&redaction),
    };
    let open = page(Shown { redaction: None, ..shown });
    assert!(open.contains("Kjærgaard") && open.contains("We grow mussels on long lines"));
    for redacted in [page(shown), text(&fixture, &evaluation, Some(&redaction))] {
        for hidden in ["Kjærgaard", "Søren", "Birgit", "We grow mussels on long lines out in the Limfjord"] {
            assert!(!redacted.contains(hidden), "{hidden}");
        }
    }
}

#[test]
fn text_of_others_is_never_markup() {
    let hostile = "<script>alert(1)</script>\u{202e}\u{1b}[31m";
    let fixture = serde_json::json!([{"id": hostile, "question": {"text": hostile, "type": "ListOne", "metric": [hostile]},
        "answers": [{"answer": hostile, "source": hostile, "model": hostile, "citations": [{"source_index": 0, "quote": hostile}]}]}]);
    let corpus = serde_json::json!([{"FILE": hostile, "text": format!("before {hostile} after")}]);
    let fixture = Fixture::read(fixture.to_string().as_bytes(), "q").unwrap();
    let corpus = Corpus::read(corpus.to_string().as_bytes(), "c").unwrap();
    let evaluation = evaluate(&fixture, &corpus, options(Profile::Careful, 1)).unwrap();
    let (summary, careful) = (Summary::new(&fixture, &evaluation), Summary::careful(&fixture, &evaluation));
    let shown = Shown {
        fixture: &fixture,
        corpus: &corpus,
        evaluation: &evaluation,
        summary: &summary,
        careful: Some(&careful),
        redaction: None,
    };
    let page = page(shown);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
}
