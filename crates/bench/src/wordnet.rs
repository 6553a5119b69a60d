//! Look-ups in WordNet per CPU-second: the senses of a lemma, for every lemma in a drawn order and for words of a text.

use std::hint::black_box;

use probare_stats::Random;
use probare_text::wordnet::{PartOfSpeech, WordNet};

use crate::{parser, processor_time};

/// Prints a line for each order of look-ups.
pub fn print() -> Result<(), Box<dyn std::error::Error>> {
    let wordnet = WordNet::embedded();
    println!("\n{:48} {:>16}", "WordNet", "look-ups/CPU-s");
    let lemmas = shuffled(all_lemmas(wordnet));
    print_rate(&format!("senses of all {} lemmas, in any order", lemmas.len()), wordnet, &lemmas);
    let text = parser::interview_text()?;
    let parts = PartOfSpeech::ALL;
    let words: Vec<(String, PartOfSpeech)> = text
        .split(|character: char| !character.is_alphabetic())
        .filter(|word| !word.is_empty())
        .enumerate()
        .map(|(place, word)| (word.to_lowercase(), parts[place % parts.len()]))
        .collect();
    print_rate(&format!("senses of the {} words of a text", words.len()), wordnet, &words);
    Ok(())
}

fn print_rate(name: &str, wordnet: &WordNet, words: &[(String, PartOfSpeech)]) {
    let pass = || {
        let senses: u32 =
            words.iter().flat_map(|(word, part)| wordnet.senses(word, *part)).map(|sense| sense.count).sum();
        black_box(senses);
    };
    pass();
    match processor_time::rate(words.len(), pass) {
        Some(rate) => println!("{name:48} {rate:>16.0}"),
        None => println!("{name:48} left out: this system does not tell the processor time"),
    }
}

/// Every lemma with every part of speech that it has senses in.
fn all_lemmas(wordnet: &WordNet) -> Vec<(String, PartOfSpeech)> {
    let mut lemmas: Vec<(String, PartOfSpeech)> = wordnet
        .all_synsets()
        .filter_map(|synset| Some((synset, wordnet.category(synset)?.part_of_speech())))
        .flat_map(|(synset, part)| {
            wordnet.words(synset).into_iter().map(move |word| (word.to_lowercase().replace(' ', "_"), part))
        })
        .collect();
    lemmas.sort_unstable();
    lemmas.dedup();
    lemmas
}

/// In a drawn order, so that neighbours in the table are not asked for one after the other.
fn shuffled<T>(mut list: Vec<T>) -> Vec<T> {
    let mut random = Random::new(5);
    random.shuffle(&mut list);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lemma_has_a_sense() {
        let wordnet = WordNet::embedded();
        let lemmas = all_lemmas(wordnet);
        assert!(lemmas.len() > 150_000, "{}", lemmas.len());
        assert!(lemmas.iter().all(|(lemma, part)| wordnet.senses(lemma, *part).next().is_some()));
    }
}
