//! The closed inventories: universal part-of-speech tags, Penn Treebank tags and Universal Dependencies relations.

use std::fmt;

/// Universal part-of-speech tag (<https://universaldependencies.org/u/pos/>).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are defined by Universal Dependencies")]
pub enum Upos {
    Adj,
    Adp,
    Adv,
    Aux,
    Cconj,
    Det,
    Intj,
    Noun,
    Num,
    Part,
    Pron,
    Propn,
    Punct,
    Sconj,
    Sym,
    Verb,
    X,
}

impl Upos {
    /// All tags, in alphabetical order.
    pub const ALL: [Self; 17] = [
        Self::Adj,
        Self::Adp,
        Self::Adv,
        Self::Aux,
        Self::Cconj,
        Self::Det,
        Self::Intj,
        Self::Noun,
        Self::Num,
        Self::Part,
        Self::Pron,
        Self::Propn,
        Self::Punct,
        Self::Sconj,
        Self::Sym,
        Self::Verb,
        Self::X,
    ];

    /// The tag as CoNLL-U writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Adj => "ADJ",
            Self::Adp => "ADP",
            Self::Adv => "ADV",
            Self::Aux => "AUX",
            Self::Cconj => "CCONJ",
            Self::Det => "DET",
            Self::Intj => "INTJ",
            Self::Noun => "NOUN",
            Self::Num => "NUM",
            Self::Part => "PART",
            Self::Pron => "PRON",
            Self::Propn => "PROPN",
            Self::Punct => "PUNCT",
            Self::Sconj => "SCONJ",
            Self::Sym => "SYM",
            Self::Verb => "VERB",
            Self::X => "X",
        }
    }

    /// The tag with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.as_str() == name)
    }
}

impl fmt::Display for Upos {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Penn Treebank tags with the additions of the English Web Treebank.
pub const XPOS: [&str; 50] = [
    "#", "$", "''", ",", "-LRB-", "-RRB-", ".", ":", "ADD", "AFX", "CC", "CD", "DT", "EX", "FW", "GW", "HYPH", "IN",
    "JJ", "JJR", "JJS", "LS", "MD", "NFP", "NN", "NNP", "NNPS", "NNS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS",
    "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "``",
];

/// Relations of Universal Dependencies with the subtypes that English treebanks use.
pub const RELATIONS: [&str; 66] = [
    "acl",
    "acl:relcl",
    "advcl",
    "advcl:relcl",
    "advmod",
    "advmod:emph",
    "amod",
    "appos",
    "aux",
    "aux:pass",
    "case",
    "cc",
    "cc:preconj",
    "ccomp",
    "clf",
    "compound",
    "compound:prt",
    "conj",
    "cop",
    "csubj",
    "csubj:outer",
    "csubj:pass",
    "dep",
    "det",
    "det:poss",
    "det:predet",
    "discourse",
    "dislocated",
    "expl",
    "expl:pass",
    "fixed",
    "flat",
    "flat:foreign",
    "flat:name",
    "goeswith",
    "iobj",
    "list",
    "mark",
    "nmod",
    "nmod:desc",
    "nmod:gobj",
    "nmod:gsubj",
    "nmod:npmod",
    "nmod:poss",
    "nmod:tmod",
    "nmod:unmarked",
    "nsubj",
    "nsubj:outer",
    "nsubj:pass",
    "nummod",
    "nummod:gov",
    "obj",
    "obl",
    "obl:agent",
    "obl:arg",
    "obl:lmod",
    "obl:npmod",
    "obl:tmod",
    "obl:unmarked",
    "orphan",
    "parataxis",
    "punct",
    "reparandum",
    "root",
    "vocative",
    "xcomp",
];

/// The Penn tag of this name, if it is one.
pub fn xpos(name: &str) -> Option<&'static str> {
    XPOS.into_iter().find(|tag| *tag == name)
}

/// The relation of this name, if it is one.
pub fn relation(name: &str) -> Option<&'static str> {
    RELATIONS.into_iter().find(|relation| *relation == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_tags() {
        for tag in Upos::ALL {
            assert_eq!(Upos::from_name(tag.as_str()), Some(tag));
        }
        assert_eq!(Upos::from_name("noun"), None);
    }

    #[test]
    fn inventories_have_no_duplicates() {
        for inventory in [&XPOS[..], &RELATIONS[..]] {
            let distinct: std::collections::BTreeSet<_> = inventory.iter().collect();
            assert_eq!(distinct.len(), inventory.len());
        }
    }
}
