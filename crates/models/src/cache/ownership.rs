//! [`CacheFile`]: which response cache is used and whose entries of it count. A cache that the user names is used as it is. One
//! that was found in the default place may have come with the folder, so there only entries count that carry an owner tag of
//! this user: replies and outcomes of programs alike.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use probare_files::{KeyError, OwnerKeys, OwnerTag, random_bytes};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::entry::CacheKey;
use super::error::CacheError;
use super::schema::{database_error, open, open_reading};

/// Where replies are recorded unless another file is named.
const DEFAULT_CACHE_PATH: &str = ".probare/cache.db";

/// Where release 0.3 kept it; taken where there is no other.
const OLD_CACHE_PATH: &str = ".probare/replies.db";

/// What is tagged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A reply of a model.
    Reply,
    /// The outcome of a program.
    Program,
}

impl EntryKind {
    const fn table(self) -> &'static str {
        match self {
            Self::Reply => "replies",
            Self::Program => "programs",
        }
    }

    const fn purpose(self) -> &'static str {
        match self {
            Self::Reply => "probare cache reply 1",
            Self::Program => "probare cache program 1",
        }
    }
}

/// A response cache, and whether the user named it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CacheFile {
    /// The file.
    pub path: PathBuf,
    /// Whether a flag, a variable or a configuration of the user names it; else it was found in the default place.
    pub is_named: bool,
}

impl CacheFile {
    /// A cache that the user names.
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), is_named: true }
    }

    /// A cache that lies where caches lie, whoever put it there.
    pub fn discovered(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), is_named: false }
    }

    /// The one that the environment names (`PROBARE_CACHE`, or `PROBARE_RECORD` as it was called), else the one in the default
    /// place.
    pub fn from_environment() -> Self {
        let named = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(Self::named);
        named("PROBARE_CACHE")
            .or_else(|| named("PROBARE_RECORD"))
            .unwrap_or_else(|| Self::discovered(Self::usual_path()))
    }

    /// The default place, or where release 0.3 kept the cache if only that is there.
    fn usual_path() -> PathBuf {
        let [now, old] = [DEFAULT_CACHE_PATH, OLD_CACHE_PATH].map(PathBuf::from);
        if !now.exists() && old.exists() { old } else { now }
    }

    /// The cache that a flag names, else the usual one.
    pub fn from_flag(named: Option<&Path>) -> Self {
        named.map_or_else(Self::from_environment, Self::named)
    }
}

impl From<PathBuf> for CacheFile {
    fn from(path: PathBuf) -> Self {
        Self::named(path)
    }
}

impl From<&Path> for CacheFile {
    fn from(path: &Path) -> Self {
        Self::named(path)
    }
}

impl From<KeyError> for CacheError {
    fn from(error: KeyError) -> Self {
        Self::OwnerKey { reason: error.to_string() }
    }
}

/// Whose entries of an open cache count.
#[derive(Debug, Clone)]
pub(crate) struct Ownership {
    keys: OwnerKeys,
    takes_all: bool,
    looked_up: Arc<Mutex<LookupLog>>,
}

/// Entries that were looked up.
#[derive(Debug, Default)]
struct LookupLog {
    used: HashSet<CacheKey>,
    ignored: HashSet<CacheKey>,
}

impl Ownership {
    /// For a cache that is read, or, where entries will be tagged, written too.
    pub(crate) fn open(cache: &CacheFile, is_written: bool) -> Result<Self, CacheError> {
        let mut keys = if is_written { OwnerKeys::load_or_create()? } else { OwnerKeys::load()? };
        if keys.is_empty() && is_written {
            // Where no key can be kept, what this process writes is at least known to itself: nothing is paid twice in a run.
            keys = random_bytes::<32>().map(|key| OwnerKeys::from_keys(&[key])).unwrap_or_default();
        }
        Ok(Self::new(keys, cache.is_named))
    }

    fn new(keys: OwnerKeys, takes_all: bool) -> Self {
        Self { keys, takes_all, looked_up: Arc::default() }
    }

