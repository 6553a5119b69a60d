//! What breaks programs, through the family `rag`: a result or a clear error, in time that grows with the input alone.

use std::time::Instant;

use probare_metrics::rag::hallucination::{AnchorFinding, Examination, HallucinationSettings, examine};
use probare_metrics::rag::{completeness, relevance};

/// Both profiles, and the test by distance.
fn all(response: &str, chunks: &[&str]) -> Vec<Examination> {
    let improved = HallucinationSettings { is_improved: true, ..HallucinationSettings::default() };
    let window = HallucinationSettings { claim_window: Some(300), ..HallucinationSettings::default() };
    [HallucinationSettings::default(), improved, window]
        .iter()
        .map(|settings| examine(response, chunks, settings))
        .collect()
}

/// Spans lie in their texts and values in their range.
fn check(response: &str, chunks: &[&str]) {
    for examination in all(response, chunks) {
        assert!((0.0..=1.0).contains(&examination.value()), "{examination:?}");
        for finding in &examination.findings {
            if let Some(span) = &finding.span {
                assert!(response.get(span.clone()).is_some(), "{finding:?} in {response:?}");
            }
            if let Some(source) = finding.source() {
                assert!(chunks[source.chunk].get(source.span.clone()).is_some(), "{finding:?}");
            }
        }
    }
    let value = relevance::compare(response, &chunks.join(" ")).value();
    assert!((0.0..=1.0).contains(&value));
    assert!((0.0..=1.0).contains(&completeness::keyword_coverage(response, &chunks.join("\n")).value));
}

#[test]
fn strange_texts_have_results() {
    let texts = [
        "",
        " ",
        "\u{202e}המחיר הוא 150 ש\"ח.\u{202c} The price is ₪150.",
        "تكلفة التذكرة ١٥٠ ريال. It is 150 SAR.",
        "👩‍👩‍👧‍👦 costs $5 🏳️‍🌈. 5️⃣ is 5.",
        "İstanbul'un nüfusu is 15 million. ΟΔΟΣ was founded in 330.",
        "e\u{301}t\u{e9} is 2\u{a0}000 €.\u{0}\u{1b}[31m It was sold.",
        "\u{feff}The pass\u{200b} costs $\u{200d}5.",
        "is is is was was be been being are am is. Is was? was. by by by",
        "'' ’s n't 's 's's 's''",
        "It's John's. They aren't there. Who’s it? There're 5.",
        "$$$ %%% 1,,2 3..4 5-6-7-8 1/0 0/0 1e999 -5% +5 #5 @5",
        "\n\n\n- is\n- was 5\n\t* costs\r\n1. 2. 3.",
    ];
    for response in texts {
        for context in texts {
            check(response, &[context]);
        }
        check(response, &[]);
        check(response, &texts);
    }
}

/// Words that stand in every sentence of the context weigh nothing.
#[test]
fn words_without_weight_have_results() {
    let same = "Cats drink milk. ".repeat(64);
    let long =
        "Cats that drink milk and other cats that do not drink milk saw 5 of the 7 cats that drink milk in 1999.";
    for (response, context) in [(same.as_str(), long), (long, same.as_str()), (&same, &same)] {
        check(response, &[context]);
        check(&format!("{same}{long}"), &[context]);
        check("Cats drink no milk.", &[context]);
        check("Milk drinks cats. Cats do not drink milk.", &[context]);
    }
}

#[test]
fn pieces_of_sentences_in_any_order_have_results() {
    let pieces = [
        "The ",
        "pass",
        " costs ",
        "$150",
        ".",
        " It ",
        "was not ",
        "founded ",
        "by ",
        "Google",
        "in 2016",
        " May ",
        "é",
        "\u{301}",
        "’s ",
        "n't ",
        "5 kg",
        "%",
        "\n",
        "“",
        "is ",
        ", ",
        "and ",
        "Marie Curie ",
        "more than ",
        "12:30",
    ];
    // A fixed walk over the pieces: all of them meet each other, and every run is the same.
    let mut state = 1_usize;
    for _ in 0..150 {
        let mut text = String::new();
        let mut context = String::new();
        for _ in 0..12 {
            state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
            text.push_str(pieces[state / 65_536 % pieces.len()]);
            state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
            context.push_str(pieces[state / 65_536 % pieces.len()]);
        }
        check(&text, &[&context, &text]);
    }
}

#[test]
fn a_megabyte_of_text_has_a_result() {
    let sentence = "The plant in Odense makes 450 kg of feed. ";
    let one_word = "x".repeat(1_000_000);
    let sentences = sentence.repeat(1_000_000 / sentence.len());
    let numbers: String = (0..100_000).fold(String::new(), |text, number| text + &number.to_string() + ", ");
    for response in [one_word.as_str(), numbers.as_str()] {
        let examination = examine(response, &[sentence], &HallucinationSettings::default());
        assert!((0.0..=1.0).contains(&examination.value()));
    }
    let examination = examine(&sentences[..100_000], &[sentence], &HallucinationSettings::default());
    assert_eq!(examination.value(), 0.0);
    // The whole of it as context, where it is indexed and not parsed.
    let examination = examine("The plant makes 460 kg.", &[&sentences], &HallucinationSettings::default());
    assert_eq!(examination.value(), 1.0);
}

#[test]
fn ten_thousand_chunks_take_as_long_as_one_of_their_size() {
    let chunks: Vec<String> = (0..10_000).map(|number| format!("Item {number} costs ${number}. It is red.")).collect();
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    let joined = chunks.join(" ");
    let response = "Item 9999 costs $9999. Item 17 costs $18. The item is blue.".repeat(5);
    let start = Instant::now();
    let whole = examine(&response, &[&joined], &HallucinationSettings::default());
    let one = start.elapsed();
    let start = Instant::now();
    let many = examine(&response, &chunks, &HallucinationSettings::default());
    let ten_thousand = start.elapsed();
    let verdicts = |examination: &Examination| {
        examination.findings.iter().map(|finding| (finding.text.clone(), finding.is_supported())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&whole), verdicts(&many));
    assert!(many.findings.iter().any(AnchorFinding::is_supported));
    // Generous, because other programs run beside the test; a quadratic reading would take hours.
    assert!(ten_thousand < one * 20 + std::time::Duration::from_secs(5), "{one:?} and {ten_thousand:?}");
}
