//! [`Fixture`]: questions with the answers of models.

use probare_formats::{DataError, JsonNode, parse_json};
use serde_json::{Map, Value as Json};

/// A passage that was given to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct FixturePassage {
    /// Its text; empty where the file has none.
    pub text: String,
    /// Where it came from.
    pub metadata: Map<String, Json>,
}

/// One answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct FixtureAnswer {
    /// The answer as the file has it, to be written back.
    pub given: Map<String, Json>,
    /// The answer as text, or as JSON text; nothing where it is null.
    pub response: Option<String>,
    /// Key of the transcript.
    pub source: Option<String>,
    /// Name of the model.
    pub model: Option<String>,
    /// The passages of its own; nothing where the transcript is meant.
    pub context: Option<Vec<FixturePassage>>,
    /// Its citations as the file has them: a citation that is none is the model's mistake.
    pub citations: Vec<Json>,
}

/// A question with its answers.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionPair {
    /// The pair as the file has it, without its answers, to be written back.
    pub given: Map<String, Json>,
    /// Its id, or its number from 1.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// Name of the question type.
    pub kind: String,
    /// What is expected; null where the type needs nothing.
    pub metric: Json,
    pub answers: Vec<FixtureAnswer>,
    /// The place in the file, for messages.
    pub path: String,
}

/// All questions, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixture {
    /// The questions.
    pub pairs: Vec<QuestionPair>,
    /// What else stood at the top of the file.
    pub given: Map<String, Json>,
    /// The file as named.
    pub file: String,
}

