//! `probare models prices`: what calls are priced with, and how to say otherwise.

use probare_models::prices::{PriceRow, Pricing, find_price, price_list};
use probare_models::{ModelName, Provider};
use probare_report::escape;
use serde_json::{Value as Json, json};

use crate::commands::print;
use crate::failure::{CommandResult, Failure};

/// Show the price list, in US dollars per million tokens, with its date, and how to override a price
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A model (openai:gpt-4o), or part of a name; all by default
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let rows = find_rows(arguments.model.as_deref());
    if let (Some(model), true) = (&arguments.model, rows.is_empty()) {
        return Err(
            Failure::new(format!("no price is known for `{model}` (list of {})", price_list().date)).hint(OVERRIDE)
        );
    }
    let list = price_list();
    if arguments.json {
        let rows: Vec<Json> = rows.into_iter().map(row_json).collect();
        return print(&format!("{:#}\n", json!({"date": list.date, "source": list.source, "models": rows})));
    }
    let mut text = format!("US dollars per million tokens, list of {} ({})\n", list.date, list.source);
    for row in rows {
        text.push_str(&escape::terminal(&line(row)));
        text.push('\n');
    }
    text.push_str(&format!("{OVERRIDE}\n"));
    print(&text)
}

/// What the user does where a price is missing or another one.
const OVERRIDE: &str = "to override: `pricing: {prompt_price_per_million: 0.4, completion_price_per_million: 1.6}` at the model in \
                        probare.yaml, with `cached_prompt_price_per_million` and `cache_write_price_per_million` where the \
                        cache has prices of its own";

/// The row that calls of a model are priced with, or all rows whose names hold the text.
fn find_rows(model: Option<&str>) -> Vec<&'static PriceRow> {
    let Some(model) = model else { return price_list().rows.iter().collect() };
    if let Some(row) = ModelName::parse(model).ok().and_then(|name| find_price(&name)) {
        return vec![row];
    }
    let is_meant = |row: &&PriceRow| format!("{}:{}", row.provider, row.model).contains(model);
    price_list().rows.iter().filter(is_meant).collect()
}

fn line(row: &PriceRow) -> String {
    let mut text = format!("{}:{}: {}", row.provider, row.model, prices(&row.price.pricing));
    if row.provider == Provider::OpenAi {
        text.push_str(&format!("; also openai-responses:{}", row.model));
    }
    if let Some((above, pricing)) = &row.price.long {
        text.push_str(&format!("; above {above} tokens sent: {}", prices(pricing)));
    }
    if let Some(most) = row.price.most_output {
        text.push_str(&format!("; longest reply {most} tokens"));
    }
    text
}

fn prices(pricing: &Pricing) -> String {
    let mut text =
        format!("sent {}, received {}", pricing.prompt_price_per_million, pricing.completion_price_per_million);
    for (price, words) in [
        (pricing.cached_prompt_price_per_million, "cache read"),
        (pricing.cache_write_price_per_million, "cache write"),
        (pricing.hour_cache_write_price_per_million, "cache write for an hour"),
    ] {
        if let Some(price) = price {
            text.push_str(&format!(", {words} {price}"));
        }
    }
    text
}

fn row_json(row: &PriceRow) -> Json {
    let mut json = json!({
        "provider": row.provider.name(),
        "model": row.model,
        "pricing": row.price.pricing,
        "longest_reply": row.price.most_output,
    });
    if let Some((above, pricing)) = &row.price.long {
        json["long_requests"] = json!({"above": above, "pricing": pricing});
    }
    json
}
