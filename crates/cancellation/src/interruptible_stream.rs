//! [`InterruptibleStream`]: a stream that may keep one waiting for ever, and that a signal wakes up.
//!
//! Opening a named pipe waits for its other end, and so does reading what nobody writes. The system starts such a call
//! again after a signal, so only `kill -9` would end it. Here the wait is cut into short ones, with a look at the
//! [interruption](crate::interruption) between them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// A stream whose other end may be slow.
#[derive(Debug)]
pub struct InterruptibleStream(File);

#[cfg(unix)]
mod unix {
    use std::fs::OpenOptions;
    use std::os::fd::{AsFd as _, BorrowedFd};
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    use super::{File, InterruptibleStream, Path, Read, Write, io};
    use crate::signal;

    /// How long a signal may go unnoticed.
    const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

    fn may_wait(file: &File) -> bool {
        file.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
    }

    fn nonblocking_flags() -> i32 {
        // The bits of the system's flags, which are the same however their type is called.
        OFlags::NONBLOCK.bits().cast_signed()
    }

    /// Opens a file to be read: as it is where it is a regular file or a folder, else as something that may keep one waiting.
    pub fn open_to_read(path: &Path) -> io::Result<Result<File, InterruptibleStream>> {
        signal::check_interrupted()?;
        let file = OpenOptions::new().read(true).custom_flags(nonblocking_flags()).open(path)?;
        Ok(if may_wait(&file) { Err(InterruptibleStream(file)) } else { Ok(file) })
    }

    /// Opens something that is there and no regular file, to be written: a named pipe, once somebody reads it, or a device.
    pub fn open_to_write(path: &Path) -> io::Result<InterruptibleStream> {
        loop {
            signal::check_interrupted()?;
            let opened = OpenOptions::new().write(true).custom_flags(nonblocking_flags()).open(path);
            match opened {
                // Nobody has opened the other end yet.
                Err(error)
                    if error.raw_os_error() == Some(Errno::NXIO.raw_os_error())
                        && std::fs::metadata(path)?.file_type().is_fifo() =>
                {
                    std::thread::sleep(BETWEEN_LOOKS);
                }
                other => return other.map(InterruptibleStream),
            }
        }
    }

    /// Standard input, without a buffer of its own.
    pub fn standard_input() -> io::Result<InterruptibleStream> {
        Ok(InterruptibleStream(io::stdin().as_fd().try_clone_to_owned()?.into()))
    }

    /// Waits until something can be read or written, or the other end is gone.
    fn wait(stream: BorrowedFd<'_>, wanted: PollFlags) -> io::Result<()> {
        let time = Timespec { tv_sec: 0, tv_nsec: BETWEEN_LOOKS.subsec_nanos().into() };
        loop {
            signal::check_interrupted()?;
            match poll(&mut [PollFd::from_borrowed_fd(stream, wanted)], Some(&time)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    impl Read for InterruptibleStream {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                wait(self.0.as_fd(), PollFlags::IN)?;
                match self.0.read(buffer) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    other => return other,
                }
            }
        }
    }

    impl Write for InterruptibleStream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            loop {
                match self.0.write(bytes) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait(self.0.as_fd(), PollFlags::OUT)?,
                    other => return other,
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
}

#[cfg(not(unix))]
mod other {
    use super::{File, InterruptibleStream, Path, Read, Write, io};

    /// Opens a file to be read: as it is where it is a regular file or a folder, else as something that may keep one waiting.
    pub fn open_to_read(path: &Path) -> io::Result<Result<File, InterruptibleStream>> {
        File::open(path).map(Ok)
    }

    /// Opens something that is there and no regular file, to be written: a named pipe, once somebody reads it, or a device.
    pub fn open_to_write(path: &Path) -> io::Result<InterruptibleStream> {
        std::fs::OpenOptions::new().write(true).open(path).map(InterruptibleStream)
    }

    /// Standard input, without a buffer of its own.
    pub fn standard_input() -> io::Result<InterruptibleStream> {
        use std::os::windows::io::AsHandle as _;
        Ok(InterruptibleStream(io::stdin().as_handle().try_clone_to_owned()?.into()))
    }

    impl Read for InterruptibleStream {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for InterruptibleStream {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
}

#[cfg(not(unix))]
pub use other::{open_to_read, open_to_write, standard_input};
#[cfg(unix)]
pub use unix::{open_to_read, open_to_write, standard_input};
