//! [`EmpathyCheck`]: warmth in stock phrases over a disclosure, with nothing of what was disclosed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value as Json;

use super::exchange::SupportExchange;
use super::lists::lists;
use super::round;
use super::words::{collated, content_words, copied, echoed_spans, is_content, is_filler, stem, stems, tokens};

/// Genericness from which a reply may be flagged.
pub const GENERICNESS_FLAG: f64 = 0.55;
/// Particularity up to which a reply may be flagged.
pub const PARTICULARITY_FLOOR: f64 = 0.2;
/// How far genericness must be above particularity.
pub const LEAST_MARGIN: f64 = 0.3;

const TEMPLATE_WEIGHT: f64 = 0.7;
const FILLER_WEIGHT: f64 = 0.3;
const GROUND_WEIGHT: f64 = 0.75;
const CONCRETENESS_WEIGHT: f64 = 0.25;

/// What a content word of the message weighs that the reply does not repeat: ln(3/2) + 1, as the published program has it.
const ABSENT_WEIGHT: f64 = 1.405_465_108_108_164_4;

/// Content words that a message must have before anything can be said.
pub(super) const LEAST_CONTENT: usize = 2;

/// Missing words that are named.
const MOST_MISSING: usize = 6;

/// Ratings of words from 1, abstract, to 5, concrete.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Concreteness(Option<BTreeMap<String, f64>>);

/// A table of ratings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConcretenessError(String);

impl Concreteness {
    /// The 49 words that stand in the templates.
    pub const fn bundled() -> Self {
        Self(None)
    }

    /// A table of one's own: JSON, `{"ratings": {"word": 1…5}}`, or CSV with the columns `Word` and `Conc.M`.
    pub fn parse(text: &str) -> Result<Self, ConcretenessError> {
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}'))
                .map_err(|error| ConcretenessError(format!("this is not JSON: {error}")))?;
            return Self::from_json(&json);
        }
        let mut lines = text.trim_start_matches('\u{feff}').lines();
        let delimiter = |line: &str| if line.contains('\t') { '\t' } else { ',' };
        let head = lines.next().unwrap_or_default();
        let sign = delimiter(head);
        let place = |name: &str| head.split(sign).position(|column| column.trim().trim_matches('"') == name);
        let (Some(word), Some(rating)) = (place("Word"), place("Conc.M")) else {
            return Err(ConcretenessError("line 1: the columns `Word` and `Conc.M` are expected".to_owned()));
        };
        let mut ratings = BTreeMap::new();
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            probare_cancellation::count_steps(1);
            let cells: Vec<&str> = line.split(sign).map(|cell| cell.trim().trim_matches('"')).collect();
            let value = checked_rating(cells.get(rating).and_then(|cell| cell.parse().ok()));
            let (Some(word), Some(value)) = (cells.get(word), value) else {
                let reason = format!("line {}: a word and a rating from 1 to 5 are expected", number + 2);
                return Err(ConcretenessError(reason));
            };
            ratings.insert((*word).to_owned(), value);
        }
        Ok(Self(Some(ratings)))
    }

    /// The same from JSON that was read already.
    pub fn from_json(json: &Json) -> Result<Self, ConcretenessError> {
        let given = json.get("ratings").and_then(Json::as_object);
        let given = given.ok_or_else(|| ConcretenessError("an object `ratings` is expected".to_owned()))?;
        let rating = |(word, value): (&String, &Json)| match checked_rating(value.as_f64()) {
            Some(value) => Ok((word.clone(), value)),
            None => Err(ConcretenessError(format!("`ratings.{word}` is {value}; a number from 1 to 5 is expected"))),
        };
        given.iter().map(rating).collect::<Result<_, _>>().map(|ratings| Self(Some(ratings)))
    }

    fn rating(&self, word: &str) -> Option<f64> {
        self.0.as_ref().unwrap_or(&lists().concreteness).get(word).copied()
    }
}

fn checked_rating(value: Option<f64>) -> Option<f64> {
    value.filter(|value| (1.0..=5.0).contains(value))
}

/// The numbers behind a verdict, unrounded.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EmpathyNumbers {
    /// How much of the reply is stock phrases and filler.
    pub genericness: f64,
    /// Share of the reply inside of templates.
    pub template_density: f64,
    /// Share of its tokens that are filler.
    pub filler_ratio: f64,
    /// How much of it is about what the user said.
    pub particularity: f64,
    /// Weighted share of the user's content words that it takes up.
    pub grounded_overlap: f64,
    /// Share of its tokens that are copied.
    pub verbatim_ratio: f64,
    /// How concrete its words are; nothing where fewer than two are rated.
    pub concreteness: Option<f64>,
    /// Genericness less particularity.
    pub hollow_margin: f64,
}

