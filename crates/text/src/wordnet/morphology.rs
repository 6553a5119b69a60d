//! From an inflected form to the lemmas it may come from, the way WordNet's own `morphy` does it.
//!
//! A word in the exception list of a part of speech has the base forms given there and no others. Any other word gets
//! each suffix rule applied once. In both cases the word itself comes first, and only lemmas of that part of speech
//! remain, so that `gas` does not become `ga`.

use super::entries::Lemma;
use super::net::key;
use super::reader::VarintReader;
use super::recent::{self, Question};
use super::{PartOfSpeech, PartsOfSpeech, Synset, WordNet};

/// Endings and what takes their place, from the manual page `morphy(7WN)` of WordNet 3.0.
fn rules(part: PartOfSpeech) -> &'static [(&'static str, &'static str)] {
    match part {
        PartOfSpeech::Noun => &[
            ("s", ""),
            ("ses", "s"),
            ("ves", "f"),
            ("xes", "x"),
            ("zes", "z"),
            ("ches", "ch"),
            ("shes", "sh"),
            ("men", "man"),
            ("ies", "y"),
        ],
        PartOfSpeech::Verb => {
            &[("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")]
        }
        PartOfSpeech::Adjective => &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
        PartOfSpeech::Adverb => &[],
    }
}

impl WordNet {
    /// The lemmas of one part of speech that a word may be a form of, itself first if it is one. Empty for a word that
    /// WordNet does not know. Collocations are taken as a whole.
    pub fn base_forms(&self, word: &str, part: PartOfSpeech) -> Vec<String> {
        recent::answer(self, Question::BaseForms(part), word, || {
            let lemmas = self.form(&key(word)).base_lemmas(part);
            lemmas.into_iter().map(|lemma| self.lemma_name(lemma)).collect()
        })
    }

    /// The meanings that a word, or what it is an inflected form of, has as one part of speech: those of the word
    /// itself first, then those of its base forms, each once.
    pub fn synsets(&self, word: &str, part: PartOfSpeech) -> Vec<Synset> {
        self.form(&key(word)).synsets(part)
    }

    /// The parts of speech that a word may have, as a lemma or as an inflected form.
    pub fn parts_of_speech(&self, word: &str) -> PartsOfSpeech {
        let key = key(word);
        let form = self.form(&key);
        let mut parts = form.own.map(|(_, parts)| parts).unwrap_or_default();
        for part in PartOfSpeech::ALL {
            if !parts.contains(part) && !form.base_lemmas(part).is_empty() {
                parts.insert(part);
            }
        }
        parts
    }

    /// Looks a key up among lemmas and exceptions.
    pub(super) fn form<'a>(&'a self, key: &'a str) -> WordForm<'a> {
        let own = self.find_lemma(key).map(|lemma| (lemma, self.parts_of(lemma)));
        WordForm { wordnet: self, key, own, exception: self.exception(key) }
    }

    /// A reader at the record of an exception: a byte with the parts of speech in whose lists the word is, then for
    /// each how many lemmas and their numbers.
    fn exception(&self, key: &str) -> Option<VarintReader<'_>> {
        let number = self.table.exception_names().find(key)?;
        let (mut reader, before) = self.table.exceptions().block_of(number)?;
        for _ in 0..before {
            for _ in 0..PartsOfSpeech::from_bits(reader.byte()?).len() {
                let count = reader.number()?;
                reader.skip_numbers(count)?;
            }
        }
        Some(reader)
    }
}

/// A word in a text and what the lists say about it. Made once, asked for each part of speech.
pub(super) struct WordForm<'a> {
    wordnet: &'a WordNet,
    key: &'a str,
    own: Option<(Lemma, PartsOfSpeech)>,
    exception: Option<VarintReader<'a>>,
}

impl WordForm<'_> {
    /// The lemma that is spelled like the word.
    pub(super) fn lemma(&self) -> Option<Lemma> {
        self.own.map(|(lemma, _)| lemma)
    }

    /// [`WordNet::synsets`] of the word.
    pub(super) fn synsets(&self, part: PartOfSpeech) -> Vec<Synset> {
        let mut found = Vec::new();
        for lemma in self.base_lemmas(part) {
            for sense in self.wordnet.senses_of(lemma, part) {
                if !found.contains(&sense.synset) {
                    found.push(sense.synset);
                }
            }
        }
        found
    }

    /// [`WordNet::base_forms`] of the word as lemmas.
    pub(super) fn base_lemmas(&self, part: PartOfSpeech) -> Vec<Lemma> {
        let mut found: Vec<Lemma> =
            self.own.iter().filter(|(_, parts)| parts.contains(part)).map(|(lemma, _)| *lemma).collect();
        let mut keep = |lemma: Lemma| {
            if self.wordnet.parts_of(lemma).contains(part) && !found.contains(&lemma) {
                found.push(lemma);
            }
        };
        if let Some(bases) = self.exceptional_bases(part) {
            bases.into_iter().for_each(keep);
            return found;
        }
        let mut candidate = String::new();
        for (ending, replacement) in rules(part) {
            if let Some(stem) = self.key.strip_suffix(ending) {
                candidate.clear();
                candidate.push_str(stem);
                candidate.push_str(replacement);
                if let Some(lemma) = self.wordnet.find_lemma(&candidate) {
                    keep(lemma);
                }
            }
        }
        found
    }

    /// The base forms that an exception list gives; `None` for a word that is not in it.
    fn exceptional_bases(&self, part: PartOfSpeech) -> Option<Vec<Lemma>> {
        let mut reader = self.exception?;
        for here in PartsOfSpeech::from_bits(reader.byte()?).iter() {
            let count = reader.number()?;
            if here == part {
                return read_lemmas(&mut reader, count);
            }
            reader.skip_numbers(count)?;
        }
        None
    }
}

fn read_lemmas(reader: &mut VarintReader<'_>, count: u32) -> Option<Vec<Lemma>> {
    (0..count).map(|_| reader.number().map(Lemma)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use PartOfSpeech::{Adjective, Adverb, Noun, Verb};

    fn bases(word: &str, part: PartOfSpeech) -> Vec<String> {
        WordNet::embedded().base_forms(word, part)
    }

    #[test]
    fn exceptions_replace_the_rules() {
        assert_eq!(bases("mice", Noun), ["mouse"]);
        assert_eq!(bases("went", Verb), ["go"]);
        assert_eq!(bases("better", Adjective), ["better", "good", "well"]);
        assert_eq!(bases("better", Adverb), ["better", "well"]);
    }

    #[test]
    fn rules_apply_once_and_lead_to_lemmas_only() {
        assert_eq!(bases("Boats", Noun), ["boat"]);
        assert_eq!(bases("gas", Noun), ["gas"]);
        assert_eq!(bases("forest", Adjective), Vec::<String>::new());
        assert_eq!(bases("churches", Noun), ["church"]);
        assert_eq!(bases("ice creams", Noun), ["ice cream"]);
        assert_eq!(bases("xyzzyq", Noun), Vec::<String>::new());
    }

    #[test]
    fn a_word_has_the_parts_of_speech_of_its_base_forms() {
        let parts = |word: &str| format!("{:?}", WordNet::embedded().parts_of_speech(word));
        assert_eq!(parts("mice"), "{Noun}");
        assert_eq!(parts("running"), "{Noun, Verb, Adjective}");
        assert_eq!(parts("quickly"), "{Adverb}");
        assert_eq!(parts(""), "{}");
    }
}
