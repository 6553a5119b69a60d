//! The same protocols read with sense: a call may stand on one line, may be empty, may end with its last parameter, and may
//! hold several parameters on a line or a list over several.

use probare_text::python::{is_space, strip};

use super::ProtocolStep;
use super::scan::{AngleFinder, next_word, step_head};

/// The steps of a text. A step ends at the bracket that closes its own, quotes and inner brackets regarded; where none does, at
/// the next step.
pub fn scan_protocol_tolerant(text: &str) -> Vec<ProtocolStep> {
    let mut ends = AngleFinder { text, next: None };
    let mut heads = Vec::new();
    let mut from = 0;
    while let Some(word) = next_word(text, from) {
        probare_cancellation::count_steps(1);
        from = word.end;
        let behind = word.end + text[word.end..].len() - text[word.end..].trim_start_matches(['*', '`']).len();
        if let Some((action, open)) =
            step_head(text, behind, &mut ends).or_else(|| spaced_head(text, behind, &mut ends))
        {
            from = open;
            // `pre-name` and `lab.name` are one name.
            let is_part = |c: char| c == '-' || c == '.' || probare_text::python::is_word(c);
            let whole = text[..word.start].trim_end_matches(is_part).len()..word.end;
            heads.push((whole, action, open));
        }
    }
    let mut steps = Vec::with_capacity(heads.len());
    for (at, (name, action, open)) in heads.iter().enumerate() {
        probare_cancellation::count_steps(1);
        let limit = heads.get(at + 1).map_or(text.len(), |(next, ..)| next.start);
        let mut step = ProtocolStep {
            action: strip(&text[action.clone()])
                .split(is_space)
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
            output: text[name.clone()].to_owned(),
            ..ProtocolStep::default()
        };
        let end = parameters(text, *open, limit, &mut step);
        step.span = name.start..end;
        steps.push(step);
    }
    steps
}

/// The head with space before its bracket.
fn spaced_head(text: &str, at: usize, ends: &mut AngleFinder<'_>) -> Option<(std::ops::Range<usize>, usize)> {
    let rest = probare_text::python::strip_start(&text[at..]).strip_prefix('=')?;
    let rest = probare_text::python::strip_start(rest).strip_prefix('<')?;
    let start = text.len() - rest.len();
    let end = ends.after(start).filter(|end| *end > start)?;
    let behind = probare_text::python::strip_start(&text[end + 1..]).strip_prefix('(')?;
    Some((start..end, text.len() - behind.len()))
}

/// Reads parameters up to the closing bracket; says where the step ends.
fn parameters(text: &str, open: usize, limit: usize, step: &mut ProtocolStep) -> usize {
    let body = &text[open..limit];
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut is_escaped = false;
    for (at, character) in body.char_indices() {
        probare_cancellation::count_steps(1);
        if let Some(mark) = quote {
            // A quote that is never closed ends with its line.
            if (character == mark && !is_escaped) || character == '\n' {
                quote = None;
            }
            is_escaped = character == '\\' && !is_escaped;
            if character != '\n' || depth > 0 {
                continue;
            }
        }
        match character {
            '"' => quote = Some('"'),
            // An apostrophe inside a word is none.
            '\'' if body[..at].ends_with(|before: char| is_space(before) || "=[(,".contains(before)) => {
                quote = Some('\'');
            }
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                read_parameter(&body[start..at], step);
                return open + at + 1;
            }
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' | '\n' if depth == 0 => {
                read_parameter(&body[start..at], step);
                start = at + 1;
            }
            _ => {}
        }
    }
    read_parameter(&body[start..], step);
    open + probare_text::python::strip_end(body).len()
}

/// One `name = value`; what is none is passed over.
fn read_parameter(text: &str, step: &mut ProtocolStep) {
    let text = strip(text);
    let text = if text.starts_with('#') { "" } else { text };
    let Some(word) = next_word(text, 0).filter(|word| word.start == 0) else { return };
    let Some(value) = probare_text::python::strip_start(&text[word.end..]).strip_prefix('=') else { return };
    let value = strip(strip(value).trim_end_matches(','));
    let bare = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    step.set(&text[word], bare.unwrap_or(value));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let line = |step: &ProtocolStep| {
            let pairs: Vec<String> = step.input.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} = {}({})", step.output, step.action, pairs.join("; "))
        };
        scan_protocol_tolerant(text).iter().map(line).collect()
    }

    #[test]
    fn calls_on_one_line_empty_calls_and_lists_are_read() {
        let text = "a = <Wait>()\nb = <Mix> (x=\"1, 2\", y='z')\npre-c = <Read>(\n  s=b,\n  parts=[\"a\",\n   \"b\"],\n  t=5)  # end\n";
        assert_eq!(
            shown(text),
            ["a = Wait()", "b = Mix(x=1, 2; y=z)", "pre-c = Read(parts=[\"a\",\n   \"b\"]; s=b; t=5)"]
        );
        assert_eq!(shown("a = <Wait>(\n)\nb = <Mix>(\n v=a\n)"), ["a = Wait()", "b = Mix(v=a)"]);
        assert_eq!(shown("**a** = <Use>(v=it's 5 (mL))"), ["a = Use(v=it's 5 (mL))"]);
    }

    proptest! {
        #[test]
        fn any_text_is_scanned_without_panic(text in "([a=<>()\n\"', \\[\\]*-]|\\PC){0,60}") {
            for step in scan_protocol_tolerant(&text) {
                prop_assert!(text.get(step.span.clone()).is_some());
            }
        }
    }
}
