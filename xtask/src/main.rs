//! `cargo x`: the project's own commands, so that nobody needs to remember how things are made.

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

mod bench;
mod ci;
mod digests;
mod dist;
mod docs;
mod generate;
mod lines;
mod local_model;
mod new_benchmark;
mod new_metric;
mod prices;
mod process;
mod promptfoo;
mod python;
mod sbom;
mod scripts;
mod simulate;
mod test;
mod torture;
mod train;
mod transcripts;
mod viewer;

use clap::{Parser, Subcommand};

/// The project's own commands.
#[derive(Debug, Parser)]
#[command(name = "cargo x")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Install what the tests need and run all of them
    Test(test::Arguments),
    /// Install PostgreSQL with pgvector into target/ and run the tests that need it
    TestPostgres,
    /// Tests of the wheel with Spark, Ray and the packages of other tools, which it installs: several gigabytes
    TestCluster(python::ClusterArguments),
    /// Everything that CI checks: format, lints, licences, tests
    Ci(ci::Arguments),
    /// Print digests of everything that the program gives on the bundled examples
    Digests(digests::Arguments),
    /// Build the program and the wheel as they are published
    Dist(dist::Arguments),
    /// Build the documentation as a site, with search, and check its links
    Docs(docs::Arguments),
    /// Write derived files: wordnet, stubs, prices
    Gen(generate::Arguments),
    /// Train the English tagger and parser from a treebank, or measure them on it
    Train(train::Arguments),
    /// Measure throughput, with --against side by side with the originals
    Bench(bench::Arguments),
    /// Count lines of code by crate, without comments, documentation and tests
    Lines(lines::Arguments),
    /// Simulate early decisions and intervals from few labels: wrong verdicts, cases needed, coverage
    Simulate,
    /// Write the files of a new metric
    NewMetric(new_metric::Arguments),
    /// Write the folder of a new benchmark
    #[command(alias = "new-suite")]
    NewBenchmark(new_benchmark::Arguments),
    /// Install a small language model and test the whole way to it and back
    LocalModel(local_model::Arguments),
    /// Kill runs at random moments and fill disks under them: no half file, no changed input
    Torture(torture::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Test(arguments) => test::run(&arguments),
        Command::TestPostgres => test::postgres(),
        Command::TestCluster(arguments) => python::run_cluster(&arguments),
        Command::Ci(arguments) => ci::run(&arguments),
        Command::Digests(arguments) => digests::run(&arguments),
        Command::Dist(arguments) => dist::run(&arguments),
        Command::Docs(arguments) => docs::run(&arguments),
        Command::Gen(arguments) => generate::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Lines(arguments) => lines::run(&arguments),
        Command::Simulate => simulate::run(),
        Command::NewMetric(arguments) => new_metric::run(&arguments),
        Command::NewBenchmark(arguments) => new_benchmark::run(&arguments),
        Command::LocalModel(arguments) => local_model::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
    }
}
