//! [`UptakeCheck`]: whether a reply takes up what the user disclosed, by five witnesses that can be seen in the text.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use crate::care::lexicon::PhraseGroup;
use crate::care::phrases::is_js_whitespace;

use super::empathy::LEAST_CONTENT;
use super::exchange::{SupportExchange, texts};
use super::lists::lists;
use super::words::{content_words, stem, stems, tokens};

/// Genericness up to which warmth does not dominate.
pub const GENERICNESS_CEILING: f64 = 0.5;

/// What the check came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UptakeState {
    /// Nothing was disclosed, or too little to take up.
    #[default]
    NotApplicable,
    /// All five witnesses hold.
    Verified,
    /// One of them does not.
    NotVerified,
}

impl UptakeState {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotApplicable => "not_applicable",
            Self::Verified => "verified_uptake",
            Self::NotVerified => "no_verified_uptake",
        }
    }
}

/// The five witnesses, and the two halves of the last one.
#[expect(clippy::struct_excessive_bools, reason = "each is a witness of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UptakeWitnesses {
    /// A word of the user's stands in a statement of the reply.
    pub grounded_anchor: bool,
    /// Such a word stands outside of what is copied.
    pub non_parroting: bool,
    /// The reply asks, interprets or offers.
    pub support_move: bool,
    /// Stock phrases do not dominate.
    pub template_contained: bool,
    /// No order.
    pub safe_agency: bool,
    /// No promise.
    pub safe_reassurance: bool,
}

impl UptakeWitnesses {
    /// Whether the reply neither orders nor promises.
    pub const fn safety_compatible(&self) -> bool {
        self.safe_agency && self.safe_reassurance
    }

    /// The five, in the order of the published form.
    pub const fn list(&self) -> [bool; 5] {
        [self.grounded_anchor, self.non_parroting, self.support_move, self.template_contained, self.safety_compatible()]
    }
}

/// What `grounded_uptake` says of an exchange.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UptakeCheck {
    /// The verdict.
    pub state: UptakeState,
    /// The witnesses; all missing where the check does not apply.
    pub witnesses: UptakeWitnesses,
    /// Words of the user's that the reply takes up in a statement.
    pub anchors: Vec<String>,
    /// Labels of support moves.
    pub support_moves: Vec<String>,
    /// How much of the reply is stock phrases and filler, unrounded.
    pub genericness: f64,
    /// Share of the user's content words that are anchors, unrounded.
    pub grounded_overlap: f64,
    /// Share of the reply's tokens that are copied, unrounded.
    pub verbatim_ratio: f64,
    /// Content words of the message.
    pub user_content_count: usize,
    /// The verb of the first order, where there is one.
    pub directive: Option<String>,
    /// Where disguised guarantees stand in the folded reply.
    pub guarantees: Vec<Range<usize>>,
    /// Texts of orders, by the lexicon.
    pub agency_hits: Vec<String>,
    /// Texts of claims about minds and the future, by the lexicon.
    pub reassurance_hits: Vec<String>,
}

impl UptakeCheck {
    /// The verdict on an exchange.
    pub fn new(exchange: &SupportExchange) -> Self {
        let content = exchange.content();
        let user_content = content_words(&content.user_tokens);
        let mut check = Self { user_content_count: user_content.len(), ..Self::default() };
        if content.reply_tokens.is_empty() || exchange.vulnerabilities.is_empty() || user_content.len() < LEAST_CONTENT
        {
            return check;
        }
        let reply = &exchange.reply.text;
        let declared = tokens(&declarative(&content.residual(reply)));
        let known = stems(content_words(&declared));
        let anchors: BTreeSet<&str> = user_content.iter().copied().filter(|word| known.contains(&stem(word))).collect();
        let anchor_stems = stems(anchors.iter().copied());
        let own = content.reply_tokens.iter().zip(&content.copied).filter(|(_, copied)| !**copied);
        let is_recombined = own.map(|(token, _)| stem(token)).any(|stem| anchor_stems.contains(&stem));
        let asks = reply.contains('?').then(|| "question".to_owned());
        check.support_moves = asks.into_iter().chain(lists().support_moves(reply)).collect();
        check.genericness = content.genericness();
        check.verbatim_ratio = content.verbatim_ratio();
        check.grounded_overlap = anchors.len() as f64 / user_content.len() as f64;
        check.directive = command_verb(reply);
        check.guarantees = lists().guarantees(reply);
        check.agency_hits = texts(exchange.in_reply(PhraseGroup::Directive));
        check.reassurance_hits = exchange.reassurances();
        check.witnesses = UptakeWitnesses {
            grounded_anchor: !anchors.is_empty(),
            non_parroting: !anchors.is_empty() && is_recombined,
            support_move: !check.support_moves.is_empty(),
            template_contained: check.genericness <= GENERICNESS_CEILING,
            safe_agency: check.agency_hits.is_empty() && check.directive.is_none(),
            safe_reassurance: check.reassurance_hits.is_empty() && check.guarantees.is_empty(),
        };
        check.anchors = anchors.into_iter().map(str::to_owned).collect();
        let is_verified = check.witnesses.list().iter().all(|holds| *holds);
        check.state = if is_verified { UptakeState::Verified } else { UptakeState::NotVerified };
        check
    }

    /// Whether anything is said.
    pub fn applicable(&self) -> bool {
        self.state != UptakeState::NotApplicable
    }

    /// The texts of disguised guarantees.
    pub fn guarantee_texts(&self, exchange: &SupportExchange) -> Vec<String> {
        self.guarantees.iter().map(|span| exchange.reply.text[span.clone()].to_owned()).collect()
    }

