//! [`read_options`]: how cases are read again as they were read then.

use probare_core::{BenchmarkError, ReadSettings};
use probare_formats::{FieldMap, ReadOptions};

/// How to read as it was read then.
pub fn read_options(reading: &ReadSettings) -> Result<ReadOptions, BenchmarkError> {
    let longest_row = reading.longest_row.and_then(|bytes| usize::try_from(bytes).ok());
    let fields = FieldMap::from_pairs(reading.mapping.iter().map(|(field, column)| (field, column.clone())));
    Ok(ReadOptions {
        fields: fields.map_err(|error| BenchmarkError::from_error(&error))?,
        format: reading.format.as_deref().map(str::parse).transpose().map_err(BenchmarkError::data)?,
        separator: reading.separator.and_then(|sign| u8::try_from(sign).ok()),
        group: reading.group.as_deref().map(str::parse).transpose().map_err(BenchmarkError::data)?,
        longest_row: longest_row.unwrap_or(ReadOptions::default().longest_row),
    })
}
