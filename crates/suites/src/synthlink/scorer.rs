//! [`Scorer`]: the five measures of every prediction, in the order of the catalogue.

use std::path::Path;

use probare_metrics::deep_search::measures::{
    Claims, FirstCorrect, Keys, Overlap, Steps, THRESHOLD, Topics, Vocabulary, WordId, Words, aggregate,
    document_precision, first_correct, step_coverage,
};

pub use probare_metrics::deep_search::deep_search_aggregate::{MEASURES, Weights};

use super::predictions::{PredictionError, for_each};
use super::{Catalogue, Prediction, Question};

/// What to do with a question that has no prediction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// Leave it out: means cover the answered questions, as in the published script.
    #[default]
    Skip,
    /// Count it with zero everywhere: the fair way to compare systems.
    Zero,
}

/// The five values of a question and their weighted sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Place of the question in the catalogue.
    pub question: usize,
    /// Place of the prediction in its file; nothing for an unanswered question.
    pub prediction: Option<usize>,
    /// In the order of [`MEASURES`].
    pub values: [f64; 5],
    /// The weighted sum.
    pub aggregate: f64,
}

impl Row {
    /// The five values and the sum.
    pub fn all(&self) -> [f64; 6] {
        let [f1, p_at_5, rqs, fcs, ie] = self.values;
        [f1, p_at_5, rqs, fcs, ie, self.aggregate]
    }
}

/// The rows of one file of predictions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// In the order of the catalogue.
    pub rows: Vec<Row>,
    /// Questions with a prediction.
    pub answered: usize,
    /// Questions of the catalogue.
    pub total: usize,
    /// What was strange about the predictions, in their order.
    pub warnings: Vec<String>,
}

/// Holds a catalogue against predictions, of one file or of many.
#[derive(Debug)]
pub struct Scorer<'a> {
    catalogue: &'a Catalogue,
    weights: [f64; 5],
    vocabulary: Vocabulary,
    expected: Expected,
    given: Given,
}

/// What a question expects, as words. The room is used again for the next question: to read one takes less time than to
/// keep all.
#[derive(Debug, Default)]
struct Expected {
    summary: Vec<WordId>,
    topics: Topics,
    steps: Steps,
}

/// What a prediction gives, as words. The room is used again for the next prediction.
#[derive(Debug, Default)]
struct Given {
    answer: Words,
    /// Another answer of the same prediction.
    other: Vec<WordId>,
    documents: Keys,
    claims: Claims,
}

impl<'a> Scorer<'a> {
    /// A scorer that has not seen a prediction yet.
    pub fn new(catalogue: &'a Catalogue, weights: Weights) -> Self {
        let (vocabulary, expected, given) = (Vocabulary::default(), Expected::default(), Given::default());
        Self { catalogue, weights: weights.list(), vocabulary, expected, given }
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &'a Catalogue {
        self.catalogue
    }

    /// Scores the predictions. Of several for one question the first counts; one for no question is passed over; both
    /// are warned about.
    pub fn score(&mut self, predictions: &[Prediction<'_>], missing: Missing) -> Scores {
        let mut tally = Tally::new(self.catalogue.questions().len());
        for prediction in predictions {
            self.take(prediction, &mut tally);
        }
        tally.scores(missing)
    }

    /// Scores the predictions of a file while it is read, so that a file of any length can be scored.
    pub fn score_file(&mut self, path: &Path, missing: Missing) -> Result<Scores, PredictionError> {
        let mut tally = Tally::new(self.catalogue.questions().len());
        for_each(path, |prediction| self.take(prediction, &mut tally))?;
        Ok(tally.scores(missing))
    }

    /// Scores one prediction if it counts.
    fn take(&mut self, prediction: &Prediction<'_>, tally: &mut Tally) {
        let index = tally.predictions;
        tally.predictions += 1;
        let id = &prediction.question_id;
        let Some(question) = self.catalogue.place_near(id, tally.next) else {
            tally.warnings.push(format!("unknown question_id: {id}"));
            return;
        };
        tally.next = question + 1;
        if tally.rows[question].is_some() {
            tally.warnings.push(format!("duplicate prediction ignored: {id}"));
            return;
        }
        self.expected.read(&self.catalogue.questions()[question], &mut self.vocabulary);
        let values = self.given.values(prediction, &self.expected, &mut self.vocabulary);
        let aggregate = aggregate(values, self.weights);
        tally.rows[question] = Some(Row { question, prediction: Some(index), values, aggregate });
    }
}

/// What has come of the predictions so far.
struct Tally {
    /// For every question the row of the prediction that counts.
    rows: Vec<Option<Row>>,
    /// The question behind the last one.
    next: usize,
    predictions: usize,
    warnings: Vec<String>,
}

impl Tally {
    fn new(questions: usize) -> Self {
        Self { rows: vec![None; questions], next: 0, predictions: 0, warnings: Vec::new() }
    }

    fn scores(self, missing: Missing) -> Scores {
        let (total, answered) = (self.rows.len(), self.rows.iter().flatten().count());
        let zero = |question| Row { question, prediction: None, values: [0.0; 5], aggregate: 0.0 };
        let rows = match missing {
            Missing::Skip => self.rows.into_iter().flatten().collect(),
            Missing::Zero => {
                let rows = self.rows.into_iter().enumerate();
                rows.map(|(question, row)| row.unwrap_or_else(|| zero(question))).collect()
            }
        };
        Scores { rows, answered, total, warnings: self.warnings }
    }
}

impl Expected {
    /// Reads a question in place of the one before.
    fn read(&mut self, question: &Question, vocabulary: &mut Vocabulary) {
        self.summary.clear();
        vocabulary.read_ids(&question.summary, &mut self.summary);
        self.topics.read(&question.topics, vocabulary);
        self.steps.read(&question.steps, vocabulary);
    }
}

impl Given {
    /// The five values of a prediction.
    fn values(&mut self, prediction: &Prediction<'_>, expected: &Expected, vocabulary: &mut Vocabulary) -> [f64; 5] {
        let text = &*prediction.predicted_answer;
        vocabulary.read_into(text, &mut self.answer);
        let f1 = Overlap::of(&self.answer.ids, &expected.summary, vocabulary).f1();
        let documents = expected.topics.find(&prediction.retrieved_docs, &mut self.documents, vocabulary);
        let p_at_5 = document_precision(documents);
        let rqs = step_coverage(expected.steps.find(&self.answer.ids, vocabulary));
        self.claims.verify(text, &self.answer, &prediction.sources_verified, vocabulary);
        let iterations = prediction.iterations.iter().map(|iteration| iteration.answers.iter().map(AsRef::as_ref));
        let first = first_correct(iterations, THRESHOLD, |other| {
            // The last iteration often holds the answer itself.
            if other == text {
                return f1;
            }
            self.other.clear();
            vocabulary.read_ids(other, &mut self.other);
            Overlap::of(&self.other, &expected.summary, vocabulary).f1()
        });
        let ie = first.as_ref().map_or(0.0, FirstCorrect::efficiency);
        [f1, p_at_5, rqs, self.claims.share(), ie]
    }
}
