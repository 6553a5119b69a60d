//! Reading a row by way of a whole map of values: slow, and plain enough to say what is right. Rows are read straight into
//! cases everywhere else; here the two are compared.

#![expect(clippy::disallowed_methods, reason = "a batch is the thing under test")]

use probare_core::{Case, Citation, Field, Output, Passage};
use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use crate::agents::{FIELDS, fill_query_and_response, read_mapped_column, take_agent_columns};
use crate::fields::names;
use crate::{CaseFormat, CaseReader, FieldMap, ReadOptions};

type Columns = Map<String, Json>;

fn take(row: &mut Columns, map: &FieldMap, field: Option<Field>) -> Option<Json> {
    match map.column(field) {
        Some(path) => take_path(row, path),
        None => names(field).into_iter().find_map(|name| row.shift_remove(name).filter(|value| !value.is_null())),
    }
}

fn take_path(row: &mut Columns, path: &str) -> Option<Json> {
    if row.contains_key(path) {
        return row.shift_remove(path).filter(|value| !value.is_null());
    }
    let mut steps = path.split('.');
    let mut here = row.get(steps.next()?)?;
    for step in steps {
        here = match here {
            Json::Object(map) => map.get(step)?,
            Json::Array(list) => list.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(here.clone()).filter(|value| !value.is_null())
}

/// The case of a row, or nothing where a column does not fit.
fn case(mut row: Columns, map: &FieldMap) -> Option<Case> {
    let row = &mut row;
    let mut field = |field| take(row, map, field);
    let id = field(None).map_or(Some("1".to_owned()), text)?;
    let query = parse_optional(field(Some(Field::Query)), text)?;
    let response = parse_optional(field(Some(Field::Response)), output)?;
    let context = parse_optional(field(Some(Field::Context)), passages)?;
    let reference = parse_optional(field(Some(Field::Reference)), texts)?;
    let citations = parse_optional(field(Some(Field::Citations)), citations)?;
    let retrieved = parse_optional(field(Some(Field::Retrieved)), texts)?;
    let relevant = parse_optional(field(Some(Field::Relevant)), texts)?;
    let tags = parse_optional(field(Some(Field::Tags)), texts)?.unwrap_or_default();
    let mut metadata = match field(Some(Field::Metadata)) {
        Some(Json::Object(map)) => map,
        Some(_) => return None,
        None => Map::new(),
    };
    let mut case = Case::default();
    for agent in FIELDS {
        if map.column(Some(agent)).is_some()
            && let Some(value) = take(row, map, Some(agent))
        {
            read_mapped_column(&mut case, agent, "", &value).ok()?;
        }
    }
    row.retain(|_, value| !value.is_null());
    take_agent_columns(&mut case, row).ok()?;
    case = Case { id, query, response, context, reference, citations, retrieved, relevant, tags, ..case };
    fill_query_and_response(&mut case);
    case.response = case.response.map(|output| output.signed(row));
    for (name, value) in std::mem::take(row) {
        if !value.is_null() {
            let name = if metadata.contains_key(&name) { format!("row.{name}") } else { name };
            metadata.insert(name, value);
        }
    }
    Some(Case { metadata, ..case })
}

/// What a column gives where there is one; nothing at all where it does not fit.
#[expect(clippy::option_option, reason = "absent and unfit are two things")]
fn parse_optional<T>(value: Option<Json>, read: impl FnOnce(Json) -> Option<T>) -> Option<Option<T>> {
    value.map_or(Some(None), |value| read(value).map(Some))
}

fn text(value: Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text),
        Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn output(value: Json) -> Option<Output> {
    match value {
        Json::Object(_) => serde_json::from_value(value).ok(),
        other => text(other).map(Output::new),
    }
}

fn texts(value: Json) -> Option<Vec<String>> {
    match value {
        Json::Array(list) => list.into_iter().map(text).collect(),
        single => text(single).map(|text| vec![text]),
    }
}

fn passages(value: Json) -> Option<Vec<Passage>> {
    match value {
        Json::Array(list) => list.into_iter().map(passage).collect(),
        single => Some(vec![passage(single)?]),
    }
}

fn passage(item: Json) -> Option<Passage> {
    let Json::Object(mut object) = item else {
        return text(item).map(|text| Passage { text, metadata: Map::new() });
    };
    let content = ["page_content", "text", "content"].iter().find_map(|name| object.shift_remove(*name))?;
    let text = if content.is_null() { String::new() } else { text(content)? };
    let mut metadata = match object.shift_remove("metadata") {
        Some(Json::Object(map)) => map,
        Some(Json::Null) | None => Map::new(),
        Some(_) => return None,
    };
    metadata.extend(object);
    Some(Passage { text, metadata })
}

fn citations(value: Json) -> Option<Vec<Citation>> {
    let Json::Array(list) = value else { return None };
    list.into_iter().map(|item| if item.is_object() { serde_json::from_value(item).ok() } else { None }).collect()
}

/// Names that mean something, and some that do not.
fn column() -> impl Strategy<Value = String> {
    let known = std::iter::once(None).chain(Field::ALL.map(Some)).flat_map(names).map(str::to_owned);
    let others = ["x", "y", "x.y", "row.x", "ünï", "a\"b"].map(str::to_owned);
    prop_oneof![3 => proptest::sample::select(known.collect::<Vec<_>>()), 2 => proptest::sample::select(others.to_vec())]
}

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        2 => Just(Json::Null),
        1 => any::<bool>().prop_map(Json::from),
        2 => any::<i64>().prop_map(Json::from),
        5 => "[a-zé\\\\\"\n\u{1F600} ]{0,8}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let name = prop_oneof![column(), "(page_content|text|content|metadata|quote|source_index|0)"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::vec((name, inner), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn mapping() -> impl Strategy<Value = Vec<(String, String)>> {
    let fields = Field::ALL.map(Field::name).into_iter().chain(["id"]).map(str::to_owned).collect::<Vec<_>>();
    proptest::sample::subsequence(fields, 0..4).prop_flat_map(|fields| {
        let paths = proptest::collection::vec(path(), fields.len());
        paths.prop_map(move |paths| fields.iter().cloned().zip(paths).collect())
    })
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![column(), (column(), "(x|0|1|text|metadata)").prop_map(|(root, step)| format!("{root}.{step}"))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Names may repeat, as they may in a file.
    #[test]
    fn a_row_read_straight_is_the_row_read_by_way_of_a_map(
        members in proptest::collection::vec((column(), value()), 0..9),
        mapping in mapping(),
        space in "[ \t]{0,2}",
    ) {
        let written: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{space}{}{space}:{space}{value}{space}", Json::from(name.as_str())))
            .collect();
        let text = format!("{{{}}}", written.join(","));
        let map = FieldMap::from_pairs(mapping).unwrap();
        let Json::Object(row) = serde_json::from_str(&text).unwrap() else { unreachable!("it is an object") };
        let expected = case(row, &map);
        let options = ReadOptions { fields: map, ..ReadOptions::default() };
        let reader = std::io::Cursor::new(text.clone().into_bytes());
        let mut rows = CaseReader::from_reader(reader, "row", CaseFormat::JsonLines, &options).unwrap();
        let mut found = rows.next().unwrap().unwrap().cases();
        prop_assert_eq!(found.len(), 1);
        let found = found.pop().unwrap();
        prop_assert_eq!(found.is_ok(), expected.is_some(), "{} {:?}", text, found);
        if let (Ok(found), Some(expected)) = (found, expected) {
            // The order of the metadata counts, which equality of maps does not see.
            prop_assert_eq!(serde_json::to_string(&found).unwrap(), serde_json::to_string(&expected).unwrap());
            prop_assert_eq!(found, expected);
        }
    }
}
