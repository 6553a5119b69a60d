//! Krippendorff's alpha: any number of raters, any of whom may leave items out.

/// What the values of ratings mean, which decides how far apart two of them are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementLevel {
    /// Names: equal or not.
    Nominal,
    /// Ranks: only their order counts.
    Ordinal,
    /// Numbers whose differences count.
    Interval,
    /// Numbers with a zero, whose proportions count.
    Ratio,
}

/// Agreement beyond chance (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"). A unit is one item: the values
/// that raters gave it, nothing where one gave none. Units with fewer than two values say nothing and are passed over.
///
/// Nothing where no unit has two values, where all values are the same, and for values that are not finite.
pub fn krippendorff_alpha(units: &[Vec<Option<f64>>], scale: MeasurementLevel) -> Option<f64> {
    let units: Vec<Vec<f64>> = units
        .iter()
        .map(|unit| unit.iter().copied().flatten().collect::<Vec<f64>>())
        .filter(|unit| unit.len() >= 2)
        .collect();
    if units.iter().flatten().any(|value| !value.is_finite()) {
        return None;
    }
    let mut values: Vec<f64> = units.iter().flatten().copied().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let place = |value: f64| values.partition_point(|known| *known < value);
    // How often each value was given, and how often two stand together in a unit.
    let mut given = vec![0.0; values.len()];
    let mut together = vec![0.0; values.len() * values.len()];
    for unit in &units {
        let share = 1.0 / (unit.len() - 1) as f64;
        for (at, first) in unit.iter().enumerate() {
            given[place(*first)] += 1.0;
            for (other, second) in unit.iter().enumerate() {
                if at != other {
                    together[place(*first) * values.len() + place(*second)] += share;
                }
            }
        }
    }
    let total: f64 = given.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for (first, count) in given.iter().enumerate() {
        for (second, other) in given.iter().enumerate() {
            let apart = distance(first, second, &values, &given, scale);
            observed += together[first * values.len() + second] * apart;
            expected += count * other * apart;
        }
    }
    (expected > 0.0).then(|| 1.0 - (total - 1.0) * observed / expected)
}

/// The square of how far apart two values are.
fn distance(first: usize, second: usize, values: &[f64], given: &[f64], scale: MeasurementLevel) -> f64 {
    let (low, high) = (first.min(second), first.max(second));
    match scale {
        MeasurementLevel::Nominal => f64::from(first != second),
        MeasurementLevel::Ordinal => {
            let between: f64 = given[low..=high].iter().sum();
            (between - f64::midpoint(given[low], given[high])).powi(2)
        }
        MeasurementLevel::Interval => (values[first] - values[second]).powi(2),
        MeasurementLevel::Ratio => {
            let sum = values[first] + values[second];
            if sum == 0.0 { 0.0 } else { ((values[first] - values[second]) / sum).powi(2) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example() {
        // Three coders, fifteen units: the example that many texts repeat, with nominal 0.691 and interval 0.811.
        let table = ["* * * * * 3 4 1 2 1 1 3 3 * 3", "1 * 2 1 3 3 4 3 * * * * * * *", "* * 2 1 3 4 4 * 2 1 1 3 3 * 4"];
        let rows: Vec<Vec<Option<f64>>> =
            table.iter().map(|row| row.split(' ').map(|cell| cell.parse().ok()).collect()).collect();
        let units: Vec<Vec<Option<f64>>> = (0..15).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
        for (scale, wanted) in [
            (MeasurementLevel::Nominal, 0.691),
            (MeasurementLevel::Ordinal, 0.807),
            (MeasurementLevel::Interval, 0.811),
        ] {
            let alpha = krippendorff_alpha(&units, scale).unwrap();
            assert!((alpha - wanted).abs() < 6e-4, "{scale:?}: {alpha}");
        }
    }

    #[test]
    fn without_pairs_or_without_variety_there_is_no_number() {
        assert_eq!(krippendorff_alpha(&[], MeasurementLevel::Nominal), None);
        assert_eq!(krippendorff_alpha(&[vec![Some(1.0), None]], MeasurementLevel::Nominal), None);
        assert_eq!(krippendorff_alpha(&[vec![Some(1.0), Some(1.0)]], MeasurementLevel::Nominal), None);
        assert_eq!(krippendorff_alpha(&[vec![Some(f64::NAN), Some(1.0)]], MeasurementLevel::Interval), None);
        assert_eq!(
            krippendorff_alpha(&[vec![Some(1.0), Some(1.0)], vec![Some(2.0), Some(2.0)]], MeasurementLevel::Ratio),
            Some(1.0)
        );
    }
}
