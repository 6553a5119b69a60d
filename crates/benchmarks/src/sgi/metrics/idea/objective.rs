//! The four objective scores of an idea, from 0 to 10: by vectors of an embedding model, by form, and by the plan.

use std::collections::BTreeMap;

use probare_text::python::{PyValue, strip};
use serde::Serialize;

use super::{FIELDS, GraphOptions, IdeaReference, graph_similarity};

/// Characters at which sentences end.
const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// Sentences past which pairs are too many to compare.
const MOST_SENTENCES: usize = 400;

/// How ideas are measured.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ObjectiveOptions {
    /// Whether keywords that are one text stay one text, instead of being taken letter by letter.
    pub whole_keywords: bool,
    /// Whether an empty idea earns nothing, instead of being free of faults.
    pub empty_is_nothing: bool,
    /// How plans are compared.
    pub graph: GraphOptions,
}

/// The scores of an idea.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ObjectiveScores {
    /// How near it is to the keywords.
    pub effectiveness: f64,
    /// How far it is from known work.
    pub novelty_similarity: f64,
    /// How far it is from the newest work.
    pub cutting_edge: f64,
    /// The mean of both.
    pub novelty: f64,
    /// Share of the fields that hold something.
    pub completeness: f64,
    /// What its length costs.
    pub length_penalty: f64,
    /// What repeating itself costs.
    pub repetition_penalty: f64,
    /// All three together.
    pub detailedness: f64,
    /// How alike its plan is.
    pub feasibility: f64,
}

/// Vectors by text.
pub type TextVectors<'a> = BTreeMap<&'a str, &'a [f32]>;

struct EmbeddingInputs {
    idea: String,
    keywords: Option<String>,
    known: Vec<String>,
    newest: Vec<String>,
    sentences: Vec<String>,
}

impl EmbeddingInputs {
    fn new(idea: &PyValue, reference: &IdeaReference, options: ObjectiveOptions) -> Self {
        let text = match idea.get("Idea") {
            None | Some(PyValue::None) => String::new(),
            Some(value) => value.to_text(),
        };
        let values = |mapping: &PyValue| match mapping {
            PyValue::Dict(pairs) => {
                pairs.iter().filter(|(_, value)| value.is_truthy()).map(|(_, value)| value.to_text()).collect()
            }
            _ => Vec::new(),
        };
        let mut known: Vec<String> = values(&reference.related_work);
        known.extend(values(&reference.existing_solutions));
        let newest = match &reference.related_work_test {
            Some(PyValue::Dict(pairs)) => {
                pairs.iter().map(|(key, value)| format!("{}: {}", key.to_text(), value.to_text())).collect()
            }
            _ => Vec::new(),
        };
        let pieces = text.split(ENDS).map(strip).filter(|piece| piece.chars().count() > 10);
        let sentences: Vec<String> = pieces.take(MOST_SENTENCES).map(str::to_owned).collect();
        Self { keywords: keywords(&reference.keywords, options), known, newest, sentences, idea: text }
    }
}

/// The keywords as one text; nothing where there are none.
fn keywords(value: &PyValue, options: ObjectiveOptions) -> Option<String> {
    let items: Vec<String> = match value {
        value if !value.is_truthy() => return None,
        PyValue::List(items) | PyValue::Tuple(items) => items.iter().map(PyValue::to_text).collect(),
        PyValue::Text(text) if options.whole_keywords => vec![text.clone()],
        PyValue::Text(text) => text.chars().map(|character| character.to_string()).collect(),
        PyValue::Dict(pairs) => pairs.iter().map(|(key, _)| key.to_text()).collect(),
        other => vec![other.to_text()],
    };
    Some(items.join(", "))
}

