//! The grammar of English number words, independent of how the text was cut into words.
//!
//! A run is a sequence of groups below a thousand, each followed by a scale smaller than the one before (`two million
//! five hundred thousand`), perhaps with decimals (`two point five million`). A unit after a unit starts a new number;
//! years in pairs (`nineteen eighty-four`) are two runs.

/// What a number word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberRank {
    /// `zero`.
    Zero,
    /// `one` to `nine`.
    Unit(u8),
    /// `ten` to `nineteen`.
    Teen(u8),
    /// `twenty` to `ninety`.
    Ten(u8),
    /// `hundred`.
    Hundred,
    /// `thousand` to `trillion`, as a power of ten.
    Scale(u8),
}

/// A number word, cardinal or ordinal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NumberWord {
    pub(crate) rank: NumberRank,
    pub(crate) is_ordinal: bool,
}

impl NumberWord {
    /// Reads one lower-case word.
    pub(crate) fn read(word: &str) -> Option<Self> {
        if let Some(rank) = cardinal_rank(word) {
            return Some(Self { rank, is_ordinal: false });
        }
        ordinal_rank(word).map(|rank| Self { rank, is_ordinal: true })
    }
}

/// The number below a hundred that a single lower-case word names, as a cardinal or an ordinal; nothing for other words.
///
/// ```
/// use probare_text::number_words::small_number;
///
/// assert_eq!((small_number("six"), small_number("eightieth")), (Some(6), Some(80)));
/// assert_eq!((small_number("hundred"), small_number("sixish")), (None, None));
/// ```
pub fn small_number(word: &str) -> Option<u32> {
    match NumberWord::read(word)?.rank {
        NumberRank::Zero => Some(0),
        NumberRank::Unit(value) | NumberRank::Teen(value) | NumberRank::Ten(value) => Some(value.into()),
        NumberRank::Hundred | NumberRank::Scale(_) => None,
    }
}

fn cardinal_rank(word: &str) -> Option<NumberRank> {
    Some(match word {
        "zero" => NumberRank::Zero,
        "one" => NumberRank::Unit(1),
        "two" => NumberRank::Unit(2),
        "three" => NumberRank::Unit(3),
        "four" => NumberRank::Unit(4),
        "five" => NumberRank::Unit(5),
        "six" => NumberRank::Unit(6),
        "seven" => NumberRank::Unit(7),
        "eight" => NumberRank::Unit(8),
        "nine" => NumberRank::Unit(9),
        "ten" => NumberRank::Teen(10),
        "eleven" => NumberRank::Teen(11),
        "twelve" => NumberRank::Teen(12),
        "thirteen" => NumberRank::Teen(13),
        "fourteen" => NumberRank::Teen(14),
        "fifteen" => NumberRank::Teen(15),
        "sixteen" => NumberRank::Teen(16),
        "seventeen" => NumberRank::Teen(17),
        "eighteen" => NumberRank::Teen(18),
        "nineteen" => NumberRank::Teen(19),
        "twenty" => NumberRank::Ten(20),
        "thirty" => NumberRank::Ten(30),
        "forty" => NumberRank::Ten(40),
        "fifty" => NumberRank::Ten(50),
        "sixty" => NumberRank::Ten(60),
        "seventy" => NumberRank::Ten(70),
        "eighty" => NumberRank::Ten(80),
        "ninety" => NumberRank::Ten(90),
        "hundred" => NumberRank::Hundred,
        "thousand" => NumberRank::Scale(3),
        "million" => NumberRank::Scale(6),
        "billion" => NumberRank::Scale(9),
        "trillion" => NumberRank::Scale(12),
        _ => return None,
    })
}

fn ordinal_rank(word: &str) -> Option<NumberRank> {
    // The irregular ones; all others are the cardinal with `th`, and `ieth` for the tens.
    let cardinal = match word {
        "first" => "one",
        "second" => "two",
        "third" => "three",
        "fifth" => "five",
        "eighth" => "eight",
        "ninth" => "nine",
        "twelfth" => "twelve",
        _ => {
            if let Some(stem) = word.strip_suffix("ieth") {
                return match cardinal_rank(&format!("{stem}y")) {
                    Some(NumberRank::Ten(value)) => Some(NumberRank::Ten(value)),
                    _ => None,
                };
            }
            let stem = word.strip_suffix("th")?;
            return match (stem, cardinal_rank(stem)) {
                ("one" | "two" | "three" | "five" | "eight" | "nine" | "twelve", _) | (_, Some(NumberRank::Ten(_))) => {
                    None
                }
                (_, rank) => rank,
            };
        }
    };
    cardinal_rank(cardinal)
}

