//! [`InterviewQuestion`]: a type and a metric, ready to grade answers.

use probare_core::Profile;
use probare_text::normalise::normalise;
use probare_text::stopwords;
use probare_text::wordnet::WordNet;
use serde_json::Value as Json;

use super::grade::YesNoDecision;
use super::{Grade, GradeFlag, GradingOptions, QuestionType};
use crate::socioscope::interviews::improved::{AssertionTable, names_everything};
use crate::socioscope::interviews::inputs::{
    AnswerItem, ExpectedAnswer, ExpectedRationale, ExpectedYesNo, InterviewAnswer, MetricSpecError, ValueWeights,
};
use crate::socioscope::interviews::matching::{MatchOptions, SurfaceTable, asserted_values, mentions};
use crate::socioscope::interviews::polarity::{Polarity, PolarityAnalysis, answer_polarity, opening_polarity};

/// Distinct words of substance that make a full reason where the metric names none.
const WORDS_OF_A_REASON: usize = 5;

/// A question that answers can be graded by. The look-ups behind its values are made once.
#[derive(Debug)]
pub struct InterviewQuestion<'w> {
    kind: QuestionType,
    settings: GradingOptions,
    wordnet: &'w WordNet,
    target: Target,
}

#[derive(Debug)]
enum Target {
    YesNo(ExpectedAnswer),
    Values(ValueGrader),
    Reasons { expected: ExpectedRationale, reasons: Option<ValueGrader> },
}

/// Values with all they may look like.
#[derive(Debug)]
struct ValueGrader {
    kind: QuestionType,
    weights: ValueWeights,
    table: SurfaceTable,
    /// For the improved definition only.
    improved: Option<AssertionTable>,
    matching: MatchOptions,
}

impl ValueGrader {
    fn new(kind: QuestionType, weights: ValueWeights, settings: GradingOptions, wordnet: &WordNet) -> Self {
        let synonyms = settings.synonyms.unwrap_or(!kind.is_pick());
        let fuzzy = settings.fuzzy.unwrap_or(kind.is_pick());
        let matching = MatchOptions {
            synonyms,
            fuzzy: fuzzy.then_some(settings.fuzzy_threshold),
            whole: kind == QuestionType::PickOne,
        };
        let improved =
            (settings.profile == Profile::Improved).then(|| AssertionTable::new(&weights, synonyms, fuzzy, wordnet));
        Self { kind, table: SurfaceTable::new(&weights, synonyms.then_some(wordnet)), improved, weights, matching }
    }

    fn grade(&self, items: &[AnswerItem<'_>], query: Option<&str>, wordnet: &WordNet) -> Grade {
        let mentions = match &self.improved {
            Some(improved) => improved.mentions(items, query, self.kind, wordnet),
            None => mentions(items, &self.table, self.matching, wordnet),
        };
        let mut matched = asserted_values(&mentions);
        let mut flags = Vec::new();
        if self.kind.is_one() && matched.len() > 1 {
            flags.push(GradeFlag::Ambiguous);
        }
        if self.improved.is_some() && names_everything(self.kind, &self.weights, &matched, items) {
            flags.push(GradeFlag::Everything);
            matched.clear();
        }
        let (raw, best) = if self.kind.is_one() {
            (matched.first().map_or(0.0, |value| self.weights.weight(*value)), self.weights.best_one())
        } else {
            (matched.iter().fold(0.0, |sum, value| sum + self.weights.weight(*value)), self.weights.best_many())
        };
        Grade {
            score: (raw / best).clamp(0.0, 1.0),
            raw: Some(raw),
            best: Some(best),
            matched,
            mentions,
            flags,
            ..Grade::default()
        }
    }
}

impl<'w> InterviewQuestion<'w> {
    /// The values that the metric of a question names; an error where it cannot be used. Nothing is looked up.
    pub fn weights_from_metric(kind: QuestionType, metric: &Json) -> Result<Option<ValueWeights>, MetricSpecError> {
        match kind {
            QuestionType::YesNo => ExpectedAnswer::read(metric).map(|_| None),
            QuestionType::YesNoRationale => ExpectedRationale::read(metric).map(|expected| expected.reasons),
            _ => ValueWeights::read(metric).map(Some),
        }
    }

