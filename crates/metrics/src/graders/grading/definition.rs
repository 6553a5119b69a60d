//! [`GraderDefinition`]: an entry of `testing_criteria`, and the grade that it gives.

use std::collections::BTreeMap;

use probare_core::{BuildError, ErrorKind, Evidence, EvidenceKind, Field, Sample, ScoreError};
use probare_text::python::LowercaseText;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::formula::evaluate;
use super::namespaces::GraderTemplate;
use super::similarity::Similarity;
use crate::bounded_evidence::truncate_for_note;

/// The value of a grader, whether it passes where that is known, and what it rests on.
#[derive(Debug, Clone, Default)]
pub(in crate::graders) struct Grade {
    pub value: f64,
    pub is_passed: Option<bool>,
    pub evidence: Vec<Evidence>,
    /// Of a multi grader, the grades by key.
    pub parts: Vec<(String, f64)>,
}

/// A grader as it is computed here.
#[derive(Debug, Clone)]
pub(in crate::graders) enum GraderDefinition {
    StringCheck(ComparedTexts, Operation),
    TextSimilarity(ComparedTexts, Similarity, Option<f64>),
    Multi(Vec<(String, Self)>, String, Option<f64>),
    /// None that is computed here, with the reason.
    NotRun(String),
}

/// The two texts of a grader.
#[derive(Debug, Clone)]
pub(in crate::graders) struct ComparedTexts {
    input: GraderTemplate,
    reference: GraderTemplate,
}

/// What a string check asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::graders) enum Operation {
    Eq,
    #[serde(alias = "neq")]
    Ne,
    Like,
    Ilike,
}

/// The fields of all types of graders. Those that are not needed here (`name`, `id`, `image_tag`) are skipped.
#[derive(Deserialize)]
struct GraderFields {
    #[serde(rename = "type")]
    kind: String,
    input: Option<Json>,
    reference: Option<String>,
    operation: Option<Operation>,
    evaluation_metric: Option<String>,
    pass_threshold: Option<f64>,
    graders: Option<Map<String, Json>>,
    calculate_output: Option<String>,
}

impl GraderFields {
    fn texts(&self) -> Result<ComparedTexts, BuildError> {
        let input = self.input.as_ref().and_then(Json::as_str).ok_or_else(|| missing("input", &self.kind))?;
        let reference = self.reference.as_deref().ok_or_else(|| missing("reference", &self.kind))?;
        Ok(ComparedTexts { input: GraderTemplate::new(input)?, reference: GraderTemplate::new(reference)? })
    }
}

fn missing(field: &str, kind: &str) -> BuildError {
    BuildError::Options(format!("a grader of type `{kind}` needs a text `{field}`"))
}

impl GraderDefinition {
    /// Reads a definition. What is well formed and cannot be computed here is no error: its samples are not run.
    pub fn from_json(grader: &Json) -> Result<Self, BuildError> {
        let fields =
            GraderFields::deserialize(grader).map_err(|error| BuildError::Options(format!("`grader`: {error}")))?;
        match fields.kind.as_str() {
            "string_check" => {
                let operation = fields.operation.ok_or_else(|| missing("operation", "string_check"))?;
                Ok(Self::StringCheck(fields.texts()?, operation))
            }
            "text_similarity" => {
                let name = fields.evaluation_metric.as_deref();
                let name = name.ok_or_else(|| missing("evaluation_metric", "text_similarity"))?;
                let texts = fields.texts()?;
                Ok(match Similarity::from_name(name) {
                    Ok(measure) => Self::TextSimilarity(texts, measure, fields.pass_threshold),
                    Err(reason) => Self::NotRun(reason),
                })
            }
            "multi" => Self::multi(fields),
            "python" => Ok(Self::NotRun(
                "a `python` grader is code that came with the file; put it into a file of yours as a metric of your own"
                    .to_owned(),
            )),
            "score_model" | "label_model" => Err(BuildError::Options(format!(
                "a grader of type `{}` asks a model: use the metric `openai_model_grader`",
                fields.kind
            ))),
            other => Ok(Self::NotRun(format!("graders of type `{}` are not known here", truncate_for_note(other)))),
        }
    }

    fn multi(fields: GraderFields) -> Result<Self, BuildError> {
        let formula = fields.calculate_output.ok_or_else(|| missing("calculate_output", "multi"))?;
        let listed = fields.graders.ok_or_else(|| missing("graders", "multi"))?;
        // Some definitions hold a single grader in place of the object of graders.
        let listed = match (listed.get("type"), listed.get("name").and_then(Json::as_str)) {
            (Some(Json::String(_)), Some(name)) => Map::from_iter([(name.to_owned(), Json::Object(listed.clone()))]),
            _ => listed,
        };
        let mut graders = Vec::with_capacity(listed.len());
        for (key, grader) in listed {
            let kind = grader.get("type").and_then(Json::as_str).unwrap_or_default();
            let read = match kind {
                "multi" => return Err(BuildError::Options("a multi grader holds no other multi grader".to_owned())),
                "score_model" | "label_model" => {
                    Self::NotRun(format!("`{key}` asks a model, which a multi grader does not do here"))
                }
                _ => Self::from_json(&grader)?,
            };
            graders.push((key, read));
        }
        let names = graders.iter().map(|(key, _)| (key.as_str(), 0.5)).collect();
        if let Err(reason) = evaluate(&formula, &names)
            && !reason.contains("finite")
        {
            return Err(BuildError::Options(format!("`calculate_output`: {reason}")));
        }
        Ok(Self::Multi(graders, formula, fields.pass_threshold))
    }

