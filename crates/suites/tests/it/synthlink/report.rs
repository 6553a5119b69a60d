//! Reports with evidence, and the careful reading beside the published one.

use probare_core::Profile;
use probare_report::{Compression, Html, Options, Output};
use probare_suites::synthlink::careful::careful_scores;
use probare_suites::synthlink::{Catalogue, Missing, Question, Scorer, Scores, Summary, Weights, predictions, report};

use super::{example_catalogue, examples};

/// Scores of both readings of one of our example systems.
fn both_readings(system: &str) -> (Scores, Scores) {
    let catalogue = example_catalogue();
    let bytes = predictions::read(&examples().join(system)).unwrap();
    let found = predictions::parse(&bytes, system).unwrap();
    let published = Scorer::new(&catalogue, Weights::default()).score(&found, Missing::Skip);
    let careful = careful_scores(&catalogue, &found, &published, Weights::default()).unwrap();
    (published, careful)
}

fn mean(scores: &Scores) -> f64 {
    scores.rows.iter().map(|row| row.aggregate).sum::<f64>() / scores.rows.len() as f64
}

#[test]
fn the_careful_reading_tells_answers_from_tricks() {
    let means: Vec<(f64, f64)> = ["system_a.json", "system_b.json", "gaming.json"]
        .into_iter()
        .map(|system| {
            let (published, careful) = both_readings(system);
            eprintln!("{system}: published {:.4}, careful {:.4}", mean(&published), mean(&careful));
            for (row, strict) in published.rows.iter().zip(&careful.rows) {
                eprintln!("  {:2} {:.3?} -> {:.3?}", row.question, row.all(), strict.all());
            }
            (mean(&published), mean(&careful))
        })
        .collect();
    let [(thorough, thorough_careful), (_, hasty_careful), (tricks, tricks_careful)] = means[..] else {
        panic!("three systems");
    };
    assert!(tricks > 0.75 && thorough > 0.75, "the published reading rewards both");
    assert!(tricks_careful < 0.2 && tricks_careful < hasty_careful);
    assert!(thorough_careful > 0.6);
}

#[test]
fn the_page_has_bars_per_category_and_escapes_what_it_shows() {
    let catalogue = example_catalogue();
    let text = r#"[{"question_id": "RIV-01", "predicted_answer": "<script>alert(1)</script> Tulla straightened the Rhine."},
                   {"question_id": "FDH-02", "predicted_answer": "Ammonia feeds half of humanity.", "retrieved_docs": ["Haber process"]}]"#;
    let found = predictions::parse(text.as_bytes(), "p.json").unwrap();
    let scores = Scorer::new(&catalogue, Weights::default()).score(&found, Missing::Zero);
    let summary = Summary::new(&catalogue, &scores, 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let output = Output::to_file(&path, Compression::None).unwrap();
    let mut sink = Html::new(output, Options::default()).with_section(report::section(&summary, None));
    report::emit(&mut sink, "p.json", (&catalogue, &found, &scores), Weights::default(), Profile::Reference).unwrap();
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"));
    assert!(
        page.contains("<h2>Categories</h2>")
            && page.contains("2 of 12 questions are answered, the others count as zero")
    );
    // What a measure found is said once, with the measure; the aggregate has what each one adds, and a line on it.
    assert_eq!(page.matches("keyword `tulla` of the step").count(), 2, "in the list and at the mark");
    assert!(page.contains("<th scope=\"row\">rqs</th>") && page.contains("rqs: 1 of 4 steps are covered"));
    assert!(page.contains("<th scope=\"col\" class=\"right\">aggregate's 95 % interval</th>"));
    for word in ["FDH", "LGT", "RIV", "overall", "aggregate_score", "source_precision"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn published_categories_have_their_full_names() {
    let question = |id: &str, category: &str| Question {
        id: id.to_owned(),
        category: category.to_owned(),
        summary: "so".to_owned(),
        ..Question::default()
    };
    let catalogue = Catalogue::new(vec![question("SFT-01", "SFT"), question("X-1", "<x>")]);
    let found = predictions::parse(br#"[{"question_id": "SFT-01"}, {"question_id": "X-1"}]"#, "p.json").unwrap();
    let scores = Scorer::new(&catalogue, Weights::default()).score(&found, Missing::Skip);
    let section = report::section(&Summary::new(&catalogue, &scores, 1), None);
    assert!(section.contains("<bdi>SFT</bdi></span><span class=\"small\">STEM and Future Tech</span></td>"));
    assert!(section.contains("<bdi>&lt;x&gt;</bdi></span></td>") && !section.contains("<x>"));
}
