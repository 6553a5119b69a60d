//! Whether every question of the user is taken up.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_nlp::lexicon::{self, Sort};
use probare_nlp::reading::{Aside, Reading, Sentence};
use probare_text::wordnet::WordNet;
use schemars::JsonSchema;
use serde::Deserialize;

use super::said::{Kind, NO_MESSAGES, Talk, TalkText, Value, is_related, lemmas, values};
use crate::bounded::Bounded;

/// `answered_question` has no options.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnsweredQuestion {}

metric!(AnsweredQuestion as Pure {
    summary: "Share of the user's questions that the assistant takes up in the same turn",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(1.0 - parts.get("left")? / parts.get("questions")?),
    since: "0.3",
    version: 2,
    page: "answered_question.md",
});

/// What kind of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    Number,
    When,
    Where,
    Who,
    YesNo,
    Other,
}

/// A question of the user.
struct Question {
    tokens: Range<usize>,
    wants: Wants,
}

impl Metric for AnsweredQuestion {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let Some(talk) = Talk::of(sample) else { return Ok(Outcome::not_applicable(NO_MESSAGES)) };
        let (mut all, mut left) = (0_usize, 0_usize);
        let mut evidence = Bounded::default();
        for user in talk.of_user() {
            let turn = talk.in_turn_of(user).iter();
            let replies: Vec<&TalkText> = turn.filter(|text| !text.is_user && text.message > user.message).collect();
            if replies.is_empty() {
                continue;
            }
            let known: Vec<(&TalkText, Vec<Value>)> =
                replies.into_iter().map(|reply| (reply, values(&reply.text(case), &reply.reading))).collect();
            for question in questions(&user.reading) {
                all += 1;
                let span = user.reading.origin(question.tokens.start, question.tokens.end - 1);
                let taken = known.iter().find_map(|(reply, values)| {
                    Some((reply, taken_up(&user.reading, &question, &reply.reading, values)?))
                });
                left += usize::from(taken.is_none());
                evidence.push(|| {
                    if let Some((reply, place)) = taken {
                        reply.evidence(case, EvidenceKind::Found, place).with_support(user.place(span.clone()))
                    } else {
                        let words = user.text(case).get(span.clone()).unwrap_or_default().to_owned();
                        Evidence::missing(words).with_support(user.place(span.clone()))
                    }
                });
            }
        }
        if all == 0 {
            return Ok(Outcome::not_applicable("no turn has a question of the user and a text of the assistant"));
        }
        let score = Score::from_number(1.0 - left as f64 / all as f64)?
            .with_part("questions", all as f64)?
            .with_part("left", left as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

fn asking_word(word: &str) -> bool {
    matches!(
        word,
        "what"
            | "which"
            | "when"
            | "where"
            | "who"
            | "why"
            | "how"
            | "whose"
            | "what's"
            | "where's"
            | "who's"
            | "how's"
    )
}

/// The questions of a text. A sentence with two clauses that ask is two: "What is the fee, and when do you open?"
fn questions(reading: &Reading) -> Vec<Question> {
    let mut found = Vec::new();
    for sentence in reading.sentences.iter().filter(|sentence| sentence.is_question()) {
        let mut starts = vec![sentence.opening];
        for token in sentence.opening + 1..sentence.tokens.end {
            let follows = matches!(reading.word(token - 1), "and" | "or" | ",");
            let is_helper = reading.is_sort(token, Sort::Helping)
                && matches!(
                    reading.word(token + 1),
                    "you" | "i" | "we" | "it" | "they" | "there" | "he" | "she" | "the" | "that" | "this" | "my"
                );
            let opens = asking_word(reading.word(token)) || is_helper;
            // What opens with a condition or a statement asks where its question word stands.
            let before = starts.last().copied().unwrap_or(sentence.opening);
            let is_far = words(reading, before..token).count() >= 3;
            if follows && opens && is_far {
                starts.push(token);
            }
        }
        starts.push(sentence.tokens.end);
        for pair in starts.windows(2) {
            let mut end = pair[1];
            while end > pair[0] + 1 && matches!(reading.word(end - 1), "," | "and" | "or" | "?" | "!" | ".") {
                end -= 1;
            }
            let tokens = pair[0]..end;
            found.push(Question { wants: wants(reading, &tokens), tokens });
        }
    }
    found
}

fn words(reading: &Reading, tokens: Range<usize>) -> impl Iterator<Item = usize> + '_ {
    tokens.filter(|token| reading.tokens[*token].is_word)
}

fn wants(reading: &Reading, tokens: &Range<usize>) -> Wants {
    for token in words(reading, tokens.clone()) {
        return match (reading.word(token), reading.word(token + 1)) {
            ("how", "many" | "much" | "long" | "far" | "old" | "tall" | "often") => Wants::Number,
            ("when", _) | ("what" | "which", "time" | "day" | "date") => Wants::When,
            ("where" | "where's", _) | ("which" | "what", "city" | "country" | "place" | "room" | "address") => {
                Wants::Where
            }
            ("who" | "who's" | "whose" | "whom", _) => Wants::Who,
            (word, _) if asking_word(word) => Wants::Other,
            _ if reading.is_sort(token, Sort::Helping) || reading.is_sort(token, Sort::Contraction) => Wants::YesNo,
            _ => continue,
        };
    }
    Wants::YesNo
}

/// Where a reply takes a question up.
fn taken_up(asked: &Reading, question: &Question, reply: &Reading, values: &[Value]) -> Option<Range<usize>> {
    let whole = || reply.sentences.first().map(|sentence| reply.place(sentence));
    let content: Vec<&str> = words(asked, question.tokens.clone())
        .filter(|token| !asked.is_sort(*token, Sort::Function) && !asking_word(asked.word(*token)))
        .map(|token| asked.word(token))
        .filter(|word| !matches!(*word, "please" | "hi" | "hello" | "thanks" | "know" | "tell"))
        .collect();
    for token in words(reply, 0..reply.tokens.len()).filter(|token| !reply.is_sort(*token, Sort::Function)) {
        probare_cancellation::steps(1);
        if content.iter().any(|word| is_meant(word, reply.word(token))) {
            return Some(reply.tokens[token].origin.clone());
        }
    }
    let kinds: &[Kind] = match question.wants {
        Wants::Number => &[Kind::Number],
        Wants::When => &[Kind::Date, Kind::Time],
        Wants::Where => &[Kind::Name, Kind::Address],
        Wants::Who => &[Kind::Name],
        Wants::YesNo | Wants::Other => &[],
    };
    if let Some(value) = values.iter().find(|value| kinds.contains(&value.kind)) {
        return Some(value.span.clone());
    }
    if question.wants == Wants::YesNo
        && let Some(sentence) = reply.sentences.iter().find(|sentence| is_polar(reply, sentence))
    {
        return Some(reply.place(sentence));
    }
    // It does not know, or cannot; or it says nothing but a question of its own.
    let declined = reply.sentences.iter().find(|sentence| {
        sentence.aside == Some(Aside::Declining)
            || reply.declined_from(sentence).is_some()
            || sentence.tokens.clone().any(|token| {
                let at =
                    |ahead: usize| if token + ahead < sentence.tokens.end { reply.word(token + ahead) } else { "" };
                lexicon::expression(Sort::Undecided, at).is_some()
                    || matches!(at(0), "can't" | "cannot" | "unable") && token < sentence.tokens.start + 6
            })
    });
    if let Some(sentence) = declined {
        return Some(reply.place(sentence));
    }
    // A question of its own that takes up nothing asks back all the same where it is all that is said.
    if reply.sentences.iter().all(Sentence::is_question) {
        return whole();
    }
    // An empty question ("What?") is taken up by anything.
    if content.is_empty() && question.wants == Wants::Other { whole() } else { None }
}

/// Whether a sentence says yes or no: by its first word, or as a short statement with a helping verb.
fn is_polar(reading: &Reading, sentence: &Sentence) -> bool {
    let first = words(reading, sentence.tokens.clone()).next();
    let Some(first) = first else { return false };
    let at = |ahead: usize| if first + ahead < sentence.tokens.end { reading.word(first + ahead) } else { "" };
    [Sort::Yes, Sort::No, Sort::Assent, Sort::Refusal].into_iter().any(|sort| lexicon::expression(sort, at).is_some())
        || reading.is_sort(first, Sort::Subject)
            && (first..first + 3)
                .any(|token| reading.is_sort(token, Sort::Helping) || reading.is_sort(token, Sort::Contraction))
}

/// Whether a word of the reply is a form, a relative or a synonym of one of the question.
fn is_meant(asked: &str, replied: &str) -> bool {
    if is_related(asked, replied) {
        return true;
    }
    let forms = lemmas(replied);
    let wordnet = WordNet::embedded();
    lemmas(asked).iter().any(|word| wordnet.synonyms(word).iter().any(|synonym| forms.contains(synonym)))
}

#[cfg(test)]
mod tests {
    use probare_core::Case;

