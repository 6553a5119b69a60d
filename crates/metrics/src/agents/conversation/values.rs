//! The values in a text: dates, times, numbers with what they count, addresses of mail and streets, codes, names.
//!
//! Each has a kind, and values are compared within it by meaning: dates by day, codes without blanks and signs. Numbers, money,
//! measures and times of day are the amounts of [`probare_text::quantities`], with all that each can mean.

use std::collections::BTreeMap;
use std::ops::Range;

use probare_core::{escape_pointer_key, json_to_text};
use probare_english::lexicon::LexicalRole;
use probare_english::text_analysis::TextAnalysis;
use probare_text::dates::{self, DateFields};
use probare_text::quantities::{self, Amount, AmountScale, AmountSense};
use probare_text::wordnet::WordNet;
use serde_json::Value as Json;

use super::vocabulary::lemmas;

/// What sort of thing a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum ValueKind {
    /// A day, or from one to another.
    Date,
    /// A time of day.
    Time,
    /// A number of things, money, a measure.
    Number,
    /// An address of mail.
    Email,
    /// A number by which something is known, of a telephone too: letters and digits.
    Code,
    /// A house in a street.
    Address,
    /// A name.
    Name,
}

/// What a value means.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum ValueMeaning {
    /// Days of the calendar, or a weekday.
    Days(Vec<DateFields>),
    /// What a number or a time of day can mean: 9 may be in the morning or in the evening.
    Amount(Vec<AmountSense>),
    /// Letters and digits in small letters; words are separated by one blank.
    Letters(String),
}

/// A value of a text.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct ExtractedValue {
    pub kind: ValueKind,
    pub meaning: ValueMeaning,
    /// Its bytes.
    pub span: Range<usize>,
    /// What it counts or measures, where that is said: the noun behind a number, the unit.
    pub noun: Option<String>,
    /// The unit or currency of a number.
    pub unit: Option<&'static str>,
}

impl ExtractedValue {
    fn new(kind: ValueKind, meaning: ValueMeaning, span: Range<usize>) -> Self {
        Self { kind, meaning, span, noun: None, unit: None }
    }

    /// A number of which nothing more is known.
    fn number(value: f64, span: Range<usize>) -> Self {
        let sense = AmountSense::Number { scale: AmountScale::Bare, value, unit: None };
        Self::new(ValueKind::Number, ValueMeaning::Amount(vec![sense]), span)
    }

    /// Keys under which a set of values holds this one.
    pub fn keys(&self) -> Vec<String> {
        match &self.meaning {
            ValueMeaning::Days(days) => days.iter().map(day_key).collect(),
            ValueMeaning::Amount(senses) => senses.iter().flat_map(|sense| sense_keys(sense, false)).collect(),
            ValueMeaning::Letters(letters) => vec![letters.clone()],
        }
    }

    /// Whether a set of keys has this value: all its days, or anything that it can mean.
    pub fn is_among(&self, has: impl Fn(&str) -> bool) -> bool {
        match &self.meaning {
            ValueMeaning::Days(days) => days.iter().all(|day| has(&day_key(day))),
            ValueMeaning::Amount(senses) => {
                senses.iter().flat_map(|sense| sense_keys(sense, true)).any(|key| has(&key))
            }
            ValueMeaning::Letters(letters) => has(letters),
        }
    }
}

fn day_key(day: &DateFields) -> String {
    format!("{:?} {:?} {:?}", day.month, day.day, day.weekday)
}

/// Keys of a meaning, as it is held or asked for. A bare number may be of anything, and whatever has a unit may be told without.
fn sense_keys(sense: &AmountSense, is_asked: bool) -> Vec<String> {
    match sense {
        AmountSense::Date(fields) => fields.minute.map(|minute| format!("at {minute}")).into_iter().collect(),
        AmountSense::Number { scale, value, unit } => {
            let (bare, written) = (format!("{value}"), format!("of {value}"));
            match scale {
                AmountScale::Money(_) | AmountScale::Measure(_) => {
                    let base = unit.map_or(*value, |unit| unit.to_base(*value));
                    vec![format!("{scale:?} {base:.9e}"), if is_asked { bare } else { written }]
                }
                AmountScale::Bare if is_asked => vec![bare, written],
                _ => vec![bare],
            }
        }
    }
}

