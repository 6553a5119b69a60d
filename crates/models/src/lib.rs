//! Everything that talks to a language model.
//!
//! [`ModelSettings`] say who is asked and how hard; [`Models`] opens them for a run and answers what judges ask. Replies
//! go into a [`ResponseCache`] by the content of their request, so that none is paid for twice: not in the next run, not after a
//! crash, not by two processes at once. A [`Budget`] is reserved before each call. Keys come from named variables of the
//! environment and are shown nowhere ([`Redactor`]). What is worth another attempt is one table: [`retry_policy::RULES`].
//!
//! The crate is asynchronous inside; its users need not be.
//!
//! ```
//! use probare_core::{Message, ChatRequest};
//! use probare_models::{Client, ModelContext, ModelOptions, ModelSettings};
//!
//! let shared = ModelContext::open(ModelOptions::new(probare_core::Trust::Trusted))?;
//! let program = ["sh", "-c", r#"cat > /dev/null; echo '{"text": "yes"}'"#].map(String::from).to_vec();
//! let client = Client::open(ModelSettings { command: program, ..ModelSettings::from_name("command:sh") }, &shared)?;
//! let question = ChatRequest { messages: vec![Message::user("Is it so?")], ..ChatRequest::default() };
//! assert_eq!(client.ask(&[question])[0].response_text()?, "yes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod budget;
mod cache;
mod client;
mod connection;
mod dialects;
pub mod embedding;
mod error;
mod http;
mod image_tokens;
mod images;
mod json_endpoint;
mod ledger;
mod limits;
mod models;
mod name;
pub mod prices;
mod request;
pub mod retry_policy;
mod secret;
mod settings;
mod shared;
mod signature;
mod sqlite;

pub use batch::BatchReport;
pub use budget::{Budget, BudgetError};
pub use cache::{
    CacheEntry, CacheError, CacheFile, CacheKey, CachedModel, ExportCounts, ImportCounts, LEASE, LostAttempts,
    OwnershipCounts, ProgramCache, ProgramEntry, PruneFilter, ResponseCache, accept_entries, count_ownership,
    export_cache, find_entries_containing, import_cassette, list_cached_models, prune_cache, read_cassette, rotate_key,
};
pub use client::{CallReply, Client};
pub use dialects::{Feature, StopMeaning, StopReasons, stop_reasons};
pub use error::CallError;
pub use images::{ImageError, read_image};
pub use json_endpoint::JsonEndpoint;
pub use ledger::{Account, Admission, EndedCall, Grant, Ledger, LedgerRequest, PlannedCall, Spending, SpendingLimit};
pub use models::Models;
pub use name::{ModelName, Provider};
pub use prices::Money;
pub use probare_files::random_token;
pub use request::ModelRequest;
pub use retry_policy::Fault;
pub use secret::{REDACTED, Redactor, Secret, forbid_core_dumps};
pub use settings::{GeneratorType, LimitScope, MaxTokensField, ModelSettings, SettingsError, without_keys};
pub use shared::{CallCounts, ModelContext, ModelOptions, OpenError};
pub use sqlite::{
    enable_wal, ensure_plain_database, guard_connection, journal_path, open_immutable, open_without_links,
};
