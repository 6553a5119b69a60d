//! [`FieldMap`]: which column of a row becomes which field of a case.

use probare_core::{Field, closest};

/// Names under which a row's id may stand.
const ID_NAMES: [&str; 4] = ["id", "question_id", "sample_id", "task_id"];

/// Where each field of a case is found in a row: by the user's mapping, else by name, else by alias.
#[derive(Debug, Clone, Default)]
pub struct FieldMap {
    id: Option<String>,
    fields: Vec<(Field, String)>,
}

/// A mapping could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MapError(String);

impl MapError {
    fn no_mapping(text: &str) -> Self {
        Self(format!("`{text}` is not of the form FIELD=COLUMN, for example response=model_output"))
    }

    fn unknown_field(field: &str) -> Self {
        let names = Field::ALL.map(Field::name);
        let similar = closest(field, names).map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default();
        Self(format!("`{field}` is not a field of a case; the fields are id, {}{similar}", names.join(", ")))
    }

    fn mapped_twice(field: &str) -> Self {
        Self(format!("`{field}` is mapped twice"))
    }
}

impl FieldMap {
    /// Reads mappings of the form `response=model_output`. The right side is a column name or, in nested JSON, a path
    /// with dots (`result.choices.0.text`).
    pub fn parse<S: AsRef<str>>(mappings: &[S]) -> Result<Self, MapError> {
        let mut pairs = Vec::with_capacity(mappings.len());
        for mapping in mappings {
            let mapping = mapping.as_ref();
            let (field, column) = mapping.split_once('=').ok_or_else(|| MapError::no_mapping(mapping))?;
            if column.trim().is_empty() {
                return Err(MapError::no_mapping(mapping));
            }
            pairs.push((field, column.trim().to_owned()));
        }
        Self::from_pairs(pairs)
    }

    /// Fields with the columns that hold them.
    pub fn from_pairs<S: AsRef<str>>(pairs: impl IntoIterator<Item = (S, String)>) -> Result<Self, MapError> {
        let mut map = Self::default();
        for (field, column) in pairs {
            let field = field.as_ref().trim();
            if field == "id" {
                if map.id.replace(column).is_some() {
                    return Err(MapError::mapped_twice(field));
                }
                continue;
            }
            let known = Field::ALL
                .into_iter()
                .find(|known| known.name() == field)
                .ok_or_else(|| MapError::unknown_field(field))?;
            if map.fields.iter().any(|(earlier, _)| *earlier == known) {
                return Err(MapError::mapped_twice(field));
            }
            map.fields.push((known, column));
        }
        Ok(map)
    }

    /// Fields and columns, `id` first.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let id = self.id.as_deref().map(|column| ("id", column));
        id.into_iter().chain(self.fields.iter().map(|(field, column)| (field.name(), column.as_str())))
    }

    /// The same with what `other` adds; where both map a field, this one holds.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.id = self.id.or_else(|| other.id.clone());
        for (field, column) in &other.fields {
            if self.fields.iter().all(|(known, _)| known != field) {
                self.fields.push((*field, column.clone()));
            }
        }
        self
    }

    /// The column that a field is mapped to; `None` stands for the id.
    pub(crate) fn column(&self, field: Option<Field>) -> Option<&str> {
        match field {
            None => self.id.as_deref(),
            Some(field) => self.fields.iter().find(|(known, _)| *known == field).map(|(_, column)| column.as_str()),
        }
    }
}

/// Names under which the id (`None`) or a field is looked for where it is not mapped, in order of preference.
pub(crate) fn names(field: Option<Field>) -> Vec<&'static str> {
    match field {
        None => ID_NAMES.to_vec(),
        Some(field) => std::iter::once(field.name()).chain(field.aliases().iter().copied()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_names_a_field_and_a_column() {
        assert!(FieldMap::parse(&["response=model_output", "id=key"]).is_ok());
        assert_eq!(FieldMap::parse(&["response"]).unwrap_err(), MapError::no_mapping("response"));
        assert_eq!(FieldMap::parse(&["response=a", "response=b"]).unwrap_err(), MapError::mapped_twice("response"));
        let error = FieldMap::parse(&["reponse=a"]).unwrap_err().to_string();
        assert!(error.contains("did you mean `response`?"), "{error}");
    }
}
