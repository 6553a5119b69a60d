//! Which output comes next to be labelled: by chance, where people or metrics disagree, nearest the threshold, or what is unsure.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use probare_core::{Better, CaseResult, DecisionThresholds, MetricInfo, Outcome, SampleKey};
use probare_stats::Random;
use probare_store::CasePosition;
use serde::Deserialize;

use super::LabelsQuery;
use super::agreement::LabelsByOutput;
use crate::labels::{DEFER, LabelDraw, LatestLabel, Levels};

/// Labels that an estimate is planned with first; then twice as many, and so on.
const LABELS_PER_ROUND: usize = 40;

/// Which output comes next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabellingOrder {
    /// Any, drawn from a seed.
    #[default]
    Chance,
    /// Where people disagree; then where models and repeats of a case do, or this metric and the others.
    Disagreement,
    /// The value that is nearest to the threshold.
    Threshold,
    /// What the metric calls `unsure`.
    Unsure,
    /// What `probare estimate --next` names with the same seed.
    Estimate,
}

impl LabellingOrder {
    /// All ways, with their words.
    pub const ALL: [(&str, Self); 5] = [
        ("chance", Self::Chance),
        ("disagreement", Self::Disagreement),
        ("threshold", Self::Threshold),
        ("unsure", Self::Unsure),
        ("estimate", Self::Estimate),
    ];
}

/// Data set, row, number of the model, repeat and number of the prompt of an output. The model is absent where the answer of
/// the file is meant, and the prompt where the run has one.
pub type OutputPosition = (u32, u64, Option<u32>, u32, Option<u32>);

/// An output that can be labelled.
pub(super) struct LabelCandidate {
    pub key: SampleKey,
    pub id: String,
    pub model: Option<String>,
    pub prompt: Option<String>,
    pub value: f64,
    pub is_unsure: bool,
    /// How far what metrics say lies apart, about this output and about the others of its case: from 0 to 1.
    split: f64,
}

impl LabelCandidate {
    pub const fn position(&self) -> OutputPosition {
        (self.key.dataset, self.key.row, self.key.model, self.key.repeat, self.key.prompt)
    }

    pub fn case(&self) -> CasePosition {
        (self.key.dataset.into(), self.key.row.cast_signed())
    }

    /// A number of its own for chance, whatever else the run has.
    fn random_rank(&self, seed: u64) -> u64 {
        let (dataset, row, model, repeat, prompt) = self.position();
        let of_prompt = prompt.map_or(0, |prompt| (u64::from(prompt) + 1) << 20);
        let of_model = model.map_or(0, |model| u64::from(model) + 1);
        Random::substream(seed ^ (u64::from(dataset) << 48) ^ (of_model << 32) ^ of_prompt ^ u64::from(repeat), row)
            .next_u64()
    }
}

/// The outputs of a run that have a value of a metric.
pub(in crate::viewer) struct LabelCandidates {
    pub(super) info: MetricInfo,
    pub(super) levels: Levels,
    pub(super) thresholds: Option<DecisionThresholds>,
    pub(super) threshold: f64,
    /// All outputs, with and without a value.
    pub(super) outputs: usize,
    pub(super) list: Vec<LabelCandidate>,
    pub(super) by_name: HashMap<(String, u32), Vec<usize>>,
    /// Digests of the answers that somebody labelled.
    pub(super) answers: Mutex<HashMap<usize, Option<String>>>,
}

/// A value as a share of its range, the better the larger; nothing where the range has no ends.
fn goodness(info: &MetricInfo, value: f64) -> Option<f64> {
    let (low, high) = info.range;
    let share = (value - low) / (high - low);
    let share = share.is_finite().then(|| share.clamp(0.0, 1.0))?;
    Some(if info.better == Better::Lower { 1.0 - share } else { share })
}

