//! What Python 3.11 does with text and numbers.
//!
//! The published metrics were defined by Python programs, so their numbers hang on what Python calls a letter, a space,
//! a lower-case string or a rounded value. Rust's own answers come from a newer Unicode and differ in places (`\w` of the
//! `regex` crate takes in combining marks, Python's does not). The functions here follow Python to the letter; tables
//! that Python itself wrote (Unicode 14.0) make them independent of the version of the compiler.
//!
//! ```
//! use probare_text::python;
//!
//! assert!(python::is_word('²') && !python::is_word('\u{301}'));
//! assert_eq!(python::split(" a\u{1f}b ").collect::<Vec<_>>(), ["a", "b"]);
//! assert_eq!(python::lower("ΌΔΟΣ"), "όδος");
//! assert_eq!(python::repr_float(1e16), "1e+16");
//! assert_eq!(python::round(0.125, 2), 0.12);
//! ```

mod characters;
mod json;
mod literal;
mod lower;
mod numbers;
mod repr;
mod split;
mod tables;
mod value;

pub use characters::{
    is_alnum, is_alpha, is_decimal, is_digit, is_lower, is_number, is_numeric, is_printable, is_punctuation, is_space,
    is_upper, is_word,
};
pub use json::json_loads;
pub use literal::literal_eval;
pub use lower::{LowercaseText, lower};
pub use numbers::{fixed, float, repr_float, round};
pub use repr::repr_str;
pub use split::{Split, for_each_word, split, split_spans, strip, strip_end, strip_start};
pub use value::PyValue;
