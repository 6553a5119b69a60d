//! What happens around each request: it is routed, its caller is checked, and what became of it is counted and noted.

use std::future::poll_fn;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant as Clock;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;

use crate::api_error::ApiError;
use crate::app::{App, RequestContext, RouteAccess, SharedApp};
use crate::{routes, view};

impl App {
    /// All routes, with what happens around each request.
    pub fn router(self: &SharedApp) -> Router {
        let mut router = Router::new();
        for route in routes::ROUTES.iter().filter(|_| !self.is_viewer_only) {
            router = router.route(route.path, (route.handler)());
        }
        for route in view::ROUTES.iter().filter(|_| self.viewer.is_some()) {
            router = router.route(route.path, (route.handler)());
        }
        router
            .fallback(routes::not_found)
            .method_not_allowed_fallback(method_not_allowed)
            .layer(from_fn_with_state(Arc::clone(self), middleware))
            .with_state(Arc::clone(self))
    }
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "this path does not know that method")
        .expecting("/openapi.json lists all paths with their methods")
}

/// What happens around each request.
async fn middleware(
    State(app): State<SharedApp>,
    path: Option<MatchedPath>,
    mut request: Request,
    next: Next,
) -> Response {
    let since = Clock::now();
    let method = request.method().clone();
    let route = path.as_ref().and_then(|path| routes::find_route(path.as_str()));
    let page = path.as_ref().and_then(|path| view::find_page_route(path.as_str()));
    let name = route.map(|route| route.path).or(page.map(|page| page.path)).unwrap_or("other");
    let in_flight = app.counters.begin();
    let begun = RequestContext { deadline: Instant::now() + app.limits.time, in_flight: in_flight.clone() };
    let caller = route.map(|route| route.access).or(page.map(|page| page.access)).unwrap_or(RouteAccess::Public);
    let checked = app.check_header(caller, request.headers());
    let checked = checked.and_then(|known| match page {
        Some(page) => page.check_origin(&method, request.headers()).map(|()| known),
        None => Ok(known),
    });
    let response = match checked {
        Ok(known) => {
            request.extensions_mut().insert(known);
            request.extensions_mut().insert(begun);
            catch_panics(next.run(request)).await
        }
        Err(refusal) => refusal.into_response(),
    };
    let response = if page.is_some() { view::with_security_headers(response) } else { response };
    app.counters.record_request(name, response.status().as_u16(), since.elapsed());
    drop(in_flight);
    if app.verbose {
        log_request(&method, name, response.status(), since);
    }
    response
}

/// A panic in a handler becomes an answer.
async fn catch_panics(handler: impl Future<Output = Response>) -> Response {
    let mut handler = pin!(handler);
    poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(context)))
            .unwrap_or_else(|_| std::task::Poll::Ready(ApiError::internal().into_response()))
    })
    .await
}

/// One line for the operator. The path is that of the route, so nothing that a client wrote is in it.
fn log_request(method: &Method, path: &str, status: StatusCode, since: Clock) {
    let method = if routes::METHODS.contains(&method.as_str()) { method.as_str() } else { "OTHER" };
    let took = since.elapsed().as_secs_f64() * 1000.0;
    // Nothing can be done about a closed terminal.
    let _ = writeln!(io::stderr().lock(), "{method} {path} {} {took:.1} ms", status.as_u16());
}
