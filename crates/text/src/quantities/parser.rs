//! Reads one quantity at one place of a text: what stands before the value, the value, what stands behind it.

use super::magnitude::{self, Magnitude, NumberStart};
use super::quantity::{Quantity, QuantityKind};
use super::{currencies, units};
use crate::terms::{TermSequence, WordClass};

/// What was read at a term.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParseOutcome {
    /// A quantity, with its first term and the term behind its last. Where it borrowed its unit or scale from the other
    /// end of a range, `bare` is what its own words say.
    Found { quantity: Quantity, bare: Option<f64>, first: usize, end: usize },
    /// A number that looks like one but cannot be read, such as `12,50`.
    Malformed { first: usize, end: usize },
    /// Digits or words that mean no quantity, up to this term.
    Skip(usize),
    /// Nothing that belongs here.
    Nothing,
}

/// Words before `one` that make it a pronoun.
const BEFORE_PRONOUN: &str = "no any every some this that the each another which other such new old only first second third last \
    next good better best loved single right wrong";

/// Words behind `one` that show that no noun follows.
const AFTER_PRONOUN: &str = "of is was has had can could may might must should shall will would does did do in on at to for from \
    with by and or but as that which who whose needs another s cannot where when if so than not never \
    also always often thing by";

/// Words before `an hour` that show a length of time and no rate.
const BEFORE_DURATION: &str = "for in within after takes take took taking lasts last lasted lasting about around over under almost \
    nearly than least roughly approximately spent spend";

/// Reads the quantity whose value starts at term `at`, without reaching back before term `floor`.
pub(crate) fn read(terms: &TermSequence<'_>, at: usize, floor: usize) -> ParseOutcome {
    probare_cancellation::count_steps(1);
    if terms.word(at) == Some(WordClass::Article) {
        return read_implied_one(terms, at, floor);
    }
    if terms.numeral(at).is_some() && is_inside_name(terms, at, floor) {
        return ParseOutcome::Skip(at + 1);
    }
    if let Some(end) = telephone_end(terms, at) {
        return ParseOutcome::Skip(end);
    }
    let mut prefix = Prefix::before(terms, at, floor);
    let magnitude = match magnitude::read(terms, at, prefix.currency.is_some()) {
        NumberStart::Number(magnitude) => magnitude,
        NumberStart::Skip(end) => return ParseOutcome::Skip(end),
        NumberStart::Malformed => {
            return ParseOutcome::Malformed { first: prefix.first, end: malformed_end(terms, at, prefix.currency) };
        }
        NumberStart::Nothing => return ParseOutcome::Nothing,
    };
    prefix.take_article(terms, at, floor);
    let mut value = magnitude.value;
    let Some((mut kind, end)) = read_kind(terms, &magnitude, prefix.currency) else {
        // `3D`, `10x`: letters that touch and mean nothing here make it a name.
        return ParseOutcome::Skip(magnitude.end + 1);
    };
    let mut bare = None;
    if kind == QuantityKind::Cardinal && end == magnitude.end {
        if let Some(further) = range_end(terms, end) {
            bare = Some(if prefix.is_negative { -value } else { value });
            kind = further.0;
            if magnitude.scale == 1.0 {
                value *= further.1;
            }
        } else if let Some(scale) = units::degrees_scale(terms, end) {
            kind = QuantityKind::Measure { unit: scale };
        } else if magnitude.is_lone_one && prefix.first == at && is_pronoun(terms, at) {
            return ParseOutcome::Skip(end);
        }
    }
    if prefix.is_negative {
        value = -value;
    }
    let quantity = Quantity { kind, value, span: terms.span(prefix.first, end) };
    ParseOutcome::Found { quantity, bare, first: prefix.first, end }
}

/// The term behind a numeral that cannot be read, with the scale, currency or unit that belongs to it.
fn malformed_end(terms: &TermSequence<'_>, at: usize, currency: Option<&'static str>) -> usize {
    let magnitude = magnitude::with_scale(terms, 0.0, at + 1, currency.is_some());
    read_kind(terms, &magnitude, currency).map_or(magnitude.end, |(_, end)| end)
}

/// `an hour` where the words before show that it is a length of time.
fn read_implied_one(terms: &TermSequence<'_>, at: usize, floor: usize) -> ParseOutcome {
    let Some(unit) = units::time_unit_at(terms, at + 1) else { return ParseOutcome::Nothing };
    let is_ago = terms.is_word(at + 2, "ago");
    let is_meant =
        is_ago || TermSequence::before(at, floor).is_some_and(|before| terms.is_any_word(before, BEFORE_DURATION));
    // A `second` or `minute` before a noun is an adjective, any plural here a slip.
    let is_noun = is_ago || terms.word(at + 2).is_none() || !matches!(unit, "s" | "min");
    if !is_meant || !is_noun || terms.text(at + 1).ends_with('s') {
        return ParseOutcome::Nothing;
    }
    let end = at + 2 + usize::from(is_ago);
    let quantity = Quantity { kind: QuantityKind::Duration { unit, is_ago }, value: 1.0, span: terms.span(at, end) };
    ParseOutcome::Found { quantity, bare: None, first: at, end }
}

