//! [`CaseFilter`]: the line that says which cases are meant, in the words of the command line.
//!
//! `token_f1<0.5 status:failed tag:en model:x text~"refund" flipped`: all conditions have to hold, for one output of the case.
//! `OR` between two of them, `NOT` or `-` before one, and parentheses are understood; so are spaces around a sign. What is no
//! condition is refused with its place.

use std::fmt;

use probare_core::{ErrorKind, closest};

/// Which cases are meant.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseFilter {
    /// All of these hold; an empty line means every case.
    All(Vec<CaseFilter>),
    /// One of these holds.
    Any(Vec<CaseFilter>),
    /// This does not hold.
    Not(Box<CaseFilter>),
    /// One condition.
    Is(FilterCondition),
}

impl Default for CaseFilter {
    fn default() -> Self {
        Self::All(Vec::new())
    }
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
    /// Whether a piece of it stands in quotation marks, so that it is no operator.
    is_quoted: bool,
}

/// What joins conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    And,
    Or,
    Not,
}

impl FilterToken {
    fn word(at: usize, word: &str) -> Self {
        Self { at, written: word.to_owned(), name: word.to_owned(), sign: "", rest: String::new(), is_quoted: false }
    }

    fn keyword(&self) -> Option<Keyword> {
        if self.is_quoted || !self.sign.is_empty() {
            return None;
        }
        match self.name.as_str() {
            "AND" => Some(Keyword::And),
            "OR" => Some(Keyword::Or),
            "NOT" => Some(Keyword::Not),
            _ => None,
        }
    }

    /// What it asks of a case.
    fn condition(&self, metrics: &[String]) -> Result<FilterCondition, CaseFilterError> {
        let (name, sign, rest) = (&self.name, self.sign, &self.rest);
        match name.as_str() {
            _ if metrics.contains(name) => match sign {
                ":" => Ok(FilterCondition::Label(name.clone(), rest.clone())),
                _ => self.number(NumericField::Metric(name.clone())),
            },
            "cost" => self.number(NumericField::Cost),
            "latency" => self.number(NumericField::Latency),
            "tokens" => self.number(NumericField::Tokens),
            "repeat" => self.number(NumericField::Repeat),
            "tag" => self.words(FilterCondition::Tag, &[":", "="]),
            "model" => self.words(FilterCondition::Model, &[":", "=", "~"]),
            "prompt" => self.words(FilterCondition::Prompt, &[":", "=", "~"]),
            "dataset" => self.words(FilterCondition::Dataset, &[":", "=", "~"]),
            "id" if sign == "~" => self.words(FilterCondition::IdHas, &["~"]),
            "id" => self.words(FilterCondition::Id, &[":", "="]),
            "text" => self.words(FilterCondition::Text, &["~", ":"]),
            "status" => {
                let known: Vec<&str> =
                    ["scored", "not_applicable"].into_iter().chain(ErrorKind::ALL.map(ErrorKind::name)).collect();
                if !known.contains(&rest.as_str()) {
                    return Err(self.refuse(format!("a status is one of {}", known.join(", "))));
                }
                self.words(FilterCondition::Status, &[":", "="])
            }
            "flipped" => match (sign, metrics.contains(rest)) {
                ("", _) => Ok(FilterCondition::Flipped(None)),
                (":" | "=", true) => Ok(FilterCondition::Flipped(Some(rest.clone()))),
                _ => Err(self.refuse(format!("`{rest}` is not a metric of this run"))),
            },
            _ if sign.is_empty() && name.is_empty() && !self.is_quoted => {
                Err(self.refuse("no words are given".to_owned()))
            }
            _ if sign.is_empty() => Ok(FilterCondition::Text(name.clone())),
            _ => {
                let known = metrics.iter().map(String::as_str).chain(WORDS);
                let hint = match closest(name, known) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => format!("known are the metrics of the run and {}", WORDS.join(", ")),
                };
                Err(self.refuse(format!("there is nothing called `{name}`; {hint}")))
            }
        }
    }

    fn number(&self, quantity: NumericField) -> Result<FilterCondition, CaseFilterError> {
        let Self { name, rest, .. } = self;
        let relation = match self.sign {
            "<" => ComparisonOperator::Under,
            "<=" => ComparisonOperator::AtMost,
            ">" => ComparisonOperator::Over,
            ">=" => ComparisonOperator::AtLeast,
            "=" => ComparisonOperator::Equal,
            "!=" => ComparisonOperator::Unequal,
            _ => return Err(self.refuse(format!("write {name} with < <= > >= = or != and a number"))),
        };
        match rest.parse::<f64>() {
            Ok(limit) if limit.is_finite() => Ok(FilterCondition::Number(quantity, relation, limit)),
            _ => Err(self.refuse(format!("`{rest}` is not a number"))),
        }
    }

    fn words(&self, make: fn(String) -> FilterCondition, signs: &[&str]) -> Result<FilterCondition, CaseFilterError> {
        if !signs.contains(&self.sign) {
            return Err(self.refuse(format!("write {}{}WORDS", self.name, signs[0])));
        }
        if self.rest.is_empty() {
            return Err(self.refuse("no words are given".to_owned()));
        }
        Ok(make(self.rest.clone()))
    }

    fn refuse(&self, reason: String) -> CaseFilterError {
        CaseFilterError { at: self.at, word: self.written.clone(), reason }
    }
}

