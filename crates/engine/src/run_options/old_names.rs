//! Options by their names of release 0.3: flags, keys and variables that still work and are mentioned once.

/// An option of release 0.3 that has another name now.
#[derive(Debug, Clone, Copy)]
pub struct RenamedOption {
    /// The key of then.
    pub old: &'static str,
    /// The flag of then, without its dashes.
    pub old_flag: &'static str,
    /// The key of now.
    pub new: &'static str,
    /// The variable of then.
    pub old_variable: &'static str,
    /// The variable of now.
    pub new_variable: &'static str,
}

/// Options by their names of release 0.3. `bands` is none of them: both lists may be given.
pub const RENAMED: [RenamedOption; 5] = [
    renamed(["confident", "confident"], "significant", "PROBARE_CONFIDENT", "PROBARE_SIGNIFICANT"),
    renamed(["each_group", "each-group"], "per_group", "PROBARE_EACH_GROUP", "PROBARE_PER_GROUP"),
    renamed(["record", "record"], "cache", "PROBARE_RECORD", "PROBARE_CACHE"),
    renamed(["sep", "sep"], "delimiter", "PROBARE_SEP", "PROBARE_DELIMITER"),
    renamed(["longest_row", "longest-row"], "max_row_size", "PROBARE_LONGEST_ROW", "PROBARE_MAX_ROW_SIZE"),
];

const fn renamed(
    [old, old_flag]: [&'static str; 2],
    new: &'static str,
    old_variable: &'static str,
    new_variable: &'static str,
) -> RenamedOption {
    RenamedOption { old, old_flag, new, old_variable, new_variable }
}

impl RenamedOption {
    /// Whether the old variable is set, and the new one is not.
    pub fn is_set_by_old_variable(&self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        is_set(self.old_variable) && !is_set(self.new_variable)
    }
}

/// The variable that gives the value of an option: the one of this name, or its old name where that is the one that is set.
pub(super) fn variable_in_use(name: &str) -> &str {
    let old = RENAMED.iter().find(|option| option.new_variable == name && option.is_set_by_old_variable());
    old.map_or(name, |option| option.old_variable)
}
