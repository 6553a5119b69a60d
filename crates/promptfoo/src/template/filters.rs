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
        Operand::Text(text) => Ok(Operand::letters(text)),
        _ => Err(wrong(name)),
    }
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

/// The member of an item that is asked for; the item where none is.
fn item_or_attribute(item: &Operand, path: Option<&Operand>) -> Operand {
    path.map_or_else(|| item.clone(), |path| attribute(item, path))
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
    Ok(match name {
        "abs" => Operand::Number(value.to_number().abs()),
        "batch" => batch(&items_of(name, value)?, given.number(0, "linecount", f64::NAN), given.get(1, "fill_with"))?,
        "capitalize" => Operand::text(&capitalized(&text_of(name, value)?)),
        "center" => center(&text_of(name, value)?, given.number(0, "width", 80.0))?,
        "default" | "d" => default_value(value, given),
        "dictsort" => dictsort(value, given)?,
        "dump" => dump(value, given)?,
        "escape" | "e" | "forceescape" => Operand::text(&escaped(&value.printed())),
        "first" => value.member(&Operand::Number(0.0)),
        "last" => value.member(&Operand::Number(value.member(&Operand::text("length")).to_number() - 1.0)),
        "float" | "int" => match leading_number(&value.to_text(), name == "float") {
            number if number.is_nan() => given.get(0, "default").cloned().unwrap_or(Operand::Number(0.0)),
            number => Operand::Number(number),
        },
        "groupby" => groupby(&items_of(name, value)?, given.get(0, "attr").ok_or_else(|| wrong(name))?),
        "indent" => indent(&text_of(name, value)?, given)?,
        "join" => join(&items_of(name, value)?, given),
        "length" => length(value),
        "list" => match value {
            Operand::Object(entries) => Operand::list(entries.iter().map(key_and_value).collect()),
            Operand::List(_) | Operand::Text(_) => Operand::list(items_of(name, value)?),
            _ => return Err(wrong(name)),
        },
        "load" => match js::parse_json(&value.to_text()) {
            Ok(value) => Operand::from_json(&value),
            Err(_) => return Err(TemplateError::syntax("`load` needs JSON")),
        },
        "lower" => Operand::text(&text_of(name, value)?.to_lowercase()),
        "upper" => Operand::text(&text_of(name, value)?.to_uppercase()),
        "nl2br" => Operand::text(&value.printed().replace("\r\n", "\n").replace('\n', "<br />\n")),
        "reject" | "select" => select(items_of(name, value)?, given, name == "select")?,
        "rejectattr" | "selectattr" => {
            let path = given.get(0, "attr").ok_or_else(|| wrong(name))?;
            let mut items = items_of(name, value)?;
            items.retain(|item| attribute(item, path).is_truthy() == (name == "selectattr"));
            Operand::list(items)
        }
        "replace" => replace(value, given)?,
        "reverse" => match value {
            Operand::Text(text) => Operand::from_units(&js::units(text).into_iter().rev().collect::<Vec<_>>()),
            _ => Operand::list(items_of(name, value)?.into_iter().rev().collect()),
        },
        "round" => round(value.to_number(), given),
        "safe" => Operand::text(&value.printed()),
        "slice" => slice(&items_of(name, value)?, given.number(0, "slices", f64::NAN), given.get(1, "fill_with"))?,
        "sort" => sort(items_of(name, value)?, given)?,
        "string" => Operand::text(&value.to_text()),
        "striptags" => Operand::text(&striptags(&value.printed(), given.is_truthy(0, "preserve_linebreaks"))),
        "sum" => sum(&items_of(name, value)?, given),
        "title" => Operand::text(&text_of(name, value)?.split(' ').map(capitalized).collect::<Vec<_>>().join(" ")),
        "trim" => Operand::text(js::trim(&text_of(name, value)?)),
        "truncate" => truncate(&text_of(name, value)?, given)?,
        "urlencode" => urlencode(value)?,
        "wordcount" => wordcount(&text_of(name, value)?),
        "random" | "urlize" => return Err(TemplateError::limit(format!("the filter `{name}` is not known here"))),
        _ => return Err(TemplateError::syntax(format!("filter not found: {name}"))),
    })
}

fn center(content: &str, width: f64) -> Result<Operand, TemplateError> {
    let spaces = width - js::units(content).len() as f64;
    if spaces <= 0.0 {
        return Ok(Operand::text(content));
    }
    let (before, after) = (filling(spaces / 2.0 - spaces % 2.0)?, filling(spaces / 2.0)?);
    Ok(Operand::text(&format!("{}{content}{}", " ".repeat(before), " ".repeat(after))))
}

