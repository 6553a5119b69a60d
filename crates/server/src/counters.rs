//! [`RequestCounters`]: what `/metrics` shows, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the classes of the histogram, in seconds.
const CLASSES: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The type of the text.
pub(crate) const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What happened so far.
#[derive(Debug, Default)]
pub(crate) struct RequestCounters {
    in_flight: Arc<AtomicUsize>,
    pub connections: AtomicUsize,
    paths: Mutex<BTreeMap<&'static str, PathCounters>>,
}

#[derive(Debug, Default, Clone)]
struct PathCounters {
    statuses: BTreeMap<u16, u64>,
    /// Of each class alone; the text adds them up.
    classes: [u64; CLASSES.len()],
    seconds: f64,
}

/// A request that is under way until the last of these is gone.
#[derive(Debug, Clone)]
pub(crate) struct InFlight(#[expect(dead_code, reason = "it counts by being there")] Arc<InFlightGuard>);

#[derive(Debug)]
struct InFlightGuard(Arc<AtomicUsize>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl RequestCounters {
    /// A request has come.
    pub fn begin(&self) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::new(InFlightGuard(Arc::clone(&self.in_flight))))
    }

    /// A request was answered.
    pub fn record_request(&self, path: &'static str, status: u16, took: Duration) {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = paths.entry(path).or_default();
        *entry.statuses.entry(status).or_default() += 1;
        let seconds = took.as_secs_f64();
        entry.seconds += seconds;
        if let Some(class) = CLASSES.iter().position(|end| seconds <= *end) {
            entry.classes[class] += 1;
        }
    }

    /// The text; `waiting` says how many requests wait for a thread.
    pub fn text(&self, waiting: usize) -> String {
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut text, "probare_requests_total", "counter", "Requests that were answered.");
        for (path, entry) in &paths {
            for (status, count) in &entry.statuses {
                let _ = writeln!(text, "probare_requests_total{{path=\"{path}\",status=\"{status}\"}} {count}");
            }
        }
        let name = "probare_request_duration_seconds";
        head(&mut text, name, "histogram", "Time from the head of a request to the head of its reply.");
        for (path, entry) in &paths {
            let mut sum = 0;
            for (end, count) in CLASSES.iter().zip(entry.classes) {
                sum += count;
                let _ = writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"{end}\"}} {sum}");
            }
            let all: u64 = entry.statuses.values().sum();
            let _ = writeln!(text, "{name}_bucket{{path=\"{path}\",le=\"+Inf\"}} {all}");
            let _ = writeln!(text, "{name}_sum{{path=\"{path}\"}} {}", entry.seconds);
            let _ = writeln!(text, "{name}_count{{path=\"{path}\"}} {all}");
        }
        for (name, help, value) in [
            ("probare_requests_in_flight", "Requests under way.", self.in_flight.load(Ordering::Relaxed)),
            ("probare_requests_waiting", "Requests that wait for a thread.", waiting),
            ("probare_connections", "Open connections.", self.connections.load(Ordering::Relaxed)),
        ] {
            head(&mut text, name, "gauge", help);
            let _ = writeln!(text, "{name} {value}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_add_up() {
        let counters = RequestCounters::default();
        let held = counters.begin();
        counters.record_request("/a", 200, Duration::from_millis(2));
        counters.record_request("/a", 200, Duration::from_secs(1));
        counters.record_request("/a", 503, Duration::from_secs(90));
        let text = counters.text(4);
        for line in [
            "probare_requests_total{path=\"/a\",status=\"200\"} 2",
            "probare_requests_total{path=\"/a\",status=\"503\"} 1",
            "probare_request_duration_seconds_bucket{path=\"/a\",le=\"0.001\"} 0",
            "probare_request_duration_seconds_bucket{path=\"/a\",le=\"0.0025\"} 1",
            "probare_request_duration_seconds_bucket{path=\"/a\",le=\"1\"} 2",
            "probare_request_duration_seconds_bucket{path=\"/a\",le=\"30\"} 2",
            "probare_request_duration_seconds_bucket{path=\"/a\",le=\"+Inf\"} 3",
            "probare_request_duration_seconds_count{path=\"/a\"} 3",
            "probare_requests_in_flight 1",
            "probare_requests_waiting 4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        let second = held.clone();
        drop(held);
        assert!(counters.text(0).contains("probare_requests_in_flight 1\n"));
        drop(second);
        assert!(counters.text(0).contains("probare_requests_in_flight 0\n"));
    }
}