    /// For an entry that this user brings in: it is tagged, and takes the place of one that does not count.
    pub(crate) fn for_user() -> Result<Self, CacheError> {
        Ok(Self::new(OwnerKeys::load_or_create()?, false))
    }

    pub(crate) fn tag(&self, kind: EntryKind, key: CacheKey, text: &str) -> Option<OwnerTag> {
        self.keys.tag(kind.purpose(), &[&key.0, text.as_bytes()])
    }

    fn is_own(&self, kind: EntryKind, key: &[u8], text: &str, tag: Option<&[u8]>) -> bool {
        tag.is_some_and(|tag| self.keys.recognises(tag, kind.purpose(), &[key, text.as_bytes()]))
    }

    /// Whether an entry counts.
    pub(crate) fn accepts(&self, kind: EntryKind, key: &[u8], text: &str, tag: Option<&[u8]>) -> bool {
        self.takes_all || self.is_own(kind, key, text, tag)
    }

    /// The text of an entry that counts. One that does not is counted as ignored.
    pub(crate) fn find(
        &self,
        connection: &Connection,
        kind: EntryKind,
        key: CacheKey,
    ) -> rusqlite::Result<Option<String>> {
        let sql = match kind {
            EntryKind::Reply => "SELECT entry, tag FROM replies WHERE key = ?1",
            EntryKind::Program => "SELECT entry, tag FROM programs WHERE key = ?1",
        };
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Option<Vec<u8>>>(1)?));
        let found = connection.prepare_cached(sql)?.query_row(params![key.0], row).optional()?;
        Ok(found.and_then(|(text, tag)| {
            let is_accepted = self.accepts(kind, &key.0, &text, tag.as_deref());
            let mut looked_up = self.lookup_log();
            let list = if is_accepted { &mut looked_up.used } else { &mut looked_up.ignored };
            list.insert(key);
            is_accepted.then_some(text)
        }))
    }

    fn lookup_log(&self) -> MutexGuard<'_, LookupLog> {
        self.looked_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many entries were looked up and used.
    pub(crate) fn used(&self) -> u64 {
        self.lookup_log().used.len() as u64
    }

    /// How many entries were looked up and ignored.
    pub(crate) fn ignored(&self) -> u64 {
        self.lookup_log().ignored.len() as u64
    }

    /// Makes room for an entry: one that does not count goes. Says whether the place is free.
    pub(crate) fn make_room(&self, connection: &Connection, kind: EntryKind, key: CacheKey) -> rusqlite::Result<bool> {
        if self.find(connection, kind, key)?.is_some() {
            return Ok(false);
        }
        connection.execute(&format!("DELETE FROM {} WHERE key = ?1", kind.table()), params![key.0])?;
        Ok(true)
    }
}

/// Entries of a cache, by whose they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnershipCounts {
    /// Entries with an owner tag of this user.
    pub own: u64,
    /// All others.
    pub others: u64,
}

/// How many replies and outcomes of programs of a cache carry a tag of this user.
pub fn count_ownership(path: &Path) -> Result<[OwnershipCounts; 2], CacheError> {
    let connection = open_reading(path)?;
    let owner = Ownership::new(OwnerKeys::load()?, false);
    let mut owned = [OwnershipCounts::default(); 2];
    for (count, kind) in owned.iter_mut().zip([EntryKind::Reply, EntryKind::Program]) {
        for_each_entry(&connection, kind, |key, text, tag| {
            *(if owner.is_own(kind, key, text, tag) { &mut count.own } else { &mut count.others }) += 1;
        })
        .map_err(database_error(path))?;
    }
    Ok(owned)
}

/// Accepts every entry of a cache: from now on they carry this user's tag. Says how many did not before.
pub fn accept_entries(path: &Path) -> Result<u64, CacheError> {
    let keys = OwnerKeys::load_or_create()?;
    if keys.is_empty() {
        return Err(KeyError::NoFolder.into());
    }
    retag(path, &keys, None)
}

