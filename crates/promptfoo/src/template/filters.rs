//! The filters and tests of Nunjucks 3.2.4, and promptfoo's `load`.

use std::cmp::Ordering;
use std::rc::Rc;

use super::TemplateError;
use super::evaluate::CallArguments;
use super::value::Operand;
use crate::js;

/// Greatest number of items or letters that a filter makes up.
const MOST_FILLING: f64 = 100_000.0;

fn wrong(name: &str) -> TemplateError {
    TemplateError::syntax(format!("the filter `{name}` cannot be used on this value"))
}

/// A text; nothing for what is missing or false.
fn text_of(name: &str, value: &Operand) -> Result<String, TemplateError> {
    match value {
        Operand::Text(text) => Ok(text.to_string()),
        Operand::Undefined | Operand::Null | Operand::Bool(false) => Ok(String::new()),
        _ => Err(wrong(name)),
    }
}

fn items_of(name: &str, value: &Operand) -> Result<Vec<Operand>, TemplateError> {
    match value {
        Operand::List(items) => Ok(items.to_vec()),
        Operand::Undefined | Operand::Null => Ok(Vec::new()),
        Operand::Text(text) => Ok(letters(text)),
        _ => Err(wrong(name)),
    }
}

fn letters(text: &str) -> Vec<Operand> {
    js::units(text).iter().map(|unit| Operand::Text(String::from_utf16_lossy(&[*unit]).into())).collect()
}

fn list(items: Vec<Operand>) -> Operand {
    Operand::List(Rc::new(items))
}

