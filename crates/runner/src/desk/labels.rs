//! People's labels at a desk: which output comes next, what somebody decides about it, and how far people and a metric agree.
//!
//! What a metric says of an output, whose it is and what others said is not part of an answer before the person has decided. A label
//! goes into one file, which is only ever added to, and changes no score.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use probare_core::{Bands, Better, CaseResult, MetricInfo, Outcome, SampleKey, closest};
use probare_report::Options;
use probare_report::html::{case_entry, case_record, page_settings};
use probare_stats::agreement::{Weights, cohen_kappa, cohen_kappa_pairs};
use probare_stats::{Level, Random, resampled};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::pages::read;
use super::sources::quoted;
use super::{Desk, DeskError, OpenRun, Version};
use crate::labels::{DEFER, Decision, LabelError, LabelFile, Levels, answer_digest};
use crate::store::{CasePlace, FoundSample, Label, STORE};

/// Which output comes next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NextBy {
    /// Any, drawn from a seed.
    #[default]
    Chance,
    /// Where people disagree; then where models and repeats of a case do, or this metric and the others.
    Disagreement,
    /// The value that is nearest to the threshold.
    Threshold,
    /// What the metric calls `unsure`.
    Unsure,
}

impl NextBy {
    /// All ways, with their words.
    pub const ALL: [(&str, Self); 4] = [
        ("chance", Self::Chance),
        ("disagreement", Self::Disagreement),
        ("threshold", Self::Threshold),
        ("unsure", Self::Unsure),
    ];
}

/// Data set, row, number of the model and repeat of an output. The model is absent where the answer of the file is meant.
pub type OutputPlace = (u32, u64, Option<u32>, u32);

/// What somebody who labels wants to see.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelsAsked {
    /// Key of the run.
    pub run: String,
    /// The metric that the labels are about; the first judge, or the first metric, where it is empty.
    pub metric: String,
    /// Who labels.
    pub by: String,
    /// Which output comes next.
    pub order: NextBy,
    /// From what chance is drawn.
    pub seed: u64,
    /// From where on a value passes; see [`Desk::labels`].
    pub threshold: Option<f64>,
    /// How many outputs that are not decided are passed over.
    pub skip: usize,
    /// One output, in place of the next.
    pub at: Option<OutputPlace>,
}

/// What somebody decides.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelGiven {
    /// About which output.
    pub asked: LabelsAsked,
    /// `pass`, `fail`, `defer` or the name of a level.
    pub label: String,
    /// Why.
    #[serde(default)]
    pub note: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// Characters of a name and of a tag, tags of a label, and characters of a note.
const LONGEST_NAME: usize = 80;
const MOST_TAGS: usize = 16;
const LONGEST_NOTE: usize = 4000;

/// How far the interval of kappa may reach to each side.
const REACH: f64 = 0.1;

/// The seed of intervals, which is that of `probare judge calibrate`.
const SEED: u64 = 1;

/// Runs and metrics whose values are kept.
const KEPT: usize = 4;

/// An output that can be labelled.
struct Candidate {
    key: SampleKey,
    id: String,
    model: Option<String>,
    value: f64,
    is_unsure: bool,
    /// How far what metrics say lies apart, about this output and about the others of its case: from 0 to 1.
    split: f64,
}

impl Candidate {
    const fn place(&self) -> OutputPlace {
        (self.key.dataset, self.key.row, self.key.model, self.key.repeat)
    }

    fn case(&self) -> CasePlace {
        (self.key.dataset.into(), self.key.row.cast_signed())
    }

    /// A number of its own for chance, whatever else the run has.
    fn drawn(&self, seed: u64) -> u64 {
        let (dataset, row, model, repeat) = self.place();
        let of_model = model.map_or(0, |model| u64::from(model) + 1);
        Random::numbered(seed ^ (u64::from(dataset) << 48) ^ (of_model << 32) ^ u64::from(repeat), row).bits()
    }
}

/// The outputs of a run that have a value of a metric.
pub(super) struct Candidates {
    info: MetricInfo,
    levels: Levels,
    bands: Option<Bands>,
    threshold: f64,
    /// All outputs, with and without a value.
    outputs: usize,
    list: Vec<Candidate>,
    by_name: HashMap<(String, u32), Vec<usize>>,
    /// Digests of the answers that somebody labelled.
    answers: Mutex<HashMap<usize, Option<String>>>,
}

