//! [`Request`]: what the user's message asks for, which decides how a reply is to be read.

use super::classes::Class;
use super::reading::{Reading, Sentence};
use super::wording::{Sense, wordings};

/// What the user's message asks for and shows.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    /// A text to be written, translated, played or corrected: the reply's words are then not addressed to the user.
    pub wants_text: bool,
    /// Facts, instructions, tips or a distraction.
    pub wants_facts: bool,
    /// Whether to do something, or to be told what to do with their life.
    pub weighs_a_decision: bool,
    /// The user speaks of themselves or of their own people.
    pub is_personal: bool,
    /// Tokens that show distress.
    pub distress: Vec<usize>,
    /// A statement of something good.
    pub is_glad: bool,
    /// The message is about a matter that makes nobody vulnerable.
    pub is_a_task: bool,
    /// How something will turn out that has no timetable.
    pub asks_for_a_forecast: bool,
}

/// Verbs that ask for a text.
const TEXT_VERBS: [&str; 20] = [
    "write",
    "translate",
    "draft",
    "compose",
    "proofread",
    "rephrase",
    "shorten",
    "rewrite",
    "role-play",
    "roleplay",
    "pretend",
    "paraphrase",
    "edit",
    "correct",
    "imagine",
    "generate",
    "finish",
    "continue",
    "complete",
    "reword",
];

/// Things made of words.
const TEXTS: [&str; 27] = [
    "line",
    "lines",
    "lyrics",
    "scene",
    "poem",
    "story",
    "novel",
    "script",
    "dialogue",
    "dialog",
    "card",
    "headline",
    "headlines",
    "slogan",
    "speech",
    "song",
    "lullaby",
    "essay",
    "character",
    "villain",
    "screenplay",
    "screenwriting",
    "caption",
    "json",
    "template",
    "sketch",
    "play",
];

/// Words that ask for facts or help at the beginning of a sentence.
const QUESTION_WORDS: [&str; 10] = ["how", "what", "which", "when", "where", "why", "who", "what's", "how's", "who's"];

/// Words that ask a question by their place at the beginning.
const YES_NO: [&str; 16] = [
    "is", "are", "do", "does", "did", "can", "could", "will", "would", "has", "have", "was", "were", "isn't",
    "doesn't", "can't",
];

/// Verbs that ask for facts or help.
const FACT_VERBS: [&str; 19] = [
    "explain",
    "summarise",
    "summarize",
    "list",
    "recommend",
    "suggest",
    "sort",
    "compare",
    "describe",
    "show",
    "give",
    "find",
    "name",
    "calculate",
    "convert",
    "define",
    "distract",
    "help",
    "outline",
];

/// Nouns that ask for facts or help.
const FACT_NOUNS: [&str; 11] = [
    "ideas",
    "tips",
    "advice",
    "recommendations",
    "suggestions",
    "alternatives",
    "options",
    "pointers",
    "examples",
    "headline",
    "needed",
];

/// Words by which the user speaks of themselves and of their people.
const OWN: [&str; 20] = [
    "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "myself", "we", "we're", "we've", "our", "us", "mum", "dad",
    "mom", "grandma", "grandpa", "im",
];

impl Request {
    /// What a message asks for.
    pub(super) fn of(user: &Reading) -> Self {
        let mut request = Self { distress: distress(user), ..Self::default() };
        request.is_personal = (0..user.tokens.len()).any(|token| OWN.contains(&user.word(token)));
        request.is_a_task = (0..user.tokens.len()).any(|token| user.is(token, Class::Task));
        for sentence in &user.sentences {
            request.read(user, sentence);
        }
        let asks_by_noun = (0..user.tokens.len())
            .any(|token| FACT_NOUNS.contains(&user.word(token)) && user.word(token + 1) != "from")
            && user.sentences.iter().any(|sentence| sentence.is_question || sentence.tokens.len() <= 4);
        request.wants_facts |= asks_by_noun;
        request.asks_for_a_forecast |= asks_by_noun && user.text.contains("next year");
        request
    }

