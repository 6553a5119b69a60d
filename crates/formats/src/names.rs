//! [`ColumnNames`]: a mapping made ready for many rows. Every name that means something has a number.

use probare_core::Field;
use rustc_hash::FxHashMap;

use crate::FieldMap;
use crate::agents::FIELDS;
use crate::fields::names;

/// Number of a name that means something.
pub(crate) type NameId = u8;

/// Where one field is looked for.
#[derive(Debug)]
pub(crate) enum FieldSource {
    /// In the first of these that is there.
    Any(Vec<NameId>),
    /// In the column of this name or, failing that, along the path with dots that it may be, which begins at `root`.
    Column { name: NameId, root: NameId, path: String },
}

/// Which names a row's columns may have, and where each field is looked for.
#[derive(Debug)]
pub(crate) struct ColumnNames {
    numbers: FxHashMap<String, NameId>,
    id: FieldSource,
    fields: Vec<FieldSource>,
}

impl ColumnNames {
    /// There are some thirty names by themselves, and two at most for each of sixteen mapped fields, so that they can be
    /// counted in a byte and kept in a set of 128. What an agent did is looked for in the rest of a row: its names count only
    /// where they hold what they say.
    pub(crate) fn new(map: &FieldMap) -> Self {
        let mut numbers = FxHashMap::default();
        let mut number = |name: &str| -> NameId {
            let next = NameId::try_from(numbers.len()).unwrap_or(NameId::MAX);
            *numbers.entry(name.to_owned()).or_insert(next)
        };
        let mut slot = |field: Option<Field>| match map.column(field) {
            Some(path) => {
                let root = path.split('.').next().unwrap_or(path);
                FieldSource::Column { name: number(path), root: number(root), path: path.to_owned() }
            }
            None if field.is_some_and(|field| FIELDS.contains(&field)) => FieldSource::Any(Vec::new()),
            None => FieldSource::Any(names(field).into_iter().map(&mut number).collect()),
        };
        let id = slot(None);
        let fields = Field::ALL.into_iter().map(|field| slot(Some(field))).collect();
        Self { numbers, id, fields }
    }

    /// The number of a name, where it means something.
    pub(crate) fn number(&self, name: &str) -> Option<NameId> {
        self.numbers.get(name).copied()
    }

    /// Where a field is looked for; `None` stands for the id.
    pub(crate) fn slot(&self, field: Option<Field>) -> &FieldSource {
        match field {
            None => &self.id,
            Some(field) => &self.fields[field as usize],
        }
    }

    /// The columns among these that become `query` and `response`, when all of them hold something.
    pub(crate) fn texts(&self, columns: &[String]) -> Vec<NameId> {
        let mut there: Vec<NameId> = columns.iter().filter_map(|column| self.number(column)).collect();
        let mut take = |field: Option<Field>| -> Option<NameId> {
            let found = match self.slot(field) {
                FieldSource::Any(names) => names.iter().copied().find(|name| there.contains(name)),
                FieldSource::Column { name, .. } => Some(*name).filter(|name| there.contains(name)),
            }?;
            there.retain(|known| *known != found);
            Some(found)
        };
        // In the order in which fields are taken from a row.
        take(None);
        [Field::Query, Field::Response].into_iter().filter_map(|field| take(Some(field))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_fit_into_a_set_of_128() {
        let fields = Field::ALL.map(Field::name).into_iter().chain(["id"]);
        let map = FieldMap::from_pairs(fields.map(|field| (field, format!("{field}_root.{field}_column")))).unwrap();
        assert_eq!(ColumnNames::new(&map).numbers.len(), 32);
        assert!(ColumnNames::new(&FieldMap::default()).numbers.len() + 32 < 128);
    }

    #[test]
    fn fields_stand_in_the_order_of_their_numbers() {
        for (number, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, number);
        }
    }
}
