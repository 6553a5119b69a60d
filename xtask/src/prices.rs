//! `cargo x gen prices`: the list of prices, from the table that the Python package `litellm` ships (MIT; facts only).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value as Json};

use crate::process::{self, root};

/// Where the table lies in the package.
const TABLE: &str = "litellm/model_prices_and_context_window_backup.json";

/// Providers of the table, what stands before their models there, and what we call them.
const PROVIDERS: [(&str, &str, &str); 7] = [
    ("anthropic", "", "anthropic"),
    ("bedrock", "", "bedrock"),
    ("bedrock_converse", "", "bedrock"),
    ("gemini", "gemini/", "gemini"),
    ("groq", "groq/", "groq"),
    ("mistral", "mistral/", "mistral"),
    ("openai", "", "openai"),
];

/// What models do that are asked for texts and vectors.
const MODES: [&str; 4] = ["chat", "completion", "embedding", "responses"];

/// Parts of names of models that cost something beside their tokens, or have tokens of several prices.
const EXCLUDED_NAME_PARTS: [&str; 6] = ["audio", "realtime", "search", "computer-use", "deep-research", "live"];

/// Downloads the newest package and writes the list from it.
pub fn run() -> Result<()> {
    let folder = root().join("target/prices");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let python = |arguments: &[&str]| process::run(Command::new("python3").args(arguments).current_dir(&folder));
    python(&["-m", "pip", "download", "--quiet", "--no-deps", "litellm"])?;
    let wheel = wheel(&folder)?;
    let name = wheel.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let version = name.split('-').nth(1).context("the wheel says its version")?;
    python(&["-m", "zipfile", "-e", &name, "."])?;
    let table: Map<String, Json> = serde_json::from_slice(&fs::read(folder.join(TABLE))?)?;
    let rows = rows(&table);
    if rows.len() < 100 {
        bail!("{TABLE} gives {} rows: it has another form now", rows.len());
    }
    let text = list(&rows, version, &today());
    let path = root().join("crates/models/data/prices.tsv");
    fs::write(&path, text)?;
    eprintln!("{}: {} models from litellm {version}", path.display(), rows.len());
    Ok(())
}

fn wheel(folder: &Path) -> Result<PathBuf> {
    let mut files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    files.find(|path| path.extension().is_some_and(|ending| ending == "whl")).context("pip downloaded no wheel")
}