/// Whether two values mean the same.
pub(in super::super) fn is_same_value(left: &ExtractedValue, right: &ExtractedValue) -> bool {
    match (&left.meaning, &right.meaning) {
        (ValueMeaning::Days(one), ValueMeaning::Days(other)) => {
            let has = |days: &[DateFields], day: &DateFields| days.iter().any(|found| is_same_day(found, day));
            one.iter().all(|day| has(other, day)) || other.iter().all(|day| has(one, day))
        }
        (ValueMeaning::Amount(one), ValueMeaning::Amount(other)) => {
            one.iter().any(|sense| other.iter().any(|known| sense.is_same(known)))
        }
        (ValueMeaning::Letters(one), ValueMeaning::Letters(other)) => one == other,
        // "8841" is written as a text here and as a number there.
        (ValueMeaning::Amount(senses), ValueMeaning::Letters(letters))
        | (ValueMeaning::Letters(letters), ValueMeaning::Amount(senses)) => {
            let number = letters.parse::<f64>().ok();
            senses.iter().any(|sense| matches!(sense, AmountSense::Number { value, .. } if Some(*value) == number))
        }
        _ => false,
    }
}

/// Whether two days may be the same: nothing that both say differs, and both say something of the same kind.
fn is_same_day(left: &DateFields, right: &DateFields) -> bool {
    fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> Option<bool> {
        one.zip(other).map(|(one, other)| one == other)
    }
    let stated = [
        agree(left.day, right.day),
        agree(left.month, right.month),
        agree(left.year, right.year),
        agree(left.weekday, right.weekday),
    ];
    let is_told = stated[0].is_some() || stated[3].is_some() || left.day.is_none() && right.day.is_none();
    is_told && stated.iter().all(|agrees| *agrees != Some(false)) && stated.iter().any(Option::is_some)
}

/// The values of a text, in order and without overlap.
pub(in super::super) fn values(text: &str, analysis: &TextAnalysis) -> Vec<ExtractedValue> {
    let mut found = ValueSet::default();
    addresses(text, analysis, &mut found);
    find_patterns(text, &mut found);
    let amounts = quantities::amounts(text);
    days(text, &amounts, &mut found);
    numbers(&amounts, analysis, &mut found);
    names(text, analysis, &mut found);
    found.0.into_values().collect()
}

/// Values by their first byte. What is found first keeps its place.
#[derive(Debug, Default)]
struct ValueSet(BTreeMap<usize, ExtractedValue>);

impl ValueSet {
    fn is_free(&self, span: &Range<usize>) -> bool {
        self.0.range(..span.end).next_back().is_none_or(|(_, value)| value.span.end <= span.start)
    }

    fn push(&mut self, value: ExtractedValue) {
        if self.is_free(&value.span) {
            self.0.insert(value.span.start, value);
        }
    }
}

/// The values of a text, of [`values`], that lie within some bytes.
pub(in super::super) fn values_in<'v>(values: &'v [ExtractedValue], span: &Range<usize>) -> &'v [ExtractedValue] {
    let start = values.partition_point(|value| value.span.start < span.start);
    let end = values.partition_point(|value| value.span.end <= span.end);
    values.get(start..end).unwrap_or_default()
}

/// Words cut at blanks, without the marks around them.
fn written_words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let marks = |sign: char| !sign.is_alphanumeric() && sign != '#' && sign != '+';
    text.split_whitespace().filter_map(move |word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        let inner = word.trim_start_matches(marks);
        let from = start + word.len() - inner.len();
        let inner = inner.trim_end_matches(marks);
        (!inner.is_empty()).then(|| from..from + inner.len())
    })
}