    /// Reads the metric of a question.
    pub fn new(
        kind: QuestionType,
        metric: &Json,
        settings: GradingOptions,
        wordnet: &'w WordNet,
    ) -> Result<Self, MetricSpecError> {
        let target = match kind {
            QuestionType::YesNo => Target::YesNo(ExpectedAnswer::read(metric)?),
            QuestionType::YesNoRationale => {
                let mut expected = ExpectedRationale::read(metric)?;
                let reasons = expected.reasons.take();
                let values = |weights| ValueGrader::new(QuestionType::ListMany, weights, settings, wordnet);
                Target::Reasons { expected, reasons: reasons.map(values) }
            }
            _ => Target::Values(ValueGrader::new(kind, ValueWeights::read(metric)?, settings, wordnet)),
        };
        Ok(Self { kind, settings, wordnet, target })
    }

    /// Its type.
    pub const fn kind(&self) -> QuestionType {
        self.kind
    }

    /// The values that count, with their weights; nothing for a plain yes/no question.
    pub fn weights(&self) -> Option<&ValueWeights> {
        match &self.target {
            Target::Values(values) | Target::Reasons { reasons: Some(values), .. } => Some(&values.weights),
            Target::YesNo(_) | Target::Reasons { reasons: None, .. } => None,
        }
    }

    /// Grades a response; no response at all is a blank answer. The improved definition also looks at what was asked.
    pub fn grade(&self, response: Option<&str>, query: Option<&str>) -> Grade {
        let Some(response) = response else { return Grade::blank() };
        let answer = InterviewAnswer::read(response);
        if answer.is_blank() && !answer.is_list {
            return Grade::blank();
        }
        match &self.target {
            Target::YesNo(expected) => {
                let (binary, decision) = self.yes_no(&answer, expected, query);
                let undecided = decision.polarity.is_none();
                let flags = if undecided { vec![GradeFlag::Undecided] } else { Vec::new() };
                Grade { score: binary, decision: Some(decision), flags, ..Grade::default() }
            }
            Target::Values(values) => values.grade(&answer.items, query, self.wordnet),
            Target::Reasons { expected, reasons } => self.reasons(&answer, expected, reasons.as_ref(), query),
        }
    }

    /// The yes/no score of the first text of an answer, and what was read.
    fn yes_no(
        &self,
        answer: &InterviewAnswer<'_>,
        expected: &ExpectedAnswer,
        query: Option<&str>,
    ) -> (f64, YesNoDecision) {
        let Some(item) = answer.first() else {
            return (0.0, YesNoDecision { polarity: None, span: None, why: "nothing is answered", is_said: true });
        };
        let opening = self.read(item, query);
        let decision = YesNoDecision {
            polarity: opening.polarity,
            span: opening.marker.map(|marker| item.span(marker)),
            why: opening.why,
            is_said: opening.is_said,
        };
        if self.settings.strict_yes_no {
            let same = item.text().trim().to_lowercase() == expected.literal.trim().to_lowercase();
            return (f64::from(same && !expected.literal.is_empty()), decision);
        }
        let score = match (&expected.expected, opening.polarity) {
            (ExpectedYesNo::Text(text), _) => f64::from(normalise(item.text()) == *text),
            (ExpectedYesNo::Polarity(expected_polarity), found) => f64::from(found == Some(*expected_polarity)),
            (ExpectedYesNo::Worth { yes, no }, found) => {
                let worth = match found {
                    Some(Polarity::Yes) => *yes,
                    Some(Polarity::No) => *no,
                    None => 0.0,
                };
                (worth / yes.max(*no).max(1.0)).clamp(0.0, 1.0)
            }
        };
        (score, decision)
    }

    fn read(&self, item: &AnswerItem<'_>, query: Option<&str>) -> PolarityAnalysis {
        match self.settings.profile {
            Profile::Published => opening_polarity(item.text()),
            Profile::Improved => answer_polarity(item.text(), query),
        }
    }

    fn reasons(
        &self,
        answer: &InterviewAnswer<'_>,
        expected: &ExpectedRationale,
        reasons: Option<&ValueGrader>,
        query: Option<&str>,
    ) -> Grade {
        let (binary, decision) = self.yes_no(answer, &expected.answer, query);
        let rest: Vec<AnswerItem<'_>> = match &answer.rationale {
            Some(rationale) => rationale.clone(),
            None => items_after_marker(answer, self.read_marker(answer, query)),
        };
        let (share, grade) = match reasons {
            Some(values) => {
                let grade = values.grade(&rest, query, self.wordnet);
                (grade.score, grade)
            }
            None => (reason_share(&rest), Grade::default()),
        };
        let weight = expected.answer_weight.unwrap_or(self.settings.rationale_weight);
        let mut flags = grade.flags;
        if decision.polarity.is_none() {
            flags.insert(0, GradeFlag::Undecided);
        }
        Grade {
            score: if binary == 0.0 { 0.0 } else { (weight * binary + (1.0 - weight) * share).clamp(0.0, 1.0) },
            binary: Some(binary),
            rationale: Some(share),
            answer_weight: Some(weight),
            matched: grade.matched,
            mentions: grade.mentions,
            decision: Some(decision),
            flags,
            ..Grade::default()
        }
    }

