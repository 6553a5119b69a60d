//! `POST /v1/score`: the cases of a body through some metrics, result lines as they come.
//!
//! The body is a source of cases like a file, the reply a sink like a report; between them runs what runs for every command.
//! So the lines are those of `probare score` on the same cases, byte for byte. A client that reads slowly slows its own
//! run down; one that is gone ends it.

use std::fmt;
use std::io::{self, Cursor};
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use http_body::Frame;
use probare_benchmarks::{registries, registry};
use probare_core::{
    CaseResult, Event, Job, MetricInfo, MetricKind, MetricResult, Problem, Profile, ScoreError, Sink, Stop,
};
use probare_engine::{Diagnose, DriveError, Interface, MetricEntry, PlanError, RunError, RunOptions, RunRequest};
use probare_formats::{CaseFileError, CaseFormat, CaseReader, FieldMap};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use crate::api_error::{ApiError, typed_response};
use crate::app::{App, RequestContext, SharedApp, query_parameters, truncated};
use crate::body::{self, JSON, JSON_LINES, RequestBody};
use crate::counters::InFlight;
use crate::trace_body::{self, TraceEncoding};

/// Metrics of one request.
const MOST_METRICS: usize = 64;

/// Lines that wait to be sent.
const LINES_WAITING: usize = 64;

/// A client is given this long after the end of its time to see the last line.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// And this long after it before the connection breaks, so that the line is not lost with it.
const FLUSH: Duration = Duration::from_millis(5);

/// What a reply says that was not whole in time.
const OVER: &str = "the time for this request is over";

/// What a reply says that ends at a row which cannot be read.
const STRICT: &str = "a row could not be read, and `strict` ends there";

/// What messages call the body.
const BODY: &str = "the body";

/// Parameters of the query: all that can be said beside JSON lines, and more metrics or another profile beside a JSON body.
pub(crate) const PARAMETERS: [&str; 2] = ["metric", "profile"];

/// Options of a run that a client may set: none of them reaches or writes anything.
const FOR_CLIENTS: [&str; 5] = ["metrics", "profile", "map", "limit", "strict"];

/// What a body in JSON may have.
const FIELDS: [&str; 6] = ["metrics", "profile", "map", "limit", "strict", "cases"];

/// Cases and the metrics they are to go through, with further options of a run.
pub(crate) struct ScoreRequest<'a> {
    options: RunOptions,
    /// The cases, as a file of cases has them.
    cases: &'a RawValue,
}

impl<'de> Deserialize<'de> for ScoreRequest<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Body;
        impl<'de> Visitor<'de> for Body {
            type Value = ScoreRequest<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(EXPECTED)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ScoreRequest<'de>, A::Error> {
                let (mut options, mut cases) = (Map::new(), None);
                while let Some(name) = map.next_key::<String>()? {
                    if name == "cases" {
                        cases = Some(map.next_value()?);
                    } else if FOR_CLIENTS.contains(&name.as_str()) {
                        options.insert(name, map.next_value()?);
                    } else {
                        return Err(A::Error::unknown_field(&name, &FIELDS));
                    }
                }
                let options = RunOptions::deserialize(Json::Object(options)).map_err(A::Error::custom)?;
                Ok(ScoreRequest { options, cases: cases.ok_or_else(|| A::Error::missing_field("cases"))? })
            }
        }
        deserializer.deserialize_map(Body)
    }
}

impl JsonSchema for ScoreRequest<'_> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ScoreRequest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // Of the types of its options only those that are left belong into the document.
        let mut schema = RunOptions::json_schema(&mut SchemaGenerator::new(generator.settings().clone()));
        generator.subschema_for::<MetricEntry>();
        generator.subschema_for::<Profile>();
        schema.insert("description".to_owned(), "Cases and the metrics they are to go through.".into());
        schema.insert("required".to_owned(), json!(["metrics", "cases"]));
        if let Some(Json::Object(properties)) = schema.get_mut("properties") {
            properties.retain(|name, _| FOR_CLIENTS.contains(&name.as_str()));
            if let Some(Json::Object(metrics)) = properties.get_mut("metrics") {
                metrics.shift_remove("default");
                metrics.insert("minItems".to_owned(), 1.into());
                metrics.insert("maxItems".to_owned(), MOST_METRICS.into());
            }
            let cases = json!({
                "type": "array",
                "items": { "type": "object", "additionalProperties": true },
                "description": "The cases, as a file of cases has them.",
            });
            properties.insert("cases".to_owned(), cases);
        }
        schema
    }
}

