//! One case on a terminal: its texts with the marked places, and what each metric says about it with its evidence.

use std::collections::BTreeSet;

use probare_core::{Case, CaseResult, Evidence, EvidenceKind, Field, FieldSpan, MetricInfo, MetricResult, Outcome};

use crate::TerminalStyle;
use crate::escape::{excerpt, terminal, terminal_lines};
use crate::number::{count_with_noun, rounded};
use crate::status::model_name;
use crate::timeline;

/// Characters of a text that are shown around what is marked in it.
const AROUND: usize = 400;

/// Passages and references that are shown without being marked.
const UNMARKED: usize = 3;

/// Texts of messages and calls that are shown without being marked.
const TIMELINE: usize = 40;

/// A case with everything that is known about it.
pub fn case(result: &CaseResult, metrics: &[MetricInfo], look: TerminalStyle) -> String {
    let model = model_name(result);
    let prompt = result.prompt.as_deref();
    let mut text = head(&result.case.id, model.as_deref(), prompt, result.repeat, &result.case.tags, look);
    let pieces: Vec<&Evidence> = result.results.iter().flatten().flat_map(Outcome::evidence).collect();
    text.push_str(&texts(&result.case, &pieces, look));
    for (metric, named) in metrics.iter().zip(&result.results) {
        text.push_str(&metric_section(metric, named, look));
    }
    text
}

/// What a file of results says of a case whose texts are not at hand.
pub fn results(
    id: &str,
    model: Option<&str>,
    prompt: Option<&str>,
    repeat: u32,
    named: &[(MetricInfo, MetricResult)],
    look: TerminalStyle,
) -> String {
    let mut text = head(id, model, prompt, repeat, &[], look);
    for (metric, named) in named {
        text.push_str(&metric_section(metric, named, look));
    }
    text
}

fn head(
    id: &str,
    model: Option<&str>,
    prompt: Option<&str>,
    repeat: u32,
    tags: &[String],
    look: TerminalStyle,
) -> String {
    let mut head = format!("case {}", terminal(id));
    if let Some(model) = model {
        head.push_str(&format!(", model {}", terminal(model)));
    }
    if let Some(prompt) = prompt {
        head.push_str(&format!(", prompt {}", terminal(prompt)));
    }
    if repeat > 0 {
        head.push_str(&format!(", repeat {repeat}"));
    }
    let mut text = format!("{}\n", look.strong(&head));
    if !tags.is_empty() {
        text.push_str(&format!("tags: {}\n", terminal(&tags.join(", "))));
    }
    text
}

fn texts(case: &Case, pieces: &[&Evidence], look: TerminalStyle) -> String {
    let places: Vec<(EvidenceKind, &FieldSpan)> = pieces
        .iter()
        .flat_map(|piece| {
            let own = piece.place.as_ref().map(|place| (piece.kind, place));
            own.into_iter().chain(piece.support.as_ref().map(|place| (EvidenceKind::Compared, place)))
        })
        .collect();
    let mut text = String::new();
    for field in Field::ALL {
        let length = match field {
            Field::Context => case.context.as_ref().map_or(0, Vec::len),
            Field::Reference => case.reference.as_ref().map_or(0, Vec::len),
            Field::Citations => case.citations.as_ref().map_or(0, Vec::len),
            _ => 1,
        };
        let is_list = matches!(field, Field::Context | Field::Reference | Field::Citations);
        let mut hidden = 0;
        for index in 0..length {
            let index_shown = is_list.then_some(index);
            let Some(whole) = case.text(field, index_shown) else { continue };
            let marks: Vec<(EvidenceKind, &FieldSpan)> = places
                .iter()
                .filter(|(_, place)| {
                    place.field == field && place.path.is_none() && place.index.unwrap_or(0) == index_shown.unwrap_or(0)
                })
                .copied()
                .collect();
            if is_list && marks.is_empty() && index >= UNMARKED {
                hidden += 1;
                continue;
            }
            let name = if is_list && length > 1 { format!("{field} {}", index + 1) } else { field.name().to_owned() };
            text.push_str(&format!("\n{}\n{}", look.strong(&name), indented(&highlight(whole, &marks, look))));
        }
        if hidden > 0 {
            text.push_str(&format!("\n{hidden} more of {field} without a mark\n"));
        }
    }
    text.push_str(&timeline(case, &places, look));
    let in_metadata = || places.iter().filter(|(_, place)| place.field == Field::Metadata);
    let paths: BTreeSet<&str> = in_metadata().filter_map(|(_, place)| place.path.as_deref()).collect();
    for path in paths {
        let here: Vec<(EvidenceKind, &FieldSpan)> =
            in_metadata().filter(|(_, place)| place.path.as_deref() == Some(path)).copied().collect();
        if let Some(whole) = here.first().and_then(|(_, place)| case.text_at(place)) {
            let name = format!("metadata{}", terminal(path));
            text.push_str(&format!("\n{}\n{}", look.strong(&name), indented(&highlight(&whole, &here, look))));
        }
    }
    text
}

