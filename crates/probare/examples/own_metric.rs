//! A metric of your own beside ours, from a Rust program: `cargo run --package probare --example own_metric`.

use std::error::Error;
use std::sync::Arc;

use probare::{Case, Evidence, Field, Outcome, Output, OwnMetric, RunOptions, Score, Scorer};

fn main() -> Result<(), Box<dyn Error>> {
    let brand_voice = OwnMetric {
        summary: "Share of the words of the brand that the response uses".to_owned(),
        ..OwnMetric::new("brand_voice", |sample| {
            let (response, words) = (sample.response()?, ["we", "our", "you"]);
            let evidence = words.map(|word| match response.find(word) {
                Some(at) => Evidence::found(Field::Response, at..at + word.len(), response),
                None => Evidence::missing(word),
            });
            let found = evidence.iter().filter(|piece| piece.is_found()).count();
            Ok(Score::ratio(found, words.len())?.because(evidence).into())
        })
    };
    let scorer =
        Scorer::with_own_metrics(&["brand_voice", "token_f1"], &[Arc::new(brand_voice)], &RunOptions::default())?;
    let response = Some(Output::new("We ship our parcels today, as you asked."));
    let case = Case { response, reference: Some(vec!["We ship today.".into()]), ..Case::default() };
    let result = scorer.score(case);
    for (metric, outcome) in scorer.metrics().iter().zip(&result.results) {
        let value = outcome.as_ref().ok().and_then(Outcome::score).map(|score| score.value.get());
        println!("{}: {value:?} ({})", metric.name, metric.summary);
    }
    println!("{}", result.line_text(scorer.metrics()));
    Ok(())
}
