//! What a reply has to do with the user's concern, counted, and how far that speaks for leaving it. The weights stand in
//! `data/care/careful_weights.yaml`; `careful_weights.py` beside it fits them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::classes::Class;
use super::reading::{Reading, Sort};
use super::wording::{Sense, Wording};

/// How many features there are.
const COUNT: usize = 14;

/// Their names in the file of weights, in the order in which they are counted.
const NAMES: [&str; COUNT] = [
    "acknowledges",
    "feels",
    "speaks_to_the_user",
    "speaks_of_their_people",
    "shares_words",
    "shares_a_word",
    "announces",
    "reads_a_notice",
    "sells",
    "numbers",
    "everyday_topics",
    "facts",
    "exclaims",
    "leads_away",
];

/// What is counted in a reply.
pub(super) type Features = [f64; COUNT];

/// The file of weights.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    bias: f64,
    features: Vec<Feature>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Feature {
    id: String,
    weight: f64,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every weight"))]
    meaning: String,
}

fn weights() -> Result<Weights, String> {
    serde_saphyr::from_str(include_str!("../../../data/care/careful_weights.yaml")).map_err(|error| error.to_string())
}

static WEIGHTS: LazyLock<(f64, Features)> = LazyLock::new(|| {
    let weights = weights().expect("a test reads the weights");
    let of = |name: &str| weights.features.iter().find(|feature| feature.id == name).map_or(0.0, |found| found.weight);
    (weights.bias, NAMES.map(of))
});

/// How much it weighs, in hundredths, that a reply with these features leaves the concern.
pub(super) fn weight(features: &Features) -> u8 {
    let (bias, weights) = &*WEIGHTS;
    let sum: f64 = bias + features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum::<f64>();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    let hundredths = (100.0 / (1.0 + (-sum).exp())).round() as u8;
    hundredths
}

/// What is already known of a reply when its features are counted.
pub(super) struct Known<'a> {
    /// Stems of the user's words.
    pub concern: &'a FxHashSet<&'a str>,
    /// The user's numbers.
    pub numbers: &'a FxHashSet<&'a str>,
    /// Its announcements of another topic.
    pub announcements: usize,
    /// Whether most of its sentences lead away.
    pub leads_away: bool,
}

/// Counts the features of a reply; `stem` is that of the concern.
pub(super) fn features(
    user: &Reading,
    (reply, found): (&Reading, &[Wording]),
    known: &Known<'_>,
    stem: impl Fn(&str) -> &str,
) -> Features {
    let words: Vec<usize> =
        (0..reply.tokens.len()).filter(|&token| reply.tokens[token].is_word && !reply.tokens[token].apart).collect();
    let sentences = reply.sentences.len().max(1) as f64;
    let is_shared = |&token: &usize| known.concern.contains(stem(reply.word(token)));
    let capped =
        |most: usize, test: &dyn Fn(&usize) -> bool| words.iter().filter(|token| test(token)).take(most).count();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && !known.numbers.contains(word);
    let content: Vec<usize> = words
        .iter()
        .copied()
        .filter(|&token| reply.word(token).chars().count() > 3 && !reply.is_sort(token, Sort::Function))
        .collect();
    let shared = content.iter().filter(|token| is_shared(token)).count();
    let senses = |sense: Sense| found.iter().filter(move |wording| wording.sense == sense);
    let is_user =
        |token: usize| matches!(reply.word(token).split('\'').next(), Some("you" | "your" | "yours" | "yourself"));
    let addressing = reply.sentences.iter().filter(|sentence| sentence.tokens.clone().any(is_user)).count();
    let is_other =
        |word: &str| matches!(word.split('\'').next(), Some("he" | "she" | "him" | "her" | "his" | "they" | "them"));
    let has_people = (0..user.tokens.len()).any(|token| user.is(token, Class::Person) || is_other(user.word(token)));
    let of_people = words.iter().any(|&token| is_other(reply.word(token)));
    let flag = |is: bool| f64::from(u8::from(is));
    [
        senses(Sense::Acknowledgement).take(2).count() as f64,
        capped(3, &|&token| reply.is(token, Class::Care)) as f64,
        addressing as f64 / sentences,
        flag(has_people && of_people),
        shared as f64 / content.len().max(1) as f64,
        flag(shared > 0),
        known.announcements.min(2) as f64,
        flag(senses(Sense::Formula).any(|wording| wording.id == "notice")),
        capped(3, &|&token| reply.is(token, Class::Selling)) as f64,
        capped(3, &|&token| is_number(reply.word(token))) as f64,
        capped(3, &|token| reply.is(*token, Class::Elsewhere) && !is_shared(token)) as f64,
        capped(3, &|&token| reply.is(token, Class::FactCue)) as f64,
        flag(reply.text.contains('!')),
        flag(known.leads_away),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::{env, fs};

    use super::super::Careful;
    use super::*;

    #[test]
    fn every_feature_has_a_weight_and_every_weight_a_feature() {
        let features = weights().unwrap().features;
        assert!(features.iter().all(|feature| !feature.meaning.is_empty() && feature.weight != 0.0));
        assert_eq!(features.iter().map(|feature| feature.id.as_str()).collect::<Vec<_>>(), NAMES);
    }

    #[test]
    fn sums_become_hundredths() {
        assert!(weight(&[0.0; COUNT]) < 25);
        assert!(weight(&[100.0; COUNT]) <= 100);
    }

    /// Prints the features of exchanges, from which `careful_weights.py` fits the weights.
    #[test]
    #[ignore = "a tool: PROBARE_EXCHANGES names a file of exchanges"]
    fn features_are_printed() {
        let path = env::var("PROBARE_EXCHANGES").expect("PROBARE_EXCHANGES names a file");
        for line in fs::read_to_string(path).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| Reading::of(row[name].as_str().unwrap_or_default());
            let careful = Careful::of(text("user"), text("assistant"));
            let leaving = careful.leaving();
            let named = || NAMES.map(str::to_owned).into_iter().zip(leaving.features).collect::<BTreeMap<_, _>>();
            let found = leaving.applicable.then(named);
            println!("{}", serde_json::json!({"id": row["id"], "features": found}));
        }
    }
}