/// What an agent said and did, in order. Long ones are shortened to what is marked and where they begin.
fn timeline(case: &Case, places: &[(EvidenceKind, &FieldSpan)], look: TerminalStyle) -> String {
    let mut text = String::new();
    let mut hidden = 0;
    for (number, piece) in timeline::pieces(case, places.iter().map(|(_, place)| *place)).iter().enumerate() {
        let here: Vec<(EvidenceKind, &FieldSpan)> = places
            .iter()
            .filter(|(_, place)| {
                (place.field, place.index, place.path.as_deref())
                    == (piece.field, Some(piece.index), Some(piece.path.as_str()))
            })
            .copied()
            .collect();
        if here.is_empty() && number >= TIMELINE {
            hidden += 1;
            continue;
        }
        let name = look.strong(&terminal(&piece.name));
        text.push_str(&format!("\n{name}\n{}", indented(&highlight(&piece.text, &here, look))));
    }
    if hidden > 0 {
        let texts = count_with_noun(hidden, "more text of a message or call", "more texts of messages and calls");
        text.push_str(&format!("\n{texts} without a mark\n"));
    }
    text
}

/// The text with marks around what evidence points at. What is far from every mark is left out.
fn highlight(whole: &str, marks: &[(EvidenceKind, &FieldSpan)], look: TerminalStyle) -> String {
    let mut edges: BTreeSet<usize> = BTreeSet::from([0, whole.len()]);
    for (_, place) in marks {
        edges.insert(whole.floor_char_boundary(place.start));
        edges.insert(whole.floor_char_boundary(place.end));
    }
    let edges: Vec<usize> = edges.into_iter().collect();
    let mut text = String::new();
    for pair in edges.windows(2) {
        let piece = &whole[pair[0]..pair[1]];
        let covering = marks.iter().filter(|(_, place)| place.start <= pair[0] && pair[1] <= place.end);
        match covering.map(|(kind, _)| *kind).max_by_key(|kind| weight(*kind)) {
            None => text.push_str(&terminal_lines(&shortened(piece, pair[0] == 0, pair[1] == whole.len()))),
            Some(kind) if look.colour => text.push_str(&look.paint(colour(kind), &terminal_lines(piece))),
            Some(_) => text.push_str(&format!("⟦{}⟧", terminal_lines(piece))),
        }
    }
    text
}

/// The ends of a long piece that touch something, with what was left out between them.
fn shortened(piece: &str, is_first: bool, is_last: bool) -> String {
    if piece.len() <= 2 * AROUND + 40 {
        return piece.to_owned();
    }
    let head = &piece[..piece.floor_char_boundary(AROUND)];
    let tail = &piece[piece.ceil_char_boundary(piece.len() - AROUND)..];
    match (is_first, is_last) {
        (true, false) => format!("[{} bytes] …{tail}", piece.len() - tail.len()),
        (false, true) => format!("{head}… [{} bytes]", piece.len() - head.len()),
        _ => format!("{head}… [{} bytes] …{tail}", piece.len() - head.len() - tail.len()),
    }
}

const fn weight(kind: EvidenceKind) -> u8 {
    match kind {
        EvidenceKind::Unsupported | EvidenceKind::Contradicted | EvidenceKind::Missing => 3,
        EvidenceKind::Matched => 2,
        _ => 1,
    }
}

/// Codes of a terminal: red for what lacks support, green for what was found, yellow for the rest.
const fn colour(kind: EvidenceKind) -> &'static str {
    match weight(kind) {
        3 => "31;4",
        2 => "32;4",
        _ => "33;4",
    }
}

