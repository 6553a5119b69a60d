//! Gates: limits that a run has to keep.
//!
//! | gate | fails if |
//! |---|---|
//! | [`Gate::Mean`] | the mean of a metric is on the wrong side of its limit |
//! | [`Gate::Quantile`] | a quantile is: the value that a share of the scored cases does not exceed |
//! | [`Gate::Any`] | a single scored case is: `any x < 0.5` is a least value for every case |
//! | [`Gate::PassRate`] | too small a share of the scored cases is on the right side of a threshold |
//! | [`Gate::Labels`] | too many, or too few, of the scored cases have a label |
//! | [`Gate::NotWorse`] | the run is worse than its baseline by more than a margin; decided case by case while the run goes on |
//!
//! A gate on the run says nothing about single cases: only [`Gate::Any`] makes a case fail, and renderers that speak of
//! cases (`JUnit`, HTML) follow it. A case that is excused is meant to be bad: it fails no such gate, but counts as it is
//! in means, rates and labels. Where a case has several outputs, means and shares are over cases, each averaged over its
//! outputs, and so are their intervals. A label `unsure` is counted apart: shares of other labels are among what was decided.
//! [`Gate::unsure_over`] limits how often a metric abstains; without such a limit a verdict about a metric that abstained in more
//! than half of the cases carries a warning. A metric without a single scored case misses its gate, because no score is not a
//! good score.
//!
//! [`Gates::confident`] lets a gate fail only where the interval of what it looks at excludes the limit,
//! [`Gates::in_each_group`] holds every group of a run against the gates as well.

mod counts;
mod evaluation;
mod gates;
mod limit;
mod read;
mod verdict;

pub(crate) use self::counts::GateCounts;
pub use self::gates::Gates;
pub use self::limit::{Gate, GateOrigin, LabelUnit, Relation};
pub use self::read::GateError;
pub use self::verdict::{GateVerdict, listed_verdicts};
