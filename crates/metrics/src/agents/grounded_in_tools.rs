//! Whether what the last answer states is to be found in what the tools returned.

use std::borrow::Cow;
use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Place, Role, Sample, Score, ScoreError, metric};
use probare_nlp::lexicon::Sort;
use probare_nlp::reading::Reading;
use probare_text::quantities;
use schemars::JsonSchema;
use serde::Deserialize;

use super::said::passages::Passage;
use super::trace::{NO_TRACE, Trace};
use crate::bounded::Bounded;
use crate::rag::hallucination::{AnchorType, Finding, Settings, Source, Standing, Support, examine};

/// Options of `grounded_in_tools`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GroundedInTools {
    /// Whose words count beside the results.
    pub also: Vec<AlsoCounts>,
    /// Whether a number may follow from others: a sum, difference, product, quotient, mean, change in per cent, or the count of a
    /// list.
    pub derive: bool,
}

/// Whose words count beside the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlsoCounts {
    /// What the user said.
    User,
    /// The instructions.
    System,
}

impl Default for GroundedInTools {
    fn default() -> Self {
        Self { also: vec![AlsoCounts::User], derive: true }
    }
}

metric!(GroundedInTools as Pure {
    summary: "Share of what the last answer states that results of tools, or the user, bear out",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(1.0 - parts.get("unsupported")? / parts.get("statements")?),
    since: "0.3",
    version: 2,
    page: "grounded_in_tools.md",
});

/// Words of a sentence that states something by itself.
const FEWEST_WORDS: usize = 3;

/// Numbers of the results from which others may follow; with more of them nearly anything does.
const MOST_NUMBERS: usize = 40;

/// The last answer: its words and its place.
struct LastAnswer<'a> {
    text: Cow<'a, str>,
    place: Place,
    /// Number of its message.
    message: usize,
}

