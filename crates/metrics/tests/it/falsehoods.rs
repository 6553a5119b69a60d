//! False sentences made from true ones: how many of each kind the careful `hallucination` accepts, and how many of the true ones.
//!
//! A sentence that is supported gets a value, name or noun of the same kind in the place of another, a denial more or less, or other
//! roles. The counts are a table of `docs/judgement.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use probare_english::Parser;
use probare_english::claims::{ClaimOptions, claims};
use probare_english::lexicon::{LexicalRole, lexical_roles};
use probare_english::text_analysis::TextAnalysis;
use probare_text::wordnet::{PartOfSpeech, WordNet};

use crate::card::{Share, page_has};
use crate::labels::{label, natural_answers};

/// How a sentence was made false.
type Kind = &'static str;

/// A sentence and its words.
struct SentenceWords<'t> {
    text: &'t str,
    analysis: TextAnalysis,
}

/// A token of a sentence with its word.
type Word<'t> = (usize, &'t str);

impl<'t> SentenceWords<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, analysis: TextAnalysis::new(text) }
    }

    fn words(&self) -> impl Iterator<Item = Word<'t>> + '_ {
        let tokens = self.analysis.tokens.iter().enumerate().filter(|(_, token)| token.is_word);
        tokens.map(|(at, token)| (at, &self.text[token.origin.clone()]))
    }

    fn numbers(&self) -> Vec<Word<'t>> {
        self.words().filter(|(_, word)| word.starts_with(|first: char| first.is_ascii_digit())).collect()
    }

    /// Nouns that are no names.
    fn nouns(&self) -> Vec<Word<'t>> {
        self.words().filter(|&(at, word)| at > 0 && !self.analysis.tokens[at].is_capital && is_noun(word)).collect()
    }

    /// Words with a capital inside the sentence that are no common words.
    fn names(&self) -> Vec<Word<'t>> {
        let is_name = |at: usize, word: &str| {
            let is_inside = at > 0 && self.analysis.tokens[at - 1].is_word;
            let is_common = WordNet::embedded().parts_of_speech(&word.to_lowercase()).contains(PartOfSpeech::Verb);
            is_inside && self.analysis.tokens[at].is_capital && word.len() > 2 && !is_common
        };
        self.words().filter(|&(at, word)| is_name(at, word)).collect()
    }

    /// The sentence with other words in some places.
    fn with(&self, changes: &[(usize, &str)]) -> String {
        let mut changes = changes.to_vec();
        changes.sort_by_key(|(token, _)| std::cmp::Reverse(*token));
        let mut text = self.text.to_owned();
        for (token, word) in changes {
            text.replace_range(self.analysis.tokens[token].origin.clone(), word);
        }
        text
    }

    fn has(&self, sought: &str) -> bool {
        self.words().any(|(_, word)| word.eq_ignore_ascii_case(sought))
    }

    /// Where the first finite verb begins, and so its subject ends.
    fn subject_end(&self) -> Option<usize> {
        let verbs = [" is ", " are ", " was ", " were ", " has ", " will ", " must ", " can "];
        verbs.iter().filter_map(|verb| self.text.find(verb)).min().filter(|at| (3..50).contains(at))
    }

    /// The middle, at a space.
    fn middle(&self) -> Option<usize> {
        let count = self.text.matches(' ').count();
        (count >= 6).then(|| self.text.match_indices(' ').nth(count / 2))?.map(|(at, _)| at)
    }
}

fn is_noun(word: &str) -> bool {
    let lower = word.to_lowercase();
    word.len() > 4
        && !lexical_roles(&lower).has(LexicalRole::Function)
        && WordNet::embedded().parts_of_speech(&lower).contains(PartOfSpeech::Noun)
}

