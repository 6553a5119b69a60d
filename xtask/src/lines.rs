//! `cargo x lines`: lines of Rust code by crate, without blank lines, comments, documentation and tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process::root;

/// Count lines of code.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Another checkout to count beside this one, such as that of an earlier commit
    #[arg(value_name = "FOLDER")]
    before: Option<PathBuf>,
}

/// Files and lines of code of a crate.
#[derive(Debug, Clone, Copy, Default)]
struct CodeSize {
    files: usize,
    lines: usize,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let now = count_workspace(&root())?;
    let before = arguments.before.as_deref().map(count_workspace).transpose()?;
    print!("{}", table(&now, before.as_ref()));
    Ok(())
}

fn table(now: &BTreeMap<String, CodeSize>, before: Option<&BTreeMap<String, CodeSize>>) -> String {
    let Some(before) = before else {
        let mut text = format!("{:<14} {:>6} {:>8}\n", "crate", "files", "lines");
        for (name, size) in now {
            text.push_str(&format!("{name:<14} {:>6} {:>8}\n", size.files, size.lines));
        }
        let total = total(now);
        return text + &format!("{:<14} {:>6} {:>8}\n", "total", total.files, total.lines);
    };
    let row = |name: &str, before: CodeSize, now: CodeSize| {
        let sign = if now.lines < before.lines { '-' } else { '+' };
        let change = format!("{sign}{}", now.lines.abs_diff(before.lines));
        format!("{name:<14} {:>6} {:>8} {:>6} {:>8} {change:>8}\n", before.files, before.lines, now.files, now.lines)
    };
    let mut text =
        format!("{:<14} {:>6} {:>8} {:>6} {:>8} {:>8}\n", "crate", "files", "before", "files", "now", "change");
    let names: std::collections::BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    for name in names {
        let size = |sizes: &BTreeMap<String, CodeSize>| sizes.get(name).copied().unwrap_or_default();
        text.push_str(&row(name, size(before), size(now)));
    }
    text + &row("total", total(before), total(now))
}

fn total(sizes: &BTreeMap<String, CodeSize>) -> CodeSize {
    let add =
        |sum: CodeSize, size: &CodeSize| CodeSize { files: sum.files + size.files, lines: sum.lines + size.lines };
    sizes.values().fold(CodeSize::default(), add)
}

/// The size of each crate, and of the tools for developers.
fn count_workspace(root: &Path) -> Result<BTreeMap<String, CodeSize>> {
    let crates = root.join("crates");
    let mut sizes = BTreeMap::new();
    for entry in fs::read_dir(&crates).with_context(|| format!("cannot read {}", crates.display()))? {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            sizes.insert(name, count_crate(&path)?);
        }
    }
    sizes.insert("xtask".to_owned(), count_crate(&root.join("xtask"))?);
    Ok(sizes)
}

