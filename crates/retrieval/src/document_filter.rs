//! [`Filter`]: which documents are searched, by their metadata.
//!
//! A field has to equal a value, be one of several, lie in a range, or begin with something. On the command line:
//! `COUNTRY=France`, `COUNTRY=France,Poland`, `YEAR=2018..2020` (either end may be left out), `PROJECT=DK-*`. In JSON:
//! `{"COUNTRY": "France", "YEAR": {"from": 2018, "to": 2020}, "TYPE": ["interview", "debrief"], "PROJECT": {"prefix": "DK-"}}`,
//! or as `MongoDB` writes it: `$eq`, `$ne`, `$in`, `$nin`, `$gt`, `$gte`, `$lt`, `$lte`, several of which may stand together.

use std::cmp::Ordering;

use probare_cancellation::count_steps;
use probare_core::closest;
use serde_json::{Map, Value as Json, json};

/// What a field has to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// One of these values.
    OneOf(Vec<Json>),
    /// None of these values; a document without the field has none of them.
    NoneOf(Vec<Json>),
    /// Not below the first and not above the second: numbers as numbers, texts by their characters.
    Between(Option<Json>, Option<Json>),
    /// Above the first and below the second.
    Inside(Option<Json>, Option<Json>),
    /// A text that begins with this.
    Prefix(String),
}

/// Conditions on fields, all of which have to hold; none lets everything through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    conditions: Vec<(String, Condition)>,
}

/// A filter cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// It has another form.
    #[error("{0}")]
    Invalid(String),
    /// No document has the field.
    #[error("no document has a field `{field}`; there are {}", known.join(", "))]
    Unknown { field: String, known: Vec<String>, similar: Option<String> },
}

impl FilterError {
    fn no_condition(text: &str) -> Self {
        Self::Invalid(format!(
            "`{text}` is not a filter; FIELD=VALUE is expected, as in COUNTRY=France, YEAR=2018..2020 or PROJECT=DK-*"
        ))
    }
}

impl Filter {
    /// Reads the conditions of a command line; one that is an object is read as JSON.
    pub fn parse(texts: &[String]) -> Result<Self, FilterError> {
        let mut conditions = Vec::new();
        for text in texts {
            if text.trim_start().starts_with('{') {
                let json = serde_json::from_str(text).map_err(|_| FilterError::no_condition(text))?;
                conditions.extend(Self::from_json(&json)?.conditions);
            } else {
                conditions.push(condition(text)?);
            }
        }
        Ok(Self { conditions })
    }

    /// Reads a filter in JSON; null and an empty object let everything through.
    pub fn from_json(json: &Json) -> Result<Self, FilterError> {
        let object = match json {
            Json::Null => return Ok(Self::default()),
            Json::Object(object) => object,
            _ => return Err(FilterError::Invalid("the filter is not an object from fields to values".to_owned())),
        };
        let mut conditions = Vec::new();
        for (field, value) in object {
            let wrong = || {
                FilterError::Invalid(format!(
                    "the filter of `{field}` is {value}; a value, a list of values, {{\"from\", \"to\"}}, {{\"prefix\"}}, or $eq, $ne, \
                     $in, $nin, $gt, $gte, $lt, $lte with a value is expected"
                ))
            };
            let found = match value {
                Json::Array(values) if values.iter().all(is_scalar) => vec![Condition::OneOf(values.clone())],
                Json::Object(operators) => parse_operators(operators).ok_or_else(wrong)?,
                value if is_scalar(value) => vec![Condition::OneOf(vec![value.clone()])],
                _ => return Err(wrong()),
            };
            conditions.extend(found.into_iter().map(|condition| (field.clone(), condition)));
        }
        Ok(Self { conditions })
    }

    /// The filter in JSON; the same filter gives the same text.
    pub fn to_json(&self) -> Json {
        let mut object = Map::new();
        for (field, condition) in &self.conditions {
            let is_alone = self.conditions.iter().filter(|(other, _)| other == field).count() == 1;
            let value = match condition {
                Condition::OneOf(values) if is_alone && values.len() == 1 => values[0].clone(),
                Condition::OneOf(values) if is_alone => json!(values),
                condition => {
                    let mut whole = object.remove(field).unwrap_or_else(|| json!({}));
                    if let Json::Object(whole) = &mut whole {
                        condition.write(whole);
                    }
                    whole
                }
            };
            object.insert(field.clone(), value);
        }
        object.into()
    }

    /// Whether everything is let through.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Its conditions with their fields.
    pub fn conditions(&self) -> impl Iterator<Item = (&str, &Condition)> {
        self.conditions.iter().map(|(field, condition)| (field.as_str(), condition))
    }

    /// Whether these fields are let through.
    pub fn allows(&self, metadata: &Map<String, Json>) -> bool {
        let holds = |(field, condition): &(String, Condition)| match metadata.get(field) {
            Some(value) => condition.holds(value),
            None => condition.holds_without(),
        };
        self.conditions.iter().all(holds)
    }

