//! [`Fault`]: what can go wrong with one attempt, and the one table that says what is worth another.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// How often a question is asked again after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Not at all.
    No,
    /// Once.
    Once,
    /// As long as attempts are left.
    Yes,
}

/// Whom a fault concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concern {
    /// One question.
    Question,
    /// The provider, for a while: too many in a row, and it is left alone.
    Provider,
    /// The key, the account or the model: nobody else need be sent.
    Everybody,
}

/// One line of the table.
pub struct Rule {
    /// What went wrong.
    pub fault: Fault,
    /// How it shows.
    pub shows: &'static str,
    /// Whether another attempt is made.
    pub retry: Retry,
    /// Whom it concerns.
    pub concern: Concern,
    /// Whether fewer requests are sent at once from now on.
    pub slower: bool,
    /// Whether the attempt may have been charged, so that a budget counts its bound.
    pub charged: bool,
    pub why: &'static str,
}

/// What can go wrong, and for each how often to try again, whom it concerns, whether to send fewer at once, and whether it may
/// have been charged.
macro_rules! faults {
    ($(#[doc = $doc:literal] $fault:ident: $shows:literal, $retry:ident, $concern:ident, $slower:literal, $charged:literal, $why:literal;)*) => {
        /// What went wrong with one attempt.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Fault {
            $(#[doc = $doc] $fault,)*
        }

        /// Which faults are worth another attempt, in the order of the faults. The page of the guide shows this table; a test
        /// compares them.
        pub const RULES: &[Rule] = &[
            $(Rule {
                fault: Fault::$fault,
                shows: $shows,
                retry: Retry::$retry,
                concern: Concern::$concern,
                slower: $slower,
                charged: $charged,
                why: $why,
            }),*
        ];
    };
}

faults! {
    /// No connection came about.
    NotConnected: "no connection", Yes, Provider, false, false, "nothing was asked yet";
    /// The connection ended before the reply was whole.
    ConnectionLost: "the connection or the stream ends in the middle", Yes, Provider, false, true, "networks do that";
    /// The attempt took too long.
    TimedOut: "no whole reply within `timeout`, or nothing of a stream within `idle_timeout`", Yes, Provider, true, true, "often a sign of load";
    /// 429: too many requests.
    TooManyRequests: "429", Yes, Question, true, false, "after the wait that the provider asks for, or a growing one; the whole model waits";
    /// 429 or 402: the account has no credit left.
    NoCredit: "402, 429 with `insufficient_quota`, or 400 of Anthropic: credit balance too low", No, Everybody, false, false, "waiting does not pay the bill";
    /// 503 or 529: the provider has too much to do.
    Overloaded: "503, 529", Yes, Provider, true, false, "after the wait that the provider asks for, or a growing one";
    /// 500, 502, 504 and other failures of the server.
    ServerError: "500, 502, 504", Yes, Provider, false, false, "mostly passes";
    /// 408, 409, 425: the request came at a bad moment.
    BadMoment: "408, 409, 425", Yes, Question, false, false, "the server says so";
    /// The key is not accepted, whatever the status.
    WrongKey: "401; 400 or 403 that speak of the key", No, Everybody, false, false, "the key stays wrong: all requests stop";
    /// A filter declines the question: this one, not the next.
    Moderated: "400 or 403 whose error is that of a filter, such as `content_filter`", No, Question, false, false, "this prompt is declined: kind `refused`";
    /// 403: this question may not be asked.
    Forbidden: "403", No, Question, false, false, "this prompt's own: the others are asked";
    /// 404: no such model or address.
    NotFound: "404", No, Everybody, false, false, "the model or address stays wrong";
    /// 400, 413, 422 and other complaints about the request.
    BadRequest: "400, 413, 422, other 4xx", No, Question, false, false, "the same request stays wrong";
    /// A status that an answer does not have, such as a redirection.
    UnexpectedStatus: "1xx, 3xx, other 2xx", No, Question, false, false, "redirections are not followed, the key would go elsewhere";
    /// The reply is not JSON, and says so, such as the page of a proxy.
    WrongContentType: "200 that is not JSON, by its header either", Yes, Provider, false, true, "a page of a proxy";
    /// The reply is not valid JSON.
    InvalidJson: "200 with broken JSON", Yes, Question, false, true, "a reply cut on its way";
    /// The reply holds no answer.
    Empty: "200 without an answer: no choice, `null`, thoughts only", Once, Question, false, true, "seen under load; a second one is the answer: kind `failed`";
    /// The reply says of itself that the provider failed.
    FailedReply: "200 with an `error` in it, or a stop reason of a failure such as `error` or `abort`", Yes, Provider, false, true, "the provider failed after it had begun: kind `failed`";
    /// The reply says of itself that it cannot be used.
    UnusableReply: "200 with a stop reason such as `malformed_tool_use`, `LANGUAGE` or `pause_turn`, or one that the vendor does not document", Once, Question, false, true, "the model may do better once; a second one is the answer: kind `failed`";
    /// The reply is longer than any answer.
    TooLarge: "a reply beyond 16 MiB", No, Question, false, true, "the next one would be as long and cost as much";
    /// The program of a `command` model failed.
    CommandFailed: "exit code, signal or output that is not the agreed JSON", No, Question, false, false, "programs fail the same way twice";
    /// The file of a `replay` model holds no such reply.
    NotInCassette: "no reply to this question in the file", No, Question, false, false, "files do not change";
}

/// What complaints about a key say, whatever their status.
const WRONG_KEY: &[&str] = &[
    "invalid_api_key",
    "api_key_invalid",
    "api key not valid",
    "incorrect api key",
    "invalid api key",
    "invalid x-api-key",
    "authentication_error",
    "unauthenticated",
    "unrecognizedclientexception",
    "invalidsignatureexception",
    "expiredtokenexception",
    "security token included in the request is",
];

/// The errors of filters, by `code` or `type`.
const FILTERED: &[&str] = &[
    "content_filter",
    "content_policy_violation",
    "image_content_policy_violation",
    "invalid_prompt",
    "moderation_blocked",
    "responsibleaipolicyviolation",
];

/// The errors of an account without money, by `code` or `type`.
const NO_CREDIT: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "insufficient_balance",
];