/// A line of a body of JSON lines: a case.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "lines are read as a file of cases is; this says what they look like")]
pub(crate) struct CaseLine(Map<String, Json>);

/// A line of the reply: the results of a case, or a row that could not be read.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "lines are written by the runner; this says what they look like")]
pub(crate) struct ScoreLine {
    /// Id of the case.
    id: Option<String>,
    /// What each metric said: `value`, `not_applicable` or `error`, with its evidence.
    scores: Option<Map<String, Json>>,
    /// Line of a row that could not be read.
    line: Option<u64>,
    /// Column in that line, where it is known.
    column: Option<u64>,
    /// What is wrong with that row, or why the lines end here.
    error: Option<String>,
    /// What to do about it.
    hint: Option<String>,
    /// Of traces: what could not be used of them.
    note: Option<String>,
}

const EXPECTED: &str = "an object with `metrics`, a list, and `cases`, a list of objects";

/// `POST /v1/score`.
pub(crate) async fn answer(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    request: Request,
) -> Result<Response, ApiError> {
    let kind = body::content_type(request.headers(), &[JSON, JSON_LINES])?;
    let parameters = query_parameters(request.uri(), &PARAMETERS)?;
    let held = body::read_body(&app, request, app.limits.body, begun.deadline).await?;
    let options = options_from_query(&parameters)?;
    let wishes = if kind == JSON { ScoreJob::from_body(options, held)? } else { ScoreJob::from_lines(options, held) };
    stream_results(app, begun, wishes).await
}

/// The reply to what is wanted: result lines as they come.
pub(crate) async fn stream_results(
    app: SharedApp,
    begun: RequestContext,
    wishes: ScoreJob,
) -> Result<Response, ApiError> {
    wishes.check()?;
    let (lines, reply) = StreamedReply::new(&begun, app.limits.write_time);
    let interrupted = Arc::clone(&reply.interrupted);
    let (started, first) = oneshot::channel();
    let deadline = begun.deadline;
    let run = {
        let app = Arc::clone(&app);
        async move {
            let shared = Arc::clone(&app);
            let work = move |_: &mut _| {
                let has_notes = wishes.wrapping.is_some();
                let lines = LineSink { started: Some(started), lines, metrics: Vec::new(), has_notes };
                run_job(&shared, wishes, lines, interrupted)
            };
            app.runs.run(deadline, work).await
        }
    };
    // The run goes on beside the reply; what became of it before its first line is told here.
    let run = tokio::spawn(run);
    match timeout_at(deadline, first).await {
        Ok(Ok(())) => Ok(typed_response(StatusCode::OK, JSON_LINES, Body::new(reply))),
        Ok(Err(_)) => match run.await {
            Ok(Ok(Err(refusal)) | Err(refusal)) => Err(refusal),
            Ok(Ok(Ok(()))) | Err(_) => Err(ApiError::internal()),
        },
        Err(_) => Err(ApiError::deadline_exceeded()),
    }
}

/// The options of a query: metrics and profile.
pub(crate) fn options_from_query(parameters: &[(String, String)]) -> Result<RunOptions, ApiError> {
    let wrong = |error: String| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error);
    let mut options = RunOptions::default();
    for (name, value) in parameters {
        match (name.as_str(), value.as_str()) {
            ("metric", text) => {
                let metric = MetricEntry::from_str(text);
                options.metrics.push(metric.map_err(|error| {
                    wrong(truncated(&error.to_string())).expecting("metric=ID, or metric=NAME=ID:OPTION=VALUE")
                })?);
            }
            (_, name) => {
                let known = Profile::from_name(name);
                let known = known.ok_or_else(|| wrong("unknown profile".to_owned()).expecting("published or improved"));
                options.profile = Some(known?);
            }
        }
    }
    Ok(options)
}

