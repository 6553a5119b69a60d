//! The words of English that the improved rules go by: what denies, doubts, affirms or takes back. They stand in
//! `data/negation.yaml` and `data/lexicon.yaml`, one list for each idea, each entry with a text in which it is found and one in which
//! it is not.
//!
//! A word stands for itself: no beginning of a word does, so "Denise" denies nothing.
//!
//! ```
//! use probare_english::lexicon::{LexicalRole, expression_length, lexical_roles};
//!
//! assert!(lexical_roles("refused").has(LexicalRole::Denial) && !lexical_roles("denim").has(LexicalRole::Denial));
//! let words = ["instead", "of", "tea"];
//! assert_eq!(expression_length(LexicalRole::Exception, |ahead| words.get(ahead).copied().unwrap_or_default()), Some(2));
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use probare_text::wordnet::{PartOfSpeech, WordNet};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

/// What a word or an expression does in a sentence; the data files say more of each, with examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
#[expect(missing_docs, reason = "the data file describes each")]
pub enum LexicalRole {
    Absence,
    Again,
    Announced,
    Answering,
    Assent,
    BareNo,
    BareYes,
    Both,
    Claimed,
    ClauseOpener,
    Condition,
    Contraction,
    Contrast,
    Copula,
    Correction,
    Denial,
    Determiner,
    Document,
    Doubt,
    Ended,
    Ending,
    Evidence,
    Exception,
    Explaining,
    Falsehood,
    Filler,
    ForeignNegation,
    Former,
    FormerNoun,
    Function,
    Habit,
    Helping,
    Hindrance,
    Intensity,
    Joining,
    Lasting,
    Light,
    Limit,
    Logic,
    Lost,
    Negation,
    No,
    NoLonger,
    Noting,
    NounEnd,
    NounNegation,
    Offer,
    Omission,
    Opining,
    Opposite,
    Past,
    PastQuestion,
    PhraseNegation,
    Present,
    Qualifying,
    Reason,
    Refusal,
    Replacing,
    Reporting,
    Reserve,
    Saying,
    Slot,
    Softener,
    Stopping,
    Street,
    Subject,
    SubjectDenial,
    Subordinating,
    Switching,
    Telling,
    Told,
    Turning,
    Undecided,
    Universal,
    Vanished,
    Vanishing,
    Warning,
    Wished,
    Yes,
}

/// A set of sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LexicalRoles(u128);

impl LexicalRoles {
    /// What denies in any form.
    pub const DENYING: Self = Self::from_roles(&[
        LexicalRole::Negation,
        LexicalRole::Contraction,
        LexicalRole::NounNegation,
        LexicalRole::Contrast,
    ]);

    /// What says of a subject, behind a form of *be*, that it is not there or not any more.
    pub const GONE: Self =
        Self::from_roles(&[LexicalRole::Absence, LexicalRole::Denial, LexicalRole::Ended, LexicalRole::Lost]);

    /// What makes a statement less than a fact.
    pub const HEDGING: Self =
        Self::from_roles(&[LexicalRole::Doubt, LexicalRole::Habit, LexicalRole::Reserve, LexicalRole::Condition]);

    /// What may turn around what is named near it: it denies, takes out, limits, compares or leaves open.
    pub const TURNING: Self = Self::from_roles(&[
        LexicalRole::Contraction,
        LexicalRole::Contrast,
        LexicalRole::Exception,
        LexicalRole::Falsehood,
        LexicalRole::Former,
        LexicalRole::Negation,
        LexicalRole::NounNegation,
        LexicalRole::Qualifying,
        LexicalRole::Turning,
    ]);

    /// What makes an order or a judgement soft.
    pub const SOFTENING: Self = Self::from_roles(&[LexicalRole::Doubt, LexicalRole::Softener]);