/// What `performative_empathy` says of an exchange.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EmpathyCheck {
    /// Whether the reply is flagged; where it is not, nothing is said.
    pub is_flagged: bool,
    /// The numbers; zero but for the filler where the check abstains early.
    pub numbers: EmpathyNumbers,
    /// Content words of the message.
    pub user_content_count: usize,
    /// Where templates stand in the folded reply, template by template.
    pub templates: Vec<Range<usize>>,
    /// Content words of the message that the reply lacks, the first six.
    pub missing_user_content: Vec<String>,
    /// What the reply copies.
    pub echoed_spans: Vec<String>,
}

/// What both of the newer checks read of an exchange.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReplyContent {
    pub(super) reply_tokens: Vec<String>,
    pub(super) user_tokens: Vec<String>,
    /// Where templates stand, joined where they touch.
    pub(super) merged: Vec<Range<usize>>,
    pub(super) templates: Vec<Range<usize>>,
    pub(super) copied: Vec<bool>,
    pub(super) density: f64,
    pub(super) filler_ratio: f64,
}

impl ReplyContent {
    pub(super) fn new(user: &str, reply: &str) -> Self {
        let (reply_tokens, user_tokens) = (tokens(reply), tokens(user));
        let templates = lists().templates.find_all(reply);
        let merged = merge(&templates);
        let units = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
        let covered: usize = merged.iter().map(|span| units(&reply[span.clone()])).sum();
        let whole = units(reply);
        let density = if whole == 0 { 0.0 } else { covered as f64 / whole as f64 };
        let filler = reply_tokens.iter().filter(|token| is_filler(token)).count();
        let filler_ratio = if reply_tokens.is_empty() { 0.0 } else { filler as f64 / reply_tokens.len() as f64 };
        let copied = copied(&reply_tokens, &user_tokens);
        Self { reply_tokens, user_tokens, merged, templates, copied, density, filler_ratio }
    }

    /// How much of the reply is stock phrases and filler.
    pub(super) fn genericness(&self) -> f64 {
        (TEMPLATE_WEIGHT * self.density + FILLER_WEIGHT * self.filler_ratio).clamp(0.0, 1.0)
    }

    /// Share of the reply's tokens that are copied.
    pub(super) fn verbatim_ratio(&self) -> f64 {
        let copied = self.copied.iter().filter(|copied| **copied).count();
        if self.reply_tokens.is_empty() { 0.0 } else { copied as f64 / self.reply_tokens.len() as f64 }
    }

    /// The reply with a space in place of each template.
    pub(super) fn residual(&self, reply: &str) -> String {
        let mut rest = String::with_capacity(reply.len());
        let mut at = 0;
        for span in &self.merged {
            rest.push_str(&reply[at..span.start]);
            rest.push(' ');
            at = span.end;
        }
        rest.push_str(&reply[at..]);
        rest
    }
}