/// Signs between a name and what it is held against, the longer first.
const SIGNS: [&str; 8] = ["<=", ">=", "!=", "<", ">", "=", ":", "~"];

/// A piece of a line.
enum FilterPiece {
    Token(FilterToken),
    Open(usize),
    Close(usize),
}

/// Cuts a line into its words and parentheses.
fn cut(line: &str) -> Result<Vec<FilterPiece>, CaseFilterError> {
    let mut pieces = Vec::new();
    let mut depth = 0_usize;
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            return Ok(pieces);
        }
        let start = line.len() - rest.len();
        let at = line[..start].chars().count() + 1;
        let opening = if rest.starts_with("-(") { 2 } else { usize::from(rest.starts_with('(')) };
        if opening > 0 {
            if opening == 2 {
                pieces.push(FilterPiece::Token(FilterToken::word(at, "NOT")));
            }
            pieces.push(FilterPiece::Open(at));
            depth += 1;
            rest = &rest[opening..];
            continue;
        }
        if rest.starts_with(')') {
            pieces.push(FilterPiece::Close(at));
            depth = depth.saturating_sub(1);
            rest = &rest[1..];
            continue;
        }
        let (token, length) = cut_token(rest, at, depth > 0)?;
        pieces.push(FilterPiece::Token(token));
        rest = &rest[length..];
    }
}

/// The word at the start of a text, and how long it is. Inside of parentheses one that closes more than the word opens ends it.
fn cut_token(rest: &str, at: usize, is_inside: bool) -> Result<(FilterToken, usize), CaseFilterError> {
    let (mut name, mut after, mut sign, mut quote) = (String::new(), String::new(), "", false);
    let (mut end, mut skip, mut opened, mut is_quoted) = (rest.len(), 0, 0_usize, false);
    for (place, character) in rest.char_indices() {
        if place < skip {
            continue;
        }
        let piece = if sign.is_empty() { &mut name } else { &mut after };
        match character {
            '"' => (quote, is_quoted) = (!quote, true),
            '\\' if quote && rest[place + 1..].starts_with(['"', '\\']) => {
                piece.push_str(&rest[place + 1..place + 2]);
                skip = place + 2;
            }
            other if quote => piece.push(other),
            other if other.is_whitespace() => {
                end = place;
                break;
            }
            ')' if is_inside && opened == 0 => {
                end = place;
                break;
            }
            other => {
                let found = SIGNS.iter().find(|known| sign.is_empty() && rest[place..].starts_with(**known));
                if let Some(found) = found {
                    sign = found;
                    skip = place + found.len();
                    continue;
                }
                match other {
                    '(' => opened += 1,
                    ')' => opened = opened.saturating_sub(1),
                    _ => {}
                }
                piece.push(other);
            }
        }
    }
    let written = rest[..end].to_owned();
    if quote {
        return Err(CaseFilterError { at, word: written, reason: "a quotation mark is not closed".to_owned() });
    }
    Ok((FilterToken { at, written, name, sign, rest: after, is_quoted }, end))
}

