//! Tests that cannot run on this machine say so, and are counted: a test that returns early looks like one that passed.

use std::fs::OpenOptions;
use std::io::Write;

/// The variable that names the file in which `cargo x test` collects what was left out.
pub const LEFT_OUT: &str = "PROBARE_LEFT_OUT";

/// Says that a test, or a part of one, is left out, and why. `cargo x test` lists all of them at its end, and fails in CI for
/// those that must run there.
pub fn left_out(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    eprintln!("left out: {reason}");
    let Some(path) = std::env::var_os(LEFT_OUT) else { return };
    let line = format!("{test}\t{}\n", reason.replace(['\t', '\n'], " "));
    // One write a line, so that tests side by side do not mix theirs.
    let written = OpenOptions::new().create(true).append(true).open(&path);
    let written = written.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(written.is_ok(), "`{LEFT_OUT}` names a file that cannot be written: {written:?}");
}
