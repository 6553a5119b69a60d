//! The context as sentences of stems, with the sentences that each stem stands in.

use probare_english::lexicon::LexicalRole;
use probare_english::text_analysis::{AnalysisSentence, TextAnalysis};
use probare_text::porter;
use probare_text::wordnet::WordNet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::finding::ContextPlace;

/// A stem that the context has.
pub(super) type StemId = usize;

/// Sentences of a stem that are remembered. A word that stands in more does not tell which sentence is meant.
pub(super) const MOST_PLACES: usize = 64;

/// Letters that a name shares with what is made from it: Brazil, Brazilian.
const NAME_ROOT: usize = 5;

/// Letters of a name that is cut short: Mon, Thu.
const SHORTEST_ROOT: usize = 3;

/// The sentences of all chunks.
pub(super) struct ContextIndex {
    /// The chunks.
    analyses: Vec<TextAnalysis>,
    sentences: Vec<SentenceLocation>,
    /// Words as written, in lower case, with their stems.
    words: FxHashMap<String, StemId>,
    stems: FxHashMap<String, StemId>,
    /// For each stem the first sentences that hold it, in order.
    places: Vec<Vec<usize>>,
    /// For each stem in how many sentences it stands.
    counts: Vec<usize>,
    /// Beginnings of words with a capital.
    roots: FxHashSet<String>,
    /// First letters of runs of words with a capital.
    initials: FxHashSet<String>,
}

struct SentenceLocation {
    chunk: usize,
    /// Its number in the chunk.
    number: usize,
    span: std::ops::Range<usize>,
}

impl ContextIndex {
    /// Reads the chunks.
    pub fn new(chunks: &[&str]) -> Self {
        let mut sources = Self {
            analyses: Vec::with_capacity(chunks.len()),
            sentences: Vec::new(),
            words: FxHashMap::default(),
            stems: FxHashMap::default(),
            places: Vec::new(),
            counts: Vec::new(),
            roots: FxHashSet::default(),
            initials: FxHashSet::default(),
        };
        for (chunk, text) in chunks.iter().enumerate() {
            let analysis = TextAnalysis::new(text);
            for (number, sentence) in analysis.sentences.iter().enumerate() {
                let index = sources.sentences.len();
                let mut run = String::new();
                for token in sentence.tokens.clone() {
                    probare_cancellation::count_steps(1);
                    let word = &analysis.tokens[token];
                    if !word.is_word {
                        continue;
                    }
                    if word.is_capital {
                        let lower = analysis.word(token);
                        sources.roots.extend((SHORTEST_ROOT..=NAME_ROOT).filter_map(|length| root(lower, length)));
                        run.extend(lower.chars().next());
                        if run.len() > 1 {
                            sources.initials.insert(run.clone());
                        }
                    } else if !word.roles.has(LexicalRole::Function) {
                        run.clear();
                    }
                    for part in word_parts(analysis.word(token)) {
                        sources.add(part, index);
                    }
                }
                sources.sentences.push(SentenceLocation { chunk, number, span: analysis.sentence_span(sentence) });
            }
            sources.analyses.push(analysis);
        }
        sources
    }

    fn add(&mut self, word: &str, sentence: usize) {
        let stem = if let Some(&stem) = self.words.get(word) {
            stem
        } else {
            let next = self.places.len();
            let stem = *self.stems.entry(porter::stem(word)).or_insert(next);
            if stem == next {
                self.places.push(Vec::new());
                self.counts.push(0);
            }
            self.words.insert(word.to_owned(), stem);
            stem
        };
        let places = &mut self.places[stem];
        if places.last() != Some(&sentence) {
            self.counts[stem] += 1;
            if places.len() < MOST_PLACES {
                places.push(sentence);
            }
        }
    }

    /// The stem of a word in lower case, if the context has it.
    pub fn stem(&self, word: &str) -> Option<StemId> {
        self.words.get(word).or_else(|| self.stems.get(&porter::stem(word))).copied()
    }

    /// The first sentences that hold a stem.
    pub fn places(&self, stem: StemId) -> &[usize] {
        &self.places[stem]
    }

    /// Whether a sentence is among those that are remembered for a stem.
    pub fn is_in(&self, stem: StemId, sentence: usize) -> bool {
        self.places[stem].binary_search(&sentence).is_ok()
    }

    /// Whether a stem stands in more sentences than are remembered.
    pub fn is_everywhere(&self, stem: StemId) -> bool {
        self.counts[stem] > MOST_PLACES
    }

    /// How much a word tells: more, the fewer sentences hold it.
    pub fn weight(&self, stem: Option<StemId>) -> f64 {
        let count = stem.map_or(0, |stem| self.counts[stem]);
        ((self.sentences.len() + 1) as f64 / (count as f64 + 0.5)).ln().max(0.0)
    }

    /// Whether the context has a name of this beginning, or one that these are the first letters of.
    pub fn has_name_like(&self, word: &str) -> bool {
        let length = word.chars().count().min(NAME_ROOT);
        root(word, length).is_some_and(|root| self.roots.contains(&root)) || self.initials.contains(word)
    }

    /// How many sentences there are.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Where a sentence stands.
    pub fn source_of(&self, sentence: usize) -> ContextPlace {
        let SentenceLocation { chunk, span, .. } = &self.sentences[sentence];
        ContextPlace { chunk: *chunk, span: span.clone() }
    }

    /// A sentence with the analysis that it belongs to.
    pub fn sentence(&self, sentence: usize) -> (&TextAnalysis, &AnalysisSentence) {
        let SentenceLocation { chunk, number, .. } = self.sentences[sentence];
        let analysis = &self.analyses[chunk];
        (analysis, &analysis.sentences[number])
    }
}

/// The first letters of a word that has as many.
fn root(word: &str, length: usize) -> Option<String> {
    let end = word.char_indices().nth(length).map_or(word.len(), |(at, _)| at);
    (word.chars().count() >= length).then(|| word[..end].to_owned())
}

/// The parts of a word between hyphens, without the ending of a possessive.
pub(super) fn word_parts(word: &str) -> impl Iterator<Item = &str> {
    word.split('-').map(|part| part.strip_suffix("'s").unwrap_or(part)).filter(|part| !part.is_empty()).take(MOST_PARTS)
}

/// Parts of a word that are looked at. A word of more, such as `1-1-1-…`, is none; each part costs the length of its word.
const MOST_PARTS: usize = 32;

/// Whether a word with a capital is part of a name: inside a sentence, or at its beginning before another one, if it is no common
/// word ("Substitute Emre Talay").
pub(super) fn is_name(analysis: &TextAnalysis, sentence: &AnalysisSentence, token: usize) -> bool {
    let follows = token > sentence.content_start && analysis.word(token - 1) != ".";
    let is_common = || !WordNet::embedded().parts_of_speech(analysis.word(token)).is_empty();
    follows || analysis.tokens.get(token + 1).is_some_and(|next| next.is_word && next.is_capital) && !is_common()
}
