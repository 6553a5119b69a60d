//! Quotations with marked omissions.

use std::ops::Range;

use super::QuotationSource;

/// Signs that mark an omission in a normalised quotation, the longer before the one they hold.
const SIGNS: [&str; 3] = ["[...]", "(...)", "..."];

/// The parts of a normalised quotation between its omissions, without what surrounds them; empty ones are left out.
pub(super) fn parts(quote: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = quote;
    loop {
        probare_cancellation::count_steps(1);
        let next = SIGNS.iter().filter_map(|sign| Some((rest.find(sign)?, sign.len()))).min_by_key(|(at, _)| *at);
        let Some((at, length)) = next else { break };
        parts.push(&rest[..at]);
        rest = &rest[at + length..];
    }
    parts.push(rest);
    let margin = |character: char| {
        matches!(character, ' ' | '"' | '\'' | '.' | ',' | ';' | ':' | '!' | '?' | '-' | '(' | ')' | '[' | ']')
    };
    parts.into_iter().map(|part| part.trim_matches(margin)).filter(|part| !part.is_empty()).collect()
}

/// The stretch of the normal form from the first to the last part, where there are two parts or more and all stand
/// there in order; and the stretches that were left out.
pub(super) fn find_with_omissions(
    source: &QuotationSource<'_>,
    quote: &str,
) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let parts = parts(quote);
    if parts.len() < 2 {
        return None;
    }
    let mut whole: Option<Range<usize>> = None;
    let mut omitted = Vec::new();
    for part in parts {
        probare_cancellation::count_steps(1);
        let from = whole.as_ref().map_or(0, |found| found.end);
        let found = source.find(part, from)?;
        if whole.is_some() {
            omitted.push(from..found.start);
        }
        whole = Some(whole.map_or(found.clone(), |whole| whole.start..found.end));
    }
    whole.map(|whole| (whole, omitted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omissions_of_every_form_cut() {
        assert_eq!(parts("a b ... c [...] d (...) e"), ["a b", "c", "d", "e"]);
        assert_eq!(parts("a, .... b"), ["a", "b"]);
        assert_eq!(parts("..."), Vec::<&str>::new());
        assert_eq!(parts("whole"), ["whole"]);
    }

    #[test]
    fn parts_stand_in_order_and_apart() {
        let source = QuotationSource::new("one two three two");
        let (whole, omitted) = find_with_omissions(&source, "one ... three").unwrap();
        assert_eq!((whole, omitted.first()), (0..13, Some(&(3..8))));
        assert_eq!(find_with_omissions(&source, "three ... one"), None);
        assert_eq!(find_with_omissions(&source, "two ... two").unwrap().0, 4..17);
        assert_eq!(find_with_omissions(&source, "three ... three"), None);
    }
}