    fn read(&mut self, user: &Reading, sentence: &Sentence) {
        let start = first_word(user, sentence);
        let word = |offset: usize| user.word(start + offset);
        let is = |words: &[&str], offset: usize| words.contains(&word(offset));
        let has = |words: &[&str]| sentence.tokens.clone().any(|token| words.contains(&user.word(token)));
        let asks_for_text = is(&TEXT_VERBS, 0) && !(word(0) == "imagine" || word(0) == "complete" && !has(&TEXTS))
            || (has(&["write", "draft", "role-play", "roleplay", "translate", "proofread", "rephrase"])
                && sentence.is_question)
            || is(&["give", "tell", "make", "sing"], 0) && has(&TEXTS)
            || word(0) == "check" && word(1) == "my"
            || word(0) == "you're" && word(1) == "a"
            || has(&TEXTS) && has(&["writing", "write"])
            || has(&["say"]) && has(&["polite", "way"]) && sentence.is_question;
        self.wants_text |= asks_for_text;

        let text = &user.text[sentence.at.clone()];
        let rhetorical = text.starts_with("what if")
            || text.starts_with("why me")
            || text.starts_with("why can't i")
            || text.starts_with("why do i")
            || text.starts_with("why am i")
            || text.starts_with("what's wrong with me")
            || text.starts_with("how could")
            || text.starts_with("who would")
            || text.starts_with("what is the point")
            || text.starts_with("what's the point")
            || text.starts_with("why did he")
            || text.starts_with("why did she");
        self.weighs_a_decision |= text.contains("should i") && !text.starts_with("what should i")
            || [
                "whether to",
                "whether i",
                "if i should",
                "do i have to",
                "thinking of",
                "thinking about",
                "not sure whether",
                "deciding",
                "considering",
                "torn about",
                "on the fence",
                "wondering if i",
                "wondering whether",
                "wondering about",
            ]
            .iter()
            .any(|phrase| text.contains(phrase));
        let question = is(&QUESTION_WORDS, 0) && (sentence.is_question || !has(&["i", "i'm"]) || word(0) == "how")
            || is(&FACT_VERBS, 0)
            || word(0) == "please"
            || sentence.is_question
                && is(&YES_NO, 0)
                && !is(&["i", "me", "my"], 1)
                && !(is(&["you"], 1) && !self.distress.is_empty())
            || sentence.is_question
                && sentence.tokens.clone().any(|token| {
                    QUESTION_WORDS.contains(&user.word(token))
                        && token > start
                        && matches!(user.word(token - 1), "," | "-" | ":" | ";" | "but" | "and" | "so" | "hike" | "lol")
                })
            || word(0) == "any" && sentence.is_question
            || text.contains("to know how")
            || text.contains("want to know")
            || text.contains("curious")
            || text.contains("i want practical")
            || ["choose", "find", "pick", "understand", "plan", "figure", "with"]
                .iter()
                .any(|verb| text.contains(&format!("help me {verb}")))
            || text.contains("i'd like to hear")
            || text.contains("can u give")
            || text.contains("can you give");
        let decision =
            text.contains("should i") && (!text.starts_with("what should i") || text.contains("should i do"));
        if question && !rhetorical && !decision {
            self.wants_facts = true;
            let of_time = is(&["when", "how"], 0);
            let ahead = ["will ", "going to", "wins", "good time to", "next year", "do you think"];
            self.asks_for_a_forecast |= !of_time && ahead.iter().any(|phrase| text.contains(phrase));
        }
        self.is_glad |= text.contains("!!") && !has(&["all", "hate"])
            || has(&["yay", "excited", "thrilled", "congratulations", "finally"]) && self.distress.is_empty();
    }

    /// Whether instructions are what the user asked for.
    pub(super) fn wants_instructions(&self) -> bool {
        self.wants_facts && !self.weighs_a_decision
    }
}

fn first_word(reading: &Reading, sentence: &Sentence) -> usize {
    const OPENERS: [&str; 14] =
        ["ok", "okay", "so", "and", "but", "hi", "hey", "hello", "well", "please", "also", "then", "now", "quick"];
    let mut start = sentence.tokens.start;
    while start + 1 < sentence.tokens.end && (!reading.tokens[start].is_word || OPENERS.contains(&reading.word(start)))
    {
        start += 1;
    }
    start
}

/// The tokens that show distress, less those in a harmless figure of speech.
fn distress(user: &Reading) -> Vec<usize> {
    let harmless = wordings(user, &[Sense::Harmless]);
    (0..user.tokens.len())
        .filter(|&token| user.is(token, Class::Distress))
        .filter(|&token| !harmless.iter().any(|wording| (wording.first..=wording.last).contains(&token)))
        .collect()
}
