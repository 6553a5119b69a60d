//! [`CatalogueQuestion`] and the [`Catalogue`] in its order.

use std::collections::BTreeMap;

use probare_core::Problem;
use rustc_hash::FxHashMap;

/// The published categories, in the order of their questions.
pub const PUBLISHED_CATEGORIES: [(&str, &str); 6] = [
    ("HIA", "Historical Impact Analysis"),
    ("EIS", "Economic and Industrial Shifts"),
    ("EEC", "Environmental and Ecological Consequences"),
    ("STE", "Scientific and Technological Evolution"),
    ("PSM", "Policy and Social Movements"),
    ("SFT", "STEM and Future Tech"),
];

/// One question with what a good answer holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogueQuestion {
    /// `HIA-01`.
    pub id: String,
    /// `HIA`: what stands before the first hyphen of the id, unless the catalogue says otherwise.
    pub category: String,
    /// What is asked.
    pub text: String,
    /// What a good answer says.
    pub summary: String,
    /// Titles of articles that the answer is to be found in.
    pub topics: Vec<String>,
    /// The reasoning, step by step.
    pub steps: Vec<String>,
}

impl CatalogueQuestion {
    /// The category that an id names.
    pub(super) fn category_of(id: &str) -> &str {
        id.split('-').next().unwrap_or(id)
    }

    /// The number at the end of the id, for the order within a category.
    fn number(&self) -> Option<u64> {
        let digits = self.id.rsplit('-').next()?;
        digits.parse().ok()
    }
}

/// Questions in order: the published categories first, then others by name, each by number.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    questions: Vec<CatalogueQuestion>,
    places: FxHashMap<String, usize>,
}

impl Catalogue {
    /// Puts questions in order. Ids are unique: of equal ones the first is kept.
    pub fn new(mut questions: Vec<CatalogueQuestion>) -> Self {
        let rank = |category: &str| {
            let known = PUBLISHED_CATEGORIES.iter().position(|(name, _)| *name == category);
            known.unwrap_or(PUBLISHED_CATEGORIES.len())
        };
        // Ids without a number come after those with one.
        questions.sort_by_cached_key(|question| {
            let number = question.number();
            let (category, id) = (question.category.clone(), question.id.clone());
            (rank(&category), category, number.is_none(), number, id)
        });
        questions.dedup_by(|second, first| second.id == first.id && second.category == first.category);
        let places = questions.iter().enumerate().map(|(place, question)| (question.id.clone(), place)).collect();
        Self { questions, places }
    }

    /// All questions, in order.
    pub fn questions(&self) -> &[CatalogueQuestion] {
        &self.questions
    }

    /// Where the question with this id stands.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// As [`place`](Self::place), looking at `likely` first: predictions mostly come in the order of the catalogue.
    pub fn place_near(&self, id: &str, likely: usize) -> Option<usize> {
        match self.questions.get(likely) {
            Some(question) if question.id == id => Some(likely),
            _ => self.place(id),
        }
    }

    /// The question with this id.
    pub fn get(&self, id: &str) -> Option<&CatalogueQuestion> {
        self.place(id).map(|place| &self.questions[place])
    }
}

/// A question and where it was read.
pub(super) struct LocatedQuestion {
    pub question: CatalogueQuestion,
    pub file: String,
    pub line: Option<u64>,
}

/// Puts questions of several files together; ids that stand for two different questions become problems.
pub(super) fn merge_questions(located: Vec<LocatedQuestion>, problems: &mut Vec<Problem>) -> Catalogue {
    let mut known: BTreeMap<String, LocatedQuestion> = BTreeMap::new();
    for next in located {
        let Some(first) = known.get(&next.question.id) else {
            known.insert(next.question.id.clone(), next);
            continue;
        };
        let line = first.line.map(|line| format!(":{line}")).unwrap_or_default();
        let same = first.question == next.question;
        let fate = if same { "with the same words; taken once" } else { "with other words" };
        problems.push(Problem {
            reason: format!("question `{}` stands in `{}{line}` too, {fate}", next.question.id, first.file),
            file: next.file,
            line: next.line,
            column: None,
            hint: None,
            lost: !same,
            id: None,
        });
    }
    Catalogue::new(known.into_values().map(|located| located.question).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> Vec<String> {
        let question = |id: &&str| CatalogueQuestion {
            id: (*id).to_owned(),
            category: CatalogueQuestion::category_of(id).to_owned(),
            ..CatalogueQuestion::default()
        };
        let catalogue = Catalogue::new(ids.iter().map(question).collect());
        catalogue.questions().iter().map(|question| question.id.clone()).collect()
    }

    #[test]
    fn published_categories_come_first_and_numbers_count_as_numbers() {
        assert_eq!(
            ids(&["RIV-2", "SFT-01", "HIA-10", "FDH-1", "HIA-9", "EIS-01", "HIA-x"]),
            ["HIA-9", "HIA-10", "HIA-x", "EIS-01", "SFT-01", "FDH-1", "RIV-2"]
        );
    }

    #[test]
    fn a_question_is_found_by_its_id() {
        let catalogue = Catalogue::new(vec![CatalogueQuestion { id: "A-1".into(), ..CatalogueQuestion::default() }]);
        assert_eq!(catalogue.place("A-1"), Some(0));
        assert!([0, 1, 7].iter().all(|likely| catalogue.place_near("A-1", *likely) == Some(0)));
        assert_eq!(catalogue.place_near("A-2", 0), None);
        assert!(catalogue.get("a-1").is_none());
    }
}