fn capitalized(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut letters = lower.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

/// A member by a path of names between points.
fn attribute(value: &Operand, path: &Operand) -> Operand {
    path.to_text().split('.').fold(value.clone(), |value, name| value.member(&Operand::text(name)))
}

/// How many items a filling has, from a number that the template gives.
fn filling(count: f64) -> Result<usize, TemplateError> {
    if count > MOST_FILLING {
        return Err(TemplateError::limit("a filter would make too long a value"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number, from 0 on")]
    let count = if count.is_nan() { 0 } else { count.max(0.0).ceil() as usize };
    Ok(count)
}

/// Applies a filter.
pub(super) fn apply(name: &str, value: &Operand, given: &CallArguments) -> Result<Operand, TemplateError> {
    let number = |place: usize, key: &str, default: f64| given.get(place, key).map_or(default, Operand::to_number);
    let text = |text: String| Ok(Operand::Text(text.into()));
    match name {
        "abs" => Ok(Operand::Number(value.to_number().abs())),
        "batch" => batch(&items_of(name, value)?, number(0, "linecount", f64::NAN), given.get(1, "fill_with")),
        "capitalize" => text(capitalized(&text_of(name, value)?)),
        "center" => {
            let content = text_of(name, value)?;
            let spaces = number(0, "width", 80.0) - js::units(&content).len() as f64;
            if spaces <= 0.0 {
                return text(content);
            }
            let (before, after) = (filling(spaces / 2.0 - spaces % 2.0)?, filling(spaces / 2.0)?);
            text(format!("{}{content}{}", " ".repeat(before), " ".repeat(after)))
        }
        "default" | "d" => {
            let takes_falsy = given.get(1, "bool").is_some_and(Operand::is_truthy);
            let is_there = if takes_falsy { value.is_truthy() } else { !matches!(value, Operand::Undefined) };
            Ok(if is_there { value.clone() } else { given.get(0, "def").cloned().unwrap_or(Operand::Undefined) })
        }
        "dictsort" => dictsort(value, given),
        "dump" => {
            let indent = match given.get(0, "spaces") {
                Some(spaces @ Operand::Number(_)) => filling(spaces.to_number().min(10.0))?,
                _ => 0,
            };
            Ok(value.to_json().map_or(Operand::Undefined, |value| Operand::Text(js::json(&value, indent).into())))
        }
        "escape" | "e" | "forceescape" => {
            let content = value.printed();
            let escaped = content.chars().map(|letter| match letter {
                '&' => "&amp;".to_owned(),
                '"' => "&quot;".to_owned(),
                '\'' => "&#39;".to_owned(),
                '<' => "&lt;".to_owned(),
                '>' => "&gt;".to_owned(),
                '\\' => "&#92;".to_owned(),
                '`' => "&#96;".to_owned(),
                other => other.to_string(),
            });
            text(escaped.collect())
        }
        "first" => Ok(value.member(&Operand::Number(0.0))),
        "last" => Ok(value.member(&Operand::Number(value.member(&Operand::text("length")).to_number() - 1.0))),
        "float" | "int" => {
            let parsed = leading_number(&value.to_text(), name == "float");
            Ok(if parsed.is_nan() {
                given.get(0, "default").cloned().unwrap_or(Operand::Number(0.0))
            } else {
                Operand::Number(parsed)
            })
        }
        "groupby" => Ok(groupby(&items_of(name, value)?, given.get(0, "attr").ok_or_else(|| wrong(name))?)),
        "indent" => {
            let content = text_of(name, value)?;
            let blanks = " ".repeat(filling(number(0, "width", 4.0))?);
            let is_first = given.get(1, "indentfirst").is_some_and(Operand::is_truthy);
            let line = |(at, line): (usize, &str)| {
                if at > 0 || is_first { format!("{blanks}{line}") } else { line.to_owned() }
            };
            text(content.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n"))
        }
        "join" => {
            let separator = given.get(0, "del").map_or_else(String::new, Operand::printed);
            let items = items_of(name, value)?;
            let shown = |item: &Operand| match given.get(1, "attr") {
                Some(path) => attribute(item, path).printed(),
                None => item.printed(),
            };
            text(items.iter().map(shown).collect::<Vec<_>>().join(&separator))
        }
        "length" => Ok(match value {
            Operand::Undefined | Operand::Null | Operand::Bool(false) => Operand::Number(0.0),
            Operand::Object(entries) => Operand::Number(entries.len() as f64),
            other => other.member(&Operand::text("length")),
        }),
        "list" => match value {
            Operand::Object(entries) => {
                let pair = |(key, value): &(String, Operand)| {
                    Operand::Object(Rc::new(vec![
                        ("key".to_owned(), Operand::text(key)),
                        ("value".to_owned(), value.clone()),
                    ]))
                };
                Ok(list(entries.iter().map(pair).collect()))
            }
            Operand::List(_) | Operand::Text(_) => Ok(list(items_of(name, value)?)),
            _ => Err(wrong(name)),
        },
        "load" => match js::parse_json(&value.to_text()) {
            Ok(value) => Ok(Operand::from_json(&value)),
            Err(_) => Err(TemplateError::syntax("`load` needs JSON")),
        },
        "lower" => text(text_of(name, value)?.to_lowercase()),
        "upper" => text(text_of(name, value)?.to_uppercase()),
        "nl2br" => text(value.printed().replace("\r\n", "\n").replace('\n', "<br />\n")),
        "reject" | "select" => {
            let test_name = given.get(0, "test").map_or_else(|| "truthy".to_owned(), Operand::to_text);
            let mut kept = Vec::new();
            for item in items_of(name, value)? {
                if test(&test_name, &item, given.placed.get(1))? == (name == "select") {
                    kept.push(item);
                }
            }
            Ok(list(kept))
        }
        "rejectattr" | "selectattr" => {
            let path = given.get(0, "attr").ok_or_else(|| wrong(name))?;
            let items = items_of(name, value)?.into_iter();
            let fits = |item: &Operand| attribute(item, path).is_truthy() == (name == "selectattr");
            Ok(list(items.filter(fits).collect()))
        }
        "replace" => replace(value, given),
        "reverse" => {
            let mut items = items_of(name, value)?;
            items.reverse();
            Ok(match value {
                Operand::Text(text) => {
                    let mut units = js::units(text);
                    units.reverse();
                    Operand::Text(String::from_utf16_lossy(&units).into())
                }
                _ => list(items),
            })
        }
        "round" => {
            let factor = 10_f64.powf(number(0, "precision", 0.0));
            let scaled = value.to_number() * factor;
            let method = given.get(1, "method").map(Operand::to_text);
            let rounded = match method.as_deref() {
                Some("ceil") => scaled.ceil(),
                Some("floor") => scaled.floor(),
                _ => (scaled + 0.5).floor(),
            };
            Ok(Operand::Number(rounded / factor))
        }
        "safe" => Ok(if value.is_missing() { Operand::text("") } else { Operand::Text(value.to_text().into()) }),
        "slice" => slice(&items_of(name, value)?, number(0, "slices", f64::NAN), given.get(1, "fill_with")),
        "sort" => sort(items_of(name, value)?, given),
        "string" => text(value.to_text()),
        "striptags" => {
            text(striptags(&value.printed(), given.get(0, "preserve_linebreaks").is_some_and(Operand::is_truthy)))
        }
        "sum" => {
            let start = given.get(1, "start").cloned().unwrap_or(Operand::Number(0.0));
            let total = items_of(name, value)?.iter().fold(0.0, |sum, item| {
                sum + given
                    .get(0, "attr")
                    .filter(|path| path.is_truthy())
                    .map_or_else(|| item.clone(), |path| attribute(item, path))
                    .to_number()
            });
            Ok(start.add(&Operand::Number(total)))
        }
        "title" => {
            let content = text_of(name, value)?;
            text(content.split(' ').map(capitalized).collect::<Vec<_>>().join(" "))
        }
        "trim" => text(js::trim(&text_of(name, value)?).to_owned()),
        "truncate" => truncate(&text_of(name, value)?, given),
        "urlencode" => urlencode(value),
        "wordcount" => {
            let content = text_of(name, value)?;
            let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let count = content.split(|letter| !is_word(letter)).filter(|word| !word.is_empty()).count();
            Ok(if count == 0 { Operand::Null } else { Operand::Number(count as f64) })
        }
        "random" | "urlize" => Err(TemplateError::limit(format!("the filter `{name}` is not known here"))),
        _ => Err(TemplateError::syntax(format!("filter not found: {name}"))),
    }
}

/// The number that a text begins with, as `parseInt` and `parseFloat` read it.
fn leading_number(text: &str, takes_fraction: bool) -> f64 {
    let text = js::trim(text);
    let mut best = f64::NAN;
    for end in (1..=text.len().min(400)).filter(|end| text.is_char_boundary(*end)) {
        let part = &text[..end];
        let is_sign = |byte: u8| matches!(byte, b'+' | b'-');
        let is_part =
            |byte: u8| byte.is_ascii_digit() || is_sign(byte) || takes_fraction && matches!(byte, b'.' | b'e' | b'E');
        if !part.bytes().all(is_part) {
            break;
        }
        if let Ok(number) = part.parse::<f64>() {
            best = number;
        }
    }
    best
}

fn batch(items: &[Operand], size: f64, fill: Option<&Operand>) -> Result<Operand, TemplateError> {
    let size = filling(size)?.max(1);
    let mut rows: Vec<Vec<Operand>> = items.chunks(size).map(<[Operand]>::to_vec).collect();
    if let (Some(fill), Some(last)) = (fill.filter(|fill| fill.is_truthy()), rows.last_mut()) {
        last.resize(size, fill.clone());
    }
    Ok(list(rows.into_iter().map(list).collect()))
}

fn slice(items: &[Operand], slices: f64, fill: Option<&Operand>) -> Result<Operand, TemplateError> {
    let slices = filling(slices)?;
    if slices == 0 {
        return Ok(list(Vec::new()));
    }
    let (length, extra) = (items.len() / slices, items.len() % slices);
    let (mut rows, mut at) = (Vec::new(), 0);
    for row in 0..slices {
        let size = length + usize::from(row < extra);
        let mut part = items[at..at + size].to_vec();
        at += size;
        if let Some(fill) = fill.filter(|_| row >= extra) {
            part.push(fill.clone());
        }
        rows.push(list(part));
    }
    Ok(list(rows))
}

fn dictsort(value: &Operand, given: &CallArguments) -> Result<Operand, TemplateError> {
    let Operand::Object(entries) = value else { return Err(wrong("dictsort")) };
    let heeds_case = given.get(0, "case_sensitive").is_some_and(Operand::is_truthy);
    let by_value = given.get(1, "by").is_some_and(|by| by.to_text() == "value");
    let key = |(key, value): &(String, Operand)| {
        folded(if by_value { value.clone() } else { Operand::text(key) }, heeds_case)
    };
    let mut sorted = entries.to_vec();
    sorted.sort_by(|left, right| key(left).compare(&key(right)).unwrap_or(Ordering::Equal));
    Ok(list(sorted.into_iter().map(|(key, value)| list(vec![Operand::Text(key.into()), value])).collect()))
}

/// A value for sorting.
fn folded(value: Operand, heeds_case: bool) -> Operand {
    match value {
        Operand::Text(text) if !heeds_case => Operand::Text(text.to_uppercase().into()),
        other => other,
    }
}

fn sort(mut items: Vec<Operand>, given: &CallArguments) -> Result<Operand, TemplateError> {
    let is_reversed = given.get(0, "reversed").is_some_and(Operand::is_truthy);
    let heeds_case = given.get(1, "case_sens").is_some_and(Operand::is_truthy);
    let path = given.get(2, "attr").filter(|path| path.is_truthy());
    let key = |item: &Operand| {
        let value = path.map_or_else(|| item.clone(), |path| attribute(item, path));
        match value {
            Operand::Text(text) if !heeds_case => Operand::Text(text.to_lowercase().into()),
            other => other,
        }
    };
    if path.is_some() && items.iter().any(|item| matches!(key(item), Operand::Undefined)) {
        return Err(wrong("sort"));
    }
    items.sort_by(|left, right| {
        let order = key(left).compare(&key(right)).unwrap_or(Ordering::Equal);
        if is_reversed { order.reverse() } else { order }
    });
    Ok(list(items))
}

fn groupby(items: &[Operand], path: &Operand) -> Operand {
    let mut groups: Vec<(String, Vec<Operand>)> = Vec::new();
    for item in items {
        let key = attribute(item, path).to_text();
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(item.clone()),
            None => groups.push((key, vec![item.clone()])),
        }
    }
    Operand::Object(Rc::new(groups.into_iter().map(|(key, group)| (key, list(group))).collect()))
}

fn replace(value: &Operand, given: &CallArguments) -> Result<Operand, TemplateError> {
    let content = match value {
        Operand::Number(_) | Operand::Text(_) => value.to_text(),
        other => return Ok(other.clone()),
    };
    let (Some(old), Some(new)) = (given.get(0, "old"), given.get(1, "new_")) else { return Err(wrong("replace")) };
    let (old, new) = (old.to_text(), new.printed());
    let most = given.get(2, "maxCount").map_or(-1.0, Operand::to_number);
    if old.is_empty() {
        let inner: Vec<String> = letters(&content).iter().map(Operand::to_text).collect();
        return Ok(Operand::Text(format!("{new}{}{new}", inner.join(&new)).into()));
    }
    let replaced = if most < 0.0 { content.replace(&old, &new) } else { content.replacen(&old, &new, filling(most)?) };
    Ok(Operand::Text(replaced.into()))
}

fn striptags(text: &str, keeps_lines: bool) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, from)) = rest.split_once('<') {
        out.push_str(before);
        let is_tag = from.strip_prefix('/').unwrap_or(from).starts_with(|letter: char| letter.is_ascii_alphabetic());
        let after = match from.strip_prefix("!--") {
            Some(comment) => comment.split_once("-->"),
            None if is_tag => from.split_once('>'),
            None => None,
        };
        rest = if let Some((_, after)) = after {
            after
        } else {
            out.push('<');
            from
        };
    }
    out.push_str(rest);
    if keeps_lines {
        return js::trim(&out).to_owned();
    }
    js::words(&out).collect::<Vec<_>>().join(" ")
}

fn truncate(text: &str, given: &CallArguments) -> Result<Operand, TemplateError> {
    let units = js::units(text);
    let length = filling(given.get(0, "length").map_or(255.0, Operand::to_number))?;
    if units.len() <= length {
        return Ok(Operand::text(text));
    }
    let kills_words = given.get(1, "killwords").is_some_and(Operand::is_truthy);
    let blank = units[..=length].iter().rposition(|unit| *unit == u16::from(b' '));
    let end = if kills_words { length } else { blank.unwrap_or(length) };
    let ending = given.get(2, "end").filter(|end| !end.is_missing()).map_or_else(|| "...".to_owned(), Operand::to_text);
    Ok(Operand::Text(format!("{}{ending}", String::from_utf16_lossy(&units[..end])).into()))
}

fn urlencode(value: &Operand) -> Result<Operand, TemplateError> {
    let encode = |text: &str| {
        let byte = |byte: u8| {
            let is_plain = byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte);
            if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        };
        text.bytes().map(byte).collect::<String>()
    };
    let text = match value {
        Operand::Text(text) => encode(text),
        Operand::Object(entries) => {
            let pair = |(key, value): &(String, Operand)| format!("{}={}", encode(key), encode(&value.to_text()));
            entries.iter().map(pair).collect::<Vec<_>>().join("&")
        }
        Operand::List(pairs) => {
            let part = |pair: &Operand, at: f64| encode(&pair.member(&Operand::Number(at)).to_text());
            pairs.iter().map(|pair| format!("{}={}", part(pair, 0.0), part(pair, 1.0))).collect::<Vec<_>>().join("&")
        }
        _ => return Err(wrong("urlencode")),
    };
    Ok(Operand::Text(text.into()))
}

