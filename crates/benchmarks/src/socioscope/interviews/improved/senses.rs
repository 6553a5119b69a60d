//! Whether a word is meant as the value: in its part of speech, alone, and not as a function word.

use probare_english::text_analysis::ClauseGap;
use probare_text::wordnet::{PartOfSpeech, Synset, WordNet};

use super::words::SpokenWord;
use crate::socioscope::interviews::matching::MatchReason;

/// Pronouns that a noun does not take behind it.
const OBJECTS: [&str; 6] = ["him", "them", "me", "us", "himself", "herself"];

/// What a word means instead of the value, as the rest of a sentence; nothing where it may mean the value.
pub(super) fn other_sense(
    words: &[SpokenWord],
    at: usize,
    length: usize,
    value: &str,
    reason: &MatchReason,
    written: &str,
    wordnet: &WordNet,
) -> Option<String> {
    if length == 1
        && matches!(reason, MatchReason::Synonym { .. })
        && written.chars().count() <= 2
        && written.chars().any(char::is_lowercase)
    {
        return Some(format!("`{written}` is a function word here"));
    }
    if length == 1 {
        let next = words.get(at + 1).filter(|word| word.gap == ClauseGap::Nothing);
        if let Some(next) = next
            && OBJECTS.contains(&next.form.as_str())
            && !wordnet.synsets(value, PartOfSpeech::Noun).is_empty()
            && !wordnet.synsets(&words[at].form, PartOfSpeech::Verb).is_empty()
        {
            return Some(format!("it is a verb before `{}`", next.form));
        }
    }
    collocation(words, at, length, value, wordnet)
        .map(|phrase| format!("it belongs to `{phrase}`, which is something else"))
}

/// A fixed expression of WordNet that the words are part of and that is no kind of what the value means.
fn collocation(words: &[SpokenWord], at: usize, length: usize, value: &str, wordnet: &WordNet) -> Option<String> {
    let joined = |from: usize, to: usize| {
        let stretch = words.get(from..to)?;
        let is_together = stretch.iter().skip(1).all(|word| word.gap == ClauseGap::Nothing);
        let forms: Vec<&str> = stretch.iter().map(|word| word.form.as_str()).collect();
        is_together.then(|| forms.join(" "))
    };
    let before = at.checked_sub(1).and_then(|from| joined(from, at + length));
    [joined(at, at + length + 1), before].into_iter().flatten().find(|phrase| {
        [PartOfSpeech::Noun, PartOfSpeech::Verb].into_iter().any(|part| {
            let (meanings, value_meanings) = (wordnet.synsets(phrase, part), wordnet.synsets(value, part));
            // A value of another part of speech, as `rural` in `rural area`, keeps its meaning.
            !meanings.is_empty() && !value_meanings.is_empty() && !is_kind_of_any(&meanings, &value_meanings, wordnet)
        })
    })
}

fn is_kind_of_any(meanings: &[Synset], wanted: &[Synset], wordnet: &WordNet) -> bool {
    meanings.iter().any(|meaning| wanted.iter().any(|wanted| wordnet.is_kind_of(*meaning, *wanted)))
}

#[cfg(test)]
mod tests {
    use super::super::words::spoken_words;
    use super::*;

    fn sense(text: &str, word: &str, value: &str) -> Option<String> {
        let words = spoken_words(text);
        let at = words.iter().position(|found| found.form == word).unwrap();
        other_sense(&words, at, 1, value, &MatchReason::Exact, word, WordNet::embedded())
    }

    #[test]
    fn fixed_expressions_and_verbs_are_something_else() {
        assert!(sense("A trust fund paid for it", "trust", "trust").unwrap().contains("trust fund"));
        assert!(sense("It did strike him as odd", "strike", "strike").unwrap().contains("verb"));
        assert_eq!(sense("They went on strike", "strike", "strike"), None);
        assert_eq!(sense("in the winter months", "winter", "winter"), None);
        assert_eq!(sense("a sports car", "car", "car"), None, "a kind of car");
    }

    #[test]
    fn short_synonyms_are_written_in_capitals() {
        let words = spoken_words("He told us about Canada");
        let reason = MatchReason::Synonym { synset: None };
        let wordnet = WordNet::embedded();
        assert!(other_sense(&words, 2, 1, "United States", &reason, "us", wordnet).is_some());
        assert!(other_sense(&words, 2, 1, "United States", &reason, "US", wordnet).is_none());
    }
}
