//! A progress line on the terminal while a run goes on.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use probare_core::{Event, Sink};

/// Counts cases on standard error, if that is a terminal.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Shows nothing when `quiet`, or where there is no terminal.
    pub fn new(quiet: bool, limit: Option<u64>) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let (bar, template) = match limit {
            Some(limit) => {
                (ProgressBar::new(limit), "{spinner} {bar:30} {human_pos}/{human_len} cases, {per_sec}, {elapsed}")
            }
            None => (ProgressBar::new_spinner(), "{spinner} {human_pos} cases, {per_sec}, {elapsed}"),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }
}

impl Sink for Progress {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(_) => self.bar.inc(1),
            Event::Finished(_) => self.bar.finish_and_clear(),
            _ => {}
        }
        Ok(())
    }
}
