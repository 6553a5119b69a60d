//! How far a negation reaches.
//!
//! A word that denies reaches to the right, until the clause ends or turns (`but`, `although`, `because`); a determiner
//! reaches over its noun phrase only, so that in `no work in winter` winter is not denied. A comma ends the reach unless a
//! list goes on behind it. What is said of a subject reaches back to it: `the grant was refused`.

use probare_nlp::lexicon::{Sort, Sorts, lemma, sorts};
use probare_nlp::reading::{Denial, denial, denies_by_meaning};

use super::words::{Gap, SpokenWord};

/// What follows `was not` where the subject itself is denied; elsewhere something is said about it: `wages had not risen`.
const NAMED: [&str; 18] = [
    "mentioned",
    "named",
    "discussed",
    "raised",
    "listed",
    "included",
    "involved",
    "considered",
    "used",
    "chosen",
    "selected",
    "a",
    "an",
    "the",
    "one",
    "among",
    "there",
    "present",
];

/// Words that end the noun phrase behind `no`.
const BEHIND_NOUN: [&str; 17] = [
    "in", "on", "at", "during", "from", "with", "by", "to", "after", "before", "when", "where", "that", "which", "who",
    "and", "than",
];

/// Most words that a negation reaches over.
const REACH: usize = 14;

/// What denies each word; empty where nothing does. `starts_value` says whether a value starts at a word, `query` is what
/// was asked: a verb of the question denies nothing, and where it asks for reasons or hindrances, what lacks or was
/// refused is one.
pub(super) fn denials(
    words: &[SpokenWord],
    starts_value: &dyn Fn(usize) -> bool,
    query: Option<&str>,
) -> Vec<Option<String>> {
    let mut denied: Vec<Option<String>> = vec![None; words.len()];
    let query = query.map(super::words::words).unwrap_or_default();
    let is_asked = |word: &str| query.iter().any(|asked| asked.form == word);
    let asks_for_hindrance = query.iter().any(|asked| sorts(&asked.form).has(Sort::Hindrance))
        || (is_asked("from") && (is_asked("kept") || is_asked("keep")));
    for at in 0..words.len() {
        let Some((length, kind)) = denial_at(words, at).or_else(|| {
            let near = |ahead: isize| words.get(at.wrapping_add_signed(ahead)).map_or("", |word| word.form.as_str());
            let excluding = verb(&words[at].form);
            let excludes = excluding.is_some()
                && denies_by_meaning(near)
                && !query.iter().any(|asked| excluding == verb(&asked.form));
            (!asks_for_hindrance && excludes).then_some((1, Denial::Clause))
        }) else {
            continue;
        };
        let name: Vec<&str> = words[at..at + length].iter().map(|word| word.form.as_str()).collect();
        let name = name.join(" ");
        let end = reach(words, at + length, kind, starts_value);
        for slot in &mut denied[at + length..end] {
            slot.get_or_insert_with(|| name.clone());
        }
    }
    if !asks_for_hindrance {
        deny_subjects(words, starts_value, &query, &mut denied);
    }
    denied
}

/// The plain form of a verb that denies.
fn verb(form: &str) -> Option<&'static str> {
    lemma(Sort::Denial, |ahead| if ahead == 0 { form } else { "" })
}

/// How many words make up the denial that starts here, and what it denies.
fn denial_at(words: &[SpokenWord], at: usize) -> Option<(usize, Denial)> {
    if words[at].form == "against" {
        let start = at.saturating_sub(4);
        let warns = words[start..at].iter().any(|word| sorts(&word.form).has(Sort::Warning));
        return warns.then_some((1, Denial::Clause));
    }
    denial(|ahead| {
        let is_near =
            words.get(at + 1..=at + ahead).is_some_and(|words| words.iter().all(|word| word.gap == Gap::None));
        if ahead == 0 || is_near { words[at + ahead].form.as_str() } else { "" }
    })
}

/// One past the last word that a denial reaches.
fn reach(words: &[SpokenWord], start: usize, kind: Denial, starts_value: &dyn Fn(usize) -> bool) -> usize {
    let limit = words.len().min(start + REACH);
    for at in start..limit {
        let word = words[at].form.as_str();
        let goes_on = match words[at].gap {
            Gap::None => true,
            Gap::Comma => at > start && list_goes_on(words, at),
            Gap::Clause | Gap::Question => false,
        };
        if !goes_on || sorts(word).has(Sort::Turning) {
            return at;
        }
        if at > start && matches!(word, "because" | "since" | "as") {
            return at;
        }
        if kind == Denial::Noun && BEHIND_NOUN.contains(&word) {
            return at;
        }
        // `and` goes on with another value, or with another clause.
        let behind = at + 1 + usize::from(words.get(at + 1).is_some_and(|word| is_determiner(&word.form)));
        if word == "and" && at > start && !starts_value(behind) {
            return at;
        }
    }
    limit
}

/// Whether the words behind a comma go on with a list: a few of them, then `or` or `nor`.
fn list_goes_on(words: &[SpokenWord], comma: usize) -> bool {
    let mut since_comma = 0;
    for word in &words[comma..] {
        match word.gap {
            Gap::Clause | Gap::Question if since_comma > 0 => return false,
            Gap::Comma => since_comma = 0,
            _ => {}
        }
        if matches!(word.form.as_str(), "or" | "nor") {
            return true;
        }
        since_comma += 1;
        if since_comma > 3 {
            return false;
        }
    }
    false
}

