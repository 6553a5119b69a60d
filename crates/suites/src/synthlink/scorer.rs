//! [`Scorer`]: the five measures of every prediction, in the order of the catalogue.

use probare_metrics::deep_search::measures::{
    FirstCorrect, Overlap, Steps, THRESHOLD, Topic, Vocabulary, Words, aggregate, document_precision, find_documents,
    first_correct, step_coverage, verify,
};

pub use probare_metrics::deep_search::deep_search_aggregate::{MEASURES, Weights};

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

/// A catalogue that is ready to be held against predictions.
#[derive(Debug)]
pub struct Scorer<'a> {
    catalogue: &'a Catalogue,
    prepared: Vec<Prepared>,
    vocabulary: Vocabulary,
    weights: [f64; 5],
}

/// A question whose texts are tokens already.
#[derive(Debug)]
struct Prepared {
    summary: Words,
    topics: Vec<Topic>,
    steps: Steps,
}

impl<'a> Scorer<'a> {
    /// Prepares every question.
    pub fn new(catalogue: &'a Catalogue, weights: Weights) -> Self {
        let mut vocabulary = Vocabulary::default();
        let prepared = catalogue.questions().iter().map(|question| Prepared::new(question, &mut vocabulary)).collect();
        Self { catalogue, prepared, vocabulary, weights: weights.list() }
    }

    /// The catalogue.
    pub fn catalogue(&self) -> &'a Catalogue {
        self.catalogue
    }

    /// Scores the predictions. Of several for one question the first counts; one for no question is passed over; both
    /// are warned about.
    pub fn score(&mut self, predictions: &[Prediction<'_>], missing: Missing) -> Scores {
        let (chosen, warnings) = self.choose(predictions);
        let mut room = [Words::default(), Words::default()];
        let mut rows = Vec::with_capacity(chosen.len());
        for (question, prediction) in chosen.iter().enumerate() {
            match *prediction {
                Some(index) => {
                    let values = self.prepared[question].values(&predictions[index], &mut self.vocabulary, &mut room);
                    let aggregate = aggregate(values, self.weights);
                    rows.push(Row { question, prediction: Some(index), values, aggregate });
                }
                None if missing == Missing::Zero => {
                    rows.push(Row { question, prediction: None, values: [0.0; 5], aggregate: 0.0 });
                }
                None => {}
            }
        }
        let answered = chosen.iter().flatten().count();
        Scores { rows, answered, total: chosen.len(), warnings }
    }

    /// For every question the place of the prediction that counts.
    fn choose(&self, predictions: &[Prediction<'_>]) -> (Vec<Option<usize>>, Vec<String>) {
        let mut chosen = vec![None; self.prepared.len()];
        let mut warnings = Vec::new();
        for (index, prediction) in predictions.iter().enumerate() {
            let id = &prediction.question_id;
            match self.catalogue.place(id).map(|place| &mut chosen[place]) {
                None => warnings.push(format!("unknown question_id: {id}")),
                Some(Some(_)) => warnings.push(format!("duplicate prediction ignored: {id}")),
                Some(free) => *free = Some(index),
            }
        }
        (chosen, warnings)
    }
}

impl Prepared {
    fn new(question: &Question, vocabulary: &mut Vocabulary) -> Self {
        Self {
            summary: vocabulary.read(&question.summary),
            topics: question.topics.iter().map(|title| Topic::new(title, vocabulary)).collect(),
            steps: Steps::new(&question.steps, vocabulary),
        }
    }

    /// The five values. `room` is for tokens that are forgotten again.
    fn values(&self, prediction: &Prediction<'_>, vocabulary: &mut Vocabulary, room: &mut [Words; 2]) -> [f64; 5] {
        let answer = &*prediction.predicted_answer;
        let [words, others] = room;
        vocabulary.read_into(answer, words);
        let f1 = Overlap::of(words, &self.summary, vocabulary).f1();
        let documents = find_documents(&self.topics, &prediction.retrieved_docs, vocabulary);
        let steps = self.steps.find(words, vocabulary);
        let claims = verify(answer, words, &prediction.sources_verified, vocabulary);
        let verified = claims.iter().filter(|claim| claim.verified).count();
        let fcs = if claims.is_empty() { 0.0 } else { verified as f64 / claims.len() as f64 };
        let iterations = prediction.iterations.iter().map(|iteration| iteration.answers.iter().map(AsRef::as_ref));
        let first = first_correct(iterations, THRESHOLD, |text| {
            // The last iteration often holds the answer itself.
            if text == answer {
                return f1;
            }
            vocabulary.read_into(text, others);
            Overlap::of(others, &self.summary, vocabulary).f1()
        });
        let ie = first.as_ref().map_or(0.0, FirstCorrect::efficiency);
        [f1, document_precision(&documents), step_coverage(&steps), fcs, ie]
    }
}
