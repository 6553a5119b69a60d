//! `probare serve`: the engine over HTTP.

use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use probare_analysis::RunViewer;
use probare_benchmarks::registries;
use probare_core::Backend;
use probare_engine::{Config, Exit, ModelBackend, SettingOrigin, parse_jobs};
use probare_formats::read_whole;
use probare_models::{Secret, forbid_core_dumps};
use probare_retrieval::Mode;
use probare_server::{
    AuthToken, Collector, CollectorError, CollectorSettings, IndexAnswerer, PromptAnswerer, ServeError, Server,
    ServerLimits, ServerSettings, TokenError, VIEWER_PATH,
};
use probare_store::STORE;

use super::flags::{COLLECTED_SCORES, ForServe, OptionFlags};
use super::rag::{self, OpenIndex};
use super::remark;
use super::server_process::{keep_panics_short, stop_on_signals, with_labels_file};
use super::store_flags::evaluation_failure;
use crate::failure::{CommandResult, Failure};

/// The variable that holds the token.
const TOKEN: &str = "PROBARE_SERVE_TOKEN";

/// Bytes of the largest file that can be a token.
const LARGEST_TOKEN: u64 = 4096;

/// Serve the engine over HTTP.
///
/// Answers POST /evaluate (one response by its query and its passages), POST /prompt and POST /evaluation-prompt (a question
/// about the corpus of --index, answered by --model with citations), POST /v1/score (cases and metrics in, result lines
/// out), POST /v1/traces and /v1/logs (traces of OpenTelemetry), GET /v1/metrics and GET /v1/metrics/{id}, GET
/// /health, GET /metrics (for Prometheus) and GET /openapi.json. After Ctrl-C or SIGTERM it finishes requests under way and ends.
///
/// With --collect, applications send their traces here: OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:8080 and
/// OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf. The server stores spans and log records before it replies. When no span of a trace
/// has arrived for --quiet-time, it scores the trace with the metrics of -m, or of the configuration, as a case of the run of
/// the day (`probare view` shows it); later spans have it scored again. Without --collect, /v1/traces scores at once and keeps
/// nothing.
///
/// Without a token it listens only on 127.0.0.1 or `::1`. The token is the content of --token-file or of the variable
/// `PROBARE_SERVE_TOKEN`; clients send it as `Authorization: Bearer TOKEN`, or as `auth` in the body of the published paths.
#[allow(clippy::doc_markdown, reason = "the help is read in a terminal")]
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("runs").args(["view", "collect"]).multiple(true)))]
pub struct Arguments {
    /// Address and port to listen on; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", env = "PROBARE_LISTEN")]
    listen: String,

    /// Index of the corpus that /prompt and /evaluation-prompt answer from, a folder that `probare rag index` made
    #[arg(long, value_name = "INDEX", requires = "models", env = "PROBARE_INDEX")]
    index: Option<PathBuf>,

    /// Model that clients may ask about the corpus: provider:model, a name from the configuration, or replay:FILE (repeatable; the first answers where none is named)
    #[arg(long = "model", value_name = "MODEL", requires = "index", env = "PROBARE_MODEL")]
    models: Vec<String>,

    /// Embedding model, if the index was built with one of a server or program: provider:model, or a name from the configuration
    #[arg(long, value_name = "MODEL", requires = "index", env = "PROBARE_EMBEDDING")]
    embedding: Option<String>,

    /// Collect the traces that are sent to /v1/traces and /v1/logs, and score each once it is quiet
    #[arg(long, env = "PROBARE_COLLECT")]
    collect: bool,

    /// With --collect: score a trace when nothing has come for it for this long, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, requires = "collect", env = "PROBARE_QUIET_TIME")]
    quiet_time: Duration,

    /// With --collect: share of the traces that metrics which ask a model are computed for, such as 10%; traces with an error always are
    #[arg(long, value_name = "PERCENT", default_value = "100%", value_parser = share, requires = "collect", env = "PROBARE_SAMPLE")]
    sample: f64,

    /// With --collect: days after which a run of traces and its spans are removed from the store
    #[arg(long, value_name = "N", default_value = "30", requires = "collect", env = "PROBARE_KEEP_DAYS")]
    keep_days: u64,

    /// With --collect: refuse further spans as long as the store holds more than this, in GiB
    #[arg(long, value_name = "GIB", default_value = "20", requires = "collect", env = "PROBARE_MAX_STORE_SIZE")]
    max_store_size: f64,

    /// With --collect: send scores on as OTLP log records `gen_ai.evaluation.result` to this address, such as http://127.0.0.1:4318/v1/logs
    #[arg(long, value_name = "URL", requires = "collect", env = "PROBARE_EXPORT_SCORES")]
    export_scores: Option<String>,

