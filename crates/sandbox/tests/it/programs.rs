//! Programs that behave, and some that do not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use probare_core::{Program, ProgramFolder, ProgramStep, StepEnd};
use probare_sandbox::{Sandbox, SandboxChoice, SandboxError, SandboxLimits};

/// A sandbox, or nothing after saying why.
fn sandbox(limits: SandboxLimits) -> Option<Sandbox> {
    match Sandbox::open(SandboxChoice::Auto, limits, Arc::default()) {
        Ok(sandbox) => Some(sandbox),
        Err(SandboxError::NoBubblewrap) => {
            probare_testing::report_skipped("bubblewrap is not installed (apt-get install bubblewrap)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn python(code: &str, seconds: u32) -> Program {
    Program {
        files: vec![("main.py".to_owned(), code.to_owned())],
        steps: vec![ProgramStep::new(&["python3", "main.py"], seconds)],
        mebibytes: 256,
        ..Program::default()
    }
}

#[test]
fn a_program_reads_its_files_and_its_input_and_leaves_files() {
    let Some(sandbox) = sandbox(SandboxLimits::default()) else { return };
    eprintln!("level {} by {}", sandbox.level(), sandbox.description());
    let used = sandbox.record();
    assert!(!used.not_held.is_empty() && used.not_held == sandbox.level().unprotected(), "{used:?}");
    let given = tempfile::tempdir().unwrap();
    std::fs::write(given.path().join("fixture.txt"), "given").unwrap();
    let mut program = python("print(open('data/fixture.txt').read(), open('made.txt').read(), input())", 10);
    program.files.push(("prepare.py".to_owned(), "open('made.txt', 'w').write('made')".to_owned()));
    program.folders.push(ProgramFolder {
        path: "data".to_owned(),
        from: Some(given.path().display().to_string()),
        ..ProgramFolder::default()
    });
    program.steps[0].input = "line\n".to_owned();
    program.steps.insert(0, ProgramStep::new(&["python3", "prepare.py"], 10));
    program.wanted = vec!["made.txt".to_owned(), "absent.txt".to_owned()];
    let ran = sandbox.run(&program).unwrap();
    assert_eq!(ran.steps.len(), 2, "{ran:?}");
    assert_eq!((ran.steps[1].code, ran.steps[1].output.as_str()), (Some(0), "given made line\n"), "{ran:?}");
    assert_eq!(ran.files, [("made.txt".to_owned(), "made".to_owned())]);
}

#[test]
fn what_goes_wrong_in_a_program_is_told_and_is_no_error_of_the_sandbox() {
    let Some(sandbox) = sandbox(SandboxLimits { output_bytes: 1 << 20, ..SandboxLimits::default() }) else { return };
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
    assert_eq!((ran.steps[0].end, ran.steps[0].code), (StepEnd::TimedOut, None));
    assert!(start.elapsed() < Duration::from_secs(10));

    let ran = sandbox.run(&python("while True: print('x' * 1000)", 60)).unwrap();
    assert_eq!(
        (ran.steps[0].end, ran.steps[0].is_cut, ran.steps[0].output.len()),
        (StepEnd::TooMuchOutput, true, 1 << 20)
    );

    let ran =
        sandbox.run(&python("x = bytearray(1 << 30)\nx[::4096] = b'1' * len(x[::4096])\nprint('had it')", 60)).unwrap();
    assert!(!ran.steps[0].output.contains("had it"), "{ran:?}");

    // A step that fails is the last.
    let mut two = python("print('second')", 10);
    two.steps.insert(0, ProgramStep::new(&["/bin/sh", "-c", "exit 3"], 10));
    let ran = sandbox.run(&two).unwrap();
    assert_eq!((ran.steps.len(), ran.steps[0].code), (1, Some(3)));
}

#[test]
fn what_a_program_does_to_itself_is_its_own_failure_and_no_error_of_the_sandbox() {
    let Some(sandbox) = sandbox(SandboxLimits::default()) else { return };
    // It takes from the first process what that needs to go on, then from itself.
    let code = "import os, resource\n\
                told = []\n\
                for process in (1, 0):\n\
                \x20   for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):\n\
                \x20       try:\n\
                \x20           resource.prlimit(process, kind, (0, 0))\n\
                \x20           told.append((process, 'done'))\n\
                \x20       except PermissionError:\n\
                \x20           told.append((process, 'refused'))\n\
                print(told)\n";
    let mut program = python(code, 10);
    program.files.push(("left.txt".to_owned(), "left".to_owned()));
    program.wanted = vec!["left.txt".to_owned()];
    let ran = sandbox.run(&program).unwrap();
    assert!(!ran.steps[0].output.contains("(1, 'done')"), "{ran:?}");
    assert!(ran.steps[0].output.contains("(0, 'done')"), "{ran:?}");
    assert_eq!(ran.files, [("left.txt".to_owned(), "left".to_owned())]);

    // Processes that it leaves behind keep nobody from bringing its files back.
    let code = "import os, sys\n\
                for _ in range(400):\n\
                \x20   try:\n\
                \x20       if os.fork() == 0:\n\
                \x20           os.setsid(); os.execv('/bin/sleep', ['sleep', '60'])\n\
                \x20   except OSError:\n\
                \x20       break\n\
                open('left.txt', 'w').write('left')\n";
    let mut program = python(code, 20);
    program.wanted = vec!["left.txt".to_owned()];
    let ran = sandbox.run(&program).unwrap();
    assert_eq!(ran.files, [("left.txt".to_owned(), "left".to_owned())], "{ran:?}");

    // A file that is too large to be brought back is not brought back.
    let mut program = python("open('report.json', 'w').write('x' * (20 << 20))", 20);
    program.wanted = vec!["report.json".to_owned(), "main.py".to_owned()];
    let ran = sandbox.run(&program).unwrap();
    assert_eq!((ran.steps[0].code, ran.oversized.as_slice()), (Some(0), ["report.json".to_owned()].as_slice()));
    assert!(ran.files.iter().all(|(name, _)| name != "report.json"), "{ran:?}");

    // As a shell says that there is no program: it is the program that says so.
    let ran = sandbox.run(&python("import os; os._exit(127)", 10)).unwrap();
    assert_eq!(ran.steps[0].code, Some(127));
}

#[test]
fn a_step_that_is_not_there_is_an_error_of_the_sandbox() {
    let Some(sandbox) = sandbox(SandboxLimits::default()) else { return };
    let program =
        Program { steps: vec![ProgramStep::new(&["/no/such/program"], 10)], mebibytes: 64, ..Program::default() };
    let error = sandbox.run(&program).unwrap_err().to_string();
    assert!(error.contains("what a step runs is not there"), "{error}");
}

#[test]
fn files_are_counted() {
    let Some(sandbox) = sandbox(SandboxLimits { files: 2000, ..SandboxLimits::default() }) else { return };
    let code = |folder: &str, count: usize| {
        format!(
            "import time\nfor n in range({count}):\n    open('{folder}/f%d' % n, 'w').close()\ntime.sleep(0.5)\nprint('made')"
        )
    };
    for folder in [".", "/tmp", "/dev/shm"] {
        let ran = sandbox.run(&python(&code(folder, 50_000), 30)).unwrap();
        assert_eq!(ran.steps[0].end, StepEnd::TooManyFiles, "{folder}: {ran:?}");
    }
    let ran = sandbox.run(&python(&code(".", 1000), 30)).unwrap();
    assert_eq!(ran.steps[0].output, "made\n", "{ran:?}");
}

#[test]
fn only_the_beginning_of_what_is_printed_is_kept() {
    let Some(sandbox) = sandbox(SandboxLimits::default()) else { return };
    let ran = sandbox.run(&python("print('a' + 'x' * (15 << 20))", 20)).unwrap();
    let step = &ran.steps[0];
    assert_eq!((step.end, step.code, step.is_cut), (StepEnd::Exited, Some(0), true));
    assert_eq!((step.output.len(), &step.output[..2]), (SandboxLimits::default().kept_bytes, "ax"));
}

#[test]
fn a_folder_with_a_pipe_or_a_socket_is_not_given_to_a_program() {
    for choice in [SandboxChoice::Auto, SandboxChoice::None] {
        let sandbox = match Sandbox::open(choice, SandboxLimits::default(), Arc::default()) {
            Ok(sandbox) => sandbox,
            Err(SandboxError::NoBubblewrap) => continue,
            Err(error) => panic!("{error}"),
        };
        let given = tempfile::tempdir().unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(given.path().join("door")).unwrap();
        let mut program = python("print(1)", 10);
        program.folders.push(ProgramFolder {
            path: "data".to_owned(),
            from: Some(given.path().display().to_string()),
            ..ProgramFolder::default()
        });
        let error = sandbox.run(&program).unwrap_err().to_string();
        assert!(error.contains("door` is a socket"), "{error}");
    }
}

#[test]
fn two_programs_share_two_pipes_and_nothing_else() {
    for choice in [SandboxChoice::Auto, SandboxChoice::None] {
        let sandbox = match Sandbox::open(choice, SandboxLimits::default(), Arc::default()) {
            Ok(sandbox) => sandbox,
            Err(SandboxError::NoBubblewrap) => continue,
            Err(error) => panic!("{error}"),
        };
        let asks = "import os\n\
                    os.write(8, b'question\\n')\n\
                    print(os.read(7, 100).decode(), os.path.exists('secret.txt'))\n\
                    print(os.read(7, 100))\n";
        let answers = "import glob, os\n\
                       word = os.read(7, 100).decode().strip()\n\
                       seen = [p for p in glob.glob('/proc/[0-9]*/root/**/secret.txt') + glob.glob('secret.txt')]\n\
                       os.write(8, ('%s heard, %s' % (word, seen)).encode())\n";
        let mut program = python(asks, 10);
        program.files.push(("secret.txt".to_owned(), "secret".to_owned()));
        program.under_test = Some(Box::new(python(answers, 10)));
        let ran = sandbox.run(&program).unwrap();
        assert_eq!(ran.steps[0].output, "question heard, [] True\nb''\n", "{ran:?}");
        let theirs = ran.under_test.as_deref().unwrap();
        assert_eq!(theirs.steps[0].code, Some(0), "{theirs:?}");

        // One that does not end is ended with the one that it works for.
        let start = Instant::now();
        program.files[0].1 = "print('done')".to_owned();
        program.under_test = Some(Box::new(python("import time\ntime.sleep(60)", 60)));
        let ran = sandbox.run(&program).unwrap();
        assert_eq!(ran.steps[0].output, "done\n");
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        assert!(ran.under_test.unwrap().steps.iter().all(|step| step.code != Some(0)));
    }
}

/// What scientific programs and their tools do. Each line is tried by itself.
const ORDINARY: &str = r#"
import concurrent.futures, ctypes, mmap, multiprocessing, os, signal, socket, sqlite3, subprocess, sys, tempfile, threading, time
from multiprocessing import shared_memory

def tried(name, body):
    try:
        body()
    except BaseException as error:
        print("%s: %s: %s" % (name, type(error).__name__, error))

def numpy_works():
    import numpy as np
    a = np.random.default_rng(1).random((400, 400))
    assert np.allclose(a @ np.linalg.inv(a), np.eye(400), atol=1e-6)
    np.save("a.npy", a)
    assert np.load("a.npy", mmap_mode="r")[3, 4] == a[3, 4]
    assert np.fft.fft(a).shape == a.shape

def scipy_works():
    import numpy as np
    from scipy import fft, integrate, linalg, optimize, sparse, stats
    assert abs(integrate.quad(np.sin, 0, np.pi)[0] - 2) < 1e-9
    assert optimize.minimize(lambda x: (x[0] - 3) ** 2, [0.0]).success
    assert linalg.svd(np.eye(50))[1].sum() > 49
    assert sparse.random(100, 100, 0.1, random_state=1).tocsr().sum() > 0
    assert fft.rfft(np.ones(64), workers=2)[0] == 64
    assert 0 <= stats.ttest_ind([1, 2, 3], [2, 3, 4]).pvalue <= 1

def pandas_works():
    import pandas as pd
    frame = pd.DataFrame({"a": range(1000), "b": [n % 7 for n in range(1000)]})
    frame.to_csv("f.csv", index=False)
    assert pd.read_csv("f.csv").groupby("b").a.mean().size == 7
    assert pd.date_range("2024-01-01", periods=3, tz="UTC")[2].day == 3

def threads():
    found = []
    many = [threading.Thread(target=lambda n=n: found.append(n)) for n in range(20)]
    [one.start() for one in many]
    [one.join() for one in many]
    assert sorted(found) == list(range(20))

def processes():
    for kind in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(kind).Pool(2) as pool:
            assert pool.map(abs, [-1, 2]) == [1, 2], kind
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert list(pool.map(abs, [-3])) == [3]

def shared():
    memory = shared_memory.SharedMemory(create=True, size=4096)
    memory.buf[0] = 7
    memory.close()
    memory.unlink()
    queue = multiprocessing.Queue()
    queue.put(1)
    assert queue.get(timeout=5) == 1

def programs():
    assert subprocess.run("echo a | tr a b; ls -la >/dev/null; sort </dev/null; date >/dev/null; cp main.py c.py; tar cf c.tar c.py; mv c.py d.py; chmod 600 d.py; rm d.py",
                          shell=True, capture_output=True, text=True, check=True).stdout == "b\n"
    assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, start_new_session=True).stdout == b"1\n"

def waiting():
    import asyncio, selectors
    async def slow():
        process = await asyncio.create_subprocess_exec("true")
        return await process.wait()
    assert asyncio.run(slow()) == 0
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(0.05)
    assert signal.getsignal(signal.SIGALRM)

def local():
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    server.accept()[0].sendall(b"x")
    assert client.recv(1) == b"x"
    a, b = socket.socketpair()
    a.send(b"y")
    assert b.recv(1) == b"y"

def storage():
    connection = sqlite3.connect("x.db")
    connection.execute("create table t (a)")
    connection.commit()
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x" * 8192)
        file.flush()
        assert mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)[0] == 120
    os.nice(1)
    os.sched_getaffinity(0)
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    import resource, shutil
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    shutil.copytree(".", "/tmp/copy")
    os.mkfifo("/tmp/pipe")
    os.link("x.db", "y.db")

if __name__ == "__main__":
    for body in [threads, processes, shared, programs, waiting, local, storage] + ([numpy_works, scipy_works, pandas_works] if "libraries" in sys.argv else []):
        tried(body.__name__, body)
    print("over")
"#;

/// A virtual environment with numpy, scipy and pandas, made once under `target`; nothing where they cannot be had.
fn libraries() -> Option<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/sandbox-libraries");
    let python = folder.join("bin/python");
    let is_fine = |command: &mut std::process::Command| command.output().is_ok_and(|output| output.status.success());
    let has_all = || is_fine(std::process::Command::new(&python).args(["-c", "import numpy, scipy, pandas"]));
    if !has_all() {
        let _ = is_fine(std::process::Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && is_fine(std::process::Command::new(&python).args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--timeout",
                "20",
                "--only-binary",
                ":all:",
                "numpy",
                "scipy",
                "pandas",
            ]));
    }
    has_all().then(|| format!("venv:{}", folder.canonicalize().unwrap().display()))
}

#[test]
fn the_list_of_system_calls_is_enough_for_scientific_programs_and_their_tools() {
    let Some(sandbox) = sandbox(SandboxLimits::default()) else { return };
    let mut environments = vec![String::new()];
    match libraries() {
        Some(environment) => environments.push(environment),
        None => eprintln!("left out: numpy, scipy and pandas, which could not be installed"),
    }
    for environment in environments {
        let mut program = python(ORDINARY, 120);
        program.mebibytes = 1024;
        program.steps[0].command.extend((!environment.is_empty()).then(|| "libraries".to_owned()));
        program.environment = environment;
        let ran = sandbox.run(&program).unwrap();
        assert_eq!(ran.steps[0].output, "over\n", "{} {ran:?}", program.environment);
    }
}
