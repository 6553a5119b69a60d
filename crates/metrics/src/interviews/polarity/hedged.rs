//! Yes or no from the whole answer: hedged openings, short replies without either word, and statements.

use probare_text::stopwords;
use probare_text::wordnet::WordNet;

use probare_nlp::reading::{Sort, denial, is_contracted_denial, sorts};

use super::hedges::{EXPLAINING, FILLERS, HEDGES, MORE_NO, MORE_YES, PRONOUNS};
use super::phrases::{BOTH, NO_PHRASES, NO_WORDS, ONLY_ALONE, YES_PHRASES, YES_WORDS};
use super::{Polarity, Reading};
use crate::interviews::careful::{Gap, Word, words};

/// The polarity of a whole answer, with the question in view where there is one.
///
/// ```
/// use probare_metrics::interviews::polarity::{Polarity, hedged};
/// use probare_text::wordnet::WordNet;
///
/// let read = |text| hedged(text, None, WordNet::embedded()).polarity;
/// assert_eq!(read("Well, yes, although rarely."), Some(Polarity::Yes));
/// assert_eq!(read("No doubt they did."), Some(Polarity::Yes));
/// assert_eq!(read("He did not; an uncle taught him."), Some(Polarity::No));
/// assert_eq!(read("Maybe."), None);
/// ```
pub fn hedged(text: &str, query: Option<&str>, wordnet: &WordNet) -> Reading {
    let all = words(text);
    // An echo of the question says nothing: "Difficult? Absolutely."
    let echo = all.iter().skip(1).position(|word| word.gap == Gap::Question).map_or(0, |at| at + 1);
    let mut said = &all[echo..];
    if said.is_empty() {
        return Reading::undecided("nothing is said");
    }
    said = &said[introduction(said)..];
    for _ in 0..=FILLERS.len() {
        if let Some(reading) = opening(said) {
            return reading;
        }
        let skipped = filler(said);
        if skipped == 0 {
            break;
        }
        said = &said[skipped..];
    }
    if said.is_empty() || HEDGES.iter().any(|hedge| holds(said, hedge)) {
        return Reading::undecided("stays undecided");
    }
    closing(said).or_else(|| short_reply(said)).unwrap_or_else(|| statement(said, query, wordnet))
}

/// How many words `phrase` takes where `words` begin with it.
fn begins(words: &[Word], phrase: &str) -> Option<usize> {
    let length = phrase.split(' ').count();
    let start = words.get(..length)?;
    let same = start.iter().zip(phrase.split(' ')).all(|(word, wanted)| word.form == wanted);
    (same && start.iter().skip(1).all(|word| word.gap <= Gap::Comma)).then_some(length)
}

fn holds(words: &[Word], phrase: &str) -> bool {
    (0..words.len()).any(|at| begins(&words[at..], phrase).is_some())
}

/// The longest of these phrases with which `words` begin.
fn longest(words: &[Word], phrases: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| begins(words, phrase)).max()
}

/// "The short answer is" and the like.
fn introduction(words: &[Word]) -> usize {
    let at = words.iter().take(4).position(|word| word.form == "answer");
    match at {
        Some(at) if words.get(at + 1).is_some_and(|word| word.form == "is") => at + 2,
        Some(at) if begins(&words[at + 1..], "would be").is_some() => at + 3,
        _ => 0,
    }
}

/// A word with which answers open and that says nothing, or an adverb before a comma.
fn filler(words: &[Word]) -> usize {
    if let Some(length) = longest(words, &FILLERS) {
        return length;
    }
    let is_adverb = |word: &Word| word.form.len() > 4 && word.form.ends_with("ly");
    match words {
        [first, second, ..] if is_adverb(first) && second.gap == Gap::Comma => 1,
        _ => 0,
    }
}

/// What the opening words decide.
fn opening(words: &[Word]) -> Option<Reading> {
    if longest(words, &BOTH).is_some() {
        return Some(Reading::undecided("says both yes and no"));
    }
    let decided = |polarity, length: usize, why| {
        let span = words[0].span.start..words[length - 1].span.end;
        Some(Reading::decided(polarity, span, why))
    };
    let is_hedged = words.iter().take_while(|word| word.gap < Gap::Clause || word.span == words[0].span).count();
    if HEDGES.iter().any(|hedge| holds(&words[..is_hedged.min(words.len())], hedge)) {
        return Some(Reading::undecided("stays undecided"));
    }
    let yes = longest(words, &MORE_YES).max(longest(words, &YES_PHRASES));
    let no = longest(words, &MORE_NO).max(longest(words, &NO_PHRASES).filter(|length| {
        // A lone "not" or "never" denies what follows it; that is for the statement to say, unless it stands alone.
        *length > 1 || words.get(1).is_none_or(|next| next.gap > Gap::None)
    }));
    match (yes, no) {
        (Some(yes), no) if Some(yes) > no => return decided(Polarity::Yes, yes, "by its opening words"),
        (_, Some(no)) => return decided(Polarity::No, no, "by its opening words"),
        _ => {}
    }
    let first = words.first()?;
    let is_alone = words.get(1).is_none_or(|next| next.gap > Gap::None);
    if ONLY_ALONE.contains(&first.form.as_str()) && words.len() > 1 {
        return None;
    }
    if YES_WORDS.contains(&first.form.as_str()) {
        return decided(Polarity::Yes, 1, "by its opening word");
    }
    // "No" right before a noun denies the noun, not the question: "No accidents were reported" still denies.
    if NO_WORDS.contains(&first.form.as_str()) {
        let why = if is_alone { "by its opening word" } else { "it opens with a denial" };
        return decided(Polarity::No, 1, why);
    }
    None
}