/// What stands before the value.
struct Prefix {
    first: usize,
    currency: Option<&'static str>,
    is_negative: bool,
}

impl Prefix {
    fn before(terms: &TermSequence<'_>, at: usize, floor: usize) -> Self {
        let mut prefix = Self { first: at, currency: None, is_negative: false };
        prefix.take_sign(terms, floor);
        prefix.take_currency(terms, floor);
        prefix.take_sign(terms, floor);
        prefix
    }

    fn take_sign(&mut self, terms: &TermSequence<'_>, floor: usize) {
        let Some(before) = TermSequence::before(self.first, floor) else { return };
        let is_minus = matches!(terms.symbol(before), Some('-' | '−' | '–')) && terms.is_glued(self.first);
        // A hyphen that touches what stands before it ties the two together or spans a range.
        let is_sign =
            terms.is_spaced(before) || TermSequence::before(before, 0).is_some_and(|b| terms.symbol(b) == Some('('));
        if (is_minus && is_sign) || terms.is_word(before, "minus") {
            self.first = before;
            self.is_negative = true;
        }
    }

    fn take_currency(&mut self, terms: &TermSequence<'_>, floor: usize) {
        let Some(before) = TermSequence::before(self.first, floor) else { return };
        if let Some(currency) = terms.symbol(before).and_then(currencies::from_sign) {
            // The sign of another number before it: `5€ 20`.
            let is_taken = terms.is_spaced(self.first)
                && TermSequence::before(before, floor)
                    .is_some_and(|b| terms.numeral(b).is_some() && terms.is_glued(before));
            if is_taken {
                return;
            }
            self.currency = Some(currency);
            self.first = before;
            if terms.is_glued(before)
                && let Some(letters) = TermSequence::before(before, floor)
                && let Some(dollar) = currencies::from_dollar_prefix(terms.text(letters))
            {
                self.currency = Some(dollar);
                self.first = letters;
            }
            return;
        }
        // `Rs. 500`, `kr. 300`.
        let is_dot = terms.symbol(before) == Some('.') && terms.is_glued(before);
        let code_at = if is_dot { TermSequence::before(before, floor) } else { Some(before) };
        let code = code_at.and_then(|code_at| {
            terms.word(code_at)?;
            currencies::from_code(terms.text(code_at)).map(|code| (code, code_at))
        });
        if let Some((code, code_at)) = code
            && (!is_dot || terms.text(code_at).len() == 2)
            // In `20 EUR 30` the code belongs to the first.
            && TermSequence::before(code_at, floor).is_none_or(|before| terms.numeral(before).is_none())
        {
            self.currency = Some(code);
            self.first = code_at;
        }
    }

    /// `a hundred`, `a million`, `a dozen`.
    fn take_article(&mut self, terms: &TermSequence<'_>, at: usize, floor: usize) {
        use crate::number_words::NumberRank;
        let takes_article = match terms.word(at) {
            Some(WordClass::Number(word)) => matches!(word.rank, NumberRank::Hundred | NumberRank::Scale(_)),
            Some(WordClass::Dozen) => true,
            _ => false,
        };
        if takes_article
            && let Some(before) = TermSequence::before(self.first, floor)
            && terms.word(before) == Some(WordClass::Article)
        {
            self.first = before;
        }
    }
}

/// What the number counts, and the term behind that; `None` when letters touch the digits that mean nothing.
fn read_kind(
    terms: &TermSequence<'_>,
    magnitude: &Magnitude,
    currency: Option<&'static str>,
) -> Option<(QuantityKind, usize)> {
    let end = magnitude.end;
    if let Some(currency) = currency {
        // `US$5 million dollars` is rare, `$5 per cent` nonsense: the sign decides.
        return Some((QuantityKind::Money { currency }, end));
    }
    let is_tied = terms.is_tying_hyphen(end);
    let at = end + usize::from(is_tied);
    if let Some(found) = read_percent(terms, at) {
        return Some(found);
    }
    if let Some((currency, behind)) = currencies::read_name(terms, at) {
        return Some((QuantityKind::Money { currency }, behind));
    }
    if let Some(currency) = terms.symbol(at).and_then(currencies::from_sign)
        && !(terms.is_spaced(at) && terms.is_glued(at + 1) && terms.numeral(at + 1).is_some())
    {
        return Some((QuantityKind::Money { currency }, at + 1));
    }
    if let Some((unit, behind)) = units::read(terms, at) {
        if !unit.is_time() {
            return Some((QuantityKind::Measure { unit: unit.symbol }, behind));
        }
        let is_ago = terms.is_word(behind, "ago");
        return Some((QuantityKind::Duration { unit: unit.symbol, is_ago }, behind + usize::from(is_ago)));
    }
    let is_name = terms.is_glued(end) && terms.word(end).is_some();
    (!is_name).then_some((QuantityKind::Cardinal, end))
}

