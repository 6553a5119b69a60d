//! `is-sql` and `contains-sql`: the rules around the parser of the original, and the parser where somebody may run it.
//!
//! promptfoo asks `node-sql-parser`, which no parser here agrees with. Where the rules decide, there is a verdict; else the
//! parser itself is asked, and without one the assertion is not run.

use serde_json::Value;

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;

/// Whoever may run `node-sql-parser`: gets a text and the value of the assertion, gives what is wrong with the text.
pub type SqlParser<'a> = &'a dyn Fn(&str, &Value) -> Result<Option<String>, Fault>;

/// The code, in JavaScript, that asks the parser: the package is the user's own, beside the configuration.
pub const SQL_SCRIPT: &str = include_str!("sql.js");

/// Dialects that the original knows.
const DIALECTS: [&str; 16] = [
    "athena",
    "bigquery",
    "db2",
    "flinksql",
    "hive",
    "mariadb",
    "mysql",
    "noql",
    "postgresql",
    "redshift",
    "snowflake",
    "sqlite",
    "transactsql",
    "trino",
    "postgresqls",
    "bigquerys",
];

pub(crate) fn is_sql(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    statement(&answer.text, options(assertion)?, answer)
}

/// The value of an assertion: an object, or nothing.
fn options(assertion: &Assertion) -> Result<&Value, Fault> {
    match &assertion.value {
        Some(value) if value.is_object() => Ok(value),
        Some(value) if js::is_truthy(value) => error(format!("`{}` needs an object, or nothing", assertion.name())),
        _ => Ok(&Value::Null),
    }
}

fn statement(text: &str, options: &Value, answer: &Answer<'_>) -> AssertionResult {
    let fails = |reason: &str| Ok(Verdict::new(false).because(reason));
    let dialect = options.get("databaseType").and_then(Value::as_str).filter(|name| !name.is_empty());
    // The rules know two dialects by their very names.
    let dialect = dialect.unwrap_or("MySQL");
    if js::trim(text).is_empty() {
        return fails("the answer is blank");
    }
    if !DIALECTS.contains(&dialect.to_lowercase().as_str()) {
        return fails("the dialect is not known to promptfoo");
    }
    if text.matches('`').count() % 2 == 1 {
        return fails("the number of backticks is odd");
    }
    if lacks_comma(&tokens(text, dialect), dialect) {
        return fails("it looks as if a comma were missing between two columns");
    }
    if dialect == "MySQL" && calls_generate_series(text) {
        return fails("MySQL has no `generate_series`");
    }
    let Some(parser) = answer.sql else {
        return Err(Fault::NotRun("SQL is parsed by `node-sql-parser` alone, which is not run".to_owned()));
    };
    match parser(text, options)? {
        Some(reason) => fails(&reason),
        None => Ok(Verdict::new(true)),
    }
}

fn calls_generate_series(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.match_indices("generate_series").any(|(at, name)| {
        let is_start = !text[..at].ends_with(is_word);
        is_start && text[at + name.len()..].trim_start_matches(js::is_space).starts_with('(')
    })
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Words and signs of a statement without comments. A text or a name in quotation marks is `?`.
fn tokens<'a>(sql: &'a str, dialect: &str) -> Vec<&'a str> {
    let has_brackets = matches!(dialect, "TransactSQL" | "Sqlite");
    let (mut found, mut rest) = (Vec::new(), sql);
    while let Some(first) = rest.chars().next() {
        let (length, token) = match first {
            '\'' | '"' | '`' => (quoted_length(rest, first), Some("?")),
            '[' if has_brackets => (quoted_length(rest, ']'), Some("?")),
            '#' => (rest.find(['\r', '\n']).unwrap_or(rest.len()), None),
            '-' if rest.starts_with("--") => (rest.find(['\r', '\n']).unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => (rest[2..].find("*/").map_or(rest.len(), |at| at + 4), None),
            '$' => match dollar_mark(rest) {
                Some(mark) => (rest[mark.len()..].find(mark).map_or(rest.len(), |at| at + 2 * mark.len()), Some("?")),
                None => (1, Some("$")),
            },
            letter if is_word(letter) => {
                let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
                (length, Some(&rest[..length]))
            }
            sign => (sign.len_utf8(), (!js::is_space(sign)).then(|| &rest[..sign.len_utf8()])),
        };
        found.extend(token);
        rest = &rest[length..];
    }
    found
}

/// How long a text in quotation marks is: a mark that is doubled or stands behind a backslash does not end it. Names in
/// brackets know no backslash.
fn quoted_length(text: &str, closing: char) -> usize {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        let is_doubled = letter == closing && letters.peek().is_some_and(|(_, next)| *next == closing);
        if is_doubled || (letter == '\\' && closing != ']') {
            letters.next();
        } else if letter == closing {
            return at + 1;
        }
    }
    text.len()
}

/// `$$` or `$name$`, which opens a text in PostgreSQL.
fn dollar_mark(text: &str) -> Option<&str> {
    let end = 1 + text[1..].find('$')?;
    let name = &text[1..end];
    (name.chars().all(is_word) && !name.starts_with(|letter: char| letter.is_ascii_digit())).then(|| &text[..=end])
}

