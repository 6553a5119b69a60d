//! What a reply has to do with the user's concern, counted, and how far that speaks for leaving it. The weights stand in
//! `data/care/improved_weights.yaml`; `improved_weights.py` beside it fits them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::classes::CareClass;
use super::phrase_matches::{PhraseCategory, PhraseEffect, PhraseMatch, matches_in_sentence};
use super::request::{RequestKind, UserRequest};
use super::tagged_text::{AnalysisSentence, LexicalRole, Mood, TaggedText};

/// How many features there are.
const COUNT: usize = 20;

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
    "impersonal",
    "names",
    "suggests",
    "asks_back",
    "only_notices",
    "hurts",
    "asked",
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
    serde_saphyr::from_str(include_str!("../../../data/care/improved_weights.yaml")).map_err(|error| error.to_string())
}

static WEIGHTS: LazyLock<(f64, Features)> = LazyLock::new(|| {
    let weights = weights().expect("a test reads the weights");
    let of = |name: &str| weights.features.iter().find(|feature| feature.id == name).map_or(0.0, |found| found.weight);
    (weights.bias, NAMES.map(of))
});

/// How much it weighs, in hundredths, that a reply with these features leaves the concern; `acknowledged` is added to the first.
pub(super) fn pivot_weight(features: &Features, acknowledged: usize) -> u8 {
    let (bias, weights) = &*WEIGHTS;
    let counted: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    let sum = bias + counted + acknowledged as f64 * weights[0];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    let hundredths = (100.0 / (1.0 + (-sum).exp())).round() as u8;
    hundredths
}

/// What is already known of a reply when its features are counted.
pub(super) struct FeatureInputs<'a> {
    /// Stems of the user's words.
    pub concern: &'a FxHashSet<&'a str>,
    /// The user's numbers.
    pub numbers: &'a FxHashSet<&'a str>,
    /// Its announcements of another topic.
    pub announcements: usize,
    /// What the user's message asks for and shows.
    pub request: &'a UserRequest,
}

/// The numbers of the sentences in which nobody is spoken of or to and nothing is felt or taken in.
pub(super) fn impersonal_sentences(reply: &TaggedText, found: &[PhraseMatch]) -> Vec<usize> {
    (0..reply.sentences.len())
        .filter(|&number| {
            let tokens = &reply.sentences[number].tokens;
            tokens.clone().filter(|&token| reply.tokens[token].is_word).count() > 3
                && !has_phrase(found, number, PhraseCategory::Acknowledgement)
                && !tokens.clone().any(|token| is_personal(reply, token))
        })
        .collect()
}

/// Whether a word speaks of or to somebody, or takes up what somebody feels.
fn is_personal(reply: &TaggedText, token: usize) -> bool {
    const WORDS: [&str; 23] = [
        "you", "your", "yours", "yourself", "i", "me", "my", "we", "us", "our", "he", "she", "him", "her", "his",
        "they", "them", "their", "let", "it", "that", "this", "don",
    ];
    reply.has_class(token, CareClass::Care)
        || reply.has_class(token, CareClass::Person)
        || reply.has_class(token, CareClass::Distress)
        || WORDS.contains(&bare(reply.word(token)))
}

/// Whether a sentence has a phrase of this kind.
fn has_phrase(found: &[PhraseMatch], sentence: usize, category: PhraseCategory) -> bool {
    matches_in_sentence(found, sentence).iter().any(|wording| wording.category == category)
}

/// A word without what is contracted with it.
fn bare(word: &str) -> &str {
    word.split_once('\'').map_or(word, |(bare, _)| bare)
}

/// Whether a word stands for somebody who is neither the user nor the speaker.
fn is_third_person(word: &str) -> bool {
    matches!(bare(word), "he" | "she" | "him" | "her" | "his" | "they" | "them")
}

fn suggests(reply: &TaggedText, sentence: &AnalysisSentence) -> bool {
    matches!(sentence.mood, Mood::Suggestion | Mood::Wish)
        || sentence.tokens.clone().any(|token| {
            matches!(reply.word(token), "suggest" | "recommend" | "help" | "helps" | "helped" | "tried" | "talk")
        })
}

