//! The rows of a table of quotations as cases.

use std::sync::Arc;

use probare_core::{Case, CaseBatch, CaseSource, Citation, InputFile, Problem, ReadProgress, SourceError};
use probare_formats::CaseReader;
use probare_metrics::interviews::quotations::Transcripts;
use serde_json::{Value as Json, json};

/// One case for each row.
pub(super) struct QuoteRows {
    pub(super) rows: CaseReader,
    pub(super) quote: String,
    pub(super) source: Option<String>,
    pub(super) transcripts: Arc<Transcripts>,
}

struct QuoteBatch {
    rows: Box<dyn CaseBatch>,
    quote: String,
    source: Option<String>,
    transcripts: Arc<Transcripts>,
}

impl CaseSource for QuoteRows {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let batch = self.rows.next_batch()?;
        Some(batch.map(|rows| {
            let (quote, source) = (self.quote.clone(), self.source.clone());
            Box::new(QuoteBatch { rows, quote, source, transcripts: Arc::clone(&self.transcripts) })
                as Box<dyn CaseBatch>
        }))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        self.rows.inputs()
    }

    fn progress(&self) -> Option<Arc<dyn ReadProgress>> {
        self.rows.progress()
    }
}

impl CaseBatch for QuoteBatch {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.rows.cases().into_iter().map(|case| case.map(|case| self.case(case))).collect()
    }
}

impl QuoteBatch {
    /// The row with its quotation as a citation. Where it names no source, the file that has it, or comes nearest, is
    /// taken for one.
    fn case(&self, mut case: Case) -> Case {
        let quote = value(&case, &self.quote).unwrap_or(Json::Null);
        let said = self.source.as_deref().and_then(|column| value(&case, column));
        let said = said.as_ref().and_then(Json::as_str).map(str::trim).filter(|name| !name.is_empty());
        let source = match said {
            Some(name) => Some(self.full_name(name).unwrap_or(name).to_owned()),
            None => quote.as_str().and_then(|quote| self.transcripts.best_match(quote)).map(str::to_owned),
        };
        if let Some(name) = said {
            let name = json!(name);
            case.metadata.insert("said".to_owned(), name);
        }
        case.citations = Some(vec![Citation { source_index: Json::Null, quote, source }]);
        case.context = Some(Vec::new());
        case
    }

    /// The file that a name means: its path, its name, or its name without the extension, case aside.
    fn full_name(&self, name: &str) -> Option<&str> {
        if self.transcripts.place(name).is_some() {
            return self.transcripts.names().find(|known| *known == name);
        }
        let file = |path: &'_ str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let stem = |path: &str| file(path).rsplit_once('.').map_or_else(|| file(path), |(stem, _)| stem.to_owned());
        let by_file = self.transcripts.names().find(|known| file(known) == file(name));
        by_file.or_else(|| self.transcripts.names().find(|known| stem(known) == file(name)))
    }
}

/// What a column holds, wherever the reader of cases has put it.
fn value(case: &Case, column: &str) -> Option<Json> {
    let known = case.metadata.get(column).cloned();
    known.or_else(|| match column {
        "text" | "query" => case.query.as_ref().map(|text| json!(text)),
        _ => None,
    })
}
