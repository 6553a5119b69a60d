//! Named pipes: bytes pass as they do through files, and whoever waits for the other end is woken by the interruption.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use probare_cancellation::{interruption_flag, is_interrupt_error, open_to_read, open_to_write};

fn pipe(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(name);
    #[expect(clippy::disallowed_methods, reason = "a test that makes a pipe")]
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}

/// One test, since the interruption is that of the whole program.
#[test]
fn bytes_pass_and_a_signal_ends_the_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = pipe(&folder, "there");
    let content = "line\n".repeat(100_000);
    let writer = {
        let (path, content) = (path.clone(), content.clone());
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            open_to_write(&path).unwrap().write_all(content.as_bytes()).unwrap();
        })
    };
    let mut read = String::new();
    open_to_read(&path).unwrap().unwrap_err().read_to_string(&mut read).unwrap();
    writer.join().unwrap();
    assert_eq!(read, content);
    assert!(open_to_read(folder.path()).unwrap().is_ok());

    let (nobody_writes, nobody_reads, full) = (pipe(&folder, "a"), pipe(&folder, "b"), pipe(&folder, "c"));
    // Somebody opened it and does not read.
    let idle = File::options().read(true).write(true).open(&full).unwrap();
    let waits = [
        thread::spawn(move || {
            open_to_read(&nobody_writes).and_then(|file| file.unwrap_err().read_to_end(&mut Vec::new())).map(|_| ())
        }),
        thread::spawn(move || open_to_write(&nobody_reads).map(|_| ())),
        thread::spawn(move || open_to_write(&full).and_then(|mut file| file.write_all(&vec![0; 1 << 20]))),
    ];
    thread::sleep(Duration::from_millis(200));
    assert!(waits.iter().all(|wait| !wait.is_finished()));
    let since = Instant::now();
    interruption_flag().store(true, Ordering::Relaxed);
    for wait in waits {
        let error = wait.join().unwrap().unwrap_err();
        assert!(is_interrupt_error(&error), "{error}");
    }
    assert!(since.elapsed() < Duration::from_secs(1));
    drop(idle);
}
