//! `probare man`: manual pages, one for the program, one for each verb and one for each command of a verb.

use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;
use probare_report::Output;
use probare_runner::Exit;

use super::remark;
use crate::failure::{Done, Failure};

/// Write the manual pages into a folder.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write into; it is made if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let mut pages = Vec::new();
    collect("probare", crate::arguments::command(), &mut pages);
    for (name, command) in pages {
        let path = arguments.folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        let shown = path.display().to_string();
        Man::new(command).render(&mut page).map_err(|error| Failure::file("write", &shown, &error))?;
        if name == "probare" {
            page.extend_from_slice(exit_codes().as_bytes());
        }
        Output::write_file(&path, &page).map_err(|error| Failure::from_error(&error))?;
        remark(&format!("wrote {shown}"));
    }
    Ok(Exit::Fine)
}

/// The page of a command, then those of the commands in it: `probare-rag-eval` for `probare rag eval`.
fn collect(name: &str, command: Command, pages: &mut Vec<(String, Command)>) {
    let inner: Vec<Command> = command.get_subcommands().cloned().collect();
    pages.push((name.to_owned(), command.name(name.to_owned())));
    for command in inner {
        collect(&format!("{name}-{}", command.get_name()), command, pages);
    }
}

fn exit_codes() -> String {
    let mut text = ".SH EXIT STATUS\n".to_owned();
    for (exit, meaning) in Exit::ALL {
        text.push_str(&format!(".TP\n{}\n{meaning}\n", exit.code()));
    }
    text
}
