//! [`Budget`]: what a run may spend. Before a call its upper bound is reserved; afterwards what it took is kept.
//!
//! So the limit holds at any concurrency. A call that does not fit beside those under way waits for them; it is refused
//! only when it does not fit beside what was spent. Where the run has a [`Ledger`], that decides, so that the limit is one
//! of the run and not of the process.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use probare_core::{CallPurpose, RunCosts};
use tokio::sync::Notify;

use crate::Money;
use crate::ledger::{Account, Admission, EndedCall, Grant, Ledger, PlannedCall, Spending, SpendingLimit};

/// Why a call may not be sent: it could exceed the budget, or what it takes could not be noted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct BudgetError(String);

#[derive(Default)]
struct State {
    /// What the calls of this process took.
    account: Account,
    /// What the run had spent and reserved when this process began.
    before: Spending,
    reserved: Spending,
    under_way: usize,
    /// Calls that have ended.
    ended: u64,
    reached: bool,
}

impl State {
    fn spent(&self) -> Spending {
        self.before.plus(self.account.spent())
    }
}

/// Limits of a run, shared by all its models.
#[derive(Clone, Default)]
pub struct Budget(Arc<Inner>);

#[derive(Default)]
struct Inner {
    limit: SpendingLimit,
    state: Mutex<State>,
    settled: Notify,
    ledger: OnceLock<Ledger>,
}

impl Budget {
    /// A budget in dollars, in tokens, in both, or without limits.
    pub fn new(dollars: Option<f64>, tokens: Option<u64>) -> Self {
        let limit = SpendingLimit { money: dollars.map(Money::dollars), tokens };
        Self(Arc::new(Inner { limit, ..Inner::default() }))
    }

    /// Keeps what calls take in the ledger of a run, which has spent and reserved this much before. A budget has one
    /// ledger; a second is not used.
    pub fn attach_ledger(&self, ledger: Ledger, before: Spending) {
        if self.0.ledger.set(ledger).is_ok() {
            self.state().before = before;
        }
    }

    /// Waits until the ledger holds everything that calls took.
    pub fn flush(&self) -> bool {
        self.0.ledger.get().is_none_or(Ledger::flush)
    }

    /// Whether money is limited, so that every model needs a price.
    pub fn limits_money(&self) -> bool {
        self.0.limit.money.is_some()
    }

    /// Whether anything is limited, so that every call needs an upper bound.
    pub fn is_limited(&self) -> bool {
        self.0.limit != SpendingLimit::default()
    }

    /// What the run has spent so far, as far as this process knows.
    pub fn spent(&self) -> Spending {
        self.state().spent()
    }

    /// What the calls of this process took.
    pub fn costs(&self) -> RunCosts {
        self.state().account.costs()
    }

