//! Pages for people: runs, cases and single cases of a [`RunViewer`], in a browser.
//!
//! The page itself holds nothing: it is the same for everybody. What it shows it asks for, with the token that stood behind the
//! `#` of the address, which no browser sends along. Replies forbid every script and style but our own, and frames; requests
//! that a page of somebody else makes are refused.

mod labels;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use bytes::Bytes;
use http_body::Frame;
use probare_analysis::{CasesQuery, CompareError, HistoryQuery, LabelError, RunViewer, ViewerError};
use probare_report::html;
use probare_store::StoreError;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::api_error::{ApiError, json_response, typed_response};
use crate::app::{RequestContext, SharedApp, query_parameters, truncated};
use crate::body::JSON_LINES;
use crate::routes::RouteAccess;

/// Where the page is.
pub const VIEWER_PATH: &str = "/view";

const PAGE_HTML: &str = include_str!("viewer.html");

/// The scripts and styles of the pages, by their file names; beside them the modules of the report.
const FILES: [(&str, &str); 10] = [
    ("viewer.js", include_str!("viewer.js")),
    ("http.js", include_str!("http.js")),
    ("runs.js", include_str!("runs.js")),
    ("chart.js", include_str!("chart.js")),
    ("live.js", include_str!("live.js")),
    ("compare.js", include_str!("compare.js")),
    ("calls.js", include_str!("calls.js")),
    ("panel.js", include_str!("panel.js")),
    ("trend.js", include_str!("trend.js")),
    ("labels.js", include_str!("labels.js")),
];
const STYLES: [(&str, &str); 2] = [("style.css", html::style()), ("labels.css", include_str!("labels.css"))];

/// One path of the pages.
pub(crate) struct PageRoute {
    pub path: &'static str,
    pub access: RouteAccess,
    pub handler: fn() -> MethodRouter<SharedApp>,
}

/// All of them.
pub(crate) static ROUTES: &[PageRoute] = &[
    PageRoute {
        path: VIEWER_PATH,
        access: RouteAccess::Public,
        handler: || get(async || text("text/html; charset=utf-8", PAGE_HTML)),
    },
    PageRoute { path: "/view/{file}", access: RouteAccess::Public, handler: || get(file) },
    PageRoute { path: "/view/api/runs", access: RouteAccess::HeaderToken, handler: || get(runs) },
    PageRoute { path: "/view/api/summary", access: RouteAccess::HeaderToken, handler: || get(summary) },
    PageRoute { path: "/view/api/cases", access: RouteAccess::HeaderToken, handler: || get(cases) },
    PageRoute { path: "/view/api/case", access: RouteAccess::HeaderToken, handler: || get(case) },
    PageRoute { path: "/view/api/asked", access: RouteAccess::HeaderToken, handler: || get(model_calls) },
    PageRoute { path: "/view/api/compare", access: RouteAccess::HeaderToken, handler: || get(compare) },
    PageRoute { path: "/view/api/history", access: RouteAccess::HeaderToken, handler: || get(history) },
    PageRoute { path: "/view/api/live", access: RouteAccess::HeaderToken, handler: || get(live) },
    PageRoute { path: "/view/api/save", access: RouteAccess::HeaderToken, handler: || get(save) },
    PageRoute { path: "/view/api/export", access: RouteAccess::HeaderToken, handler: || get(export) },
    PageRoute { path: "/view/api/labels", access: RouteAccess::HeaderToken, handler: || get(labels::labels) },
    PageRoute { path: "/view/api/labels/export", access: RouteAccess::HeaderToken, handler: || get(labels::export) },
    PageRoute { path: "/view/api/label", access: RouteAccess::HeaderToken, handler: || post(labels::label) },
];

/// The route at a path.
pub(crate) fn find_page_route(path: &str) -> Option<&'static PageRoute> {
    ROUTES.iter().find(|route| route.path == path)
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A reply that no page of somebody else can use, and in which nothing runs but our own script.
pub(crate) fn with_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

impl PageRoute {
    /// Refuses what a page of somebody else asks for. Anybody may follow a link to the page itself, which holds nothing.
    pub fn check_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
        if self.access == RouteAccess::Public && *method == Method::GET {
            return Ok(());
        }
        let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let host = text(&HOST).unwrap_or_default();
        let is_ours = |origin: &str| {
            let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
        };
        let from = text(&HeaderName::from_static("sec-fetch-site"));
        let is_foreign = text(&ORIGIN).is_some_and(|origin| !is_ours(origin))
            || from.is_some_and(|from| !matches!(from, "same-origin" | "none"));
        if is_foreign {
            let words = "another page asked for this";
            return Err(ApiError::new(StatusCode::FORBIDDEN, words).expecting("a request of the page under /view"));
        }
        Ok(())
    }
}