impl Fixture {
    /// Reads `{"qa_pairs": […]}` or a list of pairs.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, DataError> {
        let json = parse_json(bytes, file)?;
        let root = JsonNode::root(file, &json);
        let (list, given) = match &json {
            Json::Array(_) => (root.clone(), Map::new()),
            Json::Object(object) => {
                let list = root.member("qa_pairs").ok_or_else(|| root.missing_error("qa_pairs"))?;
                let rest = object.iter().filter(|(name, _)| *name != "qa_pairs");
                (list, rest.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            _ => return Err(root.error("is neither a list nor an object with `qa_pairs`")),
        };
        let pairs = list.items()?.iter().enumerate().map(|(index, at)| pair(at, index)).collect::<Result<_, _>>()?;
        Ok(Self { pairs, given, file: file.to_owned() })
    }
}

fn pair(at: &JsonNode<'_>, index: usize) -> Result<QuestionPair, DataError> {
    let Json::Object(object) = at.value else { return Err(at.error("is no pair of a question and its answers")) };
    let question = at.member("question").ok_or_else(|| at.missing_error("question"))?;
    let text = question.member("text").map_or(Ok(""), |text| text.text())?;
    let kind = question.member("type").ok_or_else(|| question.missing_error("type"))?.text()?;
    let metric = question.member("metric").map_or(Json::Null, |metric| metric.value.clone());
    let mut answers: Vec<FixtureAnswer> = at
        .member("answers")
        .ok_or_else(|| at.missing_error("answers"))?
        .items()?
        .iter()
        .map(answer)
        .collect::<Result<_, _>>()?;
    // What stands on the pair belongs to its first answer.
    if let Some(first) = answers.first_mut() {
        if first.context.is_none() {
            first.context = at.member("context").map(|context| passages(&context)).transpose()?;
        }
        if first.citations.is_empty() {
            first.citations = citations(at)?;
        }
    }
    let id = match object.get("id") {
        Some(Json::String(id)) => id.clone(),
        Some(Json::Number(id)) => id.to_string(),
        _ => (index + 1).to_string(),
    };
    let given = object.iter().filter(|(name, _)| *name != "answers");
    Ok(QuestionPair {
        given: given.map(|(name, value)| (name.clone(), value.clone())).collect(),
        id,
        question: text.to_owned(),
        kind: kind.to_owned(),
        metric,
        answers,
        path: at.path.clone(),
    })
}

fn answer(at: &JsonNode<'_>) -> Result<FixtureAnswer, DataError> {
    let Json::Object(object) = at.value else { return Err(at.error("is no answer")) };
    let name = |name: &str| at.member(name).map(|member| member.text().map(str::to_owned)).transpose();
    let mut own = citations(at)?;
    if own.is_empty()
        && let Some(nested) = at.member("answer").filter(|answer| answer.value.is_object())
    {
        own = citations(&nested)?;
    }
    Ok(FixtureAnswer {
        response: object.get("answer").and_then(response_text),
        source: name("source")?,
        model: name("model")?,
        context: at.member("context").map(|context| passages(&context)).transpose()?,
        citations: own,
        given: object.clone(),
    })
}

/// An answer as a response: text as it is, other values as JSON text, the answer inside a retrieval answer, and nothing
/// for null.
pub fn response_text(answer: &Json) -> Option<String> {
    match answer {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        Json::Object(object) if object.contains_key("answer") && !object.contains_key("rationale") => {
            object.get("answer").filter(|inner| !inner.is_object()).and_then(response_text)
        }
        other => Some(other.to_string()),
    }
}

fn citations(at: &JsonNode<'_>) -> Result<Vec<Json>, DataError> {
    match at.member("citations") {
        None => Ok(Vec::new()),
        Some(list) => Ok(list.items()?.into_iter().map(|citation| citation.value.clone()).collect()),
    }
}

fn passages(context: &JsonNode<'_>) -> Result<Vec<FixturePassage>, DataError> {
    context.items()?.iter().map(passage).collect()
}

fn passage(at: &JsonNode<'_>) -> Result<FixturePassage, DataError> {
    match at.value {
        Json::String(text) => Ok(FixturePassage { text: text.clone(), metadata: Map::new() }),
        Json::Object(object) => {
            let content = object.get("page_content").or_else(|| object.get("text"));
            let text = match content {
                None | Some(Json::Null) => String::new(),
                Some(Json::String(text)) => text.clone(),
                Some(_) => return Err(at.error("has a `page_content` that is not text")),
            };
            let metadata = object.get("metadata").and_then(Json::as_object).cloned().unwrap_or_default();
            Ok(FixturePassage { text, metadata })
        }
        _ => Err(at.error("is no passage")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Fixture, DataError> {
        Fixture::read(json.as_bytes(), "questions.json")
    }

    #[test]
    fn answers_of_every_shape_are_read() {
        let fixture = read(
            r#"[{"question": {"text": "q", "type": "ListOne", "metric": "a"}, "citations": [{"quote": "p"}], "extra": 1,
                "answers": [{"answer": ["a", 5]}, {"answer": {"answer": "x", "citations": [{"quote": "c"}]}}, {"answer": null},
                {"answer": {"answer": "yes", "rationale": "r"}}, {"answer": true, "context": ["t", {"page_content": null}]}]}]"#,
        )
        .unwrap();
        let pair = &fixture.pairs[0];
        let responses: Vec<Option<&str>> = pair.answers.iter().map(|answer| answer.response.as_deref()).collect();
        let json = r#"{"answer":"yes","rationale":"r"}"#;
        assert_eq!(responses, [Some(r#"["a",5]"#), Some("x"), None, Some(json), Some("true")]);
        assert_eq!(pair.answers[0].citations.len(), 1, "of the pair");
        assert_eq!(pair.answers[1].citations[0]["quote"], "c");
        assert_eq!(pair.answers[4].context.as_ref().unwrap()[1].text, "");
        assert_eq!((pair.id.as_str(), &pair.given["extra"]), ("1", &Json::from(1)));
    }

    #[test]
    fn errors_name_the_place() {
        let question = r#""question": {"text": "q", "type": "ListOne", "metric": "a"}"#;
        for (json, expected) in [
            ("{}".to_owned(), ": has no `qa_pairs`"),
            (r#"{"qa_pairs": [{"answers": []}]}"#.to_owned(), "`qa_pairs[0]`: has no `question`"),
            (r#"[{"question": {"text": "q"}, "answers": []}]"#.to_owned(), "`[0].question`: has no `type`"),
            (format!("[{{{question}}}]"), "`[0]`: has no `answers`"),
            (format!("[{{{question}, \"answers\": [{{\"source\": 5}}]}}]"), "`[0].answers[0].source`: is not text"),
            (
                format!("[{{{question}, \"answers\": [{{\"context\": [7]}}]}}]"),
                "`[0].answers[0].context[0]`: is no passage",
            ),
            ("7".to_owned(), "neither a list"),
        ] {
            let error = read(&json).unwrap_err().to_string();
            assert!(error.starts_with("`questions.json`") && error.contains(expected), "{error}");
        }
    }
}