/// Candidates that were asked for, and what they were of.
pub(super) type KeptCandidates = (String, String, Version, Arc<Candidates>);

/// What people said about the outputs of a run: by output, then by person.
#[derive(Default)]
struct Said<'a> {
    of: HashMap<usize, Vec<&'a Decision>>,
    /// The outputs as they were first labelled, which is the order of `probare judge calibrate`: the same labels have the same interval.
    order: Vec<usize>,
}

impl<'a> Said<'a> {
    fn add(&mut self, at: usize, decision: &'a Decision) {
        let all = self.of.entry(at).or_default();
        if all.is_empty() {
            self.order.push(at);
        }
        all.push(decision);
    }

    fn of(&self, at: usize) -> &[&'a Decision] {
        self.of.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    fn by(&self, at: usize, name: &str) -> Option<&'a Decision> {
        self.of(at).iter().find(|one| one.label.by == name).copied()
    }

    fn people(&self) -> BTreeSet<&'a str> {
        self.of.values().flatten().map(|one| one.label.by.as_str()).collect()
    }
}

impl Desk {
    /// Keeps labels in this file, in place of `labels.jsonl` beside the store. A file that is there and no file of labels is refused.
    pub fn labelled_in(mut self, path: PathBuf) -> Result<Self, DeskError> {
        self.labels = LabelFile::new(path);
        self.labels.decisions()?;
        Ok(self)
    }

    /// The lines of the file that count.
    pub fn labels_exported(&self) -> Result<Vec<u8>, DeskError> {
        Ok(self.labels.export()?)
    }

    /// Where labelling stands, and the output that is asked for or comes next. A value passes from the threshold on: where it is not
    /// given that is the middle of the metric's bands, of its range, or of its values.
    pub fn labels(&self, asked: &LabelsAsked) -> Result<Json, DeskError> {
        let run = self.find(&asked.run)?;
        let candidates = self.candidates(&run, &asked.metric)?;
        let decisions = self.labels.decisions()?;
        let said = self.said(&run, &candidates, &decisions)?;
        let threshold = asked.threshold.filter(|at| at.is_finite()).unwrap_or(candidates.threshold);
        let metrics = &run.stored.plan.metrics;
        let by = asked.by.trim();
        let own = |at: usize| said.by(at, by);
        let is_decided = |at: usize| own(at).is_some_and(|one| one.label.label != DEFER);
        let at = match asked.at {
            Some(place) => candidates.list.iter().position(|one| one.place() == place).ok_or(DeskError::NoCase)?.into(),
            None => candidates.next(asked, threshold, &said, own),
        };
        let sample = match at.filter(|_| !by.is_empty()) {
            Some(at) => Some(self.shown(&run, &candidates.list[at], own(at), said.of(at), is_decided(at))?),
            None => None,
        };
        let labelled = |name: &str, is_deferred: bool| {
            let own = said.order.iter().filter_map(|at| said.by(*at, name));
            own.filter(|one| (one.label.label == DEFER) == is_deferred).count()
        };
        let people: Vec<Json> =
            said.people().iter().map(|name| json!({"name": name, "decided": labelled(name, false)})).collect();
        let unsure = candidates.list.iter().filter(|one| one.is_unsure).count();
        Ok(json!({
            "run": Self::described(&run),
            "settings": page_settings(metrics),
            "metric": candidates.info.name,
            "summary": candidates.info.summary,
            "question": candidates.info.options.get("question"),
            "levels": candidates.levels.all(),
            "threshold": threshold,
            "bands": candidates.bands,
            "file": self.labels.path().display().to_string(),
            "exists": self.labels.path().exists(),
            "command": self.command(&run, &candidates),
            "torn": self.labels.torn()?,
            "people": people,
            "outputs": candidates.outputs,
            "labellable": candidates.list.len(),
            "unsure": unsure,
            "decided": labelled(by, false),
            "deferred": labelled(by, true),
            "agreements": candidates.agreements(by, threshold, &said),
            "sample": sample,
        }))
    }

