//! What an alignment is made of: words of content and of logic, names, numbers and dates. Words that only join are none.

use std::ops::Range;

use probare_nlp::lexicon::{Sort, Sorts, entry};
use probare_nlp::reading::{Reading, Sentence};
use probare_text::dates::{Date, Fields, Meaning};
use probare_text::quantities::{self, Kind as Counted, Quantity};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::super::conversion::{self, Approach};
use super::super::had::Had;
use super::super::sources::{Sources, StemId, parts};
use super::super::support::is_name;

/// A number or a date with its place.
pub(super) struct Value {
    chunk: usize,
    span: Range<usize>,
    meaning: Reads,
}

enum Reads {
    Number(Quantity),
    Date(Date),
}

/// The numbers and dates of some texts, in order, none inside another.
pub(super) fn values(had: &Had) -> Vec<Value> {
    let numbers = had.quantities.iter().map(|(chunk, found)| Value {
        chunk: *chunk,
        span: found.span.clone(),
        meaning: Reads::Number(found.clone()),
    });
    let dates = had.dates.iter().filter_map(|(chunk, date)| {
        let is_calendar = matches!(date.meaning, Meaning::Calendar { .. });
        is_calendar.then(|| Value { chunk: *chunk, span: date.span.clone(), meaning: Reads::Date(date.clone()) })
    });
    let mut all: Vec<Value> = dates.chain(numbers).collect();
    // The sort is stable: of a year, which is both, the date comes first and stays.
    all.sort_by_key(|value| (value.chunk, value.span.start, std::cmp::Reverse(value.span.end)));
    let mut end = (0, 0);
    all.retain(|value| {
        let is_free = (value.chunk, value.span.start) >= end;
        if is_free {
            end = (value.chunk, value.span.end);
        }
        is_free
    });
    all
}

/// How two values of the same place differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Differs {
    /// Another number of the same unit.
    Number,
    /// The same number of another unit.
    Unit,
    /// Another date, weekday or time.
    Date,
}

impl Value {
    /// Whether this value of a context says what a response says.
    fn bears_out(&self, said: &Self) -> bool {
        match (&self.meaning, &said.meaning) {
            (Reads::Number(had), Reads::Number(said)) => {
                // A bare number is none of a unit: "no more than eight" is not eight hours.
                (said.kind == Counted::Cardinal) == (had.kind == Counted::Cardinal)
                    && (quantities::supports(had, said) || conversion::bears_out(had, said, Approach::Exact, 3))
            }
            (Reads::Date(had), Reads::Date(said)) => probare_text::dates::supports(had, said),
            _ => false,
        }
    }