    /// Whether a call was refused.
    pub fn is_reached(&self) -> bool {
        self.state().reached
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves the upper bound of a call.
    pub(crate) async fn reserve(&self, call: PlannedCall) -> Result<Reservation, BudgetError> {
        loop {
            let settled = self.0.settled.notified();
            tokio::pin!(settled);
            // Registered before looking, so that a settlement in between is not missed.
            settled.as_mut().enable();
            let decided = match self.0.ledger.get() {
                Some(ledger) => self.try_ledger(ledger, &call).await,
                None => self.try_reserve(&call),
            };
            if let Some(decided) = decided {
                return decided;
            }
            settled.await;
        }
    }

    /// Asks the ledger until its answer and what this process knows are of one moment. Yes, no, or nothing while calls
    /// under way may still leave room.
    async fn try_ledger(&self, ledger: &Ledger, call: &PlannedCall) -> Option<Result<Reservation, BudgetError>> {
        loop {
            let ended = self.state().ended;
            let Some(admission) = ledger.reserve(call.clone(), self.0.limit).await else {
                let reason = "the cost of calls cannot be written to the store of the run, so nothing is sent: is the disk full?";
                return Some(Err(BudgetError(reason.to_owned())));
            };
            let mut state = self.state();
            match admission {
                Admission::Granted(grant) => return Some(Ok(self.make_reservation(&mut state, call, Some(grant)))),
                Admission::Full { .. } if state.ended != ended => {}
                Admission::Full { taken } => {
                    let others = taken.minus(state.reserved);
                    if state.under_way > 0 && self.0.limit.allows(others.plus(call.bound)) {
                        return None;
                    }
                    state.reached = true;
                    return Some(Err(self.refusal(others, call.bound)));
                }
            }
        }
    }

    /// Yes, no, or nothing while calls under way may still leave room.
    fn try_reserve(&self, call: &PlannedCall) -> Option<Result<Reservation, BudgetError>> {
        let mut state = self.state();
        let spent = state.spent();
        if self.0.limit.allows(spent.plus(state.reserved).plus(call.bound)) {
            return Some(Ok(self.make_reservation(&mut state, call, None)));
        }
        if state.under_way > 0 && self.0.limit.allows(spent.plus(call.bound)) {
            return None;
        }
        state.reached = true;
        Some(Err(self.refusal(spent, call.bound)))
    }

    /// Settles a reservation that an earlier process, or this one, detached; nothing where the call was never sent.
    pub(crate) fn settle_detached(
        &self,
        (model, purpose, is_priced): (&str, CallPurpose, bool),
        bound: Spending,
        reservation: Option<i64>,
        ended: Option<EndedCall>,
    ) {
        if let (Some(ledger), Some(reservation)) = (self.0.ledger.get(), reservation) {
            ledger.settle(reservation, ended);
        }
        let mut state = self.state();
        state.before = state.before.minus(bound);
        if let Some(ended) = &ended {
            state.account.add(model, purpose, is_priced, ended);
        }
    }

    fn make_reservation(&self, state: &mut State, call: &PlannedCall, grant: Option<Grant>) -> Reservation {
        state.reserved = state.reserved.plus(call.bound);
        state.under_way += 1;
        Reservation { budget: self.clone(), call: call.clone(), grant, ended: None }
    }

    fn refusal(&self, spent: Spending, bound: Spending) -> BudgetError {
        let dollars = |money: Money| format!("{:.6} US dollars", money.in_dollars());
        let tokens = |tokens: u64| format!("{tokens} tokens");
        let (limit, spent, requested) = match self.0.limit.money.filter(|limit| spent.plus(bound).money > *limit) {
            Some(limit) => (dollars(limit), dollars(spent.money), dollars(bound.money)),
            None => (tokens(self.0.limit.tokens.unwrap_or_default()), tokens(spent.tokens), tokens(bound.tokens)),
        };
        BudgetError(format!(
            "the budget is reached: the limit is {limit}, {spent} were spent, and this call may need {requested}"
        ))
    }
}

/// A share of the budget that a call under way holds. Dropped without settlement it took nothing.
pub(crate) struct Reservation {
    budget: Budget,
    call: PlannedCall,
    grant: Option<Grant>,
    ended: Option<EndedCall>,
}

impl Reservation {
    /// The call has ended.
    pub(crate) fn settle(mut self, ended: EndedCall) {
        self.ended = Some(ended);
    }

    /// Leaves the reservation as it is: a later process settles it by its number in the ledger. Until then the bound counts.
    pub(crate) fn detach(mut self) -> Option<i64> {
        let number = self.grant.take().and_then(Grant::detach);
        let mut state = self.budget.state();
        state.before = state.before.plus(self.call.bound);
        number
    }

