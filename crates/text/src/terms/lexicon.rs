//! The words that can begin a number or a date.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::number_words::NumberWord;

/// What a word can begin or join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordClass {
    /// Nothing by itself; neighbours may still look at its text.
    Other,
    /// A cardinal or ordinal in words.
    Number(NumberWord),
    And,
    Point,
    /// `a`, `an`.
    Article,
    /// `half`.
    Half,
    /// `dozen`.
    Dozen,
    Month {
        number: u8,
        is_short: bool,
    },
    /// Monday is 1.
    Weekday {
        number: u8,
        is_short: bool,
    },
    /// `yesterday`, `today` and the like.
    RelativeDay,
    /// `last`, `next`, `this` and the like, which make a period relative.
    Shift,
    /// `noon` and `midnight`, as minutes of the day.
    ClockWord(u16),
    /// `quarter`, of an hour.
    QuarterWord,
    /// `Q`, before a number from 1 to 4.
    QuarterLetter,
    /// `FY`, before a year.
    FiscalYear,
    /// `nineties` and the like, as the first year of the decade in a century.
    DecadeWord(u8),
}

/// Words longer than this are not in the table.
const LONGEST: usize = 11;

static TABLE: LazyLock<FxHashMap<&'static [u8], WordClass>> = LazyLock::new(|| {
    let mut table: FxHashMap<&'static [u8], WordClass> = FxHashMap::default();
    for word in NUMBER_WORDS.split_ascii_whitespace() {
        if let Some(number) = NumberWord::read(word) {
            table.insert(word.as_bytes(), WordClass::Number(number));
        }
    }
    for (at, names) in MONTHS.iter().enumerate() {
        let number = u8::try_from(at + 1).expect("there are twelve months");
        for (position, name) in names.split_ascii_whitespace().enumerate() {
            table.insert(name.as_bytes(), WordClass::Month { number, is_short: position > 0 });
        }
    }
    for (at, names) in WEEKDAYS.iter().enumerate() {
        let number = u8::try_from(at + 1).expect("there are seven days");
        for (position, name) in names.split_ascii_whitespace().enumerate() {
            table.insert(name.as_bytes(), WordClass::Weekday { number, is_short: position > 1 });
        }
    }
    for (words, class) in [
        ("and", WordClass::And),
        ("point", WordClass::Point),
        ("a an", WordClass::Article),
        ("half", WordClass::Half),
        ("dozen", WordClass::Dozen),
        ("yesterday today tomorrow tonight", WordClass::RelativeDay),
        ("last next this previous past following coming", WordClass::Shift),
        ("noon midday", WordClass::ClockWord(12 * 60)),
        ("midnight", WordClass::ClockWord(0)),
        ("quarter", WordClass::QuarterWord),
        ("q", WordClass::QuarterLetter),
        ("fy", WordClass::FiscalYear),
        ("twenties", WordClass::DecadeWord(20)),
        ("thirties", WordClass::DecadeWord(30)),
        ("forties", WordClass::DecadeWord(40)),
        ("fifties", WordClass::DecadeWord(50)),
        ("sixties", WordClass::DecadeWord(60)),
        ("seventies", WordClass::DecadeWord(70)),
        ("eighties", WordClass::DecadeWord(80)),
        ("nineties", WordClass::DecadeWord(90)),
    ] {
        for word in words.split_ascii_whitespace() {
            table.insert(word.as_bytes(), class);
        }
    }
    table
});

/// For each first letter the lengths that words of the table have, as bits.
static LENGTHS: LazyLock<[u16; 32]> = LazyLock::new(|| {
    let mut lengths = [0; 32];
    for word in TABLE.keys() {
        lengths[usize::from(word[0]) % 32] |= 1 << word.len();
    }
    lengths
});

const NUMBER_WORDS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million \
    billion trillion first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth \
    seventieth eightieth ninetieth hundredth thousandth millionth billionth";

/// Each month with its short forms.
const MONTHS: [&str; 12] = [
    "january jan",
    "february feb",
    "march mar",
    "april apr",
    "may",
    "june jun",
    "july jul",
    "august aug",
    "september sep sept",
    "october oct",
    "november nov",
    "december dec",
];

/// Each weekday, its plural and its short forms.
const WEEKDAYS: [&str; 7] = [
    "monday mondays mon",
    "tuesday tuesdays tue tues",
    "wednesday wednesdays wed",
    "thursday thursdays thu thur thurs",
    "friday fridays fri",
    "saturday saturdays sat",
    "sunday sundays sun",
];

/// The class of a word in any case.
pub(super) fn class(word: &str) -> WordClass {
    let mut lowered = [0u8; LONGEST];
    let Some(lowered) = lowered.get_mut(..word.len()) else { return WordClass::Other };
    let letter = word.as_bytes().first().map_or(0, |byte| usize::from(byte | 0x20) % 32);
    // Most words differ from all of the table in first letter or length, which is quicker to ask.
    if LENGTHS[letter] & (1 << word.len()) == 0 {
        return WordClass::Other;
    }
    lowered.copy_from_slice(word.as_bytes());
    lowered.make_ascii_lowercase();
    TABLE.get(&*lowered).copied().unwrap_or(WordClass::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_the_table_is_too_long() {
        assert!(TABLE.keys().all(|word| word.len() <= LONGEST), "{:?}", TABLE.keys().map(|word| word.len()).max());
        assert!(NUMBER_WORDS.split_ascii_whitespace().all(|word| matches!(class(word), WordClass::Number(_))));
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(class("SEPT"), WordClass::Month { number: 9, is_short: true });
        assert_eq!(class("Sundays"), WordClass::Weekday { number: 7, is_short: false });
        assert_eq!(class("marches"), WordClass::Other);
    }
}
