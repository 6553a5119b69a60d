//! Votes: what a judge says about two ideas in five respects, and what becomes of six such votes.

use std::sync::LazyLock;

use probare_text::python::{is_word, strip};
use regex::Regex;

/// How votes are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VoteOptions {
    /// Whether `[WinA]` or two spaces between `Win` and `A` are A, as they say; the published reader takes them for B.
    pub strict_verdicts: bool,
    /// Whether a verdict has to stand as words of its own behind a label that begins its line; the published reader finds one
    /// in `Darwin also`.
    pub whole_words: bool,
}

/// The five respects, in order; the last does not count.
pub const RESPECTS: [&str; 5] = ["effectiveness", "novelty", "detailedness", "feasibility", "overall"];

/// Which idea a judge prefers in one respect, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdeaVote {
    /// Whether it is the second one, B.
    pub is_b: bool,
    pub reason: String,
}

/// The votes of one reply, in the order of the respects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RespectVotes(pub [IdeaVote; 5]);

impl RespectVotes {
    /// The same for ideas that were shown in the other order.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        for vote in &mut self.0 {
            vote.is_b = !vote.is_b;
        }
        self
    }
}

/// Where no reason is given.
const NO_REASON: &str = "No specific reason provided";

struct Patterns {
    verdicts: [Regex; 3],
    strict: Regex,
    bracketed: Regex,
    on_line: Regex,
    label: Regex,
}

static PATTERNS: LazyLock<Vec<Patterns>> = LazyLock::new(|| {
    let s = r"[\s\x1c-\x1f]";
    let win = format!(r"(w[iıİ]n{s}*[ab])");
    let compiled = |text: String| Regex::new(&text).expect("the pattern is good");
    let of = |respect: &&str| {
        let name = respect.replace('i', "[iıİ]");
        Patterns {
            verdicts: [
                compiled(format!(r"(?i){name}{s}*:{s}*\[{s}*{win}{s}*\]")),
                compiled(format!(r"(?i){name}{s}*:{s}*{win}{s}+")),
                compiled(format!(r"(?i){name}.*?{win}")),
            ],
            strict: compiled(format!(
                r"(?im)^[^\w\n]*{name}\b[^\n]*?[:\-|>)]{s}*[^\w\n]*(?:winner:?{s}*)?\b(win{s}*[ab])\b(?:{s}*/{s}*win{s}*[ab]\b)?"
            )),
            bracketed: compiled(format!(r"(?i){name}{s}*:{s}*\[[^\]]*\]{s}*because")),
            on_line: compiled(format!(r"(?i){name}{s}*:[^\n]*?(?:because|due to|as|since)")),
            label: compiled(format!(r"(?i){name}{s}*:")),
        }
    };
    RESPECTS.iter().map(of).collect()
});

static NEXT_LABEL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\n[\w\p{No}\p{Nl}]+[\s\x1c-\x1f]*:").expect("the pattern is good"));

/// Reads a reply; nothing where a respect has no verdict.
pub fn parse_vote(reply: &str, options: VoteOptions) -> Option<RespectVotes> {
    let mut votes = Vec::with_capacity(RESPECTS.len());
    for patterns in PATTERNS.iter() {
        let is_b =
            if options.whole_words { patterns.strict_verdict(reply)? } else { patterns.verdict(reply, options)? };
        votes.push(IdeaVote { is_b, reason: patterns.reason(reply) });
    }
    votes.try_into().ok().map(RespectVotes)
}

impl Patterns {
    fn verdict(&self, reply: &str, options: VoteOptions) -> Option<bool> {
        let found = self.verdicts.iter().find_map(|pattern| pattern.captures(reply)?.get(1))?.as_str().to_uppercase();
        Some(if options.strict_verdicts { found.ends_with('B') } else { !found.contains("WIN A") })
    }

    /// The last verdict behind the label; an echo of both options is none.
    fn strict_verdict(&self, reply: &str) -> Option<bool> {
        let mut verdict = None;
        for captures in self.strict.captures_iter(reply) {
            let (Some(whole), Some(found)) = (captures.get(0), captures.get(1)) else { continue };
            if whole.end() == found.end() {
                verdict = Some(found.as_str().ends_with(['b', 'B']));
            }
        }
        verdict
    }

    fn reason(&self, reply: &str) -> String {
        let found = if let Some(because) = self.bracketed.find(reply) {
            let rest = &reply[because.end()..];
            let is_end = |(at, _): &(usize, &str)| rest[at + 1..].starts_with(is_word);
            &rest[..rest.match_indices('\n').find(is_end).map_or(rest.len(), |(at, _)| at)]
        } else if let Some(because) = self.on_line.find(reply) {
            reply[because.end()..].split('\n').next().unwrap_or_default()
        } else if let Some(label) = self.label.find(reply) {
            let rest = &reply[label.end()..];
            let after = &rest[rest.find('\n').unwrap_or(rest.len())..];
            &after[..NEXT_LABEL.find(after).map_or(after.len(), |next| next.start())]
        } else {
            NO_REASON
        };
        strip(found).to_owned()
    }
}

/// What became of the votes in one respect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VoteCount {
    /// Votes for the reference.
    pub original: u32,
    /// Votes for the idea under test.
    pub generated: u32,
}

impl VoteCount {
    /// `win`, `tie` or `lose`: the limits are absolute, so a lost vote makes a win harder.
    pub const fn result(self, gate: u32) -> &'static str {
        if self.generated > gate {
            "win"
        } else if self.generated <= 2 {
            "lose"
        } else {
            "tie"
        }
    }
}

/// Votes that must be exceeded for a win in a respect.
pub const fn win_threshold(respect: usize) -> u32 {
    if respect == 1 { 4 } else { 3 }
}

/// Counts the votes of all replies; what is void adds to neither side.
pub fn count_votes(votes: &[Option<RespectVotes>]) -> [VoteCount; 5] {
    let mut counts = [VoteCount::default(); 5];
    for verdicts in votes.iter().flatten() {
        for (count, vote) in counts.iter_mut().zip(&verdicts.0) {
            if vote.is_b {
                count.generated += 1;
            } else {
                count.original += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, options: VoteOptions) -> Option<Vec<bool>> {
        let reply: Vec<String> = RESPECTS.iter().map(|respect| format!("{respect}{line}")).collect();
        parse_vote(&reply.join("\n"), options).map(|verdicts| verdicts.0.iter().map(|vote| vote.is_b).collect())
    }

    #[test]
    fn the_fair_reading_takes_verdicts_by_their_words() {
        let fair = VoteOptions { strict_verdicts: true, whole_words: true };
        for (line, verdict) in [
            (": [WinA] because x", Some(false)),
            (": [Win  B] because x", Some(true)),
            ("**: **Win A** because x", Some(false)),
            (" | Win B |", Some(true)),
            (": [Win A/Win B]", None),
            (": Darwin also", None),
            (": twin batteries", None),
        ] {
            assert_eq!(read(line, fair).map(|votes| votes[0]), verdict, "{line}");
        }
        let published = VoteOptions::default();
        assert_eq!(read(": [WinA]", published).map(|votes| votes[0]), Some(true));
        assert_eq!(read(": Darwin also", published).map(|votes| votes[0]), Some(false));
    }
}
