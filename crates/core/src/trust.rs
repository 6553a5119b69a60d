//! [`Trust`]: whose word decides what is run and who is contacted.

use std::fmt;

/// Whose word decides what is run and who is contacted. There is one [`Backend`](crate::Outside) for a run, and it has one
/// of these levels from its making to its end. What says nothing has the least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Somebody else names it: a client of a server, an index. What is computed on this machine answers, and nothing else.
    #[default]
    LocalOnly,
    /// A file names it: the results, manifest or store of a finished run. What this user's own record holds and what is
    /// computed on this machine answers. Nothing is run, nobody is contacted.
    RecordedOnly,
    /// This user's own command line, environment and configuration name it: programs, addresses, keys, files of replies.
    Trusted,
}

impl Trust {
    /// All levels, the least first.
    pub const ALL: [Self; 3] = [Self::LocalOnly, Self::RecordedOnly, Self::Trusted];

    /// The word in documents and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LocalOnly => "local only",
            Self::RecordedOnly => "recorded only",
            Self::Trusted => "trusted",
        }
    }

    /// Whether a program may be started or an address contacted because it was named here.
    pub const fn may_ask(self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Whether the record of replies may answer.
    pub const fn may_use_cache(self) -> bool {
        !matches!(self, Self::LocalOnly)
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
