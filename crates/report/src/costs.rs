//! What the calls of a run cost, as a panel of its pages.

use probare_core::{CallOutcome, CallPurpose, Panel, PanelCell, PanelChart, PanelTable, RunCosts, Usage};

use crate::escape::excerpt;
use crate::number::count;

/// The panel: the sum in words, a bar for each model and purpose, a row for each outcome.
pub fn panel(costs: &RunCosts) -> Panel {
    let name = |model: &str, purpose: CallPurpose| match purpose {
        CallPurpose::Answer => model.to_owned(),
        other => format!("{model} ({})", other.name()),
    };
    // Money where any is known, else tokens.
    let is_priced = costs.total_usd > 0.0;
    let mut bars: Vec<(String, Option<f64>)> = Vec::new();
    for line in &costs.lines {
        let value = if is_priced { line.cost_usd } else { Some(tokens(line.usage) as f64) };
        let label = name(&line.model, line.purpose);
        match bars.iter_mut().find(|(known, _)| *known == label) {
            Some((_, sum)) => *sum = value.map_or(*sum, |value| Some(sum.unwrap_or_default() + value)),
            None => bars.push((label, value)),
        }
    }
    let most = bars.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max);
    let header = ["Model", "Purpose", "Outcome", "Calls", "Tokens in", "Tokens out", "US dollars"];
    let mut table = PanelTable::new("Calls", header, 3);
    for line in &costs.lines {
        let is_bound = line.outcome == CallOutcome::Interrupted || line.bounded_calls > 0;
        let dollars = match line.cost_usd {
            None => "no price".to_owned(),
            Some(cost) if is_bound => format!("at most {cost:.6}"),
            Some(cost) => format!("{cost:.6}"),
        };
        let words = [excerpt(&line.model, 80), line.purpose.name().to_owned(), line.outcome.name().to_owned()];
        let numbers = [line.calls, line.usage.input_tokens, line.usage.output_tokens].map(count);
        table.push(words.into_iter().chain(numbers).chain([dollars]).map(PanelCell::from).collect());
    }
    let note = if is_priced { "US dollars" } else { "tokens" }.to_owned();
    let chart = PanelChart { title: "Cost by model".to_owned(), note, range: (0.0, most), bars };
    Panel {
        title: "Cost of the run".to_owned(),
        says: vec![costs.to_string()],
        charts: vec![chart],
        tables: vec![table],
        ..Panel::default()
    }
}

const fn tokens(usage: Usage) -> u64 {
    usage.input_tokens + usage.output_tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    use probare_core::CostLine;

    fn line(model: &str, purpose: CallPurpose, outcome: CallOutcome, cost_usd: Option<f64>) -> CostLine {
        CostLine {
            model: model.into(),
            purpose,
            outcome,
            calls: 3,
            bounded_calls: 0,
            usage: Usage::new(100, 50),
            cost_usd,
        }
    }

    #[test]
    fn judges_and_failures_have_rows_and_the_sum_stands_in_words() {
        use CallOutcome::{Failed, Interrupted, Replied};
        let costs = RunCosts::new(vec![
            line("a", CallPurpose::Answer, Replied, Some(0.25)),
            line("a", CallPurpose::Answer, Failed, Some(0.5)),
            line("a", CallPurpose::Answer, Interrupted, Some(0.125)),
            line("<b>", CallPurpose::Judge, Replied, None),
        ]);
        let made = panel(&costs);
        let bars = &made.charts[0].bars;
        assert_eq!(bars, &[("a".to_owned(), Some(0.875)), ("<b> (judges)".to_owned(), None)]);
        let text = crate::markdown::panel(&made);
        assert!(text.contains("0.875000 US dollars") && text.contains("no price is known for"), "{text}");
        assert!(text.contains("| a | answers | failed | 3 | 100 | 50 | 0.500000 |"), "{text}");
        assert!(text.contains("at most 0.125000") && text.contains("no price |"), "{text}");
        let free = panel(&RunCosts::new(vec![line("a", CallPurpose::Answer, Replied, Some(0.0))]));
        assert_eq!((free.charts[0].note.as_str(), free.charts[0].bars[0].1), ("tokens", Some(150.0)));
    }
}
