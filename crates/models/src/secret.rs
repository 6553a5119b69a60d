//! [`Secret`] and [`Redactor`]: keys are read from named variables, sent in headers, and shown nowhere.
//!
//! A secret has no `Debug`, no `Display` and no serialisation, and its memory is cleared when it goes. Whatever comes
//! from outside (an error body may echo the key it was sent) passes the redactor before it is shown, recorded or handed
//! on. From complaints every run of eight bytes that is part of a key is taken out; from texts, which are data, whole keys
//! of sixteen bytes and more, so that words that a key happens to hold stay words. What is sent is never changed.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use zeroize::Zeroizing;

/// A run of this many bytes of a key is enough to be taken out of a complaint. Shorter keys protect nothing (`not_in_cassette`, `EMPTY`).
pub const KEY_FRAGMENT: usize = 8;

/// Bytes of a key from which on the whole of it is taken out of texts.
pub const WHOLE_KEY: usize = 16;

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
pub struct Redactor(Arc<RwLock<KnownKeys>>);

#[derive(Default)]
struct KnownKeys {
    runs: HashSet<[u8; KEY_FRAGMENT]>,
    /// Long keys, the longest first: one may begin with another.
    keys: Vec<Zeroizing<String>>,
}

impl Redactor {
    /// From now on this key is taken out.
    pub fn learn(&self, secret: &Secret) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let key = secret.expose();
        known
            .runs
            .extend(key.as_bytes().windows(KEY_FRAGMENT).filter_map(|run| <[u8; KEY_FRAGMENT]>::try_from(run).ok()));
        if key.len() >= WHOLE_KEY && !known.keys.iter().any(|other| other.as_str() == key) {
            known.keys.push(Zeroizing::new(key.to_owned()));
            known.keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        }
    }

    /// A text that is data (a question, a reply, a body) without whole keys.
    pub fn clean_text(&self, text: String) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.keys.iter().fold(text, |text, key| {
            if text.contains(key.as_str()) { text.replace(key.as_str(), REDACTED) } else { text }
        })
    }

    /// A complaint, an error or a header without any run of a key.
    pub fn clean(&self, text: String) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let runs = &known.runs;
        if runs.is_empty() {
            return text;
        }
        // Ranges of bytes that belong to a key, joined where they touch.
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (at, run) in text.as_bytes().windows(KEY_FRAGMENT).enumerate() {
            if <[u8; KEY_FRAGMENT]>::try_from(run).is_ok_and(|run| runs.contains(&run)) {
                match ranges.last_mut() {
                    Some((_, end)) if *end >= at => *end = at + KEY_FRAGMENT,
                    _ => ranges.push((at, at + KEY_FRAGMENT)),
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
    fn texts_lose_whole_keys_and_keep_their_words() {
        let redactor = redactor("sk-no-key-required");
        let words = "No key is required: no-key-required for a passport.";
        assert_eq!(redactor.clean_text(words.into()), words);
        assert_eq!(redactor.clean_text("use sk-no-key-required.".into()), "use [redacted].");
        assert_eq!(redactor.clean(words.into()), "No key is [redacted]: [redacted] for a passport.", "a complaint");
        redactor.learn(&Secret::new("sk-no-key-required-longer"));
        assert_eq!(redactor.clean_text("sk-no-key-required-longer".into()), "[redacted]");
    }

    #[test]
    fn short_keys_leave_texts_alone() {
        assert_eq!(redactor("hunter2-hunter2").clean_text("hunter2-hunter2".into()), "hunter2-hunter2");
        assert_eq!(redactor("EMPTY").clean("the bottle is EMPTY".into()), "the bottle is EMPTY");
    }

    #[test]
    fn core_dumps_are_off() {
        forbid_core_dumps();
        #[cfg(unix)]
        assert_eq!(rustix::process::getrlimit(rustix::process::Resource::Core).current, Some(0));
    }
}