/// Whether an error in a body has one of these names. What its message says is not looked at: it may quote anything.
fn is_named(body: &str, names: &[&str]) -> bool {
    let Ok(json) = serde_json::from_str::<Json>(body) else { return false };
    let outer = json.get(0).unwrap_or(&json);
    let error = outer.get("error").unwrap_or(outer);
    let places = ["/code", "/type", "/status", "/innererror/code", "/metadata/error_type"];
    let found = places.iter().filter_map(|place| error.pointer(place).and_then(Json::as_str));
    found.map(str::to_ascii_lowercase).any(|name| names.contains(&name.as_str()))
}

/// Whether a router says what a filter found in the question.
fn has_moderation_reasons(body: &str) -> bool {
    serde_json::from_str::<Json>(body)
        .is_ok_and(|json| json.pointer("/error/metadata/reasons").is_some_and(Json::is_array))
}

impl Fault {
    /// Its line of the table.
    pub fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }

    /// Whether another model may answer instead: after what another attempt could have mended, and where the account is
    /// empty. What is wrong with the question, the key or the model's name is for its author to see.
    pub fn permits_fallback(self) -> bool {
        self == Self::NoCredit || self.rule().retry != Retry::No
    }

    /// The fault that a status other than 200 is, with what the body says.
    pub fn from_status(status: u16, body: &str) -> Self {
        let says = |words: &[&str]| {
            let body = body.to_ascii_lowercase();
            words.iter().any(|word| body.contains(word))
        };
        match status {
            402 => Self::NoCredit,
            400 | 403 | 429 if is_named(body, NO_CREDIT) => Self::NoCredit,
            429 => Self::TooManyRequests,
            503 | 529 => Self::Overloaded,
            500..=599 => Self::ServerError,
            408 | 409 | 425 => Self::BadMoment,
            401 => Self::WrongKey,
            400 | 403 if says(WRONG_KEY) => Self::WrongKey,
            400 | 403 if is_named(body, FILTERED) || has_moderation_reasons(body) => Self::Moderated,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            400..=499 => Self::BadRequest,
            _ => Self::UnexpectedStatus,
        }
    }
}

/// How long `retry-after-ms` asks to wait.
pub fn retry_after_ms(value: &str) -> Option<Duration> {
    let milliseconds: f64 = value.trim().parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok().map(|delay| delay.min(LONGEST_ASKED))
}

