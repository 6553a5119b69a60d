//! Names of files that never replace others.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// `results_20240131_120000.json` in `folder`, with a number behind where that exists already.
pub fn stamped(folder: &Path, stamp: &str, extension: &str) -> PathBuf {
    let name = |number: usize| match number {
        1 => format!("results_{stamp}.{extension}"),
        _ => format!("results_{stamp}_{number}.{extension}"),
    };
    let mut number = 1;
    while folder.join(name(number)).exists() {
        number += 1;
    }
    folder.join(name(number))
}

/// `20240131_120000` for a time in UTC. The calendar is that of Howard Hinnant's `civil_from_days`.
pub fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}{month:02}{day:02}_{:02}{:02}{:02}", rest / 3_600, rest % 3_600 / 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use probare_report::Output;

    use super::*;

    #[test]
    fn results_are_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let first = stamped(folder.path(), "20240131_120000", "json");
        Output::write_file(&first, b"1").unwrap();
        let second = stamped(folder.path(), "20240131_120000", "json");
        assert_ne!(first, second);
        assert!(second.ends_with("results_20240131_120000_2.json"));
    }

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, expected) in
            [(0, "19700101_000000"), (951_782_400, "20000229_000000"), (1_735_689_599, "20241231_235959")]
        {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
