//! `probare man`: manual pages, one for the program and one for each verb.

use std::fs;
use std::path::PathBuf;

use clap_mangen::Man;

use super::remark;
use crate::failure::{Done, Failure};
use probare_runner::Exit;

/// Write the manual pages into a folder.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write into; it is made if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let failed = |error| Failure::file("write", &arguments.folder.display().to_string(), &error);
    fs::create_dir_all(&arguments.folder).map_err(failed)?;
    let program = crate::arguments::command();
    let mut pages = vec![("probare".to_owned(), program.clone())];
    for verb in program.get_subcommands() {
        let name = format!("probare-{}", verb.get_name());
        pages.push((name.clone(), verb.clone().name(name.leak() as &'static str)));
    }
    for (name, command) in pages {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map_err(failed)?;
        if name == "probare" {
            page.extend_from_slice(exit_codes().as_bytes());
        }
        let path = arguments.folder.join(format!("{name}.1"));
        fs::write(&path, page).map_err(failed)?;
        remark(&format!("wrote {}", path.display()));
    }
    Ok(Exit::Fine)
}

fn exit_codes() -> String {
    let mut text = ".SH EXIT STATUS\n".to_owned();
    for (exit, meaning) in Exit::ALL {
        text.push_str(&format!(".TP\n{}\n{meaning}\n", exit.code()));
    }
    text
}
