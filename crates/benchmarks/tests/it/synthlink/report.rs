//! Reports with evidence, and the improved definition beside the published one.

use probare_benchmarks::synthlink::{SystemScores, report};
use serde_json::json;

use super::{examples, run_on_document, run_suite};

/// Scores of both readings of one of our example systems.
fn both_readings(system: &str) -> (SystemScores, SystemScores) {
    let ran = run_suite(&examples(), &[examples().join(system)], &json!({"profile": "improved"}), &[]).unwrap();
    let [published, improved] = ran.readings;
    (published, improved)
}

fn mean(scores: &SystemScores) -> f64 {
    scores.rows.iter().map(|row| row.aggregate).sum::<f64>() / scores.rows.len() as f64
}

#[test]
fn the_careful_reading_tells_answers_from_tricks() {
    let means: Vec<(f64, f64)> = ["system_a.json", "system_b.json", "gaming.json"]
        .into_iter()
        .map(|system| {
            let (published, improved) = both_readings(system);
            eprintln!("{system}: published {:.4}, improved {:.4}", mean(&published), mean(&improved));
            for (row, strict) in published.rows.iter().zip(&improved.rows) {
                eprintln!("  {:2} {:.3?} -> {:.3?}", row.question, row.with_aggregate(), strict.with_aggregate());
            }
            (mean(&published), mean(&improved))
        })
        .collect();
    let [(thorough, thorough_careful), (_, hasty_careful), (tricks, tricks_careful)] = means[..] else {
        panic!("three systems");
    };
    assert!(tricks > 0.75 && thorough > 0.75, "the published definition rewards both");
    assert!(tricks_careful < 0.2 && tricks_careful < hasty_careful);
    assert!(thorough_careful > 0.6);
}

#[test]
fn the_page_has_bars_per_category_and_escapes_what_it_shows() {
    let text = r#"[{"question_id": "RIV-01", "predicted_answer": "<script>alert(1)</script> Tulla straightened the Rhine."},
                   {"question_id": "FDH-02", "predicted_answer": "Ammonia feeds half of humanity.", "retrieved_docs": ["Haber process"]}]"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.json");
    std::fs::write(&path, text).unwrap();
    let page = run_suite(&examples(), &[path], &json!({"missing": "zero"}), &["page.html"]).unwrap().file("page.html");
    // Cases are JSON that no browser runs; what could end it is written otherwise.
    assert!(!page.contains("<script>alert") && page.contains("alert(1)"));
    assert!(
        page.contains("<h2><bdi>Categories</bdi></h2>")
            && page.contains("2 of 12 questions are answered, the others count as zero")
    );
    // What a measure found is said once, with the measure; the aggregate has what each one adds, and a line on it.
    assert_eq!(page.matches("keyword `tulla` of the step").count(), 1);
    assert!(page.contains("rqs: 1 of 4 steps are covered"));
    assert!(page.contains("<th scope=\"col\" class=\"right\">aggregate&#39;s 95 % interval</th>"));
    for word in ["FDH", "LGT", "RIV", "overall", "aggregate_score", "source_precision"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn published_categories_have_their_full_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.jsonl");
    let row = |id: &str| json!({"id": id, "question": "?", "reference": "so", "topics": ["t"], "steps": ["s"]});
    std::fs::write(&path, format!("{}\n{}\n", row("SFT-01"), row("<x>-1"))).unwrap();
    let text = r#"[{"question_id": "SFT-01"}, {"question_id": "<x>-1"}]"#;
    let [scores, _] = run_on_document(&path, text.as_bytes(), &json!({})).unwrap().readings;
    let catalogue = probare_benchmarks::synthlink::catalogue::load(&path).unwrap();
    let summary = probare_benchmarks::synthlink::SynthLinkSummary::new(&catalogue, &scores, 1);
    let panel = probare_report::html::panel(&report::categories(None, &summary, None));
    assert!(panel.contains("<bdi>SFT</bdi><span class=\"small soft\"><bdi>STEM and Future Tech</bdi></span></th>"));
    assert!(panel.contains("<th scope=\"row\"><bdi>&lt;x&gt;</bdi></th>") && !panel.contains("<x>"));
}

#[test]
fn two_systems_stand_side_by_side_on_one_page() {
    let systems = ["system_a.json", "system_b.json"].map(|name| examples().join(name));
    let ran = run_suite(&examples(), &systems, &json!({}), &["page.html", "all.jsonl"]).unwrap();
    let page = ran.file("page.html");
    for words in
        ["<bdi>Systems</bdi></h2>", "<h3>Paired differences</h3>", "Categories of system_b</bdi>", "no prediction"]
    {
        assert!(page.contains(words), "{words}");
    }
    let lines = ran.file("all.jsonl");
    assert_eq!(lines.lines().count(), 24, "every question once for each system");
    assert_eq!(lines.matches("\"model\":\"system_b\"").count(), 12);
    assert_eq!(lines.matches("\"aggregate_score\":{\"not_applicable\":\"no prediction\"}").count(), 2);
}
