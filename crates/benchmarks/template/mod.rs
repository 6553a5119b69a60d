//! NewBenchmark: `exact_match` over a file of cases, which is what `cargo x new-benchmark` writes to begin with.

mod publisher;

use clap::Args;
use probare_core::{Benchmark, BenchmarkCall, BenchmarkError, Console, Job, MetricRequest, Profile};
use probare_formats::{CaseReader, ReadOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::command::CommandOptions;

use self::publisher::Publisher;

/// Options of `new_benchmark`; their comments are the help of the command.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    /// Cases to evaluate
    #[arg(value_name = "FILE")]
    cases: String,

    /// The definition that counts
    #[serde(default)]
    #[arg(skip)]
    profile: Profile,
}

/// The benchmark.
#[derive(Debug)]
pub struct NewBenchmark;

impl CommandOptions for NewBenchmark {
    type Options = Options;

    const PROFILES: &'static str = "Which definition: published (the default) or improved";

    const TAKES: &'static [&'static str] = &["json"];
}

impl Benchmark for NewBenchmark {
    fn id(&self) -> &'static str {
        "new_benchmark"
    }

    fn command(&self) -> &'static [&'static str] {
        &["new_benchmark"]
    }

    fn about(&self) -> &'static str {
        "Score a file of cases with exact_match\n\nThe one line stands in the list of commands, and this is what else a user should know."
    }

    fn example(&self, _: &Map<String, Json>) -> Map<String, Json> {
        // Options that name data which the program carries (crates/formats/src/bundled.rs), if there are any.
        Map::new()
    }

    fn open(&self, options: Json, console: Console) -> Result<Job, BenchmarkError> {
        let call = BenchmarkCall { id: self.id().to_owned(), options: options.clone() };
        let options: Options =
            serde_json::from_value(options).map_err(|error| BenchmarkError::usage(error.to_string()))?;
        let rows = CaseReader::open(&options.cases, &ReadOptions::default())
            .map_err(|error| BenchmarkError::from_error(&error))?
            .named_by("/cases");
        let request = MetricRequest { profile: Some(options.profile), ..MetricRequest::plain("exact_match") };
        let mut job = Job::new(&options.cases, Box::new(rows), vec![request]);
        job.reads.push(options.cases.into());
        job.publisher = Some(Box::new(Publisher::new(console)));
        job.benchmark = Some(call);
        Ok(job)
    }
}
