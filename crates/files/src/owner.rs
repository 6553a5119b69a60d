//! [`OwnerKeys`]: the keys of this user, and the owner tags that are made with them.
//!
//! An owner tag is an HMAC-SHA-256 over what it stands under: the plan of a run, an entry of the response cache, the outcome
//! of a program. The key is a file in this user's configuration folder, or `PROBARE_KEY` where several machines share one
//! (CI). A key that was replaced still recognises what it tagged until it is forgotten.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use probare_core::{Sha256, hex};
use ring::hmac;

use crate::read_plain;

/// Variable with a key that several machines share, in place of the file.
pub const PROBARE_KEY: &str = "PROBARE_KEY";

/// Fewest characters of [`PROBARE_KEY`].
pub const SHORTEST_KEY: usize = 16;

/// Bytes of a key.
const LENGTH: usize = 32;

/// Most keys that were replaced and are still recognised.
const MOST_OLD: usize = 100;

/// A tag: who wrote something.
pub type OwnerTag = [u8; 32];

/// The keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The variable is too short to be a secret.
    #[error("`{PROBARE_KEY}` has fewer than {SHORTEST_KEY} characters; `openssl rand -hex 32` makes a good one")]
    Short,
    /// There is no folder for configurations.
    #[error("no folder for configurations is known (HOME and XDG_CONFIG_HOME are not set); set `{PROBARE_KEY}`")]
    NoFolder,
    /// The variable decides, so the file is not touched.
    #[error("`{PROBARE_KEY}` is set, so the key in the configuration folder is not used; change the variable")]
    FromVariable,
    /// The file cannot be read or written.
    #[error("the owner key `{}` cannot be used", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// What a rotation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRotation {
    /// Keys that were replaced and are still recognised.
    pub old: usize,
}

/// The folder for configurations of this user.
pub fn config_folder() -> Option<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    let folder = named("XDG_CONFIG_HOME").or_else(|| Some(named("HOME")?.join(".config"))).or_else(|| named("APPDATA"));
    // A relative folder would lie in whatever folder is the current one, and with it the key.
    Some(folder.filter(|folder| folder.is_absolute())?.join("probare"))
}

/// Fills an array with random bytes that nobody can guess; nothing where the system gives none.
pub fn random_bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}

/// A token of `N` random bytes in hexadecimal digits, which nobody can guess; nothing where the system gives none.
pub fn random_token<const N: usize>() -> Option<String> {
    random_bytes::<N>().map(|bytes| hex(&bytes))
}

/// The keys of this user: the first tags, all recognise.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OwnerKeys(Vec<[u8; LENGTH]>);

impl std::fmt::Debug for OwnerKeys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "OwnerKeys({})", self.0.len())
    }
}

impl OwnerKeys {
    /// The keys that are there: of [`PROBARE_KEY`], of the configuration folder, and those that were replaced.
    pub fn load() -> Result<Self, KeyError> {
        let mut keys: Vec<[u8; LENGTH]> = from_variable()?.into_iter().collect();
        if let Some(folder) = config_folder() {
            keys.extend(read_keys(&folder.join("key"), 1));
            keys.extend(read_keys(&folder.join("key.old"), MOST_OLD));
        }
        Ok(Self(keys))
    }

    /// The keys, with one made where there is none and one can be kept. Where none can, nothing is tagged.
    pub fn load_or_create() -> Result<Self, KeyError> {
        let keys = Self::load()?;
        let has_key = from_variable()?.is_some() || config_folder().is_some_and(|folder| folder.join("key").exists());
        match config_folder() {
            Some(folder) if !has_key && create(&folder.join("key")).is_ok() => Self::load(),
            _ => Ok(keys),
        }
    }

    /// Keys that are given, for tests.
    pub fn from_keys(keys: &[[u8; 32]]) -> Self {
        Self(keys.to_vec())
    }

    /// Whether there is no key, so that nothing can be tagged or recognised.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tag of a message under the first key. `purpose` keeps tags of different kinds of things apart.
    pub fn tag(&self, purpose: &str, parts: &[&[u8]]) -> Option<OwnerTag> {
        self.0.first().map(|key| tag(key, purpose, parts))
    }

    /// Whether one of the keys made this tag.
    pub fn recognises(&self, tagged: &[u8], purpose: &str, parts: &[&[u8]]) -> bool {
        self.0.iter().any(|key| is_same(&tag(key, purpose, parts), tagged))
    }

    /// HMAC-SHA-256 of a message under the first key, in hexadecimal digits, as plans of runs carry it.
    pub fn hex_tag(&self, message: &[u8]) -> Option<String> {
        self.0.first().map(|key| hex(hmac_tag(key, &[message]).as_ref()))
    }

    /// Whether one of the keys made a tag in hexadecimal digits.
    pub fn recognises_hex(&self, tagged: &str, message: &[u8]) -> bool {
        self.0.iter().any(|key| is_same(hex(hmac_tag(key, &[message]).as_ref()).as_bytes(), tagged.as_bytes()))
    }

