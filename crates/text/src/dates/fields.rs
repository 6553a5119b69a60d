//! What a date says, field by field.

/// What a date says; a field that it does not mention is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DateFields {
    /// Year, negative before the common era.
    pub year: Option<i32>,
    /// Month, 1 to 12.
    pub month: Option<u8>,
    /// Day of the month, 1 to 31.
    pub day: Option<u8>,
    /// Weekday, Monday is 1.
    pub weekday: Option<u8>,
    /// Minutes since midnight.
    pub minute: Option<u16>,
    /// Quarter of a year, 1 to 4.
    pub quarter: Option<u8>,
    /// First year of a decade.
    pub decade: Option<i32>,
    /// Number of a century.
    pub century: Option<i32>,
    /// A relative day or period in lower case: `yesterday`, `last year`.
    pub relative: Option<String>,
}

/// Applies a macro to the names of all fields.
macro_rules! each_field {
    ($($do:tt)*) => {
        $($do)*!(year, month, day, weekday, minute, quarter, decade, century, relative)
    };
}

impl DateFields {
    /// Whether `self` has every field of `other`, with equal values.
    pub(crate) fn has_all_of(&self, other: &Self) -> bool {
        macro_rules! holds {
            ($($field:ident),*) => { true $(&& (other.$field.is_none() || self.$field == other.$field))* };
        }
        each_field!(holds)
    }

    /// Which fields it has, as bits.
    pub(crate) fn mask(&self) -> u16 {
        let mut mask = 0;
        macro_rules! add {
            ($($field:ident),*) => { $(mask = mask << 1 | u16::from(self.$field.is_some());)* };
        }
        each_field!(add);
        mask
    }

    /// These fields of it alone, if it has them all.
    pub(crate) fn only(&self, mask: u16) -> Option<Self> {
        let mut bits = mask << (u16::BITS - 9);
        let mut fields = Self::default();
        macro_rules! take {
            ($($field:ident),*) => {
                $(if bits & (1 << (u16::BITS - 1)) != 0 {
                    fields.$field = Some(self.$field.clone()?);
                }
                bits <<= 1;)*
            };
        }
        each_field!(take);
        Some(fields)
    }

    /// Whether both name a field of one sort, so that one of them can be wrong; `other` may be more exact.
    pub(crate) fn shares_field(&self, other: &Self) -> bool {
        macro_rules! shares {
            ($($field:ident),*) => { false $(|| self.$field.is_some() && other.$field.is_some())* };
        }
        let is_year = (self.decade.is_some() || self.century.is_some()) && other.year.is_some();
        is_year || shares!(year, month, weekday, minute, quarter, decade, century)
    }

    /// The date with what the calendar says of it: weekday, quarter, decade and century. The hundred years from 1400 on are told
    /// by the decade (*the 1400s*) and by the century, so that a year of a century is given with each.
    pub(crate) fn with_implied(&self) -> Vec<Self> {
        let mut fields = self.clone();
        let year = fields.year.filter(|year| *year > 0);
        if let Some(day) = self.days_since_epoch() {
            // The first of January 1970 was a Thursday.
            fields.weekday = fields.weekday.or(u8::try_from((day + 3).rem_euclid(7) + 1).ok());
        }
        fields.quarter = fields.quarter.or(fields.month.map(|month| month.div_ceil(3)));
        fields.decade = fields.decade.or(year.map(|year| year - year % 10));
        fields.century = fields.century.or(fields.decade.filter(|_| year.is_none()).map(|decade| decade / 100 + 1));
        fields.century = fields.century.or(year.map(|year| (year - 1) / 100 + 1));
        let hundred =
            fields.decade.map(|decade| Self { decade: Some(decade - decade.rem_euclid(100)), ..fields.clone() });
        std::iter::once(fields).chain(hundred).collect()
    }

    /// Days from 1970-01-01 to this date, of a date with year, month and day.
    pub(crate) fn days_since_epoch(&self) -> Option<i64> {
        let (year, month, day) = (i64::from(self.year?), i64::from(self.month?), i64::from(self.day?));
        // Years begin with March here, so that the leap day is the last one.
        let shifted = year - i64::from(month <= 2);
        let month = (month + 9) % 12;
        Some(
            365 * shifted + shifted.div_euclid(4) - shifted.div_euclid(100)
                + shifted.div_euclid(400)
                + (153 * month + 2) / 5
                + day
                - 719_469,
        )
    }
}
