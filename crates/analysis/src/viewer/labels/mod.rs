//! People's labels in the viewer: the output that comes next ([`next`]), what somebody decides about it, and how far people and a
//! metric agree ([`agreement`]).
//!
//! What a metric says of an output, whose it is and what others said is not part of an answer before the person has decided. A label
//! goes into one file, which is only ever added to, and changes no score.

mod agreement;
mod next;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use self::agreement::LabelsByOutput;
use self::next::{LabelCandidate, LabelCandidates};
pub use self::next::{LabellingOrder, OutputPosition};
use probare_core::{MetricInfo, SampleKey, closest};
use probare_report::RendererOptions;
use probare_report::html::{case_entry, case_record, page_settings};
use probare_store::{CasePosition, FoundSample, HumanLabel, STORE};
use serde::Deserialize;

use super::contract::{DecidedOutput, LabelState, Labeller, OutputToLabel, RunDescription};
use super::pages::parse_own_json;
use super::sources::shell_quote;
use super::{OpenRun, RunViewer, Version, ViewerError};
use crate::labels::{DEFER, LabelError, LabelFile, LatestLabel, answer_digest};

/// What somebody who labels wants to see.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelsQuery {
    /// Key of the run.
    pub run: String,
    /// The metric that the labels are about; the first judge, or the first metric, where it is empty.
    pub metric: String,
    /// Who labels.
    pub by: String,
    /// Which output comes next.
    pub order: LabellingOrder,
    /// From what chance is drawn.
    pub seed: u64,
    /// From where on a value passes; see [`RunViewer::labels`].
    pub threshold: Option<f64>,
    /// How many outputs that are not decided are passed over.
    pub skip: usize,
    /// One output, in place of the next.
    pub at: Option<OutputPosition>,
}

/// What somebody decides.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLabel {
    /// About which output.
    pub asked: LabelsQuery,
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

/// Runs and metrics whose values are kept.
const KEPT: usize = 4;

/// Candidates that were asked for, and what they were of.
pub(super) type CachedCandidates = (String, String, Version, Arc<LabelCandidates>);

impl RunViewer {
    /// Keeps labels in this file, in place of `labels.jsonl` beside the store. A file that is there and no file of labels is refused.
    pub fn labelled_in(mut self, path: PathBuf) -> Result<Self, ViewerError> {
        self.labels = LabelFile::new(path);
        self.labels.decisions()?;
        Ok(self)
    }

    /// The lines of the file that count.
    pub fn export_labels(&self) -> Result<Vec<u8>, ViewerError> {
        Ok(self.labels.export()?)
    }

    /// Where labelling stands, and the output that is asked for or comes next. A value passes from the threshold on: where it is not
    /// given that is the middle of the metric's decision thresholds, of its range, or of its values.
    pub fn labels(&self, asked: &LabelsQuery) -> Result<LabelState, ViewerError> {
        let run = self.find_run(&asked.run)?;
        if !run.has_texts {
            let words = format!(
                "`{}` has no texts, so there is nothing to label: open the page of the run (.html) or its store",
                run.name
            );
            return Err(ViewerError::Label(LabelError::Refused(words)));
        }
        let candidates = self.candidates(&run, &asked.metric)?;
        if asked.order == LabellingOrder::Estimate && !candidates.can_be_drawn() {
            let words = "cases are drawn for an estimate where each has one output and the metric a fixed range; `probare estimate \
                         RUN@MODEL --next 40` names those of one model";
            return Err(ViewerError::Label(LabelError::Refused(words.to_owned())));
        }
        let decisions = self.labels.decisions()?;
        let said = self.labels_by_output(&run, &candidates, &decisions)?;
        let threshold = asked.threshold.filter(|at| at.is_finite()).unwrap_or(candidates.threshold);
        let metrics = &run.stored.plan.metrics;
        let by = asked.by.trim();
        let own = |at: usize| said.by_person(at, by);
        let is_decided = |at: usize| own(at).is_some_and(|one| one.label.label != DEFER);
        let at = match asked.at {
            Some(place) => {
                candidates.list.iter().position(|one| one.position() == place).ok_or(ViewerError::NoCase)?.into()
            }
            None => candidates.next(asked, threshold, &said, own),
        };
        let sample = match at.filter(|_| !by.is_empty()) {
            Some(at) => {
                Some(self.output_to_label(&run, &candidates.list[at], own(at), said.for_output(at), is_decided(at))?)
            }
            None => None,
        };
        let labelled = |name: &str, is_deferred: bool| {
            let own = said.order.iter().filter_map(|at| said.by_person(*at, name));
            own.filter(|one| (one.label.label == DEFER) == is_deferred).count()
        };
        let person = |name: &&str| Labeller { name: (*name).to_owned(), decided: labelled(name, false) };
        let unsure = candidates.list.iter().filter(|one| one.is_unsure).count();
        Ok(LabelState {
            run: RunDescription::new(&run),
            settings: page_settings(metrics),
            metric: candidates.info.name.clone(),
            summary: candidates.info.summary.to_string(),
            question: candidates.info.options.get("question").cloned(),
            levels: candidates.levels.all().to_vec(),
            threshold,
            decision_thresholds: candidates.thresholds,
            file: self.labels.path().display().to_string(),
            exists: self.labels.path().exists(),
            command: self.command(&run, &candidates),
            torn: self.labels.torn_lines()?,
            people: said.people().iter().map(person).collect(),
            outputs: candidates.outputs,
            labellable: candidates.list.len(),
            unsure,
            decided: labelled(by, false),
            deferred: labelled(by, true),
            agreements: candidates.agreements(by, threshold, &said),
            sample,
        })
    }

