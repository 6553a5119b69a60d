//! [`Connection`]: how a question reaches its model: over HTTP with a key in a header, through a program, or from a file.

use std::time::SystemTime;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::dialects::replay::ReplayCassette;
use crate::dialects::{RawReply, RawRequest, ReplyError, anthropic, command, prompt};
use crate::http::{AttemptError, Http, is_loopback};
use crate::name::BEARER;
use crate::secret::{Secret, forbid_core_dumps};
use crate::shared::{ModelContext, OpenError};
use crate::signature::Signer;
use crate::{Fault, ModelName, ModelRequest, ModelSettings, Provider, SettingsError};

/// A way to a model.
pub(crate) enum Connection {
    Http(Http),
    /// As HTTP, signed with the keys of an account.
    Signed(Http, Signer),
    /// As HTTP, with a key in the body; none where the server is on this machine and no key is set.
    Prompt(Http, Option<Secret>),
    Command(Vec<String>),
    Cassette(ReplayCassette),
    /// Only the record answers: neither key nor connection is needed.
    CacheOnly,
}

impl Connection {
    /// Prepares the way: reads the key, opens the file. Nothing is sent.
    pub(crate) fn open(
        settings: &ModelSettings,
        name: &ModelName,
        base_url: &str,
        shared: &ModelContext,
    ) -> Result<Self, OpenError> {
        let trust = shared.trust();
        if !trust.may_use_cache() {
            let model = settings.display_name();
            return Err(OpenError::Invalid(format!("`{model}` is not a local model, and no other may be asked here")));
        }
        // A file of recorded replies needs no line to anybody; but a name that came with a file opens none.
        let is_known = || shared.0.cassettes.iter().any(|known| known.as_os_str() == name.model.as_str());
        let is_local = name.provider == Provider::Replay && (trust.may_ask() || is_known());
        let is_unasked = shared.0.unasked.contains(&settings.name);
        if is_unasked || (shared.0.offline || shared.0.only_looks) && !is_local {
            Ok(Self::CacheOnly)
        } else {
            open(settings, name, base_url, shared)
        }
    }

    /// Whether a file answers.
    pub(crate) const fn is_cassette(&self) -> bool {
        matches!(self, Self::Cassette(_))
    }

    /// Whether replies come in pieces.
    pub(crate) const fn streams(&self) -> bool {
        match self {
            Self::Http(http) | Self::Signed(http, _) | Self::Prompt(http, _) => http.streams(),
            _ => false,
        }
    }

    /// One attempt: the replies to these requests and the bytes that they came in. Only requests for vectors go together.
    pub(crate) async fn send(
        &self,
        requests: &[ModelRequest],
        raw: &RawRequest,
    ) -> Result<(Vec<RawReply>, Vec<u8>), AttemptError> {
        let Some(first) = requests.first() else { return Ok((Vec::new(), Vec::new())) };
        let dialect = first.provider.dialect();
        let none = HeaderMap::new;
        let body = match self {
            Self::Http(http) | Self::Prompt(http, None) => http.post(raw, none(), dialect).await?,
            Self::Signed(http, signer) => {
                let signed = signer.headers(&raw.url, &raw.body, SystemTime::now());
                let unsigned = || ReplyError::new(Fault::BadRequest, "the request cannot be signed");
                http.post(raw, signed.ok_or_else(unsigned)?, dialect).await?
            }
            Self::Prompt(http, Some(auth)) => {
                let mut whole = prompt::with_auth(&raw.body, auth);
                let with_auth = RawRequest { url: raw.url.clone(), body: std::mem::take(&mut *whole) };
                http.post(&with_auth, none(), dialect).await?
            }
            Self::Command(program) => {
                let bytes = command::run(program, raw.body.clone()).await?;
                crate::http::ReplyBody { bytes, odd_kind: None }
            }
            Self::Cassette(cassette) => return Ok((vec![cassette.reply(first)?], Vec::new())),
            Self::CacheOnly => {
                return Err(ReplyError::new(Fault::NotConnected, "only the response cache may answer").into());
            }
        };
        let read = if first.embedding {
            dialect.read_vectors(requests, &body.bytes)
        } else {
            dialect.read(first, &body.bytes).map(|reply| vec![reply])
        };
        let replies = read.map_err(|error| match body.odd_kind {
            // What says of itself that it is not JSON, and is none, is the page of a proxy.
            Some(kind) if error.fault == Fault::InvalidJson => {
                ReplyError::new(Fault::WrongContentType, format!("the reply is `{kind}`, not JSON"))
            }
            _ => error,
        })?;
        Ok((replies, body.bytes))
    }
}

