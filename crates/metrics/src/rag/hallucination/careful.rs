//! The careful reading: sentence by sentence, how much of it the context lacks.
//!
//! [`Sources`] reads the context once: its sentences, the stems of their words and where each stands. [`support`] holds a
//! sentence of the response against them. [`amounts`] looks for numbers and dates by value, with units converted and rounding
//! allowed for; [`names`] for names. What is said besides the matter, such as politeness, talk about the answer and declining, is
//! not held against anything. All of it takes time in proportion to the texts.

mod alignment;
mod amounts;
mod around;
mod names;
mod sources;
mod support;
mod turns;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::fmt::Write as _;
use std::ops::Range;

use probare_nlp::lexicon::Sort;
use probare_nlp::reading::{Block, Clause, Mood, Reading, Sentence};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::examination::sort;
use super::finding::{AnchorType, Finding, Label, Source, Standing};
pub use alignment::{Exchange, Proof};
use alignment::{Page, Values};
use amounts::Amounts;
use sources::Sources;
pub use support::{Shares, Support};
pub use turns::{Turn, Turned};

/// What the careful reading of a response gives.
pub(super) struct Careful {
    /// Numbers, dates, names and sentences, in the order of the response.
    pub findings: Vec<Finding>,
    /// The sentences that were held against the context.
    pub supports: Vec<Support>,
    /// The value of the response.
    pub value: f64,
    /// What was proved of it.
    pub label: Label,
}

/// Sentences whose mean counts, at least; of a long response a third.
const FEWEST_WORST: usize = 3;

/// Share of the words of a sentence that its nearest source must hold to speak of the same matter.
const SAME_MATTER: f64 = 0.5;

/// Most words that the note on a sentence lists.
const MOST_WORDS: usize = 8;

/// Tokens of a sentence that wishes and says nothing else: "Stay safe and enjoy the hike!"
const LONGEST_WISH: usize = 12;

/// Reads a response against the chunks of a context.
pub(super) fn careful(response: &str, reading: &Reading, chunks: &[&str]) -> Careful {
    let sources = Sources::new(chunks);
    let amounts = Amounts::new(response, chunks);
    let values = Values::new(response, chunks, &amounts);
    let mut page = Page::new(&sources, &values);
    let mut findings = Vec::new();
    let mut supports: Vec<Support> = Vec::new();
    let mut scratch = support::Scratch::default();
    for sentence in reading.sentences.iter().filter(|sentence| speaks(sentence)) {
        probare_cancellation::steps(64);
        let place = reading.origin(sentence.opening, sentence.tokens.end - 1);
        let mut support = support::support(reading, sentence, &sources, &amounts, &mut scratch);
        let nearest = support.nearest.map(|index| sources.place(index));
        let same = nearest.clone().filter(|_| support.held >= SAME_MATTER);
        let clauses = LazyCell::new(|| reading.clauses(sentence));
        let numbers = amounts.findings(&place, same.as_ref(), |span| is_claimed(reading, &clauses, span));
        if numbers.iter().any(|finding| !finding.is_supported()) {
            support.shares.numbers = 1.0;
        }
        findings.extend(numbers);
        findings.extend(names::findings(response, reading, &support, &sources));
        support.proof = page.proof(reading, sentence, &amounts);
        findings.push(sentence_finding(response, &support, nearest));
        supports.push(support);
    }
    // Only an alignment proves anything; what is absent or seems to be turned speaks for a greater value.
    findings.iter_mut().for_each(Finding::leave_open);
    sort(&mut findings);
    let value = value(&supports);
    let label = Label::of(supports.iter().map(|support| &support.proof));
    Careful { findings, supports, value, label }
}

/// Whether the sentence of some clauses claims what stands at a place of the response. What it denies or supposes ("with 10,000 in your
/// account", "for a flat of 70 m²", "it won't run on version 14") need not stand in the context; "with 9,000 employees, the firm grew" states.
fn is_claimed(reading: &Reading, clauses: &[Clause], span: &Range<usize>) -> bool {
    let ends_before = |clause: &Clause| {
        clause.tokens.end.checked_sub(1).is_none_or(|last| reading.tokens[last].origin.end <= span.start)
    };
    let at = clauses.partition_point(ends_before);
    clauses.get(at).is_none_or(|clause| {
        let opening = clause.tokens.clone().map(|token| reading.word(token)).find(|word| *word != ",");
        let is_supposed = matches!(opening, Some("if" | "suppose" | "say" | "imagine"))
            || at == 0 && matches!(opening, Some("for" | "with")) && is_supposed(reading, clause);
        !clause.is_denied && !is_supposed
    })
}

