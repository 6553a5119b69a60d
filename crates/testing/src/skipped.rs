//! Tests that cannot run on this machine say so, and are counted: a test that returns early looks like one that passed.

use std::fs::OpenOptions;
use std::io::Write;

/// The variable that names the file in which `cargo x test` collects what was left out.
pub const SKIPPED_FILE_VARIABLE: &str = "PROBARE_LEFT_OUT";

/// Environment variable with words, between commas: a test that is left out for a reason with one of them fails. A machine that
/// should have a program sets it, so that its loss is not taken for a reason.
pub const MUST_RUN_VARIABLE: &str = "PROBARE_MUST_RUN";

fn is_required(words: &str, reason: &str) -> bool {
    words.split(',').map(str::trim).any(|word| !word.is_empty() && reason.contains(word))
}

/// Says that a test, or a part of one, is left out, and why. `cargo x test` lists all of them at its end, and fails in CI for
/// those that must run there.
/// Where [`MUST_RUN_VARIABLE`] names a word of the reason it fails instead.
pub fn report_skipped(reason: &str) {
    let must = std::env::var(MUST_RUN_VARIABLE).unwrap_or_default();
    assert!(!is_required(&must, reason), "this must run here, as `{MUST_RUN_VARIABLE}={must}` says: {reason}");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("left out: {reason}");
    let Some(path) = std::env::var_os(SKIPPED_FILE_VARIABLE) else { return };
    let line = format!("{test}\t{}\n", reason.replace(['\t', '\n'], " "));
    // One write a line, so that tests side by side do not mix theirs.
    let written = OpenOptions::new().create(true).append(true).open(&path);
    let written = written.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(written.is_ok(), "`{SKIPPED_FILE_VARIABLE}` names a file that cannot be written: {written:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_reason_makes_a_test_one_that_must_run() {
        let reason = "chromedriver is not installed (Debian: chromium, chromium-driver)";
        assert!(is_required("bubblewrap, chromedriver", reason));
        assert!(!is_required("", reason) && !is_required(" , ", reason) && !is_required("postgres", reason));
    }
}
