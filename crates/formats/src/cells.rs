//! [`RowColumns`]: the columns of one row, borrowed from the file, and what is taken out of them.
//!
//! Every format makes its rows into this one form. Columns that may become a field of the case are kept as they are
//! written and read when it is known what they become, so that no number loses its digits and no text is copied twice.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use probare_core::Field;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Error, Map, Value as Json};

use crate::names::{ColumnNames, FieldSource, NameId};

/// What stands in a column.
#[derive(Debug)]
pub(crate) enum RowCell<'a> {
    /// JSON as it is written, without white space around it.
    Raw(&'a str),
    /// A text. What looks like a list or an object may be one where a field wants such.
    Text(&'a str),
    /// A text, whatever it looks like.
    Plain(&'a str),
    /// A value that was read.
    Value(Json),
    /// Nothing any more.
    Taken,
}

impl<'a> RowCell<'a> {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Raw("null") | Self::Value(Json::Null) | Self::Taken)
    }

    /// The value; what looks like a list or an object in a text is one, if it can be read as such.
    pub(crate) fn into_json(self) -> Result<Json, Error> {
        match self {
            Self::Raw(raw) => serde_json::from_str(raw),
            Self::Text(text) => Ok(structure(text).unwrap_or_else(|| Json::String(text.to_owned()))),
            Self::Plain(text) => Ok(Json::String(text.to_owned())),
            Self::Value(value) => Ok(value),
            Self::Taken => Ok(Json::Null),
        }
    }

    /// The same, with a text that holds a list or an object as what it holds.
    pub(crate) fn expand_text(self) -> Self {
        match self {
            Self::Text(text) if structure(text).is_some() => Self::Raw(text.trim_ascii()),
            other => other,
        }
    }

    /// The value at the end of a path, if it leads anywhere.
    fn value_at(&self, mut steps: std::str::Split<'_, char>) -> Result<Option<RowCell<'a>>, Error> {
        match self {
            Self::Raw(raw) => at_raw(raw, steps),
            Self::Text(text) if text.starts_with(['[', '{']) && structure(text).is_some() => {
                at_raw(text.trim_ascii(), steps)
            }
            Self::Text(_) | Self::Plain(_) | Self::Taken => Ok(None),
            Self::Value(value) => {
                let found = steps.try_fold(value, |here, step| match here {
                    Json::Object(map) => map.get(step),
                    Json::Array(list) => list.get(step.parse::<usize>().ok()?),
                    _ => None,
                });
                Ok(found.map(|value| RowCell::Value(value.clone())))
            }
        }
    }
}

/// A list or an object that a text holds.
fn structure(text: &str) -> Option<Json> {
    if text.starts_with(['[', '{']) { serde_json::from_str(text).ok() } else { None }
}

fn at_raw<'a>(raw: &'a str, steps: std::str::Split<'_, char>) -> Result<Option<RowCell<'a>>, Error> {
    let mut here = raw;
    for step in steps {
        let next = match here.as_bytes().first() {
            // The last of several members of one name counts, as everywhere.
            Some(b'{') => members(here)?.into_iter().rev().find(|(name, _)| name == step).map(|(_, raw)| raw),
            Some(b'[') => match step.parse::<usize>() {
                Ok(at) => elements(here)?.get(at).copied(),
                Err(_) => None,
            },
            _ => None,
        };
        let Some(next) = next else { return Ok(None) };
        here = next;
    }
    Ok(Some(RowCell::Raw(here)))
}

/// The elements of a list, as they are written.
pub(crate) fn elements(raw: &str) -> Result<Vec<&str>, Error> {
    let list: Vec<&RawValue> = serde_json::from_str(raw)?;
    Ok(list.into_iter().map(RawValue::get).collect())
}

/// The members of an object, as they are written.
pub(crate) fn members(raw: &str) -> Result<Vec<(Cow<'_, str>, &str)>, Error> {
    struct Members;

    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(Cow<'de, str>, &'de str)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(Name(name)) = map.next_key()? {
                members.push((name, map.next_value::<&RawValue>()?.get()));
            }
            Ok(members)
        }
    }

    let mut reader = serde_json::Deserializer::from_str(raw);
    let members = reader.deserialize_map(Members)?;
    reader.end()?;
    Ok(members)
}

/// The text of a JSON string, quotes and all.
pub(crate) fn unquoted(raw: &str) -> Result<String, Error> {
    match raw.get(1..raw.len().saturating_sub(1)) {
        Some(text) if memchr(b'\\', text.as_bytes()).is_none() => Ok(text.to_owned()),
        _ => serde_json::from_str(raw),
    }
}

