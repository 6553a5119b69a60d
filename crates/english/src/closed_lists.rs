//! Small closed word lists for the tokenizer and the sentence splitter. All lower case; looked up without regard to
//! capitals.

/// Whether a list has a word, ignoring ASCII capitals.
pub(crate) fn is_listed(list: &[&str], word: &str) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// Abbreviations, without their last full stop, that stand before a name or a number and never end a sentence.
pub(crate) const TITLES: &[&str] = &[
    "adm", "attn", "brig", "capt", "cf", "cmdr", "col", "dr", "e.g", "eg", "ft", "fig", "gen", "gov", "hon", "i.e",
    "lt", "maj", "messrs", "mme", "mr", "mrs", "ms", "mt", "nr", "pres", "prof", "rep", "reps", "rev", "sen", "sens",
    "sgt", "spec", "st", "v", "vs", "viz",
];

/// All abbreviations, without their last full stop.
pub(crate) const ABBREVIATIONS: &[&str] = &[
    "a.k.a", "a.m", "adm", "al", "approx", "apr", "arrv", "assn", "attn", "aug", "ave", "b.a", "blvd", "brig", "bros",
    "ca", "capt", "cf", "cmdr", "co", "col", "corp", "d.c", "dec", "dept", "dr", "e.g", "ed", "eds", "eg", "esp",
    "est", "etc", "ext", "feb", "fig", "fri", "ft", "gen", "gov", "hon", "hrs", "i.e", "inc", "jan", "jr", "jul",
    "jun", "lt", "ltd", "m.d", "maj", "mar", "messrs", "misc", "mme", "mon", "mr", "mrs", "ms", "mt", "no", "nos",
    "nov", "nr", "oct", "p.m", "p.o", "p.s", "ph.d", "pp", "pres", "prof", "pt", "rep", "reps", "rev", "sat", "sen",
    "sens", "sep", "sept", "sgt", "spec", "sq", "sr", "st", "thur", "thurs", "tue", "tues", "u.k", "u.n", "u.s",
    "u.s.a", "univ", "v", "viz", "vol", "vols", "vs", "wed",
];

/// Parts of words before a hyphen that do not stand alone.
pub(crate) const AFFIXES: &[&str] = &[
    "anti", "arch", "bi", "co", "counter", "cyber", "de", "e", "euro", "ex", "extra", "hyper", "inter", "intra",
    "macro", "mega", "meta", "micro", "mid", "mini", "mono", "multi", "neo", "non", "para", "poly", "post", "pre",
    "pro", "proto", "pseudo", "psycho", "quasi", "re", "semi", "socio", "sub", "super", "trans", "tri", "ultra", "un",
    "uni",
];

/// Letters that form a currency sign with a following dollar sign.
pub(crate) const CURRENCY_PREFIXES: &[&str] = &["a", "au", "c", "ca", "hk", "nz", "s", "u", "us"];

/// Words with their beginning left out, without the apostrophe.
pub(crate) const ELISIONS: &[&str] = &["bout", "cause", "cos", "cuz", "em", "n", "round", "til", "till", "tis", "twas"];

/// Faces made of punctuation.
pub(crate) const EMOTICONS: &[&str] = &[
    ":)", ":(", ":-)", ":-(", ":D", ":-D", ";)", ";-)", ":P", ":-P", ":p", ":-p", ":/", ":-/", ":|", ":-|", ":O", ":o",
    ":'(", ":')", "=)", "=(", "=D", "=P", ":]", ":[", "(:", "):", "<3", "</3", "^_^", "-_-", ">:(", ":*", ";P", "XD",
    "\\o/",
];

/// Words that the treebank writes as two, with the byte at which the second begins.
pub(crate) const FUSED_WORDS: &[(&str, usize)] = &[
    ("arent", 3),
    ("cannot", 3),
    ("couldnt", 5),
    ("didnt", 3),
    ("doesnt", 4),
    ("dont", 2),
    ("gimme", 3),
    ("gonna", 3),
    ("gotta", 3),
    ("hadnt", 3),
    ("hasnt", 3),
    ("havent", 4),
    ("im", 1),
    ("isnt", 2),
    ("ive", 1),
    ("lemme", 3),
    ("shouldnt", 6),
    ("thats", 4),
    ("theyre", 4),
    ("wanna", 3),
    ("wasnt", 3),
    ("werent", 4),
    ("whats", 4),
    ("wouldnt", 5),
    ("youre", 3),
];

/// Units and scales that are written to a number without a space.
pub(crate) const UNITS: &[&str] = &[
    "am", "b", "bn", "c", "cm", "f", "ft", "g", "gb", "ghz", "gw", "ha", "hp", "hr", "hrs", "hz", "k", "kb", "kg",
    "khz", "km", "kmh", "kw", "kwh", "l", "lb", "lbs", "m", "mb", "mg", "mhz", "mi", "min", "ml", "mm", "mn", "mph",
    "ms", "mw", "nm", "oz", "pm", "sq", "t", "tb", "tn", "tr", "w", "x", "yd",
];

/// Words that often begin a sentence and never follow an abbreviation inside a name.
pub(crate) const SENTENCE_STARTERS: &[&str] = &[
    "a",
    "after",
    "all",
    "also",
    "although",
    "an",
    "and",
    "another",
    "as",
    "at",
    "because",
    "before",
    "both",
    "but",
    "by",
    "during",
    "each",
    "even",
    "every",
    "finally",
    "first",
    "for",
    "from",
    "he",
    "her",
    "here",
    "his",
    "how",
    "however",
    "i",
    "if",
    "in",
    "instead",
    "it",
    "its",
    "later",
    "many",
    "meanwhile",
    "most",
    "my",
    "next",
    "no",
    "not",
    "now",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "please",
    "she",
    "since",
    "so",
    "some",
    "such",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "though",
    "thus",
    "to",
    "today",
    "under",
    "until",
    "we",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "why",
    "with",
    "yes",
    "yet",
    "you",
    "your",
];
