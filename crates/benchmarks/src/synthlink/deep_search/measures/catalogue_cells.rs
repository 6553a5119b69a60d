//! Topics and steps as a catalogue writes them into one cell.

use probare_text::python;

/// The topics of `Topics: Printing press, Literacy in Europe`: a leading label goes, commas separate.
pub fn parse_topics(cell: &str) -> Vec<&str> {
    let cell = python::strip(cell);
    let bare = ["topics:", "topic:"]
        .iter()
        .find_map(|label| {
            let head = cell.get(..label.len())?;
            head.eq_ignore_ascii_case(label).then(|| &cell[label.len()..])
        })
        .unwrap_or(cell);
    bare.split(',').map(python::strip).filter(|topic| !topic.is_empty()).collect()
}

/// The steps of `1. Confirm the date. 2. Link both.`: a marker is the next expected number with a full stop and white
/// space, at the start or after white space, so that `e.g.` and `1440).` divide nothing. One final full stop goes.
///
/// Text before the first marker belongs to no step. A cell without markers has no steps.
pub fn parse_steps(cell: &str) -> Vec<&str> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut expected = 1_u32;
    for word in python::split_spans(cell) {
        probare_cancellation::count_steps(1);
        let Some(digits) = cell[word.clone()].strip_suffix('.') else { continue };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // A marker needs white space after it, which the last word of a cell lacks.
        if is_number && word.end < cell.len() && digits.parse() == Ok(expected) {
            starts.push((word.start, word.end));
            expected += 1;
        }
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([cell.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((_, start), end)| {
            let step = python::strip(&cell[*start..end]);
            python::strip_end(step.strip_suffix('.').unwrap_or(step))
        })
        .filter(|step| !step.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_label_goes_and_commas_separate() {
        assert_eq!(parse_topics("Topics: Printing press, Workers’ rights"), ["Printing press", "Workers’ rights"]);
        assert_eq!(parse_topics(" topic:Aral Sea,, "), ["Aral Sea"]);
        assert_eq!(parse_topics("Aral Sea"), ["Aral Sea"]);
        assert_eq!(parse_topics("Topics:"), [""; 0]);
    }

    #[test]
    fn only_the_next_number_starts_a_step() {
        let cell = "1. Confirm invention (Gutenberg, ~1440). 2. Research cost, e.g., of books. 4. is no step. 3. Link.";
        assert_eq!(
            parse_steps(cell),
            ["Confirm invention (Gutenberg, ~1440)", "Research cost, e.g., of books. 4. is no step", "Link"]
        );
    }

    #[test]
    fn cells_without_markers_have_no_steps() {
        for cell in ["", "Confirm the date", "2. Second first", "1.Confirm", "1."] {
            assert_eq!(parse_steps(cell), [""; 0], "{cell}");
        }
        assert_eq!(parse_steps("1. A.."), ["A."]);
    }

    proptest! {
        #[test]
        fn any_cell_is_read(cell in "[0-4. a-cé,:\u{a0}]{0,40}") {
            for piece in parse_steps(&cell).into_iter().chain(parse_topics(&cell)) {
                prop_assert!(!piece.is_empty() && cell.contains(piece));
            }
        }
    }
}