impl LabelCandidates {
    pub(super) fn new(info: &MetricInfo) -> Self {
        let thresholds = DecisionThresholds::take_from_options(&mut info.options.clone()).ok().flatten();
        Self {
            levels: Levels::for_metric(&info.id, &info.options),
            info: info.clone(),
            thresholds,
            threshold: 0.0,
            outputs: 0,
            list: Vec::new(),
            by_name: HashMap::new(),
            answers: Mutex::default(),
        }
    }

    pub(super) fn add(&mut self, result: &CaseResult, metrics: &[MetricInfo], place: usize) {
        self.outputs += 1;
        let score = |at: usize| match result.results.get(at) {
            Some(Ok(Outcome::Scored(score))) => Some(score),
            _ => None,
        };
        let (Some(own), Some(key)) = (score(place), result.case.sample) else { return };
        let others: Vec<f64> = (metrics.iter().enumerate())
            .filter(|(at, _)| *at != place)
            .filter_map(|(at, info)| goodness(info, score(at)?.value.get()))
            .collect();
        let value = own.value.get();
        let apart = goodness(&self.info, value).zip(probare_stats::mean(&others)).map(|(own, mean)| (own - mean).abs());
        self.by_name.entry((result.case.id.clone(), key.occurrence)).or_default().push(self.list.len());
        self.list.push(LabelCandidate {
            key,
            id: result.case.id.clone(),
            model: result.model.clone(),
            prompt: result.prompt.clone(),
            value,
            is_unsure: own.is_unsure(),
            split: apart.unwrap_or(0.0),
        });
    }

    /// What only all outputs together say: how far those of one case lie apart, and where the middle is.
    pub(super) fn finish(&mut self) {
        let mut ends: HashMap<CasePosition, (f64, f64)> = HashMap::new();
        for candidate in &self.list {
            let Some(good) = goodness(&self.info, candidate.value) else { continue };
            let (low, high) = ends.entry(candidate.case()).or_insert((good, good));
            (*low, *high) = (low.min(good), high.max(good));
        }
        for candidate in &mut self.list {
            let (low, high) = ends.get(&candidate.case()).copied().unwrap_or_default();
            candidate.split = candidate.split.max(high - low);
        }
        let (low, high) = self.info.range;
        let middle = f64::midpoint(low, high);
        let of_thresholds = self.thresholds.and_then(|thresholds| match (thresholds.pass, thresholds.fail) {
            (Some(pass), Some(fail)) => Some(f64::midpoint(pass, fail)),
            (one, other) => one.or(other),
        });
        let of_values = || {
            let mut values: Vec<f64> = self.list.iter().map(|one| one.value).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        self.threshold = of_thresholds.or(middle.is_finite().then_some(middle)).unwrap_or_else(of_values);
    }

    /// Whether every case has one output, and the metric a range: otherwise nobody can draw cases for an estimate.
    pub(super) fn can_be_drawn(&self) -> bool {
        let (low, high) = self.info.range;
        (high - low).is_finite() && self.by_name.values().all(|outputs| outputs.len() == 1)
    }

    /// The open outputs in the order of `probare estimate --next`.
    fn drawn(&self, seed: u64, is_open: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.list.len()).collect();
        places.sort_by(|left, right| self.list[*left].id.cmp(&self.list[*right].id));
        let ids: Vec<String> = places.iter().map(|at| self.list[*at].id.clone()).collect();
        let scores: Vec<f64> =
            places.iter().map(|at| goodness(&self.info, self.list[*at].value).unwrap_or_default()).collect();
        let draw = LabelDraw { ids: &ids, scores: &scores, seed };
        let sequence = draw.sequence(|place| !is_open(places[place]), LABELS_PER_ROUND);
        sequence.into_iter().map(|place| places[place]).collect()
    }

