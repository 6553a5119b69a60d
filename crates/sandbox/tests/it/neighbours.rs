//! What one program does is nothing to the others.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use probare_core::{Program, ProgramStep, StepEnd};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits};

fn python(code: &str, milliseconds: u64) -> Program {
    let mut step = ProgramStep::new(&["python3", "main.py"], 1);
    step.milliseconds = milliseconds;
    Program {
        files: vec![("main.py".to_owned(), code.to_owned())],
        steps: vec![step],
        mebibytes: 256,
        ..Program::default()
    }
}

#[test]
fn one_that_never_ends_one_that_prints_without_end_and_one_that_kills_its_parent_disturb_nobody() {
    let sandbox = match Sandbox::open(SandboxChoice::Auto, SandboxLimits::default(), Arc::default()) {
        Ok(sandbox) => sandbox,
        Err(SandboxError::NoBubblewrap) => {
            probare_testing::report_skipped("bubblewrap is not installed (apt-get install bubblewrap)");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let start = Instant::now();
    thread::scope(|scope| {
        let run = |program: Program| {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.run(&program).unwrap())
        };
        let forever = run(python("while True: pass", 4000));
        // 10 GB, were it let.
        let flood = run(python("import os\nfor _ in range(10240): os.write(1, b'x' * (1 << 20))", 60_000));
        let killer = run(python(
            "import os, signal\nfor target in (os.getppid(), 1, -1):\n    os.kill(target, signal.SIGKILL)",
            10_000,
        ));
        let quiet: Vec<_> =
            (0..12).map(|number| run(python(&format!("print(sum(range({number})))"), 30_000))).collect();
        for (number, thread) in quiet.into_iter().enumerate() {
            let ran = thread.join().unwrap();
            let expected = format!("{}\n", (0..number).sum::<usize>());
            assert_eq!((ran.steps[0].code, ran.steps[0].output.as_str()), (Some(0), expected.as_str()));
        }
        assert_eq!(forever.join().unwrap().steps[0].end, StepEnd::TimedOut);
        let flood = flood.join().unwrap();
        assert_eq!(
            (flood.steps[0].end, flood.steps[0].output.len()),
            (StepEnd::TooMuchOutput, SandboxLimits::default().kept_bytes)
        );
        assert_ne!(killer.join().unwrap().steps[0].code, Some(0));
    });
    assert!(start.elapsed() < Duration::from_secs(55), "it took {:?}", start.elapsed());
}
