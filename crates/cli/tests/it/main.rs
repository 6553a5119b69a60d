//! The program as its users see it: commands, what they print, how they end.

#![expect(clippy::disallowed_methods, reason = "tests make the files that they look at")]

mod commands;
mod journeys;
mod verify;
