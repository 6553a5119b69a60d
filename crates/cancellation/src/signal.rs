//! The interruption of the whole program: what a signal sets.

use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::CancelledError;

/// A signal is sent to a process, so there is one flag a process.
static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that a signal sets. Whoever handles signals sets it; whatever waits for a file looks at it.
pub fn interruption_flag() -> Arc<AtomicBool> {
    Arc::clone(INTERRUPTED.get_or_init(Arc::default))
}

/// Whether an error says that the program was interrupted, itself or in its cause.
pub fn is_interrupt_error(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if error.is::<CancelledError>() || inside.and_then(|inside| inside.downcast_ref::<CancelledError>()).is_some() {
            return true;
        }
        next = error.source();
    }
    false
}

/// The error of whatever waited when the signal came. Its kind is not `Interrupted`, after which readers would try again.
pub(crate) fn interrupt_error() -> io::Error {
    io::Error::other(CancelledError)
}

/// Fails where the program was interrupted.
pub(crate) fn check_interrupted() -> io::Result<()> {
    if INTERRUPTED.get().is_some_and(|flag| flag.load(Ordering::Relaxed)) { Err(interrupt_error()) } else { Ok(()) }
}