    /// The command that holds the labels against the metric.
    fn command(&self, run: &OpenRun, candidates: &Candidates) -> String {
        let (file, name) = (quoted(&self.labels.path().display().to_string()), quoted(&candidates.info.name));
        if candidates.info.id.starts_with("judge_") {
            return format!("probare judge calibrate {file} --metric {name}");
        }
        let results = match &run.results {
            Some(_) => run.name.clone(),
            None => run.stored.run.to_string(),
        };
        let models: BTreeSet<&str> = candidates.list.iter().filter_map(|one| one.model.as_deref()).collect();
        let results = match models.first() {
            Some(model) if models.len() > 1 => format!("{results}@{model}"),
            _ => results,
        };
        let is_other = run.results.is_none() && run.store != Path::new(STORE);
        let store =
            if is_other { format!(" --store {}", quoted(&run.store.display().to_string())) } else { String::new() };
        format!("probare calibrate {}{store} --labels {file} --metric {name}", quoted(&results))
    }

    /// Keeps what somebody decided, and gives what [`Desk::labels`] gives for the same output.
    pub fn label(&self, given: &LabelGiven) -> Result<Json, DeskError> {
        let asked = &given.asked;
        let run = self.find(&asked.run)?;
        let candidates = self.candidates(&run, &asked.metric)?;
        let wrong = |words: String| DeskError::Label(LabelError::Refused(words));
        let is_plain = |text: &str, most: usize| text.chars().count() <= most && !text.chars().any(char::is_control);
        let by = asked.by.trim();
        if by.is_empty() || !is_plain(by, LONGEST_NAME) {
            return Err(wrong(format!("a name of 1 to {LONGEST_NAME} characters says who labels")));
        }
        let words = ["pass", "fail", DEFER].into_iter();
        let known: Vec<&str> = words.chain(candidates.levels.all().iter().map(|level| level.label.as_str())).collect();
        if !known.contains(&given.label.as_str()) {
            return Err(wrong(format!("a label of `{}` is one of {}", candidates.info.name, known.join(", "))));
        }
        let tags: Vec<String> =
            given.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
        if tags.len() > MOST_TAGS || !tags.iter().all(|tag| is_plain(tag, LONGEST_NAME)) {
            return Err(wrong(format!("at most {MOST_TAGS} tags of at most {LONGEST_NAME} characters are kept")));
        }
        let note = given.note.trim();
        if note.chars().count() > LONGEST_NOTE {
            return Err(wrong(format!("a note has at most {LONGEST_NOTE} characters")));
        }
        let place = asked.at.ok_or(DeskError::NoCase)?;
        let candidate = candidates.list.iter().find(|one| one.place() == place).ok_or(DeskError::NoCase)?;
        let FoundSample { result, dataset, .. } = self.sample(&run, candidate)?;
        let has_several = run.stored.plan.datasets.len() > 1;
        self.labels.add(&Label {
            id: candidate.id.clone(),
            occurrence: candidate.key.occurrence,
            dataset: has_several.then_some(dataset),
            model: candidate.model.clone(),
            repeat: Some(candidate.key.repeat),
            metric: Some(candidates.info.name.clone()),
            label: given.label.clone(),
            note: Some(note.to_owned()).filter(|note| !note.is_empty()),
            tags,
            by: by.to_owned(),
            at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            case: Some(result.case),
        })?;
        self.labels(asked)
    }

