//! [`Utc`]: a moment by the calendar, as file names and other tools' files have it.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in universal time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utc {
    date: (u64, u64, u64),
    time: (u64, u64, u64),
}

impl Utc {
    /// The moment of a clock; one before 1970 is the first of 1970.
    pub fn from_system_time(time: SystemTime) -> Self {
        Self::from_seconds(time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// So many seconds after the beginning of 1970.
    ///
    /// The date by the days of a 400-year cycle that begins with March (Howard Hinnant, "chrono-Compatible Low-Level Date
    /// Algorithms", `civil_from_days`).
    pub const fn from_seconds(seconds: u64) -> Self {
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + (month <= 2) as u64;
        Self { date: (year, month, day), time: (rest / 3_600, rest / 60 % 60, rest % 60) }
    }

    /// `20240131_120000`, for names of files.
    pub fn stamp(self) -> String {
        let ((year, month, day), (hour, minute, second)) = (self.date, self.time);
        format!("{year:04}{month:02}{day:02}_{hour:02}{minute:02}{second:02}")
    }

    /// `2024-01-31T12:00:00+00:00` (ISO 8601).
    pub fn iso(self) -> String {
        let ((year, month, day), (hour, minute, second)) = (self.date, self.time);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00+00:00"),
            (951_782_399, "2000-02-28T23:59:59+00:00"),
            (951_868_800, "2000-03-01T00:00:00+00:00"),
            (1_706_702_400, "2024-01-31T12:00:00+00:00"),
            (1_709_164_800, "2024-02-29T00:00:00+00:00"),
            (4_102_444_800, "2100-01-01T00:00:00+00:00"),
        ] {
            assert_eq!(Utc::from_seconds(seconds).iso(), expected);
        }
        assert_eq!(Utc::from_seconds(1_706_702_400).stamp(), "20240131_120000");
    }
}