    /// The command that holds the labels against the metric.
    fn command(&self, run: &OpenRun, candidates: &LabelCandidates) -> String {
        let (file, name) = (shell_quote(&self.labels.path().display().to_string()), shell_quote(&candidates.info.name));
        if candidates.info.id.starts_with("judge_") {
            return format!("probare judge calibrate {file} --metric {name}");
        }
        let results = match &run.results {
            Some(_) => run.name.clone(),
            None => run.stored.run.to_string(),
        };
        let models: BTreeSet<&str> = candidates.list.iter().filter_map(|one| one.model.as_deref()).collect();
        let prompts: BTreeSet<&str> = candidates.list.iter().filter_map(|one| one.prompt.as_deref()).collect();
        let results = match models.first() {
            Some(model) if models.len() > 1 => format!("{results}@{model}"),
            _ => results,
        };
        let results = match prompts.first() {
            Some(prompt) => format!("{results}@prompt:{prompt}"),
            None => results,
        };
        let is_other = run.results.is_none() && run.store != Path::new(STORE);
        let store = if is_other {
            format!(" --store {}", shell_quote(&run.store.display().to_string()))
        } else {
            String::new()
        };
        format!("probare calibrate {}{store} --labels {file} --metric {name}", shell_quote(&results))
    }

    /// Keeps what somebody decided, and gives what [`RunViewer::labels`] gives for the same output.
    pub fn label(&self, given: &NewLabel) -> Result<LabelState, ViewerError> {
        let asked = &given.asked;
        let run = self.find_run(&asked.run)?;
        let candidates = self.candidates(&run, &asked.metric)?;
        let wrong = |words: String| ViewerError::Label(LabelError::Refused(words));
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
        let place = asked.at.ok_or(ViewerError::NoCase)?;
        let candidate = candidates.list.iter().find(|one| one.position() == place).ok_or(ViewerError::NoCase)?;
        let FoundSample { result, dataset, .. } = self.sample(&run, candidate)?;
        let has_several = run.stored.plan.datasets.len() > 1;
        self.labels.add(&HumanLabel {
            id: candidate.id.clone(),
            occurrence: candidate.key.occurrence,
            dataset: has_several.then_some(dataset),
            model: candidate.model.clone(),
            prompt: candidate.prompt.clone(),
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
    fn candidates(&self, run: &OpenRun, metric: &str) -> Result<Arc<LabelCandidates>, ViewerError> {
        let metrics = &run.stored.plan.metrics;
        let first = || metrics.iter().find(|info| info.id.starts_with("judge_")).or_else(|| metrics.first());
        let info = if metric.is_empty() { first() } else { metrics.iter().find(|info| info.name == metric) };
        let Some(info) = info else {
            let hint = match closest(metric, metrics.iter().map(|info| info.name.as_str())) {
                Some(similar) => format!("; a similar name exists: `{similar}`"),
                None => String::new(),
            };
            let shown: String = metric.chars().take(80).collect();
            return Err(ViewerError::Label(LabelError::Refused(format!("the run has no metric `{shown}`{hint}"))));
        };
        let lock = || self.labelling.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |(key, name, version, _): &&CachedCandidates| {
            *key == run.key && *name == info.name && *version == run.version()
        };
        if let Some((.., kept)) = lock().iter().find(is_same) {
            return Ok(Arc::clone(kept));
        }
        let mut made = LabelCandidates::new(info);
        let place = metrics.iter().position(|one| one.name == info.name).unwrap_or_default();
        self.with(&run.store, |store| {
            store.for_each_result(run.stored.run, metrics, |result| made.add(result, metrics, place))
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
    fn sample(&self, run: &OpenRun, candidate: &LabelCandidate) -> Result<FoundSample, ViewerError> {
        let metrics = &run.stored.plan.metrics;
        let found =
            self.with(&run.store, |store| store.samples_at(run.stored.run, metrics, &[candidate.case()], true))?;
        let is_it = |sample: &FoundSample| {
            sample
                .result
                .case
                .sample
                .is_some_and(|key| SampleKey { occurrence: candidate.key.occurrence, ..key } == candidate.key)
        };
        found.into_iter().find(is_it).ok_or(ViewerError::NoCase)
    }

    /// An output as it is labelled: its texts alone until the person has decided.
    fn output_to_label(
        &self,
        run: &OpenRun,
        candidate: &LabelCandidate,
        own: Option<&LatestLabel>,
        others: &[&LatestLabel],
        is_decided: bool,
    ) -> Result<OutputToLabel, ViewerError> {
        let FoundSample { mut result, dataset, .. } = self.sample(run, candidate)?;
        let options = RendererOptions { gates: run.gates.clone(), ..RendererOptions::default() };
        let metrics: &[MetricInfo] = if is_decided { &run.stored.plan.metrics } else { &[] };
        let decided = is_decided.then(|| {
            let is_other = |label: &&HumanLabel| own.is_none_or(|own| own.label.by != label.by);
            DecidedOutput {
                others: others.iter().map(|one| &one.label).filter(is_other).cloned().collect(),
                model: result.source_name().map(Cow::into_owned),
                repeat: candidate.key.repeat,
            }
        });
        if !is_decided {
            (result.model, result.prompt) = (None, None);
            result.results.clear();
            if let Some(response) = &mut result.case.response {
                response.model = None;
            }
        }
        Ok(OutputToLabel {
            at: candidate.position(),
            case: candidate.case(),
            id: candidate.id.clone(),
            dataset: (run.stored.plan.datasets.len() > 1).then_some(dataset),
            own: own.map(|one| one.label.clone()),
            entry: parse_own_json(case_entry(&result, metrics, &options)),
            record: parse_own_json(case_record(&result, metrics)),
            decided,
        })
    }

    /// What people said about the outputs of this run. A label of another answer to the same question says nothing about this one.
    fn labels_by_output<'a>(
        &self,
        run: &OpenRun,
        candidates: &LabelCandidates,
        decisions: &'a [LatestLabel],
    ) -> Result<LabelsByOutput<'a>, ViewerError> {
        let datasets = &run.stored.plan.datasets;
        let mut pairs: Vec<(usize, &LatestLabel)> = Vec::new();
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
                let is_it = (label.model.is_none() || label.model == candidate.model)
                    && (label.prompt.is_none() || label.prompt == candidate.prompt);
                let is_same = label.repeat.is_none_or(|repeat| repeat == candidate.key.repeat);
                (is_here && is_it && is_same).then_some((*at, decision))
            }));
        }
        let mut answers = candidates.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted: BTreeSet<CasePosition> = (pairs.iter())
            .filter(|(at, decision)| decision.answer.is_some() && !answers.contains_key(at))
            .map(|(at, _)| candidates.list[*at].case())
            .collect();
        if !wanted.is_empty() {
            let wanted: Vec<CasePosition> = wanted.into_iter().collect();
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
        let mut said = LabelsByOutput::default();
        for (at, decision) in pairs {
            let answer = answers.get(&at).cloned().flatten();
            if decision.answer.is_none() || decision.answer == answer {
                said.add(at, decision);
            }
        }
        Ok(said)
    }
}