fn default_value(value: &Operand, given: &CallArguments) -> Operand {
    let takes_falsy = given.is_truthy(1, "bool");
    let is_there = if takes_falsy { value.is_truthy() } else { !matches!(value, Operand::Undefined) };
    if is_there { value.clone() } else { given.get(0, "def").cloned().unwrap_or(Operand::Undefined) }
}

fn dump(value: &Operand, given: &CallArguments) -> Result<Operand, TemplateError> {
    let indent = match given.get(0, "spaces") {
        Some(spaces @ Operand::Number(_)) => filling(spaces.to_number().min(10.0))?,
        _ => 0,
    };
    Ok(value.to_json().map_or(Operand::Undefined, |value| Operand::text(&js::json(&value, indent))))
}

fn escaped(content: &str) -> String {
    let letters = content.chars().map(|letter| match letter {
        '&' => "&amp;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '\\' => "&#92;".to_owned(),
        '`' => "&#96;".to_owned(),
        other => other.to_string(),
    });
    letters.collect()
}

fn indent(content: &str, given: &CallArguments) -> Result<Operand, TemplateError> {
    let blanks = " ".repeat(filling(given.number(0, "width", 4.0))?);
    let is_first = given.is_truthy(1, "indentfirst");
    let lines = content
        .split('\n')
        .enumerate()
        .map(|(at, line)| if at > 0 || is_first { format!("{blanks}{line}") } else { line.to_owned() });
    Ok(Operand::text(&lines.collect::<Vec<_>>().join("\n")))
}

fn join(items: &[Operand], given: &CallArguments) -> Operand {
    let separator = given.get(0, "del").map_or_else(String::new, Operand::printed);
    let texts = items.iter().map(|item| item_or_attribute(item, given.get(1, "attr")).printed());
    Operand::text(&texts.collect::<Vec<_>>().join(&separator))
}

fn length(value: &Operand) -> Operand {
    match value {
        Operand::Undefined | Operand::Null | Operand::Bool(false) => Operand::Number(0.0),
        Operand::Object(entries) => Operand::Number(entries.len() as f64),
        other => other.member(&Operand::text("length")),
    }
}

fn key_and_value((key, value): &(String, Operand)) -> Operand {
    Operand::Object(Rc::new(vec![("key".to_owned(), Operand::text(key)), ("value".to_owned(), value.clone())]))
}

/// The items that pass a test, or those that do not.
fn select(items: Vec<Operand>, given: &CallArguments, passing: bool) -> Result<Operand, TemplateError> {
    let test_name = given.get(0, "test").map_or_else(|| "truthy".to_owned(), Operand::to_text);
    let mut kept = Vec::new();
    for item in items {
        if test(&test_name, &item, given.placed.get(1))? == passing {
            kept.push(item);
        }
    }
    Ok(Operand::list(kept))
}

fn round(number: f64, given: &CallArguments) -> Operand {
    let factor = 10_f64.powf(given.number(0, "precision", 0.0));
    let scaled = number * factor;
    let method = given.get(1, "method").map(Operand::to_text);
    let rounded = match method.as_deref() {
        Some("ceil") => scaled.ceil(),
        Some("floor") => scaled.floor(),
        _ => (scaled + 0.5).floor(),
    };
    Operand::Number(rounded / factor)
}

fn sum(items: &[Operand], given: &CallArguments) -> Operand {
    let path = given.get(0, "attr").filter(|path| path.is_truthy());
    let total = items.iter().fold(0.0, |sum, item| sum + item_or_attribute(item, path).to_number());
    given.get(1, "start").cloned().unwrap_or(Operand::Number(0.0)).add(&Operand::Number(total))
}