/// All texts whose vectors are wanted, each once.
pub fn texts_to_embed(idea: &PyValue, reference: &IdeaReference, options: ObjectiveOptions) -> Vec<String> {
    let inputs = EmbeddingInputs::new(idea, reference, options);
    let mut texts = vec![inputs.idea];
    texts.extend(inputs.keywords);
    texts.extend(inputs.known);
    texts.extend(inputs.newest);
    // One sentence has nothing to be compared with.
    if inputs.sentences.len() > 1 {
        texts.extend(inputs.sentences);
    }
    let mut seen = std::collections::BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

/// The scores. A text without a vector counts as one that is like nothing.
pub fn objective_scores(
    idea: &PyValue,
    reference: &IdeaReference,
    vectors: &TextVectors<'_>,
    options: ObjectiveOptions,
) -> ObjectiveScores {
    let inputs = EmbeddingInputs::new(idea, reference, options);
    let vector = |text: &str| vectors.get(text).copied().unwrap_or_default();
    let own = vector(&inputs.idea);
    let effectiveness =
        inputs.keywords.as_deref().map_or(0.0, |words| 10.0 * cosine(vector(words), own)).clamp(0.0, 10.0);
    let distance = |others: &[String]| {
        if others.is_empty() {
            return 0.0;
        }
        let mean = others.iter().map(|text| cosine(own, vector(text))).sum::<f64>() / others.len() as f64;
        ((1.0 - mean) * 10.0).clamp(0.0, 10.0)
    };
    let (novelty_similarity, cutting_edge) = (distance(&inputs.known), distance(&inputs.newest));
    let is_filled = |name: &&&str| match idea.get(name) {
        None | Some(PyValue::None) => false,
        Some(PyValue::Text(text)) => !text.is_empty(),
        Some(PyValue::List(items)) => !items.is_empty(),
        Some(PyValue::Dict(pairs)) => !pairs.is_empty(),
        Some(_) => true,
    };
    let completeness = 10.0 * FIELDS.iter().filter(is_filled).count() as f64 / 6.0;
    let length_penalty = length_penalty(inputs.idea.chars().count());
    let sentences: Vec<&[f32]> = inputs.sentences.iter().map(|text| vector(text)).collect();
    let repetition_penalty = repetition_penalty(&sentences);
    let detailedness =
        (0.2 * completeness + 0.4 * (10.0 - repetition_penalty) + 0.4 * (10.0 - length_penalty)).clamp(0.0, 10.0);
    let novelty = 0.5 * novelty_similarity + 0.5 * cutting_edge;
    let feasibility = 10.0 * graph_similarity(idea, &reference.idea, options.graph);
    if options.empty_is_nothing && strip(&inputs.idea).is_empty() {
        return ObjectiveScores {
            completeness,
            length_penalty,
            repetition_penalty,
            feasibility,
            ..ObjectiveScores::default()
        };
    }
    ObjectiveScores {
        effectiveness,
        novelty_similarity,
        cutting_edge,
        novelty,
        completeness,
        length_penalty,
        repetition_penalty,
        detailedness,
        feasibility,
    }
}

/// From 300 to 700 characters are free, and so is nothing at all.
fn length_penalty(characters: usize) -> f64 {
    let penalty = match characters {
        0 | 300..=700 => 0.0,
        1..300 => (300 - characters) as f64 / 100.0,
        _ => (characters - 700) as f64 / 100.0,
    };
    penalty.min(10.0)
}

fn repetition_penalty(sentences: &[&[f32]]) -> f64 {
    let mut sum = 0.0;
    let mut pairs = 0_u32;
    for (at, sentence) in sentences.iter().enumerate() {
        for other in &sentences[at + 1..] {
            sum += cosine(sentence, other);
            pairs += 1;
        }
    }
    if pairs == 0 { 0.0 } else { (10.0 * (sum / f64::from(pairs) - 0.2)).clamp(0.0, 10.0) }
}

/// The cosine of two vectors; with one of zeros, or of another length, it is 0.
fn cosine(left: &[f32], right: &[f32]) -> f64 {
    if left.len() != right.len() {
        return 0.0;
    }
    let product = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    let squares = product(left, left) * product(right, right);
    if squares > 0.0 && squares.is_finite() { product(left, right) / squares.sqrt() } else { 0.0 }
}
