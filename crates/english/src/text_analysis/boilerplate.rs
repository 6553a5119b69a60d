//! What a text says besides its matter: talk about the answer itself, formulas of politeness, declining.

use super::analysis::{AnalysisSentence, BoilerplateKind, TextAnalysis};
use crate::lexicon::{LexicalRole, LexicalRoles, lexical_roles};

/// What an answer may be announced as.
const ANSWER: LexicalRoles = LexicalRoles::from_roles(&[LexicalRole::Announced, LexicalRole::Document]);

/// Words of a sentence, from its first word on, without marks.
fn words<'r>(
    analysis: &'r TextAnalysis,
    sentence: &AnalysisSentence,
) -> impl Iterator<Item = (usize, &'r str)> + Clone + use<'r> {
    sentence.tokens.clone().filter(|&token| analysis.tokens[token].is_word).map(|token| (token, analysis.word(token)))
}

/// What a sentence is if it says nothing of the matter.
pub(super) fn boilerplate_kind(analysis: &TextAnalysis, sentence: &AnalysisSentence) -> Option<BoilerplateKind> {
    let all = words(analysis, sentence);
    let count = all.clone().count();
    if refusal_start(analysis, sentence).is_some() {
        return Some(BoilerplateKind::Refusal);
    }
    let mut opening = [""; 4];
    for (place, (_, word)) in opening.iter_mut().zip(all.clone()) {
        *place = word;
    }
    let ends_open = analysis.word(sentence.tokens.end - 1) == ":";
    let announces = || sentence.tokens.clone().any(|token| analysis.has_any_role(token, ANSWER));
    let offers = || sentence.tokens.clone().any(|token| analysis.has_role(token, LexicalRole::Offer));
    match opening {
        // "Here's a concise summary:" and "The answer, based on the passages, is as follows:"
        ["here's" | "here" | "below" | "following" | "these", ..] if ends_open && announces() => {
            Some(BoilerplateKind::AboutAnswer)
        }
        ["here's" | "here" | "below", ..] if count <= 8 && announces() => Some(BoilerplateKind::AboutAnswer),
        _ if is_courtesy(opening, count, ends_open, offers()) => Some(BoilerplateKind::Courtesy),
        _ if sentence.is_item() => None,
        // "It is important to note the following:"
        _ if ends_open && count <= 14 && all.clone().any(|(_, word)| matches!(word, "following" | "follows")) => {
            Some(BoilerplateKind::AboutAnswer)
        }
        _ => None,
    }
}

/// Whether a sentence of so many words that opens like this is a formula of politeness.
fn is_courtesy(opening: [&str; 4], count: usize, ends_open: bool, offers: bool) -> bool {
    match opening {
        ["sure" | "certainly" | "absolutely" | "ok" | "okay", ..] => count <= 2 || ends_open,
        ["i" | "we", "hope", "this" | "that" | "these" | "it", ..]
        | ["thank", "you", ..]
        | ["thanks", ..]
        | ["you're", "welcome", ..] => count <= 8,
        ["hope", "this" | "that" | "it", "helps", ..]
        | ["let", "me", "know", ..]
        | ["please", "let", "me", "know"]
        | ["feel", "free", "to", ..]
        | ["please", "feel", "free", "to"] => true,
        ["if", "you", "need" | "have", ..] => offers,
        ["i'm" | "i", "sorry" | "apologize" | "apologise", ..] | ["sorry" | "apologies", ..] => count <= 6,
        ["great" | "good", "question", ..] => count <= 5,
        _ => false,
    }
}

/// The token from which a sentence says that there is no answer: who answers cannot find, tell or know it, or the sources do not
/// say it.
pub(super) fn refusal_start(analysis: &TextAnalysis, sentence: &AnalysisSentence) -> Option<usize> {
    let tokens: Vec<usize> = words(analysis, sentence).map(|(token, _)| token).collect();
    let word = |at: usize| tokens.get(at).map_or("", |&token| analysis.word(token));
    let has = |at: usize, role: LexicalRole| tokens.get(at).is_some_and(|&token| analysis.has_role(token, role));
    let denies = |at: usize| tokens.get(at).is_some_and(|&token| analysis.has_any_role(token, LexicalRoles::DENYING));
    let length = tokens.len();
    let reach = length.min(40);
    let says_so = |at: usize| match word(at) {
        // "I couldn't find …", "I am unable to answer …", "I do not know"
        "i" | "we" | "i'm" | "i've" => (at + 1..at + 6).any(|later| {
            let denied = denies(later) || matches!(word(later), "unable" | "sorry");
            denied
                && (later + 1..later + 5).any(|verb| has(verb, LexicalRole::Answering) || word(verb) == "able")
                && !(later..later + 5).any(|other| matches!(word(other), "how" | "you"))
                // "I can't say whether …"
                || denied
                    && matches!(word(later + 1), "say" | "tell")
                    && matches!(word(later + 2), "how" | "whether" | "if" | "what" | "which" | "when" | "where")
        }),
        "unable" => word(at + 1) == "to" && has(at + 2, LexicalRole::Answering),
        // "Neither of them mentions …", "none of the passages says"
        "neither" | "none" => {
            let tells = |verb: &str| lexical_roles(verb).has(LexicalRole::Telling);
            (at + 1..at + 6).any(|verb| tells(word(verb)) || word(verb).strip_suffix('s').is_some_and(tells))
                && (at + 1..at + 4).any(|noun| has(noun, LexicalRole::Document) || word(noun) == "them")
        }
        // "The passages do not mention …", "the context doesn't say"
        _ if has(at, LexicalRole::Document) => (at + 1..at + 8).any(|later| {
            denies(later)
                && (later + 1..later + 4).any(|verb| has(verb, LexicalRole::Telling) || has(verb, LexicalRole::Told))
        }),
        // "There is no information on …", "no mention of …"
        "no" | "any" | "enough" | "sufficient" | "insufficient" => {
            let is_denied = word(at) == "no" || word(at) == "insufficient" || (at.saturating_sub(4)..at).any(denies);
            is_denied
                && (at + 1..at + 4).any(|noun| has(noun, LexicalRole::Evidence))
                && (matches!(word(at.wrapping_sub(1)), "is" | "there's" | "are" | "not" | "was" | "isn't")
                    || (at.saturating_sub(4)..at).any(|before| {
                        has(before, LexicalRole::Document)
                            || has(before, LexicalRole::Telling)
                            || matches!(word(before), "see" | "find")
                    }))
        }
        // "It is not mentioned in the passages", "cannot be determined"
        _ if has(at, LexicalRole::Told) => {
            (at.saturating_sub(4)..at).any(denies) && (at + 1..at + 6).any(|later| has(later, LexicalRole::Document))
        }
        _ => false,
    };
    (0..reach).find(|&at| says_so(at)).map(|at| tokens[at])
}

/// Where a sentence begins to speak of its matter: behind "Based on the passages,", "According to the context,", "It is worth
/// noting that", "In summary,", and behind "Here's a concise summary:" where the matter follows in the same sentence.
pub(super) fn content_start(analysis: &TextAnalysis, sentence: &AnalysisSentence) -> usize {
    let start = sentence.tokens.start;
    let end = sentence.tokens.end;
    let first = (start..end).find(|&token| analysis.tokens[token].is_word).unwrap_or(start);
    // What introduces is short.
    let reach = end.min(first + 16);
    let comma = (first..reach).find(|&token| matches!(analysis.word(token), "," | ":"));
    let words = [first, first + 1, first + 2].map(|token| analysis.word(token));
    let behind = |token: Option<usize>| token.map_or(first, |token| (token + 1).min(end - 1));
    let names_document =
        |until: Option<usize>| (first..until.unwrap_or(first)).any(|token| analysis.has_any_role(token, ANSWER));
    match words {
        ["based", "on" | "upon", _] | ["according", "to", _] | ["in" | "from" | "per" | "using", "the" | "this", _]
            if names_document(comma) =>
        {
            behind(comma)
        }
        ["here's" | "here" | "below", ..]
            if names_document(comma) && comma.is_some_and(|at| analysis.word(at) == ":") =>
        {
            behind(comma)
        }
        ["in" | "to", "summary" | "conclusion" | "short" | "summarize" | "summarise" | "conclude" | "addition", ..]
        | ["overall" | "additionally" | "furthermore" | "moreover" | "however" | "finally" | "sure", ..] => {
            behind(comma.filter(|&at| at <= first + 3))
        }
        ["it" | "it's" | "they", ..] => {
            let that = (first..end.min(first + 8)).find(|&token| analysis.word(token) == "that");
            let notes = (first..that.unwrap_or(first)).any(|token| analysis.has_role(token, LexicalRole::Noting));
            if notes { behind(that) } else { first }
        }
        ["note" | "notably", "that" | ",", _] => (first + 2).min(end - 1),
        ["the", ..]
            if analysis.has_role(first + 1, LexicalRole::Document)
                && analysis.has_role(first + 2, LexicalRole::Reporting) =>
        {
            let that = first + 3;
            if analysis.word(that) == "that" { (that + 1).min(end - 1) } else { first }
        }
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asides(text: &str) -> Vec<Option<BoilerplateKind>> {
        TextAnalysis::new(text).sentences.iter().map(|sentence| sentence.boilerplate).collect()
    }

    #[test]
    fn talk_about_the_answer_and_courtesy_are_no_matter() {
        for text in ["Here's a concise summary:", "Here is the answer to your question.", "Please note the following:"]
        {
            assert_eq!(asides(text), [Some(BoilerplateKind::AboutAnswer)], "{text}");
        }
        for text in ["Sure!", "I hope this helps!", "Let me know if you need anything else.", "Thank you."] {
            assert_eq!(asides(text), [Some(BoilerplateKind::Courtesy)], "{text}");
        }
        assert_eq!(asides("Here comes the sun. It is warm."), [None, None]);
    }

    #[test]
    fn declining_is_seen_in_many_words() {
        for text in [
            "I'm sorry, but I couldn't find any information about the mayor.",
            "I am unable to answer this question.",
            "The passages do not mention the price.",
            "The provided context doesn't contain the answer.",
            "There is no information on the date.",
            "The year is not specified in the text.",
            "I don't know.",
            "Unable to answer based on given passages.",
            "There is not enough information to answer.",
        ] {
            assert_eq!(asides(text), [Some(BoilerplateKind::Refusal)], "{text}");
        }
        for text in [
            "The mayor did not find the answer.",
            "The contract does not include meals.",
            "I don't know how you do it.",
            "It was not found until 1911.",
        ] {
            assert_eq!(asides(text), [None], "{text}");
        }
    }

    #[test]
    fn the_matter_begins_behind_the_introduction() {
        let begins = |text: &str| {
            let analysis = TextAnalysis::new(text);
            analysis.word(analysis.sentences[0].content_start).to_owned()
        };
        assert_eq!(begins("Based on the given passages, bees dance."), "bees");
        assert_eq!(begins("Here's a concise summary: Ada has joined the board."), "ada");
        assert_eq!(begins("It is important to note that bees dance."), "bees");
        assert_eq!(begins("In summary, bees dance."), "bees");
        assert_eq!(begins("The text states that bees dance."), "bees");
        assert_eq!(begins("In the morning, bees dance."), "in");
        assert_eq!(begins("Bees, wasps and ants dance."), "bees");
    }
}
