//! Evidence as a column: a list of structures for each row.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BooleanBuilder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_schema::{DataType, Field, Fields};
use probare_core::{Evidence, FieldSpan, Outcome};

/// Where something stands, as the members of a structure.
fn place() -> Vec<Field> {
    let text = |name| Field::new(name, DataType::Utf8, true);
    let number = |name| Field::new(name, DataType::Int64, true);
    vec![text("field"), number("index"), text("path"), number("start"), number("end")]
}

/// Members of a piece of evidence, in the order in which files write them.
fn members() -> Vec<Field> {
    let mut members = vec![Field::new("kind", DataType::Utf8, true)];
    members.extend(place());
    members.push(Field::new("text", DataType::Utf8, true));
    members.push(Field::new("cut", DataType::Boolean, true));
    members.push(Field::new("note", DataType::Utf8, true));
    members.push(Field::new("support", DataType::Struct(Fields::from(place())), true));
    members
}

/// The evidence of each result; a row without one has none.
pub fn column<'a>(outcomes: impl Iterator<Item = Option<&'a Outcome>>) -> ArrayRef {
    let mut rows = ListBuilder::new(StructBuilder::from_fields(members(), 0));
    for outcome in outcomes {
        for piece in outcome.iter().flat_map(|outcome| outcome.evidence()) {
            push(rows.values(), piece);
        }
        rows.append(outcome.is_some());
    }
    Arc::new(rows.finish())
}

fn push(column: &mut StructBuilder, piece: &Evidence) {
    text(column, 0, Some(piece.kind.name()));
    push_place(column, 1, piece.place.as_ref());
    text(column, 6, Some(&piece.text));
    if let Some(cut) = column.field_builder::<BooleanBuilder>(7) {
        cut.append_value(piece.cut);
    }
    text(column, 8, piece.note.as_deref());
    if let Some(support) = column.field_builder::<StructBuilder>(9) {
        push_place(support, 0, piece.support.as_ref());
        support.append(piece.support.is_some());
    }
    column.append(true);
}

fn push_place(column: &mut StructBuilder, first: usize, place: Option<&FieldSpan>) {
    text(column, first, place.map(|place| place.field.name()));
    number(column, first + 1, place.and_then(|place| place.index));
    text(column, first + 2, place.and_then(|place| place.path.as_deref()));
    number(column, first + 3, place.map(|place| place.start));
    number(column, first + 4, place.map(|place| place.end));
}

fn text(column: &mut StructBuilder, at: usize, text: Option<&str>) {
    if let Some(texts) = column.field_builder::<StringBuilder>(at) {
        texts.append_option(text);
    }
}

fn number(column: &mut StructBuilder, at: usize, number: Option<usize>) {
    if let Some(numbers) = column.field_builder::<Int64Builder>(at) {
        numbers.append_option(number.and_then(|number| i64::try_from(number).ok()));
    }
}