    /// These sorts.
    pub const fn from_roles(sorts: &[LexicalRole]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < sorts.len() {
            bits |= 1 << sorts[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Whether a sort is among them.
    #[inline]
    pub const fn has(self, sort: LexicalRole) -> bool {
        self.0 & (1 << sort as u8) != 0
    }

    /// Whether any sort is among both.
    #[inline]
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// An entry as it stands in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LexiconEntry {
    words: Vec<String>,
    #[serde(default)]
    but: Vec<String>,
    /// First words of the entries that say the opposite.
    #[serde(default)]
    against: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every entry"))]
    hit: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test over every entry"))]
    miss: String,
}

/// What is known of a word.
#[derive(Debug, Default)]
struct WordInfo {
    roles: LexicalRoles,
    /// What opens with it, the longest first.
    expressions: Vec<Expression>,
    written_out: Option<String>,
}

#[derive(Debug)]
struct Expression {
    sort: LexicalRole,
    /// Its words behind the first.
    rest: Vec<String>,
    /// Words behind it that take it back.
    but: Vec<String>,
    /// The first word of its entry.
    lemma: String,
    /// First words of the entries that say the opposite.
    against: Vec<String>,
}

static TABLE: LazyLock<FxHashMap<String, WordInfo>> = LazyLock::new(|| {
    let mut table: FxHashMap<String, WordInfo> = FxHashMap::default();
    for (sort, entry) in entries().into_iter().flat_map(|(sort, list)| list.into_iter().map(move |entry| (sort, entry)))
    {
        let lemma = entry.words.first().cloned().unwrap_or_default();
        for written in &entry.words {
            let mut words = written.split(' ').map(str::to_owned);
            let known = table.entry(words.next().unwrap_or_default()).or_default();
            let rest: Vec<String> = words.collect();
            if rest.is_empty() {
                known.roles.0 |= 1 << sort as u8;
            }
            let (but, against, lemma) = (entry.but.clone(), entry.against.clone(), lemma.clone());
            known.expressions.push(Expression { sort, rest, but, lemma, against });
        }
    }
    // Of those that stand at the same place the longest counts.
    for known in table.values_mut() {
        known.expressions.sort_by_key(|known| std::cmp::Reverse(known.rest.len()));
    }
    let spellings: BTreeMap<String, String> =
        serde_saphyr::from_str(include_str!("../data/spellings.yaml")).expect("a test reads the spellings");
    for (short, long) in spellings {
        table.entry(short).or_default().written_out = Some(long);
    }
    table
});

fn entries() -> Vec<(LexicalRole, Vec<LexiconEntry>)> {
    let read = |text: &str| -> BTreeMap<String, Vec<LexiconEntry>> {
        serde_saphyr::from_str(text).expect("a test reads the lexicon")
    };
    let mut classes = read(include_str!("../data/lexicon.yaml"));
    classes.extend(read(include_str!("../data/negation.yaml")));
    let known = |(name, list): (String, _)| (role_from_name(&name).expect("a test reads the classes"), list);
    classes.into_iter().map(known).collect()
}

/// The class of a name in the data file.
fn role_from_name(class: &str) -> Option<LexicalRole> {
    let name: StrDeserializer<'_, ValueError> = class.into_deserializer();
    LexicalRole::deserialize(name).ok()
}

/// The sorts of a word in lower case.
pub fn lexical_roles(word: &str) -> LexicalRoles {
    TABLE.get(word).map_or_else(LexicalRoles::default, |known| known.roles)
}

/// What a chat spelling stands for.
pub(crate) fn expanded_spelling(word: &str) -> Option<&'static str> {
    TABLE.get(word).and_then(|known| known.written_out.as_deref())
}

/// The longest expression of some sorts that stands here: of which sort it is, and how many words it takes. `word` is as in
/// [`expression_length`].
pub(crate) fn longest_match<'w>(sorts: LexicalRoles, word: impl Fn(usize) -> &'w str) -> Option<(LexicalRole, usize)> {
    longest_expression(sorts, word).map(|expression| (expression.sort, expression.rest.len() + 1))
}

/// How many words the longest expression of a sort takes that stands here. `word` gives the words from here on, in lower case, and the
/// empty text where none follows or something stands between.
pub fn expression_length<'w>(sort: LexicalRole, word: impl Fn(usize) -> &'w str) -> Option<usize> {
    longest_expression(LexicalRoles::from_roles(&[sort]), word).map(|expression| expression.rest.len() + 1)
}

/// The first word of the entry of a sort that has this word: of a verb the plain form.
pub fn word_lemma(sort: LexicalRole, word: &str) -> Option<&'static str> {
    expression_entry(sort, |ahead| if ahead == 0 { word } else { "" }).map(|(lemma, _)| lemma)
}