    use super::super::trace::case;
    use super::*;

    fn asked(user: &str, assistant: &str) -> Case {
        let messages = serde_json::json!([{"role": "user", "text": user}, {"role": "assistant", "text": assistant}]);
        case(&serde_json::json!({"id": "a", "messages": messages}).to_string())
    }

    fn score(case: &Case) -> Option<Score> {
        AnsweredQuestion::default().score(Sample::of(case)).unwrap().score().cloned()
    }

    #[test]
    fn a_question_is_taken_up_by_its_words_a_value_of_its_kind_or_a_plain_answer() {
        for (user, assistant) in [
            ("What is the fee?", "The fee is waived."),
            ("How many rooms are there?", "We have 12."),
            ("When does the train leave?", "It is at 9:40."),
            ("Is it open?", "Yes."),
            ("Who wrote it?", "I do not know."),
        ] {
            let case = asked(user, assistant);
            let score = score(&case).unwrap();
            assert_eq!((score.value.get(), score.parts.get("left")), (1.0, Some(0.0)), "{user} {assistant}");
            let piece = &score.evidence[0];
            assert_eq!(piece.kind, EvidenceKind::Found);
            assert_eq!(case.words_at(piece.support.as_ref().unwrap()).as_deref(), user.strip_suffix('?'), "{user}");
        }
    }

    #[test]
    fn a_question_that_is_passed_over_is_named_with_its_place() {
        let case = asked("What is the fee, and when do you open?", "We open at nine.");
        let score = score(&case).unwrap();
        assert_eq!((score.value.get(), score.parts.get("questions")), (0.5, Some(2.0)));
        let left = score.evidence.iter().find(|piece| piece.kind == EvidenceKind::Missing).unwrap();
        assert_eq!(left.text, "What is the fee");
        let support = left.support.as_ref().unwrap();
        assert_eq!((support.index, case.words_at(support).as_deref()), (Some(0), Some("What is the fee")));
    }

    #[test]
    fn without_a_question_or_an_answer_nothing_is_judged() {
        assert!(score(&asked("Thanks!", "You are welcome.")).is_none());
        assert!(score(&case(r#"{"id":"a","messages":[{"role":"user","text":"Is it open?"}]}"#)).is_none());
        assert!(score(&Case::default()).is_none());
    }
}
