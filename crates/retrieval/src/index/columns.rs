//! Metadata as columns: for each field the values that occur, and for each document the number of its value. A filter looks at
//! every value once, not at every document.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use probare_cancellation::count_steps;
use serde_json::{Map, Value as Json};

use super::mapped::MappedFile;
use crate::Filter;
use crate::document_filter::scalar_text;
use crate::tokenizer::terms;

/// The number of a document that lacks the field.
const ABSENT: u32 = u32::MAX;

/// Columns that are being collected.
#[derive(Default)]
pub(super) struct ColumnBuilder {
    columns: BTreeMap<String, Column>,
    documents: usize,
}

#[derive(Default)]
struct Column {
    values: Vec<Json>,
    numbers: HashMap<String, u32>,
    codes: Vec<u32>,
}

impl ColumnBuilder {
    /// Takes in the next document. Lists and objects are no columns.
    pub(super) fn add(&mut self, metadata: &Map<String, Json>) {
        for (name, value) in metadata.iter().filter(|(_, value)| scalar_text(value).is_some()) {
            let column = self.columns.entry(name.clone()).or_default();
            column.codes.resize(self.documents, ABSENT);
            let next = u32::try_from(column.values.len()).unwrap_or(ABSENT);
            let number = *column.numbers.entry(value.to_string()).or_insert(next);
            if number == next {
                column.values.push(value.clone());
            }
            column.codes.push(number);
        }
        self.documents += 1;
    }

    /// The values as JSON, and the numbers of all columns one after the other.
    pub(super) fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let mut values = Map::new();
        let mut codes = Vec::new();
        for (name, mut column) in self.columns {
            column.codes.resize(self.documents, ABSENT);
            codes.extend(column.codes.iter().flat_map(|code| code.to_le_bytes()));
            values.insert(name, column.values.into());
        }
        (Json::Object(values).to_string().into_bytes(), codes)
    }
}

/// The columns of an index.
pub(super) struct MetadataColumns {
    values: Vec<(String, Vec<Json>)>,
    codes: MappedFile,
    documents: usize,
}

impl MetadataColumns {
    /// Reads the values; the reason where they and the numbers do not belong together.
    pub(super) fn open(values: &[u8], codes: MappedFile, documents: usize) -> Result<Self, String> {
        let values: Map<String, Json> = serde_json::from_slice(values).map_err(|error| error.to_string())?;
        let values: Vec<(String, Vec<Json>)> = values
            .into_iter()
            .filter_map(|(name, values)| match values {
                Json::Array(values) => Some((name, values)),
                _ => None,
            })
            .collect();
        if codes.bytes().len() != values.len() * documents * 4 {
            return Err("columns and documents do not agree".to_owned());
        }
        Ok(Self { values, codes, documents })
    }

    /// The fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.values.iter().map(|(name, _)| name.as_str())
    }

    /// The values of a field, in the order of the corpus.
    pub(super) fn values(&self, name: &str) -> &[Json] {
        self.values.iter().find(|(known, _)| known == name).map_or(&[], |(_, values)| values)
    }

    /// The documents that have a term of a question in a field, each with those terms as `term in FIELD`.
    pub(super) fn term_matches(&self, query_terms: &BTreeSet<String>) -> BTreeMap<usize, Vec<String>> {
        let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (column, (name, values)) in self.values.iter().enumerate() {
            let value_terms = |value: &Json| -> Vec<String> {
                let own: BTreeSet<String> =
                    scalar_text(value).map(|text| terms(&text)).unwrap_or_default().into_iter().collect();
                count_steps(1 + own.len());
                own.intersection(query_terms).map(|term| format!("{term} in {name}")).collect()
            };
            let by_value: Vec<Vec<String>> = values.iter().map(value_terms).collect();
            if by_value.iter().all(Vec::is_empty) {
                continue;
            }
            for document in 0..self.documents {
                count_steps(1);
                let code = self.codes.u32(column * self.documents + document).unwrap_or(ABSENT);
                if let Some(value_terms) = by_value.get(code as usize).filter(|value_terms| !value_terms.is_empty()) {
                    found.entry(document).or_default().extend(value_terms.iter().cloned());
                }
            }
        }
        found
    }

    /// For each document whether it is let through.
    pub(super) fn matching_documents(&self, filter: &Filter) -> Vec<bool> {
        let mut allowed = vec![true; self.documents];
        for (field, condition) in filter.conditions() {
            let Some(column) = self.values.iter().position(|(name, _)| name == field) else {
                return vec![false; self.documents];
            };
            let holds: Vec<bool> = self.values[column].1.iter().map(|value| condition.holds(value)).collect();
            for (document, is_allowed) in allowed.iter_mut().enumerate() {
                count_steps(1);
                let code = self.codes.u32(column * self.documents + document).unwrap_or(ABSENT);
                *is_allowed &= holds.get(code as usize).copied().unwrap_or(condition.holds_without());
            }
        }
        allowed
    }
}
