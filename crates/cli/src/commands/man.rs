//! `probare man`: manual pages, one for the program, one for each command and one for each command below it; as Markdown, the
//! pages of the command line in the documentation.

use std::path::PathBuf;

use clap::{Arg, Command};
use clap_mangen::Man;
use probare_engine::Exit;
use probare_report::OutputWriter;

use super::remark;
use crate::failure::{CommandResult, Failure};

/// Write the manual pages into a folder.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder to write to; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Write Markdown instead of manual pages
    #[arg(long)]
    markdown: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let mut pages = Vec::new();
    collect(("probare", "probare"), crate::arguments::command(), &mut pages);
    for (name, line, command) in pages {
        let path = arguments.folder.join(format!("{name}.{}", if arguments.markdown { "md" } else { "1" }));
        let shown = path.display().to_string();
        let page = if arguments.markdown {
            markdown(&name, &line, command).into_bytes()
        } else {
            roff(&name, command).map_err(|error| Failure::file("write", &shown, &error))?
        };
        OutputWriter::write_file(&path, &page).map_err(|error| Failure::from_error(&error))?;
        remark(&format!("wrote {shown}"));
    }
    Ok(Exit::Fine)
}

/// The page of a command, then those of the commands in it: `probare-rag-eval` for `probare rag eval`.
fn collect((name, line): (&str, &str), command: Command, pages: &mut Vec<(String, String, Command)>) {
    let inner: Vec<Command> = command.get_subcommands().cloned().collect();
    pages.push((name.to_owned(), line.to_owned(), command.name(name.to_owned())));
    for command in inner {
        let word = command.get_name();
        collect((&format!("{name}-{word}"), &format!("{line} {word}")), command.clone(), pages);
    }
}

/// The manual page of a command.
fn roff(name: &str, command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    if name == "probare" {
        page.extend_from_slice(exit_codes().as_bytes());
    }
    Ok(page)
}

/// The page of a command in the documentation.
fn markdown(name: &str, line: &str, mut command: Command) -> String {
    command = command.bin_name(line);
    command.build();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let mut page = format!("# {line}\n\n{}\n\n```\n{}\n```\n", plain(&about), command.render_usage());
    let inner: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    if !inner.is_empty() {
        page.push_str("\n| command | |\n|---|---|\n");
        for inner in inner {
            let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
            page.push_str(&format!("| [{0}]({name}-{0}.md) | {1} |\n", inner.get_name(), cell(&about)));
        }
    }
    let mut heading = None;
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let under = match (argument.get_help_heading(), argument.is_positional()) {
            (Some(heading), _) => heading.to_owned(),
            (None, true) => "Arguments".to_owned(),
            (None, false) => "Options".to_owned(),
        };
        if heading.as_ref() != Some(&under) {
            page.push_str(&format!("\n## {under}\n"));
            heading = Some(under);
        }
        page.push_str(&argument_markdown(argument));
    }
    if name == "probare" {
        page.push_str("\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
        for (exit, meaning) in Exit::ALL {
            page.push_str(&format!("| {} | {} |\n", exit.code(), cell(meaning)));
        }
    }
    page
}

/// An argument with its help, its variable, its default and the words that it takes.
fn argument_markdown(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let mut text = format!("\n**`{short}{}`**  \n{}\n", argument.to_string().trim(), plain(&help));
    let mut notes = Vec::new();
    let words: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|word| !word.is_hide_set())
        .map(|word| format!("`{}`", word.get_name()))
        .collect();
    let takes_value = argument.get_action().takes_values();
    if !words.is_empty() && takes_value {
        notes.push(format!("One of {}.", words.join(", ")));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && takes_value {
        notes.push(format!("Default: {}.", defaults.join(", ")));
    }
    if let Some(variable) = argument.get_env() {
        notes.push(format!("Variable: `{}`.", variable.to_string_lossy()));
    }
    if !notes.is_empty() {
        text.push_str(&format!("\n{}\n", notes.join(" ")));
    }
    text
}

/// A text of the help, with the signs that Markdown would read outside of code.
fn plain(text: &str) -> String {
    let mut inside = false;
    text.chars().fold(String::with_capacity(text.len()), |mut plain, sign| {
        inside ^= sign == '`';
        if !inside && matches!(sign, '<' | '>' | '*' | '_' | '[' | ']' | '|') {
            plain.push('\\');
        }
        plain.push(sign);
        plain
    })
}

/// The same on one line of a table.
fn cell(text: &str) -> String {
    plain(&text.replace('\n', " "))
}

fn exit_codes() -> String {
    let mut text = ".SH EXIT STATUS\n".to_owned();
    for (exit, meaning) in Exit::ALL {
        text.push_str(&format!(".TP\n{}\n{meaning}\n", exit.code()));
    }
    text
}
