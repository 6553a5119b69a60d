//! Metrics of the user's own: functions of a Python file and programs in any language, each computed by worker processes that
//! speak one [protocol](protocol).
//!
//! Only the user's own flags and configuration start them: [`with_own_metrics`] is the one place where the name of a file or
//! program becomes a process, and it looks at [`Trust`] first. A manifest, a store, a data set or a client that names one gets a
//! metric that is not computed, or an error.

mod conformance;
mod pool;
mod protocol;
mod scripted_test;
pub(crate) mod worker;

use std::path::Path;
use std::sync::Arc;

use probare_core::{
    BuildError, CodeSource, DecisionThresholds, ErrorKind, Metric, MetricCode, MetricRequest, Outcome, OwnMetric,
    Registry, Sample, ScoreError, Scorer, Trust,
};
use probare_files::{file_digest, find_program};
use serde_json::Value as Json;

pub use self::conformance::{ConformanceCheck, check_conformance};
use self::pool::{SharedPool, WorkerLaunch, WorkerPool, time_limit};
use self::protocol::{AnswerFault, Ready, read_result, score_line};
pub(crate) use self::scripted_test::takes_scripts;
use self::scripted_test::{WorkerScripts, scripted_metric};

/// The text of the Python module that workers of Python metrics are given.
const PYTHON_MODULE: &str = include_str!("../../../python/python/probare/_own_metric.py");

/// What a Python worker runs: the module, and the file and the name that are its arguments. Modules are found as in any program
/// of the user (`PYTHONPATH`, packages of the user), but not in the working folder.
const PYTHON_START: &str = "import sys\n\
    if sys.version_info < (3, 9):\n \
        sys.exit('error: Python 3.9 or newer is needed, and this is ' + sys.version.split()[0])\n\
    sys.path[:] = [folder for folder in sys.path if folder]\n\
    scope = {'__name__': 'probare_worker'}\n\
    source, path, name = sys.argv[1:4]\n\
    sys.argv = [path]\n\
    exec(compile(source, '<probare>', 'exec'), scope)\n\
    scope['bundled_module'](source).serve(path, name)\n";

/// A metric of the user's own cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnMetricError {
    /// Whoever asks may not name code.
    #[error(
        "the metric `{name}` is computed by code (`{code}`), which only the user's own flags and configuration may name"
    )]
    Untrusted {
        /// Name of the metric.
        name: String,
        /// What would be started.
        code: String,
    },
    /// It could not be started.
    #[error("metric `{name}`: {reason}")]
    Start {
        /// Name of the metric.
        name: String,
        reason: String,
        /// What to do.
        hint: String,
    },
    /// A program may not take the id of a metric of ours.
    #[error("a metric with the id `{id}` exists")]
    Taken { id: String },
}

/// The registry with the metrics of the user's own that are asked for, started and ready. What is said on somebody else's word
/// is refused; of a finished run nothing is started, and [`Plan`](crate::Plan) computes nothing.
pub fn with_own_metrics(
    registry: &Registry,
    requests: &[MetricRequest],
    trust: Trust,
) -> Result<Registry, OwnMetricError> {
    start_own_metrics(registry, requests, trust, |_| false)
}

/// The same; of a finished run, metrics whose code the user `allows` are started too.
pub(crate) fn start_own_metrics(
    registry: &Registry,
    requests: &[MetricRequest],
    trust: Trust,
    allows: impl Fn(&MetricRequest) -> bool,
) -> Result<Registry, OwnMetricError> {
    let (mut registry, mut scripts) = (registry.clone(), Vec::new());
    for request in requests {
        let Some(code) = &request.code else { continue };
        if registry.own(request).is_some() {
            continue;
        }
        match trust {
            Trust::Trusted => {}
            Trust::RecordedOnly if allows(request) => {}
            Trust::RecordedOnly => continue,
            Trust::LocalOnly => {
                return Err(OwnMetricError::Untrusted { name: request.name.clone(), code: code.source.to_string() });
            }
        }
        let metric = start(request, code, &registry, &mut scripts)?;
        registry = registry.with_own(metric);
    }
    Ok(registry)
}

