//! What the pages of a viewer show: all runs, what a run came to, the cases that fit, one case.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use probare_core::{
    CallPurpose, Case, Event, MetricInfo, SampleDimensions, Sink as _, Stop, closest, output_source_name,
};
use probare_engine::STOPPED_EARLY;
use probare_report::escape::excerpt;
use probare_report::html::{case_entry, case_record, page_settings};
use probare_report::number::{count_with_noun, three_decimals};
use probare_report::{
    Gate, GateVerdict, Group, GroupBy, MeanInterval, MetricSummary, Relation, RendererOptions, Summary, answer_text,
};
use probare_store::{
    CaseFilter, CaseOrder, CasePosition, FilterCondition, FoundSample, NumericField, RunState, Store, TextIndex,
};
use serde_json::Value as Json;

use super::contract::{
    CaseDetail, CasePage, CaseRow, CaseSort, GateLine, MeanCell, MeansRow, OutputDetail, OutputPart, OutputRow,
    OutputSummary, RunDescription, RunFacts, RunKind, RunList, RunMeans, RunSummary,
};
use super::sources::shell_quote;
use super::{LISTS, OpenRun, RunTexts, RunViewer, ViewerError};

/// Which cases of a run are wanted.
#[derive(Debug, Clone, Default)]
pub struct CasesQuery {
    /// Key of the run.
    pub run: String,
    /// The filter; see [`CaseFilter`].
    pub filter: String,
    /// By what they are sorted: a metric, `cost`, `latency`, `tokens`; with `-` before it the largest first. `worst` for the
    /// worst first over all metrics. In the order of the input where it is empty.
    pub sort: String,
    /// How many cases come before the first.
    pub from: usize,
    /// How many at most.
    pub most: usize,
}

/// Most cases of one answer.
const MOST_CASES: usize = 200;

/// Cases whose results are read at once for an export.
const EXPORTED_AT_ONCE: usize = 200;

/// Outputs of one case that a list shows; all of them are on the page of the case.
const OUTPUTS: usize = 12;

/// Characters of a question or an answer in a list.
const OPENING: usize = 220;

impl RunViewer {
    /// All runs, without what takes long to find out.
    pub fn runs(&self) -> Result<RunList, ViewerError> {
        let mut runs = Vec::new();
        for (key, name) in self.keys()? {
            // A file is read when somebody asks what it came to.
            runs.push(if key.starts_with('f') {
                RunDescription { key, name, kind: RunKind::File, facts: None }
            } else {
                RunDescription::new(&self.find_run(&key)?)
            });
        }
        Ok(RunList { probare: probare_report::VERSION, runs, settings: page_settings(&[]) })
    }

    /// How far a run is.
    pub fn progress(&self, key: &str) -> Result<RunDescription, ViewerError> {
        Ok(RunDescription::new(&self.find_run(key)?))
    }