/// What is known by its shape: addresses of mail, codes, telephone numbers.
fn find_patterns(text: &str, found: &mut ValueSet) {
    // Groups of digits in a row: "0664 123 45 67".
    let mut run: Option<(Range<usize>, usize)> = None;
    let end_run = |run: &mut Option<(Range<usize>, usize)>, found: &mut ValueSet| {
        if let Some((span, groups)) = run.take() {
            let letters = alphanumeric(&text[span.clone()]);
            if groups > 1 && letters.len() >= 7 {
                found.push(ExtractedValue::new(ValueKind::Code, ValueMeaning::Letters(letters), span));
            }
        }
    };
    for span in written_words(text) {
        probare_cancellation::count_steps(1);
        let word = &text[span.clone()];
        let is_group = word.trim_start_matches('+').bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let is_near = |last: &Range<usize>| text[last.end..span.start].chars().all(|sign| " ()".contains(sign));
        match &mut run {
            Some((last, groups)) if is_group && is_near(last) => {
                last.end = span.end;
                *groups += 1;
            }
            _ => {
                end_run(&mut run, found);
                run = is_group.then(|| (span.clone(), 1));
            }
        }
    }
    end_run(&mut run, found);
    for span in written_words(text) {
        probare_cancellation::count_steps(1);
        let word = &text[span.clone()];
        if let Some((name, host)) = word.split_once('@')
            && !name.is_empty()
            && host.contains('.')
            && !host.contains('@')
        {
            found.push(ExtractedValue::new(ValueKind::Email, ValueMeaning::Letters(word.to_lowercase()), span));
        } else if is_code(word) {
            found.push(ExtractedValue::new(ValueKind::Code, ValueMeaning::Letters(alphanumeric(word)), span));
        }
    }
}

/// Letters and digits, in small letters.
fn alphanumeric(word: &str) -> String {
    word.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a word is a code: digits with letters or hyphens among them, that is no date, time, number, ordinal or measure.
fn is_code(word: &str) -> bool {
    let word = word.trim_start_matches('#');
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.chars().filter(|sign| sign.is_alphabetic()).count();
    let marks = word.chars().filter(|sign| matches!(sign, '-' | '_' | '/')).count();
    let dots = word.matches('.').count();
    let is_plain = word.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '/' | '.'));
    if digits == 0 || !is_plain || dates::parse(word).is_some() || quantities::parse(word).is_some() {
        return false;
    }
    let capitals = word.chars().any(char::is_uppercase);
    let is_hyphened = marks > 0 && !word.starts_with(['-', '/']);
    match (letters, digits) {
        // A version or a telephone number; "6-9" and "2026/27" are ranges.
        (0, _) => dots >= 2 || is_hyphened && digits >= 5,
        // "14C", "RX-55"; "5kg", "9am" and "2nd" are none, nor is "two-room".
        _ => capitals && word.len() <= 24 || is_hyphened && !word.contains('/'),
    }
}

