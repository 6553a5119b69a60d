//! Arrow batches as rows of cases. Values become what they are when the same table is read from a Parquet file.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray, StringViewArray, StructArray};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, TimeUnit};
use probare_formats::{RowTable, TableCell};
use serde_json::{Map, Number, Value as Json};

/// What pandas calls the columns that it makes of an index without a name.
const INDEX: &str = "__index_level_";

/// The columns of a batch.
#[derive(Debug)]
pub struct ArrowColumns {
    columns: Vec<(String, Column)>,
    rows: usize,
}

/// A column; texts, which are most of a case, are lent without a copy.
#[derive(Debug)]
enum Column {
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Other(ArrayRef),
}

impl ArrowColumns {
    /// A batch as it is.
    pub fn new(batch: &RecordBatch) -> Self {
        let columns = batch
            .schema()
            .fields()
            .iter()
            .zip(batch.columns())
            .filter(|(field, _)| !field.name().starts_with(INDEX))
            .map(|(field, array)| (field.name().clone(), Column::new(array)))
            .collect();
        Self { columns, rows: batch.num_rows() }
    }
}

impl Column {
    fn new(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::Utf8 => Self::Text(array.as_string::<i32>().clone()),
            DataType::LargeUtf8 => Self::LargeText(array.as_string::<i64>().clone()),
            DataType::Utf8View => Self::TextView(array.as_string_view().clone()),
            // Categories are spelt out once, for the whole batch.
            DataType::Dictionary(_, values) => match cast(array, values) {
                Ok(spelt_out) => Self::new(&spelt_out),
                Err(_) => Self::Other(ArrayRef::clone(array)),
            },
            _ => Self::Other(ArrayRef::clone(array)),
        }
    }

    fn cell(&self, row: usize) -> Option<TableCell<'_>> {
        let text = match self {
            Self::Text(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::LargeText(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::TextView(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Self::Other(array) => {
                let value = json(array.as_ref(), row);
                return (!value.is_null()).then_some(TableCell::Value(value));
            }
        };
        text.map(TableCell::Text)
    }
}

impl RowTable for ArrowColumns {
    fn rows(&self) -> usize {
        self.rows
    }

    fn row<'a>(&'a self, at: usize, put: &mut dyn FnMut(&'a str, TableCell<'a>)) -> Result<(), String> {
        for (name, column) in &self.columns {
            if let Some(given) = column.cell(at) {
                put(name, given);
            }
        }
        Ok(())
    }
}

/// One value as JSON: times as numbers, bytes as text, decimals as they are written. Arrow has a place for every member of
/// a structure; those without a value are left out, as they are in rows that were never columns.
fn json(array: &dyn Array, row: usize) -> Json {
    if array.is_null(row) {
        return Json::Null;
    }
    match array.data_type() {
        DataType::Null => Json::Null,
        DataType::Boolean => Json::Bool(array.as_boolean().value(row)),
        DataType::Int8 => whole::<Int8Type>(array, row),
        DataType::Int16 => whole::<Int16Type>(array, row),
        DataType::Int32 => whole::<Int32Type>(array, row),
        DataType::Int64 => whole::<Int64Type>(array, row),
        DataType::UInt8 => whole::<UInt8Type>(array, row),
        DataType::UInt16 => whole::<UInt16Type>(array, row),
        DataType::UInt32 => whole::<UInt32Type>(array, row),
        DataType::UInt64 => whole::<UInt64Type>(array, row),
        DataType::Date32 => whole::<Date32Type>(array, row),
        DataType::Date64 => whole::<Date64Type>(array, row),
        DataType::Time32(TimeUnit::Second) => whole::<Time32SecondType>(array, row),
        DataType::Time32(_) => whole::<Time32MillisecondType>(array, row),
        DataType::Time64(TimeUnit::Microsecond) => whole::<Time64MicrosecondType>(array, row),
        DataType::Time64(_) => whole::<Time64NanosecondType>(array, row),
        DataType::Timestamp(TimeUnit::Second, _) => whole::<TimestampSecondType>(array, row),
        DataType::Timestamp(TimeUnit::Millisecond, _) => whole::<TimestampMillisecondType>(array, row),
        DataType::Timestamp(TimeUnit::Microsecond, _) => whole::<TimestampMicrosecondType>(array, row),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => whole::<TimestampNanosecondType>(array, row),
        DataType::Float16 => float(array.as_primitive::<Float16Type>().value(row).to_f64()),
        DataType::Float32 => float(f64::from(array.as_primitive::<Float32Type>().value(row))),
        DataType::Float64 => float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Binary => bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => bytes(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary().value(row)),
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row)),
        DataType::ListView(_) => list(&array.as_list_view::<i32>().value(row)),
        DataType::LargeListView(_) => list(&array.as_list_view::<i64>().value(row)),
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row)),
        DataType::Struct(_) => structure(array.as_struct(), row),
        DataType::Map(..) => entries(&array.as_map().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let key = json(dictionary.keys(), row).as_u64().and_then(|key| usize::try_from(key).ok());
            key.map_or(Json::Null, |key| json(dictionary.values().as_ref(), key))
        }
        _ => array_value_to_string(array, row).map_or(Json::Null, Json::String),
    }
}

fn whole<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Json
where
    Json: From<T::Native>,
{
    array.as_primitive::<T>().value(row).into()
}

fn float(number: f64) -> Json {
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

fn bytes(bytes: &[u8]) -> Json {
    Json::String(String::from_utf8_lossy(bytes).into_owned())
}

fn list(items: &ArrayRef) -> Json {
    Json::Array((0..items.len()).map(|item| json(items.as_ref(), item)).collect())
}

fn structure(array: &StructArray, row: usize) -> Json {
    let members = array.fields().iter().zip(array.columns());
    let object: Map<String, Json> = members
        .map(|(field, column)| (field.name().clone(), json(column.as_ref(), row)))
        .filter(|(_, value)| !value.is_null())
        .collect();
    Json::Object(object)
}

fn entries(pairs: &StructArray) -> Json {
    let [names, values] = pairs.columns() else { return Json::Null };
    let name = |row: usize| match json(names.as_ref(), row) {
        Json::String(name) => name,
        other => other.to_string(),
    };
    let object: Map<String, Json> = (0..pairs.len())
        .map(|row| (name(row), json(values.as_ref(), row)))
        .filter(|(_, value)| !value.is_null())
        .collect();
    Json::Object(object)
}
