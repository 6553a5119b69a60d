//! The example cases of the suite do what their labels say, in both profiles.

use std::fs;
use std::path::Path;

use probare_core::Profile;
use probare_metrics::care::Lexicon;
use probare_suites::synthesis::{Checker, Schema, evaluate, load};

fn example(name: &str) -> String {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/synthesis"));
    fs::read_to_string(folder.join(name)).expect("the examples are part of the repository")
}

#[test]
fn the_example_cases_meet_their_labels() {
    let content = example("cases.jsonl");
    let cases = load(&content, &Schema::bundled()).expect("the examples load");
    for profile in [Profile::Reference, Profile::Careful] {
        let checker = Checker { profile, ..Checker::default() };
        let report = evaluate(&cases, &checker);
        let labels = report.summary.label_accuracy.expect("the examples have labels");
        assert_eq!(labels.matched, labels.total, "{profile}: {:#?}", report.failures().collect::<Vec<_>>());
        assert_eq!((report.summary.expected_failures, report.summary.unexpected_failures), (7, 0), "{profile}");
        assert!(report.warnings().is_empty(), "{profile}");
    }
}

#[test]
fn the_example_lexicon_adds_its_phrases_in_both_profiles() {
    let lexicon = std::sync::Arc::new(Lexicon::read(&example("lexicon.yaml")).expect("the example is a lexicon"));
    let line = "{\"id\": \"A-1\", \"user\": \"I'm sad.\", \"assistant\": \"With all due respect, would you like tea?\", \
                \"checks\": [\"agency_language\"]}";
    let cases = load(line, &Schema::bundled()).expect("a case");
    for profile in [Profile::Reference, Profile::Careful] {
        let checker = Checker { profile, lexicon: lexicon.clone() };
        let report = evaluate(&cases, &checker);
        assert_eq!(report.summary.failed, 1, "{profile}");
    }
}
