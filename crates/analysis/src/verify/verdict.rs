//! [`Verdict`]: what a verification came to.

use std::collections::BTreeMap;
use std::fmt;

use probare_models::CacheFile;

/// This many disagreements are kept; all are counted.
const KEPT: usize = 100;

/// One place where the file and the computation differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The case, if it is about one.
    pub case: Option<String>,
    /// The metric, if it is about one.
    pub metric: Option<String>,
    /// What differs.
    pub reason: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.case, &self.metric) {
            (Some(case), Some(metric)) => write!(formatter, "case `{case}`, {metric}: {}", self.reason),
            (Some(case), None) => write!(formatter, "case `{case}`: {}", self.reason),
            (None, Some(metric)) => write!(formatter, "{metric}: {}", self.reason),
            (None, None) => formatter.write_str(&self.reason),
        }
    }
}

/// Which response cache answered for models and programs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// The cache, and whether the user named it.
    pub file: CacheFile,
    /// Replies and outcomes that came from it.
    pub used: u64,
    /// Entries that were ignored, since they carry no owner tag of this user.
    pub ignored: u64,
}

/// What a verification came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Cases computed again.
    pub cases: u64,
    /// Scores computed again.
    pub scores: u64,
    /// Spans held against the text they point into.
    pub spans: u64,
    /// Inputs whose digest was compared.
    pub inputs: u64,
    /// How many places differ.
    pub different: u64,
    /// The first of them.
    pub disagreements: Vec<Disagreement>,
    /// Metrics that could not be computed again, because a model was asked or because they are retired.
    pub unchecked: Vec<String>,
    /// Those of them that are retired.
    pub retired: Vec<String>,
    /// Those of them that code of a user computed, which is started only where the user allows it.
    pub own_code: Vec<String>,
    /// Scores of single cases that could not be computed again, because a reply is not recorded, by their metric.
    pub unrecorded: BTreeMap<String, u64>,
    /// What else of the file was not held against anything, each as a sentence.
    pub parts: Vec<String>,
    /// Metrics that rest on replies.
    pub(super) judged: Vec<String>,
    /// Those of them that miss a reply for the case that is being compared.
    pub(super) absent: Vec<String>,
    /// How many of the places are about which metric.
    pub(super) of_metric: BTreeMap<String, u64>,
    /// Whose response cache was used.
    pub cache: CacheUse,
    /// What else the reader should know.
    pub notes: Vec<String>,
    /// Whether the user ended it.
    pub interrupted: bool,
}

impl Verdict {
    /// Whether everything that was compared agrees.
    pub const fn agrees(&self) -> bool {
        self.different == 0
    }

    /// A metric could not be computed again after all: what differed about it means nothing.
    pub(super) fn leave_unchecked(&mut self, metric: &str) {
        self.different -= self.of_metric.remove(metric).unwrap_or_default();
        self.disagreements.retain(|place| place.metric.as_deref() != Some(metric));
        if !self.unchecked.iter().any(|known| known == metric) {
            self.unchecked.push(metric.to_owned());
        }
    }

    /// Takes the scores that could not be computed again out of the count.
    pub(super) fn discount_unchecked(&mut self) {
        let of_cases = self.unrecorded.iter().filter(|(metric, _)| !self.unchecked.contains(metric));
        let unchecked = self.unchecked.len() as u64 * self.cases + of_cases.map(|(_, scores)| scores).sum::<u64>();
        self.scores = self.scores.saturating_sub(unchecked);
    }

    /// Metrics of which something could not be computed again: their sums mean nothing.
    pub(super) fn incomplete(&self) -> Vec<String> {
        self.unchecked.iter().chain(self.unrecorded.keys()).cloned().collect()
    }

    /// Whether a reply for a score of the case that is being compared is not recorded; it is counted then.
    pub(super) fn lacks_reply(&mut self, metric: &str) -> bool {
        let lacks = self.absent.iter().any(|name| name == metric);
        if lacks {
            *self.unrecorded.entry(metric.to_owned()).or_default() += 1;
        }
        lacks
    }

    pub(super) fn about_file(&mut self, reason: String) {
        self.add(None, None, reason);
    }

    pub(super) fn about_case(&mut self, case: &str, reason: String) {
        self.add(Some(case), None, reason);
    }

    pub(super) fn add(&mut self, case: Option<&str>, metric: Option<&str>, reason: String) {
        self.different += 1;
        if let Some(metric) = metric {
            *self.of_metric.entry(metric.to_owned()).or_default() += 1;
        }
        if self.disagreements.len() < KEPT {
            let (case, metric) = (case.map(str::to_owned), metric.map(str::to_owned));
            self.disagreements.push(Disagreement { case, metric, reason });
        }
    }
}