fn today() -> String {
    let days = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs() / 86_400;
    let (mut year, mut left) = (1970, days);
    let length =
        |year: u64| 365 + u64::from(year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)));
    while left >= length(year) {
        left -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

/// A line for each model, by provider and name.
fn rows(table: &Map<String, Json>) -> BTreeMap<(&'static str, String), String> {
    let mut rows = BTreeMap::new();
    for (name, model) in table {
        let text = |field: &str| model.get(field).and_then(Json::as_str);
        let known = PROVIDERS.iter().find(|(provider, ..)| text("litellm_provider") == Some(provider));
        let Some((_, prefix, provider)) = known else { continue };
        let Some(name) = name.strip_prefix(prefix) else { continue };
        // Prices by region, and those of models that somebody has trained, are asked for under other names.
        let is_other = (prefix.is_empty() && name.contains('/'))
            || name.starts_with("ft:")
            || model.get("tiered_pricing").is_some();
        if is_other
            || EXCLUDED_NAME_PARTS.iter().any(|other| name.contains(other))
            || text("mode").is_none_or(|mode| !MODES.contains(&mode))
        {
            continue;
        }
        if let Some(prices) = prices(model) {
            rows.insert((*provider, name.to_owned()), prices);
        }
    }
    rows
}

/// Longest reply and prices of a model.
fn prices(model: &Json) -> Option<String> {
    let most = model.get("max_output_tokens").and_then(Json::as_u64).map(|most| most.to_string()).unwrap_or_default();
    let mut cells = vec![most];
    cells.extend(prices_for_range(model, "")?);
    let above = model.as_object()?.keys().find_map(|field| {
        let range = field.strip_prefix("input_cost_per_token_above_")?;
        Some((range.strip_suffix("k_tokens")?.parse::<u64>().ok()?, format!("_above_{range}")))
    });
    if let Some((thousands, range)) = above {
        cells.push((thousands * 1000).to_string());
        cells.extend(prices_for_range(model, &range)?);
    }
    while cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    Some(cells.join("\t"))
}

/// Prices a million tokens sent, received, read from the cache, written to it, and written to it for an hour.
fn prices_for_range(model: &Json, range: &str) -> Option<[String; 5]> {
    let price = |field: String| model.get(field).and_then(Json::as_f64).map(per_million);
    let usual = |field: &str| price(format!("{field}{range}"));
    let sent = usual("input_cost_per_token")?;
    let received = usual("output_cost_per_token")
        .or_else(|| (model.get("mode").and_then(Json::as_str) == Some("embedding")).then(|| "0".to_owned()))?;
    let hour = if range.is_empty() { price("cache_creation_input_token_cost_above_1hr".to_owned()) } else { None };
    let others = [usual("cache_read_input_token_cost"), usual("cache_creation_input_token_cost"), hour];
    let [read, written, hour] = others.map(Option::unwrap_or_default);
    Some([sent, received, read, written, hour])
}

fn per_million(price: f64) -> String {
    let text = format!("{:.6}", price * 1e6);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn list(rows: &BTreeMap<(&'static str, String), String>, version: &str, date: &str) -> String {
    let mut text = format!(
        "# List prices in US dollars per million tokens, made by `cargo x gen prices`. A model's own `pricing` in the configuration wins.\n\
         # date: {date}\n\
         # source: litellm {version}\n\
         # provider, model, longest reply, sent, received, cache read, cache write, cache write for an hour; then for requests \
         longer than so many tokens: how many, and the same prices\n"
    );
    for ((provider, model), prices) in rows {
        text.push_str(&format!("{provider}\t{model}\t{prices}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_prices_of_its_ranges() {
        let table = serde_json::json!({
            "gpt-x": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1.25e-6, "output_cost_per_token": 1e-5,
                "max_output_tokens": 128_000, "cache_read_input_token_cost": 1.25e-7},
            "gemini/g": {"litellm_provider": "gemini", "mode": "chat", "input_cost_per_token": 1.25e-6, "output_cost_per_token": 1e-5,
                "input_cost_per_token_above_200k_tokens": 2.5e-6, "output_cost_per_token_above_200k_tokens": 1.5e-5},
            "claude": {"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 3e-6, "output_cost_per_token": 1.5e-5,
                "cache_read_input_token_cost": 3e-7, "cache_creation_input_token_cost": 3.75e-6,
                "cache_creation_input_token_cost_above_1hr": 6e-6},
            "v": {"litellm_provider": "openai", "mode": "embedding", "input_cost_per_token": 2e-8},
            "bedrock/us-east-1/m": {"litellm_provider": "bedrock", "mode": "chat", "input_cost_per_token": 1.0, "output_cost_per_token": 1.0},
            "gpt-audio": {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1.0, "output_cost_per_token": 1.0},
            "free": {"litellm_provider": "openai", "mode": "chat"},
            "other": {"litellm_provider": "elsewhere", "mode": "chat", "input_cost_per_token": 1.0, "output_cost_per_token": 1.0},
        });
        let text = list(&rows(table.as_object().unwrap()), "1.2.3", "2026-01-02");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            lines,
            [
                "anthropic\tclaude\t\t3\t15\t0.3\t3.75\t6",
                "gemini\tg\t\t1.25\t10\t\t\t\t200000\t2.5\t15",
                "openai\tgpt-x\t128000\t1.25\t10\t0.125",
                "openai\tv\t\t0.02\t0",
            ]
        );
        assert!(text.contains("# date: 2026-01-02\n# source: litellm 1.2.3\n"), "{text}");
    }
}