/// The first word of the entry to which the longest expression of a sort belongs that stands here, and how many words that takes.
///
/// ```
/// use probare_english::lexicon::{LexicalRole, expression_entry};
///
/// let words = ["no", "more", "than", "six"];
/// assert_eq!(expression_entry(LexicalRole::Logic, |ahead| words.get(ahead).copied().unwrap_or_default()), Some(("at most", 3)));
/// ```
pub fn expression_entry<'w>(sort: LexicalRole, word: impl Fn(usize) -> &'w str) -> Option<(&'static str, usize)> {
    longest_expression(LexicalRoles::from_roles(&[sort]), word)
        .map(|expression| (expression.lemma.as_str(), expression.rest.len() + 1))
}

/// Whether two entries of a sort, each named by its first word, exclude each other: `against` of either names the other.
///
/// ```
/// use probare_english::lexicon::{LexicalRole, exclude_each_other};
///
/// assert!(exclude_each_other(LexicalRole::Logic, "at least", "at most"));
/// assert!(!exclude_each_other(LexicalRole::Logic, "at least", "all"));
/// ```
pub fn exclude_each_other(sort: LexicalRole, left: &str, right: &str) -> bool {
    let is_against = |one: &str, other: &str| {
        longest_expression(LexicalRoles::from_roles(&[sort]), |ahead| one.split(' ').nth(ahead).unwrap_or_default())
            .is_some_and(|entry| entry.against.iter().any(|against| against == other))
    };
    is_against(left, right) || is_against(right, left)
}

/// The words and expressions of a class, named as in the data file; the longest first.
///
/// ```
/// assert!(probare_english::lexicon::words_with_role("copula").is_some_and(|words| words.contains(&"was".to_owned())));
/// assert!(probare_english::lexicon::words_with_role("nouns").is_none());
/// ```
pub fn words_with_role(class: &str) -> Option<Vec<String>> {
    let sort = role_from_name(class)?;
    let mut words = Vec::new();
    for (first, known) in TABLE.iter() {
        let of_sort = known.expressions.iter().filter(|expression| expression.sort == sort);
        words.extend(of_sort.map(|expression| {
            expression.rest.iter().fold(first.clone(), |text, word| [text.as_str(), " ", word].concat())
        }));
    }
    // Sorted, because the order of the table is that of hashes.
    words.sort_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
    Some(words)
}

fn longest_expression<'w>(sorts: LexicalRoles, word: impl Fn(usize) -> &'w str) -> Option<&'static Expression> {
    matching_expressions(sorts, word).next()
}

/// The expressions of some sorts that stand here, the longest first.
fn matching_expressions<'w>(
    sorts: LexicalRoles,
    word: impl Fn(usize) -> &'w str,
) -> impl Iterator<Item = &'static Expression> {
    let known = TABLE.get(word(0)).map_or(&[][..], |known| &known.expressions);
    known.iter().filter(move |known| {
        let behind = known.rest.len() + 1;
        sorts.has(known.sort)
            && (1..behind).all(|ahead| known.rest[ahead - 1] == word(ahead))
            && !known.but.iter().any(|but| but == word(behind))
    })
}

/// Beginnings that turn a word into its opposite: *unemployed*, *illegal*.
pub const NEGATING_PREFIXES: [&str; 7] = ["un", "in", "im", "il", "ir", "dis", "non"];

/// What a text says that has an opposite, and what WordNet knows as opposites of its words.
///
/// ```
/// use probare_english::lexicon::Opposites;
///
/// let opposites = Opposites::from_words(&["who", "won", "the", "final"]);
/// let answer = ["leeds", "was", "beaten", "by", "norwich"];
/// assert_eq!(opposites.opposite_length(|ahead| answer.get(1 + ahead).copied().unwrap_or_default()), Some(2));
/// assert_eq!(opposites.opposite_length(|_| "norwich"), None);
/// ```
#[derive(Debug, Default)]
pub struct Opposites {
    /// First words of the entries that the text has, and of those against them.
    lemmas: Vec<&'static str>,
    against: Vec<&'static str>,
    words: FxHashSet<String>,
}

