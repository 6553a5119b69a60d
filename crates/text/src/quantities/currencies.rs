//! Currencies: signs, codes and names, folded to the ISO code where it is plain.
//!
//! Some names are shared. `kr` may be any of the Nordic crowns, and `pounds` may be money or weight; these keep a code of
//! their own, and [`is_same`] knows what they can stand for.

use crate::number_words::Rank;
use crate::terms::{Shape, Terms, WordClass};

/// A Nordic crown that does not say of which country.
const CROWN: &str = "kr";

/// Pounds in words: sterling unless something else is said.
const POUND: &str = "pound";

/// Whether two currencies can be the same.
pub(super) fn is_same(left: &str, right: &str) -> bool {
    left == right || can_be(left, right) || can_be(right, left)
}

fn can_be(general: &str, special: &str) -> bool {
    match general {
        CROWN => matches!(special, "DKK" | "NOK" | "SEK" | "ISK"),
        POUND => special == "GBP",
        _ => false,
    }
}

/// Whether a currency can be a unit of weight: `pounds`.
pub(super) fn is_weight(currency: &str, unit: &str) -> bool {
    currency == POUND && unit == "lb"
}

/// The currency of a sign such as `€`.
pub(super) fn of_sign(sign: char) -> Option<&'static str> {
    Some(match sign {
        '$' | '＄' => "USD",
        '€' => "EUR",
        '£' | '￡' => "GBP",
        '¥' | '￥' => "JPY",
        '₹' => "INR",
        '₩' => "KRW",
        '₽' => "RUB",
        '₺' => "TRY",
        '₫' => "VND",
        '₪' => "ILS",
        '฿' => "THB",
        '₴' => "UAH",
        '₦' => "NGN",
        '₱' => "PHP",
        '₡' => "CRC",
        '₲' => "PYG",
        '₵' => "GHS",
        '₸' => "KZT",
        '₮' => "MNT",
        '₿' => "BTC",
        '¢' => "cent",
        _ => return None,
    })
}

/// The dollar that letters before the sign name: `US$`, `A$`.
pub(super) fn of_dollar_prefix(letters: &str) -> Option<&'static str> {
    Some(match letters {
        "US" | "USD" => "USD",
        "A" | "AU" | "AUD" => "AUD",
        "C" | "CA" | "CAD" | "CDN" => "CAD",
        "NZ" | "NZD" => "NZD",
        "HK" | "HKD" => "HKD",
        "S" | "SG" | "SGD" => "SGD",
        "NT" => "TWD",
        "R" => "BRL",
        "MX" => "MXN",
        _ => return None,
    })
}

/// The currency of a code or short name that may stand before the number as well as behind it.
pub(super) fn of_code(text: &str) -> Option<&'static str> {
    const CODES: &[&str] = &[
        "AED", "ARS", "AUD", "BDT", "BGN", "BRL", "BTC", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR",
        "GBP", "GHS", "HKD", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "KZT", "LKR", "MAD", "MXN", "MYR",
        "NGN", "NOK", "NZD", "PEN", "PHP", "PKR", "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY",
        "TWD", "UAH", "USD", "VND", "ZAR",
    ];
    if let Some(code) = CODES.iter().find(|code| **code == text) {
        return Some(code);
    }
    Some(match text {
        "RMB" => "CNY",
        "Rs" | "rs" | "Re" => "INR",
        "kr" | "Kr" | "KR" => CROWN,
        "Fr" | "SFr" => "CHF",
        _ => return None,
    })
}

/// Reads the name or code of a currency behind a number; returns it with the term behind it.
pub(super) fn read_name(terms: &Terms<'_>, at: usize) -> Option<(&'static str, usize)> {
    terms.word(at)?;
    if let Some(code) = of_code(terms.text(at)) {
        return Some((code, at + 1));
    }
    if let Some(code) = name(terms.text(at)).filter(|code| *code != "KRW" || is_large(terms, at)) {
        let sterling = usize::from(code == POUND && terms.is_word(at + 1, "sterling"));
        return Some((if sterling == 1 { "GBP" } else { code }, at + 1 + sterling));
    }
    // `U.S. dollars`, `Danish kroner`.
    let (country, next) = read_country(terms, at)?;
    let general = name(terms.text(next))?;
    Some((of_country(&country, general)?, next + 1))
}

/// Whether a scale word or a grouped numeral comes before: `won` is a verb behind smaller numbers.
fn is_large(terms: &Terms<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    let is_scale = matches!(terms.word(before), Some(WordClass::Number(word)) if matches!(word.rank, Rank::Scale(_)));
    is_scale || terms.numeral(before).is_some_and(|numeral| numeral.shape == Shape::Grouped)
}

