//! Limits that a provider counts by key and minute, so that all clients of this process share them, whichever run they belong
//! to: requests and tokens a minute, and pauses that it asks for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Hold, Rate};
use crate::{ModelName, ModelSettings};

/// What is shared by all who ask one model at one address.
#[derive(Clone, Default)]
pub(crate) struct Limits {
    pub requests: Option<Arc<Rate>>,
    pub tokens: Option<Arc<Rate>>,
    pub hold: Hold,
}

type Known = Mutex<HashMap<(ModelName, String), Limits>>;

/// The limits of a model. Where several clients set one differently, the lowest holds for all.
pub(crate) fn limits(name: &ModelName, base_url: &str, settings: &ModelSettings) -> Limits {
    // A provider counts by key, not by run: nothing smaller than the process can keep count.
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let limits = known.entry((name.clone(), base_url.to_owned())).or_default();
    let lower = |rate: &mut Option<Arc<Rate>>, wanted: Option<f64>| {
        if let Some(wanted) = wanted {
            rate.get_or_insert_with(|| Arc::new(Rate::per_minute(wanted))).lower(wanted);
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
