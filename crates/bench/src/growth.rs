//! How the work of a metric grows with its texts: seconds of processor time for one row of 10 KB, 100 KB, 1 MB and 5 MB.
//!
//! Ten times the text should cost little more than ten times the time. Where a definition is quadratic the metric has a
//! documented limit, and the table shows where it sets in.

use std::fmt::Write as _;

use probare_benchmarks::registry;
use probare_core::{Case, MetricDef, Output, Passage, Profile, Sample};
use probare_stats::Random;
use serde_json::{Value as Json, json};

use crate::processor_time;

/// Bytes of the response, of the reference and of the context.
const SIZES: [(usize, &str); 4] = [(10_000, "10 KB"), (100_000, "100 KB"), (1_000_000, "1 MB"), (5_000_000, "5 MB")];

/// Past so many seconds the next size is left out: nobody learns more from it.
const LONGEST: f64 = 4.0;

/// Prints a line for each metric whose name contains `filter`, in each profile. `case_of` gives a small case that the
/// metric scores and the options it needs.
pub fn print<'a>(filter: &str, case_of: impl Fn(&'a MetricDef) -> Option<(Case, Json)>) {
    let mut heads = String::new();
    for (_, name) in SIZES {
        let _ = write!(heads, "{name:>10}");
    }
    println!("\n{:40}{heads}   CPU seconds a row; response, reference, context of that size", "growth");
    for definition in registry().iter().filter(|definition| definition.id.contains(filter)) {
        let Some((seed, options)) = case_of(definition) else { continue };
        for profile in definition.profiles {
            println!(
                "{:40}{}",
                format!("{} ({profile})", definition.id),
                figures_line(definition, *profile, &seed, &options)
            );
        }
    }
}

/// The figures of one metric, and how the last one ended where it is no score.
fn figures_line(definition: &MetricDef, profile: Profile, seed: &Case, options: &Json) -> String {
    let Ok(metric) = definition.build(options.clone(), profile) else { return "   cannot be built".to_owned() };
    let mut figures = String::new();
    // Tables and models are loaded before.
    let _ = metric.score(Sample::from_case(seed));
    let mut remark = "";
    let mut last = 0.0;
    for (size, _) in SIZES {
        if last > LONGEST {
            let _ = write!(figures, "{:>10}", "-");
            continue;
        }
        let case = scaled_case(definition.id, seed, size);
        let Some(start) = processor_time::seconds() else { return "   this system does not tell the time".to_owned() };
        let result = metric.score(Sample::from_case(&case));
        last = processor_time::seconds().unwrap_or(start) - start;
        let _ = write!(figures, "{last:>10.4}");
        remark = match result {
            Ok(outcome) if outcome.score().is_some() => "",
            Ok(_) => "  (not applicable at last)",
            Err(_) => "  (an error at last)",
        };
    }
    figures + remark
}

/// The case with texts of this size. Response and reference share words, so that there is something to find.
fn scaled_case(id: &str, seed: &Case, size: usize) -> Case {
    let mut random = Random::new(17);
    let mut case = seed.clone();
    let response = text(&mut random, size);
    case.response =
        Some(Output::new(if id.starts_with("json") { json!([{ "text": response }]).to_string() } else { response }));
    if case.reference.is_some() {
        case.reference = Some(vec![text(&mut random, size)]);
    }
    if case.context.is_some() {
        case.context =
            Some((0..10).map(|_| Passage { text: text(&mut random, size / 10), ..Passage::default() }).collect());
    }
    if let Some(list) = &mut case.retrieved {
        *list = (0..size / 20).map(|number| format!("https://a.example/{number}")).collect();
    }
    if let Some(list) = &mut case.relevant {
        *list = (0..size / 20).map(|number| format!("https://a.example/{}", number * 2)).collect();
    }
    case
}

/// Prose of a kind: sentences of twelve words with names, numbers and dates among them.
fn text(random: &mut Random, size: usize) -> String {
    const ENDINGS: [&str; 8] = ["", "s", "ing", "ed", "er", "ly", "ness", "al"];
    const STEMS: [&str; 40] = [
        "the", "of", "and", "in", "to", "was", "is", "not", "canal", "river", "harvest", "lamp", "city", "treaty",
        "winter", "print", "press", "steam", "market", "species", "salt", "lake", "dam", "flood", "cotton", "dust",
        "health", "rule", "gene", "labour", "right", "George", "Austen", "Paris", "Monday", "March", "1869", "42",
        "3.5", "percent",
    ];
    let mut text = String::with_capacity(size + 80);
    while text.len() < size {
        for place in 0..12 {
            let stem = STEMS[random.below(STEMS.len())];
            let is_plain = stem.len() > 3 && stem.bytes().all(|byte| byte.is_ascii_lowercase());
            let ending = if is_plain { ENDINGS[random.below(ENDINGS.len())] } else { "" };
            if place > 0 {
                text.push(' ');
            }
            let _ = write!(text, "{stem}{ending}");
        }
        text.push_str(". ");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_size_and_the_seed_decides() {
        let one = text(&mut Random::new(1), 1_000);
        assert!(one.len() >= 1_000 && one.len() < 1_200);
        assert_eq!(one, text(&mut Random::new(1), 1_000));
    }
}
