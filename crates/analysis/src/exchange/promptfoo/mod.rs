//! Configurations of promptfoo as configurations and cases of ours.
//!
//! The file is foreign. What it names is read below its own folder; no code of it is run, no address of it is contacted,
//! no variable of the process is put into its texts. Providers are resolved by name.

mod chat;
mod folder;
mod obstacles;
mod providers;
mod translate;

pub use self::translate::{Translation, is_promptfoo_configuration, translate};