fn indented(text: &str) -> String {
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

/// What a metric says, with its evidence.
fn metric_section(metric: &MetricInfo, named: &MetricResult, look: TerminalStyle) -> String {
    let profile = metric.profile.map(|profile| format!("{profile}, ")).unwrap_or_default();
    let about = format!("({profile}version {})", metric.version);
    let name = look.strong(&terminal(&metric.name));
    let outcome = match named {
        Ok(outcome @ (Outcome::Scored(_) | Outcome::Labelled(_))) => outcome,
        Ok(Outcome::NotApplicable { reason }) => {
            return format!("\n{name}: not applicable {about}\n  {}\n", terminal(reason));
        }
        Err(error) => {
            return format!("\n{name}: {} {about}\n  {}\n", error.kind().name(), terminal(&error.to_string()));
        }
    };
    let label = outcome.label().map(terminal).unwrap_or_default();
    let mut text = match outcome.score() {
        Some(score) => {
            let label = if label.is_empty() { String::new() } else { format!(" {label}") };
            format!("\n{name}: {}{label}, {} is better {about}\n", rounded(score.value.get()), metric.better.name())
        }
        None => format!("\n{name}: {label} {about}\n"),
    };
    if !outcome.parts().is_empty() {
        let parts: Vec<String> =
            outcome.parts().iter().map(|(name, value)| format!("{} {}", terminal(name), rounded(value))).collect();
        text.push_str(&format!("  made of {}\n", parts.join(", ")));
    }
    for piece in outcome.evidence() {
        let place = piece.place.as_ref().map(|place| format!(" {}", named_place(place))).unwrap_or_default();
        let cut = if piece.cut { "…" } else { "" };
        text.push_str(&format!("  {}{place}: {}{cut}\n", piece.kind.name(), terminal(&piece.text)));
        if let Some(note) = &piece.note {
            text.push_str(&format!("      {}\n", terminal(&excerpt(note, 400))));
        }
        if let Some(support) = &piece.support {
            text.push_str(&format!("      beside {}\n", named_place(support)));
        }
    }
    text
}

fn named_place(place: &FieldSpan) -> String {
    let index = place.index.map(|index| format!("[{index}]")).unwrap_or_default();
    let path = place.path.as_deref().map(|path| terminal(path).into_owned()).unwrap_or_default();
    format!("{}{index}{path} {}..{}", place.field, place.start, place.end)
}

#[cfg(test)]
mod tests {
    use crate::testing::{hostile, metrics, result};

    use super::*;

    #[test]
    fn a_case_shows_its_texts_with_marks_and_what_was_said() {
        let text = case(&result("a", 0.5), &metrics(), TerminalStyle::PLAIN);
        insta::assert_snapshot!(text, @r"
        case a

        query
          Why did books become cheap?

        response
          The ⟦press⟧ made books cheap.

        context
          The printing press spread after 1450.

        relevance: 0.5, higher is better (published, version 1)
          made of cosine 0.25
          matched response 4..9: press
              named in the query

        topic_pivot: not applicable (published, version 1)
          the query has one topic

        hallucination: failed (published, version 1)
          the case has no `reference`
        ");
    }

    #[test]
    fn hostile_text_is_shown_and_not_obeyed() {
        for look in [TerminalStyle::PLAIN, TerminalStyle { width: 80, colour: true }] {
            let text = case(&hostile(), &metrics(), look);
            let own = ["1", "31;4", "32;4", "33;4", "0"].map(|code| format!("\u{1b}[{code}m"));
            let rest = own.iter().fold(text, |text, code| text.replace(code, ""));
            assert!(!rest.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{8}']), "{rest}");
        }
    }

    #[test]
    fn what_is_far_from_every_mark_is_left_out() {
        let whole = format!("{} here {}", "a ".repeat(3000), "b ".repeat(3000));
        let at = whole.find("here").unwrap();
        let place = FieldSpan::new(Field::Response, at..at + 4);
        let text = highlight(&whole, &[(EvidenceKind::Matched, &place)], TerminalStyle::PLAIN);
        assert!(text.contains("⟦here⟧") && text.len() < 1200, "{}", text.len());
    }
}
