//! Word lists for claims. What hedges and denies here is part of the published definition; the lists that everything else
//! goes by are in `data/`.

/// Verbs that assert something checkable.
pub const ASSERTIVE_VERBS: [&str; 13] = [
    "acquire", "announce", "be", "buy", "cost", "found", "include", "locate", "lose", "offer", "release", "sell", "win",
];

/// Auxiliaries that put a statement forward with reserve.
pub(super) const HEDGING_AUXILIARIES: [&str; 4] = ["can", "could", "may", "might"];

/// Verbs that put what they govern forward with reserve.
pub(super) const HEDGING_VERBS: [&str; 4] = ["appear", "estimate", "seem", "suggest"];

/// Adverbs and adjectives that do.
pub(super) const HEDGING_MODIFIERS: [&str; 6] = ["estimated", "likely", "maybe", "perhaps", "possibly", "probably"];

/// Words that deny a verb.
pub(super) const NEGATORS: [&str; 5] = ["not", "n't", "n’t", "nt", "never"];

/// Participles that are tagged as adjectives at times, with the lemma of their verb.
pub(super) const PARTICIPLES: [(&str, &str); 11] = [
    ("acquired", "acquire"),
    ("announced", "announce"),
    ("bought", "buy"),
    ("founded", "found"),
    ("included", "include"),
    ("located", "locate"),
    ("lost", "lose"),
    ("offered", "offer"),
    ("released", "release"),
    ("sold", "sell"),
    ("won", "win"),
];

/// Participles that name a state as an adjective does: "is closed" says what something is, not what was done to it.
/// The few words in -ed that belong to no verb are here too.
pub(super) const STATES: [&str; 49] = [
    "accomplished",
    "advanced",
    "annoyed",
    "ashamed",
    "beloved",
    "bored",
    "broken",
    "closed",
    "committed",
    "complicated",
    "concerned",
    "confused",
    "crowded",
    "dedicated",
    "deserted",
    "detailed",
    "determined",
    "disappointed",
    "divorced",
    "engaged",
    "excited",
    "exhausted",
    "experienced",
    "gifted",
    "gone",
    "impressed",
    "interested",
    "limited",
    "locked",
    "married",
    "mixed",
    "naked",
    "overpriced",
    "overrated",
    "pleased",
    "red",
    "relaxed",
    "related",
    "retired",
    "sacred",
    "satisfied",
    "scared",
    "skilled",
    "surprised",
    "talented",
    "tired",
    "wicked",
    "worried",
    "wounded",
];
