//! How the program ends. Scripts and CI depend on these numbers.

use probare_core::{BenchmarkStatus, Stop};
use probare_report::{GateVerdict, Summary};

use crate::DriveOutcome;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: everything asked for was done.
    Fine,
    /// 1: something could not be read, written or scored.
    Error,
    /// 2: a quality gate failed.
    Gate,
    /// 3: the run is incomplete and can be resumed.
    Incomplete,
    /// 4: the budget for asking models was reached.
    Budget,
    /// 64: the command line or the configuration is wrong; nothing was run.
    Usage,
    /// 130: interrupted from the keyboard.
    Interrupted,
}

impl Exit {
    /// All codes with what they mean, for the manual.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Fine, "everything asked for was done"),
        (Self::Error, "something could not be read, written or scored"),
        (Self::Gate, "a quality gate failed"),
        (Self::Incomplete, "the run is incomplete and can be resumed"),
        (Self::Budget, "the budget for asking models was reached"),
        (Self::Usage, "the command line or the configuration is wrong; nothing was run"),
        (Self::Interrupted, "interrupted from the keyboard"),
    ];

    /// The number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Error => 1,
            Self::Gate => 2,
            Self::Incomplete => 3,
            Self::Budget => 4,
            Self::Usage => 64,
            Self::Interrupted => 130,
        }
    }
}

impl Exit {
    /// How a run ends. An error comes before a missed gate: numbers of an incomplete run are not a verdict. Both are said
    /// where a summary is printed; the code can only be one. Nothing evaluated is no pass, unless that is allowed, and neither is
    /// a check that was not run.
    pub fn from_run(
        driven: &DriveOutcome,
        summary: &Summary,
        verdicts: &[GateVerdict],
        ending: BenchmarkStatus,
        allow_empty: bool,
        allow_not_run: bool,
    ) -> Self {
        let failed = summary.failed() - if allow_not_run { summary.not_run() } else { 0 };
        match driven.stop {
            Stop::Interrupted => Self::Interrupted,
            Stop::Strict => Self::Error,
            Stop::Complete if driven.lost > 0 || failed > 0 || ending == BenchmarkStatus::Failed => Self::Error,
            Stop::Complete if driven.cases == 0 && !allow_empty => Self::Error,
            Stop::Complete if summary.groups.as_ref().is_some_and(|groups| groups.problem().is_some()) => Self::Error,
            Stop::Complete
                if ending == BenchmarkStatus::GateFailed || verdicts.iter().any(|verdict| !verdict.passed) =>
            {
                Self::Gate
            }
            Stop::Complete => Self::Fine,
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_report::{Gate, Gates};

    use super::*;

    #[test]
    fn an_error_comes_before_a_missed_gate_and_an_interruption_before_both() {
        let missed = Gates::new(vec![Gate::fail_under("x=1").expect("a gate")]).verdicts(&Summary::default());
        let driven = |stop, lost| DriveOutcome { cases: 1, lost, stop, ..DriveOutcome::default() };
        let exit =
            |driven: &DriveOutcome, ending| Exit::from_run(driven, &Summary::default(), &missed, ending, false, false);
        assert_eq!(exit(&driven(Stop::Complete, 0), BenchmarkStatus::Passed), Exit::Gate);
        assert_eq!(exit(&driven(Stop::Complete, 1), BenchmarkStatus::Passed), Exit::Error);
        assert_eq!(exit(&driven(Stop::Complete, 0), BenchmarkStatus::Failed), Exit::Error);
        assert_eq!(exit(&driven(Stop::Strict, 1), BenchmarkStatus::GateFailed), Exit::Error);
        assert_eq!(exit(&driven(Stop::Interrupted, 1), BenchmarkStatus::GateFailed), Exit::Interrupted);
        let calm = |driven: &DriveOutcome, ending, empty| {
            Exit::from_run(driven, &Summary::default(), &[], ending, empty, false)
        };
        assert_eq!(calm(&driven(Stop::Complete, 0), BenchmarkStatus::GateFailed, false), Exit::Gate);
        assert_eq!(calm(&driven(Stop::Complete, 0), BenchmarkStatus::Passed, false), Exit::Fine);
        let nothing = DriveOutcome::default();
        assert_eq!(calm(&nothing, BenchmarkStatus::Passed, false), Exit::Error, "nothing evaluated is no pass");
        assert_eq!(calm(&nothing, BenchmarkStatus::Passed, true), Exit::Fine);
    }
}
