//! The index of words: BM25 through tantivy.
//!
//! tantivy finds the best passages; their scores are then added up here, term by term in the order of the question, so that
//! they do not depend on how the index happens to be cut into segments, and so that each term's share can be shown.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use tantivy::collector::{FilterCollector, TopDocs};
use tantivy::merge_policy::NoMergePolicy;
use tantivy::query::{BooleanQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TantivyDocument, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, DocSet as _, IndexReader, IndexWriter, ReloadPolicy, Score, TantivyError, Term};

use crate::RetrievalError;
use crate::words::{Words, terms};

const TEXT: &str = "text";
const NUMBER: &str = "number";
const TOKENIZER: &str = "words";

/// Bytes that the writer may collect in each thread before it writes a segment.
const MEMORY: usize = 96 << 20;

/// Most threads that write.
const MOST_THREADS: usize = 8;

/// Two scores nearer to each other than this share may be equal but for rounding.
const ROUNDING: f64 = 1e-5;

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
    TextAnalyzer::builder(Words).build()
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
pub(crate) struct Scored {
    pub(crate) number: u64,
    pub(crate) score: f64,
    /// Each term of the question that the passage holds, with its share.
    pub(crate) terms: Vec<(String, f64)>,
}

/// An index of words.
pub(super) struct Lexical {
    reader: IndexReader,
    fields: Fields,
    path: std::path::PathBuf,
}

impl Lexical {
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
        allowed: Option<Arc<dyn Fn(u64) -> bool + Send + Sync>>,
    ) -> Result<Vec<Scored>, RetrievalError> {
        self.found(question, k, allowed).map_err(RetrievalError::words(&self.path))
    }

    fn found(
        &self,
        question: &str,
        k: usize,
        allowed: Option<Arc<dyn Fn(u64) -> bool + Send + Sync>>,
    ) -> tantivy::Result<Vec<Scored>> {
        let mut wanted: Vec<String> = Vec::new();
        for term in terms(question) {
            if !wanted.contains(&term) {
                wanted.push(term);
            }
        }
        if wanted.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let searcher = self.reader.searcher();
        let queries: Vec<TermQuery> = wanted
            .iter()
            .map(|term| TermQuery::new(Term::from_field_text(self.fields.text, term), IndexRecordOption::WithFreqs))
            .collect();
        let any: Vec<(Occur, Box<dyn Query>)> =
            queries.iter().map(|query| (Occur::Should, Box::new(query.clone()) as Box<dyn Query>)).collect();
        let query = BooleanQuery::new(any);
        let most = usize::try_from(searcher.num_docs()).unwrap_or(usize::MAX).max(1);
        let mut limit = k.saturating_add(k / 2).saturating_add(8).min(most);
        let addresses = loop {
            let top = TopDocs::with_limit(limit).order_by_score();
            let found: Vec<(Score, DocAddress)> = match &allowed {
                None => searcher.search(&query, &top)?,
                Some(allowed) => {
                    let allowed = Arc::clone(allowed);
                    let filtered = FilterCollector::new(NUMBER.to_owned(), move |number: u64| allowed(number), top);
                    searcher.search(&query, &filtered)?
                }
            };
            // Passages that equal the last one wanted must all be there, since the earlier ones go first.
            let is_enough = found.len() < limit || limit == most || {
                let (last_wanted, last) = (f64::from(found[k - 1].0), f64::from(found[limit - 1].0));
                last < last_wanted - last_wanted.abs() * ROUNDING
            };
            if is_enough {
                break found;
            }
            limit = limit.saturating_mul(4).min(most);
        };
        let mut scored =
            self.scored(&searcher, &wanted, &queries, addresses.into_iter().map(|(_, at)| at).collect())?;
        scored.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.number.cmp(&other.number)));
        scored.truncate(k);
        Ok(scored)
    }

    /// The scores of some passages, term by term.
    fn scored(
        &self,
        searcher: &tantivy::Searcher,
        wanted: &[String],
        queries: &[TermQuery],
        mut addresses: Vec<DocAddress>,
    ) -> tantivy::Result<Vec<Scored>> {
        addresses.sort_unstable();
        let mut scored: HashMap<DocAddress, Scored> = HashMap::new();
        for address in &addresses {
            let segment = searcher.segment_reader(address.segment_ord);
            let number = segment.fast_fields().u64(NUMBER)?.first(address.doc_id).unwrap_or(u64::MAX);
            scored.insert(*address, Scored { number, score: 0.0, terms: Vec::new() });
        }
        for (term, query) in wanted.iter().zip(queries) {
            let weight: Box<dyn Weight> = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
            let mut scorers: HashMap<u32, Box<dyn tantivy::query::Scorer>> = HashMap::new();
            for address in &addresses {
                let scorer = match scorers.entry(address.segment_ord) {
                    std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::hash_map::Entry::Vacant(free) => {
                        free.insert(weight.scorer(searcher.segment_reader(address.segment_ord), 1.0)?)
                    }
                };
                if scorer.doc() < address.doc_id {
                    scorer.seek(address.doc_id);
                }
                if scorer.doc() == address.doc_id
                    && let Some(scored) = scored.get_mut(address)
                {
                    let share = f64::from(scorer.score());
                    scored.score += share;
                    scored.terms.push((term.clone(), share));
                }
            }
        }
        Ok(scored.into_values().collect())
    }
}
