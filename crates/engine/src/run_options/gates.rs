//! [`ConfiguredGates`]: gates with where each was set, and a flag for each kind of them.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use probare_report::{Gate, GateError};
use serde::{Deserialize, Serialize};

use super::{RunOptions, SettingOrigin};

/// A gate, and where it was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredGate {
    /// The limit.
    pub gate: Gate,
    /// Where it came from.
    pub from: SettingOrigin,
}

/// Gates in the order in which they were set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConfiguredGates(pub Vec<ConfiguredGate>);

impl ConfiguredGates {
    /// Gates that were all set in one place.
    pub fn new(gates: impl IntoIterator<Item = Gate>, from: &SettingOrigin) -> Self {
        Self(gates.into_iter().map(|gate| ConfiguredGate { gate, from: from.clone() }).collect())
    }

    fn add_arguments(command: Command) -> Command {
        command.args(GATE_FLAGS.map(|(id, value, parse, help)| {
            let variable = format!("PROBARE_{}", id.to_uppercase());
            let long = id.replace('_', "-");
            let argument = Arg::new(id).long(long).value_name(value).help(help).env(variable);
            argument.action(ArgAction::Append).value_parser(ValueParser::new(parse))
        }))
    }
}

/// Reads a gate as the command line has it.
type GateParser = fn(&str) -> Result<Gate, GateError>;

/// The flag of gates against a baseline.
const NOT_WORSE: &str = "not_worse";

/// A flag for each kind of gate: its id, what it takes, how that is read, and its help.
const GATE_FLAGS: [(&str, &str, GateParser, &str); 8] = [
    (
        "fail_under",
        "METRIC=NUMBER",
        Gate::fail_under,
        "Fail with exit code 2 if the mean of a metric is below a limit (repeatable)",
    ),
    (
        "fail_if",
        "METRIC>NUMBER",
        Gate::fail_if,
        "Fail with exit code 2 if the mean of a metric is on the wrong side, for example \"hallucination>0.2\" (repeatable)",
    ),
    (
        "fail_if_any",
        "METRIC<NUMBER",
        Gate::fail_if_any,
        "Fail with exit code 2 if the value of any scored case meets a condition, for example \"relevance<0.5\" (repeatable)",
    ),
    (
        "fail_pass_rate",
        "METRIC>=NUMBER:SHARE",
        Gate::fail_pass_rate,
        "Fail with exit code 2 unless this share of the scored cases meets a condition, for example \"relevance>=0.5:90%\" (repeatable)",
    ),
    (
        "fail_labels",
        "METRIC:LABEL>NUMBER",
        Gate::fail_labels,
        "Fail with exit code 2 if too many scored cases have a label, for example \"verdict:FAIL>0\" or \"verdict:FAIL>10%\" (repeatable)",
    ),
    (
        "max_unsure",
        "METRIC=SHARE",
        Gate::max_unsure,
        "Fail with exit code 2 if a metric abstains (label unsure) in more than this share of the scored cases, for example \"verdict=20%\" (repeatable)",
    ),
    (
        "fail_quantile",
        "METRIC@SHARE<NUMBER",
        Gate::fail_quantile,
        "Fail with exit code 2 if a quantile of a metric is on the wrong side, for example \"relevance@10%<0.3\" (repeatable)",
    ),
    (
        NOT_WORSE,
        "METRIC[=MARGIN]",
        Gate::not_worse,
        "With --stop-when-decided: fail with exit code 2 unless the run is worse than --baseline, case by case, by at most this much in units of the metric; by nothing where no margin is given (repeatable)",
    ),
];

/// Whether an argument is that of a gate.
pub(super) fn is_gate_flag(id: &str) -> bool {
    GATE_FLAGS.iter().any(|(gate, ..)| *gate == id)
}

impl Args for ConfiguredGates {
    fn augment_args(command: Command) -> Command {
        Self::add_arguments(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::add_arguments(command)
    }
}

impl FromArgMatches for ConfiguredGates {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(RunOptions::from_matches(matches, is_gate_flag).gates)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
