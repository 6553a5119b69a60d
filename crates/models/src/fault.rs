//! [`Fault`]: what can go wrong with one attempt, and the one table that says what is worth another.

use std::time::{Duration, SystemTime};

/// One line of the table.
pub struct Rule {
    /// What went wrong.
    pub fault: Fault,
    /// How it shows.
    pub shows: &'static str,
    /// Whether another attempt is made.
    pub retry: bool,
    /// Whether fewer requests are sent at once from now on.
    pub slower: bool,
    /// Whether the attempt may have been charged, so that a budget counts its bound.
    pub charged: bool,
    /// Why.
    pub why: &'static str,
}

/// What can go wrong, and for each whether to try again, whether to send fewer at once, and whether it may have been charged.
macro_rules! faults {
    ($(#[doc = $doc:literal] $fault:ident: $shows:literal, $retry:literal, $slower:literal, $charged:literal, $why:literal;)*) => {
        /// What went wrong with one attempt.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Fault {
            $(#[doc = $doc] $fault,)*
        }

        /// Which faults are worth another attempt, in the order of the faults. The page of the guide shows this table; a test
        /// compares them.
        pub const RULES: &[Rule] = &[
            $(Rule { fault: Fault::$fault, shows: $shows, retry: $retry, slower: $slower, charged: $charged, why: $why }),*
        ];
    };
}

faults! {
    /// No connection came about.
    NotConnected: "no connection", true, false, false, "nothing was asked yet";
    /// The connection ended before the reply was whole.
    ConnectionLost: "the connection ends in the middle", true, false, true, "networks do that";
    /// The attempt took too long.
    TimedOut: "no whole reply within `timeout`", true, true, true, "often a sign of load";
    /// 429: too many requests.
    TooManyRequests: "429", true, true, false, "after `Retry-After` or a growing wait";
    /// 429 or 402: the account has no credit left.
    NoCredit: "402, or 429 with `insufficient_quota`", false, false, false, "waiting does not pay the bill";
    /// 503 or 529: the provider has too much to do.
    Overloaded: "503, 529", true, true, false, "after `Retry-After` or a growing wait";
    /// 500, 502, 504 and other failures of the server.
    ServerError: "500, 502, 504", true, false, false, "mostly passes";
    /// 408, 409, 425: the request came at a bad moment.
    BadMoment: "408, 409, 425", true, false, false, "the server says so";
    /// 401 or 403: the key is not accepted.
    NotAllowed: "401, 403", false, false, false, "the key stays wrong";
    /// 404: no such model or address.
    NotFound: "404", false, false, false, "the model or address stays wrong";
    /// 400, 413, 422 and other complaints about the request.
    BadRequest: "400, 413, 422, other 4xx", false, false, false, "the same request stays wrong";
    /// A status that an answer does not have, such as a redirection.
    UnexpectedStatus: "1xx, 3xx, other 2xx", false, false, false, "redirections are not followed, the key would go elsewhere";
    /// The reply is not JSON by its own account, such as the page of a proxy.
    WrongContentType: "200 that is not JSON by its header", true, false, true, "a page of a proxy";
    /// The reply is not valid JSON.
    InvalidJson: "200 with broken JSON", true, false, true, "a reply cut on its way";
    /// The reply holds no answer.
    Empty: "200 without an answer", true, false, true, "seen under load";
    /// The reply is longer than any answer.
    TooLarge: "a reply beyond 16 MiB", false, false, true, "the next one would be as long and cost as much";
    /// The program of a `command` model failed.
    CommandFailed: "exit code, signal or output that is not the agreed JSON", false, false, false, "programs fail the same way twice";
    /// The file of a `replay` model holds no such reply.
    NotInCassette: "no reply to this question in the file", false, false, false, "files do not change";
}

impl Fault {
    /// Its line of the table.
    pub fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }

    /// The fault that a status of HTTP is; nothing for 200.
    pub fn of_status(status: u16, body: &str) -> Option<Self> {
        Some(match status {
            200 => return None,
            402 => Self::NoCredit,
            429 if body.contains("insufficient_quota") || body.contains("billing_hard_limit") => Self::NoCredit,
            429 => Self::TooManyRequests,
            503 | 529 => Self::Overloaded,
            500..=599 => Self::ServerError,
            408 | 409 | 425 => Self::BadMoment,
            401 | 403 => Self::NotAllowed,
            404 => Self::NotFound,
            400..=499 => Self::BadRequest,
            _ => Self::UnexpectedStatus,
        })
    }
}

