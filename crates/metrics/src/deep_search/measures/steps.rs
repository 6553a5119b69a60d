//! Which reasoning steps an answer touches: one keyword of a step is enough.

use probare_text::tokens::{Tokens, synthlink};
use rustc_hash::FxHashMap;

/// Verbs that tell the solver what to do and say nothing about the content.
const INSTRUCTIONS: [&str; 9] =
    ["confirm", "research", "link", "synthesize", "understand", "identify", "analyze", "define", "trace"];

/// The steps of a question, ready to be looked for in many answers.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    /// For each step its stemmed content words, each once, in order, as places in `words`.
    steps: Vec<Vec<usize>>,
    words: Vec<Box<str>>,
    places: FxHashMap<Box<str>, usize>,
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
    pub fn new<S: AsRef<str>>(texts: &[S]) -> Self {
        let mut steps = Self::default();
        for text in texts {
            let step = steps.keyword_places(text.as_ref());
            steps.steps.push(step);
        }
        steps
    }

    /// The keywords of the step of this index.
    pub fn keywords(&self, step: usize) -> impl Iterator<Item = &str> {
        self.steps.get(step).into_iter().flatten().map(|place| &*self.words[*place])
    }

    fn keyword_places(&mut self, text: &str) -> Vec<usize> {
        let tokens = synthlink::tokens(text);
        let instruction = tokens.texts().next().is_some_and(|token| INSTRUCTIONS.contains(&token));
        let mut keywords = Vec::new();
        for token in tokens.texts().skip(usize::from(instruction)).filter(|token| !synthlink::is_stop_word(token)) {
            let stem = synthlink::stem(token);
            let place = self.places.get(&*stem).copied().unwrap_or_else(|| {
                self.words.push((*stem).into());
                self.places.insert((*stem).into(), self.words.len() - 1);
                self.words.len() - 1
            });
            if !keywords.contains(&place) {
                keywords.push(place);
            }
        }
        keywords
    }

    /// What is found about each step in the tokens of an answer.
    pub fn find(&self, answer: &Tokens) -> Vec<StepFinding> {
        let mut first: Vec<Option<usize>> = vec![None; self.words.len()];
        for (index, token) in answer.texts().enumerate() {
            if let Some(place) = self.places.get(&*synthlink::stem(token)) {
                first[*place].get_or_insert(index);
            }
        }
        self.steps
            .iter()
            .map(|step| {
                let keywords = step.iter().enumerate();
                let found = keywords.filter_map(|(keyword, place)| Some((first[*place]?, keyword))).min();
                match found {
                    Some((token, keyword)) => StepFinding::Covered { keyword, token },
                    None if step.is_empty() => StepFinding::Empty,
                    None => StepFinding::Missing,
                }
            })
            .collect()
    }
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

    fn keywords(step: &str) -> Vec<String> {
        Steps::new(&[step]).keywords(0).map(str::to_owned).collect()
    }

    #[test]
    fn the_instruction_and_stop_words_are_no_keywords() {
        assert_eq!(keywords("Confirm printing press invention (~1440)"), ["printing", "press", "invention", "1440"]);
        assert_eq!(keywords("Link causes to the cause"), ["cause"]);
        assert_eq!(keywords("Press link"), ["press", "link"]);
        assert_eq!(keywords("Trace the"), [""; 0]);
    }

    #[test]
    fn one_keyword_covers_a_step_and_empty_steps_do_not_count() {
        let steps = Steps::new(&["Research cities and rivers", "Link dams", "Trace it"]);
        let found = steps.find(&synthlink::tokens("The river and the city."));
        assert_eq!(found, [StepFinding::Covered { keyword: 1, token: 1 }, StepFinding::Missing, StepFinding::Empty]);
        assert_eq!(step_coverage(&found), 0.5);
        assert_eq!(step_coverage(&[StepFinding::Empty]), 0.0);
        assert_eq!(step_coverage(&[]), 0.0);
    }
}