    /// An error where a field is not among these.
    pub fn check<'a>(&self, known: impl Iterator<Item = &'a str> + Clone) -> Result<(), FilterError> {
        match self.conditions.iter().find(|(field, _)| !known.clone().any(|name| name == field)) {
            None => Ok(()),
            Some((field, _)) => Err(FilterError::Unknown {
                field: field.clone(),
                similar: closest(field, known.clone()).map(str::to_owned),
                known: known.map(str::to_owned).collect(),
            }),
        }
    }
}

impl Condition {
    /// Whether a value is as wanted.
    pub fn holds(&self, value: &Json) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|allowed| is_same_value(allowed, value)),
            Self::NoneOf(values) => !values.iter().any(|other| is_same_value(other, value)),
            Self::Between(from, to) => {
                let is_above = |end: &Json| compare_values(value, end).is_some_and(Ordering::is_ge);
                let is_below = |end: &Json| compare_values(value, end).is_some_and(Ordering::is_le);
                from.as_ref().is_none_or(is_above) && to.as_ref().is_none_or(is_below)
            }
            Self::Inside(above, below) => {
                let is_above = |end: &Json| compare_values(value, end).is_some_and(Ordering::is_gt);
                let is_below = |end: &Json| compare_values(value, end).is_some_and(Ordering::is_lt);
                above.as_ref().is_none_or(is_above) && below.as_ref().is_none_or(is_below)
            }
            Self::Prefix(prefix) => scalar_text(value).is_some_and(|text| text.starts_with(prefix.as_str())),
        }
    }
}

impl Condition {
    /// Whether a document without the field is as wanted.
    pub const fn holds_without(&self) -> bool {
        matches!(self, Self::NoneOf(_))
    }

    /// Writes the condition as operators, beside others of its field.
    fn write(&self, object: &mut Map<String, Json>) {
        let mut put = |name: &str, value: Json| {
            object.insert(name.to_owned(), value);
        };
        match self {
            Self::OneOf(values) => put("$in", json!(values)),
            Self::NoneOf(values) => put("$nin", json!(values)),
            Self::Between(from, to) => {
                put("from", json!(from));
                put("to", json!(to));
            }
            Self::Inside(above, below) => {
                for (name, end) in [("$gt", above), ("$lt", below)] {
                    if let Some(end) = end {
                        put(name, end.clone());
                    }
                }
            }
            Self::Prefix(prefix) => put("prefix", json!(prefix)),
        }
    }
}

fn is_scalar(value: &Json) -> bool {
    matches!(value, Json::String(_) | Json::Number(_) | Json::Bool(_))
}

/// The conditions of one field whose filter is an object; nothing where it is none that is known.
fn parse_operators(operators: &Map<String, Json>) -> Option<Vec<Condition>> {
    let scalar = |value: &Json| is_scalar(value).then(|| value.clone());
    let scalars = |value: &Json| {
        let values = value.as_array()?;
        values.iter().all(is_scalar).then(|| values.clone())
    };
    let mut conditions = Vec::new();
    let (mut between, mut inside) = ((None, None), (None, None));
    for (name, value) in operators {
        match name.as_str() {
            // Either end may be left open by null.
            "from" | "to" if value.is_null() => {}
            "from" | "$gte" if between.0.is_none() => between.0 = Some(scalar(value)?),
            "to" | "$lte" if between.1.is_none() => between.1 = Some(scalar(value)?),
            "$gt" => inside.0 = Some(scalar(value)?),
            "$lt" => inside.1 = Some(scalar(value)?),
            "$eq" => conditions.push(Condition::OneOf(vec![scalar(value)?])),
            "$ne" => conditions.push(Condition::NoneOf(vec![scalar(value)?])),
            "$in" => conditions.push(Condition::OneOf(scalars(value)?)),
            "$nin" => conditions.push(Condition::NoneOf(scalars(value)?)),
            "prefix" => conditions.push(Condition::Prefix(value.as_str()?.to_owned())),
            _ => return None,
        }
    }
    if between != (None, None) {
        conditions.push(Condition::Between(between.0, between.1));
    }
    if inside != (None, None) {
        conditions.push(Condition::Inside(inside.0, inside.1));
    }
    (!conditions.is_empty()).then_some(conditions)
}

/// A value as text; nothing for lists, objects and null.
pub(crate) fn scalar_text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// Whether two values are the same: `2019` and `"2019"` are, since a command line knows only texts.
fn is_same_value(one: &Json, other: &Json) -> bool {
    count_steps(1);
    one == other || scalar_text(one).is_some_and(|one| scalar_text(other).is_some_and(|other| one == other))
}

fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// Numbers are compared as numbers; a number and another text are not compared at all.
fn compare_values(value: &Json, end: &Json) -> Option<Ordering> {
    count_steps(1);
    match (number(value), number(end)) {
        (Some(value), Some(end)) => value.partial_cmp(&end),
        (None, None) => Some(scalar_text(value)?.cmp(&scalar_text(end)?)),
        _ => None,
    }
}

