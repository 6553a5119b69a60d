//! Measures a model on the test part of a treebank: with the treebank's words, and from raw text.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::TrainError;
use crate::treebank::{self, AnnotatedSentence, AnnotatedToken};
use probare_english::{ParsedSentence, ParsedText, ParsedToken, Parser, Span};

/// Relations that are reported one by one: the ones that claims are made of.
const REPORTED: [&str; 6] = ["nsubj", "nsubj:pass", "obj", "obl", "cop", NEGATION];

/// Not a relation of the treebank: `advmod` from a word with the lemma "not" or "never".
const NEGATION: &str = "advmod (negation)";

/// Arcs of one relation, head and label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RelationScore {
    /// In the treebank.
    pub reference: usize,
    /// Drawn by the parser.
    pub predicted: usize,
    /// Both.
    pub right: usize,
}

impl RelationScore {
    /// Harmonic mean of precision and recall in percent.
    pub fn f1(self) -> f64 {
        percent(2 * self.right, self.reference + self.predicted)
    }
}

/// Counts from comparing parses with a treebank. Words are compared by their place in the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParserEvaluation {
    /// Words in the treebank.
    pub reference_words: usize,
    /// Words that the tokenizer found; equal to `reference_words` when the words were given.
    pub words: usize,
    /// Words that are in both, the base of the following counts.
    pub aligned: usize,
    /// Sentences in the treebank, found, and both.
    pub sentences: RelationScore,
    /// Right universal tags.
    pub upos: usize,
    /// Right Penn tags.
    pub xpos: usize,
    /// Right lemmas.
    pub lemma: usize,
    /// Right heads.
    pub heads: usize,
    /// Right heads with the right relation, subtypes included.
    pub labelled: usize,
    /// Relations one by one.
    pub relations: BTreeMap<&'static str, RelationScore>,
}

impl ParserEvaluation {
    /// F1 in percent of a count of right words; with given words this is plain accuracy.
    pub fn score(&self, right: usize) -> f64 {
        percent(2 * right, self.reference_words + self.words)
    }

    /// Counts one pair of a found and a true word. `head` says whether their heads are the same word.
    fn count(&mut self, token: &ParsedToken, gold: &AnnotatedToken, head: bool) {
        self.aligned += 1;
        self.upos += usize::from(token.upos == gold.tag.upos);
        self.xpos += usize::from(token.xpos == gold.tag.xpos);
        self.lemma += usize::from(token.lemma == gold.lemma);
        self.heads += usize::from(head);
        if head && token.relation == gold.relation {
            self.labelled += 1;
            self.relations.entry(gold.relation).or_default().right += 1;
            if is_negation(gold.relation, &gold.lemma) {
                self.relations.entry(NEGATION).or_default().right += 1;
            }
        }
    }

    fn count_reference(&mut self, sentence: &AnnotatedSentence) {
        self.reference_words += sentence.tokens.len();
        self.sentences.reference += 1;
        for token in &sentence.tokens {
            self.relations.entry(token.relation).or_default().reference += 1;
            if is_negation(token.relation, &token.lemma) {
                self.relations.entry(NEGATION).or_default().reference += 1;
            }
        }
    }

    fn count_predicted(&mut self, sentence: &ParsedSentence) {
        self.words += sentence.tokens.len();
        self.sentences.predicted += 1;
        for token in &sentence.tokens {
            self.relations.entry(token.relation).or_default().predicted += 1;
            if is_negation(token.relation, &token.lemma) {
                self.relations.entry(NEGATION).or_default().predicted += 1;
            }
        }
    }
}

/// The scores in one line.
impl fmt::Display for ParserEvaluation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "sentences {:.2} words {:.2} UPOS {:.2} XPOS {:.2} lemma {:.2} UAS {:.2} LAS {:.2}",
            self.sentences.f1(),
            self.score(self.aligned),
            self.score(self.upos),
            self.score(self.xpos),
            self.score(self.lemma),
            self.score(self.heads),
            self.score(self.labelled)
        )
    }
}