/// Joins what spaces around a sign have cut: `token_f1 < 0.5`.
fn join_spaced(pieces: Vec<FilterPiece>) -> Vec<FilterPiece> {
    let mut joined: Vec<FilterPiece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if let (FilterPiece::Token(next), Some(FilterPiece::Token(last))) = (&piece, joined.last_mut()) {
            let is_sign = next.name.is_empty() && !next.sign.is_empty() && !next.is_quoted;
            let lacks_rest = !last.sign.is_empty() && last.rest.is_empty() && !last.written.ends_with('"');
            let is_plain = next.sign.is_empty() && next.keyword().is_none();
            if is_sign && last.sign.is_empty() && last.keyword().is_none() {
                (last.sign, last.rest) = (next.sign, next.rest.clone());
                last.written = format!("{} {}", last.written, next.written);
                continue;
            }
            if lacks_rest && is_plain {
                last.rest.clone_from(&next.name);
                last.written = format!("{} {}", last.written, next.written);
                continue;
            }
        }
        joined.push(piece);
    }
    joined
}

/// Words that are no metrics.
const WORDS: [&str; 12] =
    ["status", "tag", "model", "prompt", "dataset", "id", "text", "flipped", "cost", "latency", "tokens", "repeat"];

/// Most conditions of a line, and parentheses inside of each other.
const MOST_CONDITIONS: usize = 100;
const DEEPEST: usize = 20;

impl CaseFilter {
    /// Reads a line; `metrics` are the names of the run's metrics.
    pub fn parse(line: &str, metrics: &[String]) -> Result<Self, CaseFilterError> {
        let pieces = join_spaced(cut(line)?);
        if pieces.len() > 2 * MOST_CONDITIONS {
            let reason = format!("a filter has at most {MOST_CONDITIONS} conditions");
            return Err(CaseFilterError { at: 1, word: line.chars().take(40).collect(), reason });
        }
        let end = line.chars().count() + 1;
        let mut reader = FilterReader { pieces: pieces.into_iter().peekable(), metrics, end, depth: 0 };
        let filter = reader.any()?;
        match reader.pieces.next() {
            None => Ok(filter),
            Some(FilterPiece::Close(at)) => Err(refuse(at, ")", "no parenthesis is open")),
            Some(FilterPiece::Open(at)) => Err(refuse(at, "(", "a condition is expected")),
            Some(FilterPiece::Token(token)) => Err(refuse(token.at, &token.written, "a condition is expected")),
        }
    }

    /// A name or a word as a filter reads it: in quotation marks where it has to be.
    pub fn quote(word: &str) -> String {
        let is_plain = |sign: char| !sign.is_whitespace() && !"\"\\()<>=:~!".contains(sign);
        if !word.is_empty()
            && word.chars().all(is_plain)
            && !word.starts_with('-')
            && !["AND", "OR", "NOT"].contains(&word)
        {
            return word.to_owned();
        }
        format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
    }

    /// The conditions, wherever they stand.
    pub fn conditions(&self) -> Vec<&FilterCondition> {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::conditions).collect(),
            Self::Not(part) => part.conditions(),
            Self::Is(condition) => vec![condition],
        }
    }
}

fn refuse(at: usize, word: &str, reason: &str) -> CaseFilterError {
    CaseFilterError { at, word: word.to_owned(), reason: reason.to_owned() }
}

/// Reads the pieces of a line: `OR` binds least, then what stands side by side, then `NOT`.
struct FilterReader<'a> {
    pieces: std::iter::Peekable<std::vec::IntoIter<FilterPiece>>,
    metrics: &'a [String],
    /// Where the line ends.
    end: usize,
    depth: usize,
}