/// What is wanted.
pub(crate) struct ScoreJob {
    options: RunOptions,
    cases: RequestBody,
    /// Bytes of the body before the cases; they become white space, so that lines and columns are those of the body.
    before: usize,
    /// Where the cases end.
    end: usize,
    format: CaseFormat,
    /// How the cases come where they are traces.
    wrapping: Option<TraceEncoding>,
}

impl ScoreJob {
    /// Metrics of the query stand before those of the body, and what else it says goes before what the body says.
    fn from_body(mut query: RunOptions, held: RequestBody) -> Result<Self, ApiError> {
        let (options, before, end) = {
            let mut body: ScoreRequest<'_> = body::parse_json(&held.bytes, EXPECTED)?;
            let cases = body.cases.get();
            if !cases.starts_with('[') {
                return Err(
                    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "`cases` is not a list").expecting(EXPECTED)
                );
            }
            // The text of the cases is a piece of the body.
            let before = (cases.as_ptr() as usize).saturating_sub(held.bytes.as_ptr() as usize);
            query.metrics.append(&mut body.options.metrics);
            (query.combine(body.options), before, before + cases.len())
        };
        Ok(Self { options, cases: held, before, end, format: CaseFormat::Json, wrapping: None })
    }

    fn from_lines(options: RunOptions, cases: RequestBody) -> Self {
        let end = cases.bytes.len();
        Self { options, cases, before: 0, end, format: CaseFormat::JsonLines, wrapping: None }
    }

    /// Traces, as they come.
    pub fn from_traces(options: RunOptions, cases: RequestBody, wrapping: TraceEncoding) -> Self {
        let options = RunOptions { group: Some(wrapping.group), ..options };
        Self { options, cases, before: 0, end: usize::MAX, format: CaseFormat::Otlp, wrapping: Some(wrapping) }
    }

    /// Metrics that ask models would spend the operator's money, or read files that a client names.
    fn check(&self) -> Result<(), ApiError> {
        let wrong = |error: String| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error);
        self.options.reading(&FieldMap::default()).map_err(|error| wrong(truncated(&error.to_string())))?;
        let requests = self.options.requests();
        if requests.len() > MOST_METRICS {
            return Err(wrong("too many metrics".to_owned()).expecting(format!("at most {MOST_METRICS}")));
        }
        for request in &requests {
            let Ok(definition) = registry().get(&request.id) else { continue };
            if definition.kind != MetricKind::Judge {
                continue;
            }
            let built = definition.build(request.options.clone(), request.profile.unwrap_or(self.options.profile()));
            if built.is_ok_and(|scorer| scorer.sole_embedding_model().is_none()) {
                let error = format!("`{}` asks a model, which a server does not do", request.id);
                return Err(wrong(error).expecting("a metric that computes; `probare score --judge MODEL` asks models"));
            }
        }
        Ok(())
    }

    /// The cases as a source that reads the body where it is, and the options of the run.
    fn source(self) -> Result<(CaseReader, RunOptions), CaseFileError> {
        let Self { options, mut cases, before, end, format, wrapping: _ } = self;
        cases.bytes.truncate(end);
        for byte in cases.bytes.iter_mut().take(before).filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
        // What is mapped was checked before the run.
        let reading = options.reading(&FieldMap::default()).unwrap_or_default();
        let rows = CaseReader::from_reader(Cursor::new(BodyBytes(cases)), BODY, format, &reading)?;
        Ok((rows, options))
    }
}

/// A body that takes its room as long as it is read.
struct BodyBytes(RequestBody);

impl AsRef<[u8]> for BodyBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

