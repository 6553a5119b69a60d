//! Methods of texts, lists and numbers that templates use.

use super::TemplateError;
use super::value::Operand;
use crate::js;

/// Greatest length of a text that a method makes up.
const LONGEST: f64 = 1_000_000.0;

const OF_TEXT: [&str; 20] = [
    "charAt",
    "concat",
    "endsWith",
    "includes",
    "indexOf",
    "lastIndexOf",
    "padEnd",
    "padStart",
    "repeat",
    "replace",
    "replaceAll",
    "slice",
    "split",
    "startsWith",
    "substring",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "trim",
    "trimEnd",
];

const OF_LIST: [&str; 7] = ["concat", "includes", "indexOf", "join", "reverse", "slice", "toString"];

/// Whether a value has a method that is known here.
pub(super) fn is_known(owner: &Operand, name: &str) -> bool {
    match owner {
        Operand::Text(_) => OF_TEXT.contains(&name),
        Operand::List(_) => OF_LIST.contains(&name),
        Operand::Number(_) => matches!(name, "toFixed" | "toString"),
        _ => false,
    }
}

/// A place in a sequence as `slice` counts: from the end where it is negative.
fn place(given: Option<&Operand>, default: usize, length: usize) -> usize {
    let Some(number) = given.filter(|given| !matches!(given, Operand::Undefined)).map(Operand::to_number) else {
        return default;
    };
    let from_end = if number < 0.0 { number + length as f64 } else { number };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the length")]
    let place = from_end.clamp(0.0, length as f64) as usize;
    place
}

/// Calls a method.
pub(super) fn call(owner: &Operand, name: &str, given: &[Operand]) -> Result<Operand, TemplateError> {
    match owner {
        Operand::Text(content) => call_text(content, name, given),
        Operand::List(items) => Ok(call_list(items, name, given)),
        Operand::Number(number) if name == "toFixed" => {
            let digits = given.first().map_or(0.0, Operand::to_number).clamp(0.0, 100.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
            let digits = digits as usize;
            Ok(Operand::text(&format!("{number:.digits$}")))
        }
        _ => Ok(Operand::text(&owner.to_text())),
    }
}

/// An index, or -1 where nothing was found.
fn index_or_none(at: Option<usize>) -> Operand {
    Operand::Number(at.map_or(-1.0, |at| at as f64))
}

fn call_text(content: &str, name: &str, given: &[Operand]) -> Result<Operand, TemplateError> {
    let argument = |at: usize| given.get(at).map_or_else(|| "undefined".to_owned(), Operand::to_text);
    let units = js::units(content);
    Ok(match name {
        "toUpperCase" => Operand::text(&content.to_uppercase()),
        "toLowerCase" => Operand::text(&content.to_lowercase()),
        "toString" => Operand::text(content),
        "trim" => Operand::text(js::trim(content)),
        "trimEnd" => Operand::text(content.trim_end_matches(js::is_space)),
        "includes" => Operand::Bool(content.contains(&argument(0))),
        "startsWith" => Operand::Bool(content.starts_with(&argument(0))),
        "endsWith" => Operand::Bool(content.ends_with(&argument(0))),
        "indexOf" | "lastIndexOf" => {
            let needle = argument(0);
            let at = if name == "indexOf" { content.find(&needle) } else { content.rfind(&needle) };
            index_or_none(at.map(|at| js::units(&content[..at]).len()))
        }
        "charAt" => {
            let at = given.first().map_or(0.0, Operand::to_number);
            match Operand::text(content).member(&Operand::Number(at)) {
                found @ Operand::Text(_) => found,
                _ => Operand::text(""),
            }
        }
        "slice" => {
            let (from, to) = (place(given.first(), 0, units.len()), place(given.get(1), units.len(), units.len()));
            Operand::from_units(&units[from..to.max(from)])
        }
        "substring" => {
            let end = |at: usize, default: usize| {
                let number = given.get(at).map(|given| Operand::Number(given.to_number().max(0.0)));
                place(number.as_ref(), default, units.len())
            };
            let (from, to) = (end(0, 0), end(1, units.len()));
            Operand::from_units(&units[from.min(to)..from.max(to)])
        }
        "concat" => Operand::text(&given.iter().fold(content.to_owned(), |all, more| all + &more.to_text())),
        "repeat" => {
            let count = given.first().map_or(0.0, Operand::to_number);
            if !(0.0..=LONGEST).contains(&(count * content.len() as f64)) {
                return Err(TemplateError::limit("a text would be repeated too often"));
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
            let count = count as usize;
            Operand::text(&content.repeat(count))
        }
        "padStart" => Operand::text(&(padding(units.len(), given) + content)),
        "padEnd" => Operand::text(&(content.to_owned() + &padding(units.len(), given))),
        "replace" => Operand::text(&content.replacen(&argument(0), &argument(1), 1)),
        "replaceAll" => Operand::text(&content.replace(&argument(0), &argument(1))),
        _ => Operand::list(split(content, given.first())),
    })
}

/// What makes a text of so many units as long as is asked for.
fn padding(length: usize, given: &[Operand]) -> String {
    let target = given.first().map_or(0.0, Operand::to_number).min(LONGEST);
    let pad = js::units(&given.get(1).map_or_else(|| " ".to_owned(), Operand::to_text));
    let mut filled = Vec::new();
    while !pad.is_empty() && ((length + filled.len()) as f64) < target {
        filled.push(pad[filled.len() % pad.len()]);
    }
    String::from_utf16_lossy(&filled)
}

fn split(content: &str, separator: Option<&Operand>) -> Vec<Operand> {
    match separator {
        None | Some(Operand::Undefined) => vec![Operand::text(content)],
        Some(separator) => match separator.to_text() {
            empty if empty.is_empty() => Operand::letters(content),
            separator => content.split(&separator).map(Operand::text).collect(),
        },
    }
}

fn call_list(items: &[Operand], name: &str, given: &[Operand]) -> Operand {
    match name {
        "join" => {
            let separator = given.first().map_or_else(|| ",".to_owned(), Operand::to_text);
            Operand::text(&join(items, &separator))
        }
        "includes" | "indexOf" => {
            let at = given.first().and_then(|item| items.iter().position(|other| other.equals(item, true)));
            if name == "includes" { Operand::Bool(at.is_some()) } else { index_or_none(at) }
        }
        "reverse" => Operand::list(items.iter().rev().cloned().collect()),
        "slice" => {
            let from = place(given.first(), 0, items.len());
            let to = place(given.get(1), items.len(), items.len()).max(from);
            Operand::list(items[from..to].to_vec())
        }
        "concat" => {
            let mut all = items.to_vec();
            for more in given {
                match more {
                    Operand::List(more) => all.extend(more.iter().cloned()),
                    other => all.push(other.clone()),
                }
            }
            Operand::list(all)
        }
        _ => Operand::text(&join(items, ",")),
    }
}

fn join(items: &[Operand], separator: &str) -> String {
    items.iter().map(Operand::printed).collect::<Vec<_>>().join(separator)
}
