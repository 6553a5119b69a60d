//! Several right answers: the best one counts, and the evidence says which.

use probare_core::Evidence;

/// The reference with the greatest value and what was computed for it; the first of equals. `references` is not empty.
pub(crate) fn best<T>(
    references: &[String],
    mut compare: impl FnMut(&str) -> T,
    value: impl Fn(&T) -> f64,
) -> Option<(usize, T)> {
    let mut best: Option<(usize, T)> = None;
    for (index, reference) in references.iter().enumerate() {
        let candidate = compare(reference);
        if best.as_ref().is_none_or(|(_, known)| value(&candidate) > value(known)) {
            best = Some((index, candidate));
        }
    }
    best
}

/// Says which of several references counted; nothing where there is one.
pub(crate) fn chosen(references: &[String], index: usize) -> Option<Evidence> {
    (references.len() > 1)
        .then(|| Evidence::note(format!("the best of {} references is `reference[{index}]`", references.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_references_counts() {
        let references = ["a", "bb", "cc"].map(String::from);
        assert_eq!(best(&references, str::len, |length| *length as f64), Some((1, 2)));
        assert_eq!(chosen(&references, 1).unwrap().text, "the best of 3 references is `reference[1]`");
        assert_eq!(chosen(&references[..1], 0), None);
    }
}
