//! What an alignment is made of: words of content and of logic, names, numbers and dates. Words that only join are none.

use std::cell::OnceCell;
use std::ops::Range;

use probare_nlp::lexicon::{Sort, Sorts, entry};
use probare_nlp::reading::{Reading, Sentence};
use probare_text::dates::Fields;
use probare_text::quantities::{Amount, How, Index, Scale, Sense};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::super::sources::{Sources, StemId, parts};
use super::super::support::is_name;

/// A number or a date with its place.
pub(super) struct Value {
    chunk: usize,
    amount: Amount,
    /// What it bears out.
    index: OnceCell<Index>,
}

/// The numbers and dates of some texts that were read, in order, none inside another. Ordinals in words are words.
pub(super) fn values(read: impl Iterator<Item = (usize, Amount)>, chunks: &[&str]) -> Vec<Value> {
    let is_word = |chunk: usize, amount: &Amount| {
        amount.sense().kind() == "ordinal" && !amount.text(chunks[chunk]).contains(|c: char| c.is_ascii_digit())
    };
    let read = read.filter(|(chunk, amount)| !is_word(*chunk, amount));
    let mut all: Vec<Value> = read.map(|(chunk, amount)| Value { chunk, amount, index: OnceCell::new() }).collect();
    all.sort_by_key(|value| (value.chunk, value.amount.span.start, std::cmp::Reverse(value.amount.span.end)));
    let mut end = (0, 0);
    all.retain(|value| {
        let is_free = (value.chunk, value.amount.span.start) >= end;
        if is_free {
            end = (value.chunk, value.amount.span.end);
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
        // A bare number is none of a unit: "no more than eight" is not eight hours.
        let is_plain = |value: &Self| {
            let Sense::Number { scale, .. } = value.amount.sense() else { return false };
            matches!(scale, Scale::Bare | Scale::Count | Scale::Ordinal | Scale::Label)
        };
        let index = || self.index.get_or_init(|| Index::new([&self.amount]));
        is_plain(self) == is_plain(said)
            && matches!(index().find(&said.amount), Some((_, How::Same | How::Converted | How::Implied)))
    }

    /// How another value of the same sort differs; nothing where both may hold or are of different sorts.
    pub(super) fn differs(&self, had: &Self) -> Option<Differs> {
        if had.bears_out(self) || self.bears_out(had) {
            return None;
        }
        match (self.amount.sense(), had.amount.sense()) {
            (
                said @ Sense::Number { scale, value, .. },
                had @ Sense::Number { scale: other, value: other_value, .. },
            ) => {
                if (value - other_value).abs() < 1e-9 {
                    let has_unit = |scale: &Scale| matches!(scale, Scale::Money(_) | Scale::Measure(_));
                    return (has_unit(scale) && has_unit(other)).then_some(Differs::Unit);
                }
                said.is_comparable(had).then_some(Differs::Number)
            }
            (Sense::Date(_), Sense::Date(_)) => {
                let conflicts = |said: &Sense| {
                    had.amount.senses.iter().all(|had| match (said, had) {
                        (Sense::Date(said), Sense::Date(had)) => conflict(said, had),
                        _ => true,
                    })
                };
                self.amount.senses.iter().all(conflicts).then_some(Differs::Date)
            }
            _ => None,
        }
    }

    /// Whether a value of the same sort could stand in its place.
    pub(super) fn is_same_sort(&self, other: &Self) -> bool {
        matches!(self.amount.sense(), Sense::Date(_)) == matches!(other.amount.sense(), Sense::Date(_))
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
        || other(said.minute, had.minute)
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
    let mut next_value = values.partition_point(|value| {
        value.amount.span.end <= reading.tokens.get(from).map_or(0, |token| token.origin.start)
    });
    let mut token = from;
    while token < sentence.tokens.end {
        probare_cancellation::steps(1);
        let found = &reading.tokens[token];
        let word = reading.word(token);
        let at = token;
        token += 1;
        while values.get(next_value).is_some_and(|value| value.amount.span.end <= found.origin.start) {
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
        if let Some(value) = values.get(next_value).filter(|value| value.amount.span.start < found.origin.end) {
            units.push(unit(Kind::Value(value), word, sources.stem(word), value.amount.span.clone()));
            next_value += 1;
            while token < sentence.tokens.end && reading.tokens[token].origin.start < value.amount.span.end {
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
            values[next_value..]
                .iter()
                .take(1)
                .any(|value| value.amount.span.start < next.end && next.start < value.amount.span.end)
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
