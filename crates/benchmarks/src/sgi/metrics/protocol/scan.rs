//! The grammar of the published scorer, quirks included: a step ends at a line that holds nothing but `)`.

use probare_text::python::{is_space, is_word, strip, strip_start};

use super::ProtocolStep;

/// The steps of a text. One that is written on a single line, or whose `)` ends its last parameter, does not end there: it
/// takes in what follows up to the next `)` alone on a line. Linear in the length of the text.
pub fn scan_protocol(text: &str) -> Vec<ProtocolStep> {
    let closings = closings(text);
    let mut ends = AngleFinder { text, next: None };
    let mut steps = Vec::new();
    let mut from = 0;
    while let Some(word) = next_word(text, from) {
        probare_cancellation::count_steps(1);
        from = word.end;
        let Some((action, open)) = step_head(text, word.end, &mut ends) else { continue };
        let Some(end) = body_end(text, open, &closings) else { continue };
        let mut step = ProtocolStep {
            action: strip(&text[action]).to_owned(),
            output: text[word.clone()].to_owned(),
            span: word.start..end,
            ..ProtocolStep::default()
        };
        for line in text[open..end].split('\n') {
            probare_cancellation::count_steps(1);
            parameter(line, &mut step);
        }
        steps.push(step);
        from = end;
    }
    steps
}

/// The next run of word characters.
pub(super) fn next_word(text: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let start = from + text[from..].find(is_word)?;
    let length = text[start..].find(|character| !is_word(character)).unwrap_or(text.len() - start);
    Some(start..start + length)
}

/// Finds `>` going forward only.
pub(super) struct AngleFinder<'a> {
    pub text: &'a str,
    pub next: Option<usize>,
}

impl AngleFinder<'_> {
    pub fn after(&mut self, from: usize) -> Option<usize> {
        if self.next.is_none_or(|next| next < from) {
            self.next = Some(self.text[from..].find('>').map_or(usize::MAX, |at| from + at));
        }
        self.next.filter(|next| *next != usize::MAX)
    }
}

/// `= <action>(` behind the name of a step: the bytes of the action, and where the parameters begin.
pub(super) fn step_head(text: &str, at: usize, ends: &mut AngleFinder<'_>) -> Option<(std::ops::Range<usize>, usize)> {
    let skip = |at: usize| text.len() - strip_start(&text[at..]).len();
    let at = skip(at);
    let at = skip(text[at..].starts_with('=').then_some(at + 1)?);
    let start = text[at..].starts_with('<').then_some(at + 1)?;
    let end = ends.after(start).filter(|end| *end > start)?;
    text[end + 1..].starts_with('(').then_some((start..end, end + 2))
}

/// The line ends behind which a line with nothing but `)` comes, ascending.
fn closings(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (close, _) in text.match_indices(')') {
        probare_cancellation::count_steps(1);
        // No further than the first word behind it: a line of a thousand brackets is gone through once.
        if !text[close + 1..].chars().take_while(|character| *character != '\n').all(is_space) {
            continue;
        }
        let before = text[..close].trim_end_matches(is_space).len();
        found.extend(text[before..close].match_indices('\n').map(|(at, _)| before + at));
    }
    found
}

/// Where the body that begins at `open` ends: the first closing behind its first words, or else the last one before them.
fn body_end(text: &str, open: usize, closings: &[usize]) -> Option<usize> {
    let first = text.len() - strip_start(&text[open..]).len();
    let at = closings.partition_point(|closing| *closing < first);
    closings.get(at).copied().or_else(|| {
        let before = at.checked_sub(1).and_then(|at| closings.get(at).copied())?;
        (before >= open).then_some(before)
    })
}

/// A line `name = value,`; other lines are none.
fn parameter(line: &str, step: &mut ProtocolStep) {
    let line = strip(line);
    let Some(word) = next_word(line, 0).filter(|word| word.start == 0) else { return };
    let Some(value) = strip_start(&line[word.end..]).strip_prefix('=') else { return };
    let value = strip(value);
    if value.is_empty() {
        return;
    }
    let value = strip(value.strip_suffix(',').filter(|value| !value.is_empty()).unwrap_or(value));
    let bare = match value.strip_prefix('"') {
        Some("") => "",
        Some(inside) => inside.strip_suffix('"').unwrap_or(value),
        None => value,
    };
    step.set(&line[word], bare);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_step_without_parameters_takes_in_the_next() {
        let steps = scan_protocol("a = <Wait>(\n)\n\nb = <Mix>(\n  v=1\n)\n");
        assert_eq!(steps.len(), 1);
        assert_eq!((steps[0].value("b"), steps[0].value("v")), (Some("<Mix>("), Some("1")));
        assert_eq!(scan_protocol("b = <Mix>(\n  v=1\n)\na = <Wait>(\n)").len(), 2);
    }

    #[test]
    fn time_is_linear_in_hostile_texts() {
        for text in ["a=<".repeat(200_000), "a=<b>(".repeat(200_000), "\n)".repeat(200_000), "a \n".repeat(200_000)] {
            let _ = scan_protocol(&text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_scanned_without_panic(text in "([a=<>()\n\", \r]|\\PC){0,60}") {
            for step in scan_protocol(&text) {
                prop_assert!(text.get(step.span.clone()).is_some());
            }
        }
    }
}
