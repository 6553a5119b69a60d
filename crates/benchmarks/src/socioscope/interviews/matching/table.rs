//! [`SurfaceTable`]: the values of a question and everything they may look like in an answer.

use probare_text::number_words::canonical;
use probare_text::wordnet::WordNet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::socioscope::interviews::inputs::ValueWeights;

/// Where a surface comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceOrigin {
    /// The value itself.
    Value,
    /// A synonym of it.
    Synonym,
}

/// Surfaces in canonical form and what they stand for. A value beats a synonym, an earlier value a later one.
#[derive(Debug, Clone)]
pub struct SurfaceTable {
    values: Vec<String>,
    forms: Vec<String>,
    surfaces: FxHashMap<String, (usize, SurfaceOrigin)>,
    /// First words of all surfaces: a scan starts nowhere else.
    first_words: FxHashSet<String>,
    /// Lengths of surfaces in words, longest first.
    lengths: Vec<usize>,
    /// Separators that some value contains: answers are not cut there.
    inner_signs: Vec<char>,
}

impl SurfaceTable {
    /// The values of `weights`, with their synonyms where a WordNet is given.
    pub fn new(weights: &ValueWeights, synonyms: Option<&WordNet>) -> Self {
        let values: Vec<String> = weights.values().map(str::to_owned).collect();
        let forms: Vec<String> = values.iter().map(|value| canonical(value)).collect();
        let mut surfaces = FxHashMap::default();
        for (index, form) in forms.iter().enumerate().filter(|(_, form)| !form.is_empty()) {
            surfaces.entry(form.clone()).or_insert((index, SurfaceOrigin::Value));
        }
        if let Some(wordnet) = synonyms {
            for (index, value) in values.iter().enumerate() {
                for synonym in wordnet.scoring_synonyms(value) {
                    surfaces.entry(synonym).or_insert((index, SurfaceOrigin::Synonym));
                }
            }
        }
        let words = |surface: &String| surface.split(' ').count();
        let mut lengths: Vec<usize> = surfaces.keys().map(words).collect();
        lengths.sort_unstable_by(|left, right| right.cmp(left));
        lengths.dedup();
        let first_words = surfaces.keys().filter_map(|surface| surface.split(' ').next()).map(str::to_owned).collect();
        let inner_signs = [',', ';', '|', '\n']
            .into_iter()
            .filter(|separator| values.iter().any(|value| value.contains(*separator)))
            .collect();
        Self { values, forms, surfaces, first_words, lengths, inner_signs }
    }

    /// What a surface stands for.
    pub fn get(&self, surface: &str) -> Option<(usize, SurfaceOrigin)> {
        self.surfaces.get(surface).copied()
    }

    /// Whether some surface begins with this word.
    pub fn begins_with(&self, word: &str) -> bool {
        self.first_words.contains(word)
    }

    /// Lengths of surfaces in words, longest first.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// A value as given.
    pub fn value(&self, index: usize) -> &str {
        self.values.get(index).map_or("", String::as_str)
    }

    /// The values in canonical form, in order.
    pub fn forms(&self) -> &[String] {
        &self.forms
    }

    /// Separators at which answers are not cut.
    pub fn kept_separators(&self) -> &[char] {
        &self.inner_signs
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_beat_synonyms_and_earlier_values_later_ones() {
        let weights = ValueWeights::read(&json!(["car", "machine", "Car", "a, b"])).unwrap();
        let table = SurfaceTable::new(&weights, Some(WordNet::embedded()));
        assert_eq!(table.get("car"), Some((0, SurfaceOrigin::Value)));
        assert_eq!(table.get("machine"), Some((1, SurfaceOrigin::Value)), "also a synonym of car");
        assert_eq!(table.get("automobile"), Some((0, SurfaceOrigin::Synonym)));
        assert_eq!(table.kept_separators(), [',']);
        assert!(SurfaceTable::new(&weights, None).get("automobile").is_none());
    }
}
