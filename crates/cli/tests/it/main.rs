//! The program as its users see it: commands, what they print, how they end.

#![allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need")]

mod agent_tasks;
mod asked_again;
mod batches;
mod calibrate;
mod ci_action;
mod commands;
mod costs;
mod dataset_versions;
mod decide_early;
mod documents;
mod ending;
mod fallback;
mod files_of_0_3;
mod flags;
mod history;
mod hostile;
#[cfg(unix)]
mod hostile_kit;
mod importers;
mod journeys;
mod judges;
mod local_model;
mod lossless;
mod models;
mod old_files;
mod old_names;
mod openai_platform;
mod original_scripts;
mod original_sgi;
mod originals;
#[cfg(unix)]
mod own_metrics;
mod planted;
mod program;
mod promptfoo;
mod prompts;
mod replies;
mod rescore;
mod retrieval;
mod serve;
mod statistics;
mod stop_early;
mod stores;
mod suites;
mod synthesis_1_3;
mod ten_gates;
mod tools;
mod torture;
mod torture_index;
mod torture_runs;
mod traces;
mod verify;
mod view;
mod vocabulary;
mod ways_out;
mod words;