/// Whether a clause that opens with *with* or *for* supposes a case: any one ("for a flat of 70 m²"), or one of the listener, who is
/// addressed or told what to do behind it.
fn is_supposed(reading: &Reading, clause: &Clause) -> bool {
    let at = reading.sentences.partition_point(|sentence| sentence.tokens.end <= clause.tokens.start);
    let Some(sentence) = reading.sentences.get(at) else { return false };
    let words = || sentence.tokens.clone().map(|token| reading.word(token)).filter(|word| *word != ",");
    let is_any =
        words().zip(words().skip(1)).next().is_some_and(|(first, next)| first == "for" && matches!(next, "a" | "an"));
    let is_addressed =
        words().any(|word| matches!(word, "you" | "your" | "yours" | "yourself" | "you'll" | "you're" | "you'd"));
    let behind = clause.tokens.end + usize::from(reading.word(clause.tokens.end) == ",");
    let verb = reading.word(behind);
    let is_told = !reading.is_sort(behind, Sort::Function)
        && behind < sentence.tokens.end
        && WordNet::embedded().base_forms(verb, PartOfSpeech::Verb).iter().any(|form| form == verb);
    is_any || is_addressed || is_told
}

/// Whether a sentence says something of the matter.
fn speaks(sentence: &Sentence) -> bool {
    let is_wish = sentence.mood == Mood::Wish && sentence.tokens.len() <= LONGEST_WISH;
    sentence.aside.is_none() && !sentence.is_question() && !is_wish && sentence.block != Block::Heading
}

/// The value of a response: three quarters of its worst sentence, a quarter of the mean of its worst third, three at least. One
/// invented sentence among twenty is not lost in a mean, and several weigh more than one.
fn value(supports: &[Support]) -> f64 {
    let mut values: Vec<f64> = supports.iter().map(|support| support.shares.value()).collect();
    values.sort_by(|left, right| right.total_cmp(left));
    values.truncate((values.len() / 3).max(FEWEST_WORST));
    let Some(worst) = values.first() else { return 0.0 };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (3.0 * worst + mean) / 4.0
}

/// The finding of a sentence: what was proved of it, and the nearest sentence of the context. Of a sentence that is contradicted, the
/// words at fault.
fn sentence_finding(response: &str, support: &Support, nearest: Option<Source>) -> Finding {
    let text = |span: &Range<usize>| response.get(span.clone()).unwrap_or_default();
    let (span, standing) = match &support.proof {
        Proof::Supported(source) => (&support.span, Standing::Supported { source: source.clone(), note: None }),
        Proof::Exchanged { exchange, span, source } => {
            let reason = Cow::Borrowed(exchange.note());
            let source = source.clone();
            let standing = if *exchange == Exchange::Stronger {
                Standing::Unsupported { reason }
            } else {
                Standing::Contradicted { reason, source }
            };
            (span, standing)
        }
        Proof::Open { words, lost } => {
            let turned = support.turns.first().map(|turned| turned.kind.note());
            let reason = unmet(words.iter().map(text), lost.is_some(), turned);
            (&support.span, Standing::Open { reason: Cow::Owned(reason) })
        }
    };
    let nearest = match &support.proof {
        Proof::Exchanged { source, .. } => Some(source.clone()),
        Proof::Open { lost: Some(lost), words } if words.is_empty() => Some(lost.clone()),
        _ => nearest,
    };
    Finding {
        kind: AnchorType::Sentence,
        text: text(span).to_owned(),
        span: Some(span.clone()),
        components: None,
        is_negated: false,
        standing,
        nearest,
    }
}

/// What was not met in the context, in words.
fn unmet<'t>(mut words: impl ExactSizeIterator<Item = &'t str>, has_lost: bool, turned: Option<&str>) -> String {
    let count = words.len();
    let mut note = match (count, has_lost) {
        (0, true) => "words of the context that matter are left out".to_owned(),
        (0, false) => "the words of the context in another order".to_owned(),
        _ => "not met there:".to_owned(),
    };
    for (number, word) in words.by_ref().take(MOST_WORDS).enumerate() {
        let comma = if number == 0 { "" } else { "," };
        // Writing to a text cannot fail.
        let _ = write!(note, "{comma} `{}`", crate::bounded::beginning(word));
    }
    if count > MOST_WORDS {
        let _ = write!(note, " and {} more", count - MOST_WORDS);
    }
    if let Some(turned) = turned {
        let _ = write!(note, "; {turned}");
    }
    note
}
