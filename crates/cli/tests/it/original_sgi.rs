//! SGI-Bench as its users run it: the journey of `tests/originals/sgi.sh`, and the environment that a variable names.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{self, PROGRAM, both_streams, code};

fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        probare_testing::report_skipped("python3 is not there");
    }
    found
}

#[cfg(unix)]
#[test]
fn the_journey_from_the_guide_to_the_repair_of_an_outage() {
    if !has_python() {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/originals/sgi.sh");
    let output = Command::new("sh").arg(script).env("PROBARE", PROGRAM).env("PROBARE_SANDBOX", "none").output();
    let output = output.expect("the shell starts");
    assert!(output.status.success(), "{}", both_streams(&output));
    assert!(both_streams(&output).ends_with("SGI-Bench: every step holds\n"), "{}", both_streams(&output));
}

const ROW: &str = r#"{"idx": "d", "question": "Where?", "incomplete_functions": ["where"], "incomplete_main_code": "import os, sys\n\n\ndef where():\n    pass\n\n\nprint(where())\n", "unit_test_0_output": "dryexp", "unit_test_1_output": "dryexp", "unit_test_2_output": "dryexp", "unit_test_3_output": "dryexp", "unit_test_4_output": "dryexp"}"#;

const OUTPUT: &str =
    r#"{"idx": "d", "response": "<answer>\ndef where():\n    return os.path.basename(sys.prefix)\n</answer>"}"#;

#[cfg(unix)]
#[test]
fn the_conda_environment_of_the_variable_runs_dry_experiments_and_an_absent_one_is_an_error() {
    use std::os::unix::fs::PermissionsExt as _;
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let made =
        Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(place.join("dryexp")).output().unwrap();
    assert!(made.status.success(), "{}", both_streams(&made));
    fs::write(place.join("rows.jsonl"), ROW).unwrap();
    fs::write(place.join("outputs.jsonl"), OUTPUT).unwrap();
    let list = format!(
        "#!/bin/sh\necho '{{\"root_prefix\": \"/opt/conda\", \"envs\": [\"{}\"]}}'\n",
        place.join("dryexp").display()
    );
    fs::write(place.join("conda"), list).unwrap();
    fs::set_permissions(place.join("conda"), fs::Permissions::from_mode(0o755)).unwrap();
    let score = |environment: Option<&str>, more: &[&str]| {
        let words =
            ["sgi", "score", "dry", "--data", "rows.jsonl", "--predictions", "outputs.jsonl", "--sandbox", "none"];
        let mut command = program::command(place, &[&words[..], &["--judge", "replay:nobody.jsonl"], more].concat());
        fs::write(place.join("nobody.jsonl"), "").unwrap();
        command.env("CONDA_EXE", place.join("conda")).env_remove("SGI_CONDA_ENV");
        if let Some(environment) = environment {
            command.env("SGI_CONDA_ENV", environment);
        }
        command.output().unwrap()
    };
    let named = score(Some("dryexp"), &[]);
    assert_eq!(code(&named), 0, "{}", both_streams(&named));
    assert!(both_streams(&named).contains("Dry experiments   100.00"), "{}", both_streams(&named));
    let absent = score(Some("other"), &[]);
    assert_ne!(code(&absent), 0, "{}", both_streams(&absent));
    assert!(both_streams(&absent).contains("conda has no environment `other`"), "{}", both_streams(&absent));
    // The flag comes before the variable.
    let flag = score(Some("other"), &["--environment", "conda:dryexp"]);
    assert!(both_streams(&flag).contains("Dry experiments   100.00"), "{}", both_streams(&flag));
}