/// A denial behind the first auxiliary, or the one that is there taken out.
fn denied(sentence: &SentenceWords<'_>) -> Option<(Kind, String)> {
    const AUXILIARIES: [&str; 11] = ["is", "are", "was", "were", "has", "have", "will", "can", "must", "may", "should"];
    let words: Vec<Word<'_>> = sentence.words().collect();
    let pair = words.windows(2).find(|pair| AUXILIARIES.contains(&pair[0].1))?;
    let [(token, auxiliary), (next, word)] = [pair[0], pair[1]];
    Some(if word == "not" {
        ("denial taken out", sentence.with(&[(next, "")]))
    } else {
        ("denial put in", sentence.with(&[(token, &format!("{auxiliary} not"))]))
    })
}

/// Subject and object in each other's place. Of a verb of being that would be no other role.
fn roles_exchanged(sentence: &SentenceWords<'_>) -> Option<String> {
    let claims = claims(&Parser::english().parse(sentence.text), &ClaimOptions::improved());
    let claim = claims.iter().find(|claim| {
        let is_pronoun = |text: &str| lexical_roles(&text.to_lowercase()).has(LexicalRole::Function);
        claim.lemma != "be" && !is_pronoun(&claim.subject.text) && !is_pronoun(&claim.object.text)
    })?;
    let mut spans = [claim.subject.span.clone(), claim.object.span.clone()];
    spans.sort_by_key(|span| span.start);
    let [first, second] = spans;
    let text = sentence.text;
    (first.end <= second.start).then(|| {
        let (before, between, after) = (&text[..first.start], &text[first.end..second.start], &text[second.end..]);
        format!("{before}{}{between}{}{after}", &text[second.clone()], &text[first.clone()])
    })
}

/// False sentences made from a true one, and others of its context.
fn falsified(sentence: &str, others: &[&str]) -> Vec<(Kind, String)> {
    let sentence = SentenceWords::new(sentence);
    let mut made: Vec<(Kind, String)> = Vec::new();
    made.extend(denied(&sentence));
    made.extend(roles_exchanged(&sentence).map(|text| ("subject and object exchanged", text)));
    let (numbers, names, nouns) = (sentence.numbers(), sentence.names(), sentence.nouns());
    for (kind, list) in [("numbers exchanged", &numbers), ("names exchanged", &names), ("nouns exchanged", &nouns)] {
        for pair in list.windows(2).filter(|pair| !pair[0].1.eq_ignore_ascii_case(pair[1].1)) {
            made.push((kind, sentence.with(&[(pair[0].0, pair[1].1), (pair[1].0, pair[0].1)])));
        }
    }
    for other in others.iter().map(|other| SentenceWords::new(other)) {
        for (kind, own, theirs) in [
            ("number of another sentence", &numbers, other.numbers()),
            ("name of another sentence", &names, other.names()),
            ("noun of another sentence", &nouns, other.nouns()),
        ] {
            let new = theirs.iter().rfind(|(_, word)| !sentence.has(word));
            if let (Some((token, _)), Some((_, word))) = (own.last(), new) {
                made.push((kind, sentence.with(&[(*token, word)])));
            }
        }
        if let (Some(middle), Some(there)) = (sentence.middle(), other.middle()) {
            made.push(("two sentences merged", format!("{}{}", &sentence.text[..middle], &other.text[there..])));
        }
        if let (Some(at), Some(there)) = (sentence.subject_end(), other.subject_end())
            && !sentence.text.contains(&other.text[..there])
            && !other.text.contains(&sentence.text[..at])
        {
            made.push(("subject of another sentence", format!("{}{}", &other.text[..there], &sentence.text[at..])));
        }
    }
    made
}

/// Sentences of one kind, and what became of them.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    made: usize,
    supported: usize,
    flagged: usize,
}

impl Tally {
    fn add(&mut self, label: &str) {
        self.made += 1;
        self.supported += usize::from(label == "supported");
        self.flagged += usize::from(matches!(label, "contradicted" | "unsupported"));
    }

    fn row(self, kind: &str) -> String {
        let share = Share { part: self.supported, all: self.made }.percent();
        format!("| {kind} | {} | {} | {share} | {} |", self.made, self.supported, self.flagged)
    }
}

