//! Programs that behave, and some that do not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probare_core::{End, Folder, Program, Step};
use probare_sandbox::{Choice, Limits, Sandbox, SandboxError};

/// A sandbox, or nothing after saying why.
fn sandbox(limits: Limits) -> Option<Sandbox> {
    match Sandbox::open(Choice::Auto, limits, Arc::default()) {
        Ok(sandbox) => Some(sandbox),
        Err(SandboxError::NoBubblewrap) => {
            probare_testing::left_out("bubblewrap is not installed (apt-get install bubblewrap)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn python(code: &str, seconds: u32) -> Program {
    Program {
        files: vec![("main.py".to_owned(), code.to_owned())],
        steps: vec![Step::new(&["python3", "main.py"], seconds)],
        mebibytes: 256,
        ..Program::default()
    }
}

#[test]
fn a_program_reads_its_files_and_its_input_and_leaves_files() {
    let Some(sandbox) = sandbox(Limits::default()) else { return };
    eprintln!("level {} by {}", sandbox.level(), sandbox.by());
    let given = tempfile::tempdir().unwrap();
    std::fs::write(given.path().join("fixture.txt"), "given").unwrap();
    let mut program = python("print(open('data/fixture.txt').read(), open('made.txt').read(), input())", 10);
    program.files.push(("prepare.py".to_owned(), "open('made.txt', 'w').write('made')".to_owned()));
    program.folders.push(Folder {
        path: "data".to_owned(),
        from: Some(given.path().display().to_string()),
        ..Folder::default()
    });
    program.steps[0].input = "line\n".to_owned();
    program.steps.insert(0, Step::new(&["python3", "prepare.py"], 10));
    program.wanted = vec!["made.txt".to_owned(), "absent.txt".to_owned()];
    let ran = sandbox.run(&program).unwrap();
    assert_eq!(ran.steps.len(), 2, "{ran:?}");
    assert_eq!((ran.steps[1].code, ran.steps[1].output.as_str()), (Some(0), "given made line\n"), "{ran:?}");
    assert_eq!(ran.files, [("made.txt".to_owned(), "made".to_owned())]);
}

#[test]
fn what_goes_wrong_in_a_program_is_told_and_is_no_error_of_the_sandbox() {
    let Some(sandbox) = sandbox(Limits { output_bytes: 1 << 20, ..Limits::default() }) else { return };
    let ran = sandbox.run(&python("import sys; print('out'); sys.exit('err')", 10)).unwrap();
    assert_eq!(
        (ran.steps[0].code, ran.steps[0].output.as_str(), ran.steps[0].errors.as_str()),
        (Some(1), "out\n", "err\n")
    );
    let ran = sandbox.run(&python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 10)).unwrap();
    assert_eq!(ran.steps[0].code, Some(137));
    assert_eq!(ran.steps[0].errors, "");

    let start = Instant::now();
    let mut forever = python("while True: pass", 1);
    forever.steps[0].milliseconds = 300;
    let ran = sandbox.run(&forever).unwrap();
    assert_eq!((ran.steps[0].end, ran.steps[0].code), (End::TimedOut, None));
    assert!(start.elapsed() < Duration::from_secs(10));

    let ran = sandbox.run(&python("while True: print('x' * 1000)", 60)).unwrap();
    assert_eq!((ran.steps[0].end, ran.steps[0].is_cut, ran.steps[0].output.len()), (End::TooMuchOutput, true, 1 << 20));

    let ran =
        sandbox.run(&python("x = bytearray(1 << 30)\nx[::4096] = b'1' * len(x[::4096])\nprint('had it')", 60)).unwrap();
    assert!(!ran.steps[0].output.contains("had it"), "{ran:?}");

    // A step that fails is the last.
    let mut two = python("print('second')", 10);
    two.steps.insert(0, Step::new(&["/bin/sh", "-c", "exit 3"], 10));
    let ran = sandbox.run(&two).unwrap();
    assert_eq!((ran.steps.len(), ran.steps[0].code), (1, Some(3)));
}