/// A yes or no at the very end: "…, so no."
fn closing(words: &[Word]) -> Option<Reading> {
    let start = words.iter().rposition(|word| word.gap > Gap::None)?;
    let last = &words[start..];
    let skipped = usize::from(last.first().is_some_and(|word| matches!(word.form.as_str(), "so" | "then" | "and")));
    let rest = &last[skipped..];
    let [word] = rest else { return None };
    let polarity = if word.form.len() > 1 && YES_WORDS.contains(&word.form.as_str()) {
        Polarity::Yes
    } else if word.form.len() > 1 && NO_WORDS.contains(&word.form.as_str()) {
        Polarity::No
    } else {
        return None;
    };
    // What follows a marker is the reason; here the reason came first, so there is no marker.
    Some(Reading { polarity: Some(polarity), marker: None, why: "by its last word" })
}

/// "He did", "They do not": a pronoun and a verb that takes up the question.
fn short_reply(words: &[Word]) -> Option<Reading> {
    let [pronoun, verb, rest @ ..] = words else { return None };
    if !PRONOUNS.contains(&pronoun.form.as_str()) || verb.gap > Gap::None {
        return None;
    }
    let span = |last: &Word| pronoun.span.start..last.span.end;
    let ends = |rest: &[Word]| rest.first().is_none_or(|word| word.gap > Gap::None);
    if is_contracted_denial(&verb.form) && ends(rest) {
        return Some(Reading::decided(Polarity::No, span(verb), "by a short reply"));
    }
    if !sorts(&verb.form).has(Sort::Helping) {
        return None;
    }
    match rest {
        [not, rest @ ..] if not.form == "not" && not.gap == Gap::None && ends(rest) => {
            Some(Reading::decided(Polarity::No, span(not), "by a short reply"))
        }
        _ if ends(rest) => Some(Reading::decided(Polarity::Yes, span(verb), "by a short reply")),
        _ => None,
    }
}

/// What a statement says about the question: it denies by a negation in its main clause or by the opposite of a word of
/// the question, and affirms otherwise.
fn statement(words: &[Word], query: Option<&str>, wordnet: &WordNet) -> Reading {
    let end = words.iter().skip(1).position(|word| word.gap >= Gap::Clause).map_or(words.len(), |at| at + 1);
    let clause = &words[..end];
    let end = clause
        .iter()
        .skip(2)
        .position(|word| EXPLAINING.contains(&word.form.as_str()) && word.form != "as")
        .map_or(clause.len(), |at| at + 2);
    let clause = &clause[..end];
    if clause.len() < 2 {
        return Reading::undecided("says neither yes nor no");
    }
    let next = |at: usize| clause.get(at + 1).map(|next| next.form.as_str());
    let negations = (0..clause.len()).filter(|&at| denial(&clause[at].form, next(at)).is_some()).count();
    let turned = query.is_some_and(|query| says_opposite(clause, query, wordnet));
    let denies = (negations + usize::from(turned)) % 2 == 1;
    let why = match (negations > 0, turned) {
        (_, true) => "it says the opposite of what was asked",
        (true, false) => "its statement denies",
        (false, false) => "its statement affirms",
    };
    Reading { polarity: Some(if denies { Polarity::No } else { Polarity::Yes }), marker: None, why }
}

/// Whether a word of the clause is the opposite of a word of the question that the clause does not take up.
fn says_opposite(clause: &[Word], query: &str, wordnet: &WordNet) -> bool {
    let asked = words(query);
    asked
        .iter()
        .filter(|word| word.form.len() > 2 && !stopwords::nltk().contains(&word.form))
        .filter(|word| !clause.iter().any(|said| said.form == word.form))
        .any(|word| {
            clause
                .iter()
                .filter(|said| said.form.len() > 2 && !stopwords::nltk().contains(&said.form))
                .any(|said| wordnet.is_antonym(&said.form, &word.form))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Polarity> {
        hedged(text, None, WordNet::embedded()).polarity
    }

    #[test]
    fn hedged_openings_still_decide() {
        for text in [
            "Well, yes",
            "Sadly, yes.",
            "No doubt they did",
            "It is true that they left",
            "Not only did he, he signed",
            "I would say so, yes.",
            "Difficult? Absolutely.",
            "He did, from twelve on",
            "The short answer is: ja",
            "To my knowledge, yes",
            "Nothing suggests otherwise: it was published",
            "There was one, in 2009.",
        ] {
            assert_eq!(read(text), Some(Polarity::Yes), "{text}");
        }
        for text in [
            "He did not; an uncle did",
            "They don't.",
            "It was never published",
            "I wouldn't say so",
            "Not yet.",
            "It closes in winter, so no.",
            "There weren't any accidents",
            "Hardly any of them leave",
            "Far from it",
            "They say nobody from the council ever asked them",
            "She has no plans to move",
            "No.",
            "Nej, de kun",
        ] {
            assert_eq!(read(text), Some(Polarity::No), "{text}");
        }
        for text in ["maybe", "Yes and no", "", "?", "It depends on the year", "The transcript does not say"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_opposite_of_the_question_denies() {
        let wordnet = WordNet::embedded();
        let reading = hedged("It has decreased a lot.", Some("Did the price increase?"), wordnet);
        assert_eq!(reading.polarity, Some(Polarity::No));
    }

    #[test]
    fn the_marker_ends_where_the_reason_begins() {
        let text = "Well, yes: it is tradition";
        let marker = hedged(text, None, WordNet::embedded()).marker.unwrap();
        assert_eq!(&text[marker], "yes");
    }
}
