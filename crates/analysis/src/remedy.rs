//! What to do about results that cannot be verified or compared, see [`Diagnose`].

use probare_core::BenchmarkError;
use probare_engine::{Diagnose, Interface, mistake};
use probare_formats::results::ResultsFileError;
use probare_report::comparison::ComparisonError;

use crate::{CompareError, VerifyError};

impl Diagnose for VerifyError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        let told = BenchmarkError::from_error(self);
        match self {
            Self::Recorded(ResultsFileError::NoManifest { .. }) => told.hint(interface.words(
                "cases, lines from standard output and files of release 0.1 have no manifest; `probare score CASES -m METRIC -o \
                 results.jsonl` writes results with one",
                "a run that can be verified is written with output=\"results.jsonl\"",
            )),
            Self::Recorded(ResultsFileError::Unverifiable { .. } | ResultsFileError::Name(_)) => {
                let dash = interface.words("-o ", "");
                let hint = format!("write results that can be verified: {dash}results.jsonl, .json, .csv, .parquet or .html");
                mistake(self).hint(hint)
            }
            Self::StandardInput => told.hint(interface.words(
                "name a file with the same cases: probare verify RESULTS INPUT",
                "name a file with the same cases: verify(RESULTS, [INPUT])",
            )),
            Self::InputMissing { .. } => told.hint(interface.words(
                "say where it is now: probare verify RESULTS INPUT…",
                "say where it is now: verify(RESULTS, [INPUT])",
            )),
            Self::InputRefused { path } => {
                let command = interface.words("probare verify RESULTS ", "verify(RESULTS, [INPUT])");
                let path = if interface == Interface::Python { "" } else { path };
                told.hint(format!("to use it anyway, name it: {command}{path}"))
            }
            Self::Unreadable { .. } => told.hint(interface.words(
                "name its inputs to see what is wrong: probare verify RESULTS INPUT…",
                "name its inputs to see what is wrong: verify(RESULTS, [INPUT])",
            )),
            Self::TooManyInputs { .. } => mistake(self),
            // What was asked is to look at a file, and the file is what is wrong.
            Self::Run(error) => BenchmarkError { is_usage: false, ..error.diagnose(interface) },
            Self::Benchmark(error) => BenchmarkError { is_usage: false, ..error.clone() },
            Self::Manifest { .. } | Self::Cases(_) | Self::Recorded(_) => told,
        }
    }
}

impl Diagnose for CompareError {
    fn diagnose(&self, interface: Interface) -> BenchmarkError {
        match self {
            Self::Results(error) => error.diagnose(interface),
            Self::Comparison(ComparisonError::UnknownMetric { .. }) | Self::NoModel { .. } | Self::NoPrompt { .. } => {
                mistake(self)
            }
            Self::SeveralModels { .. } | Self::Comparison(ComparisonError::Models { .. }) => {
                mistake(self).hint("name the model to compare: RESULTS@MODEL, or the prompt: RESULTS@prompt:NAME")
            }
            Self::Comparison(ComparisonError::NoCluster { .. }) => mistake(self)
                .hint(interface.words("name a column of the cases with --cluster", "name a column of the cases: cluster=…")),
            Self::Comparison(ComparisonError::NoCase { .. }) => BenchmarkError::from_error(self)
                .hint("cases are paired by their ids, and by question and reference where they are at hand"),
            Self::Unaligned { .. } => BenchmarkError::from_error(self).hint(
                "compare another form of the same run (.jsonl, .json or .parquet), or write the table again with this release",
            ),
            Self::Several { .. } => {
                mistake(self).hint(
                "name one model with RESULTS@MODEL, one prompt with RESULTS@prompt:NAME, and take a run without repeats",
            )
            }
            Self::Stopped { .. } => mistake(self).hint(
                "`probare compare` on the command line compares what both runs have from the beginning of their order",
            ),
            Self::OtherOrder { seed, .. } => mistake(self).hint(format!(
                "take a run that was made with --stop-when-decided --seed {seed}, or run the other one to its end"
            )),
            Self::NotInBoth { .. } => {
                mistake(self).hint("name a metric that both runs have, with values between two ends")
            }
            Self::Row { .. } => {
                BenchmarkError::from_error(self).hint("`probare verify` says what else is wrong with it")
            }
            Self::Store(_) | Self::Comparison(_) => BenchmarkError::from_error(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_refused_an_input_is_told_how_to_name_it() {
        let refused = VerifyError::InputRefused { path: "in.csv".into() };
        let hint = |interface| refused.diagnose(interface).hint.unwrap_or_default();
        assert!(hint(Interface::CommandLine).ends_with("RESULTS in.csv"));
        assert!(hint(Interface::Python).ends_with("verify(RESULTS, [INPUT])"));
    }
}
