//! [`EarlyOutcome`]: how a run that may stop early ended, for readers and programs.

use probare_core::{Chip, EarlyStopRecord, Panel, PanelCell, PanelTable, Tone};
use probare_report::number::three_decimals;
use probare_report::{Gate, GateVerdict, Gates};
use serde::Serialize;

use super::{DecidedVerdict, EarlyDecision, GateDecision};

/// What was decided, and after how many cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EarlyOutcome {
    /// How the run ended; nothing where it took all cases.
    pub sentence: Option<String>,
    /// What became of each gate.
    pub decisions: Vec<GateDecision>,
}

/// Heading of the panel, and of its column with the cases up to the verdicts.
const TITLE: &str = "Gates decided case by case";
const AT_CASE: &str = "At case";

/// Why the means of a run that stopped early have no intervals.
pub const STOPPED_EARLY: &str = "the run stopped early, and they hold for a number of cases that was fixed before it";

fn decided_panel(panels: &[Panel]) -> Option<&Panel> {
    panels.iter().find(|panel| panel.title == TITLE)
}

/// How a run ended that stopped early, in a sentence, by what its store has kept of it.
pub fn sentence_in_panels(panels: &[Panel]) -> Option<&str> {
    decided_panel(panels)?.says.first().map(String::as_str)
}

/// How many cases a run took up to its verdict, by what its store has kept of it.
pub fn cases_in_panels(panels: &[Panel]) -> Option<usize> {
    let table = decided_panel(panels)?.tables.first()?;
    let column = table.columns.iter().position(|name| name == AT_CASE)?;
    table.rows.iter().filter_map(|row| row.get(column)?.words.parse().ok()).max()
}

impl EarlyDecision {
    /// How the run ended. `usd` is what was not spent.
    pub(crate) fn outcome(&self, usd: Option<f64>) -> EarlyOutcome {
        EarlyOutcome { sentence: self.sentence(usd), decisions: self.decisions() }
    }

    /// What verdicts follow from beside the values.
    pub(crate) fn record(&self, gates: &Gates, baseline: Option<String>) -> EarlyStopRecord {
        EarlyStopRecord {
            seed: self.seed(),
            cases: self.cases() as u64,
            seen: self.seen() as u64,
            gates: gates.to_json(),
            baseline,
        }
    }

    /// Puts what was decided in the place of what the mean so far says. A gate that is open has no verdict.
    pub(crate) fn decide_gates(&self, verdicts: &mut Vec<GateVerdict>) {
        let mut decisions = self.decisions().into_iter();
        verdicts.retain_mut(|verdict| match decisions.next() {
            Some(decision) if decision.verdict == DecidedVerdict::Open => false,
            Some(decision) => {
                verdict.passed = decision.verdict == DecidedVerdict::Pass;
                if matches!(verdict.gate, Gate::NotWorse { .. }) {
                    (verdict.value, verdict.interval) = (decision.mean, Some(decision.interval));
                }
                true
            }
            None => true,
        });
    }
}

impl EarlyOutcome {
    /// What a reader of the terminal sees: a line for each gate, and how the run ended.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in self.decisions.iter().map(ToString::to_string).chain(self.sentence.clone()) {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    /// What reports show of it.
    pub(crate) fn panel(&self) -> Panel {
        let mut table = PanelTable::new("", ["Gate", "Verdict", "Mean so far", "Interval", AT_CASE, "Cases"], 2);
        for decision in &self.decisions {
            let (word, tone) = match decision.verdict {
                DecidedVerdict::Pass => ("pass", Tone::Good),
                DecidedVerdict::Fail => ("fail", Tone::Bad),
                DecidedVerdict::Undecided => ("undecided", Tone::Bad),
                DecidedVerdict::Open => ("open", Tone::default()),
            };
            let (low, high) = decision.interval;
            table.push(vec![
                PanelCell::from(decision.gate.clone()),
                PanelCell::from(word.to_owned()).with_tone(tone),
                PanelCell::from(decision.mean.map_or_else(String::new, three_decimals)),
                PanelCell::from(format!("{} to {}", three_decimals(low), three_decimals(high))),
                PanelCell::from(decision.at.to_string()),
                PanelCell::from(decision.cases.to_string()),
            ]);
        }
        let mut says: Vec<String> = self.sentence.iter().cloned().collect();
        if self.sentence.is_some() {
            says.push(
                "The intervals hold at any stop. The mean at a stop leans a little towards the verdict, and intervals or tests \
                 for a fixed number of cases do not hold for this run."
                    .to_owned(),
            );
        }
        let stopped = self.sentence.as_ref().map(|_| Chip::new("stopped early", Tone::default()));
        Panel {
            title: TITLE.to_owned(),
            says,
            chips: stopped.into_iter().collect(),
            tables: vec![table],
            ..Panel::default()
        }
    }
}
