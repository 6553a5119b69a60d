//! A progress line on the terminal while a run goes on: how far it has come, how fast it is, and how long it will take.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use probare_core::{Event, PendingRequests, ReadProgress as Source, Sink};
use probare_engine::{EarlyProgress, RunProgress};
use probare_models::ModelContext;
use probare_report::number::count_with_noun;

use crate::commands::remark;

/// Counts cases on standard error, if that is a terminal.
pub struct ProgressSink {
    bar: ProgressBar,
    cases: u64,
    limit: Option<u64>,
    source: Option<Arc<dyn Source>>,
    early: Arc<EarlyProgress>,
}

/// The bar counts in thousandths of the whole, whatever the whole is made of.
const WHOLE: u64 = 1000;

impl ProgressSink {
    /// Shows nothing when `quiet`, or where there is no terminal. `source` says how far the file has been read, `early` what is
    /// left to decide.
    pub fn new(quiet: bool, limit: Option<u64>, source: Option<Arc<dyn Source>>, early: Arc<EarlyProgress>) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), cases: 0, limit, source, early };
        }
        let is_known = limit.is_some() || source.as_ref().is_some_and(|source| source.bytes_total().is_some());
        let (bar, template) = if is_known {
            (ProgressBar::new(WHOLE), "{spinner} {bar:24} {percent:>3} %  {msg}, {left} left")
        } else {
            (ProgressBar::new_spinner(), "{spinner} {msg}")
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            let left = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
                let _ = write!(text, "{}", HumanDuration(state.eta()));
            };
            bar.set_style(style.with_key("left", left));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, cases: 0, limit, source, early }
    }

    fn show(&self) {
        let seconds = self.bar.elapsed().as_secs_f64().max(0.001);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is shown in whole cases")]
        let rate = (self.cases as f64 / seconds).round() as u64;
        let open = self.early.text();
        let open = if open.is_empty() { open } else { format!(" ({open})") };
        self.bar.set_message(format!("{} cases, {}/s{open}", HumanCount(self.cases), HumanCount(rate)));
        // Whichever ends the run first.
        let by_limit = self.limit.map(|limit| share(self.cases, limit));
        let by_bytes = self.source.as_ref().and_then(|source| Some(share(source.bytes_read(), source.bytes_total()?)));
        if let Some(position) = by_limit.max(by_bytes) {
            self.bar.set_position(position);
        }
    }
}

fn share(part: u64, whole: u64) -> u64 {
    let share = (u128::from(part) * u128::from(WHOLE)).checked_div(u128::from(whole));
    share.and_then(|share| u64::try_from(share).ok()).map_or(WHOLE, |share| share.min(WHOLE))
}

impl Sink for ProgressSink {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Scored(_) => {
                self.cases += 1;
                if !self.bar.is_hidden() && (self.cases < 64 || self.cases.is_multiple_of(64)) {
                    self.show();
                }
            }
            Event::Finished(_) => self.bar.finish_and_clear(),
            Event::Interrupted { .. } => {
                self.bar.finish_and_clear();
                return InterruptionSink.event(event);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Says at once what an interrupted run waits for.
pub struct InterruptionSink;

impl Sink for InterruptionSink {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Interrupted { under_way, awaited } = *event {
            remark(&interruption_text(under_way as u64, awaited));
        }
        Ok(())
    }
}

/// What an interrupted run says.
fn interruption_text(under_way: u64, awaited: &[PendingRequests]) -> String {
    let longest = awaited.iter().map(|model| model.at_most).max().unwrap_or_default();
    let seconds = longest.as_secs() + u64::from(longest.subsec_nanos() > 0);
    let of_model = |PendingRequests { model, requests, .. }: &PendingRequests| {
        format!("{} to {model}", count_with_noun(*requests, "request", "requests"))
    };
    match awaited {
        [] if under_way == 0 => "interrupted".to_owned(),
        [] => {
            let cases = count_with_noun(under_way, "case", "cases");
            format!("interrupted: {cases} under way, nobody is being asked; once more ends at once")
        }
        _ => format!(
            "interrupted: waiting for {}, sent already and perhaps paid, at most {}; once more ends at once",
            awaited.iter().map(of_model).collect::<Vec<_>>().join(", "),
            count_with_noun(seconds, "second", "seconds")
        ),
    }
}

/// How often a bar is drawn anew, and lines are printed where there is no terminal.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);
const PRINT_INTERVAL: Duration = Duration::from_secs(10);

/// Shows how far a run with a store has come: samples, rate, cost, failures by kind, time left. A bar on a terminal, else a
/// line now and then.
pub struct ProgressWatcher {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressWatcher {
    /// Begins to watch, unless `quiet`.
    pub fn start(
        quiet: bool,
        samples: u64,
        (tally, early): (Arc<RunProgress>, Arc<EarlyProgress>),
        models: Option<ModelContext>,
    ) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        if quiet {
            return Self { is_over, thread: None };
        }
        let seen = Arc::clone(&is_over);
        let watch = move || {
            let watch = RunWatch { samples, tally, early, models, started: Instant::now() };
            watch.until(&seen);
        };
        // Where there is no thread to spare, nobody watches.
        Self { is_over, thread: thread::Builder::new().name("watch".to_owned()).spawn(watch).ok() }
    }

