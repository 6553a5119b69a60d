//! How findings become a score, and the check digits of numbers.

mod digits;
mod finding;

pub(super) use digits::{card_brand, iban_length, is_iban, passes_luhn};
pub(super) use finding::{Finding, score_findings};
