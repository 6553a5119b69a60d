//! Connections: how many, how long they may keep us waiting, and how they end.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::app::{App, SharedApp};
use crate::write_timeout::WriteTimeout;

/// Bytes of the head of a request; also what is read ahead of a body.
const HEAD: usize = 64 * 1024;

/// Before another connection is accepted where the system would give none.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Answers until it is stopped, then finishes what is under way.
pub(crate) async fn serve(listener: TcpListener, app: SharedApp, stop: CancellationToken) {
    let room = Arc::new(Semaphore::new(app.limits.connections));
    let router = app.router();
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let next = tokio::select! {
            () = stop.cancelled() => break,
            next = accept(&listener, &room) => next,
        };
        let Some((stream, place)) = next else {
            // Too many open files, or a client that is gone already.
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        connections.spawn(answer(stream, place, router.clone(), Arc::clone(&app), stop.clone()));
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    if timeout(app.limits.grace, finished).await.is_err() {
        connections.shutdown().await;
    }
}

/// The next connection, once there is room for it.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(room).acquire_owned().await.ok()?;
    let (stream, _) = listener.accept().await.ok()?;
    Some((stream, place))
}

async fn answer(
    stream: TcpStream,
    place: OwnedSemaphorePermit,
    router: Router,
    app: SharedApp,
    stop: CancellationToken,
) {
    let _open = ConnectionGuard::new(&app);
    // Small replies are sent at once; where that cannot be had, they are a little late.
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(WriteTimeout::new(stream, app.limits.write_time));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(app.limits.head_time).max_buf_size(HEAD);
    let mut connection = pin!(builder.serve_connection(stream, TowerToHyperService::new(router)));
    // How a connection ends is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
    drop(place);
}

/// Counts a connection while it is open.
struct ConnectionGuard<'a>(&'a App);

impl<'a> ConnectionGuard<'a> {
    fn new(app: &'a App) -> Self {
        app.counters.connections.fetch_add(1, Ordering::Relaxed);
        Self(app)
    }
}

impl Drop for ConnectionGuard<'_> {
    fn drop(&mut self) {
        self.0.counters.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