fn run_job(app: &App, mut wishes: ScoreJob, lines: LineSink, interrupted: Arc<AtomicBool>) -> Result<(), ApiError> {
    if let Some(wrapping) = wishes.wrapping {
        wishes.cases = wrapping.decode(app, wishes.cases)?;
    }
    let expected = if wishes.wrapping.is_some() { trace_body::EXPECTED } else { EXPECTED };
    let unreadable = || ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "the cases cannot be read").expecting(expected);
    let (rows, options) = wishes.source().map_err(|_| unreadable())?;
    let requests = options.requests();
    let last = lines.lines.clone();
    let wanted = RunRequest {
        // The pool says how much is computed at once.
        settings: RunOptions { jobs: Some(NonZeroUsize::MIN), ..options },
        backend: &app.vectors,
        lines: true,
        interrupted,
        watcher: Some(Box::new(lines)),
        ..RunRequest::default()
    };
    match probare_engine::run(Job::new(BODY, Box::new(rows), requests), registries(), wanted) {
        Ok(conclusion) if conclusion.driven.stop == Stop::Complete => last.end(None),
        Ok(conclusion) if conclusion.driven.stop == Stop::Strict => last.end(Some(STRICT)),
        Ok(_) => last.end(Some(OVER)),
        Err(RunError::Plan(error)) => return Err(plan_error(&error)),
        // The client is gone, or takes nothing.
        Err(RunError::Drive(DriveError::Output(_))) => last.end(Some("the reply was not taken")),
        Err(_) => {
            last.end(Some("the cases cannot be read further"));
            return Err(unreadable());
        }
    }
    Ok(())
}

/// What is wrong with the metrics, and what to do.
fn plan_error(error: &PlanError) -> ApiError {
    let expected = error.diagnose(Interface::Http).hint.unwrap_or_default();
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, truncated(&error.to_string())).expecting(expected)
}

/// Sends lines; it waits where the client does not keep up.
#[derive(Clone)]
struct LineSender {
    lines: mpsc::Sender<ReplyLine>,
    runtime: Handle,
    deadline: Instant,
    write_time: Duration,
}

/// What is sent.
enum ReplyLine {
    Text(Bytes),
    /// That was all. Without it a reply is not whole, whatever happened to the run.
    End,
    /// The lines end before the cases do; whoever reads them must notice.
    Broken,
}

impl LineSender {
    fn send(&self, line: ReplyLine) -> io::Result<()> {
        let gone = || io::Error::new(io::ErrorKind::BrokenPipe, "nobody takes the lines");
        let line = match self.lines.try_send(line) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Closed(_)) => return Err(gone()),
            Err(TrySendError::Full(line)) => line,
        };
        let until = self.deadline.min(Instant::now() + self.write_time) + LAST_WORDS;
        match self.runtime.block_on(async { timeout_at(until, self.lines.send(line)).await }) {
            Ok(Ok(())) => Ok(()),
            _ => Err(gone()),
        }
    }

    /// The last words: nothing where all is well.
    fn end(&self, error: Option<&str>) {
        // Where the client is gone, nobody misses them.
        let Some(error) = error else {
            let _ = self.send(ReplyLine::End);
            return;
        };
        let _ = self.send(ReplyLine::Text(last_line(error)));
        let _ = self.send(ReplyLine::Broken);
    }
}

/// What the last line of a reply says that is not whole.
fn last_line(error: &str) -> Bytes {
    format!("{}\n", json!({ "error": error })).into()
}

/// Result lines as they come.
struct LineSink {
    started: Option<oneshot::Sender<()>>,
    lines: LineSender,
    metrics: Vec<MetricInfo>,
    /// Whether remarks about the cases are lines, too.
    has_notes: bool,
}

impl Sink for LineSink {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                if let Some(started) = self.started.take() {
                    // Whoever waited may be gone; the first line finds out.
                    let _ = started.send(());
                }
                Ok(())
            }
            Event::Scored(result) => {
                let is_internal = |named: &MetricResult| matches!(named, Err(ScoreError::Internal { .. }));
                let mut line = if result.results.iter().any(is_internal) {
                    without_panic_messages(result, &self.metrics)
                } else {
                    result.line_text(&self.metrics).into_owned()
                };
                line.push('\n');
                self.lines.send(ReplyLine::Text(line.into()))
            }
            Event::Problem(problem) if problem.lost => self.lines.send(ReplyLine::Text(lost_row_line(problem).into())),
            Event::Problem(problem) if self.has_notes => {
                let line = format!("{}\n", json!({ "note": problem.reason }));
                self.lines.send(ReplyLine::Text(line.into()))
            }
            _ => Ok(()),
        }
    }
}