    /// What a run came to: models times metrics, with intervals and counts, and its limits.
    /// `by` says what rows are made by, such as `tags`; models and prompts where it is empty.
    pub fn summary(&self, key: &str, by: &str) -> Result<Arc<RunSummary>, ViewerError> {
        let run = self.find_run(key)?;
        let kept_as = format!("{key}\n{by}");
        let lock = || self.summaries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, kept)) = lock().get(&kept_as)
            && *version == run.version()
        {
            return Ok(Arc::clone(kept));
        }
        let kept = if by.is_empty() { self.kept_means(&run)? } else { None };
        let means = kept.map_or_else(|| self.compute_means(&run, by), Ok)?;
        let settings = page_settings(&run.stored.plan.metrics);
        let made = Arc::new(RunSummary { run: RunDescription::new(&run), settings, means });
        lock().insert(kept_as, (run.version(), Arc::clone(&made)));
        Ok(made)
    }

    /// The means that were kept when the run ended.
    fn kept_means(&self, run: &OpenRun) -> Result<Option<RunMeans>, ViewerError> {
        let kept = self.with(&run.store, |store| store.kept_means(run.stored.run))?;
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Reads all results of a complete run and keeps what the first page says about it.
    pub fn keep_means(&self, key: &str) -> Result<(), ViewerError> {
        let run = self.find_run(key)?;
        if run.stored.state != RunState::Complete {
            return Ok(());
        }
        let means = self.compute_means(&run, "")?;
        // Ends of a range without end have no form in JSON: such means are read anew each time.
        let Ok(text) = serde_json::to_string(&means) else { return Ok(()) };
        self.with(&run.store, |store| store.keep_means(run.stored.run, &text))
    }

    fn compute_means(&self, run: &OpenRun, by: &str) -> Result<RunMeans, ViewerError> {
        let metrics = &run.stored.plan.metrics;
        let has_prompts = run.stored.plan.names_prompts();
        let usual = if has_prompts { GroupBy::ModelPrompt } else { GroupBy::Model };
        // Any text is something to group by.
        let by = Some(by).filter(|by| !by.is_empty()).and_then(|by| by.parse().ok()).unwrap_or(usual);
        let options = RendererOptions { gates: run.gates.clone(), by: Some(by.clone()), ..RendererOptions::default() };
        let mut summary = Summary::new(&options);
        let wrong = |error: io::Error| ViewerError::in_file(&run.store, &error.to_string());
        summary
            .event(&Event::Started { source: &run.name, metrics, dimensions: SampleDimensions::default() })
            .map_err(wrong)?;
        self.with(&run.store, |store: &Store| {
            let counted = run.counted_cases(store)?;
            store.for_each_result(run.stored.run, metrics, |result| {
                let key = result.case.sample.unwrap_or_default();
                let place = (i64::from(key.dataset), key.row.cast_signed());
                if counted.as_ref().is_none_or(|counted| counted.contains(&place)) {
                    summary.add(result);
                }
            })
        })?;
        let models = run.stored.costs.lines.iter().map(|line| line.model.as_str());
        let costs: BTreeMap<String, f64> = models
            .filter_map(|model| {
                Some((excerpt(model, 80), run.stored.costs.model_cost(model, Some(CallPurpose::Answer))?))
            })
            .collect();
        if run.early_stop.is_some() {
            summary.withhold_intervals(STOPPED_EARLY);
        }
        summary.conclude(Stop::Complete);
        let plan = &run.stored.plan;
        let mut parts: BTreeMap<String, OutputPart> = BTreeMap::new();
        for prompt in plan.generation_prompts.iter().filter(|_| has_prompts) {
            let models = plan.models.iter().map(|model| Some(model.name.as_str())).chain([None]);
            for model in models {
                let name = output_source_name(model, Some(&prompt.name)).unwrap_or_default();
                let part = OutputPart { model: model.map(str::to_owned), prompt: Some(prompt.name.clone()) };
                parts.insert(excerpt(&name, 80), part);
            }
        }
        let groups = summary.groups.as_ref();
        let rows = groups.iter().flat_map(|groups| groups.with_names()).map(|(name, group)| {
            let part = match (&by, parts.get(name)) {
                // What names no model, such as all outputs without one.
                _ if name.starts_with('(') => OutputPart::default(),
                (_, Some(part)) => part.clone(),
                (GroupBy::Model, None) => OutputPart { model: Some(name.to_owned()), prompt: None },
                (GroupBy::Prompt, None) => OutputPart { model: None, prompt: Some(name.to_owned()) },
                _ => OutputPart::default(),
            };
            let is_tag = matches!(by, GroupBy::Tags | GroupBy::Tag(_)) && !name.starts_with('(');
            let filter = if is_tag { format!("tag:{}", CaseFilter::quote(name)) } else { part.filter() };
            MeansRow::new(name, filter, part, group, metrics, costs.get(name).copied())
        });
        let whole = summary.metrics.iter().map(|metric| {
            let counts = [metric.cases(), metric.scored, metric.unsure, metric.not_applicable, metric.failed];
            MeanCell::new(metric.mean(), metric.interval(), counts)
        });
        let mut panels = self.with(&run.store, |store| store.panels(run.stored.run))?;
        if run.stored.costs.calls() > 0 {
            panels.push(probare_report::costs::panel(&run.stored.costs));
        }
        let remarks = summary.label_remarks();
        let remarks = remarks
            .iter()
            .map(probare_report::LabelRemark::parts)
            .map(|(word, words)| (word.to_owned(), words.to_owned()));
        let repeats = summary.metrics.iter().filter(|metric| !metric.repeats.is_empty());
        let repeats =
            repeats.map(|metric| ("repeats".to_owned(), format!("{}: {}", metric.info.name, metric.repeats.words())));
        Ok(RunMeans {
            cases: summary.cases,
            outputs: summary.outputs,
            failed: summary.failed(),
            by: by.to_string(),
            rows: rows.collect(),
            whole: whole.collect(),
            distributions: summary.metrics.iter().map(MetricSummary::histogram).collect(),
            gates: summary.verdicts.iter().map(GateLine::new).collect(),
            panels,
            remarks: remarks.chain(repeats).collect(),
        })
    }

    /// The cases of a run that fit, some at a time.
    pub fn cases(&self, asked: &CasesQuery) -> Result<CasePage, ViewerError> {
        let run = self.find_run(&asked.run)?;
        let places = self.list(&run, &asked.filter, &asked.sort)?;
        let metrics = &run.stored.plan.metrics;
        // A page behind the last is the last.
        let most = asked.most.clamp(1, MOST_CASES);
        let from = if asked.from < places.len() { asked.from } else { places.len().saturating_sub(1) / most * most };
        let to = places.len().min(from + most);
        let shown = &places[from..to];
        let samples = self.with(&run.store, |store| store.samples_at(run.stored.run, metrics, shown, false))?;
        let options = RendererOptions { gates: run.gates.clone(), ..RendererOptions::default() };
        let mut samples = samples.into_iter().peekable();
        let mut rows = Vec::new();
        for place in shown {
            let mut of_case = Vec::new();
            while let Some(sample) = samples.next_if(|sample| sample.place == *place) {
                of_case.push(sample);
            }
            let Some(first) = of_case.first() else { continue };
            let case = &first.result.case;
            let outputs = of_case.iter().take(OUTPUTS).map(|sample| OutputRow {
                output: OutputSummary::new(sample, metrics, &options),
                answer: answer_text(&sample.result.case).map(|answer| excerpt(&answer, OPENING)),
            });
            rows.push(CaseRow {
                at: *place,
                id: case.id.clone(),
                dataset: first.dataset.clone(),
                query: excerpt(probare_report::html::case_opening(case), OPENING),
                tags: case.tags.iter().take(20).map(|tag| excerpt(tag, 80)).collect(),
                outputs: outputs.collect(),
                more: of_case.len().saturating_sub(OUTPUTS),
            });
        }
        Ok(CasePage {
            run: RunDescription::new(&run),
            settings: page_settings(metrics),
            total: places.len(),
            from,
            rows,
            has_texts: run.has_texts,
            hint: if places.is_empty() { self.empty_hint(&run, &asked.filter)? } else { None },
        })
    }

    /// One case of a run with all its outputs, and the cases that stand beside it in the list.
    pub fn case(&self, asked: &CasesQuery, place: CasePosition) -> Result<CaseDetail, ViewerError> {
        let run = self.find_run(&asked.run)?;
        let metrics = &run.stored.plan.metrics;
        let samples = self.with(&run.store, |store| store.samples_at(run.stored.run, metrics, &[place], true))?;
        let first = samples.first().ok_or(ViewerError::NoCase)?;
        let options = RendererOptions { gates: run.gates.clone(), ..RendererOptions::default() };
        let list = self.list(&run, &asked.filter, &asked.sort)?;
        let at = list.iter().position(|known| *known == place);
        let beside = |step: isize| at.and_then(|at| list.get(at.checked_add_signed(step)?));
        let id = first.result.case.id.clone();
        Ok(CaseDetail {
            run: RunDescription::new(&run),
            settings: page_settings(metrics),
            at: place,
            dataset: first.dataset.clone(),
            occurrence: first.occurrence,
            number: at.map(|at| at + 1),
            total: list.len(),
            previous: beside(-1).copied(),
            next: beside(1).copied(),
            command: format!("{}{}", run.command, shell_quote(&id)),
            outputs: samples.iter().map(|sample| OutputDetail::new(sample, metrics, &options)).collect(),
            id,
        })
    }

    /// The results of all cases that fit, one line each, as files of results have them.
    pub fn export_cases(&self, asked: &CasesQuery) -> Result<Vec<u8>, ViewerError> {
        let run = self.find_run(&asked.run)?;
        let metrics = &run.stored.plan.metrics;
        let mut lines = Vec::new();
        for places in self.list(&run, &asked.filter, &asked.sort)?.chunks(EXPORTED_AT_ONCE) {
            let samples = self.with(&run.store, |store| store.samples_at(run.stored.run, metrics, places, true))?;
            for sample in samples {
                lines.extend_from_slice(sample.result.line_text(metrics).as_bytes());
                lines.push(b'\n');
            }
        }
        Ok(lines)
    }

    /// Where a case stands in its run.
    pub fn case_position(&self, run: &str, id: &str, occurrence: u32) -> Result<CasePosition, ViewerError> {
        let run = self.find_run(run)?;
        self.with(&run.store, |store| store.place_of(run.stored.run, id, occurrence))?.ok_or(ViewerError::NoCase)
    }

    /// All cases that fit, in order.
    pub(super) fn list(&self, run: &OpenRun, filter: &str, sort: &str) -> Result<Arc<Vec<CasePosition>>, ViewerError> {
        let key = (run.key.clone(), run.version(), filter.to_owned(), sort.to_owned());
        let lock = || self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = lock().iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(kept));
        }
        let metrics = &run.stored.plan.metrics;
        let names: Vec<String> = metrics.iter().map(|metric| metric.name.clone()).collect();
        let filter = CaseFilter::parse(filter, &names)?;
        let order = order(sort, &names)?;
        let number = run.stored.run;
        let is_about_text = filter.conditions().iter().any(|part| matches!(part, FilterCondition::Text(_)));
        let found = if is_about_text {
            let texts = self.texts(run)?;
            let texts = texts.lock().unwrap_or_else(PoisonError::into_inner);
            self.with(&run.store, |store| store.fitting(number, metrics, &filter, &order, texts.index.as_ref()))?
        } else {
            self.with(&run.store, |store| store.fitting(number, metrics, &filter, &order, None))?
        };
        let found = Arc::new(found);
        let mut lists = lock();
        if lists.len() >= LISTS {
            lists.pop_front();
        }
        lists.push_back((key, Arc::clone(&found)));
        Ok(found)
    }
}

