//! [`Secret`] and [`Redactor`]: keys are read from named variables, sent in headers, and shown nowhere.
//!
//! A secret has no `Debug`, no `Display` and no serialisation, and its memory is cleared when it goes. Whatever comes
//! from outside (an error body may echo the key it was sent) passes the redactor before it is shown, recorded or handed
//! on: every run of eight bytes that is part of a key that was read is taken out.

use std::collections::HashSet;
use std::sync::{Arc, RwLock};

use zeroize::Zeroizing;

/// A run of this many bytes of a key is enough to be taken out. Shorter keys protect nothing (`none`, `EMPTY`).
pub const RUN: usize = 8;

/// What stands where a key was.
pub const REDACTED: &str = "[redacted]";

/// A key. It can be sent, and that is all.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a key over; spaces around it, as files of variables leave them, go.
    pub fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    /// What can be made of the key without keeping it: a digest.
    pub fn with<T>(&self, make: impl FnOnce(&str) -> T) -> T {
        make(&self.0)
    }

    /// The key itself, for a header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

/// Takes keys out of texts. Clones share what they know.
#[derive(Clone, Default)]
pub struct Redactor(Arc<RwLock<HashSet<[u8; RUN]>>>);

impl Redactor {
    /// From now on this key is taken out.
    pub fn learn(&self, secret: &Secret) {
        let mut runs = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        runs.extend(secret.expose().as_bytes().windows(RUN).filter_map(|run| <[u8; RUN]>::try_from(run).ok()));
    }

    /// The text without any run of a key.
    pub fn clean(&self, text: String) -> String {
        let runs = self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        if runs.is_empty() {
            return text;
        }
        // Ranges of bytes that belong to a key, joined where they touch.
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (at, run) in text.as_bytes().windows(RUN).enumerate() {
            if <[u8; RUN]>::try_from(run).is_ok_and(|run| runs.contains(&run)) {
                match ranges.last_mut() {
                    Some((_, end)) if *end >= at => *end = at + RUN,
                    _ => ranges.push((at, at + RUN)),
                }
            }
        }
        if ranges.is_empty() {
            return text;
        }
        let mut clean = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in ranges {
            // A key may be cut inside a character; the whole character goes then.
            let (start, end) = (text.floor_char_boundary(start), text.ceil_char_boundary(end));
            clean.push_str(text.get(from..start).unwrap_or_default());
            clean.push_str(REDACTED);
            from = end;
        }
        clean.push_str(text.get(from..).unwrap_or_default());
        clean
    }

    /// The bytes as text, without any run of a key.
    pub fn clean_bytes(&self, bytes: &[u8]) -> String {
        self.clean(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Switches core dumps off: a dump of a process that holds keys would hold them too.
pub fn forbid_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Core).maximum;
        // Lowering the limit of the process itself is always allowed; if a system says no, nothing is worse than before.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(key: &str) -> Redactor {
        let redactor = Redactor::default();
        redactor.learn(&Secret::new(key));
        redactor
    }

    #[test]
    fn whole_and_partial_keys_are_taken_out() {
        let redactor = redactor("canary-0123456789-abcdef");
        assert_eq!(redactor.clean("key canary-0123456789-abcdef is bad".into()), "key [redacted] is bad");
        assert_eq!(redactor.clean("key canary-0****9-abcdef is bad".into()), "key [redacted]****[redacted] is bad");
        assert_eq!(redactor.clean("é0123456789é".into()), "é[redacted]é");
        assert_eq!(redactor.clean("nothing of it: canary".into()), "nothing of it: canary");
    }

    #[test]
    fn short_keys_leave_texts_alone() {
        assert_eq!(redactor("EMPTY").clean("the bottle is EMPTY".into()), "the bottle is EMPTY");
    }

    #[test]
    fn core_dumps_are_off() {
        forbid_core_dumps();
        #[cfg(unix)]
        assert_eq!(rustix::process::getrlimit(rustix::process::Resource::Core).current, Some(0));
    }
}