/// A name that is borrowed unless it is written with escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;

        impl<'de> Visitor<'de> for Borrowing {
            type Value = Name<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(Borrowing)
    }
}

#[derive(Debug)]
struct Column<'a> {
    name: Cow<'a, str>,
    known: Option<NameId>,
    cell: RowCell<'a>,
}

/// The columns of one row. It can be filled again for the next.
#[derive(Debug)]
pub(crate) struct RowColumns<'a> {
    names: &'a ColumnNames,
    columns: Vec<Column<'a>>,
    /// Known names that are there, as a set.
    there: u128,
}

impl<'a> RowColumns<'a> {
    pub(crate) const fn new(names: &'a ColumnNames) -> Self {
        Self { names, columns: Vec::new(), there: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.columns.clear();
        self.there = 0;
    }

    /// Adds a column whose name has this number.
    pub(crate) fn push(&mut self, name: Cow<'a, str>, known: Option<NameId>, cell: RowCell<'a>) {
        if let Some(known) = known {
            if self.has(known) {
                // The last of several columns of one name counts, in the place of the first.
                if let Some(earlier) = self.columns.iter_mut().find(|column| column.known == Some(known)) {
                    earlier.cell = cell;
                }
                return;
            }
            self.there |= 1 << (known % 128);
        }
        self.columns.push(Column { name, known, cell });
    }

    /// Adds the members of a JSON object. Those that mean nothing here are read at once, the others when it is known what
    /// they become.
    pub(crate) fn fill(&mut self, text: &'a str) -> Result<(), Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        RowSeed(self).deserialize(&mut reader)?;
        reader.end()
    }

    fn has(&self, known: NameId) -> bool {
        self.there & (1 << (known % 128)) != 0
    }

    fn column(&mut self, known: NameId) -> Option<&mut Column<'a>> {
        if self.has(known) { self.columns.iter_mut().find(|column| column.known == Some(known)) } else { None }
    }

    /// Takes the id (`None`) or a field out of the row, with the name of the column it stood in. `null` counts as absent.
    /// What a path with dots leads to stays in its place.
    pub(crate) fn take(&mut self, field: Option<Field>) -> Result<Option<(Cow<'a, str>, RowCell<'a>)>, Error> {
        match self.names.slot(field) {
            FieldSource::Any(names) => Ok(names.iter().find_map(|known| self.take_column(*known))),
            FieldSource::Column { name, .. } if self.has(*name) => Ok(self.take_column(*name)),
            FieldSource::Column { root, path, .. } => {
                let Some(column) = self.column(*root) else { return Ok(None) };
                let mut steps = path.split('.');
                steps.next();
                let found = column.cell.value_at(steps)?.filter(|cell| !cell.is_null());
                Ok(found.map(|cell| (Cow::Borrowed(path.as_str()), cell)))
            }
        }
    }

    fn take_column(&mut self, known: NameId) -> Option<(Cow<'a, str>, RowCell<'a>)> {
        let column = self.column(known)?;
        let cell = std::mem::replace(&mut column.cell, RowCell::Taken);
        let name = std::mem::take(&mut column.name);
        self.there &= !(1 << (known % 128));
        (!cell.is_null()).then_some((name, cell))
    }

    /// What was not taken, in the order of the row; `null` counts as absent.
    pub(crate) fn remaining(&mut self) -> Result<Map<String, Json>, Error> {
        let mut rest = Map::new();
        let mut has_null = false;
        for column in self.columns.drain(..) {
            if matches!(column.cell, RowCell::Taken) {
                continue;
            }
            let value = column.cell.into_json()?;
            // Entered all the same: it may stand in for an earlier column of its name.
            has_null |= value.is_null();
            rest.insert(column.name.into_owned(), value);
        }
        if has_null {
            rest.retain(|_, value| !value.is_null());
        }
        Ok(rest)
    }
}

/// Fills a row from a JSON object.
struct RowSeed<'r, 'a>(&'r mut RowColumns<'a>);

impl<'de> DeserializeSeed<'de> for RowSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = map.next_key()? {
            let known = self.0.names.number(&name);
            let cell = if known.is_some() {
                RowCell::Raw(map.next_value::<&RawValue>()?.get())
            } else {
                RowCell::Value(map.next_value()?)
            };
            self.0.push(name, known, cell);
        }
        Ok(())
    }
}

/// The names of the columns of a JSON object.
pub(crate) fn column_names(text: &str) -> Result<Vec<String>, Error> {
    serde_json::from_str::<IgnoredAny>(text)?;
    Ok(members(text)?.into_iter().map(|(name, _)| name.into_owned()).collect())
}
