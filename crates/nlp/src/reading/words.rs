//! One list for each idea: what denies, what makes a statement a possibility, who says so, what opens a clause that asserts
//! nothing; and chat spellings, written out. Words in lower case with straight apostrophes.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What a word does in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Sort {
    /// Denies by itself, whatever verb or noun it goes with: *not*, *never*, *nobody*, *hardly*.
    Negating,
    /// Denies in any form: what negates, *no*, *instead*, *won't*.
    Denying,
    /// Makes a statement a possibility: *maybe*, *might*, *hopefully*, *I think* by its verb is not among them.
    Hedging,
    /// Holds back the speaker's own judgement: *think*, *believe*, *guess*, *feel*.
    Opining,
    /// Says or knows: denied, it takes back what follows; with another subject, it reports it.
    Saying,
    /// Opens a clause which asserts nothing of its own: *if*, *whether*, *how*.
    ClauseOpener,
    /// Joins or frames and carries no content of its own.
    Function,
    /// Helps another verb, or takes its place in a short reply: *is*, *did*, *can*.
    Helping,
    /// Sets two clauses side by side: *and*, *but*, *because*.
    Joining,
}

/// Words that deny by themselves.
const NEGATING: &str = "not never nobody none no-one noone nothing without hardly barely scarcely neither nor";

/// The words of each sort.
const LISTS: [(Sort, &str); 10] = [
    (Sort::Negating, NEGATING),
    (Sort::Helping, "am is are was were do does did has have had can could will would shall should may might must"),
    (Sort::Denying, NEGATING),
    (
        Sort::Denying,
        "no can't won't don't doesn't didn't isn't aren't wasn't wouldn't couldn't shouldn't needn't mustn't hadn't \
         instead rather haven't hasn't weren't cannot",
    ),
    (
        Sort::Hedging,
        "maybe perhaps possibly probably might may could likely seem seems seemed sometimes often usually generally \
         typically mostly hopefully imagine guess suppose suspect wonder wondering unsure unclear apparently chance \
         chances hope hoping hopes commonly normally tend tends scheduled supposed some many if whether unless \
         suggests sounds sound would estimated",
    ),
    (Sort::Joining, "and but so because though yet"),
    (Sort::Opining, "think believe guess feel suppose imagine assume reckon expect bet hope"),
    (
        Sort::Saying,
        "said says say saying told tells tell telling claims claimed claim wrote writes asked heard hearing promised \
         promises promise guarantee know knows predict judge mean suggest pretend insisted insists think thinks \
         thought believes believe read quote sentence phrase",
    ),
    (Sort::ClauseOpener, "if whether what how when where who which why unless whatever whenever until once"),
    (
        Sort::Function,
        "a about above according after again against all also although am among an and any anyone anything are as at \
         be because been before being below between both but by can could d did do does doing done down during each \
         either else even ever every everyone everything few for from further get gets got had has have having he \
         her here hers herself him himself his how however i i'd i'll i'm i've if in into is it it's its itself just \
         let's like ll many may me might mine more moreover most much must my myself no nor not now of off often on \
         once one only onto or other others our ours out over own per quite rather re s same shall she should since \
         so some someone something still such t than that that's the their theirs them themselves then there there's \
         therefore these they this those though through thus to too toward towards under until up upon us ve very \
         via was we were what what's when where whether which while who whom whose why will with within without \
         would yet you you'd you'll you're you've your yours yourself don't doesn't didn't isn't aren't wasn't \
         weren't can't cannot couldn't wouldn't won't shouldn't haven't hasn't hadn't never",
    ),
];

/// Chat spellings and what they stand for.
const CHAT: [(&str, &str); 30] = [
    ("u", "you"),
    ("ur", "you're"),
    ("r", "are"),
    ("im", "i'm"),
    ("ive", "i've"),
    ("idk", "i don't know"),
    ("dont", "don't"),
    ("doesnt", "doesn't"),
    ("didnt", "didn't"),
    ("cant", "can't"),
    ("cannot", "can't"),
    ("wont", "won't"),
    ("isnt", "isn't"),
    ("arent", "aren't"),
    ("wasnt", "wasn't"),
    ("shouldnt", "shouldn't"),
    ("wouldnt", "wouldn't"),
    ("couldnt", "couldn't"),
    ("havent", "haven't"),
    ("hasnt", "hasn't"),
    ("youre", "you're"),
    ("youll", "you'll"),
    ("youve", "you've"),
    ("theyre", "they're"),
    ("theyll", "they'll"),
    ("shes", "she's"),
    ("thats", "that's"),
    ("itll", "it'll"),
    ("ya", "you"),
    ("everythings", "everything's"),
];

/// A set of sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sorts(u16);

impl Sorts {
    /// Whether a sort is among them.
    #[inline]
    pub const fn has(self, sort: Sort) -> bool {
        self.0 & (1 << sort as u8) != 0
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    sorts: Sorts,
    written_out: Option<&'static str>,
}

static TABLE: LazyLock<FxHashMap<&'static str, Known>> = LazyLock::new(|| {
    let mut table: FxHashMap<&'static str, Known> = FxHashMap::default();
    for (sort, list) in LISTS {
        for word in list.split_ascii_whitespace() {
            table.entry(word).or_default().sorts.0 |= 1 << sort as u8;
        }
    }
    for (short, long) in CHAT {
        table.entry(short).or_default().written_out = Some(long);
    }
    table
});

/// The sorts of a word in lower case.
pub fn sorts(word: &str) -> Sorts {
    TABLE.get(word).map_or_else(Sorts::default, |known| known.sorts)
}

/// Whether a word, with its apostrophe or without, is a helping verb with a contracted *not*: *didn't*, *wasnt*, *cannot*.
pub fn is_contracted_denial(word: &str) -> bool {
    let verb = word.strip_suffix("n't").or_else(|| word.strip_suffix("nt"));
    let is_short = |verb: &str| matches!(verb, "ca" | "wo" | "ai" | "sha" | "need");
    word == "cannot" || verb.is_some_and(|verb| is_short(verb) || sorts(verb).has(Sort::Helping))
}

/// What a chat spelling stands for.
pub(super) fn written_out(word: &str) -> Option<&'static str> {
    TABLE.get(word).and_then(|known| known.written_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_of_several_sorts() {
        assert!(sorts("think").has(Sort::Opining) && sorts("think").has(Sort::Saying));
        assert!(sorts("never").has(Sort::Denying) && sorts("might").has(Sort::Hedging));
        assert_eq!(sorts("river"), Sorts::default());
        assert_eq!(written_out("idk"), Some("i don't know"));
        assert!(is_contracted_denial("didn't") && is_contracted_denial("wasnt") && is_contracted_denial("cannot"));
        assert!(!is_contracted_denial("want") && !is_contracted_denial("tent") && !is_contracted_denial("bent"));
        assert!(sorts("did").has(Sort::Helping) && !sorts("be").has(Sort::Helping));
    }
}
