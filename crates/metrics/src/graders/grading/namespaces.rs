//! Templates of graders: `{{ item.x }}` and `{{ sample.x }}`, with paths such as `sample.output_tools[0].function.name`.

use std::borrow::Cow;

use probare_core::{BuildError, ErrorKind, Sample, ScoreError};
use serde_json::{Value as Json, json};

use crate::judges::{TemplatePiece, template_pieces};

/// What stands for the answer of the model.
const OUTPUT_TEXT: &str = "sample.output_text";

/// A text with places to fill.
#[derive(Debug, Clone)]
pub(in crate::graders) struct GraderTemplate(Vec<TemplatePiece>);

impl GraderTemplate {
    /// Reads a text; a place has to name one of the two namespaces.
    pub fn new(text: &str) -> Result<Self, BuildError> {
        let pieces = template_pieces(text)?;
        for piece in &pieces {
            if let TemplatePiece::Name(name) = piece {
                let namespace = name.split(['.', '[']).next().unwrap_or_default();
                if !matches!(namespace, "item" | "sample") || steps(name).is_none() {
                    let reason = format!("`{{{{{name}}}}}` is no path below `item` or `sample`");
                    return Err(BuildError::Options(reason));
                }
            }
        }
        Ok(Self(pieces))
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[TemplatePiece] {
        &self.0
    }

    /// Whether the answer of the model stands here as it is, with nothing around it.
    pub fn is_output_text(&self) -> bool {
        let named = |piece: &TemplatePiece| !matches!(piece, TemplatePiece::Text(text) if text.is_empty());
        let mut pieces = self.0.iter().filter(|piece| named(piece));
        matches!((pieces.next(), pieces.next()), (Some(TemplatePiece::Name(name)), None) if name == OUTPUT_TEXT)
    }

    /// The text for a sample.
    pub fn fill<'a>(&self, sample: Sample<'a>) -> Result<Cow<'a, str>, ScoreError> {
        if self.is_output_text() {
            return sample.response().map(Cow::Borrowed);
        }
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                TemplatePiece::Text(text) => filled.push_str(text),
                TemplatePiece::Name(name) => filled.push_str(&value(sample, name)?),
            }
        }
        Ok(Cow::Owned(filled))
    }
}

/// What a path stands for, as text: a text as it is, anything else as JSON.
pub(in crate::graders) fn value(sample: Sample<'_>, path: &str) -> Result<String, ScoreError> {
    let missing = |why: &str| ScoreError::other(ErrorKind::Missing, format!("`{{{{{path}}}}}`: {why}"));
    let steps = steps(path).unwrap_or_default();
    let found = match steps.as_slice() {
        [Step::Key("sample"), Step::Key("output_text")] => return sample.response().map(str::to_owned),
        [Step::Key("sample"), Step::Key("output_json"), rest @ ..] => {
            let read = serde_json::from_str::<Json>(sample.response()?);
            walk(&read.map_err(|_| missing("the response is not JSON"))?, rest).cloned()
        }
        [Step::Key("sample"), Step::Key("output_tools"), rest @ ..] => {
            output_tools(sample).and_then(|calls| walk(&calls, rest).cloned())
        }
        [Step::Key("sample"), Step::Key("choices"), rest @ ..] => walk(&choices(sample)?, rest).cloned(),
        [Step::Key(namespace), rest @ ..] => {
            sample.case.metadata.get(*namespace).and_then(|value| walk(value, rest)).cloned()
        }
        _ => None,
    };
    match found {
        Some(Json::String(text)) => Ok(text),
        Some(Json::Null) | None => Err(missing(&format!("the case has no `metadata.{path}`"))),
        Some(other) => Ok(other.to_string()),
    }
}

/// The calls of the answer, as chat completions have them: those of the case, else those that came with the data.
fn output_tools(sample: Sample<'_>) -> Option<Json> {
    let Some(calls) = &sample.case.tool_calls else {
        return sample.case.metadata.get("sample")?.get("output_tools").cloned();
    };
    let calls = calls.iter().map(|call| {
        let text = call.arguments.as_ref().and_then(|arguments| serde_json::to_string(arguments).ok());
        let arguments = text.or_else(|| call.arguments_text.clone()).unwrap_or_default();
        json!({"type": "function", "id": call.id, "function": {"name": call.name, "arguments": arguments}})
    });
    Some(Json::Array(calls.collect()))
}

