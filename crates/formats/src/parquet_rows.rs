//! [`ParquetRows`]: the rows of a Parquet file. A decoder that panics on a damaged file is an error like any other.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Row;
use parquet::record::reader::RowIter;

/// Values of a column that are unpacked ahead. Each of them may be as long as all of its column in the file.
const VALUES_AHEAD: usize = 16;

/// The rows of a file, one after the other.
pub(crate) struct ParquetRows {
    rows: RowIter<'static>,
    columns: Vec<String>,
}

impl ParquetRows {
    /// Reads the footer of a file.
    pub(crate) fn new(file: File) -> Result<Self, String> {
        catch_decoder_panic(|| {
            let reader = SerializedFileReader::new(file)?;
            let schema = reader.metadata().file_metadata().schema();
            let columns = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
            let rows = RowIter::from_file_into(Box::new(reader)).with_batch_size(VALUES_AHEAD);
            Ok(Self { rows, columns })
        })
    }

    /// The names of the columns.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The next row; nothing at the end.
    pub(crate) fn read(&mut self) -> Result<Option<Row>, String> {
        catch_decoder_panic(|| self.rows.next().transpose())
    }
}

/// What the footer of a file says under a key.
pub(crate) fn footer_value(file: File, key: &str) -> Result<Option<String>, String> {
    catch_decoder_panic(|| {
        let reader = SerializedFileReader::new(file)?;
        let pairs = reader.metadata().file_metadata().key_value_metadata();
        let found = pairs.into_iter().flatten().find(|pair| pair.key == key);
        Ok(found.and_then(|pair| pair.value.clone()))
    })
}

fn catch_decoder_panic<T>(decode: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("its pages are damaged".to_owned()),
    }
}