impl Metric for GroundedInTools {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let Some(trace) = Trace::of(case) else { return Ok(Outcome::not_applicable(NO_TRACE)) };
        let Some(answer) = last_answer(sample) else { return Ok(Outcome::not_applicable("there is no answer")) };
        let messages = case.messages.as_deref().unwrap_or_default();
        let mut passages: Vec<Passage> = Vec::new();
        for made in &trace.calls {
            let Some(result) = &made.result else { continue };
            let Some(spot) = &result.spot else { continue };
            if spot.field == Field::Messages && spot.index > answer.message {
                continue;
            }
            passages.push(Passage::of_result(&result.text, spot.place("", &result.text)));
        }
        for index in trace.orphans.iter().copied().filter(|index| *index < answer.message) {
            passages.extend(messages[index].said_texts().map(|(path, text)| {
                Passage::of_result(text, Place::inside(Field::Messages, index, path, 0..text.len()))
            }));
        }
        if passages.is_empty() {
            return Ok(Outcome::not_applicable("no tool returned anything before the answer"));
        }
        for (index, message) in messages.iter().enumerate().take(answer.message) {
            let counts = self.also.iter().any(|who| {
                message.is_by(match who {
                    AlsoCounts::User => Role::User,
                    AlsoCounts::System => Role::System,
                })
            });
            if counts {
                let plain = |(path, text): (Cow<'static, str>, &str)| {
                    Passage::plain(text, Place::inside(Field::Messages, index, path, 0..text.len()))
                };
                passages.extend(message.said_texts().map(plain));
            }
        }
        let chunks: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
        let settings = Settings { is_careful: true, ..Settings::default() };
        let examination = examine(&answer.text, &chunks, &settings);
        let reading = Reading::of(&answer.text);
        let numbers = numbers(&passages);
        let (mut all, mut unsupported, mut derived) = (0_usize, 0_usize, 0_usize);
        let (mut bad, mut good) = (Vec::new(), Vec::new());
        for finding in &examination.findings {
            let Some(span) = finding.span.clone() else { continue };
            let judged = match finding.kind {
                AnchorType::Sentence => {
                    let Some(support) = examination.sentences.iter().find(|support| support.span == span) else {
                        continue;
                    };
                    let Some(holds) = holds(&reading, support, &examination.findings) else { continue };
                    Judged { holds, derived: None, source: finding.source().or(finding.nearest.as_ref()).cloned() }
                }
                AnchorType::Numeric | AnchorType::Date | AnchorType::Name => {
                    self.judge(finding, &answer.text, &numbers, &passages)
                }
                _ => continue,
            };
            all += 1;
            unsupported += usize::from(!judged.holds);
            derived += usize::from(judged.holds && judged.derived.is_some());
            let piece = piece(&answer, span, finding, &judged, &passages);
            if judged.holds { good.push(piece) } else { bad.push(piece) }
        }
        if all == 0 {
            return Ok(Outcome::not_applicable("the answer states nothing that can be checked"));
        }
        // What has no support first, since a long answer fills the space.
        let mut evidence = Bounded::default();
        bad.into_iter().chain(good).for_each(|piece| evidence.push(|| piece));
        let score = Score::from_number(1.0 - unsupported as f64 / all as f64)?
            .with_part("statements", all as f64)?
            .with_part("unsupported", unsupported as f64)?
            .with_part("derived", derived as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// Whether the passages bear a sentence out by its words beside numbers and names, which are statements of their own: they have half
/// of them at least, and do not say the opposite. Nothing where it has no such words.
fn holds(reading: &Reading, support: &Support, findings: &[Finding]) -> Option<bool> {
    let inside = |token: &usize| {
        let origin = &reading.tokens[*token].origin;
        support.span.start <= origin.start && origin.end <= support.span.end
    };
    let start = reading.tokens.partition_point(|token| token.origin.start < support.span.start);
    let tokens: Vec<usize> =
        (start..reading.tokens.len()).take_while(inside).filter(|token| reading.tokens[*token].is_word).collect();
    let is_own = |token: &usize| {
        let origin = &reading.tokens[*token].origin;
        findings.iter().any(|finding| {
            finding.kind != AnchorType::Sentence
                && finding.span.as_ref().is_some_and(|span| span.start < origin.end && origin.start < span.end)
        })
    };
    let is_content = |token: &&usize| !reading.is_sort(**token, Sort::Function) && !is_own(token);
    let words: Vec<&usize> = tokens.iter().filter(is_content).collect();
    let missing = words.iter().filter(|token| support.missing.contains(token)).count();
    let is_statement = tokens.len() >= FEWEST_WORDS && !words.is_empty();
    is_statement.then_some(2 * missing <= words.len() && support.shares.opposed == 0.0)
}

/// What came of a statement.
struct Judged {
    holds: bool,
    /// From what it follows.
    derived: Option<String>,
    source: Option<Source>,
}

/// The last answer: the last text of the assistant in the messages, else the response.
fn last_answer(sample: Sample<'_>) -> Option<LastAnswer<'_>> {
    let messages = sample.case.messages.as_deref().unwrap_or_default();
    if let Some((message, last)) = messages.iter().enumerate().next_back()
        && last.is_by(Role::Assistant)
        && let Some((path, text)) = last.said_texts().last()
    {
        let place = Place::inside(Field::Messages, message, path, 0..text.len());
        return Some(LastAnswer { text: Cow::Borrowed(text), place, message });
    }
    let output = sample.output()?;
    let place = Place::new(Field::Response, 0..output.text.len());
    Some(LastAnswer { text: Cow::Borrowed(&output.text), place, message: messages.len() })
}

/// A number of a passage.
struct Known {
    value: f64,
    passage: usize,
    span: Range<usize>,
}

fn numbers(passages: &[Passage]) -> Vec<Known> {
    let all = passages.iter().enumerate().flat_map(|(passage, text)| {
        quantities::find(&text.text).into_iter().map(move |found| Known {
            value: found.value,
            passage,
            span: found.span,
        })
    });
    all.take(MOST_NUMBERS + 1).collect()
}

impl GroundedInTools {
    fn judge(&self, finding: &Finding, answer: &str, numbers: &[Known], passages: &[Passage]) -> Judged {
        let source = finding.source().cloned();
        if finding.is_supported() {
            let note = finding.reason().filter(|note| note.starts_with("follows"));
            return Judged { holds: note.is_none() || self.derive, derived: note.map(str::to_owned), source };
        }
        let span = finding.span.clone().unwrap_or_default();
        if finding.kind == AnchorType::Numeric
            && let Some(said) = quantities::parse(answer.get(span).unwrap_or_default())
        {
            let places = decimals(&finding.text);
            let found = rounded(said.value, places, numbers)
                .or_else(|| self.derive.then(|| follows(said.value, places, numbers, passages)).flatten());
            if let Some((known, how)) = found {
                let source = known.map(|known| Source { chunk: known.passage, span: known.span.clone() });
                return Judged { holds: true, derived: Some(how), source };
            }
        }
        Judged { holds: false, derived: None, source }
    }
}

/// Places behind the point of a number as it is written.
fn decimals(text: &str) -> usize {
    let end = text.rfind(|sign: char| sign.is_ascii_digit()).map_or(0, |at| at + 1);
    let start = text[..end].rfind(|sign: char| !sign.is_ascii_digit()).map_or(0, |at| at + 1);
    if text[..start].ends_with('.') { end - start } else { 0 }
}

/// Whether a number is another one rounded to so many places.
fn is_rounded(said: f64, exact: f64, places: usize) -> bool {
    let unit = 10_f64.powi(-i32::try_from(places.min(12)).unwrap_or(12));
    (said - exact).abs() <= unit / 2.0 + 1e-9 * exact.abs()
}

/// The number that one is rounded from. A whole number is rounded from one of its own size only.
fn rounded(said: f64, places: usize, numbers: &[Known]) -> Option<(Option<&Known>, String)> {
    let known = numbers.iter().find(|known| {
        is_rounded(said, known.value, places)
            && (known.value.fract() != 0.0 || known.value == said)
            && known.value.abs() >= 1.0
    })?;
    (numbers.len() <= MOST_NUMBERS).then(|| (Some(known), format!("rounded from {}", known.value)))
}

/// What a number follows from: two numbers, or a whole list.
fn follows<'k>(
    said: f64,
    places: usize,
    numbers: &'k [Known],
    passages: &[Passage],
) -> Option<(Option<&'k Known>, String)> {
    for passage in passages {
        for list in &passage.lists {
            let sum: f64 = list.iter().sum();
            for (name, value) in [("sum", sum), ("mean", sum / list.len() as f64)] {
                if is_rounded(said, value, places) {
                    let first = numbers.iter().find(|known| known.value == list[0]);
                    return Some((first, format!("the {name} of a list of {}", list.len())));
                }
            }
        }
        if passage.counts.iter().any(|count| *count > 0 && *count as f64 == said) {
            return Some((None, "the length of a list".to_owned()));
        }
    }
    if numbers.len() > MOST_NUMBERS {
        return None;
    }
    for (at, left) in numbers.iter().enumerate() {
        for right in &numbers[at + 1..] {
            probare_cancellation::steps(1);
            let (one, other) = (left.value, right.value);
            let results = [
                ("+", one + other),
                ("-", one - other),
                ("-", other - one),
                ("*", one * other),
                ("/", one / other),
                ("/", other / one),
                ("mean", f64::midpoint(one, other)),
                ("% of", 100.0 * (other - one) / one),
                ("% of", 100.0 * (one - other) / other),
                ("% of", 100.0 * (one - other) / one),
                ("% of", 100.0 * (other - one) / other),
            ];
            // Small whole numbers follow from nearly anything.
            let found = results.iter().find(|(_, value)| value.is_finite() && is_rounded(said, *value, places));
            if let Some((sign, _)) = found.filter(|_| said.abs() >= 10.0 || places > 0) {
                return Some((Some(left), format!("{one} {sign} {other}")));
            }
        }
    }
    None
}

fn piece(
    answer: &LastAnswer<'_>,
    span: Range<usize>,
    finding: &Finding,
    judged: &Judged,
    passages: &[Passage],
) -> Evidence {
    let is_otherwise = matches!(finding.standing, Standing::Contradicted { .. });
    let kind = match (judged.holds, is_otherwise) {
        (true, _) => EvidenceKind::Found,
        (false, true) => EvidenceKind::Compared,
        (false, false) => EvidenceKind::Unsupported,
    };
    let mut piece = Evidence::at(kind, answer.place.field, span, &answer.text);
    if let Some(place) = &mut piece.place {
        place.index = answer.place.index;
        place.path.clone_from(&answer.place.path);
    }
    let mut note = finding.kind.name().to_owned();
    if let Some(how) = &judged.derived {
        note = format!("{note}: {how}");
    } else if !judged.holds
        && let Some(reason) = finding.reason()
    {
        note = format!("{note}: {reason}");
    }
    piece.note = Some(note.into());
    piece.support = judged.source.as_ref().and_then(|source| Some(passages.get(source.chunk)?.source(&source.span)));
    piece
}

#[cfg(test)]
mod tests {
    use probare_core::Case;

    use super::super::trace::case;
    use super::*;

    /// An answer after what a tool returned.
    fn answered(result: &str, answer: &str) -> Case {
        let messages = serde_json::json!([
            {"role": "user", "text": "Will it rain in Bern?"},
            {"role": "assistant", "tool_calls": [{"id": "1", "name": "weather", "arguments": {"city": "Bern"}}]},
            {"role": "tool", "id": "1", "text": result},
            {"role": "assistant", "text": answer}]);
        case(&serde_json::json!({"id": "a", "messages": messages}).to_string())
    }

    fn score(options: &GroundedInTools, case: &Case) -> Option<Score> {
        options.score(Sample::of(case)).unwrap().score().cloned()
    }

    #[test]
    fn what_a_result_says_is_borne_out_at_its_place() {
        let case = answered(r#"{"sky":"rain","celsius":9}"#, "It rains in Bern at 9 °C.");
        let score = score(&GroundedInTools::default(), &case).unwrap();
        assert_eq!((score.value.get(), score.parts.get("unsupported")), (1.0, Some(0.0)));
        let degrees = score.evidence.iter().find(|piece| piece.text == "9 °C").unwrap();
        let support = degrees.support.as_ref().unwrap();
        assert_eq!((degrees.kind, support.index), (EvidenceKind::Found, Some(2)));
        assert_eq!(case.words_at(support).as_deref(), Some("9"));
    }

    #[test]
    fn another_number_is_compared_with_the_one_of_the_result_and_comes_first() {
        let case = answered(r#"{"sky":"rain","celsius":9}"#, "It rains in Bern at 12 °C.");
        let score = score(&GroundedInTools::default(), &case).unwrap();
        assert_eq!((score.parts.get("statements"), score.parts.get("unsupported")), (Some(3.0), Some(1.0)));
        let piece = &score.evidence[0];
        let place = piece.place.as_ref().unwrap();
        assert_eq!((place.index, place.start, place.end, piece.text.as_str()), (Some(3), 20, 26, "12 °C"));
        assert!(matches!(piece.kind, EvidenceKind::Compared | EvidenceKind::Unsupported), "{piece:?}");
    }

    #[test]
    fn what_follows_is_borne_out_only_where_it_may() {
        let case = answered(r#"{"morning":4,"evening":[2.5,3.5]}"#, "In Bern it rains 6.0 mm in the evening.");
        let derived = score(&GroundedInTools::default(), &case).unwrap();
        assert_eq!(derived.parts.get("derived"), Some(1.0), "{derived:?}");
        let plain = GroundedInTools { derive: false, ..GroundedInTools::default() };
        assert!(score(&plain, &case).unwrap().parts.get("unsupported") > derived.parts.get("unsupported"));
    }

    #[test]
    fn without_a_result_an_answer_or_a_statement_nothing_is_judged() {
        let options = GroundedInTools::default();
        assert!(score(&options, &answered("ok", "Hello! What can I do for you?")).is_none());
        let mut case = answered("ok", "It rains in Bern.");
        case.messages.as_mut().unwrap().remove(2);
        assert!(score(&options, &case).is_none(), "no tool returned anything");
        case = answered("ok", "It rains in Bern.");
        case.messages.as_mut().unwrap().truncate(3);
        assert!(score(&options, &case).is_none(), "there is no answer");
        assert!(score(&options, &Case::default()).is_none());
    }
}
