//! What an alignment is made of: words of content and of logic, names, numbers and dates. Words that only join are none.

use std::cell::OnceCell;
use std::ops::Range;

use probare_english::lexicon::{LexicalRole, LexicalRoles, expression_entry};
use probare_english::text_analysis::{AnalysisSentence, TextAnalysis};
use probare_text::dates::DateFields;
use probare_text::quantities::{Amount, AmountIndex, AmountScale, AmountSense, SupportKind};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::super::sources::{ContextIndex, StemId, is_name, word_parts};

/// A number or a date with its place.
pub(super) struct UnitValue {
    chunk: usize,
    amount: Amount,
    /// What it bears out.
    index: OnceCell<AmountIndex>,
}

/// The numbers and dates of some texts that were read, in order, none inside another. Ordinals in words are words.
pub(super) fn sorted_values(read: impl Iterator<Item = (usize, Amount)>, chunks: &[&str]) -> Vec<UnitValue> {
    let is_word = |chunk: usize, amount: &Amount| {
        amount.sense().kind() == "ordinal" && !amount.text(chunks[chunk]).contains(|c: char| c.is_ascii_digit())
    };
    let read = read.filter(|(chunk, amount)| !is_word(*chunk, amount));
    let mut all: Vec<UnitValue> =
        read.map(|(chunk, amount)| UnitValue { chunk, amount, index: OnceCell::new() }).collect();
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
pub(super) enum ValueDifference {
    /// Another number of the same unit.
    Number,
    /// The same number of another unit.
    Unit,
    /// Another date, weekday or time.
    Date,
}

impl UnitValue {
    /// Whether this value of a context says what a response says.
    fn supports(&self, stated: &Self) -> bool {
        // A bare number is none of a unit: "no more than eight" is not eight hours.
        let is_plain = |value: &Self| {
            let AmountSense::Number { scale, .. } = value.amount.sense() else { return false };
            matches!(scale, AmountScale::Bare | AmountScale::Count | AmountScale::Ordinal | AmountScale::Label)
        };
        let index = || self.index.get_or_init(|| AmountIndex::new([&self.amount]));
        is_plain(self) == is_plain(stated)
            && matches!(
                index().find(&stated.amount),
                Some((_, SupportKind::Same | SupportKind::Converted | SupportKind::Implied))
            )
    }

    /// How another value of the same sort differs; nothing where both may hold or are of different sorts.
    pub(super) fn difference(&self, had: &Self) -> Option<ValueDifference> {
        if had.supports(self) || self.supports(had) {
            return None;
        }
        match (self.amount.sense(), had.amount.sense()) {
            (
                stated @ AmountSense::Number { scale, value, .. },
                had @ AmountSense::Number { scale: other, value: other_value, .. },
            ) => {
                if (value - other_value).abs() < 1e-9 {
                    let has_unit =
                        |scale: &AmountScale| matches!(scale, AmountScale::Money(_) | AmountScale::Measure(_));
                    return (has_unit(scale) && has_unit(other)).then_some(ValueDifference::Unit);
                }
                stated.is_comparable(had).then_some(ValueDifference::Number)
            }
            (AmountSense::Date(_), AmountSense::Date(_)) => {
                let conflicts = |stated: &AmountSense| {
                    had.amount.senses.iter().all(|had| match (stated, had) {
                        (AmountSense::Date(stated), AmountSense::Date(had)) => dates_conflict(stated, had),
                        _ => true,
                    })
                };
                self.amount.senses.iter().all(conflicts).then_some(ValueDifference::Date)
            }
            _ => None,
        }
    }

    /// Whether it is a number that does not say of what.
    fn is_bare(&self) -> bool {
        matches!(self.amount.sense(), AmountSense::Number { scale: AmountScale::Bare, .. })
    }

    /// Whether it is money or a measure.
    fn has_unit(&self) -> bool {
        matches!(
            self.amount.sense(),
            AmountSense::Number { scale: AmountScale::Money(_) | AmountScale::Measure(_), .. }
        )
    }

    /// Whether a value of the same sort could stand in its place.
    pub(super) fn is_same_sort(&self, other: &Self) -> bool {
        matches!(self.amount.sense(), AmountSense::Date(_)) == matches!(other.amount.sense(), AmountSense::Date(_))
    }

    /// Whether both say how much, how many or when of the same kind.
    fn is_comparable(&self, other: &Self) -> bool {
        match (self.amount.sense(), other.amount.sense()) {
            (AmountSense::Date(one), AmountSense::Date(other)) => date_kind(one) == date_kind(other),
            (one, other) => one.is_comparable(other),
        }
    }
}

/// What a date tells: the time of day, the weekday, or the day of a calendar.
const fn date_kind(fields: &DateFields) -> (bool, bool) {
    let is_of_calendar = fields.year.is_some() || fields.month.is_some() || fields.day.is_some();
    (fields.minute.is_some() && !is_of_calendar, fields.weekday.is_some() && !is_of_calendar)
}

/// Whether a field that both dates name is another one in each.
fn dates_conflict(stated: &DateFields, had: &DateFields) -> bool {
    fn other<T: PartialEq>(stated: Option<T>, had: Option<T>) -> bool {
        stated.zip(had).is_some_and(|(stated, had)| stated != had)
    }
    other(stated.year, had.year)
        || other(stated.month, had.month)
        || other(stated.day, had.day) && stated.month.is_some() == had.month.is_some()
        || other(stated.weekday, had.weekday)
        || other(stated.minute, had.minute)
        || other(stated.quarter, had.quarter)
}

/// What a unit is.
#[derive(Clone, Copy)]
pub(super) enum UnitKind<'a> {
    Word,
    Name,
    Value(&'a UnitValue),
    /// A word of logic, by the first word of its entry in the lexicon.
    Logic(&'static str),
}

/// A word, name or value of a sentence.
pub(super) struct AlignmentUnit<'a> {
    pub kind: UnitKind<'a>,
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
    /// Marks and joining words of any kind that precede it.
    pub limb: u32,
    /// The word before it, articles and the like aside.
    pub preceding_word: &'a str,
    /// Whether a word that makes it depend on the unit before it stands between them.
    pub is_dependent: bool,
    /// Whether it tells that something is said, planned, doubted or over.
    pub is_claim: bool,
}

impl<'a> AlignmentUnit<'a> {
    pub(super) fn value(&self) -> Option<&'a UnitValue> {
        if let UnitKind::Value(value) = self.kind { Some(value) } else { None }
    }

    pub(super) fn logic(&self) -> Option<&'static str> {
        if let UnitKind::Logic(class) = self.kind { Some(class) } else { None }
    }

    /// Whether it is a *not*.
    pub(super) fn denies(&self) -> bool {
        self.logic() == Some("not")
    }

    pub(super) const fn is_name(&self) -> bool {
        matches!(self.kind, UnitKind::Name)
    }

    /// Whether a unit of the context says the same as this one of the response.
    pub(super) fn matches(&self, had: &Self) -> bool {
        match (self.kind, had.kind) {
            (UnitKind::Value(stated), UnitKind::Value(had)) => had.supports(stated),
            (UnitKind::Logic(stated), UnitKind::Logic(had)) => stated == had,
            (UnitKind::Word | UnitKind::Name, UnitKind::Word | UnitKind::Name) => {
                self.stem.is_some() && self.stem == had.stem
            }
            _ => false,
        }
    }

    /// Whether both are values of one kind, such as sums of money.
    pub(super) fn is_rival(&self, other: &Self) -> bool {
        self.value().zip(other.value()).is_some_and(|(one, other)| one.is_comparable(other))
    }

    /// Whether it leaves out the unit that the value of the limb before it has: "80 euros in winter and 120 in summer".
    pub(super) fn is_elliptical(&self, before: &Self) -> bool {
        before.limb + 1 == self.limb
            && self
                .value()
                .zip(before.value())
                .is_some_and(|(own, before)| own.is_bare() && (before.has_unit() || before.is_bare()))
    }

    /// Whether both are values of one sort or both are names, so that one could stand for the other.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self.kind, other.kind) {
            (UnitKind::Value(one), UnitKind::Value(other)) => one.is_same_sort(other),
            (UnitKind::Name, UnitKind::Name) => true,
            _ => false,
        }
    }

    /// Whether it is led by the same word that ties it to its role as a unit of the context: from, to, by.
    pub(super) fn has_same_preposition(&self, had: &Self) -> bool {
        is_role_preposition(self.preceding_word) && self.preceding_word == had.preceding_word
    }

    /// Whether it has another role than a unit of the context: "to twelve" is not "from twelve".
    pub(super) fn has_other_preposition(&self, had: &Self) -> bool {
        is_role_preposition(self.preceding_word)
            && is_role_preposition(had.preceding_word)
            && self.preceding_word != had.preceding_word
    }

    /// Whether it has the form of a gerund, such as *landing*.
    pub(super) fn is_gerund(&self) -> bool {
        matches!(self.kind, UnitKind::Word) && self.word.trim_end_matches('s').ends_with("ing")
    }

    /// Whether it has so little content that it may come in.
    pub(super) fn is_light(&self) -> bool {
        let is_plain = |word: &str| probare_english::lexicon::lexical_roles(word).has(LexicalRole::Light);
        matches!(self.kind, UnitKind::Word)
            && (is_plain(self.word)
                || [PartOfSpeech::Verb, PartOfSpeech::Noun]
                    .into_iter()
                    .any(|part| WordNet::embedded().base_forms(self.word, part).iter().any(|form| is_plain(form))))
    }
}

