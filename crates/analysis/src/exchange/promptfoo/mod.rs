//! Configurations of promptfoo as configurations and cases of ours.
//!
//! The file is foreign. What it names is read below its own folder; no code of it is run unless the user says so, no address of it
//! is contacted, no variable of the process is put into its texts. Providers are resolved by name.

mod chat;
mod code;
mod derived;
mod folder;
mod obstacles;
mod providers;
mod translate;

pub use self::derived::{DerivedMetrics, DerivedValue};
pub use self::translate::{TranslateOptions, Translation, is_promptfoo_configuration, translate};
