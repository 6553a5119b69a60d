//! Numbers with what they count: money, percentages, measures, durations, plain cardinals.
//!
//! Two readings share one reader and one table of units. The published one, which the published profiles rest on, is [`find`],
//! [`parse`] and [`supports`]. The improved one is an algebra: [`amounts`] reads each number and date with its kind, unit, rounding and
//! bound, [`AmountIndex`] finds what bears it out within its kind, and [`arithmetic`] what follows from it.
//!
//! [`find`] reads them from running text, [`parse`] from a text that is one, and [`supports`] says whether a number of a
//! source bears out a number of an answer. Nothing is converted and nothing is rounded: `2.5 million euros` supports
//! `€2,500,000`, not `$2.5 million` and not `2.5 thousand thousand`.
//!
//! ```
//! use probare_text::quantities::{QuantityKind, find, parse, supports};
//!
//! let found = find("Revenue rose 20% to €2.5 million.");
//! assert_eq!(found[0].kind, QuantityKind::Percent);
//! assert_eq!((found[1].value, found[1].kind), (2_500_000.0, QuantityKind::Money { currency: "EUR" }));
//! assert!(supports(&found[1], &parse("2,500,000 euros").unwrap()));
//! assert!(!supports(&found[0], &parse("20").unwrap()));
//! ```

mod amount;
pub mod arithmetic;
mod currencies;
mod index;
mod magnitude;
pub(crate) mod parser;
pub(crate) mod quantity;
mod table_rows;
mod units;

pub use amount::{Amount, AmountQualifier, AmountScale, AmountSense, amounts, stated_amounts};
pub use index::{AmountIndex, SupportKind, converted_value};
pub use quantity::{Quantity, QuantityKind};
pub use units::MeasurementUnit;

use crate::anchor_scan::scan_for_evidence;
use crate::terms::TermSequence;
use parser::{ParseOutcome, read};

/// All quantities of a text, in order.
///
/// The first end of a range (`10–15%`) is listed twice, by itself and with the unit of the second. A lone year counts as a number; digits inside clock times, inside dates that name their month, inside words,
/// versions, telephone numbers and addresses do not. Ordinals do not, nor does `one` as a pronoun.
pub fn find(text: &str) -> Vec<Quantity> {
    scan_for_evidence(text).quantities
}

/// The quantity that the whole text is, or `None`: `12,50` is none, since commas group by three.
pub fn parse(text: &str) -> Option<Quantity> {
    let terms = TermSequence::new(text);
    // Signs and currencies before the number belong to it, so the number may start at the second or third term.
    (0..terms.len().min(4)).find_map(|start| match read(&terms, start, 0) {
        ParseOutcome::Found { quantity, first, end, .. } if first == 0 && end == terms.len() => Some(quantity),
        _ => None,
    })
}

/// Whether `context`, a number of a source, bears out `anchor`, a number of an answer.
///
/// The values are equal (to one part in 10⁹), and a percentage meets a percentage, money the same currency or a bare
/// number, a measure or duration the same unit, a bare number anything but a percentage.
pub fn supports(context: &Quantity, anchor: &Quantity) -> bool {
    is_close(context.value, anchor.value)
        && match (anchor.kind, context.kind) {
            (QuantityKind::Percent, other) => other == QuantityKind::Percent,
            (QuantityKind::Money { currency }, QuantityKind::Money { currency: other }) => {
                currencies::is_same(currency, other)
            }
            (QuantityKind::Money { .. }, QuantityKind::Cardinal) => true,
            (QuantityKind::Money { currency }, QuantityKind::Measure { unit })
            | (QuantityKind::Measure { unit }, QuantityKind::Money { currency }) => {
                currencies::is_weight(currency, unit)
            }
            (QuantityKind::Measure { unit }, QuantityKind::Measure { unit: other }) => unit == other,
            (QuantityKind::Duration { unit, is_ago }, QuantityKind::Duration { unit: other, is_ago: other_is_ago }) => {
                unit == other && (!is_ago || other_is_ago)
            }
            (QuantityKind::Cardinal, other) => other != QuantityKind::Percent,
            _ => false,
        }
}

