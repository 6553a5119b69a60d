//! [`JudgeComparison`]: what judges say beside what people say, in numbers and in words.

use std::collections::{BTreeMap, BTreeSet};

use probare_report::escape;
use probare_report::number::count_with_noun;
use probare_stats::agreement::{KappaWeights, MeasurementLevel, cohen_kappa, fleiss_kappa, krippendorff_alpha};
use probare_stats::{
    ConfidenceLevel, Interval, Threshold, bootstrap_statistic, fit_threshold, mean, proportion_interval,
};
use serde_json::{Value as Json, json};

/// The seed of all resampling: the same labels give the same intervals.
const SEED: u64 = 1;

/// Different values up to which they are taken as categories of their own.
const MOST_CATEGORIES: usize = 20;

/// One case: what the judges say and what people say.
pub struct JudgedCase {
    /// The value of the metric.
    pub value: f64,
    /// Values of the judges of a panel, by their names; `flipped` apart.
    pub judges: Vec<(String, f64)>,
    /// Share of judges that changed their mind with the order.
    pub flipped: Option<f64>,
    /// What each person says.
    pub people: Vec<Option<f64>>,
}

/// Two lists of values about the same cases.
struct Agreement {
    who: String,
    /// Whom they are compared with.
    with: String,
    cases: usize,
    same: usize,
    kappa: Option<f64>,
    kappa_interval: Option<Interval>,
    weighted: Option<f64>,
    alpha: Option<f64>,
    alpha_interval: Option<Interval>,
}

/// What judges say beside what people say.
pub struct JudgeComparison {
    metric: String,
    cases: usize,
    without: BTreeMap<String, usize>,
    /// Each judge with each person.
    agreements: Vec<Agreement>,
    /// Each two people with each other, where there are several.
    people: Vec<Agreement>,
    /// Agreement of all people, where there are several.
    people_alpha: Option<f64>,
    /// Agreement of all judges of a panel with each other.
    panel: Option<f64>,
    threshold: Option<Threshold>,
    pass: f64,
    flips: Option<f64>,
}

