//! The improved definition: sentence by sentence, how much of it the context lacks.
//!
//! [`ContextIndex`] reads the context once: its sentences, the stems of their words and where each stands. [`support`] holds a
//! sentence of the response against them. [`amounts`] looks for numbers and dates by value, with units converted and rounding
//! allowed for; [`names`] for names. What is said besides the matter, such as politeness, talk about the answer and declining, is
//! not held against anything. All of it takes time in proportion to the texts.

mod alignment;
mod amounts;
mod names;
mod number_context;
mod plain_text;
mod reversals;
mod sources;
mod support;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use probare_english::lexicon::LexicalRole;
use probare_english::text_analysis::{AnalysisSentence, BlockKind, Clause, Mood, TextAnalysis};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::finding::{AnchorFinding, AnchorType, ContextPlace, SupportLabel, SupportVerdict, sort_findings};
use super::thresholds::THRESHOLDS;
use alignment::{ContextAligner, ValueLists};
pub use alignment::{ContradictionKind, SentenceVerdict};
use amounts::ResponseAmounts;
pub use reversals::{Reversal, ReversalKind};
use sources::ContextIndex;
pub use support::{MissingShares, SentenceSupport};

/// What the improved definition of a response gives.
pub(super) struct ImprovedExamination {
    /// Numbers, dates, names and sentences, in the order of the response.
    pub findings: Vec<AnchorFinding>,
    /// The sentences that were held against the context.
    pub supports: Vec<SentenceSupport>,
    /// The value of the response.
    pub value: f64,
    /// What it is by that value and by its sentences.
    pub label: SupportLabel,
}

/// Content words and numbers of a response from which on its value decides. In a short answer one changed word decides, and a share of
/// words does not show it: of written pairs that differ by a word or two, half of those with a low value are false.
const FEWEST_WORDS: usize = 28;

/// Sentences whose mean counts, at least; of a long response a third.
const FEWEST_WORST: usize = 3;

/// Share of the words of a sentence that its nearest source must hold to speak of the same matter.
const SAME_MATTER: f64 = 0.5;

/// Most words that the note on a sentence lists.
const MOST_WORDS: usize = 8;

/// Tokens of a sentence that wishes and says nothing else: "Stay safe and enjoy the hike!"
const LONGEST_WISH: usize = 12;

impl SupportLabel {
    /// What a response is, by its value and by what was found in its sentences: one contradiction is enough; copies need no value; else
    /// the value decides where there are words enough to tell, and no sentence vetoes it.
    fn from_verdicts(value: f64, sentences: &[SentenceSupport]) -> Self {
        let is_contradicted =
            |sentence: &SentenceSupport| matches!(sentence.verdict, SentenceVerdict::Contradicted { .. });
        let is_copied = |sentence: &SentenceSupport| matches!(sentence.verdict, SentenceVerdict::Supported(_));
        if sentences.is_empty() {
            return Self::Unsure;
        }
        if sentences.iter().any(is_contradicted) {
            return Self::Contradicted;
        }
        if sentences.iter().all(is_copied) {
            return Self::Supported;
        }
        if sentences.iter().map(|sentence| sentence.content).sum::<usize>() < FEWEST_WORDS {
            return Self::Unsure;
        }
        match THRESHOLDS.label(value) {
            "supported" if !sentences.iter().any(SentenceSupport::is_vetoed) => Self::Supported,
            "unsupported" => Self::Unsupported,
            _ => Self::Unsure,
        }
    }
}

/// Reads a response against the chunks of a context; `analysis` is that of the response as it stands.
pub(super) fn examine_sentences(
    response: &str,
    analysis: impl FnOnce() -> Rc<TextAnalysis>,
    chunks: &[&str],
) -> ImprovedExamination {
    let chunks: Vec<Cow<'_, str>> = chunks.iter().map(|chunk| plain_text::detokenised(chunk)).collect();
    let chunks: Vec<&str> = chunks.iter().map(AsRef::as_ref).collect();
    let typed = plain_text::detokenised(response);
    let plain = plain_text::without_references(&typed, &chunks);
    let analysis = if *plain == *response { analysis() } else { Rc::new(TextAnalysis::new(&plain)) };
    examined(&plain, &analysis, &chunks)
}

