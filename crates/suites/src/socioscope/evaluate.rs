//! [`evaluate`]: every answer graded, every quotation checked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use probare_core::Profile;
use probare_metrics::interviews::quotations::{Existence, Finding, Source, Text, check, place};
use probare_metrics::interviews::{Grade, Question, QuestionType, Settings};
use probare_text::wordnet::WordNet;
use serde_json::Value as Json;

use super::input::{Answer, Corpus, DataError, Fixture, Pair};

/// How to evaluate.
#[derive(Debug, Clone, Copy)]
pub struct Options<'w> {
    /// Settings of the question types. With the careful profile both readings are computed.
    pub settings: Settings,
    /// The WordNet behind synonyms.
    pub wordnet: &'w WordNet,
    /// Threads; at least one is used.
    pub jobs: usize,
}

/// Everything about one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerResult {
    /// The published reading; nothing for an unknown question type.
    pub grade: Option<Grade>,
    /// The careful reading, where it was asked for.
    pub careful: Option<Grade>,
    /// One finding per citation.
    pub findings: Vec<Finding>,
    /// For each citation the transcript it was held against, where it was one.
    pub transcripts: Vec<Option<usize>>,
    /// How many of them stand where they are said to.
    pub existence: Existence,
}

/// Everything about one question.
#[derive(Debug, Clone, PartialEq)]
pub struct PairResult {
    /// One result per answer.
    pub answers: Vec<AnswerResult>,
    /// The values that count and their weights, by name.
    pub values: Vec<(String, f64)>,
    /// Remarks for standard error.
    pub warnings: Vec<String>,
}

impl PairResult {
    /// The citations of all answers together.
    pub fn existence(&self) -> Existence {
        self.answers.iter().fold(Existence::default(), |sum, answer| sum.and(answer.existence))
    }
}

/// Everything about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// One result per question, in the order of the file.
    pub pairs: Vec<PairResult>,
}

impl Evaluation {
    /// All remarks, in the order of the questions.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().flat_map(|pair| pair.warnings.iter().map(String::as_str))
    }
}

/// Grades all answers and checks all quotations. Fails where the metric of a question cannot be used, with its place.
///
/// The result does not depend on the number of threads.
pub fn evaluate(fixture: &Fixture, corpus: &Corpus, options: Options<'_>) -> Result<Evaluation, DataError> {
    let texts: Vec<Text<'_>> = corpus.transcripts().iter().map(|transcript| Text::new(&transcript.text)).collect();
    let sources: Vec<Source<'_>> = texts.iter().map(Source::new).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(pair) = fixture.pairs.get(at) else { return done };
            done.push((at, evaluate_pair(pair, &fixture.file, corpus, &sources, options)));
        }
    };
    let jobs = options.jobs.clamp(1, fixture.pairs.len().max(1));
    let mut results = if jobs == 1 {
        work()
    } else {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        })
    };
    results.sort_by_key(|(at, _)| *at);
    let pairs = results.into_iter().map(|(_, result)| result).collect::<Result<_, _>>()?;
    Ok(Evaluation { pairs })
}

