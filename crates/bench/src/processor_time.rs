//! Processor time: what a busy machine cannot inflate.

use std::fs;

/// Seconds of processor time that the calling program's first thread has used, user and system together; nothing where
/// the system does not tell (it is read from `/proc/self/schedstat`, in nanoseconds).
pub fn seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// A measurement goes on for at least this much processor time, ...
const LEAST_SECONDS: f64 = 0.25;
/// ... and the best of those within this time counts: whatever else the machine does only slows one down. Slow work is
/// measured once.
const ALL_SECONDS: f64 = 1.0;

/// How many things per processor second a piece of work gets done that does so many at a time; nothing where the system
/// does not tell the time. It is repeated until it has taken long enough to be measured. What is to be warm is warmed by
/// the caller.
pub fn rate(things: usize, mut work: impl FnMut()) -> Option<f64> {
    let (mut best, mut spent) = (0.0_f64, 0.0);
    while spent < ALL_SECONDS {
        let start = seconds()?;
        let mut done = 0;
        let used = loop {
            work();
            done += things;
            let used = seconds()? - start;
            if used >= LEAST_SECONDS {
                break used;
            }
        };
        best = best.max(done as f64 / used);
        spent += used;
    }
    Some(best)
}

/// The same in a single window of at least so many seconds of processor time: what one side of a comparison is given when
/// the other side has taken so long. Both then run for the same time, as often as each other.
pub fn rate_in_window(things: usize, least: f64, mut work: impl FnMut()) -> Option<f64> {
    let start = seconds()?;
    let mut done = 0;
    loop {
        work();
        done += things;
        let used = seconds()? - start;
        if used >= least.max(LEAST_SECONDS) {
            return Some(done as f64 / used);
        }
    }
}

/// Seconds of processor time of all threads of this program (from `/proc/self/stat`, in hundredths).
pub fn process_seconds() -> Option<f64> {
    stat_seconds(11)
}

/// The same of all programs that were started and have ended.
pub fn children_seconds() -> Option<f64> {
    stat_seconds(13)
}

/// Two fields of `/proc/self/stat` behind the name of the program, which stands in brackets and may hold spaces: user and
/// system time.
fn stat_seconds(user: usize) -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(user)?.parse::<u64>().ok()? + fields.get(user + 1)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_run_backwards() {
        if let (Some(own), Some(children)) = (seconds(), children_seconds()) {
            assert!(seconds().is_some_and(|after| after >= own));
            assert!(children_seconds().is_some_and(|after| after >= children));
        }
    }
}
