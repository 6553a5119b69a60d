//! The phrases of the three checkers: bundled files, a user's additions, and the compiled whole.

mod file;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use probare_core::{BuildError, Evidence, EvidenceKind, Field};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::phrases::{FamilyMatch, NotationError, Phrase, PhraseContext, PhraseFamilies, PhraseMatcher};
pub use file::{Extends, Family, LexiconFile};

/// The version of Synthesis whose lists and rules are reproduced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Upstream {
    /// Synthesis 1.0
    #[default]
    #[serde(rename = "1.0")]
    V1_0,
    /// Synthesis 1.3: other lists, curly apostrophes, matched phrases in place of patterns
    #[serde(rename = "1.3")]
    V1_3,
}

impl Upstream {
    /// The number of the version.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_3 => "1.3",
        }
    }
}

/// What a family of phrases is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhraseGroup {
    /// Invites, asks, leaves the choice (`agency_language`).
    Positive,
    /// Orders, belittles (`agency_language`).
    Directive,
    /// Claims to know a mind (`unverifiable_reassurance`).
    MindReading,
    /// Promises an outcome (`unverifiable_reassurance`).
    Guarantee,
    /// Shows that the user is vulnerable (`topic_pivot`).
    Vulnerability,
    /// Takes in what the user said (`topic_pivot`).
    Acknowledgement,
    /// Asks on (`topic_pivot`).
    FollowUp,
    /// Turns away (`topic_pivot`).
    Pivot,
}

impl PhraseGroup {
    /// All groups, in the order of their families.
    pub const ALL: [Self; 8] = [
        Self::Positive,
        Self::Directive,
        Self::MindReading,
        Self::Guarantee,
        Self::Vulnerability,
        Self::Acknowledgement,
        Self::FollowUp,
        Self::Pivot,
    ];
}

/// A hit: which family, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexiconHit<'a> {
    /// Id of the family.
    pub family: &'a str,
    /// What the family is evidence of, in a few words.
    pub meaning: &'a str,
    /// The matched text.
    pub text: &'a str,
    /// Its first byte.
    pub start: usize,
}

impl LexiconHit<'_> {
    /// The bytes of the match.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The hit as evidence; `role` says what the family counts as.
    pub(super) fn evidence(&self, kind: EvidenceKind, field: Field, whole: &str, role: &str) -> Evidence {
        let note = [role, " ", self.family, ": ", self.meaning].concat();
        Evidence::at(kind, field, self.span(), whole).with_note(note)
    }
}

/// Compiled families of all groups.
#[derive(Debug)]
pub struct Lexicon {
    matcher: PhraseMatcher,
    families: Vec<LexiconFamily>,
    /// Whether a user's file brought families of a group, in the order of [`PhraseGroup::ALL`].
    has_user_families: [bool; PhraseGroup::ALL.len()],
    /// What tells it from other lexicons of a run: of the text that it was read from.
    fingerprint: u64,
    /// Whether it has none of the bundled families.
    replaces_bundled: bool,
}

#[derive(Debug)]
struct LexiconFamily {
    group: PhraseGroup,
    id: String,
    meaning: String,
    /// Whether a user's file brought it.
    is_user_defined: bool,
}

/// A lexicon that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LexiconError {
    /// Line, counted from 1, where known.
    pub line: Option<u64>,
    pub message: String,
}

impl LexiconError {
    /// `reason` is the rest of the sentence.
    fn in_family(line: u64, family: &str, reason: &str) -> Self {
        Self { line: Some(line), message: format!("line {line}: family `{family}`{reason}") }
    }
}

static BUNDLED: LazyLock<Arc<Lexicon>> = LazyLock::new(|| {
    let lexicon = Lexicon::compile(LexiconFile::bundled(Upstream::V1_0)).expect("a test compiles the bundled phrases");
    Arc::new(lexicon)
});

static BUNDLED_1_3: LazyLock<Arc<Lexicon>> = LazyLock::new(|| {
    let mut lexicon =
        Lexicon::compile(LexiconFile::bundled(Upstream::V1_3)).expect("a test compiles the bundled phrases");
    lexicon.fingerprint = 2;
    Arc::new(lexicon)
});

impl Lexicon {
    /// The bundled phrases: the families of the published checkers.
    pub fn bundled() -> Arc<Self> {
        Arc::clone(&BUNDLED)
    }

