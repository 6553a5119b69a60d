//! [`Comparison`]: what judges say beside what people say, in numbers and in words.

use std::collections::{BTreeMap, BTreeSet};

use probare_report::escape;
use probare_report::number::counted;
use probare_stats::agreement::{Scale, Weights, cohen_kappa, fleiss_kappa, krippendorff_alpha};
use probare_stats::{Interval, Level, Threshold, mean, resampled, threshold};
use serde_json::{Value as Json, json};

use super::calibrate::Row;

/// The seed of all resampling: the same labels give the same intervals.
const SEED: u64 = 1;

/// Different values up to which they are taken as categories of their own.
const MOST_CATEGORIES: usize = 20;

/// Two lists of values about the same cases.
struct Agreement {
    who: String,
    cases: usize,
    same: usize,
    kappa: Option<f64>,
    kappa_interval: Option<Interval>,
    weighted: Option<f64>,
    alpha: Option<f64>,
    alpha_interval: Option<Interval>,
}

/// What judges say beside what people say.
pub struct Comparison {
    metric: String,
    cases: usize,
    without: BTreeMap<String, usize>,
    agreements: Vec<Agreement>,
    /// Agreement among people, where there are several.
    people: Option<Agreement>,
    /// Agreement of all judges of a panel with each other.
    panel: Option<f64>,
    threshold: Option<Threshold>,
    pass: f64,
    flips: Option<f64>,
}

impl Comparison {
    /// Compares. Where several people gave a label, the judge is held against their mean.
    pub fn new(metric: &str, rows: &[Row], without: BTreeMap<String, usize>, pass: f64) -> Self {
        let people = |row: &Row| mean(&row.people.iter().copied().flatten().collect::<Vec<_>>());
        let labelled: Vec<(&Row, f64)> = rows.iter().filter_map(|row| Some((row, people(row)?))).collect();
        let whole: Vec<(f64, f64)> = labelled.iter().map(|(row, people)| (row.value, *people)).collect();
        let mut agreements = vec![Agreement::of(metric.to_owned(), &whole, pass)];
        let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.judges.iter().map(|(name, _)| name)).collect();
        for name in &names {
            let own = |row: &Row| row.judges.iter().find(|(known, _)| known == *name).map(|(_, value)| *value);
            let pairs: Vec<(f64, f64)> =
                labelled.iter().filter_map(|(row, people)| Some((own(row)?, *people))).collect();
            agreements.push(Agreement::of((*name).clone(), &pairs, pass));
        }
        let both: Vec<(f64, f64)> = rows
            .iter()
            .filter_map(|row| match row.people.as_slice() {
                [Some(first), Some(second), ..] => Some((*first, *second)),
                _ => None,
            })
            .collect();
        let among = |units: &[Vec<Option<f64>>]| krippendorff_alpha(units, Scale::Interval);
        let mut among_people = (!both.is_empty()).then(|| Agreement::of("people".to_owned(), &both, pass));
        if let Some(agreement) = &mut among_people {
            agreement.alpha = among(&rows.iter().map(|row| row.people.clone()).collect::<Vec<_>>());
        }
        let flips: Vec<f64> = rows.iter().filter_map(|row| row.flipped).collect();
        Self {
            metric: metric.to_owned(),
            cases: rows.len(),
            without,
            agreements,
            people: among_people,
            panel: panel(rows, names.len()),
            threshold: threshold(&whole.iter().map(|(value, people)| (*value, *people >= pass)).collect::<Vec<_>>()),
            pass,
            flips: mean(&flips),
        }
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: {} with a label and a verdict\n",
            escape::terminal(&self.metric),
            counted(self.cases as u64, "case", "cases")
        );
        for (reason, count) in &self.without {
            text.push_str(&escape::terminal(&format!("  {count} without a verdict: {reason}")));
            text.push('\n');
        }
        let all: Vec<&Agreement> = self.agreements.iter().chain(&self.people).collect();
        let width = all.iter().map(|agreement| agreement.who.chars().count()).max().unwrap_or(0);
        text.push_str(&format!(
            "\n{:width$}  {:>11}  {:>22}  {:>8}  {:>22}\n",
            "agreement", "same", "kappa (95 %)", "weighted", "alpha (95 %)"
        ));
        for agreement in &all {
            text.push_str(&format!(
                "{:width$}  {:>11}  {:>22}  {:>8}  {:>22}\n",
                escape::terminal(&agreement.who),
                format!("{} of {}", agreement.same, agreement.cases),
                with_interval(agreement.kappa, agreement.kappa_interval),
                shown(agreement.weighted),
                with_interval(agreement.alpha, agreement.alpha_interval),
            ));
        }
        if let Some(kappa) = self.panel {
            text.push_str(&format!("the judges among themselves: kappa of Fleiss {kappa:.2}\n"));
        }
        if let Some(flips) = self.flips {
            text.push_str(&format!("verdicts that change with the order: {:.0} %\n", flips * 100.0));
        }
        text.push('\n');
        match &self.threshold {
            Some(found) => {
                let (accuracy, interval) = found.accuracy(Level::NINETY_FIVE);
                text.push_str(&format!(
                    "threshold: a case passes at {} or above (people: {} or above)\n  right in {} of {}: {}\n",
                    found.at,
                    self.pass,
                    found.right,
                    found.cases,
                    with_interval(Some(accuracy), interval)
                ));
                if let Some(elsewhere) = found.right_elsewhere {
                    text.push_str(&format!(
                        "  right in {elsewhere} of {} where the threshold came from other cases\n",
                        found.cases
                    ));
                }
                text.push_str(&format!(
                    "  passes {} of the {} that people fail, fails {} of the {} that people pass\n",
                    found.false_passes,
                    found.cases - found.passes,
                    found.false_failures,
                    found.passes
                ));
            }
            None => text.push_str("threshold: none, since people pass all of the cases or none\n"),
        }
        text.push_str(&format!("\n{}\n", self.trust()));
        text
    }

    /// How far the judge can be trusted, by the lower end of the interval of kappa.
    fn trust(&self) -> String {
        let Some(whole) = self.agreements.first() else { return String::new() };
        let Some(interval) = whole.kappa_interval else {
            return "trust: cannot be said; more cases with different labels are needed".to_owned();
        };
        let low = interval.low;
        let far = if low >= 0.8 {
            "it can stand in for a person, case by case"
        } else if low >= 0.6 {
            "means over many cases can be trusted, single verdicts need a look"
        } else if low >= 0.4 {
            "it tells clear differences between systems, not small ones"
        } else if low > 0.0 {
            "it is better than chance, and no more than that is sure"
        } else {
            "it cannot be told from chance"
        };
        let ceiling = match self.people.as_ref().and_then(|people| people.kappa) {
            Some(kappa) => format!("; people agree with each other at {kappa:.2}"),
            None => String::new(),
        };
        format!("trust: kappa is at least {low:.2} (95 %): {far}{ceiling}")
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let agreement = |agreement: &Agreement| {
            json!({
                "who": agreement.who, "cases": agreement.cases, "same": agreement.same,
                "kappa": agreement.kappa, "kappa_interval": agreement.kappa_interval,
                "weighted_kappa": agreement.weighted,
                "alpha": agreement.alpha, "alpha_interval": agreement.alpha_interval,
            })
        };
        let threshold = self.threshold.as_ref().map(|found| {
            let (accuracy, interval) = found.accuracy(Level::NINETY_FIVE);
            json!({
                "at": found.at, "people_pass_at": self.pass, "cases": found.cases, "right": found.right,
                "accuracy": accuracy, "accuracy_interval": interval, "right_elsewhere": found.right_elsewhere,
                "false_passes": found.false_passes, "false_failures": found.false_failures, "passes": found.passes,
            })
        });
        json!({
            "metric": self.metric,
            "cases": self.cases,
            "without_verdict": self.without,
            "agreement": self.agreements.iter().map(agreement).collect::<Vec<_>>(),
            "people": self.people.as_ref().map(agreement),
            "fleiss_kappa_of_judges": self.panel,
            "flipped": self.flips,
            "threshold": threshold,
        })
    }
}

