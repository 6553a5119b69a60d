//! [`App`]: what all requests share, and who may ask.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::{HeaderMap, StatusCode, Uri};
use probare_analysis::RunViewer;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::api_error::ApiError;
use crate::collect::Collector;
use crate::counters::{InFlight, RequestCounters};
use crate::pool::Pool;
use crate::prompt_answerer::PromptAnswerer;
use crate::vectors::LocalVectors;
use crate::{AuthToken, ServerLimits, ServerSettings};

/// What all requests share.
pub(crate) struct App {
    pub limits: ServerLimits,
    pub answerer: Option<Arc<dyn PromptAnswerer>>,
    pub counters: RequestCounters,
    /// Bytes of bodies that may still be taken in, in KiB.
    pub room: Arc<Semaphore>,
    /// Single exchanges.
    pub evaluations: Pool,
    /// Runs over the cases of a body.
    pub runs: Pool,
    /// Questions that mostly wait for a model.
    pub prompts: Pool,
    pub vectors: LocalVectors,
    /// Who keeps traces, where they are collected.
    pub collector: Option<Arc<Collector>>,
    /// What the pages show, where there are pages.
    pub viewer: Option<Arc<RunViewer>>,
    /// Whether there is nothing but pages.
    pub is_viewer_only: bool,
    /// Set when the server is stopped: replies that would go on for ever end.
    pub stop: CancellationToken,
    token: Option<AuthToken>,
    pub verbose: bool,
}

/// The application as handlers are given it.
pub(crate) type SharedApp = Arc<App>;

/// Until when a request has to be answered, and that it is under way.
#[derive(Clone)]
pub(crate) struct RequestContext {
    pub deadline: Instant,
    pub in_flight: InFlight,
}

/// Questions to models that may be under way at once.
const PROMPTS: usize = 32;

/// A permit is this many bytes of a body.
pub(crate) const PERMIT: usize = 1024;

impl App {
    pub fn new(settings: ServerSettings) -> io::Result<SharedApp> {
        let ServerSettings { token, limits, answerer, collector, verbose, viewer, is_viewer_only } = settings;
        let jobs = limits.jobs.get();
        let prompts = if answerer.is_some() { PROMPTS } else { 1 };
        Ok(Arc::new(Self {
            counters: RequestCounters::default(),
            room: Arc::new(Semaphore::new(limits.bodies.div_ceil(PERMIT))),
            evaluations: Pool::start("evaluation", jobs, limits.waiting)?,
            runs: Pool::start("run", jobs, limits.waiting.min(RUNS_WAITING))?,
            prompts: Pool::start("prompt", prompts, limits.waiting)?,
            vectors: LocalVectors::new().map_err(io::Error::other)?,
            limits,
            answerer,
            collector,
            viewer,
            is_viewer_only,
            stop: CancellationToken::new(),
            token,
            verbose,
        }))
    }

    /// Whether a token in the body of a published path will do; it is not needed where the header had it.
    pub fn check_body(&self, is_known: AuthState, auth: Option<&str>) -> Result<(), ApiError> {
        match (&self.token, is_known) {
            (None, _) | (_, AuthState(true)) => Ok(()),
            (Some(token), AuthState(false)) if auth.is_some_and(|auth| token.is(auth)) => Ok(()),
            _ => Err(ApiError::unauthorized()),
        }
    }

    /// Whether the caller is known by a header; a wrong token there is refused at once.
    pub fn check_header(&self, caller: RouteAccess, headers: &HeaderMap) -> Result<AuthState, ApiError> {
        let Some(token) = &self.token else {
            return check_host(headers).map(|()| AuthState(true));
        };
        if self.is_viewer_only {
            check_host(headers)?;
        }
        let given = headers.get(AUTHORIZATION).map(|value| {
            let words = value.to_str().unwrap_or_default().trim();
            words
                .split_once(' ')
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
                .map(|(_, token)| token.trim())
        });
        match (given, caller) {
            (Some(Some(given)), _) if token.is(given) => Ok(AuthState(true)),
            (_, RouteAccess::Public) | (None, RouteAccess::HeaderOrBodyToken) => Ok(AuthState(false)),
            _ => Err(ApiError::unauthorized()),
        }
    }
}

/// Runs hold their whole body while they wait.
const RUNS_WAITING: usize = 256;

/// Who may ask where a token is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteAccess {
    /// Whoever can reach the server.
    Public,
    /// Whoever has the token in a header.
    HeaderToken,
    /// Whoever has the token in a header, or as `auth` in the body.
    HeaderOrBodyToken,
}

/// Whether the caller has shown the token already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuthState(pub bool);

/// Without a token, and where there are pages alone, only this machine may ask. A page in a browser of this machine could too, under a name that its owner
/// points here; such a request names another host.
fn check_host(headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(host) = headers.get(HOST) else { return Ok(()) };
    let host = host.to_str().unwrap_or_default();
    let without_port = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let name = without_port.trim_start_matches('[').trim_end_matches(']');
    let is_here = name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if is_here {
        return Ok(());
    }
    Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, "this server answers to its loopback names alone")
        .expecting("the host `localhost` or `127.0.0.1`"))
}

/// A parameter of the query by its name, and whether there are others than these.
pub(crate) fn query_parameters(uri: &Uri, known: &[&str]) -> Result<Vec<(String, String)>, ApiError> {
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        let error = format!("the query has no parameter `{}`", truncated(name));
        let expected = if known.is_empty() { "no parameters".to_owned() } else { known.join(", ") };
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error).expecting(expected));
    }
    Ok(pairs)
}

/// A word of a client, not longer than an error should be.
pub(crate) fn truncated(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_names() {
        for (host, is_fine) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:8080", true),
            ("127.8.9.1", true),
            ("[::1]:80", true),
            ("example.org", false),
            ("127.0.0.1.example.org", false),
            ("10.0.0.1:8080", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            assert_eq!(check_host(&headers).is_ok(), is_fine, "{host}");
        }
        assert!(check_host(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn a_query_holds_what_is_known() {
        let uri: Uri = "/x?metric=a%3Ak%3D1&metric=b".parse().unwrap();
        let pairs = query_parameters(&uri, &["metric"]).unwrap();
        assert_eq!(pairs[0], ("metric".to_owned(), "a:k=1".to_owned()));
        assert_eq!(pairs.len(), 2);
        assert!(query_parameters(&uri, &["detail"]).unwrap_err().reply.error.contains("`metric`"));
    }
}