    /// How another value of the same sort differs; nothing where both may hold or are of different sorts.
    pub(super) fn differs(&self, had: &Self) -> Option<Differs> {
        if had.bears_out(self) || self.bears_out(had) {
            return None;
        }
        match (&self.meaning, &had.meaning) {
            (Reads::Number(said), Reads::Number(had)) => {
                let is_plain = |quantity: &Quantity| quantity.kind == Counted::Cardinal;
                if (said.value - had.value).abs() < 1e-9 {
                    return (!is_plain(said) && !is_plain(had)).then_some(Differs::Unit);
                }
                // "Two thirds of them" leaves open how many.
                let is_part = |quantity: &Quantity| is_plain(quantity) && quantity.value.fract() != 0.0;
                let can_compare = is_part(said) == is_part(had) && conversion::is_same_sort(had, said);
                can_compare.then_some(Differs::Number)
            }
            (Reads::Date(said), Reads::Date(had)) => match (&said.meaning, &had.meaning) {
                (Meaning::Calendar { fields: said, other: None }, Meaning::Calendar { fields: had, other: None }) => {
                    conflict(said, had).then_some(Differs::Date)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value of the same sort could stand in its place.
    pub(super) fn is_same_sort(&self, other: &Self) -> bool {
        match (&self.meaning, &other.meaning) {
            (Reads::Number(_), Reads::Number(_)) | (Reads::Date(..), Reads::Date(..)) => true,
            (Reads::Number(_), Reads::Date(..)) | (Reads::Date(..), Reads::Number(_)) => false,
        }
    }
}

/// Whether a field that both dates name is another one in each.
fn conflict(said: &Fields, had: &Fields) -> bool {
    fn other<T: PartialEq>(said: Option<T>, had: Option<T>) -> bool {
        said.zip(had).is_some_and(|(said, had)| said != had)
    }
    other(said.year, had.year)
        || other(said.month, had.month)
        || other(said.day, had.day) && said.month.is_some() == had.month.is_some()
        || other(said.weekday, had.weekday)
        // Half a day apart, one of them may be told by the hands of the clock.
        || other(said.minute.map(|minute| minute % 720), had.minute.map(|minute| minute % 720))
        || other(said.quarter, had.quarter)
}

/// What a unit is.
#[derive(Clone, Copy)]
pub(super) enum Kind<'a> {
    Word,
    Name,
    Value(&'a Value),
    /// A word of logic, by the first word of its entry in the lexicon.
    Logic(&'static str),
}

/// A word, name or value of a sentence.
pub(super) struct Unit<'a> {
    pub kind: Kind<'a>,
    pub word: &'a str,
    /// Its stem, where the context has it.
    pub stem: Option<StemId>,
    /// Its first token.
    pub token: usize,
    /// Its bytes.
    pub span: Range<usize>,
    /// The sentence of the context; 0 in the response.
    pub sentence: usize,
    /// Marks of any kind that precede it in the sentence.
    pub clause: u32,
    /// Marks and joining words that set whole clauses apart.
    pub part: u32,
    /// The word before it, articles and the like aside.
    pub lead: &'a str,
    /// Whether it tells that something is said, planned or doubted.
    pub is_claim: bool,
}

impl<'a> Unit<'a> {
    pub(super) fn value(&self) -> Option<&'a Value> {
        if let Kind::Value(value) = self.kind { Some(value) } else { None }
    }

    pub(super) fn logic(&self) -> Option<&'static str> {
        if let Kind::Logic(class) = self.kind { Some(class) } else { None }
    }

    pub(super) const fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Name)
    }

    /// Whether a unit of the context says the same as this one of the response.
    pub(super) fn meets(&self, had: &Self) -> bool {
        match (self.kind, had.kind) {
            (Kind::Value(said), Kind::Value(had)) => had.bears_out(said),
            (Kind::Logic(said), Kind::Logic(had)) => said == had,
            (Kind::Word | Kind::Name, Kind::Word | Kind::Name) => self.stem.is_some() && self.stem == had.stem,
            _ => false,
        }
    }

    /// Whether both are values of one sort or both are names, so that one could stand for the other.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self.kind, other.kind) {
            (Kind::Value(one), Kind::Value(other)) => one.is_same_sort(other),
            (Kind::Name, Kind::Name) => true,
            _ => false,
        }
    }

    /// Whether it is led by the same word that ties it to its role as a unit of the context: from, to, by.
    pub(super) fn is_led_as(&self, had: &Self) -> bool {
        binds(self.lead) && self.lead == had.lead
    }

    /// Whether it has another role than a unit of the context: "to twelve" is not "from twelve".
    pub(super) fn is_led_otherwise(&self, had: &Self) -> bool {
        binds(self.lead) && binds(had.lead) && self.lead != had.lead
    }

    /// Whether it has so little content that it may come in.
    pub(super) fn is_light(&self) -> bool {
        let is_plain = |word: &str| probare_nlp::lexicon::sorts(word).has(Sort::Light);
        matches!(self.kind, Kind::Word)
            && (is_plain(self.word)
                || [PartOfSpeech::Verb, PartOfSpeech::Noun]
                    .into_iter()
                    .any(|part| WordNet::embedded().base_forms(self.word, part).iter().any(|form| is_plain(form))))
    }
}

