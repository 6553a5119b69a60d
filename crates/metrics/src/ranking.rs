//! [`Ranking`]: which places of a list of retrieved documents hold a relevant one. All retrieval metrics start here, so
//! they agree on duplicates, on the cut at `k`, and on what they show.

use probare_core::{Evidence, EvidenceKind, Field, Sample, ScoreError};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded_evidence::BoundedEvidence;

/// The hits of one sample among the first `k` retrieved documents.
///
/// Ids are compared as they are. A document that was retrieved twice counts at its first place; the second place stays
/// occupied and is no hit. A relevant document that is listed twice counts once.
pub(crate) struct Ranking<'a> {
    /// Places of the hits, counted from 1, ascending.
    pub hits: Vec<usize>,
    /// How many documents are relevant.
    pub relevant: usize,
    /// How many places were looked at: all retrieved ones, or the first `k`.
    pub places: usize,
    retrieved: &'a [String],
    relevant_ids: &'a [String],
    /// For each hit the item of `relevant` that it equals.
    matched: Vec<usize>,
    repeated: usize,
}

impl<'a> Ranking<'a> {
    /// Reads the sample; `None` where no document is relevant, so that nothing can be said about the ranking.
    pub fn from_sample(sample: Sample<'a>, k: Option<usize>) -> Result<Option<Self>, ScoreError> {
        let (retrieved, relevant_ids) = (sample.retrieved()?, sample.relevant()?);
        let mut open: FxHashMap<&str, usize> = FxHashMap::default();
        for (index, id) in relevant_ids.iter().enumerate() {
            open.entry(id).or_insert(index);
        }
        let relevant = open.len();
        if relevant == 0 {
            return Ok(None);
        }
        let places = k.map_or(retrieved.len(), |k| k.min(retrieved.len()));
        let (mut hits, mut matched) = (Vec::new(), Vec::new());
        let mut seen = FxHashSet::default();
        let mut repeated = 0;
        for (place, id) in retrieved[..places].iter().enumerate() {
            if !seen.insert(id.as_str()) {
                repeated += 1;
            } else if let Some(index) = open.get(id.as_str()) {
                hits.push(place + 1);
                matched.push(*index);
            }
        }
        Ok(Some(Self { hits, relevant, places, retrieved, relevant_ids, matched, repeated }))
    }

    /// The hits with their places, the relevant documents that were not among the places looked at, and a remark on
    /// repetitions.
    pub fn evidence(&self) -> Vec<Evidence> {
        let mut evidence = BoundedEvidence::default();
        for place in &self.hits {
            let id = &self.retrieved[place - 1];
            evidence.push(|| {
                Evidence::found(Field::Retrieved, 0..id.len(), id)
                    .in_item(place - 1)
                    .with_note(format!("relevant, at place {place}"))
            });
        }
        let matched: FxHashSet<usize> = self.matched.iter().copied().collect();
        let mut named = FxHashSet::default();
        for (index, id) in self.relevant_ids.iter().enumerate() {
            if named.insert(id.as_str()) && !matched.contains(&index) {
                evidence.push(|| {
                    Evidence::at(EvidenceKind::Missing, Field::Relevant, 0..id.len(), id)
                        .in_item(index)
                        .with_note(format!("relevant, not among the first {}", self.places))
                });
            }
        }
        if self.repeated > 0 {
            evidence.push(|| Evidence::note(format!("{} places repeat an earlier document", self.repeated)));
        }
        evidence.finish()
    }
}

/// The reason given where `relevant` is an empty list.
pub(crate) const NOTHING_RELEVANT: &str = "`relevant` lists no document";

#[cfg(test)]
mod tests {
    use probare_core::Case;

    use super::*;

    fn case(retrieved: &[&str], relevant: &[&str]) -> Case {
        let list = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect());
        Case { retrieved: list(retrieved), relevant: list(relevant), ..Case::default() }
    }

    #[test]
    fn a_repeated_document_counts_at_its_first_place_and_keeps_the_second() {
        let case = case(&["a", "a", "b"], &["b", "a", "a"]);
        let ranking = Ranking::from_sample(Sample::from_case(&case), None).unwrap().unwrap();
        assert_eq!((ranking.hits.as_slice(), ranking.relevant, ranking.places), ([1, 3].as_slice(), 2, 3));
        assert!(ranking.evidence().iter().any(|piece| piece.text == "1 places repeat an earlier document"));
    }

    #[test]
    fn what_stands_after_k_is_missing() {
        let case = case(&["x", "a"], &["a"]);
        let ranking = Ranking::from_sample(Sample::from_case(&case), Some(1)).unwrap().unwrap();
        assert_eq!(ranking.hits, [0; 0]);
        let evidence = ranking.evidence();
        assert_eq!(evidence[0].kind, EvidenceKind::Missing);
        assert_eq!(evidence[0].text, "a");
    }

    #[test]
    fn no_relevant_document_gives_no_ranking() {
        let case = case(&["x"], &[]);
        assert!(Ranking::from_sample(Sample::from_case(&case), None).unwrap().is_none());
    }
}