impl RunViewer {
    /// Reads the texts of a run, so that the first search for words need not wait for it.
    pub fn prepare_search(&self, run: &str) -> Result<(), ViewerError> {
        let run = self.find_run(run)?;
        let kept =
            Arc::clone(self.texts.lock().unwrap_or_else(PoisonError::into_inner).entry(run.key.clone()).or_default());
        // Where they are being read, nobody waits for them: a thread that waits is missing where somebody filters.
        if matches!(kept.try_lock(), Err(TryLockError::WouldBlock)) {
            return Ok(());
        }
        self.texts(&run).map(|_| ())
    }

    /// The texts of a run as it is now.
    fn texts(&self, run: &OpenRun) -> Result<Arc<Mutex<RunTexts>>, ViewerError> {
        let lock = || self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = Arc::clone(lock().entry(run.key.clone()).or_default());
        {
            let mut texts = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let (version, before) = (run.version(), texts.version);
            // Who is asked again may answer otherwise, and a file may have been read again.
            if (version.2, version.3) != (before.2, before.3) {
                texts.index = None;
            }
            if texts.index.is_none() || version != before {
                let mut index = match texts.index.take() {
                    Some(index) => index,
                    None => TextIndex::new(&run.store)?,
                };
                self.with(&run.store, |store| index.update(store, run.stored.run))?;
                (texts.version, texts.index) = (version, Some(index));
            }
        }
        Ok(kept)
    }

