//! Which statements of an answer a source bears out, by more than their words.

use std::ops::Range;

use probare_english::lexicon::{LexicalRole, lexical_roles};
use probare_english::{ParsedSentence as Parse, ParsedToken, Parser};
use probare_text::anchors::{Anchor, ContextAnchors as Anchors, find_anchors};

use super::answer::{AnswerSentence, ParsedAnswer, SentenceStatus};
use super::meaning::{ContentWord, MeaningCache, all_content_words, content_words, truncate_text};

/// What was found about one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimCheck {
    /// Bytes of the answer.
    pub span: Range<usize>,
    /// What became of it.
    pub verdict: ClaimVerdict,
}

/// Why a claim is verified or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// A source bears it out.
    Verified {
        /// Index of the source.
        source: usize,
        /// Bytes of the source: the sentences that have the words.
        span: Range<usize>,
    },
    /// It states nothing.
    NoStatement,
    /// It was copied and has nothing to do with the question.
    BesideTheQuestion,
    /// No source has enough of its words, or one of its names.
    Words {
        /// Words that the nearest source lacks.
        missing: Vec<String>,
    },
    /// The sources that have its words lack this number or date.
    Anchor(String),
    /// The nearest source says the opposite.
    Opposite {
        /// Index of the source.
        source: usize,
        /// Bytes of the source.
        span: Range<usize>,
        /// The words that oppose each other.
        words: String,
    },
    /// There is no source but the answer itself.
    NoSource,
}

impl ClaimVerdict {
    /// Whether a source bears the claim out.
    pub const fn is_verified(&self) -> bool {
        matches!(self, Self::Verified { .. })
    }
}

/// A source, ready to be held against claims.
struct ClaimSource {
    index: usize,
    /// Two neighbouring sentences at a time: a claim may draw on both.
    passages: Vec<Passage>,
    anchors: Anchors,
}

struct Passage {
    span: Range<usize>,
    words: Vec<ContentWord>,
    /// Lemmas of verbs, and whether each is denied.
    verbs: Vec<(String, bool)>,
}

/// What was found about every claim that has content. `question` is what the answer is about: its text, topics, steps.
///
/// A claim is verified when two neighbouring sentences of one source have at least three fifths of its content words
/// and all its names, the source has all its numbers and dates by value, no verb is denied on one side only, and no
/// missing word has its opposite there. A source that is the answer over again bears nothing out.
pub fn verify_claims<S: AsRef<str>>(answer: &ParsedAnswer<'_>, sources: &[S], question: &str) -> Vec<ClaimCheck> {
    let parser = Parser::english();
    let independent = sources.iter().enumerate().filter(|(index, _)| !answer.echoes[*index]);
    let sources: Vec<ClaimSource> =
        independent.map(|(index, text)| ClaimSource::new(index, truncate_text(text.as_ref()))).collect();
    let about = all_content_words(&parser.tag(truncate_text(question)));
    let mut meanings = MeaningCache::default();
    answer
        .sentences
        .iter()
        .filter(|sentence| !sentence.words.is_empty())
        .map(|sentence| {
            let verdict = verdict(answer, sentence, &sources, &about, &mut meanings);
            ClaimCheck { span: sentence.span.clone(), verdict }
        })
        .collect()
}

fn verdict(
    answer: &ParsedAnswer<'_>,
    claim: &AnswerSentence,
    sources: &[ClaimSource],
    about: &[ContentWord],
    meanings: &mut MeaningCache,
) -> ClaimVerdict {
    match claim.status {
        SentenceStatus::Fragment => return ClaimVerdict::NoStatement,
        SentenceStatus::Copied(_)
            if !claim.words.iter().any(|word| about.iter().any(|other| meanings.means_same(word, other))) =>
        {
            return ClaimVerdict::BesideTheQuestion;
        }
        _ => {}
    }
    let text = &answer.text()[claim.span.clone()];
    let anchors = find_anchors(text);
    let denials = verbs(&claim.parse);
    // The best passage of each source in turn; the first that bears the claim out decides.
    let mut nearest: Option<(usize, ClaimVerdict)> = None;
    for source in sources {
        probare_cancellation::count_steps(1);
        let Some((found, verdict)) = source.judge_claim(claim, &denials, (text, &anchors), meanings) else { continue };
        if verdict.is_verified() {
            return verdict;
        }
        if nearest.as_ref().is_none_or(|(most, _)| found > *most) {
            nearest = Some((found, verdict));
        }
    }
    nearest.map_or(ClaimVerdict::NoSource, |(_, verdict)| verdict)
}

impl ClaimSource {
    fn new(index: usize, text: &str) -> Self {
        let sentences = Parser::english().parse(text).sentences;
        let pairs = (0..sentences.len()).map(|at| &sentences[at..(at + 2).min(sentences.len())]);
        let passages = pairs
            .map(|pair| Passage {
                span: pair[0].span().start..pair[pair.len() - 1].span().end,
                words: content_words(pair.iter().flat_map(|sentence| &sentence.tokens)),
                verbs: pair.iter().flat_map(verbs).collect(),
            })
            .collect();
        Self { index, passages, anchors: Anchors::new(&[text]) }
    }

