//! [`CaseFilter`]: the line that says which cases are meant, in the words of the command line.
//!
//! `token_f1<0.5 status:failed tag:en model:x text~"refund" flipped`: all words have to hold, for one output of the case; a word
//! with `-` before it must not. What is no such word is refused with its place.

use std::fmt;

use probare_core::{ErrorKind, closest};

/// Which cases are meant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseFilter {
    /// What has to hold, all of it.
    pub terms: Vec<FilterTerm>,
}

/// One word of the line.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterTerm {
    /// Whether it must not hold.
    pub is_not: bool,
    /// What is asked.
    pub question: FilterCondition,
}

/// What is asked of an output or its case.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterCondition {
    /// How a number stands to a limit.
    Number(NumericField, ComparisonOperator, f64),
    /// A metric gave this label.
    Label(String, String),
    /// How the sample ended: `scored`, `not_applicable`, `failed` (any error), or a kind of error.
    Status(String),
    /// The case has this tag, or a tag with this value.
    Tag(String),
    /// The model's name has these words.
    Model(String),
    /// The prompt's name has these words.
    Prompt(String),
    /// The name of the data set has these words.
    Dataset(String),
    /// The id is this one.
    Id(String),
    /// The id has these words.
    IdHas(String),
    /// A text of the case or of the output has these words.
    Text(String),
    /// Outputs of the case disagree, by this metric or by any: their labels differ, or they lie on both sides of the middle.
    Flipped(Option<String>),
}

/// A number of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NumericField {
    /// The value of a metric.
    Metric(String),
    /// What the output cost, in US dollars.
    Cost,
    /// How long it took, in milliseconds.
    Latency,
    /// Tokens of the output.
    Tokens,
    /// Which of several outputs, from 0.
    Repeat,
}

/// How a number stands to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// `<`
    Under,
    /// `<=`
    AtMost,
    /// `>`
    Over,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
}

impl ComparisonOperator {
    /// The sign in the line, which is that of SQL.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Under => "<",
            Self::AtMost => "<=",
            Self::Over => ">",
            Self::AtLeast => ">=",
            Self::Equal => "=",
            Self::Unequal => "!=",
        }
    }
}

