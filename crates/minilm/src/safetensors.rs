//! [`Tensors`]: the numbers in a file of the form `safetensors`, each found by its name and checked before it is used.
//!
//! Eight bytes say how long the header is; the header is JSON with type, shape and place of every tensor; the numbers
//! follow, little-endian. <https://huggingface.co/docs/safetensors>

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value as Json;

/// Longest header that is read.
const LONGEST_HEADER: u64 = 100 << 20;

#[derive(Deserialize)]
struct TensorEntry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

/// The tensors of a file.
pub(super) struct Tensors<'a> {
    entries: HashMap<String, TensorEntry>,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Reads the header. The reason where the file is not whole.
    pub(super) fn new(file: &'a [u8]) -> Result<Self, String> {
        let Some((length, rest)) = file.split_first_chunk::<8>() else {
            return Err("it is shorter than its first eight bytes".to_owned());
        };
        let length = u64::from_le_bytes(*length);
        let header = usize::try_from(length).ok().filter(|_| length <= LONGEST_HEADER);
        let Some((header, data)) = header.and_then(|length| rest.split_at_checked(length)) else {
            return Err(format!("it says that its header has {length} bytes, which is more than there are"));
        };
        let header: HashMap<String, Json> =
            serde_json::from_slice(header).map_err(|error| format!("its header cannot be read: {error}"))?;
        let entries = header.into_iter().filter(|(name, _)| name != "__metadata__").map(|(name, entry)| {
            let entry = TensorEntry::deserialize(entry).map_err(|error| format!("its header on `{name}`: {error}"))?;
            Ok((name, entry))
        });
        Ok(Self { entries: entries.collect::<Result<_, String>>()?, data })
    }

    /// The numbers of a tensor, which must have this shape.
    pub(super) fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let entry = self.entries.get(name).ok_or_else(|| format!("it has no tensor `{name}`"))?;
        if entry.dtype != "F32" || entry.shape != shape {
            let TensorEntry { dtype, shape: found, .. } = entry;
            return Err(format!("`{name}` is {dtype} of shape {found:?}, F32 of shape {shape:?} is expected"));
        }
        let bytes = self.data.get(entry.data_offsets.0..entry.data_offsets.1);
        let count: usize = shape.iter().product();
        let Some(bytes) = bytes.filter(|bytes| bytes.len() == count * size_of::<f32>()) else {
            return Err(format!("the bytes of `{name}` are not all there"));
        };
        let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(numbers)
        } else {
            Err(format!("`{name}` holds what is not a finite number"))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        bytes
    }

    const HEADER: &str = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}"#;

    #[test]
    fn numbers_are_found_by_name_and_shape() {
        let bytes = file(HEADER, &[0, 0, 128, 63, 0, 0, 0, 192]);
        let tensors = Tensors::new(&bytes).unwrap();
        assert_eq!(tensors.numbers("a", &[2, 1]).unwrap(), [1.0, -2.0]);
        assert!(tensors.numbers("b", &[2]).unwrap_err().contains("no tensor `b`"));
        assert!(tensors.numbers("a", &[2]).unwrap_err().contains("shape [2, 1]"));
    }

    #[test]
    fn a_damaged_file_says_what_is_wrong() {
        let cut = file(HEADER, &[0; 7]);
        assert!(Tensors::new(&cut).unwrap().numbers("a", &[2, 1]).unwrap_err().contains("not all there"));
        let infinite = file(HEADER, &[0, 0, 128, 127, 0, 0, 0, 0]);
        assert!(Tensors::new(&infinite).unwrap().numbers("a", &[2, 1]).unwrap_err().contains("finite"));
        assert!(Tensors::new(b"1234").is_err());
        assert!(Tensors::new(&[255; 16]).err().unwrap().contains("more than there are"));
        let backwards = file(&HEADER.replace("[0,8]", "[8,0]"), &[0; 8]);
        assert!(Tensors::new(&backwards).unwrap().numbers("a", &[2, 1]).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_stop(at in 0_usize..90, byte in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut whole = file(HEADER, &[0, 0, 128, 63, 0, 0, 0, 192]);
            if let Some(place) = whole.get_mut(at) {
                *place = byte;
            }
            for bytes in [whole, bytes] {
                if let Ok(tensors) = Tensors::new(&bytes) {
                    let _ = tensors.numbers("a", &[2, 1]);
                }
            }
        }
    }
}