fn wordcount(content: &str) -> Operand {
    let words = content.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    match words.filter(|word| !word.is_empty()).count() {
        0 => Operand::Null,
        count => Operand::Number(count as f64),
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
    Ok(Operand::list(rows.into_iter().map(Operand::list).collect()))
}

fn slice(items: &[Operand], slices: f64, fill: Option<&Operand>) -> Result<Operand, TemplateError> {
    let slices = filling(slices)?;
    if slices == 0 {
        return Ok(Operand::list(Vec::new()));
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
        rows.push(Operand::list(part));
    }
    Ok(Operand::list(rows))
}

fn dictsort(value: &Operand, given: &CallArguments) -> Result<Operand, TemplateError> {
    let Operand::Object(entries) = value else { return Err(wrong("dictsort")) };
    let heeds_case = given.is_truthy(0, "case_sensitive");
    let by_value = given.get(1, "by").is_some_and(|by| by.to_text() == "value");
    let key = |(key, value): &(String, Operand)| {
        folded(if by_value { value.clone() } else { Operand::text(key) }, heeds_case)
    };
    let mut sorted = entries.to_vec();
    sorted.sort_by(|left, right| key(left).compare(&key(right)).unwrap_or(Ordering::Equal));
    Ok(Operand::list(
        sorted.into_iter().map(|(key, value)| Operand::list(vec![Operand::Text(key.into()), value])).collect(),
    ))
}

/// A value for sorting.
fn folded(value: Operand, heeds_case: bool) -> Operand {
    match value {
        Operand::Text(text) if !heeds_case => Operand::Text(text.to_uppercase().into()),
        other => other,
    }
}

fn sort(mut items: Vec<Operand>, given: &CallArguments) -> Result<Operand, TemplateError> {
    let is_reversed = given.is_truthy(0, "reversed");
    let heeds_case = given.is_truthy(1, "case_sens");
    let path = given.get(2, "attr").filter(|path| path.is_truthy());
    let key = |item: &Operand| match item_or_attribute(item, path) {
        Operand::Text(text) if !heeds_case => Operand::Text(text.to_lowercase().into()),
        other => other,
    };
    if path.is_some() && items.iter().any(|item| matches!(key(item), Operand::Undefined)) {
        return Err(wrong("sort"));
    }
    items.sort_by(|left, right| {
        let order = key(left).compare(&key(right)).unwrap_or(Ordering::Equal);
        if is_reversed { order.reverse() } else { order }
    });
    Ok(Operand::list(items))
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
    Operand::Object(Rc::new(groups.into_iter().map(|(key, group)| (key, Operand::list(group))).collect()))
}

fn replace(value: &Operand, given: &CallArguments) -> Result<Operand, TemplateError> {
    let content = match value {
        Operand::Number(_) | Operand::Text(_) => value.to_text(),
        other => return Ok(other.clone()),
    };
    let (Some(old), Some(new)) = (given.get(0, "old"), given.get(1, "new_")) else { return Err(wrong("replace")) };
    let (old, new) = (old.to_text(), new.printed());
    let most = given.number(2, "maxCount", -1.0);
    if old.is_empty() {
        let inner: Vec<String> = Operand::letters(&content).iter().map(Operand::to_text).collect();
        return Ok(Operand::text(&format!("{new}{}{new}", inner.join(&new))));
    }
    let replaced = if most < 0.0 { content.replace(&old, &new) } else { content.replacen(&old, &new, filling(most)?) };
    Ok(Operand::text(&replaced))
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
    let length = filling(given.number(0, "length", 255.0))?;
    if units.len() <= length {
        return Ok(Operand::text(text));
    }
    let kills_words = given.is_truthy(1, "killwords");
    let blank = units[..=length].iter().rposition(|unit| *unit == u16::from(b' '));
    let end = if kills_words { length } else { blank.unwrap_or(length) };
    let ending = given.get(2, "end").filter(|end| !end.is_missing()).map_or_else(|| "...".to_owned(), Operand::to_text);
    Ok(Operand::text(&format!("{}{ending}", String::from_utf16_lossy(&units[..end]))))
}

/// A text as `encodeURIComponent` gives it.
fn percent_encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte);
        if is_plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    bytes.collect()
}

fn urlencode(value: &Operand) -> Result<Operand, TemplateError> {
    let pair = |key: &str, value: &Operand| format!("{}={}", percent_encoded(key), percent_encoded(&value.to_text()));
    let text = match value {
        Operand::Text(text) => percent_encoded(text),
        Operand::Object(entries) => entries.iter().map(|(key, value)| pair(key, value)).collect::<Vec<_>>().join("&"),
        Operand::List(pairs) => {
            let part = |pair: &Operand, at: f64| pair.member(&Operand::Number(at));
            let pairs = pairs.iter().map(|item| pair(&part(item, 0.0).to_text(), &part(item, 1.0)));
            pairs.collect::<Vec<_>>().join("&")
        }
        _ => return Err(wrong("urlencode")),
    };
    Ok(Operand::text(&text))
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