    /// The next output: of those that the person has not decided, those that they deferred last.
    pub(super) fn next<'a>(
        &self,
        asked: &LabelsQuery,
        threshold: f64,
        said: &LabelsByOutput<'a>,
        own: impl Fn(usize) -> Option<&'a LatestLabel>,
    ) -> Option<usize> {
        let quarrel = |at: usize| {
            let words = said.for_output(at).iter().map(|one| one.label.label.as_str());
            words.filter(|word| *word != DEFER).collect::<BTreeSet<_>>().len() > 1
        };
        let mut open: Vec<(bool, f64, u64, usize)> = (self.list.iter().enumerate())
            .filter(|(_, one)| asked.order != LabellingOrder::Unsure || one.is_unsure)
            .filter_map(|(at, one)| {
                let is_deferred = match own(at) {
                    Some(decision) if decision.label.label != DEFER => return None,
                    deferred => deferred.is_some(),
                };
                let rank = match asked.order {
                    LabellingOrder::Chance | LabellingOrder::Unsure | LabellingOrder::Estimate => 0.0,
                    LabellingOrder::Disagreement => -(one.split + f64::from(quarrel(at)) * 2.0),
                    LabellingOrder::Threshold => (one.value - threshold).abs(),
                };
                Some((is_deferred, rank, one.random_rank(asked.seed), at))
            })
            .collect();
        if open.is_empty() {
            return None;
        }
        if asked.order == LabellingOrder::Estimate {
            let is_open = |at: usize| open.iter().any(|(is_deferred, .., one)| *one == at && !is_deferred);
            let drawn = self.drawn(asked.seed, is_open);
            let deferred = open.iter().filter(|(is_deferred, ..)| *is_deferred).map(|(.., at)| *at);
            let all: Vec<usize> = drawn.into_iter().chain(deferred).collect();
            return all.get(asked.skip % all.len().max(1)).copied();
        }
        let skip = asked.skip % open.len();
        let order = |left: &(bool, f64, u64, usize), right: &(bool, f64, u64, usize)| {
            (left.0.cmp(&right.0))
                .then(left.1.total_cmp(&right.1))
                .then(left.2.cmp(&right.2))
                .then(left.3.cmp(&right.3))
        };
        let (_, next, _) = open.select_nth_unstable_by(skip, order);
        Some(next.3)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use probare_core::{Case, Profile, Score};
    use serde_json::json;

    use super::*;

    fn info(name: &str, better: Better) -> MetricInfo {
        let mut info = MetricInfo::new(name, probare_metrics::registry().get("token_f1").unwrap(), Profile::default());
        info.better = better;
        info
    }

    /// Ten outputs of five cases: the values of the labelled metric, and of another one.
    pub(in crate::viewer::labels) fn candidates(values: &[(f64, f64)], unsure: &[usize]) -> LabelCandidates {
        let metrics = [info("own", Better::Higher), info("other", Better::Lower)];
        let mut made = LabelCandidates::new(&metrics[0]);
        for (at, (own, other)) in values.iter().enumerate() {
            let row = at as u64 / 2;
            let key = SampleKey { row, model: Some(u32::from(at % 2 == 1)), ..SampleKey::default() };
            let case = Case { id: format!("c{row}"), sample: Some(key), ..Case::default() };
            let mut score = Score::from_number(*own).unwrap();
            if unsure.contains(&at) {
                score = Score { label: Some("unsure".into()), ..score };
            }
            let results = vec![Ok(Outcome::Scored(score)), Ok(Outcome::Scored(Score::from_number(*other).unwrap()))];
            made.add(&CaseResult::new(case, results), &metrics, 0);
        }
        made.finish();
        made
    }

    pub(in crate::viewer::labels) fn decision(label: &str, by: &str) -> LatestLabel {
        let text = json!({"id": "c0", "label": label, "by": by, "at": 1});
        LatestLabel::from_label(serde_json::from_value(text).unwrap(), 0..0)
    }

    fn order(candidates: &LabelCandidates, order: LabellingOrder, said: &LabelsByOutput<'_>, by: &str) -> Vec<usize> {
        let own = |at: usize| said.by_person(at, by);
        let next = |skip| {
            let asked = LabelsQuery { order, skip, seed: 3, ..LabelsQuery::default() };
            candidates.next(&asked, candidates.threshold, said, own)
        };
        let first = next(0);
        // It begins anew behind the last.
        let more = (1..).map(next).take_while(|next| *next != first && next.is_some());
        first.iter().copied().chain(more.flatten()).collect()
    }

    #[test]
    fn the_next_output_is_drawn_or_chosen() {
        // The other metric is the better the lower: it agrees with all but the fourth.
        let values = [(0.9, 0.1), (0.9, 0.1), (0.45, 0.5), (0.4, 0.0), (0.1, 0.9), (0.8, 0.2)];
        let candidates = candidates(&values, &[1, 4]);
        assert_eq!(candidates.threshold, 0.5);
        let nothing = LabelsByOutput::default();
        assert_eq!(order(&candidates, LabellingOrder::Threshold, &nothing, "Ada")[..2], [2, 3]);
        // The two of the third case lie farthest apart; then comes where the metrics do not agree.
        let split = order(&candidates, LabellingOrder::Disagreement, &nothing, "Ada");
        assert_eq!(split[..2].iter().collect::<BTreeSet<_>>(), BTreeSet::from([&4, &5]));
        assert_eq!(split[2], 3);
        let mut unsure = order(&candidates, LabellingOrder::Unsure, &nothing, "Ada");
        unsure.sort_unstable();
        assert_eq!(unsure, [1, 4]);
        let drawn = order(&candidates, LabellingOrder::Chance, &nothing, "Ada");
        assert_eq!(drawn, order(&candidates, LabellingOrder::Chance, &nothing, "Ben"), "the same seed, the same order");
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 6, "every one comes once: {drawn:?}");
    }

    #[test]
    fn an_estimate_has_its_cases_labelled_in_the_order_in_which_they_are_drawn() {
        let metrics = [info("own", Better::Higher)];
        let mut candidates = LabelCandidates::new(&metrics[0]);
        for at in 0..100_u32 {
            let key = SampleKey { row: u64::from(at), ..SampleKey::default() };
            let case = Case { id: format!("c{at}"), sample: Some(key), ..Case::default() };
            let score = Score::from_number(f64::from(at % 10) / 10.0).unwrap();
            candidates.add(&CaseResult::new(case, vec![Ok(Outcome::Scored(score))]), &metrics, 0);
        }
        candidates.finish();
        assert!(candidates.can_be_drawn());
        let mut ids: Vec<String> = candidates.list.iter().map(|one| one.id.clone()).collect();
        ids.sort();
        let score = |id: &String| candidates.list.iter().find(|one| one.id == *id).unwrap().value;
        let scores: Vec<f64> = ids.iter().map(score).collect();
        let planned = LabelDraw { ids: &ids, scores: &scores, seed: 3 }.next_of_strata(|_| false, 40).unwrap();
        let expected: Vec<&String> = planned.iter().map(|case| &ids[case.place]).collect();
        let drawn = order(&candidates, LabellingOrder::Estimate, &LabelsByOutput::default(), "Ada");
        let found: Vec<&String> = drawn[..40].iter().map(|at| &candidates.list[*at].id).collect();
        assert_eq!(found, expected);
        assert_eq!(drawn.len(), 100);
    }

    #[test]
    fn what_people_disagree_about_comes_first_and_what_was_put_off_last() {
        let candidates = candidates(&[(0.9, 0.1), (0.9, 0.1), (0.5, 0.5), (0.5, 0.5)], &[]);
        let (yes, no, off) = (decision("pass", "Ada"), decision("fail", "Ben"), decision("defer", "Eve"));
        let mut said = LabelsByOutput::default();
        for (at, decision) in [(2, &yes), (2, &no), (0, &off)] {
            said.add(at, decision);
        }
        let of_eve = order(&candidates, LabellingOrder::Disagreement, &said, "Eve");
        assert_eq!((of_eve[0], of_eve.last()), (2, Some(&0)), "{of_eve:?}");
        let of_ada = order(&candidates, LabellingOrder::Disagreement, &said, "Ada");
        assert!(!of_ada.contains(&2) && of_ada.len() == 3, "{of_ada:?}");
    }
}