fn examined(response: &str, analysis: &TextAnalysis, chunks: &[&str]) -> ImprovedExamination {
    let sources = ContextIndex::new(chunks);
    let amounts = ResponseAmounts::new(response, chunks);
    let values = ValueLists::new(response, chunks, &amounts);
    let mut page = ContextAligner::new(&sources, &values);
    let mut findings = Vec::new();
    let mut supports: Vec<SentenceSupport> = Vec::new();
    let mut scratch = support::SupportScratch::default();
    for sentence in analysis.sentences.iter().filter(|sentence| makes_statement(sentence)) {
        probare_cancellation::count_steps(64);
        let place = analysis.original_span(sentence.content_start, sentence.tokens.end - 1);
        let mut support = support::sentence_support(analysis, sentence, &sources, &amounts, &mut scratch);
        let nearest = support.nearest.map(|index| sources.source_of(index));
        let same = nearest.clone().filter(|_| support.held >= SAME_MATTER);
        let clauses = LazyCell::new(|| analysis.clauses(sentence));
        let numbers = amounts.findings(&place, same.as_ref(), |span| is_claimed(analysis, &clauses, span));
        if numbers.iter().any(|finding| !finding.is_supported()) {
            support.shares.numbers = 1.0;
        }
        findings.extend(numbers);
        findings.extend(names::name_findings(response, analysis, &support, &sources));
        support.verdict = page.align_sentence(analysis, sentence, &amounts);
        findings.push(sentence_finding(response, &support, nearest));
        supports.push(support);
    }
    // Only an exchange accuses; what is absent or seems to be turned speaks for a greater value.
    findings.iter_mut().for_each(AnchorFinding::leave_open);
    sort_findings(&mut findings);
    let value = value(&supports);
    let label = SupportLabel::from_verdicts(value, &supports);
    ImprovedExamination { findings, supports, value, label }
}

/// Whether the sentence of some clauses claims what stands at a place of the response. What it denies or supposes ("with 10,000 in your
/// account", "for a flat of 70 m²", "it won't run on version 14") need not stand in the context; "with 9,000 employees, the firm grew" states.
fn is_claimed(analysis: &TextAnalysis, clauses: &[Clause], span: &Range<usize>) -> bool {
    let ends_before = |clause: &Clause| {
        clause.tokens.end.checked_sub(1).is_none_or(|last| analysis.tokens[last].origin.end <= span.start)
    };
    let at = clauses.partition_point(ends_before);
    clauses.get(at).is_none_or(|clause| {
        let opening = clause.tokens.clone().map(|token| analysis.word(token)).find(|word| *word != ",");
        let is_supposed = matches!(opening, Some("if" | "suppose" | "say" | "imagine"))
            || at == 0 && matches!(opening, Some("for" | "with")) && is_supposed(analysis, clause);
        !clause.is_denied && !is_supposed
    })
}

/// Whether a clause that opens with *with* or *for* supposes a case: any one ("for a flat of 70 m²"), or one of the listener, who is
/// addressed or told what to do behind it.
fn is_supposed(analysis: &TextAnalysis, clause: &Clause) -> bool {
    let at = analysis.sentences.partition_point(|sentence| sentence.tokens.end <= clause.tokens.start);
    let Some(sentence) = analysis.sentences.get(at) else { return false };
    let words = || sentence.tokens.clone().map(|token| analysis.word(token)).filter(|word| *word != ",");
    let is_any =
        words().zip(words().skip(1)).next().is_some_and(|(first, next)| first == "for" && matches!(next, "a" | "an"));
    let is_addressed =
        words().any(|word| matches!(word, "you" | "your" | "yours" | "yourself" | "you'll" | "you're" | "you'd"));
    let behind = clause.tokens.end + usize::from(analysis.word(clause.tokens.end) == ",");
    let verb = analysis.word(behind);
    let is_told = !analysis.has_role(behind, LexicalRole::Function)
        && behind < sentence.tokens.end
        && WordNet::embedded().base_forms(verb, PartOfSpeech::Verb).iter().any(|form| form == verb);
    is_any || is_addressed || is_told
}