fn text(kind: &'static str, body: &'static str) -> Response {
    typed_response(StatusCode::OK, kind, body)
}

/// A script or a style of the pages.
async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    let find =
        |files: &[(&'static str, &'static str)]| files.iter().find(|(known, _)| *known == name).map(|file| file.1);
    if let Some(script) = find(&FILES).or_else(|| find(&html::MODULES)) {
        return Ok(text("text/javascript; charset=utf-8", script));
    }
    match find(&STYLES) {
        Some(style) => Ok(text("text/css; charset=utf-8", style)),
        None => Err(ApiError::new(StatusCode::NOT_FOUND, "there is no such file")),
    }
}

/// Asks the viewer on a thread that may wait for a disk.
async fn query_viewer<T: Serialize + Send + 'static>(
    app: SharedApp,
    begun: &RequestContext,
    work: impl FnOnce(&RunViewer) -> Result<T, ViewerError> + Send + 'static,
) -> Result<Response, ApiError> {
    let Some(viewer) = app.viewer.clone() else { return Err(ApiError::internal()) };
    let made = app.runs.run(begun.deadline, move |_| work(&viewer)).await?;
    Ok(json_response(StatusCode::OK, &made.map_err(|error| viewer_error(&error))?))
}

fn viewer_error(error: &ViewerError) -> ApiError {
    let status = match error {
        ViewerError::NoRun { .. } | ViewerError::NoCase | ViewerError::Store(StoreError::NoRun { .. }) => {
            StatusCode::NOT_FOUND
        }
        ViewerError::Filter(_)
        | ViewerError::Sort { .. }
        | ViewerError::Label(LabelError::Refused(_))
        | ViewerError::Results(CompareError::Comparison(_) | CompareError::NoModel { .. }) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut words = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        words.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    ApiError::new(status, words)
}

async fn runs(State(app): State<SharedApp>, Extension(begun): Extension<RequestContext>) -> Result<Response, ApiError> {
    query_viewer(app, &begun, RunViewer::runs).await
}

async fn summary(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, by, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    query_viewer(app, &begun, move |viewer| viewer.summary(&cases.run, &by).map(SharedAnswer)).await
}

async fn cases(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    // Whoever looks at a list may search in it: its texts are read meanwhile.
    if let Some(viewer) = app.viewer.clone() {
        let (runs, run, deadline) = (Arc::clone(&app), cases.run.clone(), begun.deadline);
        tokio::spawn(async move { runs.runs.run(deadline, move |_| viewer.prepare_search(&run)).await.map(drop) });
    }
    query_viewer(app, &begun, move |viewer| viewer.cases(&cases)).await
}

/// The results of all cases that fit, as JSON lines.
async fn export(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    let Some(viewer) = app.viewer.clone() else { return Err(ApiError::internal()) };
    let lines = app
        .runs
        .run(begun.deadline, move |_| viewer.export_cases(&cases))
        .await?
        .map_err(|error| viewer_error(&error))?;
    let mut response = typed_response(StatusCode::OK, JSON_LINES, lines);
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"cases.jsonl\""));
    Ok(response)
}

async fn case(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, place, id, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    query_viewer(app, &begun, move |viewer| {
        let place = match (place, id) {
            (Some(place), _) => place,
            (None, Some((id, occurrence))) => viewer.case_position(&cases.run, &id, occurrence)?,
            (None, None) => return Err(ViewerError::NoCase),
        };
        viewer.case(&cases, place)
    })
    .await
}

/// What models were asked for an output.
async fn model_calls(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, place, sample, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    let place = place.ok_or_else(|| viewer_error(&ViewerError::NoCase))?;
    query_viewer(app, &begun, move |viewer| viewer.model_calls(&cases.run, place, sample)).await
}

async fn compare(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(CompareQuery { sides, by }): ViewParameters<CompareQuery>,
) -> Result<Response, ApiError> {
    query_viewer(app, &begun, move |viewer| viewer.compare(&sides, &by).map(SharedAnswer)).await
}

async fn history(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(wanted): ViewParameters<HistoryQuery>,
) -> Result<Response, ApiError> {
    query_viewer(app, &begun, move |viewer| viewer.history(&wanted).map(|history| history.to_view())).await
}

/// Runs that are compared at once.
const MOST_COMPARED: usize = 8;

