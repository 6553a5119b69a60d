//! The ledger of a run: what its calls took, kept where the next process of the same run finds it.
//!
//! A call is reserved with its upper bound before it is sent and settled when it ends. What was reserved and never settled,
//! because the process was killed, stays counted with its bound. [`Ledger`] is the end of a channel; whoever keeps the
//! run's store serves the other end, in one transaction for all that has gathered.

use std::collections::BTreeMap;
use std::sync::mpsc;

use probare_core::{CallOutcome, CallPurpose, CostLine, ReplyContent, RunCosts, Usage};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::{CacheEntry, CacheKey, Money};

/// Tokens and money together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// Tokens sent and received.
    pub tokens: u64,
    pub money: Money,
}

impl Spending {
    /// The sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), money: self.money.plus(other.money) }
    }

    /// The difference, or nothing.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), money: self.money.minus(other.money) }
    }
}

/// A call that is about to be sent.
#[derive(Debug, Clone)]
pub struct PlannedCall {
    /// The model by its name in the project.
    pub model: String,
    /// What it is called for.
    pub purpose: CallPurpose,
    /// The key of the reply in the response cache.
    pub key: CacheKey,
    /// The most that it can take.
    pub bound: Spending,
    /// Whether the model has a price.
    pub is_priced: bool,
}

/// A call that has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndedCall {
    /// How.
    pub outcome: CallOutcome,
    /// Tokens, where the provider stated them.
    pub usage: Usage,
    /// What counts against the budget.
    pub taken: Spending,
    /// Whether `taken` is the upper bound, since nobody stated what the call took.
    pub is_bound: bool,
}

impl EndedCall {
    /// The call that gave this reply and could take at most `bound`.
    pub(crate) fn from_entry(entry: &CacheEntry, bound: Spending) -> Self {
        let usage = entry.reply.usage.unwrap_or_default();
        let is_bound = entry.is_bound || entry.reply.usage.is_none();
        Self {
            outcome: outcome(&entry.reply.content),
            usage,
            taken: Spending {
                tokens: if is_bound { bound.tokens } else { usage.tokens() },
                money: Money::dollars(entry.cost_usd.unwrap_or_default()),
            },
            is_bound,
        }
    }
}

/// How a call ended that gave this.
pub(crate) const fn outcome(content: &ReplyContent) -> CallOutcome {
    match content {
        ReplyContent::Refused(_) => CallOutcome::Refused,
        ReplyContent::Truncated(_) => CallOutcome::Truncated,
        ReplyContent::Failed { .. } => CallOutcome::Failed,
        ReplyContent::Text(_) => CallOutcome::Replied,
    }
}

/// The key that this text stands for.
pub(crate) fn key_from_hex(text: &str) -> Option<CacheKey> {
    let mut bytes = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(CacheKey(bytes))
}

/// The most that a run may spend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpendingLimit {
    /// In money.
    pub money: Option<Money>,
    /// In tokens.
    pub tokens: Option<u64>,
}

impl SpendingLimit {
    /// Whether this much is allowed.
    pub fn allows(self, spending: Spending) -> bool {
        self.money.is_none_or(|limit| spending.money <= limit) && self.tokens.is_none_or(|most| spending.tokens <= most)
    }
}

/// What the ledger says to a call that wants to be sent.
#[derive(Debug)]
pub enum Admission {
    /// The bound is reserved under this number.
    Granted(Grant),
    /// The bound does not fit beside what is spent and reserved, by all processes of the run.
    Full {
        /// What is spent and reserved.
        taken: Spending,
    },
}

/// What is sent to whoever keeps the ledger.
#[derive(Debug)]
pub enum LedgerRequest {
    /// Reserve the bound of a call if it fits.
    Reserve {
        call: PlannedCall,
        /// What the run may spend.
        limit: SpendingLimit,
        /// Who makes the grant of it.
        ledger: Ledger,
        /// Gets the answer once that is kept.
        answer: oneshot::Sender<Admission>,
    },
    /// The call of a reservation has ended; nothing where it was never sent.
    Settle {
        reservation: i64,
        /// What became of it.
        ended: Option<EndedCall>,
    },
    /// Answer when everything before is kept.
    Flush(mpsc::Sender<()>),
}

/// Where the calls of a run are noted. Clones are the same.
#[derive(Debug, Clone)]
pub struct Ledger(mpsc::Sender<LedgerRequest>);

impl Ledger {
    /// A ledger and the requests to be served.
    pub fn new() -> (Self, mpsc::Receiver<LedgerRequest>) {
        let (requests, received) = mpsc::channel();
        (Self(requests), received)
    }

    /// The grant of a reservation that is kept under this number.
    pub fn grant(&self, reservation: i64) -> Grant {
        Grant { ledger: self.clone(), reservation: Some(reservation) }
    }

