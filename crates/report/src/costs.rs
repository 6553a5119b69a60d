//! What the outputs of a run took, model by model, as a panel of its pages.

use probare_core::{Panel, PanelCell, PanelChart, PanelTable, Usage};

use crate::escape::excerpt;
use crate::number::{count, rounded};

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

/// The panel; nothing where no model took anything.
pub fn panel(costs: &[Cost]) -> Option<Panel> {
    let tokens = |cost: &Cost| cost.usage.input_tokens + cost.usage.output_tokens;
    if costs.iter().all(|cost| tokens(cost) == 0 && cost.cost_usd.is_none()) {
        return None;
    }
    // Money where any is known, else tokens.
    let is_priced = costs.iter().any(|cost| cost.cost_usd.is_some_and(|cost| cost > 0.0));
    let unit = if is_priced { "US dollars" } else { "tokens" };
    let value = |cost: &Cost| if is_priced { cost.cost_usd } else { Some(tokens(cost) as f64) };
    let bars: Vec<(String, Option<f64>)> = costs.iter().map(|cost| (cost.model.clone(), value(cost))).collect();
    let most = bars.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max);
    let mut table = PanelTable::new("", ["Model", "Outputs", "Tokens in", "Tokens out", "US dollars"], 1);
    for cost in costs {
        let numbers = [cost.outputs, cost.usage.input_tokens, cost.usage.output_tokens].map(count);
        let dollars = cost.cost_usd.map_or_else(|| "–".to_owned(), rounded);
        let cells = [excerpt(&cost.model, 80)].into_iter().chain(numbers).chain([dollars]);
        table.push(cells.map(PanelCell::from).collect());
    }
    let chart = PanelChart { title: "Cost by model".to_owned(), note: unit.to_owned(), range: (0.0, most), bars };
    let title = "Cost of the outputs".to_owned();
    Some(Panel { title, charts: vec![chart], tables: vec![table], ..Panel::default() })
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
        assert!(panel(&[]).is_none() && panel(&[cost("a", 0, None)]).is_none());
        let made = |costs: &[Cost]| {
            let made = panel(costs).unwrap();
            (made.charts[0].note.clone(), crate::markdown::panel(&made))
        };
        let (unit, text) = made(&[cost("<a>", 100, None), cost("b", 50, Some(0.0))]);
        assert!(unit == "tokens" && text.contains("| b | 3 | 50 | 25 | 0 |"), "{text}");
        let (unit, text) = made(&[cost("a", 100, None), cost("b", 50, Some(0.25))]);
        assert!(unit == "US dollars" && text.contains("| a | 3 | 100 | 50 | – |"), "{text}");
    }
}