/// The choices of the answer: those that came with the data, else the response as the only one.
fn choices(sample: Sample<'_>) -> Result<Json, ScoreError> {
    let given = sample.case.metadata.get("sample").and_then(|given| given.get("choices"));
    Ok(match given {
        Some(choices) => choices.clone(),
        None => json!([{"index": 0, "message": {"role": "assistant", "content": sample.response()?}}]),
    })
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The steps of a path such as `item.answers[0].text`; nothing where it is none.
fn steps(path: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut indices) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        if key.is_empty() || key.contains(char::is_whitespace) {
            return None;
        }
        steps.push(Step::Key(key));
        while !indices.is_empty() {
            let (index, rest) = indices.strip_prefix('[')?.split_once(']')?;
            let quoted = index.trim_matches(['"', '\'']);
            steps.push(index.parse().map_or(Step::Key(quoted), Step::Index));
            indices = rest;
        }
    }
    Some(steps)
}

fn walk<'a>(value: &'a Json, steps: &[Step<'_>]) -> Option<&'a Json> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};

    use super::*;

    fn filled(template: &str, case: &Case) -> Result<String, String> {
        let template = GraderTemplate::new(template).map_err(|error| error.to_string())?;
        template.fill(Sample::from_case(case)).map(Cow::into_owned).map_err(|error| error.to_string())
    }

    #[test]
    fn paths_lead_into_item_and_sample() {
        let mut case = Case { response: Some(Output::new(r#"{"name": "Ada", "n": [1, 2]}"#)), ..Case::default() };
        case.metadata.insert("item".to_owned(), json!({"a": {"b": ["x", "y"]}, "n": 3, "none": null}));
        case.metadata.insert("sample".to_owned(), json!({"output_tools": [{"function": {"name": "f"}}]}));
        assert_eq!(filled("{{ item.a.b[1] }} and {{item.n}}", &case).as_deref(), Ok("y and 3"));
        assert_eq!(filled("{{item.a['b'][0]}}", &case).as_deref(), Ok("x"));
        assert_eq!(filled("{{item.a}}", &case).as_deref(), Ok(r#"{"b":["x","y"]}"#));
        assert_eq!(filled("{{sample.output_json.name}}{{sample.output_json.n[1]}}", &case).as_deref(), Ok("Ada2"));
        assert_eq!(filled("{{sample.output_tools[0].function.name}}", &case).as_deref(), Ok("f"));
        let text = filled("{{sample.choices[0].message.content}}", &case);
        assert_eq!(text, filled("{{ sample.output_text }}", &case));
        for (template, reason) in [
            ("{{item.gone}}", "`{{item.gone}}`: the case has no `metadata.item.gone`"),
            ("{{item.none}}", "`{{item.none}}`: the case has no `metadata.item.none`"),
            ("{{item.a.b[7]}}", "`{{item.a.b[7]}}`: the case has no `metadata.item.a.b[7]`"),
            ("{{answer}}", "is no path below `item` or `sample`"),
            ("{{item.a[}}", "is no path below `item` or `sample`"),
            ("{{item.a", "without its `}}`"),
        ] {
            let error = filled(template, &case).unwrap_err();
            assert!(error.contains(reason), "{template}: {error}");
        }
    }

    #[test]
    fn calls_of_the_case_have_the_form_of_chat_completions() {
        let mut case = Case { response: Some(Output::new("")), ..Case::default() };
        case.tool_calls = serde_json::from_value(json!([{"name": "weather", "arguments": {"city": "Rome"}}])).unwrap();
        assert_eq!(filled("{{sample.output_tools[0].function.name}}", &case).as_deref(), Ok("weather"));
        let arguments = filled("{{sample.output_tools[0].function.arguments}}", &case);
        assert_eq!(arguments.as_deref(), Ok(r#"{"city":"Rome"}"#));
    }
}
