//! [`Folder`]: the files beside a configuration, and patterns that name them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use probare_files::{is_below, read_plain_text};
use probare_promptfoo::configuration::ConfigurationFiles;

/// Bytes of the largest file that a configuration names.
pub(super) const LARGEST: u64 = 64 << 20;

/// Files of the largest folder in which a pattern is looked for.
const MOST_FILES: usize = 100_000;

/// Files below the folder of a configuration.
pub(super) struct Folder<'a>(pub(super) &'a Path);

impl Folder<'_> {
    fn path(&self, path: &str) -> Result<PathBuf, String> {
        let joined = self.0.join(path);
        if !joined.exists() {
            return Err(format!("`{path}` is not there"));
        }
        if !is_below(self.0, &joined) {
            return Err(outside(path));
        }
        Ok(joined)
    }

    fn list(&self, folder: &str, found: &mut Vec<String>) -> Result<(), String> {
        let entries = std::fs::read_dir(self.0.join(folder)).map_err(|error| format!("`{folder}`: {error}"))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if found.len() > MOST_FILES {
                return Err("there are too many files to look for a pattern".to_owned());
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !name.starts_with('.') && name != "node_modules" => {
                    self.list(&path, found)?;
                }
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
        Ok(())
    }
}

impl ConfigurationFiles for Folder<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = read_plain_text(&self.path(path)?, LARGEST).map_err(|error| format!("`{path}`: {error}"))?;
        Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).is_file()
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, String> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let mut fitting = BTreeSet::new();
        for pattern in alternatives(pattern)? {
            let is_fixed = |part: &&str| !part.contains(['*', '?', '[']);
            let fixed = pattern.split('/').take_while(is_fixed).collect::<Vec<_>>().join("/");
            let place = self.0.join(&fixed);
            if place.exists() && !is_below(self.0, &place) {
                return Err(outside(&pattern));
            }
            let mut found = Vec::new();
            if place.is_file() {
                found.push(fixed);
            } else if place.is_dir() {
                self.list(&fixed, &mut found)?;
            }
            fitting.extend(found.into_iter().filter(|path| glob_fits(&pattern, path)));
        }
        Ok(fitting.into_iter().collect())
    }
}

/// Why a file is not read.
fn outside(path: &str) -> String {
    format!(
        "`{path}` lies outside of the configuration's folder, and is not read: put the configuration above it, or a copy of the \
         file below the configuration"
    )
}

/// Patterns of the most alternatives.
const MOST_ALTERNATIVES: usize = 1_000;

/// The patterns that one with `{a,b}` stands for.
fn alternatives(pattern: &str) -> Result<Vec<String>, String> {
    let (mut open, mut done) = (vec![pattern.to_owned()], Vec::new());
    while let Some(pattern) = open.pop() {
        let inner = pattern.rfind('{').and_then(|from| Some((from, from + pattern[from..].find('}')?)));
        let Some((from, to)) = inner else {
            done.push(pattern);
            continue;
        };
        let words = pattern[from + 1..to].split(',');
        open.extend(words.map(|word| format!("{}{word}{}", &pattern[..from], &pattern[to + 1..])));
        if open.len() + done.len() > MOST_ALTERNATIVES {
            return Err("a pattern stands for too many others".to_owned());
        }
    }
    done.sort();
    done.dedup();
    Ok(done)
}

/// Whether a path fits a pattern: `*` and `?` stay within one folder, `**` does not.
fn glob_fits(pattern: &str, path: &str) -> bool {
    let (patterns, parts): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    folders_fit(&patterns, &parts)
}

fn folders_fit(patterns: &[&str], parts: &[&str]) -> bool {
    match (patterns.split_first(), parts.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=parts.len()).any(|skipped| folders_fit(rest, &parts[skipped..])),
        (Some((pattern, rest)), Some((part, others))) => name_fits(pattern, part) && folders_fit(rest, others),
        _ => false,
    }
}

fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (name_pieces(pattern), name.chars().collect::<Vec<char>>());
    let (mut at, mut from, mut star) = (0, 0, None);
    while from < name.len() {
        if pattern.get(at) == Some(&NamePiece::Any) {
            star = Some((at, from));
            at += 1;
        } else if pattern.get(at).is_some_and(|piece| piece.fits(name[from])) {
            (at, from) = (at + 1, from + 1);
        } else if let Some((place, taken)) = star {
            star = Some((place, taken + 1));
            (at, from) = (place + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|piece| *piece == NamePiece::Any)
}

/// A piece of a pattern for the name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NamePiece {
    /// `*`: anything, also nothing.
    Any,
    /// `?`: one character.
    One,
    /// A character.
    Letter(char),
    /// `[a-z]`, or `[!a-z]`: one of these, or none of them.
    Class { ranges: Vec<(char, char)>, is_negated: bool },
}

impl NamePiece {
    fn fits(&self, letter: char) -> bool {
        match self {
            Self::Any => false,
            Self::One => true,
            Self::Letter(own) => *own == letter,
            Self::Class { ranges, is_negated } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&letter)) != *is_negated
            }
        }
    }
}

fn name_pieces(pattern: &str) -> Vec<NamePiece> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        pieces.push(match (letter, rest.split_once(']')) {
            ('*', _) => NamePiece::Any,
            ('?', _) => NamePiece::One,
            ('[', Some((inside, after))) if !inside.is_empty() => {
                rest = after;
                let plain = inside.strip_prefix(['!', '^']);
                let letters: Vec<char> = plain.unwrap_or(inside).chars().collect();
                let (mut ranges, mut at) = (Vec::new(), 0);
                while let Some(first) = letters.get(at).copied() {
                    let last = (letters.get(at + 1) == Some(&'-')).then(|| letters.get(at + 2).copied()).flatten();
                    ranges.push((first, last.unwrap_or(first)));
                    at += if last.is_some() { 3 } else { 1 };
                }
                NamePiece::Class { ranges, is_negated: plain.is_some() }
            }
            (letter, _) => NamePiece::Letter(letter),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_within_a_folder_unless_they_say_otherwise() {
        assert!(glob_fits("tests/*.yaml", "tests/a.yaml"));
        assert!(!glob_fits("tests/*.yaml", "tests/deep/a.yaml"));
        assert!(glob_fits("tests/**/*.yaml", "tests/deep/a.yaml"));
        assert!(glob_fits("**/*.yaml", "a.yaml"));
        assert!(glob_fits("a?c*", "abcd"));
        assert!(!glob_fits("a?c", "ac"));
        assert!(glob_fits("[a-c]*.txt", "b1.txt") && !glob_fits("[!a-c]*.txt", "b1.txt"));
        assert!(glob_fits("[x-z0]", "0") && glob_fits("a[", "a["));
        let all = alternatives("{a,b/{c,d}}.{yaml,yml}").unwrap();
        assert_eq!(all, ["a.yaml", "a.yml", "b/c.yaml", "b/c.yml", "b/d.yaml", "b/d.yml"]);
        assert!(alternatives(&"{a,b}".repeat(20)).is_err());
        assert_eq!(alternatives("{a").unwrap(), ["{a"]);
    }
}
