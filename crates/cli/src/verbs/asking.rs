//! Whom judges ask, and what that may cost: flags of every verb that scores.

use std::path::PathBuf;

use probare_report::escape;
use probare_report::number::counted;
use probare_runner::{AskError, Hearing};
use serde::Serialize;

use super::remark;
use crate::failure::Failure;

/// Missing replies that are named; all are counted.
const SHOWN: usize = 5;

/// Whom judges ask.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct Asking {
    /// Model that judges, for metrics that ask one: a name from the configuration, or provider:model (repeatable: a panel)
    #[arg(long = "judge", value_name = "MODEL", env = "PROBARE_JUDGE")]
    pub judges: Vec<String>,

    /// Answer judges from recorded replies only; what is missing is named
    #[arg(long, env = "PROBARE_OFFLINE")]
    pub offline: bool,

    /// Most money that the run may spend on models, in US dollars; exit code 4 when it is reached
    #[arg(long, value_name = "DOLLARS", value_parser = dollars, env = "PROBARE_BUDGET_USD")]
    pub budget_usd: Option<f64>,

    /// Most tokens that the run may send and receive; exit code 4 when they are reached
    #[arg(long, value_name = "N", env = "PROBARE_BUDGET_TOKENS")]
    pub budget_tokens: Option<u64>,

    /// Score replies that were cut at their longest length as if they were whole, instead of counting them as `truncated`
    #[arg(long, env = "PROBARE_SCORE_TRUNCATED")]
    pub score_truncated: bool,

    /// The record of replies; .probare/replies.db by default
    #[arg(long, value_name = "FILE", env = "PROBARE_RECORD")]
    pub record: Option<PathBuf>,
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("an amount of US dollars is expected, such as 0.50".to_owned()),
    }
}

/// Says how questions ended.
pub fn say(hearing: &Hearing, quiet: bool) {
    let Hearing { counts, spent, missing, uncoded, .. } = hearing;
    if !quiet && counts.asked > 0 {
        let mut text = format!("asked: {}", counted(counts.asked, "question", "questions"));
        let ways = [
            (counts.replayed, "from the record"),
            (counts.replied, "answered"),
            (counts.refused, "declined"),
            (counts.truncated, "cut at their longest length"),
            (counts.failed, "without an answer"),
        ];
        for (count, way) in ways.iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {count} {way}"));
        }
        let tokens = counts.input_tokens + counts.output_tokens;
        if tokens > 0 {
            text.push_str(&format!("; {tokens} tokens"));
        }
        if spent.money.in_dollars() > 0.0 {
            text.push_str(&format!(", {:.4} US dollars", spent.money.in_dollars()));
        }
        if counts.unmeasured > 0 {
            text.push_str(&format!("; {} without usage, counted with the most it can be", counts.unmeasured));
        }
        if counts.lost_attempts > 0 {
            let attempts = counted(counts.lost_attempts, "attempt", "attempts");
            text.push_str(&format!("; {attempts} came to nothing and may have been charged"));
            if counts.lost.tokens > 0 {
                text.push_str(&format!(", at most {} tokens", counts.lost.tokens));
            }
            if counts.lost.money.in_dollars() > 0.0 {
                text.push_str(&format!(", {:.4} US dollars", counts.lost.money.in_dollars()));
            }
        }
        remark(&text);
    }
    if counts.unrecorded > 0 {
        let replies = counted(counts.unrecorded, "reply", "replies");
        remark(&format!("{replies} could not be written into the record at once: is the disk full?"));
    }
    if !quiet && !uncoded.is_empty() {
        let metrics: Vec<String> = uncoded.iter().map(|(metric, count)| format!("{metric} {count}")).collect();
        let text = format!("replies without a code, so that a repeated verdict counts: {}", metrics.join(", "));
        remark(&escape::terminal(&text));
    }
    if !missing.is_empty() {
        let models: Vec<String> =
            missing.iter().take(SHOWN).map(|(model, key)| format!("{model} (key {})", key.short())).collect();
        let more = if missing.len() > SHOWN { format!(" and {} more", missing.len() - SHOWN) } else { String::new() };
        remark(&escape::terminal(&format!("not recorded: {}{more}", models.join(", "))));
    }
    if hearing.is_budget_reached {
        remark("the budget is reached: the questions that are left were not asked");
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        let failure = Self::from_error(&error);
        match &error {
            AskError::NoJudge { .. } => failure
                .hint("name one: --judge openai:gpt-4.1-mini, or `judges: [NAME]` in probare.yaml; see docs/guides/judges.md")
                .into_usage(),
            AskError::UnknownJudge { similar: Some(similar), .. } => {
                failure.hint(format!("a model with a similar name exists: `{similar}`")).into_usage()
            }
            AskError::UnknownJudge { .. } | AskError::Judges { .. } => {
                failure.hint("write provider:model, or a `name` from `models:` in probare.yaml").into_usage()
            }
            AskError::NoRecord { .. } => {
                failure.hint("name it with --record FILE, or bring replies in: probare models record import FILE.jsonl")
            }
            _ => failure,
        }
    }
}
