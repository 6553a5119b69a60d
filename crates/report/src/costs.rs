//! What the outputs of a run took, model by model, as a section of its pages.

use probare_core::{Section, Usage};

use crate::escape::{excerpt, html};
use crate::number::{count, rounded};
use crate::{markdown, svg};

/// What the outputs of a model took.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The model.
    pub model: String,
    /// Outputs that it gave.
    pub outputs: u64,
    /// Tokens, as far as they are known.
    pub usage: Usage,
    /// US dollars; nothing where no output has a price.
    pub cost_usd: Option<f64>,
}

/// The section; nothing where no model took anything.
pub fn section(costs: &[Cost]) -> Option<Section> {
    let tokens = |cost: &Cost| cost.usage.input_tokens + cost.usage.output_tokens;
    if costs.iter().all(|cost| tokens(cost) == 0 && cost.cost_usd.is_none()) {
        return None;
    }
    let dollars = |cost: &Cost| cost.cost_usd.map_or_else(|| "–".to_owned(), rounded);
    // Money where any is known, else tokens.
    let is_priced = costs.iter().any(|cost| cost.cost_usd.is_some_and(|cost| cost > 0.0));
    let unit = if is_priced { "US dollars" } else { "tokens" };
    let value = |cost: &Cost| if is_priced { cost.cost_usd } else { Some(tokens(cost) as f64) };
    let bars: Vec<svg::Bar> =
        costs.iter().map(|cost| svg::Bar { label: cost.model.clone(), value: value(cost) }).collect();
    let most = bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
    let mut rows = String::new();
    for cost in costs {
        rows.push_str(&format!(
            "<tr><th scope=\"row\"><bdi>{}</bdi></th><td class=\"right\">{}</td><td class=\"right\">{}</td>\
             <td class=\"right\">{}</td><td class=\"right\">{}</td></tr>\n",
            html(&excerpt(&cost.model, 80)),
            count(cost.outputs),
            count(cost.usage.input_tokens),
            count(cost.usage.output_tokens),
            dollars(cost),
        ));
    }
    let chart = svg::bars(&bars, (0.0, most), &format!("what the outputs of each model took, in {unit}"));
    let page = format!(
        "<h2>Cost of the outputs</h2>\n<div class=\"card scroll\"><table><thead><tr><th scope=\"col\">Model</th>\
         <th scope=\"col\" class=\"right\">Outputs</th><th scope=\"col\" class=\"right\">Tokens in</th>\
         <th scope=\"col\" class=\"right\">Tokens out</th><th scope=\"col\" class=\"right\">US dollars</th></tr></thead>\
         <tbody>\n{rows}</tbody></table></div>\n<div class=\"charts\"><article class=\"card chart-card\"><header>\
         <h3>Cost by model</h3><span class=\"small soft\">{unit}</span></header>{chart}</article></div>\n"
    );
    let cells = costs.iter().map(|cost| {
        let numbers =
            [cost.outputs, cost.usage.input_tokens, cost.usage.output_tokens].map(|number| number.to_string());
        let mut row = vec![excerpt(&cost.model, 80)];
        row.extend(numbers);
        row.push(dollars(cost));
        row
    });
    let table = markdown::table(&["model", "outputs", "tokens in", "tokens out", "US dollars"], cells);
    Some(Section { html: page, markdown: format!("## Cost of the outputs\n\n{table}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(model: &str, tokens: u64, cost_usd: Option<f64>) -> Cost {
        let usage = Usage::new(tokens, tokens / 2);
        Cost { model: model.to_owned(), outputs: 3, usage, cost_usd }
    }

    #[test]
    fn money_is_drawn_where_it_is_known_and_tokens_else() {
        assert!(section(&[]).is_none() && section(&[cost("a", 0, None)]).is_none());
        let tokens = section(&[cost("<a>", 100, None), cost("b", 50, Some(0.0))]).unwrap();
        assert!(tokens.html.contains("in tokens") && tokens.html.contains("&lt;a&gt;"), "{}", tokens.html);
        assert!(tokens.markdown.contains("| b | 3 | 50 | 25 | 0 |"), "{}", tokens.markdown);
        let money = section(&[cost("a", 100, None), cost("b", 50, Some(0.25))]).unwrap();
        assert!(money.html.contains("in US dollars") && money.html.contains("0.25"), "{}", money.html);
        assert!(money.markdown.contains("| a | 3 | 100 | 50 | – |"), "{}", money.markdown);
    }
}