fn read_percent(terms: &TermSequence<'_>, at: usize) -> Option<(QuantityKind, usize)> {
    match terms.symbol(at) {
        Some('%' | '％' | '﹪') => return Some((QuantityKind::Percent, at + 1)),
        Some('‰') => return Some((QuantityKind::Measure { unit: "‰" }, at + 1)),
        _ => {}
    }
    if terms.is_any_word(at, "percent pct") {
        return Some((QuantityKind::Percent, at + 1));
    }
    if terms.is_word(at, "per") && terms.is_word(at + 1, "cent") {
        return Some((QuantityKind::Percent, at + 2));
    }
    if terms.is_word(at, "percentage") && terms.is_any_word(at + 1, "points point") {
        return Some((QuantityKind::Measure { unit: "pp" }, at + 2));
    }
    if terms.is_word(at, "basis") && terms.is_any_word(at + 1, "points point") {
        return Some((QuantityKind::Measure { unit: "bp" }, at + 2));
    }
    None
}

/// The kind and scale of the other end when a dash and a number follow: `10–15%`, `3-4 million`.
fn range_end(terms: &TermSequence<'_>, at: usize) -> Option<(QuantityKind, f64)> {
    let is_range = terms.is_dash(at) && terms.is_glued(at) && terms.is_glued(at + 1) && terms.numeral(at + 1).is_some();
    if !is_range {
        return None;
    }
    let NumberStart::Number(magnitude) = magnitude::read(terms, at + 1, false) else { return None };
    let (kind, _) = read_kind(terms, &magnitude, None)?;
    Some((kind, magnitude.scale))
}

/// Whether `one` at this term is a pronoun.
fn is_pronoun(terms: &TermSequence<'_>, at: usize) -> bool {
    if terms.len() == 1 {
        return false;
    }
    let is_after_determiner = at.checked_sub(1).is_some_and(|before| terms.is_any_word(before, BEFORE_PRONOUN));
    let is_before_noun = match terms.word(at + 1) {
        Some(WordClass::Other | WordClass::Month { .. } | WordClass::Weekday { .. } | WordClass::QuarterWord) => {
            terms.is_spaced(at + 1) && !terms.is_any_word(at + 1, AFTER_PRONOUN)
        }
        _ => false,
    };
    is_after_determiner || !is_before_noun
}

/// Whether the digits belong to a name: `Q3`, `v2`, `COVID-19`, `#5`, `file_2`.
fn is_inside_name(terms: &TermSequence<'_>, at: usize, floor: usize) -> bool {
    if !terms.is_glued(at) {
        return false;
    }
    let Some(before) = at.checked_sub(1) else { return false };
    if terms.word(before).is_some() {
        return before < floor || currencies::from_code(terms.text(before)).is_none();
    }
    let Some(symbol) = terms.symbol(before) else { return false };
    let letters = before.checked_sub(1).filter(|_| terms.is_glued(before));
    match symbol {
        '_' | '@' | '#' | '\'' | '’' | '=' | '\\' | '^' => true,
        // `No.5` and `Rs.500` hold numbers, `name.2` does not.
        '.' => letters.is_some_and(|letters| {
            terms.word(letters).is_some()
                && currencies::from_code(terms.text(letters)).is_none()
                && !terms.is_word(letters, "no")
        }),
        '-' | '‐' | '‑' | '/' => letters.is_some_and(|letters| {
            terms.word(letters).is_some()
                && (terms.is_capitalised(letters) || symbol == '/')
                && !matches!(terms.word(letters), Some(WordClass::Month { .. } | WordClass::Weekday { .. }))
        }),
        _ => false,
    }
}

/// Where a telephone number that starts here ends: groups of digits that no quantity is written with.
fn telephone_end(terms: &TermSequence<'_>, at: usize) -> Option<usize> {
    let (_, digits) = terms.plain_digits(at)?;
    if at > 0 && terms.symbol(at - 1) == Some('+') && terms.is_glued(at) {
        let mut end = at + 1;
        while terms.plain_digits(end).is_some()
            || (matches!(terms.symbol(end), Some('-' | '(' | ')' | '/')) && terms.plain_digits(end + 1).is_some())
        {
            end += 1;
        }
        return (end > at + 1 || digits > 6).then_some(end);
    }
    if digits > 4 && terms.text(at).starts_with('0') {
        return Some(at + 1);
    }
    let mut end = at + 1;
    let mut groups = 1;
    while terms.is_tying_hyphen(end) && terms.plain_digits(end + 1).is_some() {
        end += 2;
        groups += 1;
    }
    let last_digits = terms.plain_digits(end - 1).map_or(0, |(_, digits)| digits);
    (groups > 2 || (groups == 2 && digits == 3 && last_digits == 4)).then_some(end)
}