    /// Why nothing fits, where a filter names what the run does not have.
    fn empty_hint(&self, run: &OpenRun, filter: &str) -> Result<Option<String>, ViewerError> {
        let names: Vec<String> = run.stored.plan.metrics.iter().map(|metric| metric.name.clone()).collect();
        let filter = CaseFilter::parse(filter, &names)?;
        let plan = &run.stored.plan;
        let number = run.stored.run;
        for condition in filter.conditions() {
            let (what, words, known): (String, &str, Vec<String>) = match condition {
                FilterCondition::Tag(words) => {
                    let tags = self.with(&run.store, |store| store.tags(number))?;
                    let values = tags.iter().filter_map(|tag| tag.split_once([':', '=']));
                    let values: Vec<String> = values.map(|(_, value)| value.to_owned()).collect();
                    ("tag".to_owned(), words, tags.into_iter().chain(values).collect())
                }
                FilterCondition::Label(metric, words) => {
                    let labels = self.with(&run.store, |store| store.labels_of(number, metric))?;
                    (format!("label of {metric}"), words, labels)
                }
                FilterCondition::Model(words) => {
                    let models = plan.models.iter().map(|model| model.name.clone());
                    ("model".to_owned(), words, models.chain(["none".to_owned()]).collect())
                }
                FilterCondition::Prompt(words) => (
                    "prompt".to_owned(),
                    words,
                    plan.generation_prompts.iter().map(|prompt| prompt.name.clone()).collect(),
                ),
                FilterCondition::Dataset(words) => {
                    let datasets = plan.datasets.iter().map(|dataset| dataset.name.clone());
                    ("data set".to_owned(), words, datasets.collect())
                }
                _ => continue,
            };
            let is_part = matches!(
                condition,
                FilterCondition::Model(_) | FilterCondition::Prompt(_) | FilterCondition::Dataset(_)
            );
            let is_known = |one: &String| one == words || is_part && one.to_lowercase().contains(&words.to_lowercase());
            if known.iter().any(is_known) {
                continue;
            }
            let shown = excerpt(words, 80);
            let hint = match closest(words, known.iter().map(String::as_str)) {
                Some(similar) => format!("; did you mean `{similar}`?"),
                None if known.is_empty() => String::new(),
                None => {
                    let some: Vec<String> = known.iter().take(8).map(|one| format!("`{}`", excerpt(one, 40))).collect();
                    format!(
                        "; there are {}{}",
                        some.join(", "),
                        if known.len() > some.len() { " and more" } else { "" }
                    )
                }
            };
            return Ok(Some(format!("The run has no {what} `{shown}`{hint}")));
        }
        Ok(None)
    }
}