    fn read_marker(&self, answer: &InterviewAnswer<'_>, query: Option<&str>) -> Option<usize> {
        let opening = self.read(answer.first()?, query);
        opening.polarity.and(opening.marker).map(|marker| marker.end)
    }
}

/// The answer behind the words that decided, or all of it.
fn items_after_marker<'a>(answer: &InterviewAnswer<'a>, marker: Option<usize>) -> Vec<AnswerItem<'a>> {
    let mut items = answer.items.clone();
    if let (Some(first), Some(end)) = (items.first_mut(), marker) {
        *first = first.after(end);
    }
    items
}

/// How much of a full reason the words of substance make.
fn reason_share(items: &[AnswerItem<'_>]) -> f64 {
    let mut words: Vec<String> = items
        .iter()
        .flat_map(|item| normalise(item.text()).split(' ').map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| word.chars().nth(1).is_some() && !stopwords::nltk().contains(word))
        .collect();
    words.sort_unstable();
    words.dedup();
    (words.len() as f64 / WORDS_OF_A_REASON as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn grade(kind: QuestionType, metric: &Json, settings: GradingOptions, answer: &str) -> Grade {
        InterviewQuestion::new(kind, metric, settings, WordNet::embedded()).unwrap().grade(Some(answer), None)
    }

    #[test]
    fn strict_yes_and_no_are_compared_letter_by_letter() {
        let strict = GradingOptions { strict_yes_no: true, ..GradingOptions::default() };
        assert_eq!(grade(QuestionType::YesNo, &json!("yes"), strict, " YES ").score, 1.0);
        assert_eq!(grade(QuestionType::YesNo, &json!("yes"), strict, "Yes.").score, 0.0);
        assert_eq!(grade(QuestionType::YesNo, &json!("yes"), GradingOptions::default(), "Yes.").score, 1.0);
    }

    #[test]
    fn settings_switch_synonyms_and_spellings() {
        let metric = json!({"car": 1});
        let with = GradingOptions { synonyms: Some(true), ..GradingOptions::default() };
        assert_eq!(grade(QuestionType::PickOne, &metric, GradingOptions::default(), "automobile").score, 0.0);
        assert_eq!(grade(QuestionType::PickOne, &metric, with, "automobile").score, 1.0);
        let metric = json!({"bicycle": 1});
        let fuzzy = GradingOptions { fuzzy: Some(true), ..GradingOptions::default() };
        assert_eq!(grade(QuestionType::ListOne, &metric, GradingOptions::default(), "bycycle").score, 0.0);
        assert_eq!(grade(QuestionType::ListOne, &metric, fuzzy, "bycycle").score, 1.0);
    }

    #[test]
    fn several_values_for_one_question_are_flagged() {
        let found = grade(QuestionType::ListOne, &json!({"a": 1, "b": 0.5}), GradingOptions::default(), "b or a");
        assert_eq!((found.score, found.matched, found.flags), (0.5, vec![1, 0], vec![GradeFlag::Ambiguous]));
        let blank = grade(QuestionType::ListOne, &json!(["a"]), GradingOptions::default(), " ");
        assert_eq!((blank.score, blank.raw), (0.0, None));
    }

    #[test]
    fn the_reason_is_what_follows_the_yes() {
        let metric = json!({"answer": "yes", "rationale": ["cost"], "answer_weight": 0.8});
        let found = grade(QuestionType::YesNoRationale, &metric, GradingOptions::default(), "Yes: a cost");
        assert_eq!((found.binary, found.rationale), (Some(1.0), Some(1.0)));
        let response = r#"{"answer": true, "rationale": ["cost", "x"]}"#;
        assert_eq!(grade(QuestionType::YesNoRationale, &metric, GradingOptions::default(), response).score, 1.0);
    }
}
