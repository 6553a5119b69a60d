//! [`Pretty`]: JSON with two spaces of indent, byte for byte as `serde_json` writes it, for reports of many small values.
//!
//! Names of fields are our own and are written as they are; a text is copied whole where nothing in it must be escaped,
//! which is nearly always. Numbers and the other texts are left to `serde_json`. Kinds of values that no report has are
//! refused.

use std::io::{self, Write};

use serde::ser::{Error as _, Impossible, SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::Error;

/// A line break and the indent after it.
const LINE: &[u8; 16] = b"\n               ";

/// So much is gathered before it is written.
const GATHERED: usize = 1 << 16;

/// Writes values to `out`, in large pieces.
pub(super) struct Pretty<W: Write> {
    out: W,
    gathered: Vec<u8>,
    depth: usize,
}

impl<W: Write> Pretty<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, gathered: Vec::with_capacity(2 * GATHERED), depth: 0 }
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(&self.gathered)?;
        self.out.flush()
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.gathered.extend_from_slice(bytes);
    }

    /// Begins a line, after a comma where something stands before it in the same list.
    #[inline]
    fn line(&mut self, comma: bool) -> Result<(), Error> {
        if self.gathered.len() >= GATHERED {
            self.out.write_all(&self.gathered).map_err(Error::io)?;
            self.gathered.clear();
        }
        if comma {
            self.gathered.push(b',');
        }
        let end = self.gathered.len() + 1 + 2 * self.depth;
        // Always the same number of bytes, which are copied at once, and what is too much is taken back.
        self.put(LINE);
        self.gathered.resize(end, b' ');
        Ok(())
    }

    fn number(&mut self, number: impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut self.gathered, &number)
    }

    fn list(&mut self, open: u8, close: u8) -> List<'_, W> {
        self.gathered.push(open);
        self.depth += 1;
        List { pretty: self, close, empty: true }
    }
}

fn refused<T>(kind: &str) -> Result<T, Error> {
    Err(Error::custom(format_args!("a report holds no {kind}")))
}

/// An array or an object that is being written.
pub(super) struct List<'p, W: Write> {
    pretty: &'p mut Pretty<W>,
    close: u8,
    empty: bool,
}

impl<W: Write> List<'_, W> {
    /// Begins the next item.
    #[inline]
    fn next(&mut self) -> Result<(), Error> {
        let comma = !self.empty;
        self.empty = false;
        self.pretty.line(comma)
    }

    #[inline]
    fn close(self) -> Result<(), Error> {
        self.pretty.depth -= 1;
        if !self.empty {
            self.pretty.line(false)?;
        }
        self.pretty.gathered.push(self.close);
        Ok(())
    }
}

impl<W: Write> SerializeSeq for List<'_, W> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        self.next()?;
        item.serialize(&mut *self.pretty)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<W: Write> SerializeStruct for List<'_, W> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        self.next()?;
        self.pretty.put(b"\"");
        self.pretty.put(name.as_bytes());
        self.pretty.put(b"\": ");
        value.serialize(&mut *self.pretty)
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl<'p, W: Write> Serializer for &'p mut Pretty<W> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = List<'p, W>;
    type SerializeStruct = List<'p, W>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    #[inline]
    fn serialize_str(self, text: &str) -> Result<(), Error> {
        let must_be_escaped = |byte: u8| matches!(byte, 0..0x20 | b'"' | b'\\');
        // All bytes are looked at without a stop at the first, since that takes many at once.
        if text.bytes().fold(false, |any, byte| any | must_be_escaped(byte)) {
            return serde_json::to_writer(&mut self.gathered, text);
        }
        self.put(b"\"");
        self.put(text.as_bytes());
        self.put(b"\"");
        Ok(())
    }

    #[inline]
    fn serialize_bool(self, flag: bool) -> Result<(), Error> {
        self.put(if flag { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_i64(self, number: i64) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_u64(self, number: u64) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_f64(self, number: f64) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_i8(self, number: i8) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_i16(self, number: i16) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_i32(self, number: i32) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_u8(self, number: u8) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_u16(self, number: u16) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_u32(self, number: u32) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_f32(self, number: f32) -> Result<(), Error> {
        self.number(number)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.put(b"null");
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.put(b"null");
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'p, W>, Error> {
        Ok(self.list(b'[', b']'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<List<'p, W>, Error> {
        Ok(self.list(b'{', b'}'))
    }

    fn serialize_char(self, _: char) -> Result<(), Error> {
        refused("single character")
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        refused("bytes")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        refused("unit")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        refused("variant")
    }

    fn serialize_tuple(self, _: usize) -> Result<Impossible<(), Error>, Error> {
        refused("tuple")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Error>, Error> {
        refused("tuple")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        refused("variant")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Error>, Error> {
        refused("map of unknown names")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        refused("variant")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        TwoWords,
    }

    #[derive(Serialize)]
    struct Nested<'a> {
        texts: Vec<&'a str>,
        nothing: Vec<u8>,
        empty: Option<Empty>,
        absent: Option<bool>,
        numbers: (),
        word: Word,
        share: f64,
        count: i32,
        flag: bool,
        inner: Option<Box<Nested<'a>>>,
    }

    #[derive(Serialize)]
    struct Empty {}

    fn nested(depth: usize) -> Nested<'static> {
        Nested {
            texts: vec!["", "plain é", "a \"b\"", "back\\slash", "line\nbreak", "\u{1}\u{7f}\u{2028}😀"],
            nothing: Vec::new(),
            empty: Some(Empty {}),
            absent: None,
            numbers: (),
            word: Word::TwoWords,
            share: 0.1 + 0.2,
            count: -3,
            flag: true,
            inner: (depth > 0).then(|| Box::new(nested(depth - 1))),
        }
    }

    #[test]
    fn every_byte_is_as_in_the_usual_form() {
        let value: Vec<_> = [40, 3, 0].into_iter().cycle().take(90).map(nested).collect();
        let mut written = Vec::new();
        let mut pretty = Pretty::new(&mut written);
        value.serialize(&mut pretty).unwrap();
        pretty.finish().unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn what_no_report_has_is_refused() {
        let error = (1, 2).serialize(&mut Pretty::new(Vec::new())).unwrap_err();
        assert_eq!(error.to_string(), "a report holds no tuple");
    }
}
