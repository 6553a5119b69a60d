//! The trust rule of the program, in one place.
//!
//! Naming a file lets us read it as data. Only the user's own configuration, flags and environment grant authority: to start a
//! program, contact an address, use a key, answer for a model or for a program under test. Four questions follow from it, and
//! each has one answer here:
//!
//! - **How is a file opened that may come from anybody?** As a plain file, without waiting: [`open_plain`], [`read_plain`]. A
//!   pipe, a device or a socket is refused at once.
//! - **Is a path that stands inside a foreign file followed?** [`UntrustedFile::follow`]: wherever the path leads if the content has
//!   the digest that the file says; otherwise only below the folder of that file.
//! - **Who wrote this entry?** [`OwnerKeys`]: an owner tag is an HMAC with a key of this user.
//! - **May this configuration name programs?** [`TrustedConfigs`]: one that was found is used after `probare trust`.
//! - **How is a program started?** [`HostProgram`]: by an absolute path, in a neutral folder, with a cleaned environment; one that
//!   the user names, as [`own_command`].

mod owner;
mod plain;
mod program;
mod trusted_configs;
mod untrusted_paths;

pub use owner::{
    KeyError, KeyRotation, OwnerKeys, OwnerTag, PROBARE_KEY, SHORTEST_KEY, config_folder, random_bytes, random_token,
};
pub use plain::{ensure_plain, file_digest, open_plain, read_plain, read_plain_text};
pub use program::{HostProgram, PASSED_VARIABLES, clean_path, find_program, own_command};
pub use trusted_configs::TrustedConfigs;
pub use untrusted_paths::{UntrustedFile, UntrustedPathError, is_below};
