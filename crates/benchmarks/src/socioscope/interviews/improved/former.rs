//! What an answer names and says is no more: `we used to have barley`, `wheat replaced barley`, `letters no longer`.
//!
//! Each form has its slot: an adverb of the past takes its clause, `used to` what follows, a replacement what was replaced, an
//! end its subject. Asked about the past, what was so is the answer.

use probare_english::lexicon::{LexicalRole, expression_length, lexical_roles};
use probare_english::text_analysis::ClauseGap;

use super::words::{SpokenWord, is_determiner, is_linking, joined_form};

/// Most words between a form and the value that it takes.
const REACH: usize = 14;

/// The words of an answer with the values in it.
struct FormerReader<'a> {
    words: &'a [SpokenWord],
    starts_value: &'a dyn Fn(usize) -> bool,
    query: &'a [SpokenWord],
    denied: &'a mut [Option<String>],
}

/// Denies what the answer says is no more.
pub(super) fn deny_former(
    words: &[SpokenWord],
    starts_value: &dyn Fn(usize) -> bool,
    query: &[SpokenWord],
    denied: &mut [Option<String>],
) {
    let asks_for_past = query.iter().any(|word| lexical_roles(&word.form).has(LexicalRole::PastQuestion));
    let mut reader = FormerReader { words, starts_value, query, denied };
    for at in 0..words.len() {
        if !asks_for_past {
            reader.read_adverb(at);
        }
        reader.read_replacement(at);
        reader.read_switch(at);
        reader.read_end_of_subject(at);
        reader.read_no_longer(at);
    }
}