    /// The outputs of a run that have a value of a metric, found once.
    fn candidates(&self, run: &OpenRun, metric: &str) -> Result<Arc<Candidates>, DeskError> {
        let metrics = &run.stored.plan.metrics;
        let first = || metrics.iter().find(|info| info.id.starts_with("judge_")).or_else(|| metrics.first());
        let info = if metric.is_empty() { first() } else { metrics.iter().find(|info| info.name == metric) };
        let Some(info) = info else {
            let hint = match closest(metric, metrics.iter().map(|info| info.name.as_str())) {
                Some(similar) => format!("; a similar name exists: `{similar}`"),
                None => String::new(),
            };
            let shown: String = metric.chars().take(80).collect();
            return Err(DeskError::Label(LabelError::Refused(format!("the run has no metric `{shown}`{hint}"))));
        };
        let lock = || self.labelling.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |(key, name, version, _): &&KeptCandidates| {
            *key == run.key && *name == info.name && *version == run.version()
        };
        if let Some((.., kept)) = lock().iter().find(is_same) {
            return Ok(Arc::clone(kept));
        }
        let mut made = Candidates::new(info);
        let place = metrics.iter().position(|one| one.name == info.name).unwrap_or_default();
        self.with(&run.store, |store| {
            store.each_value(run.stored.run, metrics, |result, _| made.add(&result, metrics, place))
        })?;
        made.finish();
        let made = Arc::new(made);
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((run.key.clone(), info.name.clone(), run.version(), Arc::clone(&made)));
        Ok(made)
    }

    /// An output with its texts and everything that was said about it.
    fn sample(&self, run: &OpenRun, candidate: &Candidate) -> Result<FoundSample, DeskError> {
        let metrics = &run.stored.plan.metrics;
        let found =
            self.with(&run.store, |store| store.samples_at(run.stored.run, metrics, &[candidate.case()], true))?;
        let is_it = |sample: &FoundSample| {
            sample
                .result
                .case
                .sample
                .is_some_and(|key| (key.model, key.repeat) == (candidate.key.model, candidate.key.repeat))
        };
        found.into_iter().find(is_it).ok_or(DeskError::NoCase)
    }

    /// An output as it is labelled: its texts alone until the person has decided.
    fn shown(
        &self,
        run: &OpenRun,
        candidate: &Candidate,
        own: Option<&Decision>,
        others: &[&Decision],
        is_decided: bool,
    ) -> Result<Json, DeskError> {
        let FoundSample { mut result, dataset, .. } = self.sample(run, candidate)?;
        let options = Options { gates: run.gates.clone(), ..Options::default() };
        let metrics = &run.stored.plan.metrics;
        let (dataset_number, row, model, repeat) = candidate.place();
        let mut told = json!({
            "at": (dataset_number, row, model, repeat),
            "case": candidate.case(),
            "id": candidate.id,
            "dataset": if run.stored.plan.datasets.len() > 1 { Some(dataset) } else { None },
            "own": own.map(|one| &one.label),
        });
        if is_decided {
            let others: Vec<&Label> = others
                .iter()
                .map(|one| &one.label)
                .filter(|label| own.is_none_or(|own| own.label.by != label.by))
                .collect();
            told["others"] = json!(others);
            told["model"] = json!(result.model);
            told["repeat"] = repeat.into();
            told["entry"] = read(case_entry(&result, metrics, &options));
            told["record"] = read(case_record(&result, metrics));
        } else {
            result.model = None;
            result.results.clear();
            if let Some(response) = &mut result.case.response {
                response.model = None;
            }
            told["entry"] = read(case_entry(&result, &[], &Options::default()));
            told["record"] = read(case_record(&result, &[]));
        }
        Ok(told)
    }