/// Whether a word ties the one behind it to a role.
fn binds(word: &str) -> bool {
    matches!(word, "from" | "to" | "by" | "against" | "into" | "between")
}

/// Sorts that tell what somebody says or thinks.
const CLAIMS: Sorts = Sorts::of(&[Sort::Saying, Sort::Opining, Sort::Claimed, Sort::Reserve]);

/// The units of a sentence from a token on. `values` are those of its text, in order.
pub(super) fn units<'a>(
    reading: &'a Reading,
    sentence: &Sentence,
    from: usize,
    number: usize,
    values: &'a [Value],
    sources: &Sources,
) -> Vec<Unit<'a>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    let (mut clause, mut part) = (0, 0);
    let mut lead = "";
    let mut next_value = values
        .partition_point(|value| value.span.end <= reading.tokens.get(from).map_or(0, |token| token.origin.start));
    let mut token = from;
    while token < sentence.tokens.end {
        probare_cancellation::steps(1);
        let found = &reading.tokens[token];
        let word = reading.word(token);
        let at = token;
        token += 1;
        while values.get(next_value).is_some_and(|value| value.span.end <= found.origin.start) {
            next_value += 1;
        }
        let unit = |kind: Kind<'a>, word: &'a str, stem: Option<StemId>, span: Range<usize>| Unit {
            kind,
            word,
            stem,
            token: at,
            span,
            sentence: number,
            clause,
            part,
            lead,
            is_claim: found.sorts.has_any(CLAIMS),
        };
        if let Some(value) = values.get(next_value).filter(|value| value.span.start < found.origin.end) {
            units.push(unit(Kind::Value(value), word, sources.stem(word), value.span.clone()));
            next_value += 1;
            while token < sentence.tokens.end && reading.tokens[token].origin.start < value.span.end {
                token += 1;
            }
            lead = "";
            continue;
        }
        if !found.is_word {
            if matches!(word, "," | ";" | ":" | "(" | ")" | "-" | ".") {
                clause += 1;
                let joins =
                    matches!(reading.word(token), "and" | "but" | "while" | "whereas" | "although" | "though" | "so");
                part += u32::from(word == ";" || matches!(word, "," | ")") && joins);
            }
            continue;
        }
        let near = |ahead: usize| {
            let is_here = at + ahead < sentence.tokens.end && reading.tokens[at + ahead].is_word;
            if is_here { reading.word(at + ahead) } else { "" }
        };
        let logic = if found.sorts.has(Sort::Contraction) { Some(("not", 1)) } else { entry(Sort::Logic, near) };
        // "About the coach" is no rounding.
        let before_value = |token: usize| {
            let next = reading.tokens.get(token).map_or(0..0, |token| token.origin.clone());
            values[next_value..].iter().take(1).any(|value| value.span.start < next.end && next.start < value.span.end)
        };
        let logic = logic.filter(|(class, length)| *class != "about" || before_value(at + length));
        if let Some((class, length)) = logic {
            token = at + length;
            let end = reading.tokens[token - 1].origin.end;
            units.push(unit(Kind::Logic(class), word, None, found.origin.start..end));
        } else if !found.sorts.has(Sort::Function) {
            let kind = if found.is_capital && is_name(reading, sentence, at) { Kind::Name } else { Kind::Word };
            for part in parts(word) {
                units.push(unit(kind, part, sources.stem(part), found.origin.clone()));
            }
        }
        // "By the owner" leads with *by*.
        if !found.sorts.has(Sort::Determiner) {
            lead = word;
        }
    }
    units
}

/// The values of a chunk.
pub(super) fn of_chunk(values: &[Value], chunk: usize) -> &[Value] {
    let from = values.partition_point(|value| value.chunk < chunk);
    let to = values.partition_point(|value| value.chunk <= chunk);
    &values[from..to]
}