/// The registry with a stand-in for every metric of the user's own, for whoever only reads a configuration: its file is looked
/// for, nothing is started, and nothing can be scored.
pub fn with_own_metrics_unstarted(registry: &Registry, requests: &[MetricRequest]) -> Result<Registry, OwnMetricError> {
    let mut registry = registry.clone();
    for request in requests {
        let Some(code) = &request.code else { continue };
        launch(&code.source).map_err(|(reason, hint)| OwnMetricError::Start {
            name: request.name.clone(),
            reason,
            hint: hint.to_owned(),
        })?;
        let made = OwnMetric::from_builder(request.id.clone(), |_| Ok(Scorer::Pure(Box::new(UnstartedMetric))));
        let (range, name) = ((f64::NEG_INFINITY, f64::INFINITY), Some(request.name.clone()));
        registry = registry.with_own(OwnMetric { code: code.clone(), range, request: name, ..made });
    }
    Ok(registry)
}

struct UnstartedMetric;

impl Metric for UnstartedMetric {
    fn score(&self, _: Sample<'_>) -> Result<Outcome, ScoreError> {
        Err(ScoreError::other(ErrorKind::NotRun, "its code was not started"))
    }
}

/// The registry with metrics that a program brings.
pub fn with_program_metrics(registry: &Registry, metrics: &[Arc<OwnMetric>]) -> Result<Registry, OwnMetricError> {
    metrics.iter().try_fold(registry.clone(), |registry, metric| {
        if metric.request.is_none() && registry.get(&metric.id).is_ok() {
            return Err(OwnMetricError::Taken { id: metric.id.clone() });
        }
        Ok(registry.with_own(Arc::clone(metric)))
    })
}

/// The code of tests by what runs it.
type StartedScripts = Vec<(MetricCode, Arc<WorkerScripts>)>;

fn start(
    request: &MetricRequest,
    code: &MetricCode,
    registry: &Registry,
    scripts: &mut StartedScripts,
) -> Result<OwnMetric, OwnMetricError> {
    let failed = |reason: String, hint: &str| OwnMetricError::Start {
        name: request.name.clone(),
        reason,
        hint: hint.to_owned(),
    };
    let open = || {
        let launch = launch(&code.source).map_err(|(reason, hint)| failed(reason, hint))?;
        let limit = time_limit(code.timeout).map_err(|error| failed(error.to_string(), "for example `timeout: 10`"))?;
        WorkerPool::open(launch, protocol::hello(&own_options(&request.options)), limit).map_err(|reason| {
            failed(reason, "docs/own-metric.md says what is expected; `probare metric check` tries it")
        })
    };
    let digested = MetricCode { files: code_digests(&code.source), ..code.clone() };
    let (name, code_of_run) = (Some(request.name.clone()), digested);
    if let Some(definition) = registry.get(&request.id).ok().filter(|definition| takes_scripts(definition.id)) {
        let shared = match scripts.iter().find(|(known, _)| known == code) {
            Some((_, shared)) => Arc::clone(shared),
            None => Arc::new(WorkerScripts::new(open()?)),
        };
        scripts.push((code.clone(), Arc::clone(&shared)));
        let made = scripted_metric(definition, shared);
        let made = made.ok_or_else(|| failed("it takes no code".to_owned(), "leave out `command`"))?;
        return Ok(OwnMetric { code: code_of_run, request: name, ..made });
    }
    let pool = open()?;
    pool.ready().check_options(&own_options(&request.options)).map_err(|reason| {
        failed(reason, "`options` of the metric; docs/own-metric.md says how a program announces them")
    })?;
    let pool = Arc::new(pool);
    let scorer = Arc::clone(&pool);
    let made = OwnMetric::from_builder(id(request, &code.source, pool.ready()), move |_| {
        Ok(Scorer::Pure(Box::new(SharedPool(Arc::clone(&scorer)))))
    });
    Ok(described(OwnMetric { code: code_of_run, request: name, ..made }, pool.ready()))
}

/// The options of a metric of the user's own, without those that every metric takes.
pub fn own_options(options: &Json) -> Json {
    let mut options = options.clone();
    if let Some(map) = options.as_object_mut() {
        for name in DecisionThresholds::OPTION_NAMES {
            map.shift_remove(name);
        }
        if map.contains_key("per") {
            for name in ["per", "over", "only", "passages"] {
                map.shift_remove(name);
            }
        }
    }
    options
}

fn id(request: &MetricRequest, source: &CodeSource, ready: &Ready) -> String {
    match source {
        CodeSource::Command(_) => format!("command:{}", ready.name),
        CodeSource::Python(_) | CodeSource::Rust => request.id.clone(),
    }
}