/// Whether a sentence says something of the matter.
fn makes_statement(sentence: &AnalysisSentence) -> bool {
    let is_wish = sentence.mood == Mood::Wish && sentence.tokens.len() <= LONGEST_WISH;
    sentence.boilerplate.is_none() && !sentence.is_question() && !is_wish && sentence.block != BlockKind::Heading
}

/// The value of a response: three quarters of its worst sentence, a quarter of the mean of its worst third, three at least. One
/// invented sentence among twenty is not lost in a mean, and several weigh more than one.
fn value(supports: &[SentenceSupport]) -> f64 {
    let mut values: Vec<f64> = supports.iter().map(|support| support.shares.value()).collect();
    values.sort_by(|left, right| right.total_cmp(left));
    values.truncate((values.len() / 3).max(FEWEST_WORST));
    let Some(worst) = values.first() else { return 0.0 };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (3.0 * worst + mean) / 4.0
}

/// The finding of a sentence: what was proved of it, and the nearest sentence of the context. Of a sentence that is contradicted, the
/// words at fault.
fn sentence_finding(response: &str, support: &SentenceSupport, nearest: Option<ContextPlace>) -> AnchorFinding {
    let text = |span: &Range<usize>| response.get(span.clone()).unwrap_or_default();
    let (span, verdict) = match &support.verdict {
        SentenceVerdict::Supported(source) => {
            (&support.span, SupportVerdict::Supported { source: source.clone(), note: None })
        }
        SentenceVerdict::Contradicted { kind: exchange, span, source } => {
            let reason = Cow::Borrowed(exchange.note());
            let source = source.clone();
            let verdict = SupportVerdict::Contradicted { reason, source };
            (span, verdict)
        }
        SentenceVerdict::Open { words, lost, .. } => {
            let turned = support.reversals.first().map(|turned| turned.kind.note());
            let reason = unmatched_note(words.iter().map(text), lost.is_some(), turned);
            (&support.span, SupportVerdict::Open { reason: Cow::Owned(reason) })
        }
    };
    let nearest = match &support.verdict {
        SentenceVerdict::Contradicted { source, .. } => Some(source.clone()),
        SentenceVerdict::Open { lost: Some(lost), words, .. } if words.is_empty() => Some(lost.clone()),
        _ => nearest,
    };
    AnchorFinding {
        kind: AnchorType::Sentence,
        text: text(span).to_owned(),
        span: Some(span.clone()),
        components: None,
        is_negated: false,
        verdict,
        nearest,
    }
}

/// What was not met in the context, in words.
fn unmatched_note<'t>(
    mut words: impl ExactSizeIterator<Item = &'t str>,
    has_lost: bool,
    turned: Option<&str>,
) -> String {
    let count = words.len();
    let mut note = match (count, has_lost) {
        (0, true) => "words of the context that matter are missing".to_owned(),
        (0, false) => "the words of the context in another order".to_owned(),
        _ => "not met there:".to_owned(),
    };
    for (number, word) in words.by_ref().take(MOST_WORDS).enumerate() {
        let comma = if number == 0 { "" } else { "," };
        // Writing to a text cannot fail.
        let _ = write!(note, "{comma} `{}`", crate::bounded_evidence::truncate_for_note(word));
    }
    if count > MOST_WORDS {
        let _ = write!(note, " and {} more", count - MOST_WORDS);
    }
    if let Some(turned) = turned {
        let _ = write!(note, "; {turned}");
    }
    note
}