    /// Puts a new key in place of the one in the configuration folder. The old one is still recognised, unless old keys are to
    /// be forgotten.
    pub fn rotate(forget: bool) -> Result<KeyRotation, KeyError> {
        if from_variable()?.is_some() {
            return Err(KeyError::FromVariable);
        }
        let folder = config_folder().ok_or(KeyError::NoFolder)?;
        let (file, old_file) = (folder.join("key"), folder.join("key.old"));
        let mut old: Vec<[u8; LENGTH]> = Vec::new();
        if !forget {
            old.extend(read_keys(&file, 1));
            old.extend(read_keys(&old_file, MOST_OLD - old.len()));
        }
        let wrong = |path: &Path| {
            let path = path.to_owned();
            move |source| KeyError::File { path, source }
        };
        // The old keys are safe before the new one takes the place of theirs.
        if old.is_empty() {
            remove(&old_file).map_err(wrong(&old_file))?;
        } else {
            replace(&old_file, &old.concat()).map_err(wrong(&old_file))?;
        }
        let new = random_bytes::<LENGTH>().ok_or_else(|| wrong(&file)(io::Error::other("no random numbers")))?;
        replace(&file, &new).map_err(wrong(&file))?;
        Ok(KeyRotation { old: old.len() })
    }
}

fn remove(file: &Path) -> io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The key of the variable, where it is set.
fn from_variable() -> Result<Option<[u8; LENGTH]>, KeyError> {
    let Some(value) = env::var_os(PROBARE_KEY).filter(|value| !value.is_empty()) else { return Ok(None) };
    let bytes = value.as_encoded_bytes().trim_ascii().to_vec();
    if bytes.len() < SHORTEST_KEY {
        return Err(KeyError::Short);
    }
    let mut digest = Sha256::default();
    digest.update(b"probare owner key\n");
    digest.update(&bytes);
    Ok(Some(digest.digest()))
}

/// The keys of a file; none where it is not there or is no plain file.
fn read_keys(file: &Path, most: usize) -> Vec<[u8; LENGTH]> {
    let bytes = read_plain(file, (LENGTH * MOST_OLD) as u64).unwrap_or_default();
    bytes.chunks_exact(LENGTH).take(most).filter_map(|key| key.try_into().ok()).collect()
}

/// Makes a key where there is none.
fn create(file: &Path) -> io::Result<()> {
    let key = random_bytes::<LENGTH>().ok_or_else(|| io::Error::other("no random numbers"))?;
    let folder = file.parent().ok_or(ErrorKind::NotFound)?;
    std::fs::create_dir_all(folder)?;
    match create_new(file, &key) {
        // Another run was quicker.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Writes a file that only its owner can read.
fn create_new(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "a secret of this user: made once, new, and for nobody else to read"
    )]
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut opened = options.open(file)?;
    opened.write_all(bytes)?;
    opened.sync_all()
}

/// Writes a private file in place of another, whole or not at all.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().ok_or(ErrorKind::NotFound)?;
    std::fs::create_dir_all(folder)?;
    let random = random_bytes::<8>().ok_or_else(|| io::Error::other("no random numbers"))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let fresh = folder.join(format!(".{name}.{:016x}", u64::from_le_bytes(random)));
    create_new(&fresh, bytes)?;
    #[expect(clippy::disallowed_methods, reason = "private files of this user, which no report is")]
    std::fs::rename(&fresh, file).inspect_err(|_| {
        let _ = std::fs::remove_file(&fresh);
    })
}

fn tag(key: &[u8], purpose: &str, parts: &[&[u8]]) -> OwnerTag {
    // Lengths keep the parts apart: no other parts give the same message.
    let lengths: Vec<[u8; 8]> = parts.iter().map(|part| (part.len() as u64).to_le_bytes()).collect();
    let mut message: Vec<&[u8]> = vec![purpose.as_bytes(), b"\n"];
    for (length, part) in lengths.iter().zip(parts) {
        message.extend([length.as_slice(), *part]);
    }
    let mut tag = OwnerTag::default();
    tag.copy_from_slice(hmac_tag(key, &message).as_ref());
    tag
}

/// HMAC-SHA-256 (RFC 2104) of a message in parts.
fn hmac_tag(key: &[u8], message: &[&[u8]]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    for part in message {
        context.update(part);
    }
    context.sign()
}

/// Whether two tags are the same, in a time that does not tell where they differ.
fn is_same(first: &[u8], second: &[u8]) -> bool {
    first.len() == second.len() && first.iter().zip(second).fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vector_of_hmac() {
        // RFC 4231, test case 2.
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hex(hmac_tag(b"Jefe", &[b"what do ya want ", b"for nothing?"]).as_ref()), expected);
    }

    #[test]
    fn a_key_is_made_once_and_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("probare/key");
        assert!(read_keys(&file, 1).is_empty(), "looking makes none");
        create(&file).unwrap();
        let made = read_keys(&file, 1);
        create(&file).unwrap();
        assert_eq!((read_keys(&file, 1), made.len()), (made, 1));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_tag_is_of_its_key_its_purpose_and_every_part() {
        let keys = OwnerKeys::from_keys(&[[7; 32]]);
        let tagged = keys.tag("reply", &[b"ab", b"c"]).unwrap();
        assert!(keys.recognises(&tagged, "reply", &[b"ab", b"c"]));
        assert!(!keys.recognises(&tagged, "program", &[b"ab", b"c"]));
        assert!(!keys.recognises(&tagged, "reply", &[b"a", b"bc"]), "parts are kept apart");
        assert!(!keys.recognises(&tagged[..31], "reply", &[b"ab", b"c"]));
        assert!(!OwnerKeys::from_keys(&[[8; 32]]).recognises(&tagged, "reply", &[b"ab", b"c"]));
        let rotated = OwnerKeys::from_keys(&[[8; 32], [7; 32]]);
        assert!(rotated.recognises(&tagged, "reply", &[b"ab", b"c"]), "a replaced key is still recognised");
        assert_ne!(rotated.tag("reply", &[b"ab", b"c"]), Some(tagged));
        assert_eq!(OwnerKeys::default().tag("reply", &[]), None);
    }
}