impl FilterReader<'_> {
    fn keyword(&mut self) -> Option<Keyword> {
        match self.pieces.peek() {
            Some(FilterPiece::Token(token)) => token.keyword(),
            _ => None,
        }
    }

    fn any(&mut self) -> Result<CaseFilter, CaseFilterError> {
        let first = self.all()?;
        let mut parts = vec![first];
        while self.keyword() == Some(Keyword::Or) {
            self.pieces.next();
            self.expect_condition("OR")?;
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { CaseFilter::Any(parts) })
    }

    fn all(&mut self) -> Result<CaseFilter, CaseFilterError> {
        let mut parts = Vec::new();
        loop {
            match self.pieces.peek() {
                None | Some(FilterPiece::Close(_)) => break,
                Some(FilterPiece::Open(_)) => parts.push(self.condition()?),
                Some(FilterPiece::Token(token)) => match token.keyword() {
                    Some(Keyword::Or) if parts.is_empty() => {
                        return Err(refuse(token.at, "OR", "a condition is expected before it"));
                    }
                    Some(Keyword::Or) => break,
                    Some(Keyword::And) if parts.is_empty() => {
                        return Err(refuse(token.at, "AND", "a condition is expected before it"));
                    }
                    Some(Keyword::And) => {
                        self.pieces.next();
                        self.expect_condition("AND")?;
                    }
                    _ => parts.push(self.condition()?),
                },
            }
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { CaseFilter::All(parts) })
    }

    /// Refuses an operator behind which nothing stands.
    fn expect_condition(&mut self, operator: &str) -> Result<(), CaseFilterError> {
        let is_there = match self.pieces.peek() {
            Some(FilterPiece::Token(token)) => !matches!(token.keyword(), Some(Keyword::And | Keyword::Or)),
            Some(FilterPiece::Open(_)) => true,
            _ => false,
        };
        if is_there { Ok(()) } else { Err(refuse(self.end, operator, "a condition is expected behind it")) }
    }

    fn condition(&mut self) -> Result<CaseFilter, CaseFilterError> {
        match self.pieces.next() {
            Some(FilterPiece::Open(at)) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(refuse(at, "(", "the parentheses are nested too deeply"));
                }
                let inside = self.any()?;
                self.depth -= 1;
                match self.pieces.next() {
                    Some(FilterPiece::Close(_)) if inside == CaseFilter::default() => {
                        Err(refuse(at, "()", "a condition is expected inside"))
                    }
                    Some(FilterPiece::Close(_)) => Ok(inside),
                    _ => Err(refuse(at, "(", "the parenthesis is not closed")),
                }
            }
            Some(FilterPiece::Token(token)) if token.keyword() == Some(Keyword::Not) => {
                self.expect_condition("NOT")?;
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(refuse(token.at, "NOT", "too many of them"));
                }
                let part = self.condition()?;
                self.depth -= 1;
                Ok(CaseFilter::Not(Box::new(part)))
            }
            Some(FilterPiece::Token(token)) => condition(token, self.metrics),
            Some(FilterPiece::Close(at)) => Err(refuse(at, ")", "a condition is expected")),
            None => Err(refuse(self.end, "", "a condition is expected")),
        }
    }
}

fn condition(mut token: FilterToken, metrics: &[String]) -> Result<CaseFilter, CaseFilterError> {
    let is_not = token.name.starts_with('-') && !token.written.starts_with('"') && !metrics.contains(&token.name);
    if is_not {
        token.name.remove(0);
    }
    let condition = CaseFilter::Is(token.condition(metrics)?);
    Ok(if is_not { CaseFilter::Not(Box::new(condition)) } else { condition })
}

#[cfg(test)]
mod tests {
    use probare_core::{
        Better, Case, CaseResult, LabelOnly, MetricInfo, MetricResult, Outcome, Output, SampleKey, Score, ScoreError,
        ScoreParts,
    };
    use serde::Deserialize;

    use super::*;
    use crate::{CaseOrder, RunNames, RunPlan, Store, StoreWriter, TextIndex};

    fn read(line: &str) -> Result<CaseFilter, String> {
        let metrics = ["token_f1".to_owned(), "improved p_at_5".to_owned()];
        CaseFilter::parse(line, &metrics).map_err(|error| error.to_string())
    }

