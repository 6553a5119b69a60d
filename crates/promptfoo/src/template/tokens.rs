//! A template cut into texts, outputs and tags, and those into tokens.

use super::TemplateError;

/// A piece of a template.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Output(Vec<Token>),
    Tag(Vec<Token>),
}

/// A token of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
}

/// Signs, longer ones first.
const SIGNS: [&str; 30] = [
    "===", "!==", "==", "!=", "<=", ">=", "//", "**", "(", ")", "[", "]", "{", "}", "*", "-", "+", "~", "/", "%", "<",
    ">", "=", ",", ":", "|", ".", "!", "&", "?",
];

/// Cuts a template.
pub(super) fn cut(template: &str) -> Result<Vec<Piece>, TemplateError> {
    let (mut pieces, mut rest, mut trims) = (Vec::new(), template, false);
    loop {
        let start = rest
            .match_indices('{')
            .map(|(at, _)| at)
            .find(|at| matches!(rest.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#')));
        let (before, from) = start.map_or((rest, ""), |at| rest.split_at(at));
        let mut before = if trims { before.trim_start() } else { before };
        if from.get(2..).is_some_and(|inside| inside.starts_with('-')) {
            before = before.trim_end();
        }
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        let Some(kind) = from.as_bytes().get(1).copied() else { return Ok(pieces) };
        let inside = from[2..].strip_prefix('-').unwrap_or(&from[2..]);
        if kind == b'#' {
            let Some((comment, after)) = inside.split_once("#}") else {
                return Err(TemplateError::syntax("a comment has no end"));
            };
            trims = comment.ends_with('-');
            rest = after;
            continue;
        }
        let end = if kind == b'{' { "}}" } else { "%}" };
        let (tokens, after, trims_after) = tokens_until(inside, end)?;
        trims = trims_after;
        rest = after;
        if kind == b'{' {
            pieces.push(Piece::Output(tokens));
            continue;
        }
        if let [Token::Name(name)] = &tokens[..]
            && matches!(name.as_str(), "raw" | "verbatim")
        {
            let (text, after) = raw_text(rest, name)?;
            pieces.push(Piece::Text(text.to_owned()));
            rest = after;
            continue;
        }
        pieces.push(Piece::Tag(tokens));
    }
}

/// What stands up to the end of a raw block, and what follows.
fn raw_text<'a>(text: &'a str, name: &str) -> Result<(&'a str, &'a str), TemplateError> {
    for (at, _) in text.match_indices("{%") {
        let inside = text[at + 2..].trim_start_matches('-').trim_start();
        if let Some(rest) = inside.strip_prefix("end").and_then(|rest| rest.strip_prefix(name))
            && let Some(rest) = rest.trim_start().trim_start_matches('-').strip_prefix("%}")
        {
            return Ok((&text[..at], rest));
        }
    }
    Err(TemplateError::syntax("a raw block has no end"))
}

/// The tokens up to an end, what follows, and whether blanks behind are cut.
fn tokens_until<'a>(text: &'a str, end: &str) -> Result<(Vec<Token>, &'a str, bool), TemplateError> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    // Braces of objects within an output.
    let mut open = 0_usize;
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('-').and_then(|rest| rest.strip_prefix(end)) {
            return Ok((tokens, after, true));
        }
        if open == 0
            && let Some(after) = rest.strip_prefix(end)
        {
            return Ok((tokens, after, false));
        }
        let Some(first) = rest.chars().next() else { return Err(TemplateError::syntax("a tag has no end")) };
        if matches!(first, '"' | '\'') {
            let (token, after) = quoted(rest, first)?;
            tokens.push(token);
            rest = after;
        } else if first.is_ascii_digit() {
            let is_after_point = tokens.last() == Some(&Token::Sign("."));
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let part = rest[end..]
                .strip_prefix('.')
                .map_or(0, |part| part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len()));
            let end = if part > 0 && !is_after_point { end + 1 + part } else { end };
            tokens.push(Token::Number(rest[..end].parse().unwrap_or(f64::NAN)));
            rest = &rest[end..];
        } else if first.is_alphabetic() || matches!(first, '_' | '$') {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$'));
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            tokens.push(Token::Name(name.to_owned()));
            rest = after;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            match *sign {
                "{" => open += 1,
                "}" => open = open.saturating_sub(1),
                _ => {}
            }
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else {
            return Err(TemplateError::syntax(format!("`{first}` is not expected")));
        }
    }
}

fn quoted(text: &str, mark: char) -> Result<(Token, &str), TemplateError> {
    let mut out = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == mark {
            return Ok((Token::Text(out), &text[at + 1..]));
        }
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
            Some((_, 'n')) => out.push('\n'),
            Some((_, 't')) => out.push('\t'),
            Some((_, 'r')) => out.push('\r'),
            Some((_, other)) => out.push(other),
            None => break,
        }
    }
    Err(TemplateError::syntax("a text has no end"))
}
