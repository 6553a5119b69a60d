//! Which reasoning steps an answer touches: one keyword of a step is enough.

use super::vocabulary::{WordId, WordInterner};
use super::word_lists::WordLists;

/// The steps of a question, ready to be looked for in many answers.
#[derive(Debug, Clone, Default)]
pub struct ReasoningSteps {
    /// For each step the stems of its content words, each once, in order.
    keywords: WordLists,
}

/// What was found about one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepFinding {
    /// The answer has this keyword, first as the token of this index.
    Covered {
        /// Index into the keywords of the step.
        keyword: usize,
        /// Index into the tokens of the answer.
        token: usize,
    },
    /// The answer has none of the keywords.
    Missing,
    /// The step has no keywords and does not count.
    Empty,
}

impl ReasoningSteps {
    /// Reads steps as a catalogue words them.
    pub fn new<S: AsRef<str>>(texts: &[S], vocabulary: &mut WordInterner) -> Self {
        let mut steps = Self::default();
        steps.read(texts, vocabulary);
        steps
    }

    /// Reads other steps in place of those before.
    pub fn read<S: AsRef<str>>(&mut self, texts: &[S], vocabulary: &mut WordInterner) {
        self.keywords.read(texts, vocabulary);
        self.keywords.retain_map(|is_first, id| {
            if is_first {
                vocabulary.marks.begin();
            }
            let stem = vocabulary.stem(id);
            let is_instruction = is_first && vocabulary.is_instruction(id);
            let is_new = !is_instruction && !vocabulary.is_stop_word(id) && !vocabulary.marks.has(stem);
            is_new.then(|| {
                vocabulary.marks.set(stem, 0);
                stem
            })
        });
    }

    /// The keywords of the step of this index.
    pub fn keywords(&self, step: usize) -> &[WordId] {
        self.keywords.get(step)
    }

    /// What is found about each step in an answer that was read with the same vocabulary.
    pub fn find<'s>(
        &'s self,
        answer: &[WordId],
        vocabulary: &'s mut WordInterner,
    ) -> impl ExactSizeIterator<Item = StepFinding> + use<'s> {
        vocabulary.mark_stems(answer);
        let marks = &vocabulary.marks;
        self.keywords.iter().map(|step| {
            let places = step.iter().enumerate().filter(|(_, stem)| marks.has(**stem));
            match places.map(|(keyword, stem)| (marks.get(*stem), keyword)).min() {
                Some((token, keyword)) => StepFinding::Covered { keyword, token: token as usize },
                None if step.is_empty() => StepFinding::Empty,
                None => StepFinding::Missing,
            }
        })
    }
}

/// RQS: covered steps among those that have keywords; 0 where there are none.
pub fn step_coverage(findings: impl IntoIterator<Item = StepFinding>) -> f64 {
    let (mut covered, mut counted) = (0_usize, 0_usize);
    for finding in findings {
        covered += usize::from(matches!(finding, StepFinding::Covered { .. }));
        counted += usize::from(finding != StepFinding::Empty);
    }
    if counted == 0 { 0.0 } else { covered as f64 / counted as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyword_texts(step: &str) -> Vec<String> {
        let mut vocabulary = WordInterner::default();
        let steps = ReasoningSteps::new(&[step], &mut vocabulary);
        steps.keywords(0).iter().map(|id| vocabulary.text(*id).to_owned()).collect()
    }

    #[test]
    fn the_instruction_and_stop_words_are_no_keywords() {
        assert_eq!(
            keyword_texts("Confirm printing press invention (~1440)"),
            ["printing", "press", "invention", "1440"]
        );
        assert_eq!(keyword_texts("Link causes to the cause"), ["cause"]);
        assert_eq!(keyword_texts("Press link"), ["press", "link"]);
        assert_eq!(keyword_texts("Trace the"), [""; 0]);
    }

    #[test]
    fn one_keyword_covers_a_step_and_empty_steps_do_not_count() {
        let mut vocabulary = WordInterner::default();
        let steps = ReasoningSteps::new(&["Research cities and rivers", "Link dams", "Trace it"], &mut vocabulary);
        let answer = vocabulary.read("The river and the city.");
        let found: Vec<StepFinding> = steps.find(&answer.ids, &mut vocabulary).collect();
        assert_eq!(found, [StepFinding::Covered { keyword: 1, token: 1 }, StepFinding::Missing, StepFinding::Empty]);
        assert_eq!(step_coverage(found), 0.5);
        assert_eq!(step_coverage([StepFinding::Empty]), 0.0);
        assert_eq!(step_coverage([]), 0.0);
    }
}