/// How long `Retry-After` asks to wait: seconds or a date of HTTP.
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Some servers send fractions.
        return Duration::try_from_secs_f64(seconds).ok().map(|delay| delay.min(LONGEST_ASKED));
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
pub fn backoff(base: Duration, attempt: u32, seed: u64) -> Duration {
    let doubled = base.saturating_mul(1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX));
    let whole = doubled.min(LONGEST_WAIT);
    let drawn =
        (splitmix64(seed ^ u64::from(attempt).wrapping_mul(0x9E37_79B9_7F4A_7C15)) >> 11) as f64 / (1_u64 << 53) as f64;
    whole.mul_f64(0.5 + drawn / 2.0)
}

/// The finishing step of `SplitMix64` (Steele, Lea, Flood 2014).
pub(crate) const fn splitmix64(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in Markdown, for the guide.
    fn retry_table() -> String {
        let mut text = String::from(
            "| what happens | again? | fallback? | fewer at once? | charged? | why |\n|---|---|---|---|---|---|\n",
        );
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        for rule in RULES {
            let again = match rule.retry {
                Retry::No => "no",
                Retry::Once => "once",
                Retry::Yes => "yes",
            };
            let charged = if rule.charged { "may be" } else { "no" };
            let (fallback, slower) = (yes(rule.fault.permits_fallback()), yes(rule.slower));
            text.push_str(&format!(
                "| {} | {again} | {fallback} | {slower} | {charged} | {} |\n",
                rule.shows, rule.why
            ));
        }
        text
    }

    #[test]
    fn every_fault_finds_its_own_line() {
        assert!(RULES.iter().all(|rule| rule.fault.rule().fault == rule.fault));
    }

    #[test]
    fn the_guide_shows_the_table() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/models.md");
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains(&retry_table()), "docs/guides/models.md should hold this table:\n\n{}", retry_table());
    }

    #[test]
    fn every_status_is_a_fault_but_200() {
        for status in (100..=599).filter(|status| *status != 200) {
            let fault = Fault::from_status(status, "");
            let is_asked_again = matches!(status, 408 | 409 | 425 | 429 | 500..=599);
            assert_eq!(fault.rule().retry != Retry::No, is_asked_again, "{status}");
        }
        assert_eq!(Fault::from_status(429, r#"{"error":{"code":"insufficient_quota"}}"#), Fault::NoCredit);
    }

    #[test]
    fn a_wrong_key_is_one_whatever_its_status_and_a_filter_speaks_of_one_prompt() {
        let gemini = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#;
        let bedrock = r#"{"message":"The security token included in the request is invalid."}"#;
        assert_eq!(Fault::from_status(400, gemini), Fault::WrongKey);
        assert_eq!(Fault::from_status(403, bedrock), Fault::WrongKey);
        assert_eq!(Fault::from_status(401, ""), Fault::WrongKey);
        let azure = r#"{"error":{"code":"content_filter","message":"The response was filtered"}}"#;
        let router = r#"{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"]}}}"#;
        assert_eq!(Fault::from_status(400, azure), Fault::Moderated);
        assert_eq!(Fault::from_status(403, router), Fault::Moderated);
        assert_eq!(Fault::from_status(403, "{}"), Fault::Forbidden);
        let words = r#"{"error":{"type":"invalid_request_error","message":"`omni-moderation` was flagged as no model for this; see guardrail"}}"#;
        assert_eq!(Fault::from_status(400, words), Fault::BadRequest, "a message may say anything");
        let declined = r#"{"error":{"code":"invalid_prompt","type":"invalid_request_error","message":"x"}}"#;
        assert_eq!(Fault::from_status(400, declined), Fault::Moderated);
        assert_eq!(Fault::from_status(400, "{}"), Fault::BadRequest);
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
            assert_eq!(retry_after_ms(wrong), None, "{wrong}");
        }
        assert_eq!(retry_after_ms("1250"), Some(Duration::from_millis(1250)));
    }

    #[test]
    fn waits_double_stay_in_their_range_and_repeat_with_the_seed() {
        let base = Duration::from_millis(500);
        for attempt in 1..40 {
            let whole = base.saturating_mul(1_u32.checked_shl(attempt - 1).unwrap_or(u32::MAX)).min(LONGEST_WAIT);
            for seed in 0..50 {
                let drawn = backoff(base, attempt, seed);
                assert!(drawn >= whole / 2 && drawn <= whole, "{attempt} {seed} {drawn:?}");
                assert_eq!(drawn, backoff(base, attempt, seed));
            }
        }
        assert_ne!(backoff(base, 3, 1), backoff(base, 3, 2));
    }
}