/// The table in Markdown, for the guide.
pub fn table() -> String {
    let mut text = String::from("| what happens | again? | fewer at once? | why |\n|---|---|---|---|\n");
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    for rule in RULES {
        text.push_str(&format!("| {} | {} | {} | {} |\n", rule.shows, yes(rule.retry), yes(rule.slower), rule.why));
    }
    text
}

/// How long `Retry-After` asks to wait: seconds or a date of HTTP.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Some servers send fractions.
        return Duration::try_from_secs_f64(seconds).ok().map(|asked| asked.min(LONGEST_ASKED));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or_default().min(LONGEST_ASKED))
}

/// Longer than any time-out, and short enough to be added to any moment.
const LONGEST_ASKED: Duration = Duration::from_secs(10_000_000);

/// Longest wait that we choose ourselves.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The wait before attempt `attempt` (counted from 1 for the second): doubled each time, and between half and all of it by
/// a number drawn from the seed, so that callers do not return together and a run can be repeated.
pub fn wait(base: Duration, attempt: u32, seed: u64) -> Duration {
    let doubled = base.saturating_mul(1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX));
    let whole = doubled.min(LONGEST_WAIT);
    let drawn =
        (mix(seed ^ u64::from(attempt).wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 11) as f64 / (1_u64 << 53) as f64;
    whole.mul_f64(0.5 + drawn / 2.0)
}

/// The finishing step of `SplitMix64` (Steele, Lea, Flood 2014).
pub(crate) const fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_finds_its_own_line() {
        assert!(RULES.iter().all(|rule| rule.fault.rule().fault == rule.fault));
    }

    #[test]
    fn the_guide_shows_the_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/models.md");
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains(&table()), "docs/guides/models.md should hold this table:\n\n{}", table());
    }

    #[test]
    fn every_status_is_a_fault_but_200() {
        assert_eq!(Fault::of_status(200, ""), None);
        for status in (100..=599).filter(|status| *status != 200) {
            let fault = Fault::of_status(status, "").unwrap();
            assert_eq!(fault.rule().retry, matches!(status, 408 | 409 | 425 | 429 | 500..=599), "{status}");
        }
        assert_eq!(Fault::of_status(429, r#"{"error":{"code":"insufficient_quota"}}"#), Some(Fault::NoCredit));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(" 0.5 ", now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:17 GMT", now), Some(Duration::ZERO), "a date that has passed");
        assert_eq!(retry_after("18446744073709549568", now), Some(LONGEST_ASKED));
        assert_eq!(retry_after("Fri, 31 Dec 9999 23:59:59 GMT", now), Some(LONGEST_ASKED));
        for wrong in ["", "soon", "-1", "NaN", "1e300"] {
            assert_eq!(retry_after(wrong, now), None, "{wrong}");
        }
    }

    #[test]
    fn waits_double_stay_in_their_range_and_repeat_with_the_seed() {
        let base = Duration::from_millis(500);
        for attempt in 1..40 {
            let whole = base.saturating_mul(1_u32.checked_shl(attempt - 1).unwrap_or(u32::MAX)).min(LONGEST_WAIT);
            for seed in 0..50 {
                let drawn = wait(base, attempt, seed);
                assert!(drawn >= whole / 2 && drawn <= whole, "{attempt} {seed} {drawn:?}");
                assert_eq!(drawn, wait(base, attempt, seed));
            }
        }
        assert_ne!(wait(base, 3, 1), wait(base, 3, 2));
    }
}