    /// What people said about the outputs of this run. A label of another answer to the same question says nothing about this one.
    fn said<'a>(
        &self,
        run: &OpenRun,
        candidates: &Candidates,
        decisions: &'a [Decision],
    ) -> Result<Said<'a>, DeskError> {
        let datasets = &run.stored.plan.datasets;
        let mut pairs: Vec<(usize, &Decision)> = Vec::new();
        for decision in decisions {
            let label = &decision.label;
            if label.metric.as_ref().is_some_and(|metric| *metric != candidates.info.name) {
                continue;
            }
            let named = candidates.by_name.get(&(label.id.clone(), label.occurrence));
            pairs.extend(named.into_iter().flatten().filter_map(|at| {
                let candidate = &candidates.list[*at];
                let set = usize::try_from(candidate.key.dataset).ok().and_then(|at| datasets.get(at));
                let is_here = label.dataset.is_none() || set.map(|set| &set.name) == label.dataset.as_ref();
                let is_it = label.model.is_none() || label.model == candidate.model;
                let is_same = label.repeat.is_none_or(|repeat| repeat == candidate.key.repeat);
                (is_here && is_it && is_same).then_some((*at, decision))
            }));
        }
        let mut answers = candidates.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted: BTreeSet<CasePlace> = (pairs.iter())
            .filter(|(at, decision)| decision.answer.is_some() && !answers.contains_key(at))
            .map(|(at, _)| candidates.list[*at].case())
            .collect();
        if !wanted.is_empty() {
            let wanted: Vec<CasePlace> = wanted.into_iter().collect();
            let metrics = &run.stored.plan.metrics;
            for sample in self.with(&run.store, |store| store.samples_at(run.stored.run, metrics, &wanted, false))? {
                let case = sample.result.case;
                let (Some(key), Some(named)) = (case.sample, candidates.by_name.get(&(case.id, sample.occurrence)))
                else {
                    continue;
                };
                let answer = case.response.map(|response| answer_digest(&response.text));
                for at in named.iter().filter(|at| candidates.list[**at].key == key) {
                    answers.insert(*at, answer.clone());
                }
            }
        }
        let mut said = Said::default();
        for (at, decision) in pairs {
            let answer = answers.get(&at).cloned().flatten();
            if decision.answer.is_none() || decision.answer == answer {
                said.add(at, decision);
            }
        }
        Ok(said)
    }
}

/// A value as a share of its range, the better the larger; nothing where the range has no ends.
fn goodness(info: &MetricInfo, value: f64) -> Option<f64> {
    let (low, high) = info.range;
    let share = (value - low) / (high - low);
    let share = share.is_finite().then(|| share.clamp(0.0, 1.0))?;
    Some(if info.better == Better::Lower { 1.0 - share } else { share })
}

impl Candidates {
    fn new(info: &MetricInfo) -> Self {
        let bands = Bands::take(&mut info.options.clone()).ok().flatten();
        Self {
            levels: Levels::of(&info.id, &info.options),
            info: info.clone(),
            bands,
            threshold: 0.0,
            outputs: 0,
            list: Vec::new(),
            by_name: HashMap::new(),
            answers: Mutex::default(),
        }
    }

    fn add(&mut self, result: &CaseResult, metrics: &[MetricInfo], place: usize) {
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
        self.list.push(Candidate {
            key,
            id: result.case.id.clone(),
            model: result.model.clone(),
            value,
            is_unsure: own.is_unsure(),
            split: apart.unwrap_or(0.0),
        });
    }

    /// What only all outputs together say: how far those of one case lie apart, and where the middle is.
    fn finish(&mut self) {
        let mut ends: HashMap<CasePlace, (f64, f64)> = HashMap::new();
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
        let of_bands = self.bands.and_then(|bands| match (bands.pass, bands.fail) {
            (Some(pass), Some(fail)) => Some(f64::midpoint(pass, fail)),
            (one, other) => one.or(other),
        });
        let of_values = || {
            let mut values: Vec<f64> = self.list.iter().map(|one| one.value).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or_default()
        };
        self.threshold = of_bands.or(middle.is_finite().then_some(middle)).unwrap_or_else(of_values);
    }