fn evaluate_pair(
    pair: &Pair,
    file: &str,
    corpus: &Corpus,
    sources: &[Source<'_>],
    options: Options<'_>,
) -> Result<PairResult, DataError> {
    let mut warnings = Vec::new();
    let kind = QuestionType::from_name(&pair.kind);
    if kind.is_none() {
        warnings.push(format!(
            "`{file}` at `{}.question.type`: unknown type `{}`; its answers are not scored",
            pair.path, pair.kind
        ));
    }
    let question = |profile: Profile| {
        let settings = Settings { profile, ..options.settings };
        kind.map(|kind| Question::new(kind, &pair.metric, settings, options.wordnet)).transpose().map_err(|error| {
            let path = format!("{}.question.metric", pair.path);
            DataError { file: file.to_owned(), path, reason: error.to_string() }
        })
    };
    let published = question(Profile::Reference)?;
    let careful = match options.settings.profile {
        Profile::Reference => None,
        Profile::Careful => question(Profile::Careful)?,
    };
    let query = Some(pair.question.as_str());
    let mut answers = Vec::with_capacity(pair.answers.len());
    for (index, answer) in pair.answers.iter().enumerate() {
        let place = answer.source.as_deref().and_then(|source| corpus.place(source));
        if let (Some(source), None) = (&answer.source, place) {
            warnings.push(format!(
                "`{file}` at `{}.answers[{index}].source`: the corpus has no transcript `{source}`",
                pair.path
            ));
        }
        let grade = |question: &Question<'_>| question.grade(answer.response.as_deref(), query);
        let (findings, transcripts) = quotations(answer, place, corpus, sources);
        answers.push(AnswerResult {
            grade: published.as_ref().map(grade),
            careful: careful.as_ref().map(grade),
            existence: Existence::of(&findings),
            findings,
            transcripts,
        });
    }
    let weights = published.as_ref().and_then(Question::weights);
    let values = weights.map_or_else(Vec::new, |weights| {
        weights.values().enumerate().map(|(index, value)| (value.to_owned(), weights.weight(index))).collect()
    });
    Ok(PairResult { answers, values, warnings })
}

/// Checks the citations of an answer against its passages, or else against its transcript.
fn quotations(
    answer: &Answer,
    transcript: Option<usize>,
    corpus: &Corpus,
    sources: &[Source<'_>],
) -> (Vec<Finding>, Vec<Option<usize>>) {
    match &answer.context {
        Some(context) => {
            let texts: Vec<Text<'_>> = context.iter().map(|passage| Text::new(&passage.text)).collect();
            let own: Vec<Source<'_>> = texts.iter().map(Source::new).collect();
            let in_context = |citation| in_context(citation, &own, corpus, sources);
            answer.citations.iter().map(in_context).unzip()
        }
        None => answer.citations.iter().map(|citation| in_transcript(citation, transcript, corpus, sources)).unzip(),
    }
}

/// Checks a citation of a passage, or of the transcript that it names itself.
fn in_context(
    citation: &Json,
    own: &[Source<'_>],
    corpus: &Corpus,
    sources: &[Source<'_>],
) -> (Finding, Option<usize>) {
    let quote = member(citation, "quote");
    if let Some(name) = named(citation) {
        let elsewhere = corpus.place(name);
        return (check(quote, elsewhere.and_then(|place| sources.get(place)), None, own), elsewhere);
    }
    let place = place(member(citation, "source_index"), own.len());
    (check(quote, place.and_then(|place| own.get(place)), place, own), None)
}

/// Checks a citation of the transcript of the answer, which has the place 0, or of the one that it names itself.
fn in_transcript(
    citation: &Json,
    transcript: Option<usize>,
    corpus: &Corpus,
    sources: &[Source<'_>],
) -> (Finding, Option<usize>) {
    let own = transcript.and_then(|place| sources.get(place)).map_or(&[][..], std::slice::from_ref);
    let (cited, place) = if let Some(name) = named(citation) {
        let elsewhere = corpus.place(name);
        (elsewhere, elsewhere.filter(|place| Some(*place) == transcript).map(|_| 0))
    } else {
        let place = place(member(citation, "source_index"), own.len());
        (place.and(transcript), place)
    };
    let source = cited.and_then(|place| sources.get(place));
    (check(member(citation, "quote"), source, place, own), cited)
}

/// The transcript that a citation names in place of an index.
fn named(citation: &Json) -> Option<&str> {
    let has_index = !member(citation, "source_index").is_null();
    member(citation, "source").as_str().filter(|_| !has_index)
}

fn member<'a>(citation: &'a Json, name: &str) -> &'a Json {
    citation.get(name).unwrap_or(&Json::Null)
}