/// Whether a word ties the one behind it to a role.
fn is_role_preposition(word: &str) -> bool {
    matches!(word, "from" | "to" | "by" | "against" | "into" | "between")
}

/// Whether a word makes what follows depend on what stands before it: "lack of rain", "tried to land", "denied that it leaks".
fn subordinates(word: &str) -> bool {
    const WORDS: [&str; 19] = [
        "of", "to", "that", "whether", "from", "for", "on", "about", "by", "in", "at", "with", "into", "between",
        "over", "through", "under", "as", "upon",
    ];
    WORDS.contains(&word)
}

/// Whether a word joins what has words of its own.
fn joins(word: &str) -> bool {
    matches!(word, "and" | "but" | "while" | "whereas")
}

/// Sorts that tell what somebody says or thinks, or that it was so once.
const CLAIMS: LexicalRoles = LexicalRoles::from_roles(&[
    LexicalRole::Saying,
    LexicalRole::Opining,
    LexicalRole::Claimed,
    LexicalRole::Reserve,
    LexicalRole::FormerNoun,
]);

/// The units of a sentence from a token on. `values` are those of its text, in order.
pub(super) fn sentence_units<'a>(
    analysis: &'a TextAnalysis,
    sentence: &AnalysisSentence,
    from: usize,
    number: usize,
    values: &'a [UnitValue],
    sources: &ContextIndex,
) -> Vec<AlignmentUnit<'a>> {
    let start = analysis.tokens.get(from).map_or(0, |token| token.origin.start);
    let mut reader = UnitReader {
        analysis,
        sentence,
        number,
        values: &values[values.partition_point(|value| value.amount.span.end <= start)..],
        sources,
        clause: 0,
        part: 0,
        joined: 0,
        lead: "",
        is_led: false,
        units: Vec::new(),
    };
    let mut token = from;
    while token < sentence.tokens.end {
        probare_cancellation::count_steps(1);
        token = reader.read(token);
    }
    reader.units
}

