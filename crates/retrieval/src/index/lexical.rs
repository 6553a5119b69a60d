//! The index of words: BM25 through tantivy.
//!
//! tantivy finds the best passages; their scores are then added up here, term by term in the order of the question, so that
//! they do not depend on how the index happens to be cut into segments, and so that each term's share can be shown. Every
//! passage and term that is looked at is a step (`probare_cancellation`), so a search for which nobody waits ends.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use probare_cancellation::count_steps;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::query::{BooleanQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TantivyDocument, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{
    DocAddress, DocId, DocSet as _, IndexReader, IndexWriter, ReloadPolicy, Score, Searcher, SegmentReader, TERMINATED,
    TantivyError, Term,
};

use crate::RetrievalError;
use crate::tokenizer::{TermTokenizer, terms};

const TEXT: &str = "text";
const NUMBER: &str = "number";
const TOKENIZER: &str = "words";

/// Bytes that the writer may collect in each thread before it writes a segment.
const MEMORY: usize = 96 << 20;

/// Most threads that write.
const MOST_THREADS: usize = 8;

/// Two scores nearer to each other than this share may be equal but for rounding.
const ROUNDING: Score = 1e-5;

/// Terms up to which tantivy passes over what cannot be among the best. For more of them that takes longer than it saves, and
/// a question may have as many as it likes.
const MOST_TOGETHER: usize = 32;

struct Fields {
    schema: Schema,
    text: Field,
    number: Field,
}

fn fields() -> Fields {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(true);
    let text = schema.add_text_field(TEXT, TextOptions::default().set_indexing_options(indexing));
    let number = schema.add_u64_field(NUMBER, FAST);
    Fields { schema: schema.build(), text, number }
}

fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(TermTokenizer).build()
}

/// An index of words that is being written.
pub(super) struct LexicalWriter {
    writer: IndexWriter,
    fields: Fields,
    path: std::path::PathBuf,
}

impl LexicalWriter {
    /// In an empty folder.
    pub(super) fn create(path: &Path) -> Result<Self, RetrievalError> {
        let wrong = RetrievalError::words(path);
        let fields = fields();
        let index = tantivy::Index::create_in_dir(path, fields.schema.clone()).map_err(&wrong)?;
        index.tokenizers().register(TOKENIZER, analyzer());
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get).min(MOST_THREADS);
        let writer: IndexWriter = index.writer_with_num_threads(threads, MEMORY * threads).map_err(&wrong)?;
        // Segments are put together once, at the end.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self { writer, fields, path: path.to_owned() })
    }

    /// Takes in a passage.
    pub(super) fn add(&mut self, number: u64, text: &str) -> Result<(), RetrievalError> {
        let mut document = TantivyDocument::default();
        document.add_text(self.fields.text, text);
        document.add_u64(self.fields.number, number);
        self.writer.add_document(document).map(|_| ()).map_err(RetrievalError::words(&self.path))
    }

    /// Writes everything as one segment.
    pub(super) fn finish(mut self) -> Result<(), RetrievalError> {
        let wrong = RetrievalError::words(&self.path);
        self.writer.commit().map_err(&wrong)?;
        let segments = self.writer.index().searchable_segment_ids().map_err(&wrong)?;
        if segments.len() > 1 {
            self.writer.merge(&segments).wait().map_err(&wrong)?;
            self.writer.garbage_collect_files().wait().map_err(&wrong)?;
        }
        self.writer.wait_merging_threads().map_err(&wrong)
    }
}

/// A passage with its score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScoredPassage {
    pub(crate) number: u64,
    pub(crate) score: f64,
    /// Each term of the question that the passage holds, with its share.
    pub(crate) terms: Vec<(String, f64)>,
}

/// An index of words.
pub(super) struct LexicalIndex {
    reader: IndexReader,
    fields: Fields,
    path: std::path::PathBuf,
}

impl LexicalIndex {
    pub(super) fn open(path: &Path) -> Result<Self, RetrievalError> {
        let wrong = RetrievalError::words(path);
        let index = tantivy::Index::open_in_dir(path).map_err(&wrong)?;
        index.tokenizers().register(TOKENIZER, analyzer());
        let fields = fields();
        if index.schema() != fields.schema {
            return Err(wrong(TantivyError::SchemaError("it has other fields than are expected".to_owned())));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(&wrong)?;
        Ok(Self { reader, fields, path: path.to_owned() })
    }

    /// The `k` best passages for a question, best first, of equals the earlier one; only those whose number is let through.
    pub(super) fn search(
        &self,
        question: &str,
        k: usize,
        allowed: Option<&Arc<dyn Fn(u64) -> bool + Send + Sync>>,
    ) -> Result<Vec<ScoredPassage>, RetrievalError> {
        self.search_segments(question, k, allowed).map_err(RetrievalError::words(&self.path))
    }

    fn search_segments(
        &self,
        question: &str,
        k: usize,
        allowed: Option<&Arc<dyn Fn(u64) -> bool + Send + Sync>>,
    ) -> tantivy::Result<Vec<ScoredPassage>> {
        count_steps(question.len());
        let mut seen = HashSet::new();
        let words: Vec<String> = terms(question).into_iter().filter(|term| seen.insert(term.clone())).collect();
        if words.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let queries: Vec<TermQuery> = words
            .iter()
            .map(|term| TermQuery::new(Term::from_field_text(self.fields.text, term), IndexRecordOption::WithFreqs))
            .collect();
        let mut best = TopCandidates::new(k);
        for (segment, reader) in (0_u32..).zip(searcher.segment_readers()) {
            let numbers = reader.fast_fields().u64(NUMBER)?;
            let is_allowed =
                |document| allowed.is_none_or(|allowed| numbers.first(document).is_some_and(|number| allowed(number)));
            for_each_sum(&searcher, reader, &queries, &mut |document, score| {
                count_steps(1);
                if is_allowed(document) { best.offer(score, DocAddress::new(segment, document)) } else { best.least }
            })?;
        }
        let mut scored = score_passages(&searcher, &words, &queries, best.finish())?;
        scored.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.number.cmp(&other.number)));
        scored.truncate(k);
        Ok(scored)
    }
}

