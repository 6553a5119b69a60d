//! [`Mention`]: a value, where the answer names it, and why it is said to.

use std::ops::Range;

use probare_text::normalise::normalise;
use probare_text::number_words::canonical;
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::SurfaceOrigin;

/// A place at which the answer names a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Which value.
    pub value: usize,
    /// The bytes of the response.
    pub span: Range<usize>,
    /// The form that was compared.
    pub surface: String,
    /// Why it stands for the value.
    pub reason: MatchReason,
    /// Whether it counts.
    pub status: MentionStatus,
}

impl Mention {
    /// Whether it counts.
    pub fn is_asserted(&self) -> bool {
        self.status == MentionStatus::Asserted
    }
}

/// Why words of an answer stand for a value.
#[derive(Debug, Clone, PartialEq)]
pub enum MatchReason {
    /// The same words.
    Exact,
    /// The same number in another form.
    Number,
    /// A synonym; the meaning that they share, as `car.n.01`.
    Synonym {
        /// Name of the synset; nothing where it was found through an inflected form.
        synset: Option<String>,
    },
    /// An inflected form: the value or a synonym of it, and the form that is in the table.
    BaseForm {
        /// The dictionary form.
        base: String,
    },
    /// A near spelling.
    Fuzzy {
        /// 1 - edits / length of the longer one.
        similarity: f64,
    },
    /// The same name in another spelling of its letters: å and aa, a hyphen more or less.
    Spelling,
    /// Not named itself: everything was, with exceptions.
    Remaining,
}

impl MatchReason {
    /// In words, for a reader.
    pub fn describe(&self) -> String {
        match self {
            Self::Exact => "the same words".to_owned(),
            Self::Number => "the same number".to_owned(),
            Self::Synonym { synset: Some(synset) } => format!("synonym through {synset}"),
            Self::Synonym { synset: None } => "synonym".to_owned(),
            Self::BaseForm { base } => format!("a form of `{base}`"),
            Self::Fuzzy { similarity } => format!("near spelling, similarity {similarity:.3}"),
            Self::Spelling => "another spelling of the same letters".to_owned(),
            Self::Remaining => "everything is named with exceptions, and this is none of them".to_owned(),
        }
    }

    /// One word, for files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Number => "number",
            Self::Synonym { .. } => "synonym",
            Self::BaseForm { .. } => "base_form",
            Self::Fuzzy { .. } => "fuzzy",
            Self::Spelling => "spelling",
            Self::Remaining => "remaining",
        }
    }
}

/// Whether a mention counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MentionStatus {
    /// It does.
    Asserted,
    /// It is denied, by this word.
    Denied(String),
    /// It means something else here, and what.
    OtherSense(String),
}

/// The values that are asserted, in the order of their first mention.
pub fn asserted_values(mentions: &[Mention]) -> Vec<usize> {
    let mut values = Vec::new();
    for mention in mentions.iter().filter(|mention| mention.is_asserted()) {
        if !values.contains(&mention.value) {
            values.push(mention.value);
        }
    }
    values
}

/// Why a surface of the table that stands in the answer as `written` stands for `value`.
pub fn surface_reason(
    origin: SurfaceOrigin,
    surface: &str,
    written: &str,
    value: &str,
    wordnet: Option<&WordNet>,
) -> MatchReason {
    match origin {
        SurfaceOrigin::Value if normalise(written) == normalise(value) => MatchReason::Exact,
        SurfaceOrigin::Value => MatchReason::Number,
        SurfaceOrigin::Synonym => {
            MatchReason::Synonym { synset: wordnet.and_then(|wordnet| shared_synset(wordnet, value, surface)) }
        }
    }
}

/// The name of the first meaning that a value shares with the synonym whose canonical form is `surface`.
fn shared_synset(wordnet: &WordNet, value: &str, surface: &str) -> Option<String> {
    PartOfSpeech::ALL
        .into_iter()
        .flat_map(|part| wordnet.synsets(value, part))
        .find(|synset| wordnet.words(*synset).iter().any(|word| canonical(word) == surface))
        .and_then(|synset| wordnet.synset_name(synset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_synonym_names_its_meaning() {
        let wordnet = Some(WordNet::embedded());
        let reason = surface_reason(SurfaceOrigin::Synonym, "automobile", "Automobile", "car", wordnet);
        assert_eq!(reason, MatchReason::Synonym { synset: Some("car.n.01".into()) });
        assert_eq!(surface_reason(SurfaceOrigin::Value, "5", "five", "5", wordnet), MatchReason::Number);
        assert_eq!(surface_reason(SurfaceOrigin::Value, "5", "5", "5", wordnet), MatchReason::Exact);
    }
}
