//! [`ResumeHandle`]: what puts a sample that waited back into the queue.

use std::sync::Arc;

use super::parking::{Delivery, ParkedSample};
use super::queue::Queue;

/// Puts a sample back into the queue: with its answers, or without where whoever was asked is gone.
pub(super) struct ResumeHandle {
    queue: Arc<Queue>,
    sample: Option<ParkedSample>,
}

impl ResumeHandle {
    pub fn new(queue: Arc<Queue>, sample: ParkedSample) -> Self {
        queue.count_parked();
        Self { queue, sample: Some(sample) }
    }

    pub fn deliver(mut self, delivery: Delivery) {
        if let Some(sample) = self.sample.take() {
            self.queue.resume_sample(sample, delivery);
        }
    }
}

impl Drop for ResumeHandle {
    fn drop(&mut self) {
        if let Some(sample) = self.sample.take() {
            self.queue.resume_sample(sample, Delivery::Lost);
        }
    }
}
