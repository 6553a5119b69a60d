//! [`Pattern`]: a regular expression whose search can be ended.
//!
//! The search of the `regex` crate takes time linear in the text, times the size of the expression in the worst case, and
//! cannot be stopped. Where that product is small it is used as it is. Where it is large, the same automaton is walked
//! here byte by byte, so that the steps are counted and a search for which nobody waits any more ends.

use std::ops::Range;

use probare_cancellation::count_steps;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, meta};
use regex_syntax::hir::{Hir, Look};

use super::{MatchMode, RegexMatch};

/// Bytes of the compiled expression; as much as some ten thousand letters.
const LARGEST: usize = 1 << 20;

/// States times bytes up to which a search takes no noticeable time, whatever the expression.
const SHORT_SEARCH: usize = 1 << 26;

/// An expression, ready to run.
pub(super) struct Pattern {
    regex: meta::Regex,
    /// The same as an automaton, with what finds the start of a match from its end.
    forward: NFA,
    hir: Hir,
}

/// The expression cannot be walked on this text: it has a word boundary, and the text letters beyond ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextTooLong;

impl Pattern {
    /// Reads the expression as it was given; the anchors of the mode go around the whole of it.
    pub(super) fn new(options: &RegexMatch) -> Result<Self, String> {
        let syntax = syntax::Config::new()
            .case_insensitive(options.ignore_case)
            .multi_line(options.multi_line)
            .dot_matches_new_line(options.dot_matches_new_line);
        let read = syntax::parse_with(&options.pattern, &syntax).map_err(|error| error.to_string())?;
        let hir = match options.mode {
            MatchMode::Search => read,
            MatchMode::Prefix => Hir::concat(vec![Hir::look(Look::Start), read]),
            MatchMode::Full => Hir::concat(vec![Hir::look(Look::Start), read, Hir::look(Look::End)]),
        };
        let config = meta::Regex::config().nfa_size_limit(Some(LARGEST)).which_captures(WhichCaptures::Implicit);
        let regex = meta::Regex::builder().configure(config).build_from_hir(&hir).map_err(|error| {
            match error.size_limit() {
                Some(limit) => format!("it is larger than {limit} bytes when compiled"),
                None => error.to_string(),
            }
        })?;
        let forward = compile_nfa(&hir, false)?;
        Ok(Self { regex, forward, hir })
    }

    /// The first match.
    pub(super) fn find(&self, text: &str) -> Result<Option<Range<usize>>, TextTooLong> {
        let work = self.forward.states().len().saturating_mul(text.len());
        count_steps(work / 1024);
        if work <= SHORT_SEARCH {
            return Ok(self.regex.find(text).map(|found| found.range()));
        }
        self.walk(text)
    }

    fn walk(&self, text: &str) -> Result<Option<Range<usize>>, TextTooLong> {
        let forward = automaton(self.forward.clone(), MatchKind::LeftmostFirst)?;
        let Some(end) = end_of_match(&forward, text)? else { return Ok(None) };
        let backward = compile_nfa(&self.hir, true).map_err(|_| TextTooLong)?;
        let backward = automaton(backward, MatchKind::All)?;
        let start = start_of_match(&backward, text, end)?.ok_or(TextTooLong)?;
        Ok(Some(start..end))
    }
}

fn compile_nfa(hir: &Hir, is_reverse: bool) -> Result<NFA, String> {
    let config = thompson::Config::new()
        .nfa_size_limit(Some(LARGEST))
        .which_captures(if is_reverse { WhichCaptures::None } else { WhichCaptures::Implicit })
        .reverse(is_reverse);
    thompson::Compiler::new().configure(config).build_from_hir(hir).map_err(|error| error.to_string())
}

fn automaton(nfa: NFA, kind: MatchKind) -> Result<DFA, TextTooLong> {
    let config = DFA::config().match_kind(kind).unicode_word_boundary(true).skip_cache_capacity_check(true);
    DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| TextTooLong)
}

