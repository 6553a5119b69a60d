//! What is said about models that were asked, and what to do where they cannot be.

use std::sync::{Mutex, PoisonError};

use probare_engine::{BatchWatch, ModelUsage};
use probare_files::{OwnerKeys, PROBARE_KEY};
use probare_models::{BatchReport, CacheFile};
use probare_report::number::count_with_noun;

use super::remark;

/// Missing replies that are named; all are counted.
const SHOWN: usize = 5;

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
        remark(&asked_text(hearing));
    }
    if !quiet && costs.calls() > 0 {
        remark(&format!("cost of the run: {costs}"));
    }
    if counts.unrecorded > 0 {
        let replies = count_with_noun(counts.unrecorded, "reply", "replies");
        remark(&format!("{replies} could not be written to the response cache at once: is the disk full?"));
    }
    if !quiet && !uncoded.is_empty() {
        let metrics: Vec<String> = uncoded.iter().map(|(metric, count)| format!("{metric} {count}")).collect();
        let text = format!(
            "judged without a nonce (the prompts of SGI-Bench and older recordings have none), so a verdict inside the \
             answer itself may count: {}",
            metrics.join(", ")
        );
        remark(&text);
    }
    if !missing.is_empty() {
        let models: Vec<String> =
            missing.iter().take(SHOWN).map(|(model, key)| format!("{model} (key {})", key.short())).collect();
        let more = if missing.len() > SHOWN { format!(" and {} more", missing.len() - SHOWN) } else { String::new() };
        remark(&format!("no reply in the response cache: {}{more}", models.join(", ")));
    }
    for ((model, word), count) in &hearing.unknown_stops {
        let replies = count_with_noun(*count, "reply", "replies");
        let text = format!(
            "warning: {replies} of {model} ended with `{word}`, a stop reason that no provider documents; taken as complete"
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
    if let Some(batches) = &hearing.batches {
        print_batches(batches, quiet);
    }
    if hearing.is_budget_reached {
        remark("the budget is reached: the questions that are left were not asked");
    }
}

/// How many questions there were, and what became of them.
fn asked_text(hearing: &ModelUsage) -> String {
    let counts = &hearing.counts;
    let mut text = format!("asked: {}", count_with_noun(counts.asked - counts.unsent, "question", "questions"));
    let ways = [
        (counts.replayed, "from the response cache"),
        (counts.replied, "answered"),
        (counts.refused, "declined"),
        (counts.truncated, "truncated"),
        (counts.failed - counts.unsent, "without an answer"),
    ];
    for (count, way) in ways.iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {count} {way}"));
    }
    let in_batches = hearing.batches.as_ref().map_or(0, BatchReport::in_batches);
    let apart = [
        (counts.by_fallback, "by a fallback model"),
        (in_batches, "in a batch"),
        (counts.unsent.saturating_sub(in_batches), "not sent"),
    ];
    for (count, way) in apart.iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!("; {count} {way}"));
    }
    let tokens = counts.input_tokens + counts.output_tokens;
    if tokens > 0 {
        text.push_str(&format!("; {tokens} tokens"));
    }
    if counts.lost_attempts > 0 {
        let attempts = count_with_noun(counts.lost_attempts, "attempt", "attempts");
        text.push_str(&format!("; {attempts} failed and may have been charged"));
        if counts.lost.tokens > 0 {
            text.push_str(&format!(", at most {} tokens", counts.lost.tokens));
        }
    }
    text
}

/// How a batch that is worked on stands.
fn running_batch_text((model, name, count, done): &(String, Option<String>, u64, u64)) -> String {
    let questions = count_with_noun(*count, "question", "questions");
    match name {
        Some(name) => format!("batch `{name}` of {model}: {done} of {questions} done"),
        None => format!("a batch of {model} with {questions}: it is not known yet whether the provider took it"),
    }
}

/// Says how batches stand that are waited for, each time something has changed.
pub fn batch_watch(quiet: bool) -> BatchWatch {
    let told = Mutex::new(Vec::new());
    Box::new(move |batches| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        for batch in batches.running.iter().filter(|batch| !quiet && !told.contains(*batch)) {
            remark(&format!("waiting: {}", running_batch_text(batch)));
        }
        told.clone_from(&batches.running);
    })
}

/// Says how the batches of a run stand.
fn print_batches(batches: &BatchReport, quiet: bool) {
    let say = |text: String| remark(&text);
    let questions = |count: u64| count_with_noun(count, "question", "questions");
    if !quiet && batches.collected + batches.failed > 0 {
        let replies = count_with_noun(batches.collected, "reply", "replies");
        let failed =
            if batches.failed > 0 { format!("; {} without one", questions(batches.failed)) } else { String::new() };
        say(format!("batches: {replies} fetched{failed}"));
    }
    for (model, name, count) in batches.sent.iter().filter(|_| !quiet) {
        say(format!("batch `{name}` of {model}: {} sent", questions(*count)));
    }
    for batch in batches.running.iter().filter(|_| !quiet) {
        say(running_batch_text(batch));
    }
    if batches.unsent > 0 {
        say(format!(
            "{} were not sent in a batch, since the budget does not allow them now",
            questions(batches.unsent)
        ));
    }
    for problem in &batches.problems {
        say(format!("warning: {problem}"));
    }
    if batches.is_pending() && !quiet {
        say("replies of a batch come within a day; `probare resume` fetches what is there".to_owned());
    }
}