    /// Why no sample can be graded here; nothing where samples can.
    pub fn not_run_reason(&self) -> Option<String> {
        match self {
            Self::NotRun(reason) => Some(reason.clone()),
            Self::TextSimilarity(_, measure, _) => measure.not_run_reason(),
            Self::Multi(graders, ..) => graders.iter().find_map(|(_, grader)| grader.not_run_reason()),
            Self::StringCheck(..) => None,
        }
    }

    /// The grade of a sample.
    pub fn grade(&self, sample: Sample<'_>) -> Result<Grade, ScoreError> {
        if let Some(reason) = self.not_run_reason() {
            return Err(ScoreError::other(ErrorKind::NotRun, reason));
        }
        match self {
            Self::StringCheck(texts, operation) => texts.check(sample, *operation),
            Self::TextSimilarity(texts, measure, threshold) => texts.compare(sample, measure, *threshold),
            Self::Multi(graders, formula, threshold) => {
                let mut grade = Grade::default();
                for (key, grader) in graders {
                    let inner = grader.grade(sample)?;
                    grade.evidence.extend(inner.evidence);
                    grade.parts.push((key.clone(), inner.value));
                }
                let names: BTreeMap<&str, f64> =
                    grade.parts.iter().map(|(key, value)| (key.as_str(), *value)).collect();
                let failed =
                    |reason: String| ScoreError::other(ErrorKind::Failed, format!("`calculate_output`: {reason}"));
                grade.value = evaluate(formula, &names).map_err(failed)?;
                if !(0.0..=1.0).contains(&grade.value) {
                    return Err(failed(format!("{} is not between 0 and 1", grade.value)));
                }
                grade.is_passed = threshold.map(|threshold| grade.value >= threshold);
                Ok(grade)
            }
            Self::NotRun(reason) => Err(ScoreError::other(ErrorKind::NotRun, reason.clone())),
        }
    }
}

impl ComparedTexts {
    fn check(&self, sample: Sample<'_>, operation: Operation) -> Result<Grade, ScoreError> {
        let (input, reference) = (self.input.fill(sample)?, self.reference.fill(sample)?);
        probare_cancellation::count_steps(input.len() + reference.len());
        let found = match operation {
            Operation::Eq | Operation::Ne => (input == reference).then(|| 0..input.len()),
            Operation::Like => input.find(&*reference).map(|at| at..at + reference.len()),
            Operation::Ilike => {
                let (lowered, expected) = (LowercaseText::new(&input), LowercaseText::new(&reference));
                let at = lowered.text().find(expected.text());
                at.map(|at| lowered.original_span(at..at + expected.text().len()))
            }
        };
        let is_passed = found.is_some() != (operation == Operation::Ne);
        let shown = format!("the reference is `{}`", truncate_for_note(&reference));
        let span = found.unwrap_or(0..input.len());
        let kind = match (operation, is_passed) {
            (Operation::Like | Operation::Ilike, true) => EvidenceKind::Matched,
            _ => EvidenceKind::Compared,
        };
        let mut evidence = vec![if self.input.is_output_text() {
            Evidence::at(kind, Field::Response, span, &input).with_note(shown)
        } else {
            Evidence::note(format!("the text is `{}`, {shown}", truncate_for_note(&input)))
        }];
        if reference.is_empty() && matches!(operation, Operation::Like | Operation::Ilike) {
            evidence.push(Evidence::note("the reference is empty, and every text contains nothing"));
        }
        Ok(Grade { value: f64::from(is_passed), is_passed: Some(is_passed), evidence, parts: Vec::new() })
    }

    fn compare(&self, sample: Sample<'_>, measure: &Similarity, threshold: Option<f64>) -> Result<Grade, ScoreError> {
        let (input, reference) = (self.input.fill(sample)?, self.reference.fill(sample)?);
        probare_cancellation::count_steps(input.len() + reference.len());
        let (value, evidence) = measure.value(&input, &reference)?;
        let is_response = self.input.is_output_text();
        // What the measure shows lies in the two texts; only the first of them is a field of the case.
        let in_response = |piece: &Evidence| match &piece.place {
            Some(place) => is_response && place.field == Field::Response && piece.support.is_none(),
            None => true,
        };
        let mut evidence: Vec<Evidence> = evidence.into_iter().filter(in_response).collect();
        evidence.push(Evidence::note(format!("the reference is `{}`", truncate_for_note(&reference))));
        Ok(Grade { value, is_passed: threshold.map(|threshold| value >= threshold), evidence, parts: Vec::new() })
    }
}

/// Why the messages of a model grader cannot be shown to a judge: they hold pictures or sounds. Nothing where they can.
pub(in crate::graders) fn unreadable_content(grader: &Json) -> Option<String> {
    let messages = grader.get("input")?.as_array()?;
    let mut contents = messages.iter().filter_map(|message| message.get("content"));
    contents.any(|content| text_content(content).is_none()).then(|| {
        "the messages of the grader hold something else than text, such as a picture, which judges are not shown"
            .to_owned()
    })
}

/// The text of a message: a text, a part with a text, or a list of them.
pub(in crate::graders) fn text_content(content: &Json) -> Option<String> {
    match content {
        Json::String(text) => Some(text.clone()),
        Json::Object(part) => {
            let kind = part.get("type").and_then(Json::as_str)?;
            matches!(kind, "text" | "input_text" | "output_text")
                .then(|| part.get("text")?.as_str().map(str::to_owned))?
        }
        Json::Array(parts) => {
            let texts: Option<Vec<String>> =
                parts.iter().map(|part| if part.is_array() { None } else { text_content(part) }).collect();
            Some(texts?.join("\n"))
        }
        _ => None,
    }
}
