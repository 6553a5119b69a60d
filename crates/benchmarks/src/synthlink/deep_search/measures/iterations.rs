//! How early a right answer appeared.

/// The F1 from which an answer counts as right.
pub const F1_THRESHOLD: f64 = 0.5;

/// Later successes count as if they had come at this iteration.
pub const LAST_COUNTED: usize = 5;

/// The first iteration with a right answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstCorrect {
    /// Index of the iteration, counted from 0.
    pub iteration: usize,
    /// Index of the answer in it.
    pub answer: usize,
    /// F1 of that answer.
    pub f1: f64,
}

impl FirstCorrect {
    /// IE: one over the number of the iteration, at least 0.2.
    pub fn efficiency(&self) -> f64 {
        1.0 / (self.iteration + 1).min(LAST_COUNTED) as f64
    }
}

/// The first answer of any iteration whose F1 reaches `threshold`; `f1` compares an answer with the summary.
pub fn first_correct<'a, I>(
    iterations: impl IntoIterator<Item = I>,
    threshold: f64,
    mut f1: impl FnMut(&'a str) -> f64,
) -> Option<FirstCorrect>
where
    I: IntoIterator<Item = &'a str>,
{
    for (iteration, answers) in iterations.into_iter().enumerate() {
        for (answer, text) in answers.into_iter().enumerate() {
            let f1 = f1(text);
            if f1 >= threshold {
                return Some(FirstCorrect { iteration, answer, f1 });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthlink::deep_search::measures::{TokenOverlap, WordInterner};

    fn efficiency(iterations: &[&[&str]]) -> f64 {
        let lists = iterations.iter().map(|answers| answers.iter().copied());
        let mut vocabulary = WordInterner::default();
        let f1 = |text: &str| TokenOverlap::from_texts(text, "the press made books cheap", &mut vocabulary).f1();
        first_correct(lists, F1_THRESHOLD, f1).map_or(0.0, |first| first.efficiency())
    }

    #[test]
    fn the_first_iteration_with_any_right_answer_counts() {
        assert_eq!(efficiency(&[&["no idea"], &["nothing", "the press made books"], &["cheap"]]), 0.5);
        assert_eq!(efficiency(&[&["the press made books cheap"]]), 1.0);
    }

    #[test]
    fn late_success_is_a_fifth_and_none_is_zero() {
        let wrong: &[&str] = &["wrong"];
        let mut nine = vec![wrong; 8];
        nine.push(&["press books cheap"]);
        assert_eq!(efficiency(&nine), 0.2);
        assert_eq!(efficiency(&[]), 0.0);
        assert_eq!(efficiency(&[&[], &[""]]), 0.0);
    }
}