/// Puts a new owner key in place of this user's, and tags the entries of a cache with it that carried a tag of the old one. With
/// `forget`, tags of old keys count nowhere any more. Says how many entries were tagged and how many old keys still count.
pub fn rotate_key(path: &Path, forget: bool) -> Result<(u64, usize), CacheError> {
    let before = OwnerKeys::load()?;
    let rotated = OwnerKeys::rotate(forget)?;
    let tagged = if path.exists() { retag(path, &OwnerKeys::load()?, Some(&before))? } else { 0 };
    Ok((tagged, rotated.old))
}

/// Tags entries anew: those that carry a tag of `only`, or all that carry none of `keys`.
fn retag(path: &Path, keys: &OwnerKeys, only: Option<&OwnerKeys>) -> Result<u64, CacheError> {
    let mut connection = open(path)?;
    let wrong = database_error(path);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
    let mut tagged = 0;
    for kind in [EntryKind::Reply, EntryKind::Program] {
        let owner = Ownership::new(only.unwrap_or(keys).clone(), false);
        let mut chosen: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for_each_entry(&transaction, kind, |key, text, tag| {
            if owner.is_own(kind, key, text, tag) == only.is_some()
                && let Some(new) = keys.tag(kind.purpose(), &[key, text.as_bytes()])
            {
                chosen.push((key.to_vec(), new.to_vec()));
            }
        })
        .map_err(&wrong)?;
        tagged += put_tags(&transaction, kind, &chosen).map_err(&wrong)?;
    }
    transaction.commit().map_err(&wrong)?;
    Ok(tagged)
}

fn put_tags(transaction: &Transaction<'_>, kind: EntryKind, chosen: &[(Vec<u8>, Vec<u8>)]) -> rusqlite::Result<u64> {
    let mut statement = transaction.prepare(&format!("UPDATE {} SET tag = ?2 WHERE key = ?1", kind.table()))?;
    for (key, tag) in chosen {
        statement.execute(params![key, tag])?;
    }
    Ok(chosen.len() as u64)
}

/// Goes through all entries of a kind: key, text, tag.
pub(crate) fn for_each_entry(
    connection: &Connection,
    kind: EntryKind,
    mut visit: impl FnMut(&[u8], &str, Option<&[u8]>),
) -> rusqlite::Result<()> {
    let order = if kind == EntryKind::Program { "made, key" } else { "key" };
    let mut statement =
        connection.prepare(&format!("SELECT key, entry, tag FROM {} ORDER BY {order}", kind.table()))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (key, text): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
        let tag: Option<Vec<u8>> = row.get(2)?;
        visit(&key, &text, tag.as_deref());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(keys: &[[u8; 32]], takes_all: bool) -> Ownership {
        Ownership::new(OwnerKeys::from_keys(keys), takes_all)
    }

    #[test]
    fn only_own_entries_of_a_found_cache_count_and_every_change_shows() {
        let (mine, theirs, key) = (one(&[[1; 32]], false), one(&[[2; 32]], false), CacheKey([9; 32]));
        let tag = mine.tag(EntryKind::Reply, key, "yes").unwrap();
        assert!(mine.accepts(EntryKind::Reply, &key.0, "yes", Some(&tag)));
        assert!(!mine.accepts(EntryKind::Reply, &key.0, "no", Some(&tag)), "another reply");
        assert!(!mine.accepts(EntryKind::Reply, &[8; 32], "yes", Some(&tag)), "another question");
        assert!(!mine.accepts(EntryKind::Program, &key.0, "yes", Some(&tag)), "a program");
        assert!(!mine.accepts(EntryKind::Reply, &key.0, "yes", None));
        assert!(!theirs.accepts(EntryKind::Reply, &key.0, "yes", Some(&tag)));
        assert!(one(&[[2; 32]], true).accepts(EntryKind::Reply, &key.0, "yes", None), "a cache that the user names");
    }
}