/// A metric with what its code says about it.
fn described(metric: OwnMetric, ready: &Ready) -> OwnMetric {
    OwnMetric {
        summary: if ready.summary.is_empty() {
            format!("`{}`, a metric of your own", ready.name)
        } else {
            ready.summary.clone()
        },
        better: ready.better,
        range: ready.range(),
        version: ready.version,
        needs: ready.needs.clone(),
        options: ready.options.clone(),
        page: ready.page.clone(),
        ..metric
    }
}

/// How the worker of a source is started; else what is wrong, and what to do.
fn launch(source: &CodeSource) -> Result<WorkerLaunch, (String, &'static str)> {
    match source {
        CodeSource::Command(words) => {
            if words.first().is_none_or(String::is_empty) {
                return Err(("`command` names no program".to_owned(), "for example `command: [node, check.mjs]`"));
            }
            Ok(WorkerLaunch { words: words.clone(), shown: words.join(" ") })
        }
        CodeSource::Python(reference) => {
            let no_file = || (format!("`{reference}` has no file that a worker could read"), "write FILE.py:NAME");
            let (file, name) = CodeSource::python_parts(reference).ok_or_else(no_file)?;
            let path = std::path::absolute(file).unwrap_or_else(|_| Path::new(file).to_owned());
            if !path.is_file() {
                return Err((format!("there is no file `{file}`"), "a Python metric is written FILE.py:NAME"));
            }
            let python = ["python3", "python"].into_iter().find_map(find_program).ok_or_else(|| {
                ("no Python is found in PATH".to_owned(), "install Python 3.9 or newer, or activate its environment")
            })?;
            let words = [
                python.display().to_string(),
                "-c".to_owned(),
                PYTHON_START.to_owned(),
                PYTHON_MODULE.to_owned(),
                path.display().to_string(),
                name.to_owned(),
            ];
            Ok(WorkerLaunch { words: words.to_vec(), shown: reference.clone() })
        }
        CodeSource::Rust => Err(("it is computed by a Rust program".to_owned(), "run that program")),
    }
}

/// SHA-256 of the files that a source names, by path.
pub fn code_digests(source: &CodeSource) -> std::collections::BTreeMap<String, String> {
    let files: Vec<&str> = match source {
        CodeSource::Python(reference) => {
            CodeSource::python_parts(reference).into_iter().map(|(file, _)| file).collect()
        }
        CodeSource::Command(words) => words.iter().map(String::as_str).collect(),
        CodeSource::Rust => Vec::new(),
    };
    let digest = |file: &str| {
        // A program that is found by its name is one of the machine.
        let is_file = Path::new(file).is_file();
        is_file.then(|| file_digest(Path::new(file)).ok()).flatten().map(|found| (file.to_owned(), found.sha256))
    };
    files.into_iter().filter_map(digest).collect()
}

/// A metric that the same process computes, by the messages of the protocol: what the Python package brings.
pub fn exchanged_metric(
    id: String,
    code: MetricCode,
    ready: &str,
    exchange: impl Fn(&str) -> Result<String, String> + Send + Sync + 'static,
) -> Result<OwnMetric, BuildError> {
    let ready = Ready::read(ready.as_bytes()).map_err(BuildError::Options)?;
    let code = MetricCode { files: code_digests(&code.source), ..code };
    let shared = Arc::new(ExchangedMetric { ready: ready.clone(), exchange: Box::new(exchange) });
    let made = OwnMetric::from_builder(id, move |_| Ok(Scorer::Pure(Box::new(SharedExchange(Arc::clone(&shared))))));
    Ok(described(OwnMetric { code, ..made }, &ready))
}

type Exchange = dyn Fn(&str) -> Result<String, String> + Send + Sync;

struct ExchangedMetric {
    ready: Ready,
    exchange: Box<Exchange>,
}

struct SharedExchange(Arc<ExchangedMetric>);

impl Metric for SharedExchange {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let Self(metric) = self;
        let failed =
            |reason: String| ScoreError::other(ErrorKind::Failed, format!("`{}`: {reason}", metric.ready.name));
        let answer = (metric.exchange)(&score_line(1, sample)?).map_err(failed)?;
        read_result(answer.as_bytes(), 1, &metric.ready, sample).map_err(|fault| match fault {
            AnswerFault::Result(error) => error,
            AnswerFault::Noise(reason) => failed(reason),
        })
    }
}
