//! [`BenchmarkCommand`]: a published benchmark with the flags of its command.

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _};
use probare_core::Benchmark;
use serde::Serialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use serde_json::{Map, Value as Json};

/// What a benchmark declares about its command; [`BenchmarkCommand`] follows from it.
pub(crate) trait CommandOptions: Benchmark {
    /// Its options. Those that are no arguments (`#[arg(skip)]`) are options of every run, see `SHARED`.
    type Options: Args + Serialize;

    /// What its two profiles are, as help.
    const PROFILES: &'static str;

    /// Options of every run that are options of the benchmark, too: what is said of them it is told.
    const SHARED: &'static [&'static str] = &["profile"];

    /// Further options of every run that would have no effect on most benchmarks and have one on this.
    const TAKES: &'static [&'static str];

    /// Flags that do not go together with `-o`, each with the reason.
    const WITHOUT_OUTPUT: &'static [(&'static str, &'static str)] = &[];
}

/// A published benchmark as the command line sees it.
pub trait BenchmarkCommand: Benchmark {
    /// Its own flags. Without a variable of its own each reads `PROBARE_NAME`.
    fn flags(&self) -> Vec<Arg>;

    /// What command line and environment say of its own options, by their names; nothing of those that keep their defaults.
    fn options(&self, matches: &ArgMatches) -> Result<Map<String, Json>, clap::Error>;

    /// What its two profiles are, as help.
    fn profiles(&self) -> &'static str;

    /// Options of every run that are options of the benchmark, too.
    fn shared(&self) -> &'static [&'static str];

    /// Whether an option that would have no effect on most benchmarks has one on this.
    fn takes(&self, option: &str) -> bool;

    /// Flags that do not go together with `-o`, each with the reason.
    fn without_output(&self) -> &'static [(&'static str, &'static str)];
}

impl<T: CommandOptions> BenchmarkCommand for T {
    fn flags(&self) -> Vec<Arg> {
        let command = T::Options::augment_args(Command::new("options")).mut_args(|flag| {
            let id = flag.get_id().to_string();
            let flag = match flag.get_action() {
                ArgAction::SetTrue => flag,
                ArgAction::Append => flag.num_args(1..),
                // As the originals read them: of a flag that is given twice the last one holds.
                _ => flag.overrides_with(&id).allow_hyphen_values(true),
            };
            if flag.get_env().is_some() { flag } else { flag.env(format!("PROBARE_{}", id.to_uppercase())) }
        });
        // Their place in the help is that of the command which takes them.
        command.get_arguments().cloned().map(|flag| flag.display_order(Resettable::Reset)).collect()
    }

    fn options(&self, matches: &ArgMatches) -> Result<Map<String, Json>, clap::Error> {
        let options = serde_json::to_value(T::Options::from_arg_matches(matches)?);
        let Ok(Json::Object(mut options)) = options else {
            let reason = "an option holds what is no valid UTF-8";
            return Err(clap::Error::raw(clap::error::ErrorKind::InvalidUtf8, reason));
        };
        let is_said = |id: &str| {
            let source = matches.try_contains_id(id).ok().and_then(|_| matches.value_source(id));
            matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
        };
        options.retain(|name, value| is_said(name) && *value != Json::Bool(false));
        Ok(options)
    }

    fn profiles(&self) -> &'static str {
        T::PROFILES
    }

    fn shared(&self) -> &'static [&'static str] {
        T::SHARED
    }

    fn takes(&self, option: &str) -> bool {
        T::SHARED.contains(&option) || T::TAKES.contains(&option)
    }

    fn without_output(&self) -> &'static [(&'static str, &'static str)] {
        T::WITHOUT_OUTPUT
    }
}

/// Reads a word of a closed set, as files have it.
pub(crate) fn parse_word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let word: StrDeserializer<'_, serde::de::value::Error> = text.into_deserializer();
    T::deserialize(word).map_err(|error| error.to_string())
}

/// Reads a whole number.
pub(crate) fn parse_integer(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| "a whole number is expected".to_owned())
}

/// Reads a number.
pub(crate) fn parse_number(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("a number is expected".to_owned()),
    }
}