/// The country that qualifies a currency: one word, or letters with dots.
fn read_country(terms: &Terms<'_>, at: usize) -> Option<(String, usize)> {
    if !terms.is_capitalised(at) {
        return None;
    }
    let mut country = terms.text(at).to_ascii_lowercase();
    let mut next = at + 1;
    while country.len() <= 2 && terms.symbol(next) == Some('.') && terms.is_glued(next) {
        next += 1;
        if terms.is_glued(next) && terms.text(next).len() == 1 {
            country.push_str(&terms.text(next).to_ascii_lowercase());
            next += 1;
        }
    }
    if country == "new" || country == "hong" {
        country = format!("{country} {}", terms.text(next).to_ascii_lowercase());
        next += 1;
    }
    Some((country, next))
}

fn of_country(country: &str, general: &str) -> Option<&'static str> {
    Some(match (country, general) {
        ("us" | "american", "USD") => "USD",
        ("canadian", "USD") => "CAD",
        ("australian", "USD") => "AUD",
        ("new zealand", "USD") => "NZD",
        ("hong kong", "USD") => "HKD",
        ("singapore" | "singaporean", "USD") => "SGD",
        ("danish", CROWN) => "DKK",
        ("norwegian", CROWN) => "NOK",
        ("swedish", CROWN | "SEK") => "SEK",
        ("icelandic", CROWN) => "ISK",
        ("swiss", "franc") => "CHF",
        ("british" | "uk", POUND) => "GBP",
        ("egyptian", POUND) => "EGP",
        ("indian", "INR") => "INR",
        ("pakistani", "INR") => "PKR",
        ("japanese", "JPY") => "JPY",
        ("chinese", "CNY") => "CNY",
        ("korean", "KRW") => "KRW",
        ("russian", "RUB") => "RUB",
        ("mexican", "peso") => "MXN",
        ("argentine" | "argentinian", "peso") => "ARS",
        ("philippine", "peso") => "PHP",
        ("chilean", "peso") => "CLP",
        ("turkish", "TRY") => "TRY",
        ("brazilian", "BRL") => "BRL",
        ("polish", "PLN") => "PLN",
        ("african", "ZAR") => "ZAR",
        _ => return None,
    })
}

/// The currency of a name in any case.
fn name(text: &str) -> Option<&'static str> {
    const NAMES: &[(&[&str], &str)] = &[
        (&["dollar", "dollars", "bucks"], "USD"),
        (&["euro", "euros"], "EUR"),
        (&["pound", "pounds", "quid"], POUND),
        (&["krone", "kroner", "crown", "crowns", "krona", "kronur"], CROWN),
        (&["kronor"], "SEK"),
        (&["yen"], "JPY"),
        (&["yuan", "renminbi"], "CNY"),
        (&["rupee", "rupees"], "INR"),
        (&["ruble", "rubles", "rouble", "roubles"], "RUB"),
        (&["franc", "francs"], "franc"),
        (&["peso", "pesos"], "peso"),
        (&["won"], "KRW"),
        (&["lira", "liras", "lire"], "TRY"),
        (&["zloty", "zlotys"], "PLN"),
        (&["forint", "forints"], "HUF"),
        (&["koruna", "korunas"], "CZK"),
        (&["rand"], "ZAR"),
        (&["reais"], "BRL"),
        (&["shekel", "shekels"], "ILS"),
        (&["baht"], "THB"),
        (&["dong"], "VND"),
        (&["naira"], "NGN"),
        (&["hryvnia", "hryvnias"], "UAH"),
        (&["dirham", "dirhams"], "AED"),
        (&["riyal", "riyals"], "SAR"),
        (&["rupiah"], "IDR"),
        (&["ringgit"], "MYR"),
        (&["shilling", "shillings"], "shilling"),
        (&["bitcoin", "bitcoins"], "BTC"),
        (&["cent", "cents"], "cent"),
        (&["penny", "pence", "pennies"], "penny"),
    ];
    NAMES.iter().find(|(names, _)| names.iter().any(|known| known.eq_ignore_ascii_case(text))).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(&'static str, usize)> {
        read_name(&Terms::new(text), 0)
    }

    #[test]
    fn names_codes_and_countries_are_read() {
        assert_eq!(read("dollars"), Some(("USD", 1)));
        assert_eq!(read("US dollars"), Some(("USD", 2)));
        assert_eq!(read("U.S. dollars"), Some(("USD", 5)));
        assert_eq!(read("Canadian dollars"), Some(("CAD", 2)));
        assert_eq!(read("New Zealand dollars"), Some(("NZD", 3)));
        assert_eq!(read("pounds sterling"), Some(("GBP", 2)));
        assert_eq!(read("Danish kroner"), Some(("DKK", 2)));
        assert_eq!(read("DKK"), Some(("DKK", 1)));
        assert_eq!(read("Danish members"), None);
    }

    #[test]
    fn shared_names_can_be_more_than_one() {
        assert!(is_same(CROWN, "NOK") && is_same("DKK", CROWN) && !is_same("DKK", "NOK"));
        assert!(is_same(POUND, "GBP") && is_weight(POUND, "lb"));
    }
}
