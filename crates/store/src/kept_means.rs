//! What was read from all results of a finished run, kept so that nobody has to read them again: the means that the viewer opens
//! with.
//!
//! It is kept with the owner tag of this user over the text and over everything that it was made from: the plan, the tally of the
//! samples, the costs, the panels and the version of the program. Where one of these changed since, or somebody else wrote it, it
//! is as if it were not there.

use probare_files::OwnerKeys;
use probare_models::Account;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::checksum::{RowTally, TallyKey};
use super::run_row::RunRow;
use super::{Store, StoreError, StoreFault};

/// What the tag is for.
const PURPOSE: &str = "means of a run";

#[derive(Serialize, Deserialize)]
struct KeptMeans {
    text: String,
    tag: [u8; 32],
}

impl Store {
    /// Keeps what was read from all results of a run, where this user has a key.
    pub fn keep_means(&self, run: i64, text: &str) -> Result<(), StoreError> {
        let Ok(keys) = OwnerKeys::load() else { return Ok(()) };
        self.write(|connection| {
            let Some(made_from) = made_from(connection, run)? else { return Ok(()) };
            if let Some(tag) = keys.tag(PURPOSE, &[&made_from, text.as_bytes()]) {
                TallyKey::Means(run).write_as(connection, &KeptMeans { text: text.to_owned(), tag })?;
            }
            Ok(())
        })
    }

    /// What was kept, where it still holds.
    pub fn kept_means(&self, run: i64) -> Result<Option<String>, StoreError> {
        let Ok(keys) = OwnerKeys::load() else { return Ok(None) };
        self.read(|connection| {
            let (Some(kept), Some(made_from)) =
                (TallyKey::Means(run).read_as::<KeptMeans>(connection)?, made_from(connection, run)?)
            else {
                return Ok(None);
            };
            let is_ours = keys.recognises(&kept.tag, PURPOSE, &[&made_from, kept.text.as_bytes()]);
            Ok(is_ours.then_some(kept.text))
        })
    }
}

/// Everything that the means of a run are made from, as bytes; nothing where there is no such run.
fn made_from(connection: &Connection, run: i64) -> Result<Option<Vec<u8>>, StoreFault> {
    let Some(row) = RunRow::find(connection, run)? else { return Ok(None) };
    let samples = TallyKey::Samples(run).read_as::<RowTally>(connection)?;
    let spending = TallyKey::Spending(run).read_as::<Account>(connection)?;
    let panels = TallyKey::Panels(run).read_as::<serde_json::Value>(connection)?;
    let parts = (probare_report::VERSION, row.plan, row.state, row.rounds, samples, spending, panels);
    Ok(Some(serde_json::to_vec(&parts)?))
}

#[cfg(test)]
mod tests {
    use probare_core::Panel;

    use super::*;
    use crate::{RunPlan, RunState};

    #[test]
    fn what_was_kept_holds_until_something_of_the_run_changes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db")).unwrap();
        let run = store.begin(&RunPlan::default()).unwrap();
        let keep = || {
            store.keep_means(run, "{}").unwrap();
            store.kept_means(run).unwrap().is_some()
        };
        let has_key = OwnerKeys::load().is_ok_and(|keys| !keys.is_empty());
        assert_eq!(keep(), has_key);
        store.set_state(run, RunState::Complete).unwrap();
        assert_eq!(store.kept_means(run).unwrap(), None, "the run ended");
        assert_eq!(keep(), has_key);
        store.keep_panels(run, &[Panel::default()]).unwrap();
        assert_eq!(store.kept_means(run).unwrap(), None, "a panel came");
        assert_eq!(keep(), has_key);
        let (theirs, made_from) =
            (OwnerKeys::from_keys(&[[9; 32]]), made_from(&store.connection, run).unwrap().unwrap());
        let tag = theirs.tag(PURPOSE, &[&made_from, b"{\"cases\":7}"]).unwrap();
        let forged = KeptMeans { text: "{\"cases\":7}".to_owned(), tag };
        store.write(|connection| Ok(TallyKey::Means(run).write_as(connection, &forged)?)).unwrap();
        assert_eq!(store.kept_means(run).unwrap(), None, "somebody else wrote it");
        assert_eq!(store.kept_means(7).unwrap(), None, "there is no such run");
    }
}