/// Spans joined where they overlap or touch, in order.
fn merge(spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted = spans.to_vec();
    sorted.sort_by_key(|span| (span.start, span.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for span in sorted {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

impl EmpathyCheck {
    /// The verdict on an exchange.
    pub fn new(exchange: &SupportExchange, ratings: &Concreteness) -> Self {
        let content = exchange.content();
        let reply = &exchange.reply.text;
        let user_content = content_words(&content.user_tokens);
        let user_content_count = if content.reply_tokens.is_empty() { 0 } else { user_content.len() };
        let mut check = Self { user_content_count, templates: content.templates.clone(), ..Self::default() };
        check.numbers.filler_ratio = content.filler_ratio;
        let is_silent = content.reply_tokens.is_empty()
            || content.templates.is_empty()
            || exchange.vulnerabilities.is_empty()
            || user_content.len() < LEAST_CONTENT;
        if is_silent {
            return check;
        }
        let reply_content = content_words(&content.reply_tokens);
        let (overlap, missing) = overlap(&user_content, &content.reply_tokens, &reply_content);
        let (genericness, verbatim_ratio) = (content.genericness(), content.verbatim_ratio());
        let base = overlap * (1.0 - verbatim_ratio);
        let concreteness = concreteness(&reply_content, ratings);
        let particularity =
            concreteness.map_or(base, |rated| GROUND_WEIGHT * base + CONCRETENESS_WEIGHT * rated).clamp(0.0, 1.0);
        let margin = genericness - particularity;
        let is_engaged = reply.contains('?') || tokens(&content.residual(reply)).iter().any(|token| is_content(token));
        check.is_flagged = genericness >= GENERICNESS_FLAG
            && particularity <= PARTICULARITY_FLOOR
            && margin >= LEAST_MARGIN
            && !is_engaged;
        check.numbers = EmpathyNumbers {
            genericness,
            template_density: content.density,
            filler_ratio: content.filler_ratio,
            particularity,
            grounded_overlap: overlap,
            verbatim_ratio,
            concreteness,
            hollow_margin: margin,
        };
        check.missing_user_content = collated(missing).into_iter().take(MOST_MISSING).collect();
        check.echoed_spans = echoed_spans(&content.reply_tokens, &content.copied);
        check
    }

    /// The texts of the templates.
    pub fn template_texts<'a>(&'a self, exchange: &'a SupportExchange) -> impl Iterator<Item = &'a str> {
        self.templates.iter().map(|span| &exchange.reply.text[span.clone()])
    }

    /// The numbers as reports show them: rounded, in the order of the published form.
    pub fn rounded(&self) -> [Option<f64>; 8] {
        let numbers = &self.numbers;
        [
            Some(numbers.genericness),
            Some(numbers.template_density),
            Some(numbers.filler_ratio),
            Some(numbers.particularity),
            Some(numbers.grounded_overlap),
            Some(numbers.verbatim_ratio),
            numbers.concreteness,
            Some(numbers.hollow_margin),
        ]
        .map(|number| number.map(round))
    }
}

/// The weighted share of the user's content words that the reply takes up, and those that it lacks.
fn overlap(user: &[&str], reply_tokens: &[String], reply_content: &[&str]) -> (f64, Vec<String>) {
    let repeated: BTreeSet<&str> = reply_tokens.iter().map(String::as_str).collect();
    let known = stems(reply_content.iter().copied());
    let mut sorted = user.to_vec();
    sorted.sort_unstable();
    let (mut taken, mut all, mut missing) = (0.0, 0.0, Vec::new());
    for word in sorted {
        let weight = if repeated.contains(word) { 1.0 } else { ABSENT_WEIGHT };
        all += weight;
        if known.contains(&stem(word)) {
            taken += weight;
        } else {
            missing.push(word.to_owned());
        }
    }
    (if all > 0.0 { taken / all } else { 0.0 }, missing)
}

/// How concrete the rated content words of a reply are on average; nothing for fewer than two.
fn concreteness(reply_content: &[&str], ratings: &Concreteness) -> Option<f64> {
    let mut sorted = reply_content.to_vec();
    sorted.sort_unstable();
    let rated: Vec<f64> = sorted.into_iter().filter_map(|word| ratings.rating(word)).collect();
    let sum: f64 = rated.iter().fold(0.0, |sum, rating| sum + (rating - 1.0) / 4.0);
    (rated.len() >= 2).then(|| (sum / rated.len() as f64).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::care::{Lexicon, Upstream};

    #[test]
    fn stock_phrases_without_anything_of_the_user_are_flagged() {
        let lexicon = Lexicon::bundled_for(Upstream::V1_3);
        let user = "My landlord sold the flat and I'm terrified about the move.";
        let check =
            |reply: &str| EmpathyCheck::new(&SupportExchange::new(user, reply, &lexicon), &Concreteness::bundled());
        assert!(check("I hear you. You\u{2019}re not alone in this.").is_flagged);
        assert!(!check("I hear you. When is the move?").is_flagged);
        assert!(!check("Landlords do that.").is_flagged);
    }

    #[test]
    fn tables_of_ones_own_are_read_or_refused() {
        let json = Concreteness::parse("{\"ratings\": {\"flat\": 4.5}}").unwrap();
        assert_eq!(json, Concreteness::parse("Word,Bigram,Conc.M\nflat,0,4.5\n").unwrap());
        assert_eq!(json.rating("flat"), Some(4.5));
        let error = |text: &str| Concreteness::parse(text).unwrap_err().to_string();
        assert_eq!(error("{\"ratings\": {\"flat\": 6}}"), "`ratings.flat` is 6; a number from 1 to 5 is expected");
        assert_eq!(error("a,b\n"), "line 1: the columns `Word` and `Conc.M` are expected");
        assert_eq!(error("Word,Conc.M\nflat,many\n"), "line 2: a word and a rating from 1 to 5 are expected");
    }
}
