//! Whether the assistant says the same again.

use std::ops::Range;

use probare_core::{BuildError, Case, Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_nlp::reading::Reading;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Deserialize;

use super::said::{NO_MESSAGES, Talk, TalkText, wants_again};
use super::trace::loose;
use crate::bounded::Bounded;

/// Options of `repeats_itself`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RepeatsItself {
    /// Share of word trigrams (Jaccard) from which on two texts are alike.
    pub alike: f64,
    /// Share of the longer sentences of a text from which on it is made of earlier ones.
    pub share: f64,
}

impl Default for RepeatsItself {
    fn default() -> Self {
        Self { alike: 0.8, share: 0.6 }
    }
}

metric!(RepeatsItself as Pure {
    summary: "Share of the assistant's later texts that do not say again what it said before",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some(1.0 - parts.get("repeated")? / parts.get("texts")?),
    prepare: RepeatsItself::checked,
    per_turn: false,
    since: "0.3",
    version: 1,
    page: "repeats_itself.md",
});

/// Words of a text that is looked at.
const FEWEST_WORDS: usize = 8;

/// Words of a sentence that is looked at.
const LONG_SENTENCE: usize = 6;

impl RepeatsItself {
    /// The options, if the numbers in them make sense.
    pub fn checked(self) -> Result<Self, BuildError> {
        let is_share = |share: f64| share > 0.0 && share <= 1.0;
        if is_share(self.alike) && is_share(self.share) {
            return Ok(self);
        }
        Err(BuildError::Options("`alike` and `share` are above 0 and at most 1".to_owned()))
    }
}

/// Where a sentence was said first: the number of the text, and its tokens.
type FirstSaid = (usize, Range<usize>);

/// A text of the assistant with what is compared of it.
struct Spoken<'t> {
    text: &'t TalkText,
    trigrams: FxHashSet<[u32; 3]>,
    /// Its longer sentences, each with its tokens.
    sentences: Vec<(String, Range<usize>)>,
    question: String,
}

impl Metric for RepeatsItself {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        let Some(talk) = Talk::of(sample) else { return Ok(Outcome::not_applicable(NO_MESSAGES)) };
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut earlier: Vec<Spoken<'_>> = Vec::new();
        // Where each longer sentence was said first, and which texts hold a trigram.
        let mut said: FxHashMap<String, FirstSaid> = FxHashMap::default();
        let mut holders: FxHashMap<[u32; 3], Vec<usize>> = FxHashMap::default();
        let (mut compared, mut repeated) = (0_usize, 0_usize);
        let mut evidence = Bounded::default();
        for text in talk.of_assistant() {
            let Some(spoken) = Spoken::of(case, &talk, text, &mut numbers) else { continue };
            let is_later = text.turn.is_some_and(|turn| turn > 0) && !earlier.is_empty();
            if is_later {
                compared += 1;
                let found = self.repetition(case, &spoken, &earlier, &said, &holders);
                if let Some(piece) = found.filter(|_| !was_asked(&talk, text)) {
                    repeated += 1;
                    evidence.push(|| piece);
                }
            }
            let number = earlier.len();
            for (sentence, tokens) in &spoken.sentences {
                said.entry(sentence.clone()).or_insert_with(|| (number, tokens.clone()));
            }
            for trigram in &spoken.trigrams {
                holders.entry(*trigram).or_default().push(number);
            }
            earlier.push(spoken);
        }
        if compared == 0 {
            return Ok(Outcome::not_applicable(
                "the assistant says fewer than two texts of eight words in different turns",
            ));
        }
        let score = Score::from_number(1.0 - repeated as f64 / compared as f64)?
            .with_part("texts", compared as f64)?
            .with_part("repeated", repeated as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

impl<'t> Spoken<'t> {
    fn of(case: &Case, talk: &Talk, text: &'t TalkText, numbers: &mut FxHashMap<String, u32>) -> Option<Self> {
        let reading = &text.reading;
        let words: Vec<u32> = words(reading, 0..reading.tokens.len())
            .map(|word| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                *numbers.entry(word.to_owned()).or_insert(next)
            })
            .collect();
        if words.len() < FEWEST_WORDS {
            return None;
        }
        let trigrams = words.windows(3).filter_map(|three| three.try_into().ok()).collect();
        let long = reading.sentences.iter().filter_map(|sentence| {
            let words: Vec<&str> = words_of(reading, sentence.tokens.clone());
            (words.len() >= LONG_SENTENCE).then(|| (words.join(" "), sentence.tokens.clone()))
        });
        let sentences = long.collect();
        let asked = asked_of(talk, text).map(|user| loose(&user.text(case)));
        Some(Self { text, trigrams, sentences, question: asked.collect::<Vec<_>>().join("\n") })
    }
}

fn words(reading: &Reading, tokens: Range<usize>) -> impl Iterator<Item = &str> {
    tokens.filter(|token| reading.tokens[*token].is_word).map(|token| reading.word(token))
}

fn words_of(reading: &Reading, tokens: Range<usize>) -> Vec<&str> {
    words(reading, tokens).collect()
}

/// What the user said in the turn of a text.
fn asked_of<'t>(talk: &'t Talk, text: &TalkText) -> impl Iterator<Item = &'t TalkText> {
    talk.in_turn_of(text).iter().filter(|said| said.is_user)
}