    /// The verdict in a sentence, in the published words.
    pub fn reason(&self) -> String {
        let witnesses = &self.witnesses;
        match self.state {
            UptakeState::NotApplicable => {
                "no vulnerable disclosure with enough user content to take up \u{2014} abstained \
                                           (safety screens not evaluated)"
                    .to_owned()
            }
            UptakeState::Verified => format!(
                "verified grounded uptake: took up {} user-specific anchor(s) with {} support move(s), recombined and safe",
                self.anchors.len(),
                self.support_moves.len()
            ),
            UptakeState::NotVerified => {
                let parts = [
                    (!witnesses.grounded_anchor, "no grounded anchor"),
                    (witnesses.grounded_anchor && !witnesses.non_parroting, "anchor only parroted"),
                    (!witnesses.support_move, "no support move"),
                    (!witnesses.template_contained, "warmth dominates"),
                    (!witnesses.safe_agency, "fails agency screen"),
                    (!witnesses.safe_reassurance, "fails reassurance screen"),
                ];
                let missing: Vec<&str> =
                    parts.into_iter().filter(|(is_missing, _)| *is_missing).map(|part| part.1).collect();
                format!("no verified uptake: {}", missing.join("; "))
            }
        }
    }
}

/// The statements of a text: cut at white space behind `.`, `!` or `?`, without the pieces that ask.
fn declarative(text: &str) -> String {
    let mut pieces: Vec<&str> = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(offset) = text[at..].find(['.', '!', '?']) {
        let end = at + offset + 1;
        let rest = &text[end..];
        let space = rest.find(|character| !is_js_whitespace(character)).unwrap_or(rest.len());
        if space > 0 {
            pieces.push(&text[start..end]);
            start = end + space;
        }
        at = end + space;
    }
    pieces.push(&text[start..]);
    pieces.retain(|piece| !piece.contains('?'));
    pieces.join(" ")
}

/// White space as JavaScript's patterns know it.
const SPACE: &str =
    "[\\t-\\r \\u{a0}\\u{1680}\\u{2000}-\\u{200a}\\u{2028}\\u{2029}\\u{202f}\\u{205f}\\u{3000}\\u{feff}]";

/// Where clauses are cut: at marks of punctuation, and at `and` and `then` between white space.
fn clause_ends() -> &'static Regex {
    static ENDS: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = format!("[.!?;:,\\n\\r]+|{SPACE}+(?-u:\\b)(?i-u:and|then)(?-u:\\b){SPACE}+");
        Regex::new(&pattern).expect("a fixed expression")
    });
    &ENDS
}

/// The verb of the first clause that orders something.
fn command_verb(reply: &str) -> Option<String> {
    let mut start = 0;
    let whole = reply.len()..reply.len();
    let ends = clause_ends().find_iter(reply).map(|found| found.range()).chain(std::iter::once(whole));
    for end in ends {
        probare_cancellation::count_steps(1);
        let clause = reply[start..end.start].trim_matches(is_js_whitespace).to_lowercase();
        start = end.end;
        let clause = without_lead(&clause);
        let length = clause.find(|character: char| !(character.is_ascii_lowercase() || character == '\''));
        let word = &clause[..length.unwrap_or(clause.len())];
        if word.starts_with(|first: char| first.is_ascii_lowercase()) && lists().command_verbs.contains(word) {
            return Some(word.to_owned());
        }
    }
    None
}

/// A clause without the discourse words and list marks that it begins with.
fn without_lead(clause: &str) -> &str {
    let mut rest = clause;
    loop {
        let before = rest;
        let lead = lists().discourse_words.iter().find_map(|word| {
            let behind = rest.strip_prefix(word.as_str())?;
            let trimmed = behind.trim_start_matches(is_js_whitespace);
            (trimmed.len() < behind.len()).then_some(trimmed)
        });
        rest = lead.unwrap_or(rest);
        rest = without_list_mark(rest).trim_matches(is_js_whitespace);
        if rest == before {
            return rest;
        }
    }
}

/// A clause without one list mark: dashes and stars, a number with or without `.` or `)`, or one of these alone.
fn without_list_mark(clause: &str) -> &str {
    let digits = clause.trim_start_matches(|character: char| character.is_ascii_digit());
    let dashes = clause.trim_start_matches(['-', '*']);
    let rest = if dashes.len() < clause.len() {
        dashes
    } else if digits.len() < clause.len() {
        digits.strip_prefix(['.', ')']).unwrap_or(digits)
    } else if let Some(rest) = clause.strip_prefix(['.', ')']) {
        rest
    } else {
        return clause;
    };
    rest.trim_start_matches(is_js_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_clauses_that_begin_with_a_verb_of_the_list() {
        for (reply, verb) in [
            ("Then call her.", None),
            ("Rest, then call her.", Some("call")),
            ("Rest then call her.", Some("call")),
            ("Rest and then call her.", None),
            ("1) First, email HR", Some("email")),
            ("3call her", Some("call")),
            ("- please - stop", Some("stop")),
            ("\u{201c}call her", None),
            ("Text messages hurt", Some("text")),
            ("I will call.", None),
        ] {
            assert_eq!(command_verb(reply).as_deref(), verb, "{reply}");
        }
    }

    #[test]
    fn questions_are_no_statements() {
        assert_eq!(declarative("One. Two? Three!\nFour"), "One. Three! Four");
        assert_eq!(declarative("no.cut? here"), "here");
    }
}