fn condition(text: &str) -> Result<(String, Condition), FilterError> {
    let wrong = || FilterError::no_condition(text);
    let (field, value) = text.split_once('=').ok_or_else(wrong)?;
    let field = field.trim();
    if field.is_empty() || value.is_empty() {
        return Err(wrong());
    }
    if let Some((from, to)) = value.split_once("..") {
        let end = |text: &str| (!text.is_empty()).then(|| json!(text));
        if from.is_empty() && to.is_empty() {
            return Err(wrong());
        }
        return Ok((field.to_owned(), Condition::Between(end(from), end(to))));
    }
    if let Some(prefix) = value.strip_suffix('*') {
        return Ok((field.to_owned(), Condition::Prefix(prefix.to_owned())));
    }
    // A value with a comma in it is written in quotation marks.
    let values = match value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(whole) => vec![json!(whole)],
        None => value.split(',').map(|value| json!(value.trim())).collect(),
    };
    Ok((field.to_owned(), Condition::OneOf(values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let json =
            json!({"COUNTRY": "France", "YEAR": 2019, "PROJECT": "FR-12", "NOTE": "a, b", "RECORD LANG": "French"});
        let Json::Object(metadata) = json else { unreachable!() };
        let filter = Filter::parse(&texts).unwrap();
        assert_eq!(Filter::from_json(&filter.to_json()).unwrap(), filter);
        filter.allows(&metadata)
    }

    #[test]
    fn equality_list_range_and_prefix() {
        for yes in [
            &["COUNTRY=France"][..],
            &["COUNTRY=Poland, France", "YEAR=2019"],
            &["YEAR=2018..2020"],
            &["YEAR=..2019"],
            &["YEAR=2019.."],
            &["PROJECT=FR-*"],
            &["COUNTRY=E..G"],
            &["NOTE=\"a, b\""],
            &["RECORD LANG=French"],
            &[r#"{"YEAR": {"$gte": 2018}, "COUNTRY": {"$in": ["France"]}}"#],
            &["COUNTRY=France", r#"{"YEAR": 2019}"#],
            &[],
        ] {
            assert!(allows(yes), "{yes:?}");
        }
        for no in [
            &["COUNTRY=france"][..],
            &["COUNTRY=France", "YEAR=2020"],
            &["YEAR=2020.."],
            &["PROJECT=DK-*"],
            &["CITY=x"],
            &["COUNTRY=1..3"],
        ] {
            assert!(!allows(no), "{no:?}");
        }
    }

    #[test]
    fn filters_as_mongodb_writes_them() {
        let metadata = json!({"COUNTRY": "France", "YEAR": 2019});
        let metadata = metadata.as_object().unwrap();
        for (filter, expected) in [
            (json!({"COUNTRY": {"$eq": "France"}}), true),
            (json!({"COUNTRY": {"$ne": "France"}}), false),
            (json!({"COUNTRY": {"$in": ["Poland", "France"]}}), true),
            (json!({"COUNTRY": {"$in": []}}), false),
            (json!({"COUNTRY": {"$nin": ["Poland"]}}), true),
            (json!({"CITY": {"$nin": ["Paris"]}}), true),
            (json!({"CITY": {"$ne": "Paris"}}), true),
            (json!({"YEAR": {"$gte": 2019, "$lte": 2019}}), true),
            (json!({"YEAR": {"$gt": 2019}}), false),
            (json!({"YEAR": {"$gt": 2018, "$lt": 2020}}), true),
            (json!({"YEAR": {"$gte": 2018, "$lt": 2019}}), false),
            (json!({"YEAR": {"$gte": 2018, "$ne": 2019}}), false),
            (json!({"YEAR": {"$gte": 2018}, "COUNTRY": "France"}), true),
        ] {
            let read = Filter::from_json(&filter).unwrap();
            assert_eq!(read.allows(metadata), expected, "{filter}");
            assert_eq!(Filter::from_json(&read.to_json()).unwrap(), read, "{filter}");
        }
        for filter in [
            json!({"A": {}}),
            json!({"A": {"$in": "x"}}),
            json!({"A": {"$in": [null]}}),
            json!({"A": {"$gte": null}}),
            json!({"A": {"$regex": "x"}}),
            json!({"A": {"$gte": 1, "from": 2}}),
            json!({"$or": [{"A": 1}]}),
        ] {
            assert!(Filter::from_json(&filter).is_err(), "{filter}");
        }
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        for text in ["COUNTRY", "=x", "A=", "A=..", "{", "{\"A\": null}"] {
            assert!(Filter::parse(&[text.to_owned()]).is_err(), "{text}");
        }
        for json in
            [json!([1]), json!({"A": null}), json!({"A": {"from": null}}), json!({"A": {"up": 1}}), json!({"A": [[1]]})]
        {
            assert!(Filter::from_json(&json).is_err(), "{json}");
        }
        assert!(Filter::from_json(&Json::Null).unwrap().is_empty());
        let error = Filter::parse(&["CONTRY=x".into()]).unwrap().check(["COUNTRY", "YEAR"].into_iter()).unwrap_err();
        assert!(matches!(error, FilterError::Unknown { similar: Some(similar), .. } if similar == "COUNTRY"));
    }
}