/// Reads the units of a sentence, token by token.
struct UnitReader<'a, 's> {
    analysis: &'a TextAnalysis,
    sentence: &'s AnalysisSentence,
    number: usize,
    /// Those that come.
    values: &'a [UnitValue],
    sources: &'s ContextIndex,
    clause: u32,
    part: u32,
    joined: u32,
    lead: &'a str,
    is_led: bool,
    units: Vec<AlignmentUnit<'a>>,
}

impl<'a> UnitReader<'a, '_> {
    /// Reads what stands at a token; where it goes on.
    fn read(&mut self, at: usize) -> usize {
        let analysis = self.analysis;
        let (found, word) = (&analysis.tokens[at], analysis.word(at));
        while let Some((value, rest)) = self.values.split_first()
            && value.amount.span.end <= found.origin.start
        {
            self.values = rest;
        }
        self.joined += u32::from(joins(word));
        if let Some(end) = self.read_values(at) {
            self.lead = "";
            self.is_led = false;
            let mut behind = at + 1..self.sentence.tokens.end;
            return behind
                .find(|token| analysis.tokens[*token].origin.start >= end)
                .unwrap_or(self.sentence.tokens.end);
        }
        if !found.is_word {
            self.read_mark(at);
            return at + 1;
        }
        let mut end = at + 1;
        if let Some((class, length)) = self.logic(at) {
            end = at + length;
            let span = found.origin.start..analysis.tokens[end - 1].origin.end;
            self.push(at, UnitKind::Logic(class), word, None, span);
            self.is_led = false;
        } else if !found.roles.has(LexicalRole::Function) {
            let kind =
                if found.is_capital && is_name(analysis, self.sentence, at) { UnitKind::Name } else { UnitKind::Word };
            for part in word_parts(word) {
                let stem = self.sources.stem(part);
                self.push(at, kind, part, stem, found.origin.clone());
            }
            self.is_led = false;
        } else {
            self.is_led |= subordinates(word);
        }
        // "By the owner" leads with *by*.
        if !found.roles.has(LexicalRole::Determiner) {
            self.lead = word;
        }
        end
    }

    fn push(&mut self, at: usize, kind: UnitKind<'a>, word: &'a str, stem: Option<StemId>, span: Range<usize>) {
        self.units.push(AlignmentUnit {
            kind,
            word,
            stem,
            token: at,
            span,
            sentence: self.number,
            clause: self.clause,
            part: self.part,
            limb: self.clause + self.joined,
            preceding_word: self.lead,
            is_dependent: self.is_led,
            is_claim: self.analysis.tokens[at].roles.has_any(CLAIMS),
        });
    }

    /// The values that begin before the end of a token: a range may be one token with two. Where the last one ends.
    fn read_values(&mut self, at: usize) -> Option<usize> {
        let (word, until) = (self.analysis.word(at), self.analysis.tokens[at].origin.end);
        let mut end = None;
        while let Some((value, rest)) = self.values.split_first()
            && value.amount.span.start < until
        {
            let stem = self.sources.stem(word);
            self.push(at, UnitKind::Value(value), word, stem, value.amount.span.clone());
            self.values = rest;
            end = Some(value.amount.span.end);
        }
        end
    }

    fn read_mark(&mut self, at: usize) {
        self.is_led = false;
        let (word, next) = (self.analysis.word(at), self.analysis.word(at + 1));
        if matches!(word, "," | ";" | ":" | "(" | ")" | "-" | ".") {
            self.clause += 1;
            let opens = matches!(next, "although" | "though" | "so") || joins(next);
            self.part += u32::from(word == ";" || matches!(word, "," | ")") && opens);
        }
    }

    /// The class of the word of logic at a token, and how many words it has.
    fn logic(&self, at: usize) -> Option<(&'static str, usize)> {
        let analysis = self.analysis;
        if analysis.tokens[at].roles.has(LexicalRole::Contraction) {
            return Some(("not", 1));
        }
        let near = |ahead: usize| {
            let is_here = at + ahead < self.sentence.tokens.end && analysis.tokens[at + ahead].is_word;
            if is_here { analysis.word(at + ahead) } else { "" }
        };
        // "About the coach" is no rounding.
        expression_entry(LexicalRole::Logic, near).filter(|(class, length)| {
            *class != "about" || matches!(analysis.word(at), "almost" | "nearly") || self.has_value_at(at + length)
        })
    }

    fn has_value_at(&self, token: usize) -> bool {
        let span = self.analysis.tokens.get(token).map_or(0..0, |token| token.origin.clone());
        let next = self.values.first();
        next.is_some_and(|value| value.amount.span.start < span.end && span.start < value.amount.span.end)
    }
}

/// The values of a chunk./// The values of a chunk.
pub(super) fn values_in_chunk(values: &[UnitValue], chunk: usize) -> &[UnitValue] {
    let from = values.partition_point(|value| value.chunk < chunk);
    let to = values.partition_point(|value| value.chunk <= chunk);
    &values[from..to]
}
