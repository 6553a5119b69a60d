//! [`Budget`]: what a run may spend. Before a call its upper bound is reserved; afterwards what it took is kept.
//!
//! So the limit holds at any concurrency. A call that does not fit beside those under way waits for them; it is refused
//! only when it does not fit beside what was spent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::Money;

/// Tokens and money together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// Tokens sent and received.
    pub tokens: u64,
    /// Money.
    pub money: Money,
}

impl Spending {
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), money: self.money.plus(other.money) }
    }

    const fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), money: self.money.minus(other.money) }
    }
}

/// The budget is used up: this call could exceed it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the budget is reached: {limit} are allowed, {spent} were spent, and this call could take {wanted}")]
pub struct BudgetReached {
    /// What is allowed, with its unit.
    pub limit: String,
    /// What was spent.
    pub spent: String,
    /// What the call could take.
    pub wanted: String,
}

#[derive(Default)]
struct State {
    spent: Spending,
    reserved: Spending,
    under_way: usize,
    reached: bool,
}

/// Limits of a run, shared by all its models.
#[derive(Clone, Default)]
pub struct Budget(Arc<Inner>);

#[derive(Default)]
struct Inner {
    dollars: Option<Money>,
    tokens: Option<u64>,
    state: Mutex<State>,
    settled: Notify,
}

impl Budget {
    /// A budget in dollars, in tokens, in both, or without limits.
    pub fn new(dollars: Option<f64>, tokens: Option<u64>) -> Self {
        Self(Arc::new(Inner { dollars: dollars.map(Money::dollars), tokens, ..Inner::default() }))
    }

    /// Whether money is limited, so that every model needs a price.
    pub fn limits_money(&self) -> bool {
        self.0.dollars.is_some()
    }

    /// Whether anything is limited, so that every call needs an upper bound.
    pub fn is_limited(&self) -> bool {
        self.0.dollars.is_some() || self.0.tokens.is_some()
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spending {
        self.state().spent
    }

    /// Whether a call was refused.
    pub fn is_reached(&self) -> bool {
        self.state().reached
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves the upper bound of a call.
    pub(crate) async fn reserve(&self, bound: Spending) -> Result<Reservation, BudgetReached> {
        loop {
            let settled = self.0.settled.notified();
            tokio::pin!(settled);
            // Registered before looking, so that a settlement in between is not missed.
            settled.as_mut().enable();
            if let Some(decided) = self.try_reserve(bound) {
                return decided;
            }
            settled.await;
        }
    }

    /// Yes, no, or nothing while calls under way may still leave room.
    fn try_reserve(&self, bound: Spending) -> Option<Result<Reservation, BudgetReached>> {
        let mut state = self.state();
        let beside = |taken: Spending| {
            let whole = taken.plus(bound);
            self.0.dollars.is_none_or(|limit| whole.money <= limit)
                && self.0.tokens.is_none_or(|most| whole.tokens <= most)
        };
        if beside(state.spent.plus(state.reserved)) {
            state.reserved = state.reserved.plus(bound);
            state.under_way += 1;
            return Some(Ok(Reservation { budget: self.clone(), bound, taken: Spending::default() }));
        }
        if state.under_way > 0 && beside(state.spent) {
            return None;
        }
        state.reached = true;
        let dollars = |money: Money| format!("{:.6} US dollars", money.in_dollars());
        let over_money = self.0.dollars.filter(|limit| state.spent.plus(bound).money > *limit);
        Some(Err(match over_money {
            Some(limit) => {
                BudgetReached { limit: dollars(limit), spent: dollars(state.spent.money), wanted: dollars(bound.money) }
            }
            None => BudgetReached {
                limit: format!("{} tokens", self.0.tokens.unwrap_or_default()),
                spent: format!("{} tokens", state.spent.tokens),
                wanted: format!("{} tokens", bound.tokens),
            },
        }))
    }
}

/// A share of the budget that a call under way holds. Dropped without settlement it took nothing.
pub(crate) struct Reservation {
    budget: Budget,
    bound: Spending,
    taken: Spending,
}

impl Reservation {
    /// The call took this.
    pub(crate) fn settle(mut self, taken: Spending) {
        self.taken = taken;
    }

    /// The call may have been charged, nobody knows how much: the bound counts.
    pub(crate) fn settle_unknown(mut self) -> Spending {
        self.taken = self.bound;
        self.bound
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.budget.state();
        state.reserved = state.reserved.minus(self.bound);
        state.spent = state.spent.plus(self.taken);
        state.under_way = state.under_way.saturating_sub(1);
        drop(state);
        self.budget.0.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokens: u64) -> Spending {
        Spending { tokens, money: Money::default() }
    }

    #[test]
    fn a_call_waits_for_those_under_way_and_is_refused_when_nothing_can_change() {
        let budget = Budget::new(None, Some(100));
        let first = budget.try_reserve(tokens(80)).unwrap().unwrap();
        assert!(budget.try_reserve(tokens(50)).is_none(), "the first may take less than its bound");
        first.settle(tokens(30));
        let second = budget.try_reserve(tokens(50)).unwrap().unwrap();
        second.settle(tokens(50));
        assert_eq!(budget.spent().tokens, 80);
        assert!(budget.try_reserve(tokens(21)).unwrap().is_err());
        assert!(budget.is_reached());
        assert!(budget.try_reserve(tokens(20)).unwrap().is_ok());
    }

    #[test]
    fn a_dropped_reservation_took_nothing_and_an_unknown_one_its_bound() {
        let budget = Budget::new(Some(1.0), None);
        let bound = Spending { tokens: 5, money: Money::dollars(0.4) };
        drop(budget.try_reserve(bound).unwrap().unwrap());
        assert_eq!(budget.spent(), Spending::default());
        assert_eq!(budget.try_reserve(bound).unwrap().unwrap().settle_unknown(), bound);
        assert_eq!(budget.spent(), bound);
        let error = budget.try_reserve(Spending { tokens: 1, money: Money::dollars(0.7) }).unwrap().err().unwrap();
        assert!(error.to_string().contains("1.000000 US dollars"), "{error}");
    }
}