    /// Header of such a request, as NAME=VALUE; ${VARIABLE} in it is taken from the environment (repeatable)
    #[arg(long = "export-header", value_name = "NAME=VALUE", value_parser = header, requires = "export_scores", env = "PROBARE_EXPORT_HEADER", hide_env_values = true)]
    export_headers: Vec<(String, String)>,

    #[command(flatten)]
    asking: OptionFlags<ForServe>,

    /// The configuration with models of your own and with the metrics of --collect; probare.yaml if it exists
    #[arg(long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,

    /// File with the token that clients must send
    #[arg(long, value_name = "FILE", env = "PROBARE_TOKEN_FILE")]
    token_file: Option<PathBuf>,

    /// Maximum body size of /v1/score, /v1/traces and /v1/logs, in MiB; 1 MiB for other paths
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = mebibytes, env = "PROBARE_MAX_BODY")]
    max_body: usize,

    /// Request timeout, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, env = "PROBARE_TIMEOUT")]
    timeout: Duration,

    /// Maximum number of connections; further ones wait
    #[arg(long, value_name = "N", default_value = "4096", env = "PROBARE_MAX_CONNECTIONS")]
    max_connections: NonZeroUsize,

    /// Maximum number of requests that wait for a thread; further ones get status 503
    #[arg(long, value_name = "N", default_value = "4096", env = "PROBARE_MAX_WAITING")]
    max_waiting: NonZeroUsize,

    /// Number of scoring threads; all cores by default
    #[arg(short, long, value_name = "N", value_parser = parse_jobs, env = "PROBARE_JOBS")]
    jobs: Option<NonZeroUsize>,

    /// Serve the pages of `probare view` under /view too, for the store and the files of results of the working folder; needs a token
    #[arg(long, env = "PROBARE_VIEW")]
    view: bool,

    /// The store of runs that --view shows and --collect fills
    #[arg(long, value_name = "FILE", default_value = STORE, requires = "runs", env = "PROBARE_STORE")]
    store: PathBuf,

    /// File to append labels from the pages of --view to; labels.jsonl beside the store by default
    #[arg(long, value_name = "FILE.jsonl", requires = "view", env = "PROBARE_LABELS")]
    labels: Option<PathBuf>,

    /// Log each request to standard error: method, path, status, time
    #[arg(short, long, env = "PROBARE_VERBOSE")]
    verbose: bool,
}

fn mebibytes(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number @ 1..=1024) => Ok(number),
        _ => Err("a whole number from 1 to 1024 is expected".to_owned()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<u64>() {
        Ok(number @ 1..=86_400) => Ok(Duration::from_secs(number)),
        _ => Err("a whole number from 1 to 86400 is expected".to_owned()),
    }
}

/// Reads a share as a percentage.
fn share(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').and_then(|percent| percent.trim().parse::<f64>().ok()) {
        Some(percent) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("a percentage from 0% to 100% is expected, such as 10%".to_owned()),
    }
}

/// Reads a header.
fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.trim().to_owned())),
        _ => Err("NAME=VALUE is expected, such as Authorization=Bearer ${TOKEN}".to_owned()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    forbid_core_dumps();
    let token = token(arguments.token_file.as_deref())?;
    let defaults = ServerLimits::default();
    let body = arguments.max_body * 1024 * 1024;
    let limits = ServerLimits {
        body,
        bodies: defaults.bodies.max(body * 2),
        time: arguments.timeout,
        connections: arguments.max_connections.get(),
        waiting: arguments.max_waiting.get(),
        jobs: arguments.jobs.unwrap_or(defaults.jobs),
        ..defaults
    };
    let answerer = arguments.index.as_deref().map(|index| corpus(index, arguments)).transpose()?;
    if arguments.view && token.is_none() {
        return Err(Failure::usage("--view needs a token: the pages show what people asked and what models answered")
            .hint(format!("set {TOKEN} or --token-file (openssl rand -hex 32 makes one)")));
    }
    let collector = collector(arguments)?;
    let open = || {
        Ok::<_, Failure>(Arc::new(with_labels_file(
            RunViewer::open(&arguments.store, &[], registries())?,
            arguments.labels.as_deref(),
        )?))
    };
    let viewer = if arguments.view { Some(open()?) } else { None };
    let verbose = arguments.verbose;
    let settings = ServerSettings {
        token,
        limits,
        answerer,
        collector: collector.clone(),
        viewer,
        is_viewer_only: false,
        verbose,
    };
    let server = Server::bind(&arguments.listen, settings)?;
    stop_on_signals(server.stop());
    keep_panics_short();
    announce(&server, collector.as_deref(), arguments);
    server.run()?;
    if let Some(collector) = collector {
        collector.stop();
    }
    remark("stopped");
    Ok(Exit::Fine)
}

