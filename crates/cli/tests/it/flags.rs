//! Every flag arrives: each flag of each verb that scores is set, and what the program prints, writes and answers differs from
//! what it does without it. A flag without a probe fails, and so does a probe that nobody needs any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use probare_testing::Server;

/// A verb with the words that make it run in the prepared folder.
struct Scene {
    verb: &'static str,
    words: &'static [&'static str],
    /// A metric that it computes, for gates.
    metric: &'static str,
}

/// What is done with a flag to see its effect.
enum Probe {
    /// These words more change what comes out.
    Words(&'static [&'static str]),
    /// The same, in a run that already has the first words.
    Beside(&'static [&'static str], &'static [&'static str]),
    /// No output may depend on it: it arrives in the settings.
    Setting(&'static [&'static str]),
}

use Probe::{Beside, Setting, Words};
