//! Check digits: Luhn for cards (ISO/IEC 7812), modulo 97 for accounts (ISO 13616).

/// Whether digits pass the check of Luhn.
pub(in crate::privacy) fn passes_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(digit - b'0') * if place % 2 == 1 { 2 } else { 1 };
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Who issues cards with these digits; nothing where nobody does. A fifth of all numbers would pass without it.
pub(in crate::privacy) fn card_brand(digits: &[u8]) -> Option<&'static str> {
    let start = |count: usize| digits.iter().take(count).fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let (two, three, four) = (start(2), start(3), start(4));
    Some(match digits.len() {
        13 | 16 | 19 if digits.first() == Some(&b'4') => "Visa",
        16 if (51..=55).contains(&two) || (2221..=2720).contains(&four) => "Mastercard",
        15 if matches!(two, 34 | 37) => "American Express",
        16..=19 if four == 6011 || two == 65 || (644..=649).contains(&three) => "Discover",
        16..=19 if (3528..=3589).contains(&four) => "JCB",
        14..=19 if (300..=305).contains(&three) || matches!(two, 36 | 38 | 39) => "Diners Club",
        16..=19 if two == 62 => "UnionPay",
        _ => return None,
    })
}

/// Lengths of account numbers by country, as the registry of SWIFT has them.
const IBAN_LENGTHS: [(&str, usize); 80] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
];

/// How long an account number of this country is.
pub(in crate::privacy) fn iban_length(country: &str) -> Option<usize> {
    IBAN_LENGTHS.iter().find(|(known, _)| *known == country).map(|(_, length)| *length)
}

/// Whether capital letters and digits without spaces pass the check of an account number.
pub(in crate::privacy) fn is_iban(text: &str) -> bool {
    let (Some(start), Some(rest)) = (text.get(..4), text.get(4..)) else { return false };
    let remainder = rest.bytes().chain(start.bytes()).try_fold(0_u32, |remainder, sign| match sign {
        b'0'..=b'9' => Some((remainder * 10 + u32::from(sign - b'0')) % 97),
        b'A'..=b'Z' => Some((remainder * 100 + u32::from(sign - b'A') + 10) % 97),
        _ => None,
    });
    remainder == Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_find_every_single_mistake() {
        // Numbers that the payment networks publish for tests.
        for (number, brand) in [
            ("4111111111111111", "Visa"),
            ("5555555555554444", "Mastercard"),
            ("378282246310005", "American Express"),
            ("6011111111111117", "Discover"),
            ("3530111333300000", "JCB"),
            ("30569309025904", "Diners Club"),
        ] {
            assert!(passes_luhn(number.as_bytes()), "{number}");
            assert_eq!(card_brand(number.as_bytes()), Some(brand));
            for place in 0..number.len() {
                let mut other = number.as_bytes().to_vec();
                other[place] = b'0' + (other[place] - b'0' + 1) % 10;
                assert!(!passes_luhn(&other), "{number} at {place}");
            }
        }
        assert_eq!(card_brand(b"1234567812345670"), None);
    }

    #[test]
    fn account_numbers_of_the_registry_pass() {
        for number in
            ["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606", "NO9386011117947"]
        {
            assert!(is_iban(number), "{number}");
            assert_eq!(iban_length(&number[..2]), Some(number.len()));
        }
        assert!(!is_iban("DE89370400440532013001") && !is_iban("DE8") && !is_iban("DE89ä"));
        assert!(IBAN_LENGTHS.is_sorted());
    }
}
