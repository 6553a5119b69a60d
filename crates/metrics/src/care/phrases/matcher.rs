//! [`PhraseMatcher`]: finds the leftmost match of every family of phrases in one pass over a text.
//!
//! A family is a regular expression: its phrases are alternatives in order. One automaton finds where any phrase may begin, by
//! the text with which it begins; only there is the expression of its family tried.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::literal::Extractor;

use super::notation::{NotationProblem, Phrase};
use super::whitespace::is_js_whitespace;

/// Bytes of a beginning that are looked for.
const BEGINNING: usize = 12;

/// Neither before nor behind this place does a word go on.
const OUTSIDE_WORD: &str = "(?:(?-u:\\b{start-half})|(?-u:\\b{end-half}))";

/// A family that was found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyMatch {
    /// Number of the family, in the order in which families were added.
    pub family: usize,
    /// The bytes of its leftmost match.
    pub span: Range<usize>,
}

/// What may not stand around a phrase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhraseContext {
    /// Words that may not stand directly before it, with white space between.
    pub not_after: Vec<String>,
    /// A text that may not follow it directly, as a whole word.
    pub not_before: Option<String>,
}

impl PhraseContext {
    /// Whether a match may stand where it stands.
    fn allows(&self, text: &str, span: &Range<usize>) -> bool {
        let before = text[..span.start].trim_end_matches(is_js_whitespace);
        let ends_with = |word: &String| {
            let start = before.len().checked_sub(word.len());
            start.is_some_and(|start| {
                before.as_bytes()[start..].eq_ignore_ascii_case(word.as_bytes())
                    && !is_of_word(start.checked_sub(1).map(|at| &before.as_bytes()[at]))
            })
        };
        let is_excluded_before = before.len() < span.start && self.not_after.iter().any(ends_with);
        let rest = &text.as_bytes()[span.end..];
        let follows = |word: &String| {
            rest.len() >= word.len()
                && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes())
                && !is_of_word(rest.get(word.len()))
        };
        !is_excluded_before && !self.not_before.as_ref().is_some_and(follows)
    }
}

fn is_of_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Phrases that are found wherever they stand, in words too, and as often as they do.
#[derive(Debug)]
pub struct PlainPhrases {
    list: Vec<Regex>,
}

impl PlainPhrases {
    /// These phrases; the first that cannot be looked for where there is one.
    pub fn new(phrases: &[Phrase]) -> Self {
        let regex = |phrase: &Phrase| {
            let pattern = format!("(?i-u:{})", with_unicode(&phrase.pattern));
            Regex::new(&pattern).expect("the notation gives a regular expression")
        };
        Self { list: phrases.iter().map(regex).collect() }
    }

    /// Every match of every phrase, phrase by phrase and from left to right.
    pub fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for regex in &self.list {
            probare_cancellation::count_steps(1);
            found.extend(regex.find_iter(text).map(|found| found.range()));
        }
        found
    }
}

/// Families of phrases on their way into a [`PhraseMatcher`].
#[derive(Debug, Default)]
pub struct PhraseFamilies {
    list: Vec<Family>,
    /// Beginnings, and the families of which a phrase has them.
    beginnings: BTreeMap<Vec<u8>, Vec<usize>>,
}

/// Compiled families of phrases, each in a group that can be searched or left out.
#[derive(Debug)]
pub struct PhraseMatcher {
    families: Vec<Family>,
    beginnings: Option<AhoCorasick>,
    /// For each beginning the families that wait for it.
    waiting: Vec<Vec<usize>>,
}

#[derive(Debug)]
struct Family {
    group: usize,
    pattern: String,
    /// Whether a match may be as long as the text: tried at every place, it would take time beyond its length.
    is_open: bool,
    /// What may not stand around a match.
    context: PhraseContext,
    /// Compiled when it is first needed: most texts need few.
    regex: OnceLock<Regex>,
}

impl PhraseFamilies {
    /// Adds a family; its phrases are alternatives in order. Gives its number, or the number of the first phrase that
    /// cannot be looked for and why.
    pub fn add(
        &mut self,
        group: usize,
        phrases: &[Phrase],
        context: PhraseContext,
    ) -> Result<usize, (usize, NotationProblem)> {
        let family = self.list.len();
        for (number, phrase) in phrases.iter().enumerate() {
            for beginning in beginnings(phrase).ok_or((number, NotationProblem::BeginsWithGap))? {
                let waiting = self.beginnings.entry(beginning).or_default();
                if waiting.last() != Some(&family) {
                    waiting.push(family);
                }
            }
        }
        let alternatives: Vec<&str> = phrases.iter().map(|phrase| phrase.pattern.as_str()).collect();
        let pattern = format!("{OUTSIDE_WORD}(?i-u:{}){OUTSIDE_WORD}", with_unicode(&alternatives.join("|")));
        let is_open = phrases.iter().any(|phrase| phrase.is_open);
        self.list.push(Family { group, pattern, is_open, context, regex: OnceLock::new() });
        Ok(family)
    }