/// Houses in streets: a number, words with capitals, and a word for a street.
fn addresses(text: &str, analysis: &TextAnalysis, found: &mut ValueSet) {
    for token in 0..analysis.tokens.len() {
        let number = &analysis.tokens[token];
        if !number.is_word || !analysis.word(token).bytes().next().is_some_and(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let mut last = token + 1;
        while last < token + 5 && analysis.tokens.get(last).is_some_and(|word| word.is_word && word.is_capital) {
            last += 1;
        }
        let end = (token + 2..last).rev().find(|at| analysis.has_role(*at, LexicalRole::Street));
        if let Some(end) = end {
            let span = number.origin.start..analysis.tokens[end].origin.end;
            found.push(ExtractedValue::new(
                ValueKind::Address,
                ValueMeaning::Letters(normalized_words(&text[span.clone()])),
                span,
            ));
        }
    }
}

/// Words in small letters, separated by one blank.
fn normalized_words(text: &str) -> String {
    let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Days and times of day.
fn days(text: &str, amounts: &[Amount], found: &mut ValueSet) {
    let mut days: Vec<ExtractedValue> = Vec::new();
    for (at, amount) in amounts.iter().enumerate() {
        let AmountSense::Date(fields) = amount.sense() else { continue };
        if !found.is_free(&amount.span) {
            continue;
        }
        let dates = amount.senses.iter().filter_map(|sense| match sense {
            AmountSense::Date(fields) => Some(fields.clone()),
            AmountSense::Number { .. } => None,
        });
        if fields.day.is_some() && fields.month.is_some() || fields.weekday.is_some() && fields.minute.is_none() {
            let mut day =
                ExtractedValue::new(ValueKind::Date, ValueMeaning::Days(dates.collect()), amount.span.clone());
            // "From 4 to 7 June", "3 June to 7 June": both ends are one value.
            let before = at.checked_sub(1).and_then(|at| amounts.get(at));
            match (days.last_mut(), before.filter(|before| is_joint(text, &before.span, &amount.span))) {
                (Some(last), Some(before)) if last.kind == ValueKind::Date && last.span.end == before.span.end => {
                    if let (ValueMeaning::Days(earlier), ValueMeaning::Days(later)) = (&mut last.meaning, day.meaning) {
                        earlier.extend(later);
                    }
                    last.span.end = amount.span.end;
                    continue;
                }
                (_, Some(before)) if fields.month.is_some() && fields.weekday.is_none() => {
                    if let (Some(number), ValueMeaning::Days(ends)) = (day_of_month(before), &mut day.meaning) {
                        ends.push(DateFields { day: Some(number), ..fields.clone() });
                        day.span.start = before.span.start;
                    }
                }
                _ => {}
            }
            days.push(day);
        } else if let Some(minute) = fields.minute {
            let senses = times(amount.text(text), minute);
            days.push(ExtractedValue::new(ValueKind::Time, ValueMeaning::Amount(senses), amount.span.clone()));
        }
    }
    for day in days {
        found.push(day);
    }
}

/// What a time of day can mean. One that is told with a day ("9:30 tomorrow") is read by its own words.
fn times(words: &str, minute: u16) -> Vec<AmountSense> {
    let is_time =
        |sense: &AmountSense| matches!(sense, AmountSense::Date(fields) if *fields == at_minute(fields.minute));
    let starts: Vec<usize> = written_words(words).map(|word| word.start).collect();
    let ends: Vec<usize> = written_words(words).map(|word| word.end).collect();
    let pieces = (1..=starts.len()).rev().flat_map(|length| {
        starts.iter().zip(ends.iter().skip(length - 1)).filter_map(move |(start, end)| words.get(*start..*end))
    });
    let read = pieces.map(quantities::amounts).find_map(|mut found| {
        let is_whole = found.len() == 1 && found[0].senses.iter().all(is_time);
        is_whole.then(|| found.swap_remove(0).senses)
    });
    read.unwrap_or_else(|| vec![AmountSense::Date(at_minute(Some(minute)))])
}

fn at_minute(minute: Option<u16>) -> DateFields {
    DateFields { minute, ..DateFields::default() }
}

/// Whether the words between two spans join the ends of a range.
fn is_joint(text: &str, first: &Range<usize>, second: &Range<usize>) -> bool {
    let between = text.get(first.end..second.start).unwrap_or_default();
    matches!(between.trim(), "to" | "until" | "till" | "and" | "-" | "–" | "—" | "through")
}

/// The day that a number opens a range with: of "4 to 7 June" and "the 4th to 7 June" the 4.
fn day_of_month(amount: &Amount) -> Option<u8> {
    amount.senses.iter().find_map(|sense| match sense {
        AmountSense::Number { scale: AmountScale::Bare | AmountScale::Count | AmountScale::Ordinal, value, .. } => {
            (1..=31).find(|day| f64::from(*day) == *value)
        }
        _ => None,
    })
}

/// Numbers, each with the noun behind it. Shares and places in an order are no values of their own.
fn numbers(amounts: &[Amount], analysis: &TextAnalysis, found: &mut ValueSet) {
    for Amount { span, senses, .. } in amounts {
        // "0.5" may be a share and is a number all the same.
        let is_value = |sense: &&AmountSense| matches!(sense, AmountSense::Number { scale, .. } if !matches!(scale, AmountScale::Ordinal | AmountScale::Measure("share")));
        let is_number = matches!(senses.first(), Some(AmountSense::Number { .. })) && found.is_free(span);
        let Some(AmountSense::Number { scale, unit, .. }) = senses.iter().find(is_value).filter(|_| is_number) else {
            continue;
        };
        let mut value = ExtractedValue::new(ValueKind::Number, ValueMeaning::Amount(senses.clone()), span.clone());
        value.unit = match scale {
            AmountScale::Money(currency) => Some(*currency),
            AmountScale::Measure(dimension) => Some(unit.map_or(*dimension, |unit| unit.symbol)),
            _ => None,
        };
        value.noun = hyphenated_noun(analysis, span).or_else(|| noun_behind(analysis, span.end));
        found.push(value);
    }
    // "Two-room flats", "a 3-night stay": the number is part of a word.
    for (at, token) in analysis.tokens.iter().enumerate().filter(|(_, token)| token.is_word) {
        let word = analysis.word(at);
        if let Some((number, noun)) = word.split_once('-')
            && !noun.is_empty()
            && noun.chars().all(char::is_alphabetic)
            && found.is_free(&token.origin)
            && let Some(number) = quantities::parse(number)
        {
            let mut value = ExtractedValue::number(number.value, token.origin.clone());
            value.noun = Some(noun.to_owned());
            found.push(value);
        }
    }
}

/// The first noun behind a byte: of "300 g of flour" the flour, of "two people" the people.
fn noun_behind(analysis: &TextAnalysis, end: usize) -> Option<String> {
    let mut at = analysis.tokens.partition_point(|token| token.origin.start < end);
    if analysis.word(at) == "of" {
        at += 1;
        if matches!(analysis.word(at), "the" | "a" | "an" | "my" | "your") {
            at += 1;
        }
    }
    let mut noun = None;
    // The last of up to three words of content in a row: "red mugs".
    for token in at..at + 3 {
        let Some(word) =
            analysis.tokens.get(token).filter(|word| word.is_word && !word.roles.has(LexicalRole::Function))
        else {
            break;
        };
        if word.is_capital || analysis.word(token).bytes().any(|byte| byte.is_ascii_digit()) {
            break;
        }
        noun = Some(analysis.word(token).to_owned());
    }
    noun
}

/// The noun that a number is joined to by a hyphen.
fn hyphenated_noun(analysis: &TextAnalysis, span: &Range<usize>) -> Option<String> {
    let at = analysis.tokens.partition_point(|token| token.origin.end <= span.start);
    let token =
        analysis.tokens.get(at).filter(|token| token.origin.start <= span.start && span.end < token.origin.end)?;
    analysis.text.get(token.at.clone())?.split_once('-').map(|(_, noun)| noun.to_owned())
}

/// Words with capitals inside of a sentence.
fn names(text: &str, analysis: &TextAnalysis, found: &mut ValueSet) {
    for sentence in &analysis.sentences {
        let mut at = sentence.tokens.start;
        while at < sentence.tokens.end {
            let first = at;
            while at < sentence.tokens.end && is_name(analysis, sentence.tokens.start, at) {
                at += 1;
            }
            if at == first {
                at += 1;
                continue;
            }
            let span = analysis.original_span(first, at - 1);
            found.push(ExtractedValue::new(
                ValueKind::Name,
                ValueMeaning::Letters(normalized_words(&text[span.clone()])),
                span,
            ));
        }
    }
}

fn is_name(analysis: &TextAnalysis, start: usize, at: usize) -> bool {
    let token = &analysis.tokens[at];
    if !(token.is_word && token.is_capital)
        || token.roles.has(LexicalRole::Function)
        || !dates::find(analysis.word(at)).is_empty()
    {
        return false;
    }
    // The first word of a sentence has a capital anyway; it is a name where no dictionary has it.
    let opens = at == start || matches!(analysis.word(at - 1), "." | ":" | "\"" | "“" | "(" | "!" | "?");
    !opens || WordNet::embedded().parts_of_speech(analysis.word(at)).is_empty() && lemmas(analysis.word(at)).len() == 1
}

/// The values of an argument or of a value in a result, each with the JSON Pointer to what holds it.
pub(in super::super) fn argument_values(json: &Json, pointer: &str, into: &mut Vec<(String, ExtractedValue)>) {
    probare_cancellation::count_steps(1);
    match json {
        Json::Null | Json::Bool(_) => {}
        Json::Number(number) => {
            let length = json_to_text(json).len();
            if let Some(number) = number.as_f64() {
                into.push((pointer.to_owned(), ExtractedValue::number(number, 0..length)));
            }
        }
        Json::String(text) => {
            let analysis = TextAnalysis::new(text);
            let mut found = values(text, &analysis);
            if found.is_empty() && !text.trim().is_empty() {
                let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
                let kind = if is_digits { ValueKind::Code } else { ValueKind::Name };
                found.push(ExtractedValue::new(kind, ValueMeaning::Letters(normalized_words(text)), 0..text.len()));
            }
            // A text of digits is a code more often than a number.
            if let [one] = &mut found[..]
                && one.kind == ValueKind::Number
                && text.bytes().all(|byte| byte.is_ascii_digit())
            {
                (one.kind, one.meaning) = (ValueKind::Code, ValueMeaning::Letters(text.clone()));
            }
            into.extend(found.into_iter().map(|value| (pointer.to_owned(), value)));
        }
        Json::Array(list) => {
            for (number, item) in list.iter().enumerate() {
                argument_values(item, &format!("{pointer}/{number}"), into);
            }
        }
        Json::Object(map) => {
            for (key, item) in map {
                argument_values(item, &format!("{pointer}/{}", escape_pointer_key(key)), into);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(ValueKind, &str)> {
        values(text, &TextAnalysis::new(text)).into_iter().map(|value| (value.kind, &text[value.span])).collect()
    }

    #[test]
    fn values_are_told_apart_by_kind() {
        assert_eq!(found("A hotel from 4 to 7 June, please."), [(ValueKind::Date, "4 to 7 June")]);
        assert_eq!(found("My order is 55-1023."), [(ValueKind::Code, "55-1023")]);
        assert_eq!(found("Call 0664 123 45 67 now"), [(ValueKind::Code, "0664 123 45 67")]);
        assert_eq!(found("write to a.b@c.example."), [(ValueKind::Email, "a.b@c.example")]);
        assert_eq!(found("We live at 5 Harbour Road."), [(ValueKind::Address, "5 Harbour Road")]);
        assert_eq!(found("I met Dora Lind there"), [(ValueKind::Name, "Dora Lind")]);
        assert_eq!(found("seat 14C at 19:30"), [(ValueKind::Code, "14C"), (ValueKind::Time, "19:30")]);
        assert!(found("It takes 6-9 days").iter().all(|(kind, _)| *kind != ValueKind::Code));
    }

    #[test]
    fn values_are_compared_by_meaning() {
        let same = |left: &str, right: &str| {
            let one = |text: &str| values(text, &TextAnalysis::new(text)).into_iter().next().unwrap();
            is_same_value(&one(left), &one(right))
        };
        assert!(same("on 4 May 2019", "2019-05-04") && !same("on 4 May 2019", "2019-04-05"));
        assert!(same("at 7:30", "19:30") && !same("at 7:30", "20:30"));
        assert!(!same("9 am", "9 pm") && !same("09:00", "21:00") && same("9 pm", "21:00"));
        assert!(same("at 9", "9 am") && same("at 9", "9 pm") && same("at 9", "21:00") && !same("at 9", "10 pm"));
        assert!(same("9:30 tomorrow", "21:30") && same("9 am tomorrow", "9:00") && !same("9 am tomorrow", "21:00"));
        assert!(!same("nine in the morning", "21:00") && same("nine in the evening", "21:00"));
        assert!(same("500 g", "0.5 kg") && !same("500 g", "500 kg") && same("500 g", "500"));
        assert!(same("$40", "40 dollars") && !same("$40", "€40") && !same("$40", "40 guests"));
        assert!(same("C-7781", "c7781 C-7781") && !same("40-22100", "40-21200"));
        assert!(same("two people", "2 guests"));
        assert!(!same("from 3 to 7 February", "3 to 8 February"));
    }

    #[test]
    fn a_number_that_may_be_a_share_is_a_number() {
        assert_eq!(found("0.5 of it"), [(ValueKind::Number, "0.5")]);
        assert_eq!(found("my tax number is 12/345"), [(ValueKind::Number, "12/345")]);
        assert!(found("half of it, 25 % and the third").is_empty());
    }

    #[test]
    fn a_set_of_keys_has_what_its_values_mean() {
        let has = |held_text: &str, other: &str| {
            let read = |text: &str| values(text, &TextAnalysis::new(text)).into_iter().next().unwrap();
            let keys = read(held_text).keys();
            read(other).is_among(|key| keys.iter().any(|known| known == key))
        };
        assert!(has("at 9:00 pm", "9:00") && has("9:00", "at 21:00") && !has("9 am", "9 pm"));
        assert!(has("0.5 kg", "500 g") && has("$40", "40") && has("40", "$40") && !has("$40", "€40"));
        assert!(has("3 to 7 June", "7 June") && !has("7 June", "3 to 7 June"));
    }

    #[test]
    fn numbers_have_their_nouns() {
        let nouns = |text: &str| -> Vec<Option<String>> {
            values(text, &TextAnalysis::new(text)).into_iter().map(|value| value.noun).collect()
        };
        assert_eq!(nouns("two red mugs and 300 g of flour"), [Some("mugs".to_owned()), Some("flour".to_owned())]);
        assert_eq!(nouns("two-room flats"), [Some("room".to_owned())]);
    }
}