impl Opposites {
    /// Those of a text, given by its words in lower case.
    pub fn from_words(words: &[&str]) -> Self {
        let mut opposites = Self::default();
        for at in 0..words.len() {
            for entry in matching_expressions(LexicalRoles::from_roles(&[LexicalRole::Opposite]), |ahead| {
                words.get(at + ahead).copied().unwrap_or_default()
            }) {
                opposites.lemmas.push(&entry.lemma);
                opposites.against.extend(entry.against.iter().map(String::as_str));
            }
            if words[at].len() > 2 && !lexical_roles(words[at]).has(LexicalRole::Function) {
                opposites.words.extend(WordNet::embedded().antonyms(words[at]));
            }
        }
        opposites
    }

    /// How many words take the expression that stands here and says the opposite of something in the text. `word` is as in
    /// [`expression_length`].
    pub fn opposite_length<'w>(&self, word: impl Fn(usize) -> &'w str) -> Option<usize> {
        let is_against = |entry: &&Expression| {
            let lemma = entry.lemma.as_str();
            !self.lemmas.contains(&lemma)
                && (self.against.contains(&lemma)
                    || entry.against.iter().any(|other| self.lemmas.contains(&other.as_str())))
        };
        let first = word(0);
        if let Some(entry) =
            matching_expressions(LexicalRoles::from_roles(&[LexicalRole::Opposite]), word).find(is_against)
        {
            return Some(entry.rest.len() + 1);
        }
        let is_known = |word: &str| self.words.contains(word);
        let is_open = first.len() > 2 && !self.words.is_empty() && !lexical_roles(first).has(LexicalRole::Function);
        let has_base = || {
            let bases = |part| WordNet::embedded().base_forms(first, part);
            PartOfSpeech::ALL.into_iter().any(|part| bases(part).iter().any(|base| is_known(base)))
        };
        (is_open && (is_known(first) || has_base())).then_some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_analysis::TextAnalysis;

    /// Whether an expression of a sort stands somewhere in a text.
    fn holds(sort: LexicalRole, text: &str) -> bool {
        let analysis = TextAnalysis::new(text);
        let words: Vec<&str> =
            (0..analysis.tokens.len()).filter(|&at| analysis.tokens[at].is_word).map(|at| analysis.word(at)).collect();
        (0..words.len()).any(|at| {
            let behind_be = at > 0 && lexical_roles(words[at - 1]).has(LexicalRole::Copula);
            let needs_be = matches!(sort, LexicalRole::Ended | LexicalRole::Lost);
            expression_length(sort, |ahead| words.get(at + ahead).copied().unwrap_or_default()).is_some()
                && (behind_be || !needs_be)
        })
    }

    #[test]
    fn every_entry_is_found_in_its_hit_and_not_in_its_miss() {
        for (sort, list) in entries() {
            assert!(!list.is_empty(), "{sort:?}");
            for entry in list {
                for word in &entry.words {
                    assert_eq!(word, word.trim(), "{sort:?}");
                    // A chat spelling is written out before it is looked up.
                    if expanded_spelling(word).is_some() {
                        assert!(lexical_roles(word).has(sort), "{sort:?}: `{word}`");
                        continue;
                    }
                    let text = entry.hit.replace('_', word);
                    assert!(holds(sort, &text), "{sort:?}: `{word}` is not found in `{text}`");
                }
                assert!(!holds(sort, &entry.miss), "{sort:?}: found in `{}`", entry.miss);
            }
        }
    }

    #[test]
    fn a_word_stands_for_itself() {
        assert!(lexical_roles("think").has(LexicalRole::Opining) && lexical_roles("think").has(LexicalRole::Saying));
        assert_eq!(lexical_roles("river"), LexicalRoles::default());
        assert_eq!(expanded_spelling("idk"), Some("i don't know"));
        for word in ["denise", "denis", "denim", "forgot", "want", "tent", "bent"] {
            let known = lexical_roles(word);
            assert!(!known.has(LexicalRole::Denial) && !known.has(LexicalRole::Contraction), "{word}");
        }
        assert!(
            lexical_roles("wasnt").has_any(LexicalRoles::DENYING)
                && lexical_roles("might").has_any(LexicalRoles::HEDGING)
        );
    }
}
