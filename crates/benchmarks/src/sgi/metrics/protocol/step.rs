//! [`ProtocolStep`]: one action with its parameters and what it makes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One step of a protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProtocolStep {
    /// What is done.
    pub action: String,
    /// Values of the parameters by name.
    pub input: BTreeMap<String, String>,
    /// The variable that holds what the step makes.
    pub output: String,
    /// Bytes of the text that the step was read from.
    pub span: Range<usize>,
}

impl ProtocolStep {
    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.input.get(name).map(String::as_str)
    }

    /// Sets a parameter; a later value replaces an earlier one.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.input.insert(name.to_owned(), value.to_owned());
    }
}

/// The variables of a protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables<'a> {
    /// What steps make, wherever in the protocol.
    pub generated: BTreeSet<&'a str>,
    /// Values that no step makes and that are neither quoted nor plain numbers.
    pub raw: BTreeSet<&'a str>,
}

impl<'a> Variables<'a> {
    /// Those of these steps.
    pub fn from_steps(steps: &'a [ProtocolStep]) -> Self {
        let generated: BTreeSet<&str> = steps.iter().map(|step| step.output.as_str()).collect();
        let values = steps.iter().flat_map(|step| step.input.values().map(String::as_str));
        let is_raw = |value: &&str| !generated.contains(value) && !is_quoted(value) && !is_decimal(value);
        let raw = values.filter(is_raw).collect();
        Self { generated, raw }
    }
}

fn is_quoted(value: &str) -> bool {
    value.len() > 1 && value.starts_with('"') && value.ends_with('"')
}

/// A minus or none, digits, at most one point with digits behind it.
fn is_decimal(value: &str) -> bool {
    let unsigned = value.strip_prefix('-').unwrap_or(value);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.chars().all(probare_text::python::is_decimal);
    !whole.is_empty() && digits(whole) && fraction.is_none_or(|fraction| digits(fraction) && !fraction.is_empty())
}
