//! [`AnalysisCache`]: what metrics share, with three lifetimes.
//!
//! Of the *run*: compiled patterns, transcripts, catalogues; immutable and shared by all workers. Of a *worker*: reusable
//! buffers. Of a *case*: tokens, trees and other analyses that several metrics would otherwise repeat. An analysis depends
//! only on what it analyses, so a score is the same with a fresh cache; laws use one.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use probare_cancellation::Cancellation;

type Key = (TypeId, u64);
type SharedValue = Arc<dyn Any + Send + Sync>;

/// Values of a run, shared by its workers.
#[derive(Default, Clone)]
pub struct RunAnalysisCache {
    values: Arc<Mutex<Vec<(Key, SharedValue)>>>,
    omits_evidence: bool,
}

impl RunAnalysisCache {
    /// The values of a run whose results carry no evidence, so that none has to be made.
    pub fn without_evidence() -> Self {
        Self { omits_evidence: true, ..Self::default() }
    }
}

/// The analyses that one worker can reach.
#[derive(Default)]
pub struct AnalysisCache {
    run: RunAnalysisCache,
    worker: RefCell<Vec<(TypeId, Box<dyn Any>)>>,
    case: RefCell<Vec<(Key, Rc<dyn Any>)>>,
    cancellation: Cancellation,
}

impl fmt::Debug for AnalysisCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AnalysisCache").field("of_case", &self.case.borrow().len()).finish_non_exhaustive()
    }
}

impl AnalysisCache {
    /// A worker's cache in a run.
    pub fn new(run: RunAnalysisCache) -> Self {
        Self { run, ..Self::default() }
    }

    /// The same, for work that ends once this is cancelled.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// What ends the work that uses this cache.
    pub const fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Whether the results of the run carry evidence.
    pub(crate) const fn wants_evidence(&self) -> bool {
        !self.run.omits_evidence
    }

    /// The cache of the run.
    pub(crate) fn run_cache(&self) -> RunAnalysisCache {
        self.run.clone()
    }

    /// Forgets what belongs to the last case.
    pub fn next_case(&mut self) {
        self.case.get_mut().clear();
    }

    pub(crate) fn case_value<T: 'static>(&self, key: u64, make: impl FnOnce() -> T) -> Rc<T> {
        let slot = (TypeId::of::<T>(), key);
        let known = self.case.borrow().iter().find(|(known, _)| *known == slot).map(|(_, value)| Rc::clone(value));
        if let Some(known) = known.and_then(|value| value.downcast().ok()) {
            return known;
        }
        // Computed outside the borrow, since an analysis may need another one.
        let made = Rc::new(make());
        self.case.borrow_mut().push((slot, Rc::clone(&made) as Rc<dyn Any>));
        made
    }

    pub(crate) fn with_worker_value<T: Default + 'static, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let slot = TypeId::of::<T>();
        // Taken out while it is lent: a second loan of the same type, or a panic, meets a fresh one.
        let place = self.worker.borrow().iter().position(|(known, _)| *known == slot);
        let taken = place.map(|place| self.worker.borrow_mut().swap_remove(place).1);
        let mut value = taken.and_then(|value| value.downcast::<T>().ok()).unwrap_or_default();
        let result = work(&mut value);
        self.worker.borrow_mut().push((slot, value));
        result
    }

    pub(crate) fn run_value<T: Send + Sync + 'static>(&self, key: u64, make: impl FnOnce() -> T) -> Arc<T> {
        let slot = (TypeId::of::<T>(), key);
        let mut values = self.run.values.lock().unwrap_or_else(PoisonError::into_inner);
        let known = values.iter().find(|(known, _)| *known == slot).map(|(_, value)| Arc::clone(value));
        if let Some(known) = known.and_then(|value| value.downcast().ok()) {
            return known;
        }
        let made = Arc::new(make());
        values.push((slot, Arc::clone(&made) as SharedValue));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_life_ends_when_it_should() {
        let run = RunAnalysisCache::default();
        let mut first = AnalysisCache::new(run.clone());
        let second = AnalysisCache::new(run);
        let case = first.case_value(1, || String::from("a"));
        assert!(Rc::ptr_eq(&case, &first.case_value(1, || String::from("b"))));
        assert_eq!(*first.case_value(2, || String::from("c")), "c");
        first.next_case();
        assert_eq!(*first.case_value(1, || String::from("d")), "d");

        first.with_worker_value(|list: &mut Vec<u8>| list.push(7));
        assert_eq!(first.with_worker_value(|list: &mut Vec<u8>| list.clone()), [7]);
        assert!(second.with_worker_value(|list: &mut Vec<u8>| list.is_empty()));

        let shared = first.run_value(0, || String::from("x"));
        assert!(Arc::ptr_eq(&shared, &second.run_value(0, || String::from("y"))));
    }

    #[test]
    fn an_analysis_may_need_another_one() {
        let cache = AnalysisCache::default();
        let whole = cache.case_value(0, || (*cache.case_value(0, || 20_u32), "x"));
        assert_eq!(whole.0, 20);
        let nested = cache.with_worker_value(|outer: &mut Vec<u8>| {
            outer.push(1);
            cache.with_worker_value(|inner: &mut Vec<u8>| inner.len())
        });
        assert_eq!(nested, 0);
    }
}