/// Whether the user asked for the same again.
fn was_asked(talk: &Talk, text: &TalkText) -> bool {
    asked_of(talk, text).any(|user| wants_again(&user.reading))
}

impl RepeatsItself {
    /// Evidence that a text says what was said before; nothing where it does not.
    fn repetition(
        &self,
        case: &Case,
        spoken: &Spoken<'_>,
        earlier: &[Spoken<'_>],
        said: &FxHashMap<String, FirstSaid>,
        holders: &FxHashMap<[u32; 3], Vec<usize>>,
    ) -> Option<Evidence> {
        let is_other_question = |other: &Spoken<'_>| spoken.question.is_empty() || spoken.question != other.question;
        // Texts that are alike share so many trigrams that one of those that are left over without them is shared, too: the rarest
        // of them lead to every text that can be alike, and what all answers begin with leads to none.
        let held = |trigram: &[u32; 3]| holders.get(trigram).map_or(&[][..], Vec::as_slice);
        let mut rarest: Vec<&[u32; 3]> = spoken.trigrams.iter().collect();
        rarest.sort_unstable_by_key(|trigram| (held(trigram).len(), **trigram));
        let all = spoken.trigrams.len();
        let fewest = (1..all).find(|shared| *shared as f64 >= self.alike * all as f64).unwrap_or(all);
        rarest.truncate(all + 1 - fewest);
        let mut near: Vec<usize> = rarest.into_iter().flat_map(held).copied().collect();
        near.sort_unstable();
        near.dedup();
        let whole = |text: &TalkText| text.reading.origin(0, text.reading.tokens.len().saturating_sub(1));
        let same = near.into_iter().find(|holder| {
            let other = &earlier[*holder];
            let shared = spoken.trigrams.iter().filter(|trigram| other.trigrams.contains(*trigram)).count();
            probare_cancellation::steps(1);
            let all = spoken.trigrams.len() + other.trigrams.len() - shared;
            shared as f64 >= self.alike * all as f64 && is_other_question(other)
        });
        if let Some(holder) = same {
            let other = earlier[holder].text;
            let piece = spoken.text.evidence(case, EvidenceKind::Found, whole(spoken.text));
            return Some(piece.with_support(other.place(whole(other))));
        }
        let known: Vec<(&Range<usize>, &FirstSaid)> = spoken
            .sentences
            .iter()
            .filter_map(|(sentence, tokens)| Some((tokens, said.get(sentence)?)))
            .filter(|(_, (holder, _))| is_other_question(&earlier[*holder]))
            .collect();
        let (tokens, (holder, there)) = *known.first()?;
        (known.len() as f64 >= self.share * spoken.sentences.len() as f64).then(|| {
            let other = earlier[*holder].text;
            let here = spoken.text.reading.origin(tokens.start, tokens.end - 1);
            let place = other.place(other.reading.origin(there.start, there.end - 1));
            let count = known.len();
            spoken
                .text
                .evidence(case, EvidenceKind::Found, here)
                .with_support(place)
                .with_note(format!("{count} of {} longer sentences were said before", spoken.sentences.len()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::case;
    use super::*;

    const ADVICE: &str = "Please restart the router and wait two full minutes.";

    /// A conversation of these words, the user first.
    fn talk(texts: &[&str]) -> Case {
        let said = texts.iter().enumerate().map(|(number, text)| {
            serde_json::json!({"role": if number % 2 == 0 { "user" } else { "assistant" }, "text": text})
        });
        case(&serde_json::json!({"id": "a", "messages": said.collect::<Vec<_>>()}).to_string())
    }

    fn score(case: &Case) -> Option<Score> {
        RepeatsItself::default().score(Sample::of(case)).unwrap().score().cloned()
    }

    #[test]
    fn a_text_that_was_said_before_is_repeated_and_both_places_are_named() {
        let case = talk(&["It is slow.", ADVICE, "Still slow.", ADVICE]);
        let score = score(&case).unwrap();
        assert_eq!(
            (score.value.get(), score.parts.get("texts"), score.parts.get("repeated")),
            (0.0, Some(1.0), Some(1.0))
        );
        let piece = &score.evidence[0];
        let (place, support) = (piece.place.as_ref().unwrap(), piece.support.as_ref().unwrap());
        assert_eq!((piece.kind, place.index, support.index), (EvidenceKind::Found, Some(3), Some(1)));
        assert_eq!(case.words_at(place).as_deref(), Some(ADVICE));
        assert_eq!(case.words_at(support).as_deref(), Some(ADVICE));
    }

    #[test]
    fn sentences_of_before_among_a_few_new_ones_are_named_by_themselves() {
        let more = format!("I see. {ADVICE} That is all that I can say about it today.");
        let case = talk(&["It is slow.", &format!("{ADVICE} Thank you."), "Still slow.", &more]);
        let options = RepeatsItself { share: 0.5, ..RepeatsItself::default() };
        let outcome = options.score(Sample::of(&case)).unwrap();
        let piece = &outcome.score().unwrap().evidence[0];
        assert_eq!(case.words_at(piece.place.as_ref().unwrap()).as_deref(), Some(ADVICE));
        assert_eq!(piece.note.as_deref(), Some("1 of 2 longer sentences were said before"));
    }

    #[test]
    fn one_opening_of_many_answers_is_no_repetition_and_a_near_copy_is_found_among_them() {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        let answer = |at: usize| {
            let (own, other) = (&letters[at..=at], &letters[25 - at..26 - at]);
            format!(
                "Thank you for your question about our house, {own}one {other}two {own}three {other}four {own}five {other}six."
            )
        };
        let mut texts: Vec<String> = Vec::new();
        for at in 0..20 {
            texts.extend([format!("Question {at}?"), answer(at)]);
        }
        // One word at the end is another one: 12 of 13 trigrams are shared.
        texts.extend(["And then?".to_owned(), answer(7).replace("ssix", "seven")]);
        let case = talk(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let score = score(&case).unwrap();
        assert_eq!((score.parts.get("texts"), score.parts.get("repeated")), (Some(20.0), Some(1.0)));
        let piece = &score.evidence[0];
        assert_eq!(piece.place.as_ref().unwrap().index, Some(41));
        assert_eq!(piece.support.as_ref().unwrap().index, Some(15));
    }

    #[test]
    fn something_else_is_no_repetition_nor_is_what_the_user_asked_for() {
        let other = "The fault is in the cable between the wall and the box.";
        for texts in [
            ["It is slow.", ADVICE, "Still slow.", other],
            ["It is slow.", ADVICE, "Can you repeat that?", ADVICE],
            ["What shall I do?", ADVICE, "What shall I do?", ADVICE],
        ] {
            let score = score(&talk(&texts)).unwrap();
            assert_eq!((score.value.get(), score.evidence.len()), (1.0, 0), "{texts:?}");
        }
    }

    #[test]
    fn short_texts_single_turns_and_cases_without_messages_are_not_judged() {
        assert!(score(&talk(&["Hi.", "Hello there.", "Hi.", "Hello there."])).is_none());
        assert!(score(&talk(&["It is slow.", ADVICE])).is_none());
        assert!(score(&Case::default()).is_none());
        assert!(RepeatsItself { alike: 0.0, share: 0.5 }.checked().is_err());
    }
}