fn order(sort: &str, metrics: &[String]) -> Result<CaseOrder, ViewerError> {
    if sort.is_empty() {
        return Ok(CaseOrder::Input);
    }
    let (is_down, name) = sort.strip_prefix('-').map_or((false, sort), |name| (true, name));
    let by = if metrics.iter().any(|metric| metric == name) {
        NumericField::Metric(name.to_owned())
    } else {
        match serde_json::from_value(Json::from(name)) {
            Ok(CaseSort::Cost) => NumericField::Cost,
            Ok(CaseSort::Latency) => NumericField::Latency,
            Ok(CaseSort::Tokens) => NumericField::Tokens,
            Ok(CaseSort::Worst) if !is_down => return Ok(CaseOrder::Worst),
            Ok(CaseSort::Worst) | Err(_) => return Err(ViewerError::Sort { by: sort.chars().take(80).collect() }),
        }
    };
    Ok(CaseOrder::Field { by, is_down })
}

/// JSON that we made ourselves.
pub(super) fn parse_own_json(made: serde_json::Result<String>) -> Json {
    made.and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
}

impl RunDescription {
    /// What is known of a run at once.
    pub(super) fn new(run: &OpenRun) -> Self {
        let stored = &run.stored;
        let plan = &stored.plan;
        let is_file = run.key.starts_with('f');
        let is_priced = stored.costs.lines.iter().any(|line| line.cost_usd.is_some());
        Self {
            key: run.key.clone(),
            name: run.name.clone(),
            kind: if is_file { RunKind::File } else { RunKind::Run },
            facts: Some(RunFacts {
                state: stored.state.name(),
                made: if is_file { None } else { Some(stored.made) },
                finished: stored.finished,
                samples: plan.samples(),
                errors: stored.errors.clone(),
                cost: if stored.costs.calls() > 0 { Some(stored.costs.to_string()) } else { None },
                cost_usd: is_priced.then_some(stored.costs.total_usd),
                config: plan.config.clone(),
                benchmark: plan.benchmark.clone(),
                models: plan.models.iter().map(|model| model.name.clone()).collect(),
                prompts: plan.generation_prompts.iter().map(|prompt| prompt.name.clone()).collect(),
                datasets: plan.datasets.iter().map(|dataset| dataset.name.clone()).collect(),
                notes: run.notes.clone(),
                collected: plan.collected.clone(),
            }),
        }
    }

