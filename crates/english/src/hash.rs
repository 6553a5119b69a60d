//! Feature hashing. A feature is a template number and a few atoms (hashes of words, tag numbers); its key is 32 bits.
//!
//! The functions are fixed for ever: the weights on disk are addressed by these keys.

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The atom of a string.
pub fn text(text: &str) -> u64 {
    text.chars().fold(START, character)
}

/// The state before the first character.
pub const START: u64 = 0xCBF2_9CE4_8422_2325;

/// The state after one more character. `text` is the fold of this over all characters.
#[inline]
pub fn character(state: u64, character: char) -> u64 {
    mix(state, u64::from(u32::from(character)))
}

/// Joins one more atom to a state; not commutative, so the order of atoms counts.
#[inline]
pub fn mix(state: u64, atom: u64) -> u64 {
    let product = (state.rotate_left(23) ^ atom).wrapping_mul(MULTIPLIER);
    product ^ (product >> 32)
}

/// The 32-bit key of a finished state.
#[inline]
pub fn key(state: u64) -> u32 {
    // The multiplication moves information upwards, so the upper half is the better one.
    u32::try_from(state.wrapping_mul(MULTIPLIER) >> 32).expect("a 64-bit number shifted by 32 fits 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_atoms_changes_the_key() {
        let forth = key(mix(mix(START, 1), 2));
        let back = key(mix(mix(START, 2), 1));
        assert_ne!(forth, back);
    }

    #[test]
    fn the_function_never_changes() {
        assert_eq!(text("parser"), HASH_OF_PARSER);
    }

    /// Written down once; weights on disk depend on it.
    const HASH_OF_PARSER: u64 = 12_698_810_949_975_979_563;
}
