//! What a file has and what a mapping asks of it: [`columns`], mapped columns that are missing, mappings worth proposing.

use probare_core::{Field, closest};

use crate::agents::FIELDS;
use crate::cells::column_names;
use crate::fields::names;
use crate::traces::has_member;
use crate::{CaseFileError, CaseFormat, CaseReader, FieldMap, JsonValues, ReadOptions, ValueError};

/// The names of the columns of a file: of its header, of its schema, or of its first row where it is JSON (rows there may
/// differ). A file without rows has none. Of standard input the first rows are gone after this.
///
/// ```
/// use probare_formats::{FieldMap, ReadOptions, columns};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("bot.csv");
/// # std::fs::write(&file, "key;Question;model_answer\n1;Who?;Ada\n")?;
/// # let path = file.to_str().expect("a temporary folder has a plain name");
/// let columns = columns(path, &ReadOptions::default())?;
/// assert_eq!(columns, ["key", "Question", "model_answer"]);
/// let map = FieldMap::parse(&["id=kee"])?;
/// assert_eq!(map.missing_columns(&columns), [("id", "kee")]);
/// assert!(!map.reads(probare_core::Field::Response, &columns));
/// assert_eq!(FieldMap::default().proposals(&columns), [("query", "Question"), ("response", "model_answer")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn columns(path: &str, options: &ReadOptions) -> Result<Vec<String>, CaseFileError> {
    match CaseReader::format_of(path, options)? {
        CaseFormat::Csv | CaseFormat::Tsv | CaseFormat::Parquet => {
            Ok(CaseReader::open(path, options)?.header().unwrap_or_default())
        }
        CaseFormat::Json | CaseFormat::JsonLines => of_first_value(path, options),
        // Spans are no rows.
        CaseFormat::Otlp => Ok(Vec::new()),
    }
}

fn of_first_value(path: &str, options: &ReadOptions) -> Result<Vec<String>, CaseFileError> {
    let broken = |reason: String| CaseFileError::broken(path, "JSON", &reason);
    match JsonValues::open(path, options)?.next() {
        None => Ok(Vec::new()),
        Some(Err(ValueError::Open(error))) => Err(error),
        Some(Err(ValueError::Lost(problem))) => Err(broken(problem.reason)),
        Some(Ok(value)) => {
            let text = String::from_utf8_lossy(&value.bytes);
            let names =
                column_names(&text).map_err(|error| broken(format!("its first row is not an object: {error}")))?;
            let is_traces = options.format.is_none() && has_member(names.iter().map(String::as_str));
            Ok(if is_traces { Vec::new() } else { names })
        }
    }
}

impl FieldMap {
    /// Fields that are mapped to a column that is not among these, with that column. A path with dots is there when its
    /// first step is.
    pub fn missing_columns(&self, columns: &[String]) -> Vec<(&'static str, &str)> {
        let is_there = |path: &str| {
            let root = path.split('.').next().unwrap_or(path);
            columns.iter().any(|column| column == path || column == root)
        };
        self.iter().filter(|(_, column)| !is_there(column)).collect()
    }

    /// The column in which ids stand, where there is one.
    pub fn id_column(&self, has: impl Fn(&str) -> bool) -> Option<&str> {
        match self.column(None) {
            Some(column) => has(column).then_some(column),
            None => names(None).into_iter().find(|name| has(name)),
        }
    }

    /// Whether one of these columns becomes the field.
    pub fn reads(&self, field: Field, columns: &[String]) -> bool {
        let has = |name: &str| columns.iter().any(|column| column == name);
        match self.column(Some(field)) {
            Some(path) => has(path) || path.split('.').next().is_some_and(has),
            None => names(Some(field)).into_iter().any(has),
        }
    }

    /// Whether cases with these columns can have the field: a conversation holds a question and an answer as well.
    pub fn supplies(&self, field: Field, columns: &[String]) -> bool {
        let is_said = matches!(field, Field::Query | Field::Response);
        self.reads(field, columns) || (is_said && self.reads(Field::Messages, columns))
    }

