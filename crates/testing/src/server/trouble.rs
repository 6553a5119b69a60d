//! [`Trouble`]: what can go wrong between a question and its reply.

use super::ServerBehaviour;

macro_rules! troubles {
    ($(#[doc = $doc:literal] $name:ident,)*) => {
        /// One kind of trouble, or an unusual way of answering.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Trouble {
            $(#[doc = $doc] $name,)*
        }

        impl Trouble {
            /// All of them.
            pub const EVERY: &[Self] = &[$(Self::$name,)*];
        }
    };
}

troubles! {
    /// None: a good reply.
    None,
    /// 429.
    TooMany,
    /// 429 with `Retry-After`.
    TooManyWithDelay,
    /// 429 with `retry-after-ms`.
    TooManyWithMilliseconds,
    /// 429 whose body holds the delay, as Gemini has it.
    TooManyWithDelayInBody,
    /// 429 that speaks of the bill.
    NoCredit,
    /// 402.
    PaymentRequired,
    /// 408.
    RequestTimeout,
    /// 409.
    Conflict,
    /// 500.
    ServerError,
    /// 502 with a page for people.
    BadGateway,
    /// 503 with `Retry-After` as a date that has passed.
    Overloaded,
    /// 504.
    GatewayTimeout,
    /// 529.
    SiteOverloaded,
    /// Nothing comes at all.
    SlowHead,
    /// A body that begins and does not go on.
    SlowBody,
    /// A body that ends in the middle.
    CutBody,
    /// A page for people.
    WrongContentType,
    /// A good reply that says it is plain text.
    OddContentType,
    /// A good reply that does not say what it is.
    NoContentType,
    /// A good reply without a length, ended by the end of the connection.
    NoLength,
    /// A good reply, packed.
    Gzip,
    /// A good reply, packed, without a word about it.
    GzipUnannounced,
    /// A packed reply that ends in the middle.
    GzipCut,
    /// A reply packed in a way that nobody asked for.
    Brotli,
    /// Broken JSON.
    InvalidJson,
    /// JSON that is not an object.
    OddJson,
    /// No body.
    EmptyBody,
    /// A reply without an answer.
    EmptyChoices,
    /// A reply whose text is null.
    NullContent,
    /// A reply whose text is empty.
    EmptyText,
    /// A reply of thoughts alone.
    ThoughtsOnly,
    /// A reply that was cut at its longest length.
    Length,
    /// Thoughts that were cut at the longest length.
    LengthInThoughts,
    /// A good reply without usage.
    NoUsage,
    /// A call of a tool in place of a text.
    ToolCall,
    /// The model declines.
    Refusal,
    /// A filter declines in place of the model.
    Filtered,
    /// A failure with status 200.
    ErrorInBody,
    /// A reply longer than any answer.
    Huge,
    /// A reply of twenty megabytes.
    TwentyMegabytes,
    /// The connection is reset.
    Reset,
    /// The connection is closed without a word.
    Closed,
    /// 204.
    NoContent,
    /// A redirection to another place.
    Redirect,
    /// 400.
    BadRequest,
    /// 400 of a filter.
    ModeratedAs400,
    /// 400 that speaks of the key.
    WrongKeyAs400,
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 403 of a filter.
    Moderated,
    /// 403 that speaks of the key.
    WrongKeyAs403,
    /// 404.
    NotFound,
    /// 413.
    TooLargeRequest,
    /// 422.
    Unprocessable,
    /// A stream that falls silent.
    SilentStream,
    /// A stream that ends in the middle.
    CutStream,
    /// A stream that comes slowly, but comes.
    SlowStream,
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
pub(super) fn draw_trouble(behaviour: &ServerBehaviour, question: &str, before: u64) -> Option<Trouble> {
    if let Some((_, trouble)) = behaviour.marked.iter().find(|(mark, _)| question.contains(mark.as_str())) {
        return Some(*trouble);
    }
    if before == 0 && behaviour.first.is_some() {
        return behaviour.first;
    }
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
        let behaviour = ServerBehaviour { share: 0.1, ..ServerBehaviour::default() };
        let drawn_at = |number: usize| draw_trouble(&behaviour, &format!("question {number}"), 0);
        let troubles: Vec<Trouble> = (0..10_000).filter_map(drawn_at).collect();
        assert!((900..1100).contains(&troubles.len()), "{}", troubles.len());
        for kind in Trouble::ALL {
            assert!(troubles.iter().filter(|trouble| **trouble == kind).count() > 30, "{kind:?}");
        }
        assert_eq!(troubles, (0..10_000).filter_map(drawn_at).collect::<Vec<_>>());
    }
}