async fn save(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    let Some(viewer) = app.viewer.clone() else { return Err(ApiError::internal()) };
    let page = app
        .runs
        .run(begun.deadline, move |_| viewer.export_page(&cases.run, &cases.filter))
        .await?
        .map_err(|error| viewer_error(&error))?;
    let mut response = typed_response(StatusCode::OK, "text/html; charset=utf-8", page);
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"probare.html\""));
    Ok(response)
}

/// How often somebody who watches a run is told how far it is.
const TICK: Duration = Duration::from_millis(500);

/// How far a run is, again and again, as server-sent events, until it is complete or nobody listens.
async fn live(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(ViewQuery { cases, .. }): ViewParameters<ViewQuery>,
) -> Result<Response, ApiError> {
    let Some(viewer) = app.viewer.clone() else { return Err(ApiError::internal()) };
    let key = cases.run;
    let first = app
        .runs
        .run(begun.deadline, {
            let (viewer, key) = (Arc::clone(&viewer), key.clone());
            move |_| viewer.progress(&key)
        })
        .await?;
    let mut state = first.map_err(|error| viewer_error(&error))?;
    let (sender, events) = mpsc::channel(4);
    tokio::spawn(async move {
        loop {
            let is_over = state.is_complete();
            let Ok(data) = serde_json::to_string(&state) else { return };
            let event = format!("event: {}\ndata: {data}\n\n", if is_over { "complete" } else { "progress" });
            if sender.send(Bytes::from(event)).await.is_err() || is_over {
                return;
            }
            tokio::select! {
                () = app.stop.cancelled() => return,
                () = tokio::time::sleep_until(begun.deadline) => return,
                () = tokio::time::sleep(TICK) => {}
            }
            let (viewer, key) = (Arc::clone(&viewer), key.clone());
            let Ok(Ok(now)) = app.runs.run(begun.deadline, move |_| viewer.progress(&key)).await else { return };
            state = now;
        }
    });
    Ok(typed_response(StatusCode::OK, "text/event-stream", Body::new(EventStream(events))))
}

/// Events on their way.
struct EventStream(mpsc::Receiver<Bytes>);

impl http_body::Body for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

/// An answer that is kept and given again.
struct SharedAnswer<T>(Arc<T>);

impl<T: Serialize> Serialize for SharedAnswer<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// What the parameters of an address are read into.
trait FromQuery: Sized {
    fn from_uri(uri: &Uri) -> Result<Self, ApiError>;
}

/// What the address of a request says.
struct ViewParameters<T>(T);

impl<S, T: FromQuery + Send> FromRequestParts<S> for ViewParameters<T> {
    type Rejection = ApiError;

    fn from_request_parts(parts: &mut Parts, _: &S) -> impl Future<Output = Result<Self, ApiError>> + Send {
        std::future::ready(T::from_uri(&parts.uri).map(Self))
    }
}

/// Runs of the trends on the page of all runs, the newest.
const MOST_RUNS: usize = 20;

impl FromQuery for HistoryQuery {
    fn from_uri(uri: &Uri) -> Result<Self, ApiError> {
        query_parameters(uri, &[])?;
        Ok(Self { last: Some(MOST_RUNS), ..Self::default() })
    }
}

/// What is to be compared.
struct CompareQuery {
    /// Runs, or models and prompts of them; the first is the baseline.
    sides: Vec<String>,
    /// What slices are made by; empty for none.
    by: String,
}

impl FromQuery for CompareQuery {
    fn from_uri(uri: &Uri) -> Result<Self, ApiError> {
        let pairs = query_parameters(uri, &["run", "by"])?;
        let (runs, by): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(name, _)| name == "run");
        if !(2..=MOST_COMPARED).contains(&runs.len()) {
            let words = format!("two to {MOST_COMPARED} runs can be compared, not {}", runs.len());
            return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, words).expecting("run=KEY&run=KEY"));
        }
        let sides = runs.into_iter().map(|(_, side)| side).collect();
        Ok(Self { sides, by: by.into_iter().map(|(_, value)| value).collect() })
    }
}

/// What most requests say: a run, which of its cases, and one of them.
#[derive(Default)]
struct ViewQuery {
    cases: CasesQuery,
    /// Numbers of data set and row.
    place: Option<(i64, i64)>,
    /// The id of a case, and how many of the same come before it.
    id: Option<(String, u32)>,
    /// The number of a sample.
    sample: i64,
    /// What rows are made by.
    by: String,
}

