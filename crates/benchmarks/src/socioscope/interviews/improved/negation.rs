//! How far a negation reaches.
//!
//! A word that denies reaches to the right, until the clause ends or turns (`but`, `although`, `because`); a determiner
//! reaches over its noun phrase only, so that in `no work in winter` winter is not denied. A comma ends the reach unless a
//! list goes on behind it. What is said of a subject reaches back to it: `the grant was refused`.

use probare_english::lexicon::{LexicalRole, LexicalRoles, expression_length, lexical_roles, word_lemma};
use probare_english::text_analysis::{ClauseGap, Denial, denial, denies_by_meaning};

use super::former::deny_former;
use super::words::{SpokenWord, is_determiner, is_linking, joined_form};

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
    let query = query.map(super::words::spoken_words).unwrap_or_default();
    let is_asked = |word: &str| query.iter().any(|queried| queried.form == word);
    let asks_for_hindrance = query.iter().any(|queried| lexical_roles(&queried.form).has(LexicalRole::Hindrance))
        || (is_asked("from") && (is_asked("kept") || is_asked("keep")));
    for at in 0..words.len() {
        let Some((length, kind)) = denial_at(words, at)
            .or_else(|| {
                let near =
                    |ahead: isize| words.get(at.wrapping_add_signed(ahead)).map_or("", |word| word.form.as_str());
                let excluding = word_lemma(LexicalRole::Denial, &words[at].form);
                let excludes = excluding.is_some()
                    && denies_by_meaning(near)
                    && !query.iter().any(|queried| excluding == word_lemma(LexicalRole::Denial, &queried.form));
                (!asks_for_hindrance && excludes).then_some((1, Denial::Clause))
            })
            .or_else(|| {
                let length = ending_at(words, at, starts_value)?;
                let is_asked_for = words[at..at + length].iter().any(|word| is_asked(&word.form));
                (!asks_for_hindrance && !is_asked_for).then_some((length, Denial::Clause))
            })
        else {
            continue;
        };
        let name: Vec<&str> = words[at..at + length].iter().map(|word| word.form.as_str()).collect();
        let name = name.join(" ");
        let end = denial_end(words, at + length, kind, starts_value);
        for slot in &mut denied[at + length..end] {
            slot.get_or_insert_with(|| name.clone());
        }
    }
    if !asks_for_hindrance {
        deny_subjects(words, starts_value, &query, &mut denied);
        deny_former(words, starts_value, &query, &mut denied);
    }
    denied
}

/// How many words say that a value behind them came to its end: `gave up barley`, `stopped growing the wheat`.
fn ending_at(words: &[SpokenWord], at: usize, starts_value: &dyn Fn(usize) -> bool) -> Option<usize> {
    let form = |at: usize| words.get(at).map_or("", |word| word.form.as_str());
    let is_stop = lexical_roles(form(at)).has(LexicalRole::Stopping);
    let length = expression_length(LexicalRole::Ending, |ahead| form(at + ahead)).or(is_stop.then_some(1))?;
    let verb = usize::from(form(at + length).ends_with("ing"));
    let behind = at + length + verb;
    let determiner = usize::from(is_determiner(form(behind)));
    starts_value(behind + determiner).then_some(length + verb)
}

/// How many words make up the denial that starts here, and what it denies.
fn denial_at(words: &[SpokenWord], at: usize) -> Option<(usize, Denial)> {
    if words[at].form == "against" {
        let start = at.saturating_sub(4);
        let warns = words[start..at].iter().any(|word| lexical_roles(&word.form).has(LexicalRole::Warning));
        return warns.then_some((1, Denial::Clause));
    }
    denial(|ahead| joined_form(words, at, ahead))
}

/// One past the last word that a denial reaches.
fn denial_end(words: &[SpokenWord], start: usize, kind: Denial, starts_value: &dyn Fn(usize) -> bool) -> usize {
    let limit = words.len().min(start + REACH);
    for at in start..limit {
        let roles = lexical_roles(&words[at].form);
        let goes_on = match words[at].gap {
            ClauseGap::Nothing => true,
            ClauseGap::Comma => at > start && list_goes_on(words, at),
            ClauseGap::Clause | ClauseGap::Question => false,
        };
        if !goes_on
            || roles.has(LexicalRole::Turning)
            || at > start && roles.has(LexicalRole::Reason)
            || kind == Denial::Noun && roles.has(LexicalRole::NounEnd)
        {
            return at;
        }
        // `and` goes on with another value, or with another clause.
        let behind = at + 1 + usize::from(words.get(at + 1).is_some_and(|word| is_determiner(&word.form)));
        if words[at].form == "and" && at > start && !starts_value(behind) {
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
            ClauseGap::Clause | ClauseGap::Question if since_comma > 0 => return false,
            ClauseGap::Comma => since_comma = 0,
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
        let next = words.get(at + 1).filter(|next| next.gap == ClauseGap::Nothing).map(|next| next.form.as_str());
        let after = words.get(at + 2).filter(|after| after.gap == ClauseGap::Nothing).map(|after| after.form.as_str());
        let roles = lexical_roles(word);
        let is_copula = roles.has(LexicalRole::Copula);
        let is_be = is_copula && !roles.has(LexicalRole::Contraction) || word == "got";
        let is_gone = |word: &&str| {
            lexical_roles(word).has_any(LexicalRoles::GONE) && !query.iter().any(|queried| queried.form == *word)
        };
        let is_named = |word: Option<&str>| word.is_none_or(|word| lexical_roles(word).has(LexicalRole::SubjectDenial));
        let by = if is_copula && roles.has(LexicalRole::Contraction) {
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
            if words[back].gap >= ClauseGap::Clause {
                break;
            }
            let links = is_linking(&words[before].form);
            if !links && !starts_value(before) {
                break;
            }
            if !links {
                denied[before].get_or_insert_with(|| by.to_owned());
            }
            back = before;
        }
    }
}

/// Where everything is named with exceptions: the word that says so.
pub(super) fn universal_with_exception(words: &[SpokenWord]) -> Option<usize> {
    let exception = words.iter().position(|word| lexical_roles(&word.form).has(LexicalRole::Omission))?;
    let start = words[..=exception].iter().rposition(|word| word.gap >= ClauseGap::Clause).unwrap_or(0);
    (start..exception).find(|at| lexical_roles(&words[*at].form).has(LexicalRole::Universal))
}

#[cfg(test)]
mod tests {
    use super::super::words::spoken_words;
    use super::*;

    /// The words of `text` that are denied, where the values are those in `values`.
    fn denied(text: &str, values: &[&str], query: Option<&str>) -> Vec<String> {
        let words = spoken_words(text);
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
    fn what_came_to_its_end_is_denied() {
        let values = ["wheat", "barley", "work"];
        for (text, expected) in [
            ("They stopped growing barley and now have wheat.", vec!["barley"]),
            ("They gave up the barley; they grow wheat.", vec!["barley"]),
            ("They stopped for wheat.", vec![]),
            ("Work stopped when barley was sown.", vec![]),
        ] {
            assert_eq!(denied(text, &values, None), expected, "{text}");
        }
        let query = Some("What did they stop growing, or what had they stopped?");
        assert_eq!(denied("They stopped growing barley.", &values, query), Vec::<String>::new());
    }

    #[test]
    fn everything_with_exceptions() {
        assert_eq!(universal_with_exception(&spoken_words("Everywhere except Norway")), Some(0));
        assert_eq!(universal_with_exception(&spoken_words("all of it. Never except then")), None);
    }
}