/// A word that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFilterError {
    /// Where the word begins, in characters, from 1.
    pub at: usize,
    /// The word.
    pub word: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for CaseFilterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` at {}: {}", self.word, self.at, self.reason)
    }
}

impl std::error::Error for CaseFilterError {}

/// A piece of a word: a name, a sign, the rest. Quoted pieces lose their quotes.
struct FilterToken {
    at: usize,
    /// The word as it was written.
    written: String,
    name: String,
    sign: &'static str,
    rest: String,
}

/// Signs between a name and what it is held against, the longer first.
const SIGNS: [&str; 8] = ["<=", ">=", "!=", "<", ">", "=", ":", "~"];

/// Cuts a line into its words.
fn cut(line: &str) -> Result<Vec<FilterToken>, CaseFilterError> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(words);
        }
        let start = line.len() - rest.len();
        let at = line[..start].chars().count() + 1;
        let (mut name, mut after, mut sign, mut quote) = (String::new(), String::new(), "", false);
        let mut end = rest.len();
        let mut skip = 0;
        for (place, character) in rest.char_indices() {
            if place < skip {
                continue;
            }
            let piece = if sign.is_empty() { &mut name } else { &mut after };
            match character {
                '"' => quote = !quote,
                '\\' if quote && rest[place + 1..].starts_with(['"', '\\']) => {
                    piece.push_str(&rest[place + 1..place + 2]);
                    skip = place + 2;
                }
                other if quote => piece.push(other),
                other if other.is_whitespace() => {
                    end = place;
                    break;
                }
                other => match SIGNS.iter().find(|known| sign.is_empty() && rest[place..].starts_with(**known)) {
                    Some(found) => {
                        sign = found;
                        skip = place + found.len();
                    }
                    None => piece.push(other),
                },
            }
        }
        let written = rest[..end].to_owned();
        if quote {
            return Err(CaseFilterError { at, word: written, reason: "a quotation mark is not closed".to_owned() });
        }
        words.push(FilterToken { at, written, name, sign, rest: after });
        rest = &rest[end..];
    }
}

/// Words that are no metrics.
const WORDS: [&str; 12] =
    ["status", "tag", "model", "prompt", "dataset", "id", "text", "flipped", "cost", "latency", "tokens", "repeat"];

impl CaseFilter {
    /// Reads a line; `metrics` are the names of the run's metrics.
    pub fn parse(line: &str, metrics: &[String]) -> Result<Self, CaseFilterError> {
        let terms = cut(line)?.into_iter().map(|word| term(word, metrics)).collect::<Result<_, _>>()?;
        Ok(Self { terms })
    }
}

fn term(word: FilterToken, metrics: &[String]) -> Result<FilterTerm, CaseFilterError> {
    let FilterToken { at, written, name, sign, rest } = word;
    let refused = |reason: String| CaseFilterError { at, word: written.clone(), reason };
    let is_metric = |name: &str| metrics.iter().any(|metric| metric == name);
    let (is_not, name) = match name.strip_prefix('-') {
        Some(name) if !is_metric(&format!("-{name}")) => (true, name.to_owned()),
        _ => (false, name),
    };
    let number = |quantity: NumericField| {
        let relation = match sign {
            "<" => ComparisonOperator::Under,
            "<=" => ComparisonOperator::AtMost,
            ">" => ComparisonOperator::Over,
            ">=" => ComparisonOperator::AtLeast,
            "=" => ComparisonOperator::Equal,
            "!=" => ComparisonOperator::Unequal,
            _ => return Err(refused(format!("write {name} with < <= > >= = or != and a number"))),
        };
        match rest.parse::<f64>() {
            Ok(limit) if limit.is_finite() => Ok(FilterCondition::Number(quantity, relation, limit)),
            _ => Err(refused(format!("`{rest}` is no number"))),
        }
    };
    let words = |make: fn(String) -> FilterCondition, signs: &[&str]| {
        if !signs.contains(&sign) {
            return Err(refused(format!("write {name}{}WORDS", signs[0])));
        }
        if rest.is_empty() { Err(refused("no words are given".to_owned())) } else { Ok(make(rest.clone())) }
    };
    let question = match name.as_str() {
        _ if is_metric(&name) => match sign {
            ":" => FilterCondition::Label(name.clone(), rest.clone()),
            _ => number(NumericField::Metric(name.clone()))?,
        },
        "cost" => number(NumericField::Cost)?,
        "latency" => number(NumericField::Latency)?,
        "tokens" => number(NumericField::Tokens)?,
        "repeat" => number(NumericField::Repeat)?,
        "tag" => words(FilterCondition::Tag, &[":", "="])?,
        "model" => words(FilterCondition::Model, &[":", "=", "~"])?,
        "prompt" => words(FilterCondition::Prompt, &[":", "=", "~"])?,
        "dataset" => words(FilterCondition::Dataset, &[":", "=", "~"])?,
        "id" if sign == "~" => words(FilterCondition::IdHas, &["~"])?,
        "id" => words(FilterCondition::Id, &[":", "="])?,
        "text" => words(FilterCondition::Text, &["~", ":"])?,
        "status" => {
            let known: Vec<&str> =
                ["scored", "not_applicable"].into_iter().chain(ErrorKind::ALL.map(ErrorKind::name)).collect();
            if !known.contains(&rest.as_str()) {
                return Err(refused(format!("a status is one of {}", known.join(", "))));
            }
            words(FilterCondition::Status, &[":", "="])?
        }
        "flipped" => match (sign, is_metric(&rest)) {
            ("", _) => FilterCondition::Flipped(None),
            (":" | "=", true) => FilterCondition::Flipped(Some(rest.clone())),
            _ => return Err(refused(format!("`{rest}` is no metric of this run"))),
        },
        _ if sign.is_empty() => FilterCondition::Text(name.clone()),
        _ => {
            let known = metrics.iter().map(String::as_str).chain(WORDS);
            let hint = match closest(&name, known) {
                Some(similar) => format!("did you mean `{similar}`?"),
                None => format!("known are the metrics of the run and {}", WORDS.join(", ")),
            };
            return Err(refused(format!("there is nothing called `{name}`; {hint}")));
        }
    };
    Ok(FilterTerm { is_not, question })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<FilterTerm>, String> {
        let metrics = ["token_f1".to_owned(), "improved p_at_5".to_owned()];
        CaseFilter::parse(line, &metrics).map(|filter| filter.terms).map_err(|error| error.to_string())
    }

    #[test]
    fn the_line_of_the_guide_is_read() {
        let terms =
            read(r#"token_f1<0.5 status:failed -tag:lang:en model:x text~"a \"refund\"" flipped refund"#).unwrap();
        let questions: Vec<&FilterCondition> = terms.iter().map(|term| &term.question).collect();
        assert_eq!(
            questions,
            [
                &FilterCondition::Number(NumericField::Metric("token_f1".into()), ComparisonOperator::Under, 0.5),
                &FilterCondition::Status("failed".into()),
                &FilterCondition::Tag("lang:en".into()),
                &FilterCondition::Model("x".into()),
                &FilterCondition::Text("a \"refund\"".into()),
                &FilterCondition::Flipped(None),
                &FilterCondition::Text("refund".into()),
            ]
        );
        assert_eq!(terms.iter().map(|term| term.is_not).filter(|not| *not).count(), 1);
        let quoted = read(r#""improved p_at_5">=1 token_f1:wrong repeat=2"#).unwrap();
        assert_eq!(
            quoted[0].question,
            FilterCondition::Number(NumericField::Metric("improved p_at_5".into()), ComparisonOperator::AtLeast, 1.0)
        );
        assert_eq!(quoted[1].question, FilterCondition::Label("token_f1".into(), "wrong".into()));
        assert_eq!(read(" ").unwrap(), []);
    }

    #[test]
    fn what_is_no_word_is_refused_with_its_place() {
        for (line, told) in [
            ("é token_f2<1", "`token_f2<1` at 3: there is nothing called `token_f2`; did you mean `token_f1`?"),
            ("token_f1<x", "`token_f1<x` at 1: `x` is no number"),
            ("token_f1<NaN", "`token_f1<NaN` at 1: `NaN` is no number"),
            ("token_f1", "`token_f1` at 1: write token_f1 with < <= > >= = or != and a number"),
            ("text~\"a", "`text~\"a` at 1: a quotation mark is not closed"),
            ("model:", "`model:` at 1: no words are given"),
            ("flipped:x", "`flipped:x` at 1: `x` is no metric of this run"),
        ] {
            assert_eq!(read(line).unwrap_err(), told);
        }
        assert!(read("status:bad").unwrap_err().contains("one of scored, not_applicable, failed"));
    }

    #[test]
    fn no_line_makes_it_panic() {
        for line in
            ["\"", "\\", "\"\\\"", "a\\b", "<", "<=", ":", "-", "--", "-flipped", "ü<ü", "a=\"é\\\\\"", "\"a\"\"b\""]
        {
            let _ = read(line);
        }
    }
}