impl FromQuery for ViewQuery {
    fn from_uri(uri: &Uri) -> Result<Self, ApiError> {
        let mut asked = Self { cases: CasesQuery { most: 50, ..CasesQuery::default() }, ..Self::default() };
        let mut occurrence = 0;
        for (name, value) in
            query_parameters(uri, &["run", "q", "sort", "from", "most", "at", "id", "n", "sample", "by"])?
        {
            let wrong = || {
                let error = format!("`{}` is no value of `{name}`", truncated(&value));
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error)
            };
            let number = || value.parse::<usize>().map_err(|_| wrong());
            match name.as_str() {
                "run" => asked.cases.run.clone_from(&value),
                "q" => asked.cases.filter.clone_from(&value),
                "sort" => asked.cases.sort.clone_from(&value),
                "from" => asked.cases.from = number()?,
                "most" => asked.cases.most = number()?,
                "at" => {
                    let parts =
                        value.split_once(',').and_then(|(set, row)| Some((set.parse().ok()?, row.parse().ok()?)));
                    asked.place = Some(parts.ok_or_else(wrong)?);
                }
                "id" => asked.id = Some((value.clone(), 0)),
                "by" => asked.by.clone_from(&value),
                "sample" => asked.sample = value.parse().map_err(|_| wrong())?,
                _ => occurrence = value.parse().map_err(|_| wrong())?,
            }
        }
        if let Some(id) = &mut asked.id {
            id.1 = occurrence;
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, method: &Method, given: &[(&str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        }
        find_page_route(path).unwrap().check_origin(method, &headers).is_ok()
    }

    #[test]
    fn what_pages_of_others_ask_for_is_refused() {
        let host = ("host", "127.0.0.1:8080");
        let api = "/view/api/runs";
        assert!(check(api, &Method::GET, &[host, ("sec-fetch-site", "same-origin")]));
        assert!(check(api, &Method::GET, &[host, ("origin", "http://127.0.0.1:8080")]));
        assert!(check(api, &Method::GET, &[host]), "a program that is no browser");
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:8081"),
            ("origin", "http://127.0.0.1:8080.evil.example"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            assert!(!check(api, &Method::GET, &[host, (name, value)]), "{name}: {value}");
        }
        assert!(check(VIEWER_PATH, &Method::GET, &[host, ("sec-fetch-site", "cross-site")]), "a link to the page");
        assert!(!check(VIEWER_PATH, &Method::POST, &[host, ("origin", "http://evil.example")]));
    }

    #[test]
    fn the_page_holds_no_script_and_no_style_of_its_own_and_nothing_from_elsewhere() {
        for forbidden in ["<style", "onclick", "onerror", " style=", "http:", "https:", "<script>"] {
            assert!(!PAGE_HTML.contains(forbidden), "{forbidden}");
        }
        for (name, script) in FILES.iter().chain(&html::MODULES) {
            assert!(PAGE_HTML.contains("/view/viewer.js") && !script.is_empty(), "{name}");
            // The name of a vocabulary, which no browser asks for.
            let script = script.replace("http://www.w3.org/2000/svg", "");
            for forbidden in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"]
            {
                assert!(!script.contains(forbidden), "{name}: {forbidden}");
            }
            // What a script imports is served.
            for line in script.lines().filter(|line| line.contains(" from \"./")) {
                let file = line.split("\"./").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
                assert!(FILES.iter().chain(&html::MODULES).any(|(known, _)| *known == file), "{name} imports {file}");
            }
        }
    }

    #[test]
    fn an_address_is_read_or_refused() {
        let read = |uri: &str| ViewQuery::from_uri(&uri.parse().unwrap());
        let asked = read("/x?run=r1&q=token_f1%3C0.5&sort=-cost&from=50&at=0,7").unwrap();
        assert_eq!((asked.cases.filter.as_str(), asked.cases.from, asked.place), ("token_f1<0.5", 50, Some((0, 7))));
        for wrong in ["/x?from=-1", "/x?at=7", "/x?other=1", "/x?n=x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_trends_are_those_of_the_newest_runs() {
        let read = |uri: &str| HistoryQuery::from_uri(&uri.parse().unwrap());
        assert_eq!(read("/x").unwrap().last, Some(MOST_RUNS));
        assert!(read("/x?last=3").is_err());
    }

    #[test]
    fn two_to_eight_runs_are_compared() {
        let read = |query: &str| CompareQuery::from_uri(&format!("/x?{query}").parse().unwrap());
        let asked = read("run=r1%40swift&by=tags&run=r2").unwrap();
        assert_eq!((asked.sides, asked.by.as_str()), (vec!["r1@swift".to_owned(), "r2".to_owned()], "tags"));
        let all = "run=r&".repeat(MOST_COMPARED);
        assert_eq!(read(&all).unwrap().sides.len(), 8);
        for wrong in ["run=r1".to_owned(), format!("{all}run=r"), "run=r1&run=r2&other=1".to_owned()] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}