    /// The tree of a filter in a few signs.
    fn tree(filter: &CaseFilter) -> String {
        let join =
            |parts: &[CaseFilter], sign: &str| format!("({})", parts.iter().map(tree).collect::<Vec<_>>().join(sign));
        match filter {
            CaseFilter::All(parts) => join(parts, " & "),
            CaseFilter::Any(parts) => join(parts, " | "),
            CaseFilter::Not(part) => format!("!{}", tree(part)),
            CaseFilter::Is(FilterCondition::Number(NumericField::Metric(name), sign, limit)) => {
                format!("{name}{}{limit}", sign.sign())
            }
            CaseFilter::Is(FilterCondition::Text(words)) => words.clone(),
            CaseFilter::Is(FilterCondition::Tag(words)) => format!("#{words}"),
            CaseFilter::Is(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn the_line_of_the_guide_is_read() {
        let line = r#"token_f1<0.5 status:failed -tag:lang:en model:x text~"a \"refund\"" flipped refund"#;
        let filter = read(line).unwrap();
        let conditions = filter.conditions();
        assert_eq!(
            conditions,
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
        let quoted = read(r#""improved p_at_5">=1 token_f1:wrong repeat=2"#).unwrap();
        assert_eq!(
            quoted.conditions()[..2],
            [
                &FilterCondition::Number(
                    NumericField::Metric("improved p_at_5".into()),
                    ComparisonOperator::AtLeast,
                    1.0
                ),
                &FilterCondition::Label("token_f1".into(), "wrong".into()),
            ]
        );
        assert_eq!(read(" ").unwrap(), CaseFilter::default());
    }

    #[test]
    fn conditions_are_joined_as_people_write_them() {
        for (line, expected) in [
            ("token_f1<0.5 OR tag:en refund", "(token_f1<0.5 | (#en & refund))"),
            ("(token_f1 < 0.5 OR tag:en) refund", "((token_f1<0.5 | #en) & refund)"),
            ("token_f1 <0.5 AND -refund", "(token_f1<0.5 & !refund)"),
            ("token_f1< 0.5 NOT (a OR b)", "(token_f1<0.5 & !(a | b))"),
            ("-(a b)", "!(a & b)"),
            ("f(x) (g(y))", "(f(x) & g(y))"),
            ("or \"OR\" and", "(or & OR & and)"),
            ("tag: en", "#en"),
            ("a)b", "a)b"),
        ] {
            assert_eq!(tree(&read(line).unwrap()), expected, "{line}");
        }
    }

    #[test]
    fn a_quoted_word_is_read_as_it_was() {
        for word in ["plain", "two words", "a\"b\\c", "-x", "OR", "(a", "<b>", "", "\u{200b}"] {
            let filter = read(&format!("tag:{}", CaseFilter::quote(word)));
            if word.is_empty() {
                assert!(filter.is_err());
            } else {
                assert_eq!(filter.unwrap(), CaseFilter::Is(FilterCondition::Tag(word.to_owned())), "{word}");
            }
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_its_place() {
        for (line, told) in [
            ("é token_f2<1", "`token_f2<1` at 3: there is nothing called `token_f2`; did you mean `token_f1`?"),
            ("token_f1<x", "`token_f1<x` at 1: `x` is not a number"),
            ("token_f1<NaN", "`token_f1<NaN` at 1: `NaN` is not a number"),
            ("token_f1", "`token_f1` at 1: write token_f1 with < <= > >= = or != and a number"),
            ("text~\"a", "`text~\"a` at 1: a quotation mark is not closed"),
            ("model:", "`model:` at 1: no words are given"),
            ("flipped:x", "`flipped:x` at 1: `x` is not a metric of this run"),
            ("a OR", "`OR` at 5: a condition is expected behind it"),
            ("OR a", "`OR` at 1: a condition is expected before it"),
            ("a OR OR b", "`OR` at 10: a condition is expected behind it"),
            ("(a", "`(` at 1: the parenthesis is not closed"),
            ("a ()", "`()` at 3: a condition is expected inside"),
            ("a )", "`)` at 3: no parenthesis is open"),
            ("NOT", "`NOT` at 4: a condition is expected behind it"),
            ("-", "`-` at 1: no words are given"),
        ] {
            assert_eq!(read(line).unwrap_err(), told, "{line}");
        }
        assert!(read("status:bad").unwrap_err().contains("one of scored, not_applicable, failed"));
        assert!(read(&"(".repeat(30)).unwrap_err().contains("nested too deeply"));
        assert!(read(&"a ".repeat(300)).unwrap_err().contains("at most 100 conditions"));
    }

    #[test]
    fn no_line_makes_it_panic() {
        for line in [
            "\"",
            "\\",
            "\"\\\"",
            "a\\b",
            "<",
            "<=",
            ":",
            "-",
            "--",
            "-flipped",
            "ü<ü",
            "a=\"é\\\\\"",
            "\"a\"\"b\"",
            "(",
            ")",
            "-(",
            "()",
            "NOT NOT",
            "< <",
            "a < < b",
            "tag: OR",
            "ü (ü)",
        ] {
            let _ = read(line);
        }
    }
    /// What a page that is one file reads alike.
    #[derive(Deserialize)]
    struct FilterExamples {
        metrics: Vec<ExampleMetric>,
        models: Vec<String>,
        prompts: Vec<String>,
        samples: Vec<ExampleSample>,
        /// Lines, and the cases that they keep.
        kept: Vec<(String, Vec<String>)>,
        /// Lines, and why they are refused.
        refused: Vec<(String, String)>,
        /// Words as they are, and as a line has them.
        quoted: Vec<(String, String)>,
    }

    #[derive(Deserialize)]
    struct ExampleMetric {
        name: String,
        range: (Option<f64>, Option<f64>),
    }

    #[derive(Deserialize)]
    struct ExampleSample {
        id: String,
        tags: Vec<String>,
        query: String,
        model: Option<String>,
        prompt: Option<String>,
        repeat: u32,
        response: String,
        scores: Vec<Option<ExampleScore>>,
    }

    #[derive(Deserialize)]
    struct ExampleScore {
        value: Option<f64>,
        label: Option<String>,
        error: Option<ErrorKind>,
    }

    impl ExampleMetric {
        fn info(&self) -> MetricInfo {
            MetricInfo {
                name: self.name.clone(),
                id: self.name.clone().into(),
                summary: "".into(),
                better: Better::Higher,
                range: (self.range.0.unwrap_or(f64::NEG_INFINITY), self.range.1.unwrap_or(f64::INFINITY)),
                version: 1,
                profile: None,
                options: serde_json::Value::Null,
                decision_thresholds: None,
                is_descriptive: false,
                code: None,
            }
        }
    }

    impl ExampleScore {
        fn result(&self) -> MetricResult {
            let label = self.label.clone().map(Into::into);
            match (self.value, label, self.error) {
                (_, _, Some(kind)) => Err(ScoreError::other(kind, "")),
                (Some(value), label, None) => Ok(Outcome::Scored(Score { label, ..Score::from_number(value)? })),
                (None, label, None) => Ok(Outcome::Labelled(LabelOnly {
                    label: label.unwrap(),
                    by: None,
                    parts: ScoreParts::EMPTY,
                    evidence: Vec::new(),
                })),
            }
        }
    }

    impl FilterExamples {
        /// Writes the samples into a store; gives the run and the ids of its rows.
        fn store(&self, store: &Store, metrics: &[MetricInfo]) -> (i64, Vec<&str>) {
            let run = store.begin(&RunPlan::default()).unwrap();
            let names = RunNames {
                datasets: vec!["examples".to_owned()],
                models: self.models.clone(),
                prompts: self.prompts.clone(),
            };
            let writer = StoreWriter::open(store, run, names).unwrap();
            let number = |names: &[String], name: Option<&String>| {
                name.map(|name| u32::try_from(names.iter().position(|known| known == name).unwrap()).unwrap())
            };
            let mut rows: Vec<&str> = Vec::new();
            for sample in &self.samples {
                if !rows.contains(&sample.id.as_str()) {
                    rows.push(&sample.id);
                }
                let row = rows.iter().position(|id| *id == sample.id).unwrap();
                let key = SampleKey {
                    row: u64::try_from(row).unwrap(),
                    model: number(&self.models, sample.model.as_ref()),
                    prompt: number(&self.prompts, sample.prompt.as_ref()),
                    repeat: sample.repeat,
                    ..SampleKey::default()
                };
                let case = Case {
                    id: sample.id.clone(),
                    query: Some(sample.query.clone()),
                    response: Some(Output::new(sample.response.clone())),
                    tags: sample.tags.clone(),
                    sample: Some(key),
                    ..Case::default()
                };
                let not_applicable = || Ok(Outcome::not_applicable(""));
                let result = |score: Option<&ExampleScore>| score.map_or_else(not_applicable, ExampleScore::result);
                let results = sample.scores.iter().map(|score| result(score.as_ref())).collect();
                writer.results(&CaseResult::new(case, results), metrics).unwrap();
            }
            writer.close().unwrap();
            (run, rows)
        }
    }

    #[test]
    fn the_store_and_a_page_that_is_one_file_read_a_line_alike() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/viewer/filters.json");
        let examples: FilterExamples = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let metrics: Vec<MetricInfo> = examples.metrics.iter().map(ExampleMetric::info).collect();
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        for (line, told) in &examples.refused {
            let error = CaseFilter::parse(line, &names).unwrap_err();
            assert_eq!(error.to_string(), *told, "{line}");
        }
        for (word, quoted) in &examples.quoted {
            assert_eq!(CaseFilter::quote(word), *quoted);
        }
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db")).unwrap();
        let (run, rows) = examples.store(&store, &metrics);
        let mut texts = TextIndex::new(store.path()).unwrap();
        texts.update(&store, run).unwrap();
        for (line, ids) in &examples.kept {
            let filter = CaseFilter::parse(line, &names).unwrap_or_else(|error| panic!("{line}: {error}"));
            let found = store.fitting(run, &metrics, &filter, &CaseOrder::Input, Some(&texts)).unwrap();
            let found: Vec<&str> = found.into_iter().map(|(_, row)| rows[usize::try_from(row).unwrap()]).collect();
            assert_eq!(found, *ids, "{line}");
        }
    }
}
