//! [`Mark`]: a sign on the settings of a run that this user made, and nobody else can make.
//!
//! Settings name programs and addresses. A store may come from anybody, so what its runs name outside is used again only
//! where the settings carry the mark: an HMAC (RFC 2104, with SHA-256) under a key that lies in the user's own folder of
//! configuration, readable to that user alone.

use std::path::PathBuf;

use probare_core::Sha256;
use probare_report::Output;

/// Bytes of a key, and of the blocks that SHA-256 works on.
const KEY: usize = 32;
const BLOCK: usize = 64;

/// The key of this user.
pub(crate) struct Mark {
    key: Vec<u8>,
}

impl Mark {
    /// The key of this user, which is made where there is none; nothing where it can be neither read nor made.
    pub fn of_user() -> Option<Self> {
        let path = folder()?.join("key");
        let read = || std::fs::read(&path).ok().filter(|key| key.len() == KEY);
        if let Some(key) = read() {
            return Some(Self { key });
        }
        let mut key = vec![0; KEY];
        getrandom::fill(&mut key).ok()?;
        // Another process may have been first: its key is the one.
        let made = Output::write_secret(&path, &key);
        made.ok().map(|()| key).or_else(read).map(|key| Self { key })
    }

    /// The mark on a text.
    pub fn on(&self, text: &str) -> String {
        let pad = |byte: u8| -> Vec<u8> {
            let mut block = self.key.clone();
            block.resize(BLOCK, 0);
            block.iter().map(|part| part ^ byte).collect()
        };
        let mut inner = Sha256::default();
        inner.update(pad(0x36));
        inner.update(text);
        let mut outer = Sha256::default();
        outer.update(pad(0x5c));
        outer.update(inner.digest());
        outer.hex()
    }

    /// Whether this is the mark on a text.
    pub fn is_on(&self, text: &str, mark: &str) -> bool {
        let own = self.on(text);
        // As long for every wrong mark as for the right one.
        own.len() == mark.len() && own.bytes().zip(mark.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
    }
}

/// The user's own folder of configuration.
fn folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = variable("XDG_CONFIG_HOME").or_else(|| variable("HOME").map(|home| home.join(".config")))?;
    Some(config.join("probare"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_the_standard() {
        // RFC 4231, test case 2; a key of another length than ours is padded in the same way.
        let mark = Mark { key: b"Jefe".to_vec() };
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(mark.on("what do ya want for nothing?"), known);
        assert!(mark.is_on("what do ya want for nothing?", known));
        assert!(!mark.is_on("what do ya want for nothing!", known));
        assert!(!mark.is_on("what do ya want for nothing?", ""));
    }
}