    /// Makes them ready to be searched.
    pub fn matcher(self) -> PhraseMatcher {
        let (beginnings, waiting): (Vec<Vec<u8>>, _) = self.beginnings.into_iter().unzip();
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(beginnings);
        PhraseMatcher { families: self.list, beginnings: automaton.ok(), waiting }
    }
}

/// Classes of characters hold all of Unicode, while letters match in either case in ASCII alone.
fn with_unicode(pattern: &str) -> String {
    pattern.replace('[', "(?u:[").replace(']', "])")
}

/// The texts with which a match may begin, cut to what is looked for.
fn beginnings(phrase: &Phrase) -> Option<Vec<Vec<u8>>> {
    let hir = regex_syntax::parse(&phrase.pattern).ok()?;
    let mut found = Extractor::new().extract(&hir);
    found.keep_first_bytes(BEGINNING);
    let literals = found.literals()?;
    let mut texts: Vec<Vec<u8>> = literals.iter().map(|literal| literal.as_bytes().to_vec()).collect();
    texts.sort_unstable();
    texts.dedup();
    (!texts.is_empty() && texts.iter().all(|text| !text.is_empty())).then_some(texts)
}

impl PhraseMatcher {
    /// Whether a family has a match that begins right at a place.
    pub fn matches_at(&self, family: usize, text: &str, start: usize) -> bool {
        let text = pad_astral(text);
        self.families[family]
            .regex()
            .search(&Input::new(&*text).span(start..text.len()).anchored(Anchored::Yes))
            .is_some()
    }

    /// The leftmost match of every family that has one, in the order of the families. `limits` gives for each group the
    /// length of the text that is searched for it; 0 leaves the group out.
    pub fn find(&self, text: &str, limits: &[usize]) -> Vec<FamilyMatch> {
        let text = pad_astral(text);
        let mut found: Vec<Option<Range<usize>>> = vec![None; self.families.len()];
        let mut tried: Vec<Option<usize>> = vec![None; self.families.len()];
        let hits = self.beginnings.iter().flat_map(|beginnings| beginnings.find_overlapping_iter(text.as_bytes()));
        for hit in hits {
            probare_cancellation::count_steps(1);
            let start = hit.start();
            if is_inside_word(&text, start) {
                continue;
            }
            for &number in &self.waiting[hit.pattern().as_usize()] {
                let family = &self.families[number];
                let limit = limits.get(family.group).copied().unwrap_or(0).min(text.len());
                let is_known = found[number].as_ref().is_some_and(|known| known.start <= start);
                let is_tried = tried[number].is_some_and(|tried| tried == start || family.is_open);
                if start >= limit || is_known || is_tried {
                    continue;
                }
                tried[number] = Some(start);
                let searched = text.get(..limit).unwrap_or(&text);
                if let Some(span) = family.find(searched, start) {
                    found[number] = Some(span);
                }
            }
        }
        let spans = found.into_iter().enumerate();
        spans.filter_map(|(family, span)| span.map(|span| FamilyMatch { family, span })).collect()
    }
}

/// Whether a word goes on from before a place to behind it: no phrase begins there, see [`OUTSIDE_WORD`].
fn is_inside_word(text: &str, place: usize) -> bool {
    let bytes = text.as_bytes();
    is_of_word(place.checked_sub(1).and_then(|before| bytes.get(before))) && is_of_word(bytes.get(place))
}

impl Family {
    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| Regex::new(&self.pattern).expect("the notation gives a regular expression"))
    }

    /// The match at a place or, where matches may be long, the leftmost one of the text.
    fn find(&self, text: &str, start: usize) -> Option<Range<usize>> {
        if !self.is_open {
            let found = self.regex().search(&Input::new(text).span(start..text.len()).anchored(Anchored::Yes))?.range();
            return Some(found).filter(|span| self.context.allows(text, span)).map(|span| whole_characters(text, span));
        }
        let mut from = 0;
        loop {
            let found = self.regex().search(&Input::new(text).span(from..text.len()))?.range();
            if self.context.allows(text, &found) {
                return Some(whole_characters(text, found));
            }
            from = text.ceil_char_boundary(found.start + 1);
        }
    }
}

fn whole_characters(text: &str, found: Range<usize>) -> Range<usize> {
    found.start..text.floor_char_boundary(found.end)
}

