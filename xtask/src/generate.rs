//! `cargo x gen`: derived files, made again from their sources.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::process::{self, cargo, root};

/// Write derived files.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The WordNet table, from the folder of Debian's package `wordnet-base`
    Wordnet {
        /// Folder with index.* and data.* files
        #[arg(default_value = "/usr/share/wordnet")]
        folder: PathBuf,
    },
    /// The stub of the Python module `probare.catalogue`, from the definitions of the metrics
    Stubs,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Wordnet { folder } => {
            let table = probare_text::wordnet::build::build(folder)
                .with_context(|| format!("cannot build the table from {}", folder.display()))?;
            let target = root().join("crates/text/data/wordnet.bin");
            fs::write(&target, &table).with_context(|| format!("cannot write {}", target.display()))?;
            println!("wrote {} ({} bytes)", target.display(), table.len());
            Ok(())
        }
        What::Stubs => {
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