    /// The next output: of those that the person has not decided, those that they deferred last.
    fn next<'a>(
        &self,
        asked: &LabelsAsked,
        threshold: f64,
        said: &Said<'a>,
        own: impl Fn(usize) -> Option<&'a Decision>,
    ) -> Option<usize> {
        let quarrel = |at: usize| {
            let words = said.of(at).iter().map(|one| one.label.label.as_str());
            words.filter(|word| *word != DEFER).collect::<BTreeSet<_>>().len() > 1
        };
        let mut open: Vec<(bool, f64, u64, usize)> = (self.list.iter().enumerate())
            .filter(|(_, one)| asked.order != NextBy::Unsure || one.is_unsure)
            .filter_map(|(at, one)| {
                let is_deferred = match own(at) {
                    Some(decision) if decision.label.label != DEFER => return None,
                    deferred => deferred.is_some(),
                };
                let rank = match asked.order {
                    NextBy::Chance | NextBy::Unsure => 0.0,
                    NextBy::Disagreement => -(one.split + f64::from(quarrel(at)) * 2.0),
                    NextBy::Threshold => (one.value - threshold).abs(),
                };
                Some((is_deferred, rank, one.drawn(asked.seed), at))
            })
            .collect();
        if open.is_empty() {
            return None;
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

    /// What the metric says of an output, as a category; nothing where it is unsure.
    fn verdict(&self, candidate: &Candidate, threshold: f64) -> Option<usize> {
        if candidate.is_unsure {
            return None;
        }
        if let Some(level) = self.levels.nearest(candidate.value) {
            return Some(level);
        }
        let passes = match self.info.better {
            Better::Higher => candidate.value >= threshold,
            Better::Lower => candidate.value <= threshold,
        };
        Some(usize::from(passes))
    }

    /// What a person said, as a category; nothing where they deferred.
    fn category(&self, label: &str) -> Option<usize> {
        let value = self.levels.word(label).filter(|_| label != DEFER)?;
        Some(self.levels.nearest(value).unwrap_or_else(|| usize::from(value >= 0.5)))
    }

    /// Everybody with the metric, and the person with everybody else.
    fn agreements(&self, by: &str, threshold: f64, said: &Said<'_>) -> Vec<Json> {
        let people = said.people();
        let of = |at: usize, name: &str| self.category(&said.by(at, name)?.label.label);
        let agreement = |who: &str, with: &str, is_metric: bool, pairs: Vec<(usize, usize)>| {
            let kappa = |pairs: &[(usize, usize)]| cohen_kappa(pairs, Weights::Equal);
            let interval = resampled(pairs.len(), Level::NINETY_FIVE, SEED, |drawn| {
                kappa(&drawn.iter().map(|at| pairs[*at]).collect::<Vec<_>>())
            });
            let needed = cohen_kappa_pairs(&pairs, Level::NINETY_FIVE, REACH);
            let words = kappa(&pairs).map(|kappa| match interval {
                Some(ends) => format!("{kappa:.2} ({:.2} … {:.2})", ends.low, ends.high),
                None => format!("{kappa:.2}"),
            });
            json!({
                "who": who,
                "with": with,
                "is_metric": is_metric,
                "cases": pairs.len(),
                "same": pairs.iter().filter(|(first, second)| first == second).count(),
                "kappa": kappa(&pairs),
                "interval": interval,
                "words": words,
                "more": needed.map(|needed| needed.saturating_sub(pairs.len())),
            })
        };
        let mut all = Vec::new();
        for name in &people {
            let pair = |at: &usize| Some((self.verdict(&self.list[*at], threshold)?, of(*at, name)?));
            all.push(agreement(name, &self.info.name, true, said.order.iter().filter_map(pair).collect()));
        }
        for name in people.iter().filter(|name| **name != by && people.contains(by)) {
            let pair = |at: &usize| Some((of(*at, by)?, of(*at, name)?));
            all.push(agreement(by, name, false, said.order.iter().filter_map(pair).collect()));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Profile, Score};

    use super::*;

    fn info(name: &str, better: Better) -> MetricInfo {
        let mut info = MetricInfo::new(name, probare_metrics::registry().get("token_f1").unwrap(), Profile::default());
        info.better = better;
        info
    }

    /// Ten outputs of five cases: the values of the labelled metric, and of another one.
    fn candidates(values: &[(f64, f64)], unsure: &[usize]) -> Candidates {
        let metrics = [info("own", Better::Higher), info("other", Better::Lower)];
        let mut made = Candidates::new(&metrics[0]);
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

    fn decision(label: &str, by: &str) -> Decision {
        let text = json!({"id": "c0", "label": label, "by": by, "at": 1});
        Decision::of(serde_json::from_value(text).unwrap(), 0..0)
    }

    fn order(candidates: &Candidates, order: NextBy, said: &Said<'_>, by: &str) -> Vec<usize> {
        let own = |at: usize| said.by(at, by);
        let next = |skip| {
            let asked = LabelsAsked { order, skip, seed: 3, ..LabelsAsked::default() };
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
        let nothing = Said::default();
        assert_eq!(order(&candidates, NextBy::Threshold, &nothing, "Ada")[..2], [2, 3]);
        // The two of the third case lie farthest apart; then comes where the metrics do not agree.
        let split = order(&candidates, NextBy::Disagreement, &nothing, "Ada");
        assert_eq!(split[..2].iter().collect::<BTreeSet<_>>(), BTreeSet::from([&4, &5]));
        assert_eq!(split[2], 3);
        let mut unsure = order(&candidates, NextBy::Unsure, &nothing, "Ada");
        unsure.sort_unstable();
        assert_eq!(unsure, [1, 4]);
        let drawn = order(&candidates, NextBy::Chance, &nothing, "Ada");
        assert_eq!(drawn, order(&candidates, NextBy::Chance, &nothing, "Ben"), "the same seed, the same order");
        assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), 6, "every one comes once: {drawn:?}");
    }

    #[test]
    fn what_people_disagree_about_comes_first_and_what_was_put_off_last() {
        let candidates = candidates(&[(0.9, 0.1), (0.9, 0.1), (0.5, 0.5), (0.5, 0.5)], &[]);
        let (yes, no, off) = (decision("pass", "Ada"), decision("fail", "Ben"), decision("defer", "Eve"));
        let mut said = Said::default();
        for (at, decision) in [(2, &yes), (2, &no), (0, &off)] {
            said.add(at, decision);
        }
        let of_eve = order(&candidates, NextBy::Disagreement, &said, "Eve");
        assert_eq!((of_eve[0], of_eve.last()), (2, Some(&0)), "{of_eve:?}");
        let of_ada = order(&candidates, NextBy::Disagreement, &said, "Ada");
        assert!(!of_ada.contains(&2) && of_ada.len() == 3, "{of_ada:?}");
    }

    #[test]
    fn agreement_is_of_what_both_decided() {
        let values: Vec<(f64, f64)> = (0..40).map(|at| (if at % 2 == 0 { 1.0 } else { 0.0 }, 0.5)).collect();
        let candidates = candidates(&values, &[0]);
        let (yes, no, off) = (decision("pass", "Ada"), decision("fail", "Ada"), decision("defer", "Ada"));
        let other = decision("fail", "Ben");
        let mut said = Said::default();
        for at in 0..39 {
            // The metric passes the even ones. Ada agrees but for two of each kind.
            let passes = (at % 2 == 0) != (at < 4);
            said.add(at, if passes { &yes } else { &no });
        }
        said.add(39, &off);
        said.add(39, &other);
        let told = candidates.agreements("Ada", 0.5, &said);
        let named: Vec<(&str, &str)> =
            told.iter().map(|one| (one["who"].as_str().unwrap(), one["with"].as_str().unwrap())).collect();
        assert_eq!(named, [("Ada", "own"), ("Ben", "own"), ("Ada", "Ben")]);
        // One is unsure, one was put off.
        assert_eq!((told[0]["cases"].as_u64(), told[0]["same"].as_u64()), (Some(38), Some(35)));
        let kappa = told[0]["kappa"].as_f64().unwrap();
        assert!((kappa - 0.842).abs() < 2e-3, "{kappa}");
        let (low, high) = (told[0]["interval"]["low"].as_f64().unwrap(), told[0]["interval"]["high"].as_f64().unwrap());
        assert!(low < kappa && kappa < high && high <= 1.0);
        assert!(told[0]["more"].as_u64().is_some_and(|more| (80..160).contains(&more)), "{}", told[0]);
        assert_eq!((&told[2]["cases"], &told[2]["kappa"]), (&json!(0), &Json::Null));
    }

    #[test]
    fn a_lower_value_passes_where_lower_is_better_and_levels_are_categories() {
        let mut candidates = candidates(&[(0.2, 0.5), (0.9, 0.5)], &[]);
        candidates.info.better = Better::Lower;
        let verdicts = |candidates: &Candidates| {
            candidates.list.iter().map(|one| candidates.verdict(one, 0.5)).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&candidates), [Some(1), Some(0)]);
        assert_eq!((candidates.category("pass"), candidates.category("defer")), (Some(1), None));
        candidates.levels = Levels::of("judge_rubric", &Json::Null);
        assert_eq!(verdicts(&candidates), [Some(0), Some(2)]);
        assert_eq!((candidates.category("fair"), candidates.category("pass")), (Some(1), Some(2)));
    }
}
