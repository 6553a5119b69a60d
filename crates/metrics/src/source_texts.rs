//! The texts that are said to back an answer.

use std::ops::Range;

use probare_core::{Field, FieldSpan, Sample, ScoreError};
use serde_json::Value as Json;

/// Source texts, and whether they stand in a field that evidence can point into.
pub struct SourceTexts<'a> {
    /// The texts, in order.
    pub texts: Vec<&'a str>,
    field: Option<Field>,
}

impl<'a> SourceTexts<'a> {
    /// The list under `key` of the metadata; where there is none, the passages of `context`.
    pub fn from_sample(sample: Sample<'a>, key: &str) -> Result<Self, ScoreError> {
        if let Some(value) = sample.case.metadata.get(key) {
            let texts = strings(value).ok_or_else(|| metadata_error(format!("`{key}` is not a list of strings")))?;
            return Ok(Self { texts, field: None });
        }
        match sample.context() {
            Ok(passages) => {
                let texts = passages.iter().map(|passage| passage.text.as_str()).collect();
                Ok(Self { texts, field: Some(Field::Context) })
            }
            Err(_) => Err(metadata_error(format!("has no `{key}`, and the case has no `context`"))),
        }
    }

    /// Like [`of`](Self::of), with no texts where the case has no sources: enough to look for what was copied.
    pub fn from_sample_or_empty(sample: Sample<'a>, key: &str) -> Self {
        Self::from_sample(sample, key).unwrap_or_else(|_| Self { texts: Vec::new(), field: None })
    }

    /// Where a span of the source of this index stands in the case, if evidence can point there.
    pub fn place(&self, index: usize, span: Range<usize>) -> Option<FieldSpan> {
        self.field.map(|field| FieldSpan::in_item(field, index, span))
    }
}

/// The strings of a list; nothing where it is not a list or holds something else.
pub fn strings(value: &Json) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Json::as_str).collect()
}

/// What is wrong with the metadata of a case.
pub fn metadata_error(reason: String) -> ScoreError {
    ScoreError::BadField { field: Field::Metadata, reason }
}

#[cfg(test)]
mod tests {
    use probare_core::Case;
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_come_before_the_context() {
        let mut case = Case { context: Some(vec!["passage".into()]), ..Case::default() };
        let sources = SourceTexts::from_sample(Sample::from_case(&case), "sources_verified").unwrap();
        assert_eq!(sources.texts, ["passage"]);
        assert_eq!(sources.place(0, 0..7).unwrap().field, Field::Context);
        case.metadata = json!({"sources_verified": ["source"]}).as_object().unwrap().clone();
        let sources = SourceTexts::from_sample(Sample::from_case(&case), "sources_verified").unwrap();
        assert_eq!((sources.texts.as_slice(), sources.place(0, 0..6)), (["source"].as_slice(), None));
        assert!(SourceTexts::from_sample(Sample::from_case(&Case::default()), "x").is_err());
        assert!(SourceTexts::from_sample_or_empty(Sample::from_case(&Case::default()), "x").texts.is_empty());
    }
}