impl FormerReader<'_> {
    fn form(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.form.as_str())
    }

    /// Whether a word has a role.
    fn has_role(&self, at: usize, role: LexicalRole) -> bool {
        lexical_roles(self.form(at)).has(role)
    }

    /// How many words the expression of a role takes that stands here.
    fn expression_length(&self, at: usize, role: LexicalRole) -> Option<usize> {
        expression_length(role, |ahead| joined_form(self.words, at, ahead))
    }

    /// Whether these words stand here, with nothing between them.
    fn is_at(&self, at: usize, expected: &[&str]) -> bool {
        expected.iter().enumerate().all(|(ahead, expected)| {
            self.form(at + ahead) == *expected && (ahead == 0 || self.words[at + ahead].gap == ClauseGap::Nothing)
        })
    }

    fn is_asked(&self, form: &str) -> bool {
        self.query.iter().any(|word| word.form == form)
    }

    /// Whether something in the clause before a word denies what it says: `nothing has replaced`, `have not disappeared`.
    fn is_denied(&self, at: usize) -> bool {
        self.denied[at].is_some() || {
            let start = self.clause_start(at);
            self.words[start..at].iter().any(|word| {
                let known = lexical_roles(&word.form);
                known.has(LexicalRole::Negation) || known.has(LexicalRole::Contraction)
            })
        }
    }

    fn clause_start(&self, at: usize) -> usize {
        let is_start = |at: &usize| self.words[*at].gap >= ClauseGap::Comma || self.has_role(*at, LexicalRole::Present);
        (at.saturating_sub(REACH)..=at).rev().find(is_start).unwrap_or(at.saturating_sub(REACH))
    }

    /// One past the last word of the clause that goes on here: up to the next that tells of the present, or a comma.
    fn clause_end(&self, start: usize) -> usize {
        let limit = self.words.len().min(start + REACH);
        let is_end = |at: &usize| match self.words[*at].gap {
            ClauseGap::Clause | ClauseGap::Question | ClauseGap::Comma => true,
            ClauseGap::Nothing => self.has_role(*at, LexicalRole::Present) || self.has_role(*at, LexicalRole::Turning),
        };
        (start + 1..limit).find(is_end).unwrap_or(limit)
    }

    fn deny(&mut self, range: std::ops::Range<usize>, by: &str) {
        for slot in &mut self.denied[range] {
            slot.get_or_insert_with(|| by.to_owned());
        }
    }

    /// Denies the values right before a word, with what links them.
    fn deny_back(&mut self, at: usize, by: &str) {
        let mut back = at;
        while let Some(before) = back.checked_sub(1) {
            let is_value = (self.starts_value)(before);
            if back < at && self.words[back].gap >= ClauseGap::Clause || !is_linking(self.form(before)) && !is_value {
                break;
            }
            if is_value {
                self.deny(before..back, by);
            }
            back = before;
        }
    }

    /// `used to have X`; `formerly X`, `in the past`, `back then` with their clause.
    fn read_adverb(&mut self, at: usize) {
        if let Some(length) = self.expression_length(at, LexicalRole::Past) {
            let (start, end) = (self.clause_start(at), self.clause_end(at + length - 1));
            if self.is_wide(start..end) {
                self.deny(start..end, &join(&self.words[at..at + length]));
            }
        } else if self.is_at(at, &["used", "to"]) {
            let before = at.checked_sub(1).map_or("", |before| self.form(before));
            let is_accustomed = lexical_roles(before).has(LexicalRole::Copula)
                || matches!(before, "get" | "got" | "gets" | "getting" | "become" | "became");
            let end = self.clause_end(at + 1);
            if !is_accustomed && self.is_wide(at + 2..end) {
                self.deny(at + 2..end, "used to");
            }
        }
    }

    /// Whether the clause speaks of all there was: `only` says that more came, `still` that it stayed.
    fn is_wide(&self, clause: std::ops::Range<usize>) -> bool {
        self.words.get(clause).is_some_and(|words| {
            !words.iter().any(|word| matches!(word.form.as_str(), "only" | "just" | "still" | "also"))
        })
    }

    /// `X replaced Y`, `Y was replaced by X`, `X took the place of Y`.
    fn read_replacement(&mut self, at: usize) {
        let length = match self.form(at) {
            "took" | "takes" | "taking" | "taken" if self.is_at(at + 1, &["the", "place", "of"]) => 4,
            "took" | "takes" | "taking" | "taken" if self.is_at(at + 1, &["over", "from"]) => 3,
            _ if self.has_role(at, LexicalRole::Replacing) => 1,
            _ => return,
        };
        if self.is_asked(self.form(at)) {
            return;
        }
        let is_denied = self.is_denied(at);
        let name = join(&self.words[at..at + length]);
        let is_active_form = self.form(at).ends_with("ing");
        let is_passive = length == 1
            && !is_active_form
            && at.checked_sub(1).is_some_and(|before| self.has_role(before, LexicalRole::Copula));
        if is_passive {
            if !is_denied {
                self.deny_back(self.before_auxiliaries(at), &name);
            }
            return;
        }
        let start = at + length;
        let end = self.clause_end(start.min(self.words.len())).max(start).min(self.words.len());
        let is_behind =
            |at: &usize| matches!(self.form(*at), "with" | "by" | "in" | "as" | "when" | "because" | "for" | "on");
        let end = (start..end).find(is_behind).unwrap_or(end);
        // `and` goes on with another value, or with another clause.
        let end = (start + 1..end)
            .find(|at| {
                let behind = at + 1 + usize::from(is_determiner(self.form(at + 1)));
                self.form(*at) == "and" && !(self.starts_value)(behind)
            })
            .unwrap_or(end);
        if is_denied {
            // What nothing has replaced is there.
            self.denied[start..end].fill(None);
        } else {
            self.deny(start..end, &name);
        }
    }

    /// `switched from X to Y`.
    fn read_switch(&mut self, at: usize) {
        if !self.has_role(at, LexicalRole::Switching) || self.is_asked(self.form(at)) || self.is_denied(at) {
            return;
        }
        let from = at + 1 + usize::from(matches!(self.form(at + 1), "over" | "away" | "on"));
        if self.form(from) != "from" {
            return;
        }
        let limit = self.clause_end(from);
        if let Some(to) = (from + 1..limit).find(|at| matches!(self.form(*at), "to" | "into" | "towards")) {
            let name = join(&self.words[at..=from]);
            self.deny(from + 1..to, &name);
        } else if self.form(at + 1) == "away" {
            self.deny(from + 1..limit, "away from");
        }
    }

    /// `X gave way to Y`, `X has died out`, `X is gone`.
    fn read_end_of_subject(&mut self, at: usize) {
        let needing_auxiliary = self.expression_length(at, LexicalRole::Vanished);
        let Some(length) = needing_auxiliary.or_else(|| self.expression_length(at, LexicalRole::Vanishing)) else {
            return;
        };
        let end = &self.words[at..at + length];
        let subject_end = self.before_auxiliaries(at);
        if needing_auxiliary.is_some() && subject_end == at
            || end.iter().any(|word| self.is_asked(&word.form) && word.form != "a")
        {
            return;
        }
        if !self.is_denied(at) {
            self.deny_back(subject_end, &join(end));
        }
    }

    /// `X not any more`, `X no longer`; `X is no longer grown`, `X isn't kept anymore`.
    fn read_no_longer(&mut self, at: usize) {
        if let Some(length) = self.expression_length(at, LexicalRole::NoLonger) {
            let behind = at + length;
            let is_last = self.words.get(behind).is_none_or(|word| word.gap >= ClauseGap::Comma)
                || matches!(self.form(behind), "and" | "but");
            let is_of_subject = at.checked_sub(1).is_some_and(|before| self.has_role(before, LexicalRole::Copula))
                && self.has_role(behind, LexicalRole::Lasting);
            if is_last || is_of_subject {
                let subject_end = self.before_auxiliaries(at);
                self.deny_back(subject_end, &join(&self.words[at..behind]));
            }
        }
        let is_not = self.has_role(at, LexicalRole::Copula)
            && (self.has_role(at, LexicalRole::Contraction) || self.form(at + 1) == "not");
        if is_not {
            let behind = at + 1 + usize::from(self.form(at + 1) == "not");
            if self.has_role(behind, LexicalRole::Lasting) {
                self.deny_back(at, "not");
            }
        }
    }

    /// Where the forms of *be* and *have* before a word begin.
    fn before_auxiliaries(&self, at: usize) -> usize {
        let is_auxiliary = |at: usize| {
            self.words[at].gap == ClauseGap::Nothing
                && (self.has_role(at, LexicalRole::Copula)
                    || matches!(self.form(at), "has" | "have" | "had" | "all" | "now" | "long" | "slowly"))
        };
        (0..at).rev().take_while(|at| is_auxiliary(*at)).last().unwrap_or(at)
    }
}

