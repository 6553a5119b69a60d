//! Columns that arguments name: `mapping`, `by` and `cluster`. One that no row has is an error, not a silence.

use probare_benchmarks::registry;
use probare_core::{Field, closest};
use probare_formats::FieldMap;
use probare_report::{GroupBy, Summary};

use crate::failure::PyFailure;

/// A mapping to a column that is not there.
pub fn missing_column(field: &str, column: &str, columns: &[String]) -> PyFailure {
    let fault = PyFailure::usage(format!("`mapping` names the column `{column}` for `{field}`, and no row has it"));
    match closest(column, columns.iter().map(String::as_str)) {
        Some(similar) => fault.hint(format!("a similar name exists: mapping={{\"{field}\": \"{similar}\"}}")),
        None if columns.is_empty() => fault,
        None => fault.hint(format!("the columns are {}", columns.join(", "))),
    }
}

/// Two columns of one name are an error: which of them counts would be chance.
pub fn refuse_duplicates(columns: &[String]) -> Result<(), PyFailure> {
    let twice = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name));
    let told = |(_, name): (usize, &String)| {
        PyFailure::usage(format!("there are several columns `{name}`")).hint("give each column a name of its own")
    };
    twice.map(told).map_or(Ok(()), Err)
}

/// Whether there are rows and a metric that scored none of them.
pub fn has_silent_metric(summary: &Summary) -> bool {
    summary.cases > 0 && summary.metrics.iter().any(|metric| metric.scored == 0)
}

/// What to do where nothing was scored because no column holds what metrics need, and some column is none that is known.
pub fn advice(summary: &Summary, fields: &FieldMap, columns: &[String]) -> Option<String> {
    let is_free = |name: &String| !is_read(fields, name);
    if !has_silent_metric(summary) || !columns.iter().any(is_free) {
        return None;
    }
    let proposals = fields.proposals(columns);
    let proposed = |field: Field| proposals.iter().find(|(known, _)| *known == field.name()).map(|(_, column)| *column);
    let is_nothing_scored = summary.metrics.iter().all(|metric| metric.scored == 0);
    let needed = |id: &str| registry().get(id).map(|metric| metric.needs).unwrap_or_default();
    let (mut metrics, mut missing) = (Vec::new(), Vec::new());
    for metric in summary.metrics.iter().filter(|metric| metric.scored == 0) {
        let lacks = |field: &Field| !fields.supplies(*field, columns);
        let lacking: Vec<Field> = needed(&metric.info.id).iter().copied().filter(lacks).collect();
        if lacking.is_empty() || !(is_nothing_scored || lacking.iter().any(|field| proposed(*field).is_some())) {
            continue;
        }
        metrics.push(format!("`{}`", metric.info.name));
        for field in lacking {
            if !missing.contains(&field) {
                missing.push(field);
            }
        }
    }
    let names: Vec<String> = missing.iter().map(|field| format!("`{}`", field.name())).collect();
    let mapping = |field: &Field| format!("\"{}\": \"{}\"", field.name(), proposed(*field).unwrap_or("COLUMN"));
    let mappings: Vec<String> = missing.iter().map(mapping).collect();
    (!metrics.is_empty()).then(|| {
        format!(
            "{} scored no row: no column is known to hold {}; the columns are {}. Name {}: mapping={{{}}}",
            metrics.join(", "),
            names.join(" and "),
            columns.join(", "),
            if names.len() > 1 { "them" } else { "it" },
            mappings.join(", "),
        )
    })
}

/// Whether a column becomes the id or a field of a case.
pub fn is_read(fields: &FieldMap, name: &str) -> bool {
    let columns = [name.to_owned()];
    fields.id_column(|known| known == name).is_some()
        || Field::ALL.into_iter().any(|field| fields.reads(field, &columns))
}

/// Looks for what is named among the columns of rows. Where there are none there is no row either.
pub fn check_columns(
    columns: &[String],
    fields: &FieldMap,
    by: Option<&str>,
    cluster: Option<&str>,
) -> Result<(), PyFailure> {
    if columns.is_empty() {
        return Ok(());
    }
    if let Some((field, column)) = fields.missing_columns(columns).first() {
        return Err(missing_column(field, column, columns));
    }
    // Any text is something to group by.
    if let Some(by) = by.and_then(|by| by.parse::<GroupBy>().ok()) {
        check_by(&by, columns, fields)?;
    }
    if let Some(key) = cluster {
        let key = key.strip_prefix("metadata.").unwrap_or(key);
        if !has_metadata(key, columns, fields) {
            let hint = format!("the columns are {}", columns.join(", "));
            return Err(PyFailure::usage(format!("`cluster` is `{key}`, and no row has such a column")).hint(hint));
        }
    }
    Ok(())
}

fn check_by(by: &GroupBy, columns: &[String], fields: &FieldMap) -> Result<(), PyFailure> {
    match by {
        GroupBy::Both(first, second) => {
            check_by(first, columns, fields)?;
            check_by(second, columns, fields)
        }
        GroupBy::Tags | GroupBy::Tag(_) if !fields.reads(Field::Tags, columns) => {
            let name = by.to_string();
            let by_column = || format!("group by the column: by=\"metadata.{name}\"");
            let hint = if columns.contains(&name) { by_column() } else { BY_HINT.to_owned() };
            Err(PyFailure::usage(format!("`by` is `{name}`, and no row has tags")).hint(hint))
        }
        GroupBy::Metadata(key) if key != "model" && !has_metadata(key, columns, fields) => {
            let similar = closest(key, columns.iter().map(String::as_str));
            let hint = similar
                .map_or_else(|| BY_HINT.to_owned(), |name| format!("a similar name exists: by=\"metadata.{name}\""));
            Err(PyFailure::usage(format!("`by` is `{by}`, and no row has such a column")).hint(hint))
        }
        _ => Ok(()),
    }
}

const BY_HINT: &str = "by=\"tags\", by=\"TAG\" for tags such as TAG:VALUE, by=\"metadata.COLUMN\", by=\"model\"";

fn has_metadata(key: &str, columns: &[String], fields: &FieldMap) -> bool {
    let root = key.split('.').next().unwrap_or(key);
    columns.iter().any(|column| column == key || column == root) || fields.reads(Field::Metadata, columns)
}

/// What can only be known once the cases were seen: whether one of them has what they are grouped by.
pub fn check_groups_found(summary: &Summary) -> Result<(), PyFailure> {
    if summary.cases == 0 {
        return Ok(());
    }
    if let Some(groups) = summary.groups.as_ref().filter(|groups| groups.kept.is_empty()) {
        return Err(PyFailure::usage(format!("`by` is `{}`, which no case has", groups.by)).hint(BY_HINT));
    }
    if let Some(clusters) = summary.clusters.as_ref().filter(|clusters| clusters.count() == 0) {
        return Err(PyFailure::usage(format!("`cluster` is `{}`, which no case has", clusters.column)));
    }
    Ok(())
}