impl JudgeComparison {
    /// Compares. The judge is compared with each person on their own: a mean of two people is what neither of them said. A
    /// case counts as passed by people where the mean of their labels does.
    pub fn new(
        metric: &str,
        labels: &[String],
        rows: &[JudgedCase],
        without: BTreeMap<String, usize>,
        pass: f64,
    ) -> Self {
        let person = |row: &JudgedCase, at: usize| row.people.get(at).copied().flatten();
        let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.judges.iter().map(|(name, _)| name)).collect();
        let own =
            |row: &JudgedCase, name: &str| row.judges.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let mut agreements = Vec::new();
        for (at, label) in labels.iter().enumerate() {
            let pairs: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((row.value, person(row, at)?))).collect();
            agreements.push(Agreement::between(metric, label, &pairs, pass));
        }
        for (name, (at, label)) in
            names.iter().flat_map(|name| labels.iter().enumerate().map(move |label| (name, label)))
        {
            let pairs: Vec<(f64, f64)> =
                rows.iter().filter_map(|row| Some((own(row, name)?, person(row, at)?))).collect();
            agreements.push(Agreement::between(name, label, &pairs, pass));
        }
        let mut people = Vec::new();
        for (at, first) in labels.iter().enumerate() {
            for (further, second) in labels.iter().enumerate().skip(at + 1) {
                let pairs: Vec<(f64, f64)> =
                    rows.iter().filter_map(|row| Some((person(row, at)?, person(row, further)?))).collect();
                people.push(Agreement::between(first, second, &pairs, pass));
            }
        }
        let units: Vec<Vec<Option<f64>>> = rows.iter().map(|row| row.people.clone()).collect();
        let together = |row: &JudgedCase| mean(&row.people.iter().copied().flatten().collect::<Vec<_>>());
        let whole: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((row.value, together(row)?))).collect();
        let flips: Vec<f64> = rows.iter().filter_map(|row| row.flipped).collect();
        Self {
            metric: metric.to_owned(),
            cases: rows.len(),
            without,
            agreements,
            people_alpha: if labels.len() > 1 { krippendorff_alpha(&units, MeasurementLevel::Interval) } else { None },
            people,
            panel: panel(rows, names.len()),
            threshold: fit_threshold(
                &whole.iter().map(|(value, people)| (*value, *people >= pass)).collect::<Vec<_>>(),
            ),
            pass,
            flips: mean(&flips),
        }
    }

    /// For a reader.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: {} with a label and a verdict\n",
            escape::terminal(&self.metric),
            count_with_noun(self.cases as u64, "case", "cases")
        );
        for (reason, count) in &self.without {
            text.push_str(&escape::terminal(&format!("  {count} without a verdict: {reason}")));
            text.push('\n');
        }
        text.push_str(&self.agreement_table());
        if let Some(alpha) = self.people_alpha {
            text.push_str(&format!("the people among themselves: alpha {alpha:.2}\n"));
        }
        if let Some(kappa) = self.panel {
            text.push_str(&format!("the judges among themselves: kappa of Fleiss {kappa:.2}\n"));
        }
        if let Some(flips) = self.flips {
            text.push_str(&format!("verdicts that change with the order: {:.0} %\n", flips * 100.0));
        }
        text.push('\n');
        text.push_str(&self.threshold_text());
        text.push_str(&format!("\n{}\n", self.trust()));
        text
    }

    fn agreement_table(&self) -> String {
        let all: Vec<&Agreement> = self.agreements.iter().chain(&self.people).collect();
        let is_named = !self.people.is_empty();
        let width = all.iter().map(|agreement| agreement.name(is_named).chars().count()).max().unwrap_or(0);
        let mut text = format!(
            "\n{:width$}  {:>11}  {:>22}  {:>8}  {:>22}\n",
            "agreement", "same", "kappa (95 %)", "weighted", "alpha (95 %)"
        );
        for agreement in &all {
            text.push_str(&format!(
                "{:width$}  {:>11}  {:>22}  {:>8}  {:>22}\n",
                escape::terminal(&agreement.name(is_named)),
                format!("{} of {}", agreement.same, agreement.cases),
                with_interval(agreement.kappa, agreement.kappa_interval),
                format_number(agreement.weighted),
                with_interval(agreement.alpha, agreement.alpha_interval),
            ));
        }
        text
    }

    fn threshold_text(&self) -> String {
        let Some(found) = &self.threshold else {
            return "threshold: none, since people pass all of the cases or none\n".to_owned();
        };
        let (accuracy, interval) = found.accuracy(ConfidenceLevel::NINETY_FIVE);
        let mut text = format!(
            "threshold: a case passes at {} or above (people: {} or above)\n  right in {} of {}: {}\n",
            found.at,
            self.pass,
            found.right,
            found.cases,
            with_interval(Some(accuracy), interval)
        );
        if let Some(elsewhere) = found.right_elsewhere {
            text.push_str(&format!(
                "  right in {elsewhere} of {} where the threshold came from other cases\n",
                found.cases
            ));
        }
        let rate = |errors: usize, cases: usize| {
            let share = (cases > 0).then(|| errors as f64 / cases as f64);
            with_interval(share, proportion_interval(errors, cases, ConfidenceLevel::NINETY_FIVE))
        };
        let (passed, failed) = (found.passes, found.cases - found.passes);
        text.push_str(&format!(
            "  passes {} of the {failed} that people fail: {}\n  fails {} of the {passed} that people pass: {}\n",
            found.false_passes,
            rate(found.false_passes, failed),
            found.false_failures,
            rate(found.false_failures, passed),
        ));
        text
    }

    /// How far the judge can be trusted, by the lower end of the interval of kappa, with the person that it agrees least with.
    fn trust(&self) -> String {
        let of_metric = || self.agreements.iter().filter(|agreement| agreement.who == self.metric);
        let ends: Option<Vec<(f64, &str)>> =
            of_metric().map(|agreement| Some((agreement.kappa_interval?.low, agreement.with.as_str()))).collect();
        let least = ends.and_then(|ends| ends.into_iter().min_by(|left, right| left.0.total_cmp(&right.0)));
        let Some((low, with)) = least else {
            return "trust: cannot be said; more cases with different labels are needed".to_owned();
        };
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
        let among = self.people.iter().filter_map(|people| people.kappa);
        let ceiling = match among.min_by(f64::total_cmp) {
            Some(kappa) => format!("; people agree with each other at {kappa:.2}"),
            None => String::new(),
        };
        let with = if self.people.is_empty() { String::new() } else { format!(" with {}", escape::terminal(with)) };
        format!("trust: kappa{with} is at least {low:.2} (95 %): {far}{ceiling}")
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let agreement = |agreement: &Agreement| {
            json!({
                "who": agreement.who, "with": agreement.with, "cases": agreement.cases, "same": agreement.same,
                "kappa": agreement.kappa, "kappa_interval": agreement.kappa_interval,
                "weighted_kappa": agreement.weighted,
                "alpha": agreement.alpha, "alpha_interval": agreement.alpha_interval,
            })
        };
        let threshold = self.threshold.as_ref().map(|found| {
            let (accuracy, interval) = found.accuracy(ConfidenceLevel::NINETY_FIVE);
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
            "people": self.people.iter().map(agreement).collect::<Vec<_>>(),
            "people_alpha": self.people_alpha,
            "fleiss_kappa_of_judges": self.panel,
            "flipped": self.flips,
            "threshold": threshold,
        })
    }
}