    /// Fields that would be empty with these columns, each with the column that its name speaks for: the same but for
    /// case and signs between words, one that has a name of the field among its words, or one that is nearly it. Columns
    /// that are already a field are not proposed.
    pub fn proposals<'a>(&self, columns: &'a [String]) -> Vec<(&'static str, &'a str)> {
        let has = |name: &str| columns.iter().any(|column| column == name);
        let fields = || std::iter::once(None).chain(Field::ALL.into_iter().map(Some));
        let used_by = |field: Option<Field>| match self.column(field) {
            Some(path) => Some(path.split('.').next().filter(|root| !has(path) && has(root)).unwrap_or(path)),
            None => names(field).into_iter().find(|name| has(name)),
        };
        let mut free: Vec<&'a str> = columns
            .iter()
            .map(String::as_str)
            .filter(|column| !column.is_empty() && fields().all(|field| used_by(field) != Some(column)))
            .collect();
        let mut proposals = Vec::new();
        // What an agent did is told by its form; a name alone proposes nothing.
        let is_named = |field: &Option<Field>| !field.is_some_and(|field| FIELDS.contains(&field));
        for field in fields().filter(is_named).filter(|field| used_by(*field).is_none_or(|column| !has(column))) {
            // `gold_answer` has a name of the response among its words, and is none.
            let is_fit = |column: &&str| field != Some(Field::Response) || !is_about_reference(column);
            let fit: Vec<&'a str> = free.iter().copied().filter(is_fit).collect();
            let wanted = || fit.iter().copied().find(|column| is_about_reference(column));
            let found = best(&names(field), &fit);
            if let Some(column) = found.or_else(|| if field == Some(Field::Reference) { wanted() } else { None }) {
                free.retain(|known| *known != column);
                proposals.push((field.map_or("id", Field::name), column));
            }
        }
        proposals
    }
}

/// Words by which a column says that it holds what is expected, not what was answered.
const EXPECTED: [&str; 8] = ["gold", "golden", "correct", "expected", "ideal", "truth", "target", "reference"];

/// Whether a column holds an answer that is expected, by its name.
fn is_about_reference(column: &str) -> bool {
    words(column).iter().any(|word| EXPECTED.contains(&word.as_str()))
}

fn best<'a>(names: &[&str], columns: &[&'a str]) -> Option<&'a str> {
    let by = |fits: fn(&[String], &[String]) -> bool| {
        names.iter().find_map(|name| columns.iter().copied().find(|column| fits(&words(column), &words(name))))
    };
    by(|column, name| column.concat() == name.concat())
        .or_else(|| by(|column, name| column.windows(name.len().max(1)).any(|part| part == name)))
        // A slip is looked for in the field's own name alone: longer names are near to many others.
        .or_else(|| names.first().filter(|name| name.len() > 3).and_then(|name| closest(name, columns.iter().copied())))
}

/// The words of a name in lower case: `modelOutput`, `model-output` and `Model output` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: &[&str], mapping: &[&str]) -> Vec<String> {
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let map = FieldMap::parse(mapping).unwrap();
        map.proposals(&columns).iter().map(|(field, column)| format!("{field}={column}")).collect()
    }

    #[test]
    fn a_column_is_proposed_for_the_field_that_its_name_speaks_for() {
        assert_eq!(of(&["Response", "userQuestion"], &[]), ["query=userQuestion", "response=Response"]);
        assert_eq!(of(&["respones", "Ground Truth"], &[]), ["response=respones", "reference=Ground Truth"]);
        assert_eq!(of(&["colour", "price"], &[]), Vec::<String>::new());
    }

    #[test]
    fn what_is_a_field_already_is_not_proposed() {
        assert_eq!(of(&["answer", "model_output"], &[]), Vec::<String>::new());
        assert_eq!(of(&["model_output", "model_answer"], &["response=model_output"]), Vec::<String>::new());
        assert_eq!(of(&["model_output"], &["response=no_such_column"]), ["response=model_output"]);
    }

    #[test]
    fn a_conversation_supplies_question_and_answer() {
        let supplied = |columns: &[&str], field| {
            let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
            FieldMap::default().supplies(field, &columns)
        };
        for field in [Field::Query, Field::Response] {
            assert!(supplied(&["id", "messages"], field) && !supplied(&["id", "context"], field));
        }
        assert!(!supplied(&["messages"], Field::Reference) && supplied(&["messages", "target"], Field::Reference));
    }

    #[test]
    fn a_mapped_column_that_does_not_exist_is_missing() {
        let columns = ["a".to_owned(), "b.c".to_owned()];
        let map = FieldMap::parse(&["id=a.x.0", "query=b.c", "response=b", "tags=d.e"]).unwrap();
        assert_eq!(map.missing_columns(&columns), [("response", "b"), ("tags", "d.e")]);
    }
}
