//! `cargo x gen`: derived files, made again from their sources.

use std::path::PathBuf;

use anyhow::Result;

use crate::process::{self, cargo, root};

/// Write derived files.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: DerivedFiles,
}

#[derive(Debug, clap::Subcommand)]
enum DerivedFiles {
    /// The WordNet table, from the folder of Debian's package `wordnet-base`
    Wordnet {
        /// Folder with index.* and data.* files
        #[arg(default_value = "/usr/share/wordnet")]
        folder: PathBuf,
    },
    /// The stub of the Python module `probare.catalogue`, from the definitions of the metrics
    Stubs,
    /// The declarations of what the viewer's scripts are given, from the types of the server
    Types,
    /// The list of prices, from the newest Python package `litellm`, which pip downloads
    Prices,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        DerivedFiles::Wordnet { folder } => {
            let mut build =
                cargo(&["run", "--release", "--package", "probare-text", "--example", "wordnet", "--", "build"]);
            process::run(build.arg(std::path::absolute(folder)?).arg(root().join("crates/text/data/wordnet.bin")))
        }
        DerivedFiles::Types => {
            let test = "the_declarations_of_the_scripts_are_those_of_the_types";
            let mut test = cargo(&["test", "--package", "probare-analysis", "--all-features", "--lib", test]);
            process::run(test.env("PROBARE_WRITE_TYPES", "1"))
        }
        DerivedFiles::Prices => crate::prices::run(),
        DerivedFiles::Stubs => {
            let mut test = cargo(&[
                "nextest",
                "run",
                "--workspace",
                "--all-features",
                "-E",
                "package(probare-python) and test(stubs)",
            ]);
            process::run(test.env("PROBARE_WRITE_STUBS", "1"))
        }
    }
}