#[derive(Debug, Default)]
struct Attack {
    originals: Tally,
    kinds: BTreeMap<Kind, Tally>,
}

impl Attack {
    /// The sentences of a context are true of it.
    fn on_context(&mut self, context: &[String]) {
        let analyses: Vec<(TextAnalysis, &String)> =
            context.iter().map(|text| (TextAnalysis::new(text), text)).collect();
        let spans = |(analysis, text): &(TextAnalysis, &'_ String)| -> Vec<String> {
            analysis.sentences.iter().map(|sentence| text[analysis.sentence_span(sentence)].to_owned()).collect()
        };
        let sentences: Vec<String> = analyses.iter().flat_map(spans).collect();
        for (number, sentence) in sentences.iter().enumerate() {
            let given = label(sentence, context);
            self.originals.add(given);
            if given != "supported" {
                continue;
            }
            let others: Vec<&str> = (1..sentences.len().min(3))
                .map(|ahead| sentences[(number + ahead) % sentences.len()].as_str())
                .collect();
            for (kind, text) in falsified(sentence, &others) {
                let given = label(&text, context);
                self.kinds.entry(kind).or_default().add(given);
                if given == "supported" {
                    println!("{kind}: `{text}` for `{sentence}`");
                }
            }
        }
    }

    fn all(&self) -> Tally {
        self.kinds.values().fold(Tally::default(), |sum, tally| Tally {
            made: sum.made + tally.made,
            supported: sum.supported + tally.supported,
            flagged: sum.flagged + tally.flagged,
        })
    }

    fn rows(&self, originals: &str, all: &str) -> Vec<String> {
        let kinds = self.kinds.iter().map(|(kind, tally)| tally.row(kind));
        [self.originals.row(originals)].into_iter().chain(kinds).chain([self.all().row(all)]).collect()
    }
}

#[test]
fn false_sentences_made_from_true_ones_are_not_supported() {
    let mut contexts: Vec<Vec<String>> = Vec::new();
    for file in ["labels/development.jsonl", "rag/development.jsonl", "ordinary/responses_development.jsonl"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled").join(file);
        contexts.extend(fs::read_to_string(path).unwrap().lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            serde_json::from_value(row["context"].clone()).unwrap()
        }));
    }
    contexts.dedup();
    contexts.truncate(150);
    let mut attack = Attack::default();
    for context in &contexts {
        attack.on_context(context);
    }
    let rows = attack.rows("*true: the sentences themselves*", "all false ones");
    println!("{}", rows.join("\n"));
    let all = attack.all();
    assert!(all.made >= 500 && attack.originals.supported >= 100, "{attack:?}");
    assert!(all.supported as f64 <= 0.03 * all.made as f64, "{all:?}: {attack:?}");
    page_has(&rows);
}

/// Natural answers that are supported, with one sentence made false: how many stay supported. Long answers are decided by a value, so
/// this says what a value does not see.
#[test]
fn falsified_natural_answers_are_counted() {
    let Some(answers) = natural_answers() else { return };
    let mut attack = Attack::default();
    for answer in answers.iter().filter(|answer| !answer.unfaithful) {
        let given = label(&answer.response, &answer.context);
        attack.originals.add(given);
        if given != "supported" {
            continue;
        }
        let analysis = TextAnalysis::new(&answer.response);
        for sentence in analysis.sentences.iter().take(4) {
            let place = analysis.sentence_span(sentence);
            for (kind, text) in falsified(&answer.response[place.clone()], &[]).into_iter().take(4) {
                let mut response = answer.response.clone();
                response.replace_range(place.clone(), &text);
                attack.kinds.entry(kind).or_default().add(label(&response, &answer.context));
            }
        }
    }
    let rows = attack.rows("*true: natural answers that people find faithful*", "all with one false sentence");
    println!("{}", rows.join("\n"));
    page_has(&rows);
}