    /// The most that the call can take.
    pub(crate) const fn bound(&self) -> Spending {
        self.call.bound
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // The ledger hears of it before anybody who waits asks it again.
        if let (Some(grant), Some(ended)) = (self.grant.take(), self.ended) {
            grant.settle(ended);
        }
        let mut state = self.budget.state();
        state.reserved = state.reserved.minus(self.call.bound);
        if let Some(ended) = &self.ended {
            state.account.add(&self.call.model, self.call.purpose, self.call.is_priced, ended);
        }
        state.under_way = state.under_way.saturating_sub(1);
        state.ended += 1;
        drop(state);
        self.budget.0.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{CallOutcome, Usage};

    use super::*;
    use crate::CacheKey;

    fn call(tokens: u64, dollars: f64) -> PlannedCall {
        PlannedCall {
            model: "m".to_owned(),
            purpose: CallPurpose::Answer,
            key: CacheKey([0; 32]),
            bound: Spending { tokens, money: Money::dollars(dollars) },
            is_priced: true,
        }
    }

    fn ended_call(tokens: u64, dollars: f64) -> EndedCall {
        let taken = Spending { tokens, money: Money::dollars(dollars) };
        EndedCall { outcome: CallOutcome::Replied, usage: Usage::new(tokens, 0), taken, is_bound: false }
    }

    #[test]
    fn a_call_waits_for_those_under_way_and_is_refused_when_nothing_can_change() {
        let budget = Budget::new(None, Some(100));
        let first = budget.try_reserve(&call(80, 0.0)).unwrap().unwrap();
        assert!(budget.try_reserve(&call(50, 0.0)).is_none(), "the first may take less than its bound");
        first.settle(ended_call(30, 0.0));
        let second = budget.try_reserve(&call(50, 0.0)).unwrap().unwrap();
        second.settle(ended_call(50, 0.0));
        assert_eq!(budget.spent().tokens, 80);
        assert!(budget.try_reserve(&call(21, 0.0)).unwrap().is_err());
        assert!(budget.is_reached());
        assert!(budget.try_reserve(&call(20, 0.0)).unwrap().is_ok());
    }

    #[test]
    fn a_dropped_reservation_took_nothing_and_a_settled_one_is_accounted() {
        let budget = Budget::new(Some(1.0), None);
        drop(budget.try_reserve(&call(5, 0.4)).unwrap().unwrap());
        assert_eq!(budget.spent(), Spending::default());
        let reservation = budget.try_reserve(&call(5, 0.4)).unwrap().unwrap();
        let taken = reservation.bound();
        reservation.settle(EndedCall { taken, is_bound: true, ..ended_call(0, 0.0) });
        assert_eq!(budget.spent(), Spending { tokens: 5, money: Money::dollars(0.4) });
        assert_eq!(budget.costs().lines[0].bounded_calls, 1);
        let error = budget.try_reserve(&call(1, 0.7)).unwrap().err().unwrap();
        assert!(error.to_string().contains("1.000000 US dollars"), "{error}");
    }

    /// A ledger in memory with room for so many tokens.
    fn served(room: u64) -> Ledger {
        let (ledger, requests) = Ledger::new();
        std::thread::spawn(move || {
            use crate::ledger::LedgerRequest;
            let (mut taken, mut bounds) = (0, std::collections::BTreeMap::new());
            while let Ok(request) = requests.recv() {
                match request {
                    LedgerRequest::Reserve { call, ledger, answer, .. } if taken + call.bound.tokens <= room => {
                        let number = i64::try_from(bounds.len()).unwrap();
                        taken += call.bound.tokens;
                        bounds.insert(number, call.bound.tokens);
                        let _ = answer.send(Admission::Granted(ledger.grant(number)));
                    }
                    LedgerRequest::Reserve { answer, .. } => {
                        let _ =
                            answer.send(Admission::Full { taken: Spending { tokens: taken, ..Spending::default() } });
                    }
                    LedgerRequest::Settle { reservation, ended } => {
                        taken += ended.map_or(0, |ended| ended.taken.tokens);
                        taken -= bounds[&reservation];
                    }
                    LedgerRequest::Flush(done) => done.send(()).unwrap(),
                }
            }
        });
        ledger
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_ledger_decides_and_whoever_is_gone_gives_back() {
        let budget = Budget::new(None, Some(100));
        budget.attach_ledger(served(100), Spending { tokens: 0, ..Spending::default() });
        let first = budget.reserve(call(80, 0.0)).await.unwrap();
        let waiting = tokio::spawn({
            let budget = budget.clone();
            async move { budget.reserve(call(60, 0.0)).await.map(|reservation| reservation.settle(ended_call(60, 0.0))) }
        });
        tokio::task::yield_now().await;
        first.settle(ended_call(10, 0.0));
        waiting.await.unwrap().unwrap();
        drop(budget.reserve(call(30, 0.0)).await.unwrap());
        assert!(budget.flush());
        let error = budget.reserve(call(31, 0.0)).await.err().unwrap();
        assert!(error.to_string().contains("70 tokens were spent"), "{error}");
        assert_eq!((budget.spent().tokens, budget.is_reached()), (70, true));
    }
}