    /// Takes the bar away.
    pub fn end(mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

struct RunWatch {
    samples: u64,
    tally: Arc<RunProgress>,
    early: Arc<EarlyProgress>,
    models: Option<ModelContext>,
    started: Instant,
}

impl RunWatch {
    fn until(&self, is_over: &AtomicBool) {
        let is_terminal = io::stderr().is_terminal();
        let bar = if is_terminal { ProgressBar::new(self.samples) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:24} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let mut printed = Instant::now();
        let mut is_told = false;
        while !is_over.load(Ordering::Relaxed) {
            thread::park_timeout(REDRAW_INTERVAL);
            if is_terminal {
                let (finished, recalled) = self.tally.counts();
                bar.set_position(finished + recalled);
                bar.set_message(self.text());
                bar.tick();
            } else if self.waiting() > 0 && !is_told {
                // Who waits for somebody who was killed should not wonder.
                is_told = true;
                remark(&waiting_text(self.waiting()));
            } else if printed.elapsed() >= PRINT_INTERVAL && !is_over.load(Ordering::Relaxed) {
                printed = Instant::now();
                remark(&self.text());
            }
        }
        bar.finish_and_clear();
    }

    /// Questions that wait for another process.
    fn waiting(&self) -> u64 {
        self.models.as_ref().map_or(0, |models| models.waiting_for_others() as u64)
    }

    fn text(&self) -> String {
        let (finished, recalled) = self.tally.counts();
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        let rate = finished as f64 / seconds;
        let mut text =
            format!("{} of {} samples, {rate:.1}/s", HumanCount(finished + recalled), HumanCount(self.samples));
        let spent = self.models.as_ref().map(|models| models.budget().spent().money.in_dollars());
        if let Some(spent) = spent.filter(|spent| *spent > 0.0) {
            text.push_str(&format!(", {spent:.4} US dollars"));
        }
        for (kind, count) in self.tally.errors() {
            text.push_str(&format!(", {count} {kind}"));
        }
        let waiting = self.waiting();
        if waiting > 0 {
            text.push_str(&format!(", {}", waiting_text(waiting)));
        }
        let left = self.samples.saturating_sub(finished + recalled);
        if finished > 0 && left > 0 {
            let left = Duration::try_from_secs_f64(left as f64 / rate).unwrap_or(Duration::MAX);
            text.push_str(&format!(", {} left", HumanDuration(left)));
        }
        let open = self.early.text();
        if !open.is_empty() {
            text.push_str(&format!("; {open}"));
            let left = self.samples.saturating_sub(finished + recalled);
            if let Some(spent) = spent.filter(|spent| *spent > 0.0 && finished > 0 && left > 0) {
                text.push_str(&format!(
                    "; the rest would cost about {:.4} US dollars",
                    spent / finished as f64 * left as f64
                ));
            }
        }
        text
    }
}

/// What is said of questions that another process has begun to ask.
fn waiting_text(count: u64) -> String {
    let questions = count_with_noun(count, "question", "questions");
    let seconds = probare_models::LEASE.as_secs();
    format!("{questions} begun by another process: waiting for it, at most {seconds} seconds if it was killed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_between_nothing_and_the_whole() {
        assert_eq!((share(0, 10), share(5, 10), share(20, 10), share(1, 0)), (0, 500, WHOLE, WHOLE));
        assert_eq!(share(u64::MAX, u64::MAX), WHOLE);
    }

    #[test]
    fn an_interruption_names_what_is_waited_for() {
        let awaited = |model: &str, requests, milliseconds| PendingRequests {
            model: model.to_owned(),
            requests,
            at_most: Duration::from_millis(milliseconds),
        };
        assert_eq!(interruption_text(0, &[]), "interrupted");
        assert!(interruption_text(3, &[]).starts_with("interrupted: 3 cases under way, nobody is being asked"));
        let text = interruption_text(9, &[awaited("house", 4, 900), awaited("other", 1, 29_001)]);
        let expected = "interrupted: waiting for 4 requests to house, 1 request to other, sent already and perhaps paid, \
                        at most 30 seconds; once more ends at once";
        assert_eq!(text, expected);
    }
}
