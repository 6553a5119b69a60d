//! [`Corpus`]: transcripts by their key, as the files of interview projects hold them.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::json_node::{DataError, JsonNode, parse_json};

/// One transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    /// Its key: FILE, else `document_id`, else `_id`.
    pub key: String,
    /// Everything that was said.
    pub text: String,
    /// The other fields of its record.
    pub metadata: serde_json::Map<String, Json>,
}

impl Transcript {
    /// Reads one record: its text in `text`, `page_content` or `segments`, the rest beside it or under `metadata`.
    pub fn read(record: &JsonNode<'_>) -> Result<Self, DataError> {
        let Json::Object(object) = record.value else { return Err(record.error("is no record of a transcript")) };
        let mut metadata = match record.member("metadata").map(|at| at.value.clone()) {
            Some(Json::Object(metadata)) => metadata,
            _ => serde_json::Map::new(),
        };
        for (name, value) in object {
            if !matches!(name.as_str(), "text" | "page_content" | "segments" | "metadata") {
                metadata.insert(name.clone(), value.clone());
            }
        }
        let key = ["FILE", "document_id", "_id"].into_iter().find_map(|name| match metadata.get(name)? {
            Json::String(key) if !key.is_empty() => Some(key.clone()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let key = key.ok_or_else(|| record.error("has none of FILE, document_id and _id"))?;
        let text = match (record.member("text"), record.member("page_content"), record.member("segments")) {
            (Some(text), _, _) | (None, Some(text), _) => text.text()?.to_owned(),
            (None, None, Some(segments)) => {
                let lines: Vec<&str> = segments
                    .items()?
                    .iter()
                    .map(|segment| segment.member("text").ok_or_else(|| segment.missing_error("text"))?.text())
                    .collect::<Result<_, _>>()?;
                lines.join("\n")
            }
            (None, None, None) => return Err(record.error("has none of text, page_content and segments")),
        };
        Ok(Self { key, text, metadata })
    }
}

/// Transcripts in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Corpus {
    transcripts: Vec<Transcript>,
    places: BTreeMap<String, usize>,
}

impl Corpus {
    /// Reads a list of records, `{"transcripts": […]}`, or an object from key to text.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, DataError> {
        let json = parse_json(bytes, file)?;
        let root = JsonNode::root(file, &json);
        let mut corpus = Self::default();
        match (&json, root.member("transcripts")) {
            (Json::Object(_), Some(list)) if list.value.is_array() => corpus.add_records(&list)?,
            (Json::Array(_), _) => corpus.add_records(&root)?,
            (Json::Object(object), _) => {
                for (key, text) in object {
                    let at = root.member(key).unwrap_or_else(|| root.clone());
                    let text = text.as_str().ok_or_else(|| at.error("is not text of a transcript"))?;
                    let transcript =
                        Transcript { key: key.clone(), text: text.to_owned(), metadata: serde_json::Map::new() };
                    corpus.add(transcript, &at)?;
                }
            }
            _ => return Err(root.error("is neither a list nor an object of transcripts")),
        }
        Ok(corpus)
    }

    fn add_records(&mut self, list: &JsonNode<'_>) -> Result<(), DataError> {
        for record in list.items()? {
            self.add(Transcript::read(&record)?, &record)?;
        }
        Ok(())
    }

    fn add(&mut self, transcript: Transcript, at: &JsonNode<'_>) -> Result<(), DataError> {
        if self.places.insert(transcript.key.clone(), self.transcripts.len()).is_some() {
            return Err(at.error(format_args!("repeats the key `{}`", transcript.key)));
        }
        self.transcripts.push(transcript);
        Ok(())
    }

    /// All transcripts, in the order of the file.
    pub fn transcripts(&self) -> &[Transcript] {
        &self.transcripts
    }

    /// The place of a transcript.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        self.places.get(key).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Corpus, DataError> {
        Corpus::read(json.as_bytes(), "corpus.json")
    }

    #[test]
    fn every_shape_is_read() {
        let corpus = read(
            r#"{"transcripts": [{"FILE": "a", "text": "x"}, {"metadata": {"FILE": "b", "YEAR": 2019}, "page_content": "y"},
                {"_id": "c", "segments": [{"text": "1"}, {"text": "2"}]}]}"#,
        )
        .unwrap();
        let texts: Vec<&str> = corpus.transcripts().iter().map(|transcript| transcript.text.as_str()).collect();
        assert_eq!(texts, ["x", "y", "1\n2"]);
        assert_eq!(corpus.index_of("b"), Some(1));
        assert_eq!(corpus.transcripts()[1].metadata["YEAR"], 2019);
        assert_eq!(read(r#"{"a.txt": "words"}"#).unwrap().transcripts()[0].key, "a.txt");
        assert!(read("[]").unwrap().transcripts().is_empty());
    }

    #[test]
    fn errors_name_the_place() {
        for (json, wanted) in [
            (r#"[{"FILE": "a", "text": "x"}, {"FILE": "a", "text": "y"}]"#, "`[1]`: repeats the key `a`"),
            (r#"[{"text": "x"}]"#, "`[0]`: has none of FILE"),
            (
                r#"{"transcripts": [{"FILE": "a", "segments": [{"t": 1}]}]}"#,
                "`transcripts[0].segments[0]`: has no `text`",
            ),
            (r#"[{"FILE": "a", "text": 5}]"#, "`[0].text`: is not text"),
            (r#"{"a": 5}"#, "`a`: is not text"),
            ("5", "neither a list nor an object"),
            ("[", "is not valid JSON"),
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.starts_with("`corpus.json`") && error.contains(wanted), "{error}");
        }
    }
}