impl Agreement {
    /// As a reader knows it.
    fn name(&self, with_person: bool) -> String {
        if with_person { format!("{} with {}", self.who, self.with) } else { self.who.clone() }
    }

    fn between(who: &str, with: &str, pairs: &[(f64, f64)], pass: f64) -> Self {
        let categories = categories(pairs, pass);
        let kappa = |weights| cohen_kappa(&categories, weights);
        let drawn = |places: &[usize]| -> Vec<(usize, usize)> { places.iter().map(|at| categories[*at]).collect() };
        let units = |pairs: &mut dyn Iterator<Item = (f64, f64)>| -> Vec<Vec<Option<f64>>> {
            pairs.map(|(first, second)| vec![Some(first), Some(second)]).collect()
        };
        Self {
            who: who.to_owned(),
            with: with.to_owned(),
            cases: pairs.len(),
            same: categories.iter().filter(|(first, second)| first == second).count(),
            kappa: kappa(KappaWeights::Equal),
            kappa_interval: bootstrap_statistic(pairs.len(), ConfidenceLevel::NINETY_FIVE, SEED, |places| {
                cohen_kappa(&drawn(places), KappaWeights::Equal)
            }),
            weighted: kappa(KappaWeights::Quadratic),
            alpha: krippendorff_alpha(&units(&mut pairs.iter().copied()), MeasurementLevel::Interval),
            alpha_interval: bootstrap_statistic(pairs.len(), ConfidenceLevel::NINETY_FIVE, SEED, |places| {
                krippendorff_alpha(&units(&mut places.iter().map(|at| pairs[*at])), MeasurementLevel::Interval)
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
fn panel(rows: &[JudgedCase], judges: usize) -> Option<f64> {
    if judges < 2 {
        return None;
    }
    let whole: Vec<&JudgedCase> = rows.iter().filter(|row| row.judges.len() == judges).collect();
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

fn format_number(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.2}"))
}

fn with_interval(number: Option<f64>, interval: Option<Interval>) -> String {
    match (number, interval) {
        (Some(number), Some(interval)) => format!("{number:.2} ({:.2} … {:.2})", interval.low, interval.high),
        (number, _) => format_number(number),
    }
}
