//! JSON cut into its values without being understood, so that a file of any length needs the memory of one value.

use std::io::{self, BufRead, ErrorKind};

use super::LONGEST;
use super::rows::RowSource;
use crate::json_splitter::fill_buffer;
use crate::value_scanner::{ValueScanner, ValueScope};

/// Reads values, one after the other.
struct Scanner<R> {
    reader: R,
}

impl<R: BufRead> Scanner<R> {
    fn buffer(&mut self) -> Result<&[u8], String> {
        fill_buffer(&mut self.reader).map_err(|error| error.to_string())
    }

    /// The next byte that is not white space, without taking it.
    fn token(&mut self) -> Result<Option<u8>, String> {
        loop {
            let first = self.buffer()?.first().copied();
            if !first.is_some_and(|byte| byte.is_ascii_whitespace()) {
                return Ok(first);
            }
            self.reader.consume(1);
        }
    }

    fn take(&mut self, wanted: u8) -> Result<(), String> {
        match self.token()? {
            Some(byte) if byte == wanted => {
                self.reader.consume(1);
                Ok(())
            }
            Some(byte) => Err(format!("`{}` is expected where `{}` stands", char::from(wanted), char::from(byte))),
            None => Err("it ends too early".to_owned()),
        }
    }

    /// Passes a value on, byte by byte as it is written.
    fn value(&mut self, mut pass: impl FnMut(&[u8])) -> Result<(), String> {
        if self.token()?.is_none() {
            return Err("it ends too early".to_owned());
        }
        let mut scanner = ValueScanner::new(ValueScope::Member);
        let mut length = 0_usize;
        loop {
            let buffer = self.buffer()?;
            if buffer.is_empty() {
                return if scanner.is_open() { Err("it ends too early".to_owned()) } else { Ok(()) };
            }
            let (used, ending) = scanner.over(buffer);
            pass(&buffer[..used]);
            self.reader.consume(used);
            length += used;
            if ending.is_some() {
                return if length > 0 { Ok(()) } else { Err("a value is missing".to_owned()) };
            }
        }
    }

    /// A value as text.
    fn text(&mut self) -> Result<String, String> {
        let mut bytes = Vec::new();
        let mut too_long = false;
        self.value(|piece| {
            too_long |= bytes.len() + piece.len() > LONGEST;
            if !too_long {
                bytes.extend_from_slice(piece);
            }
        })?;
        if too_long {
            return Err("a value is longer than 1 GiB".to_owned());
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }

    fn key(&mut self) -> Result<String, String> {
        let key = self.text()?;
        let key = serde_json::from_str(&key).map_err(|_| format!("`{key}` is no key"))?;
        self.take(b':')?;
        Ok(key)
    }
}

/// An object, but for its `results`.
#[derive(Debug, Default)]
pub(super) struct Document {
    entries: Vec<(String, String)>,
    /// How often `results` stands there.
    pub(super) results: usize,
}

impl Document {
    /// The value of a key, as it is written.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// An object of some of the keys.
    pub(super) fn only(&self, wanted: impl Fn(&str) -> bool) -> String {
        let entries = self.entries.iter().filter(|(key, _)| wanted(key));
        let entries: Vec<String> =
            entries.map(|(key, value)| format!("{}:{value}", serde_json::Value::from(key.as_str()))).collect();
        format!("{{{}}}", entries.join(","))
    }
}

/// Reads an object and passes over its `results`.
pub(super) fn document(reader: impl BufRead) -> Result<Document, String> {
    let mut scanner = Scanner { reader };
    let mut document = Document::default();
    scanner.take(b'{')?;
    if scanner.token()? == Some(b'}') {
        scanner.take(b'}')?;
    } else {
        loop {
            let key = scanner.key()?;
            if key == "results" {
                document.results += 1;
                // A manifest that stands alone has the digest of its file under this name.
                scanner.value(|_| {})?;
            } else {
                let value = scanner.text()?;
                document.entries.push((key, value));
            }
            if scanner.token()? != Some(b',') {
                break;
            }
            scanner.take(b',')?;
        }
        scanner.take(b'}')?;
    }
    match scanner.token()? {
        None => Ok(document),
        Some(_) => Err("something follows its end".to_owned()),
    }
}

/// The values of the list `results` of an object.
pub(super) struct JsonResults<R> {
    scanner: Scanner<R>,
    has_begun: bool,
}

impl<R: BufRead> JsonResults<R> {
    pub(super) fn new(reader: R) -> Result<Self, String> {
        let mut scanner = Scanner { reader };
        scanner.take(b'{')?;
        while scanner.key()? != "results" {
            scanner.value(|_| {})?;
            scanner.take(b',').map_err(|_| "it has no `results`".to_owned())?;
        }
        scanner.take(b'[')?;
        Ok(Self { scanner, has_begun: false })
    }
}

impl<R: BufRead> RowSource for JsonResults<R> {
    type Row = String;

    fn read(&mut self) -> Result<Option<String>, String> {
        if self.scanner.token()? == Some(b']') {
            return Ok(None);
        }
        if std::mem::replace(&mut self.has_begun, true) {
            self.scanner.take(b',')?;
        }
        self.scanner.text().map(Some)
    }
}

/// Reads a line with its break into `line`; false at the end of the file.
pub(super) fn line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = io::Read::take(&mut *reader, LONGEST as u64).read_until(b'\n', line)?;
    if read == LONGEST {
        return Err(io::Error::new(ErrorKind::InvalidData, "a line is longer than 1 GiB"));
    }
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::rows::Rows;

    #[test]
    fn an_object_is_cut_into_its_values() {
        let text = r#"{"a" : "x\"]}" , "results":[ {"id":"]"},{"b":[1,{}]} ,3],"c":{"d":[]}, "e":1}"#;
        let document = document(text.as_bytes()).unwrap();
        assert_eq!(document.only(|_| true), r#"{"a":"x\"]}","c":{"d":[]},"e":1}"#);
        assert_eq!((document.results, document.get("e")), (1, Some("1")));
        let rows: Vec<String> = Rows::new(JsonResults::new(text.as_bytes()).unwrap()).map(Result::unwrap).collect();
        assert_eq!(rows, [r#"{"id":"]"}"#, r#"{"b":[1,{}]}"#, "3"]);
    }

    #[test]
    fn what_is_no_object_is_an_error_and_ends() {
        for text in
            ["", "[]", "{", "{}x", r#"{"a"}"#, r#"{"a":}"#, r#"{"results":[1,]}"#, r#"{"results":[1"#, "{\"a\":\""]
        {
            let rows =
                JsonResults::new(text.as_bytes()).map(|rows| Rows::new(rows).take(9).collect::<Result<Vec<_>, _>>());
            assert!(document(text.as_bytes()).is_err() || rows.is_err() || rows.unwrap().is_err(), "{text}");
        }
        assert!(document(&b"{}"[..]).is_ok());
    }
}