/// The line of a row that could not be read.
fn lost_row_line(problem: &Problem) -> String {
    let Problem { line, column, reason, hint, .. } = problem;
    let members = [("line", json!(line)), ("column", json!(column)), ("error", json!(reason)), ("hint", json!(hint))];
    let told: Map<String, Json> = members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    format!("{}\n", Json::Object(told))
}

/// The line of a case where a metric stopped: what it said is for the operator.
fn without_panic_messages(result: &CaseResult, metrics: &[MetricInfo]) -> String {
    let quiet = |named: &MetricResult| match named {
        Err(ScoreError::Internal { .. }) => Err(ScoreError::Internal { reason: "its reason is not shown".to_owned() }),
        other => other.clone(),
    };
    let results = result.results.iter().map(quiet).collect();
    let told = CaseResult { results, written: None, ..result.clone() };
    told.line_text(metrics).into_owned()
}

/// The lines as the body of a reply.
struct StreamedReply {
    lines: mpsc::Receiver<ReplyLine>,
    over: Pin<Box<Sleep>>,
    interrupted: Arc<AtomicBool>,
    /// Whether the last line was said and the connection is to break.
    is_broken: bool,
    _in_flight: InFlight,
}

impl StreamedReply {
    fn new(begun: &RequestContext, write_time: Duration) -> (LineSender, Self) {
        let (sender, lines) = mpsc::channel(LINES_WAITING);
        let sending = LineSender { lines: sender, runtime: Handle::current(), deadline: begun.deadline, write_time };
        let over = Box::pin(sleep_until(begun.deadline));
        let in_flight = begun.in_flight.clone();
        (sending, Self { lines, over, interrupted: Arc::default(), is_broken: false, _in_flight: in_flight })
    }

    fn break_off(&mut self) {
        self.is_broken = true;
        self.over.as_mut().reset(Instant::now() + FLUSH);
    }
}

impl Drop for StreamedReply {
    /// Nobody reads any more, so nothing more is computed.
    fn drop(&mut self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }
}

impl http_body::Body for StreamedReply {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.is_broken {
            // What was said last has to be on its way before the connection breaks.
            ready!(self.over.as_mut().poll(context));
            return Poll::Ready(Some(Err(io::Error::other("the lines end before the cases do"))));
        }
        if let Poll::Ready(line) = self.lines.poll_recv(context) {
            return match line {
                Some(ReplyLine::Text(text)) => Poll::Ready(Some(Ok(Frame::data(text)))),
                Some(ReplyLine::End) => Poll::Ready(None),
                Some(ReplyLine::Broken) | None => {
                    self.break_off();
                    self.poll_frame(context)
                }
            };
        }
        // The run ends at its next case and says so; one that does not come to it is left behind, and this says it.
        ready!(self.over.as_mut().poll(context));
        if self.interrupted.swap(true, Ordering::Relaxed) {
            self.break_off();
            return Poll::Ready(Some(Ok(Frame::data(last_line(OVER)))));
        }
        self.over.as_mut().reset(Instant::now() + LAST_WORDS);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::counters::RequestCounters;

    #[tokio::test]
    async fn lines_without_their_end_are_not_whole() {
        let begun = RequestContext {
            deadline: Instant::now() + Duration::from_secs(10),
            in_flight: RequestCounters::default().begin(),
        };
        let (sending, reply) = StreamedReply::new(&begun, Duration::from_secs(1));
        sending.send(ReplyLine::Text(Bytes::from_static(b"a\n"))).unwrap();
        sending.end(None);
        assert_eq!(reply.collect().await.unwrap().to_bytes(), "a\n");

        // A run that is gone without a word, as after a panic.
        let (sending, reply) = StreamedReply::new(&begun, Duration::from_secs(1));
        sending.send(ReplyLine::Text(Bytes::from_static(b"a\n"))).unwrap();
        drop(sending);
        assert!(reply.collect().await.is_err());
    }
}
