//! Which reasoning steps an answer touches: one keyword of a step is enough.

use super::vocabulary::{Vocabulary, WordId, Words};

/// Verbs that tell the solver what to do and say nothing about the content.
const INSTRUCTIONS: [&str; 9] =
    ["confirm", "research", "link", "synthesize", "understand", "identify", "analyze", "define", "trace"];

/// The steps of a question, ready to be looked for in many answers.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    /// For each step the stems of its content words, each once, in order.
    keywords: Vec<Vec<WordId>>,
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

impl Steps {
    /// Reads steps as a catalogue words them.
    pub fn new<S: AsRef<str>>(texts: &[S], vocabulary: &mut Vocabulary) -> Self {
        Self { keywords: texts.iter().map(|text| keywords(text.as_ref(), vocabulary)).collect() }
    }

    /// The keywords of the step of this index.
    pub fn keywords(&self, step: usize) -> &[WordId] {
        self.keywords.get(step).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is found about each step in an answer that was read with the same vocabulary.
    pub fn find(&self, answer: &Words, vocabulary: &mut Vocabulary) -> Vec<StepFinding> {
        vocabulary.marks.begin();
        for (index, id) in (0..).zip(&answer.ids) {
            let stem = vocabulary.stem(*id);
            if vocabulary.marks.get(stem).is_none() {
                vocabulary.marks.set(stem, index);
            }
        }
        let find = |step: &Vec<WordId>| {
            let places = step.iter().enumerate();
            let found = places.filter_map(|(keyword, stem)| Some((vocabulary.marks.get(*stem)?, keyword))).min();
            match found {
                Some((token, keyword)) => StepFinding::Covered { keyword, token: token as usize },
                None if step.is_empty() => StepFinding::Empty,
                None => StepFinding::Missing,
            }
        };
        self.keywords.iter().map(find).collect()
    }
}

fn keywords(text: &str, vocabulary: &mut Vocabulary) -> Vec<WordId> {
    let words = vocabulary.read(text);
    let instruction = words.ids.first().is_some_and(|id| INSTRUCTIONS.contains(&vocabulary.text(*id)));
    let mut keywords = Vec::new();
    for id in words.ids.iter().skip(usize::from(instruction)).filter(|id| !vocabulary.is_stop_word(**id)) {
        let stem = vocabulary.stem(*id);
        if !keywords.contains(&stem) {
            keywords.push(stem);
        }
    }
    keywords
}

/// RQS: covered steps among those that have keywords; 0 where there are none.
pub fn step_coverage(findings: &[StepFinding]) -> f64 {
    let covered = findings.iter().filter(|finding| matches!(finding, StepFinding::Covered { .. })).count();
    let counted = findings.iter().filter(|finding| **finding != StepFinding::Empty).count();
    if counted == 0 { 0.0 } else { covered as f64 / counted as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyword_texts(step: &str) -> Vec<String> {
        let mut vocabulary = Vocabulary::default();
        let steps = Steps::new(&[step], &mut vocabulary);
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
        let mut vocabulary = Vocabulary::default();
        let steps = Steps::new(&["Research cities and rivers", "Link dams", "Trace it"], &mut vocabulary);
        let answer = vocabulary.read("The river and the city.");
        let found = steps.find(&answer, &mut vocabulary);
        assert_eq!(found, [StepFinding::Covered { keyword: 1, token: 1 }, StepFinding::Missing, StepFinding::Empty]);
        assert_eq!(step_coverage(&found), 0.5);
        assert_eq!(step_coverage(&[StepFinding::Empty]), 0.0);
        assert_eq!(step_coverage(&[]), 0.0);
    }
}