/// Tells the sum of every passage that holds a term. Whoever listens says which sums are too low to be told.
fn for_each_sum(
    searcher: &Searcher,
    reader: &SegmentReader,
    queries: &[TermQuery],
    tell: &mut dyn FnMut(DocId, Score) -> Score,
) -> tantivy::Result<()> {
    let scoring = EnableScoring::enabled_from_searcher(searcher);
    if queries.len() <= MOST_TOGETHER {
        let any = queries.iter().map(|query| (Occur::Should, Box::new(query.clone()) as Box<dyn Query>)).collect();
        return BooleanQuery::new(any).weight(scoring)?.for_each_pruning(Score::MIN, reader, tell);
    }
    let mut sums = vec![0.0_f64; reader.max_doc() as usize];
    for query in queries {
        count_steps(1);
        let mut scorer = query.weight(scoring)?.scorer(reader, 1.0)?;
        while scorer.doc() != TERMINATED {
            count_steps(1);
            sums[scorer.doc() as usize] += f64::from(scorer.score());
            scorer.advance();
        }
    }
    for (document, sum) in (0..).zip(sums).filter(|(_, sum)| *sum > 0.0) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "sums are compared in single precision, with room for rounding"
        )]
        tell(document, sum as Score);
    }
    Ok(())
}

/// The passages whose sums are among the `k` best so far, or equal to one of them but for rounding: of equals the earlier
/// passage goes first, so all of them must be there.
struct TopCandidates {
    k: usize,
    best: Vec<(Score, DocAddress)>,
    /// How many are kept before those that are no longer among the best go.
    room: usize,
    /// What is lower is not among the best.
    least: Score,
}

impl TopCandidates {
    const fn new(k: usize) -> Self {
        Self { k, best: Vec::new(), room: 256, least: Score::MIN }
    }

    fn offer(&mut self, score: Score, at: DocAddress) -> Score {
        if score >= self.least {
            self.best.push((score, at));
            if self.best.len() >= self.room {
                self.cut();
            }
        }
        self.least
    }

    fn cut(&mut self) {
        if self.best.len() > self.k {
            let (_, (last, _), _) =
                self.best.select_nth_unstable_by(self.k - 1, |one, other| other.0.total_cmp(&one.0));
            let least = *last - last.abs() * ROUNDING;
            self.best.retain(|(score, _)| *score >= least);
            self.least = least;
        }
        // Each cut pays for as many offers as it leaves.
        self.room = self.best.len() * 2 + 256;
    }

    fn finish(mut self) -> Vec<DocAddress> {
        self.cut();
        self.best.into_iter().map(|(_, at)| at).collect()
    }
}

/// The scores of some passages, term by term.
fn score_passages(
    searcher: &Searcher,
    words: &[String],
    queries: &[TermQuery],
    mut addresses: Vec<DocAddress>,
) -> tantivy::Result<Vec<ScoredPassage>> {
    addresses.sort_unstable();
    let mut scored: HashMap<DocAddress, ScoredPassage> = HashMap::new();
    for address in &addresses {
        let segment = searcher.segment_reader(address.segment_ord);
        let number = segment.fast_fields().u64(NUMBER)?.first(address.doc_id).unwrap_or(u64::MAX);
        scored.insert(*address, ScoredPassage { number, score: 0.0, terms: Vec::new() });
    }
    for (term, query) in words.iter().zip(queries) {
        count_steps(1);
        let weight: Box<dyn Weight> = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
        let mut rest = addresses.as_slice();
        while let Some(first) = rest.first() {
            let end = rest.partition_point(|address| address.segment_ord == first.segment_ord);
            let (mut here, behind) = rest.split_at(end);
            rest = behind;
            let mut scorer = weight.scorer(searcher.segment_reader(first.segment_ord), 1.0)?;
            // Passages that lack the term are passed over together, and so are those that nobody asks about.
            while let Some(address) = here.first() {
                count_steps(1);
                let document = if scorer.doc() < address.doc_id { scorer.seek(address.doc_id) } else { scorer.doc() };
                if document == address.doc_id
                    && let Some(scored) = scored.get_mut(address)
                {
                    let share = f64::from(scorer.score());
                    scored.score += share;
                    scored.terms.push((term.clone(), share));
                }
                let passed = document.saturating_add(u32::from(document == address.doc_id));
                here = &here[here.partition_point(|address| address.doc_id < passed)..];
            }
        }
    }
    Ok(scored.into_values().collect())
}
