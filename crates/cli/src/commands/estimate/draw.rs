//! [`Draw`]: which cases people label, and whether the cases that they labelled were drawn that way.

use probare_analysis::{LabelDraw, NextCase, TooFewLabels};
use probare_core::order_key;
use probare_stats::human_mean::{FEWEST_LABELS, label_chances};

use crate::failure::Failure;

/// How the cases to label are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DrawMethod {
    /// More of those where the judge is uncertain, and at least five of every stratum of its scores
    Strata,
    /// The next ones of the seeded order
    Order,
    /// Each with its own probability, larger where the judge is uncertain
    Chances,
    /// By somebody else, at random; you vouch for it, since it cannot be checked
    Random,
}

/// Cases that the judge scored, and which of them have a label.
pub struct LabelledCases<'a> {
    /// Ids, in the order of the file.
    pub ids: &'a [String],
    /// The judge's score of each.
    pub scores: &'a [f64],
    /// The label of each, where it has one.
    pub labels: &'a [Option<f64>],
}

/// How the labelled cases were drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// Every case has a label.
    All,
    /// Places of the labelled cases, a random sample, in the order in which they were drawn.
    Sample(Vec<usize>),
    /// For each stratum the places of its cases in the seeded order, and how many of them have a label.
    Strata(Vec<(Vec<usize>, usize)>),
    /// Places of the labelled cases with their chances.
    Chances(Vec<(usize, f64)>),
}

impl LabelledCases<'_> {
    fn count(&self) -> usize {
        self.labels.iter().flatten().count()
    }

    const fn draw_order(&self, seed: u64) -> LabelDraw<'_> {
        LabelDraw { ids: self.ids, scores: self.scores, seed }
    }

    fn order(&self, seed: u64) -> Vec<usize> {
        self.draw_order(seed).order()
    }

    /// How many cases of a list have a label, where these are the first of it; otherwise the first that has none.
    fn prefix(&self, places: &[usize]) -> Result<usize, usize> {
        let labelled = places.iter().filter(|place| self.labels[**place].is_some()).count();
        match places[..labelled].iter().find(|place| self.labels[**place].is_none()) {
            Some(place) => Err(*place),
            None => Ok(labelled),
        }
    }

    /// The drawn cases and their chances.
    fn drawn(&self, seed: u64, budget: usize) -> Vec<(usize, f64)> {
        let chances = label_chances(self.scores, budget);
        let drawn =
            |(place, chance): (usize, f64)| (uniform(seed, &self.ids[place]) < chance).then_some((place, chance));
        chances.into_iter().enumerate().filter_map(drawn).collect()
    }

    /// How the labelled cases were drawn; an error where they were not, as far as can be seen.
    pub fn draw(&self, method: Option<DrawMethod>, seed: u64, budget: Option<usize>) -> Result<Draw, Failure> {
        let labelled = self.count();
        if labelled < FEWEST_LABELS {
            return Err(Failure::new(format!("{FEWEST_LABELS} labels are the least, and there are {labelled}"))
                .hint("draw more with --next 40"));
        }
        if labelled == self.ids.len() {
            return Ok(Draw::All);
        }
        let order = self.order(seed);
        let sample = || self.prefix(&order).map(|count| Draw::Sample(order[..count].to_vec()));
        let strata = || -> Result<Draw, usize> {
            let stratum = |places: Vec<usize>| self.prefix(&places).map(|count| (places, count));
            Ok(Draw::Strata(self.draw_order(seed).strata().into_iter().map(stratum).collect::<Result<_, _>>()?))
        };
        let found = match method {
            None => sample().or_else(|_| strata()),
            Some(DrawMethod::Order) => sample(),
            Some(DrawMethod::Strata) => strata(),
            Some(DrawMethod::Random) => {
                Ok(Draw::Sample(order.into_iter().filter(|place| self.labels[*place].is_some()).collect()))
            }
            Some(DrawMethod::Chances) => return self.weighted(seed, budget),
        };
        let found = found.map_err(|place| self.not_drawn(place, seed))?;
        if let Draw::Strata(strata) = &found
            && let Some((places, _)) = strata.iter().find(|(_, count)| *count == 0)
        {
            return Err(self.not_drawn(places[0], seed));
        }
        Ok(found)
    }

    /// Cases with chances: exactly those that were drawn have to have a label.
    fn weighted(&self, seed: u64, budget: Option<usize>) -> Result<Draw, Failure> {
        let Some(budget) = budget else {
            return Err(Failure::usage("the number of labels that were planned is missing")
                .hint("name the number that --next had: --budget 60"));
        };
        let drawn = self.drawn(seed, budget);
        let is_drawn = |place: usize| drawn.iter().any(|(known, _)| *known == place);
        if let Some((place, _)) = drawn.iter().find(|(place, _)| self.labels[*place].is_none()) {
            return Err(self.not_drawn(*place, seed));
        }
        match (0..self.ids.len()).find(|place| self.labels[*place].is_some() && !is_drawn(*place)) {
            Some(place) => Err(Failure::new(format!(
                "case `{}` has a label and was not drawn with seed {seed} and {budget} labels",
                self.ids[place]
            ))
            .hint("take the seed and the number of labels that --next had")),
            None => Ok(Draw::Chances(drawn)),
        }
    }

    fn not_drawn(&self, place: usize, seed: u64) -> Failure {
        Failure::new(format!(
            "the labelled cases were not drawn with seed {seed}: `{}` would have been drawn and has no label",
            self.ids[place]
        ))
        .hint(
            "label the cases that --next names, with its --seed; --drawn random states that somebody else drew them at random",
        )
    }

    /// The next cases to label.
    pub fn next(&self, method: DrawMethod, seed: u64, wanted: usize) -> Result<Vec<NextCase>, Failure> {
        let order = self.order(seed);
        let is_open = |place: &usize| self.labels[*place].is_none();
        let cases = self.ids.len();
        match method {
            DrawMethod::Random => {
                Err(Failure::usage("--next draws the cases itself: --drawn strata, order or chances"))
            }
            DrawMethod::Order => {
                let probability = (self.count() + wanted).min(cases) as f64 / cases as f64;
                let open = order.into_iter().filter(is_open).take(wanted);
                Ok(open.map(|place| NextCase { place, probability }).collect())
            }
            DrawMethod::Chances => {
                let drawn = self.drawn(seed, wanted).into_iter().filter(|(place, _)| is_open(place));
                Ok(drawn.map(|(place, probability)| NextCase { place, probability }).collect())
            }
            DrawMethod::Strata => {
                let labels = self.count() + wanted;
                let drawn = self.draw_order(seed).next_of_strata(|place| !is_open(&place), labels);
                let mut next = drawn.map_err(|TooFewLabels { strata, least }| {
                    Failure::usage(format!(
                        "every stratum of the judge's scores ({strata} here) needs five labels, or all of its cases: at least {least} \
                         labels, and not {labels}"
                    ))
                    .hint(format!("--next {}, or --drawn order", least.saturating_sub(self.count())))
                })?;
                next.truncate(wanted);
                Ok(next)
            }
        }
    }
}

