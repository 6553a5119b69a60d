//! [`RequestPause`]: a provider that asks for a pause gets it, from everybody who asks that model.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Until when nobody asks.
#[derive(Clone, Default)]
pub(crate) struct RequestPause(Arc<Mutex<Option<Instant>>>);

impl RequestPause {
    /// Nobody asks for so long, from now on; a shorter wish does not shorten a longer one.
    pub(crate) fn extend(&self, pause: Duration, now: Instant) {
        let mut until = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *until = (*until).max(now.checked_add(pause));
    }

    fn until(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long the model is still held back.
    pub(crate) fn remaining(&self, now: Instant) -> Duration {
        self.until().map(|until| until.saturating_duration_since(now)).unwrap_or_default()
    }

    /// Waits until nobody holds the model back.
    pub(crate) async fn wait(&self) {
        while let Some(until) = self.until().filter(|until| *until > Instant::now()) {
            sleep_until(until).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wish_holds() {
        let (hold, now) = (RequestPause::default(), Instant::now());
        hold.extend(Duration::from_secs(5), now);
        hold.extend(Duration::from_secs(2), now);
        assert_eq!(hold.until(), Some(now + Duration::from_secs(5)));
    }
}
