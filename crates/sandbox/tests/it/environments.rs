//! Environments: a stand-in for conda on PATH, and virtual environments.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use probare_core::{Program, ProgramStep};
use probare_sandbox::environment::{PythonEnvironment, create, describe};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits};

/// Set in the process that finds the stand-in on its PATH.
const INSIDE: &str = "PROBARE_TEST_CONDA";

fn venv(folder: &Path) -> bool {
    let made = Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(folder).output();
    made.is_ok_and(|output| output.status.success())
}

fn runs_in(environment: &str, expected: &Path) {
    let sandbox = match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), std::sync::Arc::default()) {
        Ok(sandbox) => sandbox,
        Err(SandboxError::NoBubblewrap) => {
            probare_testing::report_skipped("bubblewrap is not installed (apt-get install bubblewrap)");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let program = Program {
        environment: environment.to_owned(),
        files: vec![("main.py".to_owned(), "import sys, own; print(sys.prefix, own.WORD)".to_owned())],
        steps: vec![ProgramStep::new(&["python3", "main.py"], 20)],
        mebibytes: 256,
        ..Program::default()
    };
    let ran = sandbox.run(&program).unwrap();
    let said = format!("{} its own\n", expected.display());
    assert_eq!(ran.steps[0].output, said, "{ran:?}");
}

/// A virtual environment with a module of its own.
fn made(folder: &Path) -> bool {
    if !venv(folder) {
        probare_testing::report_skipped("python3 makes no virtual environments here");
        return false;
    }
    let packages = fs::read_dir(folder.join("lib")).unwrap().next().unwrap().unwrap().path().join("site-packages");
    fs::write(packages.join("own.py"), "WORD = 'its own'\n").unwrap();
    true
}

#[test]
fn a_virtual_environment_is_shown_at_its_own_path() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("venv");
    if made(&place) {
        runs_in(&format!("venv:{}", place.display()), &place);
        let described = describe(&format!("venv:{}", place.display())).unwrap();
        assert!(described.version.starts_with("3."), "{described:?}");
    }
}

#[test]
fn an_environment_of_conda_is_found_by_its_whole_name_and_run_without_conda() {
    if let Some(place) = std::env::var_os(INSIDE) {
        let place = Path::new(&place);
        let error = PythonEnvironment::Conda("dry".to_owned()).resolve().unwrap_err().to_string();
        assert_eq!(error, "conda has no environment `dry`; there are: base, dryexp");
        runs_in("conda:dryexp", place);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("envs/dryexp");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    if !made(&place) {
        return;
    }
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let list = serde_json::json!({ "envs": [folder.path(), place] });
    let conda = format!("#!/bin/sh\n[ \"$*\" = 'env list --json' ] || exit 9\necho '{list}'\n");
    fs::write(bin.join("conda"), conda).unwrap();
    fs::set_permissions(bin.join("conda"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "environments::an_environment_of_conda_is_found_by_its_whole_name_and_run_without_conda",
            "--exact",
            "--nocapture",
        ])
        .env(INSIDE, &place)
        .env("PATH", path)
        .env_remove("CONDA_EXE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Set in the process that finds the stand-in for uv on its PATH.
const WITH_UV: &str = "PROBARE_TEST_UV";

#[test]
fn an_environment_is_made_with_uv_from_a_list_of_packages() {
    if let Some(folder) = std::env::var_os(WITH_UV) {
        let folder = Path::new(&folder);
        let list = folder.join("requirements.txt");
        let made = create(&folder.join("made"), Some(&list), None).unwrap();
        assert!(made.python.is_file() && made.version.starts_with("3."), "{made:?}");
        let asked = fs::read_to_string(folder.join("asked")).unwrap();
        let python = made.python.display().to_string();
        assert_eq!(asked.trim(), format!("pip install --python {python} -r {}", list.display()));
        let error = create(&folder.join("made"), Some(Path::new("absent.txt")), None).unwrap_err().to_string();
        assert!(error.contains("no such list"), "{error}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(folder.path().join("requirements.txt"), "six\n").unwrap();
    let uv = format!(
        "#!/bin/sh\nif [ $1 = venv ]; then exec python3 -m venv --without-pip \"$2\"; fi\n\
         for last; do :; done\n[ -f \"$last\" ] || {{ echo 'no such list' >&2; exit 2; }}\necho \"$@\" >{}/asked\n",
        folder.path().display()
    );
    fs::write(bin.join("uv"), uv).unwrap();
    fs::set_permissions(bin.join("uv"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["environments::an_environment_is_made_with_uv_from_a_list_of_packages", "--exact", "--nocapture"])
        .env(WITH_UV, folder.path())
        .env("PATH", path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn an_interpreter_that_does_not_start_inside_is_an_error_before_anything_is_run() {
    let sandbox = match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), std::sync::Arc::default()) {
        Ok(sandbox) => sandbox,
        Err(SandboxError::NoBubblewrap) => {
            eprintln!("left out: bubblewrap is not installed (apt-get install bubblewrap)");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    fs::create_dir_all(home.join("bin")).unwrap();
    let python = home.join("bin/python3");
    // It speaks of itself outside and needs a file that is not shown inside.
    let hidden = folder.path().join("library");
    fs::write(&hidden, "").unwrap();
    let told = serde_json::json!({ "executable": python, "prefix": home, "base_prefix": home, "version": "3.12.0" });
    let text =
        format!("#!/bin/sh\n[ -e {} ] || {{ echo 'no library' >&2; exit 127; }}\necho '{told}'\n", hidden.display());
    fs::write(&python, text).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let environment = format!("python:{}", python.display());
    let error = sandbox.interpreter(&environment).unwrap_err();
    assert!(error.remedy().is_some_and(|remedy| remedy.contains("nothing was run")));
    let error = error.to_string();
    assert!(error.contains("does not start inside the sandbox: no library"), "{error}");
}

#[test]
fn an_environment_with_a_pipe_or_a_socket_is_refused() {
    let sandbox = match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), std::sync::Arc::default()) {
        Ok(sandbox) => sandbox,
        Err(SandboxError::NoBubblewrap) => {
            eprintln!("left out: bubblewrap is not installed (apt-get install bubblewrap)");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("venv");
    if made(&place) {
        let _socket = std::os::unix::net::UnixListener::bind(place.join("lib/door")).unwrap();
        let error = sandbox.interpreter(&format!("venv:{}", place.display())).unwrap_err().to_string();
        assert!(error.contains("lib/door` is a socket"), "{error}");
    }
}
