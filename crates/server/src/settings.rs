//! [`ServerSettings`] and [`ServerLimits`]: how a server is to behave.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use probare_analysis::RunViewer;

use crate::prompt_answerer::PromptAnswerer;
use crate::{AuthToken, Collector};

/// How a server is to behave.
#[derive(Clone, Default)]
pub struct ServerSettings {
    /// What clients have to know; needed on every address but loopback.
    pub token: Option<AuthToken>,
    /// How much is allowed.
    pub limits: ServerLimits,
    /// Who answers prompts; without one those paths say that nobody does.
    pub answerer: Option<Arc<dyn PromptAnswerer>>,
    /// Who keeps the traces that `/v1/traces` and `/v1/logs` take; without one they are not kept.
    pub collector: Option<Arc<Collector>>,
    /// What the pages under `/view` show; without it there are none.
    pub viewer: Option<Arc<RunViewer>>,
    /// Whether there is nothing but these pages, for this machine alone.
    pub is_viewer_only: bool,
    /// Whether each request is noted on standard error: method, path, status and time, never more.
    pub verbose: bool,
}

/// How much is allowed.
#[derive(Debug, Clone)]
pub struct ServerLimits {
    /// Bytes of the body of a run.
    pub body: usize,
    /// Bytes of the body of a single exchange or question.
    pub exchange: usize,
    /// Bytes of all bodies that are held at once.
    pub bodies: usize,
    /// Time from the head of a request to the end of its reply.
    pub time: Duration,
    /// Time for the head of a request, and for which a connection may lie idle.
    pub head_time: Duration,
    /// Time in which a client has to take some bytes of a reply.
    pub write_time: Duration,
    /// Connections at once; further ones wait to be accepted.
    pub connections: usize,
    /// Requests that may wait for a thread; further ones are sent away.
    pub waiting: usize,
    /// Threads that compute.
    pub jobs: NonZeroUsize,
    /// Time to finish what is under way once the server is stopped.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            body: 16 * MIB,
            exchange: MIB,
            bodies: 256 * MIB,
            time: Duration::from_mins(1),
            head_time: Duration::from_secs(10),
            write_time: Duration::from_secs(10),
            connections: 4096,
            waiting: 4096,
            jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            grace: Duration::from_secs(30),
        }
    }
}

const MIB: usize = 1024 * 1024;
