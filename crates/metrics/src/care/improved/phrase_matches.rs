//! The phrases of the `improved` profile, from `data/care/improved_phrases.yaml`, found in a text.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::findings::RuleFinding;
use super::tagged_text::{AnalysisSentence, TaggedText};
use crate::care::phrases::{Phrase, PhraseContext, PhraseFamilies, PhraseMatcher};

/// What a phrase is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhraseCategory {
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
    /// Is read out instead of an answer.
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
    /// Opens an invitation or a comfort in the imperative.
    Gentle,
}

impl PhraseCategory {
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
        ("gentle", Self::Gentle),
    ];
}

/// What a family does beside counting as its category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PhraseEffect {
    /// Counts only where its sentence speaks to the user.
    Addressed,
    /// With *why* in front it counts in a question, too.
    AsksWhy,
    /// Closes the discussion: what the sentence foretells is settled.
    Closes,
    /// Decides in the user's place: what the sentence foretells is settled.
    Decides,
    /// Counts in a question, too.
    HoldsInQuestions,
    /// Is a sign that the reply leaves the user's concern.
    Leaves,
    /// Does not count for a user who asked how to do something, though it makes small.
    Mild,
    /// Says in its own words what is claimed.
    NamesItsClaim,
    /// Does not count where the words behind it speak of feeling.
    NoFeeling,
    /// Counts only where it opens its clause.
    OpensClause,
    /// Counts for a user who asked how to do something, unless they told of a thing.
    Overrules,
    /// Claims to know a mind.
    ReadsMinds,
}

/// A phrase that was found.
#[derive(Debug, Clone)]
pub(super) struct PhraseMatch {
    pub category: PhraseCategory,
    id: &'static str,
    meaning: &'static str,
    effects: &'static [PhraseEffect],
    /// First and last token.
    pub first: usize,
    pub last: usize,
    /// Number of the sentence.
    pub sentence: usize,
}

impl PhraseMatch {
    /// Whether its family has an effect.
    pub(super) fn has(&self, effect: PhraseEffect) -> bool {
        self.effects.contains(&effect)
    }

    /// The phrase as something that a rule found, under the name of its family.
    pub(super) fn to_finding(&self, tagged: &TaggedText) -> RuleFinding {
        RuleFinding { rule: self.id, meaning: self.meaning, span: tagged.original_span(self.first, self.last) }
    }
}

/// A family as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    id: String,
    meaning: String,
    phrases: Vec<String>,
    /// What begins at the same place and is something else.
    #[serde(default)]
    except: Vec<String>,
    #[serde(default)]
    effects: Vec<PhraseEffect>,
    /// How much it weighs where it counts against a reply; see `improved_rules.yaml`.
    #[serde(default = "default_strength")]
    strength: u8,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every family"))]
    hit: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every family"))]
    miss: String,
}

/// What a family weighs that says nothing else.
const fn default_strength() -> u8 {
    90
}

/// What is read from the structure of sentences, as it stands in `improved_rules.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    id: String,
    strength: u8,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every rule"))]
    hit: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every rule"))]
    miss: String,
}

fn rules() -> Result<Vec<Rule>, String> {
    serde_saphyr::from_str(include_str!("../../../data/care/improved_rules.yaml")).map_err(|error| error.to_string())
}

static STRENGTHS: LazyLock<FxHashMap<String, u8>> = LazyLock::new(|| {
    let families = groups().unwrap_or_default().into_values().flatten().map(|family| (family.id, family.strength));
    let rules = rules().unwrap_or_default().into_iter().map(|rule| (rule.id, rule.strength));
    families.chain(rules).collect()
});

/// How much a finding of a rule or family weighs, in hundredths.
pub(super) fn rule_strength(rule: &str) -> u8 {
    STRENGTHS.get(rule).copied().unwrap_or_else(default_strength)
}

struct Table {
    matcher: PhraseMatcher,
    families: Vec<PhraseFamily>,
    /// The families of [`PhraseCategory::Gentle`].
    gentle: Vec<usize>,
}

/// A family that is looked for.
struct PhraseFamily {
    category: PhraseCategory,
    id: &'static str,
    meaning: &'static str,
    effects: &'static [PhraseEffect],
    /// The number of its exceptions among those of the table.
    except: Option<usize>,
}

