//! The option that an answer chooses: a capital in `\boxed{}`.

use std::ops::Range;

use probare_text::python::lower;
use serde_json::Value as Json;

use crate::sgi::metrics::extraction::replies::python_int;

const OPEN: &str = r"\boxed{";

/// Where the first `\boxed{X}` with a single capital has its letter. Boxes that hold anything else are skipped. `any_case` takes
/// small letters too.
pub fn boxed_letter(response: &str, any_case: bool) -> Option<Range<usize>> {
    response.match_indices(OPEN).find_map(|(at, _)| {
        let start = at + OPEN.len();
        match response.as_bytes().get(start..start + 2)? {
            [letter, b'}'] if letter.is_ascii_uppercase() || (any_case && letter.is_ascii_lowercase()) => {
                Some(start..start + 1)
            }
            _ => None,
        }
    })
}

/// The letter of an option, counted from 0; nothing behind `Z`.
pub fn option_letter(at: usize) -> Option<char> {
    u8::try_from(at).ok().filter(|at| *at < 26).map(|at| char::from(b'A' + at))
}

/// The right option cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ChoiceError(String);

/// The letter of the right option: `A` and as many letters on as the number says, by the arithmetic of the official script. Where the
/// options are known, a number outside of them is an error; where they are not, it is a sign that no answer is equal to.
pub fn key_letter(answer: &Json, options: Option<usize>) -> Result<Option<char>, ChoiceError> {
    let no_number = || {
        ChoiceError(format!("`answer` is {answer}, where the number of the right option is expected, counted from 0"))
    };
    let number = python_int(answer).ok_or_else(no_number)?;
    if let Some(options) = options
        && !(0.0..options as f64).contains(&number)
    {
        return Err(ChoiceError(format!("`answer` is {answer}, but there are {options} options, counted from 0")));
    }
    let code = number + f64::from(u32::from('A'));
    if !(0.0..=f64::from(u32::from(char::MAX))).contains(&code) {
        return Err(no_number());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was looked at just now")]
    let code = code as u32;
    Ok(char::from_u32(code))
}

/// Whether two letters are the same but for their case.
pub fn is_same_letter(letter: char, key: char) -> bool {
    lower(letter.encode_utf8(&mut [0; 4])) == lower(key.encode_utf8(&mut [0; 4]))
}

/// The options as a model sees them: each on a line with its letter.
pub fn options_text(options: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| Some(format!("{}. {text}", option_letter(at)?));
    options.iter().enumerate().filter_map(line).collect::<Vec<_>>().join("\n")
}
