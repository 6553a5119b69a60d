//! Questions and answers as cases: one for each answer.

use std::sync::Arc;

use probare_core::{Case, CaseBatch, CaseSource, Citation, InputFile, Output, Passage, Problem, SourceError};
use probare_metrics::interviews::quotations::TRANSCRIPT_KEY;
use serde_json::{Map, Value as Json, json};

use super::input::{Corpus, Fixture, FixtureAnswer, QuestionPair};

/// Answers that travel together.
const IN_BATCH: usize = 16;

/// The answers of a fixture, in order. Cases are made where they are scored: each holds the transcript that it is about.
pub(super) struct AnswerSource {
    fixture: Arc<Fixture>,
    corpus: Arc<Corpus>,
    /// Pair and answer of every case that is still to come.
    next: std::vec::IntoIter<(usize, usize)>,
    inputs: Vec<InputFile>,
}

impl AnswerSource {
    pub(super) fn new(fixture: Arc<Fixture>, corpus: Arc<Corpus>, inputs: Vec<InputFile>) -> Self {
        let pairs = fixture.pairs.iter().enumerate();
        let places: Vec<(usize, usize)> =
            pairs.flat_map(|(at, pair)| (0..pair.answers.len()).map(move |answer| (at, answer))).collect();
        Self { fixture, corpus, next: places.into_iter(), inputs }
    }
}

impl CaseSource for AnswerSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let places: Vec<(usize, usize)> = self.next.by_ref().take(IN_BATCH).collect();
        let batch = AnswerBatch { fixture: Arc::clone(&self.fixture), corpus: Arc::clone(&self.corpus), places };
        (!batch.places.is_empty()).then(|| Ok(Box::new(batch) as Box<dyn CaseBatch>))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(std::mem::take(&mut self.inputs))
    }
}

struct AnswerBatch {
    fixture: Arc<Fixture>,
    corpus: Arc<Corpus>,
    places: Vec<(usize, usize)>,
}

impl CaseBatch for AnswerBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let case = |(pair, answer): &(usize, usize)| Ok(case(&self.fixture.pairs[*pair], *answer, &self.corpus));
        self.places.iter().map(case).collect()
    }
}

/// The case of an answer. Its passages, or the whole transcript where it has none of its own, stand in `context`, so that
/// evidence can point into them.
pub(super) fn case(pair: &QuestionPair, index: usize, corpus: &Corpus) -> Case {
    let answer = &pair.answers[index];
    let mut metadata = Map::new();
    metadata.insert("type".to_owned(), json!(pair.kind));
    metadata.insert("metric".to_owned(), pair.metric.clone());
    for (name, value) in [("source", &answer.source), ("model", &answer.model)] {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), json!(value));
        }
    }
    let response = answer.response.clone().map(|text| Output {
        text,
        model: answer.model.clone(),
        repeat: repeats(&pair.answers[..index], answer),
    });
    let mut tags = vec![pair.kind.clone()];
    tags.extend(answer.source.clone());
    Case {
        id: answer_id(pair, answer),
        query: Some(pair.question.clone()),
        response,
        context: Some(context(answer, corpus)),
        citations: Some(answer.citations.iter().map(citation).collect()),
        tags,
        metadata,
        ..Case::default()
    }
}

/// How often the model was asked the same before.
fn repeats(earlier: &[FixtureAnswer], answer: &FixtureAnswer) -> u32 {
    let is_same = |other: &&FixtureAnswer| other.model == answer.model && other.source == answer.source;
    u32::try_from(earlier.iter().filter(is_same).count()).unwrap_or(u32::MAX)
}

/// The id of the question; with the transcript where its answers are about several.
pub(super) fn answer_id(pair: &QuestionPair, answer: &FixtureAnswer) -> String {
    let first = pair.answers.first().and_then(|first| first.source.as_ref());
    match &answer.source {
        Some(source) if pair.answers.iter().any(|other| other.source.as_ref() != first) => {
            format!("{} {source}", pair.id)
        }
        _ => pair.id.clone(),
    }
}

fn context(answer: &FixtureAnswer, corpus: &Corpus) -> Vec<Passage> {
    if let Some(context) = &answer.context {
        let passage = |given: &super::input::FixturePassage| Passage {
            text: given.text.clone(),
            metadata: given.metadata.clone(),
        };
        return context.iter().map(passage).collect();
    }
    let place = answer.source.as_deref().and_then(|source| corpus.index_of(source));
    let transcript = place.and_then(|place| corpus.transcripts().get(place));
    let whole = transcript.map(|transcript| {
        let mut passage = Passage::from(transcript.text.as_str());
        passage.metadata.insert(TRANSCRIPT_KEY.to_owned(), json!(transcript.key));
        passage
    });
    whole.into_iter().collect()
}

fn citation(given: &Json) -> Citation {
    let member = |name: &str| given.get(name).cloned().unwrap_or_default();
    Citation {
        source_index: member("source_index"),
        quote: member("quote"),
        source: given.get("source").and_then(Json::as_str).map(str::to_owned),
    }
}
