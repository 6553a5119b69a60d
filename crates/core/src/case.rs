//! [`Case`]: one row of a data set, as every metric sees it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{Output, Place, Usage};

/// One row of a data set. Every field but `id` is optional; a metric names what it needs.
///
/// It is written and read back under its own field names; names that other tools use are the business of whoever reads
/// their files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Identifier; the line number where the file gives none.
    pub id: String,
    /// What the user asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// What the model answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Output>,
    /// Passages that were given to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Vec<Passage>>,
    /// Right answers; one suffices unless a metric says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Vec<String>>,
    /// Quotations that the answer gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<Citation>>,
    /// Ids or urls of the documents that were retrieved, best first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<Vec<String>>,
    /// Ids or urls of the documents that should have been retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevant: Option<Vec<String>>,
    /// Labels to group and filter by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Everything else that the row had.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Json>,
    /// Which sample of a run it stands for, where a run asks models or keeps what is finished.
    #[serde(skip)]
    pub sample: Option<SampleKey>,
    /// What the response took, where a run asked for it.
    #[serde(skip)]
    pub spent: Option<Spent>,
}

/// What a response took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// Money, in US dollars, where that is known.
    pub cost_usd: Option<f64>,
}

/// Which sample of a run a case stands for. With the id of the case it is the same however often the run is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SampleKey {
    /// Number of the data set in the run, from 0.
    pub dataset: u32,
    /// Number of the case in its data set, from 0.
    pub row: u64,
    /// How many cases of the same id come before it in its data set.
    pub occurrence: u32,
    /// Number of the model in the run, from 0; nothing where the response of the file is scored.
    pub model: Option<u32>,
    /// Which of several outputs of that model, from 0.
    pub repeat: u32,
}

impl Case {
    /// Whether the case has this field at all. An empty string or list counts as present.
    pub fn has(&self, field: Field) -> bool {
        match field {
            Field::Query => self.query.is_some(),
            Field::Response => self.response.is_some(),
            Field::Context => self.context.is_some(),
            Field::Reference => self.reference.is_some(),
            Field::Citations => self.citations.is_some(),
            Field::Retrieved => self.retrieved.is_some(),
            Field::Relevant => self.relevant.is_some(),
            Field::Tags => !self.tags.is_empty(),
            Field::Metadata => !self.metadata.is_empty(),
        }
    }

    /// The text that a place points into, if there is one.
    pub fn text_at(&self, place: &Place) -> Option<&str> {
        match &place.path {
            Some(path) if place.field == Field::Metadata => self.metadata_at(path)?.as_str(),
            Some(_) => None,
            None => self.text(place.field, place.index),
        }
    }

    /// The words that a place points at; nothing where it points outside of the text or into a character.
    pub fn words_at(&self, place: &Place) -> Option<&str> {
        self.text_at(place)?.get(place.start..place.end)
    }

    /// The value in the metadata that a JSON Pointer (RFC 6901) names.
    pub fn metadata_at(&self, path: &str) -> Option<&Json> {
        let (key, rest) = match path.strip_prefix('/')?.split_once('/') {
            Some((key, rest)) => (key, Some(rest)),
            None => (&path[1..], None),
        };
        let value = self.metadata.get(&key.replace("~1", "/").replace("~0", "~"))?;
        match rest {
            Some(rest) => value.pointer(&format!("/{rest}")),
            None => Some(value),
        }
    }

    /// The text of a field, or of an item where the field is a list. Metadata has no text of its own: see
    /// [`Case::text_at`].
    pub fn text(&self, field: Field, index: Option<usize>) -> Option<&str> {
        match field {
            Field::Query => self.query.as_deref(),
            Field::Response => self.response.as_ref().map(|output| output.text.as_str()),
            Field::Context => self.context.as_ref()?.get(index?).map(|passage| passage.text.as_str()),
            Field::Reference => self.reference.as_ref()?.get(index.unwrap_or(0)).map(String::as_str),
            Field::Citations => self.citations.as_ref()?.get(index?)?.quote.as_str(),
            Field::Retrieved => self.retrieved.as_ref()?.get(index?).map(String::as_str),
            Field::Relevant => self.relevant.as_ref()?.get(index?).map(String::as_str),
            Field::Tags => self.tags.get(index?).map(String::as_str),
            Field::Metadata => None,
        }
    }
}

/// One retrieved passage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// The passage itself.
    pub text: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Json>,
}

impl From<&str> for Passage {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), metadata: Map::new() }
    }
}

/// A quotation with the number of the passage it is said to come from.
///
/// Both are kept as the file gave them: a number that is no number is the model's mistake to be reported, not a reading
/// error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Position of the passage in `context`, counted from 0.
    #[serde(default)]
    pub source_index: Json,
    /// The words that are said to stand there.
    #[serde(default)]
    pub quote: Json,
    /// Name of a transcript in place of `source_index`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A field of a [`Case`]; evidence points into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// `query`
    Query,
    /// `response`
    Response,
    /// `context`
    Context,
    /// `reference`
    Reference,
    /// `citations`
    Citations,
    /// `retrieved`
    Retrieved,
    /// `relevant`
    Relevant,
    /// `tags`
    Tags,
    /// `metadata`
    Metadata,
}

impl Field {
    /// All fields, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Query,
        Self::Response,
        Self::Context,
        Self::Reference,
        Self::Citations,
        Self::Retrieved,
        Self::Relevant,
        Self::Tags,
        Self::Metadata,
    ];

    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Response => "response",
            Self::Context => "context",
            Self::Reference => "reference",
            Self::Citations => "citations",
            Self::Retrieved => "retrieved",
            Self::Relevant => "relevant",
            Self::Tags => "tags",
            Self::Metadata => "metadata",
        }
    }

    /// Other names under which files of other tools hold this field, in order of preference.
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Self::Query => &["input", "question", "user", "user_input", "prompt"],
            Self::Response => {
                &["output", "answer", "assistant", "actual_output", "prediction", "predicted_answer", "completion"]
            }
            Self::Context => &["contexts", "retrieval_context", "retrieved_contexts"],
            Self::Reference => &["expected_output", "ideal", "ground_truth", "golden_answer", "references"],
            Self::Retrieved => &["retrieved_docs"],
            Self::Citations | Self::Relevant | Self::Tags | Self::Metadata => &[],
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_back_as_it_was_written() {
        let text = r#"{"id":"a","query":"q","response":"r","context":[{"text":"p"}],"reference":["x"],"tags":["t"],"metadata":{"steps":["one","two"]}}"#;
        let case: Case = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&case).unwrap(), text);
        assert!(serde_json::from_str::<Case>(r#"{"id":"a","answer":"r"}"#).is_err());
    }

    #[test]
    fn a_place_may_point_into_the_metadata() {
        let case: Case = serde_json::from_str(r#"{"id":"a","metadata":{"steps":["one","two"],"a/b":"x~y"}}"#).unwrap();
        let place = Place::in_metadata("/steps/1", 1..3);
        assert_eq!((case.text_at(&place), case.words_at(&place)), (Some("two"), Some("wo")));
        assert_eq!(case.text_at(&Place::in_metadata("/a~1b", 0..1)), Some("x~y"));
        assert_eq!(case.text_at(&Place::in_metadata("/steps/9", 0..1)), None);
        assert_eq!(case.text_at(&Place::in_metadata("steps", 0..1)), None);
    }
}
