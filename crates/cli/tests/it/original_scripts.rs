//! One script per published system, with its own commands and files: `tests/originals`.

use std::path::Path;
use std::process::Command;

use crate::program::{PROGRAM, both_streams};

#[track_caller]
fn run_script(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.arg(root.join("tests/originals").join(name)).current_dir(folder.path());
    command.env("PROBARE", PROGRAM).env("EXAMPLES", root.join("examples"));
    for variable in ["GRADER_BASE_URL", "GRADER_API_KEY", "SGI_DATA_DIR", "SGI_EXECUTION_TIMEOUT"] {
        command.env_remove(variable);
    }
    let output = command.output().expect("there is a shell");
    assert!(output.status.success(), "{name}: {}", both_streams(&output));
}

#[test]
fn synthesis_is_used_as_its_users_use_it() {
    run_script("synthesis.sh");
}

#[test]
fn socioscope_is_used_as_its_users_use_it() {
    run_script("socioscope.sh");
}

#[test]
fn synthlink_is_used_as_its_users_use_it() {
    run_script("synthlink.sh");
}

#[test]
fn rag_is_used_as_its_users_use_it() {
    run_script("rag.sh");
}