fn is_negation(relation: &str, lemma: &str) -> bool {
    relation == "advmod" && matches!(lemma, "not" | "never")
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Both evaluations of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationReport {
    /// The treebank's sentences and words were given.
    pub given_words: ParserEvaluation,
    /// Only the text was given.
    pub raw_text: ParserEvaluation,
}

impl fmt::Display for EvaluationReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, evaluation) in [("given words", &self.given_words), ("raw text", &self.raw_text)] {
            writeln!(formatter, "{name}: {evaluation}")?;
            for relation in REPORTED {
                let score = evaluation.relations.get(relation).copied().unwrap_or_default();
                writeln!(formatter, "  {relation}: F1 {:.2} of {} arcs", score.f1(), score.reference)?;
            }
        }
        Ok(())
    }
}

/// Measures a parser on the test part of the treebank in `data_dir`.
pub fn evaluate(data_dir: &Path, parser: &Parser) -> Result<EvaluationReport, TrainError> {
    let sentences = treebank::load_part(data_dir, "test")?;
    Ok(EvaluationReport {
        given_words: with_given_words(parser, &sentences),
        raw_text: from_raw_text(parser, &sentences),
    })
}

/// Parses the words of the treebank.
pub(crate) fn with_given_words(parser: &Parser, sentences: &[AnnotatedSentence]) -> ParserEvaluation {
    let mut evaluation = ParserEvaluation::default();
    for gold in sentences {
        let words: Vec<&str> = gold.tokens.iter().map(|token| token.form.as_str()).collect();
        let sentence = parser.parse_words(&words);
        evaluation.count_reference(gold);
        evaluation.count_predicted(&sentence);
        evaluation.sentences.right += 1;
        for (token, gold) in sentence.tokens.iter().zip(&gold.tokens) {
            evaluation.count(token, gold, token.head == gold.head);
        }
    }
    evaluation
}

/// Rebuilds the text of the treebank, parses it and compares words that have the same place.
fn from_raw_text(parser: &Parser, sentences: &[AnnotatedSentence]) -> ParserEvaluation {
    let (text, spans) = raw_text(sentences);
    let document = parser.parse(&text);
    let mut evaluation = ParserEvaluation::default();
    let mut by_span: BTreeMap<(usize, usize), (&ParsedToken, Option<&Span>)> = BTreeMap::new();
    let mut sentence_spans = std::collections::BTreeSet::new();
    let ParsedText { sentences: found } = &document;
    for sentence in found {
        evaluation.count_predicted(sentence);
        sentence_spans.insert((sentence.span().start, sentence.span().end));
        for token in &sentence.tokens {
            let head = token.head.map(|head| &sentence.tokens[head].span);
            by_span.insert((token.span.start, token.span.end), (token, head));
        }
    }
    for (gold, spans) in sentences.iter().zip(&spans) {
        evaluation.count_reference(gold);
        if let (Some(first), Some(last)) = (spans.first(), spans.last()) {
            evaluation.sentences.right += usize::from(sentence_spans.contains(&(first.start, last.end)));
        }
        for (token, span) in gold.tokens.iter().zip(spans) {
            if let Some((found, head)) = by_span.get(&(span.start, span.end)) {
                evaluation.count(found, token, *head == token.head.and_then(|head| spans.get(head)));
            }
        }
    }
    evaluation
}

/// The text as it was before annotation, with the place of every word.
fn raw_text(sentences: &[AnnotatedSentence]) -> (String, Vec<Vec<Span>>) {
    let mut text = String::new();
    let mut places = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        if sentence.new_paragraph && !text.is_empty() {
            text.truncate(text.trim_end().len());
            text.push_str("\n\n");
        }
        let mut spans = Vec::with_capacity(sentence.tokens.len());
        for token in &sentence.tokens {
            let start = text.len();
            text.push_str(&token.form);
            spans.push(start..text.len());
            if token.space_after {
                text.push(' ');
            }
        }
        places.push(spans);
    }
    (text, places)
}
