//! How hard a model is asked: how many requests at once, how many a minute, and when it is left alone.

mod breaker;
mod hold;
mod process;
mod rate;
mod throttle;

pub(crate) use breaker::{Breaker, Gate, Pass};
pub(crate) use hold::Hold;
pub(crate) use process::{Limits, limits};
pub(crate) use rate::Rate;
pub(crate) use throttle::{Permit, Throttle};
