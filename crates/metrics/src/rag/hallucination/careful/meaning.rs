//! Which words mean the same, the opposite, or another thing of the same sort, as far as WordNet and a few lists know.

use probare_text::wordnet::{PartOfSpeech, Synset, WordNet};

/// Senses of a word that are looked at. WordNet lists the frequent ones first; rare ones join what has nothing to do
/// with each other.
const SENSES: usize = 3;

/// Verbs that say nearly the same, beyond the classes of the reference profile.
const PARAPHRASES: [&[&str]; 22] = [
    &["accept", "agree", "approve"],
    &["author", "pen", "write"],
    &["begin", "commence", "open", "start"],
    &["build", "construct", "erect", "make", "manufacture", "produce"],
    &["climb", "grow", "increase", "rise"],
    &["close", "conclude", "end", "finish"],
    &["create", "develop", "design", "invent"],
    &["decline", "decrease", "drop", "fall", "shrink"],
    &["destroy", "ruin", "wreck"],
    &["direct", "head", "lead", "manage", "run"],
    &["earn", "gain", "receive", "get"],
    &["allow", "let", "permit"],
    &["forbid", "ban", "prohibit"],
    &["have", "hold", "own", "possess"],
    &["last", "take"],
    &["live", "reside"],
    &["move", "relocate"],
    &["pay", "cost", "charge"],
    &["refuse", "reject", "decline"],
    &["say", "state", "report", "tell"],
    &["serve", "share", "use"],
    &["count", "have", "number"],
];

/// Verbs that cannot both be true of the same two things.
const OPPOSITES: [(&[&str], &[&str]); 8] = [
    (&["accept", "agree", "approve"], &["reject", "refuse", "decline"]),
    (&["acquire", "buy", "purchase"], &["sell"]),
    (&["allow", "permit", "let"], &["forbid", "ban", "prohibit"]),
    (&["begin", "start", "open"], &["end", "close", "finish", "cease", "stop"]),
    (&["climb", "grow", "increase", "rise", "gain"], &["decline", "decrease", "drop", "fall", "shrink"]),
    (&["win"], &["lose"]),
    (&["love", "like"], &["hate", "dislike"]),
    (&["build", "create", "found"], &["destroy", "demolish"]),
];

/// Words that shut each other out beyond what WordNet lists.
const OPPOSITE_WORDS: [(&str, &str); 6] =
    [("before", "after"), ("more", "fewer"), ("more", "less"), ("early", "late"), ("free", "expensive"), ("all", "no")];

/// Whether two verbs, given as lemmas, say nearly the same.
pub(super) fn is_paraphrase(left: &str, right: &str) -> bool {
    left == right
        || PARAPHRASES.iter().any(|class| class.contains(&left) && class.contains(&right))
        || is_near(left, right, PartOfSpeech::Verb)
}

/// Whether two verbs, given as lemmas, shut each other out.
pub(super) fn is_opposite_verb(left: &str, right: &str) -> bool {
    let listed = OPPOSITES.iter().any(|(one, other)| {
        (one.contains(&left) && other.contains(&right)) || (one.contains(&right) && other.contains(&left))
    });
    listed || WordNet::embedded().is_antonym(left, right)
}

/// Whether two words of a description, in lower case, shut each other out.
pub(super) fn is_opposite_word(left: &str, right: &str) -> bool {
    let listed = |one: &str, other: &str| OPPOSITE_WORDS.contains(&(one, other));
    listed(left, right) || listed(right, left) || WordNet::embedded().is_antonym(left, right)
}

/// Whether two nouns or adjectives share one of their frequent senses.
pub(super) fn is_synonym(left: &str, right: &str) -> bool {
    left == right
        || [PartOfSpeech::Noun, PartOfSpeech::Adjective].iter().any(|&part| {
            let (left, right) = (senses(left, part), senses(right, part));
            left.iter().any(|sense| right.contains(sense))
        })
}

/// Whether two words name different things of a sort of which something has one only: colours, materials.
pub(super) fn is_rival_quality(left: &str, right: &str) -> bool {
    let wordnet = WordNet::embedded();
    let sorts = |word: &str| -> (bool, bool) {
        let senses = senses(word, PartOfSpeech::Noun);
        let is_colour = senses.iter().any(|&sense| {
            wordnet.ancestors(sense).keys().any(|&ancestor| wordnet.words(ancestor).iter().any(|word| word == "color"))
        });
        (is_colour, senses.first().is_some_and(|&sense| wordnet.lexname(sense) == "noun.substance"))
    };
    let (left_sorts, right_sorts) = (sorts(left), sorts(right));
    !is_synonym(left, right) && ((left_sorts.0 && right_sorts.0) || (left_sorts.1 && right_sorts.1))
}

/// Whether two words share a frequent sense, or one names a kind of what the other names.
fn is_near(left: &str, right: &str, part: PartOfSpeech) -> bool {
    let wordnet = WordNet::embedded();
    let (left, right) = (senses(left, part), senses(right, part));
    let is_kind = |one: &[Synset], other: &[Synset]| {
        one.iter().any(|&sense| wordnet.hypernyms(sense).iter().any(|general| other.contains(general)))
    };
    left.iter().any(|sense| right.contains(sense)) || is_kind(&left, &right) || is_kind(&right, &left)
}

fn senses(word: &str, part: PartOfSpeech) -> Vec<Synset> {
    let mut senses = WordNet::embedded().synsets(word, part);
    senses.truncate(SENSES);
    senses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_compared_by_list_and_by_sense() {
        assert!(is_paraphrase("make", "produce") && is_paraphrase("begin", "start"));
        assert!(!is_paraphrase("win", "lose") && !is_paraphrase("acquire", "announce"));
        assert!(is_opposite_verb("sell", "buy") && is_opposite_verb("rise", "fall") && is_opposite_verb("lose", "win"));
        assert!(!is_opposite_verb("rise", "grow"));
    }

    #[test]
    fn descriptions_are_compared_by_sense() {
        assert!(is_synonym("car", "automobile") && is_synonym("hard", "difficult") && !is_synonym("car", "boat"));
        assert!(is_opposite_word("wide", "narrow") && is_opposite_word("legal", "illegal"));
        assert!(is_rival_quality("red", "black") && is_rival_quality("bronze", "marble"));
        assert!(!is_rival_quality("red", "table"));
    }
}
