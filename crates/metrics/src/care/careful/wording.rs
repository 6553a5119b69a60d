//! The phrases of the `careful` profile, from `data/care/careful_phrases.yaml`, found in a reading.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::findings::Finding;
use super::reading::Reading;
use crate::care::phrases::{Matcher, Phrase, Words};

/// What a phrase is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// An order in another form.
    Pressure,
    /// Makes the user small.
    Belittling,
    /// Invites.
    Invitation,
    /// Claims certainty.
    Certainty,
    /// Predicts.
    Outcome,
    /// Reads a mind.
    Mind,
    /// Turns away.
    Turn,
    /// Belongs to the beginning or the end of a talk, or speaks of it.
    Formula,
    /// Takes in.
    Acknowledgement,
    /// Shows distress in the user's message.
    Hurt,
    /// A strong word without distress.
    Harmless,
    /// Asks for a text.
    WantsText,
    /// Asks for facts or help.
    WantsFacts,
    /// Asks nobody.
    Rhetorical,
    /// Weighs a decision.
    Decision,
    /// Asks how something will turn out.
    Forecast,
    /// Tells something good.
    Glad,
}

impl Sense {
    const ALL: [(&'static str, Self); 17] = [
        ("pressure", Self::Pressure),
        ("belittling", Self::Belittling),
        ("invitation", Self::Invitation),
        ("certainty", Self::Certainty),
        ("outcome", Self::Outcome),
        ("mind", Self::Mind),
        ("turn", Self::Turn),
        ("formula", Self::Formula),
        ("acknowledgement", Self::Acknowledgement),
        ("hurt", Self::Hurt),
        ("harmless", Self::Harmless),
        ("wants_text", Self::WantsText),
        ("wants_facts", Self::WantsFacts),
        ("rhetorical", Self::Rhetorical),
        ("decision", Self::Decision),
        ("forecast", Self::Forecast),
        ("glad", Self::Glad),
    ];
}

/// A phrase that was found.
#[derive(Debug, Clone)]
pub(super) struct Wording {
    pub sense: Sense,
    pub id: &'static str,
    pub meaning: &'static str,
    /// First and last token.
    pub first: usize,
    pub last: usize,
    /// Number of the sentence.
    pub sentence: usize,
}

impl Wording {
    /// The phrase as something that a rule found, under the name of its family.
    pub(super) fn finding(&self, reading: &Reading) -> Finding {
        Finding { rule: self.id, meaning: self.meaning, span: reading.origin(self.first, self.last) }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    id: String,
    meaning: String,
    phrases: Vec<String>,
}

struct Table {
    matcher: Matcher,
    families: Vec<(Sense, &'static str, &'static str)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table().expect("a test reads the phrases"));

fn table() -> Result<Table, String> {
    let text = include_str!("../../../data/care/careful_phrases.yaml");
    let mut groups: BTreeMap<String, Vec<Family>> = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    let mut table = Table { matcher: Matcher::default(), families: Vec::new() };
    for (name, sense) in Sense::ALL {
        for family in groups.remove(name).unwrap_or_default() {
            let phrases: Result<Vec<Phrase>, _> = family.phrases.iter().map(|text| Phrase::read(text)).collect();
            let phrases = phrases.map_err(|error| error.to_string())?;
            let refused = |(number, problem)| format!("`{}`: {problem}", family.phrases[number]);
            table.matcher.add(sense as usize, &phrases).map_err(refused)?;
            // Leaked once: the table lives as long as the program and its names go into evidence.
            table.families.push((sense, family.id.leak(), family.meaning.leak()));
        }
    }
    if groups.is_empty() { Ok(table) } else { Err(format!("unknown groups: {:?}", groups.keys())) }
}

/// What is looked for in replies.
pub(super) const IN_REPLIES: [Sense; 9] = [
    Sense::Pressure,
    Sense::Belittling,
    Sense::Invitation,
    Sense::Certainty,
    Sense::Outcome,
    Sense::Mind,
    Sense::Turn,
    Sense::Formula,
    Sense::Acknowledgement,
];

/// Those of the found phrases that stand in the sentence of this number.
pub(super) fn in_sentence(found: &[Wording], number: usize) -> &[Wording] {
    // They come sentence by sentence.
    let after = &found[found.partition_point(|wording| wording.sentence < number)..];
    &after[..after.partition_point(|wording| wording.sentence == number)]
}

/// All phrases of some senses in a reading, outside of quotations and code, sentence by sentence.
pub(super) fn wordings(reading: &Reading, senses: &[Sense]) -> Vec<Wording> {
    let mut found = Vec::new();
    let mut limits = [0; Sense::ALL.len()];
    for sense in senses {
        limits[*sense as usize] = usize::MAX;
    }
    for (number, sentence) in reading.sentences.iter().enumerate() {
        probare_cancellation::steps(1);
        let text = &reading.text[sentence.at.clone()];
        for hit in TABLE.matcher.find(text, &Words::of(text), &limits) {
            probare_cancellation::steps(1);
            let (sense, id, meaning) = TABLE.families[hit.family];
            let first = reading.token_at(sentence.at.start + hit.span.start);
            let last = reading.token_at(sentence.at.start + hit.span.end.saturating_sub(1)).max(first);
            if reading.tokens.get(first).is_some_and(|token| !token.apart) {
                found.push(Wording { sense, id, meaning, first, last, sentence: number });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phrases_compile() {
        assert!(table().is_ok(), "{:?}", table().err());
    }

    #[test]
    fn a_phrase_is_found_in_its_sentence_and_not_in_quotation_marks() {
        let reading = Reading::of("She said “man up”. Cheer  up, and MAN UP!");
        let found = wordings(&reading, &[Sense::Belittling]);
        assert_eq!(found.len(), 1);
        assert_eq!(reading.word(found[0].first), "cheer");
    }
}
