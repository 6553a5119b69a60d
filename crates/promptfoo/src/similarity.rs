//! `bleu`, `gleu` and `rouge-n`: overlap of words with references.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;

/// The longest sequences of words that are compared.
const LONGEST: usize = 4;

/// What takes the place of an order of which nothing matches, in `bleu`.
const NEARLY_ZERO: f64 = 1e-7;

/// Threshold of `bleu`, `gleu` and `meteor`.
pub(crate) const DEFAULT_THRESHOLD: f64 = 0.5;

/// Threshold of `rouge-n`.
const ROUGE_THRESHOLD: f64 = 0.75;

pub(crate) fn judge(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let references = references(assertion)?;
    let (measure, threshold) = match assertion.kind.as_str() {
        "bleu" => (bleu(&answer.text, &references), DEFAULT_THRESHOLD),
        "gleu" => (gleu(&answer.text, &references), DEFAULT_THRESHOLD),
        _ => {
            let Some(Value::String(reference)) = &assertion.value else {
                return error("`rouge-n` needs a text");
            };
            (rouge_1(&answer.text, reference), ROUGE_THRESHOLD)
        }
    };
    Ok(measured(assertion, measure, threshold))
}

/// A measure held against the threshold, or turned round with it.
pub(crate) fn measured(assertion: &Assertion, measure: f64, default: f64) -> Verdict {
    let passes = measure >= assertion.threshold().unwrap_or(default);
    let score = if assertion.negated { 1.0 - measure } else { measure };
    Verdict::scored(passes != assertion.negated, score)
}

/// The texts to compare with.
pub(crate) fn references(assertion: &Assertion) -> Result<Vec<&str>, Fault> {
    let texts: Option<Vec<&str>> = match &assertion.value {
        Some(Value::String(text)) => Some(vec![text]),
        Some(Value::Array(items)) if !items.is_empty() => items.iter().map(Value::as_str).collect(),
        _ => None,
    };
    match texts {
        Some(texts) => Ok(texts),
        None => error(format!("`{}` needs a text, or a list of texts", assertion.name())),
    }
}

/// Lower-cased words; a blank text has one empty word, as in JavaScript.
fn lower_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<String> = js::words(&lower).map(str::to_owned).collect();
    if words.is_empty() { vec![String::new()] } else { words }
}

/// How often each sequence of `length` words occurs.
fn count_grams(words: &[String], length: usize) -> FxHashMap<&[String], usize> {
    probare_cancellation::count_steps(1 + words.len());
    let mut counts = FxHashMap::default();
    for gram in words.windows(length) {
        *counts.entry(gram).or_insert(0) += 1;
    }
    counts
}

/// Sequences of the candidate that the reference has, each as often as there at most.
fn matches(candidate: &[String], reference: &[String], length: usize) -> usize {
    let wanted = count_grams(reference, length);
    let clipped = |(gram, count): (&[String], usize)| count.min(wanted.get(gram).copied().unwrap_or(0));
    count_grams(candidate, length).into_iter().map(clipped).sum()
}

/// Sequences of a length in so many words.
fn gram_count(words: usize, length: usize) -> usize {
    (words + 1).saturating_sub(length)
}

fn bleu(candidate: &str, references: &[&str]) -> f64 {
    if js::trim(candidate).is_empty() {
        return 0.0;
    }
    let candidate = lower_words(candidate);
    let references: Vec<Vec<String>> = references.iter().map(|text| lower_words(text)).collect();
    let orders: Vec<usize> = (1..=LONGEST).filter(|length| candidate.len() >= *length).collect();
    let weight = 1.0 / LONGEST as f64;
    let total: f64 = orders.iter().map(|_| weight).sum();
    let mean: f64 = orders
        .iter()
        .map(|length| {
            let best = references.iter().map(|reference| matches(&candidate, reference, *length)).max().unwrap_or(0);
            let precision = best as f64 / gram_count(candidate.len(), *length) as f64;
            weight / total * (if precision == 0.0 { NEARLY_ZERO } else { precision }).ln()
        })
        .sum();
    let length = candidate.len();
    let closest = references.iter().map(Vec::len).min_by_key(|other| (other.abs_diff(length), *other)).unwrap_or(0);
    let brevity = if length > closest { 1.0 } else { (1.0 - closest as f64 / length as f64).exp() };
    brevity * mean.exp()
}

/// GLEU after Wu et al. (2016), as promptfoo computes it: matches of sequences of one to four words, divided by the greater of
/// both totals; the best reference counts. Final full stops of words do not.
pub fn gleu(candidate: &str, references: &[&str]) -> f64 {
    let words = |text: &str| {
        let words: Vec<String> = lower_words(text).iter().map(|word| word.trim_end_matches('.').to_owned()).collect();
        if words.iter().all(String::is_empty) { Vec::new() } else { words }
    };
    let candidate = words(candidate);
    if candidate.is_empty() {
        return 0.0;
    }
    let total = |words: &[String]| (1..=LONGEST).map(|length| gram_count(words.len(), length)).sum::<usize>();
    let scores = references.iter().map(|reference| {
        let reference = words(reference);
        if candidate == reference {
            return 1.0;
        }
        let matched: usize = (1..=LONGEST).map(|length| matches(&candidate, &reference, length)).sum();
        matched as f64 / total(&candidate).max(total(&reference)) as f64
    });
    scores.fold(0.0, f64::max)
}

