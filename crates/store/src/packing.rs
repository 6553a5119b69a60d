//! Texts as the store keeps them: packed with Zstandard and a dictionary that knows the words of results.
//!
//! The dictionary comes with the program and a copy of it stands in the store. It holds no text of a user, so what is
//! removed from a store is gone; and the bytes of a sample do not depend on which samples came before it. Every frame
//! names the dictionary it was packed with (`tests/stores/dictionary.py` made the first one), and the copy in the store
//! is what frames are unpacked with: a later program may bring another one.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};
use zstd::bulk::Compressor;
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{DCtx, get_dict_id_from_dict, get_dict_id_from_frame, get_error_name, get_frame_content_size};

use super::checksum::Checksum;

/// The dictionary of this program.
const DICTIONARY: &[u8] = include_bytes!("dictionary_1.zdict");

/// A sixth less than at level 3, for a tenth of a millisecond of a sample with ten metrics.
const LEVEL: i32 = 6;

/// Bytes of the largest text that is unpacked: 1 GiB.
const LARGEST: u64 = 1 << 30;

static ENCODER: LazyLock<EncoderDictionary<'static>> = LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));

/// Packs texts, from any thread.
#[derive(Default)]
pub(super) struct Packer {
    spare: Mutex<Vec<Compressor<'static>>>,
}

impl Packer {
    /// The text, packed. The same text gives the same bytes.
    pub fn pack(&self, text: &str) -> std::io::Result<Vec<u8>> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut compressor = match spare {
            Some(compressor) => compressor,
            None => Compressor::with_prepared_dictionary(&ENCODER)?,
        };
        let packed = compressor.compress(text.as_bytes());
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(compressor);
        packed
    }
}

/// Unpacks texts with the dictionaries of one store.
pub(super) struct Unpacker {
    dictionaries: BTreeMap<u32, DecoderDictionary<'static>>,
    spare: Mutex<Vec<DCtx<'static>>>,
}

impl Unpacker {
    /// Reads the dictionaries of a store.
    pub fn from_connection(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare("SELECT number, bytes, checksum FROM dictionaries")?;
        let mut rows = statement.query([])?;
        let mut dictionaries = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let (number, bytes): (u32, Vec<u8>) = (row.get(0)?, row.get(1)?);
            if checksum(number, &bytes) == row.get::<_, i64>(2)? {
                dictionaries.insert(number, DecoderDictionary::copy(&bytes));
            }
        }
        Ok(Self { dictionaries, spare: Mutex::default() })
    }

    /// The text in these bytes, or what is wrong with them.
    pub fn unpack(&self, packed: &[u8]) -> Result<String, String> {
        let number = get_dict_id_from_frame(packed).map_or(0, std::num::NonZeroU32::get);
        let dictionary =
            self.dictionaries.get(&number).ok_or_else(|| format!("its dictionary {number} is missing or damaged"))?;
        let size = get_frame_content_size(packed).ok().flatten().ok_or("the size of a text is missing")?;
        if size > LARGEST {
            return Err(format!("a text of {size} bytes is larger than the {LARGEST} that are unpacked"));
        }
        let size = usize::try_from(size).map_err(|error| error.to_string())?;
        let mut bytes = Vec::with_capacity(size);
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // It takes 150 kilobytes, which would be made and thrown away for every text.
        let mut context = spare.unwrap_or_default();
        let unpacked = context.decompress_using_ddict(&mut bytes, packed, dictionary.as_ddict());
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(context);
        unpacked.map_err(|error| get_error_name(error).to_owned())?;
        String::from_utf8(bytes).map_err(|_| "a text is not UTF-8".to_owned())
    }
}

fn checksum(number: u32, bytes: &[u8]) -> i64 {
    Checksum::for_table("dictionary").integer(i64::from(number)).bytes(bytes).end()
}

/// Puts the dictionary of this program into a store that does not have it.
pub(super) fn insert_dictionary(connection: &Connection) -> rusqlite::Result<()> {
    let number = get_dict_id_from_dict(DICTIONARY).map_or(0, std::num::NonZeroU32::get);
    let known: Option<i64> = connection
        .query_row("SELECT number FROM dictionaries WHERE number = ?1", params![number], |row| row.get(0))
        .optional()?;
    if known.is_none() {
        connection.execute(
            "INSERT INTO dictionaries (number, bytes, checksum) VALUES (?1, ?2, ?3)",
            params![number, DICTIONARY, checksum(number, DICTIONARY)],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacker() -> Unpacker {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE dictionaries (number INTEGER, bytes BLOB, checksum INTEGER)").unwrap();
        insert_dictionary(&connection).unwrap();
        insert_dictionary(&connection).unwrap();
        Unpacker::from_connection(&connection).unwrap()
    }

    #[test]
    fn a_text_comes_back_and_an_evidence_takes_little_room() {
        let (packer, unpacker) = (Packer::default(), unpacker());
        let evidence =
            r#"{"value":1.0,"evidence":[{"kind":"matched","field":"response","start":4,"end":10,"text":"border"}]}"#;
        for text in ["", "é", evidence, &evidence.repeat(1000)] {
            let packed = packer.pack(text).unwrap();
            assert_eq!(packed, packer.pack(text).unwrap());
            assert_eq!(unpacker.unpack(&packed).unwrap(), text);
        }
        let packed = packer.pack(evidence).unwrap();
        assert!(packed.len() * 2 < evidence.len(), "{} of {}", packed.len(), evidence.len());
    }

    #[test]
    fn what_is_no_frame_of_ours_is_told() {
        let unpacker = unpacker();
        assert_eq!(unpacker.unpack(b"").unwrap_err(), "its dictionary 0 is missing or damaged");
        let foreign = zstd::bulk::compress(b"plain", 3).unwrap();
        assert_eq!(unpacker.unpack(&foreign).unwrap_err(), "its dictionary 0 is missing or damaged");
        let mut packed = Packer::default().pack("a text that is cut").unwrap();
        packed.truncate(packed.len() - 3);
        assert!(unpacker.unpack(&packed).is_err());
    }
}
