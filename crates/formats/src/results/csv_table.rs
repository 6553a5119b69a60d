//! Rows of a CSV file, as they are written and cut into cells.

use std::io::BufRead;

use super::rows::RowSource;
use super::{LONGEST, scan};

/// Reads records, the header first.
pub(super) struct CsvTable<R> {
    reader: R,
    /// Names of the columns.
    pub(super) columns: Vec<String>,
}

impl<R: BufRead> CsvTable<R> {
    pub(super) fn new(reader: R) -> Result<Self, String> {
        let mut table = Self { reader, columns: Vec::new() };
        let header = table.read()?.ok_or_else(|| "it is empty".to_owned())?;
        table.columns = cells(&header)?;
        Ok(table)
    }
}

impl<R: BufRead> RowSource for CsvTable<R> {
    type Row = String;

    /// A record ends at the first line break outside of quotation marks.
    fn read(&mut self) -> Result<Option<String>, String> {
        let (mut record, mut line, mut is_open) = (Vec::new(), Vec::new(), false);
        loop {
            if !scan::line(&mut self.reader, &mut line).map_err(|error| error.to_string())? {
                if record.is_empty() {
                    return Ok(None);
                }
                return Err("a quotation mark is not closed".to_owned());
            }
            record.extend_from_slice(&line);
            if record.len() > LONGEST {
                return Err("a row is longer than 1 GiB".to_owned());
            }
            is_open = line.iter().fold(is_open, |is_open, byte| is_open != (*byte == b'"'));
            if !is_open {
                break;
            }
        }
        if record.last() == Some(&b'\n') {
            record.pop();
        }
        String::from_utf8(record).map(Some).map_err(|_| "a row is not UTF-8".to_owned())
    }
}

/// The cells of a record.
pub fn cells(record: &str) -> Result<Vec<String>, String> {
    let mut cells = Vec::new();
    let mut rest = record;
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
            Some(inner) => quoted_cell(inner)?,
        };
        cells.push(cell);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(cells),
            None => return Err("something follows a quotation mark".to_owned()),
        }
    }
}

/// A cell up to its closing quotation mark, and what follows it.
fn quoted_cell(inner: &str) -> Result<(String, &str), String> {
    let (mut cell, mut rest) = (String::new(), inner);
    loop {
        let end = rest.find('"').ok_or_else(|| "a quotation mark is not closed".to_owned())?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Ok((cell, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_may_hold_breaks_and_marks() {
        let text = "id,\"a,b\"\n\"x\ny\",\"says \"\"so\"\"\"\nz,\n";
        let mut table = CsvTable::new(text.as_bytes()).unwrap();
        assert_eq!(table.columns, ["id", "a,b"]);
        assert_eq!(cells(&table.read().unwrap().unwrap()).unwrap(), ["x\ny", "says \"so\""]);
        assert_eq!(cells(&table.read().unwrap().unwrap()).unwrap(), ["z", ""]);
        assert!(table.read().unwrap().is_none());
        assert!(cells("\"a\"b").is_err() && cells("\"a").is_err());
    }
}
