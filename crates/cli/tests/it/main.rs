//! The program as its users see it: commands, what they print, how they end.

mod commands;
mod journeys;
mod verify;