/// F1 of single words.
fn rouge_1(candidate: &str, reference: &str) -> f64 {
    let (candidate, reference) = (treebank_words(candidate), treebank_words(reference));
    if candidate.is_empty() || reference.is_empty() {
        return 0.0;
    }
    let matched = matches(&candidate, &reference, 1) as f64;
    if matched == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (matched / candidate.len() as f64, matched / reference.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

/// The words of a text by the rules of the Penn Treebank, as js-rouge has them.
fn treebank_words(text: &str) -> Vec<String> {
    let is_space = |letter: char| js::is_space(letter) || letter == '\u{85}';
    let lower = text.to_lowercase();
    let plain: Vec<&str> = lower.split(is_space).filter(|word| !word.is_empty()).collect();
    let text = space_quotes(&plain.join(" "));
    let text = space_punctuation(&text);
    let text = split_clitics(&format!(" {text} "));
    let text = split_contractions(&text);
    text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Opening and closing double quotes as signs of their own.
fn space_quotes(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let (mut out, mut at, mut is_inside) = (String::new(), 0, false);
    while at < letters.len() {
        let pair = letters.get(at + 1).map(|next| (letters[at], *next));
        let length = match (letters[at], pair) {
            ('"', _) => 1,
            (_, Some(('`', '`') | ('\'', '\''))) => 2,
            (letter, _) => {
                out.push(letter);
                at += 1;
                continue;
            }
        };
        let before = at.checked_sub(1).map(|at| letters[at]);
        let opens = before.is_none_or(|letter| js::is_space(letter) || "([{<:".contains(letter));
        let is_opening = opens && !is_inside;
        out.push_str(if is_opening { " `` " } else { " '' " });
        is_inside = is_opening;
        at += length;
    }
    out
}

fn space_punctuation(text: &str) -> String {
    let letters: Vec<char> = text.trim_end().chars().collect();
    let closes = |letter: &char| matches!(letter, ']' | ')' | '}' | '>' | '"' | '\'' | ' ');
    let last = letters.iter().rposition(|letter| !closes(letter));
    let is_final = |at: usize| {
        Some(at) == last
            && at > 0
            && letters[at - 1] != '.'
            && !(at >= 2 && letters[at - 2] == '.' && letters[at - 1] != ' ')
    };
    let (mut out, mut at) = (String::new(), 0);
    while at < letters.len() {
        let letter = letters[at];
        let next = letters.get(at + 1).copied();
        let spaced = match letter {
            '.' if letters[at..].starts_with(&['.', '.', '.']) => {
                out.push_str(" ... ");
                at += 3;
                continue;
            }
            '-' if next == Some('-') => {
                out.push_str(" -- ");
                at += 2;
                continue;
            }
            ':' | ',' => next.is_none_or(|next| !next.is_ascii_digit()),
            ';' | '@' | '#' | '$' | '%' | '&' | '?' | '!' | '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' => true,
            '.' => is_final(at),
            _ => false,
        };
        if spaced {
            out.push_str(&format!(" {letter} "));
        } else {
            out.push(letter);
        }
        at += 1;
    }
    out
}

/// Blanks before endings such as `'s` and `n't`, and before a closing single quote.
fn split_clitics(text: &str) -> String {
    text.split(' ').map(split_clitic).collect::<Vec<_>>().join(" ")
}

/// The same in one word.
fn split_clitic(word: &str) -> String {
    if word == "''" || word == "``" {
        return word.to_owned();
    }
    for ending in ["'s", "'m", "'d", "'ll", "'re", "'ve", "n't"] {
        if let Some(stem) = word.strip_suffix(ending) {
            return format!("{stem} {ending}");
        }
    }
    match word.strip_suffix('\'') {
        Some(stem) if !stem.is_empty() && !stem.ends_with('\'') => format!("{stem} '"),
        _ => word.to_owned(),
    }
}

/// Words that are two, and where they are cut.
const CONTRACTIONS: [(&str, &str); 10] = [
    ("can", "not"),
    ("d", "'ye"),
    ("gim", "me"),
    ("gon", "na"),
    ("got", "ta"),
    ("lem", "me"),
    ("more", "'n"),
    ("wan", "na"),
    ("'t", "is"),
    ("'t", "was"),
];

fn split_contractions(text: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut text = text.to_owned();
    for (left, right) in CONTRACTIONS {
        let whole = format!("{left}{right}");
        let (mut out, mut rest) = (String::new(), text.as_str());
        while let Some(at) = rest.find(&whole) {
            let (before, after) = (&rest[..at], &rest[at + whole.len()..]);
            let begins = left.starts_with('\'') || !before.ends_with(is_word);
            let ends = if left == "wan" { after.starts_with(' ') } else { !after.starts_with(is_word) };
            out.push_str(before);
            out.push_str(&if begins && ends { format!(" {left} {right} ") } else { whole.clone() });
            rest = after;
        }
        out.push_str(rest);
        text = out;
    }
    text
}
