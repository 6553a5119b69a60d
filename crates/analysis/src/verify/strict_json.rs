//! JSON in which no key may stand twice: a usual reader takes the last one and says nothing.

use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, de};
use serde_json::{Map, Number, Value as Json};

/// A value, and the paths of keys that stand twice.
pub(super) struct StrictJson {
    pub(super) value: Json,
    pub(super) twice: Vec<String>,
}

/// Reads one value. Of two values under the same key the first is kept.
pub(super) fn parse_strict(text: &str) -> serde_json::Result<StrictJson> {
    let mut twice = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Node { path: String::new(), twice: &mut twice }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(StrictJson { value, twice })
}

/// The path of a key in an object at `path`.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

struct Node<'a> {
    path: String,
    twice: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut values = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, values.len());
            match list.next_element_seed(Node { path, twice: &mut *self.twice })? {
                Some(value) => values.push(value),
                None => return Ok(Json::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut values = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let path = join(&self.path, &key);
            let value = object.next_value_seed(Node { path: path.clone(), twice: &mut *self.twice })?;
            if values.contains_key(&key) {
                self.twice.push(path);
            } else {
                values.insert(key, value);
            }
        }
        Ok(Json::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_stand_twice_are_named_and_the_first_is_kept() {
        let read = parse_strict(r#"{"a":[{"b":1,"b":2}],"c":{},"a":0.5}"#).unwrap();
        assert_eq!(read.twice, ["a[0].b", "a"]);
        assert_eq!(read.value.to_string(), r#"{"a":[{"b":1}],"c":{}}"#);
        assert!(parse_strict("{} x").is_err());
    }
}