/// What a walk over bytes comes to: the place of the last match.
struct Walk<'a> {
    dfa: &'a DFA,
    cache: Cache,
    last: Option<usize>,
}

impl Walk<'_> {
    /// Goes one byte further, or past the end; whether the walk can go on. A match is known one byte late.
    fn step(
        &mut self,
        state: &mut regex_automata::hybrid::LazyStateID,
        byte: Option<u8>,
        at: usize,
    ) -> Result<bool, TextTooLong> {
        count_steps(1);
        let next = match byte {
            Some(byte) => self.dfa.next_state(&mut self.cache, *state, byte),
            None => self.dfa.next_eoi_state(&mut self.cache, *state),
        };
        *state = next.map_err(|_| TextTooLong)?;
        if state.is_match() {
            self.last = Some(at);
        }
        if state.is_quit() { Err(TextTooLong) } else { Ok(!state.is_dead()) }
    }
}

fn end_of_match(dfa: &DFA, text: &str) -> Result<Option<usize>, TextTooLong> {
    let mut walk = Walk { dfa, cache: dfa.create_cache(), last: None };
    let mut state = dfa.start_state_forward(&mut walk.cache, &Input::new(text)).map_err(|_| TextTooLong)?;
    for (at, byte) in text.bytes().enumerate() {
        if !walk.step(&mut state, Some(byte), at)? {
            return Ok(walk.last);
        }
    }
    walk.step(&mut state, None, text.len())?;
    Ok(walk.last)
}

fn start_of_match(dfa: &DFA, text: &str, end: usize) -> Result<Option<usize>, TextTooLong> {
    let mut walk = Walk { dfa, cache: dfa.create_cache(), last: None };
    let input = Input::new(text).range(..end).anchored(Anchored::Yes);
    let mut state = dfa.start_state_reverse(&mut walk.cache, &input).map_err(|_| TextTooLong)?;
    for (at, byte) in text.bytes().enumerate().take(end).rev() {
        if !walk.step(&mut state, Some(byte), at + 1)? {
            return Ok(walk.last);
        }
    }
    walk.step(&mut state, None, 0)?;
    Ok(walk.last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(pattern: &str, mode: MatchMode) -> Pattern {
        let options = RegexMatch {
            pattern: pattern.to_owned(),
            mode,
            ignore_case: false,
            multi_line: false,
            dot_matches_new_line: false,
        };
        Pattern::new(&options).unwrap()
    }

    #[test]
    fn walking_finds_what_searching_finds() {
        let texts = ["", "a", "xx aab é yes no 1889-03-31\nline", "aaaaab", "no", "yes", "éé a1 _b", "bbb"];
        let patterns = [
            "",
            "a",
            "a*",
            "a*b|b",
            "yes|no",
            "(?x)a # note",
            r"\d{4}-\d\d",
            "é+",
            "^",
            "$",
            r"\w+",
            "b{2,3}?",
            "[^a]*$",
        ];
        for expression in patterns {
            for mode in [MatchMode::Search, MatchMode::Prefix, MatchMode::Full] {
                let pattern = pattern(expression, mode);
                for text in texts {
                    let searched = pattern.regex.find(text).map(|found| found.range());
                    assert_eq!(pattern.walk(text), Ok(searched), "{expression:?} {mode:?} in {text:?}");
                }
            }
        }
    }

    #[test]
    fn a_large_expression_is_refused_and_a_long_search_is_counted() {
        let options = RegexMatch {
            pattern: r"\w{500}{500}".to_owned(),
            mode: MatchMode::Search,
            ignore_case: false,
            multi_line: false,
            dot_matches_new_line: false,
        };
        assert!(Pattern::new(&options).err().unwrap().contains("larger than"));
        let pattern = pattern(r"(?:a?){200}b", MatchMode::Search);
        let text = "a".repeat(400_000);
        let (found, taken) = probare_cancellation::with_step_count(|| pattern.find(&text));
        assert_eq!(found, Ok(None));
        assert!(taken >= 400_000, "{taken}");
    }
}
