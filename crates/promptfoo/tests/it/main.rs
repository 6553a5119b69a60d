//! The crate against vectors made with promptfoo 0.123.1.

mod assertions;
mod configurations;
mod page;
mod schemas;
mod templates;