/// A test behind `is`.
pub(super) fn test(name: &str, value: &Operand, other: Option<&Operand>) -> Result<bool, TemplateError> {
    let missing = Operand::Undefined;
    let other = other.unwrap_or(&missing);
    let compared = || value.compare(other);
    Ok(match name {
        "callable" => {
            matches!(value, Operand::Macro(_) | Operand::Function(_) | Operand::Method(..) | Operand::Caller(_))
        }
        "defined" => !matches!(value, Operand::Undefined),
        "undefined" => matches!(value, Operand::Undefined),
        "divisibleby" => value.to_number() % other.to_number() == 0.0,
        "equalto" | "eq" | "sameas" => value.equals(other, true),
        "ne" => !value.equals(other, true),
        "even" => value.to_number() % 2.0 == 0.0,
        "odd" => value.to_number() % 2.0 == 1.0,
        "falsy" => !value.is_truthy(),
        "truthy" => value.is_truthy(),
        "ge" => matches!(compared(), Some(Ordering::Greater | Ordering::Equal)),
        "greaterthan" | "gt" => compared() == Some(Ordering::Greater),
        "le" => matches!(compared(), Some(Ordering::Less | Ordering::Equal)),
        "lessthan" | "lt" => compared() == Some(Ordering::Less),
        "lower" => value.to_text().to_lowercase() == value.to_text(),
        "upper" => value.to_text().to_uppercase() == value.to_text(),
        "null" | "none" => matches!(value, Operand::Null),
        "number" => matches!(value, Operand::Number(_)),
        "string" => matches!(value, Operand::Text(_)),
        "iterable" => matches!(value, Operand::List(_) | Operand::Text(_)),
        "mapping" => matches!(value, Operand::Object(_)),
        _ => return Err(TemplateError::syntax(format!("test not found: {name}"))),
    })
}
