//! [`Server`]: an address, bound, and what answers there.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};

use tokio::runtime;
use tokio_util::sync::CancellationToken;

use crate::app::{App, SharedApp};
use crate::{ServerSettings, connections, evaluate};

/// A server that is bound and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: SharedApp,
    stop: StopHandle,
}

/// Stops a server: no further connection is accepted, and what is under way is finished. Clones stop the same one.
#[derive(Debug, Clone)]
pub struct StopHandle(CancellationToken);

impl StopHandle {
    pub fn stop(&self) {
        self.0.cancel();
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is none.
    #[error("`{address}` is not an address with a port, such as 127.0.0.1:8080")]
    Address { address: String },
    /// Others than this machine could ask, and nothing would keep them out.
    #[error("`{address}` can be reached from other machines, and no token is set")]
    Open { address: SocketAddr },
    /// The system refused the address.
    #[error("cannot listen on `{address}`")]
    Bind {
        address: SocketAddr,
        #[source]
        source: io::Error,
    },
    /// The system refused threads.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
}

impl Server {
    /// Binds an address. Port 0 takes any that is free.
    pub fn bind(address: &str, settings: ServerSettings) -> Result<Self, ServeError> {
        let unknown = || ServeError::Address { address: address.to_owned() };
        let wanted = address.to_socket_addrs().map_err(|_| unknown())?.next().ok_or_else(unknown)?;
        if settings.token.is_none() && !wanted.ip().is_loopback() {
            return Err(ServeError::Open { address: wanted });
        }
        let refused = |source| ServeError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let app = App::new(settings).map_err(ServeError::Start)?;
        let stop = StopHandle(app.stop.clone());
        Ok(Self { listener, address, app, stop })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    pub fn stop(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Answers until it is stopped and what was under way is finished.
    pub fn run(self) -> Result<(), ServeError> {
        raise_open_files();
        if !self.app.is_viewer_only {
            evaluate::warm_up(&self.app);
        }
        let Self { listener, app, stop: StopHandle(stop), .. } = self;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(app.limits.jobs.get().clamp(1, MOST_CONNECTION_THREADS))
            .thread_name("connections")
            .enable_all()
            .build()
            .map_err(ServeError::Start)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).map_err(ServeError::Start)?;
            connections::serve(listener, app, stop).await;
            Ok(())
        })
    }
}

/// Threads that read and write; computing has its own.
const MOST_CONNECTION_THREADS: usize = 4;

/// A connection is an open file, of which many systems allow a thousand unless asked for more.
fn raise_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        // Where the system says no, fewer connections are accepted at once.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}