fn join(words: &[SpokenWord]) -> String {
    let forms: Vec<&str> = words.iter().map(|word| word.form.as_str()).collect();
    forms.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::negation::denials;
    use super::super::words::spoken_words;

    const VALUES: [&str; 18] = [
        "wheat", "barley", "rice", "maize", "sheep", "goats", "cows", "horses", "tractor", "wood", "gas", "radio",
        "letters", "phone", "boats", "nets", "funding", "permits",
    ];

    /// The values in `text` that the answer does not assert.
    fn denied(text: &str, query: Option<&str>) -> Vec<String> {
        let words = spoken_words(text);
        let starts = |at: usize| words.get(at).is_some_and(|word| VALUES.contains(&word.form.as_str()));
        let found = denials(&words, &starts, query);
        let named = words.iter().zip(found).filter(|(word, _)| VALUES.contains(&word.form.as_str()));
        named.filter(|(_, denied)| denied.is_some()).map(|(word, _)| word.form.clone()).collect()
    }

    /// Written before the rules, from the idea alone.
    const NO_MORE: [(&str, &[&str]); 28] = [
        ("We used to have barley, now it is all wheat.", &["barley"]),
        ("They have wheat. Barley not any more.", &["barley"]),
        ("Wheat has replaced barley.", &["barley"]),
        ("Barley was replaced by wheat.", &["barley"]),
        ("My parents formerly kept goats; we have cows.", &["goats"]),
        ("We have cows and, in the past, goats.", &["goats"]),
        ("The sheep gave way to cows.", &["sheep"]),
        ("We switched from wood to gas.", &["wood"]),
        ("Letters are no longer written; people use the phone.", &["letters"]),
        ("Nobody keeps horses any more, everyone has a tractor.", &["horses"]),
        ("Goats, not any longer, but we do have sheep.", &["goats"]),
        ("The radio has disappeared, there is the phone.", &["radio"]),
        ("Rice took the place of maize.", &["maize"]),
        ("They replaced the horses with a tractor.", &["horses"]),
        ("Previously there were boats, today there are only nets.", &["boats"]),
        ("Back then they grew maize and barley, nowadays rice.", &["maize", "barley"]),
        ("Goats and sheep have been phased out in favour of cows.", &["goats", "sheep"]),
        ("People don't write letters anymore, they phone.", &["letters"]),
        ("We moved from barley to rice ten years ago.", &["barley"]),
        ("Horses are a thing of the past.", &["horses"]),
        ("There used to be nets; now boats.", &["nets"]),
        ("At one time we kept sheep.", &["sheep"]),
        ("The tractor replaced our horses and our cows.", &["horses", "cows"]),
        ("Gas is supplanting wood.", &["wood"]),
        ("Barley is not grown here anymore; rice is.", &["barley"]),
        ("We had goats in the past but now we have cows", &["goats"]),
        ("The horses are gone and we own a tractor.", &["horses"]),
        ("Maize no longer, rice yes.", &["maize"]),
    ];

    /// What looks alike and still holds, written with them.
    const STILL: [&str; 20] = [
        "Barley is used to feed the cows.",
        "We are used to wheat and rice.",
        "They used wood to heat, and gas.",
        "Nothing has replaced the horses.",
        "Wheat has not replaced barley.",
        "We used to have only sheep, now we have goats as well.",
        "They moved from the coast and keep goats.",
        "The sheep no longer need a fence.",
        "We still keep horses, as we used to.",
        "The horses have not disappeared.",
        "They replaced the fence and bought sheep.",
        "We changed the nets and the boats.",
        "From barley to rice, we grow everything.",
        "It used to rain more; we grow maize.",
        "The goats used to give more milk.",
        "They gave way to tourists and kept the boats.",
        "No more than two cows.",
        "Sheep stay outside until winter.",
        "Previously expensive, the phone is everywhere.",
        "We take turns: wheat, then barley.",
    ];

    /// Written after the rules, and not used to change them.
    const NO_MORE_HELD_OUT: [(&str, &[&str]); 10] = [
        ("Once there were boats, these days nobody fishes.", &["boats"]),
        ("The village has moved on from sheep to goats.", &["sheep"]),
        ("The phone has taken over from letters.", &["letters"]),
        ("Nets are no longer used.", &["nets"]),
        ("Our horses were replaced by a tractor in 1980.", &["horses"]),
        ("The radio isn't around anymore.", &["radio"]),
        ("Cows made way for sheep.", &["cows"]),
        ("In the past we kept goats and sheep.", &["goats", "sheep"]),
        ("They gave up maize; rice is what they grow.", &["maize"]),
        ("We had to get rid of the boats.", &["boats"]),
    ];

    const STILL_HELD_OUT: [&str; 7] = [
        "We got used to the radio.",
        "The boats are no longer safe, we still use them.",
        "No longer than a day by boats.",
        "Previously we had only barley, then wheat came.",
        "We changed to gas.",
        "The sheep moved from hill to hill.",
        "Nobody replaced the radio.",
    ];

    /// What the rules do not see.
    const MISSED: [&str; 3] = [
        "We have cows and, in the past, goats.",
        "Once there were boats, these days nobody fishes.",
        "We had to get rid of the boats.",
    ];

    #[test]
    fn what_is_no_more_is_not_named() {
        let all = NO_MORE.iter().chain(&NO_MORE_HELD_OUT);
        let missed: Vec<&str> =
            all.filter(|(text, expected)| denied(text, None) != *expected).map(|(text, _)| *text).collect();
        assert_eq!(missed, MISSED);
    }

    #[test]
    fn what_looks_alike_and_still_holds_is_named() {
        let wrong: Vec<&str> =
            STILL.iter().chain(&STILL_HELD_OUT).copied().filter(|text| !denied(text, None).is_empty()).collect();
        // `no longer` denies wherever it stands.
        assert_eq!(wrong, ["No longer than a day by boats."]);
    }

    #[test]
    fn asked_about_the_past_what_was_so_is_the_answer() {
        for (query, text, expected) in [
            ("What did your parents grow?", "They used to grow barley.", &[][..]),
            ("What was replaced by the tractor?", "The tractor replaced the horses.", &[]),
            ("What do you keep?", "We used to keep goats.", &["goats"]),
            ("What did they keep in the past?", "Formerly they kept goats.", &[]),
            ("What animals were there when you were young?", "There used to be sheep.", &[]),
            ("What has disappeared from the village?", "The horses have disappeared.", &[]),
        ] {
            assert_eq!(denied(text, Some(query)), expected, "{query} {text}");
        }
    }
}
