//! The mark of this user on the plan of a run.
//!
//! A plan names a configuration and models, and `resume` goes on with them. A store may come from anybody; so what its plans
//! name is used only where the plan carries a mark that was made with a key in this user's own configuration folder. Without
//! it the user names the configuration.

use std::env;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use probare_core::Sha256;
use probare_models::random_bytes;

use super::RunPlan;

/// Bytes of the key.
const LENGTH: usize = 32;

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

impl RunPlan {
    /// The plan with the mark of this user, where a key can be had.
    #[must_use]
    pub fn marked(mut self) -> Self {
        self.mark = None;
        self.mark = key_file().and_then(|file| key(&file, true)).map(|key| made(&self, &key));
        self
    }

    /// Whether this user began the run.
    pub fn is_marked(&self) -> bool {
        let Some(key) = key_file().and_then(|file| key(&file, false)) else { return false };
        let unmarked = Self { mark: None, ..self.clone() };
        self.mark.as_ref().is_some_and(|mark| *mark == made(&unmarked, &key))
    }
}

/// Where the key is: in the folder for configurations of this user.
fn key_file() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    let folder = named("XDG_CONFIG_HOME").or_else(|| Some(named("HOME")?.join(".config"))).or_else(|| named("APPDATA"));
    Some(folder?.join("probare").join("key"))
}

/// The key, made where it is not there and wanted.
fn key(file: &Path, makes: bool) -> Option<[u8; LENGTH]> {
    let read = || {
        let mut bytes = [0; LENGTH];
        std::fs::File::open(file).ok()?.read_exact(&mut bytes).ok().map(|()| bytes)
    };
    if let Some(key) = read() {
        return Some(key);
    }
    if !makes {
        return None;
    }
    let key = random_bytes::<LENGTH>()?;
    std::fs::create_dir_all(file.parent()?).ok()?;
    let mut options = OpenOptions::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "a secret of this user: made once, new, and for nobody else to read"
    )]
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(mut opened) => opened.write_all(&key).ok().map(|()| key),
        // Another run was quicker.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(),
        Err(_) => None,
    }
}

/// HMAC-SHA-256 (RFC 2104) of the plan as JSON.
fn made(plan: &RunPlan, key: &[u8; LENGTH]) -> String {
    hmac(key, &serde_json::to_vec(plan).unwrap_or_default())
}

fn hmac(key: &[u8], message: &[u8]) -> String {
    let padded = |with: u8| -> Vec<u8> {
        let mut block = [with; BLOCK];
        block.iter_mut().zip(key).for_each(|(place, byte)| *place ^= byte);
        block.to_vec()
    };
    let mut inner = Sha256::default();
    inner.update(padded(0x36));
    inner.update(message);
    let mut outer = Sha256::default();
    outer.update(padded(0x5c));
    outer.update(inner.digest());
    outer.hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vector_of_hmac() {
        // RFC 4231, test case 2.
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hmac(b"Jefe", b"what do ya want for nothing?"), expected);
    }

    #[test]
    fn a_key_is_made_once_and_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("probare/key");
        assert_eq!(key(&file, false), None, "looking makes none");
        let made = key(&file, true).unwrap();
        assert_eq!(key(&file, true), Some(made));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn whatever_is_changed_in_a_plan_the_mark_does_not_fit() {
        let key = [7; LENGTH];
        let plan = RunPlan { config: "probare.yaml".to_owned(), ..RunPlan::default() };
        let other = RunPlan { config: "theirs.yaml".to_owned(), ..RunPlan::default() };
        assert_ne!(made(&plan, &key), made(&other, &key));
        assert_ne!(made(&plan, &key), made(&plan, &[8; LENGTH]));
    }
}