fn is_close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(right.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(&str, f64, QuantityKind)> {
        find(text).iter().map(|quantity| (quantity.text(text), quantity.value, quantity.kind)).collect()
    }

    const fn money(currency: &'static str) -> QuantityKind {
        QuantityKind::Money { currency }
    }

    const fn measure(unit: &'static str) -> QuantityKind {
        QuantityKind::Measure { unit }
    }

    #[test]
    fn money_is_read_with_sign_code_and_name() {
        for (text, value, currency) in [
            ("$150", 150.0, "USD"),
            ("$1.65bn", 1.65e9, "USD"),
            ("$48M", 48e6, "USD"),
            ("£5m", 5e6, "GBP"),
            ("€ 2,500,000", 2.5e6, "EUR"),
            ("US$ 5 million", 5e6, "USD"),
            ("A$20", 20.0, "AUD"),
            ("DKK 300", 300.0, "DKK"),
            ("300 DKK", 300.0, "DKK"),
            ("Rs. 500", 500.0, "INR"),
            ("seventy-five dollars", 75.0, "USD"),
            ("5m euros", 5e6, "EUR"),
            ("12€", 12.0, "EUR"),
            ("3 million Swiss francs", 3e6, "CHF"),
            ("a million dollars", 1e6, "USD"),
            ("₹2.5 billion", 2.5e9, "INR"),
            ("-$5.50", -5.5, "USD"),
            ("100 billion won", 1e11, "KRW"),
        ] {
            assert_eq!(kinds(text), [(text, value, money(currency))]);
            let parsed = parse(text).unwrap_or_else(|| panic!("`{text}` parses"));
            assert_eq!((parsed.value, parsed.kind), (value, money(currency)), "{text}");
        }
    }

    #[test]
    fn measures_durations_and_percentages_are_read() {
        for (text, value, kind) in [
            ("450kg", 450.0, measure("kg")),
            ("forty kilometers", 40.0, measure("km")),
            ("5m", 5.0, measure("m")),
            ("1.5 million tonnes", 1.5e6, measure("t")),
            ("20 °C", 20.0, measure("°C")),
            ("-3 °C", -3.0, measure("°C")),
            ("120 square metres", 120.0, measure("m²")),
            ("20%", 20.0, QuantityKind::Percent),
            ("3.5 per cent", 3.5, QuantityKind::Percent),
            ("2 percentage points", 2.0, measure("pp")),
            ("two-hour", 2.0, QuantityKind::Duration { unit: "h", is_ago: false }),
            ("18 hours", 18.0, QuantityKind::Duration { unit: "h", is_ago: false }),
            ("half an hour", 0.5, QuantityKind::Duration { unit: "h", is_ago: false }),
            ("two and a half years", 2.5, QuantityKind::Duration { unit: "year", is_ago: false }),
            ("2 years ago", 2.0, QuantityKind::Duration { unit: "year", is_ago: true }),
            ("half a million", 5e5, QuantityKind::Cardinal),
            ("a dozen", 12.0, QuantityKind::Cardinal),
            ("two dozen", 24.0, QuantityKind::Cardinal),
            ("one hundred and five", 105.0, QuantityKind::Cardinal),
            ("1.25k", 1250.0, QuantityKind::Cardinal),
            ("two-thirds", 2.0 / 3.0, QuantityKind::Cardinal),
            ("1/2", 0.5, QuantityKind::Cardinal),
        ] {
            assert_eq!(kinds(text), [(text, value, kind)]);
            assert!(parse(text).is_some_and(|parsed| parsed.kind == kind && parsed.value == value), "{text}");
        }
    }

    #[test]
    fn degrees_are_no_unit_but_their_scale_is_known() {
        assert_eq!(kinds("at 90 degrees"), [("90", 90.0, QuantityKind::Cardinal)]);
        assert_eq!(kinds("at 100 degrees Celsius"), [("100", 100.0, measure("°C"))]);
    }

    #[test]
    fn ends_of_a_range_share_their_unit() {
        let percent = [
            ("10", 10.0, QuantityKind::Cardinal),
            ("10", 10.0, QuantityKind::Percent),
            ("15%", 15.0, QuantityKind::Percent),
        ];
        assert_eq!(kinds("10–15%"), percent);
        let cardinal = |text, value| (text, value, QuantityKind::Cardinal);
        assert_eq!(kinds("3-4 million"), [cardinal("3", 3.0), cardinal("3", 3e6), cardinal("4 million", 4e6)]);
    }

    #[test]
    fn digits_in_names_versions_and_telephone_numbers_do_not_count() {
        for text in [
            "COVID-19",
            "v2.0.1",
            "version 2.0.1",
            "B2B and H2O",
            "a 3D film",
            "call +45 12 34 56 78",
            "call 555-1234",
            "call 555-123-4567",
            "192.168.0.1",
            "the 21st and the fifth",
            "24/7",
            "no one",
            "one of them",
            "this one",
            "one can see",
            "F-16",
            "https://x.org/2019",
            "12,50",
            "at 9:15",
            "on 2012-10-26",
            "March 15, 2016",
            "the 1990s",
            "the second one",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn one_before_a_noun_counts() {
        assert_eq!(kinds("one boat"), [("one", 1.0, QuantityKind::Cardinal)]);
        assert_eq!(kinds("One boat"), [("One", 1.0, QuantityKind::Cardinal)]);
    }

    #[test]
    fn support_follows_the_kind() {
        let supported = |context: &str, anchor: &str| supports(&parse(context).unwrap(), &parse(anchor).unwrap());
        assert!(supported("150", "$150") && supported("$150", "150") && supported("450 kg", "450"));
        assert!(!supported("€150", "$150") && !supported("20%", "20") && !supported("20", "20%"));
        assert!(!supported("450", "450 kg") && !supported("450 t", "450 kg"));
        assert!(supported("300 kroner", "DKK 300") && supported("10 pounds", "10 lb"));
        assert!(supported("2 years ago", "two years") && !supported("two years", "2 years ago"));
    }

    #[test]
    fn what_is_not_one_number_does_not_parse() {
        for text in ["", "12,50", "15 mars", "two three", "about 5", "5 members", "5th", "$"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
