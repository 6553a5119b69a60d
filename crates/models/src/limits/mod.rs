//! How hard a model is asked: how many requests at once, how many a minute, and when it is left alone.

mod breaker;
mod pause;
mod rate;
mod shared_limits;
mod throttle;

pub(crate) use breaker::{BreakerDecision, BreakerPass, CircuitBreaker};
pub(crate) use pause::RequestPause;
pub(crate) use rate::RateLimiter;
pub(crate) use shared_limits::{RateLimits, shared_limits};
pub(crate) use throttle::{Permit, Throttle};