    /// The bundled phrases of a version.
    pub fn bundled_for(upstream: Upstream) -> Arc<Self> {
        match upstream {
            Upstream::V1_0 => Self::bundled(),
            Upstream::V1_3 => Arc::clone(&BUNDLED_1_3),
        }
    }

    /// Reads a lexicon file (YAML or JSON) and joins it with the bundled one as the file asks.
    pub fn parse(text: &str) -> Result<Self, LexiconError> {
        Self::parse_for(text, Upstream::V1_0)
    }

    /// The same with the bundled phrases of a version.
    pub fn parse_for(text: &str, upstream: Upstream) -> Result<Self, LexiconError> {
        let given = LexiconFile::parse(text)?;
        let (own, stands_alone) = (given.names(), given.extends == Extends::Nothing);
        let mut lexicon = Self::compile(match given.extends {
            Extends::Nothing => given,
            Extends::Bundled => LexiconFile::bundled(upstream).merged_with(given),
        })?;
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        upstream.name().hash(&mut hasher);
        // The bundled one has 0.
        lexicon.fingerprint = hasher.finish() | 1;
        lexicon.replaces_bundled = stands_alone;
        for family in &mut lexicon.families {
            family.is_user_defined = own.iter().any(|(group, id)| *group == family.group && *id == family.id);
            lexicon.has_user_families[family.group as usize] |= family.is_user_defined;
        }
        Ok(lexicon)
    }

    /// The lexicon that a metric's option asks for: none given is the bundled one, a string is the text of a file, an
    /// object is its content.
    pub fn from_option(option: Option<Json>, upstream: Upstream) -> Result<Arc<Self>, BuildError> {
        let text = match option {
            None | Some(Json::Null) => return Ok(Self::bundled_for(upstream)),
            Some(Json::String(text)) => text,
            Some(content) => content.to_string(),
        };
        Self::parse_for(&text, upstream)
            .map(Arc::new)
            .map_err(|error| BuildError::Options(format!("`lexicon`: {error}")))
    }

    /// Whether it has none of the bundled families.
    pub(super) const fn replaces_bundled(&self) -> bool {
        self.replaces_bundled
    }

    /// Tells readings by this lexicon from those by another one.
    pub(super) const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The JSON Schema of lexicon files.
    pub fn schema() -> Schema {
        schemars::schema_for!(LexiconFile)
    }

    fn compile(file: LexiconFile) -> Result<Self, LexiconError> {
        let (mut phrases, mut names) = (PhraseFamilies::default(), Vec::new());
        for (group, families) in file.into_groups() {
            for family in families {
                add(&mut phrases, &mut names, group, family)?;
            }
        }
        Ok(Self {
            matcher: phrases.matcher(),
            families: names,
            has_user_families: Default::default(),
            fingerprint: 0,
            replaces_bundled: false,
        })
    }

    /// Searches a text. Each group that is named is searched in as many bytes as are named with it.
    pub(super) fn search(&self, text: &str, groups: &[(PhraseGroup, usize)]) -> Vec<FamilyMatch> {
        let mut limits = [0; PhraseGroup::ALL.len()];
        for (group, limit) in groups {
            limits[*group as usize] = *limit;
        }
        self.matcher.find(text, &limits)
    }

    /// What a search in this text found, as hits.
    pub(super) const fn hits<'a, 'f>(&'a self, text: &'a str, found: &'f [FamilyMatch]) -> LexiconHits<'a, 'f> {
        LexiconHits { families: self.families.as_slice(), text, found }
    }

    /// The hits of a user's own families of one group; none where the lexicon is the bundled one.
    pub(super) fn find_user_families<'a>(&'a self, text: &'a str, group: PhraseGroup) -> Vec<LexiconHit<'a>> {
        if !self.has_user_families[group as usize] {
            return Vec::new();
        }
        let mut found = self.search(text, &[(group, text.len())]);
        found.retain(|found| self.families[found.family].is_user_defined);
        self.hits(text, &found).in_group(group)
    }
}