/// A text of the same bytes in which every character that UTF-16 writes as two units is two characters, since gaps count units.
fn pad_astral(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|character| character.len_utf8() < 4) {
        return Cow::Borrowed(text);
    }
    let mut units = String::with_capacity(text.len());
    for character in text.chars() {
        if character.len_utf8() < 4 { units.push(character) } else { units.push_str("\u{80}\u{80}") }
    }
    Cow::Owned(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(families: &[&[&str]]) -> Result<PhraseMatcher, (usize, NotationProblem)> {
        let mut all = PhraseFamilies::default();
        for written in families {
            let phrases: Vec<Phrase> = written.iter().map(|text| Phrase::parse(text).unwrap()).collect();
            all.add(0, &phrases, PhraseContext::default())?;
        }
        Ok(all.matcher())
    }

    fn found(families: &[&[&str]], text: &str) -> Vec<(usize, String)> {
        let hits = matcher(families).unwrap().find(text, &[text.len()]);
        hits.into_iter().map(|hit| (hit.family, text[hit.span].to_owned())).collect()
    }

    fn first(phrase: &str, text: &str) -> Option<String> {
        found(&[&[phrase]], text).pop().map(|(_, text)| text)
    }

    #[test]
    fn every_family_gives_its_leftmost_match() {
        let families: &[&[&str]] = &[&["tell me", "me"], &[",<~>I'm sure"], &["you('ll| will) be", "you"]];
        let text = "For me, I'm sure you will be fine. Tell me.";
        let expected = [(0, "me"), (1, ", I'm sure"), (2, "you will be")];
        assert_eq!(found(families, text), expected.map(|(family, text)| (family, text.to_owned())));
    }

    #[test]
    fn a_phrase_must_begin_with_something_fixed() {
        let problem = |written: &str| matcher(&[&["you", written]]).unwrap_err();
        assert_eq!(problem("<*>a"), (1, NotationProblem::BeginsWithGap));
        assert_eq!(problem("<0-3>t"), (1, NotationProblem::BeginsWithGap));
        assert_eq!(found(&[&[&"(a|b)".repeat(14)]], "abababababababx abababababababa"), []);
    }

    #[test]
    fn a_group_is_searched_up_to_its_limit() {
        let matcher = matcher(&[&["you"]]).unwrap();
        let text = "to you and you";
        assert!(matcher.find(text, &[0]).is_empty());
        assert!(matcher.find(text, &[4]).is_empty());
        assert_eq!(matcher.find(text, &[6])[0].span, 3..6);
    }

    #[test]
    fn what_may_not_stand_around_a_phrase_lets_the_search_go_on() {
        let mut all = PhraseFamilies::default();
        let phrases = [Phrase::parse("you (need to|should)").unwrap(), Phrase::parse("move on").unwrap()];
        let context =
            PhraseContext { not_after: vec!["do".to_owned(), "if".to_owned()], not_before: Some(" to".to_owned()) };
        all.add(0, &phrases, context).unwrap();
        let matcher = all.matcher();
        let place = |text: &str| matcher.find(text, &[text.len()]).pop().map(|hit| hit.span.start);
        assert_eq!(place("Do  you need to? You need to."), Some(17));
        assert_eq!(place("undo you should"), Some(5));
        assert_eq!(place("if you should"), None);
        assert_eq!((place("move on to"), place("move on too"), place("move on  to")), (None, Some(0), Some(0)));
    }

    #[test]
    fn gaps_may_be_short_and_hold_letters_alone() {
        assert_eq!(first("how <0-9?> to you", "how is it to you, to you").as_deref(), Some("how is it to you"));
        assert_eq!(first("be<edge><letters 0-9><edge>fine", "be so fine").as_deref(), Some("be so fine"));
        assert_eq!(first("be<edge><letters 0-9><edge>fine", "be, fine"), None);
        assert_eq!(first("be<edge><letters 0-9><edge>fine", "be \u{17f}o fine"), None, "no letter of ASCII");
        assert_eq!(first("<digits> days", "in 12 days").as_deref(), Some("12 days"));
    }

    #[test]
    fn plain_phrases_stand_in_words_too() {
        let phrases = PlainPhrases::new(&[Phrase::parse("i hear you").unwrap()]);
        assert_eq!(phrases.find_all("Ski hear you, I HEAR YOU"), [2..12, 14..24]);
    }

    #[test]
    fn outer_ends_are_ends_of_words() {
        assert_eq!(first("do you want", "_do you want_"), None);
        assert_eq!(first("do you want", "édo you want\u{301}").as_deref(), Some("do you want"));
        assert_eq!(first("do you want", "do you wanted, do you WANT").as_deref(), Some("do you WANT"));
        assert_eq!(first("do you want", "do  you want"), None);
    }

    #[test]
    fn gaps_count_utf16_units_and_stay_in_the_line() {
        assert_eq!(first("a<0-2>b", "a😀b").as_deref(), Some("a😀b"));
        assert_eq!(first("a<0-1>b", "a😀b"), None);
        assert_eq!(first("a<*>b", "a\nb a..b").as_deref(), Some("a..b"));
        assert_eq!(first("a<*>b", "a\u{85}b").as_deref(), Some("a\u{85}b"));
        assert_eq!(first("what <*> to you", "what  to you, or to you").as_deref(), Some("what  to you, or to you"));
        assert_eq!(first("trust me<0-20>(will|be fine)", "trust me, goodwill").as_deref(), Some("trust me, goodwill"));
    }

    #[test]
    fn the_tail_of_a_text_belongs_to_the_match() {
        assert_eq!(first("I'm sure[.]<~><end>", "Well, I'm sure. \u{feff}\n").as_deref(), Some("I'm sure. \u{feff}\n"));
        assert_eq!(first("I'm sure[.]<~><end>", "I'm sure. Yes"), None);
        assert_eq!(first(",<~>I'm sure", "so,I'm sure of").as_deref(), Some(",I'm sure"));
    }
}
