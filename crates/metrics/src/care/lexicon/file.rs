//! [`LexiconFile`]: families of phrases as they stand in a file, bundled or a user's own.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::{LexiconError, PhraseGroup, Upstream};

const BUNDLED: [&str; 3] = [
    include_str!("../../../data/care/agency_language.yaml"),
    include_str!("../../../data/care/unverifiable_reassurance.yaml"),
    include_str!("../../../data/care/topic_pivot.yaml"),
];

/// The same in Synthesis 1.3.
const BUNDLED_1_3: [&str; 3] = [
    include_str!("../../../data/care/synthesis_1_3/agency_language.yaml"),
    include_str!("../../../data/care/synthesis_1_3/unverifiable_reassurance.yaml"),
    include_str!("../../../data/care/synthesis_1_3/topic_pivot.yaml"),
];

/// Families of phrases for the care checkers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LexiconFile {
    /// What the families of this file are added to.
    pub extends: Extends,
    /// Families of `agency_language`.
    pub agency_language: AgencyFamilies,
    /// Families of `unverifiable_reassurance`.
    pub unverifiable_reassurance: ReassuranceFamilies,
    /// Families of `topic_pivot`.
    pub topic_pivot: PivotFamilies,
}

/// What the families of a file are added to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Extends {
    /// The bundled families; a family of the same id takes the place of the bundled one.
    #[default]
    Bundled,
    /// Nothing: the file stands alone.
    Nothing,
}

/// Families of `agency_language`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgencyFamilies {
    /// Invitations: each family found adds one to the score.
    pub positive: Vec<Family>,
    /// Orders: each family found takes one away.
    pub directive: Vec<Family>,
}

/// Families of `unverifiable_reassurance`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReassuranceFamilies {
    /// Claims about minds.
    pub mind_reading: Vec<Family>,
    /// Claims about the future.
    pub guarantee: Vec<Family>,
}

/// Families of `topic_pivot`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PivotFamilies {
    /// Signs in the user's message that they are vulnerable.
    pub vulnerability: Vec<Family>,
    /// Signs in the first two sentences that the reply takes it in.
    pub acknowledgement: Vec<Family>,
    /// Signs that the reply asks on.
    pub follow_up: Vec<Family>,
    /// Signs that the reply turns away.
    #[serde(rename = "pivot")]
    pub turns: Vec<Family>,
}

/// One family: phrases that are evidence of the same thing and count once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Short name, shown in reports.
    #[schemars(with = "String")]
    pub id: Spanned<String>,
    /// What a hit says, in a few words.
    #[serde(default)]
    pub meaning: String,
    /// The phrases, in the notation of the bundled files.
    #[schemars(with = "Vec<String>")]
    pub phrases: Vec<Spanned<String>>,
    /// Words directly before which a phrase does not count: `[do, if]` passes over "if you should".
    #[serde(default)]
    pub not_after: Vec<String>,
    /// A text directly behind which a phrase does not count: `" to"` passes over "move on to".
    #[serde(default)]
    pub not_before: Option<String>,
}

impl LexiconFile {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, LexiconError> {
        serde_saphyr::from_str(text).map_err(|error| LexiconError {
            line: error.location().map(|location| location.line()),
            message: error.to_string(),
        })
    }

    /// The three bundled files of a version as one.
    pub(super) fn bundled(upstream: Upstream) -> Self {
        let files = match upstream {
            Upstream::V1_0 => &BUNDLED,
            Upstream::V1_3 => &BUNDLED_1_3,
        };
        files
            .iter()
            .map(|text| Self::parse(text).expect("a test reads the bundled phrases"))
            .fold(Self::default(), Self::merged_with)
    }

    /// These families with those of another file added, or put in the place of those with the same id.
    pub(super) fn merged_with(mut self, other: Self) -> Self {
        for (family, more) in self.groups_mut().into_iter().zip(other.into_groups()) {
            let before = family.len();
            for new in more.1 {
                match family[..before].iter_mut().find(|known| known.id.value == new.id.value) {
                    Some(known) => *known = new,
                    None => family.push(new),
                }
            }
        }
        self
    }

    /// Group and id of every family.
    pub(super) fn names(&self) -> Vec<(PhraseGroup, String)> {
        let groups = [
            &self.agency_language.positive,
            &self.agency_language.directive,
            &self.unverifiable_reassurance.mind_reading,
            &self.unverifiable_reassurance.guarantee,
            &self.topic_pivot.vulnerability,
            &self.topic_pivot.acknowledgement,
            &self.topic_pivot.follow_up,
            &self.topic_pivot.turns,
        ];
        let named = PhraseGroup::ALL.into_iter().zip(groups);
        named.flat_map(|(group, list)| list.iter().map(move |family| (group, family.id.value.clone()))).collect()
    }

    fn groups_mut(&mut self) -> [&mut Vec<Family>; 8] {
        [
            &mut self.agency_language.positive,
            &mut self.agency_language.directive,
            &mut self.unverifiable_reassurance.mind_reading,
            &mut self.unverifiable_reassurance.guarantee,
            &mut self.topic_pivot.vulnerability,
            &mut self.topic_pivot.acknowledgement,
            &mut self.topic_pivot.follow_up,
            &mut self.topic_pivot.turns,
        ]
    }

    /// The families by group, in the order of [`PhraseGroup::ALL`].
    pub(super) fn into_groups(self) -> [(PhraseGroup, Vec<Family>); 8] {
        [
            (PhraseGroup::Positive, self.agency_language.positive),
            (PhraseGroup::Directive, self.agency_language.directive),
            (PhraseGroup::MindReading, self.unverifiable_reassurance.mind_reading),
            (PhraseGroup::Guarantee, self.unverifiable_reassurance.guarantee),
            (PhraseGroup::Vulnerability, self.topic_pivot.vulnerability),
            (PhraseGroup::Acknowledgement, self.topic_pivot.acknowledgement),
            (PhraseGroup::FollowUp, self.topic_pivot.follow_up),
            (PhraseGroup::Pivot, self.topic_pivot.turns),
        ]
    }
}