/// One word of a text as the grammar sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GrammarWord {
    Number(NumberWord),
    And,
    Point,
    Other,
}

impl GrammarWord {
    fn rank(self) -> Option<NumberRank> {
        match self {
            Self::Number(word) => Some(word.rank),
            _ => None,
        }
    }

    fn is_ordinal(self) -> bool {
        matches!(self, Self::Number(word) if word.is_ordinal)
    }

    /// Whether this word can open a group behind a scale or an `and`.
    fn opens_group(self) -> bool {
        matches!(self.rank(), Some(NumberRank::Unit(_) | NumberRank::Teen(_) | NumberRank::Ten(_)))
    }
}

/// A number read from words: `(integer + 0.decimals) * 10^exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberRun {
    pub(crate) integer: u64,
    /// Digits behind the point, as text.
    pub(crate) decimals: String,
    pub(crate) exponent: u8,
    pub(crate) is_ordinal: bool,
    /// How many pieces the run takes.
    pub(crate) length: usize,
}

impl NumberRun {
    /// The value as a floating-point number.
    pub(crate) fn value(&self) -> f64 {
        let integer = self.integer;
        // Parsing the digits rounds once, where adding and multiplying would round twice.
        format!("{integer}.{}e{}", if self.decimals.is_empty() { "0" } else { &self.decimals }, self.exponent)
            .parse()
            .expect("digits, a point and an exponent are a number")
    }
}

/// A group below ten thousand (`ninety-nine hundred` is one) and where it ends.
struct Group {
    value: u64,
    end: usize,
    is_ordinal: bool,
}

/// Reads the number that starts at piece 0, where `piece_at` gives the pieces and [`GrammarWord::Other`] behind the last.
pub(crate) fn read_run(piece_at: impl Fn(usize) -> GrammarWord) -> Option<NumberRun> {
    let first = piece_at(0);
    let mut group = match first.rank()? {
        // A scale of its own counts once: `million`.
        NumberRank::Scale(_) => Group { value: 1, end: 0, is_ordinal: false },
        _ => read_group(&piece_at, 0)?,
    };
    let mut total = 0;
    let mut smallest_scale = u8::MAX;
    loop {
        let scale = piece_at(group.end);
        let Some(NumberRank::Scale(exponent)) = scale.rank().filter(|_| !group.is_ordinal) else {
            total += group.value;
            break;
        };
        // `read_group` was only accepted when its scale falls, see below; the first one always does.
        total += group.value * 10u64.pow(u32::from(exponent));
        smallest_scale = exponent.min(smallest_scale);
        group = Group { value: 0, end: group.end + 1, is_ordinal: scale.is_ordinal() };
        if group.is_ordinal {
            break;
        }
        let next = group.end + usize::from(piece_at(group.end) == GrammarWord::And);
        let Some(further) = piece_at(next).opens_group().then(|| read_group(&piece_at, next)).flatten() else { break };
        match piece_at(further.end).rank().filter(|_| !further.is_ordinal) {
            Some(NumberRank::Scale(exponent)) if exponent >= smallest_scale => break,
            _ => group = further,
        }
    }
    let mut run = NumberRun {
        integer: total,
        decimals: String::new(),
        exponent: 0,
        is_ordinal: group.is_ordinal,
        length: group.end,
    };
    if !run.is_ordinal && piece_at(run.length) == GrammarWord::Point {
        read_decimals(&piece_at, &mut run, smallest_scale == u8::MAX);
    }
    Some(run)
}

/// Reads `point` and digit words into the run, and a scale behind them when the integer part had none.
fn read_decimals(piece_at: &impl Fn(usize) -> GrammarWord, run: &mut NumberRun, may_scale: bool) {
    let mut at = run.length + 1;
    while let GrammarWord::Number(NumberWord { rank: NumberRank::Zero | NumberRank::Unit(_), is_ordinal: false }) =
        piece_at(at)
    {
        let digit = match piece_at(at).rank() {
            Some(NumberRank::Unit(value)) => value,
            _ => 0,
        };
        run.decimals.push(char::from(b'0' + digit));
        at += 1;
    }
    if run.decimals.is_empty() {
        return;
    }
    if let GrammarWord::Number(NumberWord { rank: NumberRank::Scale(exponent), is_ordinal: false }) = piece_at(at)
        && may_scale
    {
        run.exponent = exponent;
        at += 1;
    }
    run.length = at;
}

