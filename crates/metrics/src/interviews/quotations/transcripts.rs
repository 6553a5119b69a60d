//! [`Transcripts`]: texts that a run holds citations against beside the passages of a case.

use std::collections::BTreeMap;
use std::sync::Arc;

use probare_core::{Passage, Sample};
use probare_text::normalise::verbatim_quote;
use probare_text::python::strip;

use super::QuotationSource;

/// Key in the metadata of a passage that is a whole transcript: the name of the transcript.
pub const TRANSCRIPT_KEY: &str = "transcript";

/// Transcripts by their names, each searched with one index for the whole run.
#[derive(Debug, Default)]
pub struct Transcripts {
    sources: Vec<QuotationSource<'static>>,
    names: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Transcripts {
    /// Names and texts in order; of two with the same name the later one is found by it.
    pub fn new(texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut transcripts = Self::default();
        for (name, text) in texts {
            transcripts.places.insert(name.clone(), transcripts.names.len());
            transcripts.names.push(name);
            transcripts.sources.push(QuotationSource::new(text));
        }
        transcripts
    }

    /// Gives them to the run, for whoever checks citations.
    pub fn share_with_run(this: &Arc<Self>, sample: Sample<'_>) {
        sample.run_cached(0, || Arc::clone(this));
    }

    /// Those that were given to the run; none where nobody did.
    pub(super) fn from_run(sample: Sample<'_>) -> Arc<Self> {
        Arc::clone(&sample.run_cached(0, Arc::<Self>::default))
    }

    /// The place of a transcript.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The name at a place.
    pub fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The name of the transcript that has a quotation, letter by letter or typography aside, or comes nearest to it;
    /// the first of several.
    pub fn best_match(&self, quote: &str) -> Option<&str> {
        let normal = verbatim_quote(strip(quote));
        if normal.is_empty() {
            return None;
        }
        let exact = self.sources.iter().position(|source| source.find_exact(strip(quote)).is_some());
        let place = exact.or_else(|| self.sources.iter().position(|source| source.find(&normal, 0).is_some()));
        let place = place.or_else(|| {
            let distances = self
                .sources
                .iter()
                .enumerate()
                .filter_map(|(place, source)| Some((source.nearest(&normal)?.distance, place)));
            distances.min().map(|(_, place)| place)
        });
        place.map(|place| self.name(place))
    }

    /// The byte at which a quotation starts in a transcript, typography aside.
    pub fn start_of(&self, place: usize, quote: &str) -> Option<usize> {
        let source = self.sources.get(place)?;
        let normal = verbatim_quote(strip(quote));
        source.find(&normal, 0).map(|range| source.form().original_span(range).start)
    }

    /// The transcript at a place.
    pub fn get(&self, place: usize) -> Option<&QuotationSource<'static>> {
        self.sources.get(place)
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = &QuotationSource<'static>> {
        self.sources.iter()
    }

    /// The transcript that a passage is a whole copy of.
    pub(super) fn copied_transcript(&self, passage: &Passage) -> Option<usize> {
        let place = self.place(passage.metadata.get(TRANSCRIPT_KEY)?.as_str()?)?;
        (self.sources[place].content() == passage.text).then_some(place)
    }
}