/// Whether `select`, but for modifiers, is followed by two words and `from`.
fn lacks_comma(tokens: &[&str], dialect: &str) -> bool {
    let lower: Vec<String> = tokens.iter().map(|token| token.to_ascii_lowercase()).collect();
    let is_modifier = |word: &String| {
        let is_mysql = matches!(dialect, "MySQL" | "MariaDB") && MYSQL_MODIFIERS.contains(&word.as_str());
        is_mysql || matches!(word.as_str(), "all" | "distinct")
    };
    let is_name = |word: &String| word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let selects = lower.iter().enumerate().filter(|(_, word)| *word == "select");
    selects.map(|(at, _)| &lower[at + 1..]).any(|rest| {
        let modifiers = rest.iter().take_while(|word| is_modifier(word)).count();
        matches!(&rest[modifiers..], [first, second, from, ..] if is_name(first) && is_name(second) && from == "from")
    })
}

/// Words that `MySQL` knows between `select` and the first column.
const MYSQL_MODIFIERS: [&str; 9] = [
    "distinctrow",
    "high_priority",
    "sql_big_result",
    "sql_buffer_result",
    "sql_cache",
    "sql_calc_found_rows",
    "sql_no_cache",
    "sql_small_result",
    "straight_join",
];

pub(crate) fn contains_sql(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let options = options(assertion)?;
    let blocks = fenced_blocks(&answer.text);
    if blocks.is_empty() {
        return statement(&answer.text, options, answer);
    }
    let mut undecided = None;
    for block in blocks.iter().filter(|block| !js::trim(block).is_empty()) {
        match statement(block, options, answer) {
            Ok(verdict) if verdict.pass => return Ok(verdict),
            Ok(_) => {}
            Err(fault) => undecided = Some(fault),
        }
    }
    match undecided {
        Some(fault) => Err(fault),
        None => Ok(Verdict::new(false).because("no block of SQL")),
    }
}

/// Fenced blocks of SQL, or without a language.
fn fenced_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        let Some((mark, length, language)) = fence(line) else { continue };
        let is_sql = language.is_empty() || language.eq_ignore_ascii_case("sql");
        let mut block = Vec::new();
        for line in lines.by_ref() {
            if fence(line).is_some_and(|(other, size, rest)| other == mark && size >= length && rest.is_empty()) {
                if is_sql {
                    blocks.push(block.join("\n"));
                }
                break;
            }
            block.push(line);
        }
    }
    blocks
}

/// A line that opens or closes a block: its sign, how many, and what follows.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let rest = &line[indent..];
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~') && indent <= 3)?;
    let length = rest.len() - rest.trim_start_matches(mark).len();
    (length >= 3).then(|| (mark, length, js::trim(&rest[length..])))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::NoSchemas;

    fn judged(kind: &str, options: &Value, text: &str, parser: Option<SqlParser<'_>>) -> Result<bool, Fault> {
        let assertion = Assertion::from_json(&json!({"type": kind, "value": options})).unwrap();
        let output = json!(text);
        let answer = Answer { sql: parser, ..Answer::new(&output, &NoSchemas) };
        assertion.judge(&answer).map(|verdict| verdict.pass)
    }

    #[test]
    fn two_words_before_from_lack_a_comma_unless_one_is_quoted_or_a_modifier() {
        let lacks = |dialect: &str, text: &str| lacks_comma(&tokens(text, dialect), dialect);
        for text in [
            "SELECT a b FROM t",
            "x; select distinct a\n/* , */ b -- ,\nfrom t",
            "SELECT sql_no_cache a b FROM t",
            "select a b from",
        ] {
            assert!(lacks("MySQL", text), "{text}");
        }
        for text in [
            "SELECT a, b FROM t",
            "SELECT a AS b FROM t",
            "SELECT 'a b from' x FROM t",
            "SELECT 'it''s \\' a b from' FROM t",
            "SELECT distinct a FROM t",
            "SELECT $$ a b from $$ FROM t",
            "SELECT 'open a b from t",
            "SELECT a b",
            "selects a b from t",
        ] {
            assert!(!lacks("MySQL", text), "{text}");
        }
        assert!(
            lacks("TransactSQL", "SELECT straight_join a FROM t") && !lacks("MariaDB", "SELECT straight_join a FROM t")
        );
        assert!(
            lacks("MySQL", "SELECT x[ a, (SELECT b c FROM t) ]")
                && !lacks("Sqlite", "SELECT x[ a, (SELECT b c FROM t) ]")
        );
    }

    #[test]
    fn the_parser_decides_what_the_rules_do_not() {
        let parser = |text: &str, options: &Value| match (text, options["databaseType"].as_str()) {
            ("SELECT 1", None) => Ok(None),
            ("SELECT 2", Some("Hive")) => Err(Fault::Error("it broke".to_owned())),
            _ => Ok(Some("no SQL".to_owned())),
        };
        let decided = |kind: &str, text: &str| judged(kind, &Value::Null, text, Some(&parser));
        assert_eq!([decided("is-sql", "SELECT 1"), decided("not-is-sql", "SELECT 1")], [Ok(true), Ok(false)]);
        assert_eq!([decided("is-sql", "Use it"), decided("is-sql", "SELECT `1")], [Ok(false), Ok(false)]);
        assert_eq!(decided("contains-sql", "```sql\nno\n```\n```\nSELECT 1\n```"), Ok(true));
        let broken = judged("is-sql", &json!({"databaseType": "Hive"}), "SELECT 2", Some(&parser));
        assert_eq!(broken, Err(Fault::Error("it broke".to_owned())));
        assert!(matches!(judged("is-sql", &Value::Null, "SELECT 1", None), Err(Fault::NotRun(_))));
        let series = "SELECT * FROM Generate_Series (1, 2)";
        let of = |dialect: &str| judged("is-sql", &json!({"databaseType": dialect}), series, None);
        assert_eq!(of("MySQL"), Ok(false));
        assert!(matches!(of("mysql"), Err(Fault::NotRun(_))), "the original has a rule for the very name `MySQL`");
    }
}
