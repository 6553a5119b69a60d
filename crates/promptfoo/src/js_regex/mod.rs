//! Regular expressions as JavaScript reads them without any flag: over UTF-16 units, with the old forms of annex B.
//!
//! Patterns come from other people's configurations, so matching counts its steps and gives up past a limit, with words
//! instead of a verdict.

mod parse;
mod program;

use self::parse::parse;
use self::program::Program;

pub use self::program::TooMuchWork;

/// A compiled expression.
#[derive(Debug)]
pub struct JsRegex(Program);

impl JsRegex {
    /// Compiles a pattern; the reason where JavaScript would not.
    pub fn new(pattern: &str) -> Result<Self, &'static str> {
        let (node, groups) = parse(&pattern.encode_utf16().collect::<Vec<_>>())?;
        Ok(Self(Program::new(&node, groups)?))
    }

    /// The first match, as a span of UTF-16 units.
    pub fn find(&self, text: &[u16]) -> Result<Option<(usize, usize)>, TooMuchWork> {
        self.0.find(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, text: &str) -> Option<(usize, usize)> {
        JsRegex::new(pattern).unwrap().find(&text.encode_utf16().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn quantifiers_groups_and_references() {
        assert_eq!(find("a+?b", "xaab"), Some((1, 4)));
        assert_eq!(find("(a*)*b", "aab"), Some((0, 3)));
        assert_eq!(find("(?:){3}", "x"), Some((0, 0)));
        assert_eq!(find("(z)?\\1x", "x"), Some((0, 1)), "a group that took no part matches nothing");
        assert_eq!(find("<(?<t>\\w+)>.*</\\k<t>>", "<b>x</b>"), Some((0, 8)));
        assert_eq!(find("(?:(a)|b)*\\1c", "abc"), Some((0, 3)), "each round begins with empty groups");
        assert_eq!(find("(?<=(\\d+)(\\d+))x", "1053x"), Some((4, 5)));
        assert_eq!(find("(?<!\\$)\\b\\d+", "$12 30"), Some((4, 6)));
        assert_eq!(find("a{2,3}", "aaaa"), Some((0, 3)));
        assert_eq!(find("[^]", "\n"), Some((0, 1)));
        assert_eq!(find("[]", "a"), None);
    }

    #[test]
    fn units_are_halves_of_pairs() {
        assert_eq!(find("^.$", "😀"), None);
        assert_eq!(find("^..$", "😀"), Some((0, 2)));
    }

    #[test]
    fn old_forms_are_read() {
        assert_eq!(find("\\p{2}", "pp"), Some((0, 2)));
        assert_eq!(find("x{,2}]", "x{,2}]"), Some((0, 6)));
        assert_eq!(find("\\101\\cJ", "A\n"), Some((0, 2)));
        assert_eq!(find("\\8", "8"), Some((0, 1)));
        for wrong in ["(?i)x", "(?P<n>x)", "x++", "[", "(?>x)", "*", "a{2,1}", "(", ")", "[b-a]", "\\", "{1}", "^*"] {
            assert!(JsRegex::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn work_without_end_is_refused() {
        let regex = JsRegex::new("^(a+)+$").unwrap();
        let text: Vec<u16> = format!("{}b", "a".repeat(40)).encode_utf16().collect();
        assert!(regex.find(&text).is_err());
        assert!(JsRegex::new(&"(".repeat(100_000)).is_err());
    }
}
