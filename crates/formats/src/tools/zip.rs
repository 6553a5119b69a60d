//! [`Archive`]: the members of a zip file, one at a time, within limits: stored, deflated, or packed with Zstandard.
//!
//! The central directory tells what there is (APPNOTE.TXT 6.3.10, sections 4.3 to 4.5, with the 64-bit records). Every
//! member is unpacked up to a limit and checked against its CRC-32, so that neither a damaged nor a hostile file is
//! believed.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::Crc;
use flate2::read::DeflateDecoder;

/// Bytes of the largest member that is unpacked: 256 MiB.
const LARGEST_MEMBER: u64 = 256 << 20;

/// Bytes that are unpacked of one archive in all: 2 GiB.
const LARGEST_SUM: u64 = 2 << 30;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const END_64_PLACE: &[u8] = b"PK\x06\x07";

/// An archive that is in memory.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    /// By name; of a name that the directory has twice the last one counts.
    members: BTreeMap<String, Member>,
    unpacked: u64,
}

/// A file in the archive.
#[derive(Debug, Clone)]
struct Member {
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    at: u64,
}

impl<'a> Archive<'a> {
    /// Whether these bytes begin as an archive does.
    pub fn is_zip(bytes: &[u8]) -> bool {
        bytes.starts_with(LOCAL) || bytes.starts_with(END)
    }

    /// Reads the directory.
    pub fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let end = end(bytes).ok_or("its directory is missing: the file is cut off, or was not finished")?;
        let mut members = BTreeMap::new();
        let mut at = end.at;
        for _ in 0..end.count {
            let (name, member, next) = member(bytes, at).ok_or("its directory is damaged")?;
            at = next;
            members.insert(name, member);
        }
        if do_overlap(&members) {
            return Err("its members overlap, as no program writes them".to_owned());
        }
        Ok(Self { bytes, members, unpacked: 0 })
    }

    /// Names of all members, in order.
    pub fn names(&self) -> Vec<String> {
        self.members.keys().cloned().collect()
    }

    /// The content of a member; nothing where there is none of this name.
    pub fn read(&mut self, name: &str) -> Option<Result<Vec<u8>, String>> {
        let member = self.members.get(name)?.clone();
        Some(self.unpack(&member))
    }

    fn unpack(&mut self, member: &Member) -> Result<Vec<u8>, String> {
        let packed = self.packed(member).ok_or("it is cut off")?;
        let limit = LARGEST_MEMBER.min(LARGEST_SUM - self.unpacked);
        if member.size > limit {
            return Err(format!("it has {} bytes, more than the {limit} that are unpacked", member.size));
        }
        let mut content = Vec::new();
        let broken = |error: std::io::Error| format!("it cannot be unpacked: {error}");
        match member.method {
            0 => packed.take(limit + 1).read_to_end(&mut content),
            8 => DeflateDecoder::new(packed).take(limit + 1).read_to_end(&mut content),
            93 => zstd::Decoder::new(packed).map_err(broken)?.take(limit + 1).read_to_end(&mut content),
            other => return Err(format!("it is packed by method {other}; known are 0, 8 (deflate) and 93 (zstd)")),
        }
        .map_err(broken)?;
        let length = content.len() as u64;
        // Whatever was unpacked counts, also where it is of no use.
        self.unpacked = (self.unpacked + length).min(LARGEST_SUM);
        if length > limit {
            return Err(format!("it unpacks to more than {limit} bytes"));
        }
        let mut crc = Crc::new();
        crc.update(&content);
        if length != member.size || crc.sum() != member.crc {
            return Err("its content is not what the directory says (length or CRC-32)".to_owned());
        }
        Ok(content)
    }

    /// The packed bytes of a member, behind its own header.
    fn packed(&self, member: &Member) -> Option<&'a [u8]> {
        let at = usize::try_from(member.at).ok()?;
        let header = self.bytes.get(at..)?;
        if !header.starts_with(LOCAL) {
            return None;
        }
        let skip = 30 + usize::from(short(header, 26)?) + usize::from(short(header, 28)?);
        header.get(skip..)?.get(..usize::try_from(member.packed).ok()?)
    }
}

/// Whether bytes belong to two members: then a small file can be unpacked again and again.
fn do_overlap(members: &BTreeMap<String, Member>) -> bool {
    let mut places: Vec<(u64, u64)> = members.values().map(|member| (member.at, member.packed)).collect();
    places.sort_unstable();
    // Of the header of a member only its fixed part is counted, which is less than it has.
    places.windows(2).any(|pair| pair[0].0.saturating_add(30).saturating_add(pair[0].1) > pair[1].0)
}

struct DirectoryEnd {
    count: u64,
    at: u64,
}