/// Adds a family of a group to the phrases, and its name to the names.
fn add(
    families: &mut PhraseFamilies,
    names: &mut Vec<LexiconFamily>,
    group: PhraseGroup,
    family: Family,
) -> Result<(), LexiconError> {
    let line = family.id.referenced.line();
    let id = family.id.value;
    let problem = |problem: &str| Err(LexiconError::in_family(line, &id, &format!(" {problem}")));
    if id.trim().is_empty() {
        return problem("has an empty id");
    }
    if family.phrases.is_empty() {
        return problem("has no phrases");
    }
    if names.iter().any(|known| known.group == group && known.id == id) {
        return problem("stands twice in its group");
    }
    let mut phrases = Vec::with_capacity(family.phrases.len());
    for phrase in &family.phrases {
        let line = phrase.referenced.line();
        let read = Phrase::parse(&phrase.value);
        phrases.push(read.map_err(|error| LexiconError::in_family(line, &id, &format!(": {error}")))?);
    }
    let context = PhraseContext { not_after: family.not_after, not_before: family.not_before };
    families.add(group as usize, &phrases, context).map_err(|(number, problem)| {
        let phrase = &family.phrases[number];
        let error = NotationError { phrase: phrase.value.clone(), problem };
        LexiconError::in_family(phrase.referenced.line(), &id, &format!(": {error}"))
    })?;
    names.push(LexiconFamily { group, id, meaning: family.meaning, is_user_defined: false });
    Ok(())
}

/// The hits of one search.
#[derive(Debug)]
pub(super) struct LexiconHits<'a, 'f> {
    families: &'a [LexiconFamily],
    text: &'a str,
    /// In the order of the families, and so group by group.
    found: &'f [FamilyMatch],
}

impl<'a> LexiconHits<'a, '_> {
    /// Those of one group, in the order of the families.
    pub(super) fn in_group(&self, group: PhraseGroup) -> Vec<LexiconHit<'a>> {
        let hits = self.found.iter().filter_map(|found| {
            let family = &self.families[found.family];
            let hit = || LexiconHit {
                family: &family.id,
                meaning: &family.meaning,
                text: &self.text[found.span.clone()],
                start: found.span.start,
            };
            (family.group == group).then(hit)
        });
        hits.collect()
    }

    /// Whether the group has any.
    pub(super) fn has_group(&self, group: PhraseGroup) -> bool {
        self.found.iter().any(|found| self.families[found.family].group == group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_phrases_compile() {
        for (upstream, expected) in
            [(Upstream::V1_0, [33, 18, 12, 18, 22, 27, 13, 4]), (Upstream::V1_3, [33, 19, 13, 19, 25, 30, 14, 4])]
        {
            let lexicon = Lexicon::compile(LexiconFile::bundled(upstream)).unwrap();
            let count = |group| lexicon.families.iter().filter(|family| family.group == group).count();
            assert_eq!(PhraseGroup::ALL.map(count), expected, "{upstream:?}");
        }
    }

    #[test]
    fn a_file_adds_families_and_replaces_those_of_the_same_id() {
        let text = "agency_language:\n  directive:\n    - {id: N18, meaning: orders, phrases: [\"chin up\"]}\n    - {id: X1, \
                    meaning: scolds, phrases: [\"shame on you\"]}\n";
        let lexicon = Lexicon::parse(text).unwrap();
        let reply = "Cheer up. Chin up! Shame on you. You must.";
        let found = lexicon.search(reply, &[(PhraseGroup::Directive, reply.len())]);
        let hits = lexicon.hits(reply, &found).in_group(PhraseGroup::Directive);
        assert_eq!(hits.iter().map(|hit| hit.family).collect::<Vec<_>>(), ["N01", "N18", "X1"]);
        assert_eq!(hits[1].text, "Chin up");
    }

    #[test]
    fn a_file_may_stand_alone() {
        let text = "{\"extends\": \"nothing\", \"agency_language\": {\"directive\": [{\"id\": \"X\", \"phrases\": [\"do it\"]}]}}";
        let lexicon = Lexicon::parse(text).unwrap();
        assert_eq!(lexicon.families.len(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| Lexicon::parse(text).unwrap_err().to_string();
        let head = "agency_language:\n  directive:\n";
        let unbalanced = error(&format!("{head}    - id: X\n      phrases:\n        - \"a (b\"\n"));
        assert!(unbalanced.starts_with("line 5: family `X`: `a (b`"), "{unbalanced}");
        let empty = error(&format!("{head}    - {{id: X, phrases: []}}\n"));
        assert_eq!(empty, "line 3: family `X` has no phrases");
        let twice = error(&format!("{head}    - {{id: X, phrases: [a]}}\n    - {{id: X, phrases: [b]}}\n"));
        assert_eq!(twice, "line 4: family `X` stands twice in its group");
        let unknown = Lexicon::parse("agency_language:\n  positives: []\n").unwrap_err();
        assert!(matches!(unknown, LexiconError { line: Some(2), .. }), "{unknown:?}");
    }
}
