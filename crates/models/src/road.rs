//! [`Road`]: how a question reaches its model: over HTTP with a key in a header, through a program, or from a file.

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::name::Dialect;
use crate::providers::{Heard, Parcel, Unheard, anthropic, command, gemini, openai, prompt, replay::Cassette};
use crate::secret::{Secret, forbid_core_dumps};
use crate::shared::{OpenError, Shared};
use crate::transport::{Failed, Transport, is_loopback};
use crate::{Fault, ModelName, ModelSettings, Request, SettingsError};

/// A way to a model.
pub(crate) enum Road {
    Http(Transport),
    Command(Vec<String>),
    /// As HTTP, with a key in the body; none where the server is on this machine and no key is set.
    Prompt(Transport, Option<Secret>),
    Cassette(Cassette),
    /// Only the record answers: neither key nor connection is needed.
    Nowhere,
}

/// What is sent, in the provider's own way.
pub(crate) fn parcel(request: &Request) -> Parcel {
    match request.provider.dialect() {
        Dialect::OpenAi if request.embedding => openai::embedding_parcel(request),
        Dialect::OpenAi => openai::parcel(request),
        Dialect::Anthropic => anthropic::parcel(request),
        Dialect::Gemini => gemini::parcel(request),
        Dialect::Prompt => prompt::parcel(request),
        Dialect::Command | Dialect::Replay => Parcel { url: String::new(), body: command::input(request) },
    }
}

impl Road {
    /// Prepares the way: reads the key, opens the file. Nothing is sent.
    pub(crate) fn open(
        settings: &ModelSettings,
        name: &ModelName,
        base_url: &str,
        shared: &Shared,
    ) -> Result<Self, OpenError> {
        let trust = shared.trust();
        if !trust.may_recall() {
            return Err(OpenError::LocalOnly { model: settings.shown() });
        }
        // A file of recorded replies needs no line to anybody; but a name that came with a file opens none.
        let is_known = || shared.0.cassettes.iter().any(|known| known.as_os_str() == name.model.as_str());
        let is_local = name.provider.dialect() == Dialect::Replay && (trust.may_ask() || is_known());
        if (shared.0.offline || shared.0.only_looks) && !is_local {
            Ok(Self::Nowhere)
        } else {
            open(settings, name, base_url, shared)
        }
    }

    /// Whether a file answers.
    pub(crate) const fn is_cassette(&self) -> bool {
        matches!(self, Self::Cassette(_))
    }

    /// One attempt: the reply and the bytes that it came in.
    pub(crate) async fn send(&self, request: &Request, parcel: &Parcel) -> Result<(Heard, Vec<u8>), Failed> {
        let received = match self {
            Self::Http(transport) | Self::Prompt(transport, None) => transport.post(parcel).await?,
            Self::Prompt(transport, Some(auth)) => {
                let mut whole = prompt::with_auth(&parcel.body, auth);
                let with_auth = Parcel { url: parcel.url.clone(), body: std::mem::take(&mut *whole) };
                transport.post(&with_auth).await?
            }
            Self::Command(program) => command::run(program, parcel.body.clone()).await?,
            Self::Cassette(cassette) => return Ok((cassette.heard(request)?, Vec::new())),
            Self::Nowhere => return Err(Unheard::new(Fault::NotConnected, "only the record may answer").into()),
        };
        let heard = match request.provider.dialect() {
            Dialect::Anthropic => anthropic::heard(&received),
            Dialect::Gemini => gemini::heard(&received),
            Dialect::Command => command::heard(&received),
            Dialect::Prompt => prompt::heard(&received),
            Dialect::OpenAi if request.embedding => openai::heard_vector(&received),
            Dialect::OpenAi | Dialect::Replay => openai::heard(&received),
        }?;
        Ok((heard, received))
    }
}

fn open(settings: &ModelSettings, name: &ModelName, base_url: &str, shared: &Shared) -> Result<Road, OpenError> {
    match name.provider.dialect() {
        Dialect::Command => {
            let given = settings.command.clone();
            return Ok(Road::Command(if given.is_empty() { vec![name.model.clone()] } else { given }));
        }
        Dialect::Replay => return Ok(Road::Cassette(Cassette::open(std::path::Path::new(&name.model))?)),
        _ => {}
    }
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if name.provider.dialect() == Dialect::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
    }
    if name.provider.dialect() == Dialect::Prompt {
        let variable = settings.key_variable()?.unwrap_or_default();
        let auth = shared.variable(&variable).map(|key| learned(&key, shared));
        if auth.is_none() && !is_loopback(base_url) {
            return Err(SettingsError::NoKey { model: settings.shown(), variable }.into());
        }
        let transport = Transport::new(headers, base_url).map_err(|reason| OpenError::System { reason })?;
        return Ok(Road::Prompt(transport, auth));
    }
    if let Some(variable) = settings.key_variable()? {
        let key = shared
            .variable(&variable)
            .ok_or_else(|| SettingsError::NoKey { model: settings.shown(), variable: variable.clone() })?;
        let key = learned(&key, shared);
        let (header, value) = match name.provider.dialect() {
            Dialect::Anthropic => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
            Dialect::Gemini => (HeaderName::from_static("x-goog-api-key"), key.expose().to_owned()),
            _ => (AUTHORIZATION, format!("Bearer {}", key.expose())),
        };
        headers.insert(header, sensitive(value, settings, "api_key")?);
    }
    for (header, template) in &settings.headers {
        let parsed = HeaderName::try_from(header.as_str())
            .map_err(|_| wrong(settings, "headers", format!("holds `{header}`, which is no name of a header")))?;
        headers.insert(parsed, sensitive(filled(template, settings, shared)?, settings, "headers")?);
    }
    let transport = Transport::new(headers, base_url).map_err(|reason| OpenError::System { reason })?;
    Ok(Road::Http(transport))
}

/// A key that the redactor knows from now on, in a process that leaves no dump behind.
fn learned(text: &str, shared: &Shared) -> Secret {
    forbid_core_dumps();
    let secret = Secret::new(text);
    shared.redactor().learn(&secret);
    secret
}

fn wrong(settings: &ModelSettings, field: &'static str, reason: String) -> SettingsError {
    SettingsError::Value { model: settings.shown(), field, reason }
}

/// A header value that no log shows.
fn sensitive(value: String, settings: &ModelSettings, field: &'static str) -> Result<HeaderValue, SettingsError> {
    let value = zeroize::Zeroizing::new(value);
    let mut header = HeaderValue::from_str(&value)
        .map_err(|_| wrong(settings, field, "holds characters that a header cannot carry".to_owned()))?;
    header.set_sensitive(true);
    Ok(header)
}

/// A header with every `${NAME}` replaced.
fn filled(template: &str, settings: &ModelSettings, shared: &Shared) -> Result<String, SettingsError> {
    let mut value = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("${") {
        let (variable, remaining) =
            after.split_once('}').ok_or_else(|| wrong(settings, "headers", "holds `${` without its `}`".to_owned()))?;
        let text = shared
            .variable(variable)
            .ok_or_else(|| SettingsError::NoKey { model: settings.shown(), variable: variable.to_owned() })?;
        value.push_str(before);
        value.push_str(learned(&text, shared).expose());
        rest = remaining;
    }
    value.push_str(rest);
    Ok(value)
}
