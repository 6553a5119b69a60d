//! The cases of compared runs: what identifies one, how many have a counterpart, and what each run says of one.

use std::collections::BTreeMap;

use probare_core::{Case, MetricInfo, MetricResult};
use serde::Serialize;

/// How many cases have a counterpart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// Cases of both runs.
    pub matched: u64,
    /// Cases of the baseline alone.
    pub only_baseline: u64,
    /// Cases of the other run alone.
    pub only_other: u64,
    /// Cases of the same id whose question or reference is another one; they are not compared.
    pub different_content: u64,
}

/// What identifies a case in all runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CaseIdentity {
    /// Id of the case.
    pub id: String,
    /// The model, where a run has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Which case of this id, counted from 0.
    pub occurrence: u32,
}

/// What a run says of a case that changed, for who wants to see why.
#[derive(Debug, Clone, Default)]
pub struct CaseEvidence {
    /// The case, where its texts are at hand.
    pub case: Option<Case>,
    /// What each metric of the run said.
    pub named: Vec<(MetricInfo, MetricResult)>,
}

/// What all runs say of the cases that changed, in the order of the runs.
pub type EvidenceByCase = BTreeMap<CaseIdentity, Vec<Option<CaseEvidence>>>;