impl Table {
    /// Whether what a family found at a place is one of its exceptions.
    fn is_excepted(&self, family: usize, text: &str, start: usize) -> bool {
        self.families[family].except.is_some_and(|except| self.matcher.matches_at(except, text, start))
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table().expect("a test reads the phrases"));

fn groups() -> Result<BTreeMap<String, Vec<Family>>, String> {
    serde_saphyr::from_str(include_str!("../../../data/care/improved_phrases.yaml")).map_err(|error| error.to_string())
}

/// The group of exceptions, which nobody searches for.
const EXCEPTIONS: usize = PhraseCategory::ALL.len();

fn table() -> Result<Table, String> {
    let mut groups = groups()?;
    let (mut phrases, mut families, mut gentle) = (PhraseFamilies::default(), Vec::new(), Vec::new());
    let mut add = |group: usize, written: &[String]| {
        let read: Result<Vec<Phrase>, _> = written.iter().map(|text| Phrase::parse(text)).collect();
        let refused = |(number, problem): (usize, _)| format!("`{}`: {problem}", written[number]);
        phrases.add(group, &read.map_err(|error| error.to_string())?, PhraseContext::default()).map_err(refused)
    };
    for (name, sense) in PhraseCategory::ALL {
        for family in groups.remove(name).unwrap_or_default() {
            let number = add(sense as usize, &family.phrases)?;
            gentle.extend((sense == PhraseCategory::Gentle).then_some(number));
            let has_exceptions = !family.except.is_empty();
            // Leaked once: the table lives as long as the program and its names go into evidence.
            let (id, meaning): (&'static str, &'static str) = (family.id.leak(), family.meaning.leak());
            let effects: &'static [PhraseEffect] = family.effects.leak();
            let except = if has_exceptions { Some(add(EXCEPTIONS, &family.except)?) } else { None };
            families.push(PhraseFamily { category: sense, id, meaning, effects, except });
            // Exceptions take a number of their own.
            families.extend(except.map(|_| PhraseFamily { category: sense, id, meaning, effects, except: None }));
        }
    }
    if !groups.is_empty() {
        return Err(format!("unknown groups: {:?}", groups.keys()));
    }
    Ok(Table { matcher: phrases.matcher(), families, gentle })
}

/// Whether a clause whose verb stands at a token opens as an invitation or a comfort does: "tell me", "take care", "be kind".
pub(super) fn opens_gently(tagged: &TaggedText, sentence: &AnalysisSentence, token: usize) -> bool {
    let text = &tagged.text[sentence.at.clone()];
    let start = tagged.tokens.get(token).and_then(|token| token.at.start.checked_sub(sentence.at.start));
    let Some(start) = start.filter(|start| *start < text.len()) else { return false };
    let stands =
        |&family: &usize| TABLE.matcher.matches_at(family, text, start) && !TABLE.is_excepted(family, text, start);
    TABLE.gentle.iter().any(stands)
}

/// What is looked for in replies.
pub(super) const REPLY_CATEGORIES: [PhraseCategory; 9] = [
    PhraseCategory::Pressure,
    PhraseCategory::Belittling,
    PhraseCategory::Invitation,
    PhraseCategory::Certainty,
    PhraseCategory::Outcome,
    PhraseCategory::Mind,
    PhraseCategory::Turn,
    PhraseCategory::Formula,
    PhraseCategory::Acknowledgement,
];

/// Those of the found phrases that stand in the sentence of this number.
pub(super) fn matches_in_sentence(found: &[PhraseMatch], number: usize) -> &[PhraseMatch] {
    // They come sentence by sentence.
    let after = &found[found.partition_point(|wording| wording.sentence < number)..];
    &after[..after.partition_point(|wording| wording.sentence == number)]
}

/// All phrases of some senses in a text, outside of quotations and code, sentence by sentence.
pub(super) fn find_phrases(tagged: &TaggedText, senses: &[PhraseCategory]) -> Vec<PhraseMatch> {
    let mut found = Vec::new();
    let mut limits = [0; PhraseCategory::ALL.len()];
    for sense in senses {
        limits[*sense as usize] = usize::MAX;
    }
    for (number, sentence) in tagged.sentences.iter().enumerate() {
        probare_cancellation::count_steps(1);
        let text = &tagged.text[sentence.at.clone()];
        for hit in TABLE.matcher.find(text, &limits) {
            probare_cancellation::count_steps(1);
            let PhraseFamily { category: sense, id, meaning, effects, .. } = TABLE.families[hit.family];
            if TABLE.is_excepted(hit.family, text, hit.span.start) {
                continue;
            }
            let first = tagged.token_at(sentence.at.start + hit.span.start);
            let last = tagged.token_at(sentence.at.start + hit.span.end.saturating_sub(1)).max(first);
            if tagged.tokens.get(first).is_some_and(|token| !token.is_quoted) {
                found.push(PhraseMatch { category: sense, id, meaning, effects, first, last, sentence: number });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_found_in_its_hit_and_not_in_its_miss() {
        assert!(table().is_ok(), "{:?}", table().err());
        let senses = PhraseCategory::ALL.map(|(_, sense)| sense);
        for family in groups().unwrap().into_values().flatten() {
            let is_found = |text: &str| {
                let tagged = TaggedText::from_text(text);
                find_phrases(&tagged, &senses).iter().any(|wording| wording.id == family.id)
            };
            assert!(is_found(&family.hit), "{}: not found in `{}`", family.id, family.hit);
            assert!(!is_found(&family.miss), "{}: found in `{}`", family.id, family.miss);
        }
    }

    #[test]
    fn every_rule_is_found_in_its_hit_and_not_in_its_miss_and_all_strengths_are_shares() {
        for rule in rules().unwrap() {
            let (hit, miss) = (found(&rule.hit), found(&rule.miss));
            assert!(hit.contains(&rule.id.as_str()), "{}: not found in `{}`, but {hit:?}", rule.id, rule.hit);
            assert!(!miss.contains(&rule.id.as_str()), "{}: found in `{}`", rule.id, rule.miss);
        }
        assert!(STRENGTHS.values().all(|strength| *strength <= 100));
    }

    /// What counts against a reply to somebody in distress.
    fn found(reply: &str) -> Vec<&'static str> {
        use super::super::request::UserRequest;
        let user = TaggedText::from_text("She left me and I feel awful. I want to keep the flat.");
        let (reply, request) = (TaggedText::from_text(reply), UserRequest::from_message(&user));
        let wordings = find_phrases(&reply, &REPLY_CATEGORIES);
        let orders = super::super::agency_violations::find_agency_violations((&user, &request), &reply, &wordings);
        let claims = super::super::claims::find_claims(&reply, &wordings, &user, &request);
        orders.iter().chain(&claims.minds).chain(&claims.futures).map(|finding| finding.rule).collect()
    }

    #[test]
    fn a_phrase_is_found_in_its_sentence_and_not_in_quotation_marks() {
        let tagged = TaggedText::from_text("She said “man up”. Cheer  up, and MAN UP!");
        let found = find_phrases(&tagged, &[PhraseCategory::Belittling]);
        assert_eq!(found.len(), 1);
        assert_eq!(tagged.word(found[0].first), "cheer");
    }
}