fn open(
    settings: &ModelSettings,
    name: &ModelName,
    base_url: &str,
    shared: &ModelContext,
) -> Result<Connection, OpenError> {
    match name.provider {
        Provider::Command => {
            let given = settings.command.clone();
            return Ok(Connection::Command(if given.is_empty() { vec![name.model.clone()] } else { given }));
        }
        Provider::Replay => return Ok(Connection::Cassette(ReplayCassette::open(std::path::Path::new(&name.model))?)),
        _ => {}
    }
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if name.provider == Provider::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(anthropic::VERSION));
    }
    for (header, template) in &settings.headers {
        let parsed = HeaderName::try_from(header.as_str())
            .map_err(|_| wrong(settings, "headers", &format!("holds `{header}`, which is no name of a header")))?;
        headers.insert(parsed, sensitive_header(expand_header(template, settings, shared)?, settings, "headers")?);
    }
    let idle = settings.stream.then(|| ModelSettings::seconds(settings.idle_timeout, 60.0));
    let http = |headers| Http::new(headers, base_url, idle, shared).map_err(|reason| OpenError::System { reason });
    match name.provider {
        Provider::Prompt => {
            let variable = settings.key_variable()?.unwrap_or_default();
            let auth = shared.variable(&variable).map(|key| register_secret(&key, shared));
            if auth.is_none() && !is_loopback(base_url) {
                return Err(SettingsError::NoKey { model: settings.display_name(), variable }.into());
            }
            return Ok(Connection::Prompt(http(headers)?, auth));
        }
        Provider::Bedrock if settings.api_key.is_none() && shared.variable(BEARER).is_none() => {
            let signer = signer(settings, base_url, shared)?;
            return Ok(Connection::Signed(http(headers)?, signer));
        }
        _ => {}
    }
    if let Some(variable) = settings.key_variable()? {
        let key = shared
            .variable(&variable)
            .ok_or_else(|| SettingsError::NoKey { model: settings.display_name(), variable: variable.clone() })?;
        let key = register_secret(&key, shared);
        let (header, value) = match name.provider {
            Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
            Provider::Azure => (HeaderName::from_static("api-key"), key.expose().to_owned()),
            Provider::Gemini => (HeaderName::from_static("x-goog-api-key"), key.expose().to_owned()),
            _ => (AUTHORIZATION, format!("Bearer {}", key.expose())),
        };
        // A header of the settings wins: a gateway may want its key in another form.
        if !headers.contains_key(&header) {
            headers.insert(header, sensitive_header(value, settings, "api_key")?);
        }
    }
    Ok(Connection::Http(http(headers)?))
}

/// The keys of an account of AWS, from the variables that all its tools read.
fn signer(settings: &ModelSettings, base_url: &str, shared: &ModelContext) -> Result<Signer, OpenError> {
    let needed = |variable: &str| {
        let missing = SettingsError::NoKey { model: settings.display_name(), variable: variable.to_owned() };
        shared.variable(variable).ok_or(missing)
    };
    let access_key = needed("AWS_ACCESS_KEY_ID")?.trim().to_owned();
    let secret = register_secret(&needed("AWS_SECRET_ACCESS_KEY")?, shared);
    let token = shared.variable("AWS_SESSION_TOKEN").map(|token| register_secret(&token, shared));
    // `https://bedrock-runtime.REGION.amazonaws.com`
    let named = base_url.split_once("bedrock-runtime.").and_then(|(_, rest)| rest.split('.').next());
    let region = named.map(ToOwned::to_owned).or_else(|| region(shared)).unwrap_or_default();
    Ok(Signer { access_key, secret, token, region })
}

/// The region that the variables name.
pub(crate) fn region(shared: &ModelContext) -> Option<String> {
    let named = shared.variable("AWS_REGION").or_else(|| shared.variable("AWS_DEFAULT_REGION"))?;
    let is_plain = named.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_plain.then(|| named.trim().to_owned())
}

/// A key that the redactor knows from now on, in a process that leaves no dump behind.
fn register_secret(text: &str, shared: &ModelContext) -> Secret {
    forbid_core_dumps();
    let secret = Secret::new(text);
    shared.redactor().learn(&secret);
    secret
}

fn wrong(settings: &ModelSettings, field: &str, reason: &str) -> SettingsError {
    SettingsError::value(&settings.display_name(), field, reason)
}

/// A header value that no log shows.
fn sensitive_header(
    value: String,
    settings: &ModelSettings,
    field: &'static str,
) -> Result<HeaderValue, SettingsError> {
    let value = zeroize::Zeroizing::new(value);
    let mut header = HeaderValue::from_str(&value)
        .map_err(|_| wrong(settings, field, "holds characters that a header cannot carry"))?;
    header.set_sensitive(true);
    Ok(header)
}

/// A header with every `${NAME}` replaced.
pub(crate) fn expand_header(
    template: &str,
    settings: &ModelSettings,
    shared: &ModelContext,
) -> Result<String, SettingsError> {
    let mut value = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("${") {
        let (variable, remaining) =
            after.split_once('}').ok_or_else(|| wrong(settings, "headers", "holds `${` without its `}`"))?;
        let text = shared
            .variable(variable)
            .ok_or_else(|| SettingsError::NoKey { model: settings.display_name(), variable: variable.to_owned() })?;
        value.push_str(before);
        value.push_str(register_secret(&text, shared).expose());
        rest = remaining;
    }
    value.push_str(rest);
    Ok(value)
}