/// Reads units, tens and hundreds from `start`.
fn read_group(piece_at: &impl Fn(usize) -> GrammarWord, start: usize) -> Option<Group> {
    let mut group = match piece_at(start).rank()? {
        NumberRank::Zero => return Some(Group { value: 0, end: start + 1, is_ordinal: piece_at(start).is_ordinal() }),
        NumberRank::Hundred => Group { value: 1, end: start, is_ordinal: false },
        _ => read_below_hundred(piece_at, start)?,
    };
    let hundred = piece_at(group.end);
    if group.is_ordinal || hundred.rank() != Some(NumberRank::Hundred) {
        return Some(group);
    }
    group = Group { value: group.value * 100, end: group.end + 1, is_ordinal: hundred.is_ordinal() };
    if group.is_ordinal {
        return Some(group);
    }
    let next = group.end + usize::from(piece_at(group.end) == GrammarWord::And);
    if let Some(rest) = read_below_hundred(piece_at, next)
        // In `one hundred and two hundred` the second number has its own hundred.
        && (rest.is_ordinal || piece_at(rest.end).rank() != Some(NumberRank::Hundred))
    {
        group = Group { value: group.value + rest.value, ..rest };
    }
    Some(group)
}

fn read_below_hundred(piece_at: &impl Fn(usize) -> GrammarWord, start: usize) -> Option<Group> {
    let first = piece_at(start);
    let (value, takes_unit) = match first.rank()? {
        NumberRank::Unit(value) | NumberRank::Teen(value) => (value, false),
        NumberRank::Ten(value) => (value, !first.is_ordinal()),
        _ => return None,
    };
    let second = piece_at(start + 1);
    Some(match second.rank() {
        Some(NumberRank::Unit(unit)) if takes_unit => {
            Group { value: u64::from(value + unit), end: start + 2, is_ordinal: second.is_ordinal() }
        }
        _ => Group { value: u64::from(value), end: start + 1, is_ordinal: first.is_ordinal() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<GrammarWord> {
        text.split(' ')
            .map(|word| match word {
                "and" => GrammarWord::And,
                "point" => GrammarWord::Point,
                _ => NumberWord::read(word).map_or(GrammarWord::Other, GrammarWord::Number),
            })
            .collect()
    }

    fn read(text: &str) -> (f64, usize) {
        let pieces = pieces(text);
        let run = read_run(|at| pieces.get(at).copied().unwrap_or(GrammarWord::Other)).expect("a number comes first");
        (run.value(), run.length)
    }

    #[test]
    fn groups_and_falling_scales_make_one_number() {
        assert_eq!(read("two hundred and five thousand and one"), (205_001.0, 7));
        assert_eq!(read("nineteen hundred"), (1900.0, 2));
        assert_eq!(read("two million five hundred thousand"), (2_500_000.0, 5));
        assert_eq!(read("hundred thousand"), (100_000.0, 2));
        assert_eq!(read("two point zero five billion"), (2_050_000_000.0, 5));
    }

    #[test]
    fn what_does_not_fit_starts_a_new_number() {
        assert_eq!(read("twenty twenty"), (20.0, 1));
        assert_eq!(read("one hundred and two hundred"), (100.0, 2));
        assert_eq!(read("two thousand five million"), (2000.0, 2));
        assert_eq!(read("one thousand and"), (1000.0, 2));
        assert_eq!(read("zero five"), (0.0, 1));
        assert_eq!(read("two point"), (2.0, 1));
    }

    #[test]
    fn irregular_ordinals_are_known_and_misspelled_ones_are_not() {
        for word in ["first", "twelfth", "thirtieth", "hundredth", "fourth", "millionth"] {
            assert!(NumberWord::read(word).is_some_and(|word| word.is_ordinal), "{word}");
        }
        for word in ["oneth", "fiveth", "twentyth", "th", "ieth", "onety"] {
            assert_eq!(NumberWord::read(word), None, "{word}");
        }
    }
}