    /// Whether all samples of the run are there.
    pub fn is_complete(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.state == RunState::Complete.name())
    }
}

impl OutputSummary {
    fn new(sample: &FoundSample, metrics: &[MetricInfo], options: &RendererOptions) -> Self {
        Self {
            model: sample.result.model.clone(),
            prompt: sample.result.prompt.clone(),
            answered_by: sample.result.answered_by().map(str::to_owned),
            repeat: sample.result.repeat,
            status: sample.status.clone(),
            cost_usd: sample.taken.cost_usd,
            latency_ms: sample.taken.latency_ms,
            entry: parse_own_json(case_entry(&sample.result, metrics, options)),
        }
    }
}

impl OutputDetail {
    fn new(sample: &FoundSample, metrics: &[MetricInfo], options: &RendererOptions) -> Self {
        let taken = &sample.taken;
        Self {
            output: OutputSummary::new(sample, metrics, options),
            sample: sample.sample,
            attempts: taken.attempts,
            input_tokens: taken.input_tokens,
            output_tokens: taken.output_tokens,
            trace_notes: trace_notes(&sample.result.case),
            record: parse_own_json(case_record(&sample.result, metrics)),
        }
    }
}

/// Calls of models in a trace that are shown one by one.
const MOST_CALLS: usize = 50;

