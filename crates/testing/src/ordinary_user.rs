//! Tests that root runs once more as an ordinary user.

use std::process::Command;

/// Set in the process that runs as an ordinary user.
const ORDINARY_VARIABLE: &str = "PROBARE_TEST_ORDINARY";

/// Runs `body` as an ordinary user, in a process of its own that runs the test of this name and nothing else. Says why where
/// that is left out.
pub fn as_ordinary_user(test: &str, body: impl FnOnce()) {
    if std::env::var_os(ORDINARY_VARIABLE).is_some() {
        return body();
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: this is an ordinary user already");
        return;
    }
    let program = std::env::current_exe().expect("a test has a program");
    let temporary = tempfile::tempdir().expect("a folder can be made");
    std::os::unix::fs::chown(temporary.path(), Some(65534), Some(65534)).expect("root gives folders away");
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"])
        .arg(&program)
        .args([test, "--exact", "--nocapture"])
        .env(ORDINARY_VARIABLE, "1")
        .env("TMPDIR", temporary.path())
        .env("HOME", temporary.path())
        .current_dir("/")
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            eprintln!("left out: the rights of root cannot be given up ({error})");
            return;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    if said.contains("Permission denied") && !said.contains("running 1 test") {
        eprintln!("left out: the test is out of reach for an ordinary user");
        return;
    }
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