    /// Settles a reservation by its number.
    pub(crate) fn settle(&self, reservation: i64, ended: Option<EndedCall>) {
        // Where nobody keeps the ledger any more the reservation stands, with its bound.
        let _ = self.0.send(LedgerRequest::Settle { reservation, ended });
    }

    /// Waits until all that was noted is kept; says whether it is.
    pub fn flush(&self) -> bool {
        let (done, receiver) = mpsc::channel();
        self.0.send(LedgerRequest::Flush(done)).is_ok() && receiver.recv().is_ok()
    }

    /// Reserves the bound of a call; nothing where the ledger cannot be kept any more.
    pub(crate) async fn reserve(&self, call: PlannedCall, limit: SpendingLimit) -> Option<Admission> {
        let (answer, receiver) = oneshot::channel();
        self.0.send(LedgerRequest::Reserve { call, limit, ledger: self.clone(), answer }).ok()?;
        receiver.await.ok()
    }
}

/// A reservation in the ledger. Dropped without settlement it took nothing.
#[derive(Debug)]
pub struct Grant {
    ledger: Ledger,
    reservation: Option<i64>,
}

impl Grant {
    /// Leaves the reservation as it is, for a later process; gives its number.
    pub(crate) fn detach(mut self) -> Option<i64> {
        self.reservation.take()
    }

    pub(crate) fn settle(mut self, ended: EndedCall) {
        self.send(Some(ended));
    }

    fn send(&mut self, ended: Option<EndedCall>) {
        if let Some(reservation) = self.reservation.take() {
            // Where nobody keeps the ledger any more the reservation stands, with its bound.
            let _ = self.ledger.0.send(LedgerRequest::Settle { reservation, ended });
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        self.send(None);
    }
}

/// What calls took, by model, purpose and outcome, in whole numbers, so that the sum does not depend on its order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Account(Vec<AccountLine>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct AccountLine {
    model: String,
    purpose: CallPurpose,
    outcome: CallOutcome,
    calls: u64,
    bounded_calls: u64,
    /// Calls at a time when the model had no price.
    unpriced_calls: u64,
    usage: Usage,
    /// What counts against the budget.
    tokens: u64,
    picodollars: u64,
}

impl Account {
    /// Adds a call that has ended.
    pub fn add(&mut self, model: &str, purpose: CallPurpose, is_priced: bool, ended: &EndedCall) {
        let EndedCall { outcome, usage, taken, is_bound } = *ended;
        self.put(AccountLine {
            model: model.to_owned(),
            purpose,
            outcome,
            calls: 1,
            bounded_calls: u64::from(is_bound),
            unpriced_calls: u64::from(!is_priced),
            usage,
            tokens: taken.tokens,
            picodollars: taken.money.0,
        });
    }

    /// Adds a line that was summed up elsewhere.
    pub fn add_line(&mut self, line: CostLine) {
        let money = Money::dollars(line.cost_usd.unwrap_or_default());
        self.put(AccountLine {
            unpriced_calls: if line.cost_usd.is_none() { line.calls } else { 0 },
            model: line.model,
            purpose: line.purpose,
            outcome: line.outcome,
            calls: line.calls,
            bounded_calls: line.bounded_calls,
            usage: line.usage,
            tokens: line.usage.tokens(),
            picodollars: money.0,
        });
    }

    fn put(&mut self, line: AccountLine) {
        let same = |known: &&mut AccountLine| {
            known.model == line.model && known.purpose == line.purpose && known.outcome == line.outcome
        };
        match self.0.iter_mut().find(same) {
            Some(known) => {
                known.calls += line.calls;
                known.bounded_calls += line.bounded_calls;
                known.unpriced_calls += line.unpriced_calls;
                known.usage = known.usage.plus(line.usage);
                known.tokens = known.tokens.saturating_add(line.tokens);
                known.picodollars = known.picodollars.saturating_add(line.picodollars);
            }
            None => self.0.push(line),
        }
    }

    /// All of it together.
    pub fn spent(&self) -> Spending {
        self.0.iter().fold(Spending::default(), |sum, line| {
            sum.plus(Spending { tokens: line.tokens, money: Money(line.picodollars) })
        })
    }

    /// What it comes to, for reports.
    pub fn costs(&self) -> RunCosts {
        let mut lines: BTreeMap<(&str, CallPurpose, CallOutcome), CostLine> = BTreeMap::new();
        for line in &self.0 {
            let is_unpriced = line.unpriced_calls == line.calls && line.picodollars == 0 && line.calls > 0;
            let shown = CostLine {
                model: line.model.clone(),
                purpose: line.purpose,
                outcome: line.outcome,
                calls: line.calls,
                bounded_calls: line.bounded_calls,
                usage: line.usage,
                cost_usd: (!is_unpriced).then(|| Money(line.picodollars).in_dollars()),
            };
            lines.insert((&line.model, line.purpose, line.outcome), shown);
        }
        RunCosts::new(lines.into_values().collect())
    }
}