/// Counts the features of a reply; `stem` is that of the concern.
pub(super) fn count_features(
    user: &TaggedText,
    (reply, found): (&TaggedText, &[PhraseMatch]),
    known: &FeatureInputs<'_>,
    impersonal: &[usize],
    stem: impl Fn(&str) -> &str,
) -> Features {
    let words: Vec<usize> = (0..reply.tokens.len())
        .filter(|&token| reply.tokens[token].is_word && !reply.tokens[token].is_quoted)
        .collect();
    let sentences = reply.sentences.len().max(1) as f64;
    let is_shared = |&token: &usize| known.concern.contains(stem(reply.word(token)));
    let capped =
        |most: usize, test: &dyn Fn(&usize) -> bool| words.iter().filter(|token| test(token)).take(most).count();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && !known.numbers.contains(word);
    let content: Vec<usize> = words
        .iter()
        .copied()
        .filter(|&token| reply.word(token).chars().count() > 3 && !reply.has_role(token, LexicalRole::Function))
        .collect();
    let shared = content.iter().filter(|token| is_shared(token)).count();
    let senses = |sense: PhraseCategory| found.iter().filter(move |wording| wording.category == sense);
    let is_user = |token: usize| matches!(bare(reply.word(token)), "you" | "your" | "yours" | "yourself");
    let addressing = reply.sentences.iter().filter(|sentence| sentence.tokens.clone().any(is_user)).count();
    let has_people = (0..user.tokens.len())
        .any(|token| user.has_class(token, CareClass::Person) || is_third_person(user.word(token)));
    let of_people = words.iter().any(|&token| is_third_person(reply.word(token)));
    let is_name = |sentence: &AnalysisSentence, token: usize| {
        reply.is_capital_inside(sentence, token)
            && reply.word(token).len() > 2
            && !reply.word(token).starts_with('i')
            && !is_shared(&token)
    };
    let names = reply
        .sentences
        .iter()
        .flat_map(|sentence| sentence.tokens.clone().filter(|&token| is_name(sentence, token)))
        .take(3)
        .count();
    let asks_back = reply.sentences.last().is_some_and(|last| {
        last.is_question()
            && !last.tokens.clone().any(|token| reply.has_class(token, CareClass::Elsewhere) || is_name(last, token))
    });
    let only_notices = !reply.sentences.is_empty()
        && (0..reply.sentences.len()).all(|number| has_phrase(found, number, PhraseCategory::Formula));
    let flag = |is: bool| f64::from(u8::from(is));
    [
        senses(PhraseCategory::Acknowledgement).take(2).count() as f64,
        capped(3, &|&token| reply.has_class(token, CareClass::Care)) as f64,
        addressing as f64 / sentences,
        flag(has_people && of_people),
        shared as f64 / content.len().max(1) as f64,
        flag(shared > 0),
        known.announcements.min(2) as f64,
        flag(senses(PhraseCategory::Formula).any(|wording| wording.has(PhraseEffect::Leaves))),
        capped(3, &|&token| reply.has_class(token, CareClass::Selling)) as f64,
        capped(3, &|&token| is_number(reply.word(token))) as f64,
        capped(3, &|token| reply.has_class(*token, CareClass::Elsewhere) && !is_shared(token)) as f64,
        capped(3, &|&token| reply.has_class(token, CareClass::FactCue)) as f64,
        flag(reply.text.contains('!')),
        impersonal.len() as f64 / sentences,
        names as f64,
        flag(reply.sentences.iter().any(|sentence| suggests(reply, sentence))),
        flag(asks_back),
        flag(only_notices),
        flag(!known.request.distress.is_empty()),
        flag(known.request.kind == RequestKind::Facts),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::{env, fs};

    use super::super::ExchangeAnalysis;
    use super::*;

    #[test]
    fn every_feature_has_a_weight_and_every_weight_a_feature() {
        let features = weights().unwrap().features;
        assert!(features.iter().all(|feature| !feature.meaning.is_empty() && feature.weight != 0.0));
        assert_eq!(features.iter().map(|feature| feature.id.as_str()).collect::<Vec<_>>(), NAMES);
    }

    #[test]
    fn sums_become_hundredths() {
        assert!(pivot_weight(&[0.0; COUNT], 0) < 45);
        assert!(pivot_weight(&[100.0; COUNT], 0) <= 100);
        let mut away = [0.0; COUNT];
        away[NAMES.iter().position(|name| *name == "impersonal").unwrap()] = 1.0;
        assert!(pivot_weight(&away, 2) < pivot_weight(&away, 0));
    }

    /// Prints the features of exchanges, from which `improved_weights.py` fits the weights.
    #[test]
    #[ignore = "a tool: PROBARE_EXCHANGES names a file of exchanges"]
    fn features_are_printed() {
        let path = env::var("PROBARE_EXCHANGES").expect("PROBARE_EXCHANGES names a file");
        for line in fs::read_to_string(path).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| TaggedText::from_text(row[name].as_str().unwrap_or_default());
            let improved = ExchangeAnalysis::new(text("user"), text("assistant"));
            let features = improved.topic_pivot().features;
            let named = || NAMES.map(str::to_owned).into_iter().zip(features).collect::<BTreeMap<_, _>>();
            let found = improved.not_vulnerable_reason().is_none().then(named);
            println!("{}", serde_json::json!({"id": row["id"], "features": found}));
        }
    }
}
