//! Whether the assistant asks for what the user has already said.

use std::ops::Range;

use probare_core::{EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_nlp::lexicon::{self, Sort, Sorts};
use probare_nlp::reading::Reading;
use schemars::JsonSchema;
use serde::Deserialize;

use super::said::requests::{Request, Wanted, requests};
use super::said::{Kind, Meaning, NO_MESSAGES, Talk, TalkText, Value, is_related, slot, values};
use super::tool_errors::{ErrorTexts, is_error};
use super::trace::Trace;
use crate::bounded::Bounded;

/// `asked_again` has no options.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AskedAgain {}

metric!(AskedAgain as Pure {
    summary: "Share of the assistant's requests for something that the user had not already said",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(1.0 - parts.get("again")? / parts.get("requests")?),
    per_turn: false,
    since: "0.3",
    version: 2,
    page: "asked_again.md",
});

/// Texts of the user that a request is held against, and tokens of each.
const MOST_TEXTS: usize = 50;
const MOST_TOKENS: usize = 2_000;

/// What the user said, with the values in it.
struct UserText<'t> {
    text: &'t TalkText,
    values: Vec<Value>,
    whole: String,
    /// What the assistant asked for right before it.
    asked: Vec<Wanted>,
}

impl Metric for AskedAgain {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let Some(talk) = Talk::of(sample) else { return Ok(Outcome::not_applicable(NO_MESSAGES)) };
        let trace = Trace::of(case).unwrap_or_default();
        let mut said: Vec<UserText<'_>> = Vec::new();
        let mut asked: Vec<Wanted> = Vec::new();
        let (mut all, mut again) = (0_usize, 0_usize);
        let mut evidence = Bounded::default();
        for text in &talk.texts {
            let whole = text.text(case).into_owned();
            if text.is_user {
                let values = values(&whole, &text.reading);
                said.push(UserText { text, values, whole, asked: std::mem::take(&mut asked) });
                continue;
            }
            let found = requests(&text.reading);
            asked = found.iter().filter(|request| !request.is_other).flat_map(|one| one.wanted.clone()).collect();
            if said.is_empty() {
                continue;
            }
            // The last result of the turn before this text: where it is an error or empty there is a reason to ask.
            let last = trace.calls.iter().rev().find(|made| made.turn == text.turn && made.message <= text.message);
            let has_failed = last.and_then(|made| made.result.as_ref()).is_some_and(|result| {
                is_error(result, ErrorTexts::All) || matches!(result.text.trim(), "" | "[]" | "{}" | "null")
            });
            for request in &found {
                all += 1;
                if request.is_other || has_failed || has_reason(&text.reading, request) {
                    continue;
                }
                let question = text.reading.origin(request.tokens.start, request.tokens.end - 1);
                let words = &whole[question.clone()];
                let given = request.wanted.iter().find_map(|wanted| {
                    said.iter().rev().take(MOST_TEXTS).find_map(|user| Some((user, given(wanted, request, user)?)))
                });
                let Some((user, place)) = given else { continue };
                if holds(words, &user.whole[place.clone()]) {
                    continue;
                }
                again += 1;
                evidence.push(|| {
                    text.evidence(case, EvidenceKind::Found, question.clone()).with_support(user.text.place(place))
                });
            }
        }
        if all == 0 {
            return Ok(Outcome::not_applicable("the assistant asks for nothing that the user could have said before"));
        }
        let score = Score::from_number(1.0 - again as f64 / all as f64)?
            .labelled(if again > 0 { "yes" } else { "no" })
            .with_part("requests", all as f64)?
            .with_part("again", again as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// Whether the question, or the sentence before it, says why it is asked.
fn has_reason(reading: &Reading, request: &Request) -> bool {
    let at = reading.sentences.partition_point(|sentence| sentence.tokens.end <= request.tokens.start);
    let from = reading.sentences[at.saturating_sub(1)].tokens.start;
    (from..request.tokens.end).any(|token| {
        lexicon::expression(Sort::Trouble, |ahead| {
            let at = token + ahead;
            if at < request.tokens.end { reading.word(at) } else { "" }
        })
        .is_some()
    })
}

/// Whether a question names a value itself, which asks for no more than a yes.
fn holds(question: &str, value: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let value = plain(value);
    !value.is_empty() && plain(question).contains(&value)
}

/// Where a text of the user gives what is wanted.
fn given(wanted: &Wanted, request: &Request, user: &UserText<'_>) -> Option<Range<usize>> {
    replied(wanted, user).or_else(|| by_shape(wanted, request, user)).or_else(|| by_noun(wanted, user))
}

/// The text as a whole, where it answers a request for the same thing.
fn replied(wanted: &Wanted, user: &UserText<'_>) -> Option<Range<usize>> {
    let reading = &user.text.reading;
    if !user.asked.iter().any(|asked| asked.is_same(wanted)) || reading.sentences.len() != 1 {
        return None;
    }
    let words = reading.tokens.iter().filter(|token| token.is_word).count();
    let leaves_open = (0..reading.tokens.len()).any(|token| {
        reading.is_any(token, Sorts::DENYING)
            || lexicon::expression(Sort::Undecided, |ahead| reading.word(token + ahead)).is_some()
    });
    let says = !user.values.is_empty() || words <= 3;
    (words <= 8 && says && !leaves_open && !reading.sentences[0].is_question())
        .then(|| reading.place(&reading.sentences[0]))
}

/// A value that is known by its shape or by the words of its kind.
fn by_shape(wanted: &Wanted, request: &Request, user: &UserText<'_>) -> Option<Range<usize>> {
    let reading = &user.text.reading;
    let first = |is: &dyn Fn(&Value) -> bool| {
        user.values
            .iter()
            .find(|value| is(value) && !is_of_others(reading, value.span.start))
            .map(|value| value.span.clone())
    };
    match wanted.what.as_str() {
        "email" => first(&|value| value.kind == Kind::Email),
        "phone" => first(
            &|value| matches!(&value.meaning, Meaning::Letters(letters) if value.kind == Kind::Code && is_phone(letters)),
        ),
        "address" => first(&|value| value.kind == Kind::Address),
        "date" if wanted.of.is_empty() => {
            // The day of one thing is not that of another.
            let is_same_matter = request.verb.as_deref().is_none_or(|verb| speaks_of(reading, verb));
            let is_born = |value: &Value| before(reading, value.span.start, 3).any(|word| slot(word) == Some("birth"));
            first(&|value| value.kind == Kind::Date && is_same_matter && !is_born(value))
        }
        "time" if wanted.of.is_empty() && request.verb.as_deref().is_none_or(|verb| speaks_of(reading, verb)) => {
            first(&|value| value.kind == Kind::Time)
        }
        "age" => first(&|value| value.kind == Kind::Number && is_age(reading, value)),
        "people" => first(&|value| value.kind == Kind::Number && is_head_count(reading, value)),
        "amount" => first(&|value| value.kind == Kind::Number && is_budget(reading, value)),
        "name" if wanted.of.is_empty() => first(&|value| value.kind == Kind::Name && is_introduced(reading, value)),
        "city" => {
            let verb = request.verb.as_deref();
            first(&|value| value.kind == Kind::Name && is_home(reading, value, verb))
        }
        "weight" | "height" => {
            let what = wanted.what.as_str();
            first(&|value| {
                value.kind == Kind::Number && before(reading, value.span.start, 4).any(|word| slot(word) == Some(what))
            })
        }
        _ => None,
    }
}

fn is_phone(letters: &str) -> bool {
    letters.len() >= 7 && letters.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words before a byte, nearest first.
fn before(reading: &Reading, byte: usize, most: usize) -> impl Iterator<Item = &str> {
    let end = reading.tokens.partition_point(|token| token.origin.start < byte);
    (end.saturating_sub(most)..end).rev().map(|token| reading.word(token))
}

/// The words from a byte on.
fn behind(reading: &Reading, byte: usize, most: usize) -> impl Iterator<Item = &str> {
    let start = reading.tokens.partition_point(|token| token.origin.start < byte);
    (start..(start + most).min(reading.tokens.len())).map(|token| reading.word(token))
}

/// Whether a text has a word of the same matter as a verb.
fn speaks_of(reading: &Reading, verb: &str) -> bool {
    (0..reading.tokens.len().min(MOST_TOKENS)).any(|token| {
        reading.tokens[token].is_word
            && !reading.is_sort(token, Sort::Function)
            && is_related(reading.word(token), verb)
    })
}

/// Whether the value is somebody else's: "my sister's email is …", "her number is …".
fn is_of_others(reading: &Reading, byte: usize) -> bool {
    before(reading, byte, 5).take_while(|word| !matches!(*word, "." | "," | ";")).any(|word| {
        matches!(word, "his" | "her" | "their" | "she" | "he" | "she's" | "he's" | "they")
            || word.ends_with("'s") && !matches!(word, "it's" | "that's" | "name's" | "what's" | "number's")
    })
}

/// "I'm 24", "24 years old", "aged 24".
fn is_age(reading: &Reading, value: &Value) -> bool {
    let near: Vec<&str> = before(reading, value.span.start, 2).collect();
    let next: Vec<&str> = behind(reading, value.span.end, 2).collect();
    let is_me = matches!(near[..], ["i'm" | "aged", ..] | ["am", "i"] | ["is", "age"]);
    let is_bare =
        value.unit.is_none() && matches!(next.first(), None | Some(&("." | "," | ";" | "and" | "!" | "years")));
    let is_old = next.contains(&"old") || value.noun.as_deref() == Some("old");
    is_me && (is_bare || is_old) || is_old && matches!(near[..], ["i'm", ..] | ["am", "i"])
}

/// "A table for eight", "two people", "there are six of us".
fn is_head_count(reading: &Reading, value: &Value) -> bool {
    let counts = |noun: &str| matches!(slot(noun), Some("people" | "adult"));
    let near: Vec<&str> = before(reading, value.span.start, 2).collect();
    let next: Vec<&str> = behind(reading, value.span.end, 2).collect();
    value.noun.as_deref().is_some_and(counts)
        || next == ["of", "us"]
        || matches!(near[..], ["are", "we"] | ["we're", ..])
        || near.first() == Some(&"for")
            && value.unit.is_none()
            && matches!(
                next.first(),
                None | Some(
                    &("." | "," | "on" | "at" | "in" | "please" | "!" | "from" | "under" | "tonight" | "tomorrow")
                )
            )
}

/// A sum that the user can spend.
fn is_budget(reading: &Reading, value: &Value) -> bool {
    before(reading, value.span.start, 4)
        .any(|word| slot(word) == Some("amount") || matches!(word, "under" | "below" | "max" | "maximum"))
}

/// "My name is Dora Lind", "I'm Lena Ortiz", "this is Tom Berg".
fn is_introduced(reading: &Reading, value: &Value) -> bool {
    let near: Vec<&str> = before(reading, value.span.start, 2).collect();
    let words = matches!(&value.meaning, Meaning::Letters(letters) if letters.contains(' '));
    match near[..] {
        ["i'm", ..] | ["am", "i"] | ["is", "this"] => words,
        ["is" | ":", name] => slot(name) == Some("name"),
        [name, ..] => slot(name) == Some("name") || name == "name's",
        [] => false,
    }
}

/// "I live in Graz", "I'm from Oslo".
fn is_home(reading: &Reading, value: &Value, verb: Option<&str>) -> bool {
    let near: Vec<&str> = before(reading, value.span.start, 3).collect();
    let is_there = matches!(near.first(), Some(&("in" | "from" | "to" | "at")));
    let is_mine = near.iter().any(|word| matches!(*word, "live" | "i'm" | "based" | "located" | "living" | "am"));
    is_there
        && verb.map_or(is_mine, |verb| {
            is_mine && matches!(verb, "live" | "located" | "based") || near.iter().any(|word| is_related(word, verb))
        })
}

/// Words between a noun and its value.
const FILLERS: [&str; 17] =
    ["is", "are", "was", ":", "number", "no", "id", "code", "#", "the", "of", "will", "be", "=", "to", "it's", "my"];

/// A value right behind the noun: "order number is 55-1023", "gate B7", "allergic to penicillin".
fn by_noun(wanted: &Wanted, user: &UserText<'_>) -> Option<Range<usize>> {
    let reading = &user.text.reading;
    let nouns: Vec<&str> = match wanted.what.as_str() {
        "identifier" => wanted.of.iter().map(String::as_str).collect(),
        what => vec![what],
    };
    // Of several words that tell which one is meant, the last is the noun: "the new customer number".
    let noun = nouns.last()?;
    for sentence in &reading.sentences {
        for token in sentence.tokens.clone().take_while(|token| *token < MOST_TOKENS) {
            if !reading.tokens[token].is_word
                || !is_related(reading.word(token), noun)
                || is_of_others(reading, reading.tokens[token].origin.start)
            {
                continue;
            }
            let mut at = token + 1;
            let mut says = false;
            while at < sentence.tokens.end && at <= token + 4 && FILLERS.contains(&reading.word(at)) {
                says |= matches!(reading.word(at), "is" | "are" | ":" | "to");
                at += 1;
            }
            let start = reading.tokens.get(at).filter(|_| at < sentence.tokens.end).map(|found| found.origin.start)?;
            let fits = |value: &&Value| {
                value.span.start == start
                    && (wanted.what != "identifier" || matches!(value.kind, Kind::Code | Kind::Number))
            };
            if let Some(value) = user.values.iter().find(fits) {
                return Some(value.span.clone());
            }
            let is_word = reading.tokens[at].is_word
                && !reading.is_sort(at, Sort::Function)
                && !reading.is_any(at, Sorts::DENYING)
                && !reading.is_any(at, Sorts::HEDGING);
            if says && is_word && wanted.what != "identifier" && !sentence.is_question() {
                return Some(reading.origin(at, at));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::trace::case;
    use super::*;

    fn label(user: &str, assistant: &str) -> Option<String> {
        let json = serde_json::json!({"id": "a", "messages": [{"role": "user", "text": user}, {"role": "assistant", "text": assistant}]});
        let case = case(&json.to_string());
        let outcome = AskedAgain {}.score(Sample::of(&case)).unwrap();
        outcome.score().and_then(|score| score.label.clone()).map(std::borrow::Cow::into_owned)
    }

    #[test]
    fn what_was_said_is_asked_again() {
        for (user, assistant) in [
            ("My order number is 55-1023.", "Sure. Could you give me your order number?"),
            ("I'm 24; my sister will drive too.", "How old are you?"),
            ("You can reach me at kim@post.example", "What is your e-mail address?"),
            ("I am allergic to nuts.", "Do you have any allergies?"),
            ("My membership number is 4410.", "Please tell me your membership number."),
        ] {
            assert_eq!(label(user, assistant).as_deref(), Some("yes"), "{user} {assistant}");
        }
    }

    #[test]
    fn other_questions_are_no_repetition() {
        for (user, assistant) in [
            ("I'm 24; my sister will drive too.", "How old is your sister?"),
            ("My order number is 55-1023.", "I could not find that order. Could you give me your order number?"),
            ("I want to change my plan.", "Which plan would you like?"),
            ("My sister's email is kim@post.example", "What is your email address?"),
            ("I was born on 4 May 1990.", "When would you like to come?"),
            ("My order number is 55-1023.", "What is your customer number?"),
        ] {
            assert_eq!(label(user, assistant).as_deref(), Some("no"), "{user} {assistant}");
        }
        assert_eq!(label("My order number is 55-1023.", "Just to confirm, is it order 55-1023?"), None);
    }
}
