//! What a text should not give away: keys and passwords, and data of persons.

use probare_core::MetricDef;

mod detection;

pub mod personal_data;
pub mod secrets;

/// The metrics of this family.
pub static FAMILY: &[&MetricDef] = &[&personal_data::DEF, &secrets::DEF];