/// The code below `src` and of the build script. Files that only tests compile are left out.
fn count_crate(folder: &Path) -> Result<CodeSize> {
    let mut files = Vec::new();
    gather(&folder.join("src"), &mut files)?;
    files.push(folder.join("build.rs"));
    files.retain(|path| path.is_file());
    let mut texts = Vec::with_capacity(files.len());
    for path in &files {
        texts.push(fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?);
    }
    let mut of_tests = Vec::new();
    let mut counts = Vec::new();
    for (path, text) in files.iter().zip(&texts) {
        let counted = count(text);
        let beside = match path.file_stem().and_then(|stem| stem.to_str()) {
            Some("lib" | "main" | "mod") | None => path.parent().unwrap_or(folder).to_owned(),
            Some(_) => path.with_extension(""),
        };
        of_tests.extend(counted.test_modules.iter().map(|module| beside.join(module)));
        counts.push(counted.lines);
    }
    let is_test =
        |path: &Path| of_tests.iter().any(|module| path.with_extension("") == *module || path.starts_with(module));
    let code = files.iter().zip(counts).filter(|(path, _)| !is_test(path));
    Ok(code.fold(CodeSize::default(), |sum, (_, lines)| CodeSize { files: sum.files + 1, lines: sum.lines + lines }))
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// What was counted in a file.
#[derive(Debug, PartialEq, Eq)]
struct CountedFile {
    lines: usize,
    /// Modules in files of their own that only tests compile.
    test_modules: Vec<String>,
}

/// Counts the lines that hold code. What follows `#[cfg(test)]` is no code: the item up to its closing brace or semicolon.
fn count(text: &str) -> CountedFile {
    let code = without_comments(text);
    let (mut lines, mut test_modules) = (0, Vec::new());
    // How deep in braces a test item is, once it has begun.
    let (mut is_test, mut depth) = (false, 0_usize);
    for line in code.lines() {
        let mut rest = line.trim();
        if !is_test && let Some(item) = rest.strip_prefix("#[cfg(test)]") {
            (is_test, depth, rest) = (true, 0, item.trim());
        }
        if !is_test {
            // Documentation that was no comment.
            lines += usize::from(!rest.is_empty() && !rest.starts_with("#[doc") && !rest.starts_with("#![doc"));
            continue;
        }
        if rest.starts_with("#[") {
            continue;
        }
        if depth == 0
            && let Some(module) = rest.split_once("mod ").and_then(|(_, name)| name.strip_suffix(';'))
        {
            test_modules.push(module.to_owned());
        }
        for sign in rest.chars() {
            match sign {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        is_test = depth > 0 || !(rest.ends_with('}') || rest.ends_with(';'));
    }
    CountedFile { lines, test_modules }
}

/// The text with comments as nothing and strings without their content, so that braces and slashes in them mean nothing. Lines
/// stay lines, and one that lies in a string is still one of code.
fn without_comments(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(sign) = signs.get(at) {
        let next = signs.get(at + 1).copied();
        match (*sign, next) {
            ('/', Some('/')) => {
                while signs.get(at).is_some_and(|sign| *sign != '\n') {
                    at += 1;
                }
            }
            ('/', Some('*')) => at = skip_block_comment(&signs, at, &mut code),
            ('"', _) => at = skip_string(&signs, at + 1, 0, true, &mut code),
            ('r', Some('"' | '#')) if !is_in_word(&signs, at) && raw_string(&signs, at).is_some() => {
                let (hashes, start) = raw_string(&signs, at).unwrap_or_default();
                at = skip_string(&signs, start, hashes, false, &mut code);
            }
            ('\'', Some('\\')) => {
                at += 3;
                while signs.get(at).is_some_and(|sign| *sign != '\'') {
                    at += 1;
                }
                at += 1;
                code.push('_');
            }
            // A character, and not the name of a lifetime.
            ('\'', Some(_)) if signs.get(at + 2) == Some(&'\'') => {
                at += 3;
                code.push('_');
            }
            (sign, _) => {
                code.push(sign);
                at += 1;
            }
        }
    }
    code
}

/// Whether the sign belongs to a word that began before it; a `b` alone marks a string of bytes.
fn is_in_word(signs: &[char], at: usize) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let before = |back: usize| at.checked_sub(back).and_then(|at| signs.get(at)).copied();
    let is_prefix = matches!(before(1), Some('b' | 'c')) && !before(2).is_some_and(is_word);
    before(1).is_some_and(is_word) && !is_prefix
}

/// The hashes of a raw string and where its content starts.
fn raw_string(signs: &[char], at: usize) -> Option<(usize, usize)> {
    let hashes = signs[at + 1..].iter().take_while(|sign| **sign == '#').count();
    (signs.get(at + 1 + hashes) == Some(&'"')).then_some((hashes, at + 2 + hashes))
}

/// Writes the lines of a string and gives the place behind it.
fn skip_string(signs: &[char], mut at: usize, hashes: usize, has_escapes: bool, code: &mut String) -> usize {
    code.push('"');
    while let Some(sign) = signs.get(at) {
        match sign {
            '\\' if has_escapes => {
                if signs.get(at + 1) == Some(&'\n') {
                    code.push_str("\n\"");
                }
                at += 2;
            }
            '"' if signs[at + 1..].iter().take(hashes).filter(|sign| **sign == '#').count() == hashes => {
                code.push('"');
                return at + 1 + hashes;
            }
            '\n' => {
                code.push_str("\n\"");
                at += 1;
            }
            _ => at += 1,
        }
    }
    at
}

fn skip_block_comment(signs: &[char], mut at: usize, code: &mut String) -> usize {
    let mut depth = 0_usize;
    while let Some(sign) = signs.get(at) {
        match (sign, signs.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            ('\n', _) => {
                code.push('\n');
                at += 1;
            }
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_counted_and_comments_documentation_and_tests_are_not() {
        let text = r##"//! A file.

/// A function with a comment /* in its */ documentation.
#[doc = "more"]
fn f<'a>(text: &'a str) -> char { // 1
    let url = "http://example.org/{"; // 2
    let long = r#"{ // 3
        "quoted" // 4
    "#;
    /* two
       lines */
    let sign = '{'; let other = '\''; let more = '"'; // 6
    '}' // 7
}

#[cfg(test)]
mod tests {
    fn t() {}
}

#[cfg(test)]
#[path = "x.rs"]
mod beside;

#[cfg(test)]
use std::fmt;

const LAST: u8 = b'"'; // 9
"##;
        assert_eq!(count(text), CountedFile { lines: 9, test_modules: vec!["beside".to_owned()] });
    }

    #[test]
    fn both_sides_stand_in_the_table() {
        let size = |lines: usize| CodeSize { files: 1, lines };
        let before = BTreeMap::from([("a".to_owned(), size(10)), ("b".to_owned(), size(5))]);
        let now = BTreeMap::from([("a".to_owned(), size(7)), ("c".to_owned(), size(1))]);
        let text = table(&now, Some(&before));
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[1], ["a", "1", "10", "1", "7", "-3"]);
        assert_eq!(words[2], ["b", "1", "5", "0", "0", "-5"]);
        assert_eq!(words[3], ["c", "0", "0", "1", "1", "+1"]);
        assert_eq!(words[4], ["total", "2", "15", "2", "8", "-7"]);
    }
}
