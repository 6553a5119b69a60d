//! Words and phrases that open an answer, in normal form.

/// Words that are a yes.
pub(super) const YES_WORDS: [&str; 15] =
    ["yes", "y", "yeah", "yep", "yup", "yea", "aye", "true", "correct", "affirmative", "oui", "ja", "si", "sim", "1"];

/// Words that are a no.
pub(super) const NO_WORDS: [&str; 15] =
    ["no", "n", "nope", "nah", "nay", "false", "incorrect", "negative", "non", "nej", "nei", "nein", "nao", "nee", "0"];

/// Words of these lists that mean something else when more words follow.
pub(super) const ONLY_ALONE: [&str; 6] = ["y", "1", "si", "n", "0", "negative"];

/// Openings that say both.
pub(super) const BOTH: [&str; 8] =
    ["both yes and no", "yes but also no", "yes and no", "no and yes", "yes or no", "yes no", "no yes", "y n"];

/// Openings that deny, the longer before the shorter ones they begin with.
pub(super) const NO_PHRASES: [&str; 18] = [
    "that is not correct",
    "i do not think so",
    "i dont believe so",
    "thats not correct",
    "that is incorrect",
    "i dont think so",
    "thats incorrect",
    "absolutely not",
    "definitely not",
    "of course not",
    "certainly not",
    "that is wrong",
    "thats wrong",
    "by no means",
    "not at all",
    "not really",
    "never",
    "not",
];

/// Openings that affirm.
pub(super) const YES_PHRASES: [&str; 12] = [
    "that is correct",
    "that is right",
    "i believe so",
    "thats correct",
    "thats right",
    "i think so",
    "absolutely",
    "definitely",
    "of course",
    "certainly",
    "indeed",
    "sure",
];

/// Whether `text` is `phrase` or goes on behind it with another word.
pub(super) fn opens_with(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