/// Denies the subjects of `was not …` and of what is no more.
fn deny_subjects(
    words: &[SpokenWord],
    starts_value: &dyn Fn(usize) -> bool,
    query: &[SpokenWord],
    denied: &mut [Option<String>],
) {
    for at in 0..words.len() {
        let word = words[at].form.as_str();
        let next = words.get(at + 1).filter(|next| next.gap == Gap::None).map(|next| next.form.as_str());
        let after = words.get(at + 2).filter(|after| after.gap == Gap::None).map(|after| after.form.as_str());
        let is_be = (sorts(word).has(Sort::Copula) && !sorts(word).has(Sort::Contraction)) || word == "got";
        let is_gone = |word: &&str| sorts(word).has_any(Sorts::GONE) && !query.iter().any(|asked| asked.form == *word);
        let is_named = |word: Option<&str>| word.is_none_or(|word| NAMED.contains(&word));
        let by = if sorts(word).has(Sort::Copula) && sorts(word).has(Sort::Contraction) {
            is_named(next).then_some(word)
        } else if is_be && matches!(next, Some("never" | "not")) {
            next.filter(|_| is_named(after))
        } else if is_be {
            [next, after].into_iter().flatten().find(is_gone)
        } else {
            None
        };
        let Some(by) = by else { continue };
        let mut back = at;
        while let Some(before) = back.checked_sub(1) {
            if words[back].gap >= Gap::Clause {
                break;
            }
            let is_linking =
                matches!(words[before].form.as_str(), "and" | "or" | "both") || is_determiner(&words[before].form);
            if !is_linking && !starts_value(before) {
                break;
            }
            if !is_linking {
                denied[before].get_or_insert_with(|| by.to_owned());
            }
            back = before;
        }
    }
}

fn is_determiner(word: &str) -> bool {
    matches!(word, "a" | "an" | "the" | "any" | "some" | "his" | "her" | "their" | "our" | "its" | "my" | "in" | "of")
}

/// Where everything is named with exceptions: the word that says so.
pub(super) fn universal(words: &[SpokenWord]) -> Option<usize> {
    let exception = words.iter().position(|word| matches!(word.form.as_str(), "except" | "excluding" | "excepting"))?;
    let start = words[..=exception].iter().rposition(|word| word.gap >= Gap::Clause).unwrap_or(0);
    (start..exception).find(|at| sorts(&words[*at].form).has(Sort::Universal))
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    /// The words of `text` that are denied, where the values are those in `values`.
    fn denied(text: &str, values: &[&str], query: Option<&str>) -> Vec<String> {
        let words = words(text);
        let starts = |at: usize| words.get(at).is_some_and(|word| values.contains(&word.form.as_str()));
        let found = denials(&words, &starts, query);
        words
            .iter()
            .zip(found)
            .filter(|(word, denied)| denied.is_some() && values.contains(&word.form.as_str()))
            .map(|(word, _)| word.form.clone())
            .collect()
    }

    #[test]
    fn denials_reach_to_the_end_of_their_clause() {
        let values = ["funding", "permits", "car", "bicycle", "winter", "work", "savings", "pension", "noise"];
        for (text, expected) in [
            ("Nobody talked about funding or permits.", vec!["funding", "permits"]),
            ("There was no funding or permits problem; work was", vec!["funding", "permits"]),
            ("She does not drive a car; she rides a bicycle", vec!["car"]),
            ("She does not drive a car and rides a bicycle", vec!["car"]),
            ("There is no work in the winter months", vec!["work"]),
            ("In summer, not in winter", vec!["winter"]),
            ("a pension but no savings", vec!["savings"]),
            ("not only a car but also a bicycle", vec![]),
            ("no funding, permits or work", vec!["funding", "permits", "work"]),
            ("work instead of winter", vec!["winter"]),
            ("No, funding", vec![]),
            ("No doubt funding", vec![]),
            ("Yes, but not because of noise or work; funding", vec!["noise", "work"]),
            ("not afraid, just full of noise", vec![]),
        ] {
            assert_eq!(denied(text, &values, None), expected, "{text}");
        }
    }

    #[test]
    fn what_is_said_of_a_subject_reaches_back() {
        let values = ["grant", "sheep", "goats", "wages"];
        assert_eq!(denied("With a loan; the grant was refused.", &values, None), ["grant"]);
        assert_eq!(denied("goats, since the sheep were sold", &values, None), ["sheep"]);
        assert_eq!(denied("the sheep and the goats were not mentioned", &values, None), ["sheep", "goats"]);
        assert_eq!(denied("wages had not risen", &values, None), Vec::<String>::new());
        assert_eq!(denied("the grant was refused", &values, Some("What was refused?")), Vec::<String>::new());
    }

    #[test]
    fn everything_with_exceptions() {
        assert_eq!(universal(&words("Everywhere except Norway")), Some(0));
        assert_eq!(universal(&words("all of it. Never except then")), None);
    }
}