    /// How many words the best passage has, and what follows from it; nothing for a source without sentences.
    fn judge_claim(
        &self,
        claim: &AnswerSentence,
        denials: &[(String, bool)],
        (text, anchors): (&str, &[Anchor]),
        meanings: &mut MeaningCache,
    ) -> Option<(usize, ClaimVerdict)> {
        let mut best: Option<(usize, &Passage, Vec<&ContentWord>)> = None;
        for passage in &self.passages {
            probare_cancellation::count_steps(1);
            let lacking = |word: &&ContentWord| !passage.words.iter().any(|other| meanings.means_same(word, other));
            let missing: Vec<&ContentWord> = claim.words.iter().filter(lacking).collect();
            let found = claim.words.len() - missing.len();
            if best.as_ref().is_none_or(|(most, _, _)| found > *most) {
                best = Some((found, passage, missing));
            }
        }
        let (found, passage, missing) = best?;
        let opposite = |words: String| ClaimVerdict::Opposite { source: self.index, span: passage.span.clone(), words };
        let verdict = if 5 * found < 3 * claim.words.len() || missing.iter().any(|word| word.is_name) {
            ClaimVerdict::Words { missing: missing.iter().map(|word| word.stem.clone()).collect() }
        } else if let Some(anchor) = self.lacking_anchor(text, anchors) {
            ClaimVerdict::Anchor(anchor)
        } else if let Some(words) = contradiction(denials, &missing, passage) {
            opposite(words)
        } else {
            ClaimVerdict::Verified { source: self.index, span: passage.span.clone() }
        };
        Some((found, verdict))
    }

    fn lacking_anchor(&self, text: &str, anchors: &[Anchor]) -> Option<String> {
        let words = |anchor: &Anchor| anchor.text(text).to_owned();
        anchors.iter().find(|anchor| self.anchors.support(anchor.text(text), anchor.kind).is_none()).map(words)
    }
}

/// Words of which one side is denied and the other is not, or that are opposites.
fn contradiction(denials: &[(String, bool)], missing: &[&ContentWord], passage: &Passage) -> Option<String> {
    let denied = denials.iter().find_map(|(verb, denied)| {
        let mut same = passage.verbs.iter().filter(|(other, _)| other == verb).peekable();
        let differs = same.peek().is_some() && same.all(|(_, other)| other != denied);
        differs.then(|| if *denied { format!("not {verb} / {verb}") } else { format!("{verb} / not {verb}") })
    });
    // A denial that the passage knows nothing about is not borne out by it.
    let unfounded =
        denials.iter().find(|(verb, denied)| *denied && passage.verbs.iter().all(|(other, _)| other != verb));
    denied.or_else(|| unfounded.map(|(verb, _)| format!("not {verb}"))).or_else(|| {
        missing.iter().find_map(|word| {
            let other = passage.words.iter().find(|other| MeaningCache::are_opposites(word, other))?;
            Some(format!("{} / {}", word.lemma, other.lemma))
        })
    })
}

/// The lemmas of the verbs and predicates of a sentence, and whether each is denied.
fn verbs(parse: &Parse) -> Vec<(String, bool)> {
    // The parser cuts *n't* off its verb.
    let is_denial = |token: &ParsedToken| {
        let lemma = token.lemma.to_lowercase();
        matches!(lemma.as_str(), "no" | "n't" | "n’t") || lexical_roles(&lemma).has(LexicalRole::Negation)
    };
    parse
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| token.upos == probare_english::Upos::Verb)
        .map(|(at, token)| {
            let denied = parse.children(at).any(|child| {
                let child_token = &parse.tokens[child];
                let direct = child_token.relation.starts_with("advmod") && is_denial(child_token);
                // `No species moved`: the denial sits on the subject.
                let subject = child_token.relation.starts_with("nsubj")
                    && parse.children(child).any(|word| is_denial(&parse.tokens[word]));
                direct || subject
            });
            (token.lemma.to_lowercase(), denied)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(answer: &str, sources: &[&str]) -> Vec<ClaimVerdict> {
        let answer = ParsedAnswer::new(answer, sources);
        verify_claims(&answer, sources, "How did the canal change the sea?")
            .into_iter()
            .map(|claim| claim.verdict)
            .collect()
    }

    fn verified(answer: &str, sources: &[&str]) -> bool {
        verdicts(answer, sources).iter().all(ClaimVerdict::is_verified)
    }

    const SOURCE: &str =
        "The Suez Canal opened in 1869. It carried about 3,000 ships a year and did not cross the desert.";

    #[test]
    fn other_words_for_the_same_are_borne_out() {
        assert!(verified("In 1869 the canal was opened.", &[SOURCE]));
        assert!(verified("Three thousand ships were carried a year.", &[SOURCE]));
    }

    #[test]
    fn numbers_names_and_denials_must_agree() {
        assert_eq!(verdicts("The canal opened in 1896.", &[SOURCE]), [ClaimVerdict::Anchor("1896".into())]);
        assert!(matches!(&verdicts("The Panama Canal opened in 1869.", &[SOURCE])[0], ClaimVerdict::Words { .. }));
        assert!(matches!(&verdicts("It crossed the desert.", &[SOURCE])[0], ClaimVerdict::Opposite { .. }));
        assert!(matches!(&verdicts("The canal did not open in 1869.", &[SOURCE])[0], ClaimVerdict::Opposite { .. }));
    }

    #[test]
    fn lists_and_echoes_are_not_verified() {
        assert_eq!(verdicts("Suez, canal, ships, desert, sea, 1869", &[SOURCE]), [ClaimVerdict::NoStatement]);
        let copied = verdicts(SOURCE, &[SOURCE]);
        assert_eq!(copied, [ClaimVerdict::NoSource, ClaimVerdict::BesideTheQuestion]);
    }
}
