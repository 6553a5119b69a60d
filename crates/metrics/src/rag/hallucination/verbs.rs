//! Which verbs say the same in a claim and in a source.

use probare_text::wordnet::{PartOfSpeech, WordNet};

/// Verbs that stand for each other. Every other verb stands for itself.
const CLASSES: [&[&str]; 8] = [
    &["acquire", "buy", "purchase"],
    &["release", "launch", "publish", "issue"],
    &["announce", "unveil", "reveal"],
    &["found", "establish", "create", "start"],
    &["include", "contain", "feature", "comprise"],
    &["offer", "provide"],
    COST,
    LOCATE,
];

const COST: &[&str] = &["cost", "charge", "price"];
const LOCATE: &[&str] = &["locate", "situate", "base", "lie", "stand"];

/// All forms of `be`, as one word each.
const BE: [&str; 13] = ["be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m", "isn't", "aren't"];

/// The lemmas that bear out a verb.
#[derive(Debug, Clone)]
pub(crate) struct VerbClass {
    lemmas: Vec<String>,
}

impl VerbClass {
    /// The class of a verb, given as a lemma.
    pub fn of_lemma(lemma: &str) -> Self {
        let class = CLASSES.iter().find(|class| class.contains(&lemma)).copied().unwrap_or_default();
        let others = class.iter().filter(|member| **member != lemma);
        let lemmas = std::iter::once(lemma).chain(others.copied()).map(str::to_owned).collect();
        Self { lemmas }
    }

    /// The class of a verb, given as it stands in a text. A form of two verbs (`lay`) belongs to both classes.
    pub fn of_form(form: &str) -> Self {
        let lower = form.to_lowercase();
        let bases = bases(&lower);
        if bases.is_empty() {
            return Self::of_lemma(&lower);
        }
        let mut lemmas: Vec<String> = Vec::new();
        for base in bases {
            for lemma in Self::of_lemma(&base).lemmas {
                if !lemmas.contains(&lemma) {
                    lemmas.push(lemma);
                }
            }
        }
        Self { lemmas }
    }

    /// Whether the verb is `be`, which any sentence with subject and object bears out.
    pub fn is_be(&self) -> bool {
        self.lemmas.iter().any(|lemma| lemma == "be")
    }

    /// Whether a noun names what the verbs of prices say.
    pub fn is_cost(noun: &str) -> bool {
        COST.iter().any(|lemma| noun.eq_ignore_ascii_case(lemma))
    }

    /// Whether who does what to whom shows in the order of words: not so for prices and places.
    pub fn has_direction(&self) -> bool {
        !self.lemmas.iter().any(|lemma| COST.contains(&lemma.as_str()) || LOCATE.contains(&lemma.as_str()))
    }

    /// Whether a word, in lower case, can be a form of one of the verbs, given the verbs it may be a form of and the
    /// word before it.
    pub fn has_form(&self, word: &str, bases: &[String], before: Option<&str>) -> bool {
        if word == "found" && !before.is_some_and(takes_infinitive) {
            // The past of `find`.
            return self.lemmas.iter().any(|lemma| lemma == "find");
        }
        bases.iter().any(|base| self.lemmas.contains(base))
    }

    pub fn lemmas(&self) -> &[String] {
        &self.lemmas
    }
}

/// Whether a word is a form of `be`.
pub(crate) fn is_be(word: &str) -> bool {
    BE.contains(&word)
}

/// Words before an infinitive.
fn takes_infinitive(word: &str) -> bool {
    matches!(word, "to" | "will" | "would" | "can" | "could" | "may" | "might" | "must" | "shall" | "should" | "did")
}

/// The verbs that a lower-cased word may be a form of.
pub(crate) fn bases(word: &str) -> Vec<String> {
    if is_be(word) {
        return vec!["be".to_owned()];
    }
    let mut bases = WordNet::embedded().base_forms(word, PartOfSpeech::Verb);
    // `founded`, `located`: an ending that WordNet takes for an adjective or a noun alone would be lost.
    if bases.is_empty() {
        bases.extend(
            CLASSES
                .iter()
                .flat_map(|class| class.iter())
                .filter(|lemma| is_regular_form(word, lemma))
                .map(|&lemma| lemma.to_owned()),
        );
    }
    bases
}

fn is_regular_form(word: &str, lemma: &str) -> bool {
    let stem = lemma.strip_suffix('e').unwrap_or(lemma);
    word == lemma
        || word.strip_prefix(lemma).is_some_and(|ending| matches!(ending, "s" | "es"))
        || word.strip_prefix(stem).is_some_and(|ending| matches!(ending, "ed" | "ing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(class: &VerbClass, word: &str, before: Option<&str>) -> bool {
        class.has_form(word, &bases(word), before)
    }

    #[test]
    fn classes_hold_their_forms() {
        let buy = VerbClass::of_form("bought");
        assert!(has(&buy, "acquired", None) && has(&buy, "purchases", None) && !has(&buy, "sold", None));
        assert!(has(&VerbClass::of_lemma("win"), "won", None));
        assert!(has(&VerbClass::of_form("located"), "lies", None));
        assert!(!VerbClass::of_form("costs").has_direction() && buy.has_direction());
        assert!(VerbClass::of_form("is").is_be() && !buy.is_be());
    }

    #[test]
    fn found_is_the_past_of_find_unless_an_infinitive_is_due() {
        let found = VerbClass::of_lemma("found");
        assert!(has(&found, "founded", None) && has(&found, "established", None));
        assert!(!has(&found, "found", Some("he")) && has(&found, "found", Some("to")));
    }
}