/// Says where the server listens and what it takes.
fn announce(server: &Server, collector: Option<&Collector>, arguments: &Arguments) {
    remark(&format!("listening on http://{}", server.address()));
    if let Some(collector) = collector {
        remark(&format!(
            "collecting traces into run {} of `{}`, scored by {} when nothing has come for {} s; applications send them with \
             OTEL_EXPORTER_OTLP_ENDPOINT=http://{} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
            collector.run(),
            arguments.store.display(),
            collector.metrics().join(", "),
            arguments.quiet_time.as_secs(),
            server.address()
        ));
    }
    if arguments.view {
        remark(&format!(
            "the pages are at http://{}{VIEWER_PATH}#token=TOKEN, with the token in place of the word",
            server.address()
        ));
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is checked to be a size")]
fn gibibytes(number: f64) -> Result<u64, Failure> {
    match number * f64::from(1 << 30) {
        bytes if (0.0..=1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err(Failure::usage("--max-store-size needs a size in GiB").hint("such as 20, or 0.5")),
    }
}

/// Who keeps traces, where they are collected.
fn collector(arguments: &Arguments) -> Result<Option<Arc<Collector>>, Failure> {
    let said = arguments.asking.options();
    if !arguments.collect {
        // A variable may be meant for other commands; a flag is meant for this one.
        let is_flag = |name: &str| matches!(said.origin(name), SettingOrigin::Flag(_));
        return match COLLECTED_SCORES.into_iter().find(|name| is_flag(name)) {
            Some(name) => Err(Failure::usage(format!("{} is given, and nothing is collected", said.origin(name)))
                .hint("add --collect; without it the metrics stand in each request")),
            None => Ok(None),
        };
    }
    let mut options = arguments.asking.with(&Config::load(arguments.config.as_deref())?);
    options.jobs = arguments.jobs.or(options.jobs);
    if options.metrics.is_empty() {
        return Err(Failure::usage("--collect needs metrics, by which traces are scored")
            .hint("name some with -m, such as -m tool_errors -m loops, or as `metrics` in probare.yaml"));
    }
    let export = arguments.export_scores.clone().map(|url| (url, arguments.export_headers.iter().cloned().collect()));
    let settings = CollectorSettings {
        store: arguments.store.clone(),
        options,
        quiet_time: arguments.quiet_time,
        judged_share: arguments.sample,
        most_bytes: gibibytes(arguments.max_store_size)?,
        keep_days: Some(arguments.keep_days),
        export,
        log: Arc::new(remark),
    };
    Collector::start(settings).map(Some).map_err(|error| match error {
        CollectorError::Metrics(error) => evaluation_failure(error),
        CollectorError::Store(error) => error.into(),
        CollectorError::Models(error) => error.into(),
        other => Failure::from_error(&other),
    })
}

/// The corpus and the models that answer questions about it. Nothing is sent.
fn corpus(index: &Path, arguments: &Arguments) -> Result<Arc<dyn PromptAnswerer>, Failure> {
    let asked = Arc::new(rag::open_models(&arguments.models, arguments.config.as_deref(), &arguments.asking)?);
    let outside: Arc<dyn Backend> = Arc::<ModelBackend>::clone(&asked);
    let OpenIndex { index, embedder } = rag::open_index(index, Mode::Hybrid, arguments.embedding.as_deref(), &outside)?;
    Ok(Arc::new(IndexAnswerer::new(index, embedder, asked, arguments.models.clone())))
}

/// The token of the file or of the variable, of which only the digest is kept.
fn token(file: Option<&Path>) -> Result<Option<AuthToken>, Failure> {
    let (text, name) = match (file, env::var_os(TOKEN)) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage(format!("both --token-file and `{TOKEN}` are given")).hint("give one of them"));
        }
        (Some(file), None) => {
            let (bytes, _) = read_whole(&file.display().to_string(), LARGEST_TOKEN)?;
            (Secret::new(&String::from_utf8_lossy(&bytes)), "the file of --token-file".to_owned())
        }
        (None, Some(text)) => (Secret::new(&text.to_string_lossy()), format!("`{TOKEN}`")),
        (None, None) => return Ok(None),
    };
    text.with(AuthToken::new).map(Some).map_err(|error| {
        let hint = match error {
            TokenError::Short { .. } => "make one with: openssl rand -hex 32",
            _ => "use letters and digits; make one with: openssl rand -hex 32",
        };
        Failure::usage(format!("{name} is no token: {error}")).hint(hint)
    })
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let failure = Self::from_error(&error);
        match error {
            ServeError::Address { .. } => failure.hint("write --listen ADDRESS:PORT").into_usage(),
            ServeError::Open { .. } => failure
                .hint(format!("set {TOKEN} or --token-file (openssl rand -hex 32 makes one), or listen on 127.0.0.1"))
                .into_usage(),
            ServeError::Bind { .. } => failure.hint("choose another one with --listen; port 0 takes any that is free"),
            _ => failure,
        }
    }
}
