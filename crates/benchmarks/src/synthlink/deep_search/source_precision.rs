//! How many of the first five documents belong to a topic of the question.

use std::hash::Hash;

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, metric};
use probare_metrics::bounded_evidence::truncate_for_note;
use schemars::JsonSchema;
use serde::Deserialize;

use super::improved::{ArticleFinding, find_articles};
use super::inputs::{store_measure, topics, vocabulary};
use super::measures::{DocumentFinding, DocumentKeys, PLACES, Topics, WordInterner};

/// Options of `source_precision`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SourcePrecision {
    /// Which definition: by name (`published`), or by article (`improved`).
    pub profile: Profile,
    /// Name in the metadata of the titles that documents should belong to.
    pub topics: String,
}

impl Default for SourcePrecision {
    fn default() -> Self {
        Self { profile: Profile::Published, topics: "topics".into() }
    }
}

metric!(SourcePrecision as Pure {
    summary: "Share of the first five retrieved documents whose name holds a topic of the question",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Retrieved, Metadata],
    profiles: [Published, Improved],
    whole: |parts| Some(parts.get("relevant")? / parts.get("places")?),
    since: "0.1",
    version: 1,
    page: "source_precision.md",
});

impl Metric for SourcePrecision {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (retrieved, titles) = (sample.retrieved()?, topics(sample, &self.topics)?);
        let remarks = match self.profile {
            Profile::Published => by_name(&titles, retrieved, &mut vocabulary(sample).borrow_mut()),
            Profile::Improved => by_article(&titles, retrieved),
        };
        let relevant = remarks.iter().filter(|(kind, _)| *kind == EvidenceKind::Matched).count();
        let evidence = retrieved.iter().zip(remarks).enumerate().map(|(at, (name, (kind, note)))| {
            Evidence::at(kind, Field::Retrieved, 0..name.len(), name).in_item(at).with_note(note)
        });
        let beyond = retrieved.len().saturating_sub(PLACES);
        let note =
            (beyond > 0).then(|| Evidence::note(format!("{beyond} documents after the fifth are not looked at")));
        let score = Score::ratio(relevant, PLACES)?
            .with_part("relevant", relevant as f64)?
            .with_part("places", PLACES as f64)?;
        let outcome = score.because(evidence).because(note).into();
        store_measure(sample, self.cache_key(), &outcome);
        Ok(outcome)
    }
}

impl SourcePrecision {
    /// What the value depends on beside the case.
    pub(super) fn cache_key(&self) -> impl Hash {
        (DEF.id, self.profile, &self.topics)
    }
}

/// What there is to say about each document; relevant ones are `match_evidence`.
type Remarks = Vec<(EvidenceKind, String)>;

fn by_name(titles: &[&str], retrieved: &[String], vocabulary: &mut WordInterner) -> Remarks {
    let remark = |finding: DocumentFinding| match finding {
        DocumentFinding::Relevant(topic) => {
            (EvidenceKind::Matched, format!("belongs to the topic `{}`", truncate_for_note(titles[topic])))
        }
        DocumentFinding::Other => (EvidenceKind::Unsupported, "belongs to no topic".to_owned()),
        DocumentFinding::Repeats(earlier) => repeats(earlier),
        DocumentFinding::Nameless => (EvidenceKind::Unsupported, "has no name".to_owned()),
    };
    let topics = Topics::new(titles, vocabulary);
    topics.find(retrieved, &mut DocumentKeys::default(), vocabulary).map(remark).collect()
}

fn by_article(titles: &[&str], retrieved: &[String]) -> Remarks {
    let remark = |finding: ArticleFinding| match finding {
        ArticleFinding::ByTitle(topic) => {
            (EvidenceKind::Matched, format!("its title names the topic `{}`", truncate_for_note(titles[topic])))
        }
        ArticleFinding::ByText(topic) => {
            (EvidenceKind::Matched, format!("its text names the topic `{}`", truncate_for_note(titles[topic])))
        }
        ArticleFinding::Repeats(earlier) => repeats(earlier),
        ArticleFinding::Other => (EvidenceKind::Unsupported, "belongs to no topic".to_owned()),
    };
    find_articles(titles, retrieved).into_iter().map(remark).collect()
}

fn repeats(earlier: usize) -> (EvidenceKind, String) {
    (EvidenceKind::Unsupported, format!("repeats the document at place {}", earlier + 1))
}