/// The record at the end that says where the directory is.
fn end(bytes: &[u8]) -> Option<DirectoryEnd> {
    // Behind it there is nothing but a comment of at most 65,535 bytes.
    let from = bytes.len().saturating_sub(22 + 65_535);
    let found = bytes[from..].windows(4).rposition(|window| window == END)? + from;
    let record = &bytes[found..];
    let (count, at) = (short(record, 10)?, long(record, 16)?);
    if count != u16::MAX && at != u32::MAX {
        return Some(DirectoryEnd { count: count.into(), at: at.into() });
    }
    let place = bytes.get(found.checked_sub(20)?..found)?;
    if !place.starts_with(END_64_PLACE) {
        return Some(DirectoryEnd { count: count.into(), at: at.into() });
    }
    let record = bytes.get(usize::try_from(wide(place, 8)?).ok()?..)?;
    record.starts_with(END_64).then_some(())?;
    Some(DirectoryEnd { count: wide(record, 32)?, at: wide(record, 48)? })
}

/// Name and place of one entry of the directory, and where the next one is.
fn member(bytes: &[u8], at: u64) -> Option<(String, Member, u64)> {
    let entry = bytes.get(usize::try_from(at).ok()?..)?;
    entry.starts_with(CENTRAL).then_some(())?;
    let lengths = [short(entry, 28)?, short(entry, 30)?, short(entry, 32)?].map(usize::from);
    let [name, extra, comment] = lengths;
    let text = entry.get(46..46 + name)?;
    let mut fields = entry.get(46 + name..46 + name + extra)?;
    let (mut packed, mut size, mut local) =
        (u64::from(long(entry, 20)?), u64::from(long(entry, 24)?), u64::from(long(entry, 42)?));
    while fields.len() >= 4 {
        let length = usize::from(short(fields, 2)?);
        let Some(data) = fields.get(4..4 + length) else { break };
        if short(fields, 0)? == 1 {
            // Only what does not fit above stands here, in this order.
            let mut next = 0;
            for number in [&mut size, &mut packed, &mut local] {
                if *number == u64::from(u32::MAX) {
                    *number = wide(data, next)?;
                    next += 8;
                }
            }
        }
        fields = &fields[4 + length..];
    }
    let member = Member { method: short(entry, 10)?, crc: long(entry, 16)?, packed, size, at: local };
    let name_text = String::from_utf8_lossy(text).into_owned();
    Some((name_text, member, at + 46 + (name + extra + comment) as u64))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn wide(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of stored members; a second name may lead to the bytes of the first.
    fn archive(names: &[&str], is_shared: bool) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        let content = b"{}";
        let mut crc = Crc::new();
        crc.update(content);
        for (number, name) in names.iter().enumerate() {
            let at = if is_shared { 0 } else { u32::try_from(bytes.len()).unwrap() };
            let fields = |from: &[u8], flags: usize| {
                let mut entry = from.to_vec();
                entry.extend(vec![0; flags]);
                entry.extend(crc.sum().to_le_bytes());
                entry.extend(2_u32.to_le_bytes());
                entry.extend(2_u32.to_le_bytes());
                entry.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
                entry
            };
            if number == 0 || !is_shared {
                bytes.extend(fields(LOCAL, 10));
                bytes.extend([0; 2]);
                bytes.extend(name.bytes());
                bytes.extend(content);
            }
            directory.extend(fields(CENTRAL, 12));
            directory.extend([0; 12]);
            directory.extend(at.to_le_bytes());
            directory.extend(name.bytes());
        }
        let (at, count) = (u32::try_from(bytes.len()).unwrap(), u16::try_from(names.len()).unwrap());
        bytes.extend(&directory);
        bytes.extend(END);
        bytes.extend([0; 4]);
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
        bytes.extend(at.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }

    #[test]
    fn members_that_share_their_bytes_are_refused() {
        let bytes = archive(&["a.json", "b.json"], false);
        let mut plain = Archive::new(&bytes).unwrap();
        assert_eq!(plain.read("b.json").unwrap().unwrap(), b"{}");
        let bytes = archive(&["a.json", "b.json", "c.json"], true);
        assert!(Archive::new(&bytes).err().unwrap().contains("overlap"));
    }

    #[test]
    fn what_cannot_be_used_counts_as_unpacked() {
        let mut bytes = archive(&["a.json", "b.json"], false);
        // The directory says another checksum.
        let at = bytes.windows(4).position(|window| window == CENTRAL).unwrap() + 16;
        bytes[at] ^= 1;
        let mut archive = Archive::new(&bytes).unwrap();
        assert!(archive.read("a.json").unwrap().is_err());
        assert_eq!(archive.unpacked, 2);
    }
}
