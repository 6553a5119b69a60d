//! Limits that a provider counts by key and minute, so that all clients of this process share them, whichever run they belong
//! to: requests and tokens a minute, and pauses that it asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{RateLimiter, RequestPause};
use crate::{LimitScope, ModelName, ModelSettings, Provider};

/// What is shared by all who ask one model at one address.
#[derive(Clone, Default)]
pub(crate) struct RateLimits {
    pub requests: Option<Arc<RateLimiter>>,
    pub tokens: Option<Arc<RateLimiter>>,
    pub hold: RequestPause,
}

/// Who shares limits, at an address.
#[derive(PartialEq, Eq, Hash)]
enum LimitGroup {
    Model(ModelName, String),
    /// All models of a provider that are asked with the key of this variable.
    Key(Provider, Option<String>, String),
}

impl LimitGroup {
    fn new(name: &ModelName, base_url: &str, settings: &ModelSettings) -> Self {
        let address = base_url.to_owned();
        match settings.limits_by.unwrap_or_default() {
            LimitScope::Model => Self::Model(name.clone(), address),
            LimitScope::Key => {
                let usual = || name.provider.key_variable().map(str::to_owned);
                Self::Key(name.provider, settings.api_key.clone().or_else(usual), address)
            }
        }
    }
}

type LimitsRegistry = Mutex<HashMap<LimitGroup, RateLimits>>;

/// The limits of a model. Where several clients set one differently, the lowest holds for all.
pub(crate) fn shared_limits(name: &ModelName, base_url: &str, settings: &ModelSettings) -> RateLimits {
    // A provider counts by key, not by run: nothing smaller than the process can keep count.
    static KNOWN: OnceLock<LimitsRegistry> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let limits = known.entry(LimitGroup::new(name, base_url, settings)).or_default();
    let lower = |rate: &mut Option<Arc<RateLimiter>>, limit: Option<f64>| {
        if let Some(limit) = limit {
            rate.get_or_insert_with(|| Arc::new(RateLimiter::per_minute(limit))).lower(limit);
        }
    };
    lower(&mut limits.requests, settings.requests_per_minute.map(f64::from));
    lower(&mut limits.tokens, settings.tokens_per_minute.map(|tokens| tokens as f64));
    let mut own = limits.clone();
    // Whoever sets no limit is not held to that of another.
    own.requests = own.requests.filter(|_| settings.requests_per_minute.is_some());
    own.tokens = own.tokens.filter(|_| settings.tokens_per_minute.is_some());
    own
}