/// A number from 0 to 1 that belongs to a case and a seed.
fn uniform(seed: u64, id: &str) -> f64 {
    let key = order_key(seed, id);
    let bits = key[..8].iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    // As many bits as a double holds.
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A judge with many scores, and labels of some places.
    fn with_labels(labelled: &[usize], check: impl FnOnce(&LabelledCases<'_>)) {
        let ids: Vec<String> = (0..200).map(|at| format!("c{at}")).collect();
        let scores: Vec<f64> = (0..200).map(|at| f64::from(at) / 199.0).collect();
        let mut labels = vec![None; 200];
        for place in labelled {
            labels[*place] = Some(1.0);
        }
        check(&LabelledCases { ids: &ids, scores: &scores, labels: &labels });
    }

    fn next(labelled: &[usize], method: DrawMethod, wanted: usize) -> Vec<NextCase> {
        let mut found = Vec::new();
        with_labels(labelled, |cases| found = cases.next(method, 7, wanted).unwrap());
        found
    }

    #[test]
    fn what_next_names_is_known_as_drawn_again() {
        for (method, wanted) in [(DrawMethod::Order, 30), (DrawMethod::Strata, 40), (DrawMethod::Strata, 60)] {
            let named = next(&[], method, wanted);
            assert_eq!(named.len(), wanted);
            let mut places: Vec<usize> = named.iter().map(|case| case.place).collect();
            let more = next(&places, method, 20);
            assert!(more.iter().all(|case| !places.contains(&case.place)));
            for _ in 0..2 {
                with_labels(&places, |cases| {
                    let found = cases.draw(None, 7, None).unwrap();
                    assert_eq!(matches!(found, Draw::Sample(_)), method == DrawMethod::Order, "{method:?}");
                    assert!(cases.draw(None, 8, None).is_err(), "another seed draws others");
                });
                places.extend(more.iter().map(|case| case.place));
            }
        }
        // Doubtful cases are drawn more often, and their chance says so.
        let named = next(&[], DrawMethod::Strata, 60);
        let share = |place: usize| named.iter().find(|case| case.place / 40 == place).unwrap().probability;
        assert!(share(2) > share(0), "{named:?}");
        let expected: f64 = named.iter().map(|case| 1.0 / case.probability).sum();
        assert!((expected - 200.0).abs() < 1e-9, "weights add up to the cases: {expected}");
    }

    #[test]
    fn labels_of_cases_that_somebody_picked_are_refused_unless_it_is_stated() {
        let picked: Vec<usize> = (0..20).collect();
        with_labels(&picked, |cases| {
            let error = cases.draw(None, 7, None).unwrap_err().render();
            assert!(error.contains("the labelled cases were not drawn with seed 7"), "{error}");
            assert!(
                matches!(cases.draw(Some(DrawMethod::Random), 7, None), Ok(Draw::Sample(drawn)) if drawn.len() == 20)
            );
        });
    }

    #[test]
    fn chances_are_drawn_and_known_again() {
        let named = next(&[], DrawMethod::Chances, 60);
        assert!((35..90).contains(&named.len()), "{}", named.len());
        let places: Vec<usize> = named.iter().map(|case| case.place).collect();
        with_labels(&places, |cases| {
            assert!(cases.draw(Some(DrawMethod::Chances), 7, None).is_err());
            let Draw::Chances(drawn) = cases.draw(Some(DrawMethod::Chances), 7, Some(60)).unwrap() else { panic!() };
            assert_eq!(drawn.len(), places.len());
        });
        with_labels(&places[1..], |cases| {
            assert!(cases.draw(Some(DrawMethod::Chances), 7, Some(60)).is_err(), "one is missing");
        });
    }
}