/// What is known about the trace of a case: what each call of a model took, and what the collector noted.
fn trace_notes(case: &Case) -> Vec<String> {
    let about = |name: &str| case.metadata.get(probare_formats::TRACE)?.get(name);
    let list = |name: &str| about(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let calls = list(probare_formats::MODEL_CALLS);
    let shown = calls.iter().take(MOST_CALLS).enumerate().map(|(at, call)| call_words(at + 1, call));
    let more = calls.len().saturating_sub(MOST_CALLS);
    let words = count_with_noun(more as u64, "more call of a model", "more calls of models");
    let more = (more > 0).then(|| format!("and {words}"));
    let revision = about("revision").and_then(Json::as_u64);
    let again =
        revision.map(|times| format!("more of the trace came after it was scored: scored again, revision {times}"));
    let notes = list("notes").iter().filter_map(Json::as_str).map(str::to_owned);
    shown.chain(more).chain(notes).chain(again).collect()
}

/// What a call of a model took, as far as it is known.
fn call_words(number: usize, call: &Json) -> String {
    let count = |name: &str, words: &str| Some(format!("{} {words}", call.get(name)?.as_u64()?));
    let model = call.get("model").and_then(Json::as_str).map(str::to_owned);
    let cost = call.get("cost_usd").and_then(Json::as_f64).map(|cost| format!("{cost:.6} US dollars"));
    let parts = [model, count("input", "tokens in"), count("output", "out"), count("latency_ms", "ms"), cost];
    format!("model call {number}: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

impl GateLine {
    fn new(verdict: &GateVerdict) -> Self {
        let name = CaseFilter::quote(verdict.gate.metric());
        let filter = match &verdict.gate {
            Gate::Any { relation, limit, .. } => format!("{name}{}{limit}", relation.sign()),
            Gate::Labels { label, .. } => format!("{name}:{}", CaseFilter::quote(label)),
            Gate::Mean { .. } | Gate::Quantile { .. } | Gate::PassRate { .. } | Gate::NotWorse { .. } => String::new(),
        };
        let is_high_bad = match &verdict.gate {
            Gate::Mean { relation, .. } | Gate::Quantile { relation, .. } | Gate::Any { relation, .. } => {
                matches!(relation, Relation::Over | Relation::AtLeast)
            }
            Gate::PassRate { relation, .. } => matches!(relation, Relation::Under | Relation::AtMost),
            Gate::Labels { .. } | Gate::NotWorse { .. } => false,
        };
        let sort = format!("{}{}", if is_high_bad { "-" } else { "" }, verdict.gate.metric());
        Self { passed: verdict.passed, words: verdict.to_string(), filter, sort }
    }
}

impl OutputPart {
    /// The filter that shows its cases.
    fn filter(&self) -> String {
        let conditions = [("model", &self.model), ("prompt", &self.prompt)];
        let named = conditions.into_iter().filter_map(|(what, name)| Some((what, name.as_ref()?)));
        let conditions: Vec<String> = named.map(|(what, name)| format!("{what}:{}", CaseFilter::quote(name))).collect();
        conditions.join(" ")
    }
}

impl MeansRow {
    fn new(
        name: &str,
        filter: String,
        part: OutputPart,
        group: &Group,
        metrics: &[MetricInfo],
        cost_usd: Option<f64>,
    ) -> Self {
        let cells = metrics.iter().enumerate().map(|(at, info)| {
            let counts = [
                group.cases_scored(at),
                group.scored(at),
                group.unsure(at),
                group.not_applicable(at),
                group.failed(at),
            ];
            MeanCell::new(group.mean(at), group.interval(at, info), counts)
        });
        let (cases, outputs) = (group.cases(), group.outputs);
        Self { name: name.to_owned(), filter, part, cases, outputs, cost_usd, cells: cells.collect() }
    }
}

impl MeanCell {
    fn new(mean: Option<f64>, interval: Option<MeanInterval>, counts: [u64; 5]) -> Self {
        let [cases, scored, unsure, not_applicable, failed] = counts;
        Self {
            mean,
            words: mean.map(three_decimals),
            interval: interval.map(|ends| format!("{} to {}", three_decimals(ends.low), three_decimals(ends.high))),
            ends: interval.map(|ends| (ends.low, ends.high)),
            method: interval.map(|ends| ends.method.name().to_owned()),
            cases,
            scored,
            unsure,
            not_applicable,
            failed,
        }
    }
}
