//! Everything that talks to a language model.
//!
//! [`ModelSettings`] say who is asked and how hard; [`Models`] opens them for a run and answers what judges ask. Replies
//! go into a [`Record`] by the content of their request, so that none is paid for twice: not in the next run, not after a
//! crash, not by two processes at once. A [`Budget`] is reserved before each call. Keys come from named variables of the
//! environment and are shown nowhere ([`Redactor`]). What is worth another attempt is one table: [`fault::RULES`].
//!
//! The crate is asynchronous inside; its users need not be.
//!
//! ```
//! use probare_core::{Message, Question};
//! use probare_models::{Client, ModelSettings, Options, Shared};
//!
//! let shared = Shared::open(Options::new(probare_core::Trust::Trusted))?;
//! let program = ["sh", "-c", r#"cat > /dev/null; echo '{"text": "yes"}'"#].map(String::from).to_vec();
//! let client = Client::open(ModelSettings { command: program, ..ModelSettings::named("command:sh") }, &shared)?;
//! let question = Question { messages: vec![Message::user("Is it so?")], ..Question::default() };
//! assert_eq!(client.ask(&[question])[0].read()?, "yes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod client;
mod connection;
mod dialects;
pub mod embedding;
mod error;
pub mod fault;
mod http;
mod images;
mod limits;
mod models;
mod name;
pub mod prices;
mod random;
mod record;
mod request;
mod secret;
mod settings;
mod shared;
mod signature;
mod unfollowed;

pub use budget::{Budget, BudgetReached, Spending};
pub use client::{Answered, Client};
pub use dialects::{Feature, providers_table, signs_table};
pub use error::CallError;
pub use fault::Fault;
pub use images::{ImageError, read_image};
pub use models::Models;
pub use name::{ModelName, NameError, Provider};
pub use prices::Money;
pub use random::random_bytes;
pub use record::{
    Entry, Imported, Kept, Key, LEASE, Lost, Old, Programs, RanEntry, Record, RecordError, export, holding, import,
    list, prune, read_cassette,
};
pub use request::Request;
pub use secret::{REDACTED, RUN, Redactor, Secret, WHOLE, forbid_core_dumps};
pub use settings::{GeneratorType, ModelSettings, SettingsError, looks_like_a_variable, without_keys};
pub use shared::{Counts, OpenError, Options, RECORD, Shared, record_path};
pub use unfollowed::{open_unfollowed, write_ahead};
