//! What `probare serve` and `probare view` share: how a server is stopped, what its panics print, and where labels go.

use std::panic;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use probare_analysis::RunViewer;
use probare_engine::Exit;
use probare_server::StopHandle;

use super::remark;
use crate::failure::Failure;

/// The first signal stops the server, which finishes what is under way; the second one ends the program.
pub(super) fn stop_on_signals(stop: StopHandle) {
    let is_stopping = AtomicBool::new(false);
    // Without a handler a signal ends the program at once, which is the second best thing.
    let _ = ctrlc::set_handler(move || {
        if is_stopping.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        remark("stopping after the requests in flight; Ctrl-C again exits at once");
        stop.stop();
    });
}

/// The words of a panic may hold what a client sent; where it happened is enough to find it.
pub(super) fn keep_panics_short() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        remark(&format!("error: a bug stopped a request{place}"));
    }));
}

/// A viewer whose labels go into this file, where one is named.
pub fn with_labels_file(viewer: RunViewer, labels: Option<&Path>) -> Result<RunViewer, Failure> {
    match labels {
        Some(path) => Ok(viewer.labelled_in(path.to_owned())?),
        None => Ok(viewer),
    }
}