impl Agreement {
    fn of(who: String, pairs: &[(f64, f64)], pass: f64) -> Self {
        let categories = categories(pairs, pass);
        let kappa = |weights| cohen_kappa(&categories, weights);
        let drawn = |places: &[usize]| -> Vec<(usize, usize)> { places.iter().map(|at| categories[*at]).collect() };
        let units = |pairs: &mut dyn Iterator<Item = (f64, f64)>| -> Vec<Vec<Option<f64>>> {
            pairs.map(|(first, second)| vec![Some(first), Some(second)]).collect()
        };
        Self {
            who,
            cases: pairs.len(),
            same: categories.iter().filter(|(first, second)| first == second).count(),
            kappa: kappa(Weights::Equal),
            kappa_interval: resampled(pairs.len(), Level::NINETY_FIVE, SEED, |places| {
                cohen_kappa(&drawn(places), Weights::Equal)
            }),
            weighted: kappa(Weights::Quadratic),
            alpha: krippendorff_alpha(&units(&mut pairs.iter().copied()), Scale::Interval),
            alpha_interval: resampled(pairs.len(), Level::NINETY_FIVE, SEED, |places| {
                krippendorff_alpha(&units(&mut places.iter().map(|at| pairs[*at])), Scale::Interval)
            }),
        }
    }
}

/// Values as categories in their order; as pass and fail where there are too many different ones.
fn categories(pairs: &[(f64, f64)], pass: f64) -> Vec<(usize, usize)> {
    let mut values: Vec<f64> = pairs.iter().flat_map(|(first, second)| [*first, *second]).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let place = |value: f64| match values.len() {
        0..=MOST_CATEGORIES => values.partition_point(|known| *known < value),
        _ => usize::from(value >= pass),
    };
    pairs.iter().map(|(first, second)| (place(*first), place(*second))).collect()
}

/// Kappa of Fleiss over the cases that all judges gave a value.
fn panel(rows: &[Row], judges: usize) -> Option<f64> {
    if judges < 2 {
        return None;
    }
    let whole: Vec<&Row> = rows.iter().filter(|row| row.judges.len() == judges).collect();
    let mut values: Vec<f64> = whole.iter().flat_map(|row| row.judges.iter().map(|(_, value)| *value)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let table: Vec<Vec<u64>> = whole
        .iter()
        .map(|row| {
            values.iter().map(|value| row.judges.iter().filter(|(_, own)| own == value).count() as u64).collect()
        })
        .collect();
    fleiss_kappa(&table)
}

fn shown(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.2}"))
}

fn with_interval(number: Option<f64>, interval: Option<Interval>) -> String {
    match (number, interval) {
        (Some(number), Some(interval)) => format!("{number:.2} ({:.2} … {:.2})", interval.low, interval.high),
        (number, _) => shown(number),
    }
}
