//! The distinct words of a context by number, so that each is folded and looked up once however often it occurs.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::folding::singular;
use super::verbs;

/// Number of a distinct lower-cased word.
pub(crate) type WordId = u32;
/// Number of a distinct folded word.
pub(crate) type FoldId = u32;

/// The words of a context.
#[derive(Debug, Default)]
pub(crate) struct ContextVocabulary {
    ids: FxHashMap<String, WordId>,
    entries: Vec<Entry>,
    folds: FxHashMap<String, FoldId>,
}

#[derive(Debug)]
struct Entry {
    lower: String,
    fold: FoldId,
    /// The verbs that the word may be a form of, looked up when a claim first asks.
    bases: OnceCell<Vec<String>>,
}

impl ContextVocabulary {
    /// The numbers of a lower-cased word, which is added where it is new.
    pub fn add(&mut self, lower: String) -> (WordId, FoldId) {
        if let Some(&id) = self.ids.get(&lower) {
            return (id, self.fold_of(id));
        }
        let folded = singular(&lower);
        let next = number(self.folds.len());
        let fold = *self.folds.entry(folded).or_insert(next);
        let id = number(self.entries.len());
        self.ids.insert(lower.clone(), id);
        self.entries.push(Entry { lower, fold, bases: OnceCell::new() });
        (id, fold)
    }

    /// The number of a folded word, if the context holds it.
    pub fn fold(&self, folded: &str) -> Option<FoldId> {
        self.folds.get(folded).copied()
    }

    /// How many distinct folded words there are.
    pub fn fold_count(&self) -> usize {
        self.folds.len()
    }

    /// The lower-cased word of a number.
    pub fn lower(&self, id: WordId) -> &str {
        self.entry(id).map_or("", |entry| &entry.lower)
    }

    /// The verbs that a word may be a form of.
    pub fn bases(&self, id: WordId) -> &[String] {
        self.entry(id).map_or(&[], |entry| entry.bases.get_or_init(|| verbs::bases(&entry.lower)))
    }

    fn fold_of(&self, id: WordId) -> FoldId {
        self.entry(id).map_or(FoldId::MAX, |entry| entry.fold)
    }

    fn entry(&self, id: WordId) -> Option<&Entry> {
        self.entries.get(usize::try_from(id).ok()?)
    }
}

/// Counts of distinct words stay far below 2^32: a text of that many would not fit into memory.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
