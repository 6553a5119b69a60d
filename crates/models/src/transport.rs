//! One request over HTTP: exact bytes out, whole bytes back, or the fault.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};

use crate::Fault;
use crate::fault::retry_after;
use crate::providers::{Parcel, Unheard, complaint};

/// Longest reply that is read, in bytes.
pub(crate) const LARGEST: usize = 16 << 20;

/// A connection to one provider.
pub(crate) struct Transport {
    client: reqwest::Client,
    headers: HeaderMap,
}

/// A fault, and how long the provider asks to wait.
pub(crate) struct Failed {
    pub unheard: Unheard,
    pub retry_after: Option<Duration>,
}

impl From<Unheard> for Failed {
    fn from(unheard: Unheard) -> Self {
        Self { unheard, retry_after: None }
    }
}

impl Transport {
    /// A transport that sends these headers with every request.
    pub(crate) fn new(headers: HeaderMap, base_url: &str) -> Result<Self, String> {
        // Fails when the process has chosen one before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut building = reqwest::Client::builder()
            // A redirection would carry the key elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(512);
        if is_loopback(base_url) {
            building = building.no_proxy();
        }
        let client = building.build().map_err(|error| chain(&error))?;
        Ok(Self { client, headers })
    }

    /// Sends a body and returns the body of a reply with status 200.
    pub(crate) async fn post(&self, parcel: &Parcel) -> Result<Vec<u8>, Failed> {
        let sending = self.client.post(&parcel.url).headers(self.headers.clone()).body(parcel.body.clone());
        let mut response = sending.send().await.map_err(lost)?;
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = header(RETRY_AFTER).and_then(|value| retry_after(value, SystemTime::now()));
        let kind = header(CONTENT_TYPE).map(str::to_ascii_lowercase);
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(lost)? {
            if body.len().saturating_add(piece.len()) > LARGEST {
                let reason = format!("the reply is longer than {} MiB", LARGEST >> 20);
                return Err(Unheard::new(Fault::TooLarge, reason).into());
            }
            body.extend_from_slice(&piece);
        }
        if status != 200 {
            let text = String::from_utf8_lossy(&body);
            let fault = Fault::of_status(status, &text).unwrap_or(Fault::UnexpectedStatus);
            let said = complaint(&text);
            let reason = format!("status {status}{}{said}", if said.is_empty() { "" } else { ": " });
            return Err(Failed { unheard: Unheard::new(fault, reason), retry_after: wait });
        }
        if let Some(kind) = kind.filter(|kind| !kind.contains("json")) {
            return Err(Unheard::new(Fault::WrongContentType, format!("the reply is `{kind}`, not JSON")).into());
        }
        Ok(body)
    }
}

/// What a failure of the connection is. The address is left out: the model is named already.
fn lost(error: reqwest::Error) -> Failed {
    let fault = if error.is_builder() {
        Fault::BadRequest
    } else if error.is_connect() {
        Fault::NotConnected
    } else if error.is_timeout() {
        Fault::TimedOut
    } else {
        Fault::ConnectionLost
    };
    Unheard::new(fault, chain(&error.without_url())).into()
}

/// An error with its causes.
pub(crate) fn chain(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    text
}

/// Whether an address is on this machine, where no proxy belongs in between.
pub(crate) fn is_loopback(base_url: &str) -> bool {
    reqwest::Url::parse(base_url).ok().and_then(|url| url.host_str().map(ToOwned::to_owned)).is_some_and(|host| {
        host == "localhost"
            || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}
