//! Whom judges ask, and what that may cost: flags of every verb that scores.

use std::path::PathBuf;

use probare_engine::ModelUsage;
use probare_files::{OwnerKeys, PROBARE_KEY};
use probare_models::CacheFile;
use probare_report::number::count_with_noun;
use serde::Serialize;

use super::remark;

/// Missing replies that are named; all are counted.
const SHOWN: usize = 5;

/// Whom judges ask.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct ModelCallFlags {
    /// Model that judges, for metrics that ask one: a name from the configuration, or provider:model (repeatable: a panel)
    #[arg(long = "judge", value_name = "MODEL", env = "PROBARE_JUDGE")]
    pub judges: Vec<String>,

    /// Answer judges from recorded replies only; what is missing is named
    #[arg(long, env = "PROBARE_OFFLINE")]
    pub offline: bool,

    /// Ask models again also where their replies are recorded; from then on the new replies count
    #[arg(long, conflicts_with = "offline", env = "PROBARE_REFRESH")]
    pub refresh: bool,

    /// Most money that the run may spend on models, in US dollars, over all resumes; exit code 4 when it is reached
    #[arg(long, value_name = "DOLLARS", value_parser = dollars, env = "PROBARE_BUDGET_USD")]
    pub budget_usd: Option<f64>,

    /// Most tokens that the run may send and receive, over all resumes; exit code 4 when they are reached
    #[arg(long, value_name = "N", env = "PROBARE_BUDGET_TOKENS")]
    pub budget_tokens: Option<u64>,

    /// Score replies that were cut at their longest length as if they were whole, instead of counting them as `truncated`
    #[arg(long, env = "PROBARE_SCORE_TRUNCATED")]
    pub score_truncated: bool,

    /// The response cache (also --cache); by default your own entries of .probare/replies.db
    #[arg(long, alias = "cache", value_name = "FILE", env = "PROBARE_RECORD")]
    pub record: Option<PathBuf>,
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("an amount of US dollars is expected, such as 0.50".to_owned()),
    }
}

/// Says how many entries of a response cache were ignored, and what accepts them.
pub fn warn_ignored_entries(cache: &CacheFile, ignored: u64) {
    if ignored == 0 {
        return;
    }
    let entries = count_with_noun(ignored, "entry", "entries");
    let carry = if ignored == 1 { "carries" } else { "carry" };
    let path = cache.path.display();
    // Without a key nothing can be accepted, and what is computed now is not recognised the next time either.
    let has_key = OwnerKeys::load_or_create().is_ok_and(|keys| !keys.is_empty());
    let remedy = if has_key {
        format!("`probare cache accept` accepts what is there, `--cache {path}` uses it for this once")
    } else {
        format!(
            "no owner key can be kept on this machine: set `{PROBARE_KEY}`, or name the cache with `--cache {path}`"
        )
    };
    remark(&format!(
        "{entries} of the response cache `{path}` {carry} no owner tag of yours and were ignored (made by somebody else, on \
         another machine or by an older release); {remedy}"
    ));
}

/// Says how questions ended.
pub fn print_model_usage(hearing: &ModelUsage, quiet: bool) {
    let ModelUsage { counts, costs, missing, without_nonce: uncoded, .. } = hearing;
    if !quiet && counts.asked > 0 {
        let mut text = format!("asked: {}", count_with_noun(counts.asked - counts.unsent, "question", "questions"));
        let ways = [
            (counts.replayed, "from the record"),
            (counts.replied, "answered"),
            (counts.refused, "declined"),
            (counts.truncated, "cut at their longest length"),
            (counts.failed - counts.unsent, "without an answer"),
        ];
        for (count, way) in ways.iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {count} {way}"));
        }
        if counts.unsent > 0 {
            text.push_str(&format!("; {} not sent", counts.unsent));
        }
        let tokens = counts.input_tokens + counts.output_tokens;
        if tokens > 0 {
            text.push_str(&format!("; {tokens} tokens"));
        }
        if counts.lost_attempts > 0 {
            let attempts = count_with_noun(counts.lost_attempts, "attempt", "attempts");
            text.push_str(&format!("; {attempts} came to nothing and may have been charged"));
            if counts.lost.tokens > 0 {
                text.push_str(&format!(", at most {} tokens", counts.lost.tokens));
            }
        }
        remark(&text);
    }
    if !quiet && costs.calls() > 0 {
        remark(&format!("cost of the run: {costs}"));
    }
    if counts.unrecorded > 0 {
        let replies = count_with_noun(counts.unrecorded, "reply", "replies");
        remark(&format!("{replies} could not be written into the record at once: is the disk full?"));
    }
    if !quiet && !uncoded.is_empty() {
        let metrics: Vec<String> = uncoded.iter().map(|(metric, count)| format!("{metric} {count}")).collect();
        let text = format!("replies without a code, so that a repeated verdict counts: {}", metrics.join(", "));
        remark(&text);
    }
    if !missing.is_empty() {
        let models: Vec<String> =
            missing.iter().take(SHOWN).map(|(model, key)| format!("{model} (key {})", key.short())).collect();
        let more = if missing.len() > SHOWN { format!(" and {} more", missing.len() - SHOWN) } else { String::new() };
        remark(&format!("not recorded: {}{more}", models.join(", ")));
    }
    for ((model, word), count) in &hearing.unknown_stops {
        let replies = count_with_noun(*count, "reply", "replies");
        let text = format!(
            "warning: {replies} of {model} ended with `{word}`, a stop reason that nobody documents; taken as whole"
        );
        remark(&text);
    }
    if let Some((wanted, most)) = hearing.unused_concurrency.filter(|_| !quiet) {
        remark(&format!("`concurrency` allows {wanted} requests at once; a run makes at most {most}"));
    }
    for (model, pause) in &hearing.postponed {
        let seconds = count_with_noun(pause.as_secs(), "second", "seconds");
        let text = format!("{model}: the provider asks to wait {seconds}; its other questions were not asked");
        remark(&text);
    }
    if hearing.is_budget_reached {
        remark("the budget is reached: the questions that are left were not asked");
    }
}
