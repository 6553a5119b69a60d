//! [`Trouble`]: what can go wrong between a question and its reply.

use super::Behaviour;

/// One kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trouble {
    /// None: a good reply.
    None,
    /// 429.
    TooMany,
    /// 429 with `Retry-After`.
    TooManyWithDelay,
    /// 500.
    ServerError,
    /// 503 with `Retry-After` as a date that has passed.
    Overloaded,
    /// A body that begins and does not go on.
    SlowBody,
    /// A body that ends in the middle.
    CutBody,
    /// A page for people.
    WrongContentType,
    /// Broken JSON.
    InvalidJson,
    /// A reply without an answer.
    EmptyChoices,
    /// The model declines.
    Refusal,
    /// A reply longer than any answer.
    Huge,
    /// The connection is reset.
    Reset,
    /// The connection is closed without a word.
    Closed,
    /// 400.
    BadRequest,
    /// 401.
    Unauthorized,
    /// A redirection to another place.
    Redirect,
}

impl Trouble {
    /// Everything that one question of many may meet without a lesson for the others.
    pub const ALL: [Self; 13] = [
        Self::TooMany,
        Self::TooManyWithDelay,
        Self::ServerError,
        Self::Overloaded,
        Self::SlowBody,
        Self::CutBody,
        Self::WrongContentType,
        Self::InvalidJson,
        Self::EmptyChoices,
        Self::Refusal,
        Self::Huge,
        Self::Reset,
        Self::Closed,
    ];
}

/// The trouble of a request, from the seed, the question and how often it was asked before.
pub(super) fn drawn(behaviour: &Behaviour, question: &str, before: u64) -> Option<Trouble> {
    // FNV-1a, then the finishing step of SplitMix64: enough to be spread evenly.
    let mut hash = 0xCBF2_9CE4_8422_2325_u64 ^ behaviour.seed;
    for byte in question.bytes().chain(before.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^= hash >> 31;
    let share = (hash >> 11) as f64 / (1_u64 << 53) as f64;
    if share >= behaviour.share || behaviour.troubles.is_empty() {
        return None;
    }
    let at = usize::try_from(hash % behaviour.troubles.len() as u64).unwrap_or_default();
    behaviour.troubles.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_comes_in_the_share_that_is_asked_for_and_again_with_the_seed() {
        let behaviour = Behaviour { share: 0.1, ..Behaviour::default() };
        let drawn_at = |number: usize| drawn(&behaviour, &format!("question {number}"), 0);
        let troubles: Vec<Trouble> = (0..10_000).filter_map(drawn_at).collect();
        assert!((900..1100).contains(&troubles.len()), "{}", troubles.len());
        for kind in Trouble::ALL {
            assert!(troubles.iter().filter(|trouble| **trouble == kind).count() > 30, "{kind:?}");
        }
        assert_eq!(troubles, (0..10_000).filter_map(drawn_at).collect::<Vec<_>>());
    }
}
